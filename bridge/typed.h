// Operators with kernels of their own in the bridge, because they make or inspect tensors rather than compute.
#pragma once

#include <string>

namespace bridge {

bool is_typed(const std::string& name);  // "empty.memory_format", ...

}  // namespace bridge
