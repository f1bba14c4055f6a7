/* Types of results and refused operands ("!part of the message"), by hand from the StableHLO specification.
 */
#include "ir/case.h"

static void elementwise(void)
{
    GIVES(add, "2x3xf32 2x3xf32", PLAIN, "2x3xf32");
    GIVES(add, "i1 i1", PLAIN, "i1");
    GIVES(add, "2xf32 2xf64", PLAIN,
          "!stablehlo.add: expected operand of type tensor<2xf32>, got tensor<2xf64>");
    GIVES(add, "2xf32", PLAIN, "!expected 2 operands, got 1");
    GIVES(abs, "4xcomplex<f32>", PLAIN, "4xf32");
    GIVES(abs, "4xui8", PLAIN, "!signed integer");
    GIVES(exponential, "4xi32", PLAIN, "!expected a floating-point or complex element type, got i32");
    GIVES(not, "4xf32", PLAIN, "!expected an integer or boolean element type");
    GIVES(negate, "4xi1", PLAIN, "!expected an integer, floating-point or complex");
    GIVES(and, "4xi1 4xi1", PLAIN, "4xi1");
    GIVES(shift_left, "4xi1 4xi1", PLAIN, "!expected an integer element type");
    GIVES_AS("4xi8", convert, "4xf32", PLAIN, "4xi8");
    GIVES(convert, "4xf32", PLAIN, "!expected result types to be stated");
    GIVES_AS("5xi8", convert, "4xf32", PLAIN, "!expected result of type tensor<4xi8>, got tensor<5xi8>");
    GIVES(real, "4xcomplex<f64>", PLAIN, "4xf64");
    GIVES(is_finite, "4xbf16", PLAIN, "4xi1");
    GIVES(complex, "4xf32 4xf32", PLAIN, "4xcomplex<f32>");
    GIVES(complex, "4xf16 4xf16", PLAIN, "!f32 or f64");
    GIVES(compare, "4xi64 4xi64", ATTRS(INT(comparison_direction, FL_GE)), "4xi1");
    GIVES(compare, "4xi64 4xi64", PLAIN, "!comparison_direction");
    GIVES(compare, "4xi64 4xi64",
          ATTRS(INT(comparison_direction, FL_GE), INT(compare_type, FL_COMPARE_UNSIGNED)), "!(C3)");
    GIVES(compare, "4xcomplex<f32> 4xcomplex<f32>", ATTRS(INT(comparison_direction, FL_GE)), "4xi1");
    GIVES(select, "i1 2x3xf32 2x3xf32", PLAIN, "2x3xf32");
    GIVES(select, "3xi1 2x3xf32 2x3xf32", PLAIN, "!(C1)");
    GIVES(select, "i8 3xf32 3xf32", PLAIN, "!i1");
    GIVES(clamp, "f32 3xf32 3xf32", PLAIN, "3xf32");
    GIVES(clamp, "f32 3xf32 2xf32", PLAIN, "!bound");
    GIVES(reduce_precision, "3xf32", ATTRS(INT(exponent_bits, 5), INT(mantissa_bits, 0)), "3xf32");
    GIVES(reduce_precision, "3xf32", ATTRS(INT(exponent_bits, 0), INT(mantissa_bits, 0)), "!C2");
    GIVES(top_k, "2x9xf32", ATTRS(INT(k, 4)), "2x4xf32 2x4xi32");
    GIVES(top_k, "2x3xf32", ATTRS(INT(k, 4)), "![0, 3]");
}

static void movement(void)
{
    uint8_t bytes[8] = {0};
    fl_attr short_value[] = {{.key = FL_ATTR_value, .count = 8, .u.dense = bytes}};
    GIVES_AS("3xf32", constant, "", short_value, 1,
             "!expected a value of 12 bytes, or of 4 for a splat (C1), got 8");
    GIVES_AS("4x5xi32", iota, "", ATTRS(INT(iota_dimension, 1)), "4x5xi32");
    GIVES_AS("4x5xi32", iota, "", ATTRS(INT(iota_dimension, 2)), "!within [0, 2)");
    GIVES_AS("3x4xf32", reshape, "2x6xf32", PLAIN, "3x4xf32");
    GIVES_AS("3x5xf32", reshape, "2x6xf32", PLAIN, "!(C2)");
    GIVES_AS("f32", reshape, "1xf32", PLAIN, "f32");
    GIVES_AS("1099511627776x1099511627776x0xf32", reshape, "0xf32", PLAIN, "!overflows");
    GIVES_AS("-2x-2xf32", reshape, "4xf32", PLAIN, "!at least 0");
    GIVES_AS("3x4x2xi16", bitcast_convert, "3x4xf32", PLAIN, "3x4x2xi16");
    GIVES_AS("3xf32", bitcast_convert, "3x4xi8", PLAIN, "3xf32");
    GIVES_AS("3xf32", bitcast_convert, "3x2xi8", PLAIN, "!(C1)");
    GIVES_AS("3xcomplex<f32>", bitcast_convert, "3xf64", PLAIN, "!(C2)");
    GIVES(broadcast, "3xf32", ATTRS(INTS(broadcast_sizes, 2, 4)), "2x4x3xf32");
    GIVES_AS("2x3x2xi32", broadcast_in_dim, "1x3xi32", ATTRS(INTS(broadcast_dimensions, 2, 1)), "2x3x2xi32");
    GIVES_AS("2x3x2xi32", broadcast_in_dim, "2x3xi32", ATTRS(INTS(broadcast_dimensions, 1, 2)), "!(C5)");
    GIVES_AS("2x3xi32", broadcast_in_dim, "2xi32", ATTRS(INTS(broadcast_dimensions, 2)), "!within [0, 2)");
    GIVES_AS("2x3xi32", broadcast_in_dim, "2x2xi32", ATTRS(INTS(broadcast_dimensions, 0, 0)), "!unique");
    GIVES(concatenate, "3x2xi64 1x2xi64", ATTRS(INT(dimension, 0)), "4x2xi64");
    GIVES(concatenate, "3x2xi64 1x3xi64", ATTRS(INT(dimension, 0)), "!(C1, C2)");
    GIVES(concatenate, "", ATTRS(INT(dimension, 0)), "!at least one");
    /* the specification's example: [[1 2 3] [4 5 6]], low 0 1, high 2 1, interior 1 2 */
    GIVES(pad, "2x3xi32 i32",
          ATTRS(INTS(edge_padding_low, 0, 1), INTS(edge_padding_high, 2, 1), INTS(interior_padding, 1, 2)),
          "5x9xi32");
    GIVES(pad, "2xi32 i32",
          ATTRS(INTS(edge_padding_low, -3), INTS(edge_padding_high, 0), INTS(interior_padding, 0)), "!(C4)");
    GIVES(pad, "2xi32 i64",
          ATTRS(INTS(edge_padding_low, 0), INTS(edge_padding_high, 0), INTS(interior_padding, 0)), "!(C1)");
    GIVES(pad, "2xi32 i32",
          ATTRS(INTS(edge_padding_low, 0), INTS(edge_padding_high, 0), INTS(interior_padding, INT64_MAX)),
          "!");
    GIVES(reverse, "3x2xi32", ATTRS(INTS(dimensions, 1)), "3x2xi32");
    GIVES(reverse, "3x2xi32", ATTRS(INTS(dimensions, 1, 1)), "!unique");
    GIVES(slice, "3x4xi64", ATTRS(INTS(start_indices, 1, 0), INTS(limit_indices, 3, 4), INTS(strides, 1, 3)),
          "2x2xi64");
    GIVES(slice, "3xi64", ATTRS(INTS(start_indices, 1), INTS(limit_indices, 4), INTS(strides, 1)), "!(C3)");
    GIVES(slice, "3xi64", ATTRS(INTS(start_indices, 1), INTS(limit_indices, 3), INTS(strides, 0)), "!(C4)");
    GIVES(slice, "3xi64", ATTRS(INTS(start_indices, 1), INTS(limit_indices, 3)),
          "!expected attribute strides");
    GIVES(transpose, "2x3x4xi32", ATTRS(INTS(permutation, 2, 0, 1)), "4x2x3xi32");
    GIVES(transpose, "2x3xi32", ATTRS(INTS(permutation, 0, 0)), "!unique");
    GIVES(transpose, "2x3xi32", ATTRS(INTS(permutation, 0)), "!(C2)");
}

static void indexing(void)
{
    GIVES(dynamic_slice, "4x4xi32 i64 i64", ATTRS(INTS(slice_sizes, 2, 3)), "2x3xi32");
    GIVES(dynamic_slice, "4x4xi32 i64 i64", ATTRS(INTS(slice_sizes, 2, 5)), "!(C4)");
    GIVES(dynamic_slice, "4x4xi32 i64", ATTRS(INTS(slice_sizes, 2, 2)), "!(C2)");
    GIVES(dynamic_slice, "4xi32 f32", ATTRS(INTS(slice_sizes, 2)), "!start index: expected an integer");
    GIVES(dynamic_update_slice, "4x4xi32 2x2xi32 i64 i64", PLAIN, "4x4xi32");
    GIVES(dynamic_update_slice, "4x4xi32 2x5xi32 i64 i64", PLAIN, "!(C6)");
    /* the specification's example with batching dimensions */
#define GATHER(sizes)                                                                                        \
    ATTRS(INTS(offset_dims, 3, 4), INTS(collapsed_slice_dims, 1), INTS(operand_batching_dims, 0),            \
          INTS(start_indices_batching_dims, 1), INTS(start_index_map, 2, 1), INT(index_vector_dim, 3),       \
          sizes)
    GIVES(gather, "2x3x4x2xi32 2x2x3x2xi64", GATHER(INTS(slice_sizes, 1, 1, 2, 2)), "2x2x3x2x2xi32");
    GIVES(gather, "2x3x4x2xi32 2x2x3x2xi64", GATHER(INTS(slice_sizes, 1, 2, 2, 2)), "!(C9)");
    GIVES(gather, "2x3x4x2xi32 2x2x3x2xi64", GATHER(INTS(slice_sizes, 1, 1, 5, 2)), "!(C21)");
    GIVES(gather, "2x3x4x2xi32 2x3x3x2xi64", GATHER(INTS(slice_sizes, 1, 1, 2, 2)), "!of one size");
    GIVES(gather, "2x3x4x2xi32 2x2x3x3xi64", GATHER(INTS(slice_sizes, 1, 1, 2, 2)),
          "!3 members of start_index_map");
    GIVES(gather, "5x3xf32 4xi32",
          ATTRS(INTS(offset_dims, 1), INTS(collapsed_slice_dims, 0), INTS(start_index_map, 0),
                INT(index_vector_dim, 1), INTS(slice_sizes, 1, 3)),
          "4x3xf32");
    GIVES(gather, "0x3xf32 4xi32",
          ATTRS(INTS(offset_dims, 1), INTS(collapsed_slice_dims, 0), INTS(start_index_map, 0),
                INT(index_vector_dim, 1), INTS(slice_sizes, 0, 3)),
          "!got 0");
    GIVES(gather, "5x3xf32 4xf32",
          ATTRS(INTS(offset_dims, 1), INTS(collapsed_slice_dims, 0), INTS(start_index_map, 0),
                INT(index_vector_dim, 1), INTS(slice_sizes, 1, 3)),
          "!indices: expected an integer");
#define SCATTER                                                                                              \
    ATTRS(INTS(update_window_dims, 1), INTS(inserted_window_dims, 0), INTS(scatter_dims_to_operand_dims, 0), \
          INT(index_vector_dim, 1))
    GIVES_WITH(add, scatter, "5x3xf32 4xi32 4x3xf32", SCATTER, "5x3xf32");
    GIVES_WITH(add, scatter, "5x3xf32 4xi32 4x2xf32", SCATTER, "5x3xf32");
    GIVES_WITH(add, scatter, "5x3xf32 4xi32 4x4xf32", SCATTER, "!(C4)");
    GIVES_WITH(add, scatter, "5x3xf32 4xi32 5x3xf32", SCATTER, "!(C4)");
    GIVES_WITH(add, scatter, "5x3xf32 4xi32 4x3xf64", SCATTER, "!(C6)");
    GIVES(scatter, "5x3xf32 4xi32 4x3xf32", SCATTER, "!region");
}

static void products(void)
{
#define DOT                                                                                                  \
    ATTRS(INTS(lhs_batching_dimensions, 0), INTS(rhs_batching_dimensions, 0),                                \
          INTS(lhs_contracting_dimensions, 2), INTS(rhs_contracting_dimensions, 1))
    GIVES(dot_general, "2x2x3xi64 2x3x4xi64", DOT, "2x2x4xi64");
    GIVES(dot_general, "2x2x3xi64 3x3x4xi64", DOT, "!(C9)");
    GIVES(dot_general, "2x2x3xi64 2x4x4xi64", DOT, "!(C10)");
    GIVES(dot_general, "2x2x3xi64 2x3x4xi32", DOT, "!one element type");
    GIVES_AS("2x4xf32", dot_general, "2x3xbf16 3x4xbf16",
             ATTRS(INTS(lhs_contracting_dimensions, 1), INTS(rhs_contracting_dimensions, 0)), "2x4xf32");
    GIVES(dot_general, "2x3xf32 3x4xf32", PLAIN, "2x3x3x4xf32");
    GIVES(dot_general, "2x3xf32 3x2xf32", ATTRS(INTS(lhs_contracting_dimensions, 1)), "!(C2)");
    GIVES(dot, "2x3xf32 3xf32", PLAIN, "2xf32");
    GIVES(dot, "3xf32 3xf32", PLAIN, "f32");
    GIVES(dot, "3xf32 4xf32", PLAIN, "!contracting");
    /* the specification's example: NHWC x HWIO, stride 4, lhs dilation 2 */
#define CONV(groups, ...)                                                                                    \
    ATTRS(INTS(window_strides, 4, 4), INTS(padding, 0, 0, 0, 0), INTS(lhs_dilation, 2, 2),                   \
          INTS(rhs_dilation, 1, 1), INT(input_batch_dimension, 0), INT(input_feature_dimension, 3),          \
          INTS(input_spatial_dimensions, 1, 2), INT(kernel_input_feature_dimension, 2),                      \
          INT(kernel_output_feature_dimension, 3), INTS(kernel_spatial_dimensions, 0, 1),                    \
          INT(output_batch_dimension, 0), INT(output_feature_dimension, 3),                                  \
          INTS(output_spatial_dimensions, __VA_ARGS__), INT(feature_group_count, groups))
    GIVES(convolution, "1x4x4x1xi64 3x3x1x1xi64", CONV(1, 1, 2), "1x2x2x1xi64");
    GIVES(convolution, "1x4x4x1xi64 3x3x2x1xi64", CONV(1, 1, 2), "!(C14)");
    GIVES(convolution, "1x4x4x4xi64 3x3x2x6xi64", CONV(2, 1, 2), "1x2x2x6xi64");
    GIVES(convolution, "1x4x4x4xi64 3x3x2x5xi64", CONV(2, 1, 2), "!(C16)");
    GIVES(convolution, "1x4x4x1xi64 3x3x1x1xi64", CONV(1, 1, 3), "!(C20)");
    GIVES(convolution, "1x4x4x1xi64 3x3x1x1xi64", CONV(0, 1, 2), "!(C21)");
    GIVES(convolution, "1x4x4x1xi64 9x3x1x1xi64", CONV(1, 1, 2), "1x0x2x1xi64");
    GIVES(cholesky, "2x3x3xf32", ATTRS(INT(lower, 1)), "2x3x3xf32");
    GIVES(cholesky, "3x2xf32", ATTRS(INT(lower, 1)), "!square");
    GIVES(triangular_solve, "2x3x3xf32 2x3x5xf32", ATTRS(INT(left_side, 1)), "2x3x5xf32");
    GIVES(triangular_solve, "2x3x3xf32 2x3x5xf32", ATTRS(INT(left_side, 0)), "!(C3)");
    GIVES(fft, "4x8xf32", ATTRS(INT(fft_type, FL_RFFT), INTS(fft_length, 8)), "4x5xcomplex<f32>");
    GIVES(fft, "4x5xcomplex<f32>", ATTRS(INT(fft_type, FL_IRFFT), INTS(fft_length, 8)), "4x8xf32");
    GIVES(fft, "4x5xcomplex<f32>", ATTRS(INT(fft_type, FL_IRFFT), INTS(fft_length, 9)), "4x9xf32");
    GIVES(fft, "4x5xcomplex<f32>", ATTRS(INT(fft_type, FL_FFT), INTS(fft_length, 4)), "!(C4, C5)");
}

static void reductions(void)
{
    GIVES_WITH(add, reduce, "1x6xi64 i64", ATTRS(INTS(dimensions, 1)), "1xi64");
    GIVES_WITH(add, reduce, "2x3xf32 f32", ATTRS(INTS(dimensions, 0, 1)), "f32");
    GIVES_WITH(add, reduce, "2x3xf32 f64", ATTRS(INTS(dimensions, 0)), "!(C2)");
    GIVES_WITH(add, reduce, "2x3xf32 f32", ATTRS(INTS(dimensions, 2)), "!within [0, 2)");
    GIVES(reduce, "2x3xf32 f32", ATTRS(INTS(dimensions, 0)), "!expected region 0");
    /* the specification's example: window 2 1, strides 4 1, base dilation 2 1, window dilation 3 1, padding 2
     * 1 0 0 */
    GIVES_WITH(add, reduce_window, "3x2xi64 i64",
               ATTRS(INTS(window_dimensions, 2, 1), INTS(window_strides, 4, 1), INTS(base_dilations, 2, 1),
                     INTS(window_dilations, 3, 1), INTS(padding, 2, 1, 0, 0)),
               "2x2xi64");
    GIVES_WITH(add, reduce_window, "3xi64 i64", ATTRS(INTS(window_dimensions, 0)), "!positive window");
    GIVES_WITH(add, reduce_window, "3xi64 i64",
               ATTRS(INTS(window_dimensions, 2), INTS(padding, INT64_MAX, 1)), "!overflows");
    GIVES_WITH(add, reduce_window, "3xi64 i64", ATTRS(INTS(window_dimensions, 2), INTS(padding, 1)),
               "!2 values in padding");
    GIVES_WITH(add, reduce_window, "3xi64 i64", ATTRS(INTS(window_dimensions, 4)), "0xi64");
    GIVES_WITH(add, sort, "3xi1", ATTRS(INT(dimension, 0)), "3xi1");
    GIVES_WITH(add, sort, "3xi64", ATTRS(INT(dimension, 0)), "!region result of type tensor<i1>");
    GIVES_WITH(add, sort, "3xi1", ATTRS(INT(dimension, 1)), "!(C4)");
    GIVES_WITH(add, map, "2x3xf32 2x3xf32", ATTRS(INTS(dimensions, 0, 1)), "2x3xf32");
    GIVES_WITH(add, map, "2x3xf32 2x3xf32", ATTRS(INTS(dimensions, 1, 0)), "!(C3)");
}

static void others(void)
{
    GIVES(batch_norm_training, "2x3x4xf32 3xf32 3xf32", ATTRS(FLOAT(epsilon, 0), INT(feature_index, 1)),
          "2x3x4xf32 3xf32 3xf32");
    GIVES(batch_norm_training, "2x3x4xf32 4xf32 3xf32", ATTRS(FLOAT(epsilon, 0), INT(feature_index, 1)),
          "!along the features");
    GIVES(batch_norm_grad, "2x3xf32 3xf32 3xf32 3xf32 2x3xf32",
          ATTRS(FLOAT(epsilon, 0), INT(feature_index, 1)), "2x3xf32 3xf32 3xf32");
    GIVES_AS("2xui64 2x2xui32", rng_bit_generator, "2xui64", ATTRS(INT(rng_algorithm, FL_RNG_PHILOX)),
             "2xui64 2x2xui32");
    GIVES_AS("2xui64 2x2xui32", rng_bit_generator, "3xui64", ATTRS(INT(rng_algorithm, FL_RNG_THREE_FRY)),
             "!(C2)");
    GIVES(optimization_barrier, "2xf32 3xi8", PLAIN, "2xf32 3xi8");
    GIVES(get_dimension_size, "2x3xf32", ATTRS(INT(dimension, 1)), "i32");
    GIVES(custom_call, "2x3xf32", ATTRS(STRING(call_target_name, "f")),
          "!expected result types to be stated");
    GIVES(custom_call, "2x3xf32", PLAIN, "!call_target_name");
    GIVES_AS("7xi8", custom_call, "2x3xf32", ATTRS(STRING(call_target_name, "f")), "7xi8");
}

int main(void)
{
    elementwise();
    movement();
    indexing();
    products();
    reductions();
    others();
    return check_result();
}
