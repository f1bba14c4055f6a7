#include "device/device.h"

#include "base/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* How long a waiter spins before it sleeps: some microseconds. */
#define SPINS 400

struct fl_event {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int references, waiters;
    int busy; /* the last record is pending; read without the lock, too */
    uint64_t begun;
    fl_record *newest; /* of the pending ones, by number */
    uint64_t time, time_number;
    fl_device *device; /* of the last record */
    int stream;
};

fl_event *fl_event_create(void)
{
    fl_event *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->done, NULL);
    e->references = 1;
    return e;
}

/* Call with the lock held; unlocks. */
static void unreference(fl_event *e)
{
    int last = --e->references == 0;
    pthread_mutex_unlock(&e->lock);
    if (!last) return;
    pthread_mutex_destroy(&e->lock);
    pthread_cond_destroy(&e->done);
    free(e);
}

void fl_event_release(fl_event *e)
{
    if (!e) return;
    pthread_mutex_lock(&e->lock);
    unreference(e);
}

static void set_busy(fl_event *e, int busy)
{
    __atomic_store_n(&e->busy, busy, __ATOMIC_RELEASE);
}

/* With the lock held. */
static void begin(fl_event *e, fl_device *device, int stream)
{
    e->begun++;
    e->device = device;
    e->stream = stream;
}

static void take_time(fl_event *e, uint64_t number)
{
    struct timespec now;
    if (number < e->time_number) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    e->time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    e->time_number = number;
}

void fl_event_begin(fl_event *e, fl_record *record, fl_device *device, int stream)
{
    pthread_mutex_lock(&e->lock);
    begin(e, device, stream);
    *record = (fl_record){.event = e, .older = e->newest, .number = e->begun};
    if (e->newest) e->newest->newer = record;
    e->newest = record;
    e->references++;
    set_busy(e, 1);
    pthread_mutex_unlock(&e->lock);
}

void fl_event_complete(fl_record *record)
{
    fl_event *e = record->event;
    pthread_mutex_lock(&e->lock);
    take_time(e, record->number);
    if (record->older) record->older->newer = record->newer;
    if (record->newer)
        record->newer->older = record->older;
    else
        e->newest = record->older;
    if (record->number == e->begun) set_busy(e, 0);
    if (e->waiters) pthread_cond_broadcast(&e->done);
    unreference(e);
}

void fl_event_mark(fl_event *e, fl_device *device, int stream)
{
    pthread_mutex_lock(&e->lock);
    begin(e, device, stream);
    take_time(e, e->begun);
    set_busy(e, 0);
    pthread_mutex_unlock(&e->lock);
}

int fl_event_done(fl_event *e)
{
    return !__atomic_load_n(&e->busy, __ATOMIC_ACQUIRE);
}

static int is_pending(const fl_event *e, uint64_t number)
{
    const fl_record *r = e->newest;
    while (r && r->number > number) r = r->older;
    return r && r->number == number;
}

/* With the lock held. */
static void sleep_until_done(fl_event *e, uint64_t number)
{
    e->waiters++;
    while (is_pending(e, number)) pthread_cond_wait(&e->done, &e->lock);
    e->waiters--;
}

static void spin(fl_event *e)
{
    for (int i = 0; i < SPINS && !fl_event_done(e); i++) fl_relax();
}

void fl_event_wait(fl_event *e)
{
    pthread_mutex_lock(&e->lock);
    uint64_t last = e->begun;
    pthread_mutex_unlock(&e->lock);
    spin(e);
    pthread_mutex_lock(&e->lock);
    sleep_until_done(e, last);
    pthread_mutex_unlock(&e->lock);
}

fl_recorded fl_event_last(fl_event *e)
{
    pthread_mutex_lock(&e->lock);
    fl_recorded last = {e->begun, e->device, e->stream, e->busy};
    e->references += last.pending;
    pthread_mutex_unlock(&e->lock);
    return last;
}

void fl_event_wait_for(fl_event *e, uint64_t number)
{
    spin(e);
    pthread_mutex_lock(&e->lock);
    sleep_until_done(e, number);
    unreference(e);
}

fl_status fl_event_synchronize(fl_event *e)
{
    fl_recorded last = fl_event_last(e);
    if (last.pending) fl_event_wait_for(e, last.number);
    return last.number ? last.device->vtable->take_failure(last.device, last.stream) : NULL;
}

uint64_t fl_event_time(fl_event *e)
{
    pthread_mutex_lock(&e->lock);
    uint64_t time = e->time;
    pthread_mutex_unlock(&e->lock);
    return time;
}
