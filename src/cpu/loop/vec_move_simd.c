/* Conversions, rounding to narrow floats, selection, fills and strided copies. */
#include "base/half.h"
#include "cpu/loop/vec_macros.h"

#include <math.h>
#include <string.h>

#define NUMBERS(X, ...)                                                                                      \
    X(I1, uint8_t, __VA_ARGS__)                                                                              \
    X(I8, int8_t, __VA_ARGS__) X(I16, int16_t, __VA_ARGS__) X(I32, int32_t, __VA_ARGS__)                     \
        X(I64, int64_t, __VA_ARGS__) X(U8, uint8_t, __VA_ARGS__) X(U16, uint16_t, __VA_ARGS__)               \
            X(U32, uint32_t, __VA_ARGS__) X(U64, uint64_t, __VA_ARGS__)
#define TO_ALL(X, D, T)                                                                                      \
    X(I8, int8_t, D, T)                                                                                      \
    X(I16, int16_t, D, T) X(I32, int32_t, D, T) X(I64, int64_t, D, T) X(U8, uint8_t, D, T)                   \
        X(U16, uint16_t, D, T) X(U32, uint32_t, D, T) X(U64, uint64_t, D, T)

#define CAST(D2, T2, D, T) FL_UNARY(D##_to_##D2, T2, T, p)
#define FROM(D, T, ...)                                                                                      \
    TO_ALL(CAST, D, T) CAST(F32, float, D, T) CAST(F64, double, D, T) FL_UNARY(D##_to_I1, uint8_t, T, p != 0)
NUMBERS(FROM, )

/* Floats to integers: towards zero; what does not fit becomes the nearest limit, NaN becomes 0. `high` is the first power of
 * two that does not fit. */
#define SATURATE(D2, T2, D, T, low, high)                                                                    \
    FL_UNARY(D##_to_##D2, T2, T,                                                                             \
             p != p         ? (T2)0                                                                          \
             : p >= (T)high ? (T2)(high - 1)                                                                 \
             : p < (T)low   ? (T2)low                                                                        \
                            : (T2)p)
#define MAX_I64 9223372036854775807
#define FLOAT_TO_INTS(D, T)                                                                                  \
    SATURATE(I8, int8_t, D, T, -128, 128)                                                                    \
    SATURATE(I16, int16_t, D, T, -32768, 32768) SATURATE(I32, int32_t, D, T, (-2147483647 - 1), 2147483648)  \
        SATURATE(U8, uint8_t, D, T, 0, 256) SATURATE(U16, uint16_t, D, T, 0, 65536)                          \
            SATURATE(U32, uint32_t, D, T, 0, 4294967296) FL_UNARY(D##_to_I64, int64_t, T,                    \
                                                                  p != p             ? 0                     \
                                                                  : p >= (T)0x1p63   ? MAX_I64               \
                                                                  : p < (T) - 0x1p63 ? -MAX_I64 - 1          \
                                                                                     : (int64_t)p)           \
                FL_UNARY(D##_to_U64, uint64_t, T,                                                            \
                         p != p           ? 0                                                                \
                         : p >= (T)0x1p64 ? UINT64_MAX                                                       \
                         : p < 0          ? 0                                                                \
                                          : (uint64_t)p) FL_UNARY(D##_to_I1, uint8_t, T, p != 0)
FLOAT_TO_INTS(F32, float)
FLOAT_TO_INTS(F64, double)
FL_UNARY(F32_to_F64, double, float, p)
FL_UNARY(F64_to_F32, float, double, p)

/* Narrow floats */
static inline uint32_t bf16_bits(uint32_t x) /* rounded to nearest even, in the upper half */
{
    uint32_t rounded = x + 0x7fffu + (x >> 16 & 1);
    return (x & 0x7fffffffu) > 0x7f800000u ? x | 0x400000u : rounded;
}
FL_UNARY(BF16_to_F32, uint32_t, uint16_t, (uint32_t)p << 16)
FL_UNARY(F32_to_BF16, uint16_t, uint32_t, bf16_bits(p) >> 16)
FL_UNARY(round_bf16, uint32_t, uint32_t, bf16_bits(p) & 0xffff0000u)

#ifdef __F16C__
#include <immintrin.h>
static void F16_to_F32(void *out, const void *a, const void *b, const void *c, int64_t n)
{
    const uint16_t *x = a;
    float *r = out;
    int64_t i = 0;
    (void)b, (void)c;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(r + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i))));
    for (; i < n; i++) r[i] = fl_f32_from_f16(x[i]);
}
static void F32_to_F16(void *out, const void *a, const void *b, const void *c, int64_t n)
{
    const float *x = a;
    uint16_t *r = out;
    int64_t i = 0;
    (void)b, (void)c;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(r + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), 0));
    for (; i < n; i++) r[i] = fl_f16_from_f32(x[i]);
}
static void round_f16(void *out, const void *a, const void *b, const void *c, int64_t n)
{
    const float *x = a;
    float *r = out;
    int64_t i = 0;
    (void)b, (void)c;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(r + i, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(x + i), 0)));
    for (; i < n; i++) r[i] = fl_f32_from_f16(fl_f16_from_f32(x[i]));
}
#else
FL_UNARY(F16_to_F32, float, uint16_t, fl_f32_from_f16(p))
FL_UNARY(F32_to_F16, uint16_t, float, fl_f16_from_f32(p))
FL_UNARY(round_f16, float, float, fl_f32_from_f16(fl_f16_from_f32(p)))
#endif

/* Complex numbers: pairs */
#define TO_COMPLEX(D2, C, D, T)                                                                              \
    static void D##_to_##D2(void *out, const void *a, const void *b, const void *c, int64_t n)               \
    {                                                                                                        \
        const T *x = a;                                                                                      \
        C *r = out;                                                                                          \
        (void)b, (void)c;                                                                                    \
        for (int64_t i = 0; i < n; i++) r[2 * i] = (C)x[i], r[2 * i + 1] = 0;                                \
    }
#define FROM_COMPLEX(D, C, D2, T)                                                                            \
    static void D##_to_##D2(void *out, const void *a, const void *b, const void *c, int64_t n)               \
    {                                                                                                        \
        const C *x = a;                                                                                      \
        T *r = out;                                                                                          \
        (void)b, (void)c;                                                                                    \
        for (int64_t i = 0; i < n; i++) r[i] = (T)x[2 * i];                                                  \
    }
TO_COMPLEX(C64, float, F32, float)
TO_COMPLEX(C128, double, F32, float)
TO_COMPLEX(C64, float, F64, double)
TO_COMPLEX(C128, double, F64, double)
FROM_COMPLEX(C64, float, F32, float)
FROM_COMPLEX(C64, float, F64, double)
FROM_COMPLEX(C128, double, F32, float)
FROM_COMPLEX(C128, double, F64, double)
static void C64_to_C128(void *out, const void *a, const void *b, const void *c, int64_t n)
{
    F32_to_F64(out, a, b, c, 2 * n);
}
static void C128_to_C64(void *out, const void *a, const void *b, const void *c, int64_t n)
{
    F64_to_F32(out, a, b, c, 2 * n);
}

/* Selection by size of the elements */
typedef struct pair64 {
    uint64_t low, high;
} pair64;

#define SELECT(name, T, Y, Z)                                                                                \
    static void name(void *out, const void *a, const void *b, const void *c, int64_t n)                      \
    {                                                                                                        \
        const uint8_t *x = a;                                                                                \
        const T *y = b, *z = c;                                                                              \
        T *r = out, s = *y, t = *z;                                                                          \
        (void)s, (void)t;                                                                                    \
        FL_LOOP                                                                                              \
        {                                                                                                    \
            T p = Y, q = Z;                                                                                  \
            r[i] = x[i] ? p : q;                                                                             \
        }                                                                                                    \
    }
#define SELECTS(bits, T)                                                                                     \
    SELECT(select##bits##_vv, T, y[i], z[i])                                                                 \
    SELECT(select##bits##_sv, T, s, z[i]) SELECT(select##bits##_vs, T, y[i], t)                              \
        SELECT(select##bits##_ss, T, s, t)
SELECTS(8, uint8_t)
SELECTS(16, uint16_t)
SELECTS(32, uint32_t)
SELECTS(64, uint64_t)
SELECTS(128, pair64)
#define SELECT_ROW(bits) {select##bits##_vv, select##bits##_sv, select##bits##_vs, select##bits##_ss}

#define FILL(bits, T)                                                                                        \
    static void fill##bits(void *out, const void *a, const void *b, const void *c, int64_t n)                \
    {                                                                                                        \
        T *r = out, s = *(const T *)a;                                                                       \
        (void)b, (void)c;                                                                                    \
        FL_LOOP r[i] = s;                                                                                    \
    }
FILL(8, uint8_t)
FILL(16, uint16_t)
FILL(32, uint32_t)
FILL(64, uint64_t)
FILL(128, pair64)

/* One row of a copy; the compiler makes gathers and scatters of it where it can. */
#define COPY(bits, T)                                                                                        \
    static void copy_line##bits(char *out, const char *in, int64_t n, int64_t out_step, int64_t in_step)     \
    {                                                                                                        \
        const int64_t size = sizeof(T);                                                                      \
        if (out_step == size && in_step == size) {                                                           \
            memcpy(out, in, (size_t)(n * size));                                                             \
        } else if (out_step == size && in_step == 0) {                                                       \
            T s = *(const T *)in, *r = (T *)out;                                                             \
            FL_LOOP r[i] = s;                                                                                \
        } else {                                                                                             \
            for (int64_t i = 0; i < n; i++) *(T *)(out + i * out_step) = *(const T *)(in + i * in_step);     \
        }                                                                                                    \
    }                                                                                                        \
    static void copy##bits(void *out, const void *in, int64_t rows, int64_t columns, int64_t out_row,        \
                           int64_t out_column, int64_t in_row, int64_t in_column)                            \
    {                                                                                                        \
        int64_t ir = in_row < 0 ? -in_row : in_row, ic = in_column < 0 ? -in_column : in_column;             \
        if (rows > 1 && ir < ic && ir > 0) { /* transposed: read along the rows */                           \
            for (int64_t j = 0; j < columns; j++)                                                            \
                copy_line##bits((char *)out + j * out_column, (const char *)in + j * in_column, rows,        \
                                out_row, in_row);                                                            \
        } else {                                                                                             \
            for (int64_t j = 0; j < rows; j++)                                                               \
                copy_line##bits((char *)out + j * out_row, (const char *)in + j * in_row, columns,           \
                                out_column, in_column);                                                      \
        }                                                                                                    \
    }
COPY(8, uint8_t)
COPY(16, uint16_t)
COPY(32, uint32_t)
COPY(64, uint64_t)
COPY(128, pair64)

#define TO_ENTRY(D2, T2, D, T) [FL_##D2] = D##_to_##D2,
#define ROW(D, T, ...)                                                                                       \
    [FL_##D] = {TO_ALL(TO_ENTRY, D, T)[FL_F32] = D##_to_F32, [FL_F64] = D##_to_F64, [FL_I1] = D##_to_I1},

const fl_vec_moves FL_ISA_NAME(fl_vec_moves)[1] = {{
    .convert = {NUMBERS(ROW, )[FL_F32] = {TO_ALL(TO_ENTRY, F32, float)[FL_I1] = F32_to_I1,
                                          [FL_F64] = F32_to_F64, [FL_BF16] = F32_to_BF16,
                                          [FL_F16] = F32_to_F16, [FL_C64] = F32_to_C64,
                                          [FL_C128] = F32_to_C128},
                [FL_F64] = {TO_ALL(TO_ENTRY, F64, double)[FL_I1] = F64_to_I1, [FL_F32] = F64_to_F32,
                            [FL_C64] = F64_to_C64, [FL_C128] = F64_to_C128},
                [FL_BF16] = {[FL_F32] = BF16_to_F32}, [FL_F16] = {[FL_F32] = F16_to_F32},
                [FL_C64] = {[FL_F32] = C64_to_F32, [FL_F64] = C64_to_F64, [FL_C128] = C64_to_C128},
                [FL_C128] = {[FL_F32] = C128_to_F32, [FL_F64] = C128_to_F64, [FL_C64] = C128_to_C64}},
    .round_bf16 = round_bf16,
    .round_f16 = round_f16,
    .select = {SELECT_ROW(8), SELECT_ROW(16), SELECT_ROW(32), SELECT_ROW(64), SELECT_ROW(128)},
    .fill = {fill8, fill16, fill32, fill64, fill128},
    .copy = {copy8, copy16, copy32, copy64, copy128},
}};
