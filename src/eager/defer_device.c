/* Functions in front of a device's own: they flush before anything that could tell that work is pending. */
#include "eager/defer.h"

#include <stddef.h>

/* These functions are only reached through the deferral's table. So its address leads to the deferral as the thread that opened it left
 * it, though whoever calls loads the table's address without order. */
static fl_deferral *deferral_of(const fl_device *device)
{
    return (fl_deferral *)((uintptr_t)device->vtable - offsetof(fl_deferral, vtable));
}

static const fl_device_vtable *flushed(fl_device *device, fl_flush reason, fl_deferral **out)
{
    *out = deferral_of(device);
    fl_defer_flush(device->index, reason);
    return (*out)->real;
}

static fl_status defer_allocate(fl_device *device, int stream, size_t bytes, fl_buffer **out)
{
    fl_deferral *d = deferral_of(device);
    fl_status status = d->real->allocate(device, stream, bytes, out);
    if (fl_status_code(status) != FL_OOM || !__atomic_load_n(&d->list.ops_count, __ATOMIC_RELAXED))
        return status;
    fl_status_free(status);
    fl_defer_flush(device->index, FL_FLUSH_MEMORY);
    return d->real->allocate(device, stream, bytes, out);
}

static void defer_release(fl_device *device, fl_buffer *buffer)
{
    fl_deferral_release(deferral_of(device), buffer);
}

static void defer_record_stream(fl_device *device, fl_buffer *buffer, int stream)
{
    fl_deferral *d;
    flushed(device, FL_FLUSH_STREAM, &d)->record_stream(device, buffer, stream);
}

static fl_status defer_execute(fl_device *device, int stream, fl_executable *executable,
                               const fl_binding *inputs, const fl_binding *outputs)
{
    fl_deferral *d;
    return flushed(device, FL_FLUSH_LAUNCH, &d)->execute(device, stream, executable, inputs, outputs);
}

static fl_status defer_upload(fl_device *device, int stream, const void *host, size_t bytes,
                              fl_buffer *buffer, int64_t offset)
{
    fl_deferral *d;
    return flushed(device, FL_FLUSH_COPY, &d)->upload(device, stream, host, bytes, buffer, offset);
}

/* What failed first is told. */
static fl_status first_of(fl_deferral *d, fl_status status)
{
    fl_status earlier = fl_deferral_take_error(d);
    if (!earlier) return status;
    fl_status_free(status);
    return earlier;
}

static fl_status defer_download(fl_device *device, int stream, fl_buffer *buffer, int64_t offset,
                                size_t bytes, void *host)
{
    fl_deferral *d;
    const fl_device_vtable *real = flushed(device, FL_FLUSH_READ, &d);
    return first_of(d, real->download(device, stream, buffer, offset, bytes, host));
}

static fl_status defer_upload_later(fl_device *device, int stream, const void *host, size_t bytes,
                                    fl_buffer *buffer, int64_t offset)
{
    fl_deferral *d;
    return flushed(device, FL_FLUSH_COPY, &d)->upload_later(device, stream, host, bytes, buffer, offset);
}

static fl_status defer_download_later(fl_device *device, int stream, fl_buffer *buffer, int64_t offset,
                                      size_t bytes, void *host)
{
    fl_deferral *d;
    return flushed(device, FL_FLUSH_READ, &d)->download_later(device, stream, buffer, offset, bytes, host);
}

static fl_status defer_synchronize(fl_device *device, int stream)
{
    fl_deferral *d;
    const fl_device_vtable *real = flushed(device, FL_FLUSH_SYNCHRONIZE, &d);
    return first_of(d, real->synchronize(device, stream));
}

static int defer_idle(fl_device *device, int stream)
{
    fl_deferral *d;
    return flushed(device, FL_FLUSH_EVENT, &d)->idle(device, stream);
}

static fl_status defer_record(fl_device *device, int stream, fl_event *event)
{
    fl_deferral *d;
    return flushed(device, FL_FLUSH_EVENT, &d)->record(device, stream, event);
}

static fl_status defer_wait(fl_device *device, int stream, fl_event *event)
{
    fl_deferral *d;
    return flushed(device, FL_FLUSH_EVENT, &d)->wait(device, stream, event);
}

static void defer_memory_stats(fl_device *device, fl_memory_stats *out)
{
    fl_deferral *d;
    flushed(device, FL_FLUSH_MEMORY, &d)->memory_stats(device, out);
}

static void defer_reset_peak(fl_device *device)
{
    fl_deferral *d;
    flushed(device, FL_FLUSH_MEMORY, &d)->reset_peak(device);
}

static void defer_trim(fl_device *device)
{
    fl_deferral *d;
    flushed(device, FL_FLUSH_MEMORY, &d)->trim(device);
}

void fl_deferral_decorate(fl_deferral *d)
{
    d->real = d->device->vtable;
    d->vtable = *d->real;
    d->vtable.allocate = defer_allocate;
    d->vtable.release = defer_release;
    d->vtable.record_stream = defer_record_stream;
    d->vtable.execute = defer_execute;
    d->vtable.upload = defer_upload;
    d->vtable.download = defer_download;
    if (d->real->upload_later) d->vtable.upload_later = defer_upload_later;
    if (d->real->download_later) d->vtable.download_later = defer_download_later;
    d->vtable.synchronize = defer_synchronize;
    d->vtable.idle = defer_idle;
    d->vtable.record = defer_record;
    d->vtable.wait = defer_wait;
    d->vtable.memory_stats = defer_memory_stats;
    d->vtable.reset_peak = defer_reset_peak;
    d->vtable.trim = defer_trim;
}
