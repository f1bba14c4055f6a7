#include "cpu/kernels/lu.h"

#include <complex.h>
#include <math.h>

/* Sums of products: contracting them is faster and more accurate. */
#pragma GCC optimize("fp-contract=fast")

#if defined(FL_ISA_avx512)
#define VECTOR 64
#elif defined(FL_ISA_avx2)
#define VECTOR 32
#else
#define VECTOR 16
#endif

/* The panel's columns lie apart in `columns`, `apart` elements each with zeros beyond the m-th, so that the search and the updates are
 * loops over vectors. A NaN is larger than nothing, and nothing larger than it, as in ref/matrix.c. */
#define PANEL(T, WORD, SUFFIX, INF)                                                                          \
    typedef T vector_##SUFFIX __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));           \
    typedef WORD word_##SUFFIX __attribute__((may_alias));                                                   \
    typedef WORD lanes_##SUFFIX __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));         \
    enum { WIDTH_##SUFFIX = VECTOR / sizeof(T) };                                                            \
    /* magnitudes as integers, which are ordered alike; 0 for NaN */                                         \
    static inline lanes_##SUFFIX sizes_##SUFFIX(lanes_##SUFFIX v)                                            \
    {                                                                                                        \
        v &= (WORD)(~(u##WORD)0 >> 1);                                                                       \
        return v & (v <= INF);                                                                               \
    }                                                                                                        \
    static inline WORD size_##SUFFIX(const T *x)                                                             \
    {                                                                                                        \
        const WORD v = *(const word_##SUFFIX *)x & (WORD)(~(u##WORD)0 >> 1);                                 \
        return v <= INF ? v : 0;                                                                             \
    }                                                                                                        \
    /* the first of the largest elements from `begin` on */                                                  \
    static int64_t find_pivot_##SUFFIX(const T *x, int64_t begin, int64_t m)                                 \
    {                                                                                                        \
        lanes_##SUFFIX most = {0};                                                                           \
        WORD largest = 0;                                                                                    \
        int64_t i = begin;                                                                                   \
        if (x[begin] != x[begin]) return begin;                                                              \
        for (; i + WIDTH_##SUFFIX <= m; i += WIDTH_##SUFFIX) {                                               \
            const lanes_##SUFFIX v = sizes_##SUFFIX(*(const lanes_##SUFFIX *)(x + i)), more = v > most;      \
            most = (v & more) | (most & ~more);                                                              \
        }                                                                                                    \
        for (int k = 0; k < WIDTH_##SUFFIX; k++) largest = most[k] > largest ? most[k] : largest;            \
        for (; i < m; i++) largest = size_##SUFFIX(x + i) > largest ? size_##SUFFIX(x + i) : largest;        \
        for (i = begin; size_##SUFFIX(x + i) != largest;) i++;                                               \
        return i;                                                                                            \
    }                                                                                                        \
    /* x[i] -= factor[i] * u for begin <= i < end; nothing before changes */                                 \
    static void update_##SUFFIX(T *x, const T *factor, T u, int64_t begin, int64_t end)                      \
    {                                                                                                        \
        int64_t i = begin / WIDTH_##SUFFIX * WIDTH_##SUFFIX;                                                 \
        if (i < begin) {                                                                                     \
            lanes_##SUFFIX number, after;                                                                    \
            for (int k = 0; k < WIDTH_##SUFFIX; k++) number[k] = k;                                          \
            after = number >= (WORD)(begin - i);                                                             \
            const vector_##SUFFIX v = *(vector_##SUFFIX *)(x + i),                                           \
                                  to = v - *(const vector_##SUFFIX *)(factor + i) * u;                       \
            *(lanes_##SUFFIX *)(x + i) = ((lanes_##SUFFIX)to & after) | ((lanes_##SUFFIX)v & ~after);        \
            i += WIDTH_##SUFFIX;                                                                             \
        }                                                                                                    \
        for (; i < end; i += WIDTH_##SUFFIX)                                                                 \
            *(vector_##SUFFIX *)(x + i) -= *(const vector_##SUFFIX *)(factor + i) * u;                       \
    }                                                                                                        \
    void FL_ISA_NAME(fl_lu_panel_##SUFFIX)(T * a, int64_t stride, int64_t m, int64_t width, int *pivots,     \
                                           T *columns)                                                       \
    {                                                                                                        \
        const int64_t apart = fl_lu_apart(m);                                                                \
        for (int64_t i = 0; i < m; i++)                                                                      \
            for (int64_t c = 0; c < width; c++) columns[c * apart + i] = a[i * stride + c];                  \
        for (int64_t c = 0; c < width; c++)                                                                  \
            for (int64_t i = m; i < apart; i++) columns[c * apart + i] = 0;                                  \
        for (int64_t j = 0; j < width; j++) {                                                                \
            T *x = columns + j * apart;                                                                      \
            const int64_t p = find_pivot_##SUFFIX(x, j, m);                                                  \
            pivots[j] = (int)p;                                                                              \
            for (int64_t c = 0; p != j && c < width; c++) {                                                  \
                const T kept = columns[c * apart + j];                                                       \
                columns[c * apart + j] = columns[c * apart + p], columns[c * apart + p] = kept;              \
            }                                                                                                \
            const T pivot = x[j];                                                                            \
            if (pivot == 0) continue;                                                                        \
            for (int64_t i = j + 1; i < m; i++) x[i] /= pivot;                                               \
            for (int64_t c = j + 1; c < width; c++)                                                          \
                update_##SUFFIX(columns + c * apart, x, columns[c * apart + j], j + 1, m);                   \
        }                                                                                                    \
        for (int64_t i = 0; i < m; i++)                                                                      \
            for (int64_t c = 0; c < width; c++) a[i * stride + c] = columns[c * apart + i];                  \
    }
PANEL(float, int32_t, f32, 0x7f800000)
PANEL(double, int64_t, f64, 0x7ff0000000000000)
#undef PANEL

/* Whole complex matrices, row by row. */
#define ROWS(T, C, SUFFIX, FABS)                                                                             \
    void FL_ISA_NAME(fl_lu_rows_##SUFFIX)(T * a, int64_t m, int64_t n, int *pivots)                          \
    {                                                                                                        \
        for (int64_t k = 0; k < m && k < n; k++) {                                                           \
            int64_t p = k;                                                                                   \
            T largest = FABS(a[2 * (k * n + k)]) + FABS(a[2 * (k * n + k) + 1]);                             \
            for (int64_t i = k + 1; i < m; i++) {                                                            \
                const T size = FABS(a[2 * (i * n + k)]) + FABS(a[2 * (i * n + k) + 1]);                      \
                if (size > largest) largest = size, p = i;                                                   \
            }                                                                                                \
            pivots[k] = (int)p;                                                                              \
            T *restrict upper = a + 2 * k * n;                                                               \
            for (int64_t j = 0; p != k && j < 2 * n; j++) {                                                  \
                const T kept = upper[j];                                                                     \
                upper[j] = a[2 * p * n + j], a[2 * p * n + j] = kept;                                        \
            }                                                                                                \
            const C pivot = *(const C *)(upper + 2 * k);                                                     \
            if (pivot == 0) continue;                                                                        \
            for (int64_t i = k + 1; i < m; i++) {                                                            \
                T *restrict row = a + 2 * i * n;                                                             \
                const C factor = *(C *)(row + 2 * k) /= pivot;                                               \
                const T re = ((const T *)&factor)[0], im = ((const T *)&factor)[1];                          \
                for (int64_t j = k + 1; j < n; j++) {                                                        \
                    row[2 * j] -= re * upper[2 * j] - im * upper[2 * j + 1];                                 \
                    row[2 * j + 1] -= re * upper[2 * j + 1] + im * upper[2 * j];                             \
                }                                                                                            \
            }                                                                                                \
        }                                                                                                    \
    }
ROWS(float, float complex, c64, fabsf)
ROWS(double, double complex, c128, fabs)
#undef ROWS
