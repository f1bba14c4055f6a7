/* The device interface: buffers, compile, execute, events, memory statistics. Two implementations sit behind it, the
 * embedded device (cpu/) and any PJRT plugin (pjrt/). Nothing above this header knows which one it has.
 *
 * Memory is opaque: no code outside the implementation dereferences it. Work is asynchronous and goes to a stream: a small
 * number below FL_STREAMS, 0 the default. Work of one stream takes effect in the order of the calls; that of two streams
 * is ordered by events alone. A device with one queue ignores the number. A failure of queued work is kept by its stream
 * and returned by the next call that waits for it. */
#ifndef FL_DEVICE_DEVICE_H
#define FL_DEVICE_DEVICE_H

#include "base/status.h"
#include "ir/ir.h"

/* Streams from FL_URGENT_STREAM on go first where work of several could begin. */
#define FL_STREAMS       32
#define FL_URGENT_STREAM 24
#define FL_ALL_STREAMS   (-1) /* where a function waits or asks */

typedef struct fl_device fl_device;
typedef struct fl_executable fl_executable;
typedef struct fl_buffer fl_buffer;
typedef struct fl_event fl_event;

/* How a tensor lies in a buffer. Strides and offset count elements; strides are not negative; a stride of 0 repeats. */
typedef struct fl_layout {
    int64_t strides[FL_MAX_RANK];
} fl_layout;
/* Row-major, without gaps. */
static inline fl_layout fl_layout_dense(const fl_type *type)
{
    fl_layout layout = {{0}};
    int64_t stride = 1;
    for (int d = type->rank - 1; d >= 0; d--) {
        layout.strides[d] = stride;
        stride *= type->dims[d] > 1 ? type->dims[d] : 1;
    }
    return layout;
}

/* One argument or result of an execution: `offset` bytes into `buffer`; a NULL buffer with `host` set is a 0-d argument
 * whose value (at most 16 bytes) is copied at the call; one with `memory` set is memory of the process, which the caller
 * keeps until the work is done (only for devices that compute in the host's memory). */
typedef struct fl_binding {
    fl_buffer *buffer;
    int64_t offset;
    const void *host;
    void *memory;
} fl_binding;

typedef struct fl_compile_options {
    const char *name;         /* for errors and profiles, e.g. "aten::add.out" */
    const fl_layout *inputs;  /* one a parameter, in order; NULL: all dense row-major */
    const fl_layout *outputs; /* one a result; NULL: all dense */
    /* aliases[r * parameter count + p] != 0: result r may be bound to memory that parameter p also uses (1: exactly the
     * same elements in the same order, 2: any overlap). The device behaves as if it read everything before it wrote. NULL: none. */
    const uint8_t *aliases;
    /* The program is that of several operators: when a part of it fails, the others run nevertheless. */
    int goes_on;
    int round_as_written; /* 1: not even where a compiler would rather keep more precision than a type has */
} fl_compile_options;

typedef struct fl_memory_stats {
    uint64_t allocated, peak_allocated; /* bytes in buffers that are alive */
    uint64_t reserved,
        peak_reserved; /* bytes taken from the host, the cache of free blocks and scratch included */
    uint64_t requested, peak_requested;         /* bytes asked for by the buffers alive, before rounding */
    uint64_t active_count, peak_count;          /* buffers alive */
    uint64_t allocations, frees, retries, ooms; /* since start */
    uint64_t allocated_total, freed_total, requested_total, requested_freed; /* bytes, since start */
} fl_memory_stats;

/* A piece of a device's memory, for snapshots: a buffer, or memory that is kept for reuse. */
typedef struct fl_block_info {
    uint64_t address, bytes, requested; /* requested: of a buffer, before rounding */
    int stream, used;
} fl_block_info;
typedef void (*fl_block_visitor)(void *context, const fl_block_info *block);

typedef struct fl_device_vtable {
    const char *kind; /* "embedded", "pjrt" */
    /* A buffer belongs to the stream it was allocated on: after its release, later work of that stream may reuse the memory
     * at once. Work of other streams that uses it comes before (by an event), or is named by record_stream: then the memory is
     * not reused until all work that those streams have when it is released is done. */
    fl_status (*allocate)(fl_device *device, int stream, size_t bytes, fl_buffer **out);
    void (*release)(fl_device *device, fl_buffer *buffer); /* safe while queued work of its stream uses it */
    void (*record_stream)(fl_device *device, fl_buffer *buffer, int stream);
    fl_status (*compile)(fl_device *device, const fl_program *program, const fl_compile_options *options,
                         fl_executable **out);
    void (*destroy_executable)(fl_device *device, fl_executable *executable);
    fl_status (*execute)(fl_device *device, int stream, fl_executable *executable, const fl_binding *inputs,
                         const fl_binding *outputs);
    /* Host to device: the host bytes are copied before the call returns. */
    fl_status (*upload)(fl_device *device, int stream, const void *host, size_t bytes, fl_buffer *buffer,
                        int64_t offset);
    /* Device to host: waits for the stream; returns a pending failure of its work, if any. */
    fl_status (*download)(fl_device *device, int stream, fl_buffer *buffer, int64_t offset, size_t bytes,
                          void *host);
    /* The same in the order of the stream's other work, for host memory that the caller keeps (and does not write) until then.
     * Optional: a device without them copies at once. */
    fl_status (*upload_later)(fl_device *device, int stream, const void *host, size_t bytes,
                              fl_buffer *buffer, int64_t offset);
    fl_status (*download_later)(fl_device *device, int stream, fl_buffer *buffer, int64_t offset,
                                size_t bytes, void *host);
    /* Waits for a stream, or all, and returns (and clears) the first pending failure. */
    fl_status (*synchronize)(fl_device *device, int stream);
    int (*idle)(fl_device *device, int stream); /* 1 when nothing is queued or running */
    fl_status (*take_failure)(fl_device *device,
                              int stream); /* returns (and clears) a pending one without waiting */
    /* The event completes when everything that the stream has so far is done. */
    fl_status (*record)(fl_device *device, int stream, fl_event *event);
    /* Later work of the stream begins after the event's last record so far, of any device, is complete. */
    fl_status (*wait)(fl_device *device, int stream, fl_event *event);
    /* For programs that compute for all sizes of a bucket (opt/widen.h). The buffer, which a dense tensor of type `exact`
     * fills, comes to hold it as the first elements of an array of type `wide`, along every dimension, and anything behind them:
     * so such a program gets it. `is_written`: an execution has just left it so. All others go on to see the tensor. Optional:
     * not where programs of any size are cheap. */
    fl_status (*widen)(fl_device *device, fl_buffer *buffer, const fl_type *exact, const fl_type *wide,
                       int is_written);
    void (*memory_stats)(fl_device *device, fl_memory_stats *out);
    void (*reset_peak)(fl_device *device);
    /* Every piece that memory of the host stands behind, stream by stream in the order of addresses. `visit` uses no device. */
    void (*visit_blocks)(fl_device *device, fl_block_visitor visit, void *context);
    void (*trim)(fl_device *device); /* waits for the queue, then gives cached free memory back to the host */
    fl_buffer *(*find)(fl_device *device, uint64_t address, int64_t *out_offset); /* see fl_address_find */
    void (*destroy)(fl_device *device);
} fl_device_vtable;

struct fl_device {
    const fl_device_vtable *vtable;
    int index;
    char name[64];
    uint64_t capacity; /* bytes */
    char *attributes;  /* what else is known of it, a JSON object; NULL: nothing. The implementation's */
};

/* Buffers: every implementation's buffer begins with this. `address` is unique in the process, lies in a reserved range
 * that cannot be read, and only identifies the memory: address arithmetic within the buffer is meaningful. */
struct fl_buffer {
    fl_device *device;
    size_t bytes;
    uint64_t address;
    void *own;         /* the implementation's; NULL at first */
    uint64_t deferred; /* whose work that waits to be launched uses it (src/eager/defer.h); 0 at first */
};

/* The buffer whose range holds `address`, or NULL; *out_offset is the distance from its start. Any thread. */
fl_buffer *fl_address_find(uint64_t address, int64_t *out_offset);

/* An error for a buffer of another device: one that was made while a function was recorded (src/eager/trace.h). */
fl_status fl_buffer_check(const fl_device *device, const fl_buffer *buffer);

/* Events. A fresh event is complete. Whoever asks or waits means the last record, as it was at the call; times are nanoseconds
 * of a monotonic clock, 0 before the first record. Reference counted: a pending record holds one. Any thread. */
fl_event *fl_event_create(void); /* NULL when memory is exhausted */
void fl_event_release(fl_event *event);
int fl_event_done(fl_event *event);
void fl_event_wait(fl_event *event);
uint64_t fl_event_time(fl_event *event);
/* Waits, then returns (and clears) the pending failure of the stream that the event was recorded in. */
fl_status fl_event_synchronize(fl_event *event);

/* For implementations. A record that cannot complete at once lies in their memory until it is complete. */
typedef struct fl_record {
    fl_event *event;
    struct fl_record *newer, *older;
    uint64_t number;
} fl_record;
void fl_event_begin(fl_event *event, fl_record *record, fl_device *device, int stream);
void fl_event_complete(fl_record *record);
void fl_event_mark(fl_event *event, fl_device *device, int stream); /* begins and completes a record */
/* The last record: number 0 when there is none; pending: takes a reference, for fl_event_wait_for, which drops it. */
typedef struct fl_recorded {
    uint64_t number;
    fl_device *device;
    int stream, pending;
} fl_recorded;
fl_recorded fl_event_last(fl_event *event);
void fl_event_wait_for(fl_event *event, uint64_t number);

#define FL_MOST_DEVICES_OPEN 64

/* The registry: devices are opened on first use. TORCH_TPU_DEVICES embedded devices (at most 64), default 1; with a value
 * that says no such number the count is 1 and opening fails. */
int fl_device_count(void);
fl_status fl_device_get(int index, fl_device **out);
fl_device *fl_device_opened(int index); /* NULL: not used so far */
/* For this thread `device` takes the place of the one with its index, until NULL ends that. A binding's `host` value of two
 * u64 is a random generator's state. */
void fl_device_replace(fl_device *device);
int fl_device_is_replaced(int index); /* for this thread */
/* Implementations register themselves, so that device/ does not depend on them. */
typedef fl_status (*fl_device_factory)(int index, fl_device **out);
void fl_device_register(fl_device_factory factory);

#endif
