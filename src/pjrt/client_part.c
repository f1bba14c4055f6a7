/* A small part of a large array for the host: cut out on the device, since copies to the host are of whole
 * arrays. */
#include "pjrt/client_device.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 20, SHARE = 8 };

int fl_storage_is_large(const fl_buffer *buffer, size_t bytes)
{
    const fl_storage *s = fl_storage_of(buffer);
    return s->array && !s->exact && bytes && fl_type_bytes(&s->type) >= LARGE &&
           bytes <= buffer->bytes / SHARE;
}

/* y = x for `count` elements: it is the device interface that cuts them out of the buffer. */
static fl_status compile_copy(fl_device *device, fl_dtype dtype, int64_t count, fl_executable **out)
{
    static const fl_layout dense = {{1}};
    fl_builder b;
    fl_program *program;
    FL_TRY(fl_builder_init(&b, "part"));
    fl_ref x = fl_parameter(&b, fl_type_make(dtype, 1, &count));
    FL_TRY(fl_builder_finish(&b, &x, 1, &program));
    const fl_compile_options options = {.name = "copy from device", .inputs = &dense, .outputs = &dense};
    fl_status status = fl_pjrt_compile(device, program, &options, out);
    fl_program_destroy(program);
    return status;
}

/* The executables used last are kept. The lock of parts is held while one is in use. */
static fl_status get_copy(fl_pjrt_device *d, fl_dtype dtype, int64_t count, fl_executable **out)
{
    for (int i = 0; i < FL_PJRT_PARTS; i++) {
        if (!d->parts[i].executable || d->parts[i].dtype != dtype || d->parts[i].count != count) continue;
        *out = d->parts[i].executable;
        return NULL;
    }
    FL_TRY(compile_copy(&d->device, dtype, count, out));
    fl_pjrt_part *part = &d->parts[d->next_part++ % FL_PJRT_PARTS];
    fl_pjrt_destroy_executable(&d->device, part->executable);
    *part = (fl_pjrt_part){*out, dtype, count};
    return NULL;
}

static fl_status download_elements(fl_pjrt_device *d, fl_buffer *buffer, int64_t offset, const fl_type *type,
                                   void *out)
{
    fl_device *device = &d->device;
    fl_executable *copy;
    fl_buffer *part;
    FL_TRY(get_copy(d, (fl_dtype)type->dtype, type->dims[0], &copy));
    FL_TRY(device->vtable->allocate(device, 0, fl_type_bytes(type), &part));
    const fl_binding from = {.buffer = buffer, .offset = offset}, to = {.buffer = part};
    fl_status status = fl_pjrt_execute(device, 0, copy, &from, &to);
    if (!status) status = device->vtable->download(device, 0, part, 0, fl_type_bytes(type), out);
    device->vtable->release(device, part);
    return status;
}

fl_status fl_storage_download_part(fl_pjrt_device *d, fl_buffer *buffer, fl_dtype dtype, int64_t offset,
                                   void *out, size_t bytes)
{
    int64_t width = (int64_t)fl_dtype_bytes(dtype), first = offset / width;
    int64_t count = (offset + (int64_t)bytes + width - 1) / width - first;
    fl_type type = fl_type_make(dtype, 1, &count);
    char *elements = malloc(fl_type_bytes(&type));
    FL_CHECK(elements, FL_OOM, "out of host memory");
    pthread_mutex_lock(&d->parts_lock);
    fl_status status = download_elements(d, buffer, first * width, &type, elements);
    pthread_mutex_unlock(&d->parts_lock);
    if (!status) memcpy(out, elements + (offset - first * width), bytes);
    free(elements);
    return status;
}
