// torch.profiler: what the device ran, as an activity profiler of Kineto's, linked to the operators that asked for it.
//
// Kineto tells each operator's correlation id when it begins and ends (on the operator's thread); the engine takes the id
// along with the work (device/activity.h), and hands out what ran, step by step, when the profiler stops.
#define FMT_HEADER_ONLY  // Kineto's headers format numbers
#define USE_KINETO
#include "bridge.h"

#include <libkineto.h>
#include <output_base.h>
#include <torch/csrc/profiler/standalone/privateuse1_profiler.h>

#include <cstring>

#include "profiler_file.h"
#include "watch.h"

namespace bridge {
namespace {

using libkineto::ActivityType;
using libkineto::GenericTraceActivity;

// Nested operators of this thread.
thread_local std::vector<uint64_t> t_correlations;

ActivityType type_of(fl_activity_kind kind) {
  return kind == FL_ACTIVITY_TO_DEVICE || kind == FL_ACTIVITY_FROM_DEVICE ? ActivityType::GPU_MEMCPY
                                                                          : ActivityType::CONCURRENT_KERNEL;
}

struct Session final : libkineto::IActivityProfilerSession {
  explicit Session(bool steps, ProfilerSettings settings) : steps_(steps), settings_(std::move(settings)) {}
  ~Session() override { engine()->activity_free(&collected_); }

  void start() override {
    watch(kWatchProfiler, true);
    if (steps_) engine()->activity_start();
    status_ = libkineto::TraceStatus::RECORDING;
  }
  // What is queued still belongs to the profile. Failures of it stay for who synchronises.
  void stop() override {
    watch(kWatchProfiler, false);
    if (steps_) {
      wait_for_devices();
      engine()->activity_stop(&collected_);
      if (collected_.count) write_activities(settings_, collected_, collected_.list[0].begin);
    }
    status_ = libkineto::TraceStatus::PROCESSING;
  }

  std::vector<std::string> errors() override {
    if (!collected_.lost) return {};
    return {"tpu: " + std::to_string(collected_.lost) + " device activities beyond " + std::to_string(collected_.count) +
            " were left out"};
  }

  void pushCorrelationId(uint64_t id) override {
    t_correlations.push_back(id);
    engine()->activity_set_correlation(id);
  }
  void popCorrelationId() override {
    if (!t_correlations.empty()) t_correlations.pop_back();
    engine()->activity_set_correlation(t_correlations.empty() ? 0 : t_correlations.back());
  }

  void processTrace(libkineto::ActivityLogger& logger) override {
    processTrace(logger, [](int32_t) { return nullptr; }, 0, INT64_MAX);
  }
  void processTrace(libkineto::ActivityLogger& logger, libkineto::getLinkedActivityCallback linked, int64_t from,
                    int64_t to) override {
    trace_ = std::make_unique<libkineto::CpuTraceBuffer>();
    trace_->span = libkineto::TraceSpan(from, to, "tpu");
    trace_->gpuOpCount = 0;
    for (size_t i = 0; i < collected_.count; i++) {
      const fl_activity& a = collected_.list[i];
      if (static_cast<int64_t>(a.begin) < from || static_cast<int64_t>(a.end) > to) continue;
      add(a, linked);
      trace_->activities.back()->log(logger);
    }
    trace_->gpuOpCount = static_cast<int>(trace_->activities.size());
  }
  std::unique_ptr<libkineto::CpuTraceBuffer> getTraceBuffer() override { return std::move(trace_); }

  std::unique_ptr<libkineto::DeviceInfo> getDeviceInfo() override {
    if (!steps_ || !collected_.count) return nullptr;
    return std::unique_ptr<libkineto::DeviceInfo>(
        new libkineto::DeviceInfo{0, libkineto::kExceedMaxPid, "tpu:0", device(0)->name});
  }
  std::vector<libkineto::ResourceInfo> getResourceInfos() override {
    std::set<std::pair<int, uint32_t>> seen;
    std::vector<libkineto::ResourceInfo> infos;
    for (size_t i = 0; i < collected_.count; i++) {
      const fl_activity_place& p = collected_.list[i].place;
      if (seen.insert({p.device, p.stream}).second)
        infos.push_back({p.stream, p.stream, p.device, "stream " + std::to_string(p.stream)});
    }
    return infos;
  }

 private:
  void add(const fl_activity& a, const libkineto::getLinkedActivityCallback& linked) {
    trace_->emplace_activity(trace_->span, type_of(a.kind), a.name);
    GenericTraceActivity& out = *trace_->activities.back();
    out.startTime = static_cast<int64_t>(a.begin);
    out.endTime = static_cast<int64_t>(a.end);
    out.id = static_cast<int32_t>(a.place.correlation);
    out.device = a.place.device;
    out.resource = static_cast<int32_t>(a.place.stream);
    if (a.place.correlation) out.linked = linked(out.id);
    if (a.program && std::strcmp(a.program, a.name)) out.addMetadataQuoted("program", a.program);
    if (a.shapes) out.addMetadataQuoted("shapes", a.shapes);
    if (a.bytes) out.addMetadata("bytes", a.bytes);
    if (a.flops) out.addMetadata("flops", a.flops);
    out.addMetadata("device", a.place.device);
    out.addMetadata("stream", a.place.stream);
    out.addMetadata("correlation", a.place.correlation);
  }

  bool steps_;
  ProfilerSettings settings_;
  fl_activity_list collected_{};
  std::unique_ptr<libkineto::CpuTraceBuffer> trace_;
};

struct Profiler final : libkineto::IActivityProfiler {
  const std::string& name() const override { return name_; }
  const std::set<ActivityType>& availableActivities() const override { return types_; }
  std::unique_ptr<libkineto::IActivityProfilerSession> configure(const std::set<ActivityType>& types,
                                                                 const libkineto::Config& config) override {
    ProfilerSettings settings = read_settings(config.getCustomConfig());
    bool steps = settings.device_level > 0 && types.count(ActivityType::CONCURRENT_KERNEL);
    return std::make_unique<Session>(steps, std::move(settings));
  }
  std::unique_ptr<libkineto::IActivityProfilerSession> configure(int64_t, int64_t, const std::set<ActivityType>& types,
                                                                 const libkineto::Config& config) override {
    return configure(types, config);
  }

 private:
  std::string name_ = "tpu";
  std::set<ActivityType> types_ = {ActivityType::CONCURRENT_KERNEL, ActivityType::GPU_MEMCPY};
};

REGISTER_PRIVATEUSE1_PROFILER(Profiler);

}  // namespace
}  // namespace bridge
