/* concatenate, pad, dynamic_slice, dynamic_update_slice, bitcast_convert, and strided copies large enough for every path. */
#include "kernel_case.h"

static const fl_dtype types[] = {FL_I1, FL_I8, FL_BF16, FL_I32, FL_F32, FL_F64, FL_C128};

static fl_type random_type(fl_dtype dtype, int rank)
{
    int64_t dims[FL_MAX_RANK];
    for (int d = 0; d < rank; d++) dims[d] = random_in(0, 20) ? random_in(1, 7) : 0;
    return fl_type_make(dtype, rank, dims);
}

static void test_concatenate(fl_dtype dtype)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "concatenate"));
    fl_type t = random_type(dtype, (int)random_in(1, 4));
    int dim = (int)random_in(0, t.rank - 1), n = (int)random_in(2, 4);
    fl_ref parts[4];
    for (int i = 0; i < n; i++) {
        t.dims[dim] = random_in(0, 5);
        parts[i] = fl_parameter(&b, t);
    }
    fl_concat(&b, parts, (uint32_t)n, dim);
    check_kernel(&b, NULL, "concatenate");
}

static void test_pad(fl_dtype dtype)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "pad"));
    fl_type t = random_type(dtype, (int)random_in(1, 4));
    int64_t low[4], high[4], interior[4];
    int gaps = (int)random_in(0, 1);
    for (int d = 0; d < t.rank; d++) {
        interior[d] = gaps ? random_in(0, 2) : 0;
        int64_t size = t.dims[d] + (t.dims[d] ? (t.dims[d] - 1) * interior[d] : 0);
        low[d] = random_in(-3, 4);
        high[d] = random_in(-3, 4);
        if (size + low[d] + high[d] < 0) low[d] = high[d] = 0;
    }
    fl_ref x = fl_parameter(&b, t), value = fl_parameter(&b, fl_type_make(dtype, 0, NULL));
    fl_pad(&b, x, value, low, high, interior);
    check_kernel(&b, NULL, "pad");
}

static void test_dynamic(fl_dtype dtype, int update)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "dynamic"));
    fl_type t = random_type(dtype, (int)random_in(1, 4)), part = t;
    fl_dtype index = (fl_dtype[]){FL_I32, FL_I64, FL_U8, FL_U64}[random_in(0, 3)];
    fl_ref x = fl_parameter(&b, t), starts[4], u = FL_NO_REF;
    for (int d = 0; d < t.rank; d++) part.dims[d] = random_in(0, t.dims[d]);
    if (update) u = fl_parameter(&b, part);
    for (int d = 0; d < t.rank; d++) starts[d] = fl_parameter(&b, fl_type_make(index, 0, NULL));
    if (update) {
        fl_dynamic_update_slice(&b, x, u, starts);
    } else {
        fl_dynamic_slice(&b, x, starts, part.dims);
    }
    check_kernel(&b, NULL, update ? "dynamic_update_slice" : "dynamic_slice");
}

static void test_bitcast(fl_dtype from, fl_dtype to)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "bitcast"));
    size_t width = fl_dtype_bytes(from), wanted = fl_dtype_bytes(to);
    int64_t dims[] = {3, 5, (int64_t)(wanted / width)};
    fl_bitcast(&b, fl_parameter(&b, fl_type_make(from, wanted > width ? 3 : 2, dims)), to);
    check_kernel(&b, NULL, "bitcast_convert");
}

/* Against index arithmetic: transposes and slices of sizes that use tiles and threads. */
static void test_strided(size_t element, int rank, const int64_t *dims, const int *order)
{
    int64_t to[FL_MAX_RANK], from[FL_MAX_RANK], n = 1, stride = 1;
    for (int d = 0; d < rank; d++) n *= dims[d];
    for (int k = rank - 1; k >= 0; k--) from[order[k]] = stride, stride *= dims[order[k]];
    fl_dense_strides(rank, dims, to);
    unsigned char *x = malloc((size_t)n * element), *y = malloc((size_t)n * element);
    for (size_t i = 0; i < (size_t)n * element; i++) x[i] = (unsigned char)random_bits();
    fl_copy copy;
    fl_copy_prepare(&copy, element, rank, dims, to, from);
    fl_copy_run(&copy, y, x);
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0;
        for (int d = 0; d < rank; d++) at += i / to[d] % dims[d] * from[d];
        wrong += memcmp(y + (size_t)i * element, x + (size_t)at * element, element) != 0;
    }
    CHECK_INT(wrong, 0);
    free(x), free(y);
}

int main(void)
{
    for (unsigned k = 0; k < sizeof types / sizeof *types; k++)
        for (int i = 0; i < 60; i++) {
            test_concatenate(types[k]);
            test_pad(types[k]);
            test_dynamic(types[k], 0);
            test_dynamic(types[k], 1);
        }
    fl_dtype widths[] = {FL_U8, FL_BF16, FL_F32, FL_I64};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) test_bitcast(widths[i], widths[j]);
    const size_t elements[] = {1, 2, 4, 8, 16};
    for (int i = 0; i < 5; i++) {
        test_strided(elements[i], 2, (int64_t[]){300, 517}, (int[]){1, 0});
        test_strided(elements[i], 2, (int64_t[]){256, 256}, (int[]){1, 0});
        test_strided(elements[i], 4, (int64_t[]){5, 33, 40, 18}, (int[]){0, 2, 1, 3});
        test_strided(elements[i], 4, (int64_t[]){5, 33, 40, 2}, (int[]){0, 3, 1, 2});
        test_strided(elements[i], 3, (int64_t[]){3, 70, 65}, (int[]){2, 0, 1});
        test_strided(elements[i], 1, (int64_t[]){100003}, (int[]){0});
    }
    return check_result();
}
