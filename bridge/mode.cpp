// Contexts of the eager mode. The engine keeps a thread's mode; what PyTorch hands from a thread to those that work for it
// (autograd's, of a backward pass) is its debug information, so a context leaves a mark there.
#include "bridge.h"

#include <c10/util/ThreadLocalDebugInfo.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "watch.h"

namespace bridge {
namespace {

constexpr std::string_view kName = "TPU_EAGER_MODE";
const c10::DebugInfoKind kKind(&kName);

struct Mark final : c10::DebugInfoBase {
  std::atomic<int> mode;
  explicit Mark(int m) : mode(m) {}
};

// The mode before each of this thread's contexts, and the context's mark; the innermost last.
thread_local std::vector<std::pair<int, std::shared_ptr<Mark>>> t_marks;

}  // namespace

void inherit_mode() {
  auto* mark = dynamic_cast<const Mark*>(c10::ThreadLocalDebugInfo::get(kKind));
  engine()->mode_inherit(mark ? mark->mode.load() : FL_NO_MODE);
}

void enter_mode(int mode) {
  auto mark = std::make_shared<Mark>(mode);
  t_marks.emplace_back(engine()->mode_exchange(mode), mark);
  c10::ThreadLocalDebugInfo::_push(kKind, mark);
  if (mode == FL_EAGER_DEBUG) debug_context(1);
}

void leave_mode() {
  TORCH_CHECK(!t_marks.empty(), "eager_mode: this thread has entered no context");
  auto [before, mark] = t_marks.back();
  t_marks.pop_back();
  engine()->mode_exchange(before);
  if (mark->mode == FL_EAGER_DEBUG) debug_context(-1);
  mark->mode = FL_NO_MODE;  // somebody else's information may lie above the mark: then the mark stays, and says nothing
  try {
    c10::ThreadLocalDebugInfo::_pop(kKind);
  } catch (const c10::Error&) {
  }
  inherit_mode();
}

}  // namespace bridge
