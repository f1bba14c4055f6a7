// x + -0
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %r = stablehlo.add %x, %z : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: return %arg0
// EXPECT-NOT: stablehlo.add

// -----
// x + 0 is 0 where x is -0
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %r = stablehlo.add %x, %z : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: stablehlo.add

// -----
// but of what is never -0 it is nothing
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %y = stablehlo.exponential %x : tensor<4xf32>
  %r = stablehlo.add %y, %z : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: stablehlo.exponential
// EXPECT-NOT: stablehlo.add

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %r = stablehlo.subtract %x, %z : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: return %arg0
// EXPECT-NOT: subtract

// -----
// x - x is NaN of infinities
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.subtract %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: subtract

// -----
// RUN: all
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = stablehlo.subtract %x, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}
// EXPECT: dense<0>
// EXPECT-NOT: subtract

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %o = stablehlo.constant dense<1.0> : tensor<4xf32>
  %r = stablehlo.multiply %o, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: return %arg0
// EXPECT-NOT: multiply

// -----
// x * 0 may be NaN or -0
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %o = stablehlo.constant dense<0.0> : tensor<4xf32>
  %r = stablehlo.multiply %o, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: multiply

// -----
// RUN: all
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %o = stablehlo.constant dense<0> : tensor<4xi32>
  %r = stablehlo.multiply %o, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}
// EXPECT: dense<0>
// EXPECT-NOT: multiply

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %o = stablehlo.constant dense<-1.0> : tensor<4xf32>
  %r = stablehlo.multiply %o, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: negate
// EXPECT-NOT: multiply

// -----
// signs
// RUN: all
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %m = stablehlo.negate %x : tensor<4xf32>
  %n = stablehlo.negate %y : tensor<4xf32>
  %r = stablehlo.multiply %m, %n : tensor<4xf32>
  %s = stablehlo.add %y, %m : tensor<4xf32>
  %t = stablehlo.subtract %x, %n : tensor<4xf32>
  return %r, %s, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// EXPECT: multiply %arg0, %arg1
// EXPECT: subtract %arg1, %arg0
// EXPECT: add %arg0, %arg1
// EXPECT-NOT: negate

// -----
// powers of two alone have exact reciprocals
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %o = stablehlo.constant dense<8.0> : tensor<4xf32>
  %r = stablehlo.divide %x, %o : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: 1.250000e-01
// EXPECT: multiply
// EXPECT-NOT: divide

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %o = stablehlo.constant dense<3.0> : tensor<4xf32>
  %r = stablehlo.divide %x, %o : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: divide

// -----
// whose reciprocal is subnormal stays
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %o = stablehlo.constant dense<0x7F000000> : tensor<4xf32>
  %r = stablehlo.divide %x, %o : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: divide

// -----
// RUN: all
func.func @main(%x: tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>) {
  %o = stablehlo.constant dense<8> : tensor<4xui32>
  %r = stablehlo.divide %x, %o : tensor<4xui32>
  %s = stablehlo.remainder %x, %o : tensor<4xui32>
  return %r, %s : tensor<4xui32>, tensor<4xui32>
}
// EXPECT: shift_right_logical
// EXPECT: stablehlo.and
// EXPECT-NOT: divide
// EXPECT-NOT: remainder

// -----
// constants of integers associate
// RUN: all
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %o = stablehlo.constant dense<3> : tensor<4xi32>
  %p = stablehlo.constant dense<5> : tensor<4xi32>
  %r = stablehlo.add %x, %o : tensor<4xi32>
  %s = stablehlo.add %r, %p : tensor<4xi32>
  %t = stablehlo.subtract %s, %o : tensor<4xi32>
  return %t : tensor<4xi32>
}
// EXPECT: dense<5>
// EXPECT: add %arg0

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = stablehlo.constant dense<2.0> : tensor<4xf32>
  %r = stablehlo.power %x, %e : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: multiply %arg0, %arg0
// EXPECT-NOT: power

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = stablehlo.constant dense<1.0> : tensor<4xf32>
  %r = stablehlo.power %x, %e : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: return %arg0
// EXPECT-NOT: power

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = stablehlo.constant dense<0.0> : tensor<4xf32>
  %r = stablehlo.power %x, %e : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: dense<1.0
// EXPECT-NOT: power

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = stablehlo.constant dense<-1.0> : tensor<4xf32>
  %r = stablehlo.power %x, %e : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: divide
// EXPECT-NOT: power

// -----
// pow of f64 is not always rounded correctly
// RUN: all
func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %e = stablehlo.constant dense<2.0> : tensor<4xf64>
  %r = stablehlo.power %x, %e : tensor<4xf64>
  return %r : tensor<4xf64>
}
// EXPECT: power

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
  %r = stablehlo.maximum %x, %i : tensor<4xf32>
  %s = stablehlo.maximum %r, %r : tensor<4xf32>
  return %s : tensor<4xf32>
}
// EXPECT: return %arg0
// EXPECT-NOT: maximum

// -----
// min(NaN, -inf) is NaN
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
  %r = stablehlo.minimum %x, %i : tensor<4xf32>
  return %r : tensor<4xf32>
}
// EXPECT: minimum

// -----
// bounds of integers
// RUN: all
func.func @main() -> tensor<8xi32> {
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %z = stablehlo.constant dense<0> : tensor<8xi32>
  %n = stablehlo.constant dense<8> : tensor<8xi32>
  %r = stablehlo.maximum %i, %z : tensor<8xi32>
  %s = stablehlo.remainder %r, %n : tensor<8xi32>
  %t = stablehlo.clamp %z, %s, %n : tensor<8xi32>
  return %t : tensor<8xi32>
}
// EXPECT: stablehlo.iota
// EXPECT: return
// EXPECT-NOT: maximum
// EXPECT-NOT: remainder
// EXPECT-NOT: clamp

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = stablehlo.negate %x : tensor<4xf32>
  %b = stablehlo.negate %a : tensor<4xf32>
  %m = stablehlo.abs %a : tensor<4xf32>
  %k = stablehlo.abs %m : tensor<4xf32>
  return %b, %k : tensor<4xf32>, tensor<4xf32>
}
// EXPECT: stablehlo.abs %arg0
// EXPECT: return %arg0
// EXPECT-NOT: negate

// -----
// RUN: all
func.func @main(%z: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xf32>) {
  %a = stablehlo.real %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %b = stablehlo.imag %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %c = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>
  %d = stablehlo.complex %b, %a : tensor<4xcomplex<f32>>
  %e = stablehlo.real %d : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %c, %e : tensor<4xcomplex<f32>>, tensor<4xf32>
}
// EXPECT: stablehlo.imag
// EXPECT: return %arg0
// EXPECT-NOT: stablehlo.complex 

// -----
// counting elements; 4 is not the number of columns
// RUN: all
func.func @main() -> (tensor<3x5xui64>, tensor<3x5xui64>) {
  %i = stablehlo.iota dim = 0 : tensor<3x5xui64>
  %j = stablehlo.iota dim = 1 : tensor<3x5xui64>
  %n = stablehlo.constant dense<5> : tensor<3x5xui64>
  %k = stablehlo.multiply %n, %i : tensor<3x5xui64>
  %r = stablehlo.add %k, %j : tensor<3x5xui64>
  %m = stablehlo.constant dense<4> : tensor<3x5xui64>
  %l = stablehlo.multiply %m, %i : tensor<3x5xui64>
  %s = stablehlo.add %l, %j : tensor<3x5xui64>
  return %r, %s : tensor<3x5xui64>, tensor<3x5xui64>
}
// EXPECT: iota dim = 0 : tensor<15xui64>
// EXPECT: reshape
