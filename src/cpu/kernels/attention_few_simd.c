/* See attention_few.h. */
#include "cpu/kernels/attention_few.h"

#include "base/half.h"

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

enum {
    KEYS = 4,
    ROWS = 4,
    AHEAD = 16 /* rows of keys or values, often far apart, that are asked for in advance */
};

INLINE const char *at(const void *data, fl_dtype t, int64_t i)
{
    return (const char *)data + i * (t == FL_F32 ? 4 : 2);
}

INLINE void ask(const void *data, fl_dtype t, int64_t width)
{
    for (int64_t i = 0; i < width; i += 64 / (t == FL_F32 ? 4 : 2)) __builtin_prefetch(at(data, t, i));
}

/* Dot products of a few rows with a few keys. */
INLINE void dots(float *scores, int64_t scores_row, const float *query, const void *keys, const fl_dtype t,
                 int64_t key_row, int64_t width, const int rows, const int count)
{
    vec acc[ROWS][KEYS];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int k = 0; k < count; k++) acc[r][k] = (vec){0};
    for (int64_t d = 0; d < width; d += LANES) {
        vec x[KEYS];
#pragma GCC unroll 4
        for (int k = 0; k < count; k++) x[k] = load_as(keys, t, k * key_row + d);
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

INLINE void dots_of(float *scores, int64_t scores_row, const float *query, const void *keys, const fl_dtype t,
                    int64_t key_row, int64_t count, int64_t width, const int rows, int64_t more)
{
    int64_t k = 0;
    for (; k + KEYS <= count; k += KEYS) {
        for (int64_t i = k; i < k + KEYS && i + AHEAD < count + more; i++)
            ask(at(keys, t, (i + AHEAD) * key_row), t, width);
        dots(scores + k, scores_row, query, at(keys, t, k * key_row), t, key_row, width, rows, KEYS);
    }
    for (; k < count; k++)
        dots(scores + k, scores_row, query, at(keys, t, k * key_row), t, key_row, width, rows, 1);
}

INLINE void scores_of(float *out, int64_t out_row, const float *query, int64_t rows, const void *keys,
                      const fl_dtype t, int64_t key_row, int64_t count, int64_t width)
{
    for (int64_t k = 0; k < count; k += 16) { /* that many keys stay in the cache for all rows */
        const int64_t some = count - k < 16 ? count - k : 16;
        for (int64_t r = 0; r < rows; r += ROWS) {
            const int64_t more = r + ROWS < rows ? 0 : count - k - some;
            float *to = out + r * out_row + k;
            const void *from = at(keys, t, k * key_row);
            const float *q = query + r * width;
            switch (rows - r) {
            case 1: dots_of(to, out_row, q, from, t, key_row, some, width, 1, more); break;
            case 2: dots_of(to, out_row, q, from, t, key_row, some, width, 2, more); break;
            case 3: dots_of(to, out_row, q, from, t, key_row, some, width, 3, more); break;
            default: dots_of(to, out_row, q, from, t, key_row, some, width, ROWS, more); break;
            }
        }
    }
}

enum { WIDE = 4 };

/* Sums of values for a few rows and a few vectors of the width. */
INLINE void sums(float *result, const float *scores, int64_t scores_row, const void *values, const fl_dtype t,
                 int64_t value_row, int64_t count, int64_t width, int add, const int rows, const int vectors)
{
    vec acc[ROWS][WIDE];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) acc[r][v] = add ? load(result + r * width + v * LANES) : (vec){0};
    for (int64_t k = 0; k < count; k++) {
        if (k + AHEAD < count) ask(at(values, t, (k + AHEAD) * value_row), t, vectors * LANES);
        vec x[WIDE];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) x[v] = load_as(values, t, k * value_row + v * LANES);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                acc[r][v] = FMA(splat(scores[r * scores_row + k]), x[v], acc[r][v]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) store(result + r * width + v * LANES, acc[r][v]);
}

/* Vectors one at a time: what whole tiles leave. */
INLINE void narrow_sums(float *result, const float *scores, int64_t scores_row, int64_t rows,
                        const void *values, const fl_dtype t, int64_t value_row, int64_t count, int64_t width,
                        int64_t left, int add)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t d = 0; d < left; d += LANES)
            sums(result + r * width + d, scores + r * scores_row, scores_row, at(values, t, d), t, value_row,
                 count, width, add, 1, 1);
}

INLINE void values_of(float *result, const float *scores, int64_t scores_row, int64_t rows,
                      const void *values, const fl_dtype t, int64_t value_row, int64_t count, int64_t width,
                      int add)
{
    for (int64_t d = 0; d < width; d += WIDE * LANES)
        for (int64_t r = 0; r < rows; r += ROWS) {
            const float *s = scores + r * scores_row;
            float *to = result + r * width + d;
            const void *from = at(values, t, d);
            const int few = rows - r < ROWS, narrow = width - d < WIDE * LANES;
#define SUMS(some, vectors) sums(to, s, scores_row, from, t, value_row, count, width, add, some, vectors)
            if (!few && !narrow)
                SUMS(ROWS, WIDE);
            else if (!narrow)
                for (int64_t i = r; i < rows; i++, to += width, s += scores_row) SUMS(1, WIDE);
            else
                narrow_sums(to, s, scores_row, FL_MIN(rows - r, ROWS), from, t, value_row, count, width,
                            width - d, add);
#undef SUMS
        }
}

static void scores(float *out, int64_t out_row, const float *query, int64_t rows, const void *keys,
                   fl_dtype t, int64_t key_row, int64_t count, int64_t width)
{
    if (t == FL_F32)
        scores_of(out, out_row, query, rows, keys, FL_F32, key_row, count, width);
    else if (t == FL_BF16)
        scores_of(out, out_row, query, rows, keys, FL_BF16, key_row, count, width);
    else
        scores_of(out, out_row, query, rows, keys, FL_F16, key_row, count, width);
}

static void values(float *result, const float *s, int64_t scores_row, int64_t rows, const void *v, fl_dtype t,
                   int64_t value_row, int64_t count, int64_t width, int add)
{
    if (t == FL_F32)
        values_of(result, s, scores_row, rows, v, FL_F32, value_row, count, width, add);
    else if (t == FL_BF16)
        values_of(result, s, scores_row, rows, v, FL_BF16, value_row, count, width, add);
    else
        values_of(result, s, scores_row, rows, v, FL_F16, value_row, count, width, add);
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
const fl_attention_few_simd FL_ISA_NAME(fl_attention_few_simd)[1] = {{scores, values, largest, weigh}};
