// Sparse COO tensors: what PyTorch itself composes of their indices and values, which needs nothing but a key. sparse_ops.cpp has
// what its other devices have kernels for.
#include "bridge.h"

#include <ATen/NativeFunctions.h>
#include <torch/library.h>

namespace bridge {
namespace {

using at::Scalar;
using at::ScalarType;
using at::Tensor;
namespace native = at::native;

// Functions that keep zero: of the values, after equal places were added up.
#define FL_SPARSE_UNARY(X)                                                                                                      \
  X(abs) X(sgn) X(asinh) X(atanh) X(asin) X(atan) X(ceil) X(erf) X(expm1) X(floor) X(frac) X(log1p) X(rad2deg) X(deg2rad)       \
  X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(trunc) X(erfinv) X(sign)

#define FL_SPARSE_IMPL(name)                                                                                                    \
  m.impl(#name, TORCH_FN(native::name##_sparse));                                                                               \
  m.impl(#name "_", TORCH_FN(native::name##_sparse_));                                                                          \
  m.impl(#name ".out", TORCH_FN(native::name##_sparse_out));

void implement_unary(torch::Library& m) {
  FL_SPARSE_UNARY(FL_SPARSE_IMPL)
  m.impl("neg", TORCH_FN(native::neg_sparse));
  m.impl("neg_", TORCH_FN(native::neg_sparse_));
  m.impl("neg.out", TORCH_FN(native::neg_out_sparse));
  m.impl("relu", TORCH_FN(native::relu_sparse));
  m.impl("relu_", TORCH_FN(native::relu_sparse_));
  m.impl("threshold_backward", TORCH_FN(native::threshold_backward_sparse));
  m.impl("threshold_backward.grad_input", TORCH_FN(native::threshold_backward_sparse_out));
  m.impl("nan_to_num", TORCH_FN(native::nan_to_num_sparse));
  m.impl("nan_to_num_", TORCH_FN(native::nan_to_num_sparse_));
  m.impl("nan_to_num.out", TORCH_FN(native::nan_to_num_sparse_out));
  m.impl("isnan", TORCH_FN(native::isnan_sparse));
  m.impl("isinf", TORCH_FN(native::isinf_sparse));
  m.impl("isposinf", TORCH_FN(native::isposinf_sparse));
  m.impl("isposinf.out", TORCH_FN(native::isposinf_sparse_out));
  m.impl("isneginf", TORCH_FN(native::isneginf_sparse));
  m.impl("isneginf.out", TORCH_FN(native::isneginf_sparse_out));
  m.impl("signbit", TORCH_FN(native::signbit_sparse));
  m.impl("signbit.out", TORCH_FN(native::signbit_sparse_out));
  m.impl("any", TORCH_FN(native::any_sparse));
  m.impl("pow.Tensor_Scalar", TORCH_FN(native::pow_sparse_scalar));
  m.impl("pow.Tensor_Scalar_out", TORCH_FN(native::pow_out_sparse_scalar));
  m.impl("conj_physical.out", TORCH_FN(native::conj_physical_out_sparse));
  m.impl("view_as_real", TORCH_FN(native::view_as_real_sparse));
  m.impl("view_as_complex", TORCH_FN(native::view_as_complex_sparse));
}

void implement_storage(torch::Library& m) {
  m.impl("empty.memory_format", TORCH_FN(native::empty_sparse));
  m.impl("empty_like", TORCH_FN(native::empty_like_sparse_coo));
  m.impl("zeros.out", TORCH_FN(native::zeros_sparse_out));
  m.impl("zero_", TORCH_FN(native::zero_sparse_));
  m.impl("clone", TORCH_FN(native::clone_sparse));
  m.impl("copy_", TORCH_FN(native::copy_sparse_wrapper_));
  m.impl("copy_sparse_to_sparse_", TORCH_FN(native::copy_sparse_));
  m.impl("_sparse_coo_tensor_with_dims", TORCH_FN(native::new_with_dims_sparse));
  m.impl("_sparse_coo_tensor_with_dims_and_tensors", TORCH_FN(native::new_with_dims_and_tensor_sparse_symint));
  m.impl("sparse_resize_", TORCH_FN(native::sparse_resize_));
  m.impl("sparse_resize_and_clear_", TORCH_FN(native::sparse_resize_and_clear_));
  m.impl("resize_as_sparse_", TORCH_FN(native::resize_as_sparse_));
  m.impl("sparse_dim", static_cast<int64_t (*)(const Tensor&)>(native::sparse_dim_sparse));
  m.impl("_dimI", static_cast<int64_t (*)(const Tensor&)>(native::sparse_dim_sparse));
  m.impl("dense_dim", static_cast<int64_t (*)(const Tensor&)>(native::dense_dim_sparse));
  m.impl("_dimV", static_cast<int64_t (*)(const Tensor&)>(native::dense_dim_sparse));
  m.impl("_nnz", TORCH_FN(native::_nnz_sparse));
  m.impl("is_coalesced", TORCH_FN(native::is_coalesced_sparse));
  m.impl("_coalesced_", TORCH_FN(native::_coalesced_sparse_));
  m.impl("_indices", TORCH_FN(native::_indices_sparse));
  m.impl("_values", TORCH_FN(native::_values_sparse));
  m.impl("indices", TORCH_FN(native::indices_sparse));
  m.impl("values", TORCH_FN(native::values_sparse));
  m.impl("_to_dense", TORCH_FN(native::sparse_to_dense));
}

void implement_shapes(torch::Library& m) {
  m.impl("_sparse_broadcast_to", TORCH_FN(native::sparse_broadcast_to));
  m.impl("cat", TORCH_FN(native::cat_sparse));
  m.impl("permute", TORCH_FN(native::permute_sparse_coo));
  m.impl("unsqueeze", TORCH_FN(native::unsqueeze_sparse));
  m.impl("narrow_copy", TORCH_FN(native::narrow_copy_sparse));
  m.impl("_to_sparse.sparse_dim", static_cast<Tensor (*)(const Tensor&, int64_t)>(native::sparse_coo_to_sparse));
  m.impl("_to_sparse", static_cast<Tensor (*)(const Tensor&, std::optional<at::Layout>, at::OptionalIntArrayRef,
                                              std::optional<int64_t>)>(native::sparse_coo_to_sparse));
}

// Sums, differences, quotients and norms that end in what sparse_ops.cpp has.
void implement_arithmetic(torch::Library& m) {
  m.impl("add.Tensor", TORCH_FN(native::add_sparse));
  m.impl("add_.Tensor", TORCH_FN(native::add_sparse_));
  m.impl("sub.Tensor", TORCH_FN(native::sub_sparse));
  m.impl("sub_.Tensor", TORCH_FN(native::sub_sparse_));
  m.impl("sub.out", TORCH_FN(native::sub_out_sparse));
  m.impl("mul.Tensor", TORCH_FN(native::mul_sparse));
  m.impl("mul_.Tensor", TORCH_FN(native::mul_sparse_));
  using Mode = std::optional<std::string_view>;
  m.impl("div.Tensor", static_cast<Tensor (*)(const Tensor&, const Tensor&)>(native::div_sparse));
  m.impl("div_.Tensor", static_cast<Tensor& (*)(Tensor&, const Tensor&)>(native::div_sparse_));
  m.impl("div.out", static_cast<Tensor& (*)(const Tensor&, const Tensor&, Tensor&)>(native::div_out_sparse_zerodim));
  m.impl("div.Tensor_mode", static_cast<Tensor (*)(const Tensor&, const Tensor&, Mode)>(native::div_sparse));
  m.impl("div_.Tensor_mode", static_cast<Tensor& (*)(Tensor&, const Tensor&, Mode)>(native::div_sparse_));
  m.impl("div.out_mode", static_cast<Tensor& (*)(const Tensor&, const Tensor&, Mode, Tensor&)>(native::div_out_sparse_zerodim));
  m.impl("floor_divide", TORCH_FN(native::floor_divide_sparse));
  m.impl("floor_divide_.Tensor", TORCH_FN(native::floor_divide_sparse_));
  m.impl("floor_divide.out", TORCH_FN(native::floor_divide_out_sparse_zerodim));
  m.impl("mm", static_cast<Tensor (*)(const Tensor&, const Tensor&)>(native::_sparse_mm));
  m.impl("mm.out", TORCH_FN(native::_sparse_mm_out));
  m.impl("mv", TORCH_FN(native::mv_sparse));
  m.impl("sum", TORCH_FN(native::sum_coo));
  m.impl("sum.dim_IntList", TORCH_FN(native::sum_sparse_coo));
  m.impl("native_norm", static_cast<Tensor (*)(const Tensor&, const Scalar&)>(native::norm_sparse));
  m.impl("native_norm.ScalarOpt_dim_dtype",
         static_cast<Tensor (*)(const Tensor&, const std::optional<Scalar>&, at::IntArrayRef, bool, std::optional<ScalarType>)>(
             native::norm_sparse));
  m.impl("norm.ScalarOpt_dim", TORCH_FN(native::sparse_norm));
  m.impl("norm.ScalarOpt_dim_dtype", TORCH_FN(native::sparse_dtype_norm));
}

TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m) {
  implement_storage(m);
  implement_unary(m);
  implement_shapes(m);
  implement_arithmetic(m);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_to_sparse.sparse_dim", static_cast<Tensor (*)(const Tensor&, int64_t)>(native::dense_to_sparse));
  m.impl("_to_sparse", static_cast<Tensor (*)(const Tensor&, std::optional<at::Layout>, at::OptionalIntArrayRef,
                                              std::optional<int64_t>)>(native::dense_to_sparse));
}

}  // namespace
}  // namespace bridge
