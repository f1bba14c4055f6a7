// Kernels that make, view, resize and copy tensors.
#include "bridge.h"
#include "mirror.h"
#include "pinned.h"
#include "typed.h"

#include <ATen/Dispatch_v2.h>
#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/_local_scalar_dense_ops.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/normal_ops.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/uniform_ops.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <ATen/ops/zero_ops.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <unordered_set>

namespace bridge {

bool is_typed(const std::string& name) {
  static const std::unordered_set<std::string> names = {
      "_copy_from",
      "index.Tensor_out",
      "_index_put_impl_",
      "nonzero",
      "nonzero.out",
      "masked_select",
      "masked_select.out",
      "_unique",
      "_unique2",
      "unique_dim",
      "unique_consecutive",
      "unique_dim_consecutive",
      "repeat_interleave.Tensor",
      "bincount",
      "_embedding_bag_backward",
  };
  return names.count(name) != 0;
}

namespace {

// Sets this thread's device for the time of an allocation.
struct OnDevice {
  c10::DeviceIndex before = current_device();
  explicit OnDevice(std::optional<at::Device> d) {
    if (!d || !d->has_index()) return;
    TORCH_CHECK(d->index() < engine()->device_count(), "tpu: invalid device index: expected 0..", engine()->device_count() - 1,
                ", got ", static_cast<int>(d->index()));
    set_current_device(d->index());
  }
  ~OnDevice() { set_current_device(before); }
};

void check_options(c10::ScalarType dtype, std::optional<at::Layout> layout, std::optional<bool> pinned) {
  TORCH_CHECK_NOT_IMPLEMENTED(c10::layout_or_default(layout) == at::kStrided, "tpu: expected layout torch.strided, got ",
                              c10::layout_or_default(layout));
  TORCH_CHECK(!c10::pinned_memory_or_default(pinned), "Only dense CPU tensors can be pinned");
  TORCH_CHECK_NOT_IMPLEMENTED(to_dtype(dtype) != FL_DTYPE_NONE, "tpu: no tensors of dtype ", dtype);
}

at::Tensor empty_memory_format(c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                               std::optional<at::Device> where, std::optional<bool> pinned,
                               std::optional<at::MemoryFormat> format) {
  check_options(c10::dtype_or_default(dtype), layout, pinned);
  OnDevice on(where);
  return at::detail::empty_generic(size, allocator(), c10::DispatchKeySet(kKey), c10::dtype_or_default(dtype), format);
}

// Memory and what fills it, which PyTorch's kernels for any backend ask of the dispatcher one after the other.
#define FACTORY(name, fill, ...)                                                                                \
  at::Tensor name(c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout, \
                  std::optional<at::Device> where, std::optional<bool> pinned) {                                \
    at::Tensor t = empty_memory_format(size, dtype, layout, where, pinned, std::nullopt);                       \
    at::_ops::fill::redispatch(c10::DispatchKeySet(kKey), t __VA_OPT__(, ) __VA_ARGS__);                        \
    return t;                                                                                                   \
  }
FACTORY(zeros, zero_)
FACTORY(randn, normal_, 0, 1, std::nullopt)
FACTORY(rand, uniform_, 0, 1, std::nullopt)
#undef FACTORY

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> layout, std::optional<at::Device> where, std::optional<bool> pinned) {
  check_options(c10::dtype_or_default(dtype), layout, pinned);
  OnDevice on(where);
  return at::detail::empty_strided_generic(size, stride, allocator(), c10::DispatchKeySet(kKey), c10::dtype_or_default(dtype));
}

// A tensor known to be zero without memory; autograd makes and consumes them.
struct NoMemory final : c10::Allocator {
  c10::DataPtr allocate(size_t) override { return own(nullptr, current_device()); }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void*, const void*, size_t) const override { TORCH_CHECK(false, "tpu: a zero tensor has no memory"); }
};

at::Tensor efficient_zero(c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                          std::optional<at::Device> where, std::optional<bool> pinned) {
  static NoMemory none;
  check_options(c10::dtype_or_default(dtype), layout, pinned);
  OnDevice on(where);
  c10::DispatchKeySet keys(kKey);
  return at::detail::empty_generic(size, &none, keys.add(c10::DispatchKey::ZeroTensor), c10::dtype_or_default(dtype),
                                   std::nullopt);
}

// ---- views: sizes, strides and offset only; PyTorch's own functions do it ------------------------------------------

at::Tensor as_strided(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                      std::optional<c10::SymInt> offset) {
  std::optional<int64_t> o;
  if (offset) o = offset->guard_int(__FILE__, __LINE__);
  return at::native::as_strided_tensorimpl(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride), o);
}

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) {
  return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}

at::Tensor reshape_alias(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}

// Equal sizes leave the tensor as it is, strides included.
const at::Tensor& resize(const at::Tensor& self, c10::SymIntArrayRef size, std::optional<at::MemoryFormat> format) {
  auto* impl = self.unsafeGetTensorImpl();
  auto sizes = C10_AS_INTARRAYREF_SLOW(size);
  if (impl->sizes() == sizes && !format) return self;
  impl->set_sizes_contiguous(sizes);
  if (format && *format != at::MemoryFormat::Preserve) impl->empty_tensor_restride(*format);
  size_t need = at::detail::computeStorageNbytes(impl->sizes(), impl->strides(), impl->itemsize(), impl->storage_offset());
  if (impl->numel() && impl->unsafe_storage().nbytes() < need) resize_storage(impl->unsafe_storage(), need);
  return self;
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) { return at::native::set_tensor_(self, source); }

at::Tensor& set_storage(at::Tensor& self, at::Storage source) {
  auto n = static_cast<int64_t>(source.nbytes() / self.itemsize());
  return at::native::set_storage_cpu_(self, std::move(source), 0, {n}, {});
}

at::Tensor& set_storage_offset(at::Tensor& self, at::Storage source, c10::SymInt offset, c10::SymIntArrayRef size,
                               c10::SymIntArrayRef stride) {
  return at::native::set_storage_cpu_(self, std::move(source), offset.guard_int(__FILE__, __LINE__),
                                      C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}

at::Tensor& set_empty(at::Tensor& self) {
  caffe2::TypeMeta dtype = self.dtype();
  c10::Storage storage(c10::Storage::use_byte_size_t(), 0, allocator(), true);
  self.set_(storage, 0, {0}, {});
  TORCH_INTERNAL_ASSERT(dtype == self.dtype());
  return self;
}

bool is_set_to(const at::Tensor& self, const at::Tensor& other) {
  return self.storage().unsafeGetStorageImpl() == other.storage().unsafeGetStorageImpl() &&
         self.storage_offset() == other.storage_offset() && self.sizes() == other.sizes() && self.strides() == other.strides();
}

// Whether `x.data = y` may give x what y has. PyTorch's own rule knows the devices that it was built with.
bool takes_data_of(const at::Tensor& self, const at::Tensor& from) {
  constexpr c10::DispatchKeySet backends({c10::BackendComponent::CPUBit, c10::BackendComponent::PrivateUse1Bit});
  auto dense = [](c10::DispatchKeySet keys) {
    return keys.has_any(c10::DispatchKeySet(c10::DispatchKey::Dense)) && keys.has_any(backends);
  };
  auto *to = self.unsafeGetTensorImpl(), *other = from.unsafeGetTensorImpl();
  return to->has_compatible_shallow_copy_type(other->key_set()) || (dense(to->key_set()) && dense(other->key_set()));
}

// ---- copies ---------------------------------------------------------------------------------------------------------

bool plain(const at::Tensor& t) { return t.is_contiguous() && !t.is_conj() && !t.is_neg(); }

// With non_blocking, pinned memory is copied in the order of the current stream, later; all other memory before the return.
bool copies_later(const fl_device* on, const void* host, bool non_blocking) {
  return non_blocking && on->vtable->upload_later && PinnedAllocator::get().holds(host);
}

// The memory stays until the copy that was just issued is done.
void keep_until_copied(const void* host, c10::DeviceIndex index) {
  const auto* guard = c10::impl::getDeviceGuardImpl(kTpu);
  PinnedAllocator::get().record_event(const_cast<void*>(host), nullptr, guard->getStream(c10::Device(kTpu, index)));
}

void upload(const at::Tensor& host, const at::Tensor& dst, bool non_blocking) {
  fl_tensor d;
  describe(&d, dst);
  auto* on = device(dst.device().index());  // which may be recording, with buffers of the real device too
  int stream = current_stream(dst.device().index());
  const void* from = host.const_data_ptr();
  bool later = copies_later(on, from, non_blocking);
  auto copy = later ? on->vtable->upload_later : on->vtable->upload;
  check(copy(on, stream, from, dst.nbytes(), d.buffer, d.offset), "copy to device");
  if (later) keep_until_copied(from, dst.device().index());
}

void download(const at::Tensor& src, void* to, bool non_blocking) {
  fl_tensor s;
  describe(&s, src);
  auto* on = device(src.device().index());
  int stream = current_stream(src.device().index());
  bool later = copies_later(on, to, non_blocking);
  auto copy = later ? on->vtable->download_later : on->vtable->download;
  check(copy(on, stream, s.buffer, s.offset, src.nbytes(), to), nullptr);
  if (later) keep_until_copied(to, src.device().index());
}

void copy_on_device(const at::Tensor& src, const at::Tensor& dst) {
  static const int op = engine()->operator_find("_copy_from");
  fl_tensor tensors[2];
  describe(&tensors[0], src);
  describe(&tensors[1], dst);
  fl_value args[3] = {value_of(&tensors[0]), value_of(&tensors[1]), {}};
  uint16_t written[1] = {1};
  call_operator(op, args, 3, written, 1, dst.device().index());
}

at::Tensor contiguous_copy(const at::Tensor& src) {
  auto t = at::empty(src.sizes(), src.options().memory_format(std::nullopt));
  copy_on_device(src, t);
  return t;
}

void host_to_device(const at::Tensor& src, const at::Tensor& dst, bool non_blocking) {
  at::Tensor host = src.resolve_conj().resolve_neg().contiguous();
  if (host.sizes() == dst.sizes() && host.scalar_type() == dst.scalar_type() && plain(dst))
    return upload(host, dst, non_blocking);
  at::Tensor staged = at::empty(host.sizes(), host.options().device(dst.device()));
  upload(host, staged, non_blocking);
  copy_on_device(staged, dst);
}

void device_to_host(const at::Tensor& src, const at::Tensor& dst, bool non_blocking) {
  at::Tensor dense = plain(src) ? src : contiguous_copy(src);
  if (dense.sizes() == dst.sizes() && dense.scalar_type() == dst.scalar_type() && plain(dst))
    return download(dense, dst.mutable_data_ptr(), non_blocking);
  at::Tensor host = at::empty(dense.sizes(), dense.options().device(at::kCPU));
  download(dense, host.mutable_data_ptr(), false);
  dst.copy_(host);
}

void between_devices(const at::Tensor& src, const at::Tensor& dst) {
  at::Tensor host = at::empty(src.sizes(), src.options().device(at::kCPU).memory_format(std::nullopt));
  device_to_host(src, host, false);
  host_to_device(host, dst, false);
}

// Memory that is shared in part: what the host says of it.
void copy_as_the_host(const at::Tensor& src, const at::Tensor& dst) {
  Mirror mirror;
  mirror.of(dst).copy_(mirror.of(src));
  mirror.write_back(dst);
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& dst, bool non_blocking) {
  if (dst.numel() == 0) return dst;
  if (self.numel() == 0)
    TORCH_CHECK(false, "tpu: copy: cannot broadcast an empty tensor of shape ", self.sizes(), " to ", dst.sizes());
  if (self.device().is_cpu()) host_to_device(self, dst, non_blocking);
  else if (dst.device().is_cpu()) device_to_host(self, dst, non_blocking);
  else if (C10_UNLIKELY(overlaps_itself(dst) || overlap_in_part(self, dst))) copy_as_the_host(self, dst);
  else if (self.device() == dst.device()) copy_on_device(self, dst);
  else between_devices(self, dst);
  return dst;
}

// A copy within the device at once: PyTorch's kernel would call _copy_from, which returns another reference to what it wrote.
at::Tensor& copy(at::Tensor& self, const at::Tensor& src, bool non_blocking) {
  auto simple = [](const at::Tensor& t) {
    return t.defined() && t.device().type() == kTpu && !t._is_zerotensor() && t.numel() > 0;
  };
  if (!simple(self) || !simple(src) || self.device() != src.device() || self.is_same(src) || overlaps_itself(self) ||
      overlap_in_part(src, self))
    return at::native::copy_(self, src, non_blocking);
  copy_on_device(src, self);
  return self;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& dst) {
  const_cast<at::Tensor&>(dst).resize_(self.sizes());
  return copy_from(self, dst, false);
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
  TORCH_CHECK(self.numel() == 1, "a Tensor with ", self.numel(), " elements cannot be converted to Scalar");
  alignas(16) char value[16];
  download(plain(self) ? self : contiguous_copy(self), value, false);
  return AT_DISPATCH_V2(self.scalar_type(), "item", AT_WRAP([&] { return at::Scalar(*reinterpret_cast<scalar_t*>(value)); }),
                        AT_EXPAND(AT_ALL_TYPES_AND_COMPLEX), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES), AT_EXPAND(AT_FLOAT8_TYPES),
                        at::kComplexHalf, at::kHalf, at::kBool, at::kBFloat16);
}

// In front of autograd's kernel, which only hands on: to the device at once when nobody between the two wants to see it.
at::Scalar scalar_at_once(c10::DispatchKeySet keys, const at::Tensor& self) {
  if (C10_LIKELY((keys & c10::after_ADInplaceOrView_keyset).highestPriorityTypeId() == kKey)) return local_scalar_dense(self);
  at::AutoDispatchBelowADInplaceOrView guard;
  return at::_ops::_local_scalar_dense::redispatch(keys & c10::after_autograd_keyset, self);
}

bool equal(const at::Tensor& self, const at::Tensor& other) {
  TORCH_CHECK(self.device() == other.device(), "Cannot compare two tensors on different devices. Got: ", self.device(), " and ",
              other.device());
  TORCH_CHECK(self.scalar_type() == other.scalar_type(), "Expected all tensors to have the same dtype, but found ",
              self.scalar_type(), " and ", other.scalar_type());
  if (self.sizes() != other.sizes()) return false;
  if (self.numel() == 0) return true;
  return at::eq(self, other).all().item<bool>();
}

void record_stream_of(at::Tensor& self, at::Stream stream) { record_stream(self.storage().data_ptr(), stream); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", TORCH_FN(empty_memory_format));
  m.impl("empty_strided", TORCH_FN(empty_strided));
  m.impl("zeros", TORCH_FN(zeros));
  m.impl("randn", TORCH_FN(randn));
  m.impl("rand", TORCH_FN(rand));
  m.impl("_efficientzerotensor", TORCH_FN(efficient_zero));
  m.impl("as_strided", TORCH_FN(as_strided));
  m.impl("view", TORCH_FN(view));
  m.impl("_reshape_alias", TORCH_FN(reshape_alias));
  m.impl("unfold", TORCH_FN(at::native::unfold));
  m.impl("view_as_real", TORCH_FN(at::native::view_as_real));
  m.impl("view_as_complex", TORCH_FN(at::native::view_as_complex));
  m.impl("resize_", TORCH_FN(resize));
  m.impl("set_.source_Tensor", TORCH_FN(set_tensor));
  m.impl("set_.source_Storage", TORCH_FN(set_storage));
  m.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage_offset));
  m.impl("set_", TORCH_FN(set_empty));
  m.impl("is_set_to", TORCH_FN(is_set_to));
  m.impl("_copy_from", TORCH_FN(copy_from));
  m.impl("copy_", TORCH_FN(copy));
  m.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  m.impl("_local_scalar_dense", TORCH_FN(local_scalar_dense));
  m.impl("equal", TORCH_FN(equal));
  m.impl("record_stream", TORCH_FN(record_stream_of));
  m.impl("_has_compatible_shallow_copy_type", TORCH_FN(takes_data_of));
}

// _copy_from honours the lazy conjugate and negative bits itself; PyTorch's fallback for them would call it again, for ever.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }
TORCH_LIBRARY_IMPL(aten, Negative, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  // In front of what makes copies of lazily conjugated and negated tensors, and of modes: it is asked about the tensors as they are.
  m.impl("_has_compatible_shallow_copy_type", TORCH_FN(takes_data_of));
  m.impl("_local_scalar_dense", TORCH_FN(scalar_at_once));
}

}  // namespace

at::Tensor empty_like_type(const fl_type& type, const fl_layout* layout, c10::DeviceIndex index, fl_buffer** out_buffer) {
  auto dtype = c10::scalarTypeToTypeMeta(to_scalar_type(static_cast<fl_dtype>(type.dtype)));
  c10::IntArrayRef sizes(type.dims, type.rank), strides(layout ? layout->strides : type.dims, type.rank);
  size_t bytes = layout ? at::detail::computeStorageNbytes(sizes, strides, dtype.itemsize())
                        : at::detail::computeStorageNbytesContiguous(sizes, dtype.itemsize());
  *out_buffer = bytes ? allocate_buffer(bytes, index) : nullptr;
  auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes, own(*out_buffer, index),
                                                       allocator(), /*resizable=*/true);
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(kKey), dtype);
  auto* impl = tensor.unsafeGetTensorImpl();
  if (layout) impl->set_sizes_and_strides(sizes, strides);
  else if (sizes.size() != 1 || sizes[0] != 0) impl->set_sizes_contiguous(sizes);
  return tensor;
}

void resize_storage(const c10::Storage& storage, size_t bytes) {
  auto* impl = storage.unsafeGetStorageImpl();
  TORCH_CHECK(impl->resizable(), "tpu: trying to resize storage that is not resizable");
  auto index = impl->device().index();
  size_t keep = std::min(bytes, impl->nbytes());
  c10::DataPtr larger = own(bytes ? allocate_buffer(bytes, index) : nullptr, index);
  if (keep) {  // copied as bytes, on the device
    static const int op = engine()->operator_find("_copy_from");
    int64_t sizes[1] = {static_cast<int64_t>(keep)}, strides[1] = {1};
    fl_tensor tensors[2] = {};
    for (auto& t : tensors) t.sizes = sizes, t.strides = strides, t.rank = 1, t.dtype = FL_U8;
    std::tie(tensors[0].buffer, tensors[0].offset) = buffer_of(impl->data_ptr());
    std::tie(tensors[1].buffer, tensors[1].offset) = buffer_of(larger);
    fl_value args[3] = {value_of(&tensors[0]), value_of(&tensors[1]), {}};
    uint16_t written[1] = {1};
    call_operator(op, args, 3, written, 1, index);
  }
  impl->set_data_ptr_noswap(std::move(larger));
  impl->set_nbytes(bytes);
}

}  // namespace bridge
