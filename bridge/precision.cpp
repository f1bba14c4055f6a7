// What precision this thread asks of products of f32: a context of torch.tpu.precision, which goes with PyTorch's debug
// information to autograd's threads, else PyTorch's own setting.
#include "bridge.h"

#include "eager/precision.h"

#include <ATen/Context.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <atomic>
#include <memory>
#include <vector>

namespace bridge {
namespace {

constexpr std::string_view kName = "TPU_PRECISION";
const c10::DebugInfoKind kKind(&kName);

constexpr int kNothing = -1;

struct Asked final : c10::DebugInfoBase {
  std::atomic<int> precision;
  explicit Asked(int p) : precision(p) {}
};

thread_local std::vector<std::shared_ptr<Asked>> t_contexts;  // of this thread, the innermost last

int asked_of_pytorch() {
  switch (at::globalContext().float32MatmulPrecision()) {
    case at::Float32MatmulPrecision::MEDIUM:
      return FL_ASKED_DEFAULT;
    case at::Float32MatmulPrecision::HIGH:
      return FL_ASKED_HIGH;
    default:
      return FL_ASKED_F32;
  }
}

// Called from C, so nothing may be thrown: PyTorch does where its old and new settings contradict each other.
int asked() noexcept {
  auto* context = static_cast<const Asked*>(c10::ThreadLocalDebugInfo::get(kKind));
  if (context && context->precision != kNothing) return context->precision;
  try {
    return asked_of_pytorch();
  } catch (const std::exception&) {
    return FL_ASKED_F32;
  }
}

}  // namespace

void register_precision() { engine()->precision_source(&asked); }

void enter_precision(int precision) {
  t_contexts.push_back(std::make_shared<Asked>(precision));
  c10::ThreadLocalDebugInfo::_push(kKind, t_contexts.back());
}

void leave_precision() {
  TORCH_CHECK(!t_contexts.empty(), "precision: this thread has entered no context");
  auto left = t_contexts.back();
  t_contexts.pop_back();
  // somebody else's information may lie above ours: then ours stays, and says what is outside of the context
  left->precision = t_contexts.empty() ? kNothing : t_contexts.back()->precision.load();
  try {
    c10::ThreadLocalDebugInfo::_pop(kKind);
  } catch (const c10::Error&) {
  }
}

}  // namespace bridge
