/* The printer: the exact text, written by hand after the syntax of the StableHLO documentation. */
#include "check.h"
#include "ir/build.h"

#include <math.h>

#define TYPE(dtype, ...)                                                                                     \
    fl_type_make(FL_##dtype, (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (const int64_t[]){__VA_ARGS__})
#define SCALAR(dtype) fl_type_make(FL_##dtype, 0, NULL)

static fl_builder builder, *const b = &builder;

static void start(void)
{
    CHECK_OK(fl_builder_init(b, "main"));
}

static void expect(const fl_ref *results, uint32_t count, const char *text)
{
    fl_program *p = NULL;
    fl_text out = {0};
    CHECK_OK(fl_builder_finish(b, results, count, &p));
    if (!p) return;
    fl_program_print(p, &out);
    CHECK_STRING(out.data, text);
    fl_text_free(&out);
    fl_program_destroy(p);
}

static void elementwise(void)
{
    start();
    fl_ref x = fl_parameter(b, TYPE(F32, 2, 3)), y = fl_parameter(b, TYPE(F32, 2, 3));
    fl_ref c = fl_compare(b, FL_LT, x, y), sum = fl_add(b, x, y),
           e = fl_erf(b, y); /* one by one: C orders no arguments */
    fl_ref r = fl_cast(b, fl_select(b, c, sum, e), FL_BF16);
    expect(
        &r, 1,
        "func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xbf16> {\n"
        "  %0 = stablehlo.compare LT, %arg0, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>\n"
        "  %1 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>\n"
        "  %2 = chlo.erf %arg1 : tensor<2x3xf32> -> tensor<2x3xf32>\n"
        "  %3 = stablehlo.select %0, %1, %2 : tensor<2x3xi1>, tensor<2x3xf32>\n"
        "  %4 = stablehlo.convert %3 : (tensor<2x3xf32>) -> tensor<2x3xbf16>\n"
        "  return %4 : tensor<2x3xbf16>\n"
        "}\n");
}

static void constants(void)
{
    start();
    int32_t ints[] = {1, -2, 3, 4, 5, 6};
    float floats[] = {0.1f, INFINITY, -1, 0}, parts[] = {1, -2};
    uint8_t bools[] = {1, 0};
    fl_ref r[] = {fl_constant(b, TYPE(I32, 2, 3), ints),
                  fl_constant(b, TYPE(F32, 4), floats),
                  fl_constant(b, TYPE(I1, 2), bools),
                  fl_constant(b, SCALAR(C64), parts),
                  fl_constant(b, TYPE(F32, 0, 2), floats),
                  fl_scalar_f(b, FL_F64, 2.5),
                  fl_iota(b, TYPE(I64, 3), 0)};
    expect(r, 7,
           "func.func @main() -> (tensor<2x3xi32>, tensor<4xf32>, tensor<2xi1>, tensor<complex<f32>>, "
           "tensor<0x2xf32>, tensor<f64>, tensor<3xi64>) {\n"
           "  %0 = stablehlo.constant dense<[[1, -2, 3], [4, 5, 6]]> : tensor<2x3xi32>\n"
           "  %1 = stablehlo.constant dense<[1.000000e-01, 0x7F800000, -1.000000e+00, 0.000000e+00]> : "
           "tensor<4xf32>\n"
           "  %2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>\n"
           "  %3 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>\n"
           "  %4 = stablehlo.constant dense<> : tensor<0x2xf32>\n"
           "  %5 = stablehlo.constant dense<2.500000e+00> : tensor<f64>\n"
           "  %6 = stablehlo.iota dim = 0 : tensor<3xi64>\n"
           "  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x3xi32>, tensor<4xf32>, tensor<2xi1>, "
           "tensor<complex<f32>>, tensor<0x2xf32>, tensor<f64>, tensor<3xi64>\n"
           "}\n");
}

static void movement(void)
{
    start();
    fl_ref x = fl_parameter(b, TYPE(F32, 2, 3)), s = fl_parameter(b, SCALAR(F32)),
           i = fl_parameter(b, SCALAR(I64));
    fl_broadcast_in_dim(b, x, 3, (int64_t[]){2, 4, 3}, (int64_t[]){0, 2});
    fl_transpose(b, x, (int64_t[]){1, 0});
    fl_slice(b, x, (int64_t[]){0, 1}, (int64_t[]){2, 3}, (int64_t[]){1, 2});
    fl_pad(b, x, s, (int64_t[]){1, -1}, (int64_t[]){0, 0}, (int64_t[]){0, 1});
    fl_concat(b, (fl_ref[]){x, x}, 2, 0);
    fl_dynamic_slice(b, x, (fl_ref[]){i, i}, (int64_t[]){1, 1});
    fl_ref r = fl_reshape(b, fl_reverse(b, x, (int64_t[]){1}, 1), 1, (int64_t[]){6});
    expect(
        &r, 1,
        "func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>, %arg2: tensor<i64>) -> tensor<6xf32> {\n"
        "  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>\n"
        "  %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
        "  %2 = stablehlo.slice %arg0 [0:2, 1:3:2] : (tensor<2x3xf32>) -> tensor<2x1xf32>\n"
        "  %3 = stablehlo.pad %arg0, %arg1, low = [1, -1], high = [0, 0], interior = [0, 1] : "
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<3x4xf32>\n"
        "  %4 = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
        "tensor<4x3xf32>\n"
        "  %5 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, 1] : (tensor<2x3xf32>, tensor<i64>, "
        "tensor<i64>) -> tensor<1x1xf32>\n"
        "  %6 = stablehlo.reverse %arg0, dims = [1] : tensor<2x3xf32>\n"
        "  %7 = stablehlo.reshape %6 : (tensor<2x3xf32>) -> tensor<6xf32>\n"
        "  return %7 : tensor<6xf32>\n"
        "}\n");
}

static void products(void)
{
    start();
    fl_ref x = fl_parameter(b, TYPE(F32, 5, 2, 3)), y = fl_parameter(b, TYPE(F32, 5, 3, 4));
    fl_ref img = fl_parameter(b, TYPE(F32, 1, 4, 8)), kernel = fl_parameter(b, TYPE(F32, 6, 2, 3));
    fl_conv_dims conv = fl_conv_nchw(1);
    conv.feature_groups = 2;
    conv.padding[0] = 1;
    fl_ref r[] = {fl_matmul(b, x, y), fl_convolution(b, img, kernel, &conv, FL_DTYPE_NONE)};
    expect(r, 2,
           "func.func @main(%arg0: tensor<5x2x3xf32>, %arg1: tensor<5x3x4xf32>, %arg2: tensor<1x4x8xf32>, "
           "%arg3: tensor<6x2x3xf32>) -> (tensor<5x2x4xf32>, tensor<1x6x7xf32>) {\n"
           "  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x "
           "[1] : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>\n"
           "  %1 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window "
           "= {stride = [1], pad = [[1, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} "
           "{batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x8xf32>, "
           "tensor<6x2x3xf32>) -> tensor<1x6x7xf32>\n"
           "  return %0, %1 : tensor<5x2x4xf32>, tensor<1x6x7xf32>\n"
           "}\n");
}

static void regions(void)
{
    start();
    fl_ref x = fl_parameter(b, TYPE(I32, 4)), i = fl_parameter(b, TYPE(I64, 2)), order;
    fl_ref sum = fl_reduce_all(b, FL_OP_add, x), scan = fl_cumulative(b, FL_OP_add, x, 0);
    fl_ref sorted = fl_sort(b, x, x, 0, 1, 1, &order), picked = fl_index_select(b, x, 0, i);
    fl_ref r[] = {sum, scan, sorted, order, fl_check_index(b, picked, 0, 4, "pick \"it\"")};
    expect(r, 5,
           "func.func @main(%arg0: tensor<4xi32>, %arg1: tensor<2xi64>) -> (tensor<i32>, tensor<4xi32>, "
           "tensor<4xi32>, tensor<4xi32>, tensor<2xi32>) {\n"
           "  %0 = stablehlo.constant dense<0> : tensor<i32>\n"
           "  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : "
           "(tensor<4xi32>, tensor<i32>) -> tensor<i32>\n"
           "  %2 = stablehlo.constant dense<0> : tensor<i32>\n"
           "  %3 = \"stablehlo.reduce_window\"(%arg0, %2) <{padding = dense<[[3, 0]]> : tensor<1x2xi64>, "
           "window_dimensions = array<i64: 4>}> ({\n"
           "  ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):\n"
           "    %4 = stablehlo.add %arg2, %arg3 : tensor<i32>\n"
           "    stablehlo.return %4 : tensor<i32>\n"
           "  }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>\n"
           "  %5:2 = \"stablehlo.sort\"(%arg0, %arg0) <{dimension = 0 : i64, is_stable = true}> ({\n"
           "  ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>, %arg7: tensor<i32>):\n"
           "    %6 = stablehlo.compare GT, %arg4, %arg5 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
           "    stablehlo.return %6 : tensor<i1>\n"
           "  }) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)\n"
           "  %7 = \"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = "
           "#stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
           "slice_sizes = array<i64: 1>}> : (tensor<4xi32>, tensor<2xi64>) -> tensor<2xi32>\n"
           "  %8 = stablehlo.custom_call @fl.check_index(%7) {api_version = 4 : i32, backend_config = {high = 4 : i64, low = 0 : i64, "
           "what = \"pick \\22it\\22\"}, has_side_effect = true} : (tensor<2xi32>) -> tensor<2xi32>\n"
           "  return %1, %3, %5#0, %5#1, %8 : tensor<i32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, "
           "tensor<2xi32>\n"
           "}\n");
}

int main(void)
{
    elementwise();
    constants();
    movement();
    products();
    regions();
    return check_result();
}
