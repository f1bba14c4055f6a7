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
/* `upper`: what is on and above the diagonal stays, else what is on and below it; the rest is 0. */
fl_ref fl_keep_triangle(fl_builder *b, fl_ref x, int upper);
/* Matrices rows x columns of ones on the diagonal, in the batch of `like`, of its dtype. */
fl_ref fl_eye(fl_builder *b, fl_ref like, int64_t rows, int64_t columns);
/* The adjoint of each matrix. */
fl_ref fl_adjoint(fl_builder *b, fl_ref x);
/* 1 + the first row of square matrices whose diagonal element is `bad`; 0 where none is. i32, of the batch's shape. */
fl_ref fl_first_on_diagonal(fl_builder *b, fl_ref bad);
/* Raises torch.linalg.LinAlgError at the next synchronisation where `info`, integers of the batch's shape, is not 0. In the text
 * `#` stands for it, and `|` for which matrix it is. */
void fl_check_factors(fl_builder *b, fl_ref info, const char *text);
/* fl_check_factors where argument i, check_errors, is true. */
void fl_check_if_asked(fl_builder *b, int i, fl_ref info, const char *text);
/* 1 for matrices with a number that is not finite, else 0. */
fl_ref fl_not_finite(fl_builder *b, fl_ref x);

/* ---- factor_call.c ---- */

/* A type in the batch of the matrices `like`: `inner` dims, rows and columns. */
fl_type fl_batch_type(fl_builder *b, fl_ref like, fl_dtype dtype, int inner, int64_t rows, int64_t columns);
typedef struct fl_option {
    const char *name; /* in alphabetic order */
    int value;        /* a letter or a truth value */
} fl_option;
/* Custom calls; the first result is returned, the others follow it. No array may be empty. */
fl_ref fl_call_xla(fl_builder *b, const char *target, const char *config, const fl_ref *in, uint32_t ins,
                   const fl_type *out, uint32_t outs);
/* `name` without LAPACK's letter for the element type, which is that of in[0], matrices. */
fl_ref fl_call_lapack(fl_builder *b, const char *name, const fl_option *options, uint32_t count,
                      const fl_ref *in, uint32_t ins, const fl_type *out, uint32_t outs);

/* ---- reflect.c ---- */

typedef struct fl_reflectors {
    fl_ref packed, tau; /* m x n: r on and above the diagonal, the vectors below; min(m, n) */
} fl_reflectors;
fl_reflectors fl_qr(fl_builder *b, fl_ref a);
/* The first `columns` (at most the rows of `packed`) columns of their product. */
fl_ref fl_multiply_reflectors(fl_builder *b, fl_reflectors f, int64_t columns);

#endif
