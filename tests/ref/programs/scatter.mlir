// Scatter and reductions in their less usual forms.

// A window that is not wholly inside is left out, as XLA does: starts 0, 2 (the last that fits), 3, -1.
func.func @main() {
  %x = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %i = stablehlo.constant dense<[[0], [2], [3], [-1]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xi32>, tensor<4x1xi32>, tensor<4x2xi32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[11, 22, 33, 44]> : tensor<4xi32>
  return
}

// -----

// Two inputs at once: the larger first value wins, with its second one.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 5.0, 3.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[10, 50, 30]> : tensor<3xi32>
  %i = stablehlo.constant dense<[[2], [1], [2], [0]]> : tensor<4x1xi64>
  %u = stablehlo.constant dense<[4.0, 4.0, 2.0, 9.0]> : tensor<4xf32>
  %v = stablehlo.constant dense<[41, 42, 43, 44]> : tensor<4xi32>
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %p = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.select %p, %a, %c : tensor<i1>, tensor<f32>
    %t = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xf32>, tensor<3xi32>, tensor<4x1xi64>, tensor<4xf32>, tensor<4xi32>) -> (tensor<3xf32>, tensor<3xi32>)
  check.expect_eq_const %0#0, dense<[9.0, 5.0, 4.0]> : tensor<3xf32>
  check.expect_eq_const %0#1, dense<[44, 50, 41]> : tensor<3xi32>
  return
}

// -----

// A promoting reducer: i8 elements are added as i32.
func.func @main() {
  %x = stablehlo.constant dense<[[100, 100, 100], [-100, -100, -56]]> : tensor<2x3xi8>
  %z = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xi8>, tensor<i8>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[300, -256]> : tensor<2xi32>
  return
}

// -----

// argmax by a reduction of two operands; the first of equals.
func.func @main() {
  %x = stablehlo.constant dense<[[1, 7, 7], [4, 2, 3]]> : tensor<2x3xi32>
  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %low = stablehlo.constant dense<-2147483648> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %low, %z) ({
  ^bb0(%a: tensor<i32>, %ai: tensor<i32>, %b: tensor<i32>, %bi: tensor<i32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %s = stablehlo.select %p, %a, %b : tensor<i1>, tensor<i32>
    %t = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<i32>, tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[7, 4]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[1, 0]> : tensor<2xi32>
  return
}

// -----

// A window with base and window dilation and a reducer that is no single operation: the sum of absolute values.
// Base dilated: 1 0 -2 0 3 0 -4; window of taps 0, 2 (dilation 2), stride 1: |1|+|-2|, 0, |-2|+|3|, 0, |3|+|-4|.
func.func @main() {
  %x = stablehlo.constant dense<[1, -2, 3, -4]> : tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.abs %b : tensor<i32>
    %s = stablehlo.add %a, %m : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>, window_dilations = array<i64: 2>} : (tensor<4xi32>, tensor<i32>) -> tensor<5xi32>
  check.expect_eq_const %0, dense<[3, 0, 5, 0, 7]> : tensor<5xi32>
  return
}

// -----

// Sort of two operands by a key computed from the first, stable: by the remainder mod 3.
func.func @main() {
  %x = stablehlo.constant dense<[5, 3, 4, 9, 7, 2]> : tensor<6xi32>
  %y = stablehlo.iota dim = 0 : tensor<6xi64>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i64>, %d: tensor<i64>):
    %p = stablehlo.remainder %a, %three : tensor<i32>
    %q = stablehlo.remainder %b, %three : tensor<i32>
    %r = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<6xi32>, tensor<6xi64>) -> (tensor<6xi32>, tensor<6xi64>)
  check.expect_eq_const %0#0, dense<[3, 9, 4, 7, 5, 2]> : tensor<6xi32>
  check.expect_eq_const %0#1, dense<[1, 3, 2, 4, 0, 5]> : tensor<6xi64>
  return
}
