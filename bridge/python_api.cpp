// Functions for the Python package, called through ctypes, and the one that returns a Generator, as a torch operator.
#include "bridge.h"

#include <torch/library.h>

#define FLB_API extern "C" __attribute__((visibility("default")))

namespace {

const char* keep(std::string text) {
  thread_local std::string last;
  last = std::move(text);
  return last.c_str();
}

std::string json_number(const char* name, uint64_t value, bool first = false) {
  return std::string(first ? "{\"" : ", \"") + name + "\": " + std::to_string(value);
}


}  // namespace

// Registers the operator table with PyTorch. NULL, or why it does not fit this PyTorch. Call once.
FLB_API const char* flb_register(void) {
  try {
    bridge::register_operators();
    return nullptr;
  } catch (const c10::Error& error) {
    return keep(error.what_without_backtrace());
  }
}

FLB_API int flb_device_count(void) { return bridge::engine()->device_count(); }
FLB_API const char* flb_device_name(int index) { return bridge::device(index)->name; }
FLB_API const char* flb_device_kind(int index) { return bridge::device(index)->vtable->kind; }
FLB_API uint64_t flb_device_memory(int index) { return bridge::device(index)->capacity; }

FLB_API const char* flb_memory_stats(int index) {
  fl_memory_stats m;
  auto* d = bridge::device(index);
  d->vtable->memory_stats(d, &m);
  return keep(json_number("allocated_bytes", m.allocated, true) + json_number("peak_allocated_bytes", m.peak_allocated) +
              json_number("reserved_bytes", m.reserved) + json_number("peak_reserved_bytes", m.peak_reserved) +
              json_number("requested_bytes", m.requested) + json_number("active", m.active_count) +
              json_number("allocations", m.allocations) + json_number("frees", m.frees) + json_number("oom", m.ooms) + "}");
}

FLB_API void flb_reset_peak(int index) { bridge::device(index)->vtable->reset_peak(bridge::device(index)); }
FLB_API void flb_empty_cache(int index) { bridge::device(index)->vtable->trim(bridge::device(index)); }

FLB_API const char* flb_synchronize(int index) {
  auto* d = bridge::device(index);
  fl_status status = d->vtable->synchronize(d);
  if (!status) return nullptr;
  std::string text = bridge::engine()->status_message(status);
  bridge::engine()->status_free(status);
  return keep(std::move(text));
}

FLB_API const char* flb_operator_counts(void) {
  std::string json = "{";
  for (uint32_t op = 0; op < bridge::engine()->operator_count(); op++) {
    uint64_t n = bridge::engine()->operator_calls(op);
    if (n) json += std::string(json.size() > 1 ? ", " : "") + "\"aten::" + bridge::engine()->operator_name(op) + "\": " + std::to_string(n);
  }
  return keep(json + "}");
}

FLB_API void flb_reset_operator_counts(void) { bridge::engine()->operator_calls_reset(); }
FLB_API const char* flb_fallback_counts(void) { return keep(bridge::fallback_counts()); }
FLB_API void flb_reset_fallback_counts(void) { bridge::reset_fallback_counts(); }
FLB_API void flb_set_fallback(int on) { bridge::set_fallback(on != 0); }
FLB_API int flb_get_fallback(void) { return bridge::fallback_enabled(); }

FLB_API const char* flb_cache_stats(void) {
  fl_cache_stats s;
  bridge::engine()->cache_stats(&s);
  return keep(json_number("hits", s.hits, true) + json_number("misses", s.misses) + json_number("entries", s.entries) +
              json_number("build_ns", s.build_ns) + "}");
}

// A forked child can go on: its queue and threads start anew.
FLB_API int flb_in_bad_fork(void) { return 0; }

TORCH_LIBRARY_FRAGMENT(tpu, m) {
  m.def("_default_generator(int device) -> Generator?",
        [](int64_t index) -> std::optional<at::Generator> { return bridge::default_generator(static_cast<c10::DeviceIndex>(index)); });
}
