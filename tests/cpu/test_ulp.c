/* Errors of the elementary functions of f32 against libm in f64 (long double for gamma), in units in the last place: generated code
 * for each instruction set that this processor has, and the functions of the tile path for each level.
 *
 * test_ulp [--all] [--table] [NAME ...]   every 5,003rd bit pattern and the usual range; --all: every pattern (of functions that
 * cost a microsecond each 101st); --table: rows for docs/performance.md */
#include "cpu/jit_case.h"
#if defined(__x86_64__)
#include "cpu/jit/x86.h"
#endif
#include "base/half.h"
#include "base/special.h"
#include "cpu/loop/vec.h"
#include "cpu/ulps.h"

#include <time.h>

#define BLOCK 4096
#define SLOW  101

/* Functions that libm has not. */
typedef double (*real_fn)(double);

static double logistic(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}
static double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static double log_gamma(double x)
{
    return (double)lgammal((long double)x);
}
/* By bisection, of erfc in the tail: 1 - x is exact there. */
static double erf_inverse(double x)
{
    double a = fabs(x);
    if (!(a < 1)) return a == 1 ? copysign(INFINITY, x) : NAN;
    long double low = 0, high = 6;
    if (a < 1e-4) low = 0.88L * (long double)a, high = 0.89L * (long double)a;
    for (int i = 0; i < 60; i++) {
        long double middle = (low + high) / 2;
        int below = a < 0.5 ? erfl(middle) < a : erfcl(middle) > 1 - (long double)a;
        if (below)
            low = middle;
        else
            high = middle;
    }
    return (double)copysignl(low, x);
}

/* An odd or even function's negative half repeats the other: --all looks at every 5,003rd of it. */
enum { WHOLE, MIRRORED, RARE };

/* `most` is what docs/performance.md promises; libm's own functions of f32 have 4. */
static const struct {
    const char *name;
    fl_opcode code;
    real_fn exact;
    double most;
    int kind;
} functions[] = {
    {"exp", FL_OP_exponential, exp, 1, WHOLE},      {"log", FL_OP_log, log, 1, WHOLE},
    {"tanh", FL_OP_tanh, tanh, 1, MIRRORED},        {"logistic", FL_OP_logistic, logistic, 1, WHOLE},
    {"erf", FL_OP_erf, erf, 1, MIRRORED},           {"expm1", FL_OP_exponential_minus_one, expm1, 1, WHOLE},
    {"log1p", FL_OP_log_plus_one, log1p, 1, WHOLE}, {"sqrt", FL_OP_sqrt, sqrt, 0.5001, WHOLE},
    {"rsqrt", FL_OP_rsqrt, rsqrt, 1, WHOLE},        {"sin", FL_OP_sine, sin, 1, MIRRORED},
    {"cos", FL_OP_cosine, cos, 1, MIRRORED},        {"tan", FL_OP_tan, tan, 1, MIRRORED},
    {"cbrt", FL_OP_cbrt, cbrt, 1, MIRRORED},        {"asin", FL_OP_asin, asin, 4, MIRRORED},
    {"acos", FL_OP_acos, acos, 4, WHOLE},           {"atan", FL_OP_atan, atan, 4, MIRRORED},
    {"sinh", FL_OP_sinh, sinh, 4, MIRRORED},        {"cosh", FL_OP_cosh, cosh, 4, MIRRORED},
    {"asinh", FL_OP_asinh, asinh, 4, MIRRORED},     {"acosh", FL_OP_acosh, acosh, 4, WHOLE},
    {"atanh", FL_OP_atanh, atanh, 4, MIRRORED},     {"erfc", FL_OP_erfc, erfc, 4, WHOLE},
    {"lgamma", FL_OP_lgamma, log_gamma, 1, RARE},   {"erf_inv", FL_OP_erf_inv, erf_inverse, 1, RARE},
};

/* A way to compute a function: a kernel, or a function of the tile path. */
typedef struct way {
    const char *name;
    const fl_jit_kernel *kernel;
    fl_vec_fn tile;
    double worst;
    float at, got;
} way;

#define MOST_WAYS 8
typedef struct ways {
    way list[MOST_WAYS];
    int count;
} ways;

/* Without the cache, whose kernels are of one instruction set. Kernels that call a function of the tile path are left out. Of
 * `two` functions in a kernel the target may have the instructions ready. */
static void add_kernel(ways *w, const char *name, const fl_jtarget *target, fl_opcode code, int two)
{
    static fl_jit_kernel kernels[MOST_WAYS];
    fl_arena arena = {0};
    fl_jit_builder *b = fl_jit_begin(&arena);
    b->target = target;
    fl_val v = LOAD(b, 0);
    if (two) STORE(b, 2, F32(b, exponential, v));
    v = fl_jit_op(b, code, FL_F32, FL_EQ, &v, 1);
    STORE(b, 1, v);
    fl_jgraph g;
    fl_jschedule schedule;
    fl_jmade made = {0};
    void *at = NULL;
    int good = fl_jgraph_begin(&g, &arena, target) && fl_jexpand_all(&g, b->records, b->count);
    if (two && fl_jfunction(code) >= 0) CHECK(good && g.templates); /* else it is the same code as alone */
    for (uint32_t i = 0; good && i < g.count; i++) good = g.nodes[i].op != FL_J_CALL1;
    if (good) {
        CHECK(fl_jschedule_make(&g, &schedule));
        CHECK_OK(target->emit(&g, &schedule, target->vector_bytes / 4, &made));
        CHECK_OK(fl_code_place(made.code, made.bytes, NULL, &at));
    }
    if (at) {
        void *entry = (char *)at + made.entry;
        memcpy(&kernels[w->count].run, &entry, sizeof entry);
        w->list[w->count] = (way){.name = name, .kernel = &kernels[w->count]};
        w->count++;
    }
    fl_arena_free(&arena);
}

static fl_vec_fn find(const fl_vec_table *table, fl_opcode code)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->rows[i].code == code && table->rows[i].dtype == FL_F32) return table->rows[i].forms.vv;
    return NULL;
}
static void add_tile(ways *w, const char *name, const fl_vec_table *maths, const fl_vec_table *floats,
                     fl_opcode code)
{
    fl_vec_fn fn = find(maths, code) ? find(maths, code) : find(floats, code);
    if (fn) w->list[w->count++] = (way){.name = name, .tile = fn};
}

static void find_ways(ways *w, fl_opcode code)
{
    const fl_jtarget *target = fl_jit_target();
    w->count = 0;
#if defined(__x86_64__)
    fl_isa level = fl_isa_level();
    if (target == &fl_x_avx512.base) {
        add_kernel(w, "AVX-512", target, code, 0);
        add_kernel(w, "beside another", target, code, 1);
    }
    if (target) add_kernel(w, "AVX2", &fl_x_avx2.base, code, 0);
    if (level >= FL_LEVEL_AVX512)
        add_tile(w, "AVX-512 tiles", fl_vec_maths_avx512, fl_vec_floats_avx512, code);
    if (level >= FL_LEVEL_AVX2) add_tile(w, "AVX2 tiles", fl_vec_maths_avx2, fl_vec_floats_avx2, code);
#else
    if (target) add_kernel(w, target->name, target, code, 0);
#endif
    add_tile(w, "tiles", fl_vec_maths_base, fl_vec_floats_base, code);
    if (find(&fl_vec_rare, code))
        w->list[w->count++] = (way){.name = "everywhere", .tile = find(&fl_vec_rare, code)};
}

/* Most results are the nearest number, which costs a comparison. */
static void measure(ways *w, real_fn exact, const float *x, int n)
{
    static double want[BLOCK];
    static float y[BLOCK], other[BLOCK], nearest[BLOCK];
    for (int i = 0; i < n; i++) nearest[i] = (float)(want[i] = exact((double)x[i]));
    for (int k = 0; k < w->count; k++) {
        way *a = &w->list[k];
        if (a->kernel) {
            jit_run r = {1, n, {{(void *)x, 0, 0}, {y, 0, 0}, {other, 0, 0}}};
            run_kernel(a->kernel, &r);
        } else {
            a->tile(y, x, x, x, n);
        }
        for (int i = 0; i < n; i++) {
            if (fl_f32_bits(y[i]) == fl_f32_bits(nearest[i])) continue;
            double e = ulps(y[i], want[i]);
            if (e > a->worst) a->worst = e, a->at = x[i], a->got = y[i];
        }
    }
}

/* Bit patterns from `first` on, `step` apart. */
static void sweep(ways *w, real_fn exact, uint64_t first, uint64_t end, uint32_t step)
{
    static float x[BLOCK];
    for (uint64_t u = first; u < end;) {
        int n = 0;
        for (; n < BLOCK && u < end; n++, u += step) x[n] = fl_f32_from_bits((uint32_t)u);
        measure(w, exact, x, n);
    }
}

static void check_function(size_t f, int all, int table)
{
    ways w;
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    find_ways(&w, functions[f].code);
    CHECK(w.count > 0);
    real_fn exact = functions[f].exact;
    int rare = functions[f].kind == RARE, mirrored = functions[f].kind == MIRRORED;
    uint32_t step = !all ? rare ? 500009 : 5003 : rare ? SLOW : 1;
    sweep(&w, exact, 0, 1ull << 31, step);
    sweep(&w, exact, 1ull << 31, 1ull << 32, all && mirrored ? 5003 : step);
    float x[BLOCK];
    for (int i = 0; i < (rare ? 0 : 1000000); i++) {
        x[i % BLOCK] = (float)(i * 2e-5 - 10);
        if (i % BLOCK == BLOCK - 1) measure(&w, exact, x, BLOCK);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    if (table) printf("| %s | %s |", functions[f].name, !rare ? "every" : "each 101st");
    for (int k = 0; k < w.count; k++) {
        way *a = &w.list[k];
        double shown = a->worst < 0.5 ? 0.5 : a->worst;
        if (table)
            printf("%s%s %.2f", k ? ", " : " ", a->name, shown);
        else
            printf("%-9s %-15s %.3f ulp at %a\n", functions[f].name, a->name, shown, (double)a->at);
        if (!(a->worst <= functions[f].most))
            fprintf(stderr, "%s(%a), %s: %.3f ulp, got %a, expected %a\n", functions[f].name, (double)a->at,
                    a->name, a->worst, (double)a->got, exact((double)a->at));
        CHECK(a->worst <= functions[f].most);
    }
    if (table) printf(" |\n");
    fflush(stdout);
    if (all)
        fprintf(stderr, "%s: %.0f s of processor time\n", functions[f].name,
                (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
}

int main(int argc, char **argv)
{
    int all = 0, table = 0, named = 0;
    for (int i = 1; i < argc; i++) {
        all |= !strcmp(argv[i], "--all");
        table |= !strcmp(argv[i], "--table");
        named += argv[i][0] != '-';
    }
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        int wanted = !named;
        for (int i = 1; i < argc; i++) wanted |= !strcmp(argv[i], functions[f].name);
        if (wanted) check_function(f, all, table);
    }
    return check_result();
}
