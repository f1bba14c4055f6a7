/* Between the files of the PJRT device. */
#ifndef FL_PJRT_CLIENT_DEVICE_H
#define FL_PJRT_CLIENT_DEVICE_H

#include "cpu/memory.h"
#include "device/device.h"
#include "pjrt/client_plugin.h"
#include "pjrt/client_wrap.h"

#include <pthread.h>

/* What lies in a buffer (fl_buffer.own): one array of the plugin, or bytes on the host that become an
 * array when the first program says of which type, or nothing yet. */
typedef struct fl_storage {
    PJRT_Buffer *array;
    fl_type type; /* of the array */
    fl_type *
        exact; /* the array is wider than the tensor that fills the buffer, which has this type; NULL: it is not */
    void *host;
    uint64_t epoch; /* of the call that gave it the number `slot` */
    uint32_t slot;
} fl_storage;

/* Results of checks that were not looked at so far. */
typedef struct fl_pjrt_report {
    const fl_program *program; /* of the host's operations */
    const fl_wrapped *wrapped;
    PJRT_Buffer *
        *arrays; /* owned: i64[2 * checks] if there are checks, then what the host's operations get */
} fl_pjrt_report;

/* An executable that copies so many elements. */
typedef struct fl_pjrt_part {
    fl_executable *executable; /* NULL: none */
    fl_dtype dtype;
    int64_t count;
} fl_pjrt_part;

enum { FL_PJRT_PENDING = 64, FL_PJRT_REPORTS = 64, FL_PJRT_PARTS = 8 };

typedef struct fl_pjrt_device {
    fl_device device;            /* first */
    struct fl_pjrt_device *next; /* all of them, for fork */
    fl_pjrt_plugin *plugin;
    PJRT_Device *handle;
    int id;
    pthread_mutex_t lock; /* guards all below, and the storages */
    fl_memory *memory;    /* addresses and counts alone: nothing is stored there */
    uint64_t epoch;
    uint64_t last_end;                    /* atomic: when an execution that a profiler watched was done */
    PJRT_Event *pending[FL_PJRT_PENDING]; /* executions that may not have finished */
    uint32_t pending_count;
    int marks; /* records of events that have not completed; atomic */
    fl_pjrt_report reports[FL_PJRT_REPORTS];
    uint32_t report_count;
    fl_status error;            /* the first failure of queued work */
    pthread_mutex_t parts_lock; /* taken before `lock`; guards the two below */
    fl_pjrt_part parts[FL_PJRT_PARTS];
    uint32_t next_part;
} fl_pjrt_device;

static inline fl_pjrt_device *fl_pjrt_self(fl_device *device)
{
    return (fl_pjrt_device *)device;
}
static inline fl_storage *fl_storage_of(const fl_buffer *buffer)
{
    return buffer->own;
}

/* Takes the lock for a call that needs the plugin; an error, without the lock, in a forked process: the plugin's threads did
 * not come along. */
fl_status fl_pjrt_enter(fl_pjrt_device *d);
static inline void fl_pjrt_leave(fl_pjrt_device *d)
{
    pthread_mutex_unlock(&d->lock);
}

/* Id, name and attributes, of the plugin's handle. */
fl_status fl_pjrt_describe(fl_pjrt_device *d);

/* All of these with the lock held. */

/* An array from dense host data, which are copied. */
fl_status fl_pjrt_to_device(fl_pjrt_device *d, const void *data, const fl_type *type, PJRT_Buffer **out);
fl_status fl_pjrt_to_host(fl_pjrt_device *d, PJRT_Buffer *array, const fl_type *type, void *out);
/* Bytes on the host become an array: of `type` if that is all there is, else one-dimensional of its
 * element type. */
fl_status fl_storage_to_device(fl_pjrt_device *d, fl_buffer *buffer, const fl_type *type);
void fl_storage_set(fl_pjrt_device *d, fl_storage *storage, PJRT_Buffer *array, const fl_type *type);
void fl_storage_clear(fl_pjrt_device *d, fl_storage *storage);
fl_status fl_storage_upload(fl_pjrt_device *d, fl_buffer *buffer, int64_t offset, const void *data,
                            size_t bytes);
/* The range lies within the buffer; fl_storage_download takes that for granted. */
fl_status fl_storage_check(const fl_buffer *buffer, int64_t offset, size_t bytes);
fl_status fl_storage_download(fl_pjrt_device *d, fl_buffer *buffer, int64_t offset, void *out, size_t bytes);
/* A buffer whose array is wider than its tensor (device.h, widen) becomes one like all others. */
fl_status fl_storage_narrow(fl_pjrt_device *d, fl_buffer *buffer);
/* Before a program that takes `type`: narrows a buffer whose wider array is not that. */
fl_status fl_storage_offer(fl_pjrt_device *d, fl_buffer *buffer, const fl_type *type);
/* The tensor's bytes, of a buffer whose array is wider. */
fl_status fl_storage_read_exact(fl_pjrt_device *d, const fl_storage *storage, void *out);
/* Memory for an array of so many bytes at least, that may be given to the plugin. Zero behind the first `begin` bytes. */
void *fl_storage_host(size_t bytes, size_t begin);
/* An array from such memory, which it takes over on success. */
fl_status fl_storage_give(fl_pjrt_device *d, void *memory, const fl_type *type, PJRT_Buffer **out);
/* Whether a copy of so many bytes is a small part of a large array. */
int fl_storage_is_large(const fl_buffer *buffer, size_t bytes);
/* Such a copy, without the lock; `dtype` is that of the array. The range is valid. */
fl_status fl_storage_download_part(fl_pjrt_device *d, fl_buffer *buffer, fl_dtype dtype, int64_t offset,
                                   void *out, size_t bytes);

/* Takes over the completion of an execution; waits for the oldest when there are many. */
void fl_pjrt_add_pending(fl_pjrt_device *d, PJRT_Event *event);
/* Tells the profiler of an execution: `begin` is when it was handed over (device/activity.h). */
void fl_pjrt_watch_execution(fl_pjrt_device *d, PJRT_Event *done, const char *name, uint64_t begin);
/* Takes over the arrays, which are fl_pjrt_report_arrays(wrapped) ones; the other two have to live until
 * the next drain. */
void fl_pjrt_add_report(fl_pjrt_device *d, const fl_program *program, const fl_wrapped *wrapped,
                        PJRT_Buffer *const *arrays);
static inline uint32_t fl_pjrt_report_arrays(const fl_wrapped *wrapped)
{
    return (wrapped->check_count > 0) + wrapped->host_operand_count;
}
void fl_pjrt_drain(fl_pjrt_device *d); /* waits for all, and keeps the first failure */

/* The vtable's function, without the lock. */
fl_status fl_pjrt_widen(fl_device *device, fl_buffer *buffer, const fl_type *exact, const fl_type *wide,
                        int is_written);

/* ---- executables; the vtable's functions, without the lock ---- */

fl_status fl_pjrt_compile(fl_device *device, const fl_program *program, const fl_compile_options *options,
                          fl_executable **out);
void fl_pjrt_destroy_executable(fl_device *device, fl_executable *executable);
fl_status fl_pjrt_execute(fl_device *device, int stream, fl_executable *executable, const fl_binding *inputs,
                          const fl_binding *outputs);

#endif
