// A convolution with strides: what lies behind the open size reads as padding.
func.func @main(%x: tensor<2x{n}x3xf32>, %k: tensor<3x3x4xf32>) -> tensor<2x{n+1}x4xf32> {
  %a = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[2, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x{n}x3xf32>, tensor<3x3x4xf32>) -> tensor<2x{n+1}x4xf32>
  return %a : tensor<2x{n+1}x4xf32>
}
// EXPECT: select

// -----
// The gradient of a kernel: the open size is that of the window.
func.func @main(%x: tensor<2x{n+2}x3xf32>, %g: tensor<2x{n}x4xf32>) -> tensor<3x3x4xf32> {
  %a = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x{n+2}x3xf32>, tensor<2x{n}x4xf32>) -> tensor<3x3x4xf32>
  return %a : tensor<3x3x4xf32>
}
// EXPECT: pad = [[0,

// -----
// An open batch passes.
func.func @main(%x: tensor<{n}x7x3xf32>, %k: tensor<3x3x4xf32>) -> tensor<{n}x5x4xf32> {
  %a = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<{n}x7x3xf32>, tensor<3x3x4xf32>) -> tensor<{n}x5x4xf32>
  return %a : tensor<{n}x5x4xf32>
}
// EXPECT: tensor<16x5x4xf32>
// EXPECT-NOT: select

// -----
// Windows of two, dilated on both sides.
func.func @main(%x: tensor<{n}xf32>) -> tensor<{2*n-3}xf32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %a = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>, window_dilations = array<i64: 2>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %m = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) : (tensor<{n}xf32>, tensor<f32>) -> tensor<{2*n-3}xf32>
  return %a : tensor<{2*n-3}xf32>
}

// -----
// The place of the largest: elements behind the end are what the reduction begins with.
func.func @main(%x: tensor<3x{n}xf32>) -> tensor<3xi32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<2147483647> : tensor<i32>
  %at = stablehlo.iota dim = 1 : tensor<3x{n}xi32>
  %r:2 = stablehlo.reduce(%x init: %lowest), (%at init: %none) across dimensions = [1] : (tensor<3x{n}xf32>, tensor<3x{n}xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {
    %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %e = stablehlo.and %eq, %lt : tensor<i1>
    %p = stablehlo.or %gt, %e : tensor<i1>
    %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %w = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  return %r#1 : tensor<3xi32>
}
