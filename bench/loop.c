/* Times of fused loops: plans run directly, without a device. Prints milliseconds (median of repeated runs) and GB/s over the memory
 * that must move at least. Run it beside bench/loop.py, which times the same work in PyTorch. */
#define _GNU_SOURCE
#include "base/pool.h"
#include "cpu/plan/plan.h"
#include "device/device.h"
#include "ir/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

static void die(fl_status status)
{
    if (!status) return;
    fprintf(stderr, "%s\n", fl_status_message(status));
    exit(1);
}

/* Runs a program whose arguments and results are dense; in_place: result i lies in argument i. */
static void bench(const char *name, fl_builder *b, const fl_ref *results, uint32_t count, int in_place, double bytes)
{
    fl_program *p;
    fl_plan *plan;
    die(fl_builder_finish(b, results, count, &p));
    uint32_t n = p->main->arg_count;
    uint8_t *aliases = calloc((size_t)n * count + 1, 1);
    for (uint32_t r = 0; in_place && r < count; r++) aliases[r * n + r] = 1;
    fl_compile_options options = {.name = name, .aliases = in_place ? aliases : NULL};
    double start = now();
    die(fl_plan_create(p, &options, &plan));
    double plan_time = now() - start;
    void **in = calloc(n + 1, sizeof *in), **out = calloc(count + 1, sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *t = fl_type_of(p, p->main->first_arg + i);
        in[i] = aligned_alloc(64, (fl_type_bytes(t) + 127) & ~(size_t)63);
        for (int64_t k = 0; t->dtype == FL_F32 && k < fl_type_elements(t); k++) ((float *)in[i])[k] = (float)(k % 1000) * 1e-3f + 0.01f;
    }
    for (uint32_t r = 0; r < count; r++) {
        size_t size = (fl_type_bytes(fl_type_of(p, p->main->results[r])) + 127) & ~(size_t)63;
        out[r] = in_place ? in[r] : aligned_alloc(64, size);
        if (!in_place) memset(out[r], 0, size);
    }
    void *scratch = aligned_alloc(64, (plan->scratch_bytes + 64) & ~(size_t)63);
    double times[201];
    int runs = 0, inner = bytes < 1e5 ? 20000 : 1;
    for (double begin = now(); runs < 201 && (runs < 7 || now() - begin < 700); runs++) {
        double t = now();
        for (int k = 0; k < inner; k++) die(fl_plan_run(plan, in, out, scratch));
        times[runs] = (now() - t) / inner;
    }
    qsort(times, (size_t)runs, sizeof *times, by_value);
    printf("%-28s %10.4f ms  (best %.4f)  %6.1f GB/s  %u steps, planned in %.0f us\n", name, times[runs / 2], times[0], bytes / times[runs / 2] * 1e-6,
           plan->step_count, plan_time * 1e3);
    for (uint32_t i = 0; i < n; i++) free(in[i]);
    for (uint32_t r = 0; !in_place && r < count; r++) free(out[r]);
    free(in), free(out), free(scratch), free(aliases);
    fl_plan_destroy(plan);
    fl_program_destroy(p);
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

static void softmax(void)
{
    fl_builder b;
    die(fl_builder_init(&b, "softmax"));
    fl_ref x = argument(&b, 2, DIMS(4096, 1024));
    fl_ref e = fl_exp(&b, fl_sub(&b, x, fl_broadcast_like(&b, fl_reduce_dim(&b, FL_OP_maximum, x, 1, 1), x)));
    fl_ref r = fl_div(&b, e, fl_broadcast_like(&b, fl_reduce_dim(&b, FL_OP_add, e, 1, 1), x));
    bench("softmax 4096x1024", &b, &r, 1, 0, 4096.0 * 1024 * 8);
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

int main(void)
{
    printf("%d threads\n", fl_pool_threads());
    simple("x + 1, 16 elements", 3);
    chain();
    softmax();
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
