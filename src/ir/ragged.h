/* chlo.ragged_dot: products of rows in groups, whose numbers of rows are `sizes` (integers [g]). Rows of no group are left out. */
#ifndef FL_IR_RAGGED_H
#define FL_IR_RAGGED_H

#include "ir/build.h"

/* Each row meets its group's matrix: lhs [m, k], rhs [g, k, n] -> [m, n]. */
fl_ref fl_ragged_rows(fl_builder *b, fl_ref lhs, fl_ref rhs, fl_ref sizes, fl_dtype out);
/* Sums over the rows of each group: lhs [m, k], rhs [m, n] -> [g, k, n]. */
fl_ref fl_ragged_sums(fl_builder *b, fl_ref lhs, fl_ref rhs, fl_ref sizes, fl_dtype out);

#endif
