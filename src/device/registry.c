#include "device/device.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fl_device_factory factory;
static fl_device *devices[FL_MOST_DEVICES_OPEN];
static int count; /* 0: not read yet */

/* Nearly always no thread has a replacement: one word is looked at then. */
static int replaced_threads;
static _Thread_local fl_device *replacement;

void fl_device_replace(fl_device *device)
{
    __atomic_fetch_add(&replaced_threads, (device != NULL) - (replacement != NULL), __ATOMIC_RELAXED);
    replacement = device;
}

static fl_device *replacement_of(int index)
{
    if (__builtin_expect(!__atomic_load_n(&replaced_threads, __ATOMIC_RELAXED), 1)) return NULL;
    return replacement && replacement->index == index ? replacement : NULL;
}

int fl_device_is_replaced(int index)
{
    return replacement_of(index) != NULL;
}

void fl_device_register(fl_device_factory make)
{
    factory = make;
}

/* TORCH_TPU_DEVICES; *out is 1 when it is absent or wrong. */
static fl_status read_count(int *out)
{
    const char *text = getenv("TORCH_TPU_DEVICES");
    *out = 1;
    if (!text || !*text) return NULL;
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    FL_CHECK(!errno && end != text && !*end && n >= 1 && n <= FL_MOST_DEVICES_OPEN, FL_INVALID,
             "TORCH_TPU_DEVICES: expected a number of devices from 1 to %d, got \"%s\"", FL_MOST_DEVICES_OPEN,
             text);
    *out = (int)n;
    return NULL;
}

int fl_device_count(void)
{
    int n = __atomic_load_n(&count, __ATOMIC_RELAXED);
    if (n) return n;
    fl_status_free(read_count(&n)); /* a wrong value is reported by whoever opens a device */
    __atomic_store_n(&count, n, __ATOMIC_RELAXED);
    return n;
}

/* Opens device `index`; with the lock held. */
static fl_status open_device(int index, fl_device **out)
{
    int n;
    FL_TRY(read_count(&n));
    FL_CHECK(factory, FL_UNSUPPORTED, "no device implementation is registered");
    FL_TRY(factory(index, out));
    __atomic_store_n(&devices[index], *out, __ATOMIC_RELEASE);
    return NULL;
}

fl_status fl_device_get(int index, fl_device **out)
{
    FL_CHECK(index >= 0 && index < fl_device_count(), FL_INVALID,
             "invalid device index: expected 0..%d, got %d", fl_device_count() - 1, index);
    fl_device *d = replacement_of(index);
    if (!d) d = __atomic_load_n(&devices[index], __ATOMIC_ACQUIRE);
    if (!d) {
        fl_status status = NULL;
        pthread_mutex_lock(&lock);
        d = devices[index];
        if (!d) status = open_device(index, &d);
        pthread_mutex_unlock(&lock);
        if (status) return status;
    }
    *out = d;
    return NULL;
}

fl_device *fl_device_opened(int index)
{
    return index >= 0 && index < FL_MOST_DEVICES_OPEN ? __atomic_load_n(&devices[index], __ATOMIC_ACQUIRE)
                                                      : NULL;
}

fl_buffer *fl_address_find(uint64_t address, int64_t *out_offset)
{
    for (int i = 0; i < fl_device_count(); i++) {
        fl_device *d = replacement_of(i);
        fl_buffer *recorded = d ? d->vtable->find(d, address, out_offset) : NULL;
        if (recorded) return recorded;
        d = __atomic_load_n(&devices[i], __ATOMIC_ACQUIRE);
        fl_buffer *buffer = d ? d->vtable->find(d, address, out_offset) : NULL;
        if (buffer) return buffer;
    }
    return NULL;
}

fl_status fl_buffer_check(const fl_device *device, const fl_buffer *buffer)
{
    FL_CHECK(
        buffer->device == device, FL_INVALID,
        "a tensor that was made while a function was traced holds no value: it cannot be used afterwards");
    return NULL;
}
