/* See attention_simd.h. */
#include "cpu/kernels/attention_simd.h"
#include "cpu/kernels/transpose.h"

#include "base/half.h"

#include <math.h>
#include <float.h>
#include <string.h>
#include "cpu/kernels/attention_vec.inc"

/* ---- products ---- */

INLINE void tile(const fl_attention_product *p, int64_t i, int64_t j, const int rows, const int vectors)
{
    vec acc[12][MOST];
    const float *a = p->a + i * p->a_row, *b = p->b + j;
    float *c = p->c + i * p->c_row + j;
    const int64_t row = p->a_row, step = p->a_step, b_row = p->b_row;
#pragma GCC unroll 12
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            acc[r][v] = (vec){0};
            if (!p->add) continue;
            acc[r][v] = load(c + r * p->c_row + v * LANES);
            if (p->scale) acc[r][v] *= load(p->scale + j + v * LANES);
        }
    for (int64_t k = 0; k < p->k; k++) {
        vec x[MOST];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) x[v] = load(b + v * LANES);
#pragma GCC unroll 12
        for (int r = 0; r < rows; r++) {
            vec y = splat(a[r * row]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++) acc[r][v] = FMA(y, x[v], acc[r][v]);
        }
        a += step;
        b += b_row;
    }
#pragma GCC unroll 12
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) store(c + r * p->c_row + v * LANES, acc[r][v]);
}

/* Whole tiles, then the rows that are left. */
#define PANEL(vectors, rows)                                                                                 \
    static void panel##vectors(const fl_attention_product *p, int64_t j)                                     \
    {                                                                                                        \
        int64_t i = 0;                                                                                       \
        for (; i + rows <= p->m; i += rows) tile(p, i, j, rows, vectors);                                    \
        for (; i + 4 <= p->m; i += 4) tile(p, i, j, 4, vectors);                                             \
        for (; i + 2 <= p->m; i += 2) tile(p, i, j, 2, vectors);                                             \
        if (i < p->m) tile(p, i, j, 1, vectors);                                                             \
    }
TILE_ROWS(PANEL)

static void product(const fl_attention_product *p)
{
    static void (*const panels[])(const fl_attention_product *, int64_t) = {
#define PANEL_ENTRY(vectors, rows) panel##vectors,
        TILE_ROWS(PANEL_ENTRY)};
    for (int64_t j = 0; j < p->n; j += MOST * LANES) {
        int64_t vectors = (p->n - j) / LANES;
        panels[(vectors < MOST ? vectors : MOST) - 1](p, j);
    }
}

/* ---- blocks of scores ---- */

enum { ROW = FL_ATTENTION_ROWS };

/* NaN among the scores does not reach `max`, but through the weights the sum and the result. */
INLINE void softmax_columns(float *s, int64_t keys, float factor, float *max, float *sum, float *decay,
                            const int vectors)
{
    vec m[MOST], old[MOST], total[MOST], most[MOST];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) old[v] = load(max + v * LANES), most[v] = splat(-INFINITY);
    for (int64_t k = 0; k < keys; k++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) most[v] = larger(load(s + k * ROW + v * LANES), most[v]);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
        m[v] = larger(most[v] * splat(factor), old[v]);
        store(max + v * LANES, m[v]);
        m[v] = choose((ints)(m[v] == -INFINITY), splat(0), m[v]); /* nothing is seen so far */
        vec d = power(old[v] - m[v]);
        store(decay + v * LANES, d);
        total[v] = d * load(sum + v * LANES);
    }
    for (int64_t k = 0; k < keys; k++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            vec p = power(FMA(load(s + k * ROW + v * LANES), splat(factor), -m[v]));
            store(s + k * ROW + v * LANES, p);
            total[v] += p;
        }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) store(sum + v * LANES, total[v]);
}

static void softmax(float *s, int64_t keys, int64_t columns, float factor, float *max, float *sum,
                    float *decay)
{
    int64_t j = 0;
    for (; j + MOST * LANES <= columns; j += MOST * LANES)
        softmax_columns(s + j, keys, factor, max + j, sum + j, decay + j, MOST);
    for (; j < columns; j += LANES) softmax_columns(s + j, keys, factor, max + j, sum + j, decay + j, 1);
}

static void scale(float *s, int64_t keys, int64_t columns, float factor)
{
    for (int64_t k = 0; k < keys; k++, s += ROW)
        for (int64_t j = 0; j < columns; j += LANES) store(s + j, load(s + j) * factor);
}

static void decay(float *result, int64_t rows, int64_t columns, const float *factor)
{
    for (int64_t i = 0; i < rows; i++, result += ROW)
        for (int64_t j = 0; j < columns; j += LANES) store(result + j, load(result + j) * load(factor + j));
}

static void slopes(float *scores, float *slope, int64_t keys, int64_t columns, float factor,
                   const float *shift, const float *delta)
{
    for (int64_t k = 0; k < keys; k++, scores += ROW, slope += ROW)
        for (int64_t j = 0; j < columns; j += LANES) {
            vec p = power(FMA(load(scores + j), splat(factor), -load(shift + j)));
            store(scores + j, p);
            store(slope + j, p * (load(slope + j) - load(delta + j)));
        }
}

static void causal(float *s, int64_t keys, int64_t columns, const int32_t *last, int32_t first_key,
                   float fill)
{
    for (int64_t k = 0; k < keys; k++, s += ROW)
        for (int64_t j = 0; j < columns; j += LANES) {
            ints seen = (ints)(*(const loose_ints *)(last + j) >= first_key + (int32_t)k);
            store(s + j, choose(seen, load(s + j), splat(fill)));
        }
}

INLINE void add_rows(float *s, const float *added, int64_t keys, int64_t columns, const int by_key)
{
    for (int64_t k = 0; k < keys; k++, s += ROW)
        for (int64_t j = 0; j < columns; j += LANES) {
            vec x = by_key ? splat(added[k]) : load(added + k * ROW + j), y = x * splat(FL_LOG2E);
            y = choose((ints)(x == -INFINITY), x, larger(splat(-FLT_MAX), y));
            store(s + j, load(s + j) + y);
        }
}

static void add(float *s, const float *added, int64_t keys, int64_t columns, int by_key)
{
    if (by_key)
        add_rows(s, added, keys, columns, 1);
    else
        add_rows(s, added, keys, columns, 0);
}

INLINE void hide_rows(float *s, const float *seen, int64_t keys, int64_t columns, const int by_key,
                      float fill)
{
    for (int64_t k = 0; k < keys; k++, s += ROW)
        for (int64_t j = 0; j < columns; j += LANES) {
            vec x = by_key ? splat(seen[k]) : load(seen + k * ROW + j);
            store(s + j, choose((ints)(x != 0), load(s + j), splat(fill)));
        }
}

static void hide(float *s, const float *seen, int64_t keys, int64_t columns, int by_key, float fill)
{
    if (by_key)
        hide_rows(s, seen, keys, columns, 1, fill);
    else
        hide_rows(s, seen, keys, columns, 0, fill);
}

/* ---- to and from other layouts ---- */

FL_DEFINE_TRANSPOSE(vec, ints, LANES)

static void dots(float *out, const float *a, const float *b, int64_t row, int64_t rows)
{
    for (int64_t i = 0; i < rows; i += LANES) {
        vec sums[LANES];
        for (int k = 0; k < LANES; k++) {
            sums[k] = (vec){0};
            for (int64_t j = 0; j < row; j += LANES) sums[k] = FMA(load(a + j), load(b + j), sums[k]);
            a += row, b += row;
        }
        transpose(sums);
        for (int k = 1; k < LANES; k++) sums[0] += sums[k];
        store(out + i, sums[0]);
    }
}

static inline float read(const void *in, fl_dtype t, int64_t i)
{
    return t == FL_F32    ? ((const float *)in)[i]
           : t == FL_I1   ? ((const uint8_t *)in)[i]
           : t == FL_BF16 ? fl_f32_from_bf16(((const uint16_t *)in)[i])
                          : fl_f32_from_f16(((const uint16_t *)in)[i]);
}

/* Rows that are contiguous: squares are transposed in registers. */
INLINE void load_rows(float *out, int64_t out_row, const void *in, fl_dtype t, int64_t row, int64_t rows,
                      int64_t columns, float scale, const int transposed)
{
    const int64_t whole = rows - rows % LANES, wide = columns - columns % LANES;
    for (int64_t i = 0; i < (transposed ? whole : rows); i += transposed ? LANES : 1)
        for (int64_t j = 0; j < wide; j += LANES) {
            vec r[LANES];
            if (!transposed) {
                store(out + i * out_row + j, load_as(in, t, i * row + j) * scale);
                continue;
            }
#pragma GCC unroll 16
            for (int k = 0; k < LANES; k++) r[k] = load_as(in, t, (i + k) * row + j) * scale;
            transpose(r);
#pragma GCC unroll 16
            for (int k = 0; k < LANES; k++) store(out + (j + k) * out_row + i, r[k]);
        }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = transposed && i >= whole ? 0 : wide; j < columns; j++)
            out[transposed ? j * out_row + i : i * out_row + j] = read(in, t, i * row + j) * scale;
}

static void load_block(float *out, int64_t out_row, const void *in, fl_dtype t, int64_t row, int64_t step,
                       int64_t rows, int64_t columns, float scale, int transposed)
{
    if (step != 1 && row == 1) { /* the other way round */
        load_block(out, out_row, in, t, step, 1, columns, rows, scale, !transposed);
        return;
    }
    if (step != 1) {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                out[transposed ? j * out_row + i : i * out_row + j] = read(in, t, i * row + j * step) * scale;
        return;
    }
#define LOAD(T)                                                                                              \
    if (t == T && transposed) load_rows(out, out_row, in, T, row, rows, columns, scale, 1);                  \
    if (t == T && !transposed) load_rows(out, out_row, in, T, row, rows, columns, scale, 0);
    LOAD(FL_F32)
    LOAD(FL_BF16)
    LOAD(FL_F16)
    LOAD(FL_I1)
}

INLINE void write(void *out, fl_dtype t, int64_t i, float x)
{
    if (t == FL_F32)
        ((float *)out)[i] = x;
    else
        ((uint16_t *)out)[i] = t == FL_BF16 ? fl_bf16_from_f32(x) : fl_f16_from_f32(x);
}

INLINE void store_as(void *out, fl_dtype t, int64_t i, vec x)
{
    if (t == FL_F32) {
        store((float *)out + i, x);
        return;
    }
    uint16_t *p = (uint16_t *)out + i;
    typedef uint16_t narrow __attribute__((vector_size(LANES * 2), aligned(2), may_alias));
    if (t == FL_BF16) {
        const ints bits = (ints)x, rounded = bits + 0x7fff + (bits >> 16 & 1), quiet = bits | 0x400000;
        const ints kept = (ints)choose((ints)(x == x), (vec)rounded, (vec)quiet);
        *(narrow *)p = __builtin_convertvector(kept >> 16, narrow);
        return;
    }
#if defined(FL_ISA_avx512)
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT));
#elif defined(FL_ISA_avx2)
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT));
#else
    for (int k = 0; k < LANES; k++) p[k] = fl_f16_from_f32(x[k]);
#endif
}

INLINE void store_one_row(void *out, fl_dtype t, const float *in, int64_t n, float factor)
{
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) store_as(out, t, i, load(in + i) * splat(factor));
    for (; i < n; i++) write(out, t, i, in[i] * factor);
}

INLINE void store_squares(char *out, fl_dtype t, int64_t out_row, const float *in, int64_t in_row,
                          int64_t rows, int64_t columns, const float *factor)
{
    const int64_t bytes = t == FL_F32 ? 4 : 2;
    for (int64_t i = 0; i < rows; i += LANES)
        for (int64_t j = 0; j < columns; j += LANES) {
            const int n = columns - j < LANES ? (int)(columns - j) : LANES;
            vec r[LANES];
            for (int k = 0; k < n; k++) r[k] = load(in + (j + k) * in_row + i) * load(factor + i);
            for (int k = n; k < LANES; k++) r[k] = (vec){0};
            transpose(r);
            for (int k = 0; k < LANES && i + k < rows; k++) {
                char *to = out + ((i + k) * out_row + j) * bytes;
                if (n == LANES)
                    store_as(to, t, 0, r[k]);
                else
                    for (int m = 0; m < n; m++) write(to, t, m, r[k][m]);
            }
        }
}

/* A copy of the code for each type. */
#define OF_TYPES(t, CALL)                                                                                    \
    if (t == FL_F32)                                                                                         \
        CALL(FL_F32);                                                                                        \
    else if (t == FL_BF16)                                                                                   \
        CALL(FL_BF16);                                                                                       \
    else                                                                                                     \
        CALL(FL_F16)

static void store_row(void *out, fl_dtype t, const float *in, int64_t n, float factor)
{
#define ROW_OF(T) store_one_row(out, T, in, n, factor)
    OF_TYPES(t, ROW_OF);
}

static void store_transposed(void *out, fl_dtype t, int64_t out_row, const float *in, int64_t in_row,
                             int64_t rows, int64_t columns, const float *factor)
{
#define SQUARES_OF(T) store_squares(out, T, out_row, in, in_row, rows, columns, factor)
    OF_TYPES(t, SQUARES_OF);
}

extern const fl_attention_simd FL_ISA_NAME(fl_attention_simd)[1];
const fl_attention_simd FL_ISA_NAME(fl_attention_simd)[1] = {{
    .lanes = LANES,
    .product = product,
    .softmax = softmax,
    .scale = scale,
    .decay = decay,
    .slopes = slopes,
    .dots = dots,
    .causal = causal,
    .add = add,
    .hide = hide,
    .load = load_block,
    .store_transposed = store_transposed,
    .store = store_row,
}};
