/* Regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 - P: a power series where x <= max(a, 1),
 * else Legendre's continued fraction. Always in f64: the common factor x^a e^-x / gamma(a) loses digits in
 * proportion to a log(x). */
#include "aten/formula.h"
#include "aten/table.h"
#include <math.h>

/* What an iteration changes: the terms of the series, numerators and denominators of two convergents, and the
 * step. */
enum { STEP, TERM, SUM, P1, P2, Q1, Q2, RATIO, MOVED, A, X, STATE };

static void iterate(fl_builder *b, const fl_ref *s, fl_ref *next)
{
    fl_ref n = fl_add_c(b, s[STEP], 1), a = s[A], x = s[X];
    next[STEP] = n;
    next[A] = a;
    next[X] = x;
    /* series: term *= x / (a + n) */
    next[TERM] = fl_mul(b, s[TERM], fl_div(b, x, fl_add(b, a, n)));
    next[SUM] = fl_add(b, s[SUM], next[TERM]);
    /* continued fraction: p = p1 z - p2 y n, with y = n + 1 - a and z = x + y + n + 1 */
    fl_ref y = fl_add_c(b, fl_sub(b, n, a), 1), z = fl_add_c(b, fl_add(b, fl_add(b, x, y), n), 1),
           yn = fl_mul(b, y, n);
    fl_ref p = fl_sub(b, fl_mul(b, s[P1], z), fl_mul(b, s[P2], yn)),
           q = fl_sub(b, fl_mul(b, s[Q1], z), fl_mul(b, s[Q2], yn));
    fl_ref usable = fl_compare_c(b, FL_NE, q, 0), ratio = fl_select(b, usable, fl_div(b, p, q), s[RATIO]);
    fl_ref by_fraction = fl_abs(b, fl_div(b, fl_sub(b, s[RATIO], ratio), ratio)),
           by_series = fl_div(b, next[TERM], next[SUM]);
    fl_ref fraction = fl_and(b, fl_compare_c(b, FL_GT, x, 1), fl_compare(b, FL_GT, x, a));
    next[MOVED] = fl_select(b, fraction, fl_select(b, usable, by_fraction, fl_const(b, x, 1)), by_series);
    next[RATIO] = ratio;
    fl_ref scale = fl_select(b, fl_compare_c(b, FL_GT, fl_abs(b, p), 0x1p52), fl_full_like(b, x, 0x1p-52),
                             fl_full_like(b, x, 1));
    next[P2] = fl_mul(b, s[P1], scale);
    next[Q2] = fl_mul(b, s[Q1], scale);
    next[P1] = fl_mul(b, p, scale);
    next[Q1] = fl_mul(b, q, scale);
}

/* Iterates until no element moves by more than an ulp; a NaN does not count as moving. Returns the first of
 * the final state. */
static fl_ref converge(fl_builder *b, fl_ref a, fl_ref x)
{
    fl_ref one = fl_full_like(b, x, 1), p = fl_add_c(b, x, 1), z = fl_add_c(b, fl_sub(b, x, a), 2),
           q = fl_mul(b, z, x);
    fl_ref init[STATE] = {
        [STEP] = fl_const(b, x, 0), [TERM] = one,  [SUM] = one, [P1] = p, [P2] = one, [Q1] = q, [Q2] = x,
        [RATIO] = fl_div(b, p, q),  [MOVED] = one, [A] = a,     [X] = x};
    if (!fl_ok(b)) return FL_NO_REF;
    fl_type types[STATE];
    fl_ref s[STATE], next[STATE];
    for (int i = 0; i < STATE; i++) types[i] = *fl_typeof(b, init[i]);
    fl_block *condition = fl_region_begin(b, types, STATE);
    fl_ref moving = fl_compare_c(b, FL_GT, fl_block_arg(condition, MOVED), 0x1p-52);
    if (types[X].rank) moving = fl_reduce_all(b, FL_OP_or, moving);
    fl_ref go_on = fl_and(b, moving, fl_compare_c(b, FL_LT, fl_block_arg(condition, STEP), 2000));
    fl_region_end(b, condition, &go_on, 1);
    fl_block *body = fl_region_begin(b, types, STATE);
    for (uint32_t i = 0; i < STATE; i++) s[i] = fl_block_arg(body, i);
    iterate(b, s, next);
    fl_region_end(b, body, next, STATE);
    fl_block *regions[2] = {condition, body};
    return fl_build(b, FL_OP_while, init, STATE, NULL, 0, regions, 2);
}

static void incomplete_gamma(fl_builder *b, int upper)
{
    fl_ref a, x;
    fl_dtype t = fl_operands(b, FL_UNARY_FLOAT | FL_UNARY_REAL, &a, &x);
    fl_ref values[2] = {fl_cast(b, a, FL_F64), fl_cast(b, x, FL_F64)};
    fl_broadcast_all(b, values, 2);
    a = values[0];
    x = values[1];
    fl_ref end = converge(b, a, x);
    if (end == FL_NO_REF) return;
    fl_ref factor = fl_exp(b, fl_sub(b, fl_sub(b, fl_mul(b, a, fl_log(b, x)), x), fl_lgamma(b, a)));
    fl_ref low = fl_div(b, fl_mul(b, end + SUM, factor), a), high = fl_mul(b, end + RATIO, factor);
    fl_ref fraction = fl_and(b, fl_compare_c(b, FL_GT, x, 1), fl_compare(b, FL_GT, x, a));
    fl_ref value = upper ? fl_select(b, fraction, high, fl_c_sub(b, 1, low))
                         : fl_select(b, fraction, fl_c_sub(b, 1, high), low);
    fl_ref none = fl_const(b, x, upper), all = fl_const(b, x, !upper), nan = fl_const(b, x, NAN);
    fl_ref a_infinite = fl_compare_c(b, FL_EQ, a, INFINITY), x_infinite = fl_compare_c(b, FL_EQ, x, INFINITY);
    fl_ref a_zero = fl_compare_c(b, FL_EQ, a, 0), x_zero = fl_compare_c(b, FL_EQ, x, 0);
    value = fl_select(b, fl_or(b, x_zero, a_infinite), none, value);
    value = fl_select(b, fl_or(b, x_infinite, a_zero), all, value);
    fl_ref undefined = fl_or(b, fl_and(b, a_infinite, x_infinite), fl_and(b, a_zero, x_zero));
    undefined = fl_or(b, undefined, fl_or(b, fl_compare_c(b, FL_LT, a, 0), fl_compare_c(b, FL_LT, x, 0)));
    fl_emit_as(b, fl_select(b, undefined, nan, value), t);
}

FL_LOWER(igamma)
{
    incomplete_gamma(b, 0);
}

FL_LOWER(igammac)
{
    incomplete_gamma(b, 1);
}
