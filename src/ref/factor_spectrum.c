/* Spectra: eigenvalues, singular values, Schur's form. */
#include "ref/factor_calls.h"

#include <float.h>
#include <math.h>

static void hermitian_spectrum(const fl_batch *b, int lower, int sorted)
{
    const int64_t n = b->size['n'];
    const fl_cmatrix a = fl_batch_matrix(b->in[0], n, n), v = fl_batch_matrix(b->out[0], n, n);
    fl_cm_make_hermitian(&a, lower);
    fl_cm_diagonalize(&a, &v);
    if (sorted) fl_cm_sort_ascending(&a, &v);
    for (int64_t i = 0; i < n; i++) b->out[1][i] = *fl_cell(&a, i, i);
}

/* backend_config: "lower,sort,iterations,tolerance", of which the first two are heeded. */
int fl_call_eigh(const fl_batch *b)
{
    const fl_literal *given = fl_op_literal(b->op, FL_ATTR_backend_config);
    const char *config = given && given->kind == FL_LIT_STRING ? given->u.string : "";
    hermitian_spectrum(b, config[0] != '0', strlen(config) < 3 || config[2] != '0');
    return 0;
}

int fl_call_lapack_eigh(const fl_batch *b)
{
    hermitian_spectrum(b, fl_batch_option(b, "uplo", 'L') == 'L', 1);
    return 0;
}

/* u, and the adjoint of v, of as many columns and rows as there is room for. */
int fl_call_svd(const fl_batch *b)
{
    const int64_t m = b->size['m'], n = b->size['n'], k = b->size['k'];
    const int wide = m < n;
    const fl_cmatrix u = fl_batch_matrix(b->out[2], m, b->size['u']),
                     vt = fl_batch_matrix(b->out[3], b->size['v'], n);
    const fl_cmatrix w = fl_batch_matrix(b->scratch, wide ? n : m, k),
                     v = fl_batch_matrix(w.at + w.rows * k, k, k),
                     full = fl_batch_matrix(v.at + k * k, w.rows, wide ? vt.rows : u.columns);
    if (u.columns < k || vt.rows < k || u.columns > m || vt.rows > n) return FL_BATCH_WRONG;
    fl_batch_copy(b->out[0], b->in[0], m * n);
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
static int schur_form(const fl_batch *b, const fl_cmatrix *t, const fl_cmatrix *z, double complex *values,
                      int real)
{
    const int64_t n = b->size['n'];
    double norm = 0;
    fl_batch_copy(t->at, b->in[0], n * n);
    for (int64_t i = 0; i < n * n; i++) norm = hypot(norm, cabs(t->at[i]));
    int failed = isfinite(norm) ? fl_cm_schur(t, z, b->scratch) : 1;
    for (int64_t i = 0; i < n; i++) {
        values[i] = *fl_cell(t, i, i);
        if (real && fabs(cimag(values[i])) <= 1e-14 * norm) values[i] = creal(values[i]);
    }
    return failed;
}

static int spectrum(const fl_batch *b, double complex *values, int real, int vectors)
{
    const int64_t n = b->size['n'];
    const fl_cmatrix t = fl_batch_matrix(b->scratch + 2 * n, n, n), z = fl_batch_matrix(t.at + n * n, n, n),
                     left = fl_batch_matrix(b->out[vectors], n, n),
                     right = fl_batch_matrix(b->out[vectors + 1], n, n);
    int failed = schur_form(b, &t, &z, values, real);
    if (failed) return failed;
    fl_cm_eigenvectors(&t, &z, 1, &left, b->scratch);
    fl_cm_eigenvectors(&t, &z, 0, &right, b->scratch);
    return 0;
}

int fl_call_eig(const fl_batch *b)
{
    return spectrum(b, b->out[0], 0, 1);
}

int fl_call_eig_of_real(const fl_batch *b)
{
    int failed = spectrum(b, b->out[0], 1, 2);
    for (int64_t i = 0; i < b->size['n']; i++) {
        b->out[1][i] = cimag(b->out[0][i]);
        b->out[0][i] = creal(b->out[0][i]);
    }
    return failed;
}

int fl_call_schur(const fl_batch *b)
{
    const int64_t n = b->size['n'];
    const fl_cmatrix t = fl_batch_matrix(b->out[0], n, n), z = fl_batch_matrix(b->out[1], n, n);
    return schur_form(b, &t, &z, b->out[2], 0);
}

/* The real form; wr, wi: the eigenvalues along the diagonal. */
int fl_call_real_schur(const fl_batch *b)
{
    const int64_t n = b->size['n'];
    double *t = (double *)b->scratch, *z = t + n * n, *more = z + n * n;
    int finite = 1;
    for (int64_t i = 0; i < n * n; i++) finite &= isfinite(t[i] = creal(b->in[0][i])) != 0;
    int failed = finite ? fl_real_schur(n, t, z, more) : 1;
    for (int64_t i = 0; i < n * n; i++) b->out[0][i] = t[i], b->out[1][i] = z[i];
    for (int64_t i = 0; i < n; i++) {
        double below = i + 1 < n ? t[(i + 1) * n + i] : 0, above = i ? t[i * n + i - 1] : 0;
        double pair = below != 0   ? sqrt(fabs(below)) * sqrt(fabs(t[i * n + i + 1]))
                      : above != 0 ? -sqrt(fabs(above)) * sqrt(fabs(t[(i - 1) * n + i]))
                                   : 0;
        b->out[2][i] = t[i * n + i];
        b->out[3][i] = pair;
    }
    return failed;
}
