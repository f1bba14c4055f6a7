// Products of groups of rows with a matrix of each group's own, as mixtures of experts have. Which rows belong to a group is known
// on the device alone: every group's product is computed of all rows, and what is not its own left out, so that nothing waits.
#include "bridge.h"

#include <ATen/ATen.h>
#include <torch/library.h>

namespace bridge {
namespace {

using at::Tensor;

// Of each group the places below n that lie between the end of the group before and its own: groups x n.
Tensor members(const Tensor& ends, int64_t n) {
  Tensor places = at::arange(n, ends.options()), last = ends.unsqueeze(1);
  Tensor first = at::constant_pad_nd(ends, {1, 0}).narrow(0, 0, ends.size(0)).unsqueeze(1);
  return places.ge(first).logical_and(places.lt(last));
}

void check_grouped(const Tensor& a, const Tensor& b, const std::optional<Tensor>& offs) {
  TORCH_CHECK((a.dim() == 2 || a.dim() == 3) && (b.dim() == 2 || b.dim() == 3),
              "Multiplicands must be 2D or 3D but got mat_a.dim()=", a.dim(), " and mat_b.dim()=", b.dim());
  TORCH_CHECK(a.size(-1) == b.size(-2), "contraction dimension of mat_a and mat_b must match");
  TORCH_CHECK(a.scalar_type() == b.scalar_type() && a.is_floating_point(),
              "Expected inputs of one floating-point type but got mat_a.dtype=", a.scalar_type(),
              " and mat_b.dtype=", b.scalar_type());
  bool grouped = a.dim() == 2 || b.dim() == 2;
  TORCH_CHECK(offs.has_value() == grouped, "Have to provide offsets if there is a 2d matrix, and only then");
  if (!grouped) return;
  TORCH_CHECK(offs->dim() == 1 && offs->scalar_type() == at::kInt, "Offsets must be a 1D int32 tensor, but got ", offs->dim(),
              "D of ", offs->scalar_type());
  if (a.dim() != b.dim()) TORCH_CHECK(offs->size(0) == (a.dim() == 3 ? a : b).size(0), "matrix batch sizes have to match");
}

Tensor grouped_mm(const Tensor& a, const Tensor& b, const std::optional<Tensor>& offs, const std::optional<Tensor>& bias,
                  std::optional<at::ScalarType> out_dtype) {
  check_grouped(a, b, offs);
  TORCH_CHECK(!bias.has_value(), "Bias not supported yet");
  Tensor result;
  if (a.dim() == 3 && b.dim() == 3) {
    result = at::bmm(a, b);
  } else if (a.dim() == 2 && b.dim() == 2) {
    result = at::matmul(at::where(members(*offs, a.size(1)).unsqueeze(1), a, 0), b);
  } else if (a.dim() == 2) {
    result = at::where(members(*offs, a.size(0)).unsqueeze(2), at::matmul(a, b), 0).sum(0);
  } else {
    result = at::where(members(*offs, b.size(1)).unsqueeze(1), at::matmul(a, b), 0).sum(0);
  }
  return result.to(out_dtype.value_or(a.scalar_type()));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl("_grouped_mm", TORCH_FN(grouped_mm)); }

}  // namespace
}  // namespace bridge
