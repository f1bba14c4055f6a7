/* Rules of comparisons, choices, logic and conversions. */
#include "opt/simplify.h"

#include <string.h>

static int is_ones(const fl_editor *e, fl_ref value)
{
    fl_dtype dtype = fl_simplify_dtype(e, value);
    fl_number n;
    if (!fl_edit_number(e, value, &n)) return 0;
    if (dtype == FL_I1) return n.integer != 0;
    int bits = fl_dtypes[dtype].bits;
    return bits >= 8 && (uint64_t)n.integer << (64 - bits) == ~0ull << (64 - bits);
}

fl_ref fl_simplify_and_or(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], y = op->operands[1];
    int zero = fl_edit_is_number(e, y, 0), ones = is_ones(e, y);
    if (x == y) return x;
    if (op->code == FL_OP_and) return zero ? y : ones ? x : FL_NO_REF;
    return zero ? x : ones ? y : FL_NO_REF;
}

fl_ref fl_simplify_xor(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], y = op->operands[1];
    fl_type type = *fl_edit_type(e, x);
    if (fl_edit_is_number(e, y, 0)) return x;
    if (x == y) return fl_edit_splat_int(e, &type, 0);
    return is_ones(e, y) ? fl_not(&e->b, x) : FL_NO_REF;
}

/* The comparison that holds where this one does not; of floats only those that NaN does not spoil. */
static int opposite(int direction, int exact, fl_compare_direction *out)
{
    static const fl_compare_direction others[] = {[FL_EQ] = FL_NE, [FL_NE] = FL_EQ, [FL_GE] = FL_LT,
                                                  [FL_GT] = FL_LE, [FL_LE] = FL_GT, [FL_LT] = FL_GE};
    *out = others[direction];
    return exact || direction == FL_EQ || direction == FL_NE;
}

fl_ref fl_simplify_not(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    const fl_op *inner = fl_edit_def(e, x);
    fl_compare_direction other;
    if (inner && inner->code == FL_OP_not) return inner->operands[0];
    if (!inner || inner->code != FL_OP_compare || !fl_edit_used_once(e, x)) return FL_NO_REF;
    fl_dtype dtype = fl_simplify_dtype(e, inner->operands[0]);
    int ordered = !fl_is_float(dtype) && !fl_is_complex(dtype);
    if (fl_op_int(inner, FL_ATTR_compare_type, 0) == FL_COMPARE_TOTALORDER ||
        !opposite((int)fl_op_int(inner, FL_ATTR_comparison_direction, FL_EQ), ordered, &other))
        return FL_NO_REF;
    return fl_compare(&e->b, other, inner->operands[0], inner->operands[1]);
}

/* -1: it depends; else whether it always holds. */
static int decided(int direction, fl_int_range a, fl_int_range b)
{
    int less = a.high<b.low, more = a.low> b.high, least = a.high <= b.low, most = a.low >= b.high;
    switch (direction) {
    case FL_LT: return less ? 1 : most ? 0 : -1;
    case FL_LE: return least ? 1 : more ? 0 : -1;
    case FL_GT: return more ? 1 : least ? 0 : -1;
    case FL_GE: return most ? 1 : less ? 0 : -1;
    case FL_EQ: return less || more ? 0 : least && most ? 1 : -1;
    default: return less || more ? 1 : least && most ? 0 : -1;
    }
}

fl_ref fl_simplify_compare(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], y = op->operands[1];
    int direction = (int)fl_op_int(op, FL_ATTR_comparison_direction, FL_EQ);
    fl_dtype dtype = fl_simplify_dtype(e, x);
    fl_type type = *fl_edit_type(e, op->first_result);
    if (!fl_is_int(dtype) && dtype != FL_I1) return FL_NO_REF;
    if (x == y)
        return fl_edit_splat_int(e, &type, direction == FL_EQ || direction == FL_GE || direction == FL_LE);
    if (dtype == FL_I1) { /* false < true */
        if (direction == FL_NE && fl_edit_is_number(e, y, 0)) return x;
        if (direction == FL_EQ && fl_edit_is_number(e, y, 1)) return x;
        if (direction == FL_EQ && fl_edit_is_number(e, y, 0)) return fl_not(&e->b, x);
        return FL_NO_REF;
    }
    const fl_op *widened = fl_edit_is(e, x, FL_OP_convert);
    if (widened && fl_simplify_dtype(e, widened->operands[0]) == FL_I1 && fl_edit_is_number(e, y, 0)) {
        if (direction == FL_NE || direction == FL_GT) return widened->operands[0];
        if (direction == FL_EQ) return fl_not(&e->b, widened->operands[0]);
    }
    if (dtype == FL_U64) return FL_NO_REF;
    int known = decided(direction, fl_edit_range(e, x), fl_edit_range(e, y));
    return known < 0 ? FL_NO_REF : fl_edit_splat_int(e, &type, known);
}

fl_ref fl_simplify_select(fl_editor *e, const fl_op *op)
{
    fl_ref p = op->operands[0], x = op->operands[1], y = op->operands[2];
    if (x == y) return x;
    if (fl_edit_is_number(e, p, 1)) return x;
    if (fl_edit_is_number(e, p, 0)) return y;
    const fl_op *inner = fl_edit_is(e, p, FL_OP_not);
    if (inner) return fl_edit_again(e, op, (fl_ref[]){inner->operands[0], y, x});
    if (fl_simplify_dtype(e, x) == FL_I1 && fl_edit_type(e, p)->rank == fl_edit_type(e, x)->rank) {
        if (fl_edit_is_number(e, x, 1) && fl_edit_is_number(e, y, 0)) return p;
        if (fl_edit_is_number(e, x, 0) && fl_edit_is_number(e, y, 1)) return fl_not(&e->b, p);
        if (fl_edit_is_number(e, y, 0)) return fl_and(&e->b, p, x);
        if (fl_edit_is_number(e, x, 1)) return fl_or(&e->b, p, y);
    }
    if ((inner = fl_edit_is(e, x, FL_OP_select)) && inner->operands[0] == p)
        return fl_edit_again(e, op, (fl_ref[]){p, inner->operands[1], y});
    if ((inner = fl_edit_is(e, y, FL_OP_select)) && inner->operands[0] == p)
        return fl_edit_again(e, op, (fl_ref[]){p, x, inner->operands[2]});
    return FL_NO_REF;
}

fl_ref fl_simplify_clamp(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[1];
    fl_dtype dtype = fl_simplify_dtype(e, x);
    if (!fl_is_int(dtype) || dtype == FL_U64) return FL_NO_REF;
    fl_int_range low = fl_edit_range(e, op->operands[0]), r = fl_edit_range(e, x),
                 high = fl_edit_range(e, op->operands[2]);
    return r.low >= low.high && r.high <= high.low ? x : FL_NO_REF;
}

/* Whether every number of `from` is one of `to`. */
static int holds_all(fl_dtype from, fl_dtype to)
{
    fl_kind a = fl_dtype_kind(from), b = fl_dtype_kind(to);
    int n = fl_dtypes[from].bits, m = fl_dtypes[to].bits;
    static const uint8_t digits[FL_DTYPE_COUNT] = {
        [FL_F64] = 53, [FL_F32] = 24, [FL_F16] = 11, [FL_BF16] = 8};
    if (from == to) return 1;
    if (a == FL_KIND_BOOL) return b == FL_KIND_INT || b == FL_KIND_UINT || digits[to];
    if (a == FL_KIND_INT && b == FL_KIND_INT) return m >= n;
    if (a == FL_KIND_UINT && b == FL_KIND_UINT) return m >= n;
    if (a == FL_KIND_UINT && b == FL_KIND_INT) return m > n;
    if ((a == FL_KIND_INT || a == FL_KIND_UINT) && digits[to] && to != FL_F16) return n <= digits[to];
    if (digits[from] && digits[to])
        return to == FL_F64 || (to == FL_F32 && from != FL_F64); /* f16 and bf16 do not hold each other */
    return 0;
}

/* An iota counts in any type that holds all its numbers. */
static fl_ref convert_iota(fl_editor *e, const fl_op *op, const fl_op *iota)
{
    fl_type type = *fl_edit_type(e, op->first_result);
    int64_t d = fl_op_int(iota, FL_ATTR_iota_dimension, 0), n = type.dims[d], most = 0;
    int bits = fl_dtypes[type.dtype].bits;
    if (!fl_is_int(fl_simplify_dtype(e, iota->first_result))) return FL_NO_REF;
    switch (fl_dtype_kind((fl_dtype)type.dtype)) {
    case FL_KIND_INT: most = INT64_MAX >> (64 - bits); break;
    case FL_KIND_UINT: most = bits > 62 ? INT64_MAX : (1ll << bits) - 1; break;
    case FL_KIND_FLOAT: most = type.dtype == FL_F32 ? 1 << 24 : type.dtype == FL_F64 ? 1ll << 53 : 0; break;
    default: break;
    }
    fl_int_range r = fl_edit_range(e, iota->first_result);
    return n - 1 <= most && r.low == 0 && r.high == n - 1 ? fl_iota(&e->b, type, (int)d) : FL_NO_REF;
}

fl_ref fl_simplify_convert(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    fl_dtype to = fl_simplify_dtype(e, op->first_result), between = fl_simplify_dtype(e, x);
    if (to == between) return x;
    const fl_op *inner = fl_edit_def(e, x);
    if (inner && inner->code == FL_OP_iota) return convert_iota(e, op, inner);
    if (!inner || inner->code != FL_OP_convert || fl_type_quant(fl_edit_type(e, inner->operands[0])))
        return FL_NO_REF;
    fl_ref y = inner->operands[0];
    fl_dtype from = fl_simplify_dtype(e, y);
    if (from == FL_I1 && to == FL_I1) return y;
    if (!holds_all(from, between)) return FL_NO_REF;
    if (from == to) return y;
    /* the outer conversion sees the same numbers; but integers that become integers wrap, floats saturate */
    int wraps = fl_is_int(to) && fl_is_int(from) && !fl_is_int(between);
    return wraps || to == FL_I1 ? FL_NO_REF : fl_edit_again(e, op, (fl_ref[]){y});
}

fl_ref fl_simplify_bitcast(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    if (fl_type_equal(fl_edit_type(e, x), fl_edit_type(e, op->first_result))) return x;
    const fl_op *inner = fl_edit_is(e, x, FL_OP_bitcast_convert);
    return inner && fl_type_equal(fl_edit_type(e, inner->operands[0]), fl_edit_type(e, op->first_result))
               ? inner->operands[0]
               : FL_NO_REF;
}

fl_ref fl_simplify_shift(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    fl_number n;
    if (fl_edit_is_number(e, op->operands[1], 0)) return x;
    if (op->code != FL_OP_shift_right_logical || !fl_edit_number(e, op->operands[1], &n)) return FL_NO_REF;
    fl_int_range r = fl_edit_range(e, x);
    fl_type type = *fl_edit_type(e, x);
    int gone = n.integer > 0 && n.integer < 63 && r.low >= 0 && r.high < 1ll << n.integer;
    return gone ? fl_edit_splat_int(e, &type, 0) : FL_NO_REF;
}
