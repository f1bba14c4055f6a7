// What the bridge's files share: the engine's table, conversions between PyTorch's and the engine's terms, errors.
//
// The bridge decides nothing: it describes arguments (fl_value), asks the engine what the results are, allocates or
// resizes tensors, and lets the engine run.
#pragma once

#include "eager/engine.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/GeneratorForPrivateuseone.h>
#include <c10/core/Allocator.h>
#include <string>
#include <vector>

namespace bridge {

constexpr auto kTpu = c10::DeviceType::PrivateUse1;
constexpr auto kKey = c10::DispatchKey::PrivateUse1;

const fl_engine* engine();
// The opened device; throws if it cannot be opened.
fl_device* device(int index);

// Throws the exception that fits the status's code and frees the status; returns for NULL.
void check(fl_status status, const char* where);

fl_dtype to_dtype(c10::ScalarType type);  // FL_DTYPE_NONE: the engine has no such type
c10::ScalarType to_scalar_type(fl_dtype dtype);

// current device of this thread
c10::DeviceIndex current_device();
void set_current_device(c10::DeviceIndex index);
// This thread's current stream of a device, and any stream, as the engine numbers them.
int current_stream(c10::DeviceIndex index);
int stream_number(c10::StreamId id);

// allocator.cpp
c10::Allocator* allocator();
// The buffer of a storage's data pointer and the distance of the pointer from its start; {NULL, 0} for an empty one.
std::pair<fl_buffer*, int64_t> buffer_of(const c10::DataPtr& pointer);
c10::DataPtr own(fl_buffer* buffer, c10::DeviceIndex index);       // takes the buffer
fl_buffer* allocate_buffer(size_t bytes, c10::DeviceIndex index);  // for the current stream
void record_stream(const c10::DataPtr& pointer, const c10::Stream& stream);

// generator.cpp
fl_generator* generator_state(const at::Generator& generator);
const at::Generator& default_generator(c10::DeviceIndex index);
at::Generator new_generator(c10::DeviceIndex index);

// mode.cpp
// Contexts of this thread, and of what autograd runs on other threads for it.
void enter_mode(int mode);
void leave_mode();
void inherit_mode();  // this thread works on behalf of another one from now on, or no longer

// precision.cpp
void register_precision();
void enter_precision(int precision);  // an fl_precision_asked
void leave_precision();

// tensors.cpp
// `layout` NULL: dense row-major.
at::Tensor empty_like_type(const fl_type& type, const fl_layout* layout, c10::DeviceIndex index, fl_buffer** out_buffer);
void resize_storage(const c10::Storage& storage, size_t bytes);

// arguments.cpp
void describe(fl_tensor* out, const at::Tensor& tensor);

// trampoline.cpp
// Calls operator `name` with tensor and number arguments; `written` are the positions of written ones. No fresh results.
void call_operator(int op, const fl_value* args, uint32_t count, const uint16_t* written, uint32_t written_count, int device);
// Registers a kernel for every operator of the engine's table; throws if a name is not PyTorch's. Call once.
void register_operators();
fl_value value_of(const fl_tensor* tensor);
fl_value value_of(int64_t i);

// fallback.cpp
// Runs the operator on the host if that was asked for, else throws; `why` says what the engine has against it.
void host_fallback(const c10::OperatorHandle& op, std::vector<c10::IValue>* stack, const std::string& why);
bool fallback_enabled();
void set_fallback(bool on);
std::string fallback_counts();
void reset_fallback_counts();

}  // namespace bridge
