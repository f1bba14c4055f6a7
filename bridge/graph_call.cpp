// Calls of compiled graphs.
#include "graph_plan.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/zeros.h>

namespace bridge {
namespace {

using c10::IValue;

constexpr size_t kMostPlans = 4096;

void add_tensor(std::vector<int64_t>& key, const at::Tensor& t, bool with_offset) {
  auto* impl = t.unsafeGetTensorImpl();
  auto sizes = impl->sizes(), strides = impl->strides();
  key.push_back(static_cast<int64_t>(t.scalar_type()) | static_cast<int64_t>(sizes.size()) << 8 |
                static_cast<int64_t>(static_cast<uint8_t>(impl->device_type())) << 24 |
                static_cast<int64_t>(static_cast<uint8_t>(impl->device().index())) << 32);
  key.insert(key.end(), sizes.begin(), sizes.end());
  key.insert(key.end(), strides.begin(), strides.end());
  if (with_offset) key.push_back(impl->storage_offset());
}

void add_number(std::vector<int64_t>& key, const IValue& v) {
  int64_t bits = 0;
  if (v.isInt()) bits = v.toInt();
  else if (v.isBool()) bits = v.toBool();
  else if (v.isDouble()) {
    double d = v.toDouble();
    std::memcpy(&bits, &d, sizeof bits);
  }
  key.push_back(bits);
}

uint64_t hash_of(const std::vector<int64_t>& key) {
  uint64_t h = key.size();
  for (int64_t word : key) h = (h ^ static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  return h;
}

// What the program cannot look through: lazy conjugates and negatives, and zeros without memory.
at::Tensor plain(const at::Tensor& t) {
  if (t._is_zerotensor()) return at::zeros(t.sizes(), t.options());
  return t.resolve_conj().resolve_neg();
}

// Bindings of one call.
struct Call {
  const Plan& plan;
  c10::ArrayRef<IValue> inputs;
  c10::SmallVector<fl_binding, 32> bindings;
  c10::SmallVector<std::array<uint64_t, 2>, 4> states;
  c10::SmallVector<c10::Storage, 8> storages;
  uint64_t seed = 0, offset = 0;  // of the device's generator before the call

  void bind_input(const Binding& b) {
    const at::Tensor& t = inputs[static_cast<size_t>(b.input)].toTensor();
    fl_binding out{};
    if (b.is_host) {
      out.host = t.const_data_ptr();
    } else {
      auto [buffer, offset] = buffer_of(t.unsafeGetTensorImpl()->unsafe_storage().data_ptr());
      out.buffer = buffer;
      out.offset = offset + (b.whole_storage ? 0 : t.storage_offset() * static_cast<int64_t>(t.itemsize()));
    }
    bindings.push_back(out);
  }

  std::array<uint64_t, 2> state_of(uint64_t stream) const {
    std::array<uint64_t, 2> state{seed, offset};
    if (stream) std::memcpy(state.data(), inputs[stream - 1].toTensor().const_data_ptr(), sizeof state);
    return state;
  }

  void bind_arguments(c10::DeviceIndex index) {
    const fl_recorded_graph& p = *plan.program;
    states.reserve(p.arg_count);
    if (p.random_blocks || plan.returns_states) {
      fl_generator* g = generator_state(default_generator(index));
      seed = __atomic_load_n(&g->seed, __ATOMIC_RELAXED);
      offset = __atomic_fetch_add(&g->offset, p.random_blocks, __ATOMIC_RELAXED);
    }
    for (uint32_t i = 0; i < p.arg_count; i++) {
      const auto& arg = p.args[i];
      if (arg.kind == FL_RECORDED_TENSOR) {
        bind_input(plan.bindings[i]);
      } else if (arg.kind == FL_RECORDED_RANDOM) {
        states.push_back(state_of(arg.stream));
        states.back()[1] += arg.offset;
        bindings.push_back({});
        bindings.back().host = &states.back();
      } else {
        bindings.push_back({});
        bindings.back().buffer = arg.buffer;
      }
    }
  }

  void bind_results(c10::DeviceIndex index) {
    const fl_recorded_graph& p = *plan.program;
    for (size_t bytes : plan.fresh) {
      fl_buffer* buffer = allocate_buffer(bytes, index);
      storages.emplace_back(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes, own(buffer, index),
                                                                  allocator(), /*resizable=*/true));
      bindings.push_back({});
      bindings.back().buffer = buffer;
    }
    bindings.resize(p.arg_count + p.result_count);
    for (uint32_t i = 0; i < p.arg_count; i++)
      if (p.args[i].result >= 0) bindings[p.arg_count + static_cast<uint32_t>(p.args[i].result)] = bindings[i];
  }

  at::Tensor tensor_in(const c10::Storage& storage, int64_t begin, const Result& r) const {
    auto t = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage), c10::DispatchKeySet(kKey), r.dtype);
    auto* impl = t.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(r.sizes, r.strides, begin + r.offset);
    if (r.conj) t._set_conj(true);
    if (r.neg) t._set_neg(true);
    return t;
  }

  PyObject* result(const Result& r, PyObject* list, c10::DeviceIndex index) const {
    switch (r.kind) {
      case Result::kInput: {
        PyObject* object = PyList_GetItem(list, r.from);
        Py_IncRef(object);
        return object;
      }
      case Result::kInputView: {
        const at::Tensor& t = inputs[static_cast<size_t>(r.from)].toTensor();
        return THPVariable_Wrap(tensor_in(t.storage(), t.storage_offset(), r));
      }
      case Result::kFresh:
        return THPVariable_Wrap(tensor_in(storages[static_cast<size_t>(r.from)], 0, r));
      case Result::kEmpty: {
        c10::Storage none(c10::Storage::use_byte_size_t(), 0, own(nullptr, index), allocator(), true);
        return THPVariable_Wrap(tensor_in(none, 0, r));
      }
      case Result::kHost:
        return THPVariable_Wrap(r.number.toTensor().clone());
      case Result::kState: {
        const std::array<uint64_t, 2> state{seed, offset + static_cast<uint64_t>(r.number.toInt())};
        at::Tensor made = at::zeros({16}, at::kByte);
        std::memcpy(made.mutable_data_ptr(), state.data(), sizeof state);
        return THPVariable_Wrap(std::move(made));
      }
      default:
        return python_number(r.number);
    }
  }
};

}  // namespace

Graph::Graph(std::string name, int device, bool keep, std::unique_ptr<Template> from, std::unique_ptr<Buckets> buckets)
    : name_(std::move(name)), device_(device), keep_(keep), template_(std::move(from)), buckets_(std::move(buckets)) {}

Graph::~Graph() = default;

Plan* Graph::find_plan(c10::ArrayRef<IValue> inputs) {
  static thread_local std::vector<int64_t> key;
  key.clear();
  key.push_back(static_cast<int64_t>(recorder()->settings(device_)));
  for (const IValue& v : inputs) {
    if (v.isTensor()) add_tensor(key, v.toTensor(), template_->uses_storage_offsets);
    else add_number(key, v);
  }
  if (C10_LIKELY(recent_ && recent_->key == key)) return recent_;
  uint64_t hash = hash_of(key);
  auto range = plans_.equal_range(hash);
  for (auto it = range.first; it != range.second; ++it)
    if (it->second->key == key) return recent_ = it->second.get();
  std::vector<int64_t> kept = key;
  std::unique_ptr<Plan> plan;
  if (buckets_ && recorder()->can_widen(device_))
    plan = buckets_->make_plan(*template_, name_, device_, keep_, inputs, &record_ns_, &compile_ns_);
  if (!plan) plan = make_plan(*template_, name_, device_, keep_, inputs, &record_ns_, &compile_ns_);
  plan->key = std::move(kept);
  if (plans_.size() >= kMostPlans) plans_.clear();
  return recent_ = plans_.emplace(hash, std::move(plan))->second.get();
}

PyObject* Graph::call(PyObject* list) {
  size_t n = template_->kinds.size();
  TORCH_CHECK(PyList_Size(list) == static_cast<ssize_t>(n), "tpu: a compiled graph takes ", n, " inputs, got ",
              PyList_Size(list));
  c10::SmallVector<IValue, 32> inputs;
  for (size_t i = 0; i < n; i++) {
    PyObject* object = PyList_GetItem(list, static_cast<ssize_t>(i));
    char kind = template_->kinds[i];
    if (kind == 't' || kind == 'r') {
      const at::Tensor& t = tensor_of(object);
      TORCH_CHECK_TYPE(kind == 't' || (t.device().is_cpu() && t.nbytes() == 16), "tpu: RNG state: expected 16 bytes on the CPU");
      bool odd = t.is_conj() || t.is_neg() || t._is_zerotensor();
      inputs.emplace_back(C10_UNLIKELY(odd) ? plain(t) : t);
    } else {
      inputs.push_back(kind == 'n' ? number_of(object) : IValue());
    }
  }
  const Plan* plan = find_plan(inputs);
  auto index = static_cast<c10::DeviceIndex>(device_);
  Call call{*plan, inputs, {}, {}, {}};
  call.bind_arguments(index);
  call.bind_results(index);
  check(recorder()->run(plan->program, current_stream(index), call.bindings.data()), name_.c_str());
  calls_++;
  Held results(PyList_New(static_cast<ssize_t>(plan->results.size())));
  for (size_t k = 0; k < plan->results.size(); k++) {
    PyObject* made = call.result(plan->results[k], list, index);
    if (!made) throw PythonError{};
    PyList_SetItem(results.get(), static_cast<ssize_t>(k), made);
  }
  PyList_SetSlice(list, 0, static_cast<ssize_t>(n), nullptr);
  return results.release();
}

std::string Graph::texts() const {
  std::string all;
  for (const auto& [hash, plan] : plans_)
    if (char* text = recorder()->text(plan->program)) {
      all += text;
      std::free(text);
    }
  return all;
}

std::string Graph::statistics() const {
  auto number = [](const char* name, uint64_t value) { return "\"" + std::string(name) + "\": " + std::to_string(value); };
  return "{" + number("calls", calls_) + ", " + number("plans", plans_.size()) + ", " + number("steps", template_->steps.size()) +
         ", \"failed_step\": " + std::to_string(template_->failed_step) + ", " + number("record_ns", record_ns_) + ", " +
         number("compile_ns", compile_ns_) + (buckets_ ? ", \"dynamic\": " + buckets_->statistics() : "") + "}";
}

}  // namespace bridge
