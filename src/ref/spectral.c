/* Eigenvalues and singular values: Jacobi's methods for Hermitian matrices and for singular values, shifted QR for the others. */
#include "ref/matrix.h"

#include <math.h>

enum { MOST_SWEEPS = 60, MOST_STEPS = 60 };

/* ---- Jacobi ---- */

/* Columns p and q of m times the unitary [[c, s], [-u s, u c]]. */
static void turn_columns(const fl_cmatrix *m, int64_t p, int64_t q, double c, double s, double complex u)
{
    for (int64_t i = 0; i < m->rows; i++) {
        double complex x = *fl_cell(m, i, p), y = fl_times(u, *fl_cell(m, i, q));
        *fl_cell(m, i, p) = c * x - s * y;
        *fl_cell(m, i, q) = s * x + c * y;
    }
}

static void turn_rows(const fl_cmatrix *m, int64_t p, int64_t q, double c, double s, double complex u)
{
    for (int64_t j = 0; j < m->columns; j++) {
        double complex x = *fl_cell(m, p, j), y = fl_times(conj(u), *fl_cell(m, q, j));
        *fl_cell(m, p, j) = c * x - s * y;
        *fl_cell(m, q, j) = s * x + c * y;
    }
}

/* The turn that makes [[a, b], [conj b, d]] diagonal. */
static void find_turn(double a, double d, double complex b, double *c, double *s, double complex *u)
{
    double size = cabs(b), theta = (d - a) / (2 * size);
    double t = copysign(1, theta) / (fabs(theta) + hypot(1, theta));
    *c = 1 / sqrt(1 + t * t);
    *s = t * *c;
    *u = conj(b) / size;
}

static void set_identity(const fl_cmatrix *m)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->columns; j++) *fl_cell(m, i, j) = i == j;
}

static double norm_of(const fl_cmatrix *a)
{
    double norm = 0;
    for (int64_t i = 0; i < a->rows * a->columns; i++) norm = hypot(norm, cabs(a->at[i]));
    return norm;
}

void fl_cm_make_hermitian(const fl_cmatrix *a, int lower)
{
    for (int64_t i = 0; i < a->rows; i++) {
        *fl_cell(a, i, i) = creal(*fl_cell(a, i, i));
        for (int64_t j = 0; j < i; j++) {
            if (lower)
                *fl_cell(a, j, i) = conj(*fl_cell(a, i, j));
            else
                *fl_cell(a, i, j) = conj(*fl_cell(a, j, i));
        }
    }
}

void fl_cm_diagonalize(const fl_cmatrix *a, const fl_cmatrix *v)
{
    const int64_t n = a->rows;
    const double norm = norm_of(a);
    set_identity(v);
    for (int sweep = 0, turned = 1; turned && sweep < MOST_SWEEPS; sweep++) {
        turned = 0;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                double c, s;
                double complex u, b = *fl_cell(a, p, q);
                if (!(cabs(b) > 1e-17 * norm)) continue;
                find_turn(creal(*fl_cell(a, p, p)), creal(*fl_cell(a, q, q)), b, &c, &s, &u);
                turn_columns(a, p, q, c, s, u);
                turn_rows(a, p, q, c, s, u);
                turn_columns(v, p, q, c, s, u);
                *fl_cell(a, p, q) = *fl_cell(a, q, p) = 0;
                turned = 1;
            }
    }
}

static void swap_columns(const fl_cmatrix *m, int64_t p, int64_t q)
{
    for (int64_t r = 0; p != q && r < m->rows; r++) {
        double complex kept = *fl_cell(m, r, p);
        *fl_cell(m, r, p) = *fl_cell(m, r, q);
        *fl_cell(m, r, q) = kept;
    }
}

void fl_cm_sort_ascending(const fl_cmatrix *a, const fl_cmatrix *v)
{
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t first = i;
        for (int64_t j = i + 1; j < a->rows; j++)
            if (creal(*fl_cell(a, j, j)) < creal(*fl_cell(a, first, first))) first = j;
        double complex kept = *fl_cell(a, i, i);
        *fl_cell(a, i, i) = *fl_cell(a, first, first);
        *fl_cell(a, first, first) = kept;
        swap_columns(v, i, first);
    }
}

/* ---- singular values ---- */

static double complex product(const fl_cmatrix *m, int64_t p,
                              int64_t q) /* of column p, conjugated, and column q */
{
    double complex sum = 0;
    for (int64_t i = 0; i < m->rows; i++) sum += fl_times(conj(*fl_cell(m, i, p)), *fl_cell(m, i, q));
    return sum;
}

void fl_cm_orthogonalize(const fl_cmatrix *w, const fl_cmatrix *v, double complex *lengths)
{
    const int64_t n = w->columns;
    set_identity(v);
    for (int sweep = 0, turned = 1; turned && sweep < MOST_SWEEPS; sweep++) {
        turned = 0;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                double c, s, a = creal(product(w, p, p)), d = creal(product(w, q, q));
                double complex u, b = product(w, p, q);
                if (!(cabs(b) > 1e-16 * sqrt(a) * sqrt(d)) || cabs(b) < 1e-300) continue;
                find_turn(a, d, b, &c, &s, &u);
                turn_columns(w, p, q, c, s, u);
                turn_columns(v, p, q, c, s, u);
                turned = 1;
            }
    }
    for (int64_t i = 0; i < n; i++) lengths[i] = sqrt(creal(product(w, i, i)));
    for (int64_t i = 0; i < n; i++) {
        int64_t first = i;
        for (int64_t j = i + 1; j < n; j++)
            if (creal(lengths[j]) > creal(lengths[first])) first = j;
        double complex kept = lengths[i];
        lengths[i] = lengths[first];
        lengths[first] = kept;
        swap_columns(w, i, first);
        swap_columns(v, i, first);
    }
}

/* What is left of the axis `axis` beside the first `count` columns, in column `count`; its squared length. */
static double beside(const fl_cmatrix *u, int64_t count, int64_t axis)
{
    for (int64_t i = 0; i < u->rows; i++) *fl_cell(u, i, count) = i == axis;
    for (int twice = 0; twice < 2; twice++)
        for (int64_t k = 0; k < count; k++) {
            double complex along = product(u, k, count);
            for (int64_t i = 0; i < u->rows; i++) *fl_cell(u, i, count) -= fl_times(along, *fl_cell(u, i, k));
        }
    return creal(product(u, count, count));
}

/* Some axis has a part beside the others of at least the share of dimensions that they leave. */
void fl_cm_complete(const fl_cmatrix *u, int64_t first)
{
    for (int64_t k = first, axis = 0; k < u->columns; k++) {
        double enough = 0.5 * (double)(u->rows - k) / (double)u->rows, square = 0;
        for (int64_t tries = 0; tries < u->rows && !(square >= enough); tries++, axis = (axis + 1) % u->rows)
            square = beside(u, k, axis);
        for (int64_t i = 0; i < u->rows; i++) *fl_cell(u, i, k) /= sqrt(square);
    }
}

/* ---- Schur's form ---- */

static void to_hessenberg(const fl_cmatrix *a, const fl_cmatrix *z, double complex *tau)
{
    const int64_t n = a->rows, count = n > 1 ? n - 1 : 0;
    for (int64_t k = 0; k < count; k++) {
        tau[k] = fl_cm_reflect(a, k + 1, k);
        fl_cm_reflect_columns(a, a, k + 1, k, tau[k]);
    }
    fl_cm_multiply_reflectors(a, tau, count, 1, z);
    for (int64_t i = 2; i < n; i++)
        for (int64_t j = 0; j + 1 < i; j++) *fl_cell(a, i, j) = 0;
}

/* The eigenvalue of the last two rows' corner that is closer to the last number. */
static double complex shift_of(const fl_cmatrix *a, int64_t last, int step)
{
    double complex p = *fl_cell(a, last - 1, last - 1), s = *fl_cell(a, last, last);
    double complex q = fl_times(*fl_cell(a, last - 1, last), *fl_cell(a, last, last - 1));
    if (step % 10 == 0) return s + cabs(*fl_cell(a, last, last - 1)); /* out of a circle */
    double complex half = (p - s) / 2, root = csqrt(fl_times(half, half) + q);
    if (creal(fl_times(conj(half), root)) < 0) root = -root;
    double complex sum = half + root;
    return sum == 0 ? s : s - q / sum;
}

/* One step of QR on rows first..last; `turns` keeps a sine and a cosine for each. */
static void qr_step(const fl_cmatrix *a, const fl_cmatrix *z, int64_t first, int64_t last,
                    double complex shift, double complex *turns)
{
    for (int64_t k = first; k <= last; k++) *fl_cell(a, k, k) -= shift;
    for (int64_t k = first; k <= last; k++) {
        if (k < last) { /* rows k and k + 1 */
            double complex x = *fl_cell(a, k, k), y = *fl_cell(a, k + 1, k);
            double r = hypot(cabs(x), cabs(y)), c = r > 0 ? cabs(x) / r : 1;
            double complex s = r > 0 ? fl_times(x == 0 ? 1 : x / cabs(x), conj(y)) / r : 0;
            turns[2 * k] = s;
            turns[2 * k + 1] = c;
            for (int64_t j = k; j < a->columns; j++) {
                double complex u = *fl_cell(a, k, j), v = *fl_cell(a, k + 1, j);
                *fl_cell(a, k, j) = c * u + fl_times(s, v);
                *fl_cell(a, k + 1, j) = c * v - fl_times(conj(s), u);
            }
        }
        if (k == first) continue;
        double complex s = turns[2 * k - 2]; /* columns k - 1 and k, of which the rows above are done */
        double c = creal(turns[2 * k - 1]);
        const fl_cmatrix *both[] = {a, z};
        for (int which = 0; which < 2; which++)
            for (int64_t i = 0, n = which ? z->rows : k + 1; i < n; i++) {
                double complex *u = fl_cell(both[which], i, k - 1), *v = fl_cell(both[which], i, k), x = *u,
                               y = *v;
                *u = c * x + fl_times(conj(s), y);
                *v = c * y - fl_times(s, x);
            }
    }
    for (int64_t k = first; k <= last; k++) *fl_cell(a, k, k) += shift;
}

static int64_t active_from(const fl_cmatrix *a, int64_t last)
{
    int64_t first = last;
    for (; first > 0; first--) {
        double around = cabs(*fl_cell(a, first, first)) + cabs(*fl_cell(a, first - 1, first - 1));
        if (around == 0) around = norm_of(a);
        if (cabs(*fl_cell(a, first, first - 1)) <= 1.2e-16 * around) {
            *fl_cell(a, first, first - 1) = 0;
            break;
        }
    }
    return first;
}

int fl_cm_schur(const fl_cmatrix *a, const fl_cmatrix *z, double complex *scratch)
{
    to_hessenberg(a, z, scratch);
    int steps = 0;
    for (int64_t last = a->rows - 1; last > 0;) {
        int64_t first = active_from(a, last);
        if (first == last) {
            last--;
            steps = 0;
            continue;
        }
        if (++steps > MOST_STEPS) return (int)(last + 1);
        qr_step(a, z, first, last, shift_of(a, last, steps), scratch);
    }
    return 0;
}

/* Of length 1, the largest number real. */
static void normalize_column(const fl_cmatrix *m, int64_t j)
{
    double norm = 0;
    double complex largest = 1;
    for (int64_t i = 0; i < m->rows; i++) {
        double complex x = *fl_cell(m, i, j);
        if (i == 0 || cabs(x) > cabs(largest) * (1 + 1e-12)) largest = x;
        norm = hypot(norm, cabs(x));
    }
    if (norm == 0 || largest == 0) return;
    double complex scale = conj(largest) / cabs(largest) / norm;
    for (int64_t i = 0; i < m->rows; i++) *fl_cell(m, i, j) = fl_times(scale, *fl_cell(m, i, j));
}

void fl_cm_eigenvectors(const fl_cmatrix *t, const fl_cmatrix *z, int left, const fl_cmatrix *out,
                        double complex *sums)
{
    const int64_t n = t->rows;
    const double least = fmax(2.3e-16 * norm_of(t), 1e-290);
    for (int64_t j = 0; j < n; j++) {
        /* In the basis of t: column j of `out`, of which rows 0..j (right) or j..n-1 (left, conjugated) are not 0. */
        for (int64_t i = 0; i < n; i++) *fl_cell(out, i, j) = i == j;
        for (int64_t step = 1; step <= (left ? n - 1 - j : j); step++) {
            int64_t i = left ? j + step : j - step;
            double complex sum = 0, gap = *fl_cell(t, i, i) - *fl_cell(t, j, j);
            if (left)
                for (int64_t k = j; k < i; k++) sum += fl_times(*fl_cell(out, k, j), *fl_cell(t, k, i));
            else
                for (int64_t k = i + 1; k <= j; k++) sum += fl_times(*fl_cell(t, i, k), *fl_cell(out, k, j));
            *fl_cell(out, i, j) = -sum / (cabs(gap) < least ? least : gap);
        }
        if (left)
            for (int64_t i = j; i < n; i++) *fl_cell(out, i, j) = conj(*fl_cell(out, i, j));
    }
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++) {
            sums[i] = 0;
            for (int64_t k = left ? j : 0; k < (left ? n : j + 1); k++)
                sums[i] += fl_times(*fl_cell(z, i, k), *fl_cell(out, k, j));
        }
        for (int64_t i = 0; i < n; i++) *fl_cell(out, i, j) = sums[i];
        normalize_column(out, j);
    }
}
