/* Reductions of one contiguous row. LANES partial results are kept and combined as a tree: the error of a sum of n elements
 * grows like n / LANES + log2(LANES), as in a cascade sum, and does not depend on the vector length of the processor. */
#include "cpu/loop/vec_macros.h"

#include <math.h>

#define LANES 64

#define REDUCE(name, T, identity, expression)                                                                \
    static inline T combine_##name(T p, T q)                                                                 \
    {                                                                                                        \
        return (T)(expression);                                                                              \
    }                                                                                                        \
    static void name(void *out, const void *a, const void *b, const void *c, int64_t n)                      \
    {                                                                                                        \
        const T *x = a;                                                                                      \
        T acc[LANES];                                                                                        \
        int64_t i = 0, left = n % LANES;                                                                     \
        (void)b, (void)c;                                                                                    \
        for (int j = 0; j < LANES; j++) acc[j] = identity;                                                   \
        for (; i + LANES <= n; i += LANES)                                                                   \
            for (int j = 0; j < LANES; j++) acc[j] = combine_##name(acc[j], x[i + j]);                       \
        for (int64_t j = 0; j < left; j++) acc[j] = combine_##name(acc[j], x[i + j]);                        \
        for (int h = LANES / 2; h; h /= 2)                                                                   \
            for (int j = 0; j < h; j++) acc[j] = combine_##name(acc[j], acc[j + h]);                         \
        *(T *)out = acc[0];                                                                                  \
    }

#define FLOATS(D, T)                                                                                         \
    REDUCE(add_##D, T, 0, p + q)                                                                             \
    REDUCE(multiply_##D, T, 1, p *q)                                                                         \
    REDUCE(maximum_##D, T, -(T)INFINITY, (p > q) | (p != p) ? p : q)                                         \
    REDUCE(minimum_##D, T, (T)INFINITY, (p < q) | (p != p) ? p : q)
FLOATS(F32, float)
FLOATS(F64, double)

#define INTS(X)                                                                                              \
    X(I8, int8_t, uint32_t, INT8_MIN, INT8_MAX)                                                              \
    X(I16, int16_t, uint32_t, INT16_MIN, INT16_MAX) X(I32, int32_t, uint32_t, INT32_MIN, INT32_MAX)          \
        X(I64, int64_t, uint64_t, INT64_MIN, INT64_MAX) X(U8, uint8_t, uint32_t, 0, UINT8_MAX)               \
            X(U16, uint16_t, uint32_t, 0, UINT16_MAX) X(U32, uint32_t, uint32_t, 0, UINT32_MAX)              \
                X(U64, uint64_t, uint64_t, 0, UINT64_MAX)
#define INT_KERNELS(D, T, U, low, high)                                                                      \
    REDUCE(add_##D, T, 0, (U)p + (U)q)                                                                       \
    REDUCE(multiply_##D, T, 1, (U)p *(U)q)                                                                   \
    REDUCE(maximum_##D, T, low, p > q ? p : q)                                                               \
    REDUCE(minimum_##D, T, high, p < q ? p : q)                                                              \
    REDUCE(and_##D, T, (T) - 1, p & q)                                                                       \
    REDUCE(or_##D, T, 0, p | q)
INTS(INT_KERNELS)
REDUCE(and_I1, uint8_t, 1, p &q)
REDUCE(or_I1, uint8_t, 0, p | q)

#define COMPLEX(D, T)                                                                                        \
    static void add_##D(void *out, const void *a, const void *b, const void *c, int64_t n)                   \
    {                                                                                                        \
        const T *x = a;                                                                                      \
        T re[8] = {0}, im[8] = {0}, *r = out;                                                                \
        (void)b, (void)c;                                                                                    \
        for (int64_t i = 0; i < n; i++) re[i & 7] += x[2 * i], im[i & 7] += x[2 * i + 1];                    \
        for (int h = 4; h; h /= 2)                                                                           \
            for (int j = 0; j < h; j++) re[j] += re[j + h], im[j] += im[j + h];                              \
        r[0] = re[0], r[1] = im[0];                                                                          \
    }
COMPLEX(C64, float)
COMPLEX(C128, double)

#define FLOAT_ROWS(D)                                                                                        \
    FL_ROW1(add, add_##D, D)                                                                                 \
    FL_ROW1(multiply, multiply_##D, D) FL_ROW1(maximum, maximum_##D, D) FL_ROW1(minimum, minimum_##D, D)
#define INT_ROWS(D, T, U, low, high) FLOAT_ROWS(D) FL_ROW1(and, and_##D, D) FL_ROW1(or, or_##D, D)

static const fl_vec_row rows[] = {
    FLOAT_ROWS(F32) FLOAT_ROWS(F64) INTS(INT_ROWS) FL_ROW1(and, and_I1, I1) FL_ROW1(multiply, and_I1, I1)
        FL_ROW1(minimum, and_I1, I1) FL_ROW1(or, or_I1, I1) FL_ROW1(add, or_I1, I1)
            FL_ROW1(maximum, or_I1, I1) FL_ROW1(add, add_C64, C64) FL_ROW1(add, add_C128, C128)};
const fl_vec_table FL_ISA_NAME(fl_vec_reduces)[1] = {{rows, sizeof rows / sizeof rows[0]}};
