/* Buffers whose array is wider than the tensor in them: programs that compute for all sizes of a bucket take and leave them so.
 * Whoever else asks gets the tensor, by way of the host: cutting it out on the device would be a program to compile for every
 * size. */
#include "pjrt/client_device.h"

#include <stdlib.h>
#include <string.h>

/* Without dimensions of one element: of several spellings of a shape, results and arguments have one. */
static fl_type squeezed(const fl_type *type)
{
    fl_type out = fl_type_make((fl_dtype)type->dtype, 0, NULL);
    for (int d = 0; d < type->rank; d++)
        if (type->dims[d] != 1) out.dims[out.rank++] = type->dims[d];
    return out;
}

static int same_squeezed(const fl_type *a, const fl_type *b)
{
    fl_type x = squeezed(a), y = squeezed(b);
    return fl_type_equal(&x, &y);
}

/* The types without the dimensions that have one element in `wide`. */
static void squeeze_both(const fl_type *exact, const fl_type *wide, fl_type *e, fl_type *w)
{
    *e = *w = fl_type_make((fl_dtype)wide->dtype, 0, NULL);
    for (int d = 0; d < wide->rank; d++) {
        if (wide->dims[d] == 1) continue;
        e->dims[e->rank++] = exact->dims[d];
        w->dims[w->rank++] = wide->dims[d];
    }
}

/* The tensor's elements to or from their places in the array. */
static void copy_rows(const fl_type *exact, const fl_type *wide, int d, char *narrow, char *array, int back)
{
    size_t inner = fl_dtype_bytes((fl_dtype)exact->dtype), outer = inner;
    if (d + 1 >= exact->rank) {
        size_t bytes = exact->rank ? inner * (size_t)exact->dims[d] : inner;
        memcpy(back ? narrow : array, back ? array : narrow, bytes);
        return;
    }
    for (int k = d + 1; k < exact->rank; k++) inner *= (size_t)exact->dims[k], outer *= (size_t)wide->dims[k];
    for (int64_t i = 0; i < exact->dims[d]; i++)
        copy_rows(exact, wide, d + 1, narrow + (size_t)i * inner, array + (size_t)i * outer, back);
}

fl_status fl_storage_read_exact(fl_pjrt_device *d, const fl_storage *s, void *out)
{
    void *all = malloc(fl_type_bytes(&s->type) + 1);
    FL_CHECK(all, FL_OOM, "out of host memory");
    fl_status status = fl_pjrt_to_host(d, s->array, &s->type, all);
    fl_type wide = squeezed(&s->type);
    if (!status) copy_rows(s->exact, &wide, 0, out, all, 1);
    free(all);
    return status;
}

fl_status fl_storage_narrow(fl_pjrt_device *d, fl_buffer *buffer)
{
    fl_storage *s = fl_storage_of(buffer);
    void *host = fl_storage_host(buffer->bytes, 0);
    FL_CHECK(host, FL_OOM, "out of host memory");
    fl_status status = fl_storage_read_exact(d, s, host);
    if (status) {
        free(host);
        return status;
    }
    fl_storage_clear(d, s);
    s->host = host;
    return NULL;
}

fl_status fl_storage_offer(fl_pjrt_device *d, fl_buffer *buffer, const fl_type *type)
{
    int is_it = fl_type_bytes(type) > buffer->bytes && same_squeezed(&fl_storage_of(buffer)->type, type);
    return is_it ? NULL : fl_storage_narrow(d, buffer);
}

/* The tensor's bytes become an array in which they are the first ones along every dimension. */
static fl_status pad(fl_pjrt_device *d, fl_buffer *buffer, const fl_type *exact, const fl_type *wide)
{
    fl_storage *s = fl_storage_of(buffer);
    PJRT_Buffer *array;
    void *all = fl_storage_host(fl_type_bytes(wide), 0), *narrow = malloc(buffer->bytes + 16);
    fl_status status = all && narrow ? fl_storage_download(d, buffer, 0, narrow, buffer->bytes)
                                     : fl_error(FL_OOM, "out of host memory");
    if (!status) copy_rows(exact, wide, 0, narrow, all, 0);
    free(narrow);
    if (!status) status = fl_storage_give(d, all, wide, &array);
    if (status)
        free(all);
    else
        fl_storage_set(d, s, array, wide);
    return status;
}

static fl_status widen(fl_pjrt_device *d, fl_buffer *buffer, const fl_type *exact, const fl_type *wide,
                       int is_written)
{
    fl_storage *s = fl_storage_of(buffer);
    fl_type e, w;
    squeeze_both(exact, wide, &e, &w);
    FL_CHECK(fl_type_bytes(&e) == buffer->bytes, FL_INVALID, "expected a buffer that the tensor fills");
    if (fl_type_equal(&e, &w)) return s->host && !is_written ? fl_storage_to_device(d, buffer, &w) : NULL;
    if (s->exact && fl_type_equal(s->exact, &e) && fl_type_equal(&s->type, &w)) return NULL;
    fl_type *kept = malloc(sizeof *kept);
    FL_CHECK(kept, FL_OOM, "out of host memory");
    *kept = e;
    fl_status status = is_written ? NULL : pad(d, buffer, &e, &w);
    if (!status && !(s->array && same_squeezed(&s->type, &w)))
        status = fl_error(FL_INTERNAL, "expected an array of the bucket's shape");
    if (status) {
        free(kept);
        return status;
    }
    free(s->exact);
    s->exact = kept;
    return NULL;
}

fl_status fl_pjrt_widen(fl_device *device, fl_buffer *buffer, const fl_type *exact, const fl_type *wide,
                        int is_written)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    FL_TRY(fl_pjrt_enter(d));
    fl_status status = widen(d, buffer, exact, wide, is_written);
    fl_pjrt_leave(d);
    return status;
}
