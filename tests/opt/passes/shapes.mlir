// RUN: all
func.func @main(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %a = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  %b = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<3x2xf32>
  %d = stablehlo.reshape %b : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %b, %d : tensor<3x2xf32>, tensor<2x3xf32>
}
// EXPECT: %0 = stablehlo.reshape %arg0
// EXPECT: return %0, %arg0

// -----
// RUN: all
func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x3x2xf32>) {
  %a = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %b = stablehlo.transpose %a, dims = [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  %d = stablehlo.transpose %a, dims = [0, 2, 1] : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32>
  return %b, %d : tensor<2x3x4xf32>, tensor<4x3x2xf32>
}
// EXPECT: transpose %arg0, dims = [2, 1, 0]
// EXPECT: return %arg0

// -----
// RUN: all
func.func @main(%x: tensor<1x4xf32>) -> tensor<4x1xf32> {
  %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<1x4xf32>) -> tensor<4x1xf32>
  return %a : tensor<4x1xf32>
}
// EXPECT: reshape
// EXPECT-NOT: transpose

// -----
// RUN: all
func.func @main(%x: tensor<3xf32>) -> tensor<4x2x3xf32> {
  %a = stablehlo.reshape %x : (tensor<3xf32>) -> tensor<3x1xf32>
  %b = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>
  %d = stablehlo.broadcast_in_dim %b, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %e = stablehlo.transpose %d, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %e : tensor<4x2x3xf32>
}
// EXPECT: %0 = stablehlo.broadcast_in_dim %arg0, dims = [2]
// EXPECT: return %0
// EXPECT-NOT: reshape
// EXPECT-NOT: transpose

// -----
// what is repeated is computed once
// RUN: all
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<8x3xf32> {
  %a = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<8x3xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<8x3xf32>
  %d = stablehlo.multiply %a, %b : tensor<8x3xf32>
  %e = stablehlo.exponential %d : tensor<8x3xf32>
  return %e : tensor<8x3xf32>
}
// EXPECT: multiply %arg0, %arg1 : tensor<3xf32>
// EXPECT: exponential
// EXPECT: broadcast_in_dim

// -----
// RUN: all
func.func @main(%x: tensor<2x8xf32>) -> tensor<1x3xf32> {
  %a = stablehlo.slice %x [0:2, 2:8] : (tensor<2x8xf32>) -> tensor<2x6xf32>
  %b = stablehlo.slice %a [1:2, 1:6:2] : (tensor<2x6xf32>) -> tensor<1x3xf32>
  return %b : tensor<1x3xf32>
}
// EXPECT: slice %arg0 [1:2, 3:8:2]

// -----
// of what lies in one part
// RUN: all
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x3xf32>) {
  %a = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %b = stablehlo.slice %a [0:2, 4:6] : (tensor<2x7xf32>) -> tensor<2x2xf32>
  %d = stablehlo.slice %a [0:2, 2:5] : (tensor<2x7xf32>) -> tensor<2x3xf32>
  return %b, %d : tensor<2x2xf32>, tensor<2x3xf32>
}
// EXPECT: concatenate
// EXPECT: slice %arg1 [0:2, 1:3]
// EXPECT: slice %0 [0:2, 2:5]

// -----
// RUN: all
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x7xf32> {
  %a = stablehlo.slice %x [0:2, 1:3] : (tensor<2x8xf32>) -> tensor<2x2xf32>
  %b = stablehlo.slice %x [0:2, 3:8] : (tensor<2x8xf32>) -> tensor<2x5xf32>
  %d = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x2xf32>, tensor<2x5xf32>) -> tensor<2x7xf32>
  return %d : tensor<2x7xf32>
}
// EXPECT: slice %arg0 [0:2, 1:8]
// EXPECT-NOT: concatenate

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %a = stablehlo.pad %x, %z, low = [2], high = [1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<7xf32>
  %b = stablehlo.slice %a [3:5] : (tensor<7xf32>) -> tensor<2xf32>
  %d = stablehlo.slice %a [0:2] : (tensor<7xf32>) -> tensor<2xf32>
  return %b, %d : tensor<2xf32>, tensor<2xf32>
}
// EXPECT: slice %arg0 [1:3]
// EXPECT-NOT: pad

// -----
// RUN: all
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %a = stablehlo.pad %x, %z, low = [-1], high = [-1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
// EXPECT: slice %arg0 [1:3]
// EXPECT-NOT: pad

// -----
// starts are moved inside
// RUN: all
func.func @main(%x: tensor<4x6xf32>) -> tensor<2x3xf32> {
  %i = stablehlo.constant dense<7> : tensor<i32>
  %j = stablehlo.constant dense<-2> : tensor<i32>
  %a = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %a : tensor<2x3xf32>
}
// EXPECT: slice %arg0 [2:4, 0:3]
// EXPECT-NOT: dynamic_slice

// -----
// RUN: all
func.func @main(%x: tensor<4x6xf32>, %u: tensor<4x6xf32>, %i: tensor<i32>) -> tensor<4x6xf32> {
  %a = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  return %a : tensor<4x6xf32>
}
// EXPECT: return %arg1

// -----
// a view that begins later; the second runs into the next row
// RUN: all
func.func @main(%x: tensor<24xf32>) -> (tensor<2x2x2xf32>, tensor<2x5x2xf32>) {
  %a = stablehlo.slice %x [4:24] : (tensor<24xf32>) -> tensor<20xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.pad %a, %z, low = [0], high = [4], interior = [0] : (tensor<20xf32>, tensor<f32>) -> tensor<24xf32>
  %d = stablehlo.reshape %b : (tensor<24xf32>) -> tensor<2x6x2xf32>
  %e = stablehlo.slice %d [0:2, 0:2, 0:2] : (tensor<2x6x2xf32>) -> tensor<2x2x2xf32>
  %g = stablehlo.slice %d [0:2, 0:5, 0:2] : (tensor<2x6x2xf32>) -> tensor<2x5x2xf32>
  return %e, %g : tensor<2x2x2xf32>, tensor<2x5x2xf32>
}
// EXPECT: reshape %arg0
// EXPECT: slice
// EXPECT: [0:2, 2:4, 0:2]

// -----
// RUN: all
func.func @main(%q: tensor<1x4xf32>, %k: tensor<1x4xf32>, %v: tensor<1x4xf32>) -> tensor<3x4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.pad %v, %z, low = [2, 0], high = [0, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %b = stablehlo.pad %k, %z, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %c = stablehlo.pad %q, %z, low = [0, 0], high = [2, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %ab = stablehlo.add %a, %b : tensor<3x4xf32>
  %all = stablehlo.add %ab, %c : tensor<3x4xf32>
  return %all : tensor<3x4xf32>
}
// EXPECT: concatenate %arg0, %arg1, %arg2, dim = 0
// EXPECT: add
// EXPECT-NOT: pad

// -----
// RUN: all
func.func @main(%x: tensor<2x2xf32>, %y: tensor<2x1xf32>) -> tensor<2x7xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.pad %x, %z, low = [0, 4], high = [0, 1], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x7xf32>
  %b = stablehlo.pad %y, %z, low = [0, 1], high = [0, 5], interior = [0, 0] : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x7xf32>
  %all = stablehlo.add %a, %b : tensor<2x7xf32>
  return %all : tensor<2x7xf32>
}
// EXPECT: concatenate %arg1
// EXPECT: low = [0, 1], high = [0, 1]
// EXPECT: add

// -----
// RUN: all
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<3xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.pad %x, %z, low = [1], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  %b = stablehlo.pad %y, %z, low = [0], high = [1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  %all = stablehlo.add %a, %b : tensor<3xf32>
  return %all : tensor<3xf32>
}
// EXPECT-NOT: concatenate
