/* f32 products in three bf16 parts, f16 and f32 in high precision in two: against sums in f64, beside multiply-adds; numbers that have no
 * parts; cut results. */
#include "cpu/kernels/gemm_split.h"
#include "base/half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static uint64_t state = 1;
static float uniform(void) /* in [-1, 1) */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(state >> 32) * 0x1p-31f;
}

static void multiply_adds(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                          void *scratch)
{
    const fl_gemm_type *type = fl_gemm_type_for(FL_F32, FL_F32, FL_F32);
    fl_gemm_block(type, m, n, k, &a, &b, c, c_row, fl_gemm_uses_few(type, m, n, k, b), scratch);
}

typedef struct product {
    fl_dtype type;
    int64_t m, n, k;
    size_t a_count, b_count;
    float *a, *b, *split, *fma;
    uint16_t *half_a, *half_b; /* what is multiplied when the type is f16 */
    fl_matrix x, y;
    void *scratch;
    fl_split_form form;
} product;

/* What is multiplied, and how. */
typedef struct kind {
    fl_dtype type;
    int high;
} kind;

static product make(kind what, int64_t m, int64_t n, int64_t k, int a_turned, int b_turned, int64_t gap)
{
    const fl_dtype type = what.type;
    product p = {.type = type, .m = m, .n = n, .k = k};
    const int64_t a_row = a_turned ? 1 : k + gap, a_column = a_turned ? m + gap : 1;
    const int64_t b_row = b_turned ? 1 : n + gap, b_column = b_turned ? k + gap : 1;
    const size_t a_count = (size_t)((m + gap) * (k + gap)), b_count = (size_t)((k + gap) * (n + gap));
    p.a = malloc(a_count * sizeof(float)), p.b = malloc(b_count * sizeof(float));
    p.half_a = malloc(a_count * sizeof(uint16_t)), p.half_b = malloc(b_count * sizeof(uint16_t));
    p.a_count = a_count, p.b_count = b_count;
    p.split = calloc((size_t)(m * n), sizeof(float)), p.fma = calloc((size_t)(m * n), sizeof(float));
    p.form = fl_split_form_for(type, what.high, m, n, k, b_row);
    const size_t bytes = fl_split_scratch(type, m, n, k, p.form) + 128 +
                         fl_gemm_block_scratch(fl_gemm_type_for(FL_F32, FL_F32, FL_F32), m, n, k);
    p.scratch = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    for (size_t i = 0; i < a_count; i++) p.a[i] = uniform() * uniform();
    for (size_t i = 0; i < b_count; i++) p.b[i] = uniform();
    const int half = type == FL_F16;
    p.x = (fl_matrix){half ? (void *)p.half_a : p.a, type, a_row, a_column};
    p.y = (fl_matrix){half ? (void *)p.half_b : p.b, type, b_row, b_column};
    return p;
}

static void drop(product *p)
{
    free(p->half_a), free(p->half_b);
    free(p->a), free(p->b), free(p->split), free(p->fma), free(p->scratch);
}

static void round_to_half(uint16_t *half, float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) x[i] = fl_f32_from_f16(half[i] = fl_f16_from_f32(x[i]));
}

static void run(product *p)
{
    if (p->type == FL_F16)
        round_to_half(p->half_a, p->a, p->a_count), round_to_half(p->half_b, p->b, p->b_count);
    fl_split_block(p->m, p->n, p->k, p->x, p->y, p->split, p->n, p->form, p->scratch);
    multiply_adds(p->m, p->n, p->k, p->x, p->y, p->fma, p->n, p->scratch);
}

static double a_at(const product *p, int64_t i, int64_t k)
{
    return p->a[i * p->x.rows + k * p->x.columns];
}
static double b_at(const product *p, int64_t k, int64_t j)
{
    return p->b[k * p->y.rows + j * p->y.columns];
}

/* Errors as shares of the sum of the products' magnitudes, which is what rounding is relative to. */
static void test_errors(kind what, int64_t m, int64_t n, int64_t k, int a_turned, int b_turned, int64_t gap)
{
    product p = make(what, m, n, k, a_turned, b_turned, gap);
    double worst = 0, split = 0, fma = 0;
    run(&p);
    for (int64_t i = 0; i < m; i += 1 + m / 40)
        for (int64_t j = 0; j < n; j += 1 + n / 40) {
            double sum = 0, magnitude = 0;
            for (int64_t l = 0; l < k; l++) {
                const double x = a_at(&p, i, l) * b_at(&p, l, j);
                sum += x;
                magnitude += fabs(x);
            }
            const double error = fabs(p.split[i * n + j] - sum) / magnitude;
            worst = error > worst ? error : worst;
            split += error;
            fma += fabs(p.fma[i * n + j] - sum) / magnitude;
        }
    /* high: both roundings of an element to its second part, and the product of the second parts, 2^-18 each */
    CHECK(worst < (what.high ? 3 * 0x1p-18 : 0) + 0x1p-22);
    CHECK(what.high ? split > 4 * fma || k == 1 : split <= fma * 1.1);
    drop(&p);
}

static int same_class(float x, float y)
{
    return isnan(x) ? isnan(y) : isinf(x) ? x == y : isfinite(y);
}

/* Elements that have no three parts, or whose products would be lost. */
static void test_special(kind what, float value, int everywhere)
{
    product p = make(what, 96, 64, 288, 0, 1, 0);
    for (int64_t i = 0; i < 96 * 288; i++)
        if (everywhere || i == 40 * 288 + 200) p.a[i] = everywhere ? value * (1 + uniform() * 0.5f) : value;
    run(&p);
    for (int64_t i = 0; i < 96; i++)
        for (int64_t j = 0; j < 64; j++) {
            double sum = 0, magnitude = 0;
            const float x = p.split[i * 64 + j], y = p.fma[i * 64 + j];
            CHECK(same_class(x, y));
            for (int64_t l = 0; l < 288; l++) {
                const double product = a_at(&p, i, l) * b_at(&p, l, j);
                sum += product;
                magnitude += fabs(product);
            }
            if (isfinite(y))
                CHECK(fabs(x - sum) <= (what.high ? 0x1p-16 : 0x1p-21) * magnitude + 288 * 0x1p-126);
        }
    drop(&p);
}

static void test_cuts(kind what, int64_t m, int64_t n, int b_turned)
{
    const fl_dtype type = what.type;
    product p = make(what, m, n, 300, 0, b_turned, 3);
    p.a[7] = INFINITY;
    p.b[5000] = 1e30f;
    run(&p);
    for (int64_t i = 0; i < p.m; i += 32)
        for (int64_t j = 0; j < p.n; j += 64) {
            float part[32 * 64];
            const int64_t m = p.m - i < 32 ? p.m - i : 32, n = p.n - j < 64 ? p.n - j : 64;
            fl_matrix x = p.x, y = p.y;
            x.data = (const char *)x.data + i * x.rows * (int64_t)fl_dtype_bytes(type);
            y.data = (const char *)y.data + j * y.columns * (int64_t)fl_dtype_bytes(type);
            fl_split_block(m, n, p.k, x, y, part, n, p.form, p.scratch);
            for (int64_t r = 0; r < m; r++)
                CHECK(!memcmp(part + r * n, p.split + (i + r) * p.n + j, (size_t)n * sizeof(float)));
        }
    drop(&p);
}

static void test_type(kind what, const float *specials, int special_count)
{
    for (int turned = 0; turned < 4; turned++) {
        test_errors(what, 64, 96, 128, turned & 1, turned >> 1, 0);
        test_errors(what, 129, 70, 500, turned & 1, turned >> 1, 5);
        test_errors(what, 32, 1100, 97, turned & 1, turned >> 1, 1);
        test_errors(what, 1, 1, 1, turned & 1, turned >> 1, 0);
        test_errors(what, 40, 330, 333, turned & 1, turned >> 1, 2); /* few rows */
        test_errors(what, 64, 512, 256, turned & 1, turned >> 1, 0);
        test_errors(what, 200, 40, 1500, turned & 1, turned >> 1, 0);
    }
    for (int i = 0; i < special_count; i++) {
        test_special(what, specials[i], 0);
        test_special(what, specials[i], 1);
    }
    test_cuts(what, 100, 130, 0);
    test_cuts(what, 64, 400, 1); /* streams */
}

int main(void)
{
    if (!fl_split_uses(FL_F32, 64, 64, 64)) {
        puts("skipped: the processor has no AMX, or it is switched off");
        return 0;
    }
    CHECK(!fl_split_uses(FL_F32, 31, 64, 1024) && !fl_split_uses(FL_F16, 1024, 33, 1024));
    CHECK(!fl_split_uses(FL_F32, 32, 32, 32) && !fl_split_uses(FL_F64, 64, 64, 64));
    const float singles[] = {NAN, INFINITY, -INFINITY, 3e38f, 1e20f, 1e-30f, 1e-38f, 1e-42f, 0.0f},
                halves[] = {NAN, INFINITY, -INFINITY, 65504, 1e-3f, 6.1e-5f, 3e-7f, 6e-8f, 0.0f};
    test_type((kind){FL_F32, 0}, singles, sizeof singles / sizeof *singles);
    test_type((kind){FL_F32, 1}, singles, sizeof singles / sizeof *singles);
    test_type((kind){FL_F16, 0}, halves, sizeof halves / sizeof *halves);
    return check_result();
}
