// RUN: all
func.func @main(%p: tensor<4xi1>) -> tensor<4xi1> {
  %t = stablehlo.constant dense<true> : tensor<4xi1>
  %f = stablehlo.constant dense<false> : tensor<4xi1>
  %a = stablehlo.and %p, %t : tensor<4xi1>
  %b = stablehlo.or %a, %f : tensor<4xi1>
  %d = stablehlo.and %b, %b : tensor<4xi1>
  %e = stablehlo.xor %d, %f : tensor<4xi1>
  return %e : tensor<4xi1>
}
// EXPECT: return %arg0
// EXPECT-NOT: and
// EXPECT-NOT: xor

// -----
// RUN: all
func.func @main(%p: tensor<4xi1>) -> tensor<4xi1> {
  %t = stablehlo.constant dense<true> : tensor<4xi1>
  %a = stablehlo.xor %p, %t : tensor<4xi1>
  %b = stablehlo.not %a : tensor<4xi1>
  return %b : tensor<4xi1>
}
// EXPECT: return %arg0
// EXPECT-NOT: not 

// -----
// RUN: all
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi1> {
  %a = stablehlo.compare LT, %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %b = stablehlo.not %a : tensor<4xi1>
  return %b : tensor<4xi1>
}
// EXPECT: compare GE, %arg0, %arg1
// EXPECT-NOT: not

// -----
// not (x < y) holds for NaN
// RUN: all
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %a = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %b = stablehlo.not %a : tensor<4xi1>
  return %b : tensor<4xi1>
}
// EXPECT: not

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %a = stablehlo.compare EQ, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %b = stablehlo.not %a : tensor<4xi1>
  return %b : tensor<4xi1>
}
// EXPECT: compare NE
// EXPECT-NOT: not

// -----
// RUN: all
func.func @main(%x: tensor<4xi32>) -> tensor<4xi1> {
  %a = stablehlo.compare LE, %x, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %a : tensor<4xi1>
}
// EXPECT: dense<true>
// EXPECT-NOT: compare

// -----
// RUN: all
func.func @main(%p: tensor<4xi1>) -> tensor<4xi1> {
  %a = stablehlo.convert %p : (tensor<4xi1>) -> tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<4xi32>
  %b = stablehlo.compare NE, %a, %z : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %b : tensor<4xi1>
}
// EXPECT: return %arg0
// EXPECT-NOT: compare

// -----
// an index that is not negative
// RUN: all
func.func @main() -> tensor<2x4xi64> {
  %i = stablehlo.iota dim = 1 : tensor<2x4xi64>
  %z = stablehlo.constant dense<0> : tensor<2x4xi64>
  %a = stablehlo.compare LT, %i, %z : (tensor<2x4xi64>, tensor<2x4xi64>) -> tensor<2x4xi1>
  %n = stablehlo.constant dense<4> : tensor<2x4xi64>
  %j = stablehlo.add %i, %n : tensor<2x4xi64>
  %r = stablehlo.select %a, %j, %i : tensor<2x4xi1>, tensor<2x4xi64>
  return %r : tensor<2x4xi64>
}
// EXPECT: stablehlo.iota
// EXPECT: return
// EXPECT-NOT: select
// EXPECT-NOT: compare

// -----
// RUN: all
func.func @main(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = stablehlo.not %p : tensor<4xi1>
  %a = stablehlo.select %n, %x, %y : tensor<4xi1>, tensor<4xf32>
  %b = stablehlo.select %p, %a, %x : tensor<4xi1>, tensor<4xf32>
  %d = stablehlo.select %p, %y, %y : tensor<4xi1>, tensor<4xf32>
  return %b, %d : tensor<4xf32>, tensor<4xf32>
}
// EXPECT: select %arg0, %arg2, %arg1
// EXPECT: return
// EXPECT-NOT: not

// -----
// RUN: all
func.func @main(%p: tensor<4xi1>, %q: tensor<4xi1>) -> tensor<4xi1> {
  %t = stablehlo.constant dense<true> : tensor<4xi1>
  %f = stablehlo.constant dense<false> : tensor<4xi1>
  %a = stablehlo.select %p, %t, %f : tensor<4xi1>, tensor<4xi1>
  %b = stablehlo.select %a, %q, %f : tensor<4xi1>, tensor<4xi1>
  return %b : tensor<4xi1>
}
// EXPECT: stablehlo.and
// EXPECT-NOT: select

// -----
// what loses nothing comes back; f32 by way of bf16 does not
// RUN: all
func.func @main(%x: tensor<4xbf16>, %y: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xbf16>, tensor<4xf32>, tensor<4xi32>) {
  %a = stablehlo.convert %x : (tensor<4xbf16>) -> tensor<4xf32>
  %b = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
  %d = stablehlo.convert %y : (tensor<4xf32>) -> tensor<4xbf16>
  %e = stablehlo.convert %d : (tensor<4xbf16>) -> tensor<4xf32>
  %g = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xi64>
  %h = stablehlo.convert %g : (tensor<4xi64>) -> tensor<4xi32>
  return %b, %e, %h : tensor<4xbf16>, tensor<4xf32>, tensor<4xi32>
}
// EXPECT: convert %arg1 : (tensor<4xf32>) -> tensor<4xbf16>
// EXPECT: convert
// EXPECT: return %arg0
// EXPECT-NOT: i64

// -----
// RUN: all
func.func @main() -> tensor<4xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4xi64>
  %a = stablehlo.convert %i : (tensor<4xi64>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
// EXPECT: stablehlo.iota dim = 0 : tensor<4xf32>
// EXPECT-NOT: convert

// -----
// of 15 numbers nothing is left by 32 bits, something by 3
// RUN: all
func.func @main() -> (tensor<15xui64>, tensor<15xui64>) {
  %i = stablehlo.iota dim = 0 : tensor<15xui64>
  %n = stablehlo.constant dense<32> : tensor<15xui64>
  %m = stablehlo.constant dense<3> : tensor<15xui64>
  %r = stablehlo.shift_right_logical %i, %n : tensor<15xui64>
  %s = stablehlo.shift_right_logical %i, %m : tensor<15xui64>
  return %r, %s : tensor<15xui64>, tensor<15xui64>
}
// EXPECT: dense<0>
// EXPECT: shift_right_logical
