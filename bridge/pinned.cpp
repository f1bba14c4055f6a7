#include "pinned.h"

#include <algorithm>
#include <cstdlib>

namespace bridge {

PinnedAllocator& PinnedAllocator::get() {
  static auto* instance = new PinnedAllocator;
  return *instance;
}

c10::DataPtr PinnedAllocator::allocate(size_t bytes) {
  if (bytes == 0) return {nullptr, nullptr, &free_pinned, c10::Device(c10::kCPU)};
  void* p = std::aligned_alloc(64, (bytes + 63) & ~size_t{63});
  TORCH_CHECK_WITH(OutOfMemoryError, p, "tpu: cannot allocate ", bytes, " bytes of pinned host memory");
  std::lock_guard<std::mutex> guard(lock_);
  free_unused();
  live_[p] = {bytes, {}};
  return {p, p, &free_pinned, c10::Device(c10::kCPU)};
}

// Forgets the copies that are done. With the lock, as the functions below.
bool PinnedAllocator::is_used(Block& block) {
  auto done = [](fl_event* e) {
    if (!engine()->event_done(e)) return false;
    engine()->event_release(e);
    return true;
  };
  block.uses.erase(std::remove_if(block.uses.begin(), block.uses.end(), done), block.uses.end());
  return !block.uses.empty();
}

void PinnedAllocator::free_unused() {
  auto unused = [](std::pair<void*, Block>& b) {
    if (is_used(b.second)) return false;
    std::free(b.first);
    return true;
  };
  leaving_.erase(std::remove_if(leaving_.begin(), leaving_.end(), unused), leaving_.end());
}

std::map<void*, PinnedAllocator::Block>::iterator PinnedAllocator::find(const void* p) {
  auto it = live_.upper_bound(const_cast<void*>(p));
  if (it == live_.begin()) return live_.end();
  --it;
  return static_cast<const char*>(p) < static_cast<const char*>(it->first) + it->second.bytes ? it : live_.end();
}

void PinnedAllocator::free_pinned(void* p) {
  auto& self = get();
  std::lock_guard<std::mutex> guard(self.lock_);
  auto it = self.live_.find(p);
  if (it == self.live_.end()) return;
  if (is_used(it->second)) self.leaving_.emplace_back(p, std::move(it->second));
  else std::free(p);
  self.live_.erase(it);
  self.free_unused();
}

bool PinnedAllocator::holds(const void* p) {
  std::lock_guard<std::mutex> guard(lock_);
  return find(p) != live_.end();
}

bool PinnedAllocator::record_event(void* p, void*, c10::Stream stream) {
  auto* d = device(stream.device_index());
  int number = stream_number(stream.id());
  if (d->vtable->idle(d, number)) return holds(p);
  auto* event = engine()->event_create();
  TORCH_CHECK(event, "tpu: out of host memory");
  fl_status status = d->vtable->record(d, number, event);
  std::lock_guard<std::mutex> guard(lock_);
  auto it = status ? live_.end() : find(p);
  if (it == live_.end()) {
    engine()->event_release(event);
    check(status, nullptr);
    return false;
  }
  is_used(it->second);
  it->second.uses.push_back(event);
  return true;
}

void PinnedAllocator::empty_cache() {
  std::lock_guard<std::mutex> guard(lock_);
  free_unused();
}

}  // namespace bridge
