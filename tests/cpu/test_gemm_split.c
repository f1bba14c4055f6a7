/* f32 products in three bf16 parts: against sums in f64, beside multiply-adds; numbers that have no parts; cut results. */
#include "cpu/kernels/gemm_split.h"

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
    fl_gemm_block(fl_gemm_type_for(FL_F32, FL_F32, FL_F32), m, n, k, a, b, c, c_row, scratch);
}

typedef struct product {
    int64_t m, n, k;
    float *a, *b, *split, *fma;
    fl_matrix x, y;
    void *scratch;
    int streams;
} product;

static product make(int64_t m, int64_t n, int64_t k, int a_turned, int b_turned, int64_t gap)
{
    product p = {.m = m, .n = n, .k = k};
    const int64_t a_row = a_turned ? 1 : k + gap, a_column = a_turned ? m + gap : 1;
    const int64_t b_row = b_turned ? 1 : n + gap, b_column = b_turned ? k + gap : 1;
    const size_t a_count = (size_t)((m + gap) * (k + gap)), b_count = (size_t)((k + gap) * (n + gap));
    p.a = malloc(a_count * sizeof(float)), p.b = malloc(b_count * sizeof(float));
    p.split = calloc((size_t)(m * n), sizeof(float)), p.fma = calloc((size_t)(m * n), sizeof(float));
    const size_t bytes = fl_split_scratch(m, n, k, 0) + fl_split_scratch(m, n, k, 1) + 128 +
                         fl_gemm_block_scratch(fl_gemm_type_for(FL_F32, FL_F32, FL_F32), m, n, k);
    p.scratch = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    for (size_t i = 0; i < a_count; i++) p.a[i] = uniform() * uniform();
    for (size_t i = 0; i < b_count; i++) p.b[i] = uniform();
    p.x = (fl_matrix){p.a, FL_F32, a_row, a_column};
    p.y = (fl_matrix){p.b, FL_F32, b_row, b_column};
    p.streams = fl_split_streams(m, n, k, b_row);
    return p;
}

static void drop(product *p)
{
    free(p->a), free(p->b), free(p->split), free(p->fma), free(p->scratch);
}

static void run(product *p)
{
    fl_split_block(p->m, p->n, p->k, p->x, p->y, p->split, p->n, p->streams, p->scratch);
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
static void test_errors(int64_t m, int64_t n, int64_t k, int a_turned, int b_turned, int64_t gap)
{
    product p = make(m, n, k, a_turned, b_turned, gap);
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
    CHECK(worst < 0x1p-22);
    CHECK(split <= fma * 1.1);
    drop(&p);
}

static int same_class(float x, float y)
{
    return isnan(x) ? isnan(y) : isinf(x) ? x == y : isfinite(y);
}

/* Elements that have no three parts, or whose products would be lost. */
static void test_special(float value, int everywhere)
{
    product p = make(96, 64, 288, 0, 1, 0);
    for (int64_t i = 0; i < 96 * 288; i++)
        if (everywhere || i == 40 * 288 + 200) p.a[i] = everywhere ? value * (1 + uniform() * 0.5f) : value;
    run(&p);
    for (int64_t i = 0; i < 96; i++)
        for (int64_t j = 0; j < 64; j++) {
            double magnitude = 0;
            const float x = p.split[i * 64 + j], y = p.fma[i * 64 + j];
            CHECK(same_class(x, y));
            for (int64_t l = 0; l < 288; l++) magnitude += fabs(a_at(&p, i, l) * b_at(&p, l, j));
            if (isfinite(y)) CHECK(fabs((double)x - y) <= 0x1p-21 * magnitude + 288 * 0x1p-126);
        }
    drop(&p);
}

static void test_cuts(int64_t m, int64_t n, int b_turned)
{
    product p = make(m, n, 300, 0, b_turned, 3);
    p.a[7] = INFINITY;
    p.b[5000] = 1e30f;
    run(&p);
    for (int64_t i = 0; i < p.m; i += 32)
        for (int64_t j = 0; j < p.n; j += 64) {
            float part[32 * 64];
            const int64_t m = p.m - i < 32 ? p.m - i : 32, n = p.n - j < 64 ? p.n - j : 64;
            fl_matrix x = p.x, y = p.y;
            x.data = p.a + i * x.rows;
            y.data = p.b + j * y.columns;
            fl_split_block(m, n, p.k, x, y, part, n, p.streams, p.scratch);
            for (int64_t r = 0; r < m; r++)
                CHECK(!memcmp(part + r * n, p.split + (i + r) * p.n + j, (size_t)n * sizeof(float)));
        }
    drop(&p);
}

int main(void)
{
    if (!fl_split_uses(64, 64, 64)) {
        puts("skipped: the processor has no AMX, or it is switched off");
        return 0;
    }
    CHECK(!fl_split_uses(31, 64, 1024) && !fl_split_uses(1024, 33, 1024) && !fl_split_uses(32, 32, 32));
    for (int turned = 0; turned < 4; turned++) {
        test_errors(64, 96, 128, turned & 1, turned >> 1, 0);
        test_errors(129, 70, 500, turned & 1, turned >> 1, 5);
        test_errors(32, 1100, 97, turned & 1, turned >> 1, 1);
        test_errors(1, 1, 1, turned & 1, turned >> 1, 0);
        test_errors(40, 330, 333, turned & 1, turned >> 1, 2); /* few rows */
        test_errors(64, 512, 256, turned & 1, turned >> 1, 0);
        test_errors(200, 40, 1500, turned & 1, turned >> 1, 0);
    }
    const float values[] = {NAN, INFINITY, -INFINITY, 3e38f, 1e20f, 1e-30f, 1e-38f, 1e-42f, 0.0f};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        test_special(values[i], 0);
        test_special(values[i], 1);
    }
    test_cuts(100, 130, 0);
    test_cuts(64, 400, 1); /* streams */
    return check_result();
}
