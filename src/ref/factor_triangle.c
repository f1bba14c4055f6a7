/* Orthogonal and triangular factors, and what is solved with them. */
#include "ref/factor_calls.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- orthogonal factors ---- */

int fl_call_qr(const fl_batch *b)
{
    const fl_cmatrix a = fl_batch_matrix(b->out[0], b->size['m'], b->size['n']);
    fl_batch_copy(a.at, b->in[0], a.rows * a.columns);
    for (int64_t k = 0; k < b->size['k']; k++) b->out[1][k] = fl_cm_reflect(&a, k, k);
    return 0;
}

int fl_call_householder(const fl_batch *b)
{
    const fl_cmatrix v = fl_batch_matrix(b->in[0], b->size['m'], b->size['n']),
                     q = fl_batch_matrix(b->out[0], v.rows, v.columns);
    if (b->size['t'] > b->size['k']) return FL_BATCH_WRONG;
    fl_cm_multiply_reflectors(&v, b->in[1], b->size['t'], 0, &q);
    return 0;
}

int fl_call_multiply_by_q(const fl_batch *b)
{
    const fl_cmatrix v = fl_batch_matrix(b->in[0], b->size['a'], b->size['t']),
                     c = fl_batch_matrix(b->out[0], b->size['m'], b->size['n']);
    const int left = fl_batch_option(b, "left", 1) != 0, adjoint = fl_batch_option(b, "transpose", 0) != 0;
    const int64_t count = b->size['t'];
    if (v.rows != (left ? c.rows : c.columns) || count > v.rows) return FL_BATCH_WRONG;
    fl_batch_copy(c.at, b->in[2], c.rows * c.columns);
    for (int64_t i = 0; i < count; i++) {
        int64_t k = left == adjoint ? i : count - 1 - i;
        double complex tau = adjoint ? conj(b->in[1][k]) : b->in[1][k];
        if (left)
            fl_cm_reflect_rows(&c, &v, k, k, tau);
        else
            fl_cm_reflect_columns(&c, &v, k, k, tau);
    }
    return 0;
}

/* Columns asked for come first, then each time the longest. */
int fl_call_qr_with_pivots(const fl_batch *b)
{
    const fl_cmatrix a = fl_batch_matrix(b->out[0], b->size['m'], b->size['n']);
    double complex *order = b->out[1];
    int64_t fixed = 0;
    fl_batch_copy(a.at, b->in[0], a.rows * a.columns);
    for (int64_t j = 0; j < a.columns; j++) order[j] = (double)(j + 1);
    for (int64_t k = 0; k < a.columns; k++) {
        int64_t best = k;
        double longest = -1;
        int asked = 0;
        for (int64_t j = k; j < a.columns && !asked; j++) {
            double square = 0;
            asked = k == fixed && b->in[1][(int64_t)creal(order[j]) - 1] != 0;
            for (int64_t i = k; i < a.rows; i++)
                square += creal(fl_times(conj(*fl_cell(&a, i, j)), *fl_cell(&a, i, j)));
            if (square > longest || asked) best = j, longest = square;
        }
        fixed += asked;
        double complex kept = order[k];
        order[k] = order[best];
        order[best] = kept;
        for (int64_t i = 0; i < a.rows; i++) {
            kept = *fl_cell(&a, i, k);
            *fl_cell(&a, i, k) = *fl_cell(&a, i, best);
            *fl_cell(&a, i, best) = kept;
        }
        if (k < b->size['k']) b->out[2][k] = fl_cm_reflect(&a, k, k);
    }
    return 0;
}

int fl_call_hessenberg(const fl_batch *b)
{
    const fl_cmatrix a = fl_batch_matrix(b->out[0], b->size['n'], b->size['n']);
    fl_batch_copy(a.at, b->in[0], a.rows * a.columns);
    for (int64_t k = 0; k + 1 < a.rows; k++) {
        b->out[1][k] = fl_cm_reflect(&a, k + 1, k);
        fl_cm_reflect_columns(&a, &a, k + 1, k, b->out[1][k]);
    }
    return 0;
}

/* The upper triangle is the lower one of the matrix with rows and columns in reverse order. */
static void reverse(double complex *at, int64_t count)
{
    for (int64_t i = 0; i < count / 2; i++) {
        double complex kept = at[i];
        at[i] = at[count - 1 - i];
        at[count - 1 - i] = kept;
    }
}

int fl_call_tridiagonal_form(const fl_batch *b)
{
    const int64_t n = b->size['n'], size = n * n;
    const int upper = fl_batch_option(b, "uplo", 'L') == 'U';
    const fl_cmatrix a = fl_batch_matrix(b->scratch, n, n), out = fl_batch_matrix(b->out[0], n, n);
    fl_batch_copy(out.at, b->in[0], size);
    if (upper) reverse(out.at, size);
    fl_batch_copy(a.at, out.at, size);
    fl_cm_make_hermitian(&a, 1);
    for (int64_t k = 0; k + 1 < n; k++) {
        double complex tau = b->out[3][k] = fl_cm_reflect(&a, k + 1, k);
        fl_cm_reflect_columns(&a, &a, k + 1, k, tau);
        b->out[2][k] = creal(*fl_cell(&a, k + 1, k));
        for (int64_t i = k + 1; i < n; i++) *fl_cell(&out, i, k) = *fl_cell(&a, i, k);
    }
    for (int64_t i = 0; i < n; i++) *fl_cell(&out, i, i) = b->out[1][i] = creal(*fl_cell(&a, i, i));
    if (!upper) return 0;
    reverse(out.at, size);
    reverse(b->out[1], n);
    reverse(b->out[2], n > 0 ? n - 1 : 0);
    reverse(b->out[3], n > 0 ? n - 1 : 0);
    return 0;
}

/* ---- triangular factors ---- */

/* The first pivot of 0 counted from 1, or 0. Pivots are written as they are, `first` being the first row's number. */
static int eliminate_all(const fl_batch *b, double complex *order, int first)
{
    const fl_cmatrix a = fl_batch_matrix(b->out[0], b->size['m'], b->size['n']);
    int64_t *rows = (int64_t *)b->scratch, pivot;
    int zero = 0;
    fl_batch_copy(a.at, b->in[0], a.rows * a.columns);
    for (int64_t i = 0; i < a.rows; i++) rows[i] = i;
    for (int64_t k = 0; k < b->size['k']; k++) {
        fl_cm_eliminate(&a, k, &pivot, rows);
        b->out[1][k] = (double)(pivot + first);
        if (!zero && *fl_cell(&a, k, k) == 0) zero = (int)(k + 1);
    }
    for (int64_t i = 0; order && i < a.rows; i++) order[i] = (double)rows[i];
    return zero;
}

int fl_call_lu(const fl_batch *b)
{
    eliminate_all(b, b->out[2], 0);
    return 0;
}

int fl_call_lapack_lu(const fl_batch *b)
{
    return eliminate_all(b, NULL, 1);
}

int fl_call_cholesky(const fl_batch *b)
{
    const int64_t n = b->size['n'];
    const int upper = fl_batch_option(b, "uplo", 'L') == 'U';
    const fl_cmatrix a = fl_batch_matrix(b->scratch, n, n), out = fl_batch_matrix(b->out[0], n, n);
    fl_batch_copy(out.at, b->in[0], n * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            *fl_cell(&a, i, j) = upper ? conj(*fl_cell(&out, j, i)) : *fl_cell(&out, i, j);
    int failed = fl_cm_cholesky(&a);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            if (upper)
                *fl_cell(&out, j, i) = conj(*fl_cell(&a, i, j));
            else
                *fl_cell(&out, i, j) = *fl_cell(&a, i, j);
        }
    return failed;
}

/* Element (i, j) of the triangle as it is to be applied. */
static double complex triangle(const fl_cmatrix *a, int64_t transposed, int unit, int64_t i, int64_t j)
{
    if (i == j && unit) return 1;
    if (transposed == 'N') return *fl_cell(a, i, j);
    return transposed == 'C' ? conj(*fl_cell(a, j, i)) : *fl_cell(a, j, i);
}

int fl_call_solve_triangle(const fl_batch *b)
{
    const fl_cmatrix a = fl_batch_matrix(b->in[0], b->size['a'], b->size['a']),
                     x = fl_batch_matrix(b->out[0], b->size['m'], b->size['n']);
    const int64_t transposed = fl_batch_option(b, "trans_x", 'N');
    const int right = fl_batch_option(b, "side", 'L') == 'R', unit = fl_batch_option(b, "diag", 'N') == 'U';
    const int64_t lines = right ? x.rows : x.columns;
    int lower = fl_batch_option(b, "uplo", 'L') == 'L';
    if (a.rows != (right ? x.columns : x.rows)) return FL_BATCH_WRONG;
    if (transposed != 'N') lower = !lower;
    if (right) lower = !lower; /* x a = y reads a^T x^T = y^T */
    fl_batch_copy(x.at, b->in[1], x.rows * x.columns);
    for (int64_t line = 0; line < lines; line++)
        for (int64_t step = 0; step < a.rows; step++) {
            int64_t i = lower ? step : a.rows - 1 - step;
            double complex *to = right ? fl_cell(&x, line, i) : fl_cell(&x, i, line), sum = *to;
            for (int64_t done = 0; done < step; done++) {
                int64_t j = lower ? done : a.rows - 1 - done;
                double complex y = right ? *fl_cell(&x, line, j) : *fl_cell(&x, j, line);
                sum -= fl_times(triangle(&a, transposed, unit, right ? j : i, right ? i : j), y);
            }
            *to = sum / triangle(&a, transposed, unit, i, i);
        }
    return 0;
}

static int tridiagonal(const fl_batch *b, double complex *to, double least)
{
    const fl_cmatrix x = fl_batch_matrix(to, b->size['n'], b->size['r']);
    fl_batch_copy(x.at, b->in[3], x.rows * x.columns);
    return fl_cm_solve_tridiagonal(b->in[0], b->in[1], b->in[2], x.rows, &x, least);
}

int fl_call_solve_tridiagonal(const fl_batch *b)
{
    for (int i = 0; i < 3; i++) fl_batch_copy(b->out[i], b->in[i], b->size['n']);
    return tridiagonal(b, b->out[3], 0);
}

/* What is nearly singular is taken as a little less so: for inverse iteration. */
int fl_call_solve_perturbed(const fl_batch *b)
{
    double largest = 0;
    for (int i = 0; i < 3; i++)
        for (int64_t k = 0; k < b->size['n']; k++) largest = fmax(largest, cabs(b->in[i][k]));
    tridiagonal(b, b->out[0], fmax(b->epsilon * largest, DBL_MIN));
    return 0;
}
