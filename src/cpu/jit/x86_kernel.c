/* The frame of a kernel on x86-64: pool of constants, prologue, rows, sections and loops.
 *
 * rdi the call, rsi rows left, rcx columns, rdx end of a loop's whole steps, rax the column; r8-r11, rbx, rbp, r12-r14 addresses
 * of the row, r15 for short. Columns are counted in elements, so one register indexes operands of every size. */
#include "cpu/jit/x86.h"

#include <string.h>

#define HEADER       24 /* of fl_jit_call */
#define MEMORY_BYTES 24
_Static_assert(sizeof(fl_jit_memory) == MEMORY_BYTES && sizeof(fl_jit_call) == HEADER,
               "layout that code relies on");

static const uint8_t pointer_registers[FL_X_POINTERS] = {8, 9, 10, 11, 3, 5, 12, 13, 14};

#define MOV_LOAD  0x8b
#define MOV_STORE 0x89
#define MOVSXD    0x63
#define JE        0x84
#define JB        0x82
#define JAE       0x83
#define JLE       0x8e
#define JNE       0x85
#define JMP       0xe9

int fl_xpointer_reg(fl_xkernel *k, int pointer)
{
    const fl_xpointer *p = &k->pointers[pointer];
    if (p->reg >= 0) return p->reg;
    if (k->cached_pointer != pointer) fl_xg(&k->b, MOV_LOAD, 1, FL_R15, fl_xmem(FL_RSP, p->frame));
    k->cached_pointer = pointer;
    return FL_R15;
}

fl_xrm fl_xaddress(fl_xkernel *k, int pointer, int bytes, int u)
{
    fl_xrm m = fl_xmem(fl_xpointer_reg(k, pointer), u * k->lanes * bytes);
    m.index = FL_RAX;
    m.scale = (uint8_t)__builtin_ctz((unsigned)bytes);
    return m;
}

fl_xrm fl_xkept(fl_jcg *c, uint16_t node, int u)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int pointer = k->pointer_of_kept[c->s->is_kept[node] - 1] - 1;
    return fl_xaddress(k, pointer, (int)fl_dtype_bytes(fl_jtype_dtype(c->g->nodes[node].type)), u);
}

/* --- pointers --- */

static int add_pointer(fl_xkernel *k, uint16_t memory, int is_kept, int moves)
{
    uint16_t *number = is_kept ? &k->pointer_of_kept[memory] : &k->pointer_of_memory[memory];
    if (!*number) {
        k->pointers[k->pointer_count] =
            (fl_xpointer){.memory = memory, .is_kept = (uint8_t)is_kept, .reg = -1};
        *number = (uint16_t)++k->pointer_count;
    }
    k->pointers[*number - 1].moves |= (uint8_t)moves;
    return 1;
}

static void add_chosen(fl_xkernel *k, uint16_t node)
{
    if (k->pointer_of_node[node]) return;
    k->pointers[k->pointer_count] =
        (fl_xpointer){.memory = k->c.g->nodes[node].memory, .is_chosen = 1, .reg = -1};
    k->pointer_of_node[node] = (uint16_t)++k->pointer_count;
}

static void add_pointers_of(fl_xkernel *k, const fl_jlist *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const fl_jentry *e = &list->entries[i];
        const fl_jnode *n = &k->c.g->nodes[e->node];
        if (e->kind != FL_E_COMPUTE)
            add_pointer(k, (uint16_t)(k->c.s->is_kept[e->node] - 1), 1, 0);
        else if (n->op == FL_J_LOAD_ROW_AT)
            add_chosen(k, e->node);
        else if (n->op == FL_J_LOAD || n->op == FL_J_COUNT || n->op == FL_J_LOAD_AT ||
                 n->op == FL_J_LOAD_STRIDED || fl_jop_is_store(n->op))
            add_pointer(k, n->memory, 0, n->access != FL_M_UNIFORM);
    }
}

static int32_t frame_slot_at(fl_xkernel *k, int alignment, int bytes)
{
    k->c.frame = (k->c.frame + alignment - 1) & -alignment;
    k->c.frame += bytes;
    return k->c.frame - bytes;
}
static int32_t frame_slot(fl_xkernel *k, int bytes)
{
    return frame_slot_at(k, bytes, bytes);
}

static int make_pointers(fl_xkernel *k)
{
    fl_jgraph *g = k->c.g;
    const fl_jschedule *s = k->c.s;
    int most = 1, chosen = 0;
    for (uint32_t i = 0; i < g->count; i++) chosen += g->nodes[i].op == FL_J_LOAD_ROW_AT;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->nodes[i].memory >= most) most = g->nodes[i].memory + 1;
    k->pointers =
        fl_arena_alloc(g->arena, ((size_t)most + (size_t)chosen + s->kept_count) * sizeof *k->pointers);
    k->pointer_of_memory = FL_NEW_ARRAY(g->arena, uint16_t, most);
    k->pointer_of_kept = FL_NEW_ARRAY(g->arena, uint16_t, s->kept_count + 1);
    k->pointer_of_node = FL_NEW_ARRAY(g->arena, uint16_t, g->count);
    k->kept_at = FL_NEW_ARRAY(g->arena, int32_t, s->kept_count + 1);
    if (!k->pointers || !k->pointer_of_memory || !k->pointer_of_kept || !k->pointer_of_node || !k->kept_at)
        return 0;
    for (uint32_t p = 0; p < s->phases; p++) add_pointers_of(k, &s->loops[p]);
    for (uint32_t q = 0; q < s->phases + 2; q++) add_pointers_of(k, &s->sections[q]);
    for (int i = 0; i < k->pointer_count; i++) {
        if (i < FL_X_POINTERS)
            k->pointers[i].reg = (int8_t)pointer_registers[i];
        else
            k->pointers[i].frame = frame_slot(k, 8);
    }
    for (uint32_t i = 0; i < s->kept_count; i++) {
        int type = g->nodes[s->kept[i]].type;
        k->kept_at[i + 1] = k->kept_at[i] + (type == FL_T_MASK ? 1 : fl_jtype_bytes(type));
    }
    return 1;
}

static void load_pointers(fl_xkernel *k)
{
    fl_xbuf *b = &k->b;
    int any = 0;
    for (int i = 0; i < k->pointer_count; i++) {
        fl_xpointer *p = &k->pointers[i];
        int r = p->reg >= 0 ? p->reg : FL_R15;
        if (p->is_chosen) continue;
        if (p->is_kept) {
            if (!any++) { /* columns, rounded up to 64 */
                fl_xg(b, 0x8d, 1, FL_RDX, fl_xmem(FL_RCX, 63));
                fl_xg_imm(b, 4, 1, fl_xreg(FL_RDX), -64);
            }
            fl_xg(b, 0x69, 1, r, fl_xreg(FL_RDX)); /* imul r, rdx, imm32 */
            fl_xbytes(b, &k->kept_at[p->memory], 4);
            fl_xg(b, 0x03, 1, r, fl_xmem(FL_RDI, 16));
        } else {
            fl_xg(b, MOV_LOAD, 1, r, fl_xmem(FL_RDI, HEADER + MEMORY_BYTES * p->memory));
        }
        if (p->reg < 0) fl_xg(b, MOV_STORE, 1, r, fl_xmem(FL_RSP, p->frame));
    }
}

static void move_pointers(fl_xkernel *k)
{
    fl_xbuf *b = &k->b;
    for (int i = 0; i < k->pointer_count; i++) {
        fl_xpointer *p = &k->pointers[i];
        if (p->is_kept || p->is_chosen || !p->moves) continue;
        fl_xrm step = fl_xmem(FL_RDI, HEADER + MEMORY_BYTES * p->memory + 8);
        if (p->reg >= 0) {
            fl_xg(b, 0x03, 1, p->reg, step);
        } else {
            fl_xg(b, MOV_LOAD, 1, FL_R15, step);
            fl_xg(b, 0x01, 1, FL_R15, fl_xmem(FL_RSP, p->frame));
        }
    }
    k->cached_pointer = -1;
}

/* --- calls --- */

enum {
    CALL_A = 64,
    CALL_B = 128,
    CALL_GENERAL = 192,
    CALL_MASKS = 320,
    CALL_VECTORS = 384,
    CALL_BYTES = CALL_VECTORS + 32 * 64
};
static const uint8_t volatile_registers[] = {FL_RAX, FL_RCX, FL_RDX, FL_RSI, FL_RDI, 8, 9, 10, 11};

static void save(fl_xkernel *k, int dst, int cls, int masked, int back)
{
    fl_jcg *c = &k->c;
    uint32_t live = c->all[cls] & ~c->free[cls];
    if (cls == FL_VECTOR) live &= ~(1u << dst);
    if (cls == FL_MASK_CLASS && masked) live |= 2; /* the tail's */
    if (k->b.vex && masked) live |= 0xc000;
    for (; live; live &= live - 1) {
        int r = __builtin_ctz(live);
        int32_t at = k->call_area + (cls == FL_VECTOR ? CALL_VECTORS + 64 * r : CALL_MASKS + 8 * r);
        if (back)
            c->m->fill(c, cls, FL_T_I32, r, (fl_jarg){-1, FL_IN_FRAME, at});
        else
            c->m->spill(c, cls, r, at);
    }
}

void fl_xcall(fl_xkernel *k, const fl_jnode *n, int dst, const fl_jarg *args, int masked)
{
    fl_xbuf *b = &k->b;
    fl_jcg *c = &k->c;
    int operands = fl_jop_infos[n->op].operands;
    for (int i = 0; i < operands; i++) c->m->spill(c, FL_VECTOR, args[i].reg, k->call_area + CALL_A + 64 * i);
    save(k, dst, FL_VECTOR, masked, 0);
    if (c->all[FL_MASK_CLASS]) save(k, dst, FL_MASK_CLASS, masked, 0);
    for (int i = 0; i < 9; i++)
        fl_xg(b, MOV_STORE, 1, volatile_registers[i], fl_xmem(FL_RSP, k->call_area + CALL_GENERAL + 8 * i));
    fl_xg(b, 0x8d, 1, FL_RDI, fl_xmem(FL_RSP, k->call_area)); /* lea */
    fl_xg(b, 0x8d, 1, FL_RSI, fl_xmem(FL_RSP, k->call_area + CALL_A));
    fl_xg(b, 0x8d, 1, FL_RDX, fl_xmem(FL_RSP, k->call_area + (operands > 1 ? CALL_B : CALL_A)));
    fl_xg(b, MOV_STORE, 1, FL_RSI, fl_xreg(FL_RCX));
    fl_xg(b, 0xc7, 1, 0, fl_xreg(8)); /* mov r8, lanes */
    fl_xbytes(b, &(int32_t){k->lanes}, 4);
    fl_xbytes(b, (uint8_t[5]){0xc5, 0xf8, 0x77, 0x48, 0xb8}, 5); /* vzeroupper; mov rax, imm64 */
    fl_xbytes(b, &n->bits, 8);
    fl_xbytes(b, (uint8_t[2]){0xff, 0xd0}, 2); /* call rax */
    for (int i = 0; i < 9; i++)
        fl_xg(b, MOV_LOAD, 1, volatile_registers[i], fl_xmem(FL_RSP, k->call_area + CALL_GENERAL + 8 * i));
    save(k, dst, FL_VECTOR, masked, 1);
    if (c->all[FL_MASK_CLASS]) save(k, dst, FL_MASK_CLASS, masked, 1);
    c->m->fill(c, FL_VECTOR, n->type, dst, (fl_jarg){-1, FL_IN_FRAME, k->call_area});
}

static void make_call_area(fl_xkernel *k)
{
    for (uint32_t i = 0; i < k->c.g->count && !k->call_area; i++)
        if (k->c.g->nodes[i].op == FL_J_CALL1 || k->c.g->nodes[i].op == FL_J_CALL2)
            k->call_area = frame_slot_at(k, 64, CALL_BYTES);
}

/* --- pool --- */

void fl_xmov_r15(fl_xkernel *k, uint64_t bits, int wide)
{
    fl_xbytes(&k->b, (uint8_t[2]){wide ? 0x49 : 0x41, 0xbf}, 2);
    fl_xbytes(&k->b, &bits, wide ? 8 : 4);
    k->cached_pointer = -1;
}

int32_t fl_xpool_element(const fl_xkernel *k, int type)
{
    if (k->b.vex && type == FL_T_MASK) return k->vector_bytes;
    return k->b.vex ? k->lanes * fl_jtype_bytes(type) : fl_jtype_bytes(type);
}

static void put(fl_xkernel *k, uint64_t bits, int bytes, int copies)
{
    for (int i = 0; i < copies && k->b.end - k->b.at >= 16; i++) {
        memcpy(k->b.at, &bits, (size_t)bytes);
        k->b.at += bytes;
    }
}

static void make_pool(fl_xkernel *k)
{
    fl_jgraph *g = k->c.g;
    int counts = 0;
    for (int bytes = 8; bytes >= 4; bytes -= 4)
        for (uint32_t i = 0; i < g->count; i++) {
            const fl_jnode *n = &g->nodes[i];
            counts |= n->op == FL_J_COLUMN || n->op == FL_J_LANES ? 1 << n->type : 0;
            if (n->op != FL_J_CONST || fl_jtype_bytes(n->type) != bytes) continue;
            k->c.home[i] = (int32_t)(k->b.at - k->b.start);
            uint64_t bits = n->type == FL_T_MASK ? (n->bits & 1 ? ~0ull : 0) : n->bits;
            put(k, bits, bytes, fl_xpool_element(k, n->type) / bytes);
        }
    fl_xtemplate_pool(k);
    for (int type = 0; type < 2; type++) {
        if (!(counts >> type & 1)) continue;
        *(type ? &k->iota64 : &k->iota32) = (int32_t)(k->b.at - k->b.start);
        for (int i = 0; i < k->lanes * FL_J_MAX_UNROLL; i++) put(k, (uint64_t)i, type ? 8 : 4, 1);
    }
    if (k->b.vex) {
        k->tail_table = (int32_t)(k->b.at - k->b.start);
        put(k, ~0ull, 4, 8);
        put(k, 0, 4, 8);
    }
    while ((k->b.at - k->b.start) & 63 && k->b.at < k->b.end) *k->b.at++ = 0xcc;
}

/* --- loops --- */

static void align_loop(fl_xkernel *k)
{
    static const uint8_t nops[9][9] = {{0x90},
                                       {0x66, 0x90},
                                       {0x0f, 0x1f, 0},
                                       {0x0f, 0x1f, 0x40, 0},
                                       {0x0f, 0x1f, 0x44, 0, 0},
                                       {0x66, 0x0f, 0x1f, 0x44, 0, 0},
                                       {0x0f, 0x1f, 0x80, 0, 0, 0, 0},
                                       {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
                                       {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}};
    int left = (int)(-(k->b.at - k->b.start) & 31);
    while (left) {
        int n = left > 9 ? 9 : left;
        fl_xbytes(&k->b, nops[n - 1], n);
        left -= n;
    }
}

static void start_reductions(const fl_xtarget *t, fl_xkernel *k, const fl_jlist *list, int unroll)
{
    fl_jcg *c = &k->c;
    c->reduction_count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        uint16_t v = list->entries[i].node;
        if (list->entries[i].kind != FL_E_COMPUTE || c->g->nodes[v].op != FL_J_REDUCE) continue;
        int r = c->reduction_count++;
        c->reduction_nodes[r] = v;
        for (int u = 0; u < unroll; u++) {
            memset(c->locked, 0, sizeof c->locked);
            int reg = !u && c->pin[v] >= 0 ? c->pin[v] : fl_jcg_take(c, FL_VECTOR);
            c->accumulators[r][u] = (int8_t)reg;
            t->start(k, v, reg);
        }
    }
}

static void end_reductions(const fl_xtarget *t, fl_xkernel *k, int unroll)
{
    fl_jcg *c = &k->c;
    for (int r = 0; r < c->reduction_count; r++) {
        uint16_t v = c->reduction_nodes[r];
        memset(c->locked, 0, sizeof c->locked);
        t->fold(k, r, unroll);
        if (c->home[v] >= 0) c->m->spill(c, FL_VECTOR, c->accumulators[r][0], c->home[v]);
    }
}

/* Addresses of rows that row values choose. */
static void choose_rows(const fl_xtarget *t, fl_xkernel *k, const fl_jlist *list)
{
    fl_xbuf *b = &k->b;
    for (uint32_t i = 0; i < list->count; i++) {
        const fl_jnode *n = &k->c.g->nodes[list->entries[i].node];
        if (list->entries[i].kind != FL_E_COMPUTE || n->op != FL_J_LOAD_ROW_AT) continue;
        const fl_jnode *index = &k->c.g->nodes[n->v[0]];
        int wide = index->type == FL_T_I64, pin = k->c.pin[n->v[0]];
        if (pin >= 0)
            t->index_to_gpr(k, FL_R15, pin, wide);
        else
            fl_xg(b, wide ? MOV_LOAD : MOVSXD, 1, FL_R15,
                  fl_xmem(index->op == FL_J_CONST ? -1 : FL_RSP, k->c.home[n->v[0]]));
        fl_xg2(b, 0xaf, 1, FL_R15, fl_xmem(FL_RDI, HEADER + MEMORY_BYTES * n->memory + 8)); /* imul */
        fl_xg(b, 0x03, 1, FL_R15, fl_xmem(FL_RDI, HEADER + MEMORY_BYTES * n->memory));
        const fl_xpointer *p = &k->pointers[k->pointer_of_node[list->entries[i].node] - 1];
        fl_xg(b, MOV_STORE, 1, FL_R15, p->reg >= 0 ? fl_xreg(p->reg) : fl_xmem(FL_RSP, p->frame));
    }
    k->cached_pointer = -1;
}

/* Jumps when a streamed store's row is not aligned to a vector. NULL: nothing is streamed. */
static int is_streamed(const fl_xkernel *k, const fl_jentry *e)
{
    const fl_jnode *n = &k->c.g->nodes[e->node];
    return e->kind == FL_E_COMPUTE && n->op == FL_J_STORE && n->stream &&
           fl_dtype_bytes((fl_dtype)n->dtype) >= 4;
}

static uint8_t *test_alignment(fl_xkernel *k, const fl_jlist *list)
{
    fl_xbuf *b = &k->b;
    int any = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const fl_jnode *n = &k->c.g->nodes[list->entries[i].node];
        if (!is_streamed(k, &list->entries[i])) continue;
        const fl_xpointer *p = &k->pointers[k->pointer_of_memory[n->memory] - 1];
        fl_xg(b, any++ ? 0x0b : MOV_LOAD, 1, FL_R15,
              p->reg >= 0 ? fl_xreg(p->reg) : fl_xmem(FL_RSP, p->frame)); /* or */
    }
    k->cached_pointer = -1;
    if (!any) return NULL;
    k->streams = 1;
    fl_xg(b, 0xf7, 0, 0, fl_xreg(FL_R15)); /* test r15d, 63 */
    fl_xbytes(b, &(int32_t){63}, 4);
    return fl_xjump(b, JNE);
}

static void body(fl_xkernel *k, const fl_jlist *list, const fl_juses *uses)
{
    fl_xbuf *b = &k->b;
    align_loop(k);
    const uint8_t *top = b->at;
    k->cached_pointer = -1;
    fl_jcg_list(&k->c, list, uses, uses->unroll, 0);
    fl_xg_imm(b, 0, 1, fl_xreg(FL_RAX), uses->unroll * k->lanes);
    fl_xg(b, 0x39, 1, FL_RDX, fl_xreg(FL_RAX)); /* cmp rax, rdx */
    fl_xback(b, JB, top);
}

/* Whole vectors several at a time, then one by one under the mask of the tail. */
static void two_bodies(const fl_xtarget *t, fl_xkernel *k, const fl_jlist *list, const fl_juses *uses)
{
    fl_jcg *c = &k->c;
    fl_xbuf *b = &k->b;
    uint32_t free_before[FL_CLASSES];
    memcpy(free_before, c->free, sizeof free_before);
    uint8_t *short_row = fl_xjump(b, JE);
    uint8_t *ordinary = test_alignment(k, list), *streamed = NULL;
    if (ordinary) {
        k->streaming = 1;
        body(k, list, uses);
        k->streaming = 0;
        memcpy(c->free, free_before, sizeof free_before);
        streamed = fl_xjump(b, JMP);
        fl_xland(b, ordinary);
    }
    body(k, list, uses);
    if (streamed) fl_xland(b, streamed);
    fl_xland(b, short_row);
    fl_xg(b, 0x39, 1, FL_RCX, fl_xreg(FL_RAX));
    uint8_t *done = fl_xjump(b, JAE);
    memcpy(c->free, free_before, sizeof free_before);
    const uint8_t *top = b->at;
    t->tail_mask(k);
    k->cached_pointer = -1;
    fl_jcg_list(c, list, uses, 1, 1);
    fl_xg_imm(b, 0, 1, fl_xreg(FL_RAX), k->lanes);
    fl_xg(b, 0x39, 1, FL_RCX, fl_xreg(FL_RAX));
    fl_xback(b, JB, top);
    fl_xland(b, done);
}

/* A long body, where masks cost nothing, is made once: whole vectors have a mask of ones. */
static int is_one_body(const fl_xtarget *t, const fl_xkernel *k, const fl_jlist *list, int unroll)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (is_streamed(k, &list->entries[i])) return 0;
    return unroll == 1 && t->all_lanes != NULL;
}

static void one_body(const fl_xtarget *t, fl_xkernel *k, const fl_jlist *list, const fl_juses *uses)
{
    fl_xbuf *b = &k->b;
    uint8_t *short_row = fl_xjump(b, JE);
    t->all_lanes(k);
    align_loop(k);
    const uint8_t *top = b->at;
    k->cached_pointer = -1;
    fl_jcg_list(&k->c, list, uses, 1, 1);
    fl_xg_imm(b, 0, 1, fl_xreg(FL_RAX), k->lanes);
    fl_xg(b, 0x39, 1, FL_RDX, fl_xreg(FL_RAX));
    fl_xback(b, JB, top);
    fl_xland(b, short_row);
    fl_xg(b, 0x39, 1, FL_RCX, fl_xreg(FL_RAX));
    uint8_t *done = fl_xjump(b, JAE);
    t->tail_mask(k);
    fl_xg(b, MOV_LOAD, 1, FL_RDX, fl_xreg(FL_RCX));
    fl_xback(b, JMP, top);
    fl_xland(b, done);
}

static void loop(const fl_xtarget *t, fl_xkernel *k, uint32_t p)
{
    fl_jcg *c = &k->c;
    fl_xbuf *b = &k->b;
    const fl_jlist *list = &c->s->loops[p];
    const fl_juses *uses = &c->loop_uses[p];
    int unroll = uses->unroll, time = 2 * (int)p + 2;
    fl_jcg_enter(c, time);
    start_reductions(t, k, list, unroll);
    if (t->start_numbers) t->start_numbers(k, uses);
    choose_rows(t, k, list);
    uint32_t free_before[FL_CLASSES];
    memcpy(free_before, c->free, sizeof free_before);
    fl_xg(b, MOV_LOAD, 1, FL_RDX, fl_xreg(FL_RCX));
    fl_xg(b, 0x31, 0, FL_RAX, fl_xreg(FL_RAX));
    fl_xg_imm(b, 4, 1, fl_xreg(FL_RDX), -(unroll * k->lanes)); /* and */
    if (is_one_body(t, k, list, unroll))
        one_body(t, k, list, uses);
    else
        two_bodies(t, k, list, uses);
    k->cached_pointer = -1;
    memcpy(c->free, free_before, sizeof free_before);
    end_reductions(t, k, unroll);
}

static void section(fl_xkernel *k, uint32_t q)
{
    fl_jcg *c = &k->c;
    int time = q ? 2 * (int)q - 1 : 0;
    fl_jcg_enter(c, time);
    fl_jcg_list(c, &c->s->sections[q], &c->section_uses[q], 1, 0);
}

/* Values that sections make and others read have a place in the frame, unless they are pinned for all their life. */
static void make_homes(fl_xkernel *k)
{
    fl_jcg *c = &k->c;
    for (uint32_t i = 0; i < c->g->count; i++)
        if (c->global[i] && c->g->nodes[i].op != FL_J_CONST && !fl_jcg_is_pinned(c, (uint16_t)i))
            c->home[i] = frame_slot(k, 64);
}

static fl_status emit(const fl_xtarget *t, fl_xkernel *k, fl_jmade *out)
{
    static const uint8_t saved[6] = {0x53, 0x55, 0x41, 0x41, 0x41, 0x41},
                         saved2[6] = {0, 0, 0x54, 0x55, 0x56, 0x57};
    fl_jcg *c = &k->c;
    fl_xbuf *b = &k->b;
    int32_t old_stack = frame_slot(k, 8);
    c->list_frame = c->frame;
    make_pool(k);
    out->entry = (uint32_t)(b->at - b->start);
    for (int i = 0; i < 6; i++) { /* rbx, rbp, r12-r15 */
        if (i < 5 && k->pointer_count <= 4 + i) continue;
        fl_xbytes(b, (uint8_t[2]){saved[i], saved2[i]}, i < 2 ? 1 : 2);
    }
    fl_xg(b, MOV_STORE, 1, FL_RSP, fl_xreg(FL_R15));
    fl_xg(b, 0x81, 1, 5, fl_xreg(FL_RSP)); /* sub rsp, frame */
    uint8_t *frame = b->at;
    fl_xbytes(b, &(int32_t){0}, 4);
    fl_xg_imm(b, 4, 1, fl_xreg(FL_RSP), -64);
    fl_xg(b, MOV_STORE, 1, FL_R15, fl_xmem(FL_RSP, old_stack));
    fl_xg(b, MOV_LOAD, 1, FL_RSI, fl_xmem(FL_RDI, 0));
    fl_xg(b, MOV_LOAD, 1, FL_RCX, fl_xmem(FL_RDI, 8));
    fl_xg(b, 0x85, 1, FL_RSI, fl_xreg(FL_RSI));
    uint8_t *nothing = fl_xjump(b, JLE);
    load_pointers(k);
    k->cached_pointer = -1;
    section(k, 0);
    const uint8_t *row = b->at;
    k->cached_pointer = -1;
    for (uint32_t p = 0; p < c->s->phases; p++) {
        section(k, p + 1);
        loop(t, k, p);
    }
    section(k, c->s->phases + 1);
    fl_xg_imm(b, 5, 1, fl_xreg(FL_RSI), 1);
    uint8_t *last = fl_xjump(b, JE);
    move_pointers(k);
    fl_xback(b, JMP, row);
    fl_xland(b, last);
    if (k->streams) fl_xbytes(b, (uint8_t[3]){0x0f, 0xae, 0xf8}, 3); /* sfence */
    fl_xland(b, nothing);
    fl_xbytes(b, (uint8_t[3]){0xc5, 0xf8, 0x77}, 3); /* vzeroupper */
    fl_xg(b, MOV_LOAD, 1, FL_RSP, fl_xmem(FL_RSP, old_stack));
    for (int i = 5; i >= 0; i--) {
        if (i < 5 && k->pointer_count <= 4 + i) continue;
        uint8_t pop[2] = {i < 2 ? (uint8_t)(saved[i] + 8) : 0x41, (uint8_t)(saved2[i] + 8)};
        fl_xbytes(b, pop, i < 2 ? 1 : 2);
    }
    fl_xbytes(b, (uint8_t[1]){0xc3}, 1);
    int32_t bytes = (c->frame + 63) & ~63;
    if (!b->full) memcpy(frame, &bytes, 4);
    out->code = b->start;
    out->bytes = (uint32_t)(b->at - b->start);
    return NULL;
}

/* The allocator's view of a kernel; 0: out of memory. */
static int begin(const fl_xtarget *t, fl_xkernel *k, fl_jgraph *g, const fl_jschedule *s, int lanes,
                 uint32_t vectors)
{
    fl_jcg *c = &k->c;
    k->lanes = c->lanes = lanes;
    k->b.vex = t->vex;
    c->target = k;
    c->m = &t->machine;
    k->vector_bytes = t->base.vector_bytes;
    c->all[FL_VECTOR] = t->vex && lanes == 4 ? vectors >> 1 : vectors; /* masks of two widths for the tail */
    c->all[FL_MASK_CLASS] = t->masks;
    c->classes[FL_T_MASK] = t->vex ? FL_VECTOR : FL_MASK_CLASS;
    return fl_jcg_begin(c, g, s) && fl_jcg_plan(c) && make_pointers(k);
}

int fl_xkernel_log(const fl_xtarget *t, fl_xkernel *k, fl_jgraph *g, const fl_jschedule *s, int registers,
                   fl_xlog *log)
{
    fl_jcg *c = &k->c;
    if (!begin(t, k, g, s, t->base.vector_bytes / 4, (1u << registers) - 1)) return 0;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->nodes[i].op == FL_J_CONST) c->home[i] = (int32_t)i;
    k->b.log = log;
    memcpy(c->free, c->all, sizeof c->free);
    fl_jcg_list(c, &s->loops[0], &c->loop_uses[0], 1, 0);
    log->failed |= c->failed;
    return 1;
}

fl_status fl_xkernel_emit(const fl_xtarget *t, fl_jgraph *g, const fl_jschedule *s, int lanes, fl_jmade *out)
{
    fl_xkernel *k = FL_NEW(g->arena, fl_xkernel);
    FL_CHECK(k, FL_OOM, "out of memory while compiling a kernel");
    fl_jcg *c = &k->c;
    FL_CHECK(begin(t, k, g, s, lanes, t->vectors), FL_OOM, "out of memory while compiling a kernel");
    FL_CHECK(c->most_reductions <= 16 && c->most_reductions + 7 < __builtin_popcount(c->all[FL_VECTOR]),
             FL_UNSUPPORTED, "expected fewer than %d reductions in a loop of a kernel", c->most_reductions);
    make_homes(k);
    frame_slot(k, 8); /* so that no place is 0 */
    make_call_area(k);
    if (t->vex) k->tail_area = frame_slot_at(k, 64, 128);
    size_t size = 8192 + 64 * (size_t)g->count;
    for (uint32_t p = 0; p < s->phases; p++) size += 80 * (size_t)c->loop_uses[p].length;
    int32_t frame = c->frame;
    for (;;) {
        k->b.start = k->b.at = fl_arena_alloc(g->arena, size);
        FL_CHECK(k->b.start, FL_OOM, "out of memory while compiling a kernel");
        k->b.end = k->b.start + size;
        k->b.full = 0;
        c->frame = frame;
        FL_TRY(emit(t, k, out));
        FL_CHECK(!c->failed, FL_UNSUPPORTED, "expected registers for an instruction of a kernel");
        if (!k->b.full) return NULL;
        FL_CHECK(size < 1u << 28, FL_OOM, "expected a kernel of less than 256 MB");
        size *= 4;
    }
}
