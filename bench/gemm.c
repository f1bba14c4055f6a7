/* Speed of matrix products: GF/s of dot_general for squares and training shapes, in the transposition forms.
 * Usage: gemm [m n k] ; prints one line a shape: m n k form GF/s. */
#include "base/dtype.h"
#include "base/pool.h"
#include "cpu/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int cpu_time; /* FL_THREADS=1 on a busy machine: count processor time */

static double now(void)
{
    struct timespec t;
    clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *filled(size_t elements, fl_dtype dtype)
{
    void *p = aligned_alloc(64, (elements * 4 + 4159) / 64 * 64);
    uint32_t x = 12345;
    for (size_t i = 0; p && i < elements; i++) {
        x = x * 1664525 + 1013904223;
        float f = (float)(x >> 8) / 8388608 - 1;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        if (dtype == FL_F32) ((float *)p)[i] = f;
        else ((uint16_t *)p)[i] = (uint16_t)(bits >> 16);
    }
    return p;
}

/* form: "nn", "nt" (rhs stored [n][k]), "tn" (lhs stored [k][m]), "tt". */
static void measure(int64_t batch, int64_t m, int64_t n, int64_t k, const char *form, fl_dtype dtype)
{
    int64_t zero = 0, one = 1, two = 2;
    fl_attr attrs[4] = {{.key = FL_ATTR_lhs_batching_dimensions, .count = 1, .u.ints = &zero},
                        {.key = FL_ATTR_rhs_batching_dimensions, .count = 1, .u.ints = &zero},
                        {.key = FL_ATTR_lhs_contracting_dimensions, .count = 1, .u.ints = &two},
                        {.key = FL_ATTR_rhs_contracting_dimensions, .count = 1, .u.ints = &one}};
    fl_op op = {.code = FL_OP_dot_general, .attrs = attrs, .attr_count = 4};
    fl_operand in[2] = {{.slot = 0, .dtype = (uint8_t)dtype, .rank = 3, .dims = {batch, m, k}, .strides = {m * k, k, 1}},
                        {.slot = 1, .dtype = (uint8_t)dtype, .rank = 3, .dims = {batch, k, n}, .strides = {k * n, n, 1}}};
    fl_operand out = {.slot = 2, .dtype = (uint8_t)dtype, .rank = 3, .dims = {batch, m, n}, .strides = {m * n, n, 1}};
    if (form[0] == 't') in[0].strides[1] = 1, in[0].strides[2] = m;
    if (form[1] == 't') in[1].strides[1] = 1, in[1].strides[2] = k;
    fl_step step = {.op = &op, .input_count = 2, .output_count = 1, .inputs = in, .outputs = &out, .scratch_slot = 3};
    fl_arena arena = {0};
    fl_status status = fl_kernel_find(FL_OP_dot_general)->prepare(NULL, &step, &arena);
    if (status) {
        printf("%s\n", fl_status_message(status));
        return;
    }
    void *scratch = aligned_alloc(64, (step.scratch_bytes + 64) / 64 * 64);
    void *slots[4] = {filled((size_t)(batch * m * k), dtype), filled((size_t)(batch * k * n), dtype),
                      filled((size_t)(batch * m * n), dtype), scratch};
    memset(scratch, 0, step.scratch_bytes);
    double flops = 2.0 * (double)batch * (double)m * (double)n * (double)k, best = 1e9;
    int reps = (int)(0.01 * 2e11 / flops) + 1;
    for (int sample = 0; sample < 15; sample++) {
        double t = now();
        for (int i = 0; i < reps; i++) step.run(&step, slots);
        t = (now() - t) / reps;
        if (t < best) best = t;
    }
    printf("%4lld %5lld %5lld %5lld %s %-5s %9.1f us %7.1f GF/s\n", (long long)batch, (long long)m, (long long)n, (long long)k,
           form, fl_dtype_name(dtype), best * 1e6, flops / best / 1e9);
    fflush(stdout);
    for (int i = 0; i < 4; i++) free(slots[i]);
    fl_arena_free(&arena);
}

int main(int argc, char **argv)
{
    static const int64_t shapes[][4] = {
        {1, 32, 32, 32}, {1, 64, 64, 64}, {1, 128, 128, 128}, {1, 256, 256, 256}, {1, 512, 512, 512}, {1, 1024, 1024, 1024},
        {1, 2048, 2048, 2048}, {1, 1024, 1024, 256}, {1, 1024, 256, 1024}, {1, 256, 256, 4096}, {1, 1, 4096, 4096},
        {1, 4096, 1, 4096}, {1, 8, 1024, 1024}, {64, 64, 64, 32}, {64, 256, 256, 64}, {64, 256, 64, 256}, {1, 2048, 10, 64}};
    static const char *forms[] = {"nn", "nt", "tn"};
    cpu_time = getenv("CPU_TIME") != NULL;
    fl_dtype dtype = getenv("BF16") ? FL_BF16 : FL_F32;
    printf("%d threads\n", fl_pool_threads());
    if (argc == 4)
        for (int f = 0; f < 3; f++) measure(1, atoll(argv[1]), atoll(argv[2]), atoll(argv[3]), forms[f], dtype);
    else
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            for (int f = 0; f < 3; f++)
                measure(shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], forms[f], dtype);
    return 0;
}
