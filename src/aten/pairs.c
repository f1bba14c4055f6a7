/* Elementwise operators of two operands: comparisons, logic, special functions. */
#include "aten/formula.h"
#include "aten/table.h"
#include <math.h>

static int is_integral(fl_dtype t)
{
    return fl_is_int(t) || t == FL_I1;
}

/* ---- comparisons and logic */

static void compare(fl_builder *b, fl_compare_direction direction)
{
    fl_ref x, y;
    fl_dtype t = fl_operands(b, 0, &x, &y);
    if (fl_is_complex(t) && direction != FL_EQ && direction != FL_NE) {
        fl_unsupported(b, "ordering complex numbers");
        return;
    }
    fl_emit(b, fl_compare(b, direction, x, y));
}

#define COMPARISON(name, direction)                                                                          \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        compare(b, direction);                                                                               \
    }
COMPARISON(eq, FL_EQ)
COMPARISON(ne, FL_NE)
COMPARISON(ge, FL_GE)
COMPARISON(gt, FL_GT)
COMPARISON(le, FL_LE)
COMPARISON(lt, FL_LT)

#define LOGICAL(name, f)                                                                                     \
    FL_LOWER(logical_##name)                                                                                 \
    {                                                                                                        \
        fl_ref x, y;                                                                                         \
        fl_in_pair(b, 0, 1, FL_I1, &x, &y);                                                                  \
        fl_emit(b, f(b, x, y));                                                                              \
    }
LOGICAL(and, fl_and)
LOGICAL(or, fl_or)
LOGICAL(xor, fl_xor)

static void bitwise(fl_builder *b, fl_binary_formula f)
{
    if (!is_integral(fl_promote_args(b, (const int[]){0, 1}, 2))) {
        fl_unsupported(b, "bits of this element type");
        return;
    }
    fl_binary(b, f, 0);
}

FL_LOWER(bitwise_and)
{
    bitwise(b, fl_and);
}

FL_LOWER(bitwise_or)
{
    bitwise(b, fl_or);
}

FL_LOWER(bitwise_xor)
{
    bitwise(b, fl_xor);
}

/* Counts outside [0, bits) shift everything out. */
static fl_ref out_of_range(fl_builder *b, fl_ref count, int64_t bits)
{
    fl_dtype t = fl_dtypeof(b, count);
    fl_ref over = fl_compare(b, FL_GE, count, fl_scalar_i(b, t, bits));
    if (fl_dtype_kind(t) == FL_KIND_UINT) return over;
    return fl_or(b, over, fl_compare(b, FL_LT, count, fl_scalar_i(b, t, 0)));
}

static fl_ref shift_left(fl_builder *b, fl_ref x, fl_ref count)
{
    fl_dtype t = fl_dtypeof(b, x);
    fl_ref out = out_of_range(b, count, fl_dtypes[t].bits);
    return fl_select(b, out, fl_scalar_i(b, t, 0),
                     fl_shl(b, x, fl_select(b, out, fl_scalar_i(b, t, 0), count)));
}

static fl_ref shift_right(fl_builder *b, fl_ref x, fl_ref count)
{
    fl_dtype t = fl_dtypeof(b, x);
    int64_t bits = fl_dtypes[t].bits;
    if (fl_dtype_kind(t) == FL_KIND_UINT) {
        fl_ref out = out_of_range(b, count, bits);
        return fl_select(b, out, fl_scalar_i(b, t, 0),
                         fl_shrl(b, x, fl_select(b, out, fl_scalar_i(b, t, 0), count)));
    }
    fl_ref last = fl_scalar_i(b, t, bits - 1);
    return fl_shra(b, x, fl_select(b, out_of_range(b, count, bits - 1), last, count));
}

static void shift(fl_builder *b, fl_binary_formula f)
{
    if (!fl_is_int(fl_promote_args(b, (const int[]){0, 1}, 2))) {
        fl_unsupported(b, "shifts of this element type");
        return;
    }
    fl_binary(b, f, 0);
}

FL_LOWER(left_shift)
{
    shift(b, shift_left);
}

FL_LOWER(right_shift)
{
    shift(b, shift_right);
}

/* ---- special pairs */

static fl_ref heaviside_of(fl_builder *b, fl_ref x, fl_ref at_zero)
{
    fl_dtype t = fl_dtypeof(b, x);
    fl_ref zero = fl_scalar_i(b, t, 0);
    return fl_select(b, fl_compare(b, FL_EQ, x, zero), at_zero, fl_cast(b, fl_compare(b, FL_GT, x, zero), t));
}

/* Squares of f32 numbers are exact in f64. Those of f64 are scaled by the larger side, so that they neither overflow nor vanish. */
static fl_ref length_of(fl_builder *b, fl_ref ax, fl_ref ay)
{
    if (fl_dtypeof(b, ax) != FL_F64) {
        fl_ref x = fl_cast(b, ax, FL_F64), y = fl_cast(b, ay, FL_F64);
        return fl_cast(b, fl_sqrt(b, fl_add(b, fl_mul(b, x, x), fl_mul(b, y, y))), fl_dtypeof(b, ax));
    }
    fl_ref large = fl_max(b, ax, ay), small = fl_min(b, ax, ay), ratio = fl_div(b, small, large);
    fl_ref length = fl_mul(b, large, fl_sqrt(b, fl_add_c(b, fl_mul(b, ratio, ratio), 1)));
    return fl_select(b, fl_compare_c(b, FL_EQ, large, 0), large, length);
}

static fl_ref hypot_of(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_ref ax = fl_abs(b, x), ay = fl_abs(b, y), length = length_of(b, ax, ay);
    fl_ref infinite = fl_or(b, fl_compare_c(b, FL_EQ, ax, INFINITY), fl_compare_c(b, FL_EQ, ay, INFINITY));
    return fl_select(b, infinite, fl_const(b, x, INFINITY), length);
}

fl_ref fl_f_xlogy(fl_builder *b, fl_ref x, fl_ref y, fl_ref log_of_y)
{
    fl_ref product = fl_mul(b, x, log_of_y);
    fl_ref zero = fl_and(b, fl_compare_c(b, FL_EQ, x, 0), fl_not(b, fl_is_nan(b, y)));
    return fl_select(b, zero, fl_const(b, product, 0), product);
}

static fl_ref xlogy_of(fl_builder *b, fl_ref x, fl_ref y)
{
    return fl_f_xlogy(b, x, y, fl_log(b, y));
}

static fl_ref xlog1py_of(fl_builder *b, fl_ref x, fl_ref y)
{
    return fl_f_xlogy(b, x, y, fl_log1p(b, y));
}

/* max + log(1 + exp(-|x - y|)); equal infinities are their own sum */
static fl_ref log_add(fl_builder *b, fl_ref x, fl_ref y, fl_ref exp_of_gap, double unit)
{
    fl_ref top = fl_max(b, x, y), more = fl_log1p(b, exp_of_gap);
    fl_ref sum = fl_add(b, top, unit == 1 ? more : fl_mul_c(b, more, unit));
    fl_ref same = fl_and(b, fl_compare_c(b, FL_EQ, fl_abs(b, x), INFINITY), fl_compare(b, FL_EQ, x, y));
    return fl_select(b, same, x, sum);
}

/* The side with the larger real part, and the logarithm of one plus the share of the other. Of equal infinities the sum is that of
 * the powers, or no more than the smaller side, whose angle says nothing; a NaN in any part is one in both. */
static fl_ref complex_log_add(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_ref ascending = fl_compare(b, FL_LT, fl_real(b, x), fl_real(b, y));
    fl_ref small = fl_select(b, ascending, x, y), large = fl_select(b, ascending, y, x);
    fl_ref sum = fl_add(b, fl_log1p(b, fl_exp(b, fl_sub(b, small, large))), large);
    fl_ref size = fl_real(b, large), low = fl_real(b, small);
    fl_ref same =
        fl_and(b, fl_compare_c(b, FL_EQ, fl_abs(b, size), INFINITY), fl_compare(b, FL_EQ, size, low));
    fl_ref powers = fl_log(b, fl_add(b, fl_exp(b, small), fl_exp(b, large)));
    sum = fl_select(b, same, fl_select(b, fl_compare_c(b, FL_LT, size, 0), small, powers), sum);
    fl_ref nan = fl_or(b, fl_compare(b, FL_NE, x, x), fl_compare(b, FL_NE, y, y)),
           one = fl_const(b, size, NAN);
    return fl_select(b, nan, fl_complex(b, one, one), sum);
}

fl_ref fl_f_log_add_exp(fl_builder *b, fl_ref x, fl_ref y)
{
    if (fl_is_complex(fl_dtypeof(b, x))) return complex_log_add(b, x, y);
    fl_ref gap = fl_neg(b, fl_abs(b, fl_sub(b, x, y)));
    return log_add(b, x, y, fl_exp(b, gap), 1);
}

static fl_ref logaddexp2_of(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_ref gap = fl_neg(b, fl_abs(b, fl_sub(b, x, y)));
    return log_add(b, x, y, fl_exp(b, fl_mul_c(b, gap, M_LN2)), M_LOG2E);
}

/* Of floating-point numbers, and complex ones where the formula is for them, alone. */
static void of_floats(fl_builder *b, fl_binary_formula f, unsigned flags)
{
    if (is_integral(fl_promote_args(b, (const int[]){0, 1}, 2)))
        fl_unsupported(b, "this element type");
    else
        fl_binary(b, f, flags);
}

#define OF_FLOATS(name, f, flags)                                                                            \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        of_floats(b, f, flags);                                                                              \
    }
#define SPECIAL(name, f, flags)                                                                              \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        fl_binary(b, f, (flags) | FL_UNARY_REAL);                                                            \
    }
SPECIAL(heaviside, heaviside_of, 0)
SPECIAL(atan2, fl_atan2, FL_UNARY_FLOAT | FL_UNARY_OPMATH)
SPECIAL(copysign, fl_f_copysign, FL_UNARY_FLOAT)
SPECIAL(xlogy, xlogy_of, FL_UNARY_FLOAT | FL_UNARY_OPMATH)
SPECIAL(xlog1py, xlog1py_of, FL_UNARY_FLOAT | FL_UNARY_OPMATH)
SPECIAL(zeta, fl_zeta, FL_UNARY_FLOAT | FL_UNARY_OPMATH)
OF_FLOATS(hypot, hypot_of, FL_UNARY_OPMATH | FL_UNARY_REAL)
OF_FLOATS(nextafter, fl_next_after, FL_UNARY_REAL)
OF_FLOATS(logaddexp, fl_f_log_add_exp, FL_UNARY_OPMATH)
OF_FLOATS(logaddexp2, logaddexp2_of, FL_UNARY_OPMATH | FL_UNARY_REAL)

/* Euclid's algorithm on all elements at once; returns the magnitude of the greatest common divisor. */
static fl_ref gcd_of(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_ref init[2] = {fl_unary_abs.apply(b, x), fl_unary_abs.apply(b, y)};
    fl_broadcast_all(b, init, 2);
    if (!fl_ok(b)) return FL_NO_REF;
    fl_type types[2] = {*fl_typeof(b, init[0]), *fl_typeof(b, init[1])};
    fl_block *condition = fl_region_begin(b, types, 2);
    fl_ref left =
        fl_compare(b, FL_NE, fl_block_arg(condition, 1), fl_scalar_i(b, (fl_dtype)types[0].dtype, 0));
    fl_ref go_on = types[0].rank ? fl_reduce_all(b, FL_OP_or, left) : left;
    fl_region_end(b, condition, &go_on, 1);

    fl_block *body = fl_region_begin(b, types, 2);
    fl_ref large = fl_block_arg(body, 0), small = fl_block_arg(body, 1);
    fl_ref done = fl_compare(b, FL_EQ, small, fl_scalar_i(b, (fl_dtype)types[0].dtype, 0));
    fl_ref rest = fl_rem(b, large, fl_select(b, done, fl_scalar_i(b, (fl_dtype)types[0].dtype, 1), small));
    fl_ref next[2] = {fl_select(b, done, large, small), fl_select(b, done, small, rest)};
    fl_region_end(b, body, next, 2);

    fl_block *regions[2] = {condition, body};
    return fl_build(b, FL_OP_while, init, 2, NULL, 0, regions, 2);
}

static fl_ref lcm_of(fl_builder *b, fl_ref x, fl_ref y)
{
    fl_ref divisor = gcd_of(b, x, y);
    fl_dtype t = fl_dtypeof(b, x);
    fl_ref zero = fl_compare(b, FL_EQ, divisor, fl_scalar_i(b, t, 0));
    fl_ref safe = fl_select(b, zero, fl_scalar_i(b, t, 1), divisor);
    return fl_unary_abs.apply(b, fl_mul(b, fl_div(b, x, safe), y));
}

FL_LOWER(gcd)
{
    shift(b, gcd_of);
}

FL_LOWER(lcm)
{
    shift(b, lcm_of);
}
