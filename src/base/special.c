/* Formulae are from Abramowitz & Stegun, Handbook of Mathematical Functions (numbers in the comments). Sums
 * run in long double, so that the rounding of the result to double is nearly the only error. */
#define _GNU_SOURCE
#include "base/special.h"

#include <math.h>

#define PI 3.141592653589793238462643383279502884L

/* Bernoulli numbers B2, B4, ... */
static const long double bernoulli[] = {
    1.0L / 6,        -1.0L / 30,
    1.0L / 42,       -1.0L / 30,
    5.0L / 66,       -691.0L / 2730,
    7.0L / 6,        -3617.0L / 510,
    43867.0L / 798,  -174611.0L / 330,
    854513.0L / 138, -236364091.0L / 2730,
    8553103.0L / 6,  -23749461029.0L / 870,
};
#define BERNOULLI_COUNT ((int)(sizeof bernoulli / sizeof *bernoulli))

double fl_special_lgamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* 6.3.18 after 6.3.6 has carried x beyond 16 */
static long double digamma_positive(long double x)
{
    long double sum = 0;
    for (; x < 16; x += 1) sum -= 1 / x;
    long double inverse = 1 / (x * x), power = inverse, tail = 0;
    for (int k = 0; k < 10; k++, power *= inverse) tail += bernoulli[k] * power / (2 * k + 2);
    return sum + logl(x) - 0.5L / x - tail;
}

/* Euler-Maclaurin (23.1.30 applied to t^-s) from the first q + k that is large enough */
static long double zeta_positive(long double s, long double q)
{
    long double sum = 0, a = q;
    for (int k = 0; k < 16; k++, a += 1) {
        long double term = powl(a, -s);
        sum += term;
        if (term < sum * 1e-22L && k > 1) return sum;
    }
    long double power = powl(a, -s);
    sum += power * a / (s - 1) + power / 2;
    /* s (s+1) ... (s+2k) a^(-s-2k-1) / (2k+2)!, but for the 2 of 2! */
    long double factor = s * power / a;
    for (int k = 0; k < BERNOULLI_COUNT; k++) {
        long double term = bernoulli[k] * factor / 2;
        sum += term;
        if (fabsl(term) < fabsl(sum) * 1e-22L) break;
        factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (a * a * (2 * k + 3) * (2 * k + 4));
    }
    return sum;
}

/* The Taylor series at the positive root, near which the sum above cancels; 6.4.10 gives the derivatives. */
static long double digamma_near_root(double x)
{
    /* the root is the sum of both */
    const double root = 0x1.762d86356be3fp+0, rest = 9.549995429965697715184199e-17;
    long double h = (x - root) - (long double)rest, power = h, sum = 0;
    for (int n = 1; n < 8; n++, power *= -h) sum += power * zeta_positive(n + 1, root);
    return sum;
}

double fl_special_digamma(double x)
{
    if (x == 0) return copysign(INFINITY, -x);
    if (isnan(x) || x == INFINITY) return x;
    if (fabs(x - 1.4616321449683623) < 2e-3) return (double)digamma_near_root(x);
    if (x > 0) return (double)digamma_positive(x);
    if (x == floor(x)) return NAN; /* -inf too */
    /* 6.3.7; the cotangent has period 1, so only the fraction of x matters */
    return (double)(digamma_positive(1 - (long double)x) - PI / tanl(PI * ((long double)x - rintl(x))));
}

static long double zeta(double s, double q)
{
    if (isnan(s) || isnan(q) || s < 1) return NAN;
    if (s == 1) return INFINITY;
    if (q == INFINITY || q == -INFINITY) return q > 0 ? 0.0L : NAN;
    if (q > 0) return zeta_positive(s, q);
    if (q == floor(q)) return INFINITY; /* a pole of the sum */
    if (s != floor(s)) return NAN;
    /* The sum over all integers depends on the fraction of q alone; take away the terms below q. */
    long double fraction = (long double)q - floorl(q), sign = fmod(s, 2) == 0 ? 1 : -1;
    if (s > 300 && fabs(q) < 1) return powl(q, -s) + zeta_positive(s, (long double)q + 1);
    return zeta_positive(s, fraction) + sign * zeta_positive(s, 1 - fraction) -
           sign * zeta_positive(s, 1 - (long double)q);
}

double fl_special_zeta(double s, double q)
{
    return (double)zeta(s, q);
}

double fl_special_polygamma(double n, double x)
{
    if (n < 0 || n != floor(n) || isinf(n)) return NAN;
    if (n == 0) return fl_special_digamma(x);
    long double sign = fmod(n, 2) == 0 ? -1 : 1; /* 6.4.10 */
    return (double)(sign * tgammal((long double)n + 1) * zeta(n + 1, x));
}

double fl_special_erf_inv(double x)
{
    double a = fabs(x);
    if (isnan(x) || a > 1) return NAN;
    if (a == 1) return copysign(INFINITY, x);
    if (a < 1e-4) { /* the Taylor series; its next term is below 1e-25 of the first */
        long double half = sqrtl(PI) / 2 * x, t = half * half;
        return (double)(half * (1 + t * (1.0L / 3 + t * (7.0L / 30))));
    }
    /* Winitzki's approximation (2008), good to 2e-3, then Halley's method: each step triples the digits */
    long double l = log1pl(-(long double)a * a), c = 2 / (PI * 0.147L) + l / 2;
    long double y = sqrtl(sqrtl(c * c - l / 0.147L) - c);
    for (int step = 0; step < 3; step++) {
        /* in the tail the difference is taken of erfc: 1 - a is exact */
        long double error = a < 0.5 ? erfl(y) - a : (1 - (long double)a) - erfcl(y);
        long double newton = error * sqrtl(PI) / 2 * expl(y * y);
        y -= newton / (1 + y * newton);
    }
    return (double)copysignl(y, x);
}

/* I_order(x) exp(-x) for order 0 and 1, x >= 0 */
static long double bessel_e(int order, long double x)
{
    if (isinf(x)) return 0;
    long double sum = 1, term = 1;
    if (x < 36) { /* 9.6.10: all terms are positive */
        long double quarter = x * x / 4;
        for (int k = 1; term > sum * 1e-21L; k++) {
            term *= quarter / ((long double)k * (k + order));
            sum += term;
        }
        return sum * expl(-x) * (order ? x / 2 : 1);
    }
    for (int k = 1; k < 60 && fabsl(term) > 1e-21L; k++) { /* 9.7.1 */
        long double odd = 2 * k - 1;
        term *= -(4.0L * order - odd * odd) / (8 * k * x);
        sum += term;
    }
    return sum / sqrtl(2 * PI * x);
}

double fl_special_bessel_i0e(double x)
{
    return isnan(x) ? x : (double)bessel_e(0, fabs(x));
}

double fl_special_bessel_i1e(double x)
{
    return isnan(x) ? x : (double)copysignl(bessel_e(1, fabs(x)), x);
}

double fl_special_bessel_i0(double x)
{
    return isnan(x) ? x : isinf(x) ? INFINITY : (double)(bessel_e(0, fabs(x)) * expl(fabsl(x)));
}

double fl_special_bessel_i1(double x)
{
    return isnan(x) ? x : isinf(x) ? x : (double)copysignl(bessel_e(1, fabs(x)) * expl(fabsl(x)), x);
}
