// What is kept of a compiled graph for inputs of certain sizes and strides.
#pragma once

#include "graph.h"

extern "C" {
#include "eager/wide.h"
}

namespace bridge {

// Where a result of the graph comes from: an input itself, memory of an input, new memory, or nowhere (numbers, None, tensors of
// the host that are always the same, and the state that the random generator has at some place in the graph).
struct Result {
  enum Kind : uint8_t { kInput, kInputView, kFresh, kEmpty, kNumber, kHost, kState };
  Kind kind = kNumber;
  int from = 0;        // input or new memory
  c10::IValue number;  // or tensor of the host; of states: how many blocks the generator is ahead
  caffe2::TypeMeta dtype;
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;  // elements, from where the input or the new memory begins
  bool conj = false, neg = false;
};

// How an input is handed to the program.
struct Binding {
  int input;
  bool is_host;        // one element in the host's memory
  bool whole_storage;  // from where the storage begins
};

const fl_recorded_functions* recorder();  // the engine's, for recording and running graphs

struct Plan {
  std::vector<int64_t> key;
  fl_recorded_graph* program = nullptr;
  std::vector<Binding> bindings;  // of the executable's arguments that are inputs
  std::vector<size_t> fresh;      // bytes of new memory, one a result of the executable that was asked for
  std::vector<Result> results;
  bool returns_states = false;
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() { recorder()->release(program); }
};

// The operators of a graph on inputs of certain sizes, which become a plan.
class Recording {
 public:
  Recording(const Template& graph, int device, c10::ArrayRef<c10::IValue> inputs, bool without_gaps);
  ~Recording();
  // Ends it: the plan's program is compiled; or only drafted, and `options` say how it is to be (they refer to this).
  void compile(const std::string& name, bool keep);
  void draft();
  fl_wide_options options(const std::string& name, bool keep, int64_t limit) const;
  fl_recorded_graph* program() const;
  std::unique_ptr<Plan> take();

 private:
  class Recorder;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Recorder> recorder_;
};

uint64_t thread_time();  // processor time of this thread, in nanoseconds: what others do on the machine is not our compilation

}  // namespace bridge
