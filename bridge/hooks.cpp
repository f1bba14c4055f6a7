// PyTorch's hooks for out-of-tree devices.
#include "bridge.h"
#include "pinned.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>

namespace bridge {
namespace {

struct Hooks final : at::PrivateUse1HooksInterface {
  void init() const override {}
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return engine()->device_count() > 0; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return static_cast<c10::DeviceIndex>(engine()->device_count()); }
  void setCurrentDevice(c10::DeviceIndex index) const override { set_current_device(index); }
  c10::DeviceIndex getCurrentDevice() const override { return current_device(); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    auto old = current_device();
    set_current_device(index);
    return old;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override { return exchangeDevice(index); }
  bool isPinnedPtr(const void* p) const override { return PinnedAllocator::get().holds(p); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return &PinnedAllocator::get(); }
  at::Device getDeviceFromPtr(void* p) const override {
    int64_t offset;
    fl_buffer* buffer = engine()->address_find(reinterpret_cast<uint64_t>(p), &offset);
    TORCH_CHECK(buffer, "tpu: the address belongs to no live device buffer");
    return {kTpu, static_cast<c10::DeviceIndex>(buffer->device->index)};
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override { return default_generator(index); }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override { return new_generator(index); }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override { resize_storage(storage, bytes); }
};

const bool g_registered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  at::setHostAllocator(kTpu, &PinnedAllocator::get(), 0);
  return true;
}();

}  // namespace
}  // namespace bridge
