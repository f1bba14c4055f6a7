/* Buffers: their memory, what they say of themselves, and how they end. */
#include "pjrt/plugin.h"

#include "cpu/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- element types ---- */

static const struct {
    uint8_t type, dtype;
} types[] = {
    {PJRT_Buffer_Type_PRED, FL_I1},
    {PJRT_Buffer_Type_S2, FL_I2},
    {PJRT_Buffer_Type_S4, FL_I4},
    {PJRT_Buffer_Type_S8, FL_I8},
    {PJRT_Buffer_Type_S16, FL_I16},
    {PJRT_Buffer_Type_S32, FL_I32},
    {PJRT_Buffer_Type_S64, FL_I64},
    {PJRT_Buffer_Type_U2, FL_U2},
    {PJRT_Buffer_Type_U4, FL_U4},
    {PJRT_Buffer_Type_U8, FL_U8},
    {PJRT_Buffer_Type_U16, FL_U16},
    {PJRT_Buffer_Type_U32, FL_U32},
    {PJRT_Buffer_Type_U64, FL_U64},
    {PJRT_Buffer_Type_F16, FL_F16},
    {PJRT_Buffer_Type_F32, FL_F32},
    {PJRT_Buffer_Type_F64, FL_F64},
    {PJRT_Buffer_Type_BF16, FL_BF16},
    {PJRT_Buffer_Type_C64, FL_C64},
    {PJRT_Buffer_Type_C128, FL_C128},
    {PJRT_Buffer_Type_F8E5M2, FL_F8E5M2},
    {PJRT_Buffer_Type_F8E4M3FN, FL_F8E4M3FN},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, FL_F8E4M3B11FNUZ},
    {PJRT_Buffer_Type_F8E5M2FNUZ, FL_F8E5M2FNUZ},
    {PJRT_Buffer_Type_F8E4M3FNUZ, FL_F8E4M3FNUZ},
    {PJRT_Buffer_Type_F8E4M3, FL_F8E4M3},
    {PJRT_Buffer_Type_F8E3M4, FL_F8E3M4},
    {PJRT_Buffer_Type_F8E8M0FNU, FL_F8E8M0FNU},
    {PJRT_Buffer_Type_F4E2M1FN, FL_F4E2M1FN},
    {PJRT_Buffer_Type_F6E2M3FN, FL_F6E2M3FN},
    {PJRT_Buffer_Type_F6E3M2FN, FL_F6E3M2FN},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

fl_dtype fl_plugin_dtype(PJRT_Buffer_Type type)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (types[i].type == type) return (fl_dtype)types[i].dtype;
    return FL_DTYPE_NONE;
}

PJRT_Buffer_Type fl_plugin_type(fl_dtype dtype)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (types[i].dtype == dtype) return (PJRT_Buffer_Type)types[i].type;
    return PJRT_Buffer_Type_INVALID;
}

size_t fl_plugin_type_bytes(PJRT_Buffer_Type type)
{
    fl_dtype dtype = fl_plugin_dtype(type);
    return dtype ? fl_dtype_bytes(dtype) : 0;
}

fl_status fl_plugin_shape_bytes(PJRT_Buffer_Type type, const int64_t *dims, size_t rank, size_t *out)
{
    fl_dtype dtype = fl_plugin_dtype(type);
    FL_CHECK(dtype || type == PJRT_Buffer_Type_TOKEN, FL_INVALID, "expected a known element type, got %d",
             (int)type);
    FL_CHECK(rank <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions, got %zu", FL_MAX_RANK,
             rank);
    FL_CHECK(dims || !rank, FL_INVALID, "expected %zu dimensions, got NULL", rank);
    for (size_t i = 0; i < rank; i++)
        FL_CHECK(dims[i] >= 0, FL_INVALID, "expected dimension %zu of at least 0, got %lld", i,
                 (long long)dims[i]);
    *out = 0;
    if (!dtype) return NULL;
    fl_type t = fl_type_make(dtype, (int)rank, dims);
    FL_TRY(fl_type_check(&t));
    *out = fl_type_bytes(&t);
    return NULL;
}

fl_status fl_plugin_place(PJRT_Client *client, PJRT_Device *device, PJRT_Memory *memory,
                          fl_plugin_memory **out)
{
    fl_plugin_memory *m = (fl_plugin_memory *)memory;
    if (!m) m = &(device ? device : client->device_pointers[0])->memories[0];
    FL_CHECK(m->device->client == client, FL_INVALID,
             "expected a memory of this client, got %s of another one", m->text);
    *out = m;
    return NULL;
}

/* ---- storages ---- */

fl_status fl_storage_create(fl_plugin_memory *memory, size_t bytes, fl_storage **out)
{
    fl_storage *s = calloc(1, sizeof *s);
    fl_device *d = memory->device->device;
    fl_status status = NULL;
    FL_CHECK(s, FL_OOM, "out of host memory");
    s->references = 1;
    s->device = memory->device;
    s->bytes = bytes;
    if (memory->kind == 0) {
        status = d->vtable->allocate(d, 0, bytes, &s->block);
        if (fl_status_code(status) == FL_OOM && s->device->stream) { /* what is queued holds memory */
            fl_status_free(status);
            fl_stream_drain(s->device->stream);
            status = d->vtable->allocate(d, 0, bytes, &s->block);
        }
        if (!status) s->data = fl_memory_pointer(s->block);
    } else if (posix_memalign(&s->data, 64, bytes ? bytes : 1)) {
        status = fl_error(FL_OOM, "no host memory for %zu bytes", bytes);
    }
    if (status) {
        free(s);
        return status;
    }
    s->owned = memory->kind != 0;
    *out = s;
    return NULL;
}

fl_storage *fl_storage_share(fl_storage *s)
{
    __atomic_add_fetch(&s->references, 1, __ATOMIC_RELAXED);
    return s;
}

void fl_storage_release(fl_storage *s)
{
    if (!s || __atomic_sub_fetch(&s->references, 1, __ATOMIC_ACQ_REL)) return;
    fl_device *d = s->device->device;
    if (s->block) d->vtable->release(d, s->block);
    if (s->owned) free(s->data);
    if (s->on_delete) s->on_delete(s->data, s->user);
    if (s->released) fl_plugin_event_complete(s->released, PJRT_Error_Code_OK, NULL, 0);
    fl_plugin_event_release(s->released);
    free(s->filled);
    free(s);
}

/* ---- life ---- */

fl_status fl_plugin_buffer_create(fl_plugin_memory *memory, PJRT_Buffer_Type type, const int64_t *dims,
                                  size_t rank, fl_storage *storage, PJRT_Event *ready, PJRT_Buffer **out)
{
    PJRT_Buffer *b = calloc(1, sizeof *b);
    if (!b) {
        fl_storage_release(storage);
        fl_plugin_event_release(ready);
        return fl_error(FL_OOM, "out of host memory");
    }
    b->client = memory->device->client;
    b->device = memory->device;
    b->memory = memory;
    b->type = type;
    b->rank = (uint8_t)rank;
    for (size_t i = 0; i < rank; i++) b->dims[i] = dims[i];
    fl_plugin_row_major(rank, b->minor_to_major);
    b->storage = storage;
    b->ready = ready;
    fl_plugin_client_share(b->client);
    *out = b;
    return NULL;
}

void fl_plugin_buffer_free(PJRT_Buffer *b)
{
    PJRT_Client *client = b->client;
    fl_storage_release(b->storage);
    fl_storage_release(b->held);
    fl_plugin_event_release(b->ready);
    free(b);
    fl_plugin_client_release(client);
}

/* While there are references from outside, the memory stays, and so does the buffer through which they are given back. */
fl_status fl_plugin_PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args *args)
{
    PJRT_Buffer *b = args->buffer;
    pthread_mutex_lock(&b->client->lock);
    int last = b->external == 0;
    b->destroyed = 1;
    pthread_mutex_unlock(&b->client->lock);
    if (last) fl_plugin_buffer_free(b);
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_Delete(PJRT_Buffer_Delete_Args *args)
{
    PJRT_Buffer *b = args->buffer;
    pthread_mutex_lock(&b->client->lock);
    fl_storage *s = b->storage;
    b->storage = NULL;
    pthread_mutex_unlock(&b->client->lock);
    fl_storage_release(s);
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args *args)
{
    args->is_deleted = __atomic_load_n(&args->buffer->storage, __ATOMIC_ACQUIRE) == NULL;
    return NULL;
}

fl_status
fl_plugin_PJRT_Buffer_IncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args *args)
{
    PJRT_Buffer *b = args->buffer;
    pthread_mutex_lock(&b->client->lock);
    int alive = b->storage != NULL;
    if (alive && b->external++ == 0) b->held = fl_storage_share(b->storage);
    pthread_mutex_unlock(&b->client->lock);
    FL_CHECK(alive, FL_INVALID, "the buffer has been deleted or donated");
    return NULL;
}

fl_status
fl_plugin_PJRT_Buffer_DecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args *args)
{
    PJRT_Buffer *b = args->buffer;
    pthread_mutex_lock(&b->client->lock);
    int held = b->external > 0, last = 0;
    fl_storage *s = NULL;
    if (held && --b->external == 0) {
        s = b->held;
        b->held = NULL;
        last = b->destroyed;
    }
    pthread_mutex_unlock(&b->client->lock);
    FL_CHECK(held, FL_INVALID, "expected a reference to give back, there is none");
    fl_storage_release(s);
    if (last) fl_plugin_buffer_free(b);
    return NULL;
}

/* ---- what a buffer says ---- */

fl_status fl_plugin_PJRT_Buffer_ElementType(PJRT_Buffer_ElementType_Args *args)
{
    args->type = args->buffer->type;
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args *args)
{
    args->dims = args->buffer->dims;
    args->num_dims = args->buffer->rank;
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args *args)
{
    PJRT_Buffer *b = args->buffer;
    args->layout = (PJRT_Buffer_MemoryLayout){
        .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
        .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
        .tiled = {.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                  .minor_to_major = b->minor_to_major,
                  .minor_to_major_size = b->rank},
    };
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args *args)
{
    return fl_plugin_shape_bytes(args->buffer->type, args->buffer->dims, args->buffer->rank,
                                 &args->on_device_size_in_bytes);
}

fl_status fl_plugin_PJRT_Buffer_Device(PJRT_Buffer_Device_Args *args)
{
    args->device = args->buffer->device;
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_Memory(PJRT_Buffer_Memory_Args *args)
{
    args->memory = &args->buffer->memory->base;
    return NULL;
}

/* The host may read the memory where it is. */
fl_status fl_plugin_PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args *args)
{
    args->is_on_cpu = true;
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args *args)
{
    PJRT_Buffer *b = args->buffer;
    FL_CHECK(__atomic_load_n(&b->storage, __ATOMIC_ACQUIRE), FL_INVALID,
             "the buffer has been deleted or donated");
    args->event = b->ready ? fl_plugin_event_share(b->ready) : fl_plugin_event_done();
    return NULL;
}

static fl_status address_of(PJRT_Buffer *b, void **out)
{
    pthread_mutex_lock(&b->client->lock);
    *out = b->storage ? b->storage->data : NULL;
    int alive = b->storage != NULL;
    pthread_mutex_unlock(&b->client->lock);
    FL_CHECK(alive, FL_INVALID, "the buffer has been deleted or donated");
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args *args)
{
    void *address;
    FL_TRY(address_of(args->buffer, &address));
    args->buffer_pointer = (uintptr_t)address;
    return NULL;
}

fl_status
fl_plugin_PJRT_Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args *args)
{
    return address_of(args->buffer, &args->device_memory_ptr);
}

/* The same memory under another shape of the same size. The buffer is used up. */
fl_status fl_plugin_PJRT_Buffer_Bitcast(PJRT_Buffer_Bitcast_Args *args)
{
    PJRT_Buffer *b = args->buffer;
    size_t bytes, own;
    int64_t strides[FL_MAX_RANK], dense[FL_MAX_RANK];
    size_t element = fl_plugin_type_bytes(args->element_type);
    FL_TRY(fl_plugin_shape_bytes(args->element_type, args->dims, args->num_dims, &bytes));
    FL_TRY(fl_plugin_shape_bytes(b->type, b->dims, b->rank, &own));
    FL_CHECK(bytes == own, FL_INVALID, "bitcast: expected a shape of %zu bytes, got %zu", own, bytes);
    FL_TRY(fl_plugin_layout_strides(args->device_layout, args->dims, args->num_dims, element, strides));
    fl_plugin_dense_strides(args->dims, args->num_dims, element, dense);
    int rows = fl_plugin_is_row_major(b->minor_to_major, b->dims, b->rank);
    for (size_t i = 0; i < args->num_dims; i++) rows &= args->dims[i] <= 1 || strides[i] == dense[i];
    FL_CHECK(rows, FL_UNSUPPORTED, "bitcast: expected layouts row by row");
    pthread_mutex_lock(&b->client->lock);
    fl_storage *s = b->external ? NULL : b->storage;
    int alive = b->storage != NULL;
    if (s) b->storage = NULL;
    pthread_mutex_unlock(&b->client->lock);
    FL_CHECK(alive, FL_INVALID, "the buffer has been deleted or donated");
    FL_CHECK(s, FL_INVALID, "bitcast: expected a buffer without references from outside");
    return fl_plugin_buffer_create(b->memory, args->element_type, args->dims, args->num_dims, s,
                                   fl_plugin_event_share(b->ready), &args->out_buffer);
}
