// Operators of which some results exist by values alone, or whose arguments on the host would make a program of each value:
// composed of operators with static shapes.
#include "bridge.h"

#include <ATen/ATen.h>
#include <ATen/native/LinearAlgebraUtils.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>

namespace bridge {
namespace {

using at::Tensor;

// ---- connectionist temporal classification ----------------------------------------------------------------------------

// Lengths come as lists, which change with every batch, and would be part of the program: they become tensors, and targets that
// lie one behind the other rows of one length.
struct Sequences {
  Tensor targets, steps, counts;
};

Sequences sequences_of(const Tensor& log_probs, const Tensor& targets, at::IntArrayRef steps, at::IntArrayRef counts) {
  int64_t n = log_probs.size(1), most = 0, total = 0;
  TORCH_CHECK(static_cast<int64_t>(steps.size()) == n, "input_lengths must be of size batch_size");
  TORCH_CHECK(static_cast<int64_t>(counts.size()) == n, "target_lengths must be of size batch_size");
  for (int64_t count : counts) {
    TORCH_CHECK(count >= 0, "Expected target_lengths to have value at least 0, but got value ", count);
    most = std::max(most, count);
    total += count;
  }
  for (int64_t step : steps) {
    TORCH_CHECK(step >= 0, "Expected input_lengths to have value at least 0, but got value ", step);
    TORCH_CHECK(step <= log_probs.size(0), "Expected input_lengths to have value at most ", log_probs.size(0), ", but got value ",
                step);
  }
  auto on_device = [&](at::IntArrayRef list) { return at::tensor(list, at::kLong).to(log_probs.device()); };
  Sequences s{targets, on_device(steps), on_device(counts)};
  if (targets.dim() == 2) {
    TORCH_CHECK(targets.size(0) == n, "Expected tensor to have size ", n, " at dimension 0, but got size ", targets.size(0),
                " for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)");
    TORCH_CHECK(targets.size(1) >= most, "Expected tensor to have size at least ", most, " at dimension 1, but got size ",
                targets.size(1), " for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)");
    s.targets = targets.narrow(1, 0, most);
    return s;
  }
  TORCH_CHECK(targets.dim() == 1 && targets.size(0) == total, "Expected tensor to have size ", total,
              " at dimension 0, but got size ", targets.size(0),
              " for argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)");
  std::vector<int64_t> places(static_cast<size_t>(n * most));
  for (int64_t i = 0, begin = 0; i < n; begin += counts[i++])
    for (int64_t j = 0; j < most; j++) places[i * most + j] = std::min(begin + j, total - 1);
  s.targets = most ? targets.index_select(0, on_device(places)).view({n, most}) : targets.new_zeros({n, 0});
  return s;
}

std::tuple<Tensor, Tensor> ctc_loss(const Tensor& log_probs, const Tensor& targets, at::IntArrayRef steps, at::IntArrayRef counts,
                                    int64_t blank, bool zero_infinity) {
  TORCH_CHECK(log_probs.dim() == 3 && log_probs.numel() > 0, "log_probs tensor must not be empty");
  Sequences s = sequences_of(log_probs, targets, steps, counts);
  return at::_ctc_loss(log_probs, s.targets, s.steps, s.counts, blank, zero_infinity);
}

Tensor ctc_loss_backward(const Tensor& grad, const Tensor& log_probs, const Tensor& targets, at::IntArrayRef steps,
                         at::IntArrayRef counts, const Tensor& loss, const Tensor& log_alpha, int64_t blank, bool zero_infinity) {
  Sequences s = sequences_of(log_probs, targets, steps, counts);
  return at::_ctc_loss_backward(grad, log_probs, s.targets, s.steps, s.counts, loss, log_alpha, blank, zero_infinity);
}

// ---- least squares ----------------------------------------------------------------------------------------------------

// Whether residuals exist hangs on the rank, which some drivers find.
struct LeastSquares {
  Tensor solution, residuals, rank, values;
};

void check_least_squares(const Tensor& a, const Tensor& b, const std::string& driver) {
  TORCH_CHECK(a.dim() >= 2, "torch.linalg.lstsq: input must have at least 2 dimensions.");
  TORCH_CHECK(b.dim() >= 1, "torch.linalg.lstsq: other must have at least 1 dimension.");
  TORCH_CHECK(a.scalar_type() == b.scalar_type(),
              "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype ", a.scalar_type(),
              " and other's dtype ", b.scalar_type());
  auto difference = a.dim() - b.dim();
  TORCH_CHECK(0 <= difference && difference <= 1,
              "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1");
  TORCH_CHECK(a.size(-2) == (difference ? b.size(-1) : b.size(-2)),
              difference ? "torch.linalg.lstsq: input.size(-2) should match other.size(-1)"
                         : "torch.linalg.lstsq: input.size(-2) should match other.size(-2)");
  TORCH_CHECK(driver == "gels" || driver == "gelsy" || driver == "gelsd" || driver == "gelss",
              "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
}

// By an orthogonal factor of a, or of its adjoint, whose rank is taken to be full.
Tensor solve_of_full_rank(const Tensor& a, const Tensor& b) {
  bool wide = a.size(-2) < a.size(-1);
  auto [q, r] = at::linalg_qr(wide ? a.mH() : a, "reduced");
  int64_t n = r.size(-1);
  Tensor place = at::arange(1, n + 1, r.options().dtype(at::kInt));
  Tensor zero = at::diagonal(r, 0, -2, -1).eq(0), first = at::where(zero, place, n + 1);
  Tensor info = n ? first.amin(-1) : at::zeros(a.sizes().slice(0, a.dim() - 2), place.options());
  at::_linalg_check_errors(info.remainder(n + 1), "torch.linalg.lstsq", info.dim() == 0);
  if (wide) return q.matmul(at::linalg_solve_triangular(r.mH(), b, /*upper=*/false));
  return at::linalg_solve_triangular(r, q.mH().matmul(b), /*upper=*/true);
}

LeastSquares least_squares(const Tensor& a, const Tensor& given, std::optional<double> rcond, const std::string& driver) {
  check_least_squares(a, given, driver);
  bool vector = given.dim() < a.dim();
  auto [left, b] = at::native::_linalg_broadcast_batch_dims(a, vector ? given.unsqueeze(-1) : given, nullptr);
  int64_t m = a.size(-2), n = a.size(-1);
  auto real = a.options().dtype(c10::toRealValueType(a.scalar_type()));
  LeastSquares x{{}, at::empty({0}, real), at::empty({0}, real.dtype(at::kLong)), at::empty({0}, real)};
  bool residuals = m > n && driver != "gelsy";
  if (driver == "gels") {
    x.solution = solve_of_full_rank(left, b);
  } else {
    double epsilon = real.dtype() == at::kDouble ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    auto [u, s, vh] = at::_linalg_svd(left, /*full_matrices=*/false, /*compute_uv=*/true);
    Tensor least = s.size(-1) ? s.narrow(-1, 0, 1).mul(rcond.value_or(epsilon * static_cast<double>(std::max(m, n)))) : s;
    Tensor counts = s.gt(least);
    Tensor inverse = at::where(counts, s.reciprocal(), 0).to(a.scalar_type()).unsqueeze(-1);
    x.solution = vh.mH().matmul(u.mH().matmul(b).mul(inverse));
    x.rank = counts.sum(-1);
    residuals = residuals && x.rank.eq(n).all().item<bool>();
    if (driver != "gelsy") x.values = s;
  }
  if (residuals) x.residuals = left.matmul(x.solution).sub(b).abs().square().sum(-2);
  if (vector) x.solution = x.solution.squeeze(-1);
  return x;
}

// One without elements comes to lie as the right side did for LAPACK: columns of as many rows as the larger side has.
void resize_solution(Tensor& to, const Tensor& x, bool matrix, int64_t rows) {
  bool free = !to.numel() && x.numel();
  at::native::resize_output(to, x.sizes());
  if (!free) return;
  std::vector<int64_t> sizes = x.sizes().vec(), strides(x.dim());
  int64_t step = 1;
  auto place = [&](int64_t d, int64_t size) { strides[d] = step, step *= size; };
  if (matrix) place(x.dim() - 2, rows), place(x.dim() - 1, sizes.back());
  else place(x.dim() - 1, rows);
  for (int64_t d = x.dim() - (matrix ? 3 : 2); d >= 0; d--) place(d, sizes[d]);
  to.resize_({step});
  to.as_strided_(sizes, strides);
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> lstsq_out(const Tensor& a, const Tensor& b, std::optional<double> rcond,
                                                         std::optional<std::string_view> driver, Tensor& solution,
                                                         Tensor& residuals, Tensor& rank, Tensor& values) {
  LeastSquares x = least_squares(a, b, rcond, std::string(driver.value_or("gelsy")));
  auto put = [](Tensor& to, const Tensor& from) {
    at::native::resize_output(to, from.sizes());
    to.copy_(from);
  };
  auto expect = [](const Tensor& to, at::ScalarType type, const char* name) {
    at::native::checkLinalgCompatibleDtype("torch.linalg.lstsq", to.scalar_type(), type, name);
  };
  expect(solution, a.scalar_type(), "solution");
  expect(residuals, c10::toRealValueType(a.scalar_type()), "residuals");
  expect(values, c10::toRealValueType(a.scalar_type()), "singular_values");
  expect(rank, at::kLong, "rank");
  resize_solution(solution, x.solution, b.dim() == a.dim(), std::max(a.size(-2), a.size(-1)));
  solution.copy_(x.solution);
  put(residuals, x.residuals);
  put(rank, x.rank);
  put(values, x.values);
  return {solution, residuals, rank, values};
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_ctc_loss", TORCH_FN(ctc_loss));
  m.impl("_ctc_loss_backward", TORCH_FN(ctc_loss_backward));
  m.impl("linalg_lstsq.out", TORCH_FN(lstsq_out));
}

}  // namespace
}  // namespace bridge
