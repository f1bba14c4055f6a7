// The boxed kernels: an operator's arguments are described to the engine, results are made or resized, and the engine runs it.
#include "direct.h"
#include "mirror.h"
#include "typed.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>

#include <map>
#include <set>

namespace bridge {

fl_value value_of(const fl_tensor* tensor) {
  fl_value v{};
  v.tag = FL_TAG_TENSOR;
  v.count = 1;
  v.u.tensor = tensor;
  return v;
}

fl_value value_of(int64_t i) {
  fl_value v{};
  v.tag = FL_TAG_INT;
  v.u.i = i;
  return v;
}

void call_operator(int op, const fl_value* args, uint32_t count, const uint16_t* written, uint32_t written_count, int device) {
  fl_call call{};
  call.op = static_cast<uint32_t>(op);
  call.device = device;
  call.stream = current_stream(static_cast<c10::DeviceIndex>(device));
  call.args = args;
  call.arg_count = count;
  call.written = written;
  call.written_count = written_count;
  fl_status status = engine()->call_prepare(&call);
  if (C10_LIKELY(!status)) status = engine()->call_launch(&call, nullptr);
  if (C10_UNLIKELY(status != nullptr)) check(status, engine()->operator_name(call.op));
}

namespace {

// Calls of this thread in which PyTorch's kernels make results of their own: nothing is wrong with those.
thread_local int t_composes;
struct Composing {
  Composing() { t_composes++; }
  ~Composing() { t_composes--; }
};

// An operator of the engine's table.
struct Operator final : Kernel {
  using Kernel::Kernel;

  // With the warning that arange has of its own.
  static void resize_as_arange(const at::Tensor& out, int64_t count) {
    if (out.numel() > 0)
      TORCH_WARN(
          "The number of elements in the out tensor of shape ", out.sizes(), " is ", out.numel(),
          " which does not match the computed number of elements ", count,
          ". Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape (",
          count, ",).");
    out.resize_({count});
  }

  // Resizes out= tensors whose shape is not the result's. Returns whether any was.
  bool resize_outputs(const fl_call& call, Stack* stack) const {
    bool resized = false;
    for (uint32_t k = 0; k < call.target_count; k++) {
      const fl_target& t = call.targets[k];
      if (t.kind != FL_TO_ARG) continue;
      c10::IValue& x = (*stack)[stack->size() - count + t.arg];
      const at::Tensor& tensor = t.element < 0 ? x.toTensor() : x.toListRef()[t.element].toTensor();
      c10::IntArrayRef sizes(t.type.dims, t.type.rank);
      if (tensor.sizes() == sizes) continue;
      TORCH_CHECK(out_argument[t.arg], "output with shape ", tensor.sizes(), " doesn't match the broadcast shape ", sizes);
      bool was_empty = tensor.numel() == 0;
      static const int arange = engine()->operator_find("arange.start_out");
      if (static_cast<int>(op) == arange) resize_as_arange(tensor, sizes[0]);
      else if (fills) tensor.resize_(sizes);
      else at::native::resize_output(tensor, sizes);
      if (was_empty && call.layouts) tensor.as_strided_(sizes, c10::IntArrayRef(call.layouts[k].strides, t.type.rank));
      resized = true;
    }
    return resized;
  }

  void count_versions(const Stack* stack) const {
    for (uint16_t k = 0; k < written_count; k++)
      for (const auto& x : (*stack)[stack->size() - count + written[k]].toListRef())
        x.toTensor().unsafeGetTensorImpl()->bump_version();
  }

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, Stack* stack) override {
    Arguments a;
    fl_call call{};
    Abandon abandon{call};
    describe(call, a, stack);
    if (counts_versions) count_versions(stack);
    if (written_count && C10_UNLIKELY(!engine()->call_find(&call)) && !t_composes &&
        run_on_host(handle, stack, written, written_count, has_out))
      return;
    fl_status status = call.entry ? nullptr : engine()->call_prepare(&call);
    if (C10_UNLIKELY(status != nullptr)) {
      if (engine()->status_code(status) == FL_UNSUPPORTED) {
        std::string why = engine()->status_message(status);
        engine()->status_free(status);
        host_fallback(handle, stack, why);
        return;
      }
      check(status, engine()->operator_name(op));
    }
    if (C10_UNLIKELY(written_count && resize_outputs(call, stack))) {
      describe(call, a, stack);
      check(engine()->call_prepare(&call), engine()->operator_name(op));
    }
    finish(call, stack);
  }
};

// The form of an out= operator that makes its results (add.Tensor of add.out). What they are follows from rules that PyTorch
// has in C++ alone: its own kernel applies them and calls the out= operator. That is done once for all calls that look the
// same; the engine remembers what came out, and later calls allocate and launch at once.
struct Form final : Kernel {
  const int indices;  // the argument that is a list of indices; -1: none is

  Form(uint32_t id, const c10::FunctionSchema& schema) : Kernel(id, schema), indices(find_indices(schema)) {
    is_form = true;
    // numbers that PyTorch's rules ask for their type, but never for their value
    static const std::set<std::string> names = {"add",     "sub",     "addmm",   "addmv", "addbmm",
                                                "baddbmm", "addcmul", "addcdiv", "lerp"};
    if (names.count(schema.name().substr(6)) == 0) return;
    for (uint16_t i = 0; i < count; i++) factors |= static_cast<uint32_t>(kinds[i] == ArgumentKind::kScalar) << i;
  }

  static int find_indices(const c10::FunctionSchema& schema) {
    for (size_t i = 0; i < schema.arguments().size(); i++)
      if (schema.arguments()[i].type()->str() == "Tensor?[]") return static_cast<int>(i);
    return -1;
  }

  // Whether the results' types and strides follow from those of the arguments: of masks they do not, and indices of other types, or on
  // another device, are converted first. Where there are no elements, indices are not looked at.
  bool is_learnt(const Stack* stack) const {
    if (indices < 0) return true;
    const c10::IValue* first = stack->data() + stack->size() - count;
    const at::Tensor& self = first[0].toTensor();
    if (!self.numel()) return false;
    for (const c10::IValue& x : first[indices].toListRef()) {
      if (!x.isTensor() || !x.toTensor().defined()) continue;
      const at::Tensor& index = x.toTensor();
      if (index.scalar_type() != at::kLong || index.device() != self.device() || !index.numel()) return false;
    }
    return true;
  }

  void compose(const c10::OperatorHandle& handle, Stack* stack) const {
    Composing composing;
    handle.redispatchBoxed(kPyTorchs, stack);
  }

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, Stack* stack) override {
    if (!is_learnt(stack)) return compose(handle, stack);
    Arguments a;
    fl_call call{};
    Abandon abandon{call};
    describe(call, a, stack);
    if (C10_LIKELY(engine()->call_find(&call))) return finish(call, stack);
    Stack arguments(stack->end() - count, stack->end());  // the call describes them still
    compose(handle, stack);
    learn(call, stack);
  }

  void learn(fl_call& call, const Stack* stack) const {
    c10::SmallVector<fl_tensor, 4> results(returns.size());
    for (size_t k = 0; k < returns.size(); k++) {
      const at::Tensor& t = (*stack)[stack->size() - returns.size() + k].toTensor();
      bridge::describe(&results[k], t);
      results[k].buffer = nullptr;
      results[k].offset = 0;
    }
    fl_status status = engine()->call_learn(&call, results.data(), static_cast<uint32_t>(results.size()));
    if (status) engine()->status_free(status);  // what cannot be remembered is composed each time
  }

  // A key for which nobody registers kernels: calls with it run those that PyTorch has for any backend.
  static constexpr c10::DispatchKeySet kPyTorchs{c10::DispatchKey::PrivateUse2};
  static constexpr auto kComposed = c10::DispatchKey::CompositeExplicitAutogradNonFunctional;
};

// Whether `form` is `out` without the results' arguments.
bool is_form(const c10::FunctionSchema& form, const c10::FunctionSchema& out) {
  const auto &a = form.arguments(), &b = out.arguments();
  if (a.size() + form.returns().size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); i++)
    if (a[i].name() != b[i].name() || *a[i].type() != *b[i].type() || (a[i].alias_info() && a[i].alias_info()->isWrite()))
      return false;
  for (size_t i = a.size(); i < b.size(); i++)
    if (!b[i].is_out() || b[i].type()->kind() != c10::TypeKind::TensorType) return false;
  for (const auto& r : form.returns())
    if (r.type()->kind() != c10::TypeKind::TensorType || r.alias_info()) return false;
  return true;
}

void put(torch::Library& library, const std::string& name, const c10::OperatorHandle& handle, std::unique_ptr<Kernel> kernel) {
  if (!register_direct(handle, kernel)) library.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::move(kernel)));
}

}  // namespace

// Registers every operator of the engine's table, and the forms of those that have some. Names are checked against the live
// schemas: PyTorch accepts unknown ones silently.
void register_operators() {
  static auto* library = new torch::Library(torch::Library::IMPL, "aten", kKey, __FILE__, __LINE__);
  static auto* own = new torch::Library(torch::Library::IMPL, "tpu", kKey, __FILE__, __LINE__);
  auto& dispatcher = c10::Dispatcher::singleton();
  std::multimap<std::string, uint32_t> out_operators;  // by name without overload
  std::set<std::string> known;
  for (uint32_t op = 0; op < engine()->operator_count(); op++) {
    std::string name = engine()->operator_name(op);
    known.insert(name);
    auto dot = name.find('.');
    bool is_own = name.rfind("tpu::", 0) == 0;
    c10::OperatorName full((is_own ? "" : "aten::") + name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1));
    auto handle = dispatcher.findSchema(full);
    TORCH_CHECK(handle.has_value(), "tpu: the operator table names ", full, ", which this PyTorch does not have");
    const auto& schema = handle->schema();
    if (schema.arguments().size() && schema.arguments().back().is_out()) out_operators.emplace(full.name, op);
    if (is_typed(name)) continue;
    put(*(is_own ? own : library), name, *handle, std::make_unique<Operator>(op, schema));
  }
  for (const auto& full : dispatcher.getAllOpNames()) {
    auto [first, last] = out_operators.equal_range(full.name);
    if (first == last) continue;
    auto handle = dispatcher.findSchema(full);
    std::string name = full.name.substr(6) + (full.overload_name.empty() ? "" : "." + full.overload_name);
    if (!handle || known.count(name) || !handle->hasKernelForDispatchKey(Form::kComposed)) continue;
    for (; first != last; ++first) {
      std::string out = engine()->operator_name(first->second);
      auto dot = out.find('.');
      const auto& schema = dispatcher.findSchema({full.name, out.substr(dot + 1)})->schema();
      if (!is_form(handle->schema(), schema)) continue;
      put(*library, name, *handle, std::make_unique<Form>(first->second, handle->schema()));
      break;
    }
  }
}

}  // namespace bridge
