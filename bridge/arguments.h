// The arguments of one call of an operator, described to the engine.
#pragma once

#include "bridge.h"

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <vector>

namespace bridge {

enum class ArgumentKind : uint8_t { kPlain, kScalar, kDtype };
ArgumentKind kind_of(const c10::Argument& argument);

// Storage for the descriptions. Lists keep their elements where they are when the outer vector moves them.
struct Arguments {
  static constexpr int kTensors = 16, kInts = 64;

  fl_value values[FL_MAX_ARGS];
  c10::DeviceIndex device = -1;  // of the tensors; -1: none is on a tpu device

  // Describes the `count` IValues at `first`; they must stay where they are.
  void describe(const c10::IValue* first, uint16_t count, const ArgumentKind* kinds);

 private:
  fl_tensor tensors_[kTensors];
  int tensor_count_ = 0;
  int64_t ints_[kInts];
  int int_count_ = 0;
  std::vector<std::vector<fl_tensor>> tensor_lists_;
  std::vector<std::vector<int64_t>> int_lists_;
  std::vector<std::vector<double>> double_lists_;
  std::vector<std::vector<fl_value>> scalar_lists_;

  void see_device(const at::Tensor& t);
  void put_tensor(fl_value& v, const at::Tensor& t);
  void put_list(fl_value& v, const c10::IValue& x);
  void put_other(fl_value& v, const c10::IValue& x);
  int64_t* reserve_ints(size_t n);
};

}  // namespace bridge
