#include "bridge.h"

#include "flambeau.h"

#include <c10/util/Exception.h>

#include "watch.h"

namespace bridge {

const fl_engine* engine() {
  static const fl_engine* table = [] {
    const fl_engine* t = fl_engine_get(FL_ENGINE_VERSION);
    TORCH_CHECK(t, "tpu: the engine is older than this bridge: expected version ", FL_ENGINE_VERSION);
    return t;
  }();
  return table;
}

fl_device* device(int index) {
  fl_device* d = nullptr;
  check(engine()->device_get(index, &d), nullptr);
  return d;
}

void check(fl_status status, const char* where) {
  if (C10_LIKELY(!status)) return;
  fl_code code = engine()->status_code(status);
  std::string message = std::string("tpu: ") + (where ? std::string(where) + ": " : "") + engine()->status_message(status);
  engine()->status_free(status);
  message = explain_failure(std::move(message), where);
  static const std::string no_factors = "LinAlgError: ";  // FL_NO_FACTORS
  if (auto at = message.find(no_factors); code == FL_INVALID && at != std::string::npos)
    TORCH_CHECK_LINALG(false, message.erase(at, no_factors.size()));
  switch (code) {
    case FL_VALUE:
      TORCH_CHECK_VALUE(false, message);
    case FL_TYPE:
      TORCH_CHECK_TYPE(false, message);
    case FL_INDEX:
      TORCH_CHECK_INDEX(false, message);
    case FL_OOM:
      TORCH_CHECK_WITH(OutOfMemoryError, false, message, largest_tensors(current_device()));
    case FL_UNSUPPORTED:
      TORCH_CHECK_NOT_IMPLEMENTED(false, message);
    default:
      TORCH_CHECK(false, message);
  }
}

#define FL_TYPES(X)                                                                                                            \
  X(Byte, U8)                                                                                                                  \
  X(Char, I8)                                                                                                                  \
  X(Short, I16) X(Int, I32) X(Long, I64) X(Half, F16) X(Float, F32) X(Double, F64) X(ComplexFloat, C64) X(ComplexDouble, C128) \
      X(Bool, I1) X(BFloat16, BF16) X(UInt16, U16) X(UInt32, U32) X(UInt64, U64) X(Float8_e5m2, F8E5M2)                        \
          X(Float8_e4m3fn, F8E4M3FN) X(Float8_e5m2fnuz, F8E5M2FNUZ) X(Float8_e4m3fnuz, F8E4M3FNUZ) X(Float8_e8m0fnu, F8E8M0FNU)

fl_dtype to_dtype(c10::ScalarType type) {
  switch (type) {
#define X(torch_name, name)         \
  case c10::ScalarType::torch_name: \
    return FL_##name;
    FL_TYPES(X)
#undef X
    default:
      return FL_DTYPE_NONE;
  }
}

c10::ScalarType to_scalar_type(fl_dtype dtype) {
  switch (dtype) {
#define X(torch_name, name) \
  case FL_##name:           \
    return c10::ScalarType::torch_name;
    FL_TYPES(X)
#undef X
    default:
      return c10::ScalarType::Undefined;
  }
}

}  // namespace bridge
