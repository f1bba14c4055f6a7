/* Elementary functions as recorded instructions. Their vector operations are the same in every kernel, and there are many: giving
 * registers to each of them anew would cost several times the rest of a kernel. So a function is one node of the graph, with one
 * operand and registers on the side; its instructions are made once by the allocator, and then written with other registers. */
#include "cpu/jit/x86.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Registers of a template by number: vectors, of which 0 is the operand's, and masks. NONE stands for the register that patches
 * nothing. */
enum {
    REGISTERS = FL_J_TEMPLATE_REGISTERS,
    REGISTERS_OF_16 = 7, /* of 16; what needs more is better off with constants in registers */
    MASKS = 16,
    NONE = 31,
    NUMBERS,
    MOST_CONSTANTS = 32,
    LONGEST = 11 /* bytes */
};

typedef struct fl_xstep {
    uint64_t bytes; /* with the first registers; of a constant's address only what comes before it */
    uint8_t reg, v, rm, mask; /* numbers */
    uint8_t is_constant, constant, size, imm, has_imm;
} fl_xstep;

typedef struct fl_xtemplate {
    uint16_t step_count, constant_count;
    uint8_t vectors, masks, result;
    uint32_t constants[MOST_CONSTANTS];
    fl_xstep steps[];
} fl_xtemplate;

static _Atomic(const fl_xtemplate *) templates[2][FL_J_FUNCTIONS]; /* of AVX-512, of AVX2 */
static const fl_xtemplate none;

/* Where register numbers, the length and the register of a mask lie in the first eight bytes of an instruction, which have the
 * high bits of registers at the same places: EVEX prefixes are a byte longer than VEX ones. */
static const struct fl_xplaces {
    uint8_t opcode, reg, rm, length, mask;
} places[2] = {{4, 43, 40, 29, 24}, {3, 35, 32, 18, 44}};

/* Numbers for the registers of a recording, in the order of their first use. */
typedef struct fl_xnumbers {
    uint8_t vector[32], mask[8]; /* NONE: not yet */
    uint8_t vectors, masks;
} fl_xnumbers;

static uint8_t vector_number(fl_xnumbers *n, unsigned reg)
{
    if (n->vector[reg] == NONE) n->vector[reg] = n->vectors++;
    return n->vector[reg];
}
static uint8_t mask_number(fl_xnumbers *n, unsigned reg)
{
    if (!reg) return NONE;
    if (n->mask[reg] == NONE) n->mask[reg] = (uint8_t)(MASKS + n->masks++);
    return n->mask[reg];
}

static int constant_number(fl_xtemplate *t, uint32_t bits)
{
    for (int i = 0; i < t->constant_count; i++)
        if (t->constants[i] == bits) return i;
    if (t->constant_count == MOST_CONSTANTS) return -1;
    t->constants[t->constant_count] = bits;
    return t->constant_count++;
}

static int is_memory_of_kernel(const fl_xlogged *l)
{
    return l->rm.reg < 0 && l->rm.base >= 0 && l->rm.base != FL_RSP;
}

/* The instruction without registers and length; no first operand is the register 0. */
static void encode(fl_xstep *s, const fl_xlogged *l, int vex)
{
    uint8_t bytes[32] = {0};
    fl_xbuf b = {.start = bytes, .at = bytes, .end = bytes + sizeof bytes, .vex = (uint8_t)vex};
    fl_xrm rm = l->rm;
    uint64_t packed = l->packed & ~((l->packed >> 12 & 63) == 63 ? 0x070001f3ull : 0x0703f1f3ull);
    if (rm.reg >= 0) rm.reg = 0;
    if (fl_xinfos[l->ins].form == FL_XF_RVMR) packed &= UINT32_MAX;
    fl_x_packed(&b, rm, l->ins, packed);
    s->size = (uint8_t)(b.at - b.start);
    s->has_imm = s->size > places[vex].opcode + (rm.reg >= 0 ? 2 : 6);
    memcpy(&s->bytes, bytes, sizeof s->bytes);
}

/* 0: an instruction that a template cannot hold. */
static int add_step(fl_xtemplate *t, fl_xnumbers *n, const fl_jgraph *g, const fl_xlogged *l, int vex)
{
    int form = fl_xinfos[l->ins].form, to_mask = form == FL_XF_KVM || form == FL_XF_KVMI,
        by_vector = form == FL_XF_RVMR, /* the mask is a vector, whose number is the immediate */
        in_v = form >= FL_XF_VMI2 &&
               form <= FL_XF_VMI6; /* the result is where others have their first operand */
    unsigned v = l->packed >> 12 & 63, reg = l->packed >> 4 & 31, imm = l->packed >> 32 & 255;
    if (!to_mask && !(by_vector && l->rm.reg >= 0) && form > FL_XF_VMI6) return 0;
    fl_xstep s = {.v = v == 63 ? NONE : vector_number(n, v),
                  .mask = by_vector ? vector_number(n, imm >> 4) : mask_number(n, l->packed >> 24 & 7),
                  .rm = NONE,
                  .is_constant = l->rm.reg < 0,
                  .imm = (uint8_t)imm};
    if (l->rm.reg >= 0) {
        s.rm = vector_number(n, (unsigned)l->rm.reg);
    } else {
        int constant = l->rm.base < 0 ? constant_number(t, (uint32_t)g->nodes[l->rm.disp].bits) : -1;
        if (constant < 0) return 0; /* too many, or a value that found no register */
        s.constant = (uint8_t)constant;
    }
    s.reg = to_mask ? mask_number(n, reg) : vector_number(n, reg);
    if (in_v) s.v = s.reg, s.reg = NONE;
    encode(&s, l, vex);
    t->steps[t->step_count++] = s;
    return 1;
}

/* The log holds the load of the operand, the function, and the store of its value. */
static const fl_xtemplate *make_steps(const fl_jgraph *g, const fl_xlog *log, int vex)
{
    fl_xtemplate *t = calloc(1, sizeof *t + log->count * sizeof *t->steps);
    fl_xnumbers n = {.vectors = 0};
    uint32_t last = log->count - 1;
    memset(n.vector, NONE, sizeof n.vector);
    memset(n.mask, NONE, sizeof n.mask);
    int good = t && !log->failed && log->count > 2 && is_memory_of_kernel(&log->entries[0]) &&
               is_memory_of_kernel(&log->entries[last]);
    if (good) vector_number(&n, log->entries[0].packed >> 4 & 31);
    for (uint32_t i = 1; i < last && good; i++) good = add_step(t, &n, g, &log->entries[i], vex);
    if (!good) {
        free(t);
        return &none;
    }
    t->result = vector_number(&n, log->entries[last].packed >> 4 & 31);
    t->vectors = n.vectors;
    t->masks = n.masks;
    return t;
}

static const fl_xtemplate *make(const fl_xtarget *target, int function)
{
    fl_arena arena = {0};
    const fl_xtemplate *made = &none;
    fl_jgraph *g = FL_NEW(&arena, fl_jgraph);
    fl_xkernel *k = FL_NEW(&arena, fl_xkernel);
    fl_jschedule s;
    fl_xlog log = {.count = 0};
    if (g && k && fl_jgraph_begin(g, &arena, &target->base)) {
        fl_jnode n = {.op = FL_J_LOAD, .type = FL_T_F32, .level = FL_V_FULL, .dtype = FL_F32};
        uint16_t x = fl_jgraph_add(g, n), y = fl_jmath_inline(g, function, x);
        fl_jgraph_add(g,
                      (fl_jnode){.op = FL_J_STORE, .type = FL_T_F32, .dtype = FL_F32, .memory = 1, .v = {y}});
        if (y != FL_NO_NODE && !g->failed && fl_jschedule_make(g, &s) &&
            fl_xkernel_log(target, k, g, &s, target->vex ? REGISTERS_OF_16 : REGISTERS, &log))
            made = make_steps(g, &log, target->vex);
    }
    fl_arena_free(&arena);
    return made;
}

static const fl_xtemplate *find(const fl_xtarget *target, int function)
{
    _Atomic(const fl_xtemplate *) *place = &templates[target->vex][function];
    const fl_xtemplate *t = atomic_load_explicit(place, memory_order_acquire), *expected = NULL;
    if (t) return t;
    t = make(target, function);
    if (atomic_compare_exchange_strong(place, &expected, t)) return t;
    if (t != &none) free((void *)t); /* another thread was faster */
    return expected;
}

uint16_t fl_xtemplate_add(fl_jgraph *g, int function, uint16_t x)
{
    const fl_xtemplate *t = find((const fl_xtarget *)(const void *)g->target, function);
    if (!t->step_count) return FL_NO_NODE;
    g->templates |= (uint8_t)(1 << function);
    return fl_jgraph_add(
        g, (fl_jnode){.op = FL_J_TEMPLATE,
                      .type = FL_T_F32,
                      .imm = (uint8_t)function,
                      .v = {x},
                      .bits = FL_J_TEMPLATE_BITS(t->step_count, t->vectors - 1, t->masks, !t->result)});
}

static const fl_xtemplate *made_before(const fl_xkernel *k, int function)
{
    return atomic_load_explicit(&templates[k->b.vex][function], memory_order_acquire);
}

void fl_xtemplate_pool(fl_xkernel *k)
{
    int copies = fl_xpool_element(k, FL_T_F32) / 4; /* 1, or an even number */
    for (int number = 0; number < FL_J_FUNCTIONS; number++) {
        if (!(k->c.g->templates >> number & 1)) continue;
        const fl_xtemplate *t = made_before(k, number);
        k->template_pool[number] = (int32_t)(k->b.at - k->b.start);
        if (k->b.end - k->b.at < 4 * copies * t->constant_count + 8) {
            k->b.full = 1;
            return;
        }
        for (int i = 0; i < t->constant_count; i++) {
            uint64_t two = t->constants[i] | (uint64_t)t->constants[i] << 32;
            for (int j = 0; j < copies; j += 2) memcpy(k->b.at + 4 * j, &two, sizeof two);
            k->b.at += 4 * copies;
        }
    }
}

/* Registers of a copy by number. */
typedef struct fl_xcopy {
    uint8_t reg[NUMBERS];
} fl_xcopy;

/* Register numbers are inverted in an instruction's prefix, so they are put there by exclusive or. */
static inline uint8_t *put_step(const fl_xbuf *b, uint8_t *p, const fl_xstep *s, const fl_xcopy *copy,
                                struct fl_xplaces at, uint64_t length, int32_t constants, int32_t element)
{
    uint64_t reg = copy->reg[s->reg], v = copy->reg[s->v], rm = copy->reg[s->rm], mask = copy->reg[s->mask];
    uint64_t bytes = s->bytes ^ ((reg & 8) << 12 | (reg & 16) << 8 | (reg & 7) << at.reg);
    bytes ^= (v & 15) << 19 | (v & 16) << 23;
    bytes ^= (rm & 24) << 10 | (rm & 7) << at.rm;
    bytes |= length << at.length | mask << at.mask;
    memcpy(p, &bytes, sizeof bytes);
    p += s->size;
    if (s->is_constant) {
        int32_t away = constants + element * s->constant - (int32_t)(p - b->start);
        memcpy(p - s->size + at.opcode + 2, &away, sizeof away);
        if (s->has_imm) p[-1] = s->imm;
    }
    return p;
}

static void take_registers(fl_jcg *c, const fl_xtemplate *t, fl_xcopy *copy, int operand)
{
    memset(copy, 0, sizeof *copy);
    copy->reg[0] = (uint8_t)operand;
    for (int i = 1; i < t->vectors; i++) copy->reg[i] = (uint8_t)fl_jcg_take(c, FL_VECTOR);
    for (int i = 0; i < t->masks; i++) copy->reg[MASKS + i] = (uint8_t)fl_jcg_take(c, FL_MASK_CLASS);
}

static void give_registers(fl_jcg *c, const fl_xtemplate *t, const fl_xcopy *copy)
{
    for (int i = 1; i < t->vectors; i++)
        if (i != t->result) fl_jcg_give(c, FL_VECTOR, copy->reg[i]);
    for (int i = 0; i < t->masks; i++) fl_jcg_give(c, FL_MASK_CLASS, copy->reg[MASKS + i]);
}

void fl_xtemplate_emit(fl_jcg *c, const fl_jnode *n, int copies, const int8_t *operands, int8_t *results)
{
    fl_xkernel *k = fl_xkernel_of(c);
    const fl_xtemplate *t = made_before(k, n->imm);
    fl_xcopy copy[FL_J_MAX_UNROLL];
    for (int u = 0; u < copies; u++) {
        take_registers(c, t, &copy[u], operands[u]);
        results[u] = (int8_t)copy[u].reg[t->result];
    }
    if (c->failed) return;
    uint64_t length = (uint64_t)fl_xlength(k, FL_T_F32);
    int32_t constants = k->template_pool[n->imm], element = fl_xpool_element(k, FL_T_F32);
    if (k->b.end - k->b.at < (ptrdiff_t)t->step_count * copies * LONGEST + 8) {
        k->b.full = 1;
    } else {
        uint8_t *p = k->b.at;
        for (int i = 0; i < t->step_count; i++)
            for (int u = 0; u < copies; u++)
                p = put_step(&k->b, p, &t->steps[i], &copy[u], places[k->b.vex], length, constants, element);
        k->b.at = p;
    }
    for (int u = 0; u < copies; u++) give_registers(c, t, &copy[u]);
}
