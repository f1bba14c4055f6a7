#include "cpu/kernels/index_map.h"

#define SKIP (INT64_MIN / 2) /* stays negative whatever valid offsets are added */

/* Adds scale * index to what is known of the offsets: base + i * shift for the first component, else out[i]. */
#define BODY(T, STRIDE, KNOWN)                                                                               \
    for (int64_t i = 0; i < n; i++) {                                                                        \
        int64_t v = (int64_t)*(const T *)(p + i * (STRIDE)), known = (KNOWN);                                \
        int64_t inside = v < 0 ? 0 : v > most ? most : v;                                                    \
        out[i] = skip & (inside != v) ? SKIP : known + inside * scale;                                       \
    }
#define COMPONENT(T, NAME)                                                                                   \
    static void component_##NAME(const char *p, int64_t stride, int64_t n, int64_t scale, int64_t most,      \
                                 int skip, int first, int64_t base, int64_t shift, int64_t *restrict out)    \
    {                                                                                                        \
        if (!first) {                                                                                        \
            BODY(T, stride, out[i])                                                                          \
        } else if (stride == (int64_t)sizeof(T)) {                                                           \
            BODY(T, (int64_t)sizeof(T), base + i * shift)                                                    \
        } else {                                                                                             \
            BODY(T, stride, base + i * shift)                                                                \
        }                                                                                                    \
    }
COMPONENT(int32_t, i32)
COMPONENT(int64_t, i64)
#undef COMPONENT
#undef BODY

void FL_ISA_NAME(fl_index_component)(int narrow, const char *p, int64_t stride, int64_t n, int64_t scale,
                                     int64_t most, int skip, int first, int64_t base, int64_t shift,
                                     int64_t *out)
{
    (narrow ? component_i32 : component_i64)(p, stride, n, scale, most, skip, first, base, shift, out);
}
