// Device memory (opaque addresses), memory statistics.
#include "bridge.h"

#include <c10/core/CachingDeviceAllocator.h>

#include "watch.h"

namespace bridge {
namespace {

void release(void* context) {
  auto* buffer = static_cast<fl_buffer*>(context);
  if (!buffer) return;
  if (watched()) saw_release(buffer);
  buffer->device->vtable->release(buffer->device, buffer);
}

void fill(c10::CachingDeviceAllocator::StatArray& array, uint64_t current, uint64_t peak, uint64_t allocated, uint64_t freed) {
  auto& stat = array[0];
  stat.current = static_cast<int64_t>(current);
  stat.peak = static_cast<int64_t>(peak);
  stat.allocated = static_cast<int64_t>(allocated);
  stat.freed = static_cast<int64_t>(freed);
}

struct Allocator final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t bytes) override {
    auto index = current_device();
    if (bytes == 0) return c10::DataPtr(nullptr, nullptr, &release, c10::Device(kTpu, index));
    return own(allocate_buffer(bytes, index), index);
  }
  // data and context differ, so PyTorch's raw interface cannot be served
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void*, const void*, size_t) const override {
    TORCH_CHECK(false, "tpu: device memory cannot be copied by address");
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {
    for (int i = 0; i < engine()->device_count(); i++) device(i)->vtable->trim(device(i));
  }
  void recordStream(const c10::DataPtr& pointer, c10::Stream stream) override { record_stream(pointer, stream); }
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex index) override {
    fl_memory_stats m = memory_stats(index);
    c10::CachingDeviceAllocator::DeviceStats s;
    fill(s.allocated_bytes, m.allocated, m.peak_allocated, m.allocated_total, m.freed_total);
    fill(s.active_bytes, m.allocated, m.peak_allocated, m.allocated_total, m.freed_total);
    fill(s.reserved_bytes, m.reserved, m.peak_reserved, 0, 0);
    fill(s.requested_bytes, m.requested, m.peak_requested, m.requested_total, m.requested_freed);
    fill(s.allocation, m.active_count, m.peak_count, m.allocations, m.frees);
    fill(s.active, m.active_count, m.peak_count, m.allocations, m.frees);
    s.num_ooms = static_cast<int64_t>(m.ooms);
    s.num_alloc_retries = static_cast<int64_t>(m.retries);
    return s;
  }
  void resetAccumulatedStats(c10::DeviceIndex index) override { reset_accumulated(index); }
  void resetPeakStats(c10::DeviceIndex index) override { device(index)->vtable->reset_peak(device(index)); }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override {
    fl_memory_stats m;
    auto* d = device(index);
    d->vtable->memory_stats(d, &m);
    return {d->capacity - m.allocated, d->capacity};
  }
};

Allocator g_allocator;
REGISTER_ALLOCATOR(kTpu, &g_allocator)

}  // namespace

c10::Allocator* allocator() { return &g_allocator; }

fl_buffer* allocate_buffer(size_t bytes, c10::DeviceIndex index) {
  auto* d = device(index);
  fl_buffer* buffer = nullptr;
  fl_status status = d->vtable->allocate(d, current_stream(index), bytes, &buffer);
  if (C10_UNLIKELY(status != nullptr)) allocation_failed(status, d, bytes);
  if (watched()) saw_allocation(buffer);
  return buffer;
}

c10::DataPtr own(fl_buffer* buffer, c10::DeviceIndex index) {
  void* address = buffer ? reinterpret_cast<void*>(buffer->address) : nullptr;
  return c10::DataPtr(address, buffer, &release, c10::Device(kTpu, index));
}

// Storages that PyTorch makes from a device address (from_blob, the legacy pickler) have another context than ours, so
// those are found by address.
std::pair<fl_buffer*, int64_t> buffer_of(const c10::DataPtr& pointer) {
  if (C10_LIKELY(pointer.get_deleter() == &release)) return {static_cast<fl_buffer*>(pointer.get_context()), 0};
  if (!pointer.get()) return {nullptr, 0};
  int64_t offset = 0;
  fl_buffer* buffer = engine()->address_find(reinterpret_cast<uint64_t>(pointer.get()), &offset);
  TORCH_CHECK(buffer, "tpu: a storage's address belongs to no live device buffer");
  return {buffer, offset};
}

void record_stream(const c10::DataPtr& pointer, const c10::Stream& stream) {
  fl_buffer* buffer = buffer_of(pointer).first;
  if (buffer) buffer->device->vtable->record_stream(buffer->device, buffer, stream_number(stream.id()));
}

}  // namespace bridge
