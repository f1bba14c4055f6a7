// The arguments of one call of an operator, described to the engine.
#pragma once

#include "bridge.h"

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <ATen/core/IListRef.h>
#include <c10/core/Scalar.h>

#include <list>
#include <memory>
#include <string>
#include <vector>

namespace bridge {

enum class ArgumentKind : uint8_t { kPlain, kScalar, kDtype };
ArgumentKind kind_of(const c10::Argument& argument);

// Storage for the descriptions. Lists keep their elements where they are when the outer vector moves them.
struct Arguments {
  static constexpr int kTensors = 16, kInts = 64;

  fl_value values[FL_MAX_ARGS];
  c10::DeviceIndex device = -1;  // of the tensors; -1: none is on a tpu device

  // Describes the `count` IValues at `first`; they must stay where they are.
  void describe(const c10::IValue* first, uint16_t count, const ArgumentKind* kinds);

  // Describes argument `i`, which must stay where it is, as describe does; false: only describe knows how.
  bool put(const ArgumentKind* kinds, uint16_t i, const at::Tensor& t) {
    put_tensor(begin(kinds, i), t);
    return true;
  }
  bool put(const ArgumentKind* kinds, uint16_t i, at::TensorList list);
  bool put(const ArgumentKind* kinds, uint16_t i, const at::ITensorListRef& list);
  bool put(const ArgumentKind* kinds, uint16_t i, const c10::List<std::optional<at::Tensor>>& list);
  bool put(const ArgumentKind* kinds, uint16_t i, const at::Scalar& x);
  bool put(const ArgumentKind* kinds, uint16_t i, at::ArrayRef<at::Scalar> list);
  bool put(const ArgumentKind* kinds, uint16_t i, at::IntArrayRef list);
  bool put(const ArgumentKind* kinds, uint16_t i, std::string_view text);
  bool put(const ArgumentKind* kinds, uint16_t i, const at::Generator& generator);
  bool put(const ArgumentKind* kinds, uint16_t i, bool x) { return put_integer(begin(kinds, i), FL_TAG_BOOL, x); }
  bool put(const ArgumentKind* kinds, uint16_t i, int64_t x) { return put_integer(begin(kinds, i), FL_TAG_INT, x); }
  bool put(const ArgumentKind* kinds, uint16_t i, double x) {
    fl_value& v = begin(kinds, i);
    v.tag = FL_TAG_DOUBLE;
    v.u.d = x;
    return true;
  }
  bool put(const ArgumentKind* kinds, uint16_t i, at::ScalarType x) {
    return put_integer(begin(kinds, i), FL_TAG_INT, to_dtype(x));
  }
  bool put(const ArgumentKind* kinds, uint16_t i, const c10::SymInt& x) {
    auto known = x.maybe_as_int();
    return known && put(kinds, i, *known);
  }
  bool put(const ArgumentKind* kinds, uint16_t i, c10::SymIntArrayRef list) {
    auto known = c10::asIntArrayRefSlowOpt(list);
    return known && put(kinds, i, *known);
  }
  bool put(const ArgumentKind* kinds, uint16_t i, at::OptionalIntArrayRef list) {
    return list ? put(kinds, i, *list) : put_none(kinds, i);
  }
  template <size_t N>
  bool put(const ArgumentKind* kinds, uint16_t i, const std::array<bool, N>& list) {
    int64_t* ints = reserve_ints(N);
    std::copy(list.begin(), list.end(), ints);
    put(kinds, i, at::IntArrayRef(ints, N));
    values[i].tag = FL_TAG_BOOLS;
    return true;
  }
  template <class T>
  bool put(const ArgumentKind* kinds, uint16_t i, const std::optional<T>& x) {
    return x ? put(kinds, i, *x) : put_none(kinds, i);
  }

 private:
  fl_tensor tensors_[kTensors];
  int tensor_count_ = 0;
  int64_t ints_[kInts];
  int int_count_ = 0;
  struct Lists {  // what has no room above
    std::vector<std::vector<fl_tensor>> tensors;
    std::vector<std::vector<int64_t>> ints;
    std::vector<std::vector<double>> doubles;
    std::vector<std::vector<fl_value>> scalars;
    std::list<std::string> strings;
  };
  std::unique_ptr<Lists> lists_;

  fl_value& begin(const ArgumentKind* kinds, uint16_t i) {
    fl_value& v = values[i];
    v.scalar = kinds[i] == ArgumentKind::kScalar;
    v.count = 0;
    return v;
  }
  bool put_integer(fl_value& v, fl_tag tag, int64_t x) {
    v.tag = tag;
    v.u.i = x;
    return true;
  }
  bool put_none(const ArgumentKind* kinds, uint16_t i) {
    begin(kinds, i).tag = FL_TAG_NONE;
    return true;
  }

  void see_device(const at::Tensor& t);
  void put_tensor(fl_value& v, const at::Tensor& t);
  void put_list(fl_value& v, const c10::IValue& x);
  void put_other(fl_value& v, const c10::IValue& x);
  Lists& lists() {
    if (!lists_) lists_ = std::make_unique<Lists>();
    return *lists_;
  }
  int64_t* reserve_ints(size_t n);
  fl_tensor* reserve_tensors(size_t n);  // zeroed, which means undefined
};

}  // namespace bridge
