/* Kernels that programs are made of, against formulas in double: an elementwise chain, softmax, layer norm, sums over rows. */
#include "cpu/jit_case.h"

#include <math.h>

#define MOST 4096
static float in[4][3 * MOST + 64], out[3 * MOST + 64];

static const fl_jit_kernel *finish(fl_jit_builder *b)
{
    const fl_jit_kernel *kernel = NULL;
    fl_status status = fl_jit_finish(b, &kernel);
    if (status) fprintf(stderr, "%s\n", fl_status_message(status));
    CHECK_OK(status);
    return kernel;
}

static void run(const fl_jit_kernel *kernel, int rows, int n)
{
    jit_run r = {rows, n, {{in[0], 4 * n, 0}, {in[1], 4 * n, 0}, {in[2], 4 * n, 0}, {out, 4 * n, 0}}};
    for (int i = 0; i < rows * n + 16; i++) out[i] = 77;
    run_kernel(kernel, &r);
    CHECK(out[rows * n] == 77 && out[rows * n + 15] == 77);
}

static void chain(fl_jit_builder *b)
{
    fl_val t = F32(b, add, F32(b, multiply, LOAD(b, 0), k_f32(b, 1.3f)), k_f32(b, 0.1f));
    fl_val q = F32(b, divide, t, F32(b, add, F32(b, exponential, t), k_f32(b, 1)));
    fl_val d = F32(b, subtract, F32(b, maximum, q, k_f32(b, -0.2f)), LOAD(b, 1));
    STORE(b, 3, F32(b, add, F32(b, multiply, F32(b, multiply, d, d), k_f32(b, 0.5f)), LOAD(b, 2)));
}
static void chain_row(const float *const *x, double *y, int n)
{
    for (int i = 0; i < n; i++) {
        double t = (double)x[0][i] * 1.3f + 0.1f, d = fmax(t / (1 + exp(t)), -0.2f) - (double)x[1][i];
        y[i] = d * d * 0.5 + (double)x[2][i];
    }
}

static void softmax(fl_jit_builder *b)
{
    fl_val x = LOAD(b, 0), e = F32(b, exponential, F32(b, subtract, x, fl_jit_reduce(b, FL_OP_maximum, x)));
    STORE(b, 3, F32(b, divide, e, fl_jit_reduce(b, FL_OP_add, e)));
}
static void softmax_row(const float *const *x, double *y, int n)
{
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) most = fmax(most, (double)x[0][i]);
    for (int i = 0; i < n; i++) sum += y[i] = exp((double)x[0][i] - most);
    for (int i = 0; i < n; i++) y[i] /= sum;
}

/* (x - mean) / sqrt(variance + eps) w + b; the count of columns is an operand */
static void norm(fl_jit_builder *b)
{
    fl_val x = LOAD(b, 0), scale = fl_jit_load(b, 4, FL_M_UNIFORM, FL_F32);
    fl_val c = F32(b, subtract, x, F32(b, multiply, fl_jit_reduce(b, FL_OP_add, x), scale));
    fl_val v = F32(b, multiply, fl_jit_reduce(b, FL_OP_add, F32(b, multiply, c, c)), scale);
    fl_val s = F32(b, rsqrt, F32(b, add, v, k_f32(b, 1e-5f)));
    STORE(b, 3, F32(b, add, F32(b, multiply, F32(b, multiply, c, s), LOAD(b, 1)), LOAD(b, 2)));
    CHECK(fl_jit_store(b, 5, FL_M_ROW, s, FL_J_FREE, 0));
}

static void check_norm(const fl_jit_kernel *kernel, int rows, int n)
{
    float inverse = 1.0f / (float)n, rstd[3];
    jit_run r = {
        rows,
        n,
        {{in[0], 4 * n, 0}, {in[1], 0, 0}, {in[2], 0, 0}, {out, 4 * n, 0}, {&inverse, 0, 0}, {rstd, 4, 0}}};
    run_kernel(kernel, &r);
    double worst = 0;
    for (int j = 0; j < rows; j++) {
        double mean = 0, v = 0;
        for (int i = 0; i < n; i++) mean += (double)in[0][j * n + i] / n;
        for (int i = 0; i < n; i++) v += pow((double)in[0][j * n + i] - mean, 2) / n;
        double s = 1 / sqrt(v + 1e-5);
        worst = fmax(worst, fabs((double)rstd[j] / s - 1));
        for (int i = 0; i < n; i++) {
            double y = ((double)in[0][j * n + i] - mean) * s * (double)in[1][i] + (double)in[2][i];
            worst = fmax(worst, fabs(y - (double)out[j * n + i]) / (1 + s));
        }
    }
    CHECK(worst < 1e-4);
}

static void check(const char *name, void (*build)(fl_jit_builder *),
                  void (*row)(const float *const *, double *, int), double most)
{
    static double y[MOST];
    fl_arena arena = {0};
    fl_jit_builder *b = fl_jit_begin(&arena);
    build(b);
    const fl_jit_kernel *kernel = finish(b);
    double worst = 0;
    for (int n = 0; kernel && n < 300; n += n < 40 ? 1 : 13)
        for (int rows = 0; rows < 4; rows++) {
            run(kernel, rows, n);
            for (int j = 0; j < rows; j++) {
                const float *x[] = {in[0] + j * n, in[1] + j * n, in[2] + j * n};
                row(x, y, n);
                for (int i = 0; i < n; i++) worst = fmax(worst, fabs(y[i] - (double)out[j * n + i]));
            }
        }
    printf("%s: %d bytes, %d loops, error %.2g\n", name, kernel ? (int)kernel->code_bytes : 0,
           kernel ? kernel->phases : 0, worst);
    CHECK(worst < most);
    fl_arena_free(&arena);
}

/* Sums over rows, and a cached kernel is the same one. */
static void check_accumulate(void)
{
    const fl_jit_kernel *kernels[2];
    for (int i = 0; i < 2; i++) {
        fl_arena arena = {0};
        fl_jit_builder *b = fl_jit_begin(&arena);
        CHECK(fl_jit_accumulate(b, 1, FL_OP_add, F32(b, multiply, LOAD(b, 0), k_f32(b, 2))));
        kernels[i] = finish(b);
        fl_arena_free(&arena);
    }
    CHECK(kernels[0] == kernels[1]);
    int n = 77, rows = 40;
    for (int i = 0; i < n; i++) out[i] = -0.0f;
    jit_run r = {rows, n, {{in[0], 4 * n, 0}, {out, 0, 0}}};
    if (kernels[0]) run_kernel(kernels[0], &r);
    for (int i = 0; i < n; i++) {
        float sum = -0.0f;
        for (int j = 0; j < rows; j++) sum += in[0][j * n + i] * 2;
        CHECK(sum == out[i]);
    }
}

int main(void)
{
    if (no_jit()) return 77;
    uint32_t state = 1;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3 * MOST + 64; i++)
            state = state * 1664525 + 1013904223, in[k][i] = (float)(state >> 8) * 0x1p-21f - 4;
    check("chain", chain, chain_row, 1e-5);
    check("softmax", softmax, softmax_row, 1e-6);
    fl_arena arena = {0};
    fl_jit_builder *b = fl_jit_begin(&arena);
    norm(b);
    const fl_jit_kernel *kernel = finish(b);
    for (int n = 1; kernel && n < 3000; n += 1 + n / 3) check_norm(kernel, 3, n);
    fl_arena_free(&arena);
    check_accumulate();
    return check_result();
}
