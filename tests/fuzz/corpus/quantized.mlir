func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:-3>>
  %1 = stablehlo.add %0, %0 : tensor<2x2x!quant.uniform<i8:f32, 0.5:-3>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x2x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
