// Process groups along the axes of a mesh: each replica gathers the ids of its group.

// A mesh of 2 x 3 replicas: groups along its second axis.
module {
  sdy.mesh @grid = <["x"=2, "y"=3]>
  func.func @f() -> tensor<3xui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
    %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "y">]>} : (tensor<1xui32>) -> tensor<3xui32>
    return %2 : tensor<3xui32>
  }
  func.func @main() {
    %0:6 = "interpreter.run_parallel"() {programs = [[@f], [@f], [@f], [@f], [@f], [@f]]} : () -> (tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>)
    check.expect_eq_const %0#0, dense<[0, 1, 2]> : tensor<3xui32>
    check.expect_eq_const %0#1, dense<[0, 1, 2]> : tensor<3xui32>
    check.expect_eq_const %0#2, dense<[0, 1, 2]> : tensor<3xui32>
    check.expect_eq_const %0#3, dense<[3, 4, 5]> : tensor<3xui32>
    check.expect_eq_const %0#4, dense<[3, 4, 5]> : tensor<3xui32>
    check.expect_eq_const %0#5, dense<[3, 4, 5]> : tensor<3xui32>
    return
  }
}

// -----

// Groups along the first axis.
module {
  sdy.mesh @grid = <["x"=2, "y"=3]>
  func.func @f() -> tensor<2xui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
    %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<1xui32>) -> tensor<2xui32>
    return %2 : tensor<2xui32>
  }
  func.func @main() {
    %0:6 = "interpreter.run_parallel"() {programs = [[@f], [@f], [@f], [@f], [@f], [@f]]} : () -> (tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>)
    check.expect_eq_const %0#0, dense<[0, 3]> : tensor<2xui32>
    check.expect_eq_const %0#1, dense<[1, 4]> : tensor<2xui32>
    check.expect_eq_const %0#2, dense<[2, 5]> : tensor<2xui32>
    check.expect_eq_const %0#3, dense<[0, 3]> : tensor<2xui32>
    check.expect_eq_const %0#4, dense<[1, 4]> : tensor<2xui32>
    check.expect_eq_const %0#5, dense<[2, 5]> : tensor<2xui32>
    return
  }
}

// -----

// Both axes, the second outside.
module {
  sdy.mesh @grid = <["x"=2, "y"=3]>
  func.func @f() -> tensor<6xui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
    %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>} : (tensor<1xui32>) -> tensor<6xui32>
    return %2 : tensor<6xui32>
  }
  func.func @main() {
    %0:6 = "interpreter.run_parallel"() {programs = [[@f], [@f], [@f], [@f], [@f], [@f]]} : () -> (tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>)
    check.expect_eq_const %0#0, dense<[0, 3, 1, 4, 2, 5]> : tensor<6xui32>
    check.expect_eq_const %0#1, dense<[0, 3, 1, 4, 2, 5]> : tensor<6xui32>
    check.expect_eq_const %0#2, dense<[0, 3, 1, 4, 2, 5]> : tensor<6xui32>
    check.expect_eq_const %0#3, dense<[0, 3, 1, 4, 2, 5]> : tensor<6xui32>
    check.expect_eq_const %0#4, dense<[0, 3, 1, 4, 2, 5]> : tensor<6xui32>
    check.expect_eq_const %0#5, dense<[0, 3, 1, 4, 2, 5]> : tensor<6xui32>
    return
  }
}

// -----

// A part of an axis: of x = 2 x 2 x 2 the middle.
module {
  sdy.mesh @grid = <["x"=8]>
  func.func @f() -> tensor<2xui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
    %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>]>} : (tensor<1xui32>) -> tensor<2xui32>
    return %2 : tensor<2xui32>
  }
  func.func @main() {
    %0:8 = "interpreter.run_parallel"() {programs = [[@f], [@f], [@f], [@f], [@f], [@f], [@f], [@f]]} : () -> (tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>)
    check.expect_eq_const %0#0, dense<[0, 2]> : tensor<2xui32>
    check.expect_eq_const %0#1, dense<[1, 3]> : tensor<2xui32>
    check.expect_eq_const %0#2, dense<[0, 2]> : tensor<2xui32>
    check.expect_eq_const %0#3, dense<[1, 3]> : tensor<2xui32>
    check.expect_eq_const %0#4, dense<[4, 6]> : tensor<2xui32>
    check.expect_eq_const %0#5, dense<[5, 7]> : tensor<2xui32>
    check.expect_eq_const %0#6, dense<[4, 6]> : tensor<2xui32>
    check.expect_eq_const %0#7, dense<[5, 7]> : tensor<2xui32>
    return
  }
}

// -----

// Devices in an order of their own: rows of the mesh are (3, 1) and (2, 0).
module {
  sdy.mesh @grid = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
  func.func @f() -> tensor<2xui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
    %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "y">]>} : (tensor<1xui32>) -> tensor<2xui32>
    return %2 : tensor<2xui32>
  }
  func.func @main() {
    %0:4 = "interpreter.run_parallel"() {programs = [[@f], [@f], [@f], [@f]]} : () -> (tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>)
    check.expect_eq_const %0#0, dense<[2, 0]> : tensor<2xui32>
    check.expect_eq_const %0#1, dense<[3, 1]> : tensor<2xui32>
    check.expect_eq_const %0#2, dense<[2, 0]> : tensor<2xui32>
    check.expect_eq_const %0#3, dense<[3, 1]> : tensor<2xui32>
    return
  }
}

// -----

// The mesh in the attribute itself: rows (0, 2) and (1, 3).
module {
  func.func @f() -> tensor<2xui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
    %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 2>, #stablehlo.mesh_axis<name = "b", size = 2>], device_ids = dense<[0, 2, 1, 3]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "b">]>} : (tensor<1xui32>) -> tensor<2xui32>
    return %2 : tensor<2xui32>
  }
  func.func @main() {
    %0:4 = "interpreter.run_parallel"() {programs = [[@f], [@f], [@f], [@f]]} : () -> (tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>)
    check.expect_eq_const %0#0, dense<[0, 2]> : tensor<2xui32>
    check.expect_eq_const %0#1, dense<[1, 3]> : tensor<2xui32>
    check.expect_eq_const %0#2, dense<[0, 2]> : tensor<2xui32>
    check.expect_eq_const %0#3, dense<[1, 3]> : tensor<2xui32>
    return
  }
}

// -----

// A mesh that is not there.
// expect-error: expected a mesh @nowhere
module {
  sdy.mesh @grid = <["x"=2, "y"=3]>
  func.func @f() -> tensor<3xui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
    %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @nowhere, axes = [#stablehlo.axis_ref<name = "y">]>} : (tensor<1xui32>) -> tensor<3xui32>
    return %2 : tensor<3xui32>
  }
  func.func @main() {
    %0:6 = "interpreter.run_parallel"() {programs = [[@f], [@f], [@f], [@f], [@f], [@f]]} : () -> (tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>)
    return
  }
}

// -----

// An axis that is not there.
// expect-error: expected an axis of the mesh
module {
  sdy.mesh @grid = <["x"=2, "y"=3]>
  func.func @f() -> tensor<3xui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
    %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "z">]>} : (tensor<1xui32>) -> tensor<3xui32>
    return %2 : tensor<3xui32>
  }
  func.func @main() {
    %0:6 = "interpreter.run_parallel"() {programs = [[@f], [@f], [@f], [@f], [@f], [@f]]} : () -> (tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>)
    return
  }
}

// -----

// An axis twice.
// expect-error: expected each axis once
module {
  sdy.mesh @grid = <["x"=2, "y"=3]>
  func.func @f() -> tensor<9xui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
    %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "y">]>} : (tensor<1xui32>) -> tensor<9xui32>
    return %2 : tensor<9xui32>
  }
  func.func @main() {
    %0:6 = "interpreter.run_parallel"() {programs = [[@f], [@f], [@f], [@f], [@f], [@f]]} : () -> (tensor<9xui32>, tensor<9xui32>, tensor<9xui32>, tensor<9xui32>, tensor<9xui32>, tensor<9xui32>)
    return
  }
}
