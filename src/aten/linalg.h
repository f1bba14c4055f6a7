/* What the factorisations share. Matrices are the last two dims. */
#ifndef FL_ATEN_LINALG_H
#define FL_ATEN_LINALG_H

#include "aten/shapes.h"

/* Whether x holds (square) matrices of a type that can be factored; else the error is kept. */
int fl_matrices(fl_builder *b, fl_ref x, int square);
/* Broadcasts the batch dims of both. */
void fl_broadcast_batches(fl_builder *b, fl_ref *x, fl_ref *y);
/* fl_triangular_solve that knows empty matrices. */
fl_ref fl_solve_triangle(fl_builder *b, fl_ref a, fl_ref rhs, fl_triangle triangle);
/* Ones on the diagonal of matrices like x, as booleans. */
fl_ref fl_on_diagonal(fl_builder *b, fl_ref x);
/* 1 + the first row of square matrices whose diagonal element is `bad`; 0 where none is. i32, of the batch's shape. */
fl_ref fl_first_on_diagonal(fl_builder *b, fl_ref bad);

#endif
