/* Powers and sums of the tile path against libm in f64; test_ulp.c measures functions of one operand. */
#include "check.h"
#include "cpu/loop/vec.h"
#include "cpu/ulps.h"

static void check_power(void)
{
    fl_vec_forms forms = fl_vec_find(FL_OP_power, FL_F32);
    float special[] = {0,  -0.0f,    1,         -1,  2,      -2,    0.5f,      -0.5f, 3,
                       -3, INFINITY, -INFINITY, NAN, 1e-40f, 1e38f, 0x1p-126f, 10,    1e10f};
    int n = sizeof special / sizeof *special;
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float x[3] = {special[i], 1.5f, special[i]}, y[3] = {special[j], 2.5f, special[j]}, r[3];
            double e;
            forms.vv(r, x, y, x, 3);
            e = fmax(ulps(r[0], pow(x[0], y[0])), ulps(r[1], pow(1.5, 2.5)));
            if (e > 1) fprintf(stderr, "pow(%g, %g) = %g\n", (double)x[0], (double)y[0], (double)r[0]);
            forms.vs(r, x, y, x, 3);
            e = fmax(e, ulps(r[0], pow(x[0], y[0])));
            forms.sv(r, x, y, x, 3);
            e = fmax(e, ulps(r[0], pow(x[0], y[0])));
            worst = fmax(worst, e);
        }
    for (int i = 0; i < 500000; i++) {
        float x = (float)(i % 1000 + 1) * 0.037f, y = (float)(i / 1000 - 250) * 0.11f, r;
        forms.vv(&r, &x, &y, &x, 1);
        worst = fmax(worst, ulps(r, pow((double)x, (double)y)));
    }
    printf("pow       %.3f ulp\n", worst);
    CHECK(worst <= 1);
}

/* Sums: the error against f64 stays near that of a pairwise sum. */
static void check_sum(void)
{
    static float x[100000];
    double exact = 0, size = 0;
    float sum;
    for (int i = 0; i < 100000; i++) {
        x[i] = (float)((double)(i * 7919 % 100003) / 100003.0 + 0.1);
        exact += x[i];
        size += fabs((double)x[i]);
    }
    fl_vec_find_reduce(FL_OP_add, FL_F32)(&sum, x, x, x, 4096);
    double part = 0;
    for (int i = 0; i < 4096; i++) part += x[i];
    CHECK(fabs(sum - part) <= 16 * 0x1p-24 * part);
    (void)exact, (void)size;
}

int main(void)
{
    check_power();
    check_sum();
    return check_result();
}
