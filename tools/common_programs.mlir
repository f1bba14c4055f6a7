// compiled for convolution_overrideable
func.func @main(%arg0: tensor<64x1x8x8xf32>, %arg1: tensor<32x1x3x3xf32>) -> tensor<64x32x8x8xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<64x1x8x8xf32>, tensor<32x1x3x3xf32>) -> tensor<64x32x8x8xf32>
  return %0 : tensor<64x32x8x8xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<i64> {tf.aliasing_output = 0 : i32}, %arg1: tensor<i64>) -> tensor<i64> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<i64>
  return %0 : tensor<i64>
}
// -----
// compiled for native_batch_norm
func.func @main(%arg0: tensor<64x32x8x8xf32>, %arg1: tensor<32xf32> {tf.aliasing_output = 0 : i32}, %arg2: tensor<32xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<32xf32>, %arg4: tensor<32xf32>, %arg5: tensor<f32>, %arg6: tensor<f32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<64x32x8x8xf32>, tensor<32xf32>, tensor<32xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x32x8x8xf32>, tensor<f32>) -> tensor<32xf32>
  %2 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %4 = stablehlo.divide %1, %3 : tensor<32xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<32xf32>) -> tensor<64x32x8x8xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<64x32x8x8xf32>
  %7 = stablehlo.multiply %6, %6 : tensor<64x32x8x8xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x32x8x8xf32>, tensor<f32>) -> tensor<32xf32>
  %10 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %12 = stablehlo.divide %9, %11 : tensor<32xf32>
  %13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %14 = stablehlo.subtract %13, %arg6 : tensor<f32>
  %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %16 = stablehlo.multiply %arg1, %15 : tensor<32xf32>
  %17 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %18 = stablehlo.multiply %4, %17 : tensor<32xf32>
  %19 = stablehlo.add %18, %16 : tensor<32xf32>
  %20 = stablehlo.constant dense<1.0002443e+00> : tensor<f32>
  %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %22 = stablehlo.multiply %12, %21 : tensor<32xf32>
  %23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %24 = stablehlo.subtract %23, %arg6 : tensor<f32>
  %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %26 = stablehlo.multiply %arg2, %25 : tensor<32xf32>
  %27 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %28 = stablehlo.multiply %22, %27 : tensor<32xf32>
  %29 = stablehlo.add %28, %26 : tensor<32xf32>
  %30 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %31 = stablehlo.add %12, %30 : tensor<32xf32>
  %32 = stablehlo.rsqrt %31 : tensor<32xf32>
  %33 = stablehlo.multiply %32, %arg3 : tensor<32xf32>
  %34 = stablehlo.broadcast_in_dim %33, dims = [1] : (tensor<32xf32>) -> tensor<64x32x8x8xf32>
  %35 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<32xf32>) -> tensor<64x32x8x8xf32>
  %36 = stablehlo.subtract %arg0, %35 : tensor<64x32x8x8xf32>
  %37 = stablehlo.multiply %36, %34 : tensor<64x32x8x8xf32>
  %38 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<32xf32>) -> tensor<64x32x8x8xf32>
  %39 = stablehlo.add %37, %38 : tensor<64x32x8x8xf32>
  %40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return %19, %29, %39, %4, %32 : tensor<32xf32>, tensor<32xf32>, tensor<64x32x8x8xf32>, tensor<32xf32>, tensor<32xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<64x32x8x8xf32>) -> tensor<64x32x8x8xf32> {
  %0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x32x8x8xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<64x32x8x8xf32>
  %3 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x32x8x8xf32>
  %5 = stablehlo.multiply %arg0, %4 : tensor<64x32x8x8xf32>
  %6 = chlo.erf %5 : tensor<64x32x8x8xf32> -> tensor<64x32x8x8xf32>
  %7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<64x32x8x8xf32>
  %9 = stablehlo.add %6, %8 : tensor<64x32x8x8xf32>
  %10 = stablehlo.multiply %2, %9 : tensor<64x32x8x8xf32>
  return %10 : tensor<64x32x8x8xf32>
}
// -----
// compiled for convolution_overrideable
func.func @main(%arg0: tensor<64x32x8x8xf32>, %arg1: tensor<64x32x3x3xf32>) -> tensor<64x64x8x8xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<64x32x8x8xf32>, tensor<64x32x3x3xf32>) -> tensor<64x64x8x8xf32>
  return %0 : tensor<64x64x8x8xf32>
}
// -----
// compiled for native_batch_norm
func.func @main(%arg0: tensor<64x64x8x8xf32>, %arg1: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %arg2: tensor<64xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<f32>, %arg6: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64x8x8xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x64x8x8xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %4 = stablehlo.divide %1, %3 : tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<64xf32>) -> tensor<64x64x8x8xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<64x64x8x8xf32>
  %7 = stablehlo.multiply %6, %6 : tensor<64x64x8x8xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x64x8x8xf32>, tensor<f32>) -> tensor<64xf32>
  %10 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %12 = stablehlo.divide %9, %11 : tensor<64xf32>
  %13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %14 = stablehlo.subtract %13, %arg6 : tensor<f32>
  %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %16 = stablehlo.multiply %arg1, %15 : tensor<64xf32>
  %17 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %18 = stablehlo.multiply %4, %17 : tensor<64xf32>
  %19 = stablehlo.add %18, %16 : tensor<64xf32>
  %20 = stablehlo.constant dense<1.0002443e+00> : tensor<f32>
  %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %22 = stablehlo.multiply %12, %21 : tensor<64xf32>
  %23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %24 = stablehlo.subtract %23, %arg6 : tensor<f32>
  %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %26 = stablehlo.multiply %arg2, %25 : tensor<64xf32>
  %27 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %28 = stablehlo.multiply %22, %27 : tensor<64xf32>
  %29 = stablehlo.add %28, %26 : tensor<64xf32>
  %30 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %31 = stablehlo.add %12, %30 : tensor<64xf32>
  %32 = stablehlo.rsqrt %31 : tensor<64xf32>
  %33 = stablehlo.multiply %32, %arg3 : tensor<64xf32>
  %34 = stablehlo.broadcast_in_dim %33, dims = [1] : (tensor<64xf32>) -> tensor<64x64x8x8xf32>
  %35 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<64xf32>) -> tensor<64x64x8x8xf32>
  %36 = stablehlo.subtract %arg0, %35 : tensor<64x64x8x8xf32>
  %37 = stablehlo.multiply %36, %34 : tensor<64x64x8x8xf32>
  %38 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<64xf32>) -> tensor<64x64x8x8xf32>
  %39 = stablehlo.add %37, %38 : tensor<64x64x8x8xf32>
  %40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return %19, %29, %39, %4, %32 : tensor<64xf32>, tensor<64xf32>, tensor<64x64x8x8xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<64x64x8x8xf32>) -> tensor<64x64x8x8xf32> {
  %0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x64x8x8xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<64x64x8x8xf32>
  %3 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x64x8x8xf32>
  %5 = stablehlo.multiply %arg0, %4 : tensor<64x64x8x8xf32>
  %6 = chlo.erf %5 : tensor<64x64x8x8xf32> -> tensor<64x64x8x8xf32>
  %7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<64x64x8x8xf32>
  %9 = stablehlo.add %6, %8 : tensor<64x64x8x8xf32>
  %10 = stablehlo.multiply %2, %9 : tensor<64x64x8x8xf32>
  return %10 : tensor<64x64x8x8xf32>
}
// -----
// compiled for avg_pool2d.out
func.func @main(%arg0: tensor<64x64x8x8xf32>) -> tensor<64x64x4x4xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%arg0, %0) <{padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<64x64x8x8xf32>, tensor<f32>) -> tensor<64x64x4x4xf32>
  %3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x64x4x4xf32>
  %5 = stablehlo.divide %1, %4 : tensor<64x64x4x4xf32>
  return %5 : tensor<64x64x4x4xf32>
}
// -----
// compiled for convolution_overrideable
func.func @main(%arg0: tensor<64x64x4x4xf32>, %arg1: tensor<64x64x3x3xf32>) -> tensor<64x64x4x4xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<64x64x4x4xf32>, tensor<64x64x3x3xf32>) -> tensor<64x64x4x4xf32>
  return %0 : tensor<64x64x4x4xf32>
}
// -----
// compiled for native_batch_norm
func.func @main(%arg0: tensor<64x64x4x4xf32>, %arg1: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %arg2: tensor<64xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<f32>, %arg6: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64x4x4xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x64x4x4xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %4 = stablehlo.divide %1, %3 : tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<64xf32>) -> tensor<64x64x4x4xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<64x64x4x4xf32>
  %7 = stablehlo.multiply %6, %6 : tensor<64x64x4x4xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x64x4x4xf32>, tensor<f32>) -> tensor<64xf32>
  %10 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %12 = stablehlo.divide %9, %11 : tensor<64xf32>
  %13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %14 = stablehlo.subtract %13, %arg6 : tensor<f32>
  %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %16 = stablehlo.multiply %arg1, %15 : tensor<64xf32>
  %17 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %18 = stablehlo.multiply %4, %17 : tensor<64xf32>
  %19 = stablehlo.add %18, %16 : tensor<64xf32>
  %20 = stablehlo.constant dense<1.0009775e+00> : tensor<f32>
  %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %22 = stablehlo.multiply %12, %21 : tensor<64xf32>
  %23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %24 = stablehlo.subtract %23, %arg6 : tensor<f32>
  %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %26 = stablehlo.multiply %arg2, %25 : tensor<64xf32>
  %27 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %28 = stablehlo.multiply %22, %27 : tensor<64xf32>
  %29 = stablehlo.add %28, %26 : tensor<64xf32>
  %30 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %31 = stablehlo.add %12, %30 : tensor<64xf32>
  %32 = stablehlo.rsqrt %31 : tensor<64xf32>
  %33 = stablehlo.multiply %32, %arg3 : tensor<64xf32>
  %34 = stablehlo.broadcast_in_dim %33, dims = [1] : (tensor<64xf32>) -> tensor<64x64x4x4xf32>
  %35 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<64xf32>) -> tensor<64x64x4x4xf32>
  %36 = stablehlo.subtract %arg0, %35 : tensor<64x64x4x4xf32>
  %37 = stablehlo.multiply %36, %34 : tensor<64x64x4x4xf32>
  %38 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<64xf32>) -> tensor<64x64x4x4xf32>
  %39 = stablehlo.add %37, %38 : tensor<64x64x4x4xf32>
  %40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return %19, %29, %39, %4, %32 : tensor<64xf32>, tensor<64xf32>, tensor<64x64x4x4xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<64x64x4x4xf32>) -> tensor<64x64x4x4xf32> {
  %0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x64x4x4xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<64x64x4x4xf32>
  %3 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x64x4x4xf32>
  %5 = stablehlo.multiply %arg0, %4 : tensor<64x64x4x4xf32>
  %6 = chlo.erf %5 : tensor<64x64x4x4xf32> -> tensor<64x64x4x4xf32>
  %7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<64x64x4x4xf32>
  %9 = stablehlo.add %6, %8 : tensor<64x64x4x4xf32>
  %10 = stablehlo.multiply %2, %9 : tensor<64x64x4x4xf32>
  return %10 : tensor<64x64x4x4xf32>
}
// -----
// compiled for avg_pool2d.out
func.func @main(%arg0: tensor<64x64x4x4xf32>) -> tensor<64x64x2x2xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%arg0, %0) <{padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<64x64x4x4xf32>, tensor<f32>) -> tensor<64x64x2x2xf32>
  %3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x64x2x2xf32>
  %5 = stablehlo.divide %1, %4 : tensor<64x64x2x2xf32>
  return %5 : tensor<64x64x2x2xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<64x64x2x2xf32>, %arg1: tensor<256x128xf32>, %arg2: tensor<128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x64x2x2xf32>) -> tensor<16384xf32>
  %1 = stablehlo.reshape %0 : (tensor<16384xf32>) -> tensor<64x256xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<256x128xf32>) -> tensor<32768xf32>
  %3 = stablehlo.reshape %2 : (tensor<32768xf32>) -> tensor<128x256xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x256xf32>) -> tensor<256x128xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<64x128xf32>
  return %7 : tensor<64x128xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<64x128xf32>
  %3 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %5 = stablehlo.multiply %arg0, %4 : tensor<64x128xf32>
  %6 = chlo.erf %5 : tensor<64x128xf32> -> tensor<64x128xf32>
  %7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %9 = stablehlo.add %6, %8 : tensor<64x128xf32>
  %10 = stablehlo.multiply %2, %9 : tensor<64x128xf32>
  return %10 : tensor<64x128xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<64x128xf32>, %arg1: tensor<128x10xf32>, %arg2: tensor<10xf32>) -> tensor<64x10xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<128x10xf32>) -> tensor<1280xf32>
  %1 = stablehlo.reshape %0 : (tensor<1280xf32>) -> tensor<10x128xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<10x128xf32>) -> tensor<128x10xf32>
  %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x128xf32>, tensor<128x10xf32>) -> tensor<64x10xf32>
  %4 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<10xf32>) -> tensor<64x10xf32>
  %5 = stablehlo.add %3, %4 : tensor<64x10xf32>
  return %5 : tensor<64x10xf32>
}
// -----
// compiled for _log_softmax.out
func.func @main(%arg0: tensor<64x10xf32>) -> tensor<64x10xf32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<64x10xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.reshape %1 : (tensor<64xf32>) -> tensor<64x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x10xf32>
  %4 = stablehlo.subtract %arg0, %3 : tensor<64x10xf32>
  %5 = stablehlo.exponential %4 : tensor<64x10xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<64x10xf32>, tensor<f32>) -> tensor<64xf32>
  %8 = stablehlo.reshape %7 : (tensor<64xf32>) -> tensor<64x1xf32>
  %9 = stablehlo.log %8 : tensor<64x1xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x10xf32>
  %11 = stablehlo.subtract %4, %10 : tensor<64x10xf32>
  return %11 : tensor<64x10xf32>
}
// -----
// compiled for nll_loss_forward.output
func.func @main(%arg0: tensor<64x10xf32>, %arg1: tensor<64xi64>) -> (tensor<f32>, tensor<f32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<-100> : tensor<i64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %2 = stablehlo.compare NE, %arg1, %1 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %3 = stablehlo.constant dense<0> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %5 = stablehlo.select %2, %arg1, %4 : tensor<64xi1>, tensor<64xi64>
  %6 = stablehlo.constant dense<64> : tensor<i64>
  %7 = stablehlo.constant dense<10> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %9 = stablehlo.compare GE, %5, %8 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %10 = stablehlo.constant dense<0> : tensor<i64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %12 = stablehlo.compare LT, %5, %11 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %13 = stablehlo.or %12, %9 : tensor<64xi1>
  %14 = stablehlo.iota dim = 0 : tensor<64xi64>
  %15 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %16 = stablehlo.select %13, %14, %15 : tensor<64xi1>, tensor<64xi64>
  %17 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.minimum across dimensions = [0] : (tensor<64xi64>, tensor<i64>) -> tensor<i64>
  %19 = stablehlo.constant dense<63> : tensor<i64>
  %20 = stablehlo.minimum %18, %19 : tensor<i64>
  %21 = stablehlo.compare LT, %18, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %22 = stablehlo.convert %21 : (tensor<i1>) -> tensor<i64>
  %23 = stablehlo.reshape %22 : (tensor<i64>) -> tensor<1xi64>
  %24 = stablehlo.dynamic_slice %5, %20, sizes = [1] : (tensor<64xi64>, tensor<i64>) -> tensor<1xi64>
  %25 = stablehlo.convert %2 : (tensor<64xi1>) -> tensor<64xf32>
  %26 = stablehlo.reshape %5 : (tensor<64xi64>) -> tensor<64x1xi64>
  %27 = "stablehlo.gather"(%arg0, %26) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<64x10xf32>, tensor<64x1xi64>) -> tensor<64x1xf32>
  %28 = stablehlo.reshape %27 : (tensor<64x1xf32>) -> tensor<64xf32>
  %29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %30 = stablehlo.multiply %28, %25 : tensor<64xf32>
  %31 = stablehlo.negate %30 : tensor<64xf32>
  %32 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %33 = stablehlo.select %2, %31, %32 : tensor<64xi1>, tensor<64xf32>
  %34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %35 = stablehlo.reduce(%25 init: %34) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %37 = stablehlo.reduce(%33 init: %36) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %38 = stablehlo.divide %37, %35 : tensor<f32>
  %39 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %38, %35, %39 : tensor<f32>, tensor<f32>, tensor<2xi64>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<64x10xf32>) -> tensor<64xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<64x10xf32>, tensor<f32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
// -----
// compiled for neg.out
func.func @main(%arg0: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.negate %arg0 : tensor<64xf32>
  return %0 : tensor<64xf32>
}
// -----
// compiled for eq.Scalar_out
func.func @main(%arg0: tensor<64xi64>, %arg1: tensor<i64>) -> tensor<64xi1> {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %1 = stablehlo.compare EQ, %arg0, %0 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  return %1 : tensor<64xi1>
}
// -----
// compiled for masked_fill_.Scalar
func.func @main(%arg0: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64xi1>, %arg2: tensor<f32>) -> tensor<64xf32> {
  %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.select %arg1, %0, %arg0 : tensor<64xi1>, tensor<64xf32>
  return %1 : tensor<64xf32>
}
// -----
// compiled for bitwise_not.out
func.func @main(%arg0: tensor<64xi1>) -> tensor<64xi1> {
  %0 = stablehlo.not %arg0 : tensor<64xi1>
  return %0 : tensor<64xi1>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<64xi1>) -> tensor<i64> {
  %0 = stablehlo.convert %arg0 : (tensor<64xi1>) -> tensor<64xi64>
  %1 = stablehlo.constant dense<0> : tensor<i64>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<64xi64>, tensor<i64>) -> tensor<i64>
  return %2 : tensor<i64>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<64xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
// -----
// compiled for div.out
func.func @main(%arg0: tensor<f32>, %arg1: tensor<i64>) -> tensor<f32> {
  %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
  %1 = stablehlo.divide %arg0, %0 : tensor<f32>
  return %1 : tensor<f32>
}
// -----
// compiled for mul.out
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f64>) -> tensor<f32> {
  %0 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<f32>
  return %1 : tensor<f32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
  return %0 : tensor<f32>
}
// -----
// compiled for fill_.Scalar
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<f32>) -> tensor<64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<f32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
// -----
// compiled for nll_loss_backward.grad_input
func.func @main(%arg0: tensor<64x10xf32>, %arg1: tensor<64xi64>, %arg2: tensor<f32>, %arg3: tensor<f32>) -> (tensor<64x10xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<-100> : tensor<i64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %2 = stablehlo.compare NE, %arg1, %1 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %3 = stablehlo.constant dense<0> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %5 = stablehlo.select %2, %arg1, %4 : tensor<64xi1>, tensor<64xi64>
  %6 = stablehlo.constant dense<64> : tensor<i64>
  %7 = stablehlo.constant dense<10> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %9 = stablehlo.compare GE, %5, %8 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %10 = stablehlo.constant dense<0> : tensor<i64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %12 = stablehlo.compare LT, %5, %11 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %13 = stablehlo.or %12, %9 : tensor<64xi1>
  %14 = stablehlo.iota dim = 0 : tensor<64xi64>
  %15 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %16 = stablehlo.select %13, %14, %15 : tensor<64xi1>, tensor<64xi64>
  %17 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.minimum across dimensions = [0] : (tensor<64xi64>, tensor<i64>) -> tensor<i64>
  %19 = stablehlo.constant dense<63> : tensor<i64>
  %20 = stablehlo.minimum %18, %19 : tensor<i64>
  %21 = stablehlo.compare LT, %18, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %22 = stablehlo.convert %21 : (tensor<i1>) -> tensor<i64>
  %23 = stablehlo.reshape %22 : (tensor<i64>) -> tensor<1xi64>
  %24 = stablehlo.dynamic_slice %5, %20, sizes = [1] : (tensor<64xi64>, tensor<i64>) -> tensor<1xi64>
  %25 = stablehlo.convert %2 : (tensor<64xi1>) -> tensor<64xf32>
  %26 = stablehlo.divide %arg2, %arg3 : tensor<f32>
  %27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %28 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %29 = stablehlo.multiply %25, %28 : tensor<64xf32>
  %30 = stablehlo.negate %29 : tensor<64xf32>
  %31 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %32 = stablehlo.select %2, %30, %31 : tensor<64xi1>, tensor<64xf32>
  %33 = stablehlo.reshape %5 : (tensor<64xi64>) -> tensor<64x1xi64>
  %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<64x1xi64>) -> tensor<64x10xi64>
  %35 = stablehlo.iota dim = 1 : tensor<64x10xi64>
  %36 = stablehlo.compare EQ, %35, %34 : (tensor<64x10xi64>, tensor<64x10xi64>) -> tensor<64x10xi1>
  %37 = stablehlo.reshape %32 : (tensor<64xf32>) -> tensor<64x1xf32>
  %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x10xf32>
  %39 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
  %40 = stablehlo.select %36, %38, %39 : tensor<64x10xi1>, tensor<64x10xf32>
  %41 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %40, %41 : tensor<64x10xf32>, tensor<2xi64>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<64xf32>, %arg1: tensor<64x10xf32>) -> tensor<64x10xf32> {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<64xf32>) -> tensor<64x10xf32>
  %1 = stablehlo.add %0, %arg1 : tensor<64x10xf32>
  return %1 : tensor<64x10xf32>
}
// -----
// compiled for _log_softmax_backward_data.out
func.func @main(%arg0: tensor<64x10xf32>, %arg1: tensor<64x10xf32>) -> tensor<64x10xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<64x10xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.reshape %1 : (tensor<64xf32>) -> tensor<64x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x10xf32>
  %4 = stablehlo.exponential %arg1 : tensor<64x10xf32>
  %5 = stablehlo.multiply %4, %3 : tensor<64x10xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<64x10xf32>
  return %6 : tensor<64x10xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x10xf32>, %arg1: tensor<128x10xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<128x10xf32>) -> tensor<1280xf32>
  %1 = stablehlo.reshape %0 : (tensor<1280xf32>) -> tensor<10x128xf32>
  %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x10xf32>, tensor<10x128xf32>) -> tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x10xf32>, %arg1: tensor<64x128xf32>) -> tensor<10x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x10xf32>) -> tensor<640xf32>
  %1 = stablehlo.reshape %0 : (tensor<640xf32>) -> tensor<64x10xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<64x10xf32>) -> tensor<10x64xf32>
  %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<10x64xf32>, tensor<64x128xf32>) -> tensor<10x128xf32>
  return %3 : tensor<10x128xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<64x10xf32>) -> tensor<1x10xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<64x10xf32>, tensor<f32>) -> tensor<10xf32>
  %2 = stablehlo.reshape %1 : (tensor<10xf32>) -> tensor<1x10xf32>
  return %2 : tensor<1x10xf32>
}
// -----
// compiled for gelu_backward.grad_input
func.func @main(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %2 = stablehlo.multiply %arg1, %1 : tensor<64x128xf32>
  %3 = chlo.erf %2 : tensor<64x128xf32> -> tensor<64x128xf32>
  %4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %6 = stablehlo.add %3, %5 : tensor<64x128xf32>
  %7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %9 = stablehlo.multiply %6, %8 : tensor<64x128xf32>
  %10 = stablehlo.multiply %arg1, %arg1 : tensor<64x128xf32>
  %11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %13 = stablehlo.multiply %10, %12 : tensor<64x128xf32>
  %14 = stablehlo.exponential %13 : tensor<64x128xf32>
  %15 = stablehlo.constant dense<3.989423e-01> : tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %17 = stablehlo.multiply %14, %16 : tensor<64x128xf32>
  %18 = stablehlo.multiply %arg1, %17 : tensor<64x128xf32>
  %19 = stablehlo.add %9, %18 : tensor<64x128xf32>
  %20 = stablehlo.multiply %arg0, %19 : tensor<64x128xf32>
  return %20 : tensor<64x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x128xf32>, %arg1: tensor<256x128xf32>) -> tensor<64x256xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<256x128xf32>) -> tensor<32768xf32>
  %1 = stablehlo.reshape %0 : (tensor<32768xf32>) -> tensor<128x256xf32>
  %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  return %2 : tensor<64x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x128xf32>, %arg1: tensor<64x64x2x2xf32>) -> tensor<128x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x128xf32>) -> tensor<8192xf32>
  %1 = stablehlo.reshape %0 : (tensor<8192xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<64x64x2x2xf32>) -> tensor<16384xf32>
  %4 = stablehlo.reshape %3 : (tensor<16384xf32>) -> tensor<64x256xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
  return %5 : tensor<128x256xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<64x128xf32>) -> tensor<1x128xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<64x128xf32>, tensor<f32>) -> tensor<128xf32>
  %2 = stablehlo.reshape %1 : (tensor<128xf32>) -> tensor<1x128xf32>
  return %2 : tensor<1x128xf32>
}
// -----
// compiled for avg_pool2d_backward.grad_input
func.func @main(%arg0: tensor<64x256xf32>, %arg1: tensor<64x64x4x4xf32>) -> tensor<64x64x4x4xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x256xf32>) -> tensor<16384xf32>
  %1 = stablehlo.reshape %0 : (tensor<16384xf32>) -> tensor<64x64x2x2xf32>
  %2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<64x64x2x2xf32>
  %4 = stablehlo.divide %1, %3 : tensor<64x64x2x2xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 4] : (tensor<64x64x2x2xf32>) -> tensor<64x64x2x2x2xf32>
  %6 = stablehlo.reshape %5 : (tensor<64x64x2x2x2xf32>) -> tensor<64x64x4x2xf32>
  %7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2, 3] : (tensor<64x64x4x2xf32>) -> tensor<64x64x4x2x2xf32>
  %9 = stablehlo.reshape %8 : (tensor<64x64x4x2x2xf32>) -> tensor<64x64x4x4xf32>
  %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  return %9 : tensor<64x64x4x4xf32>
}
// -----
// compiled for gelu_backward.grad_input
func.func @main(%arg0: tensor<64x64x4x4xf32>, %arg1: tensor<64x64x4x4xf32>) -> tensor<64x64x4x4xf32> {
  %0 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x64x4x4xf32>
  %2 = stablehlo.multiply %arg1, %1 : tensor<64x64x4x4xf32>
  %3 = chlo.erf %2 : tensor<64x64x4x4xf32> -> tensor<64x64x4x4xf32>
  %4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<64x64x4x4xf32>
  %6 = stablehlo.add %3, %5 : tensor<64x64x4x4xf32>
  %7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<64x64x4x4xf32>
  %9 = stablehlo.multiply %6, %8 : tensor<64x64x4x4xf32>
  %10 = stablehlo.multiply %arg1, %arg1 : tensor<64x64x4x4xf32>
  %11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<64x64x4x4xf32>
  %13 = stablehlo.multiply %10, %12 : tensor<64x64x4x4xf32>
  %14 = stablehlo.exponential %13 : tensor<64x64x4x4xf32>
  %15 = stablehlo.constant dense<3.989423e-01> : tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<64x64x4x4xf32>
  %17 = stablehlo.multiply %14, %16 : tensor<64x64x4x4xf32>
  %18 = stablehlo.multiply %arg1, %17 : tensor<64x64x4x4xf32>
  %19 = stablehlo.add %9, %18 : tensor<64x64x4x4xf32>
  %20 = stablehlo.multiply %arg0, %19 : tensor<64x64x4x4xf32>
  return %20 : tensor<64x64x4x4xf32>
}
// -----
// compiled for native_batch_norm_backward
func.func @main(%arg0: tensor<64x64x4x4xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64x64x4x4xf32>, %arg4: tensor<64xf32>) -> (tensor<64x64x4x4xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<64x64x4x4xf32>
  %1 = stablehlo.subtract %arg0, %0 : tensor<64x64x4x4xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%arg3 init: %2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x64x4x4xf32>, tensor<f32>) -> tensor<64xf32>
  %4 = stablehlo.multiply %arg3, %1 : tensor<64x64x4x4xf32>
  %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x64x4x4xf32>, tensor<f32>) -> tensor<64xf32>
  %7 = stablehlo.multiply %arg2, %arg4 : tensor<64xf32>
  %8 = stablehlo.multiply %arg2, %arg2 : tensor<64xf32>
  %9 = stablehlo.multiply %6, %8 : tensor<64xf32>
  %10 = stablehlo.constant dense<9.765625e-04> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %12 = stablehlo.multiply %9, %11 : tensor<64xf32>
  %13 = stablehlo.constant dense<9.765625e-04> : tensor<f32>
  %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %15 = stablehlo.multiply %3, %14 : tensor<64xf32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<64xf32>) -> tensor<64x64x4x4xf32>
  %17 = stablehlo.subtract %arg3, %16 : tensor<64x64x4x4xf32>
  %18 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<64xf32>) -> tensor<64x64x4x4xf32>
  %19 = stablehlo.multiply %1, %18 : tensor<64x64x4x4xf32>
  %20 = stablehlo.subtract %17, %19 : tensor<64x64x4x4xf32>
  %21 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<64xf32>) -> tensor<64x64x4x4xf32>
  %22 = stablehlo.multiply %20, %21 : tensor<64x64x4x4xf32>
  %23 = stablehlo.multiply %6, %arg2 : tensor<64xf32>
  return %22, %23, %3 : tensor<64x64x4x4xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for convolution_backward_overrideable
func.func @main(%arg0: tensor<64x64x4x4xf32>, %arg1: tensor<64x64x4x4xf32>, %arg2: tensor<64x64x3x3xf32>) -> (tensor<64x64x4x4xf32>, tensor<64x64x3x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<64x64x4x4xf32>, tensor<64x64x3x3xf32>) -> tensor<64x64x4x4xf32>
  %1 = stablehlo.convolution(%arg1, %arg0) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<64x64x4x4xf32>, tensor<64x64x4x4xf32>) -> tensor<64x64x3x3xf32>
  return %0, %1 : tensor<64x64x4x4xf32>, tensor<64x64x3x3xf32>
}
// -----
// compiled for avg_pool2d_backward.grad_input
func.func @main(%arg0: tensor<64x64x4x4xf32>, %arg1: tensor<64x64x8x8xf32>) -> tensor<64x64x8x8xf32> {
  %0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x64x4x4xf32>
  %2 = stablehlo.divide %arg0, %1 : tensor<64x64x4x4xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 4] : (tensor<64x64x4x4xf32>) -> tensor<64x64x4x2x4xf32>
  %4 = stablehlo.reshape %3 : (tensor<64x64x4x2x4xf32>) -> tensor<64x64x8x4xf32>
  %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<64x64x8x4xf32>) -> tensor<64x64x8x4x2xf32>
  %7 = stablehlo.reshape %6 : (tensor<64x64x8x4x2xf32>) -> tensor<64x64x8x8xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  return %7 : tensor<64x64x8x8xf32>
}
// -----
// compiled for gelu_backward.grad_input
func.func @main(%arg0: tensor<64x64x8x8xf32>, %arg1: tensor<64x64x8x8xf32>) -> tensor<64x64x8x8xf32> {
  %0 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x64x8x8xf32>
  %2 = stablehlo.multiply %arg1, %1 : tensor<64x64x8x8xf32>
  %3 = chlo.erf %2 : tensor<64x64x8x8xf32> -> tensor<64x64x8x8xf32>
  %4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<64x64x8x8xf32>
  %6 = stablehlo.add %3, %5 : tensor<64x64x8x8xf32>
  %7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<64x64x8x8xf32>
  %9 = stablehlo.multiply %6, %8 : tensor<64x64x8x8xf32>
  %10 = stablehlo.multiply %arg1, %arg1 : tensor<64x64x8x8xf32>
  %11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<64x64x8x8xf32>
  %13 = stablehlo.multiply %10, %12 : tensor<64x64x8x8xf32>
  %14 = stablehlo.exponential %13 : tensor<64x64x8x8xf32>
  %15 = stablehlo.constant dense<3.989423e-01> : tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<64x64x8x8xf32>
  %17 = stablehlo.multiply %14, %16 : tensor<64x64x8x8xf32>
  %18 = stablehlo.multiply %arg1, %17 : tensor<64x64x8x8xf32>
  %19 = stablehlo.add %9, %18 : tensor<64x64x8x8xf32>
  %20 = stablehlo.multiply %arg0, %19 : tensor<64x64x8x8xf32>
  return %20 : tensor<64x64x8x8xf32>
}
// -----
// compiled for native_batch_norm_backward
func.func @main(%arg0: tensor<64x64x8x8xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64x64x8x8xf32>, %arg4: tensor<64xf32>) -> (tensor<64x64x8x8xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<64x64x8x8xf32>
  %1 = stablehlo.subtract %arg0, %0 : tensor<64x64x8x8xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%arg3 init: %2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x64x8x8xf32>, tensor<f32>) -> tensor<64xf32>
  %4 = stablehlo.multiply %arg3, %1 : tensor<64x64x8x8xf32>
  %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x64x8x8xf32>, tensor<f32>) -> tensor<64xf32>
  %7 = stablehlo.multiply %arg2, %arg4 : tensor<64xf32>
  %8 = stablehlo.multiply %arg2, %arg2 : tensor<64xf32>
  %9 = stablehlo.multiply %6, %8 : tensor<64xf32>
  %10 = stablehlo.constant dense<2.4414062e-04> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %12 = stablehlo.multiply %9, %11 : tensor<64xf32>
  %13 = stablehlo.constant dense<2.4414062e-04> : tensor<f32>
  %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %15 = stablehlo.multiply %3, %14 : tensor<64xf32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<64xf32>) -> tensor<64x64x8x8xf32>
  %17 = stablehlo.subtract %arg3, %16 : tensor<64x64x8x8xf32>
  %18 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<64xf32>) -> tensor<64x64x8x8xf32>
  %19 = stablehlo.multiply %1, %18 : tensor<64x64x8x8xf32>
  %20 = stablehlo.subtract %17, %19 : tensor<64x64x8x8xf32>
  %21 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<64xf32>) -> tensor<64x64x8x8xf32>
  %22 = stablehlo.multiply %20, %21 : tensor<64x64x8x8xf32>
  %23 = stablehlo.multiply %6, %arg2 : tensor<64xf32>
  return %22, %23, %3 : tensor<64x64x8x8xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for convolution_backward_overrideable
func.func @main(%arg0: tensor<64x64x8x8xf32>, %arg1: tensor<64x32x8x8xf32>, %arg2: tensor<64x32x3x3xf32>) -> (tensor<64x32x8x8xf32>, tensor<64x32x3x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<64x64x8x8xf32>, tensor<64x32x3x3xf32>) -> tensor<64x32x8x8xf32>
  %1 = stablehlo.convolution(%arg1, %arg0) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<64x32x8x8xf32>, tensor<64x64x8x8xf32>) -> tensor<64x32x3x3xf32>
  return %0, %1 : tensor<64x32x8x8xf32>, tensor<64x32x3x3xf32>
}
// -----
// compiled for gelu_backward.grad_input
func.func @main(%arg0: tensor<64x32x8x8xf32>, %arg1: tensor<64x32x8x8xf32>) -> tensor<64x32x8x8xf32> {
  %0 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x32x8x8xf32>
  %2 = stablehlo.multiply %arg1, %1 : tensor<64x32x8x8xf32>
  %3 = chlo.erf %2 : tensor<64x32x8x8xf32> -> tensor<64x32x8x8xf32>
  %4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<64x32x8x8xf32>
  %6 = stablehlo.add %3, %5 : tensor<64x32x8x8xf32>
  %7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<64x32x8x8xf32>
  %9 = stablehlo.multiply %6, %8 : tensor<64x32x8x8xf32>
  %10 = stablehlo.multiply %arg1, %arg1 : tensor<64x32x8x8xf32>
  %11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<64x32x8x8xf32>
  %13 = stablehlo.multiply %10, %12 : tensor<64x32x8x8xf32>
  %14 = stablehlo.exponential %13 : tensor<64x32x8x8xf32>
  %15 = stablehlo.constant dense<3.989423e-01> : tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<64x32x8x8xf32>
  %17 = stablehlo.multiply %14, %16 : tensor<64x32x8x8xf32>
  %18 = stablehlo.multiply %arg1, %17 : tensor<64x32x8x8xf32>
  %19 = stablehlo.add %9, %18 : tensor<64x32x8x8xf32>
  %20 = stablehlo.multiply %arg0, %19 : tensor<64x32x8x8xf32>
  return %20 : tensor<64x32x8x8xf32>
}
// -----
// compiled for native_batch_norm_backward
func.func @main(%arg0: tensor<64x32x8x8xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<64x32x8x8xf32>, %arg4: tensor<32xf32>) -> (tensor<64x32x8x8xf32>, tensor<32xf32>, tensor<32xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<32xf32>) -> tensor<64x32x8x8xf32>
  %1 = stablehlo.subtract %arg0, %0 : tensor<64x32x8x8xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%arg3 init: %2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x32x8x8xf32>, tensor<f32>) -> tensor<32xf32>
  %4 = stablehlo.multiply %arg3, %1 : tensor<64x32x8x8xf32>
  %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<64x32x8x8xf32>, tensor<f32>) -> tensor<32xf32>
  %7 = stablehlo.multiply %arg2, %arg4 : tensor<32xf32>
  %8 = stablehlo.multiply %arg2, %arg2 : tensor<32xf32>
  %9 = stablehlo.multiply %6, %8 : tensor<32xf32>
  %10 = stablehlo.constant dense<2.4414062e-04> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %12 = stablehlo.multiply %9, %11 : tensor<32xf32>
  %13 = stablehlo.constant dense<2.4414062e-04> : tensor<f32>
  %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %15 = stablehlo.multiply %3, %14 : tensor<32xf32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<32xf32>) -> tensor<64x32x8x8xf32>
  %17 = stablehlo.subtract %arg3, %16 : tensor<64x32x8x8xf32>
  %18 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<32xf32>) -> tensor<64x32x8x8xf32>
  %19 = stablehlo.multiply %1, %18 : tensor<64x32x8x8xf32>
  %20 = stablehlo.subtract %17, %19 : tensor<64x32x8x8xf32>
  %21 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<32xf32>) -> tensor<64x32x8x8xf32>
  %22 = stablehlo.multiply %20, %21 : tensor<64x32x8x8xf32>
  %23 = stablehlo.multiply %6, %arg2 : tensor<32xf32>
  return %22, %23, %3 : tensor<64x32x8x8xf32>, tensor<32xf32>, tensor<32xf32>
}
// -----
// compiled for convolution_backward_overrideable
func.func @main(%arg0: tensor<64x32x8x8xf32>, %arg1: tensor<64x1x8x8xf32>, %arg2: tensor<32x1x3x3xf32>) -> tensor<32x1x3x3xf32> {
  %0 = stablehlo.convolution(%arg1, %arg0) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<64x1x8x8xf32>, tensor<64x32x8x8xf32>) -> tensor<32x1x3x3xf32>
  return %0 : tensor<32x1x3x3xf32>
}
// -----
// compiled for _foreach_add.List
func.func @main(%arg0: tensor<32x1x3x3xf32>, %arg1: tensor<32x1x3x3xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32xf32>, %arg5: tensor<32xf32>, %arg6: tensor<64x32x3x3xf32>, %arg7: tensor<64x32x3x3xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64xf32>, %arg12: tensor<64x64x3x3xf32>, %arg13: tensor<64x64x3x3xf32>, %arg14: tensor<64xf32>, %arg15: tensor<64xf32>, %arg16: tensor<64xf32>, %arg17: tensor<64xf32>, %arg18: tensor<128x256xf32>, %arg19: tensor<256x128xf32>, %arg20: tensor<1x128xf32>, %arg21: tensor<128xf32>, %arg22: tensor<10x128xf32>, %arg23: tensor<128x10xf32>, %arg24: tensor<1x10xf32>, %arg25: tensor<10xf32>, %arg26: tensor<f32>) -> (tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>) {
  %0 = stablehlo.reshape %arg19 : (tensor<256x128xf32>) -> tensor<32768xf32>
  %1 = stablehlo.reshape %0 : (tensor<32768xf32>) -> tensor<128x256xf32>
  %2 = stablehlo.reshape %arg20 : (tensor<1x128xf32>) -> tensor<128xf32>
  %3 = stablehlo.reshape %arg23 : (tensor<128x10xf32>) -> tensor<1280xf32>
  %4 = stablehlo.reshape %3 : (tensor<1280xf32>) -> tensor<10x128xf32>
  %5 = stablehlo.reshape %arg24 : (tensor<1x10xf32>) -> tensor<10xf32>
  %6 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32x1x3x3xf32>
  %7 = stablehlo.multiply %arg1, %6 : tensor<32x1x3x3xf32>
  %8 = stablehlo.add %arg0, %7 : tensor<32x1x3x3xf32>
  %9 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %10 = stablehlo.multiply %arg3, %9 : tensor<32xf32>
  %11 = stablehlo.add %arg2, %10 : tensor<32xf32>
  %12 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %13 = stablehlo.multiply %arg5, %12 : tensor<32xf32>
  %14 = stablehlo.add %arg4, %13 : tensor<32xf32>
  %15 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64x32x3x3xf32>
  %16 = stablehlo.multiply %arg7, %15 : tensor<64x32x3x3xf32>
  %17 = stablehlo.add %arg6, %16 : tensor<64x32x3x3xf32>
  %18 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %19 = stablehlo.multiply %arg9, %18 : tensor<64xf32>
  %20 = stablehlo.add %arg8, %19 : tensor<64xf32>
  %21 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %22 = stablehlo.multiply %arg11, %21 : tensor<64xf32>
  %23 = stablehlo.add %arg10, %22 : tensor<64xf32>
  %24 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %25 = stablehlo.multiply %arg13, %24 : tensor<64x64x3x3xf32>
  %26 = stablehlo.add %arg12, %25 : tensor<64x64x3x3xf32>
  %27 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %28 = stablehlo.multiply %arg15, %27 : tensor<64xf32>
  %29 = stablehlo.add %arg14, %28 : tensor<64xf32>
  %30 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %31 = stablehlo.multiply %arg17, %30 : tensor<64xf32>
  %32 = stablehlo.add %arg16, %31 : tensor<64xf32>
  %33 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
  %34 = stablehlo.multiply %1, %33 : tensor<128x256xf32>
  %35 = stablehlo.add %arg18, %34 : tensor<128x256xf32>
  %36 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %37 = stablehlo.multiply %arg21, %36 : tensor<128xf32>
  %38 = stablehlo.add %2, %37 : tensor<128xf32>
  %39 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<10x128xf32>
  %40 = stablehlo.multiply %4, %39 : tensor<10x128xf32>
  %41 = stablehlo.add %arg22, %40 : tensor<10x128xf32>
  %42 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %43 = stablehlo.multiply %arg25, %42 : tensor<10xf32>
  %44 = stablehlo.add %5, %43 : tensor<10xf32>
  return %8, %11, %14, %17, %20, %23, %26, %29, %32, %35, %38, %41, %44 : tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<32x1x3x3xf32>) -> tensor<32x1x3x3xf32> {
  return %arg0 : tensor<32x1x3x3xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<32xf32>) -> tensor<32xf32> {
  return %arg0 : tensor<32xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<64x32x3x3xf32>) -> tensor<64x32x3x3xf32> {
  return %arg0 : tensor<64x32x3x3xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<64xf32>) -> tensor<64xf32> {
  return %arg0 : tensor<64xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<64x64x3x3xf32>) -> tensor<64x64x3x3xf32> {
  return %arg0 : tensor<64x64x3x3xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<128x256xf32>) -> tensor<128x256xf32> {
  return %arg0 : tensor<128x256xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<128xf32>) -> tensor<128xf32> {
  return %arg0 : tensor<128xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<10x128xf32>) -> tensor<10x128xf32> {
  return %arg0 : tensor<10x128xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<10xf32>) -> tensor<10xf32> {
  return %arg0 : tensor<10xf32>
}
// -----
// compiled for _foreach_add_.List
func.func @main(%arg0: tensor<32x1x3x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<32x1x3x3xf32>, %arg2: tensor<32xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<32xf32>, %arg4: tensor<32xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<32xf32>, %arg6: tensor<64x32x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<64x32x3x3xf32>, %arg8: tensor<64xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<64xf32>, %arg10: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<64xf32>, %arg12: tensor<64x64x3x3xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<64x64x3x3xf32>, %arg14: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<64xf32>, %arg16: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<64xf32>, %arg18: tensor<256x128xf32>, %arg19: tensor<128x256xf32>, %arg20: tensor<128xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<128xf32>, %arg22: tensor<128x10xf32>, %arg23: tensor<10x128xf32>, %arg24: tensor<10xf32> {tf.aliasing_output = 12 : i32}, %arg25: tensor<10xf32>, %arg26: tensor<f32>) -> (tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>) {
  %0 = stablehlo.reshape %arg18 : (tensor<256x128xf32>) -> tensor<32768xf32>
  %1 = stablehlo.reshape %0 : (tensor<32768xf32>) -> tensor<128x256xf32>
  %2 = stablehlo.reshape %arg22 : (tensor<128x10xf32>) -> tensor<1280xf32>
  %3 = stablehlo.reshape %2 : (tensor<1280xf32>) -> tensor<10x128xf32>
  %4 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32x1x3x3xf32>
  %5 = stablehlo.multiply %arg1, %4 : tensor<32x1x3x3xf32>
  %6 = stablehlo.add %arg0, %5 : tensor<32x1x3x3xf32>
  %7 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %8 = stablehlo.multiply %arg3, %7 : tensor<32xf32>
  %9 = stablehlo.add %arg2, %8 : tensor<32xf32>
  %10 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %11 = stablehlo.multiply %arg5, %10 : tensor<32xf32>
  %12 = stablehlo.add %arg4, %11 : tensor<32xf32>
  %13 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64x32x3x3xf32>
  %14 = stablehlo.multiply %arg7, %13 : tensor<64x32x3x3xf32>
  %15 = stablehlo.add %arg6, %14 : tensor<64x32x3x3xf32>
  %16 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %17 = stablehlo.multiply %arg9, %16 : tensor<64xf32>
  %18 = stablehlo.add %arg8, %17 : tensor<64xf32>
  %19 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %20 = stablehlo.multiply %arg11, %19 : tensor<64xf32>
  %21 = stablehlo.add %arg10, %20 : tensor<64xf32>
  %22 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %23 = stablehlo.multiply %arg13, %22 : tensor<64x64x3x3xf32>
  %24 = stablehlo.add %arg12, %23 : tensor<64x64x3x3xf32>
  %25 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %26 = stablehlo.multiply %arg15, %25 : tensor<64xf32>
  %27 = stablehlo.add %arg14, %26 : tensor<64xf32>
  %28 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %29 = stablehlo.multiply %arg17, %28 : tensor<64xf32>
  %30 = stablehlo.add %arg16, %29 : tensor<64xf32>
  %31 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
  %32 = stablehlo.multiply %arg19, %31 : tensor<128x256xf32>
  %33 = stablehlo.add %1, %32 : tensor<128x256xf32>
  %34 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %35 = stablehlo.multiply %arg21, %34 : tensor<128xf32>
  %36 = stablehlo.add %arg20, %35 : tensor<128xf32>
  %37 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<10x128xf32>
  %38 = stablehlo.multiply %arg23, %37 : tensor<10x128xf32>
  %39 = stablehlo.add %3, %38 : tensor<10x128xf32>
  %40 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %41 = stablehlo.multiply %arg25, %40 : tensor<10xf32>
  %42 = stablehlo.add %arg24, %41 : tensor<10xf32>
  return %6, %9, %12, %15, %18, %21, %24, %27, %30, %33, %36, %39, %42 : tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<64x64x2x2xf32>, %arg1: tensor<128x256xf32>, %arg2: tensor<128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x64x2x2xf32>) -> tensor<16384xf32>
  %1 = stablehlo.reshape %0 : (tensor<16384xf32>) -> tensor<64x256xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x256xf32>) -> tensor<32768xf32>
  %3 = stablehlo.reshape %2 : (tensor<32768xf32>) -> tensor<128x256xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x256xf32>) -> tensor<256x128xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<64x128xf32>
  return %7 : tensor<64x128xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<64x128xf32>, %arg1: tensor<10x128xf32>, %arg2: tensor<10xf32>) -> tensor<64x10xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<10x128xf32>) -> tensor<1280xf32>
  %1 = stablehlo.reshape %0 : (tensor<1280xf32>) -> tensor<10x128xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<10x128xf32>) -> tensor<128x10xf32>
  %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x128xf32>, tensor<128x10xf32>) -> tensor<64x10xf32>
  %4 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<10xf32>) -> tensor<64x10xf32>
  %5 = stablehlo.add %3, %4 : tensor<64x10xf32>
  return %5 : tensor<64x10xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x10xf32>, %arg1: tensor<10x128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x10xf32>, tensor<10x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x128xf32>, %arg1: tensor<128x256xf32>) -> tensor<64x256xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}
// -----
// compiled for _foreach_add.List
func.func @main(%arg0: tensor<32x1x3x3xf32>, %arg1: tensor<32x1x3x3xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32xf32>, %arg5: tensor<32xf32>, %arg6: tensor<64x32x3x3xf32>, %arg7: tensor<64x32x3x3xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64xf32>, %arg12: tensor<64x64x3x3xf32>, %arg13: tensor<64x64x3x3xf32>, %arg14: tensor<64xf32>, %arg15: tensor<64xf32>, %arg16: tensor<64xf32>, %arg17: tensor<64xf32>, %arg18: tensor<128x256xf32>, %arg19: tensor<128x256xf32>, %arg20: tensor<1x128xf32>, %arg21: tensor<128xf32>, %arg22: tensor<10x128xf32>, %arg23: tensor<10x128xf32>, %arg24: tensor<1x10xf32>, %arg25: tensor<10xf32>, %arg26: tensor<f32>) -> (tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>) {
  %0 = stablehlo.reshape %arg20 : (tensor<1x128xf32>) -> tensor<128xf32>
  %1 = stablehlo.reshape %arg24 : (tensor<1x10xf32>) -> tensor<10xf32>
  %2 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32x1x3x3xf32>
  %3 = stablehlo.multiply %arg1, %2 : tensor<32x1x3x3xf32>
  %4 = stablehlo.add %arg0, %3 : tensor<32x1x3x3xf32>
  %5 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %6 = stablehlo.multiply %arg3, %5 : tensor<32xf32>
  %7 = stablehlo.add %arg2, %6 : tensor<32xf32>
  %8 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %9 = stablehlo.multiply %arg5, %8 : tensor<32xf32>
  %10 = stablehlo.add %arg4, %9 : tensor<32xf32>
  %11 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64x32x3x3xf32>
  %12 = stablehlo.multiply %arg7, %11 : tensor<64x32x3x3xf32>
  %13 = stablehlo.add %arg6, %12 : tensor<64x32x3x3xf32>
  %14 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %15 = stablehlo.multiply %arg9, %14 : tensor<64xf32>
  %16 = stablehlo.add %arg8, %15 : tensor<64xf32>
  %17 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %18 = stablehlo.multiply %arg11, %17 : tensor<64xf32>
  %19 = stablehlo.add %arg10, %18 : tensor<64xf32>
  %20 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %21 = stablehlo.multiply %arg13, %20 : tensor<64x64x3x3xf32>
  %22 = stablehlo.add %arg12, %21 : tensor<64x64x3x3xf32>
  %23 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %24 = stablehlo.multiply %arg15, %23 : tensor<64xf32>
  %25 = stablehlo.add %arg14, %24 : tensor<64xf32>
  %26 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %27 = stablehlo.multiply %arg17, %26 : tensor<64xf32>
  %28 = stablehlo.add %arg16, %27 : tensor<64xf32>
  %29 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
  %30 = stablehlo.multiply %arg19, %29 : tensor<128x256xf32>
  %31 = stablehlo.add %arg18, %30 : tensor<128x256xf32>
  %32 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %33 = stablehlo.multiply %arg21, %32 : tensor<128xf32>
  %34 = stablehlo.add %0, %33 : tensor<128xf32>
  %35 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<10x128xf32>
  %36 = stablehlo.multiply %arg23, %35 : tensor<10x128xf32>
  %37 = stablehlo.add %arg22, %36 : tensor<10x128xf32>
  %38 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %39 = stablehlo.multiply %arg25, %38 : tensor<10xf32>
  %40 = stablehlo.add %1, %39 : tensor<10xf32>
  return %4, %7, %10, %13, %16, %19, %22, %25, %28, %31, %34, %37, %40 : tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_mul_.Scalar
func.func @main(%arg0: tensor<32x1x3x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<32xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<32xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<64x32x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<64xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<64x64x3x3xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<128x256xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<128xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<10x128xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<10xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<f32>) -> (tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<32x1x3x3xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<32x1x3x3xf32>
  %2 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %3 = stablehlo.multiply %arg1, %2 : tensor<32xf32>
  %4 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %5 = stablehlo.multiply %arg2, %4 : tensor<32xf32>
  %6 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<64x32x3x3xf32>
  %7 = stablehlo.multiply %arg3, %6 : tensor<64x32x3x3xf32>
  %8 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %9 = stablehlo.multiply %arg4, %8 : tensor<64xf32>
  %10 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %11 = stablehlo.multiply %arg5, %10 : tensor<64xf32>
  %12 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %13 = stablehlo.multiply %arg6, %12 : tensor<64x64x3x3xf32>
  %14 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %15 = stablehlo.multiply %arg7, %14 : tensor<64xf32>
  %16 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %17 = stablehlo.multiply %arg8, %16 : tensor<64xf32>
  %18 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
  %19 = stablehlo.multiply %arg9, %18 : tensor<128x256xf32>
  %20 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %21 = stablehlo.multiply %arg10, %20 : tensor<128xf32>
  %22 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<10x128xf32>
  %23 = stablehlo.multiply %arg11, %22 : tensor<10x128xf32>
  %24 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %25 = stablehlo.multiply %arg12, %24 : tensor<10xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25 : tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_add_.List
func.func @main(%arg0: tensor<32x1x3x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<32x1x3x3xf32>, %arg2: tensor<32xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<32xf32>, %arg4: tensor<32xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<32xf32>, %arg6: tensor<64x32x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<64x32x3x3xf32>, %arg8: tensor<64xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<64xf32>, %arg10: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<64xf32>, %arg12: tensor<64x64x3x3xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<64x64x3x3xf32>, %arg14: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<64xf32>, %arg16: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<64xf32>, %arg18: tensor<128x256xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<128x256xf32>, %arg20: tensor<128xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<128xf32>, %arg22: tensor<10x128xf32> {tf.aliasing_output = 11 : i32}, %arg23: tensor<10x128xf32>, %arg24: tensor<10xf32> {tf.aliasing_output = 12 : i32}, %arg25: tensor<10xf32>) -> (tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<32x1x3x3xf32>
  %1 = stablehlo.add %arg2, %arg3 : tensor<32xf32>
  %2 = stablehlo.add %arg4, %arg5 : tensor<32xf32>
  %3 = stablehlo.add %arg6, %arg7 : tensor<64x32x3x3xf32>
  %4 = stablehlo.add %arg8, %arg9 : tensor<64xf32>
  %5 = stablehlo.add %arg10, %arg11 : tensor<64xf32>
  %6 = stablehlo.add %arg12, %arg13 : tensor<64x64x3x3xf32>
  %7 = stablehlo.add %arg14, %arg15 : tensor<64xf32>
  %8 = stablehlo.add %arg16, %arg17 : tensor<64xf32>
  %9 = stablehlo.add %arg18, %arg19 : tensor<128x256xf32>
  %10 = stablehlo.add %arg20, %arg21 : tensor<128xf32>
  %11 = stablehlo.add %arg22, %arg23 : tensor<10x128xf32>
  %12 = stablehlo.add %arg24, %arg25 : tensor<10xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_add_.List
func.func @main(%arg0: tensor<32x1x3x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<32x1x3x3xf32>, %arg2: tensor<32xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<32xf32>, %arg4: tensor<32xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<32xf32>, %arg6: tensor<64x32x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<64x32x3x3xf32>, %arg8: tensor<64xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<64xf32>, %arg10: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<64xf32>, %arg12: tensor<64x64x3x3xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<64x64x3x3xf32>, %arg14: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<64xf32>, %arg16: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<64xf32>, %arg18: tensor<128x256xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<128x256xf32>, %arg20: tensor<128xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<128xf32>, %arg22: tensor<10x128xf32> {tf.aliasing_output = 11 : i32}, %arg23: tensor<10x128xf32>, %arg24: tensor<10xf32> {tf.aliasing_output = 12 : i32}, %arg25: tensor<10xf32>, %arg26: tensor<f32>) -> (tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32x1x3x3xf32>
  %1 = stablehlo.multiply %arg1, %0 : tensor<32x1x3x3xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<32x1x3x3xf32>
  %3 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %4 = stablehlo.multiply %arg3, %3 : tensor<32xf32>
  %5 = stablehlo.add %arg2, %4 : tensor<32xf32>
  %6 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %7 = stablehlo.multiply %arg5, %6 : tensor<32xf32>
  %8 = stablehlo.add %arg4, %7 : tensor<32xf32>
  %9 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64x32x3x3xf32>
  %10 = stablehlo.multiply %arg7, %9 : tensor<64x32x3x3xf32>
  %11 = stablehlo.add %arg6, %10 : tensor<64x32x3x3xf32>
  %12 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %13 = stablehlo.multiply %arg9, %12 : tensor<64xf32>
  %14 = stablehlo.add %arg8, %13 : tensor<64xf32>
  %15 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %16 = stablehlo.multiply %arg11, %15 : tensor<64xf32>
  %17 = stablehlo.add %arg10, %16 : tensor<64xf32>
  %18 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %19 = stablehlo.multiply %arg13, %18 : tensor<64x64x3x3xf32>
  %20 = stablehlo.add %arg12, %19 : tensor<64x64x3x3xf32>
  %21 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %22 = stablehlo.multiply %arg15, %21 : tensor<64xf32>
  %23 = stablehlo.add %arg14, %22 : tensor<64xf32>
  %24 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %25 = stablehlo.multiply %arg17, %24 : tensor<64xf32>
  %26 = stablehlo.add %arg16, %25 : tensor<64xf32>
  %27 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
  %28 = stablehlo.multiply %arg19, %27 : tensor<128x256xf32>
  %29 = stablehlo.add %arg18, %28 : tensor<128x256xf32>
  %30 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %31 = stablehlo.multiply %arg21, %30 : tensor<128xf32>
  %32 = stablehlo.add %arg20, %31 : tensor<128xf32>
  %33 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<10x128xf32>
  %34 = stablehlo.multiply %arg23, %33 : tensor<10x128xf32>
  %35 = stablehlo.add %arg22, %34 : tensor<10x128xf32>
  %36 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %37 = stablehlo.multiply %arg25, %36 : tensor<10xf32>
  %38 = stablehlo.add %arg24, %37 : tensor<10xf32>
  return %2, %5, %8, %11, %14, %17, %20, %23, %26, %29, %32, %35, %38 : tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10xf32>
}
// -----
// compiled for cat.out
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<f32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<f32>) -> tensor<1xf32>
  %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
  %5 = stablehlo.reshape %4 : (tensor<f32>) -> tensor<1xf32>
  %6 = stablehlo.concatenate %2, %5, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %6 : tensor<2xf32>
}
// -----
// compiled for convolution_overrideable
func.func @main(%arg0: tensor<359x1x8x8xf32>, %arg1: tensor<32x1x3x3xf32>) -> tensor<359x32x8x8xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<359x1x8x8xf32>, tensor<32x1x3x3xf32>) -> tensor<359x32x8x8xf32>
  return %0 : tensor<359x32x8x8xf32>
}
// -----
// compiled for native_batch_norm
func.func @main(%arg0: tensor<359x32x8x8xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32xf32>, %arg5: tensor<f32>) -> tensor<359x32x8x8xf32> {
  %0 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %1 = stablehlo.add %arg2, %0 : tensor<32xf32>
  %2 = stablehlo.rsqrt %1 : tensor<32xf32>
  %3 = stablehlo.multiply %2, %arg3 : tensor<32xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<32xf32>) -> tensor<359x32x8x8xf32>
  %5 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<32xf32>) -> tensor<359x32x8x8xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<359x32x8x8xf32>
  %7 = stablehlo.multiply %6, %4 : tensor<359x32x8x8xf32>
  %8 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<32xf32>) -> tensor<359x32x8x8xf32>
  %9 = stablehlo.add %7, %8 : tensor<359x32x8x8xf32>
  %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return %9 : tensor<359x32x8x8xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<359x32x8x8xf32>) -> tensor<359x32x8x8xf32> {
  %0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<359x32x8x8xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<359x32x8x8xf32>
  %3 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<359x32x8x8xf32>
  %5 = stablehlo.multiply %arg0, %4 : tensor<359x32x8x8xf32>
  %6 = chlo.erf %5 : tensor<359x32x8x8xf32> -> tensor<359x32x8x8xf32>
  %7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<359x32x8x8xf32>
  %9 = stablehlo.add %6, %8 : tensor<359x32x8x8xf32>
  %10 = stablehlo.multiply %2, %9 : tensor<359x32x8x8xf32>
  return %10 : tensor<359x32x8x8xf32>
}
// -----
// compiled for convolution_overrideable
func.func @main(%arg0: tensor<359x32x8x8xf32>, %arg1: tensor<64x32x3x3xf32>) -> tensor<359x64x8x8xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<359x32x8x8xf32>, tensor<64x32x3x3xf32>) -> tensor<359x64x8x8xf32>
  return %0 : tensor<359x64x8x8xf32>
}
// -----
// compiled for native_batch_norm
func.func @main(%arg0: tensor<359x64x8x8xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<f32>) -> tensor<359x64x8x8xf32> {
  %0 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.add %arg2, %0 : tensor<64xf32>
  %2 = stablehlo.rsqrt %1 : tensor<64xf32>
  %3 = stablehlo.multiply %2, %arg3 : tensor<64xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<64xf32>) -> tensor<359x64x8x8xf32>
  %5 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<359x64x8x8xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<359x64x8x8xf32>
  %7 = stablehlo.multiply %6, %4 : tensor<359x64x8x8xf32>
  %8 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<64xf32>) -> tensor<359x64x8x8xf32>
  %9 = stablehlo.add %7, %8 : tensor<359x64x8x8xf32>
  %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return %9 : tensor<359x64x8x8xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<359x64x8x8xf32>) -> tensor<359x64x8x8xf32> {
  %0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<359x64x8x8xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<359x64x8x8xf32>
  %3 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<359x64x8x8xf32>
  %5 = stablehlo.multiply %arg0, %4 : tensor<359x64x8x8xf32>
  %6 = chlo.erf %5 : tensor<359x64x8x8xf32> -> tensor<359x64x8x8xf32>
  %7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<359x64x8x8xf32>
  %9 = stablehlo.add %6, %8 : tensor<359x64x8x8xf32>
  %10 = stablehlo.multiply %2, %9 : tensor<359x64x8x8xf32>
  return %10 : tensor<359x64x8x8xf32>
}
// -----
// compiled for avg_pool2d.out
func.func @main(%arg0: tensor<359x64x8x8xf32>) -> tensor<359x64x4x4xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%arg0, %0) <{padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<359x64x8x8xf32>, tensor<f32>) -> tensor<359x64x4x4xf32>
  %3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<359x64x4x4xf32>
  %5 = stablehlo.divide %1, %4 : tensor<359x64x4x4xf32>
  return %5 : tensor<359x64x4x4xf32>
}
// -----
// compiled for convolution_overrideable
func.func @main(%arg0: tensor<359x64x4x4xf32>, %arg1: tensor<64x64x3x3xf32>) -> tensor<359x64x4x4xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<359x64x4x4xf32>, tensor<64x64x3x3xf32>) -> tensor<359x64x4x4xf32>
  return %0 : tensor<359x64x4x4xf32>
}
// -----
// compiled for native_batch_norm
func.func @main(%arg0: tensor<359x64x4x4xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<f32>) -> tensor<359x64x4x4xf32> {
  %0 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.add %arg2, %0 : tensor<64xf32>
  %2 = stablehlo.rsqrt %1 : tensor<64xf32>
  %3 = stablehlo.multiply %2, %arg3 : tensor<64xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<64xf32>) -> tensor<359x64x4x4xf32>
  %5 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<359x64x4x4xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<359x64x4x4xf32>
  %7 = stablehlo.multiply %6, %4 : tensor<359x64x4x4xf32>
  %8 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<64xf32>) -> tensor<359x64x4x4xf32>
  %9 = stablehlo.add %7, %8 : tensor<359x64x4x4xf32>
  %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return %9 : tensor<359x64x4x4xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<359x64x4x4xf32>) -> tensor<359x64x4x4xf32> {
  %0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<359x64x4x4xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<359x64x4x4xf32>
  %3 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<359x64x4x4xf32>
  %5 = stablehlo.multiply %arg0, %4 : tensor<359x64x4x4xf32>
  %6 = chlo.erf %5 : tensor<359x64x4x4xf32> -> tensor<359x64x4x4xf32>
  %7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<359x64x4x4xf32>
  %9 = stablehlo.add %6, %8 : tensor<359x64x4x4xf32>
  %10 = stablehlo.multiply %2, %9 : tensor<359x64x4x4xf32>
  return %10 : tensor<359x64x4x4xf32>
}
// -----
// compiled for avg_pool2d.out
func.func @main(%arg0: tensor<359x64x4x4xf32>) -> tensor<359x64x2x2xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%arg0, %0) <{padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<359x64x4x4xf32>, tensor<f32>) -> tensor<359x64x2x2xf32>
  %3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<359x64x2x2xf32>
  %5 = stablehlo.divide %1, %4 : tensor<359x64x2x2xf32>
  return %5 : tensor<359x64x2x2xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<359x64x2x2xf32>, %arg1: tensor<128x256xf32>, %arg2: tensor<128xf32>) -> tensor<359x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<359x64x2x2xf32>) -> tensor<91904xf32>
  %1 = stablehlo.reshape %0 : (tensor<91904xf32>) -> tensor<359x256xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x256xf32>) -> tensor<32768xf32>
  %3 = stablehlo.reshape %2 : (tensor<32768xf32>) -> tensor<128x256xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x256xf32>) -> tensor<256x128xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<359x256xf32>, tensor<256x128xf32>) -> tensor<359x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<128xf32>) -> tensor<359x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<359x128xf32>
  return %7 : tensor<359x128xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<359x128xf32>) -> tensor<359x128xf32> {
  %0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<359x128xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<359x128xf32>
  %3 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<359x128xf32>
  %5 = stablehlo.multiply %arg0, %4 : tensor<359x128xf32>
  %6 = chlo.erf %5 : tensor<359x128xf32> -> tensor<359x128xf32>
  %7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<359x128xf32>
  %9 = stablehlo.add %6, %8 : tensor<359x128xf32>
  %10 = stablehlo.multiply %2, %9 : tensor<359x128xf32>
  return %10 : tensor<359x128xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<359x128xf32>, %arg1: tensor<10x128xf32>, %arg2: tensor<10xf32>) -> tensor<359x10xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<10x128xf32>) -> tensor<1280xf32>
  %1 = stablehlo.reshape %0 : (tensor<1280xf32>) -> tensor<10x128xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<10x128xf32>) -> tensor<128x10xf32>
  %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<359x128xf32>, tensor<128x10xf32>) -> tensor<359x10xf32>
  %4 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<10xf32>) -> tensor<359x10xf32>
  %5 = stablehlo.add %3, %4 : tensor<359x10xf32>
  return %5 : tensor<359x10xf32>
}
// -----
// compiled for argmax.out
func.func @main(%arg0: tensor<359x10xf32>) -> tensor<359xi64> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<359x10xf32>, tensor<f32>) -> tensor<359xf32>
  %2 = stablehlo.reshape %1 : (tensor<359xf32>) -> tensor<359x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<359x1xf32>) -> tensor<359x10xf32>
  %4 = stablehlo.compare EQ, %arg0, %3 : (tensor<359x10xf32>, tensor<359x10xf32>) -> tensor<359x10xi1>
  %5 = stablehlo.compare NE, %arg0, %arg0 : (tensor<359x10xf32>, tensor<359x10xf32>) -> tensor<359x10xi1>
  %6 = stablehlo.or %4, %5 : tensor<359x10xi1>
  %7 = stablehlo.iota dim = 1 : tensor<359x10xi32>
  %8 = stablehlo.constant dense<2147483647> : tensor<i32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i32>) -> tensor<359x10xi32>
  %10 = stablehlo.select %6, %7, %9 : tensor<359x10xi1>, tensor<359x10xi32>
  %11 = stablehlo.constant dense<2147483647> : tensor<i32>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.minimum across dimensions = [1] : (tensor<359x10xi32>, tensor<i32>) -> tensor<359xi32>
  %13 = stablehlo.convert %12 : (tensor<359xi32>) -> tensor<359xi64>
  return %13 : tensor<359xi64>
}
// -----
// compiled for eq.Tensor_out
func.func @main(%arg0: tensor<359xi64>, %arg1: tensor<359xi64>) -> tensor<359xi1> {
  %0 = stablehlo.compare EQ, %arg0, %arg1 : (tensor<359xi64>, tensor<359xi64>) -> tensor<359xi1>
  return %0 : tensor<359xi1>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<359xi1>) -> tensor<359xf32> {
  %0 = stablehlo.convert %arg0 : (tensor<359xi1>) -> tensor<359xf32>
  return %0 : tensor<359xf32>
}
// -----
// compiled for mean.out
func.func @main(%arg0: tensor<359xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<359xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.constant dense<3.590000e+02> : tensor<f32>
  %3 = stablehlo.divide %1, %2 : tensor<f32>
  return %3 : tensor<f32>
}
// -----
// compiled for index_select
func.func @main(%arg0: tensor<96x128xf32>, %arg1: tensor<1024xi64>) -> (tensor<1024x128xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<1024> : tensor<i64>
  %1 = stablehlo.constant dense<96> : tensor<i64>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %3 = stablehlo.compare GE, %arg1, %2 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %4 = stablehlo.constant dense<0> : tensor<i64>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %6 = stablehlo.compare LT, %arg1, %5 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %7 = stablehlo.or %6, %3 : tensor<1024xi1>
  %8 = stablehlo.iota dim = 0 : tensor<1024xi64>
  %9 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %10 = stablehlo.select %7, %8, %9 : tensor<1024xi1>, tensor<1024xi64>
  %11 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.minimum across dimensions = [0] : (tensor<1024xi64>, tensor<i64>) -> tensor<i64>
  %13 = stablehlo.constant dense<1023> : tensor<i64>
  %14 = stablehlo.minimum %12, %13 : tensor<i64>
  %15 = stablehlo.compare LT, %12, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %16 = stablehlo.convert %15 : (tensor<i1>) -> tensor<i64>
  %17 = stablehlo.reshape %16 : (tensor<i64>) -> tensor<1xi64>
  %18 = stablehlo.dynamic_slice %arg1, %14, sizes = [1] : (tensor<1024xi64>, tensor<i64>) -> tensor<1xi64>
  %19 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<96x128xf32>, tensor<1024xi64>) -> tensor<1024x128xf32>
  %20 = stablehlo.concatenate %17, %18, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %19, %20 : tensor<1024x128xf32>, tensor<2xi64>
}
// -----
// compiled for arange.start_out
func.func @main() -> tensor<64xi64> {
  %0 = stablehlo.iota dim = 0 : tensor<64xi64>
  return %0 : tensor<64xi64>
}
// -----
// compiled for index_select
func.func @main(%arg0: tensor<64x128xf32>, %arg1: tensor<64xi64>) -> (tensor<64x128xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<64> : tensor<i64>
  %1 = stablehlo.constant dense<64> : tensor<i64>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %3 = stablehlo.compare GE, %arg1, %2 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %4 = stablehlo.constant dense<0> : tensor<i64>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %6 = stablehlo.compare LT, %arg1, %5 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %7 = stablehlo.or %6, %3 : tensor<64xi1>
  %8 = stablehlo.iota dim = 0 : tensor<64xi64>
  %9 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %10 = stablehlo.select %7, %8, %9 : tensor<64xi1>, tensor<64xi64>
  %11 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.minimum across dimensions = [0] : (tensor<64xi64>, tensor<i64>) -> tensor<i64>
  %13 = stablehlo.constant dense<63> : tensor<i64>
  %14 = stablehlo.minimum %12, %13 : tensor<i64>
  %15 = stablehlo.compare LT, %12, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %16 = stablehlo.convert %15 : (tensor<i1>) -> tensor<i64>
  %17 = stablehlo.reshape %16 : (tensor<i64>) -> tensor<1xi64>
  %18 = stablehlo.dynamic_slice %arg1, %14, sizes = [1] : (tensor<64xi64>, tensor<i64>) -> tensor<1xi64>
  %19 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<64x128xf32>, tensor<64xi64>) -> tensor<64x128xf32>
  %20 = stablehlo.concatenate %17, %18, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %19, %20 : tensor<64x128xf32>, tensor<2xi64>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<1024x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<16x64x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<16x64x128xf32>
  %2 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<64x128xf32>) -> tensor<16x64x128xf32>
  %3 = stablehlo.add %1, %2 : tensor<16x64x128xf32>
  return %3 : tensor<16x64x128xf32>
}
// -----
// compiled for native_layer_norm
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<128xf32>, %arg2: tensor<128xf32>, %arg3: tensor<f32>) -> (tensor<16x64x128xf32>, tensor<16x64x1xf32>, tensor<16x64x1xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [2] : (tensor<16x64x128xf32>, tensor<f32>) -> tensor<16x64xf32>
  %2 = stablehlo.reshape %1 : (tensor<16x64xf32>) -> tensor<16x64x1xf32>
  %3 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<16x64x1xf32>
  %5 = stablehlo.divide %2, %4 : tensor<16x64x1xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<16x64x1xf32>) -> tensor<16x64x128xf32>
  %7 = stablehlo.subtract %arg0, %6 : tensor<16x64x128xf32>
  %8 = stablehlo.multiply %7, %7 : tensor<16x64x128xf32>
  %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [2] : (tensor<16x64x128xf32>, tensor<f32>) -> tensor<16x64xf32>
  %11 = stablehlo.reshape %10 : (tensor<16x64xf32>) -> tensor<16x64x1xf32>
  %12 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
  %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<16x64x1xf32>
  %14 = stablehlo.divide %11, %13 : tensor<16x64x1xf32>
  %15 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<16x64x1xf32>
  %16 = stablehlo.add %14, %15 : tensor<16x64x1xf32>
  %17 = stablehlo.rsqrt %16 : tensor<16x64x1xf32>
  %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<16x64x1xf32>) -> tensor<16x64x128xf32>
  %19 = stablehlo.multiply %7, %18 : tensor<16x64x128xf32>
  %20 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<128xf32>) -> tensor<16x64x128xf32>
  %21 = stablehlo.multiply %19, %20 : tensor<16x64x128xf32>
  %22 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<128xf32>) -> tensor<16x64x128xf32>
  %23 = stablehlo.add %21, %22 : tensor<16x64x128xf32>
  return %23, %5, %17 : tensor<16x64x128xf32>, tensor<16x64x1xf32>, tensor<16x64x1xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<128x384xf32>, %arg2: tensor<384xf32>) -> tensor<1024x384xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x384xf32>) -> tensor<49152xf32>
  %3 = stablehlo.reshape %2 : (tensor<49152xf32>) -> tensor<384x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<384x128xf32>) -> tensor<128x384xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x128xf32>, tensor<128x384xf32>) -> tensor<1024x384xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<384xf32>) -> tensor<1024x384xf32>
  %7 = stablehlo.add %5, %6 : tensor<1024x384xf32>
  return %7 : tensor<1024x384xf32>
}
// -----
// compiled for _scaled_dot_product_fused_attention_overrideable
func.func @main(%arg0: tensor<1024x384xf32>, %arg1: tensor<2xi64>) -> (tensor<16x4x64x32xf32>, tensor<16x4x64xf32>, tensor<i64>, tensor<i64>) {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x384xf32>) -> tensor<393216xf32>
  %1 = stablehlo.slice %0 [0:392960] : (tensor<393216xf32>) -> tensor<392960xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.pad %1, %2, low = [0], high = [256], interior = [0] : (tensor<392960xf32>, tensor<f32>) -> tensor<393216xf32>
  %4 = stablehlo.reshape %3 : (tensor<393216xf32>) -> tensor<16x64x12x32xf32>
  %5 = stablehlo.slice %4 [0:16, 0:64, 0:4, 0:32] : (tensor<16x64x12x32xf32>) -> tensor<16x64x4x32xf32>
  %6 = stablehlo.transpose %5, dims = [0, 2, 1, 3] : (tensor<16x64x4x32xf32>) -> tensor<16x4x64x32xf32>
  %7 = stablehlo.slice %arg1 [0:1] : (tensor<2xi64>) -> tensor<1xi64>
  %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
  %9 = stablehlo.reshape %arg0 : (tensor<1024x384xf32>) -> tensor<393216xf32>
  %10 = stablehlo.dynamic_slice %9, %8, sizes = [392960] : (tensor<393216xf32>, tensor<i64>) -> tensor<392960xf32>
  %11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %12 = stablehlo.pad %10, %11, low = [0], high = [256], interior = [0] : (tensor<392960xf32>, tensor<f32>) -> tensor<393216xf32>
  %13 = stablehlo.reshape %12 : (tensor<393216xf32>) -> tensor<16x64x12x32xf32>
  %14 = stablehlo.slice %13 [0:16, 0:64, 0:4, 0:32] : (tensor<16x64x12x32xf32>) -> tensor<16x64x4x32xf32>
  %15 = stablehlo.transpose %14, dims = [0, 2, 1, 3] : (tensor<16x64x4x32xf32>) -> tensor<16x4x64x32xf32>
  %16 = stablehlo.slice %arg1 [1:2] : (tensor<2xi64>) -> tensor<1xi64>
  %17 = stablehlo.reshape %16 : (tensor<1xi64>) -> tensor<i64>
  %18 = stablehlo.reshape %arg0 : (tensor<1024x384xf32>) -> tensor<393216xf32>
  %19 = stablehlo.dynamic_slice %18, %17, sizes = [392960] : (tensor<393216xf32>, tensor<i64>) -> tensor<392960xf32>
  %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %21 = stablehlo.pad %19, %20, low = [0], high = [256], interior = [0] : (tensor<392960xf32>, tensor<f32>) -> tensor<393216xf32>
  %22 = stablehlo.reshape %21 : (tensor<393216xf32>) -> tensor<16x64x12x32xf32>
  %23 = stablehlo.slice %22 [0:16, 0:64, 0:4, 0:32] : (tensor<16x64x12x32xf32>) -> tensor<16x64x4x32xf32>
  %24 = stablehlo.transpose %23, dims = [0, 2, 1, 3] : (tensor<16x64x4x32xf32>) -> tensor<16x4x64x32xf32>
  %25 = stablehlo.constant dense<1.7677669e-01> : tensor<f32>
  %26 = stablehlo.dot_general %6, %15, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST] : (tensor<16x4x64x32xf32>, tensor<16x4x64x32xf32>) -> tensor<16x4x64x64xf32>
  %27 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<16x4x64x64xf32>
  %28 = stablehlo.multiply %26, %27 : tensor<16x4x64x64xf32>
  %29 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %30 = stablehlo.iota dim = 2 : tensor<16x4x64x64xi32>
  %31 = stablehlo.iota dim = 3 : tensor<16x4x64x64xi32>
  %32 = stablehlo.compare LE, %31, %30 : (tensor<16x4x64x64xi32>, tensor<16x4x64x64xi32>) -> tensor<16x4x64x64xi1>
  %33 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<16x4x64x64xf32>
  %34 = stablehlo.select %32, %28, %33 : tensor<16x4x64x64xi1>, tensor<16x4x64x64xf32>
  %35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %37 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %38 = stablehlo.reduce(%34 init: %37) applies stablehlo.maximum across dimensions = [3] : (tensor<16x4x64x64xf32>, tensor<f32>) -> tensor<16x4x64xf32>
  %39 = stablehlo.reshape %38 : (tensor<16x4x64xf32>) -> tensor<16x4x64x1xf32>
  %40 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<16x4x64x1xf32>
  %42 = stablehlo.compare EQ, %39, %41 : (tensor<16x4x64x1xf32>, tensor<16x4x64x1xf32>) -> tensor<16x4x64x1xi1>
  %43 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f32>) -> tensor<16x4x64x1xf32>
  %44 = stablehlo.select %42, %43, %39 : tensor<16x4x64x1xi1>, tensor<16x4x64x1xf32>
  %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2, 3] : (tensor<16x4x64x1xf32>) -> tensor<16x4x64x64xf32>
  %46 = stablehlo.subtract %34, %45 : tensor<16x4x64x64xf32>
  %47 = stablehlo.exponential %46 : tensor<16x4x64x64xf32>
  %48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %49 = stablehlo.reduce(%47 init: %48) applies stablehlo.add across dimensions = [3] : (tensor<16x4x64x64xf32>, tensor<f32>) -> tensor<16x4x64xf32>
  %50 = stablehlo.reshape %49 : (tensor<16x4x64xf32>) -> tensor<16x4x64x1xf32>
  %51 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f32>) -> tensor<16x4x64x1xf32>
  %52 = stablehlo.compare EQ, %50, %51 : (tensor<16x4x64x1xf32>, tensor<16x4x64x1xf32>) -> tensor<16x4x64x1xi1>
  %53 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<16x4x64x1xf32>
  %54 = stablehlo.select %52, %53, %50 : tensor<16x4x64x1xi1>, tensor<16x4x64x1xf32>
  %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2, 3] : (tensor<16x4x64x1xf32>) -> tensor<16x4x64x64xf32>
  %56 = stablehlo.divide %47, %55 : tensor<16x4x64x64xf32>
  %57 = stablehlo.log %50 : tensor<16x4x64x1xf32>
  %58 = stablehlo.add %44, %57 : tensor<16x4x64x1xf32>
  %59 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %60 = stablehlo.broadcast_in_dim %59, dims = [] : (tensor<f32>) -> tensor<16x4x64x1xf32>
  %61 = stablehlo.select %52, %60, %58 : tensor<16x4x64x1xi1>, tensor<16x4x64x1xf32>
  %62 = stablehlo.dot_general %56, %24, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [HIGHEST, HIGHEST] : (tensor<16x4x64x64xf32>, tensor<16x4x64x32xf32>) -> tensor<16x4x64x32xf32>
  %63 = stablehlo.constant dense<0> : tensor<i64>
  %64 = stablehlo.reshape %61 : (tensor<16x4x64x1xf32>) -> tensor<16x4x64xf32>
  return %62, %64, %63, %63 : tensor<16x4x64x32xf32>, tensor<16x4x64xf32>, tensor<i64>, tensor<i64>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<16x4x64x32xf32>) -> tensor<16x64x4x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x4x64x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<16x4x64x32xf32>
  %2 = stablehlo.transpose %1, dims = [0, 2, 1, 3] : (tensor<16x4x64x32xf32>) -> tensor<16x64x4x32xf32>
  return %2 : tensor<16x64x4x32xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<16x64x4x32xf32>, %arg1: tensor<128x128xf32>, %arg2: tensor<128xf32>) -> tensor<1024x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x4x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x128xf32>) -> tensor<16384xf32>
  %3 = stablehlo.reshape %2 : (tensor<16384xf32>) -> tensor<128x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x128xf32>, tensor<128x128xf32>) -> tensor<1024x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<128xf32>) -> tensor<1024x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<1024x128xf32>
  return %7 : tensor<1024x128xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<1024x128xf32>) -> tensor<16x64x128xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<1024x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<16x64x128xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<16x64x128xf32>
  return %2 : tensor<16x64x128xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<128x512xf32>, %arg2: tensor<512xf32>) -> tensor<1024x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x512xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<512x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<512x128xf32>) -> tensor<128x512xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x128xf32>, tensor<128x512xf32>) -> tensor<1024x512xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<512xf32>) -> tensor<1024x512xf32>
  %7 = stablehlo.add %5, %6 : tensor<1024x512xf32>
  return %7 : tensor<1024x512xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<1024x512xf32>) -> tensor<16x64x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x512xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<16x64x512xf32>
  %2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<16x64x512xf32>
  %4 = stablehlo.multiply %1, %3 : tensor<16x64x512xf32>
  %5 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<16x64x512xf32>
  %7 = stablehlo.multiply %1, %6 : tensor<16x64x512xf32>
  %8 = chlo.erf %7 : tensor<16x64x512xf32> -> tensor<16x64x512xf32>
  %9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<16x64x512xf32>
  %11 = stablehlo.add %8, %10 : tensor<16x64x512xf32>
  %12 = stablehlo.multiply %4, %11 : tensor<16x64x512xf32>
  return %12 : tensor<16x64x512xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<16x64x512xf32>, %arg1: tensor<512x128xf32>, %arg2: tensor<128xf32>) -> tensor<1024x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x512xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<1024x512xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<512x128xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<128x512xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x512xf32>) -> tensor<512x128xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x512xf32>, tensor<512x128xf32>) -> tensor<1024x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<128xf32>) -> tensor<1024x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<1024x128xf32>
  return %7 : tensor<1024x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<96x128xf32>) -> tensor<1024x96xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<96x128xf32>) -> tensor<12288xf32>
  %3 = stablehlo.reshape %2 : (tensor<12288xf32>) -> tensor<96x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<96x128xf32>) -> tensor<128x96xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x128xf32>, tensor<128x96xf32>) -> tensor<1024x96xf32>
  return %5 : tensor<1024x96xf32>
}
// -----
// compiled for _log_softmax.out
func.func @main(%arg0: tensor<1024x96xf32>) -> tensor<1024x96xf32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<1024x96xf32>, tensor<f32>) -> tensor<1024xf32>
  %2 = stablehlo.reshape %1 : (tensor<1024xf32>) -> tensor<1024x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x96xf32>
  %4 = stablehlo.subtract %arg0, %3 : tensor<1024x96xf32>
  %5 = stablehlo.exponential %4 : tensor<1024x96xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<1024x96xf32>, tensor<f32>) -> tensor<1024xf32>
  %8 = stablehlo.reshape %7 : (tensor<1024xf32>) -> tensor<1024x1xf32>
  %9 = stablehlo.log %8 : tensor<1024x1xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x96xf32>
  %11 = stablehlo.subtract %4, %10 : tensor<1024x96xf32>
  return %11 : tensor<1024x96xf32>
}
// -----
// compiled for nll_loss_forward.output
func.func @main(%arg0: tensor<1024x96xf32>, %arg1: tensor<1024xi64>) -> (tensor<f32>, tensor<f32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<-100> : tensor<i64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %2 = stablehlo.compare NE, %arg1, %1 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %3 = stablehlo.constant dense<0> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %5 = stablehlo.select %2, %arg1, %4 : tensor<1024xi1>, tensor<1024xi64>
  %6 = stablehlo.constant dense<1024> : tensor<i64>
  %7 = stablehlo.constant dense<96> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %9 = stablehlo.compare GE, %5, %8 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %10 = stablehlo.constant dense<0> : tensor<i64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %12 = stablehlo.compare LT, %5, %11 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %13 = stablehlo.or %12, %9 : tensor<1024xi1>
  %14 = stablehlo.iota dim = 0 : tensor<1024xi64>
  %15 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %16 = stablehlo.select %13, %14, %15 : tensor<1024xi1>, tensor<1024xi64>
  %17 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.minimum across dimensions = [0] : (tensor<1024xi64>, tensor<i64>) -> tensor<i64>
  %19 = stablehlo.constant dense<1023> : tensor<i64>
  %20 = stablehlo.minimum %18, %19 : tensor<i64>
  %21 = stablehlo.compare LT, %18, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %22 = stablehlo.convert %21 : (tensor<i1>) -> tensor<i64>
  %23 = stablehlo.reshape %22 : (tensor<i64>) -> tensor<1xi64>
  %24 = stablehlo.dynamic_slice %5, %20, sizes = [1] : (tensor<1024xi64>, tensor<i64>) -> tensor<1xi64>
  %25 = stablehlo.convert %2 : (tensor<1024xi1>) -> tensor<1024xf32>
  %26 = stablehlo.reshape %5 : (tensor<1024xi64>) -> tensor<1024x1xi64>
  %27 = "stablehlo.gather"(%arg0, %26) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<1024x96xf32>, tensor<1024x1xi64>) -> tensor<1024x1xf32>
  %28 = stablehlo.reshape %27 : (tensor<1024x1xf32>) -> tensor<1024xf32>
  %29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %30 = stablehlo.multiply %28, %25 : tensor<1024xf32>
  %31 = stablehlo.negate %30 : tensor<1024xf32>
  %32 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %33 = stablehlo.select %2, %31, %32 : tensor<1024xi1>, tensor<1024xf32>
  %34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %35 = stablehlo.reduce(%25 init: %34) applies stablehlo.add across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
  %36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %37 = stablehlo.reduce(%33 init: %36) applies stablehlo.add across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
  %38 = stablehlo.divide %37, %35 : tensor<f32>
  %39 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %38, %35, %39 : tensor<f32>, tensor<f32>, tensor<2xi64>
}
// -----
// compiled for nll_loss_backward.grad_input
func.func @main(%arg0: tensor<1024x96xf32>, %arg1: tensor<1024xi64>, %arg2: tensor<f32>, %arg3: tensor<f32>) -> (tensor<1024x96xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<-100> : tensor<i64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %2 = stablehlo.compare NE, %arg1, %1 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %3 = stablehlo.constant dense<0> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %5 = stablehlo.select %2, %arg1, %4 : tensor<1024xi1>, tensor<1024xi64>
  %6 = stablehlo.constant dense<1024> : tensor<i64>
  %7 = stablehlo.constant dense<96> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %9 = stablehlo.compare GE, %5, %8 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %10 = stablehlo.constant dense<0> : tensor<i64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %12 = stablehlo.compare LT, %5, %11 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %13 = stablehlo.or %12, %9 : tensor<1024xi1>
  %14 = stablehlo.iota dim = 0 : tensor<1024xi64>
  %15 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %16 = stablehlo.select %13, %14, %15 : tensor<1024xi1>, tensor<1024xi64>
  %17 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.minimum across dimensions = [0] : (tensor<1024xi64>, tensor<i64>) -> tensor<i64>
  %19 = stablehlo.constant dense<1023> : tensor<i64>
  %20 = stablehlo.minimum %18, %19 : tensor<i64>
  %21 = stablehlo.compare LT, %18, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %22 = stablehlo.convert %21 : (tensor<i1>) -> tensor<i64>
  %23 = stablehlo.reshape %22 : (tensor<i64>) -> tensor<1xi64>
  %24 = stablehlo.dynamic_slice %5, %20, sizes = [1] : (tensor<1024xi64>, tensor<i64>) -> tensor<1xi64>
  %25 = stablehlo.convert %2 : (tensor<1024xi1>) -> tensor<1024xf32>
  %26 = stablehlo.divide %arg2, %arg3 : tensor<f32>
  %27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %28 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %29 = stablehlo.multiply %25, %28 : tensor<1024xf32>
  %30 = stablehlo.negate %29 : tensor<1024xf32>
  %31 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %32 = stablehlo.select %2, %30, %31 : tensor<1024xi1>, tensor<1024xf32>
  %33 = stablehlo.reshape %5 : (tensor<1024xi64>) -> tensor<1024x1xi64>
  %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<1024x1xi64>) -> tensor<1024x96xi64>
  %35 = stablehlo.iota dim = 1 : tensor<1024x96xi64>
  %36 = stablehlo.compare EQ, %35, %34 : (tensor<1024x96xi64>, tensor<1024x96xi64>) -> tensor<1024x96xi1>
  %37 = stablehlo.reshape %32 : (tensor<1024xf32>) -> tensor<1024x1xf32>
  %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x96xf32>
  %39 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<1024x96xf32>
  %40 = stablehlo.select %36, %38, %39 : tensor<1024x96xi1>, tensor<1024x96xf32>
  %41 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %40, %41 : tensor<1024x96xf32>, tensor<2xi64>
}
// -----
// compiled for _log_softmax_backward_data.out
func.func @main(%arg0: tensor<1024x96xf32>, %arg1: tensor<1024x96xf32>) -> tensor<1024x96xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<1024x96xf32>, tensor<f32>) -> tensor<1024xf32>
  %2 = stablehlo.reshape %1 : (tensor<1024xf32>) -> tensor<1024x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x96xf32>
  %4 = stablehlo.exponential %arg1 : tensor<1024x96xf32>
  %5 = stablehlo.multiply %4, %3 : tensor<1024x96xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<1024x96xf32>
  return %6 : tensor<1024x96xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<1024x96xf32>, %arg1: tensor<16x64x128xf32>) -> tensor<96x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x96xf32>) -> tensor<98304xf32>
  %1 = stablehlo.reshape %0 : (tensor<98304xf32>) -> tensor<1024x96xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x96xf32>) -> tensor<96x1024xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %4 = stablehlo.reshape %3 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<96x1024xf32>, tensor<1024x128xf32>) -> tensor<96x128xf32>
  return %5 : tensor<96x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<1024x96xf32>, %arg1: tensor<96x128xf32>) -> tensor<1024x128xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x96xf32>, tensor<96x128xf32>) -> tensor<1024x128xf32>
  return %0 : tensor<1024x128xf32>
}
// -----
// compiled for native_layer_norm_backward
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<1024x128xf32>, %arg2: tensor<16x64x1xf32>, %arg3: tensor<16x64x1xf32>, %arg4: tensor<128xf32>) -> (tensor<16x64x128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %0 = stablehlo.reshape %arg1 : (tensor<1024x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<16x64x128xf32>
  %2 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1, 2] : (tensor<16x64x1xf32>) -> tensor<16x64x128xf32>
  %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<16x64x1xf32>) -> tensor<16x64x128xf32>
  %4 = stablehlo.subtract %arg0, %3 : tensor<16x64x128xf32>
  %5 = stablehlo.multiply %4, %2 : tensor<16x64x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<128xf32>) -> tensor<16x64x128xf32>
  %7 = stablehlo.multiply %1, %6 : tensor<16x64x128xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [2] : (tensor<16x64x128xf32>, tensor<f32>) -> tensor<16x64xf32>
  %10 = stablehlo.reshape %9 : (tensor<16x64xf32>) -> tensor<16x64x1xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<16x64x1xf32>) -> tensor<16x64x128xf32>
  %12 = stablehlo.constant dense<7.812500e-03> : tensor<f32>
  %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<16x64x128xf32>
  %14 = stablehlo.multiply %11, %13 : tensor<16x64x128xf32>
  %15 = stablehlo.subtract %7, %14 : tensor<16x64x128xf32>
  %16 = stablehlo.multiply %7, %5 : tensor<16x64x128xf32>
  %17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.add across dimensions = [2] : (tensor<16x64x128xf32>, tensor<f32>) -> tensor<16x64xf32>
  %19 = stablehlo.reshape %18 : (tensor<16x64xf32>) -> tensor<16x64x1xf32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<16x64x1xf32>) -> tensor<16x64x128xf32>
  %21 = stablehlo.constant dense<7.812500e-03> : tensor<f32>
  %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f32>) -> tensor<16x64x128xf32>
  %23 = stablehlo.multiply %20, %22 : tensor<16x64x128xf32>
  %24 = stablehlo.multiply %5, %23 : tensor<16x64x128xf32>
  %25 = stablehlo.subtract %15, %24 : tensor<16x64x128xf32>
  %26 = stablehlo.multiply %25, %2 : tensor<16x64x128xf32>
  %27 = stablehlo.multiply %1, %5 : tensor<16x64x128xf32>
  %28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %29 = stablehlo.reduce(%27 init: %28) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x64x128xf32>, tensor<f32>) -> tensor<128xf32>
  %30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %31 = stablehlo.reduce(%1 init: %30) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x64x128xf32>, tensor<f32>) -> tensor<128xf32>
  return %26, %29, %31 : tensor<16x64x128xf32>, tensor<128xf32>, tensor<128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<512x128xf32>) -> tensor<1024x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<512x128xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<128x512xf32>
  %4 = stablehlo.dot_general %1, %3, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x128xf32>, tensor<128x512xf32>) -> tensor<1024x512xf32>
  return %4 : tensor<1024x512xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<16x64x512xf32>) -> tensor<128x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x128xf32>) -> tensor<128x1024xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<16x64x512xf32>) -> tensor<524288xf32>
  %4 = stablehlo.reshape %3 : (tensor<524288xf32>) -> tensor<1024x512xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<128x1024xf32>, tensor<1024x512xf32>) -> tensor<128x512xf32>
  return %5 : tensor<128x512xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<16x64x128xf32>) -> tensor<1x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<1024x128xf32>, tensor<f32>) -> tensor<128xf32>
  %4 = stablehlo.reshape %3 : (tensor<128xf32>) -> tensor<1x128xf32>
  return %4 : tensor<1x128xf32>
}
// -----
// compiled for gelu_backward.grad_input
func.func @main(%arg0: tensor<1024x512xf32>, %arg1: tensor<1024x512xf32>) -> tensor<16x64x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x512xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<16x64x512xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<1024x512xf32>) -> tensor<524288xf32>
  %3 = stablehlo.reshape %2 : (tensor<524288xf32>) -> tensor<16x64x512xf32>
  %4 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<16x64x512xf32>
  %6 = stablehlo.multiply %3, %5 : tensor<16x64x512xf32>
  %7 = chlo.erf %6 : tensor<16x64x512xf32> -> tensor<16x64x512xf32>
  %8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<16x64x512xf32>
  %10 = stablehlo.add %7, %9 : tensor<16x64x512xf32>
  %11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<16x64x512xf32>
  %13 = stablehlo.multiply %10, %12 : tensor<16x64x512xf32>
  %14 = stablehlo.multiply %3, %3 : tensor<16x64x512xf32>
  %15 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<16x64x512xf32>
  %17 = stablehlo.multiply %14, %16 : tensor<16x64x512xf32>
  %18 = stablehlo.exponential %17 : tensor<16x64x512xf32>
  %19 = stablehlo.constant dense<3.989423e-01> : tensor<f32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<16x64x512xf32>
  %21 = stablehlo.multiply %18, %20 : tensor<16x64x512xf32>
  %22 = stablehlo.multiply %3, %21 : tensor<16x64x512xf32>
  %23 = stablehlo.add %13, %22 : tensor<16x64x512xf32>
  %24 = stablehlo.multiply %1, %23 : tensor<16x64x512xf32>
  return %24 : tensor<16x64x512xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x512xf32>, %arg1: tensor<128x512xf32>) -> tensor<1024x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x512xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<1024x512xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x512xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<512x128xf32>
  %4 = stablehlo.dot_general %1, %3, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x512xf32>, tensor<512x128xf32>) -> tensor<1024x128xf32>
  return %4 : tensor<1024x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x512xf32>, %arg1: tensor<16x64x128xf32>) -> tensor<512x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x512xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<1024x512xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x512xf32>) -> tensor<512x1024xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %4 = stablehlo.reshape %3 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x1024xf32>, tensor<1024x128xf32>) -> tensor<512x128xf32>
  return %5 : tensor<512x128xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<16x64x512xf32>) -> tensor<1x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x512xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<1024x512xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<1024x512xf32>, tensor<f32>) -> tensor<512xf32>
  %4 = stablehlo.reshape %3 : (tensor<512xf32>) -> tensor<1x512xf32>
  return %4 : tensor<1x512xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<16x64x128xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<16x64x128xf32>) -> tensor<16x64x128xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<16x64x128xf32>
  return %0 : tensor<16x64x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<128x128xf32>) -> tensor<1024x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x128xf32>, tensor<128x128xf32>) -> tensor<1024x128xf32>
  return %2 : tensor<1024x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<16x64x4x32xf32>) -> tensor<128x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x128xf32>) -> tensor<128x1024xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<16x64x4x32xf32>) -> tensor<131072xf32>
  %4 = stablehlo.reshape %3 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<128x1024xf32>, tensor<1024x128xf32>) -> tensor<128x128xf32>
  return %5 : tensor<128x128xf32>
}
// -----
// compiled for _scaled_dot_product_fused_attention_overrideable_backward
func.func @main(%arg0: tensor<1024x384xf32>, %arg1: tensor<1024x128xf32>, %arg2: tensor<16x4x64xf32>, %arg3: tensor<16x4x64x32xf32>, %arg4: tensor<2xi64>) -> (tensor<16x4x64x32xf32>, tensor<16x4x64x32xf32>, tensor<16x4x64x32xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x384xf32>) -> tensor<393216xf32>
  %1 = stablehlo.slice %0 [0:392960] : (tensor<393216xf32>) -> tensor<392960xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.pad %1, %2, low = [0], high = [256], interior = [0] : (tensor<392960xf32>, tensor<f32>) -> tensor<393216xf32>
  %4 = stablehlo.reshape %3 : (tensor<393216xf32>) -> tensor<16x64x12x32xf32>
  %5 = stablehlo.slice %4 [0:16, 0:64, 0:4, 0:32] : (tensor<16x64x12x32xf32>) -> tensor<16x64x4x32xf32>
  %6 = stablehlo.transpose %5, dims = [0, 2, 1, 3] : (tensor<16x64x4x32xf32>) -> tensor<16x4x64x32xf32>
  %7 = stablehlo.slice %arg4 [0:1] : (tensor<2xi64>) -> tensor<1xi64>
  %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
  %9 = stablehlo.reshape %arg0 : (tensor<1024x384xf32>) -> tensor<393216xf32>
  %10 = stablehlo.dynamic_slice %9, %8, sizes = [392960] : (tensor<393216xf32>, tensor<i64>) -> tensor<392960xf32>
  %11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %12 = stablehlo.pad %10, %11, low = [0], high = [256], interior = [0] : (tensor<392960xf32>, tensor<f32>) -> tensor<393216xf32>
  %13 = stablehlo.reshape %12 : (tensor<393216xf32>) -> tensor<16x64x12x32xf32>
  %14 = stablehlo.slice %13 [0:16, 0:64, 0:4, 0:32] : (tensor<16x64x12x32xf32>) -> tensor<16x64x4x32xf32>
  %15 = stablehlo.transpose %14, dims = [0, 2, 1, 3] : (tensor<16x64x4x32xf32>) -> tensor<16x4x64x32xf32>
  %16 = stablehlo.slice %arg4 [1:2] : (tensor<2xi64>) -> tensor<1xi64>
  %17 = stablehlo.reshape %16 : (tensor<1xi64>) -> tensor<i64>
  %18 = stablehlo.reshape %arg0 : (tensor<1024x384xf32>) -> tensor<393216xf32>
  %19 = stablehlo.dynamic_slice %18, %17, sizes = [392960] : (tensor<393216xf32>, tensor<i64>) -> tensor<392960xf32>
  %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %21 = stablehlo.pad %19, %20, low = [0], high = [256], interior = [0] : (tensor<392960xf32>, tensor<f32>) -> tensor<393216xf32>
  %22 = stablehlo.reshape %21 : (tensor<393216xf32>) -> tensor<16x64x12x32xf32>
  %23 = stablehlo.slice %22 [0:16, 0:64, 0:4, 0:32] : (tensor<16x64x12x32xf32>) -> tensor<16x64x4x32xf32>
  %24 = stablehlo.transpose %23, dims = [0, 2, 1, 3] : (tensor<16x64x4x32xf32>) -> tensor<16x4x64x32xf32>
  %25 = stablehlo.reshape %arg1 : (tensor<1024x128xf32>) -> tensor<131072xf32>
  %26 = stablehlo.reshape %25 : (tensor<131072xf32>) -> tensor<16x64x4x32xf32>
  %27 = stablehlo.transpose %26, dims = [0, 2, 1, 3] : (tensor<16x64x4x32xf32>) -> tensor<16x4x64x32xf32>
  %28 = stablehlo.constant dense<1.7677669e-01> : tensor<f32>
  %29 = stablehlo.dot_general %6, %15, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST] : (tensor<16x4x64x32xf32>, tensor<16x4x64x32xf32>) -> tensor<16x4x64x64xf32>
  %30 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<16x4x64x64xf32>
  %31 = stablehlo.multiply %29, %30 : tensor<16x4x64x64xf32>
  %32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %33 = stablehlo.iota dim = 2 : tensor<16x4x64x64xi32>
  %34 = stablehlo.iota dim = 3 : tensor<16x4x64x64xi32>
  %35 = stablehlo.compare LE, %34, %33 : (tensor<16x4x64x64xi32>, tensor<16x4x64x64xi32>) -> tensor<16x4x64x64xi1>
  %36 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<16x4x64x64xf32>
  %37 = stablehlo.select %35, %31, %36 : tensor<16x4x64x64xi1>, tensor<16x4x64x64xf32>
  %38 = stablehlo.reshape %arg2 : (tensor<16x4x64xf32>) -> tensor<16x4x64x1xf32>
  %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2, 3] : (tensor<16x4x64x1xf32>) -> tensor<16x4x64x64xf32>
  %40 = stablehlo.subtract %37, %39 : tensor<16x4x64x64xf32>
  %41 = stablehlo.exponential %40 : tensor<16x4x64x64xf32>
  %42 = stablehlo.dot_general %27, %24, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST] : (tensor<16x4x64x32xf32>, tensor<16x4x64x32xf32>) -> tensor<16x4x64x64xf32>
  %43 = stablehlo.multiply %27, %arg3 : tensor<16x4x64x32xf32>
  %44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %45 = stablehlo.reduce(%43 init: %44) applies stablehlo.add across dimensions = [3] : (tensor<16x4x64x32xf32>, tensor<f32>) -> tensor<16x4x64xf32>
  %46 = stablehlo.reshape %45 : (tensor<16x4x64xf32>) -> tensor<16x4x64x1xf32>
  %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<16x4x64x1xf32>) -> tensor<16x4x64x64xf32>
  %48 = stablehlo.subtract %42, %47 : tensor<16x4x64x64xf32>
  %49 = stablehlo.multiply %41, %48 : tensor<16x4x64x64xf32>
  %50 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<16x4x64x64xf32>
  %51 = stablehlo.multiply %49, %50 : tensor<16x4x64x64xf32>
  %52 = stablehlo.dot_general %51, %15, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [HIGHEST, HIGHEST] : (tensor<16x4x64x64xf32>, tensor<16x4x64x32xf32>) -> tensor<16x4x64x32xf32>
  %53 = stablehlo.dot_general %51, %6, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [HIGHEST, HIGHEST] : (tensor<16x4x64x64xf32>, tensor<16x4x64x32xf32>) -> tensor<16x4x64x32xf32>
  %54 = stablehlo.dot_general %41, %27, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [HIGHEST, HIGHEST] : (tensor<16x4x64x64xf32>, tensor<16x4x64x32xf32>) -> tensor<16x4x64x32xf32>
  return %52, %53, %54 : tensor<16x4x64x32xf32>, tensor<16x4x64x32xf32>, tensor<16x4x64x32xf32>
}
// -----
// compiled for cat.out
func.func @main(%arg0: tensor<16x64x4x32xf32>, %arg1: tensor<16x64x4x32xf32>, %arg2: tensor<16x64x4x32xf32>) -> tensor<16x64x384xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x4x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<16x64x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<16x64x4x32xf32>) -> tensor<131072xf32>
  %3 = stablehlo.reshape %2 : (tensor<131072xf32>) -> tensor<16x64x128xf32>
  %4 = stablehlo.reshape %arg2 : (tensor<16x64x4x32xf32>) -> tensor<131072xf32>
  %5 = stablehlo.reshape %4 : (tensor<131072xf32>) -> tensor<16x64x128xf32>
  %6 = stablehlo.concatenate %1, %3, %5, dim = 2 : (tensor<16x64x128xf32>, tensor<16x64x128xf32>, tensor<16x64x128xf32>) -> tensor<16x64x384xf32>
  return %6 : tensor<16x64x384xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x384xf32>, %arg1: tensor<128x384xf32>) -> tensor<1024x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x384xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<1024x384xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x384xf32>) -> tensor<49152xf32>
  %3 = stablehlo.reshape %2 : (tensor<49152xf32>) -> tensor<384x128xf32>
  %4 = stablehlo.dot_general %1, %3, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x384xf32>, tensor<384x128xf32>) -> tensor<1024x128xf32>
  return %4 : tensor<1024x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x384xf32>, %arg1: tensor<16x64x128xf32>) -> tensor<384x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x384xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<1024x384xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x384xf32>) -> tensor<384x1024xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %4 = stablehlo.reshape %3 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<384x1024xf32>, tensor<1024x128xf32>) -> tensor<384x128xf32>
  return %5 : tensor<384x128xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<16x64x384xf32>) -> tensor<1x384xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x384xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<1024x384xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<1024x384xf32>, tensor<f32>) -> tensor<384xf32>
  %4 = stablehlo.reshape %3 : (tensor<384xf32>) -> tensor<1x384xf32>
  return %4 : tensor<1x384xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<16x64x128xf32>) -> tensor<1x64x128xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<16x64x128xf32>, tensor<f32>) -> tensor<64x128xf32>
  %2 = stablehlo.reshape %1 : (tensor<64x128xf32>) -> tensor<1x64x128xf32>
  return %2 : tensor<1x64x128xf32>
}
// -----
// compiled for embedding_dense_backward
func.func @main(%arg0: tensor<1x64x128xf32>, %arg1: tensor<64xi64>) -> (tensor<64x128xf32>, tensor<2xi64>) {
  %0 = stablehlo.reshape %arg0 : (tensor<1x64x128xf32>) -> tensor<8192xf32>
  %1 = stablehlo.reshape %0 : (tensor<8192xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.constant dense<64> : tensor<i64>
  %3 = stablehlo.constant dense<64> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %5 = stablehlo.compare GE, %arg1, %4 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %6 = stablehlo.constant dense<0> : tensor<i64>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %8 = stablehlo.compare LT, %arg1, %7 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  %9 = stablehlo.or %8, %5 : tensor<64xi1>
  %10 = stablehlo.iota dim = 0 : tensor<64xi64>
  %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i64>) -> tensor<64xi64>
  %12 = stablehlo.select %9, %10, %11 : tensor<64xi1>, tensor<64xi64>
  %13 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %14 = stablehlo.reduce(%12 init: %13) applies stablehlo.minimum across dimensions = [0] : (tensor<64xi64>, tensor<i64>) -> tensor<i64>
  %15 = stablehlo.constant dense<63> : tensor<i64>
  %16 = stablehlo.minimum %14, %15 : tensor<i64>
  %17 = stablehlo.compare LT, %14, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %18 = stablehlo.convert %17 : (tensor<i1>) -> tensor<i64>
  %19 = stablehlo.reshape %18 : (tensor<i64>) -> tensor<1xi64>
  %20 = stablehlo.dynamic_slice %arg1, %16, sizes = [1] : (tensor<64xi64>, tensor<i64>) -> tensor<1xi64>
  %21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %24 = "stablehlo.scatter"(%23, %arg1, %1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %25 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %25 : tensor<f32>
  }) : (tensor<64x128xf32>, tensor<64xi64>, tensor<64x128xf32>) -> tensor<64x128xf32>
  %26 = stablehlo.concatenate %19, %20, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %24, %26 : tensor<64x128xf32>, tensor<2xi64>
}
// -----
// compiled for embedding_dense_backward
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<1024xi64>) -> (tensor<96x128xf32>, tensor<2xi64>) {
  %0 = stablehlo.reshape %arg1 : (tensor<1024xi64>) -> tensor<16x64xi64>
  %1 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.reshape %0 : (tensor<16x64xi64>) -> tensor<1024xi64>
  %3 = stablehlo.constant dense<1024> : tensor<i64>
  %4 = stablehlo.constant dense<96> : tensor<i64>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %6 = stablehlo.compare GE, %2, %5 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %7 = stablehlo.constant dense<0> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %9 = stablehlo.compare LT, %2, %8 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %10 = stablehlo.or %9, %6 : tensor<1024xi1>
  %11 = stablehlo.iota dim = 0 : tensor<1024xi64>
  %12 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %13 = stablehlo.select %10, %11, %12 : tensor<1024xi1>, tensor<1024xi64>
  %14 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.minimum across dimensions = [0] : (tensor<1024xi64>, tensor<i64>) -> tensor<i64>
  %16 = stablehlo.constant dense<1023> : tensor<i64>
  %17 = stablehlo.minimum %15, %16 : tensor<i64>
  %18 = stablehlo.compare LT, %15, %3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %19 = stablehlo.convert %18 : (tensor<i1>) -> tensor<i64>
  %20 = stablehlo.reshape %19 : (tensor<i64>) -> tensor<1xi64>
  %21 = stablehlo.dynamic_slice %2, %17, sizes = [1] : (tensor<1024xi64>, tensor<i64>) -> tensor<1xi64>
  %22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<96x128xf32>
  %25 = "stablehlo.scatter"(%24, %2, %1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %26 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %26 : tensor<f32>
  }) : (tensor<96x128xf32>, tensor<1024xi64>, tensor<1024x128xf32>) -> tensor<96x128xf32>
  %27 = stablehlo.concatenate %20, %21, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %25, %27 : tensor<96x128xf32>, tensor<2xi64>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<96x128xf32>, %arg1: tensor<96x128xf32>) -> tensor<96x128xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<96x128xf32>
  return %0 : tensor<96x128xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<96x128xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<96x128xf32>
  return %1 : tensor<96x128xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<64x128xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<128xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<128xf32>
  return %1 : tensor<128xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<384x128xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  return %1 : tensor<384x128xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<384xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<384xf32>
  return %1 : tensor<384xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<128x128xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  return %1 : tensor<128x128xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<512x128xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  return %1 : tensor<512x128xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<512xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<512xf32>
  return %1 : tensor<512xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<128x512xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  return %1 : tensor<128x512xf32>
}
// -----
// compiled for _foreach_mul_.Scalar
func.func @main(%arg0: tensor<96x128xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64x128xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<128xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<128xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<128xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<128xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<128x384xf32>, %arg7: tensor<384xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<128x128xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<128xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<128x512xf32>, %arg11: tensor<512xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<512x128xf32>, %arg13: tensor<128xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<128xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<128xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<128xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<128xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<128x384xf32>, %arg19: tensor<384xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<128x128xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<128xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<128x512xf32>, %arg23: tensor<512xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<512x128xf32>, %arg25: tensor<128xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<128xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<128xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<128xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<128xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<128x384xf32>, %arg31: tensor<384xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<128x128xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<128xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<128x512xf32>, %arg35: tensor<512xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<512x128xf32>, %arg37: tensor<128xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<128xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<128xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<128xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<128xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<128x384xf32>, %arg43: tensor<384xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<128x128xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<128xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<128x512xf32>, %arg47: tensor<512xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<512x128xf32>, %arg49: tensor<128xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<128xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<128xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<f32>) -> (tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %0 = stablehlo.reshape %arg6 : (tensor<128x384xf32>) -> tensor<49152xf32>
  %1 = stablehlo.reshape %0 : (tensor<49152xf32>) -> tensor<384x128xf32>
  %2 = stablehlo.reshape %arg10 : (tensor<128x512xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<512x128xf32>
  %4 = stablehlo.reshape %arg12 : (tensor<512x128xf32>) -> tensor<65536xf32>
  %5 = stablehlo.reshape %4 : (tensor<65536xf32>) -> tensor<128x512xf32>
  %6 = stablehlo.reshape %arg18 : (tensor<128x384xf32>) -> tensor<49152xf32>
  %7 = stablehlo.reshape %6 : (tensor<49152xf32>) -> tensor<384x128xf32>
  %8 = stablehlo.reshape %arg22 : (tensor<128x512xf32>) -> tensor<65536xf32>
  %9 = stablehlo.reshape %8 : (tensor<65536xf32>) -> tensor<512x128xf32>
  %10 = stablehlo.reshape %arg24 : (tensor<512x128xf32>) -> tensor<65536xf32>
  %11 = stablehlo.reshape %10 : (tensor<65536xf32>) -> tensor<128x512xf32>
  %12 = stablehlo.reshape %arg30 : (tensor<128x384xf32>) -> tensor<49152xf32>
  %13 = stablehlo.reshape %12 : (tensor<49152xf32>) -> tensor<384x128xf32>
  %14 = stablehlo.reshape %arg34 : (tensor<128x512xf32>) -> tensor<65536xf32>
  %15 = stablehlo.reshape %14 : (tensor<65536xf32>) -> tensor<512x128xf32>
  %16 = stablehlo.reshape %arg36 : (tensor<512x128xf32>) -> tensor<65536xf32>
  %17 = stablehlo.reshape %16 : (tensor<65536xf32>) -> tensor<128x512xf32>
  %18 = stablehlo.reshape %arg42 : (tensor<128x384xf32>) -> tensor<49152xf32>
  %19 = stablehlo.reshape %18 : (tensor<49152xf32>) -> tensor<384x128xf32>
  %20 = stablehlo.reshape %arg46 : (tensor<128x512xf32>) -> tensor<65536xf32>
  %21 = stablehlo.reshape %20 : (tensor<65536xf32>) -> tensor<512x128xf32>
  %22 = stablehlo.reshape %arg48 : (tensor<512x128xf32>) -> tensor<65536xf32>
  %23 = stablehlo.reshape %22 : (tensor<65536xf32>) -> tensor<128x512xf32>
  %24 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<96x128xf32>
  %25 = stablehlo.multiply %arg0, %24 : tensor<96x128xf32>
  %26 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %27 = stablehlo.multiply %arg1, %26 : tensor<64x128xf32>
  %28 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %29 = stablehlo.multiply %arg2, %28 : tensor<128xf32>
  %30 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %31 = stablehlo.multiply %arg3, %30 : tensor<128xf32>
  %32 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %33 = stablehlo.multiply %arg4, %32 : tensor<128xf32>
  %34 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %35 = stablehlo.multiply %arg5, %34 : tensor<128xf32>
  %36 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %37 = stablehlo.multiply %1, %36 : tensor<384x128xf32>
  %38 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %39 = stablehlo.multiply %arg7, %38 : tensor<384xf32>
  %40 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %41 = stablehlo.multiply %arg8, %40 : tensor<128x128xf32>
  %42 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %43 = stablehlo.multiply %arg9, %42 : tensor<128xf32>
  %44 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %45 = stablehlo.multiply %3, %44 : tensor<512x128xf32>
  %46 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %47 = stablehlo.multiply %arg11, %46 : tensor<512xf32>
  %48 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %49 = stablehlo.multiply %5, %48 : tensor<128x512xf32>
  %50 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %51 = stablehlo.multiply %arg13, %50 : tensor<128xf32>
  %52 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %53 = stablehlo.multiply %arg14, %52 : tensor<128xf32>
  %54 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %55 = stablehlo.multiply %arg15, %54 : tensor<128xf32>
  %56 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %57 = stablehlo.multiply %arg16, %56 : tensor<128xf32>
  %58 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %59 = stablehlo.multiply %arg17, %58 : tensor<128xf32>
  %60 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %61 = stablehlo.multiply %7, %60 : tensor<384x128xf32>
  %62 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %63 = stablehlo.multiply %arg19, %62 : tensor<384xf32>
  %64 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %65 = stablehlo.multiply %arg20, %64 : tensor<128x128xf32>
  %66 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %67 = stablehlo.multiply %arg21, %66 : tensor<128xf32>
  %68 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %69 = stablehlo.multiply %9, %68 : tensor<512x128xf32>
  %70 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %71 = stablehlo.multiply %arg23, %70 : tensor<512xf32>
  %72 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %73 = stablehlo.multiply %11, %72 : tensor<128x512xf32>
  %74 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %75 = stablehlo.multiply %arg25, %74 : tensor<128xf32>
  %76 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %77 = stablehlo.multiply %arg26, %76 : tensor<128xf32>
  %78 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %79 = stablehlo.multiply %arg27, %78 : tensor<128xf32>
  %80 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %81 = stablehlo.multiply %arg28, %80 : tensor<128xf32>
  %82 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %83 = stablehlo.multiply %arg29, %82 : tensor<128xf32>
  %84 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %85 = stablehlo.multiply %13, %84 : tensor<384x128xf32>
  %86 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %87 = stablehlo.multiply %arg31, %86 : tensor<384xf32>
  %88 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %89 = stablehlo.multiply %arg32, %88 : tensor<128x128xf32>
  %90 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %91 = stablehlo.multiply %arg33, %90 : tensor<128xf32>
  %92 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %93 = stablehlo.multiply %15, %92 : tensor<512x128xf32>
  %94 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %95 = stablehlo.multiply %arg35, %94 : tensor<512xf32>
  %96 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %97 = stablehlo.multiply %17, %96 : tensor<128x512xf32>
  %98 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %99 = stablehlo.multiply %arg37, %98 : tensor<128xf32>
  %100 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %101 = stablehlo.multiply %arg38, %100 : tensor<128xf32>
  %102 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %103 = stablehlo.multiply %arg39, %102 : tensor<128xf32>
  %104 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %105 = stablehlo.multiply %arg40, %104 : tensor<128xf32>
  %106 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %107 = stablehlo.multiply %arg41, %106 : tensor<128xf32>
  %108 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %109 = stablehlo.multiply %19, %108 : tensor<384x128xf32>
  %110 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %111 = stablehlo.multiply %arg43, %110 : tensor<384xf32>
  %112 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %113 = stablehlo.multiply %arg44, %112 : tensor<128x128xf32>
  %114 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %115 = stablehlo.multiply %arg45, %114 : tensor<128xf32>
  %116 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %117 = stablehlo.multiply %21, %116 : tensor<512x128xf32>
  %118 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %119 = stablehlo.multiply %arg47, %118 : tensor<512xf32>
  %120 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %121 = stablehlo.multiply %23, %120 : tensor<128x512xf32>
  %122 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %123 = stablehlo.multiply %arg49, %122 : tensor<128xf32>
  %124 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %125 = stablehlo.multiply %arg50, %124 : tensor<128xf32>
  %126 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %127 = stablehlo.multiply %arg51, %126 : tensor<128xf32>
  return %25, %27, %29, %31, %33, %35, %37, %39, %41, %43, %45, %47, %49, %51, %53, %55, %57, %59, %61, %63, %65, %67, %69, %71, %73, %75, %77, %79, %81, %83, %85, %87, %89, %91, %93, %95, %97, %99, %101, %103, %105, %107, %109, %111, %113, %115, %117, %119, %121, %123, %125, %127 : tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
}
// -----
// compiled for _foreach_lerp_.Scalar
func.func @main(%arg0: tensor<96x128xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<96x128xf32>, %arg2: tensor<64x128xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<64x128xf32>, %arg4: tensor<128xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<128xf32>, %arg6: tensor<128xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<128xf32>, %arg8: tensor<128xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<128xf32>, %arg10: tensor<128xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<128xf32>, %arg12: tensor<384x128xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<384x128xf32>, %arg14: tensor<384xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<1x384xf32>, %arg16: tensor<128x128xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<128x128xf32>, %arg18: tensor<128xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<1x128xf32>, %arg20: tensor<512x128xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<512x128xf32>, %arg22: tensor<512xf32> {tf.aliasing_output = 11 : i32}, %arg23: tensor<1x512xf32>, %arg24: tensor<128x512xf32> {tf.aliasing_output = 12 : i32}, %arg25: tensor<128x512xf32>, %arg26: tensor<128xf32> {tf.aliasing_output = 13 : i32}, %arg27: tensor<1x128xf32>, %arg28: tensor<128xf32> {tf.aliasing_output = 14 : i32}, %arg29: tensor<128xf32>, %arg30: tensor<128xf32> {tf.aliasing_output = 15 : i32}, %arg31: tensor<128xf32>, %arg32: tensor<128xf32> {tf.aliasing_output = 16 : i32}, %arg33: tensor<128xf32>, %arg34: tensor<128xf32> {tf.aliasing_output = 17 : i32}, %arg35: tensor<128xf32>, %arg36: tensor<384x128xf32> {tf.aliasing_output = 18 : i32}, %arg37: tensor<384x128xf32>, %arg38: tensor<384xf32> {tf.aliasing_output = 19 : i32}, %arg39: tensor<1x384xf32>, %arg40: tensor<128x128xf32> {tf.aliasing_output = 20 : i32}, %arg41: tensor<128x128xf32>, %arg42: tensor<128xf32> {tf.aliasing_output = 21 : i32}, %arg43: tensor<1x128xf32>, %arg44: tensor<512x128xf32> {tf.aliasing_output = 22 : i32}, %arg45: tensor<512x128xf32>, %arg46: tensor<512xf32> {tf.aliasing_output = 23 : i32}, %arg47: tensor<1x512xf32>, %arg48: tensor<128x512xf32> {tf.aliasing_output = 24 : i32}, %arg49: tensor<128x512xf32>, %arg50: tensor<128xf32> {tf.aliasing_output = 25 : i32}, %arg51: tensor<1x128xf32>, %arg52: tensor<128xf32> {tf.aliasing_output = 26 : i32}, %arg53: tensor<128xf32>, %arg54: tensor<128xf32> {tf.aliasing_output = 27 : i32}, %arg55: tensor<128xf32>, %arg56: tensor<128xf32> {tf.aliasing_output = 28 : i32}, %arg57: tensor<128xf32>, %arg58: tensor<128xf32> {tf.aliasing_output = 29 : i32}, %arg59: tensor<128xf32>, %arg60: tensor<384x128xf32> {tf.aliasing_output = 30 : i32}, %arg61: tensor<384x128xf32>, %arg62: tensor<384xf32> {tf.aliasing_output = 31 : i32}, %arg63: tensor<1x384xf32>, %arg64: tensor<128x128xf32> {tf.aliasing_output = 32 : i32}, %arg65: tensor<128x128xf32>, %arg66: tensor<128xf32> {tf.aliasing_output = 33 : i32}, %arg67: tensor<1x128xf32>, %arg68: tensor<512x128xf32> {tf.aliasing_output = 34 : i32}, %arg69: tensor<512x128xf32>, %arg70: tensor<512xf32> {tf.aliasing_output = 35 : i32}, %arg71: tensor<1x512xf32>, %arg72: tensor<128x512xf32> {tf.aliasing_output = 36 : i32}, %arg73: tensor<128x512xf32>, %arg74: tensor<128xf32> {tf.aliasing_output = 37 : i32}, %arg75: tensor<1x128xf32>, %arg76: tensor<128xf32> {tf.aliasing_output = 38 : i32}, %arg77: tensor<128xf32>, %arg78: tensor<128xf32> {tf.aliasing_output = 39 : i32}, %arg79: tensor<128xf32>, %arg80: tensor<128xf32> {tf.aliasing_output = 40 : i32}, %arg81: tensor<128xf32>, %arg82: tensor<128xf32> {tf.aliasing_output = 41 : i32}, %arg83: tensor<128xf32>, %arg84: tensor<384x128xf32> {tf.aliasing_output = 42 : i32}, %arg85: tensor<384x128xf32>, %arg86: tensor<384xf32> {tf.aliasing_output = 43 : i32}, %arg87: tensor<1x384xf32>, %arg88: tensor<128x128xf32> {tf.aliasing_output = 44 : i32}, %arg89: tensor<128x128xf32>, %arg90: tensor<128xf32> {tf.aliasing_output = 45 : i32}, %arg91: tensor<1x128xf32>, %arg92: tensor<512x128xf32> {tf.aliasing_output = 46 : i32}, %arg93: tensor<512x128xf32>, %arg94: tensor<512xf32> {tf.aliasing_output = 47 : i32}, %arg95: tensor<1x512xf32>, %arg96: tensor<128x512xf32> {tf.aliasing_output = 48 : i32}, %arg97: tensor<128x512xf32>, %arg98: tensor<128xf32> {tf.aliasing_output = 49 : i32}, %arg99: tensor<1x128xf32>, %arg100: tensor<128xf32> {tf.aliasing_output = 50 : i32}, %arg101: tensor<128xf32>, %arg102: tensor<128xf32> {tf.aliasing_output = 51 : i32}, %arg103: tensor<128xf32>, %arg104: tensor<f32>, %arg105: tensor<f32>) -> (tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %0 = stablehlo.reshape %arg15 : (tensor<1x384xf32>) -> tensor<384xf32>
  %1 = stablehlo.reshape %arg19 : (tensor<1x128xf32>) -> tensor<128xf32>
  %2 = stablehlo.reshape %arg23 : (tensor<1x512xf32>) -> tensor<512xf32>
  %3 = stablehlo.reshape %arg27 : (tensor<1x128xf32>) -> tensor<128xf32>
  %4 = stablehlo.reshape %arg39 : (tensor<1x384xf32>) -> tensor<384xf32>
  %5 = stablehlo.reshape %arg43 : (tensor<1x128xf32>) -> tensor<128xf32>
  %6 = stablehlo.reshape %arg47 : (tensor<1x512xf32>) -> tensor<512xf32>
  %7 = stablehlo.reshape %arg51 : (tensor<1x128xf32>) -> tensor<128xf32>
  %8 = stablehlo.reshape %arg63 : (tensor<1x384xf32>) -> tensor<384xf32>
  %9 = stablehlo.reshape %arg67 : (tensor<1x128xf32>) -> tensor<128xf32>
  %10 = stablehlo.reshape %arg71 : (tensor<1x512xf32>) -> tensor<512xf32>
  %11 = stablehlo.reshape %arg75 : (tensor<1x128xf32>) -> tensor<128xf32>
  %12 = stablehlo.reshape %arg87 : (tensor<1x384xf32>) -> tensor<384xf32>
  %13 = stablehlo.reshape %arg91 : (tensor<1x128xf32>) -> tensor<128xf32>
  %14 = stablehlo.reshape %arg95 : (tensor<1x512xf32>) -> tensor<512xf32>
  %15 = stablehlo.reshape %arg99 : (tensor<1x128xf32>) -> tensor<128xf32>
  %16 = stablehlo.abs %arg104 : tensor<f32>
  %17 = stablehlo.subtract %arg1, %arg0 : tensor<96x128xf32>
  %18 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<96x128xf32>
  %19 = stablehlo.multiply %17, %18 : tensor<96x128xf32>
  %20 = stablehlo.add %arg0, %19 : tensor<96x128xf32>
  %21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %22 = stablehlo.subtract %21, %arg104 : tensor<f32>
  %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<f32>) -> tensor<96x128xf32>
  %24 = stablehlo.multiply %17, %23 : tensor<96x128xf32>
  %25 = stablehlo.subtract %arg1, %24 : tensor<96x128xf32>
  %26 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %27 = stablehlo.compare LT, %16, %26 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %28 = stablehlo.select %27, %20, %25 : tensor<i1>, tensor<96x128xf32>
  %29 = stablehlo.abs %arg104 : tensor<f32>
  %30 = stablehlo.subtract %arg3, %arg2 : tensor<64x128xf32>
  %31 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %32 = stablehlo.multiply %30, %31 : tensor<64x128xf32>
  %33 = stablehlo.add %arg2, %32 : tensor<64x128xf32>
  %34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %35 = stablehlo.subtract %34, %arg104 : tensor<f32>
  %36 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %37 = stablehlo.multiply %30, %36 : tensor<64x128xf32>
  %38 = stablehlo.subtract %arg3, %37 : tensor<64x128xf32>
  %39 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %40 = stablehlo.compare LT, %29, %39 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %41 = stablehlo.select %40, %33, %38 : tensor<i1>, tensor<64x128xf32>
  %42 = stablehlo.abs %arg104 : tensor<f32>
  %43 = stablehlo.subtract %arg5, %arg4 : tensor<128xf32>
  %44 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %45 = stablehlo.multiply %43, %44 : tensor<128xf32>
  %46 = stablehlo.add %arg4, %45 : tensor<128xf32>
  %47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %48 = stablehlo.subtract %47, %arg104 : tensor<f32>
  %49 = stablehlo.broadcast_in_dim %48, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %50 = stablehlo.multiply %43, %49 : tensor<128xf32>
  %51 = stablehlo.subtract %arg5, %50 : tensor<128xf32>
  %52 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %53 = stablehlo.compare LT, %42, %52 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %54 = stablehlo.select %53, %46, %51 : tensor<i1>, tensor<128xf32>
  %55 = stablehlo.abs %arg104 : tensor<f32>
  %56 = stablehlo.subtract %arg7, %arg6 : tensor<128xf32>
  %57 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %58 = stablehlo.multiply %56, %57 : tensor<128xf32>
  %59 = stablehlo.add %arg6, %58 : tensor<128xf32>
  %60 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %61 = stablehlo.subtract %60, %arg104 : tensor<f32>
  %62 = stablehlo.broadcast_in_dim %61, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %63 = stablehlo.multiply %56, %62 : tensor<128xf32>
  %64 = stablehlo.subtract %arg7, %63 : tensor<128xf32>
  %65 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %66 = stablehlo.compare LT, %55, %65 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %67 = stablehlo.select %66, %59, %64 : tensor<i1>, tensor<128xf32>
  %68 = stablehlo.abs %arg104 : tensor<f32>
  %69 = stablehlo.subtract %arg9, %arg8 : tensor<128xf32>
  %70 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %71 = stablehlo.multiply %69, %70 : tensor<128xf32>
  %72 = stablehlo.add %arg8, %71 : tensor<128xf32>
  %73 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %74 = stablehlo.subtract %73, %arg104 : tensor<f32>
  %75 = stablehlo.broadcast_in_dim %74, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %76 = stablehlo.multiply %69, %75 : tensor<128xf32>
  %77 = stablehlo.subtract %arg9, %76 : tensor<128xf32>
  %78 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %79 = stablehlo.compare LT, %68, %78 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %80 = stablehlo.select %79, %72, %77 : tensor<i1>, tensor<128xf32>
  %81 = stablehlo.abs %arg104 : tensor<f32>
  %82 = stablehlo.subtract %arg11, %arg10 : tensor<128xf32>
  %83 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %84 = stablehlo.multiply %82, %83 : tensor<128xf32>
  %85 = stablehlo.add %arg10, %84 : tensor<128xf32>
  %86 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %87 = stablehlo.subtract %86, %arg104 : tensor<f32>
  %88 = stablehlo.broadcast_in_dim %87, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %89 = stablehlo.multiply %82, %88 : tensor<128xf32>
  %90 = stablehlo.subtract %arg11, %89 : tensor<128xf32>
  %91 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %92 = stablehlo.compare LT, %81, %91 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %93 = stablehlo.select %92, %85, %90 : tensor<i1>, tensor<128xf32>
  %94 = stablehlo.abs %arg104 : tensor<f32>
  %95 = stablehlo.subtract %arg13, %arg12 : tensor<384x128xf32>
  %96 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %97 = stablehlo.multiply %95, %96 : tensor<384x128xf32>
  %98 = stablehlo.add %arg12, %97 : tensor<384x128xf32>
  %99 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %100 = stablehlo.subtract %99, %arg104 : tensor<f32>
  %101 = stablehlo.broadcast_in_dim %100, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %102 = stablehlo.multiply %95, %101 : tensor<384x128xf32>
  %103 = stablehlo.subtract %arg13, %102 : tensor<384x128xf32>
  %104 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %105 = stablehlo.compare LT, %94, %104 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %106 = stablehlo.select %105, %98, %103 : tensor<i1>, tensor<384x128xf32>
  %107 = stablehlo.abs %arg104 : tensor<f32>
  %108 = stablehlo.subtract %0, %arg14 : tensor<384xf32>
  %109 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %110 = stablehlo.multiply %108, %109 : tensor<384xf32>
  %111 = stablehlo.add %arg14, %110 : tensor<384xf32>
  %112 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %113 = stablehlo.subtract %112, %arg104 : tensor<f32>
  %114 = stablehlo.broadcast_in_dim %113, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %115 = stablehlo.multiply %108, %114 : tensor<384xf32>
  %116 = stablehlo.subtract %0, %115 : tensor<384xf32>
  %117 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %118 = stablehlo.compare LT, %107, %117 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %119 = stablehlo.select %118, %111, %116 : tensor<i1>, tensor<384xf32>
  %120 = stablehlo.abs %arg104 : tensor<f32>
  %121 = stablehlo.subtract %arg17, %arg16 : tensor<128x128xf32>
  %122 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %123 = stablehlo.multiply %121, %122 : tensor<128x128xf32>
  %124 = stablehlo.add %arg16, %123 : tensor<128x128xf32>
  %125 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %126 = stablehlo.subtract %125, %arg104 : tensor<f32>
  %127 = stablehlo.broadcast_in_dim %126, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %128 = stablehlo.multiply %121, %127 : tensor<128x128xf32>
  %129 = stablehlo.subtract %arg17, %128 : tensor<128x128xf32>
  %130 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %131 = stablehlo.compare LT, %120, %130 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %132 = stablehlo.select %131, %124, %129 : tensor<i1>, tensor<128x128xf32>
  %133 = stablehlo.abs %arg104 : tensor<f32>
  %134 = stablehlo.subtract %1, %arg18 : tensor<128xf32>
  %135 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %136 = stablehlo.multiply %134, %135 : tensor<128xf32>
  %137 = stablehlo.add %arg18, %136 : tensor<128xf32>
  %138 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %139 = stablehlo.subtract %138, %arg104 : tensor<f32>
  %140 = stablehlo.broadcast_in_dim %139, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %141 = stablehlo.multiply %134, %140 : tensor<128xf32>
  %142 = stablehlo.subtract %1, %141 : tensor<128xf32>
  %143 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %144 = stablehlo.compare LT, %133, %143 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %145 = stablehlo.select %144, %137, %142 : tensor<i1>, tensor<128xf32>
  %146 = stablehlo.abs %arg104 : tensor<f32>
  %147 = stablehlo.subtract %arg21, %arg20 : tensor<512x128xf32>
  %148 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %149 = stablehlo.multiply %147, %148 : tensor<512x128xf32>
  %150 = stablehlo.add %arg20, %149 : tensor<512x128xf32>
  %151 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %152 = stablehlo.subtract %151, %arg104 : tensor<f32>
  %153 = stablehlo.broadcast_in_dim %152, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %154 = stablehlo.multiply %147, %153 : tensor<512x128xf32>
  %155 = stablehlo.subtract %arg21, %154 : tensor<512x128xf32>
  %156 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %157 = stablehlo.compare LT, %146, %156 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %158 = stablehlo.select %157, %150, %155 : tensor<i1>, tensor<512x128xf32>
  %159 = stablehlo.abs %arg104 : tensor<f32>
  %160 = stablehlo.subtract %2, %arg22 : tensor<512xf32>
  %161 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %162 = stablehlo.multiply %160, %161 : tensor<512xf32>
  %163 = stablehlo.add %arg22, %162 : tensor<512xf32>
  %164 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %165 = stablehlo.subtract %164, %arg104 : tensor<f32>
  %166 = stablehlo.broadcast_in_dim %165, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %167 = stablehlo.multiply %160, %166 : tensor<512xf32>
  %168 = stablehlo.subtract %2, %167 : tensor<512xf32>
  %169 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %170 = stablehlo.compare LT, %159, %169 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %171 = stablehlo.select %170, %163, %168 : tensor<i1>, tensor<512xf32>
  %172 = stablehlo.abs %arg104 : tensor<f32>
  %173 = stablehlo.subtract %arg25, %arg24 : tensor<128x512xf32>
  %174 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %175 = stablehlo.multiply %173, %174 : tensor<128x512xf32>
  %176 = stablehlo.add %arg24, %175 : tensor<128x512xf32>
  %177 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %178 = stablehlo.subtract %177, %arg104 : tensor<f32>
  %179 = stablehlo.broadcast_in_dim %178, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %180 = stablehlo.multiply %173, %179 : tensor<128x512xf32>
  %181 = stablehlo.subtract %arg25, %180 : tensor<128x512xf32>
  %182 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %183 = stablehlo.compare LT, %172, %182 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %184 = stablehlo.select %183, %176, %181 : tensor<i1>, tensor<128x512xf32>
  %185 = stablehlo.abs %arg104 : tensor<f32>
  %186 = stablehlo.subtract %3, %arg26 : tensor<128xf32>
  %187 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %188 = stablehlo.multiply %186, %187 : tensor<128xf32>
  %189 = stablehlo.add %arg26, %188 : tensor<128xf32>
  %190 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %191 = stablehlo.subtract %190, %arg104 : tensor<f32>
  %192 = stablehlo.broadcast_in_dim %191, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %193 = stablehlo.multiply %186, %192 : tensor<128xf32>
  %194 = stablehlo.subtract %3, %193 : tensor<128xf32>
  %195 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %196 = stablehlo.compare LT, %185, %195 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %197 = stablehlo.select %196, %189, %194 : tensor<i1>, tensor<128xf32>
  %198 = stablehlo.abs %arg104 : tensor<f32>
  %199 = stablehlo.subtract %arg29, %arg28 : tensor<128xf32>
  %200 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %201 = stablehlo.multiply %199, %200 : tensor<128xf32>
  %202 = stablehlo.add %arg28, %201 : tensor<128xf32>
  %203 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %204 = stablehlo.subtract %203, %arg104 : tensor<f32>
  %205 = stablehlo.broadcast_in_dim %204, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %206 = stablehlo.multiply %199, %205 : tensor<128xf32>
  %207 = stablehlo.subtract %arg29, %206 : tensor<128xf32>
  %208 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %209 = stablehlo.compare LT, %198, %208 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %210 = stablehlo.select %209, %202, %207 : tensor<i1>, tensor<128xf32>
  %211 = stablehlo.abs %arg104 : tensor<f32>
  %212 = stablehlo.subtract %arg31, %arg30 : tensor<128xf32>
  %213 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %214 = stablehlo.multiply %212, %213 : tensor<128xf32>
  %215 = stablehlo.add %arg30, %214 : tensor<128xf32>
  %216 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %217 = stablehlo.subtract %216, %arg104 : tensor<f32>
  %218 = stablehlo.broadcast_in_dim %217, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %219 = stablehlo.multiply %212, %218 : tensor<128xf32>
  %220 = stablehlo.subtract %arg31, %219 : tensor<128xf32>
  %221 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %222 = stablehlo.compare LT, %211, %221 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %223 = stablehlo.select %222, %215, %220 : tensor<i1>, tensor<128xf32>
  %224 = stablehlo.abs %arg104 : tensor<f32>
  %225 = stablehlo.subtract %arg33, %arg32 : tensor<128xf32>
  %226 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %227 = stablehlo.multiply %225, %226 : tensor<128xf32>
  %228 = stablehlo.add %arg32, %227 : tensor<128xf32>
  %229 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %230 = stablehlo.subtract %229, %arg104 : tensor<f32>
  %231 = stablehlo.broadcast_in_dim %230, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %232 = stablehlo.multiply %225, %231 : tensor<128xf32>
  %233 = stablehlo.subtract %arg33, %232 : tensor<128xf32>
  %234 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %235 = stablehlo.compare LT, %224, %234 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %236 = stablehlo.select %235, %228, %233 : tensor<i1>, tensor<128xf32>
  %237 = stablehlo.abs %arg104 : tensor<f32>
  %238 = stablehlo.subtract %arg35, %arg34 : tensor<128xf32>
  %239 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %240 = stablehlo.multiply %238, %239 : tensor<128xf32>
  %241 = stablehlo.add %arg34, %240 : tensor<128xf32>
  %242 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %243 = stablehlo.subtract %242, %arg104 : tensor<f32>
  %244 = stablehlo.broadcast_in_dim %243, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %245 = stablehlo.multiply %238, %244 : tensor<128xf32>
  %246 = stablehlo.subtract %arg35, %245 : tensor<128xf32>
  %247 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %248 = stablehlo.compare LT, %237, %247 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %249 = stablehlo.select %248, %241, %246 : tensor<i1>, tensor<128xf32>
  %250 = stablehlo.abs %arg104 : tensor<f32>
  %251 = stablehlo.subtract %arg37, %arg36 : tensor<384x128xf32>
  %252 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %253 = stablehlo.multiply %251, %252 : tensor<384x128xf32>
  %254 = stablehlo.add %arg36, %253 : tensor<384x128xf32>
  %255 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %256 = stablehlo.subtract %255, %arg104 : tensor<f32>
  %257 = stablehlo.broadcast_in_dim %256, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %258 = stablehlo.multiply %251, %257 : tensor<384x128xf32>
  %259 = stablehlo.subtract %arg37, %258 : tensor<384x128xf32>
  %260 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %261 = stablehlo.compare LT, %250, %260 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %262 = stablehlo.select %261, %254, %259 : tensor<i1>, tensor<384x128xf32>
  %263 = stablehlo.abs %arg104 : tensor<f32>
  %264 = stablehlo.subtract %4, %arg38 : tensor<384xf32>
  %265 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %266 = stablehlo.multiply %264, %265 : tensor<384xf32>
  %267 = stablehlo.add %arg38, %266 : tensor<384xf32>
  %268 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %269 = stablehlo.subtract %268, %arg104 : tensor<f32>
  %270 = stablehlo.broadcast_in_dim %269, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %271 = stablehlo.multiply %264, %270 : tensor<384xf32>
  %272 = stablehlo.subtract %4, %271 : tensor<384xf32>
  %273 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %274 = stablehlo.compare LT, %263, %273 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %275 = stablehlo.select %274, %267, %272 : tensor<i1>, tensor<384xf32>
  %276 = stablehlo.abs %arg104 : tensor<f32>
  %277 = stablehlo.subtract %arg41, %arg40 : tensor<128x128xf32>
  %278 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %279 = stablehlo.multiply %277, %278 : tensor<128x128xf32>
  %280 = stablehlo.add %arg40, %279 : tensor<128x128xf32>
  %281 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %282 = stablehlo.subtract %281, %arg104 : tensor<f32>
  %283 = stablehlo.broadcast_in_dim %282, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %284 = stablehlo.multiply %277, %283 : tensor<128x128xf32>
  %285 = stablehlo.subtract %arg41, %284 : tensor<128x128xf32>
  %286 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %287 = stablehlo.compare LT, %276, %286 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %288 = stablehlo.select %287, %280, %285 : tensor<i1>, tensor<128x128xf32>
  %289 = stablehlo.abs %arg104 : tensor<f32>
  %290 = stablehlo.subtract %5, %arg42 : tensor<128xf32>
  %291 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %292 = stablehlo.multiply %290, %291 : tensor<128xf32>
  %293 = stablehlo.add %arg42, %292 : tensor<128xf32>
  %294 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %295 = stablehlo.subtract %294, %arg104 : tensor<f32>
  %296 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %297 = stablehlo.multiply %290, %296 : tensor<128xf32>
  %298 = stablehlo.subtract %5, %297 : tensor<128xf32>
  %299 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %300 = stablehlo.compare LT, %289, %299 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %301 = stablehlo.select %300, %293, %298 : tensor<i1>, tensor<128xf32>
  %302 = stablehlo.abs %arg104 : tensor<f32>
  %303 = stablehlo.subtract %arg45, %arg44 : tensor<512x128xf32>
  %304 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %305 = stablehlo.multiply %303, %304 : tensor<512x128xf32>
  %306 = stablehlo.add %arg44, %305 : tensor<512x128xf32>
  %307 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %308 = stablehlo.subtract %307, %arg104 : tensor<f32>
  %309 = stablehlo.broadcast_in_dim %308, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %310 = stablehlo.multiply %303, %309 : tensor<512x128xf32>
  %311 = stablehlo.subtract %arg45, %310 : tensor<512x128xf32>
  %312 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %313 = stablehlo.compare LT, %302, %312 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %314 = stablehlo.select %313, %306, %311 : tensor<i1>, tensor<512x128xf32>
  %315 = stablehlo.abs %arg104 : tensor<f32>
  %316 = stablehlo.subtract %6, %arg46 : tensor<512xf32>
  %317 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %318 = stablehlo.multiply %316, %317 : tensor<512xf32>
  %319 = stablehlo.add %arg46, %318 : tensor<512xf32>
  %320 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %321 = stablehlo.subtract %320, %arg104 : tensor<f32>
  %322 = stablehlo.broadcast_in_dim %321, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %323 = stablehlo.multiply %316, %322 : tensor<512xf32>
  %324 = stablehlo.subtract %6, %323 : tensor<512xf32>
  %325 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %326 = stablehlo.compare LT, %315, %325 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %327 = stablehlo.select %326, %319, %324 : tensor<i1>, tensor<512xf32>
  %328 = stablehlo.abs %arg104 : tensor<f32>
  %329 = stablehlo.subtract %arg49, %arg48 : tensor<128x512xf32>
  %330 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %331 = stablehlo.multiply %329, %330 : tensor<128x512xf32>
  %332 = stablehlo.add %arg48, %331 : tensor<128x512xf32>
  %333 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %334 = stablehlo.subtract %333, %arg104 : tensor<f32>
  %335 = stablehlo.broadcast_in_dim %334, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %336 = stablehlo.multiply %329, %335 : tensor<128x512xf32>
  %337 = stablehlo.subtract %arg49, %336 : tensor<128x512xf32>
  %338 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %339 = stablehlo.compare LT, %328, %338 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %340 = stablehlo.select %339, %332, %337 : tensor<i1>, tensor<128x512xf32>
  %341 = stablehlo.abs %arg104 : tensor<f32>
  %342 = stablehlo.subtract %7, %arg50 : tensor<128xf32>
  %343 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %344 = stablehlo.multiply %342, %343 : tensor<128xf32>
  %345 = stablehlo.add %arg50, %344 : tensor<128xf32>
  %346 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %347 = stablehlo.subtract %346, %arg104 : tensor<f32>
  %348 = stablehlo.broadcast_in_dim %347, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %349 = stablehlo.multiply %342, %348 : tensor<128xf32>
  %350 = stablehlo.subtract %7, %349 : tensor<128xf32>
  %351 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %352 = stablehlo.compare LT, %341, %351 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %353 = stablehlo.select %352, %345, %350 : tensor<i1>, tensor<128xf32>
  %354 = stablehlo.abs %arg104 : tensor<f32>
  %355 = stablehlo.subtract %arg53, %arg52 : tensor<128xf32>
  %356 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %357 = stablehlo.multiply %355, %356 : tensor<128xf32>
  %358 = stablehlo.add %arg52, %357 : tensor<128xf32>
  %359 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %360 = stablehlo.subtract %359, %arg104 : tensor<f32>
  %361 = stablehlo.broadcast_in_dim %360, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %362 = stablehlo.multiply %355, %361 : tensor<128xf32>
  %363 = stablehlo.subtract %arg53, %362 : tensor<128xf32>
  %364 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %365 = stablehlo.compare LT, %354, %364 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %366 = stablehlo.select %365, %358, %363 : tensor<i1>, tensor<128xf32>
  %367 = stablehlo.abs %arg104 : tensor<f32>
  %368 = stablehlo.subtract %arg55, %arg54 : tensor<128xf32>
  %369 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %370 = stablehlo.multiply %368, %369 : tensor<128xf32>
  %371 = stablehlo.add %arg54, %370 : tensor<128xf32>
  %372 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %373 = stablehlo.subtract %372, %arg104 : tensor<f32>
  %374 = stablehlo.broadcast_in_dim %373, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %375 = stablehlo.multiply %368, %374 : tensor<128xf32>
  %376 = stablehlo.subtract %arg55, %375 : tensor<128xf32>
  %377 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %378 = stablehlo.compare LT, %367, %377 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %379 = stablehlo.select %378, %371, %376 : tensor<i1>, tensor<128xf32>
  %380 = stablehlo.abs %arg104 : tensor<f32>
  %381 = stablehlo.subtract %arg57, %arg56 : tensor<128xf32>
  %382 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %383 = stablehlo.multiply %381, %382 : tensor<128xf32>
  %384 = stablehlo.add %arg56, %383 : tensor<128xf32>
  %385 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %386 = stablehlo.subtract %385, %arg104 : tensor<f32>
  %387 = stablehlo.broadcast_in_dim %386, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %388 = stablehlo.multiply %381, %387 : tensor<128xf32>
  %389 = stablehlo.subtract %arg57, %388 : tensor<128xf32>
  %390 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %391 = stablehlo.compare LT, %380, %390 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %392 = stablehlo.select %391, %384, %389 : tensor<i1>, tensor<128xf32>
  %393 = stablehlo.abs %arg104 : tensor<f32>
  %394 = stablehlo.subtract %arg59, %arg58 : tensor<128xf32>
  %395 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %396 = stablehlo.multiply %394, %395 : tensor<128xf32>
  %397 = stablehlo.add %arg58, %396 : tensor<128xf32>
  %398 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %399 = stablehlo.subtract %398, %arg104 : tensor<f32>
  %400 = stablehlo.broadcast_in_dim %399, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %401 = stablehlo.multiply %394, %400 : tensor<128xf32>
  %402 = stablehlo.subtract %arg59, %401 : tensor<128xf32>
  %403 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %404 = stablehlo.compare LT, %393, %403 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %405 = stablehlo.select %404, %397, %402 : tensor<i1>, tensor<128xf32>
  %406 = stablehlo.abs %arg104 : tensor<f32>
  %407 = stablehlo.subtract %arg61, %arg60 : tensor<384x128xf32>
  %408 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %409 = stablehlo.multiply %407, %408 : tensor<384x128xf32>
  %410 = stablehlo.add %arg60, %409 : tensor<384x128xf32>
  %411 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %412 = stablehlo.subtract %411, %arg104 : tensor<f32>
  %413 = stablehlo.broadcast_in_dim %412, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %414 = stablehlo.multiply %407, %413 : tensor<384x128xf32>
  %415 = stablehlo.subtract %arg61, %414 : tensor<384x128xf32>
  %416 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %417 = stablehlo.compare LT, %406, %416 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %418 = stablehlo.select %417, %410, %415 : tensor<i1>, tensor<384x128xf32>
  %419 = stablehlo.abs %arg104 : tensor<f32>
  %420 = stablehlo.subtract %8, %arg62 : tensor<384xf32>
  %421 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %422 = stablehlo.multiply %420, %421 : tensor<384xf32>
  %423 = stablehlo.add %arg62, %422 : tensor<384xf32>
  %424 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %425 = stablehlo.subtract %424, %arg104 : tensor<f32>
  %426 = stablehlo.broadcast_in_dim %425, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %427 = stablehlo.multiply %420, %426 : tensor<384xf32>
  %428 = stablehlo.subtract %8, %427 : tensor<384xf32>
  %429 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %430 = stablehlo.compare LT, %419, %429 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %431 = stablehlo.select %430, %423, %428 : tensor<i1>, tensor<384xf32>
  %432 = stablehlo.abs %arg105 : tensor<f32>
  %433 = stablehlo.subtract %arg65, %arg64 : tensor<128x128xf32>
  %434 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %435 = stablehlo.multiply %433, %434 : tensor<128x128xf32>
  %436 = stablehlo.add %arg64, %435 : tensor<128x128xf32>
  %437 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %438 = stablehlo.subtract %437, %arg105 : tensor<f32>
  %439 = stablehlo.broadcast_in_dim %438, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %440 = stablehlo.multiply %433, %439 : tensor<128x128xf32>
  %441 = stablehlo.subtract %arg65, %440 : tensor<128x128xf32>
  %442 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %443 = stablehlo.compare LT, %432, %442 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %444 = stablehlo.select %443, %436, %441 : tensor<i1>, tensor<128x128xf32>
  %445 = stablehlo.abs %arg105 : tensor<f32>
  %446 = stablehlo.subtract %9, %arg66 : tensor<128xf32>
  %447 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %448 = stablehlo.multiply %446, %447 : tensor<128xf32>
  %449 = stablehlo.add %arg66, %448 : tensor<128xf32>
  %450 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %451 = stablehlo.subtract %450, %arg105 : tensor<f32>
  %452 = stablehlo.broadcast_in_dim %451, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %453 = stablehlo.multiply %446, %452 : tensor<128xf32>
  %454 = stablehlo.subtract %9, %453 : tensor<128xf32>
  %455 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %456 = stablehlo.compare LT, %445, %455 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %457 = stablehlo.select %456, %449, %454 : tensor<i1>, tensor<128xf32>
  %458 = stablehlo.abs %arg105 : tensor<f32>
  %459 = stablehlo.subtract %arg69, %arg68 : tensor<512x128xf32>
  %460 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %461 = stablehlo.multiply %459, %460 : tensor<512x128xf32>
  %462 = stablehlo.add %arg68, %461 : tensor<512x128xf32>
  %463 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %464 = stablehlo.subtract %463, %arg105 : tensor<f32>
  %465 = stablehlo.broadcast_in_dim %464, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %466 = stablehlo.multiply %459, %465 : tensor<512x128xf32>
  %467 = stablehlo.subtract %arg69, %466 : tensor<512x128xf32>
  %468 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %469 = stablehlo.compare LT, %458, %468 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %470 = stablehlo.select %469, %462, %467 : tensor<i1>, tensor<512x128xf32>
  %471 = stablehlo.abs %arg105 : tensor<f32>
  %472 = stablehlo.subtract %10, %arg70 : tensor<512xf32>
  %473 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %474 = stablehlo.multiply %472, %473 : tensor<512xf32>
  %475 = stablehlo.add %arg70, %474 : tensor<512xf32>
  %476 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %477 = stablehlo.subtract %476, %arg105 : tensor<f32>
  %478 = stablehlo.broadcast_in_dim %477, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %479 = stablehlo.multiply %472, %478 : tensor<512xf32>
  %480 = stablehlo.subtract %10, %479 : tensor<512xf32>
  %481 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %482 = stablehlo.compare LT, %471, %481 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %483 = stablehlo.select %482, %475, %480 : tensor<i1>, tensor<512xf32>
  %484 = stablehlo.abs %arg105 : tensor<f32>
  %485 = stablehlo.subtract %arg73, %arg72 : tensor<128x512xf32>
  %486 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %487 = stablehlo.multiply %485, %486 : tensor<128x512xf32>
  %488 = stablehlo.add %arg72, %487 : tensor<128x512xf32>
  %489 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %490 = stablehlo.subtract %489, %arg105 : tensor<f32>
  %491 = stablehlo.broadcast_in_dim %490, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %492 = stablehlo.multiply %485, %491 : tensor<128x512xf32>
  %493 = stablehlo.subtract %arg73, %492 : tensor<128x512xf32>
  %494 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %495 = stablehlo.compare LT, %484, %494 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %496 = stablehlo.select %495, %488, %493 : tensor<i1>, tensor<128x512xf32>
  %497 = stablehlo.abs %arg105 : tensor<f32>
  %498 = stablehlo.subtract %11, %arg74 : tensor<128xf32>
  %499 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %500 = stablehlo.multiply %498, %499 : tensor<128xf32>
  %501 = stablehlo.add %arg74, %500 : tensor<128xf32>
  %502 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %503 = stablehlo.subtract %502, %arg105 : tensor<f32>
  %504 = stablehlo.broadcast_in_dim %503, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %505 = stablehlo.multiply %498, %504 : tensor<128xf32>
  %506 = stablehlo.subtract %11, %505 : tensor<128xf32>
  %507 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %508 = stablehlo.compare LT, %497, %507 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %509 = stablehlo.select %508, %501, %506 : tensor<i1>, tensor<128xf32>
  %510 = stablehlo.abs %arg105 : tensor<f32>
  %511 = stablehlo.subtract %arg77, %arg76 : tensor<128xf32>
  %512 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %513 = stablehlo.multiply %511, %512 : tensor<128xf32>
  %514 = stablehlo.add %arg76, %513 : tensor<128xf32>
  %515 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %516 = stablehlo.subtract %515, %arg105 : tensor<f32>
  %517 = stablehlo.broadcast_in_dim %516, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %518 = stablehlo.multiply %511, %517 : tensor<128xf32>
  %519 = stablehlo.subtract %arg77, %518 : tensor<128xf32>
  %520 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %521 = stablehlo.compare LT, %510, %520 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %522 = stablehlo.select %521, %514, %519 : tensor<i1>, tensor<128xf32>
  %523 = stablehlo.abs %arg105 : tensor<f32>
  %524 = stablehlo.subtract %arg79, %arg78 : tensor<128xf32>
  %525 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %526 = stablehlo.multiply %524, %525 : tensor<128xf32>
  %527 = stablehlo.add %arg78, %526 : tensor<128xf32>
  %528 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %529 = stablehlo.subtract %528, %arg105 : tensor<f32>
  %530 = stablehlo.broadcast_in_dim %529, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %531 = stablehlo.multiply %524, %530 : tensor<128xf32>
  %532 = stablehlo.subtract %arg79, %531 : tensor<128xf32>
  %533 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %534 = stablehlo.compare LT, %523, %533 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %535 = stablehlo.select %534, %527, %532 : tensor<i1>, tensor<128xf32>
  %536 = stablehlo.abs %arg105 : tensor<f32>
  %537 = stablehlo.subtract %arg81, %arg80 : tensor<128xf32>
  %538 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %539 = stablehlo.multiply %537, %538 : tensor<128xf32>
  %540 = stablehlo.add %arg80, %539 : tensor<128xf32>
  %541 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %542 = stablehlo.subtract %541, %arg105 : tensor<f32>
  %543 = stablehlo.broadcast_in_dim %542, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %544 = stablehlo.multiply %537, %543 : tensor<128xf32>
  %545 = stablehlo.subtract %arg81, %544 : tensor<128xf32>
  %546 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %547 = stablehlo.compare LT, %536, %546 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %548 = stablehlo.select %547, %540, %545 : tensor<i1>, tensor<128xf32>
  %549 = stablehlo.abs %arg105 : tensor<f32>
  %550 = stablehlo.subtract %arg83, %arg82 : tensor<128xf32>
  %551 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %552 = stablehlo.multiply %550, %551 : tensor<128xf32>
  %553 = stablehlo.add %arg82, %552 : tensor<128xf32>
  %554 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %555 = stablehlo.subtract %554, %arg105 : tensor<f32>
  %556 = stablehlo.broadcast_in_dim %555, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %557 = stablehlo.multiply %550, %556 : tensor<128xf32>
  %558 = stablehlo.subtract %arg83, %557 : tensor<128xf32>
  %559 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %560 = stablehlo.compare LT, %549, %559 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %561 = stablehlo.select %560, %553, %558 : tensor<i1>, tensor<128xf32>
  %562 = stablehlo.abs %arg105 : tensor<f32>
  %563 = stablehlo.subtract %arg85, %arg84 : tensor<384x128xf32>
  %564 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %565 = stablehlo.multiply %563, %564 : tensor<384x128xf32>
  %566 = stablehlo.add %arg84, %565 : tensor<384x128xf32>
  %567 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %568 = stablehlo.subtract %567, %arg105 : tensor<f32>
  %569 = stablehlo.broadcast_in_dim %568, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %570 = stablehlo.multiply %563, %569 : tensor<384x128xf32>
  %571 = stablehlo.subtract %arg85, %570 : tensor<384x128xf32>
  %572 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %573 = stablehlo.compare LT, %562, %572 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %574 = stablehlo.select %573, %566, %571 : tensor<i1>, tensor<384x128xf32>
  %575 = stablehlo.abs %arg105 : tensor<f32>
  %576 = stablehlo.subtract %12, %arg86 : tensor<384xf32>
  %577 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %578 = stablehlo.multiply %576, %577 : tensor<384xf32>
  %579 = stablehlo.add %arg86, %578 : tensor<384xf32>
  %580 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %581 = stablehlo.subtract %580, %arg105 : tensor<f32>
  %582 = stablehlo.broadcast_in_dim %581, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %583 = stablehlo.multiply %576, %582 : tensor<384xf32>
  %584 = stablehlo.subtract %12, %583 : tensor<384xf32>
  %585 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %586 = stablehlo.compare LT, %575, %585 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %587 = stablehlo.select %586, %579, %584 : tensor<i1>, tensor<384xf32>
  %588 = stablehlo.abs %arg105 : tensor<f32>
  %589 = stablehlo.subtract %arg89, %arg88 : tensor<128x128xf32>
  %590 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %591 = stablehlo.multiply %589, %590 : tensor<128x128xf32>
  %592 = stablehlo.add %arg88, %591 : tensor<128x128xf32>
  %593 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %594 = stablehlo.subtract %593, %arg105 : tensor<f32>
  %595 = stablehlo.broadcast_in_dim %594, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %596 = stablehlo.multiply %589, %595 : tensor<128x128xf32>
  %597 = stablehlo.subtract %arg89, %596 : tensor<128x128xf32>
  %598 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %599 = stablehlo.compare LT, %588, %598 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %600 = stablehlo.select %599, %592, %597 : tensor<i1>, tensor<128x128xf32>
  %601 = stablehlo.abs %arg105 : tensor<f32>
  %602 = stablehlo.subtract %13, %arg90 : tensor<128xf32>
  %603 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %604 = stablehlo.multiply %602, %603 : tensor<128xf32>
  %605 = stablehlo.add %arg90, %604 : tensor<128xf32>
  %606 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %607 = stablehlo.subtract %606, %arg105 : tensor<f32>
  %608 = stablehlo.broadcast_in_dim %607, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %609 = stablehlo.multiply %602, %608 : tensor<128xf32>
  %610 = stablehlo.subtract %13, %609 : tensor<128xf32>
  %611 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %612 = stablehlo.compare LT, %601, %611 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %613 = stablehlo.select %612, %605, %610 : tensor<i1>, tensor<128xf32>
  %614 = stablehlo.abs %arg105 : tensor<f32>
  %615 = stablehlo.subtract %arg93, %arg92 : tensor<512x128xf32>
  %616 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %617 = stablehlo.multiply %615, %616 : tensor<512x128xf32>
  %618 = stablehlo.add %arg92, %617 : tensor<512x128xf32>
  %619 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %620 = stablehlo.subtract %619, %arg105 : tensor<f32>
  %621 = stablehlo.broadcast_in_dim %620, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %622 = stablehlo.multiply %615, %621 : tensor<512x128xf32>
  %623 = stablehlo.subtract %arg93, %622 : tensor<512x128xf32>
  %624 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %625 = stablehlo.compare LT, %614, %624 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %626 = stablehlo.select %625, %618, %623 : tensor<i1>, tensor<512x128xf32>
  %627 = stablehlo.abs %arg105 : tensor<f32>
  %628 = stablehlo.subtract %14, %arg94 : tensor<512xf32>
  %629 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %630 = stablehlo.multiply %628, %629 : tensor<512xf32>
  %631 = stablehlo.add %arg94, %630 : tensor<512xf32>
  %632 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %633 = stablehlo.subtract %632, %arg105 : tensor<f32>
  %634 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %635 = stablehlo.multiply %628, %634 : tensor<512xf32>
  %636 = stablehlo.subtract %14, %635 : tensor<512xf32>
  %637 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %638 = stablehlo.compare LT, %627, %637 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %639 = stablehlo.select %638, %631, %636 : tensor<i1>, tensor<512xf32>
  %640 = stablehlo.abs %arg105 : tensor<f32>
  %641 = stablehlo.subtract %arg97, %arg96 : tensor<128x512xf32>
  %642 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %643 = stablehlo.multiply %641, %642 : tensor<128x512xf32>
  %644 = stablehlo.add %arg96, %643 : tensor<128x512xf32>
  %645 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %646 = stablehlo.subtract %645, %arg105 : tensor<f32>
  %647 = stablehlo.broadcast_in_dim %646, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %648 = stablehlo.multiply %641, %647 : tensor<128x512xf32>
  %649 = stablehlo.subtract %arg97, %648 : tensor<128x512xf32>
  %650 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %651 = stablehlo.compare LT, %640, %650 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %652 = stablehlo.select %651, %644, %649 : tensor<i1>, tensor<128x512xf32>
  %653 = stablehlo.abs %arg105 : tensor<f32>
  %654 = stablehlo.subtract %15, %arg98 : tensor<128xf32>
  %655 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %656 = stablehlo.multiply %654, %655 : tensor<128xf32>
  %657 = stablehlo.add %arg98, %656 : tensor<128xf32>
  %658 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %659 = stablehlo.subtract %658, %arg105 : tensor<f32>
  %660 = stablehlo.broadcast_in_dim %659, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %661 = stablehlo.multiply %654, %660 : tensor<128xf32>
  %662 = stablehlo.subtract %15, %661 : tensor<128xf32>
  %663 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %664 = stablehlo.compare LT, %653, %663 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %665 = stablehlo.select %664, %657, %662 : tensor<i1>, tensor<128xf32>
  %666 = stablehlo.abs %arg105 : tensor<f32>
  %667 = stablehlo.subtract %arg101, %arg100 : tensor<128xf32>
  %668 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %669 = stablehlo.multiply %667, %668 : tensor<128xf32>
  %670 = stablehlo.add %arg100, %669 : tensor<128xf32>
  %671 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %672 = stablehlo.subtract %671, %arg105 : tensor<f32>
  %673 = stablehlo.broadcast_in_dim %672, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %674 = stablehlo.multiply %667, %673 : tensor<128xf32>
  %675 = stablehlo.subtract %arg101, %674 : tensor<128xf32>
  %676 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %677 = stablehlo.compare LT, %666, %676 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %678 = stablehlo.select %677, %670, %675 : tensor<i1>, tensor<128xf32>
  %679 = stablehlo.abs %arg105 : tensor<f32>
  %680 = stablehlo.subtract %arg103, %arg102 : tensor<128xf32>
  %681 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %682 = stablehlo.multiply %680, %681 : tensor<128xf32>
  %683 = stablehlo.add %arg102, %682 : tensor<128xf32>
  %684 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %685 = stablehlo.subtract %684, %arg105 : tensor<f32>
  %686 = stablehlo.broadcast_in_dim %685, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %687 = stablehlo.multiply %680, %686 : tensor<128xf32>
  %688 = stablehlo.subtract %arg103, %687 : tensor<128xf32>
  %689 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %690 = stablehlo.compare LT, %679, %689 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %691 = stablehlo.select %690, %683, %688 : tensor<i1>, tensor<128xf32>
  return %28, %41, %54, %67, %80, %93, %106, %119, %132, %145, %158, %171, %184, %197, %210, %223, %236, %249, %262, %275, %288, %301, %314, %327, %340, %353, %366, %379, %392, %405, %418, %431, %444, %457, %470, %483, %496, %509, %522, %535, %548, %561, %574, %587, %600, %613, %626, %639, %652, %665, %678, %691 : tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
}
// -----
// compiled for _foreach_mul_.Scalar
func.func @main(%arg0: tensor<96x128xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64x128xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<128xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<128xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<128xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<128xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<384x128xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<384xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<128x128xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<128xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<512x128xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<512xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<128x512xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<128xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<128xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<128xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<128xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<128xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<384x128xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<384xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<128x128xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<128xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<512x128xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<512xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<128x512xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<128xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<128xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<128xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<128xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<128xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<384x128xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<384xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<128x128xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<128xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<512x128xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<512xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<128x512xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<128xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<128xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<128xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<128xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<128xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<384x128xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<384xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<128x128xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<128xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<512x128xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<512xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<128x512xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<128xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<128xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<128xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<f32>) -> (tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<96x128xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<96x128xf32>
  %2 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %3 = stablehlo.multiply %arg1, %2 : tensor<64x128xf32>
  %4 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %5 = stablehlo.multiply %arg2, %4 : tensor<128xf32>
  %6 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %7 = stablehlo.multiply %arg3, %6 : tensor<128xf32>
  %8 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %9 = stablehlo.multiply %arg4, %8 : tensor<128xf32>
  %10 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %11 = stablehlo.multiply %arg5, %10 : tensor<128xf32>
  %12 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %13 = stablehlo.multiply %arg6, %12 : tensor<384x128xf32>
  %14 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %15 = stablehlo.multiply %arg7, %14 : tensor<384xf32>
  %16 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %17 = stablehlo.multiply %arg8, %16 : tensor<128x128xf32>
  %18 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %19 = stablehlo.multiply %arg9, %18 : tensor<128xf32>
  %20 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %21 = stablehlo.multiply %arg10, %20 : tensor<512x128xf32>
  %22 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %23 = stablehlo.multiply %arg11, %22 : tensor<512xf32>
  %24 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %25 = stablehlo.multiply %arg12, %24 : tensor<128x512xf32>
  %26 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %27 = stablehlo.multiply %arg13, %26 : tensor<128xf32>
  %28 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %29 = stablehlo.multiply %arg14, %28 : tensor<128xf32>
  %30 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %31 = stablehlo.multiply %arg15, %30 : tensor<128xf32>
  %32 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %33 = stablehlo.multiply %arg16, %32 : tensor<128xf32>
  %34 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %35 = stablehlo.multiply %arg17, %34 : tensor<128xf32>
  %36 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %37 = stablehlo.multiply %arg18, %36 : tensor<384x128xf32>
  %38 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %39 = stablehlo.multiply %arg19, %38 : tensor<384xf32>
  %40 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %41 = stablehlo.multiply %arg20, %40 : tensor<128x128xf32>
  %42 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %43 = stablehlo.multiply %arg21, %42 : tensor<128xf32>
  %44 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %45 = stablehlo.multiply %arg22, %44 : tensor<512x128xf32>
  %46 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %47 = stablehlo.multiply %arg23, %46 : tensor<512xf32>
  %48 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %49 = stablehlo.multiply %arg24, %48 : tensor<128x512xf32>
  %50 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %51 = stablehlo.multiply %arg25, %50 : tensor<128xf32>
  %52 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %53 = stablehlo.multiply %arg26, %52 : tensor<128xf32>
  %54 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %55 = stablehlo.multiply %arg27, %54 : tensor<128xf32>
  %56 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %57 = stablehlo.multiply %arg28, %56 : tensor<128xf32>
  %58 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %59 = stablehlo.multiply %arg29, %58 : tensor<128xf32>
  %60 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %61 = stablehlo.multiply %arg30, %60 : tensor<384x128xf32>
  %62 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %63 = stablehlo.multiply %arg31, %62 : tensor<384xf32>
  %64 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %65 = stablehlo.multiply %arg32, %64 : tensor<128x128xf32>
  %66 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %67 = stablehlo.multiply %arg33, %66 : tensor<128xf32>
  %68 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %69 = stablehlo.multiply %arg34, %68 : tensor<512x128xf32>
  %70 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %71 = stablehlo.multiply %arg35, %70 : tensor<512xf32>
  %72 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %73 = stablehlo.multiply %arg36, %72 : tensor<128x512xf32>
  %74 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %75 = stablehlo.multiply %arg37, %74 : tensor<128xf32>
  %76 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %77 = stablehlo.multiply %arg38, %76 : tensor<128xf32>
  %78 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %79 = stablehlo.multiply %arg39, %78 : tensor<128xf32>
  %80 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %81 = stablehlo.multiply %arg40, %80 : tensor<128xf32>
  %82 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %83 = stablehlo.multiply %arg41, %82 : tensor<128xf32>
  %84 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %85 = stablehlo.multiply %arg42, %84 : tensor<384x128xf32>
  %86 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %87 = stablehlo.multiply %arg43, %86 : tensor<384xf32>
  %88 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %89 = stablehlo.multiply %arg44, %88 : tensor<128x128xf32>
  %90 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %91 = stablehlo.multiply %arg45, %90 : tensor<128xf32>
  %92 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %93 = stablehlo.multiply %arg46, %92 : tensor<512x128xf32>
  %94 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %95 = stablehlo.multiply %arg47, %94 : tensor<512xf32>
  %96 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %97 = stablehlo.multiply %arg48, %96 : tensor<128x512xf32>
  %98 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %99 = stablehlo.multiply %arg49, %98 : tensor<128xf32>
  %100 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %101 = stablehlo.multiply %arg50, %100 : tensor<128xf32>
  %102 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %103 = stablehlo.multiply %arg51, %102 : tensor<128xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33, %35, %37, %39, %41, %43, %45, %47, %49, %51, %53, %55, %57, %59, %61, %63, %65, %67, %69, %71, %73, %75, %77, %79, %81, %83, %85, %87, %89, %91, %93, %95, %97, %99, %101, %103 : tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
}
// -----
// compiled for _foreach_addcmul_.Scalar
func.func @main(%arg0: tensor<96x128xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<96x128xf32>, %arg2: tensor<64x128xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<64x128xf32>, %arg4: tensor<128xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<128xf32>, %arg6: tensor<128xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<128xf32>, %arg8: tensor<128xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<128xf32>, %arg10: tensor<128xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<128xf32>, %arg12: tensor<384x128xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<384x128xf32>, %arg14: tensor<384xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<1x384xf32>, %arg16: tensor<128x128xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<128x128xf32>, %arg18: tensor<128xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<1x128xf32>, %arg20: tensor<512x128xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<512x128xf32>, %arg22: tensor<512xf32> {tf.aliasing_output = 11 : i32}, %arg23: tensor<1x512xf32>, %arg24: tensor<128x512xf32> {tf.aliasing_output = 12 : i32}, %arg25: tensor<128x512xf32>, %arg26: tensor<128xf32> {tf.aliasing_output = 13 : i32}, %arg27: tensor<1x128xf32>, %arg28: tensor<128xf32> {tf.aliasing_output = 14 : i32}, %arg29: tensor<128xf32>, %arg30: tensor<128xf32> {tf.aliasing_output = 15 : i32}, %arg31: tensor<128xf32>, %arg32: tensor<128xf32> {tf.aliasing_output = 16 : i32}, %arg33: tensor<128xf32>, %arg34: tensor<128xf32> {tf.aliasing_output = 17 : i32}, %arg35: tensor<128xf32>, %arg36: tensor<384x128xf32> {tf.aliasing_output = 18 : i32}, %arg37: tensor<384x128xf32>, %arg38: tensor<384xf32> {tf.aliasing_output = 19 : i32}, %arg39: tensor<1x384xf32>, %arg40: tensor<128x128xf32> {tf.aliasing_output = 20 : i32}, %arg41: tensor<128x128xf32>, %arg42: tensor<128xf32> {tf.aliasing_output = 21 : i32}, %arg43: tensor<1x128xf32>, %arg44: tensor<512x128xf32> {tf.aliasing_output = 22 : i32}, %arg45: tensor<512x128xf32>, %arg46: tensor<512xf32> {tf.aliasing_output = 23 : i32}, %arg47: tensor<1x512xf32>, %arg48: tensor<128x512xf32> {tf.aliasing_output = 24 : i32}, %arg49: tensor<128x512xf32>, %arg50: tensor<128xf32> {tf.aliasing_output = 25 : i32}, %arg51: tensor<1x128xf32>, %arg52: tensor<128xf32> {tf.aliasing_output = 26 : i32}, %arg53: tensor<128xf32>, %arg54: tensor<128xf32> {tf.aliasing_output = 27 : i32}, %arg55: tensor<128xf32>, %arg56: tensor<128xf32> {tf.aliasing_output = 28 : i32}, %arg57: tensor<128xf32>, %arg58: tensor<128xf32> {tf.aliasing_output = 29 : i32}, %arg59: tensor<128xf32>, %arg60: tensor<384x128xf32> {tf.aliasing_output = 30 : i32}, %arg61: tensor<384x128xf32>, %arg62: tensor<384xf32> {tf.aliasing_output = 31 : i32}, %arg63: tensor<1x384xf32>, %arg64: tensor<128x128xf32> {tf.aliasing_output = 32 : i32}, %arg65: tensor<128x128xf32>, %arg66: tensor<128xf32> {tf.aliasing_output = 33 : i32}, %arg67: tensor<1x128xf32>, %arg68: tensor<512x128xf32> {tf.aliasing_output = 34 : i32}, %arg69: tensor<512x128xf32>, %arg70: tensor<512xf32> {tf.aliasing_output = 35 : i32}, %arg71: tensor<1x512xf32>, %arg72: tensor<128x512xf32> {tf.aliasing_output = 36 : i32}, %arg73: tensor<128x512xf32>, %arg74: tensor<128xf32> {tf.aliasing_output = 37 : i32}, %arg75: tensor<1x128xf32>, %arg76: tensor<128xf32> {tf.aliasing_output = 38 : i32}, %arg77: tensor<128xf32>, %arg78: tensor<128xf32> {tf.aliasing_output = 39 : i32}, %arg79: tensor<128xf32>, %arg80: tensor<128xf32> {tf.aliasing_output = 40 : i32}, %arg81: tensor<128xf32>, %arg82: tensor<128xf32> {tf.aliasing_output = 41 : i32}, %arg83: tensor<128xf32>, %arg84: tensor<384x128xf32> {tf.aliasing_output = 42 : i32}, %arg85: tensor<384x128xf32>, %arg86: tensor<384xf32> {tf.aliasing_output = 43 : i32}, %arg87: tensor<1x384xf32>, %arg88: tensor<128x128xf32> {tf.aliasing_output = 44 : i32}, %arg89: tensor<128x128xf32>, %arg90: tensor<128xf32> {tf.aliasing_output = 45 : i32}, %arg91: tensor<1x128xf32>, %arg92: tensor<512x128xf32> {tf.aliasing_output = 46 : i32}, %arg93: tensor<512x128xf32>, %arg94: tensor<512xf32> {tf.aliasing_output = 47 : i32}, %arg95: tensor<1x512xf32>, %arg96: tensor<128x512xf32> {tf.aliasing_output = 48 : i32}, %arg97: tensor<128x512xf32>, %arg98: tensor<128xf32> {tf.aliasing_output = 49 : i32}, %arg99: tensor<1x128xf32>, %arg100: tensor<128xf32> {tf.aliasing_output = 50 : i32}, %arg101: tensor<128xf32>, %arg102: tensor<128xf32> {tf.aliasing_output = 51 : i32}, %arg103: tensor<128xf32>, %arg104: tensor<f32>, %arg105: tensor<f32>, %arg106: tensor<f32>) -> (tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %0 = stablehlo.reshape %arg15 : (tensor<1x384xf32>) -> tensor<384xf32>
  %1 = stablehlo.reshape %arg15 : (tensor<1x384xf32>) -> tensor<384xf32>
  %2 = stablehlo.reshape %arg19 : (tensor<1x128xf32>) -> tensor<128xf32>
  %3 = stablehlo.reshape %arg19 : (tensor<1x128xf32>) -> tensor<128xf32>
  %4 = stablehlo.reshape %arg23 : (tensor<1x512xf32>) -> tensor<512xf32>
  %5 = stablehlo.reshape %arg23 : (tensor<1x512xf32>) -> tensor<512xf32>
  %6 = stablehlo.reshape %arg27 : (tensor<1x128xf32>) -> tensor<128xf32>
  %7 = stablehlo.reshape %arg27 : (tensor<1x128xf32>) -> tensor<128xf32>
  %8 = stablehlo.reshape %arg39 : (tensor<1x384xf32>) -> tensor<384xf32>
  %9 = stablehlo.reshape %arg39 : (tensor<1x384xf32>) -> tensor<384xf32>
  %10 = stablehlo.reshape %arg43 : (tensor<1x128xf32>) -> tensor<128xf32>
  %11 = stablehlo.reshape %arg43 : (tensor<1x128xf32>) -> tensor<128xf32>
  %12 = stablehlo.reshape %arg47 : (tensor<1x512xf32>) -> tensor<512xf32>
  %13 = stablehlo.reshape %arg47 : (tensor<1x512xf32>) -> tensor<512xf32>
  %14 = stablehlo.reshape %arg51 : (tensor<1x128xf32>) -> tensor<128xf32>
  %15 = stablehlo.reshape %arg51 : (tensor<1x128xf32>) -> tensor<128xf32>
  %16 = stablehlo.reshape %arg63 : (tensor<1x384xf32>) -> tensor<384xf32>
  %17 = stablehlo.reshape %arg63 : (tensor<1x384xf32>) -> tensor<384xf32>
  %18 = stablehlo.reshape %arg67 : (tensor<1x128xf32>) -> tensor<128xf32>
  %19 = stablehlo.reshape %arg67 : (tensor<1x128xf32>) -> tensor<128xf32>
  %20 = stablehlo.reshape %arg71 : (tensor<1x512xf32>) -> tensor<512xf32>
  %21 = stablehlo.reshape %arg71 : (tensor<1x512xf32>) -> tensor<512xf32>
  %22 = stablehlo.reshape %arg75 : (tensor<1x128xf32>) -> tensor<128xf32>
  %23 = stablehlo.reshape %arg75 : (tensor<1x128xf32>) -> tensor<128xf32>
  %24 = stablehlo.reshape %arg87 : (tensor<1x384xf32>) -> tensor<384xf32>
  %25 = stablehlo.reshape %arg87 : (tensor<1x384xf32>) -> tensor<384xf32>
  %26 = stablehlo.reshape %arg91 : (tensor<1x128xf32>) -> tensor<128xf32>
  %27 = stablehlo.reshape %arg91 : (tensor<1x128xf32>) -> tensor<128xf32>
  %28 = stablehlo.reshape %arg95 : (tensor<1x512xf32>) -> tensor<512xf32>
  %29 = stablehlo.reshape %arg95 : (tensor<1x512xf32>) -> tensor<512xf32>
  %30 = stablehlo.reshape %arg99 : (tensor<1x128xf32>) -> tensor<128xf32>
  %31 = stablehlo.reshape %arg99 : (tensor<1x128xf32>) -> tensor<128xf32>
  %32 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<96x128xf32>
  %33 = stablehlo.multiply %arg1, %32 : tensor<96x128xf32>
  %34 = stablehlo.multiply %33, %arg1 : tensor<96x128xf32>
  %35 = stablehlo.add %arg0, %34 : tensor<96x128xf32>
  %36 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %37 = stablehlo.multiply %arg3, %36 : tensor<64x128xf32>
  %38 = stablehlo.multiply %37, %arg3 : tensor<64x128xf32>
  %39 = stablehlo.add %arg2, %38 : tensor<64x128xf32>
  %40 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %41 = stablehlo.multiply %arg5, %40 : tensor<128xf32>
  %42 = stablehlo.multiply %41, %arg5 : tensor<128xf32>
  %43 = stablehlo.add %arg4, %42 : tensor<128xf32>
  %44 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %45 = stablehlo.multiply %arg7, %44 : tensor<128xf32>
  %46 = stablehlo.multiply %45, %arg7 : tensor<128xf32>
  %47 = stablehlo.add %arg6, %46 : tensor<128xf32>
  %48 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %49 = stablehlo.multiply %arg9, %48 : tensor<128xf32>
  %50 = stablehlo.multiply %49, %arg9 : tensor<128xf32>
  %51 = stablehlo.add %arg8, %50 : tensor<128xf32>
  %52 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %53 = stablehlo.multiply %arg11, %52 : tensor<128xf32>
  %54 = stablehlo.multiply %53, %arg11 : tensor<128xf32>
  %55 = stablehlo.add %arg10, %54 : tensor<128xf32>
  %56 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %57 = stablehlo.multiply %arg13, %56 : tensor<384x128xf32>
  %58 = stablehlo.multiply %57, %arg13 : tensor<384x128xf32>
  %59 = stablehlo.add %arg12, %58 : tensor<384x128xf32>
  %60 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %61 = stablehlo.multiply %0, %60 : tensor<384xf32>
  %62 = stablehlo.multiply %61, %1 : tensor<384xf32>
  %63 = stablehlo.add %arg14, %62 : tensor<384xf32>
  %64 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %65 = stablehlo.multiply %arg17, %64 : tensor<128x128xf32>
  %66 = stablehlo.multiply %65, %arg17 : tensor<128x128xf32>
  %67 = stablehlo.add %arg16, %66 : tensor<128x128xf32>
  %68 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %69 = stablehlo.multiply %2, %68 : tensor<128xf32>
  %70 = stablehlo.multiply %69, %3 : tensor<128xf32>
  %71 = stablehlo.add %arg18, %70 : tensor<128xf32>
  %72 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %73 = stablehlo.multiply %arg21, %72 : tensor<512x128xf32>
  %74 = stablehlo.multiply %73, %arg21 : tensor<512x128xf32>
  %75 = stablehlo.add %arg20, %74 : tensor<512x128xf32>
  %76 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %77 = stablehlo.multiply %4, %76 : tensor<512xf32>
  %78 = stablehlo.multiply %77, %5 : tensor<512xf32>
  %79 = stablehlo.add %arg22, %78 : tensor<512xf32>
  %80 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %81 = stablehlo.multiply %arg25, %80 : tensor<128x512xf32>
  %82 = stablehlo.multiply %81, %arg25 : tensor<128x512xf32>
  %83 = stablehlo.add %arg24, %82 : tensor<128x512xf32>
  %84 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %85 = stablehlo.multiply %6, %84 : tensor<128xf32>
  %86 = stablehlo.multiply %85, %7 : tensor<128xf32>
  %87 = stablehlo.add %arg26, %86 : tensor<128xf32>
  %88 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %89 = stablehlo.multiply %arg29, %88 : tensor<128xf32>
  %90 = stablehlo.multiply %89, %arg29 : tensor<128xf32>
  %91 = stablehlo.add %arg28, %90 : tensor<128xf32>
  %92 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %93 = stablehlo.multiply %arg31, %92 : tensor<128xf32>
  %94 = stablehlo.multiply %93, %arg31 : tensor<128xf32>
  %95 = stablehlo.add %arg30, %94 : tensor<128xf32>
  %96 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %97 = stablehlo.multiply %arg33, %96 : tensor<128xf32>
  %98 = stablehlo.multiply %97, %arg33 : tensor<128xf32>
  %99 = stablehlo.add %arg32, %98 : tensor<128xf32>
  %100 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %101 = stablehlo.multiply %arg35, %100 : tensor<128xf32>
  %102 = stablehlo.multiply %101, %arg35 : tensor<128xf32>
  %103 = stablehlo.add %arg34, %102 : tensor<128xf32>
  %104 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %105 = stablehlo.multiply %arg37, %104 : tensor<384x128xf32>
  %106 = stablehlo.multiply %105, %arg37 : tensor<384x128xf32>
  %107 = stablehlo.add %arg36, %106 : tensor<384x128xf32>
  %108 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %109 = stablehlo.multiply %8, %108 : tensor<384xf32>
  %110 = stablehlo.multiply %109, %9 : tensor<384xf32>
  %111 = stablehlo.add %arg38, %110 : tensor<384xf32>
  %112 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %113 = stablehlo.multiply %arg41, %112 : tensor<128x128xf32>
  %114 = stablehlo.multiply %113, %arg41 : tensor<128x128xf32>
  %115 = stablehlo.add %arg40, %114 : tensor<128x128xf32>
  %116 = stablehlo.broadcast_in_dim %arg104, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %117 = stablehlo.multiply %10, %116 : tensor<128xf32>
  %118 = stablehlo.multiply %117, %11 : tensor<128xf32>
  %119 = stablehlo.add %arg42, %118 : tensor<128xf32>
  %120 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %121 = stablehlo.multiply %arg45, %120 : tensor<512x128xf32>
  %122 = stablehlo.multiply %121, %arg45 : tensor<512x128xf32>
  %123 = stablehlo.add %arg44, %122 : tensor<512x128xf32>
  %124 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %125 = stablehlo.multiply %12, %124 : tensor<512xf32>
  %126 = stablehlo.multiply %125, %13 : tensor<512xf32>
  %127 = stablehlo.add %arg46, %126 : tensor<512xf32>
  %128 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %129 = stablehlo.multiply %arg49, %128 : tensor<128x512xf32>
  %130 = stablehlo.multiply %129, %arg49 : tensor<128x512xf32>
  %131 = stablehlo.add %arg48, %130 : tensor<128x512xf32>
  %132 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %133 = stablehlo.multiply %14, %132 : tensor<128xf32>
  %134 = stablehlo.multiply %133, %15 : tensor<128xf32>
  %135 = stablehlo.add %arg50, %134 : tensor<128xf32>
  %136 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %137 = stablehlo.multiply %arg53, %136 : tensor<128xf32>
  %138 = stablehlo.multiply %137, %arg53 : tensor<128xf32>
  %139 = stablehlo.add %arg52, %138 : tensor<128xf32>
  %140 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %141 = stablehlo.multiply %arg55, %140 : tensor<128xf32>
  %142 = stablehlo.multiply %141, %arg55 : tensor<128xf32>
  %143 = stablehlo.add %arg54, %142 : tensor<128xf32>
  %144 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %145 = stablehlo.multiply %arg57, %144 : tensor<128xf32>
  %146 = stablehlo.multiply %145, %arg57 : tensor<128xf32>
  %147 = stablehlo.add %arg56, %146 : tensor<128xf32>
  %148 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %149 = stablehlo.multiply %arg59, %148 : tensor<128xf32>
  %150 = stablehlo.multiply %149, %arg59 : tensor<128xf32>
  %151 = stablehlo.add %arg58, %150 : tensor<128xf32>
  %152 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %153 = stablehlo.multiply %arg61, %152 : tensor<384x128xf32>
  %154 = stablehlo.multiply %153, %arg61 : tensor<384x128xf32>
  %155 = stablehlo.add %arg60, %154 : tensor<384x128xf32>
  %156 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %157 = stablehlo.multiply %16, %156 : tensor<384xf32>
  %158 = stablehlo.multiply %157, %17 : tensor<384xf32>
  %159 = stablehlo.add %arg62, %158 : tensor<384xf32>
  %160 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %161 = stablehlo.multiply %arg65, %160 : tensor<128x128xf32>
  %162 = stablehlo.multiply %161, %arg65 : tensor<128x128xf32>
  %163 = stablehlo.add %arg64, %162 : tensor<128x128xf32>
  %164 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %165 = stablehlo.multiply %18, %164 : tensor<128xf32>
  %166 = stablehlo.multiply %165, %19 : tensor<128xf32>
  %167 = stablehlo.add %arg66, %166 : tensor<128xf32>
  %168 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %169 = stablehlo.multiply %arg69, %168 : tensor<512x128xf32>
  %170 = stablehlo.multiply %169, %arg69 : tensor<512x128xf32>
  %171 = stablehlo.add %arg68, %170 : tensor<512x128xf32>
  %172 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %173 = stablehlo.multiply %20, %172 : tensor<512xf32>
  %174 = stablehlo.multiply %173, %21 : tensor<512xf32>
  %175 = stablehlo.add %arg70, %174 : tensor<512xf32>
  %176 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %177 = stablehlo.multiply %arg73, %176 : tensor<128x512xf32>
  %178 = stablehlo.multiply %177, %arg73 : tensor<128x512xf32>
  %179 = stablehlo.add %arg72, %178 : tensor<128x512xf32>
  %180 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %181 = stablehlo.multiply %22, %180 : tensor<128xf32>
  %182 = stablehlo.multiply %181, %23 : tensor<128xf32>
  %183 = stablehlo.add %arg74, %182 : tensor<128xf32>
  %184 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %185 = stablehlo.multiply %arg77, %184 : tensor<128xf32>
  %186 = stablehlo.multiply %185, %arg77 : tensor<128xf32>
  %187 = stablehlo.add %arg76, %186 : tensor<128xf32>
  %188 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %189 = stablehlo.multiply %arg79, %188 : tensor<128xf32>
  %190 = stablehlo.multiply %189, %arg79 : tensor<128xf32>
  %191 = stablehlo.add %arg78, %190 : tensor<128xf32>
  %192 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %193 = stablehlo.multiply %arg81, %192 : tensor<128xf32>
  %194 = stablehlo.multiply %193, %arg81 : tensor<128xf32>
  %195 = stablehlo.add %arg80, %194 : tensor<128xf32>
  %196 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %197 = stablehlo.multiply %arg83, %196 : tensor<128xf32>
  %198 = stablehlo.multiply %197, %arg83 : tensor<128xf32>
  %199 = stablehlo.add %arg82, %198 : tensor<128xf32>
  %200 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %201 = stablehlo.multiply %arg85, %200 : tensor<384x128xf32>
  %202 = stablehlo.multiply %201, %arg85 : tensor<384x128xf32>
  %203 = stablehlo.add %arg84, %202 : tensor<384x128xf32>
  %204 = stablehlo.broadcast_in_dim %arg105, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %205 = stablehlo.multiply %24, %204 : tensor<384xf32>
  %206 = stablehlo.multiply %205, %25 : tensor<384xf32>
  %207 = stablehlo.add %arg86, %206 : tensor<384xf32>
  %208 = stablehlo.broadcast_in_dim %arg106, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %209 = stablehlo.multiply %arg89, %208 : tensor<128x128xf32>
  %210 = stablehlo.multiply %209, %arg89 : tensor<128x128xf32>
  %211 = stablehlo.add %arg88, %210 : tensor<128x128xf32>
  %212 = stablehlo.broadcast_in_dim %arg106, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %213 = stablehlo.multiply %26, %212 : tensor<128xf32>
  %214 = stablehlo.multiply %213, %27 : tensor<128xf32>
  %215 = stablehlo.add %arg90, %214 : tensor<128xf32>
  %216 = stablehlo.broadcast_in_dim %arg106, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %217 = stablehlo.multiply %arg93, %216 : tensor<512x128xf32>
  %218 = stablehlo.multiply %217, %arg93 : tensor<512x128xf32>
  %219 = stablehlo.add %arg92, %218 : tensor<512x128xf32>
  %220 = stablehlo.broadcast_in_dim %arg106, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %221 = stablehlo.multiply %28, %220 : tensor<512xf32>
  %222 = stablehlo.multiply %221, %29 : tensor<512xf32>
  %223 = stablehlo.add %arg94, %222 : tensor<512xf32>
  %224 = stablehlo.broadcast_in_dim %arg106, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %225 = stablehlo.multiply %arg97, %224 : tensor<128x512xf32>
  %226 = stablehlo.multiply %225, %arg97 : tensor<128x512xf32>
  %227 = stablehlo.add %arg96, %226 : tensor<128x512xf32>
  %228 = stablehlo.broadcast_in_dim %arg106, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %229 = stablehlo.multiply %30, %228 : tensor<128xf32>
  %230 = stablehlo.multiply %229, %31 : tensor<128xf32>
  %231 = stablehlo.add %arg98, %230 : tensor<128xf32>
  %232 = stablehlo.broadcast_in_dim %arg106, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %233 = stablehlo.multiply %arg101, %232 : tensor<128xf32>
  %234 = stablehlo.multiply %233, %arg101 : tensor<128xf32>
  %235 = stablehlo.add %arg100, %234 : tensor<128xf32>
  %236 = stablehlo.broadcast_in_dim %arg106, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %237 = stablehlo.multiply %arg103, %236 : tensor<128xf32>
  %238 = stablehlo.multiply %237, %arg103 : tensor<128xf32>
  %239 = stablehlo.add %arg102, %238 : tensor<128xf32>
  return %35, %39, %43, %47, %51, %55, %59, %63, %67, %71, %75, %79, %83, %87, %91, %95, %99, %103, %107, %111, %115, %119, %123, %127, %131, %135, %139, %143, %147, %151, %155, %159, %163, %167, %171, %175, %179, %183, %187, %191, %195, %199, %203, %207, %211, %215, %219, %223, %227, %231, %235, %239 : tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
}
// -----
// compiled for _foreach_sqrt
func.func @main(%arg0: tensor<96x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<128xf32>, %arg3: tensor<128xf32>, %arg4: tensor<128xf32>, %arg5: tensor<128xf32>, %arg6: tensor<384x128xf32>, %arg7: tensor<384xf32>, %arg8: tensor<128x128xf32>, %arg9: tensor<128xf32>, %arg10: tensor<512x128xf32>, %arg11: tensor<512xf32>, %arg12: tensor<128x512xf32>, %arg13: tensor<128xf32>, %arg14: tensor<128xf32>, %arg15: tensor<128xf32>, %arg16: tensor<128xf32>, %arg17: tensor<128xf32>, %arg18: tensor<384x128xf32>, %arg19: tensor<384xf32>, %arg20: tensor<128x128xf32>, %arg21: tensor<128xf32>, %arg22: tensor<512x128xf32>, %arg23: tensor<512xf32>, %arg24: tensor<128x512xf32>, %arg25: tensor<128xf32>, %arg26: tensor<128xf32>, %arg27: tensor<128xf32>, %arg28: tensor<128xf32>, %arg29: tensor<128xf32>, %arg30: tensor<384x128xf32>, %arg31: tensor<384xf32>, %arg32: tensor<128x128xf32>, %arg33: tensor<128xf32>, %arg34: tensor<512x128xf32>, %arg35: tensor<512xf32>, %arg36: tensor<128x512xf32>, %arg37: tensor<128xf32>, %arg38: tensor<128xf32>, %arg39: tensor<128xf32>, %arg40: tensor<128xf32>, %arg41: tensor<128xf32>, %arg42: tensor<384x128xf32>, %arg43: tensor<384xf32>, %arg44: tensor<128x128xf32>, %arg45: tensor<128xf32>, %arg46: tensor<512x128xf32>, %arg47: tensor<512xf32>, %arg48: tensor<128x512xf32>, %arg49: tensor<128xf32>, %arg50: tensor<128xf32>, %arg51: tensor<128xf32>) -> (tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %0 = stablehlo.sqrt %arg0 : tensor<96x128xf32>
  %1 = stablehlo.sqrt %arg1 : tensor<64x128xf32>
  %2 = stablehlo.sqrt %arg2 : tensor<128xf32>
  %3 = stablehlo.sqrt %arg3 : tensor<128xf32>
  %4 = stablehlo.sqrt %arg4 : tensor<128xf32>
  %5 = stablehlo.sqrt %arg5 : tensor<128xf32>
  %6 = stablehlo.sqrt %arg6 : tensor<384x128xf32>
  %7 = stablehlo.sqrt %arg7 : tensor<384xf32>
  %8 = stablehlo.sqrt %arg8 : tensor<128x128xf32>
  %9 = stablehlo.sqrt %arg9 : tensor<128xf32>
  %10 = stablehlo.sqrt %arg10 : tensor<512x128xf32>
  %11 = stablehlo.sqrt %arg11 : tensor<512xf32>
  %12 = stablehlo.sqrt %arg12 : tensor<128x512xf32>
  %13 = stablehlo.sqrt %arg13 : tensor<128xf32>
  %14 = stablehlo.sqrt %arg14 : tensor<128xf32>
  %15 = stablehlo.sqrt %arg15 : tensor<128xf32>
  %16 = stablehlo.sqrt %arg16 : tensor<128xf32>
  %17 = stablehlo.sqrt %arg17 : tensor<128xf32>
  %18 = stablehlo.sqrt %arg18 : tensor<384x128xf32>
  %19 = stablehlo.sqrt %arg19 : tensor<384xf32>
  %20 = stablehlo.sqrt %arg20 : tensor<128x128xf32>
  %21 = stablehlo.sqrt %arg21 : tensor<128xf32>
  %22 = stablehlo.sqrt %arg22 : tensor<512x128xf32>
  %23 = stablehlo.sqrt %arg23 : tensor<512xf32>
  %24 = stablehlo.sqrt %arg24 : tensor<128x512xf32>
  %25 = stablehlo.sqrt %arg25 : tensor<128xf32>
  %26 = stablehlo.sqrt %arg26 : tensor<128xf32>
  %27 = stablehlo.sqrt %arg27 : tensor<128xf32>
  %28 = stablehlo.sqrt %arg28 : tensor<128xf32>
  %29 = stablehlo.sqrt %arg29 : tensor<128xf32>
  %30 = stablehlo.sqrt %arg30 : tensor<384x128xf32>
  %31 = stablehlo.sqrt %arg31 : tensor<384xf32>
  %32 = stablehlo.sqrt %arg32 : tensor<128x128xf32>
  %33 = stablehlo.sqrt %arg33 : tensor<128xf32>
  %34 = stablehlo.sqrt %arg34 : tensor<512x128xf32>
  %35 = stablehlo.sqrt %arg35 : tensor<512xf32>
  %36 = stablehlo.sqrt %arg36 : tensor<128x512xf32>
  %37 = stablehlo.sqrt %arg37 : tensor<128xf32>
  %38 = stablehlo.sqrt %arg38 : tensor<128xf32>
  %39 = stablehlo.sqrt %arg39 : tensor<128xf32>
  %40 = stablehlo.sqrt %arg40 : tensor<128xf32>
  %41 = stablehlo.sqrt %arg41 : tensor<128xf32>
  %42 = stablehlo.sqrt %arg42 : tensor<384x128xf32>
  %43 = stablehlo.sqrt %arg43 : tensor<384xf32>
  %44 = stablehlo.sqrt %arg44 : tensor<128x128xf32>
  %45 = stablehlo.sqrt %arg45 : tensor<128xf32>
  %46 = stablehlo.sqrt %arg46 : tensor<512x128xf32>
  %47 = stablehlo.sqrt %arg47 : tensor<512xf32>
  %48 = stablehlo.sqrt %arg48 : tensor<128x512xf32>
  %49 = stablehlo.sqrt %arg49 : tensor<128xf32>
  %50 = stablehlo.sqrt %arg50 : tensor<128xf32>
  %51 = stablehlo.sqrt %arg51 : tensor<128xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51 : tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
}
// -----
// compiled for _foreach_div_.ScalarList
func.func @main(%arg0: tensor<96x128xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64x128xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<128xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<128xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<128xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<128xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<384x128xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<384xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<128x128xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<128xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<512x128xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<512xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<128x512xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<128xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<128xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<128xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<128xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<128xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<384x128xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<384xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<128x128xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<128xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<512x128xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<512xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<128x512xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<128xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<128xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<128xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<128xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<128xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<384x128xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<384xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<128x128xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<128xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<512x128xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<512xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<128x512xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<128xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<128xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<128xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<128xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<128xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<384x128xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<384xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<128x128xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<128xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<512x128xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<512xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<128x512xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<128xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<128xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<128xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<f32>, %arg53: tensor<f32>, %arg54: tensor<f32>, %arg55: tensor<f32>, %arg56: tensor<f32>, %arg57: tensor<f32>, %arg58: tensor<f32>, %arg59: tensor<f32>, %arg60: tensor<f32>, %arg61: tensor<f32>, %arg62: tensor<f32>, %arg63: tensor<f32>, %arg64: tensor<f32>, %arg65: tensor<f32>, %arg66: tensor<f32>, %arg67: tensor<f32>, %arg68: tensor<f32>, %arg69: tensor<f32>, %arg70: tensor<f32>, %arg71: tensor<f32>, %arg72: tensor<f32>, %arg73: tensor<f32>, %arg74: tensor<f32>, %arg75: tensor<f32>, %arg76: tensor<f32>, %arg77: tensor<f32>, %arg78: tensor<f32>, %arg79: tensor<f32>, %arg80: tensor<f32>, %arg81: tensor<f32>, %arg82: tensor<f32>, %arg83: tensor<f32>, %arg84: tensor<f32>, %arg85: tensor<f32>, %arg86: tensor<f32>, %arg87: tensor<f32>, %arg88: tensor<f32>, %arg89: tensor<f32>, %arg90: tensor<f32>, %arg91: tensor<f32>, %arg92: tensor<f32>, %arg93: tensor<f32>, %arg94: tensor<f32>, %arg95: tensor<f32>, %arg96: tensor<f32>, %arg97: tensor<f32>, %arg98: tensor<f32>, %arg99: tensor<f32>, %arg100: tensor<f32>, %arg101: tensor<f32>, %arg102: tensor<f32>, %arg103: tensor<f32>) -> (tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<96x128xf32>
  %1 = stablehlo.divide %arg0, %0 : tensor<96x128xf32>
  %2 = stablehlo.broadcast_in_dim %arg53, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %3 = stablehlo.divide %arg1, %2 : tensor<64x128xf32>
  %4 = stablehlo.broadcast_in_dim %arg54, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %5 = stablehlo.divide %arg2, %4 : tensor<128xf32>
  %6 = stablehlo.broadcast_in_dim %arg55, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %7 = stablehlo.divide %arg3, %6 : tensor<128xf32>
  %8 = stablehlo.broadcast_in_dim %arg56, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %9 = stablehlo.divide %arg4, %8 : tensor<128xf32>
  %10 = stablehlo.broadcast_in_dim %arg57, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %11 = stablehlo.divide %arg5, %10 : tensor<128xf32>
  %12 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %13 = stablehlo.divide %arg6, %12 : tensor<384x128xf32>
  %14 = stablehlo.broadcast_in_dim %arg59, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %15 = stablehlo.divide %arg7, %14 : tensor<384xf32>
  %16 = stablehlo.broadcast_in_dim %arg60, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %17 = stablehlo.divide %arg8, %16 : tensor<128x128xf32>
  %18 = stablehlo.broadcast_in_dim %arg61, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %19 = stablehlo.divide %arg9, %18 : tensor<128xf32>
  %20 = stablehlo.broadcast_in_dim %arg62, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %21 = stablehlo.divide %arg10, %20 : tensor<512x128xf32>
  %22 = stablehlo.broadcast_in_dim %arg63, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %23 = stablehlo.divide %arg11, %22 : tensor<512xf32>
  %24 = stablehlo.broadcast_in_dim %arg64, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %25 = stablehlo.divide %arg12, %24 : tensor<128x512xf32>
  %26 = stablehlo.broadcast_in_dim %arg65, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %27 = stablehlo.divide %arg13, %26 : tensor<128xf32>
  %28 = stablehlo.broadcast_in_dim %arg66, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %29 = stablehlo.divide %arg14, %28 : tensor<128xf32>
  %30 = stablehlo.broadcast_in_dim %arg67, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %31 = stablehlo.divide %arg15, %30 : tensor<128xf32>
  %32 = stablehlo.broadcast_in_dim %arg68, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %33 = stablehlo.divide %arg16, %32 : tensor<128xf32>
  %34 = stablehlo.broadcast_in_dim %arg69, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %35 = stablehlo.divide %arg17, %34 : tensor<128xf32>
  %36 = stablehlo.broadcast_in_dim %arg70, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %37 = stablehlo.divide %arg18, %36 : tensor<384x128xf32>
  %38 = stablehlo.broadcast_in_dim %arg71, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %39 = stablehlo.divide %arg19, %38 : tensor<384xf32>
  %40 = stablehlo.broadcast_in_dim %arg72, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %41 = stablehlo.divide %arg20, %40 : tensor<128x128xf32>
  %42 = stablehlo.broadcast_in_dim %arg73, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %43 = stablehlo.divide %arg21, %42 : tensor<128xf32>
  %44 = stablehlo.broadcast_in_dim %arg74, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %45 = stablehlo.divide %arg22, %44 : tensor<512x128xf32>
  %46 = stablehlo.broadcast_in_dim %arg75, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %47 = stablehlo.divide %arg23, %46 : tensor<512xf32>
  %48 = stablehlo.broadcast_in_dim %arg76, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %49 = stablehlo.divide %arg24, %48 : tensor<128x512xf32>
  %50 = stablehlo.broadcast_in_dim %arg77, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %51 = stablehlo.divide %arg25, %50 : tensor<128xf32>
  %52 = stablehlo.broadcast_in_dim %arg78, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %53 = stablehlo.divide %arg26, %52 : tensor<128xf32>
  %54 = stablehlo.broadcast_in_dim %arg79, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %55 = stablehlo.divide %arg27, %54 : tensor<128xf32>
  %56 = stablehlo.broadcast_in_dim %arg80, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %57 = stablehlo.divide %arg28, %56 : tensor<128xf32>
  %58 = stablehlo.broadcast_in_dim %arg81, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %59 = stablehlo.divide %arg29, %58 : tensor<128xf32>
  %60 = stablehlo.broadcast_in_dim %arg82, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %61 = stablehlo.divide %arg30, %60 : tensor<384x128xf32>
  %62 = stablehlo.broadcast_in_dim %arg83, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %63 = stablehlo.divide %arg31, %62 : tensor<384xf32>
  %64 = stablehlo.broadcast_in_dim %arg84, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %65 = stablehlo.divide %arg32, %64 : tensor<128x128xf32>
  %66 = stablehlo.broadcast_in_dim %arg85, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %67 = stablehlo.divide %arg33, %66 : tensor<128xf32>
  %68 = stablehlo.broadcast_in_dim %arg86, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %69 = stablehlo.divide %arg34, %68 : tensor<512x128xf32>
  %70 = stablehlo.broadcast_in_dim %arg87, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %71 = stablehlo.divide %arg35, %70 : tensor<512xf32>
  %72 = stablehlo.broadcast_in_dim %arg88, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %73 = stablehlo.divide %arg36, %72 : tensor<128x512xf32>
  %74 = stablehlo.broadcast_in_dim %arg89, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %75 = stablehlo.divide %arg37, %74 : tensor<128xf32>
  %76 = stablehlo.broadcast_in_dim %arg90, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %77 = stablehlo.divide %arg38, %76 : tensor<128xf32>
  %78 = stablehlo.broadcast_in_dim %arg91, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %79 = stablehlo.divide %arg39, %78 : tensor<128xf32>
  %80 = stablehlo.broadcast_in_dim %arg92, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %81 = stablehlo.divide %arg40, %80 : tensor<128xf32>
  %82 = stablehlo.broadcast_in_dim %arg93, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %83 = stablehlo.divide %arg41, %82 : tensor<128xf32>
  %84 = stablehlo.broadcast_in_dim %arg94, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %85 = stablehlo.divide %arg42, %84 : tensor<384x128xf32>
  %86 = stablehlo.broadcast_in_dim %arg95, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %87 = stablehlo.divide %arg43, %86 : tensor<384xf32>
  %88 = stablehlo.broadcast_in_dim %arg96, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %89 = stablehlo.divide %arg44, %88 : tensor<128x128xf32>
  %90 = stablehlo.broadcast_in_dim %arg97, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %91 = stablehlo.divide %arg45, %90 : tensor<128xf32>
  %92 = stablehlo.broadcast_in_dim %arg98, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %93 = stablehlo.divide %arg46, %92 : tensor<512x128xf32>
  %94 = stablehlo.broadcast_in_dim %arg99, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %95 = stablehlo.divide %arg47, %94 : tensor<512xf32>
  %96 = stablehlo.broadcast_in_dim %arg100, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %97 = stablehlo.divide %arg48, %96 : tensor<128x512xf32>
  %98 = stablehlo.broadcast_in_dim %arg101, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %99 = stablehlo.divide %arg49, %98 : tensor<128xf32>
  %100 = stablehlo.broadcast_in_dim %arg102, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %101 = stablehlo.divide %arg50, %100 : tensor<128xf32>
  %102 = stablehlo.broadcast_in_dim %arg103, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %103 = stablehlo.divide %arg51, %102 : tensor<128xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33, %35, %37, %39, %41, %43, %45, %47, %49, %51, %53, %55, %57, %59, %61, %63, %65, %67, %69, %71, %73, %75, %77, %79, %81, %83, %85, %87, %89, %91, %93, %95, %97, %99, %101, %103 : tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
}
// -----
// compiled for _foreach_add_.Scalar
func.func @main(%arg0: tensor<96x128xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64x128xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<128xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<128xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<128xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<128xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<384x128xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<384xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<128x128xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<128xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<512x128xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<512xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<128x512xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<128xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<128xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<128xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<128xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<128xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<384x128xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<384xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<128x128xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<128xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<512x128xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<512xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<128x512xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<128xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<128xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<128xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<128xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<128xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<384x128xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<384xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<128x128xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<128xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<512x128xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<512xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<128x512xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<128xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<128xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<128xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<128xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<128xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<384x128xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<384xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<128x128xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<128xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<512x128xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<512xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<128x512xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<128xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<128xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<128xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<f32>) -> (tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<96x128xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<96x128xf32>
  %2 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %3 = stablehlo.add %arg1, %2 : tensor<64x128xf32>
  %4 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %5 = stablehlo.add %arg2, %4 : tensor<128xf32>
  %6 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %7 = stablehlo.add %arg3, %6 : tensor<128xf32>
  %8 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %9 = stablehlo.add %arg4, %8 : tensor<128xf32>
  %10 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %11 = stablehlo.add %arg5, %10 : tensor<128xf32>
  %12 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %13 = stablehlo.add %arg6, %12 : tensor<384x128xf32>
  %14 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %15 = stablehlo.add %arg7, %14 : tensor<384xf32>
  %16 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %17 = stablehlo.add %arg8, %16 : tensor<128x128xf32>
  %18 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %19 = stablehlo.add %arg9, %18 : tensor<128xf32>
  %20 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %21 = stablehlo.add %arg10, %20 : tensor<512x128xf32>
  %22 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %23 = stablehlo.add %arg11, %22 : tensor<512xf32>
  %24 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %25 = stablehlo.add %arg12, %24 : tensor<128x512xf32>
  %26 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %27 = stablehlo.add %arg13, %26 : tensor<128xf32>
  %28 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %29 = stablehlo.add %arg14, %28 : tensor<128xf32>
  %30 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %31 = stablehlo.add %arg15, %30 : tensor<128xf32>
  %32 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %33 = stablehlo.add %arg16, %32 : tensor<128xf32>
  %34 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %35 = stablehlo.add %arg17, %34 : tensor<128xf32>
  %36 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %37 = stablehlo.add %arg18, %36 : tensor<384x128xf32>
  %38 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %39 = stablehlo.add %arg19, %38 : tensor<384xf32>
  %40 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %41 = stablehlo.add %arg20, %40 : tensor<128x128xf32>
  %42 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %43 = stablehlo.add %arg21, %42 : tensor<128xf32>
  %44 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %45 = stablehlo.add %arg22, %44 : tensor<512x128xf32>
  %46 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %47 = stablehlo.add %arg23, %46 : tensor<512xf32>
  %48 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %49 = stablehlo.add %arg24, %48 : tensor<128x512xf32>
  %50 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %51 = stablehlo.add %arg25, %50 : tensor<128xf32>
  %52 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %53 = stablehlo.add %arg26, %52 : tensor<128xf32>
  %54 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %55 = stablehlo.add %arg27, %54 : tensor<128xf32>
  %56 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %57 = stablehlo.add %arg28, %56 : tensor<128xf32>
  %58 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %59 = stablehlo.add %arg29, %58 : tensor<128xf32>
  %60 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %61 = stablehlo.add %arg30, %60 : tensor<384x128xf32>
  %62 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %63 = stablehlo.add %arg31, %62 : tensor<384xf32>
  %64 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %65 = stablehlo.add %arg32, %64 : tensor<128x128xf32>
  %66 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %67 = stablehlo.add %arg33, %66 : tensor<128xf32>
  %68 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %69 = stablehlo.add %arg34, %68 : tensor<512x128xf32>
  %70 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %71 = stablehlo.add %arg35, %70 : tensor<512xf32>
  %72 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %73 = stablehlo.add %arg36, %72 : tensor<128x512xf32>
  %74 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %75 = stablehlo.add %arg37, %74 : tensor<128xf32>
  %76 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %77 = stablehlo.add %arg38, %76 : tensor<128xf32>
  %78 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %79 = stablehlo.add %arg39, %78 : tensor<128xf32>
  %80 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %81 = stablehlo.add %arg40, %80 : tensor<128xf32>
  %82 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %83 = stablehlo.add %arg41, %82 : tensor<128xf32>
  %84 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %85 = stablehlo.add %arg42, %84 : tensor<384x128xf32>
  %86 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %87 = stablehlo.add %arg43, %86 : tensor<384xf32>
  %88 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %89 = stablehlo.add %arg44, %88 : tensor<128x128xf32>
  %90 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %91 = stablehlo.add %arg45, %90 : tensor<128xf32>
  %92 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %93 = stablehlo.add %arg46, %92 : tensor<512x128xf32>
  %94 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %95 = stablehlo.add %arg47, %94 : tensor<512xf32>
  %96 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %97 = stablehlo.add %arg48, %96 : tensor<128x512xf32>
  %98 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %99 = stablehlo.add %arg49, %98 : tensor<128xf32>
  %100 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %101 = stablehlo.add %arg50, %100 : tensor<128xf32>
  %102 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %103 = stablehlo.add %arg51, %102 : tensor<128xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33, %35, %37, %39, %41, %43, %45, %47, %49, %51, %53, %55, %57, %59, %61, %63, %65, %67, %69, %71, %73, %75, %77, %79, %81, %83, %85, %87, %89, %91, %93, %95, %97, %99, %101, %103 : tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
}
// -----
// compiled for _foreach_addcdiv_.ScalarList
func.func @main(%arg0: tensor<96x128xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<96x128xf32>, %arg2: tensor<96x128xf32>, %arg3: tensor<64x128xf32> {tf.aliasing_output = 1 : i32}, %arg4: tensor<64x128xf32>, %arg5: tensor<64x128xf32>, %arg6: tensor<128xf32> {tf.aliasing_output = 2 : i32}, %arg7: tensor<128xf32>, %arg8: tensor<128xf32>, %arg9: tensor<128xf32> {tf.aliasing_output = 3 : i32}, %arg10: tensor<128xf32>, %arg11: tensor<128xf32>, %arg12: tensor<128xf32> {tf.aliasing_output = 4 : i32}, %arg13: tensor<128xf32>, %arg14: tensor<128xf32>, %arg15: tensor<128xf32> {tf.aliasing_output = 5 : i32}, %arg16: tensor<128xf32>, %arg17: tensor<128xf32>, %arg18: tensor<384x128xf32> {tf.aliasing_output = 6 : i32}, %arg19: tensor<384x128xf32>, %arg20: tensor<384x128xf32>, %arg21: tensor<384xf32> {tf.aliasing_output = 7 : i32}, %arg22: tensor<384xf32>, %arg23: tensor<384xf32>, %arg24: tensor<128x128xf32> {tf.aliasing_output = 8 : i32}, %arg25: tensor<128x128xf32>, %arg26: tensor<128x128xf32>, %arg27: tensor<128xf32> {tf.aliasing_output = 9 : i32}, %arg28: tensor<128xf32>, %arg29: tensor<128xf32>, %arg30: tensor<512x128xf32> {tf.aliasing_output = 10 : i32}, %arg31: tensor<512x128xf32>, %arg32: tensor<512x128xf32>, %arg33: tensor<512xf32> {tf.aliasing_output = 11 : i32}, %arg34: tensor<512xf32>, %arg35: tensor<512xf32>, %arg36: tensor<128x512xf32> {tf.aliasing_output = 12 : i32}, %arg37: tensor<128x512xf32>, %arg38: tensor<128x512xf32>, %arg39: tensor<128xf32> {tf.aliasing_output = 13 : i32}, %arg40: tensor<128xf32>, %arg41: tensor<128xf32>, %arg42: tensor<128xf32> {tf.aliasing_output = 14 : i32}, %arg43: tensor<128xf32>, %arg44: tensor<128xf32>, %arg45: tensor<128xf32> {tf.aliasing_output = 15 : i32}, %arg46: tensor<128xf32>, %arg47: tensor<128xf32>, %arg48: tensor<128xf32> {tf.aliasing_output = 16 : i32}, %arg49: tensor<128xf32>, %arg50: tensor<128xf32>, %arg51: tensor<128xf32> {tf.aliasing_output = 17 : i32}, %arg52: tensor<128xf32>, %arg53: tensor<128xf32>, %arg54: tensor<384x128xf32> {tf.aliasing_output = 18 : i32}, %arg55: tensor<384x128xf32>, %arg56: tensor<384x128xf32>, %arg57: tensor<384xf32> {tf.aliasing_output = 19 : i32}, %arg58: tensor<384xf32>, %arg59: tensor<384xf32>, %arg60: tensor<128x128xf32> {tf.aliasing_output = 20 : i32}, %arg61: tensor<128x128xf32>, %arg62: tensor<128x128xf32>, %arg63: tensor<128xf32> {tf.aliasing_output = 21 : i32}, %arg64: tensor<128xf32>, %arg65: tensor<128xf32>, %arg66: tensor<512x128xf32> {tf.aliasing_output = 22 : i32}, %arg67: tensor<512x128xf32>, %arg68: tensor<512x128xf32>, %arg69: tensor<512xf32> {tf.aliasing_output = 23 : i32}, %arg70: tensor<512xf32>, %arg71: tensor<512xf32>, %arg72: tensor<128x512xf32> {tf.aliasing_output = 24 : i32}, %arg73: tensor<128x512xf32>, %arg74: tensor<128x512xf32>, %arg75: tensor<128xf32> {tf.aliasing_output = 25 : i32}, %arg76: tensor<128xf32>, %arg77: tensor<128xf32>, %arg78: tensor<128xf32> {tf.aliasing_output = 26 : i32}, %arg79: tensor<128xf32>, %arg80: tensor<128xf32>, %arg81: tensor<128xf32> {tf.aliasing_output = 27 : i32}, %arg82: tensor<128xf32>, %arg83: tensor<128xf32>, %arg84: tensor<128xf32> {tf.aliasing_output = 28 : i32}, %arg85: tensor<128xf32>, %arg86: tensor<128xf32>, %arg87: tensor<128xf32> {tf.aliasing_output = 29 : i32}, %arg88: tensor<128xf32>, %arg89: tensor<128xf32>, %arg90: tensor<384x128xf32> {tf.aliasing_output = 30 : i32}, %arg91: tensor<384x128xf32>, %arg92: tensor<384x128xf32>, %arg93: tensor<384xf32> {tf.aliasing_output = 31 : i32}, %arg94: tensor<384xf32>, %arg95: tensor<384xf32>, %arg96: tensor<128x128xf32> {tf.aliasing_output = 32 : i32}, %arg97: tensor<128x128xf32>, %arg98: tensor<128x128xf32>, %arg99: tensor<128xf32> {tf.aliasing_output = 33 : i32}, %arg100: tensor<128xf32>, %arg101: tensor<128xf32>, %arg102: tensor<512x128xf32> {tf.aliasing_output = 34 : i32}, %arg103: tensor<512x128xf32>, %arg104: tensor<512x128xf32>, %arg105: tensor<512xf32> {tf.aliasing_output = 35 : i32}, %arg106: tensor<512xf32>, %arg107: tensor<512xf32>, %arg108: tensor<128x512xf32> {tf.aliasing_output = 36 : i32}, %arg109: tensor<128x512xf32>, %arg110: tensor<128x512xf32>, %arg111: tensor<128xf32> {tf.aliasing_output = 37 : i32}, %arg112: tensor<128xf32>, %arg113: tensor<128xf32>, %arg114: tensor<128xf32> {tf.aliasing_output = 38 : i32}, %arg115: tensor<128xf32>, %arg116: tensor<128xf32>, %arg117: tensor<128xf32> {tf.aliasing_output = 39 : i32}, %arg118: tensor<128xf32>, %arg119: tensor<128xf32>, %arg120: tensor<128xf32> {tf.aliasing_output = 40 : i32}, %arg121: tensor<128xf32>, %arg122: tensor<128xf32>, %arg123: tensor<128xf32> {tf.aliasing_output = 41 : i32}, %arg124: tensor<128xf32>, %arg125: tensor<128xf32>, %arg126: tensor<384x128xf32> {tf.aliasing_output = 42 : i32}, %arg127: tensor<384x128xf32>, %arg128: tensor<384x128xf32>, %arg129: tensor<384xf32> {tf.aliasing_output = 43 : i32}, %arg130: tensor<384xf32>, %arg131: tensor<384xf32>, %arg132: tensor<128x128xf32> {tf.aliasing_output = 44 : i32}, %arg133: tensor<128x128xf32>, %arg134: tensor<128x128xf32>, %arg135: tensor<128xf32> {tf.aliasing_output = 45 : i32}, %arg136: tensor<128xf32>, %arg137: tensor<128xf32>, %arg138: tensor<512x128xf32> {tf.aliasing_output = 46 : i32}, %arg139: tensor<512x128xf32>, %arg140: tensor<512x128xf32>, %arg141: tensor<512xf32> {tf.aliasing_output = 47 : i32}, %arg142: tensor<512xf32>, %arg143: tensor<512xf32>, %arg144: tensor<128x512xf32> {tf.aliasing_output = 48 : i32}, %arg145: tensor<128x512xf32>, %arg146: tensor<128x512xf32>, %arg147: tensor<128xf32> {tf.aliasing_output = 49 : i32}, %arg148: tensor<128xf32>, %arg149: tensor<128xf32>, %arg150: tensor<128xf32> {tf.aliasing_output = 50 : i32}, %arg151: tensor<128xf32>, %arg152: tensor<128xf32>, %arg153: tensor<128xf32> {tf.aliasing_output = 51 : i32}, %arg154: tensor<128xf32>, %arg155: tensor<128xf32>, %arg156: tensor<f32>, %arg157: tensor<f32>, %arg158: tensor<f32>, %arg159: tensor<f32>, %arg160: tensor<f32>, %arg161: tensor<f32>, %arg162: tensor<f32>, %arg163: tensor<f32>, %arg164: tensor<f32>, %arg165: tensor<f32>, %arg166: tensor<f32>, %arg167: tensor<f32>, %arg168: tensor<f32>, %arg169: tensor<f32>, %arg170: tensor<f32>, %arg171: tensor<f32>, %arg172: tensor<f32>, %arg173: tensor<f32>, %arg174: tensor<f32>, %arg175: tensor<f32>, %arg176: tensor<f32>, %arg177: tensor<f32>, %arg178: tensor<f32>, %arg179: tensor<f32>, %arg180: tensor<f32>, %arg181: tensor<f32>, %arg182: tensor<f32>, %arg183: tensor<f32>, %arg184: tensor<f32>, %arg185: tensor<f32>, %arg186: tensor<f32>, %arg187: tensor<f32>, %arg188: tensor<f32>, %arg189: tensor<f32>, %arg190: tensor<f32>, %arg191: tensor<f32>, %arg192: tensor<f32>, %arg193: tensor<f32>, %arg194: tensor<f32>, %arg195: tensor<f32>, %arg196: tensor<f32>, %arg197: tensor<f32>, %arg198: tensor<f32>, %arg199: tensor<f32>, %arg200: tensor<f32>, %arg201: tensor<f32>, %arg202: tensor<f32>, %arg203: tensor<f32>, %arg204: tensor<f32>, %arg205: tensor<f32>, %arg206: tensor<f32>, %arg207: tensor<f32>) -> (tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg156, dims = [] : (tensor<f32>) -> tensor<96x128xf32>
  %1 = stablehlo.multiply %arg1, %0 : tensor<96x128xf32>
  %2 = stablehlo.divide %1, %arg2 : tensor<96x128xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<96x128xf32>
  %4 = stablehlo.broadcast_in_dim %arg157, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %5 = stablehlo.multiply %arg4, %4 : tensor<64x128xf32>
  %6 = stablehlo.divide %5, %arg5 : tensor<64x128xf32>
  %7 = stablehlo.add %arg3, %6 : tensor<64x128xf32>
  %8 = stablehlo.broadcast_in_dim %arg158, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %9 = stablehlo.multiply %arg7, %8 : tensor<128xf32>
  %10 = stablehlo.divide %9, %arg8 : tensor<128xf32>
  %11 = stablehlo.add %arg6, %10 : tensor<128xf32>
  %12 = stablehlo.broadcast_in_dim %arg159, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %13 = stablehlo.multiply %arg10, %12 : tensor<128xf32>
  %14 = stablehlo.divide %13, %arg11 : tensor<128xf32>
  %15 = stablehlo.add %arg9, %14 : tensor<128xf32>
  %16 = stablehlo.broadcast_in_dim %arg160, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %17 = stablehlo.multiply %arg13, %16 : tensor<128xf32>
  %18 = stablehlo.divide %17, %arg14 : tensor<128xf32>
  %19 = stablehlo.add %arg12, %18 : tensor<128xf32>
  %20 = stablehlo.broadcast_in_dim %arg161, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %21 = stablehlo.multiply %arg16, %20 : tensor<128xf32>
  %22 = stablehlo.divide %21, %arg17 : tensor<128xf32>
  %23 = stablehlo.add %arg15, %22 : tensor<128xf32>
  %24 = stablehlo.broadcast_in_dim %arg162, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %25 = stablehlo.multiply %arg19, %24 : tensor<384x128xf32>
  %26 = stablehlo.divide %25, %arg20 : tensor<384x128xf32>
  %27 = stablehlo.add %arg18, %26 : tensor<384x128xf32>
  %28 = stablehlo.broadcast_in_dim %arg163, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %29 = stablehlo.multiply %arg22, %28 : tensor<384xf32>
  %30 = stablehlo.divide %29, %arg23 : tensor<384xf32>
  %31 = stablehlo.add %arg21, %30 : tensor<384xf32>
  %32 = stablehlo.broadcast_in_dim %arg164, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %33 = stablehlo.multiply %arg25, %32 : tensor<128x128xf32>
  %34 = stablehlo.divide %33, %arg26 : tensor<128x128xf32>
  %35 = stablehlo.add %arg24, %34 : tensor<128x128xf32>
  %36 = stablehlo.broadcast_in_dim %arg165, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %37 = stablehlo.multiply %arg28, %36 : tensor<128xf32>
  %38 = stablehlo.divide %37, %arg29 : tensor<128xf32>
  %39 = stablehlo.add %arg27, %38 : tensor<128xf32>
  %40 = stablehlo.broadcast_in_dim %arg166, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %41 = stablehlo.multiply %arg31, %40 : tensor<512x128xf32>
  %42 = stablehlo.divide %41, %arg32 : tensor<512x128xf32>
  %43 = stablehlo.add %arg30, %42 : tensor<512x128xf32>
  %44 = stablehlo.broadcast_in_dim %arg167, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %45 = stablehlo.multiply %arg34, %44 : tensor<512xf32>
  %46 = stablehlo.divide %45, %arg35 : tensor<512xf32>
  %47 = stablehlo.add %arg33, %46 : tensor<512xf32>
  %48 = stablehlo.broadcast_in_dim %arg168, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %49 = stablehlo.multiply %arg37, %48 : tensor<128x512xf32>
  %50 = stablehlo.divide %49, %arg38 : tensor<128x512xf32>
  %51 = stablehlo.add %arg36, %50 : tensor<128x512xf32>
  %52 = stablehlo.broadcast_in_dim %arg169, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %53 = stablehlo.multiply %arg40, %52 : tensor<128xf32>
  %54 = stablehlo.divide %53, %arg41 : tensor<128xf32>
  %55 = stablehlo.add %arg39, %54 : tensor<128xf32>
  %56 = stablehlo.broadcast_in_dim %arg170, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %57 = stablehlo.multiply %arg43, %56 : tensor<128xf32>
  %58 = stablehlo.divide %57, %arg44 : tensor<128xf32>
  %59 = stablehlo.add %arg42, %58 : tensor<128xf32>
  %60 = stablehlo.broadcast_in_dim %arg171, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %61 = stablehlo.multiply %arg46, %60 : tensor<128xf32>
  %62 = stablehlo.divide %61, %arg47 : tensor<128xf32>
  %63 = stablehlo.add %arg45, %62 : tensor<128xf32>
  %64 = stablehlo.broadcast_in_dim %arg172, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %65 = stablehlo.multiply %arg49, %64 : tensor<128xf32>
  %66 = stablehlo.divide %65, %arg50 : tensor<128xf32>
  %67 = stablehlo.add %arg48, %66 : tensor<128xf32>
  %68 = stablehlo.broadcast_in_dim %arg173, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %69 = stablehlo.multiply %arg52, %68 : tensor<128xf32>
  %70 = stablehlo.divide %69, %arg53 : tensor<128xf32>
  %71 = stablehlo.add %arg51, %70 : tensor<128xf32>
  %72 = stablehlo.broadcast_in_dim %arg174, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %73 = stablehlo.multiply %arg55, %72 : tensor<384x128xf32>
  %74 = stablehlo.divide %73, %arg56 : tensor<384x128xf32>
  %75 = stablehlo.add %arg54, %74 : tensor<384x128xf32>
  %76 = stablehlo.broadcast_in_dim %arg175, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %77 = stablehlo.multiply %arg58, %76 : tensor<384xf32>
  %78 = stablehlo.divide %77, %arg59 : tensor<384xf32>
  %79 = stablehlo.add %arg57, %78 : tensor<384xf32>
  %80 = stablehlo.broadcast_in_dim %arg176, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %81 = stablehlo.multiply %arg61, %80 : tensor<128x128xf32>
  %82 = stablehlo.divide %81, %arg62 : tensor<128x128xf32>
  %83 = stablehlo.add %arg60, %82 : tensor<128x128xf32>
  %84 = stablehlo.broadcast_in_dim %arg177, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %85 = stablehlo.multiply %arg64, %84 : tensor<128xf32>
  %86 = stablehlo.divide %85, %arg65 : tensor<128xf32>
  %87 = stablehlo.add %arg63, %86 : tensor<128xf32>
  %88 = stablehlo.broadcast_in_dim %arg178, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %89 = stablehlo.multiply %arg67, %88 : tensor<512x128xf32>
  %90 = stablehlo.divide %89, %arg68 : tensor<512x128xf32>
  %91 = stablehlo.add %arg66, %90 : tensor<512x128xf32>
  %92 = stablehlo.broadcast_in_dim %arg179, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %93 = stablehlo.multiply %arg70, %92 : tensor<512xf32>
  %94 = stablehlo.divide %93, %arg71 : tensor<512xf32>
  %95 = stablehlo.add %arg69, %94 : tensor<512xf32>
  %96 = stablehlo.broadcast_in_dim %arg180, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %97 = stablehlo.multiply %arg73, %96 : tensor<128x512xf32>
  %98 = stablehlo.divide %97, %arg74 : tensor<128x512xf32>
  %99 = stablehlo.add %arg72, %98 : tensor<128x512xf32>
  %100 = stablehlo.broadcast_in_dim %arg181, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %101 = stablehlo.multiply %arg76, %100 : tensor<128xf32>
  %102 = stablehlo.divide %101, %arg77 : tensor<128xf32>
  %103 = stablehlo.add %arg75, %102 : tensor<128xf32>
  %104 = stablehlo.broadcast_in_dim %arg182, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %105 = stablehlo.multiply %arg79, %104 : tensor<128xf32>
  %106 = stablehlo.divide %105, %arg80 : tensor<128xf32>
  %107 = stablehlo.add %arg78, %106 : tensor<128xf32>
  %108 = stablehlo.broadcast_in_dim %arg183, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %109 = stablehlo.multiply %arg82, %108 : tensor<128xf32>
  %110 = stablehlo.divide %109, %arg83 : tensor<128xf32>
  %111 = stablehlo.add %arg81, %110 : tensor<128xf32>
  %112 = stablehlo.broadcast_in_dim %arg184, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %113 = stablehlo.multiply %arg85, %112 : tensor<128xf32>
  %114 = stablehlo.divide %113, %arg86 : tensor<128xf32>
  %115 = stablehlo.add %arg84, %114 : tensor<128xf32>
  %116 = stablehlo.broadcast_in_dim %arg185, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %117 = stablehlo.multiply %arg88, %116 : tensor<128xf32>
  %118 = stablehlo.divide %117, %arg89 : tensor<128xf32>
  %119 = stablehlo.add %arg87, %118 : tensor<128xf32>
  %120 = stablehlo.broadcast_in_dim %arg186, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %121 = stablehlo.multiply %arg91, %120 : tensor<384x128xf32>
  %122 = stablehlo.divide %121, %arg92 : tensor<384x128xf32>
  %123 = stablehlo.add %arg90, %122 : tensor<384x128xf32>
  %124 = stablehlo.broadcast_in_dim %arg187, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %125 = stablehlo.multiply %arg94, %124 : tensor<384xf32>
  %126 = stablehlo.divide %125, %arg95 : tensor<384xf32>
  %127 = stablehlo.add %arg93, %126 : tensor<384xf32>
  %128 = stablehlo.broadcast_in_dim %arg188, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %129 = stablehlo.multiply %arg97, %128 : tensor<128x128xf32>
  %130 = stablehlo.divide %129, %arg98 : tensor<128x128xf32>
  %131 = stablehlo.add %arg96, %130 : tensor<128x128xf32>
  %132 = stablehlo.broadcast_in_dim %arg189, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %133 = stablehlo.multiply %arg100, %132 : tensor<128xf32>
  %134 = stablehlo.divide %133, %arg101 : tensor<128xf32>
  %135 = stablehlo.add %arg99, %134 : tensor<128xf32>
  %136 = stablehlo.broadcast_in_dim %arg190, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %137 = stablehlo.multiply %arg103, %136 : tensor<512x128xf32>
  %138 = stablehlo.divide %137, %arg104 : tensor<512x128xf32>
  %139 = stablehlo.add %arg102, %138 : tensor<512x128xf32>
  %140 = stablehlo.broadcast_in_dim %arg191, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %141 = stablehlo.multiply %arg106, %140 : tensor<512xf32>
  %142 = stablehlo.divide %141, %arg107 : tensor<512xf32>
  %143 = stablehlo.add %arg105, %142 : tensor<512xf32>
  %144 = stablehlo.broadcast_in_dim %arg192, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %145 = stablehlo.multiply %arg109, %144 : tensor<128x512xf32>
  %146 = stablehlo.divide %145, %arg110 : tensor<128x512xf32>
  %147 = stablehlo.add %arg108, %146 : tensor<128x512xf32>
  %148 = stablehlo.broadcast_in_dim %arg193, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %149 = stablehlo.multiply %arg112, %148 : tensor<128xf32>
  %150 = stablehlo.divide %149, %arg113 : tensor<128xf32>
  %151 = stablehlo.add %arg111, %150 : tensor<128xf32>
  %152 = stablehlo.broadcast_in_dim %arg194, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %153 = stablehlo.multiply %arg115, %152 : tensor<128xf32>
  %154 = stablehlo.divide %153, %arg116 : tensor<128xf32>
  %155 = stablehlo.add %arg114, %154 : tensor<128xf32>
  %156 = stablehlo.broadcast_in_dim %arg195, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %157 = stablehlo.multiply %arg118, %156 : tensor<128xf32>
  %158 = stablehlo.divide %157, %arg119 : tensor<128xf32>
  %159 = stablehlo.add %arg117, %158 : tensor<128xf32>
  %160 = stablehlo.broadcast_in_dim %arg196, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %161 = stablehlo.multiply %arg121, %160 : tensor<128xf32>
  %162 = stablehlo.divide %161, %arg122 : tensor<128xf32>
  %163 = stablehlo.add %arg120, %162 : tensor<128xf32>
  %164 = stablehlo.broadcast_in_dim %arg197, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %165 = stablehlo.multiply %arg124, %164 : tensor<128xf32>
  %166 = stablehlo.divide %165, %arg125 : tensor<128xf32>
  %167 = stablehlo.add %arg123, %166 : tensor<128xf32>
  %168 = stablehlo.broadcast_in_dim %arg198, dims = [] : (tensor<f32>) -> tensor<384x128xf32>
  %169 = stablehlo.multiply %arg127, %168 : tensor<384x128xf32>
  %170 = stablehlo.divide %169, %arg128 : tensor<384x128xf32>
  %171 = stablehlo.add %arg126, %170 : tensor<384x128xf32>
  %172 = stablehlo.broadcast_in_dim %arg199, dims = [] : (tensor<f32>) -> tensor<384xf32>
  %173 = stablehlo.multiply %arg130, %172 : tensor<384xf32>
  %174 = stablehlo.divide %173, %arg131 : tensor<384xf32>
  %175 = stablehlo.add %arg129, %174 : tensor<384xf32>
  %176 = stablehlo.broadcast_in_dim %arg200, dims = [] : (tensor<f32>) -> tensor<128x128xf32>
  %177 = stablehlo.multiply %arg133, %176 : tensor<128x128xf32>
  %178 = stablehlo.divide %177, %arg134 : tensor<128x128xf32>
  %179 = stablehlo.add %arg132, %178 : tensor<128x128xf32>
  %180 = stablehlo.broadcast_in_dim %arg201, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %181 = stablehlo.multiply %arg136, %180 : tensor<128xf32>
  %182 = stablehlo.divide %181, %arg137 : tensor<128xf32>
  %183 = stablehlo.add %arg135, %182 : tensor<128xf32>
  %184 = stablehlo.broadcast_in_dim %arg202, dims = [] : (tensor<f32>) -> tensor<512x128xf32>
  %185 = stablehlo.multiply %arg139, %184 : tensor<512x128xf32>
  %186 = stablehlo.divide %185, %arg140 : tensor<512x128xf32>
  %187 = stablehlo.add %arg138, %186 : tensor<512x128xf32>
  %188 = stablehlo.broadcast_in_dim %arg203, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %189 = stablehlo.multiply %arg142, %188 : tensor<512xf32>
  %190 = stablehlo.divide %189, %arg143 : tensor<512xf32>
  %191 = stablehlo.add %arg141, %190 : tensor<512xf32>
  %192 = stablehlo.broadcast_in_dim %arg204, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
  %193 = stablehlo.multiply %arg145, %192 : tensor<128x512xf32>
  %194 = stablehlo.divide %193, %arg146 : tensor<128x512xf32>
  %195 = stablehlo.add %arg144, %194 : tensor<128x512xf32>
  %196 = stablehlo.broadcast_in_dim %arg205, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %197 = stablehlo.multiply %arg148, %196 : tensor<128xf32>
  %198 = stablehlo.divide %197, %arg149 : tensor<128xf32>
  %199 = stablehlo.add %arg147, %198 : tensor<128xf32>
  %200 = stablehlo.broadcast_in_dim %arg206, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %201 = stablehlo.multiply %arg151, %200 : tensor<128xf32>
  %202 = stablehlo.divide %201, %arg152 : tensor<128xf32>
  %203 = stablehlo.add %arg150, %202 : tensor<128xf32>
  %204 = stablehlo.broadcast_in_dim %arg207, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %205 = stablehlo.multiply %arg154, %204 : tensor<128xf32>
  %206 = stablehlo.divide %205, %arg155 : tensor<128xf32>
  %207 = stablehlo.add %arg153, %206 : tensor<128xf32>
  return %3, %7, %11, %15, %19, %23, %27, %31, %35, %39, %43, %47, %51, %55, %59, %63, %67, %71, %75, %79, %83, %87, %91, %95, %99, %103, %107, %111, %115, %119, %123, %127, %131, %135, %139, %143, %147, %151, %155, %159, %163, %167, %171, %175, %179, %183, %187, %191, %195, %199, %203, %207 : tensor<96x128xf32>, tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<384x128xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<384x128xf32>, %arg2: tensor<384xf32>) -> tensor<1024x384xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<384x128xf32>) -> tensor<49152xf32>
  %3 = stablehlo.reshape %2 : (tensor<49152xf32>) -> tensor<384x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<384x128xf32>) -> tensor<128x384xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x128xf32>, tensor<128x384xf32>) -> tensor<1024x384xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<384xf32>) -> tensor<1024x384xf32>
  %7 = stablehlo.add %5, %6 : tensor<1024x384xf32>
  return %7 : tensor<1024x384xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<512x128xf32>, %arg2: tensor<512xf32>) -> tensor<1024x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<512x128xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<512x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<512x128xf32>) -> tensor<128x512xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x128xf32>, tensor<128x512xf32>) -> tensor<1024x512xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<512xf32>) -> tensor<1024x512xf32>
  %7 = stablehlo.add %5, %6 : tensor<1024x512xf32>
  return %7 : tensor<1024x512xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<16x64x512xf32>, %arg1: tensor<128x512xf32>, %arg2: tensor<128xf32>) -> tensor<1024x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x512xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<1024x512xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x512xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<128x512xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x512xf32>) -> tensor<512x128xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x512xf32>, tensor<512x128xf32>) -> tensor<1024x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<128xf32>) -> tensor<1024x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<1024x128xf32>
  return %7 : tensor<1024x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x128xf32>, %arg1: tensor<128x512xf32>) -> tensor<1024x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x128xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<1024x128xf32>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x128xf32>, tensor<128x512xf32>) -> tensor<1024x512xf32>
  return %2 : tensor<1024x512xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x512xf32>, %arg1: tensor<512x128xf32>) -> tensor<1024x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x512xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<1024x512xf32>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x512xf32>, tensor<512x128xf32>) -> tensor<1024x128xf32>
  return %2 : tensor<1024x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<16x64x384xf32>, %arg1: tensor<384x128xf32>) -> tensor<1024x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<16x64x384xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<1024x384xf32>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x384xf32>, tensor<384x128xf32>) -> tensor<1024x128xf32>
  return %2 : tensor<1024x128xf32>
}
// -----
// compiled for index_select
func.func @main(%arg0: tensor<96x128xf32>, %arg1: tensor<4xi64>) -> (tensor<4x128xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<4> : tensor<i64>
  %1 = stablehlo.constant dense<96> : tensor<i64>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<4xi64>
  %3 = stablehlo.compare GE, %arg1, %2 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  %4 = stablehlo.constant dense<0> : tensor<i64>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<4xi64>
  %6 = stablehlo.compare LT, %arg1, %5 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  %7 = stablehlo.or %6, %3 : tensor<4xi1>
  %8 = stablehlo.iota dim = 0 : tensor<4xi64>
  %9 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<4xi64>
  %10 = stablehlo.select %7, %8, %9 : tensor<4xi1>, tensor<4xi64>
  %11 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.minimum across dimensions = [0] : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
  %13 = stablehlo.constant dense<3> : tensor<i64>
  %14 = stablehlo.minimum %12, %13 : tensor<i64>
  %15 = stablehlo.compare LT, %12, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %16 = stablehlo.convert %15 : (tensor<i1>) -> tensor<i64>
  %17 = stablehlo.reshape %16 : (tensor<i64>) -> tensor<1xi64>
  %18 = stablehlo.dynamic_slice %arg1, %14, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
  %19 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<96x128xf32>, tensor<4xi64>) -> tensor<4x128xf32>
  %20 = stablehlo.concatenate %17, %18, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %19, %20 : tensor<4x128xf32>, tensor<2xi64>
}
// -----
// compiled for arange.start_out
func.func @main() -> tensor<4xi64> {
  %0 = stablehlo.iota dim = 0 : tensor<4xi64>
  return %0 : tensor<4xi64>
}
// -----
// compiled for index_select
func.func @main(%arg0: tensor<64x128xf32>, %arg1: tensor<4xi64>) -> (tensor<4x128xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<4> : tensor<i64>
  %1 = stablehlo.constant dense<64> : tensor<i64>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<4xi64>
  %3 = stablehlo.compare GE, %arg1, %2 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  %4 = stablehlo.constant dense<0> : tensor<i64>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<4xi64>
  %6 = stablehlo.compare LT, %arg1, %5 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  %7 = stablehlo.or %6, %3 : tensor<4xi1>
  %8 = stablehlo.iota dim = 0 : tensor<4xi64>
  %9 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<4xi64>
  %10 = stablehlo.select %7, %8, %9 : tensor<4xi1>, tensor<4xi64>
  %11 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.minimum across dimensions = [0] : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
  %13 = stablehlo.constant dense<3> : tensor<i64>
  %14 = stablehlo.minimum %12, %13 : tensor<i64>
  %15 = stablehlo.compare LT, %12, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %16 = stablehlo.convert %15 : (tensor<i1>) -> tensor<i64>
  %17 = stablehlo.reshape %16 : (tensor<i64>) -> tensor<1xi64>
  %18 = stablehlo.dynamic_slice %arg1, %14, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
  %19 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<64x128xf32>, tensor<4xi64>) -> tensor<4x128xf32>
  %20 = stablehlo.concatenate %17, %18, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %19, %20 : tensor<4x128xf32>, tensor<2xi64>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<4x128xf32>, %arg1: tensor<4x128xf32>) -> tensor<1x4x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<4x128xf32>) -> tensor<512xf32>
  %1 = stablehlo.reshape %0 : (tensor<512xf32>) -> tensor<4x128xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x128xf32>) -> tensor<1x4x128xf32>
  %3 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<4x128xf32>) -> tensor<1x4x128xf32>
  %4 = stablehlo.add %2, %3 : tensor<1x4x128xf32>
  return %4 : tensor<1x4x128xf32>
}
// -----
// compiled for native_layer_norm
func.func @main(%arg0: tensor<1x4x128xf32>, %arg1: tensor<128xf32>, %arg2: tensor<128xf32>, %arg3: tensor<f32>) -> (tensor<1x4x128xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [2] : (tensor<1x4x128xf32>, tensor<f32>) -> tensor<1x4xf32>
  %2 = stablehlo.reshape %1 : (tensor<1x4xf32>) -> tensor<1x4x1xf32>
  %3 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1x4x1xf32>
  %5 = stablehlo.divide %2, %4 : tensor<1x4x1xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<1x4x1xf32>) -> tensor<1x4x128xf32>
  %7 = stablehlo.subtract %arg0, %6 : tensor<1x4x128xf32>
  %8 = stablehlo.multiply %7, %7 : tensor<1x4x128xf32>
  %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [2] : (tensor<1x4x128xf32>, tensor<f32>) -> tensor<1x4xf32>
  %11 = stablehlo.reshape %10 : (tensor<1x4xf32>) -> tensor<1x4x1xf32>
  %12 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
  %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<1x4x1xf32>
  %14 = stablehlo.divide %11, %13 : tensor<1x4x1xf32>
  %15 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<1x4x1xf32>
  %16 = stablehlo.add %14, %15 : tensor<1x4x1xf32>
  %17 = stablehlo.rsqrt %16 : tensor<1x4x1xf32>
  %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1x4x1xf32>) -> tensor<1x4x128xf32>
  %19 = stablehlo.multiply %7, %18 : tensor<1x4x128xf32>
  %20 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<128xf32>) -> tensor<1x4x128xf32>
  %21 = stablehlo.multiply %19, %20 : tensor<1x4x128xf32>
  %22 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<128xf32>) -> tensor<1x4x128xf32>
  %23 = stablehlo.add %21, %22 : tensor<1x4x128xf32>
  return %23, %5, %17 : tensor<1x4x128xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<1x4x128xf32>, %arg1: tensor<384x128xf32>, %arg2: tensor<384xf32>) -> tensor<4x384xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x4x128xf32>) -> tensor<512xf32>
  %1 = stablehlo.reshape %0 : (tensor<512xf32>) -> tensor<4x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<384x128xf32>) -> tensor<49152xf32>
  %3 = stablehlo.reshape %2 : (tensor<49152xf32>) -> tensor<384x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<384x128xf32>) -> tensor<128x384xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x128xf32>, tensor<128x384xf32>) -> tensor<4x384xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<384xf32>) -> tensor<4x384xf32>
  %7 = stablehlo.add %5, %6 : tensor<4x384xf32>
  return %7 : tensor<4x384xf32>
}
// -----
// compiled for _scaled_dot_product_fused_attention_overrideable
func.func @main(%arg0: tensor<4x384xf32>, %arg1: tensor<2xi64>) -> (tensor<1x4x4x32xf32>, tensor<1x4x4xf32>, tensor<i64>, tensor<i64>) {
  %0 = stablehlo.reshape %arg0 : (tensor<4x384xf32>) -> tensor<1536xf32>
  %1 = stablehlo.slice %0 [0:1280] : (tensor<1536xf32>) -> tensor<1280xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.pad %1, %2, low = [0], high = [256], interior = [0] : (tensor<1280xf32>, tensor<f32>) -> tensor<1536xf32>
  %4 = stablehlo.reshape %3 : (tensor<1536xf32>) -> tensor<4x12x32xf32>
  %5 = stablehlo.slice %4 [0:4, 0:4, 0:32] : (tensor<4x12x32xf32>) -> tensor<4x4x32xf32>
  %6 = stablehlo.transpose %5, dims = [1, 0, 2] : (tensor<4x4x32xf32>) -> tensor<4x4x32xf32>
  %7 = stablehlo.reshape %6 : (tensor<4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %8 = stablehlo.slice %arg1 [0:1] : (tensor<2xi64>) -> tensor<1xi64>
  %9 = stablehlo.reshape %8 : (tensor<1xi64>) -> tensor<i64>
  %10 = stablehlo.reshape %arg0 : (tensor<4x384xf32>) -> tensor<1536xf32>
  %11 = stablehlo.dynamic_slice %10, %9, sizes = [1280] : (tensor<1536xf32>, tensor<i64>) -> tensor<1280xf32>
  %12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %13 = stablehlo.pad %11, %12, low = [0], high = [256], interior = [0] : (tensor<1280xf32>, tensor<f32>) -> tensor<1536xf32>
  %14 = stablehlo.reshape %13 : (tensor<1536xf32>) -> tensor<4x12x32xf32>
  %15 = stablehlo.slice %14 [0:4, 0:4, 0:32] : (tensor<4x12x32xf32>) -> tensor<4x4x32xf32>
  %16 = stablehlo.transpose %15, dims = [1, 0, 2] : (tensor<4x4x32xf32>) -> tensor<4x4x32xf32>
  %17 = stablehlo.reshape %16 : (tensor<4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %18 = stablehlo.slice %arg1 [1:2] : (tensor<2xi64>) -> tensor<1xi64>
  %19 = stablehlo.reshape %18 : (tensor<1xi64>) -> tensor<i64>
  %20 = stablehlo.reshape %arg0 : (tensor<4x384xf32>) -> tensor<1536xf32>
  %21 = stablehlo.dynamic_slice %20, %19, sizes = [1280] : (tensor<1536xf32>, tensor<i64>) -> tensor<1280xf32>
  %22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %23 = stablehlo.pad %21, %22, low = [0], high = [256], interior = [0] : (tensor<1280xf32>, tensor<f32>) -> tensor<1536xf32>
  %24 = stablehlo.reshape %23 : (tensor<1536xf32>) -> tensor<4x12x32xf32>
  %25 = stablehlo.slice %24 [0:4, 0:4, 0:32] : (tensor<4x12x32xf32>) -> tensor<4x4x32xf32>
  %26 = stablehlo.transpose %25, dims = [1, 0, 2] : (tensor<4x4x32xf32>) -> tensor<4x4x32xf32>
  %27 = stablehlo.reshape %26 : (tensor<4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %28 = stablehlo.constant dense<1.7677669e-01> : tensor<f32>
  %29 = stablehlo.dot_general %7, %17, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST] : (tensor<1x4x4x32xf32>, tensor<1x4x4x32xf32>) -> tensor<1x4x4x4xf32>
  %30 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<1x4x4x4xf32>
  %31 = stablehlo.multiply %29, %30 : tensor<1x4x4x4xf32>
  %32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %33 = stablehlo.iota dim = 2 : tensor<1x4x4x4xi32>
  %34 = stablehlo.iota dim = 3 : tensor<1x4x4x4xi32>
  %35 = stablehlo.compare LE, %34, %33 : (tensor<1x4x4x4xi32>, tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi1>
  %36 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<1x4x4x4xf32>
  %37 = stablehlo.select %35, %31, %36 : tensor<1x4x4x4xi1>, tensor<1x4x4x4xf32>
  %38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %40 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %41 = stablehlo.reduce(%37 init: %40) applies stablehlo.maximum across dimensions = [3] : (tensor<1x4x4x4xf32>, tensor<f32>) -> tensor<1x4x4xf32>
  %42 = stablehlo.reshape %41 : (tensor<1x4x4xf32>) -> tensor<1x4x4x1xf32>
  %43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %44 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<f32>) -> tensor<1x4x4x1xf32>
  %45 = stablehlo.compare EQ, %42, %44 : (tensor<1x4x4x1xf32>, tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xi1>
  %46 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<1x4x4x1xf32>
  %47 = stablehlo.select %45, %46, %42 : tensor<1x4x4x1xi1>, tensor<1x4x4x1xf32>
  %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<1x4x4x1xf32>) -> tensor<1x4x4x4xf32>
  %49 = stablehlo.subtract %37, %48 : tensor<1x4x4x4xf32>
  %50 = stablehlo.exponential %49 : tensor<1x4x4x4xf32>
  %51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %52 = stablehlo.reduce(%50 init: %51) applies stablehlo.add across dimensions = [3] : (tensor<1x4x4x4xf32>, tensor<f32>) -> tensor<1x4x4xf32>
  %53 = stablehlo.reshape %52 : (tensor<1x4x4xf32>) -> tensor<1x4x4x1xf32>
  %54 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<1x4x4x1xf32>
  %55 = stablehlo.compare EQ, %53, %54 : (tensor<1x4x4x1xf32>, tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xi1>
  %56 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f32>) -> tensor<1x4x4x1xf32>
  %57 = stablehlo.select %55, %56, %53 : tensor<1x4x4x1xi1>, tensor<1x4x4x1xf32>
  %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2, 3] : (tensor<1x4x4x1xf32>) -> tensor<1x4x4x4xf32>
  %59 = stablehlo.divide %50, %58 : tensor<1x4x4x4xf32>
  %60 = stablehlo.log %53 : tensor<1x4x4x1xf32>
  %61 = stablehlo.add %47, %60 : tensor<1x4x4x1xf32>
  %62 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %63 = stablehlo.broadcast_in_dim %62, dims = [] : (tensor<f32>) -> tensor<1x4x4x1xf32>
  %64 = stablehlo.select %55, %63, %61 : tensor<1x4x4x1xi1>, tensor<1x4x4x1xf32>
  %65 = stablehlo.dot_general %59, %27, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [HIGHEST, HIGHEST] : (tensor<1x4x4x4xf32>, tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32>
  %66 = stablehlo.constant dense<0> : tensor<i64>
  %67 = stablehlo.reshape %64 : (tensor<1x4x4x1xf32>) -> tensor<1x4x4xf32>
  return %65, %67, %66, %66 : tensor<1x4x4x32xf32>, tensor<1x4x4xf32>, tensor<i64>, tensor<i64>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x4x4x32xf32>) -> tensor<512xf32>
  %1 = stablehlo.reshape %0 : (tensor<512xf32>) -> tensor<4x4x32xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<4x4x32xf32>) -> tensor<4x4x32xf32>
  %3 = stablehlo.reshape %2 : (tensor<4x4x32xf32>) -> tensor<1x4x4x32xf32>
  return %3 : tensor<1x4x4x32xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<1x4x4x32xf32>, %arg1: tensor<128x128xf32>, %arg2: tensor<128xf32>) -> tensor<4x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x4x4x32xf32>) -> tensor<512xf32>
  %1 = stablehlo.reshape %0 : (tensor<512xf32>) -> tensor<4x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x128xf32>) -> tensor<16384xf32>
  %3 = stablehlo.reshape %2 : (tensor<16384xf32>) -> tensor<128x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<128xf32>) -> tensor<4x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<4x128xf32>
  return %7 : tensor<4x128xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<1x4x128xf32>, %arg1: tensor<4x128xf32>) -> tensor<1x4x128xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<4x128xf32>) -> tensor<512xf32>
  %1 = stablehlo.reshape %0 : (tensor<512xf32>) -> tensor<4x128xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x128xf32>) -> tensor<1x4x128xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<1x4x128xf32>
  return %3 : tensor<1x4x128xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<1x4x128xf32>, %arg1: tensor<512x128xf32>, %arg2: tensor<512xf32>) -> tensor<4x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x4x128xf32>) -> tensor<512xf32>
  %1 = stablehlo.reshape %0 : (tensor<512xf32>) -> tensor<4x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<512x128xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<512x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<512x128xf32>) -> tensor<128x512xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x128xf32>, tensor<128x512xf32>) -> tensor<4x512xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<512xf32>) -> tensor<4x512xf32>
  %7 = stablehlo.add %5, %6 : tensor<4x512xf32>
  return %7 : tensor<4x512xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<4x512xf32>) -> tensor<1x4x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<4x512xf32>) -> tensor<2048xf32>
  %1 = stablehlo.reshape %0 : (tensor<2048xf32>) -> tensor<4x512xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x512xf32>) -> tensor<1x4x512xf32>
  %3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1x4x512xf32>
  %5 = stablehlo.multiply %2, %4 : tensor<1x4x512xf32>
  %6 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<1x4x512xf32>
  %8 = stablehlo.multiply %2, %7 : tensor<1x4x512xf32>
  %9 = chlo.erf %8 : tensor<1x4x512xf32> -> tensor<1x4x512xf32>
  %10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<1x4x512xf32>
  %12 = stablehlo.add %9, %11 : tensor<1x4x512xf32>
  %13 = stablehlo.multiply %5, %12 : tensor<1x4x512xf32>
  return %13 : tensor<1x4x512xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<1x4x512xf32>, %arg1: tensor<128x512xf32>, %arg2: tensor<128xf32>) -> tensor<4x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x4x512xf32>) -> tensor<2048xf32>
  %1 = stablehlo.reshape %0 : (tensor<2048xf32>) -> tensor<4x512xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x512xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<128x512xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x512xf32>) -> tensor<512x128xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x512xf32>, tensor<512x128xf32>) -> tensor<4x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<128xf32>) -> tensor<4x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<4x128xf32>
  return %7 : tensor<4x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<1x4x128xf32>, %arg1: tensor<96x128xf32>) -> tensor<4x96xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x4x128xf32>) -> tensor<512xf32>
  %1 = stablehlo.reshape %0 : (tensor<512xf32>) -> tensor<4x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<96x128xf32>) -> tensor<12288xf32>
  %3 = stablehlo.reshape %2 : (tensor<12288xf32>) -> tensor<96x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<96x128xf32>) -> tensor<128x96xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x128xf32>, tensor<128x96xf32>) -> tensor<4x96xf32>
  return %5 : tensor<4x96xf32>
}
// -----
// compiled for div.out
func.func @main(%arg0: tensor<4x96xf32>, %arg1: tensor<f64>, %arg2: tensor<1xi64>) -> tensor<1x96xf32> {
  %0 = stablehlo.reshape %arg2 : (tensor<1xi64>) -> tensor<i64>
  %1 = stablehlo.reshape %arg0 : (tensor<4x96xf32>) -> tensor<384xf32>
  %2 = stablehlo.dynamic_slice %1, %0, sizes = [96] : (tensor<384xf32>, tensor<i64>) -> tensor<96xf32>
  %3 = stablehlo.reshape %2 : (tensor<96xf32>) -> tensor<1x96xf32>
  %4 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<1x96xf32>
  %6 = stablehlo.divide %3, %5 : tensor<1x96xf32>
  return %6 : tensor<1x96xf32>
}
// -----
// compiled for _softmax.out
func.func @main(%arg0: tensor<1x96xf32>) -> tensor<1x96xf32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<1x96xf32>, tensor<f32>) -> tensor<1xf32>
  %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<1x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x96xf32>
  %4 = stablehlo.subtract %arg0, %3 : tensor<1x96xf32>
  %5 = stablehlo.exponential %4 : tensor<1x96xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<1x96xf32>, tensor<f32>) -> tensor<1xf32>
  %8 = stablehlo.reshape %7 : (tensor<1xf32>) -> tensor<1x1xf32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x96xf32>
  %10 = stablehlo.divide %5, %9 : tensor<1x96xf32>
  return %10 : tensor<1x96xf32>
}
// -----
// compiled for multinomial
func.func @main(%arg0: tensor<1x96xf32>, %arg1: tensor<2xui64>) -> tensor<1x1xi64> {
  %0:2 = stablehlo.rng_bit_generator %arg1, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1x96xui32>)
  %1 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %2 = stablehlo.constant dense<9> : tensor<ui32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<1x96xui32>
  %4 = stablehlo.shift_right_logical %0#1, %3 : tensor<1x96xui32>
  %5 = stablehlo.convert %4 : (tensor<1x96xui32>) -> tensor<1x96xf32>
  %6 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x96xf32>
  %7 = stablehlo.add %5, %6 : tensor<1x96xf32>
  %8 = stablehlo.constant dense<1.1920929e-07> : tensor<f32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<1x96xf32>
  %10 = stablehlo.multiply %7, %9 : tensor<1x96xf32>
  %11 = stablehlo.log %10 : tensor<1x96xf32>
  %12 = stablehlo.negate %11 : tensor<1x96xf32>
  %13 = stablehlo.divide %arg0, %12 : tensor<1x96xf32>
  %14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.maximum across dimensions = [1] : (tensor<1x96xf32>, tensor<f32>) -> tensor<1xf32>
  %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<1x1xf32>
  %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x96xf32>
  %18 = stablehlo.compare EQ, %13, %17 : (tensor<1x96xf32>, tensor<1x96xf32>) -> tensor<1x96xi1>
  %19 = stablehlo.compare NE, %13, %13 : (tensor<1x96xf32>, tensor<1x96xf32>) -> tensor<1x96xi1>
  %20 = stablehlo.or %18, %19 : tensor<1x96xi1>
  %21 = stablehlo.constant dense<96> : tensor<i64>
  %22 = stablehlo.iota dim = 1 : tensor<1x96xi64>
  %23 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i64>) -> tensor<1x96xi64>
  %24 = stablehlo.select %20, %22, %23 : tensor<1x96xi1>, tensor<1x96xi64>
  %25 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %26 = stablehlo.reduce(%24 init: %25) applies stablehlo.minimum across dimensions = [1] : (tensor<1x96xi64>, tensor<i64>) -> tensor<1xi64>
  %27 = stablehlo.reshape %26 : (tensor<1xi64>) -> tensor<1x1xi64>
  return %27 : tensor<1x1xi64>
}
// -----
// compiled for cat.out
func.func @main(%arg0: tensor<4xi64>, %arg1: tensor<1x1xi64>) -> tensor<1x5xi64> {
  %0 = stablehlo.reshape %arg0 : (tensor<4xi64>) -> tensor<1x4xi64>
  %1 = stablehlo.concatenate %0, %arg1, dim = 1 : (tensor<1x4xi64>, tensor<1x1xi64>) -> tensor<1x5xi64>
  return %1 : tensor<1x5xi64>
}
// -----
// compiled for index_select
func.func @main(%arg0: tensor<96x128xf32>, %arg1: tensor<1x5xi64>) -> (tensor<5x128xf32>, tensor<2xi64>) {
  %0 = stablehlo.reshape %arg1 : (tensor<1x5xi64>) -> tensor<5xi64>
  %1 = stablehlo.constant dense<5> : tensor<i64>
  %2 = stablehlo.constant dense<96> : tensor<i64>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i64>) -> tensor<5xi64>
  %4 = stablehlo.compare GE, %0, %3 : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi1>
  %5 = stablehlo.constant dense<0> : tensor<i64>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i64>) -> tensor<5xi64>
  %7 = stablehlo.compare LT, %0, %6 : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi1>
  %8 = stablehlo.or %7, %4 : tensor<5xi1>
  %9 = stablehlo.iota dim = 0 : tensor<5xi64>
  %10 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<5xi64>
  %11 = stablehlo.select %8, %9, %10 : tensor<5xi1>, tensor<5xi64>
  %12 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %13 = stablehlo.reduce(%11 init: %12) applies stablehlo.minimum across dimensions = [0] : (tensor<5xi64>, tensor<i64>) -> tensor<i64>
  %14 = stablehlo.constant dense<4> : tensor<i64>
  %15 = stablehlo.minimum %13, %14 : tensor<i64>
  %16 = stablehlo.compare LT, %13, %1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %17 = stablehlo.convert %16 : (tensor<i1>) -> tensor<i64>
  %18 = stablehlo.reshape %17 : (tensor<i64>) -> tensor<1xi64>
  %19 = stablehlo.dynamic_slice %0, %15, sizes = [1] : (tensor<5xi64>, tensor<i64>) -> tensor<1xi64>
  %20 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<96x128xf32>, tensor<5xi64>) -> tensor<5x128xf32>
  %21 = stablehlo.concatenate %18, %19, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %20, %21 : tensor<5x128xf32>, tensor<2xi64>
}
// -----
// compiled for arange.start_out
func.func @main() -> tensor<5xi64> {
  %0 = stablehlo.iota dim = 0 : tensor<5xi64>
  return %0 : tensor<5xi64>
}
// -----
// compiled for index_select
func.func @main(%arg0: tensor<64x128xf32>, %arg1: tensor<5xi64>) -> (tensor<5x128xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<5> : tensor<i64>
  %1 = stablehlo.constant dense<64> : tensor<i64>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<5xi64>
  %3 = stablehlo.compare GE, %arg1, %2 : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi1>
  %4 = stablehlo.constant dense<0> : tensor<i64>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<5xi64>
  %6 = stablehlo.compare LT, %arg1, %5 : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi1>
  %7 = stablehlo.or %6, %3 : tensor<5xi1>
  %8 = stablehlo.iota dim = 0 : tensor<5xi64>
  %9 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<5xi64>
  %10 = stablehlo.select %7, %8, %9 : tensor<5xi1>, tensor<5xi64>
  %11 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.minimum across dimensions = [0] : (tensor<5xi64>, tensor<i64>) -> tensor<i64>
  %13 = stablehlo.constant dense<4> : tensor<i64>
  %14 = stablehlo.minimum %12, %13 : tensor<i64>
  %15 = stablehlo.compare LT, %12, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %16 = stablehlo.convert %15 : (tensor<i1>) -> tensor<i64>
  %17 = stablehlo.reshape %16 : (tensor<i64>) -> tensor<1xi64>
  %18 = stablehlo.dynamic_slice %arg1, %14, sizes = [1] : (tensor<5xi64>, tensor<i64>) -> tensor<1xi64>
  %19 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<64x128xf32>, tensor<5xi64>) -> tensor<5x128xf32>
  %20 = stablehlo.concatenate %17, %18, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %19, %20 : tensor<5x128xf32>, tensor<2xi64>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<5x128xf32>, %arg1: tensor<5x128xf32>) -> tensor<1x5x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<5x128xf32>) -> tensor<640xf32>
  %1 = stablehlo.reshape %0 : (tensor<640xf32>) -> tensor<5x128xf32>
  %2 = stablehlo.reshape %1 : (tensor<5x128xf32>) -> tensor<1x5x128xf32>
  %3 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<5x128xf32>) -> tensor<1x5x128xf32>
  %4 = stablehlo.add %2, %3 : tensor<1x5x128xf32>
  return %4 : tensor<1x5x128xf32>
}
// -----
// compiled for native_layer_norm
func.func @main(%arg0: tensor<1x5x128xf32>, %arg1: tensor<128xf32>, %arg2: tensor<128xf32>, %arg3: tensor<f32>) -> (tensor<1x5x128xf32>, tensor<1x5x1xf32>, tensor<1x5x1xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [2] : (tensor<1x5x128xf32>, tensor<f32>) -> tensor<1x5xf32>
  %2 = stablehlo.reshape %1 : (tensor<1x5xf32>) -> tensor<1x5x1xf32>
  %3 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1x5x1xf32>
  %5 = stablehlo.divide %2, %4 : tensor<1x5x1xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<1x5x1xf32>) -> tensor<1x5x128xf32>
  %7 = stablehlo.subtract %arg0, %6 : tensor<1x5x128xf32>
  %8 = stablehlo.multiply %7, %7 : tensor<1x5x128xf32>
  %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [2] : (tensor<1x5x128xf32>, tensor<f32>) -> tensor<1x5xf32>
  %11 = stablehlo.reshape %10 : (tensor<1x5xf32>) -> tensor<1x5x1xf32>
  %12 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
  %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<1x5x1xf32>
  %14 = stablehlo.divide %11, %13 : tensor<1x5x1xf32>
  %15 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<1x5x1xf32>
  %16 = stablehlo.add %14, %15 : tensor<1x5x1xf32>
  %17 = stablehlo.rsqrt %16 : tensor<1x5x1xf32>
  %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1x5x1xf32>) -> tensor<1x5x128xf32>
  %19 = stablehlo.multiply %7, %18 : tensor<1x5x128xf32>
  %20 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<128xf32>) -> tensor<1x5x128xf32>
  %21 = stablehlo.multiply %19, %20 : tensor<1x5x128xf32>
  %22 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<128xf32>) -> tensor<1x5x128xf32>
  %23 = stablehlo.add %21, %22 : tensor<1x5x128xf32>
  return %23, %5, %17 : tensor<1x5x128xf32>, tensor<1x5x1xf32>, tensor<1x5x1xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<1x5x128xf32>, %arg1: tensor<384x128xf32>, %arg2: tensor<384xf32>) -> tensor<5x384xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x5x128xf32>) -> tensor<640xf32>
  %1 = stablehlo.reshape %0 : (tensor<640xf32>) -> tensor<5x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<384x128xf32>) -> tensor<49152xf32>
  %3 = stablehlo.reshape %2 : (tensor<49152xf32>) -> tensor<384x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<384x128xf32>) -> tensor<128x384xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x128xf32>, tensor<128x384xf32>) -> tensor<5x384xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<384xf32>) -> tensor<5x384xf32>
  %7 = stablehlo.add %5, %6 : tensor<5x384xf32>
  return %7 : tensor<5x384xf32>
}
// -----
// compiled for _scaled_dot_product_fused_attention_overrideable
func.func @main(%arg0: tensor<5x384xf32>, %arg1: tensor<2xi64>) -> (tensor<1x4x5x32xf32>, tensor<1x4x5xf32>, tensor<i64>, tensor<i64>) {
  %0 = stablehlo.reshape %arg0 : (tensor<5x384xf32>) -> tensor<1920xf32>
  %1 = stablehlo.slice %0 [0:1664] : (tensor<1920xf32>) -> tensor<1664xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.pad %1, %2, low = [0], high = [256], interior = [0] : (tensor<1664xf32>, tensor<f32>) -> tensor<1920xf32>
  %4 = stablehlo.reshape %3 : (tensor<1920xf32>) -> tensor<5x12x32xf32>
  %5 = stablehlo.slice %4 [0:5, 0:4, 0:32] : (tensor<5x12x32xf32>) -> tensor<5x4x32xf32>
  %6 = stablehlo.transpose %5, dims = [1, 0, 2] : (tensor<5x4x32xf32>) -> tensor<4x5x32xf32>
  %7 = stablehlo.reshape %6 : (tensor<4x5x32xf32>) -> tensor<1x4x5x32xf32>
  %8 = stablehlo.slice %arg1 [0:1] : (tensor<2xi64>) -> tensor<1xi64>
  %9 = stablehlo.reshape %8 : (tensor<1xi64>) -> tensor<i64>
  %10 = stablehlo.reshape %arg0 : (tensor<5x384xf32>) -> tensor<1920xf32>
  %11 = stablehlo.dynamic_slice %10, %9, sizes = [1664] : (tensor<1920xf32>, tensor<i64>) -> tensor<1664xf32>
  %12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %13 = stablehlo.pad %11, %12, low = [0], high = [256], interior = [0] : (tensor<1664xf32>, tensor<f32>) -> tensor<1920xf32>
  %14 = stablehlo.reshape %13 : (tensor<1920xf32>) -> tensor<5x12x32xf32>
  %15 = stablehlo.slice %14 [0:5, 0:4, 0:32] : (tensor<5x12x32xf32>) -> tensor<5x4x32xf32>
  %16 = stablehlo.transpose %15, dims = [1, 0, 2] : (tensor<5x4x32xf32>) -> tensor<4x5x32xf32>
  %17 = stablehlo.reshape %16 : (tensor<4x5x32xf32>) -> tensor<1x4x5x32xf32>
  %18 = stablehlo.slice %arg1 [1:2] : (tensor<2xi64>) -> tensor<1xi64>
  %19 = stablehlo.reshape %18 : (tensor<1xi64>) -> tensor<i64>
  %20 = stablehlo.reshape %arg0 : (tensor<5x384xf32>) -> tensor<1920xf32>
  %21 = stablehlo.dynamic_slice %20, %19, sizes = [1664] : (tensor<1920xf32>, tensor<i64>) -> tensor<1664xf32>
  %22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %23 = stablehlo.pad %21, %22, low = [0], high = [256], interior = [0] : (tensor<1664xf32>, tensor<f32>) -> tensor<1920xf32>
  %24 = stablehlo.reshape %23 : (tensor<1920xf32>) -> tensor<5x12x32xf32>
  %25 = stablehlo.slice %24 [0:5, 0:4, 0:32] : (tensor<5x12x32xf32>) -> tensor<5x4x32xf32>
  %26 = stablehlo.transpose %25, dims = [1, 0, 2] : (tensor<5x4x32xf32>) -> tensor<4x5x32xf32>
  %27 = stablehlo.reshape %26 : (tensor<4x5x32xf32>) -> tensor<1x4x5x32xf32>
  %28 = stablehlo.constant dense<1.7677669e-01> : tensor<f32>
  %29 = stablehlo.dot_general %7, %17, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST] : (tensor<1x4x5x32xf32>, tensor<1x4x5x32xf32>) -> tensor<1x4x5x5xf32>
  %30 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<1x4x5x5xf32>
  %31 = stablehlo.multiply %29, %30 : tensor<1x4x5x5xf32>
  %32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %33 = stablehlo.iota dim = 2 : tensor<1x4x5x5xi32>
  %34 = stablehlo.iota dim = 3 : tensor<1x4x5x5xi32>
  %35 = stablehlo.compare LE, %34, %33 : (tensor<1x4x5x5xi32>, tensor<1x4x5x5xi32>) -> tensor<1x4x5x5xi1>
  %36 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<1x4x5x5xf32>
  %37 = stablehlo.select %35, %31, %36 : tensor<1x4x5x5xi1>, tensor<1x4x5x5xf32>
  %38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %40 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %41 = stablehlo.reduce(%37 init: %40) applies stablehlo.maximum across dimensions = [3] : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x5xf32>
  %42 = stablehlo.reshape %41 : (tensor<1x4x5xf32>) -> tensor<1x4x5x1xf32>
  %43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %44 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<f32>) -> tensor<1x4x5x1xf32>
  %45 = stablehlo.compare EQ, %42, %44 : (tensor<1x4x5x1xf32>, tensor<1x4x5x1xf32>) -> tensor<1x4x5x1xi1>
  %46 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<1x4x5x1xf32>
  %47 = stablehlo.select %45, %46, %42 : tensor<1x4x5x1xi1>, tensor<1x4x5x1xf32>
  %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<1x4x5x1xf32>) -> tensor<1x4x5x5xf32>
  %49 = stablehlo.subtract %37, %48 : tensor<1x4x5x5xf32>
  %50 = stablehlo.exponential %49 : tensor<1x4x5x5xf32>
  %51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %52 = stablehlo.reduce(%50 init: %51) applies stablehlo.add across dimensions = [3] : (tensor<1x4x5x5xf32>, tensor<f32>) -> tensor<1x4x5xf32>
  %53 = stablehlo.reshape %52 : (tensor<1x4x5xf32>) -> tensor<1x4x5x1xf32>
  %54 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<1x4x5x1xf32>
  %55 = stablehlo.compare EQ, %53, %54 : (tensor<1x4x5x1xf32>, tensor<1x4x5x1xf32>) -> tensor<1x4x5x1xi1>
  %56 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f32>) -> tensor<1x4x5x1xf32>
  %57 = stablehlo.select %55, %56, %53 : tensor<1x4x5x1xi1>, tensor<1x4x5x1xf32>
  %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2, 3] : (tensor<1x4x5x1xf32>) -> tensor<1x4x5x5xf32>
  %59 = stablehlo.divide %50, %58 : tensor<1x4x5x5xf32>
  %60 = stablehlo.log %53 : tensor<1x4x5x1xf32>
  %61 = stablehlo.add %47, %60 : tensor<1x4x5x1xf32>
  %62 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %63 = stablehlo.broadcast_in_dim %62, dims = [] : (tensor<f32>) -> tensor<1x4x5x1xf32>
  %64 = stablehlo.select %55, %63, %61 : tensor<1x4x5x1xi1>, tensor<1x4x5x1xf32>
  %65 = stablehlo.dot_general %59, %27, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [HIGHEST, HIGHEST] : (tensor<1x4x5x5xf32>, tensor<1x4x5x32xf32>) -> tensor<1x4x5x32xf32>
  %66 = stablehlo.constant dense<0> : tensor<i64>
  %67 = stablehlo.reshape %64 : (tensor<1x4x5x1xf32>) -> tensor<1x4x5xf32>
  return %65, %67, %66, %66 : tensor<1x4x5x32xf32>, tensor<1x4x5xf32>, tensor<i64>, tensor<i64>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1x4x5x32xf32>) -> tensor<1x5x4x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x4x5x32xf32>) -> tensor<640xf32>
  %1 = stablehlo.reshape %0 : (tensor<640xf32>) -> tensor<4x5x32xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<4x5x32xf32>) -> tensor<5x4x32xf32>
  %3 = stablehlo.reshape %2 : (tensor<5x4x32xf32>) -> tensor<1x5x4x32xf32>
  return %3 : tensor<1x5x4x32xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<1x5x4x32xf32>, %arg1: tensor<128x128xf32>, %arg2: tensor<128xf32>) -> tensor<5x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x5x4x32xf32>) -> tensor<640xf32>
  %1 = stablehlo.reshape %0 : (tensor<640xf32>) -> tensor<5x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x128xf32>) -> tensor<16384xf32>
  %3 = stablehlo.reshape %2 : (tensor<16384xf32>) -> tensor<128x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x128xf32>, tensor<128x128xf32>) -> tensor<5x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<128xf32>) -> tensor<5x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<5x128xf32>
  return %7 : tensor<5x128xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<1x5x128xf32>, %arg1: tensor<5x128xf32>) -> tensor<1x5x128xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<5x128xf32>) -> tensor<640xf32>
  %1 = stablehlo.reshape %0 : (tensor<640xf32>) -> tensor<5x128xf32>
  %2 = stablehlo.reshape %1 : (tensor<5x128xf32>) -> tensor<1x5x128xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<1x5x128xf32>
  return %3 : tensor<1x5x128xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<1x5x128xf32>, %arg1: tensor<512x128xf32>, %arg2: tensor<512xf32>) -> tensor<5x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x5x128xf32>) -> tensor<640xf32>
  %1 = stablehlo.reshape %0 : (tensor<640xf32>) -> tensor<5x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<512x128xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<512x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<512x128xf32>) -> tensor<128x512xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x128xf32>, tensor<128x512xf32>) -> tensor<5x512xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<512xf32>) -> tensor<5x512xf32>
  %7 = stablehlo.add %5, %6 : tensor<5x512xf32>
  return %7 : tensor<5x512xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<5x512xf32>) -> tensor<1x5x512xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<5x512xf32>) -> tensor<2560xf32>
  %1 = stablehlo.reshape %0 : (tensor<2560xf32>) -> tensor<5x512xf32>
  %2 = stablehlo.reshape %1 : (tensor<5x512xf32>) -> tensor<1x5x512xf32>
  %3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1x5x512xf32>
  %5 = stablehlo.multiply %2, %4 : tensor<1x5x512xf32>
  %6 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<1x5x512xf32>
  %8 = stablehlo.multiply %2, %7 : tensor<1x5x512xf32>
  %9 = chlo.erf %8 : tensor<1x5x512xf32> -> tensor<1x5x512xf32>
  %10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<1x5x512xf32>
  %12 = stablehlo.add %9, %11 : tensor<1x5x512xf32>
  %13 = stablehlo.multiply %5, %12 : tensor<1x5x512xf32>
  return %13 : tensor<1x5x512xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<1x5x512xf32>, %arg1: tensor<128x512xf32>, %arg2: tensor<128xf32>) -> tensor<5x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x5x512xf32>) -> tensor<2560xf32>
  %1 = stablehlo.reshape %0 : (tensor<2560xf32>) -> tensor<5x512xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x512xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<128x512xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x512xf32>) -> tensor<512x128xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x512xf32>, tensor<512x128xf32>) -> tensor<5x128xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<128xf32>) -> tensor<5x128xf32>
  %7 = stablehlo.add %5, %6 : tensor<5x128xf32>
  return %7 : tensor<5x128xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<1x5x128xf32>, %arg1: tensor<96x128xf32>) -> tensor<5x96xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x5x128xf32>) -> tensor<640xf32>
  %1 = stablehlo.reshape %0 : (tensor<640xf32>) -> tensor<5x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<96x128xf32>) -> tensor<12288xf32>
  %3 = stablehlo.reshape %2 : (tensor<12288xf32>) -> tensor<96x128xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<96x128xf32>) -> tensor<128x96xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x128xf32>, tensor<128x96xf32>) -> tensor<5x96xf32>
  return %5 : tensor<5x96xf32>
}
// -----
// compiled for div.out
func.func @main(%arg0: tensor<5x96xf32>, %arg1: tensor<f64>, %arg2: tensor<1xi64>) -> tensor<1x96xf32> {
  %0 = stablehlo.reshape %arg2 : (tensor<1xi64>) -> tensor<i64>
  %1 = stablehlo.reshape %arg0 : (tensor<5x96xf32>) -> tensor<480xf32>
  %2 = stablehlo.dynamic_slice %1, %0, sizes = [96] : (tensor<480xf32>, tensor<i64>) -> tensor<96xf32>
  %3 = stablehlo.reshape %2 : (tensor<96xf32>) -> tensor<1x96xf32>
  %4 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<1x96xf32>
  %6 = stablehlo.divide %3, %5 : tensor<1x96xf32>
  return %6 : tensor<1x96xf32>
}
// -----
// compiled for cat.out
func.func @main(%arg0: tensor<1x5xi64>, %arg1: tensor<1x1xi64>) -> tensor<1x6xi64> {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<1x5xi64>, tensor<1x1xi64>) -> tensor<1x6xi64>
  return %0 : tensor<1x6xi64>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<64x784xf32>, %arg1: tensor<784x256xf32>, %arg2: tensor<256xf32>) -> tensor<64x256xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<784x256xf32>) -> tensor<200704xf32>
  %1 = stablehlo.reshape %0 : (tensor<200704xf32>) -> tensor<256x784xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<256x784xf32>) -> tensor<784x256xf32>
  %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x784xf32>, tensor<784x256xf32>) -> tensor<64x256xf32>
  %4 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<256xf32>) -> tensor<64x256xf32>
  %5 = stablehlo.add %3, %4 : tensor<64x256xf32>
  return %5 : tensor<64x256xf32>
}
// -----
// compiled for relu
func.func @main(%arg0: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %2 = stablehlo.maximum %arg0, %1 : tensor<64x256xf32>
  return %2 : tensor<64x256xf32>
}
// -----
// compiled for native_dropout
func.func @main(%arg0: tensor<64x256xf32>, %arg1: tensor<f32>, %arg2: tensor<2xui64>) -> (tensor<64x256xf32>, tensor<64x256xi1>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %2 = stablehlo.subtract %1, %arg1 : tensor<f32>
  %3 = stablehlo.constant dense<5.9604645e-08> : tensor<f32>
  %4:2 = stablehlo.rng_bit_generator %arg2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<64x256xui32>)
  %5 = stablehlo.constant dense<8> : tensor<ui32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<ui32>) -> tensor<64x256xui32>
  %7 = stablehlo.shift_right_logical %4#1, %6 : tensor<64x256xui32>
  %8 = stablehlo.convert %7 : (tensor<64x256xui32>) -> tensor<64x256xf32>
  %9 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %10 = stablehlo.multiply %8, %9 : tensor<64x256xf32>
  %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %12 = stablehlo.compare LT, %10, %11 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xi1>
  %13 = stablehlo.divide %1, %2 : tensor<f32>
  %14 = stablehlo.compare EQ, %2, %0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %15 = stablehlo.select %14, %0, %13 : tensor<i1>, tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %17 = stablehlo.multiply %arg0, %16 : tensor<64x256xf32>
  %18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %20 = stablehlo.select %12, %17, %19 : tensor<64x256xi1>, tensor<64x256xf32>
  return %20, %12 : tensor<64x256xf32>, tensor<64x256xi1>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<64x256xf32>, %arg1: tensor<256x10xf32>, %arg2: tensor<10xf32>) -> tensor<64x10xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<256x10xf32>) -> tensor<2560xf32>
  %1 = stablehlo.reshape %0 : (tensor<2560xf32>) -> tensor<10x256xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<10x256xf32>) -> tensor<256x10xf32>
  %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x256xf32>, tensor<256x10xf32>) -> tensor<64x10xf32>
  %4 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<10xf32>) -> tensor<64x10xf32>
  %5 = stablehlo.add %3, %4 : tensor<64x10xf32>
  return %5 : tensor<64x10xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x10xf32>, %arg1: tensor<256x10xf32>) -> tensor<64x256xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<256x10xf32>) -> tensor<2560xf32>
  %1 = stablehlo.reshape %0 : (tensor<2560xf32>) -> tensor<10x256xf32>
  %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x10xf32>, tensor<10x256xf32>) -> tensor<64x256xf32>
  return %2 : tensor<64x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x10xf32>, %arg1: tensor<64x256xf32>) -> tensor<10x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x10xf32>) -> tensor<640xf32>
  %1 = stablehlo.reshape %0 : (tensor<640xf32>) -> tensor<64x10xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<64x10xf32>) -> tensor<10x64xf32>
  %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<10x64xf32>, tensor<64x256xf32>) -> tensor<10x256xf32>
  return %3 : tensor<10x256xf32>
}
// -----
// compiled for native_dropout_backward
func.func @main(%arg0: tensor<64x256xf32>, %arg1: tensor<64x256xi1>, %arg2: tensor<f32>) -> tensor<64x256xf32> {
  %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<64x256xf32>
  %2 = stablehlo.convert %arg1 : (tensor<64x256xi1>) -> tensor<64x256xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<64x256xf32>
  return %3 : tensor<64x256xf32>
}
// -----
// compiled for threshold_backward.grad_input
func.func @main(%arg0: tensor<64x256xf32>, %arg1: tensor<64x256xf32>, %arg2: tensor<f32>) -> tensor<64x256xf32> {
  %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %1 = stablehlo.compare LE, %arg1, %0 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xi1>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %4 = stablehlo.select %1, %3, %arg0 : tensor<64x256xi1>, tensor<64x256xf32>
  return %4 : tensor<64x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x256xf32>, %arg1: tensor<64x784xf32>) -> tensor<256x784xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x256xf32>) -> tensor<16384xf32>
  %1 = stablehlo.reshape %0 : (tensor<16384xf32>) -> tensor<64x256xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
  %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<256x64xf32>, tensor<64x784xf32>) -> tensor<256x784xf32>
  return %3 : tensor<256x784xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<64x256xf32>) -> tensor<1x256xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<64x256xf32>, tensor<f32>) -> tensor<256xf32>
  %2 = stablehlo.reshape %1 : (tensor<256xf32>) -> tensor<1x256xf32>
  return %2 : tensor<1x256xf32>
}
// -----
// compiled for _foreach_norm.Scalar
func.func @main(%arg0: tensor<256x784xf32>, %arg1: tensor<1x256xf32>, %arg2: tensor<10x256xf32>, %arg3: tensor<1x10xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.reshape %arg1 : (tensor<1x256xf32>) -> tensor<256xf32>
  %1 = stablehlo.reshape %arg3 : (tensor<1x10xf32>) -> tensor<10xf32>
  %2 = stablehlo.multiply %arg0, %arg0 : tensor<256x784xf32>
  %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%2 init: %3) applies stablehlo.add across dimensions = [0, 1] : (tensor<256x784xf32>, tensor<f32>) -> tensor<f32>
  %5 = stablehlo.sqrt %4 : tensor<f32>
  %6 = stablehlo.multiply %0, %0 : tensor<256xf32>
  %7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %8 = stablehlo.reduce(%6 init: %7) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %9 = stablehlo.sqrt %8 : tensor<f32>
  %10 = stablehlo.multiply %arg2, %arg2 : tensor<10x256xf32>
  %11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x256xf32>, tensor<f32>) -> tensor<f32>
  %13 = stablehlo.sqrt %12 : tensor<f32>
  %14 = stablehlo.multiply %1, %1 : tensor<10xf32>
  %15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %16 = stablehlo.reduce(%14 init: %15) applies stablehlo.add across dimensions = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<f32>
  %17 = stablehlo.sqrt %16 : tensor<f32>
  return %5, %9, %13, %17 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
// -----
// compiled for cat.out
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<f32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<f32>) -> tensor<1xf32>
  %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
  %5 = stablehlo.reshape %4 : (tensor<f32>) -> tensor<1xf32>
  %6 = stablehlo.reshape %arg2 : (tensor<f32>) -> tensor<1xf32>
  %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
  %8 = stablehlo.reshape %7 : (tensor<f32>) -> tensor<1xf32>
  %9 = stablehlo.reshape %arg3 : (tensor<f32>) -> tensor<1xf32>
  %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
  %11 = stablehlo.reshape %10 : (tensor<f32>) -> tensor<1xf32>
  %12 = stablehlo.concatenate %2, %5, %8, %11, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %12 : tensor<4xf32>
}
// -----
// compiled for linalg_vector_norm.out
func.func @main(%arg0: tensor<4xf32>) -> tensor<f32> {
  %0 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
  %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.sqrt %2 : tensor<f32>
  return %3 : tensor<f32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f64>) -> tensor<f32> {
  %0 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %1 = stablehlo.add %arg0, %0 : tensor<f32>
  return %1 : tensor<f32>
}
// -----
// compiled for reciprocal.out
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %1 = stablehlo.divide %0, %arg0 : tensor<f32>
  return %1 : tensor<f32>
}
// -----
// compiled for clamp.out
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.minimum %arg0, %arg1 : tensor<f32>
  return %0 : tensor<f32>
}
// -----
// compiled for _foreach_mul_.Tensor
func.func @main(%arg0: tensor<256x784xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<f32>, %arg2: tensor<1x256xf32>, %arg3: tensor<10x256xf32> {tf.aliasing_output = 2 : i32}, %arg4: tensor<1x10xf32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.reshape %arg2 : (tensor<1x256xf32>) -> tensor<256xf32>
  %1 = stablehlo.reshape %arg4 : (tensor<1x10xf32>) -> tensor<10xf32>
  %2 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %3 = stablehlo.multiply %arg0, %2 : tensor<256x784xf32>
  %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %5 = stablehlo.multiply %0, %4 : tensor<256xf32>
  %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %7 = stablehlo.multiply %arg3, %6 : tensor<10x256xf32>
  %8 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %9 = stablehlo.multiply %1, %8 : tensor<10xf32>
  return %3, %5, %7, %9 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<256x784xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  return %1 : tensor<256x784xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<256xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<256xf32>
  return %1 : tensor<256xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<10x256xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  return %1 : tensor<10x256xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<10xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<10xf32>
  return %1 : tensor<10xf32>
}
// -----
// compiled for _foreach_mul_.Scalar
func.func @main(%arg0: tensor<784x256xf32>, %arg1: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<256x10xf32>, %arg3: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<f32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<784x256xf32>) -> tensor<200704xf32>
  %1 = stablehlo.reshape %0 : (tensor<200704xf32>) -> tensor<256x784xf32>
  %2 = stablehlo.reshape %arg2 : (tensor<256x10xf32>) -> tensor<2560xf32>
  %3 = stablehlo.reshape %2 : (tensor<2560xf32>) -> tensor<10x256xf32>
  %4 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %5 = stablehlo.multiply %1, %4 : tensor<256x784xf32>
  %6 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %7 = stablehlo.multiply %arg1, %6 : tensor<256xf32>
  %8 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %9 = stablehlo.multiply %3, %8 : tensor<10x256xf32>
  %10 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %11 = stablehlo.multiply %arg3, %10 : tensor<10xf32>
  return %5, %7, %9, %11 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_lerp_.Scalar
func.func @main(%arg0: tensor<256x784xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<256x784xf32>, %arg2: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<256xf32>, %arg4: tensor<10x256xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<10x256xf32>, %arg6: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<10xf32>, %arg8: tensor<f32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.abs %arg8 : tensor<f32>
  %1 = stablehlo.subtract %arg1, %arg0 : tensor<256x784xf32>
  %2 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<256x784xf32>
  %4 = stablehlo.add %arg0, %3 : tensor<256x784xf32>
  %5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %6 = stablehlo.subtract %5, %arg8 : tensor<f32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %8 = stablehlo.multiply %1, %7 : tensor<256x784xf32>
  %9 = stablehlo.subtract %arg1, %8 : tensor<256x784xf32>
  %10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %11 = stablehlo.compare LT, %0, %10 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %12 = stablehlo.select %11, %4, %9 : tensor<i1>, tensor<256x784xf32>
  %13 = stablehlo.abs %arg8 : tensor<f32>
  %14 = stablehlo.subtract %arg3, %arg2 : tensor<256xf32>
  %15 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %16 = stablehlo.multiply %14, %15 : tensor<256xf32>
  %17 = stablehlo.add %arg2, %16 : tensor<256xf32>
  %18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %19 = stablehlo.subtract %18, %arg8 : tensor<f32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %21 = stablehlo.multiply %14, %20 : tensor<256xf32>
  %22 = stablehlo.subtract %arg3, %21 : tensor<256xf32>
  %23 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %24 = stablehlo.compare LT, %13, %23 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %25 = stablehlo.select %24, %17, %22 : tensor<i1>, tensor<256xf32>
  %26 = stablehlo.abs %arg8 : tensor<f32>
  %27 = stablehlo.subtract %arg5, %arg4 : tensor<10x256xf32>
  %28 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %29 = stablehlo.multiply %27, %28 : tensor<10x256xf32>
  %30 = stablehlo.add %arg4, %29 : tensor<10x256xf32>
  %31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %32 = stablehlo.subtract %31, %arg8 : tensor<f32>
  %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %34 = stablehlo.multiply %27, %33 : tensor<10x256xf32>
  %35 = stablehlo.subtract %arg5, %34 : tensor<10x256xf32>
  %36 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %37 = stablehlo.compare LT, %26, %36 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %38 = stablehlo.select %37, %30, %35 : tensor<i1>, tensor<10x256xf32>
  %39 = stablehlo.abs %arg8 : tensor<f32>
  %40 = stablehlo.subtract %arg7, %arg6 : tensor<10xf32>
  %41 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %42 = stablehlo.multiply %40, %41 : tensor<10xf32>
  %43 = stablehlo.add %arg6, %42 : tensor<10xf32>
  %44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %45 = stablehlo.subtract %44, %arg8 : tensor<f32>
  %46 = stablehlo.broadcast_in_dim %45, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %47 = stablehlo.multiply %40, %46 : tensor<10xf32>
  %48 = stablehlo.subtract %arg7, %47 : tensor<10xf32>
  %49 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %50 = stablehlo.compare LT, %39, %49 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %51 = stablehlo.select %50, %43, %48 : tensor<i1>, tensor<10xf32>
  return %12, %25, %38, %51 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_mul_.Scalar
func.func @main(%arg0: tensor<256x784xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<10x256xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<f32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<256x784xf32>
  %2 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %3 = stablehlo.multiply %arg1, %2 : tensor<256xf32>
  %4 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %5 = stablehlo.multiply %arg2, %4 : tensor<10x256xf32>
  %6 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %7 = stablehlo.multiply %arg3, %6 : tensor<10xf32>
  return %1, %3, %5, %7 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_addcmul_.Scalar
func.func @main(%arg0: tensor<256x784xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<256x784xf32>, %arg2: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<256xf32>, %arg4: tensor<10x256xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<10x256xf32>, %arg6: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<10xf32>, %arg8: tensor<f32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %1 = stablehlo.multiply %arg1, %0 : tensor<256x784xf32>
  %2 = stablehlo.multiply %1, %arg1 : tensor<256x784xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<256x784xf32>
  %4 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %5 = stablehlo.multiply %arg3, %4 : tensor<256xf32>
  %6 = stablehlo.multiply %5, %arg3 : tensor<256xf32>
  %7 = stablehlo.add %arg2, %6 : tensor<256xf32>
  %8 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %9 = stablehlo.multiply %arg5, %8 : tensor<10x256xf32>
  %10 = stablehlo.multiply %9, %arg5 : tensor<10x256xf32>
  %11 = stablehlo.add %arg4, %10 : tensor<10x256xf32>
  %12 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %13 = stablehlo.multiply %arg7, %12 : tensor<10xf32>
  %14 = stablehlo.multiply %13, %arg7 : tensor<10xf32>
  %15 = stablehlo.add %arg6, %14 : tensor<10xf32>
  return %3, %7, %11, %15 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_sqrt
func.func @main(%arg0: tensor<256x784xf32>, %arg1: tensor<256xf32>, %arg2: tensor<10x256xf32>, %arg3: tensor<10xf32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.sqrt %arg0 : tensor<256x784xf32>
  %1 = stablehlo.sqrt %arg1 : tensor<256xf32>
  %2 = stablehlo.sqrt %arg2 : tensor<10x256xf32>
  %3 = stablehlo.sqrt %arg3 : tensor<10xf32>
  return %0, %1, %2, %3 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_div_.ScalarList
func.func @main(%arg0: tensor<256x784xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<10x256xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %1 = stablehlo.divide %arg0, %0 : tensor<256x784xf32>
  %2 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %3 = stablehlo.divide %arg1, %2 : tensor<256xf32>
  %4 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %5 = stablehlo.divide %arg2, %4 : tensor<10x256xf32>
  %6 = stablehlo.broadcast_in_dim %arg7, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %7 = stablehlo.divide %arg3, %6 : tensor<10xf32>
  return %1, %3, %5, %7 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_add_.Scalar
func.func @main(%arg0: tensor<256x784xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<10x256xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<f32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<256x784xf32>
  %2 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %3 = stablehlo.add %arg1, %2 : tensor<256xf32>
  %4 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %5 = stablehlo.add %arg2, %4 : tensor<10x256xf32>
  %6 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %7 = stablehlo.add %arg3, %6 : tensor<10xf32>
  return %1, %3, %5, %7 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_addcdiv_.ScalarList
func.func @main(%arg0: tensor<256x784xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<256x784xf32>, %arg2: tensor<256x784xf32>, %arg3: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg4: tensor<256xf32>, %arg5: tensor<256xf32>, %arg6: tensor<10x256xf32> {tf.aliasing_output = 2 : i32}, %arg7: tensor<10x256xf32>, %arg8: tensor<10x256xf32>, %arg9: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg10: tensor<10xf32>, %arg11: tensor<10xf32>, %arg12: tensor<f32>, %arg13: tensor<f32>, %arg14: tensor<f32>, %arg15: tensor<f32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg12, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %1 = stablehlo.multiply %arg1, %0 : tensor<256x784xf32>
  %2 = stablehlo.divide %1, %arg2 : tensor<256x784xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<256x784xf32>
  %4 = stablehlo.broadcast_in_dim %arg13, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %5 = stablehlo.multiply %arg4, %4 : tensor<256xf32>
  %6 = stablehlo.divide %5, %arg5 : tensor<256xf32>
  %7 = stablehlo.add %arg3, %6 : tensor<256xf32>
  %8 = stablehlo.broadcast_in_dim %arg14, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %9 = stablehlo.multiply %arg7, %8 : tensor<10x256xf32>
  %10 = stablehlo.divide %9, %arg8 : tensor<10x256xf32>
  %11 = stablehlo.add %arg6, %10 : tensor<10x256xf32>
  %12 = stablehlo.broadcast_in_dim %arg15, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %13 = stablehlo.multiply %arg10, %12 : tensor<10xf32>
  %14 = stablehlo.divide %13, %arg11 : tensor<10xf32>
  %15 = stablehlo.add %arg9, %14 : tensor<10xf32>
  return %3, %7, %11, %15 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<64x784xf32>, %arg1: tensor<256x784xf32>, %arg2: tensor<256xf32>) -> tensor<64x256xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<256x784xf32>) -> tensor<200704xf32>
  %1 = stablehlo.reshape %0 : (tensor<200704xf32>) -> tensor<256x784xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<256x784xf32>) -> tensor<784x256xf32>
  %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x784xf32>, tensor<784x256xf32>) -> tensor<64x256xf32>
  %4 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<256xf32>) -> tensor<64x256xf32>
  %5 = stablehlo.add %3, %4 : tensor<64x256xf32>
  return %5 : tensor<64x256xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<64x256xf32>, %arg1: tensor<10x256xf32>, %arg2: tensor<10xf32>) -> tensor<64x10xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<10x256xf32>) -> tensor<2560xf32>
  %1 = stablehlo.reshape %0 : (tensor<2560xf32>) -> tensor<10x256xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<10x256xf32>) -> tensor<256x10xf32>
  %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x256xf32>, tensor<256x10xf32>) -> tensor<64x10xf32>
  %4 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<10xf32>) -> tensor<64x10xf32>
  %5 = stablehlo.add %3, %4 : tensor<64x10xf32>
  return %5 : tensor<64x10xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x10xf32>, %arg1: tensor<10x256xf32>) -> tensor<64x256xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x10xf32>, tensor<10x256xf32>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}
// -----
// compiled for argmax.out
func.func @main(%arg0: tensor<64x10xf32>) -> tensor<64xi64> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<64x10xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.reshape %1 : (tensor<64xf32>) -> tensor<64x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<64x1xf32>) -> tensor<64x10xf32>
  %4 = stablehlo.compare EQ, %arg0, %3 : (tensor<64x10xf32>, tensor<64x10xf32>) -> tensor<64x10xi1>
  %5 = stablehlo.compare NE, %arg0, %arg0 : (tensor<64x10xf32>, tensor<64x10xf32>) -> tensor<64x10xi1>
  %6 = stablehlo.or %4, %5 : tensor<64x10xi1>
  %7 = stablehlo.iota dim = 1 : tensor<64x10xi32>
  %8 = stablehlo.constant dense<2147483647> : tensor<i32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i32>) -> tensor<64x10xi32>
  %10 = stablehlo.select %6, %7, %9 : tensor<64x10xi1>, tensor<64x10xi32>
  %11 = stablehlo.constant dense<2147483647> : tensor<i32>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.minimum across dimensions = [1] : (tensor<64x10xi32>, tensor<i32>) -> tensor<64xi32>
  %13 = stablehlo.convert %12 : (tensor<64xi32>) -> tensor<64xi64>
  return %13 : tensor<64xi64>
}
// -----
// compiled for eq.Tensor_out
func.func @main(%arg0: tensor<64xi64>, %arg1: tensor<64xi64>) -> tensor<64xi1> {
  %0 = stablehlo.compare EQ, %arg0, %arg1 : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi1>
  return %0 : tensor<64xi1>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<256x784xf32>) -> tensor<256x784xf32> {
  return %arg0 : tensor<256x784xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<256xf32>) -> tensor<256xf32> {
  return %arg0 : tensor<256xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<10x256xf32>) -> tensor<10x256xf32> {
  return %arg0 : tensor<10x256xf32>
}
// -----
// compiled for _foreach_add_.List
func.func @main(%arg0: tensor<784x256xf32>, %arg1: tensor<256x784xf32>, %arg2: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<256xf32>, %arg4: tensor<256x10xf32>, %arg5: tensor<10x256xf32>, %arg6: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<10xf32>, %arg8: tensor<f32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<784x256xf32>) -> tensor<200704xf32>
  %1 = stablehlo.reshape %0 : (tensor<200704xf32>) -> tensor<256x784xf32>
  %2 = stablehlo.reshape %arg4 : (tensor<256x10xf32>) -> tensor<2560xf32>
  %3 = stablehlo.reshape %2 : (tensor<2560xf32>) -> tensor<10x256xf32>
  %4 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %5 = stablehlo.multiply %arg1, %4 : tensor<256x784xf32>
  %6 = stablehlo.add %1, %5 : tensor<256x784xf32>
  %7 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %8 = stablehlo.multiply %arg3, %7 : tensor<256xf32>
  %9 = stablehlo.add %arg2, %8 : tensor<256xf32>
  %10 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %11 = stablehlo.multiply %arg5, %10 : tensor<10x256xf32>
  %12 = stablehlo.add %3, %11 : tensor<10x256xf32>
  %13 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %14 = stablehlo.multiply %arg7, %13 : tensor<10xf32>
  %15 = stablehlo.add %arg6, %14 : tensor<10xf32>
  return %6, %9, %12, %15 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_add_.List
func.func @main(%arg0: tensor<256x784xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<256x784xf32>, %arg2: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<256xf32>, %arg4: tensor<10x256xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<10x256xf32>, %arg6: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<10xf32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<256x784xf32>
  %1 = stablehlo.add %arg2, %arg3 : tensor<256xf32>
  %2 = stablehlo.add %arg4, %arg5 : tensor<10x256xf32>
  %3 = stablehlo.add %arg6, %arg7 : tensor<10xf32>
  return %0, %1, %2, %3 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for _foreach_add_.List
func.func @main(%arg0: tensor<256x784xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<256x784xf32>, %arg2: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<256xf32>, %arg4: tensor<10x256xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<10x256xf32>, %arg6: tensor<10xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<10xf32>, %arg8: tensor<f32>) -> (tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<256x784xf32>
  %1 = stablehlo.multiply %arg1, %0 : tensor<256x784xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<256x784xf32>
  %3 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %4 = stablehlo.multiply %arg3, %3 : tensor<256xf32>
  %5 = stablehlo.add %arg2, %4 : tensor<256xf32>
  %6 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<10x256xf32>
  %7 = stablehlo.multiply %arg5, %6 : tensor<10x256xf32>
  %8 = stablehlo.add %arg4, %7 : tensor<10x256xf32>
  %9 = stablehlo.broadcast_in_dim %arg8, dims = [] : (tensor<f32>) -> tensor<10xf32>
  %10 = stablehlo.multiply %arg7, %9 : tensor<10xf32>
  %11 = stablehlo.add %arg6, %10 : tensor<10xf32>
  return %2, %5, %8, %11 : tensor<256x784xf32>, tensor<256xf32>, tensor<10x256xf32>, tensor<10xf32>
}
// -----
// compiled for index_select
func.func @main(%arg0: tensor<1024x256xf32>, %arg1: tensor<512xi64>) -> (tensor<512x256xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<512> : tensor<i64>
  %1 = stablehlo.constant dense<1024> : tensor<i64>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %3 = stablehlo.compare GE, %arg1, %2 : (tensor<512xi64>, tensor<512xi64>) -> tensor<512xi1>
  %4 = stablehlo.constant dense<0> : tensor<i64>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %6 = stablehlo.compare LT, %arg1, %5 : (tensor<512xi64>, tensor<512xi64>) -> tensor<512xi1>
  %7 = stablehlo.or %6, %3 : tensor<512xi1>
  %8 = stablehlo.iota dim = 0 : tensor<512xi64>
  %9 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %10 = stablehlo.select %7, %8, %9 : tensor<512xi1>, tensor<512xi64>
  %11 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.minimum across dimensions = [0] : (tensor<512xi64>, tensor<i64>) -> tensor<i64>
  %13 = stablehlo.constant dense<511> : tensor<i64>
  %14 = stablehlo.minimum %12, %13 : tensor<i64>
  %15 = stablehlo.compare LT, %12, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %16 = stablehlo.convert %15 : (tensor<i1>) -> tensor<i64>
  %17 = stablehlo.reshape %16 : (tensor<i64>) -> tensor<1xi64>
  %18 = stablehlo.dynamic_slice %arg1, %14, sizes = [1] : (tensor<512xi64>, tensor<i64>) -> tensor<1xi64>
  %19 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 256>}> : (tensor<1024x256xf32>, tensor<512xi64>) -> tensor<512x256xf32>
  %20 = stablehlo.concatenate %17, %18, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %19, %20 : tensor<512x256xf32>, tensor<2xi64>
}
// -----
// compiled for native_layer_norm
func.func @main(%arg0: tensor<512x256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<256xf32>, %arg3: tensor<f32>) -> (tensor<8x64x256xf32>, tensor<8x64x1xf32>, tensor<8x64x1xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<512x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<8x64x256xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [2] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<8x64xf32>
  %4 = stablehlo.reshape %3 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
  %5 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
  %7 = stablehlo.divide %4, %6 : tensor<8x64x1xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %9 = stablehlo.subtract %1, %8 : tensor<8x64x256xf32>
  %10 = stablehlo.multiply %9, %9 : tensor<8x64x256xf32>
  %11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.add across dimensions = [2] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<8x64xf32>
  %13 = stablehlo.reshape %12 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
  %14 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
  %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
  %16 = stablehlo.divide %13, %15 : tensor<8x64x1xf32>
  %17 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
  %18 = stablehlo.add %16, %17 : tensor<8x64x1xf32>
  %19 = stablehlo.rsqrt %18 : tensor<8x64x1xf32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %21 = stablehlo.multiply %9, %20 : tensor<8x64x256xf32>
  %22 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<256xf32>) -> tensor<8x64x256xf32>
  %23 = stablehlo.multiply %21, %22 : tensor<8x64x256xf32>
  %24 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<256xf32>) -> tensor<8x64x256xf32>
  %25 = stablehlo.add %23, %24 : tensor<8x64x256xf32>
  return %25, %7, %19 : tensor<8x64x256xf32>, tensor<8x64x1xf32>, tensor<8x64x1xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<8x64x256xf32>) -> tensor<64x8x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<8x64x256xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<8x64x256xf32>) -> tensor<64x8x256xf32>
  return %2 : tensor<64x8x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x8x256xf32>, %arg1: tensor<256x768xf32>) -> tensor<512x768xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<256x768xf32>) -> tensor<196608xf32>
  %3 = stablehlo.reshape %2 : (tensor<196608xf32>) -> tensor<768x256xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<768x256xf32>) -> tensor<256x768xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x256xf32>, tensor<256x768xf32>) -> tensor<512x768xf32>
  return %5 : tensor<512x768xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<512x768xf32>, %arg1: tensor<768xf32>) -> tensor<64x8x768xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<512x768xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<64x8x768xf32>
  %2 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<768xf32>) -> tensor<64x8x768xf32>
  %3 = stablehlo.add %1, %2 : tensor<64x8x768xf32>
  return %3 : tensor<64x8x768xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<64x8x768xf32>) -> tensor<3x64x8x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x768xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<64x8x3x256xf32>
  %2 = stablehlo.transpose %1, dims = [2, 0, 1, 3] : (tensor<64x8x3x256xf32>) -> tensor<3x64x8x256xf32>
  return %2 : tensor<3x64x8x256xf32>
}
// -----
// compiled for mul.out
func.func @main(%arg0: tensor<3x64x8x256xf32>, %arg1: tensor<f64>) -> tensor<64x8x8x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<3x64x8x256xf32>) -> tensor<393216xf32>
  %1 = stablehlo.slice %0 [0:131072] : (tensor<393216xf32>) -> tensor<131072xf32>
  %2 = stablehlo.reshape %1 : (tensor<131072xf32>) -> tensor<64x8x8x32xf32>
  %3 = stablehlo.transpose %2, dims = [1, 2, 0, 3] : (tensor<64x8x8x32xf32>) -> tensor<8x8x64x32xf32>
  %4 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<8x8x64x32xf32>
  %6 = stablehlo.multiply %3, %5 : tensor<8x8x64x32xf32>
  %7 = stablehlo.transpose %6, dims = [2, 0, 1, 3] : (tensor<8x8x64x32xf32>) -> tensor<64x8x8x32xf32>
  return %7 : tensor<64x8x8x32xf32>
}
// -----
// compiled for mul.out
func.func @main(%arg0: tensor<3x64x8x256xf32>, %arg1: tensor<f64>, %arg2: tensor<1xi64>) -> tensor<64x8x8x32xf32> {
  %0 = stablehlo.reshape %arg2 : (tensor<1xi64>) -> tensor<i64>
  %1 = stablehlo.reshape %arg0 : (tensor<3x64x8x256xf32>) -> tensor<393216xf32>
  %2 = stablehlo.dynamic_slice %1, %0, sizes = [131072] : (tensor<393216xf32>, tensor<i64>) -> tensor<131072xf32>
  %3 = stablehlo.reshape %2 : (tensor<131072xf32>) -> tensor<64x8x8x32xf32>
  %4 = stablehlo.transpose %3, dims = [1, 2, 3, 0] : (tensor<64x8x8x32xf32>) -> tensor<8x8x32x64xf32>
  %5 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8x8x32x64xf32>
  %7 = stablehlo.multiply %4, %6 : tensor<8x8x32x64xf32>
  %8 = stablehlo.transpose %7, dims = [3, 0, 1, 2] : (tensor<8x8x32x64xf32>) -> tensor<64x8x8x32xf32>
  return %8 : tensor<64x8x8x32xf32>
}
// -----
// compiled for bmm.out
func.func @main(%arg0: tensor<64x8x8x32xf32>, %arg1: tensor<64x8x8x32xf32>) -> tensor<64x64x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x8x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<64x64x32xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<64x64x32xf32>) -> tensor<64x64x32xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<64x8x8x32xf32>) -> tensor<131072xf32>
  %4 = stablehlo.reshape %3 : (tensor<131072xf32>) -> tensor<64x64x32xf32>
  %5 = stablehlo.transpose %4, dims = [1, 2, 0] : (tensor<64x64x32xf32>) -> tensor<64x32x64xf32>
  %6 = stablehlo.dot_general %2, %5, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<64x64x32xf32>, tensor<64x32x64xf32>) -> tensor<64x64x64xf32>
  return %6 : tensor<64x64x64xf32>
}
// -----
// compiled for _softmax.out
func.func @main(%arg0: tensor<64x64x64xf32>) -> tensor<8x8x64x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x64x64xf32>) -> tensor<262144xf32>
  %1 = stablehlo.reshape %0 : (tensor<262144xf32>) -> tensor<8x8x64x64xf32>
  %2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.maximum across dimensions = [3] : (tensor<8x8x64x64xf32>, tensor<f32>) -> tensor<8x8x64xf32>
  %4 = stablehlo.reshape %3 : (tensor<8x8x64xf32>) -> tensor<8x8x64x1xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<8x8x64x1xf32>) -> tensor<8x8x64x64xf32>
  %6 = stablehlo.subtract %1, %5 : tensor<8x8x64x64xf32>
  %7 = stablehlo.exponential %6 : tensor<8x8x64x64xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [3] : (tensor<8x8x64x64xf32>, tensor<f32>) -> tensor<8x8x64xf32>
  %10 = stablehlo.reshape %9 : (tensor<8x8x64xf32>) -> tensor<8x8x64x1xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<8x8x64x1xf32>) -> tensor<8x8x64x64xf32>
  %12 = stablehlo.divide %7, %11 : tensor<8x8x64x64xf32>
  return %12 : tensor<8x8x64x64xf32>
}
// -----
// compiled for isneginf.out
func.func @main(%arg0: tensor<64x64x64xf32>) -> tensor<8x8x64x64xi1> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x64x64xf32>) -> tensor<262144xf32>
  %1 = stablehlo.reshape %0 : (tensor<262144xf32>) -> tensor<8x8x64x64xf32>
  %2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x8x64x64xf32>
  %4 = stablehlo.compare EQ, %1, %3 : (tensor<8x8x64x64xf32>, tensor<8x8x64x64xf32>) -> tensor<8x8x64x64xi1>
  return %4 : tensor<8x8x64x64xi1>
}
// -----
// compiled for all.out
func.func @main(%arg0: tensor<8x8x64x64xi1>) -> tensor<8x8x64x1xi1> {
  %0 = stablehlo.constant dense<true> : tensor<i1>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.and across dimensions = [3] : (tensor<8x8x64x64xi1>, tensor<i1>) -> tensor<8x8x64xi1>
  %2 = stablehlo.reshape %1 : (tensor<8x8x64xi1>) -> tensor<8x8x64x1xi1>
  return %2 : tensor<8x8x64x1xi1>
}
// -----
// compiled for where.self_out
func.func @main(%arg0: tensor<8x8x64x1xi1>, %arg1: tensor<f32>, %arg2: tensor<8x8x64x64xf32> {tf.aliasing_output = 0 : i32}) -> tensor<8x8x64x64xf32> {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<8x8x64x1xi1>) -> tensor<8x8x64x64xi1>
  %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x8x64x64xf32>
  %2 = stablehlo.select %0, %1, %arg2 : tensor<8x8x64x64xi1>, tensor<8x8x64x64xf32>
  return %2 : tensor<8x8x64x64xf32>
}
// -----
// compiled for native_dropout
func.func @main(%arg0: tensor<8x8x64x64xf32>, %arg1: tensor<f32>, %arg2: tensor<2xui64>) -> (tensor<8x8x64x64xf32>, tensor<8x8x64x64xi1>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %2 = stablehlo.subtract %1, %arg1 : tensor<f32>
  %3 = stablehlo.constant dense<5.9604645e-08> : tensor<f32>
  %4:2 = stablehlo.rng_bit_generator %arg2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x8x64x64xui32>)
  %5 = stablehlo.constant dense<8> : tensor<ui32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<ui32>) -> tensor<8x8x64x64xui32>
  %7 = stablehlo.shift_right_logical %4#1, %6 : tensor<8x8x64x64xui32>
  %8 = stablehlo.convert %7 : (tensor<8x8x64x64xui32>) -> tensor<8x8x64x64xf32>
  %9 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x8x64x64xf32>
  %10 = stablehlo.multiply %8, %9 : tensor<8x8x64x64xf32>
  %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x8x64x64xf32>
  %12 = stablehlo.compare LT, %10, %11 : (tensor<8x8x64x64xf32>, tensor<8x8x64x64xf32>) -> tensor<8x8x64x64xi1>
  %13 = stablehlo.divide %1, %2 : tensor<f32>
  %14 = stablehlo.compare EQ, %2, %0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %15 = stablehlo.select %14, %0, %13 : tensor<i1>, tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<8x8x64x64xf32>
  %17 = stablehlo.multiply %arg0, %16 : tensor<8x8x64x64xf32>
  %18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<8x8x64x64xf32>
  %20 = stablehlo.select %12, %17, %19 : tensor<8x8x64x64xi1>, tensor<8x8x64x64xf32>
  return %20, %12 : tensor<8x8x64x64xf32>, tensor<8x8x64x64xi1>
}
// -----
// compiled for bmm.out
func.func @main(%arg0: tensor<8x8x64x64xf32>, %arg1: tensor<3x64x8x256xf32>, %arg2: tensor<1xi64>) -> tensor<64x64x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x8x64x64xf32>) -> tensor<262144xf32>
  %1 = stablehlo.reshape %0 : (tensor<262144xf32>) -> tensor<64x64x64xf32>
  %2 = stablehlo.reshape %arg2 : (tensor<1xi64>) -> tensor<i64>
  %3 = stablehlo.reshape %arg1 : (tensor<3x64x8x256xf32>) -> tensor<393216xf32>
  %4 = stablehlo.dynamic_slice %3, %2, sizes = [131072] : (tensor<393216xf32>, tensor<i64>) -> tensor<131072xf32>
  %5 = stablehlo.reshape %4 : (tensor<131072xf32>) -> tensor<64x64x32xf32>
  %6 = stablehlo.transpose %5, dims = [1, 0, 2] : (tensor<64x64x32xf32>) -> tensor<64x64x32xf32>
  %7 = stablehlo.dot_general %1, %6, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<64x64x64xf32>, tensor<64x64x32xf32>) -> tensor<64x64x32xf32>
  return %7 : tensor<64x64x32xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<64x64x32xf32>) -> tensor<64x8x8x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x64x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<8x8x64x32xf32>
  %2 = stablehlo.transpose %1, dims = [2, 0, 1, 3] : (tensor<8x8x64x32xf32>) -> tensor<64x8x8x32xf32>
  return %2 : tensor<64x8x8x32xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<64x8x8x32xf32>, %arg1: tensor<256x256xf32>, %arg2: tensor<256xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x8x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<256x256xf32>) -> tensor<65536xf32>
  %3 = stablehlo.reshape %2 : (tensor<65536xf32>) -> tensor<256x256xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x256xf32>, tensor<256x256xf32>) -> tensor<512x256xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<256xf32>) -> tensor<512x256xf32>
  %7 = stablehlo.add %5, %6 : tensor<512x256xf32>
  return %7 : tensor<512x256xf32>
}
// -----
// compiled for native_dropout
func.func @main(%arg0: tensor<512x256xf32>, %arg1: tensor<f32>, %arg2: tensor<2xui64>) -> (tensor<8x64x256xf32>, tensor<8x64x256xi1>) {
  %0 = stablehlo.reshape %arg0 : (tensor<512x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<64x8x256xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<64x8x256xf32>) -> tensor<8x64x256xf32>
  %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %5 = stablehlo.subtract %4, %arg1 : tensor<f32>
  %6 = stablehlo.constant dense<5.9604645e-08> : tensor<f32>
  %7:2 = stablehlo.rng_bit_generator %arg2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x64x256xui32>)
  %8 = stablehlo.constant dense<8> : tensor<ui32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<ui32>) -> tensor<8x64x256xui32>
  %10 = stablehlo.shift_right_logical %7#1, %9 : tensor<8x64x256xui32>
  %11 = stablehlo.convert %10 : (tensor<8x64x256xui32>) -> tensor<8x64x256xf32>
  %12 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %13 = stablehlo.multiply %11, %12 : tensor<8x64x256xf32>
  %14 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %15 = stablehlo.compare LT, %13, %14 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xi1>
  %16 = stablehlo.divide %4, %5 : tensor<f32>
  %17 = stablehlo.compare EQ, %5, %3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %18 = stablehlo.select %17, %3, %16 : tensor<i1>, tensor<f32>
  %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %20 = stablehlo.multiply %2, %19 : tensor<8x64x256xf32>
  %21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %23 = stablehlo.select %15, %20, %22 : tensor<8x64x256xi1>, tensor<8x64x256xf32>
  return %23, %15 : tensor<8x64x256xf32>, tensor<8x64x256xi1>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<512x256xf32>, %arg1: tensor<8x64x256xf32>) -> tensor<8x64x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<512x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<8x64x256xf32>
  %2 = stablehlo.add %1, %arg1 : tensor<8x64x256xf32>
  return %2 : tensor<8x64x256xf32>
}
// -----
// compiled for native_layer_norm
func.func @main(%arg0: tensor<8x64x256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<256xf32>, %arg3: tensor<f32>) -> (tensor<8x64x256xf32>, tensor<8x64x1xf32>, tensor<8x64x1xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [2] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<8x64xf32>
  %2 = stablehlo.reshape %1 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
  %3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
  %5 = stablehlo.divide %2, %4 : tensor<8x64x1xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %7 = stablehlo.subtract %arg0, %6 : tensor<8x64x256xf32>
  %8 = stablehlo.multiply %7, %7 : tensor<8x64x256xf32>
  %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [2] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<8x64xf32>
  %11 = stablehlo.reshape %10 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
  %12 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
  %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
  %14 = stablehlo.divide %11, %13 : tensor<8x64x1xf32>
  %15 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
  %16 = stablehlo.add %14, %15 : tensor<8x64x1xf32>
  %17 = stablehlo.rsqrt %16 : tensor<8x64x1xf32>
  %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %19 = stablehlo.multiply %7, %18 : tensor<8x64x256xf32>
  %20 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<256xf32>) -> tensor<8x64x256xf32>
  %21 = stablehlo.multiply %19, %20 : tensor<8x64x256xf32>
  %22 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<256xf32>) -> tensor<8x64x256xf32>
  %23 = stablehlo.add %21, %22 : tensor<8x64x256xf32>
  return %23, %5, %17 : tensor<8x64x256xf32>, tensor<8x64x1xf32>, tensor<8x64x1xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<8x64x256xf32>, %arg1: tensor<256x1024xf32>, %arg2: tensor<1024xf32>) -> tensor<512x1024xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<256x1024xf32>) -> tensor<262144xf32>
  %3 = stablehlo.reshape %2 : (tensor<262144xf32>) -> tensor<1024x256xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<1024x256xf32>) -> tensor<256x1024xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x256xf32>, tensor<256x1024xf32>) -> tensor<512x1024xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<1024xf32>) -> tensor<512x1024xf32>
  %7 = stablehlo.add %5, %6 : tensor<512x1024xf32>
  return %7 : tensor<512x1024xf32>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<512x1024xf32>) -> tensor<8x64x1024xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<512x1024xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<8x64x1024xf32>
  %2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %4 = stablehlo.multiply %1, %3 : tensor<8x64x1024xf32>
  %5 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %7 = stablehlo.multiply %1, %6 : tensor<8x64x1024xf32>
  %8 = chlo.erf %7 : tensor<8x64x1024xf32> -> tensor<8x64x1024xf32>
  %9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %11 = stablehlo.add %8, %10 : tensor<8x64x1024xf32>
  %12 = stablehlo.multiply %4, %11 : tensor<8x64x1024xf32>
  return %12 : tensor<8x64x1024xf32>
}
// -----
// compiled for native_dropout
func.func @main(%arg0: tensor<8x64x1024xf32>, %arg1: tensor<f32>, %arg2: tensor<2xui64>) -> (tensor<8x64x1024xf32>, tensor<8x64x1024xi1>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %2 = stablehlo.subtract %1, %arg1 : tensor<f32>
  %3 = stablehlo.constant dense<5.9604645e-08> : tensor<f32>
  %4:2 = stablehlo.rng_bit_generator %arg2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x64x1024xui32>)
  %5 = stablehlo.constant dense<8> : tensor<ui32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<ui32>) -> tensor<8x64x1024xui32>
  %7 = stablehlo.shift_right_logical %4#1, %6 : tensor<8x64x1024xui32>
  %8 = stablehlo.convert %7 : (tensor<8x64x1024xui32>) -> tensor<8x64x1024xf32>
  %9 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %10 = stablehlo.multiply %8, %9 : tensor<8x64x1024xf32>
  %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %12 = stablehlo.compare LT, %10, %11 : (tensor<8x64x1024xf32>, tensor<8x64x1024xf32>) -> tensor<8x64x1024xi1>
  %13 = stablehlo.divide %1, %2 : tensor<f32>
  %14 = stablehlo.compare EQ, %2, %0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %15 = stablehlo.select %14, %0, %13 : tensor<i1>, tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %17 = stablehlo.multiply %arg0, %16 : tensor<8x64x1024xf32>
  %18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %20 = stablehlo.select %12, %17, %19 : tensor<8x64x1024xi1>, tensor<8x64x1024xf32>
  return %20, %12 : tensor<8x64x1024xf32>, tensor<8x64x1024xi1>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<8x64x1024xf32>, %arg1: tensor<1024x256xf32>, %arg2: tensor<256xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x1024xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<512x1024xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<1024x256xf32>) -> tensor<262144xf32>
  %3 = stablehlo.reshape %2 : (tensor<262144xf32>) -> tensor<256x1024xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<256x1024xf32>) -> tensor<1024x256xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x1024xf32>, tensor<1024x256xf32>) -> tensor<512x256xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<256xf32>) -> tensor<512x256xf32>
  %7 = stablehlo.add %5, %6 : tensor<512x256xf32>
  return %7 : tensor<512x256xf32>
}
// -----
// compiled for native_dropout
func.func @main(%arg0: tensor<512x256xf32>, %arg1: tensor<f32>, %arg2: tensor<2xui64>) -> (tensor<8x64x256xf32>, tensor<8x64x256xi1>) {
  %0 = stablehlo.reshape %arg0 : (tensor<512x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<8x64x256xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %4 = stablehlo.subtract %3, %arg1 : tensor<f32>
  %5 = stablehlo.constant dense<5.9604645e-08> : tensor<f32>
  %6:2 = stablehlo.rng_bit_generator %arg2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x64x256xui32>)
  %7 = stablehlo.constant dense<8> : tensor<ui32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<ui32>) -> tensor<8x64x256xui32>
  %9 = stablehlo.shift_right_logical %6#1, %8 : tensor<8x64x256xui32>
  %10 = stablehlo.convert %9 : (tensor<8x64x256xui32>) -> tensor<8x64x256xf32>
  %11 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<8x64x256xf32>
  %13 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %14 = stablehlo.compare LT, %12, %13 : (tensor<8x64x256xf32>, tensor<8x64x256xf32>) -> tensor<8x64x256xi1>
  %15 = stablehlo.divide %3, %4 : tensor<f32>
  %16 = stablehlo.compare EQ, %4, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %17 = stablehlo.select %16, %2, %15 : tensor<i1>, tensor<f32>
  %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %19 = stablehlo.multiply %1, %18 : tensor<8x64x256xf32>
  %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %22 = stablehlo.select %14, %19, %21 : tensor<8x64x256xi1>, tensor<8x64x256xf32>
  return %22, %14 : tensor<8x64x256xf32>, tensor<8x64x256xi1>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<8x64x256xf32>, %arg1: tensor<8x64x256xf32>) -> tensor<8x64x256xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x64x256xf32>
  return %0 : tensor<8x64x256xf32>
}
// -----
// compiled for _log_softmax.out
func.func @main(%arg0: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<512x1024xf32>, tensor<f32>) -> tensor<512xf32>
  %2 = stablehlo.reshape %1 : (tensor<512xf32>) -> tensor<512x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<512x1xf32>) -> tensor<512x1024xf32>
  %4 = stablehlo.subtract %arg0, %3 : tensor<512x1024xf32>
  %5 = stablehlo.exponential %4 : tensor<512x1024xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<512x1024xf32>, tensor<f32>) -> tensor<512xf32>
  %8 = stablehlo.reshape %7 : (tensor<512xf32>) -> tensor<512x1xf32>
  %9 = stablehlo.log %8 : tensor<512x1xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<512x1xf32>) -> tensor<512x1024xf32>
  %11 = stablehlo.subtract %4, %10 : tensor<512x1024xf32>
  return %11 : tensor<512x1024xf32>
}
// -----
// compiled for nll_loss_forward.output
func.func @main(%arg0: tensor<512x1024xf32>, %arg1: tensor<512xi64>) -> (tensor<f32>, tensor<f32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<-100> : tensor<i64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %2 = stablehlo.compare NE, %arg1, %1 : (tensor<512xi64>, tensor<512xi64>) -> tensor<512xi1>
  %3 = stablehlo.constant dense<0> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %5 = stablehlo.select %2, %arg1, %4 : tensor<512xi1>, tensor<512xi64>
  %6 = stablehlo.constant dense<512> : tensor<i64>
  %7 = stablehlo.constant dense<1024> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %9 = stablehlo.compare GE, %5, %8 : (tensor<512xi64>, tensor<512xi64>) -> tensor<512xi1>
  %10 = stablehlo.constant dense<0> : tensor<i64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %12 = stablehlo.compare LT, %5, %11 : (tensor<512xi64>, tensor<512xi64>) -> tensor<512xi1>
  %13 = stablehlo.or %12, %9 : tensor<512xi1>
  %14 = stablehlo.iota dim = 0 : tensor<512xi64>
  %15 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %16 = stablehlo.select %13, %14, %15 : tensor<512xi1>, tensor<512xi64>
  %17 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.minimum across dimensions = [0] : (tensor<512xi64>, tensor<i64>) -> tensor<i64>
  %19 = stablehlo.constant dense<511> : tensor<i64>
  %20 = stablehlo.minimum %18, %19 : tensor<i64>
  %21 = stablehlo.compare LT, %18, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %22 = stablehlo.convert %21 : (tensor<i1>) -> tensor<i64>
  %23 = stablehlo.reshape %22 : (tensor<i64>) -> tensor<1xi64>
  %24 = stablehlo.dynamic_slice %5, %20, sizes = [1] : (tensor<512xi64>, tensor<i64>) -> tensor<1xi64>
  %25 = stablehlo.convert %2 : (tensor<512xi1>) -> tensor<512xf32>
  %26 = stablehlo.reshape %5 : (tensor<512xi64>) -> tensor<512x1xi64>
  %27 = "stablehlo.gather"(%arg0, %26) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<512x1024xf32>, tensor<512x1xi64>) -> tensor<512x1xf32>
  %28 = stablehlo.reshape %27 : (tensor<512x1xf32>) -> tensor<512xf32>
  %29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %30 = stablehlo.multiply %28, %25 : tensor<512xf32>
  %31 = stablehlo.negate %30 : tensor<512xf32>
  %32 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %33 = stablehlo.select %2, %31, %32 : tensor<512xi1>, tensor<512xf32>
  %34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %35 = stablehlo.reduce(%25 init: %34) applies stablehlo.add across dimensions = [0] : (tensor<512xf32>, tensor<f32>) -> tensor<f32>
  %36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %37 = stablehlo.reduce(%33 init: %36) applies stablehlo.add across dimensions = [0] : (tensor<512xf32>, tensor<f32>) -> tensor<f32>
  %38 = stablehlo.divide %37, %35 : tensor<f32>
  %39 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %38, %35, %39 : tensor<f32>, tensor<f32>, tensor<2xi64>
}
// -----
// compiled for nll_loss_backward.grad_input
func.func @main(%arg0: tensor<512x1024xf32>, %arg1: tensor<512xi64>, %arg2: tensor<f32>, %arg3: tensor<f32>) -> (tensor<512x1024xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<-100> : tensor<i64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %2 = stablehlo.compare NE, %arg1, %1 : (tensor<512xi64>, tensor<512xi64>) -> tensor<512xi1>
  %3 = stablehlo.constant dense<0> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %5 = stablehlo.select %2, %arg1, %4 : tensor<512xi1>, tensor<512xi64>
  %6 = stablehlo.constant dense<512> : tensor<i64>
  %7 = stablehlo.constant dense<1024> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %9 = stablehlo.compare GE, %5, %8 : (tensor<512xi64>, tensor<512xi64>) -> tensor<512xi1>
  %10 = stablehlo.constant dense<0> : tensor<i64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %12 = stablehlo.compare LT, %5, %11 : (tensor<512xi64>, tensor<512xi64>) -> tensor<512xi1>
  %13 = stablehlo.or %12, %9 : tensor<512xi1>
  %14 = stablehlo.iota dim = 0 : tensor<512xi64>
  %15 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %16 = stablehlo.select %13, %14, %15 : tensor<512xi1>, tensor<512xi64>
  %17 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.minimum across dimensions = [0] : (tensor<512xi64>, tensor<i64>) -> tensor<i64>
  %19 = stablehlo.constant dense<511> : tensor<i64>
  %20 = stablehlo.minimum %18, %19 : tensor<i64>
  %21 = stablehlo.compare LT, %18, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %22 = stablehlo.convert %21 : (tensor<i1>) -> tensor<i64>
  %23 = stablehlo.reshape %22 : (tensor<i64>) -> tensor<1xi64>
  %24 = stablehlo.dynamic_slice %5, %20, sizes = [1] : (tensor<512xi64>, tensor<i64>) -> tensor<1xi64>
  %25 = stablehlo.convert %2 : (tensor<512xi1>) -> tensor<512xf32>
  %26 = stablehlo.divide %arg2, %arg3 : tensor<f32>
  %27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %28 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %29 = stablehlo.multiply %25, %28 : tensor<512xf32>
  %30 = stablehlo.negate %29 : tensor<512xf32>
  %31 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %32 = stablehlo.select %2, %30, %31 : tensor<512xi1>, tensor<512xf32>
  %33 = stablehlo.reshape %5 : (tensor<512xi64>) -> tensor<512x1xi64>
  %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<512x1xi64>) -> tensor<512x1024xi64>
  %35 = stablehlo.iota dim = 1 : tensor<512x1024xi64>
  %36 = stablehlo.compare EQ, %35, %34 : (tensor<512x1024xi64>, tensor<512x1024xi64>) -> tensor<512x1024xi1>
  %37 = stablehlo.reshape %32 : (tensor<512xf32>) -> tensor<512x1xf32>
  %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<512x1xf32>) -> tensor<512x1024xf32>
  %39 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<512x1024xf32>
  %40 = stablehlo.select %36, %38, %39 : tensor<512x1024xi1>, tensor<512x1024xf32>
  %41 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %40, %41 : tensor<512x1024xf32>, tensor<2xi64>
}
// -----
// compiled for _log_softmax_backward_data.out
func.func @main(%arg0: tensor<512x1024xf32>, %arg1: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<512x1024xf32>, tensor<f32>) -> tensor<512xf32>
  %2 = stablehlo.reshape %1 : (tensor<512xf32>) -> tensor<512x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<512x1xf32>) -> tensor<512x1024xf32>
  %4 = stablehlo.exponential %arg1 : tensor<512x1024xf32>
  %5 = stablehlo.multiply %4, %3 : tensor<512x1024xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<512x1024xf32>
  return %6 : tensor<512x1024xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<512x1024xf32>, %arg1: tensor<256x1024xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<256x1024xf32>) -> tensor<262144xf32>
  %1 = stablehlo.reshape %0 : (tensor<262144xf32>) -> tensor<1024x256xf32>
  %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x1024xf32>, tensor<1024x256xf32>) -> tensor<512x256xf32>
  return %2 : tensor<512x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<512x1024xf32>, %arg1: tensor<8x64x256xf32>) -> tensor<1024x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<512x1024xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<512x1024xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<512x1024xf32>) -> tensor<1024x512xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<8x64x256xf32>) -> tensor<131072xf32>
  %4 = stablehlo.reshape %3 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x512xf32>, tensor<512x256xf32>) -> tensor<1024x256xf32>
  return %5 : tensor<1024x256xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<512x1024xf32>) -> tensor<1x1024xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<512x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %2 = stablehlo.reshape %1 : (tensor<1024xf32>) -> tensor<1x1024xf32>
  return %2 : tensor<1x1024xf32>
}
// -----
// compiled for native_layer_norm_backward
func.func @main(%arg0: tensor<8x64x256xf32>, %arg1: tensor<512x256xf32>, %arg2: tensor<8x64x1xf32>, %arg3: tensor<8x64x1xf32>, %arg4: tensor<256xf32>) -> (tensor<8x64x256xf32>, tensor<256xf32>, tensor<256xf32>) {
  %0 = stablehlo.reshape %arg1 : (tensor<512x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<8x64x256xf32>
  %2 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %4 = stablehlo.subtract %arg0, %3 : tensor<8x64x256xf32>
  %5 = stablehlo.multiply %4, %2 : tensor<8x64x256xf32>
  %6 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<256xf32>) -> tensor<8x64x256xf32>
  %7 = stablehlo.multiply %1, %6 : tensor<8x64x256xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [2] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<8x64xf32>
  %10 = stablehlo.reshape %9 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %12 = stablehlo.constant dense<3.906250e-03> : tensor<f32>
  %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %14 = stablehlo.multiply %11, %13 : tensor<8x64x256xf32>
  %15 = stablehlo.subtract %7, %14 : tensor<8x64x256xf32>
  %16 = stablehlo.multiply %7, %5 : tensor<8x64x256xf32>
  %17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.add across dimensions = [2] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<8x64xf32>
  %19 = stablehlo.reshape %18 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %21 = stablehlo.constant dense<3.906250e-03> : tensor<f32>
  %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %23 = stablehlo.multiply %20, %22 : tensor<8x64x256xf32>
  %24 = stablehlo.multiply %5, %23 : tensor<8x64x256xf32>
  %25 = stablehlo.subtract %15, %24 : tensor<8x64x256xf32>
  %26 = stablehlo.multiply %25, %2 : tensor<8x64x256xf32>
  %27 = stablehlo.multiply %1, %5 : tensor<8x64x256xf32>
  %28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %29 = stablehlo.reduce(%27 init: %28) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<256xf32>
  %30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %31 = stablehlo.reduce(%1 init: %30) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<256xf32>
  return %26, %29, %31 : tensor<8x64x256xf32>, tensor<256xf32>, tensor<256xf32>
}
// -----
// compiled for native_dropout_backward
func.func @main(%arg0: tensor<8x64x256xf32>, %arg1: tensor<8x64x256xi1>, %arg2: tensor<f32>) -> tensor<8x64x256xf32> {
  %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<8x64x256xf32>
  %2 = stablehlo.convert %arg1 : (tensor<8x64x256xi1>) -> tensor<8x64x256xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<8x64x256xf32>
  return %3 : tensor<8x64x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x64x256xf32>, %arg1: tensor<1024x256xf32>) -> tensor<512x1024xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<1024x256xf32>) -> tensor<262144xf32>
  %3 = stablehlo.reshape %2 : (tensor<262144xf32>) -> tensor<256x1024xf32>
  %4 = stablehlo.dot_general %1, %3, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x256xf32>, tensor<256x1024xf32>) -> tensor<512x1024xf32>
  return %4 : tensor<512x1024xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x64x256xf32>, %arg1: tensor<8x64x1024xf32>) -> tensor<256x1024xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<8x64x1024xf32>) -> tensor<524288xf32>
  %4 = stablehlo.reshape %3 : (tensor<524288xf32>) -> tensor<512x1024xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<256x512xf32>, tensor<512x1024xf32>) -> tensor<256x1024xf32>
  return %5 : tensor<256x1024xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<8x64x256xf32>) -> tensor<1x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %4 = stablehlo.reshape %3 : (tensor<256xf32>) -> tensor<1x256xf32>
  return %4 : tensor<1x256xf32>
}
// -----
// compiled for native_dropout_backward
func.func @main(%arg0: tensor<512x1024xf32>, %arg1: tensor<8x64x1024xi1>, %arg2: tensor<f32>) -> tensor<8x64x1024xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<512x1024xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<8x64x1024xf32>
  %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<8x64x1024xf32>
  %4 = stablehlo.convert %arg1 : (tensor<8x64x1024xi1>) -> tensor<8x64x1024xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<8x64x1024xf32>
  return %5 : tensor<8x64x1024xf32>
}
// -----
// compiled for gelu_backward.grad_input
func.func @main(%arg0: tensor<8x64x1024xf32>, %arg1: tensor<512x1024xf32>) -> tensor<8x64x1024xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<512x1024xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<8x64x1024xf32>
  %2 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %4 = stablehlo.multiply %1, %3 : tensor<8x64x1024xf32>
  %5 = chlo.erf %4 : tensor<8x64x1024xf32> -> tensor<8x64x1024xf32>
  %6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %8 = stablehlo.add %5, %7 : tensor<8x64x1024xf32>
  %9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %11 = stablehlo.multiply %8, %10 : tensor<8x64x1024xf32>
  %12 = stablehlo.multiply %1, %1 : tensor<8x64x1024xf32>
  %13 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
  %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %15 = stablehlo.multiply %12, %14 : tensor<8x64x1024xf32>
  %16 = stablehlo.exponential %15 : tensor<8x64x1024xf32>
  %17 = stablehlo.constant dense<3.989423e-01> : tensor<f32>
  %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<8x64x1024xf32>
  %19 = stablehlo.multiply %16, %18 : tensor<8x64x1024xf32>
  %20 = stablehlo.multiply %1, %19 : tensor<8x64x1024xf32>
  %21 = stablehlo.add %11, %20 : tensor<8x64x1024xf32>
  %22 = stablehlo.multiply %arg0, %21 : tensor<8x64x1024xf32>
  return %22 : tensor<8x64x1024xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x64x1024xf32>, %arg1: tensor<256x1024xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x1024xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<512x1024xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<256x1024xf32>) -> tensor<262144xf32>
  %3 = stablehlo.reshape %2 : (tensor<262144xf32>) -> tensor<1024x256xf32>
  %4 = stablehlo.dot_general %1, %3, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x1024xf32>, tensor<1024x256xf32>) -> tensor<512x256xf32>
  return %4 : tensor<512x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x64x1024xf32>, %arg1: tensor<8x64x256xf32>) -> tensor<1024x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x1024xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<512x1024xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<512x1024xf32>) -> tensor<1024x512xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<8x64x256xf32>) -> tensor<131072xf32>
  %4 = stablehlo.reshape %3 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x512xf32>, tensor<512x256xf32>) -> tensor<1024x256xf32>
  return %5 : tensor<1024x256xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<8x64x1024xf32>) -> tensor<1x1024xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x1024xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<512x1024xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<512x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %4 = stablehlo.reshape %3 : (tensor<1024xf32>) -> tensor<1x1024xf32>
  return %4 : tensor<1x1024xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<8x64x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x64x256xf32>) -> tensor<8x64x256xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x64x256xf32>
  return %0 : tensor<8x64x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x8x256xf32>, %arg1: tensor<256x256xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x256xf32>, tensor<256x256xf32>) -> tensor<512x256xf32>
  return %2 : tensor<512x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x8x256xf32>, %arg1: tensor<64x8x8x32xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<512x256xf32>) -> tensor<256x512xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<64x8x8x32xf32>) -> tensor<131072xf32>
  %4 = stablehlo.reshape %3 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  return %5 : tensor<256x256xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<64x8x256xf32>) -> tensor<1x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  %4 = stablehlo.reshape %3 : (tensor<256xf32>) -> tensor<1x256xf32>
  return %4 : tensor<1x256xf32>
}
// -----
// compiled for bmm.out
func.func @main(%arg0: tensor<8x8x64x64xf32>, %arg1: tensor<512x256xf32>) -> tensor<64x64x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x8x64x64xf32>) -> tensor<262144xf32>
  %1 = stablehlo.reshape %0 : (tensor<262144xf32>) -> tensor<64x64x64xf32>
  %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<64x64x64xf32>) -> tensor<64x64x64xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<512x256xf32>) -> tensor<131072xf32>
  %4 = stablehlo.reshape %3 : (tensor<131072xf32>) -> tensor<64x64x32xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0, 2] : (tensor<64x64x32xf32>) -> tensor<64x64x32xf32>
  %6 = stablehlo.dot_general %2, %5, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<64x64x64xf32>, tensor<64x64x32xf32>) -> tensor<64x64x32xf32>
  return %6 : tensor<64x64x32xf32>
}
// -----
// compiled for bmm.out
func.func @main(%arg0: tensor<512x256xf32>, %arg1: tensor<3x64x8x256xf32>, %arg2: tensor<1xi64>) -> tensor<64x64x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<512x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<64x64x32xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<64x64x32xf32>) -> tensor<64x64x32xf32>
  %3 = stablehlo.reshape %arg2 : (tensor<1xi64>) -> tensor<i64>
  %4 = stablehlo.reshape %arg1 : (tensor<3x64x8x256xf32>) -> tensor<393216xf32>
  %5 = stablehlo.dynamic_slice %4, %3, sizes = [131072] : (tensor<393216xf32>, tensor<i64>) -> tensor<131072xf32>
  %6 = stablehlo.reshape %5 : (tensor<131072xf32>) -> tensor<64x64x32xf32>
  %7 = stablehlo.transpose %6, dims = [1, 2, 0] : (tensor<64x64x32xf32>) -> tensor<64x32x64xf32>
  %8 = stablehlo.dot_general %2, %7, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<64x64x32xf32>, tensor<64x32x64xf32>) -> tensor<64x64x64xf32>
  return %8 : tensor<64x64x64xf32>
}
// -----
// compiled for native_dropout_backward
func.func @main(%arg0: tensor<64x64x64xf32>, %arg1: tensor<8x8x64x64xi1>, %arg2: tensor<f32>) -> tensor<8x8x64x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x64x64xf32>) -> tensor<262144xf32>
  %1 = stablehlo.reshape %0 : (tensor<262144xf32>) -> tensor<8x8x64x64xf32>
  %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x8x64x64xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<8x8x64x64xf32>
  %4 = stablehlo.convert %arg1 : (tensor<8x8x64x64xi1>) -> tensor<8x8x64x64xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<8x8x64x64xf32>
  return %5 : tensor<8x8x64x64xf32>
}
// -----
// compiled for _softmax_backward_data.out
func.func @main(%arg0: tensor<8x8x64x64xf32>, %arg1: tensor<8x8x64x64xf32>) -> tensor<8x8x64x64xf32> {
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<8x8x64x64xf32>
  %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [3] : (tensor<8x8x64x64xf32>, tensor<f32>) -> tensor<8x8x64xf32>
  %3 = stablehlo.reshape %2 : (tensor<8x8x64xf32>) -> tensor<8x8x64x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<8x8x64x1xf32>) -> tensor<8x8x64x64xf32>
  %5 = stablehlo.multiply %arg1, %4 : tensor<8x8x64x64xf32>
  %6 = stablehlo.subtract %0, %5 : tensor<8x8x64x64xf32>
  return %6 : tensor<8x8x64x64xf32>
}
// -----
// compiled for bmm.out
func.func @main(%arg0: tensor<64x8x8x32xf32>, %arg1: tensor<8x8x64x64xf32>) -> tensor<64x32x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x8x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<64x64x32xf32>
  %2 = stablehlo.transpose %1, dims = [1, 2, 0] : (tensor<64x64x32xf32>) -> tensor<64x32x64xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<8x8x64x64xf32>) -> tensor<262144xf32>
  %4 = stablehlo.reshape %3 : (tensor<262144xf32>) -> tensor<64x64x64xf32>
  %5 = stablehlo.dot_general %2, %4, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<64x32x64xf32>, tensor<64x64x64xf32>) -> tensor<64x32x64xf32>
  return %5 : tensor<64x32x64xf32>
}
// -----
// compiled for bmm.out
func.func @main(%arg0: tensor<8x8x64x64xf32>, %arg1: tensor<64x8x8x32xf32>) -> tensor<64x64x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x8x64x64xf32>) -> tensor<262144xf32>
  %1 = stablehlo.reshape %0 : (tensor<262144xf32>) -> tensor<64x64x64xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<64x8x8x32xf32>) -> tensor<131072xf32>
  %3 = stablehlo.reshape %2 : (tensor<131072xf32>) -> tensor<64x64x32xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0, 2] : (tensor<64x64x32xf32>) -> tensor<64x64x32xf32>
  %5 = stablehlo.dot_general %1, %4, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<64x64x64xf32>, tensor<64x64x32xf32>) -> tensor<64x64x32xf32>
  return %5 : tensor<64x64x32xf32>
}
// -----
// compiled for mul.out
func.func @main(%arg0: tensor<64x32x64xf32>, %arg1: tensor<f64>) -> tensor<8x8x32x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x32x64xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<8x8x32x64xf32>
  %2 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x8x32x64xf32>
  %4 = stablehlo.multiply %1, %3 : tensor<8x8x32x64xf32>
  return %4 : tensor<8x8x32x64xf32>
}
// -----
// compiled for mul.out
func.func @main(%arg0: tensor<64x64x32xf32>, %arg1: tensor<f64>) -> tensor<8x8x64x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x64x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<8x8x64x32xf32>
  %2 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x8x64x32xf32>
  %4 = stablehlo.multiply %1, %3 : tensor<8x8x64x32xf32>
  return %4 : tensor<8x8x64x32xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<64x64x32xf32>) -> tensor<64x64x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x64x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<64x64x32xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<64x64x32xf32>) -> tensor<64x64x32xf32>
  return %2 : tensor<64x64x32xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<8x8x64x32xf32>) -> tensor<64x64x32xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x8x64x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<64x64x32xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<64x64x32xf32>) -> tensor<64x64x32xf32>
  return %2 : tensor<64x64x32xf32>
}
// -----
// compiled for select_backward
func.func @main(%arg0: tensor<64x64x32xf32>) -> tensor<3x64x8x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x64x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<64x8x256xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reshape %1 : (tensor<64x8x256xf32>) -> tensor<1x64x8x256xf32>
  %4 = stablehlo.pad %3, %2, low = [2, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x64x8x256xf32>, tensor<f32>) -> tensor<3x64x8x256xf32>
  return %4 : tensor<3x64x8x256xf32>
}
// -----
// compiled for select_backward
func.func @main(%arg0: tensor<8x8x32x64xf32>) -> tensor<3x64x8x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x8x32x64xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<8x256x64xf32>
  %2 = stablehlo.transpose %1, dims = [2, 0, 1] : (tensor<8x256x64xf32>) -> tensor<64x8x256xf32>
  %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reshape %2 : (tensor<64x8x256xf32>) -> tensor<1x64x8x256xf32>
  %5 = stablehlo.pad %4, %3, low = [1, 0, 0, 0], high = [1, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x64x8x256xf32>, tensor<f32>) -> tensor<3x64x8x256xf32>
  return %5 : tensor<3x64x8x256xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<3x64x8x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<3x64x8x256xf32>) -> tensor<3x64x8x256xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<3x64x8x256xf32>
  return %0 : tensor<3x64x8x256xf32>
}
// -----
// compiled for select_backward
func.func @main(%arg0: tensor<64x64x32xf32>) -> tensor<3x64x8x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x64x32xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<64x8x256xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reshape %1 : (tensor<64x8x256xf32>) -> tensor<1x64x8x256xf32>
  %4 = stablehlo.pad %3, %2, low = [0, 0, 0, 0], high = [2, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x64x8x256xf32>, tensor<f32>) -> tensor<3x64x8x256xf32>
  return %4 : tensor<3x64x8x256xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<3x64x8x256xf32>) -> tensor<64x8x3x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<3x64x8x256xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<3x64x8x256xf32>
  %2 = stablehlo.transpose %1, dims = [1, 2, 0, 3] : (tensor<3x64x8x256xf32>) -> tensor<64x8x3x256xf32>
  return %2 : tensor<64x8x3x256xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<64x8x3x256xf32>) -> tensor<1x1x768xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x3x256xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<64x8x768xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x8x768xf32>, tensor<f32>) -> tensor<768xf32>
  %4 = stablehlo.reshape %3 : (tensor<768xf32>) -> tensor<1x1x768xf32>
  return %4 : tensor<1x1x768xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x8x3x256xf32>, %arg1: tensor<64x8x256xf32>) -> tensor<768x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x3x256xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<512x768xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<512x768xf32>) -> tensor<768x512xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<64x8x256xf32>) -> tensor<131072xf32>
  %4 = stablehlo.reshape %3 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<768x512xf32>, tensor<512x256xf32>) -> tensor<768x256xf32>
  return %5 : tensor<768x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x8x3x256xf32>, %arg1: tensor<256x768xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x3x256xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<512x768xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<256x768xf32>) -> tensor<196608xf32>
  %3 = stablehlo.reshape %2 : (tensor<196608xf32>) -> tensor<768x256xf32>
  %4 = stablehlo.dot_general %1, %3, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x768xf32>, tensor<768x256xf32>) -> tensor<512x256xf32>
  return %4 : tensor<512x256xf32>
}
// -----
// compiled for native_layer_norm_backward
func.func @main(%arg0: tensor<512x256xf32>, %arg1: tensor<512x256xf32>, %arg2: tensor<8x64x1xf32>, %arg3: tensor<8x64x1xf32>, %arg4: tensor<256xf32>) -> (tensor<8x64x256xf32>, tensor<256xf32>, tensor<256xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<512x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<8x64x256xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<512x256xf32>) -> tensor<131072xf32>
  %3 = stablehlo.reshape %2 : (tensor<131072xf32>) -> tensor<64x8x256xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0, 2] : (tensor<64x8x256xf32>) -> tensor<8x64x256xf32>
  %5 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %7 = stablehlo.subtract %1, %6 : tensor<8x64x256xf32>
  %8 = stablehlo.multiply %7, %5 : tensor<8x64x256xf32>
  %9 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<256xf32>) -> tensor<8x64x256xf32>
  %10 = stablehlo.multiply %4, %9 : tensor<8x64x256xf32>
  %11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.add across dimensions = [2] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<8x64xf32>
  %13 = stablehlo.reshape %12 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
  %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %15 = stablehlo.constant dense<3.906250e-03> : tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %17 = stablehlo.multiply %14, %16 : tensor<8x64x256xf32>
  %18 = stablehlo.subtract %10, %17 : tensor<8x64x256xf32>
  %19 = stablehlo.multiply %10, %8 : tensor<8x64x256xf32>
  %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %21 = stablehlo.reduce(%19 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<8x64xf32>
  %22 = stablehlo.reshape %21 : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
  %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x256xf32>
  %24 = stablehlo.constant dense<3.906250e-03> : tensor<f32>
  %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<8x64x256xf32>
  %26 = stablehlo.multiply %23, %25 : tensor<8x64x256xf32>
  %27 = stablehlo.multiply %8, %26 : tensor<8x64x256xf32>
  %28 = stablehlo.subtract %18, %27 : tensor<8x64x256xf32>
  %29 = stablehlo.multiply %28, %5 : tensor<8x64x256xf32>
  %30 = stablehlo.multiply %4, %8 : tensor<8x64x256xf32>
  %31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %32 = stablehlo.reduce(%30 init: %31) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<256xf32>
  %33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %34 = stablehlo.reduce(%4 init: %33) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64x256xf32>, tensor<f32>) -> tensor<256xf32>
  return %29, %32, %34 : tensor<8x64x256xf32>, tensor<256xf32>, tensor<256xf32>
}
// -----
// compiled for embedding_dense_backward
func.func @main(%arg0: tensor<8x64x256xf32>, %arg1: tensor<512xi64>) -> (tensor<1024x256xf32>, tensor<2xi64>) {
  %0 = stablehlo.reshape %arg1 : (tensor<512xi64>) -> tensor<8x64xi64>
  %1 = stablehlo.reshape %arg0 : (tensor<8x64x256xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.reshape %0 : (tensor<8x64xi64>) -> tensor<512xi64>
  %3 = stablehlo.constant dense<512> : tensor<i64>
  %4 = stablehlo.constant dense<1024> : tensor<i64>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %6 = stablehlo.compare GE, %2, %5 : (tensor<512xi64>, tensor<512xi64>) -> tensor<512xi1>
  %7 = stablehlo.constant dense<0> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %9 = stablehlo.compare LT, %2, %8 : (tensor<512xi64>, tensor<512xi64>) -> tensor<512xi1>
  %10 = stablehlo.or %9, %6 : tensor<512xi1>
  %11 = stablehlo.iota dim = 0 : tensor<512xi64>
  %12 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<512xi64>
  %13 = stablehlo.select %10, %11, %12 : tensor<512xi1>, tensor<512xi64>
  %14 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.minimum across dimensions = [0] : (tensor<512xi64>, tensor<i64>) -> tensor<i64>
  %16 = stablehlo.constant dense<511> : tensor<i64>
  %17 = stablehlo.minimum %15, %16 : tensor<i64>
  %18 = stablehlo.compare LT, %15, %3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %19 = stablehlo.convert %18 : (tensor<i1>) -> tensor<i64>
  %20 = stablehlo.reshape %19 : (tensor<i64>) -> tensor<1xi64>
  %21 = stablehlo.dynamic_slice %2, %17, sizes = [1] : (tensor<512xi64>, tensor<i64>) -> tensor<1xi64>
  %22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %25 = "stablehlo.scatter"(%24, %2, %1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %26 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %26 : tensor<f32>
  }) : (tensor<1024x256xf32>, tensor<512xi64>, tensor<512x256xf32>) -> tensor<1024x256xf32>
  %27 = stablehlo.concatenate %20, %21, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %25, %27 : tensor<1024x256xf32>, tensor<2xi64>
}
// -----
// compiled for _foreach_norm.Scalar
func.func @main(%arg0: tensor<1024x256xf32>, %arg1: tensor<768x256xf32>, %arg2: tensor<1x1x768xf32>, %arg3: tensor<256x256xf32>, %arg4: tensor<1x256xf32>, %arg5: tensor<1024x256xf32>, %arg6: tensor<1x1024xf32>, %arg7: tensor<256x1024xf32>, %arg8: tensor<1x256xf32>, %arg9: tensor<256xf32>, %arg10: tensor<256xf32>, %arg11: tensor<256xf32>, %arg12: tensor<256xf32>, %arg13: tensor<256xf32>, %arg14: tensor<256xf32>, %arg15: tensor<1024x256xf32>, %arg16: tensor<1x1024xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.reshape %arg2 : (tensor<1x1x768xf32>) -> tensor<768xf32>
  %1 = stablehlo.reshape %arg4 : (tensor<1x256xf32>) -> tensor<256xf32>
  %2 = stablehlo.reshape %arg6 : (tensor<1x1024xf32>) -> tensor<1024xf32>
  %3 = stablehlo.reshape %arg8 : (tensor<1x256xf32>) -> tensor<256xf32>
  %4 = stablehlo.reshape %arg16 : (tensor<1x1024xf32>) -> tensor<1024xf32>
  %5 = stablehlo.multiply %arg0, %arg0 : tensor<1024x256xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [0, 1] : (tensor<1024x256xf32>, tensor<f32>) -> tensor<f32>
  %8 = stablehlo.sqrt %7 : tensor<f32>
  %9 = stablehlo.multiply %arg1, %arg1 : tensor<768x256xf32>
  %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %11 = stablehlo.reduce(%9 init: %10) applies stablehlo.add across dimensions = [0, 1] : (tensor<768x256xf32>, tensor<f32>) -> tensor<f32>
  %12 = stablehlo.sqrt %11 : tensor<f32>
  %13 = stablehlo.multiply %0, %0 : tensor<768xf32>
  %14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.add across dimensions = [0] : (tensor<768xf32>, tensor<f32>) -> tensor<f32>
  %16 = stablehlo.sqrt %15 : tensor<f32>
  %17 = stablehlo.multiply %arg3, %arg3 : tensor<256x256xf32>
  %18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %19 = stablehlo.reduce(%17 init: %18) applies stablehlo.add across dimensions = [0, 1] : (tensor<256x256xf32>, tensor<f32>) -> tensor<f32>
  %20 = stablehlo.sqrt %19 : tensor<f32>
  %21 = stablehlo.multiply %1, %1 : tensor<256xf32>
  %22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %23 = stablehlo.reduce(%21 init: %22) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %24 = stablehlo.sqrt %23 : tensor<f32>
  %25 = stablehlo.multiply %arg5, %arg5 : tensor<1024x256xf32>
  %26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %27 = stablehlo.reduce(%25 init: %26) applies stablehlo.add across dimensions = [0, 1] : (tensor<1024x256xf32>, tensor<f32>) -> tensor<f32>
  %28 = stablehlo.sqrt %27 : tensor<f32>
  %29 = stablehlo.multiply %2, %2 : tensor<1024xf32>
  %30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %31 = stablehlo.reduce(%29 init: %30) applies stablehlo.add across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
  %32 = stablehlo.sqrt %31 : tensor<f32>
  %33 = stablehlo.multiply %arg7, %arg7 : tensor<256x1024xf32>
  %34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %35 = stablehlo.reduce(%33 init: %34) applies stablehlo.add across dimensions = [0, 1] : (tensor<256x1024xf32>, tensor<f32>) -> tensor<f32>
  %36 = stablehlo.sqrt %35 : tensor<f32>
  %37 = stablehlo.multiply %3, %3 : tensor<256xf32>
  %38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %39 = stablehlo.reduce(%37 init: %38) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %40 = stablehlo.sqrt %39 : tensor<f32>
  %41 = stablehlo.multiply %arg9, %arg9 : tensor<256xf32>
  %42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %43 = stablehlo.reduce(%41 init: %42) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %44 = stablehlo.sqrt %43 : tensor<f32>
  %45 = stablehlo.multiply %arg10, %arg10 : tensor<256xf32>
  %46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %47 = stablehlo.reduce(%45 init: %46) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %48 = stablehlo.sqrt %47 : tensor<f32>
  %49 = stablehlo.multiply %arg11, %arg11 : tensor<256xf32>
  %50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %51 = stablehlo.reduce(%49 init: %50) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %52 = stablehlo.sqrt %51 : tensor<f32>
  %53 = stablehlo.multiply %arg12, %arg12 : tensor<256xf32>
  %54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %55 = stablehlo.reduce(%53 init: %54) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %56 = stablehlo.sqrt %55 : tensor<f32>
  %57 = stablehlo.multiply %arg13, %arg13 : tensor<256xf32>
  %58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %59 = stablehlo.reduce(%57 init: %58) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %60 = stablehlo.sqrt %59 : tensor<f32>
  %61 = stablehlo.multiply %arg14, %arg14 : tensor<256xf32>
  %62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %63 = stablehlo.reduce(%61 init: %62) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %64 = stablehlo.sqrt %63 : tensor<f32>
  %65 = stablehlo.multiply %arg15, %arg15 : tensor<1024x256xf32>
  %66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %67 = stablehlo.reduce(%65 init: %66) applies stablehlo.add across dimensions = [0, 1] : (tensor<1024x256xf32>, tensor<f32>) -> tensor<f32>
  %68 = stablehlo.sqrt %67 : tensor<f32>
  %69 = stablehlo.multiply %4, %4 : tensor<1024xf32>
  %70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %71 = stablehlo.reduce(%69 init: %70) applies stablehlo.add across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
  %72 = stablehlo.sqrt %71 : tensor<f32>
  return %8, %12, %16, %20, %24, %28, %32, %36, %40, %44, %48, %52, %56, %60, %64, %68, %72 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
// -----
// compiled for cat.out
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>, %arg9: tensor<f32>, %arg10: tensor<f32>, %arg11: tensor<f32>, %arg12: tensor<f32>, %arg13: tensor<f32>, %arg14: tensor<f32>, %arg15: tensor<f32>, %arg16: tensor<f32>) -> tensor<17xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<f32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<f32>) -> tensor<1xf32>
  %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
  %5 = stablehlo.reshape %4 : (tensor<f32>) -> tensor<1xf32>
  %6 = stablehlo.reshape %arg2 : (tensor<f32>) -> tensor<1xf32>
  %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
  %8 = stablehlo.reshape %7 : (tensor<f32>) -> tensor<1xf32>
  %9 = stablehlo.reshape %arg3 : (tensor<f32>) -> tensor<1xf32>
  %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
  %11 = stablehlo.reshape %10 : (tensor<f32>) -> tensor<1xf32>
  %12 = stablehlo.reshape %arg4 : (tensor<f32>) -> tensor<1xf32>
  %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
  %14 = stablehlo.reshape %13 : (tensor<f32>) -> tensor<1xf32>
  %15 = stablehlo.reshape %arg5 : (tensor<f32>) -> tensor<1xf32>
  %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
  %17 = stablehlo.reshape %16 : (tensor<f32>) -> tensor<1xf32>
  %18 = stablehlo.reshape %arg6 : (tensor<f32>) -> tensor<1xf32>
  %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
  %20 = stablehlo.reshape %19 : (tensor<f32>) -> tensor<1xf32>
  %21 = stablehlo.reshape %arg7 : (tensor<f32>) -> tensor<1xf32>
  %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
  %23 = stablehlo.reshape %22 : (tensor<f32>) -> tensor<1xf32>
  %24 = stablehlo.reshape %arg8 : (tensor<f32>) -> tensor<1xf32>
  %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
  %26 = stablehlo.reshape %25 : (tensor<f32>) -> tensor<1xf32>
  %27 = stablehlo.reshape %arg9 : (tensor<f32>) -> tensor<1xf32>
  %28 = stablehlo.reshape %27 : (tensor<1xf32>) -> tensor<f32>
  %29 = stablehlo.reshape %28 : (tensor<f32>) -> tensor<1xf32>
  %30 = stablehlo.reshape %arg10 : (tensor<f32>) -> tensor<1xf32>
  %31 = stablehlo.reshape %30 : (tensor<1xf32>) -> tensor<f32>
  %32 = stablehlo.reshape %31 : (tensor<f32>) -> tensor<1xf32>
  %33 = stablehlo.reshape %arg11 : (tensor<f32>) -> tensor<1xf32>
  %34 = stablehlo.reshape %33 : (tensor<1xf32>) -> tensor<f32>
  %35 = stablehlo.reshape %34 : (tensor<f32>) -> tensor<1xf32>
  %36 = stablehlo.reshape %arg12 : (tensor<f32>) -> tensor<1xf32>
  %37 = stablehlo.reshape %36 : (tensor<1xf32>) -> tensor<f32>
  %38 = stablehlo.reshape %37 : (tensor<f32>) -> tensor<1xf32>
  %39 = stablehlo.reshape %arg13 : (tensor<f32>) -> tensor<1xf32>
  %40 = stablehlo.reshape %39 : (tensor<1xf32>) -> tensor<f32>
  %41 = stablehlo.reshape %40 : (tensor<f32>) -> tensor<1xf32>
  %42 = stablehlo.reshape %arg14 : (tensor<f32>) -> tensor<1xf32>
  %43 = stablehlo.reshape %42 : (tensor<1xf32>) -> tensor<f32>
  %44 = stablehlo.reshape %43 : (tensor<f32>) -> tensor<1xf32>
  %45 = stablehlo.reshape %arg15 : (tensor<f32>) -> tensor<1xf32>
  %46 = stablehlo.reshape %45 : (tensor<1xf32>) -> tensor<f32>
  %47 = stablehlo.reshape %46 : (tensor<f32>) -> tensor<1xf32>
  %48 = stablehlo.reshape %arg16 : (tensor<f32>) -> tensor<1xf32>
  %49 = stablehlo.reshape %48 : (tensor<1xf32>) -> tensor<f32>
  %50 = stablehlo.reshape %49 : (tensor<f32>) -> tensor<1xf32>
  %51 = stablehlo.concatenate %2, %5, %8, %11, %14, %17, %20, %23, %26, %29, %32, %35, %38, %41, %44, %47, %50, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<17xf32>
  return %51 : tensor<17xf32>
}
// -----
// compiled for linalg_vector_norm.out
func.func @main(%arg0: tensor<17xf32>) -> tensor<f32> {
  %0 = stablehlo.multiply %arg0, %arg0 : tensor<17xf32>
  %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<17xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.sqrt %2 : tensor<f32>
  return %3 : tensor<f32>
}
// -----
// compiled for _foreach_mul_.Tensor
func.func @main(%arg0: tensor<1024x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<f32>, %arg2: tensor<768x256xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<1x1x768xf32>, %arg4: tensor<256x256xf32> {tf.aliasing_output = 3 : i32}, %arg5: tensor<1x256xf32>, %arg6: tensor<1024x256xf32> {tf.aliasing_output = 5 : i32}, %arg7: tensor<1x1024xf32>, %arg8: tensor<256x1024xf32> {tf.aliasing_output = 7 : i32}, %arg9: tensor<1x256xf32>, %arg10: tensor<256xf32> {tf.aliasing_output = 9 : i32}, %arg11: tensor<256xf32> {tf.aliasing_output = 10 : i32}, %arg12: tensor<256xf32> {tf.aliasing_output = 11 : i32}, %arg13: tensor<256xf32> {tf.aliasing_output = 12 : i32}, %arg14: tensor<256xf32> {tf.aliasing_output = 13 : i32}, %arg15: tensor<256xf32> {tf.aliasing_output = 14 : i32}, %arg16: tensor<1024x256xf32> {tf.aliasing_output = 15 : i32}, %arg17: tensor<1x1024xf32>) -> (tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>) {
  %0 = stablehlo.reshape %arg3 : (tensor<1x1x768xf32>) -> tensor<768xf32>
  %1 = stablehlo.reshape %arg5 : (tensor<1x256xf32>) -> tensor<256xf32>
  %2 = stablehlo.reshape %arg7 : (tensor<1x1024xf32>) -> tensor<1024xf32>
  %3 = stablehlo.reshape %arg9 : (tensor<1x256xf32>) -> tensor<256xf32>
  %4 = stablehlo.reshape %arg17 : (tensor<1x1024xf32>) -> tensor<1024xf32>
  %5 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %6 = stablehlo.multiply %arg0, %5 : tensor<1024x256xf32>
  %7 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768x256xf32>
  %8 = stablehlo.multiply %arg2, %7 : tensor<768x256xf32>
  %9 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %10 = stablehlo.multiply %0, %9 : tensor<768xf32>
  %11 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
  %12 = stablehlo.multiply %arg4, %11 : tensor<256x256xf32>
  %13 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %14 = stablehlo.multiply %1, %13 : tensor<256xf32>
  %15 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %16 = stablehlo.multiply %arg6, %15 : tensor<1024x256xf32>
  %17 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %18 = stablehlo.multiply %2, %17 : tensor<1024xf32>
  %19 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
  %20 = stablehlo.multiply %arg8, %19 : tensor<256x1024xf32>
  %21 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %22 = stablehlo.multiply %3, %21 : tensor<256xf32>
  %23 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %24 = stablehlo.multiply %arg10, %23 : tensor<256xf32>
  %25 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %26 = stablehlo.multiply %arg11, %25 : tensor<256xf32>
  %27 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %28 = stablehlo.multiply %arg12, %27 : tensor<256xf32>
  %29 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %30 = stablehlo.multiply %arg13, %29 : tensor<256xf32>
  %31 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %32 = stablehlo.multiply %arg14, %31 : tensor<256xf32>
  %33 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %34 = stablehlo.multiply %arg15, %33 : tensor<256xf32>
  %35 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %36 = stablehlo.multiply %arg16, %35 : tensor<1024x256xf32>
  %37 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %38 = stablehlo.multiply %4, %37 : tensor<1024xf32>
  return %6, %8, %10, %12, %14, %16, %18, %20, %22, %24, %26, %28, %30, %32, %34, %36, %38 : tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<1024x256xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  return %1 : tensor<1024x256xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<768x256xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<768x256xf32>
  return %1 : tensor<768x256xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<768xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<768xf32>
  return %1 : tensor<768xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<256x256xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<1024xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  return %1 : tensor<1024xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<256x1024xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
  return %1 : tensor<256x1024xf32>
}
// -----
// compiled for _foreach_mul_.Scalar
func.func @main(%arg0: tensor<1024x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<256x768xf32>, %arg2: tensor<768xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<256x256xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<256xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<256x1024xf32>, %arg6: tensor<1024xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<1024x256xf32>, %arg8: tensor<256xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<256xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<256xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<256xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<256xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<256xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<256xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<256x1024xf32>, %arg16: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<f32>) -> (tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>) {
  %0 = stablehlo.reshape %arg1 : (tensor<256x768xf32>) -> tensor<196608xf32>
  %1 = stablehlo.reshape %0 : (tensor<196608xf32>) -> tensor<768x256xf32>
  %2 = stablehlo.reshape %arg5 : (tensor<256x1024xf32>) -> tensor<262144xf32>
  %3 = stablehlo.reshape %2 : (tensor<262144xf32>) -> tensor<1024x256xf32>
  %4 = stablehlo.reshape %arg7 : (tensor<1024x256xf32>) -> tensor<262144xf32>
  %5 = stablehlo.reshape %4 : (tensor<262144xf32>) -> tensor<256x1024xf32>
  %6 = stablehlo.reshape %arg15 : (tensor<256x1024xf32>) -> tensor<262144xf32>
  %7 = stablehlo.reshape %6 : (tensor<262144xf32>) -> tensor<1024x256xf32>
  %8 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %9 = stablehlo.multiply %arg0, %8 : tensor<1024x256xf32>
  %10 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768x256xf32>
  %11 = stablehlo.multiply %1, %10 : tensor<768x256xf32>
  %12 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %13 = stablehlo.multiply %arg2, %12 : tensor<768xf32>
  %14 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
  %15 = stablehlo.multiply %arg3, %14 : tensor<256x256xf32>
  %16 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %17 = stablehlo.multiply %arg4, %16 : tensor<256xf32>
  %18 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %19 = stablehlo.multiply %3, %18 : tensor<1024x256xf32>
  %20 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %21 = stablehlo.multiply %arg6, %20 : tensor<1024xf32>
  %22 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
  %23 = stablehlo.multiply %5, %22 : tensor<256x1024xf32>
  %24 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %25 = stablehlo.multiply %arg8, %24 : tensor<256xf32>
  %26 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %27 = stablehlo.multiply %arg9, %26 : tensor<256xf32>
  %28 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %29 = stablehlo.multiply %arg10, %28 : tensor<256xf32>
  %30 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %31 = stablehlo.multiply %arg11, %30 : tensor<256xf32>
  %32 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %33 = stablehlo.multiply %arg12, %32 : tensor<256xf32>
  %34 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %35 = stablehlo.multiply %arg13, %34 : tensor<256xf32>
  %36 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %37 = stablehlo.multiply %arg14, %36 : tensor<256xf32>
  %38 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %39 = stablehlo.multiply %7, %38 : tensor<1024x256xf32>
  %40 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %41 = stablehlo.multiply %arg16, %40 : tensor<1024xf32>
  return %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33, %35, %37, %39, %41 : tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_lerp_.Scalar
func.func @main(%arg0: tensor<1024x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1024x256xf32>, %arg2: tensor<768x256xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<768x256xf32>, %arg4: tensor<768xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<768xf32>, %arg6: tensor<256x256xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<256x256xf32>, %arg8: tensor<256xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<256xf32>, %arg10: tensor<1024x256xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<1024x256xf32>, %arg12: tensor<1024xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<1024xf32>, %arg14: tensor<256x1024xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<256x1024xf32>, %arg16: tensor<256xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<256xf32>, %arg18: tensor<256xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<256xf32>, %arg20: tensor<256xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<256xf32>, %arg22: tensor<256xf32> {tf.aliasing_output = 11 : i32}, %arg23: tensor<256xf32>, %arg24: tensor<256xf32> {tf.aliasing_output = 12 : i32}, %arg25: tensor<256xf32>, %arg26: tensor<256xf32> {tf.aliasing_output = 13 : i32}, %arg27: tensor<256xf32>, %arg28: tensor<256xf32> {tf.aliasing_output = 14 : i32}, %arg29: tensor<256xf32>, %arg30: tensor<1024x256xf32> {tf.aliasing_output = 15 : i32}, %arg31: tensor<1024x256xf32>, %arg32: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg33: tensor<1024xf32>, %arg34: tensor<f32>) -> (tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>) {
  %0 = stablehlo.abs %arg34 : tensor<f32>
  %1 = stablehlo.subtract %arg1, %arg0 : tensor<1024x256xf32>
  %2 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<1024x256xf32>
  %4 = stablehlo.add %arg0, %3 : tensor<1024x256xf32>
  %5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %6 = stablehlo.subtract %5, %arg34 : tensor<f32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %8 = stablehlo.multiply %1, %7 : tensor<1024x256xf32>
  %9 = stablehlo.subtract %arg1, %8 : tensor<1024x256xf32>
  %10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %11 = stablehlo.compare LT, %0, %10 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %12 = stablehlo.select %11, %4, %9 : tensor<i1>, tensor<1024x256xf32>
  %13 = stablehlo.abs %arg34 : tensor<f32>
  %14 = stablehlo.subtract %arg3, %arg2 : tensor<768x256xf32>
  %15 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768x256xf32>
  %16 = stablehlo.multiply %14, %15 : tensor<768x256xf32>
  %17 = stablehlo.add %arg2, %16 : tensor<768x256xf32>
  %18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %19 = stablehlo.subtract %18, %arg34 : tensor<f32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<768x256xf32>
  %21 = stablehlo.multiply %14, %20 : tensor<768x256xf32>
  %22 = stablehlo.subtract %arg3, %21 : tensor<768x256xf32>
  %23 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %24 = stablehlo.compare LT, %13, %23 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %25 = stablehlo.select %24, %17, %22 : tensor<i1>, tensor<768x256xf32>
  %26 = stablehlo.abs %arg34 : tensor<f32>
  %27 = stablehlo.subtract %arg5, %arg4 : tensor<768xf32>
  %28 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %29 = stablehlo.multiply %27, %28 : tensor<768xf32>
  %30 = stablehlo.add %arg4, %29 : tensor<768xf32>
  %31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %32 = stablehlo.subtract %31, %arg34 : tensor<f32>
  %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %34 = stablehlo.multiply %27, %33 : tensor<768xf32>
  %35 = stablehlo.subtract %arg5, %34 : tensor<768xf32>
  %36 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %37 = stablehlo.compare LT, %26, %36 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %38 = stablehlo.select %37, %30, %35 : tensor<i1>, tensor<768xf32>
  %39 = stablehlo.abs %arg34 : tensor<f32>
  %40 = stablehlo.subtract %arg7, %arg6 : tensor<256x256xf32>
  %41 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
  %42 = stablehlo.multiply %40, %41 : tensor<256x256xf32>
  %43 = stablehlo.add %arg6, %42 : tensor<256x256xf32>
  %44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %45 = stablehlo.subtract %44, %arg34 : tensor<f32>
  %46 = stablehlo.broadcast_in_dim %45, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
  %47 = stablehlo.multiply %40, %46 : tensor<256x256xf32>
  %48 = stablehlo.subtract %arg7, %47 : tensor<256x256xf32>
  %49 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %50 = stablehlo.compare LT, %39, %49 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %51 = stablehlo.select %50, %43, %48 : tensor<i1>, tensor<256x256xf32>
  %52 = stablehlo.abs %arg34 : tensor<f32>
  %53 = stablehlo.subtract %arg9, %arg8 : tensor<256xf32>
  %54 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %55 = stablehlo.multiply %53, %54 : tensor<256xf32>
  %56 = stablehlo.add %arg8, %55 : tensor<256xf32>
  %57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %58 = stablehlo.subtract %57, %arg34 : tensor<f32>
  %59 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %60 = stablehlo.multiply %53, %59 : tensor<256xf32>
  %61 = stablehlo.subtract %arg9, %60 : tensor<256xf32>
  %62 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %63 = stablehlo.compare LT, %52, %62 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %64 = stablehlo.select %63, %56, %61 : tensor<i1>, tensor<256xf32>
  %65 = stablehlo.abs %arg34 : tensor<f32>
  %66 = stablehlo.subtract %arg11, %arg10 : tensor<1024x256xf32>
  %67 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %68 = stablehlo.multiply %66, %67 : tensor<1024x256xf32>
  %69 = stablehlo.add %arg10, %68 : tensor<1024x256xf32>
  %70 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %71 = stablehlo.subtract %70, %arg34 : tensor<f32>
  %72 = stablehlo.broadcast_in_dim %71, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %73 = stablehlo.multiply %66, %72 : tensor<1024x256xf32>
  %74 = stablehlo.subtract %arg11, %73 : tensor<1024x256xf32>
  %75 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %76 = stablehlo.compare LT, %65, %75 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %77 = stablehlo.select %76, %69, %74 : tensor<i1>, tensor<1024x256xf32>
  %78 = stablehlo.abs %arg34 : tensor<f32>
  %79 = stablehlo.subtract %arg13, %arg12 : tensor<1024xf32>
  %80 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %81 = stablehlo.multiply %79, %80 : tensor<1024xf32>
  %82 = stablehlo.add %arg12, %81 : tensor<1024xf32>
  %83 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %84 = stablehlo.subtract %83, %arg34 : tensor<f32>
  %85 = stablehlo.broadcast_in_dim %84, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %86 = stablehlo.multiply %79, %85 : tensor<1024xf32>
  %87 = stablehlo.subtract %arg13, %86 : tensor<1024xf32>
  %88 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %89 = stablehlo.compare LT, %78, %88 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %90 = stablehlo.select %89, %82, %87 : tensor<i1>, tensor<1024xf32>
  %91 = stablehlo.abs %arg34 : tensor<f32>
  %92 = stablehlo.subtract %arg15, %arg14 : tensor<256x1024xf32>
  %93 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
  %94 = stablehlo.multiply %92, %93 : tensor<256x1024xf32>
  %95 = stablehlo.add %arg14, %94 : tensor<256x1024xf32>
  %96 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %97 = stablehlo.subtract %96, %arg34 : tensor<f32>
  %98 = stablehlo.broadcast_in_dim %97, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
  %99 = stablehlo.multiply %92, %98 : tensor<256x1024xf32>
  %100 = stablehlo.subtract %arg15, %99 : tensor<256x1024xf32>
  %101 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %102 = stablehlo.compare LT, %91, %101 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %103 = stablehlo.select %102, %95, %100 : tensor<i1>, tensor<256x1024xf32>
  %104 = stablehlo.abs %arg34 : tensor<f32>
  %105 = stablehlo.subtract %arg17, %arg16 : tensor<256xf32>
  %106 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %107 = stablehlo.multiply %105, %106 : tensor<256xf32>
  %108 = stablehlo.add %arg16, %107 : tensor<256xf32>
  %109 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %110 = stablehlo.subtract %109, %arg34 : tensor<f32>
  %111 = stablehlo.broadcast_in_dim %110, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %112 = stablehlo.multiply %105, %111 : tensor<256xf32>
  %113 = stablehlo.subtract %arg17, %112 : tensor<256xf32>
  %114 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %115 = stablehlo.compare LT, %104, %114 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %116 = stablehlo.select %115, %108, %113 : tensor<i1>, tensor<256xf32>
  %117 = stablehlo.abs %arg34 : tensor<f32>
  %118 = stablehlo.subtract %arg19, %arg18 : tensor<256xf32>
  %119 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %120 = stablehlo.multiply %118, %119 : tensor<256xf32>
  %121 = stablehlo.add %arg18, %120 : tensor<256xf32>
  %122 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %123 = stablehlo.subtract %122, %arg34 : tensor<f32>
  %124 = stablehlo.broadcast_in_dim %123, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %125 = stablehlo.multiply %118, %124 : tensor<256xf32>
  %126 = stablehlo.subtract %arg19, %125 : tensor<256xf32>
  %127 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %128 = stablehlo.compare LT, %117, %127 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %129 = stablehlo.select %128, %121, %126 : tensor<i1>, tensor<256xf32>
  %130 = stablehlo.abs %arg34 : tensor<f32>
  %131 = stablehlo.subtract %arg21, %arg20 : tensor<256xf32>
  %132 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %133 = stablehlo.multiply %131, %132 : tensor<256xf32>
  %134 = stablehlo.add %arg20, %133 : tensor<256xf32>
  %135 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %136 = stablehlo.subtract %135, %arg34 : tensor<f32>
  %137 = stablehlo.broadcast_in_dim %136, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %138 = stablehlo.multiply %131, %137 : tensor<256xf32>
  %139 = stablehlo.subtract %arg21, %138 : tensor<256xf32>
  %140 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %141 = stablehlo.compare LT, %130, %140 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %142 = stablehlo.select %141, %134, %139 : tensor<i1>, tensor<256xf32>
  %143 = stablehlo.abs %arg34 : tensor<f32>
  %144 = stablehlo.subtract %arg23, %arg22 : tensor<256xf32>
  %145 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %146 = stablehlo.multiply %144, %145 : tensor<256xf32>
  %147 = stablehlo.add %arg22, %146 : tensor<256xf32>
  %148 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %149 = stablehlo.subtract %148, %arg34 : tensor<f32>
  %150 = stablehlo.broadcast_in_dim %149, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %151 = stablehlo.multiply %144, %150 : tensor<256xf32>
  %152 = stablehlo.subtract %arg23, %151 : tensor<256xf32>
  %153 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %154 = stablehlo.compare LT, %143, %153 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %155 = stablehlo.select %154, %147, %152 : tensor<i1>, tensor<256xf32>
  %156 = stablehlo.abs %arg34 : tensor<f32>
  %157 = stablehlo.subtract %arg25, %arg24 : tensor<256xf32>
  %158 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %159 = stablehlo.multiply %157, %158 : tensor<256xf32>
  %160 = stablehlo.add %arg24, %159 : tensor<256xf32>
  %161 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %162 = stablehlo.subtract %161, %arg34 : tensor<f32>
  %163 = stablehlo.broadcast_in_dim %162, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %164 = stablehlo.multiply %157, %163 : tensor<256xf32>
  %165 = stablehlo.subtract %arg25, %164 : tensor<256xf32>
  %166 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %167 = stablehlo.compare LT, %156, %166 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %168 = stablehlo.select %167, %160, %165 : tensor<i1>, tensor<256xf32>
  %169 = stablehlo.abs %arg34 : tensor<f32>
  %170 = stablehlo.subtract %arg27, %arg26 : tensor<256xf32>
  %171 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %172 = stablehlo.multiply %170, %171 : tensor<256xf32>
  %173 = stablehlo.add %arg26, %172 : tensor<256xf32>
  %174 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %175 = stablehlo.subtract %174, %arg34 : tensor<f32>
  %176 = stablehlo.broadcast_in_dim %175, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %177 = stablehlo.multiply %170, %176 : tensor<256xf32>
  %178 = stablehlo.subtract %arg27, %177 : tensor<256xf32>
  %179 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %180 = stablehlo.compare LT, %169, %179 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %181 = stablehlo.select %180, %173, %178 : tensor<i1>, tensor<256xf32>
  %182 = stablehlo.abs %arg34 : tensor<f32>
  %183 = stablehlo.subtract %arg29, %arg28 : tensor<256xf32>
  %184 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %185 = stablehlo.multiply %183, %184 : tensor<256xf32>
  %186 = stablehlo.add %arg28, %185 : tensor<256xf32>
  %187 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %188 = stablehlo.subtract %187, %arg34 : tensor<f32>
  %189 = stablehlo.broadcast_in_dim %188, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %190 = stablehlo.multiply %183, %189 : tensor<256xf32>
  %191 = stablehlo.subtract %arg29, %190 : tensor<256xf32>
  %192 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %193 = stablehlo.compare LT, %182, %192 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %194 = stablehlo.select %193, %186, %191 : tensor<i1>, tensor<256xf32>
  %195 = stablehlo.abs %arg34 : tensor<f32>
  %196 = stablehlo.subtract %arg31, %arg30 : tensor<1024x256xf32>
  %197 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %198 = stablehlo.multiply %196, %197 : tensor<1024x256xf32>
  %199 = stablehlo.add %arg30, %198 : tensor<1024x256xf32>
  %200 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %201 = stablehlo.subtract %200, %arg34 : tensor<f32>
  %202 = stablehlo.broadcast_in_dim %201, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %203 = stablehlo.multiply %196, %202 : tensor<1024x256xf32>
  %204 = stablehlo.subtract %arg31, %203 : tensor<1024x256xf32>
  %205 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %206 = stablehlo.compare LT, %195, %205 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %207 = stablehlo.select %206, %199, %204 : tensor<i1>, tensor<1024x256xf32>
  %208 = stablehlo.abs %arg34 : tensor<f32>
  %209 = stablehlo.subtract %arg33, %arg32 : tensor<1024xf32>
  %210 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %211 = stablehlo.multiply %209, %210 : tensor<1024xf32>
  %212 = stablehlo.add %arg32, %211 : tensor<1024xf32>
  %213 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %214 = stablehlo.subtract %213, %arg34 : tensor<f32>
  %215 = stablehlo.broadcast_in_dim %214, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %216 = stablehlo.multiply %209, %215 : tensor<1024xf32>
  %217 = stablehlo.subtract %arg33, %216 : tensor<1024xf32>
  %218 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %219 = stablehlo.compare LT, %208, %218 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %220 = stablehlo.select %219, %212, %217 : tensor<i1>, tensor<1024xf32>
  return %12, %25, %38, %51, %64, %77, %90, %103, %116, %129, %142, %155, %168, %181, %194, %207, %220 : tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_mul_.Scalar
func.func @main(%arg0: tensor<1024x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<768x256xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<768xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<256x256xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<256xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<1024x256xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<1024xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<256x1024xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<256xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<256xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<256xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<256xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<256xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<256xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<256xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<1024x256xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<f32>) -> (tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<1024x256xf32>
  %2 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768x256xf32>
  %3 = stablehlo.multiply %arg1, %2 : tensor<768x256xf32>
  %4 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %5 = stablehlo.multiply %arg2, %4 : tensor<768xf32>
  %6 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
  %7 = stablehlo.multiply %arg3, %6 : tensor<256x256xf32>
  %8 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %9 = stablehlo.multiply %arg4, %8 : tensor<256xf32>
  %10 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %11 = stablehlo.multiply %arg5, %10 : tensor<1024x256xf32>
  %12 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %13 = stablehlo.multiply %arg6, %12 : tensor<1024xf32>
  %14 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
  %15 = stablehlo.multiply %arg7, %14 : tensor<256x1024xf32>
  %16 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %17 = stablehlo.multiply %arg8, %16 : tensor<256xf32>
  %18 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %19 = stablehlo.multiply %arg9, %18 : tensor<256xf32>
  %20 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %21 = stablehlo.multiply %arg10, %20 : tensor<256xf32>
  %22 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %23 = stablehlo.multiply %arg11, %22 : tensor<256xf32>
  %24 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %25 = stablehlo.multiply %arg12, %24 : tensor<256xf32>
  %26 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %27 = stablehlo.multiply %arg13, %26 : tensor<256xf32>
  %28 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %29 = stablehlo.multiply %arg14, %28 : tensor<256xf32>
  %30 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %31 = stablehlo.multiply %arg15, %30 : tensor<1024x256xf32>
  %32 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %33 = stablehlo.multiply %arg16, %32 : tensor<1024xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33 : tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_addcmul_.Scalar
func.func @main(%arg0: tensor<1024x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1024x256xf32>, %arg2: tensor<768x256xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<768x256xf32>, %arg4: tensor<768xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<768xf32>, %arg6: tensor<256x256xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<256x256xf32>, %arg8: tensor<256xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<256xf32>, %arg10: tensor<1024x256xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<1024x256xf32>, %arg12: tensor<1024xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<1024xf32>, %arg14: tensor<256x1024xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<256x1024xf32>, %arg16: tensor<256xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<256xf32>, %arg18: tensor<256xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<256xf32>, %arg20: tensor<256xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<256xf32>, %arg22: tensor<256xf32> {tf.aliasing_output = 11 : i32}, %arg23: tensor<256xf32>, %arg24: tensor<256xf32> {tf.aliasing_output = 12 : i32}, %arg25: tensor<256xf32>, %arg26: tensor<256xf32> {tf.aliasing_output = 13 : i32}, %arg27: tensor<256xf32>, %arg28: tensor<256xf32> {tf.aliasing_output = 14 : i32}, %arg29: tensor<256xf32>, %arg30: tensor<1024x256xf32> {tf.aliasing_output = 15 : i32}, %arg31: tensor<1024x256xf32>, %arg32: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg33: tensor<1024xf32>, %arg34: tensor<f32>) -> (tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %1 = stablehlo.multiply %arg1, %0 : tensor<1024x256xf32>
  %2 = stablehlo.multiply %1, %arg1 : tensor<1024x256xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<1024x256xf32>
  %4 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768x256xf32>
  %5 = stablehlo.multiply %arg3, %4 : tensor<768x256xf32>
  %6 = stablehlo.multiply %5, %arg3 : tensor<768x256xf32>
  %7 = stablehlo.add %arg2, %6 : tensor<768x256xf32>
  %8 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %9 = stablehlo.multiply %arg5, %8 : tensor<768xf32>
  %10 = stablehlo.multiply %9, %arg5 : tensor<768xf32>
  %11 = stablehlo.add %arg4, %10 : tensor<768xf32>
  %12 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
  %13 = stablehlo.multiply %arg7, %12 : tensor<256x256xf32>
  %14 = stablehlo.multiply %13, %arg7 : tensor<256x256xf32>
  %15 = stablehlo.add %arg6, %14 : tensor<256x256xf32>
  %16 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %17 = stablehlo.multiply %arg9, %16 : tensor<256xf32>
  %18 = stablehlo.multiply %17, %arg9 : tensor<256xf32>
  %19 = stablehlo.add %arg8, %18 : tensor<256xf32>
  %20 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %21 = stablehlo.multiply %arg11, %20 : tensor<1024x256xf32>
  %22 = stablehlo.multiply %21, %arg11 : tensor<1024x256xf32>
  %23 = stablehlo.add %arg10, %22 : tensor<1024x256xf32>
  %24 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %25 = stablehlo.multiply %arg13, %24 : tensor<1024xf32>
  %26 = stablehlo.multiply %25, %arg13 : tensor<1024xf32>
  %27 = stablehlo.add %arg12, %26 : tensor<1024xf32>
  %28 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
  %29 = stablehlo.multiply %arg15, %28 : tensor<256x1024xf32>
  %30 = stablehlo.multiply %29, %arg15 : tensor<256x1024xf32>
  %31 = stablehlo.add %arg14, %30 : tensor<256x1024xf32>
  %32 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %33 = stablehlo.multiply %arg17, %32 : tensor<256xf32>
  %34 = stablehlo.multiply %33, %arg17 : tensor<256xf32>
  %35 = stablehlo.add %arg16, %34 : tensor<256xf32>
  %36 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %37 = stablehlo.multiply %arg19, %36 : tensor<256xf32>
  %38 = stablehlo.multiply %37, %arg19 : tensor<256xf32>
  %39 = stablehlo.add %arg18, %38 : tensor<256xf32>
  %40 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %41 = stablehlo.multiply %arg21, %40 : tensor<256xf32>
  %42 = stablehlo.multiply %41, %arg21 : tensor<256xf32>
  %43 = stablehlo.add %arg20, %42 : tensor<256xf32>
  %44 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %45 = stablehlo.multiply %arg23, %44 : tensor<256xf32>
  %46 = stablehlo.multiply %45, %arg23 : tensor<256xf32>
  %47 = stablehlo.add %arg22, %46 : tensor<256xf32>
  %48 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %49 = stablehlo.multiply %arg25, %48 : tensor<256xf32>
  %50 = stablehlo.multiply %49, %arg25 : tensor<256xf32>
  %51 = stablehlo.add %arg24, %50 : tensor<256xf32>
  %52 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %53 = stablehlo.multiply %arg27, %52 : tensor<256xf32>
  %54 = stablehlo.multiply %53, %arg27 : tensor<256xf32>
  %55 = stablehlo.add %arg26, %54 : tensor<256xf32>
  %56 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %57 = stablehlo.multiply %arg29, %56 : tensor<256xf32>
  %58 = stablehlo.multiply %57, %arg29 : tensor<256xf32>
  %59 = stablehlo.add %arg28, %58 : tensor<256xf32>
  %60 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %61 = stablehlo.multiply %arg31, %60 : tensor<1024x256xf32>
  %62 = stablehlo.multiply %61, %arg31 : tensor<1024x256xf32>
  %63 = stablehlo.add %arg30, %62 : tensor<1024x256xf32>
  %64 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %65 = stablehlo.multiply %arg33, %64 : tensor<1024xf32>
  %66 = stablehlo.multiply %65, %arg33 : tensor<1024xf32>
  %67 = stablehlo.add %arg32, %66 : tensor<1024xf32>
  return %3, %7, %11, %15, %19, %23, %27, %31, %35, %39, %43, %47, %51, %55, %59, %63, %67 : tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_sqrt
func.func @main(%arg0: tensor<1024x256xf32>, %arg1: tensor<768x256xf32>, %arg2: tensor<768xf32>, %arg3: tensor<256x256xf32>, %arg4: tensor<256xf32>, %arg5: tensor<1024x256xf32>, %arg6: tensor<1024xf32>, %arg7: tensor<256x1024xf32>, %arg8: tensor<256xf32>, %arg9: tensor<256xf32>, %arg10: tensor<256xf32>, %arg11: tensor<256xf32>, %arg12: tensor<256xf32>, %arg13: tensor<256xf32>, %arg14: tensor<256xf32>, %arg15: tensor<1024x256xf32>, %arg16: tensor<1024xf32>) -> (tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>) {
  %0 = stablehlo.sqrt %arg0 : tensor<1024x256xf32>
  %1 = stablehlo.sqrt %arg1 : tensor<768x256xf32>
  %2 = stablehlo.sqrt %arg2 : tensor<768xf32>
  %3 = stablehlo.sqrt %arg3 : tensor<256x256xf32>
  %4 = stablehlo.sqrt %arg4 : tensor<256xf32>
  %5 = stablehlo.sqrt %arg5 : tensor<1024x256xf32>
  %6 = stablehlo.sqrt %arg6 : tensor<1024xf32>
  %7 = stablehlo.sqrt %arg7 : tensor<256x1024xf32>
  %8 = stablehlo.sqrt %arg8 : tensor<256xf32>
  %9 = stablehlo.sqrt %arg9 : tensor<256xf32>
  %10 = stablehlo.sqrt %arg10 : tensor<256xf32>
  %11 = stablehlo.sqrt %arg11 : tensor<256xf32>
  %12 = stablehlo.sqrt %arg12 : tensor<256xf32>
  %13 = stablehlo.sqrt %arg13 : tensor<256xf32>
  %14 = stablehlo.sqrt %arg14 : tensor<256xf32>
  %15 = stablehlo.sqrt %arg15 : tensor<1024x256xf32>
  %16 = stablehlo.sqrt %arg16 : tensor<1024xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16 : tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_div_.ScalarList
func.func @main(%arg0: tensor<1024x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<768x256xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<768xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<256x256xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<256xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<1024x256xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<1024xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<256x1024xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<256xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<256xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<256xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<256xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<256xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<256xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<256xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<1024x256xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<f32>, %arg18: tensor<f32>, %arg19: tensor<f32>, %arg20: tensor<f32>, %arg21: tensor<f32>, %arg22: tensor<f32>, %arg23: tensor<f32>, %arg24: tensor<f32>, %arg25: tensor<f32>, %arg26: tensor<f32>, %arg27: tensor<f32>, %arg28: tensor<f32>, %arg29: tensor<f32>, %arg30: tensor<f32>, %arg31: tensor<f32>, %arg32: tensor<f32>, %arg33: tensor<f32>) -> (tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %1 = stablehlo.divide %arg0, %0 : tensor<1024x256xf32>
  %2 = stablehlo.broadcast_in_dim %arg18, dims = [] : (tensor<f32>) -> tensor<768x256xf32>
  %3 = stablehlo.divide %arg1, %2 : tensor<768x256xf32>
  %4 = stablehlo.broadcast_in_dim %arg19, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %5 = stablehlo.divide %arg2, %4 : tensor<768xf32>
  %6 = stablehlo.broadcast_in_dim %arg20, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
  %7 = stablehlo.divide %arg3, %6 : tensor<256x256xf32>
  %8 = stablehlo.broadcast_in_dim %arg21, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %9 = stablehlo.divide %arg4, %8 : tensor<256xf32>
  %10 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %11 = stablehlo.divide %arg5, %10 : tensor<1024x256xf32>
  %12 = stablehlo.broadcast_in_dim %arg23, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %13 = stablehlo.divide %arg6, %12 : tensor<1024xf32>
  %14 = stablehlo.broadcast_in_dim %arg24, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
  %15 = stablehlo.divide %arg7, %14 : tensor<256x1024xf32>
  %16 = stablehlo.broadcast_in_dim %arg25, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %17 = stablehlo.divide %arg8, %16 : tensor<256xf32>
  %18 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %19 = stablehlo.divide %arg9, %18 : tensor<256xf32>
  %20 = stablehlo.broadcast_in_dim %arg27, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %21 = stablehlo.divide %arg10, %20 : tensor<256xf32>
  %22 = stablehlo.broadcast_in_dim %arg28, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %23 = stablehlo.divide %arg11, %22 : tensor<256xf32>
  %24 = stablehlo.broadcast_in_dim %arg29, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %25 = stablehlo.divide %arg12, %24 : tensor<256xf32>
  %26 = stablehlo.broadcast_in_dim %arg30, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %27 = stablehlo.divide %arg13, %26 : tensor<256xf32>
  %28 = stablehlo.broadcast_in_dim %arg31, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %29 = stablehlo.divide %arg14, %28 : tensor<256xf32>
  %30 = stablehlo.broadcast_in_dim %arg32, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %31 = stablehlo.divide %arg15, %30 : tensor<1024x256xf32>
  %32 = stablehlo.broadcast_in_dim %arg33, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %33 = stablehlo.divide %arg16, %32 : tensor<1024xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33 : tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_add_.Scalar
func.func @main(%arg0: tensor<1024x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<768x256xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<768xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<256x256xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<256xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<1024x256xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<1024xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<256x1024xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<256xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<256xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<256xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<256xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<256xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<256xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<256xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<1024x256xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<f32>) -> (tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<1024x256xf32>
  %2 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768x256xf32>
  %3 = stablehlo.add %arg1, %2 : tensor<768x256xf32>
  %4 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %5 = stablehlo.add %arg2, %4 : tensor<768xf32>
  %6 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
  %7 = stablehlo.add %arg3, %6 : tensor<256x256xf32>
  %8 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %9 = stablehlo.add %arg4, %8 : tensor<256xf32>
  %10 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %11 = stablehlo.add %arg5, %10 : tensor<1024x256xf32>
  %12 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %13 = stablehlo.add %arg6, %12 : tensor<1024xf32>
  %14 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
  %15 = stablehlo.add %arg7, %14 : tensor<256x1024xf32>
  %16 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %17 = stablehlo.add %arg8, %16 : tensor<256xf32>
  %18 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %19 = stablehlo.add %arg9, %18 : tensor<256xf32>
  %20 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %21 = stablehlo.add %arg10, %20 : tensor<256xf32>
  %22 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %23 = stablehlo.add %arg11, %22 : tensor<256xf32>
  %24 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %25 = stablehlo.add %arg12, %24 : tensor<256xf32>
  %26 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %27 = stablehlo.add %arg13, %26 : tensor<256xf32>
  %28 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %29 = stablehlo.add %arg14, %28 : tensor<256xf32>
  %30 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %31 = stablehlo.add %arg15, %30 : tensor<1024x256xf32>
  %32 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %33 = stablehlo.add %arg16, %32 : tensor<1024xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33 : tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_addcdiv_.ScalarList
func.func @main(%arg0: tensor<1024x256xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1024x256xf32>, %arg2: tensor<1024x256xf32>, %arg3: tensor<768x256xf32> {tf.aliasing_output = 1 : i32}, %arg4: tensor<768x256xf32>, %arg5: tensor<768x256xf32>, %arg6: tensor<768xf32> {tf.aliasing_output = 2 : i32}, %arg7: tensor<768xf32>, %arg8: tensor<768xf32>, %arg9: tensor<256x256xf32> {tf.aliasing_output = 3 : i32}, %arg10: tensor<256x256xf32>, %arg11: tensor<256x256xf32>, %arg12: tensor<256xf32> {tf.aliasing_output = 4 : i32}, %arg13: tensor<256xf32>, %arg14: tensor<256xf32>, %arg15: tensor<1024x256xf32> {tf.aliasing_output = 5 : i32}, %arg16: tensor<1024x256xf32>, %arg17: tensor<1024x256xf32>, %arg18: tensor<1024xf32> {tf.aliasing_output = 6 : i32}, %arg19: tensor<1024xf32>, %arg20: tensor<1024xf32>, %arg21: tensor<256x1024xf32> {tf.aliasing_output = 7 : i32}, %arg22: tensor<256x1024xf32>, %arg23: tensor<256x1024xf32>, %arg24: tensor<256xf32> {tf.aliasing_output = 8 : i32}, %arg25: tensor<256xf32>, %arg26: tensor<256xf32>, %arg27: tensor<256xf32> {tf.aliasing_output = 9 : i32}, %arg28: tensor<256xf32>, %arg29: tensor<256xf32>, %arg30: tensor<256xf32> {tf.aliasing_output = 10 : i32}, %arg31: tensor<256xf32>, %arg32: tensor<256xf32>, %arg33: tensor<256xf32> {tf.aliasing_output = 11 : i32}, %arg34: tensor<256xf32>, %arg35: tensor<256xf32>, %arg36: tensor<256xf32> {tf.aliasing_output = 12 : i32}, %arg37: tensor<256xf32>, %arg38: tensor<256xf32>, %arg39: tensor<256xf32> {tf.aliasing_output = 13 : i32}, %arg40: tensor<256xf32>, %arg41: tensor<256xf32>, %arg42: tensor<256xf32> {tf.aliasing_output = 14 : i32}, %arg43: tensor<256xf32>, %arg44: tensor<256xf32>, %arg45: tensor<1024x256xf32> {tf.aliasing_output = 15 : i32}, %arg46: tensor<1024x256xf32>, %arg47: tensor<1024x256xf32>, %arg48: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg49: tensor<1024xf32>, %arg50: tensor<1024xf32>, %arg51: tensor<f32>, %arg52: tensor<f32>, %arg53: tensor<f32>, %arg54: tensor<f32>, %arg55: tensor<f32>, %arg56: tensor<f32>, %arg57: tensor<f32>, %arg58: tensor<f32>, %arg59: tensor<f32>, %arg60: tensor<f32>, %arg61: tensor<f32>, %arg62: tensor<f32>, %arg63: tensor<f32>, %arg64: tensor<f32>, %arg65: tensor<f32>, %arg66: tensor<f32>, %arg67: tensor<f32>) -> (tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg51, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %1 = stablehlo.multiply %arg1, %0 : tensor<1024x256xf32>
  %2 = stablehlo.divide %1, %arg2 : tensor<1024x256xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<1024x256xf32>
  %4 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<768x256xf32>
  %5 = stablehlo.multiply %arg4, %4 : tensor<768x256xf32>
  %6 = stablehlo.divide %5, %arg5 : tensor<768x256xf32>
  %7 = stablehlo.add %arg3, %6 : tensor<768x256xf32>
  %8 = stablehlo.broadcast_in_dim %arg53, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %9 = stablehlo.multiply %arg7, %8 : tensor<768xf32>
  %10 = stablehlo.divide %9, %arg8 : tensor<768xf32>
  %11 = stablehlo.add %arg6, %10 : tensor<768xf32>
  %12 = stablehlo.broadcast_in_dim %arg54, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
  %13 = stablehlo.multiply %arg10, %12 : tensor<256x256xf32>
  %14 = stablehlo.divide %13, %arg11 : tensor<256x256xf32>
  %15 = stablehlo.add %arg9, %14 : tensor<256x256xf32>
  %16 = stablehlo.broadcast_in_dim %arg55, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %17 = stablehlo.multiply %arg13, %16 : tensor<256xf32>
  %18 = stablehlo.divide %17, %arg14 : tensor<256xf32>
  %19 = stablehlo.add %arg12, %18 : tensor<256xf32>
  %20 = stablehlo.broadcast_in_dim %arg56, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %21 = stablehlo.multiply %arg16, %20 : tensor<1024x256xf32>
  %22 = stablehlo.divide %21, %arg17 : tensor<1024x256xf32>
  %23 = stablehlo.add %arg15, %22 : tensor<1024x256xf32>
  %24 = stablehlo.broadcast_in_dim %arg57, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %25 = stablehlo.multiply %arg19, %24 : tensor<1024xf32>
  %26 = stablehlo.divide %25, %arg20 : tensor<1024xf32>
  %27 = stablehlo.add %arg18, %26 : tensor<1024xf32>
  %28 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
  %29 = stablehlo.multiply %arg22, %28 : tensor<256x1024xf32>
  %30 = stablehlo.divide %29, %arg23 : tensor<256x1024xf32>
  %31 = stablehlo.add %arg21, %30 : tensor<256x1024xf32>
  %32 = stablehlo.broadcast_in_dim %arg59, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %33 = stablehlo.multiply %arg25, %32 : tensor<256xf32>
  %34 = stablehlo.divide %33, %arg26 : tensor<256xf32>
  %35 = stablehlo.add %arg24, %34 : tensor<256xf32>
  %36 = stablehlo.broadcast_in_dim %arg60, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %37 = stablehlo.multiply %arg28, %36 : tensor<256xf32>
  %38 = stablehlo.divide %37, %arg29 : tensor<256xf32>
  %39 = stablehlo.add %arg27, %38 : tensor<256xf32>
  %40 = stablehlo.broadcast_in_dim %arg61, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %41 = stablehlo.multiply %arg31, %40 : tensor<256xf32>
  %42 = stablehlo.divide %41, %arg32 : tensor<256xf32>
  %43 = stablehlo.add %arg30, %42 : tensor<256xf32>
  %44 = stablehlo.broadcast_in_dim %arg62, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %45 = stablehlo.multiply %arg34, %44 : tensor<256xf32>
  %46 = stablehlo.divide %45, %arg35 : tensor<256xf32>
  %47 = stablehlo.add %arg33, %46 : tensor<256xf32>
  %48 = stablehlo.broadcast_in_dim %arg63, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %49 = stablehlo.multiply %arg37, %48 : tensor<256xf32>
  %50 = stablehlo.divide %49, %arg38 : tensor<256xf32>
  %51 = stablehlo.add %arg36, %50 : tensor<256xf32>
  %52 = stablehlo.broadcast_in_dim %arg64, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %53 = stablehlo.multiply %arg40, %52 : tensor<256xf32>
  %54 = stablehlo.divide %53, %arg41 : tensor<256xf32>
  %55 = stablehlo.add %arg39, %54 : tensor<256xf32>
  %56 = stablehlo.broadcast_in_dim %arg65, dims = [] : (tensor<f32>) -> tensor<256xf32>
  %57 = stablehlo.multiply %arg43, %56 : tensor<256xf32>
  %58 = stablehlo.divide %57, %arg44 : tensor<256xf32>
  %59 = stablehlo.add %arg42, %58 : tensor<256xf32>
  %60 = stablehlo.broadcast_in_dim %arg66, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
  %61 = stablehlo.multiply %arg46, %60 : tensor<1024x256xf32>
  %62 = stablehlo.divide %61, %arg47 : tensor<1024x256xf32>
  %63 = stablehlo.add %arg45, %62 : tensor<1024x256xf32>
  %64 = stablehlo.broadcast_in_dim %arg67, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %65 = stablehlo.multiply %arg49, %64 : tensor<1024xf32>
  %66 = stablehlo.divide %65, %arg50 : tensor<1024xf32>
  %67 = stablehlo.add %arg48, %66 : tensor<1024xf32>
  return %3, %7, %11, %15, %19, %23, %27, %31, %35, %39, %43, %47, %51, %55, %59, %63, %67 : tensor<1024x256xf32>, tensor<768x256xf32>, tensor<768xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256x1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<1024xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x8x256xf32>, %arg1: tensor<768x256xf32>) -> tensor<512x768xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<768x256xf32>) -> tensor<196608xf32>
  %3 = stablehlo.reshape %2 : (tensor<196608xf32>) -> tensor<768x256xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<768x256xf32>) -> tensor<256x768xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x256xf32>, tensor<256x768xf32>) -> tensor<512x768xf32>
  return %5 : tensor<512x768xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<8x64x256xf32>, %arg1: tensor<1024x256xf32>, %arg2: tensor<1024xf32>) -> tensor<512x1024xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<1024x256xf32>) -> tensor<262144xf32>
  %3 = stablehlo.reshape %2 : (tensor<262144xf32>) -> tensor<1024x256xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<1024x256xf32>) -> tensor<256x1024xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x256xf32>, tensor<256x1024xf32>) -> tensor<512x1024xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<1024xf32>) -> tensor<512x1024xf32>
  %7 = stablehlo.add %5, %6 : tensor<512x1024xf32>
  return %7 : tensor<512x1024xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<8x64x1024xf32>, %arg1: tensor<256x1024xf32>, %arg2: tensor<256xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x1024xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<512x1024xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<256x1024xf32>) -> tensor<262144xf32>
  %3 = stablehlo.reshape %2 : (tensor<262144xf32>) -> tensor<256x1024xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<256x1024xf32>) -> tensor<1024x256xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x1024xf32>, tensor<1024x256xf32>) -> tensor<512x256xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<256xf32>) -> tensor<512x256xf32>
  %7 = stablehlo.add %5, %6 : tensor<512x256xf32>
  return %7 : tensor<512x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<512x1024xf32>, %arg1: tensor<1024x256xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x1024xf32>, tensor<1024x256xf32>) -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x64x256xf32>, %arg1: tensor<256x1024xf32>) -> tensor<512x1024xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x256xf32>) -> tensor<131072xf32>
  %1 = stablehlo.reshape %0 : (tensor<131072xf32>) -> tensor<512x256xf32>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x256xf32>, tensor<256x1024xf32>) -> tensor<512x1024xf32>
  return %2 : tensor<512x1024xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x64x1024xf32>, %arg1: tensor<1024x256xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x1024xf32>) -> tensor<524288xf32>
  %1 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<512x1024xf32>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x1024xf32>, tensor<1024x256xf32>) -> tensor<512x256xf32>
  return %2 : tensor<512x256xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<64x8x3x256xf32>, %arg1: tensor<768x256xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<64x8x3x256xf32>) -> tensor<393216xf32>
  %1 = stablehlo.reshape %0 : (tensor<393216xf32>) -> tensor<512x768xf32>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<512x768xf32>, tensor<768x256xf32>) -> tensor<512x256xf32>
  return %2 : tensor<512x256xf32>
}
// -----
// compiled for index_select
func.func @main(%arg0: tensor<1024x768xf32>, %arg1: tensor<1024xi64>) -> (tensor<1024x768xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<1024> : tensor<i64>
  %1 = stablehlo.constant dense<1024> : tensor<i64>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %3 = stablehlo.compare GE, %arg1, %2 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %4 = stablehlo.constant dense<0> : tensor<i64>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %6 = stablehlo.compare LT, %arg1, %5 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %7 = stablehlo.or %6, %3 : tensor<1024xi1>
  %8 = stablehlo.iota dim = 0 : tensor<1024xi64>
  %9 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %10 = stablehlo.select %7, %8, %9 : tensor<1024xi1>, tensor<1024xi64>
  %11 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.minimum across dimensions = [0] : (tensor<1024xi64>, tensor<i64>) -> tensor<i64>
  %13 = stablehlo.constant dense<1023> : tensor<i64>
  %14 = stablehlo.minimum %12, %13 : tensor<i64>
  %15 = stablehlo.compare LT, %12, %0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %16 = stablehlo.convert %15 : (tensor<i1>) -> tensor<i64>
  %17 = stablehlo.reshape %16 : (tensor<i64>) -> tensor<1xi64>
  %18 = stablehlo.dynamic_slice %arg1, %14, sizes = [1] : (tensor<1024xi64>, tensor<i64>) -> tensor<1xi64>
  %19 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 768>}> : (tensor<1024x768xf32>, tensor<1024xi64>) -> tensor<1024x768xf32>
  %20 = stablehlo.concatenate %17, %18, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %19, %20 : tensor<1024x768xf32>, tensor<2xi64>
}
// -----
// compiled for native_layer_norm
func.func @main(%arg0: tensor<1024x768xf32>, %arg1: tensor<768xf32>, %arg2: tensor<768xf32>, %arg3: tensor<f32>) -> (tensor<8x128x768xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x768xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<8x128x768xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [2] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<8x128xf32>
  %4 = stablehlo.reshape %3 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
  %5 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
  %7 = stablehlo.divide %4, %6 : tensor<8x128x1xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %9 = stablehlo.subtract %1, %8 : tensor<8x128x768xf32>
  %10 = stablehlo.multiply %9, %9 : tensor<8x128x768xf32>
  %11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.add across dimensions = [2] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<8x128xf32>
  %13 = stablehlo.reshape %12 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
  %14 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
  %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
  %16 = stablehlo.divide %13, %15 : tensor<8x128x1xf32>
  %17 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
  %18 = stablehlo.add %16, %17 : tensor<8x128x1xf32>
  %19 = stablehlo.rsqrt %18 : tensor<8x128x1xf32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %21 = stablehlo.multiply %9, %20 : tensor<8x128x768xf32>
  %22 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<768xf32>) -> tensor<8x128x768xf32>
  %23 = stablehlo.multiply %21, %22 : tensor<8x128x768xf32>
  %24 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<768xf32>) -> tensor<8x128x768xf32>
  %25 = stablehlo.add %23, %24 : tensor<8x128x768xf32>
  return %25, %7, %19 : tensor<8x128x768xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<2304xf32>) -> tensor<2304xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<2304xf32>) -> tensor<2304xbf16>
  return %0 : tensor<2304xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<2304x768xf32>) -> tensor<2304x768xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<2304x768xf32>) -> tensor<2304x768xbf16>
  return %0 : tensor<2304x768xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<8x128x768xf32>) -> tensor<8x128x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x768xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<8x128x768xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<8x128x768xf32>) -> tensor<128x8x768xf32>
  %3 = stablehlo.convert %2 : (tensor<128x8x768xf32>) -> tensor<128x8x768xbf16>
  %4 = stablehlo.transpose %3, dims = [1, 0, 2] : (tensor<128x8x768xbf16>) -> tensor<8x128x768xbf16>
  return %4 : tensor<8x128x768xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<8x128x768xbf16>) -> tensor<128x8x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<8x128x768xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<8x128x768xbf16>) -> tensor<128x8x768xbf16>
  return %2 : tensor<128x8x768xbf16>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<128x8x768xbf16>, %arg1: tensor<2304x768xbf16>) -> tensor<1024x2304xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %2 = stablehlo.reshape %arg1 : (tensor<2304x768xbf16>) -> tensor<1769472xbf16>
  %3 = stablehlo.reshape %2 : (tensor<1769472xbf16>) -> tensor<2304x768xbf16>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<2304x768xbf16>) -> tensor<768x2304xbf16>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0] : (tensor<1024x768xbf16>, tensor<768x2304xbf16>) -> tensor<1024x2304xbf16>
  return %5 : tensor<1024x2304xbf16>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<1024x2304xbf16>, %arg1: tensor<2304xbf16>) -> tensor<128x8x2304xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x2304xbf16>) -> tensor<2359296xbf16>
  %1 = stablehlo.reshape %0 : (tensor<2359296xbf16>) -> tensor<128x8x2304xbf16>
  %2 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<2304xbf16>) -> tensor<128x8x2304xbf16>
  %3 = stablehlo.add %1, %2 : tensor<128x8x2304xbf16>
  return %3 : tensor<128x8x2304xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<128x8x2304xbf16>) -> tensor<3x128x8x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x2304xbf16>) -> tensor<2359296xbf16>
  %1 = stablehlo.reshape %0 : (tensor<2359296xbf16>) -> tensor<128x8x3x768xbf16>
  %2 = stablehlo.transpose %1, dims = [2, 0, 1, 3] : (tensor<128x8x3x768xbf16>) -> tensor<3x128x8x768xbf16>
  return %2 : tensor<3x128x8x768xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<3x128x8x768xbf16>) -> tensor<128x8x12x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<3x128x8x768xbf16>) -> tensor<2359296xbf16>
  %1 = stablehlo.slice %0 [0:786432] : (tensor<2359296xbf16>) -> tensor<786432xbf16>
  %2 = stablehlo.reshape %1 : (tensor<786432xbf16>) -> tensor<128x8x12x64xbf16>
  %3 = stablehlo.transpose %2, dims = [1, 2, 0, 3] : (tensor<128x8x12x64xbf16>) -> tensor<8x12x128x64xbf16>
  %4 = stablehlo.convert %3 : (tensor<8x12x128x64xbf16>) -> tensor<8x12x128x64xf32>
  %5 = stablehlo.transpose %4, dims = [2, 0, 1, 3] : (tensor<8x12x128x64xf32>) -> tensor<128x8x12x64xf32>
  return %5 : tensor<128x8x12x64xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<3x128x8x768xbf16>, %arg1: tensor<1xi64>) -> tensor<128x8x12x64xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<1xi64>) -> tensor<i64>
  %1 = stablehlo.reshape %arg0 : (tensor<3x128x8x768xbf16>) -> tensor<2359296xbf16>
  %2 = stablehlo.dynamic_slice %1, %0, sizes = [786432] : (tensor<2359296xbf16>, tensor<i64>) -> tensor<786432xbf16>
  %3 = stablehlo.reshape %2 : (tensor<786432xbf16>) -> tensor<128x8x12x64xbf16>
  %4 = stablehlo.transpose %3, dims = [1, 2, 0, 3] : (tensor<128x8x12x64xbf16>) -> tensor<8x12x128x64xbf16>
  %5 = stablehlo.convert %4 : (tensor<8x12x128x64xbf16>) -> tensor<8x12x128x64xf32>
  %6 = stablehlo.transpose %5, dims = [2, 0, 1, 3] : (tensor<8x12x128x64xf32>) -> tensor<128x8x12x64xf32>
  return %6 : tensor<128x8x12x64xf32>
}
// -----
// compiled for mul.out
func.func @main(%arg0: tensor<128x8x12x64xf32>, %arg1: tensor<f64>) -> tensor<128x8x12x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x12x64xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<128x8x12x64xf32>
  %2 = stablehlo.transpose %1, dims = [1, 2, 0, 3] : (tensor<128x8x12x64xf32>) -> tensor<8x12x128x64xf32>
  %3 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x12x128x64xf32>
  %5 = stablehlo.multiply %2, %4 : tensor<8x12x128x64xf32>
  %6 = stablehlo.transpose %5, dims = [2, 0, 1, 3] : (tensor<8x12x128x64xf32>) -> tensor<128x8x12x64xf32>
  return %6 : tensor<128x8x12x64xf32>
}
// -----
// compiled for mul.out
func.func @main(%arg0: tensor<128x8x12x64xf32>, %arg1: tensor<f64>) -> tensor<128x8x12x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x12x64xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<128x8x12x64xf32>
  %2 = stablehlo.transpose %1, dims = [1, 2, 3, 0] : (tensor<128x8x12x64xf32>) -> tensor<8x12x64x128xf32>
  %3 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x12x64x128xf32>
  %5 = stablehlo.multiply %2, %4 : tensor<8x12x64x128xf32>
  %6 = stablehlo.transpose %5, dims = [3, 0, 1, 2] : (tensor<8x12x64x128xf32>) -> tensor<128x8x12x64xf32>
  return %6 : tensor<128x8x12x64xf32>
}
// -----
// compiled for bmm.out
func.func @main(%arg0: tensor<128x8x12x64xf32>, %arg1: tensor<128x8x12x64xf32>) -> tensor<96x128x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x12x64xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<128x96x64xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<128x96x64xf32>) -> tensor<96x128x64xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<128x8x12x64xf32>) -> tensor<786432xf32>
  %4 = stablehlo.reshape %3 : (tensor<786432xf32>) -> tensor<128x96x64xf32>
  %5 = stablehlo.transpose %4, dims = [1, 2, 0] : (tensor<128x96x64xf32>) -> tensor<96x64x128xf32>
  %6 = stablehlo.dot_general %2, %5, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<96x128x64xf32>, tensor<96x64x128xf32>) -> tensor<96x128x128xf32>
  return %6 : tensor<96x128x128xf32>
}
// -----
// compiled for _softmax.out
func.func @main(%arg0: tensor<96x128x128xf32>) -> tensor<8x12x128x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<96x128x128xf32>) -> tensor<1572864xf32>
  %1 = stablehlo.reshape %0 : (tensor<1572864xf32>) -> tensor<8x12x128x128xf32>
  %2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x128x128xf32>, tensor<f32>) -> tensor<8x12x128xf32>
  %4 = stablehlo.reshape %3 : (tensor<8x12x128xf32>) -> tensor<8x12x128x1xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<8x12x128x1xf32>) -> tensor<8x12x128x128xf32>
  %6 = stablehlo.subtract %1, %5 : tensor<8x12x128x128xf32>
  %7 = stablehlo.exponential %6 : tensor<8x12x128x128xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [3] : (tensor<8x12x128x128xf32>, tensor<f32>) -> tensor<8x12x128xf32>
  %10 = stablehlo.reshape %9 : (tensor<8x12x128xf32>) -> tensor<8x12x128x1xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<8x12x128x1xf32>) -> tensor<8x12x128x128xf32>
  %12 = stablehlo.divide %7, %11 : tensor<8x12x128x128xf32>
  return %12 : tensor<8x12x128x128xf32>
}
// -----
// compiled for isneginf.out
func.func @main(%arg0: tensor<96x128x128xf32>) -> tensor<8x12x128x128xi1> {
  %0 = stablehlo.reshape %arg0 : (tensor<96x128x128xf32>) -> tensor<1572864xf32>
  %1 = stablehlo.reshape %0 : (tensor<1572864xf32>) -> tensor<8x12x128x128xf32>
  %2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x12x128x128xf32>
  %4 = stablehlo.compare EQ, %1, %3 : (tensor<8x12x128x128xf32>, tensor<8x12x128x128xf32>) -> tensor<8x12x128x128xi1>
  return %4 : tensor<8x12x128x128xi1>
}
// -----
// compiled for all.out
func.func @main(%arg0: tensor<8x12x128x128xi1>) -> tensor<8x12x128x1xi1> {
  %0 = stablehlo.constant dense<true> : tensor<i1>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.and across dimensions = [3] : (tensor<8x12x128x128xi1>, tensor<i1>) -> tensor<8x12x128xi1>
  %2 = stablehlo.reshape %1 : (tensor<8x12x128xi1>) -> tensor<8x12x128x1xi1>
  return %2 : tensor<8x12x128x1xi1>
}
// -----
// compiled for where.self_out
func.func @main(%arg0: tensor<8x12x128x1xi1>, %arg1: tensor<f32>, %arg2: tensor<8x12x128x128xf32> {tf.aliasing_output = 0 : i32}) -> tensor<8x12x128x128xf32> {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<8x12x128x1xi1>) -> tensor<8x12x128x128xi1>
  %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x12x128x128xf32>
  %2 = stablehlo.select %0, %1, %arg2 : tensor<8x12x128x128xi1>, tensor<8x12x128x128xf32>
  return %2 : tensor<8x12x128x128xf32>
}
// -----
// compiled for native_dropout
func.func @main(%arg0: tensor<8x12x128x128xf32>, %arg1: tensor<f32>, %arg2: tensor<2xui64>) -> (tensor<8x12x128x128xf32>, tensor<8x12x128x128xi1>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %2 = stablehlo.subtract %1, %arg1 : tensor<f32>
  %3 = stablehlo.constant dense<5.9604645e-08> : tensor<f32>
  %4:2 = stablehlo.rng_bit_generator %arg2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x12x128x128xui32>)
  %5 = stablehlo.constant dense<8> : tensor<ui32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<ui32>) -> tensor<8x12x128x128xui32>
  %7 = stablehlo.shift_right_logical %4#1, %6 : tensor<8x12x128x128xui32>
  %8 = stablehlo.convert %7 : (tensor<8x12x128x128xui32>) -> tensor<8x12x128x128xf32>
  %9 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x12x128x128xf32>
  %10 = stablehlo.multiply %8, %9 : tensor<8x12x128x128xf32>
  %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x12x128x128xf32>
  %12 = stablehlo.compare LT, %10, %11 : (tensor<8x12x128x128xf32>, tensor<8x12x128x128xf32>) -> tensor<8x12x128x128xi1>
  %13 = stablehlo.divide %1, %2 : tensor<f32>
  %14 = stablehlo.compare EQ, %2, %0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %15 = stablehlo.select %14, %0, %13 : tensor<i1>, tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<8x12x128x128xf32>
  %17 = stablehlo.multiply %arg0, %16 : tensor<8x12x128x128xf32>
  %18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<8x12x128x128xf32>
  %20 = stablehlo.select %12, %17, %19 : tensor<8x12x128x128xi1>, tensor<8x12x128x128xf32>
  return %20, %12 : tensor<8x12x128x128xf32>, tensor<8x12x128x128xi1>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<8x12x128x128xf32>) -> tensor<8x12x128x128xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<8x12x128x128xf32>) -> tensor<8x12x128x128xbf16>
  return %0 : tensor<8x12x128x128xbf16>
}
// -----
// compiled for bmm.out
func.func @main(%arg0: tensor<8x12x128x128xf32>, %arg1: tensor<128x8x12x64xf32>) -> tensor<96x128x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x12x128x128xf32>) -> tensor<1572864xf32>
  %1 = stablehlo.reshape %0 : (tensor<1572864xf32>) -> tensor<96x128x128xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x8x12x64xf32>) -> tensor<786432xf32>
  %3 = stablehlo.reshape %2 : (tensor<786432xf32>) -> tensor<128x96x64xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0, 2] : (tensor<128x96x64xf32>) -> tensor<96x128x64xf32>
  %5 = stablehlo.dot_general %1, %4, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<96x128x128xf32>, tensor<96x128x64xf32>) -> tensor<96x128x64xf32>
  return %5 : tensor<96x128x64xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<96x128x64xf32>) -> tensor<8x12x128x64xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<96x128x64xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<8x12x128x64xf32>
  %2 = stablehlo.convert %1 : (tensor<8x12x128x64xf32>) -> tensor<8x12x128x64xbf16>
  return %2 : tensor<8x12x128x64xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<8x12x128x64xbf16>) -> tensor<128x8x12x64xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x12x128x64xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<8x12x128x64xbf16>
  %2 = stablehlo.transpose %1, dims = [2, 0, 1, 3] : (tensor<8x12x128x64xbf16>) -> tensor<128x8x12x64xbf16>
  return %2 : tensor<128x8x12x64xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<768xf32>) -> tensor<768xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<768xf32>) -> tensor<768xbf16>
  return %0 : tensor<768xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<768x768xf32>) -> tensor<768x768xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<768x768xf32>) -> tensor<768x768xbf16>
  return %0 : tensor<768x768xbf16>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<128x8x12x64xbf16>, %arg1: tensor<768x768xbf16>, %arg2: tensor<768xbf16>) -> tensor<1024x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x12x64xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %2 = stablehlo.reshape %arg1 : (tensor<768x768xbf16>) -> tensor<589824xbf16>
  %3 = stablehlo.reshape %2 : (tensor<589824xbf16>) -> tensor<768x768xbf16>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<768x768xbf16>) -> tensor<768x768xbf16>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0] : (tensor<1024x768xbf16>, tensor<768x768xbf16>) -> tensor<1024x768xf32>
  %6 = stablehlo.convert %arg2 : (tensor<768xbf16>) -> tensor<768xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<768xf32>) -> tensor<1024x768xf32>
  %8 = stablehlo.add %5, %7 : tensor<1024x768xf32>
  %9 = stablehlo.convert %8 : (tensor<1024x768xf32>) -> tensor<1024x768xbf16>
  return %9 : tensor<1024x768xbf16>
}
// -----
// compiled for native_dropout
func.func @main(%arg0: tensor<1024x768xbf16>, %arg1: tensor<f32>, %arg2: tensor<2xui64>) -> (tensor<8x128x768xbf16>, tensor<8x128x768xi1>) {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<128x8x768xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<128x8x768xbf16>) -> tensor<8x128x768xbf16>
  %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %5 = stablehlo.subtract %4, %arg1 : tensor<f32>
  %6 = stablehlo.constant dense<5.9604645e-08> : tensor<f32>
  %7:2 = stablehlo.rng_bit_generator %arg2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x128x768xui32>)
  %8 = stablehlo.constant dense<8> : tensor<ui32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<ui32>) -> tensor<8x128x768xui32>
  %10 = stablehlo.shift_right_logical %7#1, %9 : tensor<8x128x768xui32>
  %11 = stablehlo.convert %10 : (tensor<8x128x768xui32>) -> tensor<8x128x768xf32>
  %12 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %13 = stablehlo.multiply %11, %12 : tensor<8x128x768xf32>
  %14 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %15 = stablehlo.compare LT, %13, %14 : (tensor<8x128x768xf32>, tensor<8x128x768xf32>) -> tensor<8x128x768xi1>
  %16 = stablehlo.divide %4, %5 : tensor<f32>
  %17 = stablehlo.compare EQ, %5, %3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %18 = stablehlo.select %17, %3, %16 : tensor<i1>, tensor<f32>
  %19 = stablehlo.convert %2 : (tensor<8x128x768xbf16>) -> tensor<8x128x768xf32>
  %20 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %21 = stablehlo.multiply %19, %20 : tensor<8x128x768xf32>
  %22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %24 = stablehlo.select %15, %21, %23 : tensor<8x128x768xi1>, tensor<8x128x768xf32>
  %25 = stablehlo.convert %24 : (tensor<8x128x768xf32>) -> tensor<8x128x768xbf16>
  return %25, %15 : tensor<8x128x768xbf16>, tensor<8x128x768xi1>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<1024x768xf32>, %arg1: tensor<8x128x768xbf16>) -> tensor<8x128x768xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x768xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<8x128x768xf32>
  %2 = stablehlo.convert %arg1 : (tensor<8x128x768xbf16>) -> tensor<8x128x768xf32>
  %3 = stablehlo.add %1, %2 : tensor<8x128x768xf32>
  return %3 : tensor<8x128x768xf32>
}
// -----
// compiled for native_layer_norm
func.func @main(%arg0: tensor<8x128x768xf32>, %arg1: tensor<768xf32>, %arg2: tensor<768xf32>, %arg3: tensor<f32>) -> (tensor<8x128x768xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [2] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<8x128xf32>
  %2 = stablehlo.reshape %1 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
  %3 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
  %5 = stablehlo.divide %2, %4 : tensor<8x128x1xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %7 = stablehlo.subtract %arg0, %6 : tensor<8x128x768xf32>
  %8 = stablehlo.multiply %7, %7 : tensor<8x128x768xf32>
  %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [2] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<8x128xf32>
  %11 = stablehlo.reshape %10 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
  %12 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
  %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
  %14 = stablehlo.divide %11, %13 : tensor<8x128x1xf32>
  %15 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
  %16 = stablehlo.add %14, %15 : tensor<8x128x1xf32>
  %17 = stablehlo.rsqrt %16 : tensor<8x128x1xf32>
  %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %19 = stablehlo.multiply %7, %18 : tensor<8x128x768xf32>
  %20 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<768xf32>) -> tensor<8x128x768xf32>
  %21 = stablehlo.multiply %19, %20 : tensor<8x128x768xf32>
  %22 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<768xf32>) -> tensor<8x128x768xf32>
  %23 = stablehlo.add %21, %22 : tensor<8x128x768xf32>
  return %23, %5, %17 : tensor<8x128x768xf32>, tensor<8x128x1xf32>, tensor<8x128x1xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<3072xf32>) -> tensor<3072xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<3072xf32>) -> tensor<3072xbf16>
  return %0 : tensor<3072xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<3072x768xf32>) -> tensor<3072x768xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<3072x768xf32>) -> tensor<3072x768xbf16>
  return %0 : tensor<3072x768xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<8x128x768xf32>) -> tensor<8x128x768xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<8x128x768xf32>) -> tensor<8x128x768xbf16>
  return %0 : tensor<8x128x768xbf16>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<8x128x768xbf16>, %arg1: tensor<3072x768xbf16>, %arg2: tensor<3072xbf16>) -> tensor<1024x3072xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %2 = stablehlo.reshape %arg1 : (tensor<3072x768xbf16>) -> tensor<2359296xbf16>
  %3 = stablehlo.reshape %2 : (tensor<2359296xbf16>) -> tensor<3072x768xbf16>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<3072x768xbf16>) -> tensor<768x3072xbf16>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0] : (tensor<1024x768xbf16>, tensor<768x3072xbf16>) -> tensor<1024x3072xf32>
  %6 = stablehlo.convert %arg2 : (tensor<3072xbf16>) -> tensor<3072xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<3072xf32>) -> tensor<1024x3072xf32>
  %8 = stablehlo.add %5, %7 : tensor<1024x3072xf32>
  %9 = stablehlo.convert %8 : (tensor<1024x3072xf32>) -> tensor<1024x3072xbf16>
  return %9 : tensor<1024x3072xbf16>
}
// -----
// compiled for gelu.out
func.func @main(%arg0: tensor<1024x3072xbf16>) -> tensor<8x128x3072xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x3072xbf16>) -> tensor<3145728xbf16>
  %1 = stablehlo.reshape %0 : (tensor<3145728xbf16>) -> tensor<8x128x3072xbf16>
  %2 = stablehlo.convert %1 : (tensor<8x128x3072xbf16>) -> tensor<8x128x3072xf32>
  %3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %5 = stablehlo.multiply %2, %4 : tensor<8x128x3072xf32>
  %6 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %8 = stablehlo.multiply %2, %7 : tensor<8x128x3072xf32>
  %9 = chlo.erf %8 : tensor<8x128x3072xf32> -> tensor<8x128x3072xf32>
  %10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %12 = stablehlo.add %9, %11 : tensor<8x128x3072xf32>
  %13 = stablehlo.multiply %5, %12 : tensor<8x128x3072xf32>
  %14 = stablehlo.convert %13 : (tensor<8x128x3072xf32>) -> tensor<8x128x3072xbf16>
  return %14 : tensor<8x128x3072xbf16>
}
// -----
// compiled for native_dropout
func.func @main(%arg0: tensor<8x128x3072xbf16>, %arg1: tensor<f32>, %arg2: tensor<2xui64>) -> (tensor<8x128x3072xbf16>, tensor<8x128x3072xi1>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %2 = stablehlo.subtract %1, %arg1 : tensor<f32>
  %3 = stablehlo.constant dense<5.9604645e-08> : tensor<f32>
  %4:2 = stablehlo.rng_bit_generator %arg2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x128x3072xui32>)
  %5 = stablehlo.constant dense<8> : tensor<ui32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<ui32>) -> tensor<8x128x3072xui32>
  %7 = stablehlo.shift_right_logical %4#1, %6 : tensor<8x128x3072xui32>
  %8 = stablehlo.convert %7 : (tensor<8x128x3072xui32>) -> tensor<8x128x3072xf32>
  %9 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %10 = stablehlo.multiply %8, %9 : tensor<8x128x3072xf32>
  %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %12 = stablehlo.compare LT, %10, %11 : (tensor<8x128x3072xf32>, tensor<8x128x3072xf32>) -> tensor<8x128x3072xi1>
  %13 = stablehlo.divide %1, %2 : tensor<f32>
  %14 = stablehlo.compare EQ, %2, %0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %15 = stablehlo.select %14, %0, %13 : tensor<i1>, tensor<f32>
  %16 = stablehlo.convert %arg0 : (tensor<8x128x3072xbf16>) -> tensor<8x128x3072xf32>
  %17 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %18 = stablehlo.multiply %16, %17 : tensor<8x128x3072xf32>
  %19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %21 = stablehlo.select %12, %18, %20 : tensor<8x128x3072xi1>, tensor<8x128x3072xf32>
  %22 = stablehlo.convert %21 : (tensor<8x128x3072xf32>) -> tensor<8x128x3072xbf16>
  return %22, %12 : tensor<8x128x3072xbf16>, tensor<8x128x3072xi1>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<768x3072xf32>) -> tensor<768x3072xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<768x3072xf32>) -> tensor<768x3072xbf16>
  return %0 : tensor<768x3072xbf16>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<8x128x3072xbf16>, %arg1: tensor<768x3072xbf16>, %arg2: tensor<768xbf16>) -> tensor<1024x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x3072xbf16>) -> tensor<3145728xbf16>
  %1 = stablehlo.reshape %0 : (tensor<3145728xbf16>) -> tensor<1024x3072xbf16>
  %2 = stablehlo.reshape %arg1 : (tensor<768x3072xbf16>) -> tensor<2359296xbf16>
  %3 = stablehlo.reshape %2 : (tensor<2359296xbf16>) -> tensor<768x3072xbf16>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<768x3072xbf16>) -> tensor<3072x768xbf16>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0] : (tensor<1024x3072xbf16>, tensor<3072x768xbf16>) -> tensor<1024x768xf32>
  %6 = stablehlo.convert %arg2 : (tensor<768xbf16>) -> tensor<768xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<768xf32>) -> tensor<1024x768xf32>
  %8 = stablehlo.add %5, %7 : tensor<1024x768xf32>
  %9 = stablehlo.convert %8 : (tensor<1024x768xf32>) -> tensor<1024x768xbf16>
  return %9 : tensor<1024x768xbf16>
}
// -----
// compiled for native_dropout
func.func @main(%arg0: tensor<1024x768xbf16>, %arg1: tensor<f32>, %arg2: tensor<2xui64>) -> (tensor<8x128x768xbf16>, tensor<8x128x768xi1>) {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<8x128x768xbf16>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %4 = stablehlo.subtract %3, %arg1 : tensor<f32>
  %5 = stablehlo.constant dense<5.9604645e-08> : tensor<f32>
  %6:2 = stablehlo.rng_bit_generator %arg2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x128x768xui32>)
  %7 = stablehlo.constant dense<8> : tensor<ui32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<ui32>) -> tensor<8x128x768xui32>
  %9 = stablehlo.shift_right_logical %6#1, %8 : tensor<8x128x768xui32>
  %10 = stablehlo.convert %9 : (tensor<8x128x768xui32>) -> tensor<8x128x768xf32>
  %11 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<8x128x768xf32>
  %13 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %14 = stablehlo.compare LT, %12, %13 : (tensor<8x128x768xf32>, tensor<8x128x768xf32>) -> tensor<8x128x768xi1>
  %15 = stablehlo.divide %3, %4 : tensor<f32>
  %16 = stablehlo.compare EQ, %4, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %17 = stablehlo.select %16, %2, %15 : tensor<i1>, tensor<f32>
  %18 = stablehlo.convert %1 : (tensor<8x128x768xbf16>) -> tensor<8x128x768xf32>
  %19 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %20 = stablehlo.multiply %18, %19 : tensor<8x128x768xf32>
  %21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %23 = stablehlo.select %14, %20, %22 : tensor<8x128x768xi1>, tensor<8x128x768xf32>
  %24 = stablehlo.convert %23 : (tensor<8x128x768xf32>) -> tensor<8x128x768xbf16>
  return %24, %14 : tensor<8x128x768xbf16>, tensor<8x128x768xi1>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<8x128x768xf32>, %arg1: tensor<8x128x768xbf16>) -> tensor<8x128x768xf32> {
  %0 = stablehlo.convert %arg1 : (tensor<8x128x768xbf16>) -> tensor<8x128x768xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8x128x768xf32>
  return %1 : tensor<8x128x768xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1024xf32>) -> tensor<1024xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<1024xf32>) -> tensor<1024xbf16>
  return %0 : tensor<1024xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1024x768xf32>) -> tensor<1024x768xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<1024x768xf32>) -> tensor<1024x768xbf16>
  return %0 : tensor<1024x768xbf16>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<8x128x768xbf16>, %arg1: tensor<1024x768xbf16>, %arg2: tensor<1024xbf16>) -> tensor<1024x1024xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %2 = stablehlo.reshape %arg1 : (tensor<1024x768xbf16>) -> tensor<786432xbf16>
  %3 = stablehlo.reshape %2 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<1024x768xbf16>) -> tensor<768x1024xbf16>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0] : (tensor<1024x768xbf16>, tensor<768x1024xbf16>) -> tensor<1024x1024xf32>
  %6 = stablehlo.convert %arg2 : (tensor<1024xbf16>) -> tensor<1024xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
  %8 = stablehlo.add %5, %7 : tensor<1024x1024xf32>
  %9 = stablehlo.convert %8 : (tensor<1024x1024xf32>) -> tensor<1024x1024xbf16>
  return %9 : tensor<1024x1024xbf16>
}
// -----
// compiled for _log_softmax.out
func.func @main(%arg0: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
  %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %3 = stablehlo.reshape %2 : (tensor<1024xf32>) -> tensor<1024x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x1024xf32>
  %5 = stablehlo.subtract %0, %4 : tensor<1024x1024xf32>
  %6 = stablehlo.exponential %5 : tensor<1024x1024xf32>
  %7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %8 = stablehlo.reduce(%6 init: %7) applies stablehlo.add across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %9 = stablehlo.reshape %8 : (tensor<1024xf32>) -> tensor<1024x1xf32>
  %10 = stablehlo.log %9 : tensor<1024x1xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x1024xf32>
  %12 = stablehlo.subtract %5, %11 : tensor<1024x1024xf32>
  %13 = stablehlo.convert %12 : (tensor<1024x1024xf32>) -> tensor<1024x1024xbf16>
  return %13 : tensor<1024x1024xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1024x1024xbf16>) -> tensor<1024x1024xf32> {
  %0 = stablehlo.convert %arg0 : (tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
// -----
// compiled for nll_loss_forward.output
func.func @main(%arg0: tensor<1024x1024xf32>, %arg1: tensor<1024xi64>) -> (tensor<f32>, tensor<f32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<-100> : tensor<i64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %2 = stablehlo.compare NE, %arg1, %1 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %3 = stablehlo.constant dense<0> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %5 = stablehlo.select %2, %arg1, %4 : tensor<1024xi1>, tensor<1024xi64>
  %6 = stablehlo.constant dense<1024> : tensor<i64>
  %7 = stablehlo.constant dense<1024> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %9 = stablehlo.compare GE, %5, %8 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %10 = stablehlo.constant dense<0> : tensor<i64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %12 = stablehlo.compare LT, %5, %11 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %13 = stablehlo.or %12, %9 : tensor<1024xi1>
  %14 = stablehlo.iota dim = 0 : tensor<1024xi64>
  %15 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %16 = stablehlo.select %13, %14, %15 : tensor<1024xi1>, tensor<1024xi64>
  %17 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.minimum across dimensions = [0] : (tensor<1024xi64>, tensor<i64>) -> tensor<i64>
  %19 = stablehlo.constant dense<1023> : tensor<i64>
  %20 = stablehlo.minimum %18, %19 : tensor<i64>
  %21 = stablehlo.compare LT, %18, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %22 = stablehlo.convert %21 : (tensor<i1>) -> tensor<i64>
  %23 = stablehlo.reshape %22 : (tensor<i64>) -> tensor<1xi64>
  %24 = stablehlo.dynamic_slice %5, %20, sizes = [1] : (tensor<1024xi64>, tensor<i64>) -> tensor<1xi64>
  %25 = stablehlo.convert %2 : (tensor<1024xi1>) -> tensor<1024xf32>
  %26 = stablehlo.reshape %5 : (tensor<1024xi64>) -> tensor<1024x1xi64>
  %27 = "stablehlo.gather"(%arg0, %26) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<1024x1024xf32>, tensor<1024x1xi64>) -> tensor<1024x1xf32>
  %28 = stablehlo.reshape %27 : (tensor<1024x1xf32>) -> tensor<1024xf32>
  %29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %30 = stablehlo.multiply %28, %25 : tensor<1024xf32>
  %31 = stablehlo.negate %30 : tensor<1024xf32>
  %32 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %33 = stablehlo.select %2, %31, %32 : tensor<1024xi1>, tensor<1024xf32>
  %34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %35 = stablehlo.reduce(%25 init: %34) applies stablehlo.add across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
  %36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %37 = stablehlo.reduce(%33 init: %36) applies stablehlo.add across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
  %38 = stablehlo.divide %37, %35 : tensor<f32>
  %39 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %38, %35, %39 : tensor<f32>, tensor<f32>, tensor<2xi64>
}
// -----
// compiled for nll_loss_backward.grad_input
func.func @main(%arg0: tensor<1024x1024xf32>, %arg1: tensor<1024xi64>, %arg2: tensor<f32>, %arg3: tensor<f32>) -> (tensor<1024x1024xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<-100> : tensor<i64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %2 = stablehlo.compare NE, %arg1, %1 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %3 = stablehlo.constant dense<0> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %5 = stablehlo.select %2, %arg1, %4 : tensor<1024xi1>, tensor<1024xi64>
  %6 = stablehlo.constant dense<1024> : tensor<i64>
  %7 = stablehlo.constant dense<1024> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %9 = stablehlo.compare GE, %5, %8 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %10 = stablehlo.constant dense<0> : tensor<i64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %12 = stablehlo.compare LT, %5, %11 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %13 = stablehlo.or %12, %9 : tensor<1024xi1>
  %14 = stablehlo.iota dim = 0 : tensor<1024xi64>
  %15 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %16 = stablehlo.select %13, %14, %15 : tensor<1024xi1>, tensor<1024xi64>
  %17 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.minimum across dimensions = [0] : (tensor<1024xi64>, tensor<i64>) -> tensor<i64>
  %19 = stablehlo.constant dense<1023> : tensor<i64>
  %20 = stablehlo.minimum %18, %19 : tensor<i64>
  %21 = stablehlo.compare LT, %18, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %22 = stablehlo.convert %21 : (tensor<i1>) -> tensor<i64>
  %23 = stablehlo.reshape %22 : (tensor<i64>) -> tensor<1xi64>
  %24 = stablehlo.dynamic_slice %5, %20, sizes = [1] : (tensor<1024xi64>, tensor<i64>) -> tensor<1xi64>
  %25 = stablehlo.convert %2 : (tensor<1024xi1>) -> tensor<1024xf32>
  %26 = stablehlo.divide %arg2, %arg3 : tensor<f32>
  %27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %28 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %29 = stablehlo.multiply %25, %28 : tensor<1024xf32>
  %30 = stablehlo.negate %29 : tensor<1024xf32>
  %31 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %32 = stablehlo.select %2, %30, %31 : tensor<1024xi1>, tensor<1024xf32>
  %33 = stablehlo.reshape %5 : (tensor<1024xi64>) -> tensor<1024x1xi64>
  %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<1024x1xi64>) -> tensor<1024x1024xi64>
  %35 = stablehlo.iota dim = 1 : tensor<1024x1024xi64>
  %36 = stablehlo.compare EQ, %35, %34 : (tensor<1024x1024xi64>, tensor<1024x1024xi64>) -> tensor<1024x1024xi1>
  %37 = stablehlo.reshape %32 : (tensor<1024xf32>) -> tensor<1024x1xf32>
  %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x1024xf32>
  %39 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
  %40 = stablehlo.select %36, %38, %39 : tensor<1024x1024xi1>, tensor<1024x1024xf32>
  %41 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %40, %41 : tensor<1024x1024xf32>, tensor<2xi64>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1024x1024xf32>) -> tensor<1024x1024xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<1024x1024xf32>) -> tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
}
// -----
// compiled for _log_softmax_backward_data.out
func.func @main(%arg0: tensor<1024x1024xbf16>, %arg1: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
  %1 = stablehlo.convert %arg1 : (tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%0 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %4 = stablehlo.reshape %3 : (tensor<1024xf32>) -> tensor<1024x1xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x1024xf32>
  %6 = stablehlo.exponential %1 : tensor<1024x1024xf32>
  %7 = stablehlo.multiply %6, %5 : tensor<1024x1024xf32>
  %8 = stablehlo.subtract %0, %7 : tensor<1024x1024xf32>
  %9 = stablehlo.convert %8 : (tensor<1024x1024xf32>) -> tensor<1024x1024xbf16>
  return %9 : tensor<1024x1024xbf16>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<1024x1024xbf16>, %arg1: tensor<1024x768xbf16>) -> tensor<1024x768xbf16> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<1024x1024xbf16>, tensor<1024x768xbf16>) -> tensor<1024x768xbf16>
  return %0 : tensor<1024x768xbf16>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<1024x1024xbf16>, %arg1: tensor<8x128x768xbf16>) -> tensor<1024x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x1024xbf16>) -> tensor<1048576xbf16>
  %1 = stablehlo.reshape %0 : (tensor<1048576xbf16>) -> tensor<1024x1024xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  %3 = stablehlo.reshape %arg1 : (tensor<8x128x768xbf16>) -> tensor<786432xbf16>
  %4 = stablehlo.reshape %3 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0] : (tensor<1024x1024xbf16>, tensor<1024x768xbf16>) -> tensor<1024x768xbf16>
  return %5 : tensor<1024x768xbf16>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<1024x1024xbf16>) -> tensor<1x1024xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
  %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %3 = stablehlo.reshape %2 : (tensor<1024xf32>) -> tensor<1x1024xf32>
  %4 = stablehlo.convert %3 : (tensor<1x1024xf32>) -> tensor<1x1024xbf16>
  return %4 : tensor<1x1024xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1024x768xbf16>) -> tensor<8x128x768xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<8x128x768xbf16>
  %2 = stablehlo.convert %1 : (tensor<8x128x768xbf16>) -> tensor<8x128x768xf32>
  return %2 : tensor<8x128x768xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1024x768xbf16>) -> tensor<1024x768xf32> {
  %0 = stablehlo.convert %arg0 : (tensor<1024x768xbf16>) -> tensor<1024x768xf32>
  return %0 : tensor<1024x768xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1x1024xbf16>) -> tensor<1024xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x1024xbf16>) -> tensor<1024xbf16>
  %1 = stablehlo.convert %0 : (tensor<1024xbf16>) -> tensor<1024xf32>
  return %1 : tensor<1024xf32>
}
// -----
// compiled for native_layer_norm_backward
func.func @main(%arg0: tensor<8x128x768xf32>, %arg1: tensor<8x128x768xf32>, %arg2: tensor<8x128x1xf32>, %arg3: tensor<8x128x1xf32>, %arg4: tensor<768xf32>) -> (tensor<8x128x768xf32>, tensor<768xf32>, tensor<768xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %1 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %2 = stablehlo.subtract %arg0, %1 : tensor<8x128x768xf32>
  %3 = stablehlo.multiply %2, %0 : tensor<8x128x768xf32>
  %4 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<768xf32>) -> tensor<8x128x768xf32>
  %5 = stablehlo.multiply %arg1, %4 : tensor<8x128x768xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [2] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<8x128xf32>
  %8 = stablehlo.reshape %7 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %10 = stablehlo.constant dense<1.3020834e-03> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %12 = stablehlo.multiply %9, %11 : tensor<8x128x768xf32>
  %13 = stablehlo.subtract %5, %12 : tensor<8x128x768xf32>
  %14 = stablehlo.multiply %5, %3 : tensor<8x128x768xf32>
  %15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %16 = stablehlo.reduce(%14 init: %15) applies stablehlo.add across dimensions = [2] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<8x128xf32>
  %17 = stablehlo.reshape %16 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
  %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %19 = stablehlo.constant dense<1.3020834e-03> : tensor<f32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %21 = stablehlo.multiply %18, %20 : tensor<8x128x768xf32>
  %22 = stablehlo.multiply %3, %21 : tensor<8x128x768xf32>
  %23 = stablehlo.subtract %13, %22 : tensor<8x128x768xf32>
  %24 = stablehlo.multiply %23, %0 : tensor<8x128x768xf32>
  %25 = stablehlo.multiply %arg1, %3 : tensor<8x128x768xf32>
  %26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %27 = stablehlo.reduce(%25 init: %26) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<768xf32>
  %28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %29 = stablehlo.reduce(%arg1 init: %28) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<768xf32>
  return %24, %27, %29 : tensor<8x128x768xf32>, tensor<768xf32>, tensor<768xf32>
}
// -----
// compiled for native_dropout_backward
func.func @main(%arg0: tensor<8x128x768xbf16>, %arg1: tensor<8x128x768xi1>, %arg2: tensor<f32>) -> tensor<8x128x768xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<8x128x768xbf16>) -> tensor<8x128x768xf32>
  %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<8x128x768xf32>
  %3 = stablehlo.convert %arg1 : (tensor<8x128x768xi1>) -> tensor<8x128x768xf32>
  %4 = stablehlo.multiply %2, %3 : tensor<8x128x768xf32>
  %5 = stablehlo.convert %4 : (tensor<8x128x768xf32>) -> tensor<8x128x768xbf16>
  return %5 : tensor<8x128x768xbf16>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x128x768xbf16>, %arg1: tensor<768x3072xbf16>) -> tensor<1024x3072xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0] : (tensor<1024x768xbf16>, tensor<768x3072xbf16>) -> tensor<1024x3072xbf16>
  return %2 : tensor<1024x3072xbf16>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x128x768xbf16>, %arg1: tensor<8x128x3072xbf16>) -> tensor<768x3072xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x768xbf16>) -> tensor<768x1024xbf16>
  %3 = stablehlo.reshape %arg1 : (tensor<8x128x3072xbf16>) -> tensor<3145728xbf16>
  %4 = stablehlo.reshape %3 : (tensor<3145728xbf16>) -> tensor<1024x3072xbf16>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0] : (tensor<768x1024xbf16>, tensor<1024x3072xbf16>) -> tensor<768x3072xbf16>
  return %5 : tensor<768x3072xbf16>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<8x128x768xbf16>) -> tensor<1x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %2 = stablehlo.convert %1 : (tensor<1024x768xbf16>) -> tensor<1024x768xf32>
  %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%2 init: %3) applies stablehlo.add across dimensions = [0] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<768xf32>
  %5 = stablehlo.reshape %4 : (tensor<768xf32>) -> tensor<1x768xf32>
  %6 = stablehlo.convert %5 : (tensor<1x768xf32>) -> tensor<1x768xbf16>
  return %6 : tensor<1x768xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<768x3072xbf16>) -> tensor<768x3072xf32> {
  %0 = stablehlo.convert %arg0 : (tensor<768x3072xbf16>) -> tensor<768x3072xf32>
  return %0 : tensor<768x3072xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1x768xbf16>) -> tensor<768xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x768xbf16>) -> tensor<768xbf16>
  %1 = stablehlo.convert %0 : (tensor<768xbf16>) -> tensor<768xf32>
  return %1 : tensor<768xf32>
}
// -----
// compiled for native_dropout_backward
func.func @main(%arg0: tensor<1024x3072xbf16>, %arg1: tensor<8x128x3072xi1>, %arg2: tensor<f32>) -> tensor<8x128x3072xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x3072xbf16>) -> tensor<3145728xbf16>
  %1 = stablehlo.reshape %0 : (tensor<3145728xbf16>) -> tensor<8x128x3072xbf16>
  %2 = stablehlo.convert %1 : (tensor<8x128x3072xbf16>) -> tensor<8x128x3072xf32>
  %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %4 = stablehlo.multiply %2, %3 : tensor<8x128x3072xf32>
  %5 = stablehlo.convert %arg1 : (tensor<8x128x3072xi1>) -> tensor<8x128x3072xf32>
  %6 = stablehlo.multiply %4, %5 : tensor<8x128x3072xf32>
  %7 = stablehlo.convert %6 : (tensor<8x128x3072xf32>) -> tensor<8x128x3072xbf16>
  return %7 : tensor<8x128x3072xbf16>
}
// -----
// compiled for gelu_backward.grad_input
func.func @main(%arg0: tensor<8x128x3072xbf16>, %arg1: tensor<1024x3072xbf16>) -> tensor<8x128x3072xbf16> {
  %0 = stablehlo.reshape %arg1 : (tensor<1024x3072xbf16>) -> tensor<3145728xbf16>
  %1 = stablehlo.reshape %0 : (tensor<3145728xbf16>) -> tensor<8x128x3072xbf16>
  %2 = stablehlo.convert %arg0 : (tensor<8x128x3072xbf16>) -> tensor<8x128x3072xf32>
  %3 = stablehlo.convert %1 : (tensor<8x128x3072xbf16>) -> tensor<8x128x3072xf32>
  %4 = stablehlo.constant dense<7.0710677e-01> : tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %6 = stablehlo.multiply %3, %5 : tensor<8x128x3072xf32>
  %7 = chlo.erf %6 : tensor<8x128x3072xf32> -> tensor<8x128x3072xf32>
  %8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %10 = stablehlo.add %7, %9 : tensor<8x128x3072xf32>
  %11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %13 = stablehlo.multiply %10, %12 : tensor<8x128x3072xf32>
  %14 = stablehlo.multiply %3, %3 : tensor<8x128x3072xf32>
  %15 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %17 = stablehlo.multiply %14, %16 : tensor<8x128x3072xf32>
  %18 = stablehlo.exponential %17 : tensor<8x128x3072xf32>
  %19 = stablehlo.constant dense<3.989423e-01> : tensor<f32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<8x128x3072xf32>
  %21 = stablehlo.multiply %18, %20 : tensor<8x128x3072xf32>
  %22 = stablehlo.multiply %3, %21 : tensor<8x128x3072xf32>
  %23 = stablehlo.add %13, %22 : tensor<8x128x3072xf32>
  %24 = stablehlo.multiply %2, %23 : tensor<8x128x3072xf32>
  %25 = stablehlo.convert %24 : (tensor<8x128x3072xf32>) -> tensor<8x128x3072xbf16>
  return %25 : tensor<8x128x3072xbf16>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x128x3072xbf16>, %arg1: tensor<3072x768xbf16>) -> tensor<1024x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x3072xbf16>) -> tensor<3145728xbf16>
  %1 = stablehlo.reshape %0 : (tensor<3145728xbf16>) -> tensor<1024x3072xbf16>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0] : (tensor<1024x3072xbf16>, tensor<3072x768xbf16>) -> tensor<1024x768xbf16>
  return %2 : tensor<1024x768xbf16>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x128x3072xbf16>, %arg1: tensor<8x128x768xbf16>) -> tensor<3072x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x3072xbf16>) -> tensor<3145728xbf16>
  %1 = stablehlo.reshape %0 : (tensor<3145728xbf16>) -> tensor<1024x3072xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x3072xbf16>) -> tensor<3072x1024xbf16>
  %3 = stablehlo.reshape %arg1 : (tensor<8x128x768xbf16>) -> tensor<786432xbf16>
  %4 = stablehlo.reshape %3 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0] : (tensor<3072x1024xbf16>, tensor<1024x768xbf16>) -> tensor<3072x768xbf16>
  return %5 : tensor<3072x768xbf16>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<8x128x3072xbf16>) -> tensor<1x3072xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x128x3072xbf16>) -> tensor<3145728xbf16>
  %1 = stablehlo.reshape %0 : (tensor<3145728xbf16>) -> tensor<1024x3072xbf16>
  %2 = stablehlo.convert %1 : (tensor<1024x3072xbf16>) -> tensor<1024x3072xf32>
  %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%2 init: %3) applies stablehlo.add across dimensions = [0] : (tensor<1024x3072xf32>, tensor<f32>) -> tensor<3072xf32>
  %5 = stablehlo.reshape %4 : (tensor<3072xf32>) -> tensor<1x3072xf32>
  %6 = stablehlo.convert %5 : (tensor<1x3072xf32>) -> tensor<1x3072xbf16>
  return %6 : tensor<1x3072xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<3072x768xbf16>) -> tensor<3072x768xf32> {
  %0 = stablehlo.convert %arg0 : (tensor<3072x768xbf16>) -> tensor<3072x768xf32>
  return %0 : tensor<3072x768xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1x3072xbf16>) -> tensor<3072xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x3072xbf16>) -> tensor<3072xbf16>
  %1 = stablehlo.convert %0 : (tensor<3072xbf16>) -> tensor<3072xf32>
  return %1 : tensor<3072xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<8x128x768xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x128x768xf32>) -> tensor<8x128x768xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x128x768xf32>
  return %0 : tensor<8x128x768xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<128x8x768xbf16>, %arg1: tensor<768x768xbf16>) -> tensor<1024x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0] : (tensor<1024x768xbf16>, tensor<768x768xbf16>) -> tensor<1024x768xbf16>
  return %2 : tensor<1024x768xbf16>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<128x8x768xbf16>, %arg1: tensor<128x8x12x64xbf16>) -> tensor<768x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x768xbf16>) -> tensor<768x1024xbf16>
  %3 = stablehlo.reshape %arg1 : (tensor<128x8x12x64xbf16>) -> tensor<786432xbf16>
  %4 = stablehlo.reshape %3 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0] : (tensor<768x1024xbf16>, tensor<1024x768xbf16>) -> tensor<768x768xbf16>
  return %5 : tensor<768x768xbf16>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<128x8x768xbf16>) -> tensor<1x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %2 = stablehlo.convert %1 : (tensor<1024x768xbf16>) -> tensor<1024x768xf32>
  %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%2 init: %3) applies stablehlo.add across dimensions = [0] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<768xf32>
  %5 = stablehlo.reshape %4 : (tensor<768xf32>) -> tensor<1x768xf32>
  %6 = stablehlo.convert %5 : (tensor<1x768xf32>) -> tensor<1x768xbf16>
  return %6 : tensor<1x768xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<768x768xbf16>) -> tensor<768x768xf32> {
  %0 = stablehlo.convert %arg0 : (tensor<768x768xbf16>) -> tensor<768x768xf32>
  return %0 : tensor<768x768xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1024x768xbf16>) -> tensor<128x8x12x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<128x8x12x64xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 2, 0, 3] : (tensor<128x8x12x64xbf16>) -> tensor<8x12x128x64xbf16>
  %3 = stablehlo.convert %2 : (tensor<8x12x128x64xbf16>) -> tensor<8x12x128x64xf32>
  %4 = stablehlo.transpose %3, dims = [2, 0, 1, 3] : (tensor<8x12x128x64xf32>) -> tensor<128x8x12x64xf32>
  return %4 : tensor<128x8x12x64xf32>
}
// -----
// compiled for bmm.out
func.func @main(%arg0: tensor<8x12x128x128xf32>, %arg1: tensor<128x8x12x64xf32>) -> tensor<96x128x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x12x128x128xf32>) -> tensor<1572864xf32>
  %1 = stablehlo.reshape %0 : (tensor<1572864xf32>) -> tensor<96x128x128xf32>
  %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<96x128x128xf32>) -> tensor<96x128x128xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<128x8x12x64xf32>) -> tensor<786432xf32>
  %4 = stablehlo.reshape %3 : (tensor<786432xf32>) -> tensor<128x96x64xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0, 2] : (tensor<128x96x64xf32>) -> tensor<96x128x64xf32>
  %6 = stablehlo.dot_general %2, %5, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<96x128x128xf32>, tensor<96x128x64xf32>) -> tensor<96x128x64xf32>
  return %6 : tensor<96x128x64xf32>
}
// -----
// compiled for native_dropout_backward
func.func @main(%arg0: tensor<96x128x128xf32>, %arg1: tensor<8x12x128x128xi1>, %arg2: tensor<f32>) -> tensor<8x12x128x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<96x128x128xf32>) -> tensor<1572864xf32>
  %1 = stablehlo.reshape %0 : (tensor<1572864xf32>) -> tensor<8x12x128x128xf32>
  %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x12x128x128xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<8x12x128x128xf32>
  %4 = stablehlo.convert %arg1 : (tensor<8x12x128x128xi1>) -> tensor<8x12x128x128xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<8x12x128x128xf32>
  return %5 : tensor<8x12x128x128xf32>
}
// -----
// compiled for _softmax_backward_data.out
func.func @main(%arg0: tensor<8x12x128x128xf32>, %arg1: tensor<8x12x128x128xf32>) -> tensor<8x12x128x128xf32> {
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<8x12x128x128xf32>
  %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [3] : (tensor<8x12x128x128xf32>, tensor<f32>) -> tensor<8x12x128xf32>
  %3 = stablehlo.reshape %2 : (tensor<8x12x128xf32>) -> tensor<8x12x128x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<8x12x128x1xf32>) -> tensor<8x12x128x128xf32>
  %5 = stablehlo.multiply %arg1, %4 : tensor<8x12x128x128xf32>
  %6 = stablehlo.subtract %0, %5 : tensor<8x12x128x128xf32>
  return %6 : tensor<8x12x128x128xf32>
}
// -----
// compiled for bmm.out
func.func @main(%arg0: tensor<128x8x12x64xf32>, %arg1: tensor<8x12x128x128xf32>) -> tensor<96x64x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x12x64xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<128x96x64xf32>
  %2 = stablehlo.transpose %1, dims = [1, 2, 0] : (tensor<128x96x64xf32>) -> tensor<96x64x128xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<8x12x128x128xf32>) -> tensor<1572864xf32>
  %4 = stablehlo.reshape %3 : (tensor<1572864xf32>) -> tensor<96x128x128xf32>
  %5 = stablehlo.dot_general %2, %4, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<96x64x128xf32>, tensor<96x128x128xf32>) -> tensor<96x64x128xf32>
  return %5 : tensor<96x64x128xf32>
}
// -----
// compiled for mul.out
func.func @main(%arg0: tensor<96x64x128xf32>, %arg1: tensor<f64>) -> tensor<8x12x64x128xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<96x64x128xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<8x12x64x128xf32>
  %2 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x12x64x128xf32>
  %4 = stablehlo.multiply %1, %3 : tensor<8x12x64x128xf32>
  return %4 : tensor<8x12x64x128xf32>
}
// -----
// compiled for mul.out
func.func @main(%arg0: tensor<96x128x64xf32>, %arg1: tensor<f64>) -> tensor<8x12x128x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<96x128x64xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<8x12x128x64xf32>
  %2 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x12x128x64xf32>
  %4 = stablehlo.multiply %1, %3 : tensor<8x12x128x64xf32>
  return %4 : tensor<8x12x128x64xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<8x12x64x128xf32>) -> tensor<8x12x64x128xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x12x64x128xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<8x12x64x128xf32>
  %2 = stablehlo.transpose %1, dims = [0, 1, 3, 2] : (tensor<8x12x64x128xf32>) -> tensor<8x12x128x64xf32>
  %3 = stablehlo.convert %2 : (tensor<8x12x128x64xf32>) -> tensor<8x12x128x64xbf16>
  %4 = stablehlo.transpose %3, dims = [0, 1, 3, 2] : (tensor<8x12x128x64xbf16>) -> tensor<8x12x64x128xbf16>
  return %4 : tensor<8x12x64x128xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<8x12x128x64xf32>) -> tensor<8x12x128x64xbf16> {
  %0 = stablehlo.convert %arg0 : (tensor<8x12x128x64xf32>) -> tensor<8x12x128x64xbf16>
  return %0 : tensor<8x12x128x64xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<8x12x128x64xbf16>) -> tensor<128x96x64xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x12x128x64xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<96x128x64xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<96x128x64xbf16>) -> tensor<128x96x64xbf16>
  return %2 : tensor<128x96x64xbf16>
}
// -----
// compiled for select_backward
func.func @main(%arg0: tensor<128x96x64xbf16>) -> tensor<3x128x8x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x96x64xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<128x8x768xbf16>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
  %3 = stablehlo.reshape %1 : (tensor<128x8x768xbf16>) -> tensor<1x128x8x768xbf16>
  %4 = stablehlo.pad %3, %2, low = [2, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x128x8x768xbf16>, tensor<bf16>) -> tensor<3x128x8x768xbf16>
  return %4 : tensor<3x128x8x768xbf16>
}
// -----
// compiled for select_backward
func.func @main(%arg0: tensor<8x12x64x128xbf16>) -> tensor<3x128x8x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x12x64x128xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<8x768x128xbf16>
  %2 = stablehlo.transpose %1, dims = [2, 0, 1] : (tensor<8x768x128xbf16>) -> tensor<128x8x768xbf16>
  %3 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
  %4 = stablehlo.reshape %2 : (tensor<128x8x768xbf16>) -> tensor<1x128x8x768xbf16>
  %5 = stablehlo.pad %4, %3, low = [1, 0, 0, 0], high = [1, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x128x8x768xbf16>, tensor<bf16>) -> tensor<3x128x8x768xbf16>
  return %5 : tensor<3x128x8x768xbf16>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<3x128x8x768xbf16> {tf.aliasing_output = 0 : i32}, %arg1: tensor<3x128x8x768xbf16>) -> tensor<3x128x8x768xbf16> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<3x128x8x768xbf16>
  return %0 : tensor<3x128x8x768xbf16>
}
// -----
// compiled for select_backward
func.func @main(%arg0: tensor<128x96x64xbf16>) -> tensor<3x128x8x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x96x64xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<128x8x768xbf16>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
  %3 = stablehlo.reshape %1 : (tensor<128x8x768xbf16>) -> tensor<1x128x8x768xbf16>
  %4 = stablehlo.pad %3, %2, low = [0, 0, 0, 0], high = [2, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x128x8x768xbf16>, tensor<bf16>) -> tensor<3x128x8x768xbf16>
  return %4 : tensor<3x128x8x768xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<3x128x8x768xbf16>) -> tensor<128x8x3x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<3x128x8x768xbf16>) -> tensor<2359296xbf16>
  %1 = stablehlo.reshape %0 : (tensor<2359296xbf16>) -> tensor<3x128x8x768xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 2, 0, 3] : (tensor<3x128x8x768xbf16>) -> tensor<128x8x3x768xbf16>
  return %2 : tensor<128x8x3x768xbf16>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<128x8x3x768xbf16>) -> tensor<1x1x2304xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x3x768xbf16>) -> tensor<2359296xbf16>
  %1 = stablehlo.reshape %0 : (tensor<2359296xbf16>) -> tensor<128x8x2304xbf16>
  %2 = stablehlo.convert %1 : (tensor<128x8x2304xbf16>) -> tensor<128x8x2304xf32>
  %3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.reduce(%2 init: %3) applies stablehlo.add across dimensions = [0, 1] : (tensor<128x8x2304xf32>, tensor<f32>) -> tensor<2304xf32>
  %5 = stablehlo.reshape %4 : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
  %6 = stablehlo.convert %5 : (tensor<1x1x2304xf32>) -> tensor<1x1x2304xbf16>
  return %6 : tensor<1x1x2304xbf16>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<128x8x3x768xbf16>, %arg1: tensor<128x8x768xbf16>) -> tensor<2304x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x3x768xbf16>) -> tensor<2359296xbf16>
  %1 = stablehlo.reshape %0 : (tensor<2359296xbf16>) -> tensor<1024x2304xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<1024x2304xbf16>) -> tensor<2304x1024xbf16>
  %3 = stablehlo.reshape %arg1 : (tensor<128x8x768xbf16>) -> tensor<786432xbf16>
  %4 = stablehlo.reshape %3 : (tensor<786432xbf16>) -> tensor<1024x768xbf16>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0] : (tensor<2304x1024xbf16>, tensor<1024x768xbf16>) -> tensor<2304x768xbf16>
  return %5 : tensor<2304x768xbf16>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<128x8x3x768xbf16>, %arg1: tensor<2304x768xbf16>) -> tensor<1024x768xbf16> {
  %0 = stablehlo.reshape %arg0 : (tensor<128x8x3x768xbf16>) -> tensor<2359296xbf16>
  %1 = stablehlo.reshape %0 : (tensor<2359296xbf16>) -> tensor<1024x2304xbf16>
  %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0] : (tensor<1024x2304xbf16>, tensor<2304x768xbf16>) -> tensor<1024x768xbf16>
  return %2 : tensor<1024x768xbf16>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1024x768xbf16>) -> tensor<128x8x768xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x768xbf16>) -> tensor<786432xbf16>
  %1 = stablehlo.reshape %0 : (tensor<786432xbf16>) -> tensor<128x8x768xbf16>
  %2 = stablehlo.convert %1 : (tensor<128x8x768xbf16>) -> tensor<128x8x768xf32>
  return %2 : tensor<128x8x768xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<2304x768xbf16>) -> tensor<2304x768xf32> {
  %0 = stablehlo.convert %arg0 : (tensor<2304x768xbf16>) -> tensor<2304x768xf32>
  return %0 : tensor<2304x768xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1x1x2304xbf16>) -> tensor<2304xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<1x1x2304xbf16>) -> tensor<2304xbf16>
  %1 = stablehlo.convert %0 : (tensor<2304xbf16>) -> tensor<2304xf32>
  return %1 : tensor<2304xf32>
}
// -----
// compiled for native_layer_norm_backward
func.func @main(%arg0: tensor<1024x768xf32>, %arg1: tensor<128x8x768xf32>, %arg2: tensor<8x128x1xf32>, %arg3: tensor<8x128x1xf32>, %arg4: tensor<768xf32>) -> (tensor<8x128x768xf32>, tensor<768xf32>, tensor<768xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<1024x768xf32>) -> tensor<786432xf32>
  %1 = stablehlo.reshape %0 : (tensor<786432xf32>) -> tensor<8x128x768xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<128x8x768xf32>) -> tensor<786432xf32>
  %3 = stablehlo.reshape %2 : (tensor<786432xf32>) -> tensor<128x8x768xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0, 2] : (tensor<128x8x768xf32>) -> tensor<8x128x768xf32>
  %5 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %7 = stablehlo.subtract %1, %6 : tensor<8x128x768xf32>
  %8 = stablehlo.multiply %7, %5 : tensor<8x128x768xf32>
  %9 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<768xf32>) -> tensor<8x128x768xf32>
  %10 = stablehlo.multiply %4, %9 : tensor<8x128x768xf32>
  %11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.add across dimensions = [2] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<8x128xf32>
  %13 = stablehlo.reshape %12 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
  %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %15 = stablehlo.constant dense<1.3020834e-03> : tensor<f32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %17 = stablehlo.multiply %14, %16 : tensor<8x128x768xf32>
  %18 = stablehlo.subtract %10, %17 : tensor<8x128x768xf32>
  %19 = stablehlo.multiply %10, %8 : tensor<8x128x768xf32>
  %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %21 = stablehlo.reduce(%19 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<8x128xf32>
  %22 = stablehlo.reshape %21 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
  %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x768xf32>
  %24 = stablehlo.constant dense<1.3020834e-03> : tensor<f32>
  %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<8x128x768xf32>
  %26 = stablehlo.multiply %23, %25 : tensor<8x128x768xf32>
  %27 = stablehlo.multiply %8, %26 : tensor<8x128x768xf32>
  %28 = stablehlo.subtract %18, %27 : tensor<8x128x768xf32>
  %29 = stablehlo.multiply %28, %5 : tensor<8x128x768xf32>
  %30 = stablehlo.multiply %4, %8 : tensor<8x128x768xf32>
  %31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %32 = stablehlo.reduce(%30 init: %31) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<768xf32>
  %33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %34 = stablehlo.reduce(%4 init: %33) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<768xf32>
  return %29, %32, %34 : tensor<8x128x768xf32>, tensor<768xf32>, tensor<768xf32>
}
// -----
// compiled for embedding_dense_backward
func.func @main(%arg0: tensor<8x128x768xf32>, %arg1: tensor<1024xi64>) -> (tensor<1024x768xf32>, tensor<2xi64>) {
  %0 = stablehlo.reshape %arg1 : (tensor<1024xi64>) -> tensor<8x128xi64>
  %1 = stablehlo.reshape %arg0 : (tensor<8x128x768xf32>) -> tensor<1024x768xf32>
  %2 = stablehlo.reshape %0 : (tensor<8x128xi64>) -> tensor<1024xi64>
  %3 = stablehlo.constant dense<1024> : tensor<i64>
  %4 = stablehlo.constant dense<1024> : tensor<i64>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %6 = stablehlo.compare GE, %2, %5 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %7 = stablehlo.constant dense<0> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %9 = stablehlo.compare LT, %2, %8 : (tensor<1024xi64>, tensor<1024xi64>) -> tensor<1024xi1>
  %10 = stablehlo.or %9, %6 : tensor<1024xi1>
  %11 = stablehlo.iota dim = 0 : tensor<1024xi64>
  %12 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<1024xi64>
  %13 = stablehlo.select %10, %11, %12 : tensor<1024xi1>, tensor<1024xi64>
  %14 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.minimum across dimensions = [0] : (tensor<1024xi64>, tensor<i64>) -> tensor<i64>
  %16 = stablehlo.constant dense<1023> : tensor<i64>
  %17 = stablehlo.minimum %15, %16 : tensor<i64>
  %18 = stablehlo.compare LT, %15, %3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %19 = stablehlo.convert %18 : (tensor<i1>) -> tensor<i64>
  %20 = stablehlo.reshape %19 : (tensor<i64>) -> tensor<1xi64>
  %21 = stablehlo.dynamic_slice %2, %17, sizes = [1] : (tensor<1024xi64>, tensor<i64>) -> tensor<1xi64>
  %22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %25 = "stablehlo.scatter"(%24, %2, %1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %26 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %26 : tensor<f32>
  }) : (tensor<1024x768xf32>, tensor<1024xi64>, tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %27 = stablehlo.concatenate %20, %21, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %25, %27 : tensor<1024x768xf32>, tensor<2xi64>
}
// -----
// compiled for _foreach_norm.Scalar
func.func @main(%arg0: tensor<1024x768xf32>, %arg1: tensor<2304x768xf32>, %arg2: tensor<2304xf32>, %arg3: tensor<768x768xf32>, %arg4: tensor<768xf32>, %arg5: tensor<3072x768xf32>, %arg6: tensor<3072xf32>, %arg7: tensor<768x3072xf32>, %arg8: tensor<768xf32>, %arg9: tensor<768xf32>, %arg10: tensor<768xf32>, %arg11: tensor<768xf32>, %arg12: tensor<768xf32>, %arg13: tensor<768xf32>, %arg14: tensor<768xf32>, %arg15: tensor<1024x768xf32>, %arg16: tensor<1024xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.multiply %arg0, %arg0 : tensor<1024x768xf32>
  %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0, 1] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.sqrt %2 : tensor<f32>
  %4 = stablehlo.multiply %arg1, %arg1 : tensor<2304x768xf32>
  %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [0, 1] : (tensor<2304x768xf32>, tensor<f32>) -> tensor<f32>
  %7 = stablehlo.sqrt %6 : tensor<f32>
  %8 = stablehlo.multiply %arg2, %arg2 : tensor<2304xf32>
  %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [0] : (tensor<2304xf32>, tensor<f32>) -> tensor<f32>
  %11 = stablehlo.sqrt %10 : tensor<f32>
  %12 = stablehlo.multiply %arg3, %arg3 : tensor<768x768xf32>
  %13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %14 = stablehlo.reduce(%12 init: %13) applies stablehlo.add across dimensions = [0, 1] : (tensor<768x768xf32>, tensor<f32>) -> tensor<f32>
  %15 = stablehlo.sqrt %14 : tensor<f32>
  %16 = stablehlo.multiply %arg4, %arg4 : tensor<768xf32>
  %17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.add across dimensions = [0] : (tensor<768xf32>, tensor<f32>) -> tensor<f32>
  %19 = stablehlo.sqrt %18 : tensor<f32>
  %20 = stablehlo.multiply %arg5, %arg5 : tensor<3072x768xf32>
  %21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %22 = stablehlo.reduce(%20 init: %21) applies stablehlo.add across dimensions = [0, 1] : (tensor<3072x768xf32>, tensor<f32>) -> tensor<f32>
  %23 = stablehlo.sqrt %22 : tensor<f32>
  %24 = stablehlo.multiply %arg6, %arg6 : tensor<3072xf32>
  %25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %26 = stablehlo.reduce(%24 init: %25) applies stablehlo.add across dimensions = [0] : (tensor<3072xf32>, tensor<f32>) -> tensor<f32>
  %27 = stablehlo.sqrt %26 : tensor<f32>
  %28 = stablehlo.multiply %arg7, %arg7 : tensor<768x3072xf32>
  %29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %30 = stablehlo.reduce(%28 init: %29) applies stablehlo.add across dimensions = [0, 1] : (tensor<768x3072xf32>, tensor<f32>) -> tensor<f32>
  %31 = stablehlo.sqrt %30 : tensor<f32>
  %32 = stablehlo.multiply %arg8, %arg8 : tensor<768xf32>
  %33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %34 = stablehlo.reduce(%32 init: %33) applies stablehlo.add across dimensions = [0] : (tensor<768xf32>, tensor<f32>) -> tensor<f32>
  %35 = stablehlo.sqrt %34 : tensor<f32>
  %36 = stablehlo.multiply %arg9, %arg9 : tensor<768xf32>
  %37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %38 = stablehlo.reduce(%36 init: %37) applies stablehlo.add across dimensions = [0] : (tensor<768xf32>, tensor<f32>) -> tensor<f32>
  %39 = stablehlo.sqrt %38 : tensor<f32>
  %40 = stablehlo.multiply %arg10, %arg10 : tensor<768xf32>
  %41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %42 = stablehlo.reduce(%40 init: %41) applies stablehlo.add across dimensions = [0] : (tensor<768xf32>, tensor<f32>) -> tensor<f32>
  %43 = stablehlo.sqrt %42 : tensor<f32>
  %44 = stablehlo.multiply %arg11, %arg11 : tensor<768xf32>
  %45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %46 = stablehlo.reduce(%44 init: %45) applies stablehlo.add across dimensions = [0] : (tensor<768xf32>, tensor<f32>) -> tensor<f32>
  %47 = stablehlo.sqrt %46 : tensor<f32>
  %48 = stablehlo.multiply %arg12, %arg12 : tensor<768xf32>
  %49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %50 = stablehlo.reduce(%48 init: %49) applies stablehlo.add across dimensions = [0] : (tensor<768xf32>, tensor<f32>) -> tensor<f32>
  %51 = stablehlo.sqrt %50 : tensor<f32>
  %52 = stablehlo.multiply %arg13, %arg13 : tensor<768xf32>
  %53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %54 = stablehlo.reduce(%52 init: %53) applies stablehlo.add across dimensions = [0] : (tensor<768xf32>, tensor<f32>) -> tensor<f32>
  %55 = stablehlo.sqrt %54 : tensor<f32>
  %56 = stablehlo.multiply %arg14, %arg14 : tensor<768xf32>
  %57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %58 = stablehlo.reduce(%56 init: %57) applies stablehlo.add across dimensions = [0] : (tensor<768xf32>, tensor<f32>) -> tensor<f32>
  %59 = stablehlo.sqrt %58 : tensor<f32>
  %60 = stablehlo.multiply %arg15, %arg15 : tensor<1024x768xf32>
  %61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %62 = stablehlo.reduce(%60 init: %61) applies stablehlo.add across dimensions = [0, 1] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<f32>
  %63 = stablehlo.sqrt %62 : tensor<f32>
  %64 = stablehlo.multiply %arg16, %arg16 : tensor<1024xf32>
  %65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %66 = stablehlo.reduce(%64 init: %65) applies stablehlo.add across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
  %67 = stablehlo.sqrt %66 : tensor<f32>
  return %3, %7, %11, %15, %19, %23, %27, %31, %35, %39, %43, %47, %51, %55, %59, %63, %67 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
// -----
// compiled for _foreach_mul_.Tensor
func.func @main(%arg0: tensor<1024x768xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<f32>, %arg2: tensor<2304x768xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<2304xf32> {tf.aliasing_output = 2 : i32}, %arg4: tensor<768x768xf32> {tf.aliasing_output = 3 : i32}, %arg5: tensor<768xf32> {tf.aliasing_output = 4 : i32}, %arg6: tensor<3072x768xf32> {tf.aliasing_output = 5 : i32}, %arg7: tensor<3072xf32> {tf.aliasing_output = 6 : i32}, %arg8: tensor<768x3072xf32> {tf.aliasing_output = 7 : i32}, %arg9: tensor<768xf32> {tf.aliasing_output = 8 : i32}, %arg10: tensor<768xf32> {tf.aliasing_output = 9 : i32}, %arg11: tensor<768xf32> {tf.aliasing_output = 10 : i32}, %arg12: tensor<768xf32> {tf.aliasing_output = 11 : i32}, %arg13: tensor<768xf32> {tf.aliasing_output = 12 : i32}, %arg14: tensor<768xf32> {tf.aliasing_output = 13 : i32}, %arg15: tensor<768xf32> {tf.aliasing_output = 14 : i32}, %arg16: tensor<1024x768xf32> {tf.aliasing_output = 15 : i32}, %arg17: tensor<1024xf32> {tf.aliasing_output = 16 : i32}) -> (tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<1024x768xf32>
  %2 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2304x768xf32>
  %3 = stablehlo.multiply %arg2, %2 : tensor<2304x768xf32>
  %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2304xf32>
  %5 = stablehlo.multiply %arg3, %4 : tensor<2304xf32>
  %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768x768xf32>
  %7 = stablehlo.multiply %arg4, %6 : tensor<768x768xf32>
  %8 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %9 = stablehlo.multiply %arg5, %8 : tensor<768xf32>
  %10 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3072x768xf32>
  %11 = stablehlo.multiply %arg6, %10 : tensor<3072x768xf32>
  %12 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3072xf32>
  %13 = stablehlo.multiply %arg7, %12 : tensor<3072xf32>
  %14 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768x3072xf32>
  %15 = stablehlo.multiply %arg8, %14 : tensor<768x3072xf32>
  %16 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %17 = stablehlo.multiply %arg9, %16 : tensor<768xf32>
  %18 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %19 = stablehlo.multiply %arg10, %18 : tensor<768xf32>
  %20 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %21 = stablehlo.multiply %arg11, %20 : tensor<768xf32>
  %22 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %23 = stablehlo.multiply %arg12, %22 : tensor<768xf32>
  %24 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %25 = stablehlo.multiply %arg13, %24 : tensor<768xf32>
  %26 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %27 = stablehlo.multiply %arg14, %26 : tensor<768xf32>
  %28 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %29 = stablehlo.multiply %arg15, %28 : tensor<768xf32>
  %30 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %31 = stablehlo.multiply %arg16, %30 : tensor<1024x768xf32>
  %32 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %33 = stablehlo.multiply %arg17, %32 : tensor<1024xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33 : tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<1024x768xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  return %1 : tensor<1024x768xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<2304x768xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2304x768xf32>
  return %1 : tensor<2304x768xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<2304xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2304xf32>
  return %1 : tensor<2304xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<768x768xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<768x768xf32>
  return %1 : tensor<768x768xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<3072x768xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3072x768xf32>
  return %1 : tensor<3072x768xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<3072xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3072xf32>
  return %1 : tensor<3072xf32>
}
// -----
// compiled for zero_
func.func @main() -> tensor<768x3072xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<768x3072xf32>
  return %1 : tensor<768x3072xf32>
}
// -----
// compiled for _foreach_mul_.Scalar
func.func @main(%arg0: tensor<1024x768xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2304x768xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<2304xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<768x768xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<768xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<3072x768xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<3072xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<768x3072xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<768xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<768xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<768xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<768xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<768xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<768xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<768xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<1024x768xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<f32>) -> (tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<1024x768xf32>
  %2 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<2304x768xf32>
  %3 = stablehlo.multiply %arg1, %2 : tensor<2304x768xf32>
  %4 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<2304xf32>
  %5 = stablehlo.multiply %arg2, %4 : tensor<2304xf32>
  %6 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768x768xf32>
  %7 = stablehlo.multiply %arg3, %6 : tensor<768x768xf32>
  %8 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %9 = stablehlo.multiply %arg4, %8 : tensor<768xf32>
  %10 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<3072x768xf32>
  %11 = stablehlo.multiply %arg5, %10 : tensor<3072x768xf32>
  %12 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<3072xf32>
  %13 = stablehlo.multiply %arg6, %12 : tensor<3072xf32>
  %14 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768x3072xf32>
  %15 = stablehlo.multiply %arg7, %14 : tensor<768x3072xf32>
  %16 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %17 = stablehlo.multiply %arg8, %16 : tensor<768xf32>
  %18 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %19 = stablehlo.multiply %arg9, %18 : tensor<768xf32>
  %20 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %21 = stablehlo.multiply %arg10, %20 : tensor<768xf32>
  %22 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %23 = stablehlo.multiply %arg11, %22 : tensor<768xf32>
  %24 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %25 = stablehlo.multiply %arg12, %24 : tensor<768xf32>
  %26 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %27 = stablehlo.multiply %arg13, %26 : tensor<768xf32>
  %28 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %29 = stablehlo.multiply %arg14, %28 : tensor<768xf32>
  %30 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %31 = stablehlo.multiply %arg15, %30 : tensor<1024x768xf32>
  %32 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %33 = stablehlo.multiply %arg16, %32 : tensor<1024xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33 : tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_lerp_.Scalar
func.func @main(%arg0: tensor<1024x768xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1024x768xf32>, %arg2: tensor<2304x768xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<2304x768xf32>, %arg4: tensor<2304xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<2304xf32>, %arg6: tensor<768x768xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<768x768xf32>, %arg8: tensor<768xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<768xf32>, %arg10: tensor<3072x768xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<3072x768xf32>, %arg12: tensor<3072xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<3072xf32>, %arg14: tensor<768x3072xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<768x3072xf32>, %arg16: tensor<768xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<768xf32>, %arg18: tensor<768xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<768xf32>, %arg20: tensor<768xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<768xf32>, %arg22: tensor<768xf32> {tf.aliasing_output = 11 : i32}, %arg23: tensor<768xf32>, %arg24: tensor<768xf32> {tf.aliasing_output = 12 : i32}, %arg25: tensor<768xf32>, %arg26: tensor<768xf32> {tf.aliasing_output = 13 : i32}, %arg27: tensor<768xf32>, %arg28: tensor<768xf32> {tf.aliasing_output = 14 : i32}, %arg29: tensor<768xf32>, %arg30: tensor<1024x768xf32> {tf.aliasing_output = 15 : i32}, %arg31: tensor<1024x768xf32>, %arg32: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg33: tensor<1024xf32>, %arg34: tensor<f32>) -> (tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>) {
  %0 = stablehlo.abs %arg34 : tensor<f32>
  %1 = stablehlo.subtract %arg1, %arg0 : tensor<1024x768xf32>
  %2 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<1024x768xf32>
  %4 = stablehlo.add %arg0, %3 : tensor<1024x768xf32>
  %5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %6 = stablehlo.subtract %5, %arg34 : tensor<f32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %8 = stablehlo.multiply %1, %7 : tensor<1024x768xf32>
  %9 = stablehlo.subtract %arg1, %8 : tensor<1024x768xf32>
  %10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %11 = stablehlo.compare LT, %0, %10 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %12 = stablehlo.select %11, %4, %9 : tensor<i1>, tensor<1024x768xf32>
  %13 = stablehlo.abs %arg34 : tensor<f32>
  %14 = stablehlo.subtract %arg3, %arg2 : tensor<2304x768xf32>
  %15 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<2304x768xf32>
  %16 = stablehlo.multiply %14, %15 : tensor<2304x768xf32>
  %17 = stablehlo.add %arg2, %16 : tensor<2304x768xf32>
  %18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %19 = stablehlo.subtract %18, %arg34 : tensor<f32>
  %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<2304x768xf32>
  %21 = stablehlo.multiply %14, %20 : tensor<2304x768xf32>
  %22 = stablehlo.subtract %arg3, %21 : tensor<2304x768xf32>
  %23 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %24 = stablehlo.compare LT, %13, %23 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %25 = stablehlo.select %24, %17, %22 : tensor<i1>, tensor<2304x768xf32>
  %26 = stablehlo.abs %arg34 : tensor<f32>
  %27 = stablehlo.subtract %arg5, %arg4 : tensor<2304xf32>
  %28 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<2304xf32>
  %29 = stablehlo.multiply %27, %28 : tensor<2304xf32>
  %30 = stablehlo.add %arg4, %29 : tensor<2304xf32>
  %31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %32 = stablehlo.subtract %31, %arg34 : tensor<f32>
  %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<2304xf32>
  %34 = stablehlo.multiply %27, %33 : tensor<2304xf32>
  %35 = stablehlo.subtract %arg5, %34 : tensor<2304xf32>
  %36 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %37 = stablehlo.compare LT, %26, %36 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %38 = stablehlo.select %37, %30, %35 : tensor<i1>, tensor<2304xf32>
  %39 = stablehlo.abs %arg34 : tensor<f32>
  %40 = stablehlo.subtract %arg7, %arg6 : tensor<768x768xf32>
  %41 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768x768xf32>
  %42 = stablehlo.multiply %40, %41 : tensor<768x768xf32>
  %43 = stablehlo.add %arg6, %42 : tensor<768x768xf32>
  %44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %45 = stablehlo.subtract %44, %arg34 : tensor<f32>
  %46 = stablehlo.broadcast_in_dim %45, dims = [] : (tensor<f32>) -> tensor<768x768xf32>
  %47 = stablehlo.multiply %40, %46 : tensor<768x768xf32>
  %48 = stablehlo.subtract %arg7, %47 : tensor<768x768xf32>
  %49 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %50 = stablehlo.compare LT, %39, %49 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %51 = stablehlo.select %50, %43, %48 : tensor<i1>, tensor<768x768xf32>
  %52 = stablehlo.abs %arg34 : tensor<f32>
  %53 = stablehlo.subtract %arg9, %arg8 : tensor<768xf32>
  %54 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %55 = stablehlo.multiply %53, %54 : tensor<768xf32>
  %56 = stablehlo.add %arg8, %55 : tensor<768xf32>
  %57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %58 = stablehlo.subtract %57, %arg34 : tensor<f32>
  %59 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %60 = stablehlo.multiply %53, %59 : tensor<768xf32>
  %61 = stablehlo.subtract %arg9, %60 : tensor<768xf32>
  %62 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %63 = stablehlo.compare LT, %52, %62 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %64 = stablehlo.select %63, %56, %61 : tensor<i1>, tensor<768xf32>
  %65 = stablehlo.abs %arg34 : tensor<f32>
  %66 = stablehlo.subtract %arg11, %arg10 : tensor<3072x768xf32>
  %67 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<3072x768xf32>
  %68 = stablehlo.multiply %66, %67 : tensor<3072x768xf32>
  %69 = stablehlo.add %arg10, %68 : tensor<3072x768xf32>
  %70 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %71 = stablehlo.subtract %70, %arg34 : tensor<f32>
  %72 = stablehlo.broadcast_in_dim %71, dims = [] : (tensor<f32>) -> tensor<3072x768xf32>
  %73 = stablehlo.multiply %66, %72 : tensor<3072x768xf32>
  %74 = stablehlo.subtract %arg11, %73 : tensor<3072x768xf32>
  %75 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %76 = stablehlo.compare LT, %65, %75 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %77 = stablehlo.select %76, %69, %74 : tensor<i1>, tensor<3072x768xf32>
  %78 = stablehlo.abs %arg34 : tensor<f32>
  %79 = stablehlo.subtract %arg13, %arg12 : tensor<3072xf32>
  %80 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<3072xf32>
  %81 = stablehlo.multiply %79, %80 : tensor<3072xf32>
  %82 = stablehlo.add %arg12, %81 : tensor<3072xf32>
  %83 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %84 = stablehlo.subtract %83, %arg34 : tensor<f32>
  %85 = stablehlo.broadcast_in_dim %84, dims = [] : (tensor<f32>) -> tensor<3072xf32>
  %86 = stablehlo.multiply %79, %85 : tensor<3072xf32>
  %87 = stablehlo.subtract %arg13, %86 : tensor<3072xf32>
  %88 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %89 = stablehlo.compare LT, %78, %88 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %90 = stablehlo.select %89, %82, %87 : tensor<i1>, tensor<3072xf32>
  %91 = stablehlo.abs %arg34 : tensor<f32>
  %92 = stablehlo.subtract %arg15, %arg14 : tensor<768x3072xf32>
  %93 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768x3072xf32>
  %94 = stablehlo.multiply %92, %93 : tensor<768x3072xf32>
  %95 = stablehlo.add %arg14, %94 : tensor<768x3072xf32>
  %96 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %97 = stablehlo.subtract %96, %arg34 : tensor<f32>
  %98 = stablehlo.broadcast_in_dim %97, dims = [] : (tensor<f32>) -> tensor<768x3072xf32>
  %99 = stablehlo.multiply %92, %98 : tensor<768x3072xf32>
  %100 = stablehlo.subtract %arg15, %99 : tensor<768x3072xf32>
  %101 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %102 = stablehlo.compare LT, %91, %101 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %103 = stablehlo.select %102, %95, %100 : tensor<i1>, tensor<768x3072xf32>
  %104 = stablehlo.abs %arg34 : tensor<f32>
  %105 = stablehlo.subtract %arg17, %arg16 : tensor<768xf32>
  %106 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %107 = stablehlo.multiply %105, %106 : tensor<768xf32>
  %108 = stablehlo.add %arg16, %107 : tensor<768xf32>
  %109 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %110 = stablehlo.subtract %109, %arg34 : tensor<f32>
  %111 = stablehlo.broadcast_in_dim %110, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %112 = stablehlo.multiply %105, %111 : tensor<768xf32>
  %113 = stablehlo.subtract %arg17, %112 : tensor<768xf32>
  %114 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %115 = stablehlo.compare LT, %104, %114 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %116 = stablehlo.select %115, %108, %113 : tensor<i1>, tensor<768xf32>
  %117 = stablehlo.abs %arg34 : tensor<f32>
  %118 = stablehlo.subtract %arg19, %arg18 : tensor<768xf32>
  %119 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %120 = stablehlo.multiply %118, %119 : tensor<768xf32>
  %121 = stablehlo.add %arg18, %120 : tensor<768xf32>
  %122 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %123 = stablehlo.subtract %122, %arg34 : tensor<f32>
  %124 = stablehlo.broadcast_in_dim %123, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %125 = stablehlo.multiply %118, %124 : tensor<768xf32>
  %126 = stablehlo.subtract %arg19, %125 : tensor<768xf32>
  %127 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %128 = stablehlo.compare LT, %117, %127 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %129 = stablehlo.select %128, %121, %126 : tensor<i1>, tensor<768xf32>
  %130 = stablehlo.abs %arg34 : tensor<f32>
  %131 = stablehlo.subtract %arg21, %arg20 : tensor<768xf32>
  %132 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %133 = stablehlo.multiply %131, %132 : tensor<768xf32>
  %134 = stablehlo.add %arg20, %133 : tensor<768xf32>
  %135 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %136 = stablehlo.subtract %135, %arg34 : tensor<f32>
  %137 = stablehlo.broadcast_in_dim %136, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %138 = stablehlo.multiply %131, %137 : tensor<768xf32>
  %139 = stablehlo.subtract %arg21, %138 : tensor<768xf32>
  %140 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %141 = stablehlo.compare LT, %130, %140 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %142 = stablehlo.select %141, %134, %139 : tensor<i1>, tensor<768xf32>
  %143 = stablehlo.abs %arg34 : tensor<f32>
  %144 = stablehlo.subtract %arg23, %arg22 : tensor<768xf32>
  %145 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %146 = stablehlo.multiply %144, %145 : tensor<768xf32>
  %147 = stablehlo.add %arg22, %146 : tensor<768xf32>
  %148 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %149 = stablehlo.subtract %148, %arg34 : tensor<f32>
  %150 = stablehlo.broadcast_in_dim %149, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %151 = stablehlo.multiply %144, %150 : tensor<768xf32>
  %152 = stablehlo.subtract %arg23, %151 : tensor<768xf32>
  %153 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %154 = stablehlo.compare LT, %143, %153 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %155 = stablehlo.select %154, %147, %152 : tensor<i1>, tensor<768xf32>
  %156 = stablehlo.abs %arg34 : tensor<f32>
  %157 = stablehlo.subtract %arg25, %arg24 : tensor<768xf32>
  %158 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %159 = stablehlo.multiply %157, %158 : tensor<768xf32>
  %160 = stablehlo.add %arg24, %159 : tensor<768xf32>
  %161 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %162 = stablehlo.subtract %161, %arg34 : tensor<f32>
  %163 = stablehlo.broadcast_in_dim %162, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %164 = stablehlo.multiply %157, %163 : tensor<768xf32>
  %165 = stablehlo.subtract %arg25, %164 : tensor<768xf32>
  %166 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %167 = stablehlo.compare LT, %156, %166 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %168 = stablehlo.select %167, %160, %165 : tensor<i1>, tensor<768xf32>
  %169 = stablehlo.abs %arg34 : tensor<f32>
  %170 = stablehlo.subtract %arg27, %arg26 : tensor<768xf32>
  %171 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %172 = stablehlo.multiply %170, %171 : tensor<768xf32>
  %173 = stablehlo.add %arg26, %172 : tensor<768xf32>
  %174 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %175 = stablehlo.subtract %174, %arg34 : tensor<f32>
  %176 = stablehlo.broadcast_in_dim %175, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %177 = stablehlo.multiply %170, %176 : tensor<768xf32>
  %178 = stablehlo.subtract %arg27, %177 : tensor<768xf32>
  %179 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %180 = stablehlo.compare LT, %169, %179 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %181 = stablehlo.select %180, %173, %178 : tensor<i1>, tensor<768xf32>
  %182 = stablehlo.abs %arg34 : tensor<f32>
  %183 = stablehlo.subtract %arg29, %arg28 : tensor<768xf32>
  %184 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %185 = stablehlo.multiply %183, %184 : tensor<768xf32>
  %186 = stablehlo.add %arg28, %185 : tensor<768xf32>
  %187 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %188 = stablehlo.subtract %187, %arg34 : tensor<f32>
  %189 = stablehlo.broadcast_in_dim %188, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %190 = stablehlo.multiply %183, %189 : tensor<768xf32>
  %191 = stablehlo.subtract %arg29, %190 : tensor<768xf32>
  %192 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %193 = stablehlo.compare LT, %182, %192 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %194 = stablehlo.select %193, %186, %191 : tensor<i1>, tensor<768xf32>
  %195 = stablehlo.abs %arg34 : tensor<f32>
  %196 = stablehlo.subtract %arg31, %arg30 : tensor<1024x768xf32>
  %197 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %198 = stablehlo.multiply %196, %197 : tensor<1024x768xf32>
  %199 = stablehlo.add %arg30, %198 : tensor<1024x768xf32>
  %200 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %201 = stablehlo.subtract %200, %arg34 : tensor<f32>
  %202 = stablehlo.broadcast_in_dim %201, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %203 = stablehlo.multiply %196, %202 : tensor<1024x768xf32>
  %204 = stablehlo.subtract %arg31, %203 : tensor<1024x768xf32>
  %205 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %206 = stablehlo.compare LT, %195, %205 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %207 = stablehlo.select %206, %199, %204 : tensor<i1>, tensor<1024x768xf32>
  %208 = stablehlo.abs %arg34 : tensor<f32>
  %209 = stablehlo.subtract %arg33, %arg32 : tensor<1024xf32>
  %210 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %211 = stablehlo.multiply %209, %210 : tensor<1024xf32>
  %212 = stablehlo.add %arg32, %211 : tensor<1024xf32>
  %213 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %214 = stablehlo.subtract %213, %arg34 : tensor<f32>
  %215 = stablehlo.broadcast_in_dim %214, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %216 = stablehlo.multiply %209, %215 : tensor<1024xf32>
  %217 = stablehlo.subtract %arg33, %216 : tensor<1024xf32>
  %218 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %219 = stablehlo.compare LT, %208, %218 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %220 = stablehlo.select %219, %212, %217 : tensor<i1>, tensor<1024xf32>
  return %12, %25, %38, %51, %64, %77, %90, %103, %116, %129, %142, %155, %168, %181, %194, %207, %220 : tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_addcmul_.Scalar
func.func @main(%arg0: tensor<1024x768xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1024x768xf32>, %arg2: tensor<2304x768xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<2304x768xf32>, %arg4: tensor<2304xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<2304xf32>, %arg6: tensor<768x768xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<768x768xf32>, %arg8: tensor<768xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<768xf32>, %arg10: tensor<3072x768xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<3072x768xf32>, %arg12: tensor<3072xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<3072xf32>, %arg14: tensor<768x3072xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<768x3072xf32>, %arg16: tensor<768xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<768xf32>, %arg18: tensor<768xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<768xf32>, %arg20: tensor<768xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<768xf32>, %arg22: tensor<768xf32> {tf.aliasing_output = 11 : i32}, %arg23: tensor<768xf32>, %arg24: tensor<768xf32> {tf.aliasing_output = 12 : i32}, %arg25: tensor<768xf32>, %arg26: tensor<768xf32> {tf.aliasing_output = 13 : i32}, %arg27: tensor<768xf32>, %arg28: tensor<768xf32> {tf.aliasing_output = 14 : i32}, %arg29: tensor<768xf32>, %arg30: tensor<1024x768xf32> {tf.aliasing_output = 15 : i32}, %arg31: tensor<1024x768xf32>, %arg32: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg33: tensor<1024xf32>, %arg34: tensor<f32>) -> (tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %1 = stablehlo.multiply %arg1, %0 : tensor<1024x768xf32>
  %2 = stablehlo.multiply %1, %arg1 : tensor<1024x768xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<1024x768xf32>
  %4 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<2304x768xf32>
  %5 = stablehlo.multiply %arg3, %4 : tensor<2304x768xf32>
  %6 = stablehlo.multiply %5, %arg3 : tensor<2304x768xf32>
  %7 = stablehlo.add %arg2, %6 : tensor<2304x768xf32>
  %8 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<2304xf32>
  %9 = stablehlo.multiply %arg5, %8 : tensor<2304xf32>
  %10 = stablehlo.multiply %9, %arg5 : tensor<2304xf32>
  %11 = stablehlo.add %arg4, %10 : tensor<2304xf32>
  %12 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768x768xf32>
  %13 = stablehlo.multiply %arg7, %12 : tensor<768x768xf32>
  %14 = stablehlo.multiply %13, %arg7 : tensor<768x768xf32>
  %15 = stablehlo.add %arg6, %14 : tensor<768x768xf32>
  %16 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %17 = stablehlo.multiply %arg9, %16 : tensor<768xf32>
  %18 = stablehlo.multiply %17, %arg9 : tensor<768xf32>
  %19 = stablehlo.add %arg8, %18 : tensor<768xf32>
  %20 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<3072x768xf32>
  %21 = stablehlo.multiply %arg11, %20 : tensor<3072x768xf32>
  %22 = stablehlo.multiply %21, %arg11 : tensor<3072x768xf32>
  %23 = stablehlo.add %arg10, %22 : tensor<3072x768xf32>
  %24 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<3072xf32>
  %25 = stablehlo.multiply %arg13, %24 : tensor<3072xf32>
  %26 = stablehlo.multiply %25, %arg13 : tensor<3072xf32>
  %27 = stablehlo.add %arg12, %26 : tensor<3072xf32>
  %28 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768x3072xf32>
  %29 = stablehlo.multiply %arg15, %28 : tensor<768x3072xf32>
  %30 = stablehlo.multiply %29, %arg15 : tensor<768x3072xf32>
  %31 = stablehlo.add %arg14, %30 : tensor<768x3072xf32>
  %32 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %33 = stablehlo.multiply %arg17, %32 : tensor<768xf32>
  %34 = stablehlo.multiply %33, %arg17 : tensor<768xf32>
  %35 = stablehlo.add %arg16, %34 : tensor<768xf32>
  %36 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %37 = stablehlo.multiply %arg19, %36 : tensor<768xf32>
  %38 = stablehlo.multiply %37, %arg19 : tensor<768xf32>
  %39 = stablehlo.add %arg18, %38 : tensor<768xf32>
  %40 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %41 = stablehlo.multiply %arg21, %40 : tensor<768xf32>
  %42 = stablehlo.multiply %41, %arg21 : tensor<768xf32>
  %43 = stablehlo.add %arg20, %42 : tensor<768xf32>
  %44 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %45 = stablehlo.multiply %arg23, %44 : tensor<768xf32>
  %46 = stablehlo.multiply %45, %arg23 : tensor<768xf32>
  %47 = stablehlo.add %arg22, %46 : tensor<768xf32>
  %48 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %49 = stablehlo.multiply %arg25, %48 : tensor<768xf32>
  %50 = stablehlo.multiply %49, %arg25 : tensor<768xf32>
  %51 = stablehlo.add %arg24, %50 : tensor<768xf32>
  %52 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %53 = stablehlo.multiply %arg27, %52 : tensor<768xf32>
  %54 = stablehlo.multiply %53, %arg27 : tensor<768xf32>
  %55 = stablehlo.add %arg26, %54 : tensor<768xf32>
  %56 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %57 = stablehlo.multiply %arg29, %56 : tensor<768xf32>
  %58 = stablehlo.multiply %57, %arg29 : tensor<768xf32>
  %59 = stablehlo.add %arg28, %58 : tensor<768xf32>
  %60 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %61 = stablehlo.multiply %arg31, %60 : tensor<1024x768xf32>
  %62 = stablehlo.multiply %61, %arg31 : tensor<1024x768xf32>
  %63 = stablehlo.add %arg30, %62 : tensor<1024x768xf32>
  %64 = stablehlo.broadcast_in_dim %arg34, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %65 = stablehlo.multiply %arg33, %64 : tensor<1024xf32>
  %66 = stablehlo.multiply %65, %arg33 : tensor<1024xf32>
  %67 = stablehlo.add %arg32, %66 : tensor<1024xf32>
  return %3, %7, %11, %15, %19, %23, %27, %31, %35, %39, %43, %47, %51, %55, %59, %63, %67 : tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_sqrt
func.func @main(%arg0: tensor<1024x768xf32>, %arg1: tensor<2304x768xf32>, %arg2: tensor<2304xf32>, %arg3: tensor<768x768xf32>, %arg4: tensor<768xf32>, %arg5: tensor<3072x768xf32>, %arg6: tensor<3072xf32>, %arg7: tensor<768x3072xf32>, %arg8: tensor<768xf32>, %arg9: tensor<768xf32>, %arg10: tensor<768xf32>, %arg11: tensor<768xf32>, %arg12: tensor<768xf32>, %arg13: tensor<768xf32>, %arg14: tensor<768xf32>, %arg15: tensor<1024x768xf32>, %arg16: tensor<1024xf32>) -> (tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>) {
  %0 = stablehlo.sqrt %arg0 : tensor<1024x768xf32>
  %1 = stablehlo.sqrt %arg1 : tensor<2304x768xf32>
  %2 = stablehlo.sqrt %arg2 : tensor<2304xf32>
  %3 = stablehlo.sqrt %arg3 : tensor<768x768xf32>
  %4 = stablehlo.sqrt %arg4 : tensor<768xf32>
  %5 = stablehlo.sqrt %arg5 : tensor<3072x768xf32>
  %6 = stablehlo.sqrt %arg6 : tensor<3072xf32>
  %7 = stablehlo.sqrt %arg7 : tensor<768x3072xf32>
  %8 = stablehlo.sqrt %arg8 : tensor<768xf32>
  %9 = stablehlo.sqrt %arg9 : tensor<768xf32>
  %10 = stablehlo.sqrt %arg10 : tensor<768xf32>
  %11 = stablehlo.sqrt %arg11 : tensor<768xf32>
  %12 = stablehlo.sqrt %arg12 : tensor<768xf32>
  %13 = stablehlo.sqrt %arg13 : tensor<768xf32>
  %14 = stablehlo.sqrt %arg14 : tensor<768xf32>
  %15 = stablehlo.sqrt %arg15 : tensor<1024x768xf32>
  %16 = stablehlo.sqrt %arg16 : tensor<1024xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16 : tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_div_.ScalarList
func.func @main(%arg0: tensor<1024x768xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2304x768xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<2304xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<768x768xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<768xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<3072x768xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<3072xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<768x3072xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<768xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<768xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<768xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<768xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<768xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<768xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<768xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<1024x768xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<f32>, %arg18: tensor<f32>, %arg19: tensor<f32>, %arg20: tensor<f32>, %arg21: tensor<f32>, %arg22: tensor<f32>, %arg23: tensor<f32>, %arg24: tensor<f32>, %arg25: tensor<f32>, %arg26: tensor<f32>, %arg27: tensor<f32>, %arg28: tensor<f32>, %arg29: tensor<f32>, %arg30: tensor<f32>, %arg31: tensor<f32>, %arg32: tensor<f32>, %arg33: tensor<f32>) -> (tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %1 = stablehlo.divide %arg0, %0 : tensor<1024x768xf32>
  %2 = stablehlo.broadcast_in_dim %arg18, dims = [] : (tensor<f32>) -> tensor<2304x768xf32>
  %3 = stablehlo.divide %arg1, %2 : tensor<2304x768xf32>
  %4 = stablehlo.broadcast_in_dim %arg19, dims = [] : (tensor<f32>) -> tensor<2304xf32>
  %5 = stablehlo.divide %arg2, %4 : tensor<2304xf32>
  %6 = stablehlo.broadcast_in_dim %arg20, dims = [] : (tensor<f32>) -> tensor<768x768xf32>
  %7 = stablehlo.divide %arg3, %6 : tensor<768x768xf32>
  %8 = stablehlo.broadcast_in_dim %arg21, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %9 = stablehlo.divide %arg4, %8 : tensor<768xf32>
  %10 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<3072x768xf32>
  %11 = stablehlo.divide %arg5, %10 : tensor<3072x768xf32>
  %12 = stablehlo.broadcast_in_dim %arg23, dims = [] : (tensor<f32>) -> tensor<3072xf32>
  %13 = stablehlo.divide %arg6, %12 : tensor<3072xf32>
  %14 = stablehlo.broadcast_in_dim %arg24, dims = [] : (tensor<f32>) -> tensor<768x3072xf32>
  %15 = stablehlo.divide %arg7, %14 : tensor<768x3072xf32>
  %16 = stablehlo.broadcast_in_dim %arg25, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %17 = stablehlo.divide %arg8, %16 : tensor<768xf32>
  %18 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %19 = stablehlo.divide %arg9, %18 : tensor<768xf32>
  %20 = stablehlo.broadcast_in_dim %arg27, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %21 = stablehlo.divide %arg10, %20 : tensor<768xf32>
  %22 = stablehlo.broadcast_in_dim %arg28, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %23 = stablehlo.divide %arg11, %22 : tensor<768xf32>
  %24 = stablehlo.broadcast_in_dim %arg29, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %25 = stablehlo.divide %arg12, %24 : tensor<768xf32>
  %26 = stablehlo.broadcast_in_dim %arg30, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %27 = stablehlo.divide %arg13, %26 : tensor<768xf32>
  %28 = stablehlo.broadcast_in_dim %arg31, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %29 = stablehlo.divide %arg14, %28 : tensor<768xf32>
  %30 = stablehlo.broadcast_in_dim %arg32, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %31 = stablehlo.divide %arg15, %30 : tensor<1024x768xf32>
  %32 = stablehlo.broadcast_in_dim %arg33, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %33 = stablehlo.divide %arg16, %32 : tensor<1024xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33 : tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_add_.Scalar
func.func @main(%arg0: tensor<1024x768xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2304x768xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<2304xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<768x768xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<768xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<3072x768xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<3072xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<768x3072xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<768xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<768xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<768xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<768xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<768xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<768xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<768xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<1024x768xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<f32>) -> (tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<1024x768xf32>
  %2 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<2304x768xf32>
  %3 = stablehlo.add %arg1, %2 : tensor<2304x768xf32>
  %4 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<2304xf32>
  %5 = stablehlo.add %arg2, %4 : tensor<2304xf32>
  %6 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768x768xf32>
  %7 = stablehlo.add %arg3, %6 : tensor<768x768xf32>
  %8 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %9 = stablehlo.add %arg4, %8 : tensor<768xf32>
  %10 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<3072x768xf32>
  %11 = stablehlo.add %arg5, %10 : tensor<3072x768xf32>
  %12 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<3072xf32>
  %13 = stablehlo.add %arg6, %12 : tensor<3072xf32>
  %14 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768x3072xf32>
  %15 = stablehlo.add %arg7, %14 : tensor<768x3072xf32>
  %16 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %17 = stablehlo.add %arg8, %16 : tensor<768xf32>
  %18 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %19 = stablehlo.add %arg9, %18 : tensor<768xf32>
  %20 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %21 = stablehlo.add %arg10, %20 : tensor<768xf32>
  %22 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %23 = stablehlo.add %arg11, %22 : tensor<768xf32>
  %24 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %25 = stablehlo.add %arg12, %24 : tensor<768xf32>
  %26 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %27 = stablehlo.add %arg13, %26 : tensor<768xf32>
  %28 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %29 = stablehlo.add %arg14, %28 : tensor<768xf32>
  %30 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %31 = stablehlo.add %arg15, %30 : tensor<1024x768xf32>
  %32 = stablehlo.broadcast_in_dim %arg17, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %33 = stablehlo.add %arg16, %32 : tensor<1024xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %23, %25, %27, %29, %31, %33 : tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>
}
// -----
// compiled for _foreach_addcdiv_.ScalarList
func.func @main(%arg0: tensor<1024x768xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1024x768xf32>, %arg2: tensor<1024x768xf32>, %arg3: tensor<2304x768xf32> {tf.aliasing_output = 1 : i32}, %arg4: tensor<2304x768xf32>, %arg5: tensor<2304x768xf32>, %arg6: tensor<2304xf32> {tf.aliasing_output = 2 : i32}, %arg7: tensor<2304xf32>, %arg8: tensor<2304xf32>, %arg9: tensor<768x768xf32> {tf.aliasing_output = 3 : i32}, %arg10: tensor<768x768xf32>, %arg11: tensor<768x768xf32>, %arg12: tensor<768xf32> {tf.aliasing_output = 4 : i32}, %arg13: tensor<768xf32>, %arg14: tensor<768xf32>, %arg15: tensor<3072x768xf32> {tf.aliasing_output = 5 : i32}, %arg16: tensor<3072x768xf32>, %arg17: tensor<3072x768xf32>, %arg18: tensor<3072xf32> {tf.aliasing_output = 6 : i32}, %arg19: tensor<3072xf32>, %arg20: tensor<3072xf32>, %arg21: tensor<768x3072xf32> {tf.aliasing_output = 7 : i32}, %arg22: tensor<768x3072xf32>, %arg23: tensor<768x3072xf32>, %arg24: tensor<768xf32> {tf.aliasing_output = 8 : i32}, %arg25: tensor<768xf32>, %arg26: tensor<768xf32>, %arg27: tensor<768xf32> {tf.aliasing_output = 9 : i32}, %arg28: tensor<768xf32>, %arg29: tensor<768xf32>, %arg30: tensor<768xf32> {tf.aliasing_output = 10 : i32}, %arg31: tensor<768xf32>, %arg32: tensor<768xf32>, %arg33: tensor<768xf32> {tf.aliasing_output = 11 : i32}, %arg34: tensor<768xf32>, %arg35: tensor<768xf32>, %arg36: tensor<768xf32> {tf.aliasing_output = 12 : i32}, %arg37: tensor<768xf32>, %arg38: tensor<768xf32>, %arg39: tensor<768xf32> {tf.aliasing_output = 13 : i32}, %arg40: tensor<768xf32>, %arg41: tensor<768xf32>, %arg42: tensor<768xf32> {tf.aliasing_output = 14 : i32}, %arg43: tensor<768xf32>, %arg44: tensor<768xf32>, %arg45: tensor<1024x768xf32> {tf.aliasing_output = 15 : i32}, %arg46: tensor<1024x768xf32>, %arg47: tensor<1024x768xf32>, %arg48: tensor<1024xf32> {tf.aliasing_output = 16 : i32}, %arg49: tensor<1024xf32>, %arg50: tensor<1024xf32>, %arg51: tensor<f32>, %arg52: tensor<f32>, %arg53: tensor<f32>, %arg54: tensor<f32>, %arg55: tensor<f32>, %arg56: tensor<f32>, %arg57: tensor<f32>, %arg58: tensor<f32>, %arg59: tensor<f32>, %arg60: tensor<f32>, %arg61: tensor<f32>, %arg62: tensor<f32>, %arg63: tensor<f32>, %arg64: tensor<f32>, %arg65: tensor<f32>, %arg66: tensor<f32>, %arg67: tensor<f32>) -> (tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg51, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %1 = stablehlo.multiply %arg1, %0 : tensor<1024x768xf32>
  %2 = stablehlo.divide %1, %arg2 : tensor<1024x768xf32>
  %3 = stablehlo.add %arg0, %2 : tensor<1024x768xf32>
  %4 = stablehlo.broadcast_in_dim %arg52, dims = [] : (tensor<f32>) -> tensor<2304x768xf32>
  %5 = stablehlo.multiply %arg4, %4 : tensor<2304x768xf32>
  %6 = stablehlo.divide %5, %arg5 : tensor<2304x768xf32>
  %7 = stablehlo.add %arg3, %6 : tensor<2304x768xf32>
  %8 = stablehlo.broadcast_in_dim %arg53, dims = [] : (tensor<f32>) -> tensor<2304xf32>
  %9 = stablehlo.multiply %arg7, %8 : tensor<2304xf32>
  %10 = stablehlo.divide %9, %arg8 : tensor<2304xf32>
  %11 = stablehlo.add %arg6, %10 : tensor<2304xf32>
  %12 = stablehlo.broadcast_in_dim %arg54, dims = [] : (tensor<f32>) -> tensor<768x768xf32>
  %13 = stablehlo.multiply %arg10, %12 : tensor<768x768xf32>
  %14 = stablehlo.divide %13, %arg11 : tensor<768x768xf32>
  %15 = stablehlo.add %arg9, %14 : tensor<768x768xf32>
  %16 = stablehlo.broadcast_in_dim %arg55, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %17 = stablehlo.multiply %arg13, %16 : tensor<768xf32>
  %18 = stablehlo.divide %17, %arg14 : tensor<768xf32>
  %19 = stablehlo.add %arg12, %18 : tensor<768xf32>
  %20 = stablehlo.broadcast_in_dim %arg56, dims = [] : (tensor<f32>) -> tensor<3072x768xf32>
  %21 = stablehlo.multiply %arg16, %20 : tensor<3072x768xf32>
  %22 = stablehlo.divide %21, %arg17 : tensor<3072x768xf32>
  %23 = stablehlo.add %arg15, %22 : tensor<3072x768xf32>
  %24 = stablehlo.broadcast_in_dim %arg57, dims = [] : (tensor<f32>) -> tensor<3072xf32>
  %25 = stablehlo.multiply %arg19, %24 : tensor<3072xf32>
  %26 = stablehlo.divide %25, %arg20 : tensor<3072xf32>
  %27 = stablehlo.add %arg18, %26 : tensor<3072xf32>
  %28 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<f32>) -> tensor<768x3072xf32>
  %29 = stablehlo.multiply %arg22, %28 : tensor<768x3072xf32>
  %30 = stablehlo.divide %29, %arg23 : tensor<768x3072xf32>
  %31 = stablehlo.add %arg21, %30 : tensor<768x3072xf32>
  %32 = stablehlo.broadcast_in_dim %arg59, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %33 = stablehlo.multiply %arg25, %32 : tensor<768xf32>
  %34 = stablehlo.divide %33, %arg26 : tensor<768xf32>
  %35 = stablehlo.add %arg24, %34 : tensor<768xf32>
  %36 = stablehlo.broadcast_in_dim %arg60, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %37 = stablehlo.multiply %arg28, %36 : tensor<768xf32>
  %38 = stablehlo.divide %37, %arg29 : tensor<768xf32>
  %39 = stablehlo.add %arg27, %38 : tensor<768xf32>
  %40 = stablehlo.broadcast_in_dim %arg61, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %41 = stablehlo.multiply %arg31, %40 : tensor<768xf32>
  %42 = stablehlo.divide %41, %arg32 : tensor<768xf32>
  %43 = stablehlo.add %arg30, %42 : tensor<768xf32>
  %44 = stablehlo.broadcast_in_dim %arg62, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %45 = stablehlo.multiply %arg34, %44 : tensor<768xf32>
  %46 = stablehlo.divide %45, %arg35 : tensor<768xf32>
  %47 = stablehlo.add %arg33, %46 : tensor<768xf32>
  %48 = stablehlo.broadcast_in_dim %arg63, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %49 = stablehlo.multiply %arg37, %48 : tensor<768xf32>
  %50 = stablehlo.divide %49, %arg38 : tensor<768xf32>
  %51 = stablehlo.add %arg36, %50 : tensor<768xf32>
  %52 = stablehlo.broadcast_in_dim %arg64, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %53 = stablehlo.multiply %arg40, %52 : tensor<768xf32>
  %54 = stablehlo.divide %53, %arg41 : tensor<768xf32>
  %55 = stablehlo.add %arg39, %54 : tensor<768xf32>
  %56 = stablehlo.broadcast_in_dim %arg65, dims = [] : (tensor<f32>) -> tensor<768xf32>
  %57 = stablehlo.multiply %arg43, %56 : tensor<768xf32>
  %58 = stablehlo.divide %57, %arg44 : tensor<768xf32>
  %59 = stablehlo.add %arg42, %58 : tensor<768xf32>
  %60 = stablehlo.broadcast_in_dim %arg66, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
  %61 = stablehlo.multiply %arg46, %60 : tensor<1024x768xf32>
  %62 = stablehlo.divide %61, %arg47 : tensor<1024x768xf32>
  %63 = stablehlo.add %arg45, %62 : tensor<1024x768xf32>
  %64 = stablehlo.broadcast_in_dim %arg67, dims = [] : (tensor<f32>) -> tensor<1024xf32>
  %65 = stablehlo.multiply %arg49, %64 : tensor<1024xf32>
  %66 = stablehlo.divide %65, %arg50 : tensor<1024xf32>
  %67 = stablehlo.add %arg48, %66 : tensor<1024xf32>
  return %3, %7, %11, %15, %19, %23, %27, %31, %35, %39, %43, %47, %51, %55, %59, %63, %67 : tensor<1024x768xf32>, tensor<2304x768xf32>, tensor<2304xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768x3072xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<1024x768xf32>, tensor<1024xf32>
}
// -----
// compiled for convolution_overrideable
func.func @main(%arg0: tensor<8x3x224x224xf32>, %arg1: tensor<64x3x7x7xf32>) -> tensor<8x64x112x112xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[3, 3], [3, 3]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<8x3x224x224xf32>, tensor<64x3x7x7xf32>) -> tensor<8x64x112x112xf32>
  return %0 : tensor<8x64x112x112xf32>
}
// -----
// compiled for native_batch_norm
func.func @main(%arg0: tensor<8x64x112x112xf32>, %arg1: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %arg2: tensor<64xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<f32>, %arg6: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<8x64x112x112xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x64x112x112xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.constant dense<1.003520e+05> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %4 = stablehlo.divide %1, %3 : tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<8x64x112x112xf32>
  %7 = stablehlo.multiply %6, %6 : tensor<8x64x112x112xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x64x112x112xf32>, tensor<f32>) -> tensor<64xf32>
  %10 = stablehlo.constant dense<1.003520e+05> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %12 = stablehlo.divide %9, %11 : tensor<64xf32>
  %13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %14 = stablehlo.subtract %13, %arg6 : tensor<f32>
  %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %16 = stablehlo.multiply %arg1, %15 : tensor<64xf32>
  %17 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %18 = stablehlo.multiply %4, %17 : tensor<64xf32>
  %19 = stablehlo.add %18, %16 : tensor<64xf32>
  %20 = stablehlo.constant dense<1.000010e+00> : tensor<f32>
  %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %22 = stablehlo.multiply %12, %21 : tensor<64xf32>
  %23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %24 = stablehlo.subtract %23, %arg6 : tensor<f32>
  %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %26 = stablehlo.multiply %arg2, %25 : tensor<64xf32>
  %27 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %28 = stablehlo.multiply %22, %27 : tensor<64xf32>
  %29 = stablehlo.add %28, %26 : tensor<64xf32>
  %30 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %31 = stablehlo.add %12, %30 : tensor<64xf32>
  %32 = stablehlo.rsqrt %31 : tensor<64xf32>
  %33 = stablehlo.multiply %32, %arg3 : tensor<64xf32>
  %34 = stablehlo.broadcast_in_dim %33, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %35 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %36 = stablehlo.subtract %arg0, %35 : tensor<8x64x112x112xf32>
  %37 = stablehlo.multiply %36, %34 : tensor<8x64x112x112xf32>
  %38 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %39 = stablehlo.add %37, %38 : tensor<8x64x112x112xf32>
  %40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return %19, %29, %39, %4, %32 : tensor<64xf32>, tensor<64xf32>, tensor<8x64x112x112xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for relu
func.func @main(%arg0: tensor<8x64x112x112xf32>) -> tensor<8x64x112x112xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x64x112x112xf32>
  %2 = stablehlo.maximum %arg0, %1 : tensor<8x64x112x112xf32>
  return %2 : tensor<8x64x112x112xf32>
}
// -----
// compiled for max_pool2d_with_indices.out
func.func @main(%arg0: tensor<8x64x112x112xf32>) -> (tensor<8x64x56x56xf32>, tensor<8x64x56x56xi64>) {
  %0 = stablehlo.iota dim = 0 : tensor<12544xi64>
  %1 = stablehlo.reshape %0 : (tensor<12544xi64>) -> tensor<112x112xi64>
  %2 = stablehlo.broadcast_in_dim %1, dims = [2, 3] : (tensor<112x112xi64>) -> tensor<8x64x112x112xi64>
  %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %4 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %5:2 = "stablehlo.reduce_window"(%arg0, %2, %3, %4) <{padding = dense<[[0, 0], [0, 0], [1, 0], [1, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<i64>, %arg3: tensor<f32>, %arg4: tensor<i64>):
    %6 = stablehlo.compare GT, %arg1, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %arg1, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.compare EQ, %arg3, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %9 = stablehlo.and %7, %8 : tensor<i1>
    %10 = stablehlo.or %6, %9 : tensor<i1>
    %11 = stablehlo.compare EQ, %arg1, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %12 = stablehlo.compare NE, %arg3, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %13 = stablehlo.and %7, %12 : tensor<i1>
    %14 = stablehlo.or %11, %13 : tensor<i1>
    %15 = stablehlo.compare LE, %arg2, %arg4 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %16 = stablehlo.and %14, %15 : tensor<i1>
    %17 = stablehlo.or %10, %16 : tensor<i1>
    %18 = stablehlo.select %17, %arg1, %arg3 : tensor<i1>, tensor<f32>
    %19 = stablehlo.select %17, %arg2, %arg4 : tensor<i1>, tensor<i64>
    stablehlo.return %18, %19 : tensor<f32>, tensor<i64>
  }) : (tensor<8x64x112x112xf32>, tensor<8x64x112x112xi64>, tensor<f32>, tensor<i64>) -> (tensor<8x64x56x56xf32>, tensor<8x64x56x56xi64>)
  return %5#0, %5#1 : tensor<8x64x56x56xf32>, tensor<8x64x56x56xi64>
}
// -----
// compiled for convolution_overrideable
func.func @main(%arg0: tensor<8x64x56x56xf32>, %arg1: tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32>
  return %0 : tensor<8x64x56x56xf32>
}
// -----
// compiled for native_batch_norm
func.func @main(%arg0: tensor<8x64x56x56xf32>, %arg1: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %arg2: tensor<64xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<f32>, %arg6: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<8x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x64x56x56xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.constant dense<2.508800e+04> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %4 = stablehlo.divide %1, %3 : tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<8x64x56x56xf32>
  %7 = stablehlo.multiply %6, %6 : tensor<8x64x56x56xf32>
  %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %9 = stablehlo.reduce(%7 init: %8) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x64x56x56xf32>, tensor<f32>) -> tensor<64xf32>
  %10 = stablehlo.constant dense<2.508800e+04> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %12 = stablehlo.divide %9, %11 : tensor<64xf32>
  %13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %14 = stablehlo.subtract %13, %arg6 : tensor<f32>
  %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %16 = stablehlo.multiply %arg1, %15 : tensor<64xf32>
  %17 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %18 = stablehlo.multiply %4, %17 : tensor<64xf32>
  %19 = stablehlo.add %18, %16 : tensor<64xf32>
  %20 = stablehlo.constant dense<1.0000398e+00> : tensor<f32>
  %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %22 = stablehlo.multiply %12, %21 : tensor<64xf32>
  %23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %24 = stablehlo.subtract %23, %arg6 : tensor<f32>
  %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %26 = stablehlo.multiply %arg2, %25 : tensor<64xf32>
  %27 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %28 = stablehlo.multiply %22, %27 : tensor<64xf32>
  %29 = stablehlo.add %28, %26 : tensor<64xf32>
  %30 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %31 = stablehlo.add %12, %30 : tensor<64xf32>
  %32 = stablehlo.rsqrt %31 : tensor<64xf32>
  %33 = stablehlo.multiply %32, %arg3 : tensor<64xf32>
  %34 = stablehlo.broadcast_in_dim %33, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %35 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %36 = stablehlo.subtract %arg0, %35 : tensor<8x64x56x56xf32>
  %37 = stablehlo.multiply %36, %34 : tensor<8x64x56x56xf32>
  %38 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %39 = stablehlo.add %37, %38 : tensor<8x64x56x56xf32>
  %40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return %19, %29, %39, %4, %32 : tensor<64xf32>, tensor<64xf32>, tensor<8x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for relu
func.func @main(%arg0: tensor<8x64x56x56xf32>) -> tensor<8x64x56x56xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x64x56x56xf32>
  %2 = stablehlo.maximum %arg0, %1 : tensor<8x64x56x56xf32>
  return %2 : tensor<8x64x56x56xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<8x64x56x56xf32>, %arg1: tensor<8x64x56x56xf32>) -> tensor<8x64x56x56xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x64x56x56xf32>
  return %0 : tensor<8x64x56x56xf32>
}
// -----
// compiled for mean.out
func.func @main(%arg0: tensor<8x64x56x56xf32>) -> tensor<8x64x1x1xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [2, 3] : (tensor<8x64x56x56xf32>, tensor<f32>) -> tensor<8x64xf32>
  %2 = stablehlo.reshape %1 : (tensor<8x64xf32>) -> tensor<8x64x1x1xf32>
  %3 = stablehlo.constant dense<3.136000e+03> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x64x1x1xf32>
  %5 = stablehlo.divide %2, %4 : tensor<8x64x1x1xf32>
  return %5 : tensor<8x64x1x1xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<8x64x1x1xf32>, %arg1: tensor<64x1000xf32>, %arg2: tensor<1000xf32>) -> tensor<8x1000xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x1x1xf32>) -> tensor<512xf32>
  %1 = stablehlo.reshape %0 : (tensor<512xf32>) -> tensor<8x64xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<64x1000xf32>) -> tensor<64000xf32>
  %3 = stablehlo.reshape %2 : (tensor<64000xf32>) -> tensor<1000x64xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<1000x64xf32>) -> tensor<64x1000xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x64xf32>, tensor<64x1000xf32>) -> tensor<8x1000xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<1000xf32>) -> tensor<8x1000xf32>
  %7 = stablehlo.add %5, %6 : tensor<8x1000xf32>
  return %7 : tensor<8x1000xf32>
}
// -----
// compiled for _log_softmax.out
func.func @main(%arg0: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<8x1000xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<8x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x1000xf32>
  %4 = stablehlo.subtract %arg0, %3 : tensor<8x1000xf32>
  %5 = stablehlo.exponential %4 : tensor<8x1000xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<8x1000xf32>, tensor<f32>) -> tensor<8xf32>
  %8 = stablehlo.reshape %7 : (tensor<8xf32>) -> tensor<8x1xf32>
  %9 = stablehlo.log %8 : tensor<8x1xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x1000xf32>
  %11 = stablehlo.subtract %4, %10 : tensor<8x1000xf32>
  return %11 : tensor<8x1000xf32>
}
// -----
// compiled for nll_loss_forward.output
func.func @main(%arg0: tensor<8x1000xf32>, %arg1: tensor<8xi64>) -> (tensor<f32>, tensor<f32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<-100> : tensor<i64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<8xi64>
  %2 = stablehlo.compare NE, %arg1, %1 : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
  %3 = stablehlo.constant dense<0> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<8xi64>
  %5 = stablehlo.select %2, %arg1, %4 : tensor<8xi1>, tensor<8xi64>
  %6 = stablehlo.constant dense<8> : tensor<i64>
  %7 = stablehlo.constant dense<1000> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<8xi64>
  %9 = stablehlo.compare GE, %5, %8 : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
  %10 = stablehlo.constant dense<0> : tensor<i64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i64>) -> tensor<8xi64>
  %12 = stablehlo.compare LT, %5, %11 : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
  %13 = stablehlo.or %12, %9 : tensor<8xi1>
  %14 = stablehlo.iota dim = 0 : tensor<8xi64>
  %15 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<8xi64>
  %16 = stablehlo.select %13, %14, %15 : tensor<8xi1>, tensor<8xi64>
  %17 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.minimum across dimensions = [0] : (tensor<8xi64>, tensor<i64>) -> tensor<i64>
  %19 = stablehlo.constant dense<7> : tensor<i64>
  %20 = stablehlo.minimum %18, %19 : tensor<i64>
  %21 = stablehlo.compare LT, %18, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %22 = stablehlo.convert %21 : (tensor<i1>) -> tensor<i64>
  %23 = stablehlo.reshape %22 : (tensor<i64>) -> tensor<1xi64>
  %24 = stablehlo.dynamic_slice %5, %20, sizes = [1] : (tensor<8xi64>, tensor<i64>) -> tensor<1xi64>
  %25 = stablehlo.convert %2 : (tensor<8xi1>) -> tensor<8xf32>
  %26 = stablehlo.reshape %5 : (tensor<8xi64>) -> tensor<8x1xi64>
  %27 = "stablehlo.gather"(%arg0, %26) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x1000xf32>, tensor<8x1xi64>) -> tensor<8x1xf32>
  %28 = stablehlo.reshape %27 : (tensor<8x1xf32>) -> tensor<8xf32>
  %29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %30 = stablehlo.multiply %28, %25 : tensor<8xf32>
  %31 = stablehlo.negate %30 : tensor<8xf32>
  %32 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %33 = stablehlo.select %2, %31, %32 : tensor<8xi1>, tensor<8xf32>
  %34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %35 = stablehlo.reduce(%25 init: %34) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %37 = stablehlo.reduce(%33 init: %36) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %38 = stablehlo.divide %37, %35 : tensor<f32>
  %39 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %38, %35, %39 : tensor<f32>, tensor<f32>, tensor<2xi64>
}
// -----
// compiled for nll_loss_backward.grad_input
func.func @main(%arg0: tensor<8x1000xf32>, %arg1: tensor<8xi64>, %arg2: tensor<f32>, %arg3: tensor<f32>) -> (tensor<8x1000xf32>, tensor<2xi64>) {
  %0 = stablehlo.constant dense<-100> : tensor<i64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<8xi64>
  %2 = stablehlo.compare NE, %arg1, %1 : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
  %3 = stablehlo.constant dense<0> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<8xi64>
  %5 = stablehlo.select %2, %arg1, %4 : tensor<8xi1>, tensor<8xi64>
  %6 = stablehlo.constant dense<8> : tensor<i64>
  %7 = stablehlo.constant dense<1000> : tensor<i64>
  %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i64>) -> tensor<8xi64>
  %9 = stablehlo.compare GE, %5, %8 : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
  %10 = stablehlo.constant dense<0> : tensor<i64>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i64>) -> tensor<8xi64>
  %12 = stablehlo.compare LT, %5, %11 : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
  %13 = stablehlo.or %12, %9 : tensor<8xi1>
  %14 = stablehlo.iota dim = 0 : tensor<8xi64>
  %15 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<8xi64>
  %16 = stablehlo.select %13, %14, %15 : tensor<8xi1>, tensor<8xi64>
  %17 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.minimum across dimensions = [0] : (tensor<8xi64>, tensor<i64>) -> tensor<i64>
  %19 = stablehlo.constant dense<7> : tensor<i64>
  %20 = stablehlo.minimum %18, %19 : tensor<i64>
  %21 = stablehlo.compare LT, %18, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %22 = stablehlo.convert %21 : (tensor<i1>) -> tensor<i64>
  %23 = stablehlo.reshape %22 : (tensor<i64>) -> tensor<1xi64>
  %24 = stablehlo.dynamic_slice %5, %20, sizes = [1] : (tensor<8xi64>, tensor<i64>) -> tensor<1xi64>
  %25 = stablehlo.convert %2 : (tensor<8xi1>) -> tensor<8xf32>
  %26 = stablehlo.divide %arg2, %arg3 : tensor<f32>
  %27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %28 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %29 = stablehlo.multiply %25, %28 : tensor<8xf32>
  %30 = stablehlo.negate %29 : tensor<8xf32>
  %31 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %32 = stablehlo.select %2, %30, %31 : tensor<8xi1>, tensor<8xf32>
  %33 = stablehlo.reshape %5 : (tensor<8xi64>) -> tensor<8x1xi64>
  %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<8x1xi64>) -> tensor<8x1000xi64>
  %35 = stablehlo.iota dim = 1 : tensor<8x1000xi64>
  %36 = stablehlo.compare EQ, %35, %34 : (tensor<8x1000xi64>, tensor<8x1000xi64>) -> tensor<8x1000xi1>
  %37 = stablehlo.reshape %32 : (tensor<8xf32>) -> tensor<8x1xf32>
  %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x1000xf32>
  %39 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<8x1000xf32>
  %40 = stablehlo.select %36, %38, %39 : tensor<8x1000xi1>, tensor<8x1000xf32>
  %41 = stablehlo.concatenate %23, %24, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %40, %41 : tensor<8x1000xf32>, tensor<2xi64>
}
// -----
// compiled for _log_softmax_backward_data.out
func.func @main(%arg0: tensor<8x1000xf32>, %arg1: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<8x1000xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<8x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x1000xf32>
  %4 = stablehlo.exponential %arg1 : tensor<8x1000xf32>
  %5 = stablehlo.multiply %4, %3 : tensor<8x1000xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<8x1000xf32>
  return %6 : tensor<8x1000xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x1000xf32>, %arg1: tensor<64x1000xf32>) -> tensor<8x64xf32> {
  %0 = stablehlo.reshape %arg1 : (tensor<64x1000xf32>) -> tensor<64000xf32>
  %1 = stablehlo.reshape %0 : (tensor<64000xf32>) -> tensor<1000x64xf32>
  %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x1000xf32>, tensor<1000x64xf32>) -> tensor<8x64xf32>
  return %2 : tensor<8x64xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x1000xf32>, %arg1: tensor<8x64x1x1xf32>) -> tensor<1000x64xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x1000xf32>) -> tensor<8000xf32>
  %1 = stablehlo.reshape %0 : (tensor<8000xf32>) -> tensor<8x1000xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x1000xf32>) -> tensor<1000x8xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<8x64x1x1xf32>) -> tensor<512xf32>
  %4 = stablehlo.reshape %3 : (tensor<512xf32>) -> tensor<8x64xf32>
  %5 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1000x8xf32>, tensor<8x64xf32>) -> tensor<1000x64xf32>
  return %5 : tensor<1000x64xf32>
}
// -----
// compiled for sum.IntList_out
func.func @main(%arg0: tensor<8x1000xf32>) -> tensor<1x1000xf32> {
  %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<8x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %2 = stablehlo.reshape %1 : (tensor<1000xf32>) -> tensor<1x1000xf32>
  return %2 : tensor<1x1000xf32>
}
// -----
// compiled for div.out
func.func @main(%arg0: tensor<8x64xf32>, %arg1: tensor<i64>) -> tensor<8x64x56x56xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64xf32>) -> tensor<512xf32>
  %1 = stablehlo.reshape %0 : (tensor<512xf32>) -> tensor<8x64xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x56x56xf32>
  %3 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x64x56x56xf32>
  %5 = stablehlo.divide %2, %4 : tensor<8x64x56x56xf32>
  return %5 : tensor<8x64x56x56xf32>
}
// -----
// compiled for threshold_backward.grad_input
func.func @main(%arg0: tensor<8x64x56x56xf32>, %arg1: tensor<8x64x56x56xf32>, %arg2: tensor<f32>) -> tensor<8x64x56x56xf32> {
  %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x64x56x56xf32>
  %1 = stablehlo.compare LE, %arg1, %0 : (tensor<8x64x56x56xf32>, tensor<8x64x56x56xf32>) -> tensor<8x64x56x56xi1>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x64x56x56xf32>
  %4 = stablehlo.select %1, %3, %arg0 : tensor<8x64x56x56xi1>, tensor<8x64x56x56xf32>
  return %4 : tensor<8x64x56x56xf32>
}
// -----
// compiled for native_batch_norm_backward
func.func @main(%arg0: tensor<8x64x56x56xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<8x64x56x56xf32>, %arg4: tensor<64xf32>) -> (tensor<8x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %1 = stablehlo.subtract %arg0, %0 : tensor<8x64x56x56xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%arg3 init: %2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x64x56x56xf32>, tensor<f32>) -> tensor<64xf32>
  %4 = stablehlo.multiply %arg3, %1 : tensor<8x64x56x56xf32>
  %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x64x56x56xf32>, tensor<f32>) -> tensor<64xf32>
  %7 = stablehlo.multiply %arg2, %arg4 : tensor<64xf32>
  %8 = stablehlo.multiply %arg2, %arg2 : tensor<64xf32>
  %9 = stablehlo.multiply %6, %8 : tensor<64xf32>
  %10 = stablehlo.constant dense<3.9859693e-05> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %12 = stablehlo.multiply %9, %11 : tensor<64xf32>
  %13 = stablehlo.constant dense<3.9859693e-05> : tensor<f32>
  %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %15 = stablehlo.multiply %3, %14 : tensor<64xf32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %17 = stablehlo.subtract %arg3, %16 : tensor<8x64x56x56xf32>
  %18 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %19 = stablehlo.multiply %1, %18 : tensor<8x64x56x56xf32>
  %20 = stablehlo.subtract %17, %19 : tensor<8x64x56x56xf32>
  %21 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %22 = stablehlo.multiply %20, %21 : tensor<8x64x56x56xf32>
  %23 = stablehlo.multiply %6, %arg2 : tensor<64xf32>
  return %22, %23, %3 : tensor<8x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for convolution_backward_overrideable
func.func @main(%arg0: tensor<8x64x56x56xf32>, %arg1: tensor<8x64x56x56xf32>, %arg2: tensor<64x64x3x3xf32>) -> (tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32>
  %1 = stablehlo.convolution(%arg1, %arg0) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<8x64x56x56xf32>, tensor<8x64x56x56xf32>) -> tensor<64x64x3x3xf32>
  return %0, %1 : tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>
}
// -----
// compiled for add.out
func.func @main(%arg0: tensor<8x64x56x56xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x64x56x56xf32>) -> tensor<8x64x56x56xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x64x56x56xf32>
  return %0 : tensor<8x64x56x56xf32>
}
// -----
// compiled for max_pool2d_with_indices_backward.grad_input
func.func @main(%arg0: tensor<8x64x56x56xf32>, %arg1: tensor<8x64x112x112xf32>, %arg2: tensor<8x64x56x56xi64>) -> (tensor<8x64x112x112xf32>, tensor<2xi64>) {
  %0 = stablehlo.reshape %arg2 : (tensor<8x64x56x56xi64>) -> tensor<512x3136xi64>
  %1 = stablehlo.reshape %0 : (tensor<512x3136xi64>) -> tensor<1605632xi64>
  %2 = stablehlo.constant dense<1605632> : tensor<i64>
  %3 = stablehlo.constant dense<12544> : tensor<i64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<1605632xi64>
  %5 = stablehlo.compare GE, %1, %4 : (tensor<1605632xi64>, tensor<1605632xi64>) -> tensor<1605632xi1>
  %6 = stablehlo.constant dense<0> : tensor<i64>
  %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i64>) -> tensor<1605632xi64>
  %8 = stablehlo.compare LT, %1, %7 : (tensor<1605632xi64>, tensor<1605632xi64>) -> tensor<1605632xi1>
  %9 = stablehlo.or %8, %5 : tensor<1605632xi1>
  %10 = stablehlo.iota dim = 0 : tensor<1605632xi64>
  %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i64>) -> tensor<1605632xi64>
  %12 = stablehlo.select %9, %10, %11 : tensor<1605632xi1>, tensor<1605632xi64>
  %13 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %14 = stablehlo.reduce(%12 init: %13) applies stablehlo.minimum across dimensions = [0] : (tensor<1605632xi64>, tensor<i64>) -> tensor<i64>
  %15 = stablehlo.constant dense<1605631> : tensor<i64>
  %16 = stablehlo.minimum %14, %15 : tensor<i64>
  %17 = stablehlo.compare LT, %14, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %18 = stablehlo.convert %17 : (tensor<i1>) -> tensor<i64>
  %19 = stablehlo.reshape %18 : (tensor<i64>) -> tensor<1xi64>
  %20 = stablehlo.dynamic_slice %1, %16, sizes = [1] : (tensor<1605632xi64>, tensor<i64>) -> tensor<1xi64>
  %21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f32>) -> tensor<512x12544xf32>
  %23 = stablehlo.reshape %arg0 : (tensor<8x64x56x56xf32>) -> tensor<512x3136xf32>
  %24 = "stablehlo.scatter"(%22, %0, %23) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %25 = stablehlo.add %arg3, %arg4 : tensor<f32>
    stablehlo.return %25 : tensor<f32>
  }) : (tensor<512x12544xf32>, tensor<512x3136xi64>, tensor<512x3136xf32>) -> tensor<512x12544xf32>
  %26 = stablehlo.reshape %24 : (tensor<512x12544xf32>) -> tensor<8x64x112x112xf32>
  %27 = stablehlo.concatenate %19, %20, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %26, %27 : tensor<8x64x112x112xf32>, tensor<2xi64>
}
// -----
// compiled for threshold_backward.grad_input
func.func @main(%arg0: tensor<8x64x112x112xf32>, %arg1: tensor<8x64x112x112xf32>, %arg2: tensor<f32>) -> tensor<8x64x112x112xf32> {
  %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x64x112x112xf32>
  %1 = stablehlo.compare LE, %arg1, %0 : (tensor<8x64x112x112xf32>, tensor<8x64x112x112xf32>) -> tensor<8x64x112x112xi1>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x64x112x112xf32>
  %4 = stablehlo.select %1, %3, %arg0 : tensor<8x64x112x112xi1>, tensor<8x64x112x112xf32>
  return %4 : tensor<8x64x112x112xf32>
}
// -----
// compiled for native_batch_norm_backward
func.func @main(%arg0: tensor<8x64x112x112xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<8x64x112x112xf32>, %arg4: tensor<64xf32>) -> (tensor<8x64x112x112xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %1 = stablehlo.subtract %arg0, %0 : tensor<8x64x112x112xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%arg3 init: %2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x64x112x112xf32>, tensor<f32>) -> tensor<64xf32>
  %4 = stablehlo.multiply %arg3, %1 : tensor<8x64x112x112xf32>
  %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x64x112x112xf32>, tensor<f32>) -> tensor<64xf32>
  %7 = stablehlo.multiply %arg2, %arg4 : tensor<64xf32>
  %8 = stablehlo.multiply %arg2, %arg2 : tensor<64xf32>
  %9 = stablehlo.multiply %6, %8 : tensor<64xf32>
  %10 = stablehlo.constant dense<9.964923e-06> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %12 = stablehlo.multiply %9, %11 : tensor<64xf32>
  %13 = stablehlo.constant dense<9.964923e-06> : tensor<f32>
  %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %15 = stablehlo.multiply %3, %14 : tensor<64xf32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %17 = stablehlo.subtract %arg3, %16 : tensor<8x64x112x112xf32>
  %18 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %19 = stablehlo.multiply %1, %18 : tensor<8x64x112x112xf32>
  %20 = stablehlo.subtract %17, %19 : tensor<8x64x112x112xf32>
  %21 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %22 = stablehlo.multiply %20, %21 : tensor<8x64x112x112xf32>
  %23 = stablehlo.multiply %6, %arg2 : tensor<64xf32>
  return %22, %23, %3 : tensor<8x64x112x112xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for convolution_backward_overrideable
func.func @main(%arg0: tensor<8x64x112x112xf32>, %arg1: tensor<8x3x224x224xf32>, %arg2: tensor<64x3x7x7xf32>) -> tensor<64x3x7x7xf32> {
  %0 = stablehlo.convolution(%arg1, %arg0) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[3, 2], [3, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<8x3x224x224xf32>, tensor<8x64x112x112xf32>) -> tensor<64x3x7x7xf32>
  return %0 : tensor<64x3x7x7xf32>
}
// -----
// compiled for _foreach_norm.Scalar
func.func @main(%arg0: tensor<64x3x7x7xf32>, %arg1: tensor<1000x64xf32>, %arg2: tensor<1x1000xf32>, %arg3: tensor<64x64x3x3xf32>, %arg4: tensor<64x64x3x3xf32>, %arg5: tensor<64xf32>, %arg6: tensor<64xf32>, %arg7: tensor<64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64xf32>, %arg10: tensor<64xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.reshape %arg2 : (tensor<1x1000xf32>) -> tensor<1000xf32>
  %1 = stablehlo.multiply %arg0, %arg0 : tensor<64x3x7x7xf32>
  %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<64x3x7x7xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.sqrt %3 : tensor<f32>
  %5 = stablehlo.multiply %arg1, %arg1 : tensor<1000x64xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [0, 1] : (tensor<1000x64xf32>, tensor<f32>) -> tensor<f32>
  %8 = stablehlo.sqrt %7 : tensor<f32>
  %9 = stablehlo.multiply %0, %0 : tensor<1000xf32>
  %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %11 = stablehlo.reduce(%9 init: %10) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
  %12 = stablehlo.sqrt %11 : tensor<f32>
  %13 = stablehlo.multiply %arg3, %arg3 : tensor<64x64x3x3xf32>
  %14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<64x64x3x3xf32>, tensor<f32>) -> tensor<f32>
  %16 = stablehlo.sqrt %15 : tensor<f32>
  %17 = stablehlo.multiply %arg4, %arg4 : tensor<64x64x3x3xf32>
  %18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %19 = stablehlo.reduce(%17 init: %18) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<64x64x3x3xf32>, tensor<f32>) -> tensor<f32>
  %20 = stablehlo.sqrt %19 : tensor<f32>
  %21 = stablehlo.multiply %arg5, %arg5 : tensor<64xf32>
  %22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %23 = stablehlo.reduce(%21 init: %22) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %24 = stablehlo.sqrt %23 : tensor<f32>
  %25 = stablehlo.multiply %arg6, %arg6 : tensor<64xf32>
  %26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %27 = stablehlo.reduce(%25 init: %26) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %28 = stablehlo.sqrt %27 : tensor<f32>
  %29 = stablehlo.multiply %arg7, %arg7 : tensor<64xf32>
  %30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %31 = stablehlo.reduce(%29 init: %30) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %32 = stablehlo.sqrt %31 : tensor<f32>
  %33 = stablehlo.multiply %arg8, %arg8 : tensor<64xf32>
  %34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %35 = stablehlo.reduce(%33 init: %34) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %36 = stablehlo.sqrt %35 : tensor<f32>
  %37 = stablehlo.multiply %arg9, %arg9 : tensor<64xf32>
  %38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %39 = stablehlo.reduce(%37 init: %38) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %40 = stablehlo.sqrt %39 : tensor<f32>
  %41 = stablehlo.multiply %arg10, %arg10 : tensor<64xf32>
  %42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %43 = stablehlo.reduce(%41 init: %42) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %44 = stablehlo.sqrt %43 : tensor<f32>
  return %4, %8, %12, %16, %20, %24, %28, %32, %36, %40, %44 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
// -----
// compiled for cat.out
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>, %arg9: tensor<f32>, %arg10: tensor<f32>) -> tensor<11xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<f32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
  %3 = stablehlo.reshape %arg1 : (tensor<f32>) -> tensor<1xf32>
  %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
  %5 = stablehlo.reshape %4 : (tensor<f32>) -> tensor<1xf32>
  %6 = stablehlo.reshape %arg2 : (tensor<f32>) -> tensor<1xf32>
  %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
  %8 = stablehlo.reshape %7 : (tensor<f32>) -> tensor<1xf32>
  %9 = stablehlo.reshape %arg3 : (tensor<f32>) -> tensor<1xf32>
  %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
  %11 = stablehlo.reshape %10 : (tensor<f32>) -> tensor<1xf32>
  %12 = stablehlo.reshape %arg4 : (tensor<f32>) -> tensor<1xf32>
  %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
  %14 = stablehlo.reshape %13 : (tensor<f32>) -> tensor<1xf32>
  %15 = stablehlo.reshape %arg5 : (tensor<f32>) -> tensor<1xf32>
  %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
  %17 = stablehlo.reshape %16 : (tensor<f32>) -> tensor<1xf32>
  %18 = stablehlo.reshape %arg6 : (tensor<f32>) -> tensor<1xf32>
  %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
  %20 = stablehlo.reshape %19 : (tensor<f32>) -> tensor<1xf32>
  %21 = stablehlo.reshape %arg7 : (tensor<f32>) -> tensor<1xf32>
  %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
  %23 = stablehlo.reshape %22 : (tensor<f32>) -> tensor<1xf32>
  %24 = stablehlo.reshape %arg8 : (tensor<f32>) -> tensor<1xf32>
  %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
  %26 = stablehlo.reshape %25 : (tensor<f32>) -> tensor<1xf32>
  %27 = stablehlo.reshape %arg9 : (tensor<f32>) -> tensor<1xf32>
  %28 = stablehlo.reshape %27 : (tensor<1xf32>) -> tensor<f32>
  %29 = stablehlo.reshape %28 : (tensor<f32>) -> tensor<1xf32>
  %30 = stablehlo.reshape %arg10 : (tensor<f32>) -> tensor<1xf32>
  %31 = stablehlo.reshape %30 : (tensor<1xf32>) -> tensor<f32>
  %32 = stablehlo.reshape %31 : (tensor<f32>) -> tensor<1xf32>
  %33 = stablehlo.concatenate %2, %5, %8, %11, %14, %17, %20, %23, %26, %29, %32, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<11xf32>
  return %33 : tensor<11xf32>
}
// -----
// compiled for linalg_vector_norm.out
func.func @main(%arg0: tensor<11xf32>) -> tensor<f32> {
  %0 = stablehlo.multiply %arg0, %arg0 : tensor<11xf32>
  %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.sqrt %2 : tensor<f32>
  return %3 : tensor<f32>
}
// -----
// compiled for _foreach_mul_.Tensor
func.func @main(%arg0: tensor<64x3x7x7xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<f32>, %arg2: tensor<1000x64xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<1x1000xf32>, %arg4: tensor<64x64x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg5: tensor<64x64x3x3xf32> {tf.aliasing_output = 4 : i32}, %arg6: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg7: tensor<64xf32> {tf.aliasing_output = 6 : i32}, %arg8: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg9: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg10: tensor<64xf32> {tf.aliasing_output = 9 : i32}, %arg11: tensor<64xf32> {tf.aliasing_output = 10 : i32}) -> (tensor<64x3x7x7xf32>, tensor<1000x64xf32>, tensor<1000xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.reshape %arg3 : (tensor<1x1000xf32>) -> tensor<1000xf32>
  %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64x3x7x7xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<64x3x7x7xf32>
  %3 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1000x64xf32>
  %4 = stablehlo.multiply %arg2, %3 : tensor<1000x64xf32>
  %5 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1000xf32>
  %6 = stablehlo.multiply %0, %5 : tensor<1000xf32>
  %7 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %8 = stablehlo.multiply %arg4, %7 : tensor<64x64x3x3xf32>
  %9 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %10 = stablehlo.multiply %arg5, %9 : tensor<64x64x3x3xf32>
  %11 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %12 = stablehlo.multiply %arg6, %11 : tensor<64xf32>
  %13 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %14 = stablehlo.multiply %arg7, %13 : tensor<64xf32>
  %15 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %16 = stablehlo.multiply %arg8, %15 : tensor<64xf32>
  %17 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %18 = stablehlo.multiply %arg9, %17 : tensor<64xf32>
  %19 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %20 = stablehlo.multiply %arg10, %19 : tensor<64xf32>
  %21 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %22 = stablehlo.multiply %arg11, %21 : tensor<64xf32>
  return %2, %4, %6, %8, %10, %12, %14, %16, %18, %20, %22 : tensor<64x3x7x7xf32>, tensor<1000x64xf32>, tensor<1000xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<64x3x7x7xf32>) -> tensor<64x3x7x7xf32> {
  return %arg0 : tensor<64x3x7x7xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1000x64xf32>) -> tensor<1000x64xf32> {
  return %arg0 : tensor<1000x64xf32>
}
// -----
// compiled for _copy_from
func.func @main(%arg0: tensor<1000xf32>) -> tensor<1000xf32> {
  return %arg0 : tensor<1000xf32>
}
// -----
// compiled for _foreach_add_.List
func.func @main(%arg0: tensor<64x3x7x7xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64x3x7x7xf32>, %arg2: tensor<64x1000xf32>, %arg3: tensor<1000x64xf32>, %arg4: tensor<1000xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<1000xf32>, %arg6: tensor<64x64x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<64x64x3x3xf32>, %arg8: tensor<64x64x3x3xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<64x64x3x3xf32>, %arg10: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<64xf32>, %arg12: tensor<64xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<64xf32>, %arg14: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<64xf32>, %arg16: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<64xf32>, %arg18: tensor<64xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<64xf32>, %arg20: tensor<64xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<64xf32>, %arg22: tensor<f32>) -> (tensor<64x3x7x7xf32>, tensor<1000x64xf32>, tensor<1000xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.reshape %arg2 : (tensor<64x1000xf32>) -> tensor<64000xf32>
  %1 = stablehlo.reshape %0 : (tensor<64000xf32>) -> tensor<1000x64xf32>
  %2 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64x3x7x7xf32>
  %3 = stablehlo.multiply %arg1, %2 : tensor<64x3x7x7xf32>
  %4 = stablehlo.add %arg0, %3 : tensor<64x3x7x7xf32>
  %5 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<1000x64xf32>
  %6 = stablehlo.multiply %arg3, %5 : tensor<1000x64xf32>
  %7 = stablehlo.add %1, %6 : tensor<1000x64xf32>
  %8 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<1000xf32>
  %9 = stablehlo.multiply %arg5, %8 : tensor<1000xf32>
  %10 = stablehlo.add %arg4, %9 : tensor<1000xf32>
  %11 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %12 = stablehlo.multiply %arg7, %11 : tensor<64x64x3x3xf32>
  %13 = stablehlo.add %arg6, %12 : tensor<64x64x3x3xf32>
  %14 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %15 = stablehlo.multiply %arg9, %14 : tensor<64x64x3x3xf32>
  %16 = stablehlo.add %arg8, %15 : tensor<64x64x3x3xf32>
  %17 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %18 = stablehlo.multiply %arg11, %17 : tensor<64xf32>
  %19 = stablehlo.add %arg10, %18 : tensor<64xf32>
  %20 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %21 = stablehlo.multiply %arg13, %20 : tensor<64xf32>
  %22 = stablehlo.add %arg12, %21 : tensor<64xf32>
  %23 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %24 = stablehlo.multiply %arg15, %23 : tensor<64xf32>
  %25 = stablehlo.add %arg14, %24 : tensor<64xf32>
  %26 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %27 = stablehlo.multiply %arg17, %26 : tensor<64xf32>
  %28 = stablehlo.add %arg16, %27 : tensor<64xf32>
  %29 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %30 = stablehlo.multiply %arg19, %29 : tensor<64xf32>
  %31 = stablehlo.add %arg18, %30 : tensor<64xf32>
  %32 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %33 = stablehlo.multiply %arg21, %32 : tensor<64xf32>
  %34 = stablehlo.add %arg20, %33 : tensor<64xf32>
  return %4, %7, %10, %13, %16, %19, %22, %25, %28, %31, %34 : tensor<64x3x7x7xf32>, tensor<1000x64xf32>, tensor<1000xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for addmm.out
func.func @main(%arg0: tensor<8x64x1x1xf32>, %arg1: tensor<1000x64xf32>, %arg2: tensor<1000xf32>) -> tensor<8x1000xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<8x64x1x1xf32>) -> tensor<512xf32>
  %1 = stablehlo.reshape %0 : (tensor<512xf32>) -> tensor<8x64xf32>
  %2 = stablehlo.reshape %arg1 : (tensor<1000x64xf32>) -> tensor<64000xf32>
  %3 = stablehlo.reshape %2 : (tensor<64000xf32>) -> tensor<1000x64xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<1000x64xf32>) -> tensor<64x1000xf32>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x64xf32>, tensor<64x1000xf32>) -> tensor<8x1000xf32>
  %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<1000xf32>) -> tensor<8x1000xf32>
  %7 = stablehlo.add %5, %6 : tensor<8x1000xf32>
  return %7 : tensor<8x1000xf32>
}
// -----
// compiled for mm.out
func.func @main(%arg0: tensor<8x1000xf32>, %arg1: tensor<1000x64xf32>) -> tensor<8x64xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x1000xf32>, tensor<1000x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
// -----
// compiled for _foreach_mul_.Scalar
func.func @main(%arg0: tensor<64x3x7x7xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<1000x64xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<1000xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<64x64x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<64x64x3x3xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<64xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<64xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<64xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<f32>) -> (tensor<64x3x7x7xf32>, tensor<1000x64xf32>, tensor<1000xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<64x3x7x7xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<64x3x7x7xf32>
  %2 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<1000x64xf32>
  %3 = stablehlo.multiply %arg1, %2 : tensor<1000x64xf32>
  %4 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<1000xf32>
  %5 = stablehlo.multiply %arg2, %4 : tensor<1000xf32>
  %6 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %7 = stablehlo.multiply %arg3, %6 : tensor<64x64x3x3xf32>
  %8 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %9 = stablehlo.multiply %arg4, %8 : tensor<64x64x3x3xf32>
  %10 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %11 = stablehlo.multiply %arg5, %10 : tensor<64xf32>
  %12 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %13 = stablehlo.multiply %arg6, %12 : tensor<64xf32>
  %14 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %15 = stablehlo.multiply %arg7, %14 : tensor<64xf32>
  %16 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %17 = stablehlo.multiply %arg8, %16 : tensor<64xf32>
  %18 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %19 = stablehlo.multiply %arg9, %18 : tensor<64xf32>
  %20 = stablehlo.broadcast_in_dim %arg11, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %21 = stablehlo.multiply %arg10, %20 : tensor<64xf32>
  return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21 : tensor<64x3x7x7xf32>, tensor<1000x64xf32>, tensor<1000xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for _foreach_add_.List
func.func @main(%arg0: tensor<64x3x7x7xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64x3x7x7xf32>, %arg2: tensor<1000x64xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<1000x64xf32>, %arg4: tensor<1000xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<1000xf32>, %arg6: tensor<64x64x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<64x64x3x3xf32>, %arg8: tensor<64x64x3x3xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<64x64x3x3xf32>, %arg10: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<64xf32>, %arg12: tensor<64xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<64xf32>, %arg14: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<64xf32>, %arg16: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<64xf32>, %arg18: tensor<64xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<64xf32>, %arg20: tensor<64xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<64xf32>) -> (tensor<64x3x7x7xf32>, tensor<1000x64xf32>, tensor<1000xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<64x3x7x7xf32>
  %1 = stablehlo.add %arg2, %arg3 : tensor<1000x64xf32>
  %2 = stablehlo.add %arg4, %arg5 : tensor<1000xf32>
  %3 = stablehlo.add %arg6, %arg7 : tensor<64x64x3x3xf32>
  %4 = stablehlo.add %arg8, %arg9 : tensor<64x64x3x3xf32>
  %5 = stablehlo.add %arg10, %arg11 : tensor<64xf32>
  %6 = stablehlo.add %arg12, %arg13 : tensor<64xf32>
  %7 = stablehlo.add %arg14, %arg15 : tensor<64xf32>
  %8 = stablehlo.add %arg16, %arg17 : tensor<64xf32>
  %9 = stablehlo.add %arg18, %arg19 : tensor<64xf32>
  %10 = stablehlo.add %arg20, %arg21 : tensor<64xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<64x3x7x7xf32>, tensor<1000x64xf32>, tensor<1000xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for _foreach_add_.List
func.func @main(%arg0: tensor<64x3x7x7xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64x3x7x7xf32>, %arg2: tensor<1000x64xf32> {tf.aliasing_output = 1 : i32}, %arg3: tensor<1000x64xf32>, %arg4: tensor<1000xf32> {tf.aliasing_output = 2 : i32}, %arg5: tensor<1000xf32>, %arg6: tensor<64x64x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg7: tensor<64x64x3x3xf32>, %arg8: tensor<64x64x3x3xf32> {tf.aliasing_output = 4 : i32}, %arg9: tensor<64x64x3x3xf32>, %arg10: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg11: tensor<64xf32>, %arg12: tensor<64xf32> {tf.aliasing_output = 6 : i32}, %arg13: tensor<64xf32>, %arg14: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg15: tensor<64xf32>, %arg16: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg17: tensor<64xf32>, %arg18: tensor<64xf32> {tf.aliasing_output = 9 : i32}, %arg19: tensor<64xf32>, %arg20: tensor<64xf32> {tf.aliasing_output = 10 : i32}, %arg21: tensor<64xf32>, %arg22: tensor<f32>) -> (tensor<64x3x7x7xf32>, tensor<1000x64xf32>, tensor<1000xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64x3x7x7xf32>
  %1 = stablehlo.multiply %arg1, %0 : tensor<64x3x7x7xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<64x3x7x7xf32>
  %3 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<1000x64xf32>
  %4 = stablehlo.multiply %arg3, %3 : tensor<1000x64xf32>
  %5 = stablehlo.add %arg2, %4 : tensor<1000x64xf32>
  %6 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<1000xf32>
  %7 = stablehlo.multiply %arg5, %6 : tensor<1000xf32>
  %8 = stablehlo.add %arg4, %7 : tensor<1000xf32>
  %9 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %10 = stablehlo.multiply %arg7, %9 : tensor<64x64x3x3xf32>
  %11 = stablehlo.add %arg6, %10 : tensor<64x64x3x3xf32>
  %12 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64x64x3x3xf32>
  %13 = stablehlo.multiply %arg9, %12 : tensor<64x64x3x3xf32>
  %14 = stablehlo.add %arg8, %13 : tensor<64x64x3x3xf32>
  %15 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %16 = stablehlo.multiply %arg11, %15 : tensor<64xf32>
  %17 = stablehlo.add %arg10, %16 : tensor<64xf32>
  %18 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %19 = stablehlo.multiply %arg13, %18 : tensor<64xf32>
  %20 = stablehlo.add %arg12, %19 : tensor<64xf32>
  %21 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %22 = stablehlo.multiply %arg15, %21 : tensor<64xf32>
  %23 = stablehlo.add %arg14, %22 : tensor<64xf32>
  %24 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %25 = stablehlo.multiply %arg17, %24 : tensor<64xf32>
  %26 = stablehlo.add %arg16, %25 : tensor<64xf32>
  %27 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %28 = stablehlo.multiply %arg19, %27 : tensor<64xf32>
  %29 = stablehlo.add %arg18, %28 : tensor<64xf32>
  %30 = stablehlo.broadcast_in_dim %arg22, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %31 = stablehlo.multiply %arg21, %30 : tensor<64xf32>
  %32 = stablehlo.add %arg20, %31 : tensor<64xf32>
  return %2, %5, %8, %11, %14, %17, %20, %23, %26, %29, %32 : tensor<64x3x7x7xf32>, tensor<1000x64xf32>, tensor<1000xf32>, tensor<64x64x3x3xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
// -----
// compiled for native_batch_norm
func.func @main(%arg0: tensor<8x64x112x112xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<f32>) -> tensor<8x64x112x112xf32> {
  %0 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.add %arg2, %0 : tensor<64xf32>
  %2 = stablehlo.rsqrt %1 : tensor<64xf32>
  %3 = stablehlo.multiply %2, %arg3 : tensor<64xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %5 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<8x64x112x112xf32>
  %7 = stablehlo.multiply %6, %4 : tensor<8x64x112x112xf32>
  %8 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<64xf32>) -> tensor<8x64x112x112xf32>
  %9 = stablehlo.add %7, %8 : tensor<8x64x112x112xf32>
  %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return %9 : tensor<8x64x112x112xf32>
}
// -----
// compiled for native_batch_norm
func.func @main(%arg0: tensor<8x64x56x56xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<f32>) -> tensor<8x64x56x56xf32> {
  %0 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.add %arg2, %0 : tensor<64xf32>
  %2 = stablehlo.rsqrt %1 : tensor<64xf32>
  %3 = stablehlo.multiply %2, %arg3 : tensor<64xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %5 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %6 = stablehlo.subtract %arg0, %5 : tensor<8x64x56x56xf32>
  %7 = stablehlo.multiply %6, %4 : tensor<8x64x56x56xf32>
  %8 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<64xf32>) -> tensor<8x64x56x56xf32>
  %9 = stablehlo.add %7, %8 : tensor<8x64x56x56xf32>
  %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<0xf32>
  return %9 : tensor<8x64x56x56xf32>
}
// -----
// compiled for _softmax.out
func.func @main(%arg0: tensor<8x1000xf32>) -> tensor<8x1000xf32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<8x1000xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<8x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x1000xf32>
  %4 = stablehlo.subtract %arg0, %3 : tensor<8x1000xf32>
  %5 = stablehlo.exponential %4 : tensor<8x1000xf32>
  %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<8x1000xf32>, tensor<f32>) -> tensor<8xf32>
  %8 = stablehlo.reshape %7 : (tensor<8xf32>) -> tensor<8x1xf32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x1000xf32>
  %10 = stablehlo.divide %5, %9 : tensor<8x1000xf32>
  return %10 : tensor<8x1000xf32>
}
// -----
// compiled for topk.values
func.func @main(%arg0: tensor<8x1000xf32>) -> (tensor<8x5xf32>, tensor<8x5xi64>) {
  %0:2 = chlo.top_k(%arg0, k = 5) : tensor<8x1000xf32> -> (tensor<8x5xf32>, tensor<8x5xi32>)
  %1 = stablehlo.convert %0#1 : (tensor<8x5xi32>) -> tensor<8x5xi64>
  return %0#0, %1 : tensor<8x5xf32>, tensor<8x5xi64>
}
// -----
