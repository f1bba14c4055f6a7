// Quantized tensors: value = (stored - zero point) * scale; round to even, then saturate.

// Ties and limits of uniform_quantize: 0.5 -> 0, 1.5 -> 2, 2.5 -> 2, -0.5 -> 0, 1000 -> 127, -1000 -> -128; f32.
func.func @main() {
  %x = stablehlo.constant dense<[0.5, 1.5, 2.5, -0.5, 1000.0, -1000.0]> : tensor<6xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<6xf32>) -> tensor<6x!quant.uniform<i8:f32, 1.0>>
  %s = stablehlo.bitcast_convert %q : (tensor<6x!quant.uniform<i8:f32, 1.0>>) -> tensor<6xi8>
  check.expect_eq_const %s, dense<[0, 2, 2, 0, 127, -128]> : tensor<6xi8>
  return
}

// -----

// Narrow limits <-3:5>, a zero point, u8 storage.
func.func @main() {
  %x = stablehlo.constant dense<[-10.0, 0.0, 1.0, 10.0]> : tensor<4xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8<-3:5>:f32, 0.5:1>>
  %s = stablehlo.bitcast_convert %q : (tensor<4x!quant.uniform<i8<-3:5>:f32, 0.5:1>>) -> tensor<4xi8>
  check.expect_eq_const %s, dense<[-3, 1, 3, 5]> : tensor<4xi8>
  %r = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<u8:f32, 0.5:128>>
  %t = stablehlo.bitcast_convert %r : (tensor<4x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<4xui8>
  check.expect_eq_const %t, dense<[108, 128, 130, 148]> : tensor<4xui8>
  return
}

// -----

// multiply: [1.0, 2.0] * [0.5, 0.25] at scales 0.5, 0.25 and 0.125.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %a = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %b = stablehlo.uniform_quantize %y : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.25:3>>
  %c = "stablehlo.multiply"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.125:-1>>
  %s = stablehlo.bitcast_convert %c : (tensor<2x!quant.uniform<i8:f32, 0.125:-1>>) -> tensor<2xi8>
  check.expect_eq_const %s, dense<[3, 3]> : tensor<2xi8>
  return
}

// -----

// Hybrid dot_general: float lhs, rhs quantized along its output dimension with two scales.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %q = stablehlo.bitcast_convert %y : (tensor<2x2xi8>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 2.0}>>
  %0 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 2.0}>>) -> tensor<2x2xf32>
  // rhs = [[0.5, 4], [1.5, 8]]
  check.expect_eq_const %0, dense<[[3.5, 20.0], [7.5, 44.0]]> : tensor<2x2xf32>
  return
}

// -----

// A movement of a per-axis tensor works on what is stored; the axis moves with it.
func.func @main() {
  %y = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %q = stablehlo.bitcast_convert %y : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 2.0}>>
  %t = stablehlo.transpose %q, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 2.0}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 2.0}>>
  %0 = stablehlo.uniform_dequantize %t : (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 2.0}>>) -> tensor<3x2xf32>
  check.expect_eq_const %0, dense<[[0.5, 8.0], [1.0, 10.0], [1.5, 12.0]]> : tensor<3x2xf32>
  return
}

// -----

// compare and select by value; a reducer of quantized scalars.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 4.0, 2.5]> : tensor<3xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:-3>>
  %y = stablehlo.constant dense<[2.0, 3.0, 2.5]> : tensor<3xf32>
  %r = stablehlo.uniform_quantize %y : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:-3>>
  %lt = stablehlo.compare LT, %q, %r : (tensor<3x!quant.uniform<i8:f32, 0.5:-3>>, tensor<3x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<3xi1>
  check.expect_eq_const %lt, dense<[true, false, false]> : tensor<3xi1>
  %m = stablehlo.select %lt, %q, %r : tensor<3xi1>, tensor<3x!quant.uniform<i8:f32, 0.5:-3>>
  %n = stablehlo.uniform_dequantize %m : (tensor<3x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<3xf32>
  check.expect_eq_const %n, dense<[1.0, 3.0, 2.5]> : tensor<3xf32>
  %zf = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.uniform_quantize %zf : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.5:-3>>
  %s = "stablehlo.reduce"(%q, %z) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:-3>>, %b: tensor<!quant.uniform<i8:f32, 0.5:-3>>):
    %t = stablehlo.add %a, %b : tensor<!quant.uniform<i8:f32, 0.5:-3>>
    stablehlo.return %t : tensor<!quant.uniform<i8:f32, 0.5:-3>>
  }) {dimensions = array<i64: 0>} : (tensor<3x!quant.uniform<i8:f32, 0.5:-3>>, tensor<!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<!quant.uniform<i8:f32, 0.5:-3>>
  %v = stablehlo.uniform_dequantize %s : (tensor<!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<f32>
  check.expect_eq_const %v, dense<7.5> : tensor<f32>
  return
}

// -----

// Requantize to a wider storage: i32 saturates at its own limits.
func.func @main() {
  %y = stablehlo.constant dense<[127, -128, 0]> : tensor<3xi8>
  %q = stablehlo.bitcast_convert %y : (tensor<3xi8>) -> tensor<3x!quant.uniform<i8:f32, 1.0e+9>>
  %r = stablehlo.uniform_quantize %q : (tensor<3x!quant.uniform<i8:f32, 1.0e+9>>) -> tensor<3x!quant.uniform<i32:f32, 1.0>>
  %s = stablehlo.bitcast_convert %r : (tensor<3x!quant.uniform<i32:f32, 1.0>>) -> tensor<3xi32>
  check.expect_eq_const %s, dense<[2147483647, -2147483648, 0]> : tensor<3xi32>
  return
}

// -----

// A promoting reducer with another scale: [1.0, 4.0, 2.5] at 0.5 and i8 are added at 0.25 and i16.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 4.0, 2.5]> : tensor<3xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:-3>>
  %zf = stablehlo.constant dense<1.0> : tensor<f32>
  %z = stablehlo.uniform_quantize %zf : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.5:-3>>
  %s = "stablehlo.reduce"(%q, %z) ({
  ^bb0(%a: tensor<!quant.uniform<i16:f32, 0.25:7>>, %b: tensor<!quant.uniform<i16:f32, 0.25:7>>):
    %t = stablehlo.add %a, %b : tensor<!quant.uniform<i16:f32, 0.25:7>>
    stablehlo.return %t : tensor<!quant.uniform<i16:f32, 0.25:7>>
  }) {dimensions = array<i64: 0>} : (tensor<3x!quant.uniform<i8:f32, 0.5:-3>>, tensor<!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<!quant.uniform<i16:f32, 0.25:7>>
  %v = stablehlo.uniform_dequantize %s : (tensor<!quant.uniform<i16:f32, 0.25:7>>) -> tensor<f32>
  check.expect_eq_const %v, dense<8.5> : tensor<f32>
  return
}

// -----

// A convolution whose kernel has a scale for each output feature: 1 x 1 windows, [3, 5] times [2, -4] (1.0 and -2.0).
func.func @main() {
  %x = stablehlo.constant dense<[[[3.0, 5.0]]]> : tensor<1x1x2xf32>
  %qx = stablehlo.uniform_quantize %x : (tensor<1x1x2xf32>) -> tensor<1x1x2x!quant.uniform<i8:f32, 0.5>>
  %k = stablehlo.constant dense<[[[2]], [[-4]]]> : tensor<2x1x1xi8>
  %qk = stablehlo.bitcast_convert %k : (tensor<2x1x1xi8>) -> tensor<2x1x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  %y = "stablehlo.convolution"(%qx, %qk) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>} : (tensor<1x1x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x1x1x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<1x2x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>
  %s = stablehlo.bitcast_convert %y : (tensor<1x2x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>) -> tensor<1x2x2xi32>
  check.expect_eq_const %s, dense<[[[12, 20], [-24, -40]]]> : tensor<1x2x2xi32>
  return
}
