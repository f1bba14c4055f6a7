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
           "  %8 = stablehlo.custom_call @fl.check_index(%7) {api_version = 4 : i32, backend_config = {high "
           "= 4 : i64, low = 0 : i64, "
           "what = \"pick \\22it\\22\"}, has_side_effect = true} : (tensor<2xi32>) -> tensor<2xi32>\n"
           "  return %1, %3, %5#0, %5#1, %8 : tensor<i32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, "
           "tensor<2xi32>\n"
           "}\n");
}

/* ---- modules, types, literals ---- */

static void expect_module(const char *text)
{
    fl_program *p = NULL;
    fl_text out = {0};
    CHECK_OK(fl_builder_finish_module(b, &p));
    if (!p) return;
    fl_program_print(p, &out);
    CHECK_STRING(out.data, text);
    fl_text_free(&out);
    fl_program_destroy(p);
}

static fl_literal *kept(fl_literal literal)
{
    return fl_literal_keep(&b->program->arena, &literal);
}

static void modules(void)
{
    start();
    fl_type open = TYPE(F32, FL_DYNAMIC, 3), pair[] = {open, {.kind = FL_TYPE_TOKEN}};
    fl_func *declared = fl_func_begin(b, "outside world", pair, 2);
    fl_func_declare(b, declared, pair, 2);
    declared->visibility = FL_PRIVATE;
    fl_func *f = fl_func_begin(b, "main", &open, 1);
    fl_ref x = fl_block_arg(f->body, 0), r = fl_add(b, x, x);
    fl_entry flag = {"jax.flag", {.kind = FL_LIT_UNIT}},
             number = {"mhlo.num_replicas", {.kind = FL_LIT_INT, .dtype = FL_I32, .u.i = 2}};
    fl_literal flags = {.kind = FL_LIT_DICT, .count = 1, .u.entries = &flag};
    fl_last_op(b)->extra = kept(flags);
    fl_func_end(b, f, &r, 1);
    f->visibility = FL_PUBLIC;
    f->arg_attrs = f->result_attrs = kept((fl_literal){.kind = FL_LIT_ARRAY, .count = 1, .u.items = &flags});
    f->attrs = kept(flags);
    fl_literal mesh = {.kind = FL_LIT_OPAQUE, .count = 26, .u.string = "sdy.mesh @mesh = <[\"x\"=2]>"};
    b->program->module_name = "jit_f";
    b->program->module_attrs = kept((fl_literal){.kind = FL_LIT_DICT, .count = 1, .u.entries = &number});
    b->program->module_ops = kept((fl_literal){.kind = FL_LIT_ARRAY, .count = 1, .u.items = &mesh});
    expect_module(
        "module @jit_f attributes {mhlo.num_replicas = 2 : i32} {\n"
        "  sdy.mesh @mesh = <[\"x\"=2]>\n"
        "  func.func private @\"outside world\"(tensor<?x3xf32>, !stablehlo.token) -> (tensor<?x3xf32>, "
        "!stablehlo.token)\n"
        "  func.func public @main(%arg0: tensor<?x3xf32> {jax.flag}) -> (tensor<?x3xf32> {jax.flag}) "
        "attributes {jax.flag} {\n"
        "    %0 = stablehlo.add %arg0, %arg0 {jax.flag} : tensor<?x3xf32>\n"
        "    return %0 : tensor<?x3xf32>\n"
        "  }\n"
        "}\n");
}

static void literals(void)
{
    fl_literal numbers[] = {{.kind = FL_LIT_INT, .dtype = FL_I64, .u.i = -1},
                            {.kind = FL_LIT_INT, .dtype = FL_U64, .u.i = -1},
                            {.kind = FL_LIT_INT, .dtype = FL_IDX, .u.i = 3},
                            {.kind = FL_LIT_BOOL, .dtype = FL_I1, .u.i = 1},
                            {.kind = FL_LIT_FLOAT, .dtype = FL_F32, .u.f = 0.1f},
                            {.kind = FL_LIT_FLOAT, .dtype = FL_F64, .u.f = -INFINITY},
                            {.kind = FL_LIT_INTS, .dtype = FL_I1, .count = 2, .u.ints = (int64_t[]){1, 0}},
                            {.kind = FL_LIT_INTS, .dtype = FL_I32},
                            {.kind = FL_LIT_INTS, .dtype = FL_IDX, .count = 2, .u.ints = (int64_t[]){1, 0}}};
    fl_type matrix = TYPE(I32, 2, 2), element = {.kind = FL_TYPE_ELEMENT, .dtype = FL_BF16};
    fl_entry entries[] = {
        {"array", {.kind = FL_LIT_ARRAY, .count = 9, .u.items = numbers}},
        {"dense", {.kind = FL_LIT_DENSE, .count = 16, .type = &matrix, .u.data = (int32_t[]){1, 2, 3, 4}}},
        {"odd name", {.kind = FL_LIT_STRING, .count = 6, .u.string = "a\n\\\"\xc3\xa9"}},
        {"splat", {.kind = FL_LIT_DENSE, .count = 4, .type = &matrix, .u.data = (int32_t[]){7}}},
        {"symbol", {.kind = FL_LIT_SYMBOL, .count = 3, .u.string = "a-b"}},
        {"type", {.kind = FL_LIT_TYPE, .type = &element}},
        {"unit", {.kind = FL_LIT_UNIT}}};
    start();
    fl_func *f = fl_func_begin(b, "main", NULL, 0);
    fl_func_end(b, f, NULL, 0);
    f->attrs = kept((fl_literal){.kind = FL_LIT_DICT, .count = 7, .u.entries = entries});
    expect_module(
        "func.func @main() attributes {array = [-1 : i64, 18446744073709551615 : ui64, 3 : index, true, "
        "1.000000e-01 : f32, 0xFFF0000000000000 : f64, array<i1: true, false>, array<i32>, dense<[1, 0]> : "
        "tensor<2xindex>], dense = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>, \"odd name\" = "
        "\"a\\0A\\\\\\22\\C3\\A9\", splat = dense<7> : tensor<2x2xi32>, symbol = @\"a-b\", type = bf16, "
        "unit} {\n"
        "  return\n"
        "}\n");
}

static void types(void)
{
    fl_type f32 = SCALAR(F32);
    fl_type_more bounds = {.bounds = (int64_t[]){FL_DYNAMIC, 4}},
                 members = {.count = 2, .members = (fl_type[]){f32, {.kind = FL_TYPE_TOKEN}}};
    fl_quant tensor = {FL_I8, FL_F32, -1, 1, -127, 127, (double[]){0.5}, (int64_t[]){0}};
    fl_quant axis = {FL_U4, FL_BF16, 1, 2, 0, 15, (double[]){0.1, 2}, (int64_t[]){3, 0}};
    fl_type_more quantized = {.quant = &tensor}, per_axis = {.quant = &axis},
                 encoded = {.encoding = "\"rows\""};
    fl_type args[] = {TYPE(F32, 2, FL_DYNAMIC),
                      TYPE(I8, 2),
                      TYPE(U4, FL_DYNAMIC, 2),
                      {.kind = FL_TYPE_TUPLE, .more = &members},
                      {.kind = FL_TYPE_FUTURE, .more = &members},
                      TYPE(F32, 2),
                      {.kind = FL_TYPE_UNRANKED, .dtype = FL_F32},
                      {.kind = FL_TYPE_TUPLE}};
    args[0].more = &bounds;
    args[1].more = &quantized;
    args[2].more = &per_axis;
    args[5].more = &encoded;
    start();
    fl_func *f = fl_func_begin(b, "main", args, 8);
    fl_func_end(b, f, NULL, 0);
    expect_module(
        "func.func @main(%arg0: tensor<2x?xf32, #stablehlo.bounds<?, 4>>, %arg1: "
        "tensor<2x!quant.uniform<i8<-127:127>:f32, 5.000000e-01>>, %arg2: "
        "tensor<?x2x!quant.uniform<u4:bf16:1, {1.000000e-01:3,2.000000e+00}>>, %arg3: tuple<tensor<f32>, "
        "!stablehlo.token>, %arg4: !stablehlo.future<tensor<f32>, !stablehlo.token>, %arg5: tensor<2xf32, "
        "\"rows\">, %arg6: tensor<*xf32>, %arg7: tuple<>) {\n"
        "  return\n"
        "}\n");
}

/* while and a reduction that is more than one operation: regions with names of their own */
static void pretty_regions(void)
{
    start();
    fl_ref x = fl_parameter(b, TYPE(F32, 4)), limit = fl_parameter(b, SCALAR(F32)), r, pair[2];
    fl_type scalar = SCALAR(F32), types[] = {scalar, scalar};
    fl_block *regions[2];
    regions[0] = fl_region_begin(b, types, 1);
    r = fl_compare(b, FL_LT, fl_block_arg(regions[0], 0), limit);
    fl_region_end(b, regions[0], &r, 1);
    regions[1] = fl_region_begin(b, types, 1);
    r = fl_add(b, fl_block_arg(regions[1], 0), fl_block_arg(regions[1], 0));
    fl_region_end(b, regions[1], &r, 1);
    pair[0] = fl_build(b, FL_OP_while, &limit, 1, NULL, 0, regions, 2);
    regions[0] = fl_region_begin(b, types, 2);
    r = fl_sub(b, fl_block_arg(regions[0], 1), fl_block_arg(regions[0], 0));
    fl_region_end(b, regions[0], &r, 1);
    fl_attr dims = {.key = FL_ATTR_dimensions, .count = 1, .u.ints = (int64_t[]){0}};
    pair[1] = fl_build(b, FL_OP_reduce, (fl_ref[]){x, limit}, 2, &dims, 1, regions, 1);
    expect(pair, 2,
           "func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {\n"
           "  %0 = stablehlo.while(%arg2 = %arg1) : tensor<f32>\n"
           "  cond {\n"
           "    %1 = stablehlo.compare LT, %arg2, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
           "    stablehlo.return %1 : tensor<i1>\n"
           "  } do {\n"
           "    %2 = stablehlo.add %arg2, %arg2 : tensor<f32>\n"
           "    stablehlo.return %2 : tensor<f32>\n"
           "  }\n"
           "  %3 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<4xf32>, "
           "tensor<f32>) -> "
           "tensor<f32>\n"
           "    reducer(%arg3: tensor<f32>, %arg4: tensor<f32>) {\n"
           "      %4 = stablehlo.subtract %arg4, %arg3 : tensor<f32>\n"
           "      stablehlo.return %4 : tensor<f32>\n"
           "    }\n"
           "  return %0, %3 : tensor<f32>, tensor<f32>\n"
           "}\n");
}

/* Each bit pattern comes back from its text. */
static void numbers(void)
{
    start();
    uint32_t f32[] = {0x7fc00001, 0x80000000, 1, 0x3dcccccd, 0x7f7fffff};
    uint16_t f16[] = {0x7e01, 0x0001, 0xc000};
    uint8_t f8[] = {0x7f, 0x38, 0x80}, f4[] = {0x0, 0x7, 0x9}, i4[] = {0xf8, 7}, u2[] = {0, 3};
    uint64_t f64[] = {0x7ff0000000000001, 0x3fb999999999999a};
    int8_t many[70];
    for (int i = 0; i < 70; i++) many[i] = (int8_t)i;
    fl_ref r[] = {fl_constant(b, TYPE(F32, 5), f32),     fl_constant(b, TYPE(F16, 3), f16),
                  fl_constant(b, TYPE(F8E4M3FN, 3), f8), fl_constant(b, TYPE(F4E2M1FN, 3), f4),
                  fl_constant(b, TYPE(I4, 2), i4),       fl_constant(b, TYPE(U2, 2), u2),
                  fl_constant(b, TYPE(F64, 2), f64),     fl_constant(b, TYPE(I8, 70), many)};
    expect(
        r, 1,
        "func.func @main() -> tensor<5xf32> {\n"
        "  %0 = stablehlo.constant dense<[0x7FC00001, -0.000000e+00, 1.401298e-45, 1.000000e-01, "
        "3.4028235e+38]> : "
        "tensor<5xf32>\n"
        "  %1 = stablehlo.constant dense<[0x7E01, 5.9604645e-08, -2.000000e+00]> : tensor<3xf16>\n"
        "  %2 = stablehlo.constant dense<[0x7F, 1.000000e+00, -0.000000e+00]> : tensor<3xf8E4M3FN>\n"
        "  %3 = stablehlo.constant dense<[0.000000e+00, 6.000000e+00, -5.000000e-01]> : tensor<3xf4E2M1FN>\n"
        "  %4 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>\n"
        "  %5 = stablehlo.constant dense<[0, 3]> : tensor<2xui2>\n"
        "  %6 = stablehlo.constant dense<[0x7FF0000000000001, 1.000000e-01]> : tensor<2xf64>\n"
        "  %7 = stablehlo.constant "
        "dense<\"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F2021222324"
        "25262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445\"> : tensor<70xi8>\n"
        "  return %0 : tensor<5xf32>\n"
        "}\n");
}

int main(void)
{
    modules();
    literals();
    types();
    pretty_regions();
    numbers();
    elementwise();
    constants();
    movement();
    products();
    regions();
    return check_result();
}
