/* Work on rows that machine code does in ways of its own: quotients by a row's divisor, rows of thousands of columns, positions of
 * extrema, elements picked by index. Expected values come from the reference interpreter, or from C. */
#include "ir/read.h"
#include "loop_test.h"

/* Runs a plan of dense operands. */
static void run_plan(const fl_program *p, void *const *inputs, void *const *outputs)
{
    fl_plan *plan = NULL;
    CHECK_OK(fl_plan_create(p, NULL, &plan));
    if (!plan) return;
    void *scratch = aligned_alloc(64, (plan->scratch_bytes + 127) & ~(size_t)63);
    CHECK_OK(fl_plan_run(plan, inputs, outputs, scratch));
    free(scratch);
    fl_plan_destroy(plan);
}

enum { ROWS = 400, COLUMNS = 67 };
static const double special[] = {
    0,          -0.0,     1,    -1,       3,         7,   0.1,   1e30,           -1e-30,
    1e-37,      3.4e38,   2e38, INFINITY, -INFINITY, NAN, 1e-44, 1.17549435e-38, 16777215,
    0.99999994, 1.9999999};
enum { SPECIAL = sizeof special / sizeof *special };

static double some_number(int64_t k)
{
    if (k % 3 == 0) return (double)(int)(random_u32() % 2000) - 1000;
    return ldexp((double)random_u32() / 4294967296.0 + 1, pick(100) - 50) * (pick(2) ? 1 : -1);
}

/* Rounded correctly, with the sign of zeros, but for results so small that one unit is allowed. */
static void check_quotients(fl_dtype dtype, const char *x, const char *d, const char *got)
{
    size_t size = fl_dtype_bytes(dtype);
    double small = dtype == FL_F32 ? 0x1p-100 : 0x1p-960, unit = dtype == FL_F32 ? 0x1p-123 : 0x1p-1012;
    int wrong = 0;
    for (int64_t k = 0; k < ROWS * COLUMNS; k++) {
        double a = load_number(dtype, x + (size_t)k * size, 0),
               b = load_number(dtype, d + (size_t)(k / COLUMNS) * size, 0);
        double want = dtype == FL_F32 ? (double)((float)a / (float)b) : a / b,
               have = load_number(dtype, got + (size_t)k * size, 0);
        if (isnan(want) ? isnan(have) : have == want && signbit(have) == signbit(want)) continue;
        double allowed =
            dtype == FL_F32 ? fmax(fabs(want) * 0x1p-23, 0x1p-149) : fmax(fabs(want) * 0x1p-52, 0x1p-1074);
        if (fabs(want) < small && fabs(have - want) <= allowed && allowed < unit) continue;
        if (!wrong++) fprintf(stderr, "%.9g / %.9g: expected %.17g, got %.17g\n", a, b, want, have);
    }
    CHECK(wrong == 0);
}

static void quotients(fl_dtype dtype)
{
    fl_builder b;
    fl_program *p = NULL;
    fl_type t = fl_type_make(dtype, 2, DIMS(ROWS, COLUMNS)), row = fl_type_make(dtype, 2, DIMS(ROWS, 1));
    CHECK_OK(fl_builder_init(&b, "quotients"));
    fl_ref x = fl_parameter(&b, t), d = fl_parameter(&b, row);
    fl_ref r = fl_div(&b, x, fl_broadcast_to(&b, d, 2, t.dims));
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    size_t size = fl_dtype_bytes(dtype);
    char *data[2] = {calloc(ROWS * COLUMNS, size), calloc(ROWS, size)}, *got = calloc(ROWS * COLUMNS, size);
    for (int64_t k = 0; k < ROWS * COLUMNS; k++) {
        int64_t column = k % COLUMNS;
        store_number(dtype, data[0] + (size_t)k * size, column < SPECIAL ? special[column] : some_number(k));
    }
    for (int64_t k = 0; k < ROWS; k++)
        store_number(dtype, data[1] + (size_t)k * size, k < SPECIAL ? special[k] : some_number(k));
    run_plan(p, (void *const *)data, (void *const[]){got});
    check_quotients(dtype, data[0], data[1], got);
    free(data[0]), free(data[1]), free(got);
    fl_program_destroy(p);
}

/* The column that an index of the row names, and all others. */
static void picked(fl_dtype index, fl_compare_direction direction)
{
    enum { N = 9, LENGTH = 300 };
    fl_builder b;
    fl_program *p = NULL;
    fl_type t = fl_type_make(FL_F32, 2, DIMS(N, LENGTH)), it = fl_type_make(index, 2, DIMS(N, LENGTH));
    CHECK_OK(fl_builder_init(&b, "picked"));
    fl_ref x = fl_parameter(&b, t), i = fl_parameter(&b, fl_type_make(index, 2, DIMS(N, 1)));
    fl_ref hit = fl_compare(&b, direction, fl_iota(&b, it, 1), fl_broadcast_to(&b, i, 2, t.dims));
    fl_ref y = fl_select(&b, hit, x, fl_full(&b, t, 0));
    fl_ref results[2] = {y, fl_reduce_dim(&b, FL_OP_add, y, 1, 0)};
    CHECK_OK(fl_builder_finish(&b, results, 2, &p));
    run_case c;
    dense_case(&c, p);
    c.data[0] = random_data(&t, 100);
    c.data[1] = calloc(N, 8);
    static const int64_t indices[N] = {0, 299, 300, -1, 7, 0x100000007, INT64_MIN, 128, 255};
    for (int k = 0; k < N; k++) {
        int32_t low = (int32_t)indices[k];
        if (index == FL_I64)
            memcpy(c.data[1] + 8 * k, &indices[k], 8);
        else
            memcpy(c.data[1] + 4 * k, &low, 4);
    }
    run_and_compare(&c, "picked", 0);
    free_case(&c);
}

static const char loss_program[] =
    "func.func @main(%x: tensor<4x61xf32>, %at: tensor<4xi32>, %picked: tensor<4xf32>, %inside: "
    "tensor<4xi1>)\n"
    "    -> (tensor<4xf32>, tensor<4x61xf32>) {\n"
    "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>\n"
    "  %nan = stablehlo.constant dense<0x7FC00000> : tensor<4xf32>\n"
    "  %nothing = stablehlo.constant dense<0.0> : tensor<4x61xf32>\n"
    "  %one = stablehlo.constant dense<-0.5> : tensor<4x61xf32>\n"
    "  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1]\n"
    "    : (tensor<4x61xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "  %maxes = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<4xf32>) -> tensor<4x61xf32>\n"
    "  %y = stablehlo.subtract %x, %maxes : tensor<4x61xf32>\n"
    "  %e = stablehlo.exponential %y : tensor<4x61xf32>\n"
    "  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]\n"
    "    : (tensor<4x61xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "  %log = stablehlo.log %sum : tensor<4xf32>\n"
    "  %a = stablehlo.subtract %picked, %max : tensor<4xf32>\n"
    "  %b = stablehlo.subtract %a, %log : tensor<4xf32>\n"
    "  %loss = stablehlo.select %inside, %b, %nan : tensor<4xi1>, tensor<4xf32>\n"
    "  %ats = stablehlo.broadcast_in_dim %at, dims = [0] : (tensor<4xi32>) -> tensor<4x61xi32>\n"
    "  %columns = stablehlo.iota dim = 1 : tensor<4x61xi32>\n"
    "  %here = stablehlo.compare EQ, %columns, %ats : (tensor<4x61xi32>, tensor<4x61xi32>) -> "
    "tensor<4x61xi1>\n"
    "  %hot = stablehlo.select %here, %one, %nothing : tensor<4x61xi1>, tensor<4x61xf32>\n"
    "  %scale = stablehlo.divide %picked, %sum : tensor<4xf32>\n"
    "  %scaled = stablehlo.add %scale, %zeros : tensor<4xf32>\n"
    "  %scales = stablehlo.broadcast_in_dim %scaled, dims = [0] : (tensor<4xf32>) -> tensor<4x61xf32>\n"
    "  %soft = stablehlo.multiply %scales, %e : tensor<4x61xf32>\n"
    "  %g = stablehlo.add %hot, %soft : tensor<4x61xf32>\n"
    "  return %loss, %g : tensor<4xf32>, tensor<4x61xf32>\n"
    "}\n";

/* A cross entropy with its gradient in one loop: its last phase wants more numbers of the row than AVX2 has registers, so that pins
 * lie where the phases before it had values of their own. Columns before and behind the body of whole vectors. */
static void losses(void)
{
    enum { N = 4 };
    static const int32_t columns[N] = {3, 33, 45, 60};
    static const uint8_t inside[N] = {1, 0, 1, 1};
    fl_program *p = NULL;
    fl_status status = fl_program_read(loss_program, strlen(loss_program), &p);
    int good = status == NULL;
    CHECK_OK(status);
    if (!good) return;
    run_case c;
    dense_case(&c, p);
    fl_type t = fl_type_make(FL_F32, 2, DIMS(N, 61)), row = fl_type_make(FL_F32, 1, DIMS(N));
    c.data[0] = random_data(&t, 5);
    c.data[1] = calloc(N, sizeof columns[0]);
    c.data[2] = random_data(&row, 5);
    c.data[3] = calloc(N, 1);
    memcpy(c.data[1], columns, sizeof columns);
    memcpy(c.data[3], inside, sizeof inside);
    run_and_compare(&c, "losses", 1e-6);
    free_case(&c);
}

/* softmax of long rows, and what a row has besides */
static void long_rows(int64_t rows, int64_t columns)
{
    fl_builder b;
    fl_program *p = NULL;
    fl_type t = fl_type_make(FL_F32, 2, DIMS(rows, columns));
    CHECK_OK(fl_builder_init(&b, "long rows"));
    fl_ref x = fl_parameter(&b, t), most = fl_reduce_dim(&b, FL_OP_maximum, x, 1, 1);
    fl_ref y = fl_sub(&b, x, fl_broadcast_to(&b, most, 2, t.dims));
    fl_ref z = fl_mul(&b, y, y), sum = fl_reduce_dim(&b, FL_OP_add, y, 1, 1);
    fl_ref results[3] = {fl_add(&b, z, fl_broadcast_to(&b, sum, 2, t.dims)), sum,
                         fl_reduce_dim(&b, FL_OP_add, y, 0, 0)};
    CHECK_OK(fl_builder_finish(&b, results, 3, &p));
    run_case c;
    dense_case(&c, p);
    c.data[0] = random_data(&t, 3);
    run_and_compare(&c, "long rows", 0);
    free_case(&c);
}

static const char argument_program[] =
    "func.func @main(%%x: tensor<%dx%dx%s>) -> (tensor<%dx%s>, tensor<%dx%s>) {\n"
    "  %%i = stablehlo.iota dim = %d : tensor<%dx%dx%s>\n"
    "  %%a = stablehlo.constant dense<%s> : tensor<%s>\n"
    "  %%z = stablehlo.constant dense<0> : tensor<%s>\n"
    "  %%r:2 = \"stablehlo.reduce\"(%%x, %%i, %%a, %%z) ({\n"
    "  ^bb0(%%p: tensor<%s>, %%m: tensor<%s>, %%q: tensor<%s>, %%n: tensor<%s>):\n"
    "    %%0 = stablehlo.compare %s, %%p, %%q : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
    "    %%1 = stablehlo.compare NE, %%p, %%p : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
    "    %%2 = stablehlo.or %%0, %%1 : tensor<i1>\n"
    "    %%3 = stablehlo.compare EQ, %%p, %%q : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
    "    %%4 = stablehlo.compare LT, %%m, %%n : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
    "    %%5 = stablehlo.and %%3, %%4 : tensor<i1>\n"
    "    %%6 = stablehlo.or %%2, %%5 : tensor<i1>\n"
    "    %%7 = stablehlo.select %%2, %%p, %%q : tensor<i1>, tensor<%s>\n"
    "    %%8 = stablehlo.select %%6, %%m, %%n : tensor<i1>, tensor<%s>\n"
    "    stablehlo.return %%7, %%8 : tensor<%s>, tensor<%s>\n"
    "  }) {dimensions = array<i64: %d>} : (tensor<%dx%dx%s>, tensor<%dx%dx%s>, tensor<%s>, tensor<%s>) -> "
    "(tensor<%dx%s>, "
    "tensor<%dx%s>)\n"
    "  return %%r#0, %%r#1 : tensor<%dx%s>, tensor<%dx%s>\n"
    "}\n";

/* The largest or smallest elements and where they are first. */
static void arguments(fl_dtype dtype, fl_dtype index, int rows, int columns, int dim, int smallest,
                      const char *start)
{
    char text[4096];
    const char *t = fl_dtype_name(dtype), *i = fl_dtype_name(index);
    int n = dim ? rows : columns;
    snprintf(text, sizeof text, argument_program, rows, columns, t, n, t, n, i, dim, rows, columns, i, start,
             t, i, t, i, t, i, smallest ? "LT" : "GT", t, t, t, t, t, t, i, i, t, i, t, i, dim, rows, columns,
             t, rows, columns, i, t, i, n, t, n, i, n, t, n, i);
    fl_program *p = NULL;
    fl_status status = fl_program_read(text, strlen(text), &p);
    int good = status == NULL;
    CHECK_OK(status);
    if (!good) return;
    run_case c;
    dense_case(&c, p);
    fl_type type = fl_type_make(dtype, 2, DIMS(rows, columns));
    c.data[0] = random_data(&type, 50);
    size_t size = fl_dtype_bytes(dtype);
    for (int k = 0; fl_is_float(dtype) && k < rows * columns; k += 7) {
        int row = k / columns;
        if (row % 3 == 1)
            store_number(dtype, c.data[0] + (size_t)k * size, pick(3) ? (double)INFINITY : (double)NAN);
        if (row % 3 == 2)
            store_number(dtype, c.data[0] + (size_t)k * size, pick(2) ? -0.0 : (double)-INFINITY);
    }
    for (int k = 0; fl_is_float(dtype) && k < columns; k++) /* one row of nothing but the initial value */
        store_number(dtype, c.data[0] + (size_t)((rows - 1) * columns + k) * size,
                     smallest ? INFINITY : -INFINITY);
    run_and_compare(&c, "argument", 0);
    free_case(&c);
}

int main(void)
{
    static const int shapes[][2] = {{4, 5}, {1, 1000}, {300, 1}, {3, 5001}, {500, 33}};
    for (int s = 0; s < 5; s++)
        for (int dim = 0; dim < 2; dim++) {
            int n = shapes[s][0], m = shapes[s][1];
            arguments(FL_F32, FL_I32, n, m, dim, 0, "0xFF800000");
            arguments(FL_F32, FL_I64, n, m, dim, 1, "0x7F800000");
            arguments(FL_F64, FL_I32, n, m, dim, 0, "0xFFF0000000000000");
            arguments(FL_BF16, FL_I32, n, m, dim, 0, "0xFF80");
            arguments(FL_F16, FL_I32, n, m, dim, 1, "0x7C00");
            arguments(FL_I32, FL_I32, n, m, dim, 0, "-2147483648");
            arguments(FL_U8, FL_I64, n, m, dim, 0, "0");
            arguments(FL_I32, FL_I32, n, m, dim, 0, "7"); /* no identity: the reference interpreter's */
        }
    quotients(FL_F32);
    quotients(FL_F64);
    picked(FL_I64, FL_EQ);
    picked(FL_I64, FL_NE);
    picked(FL_I64, FL_LT);
    picked(FL_I32, FL_EQ);
    losses();
    long_rows(3, 4097);
    long_rows(5, 50304);
    long_rows(2, 65536);
    long_rows(2, 65537);
    long_rows(70, 5000);
    return check_result();
}
