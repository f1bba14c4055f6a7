/* Bytecode of the dialects themselves, without versions, as compilers and jaxlib's Python write it: read as the text that it was
 * made from; damaged it gives errors. */
#include "check.h"
#include "ir/bytecode/bytecode.h"
#include "ir/read.h"
#include "ir/text/parse.h"

#include <stdlib.h>

static const unsigned char bytes[] = {
#include "plain_bytes.inc"
};

static const char text[] =
    "module @plain attributes {mhlo.num_partitions = 2 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%a: tensor<2x8x8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}, {}, "
    "{}]>}, %k: tensor<3x3x3x4xf32>, %i: tensor<5x1xi32>, %p: tensor<i1>) -> (tensor<2x8x8x4xf32> "
    "{jax.result_info = \"r\"}, tensor<5x4xf32>) {\n"
    "    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
    "{pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config "
    "= [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x3xf32>, "
    "tensor<3x3x3x4xf32>) -> tensor<2x8x8x4xf32>\n"
    "    %1 = stablehlo.tanh %0 : tensor<2x8x8x4xf32>\n"
    "    %m = \"stablehlo.if\"(%p) ({ stablehlo.return %1 : tensor<2x8x8x4xf32> }, {\n"
    "      %n = stablehlo.negate %0 : tensor<2x8x8x4xf32>\n"
    "      stablehlo.return %n : tensor<2x8x8x4xf32>\n"
    "    }) : (tensor<i1>) -> tensor<2x8x8x4xf32>\n"
    "    %2 = stablehlo.reshape %m : (tensor<2x8x8x4xf32>) -> tensor<128x4xf32>\n"
    "    %3 = \"stablehlo.gather\"(%2, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
    "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, "
    "4>, indices_are_sorted = true}> : (tensor<128x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>\n"
    "    %4 = \"stablehlo.scatter\"(%2, %i, %3) <{scatter_dimension_numbers = "
    "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = "
    "[0], index_vector_dim = 1>}> ({\n"
    "    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "      %s = stablehlo.add %x, %y : tensor<f32>\n"
    "      stablehlo.return %s : tensor<f32>\n"
    "    }) : (tensor<128x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<128x4xf32>\n"
    "    %5 = stablehlo.dot_general %4, %4, batching_dims = [1] x [1], contracting_dims = [0] x [0], "
    "precision = [DEFAULT, HIGH] : (tensor<128x4xf32>, tensor<128x4xf32>) -> tensor<4xf32>\n"
    "    %6 = func.call @rows(%3, %5) : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>\n"
    "    return %m, %6 : tensor<2x8x8x4xf32>, tensor<5x4xf32>\n"
    "  }\n"
    "  func.func private @rows(%x: tensor<5x4xf32>, %y: tensor<4xf32>) -> tensor<5x4xf32> {\n"
    "    %c = stablehlo.constant dense<[[true, false, true, true]]> : tensor<1x4xi1>\n"
    "    %n = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf8E4M3FN>\n"
    "    %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<4xf32>) -> tensor<5x4xf32>\n"
    "    %0 = stablehlo.compare GE, %x, %b, TOTALORDER : (tensor<5x4xf32>, tensor<5x4xf32>) -> "
    "tensor<5x4xi1>\n"
    "    %1 = stablehlo.select %0, %x, %b : tensor<5x4xi1>, tensor<5x4xf32>\n"
    "    %2 = \"stablehlo.all_reduce\"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = "
    "1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({\n"
    "    ^bb0(%l: tensor<f32>, %r: tensor<f32>):\n"
    "      %s = stablehlo.maximum %l, %r : tensor<f32>\n"
    "      stablehlo.return %s : tensor<f32>\n"
    "    }) : (tensor<5x4xf32>) -> tensor<5x4xf32>\n"
    "    %3 = stablehlo.fft %2, type = RFFT, length = [4] : (tensor<5x4xf32>) -> tensor<5x3xcomplex<f32>>\n"
    "    %4 = stablehlo.real %3 : (tensor<5x3xcomplex<f32>>) -> tensor<5x3xf32>\n"
    "    %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %5 = stablehlo.pad %4, %z, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<5x3xf32>, "
    "tensor<f32>) -> tensor<5x4xf32>\n"
    "    %6 = stablehlo.custom_call @some.target(%5) {backend_config = \"a\\00b\\22\", has_side_effect = "
    "true, mhlo.frontend_attributes = {k = \"v\"}} : (tensor<5x4xf32>) -> tensor<5x4xf32>\n"
    "    return %6 : tensor<5x4xf32>\n"
    "  }\n"
    "}\n";

static fl_text printed(const fl_program *p)
{
    fl_text out = {0};
    fl_program_print(p, &out);
    return out;
}

static void same_as_text(void)
{
    fl_program *a = NULL, *b = NULL;
    CHECK_OK(fl_program_read(bytes, sizeof bytes, &a));
    CHECK_OK(fl_parse_text(text, sizeof text - 1, &b));
    if (a && b) {
        fl_text x = printed(a), y = printed(b);
        CHECK_STRING(x.data, y.data);
        fl_text_free(&x);
        fl_text_free(&y);
    }
    fl_program_destroy(a);
    fl_program_destroy(b);
}

/* The data end where the allocation ends, so that a sanitizer sees every read beyond. */
static void read_copy(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size + !size);
    fl_program *p = NULL;
    if (size) memcpy(copy, data, size);
    fl_status s = fl_read_bytecode(copy, size, &p);
    CHECK(!s == (p != NULL));
    CHECK(fl_status_code(s) != FL_INTERNAL);
    fl_status_free(s);
    fl_program_destroy(p);
    free(copy);
}

static void damaged(void)
{
    unsigned char *copy = malloc(sizeof bytes);
    memcpy(copy, bytes, sizeof bytes);
    for (size_t at = 4; at < sizeof bytes; at++) {
        read_copy(bytes, at);
        for (int k = 0; k < 4; k++) {
            copy[at] = (unsigned char)(k < 2 ? bytes[at] + (k ? 2 : -2) : (int)(at * 37) + k);
            read_copy(copy, sizeof bytes);
        }
        copy[at] = bytes[at];
    }
    free(copy);
}

int main(void)
{
    same_as_text();
    damaged();
    return check_result();
}
