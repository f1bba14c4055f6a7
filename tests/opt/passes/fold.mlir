// one number in every place stays one number, of any size
// RUN: fold,dce
func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %a = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<1024x1024xf32>
  %3 = stablehlo.add %x, %2 : tensor<1024x1024xf32>
  return %3 : tensor<1024x1024xf32>
}
// EXPECT: stablehlo.constant dense<6.000000e+00> : tensor<1024x1024xf32>
// EXPECT: stablehlo.add
// EXPECT-NOT: multiply
// EXPECT-NOT: broadcast

// -----
// RUN: fold,dce
func.func @main() -> tensor<2x3xi32> {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %1 = stablehlo.constant dense<[[1, 1, 1], [2, 2, 2]]> : tensor<2x3xi32>
  %2 = stablehlo.multiply %0, %1 : tensor<2x3xi32>
  return %2 : tensor<2x3xi32>
}
// EXPECT: stablehlo.constant dense<[[1, 2, 3], [2, 4, 6]]> : tensor<2x3xi32>
// EXPECT-NOT: multiply

// -----
// a large result of a small constant is not folded
// RUN: fold,dce
func.func @main() -> tensor<1024x2xi32> {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xi32>) -> tensor<1024x2xi32>
  return %0 : tensor<1024x2xi32>
}
// EXPECT: broadcast_in_dim
