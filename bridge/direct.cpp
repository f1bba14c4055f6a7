// Which operators have kernels that are called directly: those of the inner loops of training and inference.
#include "direct.h"

#include "direct_call.h"

#include <ATen/Operators.h>

#include <map>

namespace bridge {
namespace {

// clang-format off
#define DIRECT(X)                                                                                                              \
  X(add_Tensor) X(add_out) X(sub_Tensor) X(sub_out) X(mul_Tensor) X(mul_out) X(div_Tensor) X(div_out) X(rsub_Scalar)           \
  X(pow_Tensor_Scalar) X(maximum) X(minimum) X(addcmul) X(addcmul_out) X(addcdiv) X(addcdiv_out) X(lerp_Scalar) X(lerp_Tensor) \
  X(neg) X(abs) X(exp) X(log) X(sqrt) X(rsqrt) X(reciprocal) X(sin) X(cos) X(tanh) X(erf) X(sigmoid) X(relu) X(gelu) X(silu)   \
  X(clamp) X(clamp_min) X(clamp_max) X(where_self) X(masked_fill_Scalar) X(tril) X(triu)                                       \
  X(eq_Tensor) X(ne_Tensor) X(lt_Tensor) X(le_Tensor) X(gt_Tensor) X(ge_Tensor)                                                \
  X(eq_Scalar) X(ne_Scalar) X(lt_Scalar) X(le_Scalar) X(gt_Scalar) X(ge_Scalar)                                                \
  X(logical_not) X(logical_and) X(logical_or) X(bitwise_not) X(bitwise_and_Tensor) X(bitwise_or_Tensor)                        \
  X(tanh_backward) X(sigmoid_backward) X(gelu_backward) X(silu_backward) X(threshold_backward)                                 \
  X(sum_dim_IntList) X(mean_dim) X(amax) X(amin) X(argmax) X(argmin) X(cumsum) X(any_dim) X(all_dim)                           \
  X(_softmax) X(_log_softmax) X(_softmax_backward_data) X(_log_softmax_backward_data)                                          \
  X(mm) X(bmm) X(addmm) X(baddbmm) X(dot) X(mv)                                                                                \
  X(gather) X(index_Tensor) X(index_select) X(scatter_add) X(scatter_src) X(cat) X(embedding_dense_backward)                   \
  X(native_layer_norm) X(native_layer_norm_backward) X(native_group_norm) X(nll_loss_forward) X(nll_loss_backward)             \
  X(mse_loss) X(mse_loss_backward) X(native_dropout) X(native_dropout_backward) X(max_pool2d_with_indices)                     \
  X(max_pool2d_with_indices_backward) X(convolution_overrideable) X(avg_pool2d) X(_adaptive_avg_pool2d)                        \
  X(fill__Scalar) X(zero_) X(relu_) X(normal_) X(uniform_) X(random_) X(bernoulli__float) X(arange_start_out)                  \
  X(sum_IntList_out) X(mean_out) X(mm_out) X(bmm_out) X(addmm_out)                                                             \
  X(_foreach_add__List) X(_foreach_add__Scalar) X(_foreach_sub__List) X(_foreach_mul__Scalar) X(_foreach_mul__List)            \
  X(_foreach_div__List) X(_foreach_div__ScalarList) X(_foreach_mul__Tensor) X(_foreach_addcmul__Scalar)                        \
  X(_foreach_addcdiv__Scalar) X(_foreach_addcdiv__ScalarList) X(_foreach_lerp__Scalar) X(_foreach_sqrt_) X(_foreach_neg_)      \
  X(_foreach_zero_) X(_foreach_sqrt) X(_foreach_add_List) X(_foreach_add_Scalar) X(_foreach_mul_Scalar) X(_foreach_div_List)   \
  X(_foreach_copy_) X(_foreach_norm_Scalar)
// clang-format on

using Make = void (*)(const c10::OperatorHandle&, std::unique_ptr<Kernel>);

template <class Signature, class Functor>
void put(const c10::OperatorHandle& handle, c10::DispatchKey key, std::unique_ptr<Functor> kernel) {
  static auto* kept = new std::vector<c10::RegistrationHandleRAII>;
  kept->push_back(c10::Dispatcher::singleton().registerImpl(
      handle.operator_name(), key, c10::KernelFunction::makeFromUnboxedFunctor<false, Functor>(std::move(kernel)),
      c10::impl::CppSignature::make<Signature>(), nullptr, "tpu: called directly"));
}

template <class Signature>
void make(const c10::OperatorHandle& handle, std::unique_ptr<Kernel> kernel) {
  auto direct = std::make_unique<Direct<Signature>>(handle, std::move(kernel));
  auto* address = direct.get();
  put<Signature>(handle, kKey, std::move(direct));
  if (handle.hasKernelForDispatchKey(c10::DispatchKey::Autograd))
    put<Signature>(handle, c10::DispatchKey::AutogradPrivateUse1, std::make_unique<Untracked<Signature>>(handle, address));
}

const std::map<std::string, Make>& table() {
  static const auto* all = new std::map<std::string, Make>{
#define X(op) {std::string(at::_ops::op::name) + "." + at::_ops::op::overload_name, &make<at::_ops::op::schema>},
      DIRECT(X)
#undef X
  };
  return *all;
}

}  // namespace

bool register_direct(const c10::OperatorHandle& handle, std::unique_ptr<Kernel>& kernel) {
  const auto& name = handle.operator_name();
  auto found = table().find(name.name + "." + name.overload_name);
  if (found == table().end() || kernel->raises || kernel->check_errors >= 0) return false;
  found->second(handle, std::move(kernel));
  return true;
}

}  // namespace bridge
