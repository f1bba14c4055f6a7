// What the device ran, as a file: for torch.tpu.profiler.TpuProfilerConfig(run_dir=...).
#pragma once

#include <string>

#include "bridge.h"

namespace bridge {

// What TpuProfilerConfig says, from the text that it hands to Kineto.
struct ProfilerSettings {
  int device_level = 1;  // 0: no activities
  std::string folder, rank;
};
ProfilerSettings read_settings(const std::string& config);

// A trace for Perfetto in the settings' folder, if they name one; a failure is a warning.
void write_activities(const ProfilerSettings& settings, const fl_activity_list& list, uint64_t time_ns);

}  // namespace bridge
