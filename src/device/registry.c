#include "device/device.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define MAX_DEVICES 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fl_device_factory factory;
static fl_device *devices[MAX_DEVICES];
static int count; /* 0: not read yet */

void fl_device_register(fl_device_factory make)
{
    factory = make;
}

static int read_count(void)
{
    const char *text = getenv("TORCH_TPU_DEVICES");
    if (!text || !*text) return 1;
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno || *end || n < 1) return 1;
    return n > MAX_DEVICES ? MAX_DEVICES : (int)n;
}

int fl_device_count(void)
{
    int n = __atomic_load_n(&count, __ATOMIC_RELAXED);
    if (n) return n;
    n = read_count();
    __atomic_store_n(&count, n, __ATOMIC_RELAXED);
    return n;
}

fl_status fl_device_get(int index, fl_device **out)
{
    FL_CHECK(index >= 0 && index < fl_device_count(), FL_INVALID,
             "invalid device index: expected 0..%d, got %d", fl_device_count() - 1, index);
    fl_device *d = __atomic_load_n(&devices[index], __ATOMIC_ACQUIRE);
    if (!d) {
        pthread_mutex_lock(&lock);
        fl_status status = NULL;
        d = devices[index];
        if (!d) {
            status = factory ? factory(index, &d) : fl_error(FL_UNSUPPORTED, "no device implementation is registered");
            if (!status) __atomic_store_n(&devices[index], d, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&lock);
        if (status) return status;
    }
    *out = d;
    return NULL;
}

fl_buffer *fl_address_find(uint64_t address, int64_t *out_offset)
{
    for (int i = 0; i < fl_device_count(); i++) {
        fl_device *d = __atomic_load_n(&devices[i], __ATOMIC_ACQUIRE);
        fl_buffer *buffer = d ? d->vtable->find(d, address, out_offset) : NULL;
        if (buffer) return buffer;
    }
    return NULL;
}
