/* Special functions of one argument: Bessel, Airy and error functions, as rational and Chebyshev
 * approximations that hold for f64; every branch is computed and the right one selected. Narrow floats are
 * computed in f32. */
#include "aten/formula.h"
#include "aten/special_tables.h"
#include "aten/table.h"
#include <math.h>

#define COUNT(array)              ((int)(sizeof(array) / sizeof *(array)))
#define POLY(b, x, c)             fl_poly(b, x, c, COUNT(c))
#define RATIO(b, x, above, below) fl_div(b, POLY(b, x, above), POLY(b, x, below))
#define CHEBYSHEV(b, x, c)        chebyshev(b, x, c, COUNT(c))

/* Clenshaw's sum of a Chebyshev series, as Cephes scales its argument. */
static fl_ref chebyshev(fl_builder *b, fl_ref x, const double *c, int count)
{
    fl_ref a = fl_const(b, x, c[0]), before = FL_NO_REF, last = FL_NO_REF;
    for (int i = 1; i < count; i++) {
        fl_ref next = fl_mul(b, x, a);
        if (last != FL_NO_REF) next = fl_sub(b, next, last);
        before = last;
        last = a;
        a = fl_add_c(b, next, c[i]);
        if (i + 1 == count) before = before == FL_NO_REF ? fl_const(b, x, 0) : before;
    }
    return fl_mul_c(b, fl_sub(b, a, before), 0.5);
}

static fl_ref over(fl_builder *b, double c, fl_ref x)
{
    return fl_div(b, fl_full_like(b, x, c), x);
}

static fl_ref nan_where(fl_builder *b, fl_ref condition, fl_ref x)
{
    return fl_select(b, condition, fl_const(b, x, NAN), x);
}

/* ---- modified Bessel functions; `scaled` without the factor exp(|x|) or exp(-x) */

static fl_ref i_series(fl_builder *b, fl_ref x, const double *near, int near_count, const double *far,
                       int far_count, int odd, int scaled)
{
    fl_ref size = fl_abs(b, x);
    fl_ref low = chebyshev(b, fl_add_c(b, fl_mul_c(b, size, 0.5), -2), near, near_count);
    if (odd) low = fl_mul(b, low, size);
    fl_ref high =
        fl_div(b, chebyshev(b, fl_add_c(b, over(b, 32, size), -2), far, far_count), fl_sqrt(b, size));
    fl_ref value = fl_select(b, fl_compare_c(b, FL_LE, size, 8), low, high);
    if (!scaled) value = fl_mul(b, value, fl_exp(b, size));
    return odd ? fl_select(b, fl_compare_c(b, FL_LT, x, 0), fl_neg(b, value), value) : value;
}

static fl_ref i0(fl_builder *b, fl_ref x)
{
    return i_series(b, x, i0_a, COUNT(i0_a), i0_b, COUNT(i0_b), 0, 0);
}

static fl_ref i0e(fl_builder *b, fl_ref x)
{
    return i_series(b, x, i0_a, COUNT(i0_a), i0_b, COUNT(i0_b), 0, 1);
}

static fl_ref i1(fl_builder *b, fl_ref x)
{
    return i_series(b, x, i1_a, COUNT(i1_a), i1_b, COUNT(i1_b), 1, 0);
}

static fl_ref i1e(fl_builder *b, fl_ref x)
{
    return i_series(b, x, i1_a, COUNT(i1_a), i1_b, COUNT(i1_b), 1, 1);
}

static fl_ref k_of(fl_builder *b, fl_ref x, int order, int scaled)
{
    fl_ref square = fl_add_c(b, fl_mul(b, x, x), -2), log_half = fl_log(b, fl_mul_c(b, x, 0.5)), low;
    if (order == 0)
        low = fl_sub(b, CHEBYSHEV(b, square, k0_a), fl_mul(b, log_half, i0(b, x)));
    else
        low = fl_add(b, fl_mul(b, log_half, i1(b, x)), fl_div(b, CHEBYSHEV(b, square, k1_a), x));
    fl_ref argument = fl_add_c(b, over(b, 8, x), -2);
    fl_ref high =
        fl_div(b, order ? CHEBYSHEV(b, argument, k1_b) : CHEBYSHEV(b, argument, k0_b), fl_sqrt(b, x));
    if (scaled)
        low = fl_mul(b, low, fl_exp(b, x));
    else
        high = fl_mul(b, high, fl_exp(b, fl_neg(b, x)));
    fl_ref value = fl_select(b, fl_compare_c(b, FL_LE, x, 2), low, high);
    value = fl_select(b, fl_compare_c(b, FL_EQ, x, 0), fl_const(b, x, INFINITY), value);
    return nan_where(b, fl_compare_c(b, FL_LT, x, 0), value);
}

static fl_ref k0(fl_builder *b, fl_ref x)
{
    return k_of(b, x, 0, 0);
}

static fl_ref k1(fl_builder *b, fl_ref x)
{
    return k_of(b, x, 1, 0);
}

static fl_ref k0e(fl_builder *b, fl_ref x)
{
    return k_of(b, x, 0, 1);
}

static fl_ref k1e(fl_builder *b, fl_ref x)
{
    return k_of(b, x, 1, 1);
}

/* ---- Bessel functions of the first and second kind */

/* For x > 5: sqrt(2 / (pi x)) (P cos - 5/x Q sin) of x - shift, or with the second kind's sine and cosine. */
static fl_ref bessel_far(fl_builder *b, fl_ref x, int order, int second)
{
    fl_ref z = over(b, 5, x), w = fl_mul(b, z, z);
    fl_ref p = order ? RATIO(b, w, bessel1_pp, bessel1_pq) : RATIO(b, w, bessel0_pp, bessel0_pq);
    fl_ref q =
        fl_mul(b, z, order ? RATIO(b, w, bessel1_qp, bessel1_qq) : RATIO(b, w, bessel0_qp, bessel0_qq));
    fl_ref angle = fl_add_c(b, x, order ? -0.75 * M_PI : -0.25 * M_PI), sine = fl_sin(b, angle),
           cosine = fl_cos(b, angle);
    fl_ref sum = second ? fl_add(b, fl_mul(b, p, sine), fl_mul(b, q, cosine))
                        : fl_sub(b, fl_mul(b, p, cosine), fl_mul(b, q, sine));
    return fl_div(b, fl_mul_c(b, sum, 0.797884560802865355879892119868763737), fl_sqrt(b, x));
}

static fl_ref j0_of(fl_builder *b, fl_ref x)
{
    x = fl_abs(b, x);
    fl_ref z = fl_mul(b, x, x);
    fl_ref zeros =
        fl_mul(b, fl_add_c(b, z, -5.78318596294678452118), fl_add_c(b, z, -30.4712623436620863991));
    fl_ref near = fl_mul(b, zeros, RATIO(b, z, j0_rp, j0_rq));
    return fl_select(b, fl_compare_c(b, FL_LE, x, 5), near, bessel_far(b, x, 0, 0));
}

static fl_ref j1_of(fl_builder *b, fl_ref signed_x)
{
    fl_ref x = fl_abs(b, signed_x), z = fl_mul(b, x, x);
    fl_ref zeros =
        fl_mul(b, fl_add_c(b, z, -14.6819706421238932572), fl_add_c(b, z, -49.2184563216946036703));
    fl_ref near = fl_mul(b, fl_mul(b, RATIO(b, z, j1_rp, j1_rq), x), zeros);
    fl_ref value = fl_select(b, fl_compare_c(b, FL_LE, x, 5), near, bessel_far(b, x, 1, 0));
    return fl_select(b, fl_compare_c(b, FL_LT, signed_x, 0), fl_neg(b, value), value);
}

static fl_ref second_kind(fl_builder *b, fl_ref x, fl_ref near, int order)
{
    fl_ref value = fl_select(b, fl_compare_c(b, FL_LE, x, 5), near, bessel_far(b, x, order, 1));
    value = fl_select(b, fl_compare_c(b, FL_EQ, x, 0), fl_const(b, x, -INFINITY), value);
    return nan_where(b, fl_compare_c(b, FL_LT, x, 0), value);
}

static fl_ref y0_of(fl_builder *b, fl_ref x)
{
    fl_ref product = fl_mul_c(b, fl_mul(b, fl_log(b, x), j0_of(b, x)), M_2_PI);
    return second_kind(b, x, fl_add(b, RATIO(b, fl_mul(b, x, x), y0_yp, y0_yq), product), 0);
}

static fl_ref y1_of(fl_builder *b, fl_ref x)
{
    fl_ref product = fl_sub(b, fl_mul(b, j1_of(b, x), fl_log(b, x)), over(b, 1, x));
    fl_ref ratio = fl_mul(b, x, RATIO(b, fl_mul(b, x, x), y1_yp, y1_yq));
    return second_kind(b, x, fl_add(b, ratio, fl_mul_c(b, product, M_2_PI)), 1);
}

static fl_ref spherical_j0(fl_builder *b, fl_ref x)
{
    static const double series[] = {
        1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1};
    fl_ref near = POLY(b, fl_mul(b, x, x), series), far = fl_div(b, fl_sin(b, x), x);
    fl_ref size = fl_abs(b, x), value = fl_select(b, fl_compare_c(b, FL_LT, size, 0.5), near, far);
    return fl_select(b, fl_compare_c(b, FL_EQ, size, INFINITY), fl_const(b, x, 0), value);
}

/* ---- Airy's function: a power series in the middle, asymptotic expansions outside */

static fl_ref airy_middle(fl_builder *b, fl_ref x)
{
    /* Both series to the 12th term: enough for f64 where |x| <= 2.09. */
    fl_ref cube = fl_mul(b, fl_mul(b, x, x), x), f = fl_full_like(b, x, 1), g = x, m = f, n = x;
    for (int k = 1; k <= 34; k += 3) {
        m = fl_mul_c(b, fl_mul(b, m, cube), 1.0 / ((k + 1.0) * (k + 2.0)));
        n = fl_mul_c(b, fl_mul(b, n, cube), 1.0 / ((k + 2.0) * (k + 3.0)));
        f = fl_add(b, f, m);
        g = fl_add(b, g, n);
    }
    return fl_sub(b, fl_mul_c(b, f, 0.355028053887817239260), fl_mul_c(b, g, 0.258819403792806798405));
}

static fl_ref airy(fl_builder *b, fl_ref x)
{
    const double one_over_root_pi = 5.64189583547756286948e-01;
    fl_ref size = fl_abs(b, x), root = fl_sqrt(b, size), quarter = fl_sqrt(b, root);
    fl_ref zeta = fl_mul_c(b, fl_mul(b, size, root), 2.0 / 3), z = over(b, 1, zeta), zz = fl_mul(b, z, z);
    fl_ref angle = fl_add_c(b, zeta, M_PI / 4);
    fl_ref f = fl_add_c(b, fl_mul(b, zz, RATIO(b, zz, airy_afn, airy_afd)), 1),
           g = fl_mul(b, z, RATIO(b, zz, airy_agn, airy_agd));
    fl_ref wave = fl_sub(b, fl_mul(b, fl_sin(b, angle), f), fl_mul(b, fl_cos(b, angle), g));
    fl_ref below = fl_div(b, fl_mul_c(b, wave, one_over_root_pi), quarter);
    fl_ref decay = fl_mul(b, RATIO(b, z, airy_an, airy_ad), fl_exp(b, fl_neg(b, zeta)));
    fl_ref above = fl_div(b, fl_mul_c(b, decay, one_over_root_pi / 2), quarter);
    fl_ref value = fl_select(b, fl_compare_c(b, FL_GE, x, 2.09), above, airy_middle(b, x));
    value = fl_select(b, fl_compare_c(b, FL_LT, x, -2.09), below, value);
    value = fl_select(b, fl_compare_c(b, FL_GT, x, 103.892), fl_const(b, x, 0), value);
    return nan_where(b, fl_compare_c(b, FL_EQ, size, INFINITY), value);
}

/* ---- error function's relatives */

static fl_ref erfcx_positive(fl_builder *b, fl_ref x)
{
    fl_ref near = fl_mul(b, fl_exp(b, fl_mul(b, x, x)), fl_erfc(b, x));
    fl_ref inverse = over(b, 1, x),
           square = fl_mul(b, inverse, inverse); /* beyond 50: the expansion in 1/x */
    static const double tail[] = {-1.875, 0.75, -0.5, 1};
    fl_ref far = fl_mul_c(b, fl_mul(b, inverse, POLY(b, square, tail)), 5.64189583547756286948e-01);
    fl_ref value = fl_select(b, fl_compare_c(b, FL_LT, x, 8), RATIO(b, x, erfcx_p, erfcx_q),
                             RATIO(b, x, erfcx_r, erfcx_s));
    value = fl_select(b, fl_compare_c(b, FL_LT, x, 1), near, value);
    return fl_select(b, fl_compare_c(b, FL_GT, x, 50), far, value);
}

static fl_ref erfcx(fl_builder *b, fl_ref x)
{
    fl_ref positive = erfcx_positive(b, fl_abs(b, x)), growth = fl_exp(b, fl_mul(b, x, x));
    fl_ref negative = fl_sub(b, fl_add(b, growth, growth), positive);
    return fl_select(b, fl_compare_c(b, FL_LT, x, 0), negative, positive);
}

static fl_ref log_ndtr(fl_builder *b, fl_ref x)
{
    fl_ref t = fl_mul_c(b, x, M_SQRT1_2);
    fl_ref low = fl_sub(b, fl_log(b, fl_mul_c(b, erfcx_positive(b, fl_abs(b, t)), 0.5)), fl_mul(b, t, t));
    fl_ref high = fl_log1p(b, fl_mul_c(b, fl_erfc(b, t), -0.5));
    return fl_select(b, fl_compare_c(b, FL_LT, x, -1), low, high);
}

static fl_ref ndtri(fl_builder *b, fl_ref y)
{
    const double tail = 0.13533528323661269189; /* exp(-2) */
    fl_ref upper = fl_compare_c(b, FL_GT, y, 1 - tail), side = fl_select(b, upper, fl_c_sub(b, 1, y), y);
    fl_ref centre = fl_add_c(b, side, -0.5), square = fl_mul(b, centre, centre);
    fl_ref middle =
        fl_mul(b, centre, fl_add_c(b, fl_mul(b, square, RATIO(b, square, ndtri_p0, ndtri_q0)), 1));
    middle = fl_mul_c(b, middle, 2.50662827463100050242);
    fl_ref x = fl_sqrt(b, fl_mul_c(b, fl_log(b, side), -2)), z = over(b, 1, x);
    fl_ref first = fl_sub(b, x, fl_div(b, fl_log(b, x), x));
    fl_ref ratio = fl_select(b, fl_compare_c(b, FL_LT, x, 8), RATIO(b, z, ndtri_p1, ndtri_q1),
                             RATIO(b, z, ndtri_p2, ndtri_q2));
    fl_ref outer = fl_sub(b, first, fl_mul(b, z, ratio));
    outer = fl_select(b, upper, outer, fl_neg(b, outer));
    fl_ref value = fl_select(b, fl_compare_c(b, FL_GT, side, tail), middle, outer);
    value = fl_select(b, fl_compare_c(b, FL_EQ, y, 0), fl_const(b, y, -INFINITY), value);
    value = fl_select(b, fl_compare_c(b, FL_EQ, y, 1), fl_const(b, y, INFINITY), value);
    return nan_where(b, fl_or(b, fl_compare_c(b, FL_LT, y, 0), fl_compare_c(b, FL_GT, y, 1)), value);
}

/* -x log(x), 0 at 0, -inf below */
static fl_ref entr(fl_builder *b, fl_ref x)
{
    fl_ref value = fl_neg(b, fl_mul(b, x, fl_log(b, x)));
    value = fl_select(b, fl_compare_c(b, FL_EQ, x, 0), fl_const(b, x, 0), value);
    value = fl_select(b, fl_compare_c(b, FL_LT, x, 0), fl_const(b, x, -INFINITY), value);
    return fl_select(b, fl_is_nan(b, x), x, value);
}

/* These cancel, and errors of a logarithm or an exponential come out many times as large: f32 is computed in f64. */
static fl_ref in_double(fl_builder *b, fl_ref (*f)(fl_builder *, fl_ref), fl_ref x)
{
    if (fl_dtypeof(b, x) != FL_F32) return f(b, x);
    return fl_cast(b, f(b, fl_cast(b, x, FL_F64)), FL_F32);
}

#define SPECIAL(name)                                                                                        \
    static fl_ref wide_##name(fl_builder *b, fl_ref x)                                                       \
    {                                                                                                        \
        return in_double(b, name, x);                                                                        \
    }                                                                                                        \
    FL_LOWER(special_##name)                                                                                 \
    {                                                                                                        \
        const fl_unary op = {wide_##name, FL_UNARY_FLOAT | FL_UNARY_REAL | FL_UNARY_OPMATH};                 \
        fl_emit(b, fl_unary_value(b, op, fl_in(b, 0)));                                                      \
    }
SPECIAL(i0)
SPECIAL(i0e)
SPECIAL(i1)
SPECIAL(i1e)
SPECIAL(k0)
SPECIAL(k1)
SPECIAL(k0e)
SPECIAL(k1e)
SPECIAL(j0_of)
SPECIAL(j1_of)
SPECIAL(y0_of)
SPECIAL(y1_of)
SPECIAL(spherical_j0)
SPECIAL(airy)
SPECIAL(erfcx)
SPECIAL(log_ndtr)
SPECIAL(ndtri)
SPECIAL(entr)
