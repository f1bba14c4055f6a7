/* Calls of linear algebra on one batch of matrices, in complex double. Internal to ref/factor*.c. */
#ifndef FL_REF_FACTOR_CALLS_H
#define FL_REF_FACTOR_CALLS_H

#include "ref/factor.h"

#include "ref/interp.h"
#include "ref/matrix.h"

enum { FL_BATCH_MOST_IN = 4, FL_BATCH_MOST_OUT = 6, FL_BATCH_WRONG = -1 };

/* Sizes are those of the letters of the table in factor.c, arrays in the order of operands and results. */
typedef struct fl_batch {
    const fl_op *op;
    double epsilon; /* of the element type */
    int64_t size['z' + 1];
    double complex *in[FL_BATCH_MOST_IN], *out[FL_BATCH_MOST_OUT], *scratch;
} fl_batch;

static inline fl_cmatrix fl_batch_matrix(double complex *at, int64_t rows, int64_t columns)
{
    return (fl_cmatrix){rows, columns, at};
}

static inline void fl_batch_copy(double complex *to, const double complex *from, int64_t count)
{
    if (count) memcpy(to, from, (size_t)count * sizeof *to);
}

/* An attribute of the call: a number, as a letter or a truth value. */
static inline int64_t fl_batch_option(const fl_batch *b, const char *name, int64_t otherwise)
{
    const fl_literal *l = fl_custom_config(b->op, name);
    return l && (l->kind == FL_LIT_INT || l->kind == FL_LIT_BOOL) ? l->u.i : otherwise;
}

/* Each gives LAPACK's info: 0 where it worked; FL_BATCH_WRONG: operands that do not fit together. */
typedef int fl_batch_call(const fl_batch *b);
fl_batch_call fl_call_qr, fl_call_householder, fl_call_multiply_by_q, fl_call_qr_with_pivots,
    fl_call_hessenberg, fl_call_tridiagonal_form, fl_call_lu, fl_call_lapack_lu, fl_call_cholesky,
    fl_call_ldl, fl_call_hermitian_ldl, fl_call_solve_ldl, fl_call_solve_hermitian_ldl,
    fl_call_solve_triangle, fl_call_solve_tridiagonal, fl_call_solve_perturbed, fl_call_eigh,
    fl_call_lapack_eigh, fl_call_svd, fl_call_eig, fl_call_eig_of_real, fl_call_schur, fl_call_real_schur;

#endif
