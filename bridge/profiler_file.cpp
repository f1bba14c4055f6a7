// What the device ran, as a file: for torch.tpu.profiler.TpuProfilerConfig(run_dir=...).
#include <c10/util/Exception.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "json.h"
#include "profiler_file.h"

namespace bridge {
namespace {

std::string from_hex(const std::string& hex) {
  std::string text;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return text;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return *name ? name : "host";
}

// Microseconds, with the nanoseconds behind the point.
std::string microseconds(uint64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(ns / 1000),
                static_cast<unsigned long long>(ns % 1000));
  return text;
}

void write_activity(std::ostream& out, const fl_activity& a) {
  const char* category = a.kind == FL_ACTIVITY_TO_DEVICE || a.kind == FL_ACTIVITY_FROM_DEVICE ? "gpu_memcpy" : "kernel";
  out << ",\n{\"ph\": \"X\", \"cat\": \"" << category << "\", \"name\": " << json_string(a.name)
      << ", \"pid\": " << a.place.device << ", \"tid\": " << a.place.stream << ", \"ts\": " << microseconds(a.begin)
      << ", \"dur\": " << microseconds(a.end - a.begin) << ", \"args\": {\"correlation\": " << a.place.correlation
      << ", \"bytes\": " << a.bytes << ", \"flops\": " << a.flops;
  if (a.program) out << ", \"program\": " << json_string(a.program);
  if (a.shapes) out << ", \"shapes\": " << json_string(a.shapes);
  out << "}}";
}

}  // namespace

ProfilerSettings read_settings(const std::string& config) {
  ProfilerSettings settings;
  char folder[4096] = "-", rank[256] = "-";
  if (std::sscanf(config.c_str(), "tpu %d %4095s %255s", &settings.device_level, folder, rank) < 1) return {};
  settings.folder = from_hex(folder);
  settings.rank = from_hex(rank);
  return settings;
}

void write_activities(const ProfilerSettings& settings, const fl_activity_list& list, uint64_t time_ns) {
  if (settings.folder.empty()) return;
  std::string name =
      host_name() + (settings.rank.empty() ? "" : "_" + settings.rank) + "." + std::to_string(time_ns / 1000000) + ".trace.json";
  std::error_code error;
  std::filesystem::create_directories(settings.folder, error);
  std::ofstream out(std::filesystem::path(settings.folder) / name);
  out << "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"args\": "
         "{\"name\": \"tpu\"}}";
  for (size_t i = 0; i < list.count; i++) write_activity(out, list.list[i]);
  out << "\n]}\n";
  if (!out.flush()) TORCH_WARN("tpu: cannot write the profile ", name, " in ", settings.folder);
}

}  // namespace bridge
