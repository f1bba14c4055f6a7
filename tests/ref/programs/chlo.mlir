// CHLO operations that no conformance program runs; expected values by numpy.

func.func @main() {
  %x = stablehlo.constant dense<[[[2.6, -1.26, -0.96]], [[4.61, -2.12, -0.27]]]> : tensor<2x1x3xf64>
  %y = stablehlo.constant dense<[[2.27], [0.2], [1.17], [-0.8]]> : tensor<4x1xf64>
  %r = "chlo.broadcast_add"(%x, %y) {} : (tensor<2x1x3xf64>, tensor<4x1xf64>) -> tensor<2x4x3xf64>
  check.expect_almost_eq_const %r, dense<[[[4.87, 1.01, 1.31], [2.8000000000000003, -1.06, -0.76], [3.77, -0.09000000000000008, 0.20999999999999996], [1.8, -2.06, -1.76]], [[6.880000000000001, 0.1499999999999999, 2.0], [4.8100000000000005, -1.9200000000000002, -0.07], [5.78, -0.9500000000000002, 0.8999999999999999], [3.8100000000000005, -2.92, -1.07]]]> : tensor<2x4x3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[0.74, -2.61, 3.32]> : tensor<3xf64>
  %y = stablehlo.constant dense<-0.24> : tensor<f64>
  %r = "chlo.broadcast_subtract"(%x, %y) {} : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  check.expect_almost_eq_const %r, dense<[0.98, -2.37, 3.5599999999999996]> : tensor<3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-1.36, 1.33]> : tensor<2xf64>
  %y = stablehlo.constant dense<[[-0.92, -2.67, -2.69], [1.39, -0.32, -0.27]]> : tensor<2x3xf64>
  %r = "chlo.broadcast_multiply"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[1.2512, 3.6312, 3.6584000000000003], [1.8487, -0.42560000000000003, -0.35910000000000003]]> : tensor<2x3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[2.16, -2.25, -1.46], [-0.77, 0.19, -0.08]]> : tensor<2x3xf64>
  %y = stablehlo.constant dense<[1.5699999999999998, 1.12]> : tensor<2xf64>
  %r = "chlo.broadcast_divide"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf64>, tensor<2xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[1.3757961783439492, -1.4331210191082804, -0.9299363057324842], [-0.6875, 0.16964285714285712, -0.07142857142857142]]> : tensor<2x3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[-0.21, -1.44, -1.63]]> : tensor<1x3xf64>
  %y = stablehlo.constant dense<[[0.55], [-1.78]]> : tensor<2x1xf64>
  %r = "chlo.broadcast_maximum"(%x, %y) {} : (tensor<1x3xf64>, tensor<2x1xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[0.55, 0.55, 0.55], [-0.21, -1.44, -1.63]]> : tensor<2x3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[2.81], [1.12]]> : tensor<2x1xf64>
  %y = stablehlo.constant dense<[-0.32, 4.51, -1.41]> : tensor<3xf64>
  %r = "chlo.broadcast_power"(%x, %y) {} : (tensor<2x1xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[0.7184788324341864, 105.60038529463066, 0.23298292263434167], [0.964384524760826, 1.6671446468073932, 0.8523198206127173]]> : tensor<2x3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[1.89], [1.49]]> : tensor<2x1xf64>
  %y = stablehlo.constant dense<[[-2.38, 1.55, -2.37]]> : tensor<1x3xf64>
  %r = "chlo.broadcast_compare"(%x, %y) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x1xf64>, tensor<1x3xf64>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [false, true, false]]> : tensor<2x3xi1>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[6, 3]> : tensor<2xi32>
  %y = stablehlo.constant dense<5> : tensor<i32>
  %r = "chlo.broadcast_and"(%x, %y) {} : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[4, 1]> : tensor<2xi32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %y = stablehlo.constant dense<[1, 2, 33]> : tensor<3xi32>
  %r = "chlo.broadcast_shift_left"(%x, %y) {} : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[2, 4, 0], [4, 8, 0]]> : tensor<2x3xi32>
  return
}

// -----

func.func @main() {
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %x = stablehlo.constant dense<[[-5.32], [1.21], [-3.51]]> : tensor<3x1xf64>
  %y = stablehlo.constant dense<[[0.9, -1.37], [3.32, 2.14], [-0.91, -1.38]]> : tensor<3x2xf64>
  %r = "chlo.broadcast_select"(%p, %x, %y) : (tensor<2xi1>, tensor<3x1xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  check.expect_almost_eq_const %r, dense<[[-5.32, -1.37], [1.21, 2.14], [-3.51, -1.38]]> : tensor<3x2xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[-2.43, -0.88], [-0.56, -0.73]]> : tensor<2x2xf64>
  %r = "chlo.constant_like"(%x) {value = 3.5 : f64} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %r, dense<[[3.5, 3.5], [3.5, 3.5]]> : tensor<2x2xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[1, 5, 2, 5], [7, 7, 0, 9]]> : tensor<2x4xi32>
  %r:2 = chlo.top_k(%x, k = 2) : tensor<2x4xi32> -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %r#0, dense<[[5, 5], [9, 7]]> : tensor<2x2xi32>
  check.expect_eq_const %r#1, dense<[[1, 3], [3, 0]]> : tensor<2x2xi32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[0.31, 1.16], [0.7, -1.53], [-2.88, 2.73], [-1.38, -1.3], [-1.04, -3.69], [-0.96, -0.96]]> : tensor<6x2xf64>
  %y = stablehlo.constant dense<[[[1.24, 1.4], [0.01, 1.86]], [[0.68, -0.03], [0.32, -0.38]], [[-0.79, -0.54], [-2.26, 0.56]]]> : tensor<3x2x2xf64>
  %g = stablehlo.constant dense<[2, 1, 2]> : tensor<3xi64>
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<6x2xf64>, tensor<3x2x2xf64>, tensor<3xi64>) -> tensor<6x2xf64>
  check.expect_almost_eq_const %r, dense<[[0.396, 2.5916], [0.8527, -1.8658000000000003], [-1.0848000000000002, -0.9510000000000001], [4.0282, 0.01719999999999988], [9.161, -1.5048000000000001], [0.0, 0.0]]> : tensor<6x2xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[[-1.99, 1.68, -0.5], [0.1, 0.99, 1.29], [-3.14, -0.41, 1.76], [-3.4, 0.77, -4.51]], [[-2.05, 0.08, -3.31], [-1.97, -2.94, 3.3], [0.33, 1.13, -0.45], [-0.71, -3.23, -0.58]]]> : tensor<2x4x3xf64>
  %y = stablehlo.constant dense<[[[[-1.52, 1.72], [2.28, 2.93], [1.71, -1.2]], [[-2.23, 1.53], [0.71, -3.54], [0.71, 1.63]]], [[[0.12, -0.37], [-1.62, -2.89], [1.6, -0.62]], [[-0.47, 3.47], [1.37, 0.74], [0.28, 3.04]]]]> : tensor<2x2x3x2xf64>
  %g = stablehlo.constant dense<[[1, 3], [2, 1]]> : tensor<2x2xi64>
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<2x4x3xf64>, tensor<2x2x3x2xf64>, tensor<2x2xi64>) -> tensor<2x4x2xf64>
  check.expect_almost_eq_const %r, dense<[[[6.0001999999999995, 2.0996], [0.47220000000000006, -3.6978999999999997], [3.1034, 1.2554999999999998], [-8.8714, 1.8288999999999997]], [[2.2781999999999996, -8.815], [4.6487, 12.772499999999999], [1.267, 0.6133], [0.0, 0.0]]]> : tensor<2x4x2xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[3.44, 1.86, 1.16, -4.19, 0.25], [-0.26, 0.19, 1.89, -5.48, -1.14], [0.54, -0.93, -2.83, 1.74, 0.55]]> : tensor<3x5xf64>
  %y = stablehlo.constant dense<[[-1.94, 0.63], [1.64, 0.01], [1.6, 0.16], [-0.79, -2.32], [-0.17, 0.39]]> : tensor<5x2xf64>
  %g = stablehlo.constant dense<[2, 0, 3]> : tensor<3xi32>
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<3x5xf64>, tensor<5x2xf64>, tensor<3xi32>) -> tensor<3x3x2xf64>
  check.expect_almost_eq_const %r, dense<[[[-3.6231999999999998, 2.1858], [0.816, -0.1619], [-2.5728, 0.3309]], [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], [[5.1236, 10.0039], [7.547000000000001, 12.5714], [-5.9961, -4.275099999999999]]]> : tensor<3x3x2xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[[1.75, -0.23], [0.91, -1.93]], [[-1.57, -0.22], [-2.11, 1.64]], [[0.93, 0.56], [0.68, 4.04]]]> : tensor<3x2x2xf64>
  %y = stablehlo.constant dense<[[[-0.94, -4.4], [0.4, -0.1]], [[-1.04, -1.96], [-0.88, 0.36]], [[-1.01, 4.82], [-1.92, -1.59]]]> : tensor<3x2x2xf64>
  %g = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %r = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<3x2x2xf64>, tensor<3x2x2xf64>, tensor<2xi64>) -> tensor<3x2x2xf64>
  check.expect_almost_eq_const %r, dense<[[[-1.737, -7.677000000000001], [-1.6274, -3.8110000000000004]], [[1.8264, 2.9979999999999998], [0.7512, 4.725999999999999]], [[-2.0145, 3.5922000000000005], [-8.4436, -3.146]]]> : tensor<3x2x2xf64>
  return
}
