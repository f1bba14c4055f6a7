/* Times of fused loops: plans run directly, without a device, once as machine code and once tile by tile, in turns. Prints
 * milliseconds of the thread's CPU time (median and best of short runs), the bandwidth over the memory that must move at least as a
 * share of what copying reaches, the ratio of the two ways, and the time of planning. bench/loop.py times the same work in
 * PyTorch. Usage: FL_THREADS=1 bench_loop [word in the names] */
#define _GNU_SOURCE
#include "times.h"

#include "base/pool.h"
#include "cpu/loop/loop.h"
#include "cpu/plan/plan.h"
#include "device/device.h"
#include "ir/build.h"

#include <string.h>
#include <sys/mman.h>

#define RUNS 61
static const char *wanted = "";
static double copy_rate; /* bytes a millisecond, read and written */

static double now(clockid_t clock)
{
    return 1e-3 * now_us(clock);
}

/* CPU time of this thread when it is alone, else the time on the wall. */
static double clock_ms(void)
{
    return now(fl_pool_threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

static void *memory(size_t bytes)
{
    void *p = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) exit(1);
    madvise(p, bytes + 4096, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

static double sample(const fl_plan *plan, void **in, void **out, void *scratch, int inner)
{
    double t = clock_ms();
    for (int k = 0; k < inner; k++) die(fl_plan_run(plan, in, out, scratch));
    return (clock_ms() - t) / inner;
}

/* Runs a program whose arguments and results are dense; in_place: result i lies in argument i. */
static void bench(const char *name, fl_builder *b, const fl_ref *results, uint32_t count, int in_place, double bytes)
{
    fl_program *p;
    fl_plan *plans[2];
    die(fl_builder_finish(b, results, count, &p));
    if (!strstr(name, wanted)) {
        fl_program_destroy(p);
        return;
    }
    uint32_t n = p->main->arg_count;
    uint8_t *aliases = calloc((size_t)n * count + 1, 1);
    for (uint32_t r = 0; in_place && r < count; r++) aliases[r * n + r] = 1;
    fl_compile_options options = {.name = name, .aliases = in_place ? aliases : NULL};
    double plan_time[2], times[2][RUNS], ratios[RUNS];
    for (int way = 0; way < 2; way++) {
        fl_loop_use_kernels(!way);
        double start = now(CLOCK_THREAD_CPUTIME_ID);
        die(fl_plan_create(p, &options, &plans[way]));
        plan_time[way] = now(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    void **in = calloc(n + 1, sizeof *in), **out = calloc(count + 1, sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *t = fl_type_of(p, p->main->first_arg + i);
        in[i] = memory(fl_type_bytes(t));
        for (int64_t k = 0; t->dtype == FL_F32 && k < fl_type_elements(t); k++) ((float *)in[i])[k] = (float)(k % 1000) * 1e-3f + 0.01f;
    }
    for (uint32_t r = 0; r < count; r++)
        out[r] = in_place ? in[r] : memory(fl_type_bytes(fl_type_of(p, p->main->results[r])));
    size_t scratch_bytes = plans[0]->scratch_bytes > plans[1]->scratch_bytes ? plans[0]->scratch_bytes : plans[1]->scratch_bytes;
    void *scratch = memory(scratch_bytes + 64);
    int runs = 0, inner = bytes < 1e5 ? 20000 : 1;
    for (double begin = now(CLOCK_MONOTONIC); runs < RUNS && (runs < 7 || now(CLOCK_MONOTONIC) - begin < 1500); runs++) {
        for (int way = 0; way < 2; way++) times[way][runs] = sample(plans[way], in, out, scratch, inner);
        ratios[runs] = times[1][runs] / times[0][runs];
    }
    for (int way = 0; way < 2; way++) qsort(times[way], (size_t)runs, sizeof **times, by_value);
    qsort(ratios, (size_t)runs, sizeof *ratios, by_value);
    double median = times[0][runs / 2];
    printf("%-26s %9.4f ms (best %9.4f) %6.1f GB/s %4.0f %% of copy  %5.2fx tiles  %2u steps, planned in %5.0f us\n", name, median, times[0][0],
           bytes / median * 1e-6, 100 * bytes / times[0][0] / copy_rate, ratios[runs / 2], plans[0]->step_count, plan_time[0] * 1e3);
    for (uint32_t i = 0; i < n; i++) munmap(in[i], fl_type_bytes(fl_type_of(p, p->main->first_arg + i)) + 4096);
    for (uint32_t r = 0; !in_place && r < count; r++) munmap(out[r], fl_type_bytes(fl_type_of(p, p->main->results[r])) + 4096);
    munmap(scratch, scratch_bytes + 64 + 4096);
    free(in), free(out), free(aliases);
    for (int way = 0; way < 2; way++) fl_plan_destroy(plans[way]);
    fl_program_destroy(p);
}

/* The best of several ways to copy 64 MB. */
static void measure_copy(void)
{
    const size_t bytes = 64 << 20;
    char *from = memory(bytes), *to = memory(bytes);
    for (int i = 0; i < 15; i++) {
        double t = clock_ms();
        memcpy(to, from, bytes);
        t = clock_ms() - t;
        if (2.0 * (double)bytes / t > copy_rate) copy_rate = 2.0 * (double)bytes / t;
    }
    munmap(from, bytes + 4096), munmap(to, bytes + 4096);
}

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})
static fl_ref argument(fl_builder *b, int rank, const int64_t *dims)
{
    return fl_parameter(b, fl_type_make(FL_F32, rank, dims));
}
static fl_ref scalar(fl_builder *b, double v)
{
    return fl_scalar_f(b, FL_F32, v);
}

static void chain(void)
{
    fl_builder b;
    die(fl_builder_init(&b, "chain"));
    const int64_t n = 4 << 20;
    fl_ref x = argument(&b, 1, &n), y = argument(&b, 1, &n), z = argument(&b, 1, &n);
    fl_ref t = fl_add(&b, fl_mul(&b, x, y), z);
    t = fl_add(&b, fl_exp(&b, fl_neg(&b, t)), scalar(&b, 1));
    t = fl_max(&b, fl_div(&b, x, t), scalar(&b, 0));
    t = fl_add(&b, fl_mul(&b, fl_sub(&b, t, y), z), x);
    bench("chain of 10, 4M", &b, &t, 1, 0, 4.0 * 16 * (1 << 20));
}

static void softmax(const char *name, int64_t rows, int64_t columns, int causal)
{
    fl_builder b;
    die(fl_builder_init(&b, "softmax"));
    fl_ref x = causal ? argument(&b, 3, DIMS(rows / columns, columns, columns)) : argument(&b, 2, DIMS(rows, columns));
    if (causal) {
        fl_type t = fl_type_make(FL_I32, 3, DIMS(rows / columns, columns, columns));
        fl_ref seen = fl_compare(&b, FL_LE, fl_iota(&b, t, 2), fl_iota(&b, t, 1));
        x = fl_select(&b, seen, fl_mul(&b, x, scalar(&b, 0.125)), fl_broadcast_like(&b, scalar(&b, -__builtin_inf()), x));
    }
    int d = causal ? 2 : 1;
    fl_ref e = fl_exp(&b, fl_sub(&b, x, fl_broadcast_like(&b, fl_reduce_dim(&b, FL_OP_maximum, x, d, 1), x)));
    fl_ref r = fl_div(&b, e, fl_broadcast_like(&b, fl_reduce_dim(&b, FL_OP_add, e, d, 1), x));
    bench(name, &b, &r, 1, 0, (double)(rows * columns) * 8);
}

static void layer_norm(void)
{
    fl_builder b;
    die(fl_builder_init(&b, "layer_norm"));
    fl_ref x = argument(&b, 2, DIMS(4096, 1024)), w = argument(&b, 1, DIMS(1024)), c = argument(&b, 1, DIMS(1024));
    fl_ref mean = fl_mul(&b, fl_reduce_dim(&b, FL_OP_add, x, 1, 1), scalar(&b, 1.0 / 1024));
    fl_ref d = fl_sub(&b, x, fl_broadcast_like(&b, mean, x));
    fl_ref var = fl_mul(&b, fl_reduce_dim(&b, FL_OP_add, fl_mul(&b, d, d), 1, 1), scalar(&b, 1.0 / 1024));
    fl_ref rstd = fl_rsqrt(&b, fl_add(&b, var, scalar(&b, 1e-5)));
    fl_ref y = fl_mul(&b, fl_mul(&b, d, fl_broadcast_like(&b, rstd, x)), fl_broadcast_like(&b, w, x));
    fl_ref results[3] = {fl_add(&b, y, fl_broadcast_like(&b, c, x)), mean, rstd};
    bench("layer norm 4096x1024", &b, results, 3, 0, 4096.0 * 1024 * 8);
}

static void gelu(void)
{
    fl_builder b;
    die(fl_builder_init(&b, "gelu"));
    fl_ref x = argument(&b, 2, DIMS(4096, 1024));
    fl_ref r = fl_mul(&b, fl_mul(&b, x, scalar(&b, 0.5)), fl_add(&b, fl_erf(&b, fl_mul(&b, x, scalar(&b, 0.70710678118654752))), scalar(&b, 1)));
    bench("gelu 4096x1024", &b, &r, 1, 0, 4096.0 * 1024 * 8);
}

static void simple(const char *name, int what)
{
    fl_builder b;
    die(fl_builder_init(&b, name));
    fl_ref x = argument(&b, 2, what == 3 ? DIMS(4, 4) : DIMS(4096, 1024)), r;
    double bytes = 4096.0 * 1024 * 8;
    if (what == 0) r = fl_add(&b, x, fl_broadcast_like(&b, argument(&b, 1, DIMS(1024)), x));
    else if (what == 1) r = fl_reduce_dim(&b, FL_OP_add, x, 0, 0), bytes /= 2;
    else if (what == 2) r = fl_reduce_all(&b, FL_OP_add, x), bytes /= 2;
    else if (what == 3) r = fl_add(&b, x, scalar(&b, 1)), bytes = 128;
    else if (what == 4) r = fl_add(&b, fl_transpose(&b, x, DIMS(1, 0)), scalar(&b, 1));
    else r = fl_cast(&b, fl_mul(&b, fl_cast(&b, x, FL_BF16), fl_cast(&b, x, FL_BF16)), FL_F32);
    bench(name, &b, &r, 1, 0, bytes);
}

/* 50 tensors, in place: parameters, gradients, both moments; the step count is a number of the program. */
static void adamw(int tensors, int64_t n)
{
    fl_builder b;
    die(fl_builder_init(&b, "adamw"));
    fl_ref p[64], m[64], v[64], g[64], results[192];
    for (int i = 0; i < tensors; i++) p[i] = argument(&b, 1, &n);
    for (int i = 0; i < tensors; i++) m[i] = argument(&b, 1, &n);
    for (int i = 0; i < tensors; i++) v[i] = argument(&b, 1, &n);
    for (int i = 0; i < tensors; i++) g[i] = argument(&b, 1, &n);
    for (int i = 0; i < tensors; i++) {
        fl_ref q = fl_mul(&b, p[i], scalar(&b, 1 - 1e-3 * 0.01));
        fl_ref m2 = fl_add(&b, m[i], fl_mul(&b, fl_sub(&b, g[i], m[i]), scalar(&b, 0.1)));
        fl_ref v2 = fl_add(&b, fl_mul(&b, v[i], scalar(&b, 0.999)), fl_mul(&b, fl_mul(&b, g[i], g[i]), scalar(&b, 0.001)));
        fl_ref d = fl_add(&b, fl_div(&b, fl_sqrt(&b, v2), scalar(&b, 0.3)), scalar(&b, 1e-8));
        results[i] = fl_sub(&b, q, fl_mul(&b, fl_div(&b, m2, d), scalar(&b, 1e-3)));
        results[tensors + i] = m2;
        results[2 * tensors + i] = v2;
    }
    char name[64];
    snprintf(name, sizeof name, "adamw %d x %lldk", tensors, (long long)n / 1000);
    bench(name, &b, results, 3u * (uint32_t)tensors, 1, (double)n * tensors * 28);
}

int main(int argc, char **argv)
{
    if (argc > 1) wanted = argv[1];
    measure_copy();
    printf("%d threads, a copy of 64 MB: %.1f GB/s\n", fl_pool_threads(), copy_rate * 1e-6);
    simple("x + 1, 16 elements", 3);
    chain();
    softmax("softmax 4096x1024", 4096, 1024, 0);
    softmax("softmax 8192x128", 8192, 128, 0);
    softmax("softmax 64x50304", 64, 50304, 0);
    softmax("causal softmax 64x128x128", 8192, 128, 1);
    layer_norm();
    gelu();
    simple("bias add 4096x1024", 0);
    simple("column sums 4096x1024", 1);
    simple("sum of 4096x1024", 2);
    simple("transposed + 1", 4);
    simple("bf16 square", 5);
    adamw(50, 100000);
    adamw(50, 1000);
    return 0;
}
