/* Errors of the vector functions of f32 against libm's f64 functions, in units in the last place of the f32 result, over
 * values spread evenly over all bit patterns (every pattern with FL_EXHAUSTIVE=1), and over the usual range. */
#include "base/half.h"
#include "check.h"
#include "cpu/loop/vec.h"
#include "cpu/ulps.h"

#include <stdlib.h>

static const struct {
    const char *name;
    fl_opcode code;
    real_fn exact;
    double most; /* units in the last place */
} functions[] = {
    {"exp", FL_OP_exponential, exp, 1.1},
    {"log", FL_OP_log, log, 1.1},
    {"expm1", FL_OP_exponential_minus_one, expm1, 1},
    {"log1p", FL_OP_log_plus_one, log1p, 1},
    {"logistic", FL_OP_logistic, logistic, 2},
    {"tanh", FL_OP_tanh, tanh, 2},
    {"erf", FL_OP_erf, erf, 2},
    {"sin", FL_OP_sine, sin, 1},
    {"cos", FL_OP_cosine, cos, 1},
    {"tan", FL_OP_tan, tan, 1},
    {"sqrt", FL_OP_sqrt, sqrt, 0.5001},
    {"rsqrt", FL_OP_rsqrt, rsqrt, 1.5 /* two roundings: 1 / sqrt */},
    {"cbrt", FL_OP_cbrt, cbrt, 1},
};

#define BLOCK 4096
static void check_function(size_t f, uint32_t step)
{
    float x[BLOCK], y[BLOCK];
    double worst = 0;
    float at = 0, got_at = 0;
    fl_vec_fn fn = fl_vec_find(functions[f].code, FL_F32).vv;
    for (int range = 0; range < 2; range++) {
        uint64_t u = 0, count = range ? 1000000 : (1ull << 32) / step;
        for (uint64_t done = 0; done < count; done += BLOCK) {
            int n = count - done < BLOCK ? (int)(count - done) : BLOCK;
            for (int i = 0; i < n; i++)
                x[i] =
                    range ? (float)((double)(done + (uint64_t)i) * 2e-5 - 10) : fl_f32_from_bits((uint32_t)u),
                u += step;
            fn(y, x, x, x, n);
            for (int i = 0; i < n; i++) {
                double e = ulps(y[i], functions[f].exact((double)x[i]));
                if (e > worst) worst = e, at = x[i], got_at = y[i];
            }
        }
    }
    printf("%-9s %.3f ulp at %a\n", functions[f].name, worst, (double)at);
    if (worst > functions[f].most)
        fprintf(stderr, "%s(%a): %.3f ulp, got %a, expected %a\n", functions[f].name, (double)at, worst,
                (double)got_at, functions[f].exact((double)at));
    CHECK(worst <= functions[f].most);
}

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
    uint32_t step = getenv("FL_EXHAUSTIVE") ? 1 : 5003;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) check_function(f, step);
    check_power();
    check_sum();
    return check_result();
}
