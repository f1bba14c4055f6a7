/* Formulae without cancellation where there are such ones (W. Kahan, "Branch cuts for complex elementary
 * functions", 1987; T. Hull, T. Fairgrieve and P. Tang, "Implementing the complex arcsine and arccosine
 * functions using exception handling", 1997), computed with 104 bits, rounded once. The C library has annex
 * G's values for infinities and NaN. */
#define _GNU_SOURCE
#include "base/complex_math.h"

#include "base/wide.h"

#include <math.h>
#include <stdlib.h>

static const fl_wide one = {0.5, 0, 1};

static int is_finite(double complex z)
{
    return isfinite(creal(z)) && isfinite(cimag(z));
}

static double complex times_i(double complex z)
{
    return CMPLX(-cimag(z), creal(z));
}

static double complex divided_by_i(double complex z)
{
    return CMPLX(cimag(z), -creal(z));
}

/* A complex number in wide parts. */
typedef struct wide_complex {
    fl_wide re, im;
} wide_complex;

static wide_complex wide_of(double complex z)
{
    return (wide_complex){fl_wide_of(creal(z)), fl_wide_of(cimag(z))};
}

static wide_complex wide_multiply(wide_complex a, wide_complex b)
{
    return (wide_complex){
        fl_wide_subtract(fl_wide_multiply(a.re, b.re), fl_wide_multiply(a.im, b.im)),
        fl_wide_add(fl_wide_multiply(a.re, b.im), fl_wide_multiply(a.im, b.re)),
    };
}

static fl_wide norm(fl_wide x, fl_wide y) /* x^2 + y^2 */
{
    return fl_wide_add(fl_wide_square(x), fl_wide_square(y));
}

static fl_wide modulus(fl_wide x, fl_wide y)
{
    return fl_wide_sqrt(norm(x, y));
}

/* ---- arithmetic ---- */

/* Whether a b + c d, when it is zero, is the sum of two negative zeros. */
static int negative_zero(double a, double b, double c, double d)
{
    return !signbit(a) != !signbit(b) && !signbit(c) != !signbit(d);
}

double complex fl_complex_multiply(double complex a, double complex b)
{
    double x = creal(a), y = cimag(a), u = creal(b), v = cimag(b);
    if (!is_finite(a) || !is_finite(b)) return CMPLX(x * u - y * v, x * v + y * u);
    wide_complex product = wide_multiply(wide_of(a), wide_of(b));
    return CMPLX(fl_wide_signed(product.re, negative_zero(x, u, -y, v)),
                 fl_wide_signed(product.im, negative_zero(x, v, y, u)));
}

double complex fl_complex_square(double complex z)
{
    double x = creal(z), y = cimag(z);
    if (!is_finite(z)) return CMPLX((x - y) * (x + y), 2 * x * y);
    return fl_complex_multiply(z, z);
}

double complex fl_complex_divide(double complex a, double complex b)
{
    if (!is_finite(a) || !is_finite(b) || b == 0) return a / b;
    double x = creal(a), y = cimag(a), u = creal(b), v = cimag(b);
    wide_complex product = wide_multiply(wide_of(a), wide_of(conj(b)));
    fl_wide divisor = norm(fl_wide_of(u), fl_wide_of(v));
    return CMPLX(fl_wide_signed(fl_wide_divide(product.re, divisor), negative_zero(x, u, y, v)),
                 fl_wide_signed(fl_wide_divide(product.im, divisor), negative_zero(y, u, -x, v)));
}

double complex fl_complex_sign(double complex z)
{
    double x = creal(z), y = cimag(z);
    if (z == 0) return 0;
    if (!is_finite(z)) return z / cabs(z);
    fl_wide length = modulus(fl_wide_of(x), fl_wide_of(y));
    return CMPLX(fl_wide_signed(fl_wide_divide(fl_wide_of(x), length), signbit(x)),
                 fl_wide_signed(fl_wide_divide(fl_wide_of(y), length), signbit(y)));
}

/* ---- roots ---- */

/* The real part and the absolute imaginary part of the principal root. */
static wide_complex wide_sqrt(fl_wide x, fl_wide y)
{
    fl_wide zero = {0, 0, 0}, half = fl_wide_scale(fl_wide_add(modulus(x, y), fl_wide_abs(x)), -1);
    if (half.hi == 0) return (wide_complex){zero, zero};
    fl_wide large = fl_wide_sqrt(half), small = fl_wide_scale(fl_wide_divide(fl_wide_abs(y), large), -1);
    return x.hi >= 0 ? (wide_complex){large, small} : (wide_complex){small, large};
}

double complex fl_complex_sqrt(double complex z)
{
    if (!is_finite(z)) return csqrt(z);
    wide_complex root = wide_sqrt(fl_wide_of(creal(z)), fl_wide_of(cimag(z)));
    return CMPLX(fl_wide_double(root.re), copysign(fl_wide_double(root.im), cimag(z)));
}

double complex fl_complex_rsqrt(double complex z)
{
    if (z == 0) return CMPLX(INFINITY, NAN);
    if (isinf(creal(z)) || isinf(cimag(z))) return CMPLX(0, copysign(0, -cimag(z)));
    if (!is_finite(z)) return CMPLX(NAN, NAN);
    fl_wide x = fl_wide_of(creal(z)), y = fl_wide_of(cimag(z)), length = modulus(x, y);
    wide_complex root = wide_sqrt(x, y);
    return CMPLX(fl_wide_double(fl_wide_divide(root.re, length)),
                 copysign(fl_wide_double(fl_wide_divide(root.im, length)), -cimag(z)));
}

double complex fl_complex_cbrt(double complex z)
{
    if (z == 0) return z;
    if (!is_finite(z)) return cexp(clog(z) / 3);
    const fl_wide three = fl_wide_of(3);
    fl_wide x = fl_wide_of(creal(z)), y = fl_wide_of(fabs(cimag(z))), s, c;
    fl_wide length = fl_wide_exp(fl_wide_divide(fl_wide_log(modulus(x, y)), three));
    fl_wide_sincos(fl_wide_divide(fl_wide_atan2(y, x), three), &s, &c);
    return CMPLX(fl_wide_double(fl_wide_multiply(length, c)),
                 copysign(fl_wide_double(fl_wide_multiply(length, s)), cimag(z)));
}

/* ---- exponentials ---- */

/* Differs from annex G where both parts are infinite: the angle is not known, and StableHLO's tests want NaN. */
static int has_no_angle(double complex z)
{
    return isinf(creal(z)) && isinf(cimag(z));
}

double complex fl_complex_exp(double complex z)
{
    if (!is_finite(z)) return has_no_angle(z) ? CMPLX(NAN, NAN) : cexp(z);
    fl_wide s, c, length = fl_wide_exp(fl_wide_of(creal(z)));
    fl_wide_sincos(fl_wide_of(cimag(z)), &s, &c);
    return CMPLX(fl_wide_double(fl_wide_multiply(length, c)),
                 fl_wide_signed(fl_wide_multiply(length, s), signbit(cimag(z))));
}

double complex fl_complex_expm1(double complex z)
{
    double x = creal(z), y = cimag(z);
    if (!is_finite(z)) {
        double complex e = fl_complex_exp(z);
        return CMPLX(isnan(creal(e)) || y != 0 ? creal(e) - 1 : expm1(x), cimag(e));
    }
    fl_wide less = fl_wide_expm1(fl_wide_of(x)), s, c, half, unused;
    fl_wide_sincos(fl_wide_of(y), &s, &c);
    fl_wide_sincos(fl_wide_scale(fl_wide_of(y), -1), &half, &unused);
    /* e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2 (y / 2) */
    fl_wide re = fl_wide_subtract(fl_wide_multiply(less, c), fl_wide_scale(fl_wide_square(half), 1));
    fl_wide im = fl_wide_multiply(fl_wide_exp(fl_wide_of(x)), s);
    return CMPLX(fl_wide_signed(re, x == 0 && signbit(x)), fl_wide_signed(im, signbit(y)));
}

/* 1 / (1 + e^-z) = (e^x + cos y + i sin y) / 2 (cosh x + cos y), whose divisor is the double of
 * sinh^2 (x / 2) + cos^2 (y / 2) */
double complex fl_complex_logistic(double complex z)
{
    double x = creal(z), y = cimag(z);
    if (!is_finite(z)) return 1 / (1 + cexp(-z));
    fl_wide half = fl_wide_scale(fl_wide_of(x), -1), s, c, unused, cos_half;
    fl_wide_sincos(fl_wide_of(y), &s, &c);
    fl_wide_sincos(fl_wide_scale(fl_wide_of(y), -1), &unused, &cos_half);
    fl_wide up = fl_wide_exp(half), down = fl_wide_divide(one, up);
    fl_wide sinh_half = fl_wide_scale(fl_wide_subtract(up, down), -1);
    fl_wide divisor = fl_wide_scale(norm(sinh_half, cos_half), 2);
    fl_wide re = fl_wide_divide(fl_wide_add(fl_wide_square(up), c), divisor);
    return CMPLX(fl_wide_double(re), fl_wide_signed(fl_wide_divide(s, divisor), signbit(y)));
}

/* ---- logarithms ---- */

/* log |z|, from |z|^2 - 1 where that is small: the squares and their sum with -1 are nearly exact then */
static fl_wide log_modulus(fl_wide x, fl_wide y)
{
    fl_wide square = norm(x, y);
    if (square.exponent < 0 || square.exponent > 1) return fl_wide_scale(fl_wide_log(square), -1);
    int swap = fl_wide_subtract(fl_wide_abs(x), fl_wide_abs(y)).hi < 0;
    fl_wide large = fl_wide_square(swap ? y : x), small = fl_wide_square(swap ? x : y);
    return fl_wide_scale(fl_wide_log1p(fl_wide_add(fl_wide_subtract(large, one), small)), -1);
}

double complex fl_complex_log(double complex z)
{
    if (!is_finite(z) || z == 0) return clog(z);
    double angle = atan2(cimag(z), creal(z));
    return CMPLX(fl_wide_double(log_modulus(fl_wide_of(creal(z)), fl_wide_of(cimag(z)))), angle);
}

double complex fl_complex_log1p(double complex z)
{
    double x = creal(z), y = cimag(z);
    if (!is_finite(z) || (x == -1 && y == 0)) return clog(CMPLX(1 + x, y));
    fl_wide wx = fl_wide_of(x), wy = fl_wide_of(y), shifted = fl_wide_add(one, wx), re;
    double im = y == 0 ? atan2(y, 1 + x) : fl_wide_double(fl_wide_atan2(wy, shifted));
    /* |1 + z|^2 - 1 = (2 x + y^2) + x^2 */
    fl_wide more = fl_wide_add(fl_wide_add(fl_wide_scale(wx, 1), fl_wide_square(wy)), fl_wide_square(wx));
    if (more.exponent > 0 || (more.hi < 0 && more.exponent == 0))
        re = fl_wide_scale(fl_wide_log(norm(shifted, wy)), -1);
    else
        re = fl_wide_scale(fl_wide_log1p(more), -1);
    return CMPLX(fl_wide_signed(re, x == 0 && signbit(x)), im);
}

static fl_wide wide_log_of_power(double complex base, double complex exponent, fl_wide *angle)
{
    fl_wide x = fl_wide_of(creal(base)), y = fl_wide_of(cimag(base)), length = log_modulus(x, y);
    fl_wide turn = fl_wide_atan2(y, x);
    if (signbit(cimag(base)) && cimag(base) == 0) turn = fl_wide_negate(turn);
    wide_complex product = wide_multiply(wide_of(exponent), (wide_complex){length, turn});
    *angle = product.im;
    return product.re;
}

/* By squaring, so that results that are exact come out exact. */
static double complex integer_power(double complex base, int n)
{
    wide_complex result = {one, {0, 0, 0}}, square = wide_of(base);
    for (int k = abs(n); k; k >>= 1, square = wide_multiply(square, square))
        if (k & 1) result = wide_multiply(result, square);
    if (n < 0) {
        fl_wide divisor = norm(result.re, result.im);
        result.re = fl_wide_divide(result.re, divisor);
        result.im = fl_wide_negate(fl_wide_divide(result.im, divisor));
    }
    return CMPLX(fl_wide_double(result.re), fl_wide_double(result.im));
}

double complex fl_complex_power(double complex base, double complex exponent)
{
    double n = creal(exponent);
    if (exponent == 0) return 1;
    if (base == 0 && n > 0) return 0;
    if (base == 0 || !is_finite(base) || !is_finite(exponent)) return cpow(base, exponent);
    if (cimag(exponent) == 0 && n == rint(n) && fabs(n) <= 64) return integer_power(base, (int)n);
    if (exponent == 0.5) return fl_complex_sqrt(base);
    fl_wide angle, s, c, length = fl_wide_exp(wide_log_of_power(base, exponent, &angle));
    fl_wide_sincos(angle, &s, &c);
    return CMPLX(fl_wide_double(fl_wide_multiply(length, c)), fl_wide_double(fl_wide_multiply(length, s)));
}

/* ---- hyperbolic and trigonometric functions; f(z) = -i fh(i z) for sin, tan and their inverses ---- */

static void wide_sinhcosh(double x, fl_wide *sinh_x, fl_wide *cosh_x)
{
    fl_wide less = fl_wide_expm1(fl_wide_of(fabs(x))), e = fl_wide_add(less, one);
    /* (e - 1 / e) / 2, from e - 1 */
    *sinh_x = fl_wide_scale(fl_wide_add(less, fl_wide_divide(less, e)), -1);
    *cosh_x = fl_wide_scale(fl_wide_add(e, fl_wide_divide(one, e)), -1);
    if (x < 0) *sinh_x = fl_wide_negate(*sinh_x);
}

typedef struct parts { /* sinh x, cosh x, sin y, cos y */
    fl_wide sinh, cosh, sin, cos;
} parts;

static parts parts_of(double complex z)
{
    parts p;
    wide_sinhcosh(creal(z), &p.sinh, &p.cosh);
    fl_wide_sincos(fl_wide_of(cimag(z)), &p.sin, &p.cos);
    return p;
}

double complex fl_complex_sinh(double complex z)
{
    if (!is_finite(z)) return has_no_angle(z) ? CMPLX(NAN, NAN) : csinh(z);
    parts p = parts_of(z);
    return CMPLX(fl_wide_signed(fl_wide_multiply(p.sinh, p.cos), signbit(creal(z)) ^ (p.cos.hi < 0)),
                 fl_wide_signed(fl_wide_multiply(p.cosh, p.sin), signbit(cimag(z))));
}

double complex fl_complex_cosh(double complex z)
{
    if (!is_finite(z)) return has_no_angle(z) ? CMPLX(NAN, NAN) : ccosh(z);
    parts p = parts_of(z);
    int negative_sine = p.sin.hi == 0 ? !!signbit(cimag(z)) : p.sin.hi < 0;
    return CMPLX(fl_wide_double(fl_wide_multiply(p.cosh, p.cos)),
                 fl_wide_signed(fl_wide_multiply(p.sinh, p.sin), !!signbit(creal(z)) ^ negative_sine));
}

/* (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y) */
double complex fl_complex_tanh(double complex z)
{
    if (!is_finite(z)) return creal(z) == 0 && isinf(cimag(z)) ? CMPLX(NAN, NAN) : ctanh(z);
    parts p = parts_of(z);
    fl_wide divisor = norm(p.sinh, p.cos);
    fl_wide re = fl_wide_divide(fl_wide_multiply(p.sinh, p.cosh), divisor);
    fl_wide im = fl_wide_divide(fl_wide_multiply(p.sin, p.cos), divisor);
    return CMPLX(fl_wide_signed(re, signbit(creal(z))), fl_wide_signed(im, signbit(cimag(z))));
}

double complex fl_complex_sin(double complex z)
{
    return divided_by_i(fl_complex_sinh(times_i(z)));
}

double complex fl_complex_cos(double complex z)
{
    return fl_complex_cosh(times_i(z));
}

double complex fl_complex_tan(double complex z)
{
    return divided_by_i(fl_complex_tanh(times_i(z)));
}

/* ---- inverse functions ---- */

/* sqrt(1 - z) and sqrt(1 + z) as absolute parts; the imaginary ones have opposite signs, so that all of
 * Kahan's sums of products are sums of positive numbers. Returns |Im asin z| = |Im acos z|. */
static fl_wide roots_about(double complex z, wide_complex *minus, wide_complex *plus)
{
    fl_wide x = fl_wide_of(creal(z)), y = fl_wide_of(cimag(z));
    *minus = wide_sqrt(fl_wide_subtract(one, x), y);
    *plus = wide_sqrt(fl_wide_add(one, x), y);
    return fl_wide_asinh(
        fl_wide_add(fl_wide_multiply(plus->re, minus->im), fl_wide_multiply(plus->im, minus->re)));
}

double complex fl_complex_asin(double complex z)
{
    return divided_by_i(fl_complex_asinh(times_i(z)));
}

double complex fl_complex_acos(double complex z)
{
    if (!is_finite(z)) return cacos(z);
    wide_complex minus, plus;
    double im = fl_wide_double(roots_about(z, &minus, &plus));
    return CMPLX(fl_wide_double(fl_wide_scale(fl_wide_atan2(minus.re, plus.re), 1)),
                 copysign(im, signbit(cimag(z)) ? 1 : -1));
}

/* -i asin(i z) */
double complex fl_complex_asinh(double complex z)
{
    if (!is_finite(z)) return casinh(z);
    wide_complex minus, plus;
    double complex turned = times_i(z);
    double re = fl_wide_double(roots_about(turned, &minus, &plus));
    fl_wide across = fl_wide_add(fl_wide_multiply(minus.re, plus.re), fl_wide_multiply(minus.im, plus.im));
    fl_wide im = cimag(z) == 0 ? (fl_wide){0, 0, 0} : fl_wide_atan2(fl_wide_of(fabs(cimag(z))), across);
    return CMPLX(copysign(re, creal(z)), copysign(fl_wide_double(im), cimag(z)));
}

/* i acos(z) or its negative, with a positive real part */
double complex fl_complex_acosh(double complex z)
{
    if (!is_finite(z)) return cacosh(z);
    double complex w = fl_complex_acos(z);
    return CMPLX(fabs(cimag(w)), copysign(creal(w), cimag(z)));
}

/* log1p(4 x / ((1 - x)^2 + y^2)) / 4 + i atan2(2 y, (1 - x) (1 + x) - y^2) / 2 */
double complex fl_complex_atanh(double complex z)
{
    double x = creal(z), y = cimag(z);
    if (!is_finite(z) || (fabs(x) == 1 && y == 0)) return catanh(z);
    fl_wide a = fl_wide_of(fabs(x)), b = fl_wide_of(fabs(y)), away = fl_wide_subtract(one, a);
    fl_wide re = fl_wide_log1p(fl_wide_divide(fl_wide_scale(a, 2), norm(away, b)));
    fl_wide along = fl_wide_subtract(fl_wide_multiply(away, fl_wide_add(one, a)), fl_wide_square(b));
    fl_wide im = fl_wide_atan2(fl_wide_scale(b, 1), along);
    return CMPLX(copysign(fl_wide_double(fl_wide_scale(re, -2)), x),
                 copysign(fl_wide_double(fl_wide_scale(im, -1)), y));
}

double complex fl_complex_atan(double complex z)
{
    return divided_by_i(fl_complex_atanh(times_i(z)));
}

/* The square of w = (x + i y) / sqrt(x^2 + y^2) is (x + i y) / (x - i y): its argument is that of |x|^2 -
 * |y|^2 + 2 i Re(x conj y), its modulus comes from |x - i y|^2 = |x + i y|^2 + 4 Im(conj x y). Only the half
 * plane of w needs the root. */
double complex fl_complex_atan2(double complex y, double complex x)
{
    if (cimag(x) == 0 && cimag(y) == 0) return CMPLX(atan2(creal(y), creal(x)), 0);
    double complex up = x + times_i(y), down = x - times_i(y);
    if (!is_finite(x) || !is_finite(y) || up == 0 || down == 0) return -I * clog(up / csqrt(x * x + y * y));
    wide_complex wx = wide_of(x), wy = wide_of(y);
    wide_complex plus = {fl_wide_subtract(wx.re, wy.im), fl_wide_add(wx.im, wy.re)};
    wide_complex minus = {fl_wide_add(wx.re, wy.im), fl_wide_subtract(wx.im, wy.re)};
    wide_complex square = wide_multiply(plus, minus), root = wide_sqrt(square.re, square.im);
    if (square.im.hi > 0) root.im = fl_wide_negate(root.im); /* the conjugate */
    fl_wide dot = fl_wide_add(fl_wide_multiply(wx.re, wy.re), fl_wide_multiply(wx.im, wy.im));
    fl_wide difference = fl_wide_subtract(norm(wx.re, wx.im), norm(wy.re, wy.im));
    fl_wide re = fl_wide_scale(fl_wide_atan2(fl_wide_scale(dot, 1), difference), -1);
    if (wide_multiply(plus, root).re.hi < 0) {
        fl_wide pi = fl_wide_atan2((fl_wide){0, 0, 0}, fl_wide_negate(one));
        re = re.hi > 0 ? fl_wide_subtract(re, pi) : fl_wide_add(re, pi);
    }
    fl_wide cross = fl_wide_subtract(fl_wide_multiply(wx.re, wy.im), fl_wide_multiply(wx.im, wy.re));
    fl_wide smaller = cross.hi > 0 ? norm(plus.re, plus.im) : norm(minus.re, minus.im);
    fl_wide im = fl_wide_log1p(fl_wide_divide(fl_wide_scale(fl_wide_abs(cross), 2), smaller));
    im = fl_wide_scale(cross.hi > 0 ? im : fl_wide_negate(im), -2);
    return CMPLX(fl_wide_double(re), fl_wide_double(im));
}
