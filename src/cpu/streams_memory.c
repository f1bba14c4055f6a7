/* Memory of streams. A buffer comes from the heap of its stream and goes back at once: whoever gets the memory next uses it in later
 * work of the same queue. One that other streams use, too, is held until their work of then is done. */
#include "cpu/streams.h"

#include <string.h>

/* ---- buffers that are held ---- */

/* Puts a released buffer on the list of a stream that still has work; returns 0 when there is none. A buffer waits for its
 * streams one after another. With the memory's lock. */
static int hold(fl_cpu_device *d, fl_buffer *buffer)
{
    fl_hold *h = fl_memory_hold(buffer);
    for (; h->streams; h->streams &= h->streams - 1) {
        fl_lane *lane = fl_lane_at(d, __builtin_ctz(h->streams));
        if (!lane) continue;
        h->until = fl_queue_position(lane->queue);
        if (fl_queue_reached(lane->queue, h->until)) continue;
        h->next = NULL;
        if (lane->held)
            fl_memory_hold(lane->last_held)->next = buffer;
        else
            lane->held = buffer;
        lane->last_held = buffer;
        d->held_count++;
        return 1;
    }
    return 0;
}

static void collect_lane(fl_cpu_device *d, fl_lane *lane)
{
    while (lane->held && fl_queue_reached(lane->queue, fl_memory_hold(lane->held)->until)) {
        fl_buffer *buffer = lane->held;
        fl_hold *h = fl_memory_hold(buffer);
        lane->held = h->next;
        d->held_count--;
        h->streams &= h->streams - 1;
        if (!hold(d, buffer)) fl_memory_free(d->memory, buffer);
    }
}

/* Frees what nobody uses any more. With the memory's lock. */
static void collect(fl_cpu_device *d)
{
    for (int i = 0; d->held_count && i < FL_STREAMS; i++) {
        fl_lane *lane = fl_lane_at(d, i);
        if (lane) collect_lane(d, lane);
    }
}

void fl_streams_use(fl_device *device, fl_buffer *buffer, int stream)
{
    fl_cpu_device *d = fl_cpu_self(device);
    if (stream == fl_memory_heap(buffer) || stream < 0 || stream >= FL_STREAMS) return;
    pthread_mutex_lock(&d->memory_lock);
    fl_memory_hold(buffer)->streams |= 1u << stream;
    pthread_mutex_unlock(&d->memory_lock);
}

/* ---- allocation and release ---- */

/* Gives free memory of all streams back, each when its own work is done. */
static void trim_lanes(fl_cpu_device *d, int scratch_too)
{
    for (int i = 0; i < FL_STREAMS; i++) {
        fl_lane *lane = fl_lane_at(d, i);
        if (!lane) continue;
        fl_queue_lock(lane->queue);
        fl_queue_drain(lane->queue);
        pthread_mutex_lock(&d->memory_lock);
        collect(d);
        if (lane->scratch && scratch_too) {
            fl_memory_free(d->memory, lane->scratch);
            lane->scratch = NULL;
        }
        fl_memory_trim(d->memory, i);
        pthread_mutex_unlock(&d->memory_lock);
        fl_queue_unlock(lane->queue);
    }
}

int fl_streams_reclaim(fl_cpu_device *d)
{
    pthread_mutex_lock(&d->memory_lock);
    int shared = fl_memory_is_shared(d->memory);
    pthread_mutex_unlock(&d->memory_lock);
    if (shared) trim_lanes(d, 0);
    return shared;
}

fl_status fl_streams_allocate(fl_device *device, int stream, size_t bytes, fl_buffer **out)
{
    fl_cpu_device *d = fl_cpu_self(device);
    fl_lane *lane;
    FL_TRY(fl_lane_get(d, stream, &lane));
    pthread_mutex_lock(&d->memory_lock);
    if (__builtin_expect(d->held_count, 0)) collect(d);
    fl_status status = fl_memory_allocate(d->memory, device, stream, bytes, FL_FOR_TENSOR, out);
    pthread_mutex_unlock(&d->memory_lock);
    if (__builtin_expect(!status, 1) || !fl_streams_reclaim(d)) return status;
    fl_status_free(status);
    pthread_mutex_lock(&d->memory_lock);
    fl_memory_count_retry(d->memory);
    status = fl_memory_allocate(d->memory, device, stream, bytes, FL_FOR_TENSOR, out);
    pthread_mutex_unlock(&d->memory_lock);
    return status;
}

typedef struct fill_work {
    void *at;
    size_t bytes;
} fill_work;

static fl_status run_fill(void *payload)
{
    const fill_work *w = payload;
    memset(w->at, 0xff, w->bytes);
    return NULL;
}

/* Overwrites a buffer that is about to be freed, in the order of its stream's work. */
static void poison(fl_cpu_device *d, fl_buffer *buffer)
{
    fl_queue *q = fl_lane_at(d, fl_memory_heap(buffer))->queue;
    fl_queue_lock(q);
    fill_work *w = fl_queue_payload(q, sizeof *w);
    *w = (fill_work){fl_memory_pointer(buffer), buffer->bytes};
    fl_status_free(fl_queue_submit(q, run_fill));
    fl_queue_unlock(q);
}

void fl_streams_release(fl_device *device, fl_buffer *buffer)
{
    fl_cpu_device *d = fl_cpu_self(device);
    if (__builtin_expect(d->poison && !fl_memory_hold(buffer)->streams, 0)) poison(d, buffer);
    pthread_mutex_lock(&d->memory_lock);
    if (__builtin_expect(!fl_memory_hold(buffer)->streams, 1) || !hold(d, buffer))
        fl_memory_free(d->memory, buffer);
    pthread_mutex_unlock(&d->memory_lock);
}

fl_status fl_lane_scratch(fl_cpu_device *d, int stream, fl_lane *lane, size_t bytes, void **out)
{
    fl_status status = NULL;
    *out = NULL;
    if (!bytes) return NULL;
    if (!lane->scratch || lane->scratch->bytes < bytes) {
        pthread_mutex_lock(&d->memory_lock);
        if (lane->scratch) fl_memory_free(d->memory, lane->scratch);
        lane->scratch = NULL;
        status = fl_memory_allocate(d->memory, &d->device, stream, bytes, FL_FOR_SCRATCH, &lane->scratch);
        pthread_mutex_unlock(&d->memory_lock);
    }
    if (!status) *out = fl_memory_pointer(lane->scratch);
    return status;
}

void fl_streams_trim(fl_device *device)
{
    trim_lanes(fl_cpu_self(device), 1);
}

/* ---- questions ---- */

void fl_streams_memory_stats(fl_device *device, fl_memory_stats *out)
{
    fl_cpu_device *d = fl_cpu_self(device);
    pthread_mutex_lock(&d->memory_lock);
    collect(d);
    fl_memory_get_stats(d->memory, out);
    pthread_mutex_unlock(&d->memory_lock);
}

void fl_streams_reset_peak(fl_device *device)
{
    fl_cpu_device *d = fl_cpu_self(device);
    pthread_mutex_lock(&d->memory_lock);
    fl_memory_reset_peak(d->memory);
    pthread_mutex_unlock(&d->memory_lock);
}

void fl_streams_visit_blocks(fl_device *device, fl_block_visitor visit, void *context)
{
    fl_cpu_device *d = fl_cpu_self(device);
    pthread_mutex_lock(&d->memory_lock);
    fl_memory_visit(d->memory, visit, context);
    pthread_mutex_unlock(&d->memory_lock);
}

fl_buffer *fl_streams_find(fl_device *device, uint64_t address, int64_t *out_offset)
{
    fl_cpu_device *d = fl_cpu_self(device);
    pthread_mutex_lock(&d->memory_lock);
    fl_buffer *buffer = fl_memory_find(d->memory, address, out_offset);
    pthread_mutex_unlock(&d->memory_lock);
    return buffer;
}
