// How an operator of a C++ signature is called directly: its arguments described, and its results.
#pragma once

#include "kernel.h"

#include <ATen/core/boxing/KernelFunction.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <tuple>

namespace bridge {

// What becomes of a call's targets in C++: `fits` says whether they are nothing else, `take` returns them.
template <class R>
struct Results;

inline bool all_fresh(const fl_call& call) {
  for (uint32_t k = 0; k < call.target_count; k++)
    if (call.targets[k].kind != FL_TO_FRESH && call.targets[k].kind != FL_TO_UNDEFINED) return false;
  return true;
}

// All are tensors of the call, which have their shapes already.
inline bool all_written(const fl_call& call) {
  for (uint32_t k = 0; k < call.target_count; k++) {
    const fl_target& t = call.targets[k];
    if (t.kind != FL_TO_ARG) return false;
    const fl_tensor* tensor = call.args[t.arg].u.tensor + (t.element < 0 ? 0 : t.element);
    if (c10::IntArrayRef(tensor->sizes, tensor->rank) != c10::IntArrayRef(t.type.dims, t.type.rank)) return false;
  }
  return true;
}

template <class First, class... Rest>
at::Tensor& written_of(First& first, Rest&... rest) {
  if constexpr (std::is_same_v<First, at::Tensor>) return first;
  else return written_of(rest...);
}

template <>
struct Results<at::Tensor> {
  at::Tensor fresh[1];
  bool fits(const fl_call& call) { return call.target_count == 1 && call.targets[0].kind == FL_TO_FRESH; }
  at::Tensor* room() { return fresh; }
  template <class... Args>
  at::Tensor take(Args&...) {
    return std::move(fresh[0]);
  }
};

template <>
struct Results<at::Tensor&> {
  std::optional<c10::SmallVector<int64_t, 5>> wanted;  // the shape of a result whose tensor has another
  bool fits(const fl_call& call) {
    if (call.target_count != 1) return false;
    if (C10_LIKELY(all_written(call))) return true;
    const fl_type& type = call.targets[0].type;
    if (!call.layouts) wanted.emplace(type.dims, type.dims + type.rank);
    return false;
  }
  at::Tensor* room() { return nullptr; }
  // A tensor without elements is where a result is to be made, and takes its shape.
  template <class... Args>
  bool resize(Args&... args) {
    if (!wanted || written_of(args...).numel()) return false;
    written_of(args...).resize_(*wanted);
    return true;
  }
  template <class... Args>
  at::Tensor& take(Args&... args) {
    return written_of(args...);
  }
};

template <>
struct Results<void> {
  bool fits(const fl_call& call) { return all_written(call); }
  at::Tensor* room() { return nullptr; }
  template <class... Args>
  void take(Args&...) {}
};

template <>
struct Results<std::vector<at::Tensor>> {
  std::vector<at::Tensor> fresh;
  bool fits(const fl_call& call) {
    fresh.resize(call.target_count);
    return all_fresh(call);
  }
  at::Tensor* room() { return fresh.data(); }
  template <class... Args>
  std::vector<at::Tensor> take(Args&...) {
    return std::move(fresh);
  }
};

template <class... Tensors>
struct Results<std::tuple<Tensors...>> {
  static_assert((std::is_same_v<Tensors, at::Tensor> && ...));
  at::Tensor fresh[sizeof...(Tensors)];
  bool fits(const fl_call& call) { return call.target_count == sizeof...(Tensors) && all_fresh(call); }
  at::Tensor* room() { return fresh; }
  template <class... Args>
  std::tuple<Tensors...> take(Args&...) {
    return take_all(std::index_sequence_for<Tensors...>());
  }
  template <size_t... I>
  std::tuple<Tensors...> take_all(std::index_sequence<I...>) {
    return {std::move(fresh[I])...};
  }
};

// A tensor that is written gets another version, by which autograd tells whether what it keeps is still what it was.
inline void count_version(const at::Tensor& t) { t.unsafeGetTensorImpl()->bump_version(); }
inline void count_version(at::TensorList list) {
  for (const auto& t : list) count_version(t);
}
template <class Other>
void count_version(const Other&) {}

template <class... Args>
void count_versions(const Kernel* kernel, const Args&... args) {
  uint16_t i = 0;
  ((kernel->is_written(i++) ? count_version(args) : void()), ...);
}

// The kernel of the backend.
template <class Signature>
class Direct;

template <class R, class... Args>
class Direct<R(Args...)> final : public c10::OperatorKernel {
 public:
  Direct(const c10::OperatorHandle& handle, std::unique_ptr<Kernel> kernel)
      : kernel_(kernel.get()), handle_(handle), boxed_(c10::BoxedKernel::makeFromFunctor<Kernel>(std::move(kernel))) {}

  // Runs a call that the engine has seen; false: it has not, and nothing happened.
  bool run(Results<R>& results, const std::remove_reference_t<Args>&... args) const {
    Arguments a;
    fl_call call{};
    Abandon abandon{call};
    uint16_t i = 0;
    if (!(a.put(kernel_->kinds, i++, args) && ...)) return false;
    kernel_->fill(call, a);
    if (!engine()->call_find(&call) || !results.fits(call)) return false;
    kernel_->launch(call, results.room());
    if (kernel_->counts_versions) count_versions(kernel_, args...);
    return true;
  }

  R operator()(c10::DispatchKeySet keys, Args... args) const {
    Results<R> results;
    if (C10_LIKELY(run(results, args...))) return results.take(args...);
    if constexpr (std::is_same_v<R, at::Tensor&>)
      if (kernel_->has_out && results.resize(args...) && run(results, args...)) return results.take(args...);
    return c10::impl::BoxedKernelWrapper<R(Args...)>::call(boxed_, handle_, keys, std::forward<Args>(args)...);
  }

  const Kernel* kernel() const { return kernel_; }

 private:
  const Kernel* kernel_;  // of boxed_
  c10::OperatorHandle handle_;
  c10::BoxedKernel boxed_;
};

// Whether autograd has to know what becomes of a tensor.
inline bool is_tracked(const at::Tensor& t) {
  auto* impl = t.unsafeGetTensorImpl();
  if (!impl->autograd_meta()) return false;
  return (impl->requires_grad() && c10::GradMode::is_enabled()) || t._fw_grad(/*level=*/0).defined();
}
inline bool is_tracked(const std::optional<at::Tensor>& t) { return t && is_tracked(*t); }
inline bool is_tracked(at::TensorList list) {
  return std::any_of(list.begin(), list.end(), [](auto& t) { return is_tracked(t); });
}
inline bool is_tracked(const at::ITensorListRef& list) {
  for (const auto& t : list)
    if (is_tracked(t)) return true;
  return false;
}
template <class Other>
bool is_tracked(const Other&) {
  return false;
}

// In front of autograd's kernel: a call of tensors of which autograd need not know goes to the backend at once, when nobody between the
// two wants to see it. Autograd's kernel is the same for all backends; AutogradOther finds it.
template <class Signature>
class Untracked;

template <class R, class... Args>
class Untracked<R(Args...)> final : public c10::OperatorKernel {
 public:
  Untracked(const c10::OperatorHandle& handle, const Direct<R(Args...)>* direct)
      : handle_(handle.typed<R(Args...)>()), direct_(direct) {}

  R operator()(c10::DispatchKeySet keys, Args... args) const {
    if ((keys & c10::after_ADInplaceOrView_keyset).highestPriorityTypeId() == kKey && !(is_tracked(args) || ...)) {
      Results<R> results;
      if (C10_LIKELY(direct_->run(results, args...))) {
        if (keys.has(c10::DispatchKey::ADInplaceOrView)) count_versions(direct_->kernel(), args...);
        return results.take(args...);
      }
    }
    constexpr c10::DispatchKeySet autograd(c10::DispatchKey::AutogradOther);
    return handle_.redispatch((keys & c10::after_autograd_keyset) | autograd, std::forward<Args>(args)...);
  }

 private:
  c10::TypedOperatorHandle<R(Args...)> handle_;
  const Direct<R(Args...)>* direct_;  // lives as long as the process
};

}  // namespace bridge
