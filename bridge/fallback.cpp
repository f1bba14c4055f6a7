// Operators that the engine has no lowering for: they run on the host, by request alone.
#include "bridge.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/CPUFallback.h>
#include <torch/library.h>

#include <cstdlib>
#include <map>
#include <mutex>

namespace bridge {
namespace {

std::atomic<int> g_fallback{-1};  // -1: not read yet
std::mutex g_fallback_lock;
std::map<std::string, uint64_t>& fallback_map() {
  static auto* m = new std::map<std::string, uint64_t>;
  return *m;
}

std::string dtypes_of(const c10::OperatorHandle& op, const torch::jit::Stack* stack) {
  std::string text;
  size_t n = op.schema().arguments().size();
  auto add = [&](const at::Tensor& t) {
    if (t.defined()) text += (text.empty() ? "" : ", ") + std::string(c10::toString(t.scalar_type()));
  };
  for (size_t i = stack->size() - n; i < stack->size(); i++) {
    const c10::IValue& x = (*stack)[i];
    if (x.isTensor()) add(x.toTensor());
    else if (x.isTensorList())
      for (const c10::IValue& t : x.toListRef()) add(t.toTensor());
  }
  return text;
}

}  // namespace

void host_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack, const std::string& why) {
  std::string name = c10::toString(op.operator_name());
  TORCH_CHECK_NOT_IMPLEMENTED(fallback_enabled(), "tpu: no lowering for ", name, " with dtypes (", dtypes_of(op, stack), ")",
                              why.empty() ? "" : ": " + why, "; set TORCH_TPU_FALLBACK=1 to run such operators on the host");
  {
    std::lock_guard<std::mutex> guard(g_fallback_lock);
    if (fallback_map()[name]++ == 0) TORCH_WARN("tpu: ", name, " runs on the host (TORCH_TPU_FALLBACK=1)");
  }
  at::native::cpu_fallback(op, stack, /*error_on_views=*/true);
}

namespace {

void boxed_fallback(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  host_fallback(op, stack, "");
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&boxed_fallback>()); }

}  // namespace

bool fallback_enabled() {
  int on = g_fallback.load(std::memory_order_relaxed);
  if (on < 0) {
    const char* text = std::getenv("TORCH_TPU_FALLBACK");
    on = text && *text && std::string(text) != "0";
    g_fallback = on;
  }
  return on;
}

void set_fallback(bool on) { g_fallback = on; }

std::string fallback_counts() {
  std::lock_guard<std::mutex> guard(g_fallback_lock);
  std::string json = "{";
  for (const auto& [name, n] : fallback_map()) {
    if (n) json += (json.size() > 1 ? ", \"" : "\"") + name + "\": " + std::to_string(n);
  }
  return json + "}";
}

void reset_fallback_counts() {
  std::lock_guard<std::mutex> guard(g_fallback_lock);
  for (auto& [name, n] : fallback_map()) n = 0;
}

}  // namespace bridge
