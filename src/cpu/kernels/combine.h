/* to[i] = combine(to[i], from[i]): the inner loops of scatter. */
#ifndef FL_CPU_KERNELS_COMBINE_H
#define FL_CPU_KERNELS_COMBINE_H

#include "base/dtype.h"
#include "cpu/isa.h"

typedef enum fl_combine_kind {
    FL_COMBINE_set,
    FL_COMBINE_add,
    FL_COMBINE_multiply,
    FL_COMBINE_maximum,
    FL_COMBINE_minimum,
    FL_COMBINE_and,
    FL_COMBINE_or,
    FL_COMBINE_COUNT
} fl_combine_kind;

typedef struct fl_combine {
    /* n elements; strides in bytes. `to` and `from` do not overlap. */
    void (*row)(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n);
    /* from[i] into to + table[i * step] (bytes), in order; entries outside [low, high) are left out. */
    void (*each)(char *to, const int64_t *table, int64_t step, int64_t low, int64_t high, const char *from,
                 int64_t from_stride, int64_t n);
    /* The same with i64 indices `index_stride` bytes apart instead of a table: element i goes to index * scale + i * shift when
     * the index is in [0, most] and the offset in [low, high). */
    void (*each_index)(char *to, const char *index, int64_t index_stride, int64_t scale, int64_t most,
                       int64_t shift, int64_t low, int64_t high, const char *from, int64_t from_stride,
                       int64_t n);
} fl_combine;

/* NULL members: no such combination. FL_COMBINE_set goes by the width of the type. */
FL_ISA_DECLARE(fl_combine, fl_combine_find, (fl_combine_kind kind, fl_dtype dtype));

#endif
