/* What is refused, where, and what was expected there; nesting, sizes and aliases that could grow without end. */
#include "ir/text_case.h"

#define F(op)             "func.func @f(%a: tensor<2xf32>, %b: tensor<3xi32>) {\n" op "\nreturn\n}"
#define SEES(op, message) REFUSED(F(op), message)

static void lexical(void)
{
    REFUSED("", "line 1:1: expected a function, got the end of the text");
    REFUSED("// nothing\n", "line 2:1: expected a function, got the end of the text");
    REFUSED("module {\n}\n", "line 3:1: expected a function, got the end of the text");
    REFUSED("hello", "line 1:1: expected func.func, module or sdy.mesh, got 'hello'");
    REFUSED("\xff", "line 1:1: expected func.func, module or sdy.mesh, got the byte 0xFF");
    REFUSED("func.func @\"f", "line 1:11: expected the name of a function, @name, got '@'");
    SEES("%0 = stablehlo.custom_call @x(%a) {backend_config = \"abc} : () -> ()",
         "line 2:53: expected an attribute, got a string without end");
    SEES("%0 = stablehlo.custom_call @x(%a) {backend_config = \"a\\q\"} : () -> ()",
         "line 2:55: expected an escape \\n, \\t, \\\", \\\\ or two hexadecimal digits, got '\\q'");
    SEES("$", "line 2:1: expected an operation, got '$'");
    REFUSED("func.func @f() {\n  return\n", "line 3:1: expected '}', got the end of the text");
    REFUSED("func.func @f() {\n", "line 2:1: expected an operation, got the end of the text");
    REFUSED("func.func @f() {\n}\n", "line 2:1: expected an operation that returns, got '}'");
}

static void modules(void)
{
    REFUSED("func.func @f(%a: tensor<f32>, tensor<f32>) {\nreturn\n}",
            "line 1:42: expected a name for every argument, or for none, got ')'");
    REFUSED("func.func @f(tensor<f32>) {\nreturn\n}",
            "line 1:27: expected no body, as the arguments have no names, got '{'");
    REFUSED("func.func @f() -> tensor<f32> {\nreturn\n}", "line 3:2: expected @f to return 1 values, got 0");
    REFUSED("func.func @f(%a: tensor<f32>) -> tensor<i32> {\nreturn %a : tensor<f32>\n}",
            "line 3:2: expected result 0 of @f to be tensor<i32>, got tensor<f32>");
    REFUSED("func.func private @f(i1)",
            "line 1:22: expected the type of a value, a tensor for example, got i1");
    REFUSED("func.func private @f() -> (tensor<i1>, (i1) -> i1)",
            "line 1:40: expected the type of a value, a tensor for example, got (i1) -> (i1)");
    REFUSED("module {\nmodule {\n}\n}", "line 2:1: expected func.func, module or sdy.mesh, got 'module'");
    REFUSED("module {\nfunc.func private @f()\n}\nmodule {\n}",
            "line 4:1: expected one module, or functions without a module, but not both, got 'module'");
    REFUSED("func.func private @f()\nfunc.func private @f()",
            "line 2:19: expected functions of different names, got @f twice");
    REFUSED("func.func private @g(tensor<i1>)\nfunc.func @f(%a: tensor<f32>) {\ncall @g(%a) : (tensor<f32>) "
            "-> ()\nreturn\n}",
            "line 3:1: @f: func.call: expected operand of type tensor<i1>, got tensor<f32> (the function's "
            "type)");
    REFUSED("func.func private @g()\nfunc.func @f() {\n%0 = call @g() : () -> tensor<f32>\nreturn\n}",
            "line 3:6: @f: func.call: expected 0 results, got 1 (the function's type)");
    REFUSED("func.func @f(%a: tensor<f32>) {\n%0 = call @g(%a) : (tensor<f32>) -> tensor<f32>\nreturn\n}",
            "line 2:6: @f: func.call: expected a function @g in the module");
    REFUSED("func.func private @f(%a: tensor<f32>, %a: tensor<f32>) {\nreturn\n}",
            "line 1:39: expected a new name, got '%a', which is defined already");
    REFUSED("\"func.func\"() <{sym_name = \"f\"}> ({}) : () -> ()",
            "line 1:12: expected the attributes sym_name and function_type");
    REFUSED("\"func.func\"() <{sym_name = \"f\", function_type = (tensor<i1>) -> ()}> ({\nfunc.return\n}) : "
            "() -> ()",
            "line 1:12: expected arguments of the types that function_type says");
}

static void operations(void)
{
    SEES("%0 = foo.bar %a : tensor<2xf32>",
         "line 2:6: expected an operation of stablehlo, chlo or func, got 'foo.bar'");
    SEES("%0 = \"mhlo.add\"(%a, %a) : () -> ()",
         "line 2:6: expected an operation of stablehlo, chlo or func, got '\"mhlo.add\"'");
    SEES("%0 = stablehlo.nothing %a : tensor<2xf32>",
         "line 2:6: expected an operation of stablehlo, chlo or func, got 'stablehlo.nothing'");
    SEES("%0 = stablehlo.sort %a : tensor<2xf32>",
         "line 2:6: expected the generic form, \"stablehlo.sort\"(...), got 'stablehlo.sort'");
    SEES("%0 = stablehlo.add %a, %c : tensor<2xf32>",
         "line 2:24: expected a value that is defined before it is used, got '%c'");
    SEES("%0 = stablehlo.add %0, %a : tensor<2xf32>",
         "line 2:20: expected a value that is defined before it is used, got '%0'");
    SEES("%a = stablehlo.abs %a : tensor<2xf32>",
         "line 2:1: expected a new name, got '%a', which is defined already");
    SEES("%0 = stablehlo.add %a : tensor<2xf32>", "line 2:6: stablehlo.add: expected 2 operands, got 1");
    SEES("%0 = stablehlo.abs %a#1 : tensor<2xf32>", "line 2:22: expected a result of '%a' below 1, got '#1'");
    SEES("%0:2 = stablehlo.abs %a : tensor<2xf32>", "line 2:8: expected names for 1 results, got 2");
    SEES("%0:0 = stablehlo.abs %a : tensor<2xf32>",
         "line 2:4: expected a number of results from 1 to 65535, got 0");
    SEES("%0 = stablehlo.abs %a : tensor<3xf32>",
         "line 2:25: expected the type tensor<2xf32> of operand 0, got tensor<3xf32>");
    SEES("%0 = stablehlo.abs %a", "line 3:1: expected ':', got 'return'");
    SEES("%0 = stablehlo.convert %a : (tensor<2xi32>) -> tensor<2xi8>",
         "line 2:30: expected the operand's type tensor<2xf32>, got tensor<2xi32>");
    SEES("%0 = stablehlo.convert %a : (tensor<2xf32>, i1) -> tensor<2xi8>",
         "line 2:29: expected the types of 1 operands, got more");
    SEES("%0 = stablehlo.convert %a : () -> tensor<2xi8>",
         "line 2:29: expected the types of 1 operands, got 0");
    SEES("%0 = \"stablehlo.abs\"(%a)[^bb1] : (tensor<2xf32>) -> tensor<2xf32>",
         "line 2:25: expected no successors: operations that branch are not supported, but ':', got '['");
    SEES("%0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>",
         "line 2:6: stablehlo.reshape: expected as many elements as tensor<2xf32>, got tensor<3xf32> (C2)");
    SEES("%0 = stablehlo.transpose %a, perm = [0] : (tensor<2xf32>) -> tensor<2xf32>",
         "line 2:30: expected 'dims', got 'perm'");
    SEES("%0 = stablehlo.compare XX, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
         "line 2:24: expected a value of comparison_direction, EQ for example, got 'XX'");
    SEES("%0 = stablehlo.reduce_precision %a, format = e8 : tensor<2xf32>",
         "line 2:46: expected a format, e8m7 for example, got 'e8'");
    SEES("%0 = stablehlo.constant dense<1> : tensor<2xi32>\n%0 = stablehlo.abs %b : tensor<3xi32>",
         "line 3:1: expected a new name, got '%0', which is defined already");
    SEES("%0 = \"stablehlo.constant\"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>",
         "line 2:6: expected elements of type tensor<3xi32>, got tensor<2xi32>");
    SEES("%0 = stablehlo.reduce(%a init: %b) applies stablehlo.subtract across dimensions = [0] : () -> ()",
         "line 2:44: expected an operation of stablehlo with two operands, which commutes, got "
         "'stablehlo.subtract'");
    SEES("%0 = \"stablehlo.if\"(%a) ({\n^bb0:\n stablehlo.return\n^bb1:\n}) : () -> ()",
         "line 5:1: expected '}' (regions of several blocks are not supported), got '^bb1'");
    SEES("%0 = \"stablehlo.map\"(%a) ({\n^bb0(%x: tensor<f32>):\n stablehlo.return %x : tensor<i32>\n}) : () "
         "-> ()",
         "line 4:24: expected the operand's type tensor<f32>, got tensor<i32>");
}

static void attributes(void)
{
    SEES("%0 = \"stablehlo.transpose\"(%a) {permutation = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>",
         "line 2:47: expected a list of integers, array<i64: 0, 1> or dense<[0, 1]> : tensor<2xi64>");
    SEES("%0 = \"stablehlo.transpose\"(%a) {permutation = array<i64: 99999999999999999999>} : () -> ()",
         "line 2:58: expected a number within the range of type i64, got '99999999'");
    SEES("%0 = \"stablehlo.concatenate\"(%a) {dimension = \"0\"} : () -> ()",
         "line 2:47: expected an integer");
    SEES("%0 = \"stablehlo.cholesky\"(%a) {lower = 1 : i64} : () -> ()", "line 2:40: expected true or false");
    SEES("%0 = stablehlo.abs %a {x = 1, x = 2} : tensor<2xf32>",
         "line 3:1: expected attributes of different names, got 'x' twice");
    SEES("%0 = stablehlo.transpose %a, dims = [0] {permutation = array<i64: 0>} : (tensor<2xf32>) -> "
         "tensor<2xf32>",
         "line 2:69: expected attributes of different names, got 'permutation' twice");
    SEES("%0 = stablehlo.abs %a {x = 300 : i8} : tensor<2xf32>",
         "line 2:28: expected a number within the range of type i8, got '300'");
    SEES("%0 = stablehlo.abs %a {x = - 3} : tensor<2xf32>", "line 2:30: expected a number, got '3'");
    SEES("%0 = stablehlo.abs %a {x = 1 : tensor<f32>} : tensor<2xf32>",
         "line 2:32: expected the type of an integer or a float");
    SEES("%0 = stablehlo.abs %a {x = #y} : tensor<2xf32>",
         "line 2:28: expected an alias that is defined before it is used, got '#y'");
    SEES("%0 = stablehlo.abs %a {x = foo} : tensor<2xf32>", "line 2:28: expected an attribute, got 'foo'");
    SEES("%0 = stablehlo.abs %a {x = #foo.bar<[)>} : tensor<2xf32>", "line 2:36: expected '<' to be closed");
    SEES("%0 = \"stablehlo.fft\"(%a) {fft_type = #stablehlo<fft_type XFFT>} : () -> ()",
         "line 2:58: expected a value of fft_type, FFT for example, got 'XFFT'");
    SEES("%0 = \"stablehlo.fft\"(%a) {fft_type = #stablehlo<transpose ADJOINT>} : () -> ()",
         "line 2:49: expected 'fft_type', got 'transpose'");
    SEES("%0 = \"stablehlo.gather\"(%a, %b) {dimension_numbers = #stablehlo.scatter<>} : () -> ()",
         "line 2:54: expected #stablehlo.gather, got '#stablehlo.scatter'");
    SEES("%0 = \"stablehlo.gather\"(%a, %b) {dimension_numbers = #stablehlo.gather<offset = [1]>} : () -> ()",
         "line 2:72: expected a field of gather, offset_dims for example, got 'offset'");
    SEES("%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f, f]x[o, i]->[b, f], window = {} : () -> ()",
         "line 2:57: expected each dimension once");
    SEES("%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, 0, 1]x[o, i]->[b, f], window = {} : () -> ()",
         "line 2:50: expected b, f and the spatial dimensions from 0 on");
    SEES("%0 = \"stablehlo.reduce_window\"(%a, %a) {padding = dense<0> : tensor<2x3xi64>} : () -> ()",
         "line 2:51: expected two columns, got 3");
    SEES("%0 = \"stablehlo.reduce_window\"(%a, %a) {window_strides = dense<0> : tensor<99999999xi64>} : () "
         "-> ()",
         "line 2:58: expected at most 1048576 integers, got 99999999");
    SEES("%0 = stablehlo.constant dense_resource<w> : tensor<f32>",
         "line 2:40: expected a resource in the text, got 'w'");
    REFUSED("#a = #b\nfunc.func private @f()",
            "line 1:6: expected an alias that is defined before it is used, got '#b'");
    REFUSED("#a = #a\nfunc.func private @f()",
            "line 1:6: expected an alias that is defined before it is used, got '#a'");
}

static void types(void)
{
#define TYPE(type, message) REFUSED("func.func private @f(" type ")", message)
    TYPE("tensor<2xf31>", "line 1:31: expected an element type, got 'f31'");
    TYPE("tensor<2 f32>", "line 1:31: expected 'x', got 'f32'");
    TYPE("tensor<-2xf32>", "line 1:29: expected an element type, got '-'");
    TYPE("tensor<2x", "line 1:31: expected an element type, got ')'");
    TYPE("tensor<99999999999999999999xf32>", "line 1:29: expected a size below 2^63");
    TYPE("tensor<4611686018427387904x2xf32>", "line 1:22: the size in bytes overflows");
    TYPE("tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>", "line 1:62: expected at most 16 dimensions");
    TYPE("tensor<f32, #stablehlo.bounds<3>>", "line 1:52: expected a bound for each of 0 dimensions");
    TYPE("tensor<complex<i32>>", "line 1:37: expected f32 or f64, got 'i32'");
    TYPE("tensor<vector<2xf32>>", "line 1:29: expected an element type, got 'vector'");
    TYPE("!foo.bar", "line 1:22: expected a type, got '!foo.bar'");
    TYPE("!t", "line 1:22: expected an alias that is defined before it is used, got '!t'");
    TYPE("tensor<!quant.uniform<i64:f32, 1.0>>",
         "line 1:44: expected an integer type of at most 32 bits, i8 or u8 for example, got 'i64'");
    TYPE("tensor<!quant.uniform<i8:i8, 1.0>>", "line 1:47: expected a type of floats, got 'i8'");
    TYPE("tensor<!quant.uniform<i8:f32, 1>>", "line 1:52: expected a scale, got '1'");
    TYPE("tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>",
         "line 1:22: expected a quantized dimension within [0, 1), got 1");
    TYPE("tensor<2x!quant.uniform<i8:f32:{0:1}, {1.0}>>",
         "line 1:53: expected a dimension (quantization by blocks is not supported), got '{'");
#undef TYPE
}

/* `open` n times, then `close` n times. */
static void nested(int line, const char *before, const char *open, int n, const char *close,
                   const char *behind, const char *part)
{
    fl_text text = {0};
    fl_program *p = NULL;
    fl_text_printf(&text, "%s", before);
    for (int i = 0; i < n; i++) fl_text_append(&text, open, strlen(open));
    for (int i = 0; i < n; i++) fl_text_append(&text, close, strlen(close));
    fl_text_printf(&text, "%s", behind);
    fl_status s = parse_exactly(text.data, text.length, &p);
    check_count++;
    if (part ? !s || !strstr(fl_status_message(s), part) : s != NULL) {
        check_failures++;
        fprintf(stderr, "line %d: got %s\n", line, s ? fl_status_message(s) : "success");
    }
    fl_status_free(s);
    fl_program_destroy(p);
    fl_text_free(&text);
}

static void depth(void)
{
    const char *limit = "expected at most 100 levels of nesting";
    nested(__LINE__, "func.func private @f(", "tuple<", 90, ">", ")", NULL);
    nested(__LINE__, "func.func private @f(", "tuple<", 100000, ">", ")", limit);
    nested(__LINE__, "func.func private @f(", "(", 100000, ")", ")", limit);
    nested(__LINE__, "func.func private @f() attributes {a = ", "[", 90, "]", "}", NULL);
    nested(__LINE__, "func.func private @f() attributes {a = ", "[", 100000, "]", "}", limit);
    nested(__LINE__, "func.func private @f() attributes {a = ", "{a = ", 100000, "}", "}", limit);
    nested(__LINE__, "func.func private @f() attributes {a = #x.y", "<", 100000, ">", "}",
           "expected '<' to be closed");
    nested(__LINE__, "func.func private @f() loc", "(", 100000, ")", "", "expected a location that ends");
    nested(__LINE__, "func.func @f(%p: tensor<i1>) {\n", "\"stablehlo.case\"(%p) ({\n", 100000, "})", "}",
           limit);
    nested(__LINE__, "func.func @f() {\n%0 = stablehlo.constant dense<", "[", 100000, "]",
           "> : tensor<1xf32>\n}", "expected a number with a decimal point of type f32, got '[[[");
    /* each alias stands for two of the one before */
    fl_text text = {0};
    fl_program *p = NULL;
    fl_text_printf(&text, "#a0 = [1, 1]\n");
    for (int i = 1; i < 64; i++) fl_text_printf(&text, "#a%d = [#a%d, #a%d]\n", i, i - 1, i - 1);
    fl_text_printf(&text, "func.func private @f() attributes {a = #a63}\n");
    CHECK_ERROR(parse_exactly(text.data, text.length, &p), FL_INVALID,
                "expected aliases to be used less than once for each byte");
    fl_text_free(&text);
}

/* Every beginning of a program, and every program with one byte replaced, is read or refused. */
static void damaged(void)
{
    static const char program[] =
        "#map = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>\n"
        "module @m attributes {a = [1, {b = \"x\\n\"}]} {\n  func.func private @g(%a: tensor<2x2xf32> {k = 1 "
        ": i8}) -> "
        "tensor<2x2xf32> {\n    return %a : tensor<2x2xf32>\n  }\n  func.func @main(%a: tensor<2x2xf32>, %p: "
        "tensor<i1>) -> "
        "(tensor<2x2xf32>, tensor<i1>) {\n    %0 = stablehlo.constant dense<[[1.5, -2.0e+3], [0x7F800000, "
        "0.0]]> : "
        "tensor<2x2xf32>\n    %1 = \"stablehlo.dot_general\"(%a, %0) <{dot_dimension_numbers = #map, "
        "precision_config = "
        "[#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2xf32>, tensor<2x2xf32>) "
        "-> tensor<2x2xf32>\n"
        "    %2:2 = stablehlo.while(%x = %1, %q = %p) : tensor<2x2xf32>, tensor<i1>\n     cond {\n      "
        "stablehlo.return %q : "
        "tensor<i1>\n    } do {\n      %3 = func.call @g(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32> "
        "loc(\"l\"(#loc))\n      "
        "stablehlo.return %3, %q : tensor<2x2xf32>, tensor<i1>\n    }\n    %4 = stablehlo.constant "
        "dense_resource<r> : "
        "tensor<2xi32>\n    return %2#0, %2#1 : tensor<2x2xf32>, tensor<i1>\n  }\n}\n#loc = "
        "loc(unknown)\n{-# "
        "dialect_resources: { builtin: { r: \"0x040000000100000002000000\" } } #-}\n";
    size_t n = sizeof program - 1;
    fl_program *p = parsed(__LINE__, program);
    CHECK(p != NULL);
    fl_program_destroy(p);
    for (size_t i = 0; i < n; i++) {
        fl_status s = parse_exactly(program, i, &p);
        CHECK(s ? p == NULL && !strncmp(fl_status_message(s), "line ", 5) : p != NULL);
        fl_status_free(s);
        fl_program_destroy(p);
    }
    static const char bytes[] = "\0\"<>(){}[]%#!@^:=,-0x9\xff\n";
    char *copy = malloc(n);
    for (size_t i = 0; copy && i < n; i++) {
        for (size_t k = 0; k < sizeof bytes - 1; k++) {
            memcpy(copy, program, n);
            copy[i] = bytes[k];
            fl_status s = fl_parse_text(copy, n, &p);
            if (s ? p != NULL || strncmp(fl_status_message(s), "line ", 5) : p == NULL) check_failures++;
            fl_status_free(s);
            fl_program_destroy(p);
        }
    }
    free(copy);
}

int main(void)
{
    lexical();
    modules();
    operations();
    attributes();
    types();
    depth();
    damaged();
    fl_program *p;
    CHECK_ERROR(fl_parse_text(NULL, 0, &p), FL_INVALID, "line 1:1: expected a function");
    return check_result();
}
