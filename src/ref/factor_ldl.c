/* L D L^T and L D L^H of symmetric and Hermitian matrices (Bunch and Kaufman), as LAPACK's sytf2, hetf2, sytrs and hetrs with the
 * lower triangle: blocks of D have one or two rows. */
#include "ref/factor_calls.h"

#include <math.h>

static const double ALPHA = 0.6403882032022076; /* (1 + sqrt(17)) / 8 */

typedef struct ldl {
    fl_cmatrix a;
    int hermitian;
} ldl;

static double complex turned(const ldl *f, double complex x)
{
    return f->hermitian ? conj(x) : x;
}

static double size(double complex x)
{
    return fabs(creal(x)) + fabs(cimag(x));
}

static double diagonal_size(const ldl *f, int64_t i)
{
    const double complex x = *fl_cell(&f->a, i, i);
    return f->hermitian ? fabs(creal(x)) : size(x);
}

static void exchange(double complex *x, double complex *y)
{
    const double complex kept = *x;
    *x = *y;
    *y = kept;
}

/* The largest number of column k below the diagonal: its size, and its row. */
static double column_size(const ldl *f, int64_t k, int64_t *row)
{
    double most = 0;
    *row = k;
    for (int64_t i = k + 1; i < f->a.rows; i++)
        if (size(*fl_cell(&f->a, i, k)) > most) most = size(*fl_cell(&f->a, i, k)), *row = i;
    return most;
}

/* The largest number beside the diagonal of what row i is from column k on. */
static double row_size(const ldl *f, int64_t i, int64_t k)
{
    double most = 0;
    for (int64_t j = k; j < f->a.rows; j++)
        if (j != i) most = fmax(most, size(j < i ? *fl_cell(&f->a, i, j) : *fl_cell(&f->a, j, i)));
    return most;
}

/* How many rows the block at k has, and which row and column come to its last place. 0: the column is zero. */
static int choose(const ldl *f, int64_t k, int64_t *from)
{
    int64_t row;
    const double here = diagonal_size(f, k), below = column_size(f, k, &row);
    *from = k;
    if (fmax(here, below) == 0 || isnan(here)) return 0;
    if (here >= ALPHA * below) return 1;
    const double most = row_size(f, row, k);
    if (here >= ALPHA * below * (below / most)) return 1;
    *from = row;
    return diagonal_size(f, row) >= ALPHA * most ? 1 : 2;
}

/* Rows and columns `to` and `from` > to of the part that is not factored; of a block of two rows also its first column. */
static void interchange(const ldl *f, int64_t to, int64_t from, int rows)
{
    const fl_cmatrix *a = &f->a;
    for (int64_t i = from + 1; i < a->rows; i++) exchange(fl_cell(a, i, to), fl_cell(a, i, from));
    for (int64_t j = to + 1; j < from; j++) {
        exchange(fl_cell(a, j, to), fl_cell(a, from, j));
        *fl_cell(a, j, to) = turned(f, *fl_cell(a, j, to));
        *fl_cell(a, from, j) = turned(f, *fl_cell(a, from, j));
    }
    *fl_cell(a, from, to) = turned(f, *fl_cell(a, from, to));
    exchange(fl_cell(a, to, to), fl_cell(a, from, from));
    if (rows == 2) exchange(fl_cell(a, to, to - 1), fl_cell(a, from, to - 1));
}

static void make_real(const ldl *f, int64_t i)
{
    if (f->hermitian) *fl_cell(&f->a, i, i) = creal(*fl_cell(&f->a, i, i));
}

static void eliminate_one(const ldl *f, int64_t k)
{
    const fl_cmatrix *a = &f->a;
    const double complex inverse = 1 / *fl_cell(a, k, k);
    for (int64_t j = k + 1; j < a->rows; j++) {
        const double complex factor = fl_times(inverse, turned(f, *fl_cell(a, j, k)));
        for (int64_t i = j; i < a->rows; i++) *fl_cell(a, i, j) -= fl_times(*fl_cell(a, i, k), factor);
        make_real(f, j);
    }
    for (int64_t i = k + 1; i < a->rows; i++) *fl_cell(a, i, k) = fl_times(*fl_cell(a, i, k), inverse);
}

static void eliminate_two(const ldl *f, int64_t k)
{
    const fl_cmatrix *a = &f->a;
    const double complex beside = *fl_cell(a, k + 1, k);
    const double complex first = *fl_cell(a, k + 1, k + 1) / beside,
                         second = *fl_cell(a, k, k) / turned(f, beside);
    const double complex inverse = 1 / (fl_times(first, second) - 1);
    for (int64_t j = k + 2; j < a->rows; j++) {
        const double complex x = *fl_cell(a, j, k), y = *fl_cell(a, j, k + 1);
        const double complex w = fl_times(inverse, fl_times(first, x) - y) / turned(f, beside),
                             v = fl_times(inverse, fl_times(second, y) - x) / beside;
        for (int64_t i = j; i < a->rows; i++)
            *fl_cell(a, i, j) -=
                fl_times(*fl_cell(a, i, k), turned(f, w)) + fl_times(*fl_cell(a, i, k + 1), turned(f, v));
        make_real(f, j);
        *fl_cell(a, j, k) = w, *fl_cell(a, j, k + 1) = v;
    }
}

static int factor(const fl_batch *b, int hermitian)
{
    const int64_t n = b->size['n'];
    const ldl f = {fl_batch_matrix(b->out[0], n, n), hermitian};
    int info = 0;
    fl_batch_copy(f.a.at, b->in[0], n * n);
    for (int64_t k = 0, rows; k < n; k += rows) {
        int64_t from;
        const int chosen = choose(&f, k, &from);
        rows = chosen == 2 ? 2 : 1;
        if (from != k + rows - 1) interchange(&f, k + rows - 1, from, (int)rows);
        for (int64_t i = k; i < k + rows; i++) {
            make_real(&f, i);
            b->out[1][i] = rows == 1 ? (double)(from + 1) : -(double)(from + 1);
        }
        if (!chosen && !info) info = (int)k + 1;
        if (chosen == 1) eliminate_one(&f, k);
        if (chosen == 2) eliminate_two(&f, k);
    }
    return info;
}

int fl_call_ldl(const fl_batch *b)
{
    return factor(b, 0);
}

int fl_call_hermitian_ldl(const fl_batch *b)
{
    return factor(b, 1);
}

/* ---- solutions ---- */

static void exchange_rows(const fl_cmatrix *x, int64_t i, int64_t j)
{
    for (int64_t c = 0; i != j && c < x->columns; c++) exchange(fl_cell(x, i, c), fl_cell(x, j, c));
}

/* Row i of x times column k of L goes from the rows below `last`. */
static void subtract_below(const ldl *f, const fl_cmatrix *x, int64_t k, int64_t last)
{
    for (int64_t i = last + 1; i < x->rows; i++)
        for (int64_t c = 0; c < x->columns; c++)
            *fl_cell(x, i, c) -= fl_times(*fl_cell(&f->a, i, k), *fl_cell(x, k, c));
}

/* The rows below `last` times column k of L go from row k. */
static void subtract_above(const ldl *f, const fl_cmatrix *x, int64_t k, int64_t last)
{
    for (int64_t i = last + 1; i < x->rows; i++)
        for (int64_t c = 0; c < x->columns; c++)
            *fl_cell(x, k, c) -= fl_times(turned(f, *fl_cell(&f->a, i, k)), *fl_cell(x, i, c));
}

static void divide_two(const ldl *f, const fl_cmatrix *x, int64_t k)
{
    const double complex beside = *fl_cell(&f->a, k + 1, k), across = turned(f, beside);
    const double complex first = *fl_cell(&f->a, k, k) / across,
                         second = *fl_cell(&f->a, k + 1, k + 1) / beside;
    const double complex determinant = fl_times(first, second) - 1;
    for (int64_t c = 0; c < x->columns; c++) {
        const double complex u = *fl_cell(x, k, c) / across, v = *fl_cell(x, k + 1, c) / beside;
        *fl_cell(x, k, c) = (fl_times(second, u) - v) / determinant;
        *fl_cell(x, k + 1, c) = (fl_times(first, v) - u) / determinant;
    }
}

/* Whether pivots name rows of the matrix, and those below 0 stand in pairs. They come from the caller. */
static int are_pivots(const double complex *pivots, int64_t n)
{
    int paired = 0;
    for (int64_t k = 0; k < n; k++) {
        const double row = creal(pivots[k]);
        if (fabs(row) < 1 || fabs(row) > (double)n || (paired && row > 0)) return 0;
        paired = row < 0 && !paired;
    }
    return !paired;
}

static int solve(const fl_batch *b, int hermitian)
{
    const int64_t n = b->size['n'];
    const ldl f = {fl_batch_matrix(b->in[0], n, n), hermitian};
    const fl_cmatrix x = fl_batch_matrix(b->out[0], n, b->size['r']);
    const double complex *pivots = b->in[1];
    if (!are_pivots(pivots, n)) return FL_BATCH_WRONG;
    fl_batch_copy(x.at, b->in[2], n * x.columns);
    for (int64_t k = 0; k < n; k++) {
        const int64_t from = (int64_t)fabs(creal(pivots[k])) - 1, last = creal(pivots[k]) < 0 ? k + 1 : k;
        exchange_rows(&x, last, from);
        for (int64_t i = k; i <= last; i++) subtract_below(&f, &x, i, last);
        if (last > k) divide_two(&f, &x, k);
        for (int64_t c = 0; last == k && c < x.columns; c++) *fl_cell(&x, k, c) /= *fl_cell(&f.a, k, k);
        k = last;
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        const int64_t from = (int64_t)fabs(creal(pivots[k])) - 1, first = creal(pivots[k]) < 0 ? k - 1 : k;
        for (int64_t i = first; i <= k; i++) subtract_above(&f, &x, i, k);
        exchange_rows(&x, k, from);
        k = first;
    }
    return 0;
}

int fl_call_solve_ldl(const fl_batch *b)
{
    return solve(b, 0);
}

int fl_call_solve_hermitian_ldl(const fl_batch *b)
{
    return solve(b, 1);
}
