// RUN: all
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.sine %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = stablehlo.cosine %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
// EXPECT: %0 = stablehlo.sine %arg0
// EXPECT: return %0
// EXPECT-NOT: stablehlo.if

// -----
// an index out of bounds takes the last branch
// RUN: all
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %i = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.sine %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = stablehlo.cosine %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// EXPECT: stablehlo.cosine
// EXPECT-NOT: stablehlo.case
// EXPECT-NOT: stablehlo.sine

// -----
// a loop carries what changes and is wanted
// RUN: branches,dce
func.func @main(%n: tensor<i32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %0:5 = stablehlo.while(%k = %i, %most = %n, %a = %x, %b = %y, %unused = %x) : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
   cond {
    %1 = stablehlo.compare LT, %k, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %k, %one : tensor<i32>
    %2 = stablehlo.multiply %a, %b : tensor<4xf32>
    %3 = stablehlo.add %unused, %a : tensor<4xf32>
    stablehlo.return %1, %most, %2, %b, %3 : tensor<i32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#2 : tensor<4xf32>
}
// EXPECT: %1:2 = stablehlo.while(%arg3 = %0, %arg4 = %arg1)
// EXPECT: stablehlo.compare LT, %arg3, %arg0
// EXPECT: stablehlo.multiply %arg4, %arg2

// -----
// no round
// RUN: branches,dce
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = stablehlo.constant dense<3> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%k = %i, %a = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %1 = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %k, %one : tensor<i32>
    %2 = stablehlo.sine %a : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
// EXPECT: return %arg0
// EXPECT-NOT: while

// -----
// one round
// RUN: branches,dce
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%k = %i, %a = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %1 = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %k, %one : tensor<i32>
    %2 = stablehlo.sine %a : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
// EXPECT: %0 = stablehlo.sine %arg0
// EXPECT: return %0
// EXPECT-NOT: while
