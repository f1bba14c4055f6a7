/* Speed of the three products of convolution layers (f32, NCHW): forward, input gradient, weight gradient.
 * Usage: conv ; CPU_TIME=1 with FL_THREADS=1 counts processor time, for a busy machine. */
#include "base/pool.h"
#include "cpu/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int cpu_time;

static double now(void)
{
    struct timespec t;
    clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct product {
    const char *name;
    int64_t in[4], kernel[4], out[4]; /* memory of the three, dense */
    int64_t ib, inf, ki, ko, ob, of;  /* dimension numbers; the spatial ones are 2 and 3 */
    int64_t stride, low, high, dilation, spread, reversal, groups;
} product;

static void *filled(const int64_t *dims, fl_operand *o, uint32_t slot)
{
    int64_t n = 1;
    *o = (fl_operand){.slot = slot, .dtype = FL_F32, .rank = 4};
    for (int i = 3; i >= 0; i--) o->dims[i] = dims[i], o->strides[i] = n, n *= dims[i];
    float *p = malloc((size_t)n * 4 + 64);
    for (int64_t i = 0; i < n; i++) p[i] = (float)(i * 7919 % 1000) / 1000 - 0.5f;
    return p;
}

static double measure(const product *p)
{
    static const int64_t spatial[2] = {2, 3};
    int64_t strides[2] = {p->stride, p->stride}, padding[4] = {p->low, p->high, p->low, p->high}, dilation[2] = {p->dilation, p->dilation};
    int64_t spread[2] = {p->spread, p->spread}, reversal[2] = {p->reversal, p->reversal};
#define INTS(name, n, list) {.key = FL_ATTR_##name, .count = (n), .u.ints = (list)}
#define INT(name, value)    {.key = FL_ATTR_##name, .u.i = (value)}
    fl_attr attrs[] = {INTS(window_strides, 2, strides), INTS(padding, 4, padding), INTS(lhs_dilation, 2, dilation),
                       INTS(rhs_dilation, 2, spread), INTS(window_reversal, 2, reversal), INT(input_batch_dimension, p->ib),
                       INT(input_feature_dimension, p->inf), INTS(input_spatial_dimensions, 2, spatial),
                       INT(kernel_output_feature_dimension, p->ko), INT(kernel_input_feature_dimension, p->ki),
                       INTS(kernel_spatial_dimensions, 2, spatial), INT(output_batch_dimension, p->ob),
                       INT(output_feature_dimension, p->of), INTS(output_spatial_dimensions, 2, spatial),
                       INT(feature_group_count, p->groups)};
    fl_op op = {.code = FL_OP_convolution, .attrs = attrs, .attr_count = sizeof attrs / sizeof *attrs};
    fl_operand in[2], out;
    void *slots[4] = {filled(p->in, &in[0], 0), filled(p->kernel, &in[1], 1), filled(p->out, &out, 2), NULL};
    fl_step step = {.op = &op, .input_count = 2, .output_count = 1, .inputs = in, .outputs = &out, .scratch_slot = 3};
    fl_arena arena = {0};
    fl_status status = fl_kernel_find(FL_OP_convolution)->prepare(NULL, &step, &arena);
    double best = 1e9;
    if (!status) {
        slots[3] = aligned_alloc(64, (step.scratch_bytes + 64) / 64 * 64);
        memset(slots[3], 0, step.scratch_bytes);
        for (int i = 0; i < 12; i++) {
            double t = now();
            step.run(&step, slots);
            t = now() - t;
            if (t < best) best = t;
        }
    }
    fl_status_free(status);
    for (int i = 0; i < 4; i++) free(slots[i]);
    fl_arena_free(&arena);
    return best;
}

static void layer(int64_t n, int64_t c, int64_t o, int64_t size, int64_t k, int64_t s, int64_t pad, int64_t groups)
{
    int64_t to = (size + 2 * pad - k) / s + 1, rest = size + 2 * pad - k - (to - 1) * s, cg = c / groups;
    double flops = 2.0 * (double)(n * cg * o * k * k * to * to);
    product p[3] = {{.name = "forward", .in = {n, c, size, size}, .kernel = {o, cg, k, k}, .out = {n, o, to, to}, .ib = 0, .inf = 1, .ko = 0,
                     .ki = 1, .ob = 0, .of = 1, .stride = s, .low = pad, .high = pad, .dilation = 1, .spread = 1, .groups = groups},
                    {.name = "input", .in = {n, o, to, to}, .kernel = {o, cg, k, k}, .out = {n, c, size, size}, .ib = 0, .inf = 1, .ko = 1,
                     .ki = 0, .ob = 0, .of = 1, .stride = 1, .low = k - 1 - pad, .high = k - 1 - pad + rest, .dilation = s, .spread = 1,
                     .reversal = 1, .groups = 1},
                    {.name = "weight", .in = {n, c, size, size}, .kernel = {n, o, to, to}, .out = {o, c, k, k}, .ib = 1, .inf = 0, .ko = 1,
                     .ki = 0, .ob = 1, .of = 0, .stride = 1, .low = pad, .high = pad - rest, .dilation = 1, .spread = s, .groups = 1}};
    for (int i = 0; i < (groups > 1 ? 1 : 3); i++) {
        double t = measure(&p[i]);
        printf("N%lld C%lld O%lld %lldx%lld k%lld s%lld g%lld %-8s %9.1f us %7.1f GF/s\n", (long long)n, (long long)c, (long long)o,
               (long long)size, (long long)size, (long long)k, (long long)s, (long long)groups, p[i].name, t * 1e6, flops / t / 1e9);
        fflush(stdout);
    }
}

int main(void)
{
    cpu_time = getenv("CPU_TIME") != NULL;
    printf("%d threads\n", fl_pool_threads());
    layer(32, 3, 32, 32, 3, 1, 1, 1);
    layer(32, 32, 64, 32, 3, 1, 1, 1);
    layer(32, 64, 64, 16, 3, 1, 1, 1);
    layer(32, 64, 128, 16, 3, 2, 1, 1);
    layer(32, 64, 128, 16, 1, 2, 0, 1);
    layer(32, 128, 128, 8, 3, 1, 1, 1);
    layer(32, 256, 256, 8, 1, 1, 0, 1);
    layer(64, 1, 32, 8, 3, 1, 1, 1);
    layer(4, 64, 64, 56, 3, 1, 1, 1);
    layer(4, 512, 512, 7, 3, 1, 1, 1);
    layer(2, 3, 64, 224, 7, 2, 3, 1);
    layer(32, 64, 64, 32, 3, 1, 1, 64);
    return 0;
}
