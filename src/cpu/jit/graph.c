/* The graph of vector operations: nodes, of which equal ones are made once. */
#include "cpu/jit/graph.h"
#include "base/hash.h"

#include <string.h>

#define C 1
#define E 2
const fl_jop_info fl_jop_infos[FL_J_OP_COUNT] = {
#define FL_J(name, operands, cost, flags)                                                                    \
    [FL_J_##name] = {#name, operands, (flags) & C, ((flags) & E) != 0, cost},
#include "cpu/jit/ops.def"
#undef FL_J
};
#undef C
#undef E

int fl_jgraph_begin(fl_jgraph *g, fl_arena *arena, const fl_jtarget *target)
{
    memset(g, 0, sizeof *g);
    memset(g->heads, 0xff, sizeof g->heads);
    g->arena = arena;
    g->target = target;
    g->capacity = 256;
    g->root_capacity = 32;
    g->nodes = fl_arena_alloc(arena, g->capacity * sizeof *g->nodes);
    g->roots = fl_arena_alloc(arena, g->root_capacity * sizeof *g->roots);
    return g->nodes && g->roots;
}

static int grow(fl_arena *arena, void *array, uint32_t *capacity, size_t size)
{
    void **at = array;
    void *more = fl_arena_alloc(arena, 2 * *capacity * size);
    if (!more) return 0;
    memcpy(more, *at, *capacity * size);
    *at = more;
    *capacity *= 2;
    return 1;
}

static int is_root(int op)
{
    return op == FL_J_STORE || op == FL_J_STORE_STRIDED || op == FL_J_STORE_ROW || op == FL_J_REDUCE;
}

/* Level, phase and height follow from the operands. */
static void derive(const fl_jgraph *g, fl_jnode *n)
{
    int arity = fl_jop_infos[n->op].operands;
    for (int i = 0; i < arity; i++) {
        const fl_jnode *operand = &g->nodes[n->v[i]];
        if (operand->level > n->level) n->level = operand->level;
        if (operand->phase > n->phase) n->phase = operand->phase;
        if (operand->height >= n->height) n->height = (uint16_t)(operand->height + 1);
    }
    if (n->op == FL_J_REDUCE) {
        n->level = FL_V_ROW;
        n->phase++;
    }
    if (n->op == FL_J_STORE || n->op == FL_J_STORE_STRIDED) n->level = FL_V_FULL;
    if (n->op == FL_J_STORE_ROW) n->level = FL_V_ROW;
}

/* Of operands that may change places, what is not computed in a loop comes last: it may be read from memory there. */
static int comes_after(const fl_jgraph *g, uint16_t a, uint16_t b)
{
    int full_a = g->nodes[a].level == FL_V_FULL, full_b = g->nodes[b].level == FL_V_FULL;
    return full_a != full_b ? full_b : a > b;
}

uint16_t fl_jgraph_add(fl_jgraph *g, fl_jnode n)
{
    int arity = fl_jop_infos[n.op].operands, root = is_root(n.op);
    for (int i = 0; i < 3; i++) {
        if (i >= arity) n.v[i] = FL_NO_NODE;
        if (i < arity && n.v[i] == FL_NO_NODE) g->failed = 1;
    }
    if (g->failed) return FL_NO_NODE;
    if (g->target->lacks) {
        int type = n.op == FL_J_SCMP || n.op == FL_J_UCMP ? g->nodes[n.v[0]].type : n.type;
        g->lacks |= g->target->lacks[n.op] >> type & 1;
    }
    if (fl_jop_infos[n.op].commutes && comes_after(g, n.v[0], n.v[1])) {
        uint16_t t = n.v[0];
        n.v[0] = n.v[1], n.v[1] = t;
    }
    uint64_t h = fl_hash_mix(n.bits, (uint64_t)n.op | (uint64_t)n.type << 8 | (uint64_t)n.imm << 16 |
                                         (uint64_t)n.memory << 24 | (uint64_t)n.access << 40 |
                                         (uint64_t)n.dtype << 48);
    h = fl_hash_mix(h, (uint64_t)n.v[0] | (uint64_t)n.v[1] << 16 | (uint64_t)n.v[2] << 32) & (FL_J_HASH - 1);
    if (!fl_jop_is_store(n.op))
        for (uint16_t i = g->heads[h]; i != FL_NO_NODE; i = g->nodes[i].next) {
            const fl_jnode *o = &g->nodes[i];
            if (o->op == n.op && o->type == n.type && o->imm == n.imm && o->memory == n.memory &&
                o->access == n.access && o->dtype == n.dtype && o->bits == n.bits &&
                !memcmp(o->v, n.v, sizeof n.v))
                return i;
        }
    if (g->count == FL_J_MAX_NODES ||
        (g->count == g->capacity && !grow(g->arena, &g->nodes, &g->capacity, sizeof n)) ||
        (root && g->root_count == g->root_capacity &&
         !grow(g->arena, &g->roots, &g->root_capacity, sizeof *g->roots))) {
        g->failed = 1;
        return FL_NO_NODE;
    }
    derive(g, &n);
    n.next = g->heads[h];
    if (root) g->roots[g->root_count++] = (uint16_t)g->count;
    g->heads[h] = (uint16_t)g->count;
    g->nodes[g->count] = n;
    return (uint16_t)g->count++;
}

uint16_t fl_j1(fl_jgraph *g, fl_jop op, fl_jtype type, int imm, uint16_t a)
{
    return fl_jgraph_add(g,
                         (fl_jnode){.op = (uint8_t)op, .type = (uint8_t)type, .imm = (uint8_t)imm, .v = {a}});
}

uint16_t fl_j2(fl_jgraph *g, fl_jop op, fl_jtype type, int imm, uint16_t a, uint16_t b)
{
    return fl_jgraph_add(
        g, (fl_jnode){.op = (uint8_t)op, .type = (uint8_t)type, .imm = (uint8_t)imm, .v = {a, b}});
}

uint16_t fl_j3(fl_jgraph *g, fl_jop op, fl_jtype type, uint16_t a, uint16_t b, uint16_t c)
{
    return fl_jgraph_add(g, (fl_jnode){.op = (uint8_t)op, .type = (uint8_t)type, .v = {a, b, c}});
}

uint16_t fl_jconst(fl_jgraph *g, fl_jtype type, uint64_t bits)
{
    return fl_jgraph_add(g, (fl_jnode){.op = FL_J_CONST, .type = (uint8_t)type, .bits = bits});
}

uint16_t fl_jf32(fl_jgraph *g, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return fl_jconst(g, FL_T_F32, bits);
}

uint16_t fl_jf64(fl_jgraph *g, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return fl_jconst(g, FL_T_F64, bits);
}

uint16_t fl_ji32(fl_jgraph *g, int32_t x)
{
    return fl_jconst(g, FL_T_I32, (uint32_t)x);
}
