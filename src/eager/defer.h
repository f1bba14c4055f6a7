/* Fused mode: operators are recorded instead of launched, and run later as one program, a chunk.
 *
 * Every device has one list of pending operators, in the order of the calls of all threads. What they use is numbered: storages
 * (buffers), views of storages (an offset and a place) and values (numbers and random states, taken at the call). Whoever
 * waits, reads, copies, records an event or launches in another way flushes first: the first deferred operator of a device
 * puts functions that do so in front of its own (defer_device.c), so nobody outside needs to know.
 *
 * A buffer that is released while pending work uses it stays until that work is launched, unless pending work itself made all
 * that is in it: then the memory goes back at once, and what was to be in it is a value within the chunk. */
#ifndef FL_EAGER_DEFER_H
#define FL_EAGER_DEFER_H

#include "eager/cache.h"

#include <pthread.h>

/* Why a chunk ended. */
#define FL_FLUSHES(X)                                                                                        \
    X(SYNCHRONIZE, "synchronize", "the device was waited for")                                               \
    X(READ, "read", "a value was read, or copied to the host")                                               \
    X(COPY, "copy", "data came from the host")                                                               \
    X(EVENT, "event", "an event was recorded, waited for or asked")                                          \
    X(STREAM, "stream", "work went to another stream")                                                       \
    X(LAUNCH, "launch", "something was launched that is not deferred")                                       \
    X(MODE, "mode", "the mode changed")                                                                      \
    X(STEP, "step", "an optimizer's step ended")                                                             \
    X(REPEAT, "repeat", "the operators repeat")                                                              \
    X(LENGTH, "length", "the chunk had as many operators as it may have")                                    \
    X(MEMORY, "memory", "memory was asked about, or short")                                                  \
    X(PAUSE, "pause", "nothing more came for a while")                                                       \
    X(END, "end", "the process forks or ends")

typedef enum fl_flush {
#define X(name, text, meaning) FL_FLUSH_##name,
    FL_FLUSHES(X)
#undef X
        FL_FLUSH_COUNT
} fl_flush;

/* Records a prepared call, or fails without a trace of it. */
fl_status fl_defer_append(const fl_call *call, fl_device *device, fl_buffer *const *fresh);
/* Launches what is pending; its failures are kept for the next call that waits. */
void fl_defer_flush(int device, fl_flush reason);
void fl_defer_flush_all(fl_flush reason);

/* ---- between the files of fused mode ---- */

#define FL_NO_VIEW                                                                                           \
    UINT32_MAX /* in the place of a view's number: a value from the host, or a tensor without elements */

typedef struct fl_deferred_op {
    const fl_cached *entry;
    uint32_t first_view, first_value; /* in `uses`, in `values` */
} fl_deferred_op;

typedef struct fl_deferred_view {
    const fl_place *place;
    int64_t offset;         /* bytes */
    uint32_t storage, next; /* the storage's next view; FL_NO_VIEW: none */
    uint8_t moves;          /* when the list is launched: its place is an argument of the chunk */
} fl_deferred_view;

typedef struct fl_deferred_storage {
    fl_buffer *buffer; /* NULL: released already, its memory is elsewhere by now */
    size_t bytes;
    uint32_t views, view_count; /* the first one */
    uint8_t is_written;
    uint8_t is_used;     /* what was in it before matters */
    uint8_t is_released; /* nobody but pending work can see it any more */
    uint8_t moves;       /* some of its views do */
} fl_deferred_storage;

typedef struct fl_deferred_value {
    uint64_t words[2];
} fl_deferred_value;

/* A growing array of the list. */
#define FL_DEFERRED_ARRAYS(X)                                                                                \
    X(fl_deferred_op, ops)                                                                                   \
    X(uint32_t, uses) /* of each operator: the views of its arguments, then of its results */                \
    X(fl_deferred_value, values)                                                                             \
    X(fl_deferred_view, views)                                                                               \
    X(fl_deferred_storage, storages)                                                                         \
    X(uint32_t, key)                                                                                         \
    X(fl_buffer *, released)

typedef struct fl_pending {
#define X(type, name)                                                                                        \
    type *name;                                                                                              \
    uint32_t name##_count, name##_capacity;
    FL_DEFERRED_ARRAYS(X)
#undef X
    uint32_t *places; /* a hash table of the views of storages that have many: their numbers + 1 */
    uint32_t places_count, places_capacity;
    uint64_t hash; /* of `key` so far */
    int stream;
    size_t released_bytes;
} fl_pending;

#include "eager/chunk.h"
#include "eager/repeat.h"

#include "eager/moving.h"

#define FL_BY_CHANCE 256

typedef struct fl_deferral {
    fl_device *device;
    const fl_device_vtable *real; /* the device's own functions */
    fl_device_vtable vtable;      /* those in front of them */
    pthread_mutex_t lock;
    uint64_t epoch; /* of the list: buffers that it uses say so */
    fl_pending list;
    fl_chunks chunks;
    fl_repeat repeat;
    int is_cut;                       /* the list begins where a pause ended the one before, by chance */
    uint64_t by_chance[FL_BY_CHANCE]; /* hashes of lists that began or ended so, or are one variant of many */
    fl_variants variants[FL_SEQUENCES];
    fl_status error;     /* of work that was launched: the next call that waits returns it */
    uint64_t ticks;      /* operators so far: the watchdog sees whether more come */
    uint64_t uncompiled; /* operators of the list that have no executable of their own; atomic */
    uint64_t compiled,
        compile_ns; /* chunks and operators that were compiled here, and what that took; atomic */
} fl_deferral;

fl_deferral *fl_deferral_of(int device); /* NULL: nothing was ever deferred there */
fl_status fl_deferral_open(fl_device *device, fl_deferral **out);
void fl_deferral_flush(fl_deferral *d, fl_flush reason); /* with the lock held */
void fl_deferral_release(fl_deferral *d, fl_buffer *buffer);
fl_status fl_deferral_take_error(fl_deferral *d);
void fl_deferral_decorate(fl_deferral *d);               /* makes the functions that go in front */
uint64_t fl_deferral_compile_cost(const fl_deferral *d); /* ns that a program takes, about; any thread */
void fl_watchdog_wake(void);                             /* something is pending from now on */
/* Philox words for a call: the state of its generator, which goes on. */
fl_status fl_call_draw(const fl_call *call, uint32_t arg, uint64_t words, uint64_t out[2]);

#endif
