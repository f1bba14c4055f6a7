// Memory history: which Python lines made what is alive, and what was allocated and freed in which order.
#include <torch/csrc/profiler/combined_traceback.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "json.h"
#include "watch.h"

namespace bridge {
namespace {

using Stack = std::shared_ptr<torch::CapturedTraceback>;

enum class Action : uint8_t { kAlloc, kFreeRequested, kFreeCompleted, kOom };
const char* const kActions[] = {"alloc", "free_requested", "free_completed", "oom"};

struct Event {
  Action action;
  uint64_t address, bytes;
  int64_t time_us, free_bytes;  // free_bytes: kOom
  int stream;
  Stack stack;
};

struct Live {
  uint64_t bytes, requested;
  int device, stream;
  int64_t time_us;
  Stack stack;
};

struct History {
  std::mutex lock;
  HistoryOptions options;
  std::unordered_map<uint64_t, Live> live;  // by address
  std::vector<std::deque<Event>> events;    // of each device
};

History& history() {
  static auto* h = new History;
  return *h;
}

int64_t now_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

uint64_t rounded(size_t bytes) { return (bytes + 255) & ~uint64_t{255}; }

// Gathering may take the interpreter's lock: never with ours held.
Stack gather(bool wanted, bool cpp) { return wanted ? torch::CapturedTraceback::gather(true, true, cpp) : nullptr; }

// With the lock held.
void add_event(History& h, int device, Event event) {
  if (h.options.skip & 1u << static_cast<int>(event.action)) return;
  if (h.events.size() <= static_cast<size_t>(device)) h.events.resize(device + 1);
  auto& list = h.events[device];
  list.push_back(std::move(event));
  while (list.size() > h.options.max_entries) list.pop_front();
}

struct Symbols {
  std::vector<torch::CapturedTraceback*> stacks;
  std::unordered_map<torch::CapturedTraceback*, size_t> numbers;

  int64_t number(const Stack& stack) {
    if (!stack) return -1;
    auto [at, fresh] = numbers.emplace(stack.get(), stacks.size());
    if (fresh) stacks.push_back(stack.get());
    return static_cast<int64_t>(at->second);
  }
};

std::string frames_json(const torch::SymbolizedTracebacks& symbols) {
  std::string json = "[";
  for (const auto& f : symbols.all_frames) {
    if (json.size() > 1) json += ", ";
    json += "{\"filename\": " + json_string(f.filename) + ", \"line\": " + std::to_string(f.lineno) +
            ", \"name\": " + json_string(f.funcname) + "}";
  }
  json += "], \"stacks\": [";
  bool first = true;
  for (const auto& stack : symbols.tracebacks) {
    json += first ? "[" : ", [";
    for (size_t i = 0; i < stack.size(); i++) json += (i ? ", " : "") + std::to_string(stack[i]);
    json += "]";
    first = false;
  }
  return json + "]";
}

// The innermost frame that is neither PyTorch's nor ours.
const torch::unwind::Frame* user_frame(const torch::SymbolizedTracebacks& symbols, size_t stack) {
  const torch::unwind::Frame* innermost = nullptr;
  for (uint64_t i : symbols.tracebacks[stack]) {
    const auto& f = symbols.all_frames[i];
    if (!innermost) innermost = &f;
    if (f.filename.find("/torch/") == std::string::npos && f.filename.find("/torch_tpu/") == std::string::npos) return &f;
  }
  return innermost;
}

constexpr size_t kLargest = 8;

std::vector<Live> largest_live(int device) {
  History& h = history();
  std::vector<Live> all;
  std::lock_guard<std::mutex> guard(h.lock);
  for (const auto& [address, live] : h.live)
    if (live.device == device) all.push_back(live);
  size_t n = std::min(all.size(), kLargest);
  std::partial_sort(all.begin(), all.begin() + n, all.end(), [](const Live& a, const Live& b) { return a.bytes > b.bytes; });
  all.resize(n);
  return all;
}

}  // namespace

void watch_memory(Watcher who, bool on) {
  History& h = history();
  std::lock_guard<std::mutex> guard(h.lock);
  // what was alive is not followed while nobody looks on
  if (!watched_by((kWatchHistory | kWatchLines) & ~who)) h.live.clear();
  watch(who, on);
}

void set_history(const HistoryOptions& options, bool clear) {
  History& h = history();
  {
    std::lock_guard<std::mutex> guard(h.lock);
    if (clear || !options.enabled) h.events.clear();
    h.options = options;
  }
  if (options.enabled != watched_by(kWatchHistory)) watch_memory(kWatchHistory, options.enabled);
}

void history_allocated(fl_buffer* buffer) {
  History& h = history();
  Stack stack = gather(h.options.live_stacks || watched_by(kWatchLines), h.options.cpp);
  int device = buffer->device->index, stream = current_stream(static_cast<c10::DeviceIndex>(device));
  std::lock_guard<std::mutex> guard(h.lock);
  Live live{rounded(buffer->bytes), buffer->bytes, device, stream, now_us(), std::move(stack)};
  if (h.options.all)
    add_event(
        h, device,
        {Action::kAlloc, buffer->address, live.bytes, live.time_us, 0, stream, h.options.alloc_stacks ? live.stack : nullptr});
  h.live[buffer->address] = std::move(live);
}

void history_released(fl_buffer* buffer) {
  History& h = history();
  Stack stack = gather(h.options.free_stacks && h.options.all, h.options.cpp);
  std::lock_guard<std::mutex> guard(h.lock);
  auto known = h.live.find(buffer->address);
  int stream = known == h.live.end() ? 0 : known->second.stream;
  if (known != h.live.end()) h.live.erase(known);
  if (!h.options.all) return;
  int device = buffer->device->index;
  Event event{Action::kFreeRequested, buffer->address, rounded(buffer->bytes), now_us(), 0, stream, std::move(stack)};
  add_event(h, device, event);
  event.action = Action::kFreeCompleted;
  add_event(h, device, std::move(event));
}

void history_out_of_memory(fl_device* d, size_t bytes) {
  History& h = history();
  Stack stack = gather(h.options.alloc_stacks, h.options.cpp);
  fl_memory_stats m;
  d->vtable->memory_stats(d, &m);
  int stream = current_stream(static_cast<c10::DeviceIndex>(d->index));
  std::lock_guard<std::mutex> guard(h.lock);
  if (!h.options.all) return;
  add_event(h, d->index,
            {Action::kOom, 0, bytes, now_us(), static_cast<int64_t>(d->capacity - m.allocated), stream, std::move(stack)});
}

std::string largest_tensors(int device) {
  if (!watched_by(kWatchHistory | kWatchLines))
    return "\ntorch.tpu.memory._record_memory_history() and debug mode tell which lines made the largest live tensors";
  std::vector<Live> largest = largest_live(device);
  Symbols symbols;
  std::vector<int64_t> numbers;
  for (const auto& live : largest) numbers.push_back(symbols.number(live.stack));
  auto found = torch::symbolize(symbols.stacks);
  std::string text = "\nlargest live tensors:";
  for (size_t i = 0; i < largest.size(); i++) {
    char size[64];
    std::snprintf(size, sizeof size, "\n  %10.2f MiB  ", static_cast<double>(largest[i].requested) / 1048576.0);
    const auto* frame = numbers[i] < 0 ? nullptr : user_frame(found, static_cast<size_t>(numbers[i]));
    text += size;
    text += frame ? frame->filename + ":" + std::to_string(frame->lineno) + " in " + frame->funcname : "(no line recorded)";
  }
  return text;
}

std::string history_json() {
  History& h = history();
  Symbols symbols;
  std::string live = "[", traces = "[";
  std::vector<Stack> keep;  // until symbolized, which is done without the lock
  {
    std::lock_guard<std::mutex> guard(h.lock);
    for (const auto& [address, l] : h.live) {
      if (live.size() > 1) live += ", ";
      live += json_object({{"address", address},
                           {"size", l.bytes},
                           {"requested_size", l.requested},
                           {"time_us", l.time_us},
                           {"device", l.device},
                           {"stack", symbols.number(l.stack)}});
      keep.push_back(l.stack);
    }
    for (const auto& list : h.events) {
      traces += traces.size() > 1 ? ", [" : "[";
      bool first = true;
      for (const auto& e : list) {
        traces += first ? "[" : ", [";
        traces += json_string(kActions[static_cast<int>(e.action)]) + ", " + std::to_string(e.address) + ", " +
                  std::to_string(e.bytes) + ", " + std::to_string(e.time_us) + ", " + std::to_string(e.free_bytes) + ", " +
                  std::to_string(symbols.number(e.stack)) + ", " + std::to_string(e.stream) + "]";
        keep.push_back(e.stack);
        first = false;
      }
      traces += "]";
    }
  }
  return "{\"live\": " + live + "], \"traces\": " + traces + "], \"frames\": " + frames_json(torch::symbolize(symbols.stacks)) +
         "}";
}

}  // namespace bridge
