/* Rules of operations with regions: reductions, windows, sort, control flow, batch normalisation, random numbers. */
#include "ir/rules.h"

#define Q                            "!quant.uniform<i8:f32,0.5:1>"
#define Q32                          "!quant.uniform<i32:f32,0.5:1>"
#define Q2                           "!quant.uniform<i8:f32,0.25>"
#define QA                           "!quant.uniform<i8:f32:0,{0.5,0.25,0.5}>"
#define DIMS(d)                      "dimensions = array<i64: " d ">"
#define RETURN(args, results, types) "{^bb0(" args "): \"stablehlo.return\"(" results ") : (" types ") -> ()}"
#define PAIR                         RETURN("%x: tensor<f32>, %y: tensor<f32>", "%x", "tensor<f32>")

static const rule_case reductions[] = {
    RULE("reduce", DIMS("1"), "add f32", "2x3xf32 f32", "2xf32", NULL),
    RULE("reduce", DIMS("0, 1"), "add f64", "2x3xf32 f32", "f64", NULL),
    RULE("reduce", DIMS("0"), "add f32 i32", "2x3xf32 2x3xi32 f32 i32", "3xf32 3xi32", NULL),
    RULE("reduce", DIMS("0"), "add i32", "?x3xui8 ui8", "3xi32", NULL),
    RULE("reduce", DIMS("0"), "add " Q32, "3x" Q " " Q, Q32, NULL),
    RULE("reduce", DIMS("0"), "add f32 f32", "2x3xf32 2x4xf32 f32 f32", "3xf32 3xf32", "(C1)"),
    RULE("reduce", DIMS("1"), "add f32", "2x3xf32 f64", "2xf32", "(C2)"),
    RULE("reduce", DIMS("1"), "add f32", "2x3xf32 1xf32", "2xf32", "(C2)"),
    RULE("reduce", DIMS("0"), "add f32", "2x3xf32 f32 f32", "3xf32", "(C3)"),
    RULE("reduce", DIMS("2"), "add f32", "2x3xf32 f32", "2xf32", "C4"),
    RULE("reduce", DIMS("1, 1"), "add f32", "2x3xf32 f32", "2xf32", "C5"),
    RULE("reduce", DIMS("1"), "add i32", "2x3xf32 f32", "2xi32", "(C6)"),
    RULE("reduce", DIMS("1"), "add f16", "2x3xf32 f32", "2xf16", "(C6)"),
    RULE("reduce", DIMS("1"), "add f32 f32", "2x3xf32 f32", "2xf32", "(C6)"),
    RULE("reduce", DIMS("1"), RETURN("%x: tensor<f32>, %y: tensor<f64>", "%x", "tensor<f32>"), "2x3xf32 f32",
         "2xf32", "(C6)"),
    RULE("reduce", DIMS("1"), RETURN("%x: tensor<2xf32>, %y: tensor<2xf32>", "%x", "tensor<2xf32>"),
         "2x3xf32 f32", "2xf32", "a 0-d region argument"),
    RULE("reduce", DIMS("1"), "add f32", "2x3xf32 f32", "3xf32", "(C7, C8)"),
    RULE("reduce", DIMS("1"), "add f64", "2x3xf32 f32", "2xf32", "(C7, C8)"),
    RULE("reduce", DIMS("1"), "add f32", "3x3x" QA " f32", "3xf32", "one scale"),
};

#define WINDOW(w, more) "window_dimensions = array<i64: " w ">" more
#define STRIDES(s)      ", window_strides = array<i64: " s ">"
#define PADDING(p)      ", padding = dense<" p "> : tensor<2x2xi64>"

static const rule_case windows[] = {
    RULE("reduce_window", WINDOW("2, 1", ""), "add f32", "4x3xf32 f32", "3x3xf32", NULL),
    RULE("reduce_window",
         WINDOW("2, 1", STRIDES("2, 1") ", base_dilations = array<i64: 2, 1>, window_dilations = array<i64: "
                                        "3, 1>" PADDING("[[2, 1], [0, 0]]")),
         "add f32", "3x2xf32 f32", "3x2xf32", NULL),
    RULE("reduce_window", WINDOW("2, 1", ""), "add f64 i32", "?x3xf32 4x3xi32 f32 i32", "3x3xf64 3x3xi32",
         NULL),
    RULE("reduce_window", WINDOW("2, 1", ""), "add f32", "4x3xf32 f32 f32", "3x3xf32", "(C1)"),
    RULE("reduce_window", WINDOW("2, 1", ""), "add f32 f32", "4x3xf32 5x3xf32 f32 f32", "3x3xf32 3x3xf32",
         "(C2)"),
    RULE("reduce_window", WINDOW("2, 1", ""), "add f32", "4x3xf32 f64", "3x3xf32", "(C3)"),
    RULE("reduce_window", WINDOW("2", ""), "add f32", "4x3xf32 f32", "3x3xf32", "(C4)"),
    RULE("reduce_window", WINDOW("0, 1", ""), "add f32", "4x3xf32 f32", "5x3xf32", "C5"),
    RULE("reduce_window", WINDOW("2, 1", STRIDES("2")), "add f32", "4x3xf32 f32", "3x3xf32", "(C6)"),
    RULE("reduce_window", WINDOW("2, 1", STRIDES("0, 1")), "add f32", "4x3xf32 f32", "3x3xf32", "C7"),
    RULE("reduce_window", WINDOW("2, 1", ", base_dilations = array<i64: 1>"), "add f32", "4x3xf32 f32",
         "3x3xf32", "(C8)"),
    RULE("reduce_window", WINDOW("2, 1", ", base_dilations = array<i64: 0, 1>"), "add f32", "4x3xf32 f32",
         "3x3xf32", "C9"),
    RULE("reduce_window", WINDOW("2, 1", ", window_dilations = array<i64: 1>"), "add f32", "4x3xf32 f32",
         "3x3xf32", "(C10)"),
    RULE("reduce_window", WINDOW("2, 1", ", window_dilations = array<i64: 1, -1>"), "add f32", "4x3xf32 f32",
         "3x3xf32", "C11"),
    RULE("reduce_window", WINDOW("2, 1", ", padding = dense<0> : tensor<1x2xi64>"), "add f32", "4x3xf32 f32",
         "3x3xf32", "(C12)"),
    RULE("reduce_window", WINDOW("2, 1", ""), "add i32", "4x3xf32 f32", "3x3xi32", "(C13)"),
    RULE("reduce_window", WINDOW("2, 1", ""), "add f32", "4x3xf32 f32", "4x3xf32", "C15"),
    RULE("reduce_window", WINDOW("2, 1", ""), "add f64", "4x3xf32 f32", "3x3xf32", "C16"),
    RULE("reduce_window", WINDOW("9223372036854775807, 1", ", window_dilations = array<i64: 4, 1>"),
         "add f32", "4x3xf32 f32", "0x3xf32", "overflows"),
};

#define SELECT                                                                                               \
    "{^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = \"stablehlo.compare\"(%x, %y) {comparison_direction = "   \
    "#stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1> "                       \
    "\"stablehlo.return\"(%z) : (tensor<i1>) -> ()}"
#define BOTH SELECT ";add f32"

static const rule_case extremes[] = {
    RULE("reduce_window", WINDOW("4, 1", STRIDES("9223372036854775807, 1")), "add f32", "4x3xf32 f32",
         "1x3xf32", "a stride of at most"),
    RULE("reduce_window", WINDOW("1, 1", ", window_dilations = array<i64: 9223372036854775807, 1>"),
         "add f32", "4x3xf32 f32", "4x3xf32", "overflows"),
    RULE("reduce_window", WINDOW("1, 1", PADDING("[[-9223372036854775807, 9223372036854775807], [0, 0]]")),
         "add f32", "4x3xf32 f32", "4x3xf32", "overflows"),
};

static const rule_case selections[] = {
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2, 1")), BOTH, "4x3xf32 2x3xf32 f32", "4x3xf32", NULL),
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2, 1")), SELECT ";add f64", "4x3xf32 2x3xf32 f32",
         "4x3xf64", NULL),
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2, 1")), BOTH, "4x3xf32 2x3xf64 f32", "4x3xf32",
         "(C1)"),
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2, 1")), BOTH, "4x3xf32 3x3xf32 f32", "4x3xf32",
         "(C2)"),
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2, 1")), BOTH, "4x3xf32 2x3xf32 f64", "4x3xf32",
         "(C3)"),
    RULE("select_and_scatter", WINDOW("2", STRIDES("2, 1")), BOTH, "4x3xf32 2x3xf32 f32", "4x3xf32", "(C4)"),
    RULE("select_and_scatter", WINDOW("2, 0", STRIDES("2, 1")), BOTH, "4x3xf32 2x3xf32 f32", "4x3xf32", "C5"),
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2")), BOTH, "4x3xf32 2x3xf32 f32", "4x3xf32", "(C6)"),
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2, 0")), BOTH, "4x3xf32 2x3xf32 f32", "4x3xf32", "C7"),
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2, 1") ", padding = dense<0> : tensor<1x2xi64>"), BOTH,
         "4x3xf32 2x3xf32 f32", "4x3xf32", "(C8)"),
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2, 1")), "add f32;add f32", "4x3xf32 2x3xf32 f32",
         "4x3xf32", "(C9)"),
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2, 1")), SELECT ";add f16", "4x3xf32 2x3xf32 f32",
         "4x3xf16", "(C10)"),
    RULE("select_and_scatter", WINDOW("2, 1", STRIDES("2, 1")), BOTH, "4x3xf32 2x3xf32 f32", "4x4xf32",
         "(C11, C12)"),
    RULE("sort", "dimension = 0 : i64", SELECT, "3xf32", "3xf32", NULL),
    RULE("sort", "dimension = -2 : i64, is_stable = true", SELECT, "3x2xf32", "3x2xf32", NULL),
    RULE("sort", "dimension = 0 : i64", SELECT, "", "", "(C1)"),
    RULE("sort", "dimension = 0 : i64", SELECT, "3xf32", "4xf32", "(C2)"),
    RULE("sort", "dimension = 0 : i64", "add i1 i1", "3xi1 4xi1", "3xi1 4xi1", "C"),
    RULE("sort", "dimension = 1 : i64", SELECT, "3xf32", "3xf32", "(C4)"),
    RULE("sort", "dimension = -2 : i64", SELECT, "3xf32", "3xf32", "(C4)"),
    RULE("sort", "dimension = 0 : i64", "add f32", "3xf32", "3xf32", "(C5)"),
    RULE("sort", "dimension = 0 : i64", SELECT, "3xf64", "3xf64", "(C5)"),
    RULE("sort", "dimension = 0 : i64", SELECT, "3xf32 3xf32", "3xf32 3xf32", "(C5)"),
};

#define GIVE(value, type)                                                                                    \
    "{%x = \"stablehlo.constant\"() {value = dense<" value "> : " type "} : () -> " type                     \
    " \"stablehlo.return\"(%x) : (" type ") -> ()}"
#define F32  GIVE("1.0", "tensor<2xf32>")
#define F3   GIVE("1.0", "tensor<3xf32>")
#define COND RETURN("%x: tensor<f32>, %c: tensor<i1>", "%c", "tensor<i1>")
#define BODY RETURN("%x: tensor<f32>, %c: tensor<i1>", "%x, %c", "tensor<f32>, tensor<i1>")

static const rule_case control[] = {
    RULE("if", "", F32 ";" F32, "i1", "2xf32", NULL),
    RULE("if", "", F32 ";" F32, "i1", "?xf32", NULL),
    RULE("if", "", F32 ";" F32, "1xi1", "2xf32", "(I1)"),
    RULE("if", "", PAIR ";" F32, "i1", "f32", "(C1)"),
    RULE("if", "", F32 ";" F3, "i1", "2xf32", "(C2)"),
    RULE("if", "", F32 ";" F32, "i1", "3xf32", "(C3)"),
    RULE("if", "", F32, "i1", "2xf32", "2 regions"),
    RULE("case", "", F32 ";" F32 ";" F32, "i32", "2xf32", NULL),
    RULE("case", "", F32, "i64", "2xf32", "(I1)"),
    RULE("case", "", "", "i32", "", "(C1)"),
    RULE("case", "", F32 ";" PAIR, "i32", "2xf32", "(C2)"),
    RULE("case", "", F32 ";" F3, "i32", "2xf32", "(C3)"),
    RULE("case", "", F32 ";" F32, "i32", "2xf64", "(C4)"),
    RULE("while", "", COND ";" BODY, "f32 i1", "f32 i1", NULL),
    RULE("while", "", COND ";" BODY, "f64 i1", "f64 i1", "(C1)"),
    RULE("while", "", BODY ";" BODY, "f32 i1", "f32 i1", "(C1)"),
    RULE("while", "", RETURN("%x: tensor<f32>, %c: tensor<i1>", "%x", "tensor<f32>") ";" BODY, "f32 i1",
         "f32 i1", "(C1)"),
    RULE("while", "", COND ";" COND, "f32 i1", "f32 i1", "(C2)"),
    RULE("while", "", COND ";" RETURN("%x: tensor<f32>, %c: tensor<i1>", "%c, %c", "tensor<i1>, tensor<i1>"),
         "f32 i1", "f32 i1", "(C2)"),
    RULE("while", "", COND ";" BODY, "f32 i1", "f64 i1", "(C3)"),
    RULE("while", "", COND ";" BODY, "f32 i1", "f32", "expected 2 results"),
    RULE("optimization_barrier", "", "", "2xf32 !stablehlo.token", "2xf32 !stablehlo.token", NULL),
    RULE("optimization_barrier", "", "", "2xf32", "3xf32", "(C1)"),
    RULE("tuple", "", "", "2xf32 i1", "tuple<tensor<2xf32>,tensor<i1>>", NULL),
    RULE("tuple", "", "", "2xf32 i1", "tuple<tensor<2xf32>>", "(C1)"),
    RULE("tuple", "", "", "2xf32 i1", "tuple<tensor<2xf32>,tensor<i8>>", "(C1)"),
    RULE("get_tuple_element", "index = 1 : i32", "", "tuple<tensor<2xf32>,tensor<i1>>", "i1", NULL),
    RULE("get_tuple_element", "index = 2 : i32", "", "tuple<tensor<2xf32>,tensor<i1>>", "i1", "(C1)"),
    RULE("get_tuple_element", "index = -1 : i32", "", "tuple<tensor<2xf32>,tensor<i1>>", "i1", "(C1)"),
    RULE("get_tuple_element", "index = 0 : i32", "", "tuple<tensor<2xf32>,tensor<i1>>", "i1", "(C2)"),
    RULE("get_tuple_element", "index = 0 : i32", "", "i1", "i1", "(I1)"),
    RULE("after_all", "", "", "!stablehlo.token !stablehlo.token", "!stablehlo.token", NULL),
    RULE("after_all", "", "", "!stablehlo.token f32", "!stablehlo.token", "(I1)"),
    RULE("create_token", "", "", "", "!stablehlo.token", NULL),
};

#define NORM    "epsilon = 0.001 : f32, feature_index = 1 : i64"
#define RNG(d)  "rng_distribution = #stablehlo<rng_distribution " d ">"
#define BITS(a) "rng_algorithm = #stablehlo<rng_algorithm " a ">"

static const rule_case norms[] = {
    RULE("batch_norm_inference", NORM, "", "2x3xf32 3xf32 3xf32 3xf32 3xf32", "2x3xf32", NULL),
    RULE("batch_norm_inference", NORM, "", "2x3x" Q " 3x" Q2 " 3x" Q " 3x" Q " 3x" Q, "2x3x" Q2, NULL),
    RULE("batch_norm_inference", NORM, "", "3xf32 3xf32 3xf32 3xf32 3xf32", "3xf32", "(C1)"),
    RULE("batch_norm_inference", NORM, "", "2x3xf32 3xf64 3xf32 3xf32 3xf32", "2x3xf32", "(C2)"),
    RULE("batch_norm_inference", NORM, "", "2x3xf32 3xf32 3xf32 3xf32 2xf32", "2x3xf32", "C6"),
    RULE("batch_norm_inference", NORM, "", "2x3xf32 3xf32 3xf32 3xf32 3xf32", "2x4xf32", "(C7)"),
    RULE("batch_norm_training", NORM, "", "2x3xf32 3xf32 3xf32", "2x3xf32 3xf32 3xf32", NULL),
    RULE("batch_norm_training", NORM, "", "2x3xf32 2xf32 3xf32", "2x3xf32 3xf32 3xf32", "C3"),
    RULE("batch_norm_training", NORM, "", "2x3xf32 3xf32 3xf32", "2x3xf32 3xf32 2xf32", "C6"),
    RULE("batch_norm_training", NORM, "", "2x3xi32 3xi32 3xi32", "2x3xi32 3xi32 3xi32", "a floating-point"),
    RULE("batch_norm_grad", NORM, "", "2x3xf32 3xf32 3xf32 3xf32 2x3xf32", "2x3xf32 3xf32 3xf32", NULL),
    RULE("batch_norm_grad", NORM, "", "2x3xf32 3xf32 3xf32 3xf32 2x4xf32", "2x3xf32 3xf32 3xf32", "C3"),
    RULE("batch_norm_grad", NORM, "", "2x3xf32 3xf32 4xf32 3xf32 2x3xf32", "2x3xf32 3xf32 3xf32", "C5"),
    RULE("rng", RNG("UNIFORM"), "", "i32 i32 2xi64", "?x3xi32", NULL),
    RULE("rng", RNG("NORMAL"), "", "f32 f32 0xindex", "f32", NULL),
    RULE("rng", RNG("UNIFORM"), "", "i32 i64 2xi64", "2x3xi32", "(C1)"),
    RULE("rng", RNG("UNIFORM"), "", "i32 i32 2xi64", "2x3xf32", "(C1, C3)"),
    RULE("rng", RNG("NORMAL"), "", "i32 i32 2xi64", "2x3xi32", "(C2)"),
    RULE("rng", RNG("UNIFORM"), "", "i32 i32 3xi64", "2x3xi32", "(C1, C3)"),
    RULE("rng_bit_generator", BITS("PHILOX"), "", "3xui64", "3xui64 2xui32", NULL),
    RULE("rng_bit_generator", BITS("THREE_FRY"), "", "2xui64", "2xui64 2xf32", NULL),
    RULE("rng_bit_generator", BITS("THREE_FRY"), "", "2xui64", "3xui64 2xui32", "(C1)"),
    RULE("rng_bit_generator", BITS("THREE_FRY"), "", "3xui64", "3xui64 2xui32", "(C2)"),
    RULE("rng_bit_generator", BITS("PHILOX"), "", "4xui64", "4xui64 2xui32", "(C2)"),
    RULE("rng_bit_generator", BITS("PHILOX"), "", "2xui64", "2xui64 2xi1", "an integer or floating-point"),
};

int main(void)
{
    CHECK_RULES(reductions);
    CHECK_RULES(windows);
    CHECK_RULES(extremes);
    CHECK_RULES(selections);
    CHECK_RULES(control);
    CHECK_RULES(norms);
    return check_result();
}
