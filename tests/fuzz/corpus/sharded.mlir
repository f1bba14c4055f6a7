module @m attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  sdy.mesh @other = <["x"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  sdy.mesh @empty_mesh = <[]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {"b":(1)2, ?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], replicated={"a"}, unreduced={"b"}>}, %arg2: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=8]>, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty_mesh, [{}]>}) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.sine %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : tensor<8x8xf32>
    %2 = sdy.manual_computation(%1, %arg2) in_shardings=[<@mesh, [{"a", ?}, {"b"}]>, <@mesh, [{"a", "b"}, {}]>] out_shardings=[<@mesh, [{}, {?}]>] manual_axes={"a"} (%arg3: tensor<4x8xf32>, %arg4: tensor<4x2xf32>) {
      %5 = "stablehlo.all_reduce"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %6 = stablehlo.add %arg5, %arg6 : tensor<f32>
        %7 = sdy.sharding_constraint %6 <@mesh, []> : tensor<f32>
        stablehlo.return %7 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      sdy.return %5 : tensor<4x8xf32>
    } : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.concatenate %2, %2, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{"a", "b":(2)2}, {"b":(1)2}]> : tensor<8x8xf32>
    sdy.sharding_group %4 group_id = 1 : tensor<8x8xf32>
    %8 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
    return %4, %8 : tensor<8x8xf32>, tensor<8xf32>
  }
}
