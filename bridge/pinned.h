// The allocator of pinned host memory. It is plain memory that is accounted, so that is_pinned() answers truly; copies that do not
// block may use it after they returned, and a block that is freed meanwhile stays until they are done.
#pragma once

#include "bridge.h"

#include <ATen/core/CachingHostAllocator.h>

#include <map>
#include <mutex>
#include <vector>

namespace bridge {

class PinnedAllocator final : public at::HostAllocator {
 public:
  static PinnedAllocator& get();
  c10::DataPtr allocate(size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override { return &free_pinned; }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
  bool record_event(void* p, void*, c10::Stream stream) override;
  void empty_cache() override;
  at::HostStats get_stats() override { return {}; }
  void reset_accumulated_stats() override {}
  void reset_peak_stats() override {}
  bool holds(const void* p);  // p points into a live pinned block

 private:
  struct Block {
    size_t bytes;
    std::vector<fl_event*> uses;  // of copies
  };
  static void free_pinned(void* p);
  static bool is_used(Block& block);
  std::map<void*, Block>::iterator find(const void* p);
  void free_unused();
  std::mutex lock_;
  std::map<void*, Block> live_;
  std::vector<std::pair<void*, Block>> leaving_;  // freed, but used by copies
};

}  // namespace bridge
