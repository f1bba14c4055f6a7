/* Dense matrices of complex doubles, and what factorizations are made of. Internal to ref/. */
#ifndef FL_REF_MATRIX_H
#define FL_REF_MATRIX_H

#include <complex.h>
#include <stdint.h>

typedef struct fl_cmatrix {
    int64_t rows, columns;
    double complex *at; /* row by row */
} fl_cmatrix;

static inline double complex *fl_cell(const fl_cmatrix *m, int64_t i, int64_t j)
{
    return &m->at[i * m->columns + j];
}

/* C's product tests for infinities; the plain formula is meant here. */
static inline double complex fl_times(double complex a, double complex b)
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* ---- reflections: I - tau v v^H with v_0 = 1 ---- */

/* Makes column j zero below row i by a reflection, whose other numbers of v stay there; the columns after j are reflected (by its
 * adjoint, as LAPACK does), those before are not. Returns tau. */
double complex fl_cm_reflect(const fl_cmatrix *m, int64_t i, int64_t j);
/* From the left or the right by I - tau v v^H, where v stands in column j of `from` below row i. */
void fl_cm_reflect_rows(const fl_cmatrix *m, const fl_cmatrix *from, int64_t i, int64_t j,
                        double complex tau);
void fl_cm_reflect_columns(const fl_cmatrix *m, const fl_cmatrix *from, int64_t i, int64_t j,
                           double complex tau);
/* q = the first columns of H_0 H_1 ..., where the k-th vector begins in row k + below of column k. */
void fl_cm_multiply_reflectors(const fl_cmatrix *v, const double complex *tau, int64_t count, int64_t below,
                               const fl_cmatrix *q);

/* ---- elimination ---- */

/* One step of LU with row exchanges, which are applied to `order`, too; a column of zeros stays. *pivot: the row taken. */
void fl_cm_eliminate(const fl_cmatrix *m, int64_t k, int64_t *pivot, int64_t *order);
/* The lower factor of the Hermitian matrix whose lower triangle this is; the row that fails counted from 1, or 0. */
int fl_cm_cholesky(const fl_cmatrix *a);
/* Three diagonals of n numbers with row exchanges: low[1..], middle, high[..n-1) are used up, `right` becomes the solution. A pivot
 * smaller than `least` is taken as `least`; if that is 0, the row of a pivot of 0, counted from 1, is returned. */
int fl_cm_solve_tridiagonal(double complex *low, double complex *middle, double complex *high, int64_t n,
                            const fl_cmatrix *right, double least);

/* ---- spectra ---- */

/* Fills in the triangle that is not meant; the imaginary parts of the diagonal do not count. */
void fl_cm_make_hermitian(const fl_cmatrix *a, int lower);
/* Jacobi's method for a Hermitian matrix: afterwards a is diagonal, and the columns of v are the eigenvectors. */
void fl_cm_diagonalize(const fl_cmatrix *a, const fl_cmatrix *v);
void fl_cm_sort_ascending(const fl_cmatrix *a, const fl_cmatrix *v);
/* The columns of w (no fewer rows than columns) become orthogonal by turning them, v (columns x columns) gathers the turns, and both
 * are ordered by falling length, which `lengths` tells. */
void fl_cm_orthogonalize(const fl_cmatrix *w, const fl_cmatrix *v, double complex *lengths);
/* Columns from `first` on, of unit length and orthogonal to all before; earlier ones must be so already. */
void fl_cm_complete(const fl_cmatrix *u, int64_t first);
/* t becomes Schur's real form of itself, z its vectors: n by n, row by row; scratch of n. Not 0: no convergence. (schur_real.c) */
int fl_real_schur(int64_t n, double *t, double *z, double *scratch);
/* a = z t z^H: a becomes upper triangular, z unitary. What does not converge, counted from 1, or 0. `scratch`: 2 rows
 * numbers. */
int fl_cm_schur(const fl_cmatrix *a, const fl_cmatrix *z, double complex *scratch);
/* Eigenvectors of a = z t z^H, right or left, in the columns of `out`; of length 1, the largest number of each is real. `sums`: rows
 * numbers. */
void fl_cm_eigenvectors(const fl_cmatrix *t, const fl_cmatrix *z, int left, const fl_cmatrix *out,
                        double complex *sums);

#endif
