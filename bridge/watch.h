// Who looks on at memory: one word of bits that is 0 as long as nobody does, which is all that the paths of allocation look at.
//
// History is kept here and not in the engine because it consists of Python's frames, which only PyTorch's libraries can
// gather, and because PyTorch's profiler wants the same two calls. What the engine knows of memory (blocks, their neighbours,
// what is reserved) is asked of it when a snapshot is taken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "bridge.h"

namespace bridge {

enum Watcher : uint32_t {
  kWatchProfiler = 1,  // a session of torch.profiler
  kWatchHistory = 2,   // torch.tpu.memory._record_memory_history
  kWatchLines = 4,     // debug mode: Python lines of live tensors
};

inline std::atomic<uint32_t> g_watchers{0};
inline bool watched() { return C10_UNLIKELY(g_watchers.load(std::memory_order_relaxed) != 0); }
inline bool watched_by(uint32_t who) { return (g_watchers.load(std::memory_order_relaxed) & who) != 0; }
inline void watch(Watcher who, bool on) {
  if (on) g_watchers.fetch_or(who);
  else g_watchers.fetch_and(~static_cast<uint32_t>(who));
}

// stats.cpp: figures of a device's memory; sums count from the last reset.
fl_memory_stats memory_stats(int device);
void reset_accumulated(int device);
std::string memory_blocks_json(int device);

// watch.cpp; the allocator calls them when somebody looks on.
void saw_allocation(fl_buffer* buffer);
void saw_release(fl_buffer* buffer);  // before it
// Throws torch.OutOfMemoryError (or what the status says), and tells who made the largest live tensors. Frees the status.
[[noreturn]] void allocation_failed(fl_status status, fl_device* device, size_t bytes);
// What to add to the text of a failure for lack of memory: the largest live tensors and their lines, or how to see them.
std::string largest_tensors(int device);
// The text of a failure of operator `name` (may be NULL) with the names of arguments and of the backward pass's node.
std::string explain_failure(std::string message, const char* name);
// Debug mode, of one more (or less) thread's contexts or of the process: lines of live tensors are kept while there is any.
void debug_context(int more);
void debug_of_process(bool on);
// Waits until the devices that are open have done what is queued, without taking failures.
void wait_for_devices();

// history.cpp: what is alive, with stacks, and what happened.
struct HistoryOptions {
  bool enabled = false, all = false;  // all: events beside what is alive
  bool live_stacks = false, alloc_stacks = false, free_stacks = false, cpp = false;
  uint32_t skip = 0;                  // bits of events that are not kept: 1 alloc, 2 and 4 free requested and completed, 8 oom
  uint64_t max_entries = UINT64_MAX;  // of each device
};
// Begins or ends to follow what is alive, for one of the two that do.
void watch_memory(Watcher who, bool on);
void set_history(const HistoryOptions& options, bool clear);
void history_allocated(fl_buffer* buffer);
void history_released(fl_buffer* buffer);
void history_out_of_memory(fl_device* device, size_t bytes);
std::string history_json();

}  // namespace bridge
