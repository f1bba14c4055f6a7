// Compiled graphs for the Python package: two functions, and callables that they make.
#include "graph.h"

namespace bridge {
namespace {

constexpr const char* kName = "torch_tpu.graph";

Graph* graph_of(PyObject* capsule) {
  auto* graph = static_cast<Graph*>(PyCapsule_GetPointer(capsule, kName));
  if (!graph) throw PythonError{};
  return graph;
}

template <typename F>
PyObject* guarded(F f) noexcept {
  try {
    return f();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

PyObject* python_text(const std::string& text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<ssize_t>(text.size()));
}

PyObject* call(PyObject* self, PyObject* list) {
  return guarded([=] {
    TORCH_CHECK_TYPE(is_exactly(list, PyList_Type), "tpu: a compiled graph takes one list of its inputs");
    return graph_of(self)->call(list);
  });
}

PyObject* texts(PyObject* self, PyObject*) {
  return guarded([=] { return python_text(graph_of(self)->texts()); });
}

PyObject* statistics(PyObject* self, PyObject*) {
  return guarded([=] { return python_text(graph_of(self)->statistics()); });
}

PyMethodDef g_methods[] = {
    {"call", call, METH_O, "Run on a list of inputs, which is emptied; returns the list of results."},
    {"texts", texts, METH_O, "StableHLO of the programs, where they are kept; the argument is ignored."},
    {"statistics", statistics, METH_O, "Calls, programs and times as JSON; the argument is ignored."},
};

void destroy(PyObject* capsule) { delete static_cast<Graph*>(PyCapsule_GetPointer(capsule, kName)); }

// (name, device, keep programs, kinds, steps, outputs, places, constants): see Template; (probe, limit): see Buckets, or None
PyObject* make(PyObject* described) {
  auto item = [=](ssize_t i) {
    PyObject* object = PyTuple_GetItem(described, i);
    if (!object) throw PythonError{};
    return object;
  };
  auto from = std::make_unique<Template>(text_of(item(3)), item(4), item(5), item(6), item(7));
  std::unique_ptr<Buckets> buckets;
  if (PyObject* given = item(8); given != &_Py_NoneStruct)
    buckets = std::make_unique<Buckets>(Held::share(PyTuple_GetItem(given, 0)), PyLong_AsLongLong(PyTuple_GetItem(given, 1)));
  auto graph = std::make_unique<Graph>(text_of(item(0)), static_cast<int>(PyLong_AsLongLong(item(1))),
                                       PyObject_IsTrue(item(2)) == 1, std::move(from), std::move(buckets));
  Held capsule(PyCapsule_New(graph.release(), kName, destroy));
  if (!capsule.get()) throw PythonError{};
  constexpr ssize_t n = std::size(g_methods);
  Held functions(PyTuple_New(n));
  for (ssize_t i = 0; i < n; i++) {
    PyObject* function = PyCFunction_NewEx(&g_methods[i], capsule.get(), nullptr);
    if (!function) throw PythonError{};
    PyTuple_SetItem(functions.get(), i, function);
  }
  return functions.release();
}

}  // namespace
}  // namespace bridge

// For ctypes.PyDLL: they run with Python's lock, and a NULL result means that a Python error is set.

// Tells where Python tensors keep what they wrap (an example, and the address in its _cdata), and torch.OutOfMemoryError.
extern "C" __attribute__((visibility("default"))) PyObject* flb_graph_setup(PyObject* tensor, PyObject* impl_address,
                                                                            PyObject* out_of_memory) {
  return bridge::guarded([=]() -> PyObject* {
    bridge::learn(tensor, impl_address, out_of_memory);
    Py_IncRef(&_Py_NoneStruct);
    return &_Py_NoneStruct;
  });
}

// A compiled graph as a tuple of functions (call, texts, statistics).
extern "C" __attribute__((visibility("default"))) PyObject* flb_graph_make(PyObject* described) {
  return bridge::guarded([=] { return bridge::make(described); });
}
