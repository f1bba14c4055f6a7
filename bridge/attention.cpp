// Which attention PyTorch calls: ours (one program) for the usual four dimensions, the composition of products and softmax
// otherwise.
#include <ATen/native/DispatchStub.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>

namespace {

int64_t choose(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const std::optional<at::Tensor>& mask,
               double dropout, bool, std::optional<double>, bool) {
  bool ours = query.dim() == 4 && key.dim() == 4 && value.dim() == 4 && dropout == 0.0 && query.sym_numel() != 0 &&
              key.sym_numel() != 0 && !query.is_nested() && !(mask && mask->requires_grad());
  return static_cast<int64_t>(ours ? sdp::SDPBackend::overrideable : sdp::SDPBackend::math);
}

}  // namespace

namespace at::native {
REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &choose)
}  // namespace at::native
