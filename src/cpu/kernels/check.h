/* Bounds checks of indices. */
#ifndef FL_CPU_KERNELS_CHECK_H
#define FL_CPU_KERNELS_CHECK_H

#include "base/dtype.h"
#include "cpu/isa.h"

/* Whether any of n contiguous elements (FL_I32 or FL_I64) is outside [low, high); the bounds fit the type, low < high. */
FL_ISA_DECLARE(int, fl_out_of_range, (fl_dtype dtype, const void *x, int64_t n, int64_t low, int64_t high));

#endif
