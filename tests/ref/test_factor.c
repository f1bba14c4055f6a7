/* Factorizations behind custom calls: small cases by hand, and what they refuse. */
#include "check.h"
#include "ir/text/parse.h"
#include "ref/reference.h"

#include <math.h>

static fl_status run(const char *text, const void *const *inputs, void *const *outputs)
{
    fl_program *program;
    FL_TRY(fl_parse_text(text, strlen(text), &program));
    fl_status status = fl_reference_run(program, inputs, outputs);
    fl_program_destroy(program);
    return status;
}

static int near(const double *got, const double *expected, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - expected[i]) < 1e-12)) return 0;
    return 1;
}

static void test_qr(void)
{
    static const char text[] =
        "func.func @main(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>) {\n"
        "  %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>)\n"
        "  %1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%0#0, %0#1)"
        " : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2x2xf64>\n"
        "  return %0#0, %1 : tensor<2x2xf64>, tensor<2x2xf64>\n}\n";
    double a[] = {3, 1, 4, 2}, packed[4], q[4];
    const void *inputs[] = {a};
    void *outputs[] = {packed, q};
    CHECK_OK(run(text, inputs, outputs));
    CHECK(near(packed, (const double[]){-5, -2.2, 0.5, 0.4}, 4)); /* R above, v = (1, 4 / (3 + 5)) */
    CHECK(near(q, (const double[]){-0.6, -0.8, -0.8, 0.6}, 4) ||
          near(q, (const double[]){-0.6, 0.8, -0.8, -0.6}, 4));
    double product = q[0] * packed[1] + q[1] * packed[3];
    CHECK(fabs(product - a[1]) < 1e-12);
}

static void test_lu(void)
{
    static const char text[] =
        "func.func @main(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xi32>, tensor<2xi32>) {\n"
        "  %0:3 = stablehlo.custom_call @LuDecomposition(%a) : (tensor<2x2xf64>)"
        " -> (tensor<2x2xf64>, tensor<2xi32>, tensor<2xi32>)\n"
        "  return %0#0, %0#1, %0#2 : tensor<2x2xf64>, tensor<2xi32>, tensor<2xi32>\n}\n";
    double a[] = {1, 2, 4, 6}, lu[4];
    int32_t pivots[2], order[2];
    const void *inputs[] = {a};
    void *outputs[] = {lu, pivots, order};
    CHECK_OK(run(text, inputs, outputs));
    CHECK(near(lu, (const double[]){4, 6, 0.25, 0.5}, 4));
    CHECK(pivots[0] == 1 && pivots[1] == 1 && order[0] == 1 && order[1] == 0);
}

static void test_eigh(void)
{
    static const char text[] =
        "func.func @main(%a: tensor<2x2xcomplex<f64>>) -> (tensor<2x2xcomplex<f64>>, tensor<2xf64>) {\n"
        "  %0:2 = stablehlo.custom_call @Eigh(%a) {backend_config = \"1,1,100,1e-6\"}"
        " : (tensor<2x2xcomplex<f64>>) -> (tensor<2x2xcomplex<f64>>, tensor<2xf64>)\n"
        "  return %0#0, %0#1 : tensor<2x2xcomplex<f64>>, tensor<2xf64>\n}\n";
    double a[] = {2, 0, 99, 99, 0, -1, 2, 0}, v[8],
           w[2]; /* [[2, i], [-i, 2]], of which the upper triangle is not read */
    const void *inputs[] = {a};
    void *outputs[] = {v, w};
    CHECK_OK(run(text, inputs, outputs));
    CHECK(near(w, (const double[]){1, 3}, 2));
    /* (a - 3) v = 0 for the second column: -v0 + i v1 = 0 */
    CHECK(fabs(-v[2] - v[7]) < 1e-12 && fabs(-v[3] + v[6]) < 1e-12);
    CHECK(fabs(v[2] * v[2] + v[3] * v[3] + v[6] * v[6] + v[7] * v[7] - 1) < 1e-12);
}

/* The lower triangle is not read, and nothing has to be sorted: the values are those of the diagonal. */
static void test_eigh_of_upper_triangle(void)
{
    static const char text[] = "func.func @main(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>) {\n"
                               "  %0:2 = stablehlo.custom_call @Eigh(%a) {backend_config = \"0,%d,100,1e-6\"}"
                               " : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>)\n"
                               "  return %0#0, %0#1 : tensor<2x2xf64>, tensor<2xf64>\n}\n";
    char made[500];
    for (int sorted = 0; sorted < 2; sorted++) {
        const char *at = strstr(text, "%d");
        snprintf(made, sizeof made, "%.*s%d%s", (int)(at - text), text, sorted, at + 2);
        double v[4], w[2];
        const void *diagonal[] = {(double[]){5, 0, 77, 3}}, *full[] = {(double[]){2, 1, 77, 2}};
        void *outputs[] = {v, w};
        CHECK_OK(run(made, diagonal, outputs));
        CHECK(near(w, sorted ? (const double[]){3, 5} : (const double[]){5, 3}, 2));
        CHECK_OK(run(made, full, outputs));
        CHECK(fabs(w[0] + w[1] - 4) < 1e-12 && fabs(w[0] * w[1] - 3) < 1e-12);
    }
}

/* LAPACK's names as JAX writes them for CPUs, with the configuration where it puts it. */
static void test_lapack(void)
{
    double a[] = {4, 99, 2, 5}, b[] = {8, 14}, x[4], u[4], v[4], s[2];
    int32_t info = 7;
    const void *one[] = {a}, *two[] = {a, b};
    void *factor[] = {x, &info}, *solution[] = {x};
    CHECK_OK(
        run("func.func @main(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>) {\n"
            "  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}}"
            " : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)\n"
            "  return %0#0, %0#1 : tensor<2x2xf64>, tensor<i32>\n}\n",
            one, factor));
    CHECK(near(x, (const double[]){2, 99, 1, 2}, 4) && info == 0);
    /* [[4, 0], [2, 5]]^T x = (8, 14), the lower triangle being meant */
    CHECK_OK(run("func.func @main(%a: tensor<2x2xf64>, %b: tensor<2x1xf64>) -> tensor<2x1xf64> {\n"
                 "  %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : "
                 "ui8, side = "
                 "76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf64>, tensor<2x1xf64>) -> "
                 "tensor<2x1xf64>\n  return %0 : tensor<2x1xf64>\n}\n",
                 two, solution));
    CHECK(near(x, (const double[]){0.6, 2.8}, 2));
    /* [[0, 2], [3, 0]]: singular values 3 and 2, eigenvalues +-sqrt 6 */
    double c[] = {0, 2, 3, 0}, kept[4], re[2], im[2], left[8], right[8];
    const void *turned[] = {c};
    void *singular[] = {kept, s, u, v, &info}, *eigen[] = {re, im, left, right, &info};
    CHECK_OK(run("func.func @main(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>, "
                 "tensor<2x2xf64>, tensor<i32>) {\n  %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%a)"
                 " : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, "
                 "tensor<i32>)\n"
                 "  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>, "
                 "tensor<2x2xf64>, tensor<i32>\n}\n",
                 turned, singular));
    CHECK(near(s, (const double[]){3, 2}, 2) && info == 0);
    for (int i = 0; i < 4; i++) {
        double sum = u[i / 2 * 2] * s[0] * v[i % 2] + u[i / 2 * 2 + 1] * s[1] * v[2 + i % 2];
        CHECK(near(&sum, &c[i], 1));
    }
    CHECK_OK(run(
        "func.func @main(%a: tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>, "
        "tensor<2x2xcomplex<f64>>, tensor<i32>) {\n  %0:5 = stablehlo.custom_call @lapack_dgeev_ffi(%a)"
        " : (tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>, "
        "tensor<2x2xcomplex<f64>>, tensor<i32>)\n"
        "  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>, "
        "tensor<2x2xcomplex<f64>>, tensor<i32>\n}\n",
        turned, eigen));
    CHECK(fabs(fabs(re[0]) - sqrt(6)) < 1e-12 && fabs(re[0] + re[1]) < 1e-12 &&
          near(im, (const double[]){0, 0}, 2));
    /* a right eigenvector: 2 y = w x */
    CHECK(fabs(2 * right[4] - re[0] * right[0]) < 1e-12 && info == 0);
}

/* Pivots come from whoever calls: of x = [[1, 2], [2, 1]]^-1 b only those of a block of two rows, or of two of one row, are right. */
static void test_pivots(void)
{
    static const int32_t good[] = {-2, -2},
                         bad[][2] = {{-1, 99}, {-1, 0}, {3, 1}, {1, -2}, {-2, 2}, {INT32_MIN, -2}};
    double ld[] = {1, 99, 2, 1}, b[] = {5, 4}, x[2];
    const void *inputs[] = {ld, good, b};
    void *outputs[] = {x};
    static const char text[] =
        "func.func @main(%ld: tensor<2x2xf64>, %p: tensor<2xi32>, %b: tensor<2x1xf64>) -> tensor<2x1xf64> {\n"
        "  %0 = stablehlo.custom_call @lapack_dsytrs_ffi(%ld, %p, %b) : (tensor<2x2xf64>, tensor<2xi32>, "
        "tensor<2x1xf64>) -> tensor<2x1xf64>\n  return %0 : tensor<2x1xf64>\n}\n";
    CHECK_OK(run(text, inputs, outputs));
    CHECK(near(x, (const double[]){1, 2}, 2));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        inputs[1] = bad[i];
        CHECK_ERROR(run(text, inputs, outputs), FL_INVALID, "expected operands and results that fit");
    }
}

static void test_refused(void)
{
    static const char *const calls[] = {
        "@Qr(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)",
        "@Qr(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf64>)",
        "@Qr(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)",
        "@LuDecomposition(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xi32>, tensor<3xi32>)",
        "@Eigh(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)",
        "@lapack_sgesdd_ffi(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)",
        "@ProductOfElementaryHouseholderReflectors(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
        "tensor<2x3xf32>",
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char text[400], results[16] = "";
        int count = strchr(strchr(calls[i], '>') + 1, '(') && strstr(calls[i], "-> (") ? 2 : 1;
        if (strstr(calls[i], "@Lu")) count = 3;
        if (count > 1) snprintf(results, sizeof results, ":%d", count);
        snprintf(text, sizeof text,
                 "func.func @main(%%a: tensor<2x3xf32>) {\n  %%0%s = stablehlo.custom_call %s\n  return\n}\n",
                 results, calls[i]);
        float a[6] = {0};
        const void *inputs[] = {a};
        CHECK_ERROR(run(text, inputs, NULL), FL_INVALID, "expected");
    }
}

int main(void)
{
    test_qr();
    test_lu();
    test_eigh();
    test_eigh_of_upper_triangle();
    test_lapack();
    test_pivots();
    test_refused();
    return check_result();
}
