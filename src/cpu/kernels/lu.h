/* LU factors with row exchanges: A = P L U, L and U in the place of A. */
#ifndef FL_CPU_KERNELS_LU_H
#define FL_CPU_KERNELS_LU_H

#include "cpu/isa.h"
#include "cpu/plan/plan.h"

#include <stdint.h>

#define FL_LU_PANEL 16 /* columns of a panel */

/* Elements from a column of a panel's copy to the next. */
static inline int64_t fl_lu_apart(int64_t m)
{
    return (m + 15) / 16 * 16 + 16;
}

/* Factors a panel of m rows, `stride` elements apart, and `width` <= FL_LU_PANEL, m columns. pivots[j] >= j is the row that was
 * exchanged with row j, within the panel. `columns` has room for width * fl_lu_apart(m) elements. */
FL_ISA_DECLARE(void, fl_lu_panel_f32,
               (float *a, int64_t stride, int64_t m, int64_t width, int *pivots, float *columns));
FL_ISA_DECLARE(void, fl_lu_panel_f64,
               (double *a, int64_t stride, int64_t m, int64_t width, int *pivots, double *columns));
/* A dense matrix of complex numbers as a whole. */
FL_ISA_DECLARE(void, fl_lu_rows_c64, (float *a, int64_t m, int64_t n, int *pivots));
FL_ISA_DECLARE(void, fl_lu_rows_c128, (double *a, int64_t m, int64_t n, int *pivots));

/* The custom calls LuDecomposition (exchanges counted from 0, and where each row comes from) and lapack_?getrf_ffi (exchanges counted
 * from 1, and 1 + the first column without a pivot). `plain`: the first. */
fl_status fl_prepare_lu(fl_step *step, fl_arena *arena, int plain);

#endif
