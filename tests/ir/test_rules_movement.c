/* Rules of operations that make, place and reorder elements, with fixed and with computed shapes. */
#include "ir/rules.h"

#define Q  "!quant.uniform<i8:f32,0.5:1>"
#define Q2 "!quant.uniform<i8:f32,0.25>"
#define QA "!quant.uniform<i8:f32:0,{0.5,0.25}>"
#define QB "!quant.uniform<i8:f32:1,{0.5,0.25}>"
#define QC "!quant.uniform<i8:f32:0,{0.5,0.5}>"
#define Q1 "!quant.uniform<i8:f32:0,{0.5}>"
#define PAD(low, high, interior)                                                                             \
    "edge_padding_low = array<i64: " low ">, edge_padding_high = array<i64: " high                           \
    ">, interior_padding = array<i64: " interior ">"
#define SLICE(start, limit, strides)                                                                         \
    "start_indices = array<i64: " start ">, limit_indices = array<i64: " limit                               \
    ">, strides = array<i64: " strides ">"
#define BROADCAST(dims) "broadcast_dimensions = array<i64: " dims ">"

static const rule_case sources[] = {
    RULE("constant", "value = dense<[1.0, 2.0]> : tensor<2xf32>", "", "", "2xf32", NULL),
    RULE("constant", "value = dense<1.0> : tensor<2xf32>", "", "", "2xf32", NULL),
    RULE("constant", "value = dense<[1.0, 2.0]> : tensor<2xf32>", "", "", "3xf32",
         "expected elements of type tensor<3xf32>"),
    RULE("iota", "iota_dimension = 1 : i64", "", "", "2x3xcomplex<f32>", NULL),
    RULE("iota", "iota_dimension = 0 : i64", "", "", "2x" Q, NULL),
    RULE("iota", "iota_dimension = 2 : i64", "", "", "2x3xf32", "(C1)"),
    RULE("iota", "iota_dimension = 0 : i64", "", "", "2xi1", "an integer, floating-point or complex"),
    RULE("dynamic_iota", "iota_dimension = 0 : i64", "", "2xi64", "?x?xf32", NULL),
    RULE("dynamic_iota", "iota_dimension = 2 : i64", "", "2xi64", "?x?xf32", "(C1)"),
    RULE("dynamic_iota", "iota_dimension = 0 : i64", "", "3xi64", "?x?xf32", "(C2)"),
    RULE("dynamic_iota", "iota_dimension = 0 : i64", "", "2xf32", "?x?xf32", "(C2)"),
    RULE("bitcast_convert", "", "", "2xi32", "2x4xi8", NULL),
    RULE("bitcast_convert", "", "", "2x4xi8", "2xf32", NULL),
    RULE("bitcast_convert", "", "", "2xf32", "2xi32", NULL),
    RULE("bitcast_convert", "", "", "2x" QA, "2xi8", NULL),
    RULE("bitcast_convert", "", "", "?x?xi8", "2xf32", NULL),
    RULE("bitcast_convert", "", "", "2xf32", "3xi32", "(C1)"),
    RULE("bitcast_convert", "", "", "2xi32", "2x2xi8", "(C1)"),
    RULE("bitcast_convert", "", "", "2x3xi8", "2xi32", "(C1)"),
    RULE("bitcast_convert", "", "", "i8", "i32", "(C1)"),
    RULE("bitcast_convert", "", "", "2xf6E2M3FN", "2xi8", "(C1)"),
    RULE("bitcast_convert", "", "", "2xcomplex<f32>", "2xf64", "(C2)"),
};

static const rule_case shapes[] = {
    RULE("broadcast", "broadcast_sizes = array<i64: 2, 3>", "", "4xf32", "2x3x4xf32", NULL),
    RULE("broadcast", "broadcast_sizes = array<i64: 2>", "", "4xf32", "3x4xf32",
         "result of type tensor<2x4xf32>"),
    RULE("broadcast", "broadcast_sizes = array<i64: -2>", "", "4xf32", "2x4xf32", "at least 0"),
    RULE("broadcast_in_dim", BROADCAST("1"), "", "3xf32", "2x3xf32", NULL),
    RULE("broadcast_in_dim", BROADCAST("0"), "", "1xf32", "2x3xf32", NULL),
    RULE("broadcast_in_dim", BROADCAST("1"), "", "2x" QA, "3x2x" QB, NULL),
    RULE("broadcast_in_dim", BROADCAST("0"), "", "1x" Q1, "2x" QC, NULL),
    RULE("broadcast_in_dim", BROADCAST("1"), "", "3xf32", "2x3xf64", "(C1)"),
    RULE("broadcast_in_dim", BROADCAST("1"), "", "3x" Q, "2x3x" Q2, "(C1)"),
    RULE("broadcast_in_dim", BROADCAST("0, 1"), "", "3xf32", "2x3xf32", "(C2)"),
    RULE("broadcast_in_dim", BROADCAST("2"), "", "3xf32", "2x3xf32", "(C3, C4)"),
    RULE("broadcast_in_dim", BROADCAST("1, 1"), "", "1x1xf32", "2x3xf32", "(C3, C4)"),
    RULE("broadcast_in_dim", BROADCAST("0"), "", "3xf32", "2x3xf32", "(C5)"),
    RULE("broadcast_in_dim", BROADCAST("0"), "", "2x" QA, "2x2x" QB, "(C6)"),
    RULE("broadcast_in_dim", BROADCAST("0"), "", "1x" Q1, "2x" QA, "(C6)"),
    RULE("dynamic_broadcast_in_dim", BROADCAST("1"), "", "?xf32 2xi64", "?x?xf32", NULL),
    RULE("dynamic_broadcast_in_dim",
         BROADCAST(
             "1") ", known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64>",
         "", "?xf32 2xindex", "?x?xf32", NULL),
    RULE("dynamic_broadcast_in_dim", BROADCAST("1"), "", "?xf32 3xi64", "?x?xf32", "(C7)"),
    RULE("dynamic_broadcast_in_dim", BROADCAST("2"), "", "?xf32 2xi64", "?x?xf32", "(C3, C4)"),
    RULE("dynamic_broadcast_in_dim", BROADCAST("1"), "", "3xf32 2xi64", "?x4xf32", "(C5)"),
    RULE("dynamic_broadcast_in_dim",
         BROADCAST("1") ", known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = "
                        "array<i64: 0>",
         "", "?xf32 2xi64", "?x?xf32", "(C8)"),
    RULE("dynamic_broadcast_in_dim", BROADCAST("1") ", known_expanding_dimensions = array<i64: 1>", "",
         "?xf32 2xi64", "?x?xf32", "C9"),
    RULE("dynamic_broadcast_in_dim", BROADCAST("1") ", known_nonexpanding_dimensions = array<i64: 1>", "",
         "?xf32 2xi64", "?x?xf32", "C10"),
    RULE("reshape", "", "", "2x6xf32", "3x4xf32", NULL),
    RULE("reshape", "", "", "2x6x" QA, "2x3x2x" QA, NULL),
    RULE("reshape", "", "", "6x2x" QB, "3x2x2x!quant.uniform<i8:f32:2,{0.5,0.25}>", NULL),
    RULE("reshape", "", "", "2x6xf32", "3x4xf64", "(C1)"),
    RULE("reshape", "", "", "2x6x" Q, "3x4x" Q2, "(C1)"),
    RULE("reshape", "", "", "2x6xf32", "3x5xf32", "(C2)"),
    RULE("reshape", "", "", "2x6x" QA, "6x2x" QB, "(C3)"),
    RULE("reshape", "", "", "2x2x" QA, "2x2x" QB, "(C3)"),
    RULE("dynamic_reshape", "", "", "?x6xf32 2xi64", "?x?xf32", NULL),
    RULE("dynamic_reshape", "", "", "2x6xf32 2xi64", "3x5xf32", "(C2)"),
    RULE("dynamic_reshape", "", "", "?x6xf32 3xi64", "?x?xf32", "(C4)"),
    RULE("dynamic_reshape", "", "", "?x6xf32 2xf32", "?x?xf32", "(C4)"),
    RULE("transpose", "permutation = array<i64: 1, 0>", "", "2x3xf32", "3x2xf32", NULL),
    RULE("transpose", "permutation = array<i64: 1, 0>", "", "2x3x" QA, "3x2x" QB, NULL),
    RULE("transpose", "permutation = array<i64: 1, 0>", "", "2x3xf32", "3x2xf64", "(C1, C3)"),
    RULE("transpose", "permutation = array<i64: 1, 0>", "", "2x3x" Q, "3x2x" Q2, "(C1, C3)"),
    RULE("transpose", "permutation = array<i64: 1, 1>", "", "2x3xf32", "3x2xf32", "(C2)"),
    RULE("transpose", "permutation = array<i64: 0>", "", "2x3xf32", "3x2xf32", "(C2)"),
    RULE("transpose", "permutation = array<i64: 1, 0>", "", "2x3xf32", "2x3xf32", "(C1, C3)"),
    RULE("transpose", "permutation = array<i64: 1, 0>", "", "2x2x" QA, "2x2x" QA, "(C4)"),
    RULE("get_dimension_size", "dimension = 1 : i64", "", "2x?xf32", "i32", NULL),
    RULE("get_dimension_size", "dimension = 2 : i64", "", "2x?xf32", "i32", "(C1)"),
    RULE("get_dimension_size", "dimension = 0 : i64", "", "2x?xf32", "i64", "a size"),
    RULE("set_dimension_size", "dimension = 0 : i64", "", "4xf32 i32", "?xf32,#stablehlo.bounds<4>", NULL),
    RULE("set_dimension_size", "dimension = 1 : i64", "", "4xf32 i32", "?xf32", "(C1)"),
    RULE("set_dimension_size", "dimension = 0 : i64", "", "4xf32 i64", "?xf32", "a 32-bit size"),
};

static const rule_case pieces[] = {
    RULE("concatenate", "dimension = 1 : i64", "", "2x3xf32 2x4xf32", "2x7xf32", NULL),
    RULE("concatenate", "dimension = 0 : i64", "", "2x?xf32 ?x3xf32", "?x3xf32", NULL),
    RULE("concatenate", "dimension = 0 : i64", "", "2x" Q " 3x" Q, "5x" Q, NULL),
    RULE("concatenate", "dimension = 1 : i64", "", "2x3xf32 2x4xf64", "2x7xf32", "(C1, C2)"),
    RULE("concatenate", "dimension = 0 : i64", "", "2x" Q " 3x" Q2, "5x" Q, "(C1, C2)"),
    RULE("concatenate", "dimension = 1 : i64", "", "2x3xf32 3x4xf32", "2x7xf32", "(C1, C2)"),
    RULE("concatenate", "dimension = 0 : i64", "", "", "2xf32", "(C3)"),
    RULE("concatenate", "dimension = 2 : i64", "", "2x3xf32", "2x3xf32", "(C4)"),
    RULE("concatenate", "dimension = 0 : i64", "", "f32", "f32", "(C4)"),
    RULE("concatenate", "dimension = 1 : i64", "", "2x3xf32 2x4xf32", "2x7xf64", "(C5, C6)"),
    RULE("concatenate", "dimension = 1 : i64", "", "2x3xf32 2x4xf32", "2x8xf32", "(C5, C6)"),
    RULE("concatenate", "dimension = 0 : i64", "", "9223372036854775807x0xi8 9223372036854775807x0xi8",
         "?x0xi8", "overflows"),
    RULE("pad", PAD("1", "-2", "1"), "", "3xf32 f32", "4xf32", NULL),
    RULE("pad", PAD("1", "2", "1"), "", "0xf32 f32", "3xf32", NULL),
    RULE("pad", PAD("1", "2", "0"), "", "2x" Q " " Q, "5x" Q, NULL),
    RULE("pad", PAD("1", "2", "0"), "", "2xf32 f64", "5xf32", "(C1)"),
    RULE("pad", PAD("1", "2", "0"), "", "2xf32 1xf32", "5xf32", "(C1)"),
    RULE("pad", PAD("1, 1", "2", "0"), "", "2xf32 f32", "5xf32", "(C2)"),
    RULE("pad", PAD("1", "2", "-1"), "", "2xf32 f32", "4xf32", "(C3)"),
    RULE("pad", PAD("-3", "0", "0"), "", "2xf32 f32", "?xf32", "(C4)"),
    RULE("pad", PAD("9223372036854775807", "9223372036854775807", "0"), "", "2xf32 f32", "?xf32", "(C4)"),
    RULE("pad", PAD("1", "2", "0"), "", "2xf32 f32", "6xf32", "(C1, C4)"),
    RULE("dynamic_pad", "", "", "?xf32 f32 1xi64 1xi64 1xi64", "?xf32", NULL),
    RULE("dynamic_pad", "", "", "?xf32 f64 1xi64 1xi64 1xi64", "?xf32", "(C1)"),
    RULE("dynamic_pad", "", "", "?xf32 f32 1xi64 2xi64 1xi64", "?xf32", "(C2)"),
    RULE("dynamic_pad", "", "", "?xf32 f32 1xi64 1xi64 1xf32", "?xf32", "(C2)"),
    RULE("reverse", "dimensions = array<i64: 1, 0>", "", "2x3xf32", "2x3xf32", NULL),
    RULE("reverse", "dimensions = array<i64>", "", "2x3xf32", "2x3xf64", "(C1)"),
    RULE("reverse", "dimensions = array<i64: 1, 1>", "", "2x3xf32", "2x3xf32", "(C2, C3)"),
    RULE("reverse", "dimensions = array<i64: 2>", "", "2x3xf32", "2x3xf32", "(C2, C3)"),
    RULE("slice", SLICE("1", "5", "2"), "", "6xf32", "2xf32", NULL),
    RULE("slice", SLICE("0", "3", "2"), "", "?xf32", "2xf32", NULL),
    RULE("slice", SLICE("1", "5", "2"), "", "6xf32", "2xf64", "(C1, C5)"),
    RULE("slice", SLICE("1", "5", "2, 1"), "", "6xf32", "2xf32", "(C2)"),
    RULE("slice", SLICE("-1", "5", "2"), "", "6xf32", "3xf32", "(C3)"),
    RULE("slice", SLICE("5", "4", "2"), "", "6xf32", "0xf32", "(C3)"),
    RULE("slice", SLICE("0", "7", "2"), "", "6xf32", "4xf32", "(C3)"),
    RULE("slice", SLICE("0", "6", "0"), "", "6xf32", "4xf32", "(C4)"),
    RULE("slice", SLICE("1", "5", "2"), "", "6xf32", "3xf32", "(C1, C5)"),
    RULE("slice", SLICE("0", "6", "9223372036854775807"), "", "6xf32", "1xf32", "a stride of at most"),
    RULE("pad", PAD("-9223372036854775807", "9223372036854775807", "0"), "", "2xf32 f32", "2xf32",
         "padding that fits"),
    RULE("pad", PAD("0", "0", "9223372036854775807"), "", "1xf32 f32", "1xf32", "padding that fits"),
    RULE("real_dynamic_slice", "", "", "?xf32 1xi64 1xi64 1xi64", "?xf32", NULL),
    RULE("real_dynamic_slice", "", "", "?xf32 1xi64 2xi64 1xi64", "?xf32", "(C2)"),
    RULE("real_dynamic_slice", "", "", "?xf32 1xi64 1xi64 1xi64", "?xf64", "(C1, C5)"),
};

/* Shapes that are constants are checked like attributes. */
#define WITH(constants, op)                                                                                  \
    "func.func @main(%x: tensor<4xf32>, %v: tensor<f32>, %i: tensor<4xi32>, %m: tensor<4x3xf32>) {\n"        \
    "  %zero = stablehlo.constant dense<0> : tensor<1xi64>\n  %one = stablehlo.constant dense<1> : "         \
    "tensor<1xi64>\n" constants "  %r = " op "\n  return\n}\n"
#define C(name, values, type) "  %" name " = stablehlo.constant dense<" values "> : tensor<" type ">\n"
#define DPAD(low, high, interior, result)                                                                    \
    "stablehlo.dynamic_pad %x, %v, %" low ", %" high ", %" interior                                          \
    " : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<" result "xf32>"
#define DSLICE(start, limit, strides, result)                                                                \
    "stablehlo.real_dynamic_slice %x, %" start ", %" limit ", %" strides                                     \
    " : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<" result "xf32>"
#define RESHAPE(result)                                                                                      \
    "stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<" result "xf32>"
#define SPREAD(result)                                                                                       \
    "stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> "             \
    "tensor<" result "xf32>"
#define SET(result)                                                                                          \
    "stablehlo.set_dimension_size %x, %s, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<" result ">"
#define TAKE(result)                                                                                         \
    "\"stablehlo.dynamic_gather\"(%m, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], "    \
    "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x3xf32>, "         \
    "tensor<4xi32>, tensor<2xi64>) -> tensor<" result "xf32>"

static const module_case constants[] = {
    MODULE(NULL, WITH("", DPAD("one", "zero", "one", "8"))),
    MODULE("(C3)", WITH(C("n", "-1", "1xi64"), DPAD("one", "zero", "n", "?"))),
    MODULE("(C1, C4)", WITH("", DPAD("one", "zero", "one", "9"))),
    MODULE("(C4)", WITH(C("n", "-9", "1xi64"), DPAD("n", "zero", "zero", "?"))),
    MODULE(NULL, WITH(C("n", "3", "1xi64"), DSLICE("one", "n", "one", "2"))),
    MODULE("(C3)", WITH(C("n", "5", "1xi64"), DSLICE("one", "n", "one", "?"))),
    MODULE("(C4)", WITH(C("n", "3", "1xi64"), DSLICE("one", "n", "zero", "?"))),
    MODULE("(C1, C5)", WITH(C("n", "3", "1xi64"), DSLICE("one", "n", "one", "3"))),
    MODULE(NULL, WITH(C("s", "2", "2xi32"), RESHAPE("2x?"))),
    MODULE("(C4)", WITH(C("s", "2", "2xi32"), RESHAPE("?x4"))),
    MODULE("(C4)", WITH(C("s", "[4, -1]", "2xi32"), RESHAPE("?x?"))),
    MODULE(NULL, WITH(C("s", "[3, 4]", "2xi32"), SPREAD("?x4"))),
    MODULE("(C7)", WITH(C("s", "[3, 4]", "2xi32"), SPREAD("2x4"))),
    MODULE(NULL, WITH(C("s", "3", "i32"), SET("?xf32"))),
    MODULE("a size within [0, 4]", WITH(C("s", "5", "i32"), SET("?xf32"))),
    MODULE("a size within [0, 4]", WITH(C("s", "-1", "i32"), SET("?xf32"))),
    MODULE(NULL, WITH(C("s", "[1, 2]", "2xi64"), TAKE("4x2"))),
    MODULE("(C8)", WITH(C("s", "[2, 2]", "2xi64"), TAKE("4x2"))),
    MODULE("(C12)", WITH(C("s", "[1, 5]", "2xi64"), TAKE("4x?"))),
    MODULE("(C13, C14)", WITH(C("s", "[1, 2]", "2xi64"), TAKE("4x3"))),
};

int main(void)
{
    CHECK_RULES(sources);
    CHECK_RULES(shapes);
    CHECK_RULES(pieces);
    CHECK_MODULES(constants);
    return check_result();
}
