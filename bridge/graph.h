// Compiled graphs: operators in the order of an FX graph, with sizes left open (Template); one executable for each set of
// sizes and strides that its inputs had (Plan).
#pragma once

#include "bridge.h"
#include "python.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <unordered_map>
#include <vector>

typedef struct fl_trace fl_trace;
typedef struct fl_wide fl_wide;

namespace bridge {

// An argument of an operator: a constant, a value computed before, or a list of such.
struct Operand {
  enum Kind : uint8_t { kConstant, kValue, kList };
  enum Want : uint8_t { kAny, kTensor, kOptionalTensor, kInt, kDouble, kBool, kScalar };
  Kind kind = kConstant;
  Want want = kAny;  // of lists: of the elements
  int value = -1;
  c10::IValue constant;
  std::vector<Operand> items;
};

struct Step {
  enum Kind : uint8_t { kOperator, kView, kGetItem, kPython, kSaveRandom, kWithRandom };
  Kind kind;
  std::optional<c10::OperatorHandle> op;
  Held function;  // PYTHON: computes with numbers
  Operand state;  // WITH_RANDOM: of the random generator
  std::vector<Operand> operands;
  std::vector<int> last;  // values that no later step needs
};

struct Output {
  Operand operand;
  bool has_strides = false;
  std::vector<int64_t> strides;  // that the caller expects
};

using States = std::unordered_map<const c10::StorageImpl*, uint64_t>;
using Values = std::vector<c10::IValue>;

class Template {
 public:
  // kinds: one letter an input: t tensor, n number, r state of a random generator (16 bytes, a tensor of the host), - neither
  // used nor looked at. `steps`: list of (target, args, kwargs, state), where state is None, True to have the generator's
  // returned too, or the node of the one to draw from; value i is input i, then come the steps'. `outputs`: list of (argument, strides or None). `places`: {node: value}.
  // `constants`: what nodes, dtypes, layouts and memory formats stand for: tensors and numbers.
  Template(const std::string& kinds, PyObject* steps, PyObject* outputs, PyObject* places, PyObject* constants);
  // Calls all operators on `values`, which holds the inputs (of states: their numbers from 1 on), for a recording. States that
  // are returned are tensors in `states`, with how many blocks the generator is ahead by then.
  void replay(Values& values, fl_trace* trace, States& states) const;
  c10::IValue resolve(const Operand& operand, const Values& values) const;

  std::string kinds;
  std::vector<Step> steps;
  std::vector<Output> outputs;
  mutable int failed_step = -1;       // at which the last replay failed
  bool uses_storage_offsets = false;  // an operator names positions in a storage

 private:
  void find_last_uses();
};

struct Plan;

// Executables for all sizes of a bucket, and which sets of sizes have none. graph_wide.cpp
class Buckets {
 public:
  // `probe`: called with the sizes of the inputs, a tuple a tensor, a number, or None; gives other sizes of the same buckets that
  // the graph allows, in the same form, or None: nothing is open.
  Buckets(Held probe, int64_t limit) : probe_(std::move(probe)), limit_(limit) {}
  ~Buckets();
  // A plan for these inputs; NULL: they need an executable of their own.
  std::unique_ptr<Plan> make_plan(const Template& graph, const std::string& name, int device, bool keep,
                                  c10::ArrayRef<c10::IValue> inputs, uint64_t* record_ns, uint64_t* compile_ns);
  std::string statistics() const;  // JSON

 private:
  bool other_sizes(c10::ArrayRef<c10::IValue> inputs, Values* others) const;
  void refuse(const std::string& why);
  Held probe_;
  int64_t limit_;
  std::vector<fl_wide*> made_;
  uint64_t served_ = 0, exact_ = 0;
  std::vector<std::pair<std::string, uint64_t>> refused_;  // why, and how many sets of sizes
};

class Graph {
 public:
  // `buckets` may be null.
  Graph(std::string name, int device, bool keep, std::unique_ptr<Template> from, std::unique_ptr<Buckets> buckets);
  ~Graph();
  PyObject* call(PyObject* list);  // empties the list
  std::string texts() const;       // of the programs that were kept
  std::string statistics() const;  // JSON

 private:
  Plan* find_plan(c10::ArrayRef<c10::IValue> inputs);
  std::string name_;
  int device_;
  bool keep_;
  std::unique_ptr<Template> template_;
  std::unique_ptr<Buckets> buckets_;
  std::unordered_multimap<uint64_t, std::unique_ptr<Plan>> plans_;
  Plan* recent_ = nullptr;
  uint64_t calls_ = 0, record_ns_ = 0, compile_ns_ = 0;
};

// graph_plan.cpp: records and compiles for inputs like these.
std::unique_ptr<Plan> make_plan(const Template& graph, const std::string& name, int device, bool keep,
                                c10::ArrayRef<c10::IValue> inputs, uint64_t* record_ns, uint64_t* compile_ns);

}  // namespace bridge
