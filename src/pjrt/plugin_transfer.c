/* Buffers from the host's memory, to it, and from one memory to another. */
#include "pjrt/plugin.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64 /* of memory that is used in place */

/* Whether strides are those of the order. */
static int is_dense(const int64_t *strides, const int64_t *order, const int64_t *dims, size_t rank,
                    size_t element)
{
    int64_t dense[FL_MAX_RANK];
    fl_plugin_order_strides(order, dims, rank, element, dense);
    for (size_t d = 0; d < rank; d++)
        if (dims[d] > 1 && strides[d] != dense[d]) return 0;
    return 1;
}

/* ---- from the host ---- */

/* A storage that is the caller's memory. */
static fl_status wrap(fl_plugin_memory *m, void *data, size_t bytes, fl_storage **out)
{
    fl_storage *s = calloc(1, sizeof *s);
    FL_CHECK(s, FL_OOM, "out of host memory");
    *s = (fl_storage){.references = 1, .device = m->device, .data = data, .bytes = bytes, .pinned = 1};
    *out = s;
    return NULL;
}

static fl_status host_storage(const PJRT_Client_BufferFromHostBuffer_Args *args, fl_plugin_memory *m,
                              size_t bytes, const int64_t *strides, const int64_t *order, size_t element,
                              fl_storage **out)
{
    int in_place = args->host_buffer_semantics >= PJRT_HostBufferSemantics_kImmutableZeroCopy && bytes &&
                   (uintptr_t)args->data % ALIGNMENT == 0 &&
                   is_dense(strides, order, args->dims, args->num_dims, element);
    if (in_place) {
        FL_TRY(wrap(m, (void *)(uintptr_t)args->data, bytes, out));
        (*out)->released = fl_plugin_event_create();
        if ((*out)->released) return NULL;
        fl_storage_release(*out);
        return fl_error(FL_OOM, "out of host memory");
    }
    int64_t dense[FL_MAX_RANK];
    FL_TRY(fl_storage_create(m, bytes, out));
    fl_plugin_order_strides(order, args->dims, args->num_dims, element, dense);
    if (bytes) fl_plugin_copy((*out)->data, dense, args->data, strides, args->dims, args->num_dims, element);
    return NULL;
}

fl_status fl_plugin_PJRT_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args *args)
{
    fl_plugin_memory *m;
    fl_storage *s = NULL;
    size_t bytes, element = fl_plugin_type_bytes(args->type);
    int64_t strides[FL_MAX_RANK], order[FL_MAX_RANK];
    FL_TRY(fl_plugin_place(args->client, args->device, args->memory, &m));
    FL_TRY(fl_plugin_shape_bytes(args->type, args->dims, args->num_dims, &bytes));
    FL_CHECK(args->data || !bytes, FL_INVALID, "expected %zu bytes of data, got NULL", bytes);
    FL_CHECK((unsigned)args->host_buffer_semantics <= PJRT_HostBufferSemantics_kMutableZeroCopy, FL_INVALID,
             "expected semantics of the host's buffer from 0 to 3, got %d", (int)args->host_buffer_semantics);
    FL_TRY(fl_plugin_layout_order(args->device_layout, args->dims, args->num_dims, element, order));
    if (args->byte_strides && args->num_byte_strides) {
        FL_CHECK(args->num_byte_strides == args->num_dims, FL_INVALID, "expected %zu strides, got %zu",
                 args->num_dims, args->num_byte_strides);
        memcpy(strides, args->byte_strides, args->num_dims * sizeof *strides);
    } else {
        fl_plugin_dense_strides(args->dims, args->num_dims, element, strides);
    }
    FL_TRY(host_storage(args, m, bytes, strides, order, element, &s));
    PJRT_Event *done = s->released ? fl_plugin_event_share(s->released) : fl_plugin_event_done();
    fl_status status =
        fl_plugin_buffer_create(m, args->type, args->dims, args->num_dims, s, NULL, &args->buffer);
    if (status) {
        fl_plugin_event_release(done);
        return status;
    }
    memcpy(args->buffer->minor_to_major, order, args->num_dims * sizeof *order);
    args->done_with_host_buffer = done;
    return NULL;
}

fl_status fl_plugin_PJRT_Client_CreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args *args)
{
    fl_plugin_memory *m;
    fl_storage *s = NULL;
    size_t bytes, element = fl_plugin_type_bytes(args->element_type);
    int64_t order[FL_MAX_RANK];
    FL_TRY(fl_plugin_place(args->client, args->device, args->memory, &m));
    FL_TRY(fl_plugin_shape_bytes(args->element_type, args->dims, args->num_dims, &bytes));
    FL_CHECK(args->device_buffer_ptr || !bytes, FL_INVALID, "expected memory, got NULL");
    FL_TRY(fl_plugin_layout_order(args->layout, args->dims, args->num_dims, element, order));
    FL_TRY(wrap(m, args->device_buffer_ptr, bytes, &s));
    PJRT_Buffer *buffer;
    FL_TRY(fl_plugin_buffer_create(m, args->element_type, args->dims, args->num_dims, s, NULL, &buffer));
    memcpy(buffer->minor_to_major, order, args->num_dims * sizeof *order);
    s->on_delete = args->on_delete_callback; /* from here on: a failed call deletes nothing */
    s->user = args->on_delete_callback_arg;
    args->buffer = buffer;
    return NULL;
}

fl_status fl_plugin_PJRT_Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args *args)
{
    fl_plugin_memory *m;
    fl_storage *s = NULL;
    size_t bytes, element = fl_plugin_type_bytes(args->shape_element_type);
    int64_t order[FL_MAX_RANK];
    FL_TRY(fl_plugin_place(args->client, args->device, args->memory, &m));
    FL_TRY(fl_plugin_shape_bytes(args->shape_element_type, args->shape_dims, args->shape_num_dims, &bytes));
    FL_TRY(
        fl_plugin_layout_order(args->shape_layout, args->shape_dims, args->shape_num_dims, element, order));
    FL_TRY(fl_storage_create(m, bytes, &s));
    FL_TRY(fl_plugin_buffer_create(m, args->shape_element_type, args->shape_dims, args->shape_num_dims, s,
                                   NULL, &args->buffer));
    memcpy(args->buffer->minor_to_major, order, args->shape_num_dims * sizeof *order);
    return NULL;
}

/* A buffer that will never hold anything: whoever reads it gets the error. */
fl_status fl_plugin_PJRT_Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args *args)
{
    fl_plugin_memory *m;
    fl_storage *s = NULL;
    size_t bytes;
    FL_CHECK(args->error_code != PJRT_Error_Code_OK, FL_INVALID, "expected the code of an error, got OK");
    FL_CHECK(args->error_message || !args->error_message_size, FL_INVALID, "expected a message, got NULL");
    FL_TRY(fl_plugin_place(args->client, NULL, args->memory, &m));
    FL_TRY(fl_plugin_shape_bytes(args->shape_element_type, args->shape_dims, args->shape_num_dims, &bytes));
    FL_TRY(fl_storage_create(m, 0, &s));
    PJRT_Event *failed = fl_plugin_event_create();
    if (!failed) {
        fl_storage_release(s);
        return fl_error(FL_OOM, "out of host memory");
    }
    fl_plugin_event_complete(failed, args->error_code, args->error_message, args->error_message_size);
    return fl_plugin_buffer_create(m, args->shape_element_type, args->shape_dims, args->shape_num_dims, s,
                                   failed, &args->buffer);
}

/* ---- copies that may have to wait for the buffer ---- */

/* The memory of a buffer, which nobody overwrites until it is unpinned. */
static fl_status pin(PJRT_Buffer *b, fl_storage **out, PJRT_Event **out_ready)
{
    pthread_mutex_lock(&b->client->lock);
    fl_storage *s = b->storage ? fl_storage_share(b->storage) : NULL;
    if (s) __atomic_add_fetch(&s->pinned, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&b->client->lock);
    FL_CHECK(s, FL_INVALID, "the buffer has been deleted or donated");
    *out = s;
    *out_ready = fl_plugin_event_share(b->ready);
    return NULL;
}

static void unpin(fl_storage *s)
{
    __atomic_sub_fetch(&s->pinned, 1, __ATOMIC_SEQ_CST);
    fl_storage_release(s);
}

typedef struct copy_job {
    fl_job job;
    fl_storage *from, *to; /* `to` NULL: `host` */
    PJRT_Event *ready, *done;
    void *host;
    size_t offset, bytes; /* of a plain copy */
    int plain;
    size_t rank, element;
    int64_t dims[FL_MAX_RANK], strides[FL_MAX_RANK],
        own[FL_MAX_RANK]; /* strides of the host's array, and of the buffer's */
} copy_job;

static void run_copy(fl_job *job)
{
    copy_job *c = (copy_job *)job;
    fl_status status = fl_stream_wait(c->from->device->stream, c->ready);
    if (!status && c->plain) {
        void *to = c->to ? c->to->data : c->host;
        if (c->bytes) memcpy(to, (const char *)c->from->data + c->offset, c->bytes);
    } else if (!status) {
        fl_plugin_copy(c->host, c->strides, c->from->data, c->own, c->dims, c->rank, c->element);
    }
    unpin(c->from);
    fl_storage_release(c->to);
    fl_plugin_event_finish(c->done, status);
    fl_plugin_event_release(c->done);
    fl_plugin_event_release(c->ready);
    free(c);
}

/* Begins a copy from `b`; what is to be copied is filled in by the caller. */
static fl_status begin_copy(PJRT_Buffer *b, copy_job **out)
{
    copy_job *c = calloc(1, sizeof *c);
    FL_CHECK(c, FL_OOM, "out of host memory");
    fl_status status = pin(b, &c->from, &c->ready);
    if (!status && !(c->done = fl_plugin_event_create())) {
        unpin(c->from);
        fl_plugin_event_release(c->ready);
        status = fl_error(FL_OOM, "out of host memory");
    }
    if (status) {
        free(c);
        return status;
    }
    c->job.run = run_copy;
    *out = c;
    return NULL;
}

/* Does it now when the buffer is ready, else after what is queued; *out_done is a reference to its event. */
static fl_status start_copy(PJRT_Buffer *b, copy_job *c, PJRT_Event **out_done)
{
    PJRT_Event *done = fl_plugin_event_share(c->done);
    if (fl_plugin_event_is_done(c->ready)) {
        run_copy(&c->job);
    } else {
        fl_status status = fl_stream_submit(b->device->stream, &c->job, 0);
        if (status) {
            fl_plugin_event_finish(c->done, status);
            run_copy(&c->job); /* waits; its event stays failed */
        }
    }
    *out_done = done;
    return NULL;
}

static fl_status to_host(PJRT_Buffer_ToHostBuffer_Args *args, const int64_t *dims, const int64_t *strides,
                         size_t bytes, int plain)
{
    PJRT_Buffer *b = args->src;
    copy_job *c = NULL;
    FL_TRY(begin_copy(b, &c));
    c->host = args->dst;
    c->bytes = bytes;
    c->plain = plain;
    c->rank = b->rank;
    c->element = fl_plugin_type_bytes(b->type);
    memcpy(c->dims, dims, b->rank * sizeof *dims);
    memcpy(c->strides, strides, sizeof c->strides);
    fl_plugin_order_strides(b->minor_to_major, b->dims, b->rank, c->element, c->own);
    return start_copy(b, c, &args->event);
}

/* What the strides reach must lie within the bytes given; negative strides would begin before them. */
static fl_status check_reach(const int64_t *strides, const int64_t *dims, size_t rank, size_t element,
                             size_t bytes)
{
    int64_t end = (int64_t)element;
    for (size_t d = 0; d < rank; d++) {
        int64_t step;
        if (dims[d] == 0) return NULL;
        FL_CHECK(dims[d] == 1 ||
                     (strides[d] >= 0 && !__builtin_mul_overflow(dims[d] - 1, strides[d], &step) &&
                      !__builtin_add_overflow(end, step, &end)),
                 FL_INVALID, "layout: expected strides of at least 0 within the buffer, got %lld",
                 (long long)strides[d]);
    }
    FL_CHECK((uint64_t)end <= bytes, FL_INVALID, "expected room for %lld bytes, got %zu", (long long)end,
             bytes);
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args *args)
{
    PJRT_Buffer *b = args->src;
    size_t bytes, element = fl_plugin_type_bytes(b->type);
    int64_t strides[FL_MAX_RANK] = {0};
    const int64_t *dims = b->dims;
    if (b->open) FL_TRY(fl_bounded_filled(b, &dims)); /* the host gets what is filled */
    FL_TRY(fl_plugin_shape_bytes(b->type, dims, b->rank, &bytes));
    if (args->host_layout)
        FL_TRY(fl_plugin_layout_strides(args->host_layout, dims, b->rank, element, strides));
    else /* the buffer's own, says the interface */
        fl_plugin_order_strides(b->minor_to_major, dims, b->rank, element, strides);
    if (!args->dst) { /* a question */
        args->dst_size = bytes;
        args->event = NULL;
        return NULL;
    }
    FL_CHECK(args->dst_size >= bytes, FL_INVALID, "expected room for %zu bytes, got %zu", bytes,
             args->dst_size);
    FL_TRY(check_reach(strides, dims, b->rank, element, args->dst_size));
    int plain = !b->open && is_dense(strides, b->minor_to_major, dims, b->rank, element);
    return to_host(args, dims, strides, bytes, plain);
}

static fl_status raw_copy(PJRT_Buffer *b, void *dst, int64_t offset, int64_t size, PJRT_Event **out)
{
    copy_job *c = NULL;
    size_t bytes;
    FL_TRY(fl_plugin_shape_bytes(b->type, b->dims, b->rank, &bytes));
    FL_CHECK(offset >= 0 && size >= 0 && (uint64_t)offset <= bytes &&
                 (uint64_t)size <= bytes - (uint64_t)offset,
             FL_INVALID, "expected a range within %zu bytes, got %lld at %lld", bytes, (long long)size,
             (long long)offset);
    FL_CHECK(dst || !size, FL_INVALID, "expected memory to copy to, got NULL");
    FL_TRY(begin_copy(b, &c));
    c->host = dst;
    c->plain = 1;
    c->offset = (size_t)offset;
    c->bytes = (size_t)size;
    return start_copy(b, c, out);
}

fl_status fl_plugin_PJRT_Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args *args)
{
    return raw_copy(args->buffer, args->dst, args->offset, args->transfer_size, &args->event);
}

/* ---- a copy whose destination is told later ---- */

typedef struct future_copy {
    fl_storage *from;
    PJRT_Event *ready, *done;
    size_t offset, bytes;
} future_copy;

static void future_ready(PJRT_Buffer_CopyRawToHostFuture_Callback_Args *args)
{
    future_copy *f = args->callback_data;
    fl_status status = fl_plugin_event_wait(f->ready);
    if (args->error_code != PJRT_Error_Code_OK) {
        fl_plugin_event_complete(f->done, args->error_code, args->error_message, args->error_message_size);
    } else if (!status && !args->dst && f->bytes) {
        status = fl_error(FL_INVALID, "expected memory to copy to, got NULL");
    } else if (!status && f->bytes) {
        memcpy(args->dst, (const char *)f->from->data + f->offset, f->bytes);
    }
    unpin(f->from);
    fl_plugin_event_finish(f->done, status);
    fl_plugin_event_release(f->done);
    fl_plugin_event_release(f->ready);
    free(f);
}

fl_status fl_plugin_PJRT_Buffer_CopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args *args)
{
    PJRT_Buffer *b = args->buffer;
    size_t bytes;
    int64_t offset = args->offset, size = args->transfer_size;
    FL_TRY(fl_plugin_shape_bytes(b->type, b->dims, b->rank, &bytes));
    FL_CHECK(offset >= 0 && size >= 0 && (uint64_t)offset <= bytes &&
                 (uint64_t)size <= bytes - (uint64_t)offset,
             FL_INVALID, "expected a range within %zu bytes, got %lld at %lld", bytes, (long long)size,
             (long long)offset);
    future_copy *f = calloc(1, sizeof *f);
    FL_CHECK(f, FL_OOM, "out of host memory");
    f->offset = (size_t)offset;
    f->bytes = (size_t)size;
    f->done = fl_plugin_event_create();
    fl_status status = f->done ? pin(b, &f->from, &f->ready) : fl_error(FL_OOM, "out of host memory");
    if (status) {
        fl_plugin_event_release(f->done);
        free(f);
        return status;
    }
    args->event = fl_plugin_event_share(f->done);
    args->callback_data = f;
    args->future_ready_callback = future_ready;
    return NULL;
}

/* ---- to another memory ---- */

static fl_status copy_to(PJRT_Buffer *b, fl_plugin_memory *m, PJRT_Buffer **out)
{
    copy_job *c = NULL;
    fl_storage *to;
    PJRT_Event *done;
    size_t bytes;
    FL_TRY(fl_plugin_shape_bytes(b->type, b->dims, b->rank, &bytes));
    FL_TRY(begin_copy(b, &c));
    fl_status status = fl_storage_create(m, bytes, &to);
    if (status) {
        fl_plugin_event_release(c->done);
        fl_plugin_event_release(c->ready);
        unpin(c->from);
        free(c);
        return status;
    }
    c->to = fl_storage_share(to);
    c->plain = 1;
    c->bytes = bytes;
    FL_TRY(start_copy(b, c, &done));
    FL_TRY(fl_plugin_buffer_create(m, b->type, b->dims, b->rank, to, done, out));
    memcpy((*out)->minor_to_major, b->minor_to_major, b->rank * sizeof *b->minor_to_major);
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args *args)
{
    PJRT_Device *d = args->dst_device;
    FL_CHECK(d, FL_INVALID, "expected a device, got NULL");
    FL_CHECK(d->client == args->buffer->client, FL_INVALID, "expected a device of the same client");
    return copy_to(args->buffer, &d->memories[0], &args->dst_buffer);
}

fl_status fl_plugin_PJRT_Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args *args)
{
    fl_plugin_memory *m;
    FL_CHECK(args->dst_memory, FL_INVALID, "expected a memory, got NULL");
    FL_TRY(fl_plugin_place(args->buffer->client, NULL, args->dst_memory, &m));
    return copy_to(args->buffer, m, &args->dst_buffer);
}
