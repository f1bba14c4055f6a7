/* What the operators of sparse embeddings share: the layout of ids that TPUs' SparseCores take.
 *
 * A device has FL_SPARSE_CORES of them (as in v6e and v7). Ids of a core lie in rows one behind the other, each of which begins
 * at a multiple of FL_SPARSE_ALIGN; row_pointers say where rows end. What is between is padding, of the value INT_MAX. */
#ifndef FL_ATEN_SPARSE_CORE_H
#define FL_ATEN_SPARSE_CORE_H

#include "aten/shapes.h"

enum { FL_SPARSE_CORES = 2, FL_SPARSE_ALIGN = 8 };

/* i1 [cores, count, rows]: which row each of `count` places is in; `ends` is i32 [cores, rows]. */
fl_ref fl_sparse_members(fl_builder *b, fl_ref ends, int64_t count);
/* Argument i, which must be of this rank and type; FL_DTYPE_NONE: of any. */
fl_ref fl_sparse_in(fl_builder *b, int i, const char *name, int rank, fl_dtype dtype);
/* x as i1 where every row of it is; false for the padding: all of [count, rows] or more dims. */
fl_ref fl_sparse_any(fl_builder *b, fl_ref members);
/* Whether 0 <= x < limit. */
fl_ref fl_sparse_within(fl_builder *b, fl_ref x, int64_t limit);

#endif
