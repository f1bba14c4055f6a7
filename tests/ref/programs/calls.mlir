// Calls, composites, tuples, tokens, barriers, regions with captured values and control flow inside.

func.func private @square_plus(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.multiply %x, %x : tensor<2xf32>
  %1 = stablehlo.add %0, %y : tensor<2xf32>
  return %1, %x : tensor<2xf32>, tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = call @square_plus(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %1:2 = call @square_plus(%0#0, %0#1) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %1#0 : tensor<2xf32>
}
func.func @main() {
  // x = [1, 2]: x^2 + x = [2, 6]; [2, 6]^2 + x = [5, 38]
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<[5.0, 38.0]> : tensor<2xf32>
  // [5, 38]: [30, 1482]; [905, 2196362]
  check.expect_eq_const %1, dense<[905.0, 2196362.0]> : tensor<2xf32>
  return
}

// -----

// A function whose result is its own argument, called with what it gave before.
func.func private @swap(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  return %b, %a : tensor<i32>, tensor<i32>
}
func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = call @swap(%a, %b) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  %1:2 = call @swap(%0#0, %b) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<2> : tensor<i32>
  check.expect_eq_const %0#1, dense<1> : tensor<i32>
  check.expect_eq_const %1#0, dense<2> : tensor<i32>
  check.expect_eq_const %1#1, dense<2> : tensor<i32>
  return
}

// -----

func.func private @softplus(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = stablehlo.exponential %x : tensor<3xf64>
  %1 = stablehlo.log_plus_one %0 : tensor<3xf64>
  return %1 : tensor<3xf64>
}
func.func @main() {
  %x = stablehlo.constant dense<[-1.0, 0.0, 1.0]> : tensor<3xf64>
  %0 = stablehlo.composite "my.softplus" %x {decomposition = @softplus} : (tensor<3xf64>) -> tensor<3xf64>
  check.expect_almost_eq_const %0, dense<[0.31326168751822286, 0.6931471805599453, 1.3132616875182228]> : tensor<3xf64>
  return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
  %b = stablehlo.constant dense<4.5> : tensor<f64>
  %token = stablehlo.create_token : !stablehlo.token
  %inner = stablehlo.tuple %b, %token : tuple<tensor<f64>, !stablehlo.token>
  %outer = stablehlo.tuple %a, %inner, %b : tuple<tensor<3xi8>, tuple<tensor<f64>, !stablehlo.token>, tensor<f64>>
  %0 = stablehlo.get_tuple_element %outer[1] : (tuple<tensor<3xi8>, tuple<tensor<f64>, !stablehlo.token>, tensor<f64>>) -> tuple<tensor<f64>, !stablehlo.token>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<f64>, !stablehlo.token>) -> tensor<f64>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f64>, !stablehlo.token>) -> !stablehlo.token
  %3 = stablehlo.get_tuple_element %outer[0] : (tuple<tensor<3xi8>, tuple<tensor<f64>, !stablehlo.token>, tensor<f64>>) -> tensor<3xi8>
  %4 = stablehlo.after_all %2, %token : !stablehlo.token
  %5:2 = stablehlo.optimization_barrier %3, %4 : tensor<3xi8>, !stablehlo.token
  check.expect_eq_const %1, dense<4.5> : tensor<f64>
  check.expect_eq_const %5#0, dense<[1, 2, 3]> : tensor<3xi8>
  return
}

// -----

// A reducer with a captured value and control flow: acc + (x if x > limit else 0).
func.func @main() {
  %x = stablehlo.constant dense<[[1, 5, 2], [7, 3, 9]]> : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %limit = stablehlo.constant dense<2> : tensor<i32>
  %0 = "stablehlo.reduce"(%x, %zero) ({
  ^bb0(%acc: tensor<i32>, %e: tensor<i32>):
    %p = stablehlo.compare GT, %e, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%p) ({
      %s = stablehlo.add %acc, %e : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }, {
      stablehlo.return %acc : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[5, 19]> : tensor<2xi32>
  return
}

// -----

// A loop and a call inside a map: the number of Collatz steps.
func.func private @next(%n: tensor<i64>) -> tensor<i64> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %half = stablehlo.divide %n, %two : tensor<i64>
  %triple = stablehlo.multiply %n, %three : tensor<i64>
  %up = stablehlo.add %triple, %one : tensor<i64>
  %odd = stablehlo.remainder %n, %two : tensor<i64>
  %is_odd = stablehlo.compare EQ, %odd, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = stablehlo.select %is_odd, %up, %half : tensor<i1>, tensor<i64>
  return %r : tensor<i64>
}
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3, 27]> : tensor<4xi64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%e: tensor<i64>):
    %w:2 = stablehlo.while(%n = %e, %steps = %zero) : tensor<i64>, tensor<i64>
    cond {
      %c = stablehlo.compare NE, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = func.call @next(%n) : (tensor<i64>) -> tensor<i64>
      %s = stablehlo.add %steps, %one : tensor<i64>
      stablehlo.return %m, %s : tensor<i64>, tensor<i64>
    }
    stablehlo.return %w#1 : tensor<i64>
  }) {dimensions = array<i64: 0>} : (tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %0, dense<[0, 1, 7, 111]> : tensor<4xi64>
  return
}

// -----

// A loop whose state holds a token, and a body that returns its arguments in another order: Fibonacci numbers.
func.func @main() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %token = stablehlo.create_token : !stablehlo.token
  %0:4 = "stablehlo.while"(%zero, %one, %zero, %token) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %i: tensor<i32>, %t: !stablehlo.token):
    %c = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %i: tensor<i32>, %t: !stablehlo.token):
    %s = stablehlo.add %a, %b : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %b, %s, %j, %t : tensor<i32>, tensor<i32>, tensor<i32>, !stablehlo.token
  }) : (tensor<i32>, tensor<i32>, tensor<i32>, !stablehlo.token) -> (tensor<i32>, tensor<i32>, tensor<i32>, !stablehlo.token)
  check.expect_eq_const %0#0, dense<55> : tensor<i32>
  return
}

// -----

// expect-error: the reference interpreter has no custom call nobody.knows
func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.custom_call @nobody.knows(%x) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<2xi32>) -> tensor<2xi32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) : (tensor<2xi32>) -> tensor<2xi32>
  %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) : (tensor<2xi32>) -> tensor<2xi32>
  %3 = stablehlo.custom_call @annotate_device_placement(%2) : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %3, dense<[1, 2]> : tensor<2xi32>
  return
}

// -----

// expect-error: a size of 3
func.func @main() {
  %no = stablehlo.constant dense<false> : tensor<i1>
  %three = stablehlo.constant dense<3> : tensor<i32>
  stablehlo.custom_call @shape_assertion(%no, %three) {api_version = 2 : i32, error_message = "expected a size of 3", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return
}
