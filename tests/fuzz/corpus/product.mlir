func.func @main(%x: tensor<2x3xbf16>, %w: tensor<3x2xbf16>, %image: tensor<1x1x4x4xf32>, %kernel: tensor<1x1x3x3xf32>)
    -> (tensor<2x2xf32>, tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST]
    : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xf32>
  %1 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32>
  %zero = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = "stablehlo.reduce_window"(%1, %zero) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32>
}
