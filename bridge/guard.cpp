// Current device, streams and events.
//
// The engine has FL_STREAMS streams a device. Every stream that PyTorch makes has an id of its own, whose low byte is the number of
// the engine's stream that it stands for; beyond as many as the engine has, several share one.
#include "bridge.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>

namespace bridge {
namespace {

constexpr int kMaxDevices = 64;
thread_local c10::DeviceIndex t_device = 0;
thread_local c10::StreamId t_stream[kMaxDevices] = {0};
std::atomic<uint64_t> g_next_stream{0};

c10::StreamId new_stream_id(int priority) {
  uint64_t n = g_next_stream++;
  uint64_t number = priority < 0 ? FL_URGENT_STREAM + n % (FL_STREAMS - FL_URGENT_STREAM) : 1 + n % (FL_URGENT_STREAM - 1);
  return static_cast<c10::StreamId>((n + 1) << 8 | number);
}

c10::DeviceIndex index_of(c10::Device d) { return d.index() < 0 ? t_device : d.index(); }

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kTpu; }
  c10::Device exchangeDevice(c10::Device d) const override {
    c10::Device old(kTpu, t_device);
    setDevice(d);
    return old;
  }
  c10::Device getDevice() const override { return {kTpu, t_device}; }
  void setDevice(c10::Device d) const override {
    TORCH_CHECK(d.index() < engine()->device_count(), "tpu: invalid device index: expected 0..", engine()->device_count() - 1,
                ", got ", static_cast<int>(d.index()));
    uncheckedSetDevice(d);
  }
  void uncheckedSetDevice(c10::Device d) const noexcept override {
    if (d.index() >= 0) t_device = d.index();
  }
  c10::Stream getStream(c10::Device d) const override {
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(kTpu, index_of(d)), t_stream[index_of(d)]);
  }
  c10::Stream getDefaultStream(c10::Device d) const override {
    return c10::Stream(c10::Stream::DEFAULT, c10::Device(kTpu, index_of(d)));
  }
  c10::Stream getNewStream(c10::Device d, int priority) const override {
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(kTpu, index_of(d)), new_stream_id(priority));
  }
  c10::Stream getStreamFromGlobalPool(c10::Device d, bool urgent) const override { return getNewStream(d, urgent ? -1 : 0); }
  c10::Stream exchangeStream(c10::Stream s) const override {
    inherit_mode();  // autograd's threads set the stream of every node before they run it
    auto old = getStream(s.device());
    t_stream[index_of(s.device())] = s.id();
    return old;
  }
  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex, const c10::EventFlag) const override {
    if (!*event) {
      *event = engine()->event_create();
      TORCH_CHECK(*event, "tpu: out of host memory");
    }
    auto* d = device(index_of(stream.device()));
    check(d->vtable->record(d, stream_number(stream.id()), static_cast<fl_event*>(*event)), "event");
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    engine()->event_release(static_cast<fl_event*>(event));
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (!event) return;
    auto* d = device(index_of(stream.device()));
    check(d->vtable->wait(d, stream_number(stream.id()), static_cast<fl_event*>(event)), "event");
  }
  bool queryEvent(void* event) const override { return !event || engine()->event_done(static_cast<fl_event*>(event)); }
  void synchronizeEvent(void* event) const override {
    if (event) check(engine()->event_synchronize(static_cast<fl_event*>(event)), nullptr);
  }
  double elapsedTime(void* start, void* end, const c10::DeviceIndex) const override {
    TORCH_CHECK(start && end, "tpu: both events must be recorded before their elapsed time is taken");
    synchronizeEvent(start);
    synchronizeEvent(end);
    auto t0 = engine()->event_time(static_cast<fl_event*>(start)), t1 = engine()->event_time(static_cast<fl_event*>(end));
    return (static_cast<double>(t1) - static_cast<double>(t0)) * 1e-6;
  }
  c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(engine()->device_count()); }
  bool queryStream(const c10::Stream& s) const override {
    auto* d = device(index_of(s.device()));
    return d->vtable->idle(d, stream_number(s.id()));
  }
  void synchronizeStream(const c10::Stream& s) const override {
    auto* d = device(index_of(s.device()));
    check(d->vtable->synchronize(d, stream_number(s.id())), nullptr);
  }
  void synchronizeDevice(const c10::DeviceIndex i) const override {
    auto* d = device(i < 0 ? t_device : i);
    check(d->vtable->synchronize(d, FL_ALL_STREAMS), nullptr);
  }
  void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& s) const override { record_stream(data, s); }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

}  // namespace

c10::DeviceIndex current_device() { return t_device; }
void set_current_device(c10::DeviceIndex index) {
  if (index >= 0) t_device = index;
}

int current_stream(c10::DeviceIndex index) { return stream_number(t_stream[index < 0 ? t_device : index]); }
int stream_number(c10::StreamId id) { return static_cast<int>(static_cast<uint64_t>(id) & 0xff) % FL_STREAMS; }

}  // namespace bridge
