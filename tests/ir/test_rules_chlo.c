/* Rules of CHLO operations, of check and interpreter operations. */
#include "ir/rules.h"

#define LT      "comparison_direction = #chlo<comparison_direction LT>"
#define DIMS(d) "broadcast_dimensions = array<i64: " d ">"
#define RAGGED(lb, rb, lc, rc, l, r)                                                                         \
    "ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [" lb                         \
    "], rhs_batching_dimensions = [" rb "], lhs_contracting_dimensions = [" lc                               \
    "], rhs_contracting_dimensions = [" rc "], lhs_ragged_dimensions = [" l "], rhs_group_dimensions = [" r  \
    "]>"

static const rule_case elementwise[] = {
    RULE("chlo.acos", "", "", "2xf32", "2xf32", NULL),
    RULE("chlo.acosh", "", "", "complex<f64>", "complex<f64>", NULL),
    RULE("chlo.asin", "", "", "2xi32", "2xi32", "a floating-point or complex"),
    RULE("chlo.asinh", "", "", "2xf32", "2xf64", "(C1)"),
    RULE("chlo.atan", "", "", "f16", "f16", NULL),
    RULE("chlo.atanh", "", "", "bf16", "bf16", NULL),
    RULE("chlo.bessel_i1e", "", "", "f64", "f64", NULL),
    RULE("chlo.bessel_i1e", "", "", "complex<f32>", "complex<f32>", "a floating-point element type"),
    RULE("chlo.conj", "", "", "complex<f32>", "complex<f32>", NULL),
    RULE("chlo.cosh", "", "", "f32", "f32", NULL),
    RULE("chlo.digamma", "", "", "f32", "f32", NULL),
    RULE("chlo.erf", "", "", "f32", "f32", NULL),
    RULE("chlo.erf", "", "", "!quant.uniform<i8:f32,0.5>", "!quant.uniform<i8:f32,0.5>", "a floating-point"),
    RULE("chlo.erf_inv", "", "", "f32", "f32", NULL),
    RULE("chlo.erfc", "", "", "f32", "f32", NULL),
    RULE("chlo.is_inf", "", "", "2xf32", "2xi1", NULL),
    RULE("chlo.is_neg_inf", "", "", "2xf32", "2xf32", "(C1)"),
    RULE("chlo.is_pos_inf", "", "", "2xi8", "2xi1", "a floating-point"),
    RULE("chlo.lgamma", "", "", "f32", "f32", NULL),
    RULE("chlo.sinh", "", "", "f32", "f32", NULL),
    RULE("chlo.square", "", "", "complex<f32>", "complex<f32>", NULL),
    RULE("chlo.next_after", "", "", "f32 f32", "f32", NULL),
    RULE("chlo.next_after", "", "", "f32 f64", "f32", "(C1)"),
    RULE("chlo.polygamma", "", "", "f32 f32", "f32", NULL),
    RULE("chlo.zeta", "", "", "f32 f32", "f32", NULL),
    RULE("chlo.mulhi", "", "", "ui8 ui8", "ui8", NULL),
    RULE("chlo.mulhi", "", "", "f32 f32", "f32", "an integer"),
};

static const rule_case broadcasts[] = {
    RULE("chlo.broadcast_add", "", "", "2x1xf32 3xf32", "2x3xf32", NULL),
    RULE("chlo.broadcast_add", "", "", "?x1xf32 1x?xf32", "2x3xf32", NULL),
    RULE("chlo.broadcast_add", DIMS("0"), "", "2x3xf32 2xf32", "2x3xf32", NULL),
    RULE("chlo.broadcast_add", DIMS("0"), "", "2x3xf32 3xf32", "2x3xf32", "broadcasting"),
    RULE("chlo.broadcast_add", DIMS("2"), "", "2x3xf32 3xf32", "2x3xf32", "dimensions of the larger"),
    RULE("chlo.broadcast_add", DIMS("0, 1"), "", "2x3xf32 3xf32", "2x3xf32",
         "expected 1 broadcast_dimensions"),
    RULE("chlo.broadcast_add", DIMS("1, 0"), "", "2x2x2xf32 2x2xf32", "2x2x2xf32", "sorted"),
    RULE("chlo.broadcast_add", "", "", "2x3xf32 4xf32", "2x3xf32", "broadcasting"),
    RULE("chlo.broadcast_add", "", "", "2x3xf32 3xf64", "2x3xf32", "one element type"),
    RULE("chlo.broadcast_add", "", "", "2x3xf32 3xf32", "3x3xf32", "broadcasting"),
    RULE("chlo.broadcast_and", "", "", "2xi1 i1", "2xi1", NULL),
    RULE("chlo.broadcast_and", "", "", "2xf32 f32", "2xf32", "an integer or boolean"),
    RULE("chlo.broadcast_atan2", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_compare", LT, "", "2xf32 f32", "2xi1", NULL),
    RULE("chlo.broadcast_compare", LT, "", "2xf32 f32", "2xf32", "broadcasting"),
    RULE("chlo.broadcast_complex", "", "", "2xf32 f32", "2xcomplex<f32>", NULL),
    RULE("chlo.broadcast_complex", "", "", "2xf16 f16", "2xcomplex<f32>", "f32 or f64"),
    RULE("chlo.broadcast_divide", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_maximum", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_minimum", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_multiply", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_next_after", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_or", "", "", "2xi8 i8", "2xi8", NULL),
    RULE("chlo.broadcast_polygamma", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_power", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_remainder", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_shift_left", "", "", "2xi8 i8", "2xi8", NULL),
    RULE("chlo.broadcast_shift_right_arithmetic", "", "", "2xi8 i8", "2xi8", NULL),
    RULE("chlo.broadcast_shift_right_logical", "", "", "2xi1 i1", "2xi1", "an integer"),
    RULE("chlo.broadcast_subtract", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_xor", "", "", "2xi8 i8", "2xi8", NULL),
    RULE("chlo.broadcast_zeta", "", "", "2xf32 f32", "2xf32", NULL),
    RULE("chlo.broadcast_select", "", "", "i1 2x1xf32 3xf32", "2x3xf32", NULL),
    RULE("chlo.broadcast_select", "", "", "i8 2x1xf32 3xf32", "2x3xf32", "booleans"),
};

#define SUM                                                                                                  \
    "{^bb0(%x: tensor<2xi32>, %c: tensor<2xi32>): %y = \"stablehlo.add\"(%x, %c) : (tensor<2xi32>, "         \
    "tensor<2xi32>) -> "                                                                                     \
    "tensor<2xi32> \"stablehlo.return\"(%y, %y) : (tensor<2xi32>, tensor<2xi32>) -> ()}"
#define ONE  ", operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>"
#define K(k) "k = " k " : i64"

static const rule_case others[] = {
    RULE("chlo.constant_like", "value = 3.0 : f32", "", "2x?xi32", "2x?xf32", NULL),
    RULE("chlo.constant_like", "value = 3.0 : f32", "", "2x3xi32", "3x2xf32", "the operand's shape"),
    RULE("chlo.top_k", K("4"), "", "2x9xf32", "2x4xf32 2x4xi32", NULL),
    RULE("chlo.top_k", K("10"), "", "2x9xf32", "2x10xf32 2x10xi32", "[0, 9]"),
    RULE("chlo.top_k", K("4"), "", "2x9xf32", "2x4xf32 2x4xi64", "32-bit indices"),
    RULE("chlo.top_k", K("4"), "", "f32", "f32 i32", "at least one dimension"),
    RULE("chlo.top_k", K("4"), "", "9xcomplex<f32>", "4xcomplex<f32> 4xi32", "element type"),
    RULE("chlo.ragged_dot", RAGGED("", "", "1", "1", "0", "0"), "", "5x3xf32 2x3x4xf32 2xi32", "5x4xf32",
         NULL),
    RULE("chlo.ragged_dot", RAGGED("0", "1", "2", "2", "1", "0"), "", "7x5x3xf32 2x7x3x4xf32 7x2xi64",
         "7x5x4xf32", NULL),
    RULE("chlo.ragged_dot", RAGGED("0", "0", "2", "1", "2", ""), "", "7x5x3xf32 7x3x4xf32 2xi64",
         "2x7x5x4xf32", NULL),
    RULE("chlo.ragged_dot", RAGGED("0", "0", "2", "1", "0", ""), "", "7x5x3xf32 7x3x4xf32 2xi64", "7x5x4xf32",
         NULL),
    RULE("chlo.ragged_dot", RAGGED("", "", "1", "1", "0", "0"), "", "5x3xf32 2x3x4xf32 3xi32", "5x4xf32",
         "3 groups"),
    RULE("chlo.ragged_dot", RAGGED("", "", "1", "1", "0", ""), "", "5x3xf32 2x3x4xf32 2xi32", "5x4xf32",
         "1 group dimensions"),
    RULE("chlo.ragged_dot", RAGGED("", "", "1", "1", "2", "0"), "", "5x3xf32 2x3x4xf32 2xi32", "5x4xf32",
         "a dimension of lhs"),
    RULE("chlo.ragged_dot", RAGGED("", "", "1", "1", "0", "1"), "", "5x3xf32 2x3x4xf32 3xi32", "5x2x4xf32",
         "apart"),
    RULE("chlo.ragged_dot", RAGGED("", "", "1", "1", "0", "0"), "", "5x3xf32 2x3x4xf32 2xf32", "5x4xf32",
         "an integer"),
    RULE("chlo.ragged_dot", RAGGED("0", "1", "2", "2", "1", "0"), "", "7x5x3xf32 2x7x3x4xf32 6x2xi64",
         "7x5x4xf32", "group_sizes"),
    RULE("chlo.ragged_dot", RAGGED("", "", "1", "1", "0", "0"), "", "5x3xf32 2x3x4xf32 2xi32", "4x5xf32",
         "C12"),
    RULE("chlo.scan", "dimension = 1 : i64" ONE, SUM, "2x5xi32 2xi32", "2x5xi32 2xi32", NULL),
    RULE("chlo.scan", "dimension = 0 : i64, is_reverse = true" ONE, SUM, "?x2xi32 2xi32", "5x2xi32 2xi32",
         NULL),
    RULE("chlo.scan", "dimension = 2 : i64" ONE, SUM, "2x5xi32 2xi32", "2x5xi32 2xi32",
         "a dimension of every input"),
    RULE("chlo.scan", "dimension = 0 : i64" ONE, SUM, "2x5xi32 2xi32", "2x5xi32 2xi32",
         "a slice of the input"),
    RULE("chlo.scan", "dimension = 1 : i64" ONE, SUM, "2x5xi32 3xi32", "2x5xi32 2xi32", "the carry's type"),
    RULE("chlo.scan", "dimension = 1 : i64" ONE, SUM, "2x5xi32 2xi32", "2x6xi32 2xi32",
         "a slice for each step"),
    RULE("chlo.scan", "dimension = 1 : i64, scan_dim_size = 6 : i64" ONE, SUM, "2x5xi32 2xi32",
         "2x5xi32 2xi32", "the scanned dimension"),
    RULE("check.expect_eq", "", "", "2xf32 2xf32", "", NULL),
    RULE("check.expect_eq", "", "", "2xf32 3xf32", "", "one type"),
    RULE("check.expect_eq_const", "value = dense<1.0> : tensor<2xf32>", "", "2xf32", "", NULL),
    RULE("check.expect_almost_eq", "tolerance = 0.1 : f64", "", "2xf32 2xf32", "", NULL),
    RULE("check.expect_almost_eq", "tolerance = -0.1 : f64", "", "2xf32 2xf32", "", "at least 0"),
    RULE("check.expect_close", "max_ulp_difference = 3 : i64, min_ulp_difference = 0 : i64", "",
         "2xf32 2xf32", "", NULL),
    RULE("check.expect_serialized_eq", "probe_id = \"a\"", "", "2xf32", "", NULL),
    RULE("check.expect_serialized_eq", "", "", "2xf32", "", "probe_id"),
    RULE("interpreter.print", "", "", "2xf32", "", NULL),
    RULE("interpreter.probe", "probe_id = \"a\"", "", "2xf32", "2xf32", NULL),
    RULE("interpreter.probe", "probe_id = \"a\"", "", "2xf32", "3xf32", "(C1)"),
};

int main(void)
{
    CHECK_RULES(elementwise);
    CHECK_RULES(broadcasts);
    CHECK_RULES(others);
    return check_result();
}
