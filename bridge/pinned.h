// The allocator of pinned host memory.
#pragma once

#include <ATen/core/CachingHostAllocator.h>

#include <map>
#include <mutex>

namespace bridge {

class PinnedAllocator final : public at::HostAllocator {
 public:
  static PinnedAllocator& get();
  c10::DataPtr allocate(size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override { return &free_pinned; }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
  bool record_event(void*, void*, c10::Stream) override { return true; }
  void empty_cache() override {}
  at::HostStats get_stats() override { return {}; }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
  bool holds(const void* p);  // p points into a live pinned block

 private:
  static void free_pinned(void* p);
  std::mutex lock_;
  std::map<void*, size_t> live_;
};

}  // namespace bridge
