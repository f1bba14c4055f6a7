// The part of Python's stable interface that the bridge calls, and what it needs of PyTorch's Python library. Declared here, so
// that a build needs no headers of Python, and one library serves every version from 3.10 on.
#pragma once

#include <ATen/core/Tensor.h>

struct _object;
struct _typeobject;
using PyObject = _object;

extern "C" {
typedef PyObject* (*PyCFunction)(PyObject* self, PyObject* argument);
struct PyMethodDef {
  const char* name;
  PyCFunction function;
  int flags;
  const char* doc;
};
constexpr int METH_O = 0x0008;

void Py_IncRef(PyObject*);
void Py_DecRef(PyObject*);
PyObject* PyObject_Type(PyObject*);
PyObject* PyObject_GetAttrString(PyObject*, const char*);
PyObject* PyObject_CallObject(PyObject*, PyObject* tuple);
PyObject* PyObject_Str(PyObject*);
int PyObject_IsInstance(PyObject*, PyObject* type);
int PyObject_IsTrue(PyObject*);
PyObject* PyCFunction_NewEx(PyMethodDef*, PyObject* self, PyObject* module);
PyObject* PyCapsule_New(void*, const char* name, void (*destructor)(PyObject*));
void* PyCapsule_GetPointer(PyObject*, const char* name);
ssize_t PyList_Size(PyObject*);
PyObject* PyList_GetItem(PyObject*, ssize_t);  // borrowed
PyObject* PyList_New(ssize_t);
int PyList_SetItem(PyObject*, ssize_t, PyObject*);  // takes the item
int PyList_SetSlice(PyObject*, ssize_t, ssize_t, PyObject*);
ssize_t PyTuple_Size(PyObject*);
PyObject* PyTuple_GetItem(PyObject*, ssize_t);  // borrowed
PyObject* PyTuple_New(ssize_t);
int PyTuple_SetItem(PyObject*, ssize_t, PyObject*);  // takes the item
ssize_t PySequence_Size(PyObject*);
PyObject* PySequence_GetItem(PyObject*, ssize_t);
PyObject* PyDict_GetItem(PyObject*, PyObject* key);  // borrowed; NULL without an error when it is not there
PyObject* PyDict_GetItemString(PyObject*, const char* key);
PyObject* PyLong_FromLongLong(long long);
long long PyLong_AsLongLong(PyObject*);
unsigned long long PyLong_AsUnsignedLongLong(PyObject*);
PyObject* PyFloat_FromDouble(double);
double PyFloat_AsDouble(PyObject*);
PyObject* PyBool_FromLong(long);
double PyComplex_RealAsDouble(PyObject*);
double PyComplex_ImagAsDouble(PyObject*);
PyObject* PyUnicode_FromStringAndSize(const char*, ssize_t);
const char* PyUnicode_AsUTF8AndSize(PyObject*, ssize_t*);
PyObject* PyErr_Occurred(void);
void PyErr_SetString(PyObject* type, const char* message);
extern PyObject _Py_NoneStruct;
extern _typeobject PyBool_Type, PyLong_Type, PyFloat_Type, PyComplex_Type, PyUnicode_Type, PyList_Type, PyTuple_Type;
extern PyObject *PyExc_RuntimeError, *PyExc_ValueError, *PyExc_TypeError, *PyExc_IndexError, *PyExc_NotImplementedError;
}

// libtorch_python.so
PyObject* THPVariable_Wrap(at::TensorBase&& tensor);
extern PyObject* THPVariableClass;

namespace bridge {

// A reference that is given back.
class Held {
  PyObject* object_;

 public:
  explicit Held(PyObject* object = nullptr) : object_(object) {}
  Held(Held&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Held() {
    if (object_) Py_DecRef(object_);
  }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  static Held share(PyObject* object) {
    Py_IncRef(object);
    return Held(object);
  }
};

// A Python error is set already; it goes to the caller as it is.
struct PythonError {};

// python_convert.cpp
// Where a Python tensor keeps its at::Tensor, and the exception for want of memory.
void learn(PyObject* tensor, PyObject* impl_address, PyObject* out_of_memory);
const at::Tensor& tensor_of(PyObject* object);                // of torch.Tensor or a subclass
bool is_exactly(PyObject* object, const _typeobject& type);
std::string text_of(PyObject* object);
PyObject* python_number(const c10::IValue& value);  // ints, floats, bools, None, strings
c10::IValue number_of(PyObject* object);            // the same; throws for others
void set_python_error() noexcept;                   // from the exception that is being handled

}  // namespace bridge
