// one element of each row, before arithmetic
// RUN: all
func.func @main(%x: tensor<6x8xf32>, %m: tensor<6xf32>, %i: tensor<6x1xi32>) -> tensor<6xf32> {
  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
  %d = stablehlo.subtract %x, %b : tensor<6x8xf32>
  %k = stablehlo.constant dense<2.0> : tensor<6x8xf32>
  %e = stablehlo.multiply %d, %k : tensor<6x8xf32>
  %g = "stablehlo.gather"(%e, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<6x8xf32>, tensor<6x1xi32>) -> tensor<6xf32>
  return %g : tensor<6xf32>
}
// EXPECT: "stablehlo.gather"(%arg0, %arg2)
// EXPECT: subtract
// EXPECT: multiply
// EXPECT-NOT: broadcast

// -----
// a mask; indices out of bounds are left out
// RUN: all
func.func @main(%u: tensor<6xf32>, %i: tensor<6x1xi32>) -> tensor<6x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<6x8xf32>
  %r = "stablehlo.scatter"(%z, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x8xf32>, tensor<6x1xi32>, tensor<6xf32>) -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}
// EXPECT: stablehlo.iota
// EXPECT: compare EQ
// EXPECT: select
// EXPECT-NOT: scatter

// -----
// RUN: all
func.func @main(%u: tensor<6xf32>, %i: tensor<6x1xi32>) -> tensor<6x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<6x8xf32>
  %r = "stablehlo.scatter"(%z, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) : (tensor<6x8xf32>, tensor<6x1xi32>, tensor<6xf32>) -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}
// EXPECT: stablehlo.iota
// EXPECT: compare EQ
// EXPECT: select
// EXPECT-NOT: scatter

// -----
// all rows in order
// RUN: all
func.func @main(%x: tensor<6x3xf32>, %u: tensor<6x3xf32>) -> tensor<6x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<6xi64>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x3xf32>, tensor<6xi64>, tensor<6x3xf32>) -> tensor<6x3xf32>
  return %r : tensor<6x3xf32>
}
// EXPECT: stablehlo.add
// EXPECT-NOT: scatter

// -----
// RUN: all
func.func @main(%x: tensor<6x3xf32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4xi64>
  %g = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<6x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// EXPECT: slice %arg0 [0:4, 0:3]
// EXPECT-NOT: gather

// -----
// the sum of a mask
// RUN: all
func.func @main(%i: tensor<6xi32>, %v: tensor<6xf32>) -> tensor<6xf32> {
  %n = stablehlo.iota dim = 1 : tensor<6x8xi32>
  %k = stablehlo.broadcast_in_dim %i, dims = [0] : (tensor<6xi32>) -> tensor<6x8xi32>
  %h = stablehlo.compare EQ, %n, %k : (tensor<6x8xi32>, tensor<6x8xi32>) -> tensor<6x8xi1>
  %b = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<6x8xf32>
  %s = stablehlo.select %h, %b, %z : tensor<6x8xi1>, tensor<6x8xf32>
  %m = stablehlo.negate %s : tensor<6x8xf32>
  %o = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%m init: %o) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
// EXPECT: compare LE
// EXPECT: select
// EXPECT-NOT: reduce
// EXPECT-NOT: 6x8
