/* Copies between the host's memory and the device's, in the order of a stream. */
#include "cpu/streams.h"
#include "device/activity.h"

#include <string.h>

#define UPLOAD_QUEUED  (256u << 10) /* larger uploads wait for the stream instead of being copied twice */
#define COPIED_AT_ONCE (64u << 10)  /* by the caller, when the stream is idle: to hand over takes as long */

typedef struct upload_work {
    void *to;
    size_t bytes;
    char data[];
} upload_work;

static fl_status run_upload(void *payload)
{
    upload_work *w = payload;
    fl_activity_copy(FL_ACTIVITY_TO_DEVICE, w->to, w->data, w->bytes);
    return NULL;
}

static fl_status upload_locked(fl_queue *queue, void *to, const void *host, size_t bytes)
{
    if (bytes > UPLOAD_QUEUED) fl_queue_drain(queue);
    if (fl_queue_idle(queue)) {
        fl_activity_copy(FL_ACTIVITY_TO_DEVICE, to, host, bytes);
        return NULL;
    }
    upload_work *w = fl_queue_payload(queue, sizeof *w + bytes);
    FL_CHECK(w, FL_OOM, "out of host memory");
    w->to = to;
    w->bytes = bytes;
    memcpy(w->data, host, bytes);
    return fl_queue_submit(queue, run_upload);
}

fl_status fl_streams_upload(fl_device *device, int stream, const void *host, size_t bytes, fl_buffer *buffer,
                            int64_t offset)
{
    fl_lane *lane;
    FL_TRY(fl_buffer_check(device, buffer));
    FL_TRY(fl_lane_get(fl_cpu_self(device), stream, &lane));
    fl_activity_enter(device->index, stream);
    fl_queue_lock(lane->queue);
    fl_status status = upload_locked(lane->queue, (char *)fl_memory_pointer(buffer) + offset, host, bytes);
    fl_queue_unlock(lane->queue);
    return status;
}

fl_status fl_streams_download(fl_device *device, int stream, fl_buffer *buffer, int64_t offset, size_t bytes,
                              void *host)
{
    fl_lane *lane;
    FL_TRY(fl_buffer_check(device, buffer));
    FL_TRY(fl_lane_get(fl_cpu_self(device), stream, &lane));
    fl_activity_enter(device->index, stream);
    fl_queue_lock(lane->queue);
    fl_queue_drain(lane->queue);
    fl_activity_copy(FL_ACTIVITY_FROM_DEVICE, host, (char *)fl_memory_pointer(buffer) + offset, bytes);
    fl_queue_unlock(lane->queue);
    return fl_queue_take_error(lane->queue);
}

typedef struct copy_work {
    fl_activity_kind kind;
    void *to;
    const void *from;
    size_t bytes;
} copy_work;

static fl_status run_copy(void *payload)
{
    const copy_work *w = payload;
    fl_activity_copy(w->kind, w->to, w->from, w->bytes);
    return NULL;
}

static fl_status copy_later(fl_device *device, int stream, fl_activity_kind kind, void *to, const void *from,
                            size_t bytes)
{
    fl_lane *lane;
    fl_status status = NULL;
    FL_TRY(fl_lane_get(fl_cpu_self(device), stream, &lane));
    fl_activity_enter(device->index, stream);
    fl_queue_lock(lane->queue);
    if (bytes <= COPIED_AT_ONCE && fl_queue_idle(lane->queue)) {
        fl_activity_copy(kind, to, from, bytes);
    } else {
        copy_work *w = fl_queue_payload(lane->queue, sizeof *w);
        *w = (copy_work){kind, to, from, bytes};
        status = fl_queue_submit(lane->queue, run_copy);
    }
    fl_queue_unlock(lane->queue);
    return status;
}

fl_status fl_streams_upload_later(fl_device *device, int stream, const void *host, size_t bytes,
                                  fl_buffer *buffer, int64_t offset)
{
    FL_TRY(fl_buffer_check(device, buffer));
    return copy_later(device, stream, FL_ACTIVITY_TO_DEVICE, (char *)fl_memory_pointer(buffer) + offset, host,
                      bytes);
}

fl_status fl_streams_download_later(fl_device *device, int stream, fl_buffer *buffer, int64_t offset,
                                    size_t bytes, void *host)
{
    FL_TRY(fl_buffer_check(device, buffer));
    return copy_later(device, stream, FL_ACTIVITY_FROM_DEVICE, host,
                      (char *)fl_memory_pointer(buffer) + offset, bytes);
}
