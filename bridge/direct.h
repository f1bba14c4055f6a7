// Kernels that are called as PyTorch's C++ interface calls operators: without boxing the arguments. A boxed tensor is another reference
// to it, and PyTorch takes Python's lock for the second reference to a tensor that Python holds.
#pragma once

#include "kernel.h"

#include <memory>
#include <string>

namespace bridge {

// Registers the kernel under the operator's C++ signature, where the table of direct.cpp knows it, and tells whether it does. What the
// engine has not seen yet, or needs more than a launch, goes on to the boxed kernel.
bool register_direct(const c10::OperatorHandle& handle, std::unique_ptr<Kernel>& kernel);

}  // namespace bridge
