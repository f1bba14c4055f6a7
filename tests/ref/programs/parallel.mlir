// Collectives and point-to-point operations beyond what the conformance programs show.

func.func @reduce_scatter(%x: tensor<2x4xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>} : (tensor<2x4xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %y = stablehlo.constant dense<[[10, 20, 30, 40], [50, 60, 70, 80]]> : tensor<2x4xi32>
  %0:2 = "interpreter.run_parallel"(%x, %y) {programs = [[@reduce_scatter], [@reduce_scatter]]} : (tensor<2x4xi32>, tensor<2x4xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[11, 22], [55, 66]]> : tensor<2x2xi32>
  check.expect_eq_const %0#1, dense<[[33, 44], [77, 88]]> : tensor<2x2xi32>
  return
}

// -----

// Flattened ids on a grid of 2 x 2: groups {0, 3} and {2, 1}; maximum as the reducer.
func.func @all_reduce(%x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 3], [2, 1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 0>, use_global_device_ids} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %c = stablehlo.constant dense<3> : tensor<i32>
  %d = stablehlo.constant dense<4> : tensor<i32>
  %0:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@all_reduce, @all_reduce], [@all_reduce, @all_reduce]]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<4> : tensor<i32>
  check.expect_eq_const %0#1, dense<3> : tensor<i32>
  check.expect_eq_const %0#2, dense<3> : tensor<i32>
  check.expect_eq_const %0#3, dense<4> : tensor<i32>
  return
}

// -----

// cross_replica_and_partition: all partitions of the replicas of a group.
func.func @all_reduce(%x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %c = stablehlo.constant dense<3> : tensor<i32>
  %d = stablehlo.constant dense<4> : tensor<i32>
  %0:4 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@all_reduce, @all_reduce], [@all_reduce, @all_reduce]]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<3> : tensor<i32>
  check.expect_eq_const %0#1, dense<3> : tensor<i32>
  check.expect_eq_const %0#2, dense<7> : tensor<i32>
  check.expect_eq_const %0#3, dense<7> : tensor<i32>
  return
}

// -----

// No groups: all replicas are one.
func.func @sum(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %c = stablehlo.constant dense<[100.0, 200.0]> : tensor<2xf32>
  %0:3 = "interpreter.run_parallel"(%a, %b, %c) {programs = [[@sum], [@sum], [@sum]]} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %0#0, dense<[111.0, 222.0]> : tensor<2xf32>
  check.expect_eq_const %0#2, dense<[111.0, 222.0]> : tensor<2xf32>
  return
}

// -----

// Several collectives one after another, in a loop: each process adds what all have, 3 times (1 + 2 -> 3, 3 -> 6, 6 -> 12).
func.func @f(%x: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = "stablehlo.all_reduce"(%v) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %t = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %t : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i32>) -> tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %s : tensor<i32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}
func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@f], [@f]]} : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<12> : tensor<i32>
  check.expect_eq_const %0#1, dense<12> : tensor<i32>
  return
}

// -----

// Different programs: one sends along pairs, the others receive; who is no target gets zeros.
func.func @ring(%x: tensor<2xi32>, %t: !stablehlo.token) -> (tensor<2xi32>, !stablehlo.token) {
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
  %1:2 = "stablehlo.recv"(%0) {channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
  return %1#0, %1#1 : tensor<2xi32>, !stablehlo.token
}
func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %c = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %t = stablehlo.create_token : !stablehlo.token
  %0:6 = "interpreter.run_parallel"(%a, %t, %b, %t, %c, %t) {programs = [[@ring], [@ring], [@ring]]} : (tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token) -> (tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token, tensor<2xi32>, !stablehlo.token)
  check.expect_eq_const %0#0, dense<[0, 0]> : tensor<2xi32>
  check.expect_eq_const %0#2, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0#4, dense<[3, 4]> : tensor<2xi32>
  return
}

// -----

// collective_reduce with a root from the data.
func.func @f(%x: tensor<2xi32>, %root: tensor<1xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.collective_reduce"(%x, %root) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %root = stablehlo.constant dense<1> : tensor<1xi32>
  %0:2 = "interpreter.run_parallel"(%a, %root, %b, %root) {programs = [[@f], [@f]]} : (tensor<2xi32>, tensor<1xi32>, tensor<2xi32>, tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[0, 0]> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<[4, 6]> : tensor<2xi32>
  return
}

// -----

// expect-error: processes wait for each other or for one that has ended: (0, 0) in all_reduce
func.func @f(%x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @g(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}
func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = "interpreter.run_parallel"(%a, %a) {programs = [[@f], [@g]]} : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  return
}

// -----

// expect-error: (0, 0) in recv, (1, 0) in recv
func.func @f(%t: !stablehlo.token) -> (tensor<i32>, !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  return %0#0, %0#1 : tensor<i32>, !stablehlo.token
}
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %0:4 = "interpreter.run_parallel"(%t, %t) {programs = [[@f], [@f]]} : (!stablehlo.token, !stablehlo.token) -> (tensor<i32>, !stablehlo.token, tensor<i32>, !stablehlo.token)
  return
}

// -----

// expect-error: process (1, 0)
func.func @f() -> tensor<i32> {
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i1>
  %2 = "stablehlo.if"(%1) ({
    %3 = stablehlo.custom_call @nobody.knows() : () -> tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }, {
    %4 = stablehlo.constant dense<0> : tensor<i32>
    stablehlo.return %4 : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  %5 = "stablehlo.all_reduce"(%2) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i32>) -> tensor<i32>
  return %5 : tensor<i32>
}
func.func @main() {
  %0:2 = "interpreter.run_parallel"() {programs = [[@f], [@f]]} : () -> (tensor<i32>, tensor<i32>)
  return
}

// -----

// Asynchronous: the future holds what the collective gave.
func.func @f(%x: tensor<2xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xi32>):
    %1 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
    stablehlo.return %1 : tensor<4xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<4xi32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xi32>>) -> tensor<4xi32>
  return %2 : tensor<4xi32>
}
func.func @main() {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %0:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@f], [@f]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %0#0, dense<[3, 4, 1, 2]> : tensor<4xi32>
  check.expect_eq_const %0#1, dense<[3, 4, 1, 2]> : tensor<4xi32>
  return
}

// -----

// JAX's ragged_all_to_all, with the example of its documentation.
func.func @f(%x: tensor<3xi32>, %from: tensor<2xi32>, %sizes: tensor<2xi32>, %to: tensor<2xi32>, %back: tensor<2xi32>) -> tensor<4xi32> {
  %zeros = stablehlo.constant dense<0> : tensor<4xi32>
  %0 = stablehlo.custom_call @ragged_all_to_all(%x, %zeros, %from, %sizes, %to, %back) {api_version = 4 : i32, backend_config = {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<3xi32>, tensor<4xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi32>
  %y = stablehlo.constant dense<[3, 4, 0]> : tensor<3xi32>
  %01 = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %12 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %00 = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %11 = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %21 = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %0:2 = "interpreter.run_parallel"(%x, %01, %12, %00, %11, %y, %01, %11, %12, %21) {programs = [[@f], [@f]]} : (tensor<3xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %0#0, dense<[1, 3, 0, 0]> : tensor<4xi32>
  check.expect_eq_const %0#1, dense<[2, 2, 4, 0]> : tensor<4xi32>
  return
}

// -----

// A process alone: groups of itself.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  %1 = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  %2 = stablehlo.partition_id : tensor<ui32>
  check.expect_eq_const %1, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %2, dense<0> : tensor<ui32>
  return
}

// -----

// expect-error: expected replica_groups of ids below 1
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
  return
}
