/* Buffers that come before their contents: aliases, and donations that wait for something. Executions that are called off. */
#include "pjrt/plugin.h"

#include <stdlib.h>
#include <string.h>

/* ---- one event after another ---- */

typedef struct follower {
    PJRT_Event *before, *after;
    fl_storage *from, *to; /* NULL, or copied in between */
} follower;

static void free_follower(follower *f)
{
    fl_plugin_event_release(f->before);
    fl_plugin_event_release(f->after);
    fl_storage_release(f->from);
    fl_storage_release(f->to);
    free(f);
}

static void follow(PJRT_Error *error, void *user)
{
    follower *f = user;
    PJRT_Error_Destroy_Args destroy = {.error = error};
    fl_plugin_Error_Destroy(&destroy); /* the event says it too */
    fl_status status = fl_plugin_event_wait(f->before);
    if (!status && f->from && f->to->bytes) memcpy(f->to->data, f->from->data, f->to->bytes);
    fl_plugin_event_finish(f->after, status);
    free_follower(f);
}

/* Takes over `f`. */
static void start_following(follower *f)
{
    if (fl_plugin_event_is_done(f->before)) {
        follow(NULL, f);
        return;
    }
    PJRT_Event_OnReady_Args wait = {.event = f->before, .callback = follow, .user_arg = f};
    fl_status status = fl_plugin_PJRT_Event_OnReady(&wait);
    if (!status) return;
    fl_plugin_event_finish(f->after, status);
    free_follower(f);
}

/* ---- alias buffers: memory that another buffer's contents come to ---- */

struct PJRT_FulfillAliasBufferCallback {
    PJRT_Event *ready;
    fl_storage *storage;
    PJRT_Buffer_Type type;
    size_t rank;
    int64_t dims[FL_MAX_RANK], minor_to_major[FL_MAX_RANK];
};
typedef PJRT_FulfillAliasBufferCallback promise;

static void free_promise(promise *p)
{
    fl_plugin_event_release(p->ready);
    fl_storage_release(p->storage);
    free(p);
}

static fl_status fill_promise(fl_plugin_memory *memory, const PJRT_Client_CreateAliasBuffer_Args *args,
                              promise *p)
{
    size_t bytes;
    p->type = args->shape_element_type;
    p->rank = args->shape_num_dims;
    FL_TRY(fl_plugin_shape_bytes(p->type, args->shape_dims, p->rank, &bytes));
    if (p->rank) memcpy(p->dims, args->shape_dims, p->rank * sizeof *p->dims);
    FL_TRY(fl_plugin_layout_order(args->shape_layout, p->dims, p->rank, fl_plugin_type_bytes(p->type),
                                  p->minor_to_major));
    FL_TRY(fl_storage_create(memory, bytes, &p->storage));
    p->ready = fl_plugin_event_create();
    FL_CHECK(p->ready, FL_OOM, "out of host memory");
    return NULL;
}

fl_status fl_plugin_PJRT_Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args *args)
{
    fl_plugin_memory *memory;
    FL_TRY(fl_plugin_place(args->client, NULL, args->memory, &memory));
    promise *p = calloc(1, sizeof *p);
    FL_CHECK(p, FL_OOM, "out of host memory");
    fl_status status = fill_promise(memory, args, p);
    if (!status)
        status = fl_plugin_buffer_create(memory, p->type, p->dims, p->rank, fl_storage_share(p->storage),
                                         fl_plugin_event_share(p->ready), &args->alias_buffer);
    if (status) {
        free_promise(p);
        return status;
    }
    memcpy(args->alias_buffer->minor_to_major, p->minor_to_major, p->rank * sizeof *p->minor_to_major);
    args->fulfill_alias_buffer_cb = p;
    return NULL;
}

static fl_status take_contents(const promise *p, PJRT_Buffer *b, follower *f)
{
    FL_CHECK(b, FL_INVALID, "expected a buffer for the alias, got NULL");
    FL_CHECK(b->type == p->type && b->rank == p->rank &&
                 !memcmp(b->dims, p->dims, p->rank * sizeof *p->dims) &&
                 fl_plugin_same_order(b->minor_to_major, p->minor_to_major, p->dims, p->rank),
             FL_INVALID, "expected a buffer of the shape and layout of the alias");
    pthread_mutex_lock(&b->client->lock);
    if (b->storage) {
        b->storage->pinned = 1; /* it is read at a time that no stream knows */
        f->from = fl_storage_share(b->storage);
        f->before = fl_plugin_event_share(b->ready);
    }
    pthread_mutex_unlock(&b->client->lock);
    FL_CHECK(f->from, FL_INVALID, "the buffer has been deleted or donated");
    return NULL;
}

/* With a buffer, or with an error. The callback is used up, also when this fails: then the alias fails as well. */
fl_status fl_plugin_PJRT_Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args *args)
{
    promise *p = args->fulfill_alias_buffer_cb;
    FL_CHECK(p, FL_INVALID, "expected the callback of an alias, got NULL");
    FL_CHECK(args->error_message || !args->error_message_size, FL_INVALID, "expected a message, got NULL");
    if (args->status_code != PJRT_Error_Code_OK) {
        fl_plugin_event_complete(p->ready, args->status_code, args->error_message, args->error_message_size);
        free_promise(p);
        return NULL;
    }
    follower *f = calloc(1, sizeof *f);
    fl_status status = f ? take_contents(p, args->buffer, f) : fl_error(FL_OOM, "out of host memory");
    if (!status) {
        f->after = fl_plugin_event_share(p->ready);
        f->to = fl_storage_share(p->storage);
        start_following(f);
    } else {
        const char *message = fl_status_message(status);
        fl_plugin_event_complete(p->ready, fl_plugin_code(fl_status_code(status)), message, strlen(message));
        if (f) free_follower(f);
    }
    free_promise(p);
    return status;
}

/* ---- donation that waits ---- */

static void dependency_ready(PJRT_Buffer_DonateWithControlDependency_Callback_Args *args)
{
    follower *f = args ? args->callback_data : NULL;
    if (!f) return;
    if (args->error_code == PJRT_Error_Code_OK) {
        start_following(f);
        return;
    }
    fl_plugin_event_complete(f->after, args->error_code, args->error_message, args->error_message_size);
    free_follower(f);
}

/* The memory goes to a new buffer, which is ready when the client says so, and not before the old one. */
fl_status
fl_plugin_PJRT_Buffer_DonateWithControlDependency(PJRT_Buffer_DonateWithControlDependency_Args *args)
{
    PJRT_Buffer *b = args->buffer;
    follower *f = calloc(1, sizeof *f);
    PJRT_Event *after = f ? fl_plugin_event_create() : NULL;
    if (!after) {
        free(f);
        return fl_error(FL_OOM, "out of host memory");
    }
    f->after = after;
    pthread_mutex_lock(&b->client->lock);
    int alive = b->storage != NULL;
    fl_storage *s = b->external ? NULL : b->storage;
    if (s) b->storage = NULL;
    f->before = fl_plugin_event_share(b->ready);
    pthread_mutex_unlock(&b->client->lock);
    fl_status status = !alive ? fl_error(FL_INVALID, "the buffer has been deleted or donated")
                       : !s   ? fl_error(FL_INVALID, "expected a buffer without references from outside")
                              : NULL;
    if (!status)
        status = fl_plugin_buffer_create(b->memory, b->type, b->dims, b->rank, s,
                                         fl_plugin_event_share(after), &args->out_buffer);
    if (status) {
        free_follower(f);
        return status;
    }
    memcpy(args->out_buffer->minor_to_major, b->minor_to_major, sizeof b->minor_to_major);
    args->callback_data = f;
    args->dependency_ready_callback = dependency_ready;
    return NULL;
}

/* ---- tracking events: they mark work for those who look for what hangs; there is nobody who looks ---- */

struct PJRT_AsyncTrackingEvent {
    PJRT_Device *device;
};

fl_status fl_plugin_PJRT_Device_CreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args *args)
{
    args->event = calloc(1, sizeof *args->event);
    FL_CHECK(args->event, FL_OOM, "out of host memory");
    args->event->device = args->device;
    return NULL;
}

fl_status fl_plugin_PJRT_AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args *args)
{
    free(args->event);
    return NULL;
}

/* ---- executions that have not begun may be called off ---- */

fl_status fl_plugin_PJRT_Device_PoisonExecution(PJRT_Device_PoisonExecution_Args *args)
{
    FL_CHECK(args->error_code != PJRT_Error_Code_OK, FL_INVALID, "expected the code of an error, got OK");
    FL_CHECK(args->error_message || !args->error_message_size, FL_INVALID, "expected a message, got NULL");
    FL_CHECK(args->device->stream, FL_INVALID, "the client has been destroyed");
    char message[512];
    size_t size = args->error_message_size < sizeof message ? args->error_message_size : sizeof message - 1;
    if (size) memcpy(message, args->error_message, size);
    message[size] = 0;
    args->poisoned = fl_plugin_poison(args->device, args->launch_id, args->error_code, message);
    return NULL;
}
