/* LU factors written as loops, for compilers that have no call for them. */
#ifndef FL_IR_LU_H
#define FL_IR_LU_H

#include "ir/build.h"

/* L and U of [batch, m, n] in one array, by a loop over columns, and the row that was exchanged with each, from 0: i32 [batch, min(m, n)].
 * The call "LuDecomposition" gives the same. */
fl_ref fl_lu_by_columns(fl_builder *b, fl_ref a, int pivoting, fl_ref *out_pivots);
/* The row that stands at each of the `rows` places after all exchanges: i64 [batch, rows]. */
fl_ref fl_lu_order(fl_builder *b, fl_ref pivots, int64_t rows);

#endif
