func.func @main(%x: tensor<?x3xf32>) -> tensor<?xf32> {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %1 = stablehlo.multiply %0, %c : tensor<i32>
  %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.dynamic_reshape %x, %2 : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}
