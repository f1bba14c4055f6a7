// Sparse COO tensors: sums, products and masks, composed of operators on indices and values. Places are numbered in row-major order
// of the sparse dimensions, so that a tensor with d of them is a list of numbered rows of values.
#include "bridge.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <ATen/NativeFunctions.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/Resize.h>
#include <ATen/native/SparseTensorUtils.h>
#include <torch/library.h>

namespace bridge {
namespace {

using at::IntArrayRef;
using at::Scalar;
using at::Tensor;

int64_t product(IntArrayRef sizes) { return c10::multiply_integers(sizes); }

// The numbers of places in a tensor of such leading sizes.
Tensor numbered(const Tensor& indices, IntArrayRef sizes) {
  Tensor total = at::zeros({indices.size(1)}, indices.options());
  for (int64_t d = 0, stride = product(sizes.slice(0, indices.size(0))); d < indices.size(0); d++) {
    stride = sizes[d] ? stride / sizes[d] : 0;
    total = total.add(indices.select(0, d), stride);
  }
  return total;
}

Tensor numbered(const Tensor& sparse) { return numbered(sparse._indices(), sparse.sizes()); }

// The indices, dimensions x places, that have such numbers.
Tensor places(const Tensor& numbers, IntArrayRef sizes) {
  std::vector<Tensor> rows;
  int64_t stride = product(sizes);
  for (int64_t size : sizes) {
    stride = size ? stride / size : 1;
    rows.push_back(numbers.floor_divide(stride).remainder(std::max<int64_t>(size, 1)));
  }
  return rows.empty() ? at::empty({0, numbers.size(0)}, numbers.options()) : at::stack(rows);
}

Tensor sparse_of(const Tensor& indices, const Tensor& values, IntArrayRef size, bool coalesced) {
  return at::_sparse_coo_tensor_unsafe(indices, values, size, values.scalar_type(), at::kSparse, values.device(), false,
                                       coalesced);
}

// Numbers as they are found in rows of the dense dimensions: n x dense.
Tensor rows_of(const Tensor& dense, int64_t sparse_dim) {
  std::vector<int64_t> size{product(dense.sizes().slice(0, sparse_dim))};
  for (int64_t n : dense.sizes().slice(sparse_dim)) size.push_back(n);
  return dense.reshape(size);
}

// The rows of `values` added up by their `groups`, of which there are `count`. Of bools, whether there is one.
Tensor grouped_sum(const Tensor& values, const Tensor& groups, int64_t count) {
  bool is_bool = values.scalar_type() == at::kBool;
  std::vector<int64_t> size = values.sizes().vec();
  size[0] = count;
  Tensor from = is_bool ? values.to(at::kInt) : values;
  Tensor total = at::zeros(size, from.options()).index_add(0, groups, from);
  return is_bool ? total.ne(0) : total;
}

Tensor coalesce(const Tensor& self) {
  if (self._nnz() < 2) {
    Tensor same = self.clone();
    return same._coalesced_(true);
  }
  auto [numbers, groups, counts] = at::_unique2(numbered(self), /*sorted=*/true, /*return_inverse=*/true);
  Tensor values = grouped_sum(self._values(), groups, numbers.size(0));
  return sparse_of(places(numbers, self.sizes().slice(0, self.sparse_dim())), values, self.sizes(), true);
}

// ---- sums --------------------------------------------------------------------------------------------------------------

void put_sparse(Tensor& out, const Tensor& made) {
  Tensor cast = made.to(out.scalar_type());
  at::sparse::get_sparse_impl(out)->resize_and_clear_(made.sparse_dim(), made.dense_dim(), made.sizes());
  at::sparse::alias_into_sparse(out, cast._indices(), cast._values());
  out._coalesced_(made.is_coalesced());
}

void put_dense(Tensor& out, const Tensor& made) {
  at::native::resize_output(out, made.sizes());
  out.copy_(made);
}

Tensor add_to_dense(const Tensor& dense, const Tensor& sparse, const Scalar& alpha, at::ScalarType dtype) {
  TORCH_CHECK(dense.sizes().equals(sparse.sizes()), "add: expected 'self' and 'other' to have same size, but self has size ",
              dense.sizes(), " while other has size ", sparse.sizes(),
              " (FYI: dense-sparse addition does not currently support broadcasting)");
  Tensor values = sparse._values().to(dtype);
  if (sparse._nnz() == 0) return dense.to(dtype);
  if (dtype == at::kBool)
    return dense.logical_or(rows_of(dense, sparse.sparse_dim())
                                .to(at::kInt)
                                .zero_()
                                .index_add(0, numbered(sparse), values.to(at::kInt))
                                .ne(0)
                                .view(dense.sizes()));
  Tensor scaled = alpha.equal(1) ? values : values.mul(alpha);
  return rows_of(dense.to(dtype), sparse.sparse_dim()).index_add(0, numbered(sparse), scaled).view(dense.sizes());
}

Tensor add_to_sparse(const Tensor& a, const Tensor& b, const Scalar& alpha, at::ScalarType dtype) {
  TORCH_CHECK(a.sizes().equals(b.sizes()), "add: expected sizes of 'self' and 'other' to match, but ", a.sizes(),
              " != ", b.sizes());
  TORCH_CHECK(at::sparse::is_same_density(a, b), "add: expected 'self' and 'other' to have same density, but 'self' has ",
              a.sparse_dim(), " sparse dimensions while 'other' has ", b.sparse_dim(), " sparse dimensions");
  Tensor other = b._values().to(dtype);
  if (!alpha.equal(1) && dtype != at::kBool) other = other.mul(alpha);
  Tensor sum = sparse_of(at::cat({a._indices(), b._indices()}, 1), at::cat({a._values().to(dtype), other}), a.sizes(), false);
  return a.is_coalesced() && b.is_coalesced() ? coalesce(sum) : sum;
}

Tensor& add_out(const Tensor& self, const Tensor& other, const Scalar& alpha, Tensor& out) {
  TORCH_CHECK(self.is_sparse() || !out.is_sparse(), "add: expected 'out' to be dense, but got a sparse tensor");
  at::ScalarType dtype = at::result_type(self, other);
  TORCH_CHECK(c10::canCast(dtype, out.scalar_type()), "Can't convert result type ", dtype, " to output ", out.scalar_type(),
              " in add operation");
  at::native::alpha_check(dtype, alpha);
  if (!self.is_sparse()) {
    put_dense(out, add_to_dense(self, other, alpha, dtype));
    return out;
  }
  TORCH_CHECK(other.is_sparse(), "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
  put_sparse(out, add_to_sparse(self, other, alpha, dtype));
  return out;
}

// ---- products of elements -----------------------------------------------------------------------------------------------

// Of sorted `numbers`, where `wanted` ones are, and whether they are there.
std::pair<Tensor, Tensor> find(const Tensor& numbers, const Tensor& wanted) {
  if (numbers.size(0) == 0) return {at::zeros_like(wanted), at::zeros_like(wanted, wanted.options().dtype(at::kBool))};
  Tensor at = at::searchsorted(numbers, wanted).clamp_max(numbers.size(0) - 1);
  return {at, numbers.index_select(0, at).eq(wanted)};
}

Tensor multiply_both(const Tensor& first, const Tensor& second, at::ScalarType dtype) {
  std::vector<int64_t> size = at::infer_size(first.sizes(), second.sizes());
  auto wide = [&](const Tensor& x) { return (x.sizes().equals(size) ? x : at::_sparse_broadcast_to(x, size)).coalesce(); };
  Tensor a = wide(first), b = wide(second);
  TORCH_CHECK(at::sparse::is_same_density(a, b),
              "mul: expected 'self' and 'other' to have the same number of sparse dimensions, got ", a.sparse_dim(), " and ",
              b.sparse_dim());
  auto [at, there] = find(numbered(b), numbered(a));
  Tensor kept = there.nonzero().squeeze(1);
  Tensor left = a._values().index_select(0, kept).to(dtype),
         right = b._values().index_select(0, at.index_select(0, kept)).to(dtype);
  return sparse_of(a._indices().index_select(1, kept), left.mul(right), size, true);
}

Tensor multiply_dense(const Tensor& given, const Tensor& dense, at::ScalarType dtype) {
  if (dense.dim() == 0)
    return sparse_of(given._indices(), given._values().to(dtype).mul(dense.to(dtype)), given.sizes(), given.is_coalesced());
  std::vector<int64_t> size = at::infer_size(given.sizes(), dense.sizes());
  Tensor sparse = given.sizes().equals(size) ? given : at::_sparse_broadcast_to(given, size);
  Tensor rows = rows_of(dense.expand(size), sparse.sparse_dim()).index_select(0, numbered(sparse));
  return sparse_of(sparse._indices(), sparse._values().to(dtype).mul(rows.to(dtype)), size, sparse.is_coalesced());
}

Tensor& mul_out(const Tensor& self, const Tensor& other, Tensor& out) {
  at::ScalarType dtype = at::result_type(self, other);
  TORCH_CHECK(c10::canCast(dtype, out.scalar_type()), "Can't convert result type ", dtype, " to output ", out.scalar_type());
  TORCH_CHECK(out.is_sparse(), "mul: expected 'out' to be sparse, but got a dense tensor");
  if (self.is_sparse() && other.is_sparse()) {
    put_sparse(out, multiply_both(self, other, dtype));
  } else {
    put_sparse(out, self.is_sparse() ? multiply_dense(self, other, dtype) : multiply_dense(other, self, dtype));
  }
  return out;
}

// ---- products of matrices -----------------------------------------------------------------------------------------------

// A sum over the elements of a sparse matrix, numbered by rows and columns, of rows of a dense one.
Tensor multiply_rows(const Tensor& rows, const Tensor& columns, const Tensor& values, const Tensor& dense, int64_t count) {
  Tensor terms = dense.index_select(0, columns).mul(values.unsqueeze(1));
  return at::zeros({count, dense.size(1)}, terms.options()).index_add(0, rows, terms);
}

void check_matrices(const Tensor& self, const Tensor& a, const Tensor& b) {
  TORCH_CHECK(a.is_sparse() && !b.is_sparse() && !self.is_sparse(),
              "addmm: expected 'mat1' to be sparse, 'self' and 'mat2' dense");
  TORCH_CHECK(a.sparse_dim() == 2, "addmm: matrices expected, got ", a.sparse_dim(), "D tensor");
  TORCH_CHECK(a.dense_dim() == 0, "addmm: scalar values expected, got ", a.dense_dim(), "D values");
  TORCH_CHECK(b.dim() == 2, "addmm: matrices expected, got ", b.dim(), "D tensor");
  TORCH_CHECK(b.size(0) == a.size(1), "addmm: Argument #3 (dense): Expected dim 0 size ", a.size(1), ", got ", b.size(0));
  TORCH_CHECK(a.scalar_type() == b.scalar_type() && a.scalar_type() == self.scalar_type(),
              "addmm: expected operands of one dtype, got ", self.scalar_type(), ", ", a.scalar_type(), " and ", b.scalar_type());
}

Tensor add_product(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  check_matrices(self, a, b);
  int64_t rows = a.size(0), columns = b.size(1);
  Tensor base = self.expand({rows, columns});
  Tensor total = multiply_rows(a._indices().select(0, 0), a._indices().select(0, 1), a._values(), b, rows);
  if (!alpha.equal(1)) total = total.mul(alpha);
  if (beta.equal(0)) return total;
  return total.add(base, beta);
}

Tensor& addmm_out(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha, Tensor& out) {
  put_dense(out, add_product(self, a, b, beta, alpha));
  return out;
}

Tensor& addmm_(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
  return self.copy_(add_product(self, a, b, beta, alpha));
}

Tensor batch_product(const Tensor& a, const Tensor& b) {
  TORCH_CHECK(a.is_sparse() && !b.is_sparse(), "bmm: expected 'self' to be sparse and 'mat2' dense");
  TORCH_CHECK(a.dense_dim() == 0, "bmm_sparse: Tensor 'self' must have 0 dense dims, but has ", a.dense_dim());
  TORCH_CHECK(a.sparse_dim() == 3, "bmm_sparse: Tensor 'self' must have 3 sparse dims, but has ", a.sparse_dim());
  TORCH_CHECK(b.dim() == 3, "bmm_sparse: Tensor 'mat2' must have 3 dims, but has ", b.dim());
  TORCH_CHECK(a.size(0) == b.size(0), "bmm_sparse: 'self.size(0)' and 'mat2.size(0)' must match");
  TORCH_CHECK(a.size(2) == b.size(1), "bmm_sparse: 'self.size(2)' and 'mat2.size(1)' must match");
  Tensor batch = a._indices().select(0, 0);
  Tensor rows = a._indices().select(0, 1).add(batch, a.size(1)), columns = a._indices().select(0, 2).add(batch, a.size(2));
  Tensor flat = multiply_rows(rows, columns, a._values(), b.reshape({-1, b.size(2)}), a.size(0) * a.size(1));
  return flat.view({a.size(0), a.size(1), b.size(2)});
}

Tensor& bmm_out(const Tensor& a, const Tensor& b, Tensor& out) {
  put_dense(out, batch_product(a, b));
  return out;
}

// Pairs of places: of every one of `wanted` all of sorted `numbers` that equal it.
std::pair<Tensor, Tensor> join(const Tensor& wanted, const Tensor& numbers) {
  Tensor first = at::searchsorted(numbers, wanted), last = at::searchsorted(numbers, wanted, false, /*right=*/true);
  Tensor counts = last.sub(first), ends = counts.cumsum(0);
  Tensor left = at::repeat_interleave(counts);
  Tensor begin = first.sub(ends).add(counts).index_select(0, left);
  return {left, begin.add(at::arange(left.size(0), left.options()))};
}

Tensor sparse_sparse_matmul(const Tensor& a, const Tensor& b) {
  TORCH_CHECK(a.is_sparse() && b.is_sparse(), "sparse_sparse_matmul: expected two sparse tensors");
  TORCH_CHECK(a.dim() == 2 && b.dim() == 2 && a.dense_dim() == 0 && b.dense_dim() == 0,
              "sparse_sparse_matmul: expected matrices of numbers, got ", a.dim(), "D and ", b.dim(), "D tensors");
  TORCH_CHECK(a.size(1) == b.size(0), "mat1 and mat2 shapes cannot be multiplied (", a.size(0), "x", a.size(1), " and ",
              b.size(0), "x", b.size(1), ")");
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), "mat1 dtype ", a.scalar_type(), " does not match mat2 dtype ", b.scalar_type());
  Tensor x = a.coalesce(), y = b.coalesce();
  auto [left, right] = join(x._indices().select(0, 1).contiguous(), y._indices().select(0, 0).contiguous());
  Tensor indices = at::stack({x._indices().select(0, 0).index_select(0, left), y._indices().select(0, 1).index_select(0, right)});
  Tensor values = x._values().index_select(0, left).mul(y._values().index_select(0, right));
  return coalesce(sparse_of(indices, values, {a.size(0), b.size(1)}, false));
}

// ---- parts --------------------------------------------------------------------------------------------------------------

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  TORCH_CHECK_INDEX(self.dim() > 0, "index_select() cannot be applied to a 0-dim tensor.");
  TORCH_CHECK_INDEX(index.dim() == 1, "index_select() argument index must be 1-D tensor.");
  TORCH_CHECK_INDEX(index.scalar_type() == at::kLong, "index_select() argument index must be of type long.");
  dim = at::maybe_wrap_dim(dim, self.dim());
  std::vector<int64_t> size = self.sizes().vec();
  Tensor wanted = at::where(index.lt(0), index.add(size[dim]), index);
  if (index.numel()) {
    Tensor bad = wanted.lt(0).logical_or(wanted.ge(size[dim])).any();
    TORCH_CHECK_INDEX(!bad.item<bool>(), "index_select(): index contains a value that is out of range for tensor of size ",
                      self.sizes(), " at dimension ", dim);
  }
  size[dim] = index.size(0);
  if (dim >= self.sparse_dim())
    return sparse_of(self._indices(), self._values().index_select(dim - self.sparse_dim() + 1, wanted), size,
                     self.is_coalesced() && index.numel());
  auto [numbers, order] = self._indices().select(0, dim).sort();
  auto [left, right] = join(wanted, numbers);
  Tensor from = order.index_select(0, right);
  std::vector<Tensor> rows = self._indices().index_select(1, from).unbind(0);
  rows[dim] = left;
  return sparse_of(at::stack(rows), self._values().index_select(0, from), size, /*coalesced=*/from.size(0) < 2);
}

// Of a sparse tensor what it has at the places of another, with zero where it has nothing.
Tensor mask_projection(const Tensor& self, const Tensor& mask, bool /*accumulate_matches*/) {
  TORCH_CHECK(self.sizes().equals(mask.sizes()) && at::sparse::is_same_density(self, mask),
              "sparse_mask(): expected operands of the same sizes and densities, got sizes ", self.sizes(), " and ",
              mask.sizes());
  Tensor given = self.coalesce();
  auto [at, there] = find(numbered(given), numbered(mask));
  std::vector<int64_t> size = given._values().sizes().vec();
  size[0] = mask._nnz();
  if (given._nnz() == 0)
    return sparse_of(mask._indices(), at::zeros(size, given._values().options()), mask.sizes(), mask.is_coalesced());
  std::vector<int64_t> column(size.size(), 1);
  column[0] = -1;
  Tensor values = at::where(there.view(column), given._values().index_select(0, at), 0);
  return sparse_of(mask._indices().clone(), values.to(given.scalar_type()), mask.sizes(), mask.is_coalesced());
}

Tensor sparse_mask(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(self.sizes().equals(mask.sizes()), "sparse_mask(): operands have incompatible sizes; self has size ", self.sizes(),
              " but mask has size ", mask.sizes());
  if (self.is_sparse()) return mask_projection(self, mask, false);
  Tensor values = rows_of(self, mask.sparse_dim()).index_select(0, numbered(mask));
  return sparse_of(mask._indices().clone(), values, mask.sizes(), mask.is_coalesced());
}

// The gradient of a sum over `dims`, at the places of the tensor that was summed.
Tensor sum_backward(const Tensor& grad, const Tensor& self, IntArrayRef dims) {
  std::vector<int64_t> size = self.sizes().vec();
  auto summed = at::dim_list_to_bitset(dims, self.dim());
  for (int64_t d = 0; d < self.dim(); d++)
    if (summed[d]) size[d] = 1;
  Tensor dense = (grad.is_sparse() ? grad.to_dense() : grad).reshape(size).expand(self.sizes());
  return sparse_mask(dense, self.coalesce());
}

TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m) {
  m.impl("_coalesce", TORCH_FN(coalesce));
  m.impl("add.out", TORCH_FN(add_out));
  m.impl("mul.out", TORCH_FN(mul_out));
  m.impl("addmm", TORCH_FN(add_product));
  m.impl("addmm.out", TORCH_FN(addmm_out));
  m.impl("addmm_", TORCH_FN(addmm_));
  m.impl("bmm", TORCH_FN(batch_product));
  m.impl("bmm.out", TORCH_FN(bmm_out));
  m.impl("_sparse_sparse_matmul", TORCH_FN(sparse_sparse_matmul));
  m.impl("index_select", TORCH_FN(index_select));
  m.impl("sparse_mask", TORCH_FN(sparse_mask));
  m.impl("_sparse_mask_projection", TORCH_FN(mask_projection));
  m.impl("_sparse_sum_backward", TORCH_FN(sum_backward));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("sparse_mask", TORCH_FN(sparse_mask));
  m.impl("_embedding_bag_backward", TORCH_FN(at::native::_embedding_bag_backward_symint));  // which may be sparse
}

}  // namespace
}  // namespace bridge
