// What nn.MultiheadAttention and nn.TransformerEncoderLayer call when nothing is learned, composed.
#include "bridge.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <cmath>

namespace bridge {
namespace {

using at::Tensor;

// A third of the projections' rows, or all of them.
struct Projections {
  Tensor weight, bias;
  Tensor operator()(const Tensor& x, int64_t first, int64_t count) const {
    int64_t rows = weight.size(0) / 3;
    return at::linear(x, weight.narrow(0, first * rows, count * rows), bias.narrow(0, first * rows, count * rows));
  }
};

// batch x length x width as batch x heads x length x width of a head.
Tensor heads_of(const Tensor& x, int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

Tensor weights_of(const Tensor& q, const Tensor& k, const std::optional<Tensor>& mask, std::optional<int64_t> mask_type) {
  Tensor scores = at::matmul(q.mul(1 / std::sqrt(static_cast<double>(q.size(-1)))), k.transpose(-2, -1));
  if (!mask) return at::softmax(scores, -1);
  return at::_masked_softmax(scores, mask->to(at::kBool), scores.dim() - 1, mask_type);
}

std::tuple<Tensor, Tensor> attention(const Tensor& query, const Tensor& key, const Tensor& value, int64_t embed_dim,
                                     int64_t heads, const Tensor& qkv_weight, const Tensor& qkv_bias, const Tensor& proj_weight,
                                     const Tensor& proj_bias, const std::optional<Tensor>& mask, bool need_weights, bool average,
                                     std::optional<int64_t> mask_type) {
  TORCH_CHECK(query.dim() == 3, "expected 3-D `query`, got ", query.dim(), "-D tensor");
  TORCH_CHECK(query.size(2) == embed_dim, "passed-in embed_dim ", embed_dim, " didn't match last dim of query ", query.size(2));
  TORCH_CHECK(qkv_weight.dim() == 2 && qkv_weight.size(0) == 3 * embed_dim, "expected `qkv_weight` first dim to be 3x embed_dim");
  TORCH_CHECK(heads > 0 && embed_dim % heads == 0, "`embed_dim` must divide evenly by `num_heads`");
  Projections project{qkv_weight, qkv_bias};
  Tensor q, k, v;
  if (key.is_same(query) && value.is_same(query)) {
    std::vector<Tensor> parts = project(query, 0, 3).chunk(3, -1);
    q = parts[0], k = parts[1], v = parts[2];
  } else {
    q = project(query, 0, 1), k = project(key, 1, 1), v = project(value, 2, 1);
  }
  q = heads_of(q, heads), k = heads_of(k, heads), v = heads_of(v, heads);
  Tensor weights, result;
  if (need_weights || mask) {
    weights = weights_of(q, k, mask, mask_type);
    result = at::matmul(weights, v);
  } else {
    result = at::scaled_dot_product_attention(q, k, v);
  }
  result = at::linear(result.transpose(1, 2).reshape(query.sizes()), proj_weight, proj_bias);
  if (!need_weights) return {result, at::empty({0}, query.options())};
  return {result, average ? weights.mean(1) : weights};
}

Tensor encoder_layer(const Tensor& src, int64_t embed_dim, int64_t heads, const Tensor& qkv_weight, const Tensor& qkv_bias,
                     const Tensor& proj_weight, const Tensor& proj_bias, bool use_gelu, bool norm_first, double eps,
                     const Tensor& norm_weight_1, const Tensor& norm_bias_1, const Tensor& norm_weight_2,
                     const Tensor& norm_bias_2, const Tensor& ffn_weight_1, const Tensor& ffn_bias_1, const Tensor& ffn_weight_2,
                     const Tensor& ffn_bias_2, const std::optional<Tensor>& mask, std::optional<int64_t> mask_type) {
  auto norm_1 = [&](const Tensor& x) { return at::layer_norm(x, {embed_dim}, norm_weight_1, norm_bias_1, eps); };
  auto norm_2 = [&](const Tensor& x) { return at::layer_norm(x, {embed_dim}, norm_weight_2, norm_bias_2, eps); };
  Tensor x = norm_first ? norm_1(src) : src;
  x = std::get<0>(
      attention(x, x, x, embed_dim, heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, false, true, mask_type));
  x = x.add(src);
  if (!norm_first) x = norm_1(x);
  Tensor inner = at::linear(norm_first ? norm_2(x) : x, ffn_weight_1, ffn_bias_1);
  x = at::linear(use_gelu ? at::gelu(inner) : at::relu(inner), ffn_weight_2, ffn_bias_2).add(x);
  return norm_first ? x : norm_2(x);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_native_multi_head_attention", TORCH_FN(attention));
  m.impl("_transformer_encoder_layer_fwd", TORCH_FN(encoder_layer));
}

}  // namespace
}  // namespace bridge
