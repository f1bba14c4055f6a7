// Functions for the Python package, called through ctypes, and the one that returns a Generator, as a torch operator.
#include "bridge.h"

#include <torch/library.h>

#include <cstdlib>
#include <utility>

#include "json.h"
#include "watch.h"

#define FLB_API extern "C" __attribute__((visibility("default")))

namespace {

thread_local std::string t_text;  // the last string given out
thread_local std::string t_error_text;
thread_local const char* t_error = nullptr;  // the last failure, until it is asked for

const char* keep(std::string text) {
  t_text = std::move(text);
  return t_text.c_str();
}

void fail(const char* what) noexcept {
  try {
    t_error_text = what;
    t_error = t_error_text.c_str();
  } catch (...) {
    t_error = "tpu: out of host memory";
  }
}

// Calls f. No exception may reach ctypes: after one the result is 0 or NULL, and flb_last_error says why.
template <typename F>
auto guarded(F f) noexcept -> decltype(f()) {
  t_error = nullptr;
  try {
    return f();
  } catch (const c10::Error& error) {
    fail(error.what_without_backtrace());
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("tpu: unknown C++ exception");
  }
  return decltype(f())();
}

std::string memory_stats(int index) {
  fl_memory_stats m = bridge::memory_stats(index);
  return bridge::json_object({{"allocated_bytes", m.allocated},
                              {"peak_allocated_bytes", m.peak_allocated},
                              {"allocated_total", m.allocated_total},
                              {"freed_total", m.freed_total},
                              {"reserved_bytes", m.reserved},
                              {"peak_reserved_bytes", m.peak_reserved},
                              {"requested_bytes", m.requested},
                              {"peak_requested_bytes", m.peak_requested},
                              {"requested_total", m.requested_total},
                              {"requested_freed", m.requested_freed},
                              {"active", m.active_count},
                              {"peak_active", m.peak_count},
                              {"allocations", m.allocations},
                              {"frees", m.frees},
                              {"retries", m.retries},
                              {"oom", m.ooms}});
}

std::string operator_counts() {
  std::string json = "{";
  for (uint32_t op = 0; op < bridge::engine()->operator_count(); op++) {
    uint64_t n = bridge::engine()->operator_calls(op);
    if (n)
      json += std::string(json.size() > 1 ? ", " : "") + "\"aten::" + bridge::engine()->operator_name(op) +
              "\": " + std::to_string(n);
  }
  return json + "}";
}

std::string cache_stats() {
  fl_cache_stats s;
  bridge::engine()->cache_stats(&s);
  return bridge::json_object({{"hits", s.hits}, {"misses", s.misses}, {"entries", s.entries}, {"build_ns", s.build_ns}});
}

}  // namespace

// Why this thread's last call of the functions below failed, once; NULL if it did not.
FLB_API const char* flb_last_error(void) { return std::exchange(t_error, nullptr); }

// Registers the operator table with PyTorch. NULL, or why it does not fit this PyTorch. Call once.
FLB_API const char* flb_register(void) {
  guarded([] {
    bridge::register_precision();
    bridge::register_operators();
  });
  return flb_last_error();
}

FLB_API int flb_device_count(void) {
  return guarded([] { return bridge::engine()->device_count(); });
}
FLB_API const char* flb_device_name(int index) {
  return guarded([=]() -> const char* { return bridge::device(index)->name; });
}
FLB_API const char* flb_device_kind(int index) {
  return guarded([=] { return bridge::device(index)->vtable->kind; });
}
FLB_API uint64_t flb_device_memory(int index) {
  return guarded([=] { return bridge::device(index)->capacity; });
}
FLB_API const char* flb_memory_stats(int index) {
  return guarded([=] { return keep(memory_stats(index)); });
}
FLB_API void flb_reset_peak(int index) {
  guarded([=] { bridge::device(index)->vtable->reset_peak(bridge::device(index)); });
}
FLB_API void flb_empty_cache(int index) {
  guarded([=] { bridge::device(index)->vtable->trim(bridge::device(index)); });
}

FLB_API const char* flb_operator_counts(void) {
  return guarded([] { return keep(operator_counts()); });
}
FLB_API void flb_reset_operator_counts(void) {
  guarded([] { bridge::engine()->operator_calls_reset(); });
}
FLB_API const char* flb_fallback_counts(void) {
  return guarded([] { return keep(bridge::fallback_counts()); });
}
FLB_API void flb_reset_fallback_counts(void) {
  guarded([] { bridge::reset_fallback_counts(); });
}
FLB_API void flb_set_fallback(int on) { bridge::set_fallback(on != 0); }
FLB_API int flb_get_fallback(void) { return bridge::fallback_enabled(); }
FLB_API const char* flb_cache_stats(void) {
  return guarded([] { return keep(cache_stats()); });
}

// Text of the engine's, which goes back to it.
namespace {
const char* keep_and_free(char* text) {
  std::string kept = text ? text : "";
  std::free(text);
  return keep(std::move(kept));
}
}  // namespace

FLB_API void flb_step_end(void) { bridge::engine()->step_end(); }
FLB_API void flb_explain_begin(void) { bridge::engine()->explain_begin(); }
FLB_API const char* flb_explain_end(void) {
  return guarded([] { return keep_and_free(bridge::engine()->explain_end()); });
}
FLB_API const char* flb_fusion_counts(void) {
  return guarded([] { return keep_and_free(bridge::engine()->fusion_counts()); });
}

FLB_API int flb_mode_current(void) { return bridge::engine()->mode_current(); }
FLB_API void flb_mode_enter(int mode) {
  guarded([=] { bridge::enter_mode(mode); });
}
FLB_API void flb_mode_leave(void) {
  guarded([] { bridge::leave_mode(); });
}
FLB_API int flb_mode_set(int mode) {
  return guarded([=] {
    int before = bridge::engine()->mode_set(mode);
    bridge::debug_of_process(mode == FL_EAGER_DEBUG);
    return before;
  });
}

// `checks`: a sum of fl_debug_check. Returns what it was.
FLB_API int flb_debug_checks(int checks) {
  return static_cast<int>(bridge::engine()->debug_set_checks(static_cast<uint32_t>(checks)));
}

// level: 0 off, 1 what is alive, 2 also events. context: stacks of 0 nothing, 1 what is alive, 2 also allocations, 3 also
// releases. skip: bits of events.
FLB_API void flb_record_history(int level, int context, int cpp, uint64_t max_entries, int clear, int skip) {
  guarded([=] {
    bridge::HistoryOptions o;
    o.enabled = level > 0;
    o.all = level > 1;
    o.live_stacks = o.enabled && context > 0;
    o.alloc_stacks = o.enabled && context > 1;
    o.free_stacks = o.enabled && context > 2;
    o.cpp = cpp != 0;
    o.skip = static_cast<uint32_t>(skip);
    o.max_entries = max_entries;
    bridge::set_history(o, clear != 0);
  });
}
FLB_API const char* flb_memory_blocks(int index) {
  return guarded([=] { return keep(bridge::memory_blocks_json(index)); });
}
FLB_API const char* flb_history(void) {
  return guarded([] { return keep(bridge::history_json()); });
}

FLB_API void flb_precision_enter(int precision) {
  guarded([=] { bridge::enter_precision(precision); });
}
FLB_API void flb_precision_leave(void) {
  guarded([] { bridge::leave_precision(); });
}
FLB_API void flb_excess_precision_set(int allow) { bridge::engine()->excess_precision_set(allow); }
FLB_API int flb_excess_precision(void) { return bridge::engine()->excess_precision(); }

// A forked child can go on: its queue and threads start anew.
FLB_API int flb_in_bad_fork(void) { return 0; }

TORCH_LIBRARY_FRAGMENT(tpu, m) {
  m.def("program(Tensor[] inputs, int program) -> Tensor[]");
  m.def("_default_generator(int device) -> Generator?", [](int64_t index) -> std::optional<at::Generator> {
    return bridge::default_generator(static_cast<c10::DeviceIndex>(index));
  });
}
