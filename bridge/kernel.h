// What the kernels of the engine's operators share, called with a stack of boxed values (trampoline.cpp) or directly (direct.h).
#pragma once

#include "arguments.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>

namespace bridge {

using Stack = torch::jit::Stack;

struct Return {
  enum Kind : uint8_t { kTensor, kList, kInteger };
  int16_t arg;  // the argument that is returned; -1: something new
  Kind kind;
};

// Gives a prepared call up when an exception leaves the kernel before the launch.
struct Abandon {
  fl_call& call;
  ~Abandon() {
    if (C10_UNLIKELY(call.entry != nullptr)) engine()->call_abandon(&call);
  }
};

// generator.cpp: the state of the generator of a device that there is.
fl_generator* default_generator_state(c10::DeviceIndex index);

// What calls of one operator have in common.
struct Kernel : c10::OperatorKernel {
  uint32_t op;
  uint16_t count = 0, written_count = 0;
  uint16_t written[FL_MAX_ARGS];
  ArgumentKind kinds[FL_MAX_ARGS];
  bool out_argument[FL_MAX_ARGS] = {}, has_out = false;
  std::vector<Return> returns;
  bool is_form = false;  // of an out= operator, which makes its results
  uint32_t factors = 0;  // see fl_call
  // The argument that asks for an error at once where a matrix cannot be factored; -1: there is none. `raises`: it always is.
  int check_errors = -1;
  bool raises = false;
  bool counts_versions = false;  // of what it writes, for PyTorch leaves that to the kernels of lists
  bool fills = true;             // it reads no tensors, or draws: PyTorch resizes what such operators write without a warning

  Kernel(uint32_t id, const c10::FunctionSchema& schema);
  virtual void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, Stack* stack) = 0;

  bool is_written(uint16_t i) const { return std::find(written, written + written_count, i) != written + written_count; }
  // The call of arguments that are described.
  void fill(fl_call& call, const Arguments& a) const;
  void describe(fl_call& call, Arguments& a, const Stack* stack) const;
  // Launches a prepared call and leaves what the schema returns on the stack in the place of the arguments.
  void finish(fl_call& call, Stack* stack) const;
  // The same without a stack: `fresh` has room for all targets.
  void launch(fl_call& call, at::Tensor* fresh) const;

 private:
  void finish_one(fl_call& call, Stack* stack) const;
  void finish_many(fl_call& call, Stack* stack) const;
};

}  // namespace bridge
