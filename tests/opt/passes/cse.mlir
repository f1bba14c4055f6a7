// RUN: cse,dce
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.add %b, %a : tensor<4xf32>
  %2 = stablehlo.subtract %a, %b : tensor<4xf32>
  %3 = stablehlo.subtract %b, %a : tensor<4xf32>
  %4 = stablehlo.multiply %0, %1 : tensor<4xf32>
  %5 = stablehlo.multiply %2, %3 : tensor<4xf32>
  return %4, %5 : tensor<4xf32>, tensor<4xf32>
}
// EXPECT: %0 = stablehlo.add %arg0, %arg1
// EXPECT: %1 = stablehlo.subtract %arg0, %arg1
// EXPECT: %2 = stablehlo.subtract %arg1, %arg0
// EXPECT: %3 = stablehlo.multiply %0, %0
// EXPECT: %4 = stablehlo.multiply %1, %2

// -----
// regions are compared too
// RUN: cse,dce
func.func @main(%a: tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// EXPECT: %1 = stablehlo.reduce
// EXPECT: %2 = stablehlo.reduce
// EXPECT: return %1, %1, %2

// -----
// a barrier makes its results new
// RUN: cse,dce
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.optimization_barrier %a : tensor<4xf32>
  %1 = stablehlo.sine %0 : tensor<4xf32>
  %2 = stablehlo.sine %a : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
// EXPECT: stablehlo.sine
// EXPECT: stablehlo.sine
