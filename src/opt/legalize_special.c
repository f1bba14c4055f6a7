/* The error functions, the gamma functions and a Bessel function, as polynomials of chlo_tables.h and the formulae of
 * Abramowitz & Stegun (numbers in the comments). The error is a few units in the last place, more near zeros of the function
 * below 0, and for zeta and polygamma. */
#include "opt/chlo_tables.h"
#include "opt/legalize.h"

#include <math.h>

static int is_f64(const fl_builder *b, fl_ref x)
{
    return fl_dtypeof(b, x) == FL_F64;
}

#define POLY(name, b, u)                                                                                     \
    (is_f64(b, u) ? fl_chlo_poly(b, u, name##_f64, sizeof name##_f64 / sizeof *name##_f64)                   \
                  : fl_chlo_poly(b, u, name##_f32, sizeof name##_f32 / sizeof *name##_f32))

/* What the tables take: x of [low, high] brought to [-1, 1]. */
static fl_ref scaled(fl_builder *b, fl_ref x, double low, double high)
{
    return fl_chlo_mul(b, fl_chlo_add(b, x, -(low + high) / 2), 2 / (high - low));
}

static fl_ref is_whole(fl_builder *b, fl_ref x)
{
    return fl_compare(b, FL_EQ, x, fl_floor(b, x));
}

/* ---- error functions ---- */

static fl_ref erf_small(fl_builder *b, fl_ref x)
{
    fl_ref u = scaled(b, fl_mul(b, x, x), 0, 1);
    return fl_add(b, x, fl_mul(b, x, POLY(erf, b, u)));
}

/* exp(-a^2): the square is taken of the leading bits, where it is exact, and the rest goes into a second factor. */
static fl_ref exp_minus_square(fl_builder *b, fl_ref a)
{
    const fl_attr bits[2] = {
        {.key = FL_ATTR_exponent_bits, .u.i = is_f64(b, a) ? 11 : 8},
        {.key = FL_ATTR_mantissa_bits, .u.i = is_f64(b, a) ? 25 : 11},
    };
    fl_ref h = fl_build(b, FL_OP_reduce_precision, &a, 1, bits, 2, NULL, 0);
    fl_ref rest = fl_mul(b, fl_sub(b, h, a), fl_add(b, h, a));
    return fl_mul(b, fl_exp(b, fl_neg(b, fl_mul(b, h, h))), fl_exp(b, rest));
}

/* erfc(a) for a >= 0.5; 0 from where it is below all numbers */
static fl_ref erfc_large(fl_builder *b, fl_ref a)
{
    const double most = is_f64(b, a) ? 28 : 10.5;
    a = fl_min(b, a, fl_full_like(b, a, most));
    fl_ref t = fl_div(b, fl_chlo_add(b, a, -4), fl_chlo_add(b, a, 4));
    fl_ref u = scaled(b, t, (0.5 - 4) / (0.5 + 4), (most - 4) / (most + 4));
    fl_ref value = fl_div(b, POLY(erfc, b, u), fl_chlo_add(b, fl_add(b, a, a), 1));
    return fl_mul(b, value, exp_minus_square(b, a));
}

fl_ref fl_chlo_erf(fl_builder *b, const fl_ref *x)
{
    fl_ref a = fl_abs(b, x[0]);
    fl_ref large = fl_chlo_copysign(b, fl_chlo_rsub(b, 1, erfc_large(b, a)), x[0]);
    return fl_chlo_below(b, a, 1, erf_small(b, x[0]), large);
}

fl_ref fl_chlo_erfc(fl_builder *b, const fl_ref *x)
{
    fl_ref a = fl_abs(b, x[0]), tail = erfc_large(b, a);
    fl_ref near = fl_chlo_rsub(b, 1, erf_small(b, x[0]));
    fl_ref left = fl_chlo_below(b, a, 1, near, fl_chlo_rsub(b, 2, tail));
    return fl_chlo_below(b, x[0], 0.5, left, tail);
}

/* x times a function of w = -log(1 - x^2), far out of its root */
fl_ref fl_chlo_erf_inv(fl_builder *b, const fl_ref *operands)
{
    fl_ref x = operands[0], one = fl_chlo_c(b, x, 1);
    fl_ref w = fl_neg(b, fl_log(b, fl_mul(b, fl_sub(b, one, x), fl_add(b, one, x))));
    double middle = is_f64(b, x) ? 6.25 : 5;
    fl_ref root = fl_sqrt(b, w), p = POLY(erf_inv, b, scaled(b, w, 0, middle));
    if (is_f64(b, x)) {
        fl_ref tail = fl_chlo_poly(b, scaled(b, root, 2.5, 4), erf_inv_tail_f64,
                                   sizeof erf_inv_tail_f64 / sizeof *erf_inv_tail_f64);
        fl_ref end = fl_chlo_poly(b, scaled(b, root, 4, sqrt(36.8)), erf_inv_end_f64,
                                  sizeof erf_inv_end_f64 / sizeof *erf_inv_end_f64);
        p = fl_chlo_below(b, w, middle, p, fl_chlo_below(b, w, 16, tail, end));
    } else {
        fl_ref tail = fl_chlo_poly(b, scaled(b, root, sqrt(5), sqrt(16.7)), erf_inv_tail_f32,
                                   sizeof erf_inv_tail_f32 / sizeof *erf_inv_tail_f32);
        p = fl_chlo_below(b, w, middle, p, tail);
    }
    fl_ref at_one = fl_chlo_cmp(b, FL_EQ, fl_abs(b, x), 1);
    return fl_mul(b, x, fl_select(b, at_one, fl_full_like(b, x, INFINITY), p));
}

/* ---- gamma functions ---- */

/* Bernoulli numbers B2, B4, ... B24 */
static const double bernoulli[12] = {
    1.0 / 6, -1.0 / 30,     1.0 / 42,      -1.0 / 30,       5.0 / 66,       -691.0 / 2730,
    7.0 / 6, -3617.0 / 510, 43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730,
};

/* sum of B2k / d(k) x^(1-2k), k = 1 ... count */
static fl_ref bernoulli_sum(fl_builder *b, fl_ref inverse, int count, double (*d)(int k))
{
    double c[12];
    for (int k = 1; k <= count; k++) c[count - k] = bernoulli[k - 1] / d(k);
    return fl_mul(b, inverse, fl_chlo_poly(b, fl_mul(b, inverse, inverse), c, count));
}

static double stirling_divisor(int k)
{
    return 2.0 * k * (2 * k - 1);
}

static double digamma_divisor(int k)
{
    return 2.0 * k;
}

/* Of x >= 0.5: around its zeros 1 and 2, between, and 6.1.41 from 8 on. */
static fl_ref lgamma_right(fl_builder *b, fl_ref x)
{
    fl_ref one = fl_chlo_add(b, x, -1), two = fl_chlo_add(b, x, -2);
    fl_ref near1 = fl_mul(b, one, POLY(lgamma1, b, fl_add(b, one, one)));
    fl_ref near2 = fl_mul(b, two, POLY(lgamma2, b, fl_add(b, two, two)));
    fl_ref between = fl_mul(b, two, POLY(lgamma3, b, scaled(b, x, 2.5, 8)));
    fl_ref log_x = fl_log(b, x), tail = bernoulli_sum(b, fl_chlo_div(b, 1, x), 9, stirling_divisor);
    fl_ref main = fl_mul(b, fl_chlo_add(b, x, -0.5), fl_chlo_add(b, log_x, -1));
    fl_ref far = fl_add(b, main, fl_chlo_add(b, tail, 0.91893853320467274178 - 0.5)); /* log(2 pi) / 2 */
    far = fl_select(b, fl_chlo_is_inf(b, x), x, far);
    fl_ref value = fl_chlo_below(b, x, 8, between, far);
    value = fl_chlo_below(b, x, 2.5, near2, value);
    return fl_chlo_below(b, x, 1.5, fl_chlo_add(b, near1, 0), value); /* + 0: of 1 it is 0, not -0 */
}

/* Below 0.5 by 6.1.17: log(pi / |sin(pi x)|) - lgamma(1 - x); the sine has period 1 but for its sign. */
fl_ref fl_chlo_lgamma(fl_builder *b, const fl_ref *operands)
{
    fl_ref x = operands[0], below = fl_chlo_cmp(b, FL_LT, x, 0.5);
    fl_ref right = lgamma_right(b, fl_select(b, below, fl_chlo_rsub(b, 1, x), x));
    fl_ref rest = fl_abs(b, fl_sub(b, x, fl_round(b, x)));
    fl_ref sine = fl_sin(b, fl_chlo_mul(b, rest, M_PI));
    fl_ref left = fl_sub(b, fl_chlo_rsub(b, 1.14472988584940017414, fl_log(b, sine)), right); /* log pi */
    /* poles, among them all numbers so large that the other term has no place left */
    left = fl_select(b, is_whole(b, x), fl_full_like(b, x, INFINITY), left);
    return fl_select(b, below, left, right);
}

enum { DIGAMMA_STEPS = 8 };

/* Of x >= 0.5: around its zero on [1, 4] (6.3.5 below), and 6.3.18 from 10 on, where 6.3.6 carries it. */
static fl_ref digamma_right(fl_builder *b, fl_ref x)
{
    const double root = 0x1.762d86356be3fp+0, root_rest = 9.549995429965697715e-17;
    const double root_f32 = 0x1.762d86p+0;
    fl_ref low = fl_chlo_cmp(b, FL_LT, x, 1), step = fl_chlo_div(b, 1, x);
    fl_ref y = fl_select(b, low, fl_chlo_add(b, x, 1), x);
    double first = is_f64(b, x) ? root : root_f32;
    fl_ref offset = fl_chlo_add(b, fl_chlo_add(b, y, -first), -(root - first + root_rest));
    fl_ref near = fl_mul(b, offset, POLY(digamma, b, scaled(b, y, 1, 4)));
    near = fl_select(b, low, fl_sub(b, near, step), near);
    fl_ref sum = fl_full_like(b, x, 0), small = fl_chlo_cmp(b, FL_LT, x, 10);
    for (int k = 0; k < DIGAMMA_STEPS; k++) sum = fl_add(b, sum, fl_chlo_div(b, 1, fl_chlo_add(b, x, k)));
    fl_ref z = fl_select(b, small, fl_chlo_add(b, x, DIGAMMA_STEPS), x);
    fl_ref inverse = fl_chlo_div(b, 1, z);
    fl_ref tail = bernoulli_sum(b, inverse, 9, digamma_divisor);
    fl_ref far = fl_sub(b, fl_log(b, z), fl_mul(b, inverse, fl_chlo_c(b, x, 0.5)));
    far = fl_sub(b, far, fl_mul(b, inverse, tail));
    far = fl_select(b, small, fl_sub(b, far, sum), far);
    return fl_chlo_below(b, x, 4, near, far);
}

/* Below 0.5 by 6.3.7; -+inf at +-0, NaN at the other poles. */
fl_ref fl_chlo_digamma(fl_builder *b, const fl_ref *operands)
{
    fl_ref x = operands[0], below = fl_chlo_cmp(b, FL_LT, x, 0.5);
    fl_ref right = digamma_right(b, fl_select(b, below, fl_chlo_rsub(b, 1, x), x));
    fl_ref turn = fl_chlo_mul(b, fl_sub(b, x, fl_round(b, x)), M_PI);
    fl_ref cotangent = fl_div(b, fl_cos(b, turn), fl_sin(b, turn));
    fl_ref left = fl_sub(b, right, fl_chlo_mul(b, cotangent, M_PI));
    fl_ref pole = fl_and(b, is_whole(b, x), fl_chlo_cmp(b, FL_LE, x, 0));
    left = fl_select(b, pole, fl_full_like(b, x, NAN), left);
    left = fl_select(b, fl_chlo_cmp(b, FL_EQ, x, 0),
                     fl_chlo_copysign(b, fl_full_like(b, x, INFINITY), fl_neg(b, x)), left);
    return fl_select(b, below, left, right);
}

enum { ZETA_TERMS = 20 };

/* Euler-Maclaurin (23.1.30 applied to t^-s) from q + 20 on. For q < 0 only with integer s, and accurate from about -15 on. */
fl_ref fl_chlo_zeta(fl_builder *b, const fl_ref *x)
{
    fl_ref s = x[0], q = x[1], minus = fl_neg(b, s), a = q;
    fl_ref sum = fl_full_like(b, s, 0);
    for (int k = 0; k < ZETA_TERMS; k++, a = fl_chlo_add(b, a, 1)) sum = fl_add(b, sum, fl_pow(b, a, minus));
    fl_ref power = fl_pow(b, a, minus), inverse = fl_chlo_div(b, 1, a);
    fl_ref rest =
        fl_add(b, fl_div(b, fl_mul(b, power, a), fl_chlo_add(b, s, -1)), fl_chlo_mul(b, power, 0.5));
    /* B2k s (s+1) ... (s+2k-2) a^(-s-2k+1) / (2k)! */
    fl_ref factor = fl_mul(b, fl_mul(b, power, s), inverse), square = fl_mul(b, inverse, inverse);
    double factorial = 2;
    for (int k = 1; k <= 12; k++) {
        rest = fl_add(b, rest, fl_chlo_mul(b, factor, bernoulli[k - 1] / factorial));
        fl_ref grown = fl_mul(b, fl_chlo_add(b, s, 2 * k - 1), fl_chlo_add(b, s, 2 * k));
        factor = fl_mul(b, fl_mul(b, factor, grown), square);
        factorial *= (2.0 * k + 1) * (2 * k + 2);
    }
    /* beyond the largest number the last terms are infinity times 0: they are nothing beside the sum */
    rest = fl_select(b, fl_is_finite(b, rest), rest, fl_full_like(b, s, 0));
    fl_ref value = fl_add(b, sum, rest), nan = fl_full_like(b, s, NAN),
           infinity = fl_full_like(b, s, INFINITY);
    fl_ref negative = fl_chlo_cmp(b, FL_LE, q, 0);
    value = fl_select(b, fl_and(b, negative, fl_not(b, is_whole(b, s))), nan, value);
    value = fl_select(b, fl_and(b, negative, is_whole(b, q)), infinity, value);
    value = fl_select(b, fl_chlo_cmp(b, FL_EQ, s, 1), infinity, value);
    value = fl_select(b, fl_chlo_cmp(b, FL_LT, s, 1), nan, value);
    return fl_select(b, fl_or(b, fl_is_nan(b, s), fl_is_nan(b, q)), nan, value);
}

/* (-1)^(n+1) n! zeta(n + 1, x): 6.4.10 */
fl_ref fl_chlo_polygamma(fl_builder *b, const fl_ref *operands)
{
    fl_ref n = operands[0], x = operands[1], next = fl_chlo_add(b, n, 1);
    const fl_ref both[2] = {next, x};
    fl_ref value = fl_mul(b, fl_exp(b, fl_chlo_lgamma(b, &next)), fl_chlo_zeta(b, both));
    fl_ref half = fl_chlo_mul(b, n, 0.5);
    value = fl_select(b, is_whole(b, half), fl_neg(b, value), value);
    value = fl_select(b, fl_chlo_cmp(b, FL_EQ, n, 0), fl_chlo_digamma(b, &x), value);
    fl_ref right = fl_and(b, is_whole(b, n), fl_chlo_cmp(b, FL_GE, n, 0));
    return fl_select(b, right, value, fl_full_like(b, x, NAN));
}

/* ---- Bessel ---- */

fl_ref fl_chlo_bessel_i1e(fl_builder *b, const fl_ref *x)
{
    fl_ref a = fl_abs(b, x[0]);
    fl_ref small = fl_mul(b, a, POLY(bessel_small, b, scaled(b, a, 0, 8)));
    fl_ref large = POLY(bessel_large, b, scaled(b, fl_chlo_div(b, 1, a), 0, 0.125));
    return fl_chlo_copysign(b, fl_chlo_below(b, a, 8, small, fl_mul(b, large, fl_rsqrt(b, a))), x[0]);
}
