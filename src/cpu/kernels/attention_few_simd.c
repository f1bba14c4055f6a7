/* See attention_few.h. */
#include "cpu/kernels/attention_few.h"

#include <math.h>
#include <string.h>
#include "cpu/kernels/attention_vec.inc"

INLINE float sum_of(vec v)
{
#if defined(FL_ISA_avx512)
    return _mm512_reduce_add_ps((__m512)v);
#else
    float s = 0;
    for (int i = 0; i < LANES; i++) s += v[i];
    return s;
#endif
}

enum { KEYS = 4, ROWS = 4 };

/* Dot products of a few rows with a few keys. */
INLINE void dots(float *scores, int64_t scores_row, const float *query, const float *keys, int64_t key_row,
                 int64_t width, const int rows, const int count)
{
    vec acc[ROWS][KEYS];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int k = 0; k < count; k++) acc[r][k] = (vec){0};
    for (int64_t d = 0; d < width; d += LANES) {
        vec x[KEYS];
#pragma GCC unroll 4
        for (int k = 0; k < count; k++) x[k] = load(keys + k * key_row + d);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            vec q = load(query + r * width + d);
#pragma GCC unroll 4
            for (int k = 0; k < count; k++) acc[r][k] = FMA(q, x[k], acc[r][k]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int k = 0; k < count; k++) scores[r * scores_row + k] = sum_of(acc[r][k]);
}

#define DOTS(rows)                                                                                           \
    static void dots##rows(float *scores, int64_t scores_row, const float *query, const float *keys,         \
                           int64_t key_row, int64_t count, int64_t width)                                    \
    {                                                                                                        \
        int64_t k = 0;                                                                                       \
        for (; k + KEYS <= count; k += KEYS)                                                                 \
            dots(scores + k, scores_row, query, keys + k * key_row, key_row, width, rows, KEYS);             \
        for (; k < count; k++)                                                                               \
            dots(scores + k, scores_row, query, keys + k * key_row, key_row, width, rows, 1);                \
    }
DOTS(1)
DOTS(2)
DOTS(3)
DOTS(4)

static void scores(float *out, int64_t out_row, const float *query, int64_t rows, const float *keys,
                   int64_t key_row, int64_t count, int64_t width)
{
    static void (*const of_rows[])(float *, int64_t, const float *, const float *, int64_t, int64_t,
                                   int64_t) = {dots1, dots2, dots3, dots4};
    for (int64_t k = 0; k < count; k += 16) { /* that many keys stay in the cache for all rows */
        const int64_t some = count - k < 16 ? count - k : 16;
        for (int64_t r = 0; r < rows; r += ROWS)
            of_rows[rows - r < ROWS ? rows - r - 1 : ROWS - 1](
                out + r * out_row + k, out_row, query + r * width, keys + k * key_row, key_row, some, width);
    }
}

static float largest(const float *x, int64_t n)
{
    vec m = splat(-INFINITY);
    float most = -INFINITY;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) m = larger(load(x + i), m);
    for (; i < n; i++) most = x[i] > most ? x[i] : most;
    for (int k = 0; k < LANES; k++) most = m[k] > most ? m[k] : most;
    return most;
}

static float weigh(float *x, int64_t n, float max)
{
    vec sum = {0}, last;
    const vec m = splat(max);
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        vec p = power(load(x + i) - m);
        store(x + i, p);
        sum += p;
    }
    if (i < n) {
        float part[LANES];
        for (int k = 0; k < LANES; k++) part[k] = i + k < n ? x[i + k] : -INFINITY;
        last = power(load(part) - m);
        for (int k = 0; i + k < n; k++) x[i + k] = last[k];
        sum += last;
    }
    return sum_of(sum);
}

extern const fl_attention_few_simd FL_ISA_NAME(fl_attention_few_simd)[1];
const fl_attention_few_simd FL_ISA_NAME(fl_attention_few_simd)[1] = {{scores, largest, weigh}};
