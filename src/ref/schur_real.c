/* Schur's form of real matrices in real numbers: triangular but for blocks of two by two, one for each pair of conjugate eigenvalues, in
 * which both diagonal elements are equal. Reflections to Hessenberg's form, then Francis's double steps. */
#include "ref/matrix.h"

#include <float.h>
#include <math.h>

enum { MOST_STEPS = 60 }; /* for one eigenvalue */

typedef struct form {
    int64_t n;
    double *t, *z; /* row by row */
    double norm;
} form;

static double *at(double *m, const form *f, int64_t i, int64_t j)
{
    return m + i * f->n + j;
}

/* I - v v' scale, on `count` rows from `first` of t and columns of t and z; v[0] is 1 or the vector is nothing. */
static void reflect(const form *f, const double *v, double scale, int64_t first, int64_t count)
{
    for (int64_t j = 0; j < f->n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < count; i++) sum += v[i] * *at(f->t, f, first + i, j);
        for (int64_t i = 0; i < count; i++) *at(f->t, f, first + i, j) -= scale * sum * v[i];
    }
    for (int both = 0; both < 2; both++)
        for (int64_t i = 0; i < f->n; i++) {
            double *row = at(both ? f->z : f->t, f, i, first), sum = 0;
            for (int64_t k = 0; k < count; k++) sum += v[k] * row[k];
            for (int64_t k = 0; k < count; k++) row[k] -= scale * sum * v[k];
        }
}

/* Makes v the reflection that leaves only its first element; the scale of it. */
static double make_reflection(double *v, int64_t count)
{
    double norm = 0, rest = 0;
    for (int64_t i = 0; i < count; i++) norm = hypot(norm, v[i]);
    for (int64_t i = 1; i < count; i++) rest = hypot(rest, v[i]);
    if (rest == 0) return 0;
    double first = v[0] + copysign(norm, v[0]);
    for (int64_t i = 1; i < count; i++) v[i] /= first;
    v[0] = 1;
    return fabs(first) / norm;
}

static void to_hessenberg(const form *f, double *v)
{
    for (int64_t k = 0; k + 2 < f->n; k++) {
        int64_t count = f->n - k - 1;
        for (int64_t i = 0; i < count; i++) v[i] = *at(f->t, f, k + 1 + i, k);
        double scale = make_reflection(v, count);
        if (scale != 0) reflect(f, v, scale, k + 1, count);
        for (int64_t i = 1; i < count; i++) *at(f->t, f, k + 1 + i, k) = 0;
    }
}

/* Rows and columns i and i + 1 turned by cosine and sine. */
static void turn(const form *f, int64_t i, double c, double s)
{
    for (int64_t j = 0; j < f->n; j++) {
        double *x = at(f->t, f, i, j), *y = at(f->t, f, i + 1, j), a = *x, b = *y;
        *x = c * a + s * b;
        *y = c * b - s * a;
    }
    for (int both = 0; both < 2; both++)
        for (int64_t k = 0; k < f->n; k++) {
            double *row = at(both ? f->z : f->t, f, k, i), a = row[0], b = row[1];
            row[0] = c * a + s * b;
            row[1] = c * b - s * a;
        }
}

/* A block of two by two that is left over: triangular if its eigenvalues are real, else of equal diagonal elements. */
static void finish_block(const form *f, int64_t i)
{
    double *a = at(f->t, f, i, i), *c = at(f->t, f, i + 1, i), *b = a + 1, *d = c + 1;
    double p = 0.5 * (*a - *d), scale = fmax(fabs(p), fmax(fabs(*b), fabs(*c)));
    if (*c == 0 || (p == 0 && (*b > 0) != (*c > 0) && *b != 0)) return;
    double q = p / scale * p + *b / scale * *c; /* the discriminant, scaled */
    if (q >= 0) {
        double root = p + copysign(sqrt(scale) * sqrt(q), p), length = hypot(*c, root);
        turn(f, i, root / length, *c / length);
        *c = 0;
        return;
    }
    double sigma = *b + *c, length = hypot(sigma, 2 * p), cosine = sqrt(0.5 * (1 + fabs(sigma) / length));
    turn(f, i, cosine, -(p / (length * cosine)) * copysign(1, sigma));
    *a = *d = 0.5 * (*a + *d);
}

/* Where the block that ends with row `last` begins. */
static int64_t find_start(const form *f, int64_t last)
{
    for (int64_t i = last; i > 0; i--) {
        double *x = at(f->t, f, i, i - 1), size = fabs(*at(f->t, f, i - 1, i - 1)) + fabs(*at(f->t, f, i, i));
        if (size == 0) size = f->norm;
        if (fabs(*x) > DBL_EPSILON * size) continue;
        *x = 0;
        return i;
    }
    return 0;
}

/* Two steps at once, whose shifts are the eigenvalues of the last two by two; now and then others. */
static void double_step(const form *f, int64_t first, int64_t last, int count)
{
    double *const t = f->t, a = *at(t, f, last - 1, last - 1), d = *at(t, f, last, last),
                  bc = *at(t, f, last - 1, last) * *at(t, f, last, last - 1);
    double sum = a + d, product = a * d - bc;
    if (count % 10 == 0) {
        double off = fabs(*at(t, f, last, last - 1)) + fabs(*at(t, f, last - 1, last - 2));
        sum = 1.5 * off;
        product = off * off;
    }
    double h00 = *at(t, f, first, first), h10 = *at(t, f, first + 1, first),
           h01 = *at(t, f, first, first + 1), h11 = *at(t, f, first + 1, first + 1),
           h21 = *at(t, f, first + 2, first + 1);
    double v[3] = {h00 * h00 + h01 * h10 - sum * h00 + product, h10 * (h00 + h11 - sum), h10 * h21};
    for (int64_t k = first; k < last; k++) {
        int64_t size = last - k + 1 < 3 ? last - k + 1 : 3;
        double scale = make_reflection(v, size);
        if (scale != 0) reflect(f, v, scale, k, size);
        for (int64_t i = k + 1; k > first && i < k + size; i++) *at(t, f, i, k - 1) = 0;
        for (int64_t i = 0; i < 3 && k + 1 + i <= last; i++) v[i] = *at(t, f, k + 1 + i, k);
    }
}

int fl_real_schur(int64_t n, double *t, double *z, double *scratch)
{
    form f = {.n = n, .t = t, .z = z};
    for (int64_t i = 0; i < n * n; i++) f.norm = fmax(f.norm, fabs(t[i]));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) *at(z, &f, i, j) = i == j;
    to_hessenberg(&f, scratch);
    int steps = 0;
    for (int64_t last = n - 1; last > 0;) {
        int64_t first = find_start(&f, last);
        if (last - first < 2) {
            if (first < last) finish_block(&f, first);
            last = first - 1;
            steps = 0;
        } else if (++steps > MOST_STEPS) {
            return (int)last + 1;
        } else {
            double_step(&f, first, last, steps);
        }
    }
    return 0;
}
