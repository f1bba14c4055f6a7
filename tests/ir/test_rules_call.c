/* Rules of custom_call, and what holds between the functions of a module. */
#include "ir/rules.h"

#define F                          "call_target_name = \"f\""
#define LAYOUTS(operands, results) ", operand_layouts = [" operands "], result_layouts = [" results "]"
#define L(values, type)            "dense<" values "> : tensor<" type "xindex>"
#define ALIAS(to, operand, from)                                                                             \
    ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [" to                \
    "], operand_index = " operand ", operand_tuple_indices = [" from "]>]"
#define PAIR "tuple<tensor<2xf32>,tensor<i1>>"

static const rule_case custom[] = {
    RULE("custom_call", F, "", "2xf32 !stablehlo.token " PAIR " *xf32", "3xi8 " PAIR, NULL),
    RULE("custom_call", F, "", "", "", NULL),
    RULE("custom_call", "", "", "2xf32", "2xf32", "(I2)"),
    RULE("custom_call", F ", backend_config = \"text\", api_version = 2 : i32", "", "2xf32", "2xf32", NULL),
    RULE("custom_call", F ", backend_config = {a = 1 : i64}, api_version = 4 : i32", "", "2xf32", "2xf32",
         NULL),
    RULE("custom_call", F ", backend_config = {a = 1 : i64}", "", "2xf32", "2xf32", "(I4)"),
    RULE("custom_call", F ", backend_config = \"text\", api_version = 4 : i32", "", "2xf32", "2xf32", "(I4)"),
    RULE("custom_call", F ", api_version = 5 : i32", "", "2xf32", "2xf32", "I5"),
    RULE("custom_call", F LAYOUTS(L("[0, 1]", "2"), L("[1, 0]", "2")), "", "2x3xf32", "2x3xf32", NULL),
    RULE("custom_call", F LAYOUTS(L("", "0"), L("0", "1") ", " L("", "0")), "", "!stablehlo.token", PAIR,
         NULL),
    RULE("custom_call", F LAYOUTS("", L("[1, 0]", "2")), "", "2x3xf32", "2x3xf32",
         "expected 1 operand_layouts"),
    RULE("custom_call", F LAYOUTS(L("[0, 1]", "2"), ""), "", "2x3xf32", "2x3xf32",
         "expected 1 result_layouts"),
    RULE("custom_call", F LAYOUTS(L("[0, 0]", "2"), L("[1, 0]", "2")), "", "2x3xf32", "2x3xf32",
         "a permutation of 2"),
    RULE("custom_call", F ", operand_layouts = [" L("[0, 1]", "2") "]", "", "2x3xf32", "2x3xf32",
         "layouts of both"),
    RULE("custom_call", F ALIAS("", "0", ""), "", "2xf32", "2xf32", NULL),
    RULE("custom_call", F ALIAS("1", "0", "0"), "", PAIR, "i1 2xf32", NULL),
    RULE("custom_call", F ALIAS("", "1", ""), "", "2xf32", "2xf32", "operand_index within [0, 1)"),
    RULE("custom_call", F ALIAS("", "0", "2"), "", PAIR, "i1", "tuple indices in range"),
    RULE("custom_call", F ALIAS("0", "0", ""), "", "2xf32", "2xf32", "tuple indices in range"),
    RULE("custom_call", F ALIAS("", "0", ""), "", "2xf32", "3xf32", "aliases of one type"),
};

#define CHECK_INDEX                                                                                          \
    "call_target_name = \"fl.check_index\", api_version = 4 : i32, backend_config = {high = 4 : i64, low = " \
    "0 : "                                                                                                   \
    "i64, what = \"\"}"

static const rule_case known[] = {
    RULE("custom_call", CHECK_INDEX, "", "2xi32", "2xi32", NULL),
    RULE("custom_call", CHECK_INDEX, "", "2xi32", "3xi32", "the operand's type"),
    RULE("custom_call", CHECK_INDEX, "", "2xf32", "2xf32", "an integer"),
    RULE("custom_call", "call_target_name = \"check.eq\"", "", "2xf32 2xf32", "i1", NULL),
    RULE("custom_call", "call_target_name = \"check.eq\"", "", "2xf32 3xf32", "i1", "one type"),
    RULE("custom_call", "call_target_name = \"check.expect_eq\"", "", "2xf32", "", "2 operands"),
    RULE("custom_call", F, "", "tf32", "", "a type that a value can have"),
};

#define CALL(name, operands, results)                                                                        \
    "func.func @main(%a: tensor<2xf32>) {\n  \"func.call\"(%a) {callee = @" name "} : (" operands            \
    ") -> (" results ")\n  return\n}\n"
#define COMPOSITE(name, decomposition, result)                                                               \
    "func.func @main(%a: tensor<2xf32>) {\n  %r = \"stablehlo.composite\"(%a) {name = \"" name               \
    "\", decomposition = @" decomposition "} : (tensor<2xf32>) -> " result "\n  return\n}\n"                 \
    "func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"           \
    "func.func private @h(%x: tensor<3xf32>) -> tensor<2xf32> {\n  %y = stablehlo.constant dense<1.0> : "    \
    "tensor<2xf32>\n"                                                                                        \
    "  return %y : tensor<2xf32>\n}\n"
#define PARALLEL(rest)                                                                                       \
    "func.func @one(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"                 \
    "func.func @feed() -> tensor<i32> {\n  %c = stablehlo.constant dense<1> : tensor<i32>\n  return %c : "   \
    "tensor<i32>\n}\n"                                                                                       \
    "func.func @main(%a: tensor<2xf32>) {\n  %r:" rest

static const module_case modules[] = {
    MODULE(NULL, CALL("f", "tensor<2xf32>", "") "func.func @f(%x: tensor<2xf32>) {\n  return\n}"),
    MODULE("@f", CALL("f", "tensor<2xf32>", "")),
    MODULE("the function's type",
           CALL("f", "tensor<2xf32>", "") "func.func @f(%x: tensor<3xf32>) {\n  return\n}"),
    MODULE("the function's type", CALL("f", "tensor<2xf32>", "") "func.func @f() {\n  return\n}"),
    MODULE("the function's type",
           CALL("f", "tensor<2xf32>",
                "") "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}"),
    MODULE("no function to call itself", CALL("main", "tensor<2xf32>", "")),
    MODULE(
        "no function to call itself",
        CALL(
            "f", "tensor<2xf32>",
            "") "func.func @f(%x: tensor<2xf32>) {\n  func.call @g(%x) : (tensor<2xf32>) -> ()\n  return\n}\n"
                "func.func @g(%x: tensor<2xf32>) {\n  func.call @f(%x) : (tensor<2xf32>) -> ()\n  "
                "return\n}\n"),
    MODULE("@f twice", CALL("f", "tensor<2xf32>", "") "func.func @f(%x: tensor<2xf32>) {\n  return\n}\n"
                                                      "func.func @f(%x: tensor<2xf32>) {\n  return\n}"),
    MODULE("tensor<3xf32>",
           "func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {\n  return %a : tensor<3xf32>\n}"),
    MODULE(NULL, COMPOSITE("my.op", "g", "tensor<2xf32>")),
    MODULE(NULL, COMPOSITE("a.b_1.c$d", "g", "tensor<2xf32>")),
    MODULE("(C1)", COMPOSITE("op", "g", "tensor<2xf32>")),
    MODULE("(C1)", COMPOSITE("my.", "g", "tensor<2xf32>")),
    MODULE("(C1)", COMPOSITE("1my.op", "g", "tensor<2xf32>")),
    MODULE("(C2)", COMPOSITE("my.op", "missing", "tensor<2xf32>")),
    MODULE("(C3)", COMPOSITE("my.op", "h", "tensor<2xf32>")),
    MODULE("(C4)", COMPOSITE("my.op", "g", "tensor<3xf32>")),
    MODULE(
        NULL,
        PARALLEL("2 = \"interpreter.run_parallel\"(%a, %a) {programs = [[@one, @one]], infeed = [@feed]} : "
                 "(tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n  return\n}")),
    MODULE("the programs' types",
           PARALLEL("1 = \"interpreter.run_parallel\"(%a) {programs = [[@one, @one]]} : "
                    "(tensor<2xf32>) -> tensor<2xf32>\n  return\n}")),
    MODULE("the programs' types", PARALLEL("1 = \"interpreter.run_parallel\"(%a) {programs = [[@one]]} : "
                                           "(tensor<2xf32>) -> tensor<3xf32>\n  return\n}")),
    MODULE("in each list", PARALLEL("1 = \"interpreter.run_parallel\"(%a) {programs = [[@one], []]} : "
                                    "(tensor<2xf32>) -> tensor<2xf32>\n  return\n}")),
    MODULE("lists of functions", PARALLEL("1 = \"interpreter.run_parallel\"(%a) {programs = []} : "
                                          "(tensor<2xf32>) -> tensor<2xf32>\n  return\n}")),
    MODULE("@none", PARALLEL("1 = \"interpreter.run_parallel\"(%a) {programs = [[@none]]} : "
                             "(tensor<2xf32>) -> tensor<2xf32>\n  return\n}")),
    MODULE("for infeed",
           PARALLEL("1 = \"interpreter.run_parallel\"(%a) {programs = [[@one]], infeed = [@one]} : "
                    "(tensor<2xf32>) -> tensor<2xf32>\n  return\n}")),
};

int main(void)
{
    CHECK_RULES(custom);
    CHECK_RULES(known);
    CHECK_MODULES(modules);
    return check_result();
}
