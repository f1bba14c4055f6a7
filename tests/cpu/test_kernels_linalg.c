/* cholesky and triangular_solve: well-conditioned matrices, against the reference (which works in double) within the error bounds
 * of substitution, n rounding errors times the condition of the sum. */
#include "kernel_case.h"

#include <math.h>

static double value_at(fl_dtype dtype, const void *p, int64_t i)
{
    return dtype == FL_F32 ? ((const float *)p)[i] : ((const double *)p)[i];
}
static void set_at(fl_dtype dtype, void *p, int64_t i, double v)
{
    if (dtype == FL_F32) {
        ((float *)p)[i] = (float)v;
    } else {
        ((double *)p)[i] = v;
    }
}

static double uniform(void)
{
    return (double)random_in(-1000000, 1000000) / 1e6;
}

static void compare(fl_builder *b, fl_ref result, void **inputs, int64_t n, const char *what)
{
    fl_program *p = NULL;
    CHECK_OK(fl_builder_finish(b, &result, 1, &p));
    if (!p) return;
    const fl_op *op = p->main->ops[0];
    const fl_type *t = fl_type_of(p, result);
    fl_dtype dtype = (fl_dtype)t->dtype;
    int64_t count = fl_type_elements(t);
    void *got = malloc(fl_type_bytes(t) + 1), *expected = malloc(fl_type_bytes(t) + 1);
    CHECK_OK(fl_reference_op(p, op, (const void *const *)inputs, &expected));
    CHECK_OK(run_kernel(p, op, inputs, &got, 0));
    double largest = 0, worst = 0, unit = dtype == FL_F32 ? 0x1p-24 : 0x1p-53;
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(value_at(dtype, expected, i)));
        double error = fabs(value_at(dtype, expected, i) - value_at(dtype, got, i));
        worst = error <= worst ? worst : error; /* NaN becomes the worst */
    }
    check_count++;
    if (!(worst <= 4 * (double)(n + 4) * unit * largest)) {
        check_failures++;
        fprintf(stderr, "%s, n = %lld: error %g of %g\n", what, (long long)n, worst, largest);
    }
    free(got), free(expected);
    fl_program_destroy(p);
}

static void test_cholesky(fl_dtype dtype, int64_t batch, int64_t n, int lower)
{
    int64_t dims[] = {batch, n, n};
    fl_type t = fl_type_make(dtype, 3, dims);
    void *a = malloc(fl_type_bytes(&t) + 1);
    for (int64_t m = 0; m < batch;
         m++) /* diagonally dominant; the other triangle holds what must not be read */
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                set_at(dtype, a, (m * n + i) * n + j,
                       i == j             ? (double)n + 1
                       : (j < i) == lower ? uniform()
                                          : NAN);
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "cholesky"));
    fl_ref x = fl_parameter(&b, t);
    fl_attr attr = {.key = FL_ATTR_lower, .u.i = lower};
    compare(&b, fl_build(&b, FL_OP_cholesky, &x, 1, &attr, 1, NULL, 0), &a, n, "cholesky");
    free(a);
}

static void test_solve(fl_dtype dtype, int64_t batch, int64_t n, int64_t columns, int left, int lower,
                       int unit, fl_transpose_kind transpose)
{
    fl_type ta = fl_type_make(dtype, 3, (int64_t[]){batch, n, n});
    fl_type tb = fl_type_make(dtype, 3, (int64_t[]){batch, left ? n : columns, left ? columns : n});
    void *inputs[] = {malloc(fl_type_bytes(&ta) + 1), malloc(fl_type_bytes(&tb) + 1)};
    for (int64_t i = 0; i < batch * n * n; i++) {
        int64_t r = i / n % n, c = i % n;
        double diagonal = unit ? NAN : 2 + uniform();
        set_at(dtype, inputs[0], i, r == c ? diagonal : (c < r) == lower ? uniform() / (double)n : NAN);
    }
    for (int64_t i = 0; i < batch * n * columns; i++) set_at(dtype, inputs[1], i, uniform());
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "triangular_solve"));
    fl_ref operands[] = {fl_parameter(&b, ta), fl_parameter(&b, tb)};
    fl_attr attrs[] = {{.key = FL_ATTR_left_side, .u.i = left},
                       {.key = FL_ATTR_lower, .u.i = lower},
                       {.key = FL_ATTR_unit_diagonal, .u.i = unit},
                       {.key = FL_ATTR_transpose_a, .u.i = transpose}};
    compare(&b, fl_build(&b, FL_OP_triangular_solve, operands, 2, attrs, 4, NULL, 0), inputs, n,
            "triangular_solve");
    free(inputs[0]), free(inputs[1]);
}

int main(void)
{
    const int64_t orders[] = {0, 1, 2, 5, 31, 32, 33, 70, 150};
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 9; i++) {
            fl_dtype dtype = d ? FL_F64 : FL_F32;
            int64_t n = orders[i];
            for (int form = 0; form < 16; form++) {
                int left = form & 1, lower = form >> 1 & 1, unit = form >> 2 & 1;
                fl_transpose_kind transpose =
                    form >> 3 ? (unit ? FL_ADJOINT : FL_TRANSPOSE) : FL_NO_TRANSPOSE;
                test_solve(dtype, 1, n, 1, left, lower, unit, transpose);
                test_solve(dtype, 3, n, 37, left, lower, unit, transpose);
                if (n == 33) test_solve(dtype, 2, n, 300, left, lower, unit, transpose);
            }
            for (int lower = 0; lower < 2; lower++) {
                test_cholesky(dtype, 1, n, lower);
                test_cholesky(dtype, 3, n, lower);
            }
        }
    test_cholesky(FL_F32, 1, 300, 1);
    test_cholesky(FL_F64, 1, 300, 0);
    return check_result();
}
