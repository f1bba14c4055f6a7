// Calls that write in a way for which PyTorch's CPU kernels have rules of their own: memory shared between arguments, several
// elements in one place, `out=` of another type. The host's kernels are asked, so that types, messages and results are theirs.
#pragma once

#include "bridge.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <vector>

namespace bridge {

// Copies of tensors on the host, which share memory as the tensors do: storages are copied whole.
class Mirror {
 public:
  at::Tensor of(const at::Tensor& tensor);
  c10::IValue of(const c10::IValue& value);   // tensors in lists too; the rest as it is
  void write_back(const at::Tensor& tensor);  // what became of its copy: sizes and the memory

 private:
  struct Copy {
    at::Tensor tensor, host;
  };
  std::vector<std::pair<c10::Storage, c10::Storage>> storages_;
  std::vector<Copy> copies_;

  c10::Storage storage_of(const at::Tensor& tensor);
};

// Whether several elements of a tensor lie in one place, or may.
bool overlaps_itself(const at::Tensor& tensor);
// Whether two tensors share a part of their memory, not all of it in one way.
bool overlap_in_part(const at::Tensor& a, const at::Tensor& b);

// Looks at a call that writes and that the engine has not seen: `written` are the positions of what it writes. True when the host
// has run it; its results are on the stack then. Throws what the host's kernel throws about it.
bool run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack, const uint16_t* written, size_t written_count,
                 bool has_out);

}  // namespace bridge
