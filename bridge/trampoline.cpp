// The one boxed kernel: describes an operator's arguments to the engine, makes or resizes the results, and launches.
#include "bridge.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "typed.h"

namespace bridge {

void describe(fl_tensor* out, const at::Tensor& tensor) {
  auto* impl = tensor.unsafeGetTensorImpl();
  fl_dtype dtype = to_dtype(tensor.scalar_type());
  TORCH_CHECK_NOT_IMPLEMENTED(dtype != FL_DTYPE_NONE, "tpu: no tensors of dtype ", tensor.scalar_type());
  TORCH_CHECK(impl->dim() <= FL_MAX_RANK, "tpu: tensors have at most ", FL_MAX_RANK, " dimensions, got ", impl->dim());
  *out = fl_tensor{};
  out->sizes = impl->sizes().data();
  out->strides = impl->strides().data();
  out->dtype = static_cast<uint8_t>(dtype);
  out->rank = static_cast<uint8_t>(impl->dim());
  out->wrapped = impl->is_wrapped_number();
  out->conj = tensor.is_conj();
  out->neg = tensor.is_neg();
  if (impl->device_type() == kTpu) {
    auto [buffer, offset] = buffer_of(impl->unsafe_storage().data_ptr());
    out->buffer = buffer;
    out->offset = offset + impl->storage_offset() * static_cast<int64_t>(impl->itemsize());
  } else {
    out->host = impl->data();
  }
}

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
  check(engine()->call_prepare(&call), engine()->operator_name(call.op));
  check(engine()->call_launch(&call, nullptr), engine()->operator_name(call.op));
}

namespace {

// ---- operators that run on the host, by request -------------------------------------------------------------------

std::atomic<int> g_fallback{-1};  // -1: not read yet
std::mutex g_fallback_lock;
std::map<std::string, uint64_t>& fallback_map() {
  static auto* m = new std::map<std::string, uint64_t>;
  return *m;
}

std::string dtypes_of(const c10::OperatorHandle& op, const torch::jit::Stack* stack) {
  std::string text;
  size_t n = op.schema().arguments().size();
  auto add = [&](const at::Tensor& t) {
    if (t.defined()) text += (text.empty() ? "" : ", ") + std::string(c10::toString(t.scalar_type()));
  };
  for (size_t i = stack->size() - n; i < stack->size(); i++) {
    const c10::IValue& x = (*stack)[i];
    if (x.isTensor()) add(x.toTensor());
    else if (x.isTensorList())
      for (const c10::IValue& t : x.toListRef()) add(t.toTensor());
  }
  return text;
}

void host_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack, const std::string& why) {
  std::string name = c10::toString(op.operator_name());
  TORCH_CHECK_NOT_IMPLEMENTED(fallback_enabled(), "tpu: no lowering for ", name, " with dtypes (", dtypes_of(op, stack), ")",
                              why.empty() ? "" : ": " + why, "; set TORCH_TPU_FALLBACK=1 to run such operators on the host");
  {
    std::lock_guard<std::mutex> guard(g_fallback_lock);
    if (fallback_map()[name]++ == 0) TORCH_WARN("tpu: ", name, " runs on the host (TORCH_TPU_FALLBACK=1)");
  }
  at::native::cpu_fallback(op, stack, /*error_on_views=*/true);
}

void boxed_fallback(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  host_fallback(op, stack, "");
}

// ---- describing the arguments of a call ---------------------------------------------------------------------------

constexpr int kTensors = 16;

// Storage for the descriptions of one call. Lists keep their elements where they are when the outer vector moves them.
struct Arguments {
  fl_value values[FL_MAX_ARGS];
  fl_tensor tensors[kTensors];
  int tensor_count = 0;
  int64_t ints[64];
  int int_count = 0;
  std::vector<std::vector<fl_tensor>> tensor_lists;
  std::vector<std::vector<int64_t>> int_lists;
  std::vector<std::vector<double>> double_lists;
  std::vector<std::vector<fl_value>> scalar_lists;
  c10::DeviceIndex device = -1;
};

[[noreturn]] void mixed_devices(c10::Device a, c10::Device b) {
  TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ", a, " and ", b, "!");
  __builtin_unreachable();
}

void see_device(Arguments& a, const at::Tensor& t) {
  auto d = t.device();
  if (d.type() == kTpu) {
    if (a.device < 0) a.device = d.index();
    else if (C10_UNLIKELY(a.device != d.index())) mixed_devices(c10::Device(kTpu, a.device), d);
  } else if (C10_UNLIKELY(t.dim() != 0 || d.type() != c10::kCPU)) {
    mixed_devices(c10::Device(kTpu, a.device < 0 ? current_device() : a.device), d);
  }
}

void put_tensor(Arguments& a, fl_value& v, const at::Tensor& t) {
  if (!t.defined()) {
    v.tag = FL_TAG_NONE;
    return;
  }
  see_device(a, t);
  TORCH_CHECK(a.tensor_count < kTensors, "tpu: too many tensor arguments");
  fl_tensor* d = &a.tensors[a.tensor_count++];
  describe(d, t);
  v.tag = FL_TAG_TENSOR;
  v.count = 1;
  v.u.tensor = d;
}

bool put_number(fl_value& v, const c10::IValue& x) {
  if (x.isInt()) {
    v.tag = FL_TAG_INT;
    v.u.i = x.toInt();
  } else if (x.isDouble()) {
    v.tag = FL_TAG_DOUBLE;
    v.u.d = x.toDouble();
  } else if (x.isBool()) {
    v.tag = FL_TAG_BOOL;
    v.u.i = x.toBool();
  } else if (x.isComplexDouble()) {
    auto c = x.toComplexDouble();
    v.tag = FL_TAG_COMPLEX;
    v.u.complex_[0] = c.real();
    v.u.complex_[1] = c.imag();
  } else {
    return false;
  }
  return true;
}

int64_t* reserve_ints(Arguments& a, size_t n) {
  if (a.int_count + n <= 64) {
    a.int_count += static_cast<int>(n);
    return a.ints + a.int_count - n;
  }
  a.int_lists.emplace_back(n);
  return a.int_lists.back().data();
}

void put_list(Arguments& a, fl_value& v, const c10::IValue& x) {
  auto list = x.toListRef();
  v.count = static_cast<uint32_t>(list.size());
  const c10::IValue* first = list.empty() ? nullptr : &list[0];
  if (x.isTensorList() || x.isOptionalTensorList()) {
    auto& tensors = a.tensor_lists.emplace_back(list.size());
    for (size_t i = 0; i < list.size(); i++) {
      if (!list[i].isTensor() || !list[i].toTensor().defined()) continue;  // a zeroed description means undefined
      see_device(a, list[i].toTensor());
      describe(&tensors[i], list[i].toTensor());
    }
    v.tag = FL_TAG_TENSORS;
    v.u.tensor = tensors.data();
  } else if (x.isIntList() || x.isBoolList() || !first) {
    int64_t* ints = reserve_ints(a, list.size());
    for (size_t i = 0; i < list.size(); i++) ints[i] = list[i].isBool() ? list[i].toBool() : list[i].toInt();
    v.tag = x.isBoolList() ? FL_TAG_BOOLS : FL_TAG_INTS;
    v.u.ints = ints;
  } else if (x.isDoubleList()) {
    auto& doubles = a.double_lists.emplace_back();
    for (const auto& e : list) doubles.push_back(e.toDouble());
    v.tag = FL_TAG_DOUBLES;
    v.u.doubles = doubles.data();
  } else {
    auto& scalars = a.scalar_lists.emplace_back(list.size());
    for (size_t i = 0; i < list.size(); i++) {
      scalars[i].scalar = 1;
      if (!put_number(scalars[i], list[i])) scalars[i].tag = FL_TAG_OTHER;
    }
    v.tag = FL_TAG_SCALARS;
    v.u.scalars = scalars.data();
  }
}

// ---- the kernel ---------------------------------------------------------------------------------------------------

struct Kernel final : c10::OperatorKernel {
  enum ArgumentKind : uint8_t { kPlain, kScalar, kDtype };
  struct Return {
    enum Kind : uint8_t { kTensor, kList, kInteger };
    int16_t arg;  // the argument that is returned; -1: something new
    Kind kind;
  };

  uint32_t op;
  uint16_t count = 0, written_count = 0;
  uint16_t written[FL_MAX_ARGS];
  uint8_t kinds[FL_MAX_ARGS];
  bool out_argument[FL_MAX_ARGS] = {};
  std::vector<Return> returns;

  Kernel(uint32_t id, const c10::FunctionSchema& schema) : op(id), count(static_cast<uint16_t>(schema.arguments().size())) {
    TORCH_CHECK(count <= FL_MAX_ARGS, "tpu: ", schema.name(), " has more than ", FL_MAX_ARGS, " arguments");
    for (uint16_t i = 0; i < count; i++) {
      const auto& argument = schema.arguments()[i];
      kinds[i] = kind_of(argument.real_type());
      if (argument.alias_info() && argument.alias_info()->isWrite()) {
        written[written_count++] = i;
        out_argument[i] = argument.is_out();
      }
    }
    for (const auto& r : schema.returns()) {
      auto kind = r.type()->kind();
      returns.push_back({source_of(schema, r), kind == c10::TypeKind::ListType     ? Return::kList
                                               : kind == c10::TypeKind::TensorType ? Return::kTensor
                                                                                   : Return::kInteger});
    }
  }

  static uint8_t kind_of(c10::TypePtr type) {
    if (auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
    if (auto list = type->cast<c10::ListType>()) type = list->getElementType();
    switch (type->kind()) {
      case c10::TypeKind::NumberType:
      case c10::TypeKind::FloatType:
        return kScalar;
      case c10::TypeKind::ScalarTypeType:
        return kDtype;
      default:
        return kPlain;
    }
  }

  static int16_t source_of(const c10::FunctionSchema& schema, const c10::Argument& result) {
    if (!result.alias_info() || !result.alias_info()->isWrite()) return -1;
    for (size_t i = 0; i < schema.arguments().size(); i++) {
      const auto* alias = schema.arguments()[i].alias_info();
      if (alias && alias->isWrite() && alias->beforeSets() == result.alias_info()->beforeSets()) return static_cast<int16_t>(i);
    }
    return -1;
  }

  void describe_all(Arguments& a, const torch::jit::Stack* stack, size_t base) const {
    a.tensor_count = 0;
    a.int_count = 0;
    for (uint16_t i = 0; i < count; i++) {
      const c10::IValue& x = (*stack)[base + i];
      fl_value& v = a.values[i];
      v.scalar = kinds[i] == kScalar;
      v.count = 0;
      if (x.isTensor()) put_tensor(a, v, x.toTensor());
      else if (x.isNone()) v.tag = FL_TAG_NONE;
      else if (put_number(v, x)) {
        if (kinds[i] == kDtype) v.u.i = to_dtype(static_cast<c10::ScalarType>(v.u.i));
      } else if (x.isList()) put_list(a, v, x);
      else if (x.isString()) v.tag = FL_TAG_STRING, v.u.string = x.toStringRef().c_str();
      else if (x.isGenerator()) v.tag = FL_TAG_GENERATOR, v.u.generator = generator_state(x.toGenerator());
      else {
        if (x.isDevice() && a.device < 0 && x.toDevice().has_index()) a.device = x.toDevice().index();
        v.tag = FL_TAG_OTHER;
      }
    }
  }

  // Resizes out= tensors whose shape is not the result's. Returns whether any was.
  bool resize_outputs(const fl_call& call, torch::jit::Stack* stack, size_t base) const {
    bool resized = false;
    for (uint32_t k = 0; k < call.target_count; k++) {
      const fl_target& t = call.targets[k];
      if (t.kind != FL_TO_ARG) continue;
      c10::IValue& x = (*stack)[base + t.arg];
      const at::Tensor& tensor = t.element < 0 ? x.toTensor() : x.toListRef()[t.element].toTensor();
      c10::IntArrayRef sizes(t.type.dims, t.type.rank);
      if (tensor.sizes() == sizes) continue;
      TORCH_CHECK(out_argument[t.arg], "output with shape ", tensor.sizes(), " doesn't match the broadcast shape ", sizes);
      at::native::resize_output(tensor, sizes);
      resized = true;
    }
    return resized;
  }

  // Gives a prepared call up when an exception leaves the kernel before the launch.
  struct Abandon {
    fl_call& call;
    ~Abandon() { engine()->call_abandon(&call); }
  };

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet, torch::jit::Stack* stack) {
    size_t base = stack->size() - count;
    Arguments a;
    describe_all(a, stack, base);
    fl_call call{};
    Abandon abandon{call};
    call.op = op;
    call.device = a.device < 0 ? current_device() : a.device;
    call.stream = current_stream(static_cast<c10::DeviceIndex>(call.device));
    call.args = a.values;
    call.arg_count = count;
    call.written = written;
    call.written_count = written_count;
    fl_status status = engine()->call_prepare(&call);
    if (C10_UNLIKELY(status != nullptr)) {
      if (engine()->status_code(status) == FL_UNSUPPORTED) {
        std::string why = engine()->status_message(status);
        engine()->status_free(status);
        host_fallback(handle, stack, why);
        return;
      }
      check(status, engine()->operator_name(op));
    }
    if (C10_UNLIKELY(written_count && resize_outputs(call, stack, base))) {
      describe_all(a, stack, base);
      check(engine()->call_prepare(&call), engine()->operator_name(op));
    }
    finish(call, stack, base);
  }

  // Makes the fresh results, launches, and leaves what the schema returns on the stack.
  void finish(fl_call& call, torch::jit::Stack* stack, size_t base) const {
    auto index = static_cast<c10::DeviceIndex>(call.device);
    call.generator = generator_state(default_generator(index));
    c10::SmallVector<at::Tensor, 4> fresh;  // undefined ones included
    c10::SmallVector<fl_buffer*, 4> buffers;
    c10::SmallVector<int64_t, 4> integers;
    for (uint32_t k = 0; k < call.target_count; k++) {
      const fl_target& t = call.targets[k];
      if (t.kind == FL_TO_INTEGER) integers.push_back(t.integer);
      else if (t.kind == FL_TO_UNDEFINED) fresh.emplace_back();
      else if (t.kind == FL_TO_FRESH) fresh.push_back(empty_like_type(t.type, index, &buffers.emplace_back()));
    }
    check(engine()->call_launch(&call, buffers.data()), engine()->operator_name(op));
    c10::SmallVector<c10::IValue, 4> results;
    size_t next = 0, next_integer = 0;
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
};

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&boxed_fallback>()); }

}  // namespace

// Registers every operator of the engine's table. Names are checked against the live schemas: PyTorch accepts unknown ones
// silently.
void register_operators() {
  static auto* library = new torch::Library(torch::Library::IMPL, "aten", kKey, __FILE__, __LINE__);
  for (uint32_t op = 0; op < engine()->operator_count(); op++) {
    std::string name = engine()->operator_name(op);
    if (is_typed(name)) continue;
    auto dot = name.find('.');
    c10::OperatorName full("aten::" + name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1));
    auto handle = c10::Dispatcher::singleton().findSchema(full);
    TORCH_CHECK(handle.has_value(), "tpu: the operator table names aten::", name, ", which this PyTorch does not have");
    library->impl(name.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::make_unique<Kernel>(op, handle->schema())));
  }
}

bool fallback_enabled() {
  int on = g_fallback.load(std::memory_order_relaxed);
  if (on < 0) {
    const char* text = std::getenv("TORCH_TPU_FALLBACK");
    on = text && *text && std::string(text) != "0";
    g_fallback = on;
  }
  return on;
}

void set_fallback(bool on) { g_fallback = on; }

std::string fallback_counts() {
  std::lock_guard<std::mutex> guard(g_fallback_lock);
  std::string json = "{";
  for (const auto& [name, n] : fallback_map()) {
    if (n) json += (json.size() > 1 ? ", \"" : "\"") + name + "\": " + std::to_string(n);
  }
  return json + "}";
}

void reset_fallback_counts() {
  std::lock_guard<std::mutex> guard(g_fallback_lock);
  for (auto& [name, n] : fallback_map()) n = 0;
}

}  // namespace bridge
