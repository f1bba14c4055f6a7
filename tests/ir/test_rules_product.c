/* Rules of products, convolutions and linear algebra. */
#include "ir/rules.h"

#define Q   "!quant.uniform<i8:f32,0.5:1>"
#define Z   "!quant.uniform<i8:f32,0.5>"
#define ZI  "!quant.uniform<i32:f32,0.5>"
#define Z4  "!quant.uniform<i4:f32,0.5>"
#define ZH  "!quant.uniform<i8:f16,0.5>"
#define Z0  "!quant.uniform<i8:f32:0,{0.5,0.25,0.5}>"
#define Z1  "!quant.uniform<i8:f32:1,{0.5,0.25,0.5,0.5}>"
#define ZI1 "!quant.uniform<i32:f32:1,{0.5,0.25,0.5,0.5}>"
#define ZI0 "!quant.uniform<i32:f32:0,{0.5,0.25}>"
#define DOT(lb, rb, lc, rc)                                                                                  \
    "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [" lb                                  \
    "], rhs_batching_dimensions = [" rb "], lhs_contracting_dimensions = [" lc                               \
    "], rhs_contracting_dimensions = [" rc "]>"
#define MATMUL DOT("", "", "1", "0")
#define ALGORITHM(l, r, n)                                                                                   \
    "algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, "            \
    "accumulation_type = f32, lhs_component_count = " l ", rhs_component_count = " r                         \
    ", num_primitive_operations = " n ", allow_imprecise_accumulation = false>"
#define PRECISION(p, q) "precision_config = [#stablehlo<precision " p ">, #stablehlo<precision " q ">]"

static const rule_case dots[] = {
    RULE("dot_general", MATMUL, "", "2x3xf32 3x4xf32", "2x4xf32", NULL),
    RULE("dot_general", MATMUL, "", "2x3xbf16 3x4xbf16", "2x4xf32", NULL),
    RULE("dot_general", DOT("0", "0", "2", "1"), "", "5x2x3xi8 5x3x4xi8", "5x2x4xi32", NULL),
    RULE("dot_general", DOT("0", "0", "2", "1"), "", "?x2x3xf32 5x?x4xf32", "5x2x4xf32", NULL),
    RULE("dot_general", MATMUL ", " PRECISION("HIGH", "HIGHEST"), "", "2x3xf32 3x4xf32", "2x4xf32", NULL),
    RULE("dot_general", MATMUL ", " ALGORITHM("1", "1", "1"), "", "2x3xf32 3x4xf32", "2x4xf32", NULL),
    RULE("dot_general", MATMUL, "", "2x3x" Q " 3x4x" Z, "2x4x" ZI, NULL),
    RULE("dot_general", MATMUL, "", "2x3x" Q " 3x4x" Z1, "2x4x" ZI1, NULL),
    RULE("dot_general", MATMUL, "", "2x3xf32 3x4x" Z, "2x4xf32", NULL),
    RULE("dot_general", DOT("0", "", "1", "0"), "", "2x3xf32 3x4xf32", "2x4xf32", "(C1)"),
    RULE("dot_general", DOT("", "", "1", ""), "", "2x3xf32 3x4xf32", "2x4xf32", "(C2)"),
    RULE("dot_general", DOT("1", "1", "1", "0"), "", "2x3xf32 3x4xf32", "2x4xf32", "(C3)"),
    RULE("dot_general", DOT("", "", "1, 1", "0, 1"), "", "3x3xf32 3x3xf32", "3xf32", "C3"),
    RULE("dot_general", DOT("0", "0", "1", "0"), "", "3x3xf32 3x4xf32", "3x4xf32", "(C4)"),
    RULE("dot_general", DOT("2", "0", "1", "1"), "", "3x3xf32 3x3xf32", "3xf32", "C5"),
    RULE("dot_general", DOT("", "", "2", "0"), "", "2x3xf32 3x4xf32", "2x4xf32", "C6"),
    RULE("dot_general", DOT("0", "2", "1", "1"), "", "3x3xf32 3x3xf32", "3xf32", "C7"),
    RULE("dot_general", DOT("", "", "1", "2"), "", "2x3xf32 3x4xf32", "2x4xf32", "C8"),
    RULE("dot_general", DOT("0", "0", "1", "1"), "", "2x3xf32 4x3xf32", "2xf32", "(C9)"),
    RULE("dot_general", MATMUL, "", "2x3xf32 4x4xf32", "2x4xf32", "(C10)"),
    RULE("dot_general", MATMUL ", precision_config = [#stablehlo<precision HIGH>]", "", "2x3xf32 3x4xf32",
         "2x4xf32", "(C11)"),
    RULE("dot_general", MATMUL, "", "2x3xf32 3x4xf32", "2x5xf32", "(C12)"),
    RULE("dot_general", MATMUL, "", "2x3xf32 3x4xf64", "2x4xf32", NULL),
    RULE("dot_general", MATMUL, "", "2x3xf32 3x4xi32", "2x4xf32", NULL),
    RULE("dot_general", MATMUL, "", "2x3xi1 3x4xui8", "2x4xi32", NULL),
    RULE("dot_general", MATMUL, "", "2x3xi32 3x4xf32", "2x4xi32", "(C13)"),
    RULE("dot_general", MATMUL, "", "2x3xf32 3x4xcomplex<f32>", "2x4xf32", "(C13)"),
    RULE("dot_general", MATMUL, "", "2x3xf32 3x4xf32", "2x4xcomplex<f32>", "(C13)"),
    RULE("dot_general", MATMUL, "", "2x3xi8 3x4xi8", "2x4xf32", "(C13)"),
    RULE("dot_general", MATMUL, "", "2x3xf8E4M3FN 3x4xf8E5M2", "2x4xf32", NULL),
    RULE("dot_general", MATMUL, "", "2x3x" Q " 3x4xf32", "2x4x" ZI, "(C14)"),
    RULE("dot_general", MATMUL, "", "2x3x" Q " 3x4x" Z, "2x4xf32", "(C14)"),
    RULE("dot_general", MATMUL, "", "2x3x" Q " 3x4x" Q, "2x4x" ZI, "(C15)"),
    RULE("dot_general", MATMUL, "", "2x3x" Q " 3x4x" Z0, "2x4x" ZI, "(C16)"),
    RULE("dot_general", MATMUL, "", "2x3x" Q " 3x4x" Z4, "2x4x" ZI, "(C17)"),
    RULE("dot_general", MATMUL, "", "2x3x" Q " 3x4x" ZH, "2x4x" ZI, "(C18)"),
    RULE("dot_general", MATMUL, "", "2x3x" Q " 3x4x" Z, "2x4x" ZI1, "(C19)"),
    RULE("dot_general", MATMUL, "", "2x3xf16 3x4x" Z, "2x4xf16", "(C20)"),
    RULE("dot_general", MATMUL ", " PRECISION("HIGH", "DEFAULT") ", " ALGORITHM("1", "1", "1"), "",
         "2x3xf32 3x4xf32", "2x4xf32", "(C21)"),
    RULE("dot_general", MATMUL ", " ALGORITHM("0", "1", "1"), "", "2x3xf32 3x4xf32", "2x4xf32", "(C22)"),
    RULE("dot_general",
         MATMUL
         ", algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32>",
         "", "2x3xf32 3x4xf32", "2x4xf32", "(I10)"),
    RULE("dot_general", MATMUL ", " ALGORITHM("1", "0", "1"), "", "2x3xf32 3x4xf32", "2x4xf32", "(C23)"),
    RULE("dot_general", MATMUL ", " ALGORITHM("1", "1", "0"), "", "2x3xf32 3x4xf32", "2x4xf32", "(C24)"),
    RULE("dot", "", "", "2x3xf32 3x4xf32", "2x4xf32", NULL),
    RULE("dot", "", "", "3xf32 3xf32", "f32", NULL),
    RULE("dot", "", "", "2x3xf32 4xf32", "2xf32", "(C10)"),
    RULE("dot", "", "", "2x2x3xf32 3xf32", "2x2xf32", "rank 1 or 2"),
    RULE("dot", "", "", "2x3xf32 3x4xf32", "4x2xf32", "(C12)"),
    RULE("einsum", "einsum_config = \"ab,bc->ac\"", "", "2x3xf32 3x4xf32", "2x4xf32", NULL),
    RULE("einsum", "einsum_config = \"ab,bc->ac\"", "", "2x3xf32 4x4xf32", "2x4xf32", "for 'b'"),
    RULE("einsum", "einsum_config = \"ab,bc->ac\"", "", "2x3xf32 3x4xf32", "4x2xf32", "einsum_config"),
    RULE("einsum", "einsum_config = \"ab,bc->ad\"", "", "2x3xf32 3x4xf32", "2x4xf32", "after the arrow"),
    RULE("einsum", "einsum_config = \"ab->a\"", "", "2x3xf32 3x4xf32", "2xf32", "2 operands"),
    RULE("unary_einsum", "einsum_config = \"ab->a\"", "", "2x3xf32", "2xf32", NULL),
    RULE("unary_einsum", "einsum_config = \"abc->a\"", "", "2x3xf32", "2xf32", "2 letters"),
};

#define CONV_DIMS(d) "dimension_numbers = #stablehlo.conv<" d ">"
#define NHWC         CONV_DIMS("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]")
#define GROUPS(f, b) ", feature_group_count = " f " : i64, batch_group_count = " b " : i64"
#define CONV(more)   NHWC GROUPS("1", "1") more
#define RAW(input, ispatial, kernel, kspatial, output, ospatial)                                             \
    "dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = " input    \
    ", input_spatial_dimensions = [" ispatial "], kernel_input_feature_dimension = 2, "                      \
    "kernel_output_feature_dimension = " kernel ", kernel_spatial_dimensions = [" kspatial                   \
    "], output_batch_dimension = 0, output_feature_dimension = " output                                      \
    ", output_spatial_dimensions = [" ospatial "]>" GROUPS("1", "1")
#define QO  "!quant.uniform<i8:f32:3,{0.5,0.25}>"
#define QI  "!quant.uniform<i8:f32:2,{0.5}>"
#define QR  "!quant.uniform<i32:f32:3,{0.5,0.25}>"
#define QR1 "!quant.uniform<i32:f32:0,{0.5}>"
#define IN  "1x4x4x1xf32 3x3x1x2xf32"
#define OUT "1x2x2x2xf32"

static const rule_case convolutions[] = {
    RULE("convolution", CONV(""), "", IN, OUT, NULL),
    RULE("convolution", CONV(""), "", "?x4x?x1xf32 3x3x1x2xf32", "8x2x7x2xf32", NULL),
    RULE("convolution",
         CONV(", window_strides = array<i64: 2, 2>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>, "
              "lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: "
              "true, false>"),
         "", IN, "1x4x1x2xf32", NULL),
    RULE("convolution", NHWC GROUPS("2", "1"), "", "1x4x4x4xf32 3x3x2x2xf32", OUT, NULL),
    RULE("convolution", NHWC GROUPS("1", "2"), "", "2x4x4x1xf32 3x3x1x2xf32", OUT, NULL),
    RULE("convolution", CONV(""), "", "1x4x4x1x" Q " 3x3x1x2x" Q, "1x2x2x2x" ZI, NULL),
    RULE("convolution", CONV(""), "", "1x4x4x1x" Q " 3x3x1x2x" QO, "1x2x2x2x" QR, NULL),
    RULE("convolution", CONV(""), "", "1x4x4x1xf32 3x3x1x2x" QO, OUT, NULL),
    RULE("convolution", CONV(""), "", "1x4x4x1xf32 3x3x2xf32", OUT, "(C1)"),
    RULE("convolution", CONV(", window_strides = array<i64: 2>"), "", IN, OUT, "(C2)"),
    RULE("convolution", CONV(", window_strides = array<i64: 0, 1>"), "", IN, OUT, "C3"),
    RULE("convolution", CONV(", padding = dense<0> : tensor<1x2xi64>"), "", IN, OUT, "(C4)"),
    RULE("convolution", CONV(", lhs_dilation = array<i64: 1>"), "", IN, OUT, "(C5)"),
    RULE("convolution", CONV(", lhs_dilation = array<i64: 1, 0>"), "", IN, OUT, "C6"),
    RULE("convolution", CONV(", rhs_dilation = array<i64: 1, 1, 1>"), "", IN, OUT, "(C7)"),
    RULE("convolution", CONV(", rhs_dilation = array<i64: -1, 1>"), "", IN, OUT, "C8"),
    RULE("convolution", CONV(", window_reversal = array<i1: true>"), "", IN, OUT, "(C9)"),
    RULE("convolution", NHWC GROUPS("1", "2"), "", "3x4x4x1xf32 3x3x1x2xf32", OUT, "(C10)"),
    RULE("convolution", NHWC GROUPS("2", "1"), "", "1x4x4x3xf32 3x3x1x2xf32", OUT, "(C11)"),
    RULE("convolution", RAW("3", "1", "3", "0, 1", "3", "1, 2"), "", IN, OUT, "(C12)"),
    RULE("convolution", RAW("3", "1, 3", "3", "0, 1", "3", "1, 2"), "", IN, OUT, "(C13)"),
    RULE("convolution", CONV(""), "", "1x4x4x1xf32 3x3x2x2xf32", OUT, "(C14)"),
    RULE("convolution", NHWC GROUPS("1", "2"), "", "2x4x4x1xf32 3x3x1x3xf32", OUT, "(C15)"),
    RULE("convolution", NHWC GROUPS("2", "1"), "", "1x4x4x4xf32 3x3x2x3xf32", OUT, "(C16)"),
    RULE("convolution", RAW("3", "1, 2", "3", "0", "3", "1, 2"), "", IN, OUT, "(C17)"),
    RULE("convolution", RAW("3", "1, 2", "4", "0, 1", "3", "1, 2"), "", IN, OUT, "(C18)"),
    RULE("convolution", RAW("3", "1, 2", "3", "0, 1", "3", "1"), "", IN, OUT, "(C19)"),
    RULE("convolution", RAW("3", "1, 2", "3", "0, 1", "1", "1, 2"), "", IN, OUT, "(C20)"),
    RULE("convolution", NHWC GROUPS("0", "1"), "", IN, OUT, "(C21)"),
    RULE("convolution", NHWC GROUPS("1", "0"), "", IN, OUT, "(C22)"),
    RULE("convolution", NHWC GROUPS("2", "2"), "", "2x4x4x2xf32 3x3x1x2xf32", OUT, "(C23)"),
    RULE("convolution", CONV(", precision_config = [#stablehlo<precision HIGH>]"), "", IN, OUT, "(C24)"),
    RULE("convolution", CONV(""), "", IN, "1x2x3x2xf32", "(C25, C26)"),
    RULE("convolution", CONV(""), "", IN, "2x2x2xf32", "(C25, C26)"),
    RULE("convolution", CONV(", padding = dense<9223372036854775807> : tensor<2x2xi64>"), "", IN, OUT,
         "overflows"),
    RULE("convolution", CONV(""), "", "1x4x4x1xf32 3x3x1x2xf64", OUT, NULL),
    RULE("convolution", CONV(""), "", "1x4x4x1xf32 3x3x1x2xcomplex<f32>", OUT, "(C27)"),
    RULE("convolution", CONV(""), "", "1x4x4x1x" Q " 3x3x1x2xf32", "1x2x2x2x" ZI, "(C28)"),
    RULE("convolution", CONV(""), "", "1x4x4x1x" Q " 3x3x1x2x" QI, "1x2x2x2x" ZI, "(C29)"),
    RULE("convolution", CONV(""), "", "1x4x4x1x" Q " 3x3x1x2x" QO, "1x2x2x2x" QR1, "(C30)"),
    RULE("convolution", CONV(""), "", "1x4x4x1x" Q " 3x3x1x2x" Z4, "1x2x2x2x" ZI, "(C31)"),
    RULE("convolution", CONV(""), "", "1x4x4x1x" Q " 3x3x1x2x" ZH, "1x2x2x2x" ZI, "(C32)"),
    RULE("convolution", CONV(""), "", "1x4x4x1x" Q " 3x3x1x2x" Q, "1x2x2x2x" QR, "(C33)"),
    RULE("convolution", CONV(""), "", "1x4x4x1xf16 3x3x1x2x" Q, "1x2x2x2xf16", "(C34)"),
    RULE("dynamic_conv", CONV(""), "", IN " 2x2xi64", "1x?x?x2xf32", NULL),
    RULE("dynamic_conv", CONV(""), "", IN " 2x2xf32", "1x?x?x2xf32", "an integer"),
    RULE("dynamic_conv", CONV(""), "", IN " 3x2xi64", "1x?x?x2xf32", "(C4)"),
    RULE("dynamic_conv", CONV(""), "", IN " 2x2xi64", "2x?x?x2xf32", "(C25, C26)"),
};

#define SOLVE(left, transpose)                                                                               \
    "left_side = " left                                                                                      \
    ", lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose " transpose ">"
#define FFT(type, length) "fft_type = #stablehlo<fft_type " type ">, fft_length = array<i64: " length ">"

static const rule_case linalg[] = {
    RULE("cholesky", "lower = true", "", "2x3x3xf32", "2x3x3xf32", NULL),
    RULE("cholesky", "lower = true", "", "2x3x3xf32", "2x3x3xf64", "(C1)"),
    RULE("cholesky", "lower = true", "", "3xf32", "3xf32", "(C2)"),
    RULE("cholesky", "lower = true", "", "2x3xf32", "2x3xf32", "(C3)"),
    RULE("triangular_solve", SOLVE("true", "ADJOINT"), "", "2x3x3xcomplex<f32> 2x3x5xcomplex<f32>",
         "2x3x5xcomplex<f32>", NULL),
    RULE("triangular_solve", SOLVE("true", "NO_TRANSPOSE"), "", "3x3xf32 3x5xf64", "3x5xf64", "(C1)"),
    RULE("triangular_solve", SOLVE("true", "NO_TRANSPOSE"), "", "3x3xf32 2x3x5xf32", "2x3x5xf32", "(C2)"),
    RULE("triangular_solve", SOLVE("false", "NO_TRANSPOSE"), "", "3x3xf32 3x5xf32", "3x5xf32", "(C3)"),
    RULE("triangular_solve", SOLVE("true", "NO_TRANSPOSE"), "", "2x3x3xf32 4x3x5xf32", "4x3x5xf32", "(C3)"),
    RULE("triangular_solve", SOLVE("true", "NO_TRANSPOSE"), "", "3x3xf32 3x5xf32", "3x4xf32", "(C4)"),
    RULE("fft", FFT("FFT", "8"), "", "4x8xcomplex<f32>", "4x8xcomplex<f32>", NULL),
    RULE("fft", FFT("RFFT", "8"), "", "4x8xf32", "4x5xcomplex<f32>", NULL),
    RULE("fft", FFT("IRFFT", "4, 9"), "", "4x5xcomplex<f64>", "4x9xf64", NULL),
    RULE("fft", FFT("RFFT", "17"), "", "0x17xf32", "0x9xcomplex<f32>", NULL),
    RULE("fft", FFT("FFT", "4, 4, 8"), "", "4x8xcomplex<f32>", "4x8xcomplex<f32>", "(C1)"),
    RULE("fft", FFT("FFT", "8"), "", "4x8xf32", "4x8xf32", "(C2)"),
    RULE("fft", FFT("RFFT", "8"), "", "4x8xf16", "4x5xcomplex<f32>", "(C2)"),
    RULE("fft", FFT("FFT", "1, 1, 1, 1"), "", "1x1x1x1xcomplex<f32>", "1x1x1x1xcomplex<f32>", "(C3)"),
    RULE("fft", FFT("RFFT", "7"), "", "4x8xf32", "4x4xcomplex<f32>", "C4"),
    RULE("fft", FFT("RFFT", "8"), "", "4x8xf32", "4x8xcomplex<f32>", "(C5)"),
    RULE("fft", FFT("RFFT", "-8"), "", "4x?xf32", "4x?xcomplex<f32>", "C4"),
};

int main(void)
{
    CHECK_RULES(dots);
    CHECK_RULES(convolutions);
    CHECK_RULES(linalg);
    return check_result();
}
