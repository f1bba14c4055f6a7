/* Rules of arithmetic. A float is another one when its bits are: x + 0 is not x where x is -0. */
#include "opt/simplify.h"

#include <math.h>

int fl_simplify_is_never_negative_zero(const fl_editor *e, fl_ref value)
{
    for (int depth = 0; depth < 4; depth++) {
        const fl_op *op = fl_edit_def(e, value);
        fl_number n;
        if (!op) return 0;
        switch (op->code) {
        case FL_OP_constant: return fl_edit_number(e, value, &n) && !(n.re == 0 && signbit(n.re));
        case FL_OP_exponential:
        case FL_OP_logistic:
        case FL_OP_abs:
        case FL_OP_iota: return 1;
        case FL_OP_multiply: return op->operands[0] == op->operands[1];
        case FL_OP_convert:
            if (!fl_simplify_is_float(e, op->operands[0])) return 1;
            value = op->operands[0]; /* what is rounded to zero keeps its sign */
            if (fl_dtypes[fl_simplify_dtype(e, op->first_result)].bits <
                fl_dtypes[fl_simplify_dtype(e, value)].bits)
                return 0;
            continue;
        case FL_OP_reduce:
            return op->operand_count == 2 && op->region_count == 1 &&
                   fl_edit_is_number(e, op->operands[1], 0) &&
                   fl_region_monoid(e->b.program, op->regions[0]) == FL_OP_add;
        case FL_OP_reshape:
        case FL_OP_transpose:
        case FL_OP_slice:
        case FL_OP_broadcast_in_dim: value = op->operands[0]; continue;
        default: return 0;
        }
    }
    return 0;
}

/* (x OP c1) OP c2 of integers is x OP (c1 OP c2): the constants are folded next. */
static fl_ref associate(fl_editor *e, const fl_op *op)
{
    const fl_op *inner = fl_edit_is(e, op->operands[0], (fl_opcode)op->code);
    if (!inner || !fl_simplify_is_whole(e, op->operands[0]) ||
        !fl_edit_is(e, op->operands[1], FL_OP_constant) || !fl_edit_is(e, inner->operands[1], FL_OP_constant))
        return FL_NO_REF;
    fl_ref constants[2] = {inner->operands[1], op->operands[1]}, x = inner->operands[0];
    fl_ref both = fl_edit_again(e, op, constants);
    return fl_edit_again(e, op, (fl_ref[]){x, both});
}

/* Adds up what iotas take part in the sum with: stride[k] of the one along k. 0: something else takes part. */
static int collect_iotas(const fl_editor *e, fl_ref value, int64_t factor, int depth, int64_t *stride)
{
    const fl_op *op = fl_edit_def(e, value);
    fl_number n;
    if (!op || depth > 6) return 0;
    switch (op->code) {
    case FL_OP_iota: stride[fl_op_int(op, FL_ATTR_iota_dimension, 0)] += factor; return 1;
    case FL_OP_add:
        return collect_iotas(e, op->operands[0], factor, depth + 1, stride) &&
               collect_iotas(e, op->operands[1], factor, depth + 1, stride);
    case FL_OP_multiply:
        return factor == 1 && fl_edit_number(e, op->operands[1], &n) && n.integer > 0 &&
               n.integer <= INT32_MAX && collect_iotas(e, op->operands[0], n.integer, depth + 1, stride);
    default: return 0;
    }
}

/* i * columns + j counts the elements: as the iota of a flat tensor does. */
static fl_ref count_elements(fl_editor *e, const fl_op *op)
{
    fl_type type = *fl_edit_type(e, op->first_result);
    int64_t stride[FL_MAX_RANK] = {0}, size = 1, n = fl_type_elements(&type);
    if (!fl_is_int((fl_dtype)type.dtype) || type.rank < 2 || n < 2 || n > INT32_MAX) return FL_NO_REF;
    int bits = fl_dtypes[type.dtype].bits;
    if (bits < 32 && n > 1ll << (bits - 1)) return FL_NO_REF;
    if (!collect_iotas(e, op->first_result, 1, 0, stride)) return FL_NO_REF;
    for (int i = type.rank - 1; i >= 0; i--) {
        if (type.dims[i] > 1 && stride[i] != size) return FL_NO_REF;
        size *= type.dims[i];
    }
    fl_type flat = fl_type_make((fl_dtype)type.dtype, 1, &n);
    return fl_reshape(&e->b, fl_iota(&e->b, flat, 0), type.rank, type.dims);
}

fl_ref fl_simplify_add(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], y = op->operands[1];
    const fl_op *negated;
    if (fl_edit_is_number(e, y, 0) &&
        (!fl_simplify_is_float(e, x) || fl_simplify_is_never_negative_zero(e, x)))
        return fl_is_complex(fl_simplify_dtype(e, x)) ? FL_NO_REF : x;
    if (fl_edit_is_negative_zero(e, y)) return x;
    if ((negated = fl_edit_is(e, y, FL_OP_negate))) return fl_sub(&e->b, x, negated->operands[0]);
    if ((negated = fl_edit_is(e, x, FL_OP_negate))) return fl_sub(&e->b, y, negated->operands[0]);
    fl_ref other = count_elements(e, op);
    if (!other) other = fl_simplify_sum_of_parts(e, op);
    return other ? other : associate(e, op);
}

fl_ref fl_simplify_subtract(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], y = op->operands[1];
    const fl_op *negated;
    fl_number n;
    if (fl_is_complex(fl_simplify_dtype(e, x))) return FL_NO_REF;
    if (fl_edit_is_number(e, y, 0)) return x;
    if (fl_simplify_is_whole(e, x)) {
        fl_type type = *fl_edit_type(e, x);
        if (x == y) return fl_edit_splat_int(e, &type, 0);
        if (fl_edit_is_number(e, x, 0)) return fl_neg(&e->b, y);
        if (fl_edit_number(e, y, &n))
            return fl_add(&e->b, x, fl_edit_splat_int(e, &type, (int64_t)(0 - (uint64_t)n.integer)));
    }
    if (fl_edit_is_negative_zero(e, x)) return fl_neg(&e->b, y);
    if ((negated = fl_edit_is(e, y, FL_OP_negate))) return fl_add(&e->b, x, negated->operands[0]);
    return FL_NO_REF;
}

fl_ref fl_simplify_multiply(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], y = op->operands[1];
    fl_dtype dtype = fl_simplify_dtype(e, x);
    if (fl_is_complex(dtype)) return FL_NO_REF;
    if (fl_edit_is_number(e, y, 1)) return x;
    if (!fl_is_float(dtype) && fl_edit_is_number(e, y, 0)) return y;
    if (dtype == FL_I1) return FL_NO_REF;
    if (fl_dtype_kind(dtype) != FL_KIND_UINT && fl_edit_is_number(e, y, -1)) return fl_neg(&e->b, x);
    const fl_op *a = fl_edit_is(e, x, FL_OP_negate), *b = fl_edit_is(e, y, FL_OP_negate);
    if (a && b) return fl_mul(&e->b, a->operands[0], b->operands[0]);
    return associate(e, op);
}

/* 1 / c, where that is exact and no subnormal number. */
static int exact_reciprocal(fl_dtype dtype, fl_number *n)
{
    int exponent, least = dtype == FL_F64 ? -1021 : dtype == FL_F16 ? -13 : -125;
    if (n->is_integer || n->re == 0 || !isfinite(n->re)) return 0;
    double part = frexp(n->re, &exponent);
    if (part != 0.5 && part != -0.5) return 0;
    n->re = 1 / n->re;
    frexp(n->re, &exponent);
    return exponent >= least && exponent <= -least; /* 2 * part == 1: the number is 2^(exponent - 1) */
}

static int is_usual_float(fl_dtype dtype)
{
    return dtype == FL_F64 || dtype == FL_F32 || dtype == FL_F16 || dtype == FL_BF16;
}

fl_ref fl_simplify_divide(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], y = op->operands[1];
    fl_type type = *fl_edit_type(e, x);
    fl_number n;
    if (fl_is_complex((fl_dtype)type.dtype)) return FL_NO_REF;
    if (fl_edit_is_number(e, y, 1)) return x;
    if (is_usual_float((fl_dtype)type.dtype) && fl_edit_number(e, y, &n) &&
        exact_reciprocal((fl_dtype)type.dtype, &n))
        return fl_mul(&e->b, x, fl_edit_splat_number(e, &type, n));
    const fl_op *a = fl_edit_is(e, x, FL_OP_negate), *b = fl_edit_is(e, y, FL_OP_negate);
    if (a && b && fl_is_float((fl_dtype)type.dtype)) return fl_div(&e->b, a->operands[0], b->operands[0]);
    if (fl_dtype_kind((fl_dtype)type.dtype) == FL_KIND_UINT && fl_edit_number(e, y, &n) && n.integer > 0 &&
        !(n.integer & (n.integer - 1)))
        return fl_shrl(&e->b, x, fl_edit_splat_int(e, &type, __builtin_ctzll((uint64_t)n.integer)));
    return FL_NO_REF;
}

fl_ref fl_simplify_remainder(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], y = op->operands[1];
    fl_type type = *fl_edit_type(e, x);
    fl_number n;
    if (!fl_is_int((fl_dtype)type.dtype) || !fl_edit_number(e, y, &n) || n.integer <= 0) return FL_NO_REF;
    fl_int_range r = fl_edit_range(e, x);
    if (type.dtype != FL_U64 && r.low >= 0 && r.high < n.integer) return x;
    int power = !(n.integer & (n.integer - 1));
    if (power && (fl_dtype_kind((fl_dtype)type.dtype) == FL_KIND_UINT || r.low >= 0))
        return fl_and(&e->b, x, fl_edit_splat_int(e, &type, n.integer - 1));
    return FL_NO_REF;
}

/* pow of the reference is f64's, rounded: for f32 and narrower types squares and reciprocals are rounded once either way. */
fl_ref fl_simplify_power(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], y = op->operands[1];
    fl_type type = *fl_edit_type(e, x);
    if (!fl_is_int((fl_dtype)type.dtype) && !is_usual_float((fl_dtype)type.dtype)) return FL_NO_REF;
    if (fl_edit_is_number(e, y, 1)) return x;
    if (fl_edit_is_number(e, y, 0)) return fl_edit_splat_int(e, &type, 1);
    if (type.dtype == FL_F64) return FL_NO_REF;
    if (fl_edit_is_number(e, y, 2)) return fl_mul(&e->b, x, x);
    if (fl_is_float((fl_dtype)type.dtype) && fl_edit_is_number(e, y, -1))
        return fl_div(&e->b, fl_edit_splat_int(e, &type, 1), x);
    return FL_NO_REF;
}

/* Whether y leaves x as it is under maximum (minimum); NaNs stay NaNs. */
static int is_extreme(const fl_editor *e, fl_ref y, int maximum)
{
    fl_number n;
    if (!fl_simplify_is_float(e, y) || !fl_edit_number(e, y, &n)) return 0;
    return isinf(n.re) && (n.re < 0) == maximum;
}

fl_ref fl_simplify_extremum(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], y = op->operands[1];
    int maximum = op->code == FL_OP_maximum;
    fl_dtype dtype = fl_simplify_dtype(e, x);
    if (x == y) return x;
    if (is_extreme(e, y, maximum)) return x;
    if (!fl_is_int(dtype) || dtype == FL_U64) return FL_NO_REF;
    fl_int_range a = fl_edit_range(e, x), b = fl_edit_range(e, y);
    if (a.low >= b.high) return maximum ? x : y;
    if (b.low >= a.high) return maximum ? y : x;
    return FL_NO_REF;
}

fl_ref fl_simplify_negate(fl_editor *e, const fl_op *op)
{
    const fl_op *inner = fl_edit_is(e, op->operands[0], FL_OP_negate);
    return inner ? inner->operands[0] : FL_NO_REF;
}

fl_ref fl_simplify_abs(fl_editor *e, const fl_op *op)
{
    const fl_op *inner = fl_edit_def(e, op->operands[0]);
    if (!inner || fl_is_complex(fl_simplify_dtype(e, op->operands[0]))) return FL_NO_REF;
    if (inner->code == FL_OP_abs) return op->operands[0];
    if (inner->code == FL_OP_negate) return fl_abs(&e->b, inner->operands[0]);
    return FL_NO_REF;
}

fl_ref fl_simplify_complex(fl_editor *e, const fl_op *op)
{
    const fl_op *re = fl_edit_is(e, op->operands[0], FL_OP_real),
                *im = fl_edit_is(e, op->operands[1], FL_OP_imag);
    return re && im && re->operands[0] == im->operands[0] &&
                   fl_is_complex(fl_simplify_dtype(e, re->operands[0]))
               ? re->operands[0]
               : FL_NO_REF;
}

static fl_ref part(fl_editor *e, const fl_op *op, int which)
{
    const fl_op *made = fl_edit_is(e, op->operands[0], FL_OP_complex);
    if (made) return made->operands[which];
    return !which && !fl_is_complex(fl_simplify_dtype(e, op->operands[0])) ? op->operands[0] : FL_NO_REF;
}

fl_ref fl_simplify_real(fl_editor *e, const fl_op *op)
{
    return part(e, op, 0);
}

fl_ref fl_simplify_imag(fl_editor *e, const fl_op *op)
{
    return part(e, op, 1);
}
