module @attributes attributes {mhlo.num_partitions = 1 : i1, test.list = [1 : i8, "a", @f, unit], test.ints = array<i1: true, false>} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.sine %x {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
