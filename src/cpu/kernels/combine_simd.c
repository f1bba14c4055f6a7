#include "cpu/kernels/combine.h"

#include "base/half.h"
#include "cpu/kernels/extremes.h"

typedef struct pair16 {
    uint64_t low, high;
} pair16;
typedef struct complex32 {
    float re, im;
} complex32;
typedef struct complex64 {
    double re, im;
} complex64;

/* Complex products: parts of c64 in double, as the reference does; those of c128 with every product rounded, which GCC's
 * vectoriser does not respect (it makes fmaddsub of them whatever -ffp-contract says). */
static inline complex32 multiply_c64(complex32 a, complex32 b)
{
    return (complex32){(float)((double)a.re * b.re - (double)a.im * b.im),
                       (float)((double)a.re * b.im + (double)a.im * b.re)};
}
__attribute__((noinline, optimize("no-tree-slp-vectorize"))) static complex64 multiply_c128(complex64 a,
                                                                                            complex64 b)
{
    return (complex64){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

#define SET(T, a, b)     (b)
#define ADD(T, a, b)     (T)((a) + (b))
#define MUL(T, a, b)     (T)((a) * (b))
#define MUL16(T, a, b)   (T)((uint32_t)(a) * (b)) /* not int: that could overflow */
#define MAX(T, a, b)     ((a) > (b) ? (a) : (b))
#define MIN(T, a, b)     ((a) < (b) ? (a) : (b))
#define AND(T, a, b)     (T)((a) & (b))
#define OR(T, a, b)      (T)((a) | (b))
#define MAX_F32(T, a, b) fl_maximum_f32(a, b)
#define MIN_F32(T, a, b) fl_minimum_f32(a, b)
#define MAX_F64(T, a, b) fl_maximum_f64(a, b)
#define MIN_F64(T, a, b) fl_minimum_f64(a, b)
#define ADD_C(T, a, b)                                                                                       \
    (T)                                                                                                      \
    {                                                                                                        \
        (a).re + (b).re, (a).im + (b).im                                                                     \
    }
#define MUL_C64(T, a, b)  multiply_c64(a, b)
#define MUL_C128(T, a, b) multiply_c128(a, b)
#define BF(x)             fl_f32_from_bf16(x)
#define ADD_BF16(T, a, b) fl_bf16_from_f32(BF(a) + BF(b))
#define MUL_BF16(T, a, b) fl_bf16_from_f32(BF(a) * BF(b))
#define MAX_BF16(T, a, b) fl_bf16_from_f32(fl_maximum_f32(BF(a), BF(b)))
#define MIN_BF16(T, a, b) fl_bf16_from_f32(fl_minimum_f32(BF(a), BF(b)))
#define HF(x)             fl_f32_from_f16(x)
#define ADD_F16(T, a, b)  fl_f16_from_f32(HF(a) + HF(b))
#define MUL_F16(T, a, b)  fl_f16_from_f32(HF(a) * HF(b))
#define MAX_F16(T, a, b)  fl_f16_from_f32(fl_maximum_f32(HF(a), HF(b)))
#define MIN_F16(T, a, b)  fl_f16_from_f32(fl_minimum_f32(HF(a), HF(b)))

/* X(kind, name, C type, formula): every loop there is */
/* clang-format off */
#define LOOPS(X) \
    X(set, w1, uint8_t, SET) X(set, w2, uint16_t, SET) X(set, w4, uint32_t, SET) X(set, w8, uint64_t, SET) \
    X(set, w16, pair16, SET) \
    X(add, u8, uint8_t, ADD) X(add, u16, uint16_t, ADD) X(add, u32, uint32_t, ADD) \
    X(add, u64, uint64_t, ADD) X(add, f32, float, ADD) X(add, f64, double, ADD) \
    X(add, bf16, uint16_t, ADD_BF16) X(add, f16, uint16_t, ADD_F16) X(add, c64, complex32, ADD_C) \
    X(add, c128, complex64, ADD_C) \
    X(multiply, u8, uint8_t, MUL) X(multiply, u16, uint16_t, MUL16) X(multiply, u32, uint32_t, MUL) \
    X(multiply, u64, uint64_t, MUL) X(multiply, f32, float, MUL) X(multiply, f64, double, MUL) \
    X(multiply, bf16, uint16_t, MUL_BF16) X(multiply, f16, uint16_t, MUL_F16) \
    X(multiply, c64, complex32, MUL_C64) X(multiply, c128, complex64, MUL_C128) \
    X(maximum, i8, int8_t, MAX) X(maximum, i16, int16_t, MAX) X(maximum, i32, int32_t, MAX) \
    X(maximum, i64, int64_t, MAX) X(maximum, u8, uint8_t, MAX) X(maximum, u16, uint16_t, MAX) \
    X(maximum, u32, uint32_t, MAX) X(maximum, u64, uint64_t, MAX) X(maximum, f32, float, MAX_F32) \
    X(maximum, f64, double, MAX_F64) X(maximum, bf16, uint16_t, MAX_BF16) \
    X(maximum, f16, uint16_t, MAX_F16) \
    X(minimum, i8, int8_t, MIN) X(minimum, i16, int16_t, MIN) X(minimum, i32, int32_t, MIN) \
    X(minimum, i64, int64_t, MIN) X(minimum, u8, uint8_t, MIN) X(minimum, u16, uint16_t, MIN) \
    X(minimum, u32, uint32_t, MIN) X(minimum, u64, uint64_t, MIN) X(minimum, f32, float, MIN_F32) \
    X(minimum, f64, double, MIN_F64) X(minimum, bf16, uint16_t, MIN_BF16) \
    X(minimum, f16, uint16_t, MIN_F16) \
    X(and, u8, uint8_t, AND) X(and, u16, uint16_t, AND) X(and, u32, uint32_t, AND) \
    X(and, u64, uint64_t, AND) \
    X(or, u8, uint8_t, OR) X(or, u16, uint16_t, OR) X(or, u32, uint32_t, OR) X(or, u64, uint64_t, OR)
/* clang-format on */

#define LOOP(KIND, NAME, T, FORMULA)                                                                         \
    static void row_##KIND##_##NAME(char *to, int64_t ts, const char *from, int64_t fs, int64_t n)           \
    {                                                                                                        \
        if (ts == (int64_t)sizeof(T) && fs == (int64_t)sizeof(T)) {                                          \
            T *restrict t = (T *)to;                                                                         \
            const T *restrict f = (const T *)from;                                                           \
            for (int64_t i = 0; i < n; i++) t[i] = FORMULA(T, t[i], f[i]);                                   \
            return;                                                                                          \
        }                                                                                                    \
        for (int64_t i = 0; i < n; i++, to += ts, from += fs)                                                \
            *(T *)to = FORMULA(T, *(T *)to, *(const T *)from);                                               \
    }                                                                                                        \
    static void each_##KIND##_##NAME(char *to, const int64_t *table, int64_t step, int64_t low,              \
                                     int64_t high, const char *from, int64_t fs, int64_t n)                  \
    {                                                                                                        \
        for (int64_t i = 0; i < n; i++, from += fs) {                                                        \
            int64_t at = table[i * step];                                                                    \
            if (at < low || at >= high) continue;                                                            \
            T *t = (T *)(to + at);                                                                           \
            *t = FORMULA(T, *t, *(const T *)from);                                                           \
        }                                                                                                    \
    }                                                                                                        \
    static void each_index_##KIND##_##NAME(char *to, const char *index, int64_t stride, int64_t scale,       \
                                           int64_t most, int64_t shift, int64_t low, int64_t high,           \
                                           const char *from, int64_t fs, int64_t n)                          \
    {                                                                                                        \
        for (int64_t i = 0, along = 0; i < n; i++, index += stride, from += fs, along += shift) {            \
            int64_t v = *(const int64_t *)index, at = (int64_t)((uint64_t)v * (uint64_t)scale) + along;      \
            if ((uint64_t)v > (uint64_t)most || at < low || at >= high) continue;                            \
            T *t = (T *)(to + at);                                                                           \
            *t = FORMULA(T, *t, *(const T *)from);                                                           \
        }                                                                                                    \
    }
LOOPS(LOOP)
#undef LOOP

typedef enum loop_name {
    none,
    w1,
    w2,
    w4,
    w8,
    w16,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    f32,
    f64,
    bf16,
    f16,
    c64,
    c128,
    NAMES
} loop_name;

static const fl_combine loops[FL_COMBINE_COUNT][NAMES] = {
#define LOOP(KIND, NAME, T, FORMULA)                                                                         \
    [FL_COMBINE_##KIND][NAME] = {row_##KIND##_##NAME, each_##KIND##_##NAME, each_index_##KIND##_##NAME},
    LOOPS(LOOP)
#undef LOOP
};

static loop_name set_by_width(fl_dtype dtype)
{
    switch (fl_dtype_bytes(dtype)) {
    case 1: return w1;
    case 2: return w2;
    case 4: return w4;
    case 8: return w8;
    default: return w16;
    }
}

fl_combine FL_ISA_NAME(fl_combine_find)(fl_combine_kind kind, fl_dtype dtype)
{
    static const uint8_t names[FL_DTYPE_COUNT] = {
        [FL_I8] = i8,     [FL_I16] = i16, [FL_I32] = i32, [FL_I64] = i64,   [FL_U8] = u8,
        [FL_U16] = u16,   [FL_U32] = u32, [FL_U64] = u64, [FL_F32] = f32,   [FL_F64] = f64,
        [FL_BF16] = bf16, [FL_F16] = f16, [FL_C64] = c64, [FL_C128] = c128,
    };
    int ordered = kind == FL_COMBINE_maximum || kind == FL_COMBINE_minimum;
    loop_name name = (loop_name)names[dtype];
    if (kind == FL_COMBINE_set) {
        name = set_by_width(dtype);
    } else if (dtype == FL_I1) { /* arithmetic on booleans is logic */
        kind = kind == FL_COMBINE_add || kind == FL_COMBINE_maximum || kind == FL_COMBINE_or ? FL_COMBINE_or
                                                                                             : FL_COMBINE_and;
        name = u8;
    } else if (!ordered && name >= i8 && name <= i64) { /* wrapping arithmetic does not see the sign */
        name = (loop_name)(name - i8 + u8);
    }
    return loops[kind][name];
}
