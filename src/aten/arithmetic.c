/* Elementwise operators of two operands: arithmetic and extremes. */
#include "aten/formula.h"
#include "aten/table.h"

fl_dtype fl_operands(fl_builder *b, unsigned flags, fl_ref *x, fl_ref *y)
{
    fl_dtype t = fl_promote_args(b, (const int[]){0, 1}, 2);
    if (flags & FL_UNARY_FLOAT) t = fl_float_result(b, t);
    if ((flags & FL_UNARY_REAL && fl_is_complex(t)) || (flags & FL_UNARY_NO_BOOL && t == FL_I1))
        fl_unsupported(b, "this element type");
    fl_dtype c = flags & FL_UNARY_OPMATH ? fl_op_math(t) : t;
    *x = fl_tensor_arg(b, 0) ? fl_in_cast(b, 0, c) : fl_scalar(b, 0, c);
    *y = fl_tensor_arg(b, 1) ? fl_in_cast(b, 1, c) : fl_scalar(b, 1, c);
    fl_broadcast_pair(b, x, y);
    return t;
}

void fl_binary(fl_builder *b, fl_binary_formula f, unsigned flags)
{
    fl_ref x, y;
    fl_dtype t = fl_operands(b, flags, &x, &y);
    fl_emit_as(b, f(b, x, y), t);
}

/* ---- sums */

fl_ref fl_f_add(fl_builder *b, fl_ref x, fl_ref y, fl_ref alpha)
{
    return fl_add(b, x, alpha == FL_NO_REF ? y : fl_mul(b, y, alpha));
}

fl_ref fl_f_sub(fl_builder *b, fl_ref x, fl_ref y, fl_ref alpha)
{
    return fl_sub(b, x, alpha == FL_NO_REF ? y : fl_mul(b, y, alpha));
}

/* x + alpha * y or x - alpha * y; alpha is argument 2 */
static fl_ref scaled_sum(fl_builder *b, int subtract, int swapped, fl_dtype *out_dtype)
{
    fl_ref x, y, alpha = FL_NO_REF;
    /* The default is the integer 1; a floating alpha (a learning rate) stays a run-time number. */
    int unit = fl_scalar_tag(b, 2) == FL_TAG_INT && fl_scalar_is(b, 2, 1);
    *out_dtype = fl_operands(b, unit ? 0 : FL_UNARY_OPMATH, &x, &y);
    if (!unit) alpha = fl_scalar_fitting(b, 2, fl_op_math(*out_dtype));
    if (swapped) {
        fl_ref other = x;
        x = y;
        y = other;
    }
    if (subtract && *out_dtype == FL_I1) {
        fl_builder_fail(
            b, fl_error(FL_INVALID, "subtraction, the `-` operator, with a bool tensor is not supported"));
        return FL_NO_REF;
    }
    return subtract ? fl_f_sub(b, x, y, alpha) : fl_f_add(b, x, y, alpha);
}

FL_LOWER(add)
{
    fl_dtype t;
    fl_ref sum = scaled_sum(b, 0, 0, &t);
    fl_emit_as(b, sum, t);
}

FL_LOWER(sub)
{
    fl_dtype t;
    fl_ref difference = scaled_sum(b, 1, 0, &t);
    fl_emit_as(b, difference, t);
}

FL_LOWER(rsub)
{
    fl_dtype t;
    fl_ref difference = scaled_sum(b, 1, 1, &t);
    fl_emit_as(b, difference, t);
}

FL_LOWER(add_relu)
{
    fl_dtype t;
    fl_ref sum = scaled_sum(b, 0, 0, &t);
    fl_emit_as(b, fl_max(b, sum, fl_const(b, sum, 0)), t);
}

/* A number beside a narrow tensor keeps its f32 value in products and quotients; sums round it first, as
 * PyTorch's do. */
static unsigned scalar_precision(fl_builder *b)
{
    for (int i = 0; i < 2; i++) {
        const fl_tensor *t = fl_tensor_arg(b, i);
        if (!t || t->rank == 0) return FL_UNARY_OPMATH;
    }
    return 0;
}

FL_LOWER(mul)
{
    fl_binary(b, fl_mul, scalar_precision(b));
}

/* ---- quotients */

/* Integer division by zero is an error at the next synchronisation, where something is divided. */
static void check_divisor(fl_builder *b, fl_ref x, fl_ref y)
{
    if (!fl_ok(b) || !fl_type_elements(fl_typeof(b, x))) return;
    fl_ref zero = fl_compare(b, FL_EQ, y, fl_scalar_i(b, fl_dtypeof(b, y), 0));
    fl_check_index(b, fl_cast(b, zero, FL_I32), 0, 1, FL_ZERO_DIVISION);
}

static fl_ref differing_signs(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_ref zero = fl_scalar_i(b, fl_dtypeof(b, x), 0);
    return fl_xor(b, fl_compare(b, FL_LT, x, zero), fl_compare(b, FL_LT, y, zero));
}

fl_ref fl_f_trunc_div(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_dtype t = fl_dtypeof(b, x);
    if (fl_is_float(t)) return fl_unary_trunc.apply(b, fl_div(b, x, y));
    check_divisor(b, x, y);
    return fl_div(b, x, y);
}

fl_ref fl_f_fmod(fl_builder *b, fl_ref x, fl_ref y)
{
    if (!fl_is_float(fl_dtypeof(b, x))) check_divisor(b, x, y);
    return fl_rem(b, x, y);
}

fl_ref fl_f_remainder(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_ref rest = fl_f_fmod(b, x, y);
    if (fl_dtype_kind(fl_dtypeof(b, x)) == FL_KIND_UINT) return rest;
    fl_ref zero = fl_scalar_i(b, fl_dtypeof(b, x), 0);
    fl_ref adjust = fl_and(b, fl_compare(b, FL_NE, rest, zero), differing_signs(b, rest, y));
    return fl_select(b, adjust, fl_add(b, rest, y), rest);
}

/* Rounds towards minus infinity through the exact remainder, as Python does. */
static fl_ref floor_div_float(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_ref quotient = fl_div(b, x, y), rest = fl_rem(b, x, y);
    fl_ref exact = fl_div(b, fl_sub(b, x, rest), y);
    fl_ref adjust = fl_and(b, fl_compare_c(b, FL_NE, rest, 0), differing_signs(b, rest, y));
    exact = fl_select(b, adjust, fl_add_c(b, exact, -1), exact);
    fl_ref down = fl_floor(b, exact);
    fl_ref nearest =
        fl_select(b, fl_compare_c(b, FL_GT, fl_sub(b, exact, down), 0.5), fl_add_c(b, down, 1), down);
    fl_ref zero = fl_f_copysign(b, fl_full_like(b, quotient, 0), quotient);
    fl_ref value = fl_select(b, fl_compare_c(b, FL_NE, exact, 0), nearest, zero);
    return fl_select(b, fl_compare_c(b, FL_EQ, y, 0), quotient, value);
}

fl_ref fl_f_floor_div(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_dtype t = fl_dtypeof(b, x);
    if (fl_is_float(t)) return floor_div_float(b, x, y);
    check_divisor(b, x, y);
    fl_ref quotient = fl_div(b, x, y);
    if (fl_dtype_kind(t) == FL_KIND_UINT) return quotient;
    fl_ref inexact = fl_compare(b, FL_NE, fl_rem(b, x, y), fl_scalar_i(b, t, 0));
    fl_ref adjust = fl_and(b, inexact, differing_signs(b, x, y));
    return fl_sub(b, quotient, fl_cast(b, adjust, t));
}

FL_LOWER(div)
{
    fl_binary(b, fl_div, FL_UNARY_FLOAT | scalar_precision(b));
}

FL_LOWER(div_mode)
{
    const char *mode = fl_string(b, 2);
    if (!mode) {
        fl_lower_div(b);
        return;
    }
    unsigned flags = FL_UNARY_REAL | FL_UNARY_NO_BOOL;
    if (mode[0] == 't')
        fl_binary(b, fl_f_trunc_div, flags); /* the quotient is rounded to its dtype before it is cut */
    else if (mode[0] == 'f')
        fl_binary(b, fl_f_floor_div, flags | FL_UNARY_OPMATH);
    else
        fl_builder_fail(
            b, fl_error(FL_INVALID,
                        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%s'",
                        mode));
}

FL_LOWER(floor_divide)
{
    fl_binary(b, fl_f_floor_div, FL_UNARY_OPMATH | FL_UNARY_REAL | FL_UNARY_NO_BOOL);
}

FL_LOWER(fmod)
{
    fl_binary(b, fl_f_fmod, FL_UNARY_REAL | FL_UNARY_NO_BOOL);
}

FL_LOWER(remainder)
{
    fl_binary(b, fl_f_remainder, FL_UNARY_OPMATH | FL_UNARY_REAL | FL_UNARY_NO_BOOL);
}

/* ---- powers */

/* Integers: 0 to a negative power is 0. */
fl_ref fl_f_pow(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_ref power = fl_pow(b, x, y);
    if (fl_dtype_kind(fl_dtypeof(b, x)) != FL_KIND_INT) return power;
    fl_ref zero = fl_scalar_i(b, fl_dtypeof(b, x), 0);
    fl_ref none = fl_and(b, fl_compare(b, FL_EQ, x, zero), fl_compare(b, FL_LT, y, zero));
    return fl_select(b, none, zero, power);
}

FL_LOWER(pow)
{
    fl_binary(b, fl_f_pow, FL_UNARY_OPMATH | FL_UNARY_NO_BOOL);
}

FL_LOWER(pow_scalar)
{
    fl_dtype t = fl_promote_args(b, (const int[]){0, 1}, 2), math = fl_op_math(t);
    fl_ref x = fl_in_cast(b, 0, math), y;
    if (fl_scalar_is(b, 1, 2)) {
        y = fl_mul(b, x, x);
    } else if (fl_scalar_is(b, 1, 3)) {
        y = fl_mul(b, fl_mul(b, x, x), x);
    } else if (!fl_is_float(t) && !fl_is_complex(t)) {
        y = fl_pow(b, x, fl_scalar(b, 1, math));
    } else if (fl_scalar_is(b, 1, 0.5)) {
        y = fl_sqrt(b, x);
    } else if (fl_scalar_is(b, 1, -0.5)) {
        y = fl_div(b, fl_full_like(b, x, 1), fl_sqrt(b, x));
    } else if (fl_scalar_is(b, 1, -1)) {
        y = fl_div(b, fl_full_like(b, x, 1), x);
    } else {
        y = fl_pow(b, x, fl_scalar(b, 1, math));
    }
    fl_emit_as(b, y, t);
}

/* ---- extremes */

static fl_ref fmax_of(fl_builder *b, fl_ref x, fl_ref y)
{
    if (!fl_is_float(fl_dtypeof(b, x))) return fl_max(b, x, y);
    fl_ref either = fl_select(b, fl_is_nan(b, y), x, fl_max(b, x, y));
    return fl_select(b, fl_is_nan(b, x), y, either);
}

static fl_ref fmin_of(fl_builder *b, fl_ref x, fl_ref y)
{
    if (!fl_is_float(fl_dtypeof(b, x))) return fl_min(b, x, y);
    fl_ref either = fl_select(b, fl_is_nan(b, y), x, fl_min(b, x, y));
    return fl_select(b, fl_is_nan(b, x), y, either);
}

#define EXTREME(name, f)                                                                                     \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        fl_binary(b, f, FL_UNARY_REAL);                                                                      \
    }
EXTREME(maximum, fl_max)
EXTREME(minimum, fl_min)
EXTREME(fmax, fmax_of)
EXTREME(fmin, fmin_of)
EXTREME(clamp_min, fl_max)
EXTREME(clamp_max, fl_min)

/* min(max(x, low), high), either bound optional; bounds are tensors or Scalars */
FL_LOWER(clamp)
{
    fl_dtype t = fl_promote_args(b, (const int[]){0, 1, 2}, 3);
    if (fl_is_complex(t)) {
        fl_unsupported(b, "clamping complex numbers");
        return;
    }
    fl_ref v[3];
    uint32_t n = 1;
    v[0] = fl_in_cast(b, 0, t);
    for (int i = 1; i <= 2; i++)
        if (fl_has(b, i)) v[n++] = fl_tensor_arg(b, i) ? fl_in_cast(b, i, t) : fl_scalar_fitting(b, i, t);
    FL_REQUIRE(b, n > 1, FL_INVALID, "torch.clamp: At least one of 'min' or 'max' must not be None");
    for (uint32_t i = 1; i < n; i++) {
        fl_ref bound = v[i];
        fl_broadcast_pair(b, &v[0], &bound);
        v[0] = i == 1 && fl_has(b, 1) ? fl_max(b, v[0], bound) : fl_min(b, v[0], bound);
    }
    fl_emit(b, v[0]);
}
