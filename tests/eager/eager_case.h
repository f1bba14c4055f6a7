/* Operator calls as the bridge makes them: tensors on device buffers, arguments by hand, results checked on the host. */
#ifndef FL_TESTS_EAGER_CASE_H
#define FL_TESTS_EAGER_CASE_H

#include "check.h"
#include "eager/eager.h"

#include <stdarg.h>
#include <stdlib.h>

typedef struct tensor {
    fl_tensor t; /* first; sizes and strides point into this struct */
    int64_t sizes[4], strides[4];
} tensor;

static inline fl_device *device_at(int index)
{
    fl_device *d = NULL;
    CHECK_OK(fl_device_get(index, &d));
    if (!d) exit(1);
    return d;
}

/* A tensor over `buffer`; sizes are `rank` numbers (int). Dense. */
static inline void tensor_over(tensor *x, fl_buffer *buffer, fl_dtype dtype, int rank, ...)
{
    memset(x, 0, sizeof *x);
    x->t = (fl_tensor){.buffer = buffer,
                       .sizes = x->sizes,
                       .strides = x->strides,
                       .dtype = (uint8_t)dtype,
                       .rank = (uint8_t)rank};
    va_list sizes;
    va_start(sizes, rank);
    for (int d = 0; d < rank; d++) x->sizes[d] = va_arg(sizes, int);
    va_end(sizes);
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        x->strides[d] = stride;
        stride *= x->sizes[d];
    }
}

static inline fl_buffer *buffer_of(int device, size_t bytes, const void *data)
{
    fl_device *d = device_at(device);
    fl_buffer *buffer = NULL;
    CHECK_OK(d->vtable->allocate(d, 0, bytes, &buffer));
    if (!buffer) exit(1);
    if (data) CHECK_OK(d->vtable->upload(d, 0, data, bytes, buffer, 0));
    return buffer;
}

static inline void release(fl_buffer *buffer)
{
    buffer->device->vtable->release(buffer->device, buffer);
}

static inline fl_status fetch(fl_buffer *buffer, int64_t offset, size_t bytes, void *out)
{
    return buffer->device->vtable->download(buffer->device, 0, buffer, offset, bytes, out);
}

/* arguments; NUMBER and INTEGER are what the schema calls float and Scalar, INT is an int, bool or dtype */
#define TENSOR(x)     ((fl_value){.tag = FL_TAG_TENSOR, .u.tensor = &(x).t})
#define TENSORS(n, x) ((fl_value){.tag = FL_TAG_TENSORS, .count = (n), .u.tensor = (x)})
#define NUMBER(x)     ((fl_value){.tag = FL_TAG_DOUBLE, .scalar = 1, .u.d = (x)})
#define INTEGER(x)    ((fl_value){.tag = FL_TAG_INT, .scalar = 1, .u.i = (x)})
#define INT(x)        ((fl_value){.tag = FL_TAG_INT, .u.i = (x)})
#define BOOL(x)       ((fl_value){.tag = FL_TAG_BOOL, .u.i = (x)})
#define INTS(n, x)    ((fl_value){.tag = FL_TAG_INTS, .count = (n), .u.ints = (x)})
#define NONE          ((fl_value){.tag = FL_TAG_NONE})
#define ARGS(...)  (const fl_value[]){__VA_ARGS__}, sizeof((const fl_value[]){__VA_ARGS__}) / sizeof(fl_value)
#define FRESH_ONLY -1

static inline size_t type_bytes(const fl_type *type)
{
    size_t bytes = fl_dtype_bytes((fl_dtype)type->dtype);
    for (int d = 0; d < type->rank; d++) bytes *= (size_t)type->dims[d];
    return bytes;
}

/* Prepares and launches `name` with one written argument, or none (FRESH_ONLY); fresh results get new buffers. */
static inline fl_status invoke_with(fl_generator *generator, int device, const char *name, int written,
                                    fl_buffer **fresh, const fl_value *args, size_t count)
{
    int op = fl_operator_find(name);
    FL_CHECK(op >= 0, FL_INVALID, "no operator %s", name);
    uint16_t position = (uint16_t)written;
    fl_call call = {.op = (uint32_t)op,
                    .device = device,
                    .args = args,
                    .arg_count = (uint32_t)count,
                    .written = &position,
                    .written_count = written >= 0,
                    .generator = generator};
    FL_TRY(fl_call_prepare(&call));
    fl_device *d = device_at(device);
    fl_status status = NULL;
    for (uint32_t k = 0, n = 0; !status && k < call.target_count; k++)
        if (call.targets[k].kind == FL_TO_FRESH)
            status = d->vtable->allocate(d, 0, type_bytes(&call.targets[k].type), &fresh[n++]);
    if (!status) return fl_call_launch(&call, fresh);
    fl_call_abandon(&call);
    return status;
}

static inline fl_status invoke(int device, const char *name, int written, fl_buffer **fresh,
                               const fl_value *args, size_t count)
{
    return invoke_with(NULL, device, name, written, fresh, args, count);
}

/* Downloads `n` f32 elements and compares them with `expected`, allowing a relative difference. */
static inline int same_floats(fl_buffer *buffer, const float *expected, size_t n, float tolerance)
{
    float *got = malloc(n * sizeof *got);
    fl_status status = fetch(buffer, 0, n * sizeof *got, got);
    size_t bad = 0;
    CHECK_OK(status);
    for (size_t i = 0; i < n; i++) {
        float difference = got[i] - expected[i], size = expected[i] < 0 ? -expected[i] : expected[i];
        if (difference < 0) difference = -difference;
        if (difference <= tolerance * (size > 1 ? size : 1)) continue;
        if (!bad++) fprintf(stderr, "element %zu: expected %.9g, got %.9g\n", i, expected[i], got[i]);
    }
    free(got);
    return bad == 0;
}

static inline uint64_t cache_misses(void)
{
    fl_cache_stats stats;
    fl_cache_get_stats(&stats);
    return stats.misses;
}

static inline uint64_t cache_hits(void)
{
    fl_cache_stats stats;
    fl_cache_get_stats(&stats);
    return stats.hits;
}

#endif
