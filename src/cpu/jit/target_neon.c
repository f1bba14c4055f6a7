/* NEON: 32 vectors of 16 bytes, of which two hold the lanes of the tail; masks are vectors whose elements are as wide as the
 * kernel's widest type; no operation reads memory. The tail of a row goes through the frame element by element. Extrema give
 * NaN for NaN as they are. */
#include "cpu/jit/neon.h"

#include <string.h>

#define Q(k, type) (fl_nq((k), (type)) << 30)

/* Words of instructions with three vectors, without size and registers; those of floats have their size in bit 22. */
enum {
    N_FADD = 0x0e20d400,
    N_FSUB = 0x0ea0d400,
    N_FMUL = 0x2e20dc00,
    N_FDIV = 0x2e20fc00,
    N_FMAX = 0x0e20f400,
    N_FMIN = 0x0ea0f400,
    N_FMLA = 0x0e20cc00,
    N_FMLS = 0x0ea0cc00,
    N_FCMEQ = 0x0e20e400,
    N_FCMGE = 0x2e20e400,
    N_FCMGT = 0x2ea0e400,
    N_ADD = 0x0e208400,
    N_SUB = 0x2e208400,
    N_MUL = 0x0e209c00,
    N_SMAX = 0x0e206400,
    N_SMIN = 0x0e206c00,
    N_UMAX = 0x2e206400,
    N_UMIN = 0x2e206c00,
    N_CMEQ = 0x2e208c00,
    N_CMGT = 0x0e203400,
    N_CMGE = 0x0e203c00,
    N_CMHI = 0x2e203400,
    N_CMHS = 0x2e203c00,
    N_SSHL = 0x0e204400,
    N_USHL = 0x2e204400,
    N_AND = 0x0e201c00,
    N_BIC = 0x0e601c00,
    N_ORR = 0x0ea01c00,
    N_EOR = 0x2e201c00,
    N_BSL = 0x2e601c00,
    N_BIT = 0x2ea01c00,
    N_BIF = 0x2ee01c00,
    /* two vectors */
    N_FSQRT = 0x2ea1f800,
    N_FRINTN = 0x0e218800,
    N_FRINTM = 0x0e219800,
    N_FRINTP = 0x0ea18800,
    N_FRINTZ = 0x0ea19800,
    N_SCVTF = 0x0e21d800,
    N_UCVTF = 0x2e21d800,
    N_FCVTZS = 0x0ea1b800,
    N_FCVTZU = 0x2ea1b800,
    N_CLZ = 0x2e204800,
    N_NOT = 0x2e205800,
    N_NEG = 0x2e20b800,
    N_XTN = 0x0e212800,
    N_FCVTL = 0x0e217800,
    N_FCVTN = 0x0e216800,
    N_REV64 = 0x0e200800,
    /* by an immediate */
    N_SHL = 0x0f005400,
    N_SSHR = 0x0f000400,
    N_USHR = 0x2f000400,
    N_SSHLL = 0x0f00a400,
    N_USHLL = 0x2f00a400,
};

static const uint32_t floats[FL_J_OP_COUNT] = {[FL_J_FADD] = N_FADD, [FL_J_FSUB] = N_FSUB,
                                               [FL_J_FMUL] = N_FMUL, [FL_J_FDIV] = N_FDIV,
                                               [FL_J_FMAX] = N_FMAX, [FL_J_FMIN] = N_FMIN};
static const uint32_t integers[FL_J_OP_COUNT] = {
    [FL_J_IADD] = N_ADD,  [FL_J_ISUB] = N_SUB,  [FL_J_IMUL] = N_MUL, [FL_J_SMIN] = N_SMIN,
    [FL_J_SMAX] = N_SMAX, [FL_J_UMIN] = N_UMIN, [FL_J_UMAX] = N_UMAX};
static const uint32_t bits[FL_J_OP_COUNT] = {[FL_J_AND] = N_AND,  [FL_J_OR] = N_ORR,  [FL_J_XOR] = N_EOR,
                                             [FL_J_MAND] = N_AND, [FL_J_MOR] = N_ORR, [FL_J_MXOR] = N_EOR};

#define WIDE (1 << FL_T_I64)
static const uint8_t lacks[FL_J_OP_COUNT] = {
    [FL_J_IMUL] = WIDE,
    [FL_J_SMIN] = WIDE,
    [FL_J_SMAX] = WIDE,
    [FL_J_UMIN] = WIDE,
    [FL_J_UMAX] = WIDE,
    [FL_J_LZCNT] = WIDE,
    [FL_J_SHL] = WIDE,
    [FL_J_SHR] = WIDE,
    [FL_J_SAR] = WIDE,
    [FL_J_S64_F32] = 1 << FL_T_F32,
    [FL_J_U64_F32] = 1 << FL_T_F32,
};

static void three(fl_nkernel *k, uint32_t word, uint32_t q, int d, int a, int b)
{
    fl_n(k, word | q | (uint32_t)(b << 16 | a << 5 | d));
}
static void two(fl_nkernel *k, uint32_t word, uint32_t q, int d, int a)
{
    fl_n(k, word | q | (uint32_t)(a << 5 | d));
}
static void copy(fl_nkernel *k, int d, int a)
{
    if (d != a) three(k, N_ORR, 1u << 30, d, a, a);
}
static uint32_t wide_float(int type)
{
    return (uint32_t)(type == FL_T_F64) << 22;
}
static uint32_t size_of(int type)
{
    return (fl_jtype_bytes(type) == 8 ? 3u : 2u) << 22;
}
static int wide_masks(const fl_nkernel *k)
{
    return k->lanes == 2;
}

/* --- what allocation asks --- */

static int takes_memory(const fl_jcg *c, const fl_jnode *n, int k, const fl_jarg *args)
{
    (void)c, (void)k, (void)args;
    return n->op == FL_J_LOAD_ROW_AT;
}
static void move(fl_jcg *c, int cls, int dst, int src)
{
    (void)cls;
    copy(fl_nkernel_of(c), dst, src);
}
static void spill(fl_jcg *c, int cls, int reg, int32_t at)
{
    (void)cls;
    fl_n_vector(fl_nkernel_of(c), 0, 16, reg, FL_NX_SP, at);
}
static void fill(fl_jcg *c, int cls, int type, int reg, fl_jarg from)
{
    (void)cls, (void)type;
    if (from.place == FL_IN_FRAME)
        fl_n_vector(fl_nkernel_of(c), 1, 16, reg, FL_NX_SP, from.at);
    else
        fl_n_literal(fl_nkernel_of(c), 1, reg, from.at);
}

/* --- memory --- */

/* Copies the tail's elements between x17 and the frame. */
static void copy_tail(fl_nkernel *k, int size, int to_memory)
{
    uint32_t load = 0x38400400u | (uint32_t)__builtin_ctz((unsigned)size) << 30 | (uint32_t)size << 12,
             store = load & ~0x400000u;
    fl_n_addi(k, FL_NX_LONG, FL_NX_SP, k->tail_area);
    fl_n_addi(k, FL_NX_TEMP, FL_NX_ADDRESS, 0);
    fl_n_addi(k, FL_NX_COUNT, FL_NX_LEFT, 0);
    int from = to_memory ? FL_NX_LONG : FL_NX_TEMP, to = to_memory ? FL_NX_TEMP : FL_NX_LONG;
    fl_n(k, load | (uint32_t)(from << 5 | FL_NX_DATA));
    fl_n(k, store | (uint32_t)(to << 5 | FL_NX_DATA));
    fl_n(k, 0xf1000400u | FL_NX_COUNT << 5 | FL_NX_COUNT);    /* subs */
    fl_n(k, 0x54000000u | ((uint32_t)-3 & 0x7ffff) << 5 | 1); /* b.ne */
}

static void lengthen(fl_nkernel *k, int dst, int from_bits, int without)
{
    two(k, (without ? N_USHLL : N_SSHLL) | (uint32_t)from_bits << 16, 0, dst, dst);
}

static void load_vector(fl_jcg *c, fl_dtype dtype, int dst, int u, int masked)
{
    fl_nkernel *k = fl_nkernel_of(c);
    int size = (int)fl_dtype_bytes(dtype), bytes = size * k->lanes,
        without = fl_dtype_kind(dtype) != FL_KIND_INT;
    if (masked) {
        copy_tail(k, size, 0);
        fl_n_vector(k, 1, bytes, dst, FL_NX_SP, k->tail_area);
    } else {
        fl_n_vector(k, 1, bytes, dst, FL_NX_ADDRESS, u * bytes);
    }
    if (size == 1) lengthen(k, dst, 8, without);
    if (size <= 2) lengthen(k, dst, 16, without);
    if (dtype != FL_I1) return;
    if (wide_masks(k)) lengthen(k, dst, 32, 1);
    two(k, N_NEG | (wide_masks(k) ? 3u : 2u) << 22, 1u << 30, dst, dst);
}

static void store_vector(fl_jcg *c, fl_dtype dtype, int src, int u, int masked)
{
    fl_nkernel *k = fl_nkernel_of(c);
    int size = (int)fl_dtype_bytes(dtype), bytes = size * k->lanes, t = src;
    if (size <= 2) {
        t = fl_jcg_take(c, FL_VECTOR);
        if (dtype == FL_I1) { /* -1 or 0 to 1 or 0 */
            two(k, N_NEG | (wide_masks(k) ? 3u : 2u) << 22, 1u << 30, t, src);
            src = t;
            if (wide_masks(k)) two(k, N_XTN | 2u << 22, 0, t, t);
        }
        two(k, N_XTN | 1u << 22, 0, t, src);
        if (size == 1) two(k, N_XTN, 0, t, t);
    }
    if (masked) {
        fl_n_vector(k, 0, bytes, t, FL_NX_SP, k->tail_area);
        copy_tail(k, size, 1);
    } else {
        fl_n_vector(k, 0, bytes, t, FL_NX_ADDRESS, u * bytes);
    }
    if (t != src || size <= 2) fl_jcg_give(c, FL_VECTOR, t);
}

static void broadcast_gpr(fl_nkernel *k, int type, int dst, int gpr)
{
    fl_n(k,
         0x0e000c00u | Q(k, type) | (fl_jtype_bytes(type) == 8 ? 8u : 4u) << 16 | (uint32_t)(gpr << 5 | dst));
}

static void load_element(fl_jcg *c, const fl_jnode *n, int dst, int base)
{
    fl_nkernel *k = fl_nkernel_of(c);
    int size = (int)fl_dtype_bytes((fl_dtype)n->dtype),
        sign = fl_dtype_kind((fl_dtype)n->dtype) == FL_KIND_INT;
    if (size >= 4) {
        fl_n(k, 0x0d40c000u | Q(k, n->type) | (size == 8 ? 3u : 2u) << 10 |
                    (uint32_t)(base << 5 | dst)); /* ld1r */
        return;
    }
    fl_n(k, (sign ? 0x39c00000u : 0x39400000u) | (uint32_t)(size == 2) << 30 |
                (uint32_t)(base << 5 | FL_NX_TEMP));
    broadcast_gpr(k, n->dtype == FL_I1 && wide_masks(k) ? FL_T_I64 : n->type, dst, FL_NX_TEMP);
    if (n->dtype == FL_I1) two(k, N_NEG | (wide_masks(k) ? 3u : 2u) << 22, 1u << 30, dst, dst);
}

static void store_element(fl_jcg *c, fl_dtype dtype, int src, int base)
{
    fl_nkernel *k = fl_nkernel_of(c);
    int size = (int)fl_dtype_bytes(dtype);
    if (size >= 4) {
        fl_n_vector(k, 0, size, src, base, 0);
        return;
    }
    fl_n_index_to_gpr(k, FL_NX_TEMP, src, 0);
    if (dtype == FL_I1) fl_n(k, 0x12000000u | FL_NX_TEMP << 5 | FL_NX_TEMP); /* and w15, w15, #1 */
    fl_n(k, 0x39000000u | (uint32_t)(size == 2) << 30 | (uint32_t)(base << 5 | FL_NX_TEMP));
}

void fl_n_index_to_gpr(fl_nkernel *k, int gpr, int reg, int wide)
{
    if (wide)
        fl_n(k, 0x4e083c00u | (uint32_t)(reg << 5 | gpr)); /* umov x */
    else
        fl_n(k, 0x4e042c00u | (uint32_t)(reg << 5 | gpr)); /* smov x, v.s[0] */
}

/* --- operations --- */

/* c + a b or c - a b; the sum is made where c is. */
static void fused(fl_jcg *c, const fl_jnode *n, int dst, const fl_jarg *a)
{
    fl_nkernel *k = fl_nkernel_of(c);
    uint32_t word = (n->op == FL_J_FMA ? N_FMLA : N_FMLS) | wide_float(n->type);
    int clash = dst != a[2].reg && (dst == a[0].reg || dst == a[1].reg),
        t = clash ? fl_jcg_take(c, FL_VECTOR) : dst;
    copy(k, t, a[2].reg);
    three(k, word, Q(k, n->type), t, a[0].reg, a[1].reg);
    copy(k, dst, t);
    if (clash) fl_jcg_give(c, FL_VECTOR, t);
}

static void merge(fl_nkernel *k, int dst, int mask, int yes, int no)
{
    uint32_t q = 1u << 30;
    if (dst == no) {
        three(k, N_BIT, q, dst, yes, mask);
    } else if (dst == yes) {
        three(k, N_BIF, q, dst, no, mask);
    } else {
        copy(k, dst, mask);
        three(k, N_BSL, q, dst, yes, no);
    }
}

static void select(fl_jcg *c, const fl_jnode *n, int dst, const fl_jarg *a)
{
    fl_nkernel *k = fl_nkernel_of(c);
    if (!wide_masks(k) || fl_jtype_bytes(n->type) == 8) {
        merge(k, dst, a[0].reg, a[1].reg, a[2].reg);
        return;
    }
    int t = fl_jcg_take(c, FL_VECTOR); /* a mask of 32 bits */
    two(k, N_XTN | 2u << 22, 0, t, a[0].reg);
    merge(k, dst, t, a[1].reg, a[2].reg);
    fl_jcg_give(c, FL_VECTOR, t);
}

static void finish_mask(fl_nkernel *k, int dst, int type, int inverted)
{
    if (wide_masks(k) && fl_jtype_bytes(type) == 4) lengthen(k, dst, 32, 0);
    if (inverted) two(k, N_NOT, 1u << 30, dst, dst);
}

/* Predicates of vcmpps that are in use. */
static void compare_float(fl_jcg *c, const fl_jnode *n, int dst, int a, int b)
{
    fl_nkernel *k = fl_nkernel_of(c);
    int type = c->g->nodes[n->v[0]].type, inverted = n->imm == 3 || n->imm == 4 || n->imm == 5, t;
    uint32_t q = Q(k, type), z = wide_float(type);
    switch (n->imm) {
    case 0:
    case 4: three(k, N_FCMEQ | z, q, dst, a, b); break;
    case 1:
    case 5: three(k, N_FCMGT | z, q, dst, b, a); break;
    case 2: three(k, N_FCMGE | z, q, dst, b, a); break;
    case 13: three(k, N_FCMGE | z, q, dst, a, b); break;
    case 14: three(k, N_FCMGT | z, q, dst, a, b); break;
    default: /* 3 unordered, 7 ordered, 12 ordered and not equal */
        t = fl_jcg_take(c, FL_VECTOR);
        three(k, (n->imm == 12 ? N_FCMGT : N_FCMEQ) | z, q, t, a, n->imm == 12 ? b : a);
        if (n->imm == 12)
            three(k, N_FCMGT | z, q, dst, b, a);
        else
            three(k, N_FCMEQ | z, q, dst, b, b);
        three(k, n->imm == 12 ? N_ORR : N_AND, 1u << 30, dst, dst, t);
        fl_jcg_give(c, FL_VECTOR, t);
    }
    finish_mask(k, dst, type, inverted);
}

/* Of vpcmpd: 0 equal, 1 less, 2 not above, 4 not equal, 5 not less, 6 above. */
static void compare_int(fl_jcg *c, const fl_jnode *n, int dst, int a, int b)
{
    fl_nkernel *k = fl_nkernel_of(c);
    int type = c->g->nodes[n->v[0]].type, without = n->op == FL_J_UCMP, swapped = n->imm == 1 || n->imm == 2;
    uint32_t above = without ? N_CMHI : N_CMGT, not_below = without ? N_CMHS : N_CMGE;
    uint32_t word = n->imm == 0 || n->imm == 4 ? N_CMEQ : n->imm == 1 || n->imm == 6 ? above : not_below;
    three(k, word | size_of(type), Q(k, type), dst, swapped ? b : a, swapped ? a : b);
    finish_mask(k, dst, type, n->imm == 4);
}

/* Counts are read from the low byte, with sign: they are limited first. */
static void shift(fl_jcg *c, const fl_jnode *n, int dst, int a, int count)
{
    fl_nkernel *k = fl_nkernel_of(c);
    uint32_t q = Q(k, n->type);
    int t = fl_jcg_take(c, FL_VECTOR);
    fl_n(k, 0x0f010400u | q | 8 << 5 | (uint32_t)t); /* movi t, 40 */
    three(k, N_UMIN | 2u << 22, q, t, t, count);
    if (n->op != FL_J_SHL) two(k, N_NEG | 2u << 22, q, t, t);
    three(k, (n->op == FL_J_SAR ? N_SSHL : N_USHL) | 2u << 22, q, dst, a, t);
    fl_jcg_give(c, FL_VECTOR, t);
}

static void shift_by(fl_nkernel *k, const fl_jnode *n, int dst, int a)
{
    uint32_t q = Q(k, n->type), width = (uint32_t)fl_jtype_bytes(n->type) * 8, by = n->imm;
    if (!by)
        copy(k, dst, a);
    else if (n->op == FL_J_SHLI)
        two(k, N_SHL | (width + by) << 16, q, dst, a);
    else
        two(k, (n->op == FL_J_SHRI ? N_USHR : N_SSHR) | (2 * width - by) << 16, q, dst, a);
}

static int convert(fl_nkernel *k, const fl_jnode *n, int dst, int a)
{
    uint32_t q = Q(k, FL_T_I32), whole = 1u << 30, wide = 1u << 22;
    switch (n->op) {
    case FL_J_S32_F32: two(k, N_SCVTF, q, dst, a); break;
    case FL_J_U32_F32: two(k, N_UCVTF, q, dst, a); break;
    case FL_J_F32_S32: two(k, N_FCVTZS, q, dst, a); break;
    case FL_J_F32_U32: two(k, N_FCVTZU, q, dst, a); break;
    case FL_J_F32_F64: two(k, N_FCVTL | wide, 0, dst, a); break;
    case FL_J_F64_F32: two(k, N_FCVTN | wide, 0, dst, a); break;
    case FL_J_S32_S64: two(k, N_SSHLL | 32 << 16, 0, dst, a); break;
    case FL_J_U32_U64: two(k, N_USHLL | 32 << 16, 0, dst, a); break;
    case FL_J_I64_I32: two(k, N_XTN | 2u << 22, 0, dst, a); break;
    case FL_J_S32_F64:
    case FL_J_U32_F64:
        two(k, (n->op == FL_J_S32_F64 ? N_SSHLL : N_USHLL) | 32 << 16, 0, dst, a);
        two(k, (n->op == FL_J_S32_F64 ? N_SCVTF : N_UCVTF) | wide, whole, dst, dst);
        break;
    case FL_J_F64_S32:
    case FL_J_F64_U32:
        two(k, (n->op == FL_J_F64_S32 ? N_FCVTZS : N_FCVTZU) | wide, whole, dst, a);
        two(k, N_XTN | 2u << 22, 0, dst, dst);
        break;
    case FL_J_S64_F64: two(k, N_SCVTF | wide, whole, dst, a); break;
    case FL_J_U64_F64: two(k, N_UCVTF | wide, whole, dst, a); break;
    case FL_J_F64_S64: two(k, N_FCVTZS | wide, whole, dst, a); break;
    case FL_J_F64_U64: two(k, N_FCVTZU | wide, whole, dst, a); break;
    case FL_J_F32_S64:
    case FL_J_F32_U64:
        two(k, N_FCVTL | wide, 0, dst, a);
        two(k, (n->op == FL_J_F32_S64 ? N_FCVTZS : N_FCVTZU) | wide, whole, dst, dst);
        break;
    case FL_J_F16_F32: /* through 16-bit elements */
        two(k, N_XTN | 1u << 22, 0, dst, a);
        two(k, N_FCVTL, 0, dst, dst);
        break;
    case FL_J_F32_F16:
        two(k, N_FCVTN, 0, dst, a);
        two(k, N_USHLL | 16 << 16, 0, dst, dst);
        break;
    default: return 0;
    }
    return 1;
}

static void memory_operation(fl_jcg *c, uint16_t node, int dst, int src, int u, int masked)
{
    fl_nkernel *k = fl_nkernel_of(c);
    const fl_jnode *n = &c->g->nodes[node];
    int pointer =
        (n->op == FL_J_LOAD_ROW_AT ? k->pointer_of_node[node] : k->pointer_of_memory[n->memory]) - 1;
    if (n->op == FL_J_STORE_ROW || (n->op == FL_J_LOAD && n->level != FL_V_FULL)) {
        int base = fl_n_pointer(k, pointer);
        if (n->op == FL_J_LOAD)
            load_element(c, n, dst, base);
        else
            store_element(c, (fl_dtype)n->dtype, src, base);
        return;
    }
    fl_n_address(k, pointer, (int)fl_dtype_bytes((fl_dtype)n->dtype));
    if (n->op == FL_J_STORE)
        store_vector(c, (fl_dtype)n->dtype, src, u, masked);
    else
        load_vector(c, (fl_dtype)n->dtype, dst, u, masked);
}

static void emit(fl_jcg *c, uint16_t node, int dst, fl_jarg *a, int dying, int u, int masked)
{
    static const uint32_t rounds[] = {N_FRINTN, N_FRINTM, N_FRINTP, N_FRINTZ};
    fl_nkernel *k = fl_nkernel_of(c);
    const fl_jnode *n = &c->g->nodes[node];
    uint32_t q = Q(k, n->type);
    (void)dying;
    switch (n->op) {
    case FL_J_LOAD:
    case FL_J_LOAD_ROW_AT:
    case FL_J_STORE:
    case FL_J_STORE_ROW: memory_operation(c, node, dst, a[0].reg, u, masked); return;
    case FL_J_CALL1:
    case FL_J_CALL2: fl_n_call(k, n, dst, a, masked); return;
    case FL_J_COLUMN: {
        int t = fl_jcg_take(c, FL_VECTOR), wide = n->type == FL_T_I64;
        broadcast_gpr(k, n->type, t, FL_NX_COLUMN);
        fl_n_literal(k, (int)fl_nq(k, n->type), dst,
                     (wide ? k->iota64 : k->iota32) + u * k->lanes * (wide ? 8 : 4));
        three(k, N_ADD | size_of(n->type), q, dst, dst, t);
        fl_jcg_give(c, FL_VECTOR, t);
        return;
    }
    case FL_J_COUNT:
        broadcast_gpr(k, n->type, dst, fl_n_pointer(k, k->pointer_of_memory[n->memory] - 1));
        return;
    case FL_J_STEP:
        fl_n_ldr(k, FL_NX_TEMP, 0, 24 + 24 * n->memory + 16);
        broadcast_gpr(k, n->type, dst, FL_NX_TEMP);
        return;
    case FL_J_FMA:
    case FL_J_FNMA: fused(c, n, dst, a); return;
    case FL_J_MERGE: merge(k, dst, a[0].reg, a[1].reg, a[2].reg); return;
    case FL_J_SELECT: select(c, n, dst, a); return;
    case FL_J_FCMP: compare_float(c, n, dst, a[0].reg, a[1].reg); return;
    case FL_J_SCMP:
    case FL_J_UCMP: compare_int(c, n, dst, a[0].reg, a[1].reg); return;
    case FL_J_ROUND: two(k, rounds[n->imm] | wide_float(n->type), q, dst, a[0].reg); return;
    case FL_J_FSQRT: two(k, N_FSQRT | wide_float(n->type), q, dst, a[0].reg); return;
    case FL_J_LZCNT: two(k, N_CLZ | 2u << 22, q, dst, a[0].reg); return;
    case FL_J_SHLI:
    case FL_J_SHRI:
    case FL_J_SARI: shift_by(k, n, dst, a[0].reg); return;
    case FL_J_SHL:
    case FL_J_SHR:
    case FL_J_SAR: shift(c, n, dst, a[0].reg, a[1].reg); return;
    case FL_J_ANDN:
    case FL_J_MANDN: three(k, N_BIC, 1u << 30, dst, a[1].reg, a[0].reg); return;
    case FL_J_MNOT: two(k, N_NOT, 1u << 30, dst, a[0].reg); return;
    case FL_J_BITS: copy(k, dst, a[0].reg); return;
    default: break;
    }
    if (convert(k, n, dst, a[0].reg)) return;
    if (floats[n->op])
        three(k, floats[n->op] | wide_float(n->type), q, dst, a[0].reg, a[1].reg);
    else if (integers[n->op])
        three(k, integers[n->op] | size_of(n->type), q, dst, a[0].reg, a[1].reg);
    else
        three(k, bits[n->op], 1u << 30, dst, a[0].reg, a[1].reg);
}

static void keep(fl_jcg *c, uint16_t node, int src, int u, int masked)
{
    fl_nkernel *k = fl_nkernel_of(c);
    fl_dtype dtype = fl_jtype_dtype(c->g->nodes[node].type);
    fl_n_address(k, k->pointer_of_kept[c->s->is_kept[node] - 1] - 1, (int)fl_dtype_bytes(dtype));
    store_vector(c, dtype, src, u, masked);
}
static void reload(fl_jcg *c, uint16_t node, int dst, int u, int masked)
{
    fl_nkernel *k = fl_nkernel_of(c);
    fl_dtype dtype = fl_jtype_dtype(c->g->nodes[node].type);
    fl_n_address(k, k->pointer_of_kept[c->s->is_kept[node] - 1] - 1, (int)fl_dtype_bytes(dtype));
    load_vector(c, dtype, dst, u, masked);
}

/* --- reductions --- */

static void combine(fl_nkernel *k, const fl_jnode *n, int dst, int a, int b)
{
    uint32_t q = Q(k, n->type);
    if (floats[n->imm])
        three(k, floats[n->imm] | wide_float(n->type), q, dst, a, b);
    else if (integers[n->imm])
        three(k, integers[n->imm] | size_of(n->type), q, dst, a, b);
    else
        three(k, bits[n->imm], q, dst, a, b);
}

static void reduce(fl_jcg *c, uint16_t node, fl_jarg arg, int u, int masked)
{
    fl_nkernel *k = fl_nkernel_of(c);
    const fl_jnode *n = &c->g->nodes[node];
    int r = 0;
    while (c->reduction_nodes[r] != node) r++;
    int acc = c->accumulators[r][u];
    if (!masked) {
        combine(k, n, acc, acc, arg.reg);
        return;
    }
    int t = fl_jcg_take(c, FL_VECTOR);
    combine(k, n, t, acc, arg.reg);
    three(k, N_BIT, 1u << 30, acc, t,
          wide_masks(k) && fl_jtype_bytes(n->type) == 4 ? FL_N_TAIL32 : FL_N_TAIL);
    fl_jcg_give(c, FL_VECTOR, t);
}

void fl_n_start(fl_nkernel *k, uint16_t node, int reg)
{
    const fl_jnode *n = &k->c.g->nodes[node];
    uint64_t value = fl_jidentity(n);
    if (fl_jtype_bytes(n->type) == 4) value &= 0xffffffffu;
    fl_n_mov(k, FL_NX_TEMP, value);
    broadcast_gpr(k, n->type, reg, FL_NX_TEMP);
}

void fl_n_fold(fl_nkernel *k, int r, int count)
{
    fl_jcg *c = &k->c;
    const fl_jnode *n = &c->g->nodes[c->reduction_nodes[r]];
    const int8_t *regs = c->accumulators[r];
    for (int step = count / 2; step; step /= 2)
        for (int i = 0; i < step; i++) combine(k, n, regs[i], regs[i], regs[i + step]);
    int t = count > 1 ? regs[1] : fl_jcg_take(c, FL_VECTOR);
    if (fl_nq(k, n->type)) { /* halves: ext #8 */
        fl_n(k, 0x6e004000u | (uint32_t)(regs[0] << 16 | regs[0] << 5 | t));
        combine(k, n, regs[0], regs[0], t);
    }
    if (fl_jtype_bytes(n->type) == 4) {
        two(k, N_REV64 | 2u << 22, Q(k, n->type), t, regs[0]);
        combine(k, n, regs[0], regs[0], t);
    }
    if (count == 1) fl_jcg_give(c, FL_VECTOR, t);
}

/* x19: the lanes there are; then the vectors whose first so many elements are ones. */
void fl_n_tail_mask(fl_nkernel *k)
{
    int wide = wide_masks(k);
    fl_n(k, 0xcb000000u | FL_NX_COLUMN << 16 | FL_NX_COLUMNS << 5 | FL_NX_LEFT); /* sub */
    fl_n_mov(k, FL_NX_TEMP, (uint64_t)k->lanes);
    fl_n(k, 0xeb00001fu | FL_NX_TEMP << 16 | FL_NX_LEFT << 5);                          /* cmp */
    fl_n(k, 0x9a800000u | FL_NX_TEMP << 16 | 11u << 12 | FL_NX_LEFT << 5 | FL_NX_LEFT); /* csel lt */
    broadcast_gpr(k, wide ? FL_T_I64 : FL_T_I32, FL_N_TAIL, FL_NX_LEFT);
    fl_n_literal(k, 1, FL_N_TAIL32, wide ? k->iota64 : k->iota32);
    three(k, N_CMGT | (wide ? 3u : 2u) << 22, 1u << 30, FL_N_TAIL, FL_N_TAIL, FL_N_TAIL32);
    if (wide) two(k, N_XTN | 2u << 22, 0, FL_N_TAIL32, FL_N_TAIL);
}

const fl_jmachine fl_n_machine = {spill, fill, move, takes_memory, emit, keep, reload, reduce, NULL};

const fl_jtarget fl_neon = {
    .name = "neon", .vector_bytes = 16, .registers = 32, .has_i64 = 1, .lacks = lacks, .emit = fl_n_emit};
