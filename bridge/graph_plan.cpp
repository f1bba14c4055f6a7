// Recording a compiled graph for inputs of certain sizes and strides.
#include "graph_plan.h"

#include "flambeau.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <ctime>
#include <numeric>

namespace bridge {
namespace {

using at::Tensor;

struct Dims {
  std::vector<int64_t> sizes, strides;
};

// Dimensions that lead through memory, in the order of memory: those of one element and those that repeat are left out.
Dims in_memory(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  std::vector<size_t> order;
  for (size_t d = 0; d < sizes.size(); d++)
    if (sizes[d] != 1 && strides[d] != 0) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  Dims result;
  for (size_t d : order) result.sizes.push_back(sizes[d]), result.strides.push_back(strides[d]);
  return result;
}

// Strides of the same elements one behind the other.
std::vector<int64_t> without_gaps(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  std::vector<int64_t> result(sizes.size());
  for (size_t d = 0; d < sizes.size(); d++) {
    if (sizes[d] != 1 && strides[d] == 0) continue;
    result[d] = 1;
    for (size_t inner = 0; inner < sizes.size(); inner++) {
      bool is_inside = strides[inner] < strides[d] || (strides[inner] == strides[d] && inner > d);
      if (is_inside && strides[inner] != 0) result[d] *= sizes[inner];
    }
  }
  return result;
}

std::vector<int64_t> dense_strides(c10::IntArrayRef sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t n = 1;
  for (size_t d = sizes.size(); d-- > 0; n *= std::max<int64_t>(sizes[d], 1)) strides[d] = n;
  return strides;
}

bool is_dense(const Dims& dims) { return dims.strides == dense_strides(dims.sizes); }

bool overlaps(const Dims& dims) {
  int64_t inner = 1;
  for (size_t d = dims.sizes.size(); d-- > 0;) {
    if (dims.strides[d] < inner) return true;
    inner = dims.strides[d] * (dims.sizes[d] - 1) + inner;
  }
  return false;
}

int64_t elements(c10::IntArrayRef sizes) { return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>()); }

// Elements from the first to the last one.
int64_t extent(const Dims& dims) {
  int64_t n = 1;
  for (size_t d = 0; d < dims.sizes.size(); d++) n += (dims.sizes[d] - 1) * dims.strides[d];
  return n;
}

fl_layout layout_of(c10::IntArrayRef strides) {
  TORCH_CHECK(strides.size() <= FL_MAX_RANK, "tpu: tensors have at most ", FL_MAX_RANK, " dimensions, got ", strides.size());
  fl_layout layout{};
  std::copy(strides.begin(), strides.end(), layout.strides);
  return layout;
}

}  // namespace

class Recording::Recorder {
 public:
  Recorder(const Template& graph, int device, Plan& plan, bool without_gaps)
      : graph_(graph), device_(device), plan_(plan), without_gaps_(without_gaps) {
    check(recorder()->begin(device, &trace_), nullptr);
  }
  ~Recorder() {
    if (trace_) recorder()->abandon(trace_);
  }

  void record(c10::ArrayRef<c10::IValue> inputs) {
    for (size_t i = 0; i < inputs.size(); i++) add_input(static_cast<int>(i), inputs[i]);
    graph_.replay(values_, trace_, states_);
    std::unordered_map<const c10::StorageImpl*, std::vector<size_t>> groups;
    for (const auto& output : graph_.outputs) add_output(output);
    for (size_t k = 0; k < plan_.results.size(); k++)
      if (plan_.results[k].kind == Result::kFresh) groups[storage_of(tensors_[k])].push_back(k);
    for (size_t k = 0; k < plan_.results.size(); k++) {
      if (plan_.results[k].kind != Result::kFresh) continue;
      auto& group = groups[storage_of(tensors_[k])];
      if (!group.empty()) share_or_split(std::exchange(group, {}));
    }
  }

  void draft() {
    std::vector<fl_tensor> described(wanted_.size());
    for (size_t r = 0; r < wanted_.size(); r++) {
      describe(&described[r], wanted_[r].tensor);
      layouts_.push_back(layout_of(wanted_[r].layout));
    }
    arg_layouts_.emplace_back();
    layouts_.emplace_back();
    fl_trace* trace = std::exchange(trace_, nullptr);
    check(recorder()->draft(trace, described.data(), static_cast<uint32_t>(wanted_.size()), &plan_.program), nullptr);
    for (uint32_t i = 0; i < plan_.program->arg_count; i++) {
      const auto& arg = plan_.program->args[i];
      TORCH_CHECK(arg.result < 0 || arg.kind == FL_RECORDED_TENSOR, "tpu: a compiled graph writes to a constant tensor");
      TORCH_CHECK(arg.result < 0 || !plan_.bindings[i].is_host, "tpu: a compiled graph writes to a tensor of the host");
    }
  }

  fl_wide_options options(const std::string& name, bool keep, int64_t limit) const {
    return {name.c_str(), arg_layouts_.data(), layouts_.data(), static_cast<uint32_t>(wanted_.size()), limit, keep};
  }

  void compile(const std::string& name, bool keep) {
    draft();
    check(recorder()->compile(plan_.program, name.c_str(), arg_layouts_.data(), layouts_.data(),
                              static_cast<uint32_t>(wanted_.size()), keep),
          name.c_str());
  }

 private:
  struct Wanted {
    Tensor tensor;  // dimensions in the order of memory, as the program computes it
    std::vector<int64_t> layout;
  };

  // How an input was recorded: its elements in the order of memory, one behind the other.
  struct Input {
    int index;
    int64_t offset;  // of its first element in the recorded memory
    Dims dims;       // as the caller's memory has them
    std::vector<int64_t> dense;
  };

  // A view of what was recorded, in the input's own memory. False: there it is none.
  static bool with_gaps(const Input& in, Result& r) {
    if (in.dims.strides == in.dense) {
      r.offset -= in.offset;
      return true;
    }
    std::vector<int64_t> room = in.dims.sizes, strides;
    int64_t rest = r.offset, offset = 0;
    for (size_t d = 0; d < room.size(); d++) {
      int64_t at = rest / in.dense[d];
      rest -= at * in.dense[d];
      offset += at * in.dims.strides[d];
      room[d] -= at + 1;
    }
    for (size_t k = 0; k < r.sizes.size(); k++) {
      size_t d = 0;
      strides.push_back(r.strides[k]);
      if (r.sizes[k] == 1 || r.strides[k] == 0) continue;
      while (in.dense[d] > r.strides[k]) d++;
      int64_t step = r.strides[k] / in.dense[d];
      room[d] -= step * (r.sizes[k] - 1);
      if (r.strides[k] % in.dense[d] || room[d] < 0) return false;
      strides.back() = step * in.dims.strides[d];
    }
    r.strides = std::move(strides);
    r.offset = offset;
    return true;
  }

  static const c10::StorageImpl* storage_of(const Tensor& t) {
    return t.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
  }

  void add_input(int i, const c10::IValue& given) {
    if (graph_.kinds[static_cast<size_t>(i)] == 'r') {
      values_.emplace_back(static_cast<int64_t>(i) + 1);
      return;
    }
    if (!given.isTensor() || !given.toTensor().defined()) {
      values_.push_back(given);
      return;
    }
    const Tensor& t = given.toTensor();
    bool is_host = t.device().type() != kTpu;
    auto options = t.options().device(c10::Device(kTpu, static_cast<c10::DeviceIndex>(device_)));
    Input input{i, 0, in_memory(t.sizes(), t.strides()), {}};
    bool as_it_is = t.is_contiguous() || t.numel() == 0, is_row = !as_it_is && overlaps(input.dims);
    if (!is_host && graph_.uses_storage_offsets) {
      input.offset = t.storage_offset();
      is_row |= input.offset || (!as_it_is && !is_dense(input.dims));
    }
    if (is_row) input.dims = {{input.offset + extent(input.dims)}, {1}};
    input.dense = dense_strides(input.dims.sizes);
    Tensor made = at::empty(as_it_is && !is_row ? t.sizes() : c10::IntArrayRef(input.dims.sizes), options);
    fl_tensor described;
    describe(&described, made);
    std::string name = "input" + std::to_string(i);
    check(recorder()->argument(trace_, &described, name.c_str()), nullptr);
    arg_layouts_.push_back(layout_of(made.dim() == t.dim() && as_it_is && !is_row ? made.strides() : input.dims.strides));
    plan_.bindings.push_back({i, is_host, input.offset != 0});
    if (is_row) made = made.as_strided(t.sizes(), t.strides(), input.offset);
    else if (!as_it_is) made = made.as_strided(t.sizes(), without_gaps(t.sizes(), t.strides()), 0);
    if (made.numel()) inputs_[storage_of(made)] = std::move(input);
    values_.emplace_back(std::move(made));
  }

  void add_output(const Output& output) {
    c10::IValue value = graph_.resolve(output.operand, values_);
    Result result;
    Tensor t;
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().device().type() != kTpu) {
      auto state = states_.find(storage_of(value.toTensor()));
      result.kind = state == states_.end() ? Result::kHost : Result::kState;
      plan_.returns_states |= result.kind == Result::kState;
      result.number = state == states_.end() ? value : c10::IValue(static_cast<int64_t>(state->second));
    } else if (value.isTensor() && value.toTensor().defined()) {
      t = value.toTensor();
      if (t._is_zerotensor()) t = at::zeros(t.sizes(), t.options());  // it has no memory that a result could be
      t = with_strides(t, output);
      result.dtype = t.dtype();
      result.sizes = t.sizes().vec();
      result.strides = t.strides().vec();
      result.conj = t.is_conj();
      result.neg = t.is_neg();
      result.offset = t.storage_offset();
      auto input = inputs_.find(storage_of(t));
      result.kind = t.numel() == 0 ? Result::kEmpty : Result::kFresh;
      if (input != inputs_.end()) {
        bool itself = output.operand.kind == Operand::kValue && is_input(t, input->second.index);
        if (itself) result.kind = Result::kInput;
        else if (with_gaps(input->second, result)) result.kind = Result::kInputView;
        if (result.kind != Result::kFresh) result.from = input->second.index;
      }
    } else if (!value.isTensor()) {
      result.number = value;
    }
    plan_.results.push_back(std::move(result));
    tensors_.push_back(std::move(t));
  }

  // in place operators return the input itself
  bool is_input(const Tensor& t, int input) const {
    const auto& v = values_[static_cast<size_t>(input)];
    return v.isTensor() && t.is_same(v.toTensor());
  }

  // As the caller expects it: kernels and PyTorch's fake tensors need not agree on how a result lies.
  static Tensor with_strides(const Tensor& t, const Output& output) {
    if (!output.has_strides) return t;
    bool same = true;
    for (int64_t d = 0; d < t.dim(); d++)
      if (t.size(d) > 1 && t.stride(d) != output.strides[static_cast<size_t>(d)]) same = false;
    if (same || t.numel() == 0) return t;
    Dims dims = in_memory(t.sizes(), output.strides);
    Tensor made = at::empty_strided(t.sizes(), output.strides, t.options());
    if (elements(dims.sizes) == t.numel() && !overlaps(dims)) return made.copy_(t);
    return t;
  }

  // Results that lie in one memory: that memory as it is where one of them fills it, or all make up half of it; else each for itself.
  void share_or_split(const std::vector<size_t>& group) {
    size_t used = 0;
    for (size_t k : group) {
      const Tensor& t = tensors_[k];
      Dims dims = in_memory(t.sizes(), t.strides());
      size_t bytes = static_cast<size_t>(elements(dims.sizes)) * t.itemsize();
      used += bytes;
      if (!is_dense(dims) || t.storage_offset() || t.is_conj() || t.is_neg() || bytes != t.storage().nbytes()) continue;
      return share(group, t, dims, bytes);
    }
    const Tensor& t = tensors_[group[0]];
    size_t bytes = t.storage().nbytes();
    if (2 * used < bytes || bytes % t.itemsize() || t.is_conj() || t.is_neg())
      for (size_t k : group) give_memory(k);
    else share(group, t, {{static_cast<int64_t>(bytes / t.itemsize())}, {1}}, bytes);
  }

  void share(const std::vector<size_t>& group, const Tensor& t, const Dims& dims, size_t bytes) {
    wanted_.push_back({t.as_strided(dims.sizes, dims.strides, 0), dims.strides});
    plan_.fresh.push_back(bytes);
    for (size_t k : group) plan_.results[k].from = static_cast<int>(plan_.fresh.size()) - 1;
  }

  void give_memory(size_t k) {
    Tensor t = tensors_[k].resolve_conj().resolve_neg();
    Result& result = plan_.results[k];
    Dims dims = in_memory(t.sizes(), t.strides());
    if (overlaps(dims)) {
      t = t.contiguous();
      dims = in_memory(t.sizes(), t.strides());
      result.strides = t.strides().vec();
    }
    result.offset = 0;
    result.conj = result.neg = false;
    wanted_.push_back({t.as_strided(dims.sizes, dims.strides, t.storage_offset()), dims.strides});
    if (without_gaps_) {
      result.strides = without_gaps(t.sizes(), t.strides());
      wanted_.back().layout = dims.strides = dense_strides(dims.sizes);
    }
    plan_.fresh.push_back(static_cast<size_t>(extent(dims)) * t.itemsize());
    result.from = static_cast<int>(plan_.fresh.size()) - 1;
  }

  const Template& graph_;
  int device_;
  Plan& plan_;
  bool without_gaps_;  // results lie densely, whatever their views were
  fl_trace* trace_ = nullptr;
  Values values_;
  States states_;
  std::vector<Tensor> tensors_;  // of the results
  std::vector<Wanted> wanted_;   // results of the program
  std::vector<fl_layout> arg_layouts_, layouts_;
  std::unordered_map<const c10::StorageImpl*, Input> inputs_;
};

uint64_t thread_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

const fl_recorded_functions* recorder() {
  static const fl_recorded_functions* table = [] {
    const fl_recorded_functions* t = fl_recorded_get(FL_ENGINE_VERSION);
    TORCH_CHECK(t, "tpu: the engine is older than this bridge: expected version ", FL_ENGINE_VERSION);
    return t;
  }();
  return table;
}

Recording::Recording(const Template& graph, int device, c10::ArrayRef<c10::IValue> inputs, bool without_gaps)
    : plan_(std::make_unique<Plan>()), recorder_(std::make_unique<Recorder>(graph, device, *plan_, without_gaps)) {
  c10::impl::ExcludeDispatchKeyGuard below(
      c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset |
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot, c10::DispatchKey::Functionalize}));
  recorder_->record(inputs);
}

Recording::~Recording() = default;
void Recording::compile(const std::string& name, bool keep) { recorder_->compile(name, keep); }
void Recording::draft() { recorder_->draft(); }
fl_wide_options Recording::options(const std::string& name, bool keep, int64_t limit) const {
  return recorder_->options(name, keep, limit);
}
fl_recorded_graph* Recording::program() const { return plan_->program; }
std::unique_ptr<Plan> Recording::take() { return std::move(plan_); }

std::unique_ptr<Plan> make_plan(const Template& graph, const std::string& name, int device, bool keep,
                                c10::ArrayRef<c10::IValue> inputs, uint64_t* record_ns, uint64_t* compile_ns) {
  uint64_t start = thread_time();
  Recording recording(graph, device, inputs, false);
  uint64_t recorded = thread_time();
  recording.compile(name, keep);
  *record_ns += recorded - start;
  *compile_ns += thread_time() - recorded;
  return recording.take();
}

}  // namespace bridge
