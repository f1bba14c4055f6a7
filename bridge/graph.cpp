// The template of a compiled graph: from FX nodes to operators that are called again for every new size.
#include "graph_plan.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ScalarOps.h>

namespace bridge {
namespace {

using c10::IValue;

// What the arguments are converted with.
struct Names {
  PyObject* places;
  PyObject* constants;
};

Operand::Want want_of(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return Operand::kTensor;
    case c10::TypeKind::OptionalType:
      return type->castRaw<c10::OptionalType>()->getElementType()->kind() == c10::TypeKind::TensorType
                 ? Operand::kOptionalTensor
                 : want_of(type->castRaw<c10::OptionalType>()->getElementType());
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return Operand::kInt;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType:
      return Operand::kDouble;
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType:
      return Operand::kBool;
    case c10::TypeKind::NumberType:
      return Operand::kScalar;
    default:
      return Operand::kAny;
  }
}

IValue coerce(IValue value, Operand::Want want) {
  switch (want) {
    case Operand::kTensor:
    case Operand::kOptionalTensor:
      if (value.isTensor() || value.isNone()) return value;
      return at::native::wrapped_scalar_tensor(value.toScalar());
    case Operand::kInt:
      return value.isBool() ? IValue(static_cast<int64_t>(value.toBool())) : value;
    case Operand::kDouble:
      return value.isInt() ? IValue(static_cast<double>(value.toInt())) : value;
    case Operand::kBool:
      return value.isInt() ? IValue(value.toInt() != 0) : value;
    default:
      return value;
  }
}

template <typename T, typename F>
IValue list_of(const std::vector<IValue>& items, F take) {
  c10::List<T> list;
  list.reserve(items.size());
  for (const auto& item : items) list.push_back(take(item));
  return list;
}

IValue make_list(const std::vector<IValue>& items, Operand::Want want) {
  using std::optional;
  switch (want) {
    case Operand::kTensor:
      return list_of<at::Tensor>(items, [](const IValue& v) { return v.toTensor(); });
    case Operand::kOptionalTensor:
      return list_of<optional<at::Tensor>>(
          items, [](const IValue& v) { return v.isNone() ? optional<at::Tensor>() : optional<at::Tensor>(v.toTensor()); });
    case Operand::kInt:
      return list_of<int64_t>(items, [](const IValue& v) { return v.toInt(); });
    case Operand::kDouble:
      return list_of<double>(items, [](const IValue& v) { return v.toDouble(); });
    case Operand::kBool:
      return list_of<bool>(items, [](const IValue& v) { return v.toBool(); });
    case Operand::kScalar:
      return list_of<at::Scalar>(items, [](const IValue& v) { return v.toScalar(); });
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "tpu: a compiled graph has a list argument of a kind that is not known");
  }
}

bool is_sequence(PyObject* object) {
  return PyObject_IsInstance(object, reinterpret_cast<PyObject*>(&PyList_Type)) == 1 ||
         PyObject_IsInstance(object, reinterpret_cast<PyObject*>(&PyTuple_Type)) == 1;
}

// A constant that is no sequence: number, string, tensor, dtype, layout, memory format or device.
IValue constant_of(PyObject* object, const c10::TypePtr& type, const Names& names) {
  if (object == &_Py_NoneStruct) return {};
  for (const auto* number : {&PyLong_Type, &PyFloat_Type, &PyBool_Type, &PyUnicode_Type, &PyComplex_Type})
    if (is_exactly(object, *number)) {
      IValue value = number_of(object);
      auto kind = type->kind() == c10::TypeKind::OptionalType ? type->castRaw<c10::OptionalType>()->getElementType()->kind()
                                                              : type->kind();
      if (value.isString() && kind == c10::TypeKind::DeviceObjType) return c10::Device(value.toStringRef());
      return value;
    }
  if (PyObject* found = PyDict_GetItem(names.constants, object))
    return PyObject_IsInstance(found, THPVariableClass) == 1 ? IValue(tensor_of(found)) : number_of(found);
  if (PyObject_IsInstance(object, THPVariableClass) == 1) return tensor_of(object);
  return c10::Device(text_of(object));
}

Operand convert(PyObject* object, const c10::TypePtr& type, std::optional<int32_t> length, const Names& names);

Operand convert_list(PyObject* object, const c10::TypePtr& element, std::optional<int32_t> length, const Names& names) {
  Operand result;
  result.kind = Operand::kList;
  result.want = want_of(element);
  if (is_sequence(object)) {
    for (ssize_t i = 0, n = PySequence_Size(object); i < n; i++) {
      Held item(PySequence_GetItem(object, i));
      result.items.push_back(convert(item.get(), element, {}, names));
    }
  } else {  // one number for all
    for (int32_t i = 0; i < length.value_or(1); i++) result.items.push_back(convert(object, element, {}, names));
  }
  for (const auto& item : result.items)
    if (item.kind != Operand::kConstant) return result;
  std::vector<IValue> items;
  for (const auto& item : result.items) items.push_back(item.constant);
  Operand constant;
  constant.constant = make_list(items, result.want);
  return constant;
}

Operand convert(PyObject* object, const c10::TypePtr& type, std::optional<int32_t> length, const Names& names) {
  Operand result;
  result.want = want_of(type);
  if (!is_sequence(object)) {
    if (PyObject* place = PyDict_GetItem(names.places, object)) {
      result.kind = Operand::kValue;
      result.value = static_cast<int>(PyLong_AsLongLong(place));
      return result;
    }
  }
  const c10::Type* plain = type.get();
  if (const auto* optional = type->castRaw<c10::OptionalType>()) plain = optional->getElementType().get();
  const auto* list = plain->castRaw<c10::ListType>();
  if (list && object != &_Py_NoneStruct) return convert_list(object, list->getElementType(), length, names);
  TORCH_CHECK_NOT_IMPLEMENTED(!is_sequence(object), "tpu: a compiled graph gives a list where an operator takes ", type->str());
  result.constant = coerce(constant_of(object, type, names), result.want);
  return result;
}

c10::OperatorHandle find_operator(PyObject* target) {
  Held name(PyObject_GetAttrString(target, "_name"));
  if (!name.get()) throw PythonError{};
  std::string full = text_of(name.get());
  auto dot = full.find('.');
  c10::OperatorName parts(full.substr(0, dot), dot == std::string::npos ? "" : full.substr(dot + 1));
  return c10::Dispatcher::singleton().findSchemaOrThrow(parts.name.c_str(), parts.overload_name.c_str());
}

void convert_arguments(Step& step, PyObject* args, PyObject* kwargs, const Names& names) {
  const auto& arguments = step.op->schema().arguments();
  auto given = static_cast<size_t>(PyTuple_Size(args));
  TORCH_CHECK(given <= arguments.size(), "tpu: too many arguments for ", step.op->schema().name());
  for (size_t i = 0; i < arguments.size(); i++) {
    const auto& a = arguments[i];
    PyObject* object =
        i < given ? PyTuple_GetItem(args, static_cast<ssize_t>(i)) : PyDict_GetItemString(kwargs, a.name().c_str());
    if (object) {
      step.operands.push_back(convert(object, a.real_type(), a.N(), names));
      continue;
    }
    TORCH_CHECK(a.default_value(), "tpu: ", step.op->schema().name(), " lacks argument ", a.name());
    step.operands.emplace_back();
    step.operands.back().constant = *a.default_value();
  }
}

// Arguments of a function on numbers, or of getitem.
void convert_numbers(Step& step, PyObject* args, const Names& names) {
  for (ssize_t i = 0, n = PyTuple_Size(args); i < n; i++)
    step.operands.push_back(convert(PyTuple_GetItem(args, i), c10::AnyType::get(), {}, names));
}

Step make_step(PyObject* described, const Names& names) {
  static const auto view = c10::Dispatcher::singleton().findSchemaOrThrow("aten::view", "").operator_name();
  PyObject* target = PyTuple_GetItem(described, 0);
  PyObject *args = PyTuple_GetItem(described, 1), *kwargs = PyTuple_GetItem(described, 2);
  PyObject* state = PyTuple_GetItem(described, 3);
  Step step{Step::kOperator, {}, Held(), {}, {}, {}};
  if (target == &_Py_NoneStruct) {
    step.kind = Step::kGetItem;
    convert_numbers(step, args, names);
  } else if (kwargs == &_Py_NoneStruct) {
    step.kind = Step::kPython;
    step.function = Held::share(target);
    convert_numbers(step, args, names);
  } else {
    step.op = find_operator(target);
    if (step.op->operator_name() == view) step.kind = Step::kView;
    if (state != &_Py_NoneStruct) step.kind = is_exactly(state, PyBool_Type) ? Step::kSaveRandom : Step::kWithRandom;
    if (step.kind == Step::kWithRandom) step.state = convert(state, c10::AnyType::get(), {}, names);
    convert_arguments(step, args, kwargs, names);
  }
  return step;
}

Output make_output(PyObject* described, const Names& names) {
  Output out{convert(PyTuple_GetItem(described, 0), c10::AnyType::get(), {}, names), false, {}};
  PyObject* strides = PyTuple_GetItem(described, 1);
  out.has_strides = strides != &_Py_NoneStruct;
  for (ssize_t i = 0; out.has_strides && i < PyTuple_Size(strides); i++)
    out.strides.push_back(PyLong_AsLongLong(PyTuple_GetItem(strides, i)));
  return out;
}

template <typename F>
void each_value(const Operand& operand, F f) {
  if (operand.kind == Operand::kValue) f(operand.value);
  for (const auto& item : operand.items) each_value(item, f);
}

IValue call_python(const Step& step, const std::vector<IValue>& numbers) {
  Held args(PyTuple_New(static_cast<ssize_t>(numbers.size())));
  for (size_t i = 0; i < numbers.size(); i++) PyTuple_SetItem(args.get(), static_cast<ssize_t>(i), python_number(numbers[i]));
  Held result(PyObject_CallObject(step.function.get(), args.get()));
  if (!result.get()) throw PythonError{};
  return number_of(result.get());
}

// A view that eager code could take may need a copy here, where a kernel's result lies differently than its fake tensor did.
void reshape_where_needed(std::vector<IValue>& stack) {
  at::Tensor x = stack[0].toTensor();
  stack = {at::reshape(x, stack[1].toIntVector())};
}

// (state, results): the state is a tensor of the host that stands for it while recording.
void save_random(const Step& step, std::vector<IValue>& stack, fl_trace* trace, States& states) {
  uint64_t now[2], none[2];
  recorder()->random(trace, 0, 0, now);
  recorder()->random(trace, now[0], now[1], none);
  at::Tensor state = at::zeros({16}, at::kByte);
  step.op->callBoxed(stack);
  states[state.storage().unsafeGetStorageImpl()] = now[1];
  IValue result = stack.size() == 1 ? stack[0] : IValue(c10::ivalue::Tuple::create(stack));
  stack = {state, result};
}

void draw_with(const Step& step, std::vector<IValue>& stack, fl_trace* trace, uint64_t state) {
  uint64_t before[2], after[2];
  recorder()->random(trace, state, 0, before);
  step.op->callBoxed(stack);
  recorder()->random(trace, before[0], before[1], after);
}

}  // namespace

Template::Template(const std::string& letters, PyObject* described, PyObject* results, PyObject* places, PyObject* constants)
    : kinds(letters) {
  const Names names{places, constants};
  auto n = PyList_Size(described);
  steps.reserve(static_cast<size_t>(n));
  for (ssize_t i = 0; i < n; i++) {
    steps.push_back(make_step(PyList_GetItem(described, i), names));
    if (steps.back().op && steps.back().op->schema().name().find("as_strided") != std::string::npos) uses_storage_offsets = true;
  }
  for (ssize_t i = 0; i < PyList_Size(results); i++) outputs.push_back(make_output(PyList_GetItem(results, i), names));
  find_last_uses();
}

void Template::find_last_uses() {
  std::vector<int> last(kinds.size() + steps.size(), -1);
  for (size_t s = 0; s < steps.size(); s++) {
    last[kinds.size() + s] = static_cast<int>(s);
    each_value(steps[s].state, [&](int v) { last[static_cast<size_t>(v)] = static_cast<int>(s); });
    for (const auto& o : steps[s].operands) each_value(o, [&](int v) { last[static_cast<size_t>(v)] = static_cast<int>(s); });
  }
  for (const auto& o : outputs) each_value(o.operand, [&](int v) { last[static_cast<size_t>(v)] = -1; });
  for (size_t v = kinds.size(); v < last.size(); v++)
    if (last[v] >= 0) steps[static_cast<size_t>(last[v])].last.push_back(static_cast<int>(v));
}

c10::IValue Template::resolve(const Operand& operand, const Values& values) const {
  if (operand.kind == Operand::kConstant) return operand.constant;
  if (operand.kind == Operand::kValue) return coerce(values[static_cast<size_t>(operand.value)], operand.want);
  std::vector<IValue> items;
  for (const auto& item : operand.items) items.push_back(resolve(item, values));
  return make_list(items, operand.want);
}

void Template::replay(Values& values, fl_trace* trace, States& states) const {
  // below autograd, autocast and whatever Python's modes would do: the graph says it all already
  c10::impl::ExcludeDispatchKeyGuard below(
      c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset |
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot, c10::DispatchKey::Functionalize}));
  std::vector<IValue> stack;
  values.reserve(values.size() + steps.size());
  failed_step = 0;
  for (const Step& step : steps) {
    stack.clear();
    for (const auto& o : step.operands) stack.push_back(resolve(o, values));
    if (step.kind == Step::kPython) {
      values.push_back(call_python(step, stack));
    } else if (step.kind == Step::kGetItem) {
      auto index = static_cast<size_t>(stack[1].toInt());
      values.push_back(stack[0].isTuple() ? stack[0].toTupleRef().elements()[index] : stack[0].toListRef()[index]);
    } else {
      if (step.kind == Step::kView) reshape_where_needed(stack);
      else if (step.kind == Step::kOperator) step.op->callBoxed(stack);
      else if (step.kind == Step::kSaveRandom) save_random(step, stack, trace, states);
      else draw_with(step, stack, trace, static_cast<uint64_t>(resolve(step.state, values).toInt()));
      if (stack.size() == 1) values.push_back(std::move(stack[0]));
      else values.push_back(stack.empty() ? IValue() : IValue(c10::ivalue::Tuple::create(std::move(stack))));
    }
    for (int v : step.last) values[static_cast<size_t>(v)] = IValue();
    failed_step++;
  }
  failed_step = -1;
}

}  // namespace bridge
