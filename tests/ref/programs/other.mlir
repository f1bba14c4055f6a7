// Operations that no conformance program runs; expected values by numpy (gradients of batch_norm by differences).

func.func @main() {
  %x0 = stablehlo.constant dense<[[3.53, 0.8, 1.96], [4.48, 3.74, -1.95]]> : tensor<2x3xf64>
  %x1 = stablehlo.constant dense<[[1.9, -0.3, -0.21, 0.82], [0.29, 2.91, 1.52, 0.24], [0.89, 0.67, 2.99, -0.41]]> : tensor<3x4xf64>
  %r = "stablehlo.einsum"(%x0, %x1) {einsum_config = "ab,bc->ac"} : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
  check.expect_almost_eq_const %r, dense<[[8.683399999999999, 2.5822000000000003, 6.335100000000001, 2.283], [7.8611, 8.232900000000003, -1.086500000000001, 5.3707]]> : tensor<2x4xf64>
  return
}

// -----

func.func @main() {
  %x0 = stablehlo.constant dense<[[[0.63, -1.71, -5.11, 1.31], [1.73, -1.48, 4.54, -2.91], [0.09, -0.37, 3.07, 2.94]], [[0.31, 0.76, -1.78, -3.96], [-0.7, 0.31, 2.46, 2.4], [-0.77, -0.6, -2.1, -2.84]]]> : tensor<2x3x4xf64>
  %x1 = stablehlo.constant dense<[[[-3.41, 3.9], [-1.02, -0.88], [-2.51, 1.55], [-3.23, -0.43]], [[-1.79, 0.77], [-1.02, -2.36], [-0.06, 0.86], [0.13, 0.6]]]> : tensor<2x4x2xf64>
  %r = "stablehlo.einsum"(%x0, %x1) {einsum_config = "abc,acd->adb"} : (tensor<2x3x4xf64>, tensor<2x4x2xf64>) -> tensor<2x2x3xf64>
  check.expect_almost_eq_const %r, dense<[[[8.1907, -6.3858, -17.1314], [-4.522000000000001, 16.3377, 4.1709]], [[-1.7381000000000002, 1.1012, 1.7470999999999999], [-5.4617, 2.285, -2.6869]]]> : tensor<2x2x3xf64>
  return
}

// -----

func.func @main() {
  %x0 = stablehlo.constant dense<[[-1.27, -0.73, -1.34], [-0.72, -1.63, -3.45]]> : tensor<2x3xf64>
  %x1 = stablehlo.constant dense<[[0.35, -0.8, -3.26], [0.93, -1.81, 0.1], [1.46, 0.26, 2.28], [-2.47, 0.8, -1.37]]> : tensor<4x3xf64>
  %r = "stablehlo.einsum"(%x0, %x1) {einsum_config = "ab,cb->"} : (tensor<2x3xf64>, tensor<4x3xf64>) -> tensor<f64>
  check.expect_almost_eq_const %r, dense<13.898200000000005> : tensor<f64>
  return
}

// -----

func.func @main() {
  %x0 = stablehlo.constant dense<[[[-1.74, -1.16], [-0.62, 0.11], [-2.33, 1.8]], [[0.93, -3.07], [2.98, 3.79], [2.36, -0.36]], [[-2.14, 2.11], [-0.81, 2.44], [0.42, 1.95]]]> : tensor<3x3x2xf64>
  %r = "stablehlo.unary_einsum"(%x0) {einsum_config = "aab->ba"} : (tensor<3x3x2xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-1.74, 2.98, 0.42], [-1.16, 3.79, 1.95]]> : tensor<2x3xf64>
  return
}

// -----

func.func @main() {
  %x0 = stablehlo.constant dense<[[0.71, 1.41, 0.02], [3.57, 0.25, 0.8], [3.77, -2.7, -2.54]]> : tensor<3x3xf64>
  %r = "stablehlo.unary_einsum"(%x0) {einsum_config = "ab->"} : (tensor<3x3xf64>) -> tensor<f64>
  check.expect_almost_eq_const %r, dense<5.289999999999999> : tensor<f64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[1.94, -2.35, 3.89], [-0.83, -1.49, 3.85], [2.96, 3.74, 1.81], [-1.72, 3.82, -0.54]]> : tensor<4x3xf64>
  %i = stablehlo.constant dense<[[2, 0], [1, 3]]> : tensor<2x2xi32>
  %r = "stablehlo.torch_index_select"(%x, %i) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<4x3xf64>, tensor<2x2xi32>) -> tensor<2x2x3xf64>
  check.expect_almost_eq_const %r, dense<[[[2.96, 3.74, 1.81], [1.94, -2.35, 3.89]], [[-0.83, -1.49, 3.85], [-1.72, 3.82, -0.54]]]> : tensor<2x2x3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[[1.6, 1.89, -0.31], [1.23, 1.84, 0.75], [-2.2, 0.6, 2.65], [-1.39, -0.3, -0.87]], [[3.7, 1.34, 0.81], [-1.54, 1.08, -1.35], [0.06, -1.27, 1.35], [1.15, -0.42, 0.79]]]> : tensor<2x4x3xf64>
  %i = stablehlo.constant dense<[3, 0, 1]> : tensor<3xi64>
  %r = "stablehlo.torch_index_select"(%x, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x4x3xf64>, tensor<3xi64>) -> tensor<2x3x3xf64>
  check.expect_almost_eq_const %r, dense<[[[-1.39, -0.3, -0.87], [1.6, 1.89, -0.31], [1.23, 1.84, 0.75]], [[1.15, -0.42, 0.79], [3.7, 1.34, 0.81], [-1.54, 1.08, -1.35]]]> : tensor<2x3x3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[[1.6, 1.89, -0.31], [1.23, 1.84, 0.75], [-2.2, 0.6, 2.65], [-1.39, -0.3, -0.87]], [[3.7, 1.34, 0.81], [-1.54, 1.08, -1.35], [0.06, -1.27, 1.35], [1.15, -0.42, 0.79]]]> : tensor<2x4x3xf64>
  %i = stablehlo.constant dense<[[3, 0], [2, 2]]> : tensor<2x2xi64>
  %r = "stablehlo.torch_index_select"(%x, %i) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<2x4x3xf64>, tensor<2x2xi64>) -> tensor<2x2x3xf64>
  check.expect_almost_eq_const %r, dense<[[[-1.39, -0.3, -0.87], [1.6, 1.89, -0.31]], [[0.06, -1.27, 1.35], [0.06, -1.27, 1.35]]]> : tensor<2x2x3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[-2.19, -2.98, 0.88], [0.33, 1.27, 4.77], [1.89, -1.83, 2.23], [-2.63, -0.92, -0.14]]> : tensor<4x3xf64>
  %i = stablehlo.constant dense<2> : tensor<i32>
  %r = "stablehlo.torch_index_select"(%x, %i) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<4x3xf64>, tensor<i32>) -> tensor<3xf64>
  check.expect_almost_eq_const %r, dense<[1.89, -1.83, 2.23]> : tensor<3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[3.43, -1.49, -1.65]> : tensor<3xf64>
  %y = stablehlo.constant dense<[-0.2, -1.33, 2.25]> : tensor<3xf64>
  %r = stablehlo.dot %x, %y : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  check.expect_almost_eq_const %r, dense<-2.4168> : tensor<f64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[-2.16, -2.29, -0.88], [-1.0, 3.86, 1.9]]> : tensor<2x3xf64>
  %y = stablehlo.constant dense<[0.18, -2.45, 1.69]> : tensor<3xf64>
  %r = stablehlo.dot %x, %y : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %r, dense<[3.734500000000001, -6.426000000000001]> : tensor<2xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2.0, -3.09]> : tensor<2xf64>
  %r = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64: 3, 1>} : (tensor<2xf64>) -> tensor<3x1x2xf64>
  check.expect_almost_eq_const %r, dense<[[[-2.0, -3.09]], [[-2.0, -3.09]], [[-2.0, -3.09]]]> : tensor<3x1x2xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[[[2.38, 0.63], [1.84, 0.64]], [[1.71, -1.3], [-2.07, 1.36]], [[-1.61, -1.38], [-0.91, 0.03]]], [[[-0.71, -2.75], [-1.29, -4.45]], [[1.25, -3.2], [-2.21, 0.1]], [[-1.48, 3.09], [-2.59, 0.53]]]]> : tensor<2x3x2x2xf64>
  %s = stablehlo.constant dense<[-0.08, -2.34, 1.05]> : tensor<3xf64>
  %o = stablehlo.constant dense<[-0.34, 1.54, 1.65]> : tensor<3xf64>
  %m = stablehlo.constant dense<[4.33, 2.67, -0.74]> : tensor<3xf64>
  %v = stablehlo.constant dense<[0.98, 2.7, 1.81]> : tensor<3xf64>
  %r = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3x2x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x2x2xf64>
  check.expect_almost_eq_const %r, dense<[[[[-0.18249654147181346, -0.04114728381831273], [-0.13888019911016178, -0.041954993862046985]], [[2.9068624042863584, 7.192545567725877], [8.288883121163895, 3.4051976558490926]], [[0.9711882885664825, 1.1506442582558032], [1.5173586310991976, 2.2507873767859867]]], [[[0.06708586204208217, 0.2318587109638774], [0.11393304457867093, 0.3691694183987067]], [[3.561817306340238, 9.897794076209294], [8.48821722178899, 5.199204561474938]], [[1.0726199236082725, 4.638332017000427], [0.20654980902068143, 2.64090905002364]]]]> : tensor<2x3x2x2xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[[[2.38, 0.63], [1.84, 0.64]], [[1.71, -1.3], [-2.07, 1.36]], [[-1.61, -1.38], [-0.91, 0.03]]], [[[-0.71, -2.75], [-1.29, -4.45]], [[1.25, -3.2], [-2.21, 0.1]], [[-1.48, 3.09], [-2.59, 0.53]]]]> : tensor<2x3x2x2xf64>
  %s = stablehlo.constant dense<[-0.08, -2.34, 1.05]> : tensor<3xf64>
  %o = stablehlo.constant dense<[-0.34, 1.54, 1.65]> : tensor<3xf64>
  %r:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3x2x2xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2x2xf64>, tensor<3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %r#0, dense<[[[[-0.4448303790827494, -0.38031937657028825], [-0.42492412687890424, -0.3806880108703595]], [[-1.440366046780957, 2.5378609158845333], [3.555546883078031, -0.9777815162384584]], [[0.9682797490750777, 1.1148177469374443], [1.4142649599605408, 2.013159386006734]]], [[[-0.33092238036074656, -0.2557209831462204], [-0.3095415909566166, -0.19305315213411528]], [[-0.8323978066393871, 5.049034081686671], [3.7405806952950305, 0.6875227937145378]], [[1.0511055739538067, 3.962751879306044], [0.34390045383542955, 2.331720250924922]]]]> : tensor<2x3x2x2xf64>
  check.expect_almost_eq_const %r#1, dense<[-0.46375, -0.545, -0.54]> : tensor<3xf64>
  check.expect_almost_eq_const %r#2, dense<[4.7086484375, 3.1336250000000003, 2.715025]> : tensor<3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[[[2.38, 0.63], [1.84, 0.64]], [[1.71, -1.3], [-2.07, 1.36]], [[-1.61, -1.38], [-0.91, 0.03]]], [[[-0.71, -2.75], [-1.29, -4.45]], [[1.25, -3.2], [-2.21, 0.1]], [[-1.48, 3.09], [-2.59, 0.53]]]]> : tensor<2x3x2x2xf64>
  %s = stablehlo.constant dense<[-0.08, -2.34, 1.05]> : tensor<3xf64>
  %m = stablehlo.constant dense<[-0.46375, -0.545, -0.54]> : tensor<3xf64>
  %v = stablehlo.constant dense<[4.7086484375, 3.1336250000000003, 2.715025]> : tensor<3xf64>
  %g = stablehlo.constant dense<[[[[1.28, -3.23], [-0.05, -1.48]], [[0.56, -0.2], [1.82, 0.63]], [[1.57, -0.93], [-1.89, -0.82]]], [[[-0.03, 0.76], [4.52, -0.08]], [[-1.91, -0.69], [-0.93, 0.96]], [[-3.08, 0.13], [0.31, 0.46]]]]> : tensor<2x3x2x2xf64>
  %r:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3x2x2xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x3x2x2xf64>) -> (tensor<2x3x2x2xf64>, tensor<3xf64>, tensor<3xf64>)
  check.expect_almost_eq_const %r#0, dense<[[[[-0.058282753156438036, 0.11959283145930068], [-0.00566832367328296, 0.05501542028863403]], [[-0.6518047645166954, 0.28768536698480995], [-2.3987107786616493, -0.7518773839755925]], [[1.4189776716218208, -0.19107141601966243], [-0.8379475750720702, -0.22670592096478426]]], [[[0.010528615711257253, -0.005046127606695913], [-0.1533482886124926, 0.03720862558971756]], [[2.602789984907988, 0.8942869801236744], [1.2328596759752544, -1.2152290808369222]], [[-1.553385412102681, 0.14912939656948343], [0.6896819780717861, 0.5513212778974087]]]]> : tensor<2x3x2x2xf64>
  check.expect_almost_eq_const %r#1, dense<[-3.1276143599343578, 0.231348746899257, 1.5515431078018134]> : tensor<3xf64>
  check.expect_almost_eq_const %r#2, dense<[1.6899999999997213, 0.23999999999987573, -4.250000000000347]> : tensor<3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[-1.19, -0.48, -2.85, -0.99, -1.09, 0.83], [-2.31, 1.56, 2.99, -4.14, 0.85, 1.35]]> : tensor<2x6xf64>
  %a = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %l = stablehlo.constant dense<[2, 6]> : tensor<2xi32>
  %st = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r = stablehlo.real_dynamic_slice %x, %a, %l, %st : (tensor<2x6xf64>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[-0.48, -0.99, 0.83], [1.56, -4.14, 1.35]]> : tensor<2x3xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[-1.19, -0.48, -2.85, -0.99, -1.09, 0.83], [-2.31, 1.56, 2.99, -4.14, 0.85, 1.35]]> : tensor<2x6xf64>
  %a = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %r = stablehlo.dynamic_reshape %x, %a : (tensor<2x6xf64>, tensor<2xi64>) -> tensor<3x4xf64>
  check.expect_almost_eq_const %r, dense<[[-1.19, -0.48, -2.85, -0.99], [-1.09, 0.83, -2.31, 1.56], [2.99, -4.14, 0.85, 1.35]]> : tensor<3x4xf64>
  return
}

// -----

// expect-error: expected the shape of the result, size 3 in dimension 0, got 4
func.func @main() {
  %x = stablehlo.constant dense<[[-1.19, -0.48, -2.85, -0.99, -1.09, 0.83], [-2.31, 1.56, 2.99, -4.14, 0.85, 1.35]]> : tensor<2x6xf64>
  %a0 = stablehlo.constant dense<[4, 3]> : tensor<2xi64>
  %a = stablehlo.optimization_barrier %a0 : tensor<2xi64>
  %r = stablehlo.dynamic_reshape %x, %a : (tensor<2x6xf64>, tensor<2xi64>) -> tensor<3x4xf64>
  return
}

// -----

// expect-error: expected start indices within the operand
func.func @main() {
  %x = stablehlo.constant dense<[[-1.19, -0.48, -2.85, -0.99, -1.09, 0.83], [-2.31, 1.56, 2.99, -4.14, 0.85, 1.35]]> : tensor<2x6xf64>
  %a0 = stablehlo.constant dense<[0, -1]> : tensor<2xi32>
  %l = stablehlo.constant dense<[2, 6]> : tensor<2xi32>
  %st = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %a = stablehlo.optimization_barrier %a0 : tensor<2xi32>
  %r = stablehlo.real_dynamic_slice %x, %a, %l, %st : (tensor<2x6xf64>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf64>
  return
}

// -----

// expect-error: expected slice_sizes of the result's shape
func.func @main() {
  %x = stablehlo.constant dense<[[-1.27, -0.79, -0.27, -0.6], [-0.62, -3.35, 2.3, 2.16], [-1.63, -2.93, 1.04, -1.15]]> : tensor<3x4xf64>
  %i = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi64>
  %z0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %z = stablehlo.optimization_barrier %z0 : tensor<2xi64>
  %r = "stablehlo.dynamic_gather"(%x, %i, %z) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false} : (tensor<3x4xf64>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x4xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[[[[0.28, -0.64, 1.38, 1.39, -1.45], [-2.77, -3.17, 1.22, -2.38, -1.01], [-1.19, -0.11, -3.87, 0.38, 1.05], [0.18, -0.62, 0.19, 0.8, -5.55], [3.91, 0.78, -1.3, -0.78, 0.99]]]]> : tensor<1x1x5x5xf64>
  %k = stablehlo.constant dense<[[[[-0.23, -4.06, 4.13], [-0.22, 2.04, -1.38], [3.07, 0.57, 1.22]]]]> : tensor<1x1x3x3xf64>
  %p = stablehlo.constant dense<[[1, 0], [2, 1]]> : tensor<2x2xi32>
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>, window_strides = array<i64: 1, 1>} : (tensor<1x1x5x5xf64>, tensor<1x1x3x3xf64>, tensor<2x2xi32>) -> tensor<1x1x4x6xf64>
  check.expect_almost_eq_const %r, dense<[[[[-3.7658, -3.9919, -12.094000000000001, -10.9023, 5.6895999999999995, -11.146099999999999], [3.5271999999999992, -5.8687000000000005, -7.744999999999998, 4.675699999999999, -26.0624, 5.795599999999999], [-9.578299999999999, -4.7755, 24.354899999999997, -23.2676, -0.3432000000000004, 5.998900000000001], [-0.3929, 8.7802, -5.9671, 17.428900000000002, 9.7052, -17.6787]]]]> : tensor<1x1x4x6xf64>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[-2.09, 2.42, 1.38]> : tensor<3xf64>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %r = "stablehlo.set_dimension_size"(%x, %n) {dimension = 0 : i64} : (tensor<3xf64>, tensor<i32>) -> tensor<3xf64>
  check.expect_almost_eq_const %r, dense<[-2.09, 2.42, 1.38]> : tensor<3xf64>
  return
}

// -----

// Uniform integers and floats lie in [a, b).
func.func @main() {
  %a = stablehlo.constant dense<-2> : tensor<i32>
  %b = stablehlo.constant dense<5> : tensor<i32>
  %s = stablehlo.constant dense<[40]> : tensor<1xi64>
  %r = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<40xi32>
  %a0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<40xi32>
  %b0 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<i32>) -> tensor<40xi32>
  %ge = stablehlo.compare GE, %r, %a0 : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
  %lt = stablehlo.compare LT, %r, %b0 : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
  %in = stablehlo.and %ge, %lt : tensor<40xi1>
  %all = stablehlo.constant dense<true> : tensor<40xi1>
  check.expect_eq %in, %all : tensor<40xi1>
  %fa = stablehlo.constant dense<1.0> : tensor<f32>
  %fb = stablehlo.constant dense<1.0000002> : tensor<f32>
  %f = "stablehlo.rng"(%fa, %fb, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<40xf32>
  %fb0 = stablehlo.broadcast_in_dim %fb, dims = [] : (tensor<f32>) -> tensor<40xf32>
  %flt = stablehlo.compare LT, %f, %fb0 : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xi1>
  check.expect_eq %flt, %all : tensor<40xi1>
  return
}

// -----

// Operands of two element types: the narrower kind becomes numbers of the other.
func.func @main() {
  %x = stablehlo.constant dense<[[1.5, 2.0], [-1.0, 0.5]]> : tensor<2x2xf32>
  %n = stablehlo.constant dense<[[2, -1], [3, 4]]> : tensor<2x2xi32>
  %z = stablehlo.constant dense<[[(0.0, 1.0), (1.0, 0.0)], [(2.0, -1.0), (0.0, 0.5)]]> : tensor<2x2xcomplex<f32>>
  %0 = stablehlo.dot_general %x, %n, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xi32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %0, dense<[[9.0, 6.5], [-0.5, 3.0]]> : tensor<2x2xf32>
  %1 = stablehlo.dot_general %n, %x, contracting_dims = [1] x [0] : (tensor<2x2xi32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %1, dense<[[4.0, 3.5], [0.5, 8.0]]> : tensor<2x2xf32>
  %2 = stablehlo.dot_general %z, %n, contracting_dims = [1] x [0] : (tensor<2x2xcomplex<f32>>, tensor<2x2xi32>) -> tensor<2x2xcomplex<f32>>
  check.expect_almost_eq_const %2, dense<[[(3.0, 2.0), (4.0, -1.0)], [(4.0, -0.5), (-2.0, 3.0)]]> : tensor<2x2xcomplex<f32>>
  return
}
