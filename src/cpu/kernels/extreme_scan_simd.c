/* Running extremes with their places. See window.h. */
#include "base/half.h"
#include "cpu/kernels/window.h"

#define SAME(x) (x)

/* X(name, element type, stored type, type of comparisons, conversion, kind, operator, the same without equality): every loop there is */
#define EXTREMES(X, KIND, OP, BEATS)                                                                         \
    X(f32, FL_F32, float, float, SAME, KIND, OP, BEATS)                                                      \
    X(f64, FL_F64, double, double, SAME, KIND, OP, BEATS)                                                    \
    X(bf16, FL_BF16, uint16_t, float, fl_f32_from_bf16, KIND, OP, BEATS)                                     \
    X(f16, FL_F16, uint16_t, float, fl_f32_from_f16, KIND, OP, BEATS)                                        \
    X(i32, FL_I32, int32_t, int32_t, SAME, KIND, OP, BEATS)                                                  \
    X(i64, FL_I64, int64_t, int64_t, SAME, KIND, OP, BEATS)

/* Whether y takes the place of x: it is no worse, or a NaN. */
#define WINS(y, x, OP) (((y)OP(x)) | ((y) != (y)))

/* A line by itself. Seldom does anything take the best one's place: blocks are looked at first, which vectors do. */
#define LINE(NAME, DTYPE, T, WIDE, WIDEN, KIND, OP, BEATS)                                                   \
    static void line_##KIND##_##NAME(const fl_extreme_scan *s)                                               \
    {                                                                                                        \
        enum { BLOCK = 64 };                                                                                 \
        T best = *(const T *)s->first;                                                                       \
        int64_t at = s->first_place, place = 0, n = s->n;                                                    \
        const char *in = s->in;                                                                              \
        char *out = s->out, *out_at = s->out_at;                                                             \
        const int64_t in_step = s->in_step, out_step = s->out_step, at_step = s->at_step;                    \
        const int dense = s->in_step == (int64_t)sizeof(T) && s->out_step == (int64_t)sizeof(T);             \
        while (n > 0) {                                                                                      \
            const int64_t m = n < BLOCK ? n : BLOCK;                                                         \
            int change = 1;                                                                                  \
            if (dense && m == BLOCK) {                                                                       \
                const T *restrict x = (const T *)in;                                                         \
                const WIDE b = WIDEN(best);                                                                  \
                change = 0;                                                                                  \
                for (int i = 0; i < BLOCK; i++) change |= WINS(WIDEN(x[i]), b, OP);                          \
            }                                                                                                \
            if (!change) {                                                                                   \
                T *restrict to = (T *)out;                                                                   \
                int64_t *restrict to_at = (int64_t *)out_at;                                                 \
                for (int i = 0; i < BLOCK; i++) to[i] = best;                                                \
                for (int i = 0; i < BLOCK; i++) to_at[i] = at;                                               \
            } else {                                                                                         \
                const char *from = in;                                                                       \
                char *to = out, *to_at = out_at;                                                             \
                for (int64_t i = 0; i < m; i++, from += in_step, to += out_step, to_at += at_step) {         \
                    const T y = *(const T *)from;                                                            \
                    /* one comparison for those that lose; a best one that is NaN loses to NaN alone */      \
                    if (!(WIDEN(best) BEATS WIDEN(y)) &&                                                     \
                        (WIDEN(best) == WIDEN(best) || WIDEN(y) != WIDEN(y)))                                \
                        best = y, at = place + i;                                                            \
                    *(T *)to = best;                                                                         \
                    *(int64_t *)to_at = at;                                                                  \
                }                                                                                            \
            }                                                                                                \
            in += m * in_step, out += m * out_step, out_at += m * at_step;                                   \
            place += m, n -= m;                                                                              \
        }                                                                                                    \
    }
EXTREMES(LINE, max, >=, >)
EXTREMES(LINE, min, <=, <)

#define COLUMNS(NAME, DTYPE, T, WIDE, WIDEN, KIND, OP, BEATS)                                                \
    static void scan_##KIND##_##NAME(const fl_extreme_scan *s)                                               \
    {                                                                                                        \
        enum { SOME = 128 };                                                                                 \
        if (s->width == 1) {                                                                                 \
            line_##KIND##_##NAME(s);                                                                         \
            return;                                                                                          \
        }                                                                                                    \
        const int64_t across = s->in_across / (int64_t)sizeof(T);                                            \
        for (int64_t j0 = 0; j0 < s->width; j0 += SOME) {                                                    \
            T best[SOME];                                                                                    \
            int64_t at[SOME];                                                                                \
            const int64_t w = s->width - j0 < SOME ? s->width - j0 : SOME;                                   \
            const char *in = s->in + j0 * s->in_across;                                                      \
            char *out = s->out + j0 * (int64_t)sizeof(T), *out_at = s->out_at + j0 * 8;                      \
            for (int64_t j = 0; j < w; j++) best[j] = *(const T *)s->first, at[j] = s->first_place;          \
            for (int64_t i = 0; i < s->n; i++, in += s->in_step, out += s->out_step, out_at += s->at_step) { \
                const T *restrict x = (const T *)in;                                                         \
                T *restrict to = (T *)out;                                                                   \
                int64_t *restrict to_at = (int64_t *)out_at;                                                 \
                const int64_t place = i;                                                                     \
                for (int64_t j = 0; j < w; j++) {                                                            \
                    const T y = x[j * across];                                                               \
                    const int wins = WINS(WIDEN(y), WIDEN(best[j]), OP);                                     \
                    to[j] = best[j] = wins ? y : best[j];                                                    \
                    to_at[j] = at[j] = wins ? place : at[j];                                                 \
                }                                                                                            \
            }                                                                                                \
        }                                                                                                    \
    }
EXTREMES(COLUMNS, max, >=, >)
EXTREMES(COLUMNS, min, <=, <)

fl_extreme_scan_fn FL_ISA_NAME(fl_extreme_scan_find)(int largest, fl_dtype dtype)
{
    enum { LARGEST_min, LARGEST_max };
#define ENTRY(NAME, DTYPE, T, WIDE, WIDEN, KIND, OP, BEATS)                                                  \
    if (largest == LARGEST_##KIND && dtype == DTYPE) return scan_##KIND##_##NAME;
    EXTREMES(ENTRY, max, >=, >)
    EXTREMES(ENTRY, min, <=, <)
    return 0;
}
