// Between Python objects and PyTorch's values.
#include "python.h"

#include "bridge.h"

#include <ATen/core/ivalue.h>

#include <c10/util/Exception.h>

namespace bridge {
namespace {

size_t g_offset;  // of the at::Tensor in a Python tensor
PyObject* g_out_of_memory;

const char* utf8(PyObject* object, ssize_t* size) {
  const char* text = PyUnicode_AsUTF8AndSize(object, size);
  if (!text) throw PythonError{};
  return text;
}

}  // namespace

// The head of every Python object is two words, or four in builds without the global lock.
void learn(PyObject* tensor, PyObject* impl_address, PyObject* out_of_memory) {
  Py_IncRef(out_of_memory);
  g_out_of_memory = out_of_memory;
  auto impl = PyLong_AsUnsignedLongLong(impl_address);
  auto* words = reinterpret_cast<const uint64_t*>(tensor);
  for (size_t i = 2; i <= 4; i += 2)
    if (words[i] == impl) g_offset = i * sizeof *words;
  TORCH_CHECK(g_offset, "tpu: this Python lays tensors out in a way that the bridge does not know");
}

const at::Tensor& tensor_of(PyObject* object) {
  TORCH_CHECK_TYPE(PyObject_IsInstance(object, THPVariableClass) == 1, "tpu: expected a tensor, got ", text_of(object));
  return *reinterpret_cast<const at::Tensor*>(reinterpret_cast<const char*>(object) + g_offset);
}

bool is_exactly(PyObject* object, const _typeobject& type) {
  Held held(PyObject_Type(object));
  return held.get() == reinterpret_cast<const PyObject*>(&type);
}

std::string text_of(PyObject* object) {
  ssize_t size;
  if (is_exactly(object, PyUnicode_Type)) {
    const char* text = utf8(object, &size);
    return {text, static_cast<size_t>(size)};
  }
  Held text(PyObject_Str(object));
  if (!text.get()) throw PythonError{};
  const char* data = utf8(text.get(), &size);
  return {data, static_cast<size_t>(size)};
}

PyObject* python_number(const c10::IValue& value) {
  if (value.isInt()) return PyLong_FromLongLong(value.toInt());
  if (value.isBool()) return PyBool_FromLong(value.toBool());
  if (value.isDouble()) return PyFloat_FromDouble(value.toDouble());
  if (value.isString()) return PyUnicode_FromStringAndSize(value.toStringRef().data(), value.toStringRef().size());
  TORCH_CHECK(value.isNone(), "tpu: a compiled graph cannot return or compute with a ", value.tagKind());
  Py_IncRef(&_Py_NoneStruct);
  return &_Py_NoneStruct;
}

c10::IValue number_of(PyObject* object) {
  if (object == &_Py_NoneStruct) return {};
  if (is_exactly(object, PyBool_Type)) return PyObject_IsTrue(object) == 1;
  if (is_exactly(object, PyFloat_Type)) return PyFloat_AsDouble(object);
  if (is_exactly(object, PyUnicode_Type)) return text_of(object);
  if (is_exactly(object, PyComplex_Type))
    return c10::complex<double>(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
  TORCH_CHECK_TYPE(PyObject_IsInstance(object, reinterpret_cast<PyObject*>(&PyLong_Type)) == 1,
                   "tpu: expected a number in a compiled graph, got ", text_of(object));
  int64_t value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred()) throw PythonError{};
  return value;
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (const c10::OutOfMemoryError& e) {
    PyErr_SetString(g_out_of_memory, e.what_without_backtrace());
  } catch (const c10::NotImplementedError& e) {
    PyErr_SetString(PyExc_NotImplementedError, e.what_without_backtrace());
  } catch (const c10::IndexError& e) {
    PyErr_SetString(PyExc_IndexError, e.what_without_backtrace());
  } catch (const c10::ValueError& e) {
    PyErr_SetString(PyExc_ValueError, e.what_without_backtrace());
  } catch (const c10::TypeError& e) {
    PyErr_SetString(PyExc_TypeError, e.what_without_backtrace());
  } catch (const c10::Error& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what_without_backtrace());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "tpu: unknown C++ exception");
  }
}

}  // namespace bridge
