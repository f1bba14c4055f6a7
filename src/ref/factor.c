/* Factorizations that JAX writes as custom calls: QR, LU, eigenvalues of Hermitian matrices. In complex double throughout, with
 * LAPACK's conventions; matrices are the last two dimensions, the others count batches. */
#include "ref/factor.h"

#include "ref/interp.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SWEEPS = 60 };

typedef struct matrix {
    int64_t rows, columns;
    double complex *at; /* row by row */
} matrix;

static double complex *cell(const matrix *m, int64_t i, int64_t j)
{
    return &m->at[i * m->columns + j];
}

/* C's product tests for infinities; the plain formula is meant here. */
static double complex times(double complex a, double complex b)
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

static void load(const fl_tensor *t, int64_t base, double complex *to, int64_t count)
{
    int is_complex = fl_is_complex((fl_dtype)t->type->dtype);
    for (int64_t i = 0; i < count; i++) {
        fl_scalar s = fl_get(t, base + i);
        to[i] = is_complex ? fl_scalar_complex(s) : s.re;
    }
}

static void store(const fl_tensor *t, int64_t base, const double complex *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++) fl_set(t, base + i, fl_complex_scalar(from[i]));
}

static int is_number(const fl_type *t)
{
    return fl_is_float((fl_dtype)t->dtype) || fl_is_complex((fl_dtype)t->dtype);
}

/* Whether t is of the element type and batch of `like`, with these dimensions at its end. */
static int fits(const fl_type *t, const fl_type *like, int dtype, const int64_t *last, int count)
{
    if (t->dtype != dtype || t->rank != like->rank - 2 + count) return 0;
    for (int d = 0; d < like->rank - 2; d++)
        if (t->dims[d] != like->dims[d]) return 0;
    return !count || !memcmp(&t->dims[like->rank - 2], last, (size_t)count * sizeof *last);
}

/* The first operand's matrices: `work` has room for one, and for `extra` numbers more. */
static fl_status begin(const fl_custom_args *args, uint32_t in, uint32_t out, int64_t extra, matrix *m,
                       int64_t *batches)
{
    FL_CHECK(args->in_count == in && args->out_count == out, FL_INVALID,
             "expected %u operands and %u results, got %u and %u", in, out, args->in_count, args->out_count);
    const fl_type *t = args->in->type;
    FL_CHECK(t->rank >= 2 && is_number(t), FL_INVALID, "expected matrices of real or complex numbers");
    m->rows = t->dims[t->rank - 2];
    m->columns = t->dims[t->rank - 1];
    *batches = 1;
    for (int d = 0; d < t->rank - 2; d++) *batches *= t->dims[d];
    m->at = calloc((size_t)(m->rows * m->columns + extra * m->rows + m->columns) + 1, sizeof *m->at);
    FL_CHECK(m->at, FL_OOM, "no memory for a matrix of %lld by %lld", (long long)m->rows,
             (long long)m->columns);
    return NULL;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- QR ---- */

/* Makes column k zero below the diagonal by I - conj(tau) v v^H, leaves v there (v_k = 1 is implied), and returns tau. */
static double complex reflect(const matrix *m, int64_t k)
{
    double norm = 0;
    double complex alpha = *cell(m, k, k);
    for (int64_t i = k + 1; i < m->rows; i++) norm = hypot(norm, cabs(*cell(m, i, k)));
    if (norm == 0 && cimag(alpha) == 0) return 0;
    double beta = -copysign(hypot(norm, cabs(alpha)), creal(alpha));
    double complex tau = (beta - alpha) / beta, scale = 1 / (alpha - beta);
    for (int64_t i = k + 1; i < m->rows; i++) *cell(m, i, k) = times(*cell(m, i, k), scale);
    *cell(m, k, k) = beta;
    for (int64_t j = k + 1; j < m->columns; j++) {
        double complex sum = *cell(m, k, j);
        for (int64_t i = k + 1; i < m->rows; i++) sum += times(conj(*cell(m, i, k)), *cell(m, i, j));
        sum = times(sum, conj(tau));
        *cell(m, k, j) -= sum;
        for (int64_t i = k + 1; i < m->rows; i++) *cell(m, i, j) -= times(sum, *cell(m, i, k));
    }
    return tau;
}

fl_status fl_custom_qr(const fl_custom_args *args)
{
    matrix m;
    int64_t batches;
    FL_TRY(begin(args, 1, 2, 0, &m, &batches));
    int64_t count = least(m.rows, m.columns), size = m.rows * m.columns;
    double complex *tau = m.at + size;
    int good = fl_type_equal(args->in->type, args->out[0].type) &&
               fits(args->out[1].type, args->in->type, args->in->type->dtype, &count, 1);
    for (int64_t b = 0; good && b < batches; b++) {
        load(args->in, b * size, m.at, size);
        for (int64_t k = 0; k < count; k++) tau[k] = reflect(&m, k);
        store(&args->out[0], b * size, m.at, size);
        store(&args->out[1], b * count, tau, count);
    }
    free(m.at);
    FL_CHECK(good, FL_INVALID, "expected results of the operand's type and of %lld numbers a matrix",
             (long long)count);
    return NULL;
}

/* The first columns of H_0 H_1 ... applied to the identity, from the last reflector to the first. */
static void multiply_reflectors(const matrix *v, const double complex *tau, int64_t count, const matrix *q)
{
    for (int64_t i = 0; i < q->rows; i++)
        for (int64_t j = 0; j < q->columns; j++) *cell(q, i, j) = i == j;
    for (int64_t k = count; k-- > 0;)
        for (int64_t j = 0; j < q->columns; j++) {
            double complex sum = *cell(q, k, j);
            for (int64_t i = k + 1; i < q->rows; i++) sum += times(conj(*cell(v, i, k)), *cell(q, i, j));
            sum = times(sum, tau[k]);
            *cell(q, k, j) -= sum;
            for (int64_t i = k + 1; i < q->rows; i++) *cell(q, i, j) -= times(sum, *cell(v, i, k));
        }
}

fl_status fl_custom_householder(const fl_custom_args *args)
{
    matrix m;
    int64_t batches;
    FL_TRY(begin(
        args, 2, 1,
        args->in_count ? args->in->type->dims[args->in->type->rank > 0 ? args->in->type->rank - 1 : 0] : 0,
        &m, &batches));
    const fl_type *t = args->in[1].type;
    int64_t size = m.rows * m.columns, count = t->rank ? t->dims[t->rank - 1] : 0;
    matrix q = {m.rows, m.columns, m.at + size};
    double complex *tau = q.at + size;
    int good = count <= least(m.rows, m.columns) &&
               fits(t, args->in->type, args->in->type->dtype, &count, 1) &&
               fl_type_equal(args->in->type, args->out->type);
    for (int64_t b = 0; good && b < batches; b++) {
        load(args->in, b * size, m.at, size);
        load(&args->in[1], b * count, tau, count);
        multiply_reflectors(&m, tau, count, &q);
        store(args->out, b * size, q.at, size);
    }
    free(m.at);
    FL_CHECK(good, FL_INVALID, "expected reflectors, their factors, and a result of the reflectors' type");
    return NULL;
}

/* ---- LU ---- */

static void swap_rows(const matrix *m, int64_t a, int64_t b)
{
    for (int64_t j = 0; a != b && j < m->columns; j++) {
        double complex kept = *cell(m, a, j);
        *cell(m, a, j) = *cell(m, b, j);
        *cell(m, b, j) = kept;
    }
}

static double size_of(double complex z)
{
    return fabs(creal(z)) + fabs(cimag(z));
}

/* Row exchanges are applied to `order`, too; a column of zeros stays. */
static void eliminate(const matrix *m, int64_t k, int64_t *pivot, int64_t *order)
{
    *pivot = k;
    for (int64_t i = k + 1; i < m->rows; i++)
        if (size_of(*cell(m, i, k)) > size_of(*cell(m, *pivot, k))) *pivot = i;
    swap_rows(m, k, *pivot);
    int64_t kept = order[k];
    order[k] = order[*pivot];
    order[*pivot] = kept;
    if (*cell(m, k, k) == 0) return;
    for (int64_t i = k + 1; i < m->rows; i++) {
        double complex factor = *cell(m, i, k) /= *cell(m, k, k);
        for (int64_t j = k + 1; j < m->columns; j++) *cell(m, i, j) -= times(factor, *cell(m, k, j));
    }
}

static void store_integers(const fl_tensor *t, int64_t base, const int64_t *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++) fl_set(t, base + i, (fl_scalar){.i = from[i]});
}

fl_status fl_custom_lu(const fl_custom_args *args)
{
    matrix m;
    int64_t batches;
    FL_TRY(begin(args, 1, 3, 0, &m, &batches));
    int64_t count = least(m.rows, m.columns), size = m.rows * m.columns;
    int64_t *pivots = calloc((size_t)(count + m.rows) + 1, sizeof *pivots), *order = pivots + count;
    int good = fl_type_equal(args->in->type, args->out[0].type) &&
               fits(args->out[1].type, args->in->type, FL_I32, &count, 1) &&
               fits(args->out[2].type, args->in->type, FL_I32, &m.rows, 1);
    for (int64_t b = 0; good && pivots && b < batches; b++) {
        load(args->in, b * size, m.at, size);
        for (int64_t i = 0; i < m.rows; i++) order[i] = i;
        for (int64_t k = 0; k < count; k++) eliminate(&m, k, &pivots[k], order);
        store(&args->out[0], b * size, m.at, size);
        store_integers(&args->out[1], b * count, pivots, count);
        store_integers(&args->out[2], b * m.rows, order, m.rows);
    }
    int enough = pivots != NULL;
    free(pivots);
    free(m.at);
    FL_CHECK(enough, FL_OOM, "out of host memory");
    FL_CHECK(good, FL_INVALID, "expected results: the factors, %lld pivots and %lld rows of i32",
             (long long)count, (long long)m.rows);
    return NULL;
}

/* ---- eigenvalues: Jacobi's method ---- */

/* Columns p and q of m times the unitary [[c, s], [-u s, u c]]. */
static void turn_columns(const matrix *m, int64_t p, int64_t q, double c, double s, double complex u)
{
    for (int64_t i = 0; i < m->rows; i++) {
        double complex x = *cell(m, i, p), y = times(u, *cell(m, i, q));
        *cell(m, i, p) = c * x - s * y;
        *cell(m, i, q) = s * x + c * y;
    }
}

static void turn_rows(const matrix *m, int64_t p, int64_t q, double c, double s, double complex u)
{
    for (int64_t j = 0; j < m->columns; j++) {
        double complex x = *cell(m, p, j), y = times(conj(u), *cell(m, q, j));
        *cell(m, p, j) = c * x - s * y;
        *cell(m, q, j) = s * x + c * y;
    }
}

static void annihilate(const matrix *a, const matrix *v, int64_t p, int64_t q)
{
    double complex b = *cell(a, p, q);
    double size = cabs(b);
    double theta = (creal(*cell(a, q, q)) - creal(*cell(a, p, p))) / (2 * size);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(1 + theta * theta)), c = 1 / sqrt(1 + t * t);
    turn_columns(a, p, q, c, t * c, conj(b) / size);
    turn_rows(a, p, q, c, t * c, conj(b) / size);
    turn_columns(v, p, q, c, t * c, conj(b) / size);
    *cell(a, p, q) = *cell(a, q, p) = 0;
}

/* Afterwards a is diagonal, and the columns of v are the eigenvectors. */
static void diagonalize(const matrix *a, const matrix *v)
{
    int64_t n = a->rows;
    double norm = 0;
    for (int64_t i = 0; i < n * n; i++) norm = hypot(norm, cabs(a->at[i]));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) *cell(v, i, j) = i == j;
    for (int sweep = 0, turned = 1; turned && sweep < MOST_SWEEPS; sweep++) {
        turned = 0;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                if (!(cabs(*cell(a, p, q)) > 1e-17 * norm)) continue;
                annihilate(a, v, p, q);
                turned = 1;
            }
    }
}

static void sort_ascending(const matrix *a, const matrix *v)
{
    int64_t n = a->rows;
    for (int64_t i = 0; i < n; i++) {
        int64_t first = i;
        for (int64_t j = i + 1; j < n; j++)
            if (creal(*cell(a, j, j)) < creal(*cell(a, first, first))) first = j;
        double complex kept = *cell(a, i, i);
        *cell(a, i, i) = *cell(a, first, first);
        *cell(a, first, first) = kept;
        for (int64_t r = 0; first != i && r < n; r++) {
            kept = *cell(v, r, i);
            *cell(v, r, i) = *cell(v, r, first);
            *cell(v, r, first) = kept;
        }
    }
}

/* Fills in the triangle that is not meant; the imaginary parts of the diagonal do not count. */
static void make_hermitian(const matrix *a, int lower)
{
    for (int64_t i = 0; i < a->rows; i++) {
        *cell(a, i, i) = creal(*cell(a, i, i));
        for (int64_t j = 0; j < i; j++) {
            if (lower)
                *cell(a, j, i) = conj(*cell(a, i, j));
            else
                *cell(a, i, j) = conj(*cell(a, j, i));
        }
    }
}

/* backend_config: "lower,sort,iterations,tolerance", of which the first two are heeded. */
fl_status fl_custom_eigh(const fl_custom_args *args)
{
    matrix a;
    int64_t batches;
    const fl_literal *given = fl_op_literal(args->op, FL_ATTR_backend_config);
    const char *config = given && given->kind == FL_LIT_STRING ? given->u.string : NULL;
    int lower = !config || config[0] != '0', sorted = !config || strlen(config) < 3 || config[2] != '0';
    FL_TRY(begin(args, 1, 2,
                 args->in_count && args->in->type->rank ? args->in->type->dims[args->in->type->rank - 1] : 0,
                 &a, &batches));
    int64_t n = a.rows;
    const fl_type *t = args->in->type;
    matrix v = {n, n, a.at + n * a.columns};
    double complex *values = v.at + n * n;
    int good = n == a.columns && fl_type_equal(t, args->out[0].type) &&
               fits(args->out[1].type, t, fl_real_dtype((fl_dtype)t->dtype), &n, 1);
    for (int64_t b = 0; good && b < batches; b++) {
        load(args->in, b * n * n, a.at, n * n);
        make_hermitian(&a, lower);
        diagonalize(&a, &v);
        if (sorted) sort_ascending(&a, &v);
        for (int64_t i = 0; i < n; i++) values[i] = *cell(&a, i, i);
        store(&args->out[0], b * n * n, v.at, n * n);
        store(&args->out[1], b * n, values, n);
    }
    free(a.at);
    FL_CHECK(good, FL_INVALID,
             "expected square matrices, and results for their eigenvectors and eigenvalues");
    return NULL;
}
