// The host's kernels decide about calls that write into shared memory or into tensors of another type.
#include "mirror.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/core/List.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <unordered_map>

namespace bridge {
namespace {

using torch::jit::Stack;

bool on_device(const at::Tensor& t) { return t.defined() && t.device().type() == kTpu; }

// The same value with other tensors; a generator of the device becomes the host's default one.
template <class F>
c10::IValue mapped(const c10::IValue& value, F&& map) {
  if (value.isTensor()) return on_device(value.toTensor()) ? c10::IValue(map(value.toTensor())) : value;
  if (value.isGenerator()) return {};
  if (value.isDevice()) return c10::Device(at::kCPU);
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const std::optional<at::Tensor>& t : value.toOptionalTensorList())
      list.push_back(t && on_device(*t) ? std::optional<at::Tensor>(map(*t)) : t);
    return list;
  }
  if (!value.isTensorList()) return value;
  c10::List<at::Tensor> list;
  for (const at::Tensor& t : value.toTensorList()) list.push_back(on_device(t) ? map(t) : t);
  return list;
}

void bytes(const c10::Storage& device_storage, const c10::Storage& host, bool to_host) {
  if (!host.nbytes()) return;
  auto [buffer, offset] = buffer_of(device_storage.data_ptr());
  auto index = device_storage.device().index();
  fl_device* on = device(index);
  int stream = current_stream(index);
  if (to_host) check(on->vtable->download(on, stream, buffer, offset, host.nbytes(), host.mutable_data()), nullptr);
  else check(on->vtable->upload(on, stream, host.data(), host.nbytes(), buffer, offset), "copy to device");
}

struct Silence : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

}  // namespace

c10::Storage Mirror::storage_of(const at::Tensor& tensor) {
  for (auto& [from, to] : storages_)
    if (from.unsafeGetStorageImpl() == tensor.storage().unsafeGetStorageImpl()) return to;
  auto size = static_cast<int64_t>(tensor.storage().nbytes());
  at::Tensor host = at::empty({size}, at::TensorOptions(at::kByte).device(at::kCPU));
  bytes(tensor.storage(), host.storage(), true);
  storages_.emplace_back(tensor.storage(), host.storage());
  return host.storage();
}

at::Tensor Mirror::of(const at::Tensor& tensor) {
  for (const Copy& c : copies_)
    if (c.tensor.is_same(tensor)) return c.host;
  at::Tensor host = at::empty({0}, at::TensorOptions(tensor.dtype()).device(at::kCPU));
  host.set_(storage_of(tensor), tensor.storage_offset(), tensor.sizes(), tensor.strides());
  host._set_conj(tensor.is_conj());
  host._set_neg(tensor.is_neg());
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) host.unsafeGetTensorImpl()->set_wrapped_number(true);
  copies_.push_back({tensor, host});
  return host;
}

c10::IValue Mirror::of(const c10::IValue& value) {
  return mapped(value, [this](const at::Tensor& t) { return of(t); });
}

void Mirror::write_back(const at::Tensor& tensor) {
  at::Tensor host = of(tensor);
  if (host.sizes() != tensor.sizes() || host.strides() != tensor.strides()) {
    size_t size = host.storage().nbytes();
    if (tensor.storage().nbytes() < size) resize_storage(tensor.storage(), size);
    tensor.unsafeGetTensorImpl()->set_sizes_and_strides(host.sizes(), host.strides());
  }
  bytes(tensor.storage(), host.storage(), false);
}

bool overlaps_itself(const at::Tensor& t) {
  if (t.numel() < 2 || at::has_internal_overlap(t) == at::MemOverlap::No) return false;
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride, size
  for (int64_t d = 0; d < t.dim(); d++)
    if (t.size(d) > 1) dims.emplace_back(t.stride(d), t.size(d));
  std::sort(dims.begin(), dims.end());
  int64_t span = 1;
  for (auto [stride, size] : dims) {
    if (stride < span) return true;
    span += (size - 1) * stride;
  }
  return false;
}

bool overlap_in_part(const at::Tensor& a, const at::Tensor& b) {
  return a.storage().unsafeGetStorageImpl() == b.storage().unsafeGetStorageImpl() &&
         at::get_overlap_status(a, b) == at::MemOverlapStatus::Partial;
}

namespace {

struct Use {
  at::Tensor tensor;
  size_t argument, element;
  bool is_list, is_written;
};

std::vector<Use> uses_of(const Stack* stack, size_t count, const uint16_t* written, size_t written_count) {
  std::vector<Use> uses;
  const c10::IValue* arguments = stack->data() + stack->size() - count;
  for (size_t i = 0; i < count; i++) {
    bool is_written = std::find(written, written + written_count, i) != written + written_count, is_list = arguments[i].isList();
    size_t element = 0;
    mapped(arguments[i], [&](const at::Tensor& t) {
      uses.push_back({t, i, element++, is_list, is_written});
      return t;
    });
  }
  return uses;
}

// Operators on lists go from one tensor to the next: what one step writes the next may read.
bool follow_each_other(const Use& w, const Use& x) {
  return w.is_list && x.is_list && w.element != x.element &&
         at::get_overlap_status(w.tensor, x.tensor) == at::MemOverlapStatus::Full;
}

bool shares_memory_oddly(const std::vector<Use>& uses) {
  std::unordered_map<const void*, std::vector<const Use*>> by_storage;
  for (const Use& u : uses) by_storage[u.tensor.storage().unsafeGetStorageImpl()].push_back(&u);
  for (const Use& w : uses) {
    if (!w.is_written) continue;
    if (overlaps_itself(w.tensor)) return true;
    for (const Use* x : by_storage[w.tensor.storage().unsafeGetStorageImpl()])
      if (x != &w && (overlap_in_part(w.tensor, x->tensor) || follow_each_other(w, *x))) return true;
  }
  return false;
}

// Numbers of a higher kind than a tensor that is written, or tensors of several types.
bool mixes_types(const std::vector<Use>& uses, const Stack* stack, size_t count) {
  if (uses.empty()) return false;
  auto type = uses[0].tensor.scalar_type();
  for (const Use& u : uses)
    if (u.tensor.scalar_type() != type) return true;
  if (c10::isFloatingType(type) || c10::isComplexType(type)) return false;
  if (!uses[0].is_list && uses.size() > 1) return false;
  for (size_t i = stack->size() - count; i < stack->size(); i++) {
    const c10::IValue& x = (*stack)[i];
    if (x.isDouble() || x.isComplexDouble() || x.isDoubleList()) return true;
  }
  return uses[0].is_list;  // of _foreach_sqrt_ and others
}

// At most three elements along every dimension, sizes that were equal stay so; what is the same tensor stays the same.
at::Tensor small(const at::Tensor& t, std::vector<std::pair<at::Tensor, at::Tensor>>& known) {
  for (auto& [from, to] : known)
    if (from.is_same(t)) return to;
  c10::SmallVector<int64_t, 6> sizes(t.sizes().begin(), t.sizes().end());
  for (int64_t& n : sizes) n = std::min<int64_t>(n, 3);
  at::Tensor host = at::zeros(sizes, at::TensorOptions(t.dtype()).device(at::kCPU));
  if (t.unsafeGetTensorImpl()->is_wrapped_number()) host.unsafeGetTensorImpl()->set_wrapped_number(true);
  known.emplace_back(t, host);
  return host;
}

template <class F>
Stack on_host(const c10::OperatorHandle& op, const Stack* stack, F&& map) {
  size_t count = op.schema().arguments().size();
  Stack arguments;
  for (size_t i = stack->size() - count; i < stack->size(); i++) arguments.push_back(map((*stack)[i]));
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &arguments);
  return arguments;
}

// Whether the host's kernel takes the types: it is tried on a few elements, and where it fails on all of them, so that it is
// not the small sizes that it objects to.
void check_types(const c10::OperatorHandle& op, const Stack* stack) {
  Silence silent;
  c10::WarningUtils::WarningHandlerGuard guard(&silent);
  try {
    std::vector<std::pair<at::Tensor, at::Tensor>> known;
    on_host(op, stack, [&](const c10::IValue& x) { return mapped(x, [&](const at::Tensor& t) { return small(t, known); }); });
    return;
  } catch (const c10::Error&) {
  }
  try {
    Mirror mirror;
    on_host(op, stack, [&](const c10::IValue& x) { return mirror.of(x); });
  } catch (const c10::NotImplementedError&) {  // of the host alone
  }
}

// What a schema returns, in the place of the arguments: written ones themselves, the rest moved to the device.
void leave_results(const c10::FunctionSchema& schema, Stack results, c10::Device device, Stack* stack) {
  size_t count = schema.arguments().size();
  for (size_t k = 0; k < results.size(); k++) {
    const auto* alias = schema.returns()[k].alias_info();
    c10::IValue& value = results[k];
    if (value.isTensor() && value.toTensor().defined()) value = value.toTensor().to(device);
    for (size_t i = 0; alias && i < count; i++) {
      const auto* of = schema.arguments()[i].alias_info();
      if (of && of->beforeSets() == alias->beforeSets()) value = (*stack)[stack->size() - count + i];
    }
  }
  torch::jit::drop(*stack, count);
  for (auto& value : results) stack->push_back(std::move(value));
}

void execute(const c10::OperatorHandle& op, Stack* stack, const std::vector<Use>& uses) {
  Mirror mirror;
  Stack results = on_host(op, stack, [&](const c10::IValue& x) { return mirror.of(x); });
  for (const Use& u : uses)
    if (u.is_written) mirror.write_back(u.tensor);
  leave_results(op.schema(), std::move(results), uses[0].tensor.device(), stack);
}

bool draws(const c10::FunctionSchema& schema) {
  for (const auto& argument : schema.arguments())
    if (argument.name() == "generator") return true;
  return false;
}

bool fills(const std::string& name) { return name == "aten::fill_" || name == "aten::zero_"; }

}  // namespace

bool run_on_host(const c10::OperatorHandle& op, Stack* stack, const uint16_t* written, size_t written_count, bool has_out) {
  const auto& schema = op.schema();
  size_t count = schema.arguments().size();
  std::vector<Use> uses = uses_of(stack, count, written, written_count);
  if (uses.empty() || engine()->device_opened(uses[0].tensor.device().index()) != device(uses[0].tensor.device().index()))
    return false;  // recorded
  if (!fills(schema.name()) && shares_memory_oddly(uses)) {
    execute(op, stack, uses);
    return true;
  }
  bool is_public = schema.name().rfind("aten::_", 0) != 0 || schema.name().rfind("aten::_foreach_", 0) == 0;
  if (!draws(schema) && (has_out || (is_public && mixes_types(uses, stack, count)))) check_types(op, stack);
  return false;
}

}  // namespace bridge
