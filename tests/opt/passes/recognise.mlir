// JAX's order of floats
// RUN: all
func.func @main(%x: tensor<3x12xf32>) -> (tensor<3x12xf32>, tensor<3x12xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<3x12xi32>
  %r:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %a: tensor<i32>, %b: tensor<i32>):
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %ep = stablehlo.compare EQ, %p, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %sp = stablehlo.select %ep, %z, %p : tensor<i1>, tensor<f32>
    %mp = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %tp = stablehlo.select %mp, %n, %sp : tensor<i1>, tensor<f32>
    %eq = stablehlo.compare EQ, %q, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %sq = stablehlo.select %eq, %z, %q : tensor<i1>, tensor<f32>
    %mq = stablehlo.compare NE, %q, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %tq = stablehlo.select %mq, %n, %sq : tensor<i1>, tensor<f32>
    %c = stablehlo.compare LT, %tp, %tq, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x12xf32>, tensor<3x12xi32>) -> (tensor<3x12xf32>, tensor<3x12xi32>)
  return %r#0, %r#1 : tensor<3x12xf32>, tensor<3x12xi32>
}
// EXPECT: stablehlo.sort
// EXPECT: compare LT, 
// EXPECT-NOT: TOTALORDER

// -----
// RUN: all
func.func @main(%x: tensor<3x12xf32>) -> (tensor<3x12xf32>, tensor<3x12xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<3x12xi32>
  %r:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %a: tensor<i32>, %b: tensor<i32>):
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %ep = stablehlo.compare EQ, %p, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %sp = stablehlo.select %ep, %z, %p : tensor<i1>, tensor<f32>
    %mp = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %tp = stablehlo.select %mp, %n, %sp : tensor<i1>, tensor<f32>
    %eq = stablehlo.compare EQ, %q, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %sq = stablehlo.select %eq, %z, %q : tensor<i1>, tensor<f32>
    %mq = stablehlo.compare NE, %q, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %tq = stablehlo.select %mq, %n, %sq : tensor<i1>, tensor<f32>
    %c = stablehlo.compare GT, %tp, %tq, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x12xf32>, tensor<3x12xi32>) -> (tensor<3x12xf32>, tensor<3x12xi32>)
  return %r#0, %r#1 : tensor<3x12xf32>, tensor<3x12xi32>
}
// EXPECT: stablehlo.sort
// EXPECT: compare GT, 
// EXPECT-NOT: TOTALORDER

// -----
// the first place of the extremum
// RUN: all
func.func @main(%x: tensor<4x12xf32>) -> tensor<4xi32> {
  %i = stablehlo.iota dim = 1 : tensor<4x12xi32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %m), (%i init: %z) across dimensions = [1] : (tensor<4x12xf32>, tensor<4x12xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    reducer(%v: tensor<f32>, %w: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %a = stablehlo.compare GT, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %b = stablehlo.compare NE, %v, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.or %a, %b : tensor<i1>
      %d = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %e = stablehlo.compare LT, %j, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %d, %e : tensor<i1>
      %g = stablehlo.or %c, %f : tensor<i1>
      %h = stablehlo.select %c, %v, %w : tensor<i1>, tensor<f32>
      %l = stablehlo.select %g, %j, %k : tensor<i1>, tensor<i32>
      stablehlo.return %h, %l : tensor<f32>, tensor<i32>
    }
  return %r#1 : tensor<4xi32>
}
// EXPECT: applies stablehlo.maximum
// EXPECT: applies stablehlo.minimum
// EXPECT-NOT: reducer

// -----
// RUN: all
func.func @main(%x: tensor<4x12xf32>) -> tensor<4xi32> {
  %i = stablehlo.iota dim = 1 : tensor<4x12xi32>
  %m = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %m), (%i init: %z) across dimensions = [1] : (tensor<4x12xf32>, tensor<4x12xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    reducer(%v: tensor<f32>, %w: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
      %a = stablehlo.compare LT, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %b = stablehlo.compare NE, %v, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.or %a, %b : tensor<i1>
      %d = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %e = stablehlo.compare LT, %j, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %d, %e : tensor<i1>
      %g = stablehlo.or %c, %f : tensor<i1>
      %h = stablehlo.select %c, %v, %w : tensor<i1>, tensor<f32>
      %l = stablehlo.select %g, %j, %k : tensor<i1>, tensor<i32>
      stablehlo.return %h, %l : tensor<f32>, tensor<i32>
    }
  return %r#1 : tensor<4xi32>
}
// EXPECT: applies stablehlo.minimum
// EXPECT: applies stablehlo.minimum
// EXPECT-NOT: reducer

// -----
// RUN: all
func.func @main(%x: tensor<2x4x4x3xf32>) -> tensor<2x1x1x3xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 4, 4, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x4x4x3xf32>, tensor<f32>) -> tensor<2x1x1x3xf32>
  return %r : tensor<2x1x1x3xf32>
}
// EXPECT: stablehlo.reduce(%arg0
// EXPECT: reshape
// EXPECT-NOT: reduce_window

// -----
// few rounds of little work are written out
// RUN: all
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.while(%k = %z, %a = %x) : tensor<i32>, tensor<4xi32>
   cond {
    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %b = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %m = stablehlo.multiply %a, %b : tensor<4xi32>
    %s = stablehlo.add %m, %a : tensor<4xi32>
    %j = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %j, %s : tensor<i32>, tensor<4xi32>
  }
  return %r#1 : tensor<4xi32>
}
// EXPECT: multiply
// EXPECT: multiply
// EXPECT: return
// EXPECT-NOT: while

// -----
// RUN: all
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<50> : tensor<i32>
  %r:2 = stablehlo.while(%k = %z, %a = %x) : tensor<i32>, tensor<4xi32>
   cond {
    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %b = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %m = stablehlo.multiply %a, %b : tensor<4xi32>
    %s = stablehlo.add %m, %a : tensor<4xi32>
    %j = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %j, %s : tensor<i32>, tensor<4xi32>
  }
  return %r#1 : tensor<4xi32>
}
// EXPECT: while

// -----
// one place
// RUN: all
func.func @main(%x: tensor<4x9xf32>, %i: tensor<1xi32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %k = stablehlo.constant dense<7> : tensor<1xi32>
  %a = "stablehlo.gather"(%x, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 0>, slice_sizes = array<i64: 4, 1>}> : (tensor<4x9xf32>, tensor<1xi32>) -> tensor<4xf32>
  %b = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 0>, slice_sizes = array<i64: 4, 1>}> : (tensor<4x9xf32>, tensor<1xi32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
// EXPECT: slice %arg0 [0:4, 7:8]
// EXPECT: dynamic_slice %arg0
// EXPECT-NOT: gather
