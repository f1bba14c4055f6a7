#include "eager/probe.h"

#include "base/hash.h"
#include "ir/build.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS       512
#define MOST_PROGRAMS 4096 /* then they begin anew */

typedef struct key {
    fl_device *device;
    uint64_t dtype, rank;
    int64_t sizes[FL_MAX_RANK];
    fl_layout layout;
} key;

typedef struct program {
    struct program *next;
    key key;
    fl_executable *executable;
} program;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while a program runs, too */
static program *buckets[BUCKETS];
static uint32_t count;

int fl_probe_applies(const fl_tensor *t)
{
    int64_t elements = 1;
    for (int d = 0; d < t->rank; d++) elements *= t->sizes[d];
    return t->buffer && elements > 0 &&
           (fl_is_float((fl_dtype)t->dtype) || fl_is_complex((fl_dtype)t->dtype));
}

/* How many are true, and the number of the first. */
static void count_true(fl_builder *b, fl_ref mask, fl_ref out[2])
{
    fl_ref flat = fl_flatten(b, mask);
    int64_t n = fl_elements(b, flat);
    fl_ref number = fl_iota(b, fl_type_make(FL_I64, 1, &n), 0);
    out[0] = fl_reduce_all(b, FL_OP_add, fl_cast(b, flat, FL_I64));
    out[1] =
        fl_reduce_all(b, FL_OP_minimum, fl_select(b, flat, number, fl_full_like_i(b, number, INT64_MAX)));
}

static fl_status build(const key *k, fl_program **out)
{
    fl_builder b;
    FL_TRY(fl_builder_init(&b, "probe"));
    fl_dtype dtype = (fl_dtype)k->dtype;
    fl_ref x = fl_parameter(&b, fl_type_make(dtype, (int)k->rank, k->sizes)), y = FL_NO_REF, found[4];
    if (fl_is_complex(dtype)) {
        y = fl_imag(&b, x);
        x = fl_real(&b, x);
    } else if (fl_dtype_bytes(dtype) < 4) {
        x = fl_cast(&b, x, FL_F32);
    }
    fl_ref nan = fl_is_nan(&b, x), finite = fl_is_finite(&b, x);
    if (y) {
        nan = fl_or(&b, nan, fl_is_nan(&b, y));
        finite = fl_and(&b, finite, fl_is_finite(&b, y));
    }
    count_true(&b, nan, found);
    count_true(&b, fl_not(&b, fl_or(&b, nan, finite)), found + 2);
    int64_t one = 1;
    for (int i = 0; i < 4; i++) found[i] = fl_reshape(&b, found[i], 1, &one);
    fl_ref all = fl_concat(&b, found, 4, 0);
    return fl_builder_finish(&b, &all, 1, out);
}

static fl_status compile(const key *k, fl_executable **out)
{
    fl_program *p;
    FL_TRY(build(k, &p));
    const fl_layout dense = {{1}};
    const fl_compile_options options = {.name = "probe", .inputs = &k->layout, .outputs = &dense};
    fl_status status = k->device->vtable->compile(k->device, p, &options, out);
    fl_program_destroy(p);
    return status;
}

static void clear(void)
{
    for (int i = 0; i < BUCKETS; i++) {
        for (program *p = buckets[i], *next; p; p = next) {
            next = p->next;
            p->key.device->vtable->destroy_executable(p->key.device, p->executable);
            free(p);
        }
        buckets[i] = NULL;
    }
    count = 0;
}

/* With the lock held. */
static fl_status find(const key *k, fl_executable **out)
{
    uint64_t words[sizeof *k / sizeof(uint64_t)];
    memcpy(words, k, sizeof words);
    program **bucket = &buckets[fl_hash_words(words, sizeof words / sizeof *words) % BUCKETS];
    for (program *p = *bucket; p; p = p->next)
        if (!memcmp(&p->key, k, sizeof *k)) {
            *out = p->executable;
            return NULL;
        }
    if (count >= MOST_PROGRAMS) clear();
    program *p = calloc(1, sizeof *p);
    FL_CHECK(p, FL_OOM, "out of host memory");
    fl_status status = compile(k, &p->executable);
    if (status) {
        free(p);
        return status;
    }
    p->key = *k;
    p->next = *bucket;
    *bucket = p;
    count++;
    *out = p->executable;
    return NULL;
}

fl_status fl_probe(fl_device *device, int stream, const fl_tensor *t, fl_probe_result *out)
{
    key k;
    fl_executable *executable = NULL;
    fl_buffer *result;
    memset(&k, 0, sizeof k);
    k.device = device;
    k.dtype = t->dtype;
    k.rank = t->rank;
    memcpy(k.sizes, t->sizes, t->rank * sizeof *k.sizes);
    memcpy(k.layout.strides, t->strides, t->rank * sizeof *k.layout.strides);
    FL_TRY(device->vtable->allocate(device, stream, sizeof *out, &result));
    const fl_binding input = {.buffer = t->buffer, .offset = t->offset}, output = {.buffer = result};
    pthread_mutex_lock(&lock);
    fl_status status = find(&k, &executable);
    if (!status) status = device->vtable->execute(device, stream, executable, &input, &output);
    if (!status) status = device->vtable->download(device, stream, result, 0, sizeof *out, out);
    pthread_mutex_unlock(&lock);
    device->vtable->release(device, result);
    return status;
}
