// A kernel's arguments described, its results made, its call launched.
#include "kernel.h"

namespace bridge {
namespace {

int16_t source_of(const c10::FunctionSchema& schema, const c10::Argument& result) {
  if (!result.alias_info() || !result.alias_info()->isWrite()) return -1;
  for (size_t i = 0; i < schema.arguments().size(); i++) {
    const auto* alias = schema.arguments()[i].alias_info();
    if (alias && alias->isWrite() && alias->beforeSets() == result.alias_info()->beforeSets()) return static_cast<int16_t>(i);
  }
  return -1;
}

at::Tensor made(const fl_call& call, uint32_t k, fl_buffer** buffer) {
  return empty_like_type(call.targets[k].type, call.layouts ? &call.layouts[k] : nullptr,
                         static_cast<c10::DeviceIndex>(call.device), buffer);
}

void launch_call(fl_call& call, fl_buffer* const* fresh) {
  fl_status status = engine()->call_launch(&call, fresh);
  if (C10_UNLIKELY(status != nullptr)) check(status, engine()->operator_name(call.op));
}

}  // namespace

Kernel::Kernel(uint32_t id, const c10::FunctionSchema& schema) : op(id), count(static_cast<uint16_t>(schema.arguments().size())) {
  TORCH_CHECK(count <= FL_MAX_ARGS, "tpu: ", schema.name(), " has more than ", FL_MAX_ARGS, " arguments");
  for (uint16_t i = 0; i < count; i++) {
    const auto& argument = schema.arguments()[i];
    kinds[i] = kind_of(argument);
    if (argument.alias_info() && argument.alias_info()->isWrite()) {
      written[written_count++] = i;
      out_argument[i] = argument.is_out();
      has_out |= out_argument[i];
    }
    if (!out_argument[i] && argument.type()->str().find("Tensor") != std::string::npos) fills = false;
  }
  fills = fills || schema.argumentIndexWithName("generator");
  counts_versions = written_count && schema.name().rfind("aten::_foreach_", 0) == 0 && !has_out;
  raises = schema.name() == "aten::cholesky";
  check_errors = schema.argumentIndexWithName("check_errors").value_or(-1);
  for (const auto& r : schema.returns()) {
    auto kind = r.type()->kind();
    returns.push_back({source_of(schema, r), kind == c10::TypeKind::ListType     ? Return::kList
                                             : kind == c10::TypeKind::TensorType ? Return::kTensor
                                                                                 : Return::kInteger});
  }
}

void Kernel::fill(fl_call& call, const Arguments& a) const {
  call.op = op;
  call.device = a.device < 0 ? current_device() : a.device;
  call.stream = current_stream(static_cast<c10::DeviceIndex>(call.device));
  call.args = a.values;
  call.arg_count = count;
  call.written = written;
  call.written_count = written_count;
  call.functional = is_form ? static_cast<uint8_t>(1 + to_dtype(c10::get_default_dtype_as_scalartype())) : 0;
  call.factors = factors;
}

void Kernel::describe(fl_call& call, Arguments& a, const Stack* stack) const {
  a.describe(stack->data() + stack->size() - count, count, kinds);
  fill(call, a);
}

void Kernel::finish(fl_call& call, Stack* stack) const {
  call.generator = default_generator_state(static_cast<c10::DeviceIndex>(call.device));
  bool waits = raises || (check_errors >= 0 && (*stack)[stack->size() - count + check_errors].toBool());
  if (returns.size() == 1 && returns[0].kind == Return::kTensor && call.target_count == 1) finish_one(call, stack);
  else finish_many(call, stack);
  if (C10_UNLIKELY(waits)) {
    auto* d = device(call.device);
    check(d->vtable->synchronize(d, call.stream), nullptr);
  }
}

void Kernel::finish_one(fl_call& call, Stack* stack) const {
  at::Tensor fresh;
  fl_buffer* buffer = nullptr;
  if (call.targets[0].kind == FL_TO_FRESH) fresh = made(call, 0, &buffer);
  launch_call(call, &buffer);
  c10::IValue result = returns[0].arg >= 0 ? std::move((*stack)[stack->size() - count + returns[0].arg]) : std::move(fresh);
  torch::jit::drop(*stack, count);
  stack->push_back(std::move(result));
}

void Kernel::finish_many(fl_call& call, Stack* stack) const {
  c10::SmallVector<at::Tensor, 4> fresh;  // undefined ones included
  c10::SmallVector<fl_buffer*, 4> buffers;
  c10::SmallVector<int64_t, 4> integers;
  for (uint32_t k = 0; k < call.target_count; k++) {
    const fl_target& t = call.targets[k];
    if (t.kind == FL_TO_INTEGER) integers.push_back(t.integer);
    else if (t.kind == FL_TO_UNDEFINED) fresh.emplace_back();
    else if (t.kind == FL_TO_FRESH) fresh.push_back(made(call, k, &buffers.emplace_back()));
  }
  launch_call(call, buffers.data());
  c10::SmallVector<c10::IValue, 4> results;
  size_t base = stack->size() - count, next = 0, next_integer = 0;
  for (const auto& r : returns) {
    if (r.arg >= 0) results.push_back((*stack)[base + r.arg]);
    else if (r.kind == Return::kInteger) results.emplace_back(next_integer < integers.size() ? integers[next_integer++] : 0);
    else if (r.kind == Return::kTensor) results.emplace_back(next < fresh.size() ? std::move(fresh[next++]) : at::Tensor());
    else {
      c10::List<at::Tensor> list;
      while (next < fresh.size()) list.push_back(std::move(fresh[next++]));
      results.emplace_back(std::move(list));
    }
  }
  torch::jit::drop(*stack, count);
  for (auto& r : results) stack->push_back(std::move(r));
}

void Kernel::launch(fl_call& call, at::Tensor* fresh) const {
  c10::SmallVector<fl_buffer*, 4> buffers;
  call.generator = default_generator_state(static_cast<c10::DeviceIndex>(call.device));
  for (uint32_t k = 0; k < call.target_count; k++)
    if (call.targets[k].kind == FL_TO_FRESH) fresh[k] = made(call, k, &buffers.emplace_back());
  launch_call(call, buffers.data());
}

}  // namespace bridge
