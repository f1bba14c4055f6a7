// RUN: all
func.func @main(%x: tensor<3x1xf32>) -> tensor<3xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3xf32>
  return %a : tensor<3xf32>
}
// EXPECT: add
// EXPECT: reshape
// EXPECT-NOT: reduce

// -----
// RUN: all
func.func @main(%a: tensor<4x8xf32>, %w: tensor<5x8xf32>) -> tensor<4x5xf32> {
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<5x8xf32>) -> tensor<8x5xf32>
  %d = stablehlo.dot_general %a, %t, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return %d : tensor<4x5xf32>
}
// EXPECT: dot_general %arg0, %arg1, contracting_dims = [1] x [1]
// EXPECT-NOT: transpose

// -----
// a transposed product is a product
// RUN: all
func.func @main(%a: tensor<2x4x8xf32>, %w: tensor<2x5x8xf32>) -> tensor<2x5x4xf32> {
  %d = stablehlo.dot_general %a, %w, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x4x8xf32>, tensor<2x5x8xf32>) -> tensor<2x4x5xf32>
  %t = stablehlo.transpose %d, dims = [0, 2, 1] : (tensor<2x4x5xf32>) -> tensor<2x5x4xf32>
  return %t : tensor<2x5x4xf32>
}
// EXPECT: dot_general %arg1, %arg0
// EXPECT-NOT: transpose

// -----
// its algorithm, too, if it does the same to both operands
// RUN: all
func.func @main(%a: tensor<4x8xf32>, %w: tensor<5x8xf32>) -> tensor<5x4xf32> {
  %d = stablehlo.dot_general %a, %w, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
  %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  return %t : tensor<5x4xf32>
}
// EXPECT: dot_general %arg1, %arg0
// EXPECT: num_primitive_operations = 3
// EXPECT-NOT: transpose

// -----
// RUN: all
func.func @main(%a: tensor<4x8xf32>, %w: tensor<5x8xf32>) -> tensor<5x4xf32> {
  %d = stablehlo.dot_general %a, %w, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
  %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  return %t : tensor<5x4xf32>
}
// EXPECT: dot_general %arg0, %arg1
// EXPECT: transpose

// -----
// free dimensions in another order stay
// RUN: all
func.func @main(%a: tensor<4x3x8xf32>, %w: tensor<5x8xf32>) -> tensor<3x4x5xf32> {
  %t = stablehlo.transpose %a, dims = [1, 0, 2] : (tensor<4x3x8xf32>) -> tensor<3x4x8xf32>
  %d = stablehlo.dot_general %t, %w, contracting_dims = [2] x [1] : (tensor<3x4x8xf32>, tensor<5x8xf32>) -> tensor<3x4x5xf32>
  return %d : tensor<3x4x5xf32>
}
// EXPECT: transpose
