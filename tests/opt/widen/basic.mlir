func.func @main(%x: tensor<2x{n}x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x{n}x3xf32> {
  %a = stablehlo.reshape %x : (tensor<2x{n}x4xf32>) -> tensor<{2*n}x4xf32>
  %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<{2*n}x4xf32>, tensor<4x3xf32>) -> tensor<{2*n}x3xf32>
  %c = stablehlo.reshape %b : (tensor<{2*n}x3xf32>) -> tensor<2x{n}x3xf32>
  return %c : tensor<2x{n}x3xf32>
}
// Nothing is mixed along the open size, and nothing is moved.
// EXPECT: stablehlo.reshape %arg0 : (tensor<2x16x4xf32>) -> tensor<32x4xf32>
// EXPECT: tensor<2x16x3xf32>
// EXPECT-NOT: select
// EXPECT-NOT: gather

// -----
func.func @main(%x: tensor<{n}xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<{n}xf32>, tensor<f32>) -> tensor<f32>
  %c = stablehlo.constant dense<{n}.0> : tensor<f32>
  %m = stablehlo.divide %s, %c : tensor<f32>
  return %m : tensor<f32>
}
// A mean: the count comes as an argument.
// EXPECT: tensor<16xf32>, %arg1: tensor<i32>, %arg2: tensor<f32>
// EXPECT: compare LT
// EXPECT: select
// EXPECT: stablehlo.divide

// -----
func.func @main(%x: tensor<{n}x4xf32>) -> tensor<4xf32> {
  %a = stablehlo.slice %x [{n-1}:{n}, 0:4] : (tensor<{n}x4xf32>) -> tensor<1x4xf32>
  %b = stablehlo.reshape %a : (tensor<1x4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
// EXPECT: gather

// -----
func.func @main(%cache: tensor<2x{n}x3xf32>, %new: tensor<2x1x3xf32>) -> tensor<2x{n+1}x3xf32> {
  %a = stablehlo.concatenate %cache, %new, dim = 1 : (tensor<2x{n}x3xf32>, tensor<2x1x3xf32>) -> tensor<2x{n+1}x3xf32>
  return %a : tensor<2x{n+1}x3xf32>
}
// EXPECT: dynamic_update_slice

// -----
func.func @main(%x: tensor<3x{n}x{n}xf32>) -> tensor<3x{n}x{n}xf32> {
  %a = "stablehlo.cholesky"(%x) <{lower = true}> : (tensor<3x{n}x{n}xf32>) -> tensor<3x{n}x{n}xf32>
  return %a : tensor<3x{n}x{n}xf32>
}
// WHY: cholesky: an open size in its last dimensions
