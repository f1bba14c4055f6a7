/* Pieces that the pooling operators share. */
#ifndef FL_ATEN_POOL_H
#define FL_ATEN_POOL_H

#include "aten/shapes.h"

/* Position of every element in its plane (the last `spatial` dimensions), i64, broadcast to x's shape. */
fl_ref fl_plane_positions(fl_builder *b, fl_ref x, int spatial);
/* Zeros of these dims with source[p] (combine)= at plane position index[p]: the last `spatial` dims are the
 * plane, the others are equal. */
fl_ref fl_scatter_planes(fl_builder *b, fl_opcode combine, fl_ref source, fl_ref index, int rank,
                         const int64_t *dims, int spatial, const char *what);

#endif
