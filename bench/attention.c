/* Speed of attention's kernels in GF/s, forward and backward, counting the products that the scores need (half of them under
 * causality). Usage: attention [f32|bf16|f16 [row [1|2]]], of one row or
 * direction; processor time of one thread: FL_THREADS=1. */
#include "cpu/plan/plan.h"
#include "ir/attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *filled(const fl_type *type)
{
    size_t n = fl_type_bytes(type) / fl_dtype_bytes((fl_dtype)type->dtype);
    char *p = aligned_alloc(64, (n * 4 + 4159) / 64 * 64);
    uint32_t x = 12345;
    for (size_t i = 0; p && i < n; i++) {
        x = x * 1664525 + 1013904223;
        float f = (float)(x >> 8) / 8388608 - 1;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        if (type->dtype == FL_F32) memcpy(p + 4 * i, &f, 4);
        if (type->dtype == FL_BF16) ((uint16_t *)p)[i] = (uint16_t)(bits >> 16);
        if (type->dtype == FL_F16) ((_Float16 *)p)[i] = (_Float16)f;
    }
    return p;
}

static fl_ref parameter(fl_builder *b, fl_dtype t, int rank, int64_t x, int64_t y, int64_t z, int64_t w)
{
    const int64_t dims[4] = {x, y, z, w};
    return fl_parameter(b, fl_type_make(t, rank, dims));
}

typedef struct shape {
    int64_t batch, heads, key_heads, rows, keys, width;
    int causal;
} shape;

static fl_status make(const shape *n, fl_dtype t, int kind, fl_plan **out, fl_program **program)
{
    fl_builder b;
    fl_ref in[7];
    FL_TRY(fl_builder_init(&b, "attention"));
    uint32_t count = 0;
    if (kind == 2) in[count++] = parameter(&b, t, 4, n->batch, n->heads, n->rows, n->width);
    in[count++] = parameter(&b, t, 4, n->batch, n->heads, n->rows, n->width);
    in[count++] = parameter(&b, t, 4, n->batch, n->key_heads, n->keys, n->width);
    in[count++] = parameter(&b, t, 4, n->batch, n->key_heads, n->keys, n->width);
    if (kind == 2) {
        in[count++] = parameter(&b, t, 4, n->batch, n->heads, n->rows, n->width);
        in[count++] = parameter(&b, FL_F32, 3, n->batch, n->heads, n->rows, 0);
    }
    in[count++] = fl_scalar_f(&b, FL_F32, 1 / sqrt((double)n->width));
    fl_attention_spec s = {.causal = n->causal, .fill = -INFINITY, .empty_zero = 1};
    fl_type results[3] = {*fl_typeof(&b, in[kind == 2])};
    if (kind == 2)
        results[1] = *fl_typeof(&b, in[2]), results[2] = *fl_typeof(&b, in[3]);
    else {
        const int64_t dims[3] = {n->batch, n->heads, n->rows};
        results[1] = fl_type_make(FL_F32, 3, dims);
    }
    fl_ref first = fl_attention_build(&b, kind, &s, in, count, results),
           refs[3] = {first, first + 1, first + 2};
    FL_TRY(fl_builder_finish(&b, refs, kind == 2 ? 3 : 2, program));
    return fl_plan_create(*program, NULL, out);
}

static void measure(const shape *n, fl_dtype t, int kind)
{
    fl_plan *plan;
    fl_program *p;
    fl_status status = make(n, t, kind, &plan, &p);
    if (status) {
        printf("%s\n", fl_status_message(status));
        return;
    }
    void *in[8], *out[3], *scratch = aligned_alloc(64, plan->scratch_bytes + 64);
    memset(scratch, 0, plan->scratch_bytes);
    for (uint32_t i = 0; i < plan->input_count; i++) in[i] = filled(fl_type_of(p, p->main->first_arg + i));
    for (uint32_t i = 0; i < plan->output_count; i++) out[i] = filled(fl_type_of(p, p->main->results[i]));
    const double flops = (kind == 2 ? 10.0 : 4.0) * (double)(n->batch * n->heads * n->rows) *
                         (double)n->keys * (double)n->width / (n->causal ? 2 : 1);
    double best = 1e9, begin = now();
    for (int i = 0; i < 200 && (i < 3 || now() - begin < 0.4); i++) {
        double start = now();
        status = fl_plan_run(plan, in, out, scratch);
        double time = now() - start;
        if (time < best) best = time;
        fl_status_free(status);
    }
    printf("%s B %lld H %lld/%lld T %lld S %lld D %lld%s: %.3f ms %.0f GF/s\n",
           kind == 2 ? "backward" : "forward ", (long long)n->batch, (long long)n->heads,
           (long long)n->key_heads, (long long)n->rows, (long long)n->keys, (long long)n->width,
           n->causal ? " causal" : "", best * 1e3, flops / best * 1e-9);
    for (uint32_t i = 0; i < plan->input_count; i++) free(in[i]);
    for (uint32_t i = 0; i < plan->output_count; i++) free(out[i]);
    free(scratch);
    fl_plan_destroy(plan);
    fl_program_destroy(p);
}

int main(int argc, char **argv)
{
    static const shape shapes[] = {
        {1, 2, 2, 2048, 2048, 64, 0}, {1, 2, 2, 2048, 2048, 64, 1},  {8, 8, 8, 128, 128, 32, 1},
        {4, 8, 8, 512, 512, 64, 1},   {1, 8, 2, 1024, 1024, 128, 1}, {1, 8, 8, 64, 64, 64, 1},
        {1, 8, 8, 512, 512, 80, 0},   {1, 32, 8, 1, 2048, 128, 0},   {1, 8, 8, 1, 4096, 64, 0}};
    fl_dtype t = argc > 1 && !strcmp(argv[1], "bf16")  ? FL_BF16
                 : argc > 1 && !strcmp(argv[1], "f16") ? FL_F16
                                                       : FL_F32;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int kind = 1; kind <= 2; kind++)
            if ((kind == 1 || shapes[i].rows > 1) && (argc < 3 || atol(argv[2]) == (long)i) &&
                (argc < 4 || atoi(argv[3]) == kind))
                measure(&shapes[i], t, kind);
    return 0;
}
