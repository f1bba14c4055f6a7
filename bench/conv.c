/* Speed of the three products of convolution layers (f32, channels first): forward, input gradient, weight gradient.
 * Usage: conv: a table, of the best of some runs, in processor time of the calling thread (use FL_THREADS=1).
 *        conv serve: prints the list, then answers each line "NUMBER" with the nanoseconds of one run; for conv.py. */
#include "base/pool.h"
#include "cpu/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct layer {
    int spatial;
    int64_t images, in, out, size, taps, stride, padding, groups;
} layer;

static const layer layers[] = {
    /* ResNet-50 */
    {2, 2, 3, 64, 224, 7, 2, 3, 1},
    {2, 4, 64, 64, 56, 1, 1, 0, 1},
    {2, 4, 64, 64, 56, 3, 1, 1, 1},
    {2, 4, 64, 256, 56, 1, 1, 0, 1},
    {2, 4, 256, 128, 56, 1, 1, 0, 1},
    {2, 4, 128, 128, 56, 3, 2, 1, 1},
    {2, 4, 256, 512, 56, 1, 2, 0, 1},
    {2, 4, 128, 128, 28, 3, 1, 1, 1},
    {2, 4, 512, 128, 28, 1, 1, 0, 1},
    {2, 4, 256, 256, 14, 3, 1, 1, 1},
    {2, 4, 1024, 256, 14, 1, 1, 0, 1},
    {2, 4, 512, 512, 7, 3, 1, 1, 1},
    {2, 4, 512, 2048, 7, 1, 1, 0, 1},
    {2, 1, 64, 64, 56, 3, 1, 1, 1},
    /* a small ResNet on images of 32 x 32 */
    {2, 32, 3, 32, 32, 3, 1, 1, 1},
    {2, 32, 32, 32, 32, 3, 1, 1, 1},
    {2, 32, 32, 32, 32, 1, 1, 0, 1},
    {2, 32, 32, 64, 32, 3, 2, 1, 1},
    {2, 32, 32, 64, 32, 1, 2, 0, 1},
    {2, 32, 64, 64, 16, 3, 1, 1, 1},
    {2, 32, 64, 128, 16, 3, 2, 1, 1},
    {2, 32, 64, 128, 16, 1, 2, 0, 1},
    {2, 32, 128, 128, 8, 3, 1, 1, 1},
    /* depthwise and grouped */
    {2, 8, 64, 64, 56, 3, 1, 1, 64},
    {2, 8, 144, 144, 56, 3, 2, 1, 144},
    {2, 8, 384, 384, 14, 5, 1, 2, 384},
    {2, 4, 128, 128, 28, 3, 1, 1, 32},
    /* one and three dimensions */
    {1, 4, 256, 256, 2048, 4, 1, 3, 256},
    {1, 4, 80, 256, 1500, 3, 1, 1, 1},
    {3, 2, 16, 32, 16, 3, 1, 1, 1},
};
enum { LAYERS = sizeof layers / sizeof *layers };
static const char *const products[] = {"forward", "input", "weight"};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef struct problem {
    int64_t numbers[3][2]; /* dimension of batch and feature; of the kernel: output and input features */
    int64_t strides[3], padding[6], dilation[3], spread[3], reversal[3], spatial[3];
    fl_attr attrs[16];
    fl_op op;
    fl_operand in[2], out;
    fl_step step;
    fl_arena arena;
    void *slots[4];
    double flops;
} problem;

static void *filled(const layer *l, int64_t a, int64_t b, int64_t size, fl_operand *o, uint32_t slot)
{
    int64_t n = 1;
    *o = (fl_operand){.slot = slot, .dtype = FL_F32, .rank = (uint8_t)(l->spatial + 2), .dims = {a, b}};
    for (int i = 0; i < l->spatial; i++) o->dims[2 + i] = size;
    for (int i = o->rank - 1; i >= 0; i--) o->strides[i] = n, n *= o->dims[i];
    float *p = malloc((size_t)n * 4 + 64);
    for (int64_t i = 0; i < n; i++) p[i] = (float)(i * 7919 % 1000) / 1000 - 0.5f;
    return p;
}

/* Product `which` of a layer. Gradients of grouped layers are given as PyTorch's lowering gives them. */
static problem *make(const layer *l, int which)
{
    problem *p = calloc(1, sizeof *p);
    const int64_t to = (l->size + 2 * l->padding - l->taps) / l->stride + 1,
                  rest = l->size + 2 * l->padding - l->taps - (to - 1) * l->stride, per = l->in / l->groups;
    p->flops = 2.0 * (double)(l->images * per * l->out);
    int64_t low[] = {l->padding, l->taps - 1 - l->padding, l->padding}, high[] = {l->padding, low[1] + rest, low[2] - rest};
    for (int i = 0; i < l->spatial; i++) {
        p->flops *= (double)(l->taps * to);
        p->strides[i] = which == 0 ? l->stride : 1;
        p->dilation[i] = which == 1 ? l->stride : 1;
        p->spread[i] = which == 2 ? l->stride : 1;
        p->reversal[i] = which == 1;
        p->padding[2 * i] = low[which], p->padding[2 * i + 1] = high[which];
        p->spatial[i] = 2 + i;
    }
    int64_t feature_groups = which < 2 ? l->groups : 1, batch_groups = which < 2 ? 1 : l->groups;
    if (which == 0) {
        p->slots[0] = filled(l, l->images, l->in, l->size, &p->in[0], 0);
        p->slots[1] = filled(l, l->out, per, l->taps, &p->in[1], 1);
        p->slots[2] = filled(l, l->images, l->out, to, &p->out, 2);
    } else if (which == 1) { /* the kernel [out / groups, in, ...] */
        p->slots[0] = filled(l, l->images, l->out, to, &p->in[0], 0);
        p->slots[1] = filled(l, l->out / l->groups, l->in, l->taps, &p->in[1], 1);
        p->slots[2] = filled(l, l->images, l->in, l->size, &p->out, 2);
    } else {
        p->slots[0] = filled(l, l->images, l->in, l->size, &p->in[0], 0);
        p->slots[1] = filled(l, l->images, l->out, to, &p->in[1], 1);
        p->slots[2] = filled(l, l->out, per, l->taps, &p->out, 2);
    }
    const int swap = which == 2; /* images are features */
    p->numbers[0][0] = swap, p->numbers[0][1] = !swap;
    p->numbers[1][0] = which > 0, p->numbers[1][1] = which == 0;
    p->numbers[2][0] = swap, p->numbers[2][1] = !swap;
#define INTS(name, n, list) {.key = FL_ATTR_##name, .count = (uint32_t)(n), .u.ints = (list)}
#define INT(name, value)    {.key = FL_ATTR_##name, .u.i = (value)}
    const int s = l->spatial;
    fl_attr attrs[16] = {INTS(window_strides, s, p->strides), INTS(padding, 2 * s, p->padding), INTS(lhs_dilation, s, p->dilation),
                         INTS(rhs_dilation, s, p->spread), INTS(window_reversal, s, p->reversal),
                         INT(input_batch_dimension, p->numbers[0][0]), INT(input_feature_dimension, p->numbers[0][1]),
                         INTS(input_spatial_dimensions, s, p->spatial), INT(kernel_output_feature_dimension, p->numbers[1][0]),
                         INT(kernel_input_feature_dimension, p->numbers[1][1]), INTS(kernel_spatial_dimensions, s, p->spatial),
                         INT(output_batch_dimension, p->numbers[2][0]), INT(output_feature_dimension, p->numbers[2][1]),
                         INTS(output_spatial_dimensions, s, p->spatial), INT(feature_group_count, feature_groups),
                         INT(batch_group_count, batch_groups)};
    memcpy(p->attrs, attrs, sizeof attrs);
    p->op = (fl_op){.code = FL_OP_convolution, .attrs = p->attrs, .attr_count = 16};
    p->step = (fl_step){.op = &p->op, .input_count = 2, .output_count = 1, .inputs = p->in, .outputs = &p->out, .scratch_slot = 3};
    fl_status status = fl_kernel_find(FL_OP_convolution)->prepare(NULL, &p->step, &p->arena);
    if (status) {
        fprintf(stderr, "%s\n", fl_status_message(status));
        exit(1);
    }
    p->slots[3] = aligned_alloc(64, (p->step.scratch_bytes + 127) / 64 * 64);
    memset(p->slots[3], 0, p->step.scratch_bytes);
    return p;
}

static void destroy(problem *p)
{
    for (int i = 0; i < 4; i++) free(p->slots[i]);
    fl_arena_free(&p->arena);
    free(p);
}

static double run(problem *p)
{
    const double start = now();
    fl_status_free(p->step.run(&p->step, p->slots));
    return now() - start;
}

static void print(int i)
{
    const layer *l = &layers[i / 3];
    printf("%d %lld %lld %lld %lld %lld %lld %lld %lld %s", l->spatial, (long long)l->images, (long long)l->in, (long long)l->out,
           (long long)l->size, (long long)l->taps, (long long)l->stride, (long long)l->padding, (long long)l->groups, products[i % 3]);
}

static void serve(void)
{
    problem *p = NULL;
    int i, at = -1;
    printf("%d\n", LAYERS * 3);
    for (i = 0; i < LAYERS * 3; i++) print(i), puts("");
    fflush(stdout);
    while (scanf("%d", &i) == 1 && i >= 0 && i < LAYERS * 3) {
        if (i != at) {
            if (p) destroy(p);
            p = make(&layers[i / 3], i % 3), at = i;
            run(p);
        }
        printf("%.0f\n", run(p));
        fflush(stdout);
    }
    if (p) destroy(p);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "serve")) {
        serve();
        return 0;
    }
    printf("%d threads; dimensions, images, channels in and out, size, taps, stride, padding, groups\n", fl_pool_threads());
    for (int i = 0; i < LAYERS * 3; i++) {
        problem *p = make(&layers[i / 3], i % 3);
        double best = 1e18;
        for (int k = 0; k < 10; k++) {
            const double t = run(p);
            if (t < best) best = t;
        }
        print(i);
        printf(" %9.1f us %7.1f GF/s\n", best * 1e-3, p->flops / best);
        fflush(stdout);
        destroy(p);
    }
    return 0;
}
