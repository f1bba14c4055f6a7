/* Reflections and eliminations. */
#include "ref/matrix.h"

#include <math.h>

/* ---- reflections ---- */

double complex fl_cm_reflect(const fl_cmatrix *m, int64_t i, int64_t j)
{
    double norm = 0;
    double complex alpha = *fl_cell(m, i, j);
    for (int64_t r = i + 1; r < m->rows; r++) norm = hypot(norm, cabs(*fl_cell(m, r, j)));
    if (norm == 0 && cimag(alpha) == 0) return 0;
    double beta = -copysign(hypot(norm, cabs(alpha)), creal(alpha));
    double complex tau = (beta - alpha) / beta, scale = 1 / (alpha - beta);
    for (int64_t r = i + 1; r < m->rows; r++) *fl_cell(m, r, j) = fl_times(*fl_cell(m, r, j), scale);
    *fl_cell(m, i, j) = beta;
    for (int64_t c = j + 1; c < m->columns; c++) {
        double complex sum = *fl_cell(m, i, c);
        for (int64_t r = i + 1; r < m->rows; r++) sum += fl_times(conj(*fl_cell(m, r, j)), *fl_cell(m, r, c));
        sum = fl_times(sum, conj(tau));
        *fl_cell(m, i, c) -= sum;
        for (int64_t r = i + 1; r < m->rows; r++) *fl_cell(m, r, c) -= fl_times(sum, *fl_cell(m, r, j));
    }
    return tau;
}

static double complex vector_at(const fl_cmatrix *from, int64_t r, int64_t i, int64_t j)
{
    return r == i ? 1 : *fl_cell(from, r, j);
}

void fl_cm_reflect_rows(const fl_cmatrix *m, const fl_cmatrix *from, int64_t i, int64_t j, double complex tau)
{
    for (int64_t c = 0; c < m->columns; c++) {
        double complex sum = 0;
        for (int64_t r = i; r < m->rows; r++)
            sum += fl_times(conj(vector_at(from, r, i, j)), *fl_cell(m, r, c));
        sum = fl_times(sum, tau);
        for (int64_t r = i; r < m->rows; r++) *fl_cell(m, r, c) -= fl_times(sum, vector_at(from, r, i, j));
    }
}

void fl_cm_reflect_columns(const fl_cmatrix *m, const fl_cmatrix *from, int64_t i, int64_t j,
                           double complex tau)
{
    for (int64_t r = 0; r < m->rows; r++) {
        double complex sum = 0;
        for (int64_t c = i; c < m->columns; c++) sum += fl_times(*fl_cell(m, r, c), vector_at(from, c, i, j));
        sum = fl_times(sum, tau);
        for (int64_t c = i; c < m->columns; c++)
            *fl_cell(m, r, c) -= fl_times(sum, conj(vector_at(from, c, i, j)));
    }
}

void fl_cm_multiply_reflectors(const fl_cmatrix *v, const double complex *tau, int64_t count, int64_t below,
                               const fl_cmatrix *q)
{
    for (int64_t i = 0; i < q->rows; i++)
        for (int64_t j = 0; j < q->columns; j++) *fl_cell(q, i, j) = i == j;
    for (int64_t k = count; k-- > 0;) fl_cm_reflect_rows(q, v, k + below, k, tau[k]);
}

/* ---- elimination ---- */

static void swap_rows(const fl_cmatrix *m, int64_t a, int64_t b)
{
    for (int64_t j = 0; a != b && j < m->columns; j++) {
        double complex kept = *fl_cell(m, a, j);
        *fl_cell(m, a, j) = *fl_cell(m, b, j);
        *fl_cell(m, b, j) = kept;
    }
}

static double size_of(double complex z)
{
    return fabs(creal(z)) + fabs(cimag(z));
}

void fl_cm_eliminate(const fl_cmatrix *m, int64_t k, int64_t *pivot, int64_t *order)
{
    *pivot = k;
    for (int64_t i = k + 1; i < m->rows; i++)
        if (size_of(*fl_cell(m, i, k)) > size_of(*fl_cell(m, *pivot, k))) *pivot = i;
    swap_rows(m, k, *pivot);
    int64_t kept = order[k];
    order[k] = order[*pivot];
    order[*pivot] = kept;
    if (*fl_cell(m, k, k) == 0) return;
    for (int64_t i = k + 1; i < m->rows; i++) {
        double complex factor = *fl_cell(m, i, k) /= *fl_cell(m, k, k);
        for (int64_t j = k + 1; j < m->columns; j++) *fl_cell(m, i, j) -= fl_times(factor, *fl_cell(m, k, j));
    }
}

int fl_cm_cholesky(const fl_cmatrix *a)
{
    for (int64_t j = 0; j < a->rows; j++) {
        double d = creal(*fl_cell(a, j, j));
        for (int64_t k = 0; k < j; k++) {
            double complex x = *fl_cell(a, j, k);
            d -= creal(x) * creal(x) + cimag(x) * cimag(x);
        }
        if (!(d > 0)) return (int)(j + 1);
        *fl_cell(a, j, j) = d = sqrt(d);
        for (int64_t i = j + 1; i < a->rows; i++) {
            double complex sum = *fl_cell(a, i, j);
            for (int64_t k = 0; k < j; k++) sum -= fl_times(*fl_cell(a, i, k), conj(*fl_cell(a, j, k)));
            *fl_cell(a, i, j) = sum / d;
        }
    }
    return 0;
}

/* Exchanging rows i and i + 1 brings in a fourth diagonal, which takes the place of `low`. */
int fl_cm_solve_tridiagonal(double complex *low, double complex *middle, double complex *high, int64_t n,
                            const fl_cmatrix *right, double least)
{
    for (int64_t i = 0; i < n; i++) {
        double complex below = i + 1 < n ? low[i + 1] : 0;
        if (i + 1 < n) low[i] = 0; /* from here on: two columns to the right of the diagonal */
        if (i + 1 < n && size_of(below) > size_of(middle[i])) {
            double complex m = middle[i], h = high[i];
            middle[i] = below, high[i] = middle[i + 1];
            low[i] = i + 2 < n ? high[i + 1] : 0;
            middle[i + 1] = h;
            if (i + 2 < n) high[i + 1] = 0;
            below = m;
            swap_rows(right, i, i + 1);
        }
        if (size_of(middle[i]) <= least) {
            if (least == 0) return (int)(i + 1);
            middle[i] = creal(middle[i]) < 0 ? -least : least;
        }
        if (i + 1 == n) break;
        double complex factor = below / middle[i];
        middle[i + 1] -= fl_times(factor, high[i]);
        if (i + 2 < n) high[i + 1] -= fl_times(factor, low[i]);
        for (int64_t c = 0; c < right->columns; c++)
            *fl_cell(right, i + 1, c) -= fl_times(factor, *fl_cell(right, i, c));
    }
    for (int64_t i = n; i-- > 0;)
        for (int64_t c = 0; c < right->columns; c++) {
            double complex x = *fl_cell(right, i, c);
            if (i + 1 < n) x -= fl_times(high[i], *fl_cell(right, i + 1, c));
            if (i + 2 < n) x -= fl_times(low[i], *fl_cell(right, i + 2, c));
            *fl_cell(right, i, c) = x / middle[i];
        }
    return 0;
}
