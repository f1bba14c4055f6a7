/* The vector code of convolutions: transposition to and from [position][channel], transforms of Winograd's algorithm. */
#include "cpu/kernels/conv_stage.h"
#include "cpu/kernels/transpose.h"

#include <string.h>
#if defined(FL_ISA_avx512)
#include <immintrin.h>
#define LANES 16
#elif defined(FL_ISA_avx2)
#include <immintrin.h>
#define LANES 8
#else
#define LANES 4
#endif

typedef float vec __attribute__((vector_size(LANES * 4)));
typedef float loose __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef int32_t places __attribute__((vector_size(LANES * 4)));
#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const float *p)
{
    return *(const loose *)p;
}
INLINE void store(float *p, vec v)
{
    *(loose *)p = v;
}
INLINE vec load_part(const float *p, int64_t n)
{
#if defined(FL_ISA_avx512)
    return (vec)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
#else
    vec v = {0};
    memcpy(&v, p, (size_t)n * 4);
    return v;
#endif
}
INLINE void store_part(float *p, vec v, int64_t n)
{
#if defined(FL_ISA_avx512)
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)v);
#else
    memcpy(p, &v, (size_t)n * 4);
#endif
}

FL_DEFINE_TRANSPOSE(vec, places, LANES)

static void gather(float *positions, const float *channels, const fl_conv_span *span, int64_t count)
{
    for (int64_t c = 0; c < count; c += LANES) {
        const int64_t rows = count - c < LANES ? count - c : LANES;
        const float *from = channels + c * span->channel;
        float *to = positions + c;
        int64_t x = 0;
        for (int64_t q = 0; q < span->count; q += LANES) {
            const int64_t n = span->count - q < LANES ? span->count - q : LANES;
            vec r[LANES];
            if (n == LANES && rows == LANES) {
#pragma GCC unroll 16
                for (int i = 0; i < LANES; i++) r[i] = load(from + i * span->channel + q);
            } else {
                for (int i = 0; i < LANES; i++)
                    r[i] = i < rows ? load_part(from + i * span->channel + q, n) : (vec){0};
            }
            transpose(r);
            for (int64_t i = 0; i < n; i++) {
                store(to, r[i]);
                to += span->step;
                if (++x == span->width) x = 0, to += span->gap;
            }
        }
    }
}

static void scatter(float *channels, const float *positions, const fl_conv_span *span, int64_t count)
{
    for (int64_t c = 0; c < count; c += LANES) {
        const int64_t rows = count - c < LANES ? count - c : LANES;
        const float *from = positions + c;
        float *to = channels + c * span->channel;
        int64_t x = 0;
        for (int64_t q = 0; q < span->count; q += LANES) {
            const int64_t n = span->count - q < LANES ? span->count - q : LANES;
            vec r[LANES];
            for (int64_t i = 0; i < LANES; i++) {
                r[i] = i < n ? load(from) : (vec){0};
                if (i >= n) continue;
                from += span->step;
                if (++x == span->width) x = 0, from += span->gap;
            }
            transpose(r);
            if (n == LANES && rows == LANES) {
#pragma GCC unroll 16
                for (int i = 0; i < LANES; i++) store(to + i * span->channel + q, r[i]);
            } else {
                for (int64_t i = 0; i < rows; i++) store_part(to + i * span->channel + q, r[i], n);
            }
        }
    }
}

static uint32_t largest(const float *x, int64_t n)
{
    const int32_t *bits = (const int32_t *)x;
    int32_t most = 0;
    for (int64_t i = 0; i < n; i++) {
        const int32_t magnitude = bits[i] & 0x7fffffff;
        most = magnitude > most ? magnitude : most;
    }
    return (uint32_t)most;
}

/* The points: a = 3/4, b = 3/2. */
#define A1  0.75f
#define A2  0.5625f
#define A3  0.421875f
#define B1  1.5f
#define B2  2.25f
#define B3  3.375f
#define AB  1.265625f /* a^2 b^2 */
#define ApB 2.8125f   /* a^2 + b^2 */
/* Of the weights: 1 / (a^2 b^2), 1 / (2 a^2 (a^2 - b^2)), 1 / (2 b^2 (b^2 - a^2)) */
#define W0 ((float)(1 / 1.265625))
#define WA ((float)(1 / (2 * 0.5625 * (0.5625 - 2.25))))
#define WB ((float)(1 / (2 * 2.25 * (2.25 - 0.5625))))

/* c + k * x and c - k * x, in one rounding where there are such instructions. */
#if defined(FL_ISA_avx512)
#define ADD(k, x, c) ((vec)_mm512_fmadd_ps(_mm512_set1_ps(k), (__m512)(x), (__m512)(c)))
#define SUB(k, x, c) ((vec)_mm512_fnmadd_ps(_mm512_set1_ps(k), (__m512)(x), (__m512)(c)))
#elif defined(FL_ISA_avx2)
#define ADD(k, x, c) ((vec)_mm256_fmadd_ps(_mm256_set1_ps(k), (__m256)(x), (__m256)(c)))
#define SUB(k, x, c) ((vec)_mm256_fnmadd_ps(_mm256_set1_ps(k), (__m256)(x), (__m256)(c)))
#else
#define ADD(k, x, c) ((c) + (k) * (x))
#define SUB(k, x, c) ((c) - (k) * (x))
#endif

/* One dimension of each transform: d0 to d5 -> o[0] to o[5] and so on. */
INLINE void input1(vec *o, vec d0, vec d1, vec d2, vec d3, vec d4, vec d5)
{
    const vec t0 = SUB(B2, d2, d4), t1 = SUB(B2, d1, d3), t2 = SUB(A2, d2, d4), t3 = SUB(A2, d1, d3);
    o[0] = ADD(AB, d0, SUB(ApB, d2, d4));
    o[1] = ADD(A1, t1, t0);
    o[2] = SUB(A1, t1, t0);
    o[3] = ADD(B1, t3, t2);
    o[4] = SUB(B1, t3, t2);
    o[5] = ADD(AB, d1, SUB(ApB, d3, d5));
}

INLINE void output1(vec *o, vec m0, vec m1, vec m2, vec m3, vec m4, vec m5)
{
    const vec s1 = m1 + m2, d1 = m1 - m2, s2 = m3 + m4, d2 = m3 - m4;
    o[0] = m0 + s1 + s2;
    o[1] = ADD(A1, d1, B1 * d2);
    o[2] = ADD(A2, s1, B2 * s2);
    o[3] = ADD(A3, d1, ADD(B3, d2, m5));
}

INLINE void gradient1(vec *o, vec y0, vec y1, vec y2, vec y3)
{
    const vec e1 = ADD(A2, y2, y0), d1 = ADD(A2, y3, y1), e2 = ADD(B2, y2, y0), d2 = ADD(B2, y3, y1);
    o[0] = y0;
    o[1] = ADD(A1, d1, e1);
    o[2] = SUB(A1, d1, e1);
    o[3] = ADD(B1, d2, e2);
    o[4] = SUB(B1, d2, e2);
    o[5] = y3;
}

INLINE void weights1(vec *o, vec g0, vec g1, vec g2)
{
    const vec e1 = WA * ADD(A2, g2, g0), e2 = WB * ADD(B2, g2, g0);
    o[0] = W0 * g0;
    o[1] = ADD(WA * A1, g1, e1);
    o[2] = SUB(WA * A1, g1, e1);
    o[3] = ADD(WB * B1, g1, e2);
    o[4] = SUB(WB * B1, g1, e2);
    o[5] = g2;
}

INLINE void weight_gradient1(vec *o, vec m0, vec m1, vec m2, vec m3, vec m4, vec m5)
{
    const vec s1 = WA * (m1 + m2), s2 = WB * (m3 + m4);
    o[0] = ADD(W0, m0, s1 + s2);
    o[1] = ADD(WA * A1, m1 - m2, (WB * B1) * (m3 - m4));
    o[2] = ADD(A2, s1, ADD(B2, s2, m5));
}

#define ARGS3(t, i) t[0][i], t[1][i], t[2][i]
#define ARGS4(t, i) t[0][i], t[1][i], t[2][i], t[3][i]
#define ARGS6(t, i) t[0][i], t[1][i], t[2][i], t[3][i], t[4][i], t[5][i]
#define ROW3(t, i)  t[i][0], t[i][1], t[i][2]
#define ROW4(t, i)  t[i][0], t[i][1], t[i][2], t[i][3]
#define ROW6(t, i)  t[i][0], t[i][1], t[i][2], t[i][3], t[i][4], t[i][5]

/* A transform in both dimensions, FROM x FROM values to TO x TO: columns first, as they are loaded. */
#define TRANSFORM(FROM, TO, ONE, LOAD, STORE)                                                                \
    for (int64_t c = 0; c < channels; c += LANES) {                                                          \
        vec half[FROM][TO];                                                                                  \
        _Pragma("GCC unroll 6") for (int j = 0; j < FROM; j++)                                               \
        {                                                                                                    \
            vec in[1][FROM];                                                                                 \
            _Pragma("GCC unroll 6") for (int i = 0; i < FROM; i++) in[0][i] = LOAD;                          \
            ONE(half[j], ROW##FROM(in, 0));                                                                  \
        }                                                                                                    \
        _Pragma("GCC unroll 6") for (int i = 0; i < TO; i++)                                                 \
        {                                                                                                    \
            vec out[TO];                                                                                     \
            ONE(out, ARGS##FROM(half, i));                                                                   \
            _Pragma("GCC unroll 6") for (int j = 0; j < TO; j++) STORE;                                      \
        }                                                                                                    \
    }

static void input(float *planes, int64_t plane, const float *tile, int64_t row, int64_t step,
                  int64_t channels)
{
    TRANSFORM(6, 6, input1, load(tile + i * row + j * step + c),
              store(planes + (i * 6 + j) * plane + c, out[j]))
}

static void output(float *tile, int64_t row, int64_t step, const float *planes, int64_t plane,
                   int64_t channels)
{
    TRANSFORM(6, 4, output1, load(planes + (i * 6 + j) * plane + c),
              store(tile + i * row + j * step + c, out[j]))
}

static void gradient(float *planes, int64_t plane, const float *tile, int64_t row, int64_t step,
                     int64_t channels)
{
    TRANSFORM(4, 6, gradient1, load(tile + i * row + j * step + c),
              store(planes + (i * 6 + j) * plane + c, out[j]))
}

static void weights(float *planes, int64_t plane, const float *weights, int64_t tap, int64_t channels)
{
    TRANSFORM(3, 6, weights1, load(weights + (i * 3 + j) * tap + c),
              store(planes + (i * 6 + j) * plane + c, out[j]))
}

static void weight_gradient(float *weights, int64_t tap, const float *planes, int64_t plane,
                            int64_t channels){TRANSFORM(6, 3, weight_gradient1,
                                                        load(planes + (i * 6 + j) * plane + c),
                                                        store(weights + (i * 3 + j) * tap + c, out[j]))}

#if defined(FL_ISA_avx512)
#define MULTIPLY_ADD(a, b, c) ((vec)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#elif defined(FL_ISA_avx2)
#define MULTIPLY_ADD(a, b, c) ((vec)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#else
#define MULTIPLY_ADD(a, b, c) ((c) + (a) * (b))
#endif

/* `count` positions at once, so that a weight is loaded once for them. */
INLINE
    void depthwise_part(float *to, int64_t to_step, const float *from, int64_t step, const int64_t *offsets,
                        const float *weights, int64_t width, int64_t taps, const int count)
{
    vec sum[6];
#pragma GCC unroll 6
    for (int i = 0; i < count; i++) sum[i] = (vec){0};
    for (int64_t t = 0; t < taps; t++) {
        const vec w = load(weights + t * width);
        const float *p = from + offsets[t];
#pragma GCC unroll 6
        for (int i = 0; i < count; i++) sum[i] = MULTIPLY_ADD(w, load(p + i * step), sum[i]);
    }
#pragma GCC unroll 6
    for (int i = 0; i < count; i++) store(to + i * to_step, sum[i]);
}

static void depthwise(float *to, int64_t to_step, const float *from, int64_t step, const int64_t *offsets,
                      const float *weights, int64_t width, int64_t taps, int64_t n)
{
    for (int64_t c = 0; c < width; c += LANES) {
        int64_t i = 0;
        for (; i + 6 <= n; i += 6)
            depthwise_part(to + i * to_step + c, to_step, from + i * step + c, step, offsets, weights + c,
                           width, taps, 6);
        for (; i < n; i++)
            depthwise_part(to + i * to_step + c, to_step, from + i * step + c, step, offsets, weights + c,
                           width, taps, 1);
    }
}

INLINE void weights_part(float *sums, const float *gradient, const float *from, int64_t step,
                         const int64_t *offsets, int64_t width, int64_t n, const int taps)
{
    vec sum[10];
#pragma GCC unroll 10
    for (int t = 0; t < taps; t++) sum[t] = (vec){0};
    for (int64_t i = 0; i < n; i++, gradient += width, from += step) {
        const vec g = load(gradient);
#pragma GCC unroll 10
        for (int t = 0; t < taps; t++) sum[t] = MULTIPLY_ADD(g, load(from + offsets[t]), sum[t]);
    }
#pragma GCC unroll 10
    for (int t = 0; t < taps; t++) store(sums + t * width, load(sums + t * width) + sum[t]);
}

static void depthwise_weights(float *sums, const float *gradient, const float *from, int64_t step,
                              const int64_t *offsets, int64_t width, int64_t taps, int64_t n)
{
    for (int64_t c = 0; c < width; c += LANES) {
        int64_t t = 0;
        for (; t + 9 <= taps; t += 9)
            weights_part(sums + t * width + c, gradient + c, from + c, step, offsets + t, width, n, 9);
        for (; t + 4 <= taps; t += 4)
            weights_part(sums + t * width + c, gradient + c, from + c, step, offsets + t, width, n, 4);
        for (; t < taps; t++)
            weights_part(sums + t * width + c, gradient + c, from + c, step, offsets + t, width, n, 1);
    }
}

extern const fl_conv_code FL_ISA_NAME(fl_conv_table)[1];
const fl_conv_code FL_ISA_NAME(fl_conv_table)[1] = {{gather, scatter, largest, input, output, gradient,
                                                     weights, weight_gradient, depthwise, depthwise_weights}};
