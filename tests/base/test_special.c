/* Special functions against mpmath (special_values.py writes the table), and their values at the ends of
 * their domains as torch.special and scipy.special give them. */
#include "base/special.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++;        \
    } while (0)

enum { digamma, zeta, polygamma, erf_inv, bessel_i0, bessel_i1, bessel_i0e, bessel_i1e, lgamma_, FUNCTIONS };
#define lgamma lgamma_
static const struct row {
    int function;
    double a, b, want;
} rows[] = {
#include "special_values.inc"
};
#undef lgamma

static const char *const names[] = {"digamma",   "zeta",       "polygamma",  "erf_inv", "bessel_i0",
                                    "bessel_i1", "bessel_i0e", "bessel_i1e", "lgamma"};
/* units in the last place; lgamma is the C library's, whose error is absolute near its zeros at 1, 2 and
 * below 0 */
static const double limits[] = {1, 1, 2, 1, 1, 1, 1, 1, 10};

static double value(const struct row *r)
{
    switch (r->function) {
    case digamma: return fl_special_digamma(r->a);
    case zeta: return fl_special_zeta(r->a, r->b);
    case polygamma: return fl_special_polygamma(r->a, r->b);
    case erf_inv: return fl_special_erf_inv(r->a);
    case bessel_i0: return fl_special_bessel_i0(r->a);
    case bessel_i1: return fl_special_bessel_i1(r->a);
    case bessel_i0e: return fl_special_bessel_i0e(r->a);
    case bessel_i1e: return fl_special_bessel_i1e(r->a);
    default: return fl_special_lgamma(r->a);
    }
}

static void table(void)
{
    double worst[FUNCTIONS] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        double got = value(r), error = fabs(got - r->want) / fabs(nextafter(r->want, INFINITY) - r->want);
        if (got == r->want) error = 0;
        if (!(error <= limits[r->function]))
            printf("%s(%.17g, %.17g): expected %.17g, got %.17g, %.1f ulp\n", names[r->function], r->a, r->b,
                   r->want, got, error),
                failures++;
        if (error > worst[r->function]) worst[r->function] = error;
    }
    for (int f = 0; f < FUNCTIONS; f++) printf("%-10s %.1f ulp at most\n", names[f], worst[f]);
}

int main(void)
{
    table();
    EXPECT(fl_special_digamma(0.0) == -INFINITY && fl_special_digamma(-0.0) == INFINITY);
    EXPECT(isnan(fl_special_digamma(-3)) && fl_special_digamma(INFINITY) == INFINITY);
    EXPECT(isnan(fl_special_digamma(-INFINITY)) && isnan(fl_special_digamma(NAN)));
    EXPECT(fl_special_zeta(1, 2) == INFINITY && isnan(fl_special_zeta(0.5, 2)));
    EXPECT(fl_special_zeta(2, -3) == INFINITY && fl_special_zeta(2, 0) == INFINITY &&
           isnan(fl_special_zeta(2.5, -0.5)));
    EXPECT(fl_special_zeta(INFINITY, 1) == 1 && fl_special_zeta(500, 1) == 1 &&
           fl_special_zeta(3, INFINITY) == 0);
    EXPECT(fl_special_polygamma(0, 2.5) == fl_special_digamma(2.5) && isnan(fl_special_polygamma(1.5, 2)));
    EXPECT(fl_special_erf_inv(1) == INFINITY && fl_special_erf_inv(-1) == -INFINITY &&
           isnan(fl_special_erf_inv(1.5)));
    EXPECT(fl_special_erf_inv(0.0) == 0 && signbit(fl_special_erf_inv(-0.0)) &&
           isnan(fl_special_erf_inv(NAN)));
    EXPECT(fl_special_bessel_i0(INFINITY) == INFINITY && fl_special_bessel_i1(-INFINITY) == -INFINITY);
    EXPECT(fl_special_bessel_i0e(INFINITY) == 0 && fl_special_bessel_i1e(-INFINITY) == 0);
    EXPECT(isnan(fl_special_bessel_i0(NAN)) && isnan(fl_special_bessel_i1e(NAN)));
    EXPECT(fl_special_lgamma(-2) == INFINITY && fl_special_lgamma(1) == 0);
    return failures ? 1 : 0;
}
