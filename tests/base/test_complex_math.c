/* Complex functions against mpmath (complex_values.py writes the table), and the special values of annex G of
 * the C standard and of StableHLO's tests. */
#include "base/complex_math.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++;        \
    } while (0)

#define UNARY(X)                                                                                             \
    X(square)                                                                                                \
    X(sqrt)                                                                                                  \
    X(rsqrt) X(cbrt) X(sign) X(log) X(log1p) X(asin) X(acos) X(atan) X(asinh) X(acosh) X(atanh) X(exp)       \
        X(expm1) X(logistic) X(sinh) X(cosh) X(tanh) X(sin) X(cos) X(tan)
#define BINARY(X) X(multiply) X(divide) X(power) X(atan2)

enum {
#define X(name) id_##name,
    UNARY(X) BINARY(X)
#undef X
        FUNCTIONS
};

static const struct {
    const char *name;
    fl_complex_function *unary;
    double complex (*binary)(double complex, double complex);
} functions[] = {
#define X(name) {#name, fl_complex_##name, NULL},
    UNARY(X)
#undef X
#define X(name) {#name, NULL, fl_complex_##name},
        BINARY(X)
#undef X
};

static const struct row {
    int function;
    double a[2], b[2], want[2];
} rows[] = {
#define ROW(name, ...) {id_##name, __VA_ARGS__}
#include "complex_values.inc"
#undef ROW
};

/* The distance in representable numbers. */
static double distance(double a, double b)
{
    int64_t x, y;
    if (a == b) return 0;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    if (x < 0) x = INT64_MIN - x;
    if (y < 0) y = INT64_MIN - y;
    return isnan(a) || isnan(b) || isinf(a) || isinf(b) ? INFINITY : fabs((double)x - (double)y);
}

static void table(void)
{
    double worst[FUNCTIONS] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        double complex a = CMPLX(r->a[0], r->a[1]), b = CMPLX(r->b[0], r->b[1]), got;
        got = functions[r->function].unary ? functions[r->function].unary(a)
                                           : functions[r->function].binary(a, b);
        double error = fmax(distance(creal(got), r->want[0]), distance(cimag(got), r->want[1]));
        if (error > worst[r->function]) worst[r->function] = error;
        if (error <= 1) continue;
        printf("%s(%a%+ai, %a%+ai): expected %.17g%+.17gi, got %.17g%+.17gi, %.0f ulp\n",
               functions[r->function].name, r->a[0], r->a[1], r->b[0], r->b[1], r->want[0], r->want[1],
               creal(got), cimag(got), error);
        failures++;
    }
    for (int f = 0; f < FUNCTIONS; f++) printf("%-10s %.0f ulp at most\n", functions[f].name, worst[f]);
}

/* Equal with the signs of zeros; any NaN equals any other. */
static int same(double complex z, double re, double im)
{
    int first = isnan(re) ? isnan(creal(z)) : creal(z) == re && !signbit(creal(z)) == !signbit(re);
    int second = isnan(im) ? isnan(cimag(z)) : cimag(z) == im && !signbit(cimag(z)) == !signbit(im);
    return first && second;
}

#define PI    3.141592653589793
#define HUGE_ 1.7976931348623157e308

static void zeros_and_cuts(void)
{
    EXPECT(same(fl_complex_sqrt(CMPLX(-4, 0.0)), 0, 2) && same(fl_complex_sqrt(CMPLX(-4, -0.0)), 0, -2));
    EXPECT(same(fl_complex_sqrt(CMPLX(-0.0, -0.0)), 0, -0.0));
    EXPECT(same(fl_complex_log(CMPLX(-1, 0.0)), 0, PI) && same(fl_complex_log(CMPLX(-1, -0.0)), 0, -PI));
    EXPECT(same(fl_complex_log(CMPLX(0.0, -0.0)), -INFINITY, -0.0));
    EXPECT(same(fl_complex_log1p(CMPLX(-1, 0.0)), -INFINITY, 0));
    EXPECT(same(fl_complex_log1p(CMPLX(-0.0, -0.0)), -0.0, -0.0));
    EXPECT(same(fl_complex_log1p(CMPLX(-2, -0.0)), 0, -PI));
    EXPECT(same(fl_complex_expm1(CMPLX(-0.0, -0.0)), -0.0, -0.0));
    EXPECT(same(fl_complex_exp(CMPLX(0, -0.0)), 1, -0.0));
    EXPECT(same(fl_complex_sinh(CMPLX(-0.0, 0.0)), -0.0, 0) &&
           same(fl_complex_sinh(CMPLX(0, -0.0)), 0, -0.0));
    EXPECT(same(fl_complex_cosh(CMPLX(-0.0, 0.0)), 1, -0.0) && same(fl_complex_cosh(CMPLX(0, 0)), 1, 0));
    EXPECT(same(fl_complex_cos(CMPLX(0, 0.0)), 1, -0.0) && same(fl_complex_sin(CMPLX(-0.0, 0.0)), -0.0, 0));
    EXPECT(same(fl_complex_tanh(CMPLX(-0.0, -0.0)), -0.0, -0.0));
    EXPECT(same(fl_complex_acos(CMPLX(0.0, 0.0)), PI / 2, -0.0));
    EXPECT(cimag(fl_complex_acos(CMPLX(2, 0.0))) < 0 && cimag(fl_complex_acos(CMPLX(2, -0.0))) > 0);
    EXPECT(cimag(fl_complex_asin(CMPLX(2, 0.0))) > 0 && cimag(fl_complex_asin(CMPLX(2, -0.0))) < 0);
    EXPECT(same(fl_complex_asinh(CMPLX(-0.0, -0.0)), -0.0, -0.0));
    EXPECT(same(fl_complex_acosh(CMPLX(1, -0.0)), 0, -0.0));
    EXPECT(creal(fl_complex_atan(CMPLX(0.0, 2))) > 1.57 && creal(fl_complex_atan(CMPLX(-0.0, 2))) < -1.57);
    EXPECT(cimag(fl_complex_atanh(CMPLX(2, 0.0))) > 1.57 && cimag(fl_complex_atanh(CMPLX(2, -0.0))) < -1.57);
    EXPECT(same(fl_complex_atanh(CMPLX(1, 0.0)), INFINITY, 0));
    EXPECT(same(fl_complex_power(CMPLX(0, 1), 2), -1, 0) && same(fl_complex_power(0, 0), 1, 0));
    EXPECT(same(fl_complex_power(0, CMPLX(0.5, 3)), 0, 0));
    EXPECT(same(fl_complex_sign(CMPLX(0, -0.0)), 0, 0) && same(fl_complex_sign(CMPLX(-3, 0.0)), -1, 0));
    EXPECT(same(fl_complex_rsqrt(0), INFINITY, NAN) && same(fl_complex_rsqrt(CMPLX(4, 0.0)), 0.5, -0.0));
    EXPECT(same(fl_complex_atan2(CMPLX(1, 0), CMPLX(-1, 0)), 3 * PI / 4, 0));
}

static void far(void)
{
    EXPECT(same(fl_complex_sqrt(CMPLX(-INFINITY, 1)), 0, INFINITY));
    for (int sign = 0; sign < 4;
         sign++) { /* no angle is known: NaN, as in other implementations of StableHLO */
        double complex z = CMPLX(sign & 1 ? INFINITY : -INFINITY, sign & 2 ? INFINITY : -INFINITY);
        EXPECT(same(fl_complex_exp(z), NAN, NAN) && same(fl_complex_expm1(z), NAN, NAN));
        EXPECT(same(fl_complex_sinh(z), NAN, NAN) && same(fl_complex_cosh(z), NAN, NAN));
        EXPECT(same(fl_complex_sin(z), NAN, NAN) && same(fl_complex_cos(z), NAN, NAN));
        EXPECT(same(fl_complex_tan(CMPLX(creal(z), 0)), NAN, NAN));
        EXPECT(same(fl_complex_tanh(CMPLX(0, cimag(z))), NAN, NAN));
        EXPECT(creal(fl_complex_tanh(z)) == (sign & 1 ? 1 : -1) && cimag(fl_complex_tanh(z)) == 0);
    }
    EXPECT(same(fl_complex_sqrt(CMPLX(NAN, INFINITY)), INFINITY, INFINITY));
    EXPECT(same(fl_complex_exp(CMPLX(-INFINITY, INFINITY)), NAN, NAN));
    EXPECT(same(fl_complex_exp(CMPLX(INFINITY, 0.0)), INFINITY, 0));
    EXPECT(same(fl_complex_expm1(CMPLX(-INFINITY, 1)), -1, 0));
    EXPECT(same(fl_complex_log(CMPLX(-INFINITY, NAN)), INFINITY, NAN));
    EXPECT(same(fl_complex_logistic(CMPLX(-800, 0.0)), 0, 0) && creal(fl_complex_logistic(800)) == 1);
    EXPECT(same(fl_complex_tanh(CMPLX(HUGE_, 1)), 1, 0) && same(fl_complex_tanh(CMPLX(INFINITY, 1)), 1, 0));
    EXPECT(same(fl_complex_divide(CMPLX(HUGE_, HUGE_), CMPLX(HUGE_, HUGE_)), 1, 0));
    EXPECT(same(fl_complex_divide(CMPLX(5e-324, 5e-324), CMPLX(5e-324, 5e-324)), 1, 0));
    EXPECT(fl_complex_divide(1, CMPLX(INFINITY, 1)) == 0);
    EXPECT(isinf(creal(fl_complex_divide(1, 0))));
    EXPECT(same(fl_complex_sign(CMPLX(HUGE_, 0.0)), 1, 0) && same(fl_complex_rsqrt(INFINITY), 0, -0.0));
    EXPECT(same(fl_complex_acosh(CMPLX(-INFINITY, 1)), INFINITY, PI));
    EXPECT(isnan(creal(fl_complex_asin(CMPLX(NAN, 0.0)))));
}

int main(void)
{
    table();
    zeros_and_cuts();
    far();
    return failures ? 1 : 0;
}
