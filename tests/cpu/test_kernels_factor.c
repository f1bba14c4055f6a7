/* Factorizations through LAPACK: what they give multiplies to the matrix, and is what the reference interpreter gives where that
 * is unique. FL_LAPACK names the library. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "check.h"
#include "cpu/kernels/lapack.h"
#include "flambeau.h"

enum { BATCH = 3 };

typedef struct outcome {
    fl_results *results[2]; /* of the device, of the reference */
} outcome;

static uint64_t state = 1;
static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state * 0x1p-63;
}

/* Element i of a result (or an array) as a complex number. */
static double complex at(const fl_array *a, int64_t i)
{
    if (!strcmp(a->dtype, "f32")) return ((float *)a->data)[i];
    if (!strcmp(a->dtype, "f64")) return ((double *)a->data)[i];
    if (!strcmp(a->dtype, "i32")) return ((int32_t *)a->data)[i];
    if (!strcmp(a->dtype, "complex<f32>"))
        return ((float *)a->data)[2 * i] + I * ((float *)a->data)[2 * i + 1];
    return ((double *)a->data)[2 * i] + I * ((double *)a->data)[2 * i + 1];
}

static void set(const fl_array *a, int64_t i, double complex x)
{
    if (!strcmp(a->dtype, "f32")) ((float *)a->data)[i] = (float)creal(x);
    if (!strcmp(a->dtype, "f64")) ((double *)a->data)[i] = creal(x);
    if (!strcmp(a->dtype, "complex<f32>"))
        ((float *)a->data)[2 * i] = (float)creal(x), ((float *)a->data)[2 * i + 1] = (float)cimag(x);
    if (!strcmp(a->dtype, "complex<f64>"))
        ((double *)a->data)[2 * i] = creal(x), ((double *)a->data)[2 * i + 1] = cimag(x);
}

static fl_array result(const outcome *o, int device, uint32_t i)
{
    fl_array a = {.size = sizeof a};
    CHECK_OK(fl_results_get(o->results[device], i, &a));
    return a;
}

static void drop(outcome *o)
{
    fl_results_free(o->results[0]);
    fl_results_free(o->results[1]);
}

static outcome run(const char *text, const fl_array *inputs, uint32_t count)
{
    outcome o = {{NULL, NULL}};
    fl_module *m = NULL;
    CHECK_OK(fl_module_read(text, strlen(text), &m));
    if (!m) exit(1);
    CHECK_OK(fl_module_run(m, "cpu", inputs, count, &o.results[0]));
    CHECK_OK(fl_module_run(m, "ref", inputs, count, &o.results[1]));
    fl_module_free(m);
    if (!o.results[0] || !o.results[1]) exit(1);
    return o;
}

static const char letters[] = "sdcz";
static const char *const types[] = {"f32", "f64", "complex<f32>", "complex<f64>"};
static const char *const reals[] = {"f32", "f64", "f32", "f64"};
static const size_t bytes_of[] = {4, 8, 8, 16};

static fl_array random_matrices(int t, const int64_t *dims, int hermitian)
{
    const int64_t m = dims[1], n = dims[2];
    fl_array a = {sizeof a, types[t], 3, dims, NULL, bytes_of[t] * (size_t)(BATCH * m * n)};
    a.data = malloc(a.bytes + 1);
    for (int64_t i = 0; i < BATCH * m * n; i++) set(&a, i, uniform() + I * uniform());
    for (int64_t b = 0; hermitian && b < BATCH; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                const double complex x =
                    i == j ? creal(at(&a, (b * n + i) * n + j)) : at(&a, (b * n + i) * n + j);
                set(&a, (b * n + i) * n + j, x);
                set(&a, (b * n + j) * n + i, conj(x));
            }
    return a;
}

static double bound(int t, int64_t size)
{
    return (t % 2 ? 0x1p-52 : 0x1p-23) * 8 * (double)(size + 4);
}

static void check_equal(const outcome *o, uint32_t i, double tolerance)
{
    const fl_array x = result(o, 0, i), y = result(o, 1, i);
    int64_t count = 1;
    double largest = 1, worst = 0;
    for (uint32_t d = 0; d < x.rank; d++) count *= x.dims[d];
    for (int64_t k = 0; k < count; k++) {
        largest = fmax(largest, cabs(at(&y, k)));
        const double error = cabs(at(&x, k) - at(&y, k));
        worst = error <= worst ? worst : error;
    }
    CHECK(worst <= tolerance * largest);
}

/* Largest element of sum over k of x[i, k] w[k] y[k, j] - a[i, j], in all batches. */
static double residual(const fl_array *a, const fl_array *x, const fl_array *w, const fl_array *y, int64_t m,
                       int64_t n, int64_t x_columns, int64_t y_rows, int64_t k, int adjoint)
{
    double worst = 0;
    (void)y_rows;
    for (int64_t b = 0; b < BATCH; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double complex sum = -at(a, (b * m + i) * n + j);
                for (int64_t l = 0; l < k; l++) {
                    const double complex right =
                        adjoint ? conj(at(y, (b * n + j) * x_columns + l)) : at(y, (b * y_rows + l) * n + j);
                    sum += at(x, (b * m + i) * x_columns + l) * at(w, b * k + l) * right;
                }
                worst = fmax(worst, cabs(sum));
            }
    return worst;
}

#define TENSOR "tensor<3x%lldx%lldx%s>"
static void test_qr(int t, int64_t m, int64_t n)
{
    const int64_t dims[] = {BATCH, m, n};
    const long long k = m < n ? m : n;
    char text[2048], matrix[64], tau[64];
    fl_array a = random_matrices(t, dims, 0);
    snprintf(matrix, sizeof matrix, TENSOR, (long long)m, (long long)n, types[t]);
    snprintf(tau, sizeof tau, "tensor<3x%lldx%s>", k, types[t]);
    snprintf(text, sizeof text,
             "func.func @main(%%a: %s) -> (%s, %s, %s, %s) {\n"
             "%%0:2 = stablehlo.custom_call @lapack_%cgeqrf_ffi(%%a) : (%s) -> (%s, %s)\n"
             "%%1:2 = stablehlo.custom_call @Qr(%%a) : (%s) -> (%s, %s)\n"
             "return %%0#0, %%0#1, %%1#0, %%1#1 : %s, %s, %s, %s\n}\n",
             matrix, matrix, tau, matrix, tau, letters[t], matrix, matrix, tau, matrix, matrix, tau, matrix,
             tau, matrix, tau);
    outcome o = run(text, &a, 1);
    for (uint32_t i = 0; i < 4; i++)
        check_equal(&o, i, 100 * bound(t, m + n)); /* conditions of random matrices */
    drop(&o);
    free(a.data);
}

static void test_q(int t, int64_t m, int64_t n, int64_t count)
{
    const int64_t dims[] = {BATCH, m, n}, tau_dims[] = {BATCH, count};
    char text[2048];
    fl_array in[2] = {random_matrices(t, dims, 0)};
    in[1] = (fl_array){sizeof in[1],
                       types[t],
                       2,
                       tau_dims,
                       calloc(BATCH * (size_t)count + 1, 16),
                       bytes_of[t] * (size_t)(BATCH * count)};
    for (int64_t b = 0; b < BATCH; b++) /* reflections are unitary: tau = 2 / |v|^2 */
        for (int64_t j = 0; j < count; j++) {
            double square = 1;
            for (int64_t i = j + 1; i < m; i++) square += pow(cabs(at(&in[0], (b * m + i) * n + j)), 2);
            set(&in[1], b * count + j, 2 / square);
        }
    snprintf(text, sizeof text,
             "func.func @main(%%a: " TENSOR ", %%t: tensor<3x%lldx%s>) -> " TENSOR " {\n"
             "%%0 = stablehlo.custom_call @lapack_%c%sgqr_ffi(%%a, %%t) : (" TENSOR
             ", tensor<3x%lldx%s>) -> " TENSOR "\nreturn %%0 : " TENSOR "\n}\n",
             (long long)m, (long long)n, types[t], (long long)count, types[t], (long long)m, (long long)n,
             types[t], letters[t], t < 2 ? "or" : "un", (long long)m, (long long)n, types[t],
             (long long)count, types[t], (long long)m, (long long)n, types[t], (long long)m, (long long)n,
             types[t]);
    outcome o = run(text, in, 2);
    check_equal(&o, 0, bound(t, m + n));
    drop(&o);
    free(in[0].data), free(in[1].data);
}

static void test_eigh(int t, int64_t n, int upper)
{
    const int64_t dims[] = {BATCH, n, n};
    char text[2048];
    const long long N = n;
    fl_array a = random_matrices(t, dims, 1);
    snprintf(text, sizeof text,
             "func.func @main(%%a: " TENSOR ") -> (" TENSOR ", tensor<3x%lldx%s>, tensor<3xi32>) {\n"
             "%%0:3 = stablehlo.custom_call @lapack_%c%sevd_ffi(%%a) {mhlo.backend_config = {uplo = %d : "
             "ui8, mode = 86 : "
             "ui8}} : (" TENSOR ") -> (" TENSOR ", tensor<3x%lldx%s>, tensor<3xi32>)\n"
             "return %%0#0, %%0#1, %%0#2 : " TENSOR ", tensor<3x%lldx%s>, tensor<3xi32>\n}\n",
             N, N, types[t], N, N, types[t], N, reals[t], letters[t], t < 2 ? "sy" : "he", upper ? 'U' : 'L',
             N, N, types[t], N, N, types[t], N, reals[t], N, N, types[t], N, reals[t]);
    outcome o = run(text, &a, 1);
    const fl_array v = result(&o, 0, 0), w = result(&o, 0, 1);
    check_equal(&o, 1, bound(t, n));
    check_equal(&o, 2, 0);
    CHECK(residual(&a, &v, &w, &v, n, n, n, n, n, 1) <= bound(t, n) * (double)n);
    drop(&o);
    free(a.data);
}

static void test_svd(int t, int64_t m, int64_t n, int all)
{
    const int64_t dims[] = {BATCH, m, n}, k = m < n ? m : n, u = all ? m : k, v = all ? n : k;
    char text[2048];
    fl_array a = random_matrices(t, dims, 0);
#define RESULTS TENSOR ", tensor<3x%lldx%s>, " TENSOR ", " TENSOR ", tensor<3xi32>"
#define NAMES                                                                                                \
    (long long)m, (long long)n, types[t], (long long)k, reals[t], (long long)m, (long long)u, types[t],      \
        (long long)v, (long long)n, types[t]
    snprintf(text, sizeof text,
             "func.func @main(%%a: " TENSOR ") -> (" RESULTS ") {\n"
             "%%0:5 = stablehlo.custom_call @lapack_%cgesdd_ffi(%%a) : (" TENSOR ") -> (" RESULTS ")\n"
             "return %%0#0, %%0#1, %%0#2, %%0#3, %%0#4 : " RESULTS "\n}\n",
             (long long)m, (long long)n, types[t], NAMES, letters[t], (long long)m, (long long)n, types[t],
             NAMES, NAMES);
    outcome o = run(text, &a, 1);
    const fl_array s = result(&o, 0, 1), left = result(&o, 0, 2), right = result(&o, 0, 3);
    check_equal(&o, 1, bound(t, m + n));
    check_equal(&o, 4, 0);
    CHECK(residual(&a, &left, &s, &right, m, n, u, v, k, 0) <= bound(t, m + n) * (double)(m + n));
    drop(&o);
    free(a.data);
}

/* A v = v w for each right eigenvector, and its adjoint for the left ones. */
static void test_eig(int t, int64_t n)
{
    const int64_t dims[] = {BATCH, n, n};
    const long long N = n;
    const char *complex_type = t % 2 ? "complex<f64>" : "complex<f32>";
    const int real = t < 2;
    char text[2048], results[512];
    fl_array a = random_matrices(t, dims, 0);
    int length = snprintf(results, sizeof results, "tensor<3x%lldx%s>, ", N, types[t]);
    if (real) length += snprintf(results + length, sizeof results - 256, "tensor<3x%lldx%s>, ", N, types[t]);
    snprintf(results + length, sizeof results - 256, TENSOR ", " TENSOR ", tensor<3xi32>", N, N, complex_type,
             N, N, complex_type);
    snprintf(text, sizeof text,
             "func.func @main(%%a: " TENSOR ") -> (%s) {\n"
             "%%0:%d = stablehlo.custom_call @lapack_%cgeev_ffi(%%a) : (" TENSOR ") -> (%s)\n"
             "return %s : %s\n}\n",
             N, N, types[t], results, real ? 5 : 4, letters[t], N, N, types[t], results,
             real ? "%0#0, %0#1, %0#2, %0#3, %0#4" : "%0#0, %0#1, %0#2, %0#3", results);
    outcome o = run(text, &a, 1);
    const fl_array re = result(&o, 0, 0), im = real ? result(&o, 0, 1) : re;
    const fl_array left = result(&o, 0, real ? 2 : 1), right = result(&o, 0, real ? 3 : 2);
    double worst = 0;
    for (int64_t b = 0; b < BATCH; b++)
        for (int64_t j = 0; j < n; j++) {
            const double complex w = at(&re, b * n + j) + (real ? I * at(&im, b * n + j) : 0);
            for (int64_t i = 0; i < n; i++) {
                double complex x = -w * at(&right, (b * n + i) * n + j),
                               y = -conj(w) * at(&left, (b * n + i) * n + j);
                for (int64_t l = 0; l < n; l++) {
                    x += at(&a, (b * n + i) * n + l) * at(&right, (b * n + l) * n + j);
                    y += conj(at(&a, (b * n + l) * n + i)) * at(&left, (b * n + l) * n + j);
                }
                worst = fmax(worst, fmax(cabs(x), cabs(y)));
            }
        }
    CHECK(worst <= bound(t, n) * (double)n);
    drop(&o);
    free(a.data);
}

/* The (real parts of) eigenvalues add up to the trace. */
static void check_trace(const fl_array *a, outcome o, double tolerance)
{
    const fl_array w = result(&o, 0, 0);
    const int64_t n = a->dims[1];
    for (int64_t b = 0; b < BATCH; b++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += creal(at(&w, b * n + i)) - creal(at(a, (b * n + i) * n + i));
        CHECK(fabs(sum) <= tolerance);
    }
    drop(&o);
}

/* Columns of length 1 that the matrix (or its adjoint) only stretches. */
static void check_directions(const fl_array *a, outcome o, int adjoint, double tolerance)
{
    const fl_array v = result(&o, 0, 0);
    const int64_t n = a->dims[1];
    for (int64_t b = 0; b < BATCH; b++)
        for (int64_t j = 0; j < n; j++) {
            double complex y[8], along = 0;
            double length = 0, aside = 0;
            for (int64_t i = 0; i < n; i++) {
                y[i] = 0;
                for (int64_t l = 0; l < n; l++) {
                    const double complex x =
                        adjoint ? conj(at(a, (b * n + l) * n + i)) : at(a, (b * n + i) * n + l);
                    y[i] += x * at(&v, (b * n + l) * n + j);
                }
                along += conj(at(&v, (b * n + i) * n + j)) * y[i];
                length += pow(cabs(at(&v, (b * n + i) * n + j)), 2);
            }
            for (int64_t i = 0; i < n; i++)
                aside = fmax(aside, cabs(y[i] - along * at(&v, (b * n + i) * n + j)));
            CHECK(fabs(length - 1) <= tolerance && aside <= tolerance);
        }
    drop(&o);
}

/* A program that gives result i, of this type, of a call alone, which makes `count` of types `made`. */
static outcome run_part(const fl_array *a, const char *target, int count, const char *made, const char *type,
                        int i)
{
    char text[2048];
    const long long m = a->dims[1], n = a->dims[2];
    snprintf(text, sizeof text,
             "func.func @main(%%a: " TENSOR ") -> (%s) {\n"
             "%%0:%d = stablehlo.custom_call @lapack_%s_ffi(%%a) : (" TENSOR ") -> (%s)\n"
             "return %%0#%d : %s\n}\n",
             m, n, a->dtype, type, count, target, m, n, a->dtype, made, i, type);
    return run(text, a, 1);
}

/* Values without vectors, and eigenvectors of one side. */
static void test_parts(int t)
{
    const int64_t square[] = {BATCH, 6, 6}, oblong[] = {BATCH, 5, 8};
    const int real = t < 2;
    const char *z = t % 2 ? "complex<f64>" : "complex<f32>";
    char target[16], made[512], type[64], values[64];
    fl_array h = random_matrices(t, square, 1), a = random_matrices(t, square, 0),
             w = random_matrices(t, oblong, 0);

    snprintf(target, sizeof target, "%c%sevd", letters[t], real ? "sy" : "he");
    snprintf(values, sizeof values, "tensor<3x6x%s>", reals[t]);
    snprintf(made, sizeof made, "tensor<3x6x6x%s>, %s, tensor<3xi32>", types[t], values);
    outcome o = run_part(&h, target, 3, made, values, 1);
    check_equal(&o, 0, bound(t, 6));
    drop(&o);

    snprintf(target, sizeof target, "%cgesdd", letters[t]);
    snprintf(type, sizeof type, "tensor<3x5x%s>", reals[t]);
    snprintf(made, sizeof made, "tensor<3x5x8x%s>, %s, tensor<3x5x5x%s>, tensor<3x5x8x%s>, tensor<3xi32>",
             types[t], type, types[t], types[t]);
    o = run_part(&w, target, 5, made, type, 1);
    check_equal(&o, 0, bound(t, 13));
    drop(&o);

    snprintf(target, sizeof target, "%cgeev", letters[t]);
    snprintf(values, sizeof values, "tensor<3x6x%s>", types[t]);
    snprintf(type, sizeof type, "tensor<3x6x6x%s>", z);
    snprintf(made, sizeof made, "%s, %s%s%s, %s, tensor<3xi32>", values, real ? values : "", real ? ", " : "",
             type, type);
    check_trace(&a, run_part(&a, target, real ? 5 : 4, made, values, 0), bound(t, 6) * 6);
    check_directions(&a, run_part(&a, target, real ? 5 : 4, made, type, real ? 3 : 2), 0, bound(t, 6) * 6);
    check_directions(&a, run_part(&a, target, real ? 5 : 4, made, type, real ? 2 : 1), 1, bound(t, 6) * 6);
    free(h.data), free(a.data), free(w.data);
}

/* What iterates must not run for ever. */
static void test_not_finite(void)
{
    const int64_t dims[] = {BATCH, 4, 4};
    fl_array a = random_matrices(1, dims, 1);
    set(&a, 21, NAN);
    outcome o = run(
        "func.func @main(%a: tensor<3x4x4xf64>) -> (tensor<3x4x4xf64>, tensor<3x4xf64>, tensor<3xi32>) {\n"
        "%0:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%a) : (tensor<3x4x4xf64>) -> (tensor<3x4x4xf64>, "
        "tensor<3x4xf64>, tensor<3xi32>)\n"
        "return %0#0, %0#1, %0#2 : tensor<3x4x4xf64>, tensor<3x4xf64>, tensor<3xi32>\n}\n",
        &a, 1);
    const fl_array w = result(&o, 0, 1), info = result(&o, 0, 2);
    CHECK(isfinite(creal(at(&w, 0))) && isnan(creal(at(&w, 4))) && isfinite(creal(at(&w, 8))));
    CHECK(at(&info, 0) == 0 && at(&info, 1) != 0 && at(&info, 2) == 0);
    drop(&o);
    free(a.data);
}

int main(void)
{
    if (!fl_lapack_has(FL_LAPACK_SVD, FL_F32)) {
        puts("skipped: FL_LAPACK names no LAPACK library");
        return 0;
    }
    for (int t = 0; t < 4; t++) {
        test_qr(t, 7, 7), test_qr(t, 9, 4), test_qr(t, 3, 11), test_qr(t, 1, 1);
        test_q(t, 9, 5, 5), test_q(t, 6, 6, 4);
        test_eigh(t, 8, 0), test_eigh(t, 5, 1), test_eigh(t, 1, 0);
        test_svd(t, 8, 5, 0), test_svd(t, 8, 5, 1), test_svd(t, 4, 9, 0), test_svd(t, 4, 9, 1),
            test_svd(t, 6, 6, 1);
        test_eig(t, 7), test_eig(t, 2);
        test_parts(t);
    }
    test_not_finite();
    return check_result();
}
