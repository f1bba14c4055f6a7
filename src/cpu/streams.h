/* The state of an embedded device: its streams, each a queue with a thread and a heap, and what ties them together. For the files
 * that implement the device.
 *
 * Locks: a queue's before the memory's; never two queues'. */
#ifndef FL_CPU_STREAMS_H
#define FL_CPU_STREAMS_H

#include "cpu/memory.h"
#include "cpu/queue.h"

typedef struct fl_lane {
    fl_queue *queue;
    fl_buffer *
        scratch; /* temporaries of the running program: those of one queue run one after another; under its lock */
    fl_buffer *held,
        *last_held; /* released, until this stream's work of then is done; under the memory's lock */
} fl_lane;

typedef struct fl_cpu_device {
    fl_device device;           /* first */
    fl_lane *lanes[FL_STREAMS]; /* made when first used; lane 0 always exists */
    int lane_end;               /* above every lane that exists; atomic */
    pthread_mutex_t memory_lock;
    fl_memory *memory;
    uint32_t held_count;
    int poison;                 /* FL_DEBUG=poison: released buffers are overwritten */
    struct fl_cpu_device *next; /* all devices, for fork */
} fl_cpu_device;

static inline fl_cpu_device *fl_cpu_self(fl_device *device)
{
    return (fl_cpu_device *)device;
}

fl_status
fl_streams_create(fl_cpu_device *device);       /* lane 0, the lock, the memory; `device.capacity` is set */
void fl_streams_destroy(fl_cpu_device *device); /* works off what is queued first */

/* A lane that exists, or NULL. */
static inline fl_lane *fl_lane_at(const fl_cpu_device *d, int stream)
{
    return (unsigned)stream < FL_STREAMS ? __atomic_load_n(&d->lanes[stream], __ATOMIC_ACQUIRE) : NULL;
}

fl_status fl_lane_open(fl_cpu_device *device, int stream, fl_lane **out);
static inline fl_status fl_lane_get(fl_cpu_device *d, int stream, fl_lane **out)
{
    *out = fl_lane_at(d, stream);
    return __builtin_expect(*out != NULL, 1) ? NULL : fl_lane_open(d, stream, out);
}

void fl_lanes_drain(fl_cpu_device *device);

/* Scratch of at least `bytes` for the next program of the lane, NULL for none. With the queue's lock held. The old block may
 * still be in use by queued programs, which is fine: it is reused only by later ones. */
fl_status fl_lane_scratch(fl_cpu_device *device, int stream, fl_lane *lane, size_t bytes, void **out);

/* After memory was short: waits and gives back what other streams keep or hold. 0: there are none, so nothing was gained. */
int fl_streams_reclaim(fl_cpu_device *device);

/* Functions of the device interface. */
fl_status fl_streams_allocate(fl_device *device, int stream, size_t bytes, fl_buffer **out);
void fl_streams_release(fl_device *device, fl_buffer *buffer);
void fl_streams_use(fl_device *device, fl_buffer *buffer, int stream);
void fl_streams_trim(fl_device *device);
void fl_streams_memory_stats(fl_device *device, fl_memory_stats *out);
void fl_streams_reset_peak(fl_device *device);
void fl_streams_visit_blocks(fl_device *device, fl_block_visitor visit, void *context);
fl_buffer *fl_streams_find(fl_device *device, uint64_t address, int64_t *out_offset);

fl_status fl_streams_synchronize(fl_device *device, int stream);
int fl_streams_idle(fl_device *device, int stream);
fl_status fl_streams_take_failure(fl_device *device, int stream);
fl_status fl_streams_record(fl_device *device, int stream, fl_event *event);
fl_status fl_streams_wait(fl_device *device, int stream, fl_event *event);

fl_status fl_streams_upload(fl_device *device, int stream, const void *host, size_t bytes, fl_buffer *buffer,
                            int64_t offset);
fl_status fl_streams_download(fl_device *device, int stream, fl_buffer *buffer, int64_t offset, size_t bytes,
                              void *host);
fl_status fl_streams_upload_later(fl_device *device, int stream, const void *host, size_t bytes,
                                  fl_buffer *buffer, int64_t offset);
fl_status fl_streams_download_later(fl_device *device, int stream, fl_buffer *buffer, int64_t offset,
                                    size_t bytes, void *host);

#endif
