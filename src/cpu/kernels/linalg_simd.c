#include "cpu/kernels/linalg.h"

/* Sums of products: contracting them is faster and more accurate. */
#pragma GCC optimize("fp-contract=fast")

#if defined(FL_ISA_avx512)
#define VECTOR 64
#elif defined(FL_ISA_avx2)
#define VECTOR 32
#else
#define VECTOR 16
#endif

/* `rows` rows of c minus a (rows x k) times b (k x n); rows is a constant wherever it is inlined. */
#define LINALG(T, SUFFIX)                                                                                    \
    typedef T vector_##SUFFIX __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));           \
    enum { WIDTH_##SUFFIX = VECTOR / sizeof(T) };                                                            \
    static inline __attribute__((always_inline)) void subtract_##SUFFIX(                                     \
        int rows, T *c, int64_t stride, const T *a, int64_t row, int64_t column, const T *b, int64_t k,      \
        int64_t n)                                                                                           \
    {                                                                                                        \
        int64_t j = 0;                                                                                       \
        for (; j + 2 * WIDTH_##SUFFIX <= n; j += 2 * WIDTH_##SUFFIX) {                                       \
            vector_##SUFFIX x[4], y[4];                                                                      \
            for (int r = 0; r < rows; r++) {                                                                 \
                x[r] = *(vector_##SUFFIX *)(c + r * stride + j);                                             \
                y[r] = *(vector_##SUFFIX *)(c + r * stride + j + WIDTH_##SUFFIX);                            \
            }                                                                                                \
            for (int64_t p = 0; p < k; p++) {                                                                \
                vector_##SUFFIX u = *(const vector_##SUFFIX *)(b + p * stride + j);                          \
                vector_##SUFFIX v = *(const vector_##SUFFIX *)(b + p * stride + j + WIDTH_##SUFFIX);         \
                for (int r = 0; r < rows; r++) {                                                             \
                    T s = a[r * row + p * column];                                                           \
                    x[r] -= s * u, y[r] -= s * v;                                                            \
                }                                                                                            \
            }                                                                                                \
            for (int r = 0; r < rows; r++) {                                                                 \
                *(vector_##SUFFIX *)(c + r * stride + j) = x[r];                                             \
                *(vector_##SUFFIX *)(c + r * stride + j + WIDTH_##SUFFIX) = y[r];                            \
            }                                                                                                \
        }                                                                                                    \
        for (; j < n; j++)                                                                                   \
            for (int r = 0; r < rows; r++) {                                                                 \
                T sum = c[r * stride + j];                                                                   \
                for (int64_t p = 0; p < k; p++) sum -= a[r * row + p * column] * b[p * stride + j];          \
                c[r * stride + j] = sum;                                                                     \
            }                                                                                                \
    }                                                                                                        \
    void FL_ISA_NAME(fl_eliminate_##SUFFIX)(T * w, int64_t stride, int64_t n, const T *l, int64_t row,       \
                                            int64_t column, int64_t i0, int64_t i1)                          \
    {                                                                                                        \
        int64_t i = i0;                                                                                      \
        for (; i + 4 <= i1; i += 4)                                                                          \
            subtract_##SUFFIX(4, w + i * stride, stride, l + i * row, row, column, w, i0, n);                \
        for (; i < i1; i++)                                                                                  \
            subtract_##SUFFIX(1, w + i * stride, stride, l + i * row, row, column, w, i0, n);                \
    }                                                                                                        \
    void FL_ISA_NAME(fl_substitute_##SUFFIX)(T * w, int64_t stride, int64_t n, const T *l, int64_t row,      \
                                             int64_t column, int64_t i0, int64_t i1, int unit)               \
    {                                                                                                        \
        FL_ISA_NAME(fl_eliminate_##SUFFIX)(w, stride, n, l, row, column, i0, i1);                            \
        for (int64_t i = i0; i < i1; i++) {                                                                  \
            T *x = w + i * stride;                                                                           \
            subtract_##SUFFIX(1, x, stride, l + i * row + i0 * column, row, column, w + i0 * stride, i - i0, \
                              n);                                                                            \
            if (unit) continue;                                                                              \
            T pivot = l[i * row + i * column];                                                               \
            for (int64_t j = 0; j < n; j++) x[j] /= pivot;                                                   \
        }                                                                                                    \
    }
LINALG(float, f32)
LINALG(double, f64)
#undef LINALG
