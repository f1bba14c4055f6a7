/* Forward substitution on strips of columns: the inner loops of triangular_solve and cholesky. */
#ifndef FL_CPU_KERNELS_LINALG_H
#define FL_CPU_KERNELS_LINALG_H

#include "cpu/isa.h"

#include <stdint.h>

/* Rows [i0, i1) of L X = W for a lower triangular L, in place in W, when the rows before i0 are done. Element (i, p) of L is
 * l[i * row + p * column]; row i of W is w + i * stride, `n` long. Strides in elements, also negative. With `unit` the
 * diagonal counts as 1. */
FL_ISA_DECLARE(void, fl_substitute_f32,
               (float *w, int64_t stride, int64_t n, const float *l, int64_t row, int64_t column, int64_t i0,
                int64_t i1, int unit));
FL_ISA_DECLARE(void, fl_substitute_f64,
               (double *w, int64_t stride, int64_t n, const double *l, int64_t row, int64_t column,
                int64_t i0, int64_t i1, int unit));
/* Only the first part: W[i0, i1) -= L[i0, i1) x [0, i0) times W[0, i0). */
FL_ISA_DECLARE(void, fl_eliminate_f32,
               (float *w, int64_t stride, int64_t n, const float *l, int64_t row, int64_t column, int64_t i0,
                int64_t i1));
FL_ISA_DECLARE(void, fl_eliminate_f64,
               (double *w, int64_t stride, int64_t n, const double *l, int64_t row, int64_t column,
                int64_t i0, int64_t i1));

#endif
