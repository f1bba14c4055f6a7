/* Custom calls of linear algebra, JAX's for TPUs and LAPACK's as JAX writes them for CPUs. One table says the shapes of each, one
 * driver runs it batch by batch in complex double. Matrices are the last two dimensions; the layouts that calls of LAPACK ask for
 * do not concern values. */
#include "ref/factor.h"

#include "ref/interp.h"
#include "ref/matrix.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_IN = 4, MOST_OUT = 6, WRONG = -1 };

/* One batch. Sizes are those of the letters of the table, arrays in the order of operands and results. */
typedef struct batch {
    const fl_op *op;
    double epsilon; /* of the element type */
    int64_t size['z' + 1];
    double complex *in[MOST_IN], *out[MOST_OUT], *scratch;
} batch;

static fl_cmatrix matrix(double complex *at, int64_t rows, int64_t columns)
{
    return (fl_cmatrix){rows, columns, at};
}

static void copy(double complex *to, const double complex *from, int64_t count)
{
    if (count) memcpy(to, from, (size_t)count * sizeof *to);
}

/* An attribute of the call: a number, as a letter or a truth value. */
static int64_t option(const batch *b, const char *name, int64_t otherwise)
{
    const fl_literal *l = fl_custom_config(b->op, name);
    return l && (l->kind == FL_LIT_INT || l->kind == FL_LIT_BOOL) ? l->u.i : otherwise;
}

/* ---- orthogonal factors ---- */

static int qr(const batch *b)
{
    const fl_cmatrix a = matrix(b->out[0], b->size['m'], b->size['n']);
    copy(a.at, b->in[0], a.rows * a.columns);
    for (int64_t k = 0; k < b->size['k']; k++) b->out[1][k] = fl_cm_reflect(&a, k, k);
    return 0;
}

static int householder(const batch *b)
{
    const fl_cmatrix v = matrix(b->in[0], b->size['m'], b->size['n']),
                     q = matrix(b->out[0], v.rows, v.columns);
    if (b->size['t'] > b->size['k']) return WRONG;
    fl_cm_multiply_reflectors(&v, b->in[1], b->size['t'], 0, &q);
    return 0;
}

static int multiply_by_q(const batch *b)
{
    const fl_cmatrix v = matrix(b->in[0], b->size['a'], b->size['t']),
                     c = matrix(b->out[0], b->size['m'], b->size['n']);
    const int left = option(b, "left", 1) != 0, adjoint = option(b, "transpose", 0) != 0;
    const int64_t count = b->size['t'];
    if (v.rows != (left ? c.rows : c.columns) || count > v.rows) return WRONG;
    copy(c.at, b->in[2], c.rows * c.columns);
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
static int qr_with_pivots(const batch *b)
{
    const fl_cmatrix a = matrix(b->out[0], b->size['m'], b->size['n']);
    double complex *order = b->out[1];
    int64_t fixed = 0;
    copy(a.at, b->in[0], a.rows * a.columns);
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

static int hessenberg(const batch *b)
{
    const fl_cmatrix a = matrix(b->out[0], b->size['n'], b->size['n']);
    copy(a.at, b->in[0], a.rows * a.columns);
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

static int tridiagonal_form(const batch *b)
{
    const int64_t n = b->size['n'], size = n * n;
    const int upper = option(b, "uplo", 'L') == 'U';
    const fl_cmatrix a = matrix(b->scratch, n, n), out = matrix(b->out[0], n, n);
    copy(out.at, b->in[0], size);
    if (upper) reverse(out.at, size);
    copy(a.at, out.at, size);
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
static int eliminate_all(const batch *b, double complex *order, int first)
{
    const fl_cmatrix a = matrix(b->out[0], b->size['m'], b->size['n']);
    int64_t *rows = (int64_t *)b->scratch, pivot;
    int zero = 0;
    copy(a.at, b->in[0], a.rows * a.columns);
    for (int64_t i = 0; i < a.rows; i++) rows[i] = i;
    for (int64_t k = 0; k < b->size['k']; k++) {
        fl_cm_eliminate(&a, k, &pivot, rows);
        b->out[1][k] = (double)(pivot + first);
        if (!zero && *fl_cell(&a, k, k) == 0) zero = (int)(k + 1);
    }
    for (int64_t i = 0; order && i < a.rows; i++) order[i] = (double)rows[i];
    return zero;
}

static int lu(const batch *b)
{
    eliminate_all(b, b->out[2], 0);
    return 0;
}

static int lapack_lu(const batch *b)
{
    return eliminate_all(b, NULL, 1);
}

static int cholesky(const batch *b)
{
    const int64_t n = b->size['n'];
    const int upper = option(b, "uplo", 'L') == 'U';
    const fl_cmatrix a = matrix(b->scratch, n, n), out = matrix(b->out[0], n, n);
    copy(out.at, b->in[0], n * n);
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

static int solve_triangle(const batch *b)
{
    const fl_cmatrix a = matrix(b->in[0], b->size['a'], b->size['a']),
                     x = matrix(b->out[0], b->size['m'], b->size['n']);
    const int64_t transposed = option(b, "trans_x", 'N');
    const int right = option(b, "side", 'L') == 'R', unit = option(b, "diag", 'N') == 'U';
    const int64_t lines = right ? x.rows : x.columns;
    int lower = option(b, "uplo", 'L') == 'L';
    if (a.rows != (right ? x.columns : x.rows)) return WRONG;
    if (transposed != 'N') lower = !lower;
    if (right) lower = !lower; /* x a = y reads a^T x^T = y^T */
    copy(x.at, b->in[1], x.rows * x.columns);
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

static int tridiagonal(const batch *b, double complex *to, double least)
{
    const fl_cmatrix x = matrix(to, b->size['n'], b->size['r']);
    copy(x.at, b->in[3], x.rows * x.columns);
    return fl_cm_solve_tridiagonal(b->in[0], b->in[1], b->in[2], x.rows, &x, least);
}

static int solve_tridiagonal(const batch *b)
{
    for (int i = 0; i < 3; i++) copy(b->out[i], b->in[i], b->size['n']);
    return tridiagonal(b, b->out[3], 0);
}

/* What is nearly singular is taken as a little less so: for inverse iteration. */
static int solve_perturbed(const batch *b)
{
    double largest = 0;
    for (int i = 0; i < 3; i++)
        for (int64_t k = 0; k < b->size['n']; k++) largest = fmax(largest, cabs(b->in[i][k]));
    tridiagonal(b, b->out[0], fmax(b->epsilon * largest, DBL_MIN));
    return 0;
}

/* ---- spectra ---- */

static void hermitian_spectrum(const batch *b, int lower, int sorted)
{
    const int64_t n = b->size['n'];
    const fl_cmatrix a = matrix(b->in[0], n, n), v = matrix(b->out[0], n, n);
    fl_cm_make_hermitian(&a, lower);
    fl_cm_diagonalize(&a, &v);
    if (sorted) fl_cm_sort_ascending(&a, &v);
    for (int64_t i = 0; i < n; i++) b->out[1][i] = *fl_cell(&a, i, i);
}

/* backend_config: "lower,sort,iterations,tolerance", of which the first two are heeded. */
static int eigh(const batch *b)
{
    const fl_literal *given = fl_op_literal(b->op, FL_ATTR_backend_config);
    const char *config = given && given->kind == FL_LIT_STRING ? given->u.string : "";
    hermitian_spectrum(b, config[0] != '0', strlen(config) < 3 || config[2] != '0');
    return 0;
}

static int lapack_eigh(const batch *b)
{
    hermitian_spectrum(b, option(b, "uplo", 'L') == 'L', 1);
    return 0;
}

/* u, and the adjoint of v, of as many columns and rows as there is room for. */
static int svd(const batch *b)
{
    const int64_t m = b->size['m'], n = b->size['n'], k = b->size['k'];
    const int wide = m < n;
    const fl_cmatrix u = matrix(b->out[2], m, b->size['u']), vt = matrix(b->out[3], b->size['v'], n);
    const fl_cmatrix w = matrix(b->scratch, wide ? n : m, k), v = matrix(w.at + w.rows * k, k, k),
                     full = matrix(v.at + k * k, w.rows, wide ? vt.rows : u.columns);
    if (u.columns < k || vt.rows < k || u.columns > m || vt.rows > n) return WRONG;
    copy(b->out[0], b->in[0], m * n);
    for (int64_t i = 0; i < w.rows; i++)
        for (int64_t j = 0; j < k; j++)
            *fl_cell(&w, i, j) = wide ? conj(b->in[0][j * n + i]) : b->in[0][i * n + j];
    fl_cm_orthogonalize(&w, &v, b->out[1]);
    int64_t rank = 0;
    while (rank < k && creal(b->out[1][rank]) > 1e-15 * creal(b->out[1][0]) &&
           creal(b->out[1][rank]) > DBL_MIN)
        rank++;
    for (int64_t i = 0; i < w.rows; i++)
        for (int64_t j = 0; j < rank; j++) *fl_cell(&full, i, j) = *fl_cell(&w, i, j) / b->out[1][j];
    fl_cm_complete(&full, rank);
    /* a = full diag v^H, or a^H is */
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < u.columns; j++) *fl_cell(&u, i, j) = *fl_cell(wide ? &v : &full, i, j);
    for (int64_t i = 0; i < vt.rows; i++)
        for (int64_t j = 0; j < n; j++) *fl_cell(&vt, i, j) = conj(*fl_cell(wide ? &full : &v, j, i));
    return 0;
}

/* t and z of the operand; eigenvalues of a real matrix that are real but for rounding are real. */
static int schur_form(const batch *b, const fl_cmatrix *t, const fl_cmatrix *z, double complex *values,
                      int real)
{
    const int64_t n = b->size['n'];
    double norm = 0;
    copy(t->at, b->in[0], n * n);
    for (int64_t i = 0; i < n * n; i++) norm = hypot(norm, cabs(t->at[i]));
    int failed = isfinite(norm) ? fl_cm_schur(t, z, b->scratch) : 1;
    for (int64_t i = 0; i < n; i++) {
        values[i] = *fl_cell(t, i, i);
        if (real && fabs(cimag(values[i])) <= 1e-14 * norm) values[i] = creal(values[i]);
    }
    return failed;
}

static int spectrum(const batch *b, double complex *values, int real, int vectors)
{
    const int64_t n = b->size['n'];
    const fl_cmatrix t = matrix(b->scratch + 2 * n, n, n), z = matrix(t.at + n * n, n, n),
                     left = matrix(b->out[vectors], n, n), right = matrix(b->out[vectors + 1], n, n);
    int failed = schur_form(b, &t, &z, values, real);
    if (failed) return failed;
    fl_cm_eigenvectors(&t, &z, 1, &left, b->scratch);
    fl_cm_eigenvectors(&t, &z, 0, &right, b->scratch);
    return 0;
}

static int eig(const batch *b)
{
    return spectrum(b, b->out[0], 0, 1);
}

static int eig_of_real(const batch *b)
{
    int failed = spectrum(b, b->out[0], 1, 2);
    for (int64_t i = 0; i < b->size['n']; i++) {
        b->out[1][i] = cimag(b->out[0][i]);
        b->out[0][i] = creal(b->out[0][i]);
    }
    return failed;
}

static int schur(const batch *b)
{
    const int64_t n = b->size['n'];
    const fl_cmatrix t = matrix(b->out[0], n, n), z = matrix(b->out[1], n, n);
    return schur_form(b, &t, &z, b->out[2], 0);
}

/* ---- the table ---- */

/* Shapes: a letter a dimension, k the smaller of m and n, h one less than n; of operands, then of results. A result's element type is
 * the first operand's, or of integers (!), real (~), complex (^). A single dot: whether it worked, an integer. */
static const struct row {
    const char *name, *kinds; /* kinds: LAPACK's letters of element types; empty: the name is as it stands */
    const char *shapes;
    int (*run)(const batch *b);
} rows[] = {
    {"Qr", "", "mn:mn,k", qr},
    {"ProductOfElementaryHouseholderReflectors", "", "mn,t:mn", householder},
    {"LuDecomposition", "", "mn:mn,k!,m!", lu},
    {"Eigh", "", "nn:nn,n~", eigh},
    {"geqrf", "sdcz", "mn:mn,k", qr},
    {"orgqr", "sd", "mn,t:mn", householder},
    {"ungqr", "cz", "mn,t:mn", householder},
    {"ormqr", "sd", "at,t,mn:mn", multiply_by_q},
    {"unmqr", "cz", "at,t,mn:mn", multiply_by_q},
    {"geqp3", "sdcz", "mn,n!:mn,n!,k", qr_with_pivots},
    {"gehrd", "sdcz", "nn:nn,h,.", hessenberg},
    {"sytrd", "sd", "nn:nn,n~,h~,h,.", tridiagonal_form},
    {"hetrd", "cz", "nn:nn,n~,h~,h,.", tridiagonal_form},
    {"getrf", "sdcz", "mn:mn,k!,.", lapack_lu},
    {"potrf", "sdcz", "nn:nn,.", cholesky},
    {"trsm", "sdcz", "aa,mn:mn", solve_triangle},
    {"gtsv", "sdcz", "n,n,n,nr:n,n,n,nr,.", solve_tridiagonal},
    {"tridiagonal_solve_perturbed_ffi", "", "n,n,n,nr:nr", solve_perturbed},
    {"syevd", "sd", "nn:nn,n~,.", lapack_eigh},
    {"heevd", "cz", "nn:nn,n~,.", lapack_eigh},
    {"gesdd", "sdcz", "mn:mn,k~,mu,vn,.", svd},
    {"gesvd", "sdcz", "mn:mn,k~,mu,vn,.", svd},
    {"geev", "sd", "nn:n,n,nn^,nn^,.", eig_of_real},
    {"geev", "cz", "nn:n,nn,nn,.", eig},
    {"gees", "cz", "nn:nn,nn,n,.,.", schur},
};

static int is_call(const struct row *row, const char *target)
{
    static const char prefix[] = "lapack_", suffix[] = "_ffi";
    size_t n = strlen(row->name), p = sizeof prefix - 1;
    if (!*row->kinds) return !strcmp(target, row->name);
    return !strncmp(target, prefix, p) && target[p] && strchr(row->kinds, target[p]) &&
           !strncmp(target + p + 1, row->name, n) && !strcmp(target + p + 1 + n, suffix);
}

static const struct row *find_row(const char *target)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_call(&rows[i], target)) return &rows[i];
    return NULL;
}

/* ---- the driver ---- */

typedef struct array {
    const fl_tensor *t;
    int64_t count; /* of a batch */
    int is_info;
} array;

typedef struct plan {
    batch b;
    int batch_rank, wrong;
    int64_t batches;
    const fl_type *first;
    array in[MOST_IN], out[MOST_OUT];
} plan;

static int dims_of(const char *shape)
{
    int n = 0;
    while (shape[n] >= 'a' && shape[n] <= 'z') n++;
    return n;
}

static const char *next_shape(const char *shape)
{
    while (*shape && *shape != ',' && *shape != ':') shape++;
    return *shape ? shape + 1 : NULL;
}

static fl_dtype expected_dtype(const plan *p, char mark)
{
    const fl_dtype dtype = (fl_dtype)p->first->dtype;
    if (mark == '!') return FL_I32;
    if (mark == '~') return fl_real_dtype(dtype);
    if (mark == '^') return dtype == FL_F64 ? FL_C128 : FL_C64;
    return dtype;
}

/* Gives letters their sizes at their first appearance, and asks for the same ones later. */
static void bind_shape(plan *p, const char *shape, const fl_tensor *t, array *out)
{
    const fl_type *type = t->type;
    const int rank = dims_of(shape), is_info = *shape == '.';
    *out = (array){t, 1, is_info};
    p->wrong |= type->rank != p->batch_rank + rank ||
                type->dtype != (is_info ? FL_I32 : expected_dtype(p, shape[rank]));
    for (int d = 0; !p->wrong && d < p->batch_rank; d++) p->wrong |= type->dims[d] != p->first->dims[d];
    for (int d = 0; !p->wrong && d < rank; d++) {
        int64_t *size = &p->b.size[(int)shape[d]], dim = type->dims[p->batch_rank + d];
        if (*size < 0) *size = dim;
        p->wrong |= *size != dim;
        out->count *= dim;
    }
    int64_t m = p->b.size['m'], n = p->b.size['n'];
    if (m >= 0 && n >= 0) p->b.size['k'] = m < n ? m : n;
    if (n >= 0) p->b.size['h'] = n > 0 ? n - 1 : 0;
}

static fl_status make_plan(const fl_custom_args *args, const struct row *row, plan *p)
{
    const char *shape = row->shapes;
    uint32_t ins = 0, outs = 0;
    p->b.op = args->op;
    for (int c = 0; c <= 'z'; c++) p->b.size[c] = -1;
    for (const char *s = shape; s; s = next_shape(s)) (s > strchr(shape, ':') ? outs++ : ins++);
    FL_CHECK(args->in_count == ins && args->out_count == outs, FL_INVALID,
             "expected %u operands and %u results, got %u and %u", ins, outs, args->in_count,
             args->out_count);
    p->first = args->in->type;
    FL_CHECK(fl_is_float((fl_dtype)p->first->dtype) || fl_is_complex((fl_dtype)p->first->dtype), FL_INVALID,
             "expected real or complex numbers");
    p->b.epsilon = fl_real_dtype((fl_dtype)p->first->dtype) == FL_F64 ? DBL_EPSILON : FLT_EPSILON;
    p->batch_rank = p->first->rank - dims_of(shape);
    p->wrong = p->batch_rank < 0;
    for (uint32_t i = 0; !p->wrong && i < ins; i++, shape = next_shape(shape))
        bind_shape(p, shape, &args->in[i], &p->in[i]);
    for (uint32_t i = 0; !p->wrong && i < outs; i++, shape = next_shape(shape))
        bind_shape(p, shape, &args->out[i], &p->out[i]);
    FL_CHECK(!p->wrong, FL_INVALID, "expected operands and results of shapes %s", row->shapes);
    p->batches = 1;
    for (int d = 0; d < p->batch_rank; d++) p->batches *= p->first->dims[d];
    return NULL;
}

static void load(const array *a, int64_t number, double complex *to)
{
    const fl_kind kind = fl_dtype_kind((fl_dtype)a->t->type->dtype);
    for (int64_t i = 0; i < a->count; i++) {
        fl_scalar s = fl_get(a->t, number * a->count + i);
        to[i] = kind == FL_KIND_COMPLEX ? fl_scalar_complex(s) : kind == FL_KIND_FLOAT ? s.re : (double)s.i;
    }
}

static void store(const array *a, int64_t number, const double complex *from)
{
    const int is_integer = a->t->type->dtype == FL_I32;
    for (int64_t i = 0; i < a->count; i++)
        fl_set(a->t, number * a->count + i,
               is_integer ? (fl_scalar){.i = (int64_t)creal(from[i])} : fl_complex_scalar(from[i]));
}

/* Room for all arrays of a batch, and for four square matrices and some vectors. */
static fl_status allocate(plan *p, uint32_t ins, uint32_t outs, double complex **out)
{
    size_t m = (size_t)(p->b.size['m'] > 0 ? p->b.size['m'] : 0),
           n = (size_t)(p->b.size['n'] > 0 ? p->b.size['n'] : 0), side = m > n ? m : n, total;
    FL_CHECK(!__builtin_mul_overflow(3 * side + 4, side, &total), FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < ins; i++) total += (size_t)p->in[i].count;
    for (uint32_t i = 0; i < outs; i++) total += (size_t)p->out[i].count;
    double complex *at = *out = calloc(total + 1, sizeof *at);
    FL_CHECK(at, FL_OOM, "no memory for matrices of %zu rows and columns", side);
    for (uint32_t i = 0; i < ins; i++) p->b.in[i] = at, at += p->in[i].count;
    for (uint32_t i = 0; i < outs; i++) p->b.out[i] = at, at += p->out[i].count;
    p->b.scratch = at;
    return NULL;
}

static fl_status run(const fl_custom_args *args)
{
    const char *target = fl_op_string(args->op, FL_ATTR_call_target_name);
    const struct row *row = find_row(target);
    double complex *memory;
    plan p = {0};
    FL_CHECK(row, FL_UNSUPPORTED, "expected a custom call of linear algebra, got %s", target);
    FL_TRY(make_plan(args, row, &p));
    FL_TRY(allocate(&p, args->in_count, args->out_count, &memory));
    int result = 0;
    for (int64_t n = 0; result != WRONG && n < p.batches; n++) {
        for (uint32_t i = 0; i < args->in_count; i++) load(&p.in[i], n, p.b.in[i]);
        for (uint32_t i = 0; i < args->out_count; i++)
            memset(p.b.out[i], 0, (size_t)p.out[i].count * sizeof *memory);
        result = row->run(&p.b);
        for (uint32_t i = 0; i < args->out_count; i++) {
            if (p.out[i].is_info) *p.b.out[i] = i + 1 == args->out_count ? result : 0;
            store(&p.out[i], n, p.b.out[i]);
        }
    }
    free(memory);
    FL_CHECK(result != WRONG, FL_INVALID, "expected operands and results of shapes that fit, %s",
             row->shapes);
    return NULL;
}

fl_custom_function *fl_factor_find(const char *name)
{
    return find_row(name) ? run : NULL;
}
