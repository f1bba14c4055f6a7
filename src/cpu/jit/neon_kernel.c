/* The frame of a kernel on AArch64: pool of constants, prologue, rows, sections and loops, as x86_kernel.c has them. */
#include "cpu/jit/neon.h"

#include <string.h>

#define HEADER       24 /* of fl_jit_call */
#define MEMORY_BYTES 24
#define SAVED        128 /* x19-x22, x29, x30, d8-d15 at the frame's end */

enum { EQ = 0, NE = 1, HS = 2, LO = 3, LT = 11, LE = 13 };

void fl_n_mov(fl_nkernel *k, int d, uint64_t value)
{
    fl_n(k, 0xd2800000u | (uint32_t)(value & 0xffff) << 5 | (uint32_t)d);
    for (uint32_t i = 1; i < 4; i++)
        if (value >> 16 * i & 0xffff)
            fl_n(k, 0xf2800000u | i << 21 | (uint32_t)(value >> 16 * i & 0xffff) << 5 | (uint32_t)d);
}

void fl_n_vector(fl_nkernel *k, int load, int bytes, int reg, int base, int offset)
{
    uint32_t size = bytes == 16 ? 0 : (uint32_t)__builtin_ctz((unsigned)bytes),
             opc = bytes == 16 ? 2u + (uint32_t)load : (uint32_t)load;
    fl_n(k, 0x3d000000u | size << 30 | opc << 22 | (uint32_t)(offset / bytes) << 10 |
                (uint32_t)(base << 5 | reg));
}

void fl_n_literal(fl_nkernel *k, int whole, int reg, int32_t at)
{
    int32_t distance = (at - (int32_t)(k->at - k->start)) / 4;
    fl_n(k, (whole ? 0x9c000000u : 0x5c000000u) | ((uint32_t)distance & 0x7ffff) << 5 | (uint32_t)reg);
}

static uint8_t *jump(fl_nkernel *k, int condition) /* -1: always */
{
    uint8_t *place = k->at;
    fl_n(k, condition < 0 ? 0x14000000u : 0x54000000u | (uint32_t)condition);
    return place;
}
static void aim(fl_nkernel *k, uint8_t *place, const uint8_t *target)
{
    uint32_t word, distance = (uint32_t)((target - place) / 4);
    if (k->full) return;
    memcpy(&word, place, 4);
    word |= word >> 24 == 0x14 ? distance & 0x3ffffff : (distance & 0x7ffff) << 5;
    memcpy(place, &word, 4);
}
static void back(fl_nkernel *k, int condition, const uint8_t *target)
{
    aim(k, jump(k, condition), target);
}
static void compare(fl_nkernel *k, int a, int b)
{
    fl_n(k, 0xeb00001fu | (uint32_t)(b << 16 | a << 5));
}

/* --- pointers --- */

int fl_n_pointer(fl_nkernel *k, int pointer)
{
    const fl_npointer *p = &k->pointers[pointer];
    if (p->reg >= 0) return p->reg;
    fl_n_ldr(k, FL_NX_LONG, FL_NX_SP, p->frame);
    return FL_NX_LONG;
}

void fl_n_address(fl_nkernel *k, int pointer, int bytes)
{
    if (k->address_of == pointer * 16 + bytes) return;
    fl_n_add(k, FL_NX_ADDRESS, fl_n_pointer(k, pointer), FL_NX_COLUMN, __builtin_ctz((unsigned)bytes));
    k->address_of = pointer * 16 + bytes;
}

static int32_t frame_slot(fl_nkernel *k, int alignment, int bytes)
{
    k->c.frame = (k->c.frame + alignment - 1) & -alignment;
    k->c.frame += bytes;
    return k->c.frame - bytes;
}

static void add_pointer(fl_nkernel *k, uint16_t *number, fl_npointer pointer)
{
    if (!*number) {
        pointer.reg = k->pointer_count < FL_N_POINTERS ? (int8_t)(5 + k->pointer_count) : -1;
        if (pointer.reg < 0) pointer.frame = frame_slot(k, 8, 8);
        k->pointers[k->pointer_count] = pointer;
        *number = (uint16_t)++k->pointer_count;
    }
    k->pointers[*number - 1].moves |= pointer.moves;
}

static void add_pointers_of(fl_nkernel *k, const fl_jlist *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const fl_jentry *e = &list->entries[i];
        const fl_jnode *n = &k->c.g->nodes[e->node];
        uint16_t kept = (uint16_t)(k->c.s->is_kept[e->node] - 1);
        if (e->kind != FL_E_COMPUTE)
            add_pointer(k, &k->pointer_of_kept[kept], (fl_npointer){.memory = kept, .is_kept = 1});
        else if (n->op == FL_J_LOAD_ROW_AT)
            add_pointer(k, &k->pointer_of_node[e->node], (fl_npointer){.memory = n->memory, .is_chosen = 1});
        else if (n->op == FL_J_LOAD || n->op == FL_J_COUNT || fl_jop_is_store(n->op))
            add_pointer(k, &k->pointer_of_memory[n->memory],
                        (fl_npointer){.memory = n->memory, .moves = n->access != FL_M_UNIFORM});
    }
}

static fl_status make_pointers(fl_nkernel *k)
{
    fl_jgraph *g = k->c.g;
    const fl_jschedule *s = k->c.s;
    uint32_t most = 1;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->nodes[i].memory >= most) most = g->nodes[i].memory + 1u;
    FL_CHECK(most < 1300, FL_UNSUPPORTED, "expected fewer than 1300 operands of a kernel");
    k->pointers = FL_NEW_ARRAY(g->arena, fl_npointer, most + g->count + s->kept_count);
    k->pointer_of_memory = FL_NEW_ARRAY(g->arena, uint16_t, most);
    k->pointer_of_kept = FL_NEW_ARRAY(g->arena, uint16_t, s->kept_count + 1);
    k->pointer_of_node = FL_NEW_ARRAY(g->arena, uint16_t, g->count + 1);
    k->kept_at = FL_NEW_ARRAY(g->arena, int32_t, s->kept_count + 1);
    FL_CHECK(k->pointers && k->pointer_of_memory && k->pointer_of_kept && k->pointer_of_node && k->kept_at,
             FL_OOM, "out of memory while compiling a kernel");
    for (uint32_t p = 0; p < s->phases; p++) add_pointers_of(k, &s->loops[p]);
    for (uint32_t q = 0; q < s->phases + 2; q++) add_pointers_of(k, &s->sections[q]);
    for (uint32_t i = 0; i < s->kept_count; i++) {
        int type = g->nodes[s->kept[i]].type;
        k->kept_at[i + 1] = k->kept_at[i] + (type == FL_T_MASK ? 1 : fl_jtype_bytes(type));
    }
    return NULL;
}

static void load_pointers(fl_nkernel *k)
{
    fl_n_addi(k, FL_NX_TEMP, FL_NX_COLUMNS, 63); /* columns, rounded up to 64 */
    fl_n(k, 0xd346fdefu);                        /* lsr x15, x15, #6 */
    for (int i = 0; i < k->pointer_count; i++) {
        const fl_npointer *p = &k->pointers[i];
        int r = p->reg >= 0 ? p->reg : FL_NX_LONG;
        if (p->is_chosen) continue;
        if (p->is_kept) {
            fl_n_mov(k, FL_NX_ADDRESS, 64 * (uint64_t)k->kept_at[p->memory]);
            fl_n_ldr(k, r, 0, 16);
            fl_n(k, 0x9b000000u | FL_NX_TEMP << 16 | (uint32_t)r << 10 | FL_NX_ADDRESS << 5 |
                        (uint32_t)r); /* madd */
        } else {
            fl_n_ldr(k, r, 0, HEADER + MEMORY_BYTES * p->memory);
        }
        if (p->reg < 0) fl_n_str(k, r, FL_NX_SP, p->frame);
    }
}

static void move_pointers(fl_nkernel *k)
{
    for (int i = 0; i < k->pointer_count; i++) {
        const fl_npointer *p = &k->pointers[i];
        if (p->is_kept || p->is_chosen || !p->moves) continue;
        fl_n_ldr(k, FL_NX_TEMP, 0, HEADER + MEMORY_BYTES * p->memory + 8);
        int r = fl_n_pointer(k, i);
        fl_n_add(k, r, r, FL_NX_TEMP, 0);
        if (p->reg < 0) fl_n_str(k, r, FL_NX_SP, p->frame);
    }
}

static void choose_rows(fl_nkernel *k, const fl_jlist *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        uint16_t v = list->entries[i].node;
        const fl_jnode *n = &k->c.g->nodes[v];
        if (list->entries[i].kind != FL_E_COMPUTE || n->op != FL_J_LOAD_ROW_AT) continue;
        int wide = k->c.g->nodes[n->v[0]].type == FL_T_I64, pin = k->c.pin[n->v[0]], at = FL_N_TAIL;
        if (pin >= 0)
            at = pin;
        else if (fl_jcg_is_const(&k->c, n->v[0]))
            fl_n_literal(k, 1, at, k->c.home[n->v[0]]);
        else
            fl_n_vector(k, 1, 16, at, FL_NX_SP, k->c.home[n->v[0]]);
        fl_n_index_to_gpr(k, FL_NX_TEMP, at, wide);
        fl_n_ldr(k, FL_NX_LONG, 0, HEADER + MEMORY_BYTES * n->memory + 8);
        fl_n_ldr(k, FL_NX_ADDRESS, 0, HEADER + MEMORY_BYTES * n->memory);
        const fl_npointer *p = &k->pointers[k->pointer_of_node[v] - 1];
        int r = p->reg >= 0 ? p->reg : FL_NX_LONG;
        fl_n(k, 0x9b000000u | FL_NX_LONG << 16 | FL_NX_ADDRESS << 10 | FL_NX_TEMP << 5 | (uint32_t)r);
        if (p->reg < 0) fl_n_str(k, r, FL_NX_SP, p->frame);
    }
}

/* --- calls --- */

enum {
    CALL_A = 64,
    CALL_B = 128,
    CALL_GENERAL = 192,
    CALL_VECTORS = 320,
    CALL_BYTES = CALL_VECTORS + 32 * 16
};

static void save(fl_nkernel *k, uint32_t live, int load)
{
    for (int r = 0; r < 15; r++)
        (load ? fl_n_ldr : fl_n_str)(k, r, FL_NX_SP, k->call_area + CALL_GENERAL + 8 * r);
    for (; live; live &= live - 1) {
        int r = __builtin_ctz(live);
        fl_n_vector(k, load, 16, r, FL_NX_SP, k->call_area + CALL_VECTORS + 16 * r);
    }
}

void fl_n_call(fl_nkernel *k, const fl_jnode *n, int dst, const fl_jarg *args, int masked)
{
    int operands = fl_jop_infos[n->op].operands;
    uint32_t live =
        (k->c.all[FL_VECTOR] & ~k->c.free[FL_VECTOR] & ~(1u << dst)) | (masked ? 3u << FL_N_TAIL32 : 0);
    for (int i = 0; i < operands; i++)
        fl_n_vector(k, 0, 16, args[i].reg, FL_NX_SP, k->call_area + CALL_A + 64 * i);
    save(k, live, 0);
    fl_n_addi(k, 0, FL_NX_SP, k->call_area);
    fl_n_addi(k, 1, FL_NX_SP, k->call_area + CALL_A);
    fl_n_addi(k, 2, FL_NX_SP, k->call_area + (operands > 1 ? CALL_B : CALL_A));
    fl_n_addi(k, 3, FL_NX_SP, k->call_area + CALL_A);
    fl_n_mov(k, 4, (uint64_t)k->lanes);
    fl_n_mov(k, FL_NX_LONG, n->bits);
    fl_n(k, 0xd63f0000u | FL_NX_LONG << 5); /* blr */
    save(k, live, 1);
    k->address_of = -1;
    fl_n_vector(k, 1, 16, dst, FL_NX_SP, k->call_area);
}

/* --- pool --- */

static void put(fl_nkernel *k, uint64_t bits, int bytes)
{
    if (k->end - k->at < 8) return;
    memcpy(k->at, &bits, (size_t)bytes);
    k->at += bytes;
}

static void make_pool(fl_nkernel *k)
{
    fl_jgraph *g = k->c.g;
    for (uint32_t i = 0; i < g->count; i++) {
        const fl_jnode *n = &g->nodes[i];
        if (n->op != FL_J_CONST) continue;
        k->c.home[i] = (int32_t)(k->at - k->start);
        int bytes = fl_jtype_bytes(n->type);
        for (int j = 0; j < 16; j += bytes)
            put(k, n->type == FL_T_MASK ? (n->bits & 1 ? ~0ull : 0) : n->bits, bytes);
    }
    k->iota32 = (int32_t)(k->at - k->start);
    for (uint64_t i = 0; i < 16; i++) put(k, i, 4);
    k->iota64 = (int32_t)(k->at - k->start);
    for (uint64_t i = 0; i < 16; i++) put(k, i, 8);
}

/* --- loops --- */

static void start_reductions(fl_nkernel *k, const fl_jlist *list, int unroll)
{
    fl_jcg *c = &k->c;
    c->reduction_count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        uint16_t v = list->entries[i].node;
        if (list->entries[i].kind != FL_E_COMPUTE || c->g->nodes[v].op != FL_J_REDUCE) continue;
        int r = c->reduction_count++;
        c->reduction_nodes[r] = v;
        for (int u = 0; u < unroll; u++) {
            c->locked[0] = c->locked[1] = 0;
            int reg = !u && c->pin[v] >= 0 ? c->pin[v] : fl_jcg_take(c, FL_VECTOR);
            c->accumulators[r][u] = (int8_t)reg;
            fl_n_start(k, v, reg);
        }
    }
}

static void end_reductions(fl_nkernel *k, int unroll)
{
    fl_jcg *c = &k->c;
    for (int r = 0; r < c->reduction_count; r++) {
        uint16_t v = c->reduction_nodes[r];
        c->locked[0] = c->locked[1] = 0;
        fl_n_fold(k, r, unroll);
        if (c->home[v] >= 0) c->m->spill(c, FL_VECTOR, c->accumulators[r][0], c->home[v]);
    }
}

static void loop(fl_nkernel *k, uint32_t p)
{
    fl_jcg *c = &k->c;
    const fl_jlist *list = &c->s->loops[p];
    const fl_juses *uses = &c->loop_uses[p];
    int unroll = uses->unroll, step = unroll * k->lanes, bits = __builtin_ctz((unsigned)step);
    fl_jcg_enter(c, 2 * (int)p + 2);
    start_reductions(k, list, unroll);
    choose_rows(k, list);
    uint32_t free_before[FL_CLASSES];
    memcpy(free_before, c->free, sizeof free_before);
    fl_n(k, 0xd340fc00u | (uint32_t)bits << 16 | FL_NX_COLUMNS << 5 | FL_NX_END); /* lsr */
    fl_n(k, 0xd3400000u | (uint32_t)(64 - bits) << 16 | (uint32_t)(63 - bits) << 10 | FL_NX_END << 5 |
                FL_NX_END); /* lsl */
    fl_n_mov(k, FL_NX_COLUMN, 0);
    compare(k, FL_NX_COLUMN, FL_NX_END);
    uint8_t *short_row = jump(k, HS);
    const uint8_t *top = k->at;
    k->address_of = -1;
    fl_jcg_list(c, list, uses, unroll, 0);
    fl_n_addi(k, FL_NX_COLUMN, FL_NX_COLUMN, step);
    compare(k, FL_NX_COLUMN, FL_NX_END);
    back(k, LO, top);
    aim(k, short_row, k->at);
    compare(k, FL_NX_COLUMN, FL_NX_COLUMNS);
    uint8_t *done = jump(k, HS);
    memcpy(c->free, free_before, sizeof free_before);
    top = k->at;
    fl_n_tail_mask(k);
    k->address_of = -1;
    fl_jcg_list(c, list, uses, 1, 1);
    fl_n_addi(k, FL_NX_COLUMN, FL_NX_COLUMN, k->lanes);
    compare(k, FL_NX_COLUMN, FL_NX_COLUMNS);
    back(k, LO, top);
    aim(k, done, k->at);
    k->address_of = -1;
    memcpy(c->free, free_before, sizeof free_before);
    end_reductions(k, unroll);
}

static void section(fl_nkernel *k, uint32_t q)
{
    fl_jcg *c = &k->c;
    k->address_of = -1;
    fl_jcg_enter(c, q ? 2 * (int)q - 1 : 0);
    fl_jcg_list(c, &c->s->sections[q], &c->section_uses[q], 1, 0);
}

/* Saved registers lie at the start of the frame. */
static void save_registers(fl_nkernel *k, int load)
{
    static const uint8_t pairs[3][2] = {{19, 20}, {21, 22}, {29, 30}};
    for (int i = 0; i < 3; i++)
        fl_n(k, (load ? 0xa9400000u : 0xa9000000u) | (uint32_t)(2 * i) << 15 | (uint32_t)pairs[i][1] << 10 |
                    FL_NX_SP << 5 | pairs[i][0]);
    for (uint32_t i = 0; i < 4; i++) /* d8-d15 */
        fl_n(k, (load ? 0x6d400000u : 0x6d000000u) | (6 + 2 * i) << 15 | (9 + 2 * i) << 10 | FL_NX_SP << 5 |
                    (8 + 2 * i));
}

static void emit(fl_nkernel *k, fl_jmade *out)
{
    fl_jcg *c = &k->c;
    c->list_frame = c->frame;
    make_pool(k);
    out->entry = (uint32_t)(k->at - k->start);
    uint8_t *frame = k->at;
    fl_n(k, 0xd2800000u | FL_NX_LONG);       /* movz x16, frame */
    fl_n(k, 0xcb2063ffu | FL_NX_LONG << 16); /* sub sp, sp, x16 */
    save_registers(k, 0);
    fl_n_ldr(k, FL_NX_ROWS, 0, 0);
    fl_n_ldr(k, FL_NX_COLUMNS, 0, 8);
    fl_n(k, 0xf100001fu | FL_NX_ROWS << 5); /* cmp x1, 0 */
    uint8_t *nothing = jump(k, LE);
    load_pointers(k);
    section(k, 0);
    const uint8_t *row = k->at;
    for (uint32_t p = 0; p < c->s->phases; p++) {
        section(k, p + 1);
        loop(k, p);
    }
    section(k, c->s->phases + 1);
    fl_n(k, 0xf1000400u | FL_NX_ROWS << 5 | FL_NX_ROWS); /* subs x1, x1, 1 */
    uint8_t *last = jump(k, EQ);
    move_pointers(k);
    back(k, -1, row);
    aim(k, last, k->at);
    aim(k, nothing, k->at);
    save_registers(k, 1);
    uint32_t bytes = ((uint32_t)c->frame + 15) & ~15u;
    fl_n(k, 0xd2800000u | (bytes & 0xffff) << 5 | FL_NX_LONG);
    fl_n(k, 0x8b2063ffu | FL_NX_LONG << 16);
    fl_n(k, 0xd65f03c0u); /* ret */
    uint32_t word = 0xd2800000u | (bytes & 0xffff) << 5 | FL_NX_LONG;
    if (!k->full) memcpy(frame, &word, 4);
    out->code = k->start;
    out->bytes = (uint32_t)(k->at - k->start);
}

fl_status fl_n_emit(fl_jgraph *g, const fl_jschedule *s, int lanes, fl_jmade *out)
{
    fl_nkernel *k = FL_NEW(g->arena, fl_nkernel);
    FL_CHECK(k, FL_OOM, "out of memory while compiling a kernel");
    fl_jcg *c = &k->c;
    k->lanes = c->lanes = lanes;
    c->target = k;
    c->m = &fl_n_machine;
    c->all[FL_VECTOR] = 0x3fffffff;
    c->classes[FL_T_MASK] = FL_VECTOR;
    FL_CHECK(fl_jcg_begin(c, g, s) && fl_jcg_plan(c), FL_OOM, "out of memory while compiling a kernel");
    c->frame = SAVED;
    k->tail_area = frame_slot(k, 16, 16);
    k->call_area = frame_slot(k, 16, CALL_BYTES);
    FL_TRY(make_pointers(k));
    FL_CHECK(c->most_reductions <= 16 && c->most_reductions + 7 < __builtin_popcount(c->all[FL_VECTOR]),
             FL_UNSUPPORTED, "expected fewer than %d reductions in a loop of a kernel", c->most_reductions);
    for (uint32_t i = 0; i < g->count; i++)
        if (c->global[i] && g->nodes[i].op != FL_J_CONST && !fl_jcg_is_pinned(c, (uint16_t)i))
            c->home[i] = frame_slot(k, 16, 16);
    size_t size = 8192 + 128 * (size_t)g->count;
    for (uint32_t p = 0; p < s->phases; p++) size += 80 * (size_t)s->loops[p].count;
    int32_t frame = c->frame;
    for (;; size *= 4) {
        k->start = k->at = fl_arena_alloc(g->arena, size);
        FL_CHECK(k->start, FL_OOM, "out of memory while compiling a kernel");
        k->end = k->start + size;
        k->full = 0;
        c->frame = frame;
        emit(k, out);
        FL_CHECK(!c->failed, FL_UNSUPPORTED, "expected registers for an instruction of a kernel");
        FL_CHECK(c->frame < 32000, FL_UNSUPPORTED, "expected a kernel with less on its stack");
        FL_CHECK(k->at - k->start < 900000, FL_UNSUPPORTED, "expected a kernel of less than 900 KB");
        if (!k->full) return NULL;
    }
}
