/* Inner loops of windows and running reductions, compiled for each instruction set level. */
#ifndef FL_CPU_KERNELS_WINDOW_H
#define FL_CPU_KERNELS_WINDOW_H

#include "base/dtype.h"
#include "cpu/isa.h"

/* Of (to_value[i], to_index[i]) and (value[i], index[i]) keeps the greater value, NaN first, lower index among equals. Strides
 * of the sources in bytes; the targets are contiguous. */
typedef void (*fl_pool_row_fn)(void *to_value, void *to_index, const char *value, int64_t value_stride, const char *index,
                               int64_t index_stride, int64_t n);
/* NULL: not for these types. */
FL_ISA_DECLARE(fl_pool_row_fn, fl_pool_row_find, (fl_dtype value, fl_dtype index));

/* Running sums or products of n elements along the outer dimension for `width` neighbours: strides of elements and
 * neighbours in bytes; f32 is accumulated in f64. The output has the steps given, either sign. */
typedef void (*fl_scan_fn)(char *out, int64_t out_step, int64_t out_across, const char *in, int64_t in_step, int64_t in_across,
                           int64_t n, int64_t width);
FL_ISA_DECLARE(fl_scan_fn, fl_scan_find, (int multiply, fl_dtype dtype));

#endif
