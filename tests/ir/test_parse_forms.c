/* Pretty forms of operations against their generic forms, which the documentation of StableHLO and CHLO gives. */
#include "ir/text_case.h"
#include "ir/text/syntax.h"

static void elementwise(void)
{
    static const char *const same[] = {"cbrt",   "cosine", "exponential", "log",
                                       "negate", "sqrt",   "tanh",        "ceil"};
    static const char *const two[] = {"add",      "atan2", "divide",    "maximum",
                                      "multiply", "power", "remainder", "subtract"};
    static const char *const arrow[] = {"acos", "asinh",   "bessel_i1e", "digamma",
                                        "erf",  "erf_inv", "lgamma",     "square"};
    char a[256], b[256];
    for (size_t i = 0; i < 8; i++) {
        snprintf(a, sizeof a, "%%0 = stablehlo.%s %%a : tensor<2xf32>", same[i]);
        snprintf(b, sizeof b, "%%0 = \"stablehlo.%s\"(%%a) : (tensor<2xf32>) -> tensor<2xf32>", same[i]);
        SAME_OP("%a: tensor<2xf32>", a, b);
        snprintf(a, sizeof a, "%%0 = stablehlo.%s %%a, %%a : tensor<2xf32>", two[i]);
        snprintf(b, sizeof b,
                 "%%0 = \"stablehlo.%s\"(%%a, %%a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
                 two[i]);
        SAME_OP("%a: tensor<2xf32>", a, b);
        snprintf(a, sizeof a, "%%0 = chlo.%s %%a : tensor<2xf32> -> tensor<2xf32>", arrow[i]);
        snprintf(b, sizeof b, "%%0 = \"chlo.%s\"(%%a) : (tensor<2xf32>) -> tensor<2xf32>", arrow[i]);
        SAME_OP("%a: tensor<2xf32>", a, b);
    }
    SAME_OP("%a: tensor<2xf32>", "%0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi8>",
            "%0 = \"stablehlo.convert\"(%a) : (tensor<2xf32>) -> tensor<2xi8>");
    SAME_OP("%a: tensor<2xcomplex<f32>>", "%0 = stablehlo.abs %a : (tensor<2xcomplex<f32>>) -> tensor<2xf32>",
            "%0 = \"stablehlo.abs\"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>");
    SAME_OP("%a: tensor<2xf64>", "%0 = stablehlo.complex %a, %a : tensor<2xcomplex<f64>>",
            "%0 = \"stablehlo.complex\"(%a, %a) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>");
    SAME_OP("%p: tensor<i1>, %a: tensor<2xi8>", "%0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<2xi8>",
            "%0 = stablehlo.select %p, %a, %a : (tensor<i1>, tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>");
    SAME_OP(
        "%a: tensor<2xf32>, %b: tensor<f32>",
        "%0 = stablehlo.clamp %b, %a, %b : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
        "%0 = \"stablehlo.clamp\"(%b, %a, %b) : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>");
    SAME_OP("%a: tensor<2xf32>", "%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2xf32>",
            "%0 = \"stablehlo.reduce_precision\"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : "
            "(tensor<2xf32>) -> tensor<2xf32>");
    SAME_OP("%a: tensor<2xf32>",
            "%0 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
            "%0 = \"stablehlo.compare\"(%a, %a) {comparison_direction = #stablehlo<comparison_direction LT>, "
            "compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<2xf32>, tensor<2xf32>) -> "
            "tensor<2xi1>");
    SAME_OP(
        "%a: tensor<2xf32>",
        "%0 = stablehlo.tan %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, ulps = 2, mode = "
        "#stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>",
        "%0 = \"stablehlo.tan\"(%a) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol "
        "= 0.0, "
        "ulps = 2, mode = #stablehlo<result_accuracy_mode TOLERANCE>>}> : (tensor<2xf32>) -> tensor<2xf32>");
    SAME_OP("%a: tensor<2xf32>", "%0 = chlo.tan %a : tensor<2xf32> -> tensor<2xf32>",
            "%0 = stablehlo.tan %a : tensor<2xf32>");
}

static void chlo(void)
{
    SAME_OP("%a: tensor<2xf32>, %b: tensor<f32>",
            "%0 = chlo.broadcast_add %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
            "%0 = \"chlo.broadcast_add\"(%a, %b) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>");
    SAME_OP(
        "%a: tensor<2xf32>, %b: tensor<f32>",
        "%0 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction GE>, "
        "broadcast_dimensions = array<i64>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>",
        "%0 = \"chlo.broadcast_compare\"(%a, %b) <{broadcast_dimensions = array<i64>, comparison_direction = "
        "#chlo.comparison_direction<GE>}> : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>");
    SAME_OP("%a: tensor<2xf32>",
            "%0 = chlo.next_after %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>",
            "%0 = \"chlo.next_after\"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>");
    SAME_OP("%a: tensor<2x5xf32>",
            "%0:2 = chlo.top_k(%a, k = 3) : tensor<2x5xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)",
            "%0, %1 = \"chlo.top_k\"(%a) <{k = 3 : i64}> : (tensor<2x5xf32>) -> (tensor<2x3xf32>, "
            "tensor<2x3xi32>)");
    SAME_OP("", "%0 = chlo.constant dense<1> : tensor<2xi32>",
            "%0 = stablehlo.constant dense<1> : tensor<2xi32>");
    SAME_OP(
        "%a: tensor<?xf32>",
        "%0 = \"chlo.constant_like\"(%a) {value = 1.5 : f32} : (tensor<?xf32>) -> tensor<?xf32>",
        "%0 = \"chlo.constant_like\"(%a) <{value = 0x3FC00000 : f32}> : (tensor<?xf32>) -> tensor<?xf32>");
    SAME_OP("%a: tensor<4xi32>, %b: tensor<i32>",
            "%0:2 = chlo.scan(%a) inits(%b) dimension=0 attributes {is_reverse = true} {\n^bb0(%x: "
            "tensor<i32>, %y: "
            "tensor<i32>):\n stablehlo.return %x, %y : tensor<i32>, tensor<i32>\n} : (tensor<4xi32>, "
            "tensor<i32>) -> "
            "(tensor<4xi32>, tensor<i32>)",
            "%0:2 = \"chlo.scan\"(%a, %b) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = "
            "array<i32: 1, 1>, "
            "resultSegmentSizes = array<i32: 1, 1>}> ({\n^bb0(%x: tensor<i32>, %y: tensor<i32>):\n "
            "\"stablehlo.return\"(%x, %y) : (tensor<i32>, tensor<i32>) -> ()\n}) : (tensor<4xi32>, "
            "tensor<i32>) -> "
            "(tensor<4xi32>, tensor<i32>)");
}

static void movement(void)
{
    SAME_OP("", "%0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>",
            "%0 = \"stablehlo.constant\"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>");
    SAME_OP("", "%0 = stablehlo.constant {mhlo.note = 1 : i32} dense<[1, 2]> : tensor<2xi32>",
            "%0 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi32>}> {mhlo.note = 1 : i32} : () "
            "-> tensor<2xi32>");
    SAME_OP("", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>",
            "%0 = \"stablehlo.iota\"() {iota_dimension = 1 : i64} : () -> tensor<2x3xi32>");
    SAME_OP("%a: tensor<3xf32>",
            "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>",
            "%0 = \"stablehlo.broadcast_in_dim\"(%a) {broadcast_dimensions = dense<1> : tensor<1xi64>} : "
            "(tensor<3xf32>) "
            "-> tensor<2x3xf32>");
    SAME_OP("%a: tensor<3xf32>",
            "%0 = stablehlo.broadcast %a, sizes = [2, 1] : (tensor<3xf32>) -> tensor<2x1x3xf32>",
            "%0 = \"stablehlo.broadcast\"(%a) <{broadcast_sizes = array<i64: 2, 1>}> : (tensor<3xf32>) -> "
            "tensor<2x1x3xf32>");
    SAME_OP("%a: tensor<3xf32>",
            "%0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>",
            "%0 = \"stablehlo.concatenate\"(%a, %a) <{dimension = 0 : i64}> : (tensor<3xf32>, tensor<3xf32>) "
            "-> tensor<6xf32>");
    SAME_OP("%a: tensor<5x6xf32>",
            "%0 = stablehlo.slice %a [1:3, 0:6:2] : (tensor<5x6xf32>) -> tensor<2x3xf32>",
            "%0 = \"stablehlo.slice\"(%a) <{start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, "
            "6>, strides = "
            "array<i64: 1, 2>}> : (tensor<5x6xf32>) -> tensor<2x3xf32>");
    SAME_OP("%a: tensor<f32>", "%0 = stablehlo.slice %a [] : (tensor<f32>) -> tensor<f32>",
            "%0 = \"stablehlo.slice\"(%a) <{start_indices = array<i64>, limit_indices = array<i64>, strides "
            "= array<i64>}> : "
            "(tensor<f32>) -> tensor<f32>");
    SAME_OP(
        "%a: tensor<5xf32>, %i: tensor<i32>",
        "%0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<5xf32>, tensor<i32>) -> tensor<2xf32>",
        "%0 = \"stablehlo.dynamic_slice\"(%a, %i) {slice_sizes = array<i64: 2>} : (tensor<5xf32>, "
        "tensor<i32>) -> "
        "tensor<2xf32>");
    SAME_OP("%a: tensor<2xf32>, %b: tensor<f32>",
            "%0 = stablehlo.pad %a, %b, low = [1], high = [-1], interior = [2] : (tensor<2xf32>, "
            "tensor<f32>) -> tensor<4xf32>",
            "%0 = \"stablehlo.pad\"(%a, %b) <{edge_padding_low = array<i64: 1>, edge_padding_high = "
            "array<i64: -1>, "
            "interior_padding = array<i64: 2>}> : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>");
    SAME_OP("%a: tensor<2x3xf32>",
            "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
            "%0 = \"stablehlo.transpose\"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> "
            "tensor<3x2xf32>");
    SAME_OP("%a: tensor<2x3xf32>", "%0 = stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xf32>",
            "%0 = \"stablehlo.reverse\"(%a) <{dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>) -> "
            "tensor<2x3xf32>");
    SAME_OP("%a: tensor<?x3xf32>",
            "%0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>",
            "%0 = \"stablehlo.get_dimension_size\"(%a) <{dimension = 0 : i64}> : (tensor<?x3xf32>) -> "
            "tensor<i32>");
    SAME_OP("%a: tensor<1xi32>", "%0 = stablehlo.dynamic_iota %a, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>",
            "%0 = \"stablehlo.dynamic_iota\"(%a) <{iota_dimension = 0 : i64}> : (tensor<1xi32>) -> "
            "tensor<?xf32>");
}

static void products(void)
{
    SAME_OP(
        "%a: tensor<4x2x3xf32>, %b: tensor<4x3x5xf32>",
        "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], "
        "precision = [HIGH, "
        "DEFAULT] : (tensor<4x2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x2x5xf32>",
        "%0 = \"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = "
        "#stablehlo.dot<lhs_batching_dimensions = [0], "
        "rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, "
        "precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}> : "
        "(tensor<4x2x3xf32>, "
        "tensor<4x3x5xf32>) -> tensor<4x2x5xf32>");
    SAME_OP("%a: tensor<2x3xf32>, %b: tensor<3x5xf32>",
            "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = "
            "<lhs_precision_type = tf32, "
            "rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, "
            "rhs_component_count = 1, "
            "num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, "
            "tensor<3x5xf32>) -> "
            "tensor<2x5xf32>",
            "%0 = \"stablehlo.dot_general\"(%a, %b) <{algorithm = "
            "#stablehlo.dot_algorithm<lhs_precision_type = tf32, "
            "rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, "
            "rhs_component_count = 1, "
            "num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = "
            "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : "
            "(tensor<2x3xf32>, "
            "tensor<3x5xf32>) -> tensor<2x5xf32>");
    SAME_OP("%a: tensor<2x3xf32>, %b: tensor<3x5xf32>",
            "%0 = stablehlo.dot %a, %b, precision = [HIGHEST, HIGHEST] : (tensor<2x3xf32>, tensor<3x5xf32>) "
            "-> tensor<2x5xf32>",
            "%0 = \"stablehlo.dot\"(%a, %b) <{precision_config = [#stablehlo<precision HIGHEST>, "
            "#stablehlo<precision "
            "HIGHEST>]}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>");
    SAME_OP(
        "%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>",
        "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
        "{stride = [2, "
        "2], pad = [[1, 0], [1, 0]], rhs_dilate = [1, 1], reverse = [0, 0]} {batch_group_count = 1 : i64, "
        "feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x4x4x6xf32>",
        "%0 = \"stablehlo.convolution\"(%a, %b) <{batch_group_count = 1 : i64, dimension_numbers = "
        "#stablehlo.conv<raw "
        "input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], "
        "kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions "
        "= [0, 1], "
        "output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, "
        "feature_group_count = 1 : i64, padding = dense<[[1, 0], [1, 0]]> : tensor<2x2xi64>, rhs_dilation = "
        "array<i64: 1, "
        "1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 2, 2>}> : "
        "(tensor<1x8x8x4xf32>, "
        "tensor<3x3x4x6xf32>) -> tensor<1x4x4x6xf32>");
    SAME_OP("%a: tensor<3x3xf32>", "%0 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>",
            "%0 = \"stablehlo.cholesky\"(%a) <{lower = true}> : (tensor<3x3xf32>) -> tensor<3x3xf32>");
    SAME_OP(
        "%a: tensor<8xf32>",
        "%0 = stablehlo.fft %a, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>",
        "%0 = \"stablehlo.fft\"(%a) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type RFFT>}> : "
        "(tensor<8xf32>) -> tensor<5xcomplex<f32>>");
    SAME_OP("%a: tensor<2x3xf32>, %b: tensor<3x5xf32>",
            "%0 = stablehlo.einsum %a, %b, config = \"ab,bc->ac\" : (tensor<2x3xf32>, tensor<3x5xf32>) -> "
            "tensor<2x5xf32>",
            "%0 = \"stablehlo.einsum\"(%a, %b) <{einsum_config = \"ab,bc->ac\"}> : (tensor<2x3xf32>, "
            "tensor<3x5xf32>) -> "
            "tensor<2x5xf32>");
    SAME_OP("%a: tensor<f32>, %s: tensor<1xi64>",
            "%0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, "
            "tensor<1xi64>) -> tensor<?xf32>",
            "%0 = \"stablehlo.rng\"(%a, %a, %s) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : "
            "(tensor<f32>, "
            "tensor<f32>, tensor<1xi64>) -> tensor<?xf32>");
    SAME_OP(
        "%a: tensor<2xui64>",
        "%0:2 = stablehlo.rng_bit_generator %a, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, "
        "tensor<3xui32>)",
        "%0:2 = \"stablehlo.rng_bit_generator\"(%a) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : "
        "(tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)");
}

#define SUM_REGION                                                                                           \
    "({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n %s = stablehlo.add %x, %y : tensor<f32>\n "               \
    "stablehlo.return %s : tensor<f32>\n})"

static void regions(void)
{
    SAME_OP("%a: tensor<2x3xf32>, %i: tensor<f32>",
            "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : "
            "(tensor<2x3xf32>, "
            "tensor<f32>) -> tensor<2xf32>",
            "%0 = \"stablehlo.reduce\"(%a, %i) <{dimensions = array<i64: 1>}> " SUM_REGION
            " : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>");
    SAME_OP("%a: tensor<3xf32>, %b: tensor<3xi32>, %i: tensor<f32>, %j: tensor<i32>",
            "%0:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [0] : (tensor<3xf32>, "
            "tensor<3xi32>, "
            "tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)\n reducer(%p: tensor<f32>, %q: "
            "tensor<f32>) (%r: "
            "tensor<i32>, %s: tensor<i32>) {\n stablehlo.return %q, %r : tensor<f32>, tensor<i32>\n}",
            "%0:2 = \"stablehlo.reduce\"(%a, %b, %i, %j) ({\n^bb0(%p: tensor<f32>, %r: tensor<i32>, %q: "
            "tensor<f32>, %s: "
            "tensor<i32>):\n stablehlo.return %q, %r : tensor<f32>, tensor<i32>\n}) {dimensions = array<i64: "
            "0>} : "
            "(tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)");
    SAME_OP("%a: tensor<i32>, %b: tensor<f32>",
            "%0:2 = stablehlo.while(%x = %a, %y = %b) : tensor<i32>, tensor<f32> attributes {mhlo.note}\n "
            "cond {\n %c = "
            "stablehlo.compare LT, %x, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %c : "
            "tensor<i1>\n} do "
            "{\n stablehlo.return %x, %y : tensor<i32>, tensor<f32>\n}",
            "%0:2 = \"stablehlo.while\"(%a, %b) ({\n^bb0(%x: tensor<i32>, %y: tensor<f32>):\n %c = "
            "stablehlo.compare LT, %x, %a "
            ": (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %c : tensor<i1>\n}, {\n^bb0(%x: "
            "tensor<i32>, %y: "
            "tensor<f32>):\n stablehlo.return %x, %y : tensor<i32>, tensor<f32>\n}) {mhlo.note} : "
            "(tensor<i32>, tensor<f32>) "
            "-> (tensor<i32>, tensor<f32>)");
    SAME_OP("%a: tensor<f32>", "%0 = stablehlo.optimization_barrier %a : tensor<f32>",
            "%0 = \"stablehlo.optimization_barrier\"(%a) : (tensor<f32>) -> tensor<f32>");
    SAME_OP("", "stablehlo.optimization_barrier ()", "\"stablehlo.optimization_barrier\"() : () -> ()");
    SAME_OP(
        "%a: tensor<f32>, %t: !stablehlo.token",
        "%0 = stablehlo.tuple %a, %t : tuple<tensor<f32>, !stablehlo.token>\n%1 = "
        "stablehlo.get_tuple_element %0[1] : "
        "(tuple<tensor<f32>, !stablehlo.token>) -> !stablehlo.token",
        "%0 = \"stablehlo.tuple\"(%a, %t) : (tensor<f32>, !stablehlo.token) -> tuple<tensor<f32>, "
        "!stablehlo.token>\n%1 = "
        "\"stablehlo.get_tuple_element\"(%0) <{index = 1 : i32}> : (tuple<tensor<f32>, !stablehlo.token>) -> "
        "!stablehlo.token");
    SAME_OP(
        "%t: !stablehlo.token",
        "%0 = stablehlo.create_token : !stablehlo.token\n%1 = stablehlo.after_all %t, %0 : !stablehlo.token",
        "%0 = \"stablehlo.create_token\"() : () -> !stablehlo.token\n%1 = \"stablehlo.after_all\"(%t, %0) : "
        "(!stablehlo.token, !stablehlo.token) -> !stablehlo.token");
    SAME_OP("", "%0 = stablehlo.partition_id : tensor<ui32>",
            "%0 = \"stablehlo.partition_id\"() : () -> tensor<ui32>");
}

static void calls(void)
{
    SAME_OP("%a: tensor<f32>",
            "%0 = stablehlo.custom_call @target(%a) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>",
            "%0 = \"stablehlo.custom_call\"(%a) <{call_target_name = \"target\", has_side_effect = true}> : "
            "(tensor<f32>) -> "
            "tensor<f32>");
    SAME_OP(
        "%a: tensor<2x3xf32>",
        "%0 = stablehlo.custom_call @\"a b\"(%a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], "
        "result_layouts = "
        "[dense<[1, 0]> : tensor<2xindex>], api_version = 4 : i32, backend_config = {x = 1 : i64}} : "
        "(tensor<2x3xf32>) -> "
        "tensor<2x3xf32>",
        "%0 = \"stablehlo.custom_call\"(%a) {backend_config = {x = 1 : i64}, api_version = 4 : i32, "
        "call_target_name = "
        "\"a\\20b\", result_layouts = [dense<[1, 0]> : tensor<2xindex>], operand_layouts = [dense<[0, 1]> : "
        "tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>");
    SAME_TEXT("func.func private @g(tensor<f32>) -> (tensor<f32>, tensor<i32>)\nfunc.func @f(%a: "
              "tensor<f32>) {\n%0:2 = call "
              "@g(%a) : (tensor<f32>) -> (tensor<f32>, tensor<i32>)\nreturn\n}",
              "func.func private @g(tensor<f32>) -> (tensor<f32>, tensor<i32>)\nfunc.func @f(%a: "
              "tensor<f32>) {\n%0, %1 = "
              "\"func.call\"(%a) <{callee = @g}> : (tensor<f32>) -> (tensor<f32>, "
              "tensor<i32>)\n\"func.return\"() : () -> "
              "()\n}");
    SAME_TEXT("func.func private @g(tensor<f32>) -> tensor<f32>\nfunc.func @f(%a: tensor<f32>) {\n%0 = "
              "stablehlo.composite "
              "\"my.op\" %a {composite_attributes = {n = 2 : i64}, decomposition = @g, version = 1 : i32} : "
              "(tensor<f32>) -> "
              "tensor<f32>\nreturn\n}",
              "func.func private @g(tensor<f32>) -> tensor<f32>\nfunc.func @f(%a: tensor<f32>) {\n%0 = "
              "\"stablehlo.composite\"(%a) <{name = \"my.op\", composite_attributes = {n = 2 : i64}, "
              "decomposition = @g, version "
              "= 1 : i32}> : (tensor<f32>) -> tensor<f32>\nreturn\n}");
    SAME_OP("%a: tensor<2xf32>",
            "check.expect_close %a, %a, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<2xf32>, "
            "tensor<2xf32>",
            "\"check.expect_close\"(%a, %a) <{max_ulp_difference = 3 : ui64, min_ulp_difference = 1 : ui64}> "
            ": (tensor<2xf32>, "
            "tensor<2xf32>) -> ()");
    SAME_OP("%a: tensor<2xf32>",
            "check.expect_almost_eq_const %a, dense<1.0> : tensor<2xf32>, tolerance = 1.0e-3",
            "\"check.expect_almost_eq_const\"(%a) <{value = dense<1.0> : tensor<2xf32>, tolerance = 1.0e-3 : "
            "f64}> : "
            "(tensor<2xf32>) -> ()");
    SAME_OP("%a: tensor<2xf32>", "check.expect_almost_eq %a, %a, tolerance = 0.5 : f64 : tensor<2xf32>",
            "\"check.expect_almost_eq\"(%a, %a) <{tolerance = 0.5 : f64}> : (tensor<2xf32>, tensor<2xf32>) "
            "-> ()");
    SAME_OP("%a: tensor<2xf32>",
            "%0 = interpreter.probe %a, probe_id = \"p\" : tensor<2xf32>\n"
            "check.expect_serialized_eq %a, probe_id = \"p\", iter = 2 : tensor<2xf32>",
            "%0 = \"interpreter.probe\"(%a) <{probe_id = \"p\"}> : (tensor<2xf32>) -> tensor<2xf32>\n"
            "\"check.expect_serialized_eq\"(%a) <{iteration = 2 : ui32, probe_id = \"p\"}> : (tensor<2xf32>) "
            "-> ()");
}

/* Shardy's operations, whose attributes are kept as text. */
static void placements(void)
{
    SAME_OP("%a: tensor<4xf32>",
            "%0 = sdy.sharding_constraint %a <@mesh, [{\"x\", ?}]> : tensor<4xf32>\n"
            "%1 = sdy.reshard %0 <@mesh, [{}]> {a = 1 : i64} : tensor<4xf32>\n"
            "%2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD : tensor<4xf32>\n"
            "sdy.sharding_group %2 group_id=21 : tensor<4xf32>",
            "%0 = \"sdy.sharding_constraint\"(%a) <{sharding = #sdy.sharding<@mesh, [{\"x\", ?}]>}> : "
            "(tensor<4xf32>) -> tensor<4xf32>\n"
            "%1 = \"sdy.reshard\"(%0) <{sharding = #sdy.sharding<@mesh, [{}]>}> {a = 1 : i64} : "
            "(tensor<4xf32>) -> tensor<4xf32>\n"
            "%2 = \"sdy.propagation_barrier\"(%1) <{allowed_direction = 2 : i32}> : (tensor<4xf32>) -> "
            "tensor<4xf32>\n"
            "\"sdy.sharding_group\"(%2) <{group_id = 21 : i64}> : (tensor<4xf32>) -> ()");
    SAME_OP(
        "%a: tensor<4x8xf32>",
        "%0 = sdy.all_gather [{}, {\"x\":(1)2}] %a out_sharding=<@m, [{\"y\"}, {}]> : tensor<4x8xf32>\n"
        "%1 = sdy.all_slice [{}, {\"x\"}] %0 out_sharding=<@m, [{\"y\"}, {\"x\"}]> {a = 1 : i64} : "
        "tensor<4x8xf32>\n"
        "%2 = sdy.all_to_all [{\"x\"}: 1->0] %1 out_sharding=<@m, [{\"y\", \"x\"}, {}]> : tensor<4x8xf32>\n"
        "%3 = sdy.collective_permute %2 out_sharding=<@m, [{\"x\", \"y\"}, {}]> : tensor<4x8xf32>\n"
        "%4 = sdy.reduce_scatter [{}, {\"z\"}] %3 out_sharding=<@m, [{\"x\"}, {\"z\"}]> : tensor<4x8xf32>",
        "%0 = \"sdy.all_gather\"(%a) <{gathering_axes = #sdy<list_of_axis_ref_lists[{}, {\"x\":(1)2}]>, "
        "out_sharding = #sdy.sharding<@m, [{\"y\"}, {}]>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"
        "%1 = \"sdy.all_slice\"(%0) <{out_sharding = #sdy.sharding<@m, [{\"y\"}, {\"x\"}]>, slicing_axes = "
        "#sdy<list_of_axis_ref_lists[{}, {\"x\"}]>}> {a = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"
        "%2 = \"sdy.all_to_all\"(%1) <{out_sharding = #sdy.sharding<@m, [{\"y\", \"x\"}, {}]>, params = "
        "#sdy<all_to_all_param_list[{\"x\"}: 1->0]>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"
        "%3 = \"sdy.collective_permute\"(%2) <{out_sharding = #sdy.sharding<@m, [{\"x\", \"y\"}, {}]>}> : "
        "(tensor<4x8xf32>) -> tensor<4x8xf32>\n"
        "%4 = \"sdy.reduce_scatter\"(%3) <{out_sharding = #sdy.sharding<@m, [{\"x\"}, {\"z\"}]>, "
        "reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{}, {\"z\"}]>}> : (tensor<4x8xf32>) -> "
        "tensor<4x8xf32>");
    SAME_OP("%a: tensor<4x8xf32>",
            "%0 = sdy.sharded_to_unreduced [{\"z\"}, {}] %a out_sharding=<@m, [{}, {}], unreduced={\"z\"}> : "
            "tensor<4x8xf32>\n"
            "%1 = sdy.all_reduce {\"z\"} %0 out_sharding=<@m, [{}, {}]> : tensor<4x8xf32>\n"
            "%2 = sdy.replicated_to_unreduced {\"z\"} %1 out_sharding=<@m, [{}, {}], unreduced={\"z\"}> : "
            "tensor<4x8xf32>",
            "%0 = \"sdy.sharded_to_unreduced\"(%a) <{axes = #sdy<list_of_axis_ref_lists[{\"z\"}, {}]>, "
            "out_sharding = "
            "#sdy.sharding<@m, [{}, {}], unreduced={\"z\"}>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"
            "%1 = \"sdy.all_reduce\"(%0) <{out_sharding = #sdy.sharding<@m, [{}, {}]>, reduction_axes = "
            "#sdy<axis_ref_list{\"z\"}>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>\n"
            "%2 = \"sdy.replicated_to_unreduced\"(%1) <{axes = #sdy<axis_ref_list{\"z\"}>, out_sharding = "
            "#sdy.sharding<@m, [{}, {}], unreduced={\"z\"}>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>");
    SAME_OP("%a: tensor<4xf32>",
            "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] out_shardings=[<@mesh, "
            "[{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<2xf32>) {\n"
            "%1 = stablehlo.sine %b : tensor<2xf32>\nsdy.return %1 : tensor<2xf32>\n} : (tensor<4xf32>) -> "
            "tensor<4xf32>\n"
            "%2 = sdy.named_computation<\"f\">(%0) in_shardings=[<@mesh, [{}]>] (%c: tensor<4xf32>) {\n"
            "sdy.return %c : tensor<4xf32>\n} : (tensor<4xf32>) -> tensor<4xf32>",
            "%0 = \"sdy.manual_computation\"(%a) <{in_shardings = #sdy.sharding_per_value<[<@mesh, "
            "[{\"x\"}]>]>, manual_axes = #sdy<manual_axes{\"x\"}>, out_shardings = "
            "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>}> ({\n^bb0(%b: tensor<2xf32>):\n"
            "%1 = stablehlo.sine %b : tensor<2xf32>\n\"sdy.return\"(%1) : (tensor<2xf32>) -> ()\n}) : "
            "(tensor<4xf32>) -> tensor<4xf32>\n"
            "%2 = \"sdy.named_computation\"(%0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>]>, "
            "name = \"f\"}> ({\n^bb0(%c: tensor<4xf32>):\nsdy.return %c : tensor<4xf32>\n}) : "
            "(tensor<4xf32>) -> tensor<4xf32>");
}

/* Each operation's name leads back to it, and its parts write what it has. */
static void table(void)
{
    for (int code = 1; code < FL_OPCODE_COUNT; code++) {
        for (const fl_part *part = fl_syntax[code]; part && part->kind != FL_PART_END; part++)
            if (part->key)
                CHECK(fl_syntax_find((fl_opcode)code, fl_syntax_attr((fl_opcode)code, (fl_attr_key)part->key),
                                     strlen(fl_syntax_attr((fl_opcode)code, (fl_attr_key)part->key))) ==
                      part->key);
        const fl_struct_info *info;
        for (unsigned i = 0; (info = fl_syntax_struct((fl_opcode)code, i)) != NULL; i++)
            CHECK(info->code == code);
    }
    CHECK_STRING(fl_syntax_name(FL_OP_cross_replica_sum), "stablehlo.cross-replica-sum");
    CHECK_STRING(fl_enum_name(FL_ATTR_transpose_a, FL_ADJOINT), "ADJOINT");
    CHECK_INT(fl_enum_value(FL_ATTR_fft_type, "IRFFT", 5), FL_IRFFT);
    CHECK_INT(fl_enum_value(FL_ATTR_fft_type, "IRFF", 4), -1);
}

int main(void)
{
    elementwise();
    chlo();
    movement();
    products();
    regions();
    calls();
    placements();
    table();
    return check_result();
}
