/* The partitioner: programs whole against partitioned, and the collectives that each one takes. */
#include "partition_case.h"

static void elementwise(void)
{
    static const char two[] = F("%x: tensor<4x6xf32>, %y: tensor<4x6xf32>", "tensor<4x6xf32>",
                                "  %a = stablehlo.add %x, %y : tensor<4x6xf32>\n"
                                "  %b = stablehlo.multiply %a, %y : tensor<4x6xf32>\n"
                                "  return %b : tensor<4x6xf32>\n");
    PARTITION(two, "2", "a0=0,-", "");
    PARTITION(two, "2x3", "a0=0,1", "");
    PARTITION(two, "2x3", "a0=-,01 r0=-,01", "");
    PARTITION(two, "2x3", "a0=0,- a1=-,1", "");
    PARTITION(two, "2", "a0=0,- r0=-,-", "gather=1");
    PARTITION(two, "2", "a0=0,- a1=0,- r0=-,0", "exchange=1");
    PARTITION(two, "2x2", "a0=01,- r0=10,-", "permute=1");
    PARTITION(two, "2x2", "a0=0,- a1=0,- r0=1,-", "permute=1");
    PARTITION(two, "2x2", "a0=0,1 r0=1,0", "permute=1");
    PARTITION(two, "2", "r0=0,-", "");
    PARTITION(two, "2x3", "a0=-,- a1=-,- r0=-,10", "");
}

static void movement(void)
{
    PARTITION(F("%x: tensor<4x6xf32>", "tensor<6x4xf32>",
                "  %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>\n"
                "  return %a : tensor<6x4xf32>\n"),
              "2x3", "a0=0,1", "");
    PARTITION(F("%x: tensor<6xf32>", "tensor<4x6xf32>",
                "  %a = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>\n"
                "  return %a : tensor<4x6xf32>\n"),
              "2x3", "r0=0,1", "");
    static const char split[] = F("%x: tensor<4x12xf32>", "tensor<4x3x4xf32>",
                                  "  %a = stablehlo.reshape %x : (tensor<4x12xf32>) -> tensor<4x3x4xf32>\n"
                                  "  return %a : tensor<4x3x4xf32>\n");
    PARTITION(split, "2x3", "a0=0,1", "");
    PARTITION(split, "3x2", "a0=-,01", "");
    PARTITION(split, "3x2", "r0=-,0,1", "");
    PARTITION(split, "3x2", "a0=-,10 r0=-,-,-", "gather=1");
    PARTITION(split, "2", "r0=-,-,0", "");
    PARTITION(split, "2", "a0=-,0 r0=-,-,0", NULL);
    static const char merge[] = F("%x: tensor<4x3x4xf32>", "tensor<12x4xf32>",
                                  "  %a = stablehlo.reshape %x : (tensor<4x3x4xf32>) -> tensor<12x4xf32>\n"
                                  "  return %a : tensor<12x4xf32>\n");
    PARTITION(merge, "2x2", "a0=0,-,1", "");
    PARTITION(merge, "4x3", "a0=0,1,-", "");
    static const char heads[] = /* 8 heads in 2 groups: parts of an axis */
        F("%x: tensor<4x16xf32>", "tensor<4x16xf32>",
          "  %a = stablehlo.reshape %x : (tensor<4x16xf32>) -> tensor<4x2x4x2xf32>\n"
          "  %b = stablehlo.add %a, %a : tensor<4x2x4x2xf32>\n"
          "  %c = stablehlo.reshape %b : (tensor<4x2x4x2xf32>) -> tensor<4x16xf32>\n"
          "  return %c : tensor<4x16xf32>\n");
    PARTITION(heads, "8", "a0=-,0", "");
    PARTITION(heads, "8", "a0=-,0 r0=-,0", "");
    PARTITION(heads, "8", "v1=-,-,-?,-", "");
    PARTITION(F("%x: tensor<6x4xf32>", "tensor<8x3xf32>",
                "  %a = stablehlo.reshape %x : (tensor<6x4xf32>) -> tensor<8x3xf32>\n"
                "  return %a : tensor<8x3xf32>\n"),
              "2", "a0=0,-", "");
    PARTITION(F("%x: tensor<4x6xf32>", "tensor<4x2xf32>",
                "  %a = stablehlo.slice %x [0:4, 1:5:2] : (tensor<4x6xf32>) -> tensor<4x2xf32>\n"
                "  return %a : tensor<4x2xf32>\n"),
              "2x2", "a0=0,1", "gather=1");
    PARTITION(F("", "tensor<4x6xi32>",
                "  %a = stablehlo.iota dim = 1 : tensor<4x6xi32>\n  return %a : tensor<4x6xi32>\n"),
              "2x3", "r0=0,1", "");
    PARTITION(F("", "tensor<2x2xi32>",
                "  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>\n"
                "  %b = stablehlo.constant dense<7> : tensor<2x2xi32>\n"
                "  %c = stablehlo.add %a, %b : tensor<2x2xi32>\n  return %c : tensor<2x2xi32>\n"),
              "2x2", "r0=0,1", "");
}

#define DOT(a, b, c, dims)                                                                                   \
    F("%x: " a ", %y: " b, c,                                                                                \
      "  %d = stablehlo.dot_general %x, %y, " dims " : (" a ", " b ") -> " c "\n  return %d : " c "\n")

static void products(void)
{
    static const char plain[] =
        DOT("tensor<4x6xf32>", "tensor<6x8xf32>", "tensor<4x8xf32>", "contracting_dims = [1] x [0]");
    PARTITION(plain, "2", "a0=0,-", "");
    PARTITION(plain, "2x2", "a0=0,- a1=-,1", "");
    PARTITION(plain, "2", "a0=-,0 a1=0,-", "reduce=1");
    PARTITION(plain, "2", "a0=-,0", "reduce=1");
    PARTITION(plain, "2", "a0=-,0 r0=0,-", "scatter=1");
    PARTITION(plain, "2x3", "a0=0,1 a1=1,-", "reduce=1");
    PARTITION(plain, "2", "a0=0,- a1=0,-", NULL);
    PARTITION(DOT("tensor<4x6xbf16>", "tensor<6x8xbf16>", "tensor<4x8xbf16>", "contracting_dims = [1] x [0]"),
              "2", "a0=-,0", "reduce=1");
    PARTITION(DOT("tensor<2x4x6xf32>", "tensor<2x8x6xf32>", "tensor<2x4x8xf32>",
                  "batching_dims = [0] x [0], contracting_dims = [2] x [2]"),
              "2x2", "a0=0,1,-", "");
}

#define REDUCE(type, result, op, init, dims)                                                                 \
    F("%x: tensor<" type ">", "tensor<" result ">",                                                          \
      "  %i = stablehlo.constant dense<" init "> : tensor<f32>\n"                                            \
      "  %r = stablehlo.reduce(%x init: %i) applies stablehlo." op " across dimensions = " dims              \
      " : (tensor<" type ">, tensor<f32>) -> tensor<" result ">\n  return %r : tensor<" result ">\n")

static void reductions(void)
{
    PARTITION(REDUCE("4x6xf32", "4xf32", "add", "0.0", "[1]"), "2", "a0=0,-", "");
    PARTITION(REDUCE("4x6xf32", "4xf32", "add", "0.0", "[1]"), "2x3", "a0=0,1", "reduce=1");
    PARTITION(REDUCE("4x6xf32", "4xf32", "add", "5.0", "[1]"), "2x3", "a0=0,1", "reduce=1");
    PARTITION(REDUCE("4x6xf32", "f32", "maximum", "0xFF800000", "[0, 1]"), "2x3", "a0=0,1", "reduce=1");
    PARTITION(REDUCE("4x6xf32", "f32", "minimum", "-1.0", "[0, 1]"), "2x3", "a0=0,1", "reduce=1");
    PARTITION(REDUCE("4x6xf32", "6xf32", "multiply", "2.0", "[0]"), "2", "a0=0,- r0=0", "scatter=1");
    PARTITION(
        F("%x: tensor<4x6xf32>, %i: tensor<f32>", "tensor<4xf32>", /* no monoid: a step captures a value */
          "  %r = \"stablehlo.reduce\"(%x, %i) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
          "    %s = stablehlo.add %a, %b : tensor<f32>\n    %t = stablehlo.add %s, %i : tensor<f32>\n"
          "    stablehlo.return %t : tensor<f32>\n  }) {dimensions = array<i64: 1>} : (tensor<4x6xf32>, "
          "tensor<f32>) -> tensor<4xf32>\n  return %r : tensor<4xf32>\n"),
        "2", "a0=-,0", "gather=1");
}

#define CONV(x, w, y, features, batches)                                                                     \
    F("%x: " x ", %w: " w, y,                                                                                \
      "  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = "  \
      "[[1, 1]]} {batch_group_count = " batches " : i64, feature_group_count = " features " : i64} : (" x    \
      ", " w ") -> " y "\n  return %r : " y "\n")

static void convolutions(void)
{
    static const char plain[] = CONV("tensor<4x6x5xf32>", "tensor<8x6x3xf32>", "tensor<4x8x5xf32>", "1", "1"),
                      grouped[] =
                          CONV("tensor<4x8x5xf32>", "tensor<12x2x3xf32>", "tensor<4x12x5xf32>", "4", "1"),
                      batched[] =
                          CONV("tensor<8x4x5xf32>", "tensor<12x4x3xf32>", "tensor<2x12x5xf32>", "1", "4");
    PARTITION(plain, "2x2", "a0=0,-,- a1=1,-,-", "");
    PARTITION(plain, "2x3", "a0=0,1,-", "reduce=1");
    PARTITION(plain, "2", "a0=-,-,-? a1=-,0,- r0=0,-,-", "gather=1"); /* the kernel is smaller */
    PARTITION(grouped, "2x2", "a0=0,1,-", "");
    PARTITION(grouped, "2x2", "a0=-,01,-", "");
    PARTITION(grouped, "8", "a0=-,0,-", "gather=2"); /* 4 parts of 8; the result has no such parts */
    PARTITION(batched, "2x2", "a0=0,1,-", "reduce=1");
    PARTITION(batched, "2", "r0=-,0,-", "");
    PARTITION(batched, "2", "r0=0,-,-", "");
}

#define GATHER(table, indices, y, attrs)                                                                     \
    F("%x: " table ", %i: " indices, y,                                                                      \
      "  %r = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<" attrs " : (" table       \
      ", " indices ") -> " y "\n  return %r : " y "\n")

#define SCATTER(table, indices, updates, op, attrs)                                                          \
    F("%x: " table ", %i: " indices ", %u: " updates, table,                                                 \
      "  %r = \"stablehlo.scatter\"(%x, %i, %u) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" op          \
      "    stablehlo.return %s : tensor<f32>\n  }) {scatter_dimension_numbers = #stablehlo.scatter<" attrs   \
      ">} : (" table ", " indices ", " updates ") -> " table "\n  return %r : " table "\n")

static void indices(void)
{
    static const char rows[] = GATHER("tensor<8x6xf32>", "tensor<4x2x1xi32>", "tensor<4x2x6xf32>",
                                      "offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], "
                                      "index_vector_dim = 2>, slice_sizes = "
                                      "array<i64: 1, 6>}");
    PARTITION(rows, "2x3", "a0=-,1 a1=0,-,-", "");
    PARTITION(rows, "4", "a0=0,-", "reduce=1"); /* a table whose rows are cut; some indices are below 0 */
    PARTITION(rows, "2x2", "a0=0,- a1=1,-,-", "reduce=1");
    PARTITION(rows, "2", "a0=0,- r0=0,-,-", "gather=1"); /* the table is smaller than the result */
    PARTITION(
        GATHER("tensor<32x6xf32>", "tensor<4xi32>", "tensor<4x6xf32>",
               "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
               "slice_sizes = array<i64: 1, 6>}"),
        "2", "a0=0,- r0=0,-", "gather=1 scatter=1"); /* indices, rows */
    PARTITION(
        GATHER(
            "tensor<4x8xf32>", "tensor<4x3xi32>", "tensor<4x3xf32>",
            "offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0], "
            "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = "
            "array<i64: 1, 1>}"),
        "2x2", "a0=0,1", "reduce=1");
    PARTITION(
        GATHER(
            "tensor<4x8xf32>", "tensor<4x2xi32>", "tensor<4x2x1xf32>",
            "offset_dims = [1, 2], collapsed_slice_dims = [], start_index_map = [0, 1], index_vector_dim = "
            "1>, slice_sizes = array<i64: 2, 1>}"),
        "2", "a0=0,-", "gather=1"); /* windows */

    static const char add[] = SCATTER("tensor<8x6xf32>", "tensor<4x1xi32>", "tensor<4x6xf32>",
                                      "    %s = stablehlo.add %a, %b : tensor<f32>\n",
                                      "update_window_dims = [1], inserted_window_dims = [0], "
                                      "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"),
                      set[] = SCATTER("tensor<8x6xf32>", "tensor<4x1xi32>", "tensor<4x6xf32>",
                                      "    %s = stablehlo.subtract %b, %a : tensor<f32>\n",
                                      "update_window_dims = [1], inserted_window_dims = [0], "
                                      "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"),
                      most[] = SCATTER("tensor<8x6xf32>", "tensor<4x1xi32>", "tensor<4x6xf32>",
                                       "    %s = stablehlo.maximum %a, %b : tensor<f32>\n",
                                       "update_window_dims = [1], inserted_window_dims = [0], "
                                       "scatter_dims_to_operand_dims = [0], index_vector_dim = 1");
    PARTITION(add, "2x3", "a0=-,1 a1=0,-", "reduce=1");
    PARTITION(add, "2", "a0=-,- a2=0,- r0=0,-", NULL);
    PARTITION(add, "2", "a0=0,-", "");
    PARTITION(add, "2x2", "a0=0,- a1=1,-", "reduce=1");
    PARTITION(most, "2", "a2=0,-", "reduce=1");
    PARTITION(set, "2", "a0=-,- a2=0,-", "gather=1");
    PARTITION(set, "2x3", "a0=0,1", "");
    PARTITION(
        SCATTER("tensor<4x6xf32>", "tensor<4x3x1xi32>", "tensor<4x3xf32>",
                "    %s = stablehlo.add %a, %b : tensor<f32>\n",
                "inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], "
                "scatter_dims_to_operand_dims = [1], index_vector_dim = 2"),
        "2x3", "a0=0,- a2=0,1", "reduce=1");
}

/* Operations that need some dimensions whole, and let others be cut. */
static void dimensions(void)
{
    PARTITION(
        F("%x: tensor<4x6xf32>, %v: tensor<f32>", "tensor<4x8xf32>",
          "  %a = stablehlo.pad %x, %v, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<4x6xf32>, "
          "tensor<f32>) -> tensor<4x8xf32>\n  return %a : tensor<4x8xf32>\n"),
        "2x2", "a0=0,1", "gather=1");
    PARTITION(F("%x: tensor<4x6xf32>, %y: tensor<4x2xf32>", "tensor<4x8xf32>",
                "  %a = stablehlo.concatenate %x, %y, dim = 1 : (tensor<4x6xf32>, tensor<4x2xf32>) -> "
                "tensor<4x8xf32>\n  return %a : tensor<4x8xf32>\n"),
              "2x2", "a0=0,1", "gather=1");
#define REVERSE(dims)                                                                                        \
    F("%x: tensor<4x8xf32>", "tensor<4x8xf32>",                                                              \
      "  %a = stablehlo.reverse %x, dims = " dims " : tensor<4x8xf32>\n  return %a : tensor<4x8xf32>\n")
    PARTITION(REVERSE("[1]"), "2x2", "a0=0,1", "permute=1");
    PARTITION(REVERSE("[0, 1]"), "2x2", "a0=0,1", "permute=1");
    PARTITION(REVERSE("[1]"), "2x4", "a0=0,1", "permute=1");
    PARTITION(REVERSE("[1]"), "2x4", "a0=-,10", "permute=1");
    PARTITION(REVERSE("[1]"), "-4", "a0=-,0", "permute=1");
    PARTITION(REVERSE("[1]"), "2", "a0=0,-", "");
    static const char slice[] = F("%x: tensor<4x6xf32>, %i: tensor<i32>", "tensor<4x2xf32>",
                                  "  %a = stablehlo.dynamic_slice %x, %i, %i, sizes = [4, 2] : "
                                  "(tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> "
                                  "tensor<4x2xf32>\n  return %a : tensor<4x2xf32>\n");
    PARTITION(slice, "2", "a0=0,-", "");
    PARTITION(slice, "2", "a0=-,0", "gather=1");
    PARTITION(F("%x: tensor<4x6xf32>, %u: tensor<4x1xf32>, %i: tensor<i32>", "tensor<4x6xf32>",
                "  %a = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4x6xf32>, tensor<4x1xf32>, "
                "tensor<i32>, "
                "tensor<i32>) -> tensor<4x6xf32>\n  return %a : tensor<4x6xf32>\n"),
              "2", "a0=0,-", "");
    static const char sort[] =
        F("%x: tensor<4x6xf32>, %y: tensor<4x6xi32>", "tensor<4x6xi32>",
          "  %s:2 = \"stablehlo.sort\"(%x, %y) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, "
          "%d: "
          "tensor<i32>):\n    %l = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "    stablehlo.return %l : tensor<i1>\n  }) {dimension = 1 : i64, is_stable = true} : "
          "(tensor<4x6xf32>, "
          "tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)\n  return %s#1 : tensor<4x6xi32>\n");
    PARTITION(sort, "2", "a0=0,-", "");
    PARTITION(sort, "2", "a0=-,0", "gather=1");
    static const char window[] =
        F("%x: tensor<4x6xf32>, %i: tensor<f32>", "tensor<4x3xf32>",
          "  %r = \"stablehlo.reduce_window\"(%x, %i) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
          "    %s = stablehlo.maximum %a, %b : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) "
          "{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>} : (tensor<4x6xf32>, "
          "tensor<f32>) "
          "-> tensor<4x3xf32>\n  return %r : tensor<4x3xf32>\n");
    PARTITION(window, "2", "a0=0,-", "");
    PARTITION(window, "2", "a0=-,0", "gather=1");
    PARTITION(
        F("%x: tensor<4x3x3xf32>, %y: tensor<4x3x2xf32>", "tensor<4x3x2xf32>",
          "  %s = \"stablehlo.triangular_solve\"(%x, %y) {left_side = true, lower = true, unit_diagonal = "
          "true, "
          "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<4x3x3xf32>, tensor<4x3x2xf32>) -> "
          "tensor<4x3x2xf32>\n  return %s : tensor<4x3x2xf32>\n"),
        "2", "a1=0,-,-", "");
    PARTITION(F("%x: tensor<4x6xf32>", "tensor<4x4xcomplex<f32>>",
                "  %s = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<4x6xf32>) -> "
                "tensor<4x4xcomplex<f32>>\n"
                "  return %s : tensor<4x4xcomplex<f32>>\n"),
              "2", "a0=0,-", "");
    PARTITION(F("%s: tensor<2xui64>", "tensor<4x6xui32>", /* the same bits as on one device */
                "  %o, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> "
                "(tensor<2xui64>, "
                "tensor<4x6xui32>)\n  return %r : tensor<4x6xui32>\n"),
              "2x2", "r0=0,1", "");
    static const char where[] =
        F("%x: tensor<4x6xf32>, %i: tensor<4x6xi32>", "(tensor<4xf32>, tensor<4xi32>)",
          "  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>\n  %z = stablehlo.constant dense<0> : "
          "tensor<i32>\n"
          "  %r:2 = \"stablehlo.reduce\"(%x, %i, %m, %z) ({\n  ^bb0(%a: tensor<f32>, %ai: tensor<i32>, %b: "
          "tensor<f32>, %bi: tensor<i32>):\n"
          "    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "    %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<f32>\n"
          "    %3 = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "    %4 = stablehlo.minimum %ai, %bi : tensor<i32>\n"
          "    %5 = stablehlo.select %1, %ai, %bi : tensor<i1>, tensor<i32>\n"
          "    %6 = stablehlo.compare LT, %ai, %bi : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "    %7 = stablehlo.and %3, %6 : tensor<i1>\n    %8 = stablehlo.compare GT, %a, %b : (tensor<f32>, "
          "tensor<f32>) -> tensor<i1>\n    %9 = stablehlo.or %8, %7 : tensor<i1>\n"
          "    %10 = stablehlo.select %9, %ai, %bi : tensor<i1>, tensor<i32>\n"
          "    stablehlo.return %2, %10 : tensor<f32>, tensor<i32>\n  }) {dimensions = array<i64: 1>} : "
          "(tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)\n"
          "  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>\n");
    PARTITION(where, "2", "a0=0,-", "");
    PARTITION(where, "2x3", "a0=0,1", "gather=2");
}

/* x [8, 6], two layers of 12: the first one's columns cut, the second one's rows. */
static void models(void)
{
#define MLP                                                                                                  \
    "  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xf32>, "                 \
    "tensor<6x12xf32>) -> "                                                                                  \
    "tensor<8x12xf32>\n  %z = stablehlo.constant dense<0.0> : tensor<8x12xf32>\n"                            \
    "  %a = stablehlo.maximum %h, %z : tensor<8x12xf32>\n"                                                   \
    "  %y = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<8x12xf32>, "                \
    "tensor<12x6xf32>) -> "                                                                                  \
    "tensor<8x6xf32>\n"
    static const char mlp[] =
        F("%x: tensor<8x6xf32>, %w: tensor<6x12xf32>, %v: tensor<12x6xf32>, %b: tensor<6xf32>",
          "tensor<8x6xf32>",
          MLP "  %c = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>\n"
              "  %r = stablehlo.add %y, %c : tensor<8x6xf32>\n  return %r : tensor<8x6xf32>\n");
    PARTITION(mlp, "4", "a0=-,- a1=-,0 a2=0,- a3=- r0=-,-", "reduce=1");
    PARTITION(mlp, "2x2", "a0=0,- a1=-,1 a2=1,- r0=0,-", "reduce=1");
    PARTITION(mlp, "2x2", "a0=0,- a1=0,1 a2=1,0 r0=0,-",
              "gather=2 reduce=1"); /* weights cut along the batch's axis too */
    /* gradients of both weights and of a bias: one sum each */
    static const char gradients[] = F(
        "%x: tensor<8x6xf32>, %w: tensor<6x12xf32>, %v: tensor<12x6xf32>",
        "(tensor<6x12xf32>, tensor<12x6xf32>, tensor<6xf32>)",
        MLP "  %dv = stablehlo.dot_general %a, %y, contracting_dims = [0] x [0] : (tensor<8x12xf32>, "
            "tensor<8x6xf32>) "
            "-> tensor<12x6xf32>\n"
            "  %da = stablehlo.dot_general %y, %v, contracting_dims = [1] x [1] : (tensor<8x6xf32>, "
            "tensor<12x6xf32>) -> tensor<8x12xf32>\n"
            "  %m = stablehlo.compare GT, %h, %z : (tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x12xi1>\n"
            "  %dh = stablehlo.select %m, %da, %z : tensor<8x12xi1>, tensor<8x12xf32>\n"
            "  %dw = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0] : (tensor<8x6xf32>, "
            "tensor<8x12xf32>) -> tensor<6x12xf32>\n"
            "  %i = stablehlo.constant dense<0.0> : tensor<f32>\n"
            "  %db = stablehlo.reduce(%y init: %i) applies stablehlo.add across dimensions = [0] : "
            "(tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>\n"
            "  return %dw, %dv, %db : tensor<6x12xf32>, tensor<12x6xf32>, tensor<6xf32>\n");
    PARTITION(gradients, "4", "a0=0,-", "reduce=3");
    PARTITION(gradients, "4", "a0=0,- a1=-,- a2=-,- r0=-,- r1=-,- r2=-", "reduce=3");
    PARTITION(gradients, "2x2", "a0=0,- a1=-,1 a2=1,-", "reduce=4");
    static const char sums[] = /* three products and a reduction, added up together */
        F("%x: tensor<4x6xf32>, %w: tensor<6x4xf32>, %y: tensor<4x4x6xf32>", "tensor<4x4xf32>",
          "  %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, "
          "tensor<6x4xf32>) -> "
          "tensor<4x4xf32>\n"
          "  %b = stablehlo.dot_general %w, %x, contracting_dims = [0] x [1] : (tensor<6x4xf32>, "
          "tensor<4x6xf32>) -> "
          "tensor<4x4xf32>\n  %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<4x4xf32>) -> "
          "tensor<4x4xf32>\n"
          "  %i = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "  %r = stablehlo.reduce(%y init: %i) applies stablehlo.add across dimensions = [2] : "
          "(tensor<4x4x6xf32>, "
          "tensor<f32>) -> tensor<4x4xf32>\n"
          "  %c = stablehlo.add %a, %t : tensor<4x4xf32>\n  %d = stablehlo.subtract %c, %r : "
          "tensor<4x4xf32>\n"
          "  %e = stablehlo.multiply %d, %d : tensor<4x4xf32>\n  return %e : tensor<4x4xf32>\n");
    PARTITION(sums, "2", "a0=-,0 a1=0,- a2=-,-,0", "reduce=1");
    PARTITION(sums, "2x3", "a0=0,1 a1=1,- a2=-,-,1", NULL);
    PARTITION(sums, "2", "a0=-,0 a2=-,-,0 r0=0,-", NULL);
    PARTITION(gradients, "2x2", "a0=0,- a1=0,- a2=-,0 r0=0,- r1=-,0", NULL);
}

static void control(void)
{
    static const char loop[] = F(
        "%x: tensor<4x4xf32>, %w: tensor<4x4xf32>", "tensor<4x4xf32>",
        "  %z = stablehlo.constant dense<0> : tensor<i32>\n  %o = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %e = stablehlo.constant dense<3> : tensor<i32>\n"
        "  %r:2 = stablehlo.while(%i = %z, %y = %x) : tensor<i32>, tensor<4x4xf32>\n  cond {\n"
        "    %c = stablehlo.compare LT, %i, %e : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %c : tensor<i1>\n  } do {\n    %j = stablehlo.add %i, %o : tensor<i32>\n"
        "    %d = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, "
        "tensor<4x4xf32>) -> tensor<4x4xf32>\n    stablehlo.return %j, %d : tensor<i32>, tensor<4x4xf32>\n  "
        "}\n"
        "  return %r#1 : tensor<4x4xf32>\n");
    PARTITION(loop, "2", "a0=0,-", "");
    PARTITION(loop, "2", "a1=-,0", NULL);
    PARTITION(loop, "2", "a1=0,-", NULL);
    PARTITION(loop, "2x2", "a0=0,- a1=-,1 r0=-,-", NULL);
    static const char branch[] =
        F("%p: tensor<i1>, %x: tensor<4xf32>", "tensor<4xf32>",
          "  %r = \"stablehlo.if\"(%p) ({\n    %a = stablehlo.add %x, %x : tensor<4xf32>\n"
          "    stablehlo.return %a : tensor<4xf32>\n  }, {\n"
          "    stablehlo.return %x : tensor<4xf32>\n  }) : (tensor<i1>) -> tensor<4xf32>\n"
          "  %b:2 = stablehlo.optimization_barrier %r, %p : tensor<4xf32>, tensor<i1>\n"
          "  return %b#0 : tensor<4xf32>\n");
    PARTITION(branch, "2", "a1=0", "");
    PARTITION(branch, "4", "r0=0", "");
    PARTITION(branch, "2", "a1=0 r0=-", "gather=1");
}

int main(void)
{
    elementwise();
    movement();
    products();
    reductions();
    convolutions();
    indices();
    dimensions();
    models();
    control();
    return check_result();
}
