// Compiled graphs whose executables serve all sizes of a bucket.
#include "graph_plan.h"
#include "json.h"

#include <ATen/EmptyTensor.h>

#include <algorithm>
#include <numeric>

namespace bridge {
namespace {

using c10::IValue;

constexpr size_t kMostRefusals = 3;  // sets of sizes without a common program, until nothing more is tried

Held sizes_of(const IValue& value) {
  if (value.isInt()) return Held(PyLong_FromLongLong(value.toInt()));
  if (!value.isTensor()) return Held::share(&_Py_NoneStruct);
  auto sizes = value.toTensor().sizes();
  Held tuple(PyTuple_New(static_cast<ssize_t>(sizes.size())));
  for (size_t d = 0; d < sizes.size(); d++) PyTuple_SetItem(tuple.get(), static_cast<ssize_t>(d), PyLong_FromLongLong(sizes[d]));
  return tuple;
}

// Strides of other sizes in the same order of memory. Where elements repeat, they do so there.
std::vector<int64_t> strides_like(const at::Tensor& t, c10::IntArrayRef sizes) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return t.stride(a) < t.stride(b); });
  std::vector<int64_t> strides(sizes.size());
  int64_t next = 1;
  if (t.is_contiguous()) std::iota(order.rbegin(), order.rend(), 0);
  for (size_t d : order) {
    if (t.size(d) != 1 && !t.stride(d)) continue;
    strides[d] = next;
    next *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

// A tensor of other sizes, without memory, for a recording.
at::Tensor tensor_like(const at::Tensor& t, c10::IntArrayRef sizes) {
  auto index = t.device().index();
  bool is_host = t.device().is_cpu();
  if (is_host) return at::detail::empty_cpu(sizes, t.options());
  c10::Storage none(c10::Storage::use_byte_size_t(), 0, own(nullptr, index), allocator(), true);
  auto made = at::detail::make_tensor<c10::TensorImpl>(std::move(none), c10::DispatchKeySet(kKey), t.dtype());
  made.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides_like(t, sizes));
  return made;
}

}  // namespace

Buckets::~Buckets() {
  for (fl_wide* w : made_) recorder()->release_wide(w);
}

bool Buckets::other_sizes(c10::ArrayRef<IValue> inputs, Values* others) const {
  Held list(PyList_New(static_cast<ssize_t>(inputs.size()))), args(PyTuple_New(1));
  for (size_t i = 0; i < inputs.size(); i++) PyList_SetItem(list.get(), static_cast<ssize_t>(i), sizes_of(inputs[i]).release());
  PyTuple_SetItem(args.get(), 0, list.release());
  Held found(PyObject_CallObject(probe_.get(), args.get()));
  if (!found.get()) throw PythonError{};
  if (found.get() == &_Py_NoneStruct) return false;
  for (size_t i = 0; i < inputs.size(); i++) {
    PyObject* item = PyList_GetItem(found.get(), static_cast<ssize_t>(i));
    if (inputs[i].isInt()) {
      others->emplace_back(static_cast<int64_t>(PyLong_AsLongLong(item)));
    } else if (inputs[i].isTensor() && inputs[i].toTensor().defined()) {
      std::vector<int64_t> sizes;
      for (ssize_t d = 0; d < PyTuple_Size(item); d++) sizes.push_back(PyLong_AsLongLong(PyTuple_GetItem(item, d)));
      const at::Tensor& t = inputs[i].toTensor();
      others->emplace_back(t.sizes() == c10::IntArrayRef(sizes) ? t : tensor_like(t, sizes));
    } else {
      others->push_back(inputs[i]);
    }
  }
  return true;
}

void Buckets::refuse(const std::string& why) {
  for (auto& [text, count] : refused_)
    if (text == why) {
      count++;
      return;
    }
  refused_.emplace_back(why, 1);
}

std::unique_ptr<Plan> Buckets::make_plan(const Template& graph, const std::string& name, int device, bool keep,
                                         c10::ArrayRef<IValue> inputs, uint64_t* record_ns, uint64_t* compile_ns) {
  exact_++;  // unless this goes well
  if (refused_.size() >= kMostRefusals && made_.empty()) return nullptr;
  uint64_t start = thread_time();
  Recording recording(graph, device, inputs, true);
  recording.draft();
  fl_wide_options options = recording.options(name, keep, limit_);
  *record_ns += thread_time() - start;
  for (fl_wide* w : made_)
    if (recorder()->serve(w, recording.program(), &options)) {
      exact_--, served_++;
      return recording.take();
    }
  Values others;
  std::string why;
  try {
    if (!other_sizes(inputs, &others)) return nullptr;
    Recording other(graph, device, others, true);
    other.draft();
    start = thread_time();
    fl_wide* made = nullptr;
    fl_status status = recorder()->widen(recording.program(), other.program(), &options, &made);
    *compile_ns += thread_time() - start;
    if (!status) {
      made_.push_back(made);
      exact_--, served_++;
      return recording.take();
    }
    bool known = fl_status_code(status) == FL_UNSUPPORTED || fl_status_code(status) == FL_VALUE;
    if (!known) check(status, name.c_str());
    why = fl_status_message(status);
    fl_status_free(status);
  } catch (const c10::Error& error) {  // the graph does not allow the sizes that were tried
    why = error.what_without_backtrace();
  }
  refuse(why.substr(0, why.find('\n')));
  return nullptr;
}

std::string Buckets::statistics() const {
  std::string why;
  for (const auto& [text, count] : refused_) why += (why.empty() ? "" : ", ") + json_string(text) + ": " + std::to_string(count);
  return "{\"buckets\": " + std::to_string(made_.size()) + ", \"served\": " + std::to_string(served_) +
         ", \"exact\": " + std::to_string(exact_) + ", \"refused\": {" + why + "}}";
}

}  // namespace bridge
