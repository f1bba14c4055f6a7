/* Running sums, products and extremes. See window.h. */
#include "cpu/kernels/extremes.h"
#include "cpu/kernels/window.h"

#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
/* of integers */
#define MOST(a, b)  ((a) > (b) ? (a) : (b))
#define LEAST(a, b) ((a) < (b) ? (a) : (b))

/* X(kind, name, element type, stored type, type of the running value, operation) */
#define SCANS(X)                                                                                             \
    X(add, f32, FL_F32, float, double, ADD)                                                                  \
    X(add, f64, FL_F64, double, double, ADD)                                                                 \
    X(add, u32, FL_U32, uint32_t, uint32_t, ADD)                                                             \
    X(add, u64, FL_U64, uint64_t, uint64_t, ADD)                                                             \
    X(multiply, f32, FL_F32, float, double, MULTIPLY)                                                        \
    X(multiply, f64, FL_F64, double, double, MULTIPLY)                                                       \
    X(multiply, u32, FL_U32, uint32_t, uint32_t, MULTIPLY)                                                   \
    X(multiply, u64, FL_U64, uint64_t, uint64_t, MULTIPLY)                                                   \
    X(maximum, f32, FL_F32, float, float, fl_maximum_f32)                                                    \
    X(maximum, f64, FL_F64, double, double, fl_maximum_f64)                                                  \
    X(maximum, i32, FL_I32, int32_t, int32_t, MOST)                                                          \
    X(maximum, i64, FL_I64, int64_t, int64_t, MOST)                                                          \
    X(minimum, f32, FL_F32, float, float, fl_minimum_f32)                                                    \
    X(minimum, f64, FL_F64, double, double, fl_minimum_f64)                                                  \
    X(minimum, i32, FL_I32, int32_t, int32_t, LEAST)                                                         \
    X(minimum, i64, FL_I64, int64_t, int64_t, LEAST)

/* A line by itself: four elements are combined with each other first, so that the running value waits for one operation, not four. */
#define LINE(KIND, NAME, DTYPE, T, RUNNING, OP)                                                              \
    static void line_##KIND##_##NAME(char *out, int64_t out_step, const char *in, int64_t in_step,           \
                                     int64_t n, RUNNING sum)                                                 \
    {                                                                                                        \
        int64_t i = 0;                                                                                       \
        for (; i + 4 <= n; i += 4, in += 4 * in_step, out += 4 * out_step) {                                 \
            const RUNNING a = *(const T *)in, b = OP(a, (RUNNING) * (const T *)(in + in_step)),              \
                          c = OP(b, (RUNNING) * (const T *)(in + 2 * in_step)),                              \
                          d = OP(c, (RUNNING) * (const T *)(in + 3 * in_step));                              \
            *(T *)out = (T)OP(sum, a);                                                                       \
            *(T *)(out + out_step) = (T)OP(sum, b);                                                          \
            *(T *)(out + 2 * out_step) = (T)OP(sum, c);                                                      \
            sum = OP(sum, d);                                                                                \
            *(T *)(out + 3 * out_step) = (T)sum;                                                             \
        }                                                                                                    \
        for (; i < n; i++, in += in_step, out += out_step) {                                                 \
            sum = OP(sum, (RUNNING) * (const T *)in);                                                        \
            *(T *)out = (T)sum;                                                                              \
        }                                                                                                    \
    }
SCANS(LINE)

#define SCAN(KIND, NAME, DTYPE, T, RUNNING, OP)                                                              \
    static void scan_##KIND##_##NAME(char *out, int64_t out_step, int64_t out_across, const char *in,        \
                                     int64_t in_step, int64_t in_across, int64_t n, int64_t width,           \
                                     const void *initial)                                                    \
    {                                                                                                        \
        enum { SOME = 128 };                                                                                 \
        const RUNNING first = *(const T *)initial;                                                           \
        if (width == 1) {                                                                                    \
            line_##KIND##_##NAME(out, out_step, in, in_step, n, first);                                      \
            return;                                                                                          \
        }                                                                                                    \
        const int dense = in_across == (int64_t)sizeof(T) && out_across == (int64_t)sizeof(T);               \
        for (int64_t j0 = 0; j0 < width; j0 += SOME) {                                                       \
            RUNNING sums[SOME];                                                                              \
            const int64_t w = width - j0 < SOME ? width - j0 : SOME;                                         \
            const char *from = in + j0 * in_across;                                                          \
            char *to = out + j0 * out_across;                                                                \
            for (int64_t j = 0; j < w; j++) sums[j] = first;                                                 \
            for (int64_t i = 0; i < n; i++, from += in_step, to += out_step)                                 \
                if (dense)                                                                                   \
                    for (int64_t j = 0; j < w; j++) {                                                        \
                        sums[j] = OP(sums[j], (RUNNING)((const T *)from)[j]);                                \
                        ((T *)to)[j] = (T)sums[j];                                                           \
                    }                                                                                        \
                else                                                                                         \
                    for (int64_t j = 0; j < w; j++) {                                                        \
                        sums[j] = OP(sums[j], (RUNNING) * (const T *)(from + j * in_across));                \
                        *(T *)(to + j * out_across) = (T)sums[j];                                            \
                    }                                                                                        \
        }                                                                                                    \
    }
SCANS(SCAN)

fl_scan_fn FL_ISA_NAME(fl_scan_find)(fl_combine_kind kind, fl_dtype dtype)
{
    /* sums and products of integers wrap: those of either sign are the same */
    const int wraps = kind == FL_COMBINE_add || kind == FL_COMBINE_multiply;
    if (wraps && dtype == FL_I32) dtype = FL_U32;
    if (wraps && dtype == FL_I64) dtype = FL_U64;
#define ENTRY(KIND, NAME, DTYPE, T, RUNNING, OP)                                                             \
    if (kind == FL_COMBINE_##KIND && dtype == DTYPE) return scan_##KIND##_##NAME;
    SCANS(ENTRY)
    return 0;
}
