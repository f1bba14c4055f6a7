/* Errors of the code generator's elementary functions against libm in f64, in units in the last place of the f32 result, over
 * values spread evenly over all bit patterns (every pattern with FL_EXHAUSTIVE=1), and over the usual range. */
#include "cpu/jit_case.h"
#include "base/half.h"
#include "cpu/ulps.h"

/* `most` is what docs/performance.md promises. */
static const struct {
    const char *name;
    fl_opcode code;
    real_fn exact;
    double most;
} functions[] = {
    {"exp", FL_OP_exponential, exp, 1},
    {"log", FL_OP_log, log, 1},
    {"expm1", FL_OP_exponential_minus_one, expm1, 2},
    {"log1p", FL_OP_log_plus_one, log1p, 1.5},
    {"logistic", FL_OP_logistic, logistic, 2.5},
    {"tanh", FL_OP_tanh, tanh, 2.5},
    {"erf", FL_OP_erf, erf, 2},
    {"sin", FL_OP_sine, sin, 1},
    {"cos", FL_OP_cosine, cos, 1},
    {"tan", FL_OP_tan, tan, 1},
    {"cbrt", FL_OP_cbrt, cbrt, 1},
    {"sqrt", FL_OP_sqrt, sqrt, 0.5001},
    {"rsqrt", FL_OP_rsqrt, rsqrt, 1.5},
};

#define BLOCK 4096
static void check_function(size_t f, uint32_t step)
{
    static float x[BLOCK], y[BLOCK];
    fl_arena arena = {0};
    fl_jit_builder *b = fl_jit_begin(&arena);
    fl_val v = LOAD(b, 0);
    v = fl_jit_op(b, functions[f].code, FL_F32, FL_EQ, &v, 1);
    STORE(b, 1, v);
    const fl_jit_kernel *kernel = NULL;
    CHECK_OK(fl_jit_finish(b, &kernel));
    fl_arena_free(&arena);
    if (!kernel) return;
    double worst = 0;
    float at = 0, got_at = 0;
    for (int range = 0; range < 2; range++) {
        uint64_t u = 0, count = range ? 1000000 : (1ull << 32) / step;
        for (uint64_t done = 0; done < count; done += BLOCK) {
            int n = count - done < BLOCK ? (int)(count - done) : BLOCK;
            for (int i = 0; i < n; i++)
                x[i] =
                    range ? (float)((double)(done + (uint64_t)i) * 2e-5 - 10) : fl_f32_from_bits((uint32_t)u),
                u += step;
            jit_run r = {1, n, {{x, 0, 0}, {y, 0, 0}}};
            run_kernel(kernel, &r);
            for (int i = 0; i < n; i++) {
                double e = ulps(y[i], functions[f].exact((double)x[i]));
                if (e > worst) worst = e, at = x[i], got_at = y[i];
            }
        }
    }
    printf("%-9s %.3f ulp at %a\n", functions[f].name, worst, (double)at);
    if (!(worst <= functions[f].most))
        fprintf(stderr, "%s(%a): %.3f ulp, got %a, expected %a\n", functions[f].name, (double)at, worst,
                (double)got_at, functions[f].exact((double)at));
    CHECK(worst <= functions[f].most);
}

int main(void)
{
    if (no_jit()) return 77;
    uint32_t step = getenv("FL_EXHAUSTIVE") ? 1 : 5003;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) check_function(f, step);
    return check_result();
}
