// Statistics of device memory, and the blocks that it consists of.
#include <mutex>
#include <vector>

#include "json.h"
#include "watch.h"

namespace bridge {
namespace {

std::mutex g_lock;
// Of each device: its figures at the last reset.
std::vector<fl_memory_stats>& bases() {
  static auto* list = new std::vector<fl_memory_stats>;
  return *list;
}

fl_memory_stats since_start(int index) {
  fl_memory_stats m;
  fl_device* d = device(index);
  d->vtable->memory_stats(d, &m);
  return m;
}

struct Blocks {
  std::string json = "{\"blocks\": [";
  bool first = true;
};

void add_block(void* context, const fl_block_info* b) {
  auto& out = *static_cast<Blocks*>(context);
  out.json += out.first ? "[" : ", [";
  out.first = false;
  out.json += std::to_string(b->address) + ", " + std::to_string(b->bytes) + ", " + std::to_string(b->requested) + ", " +
              std::to_string(b->used) + ", " + std::to_string(b->stream) + "]";
}

}  // namespace

fl_memory_stats memory_stats(int index) {
  fl_memory_stats m = since_start(index);
  std::lock_guard<std::mutex> guard(g_lock);
  if (bases().size() <= static_cast<size_t>(index)) return m;
  const fl_memory_stats& base = bases()[index];
  m.allocated_total -= base.allocated_total;
  m.requested_total -= base.requested_total;
  m.allocations -= base.allocations;
  m.frees -= base.frees;
  m.ooms -= base.ooms;
  m.retries -= base.retries;
  m.freed_total -= base.freed_total;
  m.requested_freed -= base.requested_freed;
  return m;
}

void reset_accumulated(int index) {
  fl_memory_stats m = since_start(index);
  std::lock_guard<std::mutex> guard(g_lock);
  if (bases().size() <= static_cast<size_t>(index)) bases().resize(index + 1);
  bases()[index] = m;
}

std::string memory_blocks_json(int index) {
  Blocks blocks;
  fl_device* d = engine()->device_opened(index);
  if (d) d->vtable->visit_blocks(d, add_block, &blocks);
  return blocks.json + "]}";
}

}  // namespace bridge
