#include "watch.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Allocator.h>
#include <torch/csrc/autograd/function.h>

#include <chrono>
#include <mutex>
#include <thread>

namespace bridge {
namespace {

// Bytes as the allocator counts them.
int64_t rounded(size_t bytes) { return static_cast<int64_t>((bytes + 255) & ~size_t{255}); }

void report(fl_buffer* buffer, bool allocated) {
  if (!c10::memoryProfilingEnabled()) return;
  fl_device* d = buffer->device;
  fl_memory_stats m;
  d->vtable->memory_stats(d, &m);
  int64_t bytes = rounded(buffer->bytes);
  uint64_t total = allocated ? m.allocated : m.allocated - static_cast<uint64_t>(bytes);
  c10::reportMemoryUsageToProfiler(reinterpret_cast<void*>(buffer->address), allocated ? bytes : -bytes, total, m.reserved,
                                   c10::Device(kTpu, static_cast<c10::DeviceIndex>(d->index)));
}

}  // namespace

void saw_allocation(fl_buffer* buffer) {
  if (watched_by(kWatchHistory | kWatchLines)) history_allocated(buffer);
  if (watched_by(kWatchProfiler)) report(buffer, true);
}

void saw_release(fl_buffer* buffer) {
  if (watched_by(kWatchHistory | kWatchLines)) history_released(buffer);
  if (watched_by(kWatchProfiler)) report(buffer, false);
}

namespace {
std::atomic<int> g_debug_contexts{0};
std::atomic<bool> g_debug_process{false};
std::mutex g_lines_lock;

void update_lines() {
  std::lock_guard<std::mutex> guard(g_lines_lock);
  bool on = g_debug_contexts > 0 || g_debug_process;
  if (on != watched_by(kWatchLines)) watch_memory(kWatchLines, on);
}
}  // namespace

void debug_context(int more) {
  g_debug_contexts += more;
  update_lines();
}

void debug_of_process(bool on) {
  g_debug_process = on;
  update_lines();
}

void allocation_failed(fl_status status, fl_device* d, size_t bytes) {
  if (engine()->status_code(status) == FL_OOM) {
    fl_memory_stats m;
    d->vtable->memory_stats(d, &m);
    if (watched_by(kWatchProfiler))
      c10::reportOutOfMemoryToProfiler(static_cast<int64_t>(bytes), m.allocated, m.reserved,
                                       c10::Device(kTpu, static_cast<c10::DeviceIndex>(d->index)));
    if (watched_by(kWatchHistory)) history_out_of_memory(d, bytes);
  }
  check(status, nullptr);
  __builtin_unreachable();
}

namespace {

void wait_for_stream(fl_device* d, int stream) {
  fl_event* event = d->vtable->idle(d, stream) ? nullptr : engine()->event_create();
  if (!event) return;
  fl_status status = d->vtable->record(d, stream, event);
  if (status) engine()->status_free(status);
  // asked, not waited for: that would take the stream's failure, which is somebody else's to raise
  else
    while (!engine()->event_done(event)) std::this_thread::sleep_for(std::chrono::microseconds(50));
  engine()->event_release(event);
}

}  // namespace

// "argument 1" becomes "argument 1 (other)".
std::string explain_failure(std::string message, const char* name) {
  const std::string word = "argument ";
  if (!name || message.find("\n  " + word) == std::string::npos) return message;
  std::string full(name);
  auto dot = full.find('.');
  auto op = c10::Dispatcher::singleton().findSchema(
      {"aten::" + full.substr(0, dot), dot == std::string::npos ? "" : full.substr(dot + 1)});
  if (!op) return message;
  const auto& arguments = op->schema().arguments();
  for (size_t at = message.find("\n  " + word); at != std::string::npos; at = message.find("\n  " + word, at)) {
    at += 3 + word.size();
    size_t digits = 0;
    size_t number = std::stoul(message.substr(at), &digits);
    at += digits;
    if (number < arguments.size()) message.insert(at, " (" + arguments[number].name() + ")");
  }
  auto node = torch::autograd::get_current_node();
  return node ? message + "\n  in the backward pass: " + node->name() : message;
}

void wait_for_devices() {
  for (int i = 0; i < engine()->device_count(); i++) {
    fl_device* d = engine()->device_opened(i);
    for (int stream = 0; d && stream < FL_STREAMS; stream++) wait_for_stream(d, stream);
  }
}

}  // namespace bridge
