/* Records to graph: operations of StableHLO as operations of a vector unit. */
#include "cpu/jit/graph.h"
#include "cpu/loop/vec.h"

#include <math.h>
#include <string.h>

fl_jtype fl_jtype_of(fl_dtype dtype)
{
    switch (dtype) {
    case FL_I1: return FL_T_MASK;
    case FL_F32: return FL_T_F32;
    case FL_F64: return FL_T_F64;
    case FL_I64:
    case FL_U64: return FL_T_I64;
    default: return FL_T_I32;
    }
}

static int is_unsigned(fl_dtype t)
{
    return fl_dtype_kind(t) == FL_KIND_UINT;
}

/* An i32 lane as a value of a narrow integer type. */
static uint16_t normalise(fl_jgraph *g, uint16_t v, fl_dtype t)
{
    int bits = fl_dtypes[t].bits;
    if (!fl_is_int(t) || bits >= 32) return v;
    if (is_unsigned(t)) return fl_j2(g, FL_J_AND, FL_T_I32, 0, v, fl_ji32(g, (1 << bits) - 1));
    return fl_j1(g, FL_J_SARI, FL_T_I32, 32 - bits, fl_j1(g, FL_J_SHLI, FL_T_I32, 32 - bits, v));
}

static uint16_t integer(fl_jgraph *g, fl_jtype t, int64_t x)
{
    return fl_jconst(g, t, t == FL_T_I32 ? (uint32_t)x : (uint64_t)x);
}
static uint16_t number(fl_jgraph *g, fl_jtype t, double x)
{
    return t == FL_T_F32 ? fl_jf32(g, (float)x) : t == FL_T_F64 ? fl_jf64(g, x) : integer(g, t, (int64_t)x);
}

static uint16_t sign_bit(fl_jgraph *g, fl_jtype t)
{
    return fl_jconst(g, t, t == FL_T_F32 || t == FL_T_I32 ? 0x80000000u : 1ull << 63);
}
static uint16_t magnitude_bits(fl_jgraph *g, fl_jtype t)
{
    return fl_jconst(g, t, t == FL_T_F32 || t == FL_T_I32 ? 0x7fffffffu : ~0ull >> 1);
}

static uint16_t select(fl_jgraph *g, fl_jtype t, uint16_t mask, uint16_t yes, uint16_t no)
{
    return fl_j3(g, FL_J_SELECT, t, mask, yes, no);
}

static int never_nan(const fl_jgraph *g, uint16_t v)
{
    const fl_jnode *n = &g->nodes[v];
    if (n->op != FL_J_CONST) return 0;
    uint64_t inf = n->type == FL_T_F32 ? 0x7f800000u : 0x7ffull << 52;
    return (n->bits & (n->type == FL_T_F32 ? 0x7fffffffu : ~0ull >> 1)) <= inf;
}

/* The vector unit's extremum gives the second operand when one is NaN: right unless only the first is. */
static uint16_t extremum_float(fl_jgraph *g, fl_jop op, fl_jtype t, uint16_t a, uint16_t b)
{
    if (g->failed) return FL_NO_NODE;
    if (never_nan(g, a)) return fl_j2(g, op, t, 0, a, b);
    if (never_nan(g, b)) return fl_j2(g, op, t, 0, b, a);
    uint16_t nan = fl_j2(g, FL_J_FCMP, FL_T_MASK, 3, a, a);
    return select(g, t, nan, a, fl_j2(g, op, t, 0, a, b));
}

static uint16_t float_binary(fl_jgraph *g, fl_opcode code, fl_jtype t, uint16_t a, uint16_t b)
{
    switch (code) {
    case FL_OP_add: return fl_j2(g, FL_J_FADD, t, 0, a, b);
    case FL_OP_subtract: return fl_j2(g, FL_J_FSUB, t, 0, a, b);
    case FL_OP_multiply: return fl_j2(g, FL_J_FMUL, t, 0, a, b);
    case FL_OP_divide: return fl_jquotient(g, t, a, b);
    case FL_OP_maximum: return extremum_float(g, FL_J_FMAX, t, a, b);
    case FL_OP_minimum: return extremum_float(g, FL_J_FMIN, t, a, b);
    default: return FL_NO_NODE;
    }
}

static uint16_t round_afz(fl_jgraph *g, fl_jtype t, uint16_t x)
{
    uint16_t whole = fl_j1(g, FL_J_ROUND, t, 3, x), sign = sign_bit(g, t);
    uint16_t rest = fl_j2(g, FL_J_AND, t, 0, fl_j2(g, FL_J_FSUB, t, 0, x, whole), magnitude_bits(g, t));
    uint16_t up = fl_j2(g, FL_J_FCMP, FL_T_MASK, 13, rest, number(g, t, 0.5)); /* not less: also NaN */
    uint16_t one = fl_j3(g, FL_J_MERGE, t, sign, x, number(g, t, 1));
    uint16_t more = fl_j2(g, FL_J_FADD, t, 0, whole, one);
    return fl_j3(g, FL_J_MERGE, t, sign, x, select(g, t, up, more, whole));
}

static uint16_t float_unary(fl_jgraph *g, fl_opcode code, fl_jtype t, uint16_t x)
{
    uint16_t sign, magnitude, inf = number(g, t, INFINITY);
    switch (code) {
    case FL_OP_negate: return fl_j2(g, FL_J_XOR, t, 0, x, sign_bit(g, t));
    case FL_OP_abs: return fl_j2(g, FL_J_AND, t, 0, x, magnitude_bits(g, t));
    case FL_OP_square: return fl_j2(g, FL_J_FMUL, t, 0, x, x);
    case FL_OP_sqrt: return fl_j1(g, FL_J_FSQRT, t, 0, x);
    case FL_OP_rsqrt:
        if (t == FL_T_F32) return fl_jmath_f32(g, code, x);
        return fl_j2(g, FL_J_FDIV, t, 0, number(g, t, 1), fl_j1(g, FL_J_FSQRT, t, 0, x));
    case FL_OP_round_nearest_even: return fl_j1(g, FL_J_ROUND, t, 0, x);
    case FL_OP_floor: return fl_j1(g, FL_J_ROUND, t, 1, x);
    case FL_OP_ceil: return fl_j1(g, FL_J_ROUND, t, 2, x);
    case FL_OP_round_nearest_afz: return round_afz(g, t, x);
    case FL_OP_sign:
        sign = fl_j3(g, FL_J_MERGE, t, sign_bit(g, t), x, number(g, t, 1));
        return select(g, t, fl_j2(g, FL_J_FCMP, FL_T_MASK, 12, x, number(g, t, 0)), sign,
                      x); /* ordered, not equal */
    case FL_OP_is_finite:
    case FL_OP_is_inf:
        magnitude = fl_j2(g, FL_J_AND, t, 0, x, magnitude_bits(g, t));
        return fl_j2(g, FL_J_FCMP, FL_T_MASK, code == FL_OP_is_inf ? 0 : 1, magnitude, inf);
    case FL_OP_is_pos_inf: return fl_j2(g, FL_J_FCMP, FL_T_MASK, 0, x, inf);
    case FL_OP_is_neg_inf: return fl_j2(g, FL_J_FCMP, FL_T_MASK, 0, x, number(g, t, -INFINITY));
    default: return t == FL_T_F32 ? fl_jmath_f32(g, code, x) : FL_NO_NODE;
    }
}

static uint16_t int_binary(fl_jgraph *g, fl_opcode code, fl_dtype dtype, uint16_t a, uint16_t b)
{
    fl_jtype t = fl_jtype_of(dtype);
    int without = is_unsigned(dtype);
    switch (code) {
    case FL_OP_add: return normalise(g, fl_j2(g, FL_J_IADD, t, 0, a, b), dtype);
    case FL_OP_subtract: return normalise(g, fl_j2(g, FL_J_ISUB, t, 0, a, b), dtype);
    case FL_OP_multiply: return normalise(g, fl_j2(g, FL_J_IMUL, t, 0, a, b), dtype);
    case FL_OP_maximum: return fl_j2(g, without ? FL_J_UMAX : FL_J_SMAX, t, 0, a, b);
    case FL_OP_minimum: return fl_j2(g, without ? FL_J_UMIN : FL_J_SMIN, t, 0, a, b);
    case FL_OP_and: return fl_j2(g, FL_J_AND, t, 0, a, b);
    case FL_OP_or: return fl_j2(g, FL_J_OR, t, 0, a, b);
    case FL_OP_xor: return fl_j2(g, FL_J_XOR, t, 0, a, b);
    default: return FL_NO_NODE;
    }
}

/* Counts of the width and above give 0, arithmetically the sign; counts are read without sign. */
static uint16_t shift(fl_jgraph *g, fl_opcode code, fl_dtype dtype, uint16_t a, uint16_t b)
{
    fl_jtype t = fl_jtype_of(dtype);
    int bits = fl_dtypes[dtype].bits;
    fl_jop op = code == FL_OP_shift_left ? FL_J_SHL : code == FL_OP_shift_right_logical ? FL_J_SHR : FL_J_SAR;
    if (bits < 32 &&
        op !=
            FL_J_SHL) { /* in 32 bits, a narrow count of the width and above is still too far only from 32 on */
        if (op == FL_J_SHR) a = fl_j2(g, FL_J_AND, t, 0, a, fl_ji32(g, (1 << bits) - 1));
        if (op == FL_J_SAR && is_unsigned(dtype))
            a = fl_j1(g, FL_J_SARI, t, 32 - bits, fl_j1(g, FL_J_SHLI, t, 32 - bits, a));
    }
    return normalise(g, fl_j2(g, op, t, 0, a, b), dtype);
}

static uint16_t popcnt(fl_jgraph *g, fl_dtype dtype, uint16_t x)
{
    fl_jtype t = fl_jtype_of(dtype);
    int bits = fl_dtypes[dtype].bits;
    if (bits < 32) x = fl_j2(g, FL_J_AND, t, 0, x, integer(g, t, (1 << bits) - 1));
    uint16_t m1 = integer(g, t, 0x5555555555555555), m2 = integer(g, t, 0x3333333333333333),
             m4 = integer(g, t, 0x0f0f0f0f0f0f0f0f), sum = integer(g, t, 0x0101010101010101);
    x = fl_j2(g, FL_J_ISUB, t, 0, x, fl_j2(g, FL_J_AND, t, 0, fl_j1(g, FL_J_SHRI, t, 1, x), m1));
    x = fl_j2(g, FL_J_IADD, t, 0, fl_j2(g, FL_J_AND, t, 0, x, m2),
              fl_j2(g, FL_J_AND, t, 0, fl_j1(g, FL_J_SHRI, t, 2, x), m2));
    x = fl_j2(g, FL_J_AND, t, 0, fl_j2(g, FL_J_IADD, t, 0, x, fl_j1(g, FL_J_SHRI, t, 4, x)), m4);
    return fl_j1(g, FL_J_SHRI, t, t == FL_T_I32 ? 24 : 56, fl_j2(g, FL_J_IMUL, t, 0, x, sum));
}

/* What no instructions are known for is done by the tile path's function. */
static uint16_t call(fl_jgraph *g, fl_opcode code, fl_dtype dtype, const uint16_t *v)
{
    int operands = fl_op_infos[code].operands, narrow = fl_is_int(dtype) && fl_dtypes[dtype].bits < 32;
    fl_dtype lanes = !narrow ? dtype : is_unsigned(dtype) ? FL_U32 : FL_I32;
    fl_vec_fn fn = operands == 1 || operands == 2 ? fl_vec_find(code, lanes).vv : NULL;
    if (!fn) return FL_NO_NODE;
    fl_jnode n = {.op = operands == 1 ? FL_J_CALL1 : FL_J_CALL2,
                  .type = (uint8_t)fl_jtype_of(dtype),
                  .v = {v[0], operands == 2 ? v[1] : FL_NO_NODE}};
    memcpy(&n.bits, &fn, sizeof fn);
    return normalise(g, fl_jgraph_add(g, n), dtype);
}

static uint16_t int_unary(fl_jgraph *g, fl_opcode code, fl_dtype dtype, uint16_t x)
{
    fl_jtype t = fl_jtype_of(dtype);
    int bits = fl_dtypes[dtype].bits, lane = t == FL_T_I32 ? 32 : 64;
    switch (code) {
    case FL_OP_negate: return normalise(g, fl_j2(g, FL_J_ISUB, t, 0, integer(g, t, 0), x), dtype);
    case FL_OP_square: return normalise(g, fl_j2(g, FL_J_IMUL, t, 0, x, x), dtype);
    case FL_OP_not: return normalise(g, fl_j2(g, FL_J_XOR, t, 0, x, integer(g, t, -1)), dtype);
    case FL_OP_abs:
        if (is_unsigned(dtype)) return x;
        return normalise(g, fl_j2(g, FL_J_SMAX, t, 0, x, fl_j2(g, FL_J_ISUB, t, 0, integer(g, t, 0), x)),
                         dtype);
    case FL_OP_sign:
        if (is_unsigned(dtype)) return fl_j2(g, FL_J_UMIN, t, 0, x, integer(g, t, 1));
        return fl_j2(g, FL_J_SMAX, t, 0, fl_j2(g, FL_J_SMIN, t, 0, x, integer(g, t, 1)), integer(g, t, -1));
    case FL_OP_popcnt: return popcnt(g, dtype, x);
    case FL_OP_count_leading_zeros:
        if (bits < 32) x = fl_j2(g, FL_J_AND, t, 0, x, integer(g, t, (1 << bits) - 1));
        if (g->target->lacks && g->target->lacks[FL_J_LZCNT] >> t & 1)
            x = call(g, code, t == FL_T_I32 ? FL_I32 : FL_I64, &x);
        else
            x = fl_j1(g, FL_J_LZCNT, t, 0, x);
        return bits < lane ? fl_j2(g, FL_J_ISUB, t, 0, x, integer(g, t, lane - bits)) : x;
    default: return FL_NO_NODE;
    }
}

static uint16_t mask_op(fl_jgraph *g, fl_opcode code, const uint16_t *v)
{
    switch (code) {
    case FL_OP_and:
    case FL_OP_multiply:
    case FL_OP_minimum: return fl_j2(g, FL_J_MAND, FL_T_MASK, 0, v[0], v[1]);
    case FL_OP_or:
    case FL_OP_add:
    case FL_OP_maximum: return fl_j2(g, FL_J_MOR, FL_T_MASK, 0, v[0], v[1]);
    case FL_OP_xor: return fl_j2(g, FL_J_MXOR, FL_T_MASK, 0, v[0], v[1]);
    case FL_OP_not: return fl_j1(g, FL_J_MNOT, FL_T_MASK, 0, v[0]);
    default: return FL_NO_NODE;
    }
}

static uint16_t compare(fl_jgraph *g, fl_dtype dtype, int direction, uint16_t a, uint16_t b)
{
    /* EQ NE GE GT LE LT as predicates of vcmpps and vpcmpd */
    static const uint8_t floats[] = {0, 4, 13, 14, 2, 1}, ints[] = {0, 4, 5, 6, 2, 1};
    if (dtype == FL_I1) {
        switch (direction) {
        case FL_EQ: return fl_j1(g, FL_J_MNOT, FL_T_MASK, 0, fl_j2(g, FL_J_MXOR, FL_T_MASK, 0, a, b));
        case FL_NE: return fl_j2(g, FL_J_MXOR, FL_T_MASK, 0, a, b);
        case FL_GT: return fl_j2(g, FL_J_MANDN, FL_T_MASK, 0, b, a);
        case FL_LT: return fl_j2(g, FL_J_MANDN, FL_T_MASK, 0, a, b);
        case FL_GE: return fl_j1(g, FL_J_MNOT, FL_T_MASK, 0, fl_j2(g, FL_J_MANDN, FL_T_MASK, 0, a, b));
        default: return fl_j1(g, FL_J_MNOT, FL_T_MASK, 0, fl_j2(g, FL_J_MANDN, FL_T_MASK, 0, b, a));
        }
    }
    if (fl_is_float(dtype)) return fl_j2(g, FL_J_FCMP, FL_T_MASK, floats[direction], a, b);
    fl_jtype t = fl_jtype_of(dtype);
    if (!is_unsigned(dtype)) return fl_j2(g, FL_J_SCMP, FL_T_MASK, ints[direction], a, b);
    if (!g->target->lacks || !(g->target->lacks[FL_J_UCMP] >> t & 1))
        return fl_j2(g, FL_J_UCMP, FL_T_MASK, ints[direction], a, b);
    uint16_t sign = sign_bit(g, t); /* order without sign is the order of what has its first bit turned */
    return fl_j2(g, FL_J_SCMP, FL_T_MASK, ints[direction], fl_j2(g, FL_J_XOR, t, 0, a, sign),
                 fl_j2(g, FL_J_XOR, t, 0, b, sign));
}

static uint16_t select_any(fl_jgraph *g, fl_dtype dtype, uint16_t mask, uint16_t yes, uint16_t no)
{
    if (dtype != FL_I1) return select(g, fl_jtype_of(dtype), mask, yes, no);
    return fl_j2(g, FL_J_MOR, FL_T_MASK, 0, fl_j2(g, FL_J_MAND, FL_T_MASK, 0, mask, yes),
                 fl_j2(g, FL_J_MANDN, FL_T_MASK, 0, mask, no));
}

static uint16_t bitcast(fl_jgraph *g, fl_dtype from, fl_dtype to, uint16_t v)
{
    fl_jtype a = fl_jtype_of(from), b = fl_jtype_of(to);
    if (a != b) v = fl_j1(g, FL_J_BITS, b, 0, v);
    return to == FL_BF16 || to == FL_F16 ? normalise(g, v, FL_U16) : normalise(g, v, to);
}

uint16_t fl_jexpand(fl_jgraph *g, fl_opcode code, fl_dtype result, fl_dtype operand, int direction,
                    const uint16_t *v)
{
    uint16_t made;
    switch (code) {
    case FL_OP_compare: return compare(g, operand, direction, v[0], v[1]);
    case FL_OP_select: return select_any(g, result, v[0], v[1], v[2]);
    case FL_OP_bitcast_convert: return bitcast(g, operand, result, v[0]);
    case FL_OP_clamp: {
        uint16_t w[2] = {v[0], v[1]}; /* min(max(low, x), high) */
        w[0] = fl_jexpand(g, FL_OP_maximum, result, result, 0, w);
        w[1] = v[2];
        return fl_jexpand(g, FL_OP_minimum, result, result, 0, w);
    }
    case FL_OP_shift_left:
    case FL_OP_shift_right_logical:
    case FL_OP_shift_right_arithmetic:
        if (!fl_is_int(operand)) return FL_NO_NODE;
        g->lacks = 0;
        made = shift(g, code, operand, v[0], v[1]);
        return g->lacks ? call(g, code, operand, v) : made;
    default: break;
    }
    int operands = fl_op_infos[code].operands;
    if (operand == FL_I1) return mask_op(g, code, v);
    g->lacks = 0;
    if (operand == FL_F32 || operand == FL_F64) {
        fl_jtype t = fl_jtype_of(operand);
        made = operands == 1 ? float_unary(g, code, t, v[0]) : float_binary(g, code, t, v[0], v[1]);
    } else {
        made = operands == 1 ? int_unary(g, code, operand, v[0]) : int_binary(g, code, operand, v[0], v[1]);
    }
    if (result != operand || (made != FL_NO_NODE && !g->lacks)) return made;
    return call(g, code, operand, v);
}

/* Found by trying: the tables above are the only list of what there is. */
int fl_jit_expands(const fl_jtarget *target, fl_opcode code, fl_dtype result, fl_dtype operand)
{
    static _Thread_local uint8_t known[2][FL_OPCODE_COUNT][FL_DTYPE_COUNT]; /* 1 no, 2 yes */
    if (!operand || operand >= FL_DTYPE_COUNT || code >= FL_OPCODE_COUNT || fl_dtype_bytes(operand) > 8 ||
        fl_is_complex(operand))
        return 0;
    int narrow = operand == FL_BF16 || operand == FL_F16;
    if (code == FL_OP_bitcast_convert)
        return fl_dtypes[result].bits == fl_dtypes[operand].bits && operand != FL_I1 && result != FL_I1;
    if (narrow && code != FL_OP_select) return 0;
    if (code == FL_OP_convert) return 1;
    if (fl_is_float(operand) && !narrow && operand != FL_F32 && operand != FL_F64) return 0;
    uint8_t *at = &known[result == operand][code][operand];
    if (*at) return *at - 1;
    fl_arena arena = {0};
    fl_jgraph *g = FL_NEW(&arena, fl_jgraph);
    int found = 0;
    if (g && fl_jgraph_begin(g, &arena, target)) {
        uint16_t v[3];
        fl_jtype t = fl_jtype_of(operand);
        for (int i = 0; i < 3; i++)
            v[i] = fl_jgraph_add(g, (fl_jnode){.op = FL_J_LOAD,
                                               .type = (uint8_t)t,
                                               .memory = (uint16_t)i,
                                               .dtype = (uint8_t)operand});
        if (code == FL_OP_select) v[0] = fl_jconst(g, FL_T_MASK, 1);
        found = fl_jexpand(g, code, result, operand, 0, v) != FL_NO_NODE;
    }
    fl_arena_free(&arena);
    *at = (uint8_t)(1 + found);
    return found;
}
