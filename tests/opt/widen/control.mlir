// What a loop carries stays laid out as it was.
func.func @main(%x: tensor<2x{n}xf32>) -> (tensor<2x{n}xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<{n}> : tensor<i32>
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %r:3 = stablehlo.while(%i = %zero, %y = %x, %t = %s) : tensor<i32>, tensor<2x{n}xf32>, tensor<2xf32>
  cond {
    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %y, %zero, %i, sizes = [2, 1] : (tensor<2x{n}xf32>, tensor<i32>, tensor<i32>) -> tensor<2x1xf32>
    %sum = stablehlo.reduce(%y init: %f) applies stablehlo.add across dimensions = [1] : (tensor<2x{n}xf32>, tensor<f32>) -> tensor<2xf32>
    %u = stablehlo.maximum %t, %sum : tensor<2xf32>
    %neg = stablehlo.negate %row : tensor<2x1xf32>
    %z = stablehlo.dynamic_update_slice %y, %neg, %zero, %i : (tensor<2x{n}xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x{n}xf32>
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %k, %z, %u : tensor<i32>, tensor<2x{n}xf32>, tensor<2xf32>
  }
  return %r#1, %r#2 : tensor<2x{n}xf32>, tensor<2xf32>
}
// EXPECT: stablehlo.while

// -----
// Branches of different layouts give one.
func.func @main(%x: tensor<2x{n}xf32>, %p: tensor<i1>) -> tensor<{2*n}xf32> {
  %f = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.if"(%p) ({
    %a = stablehlo.reshape %x : (tensor<2x{n}xf32>) -> tensor<{2*n}xf32>
    stablehlo.return %a : tensor<{2*n}xf32>
  }, {
    %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<{2*n}xf32>
    stablehlo.return %b : tensor<{2*n}xf32>
  }) : (tensor<i1>) -> tensor<{2*n}xf32>
  return %r : tensor<{2*n}xf32>
}

// -----
func.func @main(%x: tensor<2x{n}xf32>) -> tensor<2x3xf32> {
  %v, %i = chlo.top_k(%x, k = 3) : tensor<2x{n}xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %v : tensor<2x3xf32>
}
// WHY: top_k: an open size in its last dimensions

// -----
// Random words are those of a row of the true size.
func.func @main(%s: tensor<2xui64>) -> tensor<2x{n}xui32> {
  %o, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x{n}xui32>)
  return %r : tensor<2x{n}xui32>
}
// EXPECT: rng_bit_generator
