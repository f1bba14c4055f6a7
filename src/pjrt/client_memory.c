/* What lies in buffers of a PJRT device: storages, and copies between them and the host. */
#include "pjrt/client_device.h"

#include <stdlib.h>
#include <string.h>

/* Begins the copy of dense host data, which the plugin may use as `semantics` say until *done. */
static fl_status begin_upload(fl_pjrt_device *d, const void *data, const fl_type *type,
                              PJRT_HostBufferSemantics semantics, PJRT_Buffer **out, PJRT_Event **done)
{
    const PJRT_Api *api = d->plugin->api;
    PJRT_Buffer_Type element = fl_pjrt_type((fl_dtype)type->dtype);
    FL_CHECK(element != PJRT_Buffer_Type_INVALID, FL_UNSUPPORTED, "PJRT has no type %s",
             fl_dtype_name((fl_dtype)type->dtype));
    FL_PJRT_CALL(args, PJRT_Client_BufferFromHostBuffer, .client = d->plugin->client, .data = data,
                 .type = element, .dims = type->dims, .num_dims = type->rank,
                 .host_buffer_semantics = semantics, .device = d->handle);
    FL_TRY(fl_pjrt_error(api, api->PJRT_Client_BufferFromHostBuffer(&args), "copy to device"));
    *out = args.buffer;
    *done = args.done_with_host_buffer;
    return NULL;
}

static fl_status finish_upload(fl_pjrt_device *d, PJRT_Event *done, PJRT_Buffer **out)
{
    fl_status status = fl_pjrt_await(d->plugin->api, done, "copy to device");
    if (!status) return NULL;
    fl_pjrt_buffer_destroy(d->plugin->api, *out);
    *out = NULL;
    return status;
}

fl_status fl_pjrt_to_device(fl_pjrt_device *d, const void *data, const fl_type *type, PJRT_Buffer **out)
{
    PJRT_Event *done;
    FL_TRY(begin_upload(d, data, type, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, out, &done));
    return finish_upload(d, done, out);
}

/* Memory of ours that the plugin reads, or uses as the array itself, for as long as it likes. */
typedef struct lent {
    const PJRT_Api *api;
    void *memory;
} lent;

static void take_back(PJRT_Error *error, void *user)
{
    lent *l = user;
    FL_PJRT_CALL(destroy, PJRT_Error_Destroy, .error = error);
    if (error) l->api->PJRT_Error_Destroy(&destroy); /* whoever reads the array hears of it */
    free(l->memory);
    free(l);
}

enum { ZERO_COPY_MINOR = 54 };

/* Nothing is copied here, and nothing waited for. */
fl_status fl_storage_give(fl_pjrt_device *d, void *memory, const fl_type *type, PJRT_Buffer **out)
{
    const PJRT_Api *api = d->plugin->api;
    PJRT_Event *done;
    lent *l = malloc(sizeof *l);
    FL_CHECK(l, FL_OOM, "out of host memory");
    *l = (lent){api, memory};
    fl_status status = begin_upload(d, memory, type,
                                    api->pjrt_api_version.minor_version < ZERO_COPY_MINOR
                                        ? PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes
                                        : PJRT_HostBufferSemantics_kMutableZeroCopy,
                                    out, &done);
    if (status) {
        free(l);
        return status;
    }
    if (!done) { /* it is done already */
        take_back(NULL, l);
        return NULL;
    }
    FL_PJRT_CALL(args, PJRT_Event_OnReady, .event = done, .callback = take_back, .user_arg = l);
    status = fl_pjrt_error(api, api->PJRT_Event_OnReady(&args), "PJRT_Event_OnReady");
    fl_pjrt_event_destroy(api, done);
    if (!status) return NULL;
    fl_pjrt_buffer_destroy(api, *out); /* the memory is lost: the plugin may still read it */
    free(l);
    return status;
}

/* Row-major whatever the device's own order is. */
fl_status fl_pjrt_to_host(fl_pjrt_device *d, PJRT_Buffer *array, const fl_type *type, void *out)
{
    const PJRT_Api *api = d->plugin->api;
    int64_t order[FL_MAX_RANK + 1];
    for (int i = 0; i < type->rank; i++) order[i] = type->rank - 1 - i;
    PJRT_Buffer_MemoryLayout layout = {
        .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
        .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
        .tiled = {.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                  .minor_to_major = order,
                  .minor_to_major_size = type->rank},
    };
    FL_PJRT_CALL(args, PJRT_Buffer_ToHostBuffer, .src = array, .host_layout = &layout, .dst = out,
                 .dst_size = fl_type_bytes(type));
    FL_TRY(fl_pjrt_error(api, api->PJRT_Buffer_ToHostBuffer(&args), "copy from device"));
    return fl_pjrt_await(api, args.event, "copy from device");
}

void fl_storage_clear(fl_pjrt_device *d, fl_storage *s)
{
    fl_pjrt_buffer_destroy(d->plugin->api, s->array);
    free(s->host);
    free(s->exact);
    s->array = NULL;
    s->host = NULL;
    s->exact = NULL;
}

void fl_storage_set(fl_pjrt_device *d, fl_storage *s, PJRT_Buffer *array, const fl_type *type)
{
    fl_storage_clear(d, s);
    s->array = array;
    s->type = *type;
    s->type.more = NULL;
}

/* Room for one element more than the bytes hold, as arrays may have. Aligned so that plugins can use it as it is. */
void *fl_storage_host(size_t bytes, size_t begin)
{
    size_t room = (bytes + 16 + 63) & ~(size_t)63;
    char *host = aligned_alloc(64, room);
    if (host) memset(host + begin, 0, room - begin);
    return host;
}

fl_status fl_storage_to_device(fl_pjrt_device *d, fl_buffer *buffer, const fl_type *type)
{
    fl_storage *s = fl_storage_of(buffer);
    size_t width = fl_dtype_bytes((fl_dtype)type->dtype);
    int64_t count = (int64_t)((buffer->bytes + width - 1) / width);
    fl_type array_type =
        fl_type_bytes(type) == buffer->bytes ? *type : fl_type_make((fl_dtype)type->dtype, 1, &count);
    PJRT_Buffer *array;
    FL_TRY(fl_storage_give(d, s->host, &array_type, &array));
    s->host = NULL;
    fl_storage_set(d, s, array, &array_type);
    return NULL;
}

/* Brings the bytes to the host, to be changed there. Arrays may be an element longer than the buffer. */
static fl_status bring_to_host(fl_pjrt_device *d, fl_buffer *buffer)
{
    fl_storage *s = fl_storage_of(buffer);
    if (s->exact) return fl_storage_narrow(d, buffer);
    if (s->host) return NULL;
    void *host = fl_storage_host(buffer->bytes, 0);
    FL_CHECK(host, FL_OOM, "out of host memory");
    fl_status status = s->array ? fl_pjrt_to_host(d, s->array, &s->type, host) : NULL;
    if (status) {
        free(host);
        return status;
    }
    fl_storage_clear(d, s);
    s->host = host;
    return NULL;
}

fl_status fl_storage_check(const fl_buffer *buffer, int64_t offset, size_t bytes)
{
    FL_CHECK(offset >= 0 && (size_t)offset <= buffer->bytes && bytes <= buffer->bytes - (size_t)offset,
             FL_INVALID, "expected at most %zu bytes of a buffer, got %zu from %lld on", buffer->bytes, bytes,
             (long long)offset);
    return NULL;
}

fl_status fl_storage_upload(fl_pjrt_device *d, fl_buffer *buffer, int64_t offset, const void *data,
                            size_t bytes)
{
    fl_storage *s = fl_storage_of(buffer);
    FL_TRY(fl_storage_check(buffer, offset, bytes));
    if (!bytes) return NULL;
    if (bytes == buffer->bytes) { /* nothing of it remains */
        fl_storage_clear(d, s);
        s->host = fl_storage_host(buffer->bytes, bytes);
        FL_CHECK(s->host, FL_OOM, "out of host memory");
    }
    FL_TRY(bring_to_host(d, buffer));
    memcpy((char *)s->host + offset, data, bytes);
    return NULL;
}

fl_status fl_storage_download(fl_pjrt_device *d, fl_buffer *buffer, int64_t offset, void *out, size_t bytes)
{
    const fl_storage *s = fl_storage_of(buffer);
    if (s->host) {
        memcpy(out, (char *)s->host + offset, bytes);
        return NULL;
    }
    const fl_type *type = s->exact ? s->exact : &s->type;
    size_t have = s->array ? fl_type_bytes(type) : 0;
    if (have == bytes && !offset && bytes && s->exact) return fl_storage_read_exact(d, s, out);
    if (have == bytes && !offset && bytes) return fl_pjrt_to_host(d, s->array, &s->type, out);
    memset(out, 0, bytes);
    if ((size_t)offset >= have || !bytes) return NULL;
    char *all = malloc(have);
    FL_CHECK(all, FL_OOM, "out of host memory");
    fl_status status =
        s->exact ? fl_storage_read_exact(d, s, all) : fl_pjrt_to_host(d, s->array, &s->type, all);
    if (!status) memcpy(out, all + offset, have - (size_t)offset < bytes ? have - (size_t)offset : bytes);
    free(all);
    return status;
}
