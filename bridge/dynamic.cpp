// Operators whose result shapes depend on values, and indexing with masks: composed of operators with static shapes, with one
// read of a count from the device in between.
#include "bridge.h"
#include "mirror.h"

#include <ATen/ATen.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>

#include "typed.h"

namespace bridge {
namespace {

using at::Tensor;

// Positions (int64, ascending) of the true elements of a flat mask; waits for the device to learn how many there are.
Tensor true_positions(const Tensor& mask) {
  int64_t n = mask.numel();
  auto options = mask.options().dtype(at::kLong);
  if (n == 0) return at::empty({0}, options);
  Tensor rank = mask.cumsum(0, at::kLong);
  int64_t count = rank.select(0, n - 1).item<int64_t>();
  // every true element writes its position at its rank; the others write to a place behind the end
  Tensor place = at::where(mask, rank.sub(1), at::full({}, count, options));
  Tensor found = at::empty({count + 1}, options);
  found.scatter_(0, place, at::arange(n, options));
  return found.narrow(0, 0, count);
}

Tensor nonzero_kernel(const Tensor& self) {
  auto options = self.options().dtype(at::kLong);
  Tensor flat = self.reshape({-1});
  Tensor positions = true_positions(flat.scalar_type() == at::kBool ? flat : flat.ne(0));
  int64_t count = positions.numel(), rank = self.dim();
  if (rank == 0) return at::empty({count, 0}, options);
  if (rank == 1) return positions.clone().as_strided({count, 1}, {1, std::max<int64_t>(count, 1)});
  Tensor result = at::empty({rank, count}, options);
  for (int64_t d = rank - 1; d >= 0; d--) {
    result.select(0, d).copy_(positions.remainder(self.size(d)));
    if (d) positions = positions.div(self.size(d), "floor");
  }
  return result.t();
}

Tensor& nonzero_out(const Tensor& self, Tensor& out) {
  TORCH_CHECK(out.scalar_type() == at::kLong, "nonzero: Expected out tensor to have scalar type Long but got scalar type",
              out.scalar_type());
  Tensor result = nonzero_kernel(self);
  if (at::native::resize_output(out, result.sizes())) out.as_strided_(result.sizes(), {1, result.size(0)});
  return out.copy_(result);
}

Tensor masked_select_kernel(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == at::kBool, "masked_select: expected BoolTensor for mask");
  auto both = at::broadcast_tensors({self, mask});
  return both[0].reshape({-1}).index_select(0, true_positions(both[1].reshape({-1})));
}

Tensor& masked_select_out(const Tensor& self, const Tensor& mask, Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "masked_select(): self and result must have the same scalar type");
  Tensor result = masked_select_kernel(self, mask);
  at::native::resize_output(out, result.sizes());
  return out.copy_(result);
}

// ---- indexing ---------------------------------------------------------------------------------------------------------

// Index tensors as the engine takes them: int64 on the device; a mask becomes one index a dimension.
std::vector<Tensor> integer_indices(const Tensor& self, const c10::List<std::optional<Tensor>>& indices) {
  std::vector<Tensor> result;
  for (const std::optional<Tensor>& maybe : indices) {
    if (!maybe || !maybe->defined()) {
      result.emplace_back();
      continue;
    }
    Tensor index = maybe->device() == self.device() ? *maybe : maybe->to(self.device());
    if (index.scalar_type() != at::kBool && index.scalar_type() != at::kByte) {
      TORCH_CHECK_INDEX(index.scalar_type() == at::kLong || index.scalar_type() == at::kInt,
                        "tensors used as indices must be long, int, byte or bool tensors");
      result.push_back(index.to(at::kLong));
      continue;
    }
    int64_t dim = static_cast<int64_t>(result.size());
    for (int64_t d = 0; d < index.dim(); d++)
      TORCH_CHECK_INDEX(dim + d < self.dim() && index.size(d) == self.size(dim + d), "The shape of the mask ", index.sizes(),
                        " at index ", d, " does not match the shape of the indexed tensor ", self.sizes(), " at index ", dim + d);
    Tensor found = nonzero_kernel(index);
    for (int64_t d = 0; d < index.dim(); d++) result.push_back(found.select(1, d));
  }
  TORCH_CHECK_INDEX(static_cast<int64_t>(result.size()) <= self.dim(), "too many indices for tensor of dimension ", self.dim());
  return result;
}

std::vector<fl_tensor> describe_indices(const std::vector<Tensor>& indices) {
  std::vector<fl_tensor> described(indices.size());
  for (size_t i = 0; i < indices.size(); i++)
    if (indices[i].defined()) describe(&described[i], indices[i]);
  return described;
}

fl_value list_of(const std::vector<fl_tensor>& tensors) {
  fl_value v{};
  v.tag = FL_TAG_TENSORS;
  v.count = static_cast<uint32_t>(tensors.size());
  v.u.tensor = tensors.data();
  return v;
}

Tensor& index_out(const Tensor& self, const c10::List<std::optional<Tensor>>& indices, Tensor& out) {
  static const int op = engine()->operator_find("index.Tensor_out");
  if (out.numel() == 0) return out;
  auto converted = integer_indices(self, indices);
  auto described = describe_indices(converted);
  fl_tensor tensors[2];
  describe(&tensors[0], self);
  describe(&tensors[1], out);
  fl_value args[3] = {value_of(&tensors[0]), list_of(described), value_of(&tensors[1])};
  uint16_t written[1] = {2};
  call_operator(op, args, 3, written, 1, self.device().index());
  return out;
}

// x[mask] = number needs neither positions nor a read from the device.
bool is_masked_fill(const Tensor& self, const c10::List<std::optional<Tensor>>& indices, const Tensor& values, bool accumulate) {
  if (accumulate || values.numel() != 1 || indices.size() == 0) return false;
  std::optional<Tensor> mask;
  for (const std::optional<Tensor>& index : indices) {
    if (!index || !index->defined()) continue;
    if (mask || index->scalar_type() != at::kBool) return false;
    mask = index;
  }
  return mask && indices.get(0) && indices.get(0)->defined() && mask->dim() <= self.dim() &&
         mask->sizes() == self.sizes().slice(0, static_cast<size_t>(mask->dim()));
}

bool writes_oddly(const Tensor& self, const c10::List<std::optional<Tensor>>& indices, const Tensor& values) {
  bool odd = overlaps_itself(self) || overlap_in_part(self, values);
  for (const std::optional<Tensor>& index : indices) odd = odd || (index && index->defined() && overlap_in_part(self, *index));
  return odd;
}

Tensor& index_put_as_the_host(Tensor& self, const c10::List<std::optional<Tensor>>& indices, const Tensor& values,
                              bool accumulate) {
  Mirror mirror;
  c10::List<std::optional<Tensor>> on_host = mirror.of(c10::IValue(indices)).toOptionalTensorList();
  Tensor host = mirror.of(self);
  at::_index_put_impl_(host, on_host, values.device() == self.device() ? mirror.of(values) : values, accumulate);
  mirror.write_back(self);
  return self;
}

// The sizes of self[indices]: those of the index tensors together stand where the indexed dimensions stood when these are
// neighbours, else in front.
c10::DimVector indexed_sizes(const Tensor& self, const std::vector<Tensor>& indices) {
  c10::DimVector together, others;
  size_t place = 0, first = indices.size(), last = 0, count = 0;
  bool reaches_none = false;
  for (size_t d = 0; d < static_cast<size_t>(self.dim()); d++) {
    if (d >= indices.size() || !indices[d].defined()) {
      others.push_back(self.size(static_cast<int64_t>(d)));
      continue;
    }
    TORCH_CHECK_INDEX(!count || at::are_expandable(together, indices[d].sizes()),
                      "shape mismatch: indexing tensors could not be broadcast together with shapes ", c10::IntArrayRef(together),
                      ", ", indices[d].sizes());
    together = count ? at::infer_size_dimvector(together, indices[d].sizes()) : c10::DimVector(indices[d].sizes());
    first = std::min(first, d), last = d, count++;
    reaches_none |= self.size(static_cast<int64_t>(d)) == 0;
  }
  TORCH_CHECK_INDEX(!reaches_none || c10::multiply_integers(together) == 0, "index is out of bounds for dimension with size 0");
  if (count && last - first + 1 == count) place = first;
  others.insert(others.begin() + static_cast<std::ptrdiff_t>(place), together.begin(), together.end());
  return others;
}

Tensor& index_put(Tensor& self, const c10::List<std::optional<Tensor>>& indices, const Tensor& values, bool accumulate, bool) {
  static const int op = engine()->operator_find("_index_put_impl_");
  TORCH_CHECK_INDEX(static_cast<int64_t>(indices.size()) <= self.dim() || self.dim() == 0,
                    "too many indices for tensor of dimension ", self.dim(), " (got ", indices.size(), ")");
  TORCH_CHECK(self.scalar_type() == values.scalar_type(), "Index put requires the source and destination dtypes match, got ",
              self.scalar_type(), " for the destination and ", values.scalar_type(), " for the source.");
  if (C10_UNLIKELY(writes_oddly(self, indices, values))) return index_put_as_the_host(self, indices, values, accumulate);
  if (is_masked_fill(self, indices, values, accumulate)) {
    Tensor mask = indices.get(0)->to(self.device());
    while (mask.dim() < self.dim()) mask = mask.unsqueeze(-1);
    self.masked_fill_(mask, values.reshape({}));
    return self;
  }
  auto converted = integer_indices(self, indices);
  c10::DimVector sizes = indexed_sizes(self, converted);
  TORCH_CHECK(at::is_expandable_to(values.sizes(), sizes), "shape mismatch: value tensor of shape ", values.sizes(),
              " cannot be broadcast to indexing result of shape ", c10::IntArrayRef(sizes));
  if (c10::multiply_integers(sizes) == 0) return self;
  auto described = describe_indices(converted);
  Tensor source = values.device() == self.device() || values.dim() == 0 ? values : values.to(self.device());
  fl_tensor tensors[2];
  describe(&tensors[0], self);
  describe(&tensors[1], source);
  fl_value flag{};
  flag.tag = FL_TAG_BOOL;
  flag.u.i = accumulate;
  fl_value args[5] = {value_of(&tensors[0]), list_of(described), value_of(&tensors[1]), flag, flag};
  args[4].u.i = 0;
  uint16_t written[1] = {0};
  call_operator(op, args, 5, written, 1, self.device().index());
  return self;
}

// ---- unique -----------------------------------------------------------------------------------------------------------

struct Runs {
  Tensor values, inverse, counts;
};

// Runs of equal neighbours along dimension 0: `changed` [n] says where a run begins.
Runs split_runs(const Tensor& rows, const Tensor& changed) {
  Tensor starts = true_positions(changed);
  Runs r;
  r.values = rows.index_select(0, starts);
  r.inverse = changed.cumsum(0, at::kLong).sub_(1);
  Tensor ends = at::cat({starts.narrow(0, std::min<int64_t>(1, starts.numel()), std::max<int64_t>(0, starts.numel() - 1)),
                         at::full({std::min<int64_t>(1, starts.numel())}, changed.numel(), starts.options())});
  r.counts = ends.sub(starts);
  return r;
}

// [n]: row i differs from row i - 1 (true for row 0). NaNs differ from everything, as in PyTorch.
Tensor row_changes(const Tensor& rows) {
  int64_t n = rows.size(0);
  Tensor first = at::ones({std::min<int64_t>(1, n)}, rows.options().dtype(at::kBool));
  if (n < 2) return first;
  Tensor differs = rows.narrow(0, 1, n - 1).ne(rows.narrow(0, 0, n - 1));
  if (rows.dim() > 1) differs = differs.reshape({n - 1, -1}).any(1);
  return at::cat({first, differs});
}

Tensor scatter_inverse(const Tensor& order, const Tensor& inverse) { return at::empty_like(inverse).scatter_(0, order, inverse); }

std::tuple<Tensor, Tensor, Tensor> unique2_kernel(const Tensor& self, bool, bool want_inverse, bool want_counts) {
  auto options = self.options().dtype(at::kLong);
  Tensor flat = self.reshape({-1});
  if (flat.numel() == 0) return {at::empty({0}, self.options()), at::empty(self.sizes(), options), at::empty({0}, options)};
  auto [sorted, order] = flat.sort(0);
  Runs runs = split_runs(sorted, row_changes(sorted));
  Tensor inverse = want_inverse ? scatter_inverse(order, runs.inverse).view(self.sizes()) : at::empty({0}, options);
  return {runs.values, inverse, want_counts ? runs.counts : at::empty({0}, options)};
}

std::tuple<Tensor, Tensor> unique_kernel(const Tensor& self, bool sorted, bool want_inverse) {
  auto [values, inverse, counts] = unique2_kernel(self, sorted, want_inverse, false);
  return {values, inverse};
}

std::tuple<Tensor, Tensor, Tensor> unique_consecutive_along(const Tensor& self, int64_t dim, bool want_inverse,
                                                            bool want_counts) {
  auto options = self.options().dtype(at::kLong);
  Tensor rows = self.movedim(dim, 0).contiguous();
  if (rows.size(0) == 0) return {self.clone(), at::empty({0}, options), at::empty({0}, options)};
  Runs runs = split_runs(rows, row_changes(rows));
  return {runs.values.movedim(0, dim), want_inverse ? runs.inverse : at::empty({0}, options),
          want_counts ? runs.counts : at::empty({0}, options)};
}

std::tuple<Tensor, Tensor, Tensor> unique_dim_consecutive_kernel(const Tensor& self, int64_t dim, bool want_inverse,
                                                                 bool want_counts) {
  return unique_consecutive_along(self, at::maybe_wrap_dim(dim, self.dim()), want_inverse, want_counts);
}

std::tuple<Tensor, Tensor, Tensor> unique_consecutive_kernel(const Tensor& self, bool want_inverse, bool want_counts,
                                                             std::optional<int64_t> dim) {
  if (dim) return unique_dim_consecutive_kernel(self, *dim, want_inverse, want_counts);
  auto [values, inverse, counts] = unique_consecutive_along(self.reshape({-1}), 0, want_inverse, want_counts);
  if (want_inverse) inverse = inverse.view(self.sizes());
  return {values, inverse, counts};
}

// Rows sorted lexicographically: stable sorts by each column, the last column first.
std::tuple<Tensor, Tensor, Tensor> unique_dim_kernel(const Tensor& self, int64_t dim, bool, bool want_inverse, bool want_counts) {
  dim = at::maybe_wrap_dim(dim, self.dim());
  auto options = self.options().dtype(at::kLong);
  Tensor rows = self.movedim(dim, 0).contiguous();
  int64_t n = rows.size(0);
  TORCH_CHECK(n == 0 || rows.numel() != 0, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  if (n == 0) return {self.clone(), at::empty({0}, options), at::empty({0}, options)};
  Tensor table = rows.reshape({n, -1}), order = at::arange(n, options);
  for (int64_t c = table.size(1) - 1; c >= 0; c--) {
    Tensor column = table.select(1, c).index_select(0, order);
    order = order.index_select(0, std::get<1>(column.sort(/*stable=*/true, 0, /*descending=*/false)));
  }
  Tensor sorted = rows.index_select(0, order);
  Runs runs = split_runs(sorted, row_changes(sorted));
  return {runs.values.movedim(0, dim), want_inverse ? scatter_inverse(order, runs.inverse) : at::empty({0}, options),
          want_counts ? runs.counts : at::empty({0}, options)};
}

// ---- counting ---------------------------------------------------------------------------------------------------------

Tensor repeat_interleave_kernel(const Tensor& repeats, std::optional<int64_t> output_size) {
  TORCH_CHECK(repeats.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  TORCH_CHECK(repeats.scalar_type() == at::kLong || repeats.scalar_type() == at::kInt, "repeats has to be Long or Int tensor");
  if (repeats.size(0) == 0) return at::empty({0}, repeats.options());
  TORCH_CHECK(repeats.ge(0).all().item<bool>(), "repeats can not be negative");
  Tensor ends = repeats.cumsum(0, at::kLong);
  int64_t total = output_size ? *output_size : ends.select(0, -1).item<int64_t>();
  Tensor positions = at::arange(total, ends.options());
  return at::searchsorted(ends, positions, /*out_int32=*/false, /*right=*/true).to(repeats.scalar_type());
}

Tensor bincount_kernel(const Tensor& self, const std::optional<Tensor>& weights, int64_t minlength) {
  TORCH_CHECK(minlength >= 0, "minlength should be >= 0");
  TORCH_CHECK(self.dim() == 1 && at::isIntegralType(self.scalar_type(), /*includeBool=*/false),
              "bincount only supports 1-d non-negative integral inputs.");
  bool weighted = weights && weights->defined();
  auto type = !weighted ? at::kLong : weights->scalar_type() == at::kFloat ? at::kFloat : at::kDouble;
  auto options = self.options().dtype(type);
  if (self.numel() == 0) return at::zeros({minlength}, options.dtype(at::kLong));
  TORCH_CHECK(!weighted || weights->sizes() == self.sizes(), "weights should be 1-d and have the same length as input");
  Tensor index = self.to(at::kLong);
  auto [low, high] = at::aminmax(index);
  TORCH_CHECK(low.item<int64_t>() >= 0, "bincount only supports 1-d non-negative integral inputs.");
  int64_t n = std::max(minlength, high.item<int64_t>() + 1);
  Tensor amount = weighted ? weights->to(type) : at::ones({self.numel()}, options);
  return at::zeros({n}, options).scatter_add_(0, index, amount);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("nonzero", TORCH_FN(nonzero_kernel));
  m.impl("nonzero.out", TORCH_FN(nonzero_out));
  m.impl("masked_select", TORCH_FN(masked_select_kernel));
  m.impl("masked_select.out", TORCH_FN(masked_select_out));
  m.impl("index.Tensor_out", TORCH_FN(index_out));
  m.impl("_index_put_impl_", TORCH_FN(index_put));
  m.impl("_unique", TORCH_FN(unique_kernel));
  m.impl("_unique2", TORCH_FN(unique2_kernel));
  m.impl("unique_dim", TORCH_FN(unique_dim_kernel));
  m.impl("unique_consecutive", TORCH_FN(unique_consecutive_kernel));
  m.impl("unique_dim_consecutive", TORCH_FN(unique_dim_consecutive_kernel));
  m.impl("repeat_interleave.Tensor", TORCH_FN(repeat_interleave_kernel));
  m.impl("bincount", TORCH_FN(bincount_kernel));
}

}  // namespace
}  // namespace bridge
