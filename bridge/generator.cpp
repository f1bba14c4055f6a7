// Random generators: a Philox key (the seed) and a counter, 16 bytes of state.
#include "kernel.h"

#include <ATen/ops/empty.h>

#include <vector>

namespace bridge {
namespace {

struct Generator final : c10::GeneratorImpl {
  fl_generator state{c10::default_rng_seed_val, 0};
  explicit Generator(c10::DeviceIndex index) : c10::GeneratorImpl(c10::Device(kTpu, index), c10::DispatchKeySet(kKey)) {}
  void set_current_seed(uint64_t seed) override {
    __atomic_store_n(&state.seed, seed, __ATOMIC_RELAXED);
    set_offset(0);
  }
  void set_offset(uint64_t offset) override { __atomic_store_n(&state.offset, offset, __ATOMIC_RELAXED); }
  uint64_t get_offset() const override { return __atomic_load_n(&state.offset, __ATOMIC_RELAXED); }
  uint64_t current_seed() const override { return __atomic_load_n(&state.seed, __ATOMIC_RELAXED); }
  uint64_t seed() override {
    set_current_seed(c10::detail::getNonDeterministicRandom(false));
    return current_seed();
  }
  void set_state(const c10::TensorImpl& bytes) override {
    TORCH_CHECK_TYPE(bytes.dtype() == caffe2::TypeMeta::Make<uint8_t>() && bytes.device().is_cpu(),
                     "tpu: RNG state must be a CPU uint8 tensor");
    TORCH_CHECK(bytes.numel() == 16, "tpu: RNG state: expected 16 bytes, got ", bytes.numel());
    uint64_t words[2];
    std::memcpy(words, bytes.data(), 16);
    set_current_seed(words[0]);
    set_offset(words[1]);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    auto t = at::empty({16}, at::TensorOptions().dtype(at::kByte).device(at::kCPU));
    uint64_t words[2] = {current_seed(), get_offset()};
    std::memcpy(t.data_ptr(), words, 16);
    return t.getIntrusivePtr();
  }
  Generator* clone_impl() const override {
    auto* g = new Generator(device().index());
    g->state = state;
    return g;
  }
};

}  // namespace

fl_generator* generator_state(const at::Generator& generator) {
  TORCH_CHECK(generator.device().type() == kTpu, "Expected a 'tpu' device type for generator but found '",
              c10::DeviceTypeName(generator.device().type(), true), "'");
  return &static_cast<Generator*>(generator.unsafeGetGeneratorImpl())->state;
}

const at::Generator& default_generator(c10::DeviceIndex index) {
  static auto* all = [] {
    auto* v = new std::vector<at::Generator>;
    for (int i = 0; i < engine()->device_count(); i++) v->push_back(new_generator(static_cast<c10::DeviceIndex>(i)));
    return v;
  }();
  auto i = static_cast<size_t>(index < 0 ? current_device() : index);
  TORCH_CHECK(i < all->size(), "tpu: invalid device index: expected 0..", all->size() - 1, ", got ", i);
  return (*all)[i];
}

fl_generator* default_generator_state(c10::DeviceIndex index) {
  static const auto* all = [] {
    auto* v = new std::vector<fl_generator*>;
    for (int i = 0; i < engine()->device_count(); i++)
      v->push_back(generator_state(default_generator(static_cast<c10::DeviceIndex>(i))));
    return v;
  }();
  return (*all)[static_cast<size_t>(index)];
}

at::Generator new_generator(c10::DeviceIndex index) {
  return at::make_generator<Generator>(index < 0 ? current_device() : index);
}

}  // namespace bridge
