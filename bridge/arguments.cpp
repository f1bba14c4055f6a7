#include "arguments.h"

namespace bridge {

void describe(fl_tensor* out, const at::Tensor& tensor) {
  auto* impl = tensor.unsafeGetTensorImpl();
  fl_dtype dtype = to_dtype(tensor.scalar_type());
  TORCH_CHECK_NOT_IMPLEMENTED(dtype != FL_DTYPE_NONE, "tpu: no tensors of dtype ", tensor.scalar_type());
  TORCH_CHECK(impl->dim() <= FL_MAX_RANK, "tpu: tensors have at most ", FL_MAX_RANK, " dimensions, got ", impl->dim());
  *out = fl_tensor{};
  out->sizes = impl->sizes().data();
  out->strides = impl->strides().data();
  out->dtype = static_cast<uint8_t>(dtype);
  out->rank = static_cast<uint8_t>(impl->dim());
  out->wrapped = impl->is_wrapped_number();
  out->conj = tensor.is_conj();
  out->neg = tensor.is_neg();
  if (impl->device_type() == kTpu) {
    auto [buffer, offset] = buffer_of(impl->unsafe_storage().data_ptr());
    out->buffer = buffer;
    out->offset = offset + impl->storage_offset() * static_cast<int64_t>(impl->itemsize());
  } else {
    out->host = impl->data();
  }
}

ArgumentKind kind_of(const c10::Argument& argument) {
  c10::TypePtr type = argument.real_type();
  if (auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  if (auto list = type->cast<c10::ListType>()) type = list->getElementType();
  switch (type->kind()) {
    case c10::TypeKind::NumberType:
    case c10::TypeKind::FloatType:
      return ArgumentKind::kScalar;
    case c10::TypeKind::ScalarTypeType:
      return ArgumentKind::kDtype;
    default:
      return ArgumentKind::kPlain;
  }
}

namespace {

[[noreturn]] void mixed_devices(c10::Device a, c10::Device b) {
  TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ", a, " and ", b, "!");
  __builtin_unreachable();
}

bool put_number(fl_value& v, const c10::IValue& x) {
  if (x.isInt()) {
    v.tag = FL_TAG_INT;
    v.u.i = x.toInt();
  } else if (x.isDouble()) {
    v.tag = FL_TAG_DOUBLE;
    v.u.d = x.toDouble();
  } else if (x.isBool()) {
    v.tag = FL_TAG_BOOL;
    v.u.i = x.toBool();
  } else if (x.isComplexDouble()) {
    auto c = x.toComplexDouble();
    v.tag = FL_TAG_COMPLEX;
    v.u.complex_[0] = c.real();
    v.u.complex_[1] = c.imag();
  } else {
    return false;
  }
  return true;
}

}  // namespace

void Arguments::see_device(const at::Tensor& t) {
  auto d = t.device();
  if (d.type() == kTpu) {
    if (device < 0) device = d.index();
    else if (C10_UNLIKELY(device != d.index())) mixed_devices(c10::Device(kTpu, device), d);
  } else if (C10_UNLIKELY(t.dim() != 0 || d.type() != c10::kCPU)) {
    mixed_devices(c10::Device(kTpu, device < 0 ? current_device() : device), d);
  }
}

void Arguments::put_tensor(fl_value& v, const at::Tensor& t) {
  if (!t.defined()) {
    v.tag = FL_TAG_NONE;
    return;
  }
  see_device(t);
  fl_tensor* d = tensor_count_ < kTensors ? &tensors_[tensor_count_++] : reserve_tensors(1);
  bridge::describe(d, t);
  v.tag = FL_TAG_TENSOR;
  v.count = 1;
  v.u.tensor = d;
}

int64_t* Arguments::reserve_ints(size_t n) {
  if (int_count_ + n <= kInts) {
    int_count_ += static_cast<int>(n);
    return ints_ + int_count_ - n;
  }
  return lists().ints.emplace_back(n).data();
}

fl_tensor* Arguments::reserve_tensors(size_t n) {
  if (tensor_count_ + n > kTensors) return lists().tensors.emplace_back(n).data();
  fl_tensor* first = tensors_ + tensor_count_;
  std::fill_n(first, n, fl_tensor{});
  tensor_count_ += static_cast<int>(n);
  return first;
}

void Arguments::put_list(fl_value& v, const c10::IValue& x) {
  auto list = x.toListRef();
  v.count = static_cast<uint32_t>(list.size());
  const c10::IValue* first = list.empty() ? nullptr : &list[0];
  if (x.isTensorList() || x.isOptionalTensorList()) {
    fl_tensor* tensors = reserve_tensors(list.size());
    for (size_t i = 0; i < list.size(); i++) {
      if (!list[i].isTensor() || !list[i].toTensor().defined()) continue;
      see_device(list[i].toTensor());
      bridge::describe(&tensors[i], list[i].toTensor());
    }
    v.tag = FL_TAG_TENSORS;
    v.u.tensor = tensors;
  } else if (x.isIntList() || x.isBoolList() || !first) {
    int64_t* ints = reserve_ints(list.size());
    for (size_t i = 0; i < list.size(); i++) ints[i] = list[i].isBool() ? list[i].toBool() : list[i].toInt();
    v.tag = x.isBoolList() ? FL_TAG_BOOLS : FL_TAG_INTS;
    v.u.ints = ints;
  } else if (x.isDoubleList()) {
    auto& doubles = lists().doubles.emplace_back();
    for (const auto& e : list) doubles.push_back(e.toDouble());
    v.tag = FL_TAG_DOUBLES;
    v.u.doubles = doubles.data();
  } else {
    auto& scalars = lists().scalars.emplace_back(list.size());
    for (size_t i = 0; i < list.size(); i++) {
      scalars[i].scalar = 1;
      if (!put_number(scalars[i], list[i])) scalars[i].tag = FL_TAG_OTHER;
    }
    v.tag = FL_TAG_SCALARS;
    v.u.scalars = scalars.data();
  }
}

void Arguments::put_other(fl_value& v, const c10::IValue& x) {
  if (x.isList()) {
    put_list(v, x);
  } else if (x.isString()) {
    v.tag = FL_TAG_STRING;
    v.u.string = x.toStringRef().c_str();
  } else if (x.isGenerator()) {
    v.tag = FL_TAG_GENERATOR;
    v.u.generator = generator_state(x.toGenerator());
  } else {
    if (x.isDevice() && device < 0 && x.toDevice().has_index()) device = x.toDevice().index();
    v.tag = FL_TAG_OTHER;
  }
}

void Arguments::describe(const c10::IValue* first, uint16_t count, const ArgumentKind* kinds) {
  tensor_count_ = 0;
  int_count_ = 0;
  for (uint16_t i = 0; i < count; i++) {
    const c10::IValue& x = first[i];
    fl_value& v = values[i];
    v.scalar = kinds[i] == ArgumentKind::kScalar;
    v.count = 0;
    if (x.isTensor()) put_tensor(v, x.toTensor());
    else if (x.isNone()) v.tag = FL_TAG_NONE;
    else if (put_number(v, x)) {
      if (kinds[i] == ArgumentKind::kDtype) v.u.i = to_dtype(static_cast<c10::ScalarType>(v.u.i));
    } else {
      put_other(v, x);
    }
  }
}

bool Arguments::put(const ArgumentKind* kinds, uint16_t i, at::TensorList list) {
  fl_tensor* tensors = reserve_tensors(list.size());
  for (size_t k = 0; k < list.size(); k++) {
    if (!list[k].defined()) continue;
    see_device(list[k]);
    bridge::describe(&tensors[k], list[k]);
  }
  fl_value& v = begin(kinds, i);
  v.tag = FL_TAG_TENSORS;
  v.count = static_cast<uint32_t>(list.size());
  v.u.tensor = tensors;
  return true;
}

bool Arguments::put(const ArgumentKind* kinds, uint16_t i, const at::ITensorListRef& list) {
  fl_tensor* tensors = reserve_tensors(list.size());
  size_t k = 0;
  for (const at::Tensor& t : list) {
    if (t.defined()) {
      see_device(t);
      bridge::describe(&tensors[k], t);
    }
    k++;
  }
  fl_value& v = begin(kinds, i);
  v.tag = FL_TAG_TENSORS;
  v.count = static_cast<uint32_t>(list.size());
  v.u.tensor = tensors;
  return true;
}

// Indices: those on another device are moved first.
bool Arguments::put(const ArgumentKind* kinds, uint16_t i, const c10::List<std::optional<at::Tensor>>& list) {
  const c10::IValue boxed(list);
  auto indices = boxed.toListRef();
  fl_tensor* tensors = reserve_tensors(indices.size());
  for (size_t k = 0; k < indices.size(); k++) {
    if (!indices[k].isTensor() || !indices[k].toTensor().defined()) continue;
    const at::Tensor& index = indices[k].toTensor();
    if (index.device() != c10::Device(kTpu, device)) return false;
    bridge::describe(&tensors[k], index);
  }
  fl_value& v = begin(kinds, i);
  v.tag = FL_TAG_TENSORS;
  v.count = static_cast<uint32_t>(indices.size());
  v.u.tensor = tensors;
  return true;
}

namespace {

bool put_scalar(fl_value& v, const at::Scalar& x) {
  if (x.isSymbolic()) return false;
  if (x.isFloatingPoint()) {
    v.tag = FL_TAG_DOUBLE;
    v.u.d = x.toDouble();
  } else if (x.isComplex()) {
    auto c = x.toComplexDouble();
    v.tag = FL_TAG_COMPLEX;
    v.u.complex_[0] = c.real();
    v.u.complex_[1] = c.imag();
  } else if (x.isBoolean()) {
    v.tag = FL_TAG_BOOL;
    v.u.i = x.toBool();
  } else {
    if (x.type() != at::kLong) return false;  // 64 bits without a sign
    v.tag = FL_TAG_INT;
    v.u.i = x.toLong();
  }
  return true;
}

}  // namespace

bool Arguments::put(const ArgumentKind* kinds, uint16_t i, const at::Scalar& x) { return put_scalar(begin(kinds, i), x); }

bool Arguments::put(const ArgumentKind* kinds, uint16_t i, at::ArrayRef<at::Scalar> list) {
  if (list.empty()) return put(kinds, i, at::IntArrayRef());
  auto& scalars = lists().scalars.emplace_back(list.size());
  for (size_t k = 0; k < list.size(); k++) {
    scalars[k].scalar = 1;
    if (!put_scalar(scalars[k], list[k])) return false;
  }
  fl_value& v = begin(kinds, i);
  v.tag = FL_TAG_SCALARS;
  v.count = static_cast<uint32_t>(list.size());
  v.u.scalars = scalars.data();
  return true;
}

bool Arguments::put(const ArgumentKind* kinds, uint16_t i, at::IntArrayRef list) {
  fl_value& v = begin(kinds, i);
  v.tag = FL_TAG_INTS;
  v.count = static_cast<uint32_t>(list.size());
  v.u.ints = list.data();
  return true;
}

bool Arguments::put(const ArgumentKind* kinds, uint16_t i, std::string_view text) {
  fl_value& v = begin(kinds, i);
  v.tag = FL_TAG_STRING;
  v.u.string = lists().strings.emplace_back(text).c_str();
  return true;
}

bool Arguments::put(const ArgumentKind* kinds, uint16_t i, const at::Generator& generator) {
  fl_value& v = begin(kinds, i);
  v.tag = FL_TAG_GENERATOR;
  v.u.generator = generator_state(generator);
  return true;
}

}  // namespace bridge
