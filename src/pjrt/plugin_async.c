/* Buffers that are filled piece by piece: one manager for several of them. */
#include "pjrt/plugin.h"

#include <stdlib.h>
#include <string.h>

typedef struct slot {
    PJRT_Buffer *buffer; /* NULL once it was handed out */
    fl_storage *storage;
    PJRT_Event *ready;
    PJRT_Buffer_Type type;
    size_t bytes, rank;
    int64_t dims[FL_MAX_RANK];
} slot;

struct PJRT_AsyncHostToDeviceTransferManager {
    fl_plugin_memory *memory;
    pthread_mutex_t lock;
    size_t count;
    slot *slots;
};
typedef PJRT_AsyncHostToDeviceTransferManager manager;

static fl_status open_slot(manager *m, const PJRT_ShapeSpec *spec, slot *s)
{
    FL_CHECK(spec->struct_size >= PJRT_ShapeSpec_STRUCT_SIZE, FL_INVALID,
             "shape: expected struct_size of at least %d, got %zu", (int)PJRT_ShapeSpec_STRUCT_SIZE,
             spec->struct_size);
    FL_TRY(fl_plugin_shape_bytes(spec->element_type, spec->dims, spec->num_dims, &s->bytes));
    s->type = spec->element_type;
    s->rank = spec->num_dims;
    if (s->rank) memcpy(s->dims, spec->dims, s->rank * sizeof *s->dims);
    FL_TRY(fl_storage_create(m->memory, s->bytes, &s->storage));
    s->ready = fl_plugin_event_create();
    FL_CHECK(s->ready, FL_OOM, "out of host memory");
    return fl_plugin_buffer_create(m->memory, s->type, s->dims, s->rank, fl_storage_share(s->storage),
                                   fl_plugin_event_share(s->ready), &s->buffer);
}

/* Buffers that nobody completed fail, so that those who wait for them go on. */
static void close_manager(manager *m)
{
    static const char gone[] = "the transfer manager was destroyed before the transfer was complete";
    for (size_t i = 0; i < m->count; i++) {
        slot *s = &m->slots[i];
        if (s->ready) fl_plugin_event_complete(s->ready, PJRT_Error_Code_CANCELLED, gone, sizeof gone - 1);
        if (s->buffer) fl_plugin_buffer_free(s->buffer);
        fl_plugin_event_release(s->ready);
        fl_storage_release(s->storage);
    }
    pthread_mutex_destroy(&m->lock);
    free(m->slots);
    free(m);
}

static fl_status shape_at(const PJRT_Client_CreateBuffersForAsyncHostToDevice_Args *args, size_t i,
                          const PJRT_ShapeSpec **out)
{
    size_t stride = args->shape_specs->struct_size; /* of the caller's version */
    FL_CHECK(stride >= PJRT_ShapeSpec_STRUCT_SIZE, FL_INVALID,
             "shape: expected struct_size of at least %d, got %zu", (int)PJRT_ShapeSpec_STRUCT_SIZE, stride);
    stride = (stride + 7) / 8 * 8; /* it does not count the padding */
    *out = (const PJRT_ShapeSpec *)((const char *)args->shape_specs + i * stride);
    return NULL;
}

fl_status fl_plugin_PJRT_Client_CreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args *args)
{
    fl_plugin_memory *memory;
    FL_CHECK(args->shape_specs || !args->num_shape_specs, FL_INVALID, "expected %zu shapes, got NULL",
             args->num_shape_specs);
    FL_TRY(fl_plugin_place(args->client, NULL, args->memory, &memory));
    manager *m = calloc(1, sizeof *m);
    slot *slots = calloc(args->num_shape_specs + 1, sizeof *slots);
    if (!m || !slots) {
        free(m);
        free(slots);
        return fl_error(FL_OOM, "out of host memory");
    }
    *m = (manager){.memory = memory, .slots = slots, .count = args->num_shape_specs};
    pthread_mutex_init(&m->lock, NULL);
    fl_status status = NULL;
    for (size_t i = 0; !status && i < m->count; i++) {
        const PJRT_ShapeSpec *spec = NULL;
        status = shape_at(args, i, &spec);
        if (!status) status = open_slot(m, spec, &m->slots[i]);
    }
    if (status)
        close_manager(m);
    else
        args->transfer_manager = m;
    return status;
}

fl_status fl_plugin_PJRT_AsyncHostToDeviceTransferManager_Destroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args *args)
{
    close_manager(args->transfer_manager);
    return NULL;
}

static fl_status slot_at(manager *m, int index, slot **out)
{
    FL_CHECK(index >= 0 && (size_t)index < m->count, FL_INVALID, "expected a buffer below %zu, got %d",
             m->count, index);
    *out = &m->slots[index];
    return NULL;
}

/* Copies now: when the call returns the transfer is done. */
fl_status fl_plugin_PJRT_AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args *args)
{
    slot *s = NULL;
    int64_t offset = args->offset, size = args->transfer_size;
    FL_TRY(slot_at(args->transfer_manager, args->buffer_index, &s));
    FL_CHECK(offset >= 0 && size >= 0 && (uint64_t)offset <= s->bytes &&
                 (uint64_t)size <= s->bytes - (uint64_t)offset,
             FL_INVALID, "expected a range within %zu bytes, got %lld at %lld", s->bytes, (long long)size,
             (long long)offset);
    FL_CHECK(args->data || !size, FL_INVALID, "expected data, got NULL");
    FL_CHECK(!fl_plugin_event_is_done(s->ready), FL_INVALID, "the transfer to buffer %d is complete",
             args->buffer_index);
    if (size) memcpy((char *)s->storage->data + offset, args->data, (size_t)size);
    if (args->is_last_transfer) fl_plugin_event_complete(s->ready, PJRT_Error_Code_OK, NULL, 0);
    args->done_with_h2d_transfer = fl_plugin_event_done();
    return NULL;
}

fl_status fl_plugin_PJRT_AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args *args)
{
    slot *s = NULL;
    size_t bytes, element = fl_plugin_type_bytes(args->shape_element_type);
    int64_t strides[FL_MAX_RANK], dense[FL_MAX_RANK];
    FL_TRY(slot_at(args->transfer_manager, args->buffer_index, &s));
    FL_TRY(fl_plugin_shape_bytes(args->shape_element_type, args->shape_dims, args->shape_num_dims, &bytes));
    FL_TRY(fl_plugin_layout_strides(args->shape_layout, args->shape_dims, args->shape_num_dims, element,
                                    strides));
    FL_CHECK(bytes == s->bytes, FL_INVALID, "expected a literal of %zu bytes, got %zu", s->bytes, bytes);
    FL_CHECK(args->data || !bytes, FL_INVALID, "expected data, got NULL");
    FL_CHECK(!fl_plugin_event_is_done(s->ready), FL_INVALID, "the transfer to buffer %d is complete",
             args->buffer_index);
    fl_plugin_dense_strides(args->shape_dims, args->shape_num_dims, element, dense);
    if (bytes)
        fl_plugin_copy(s->storage->data, dense, args->data, strides, args->shape_dims, args->shape_num_dims,
                       element);
    fl_plugin_event_complete(s->ready, PJRT_Error_Code_OK, NULL, 0);
    args->done_with_h2d_transfer = fl_plugin_event_done();
    return NULL;
}

fl_status fl_plugin_PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args *args)
{
    slot *s = NULL;
    manager *m = args->transfer_manager;
    FL_TRY(slot_at(m, args->buffer_index, &s));
    pthread_mutex_lock(&m->lock);
    args->buffer_out = s->buffer;
    s->buffer = NULL;
    pthread_mutex_unlock(&m->lock);
    FL_CHECK(args->buffer_out, FL_INVALID, "buffer %d was retrieved before", args->buffer_index);
    return NULL;
}

fl_status fl_plugin_PJRT_AsyncHostToDeviceTransferManager_Device(
    PJRT_AsyncHostToDeviceTransferManager_Device_Args *args)
{
    args->device_out = args->transfer_manager->memory->device;
    return NULL;
}

fl_status fl_plugin_PJRT_AsyncHostToDeviceTransferManager_BufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args *args)
{
    args->buffer_count = args->transfer_manager->count;
    return NULL;
}

fl_status fl_plugin_PJRT_AsyncHostToDeviceTransferManager_BufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args *args)
{
    slot *s = NULL;
    FL_TRY(slot_at(args->transfer_manager, args->buffer_index, &s));
    args->buffer_size = s->bytes;
    return NULL;
}

fl_status fl_plugin_PJRT_AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args *args)
{
    slot *s = NULL;
    FL_TRY(slot_at(args->transfer_manager, args->buffer_index, &s));
    FL_CHECK(args->error_code != PJRT_Error_Code_OK, FL_INVALID, "expected the code of an error, got OK");
    FL_CHECK(args->error_message || !args->error_message_size, FL_INVALID, "expected a message, got NULL");
    fl_plugin_event_complete(s->ready, args->error_code, args->error_message, args->error_message_size);
    return NULL;
}

fl_status fl_plugin_PJRT_AsyncHostToDeviceTransferManager_AddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args *args)
{
    (void)args; /* it describes the transfer for others' profiles */
    return NULL;
}
