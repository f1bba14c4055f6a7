/* Streams: queues that are made when they are first used, waiting, events, fork. */
#include "cpu/streams.h"

#include "base/switches.h"

#include <stdlib.h>

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static fl_cpu_device *all_devices;

/* fork: the queues have drained and locked themselves before (handlers that are installed later run first). */
static void before_fork(void)
{
    pthread_mutex_lock(&all_lock);
    for (fl_cpu_device *d = all_devices; d; d = d->next) pthread_mutex_lock(&d->memory_lock);
}

static void after_fork_parent(void)
{
    for (fl_cpu_device *d = all_devices; d; d = d->next) pthread_mutex_unlock(&d->memory_lock);
    pthread_mutex_unlock(&all_lock);
}

static void after_fork_child(void)
{
    for (fl_cpu_device *d = all_devices; d; d = d->next) pthread_mutex_init(&d->memory_lock, NULL);
    pthread_mutex_init(&all_lock, NULL);
}

static void install_fork_handlers(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

static void lane_destroy(fl_lane *lane)
{
    if (!lane) return;
    fl_queue_destroy(lane->queue);
    free(lane);
}

fl_status fl_lane_open(fl_cpu_device *d, int stream, fl_lane **out)
{
    FL_CHECK(stream >= 0 && stream < FL_STREAMS, FL_INVALID, "expected a stream below %d, got %d", FL_STREAMS,
             stream);
    fl_lane *lane = calloc(1, sizeof *lane), *there = NULL;
    FL_CHECK(lane, FL_OOM, "out of host memory");
    fl_status status = fl_queue_create(stream >= FL_URGENT_STREAM, &lane->queue);
    if (status) {
        free(lane);
        return status;
    }
    int end = __atomic_load_n(&d->lane_end, __ATOMIC_RELAXED);
    while (end <= stream && !__atomic_compare_exchange_n(&d->lane_end, &end, stream + 1, 0, __ATOMIC_RELEASE,
                                                         __ATOMIC_RELAXED))
        continue;
    if (!__atomic_compare_exchange_n(&d->lanes[stream], &there, lane, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        lane_destroy(lane); /* another thread was faster */
        lane = there;
    }
    *out = lane;
    return NULL;
}

fl_status fl_streams_create(fl_cpu_device *d)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_fork_handlers);
    fl_lane *first;
    FL_TRY(fl_memory_create(d->device.capacity, &d->memory));
    fl_status status = fl_lane_open(d, 0, &first);
    if (status) {
        fl_memory_destroy(d->memory);
        return status;
    }
    d->poison = fl_is_listed("FL_DEBUG", "poison");
    pthread_mutex_init(&d->memory_lock, NULL);
    pthread_mutex_lock(&all_lock);
    d->next = all_devices;
    all_devices = d;
    pthread_mutex_unlock(&all_lock);
    return NULL;
}

void fl_streams_destroy(fl_cpu_device *d)
{
    fl_lanes_drain(d);
    pthread_mutex_lock(&all_lock);
    fl_cpu_device **p = &all_devices;
    while (*p != d) p = &(*p)->next;
    *p = d->next;
    pthread_mutex_unlock(&all_lock);
    for (int i = 0; i < FL_STREAMS; i++) lane_destroy(d->lanes[i]);
    fl_memory_destroy(d->memory);
    pthread_mutex_destroy(&d->memory_lock);
}

/* ---- waiting ---- */

/* Queues wait for each other only by events that were recorded before, so each gets done. */
void fl_lanes_drain(fl_cpu_device *d)
{
    for (int i = 0; i < __atomic_load_n(&d->lane_end, __ATOMIC_ACQUIRE); i++) {
        fl_lane *lane = fl_lane_at(d, i);
        if (lane) fl_queue_drain(lane->queue);
    }
}

/* The range of lanes that `stream` means; may contain some that do not exist. */
static int first_lane(int stream)
{
    return stream == FL_ALL_STREAMS ? 0 : stream;
}

static int end_of_lanes(const fl_cpu_device *d, int stream)
{
    return stream == FL_ALL_STREAMS ? __atomic_load_n(&d->lane_end, __ATOMIC_ACQUIRE) : stream + 1;
}

fl_status fl_streams_take_failure(fl_device *device, int stream)
{
    fl_cpu_device *d = fl_cpu_self(device);
    fl_status status = NULL;
    for (int i = first_lane(stream); i < end_of_lanes(d, stream) && !status; i++) {
        fl_lane *lane = fl_lane_at(d, i);
        if (lane) status = fl_queue_take_error(lane->queue);
    }
    return status;
}

fl_status fl_streams_synchronize(fl_device *device, int stream)
{
    fl_cpu_device *d = fl_cpu_self(device);
    fl_lane *lane = fl_lane_at(d, stream);
    if (stream == FL_ALL_STREAMS)
        fl_lanes_drain(d);
    else if (lane)
        fl_queue_drain(lane->queue);
    return fl_streams_take_failure(device, stream);
}

int fl_streams_idle(fl_device *device, int stream)
{
    fl_cpu_device *d = fl_cpu_self(device);
    int idle = 1;
    for (int i = first_lane(stream); i < end_of_lanes(d, stream); i++) {
        fl_lane *lane = fl_lane_at(d, i);
        if (lane) idle &= fl_queue_finished(lane->queue);
    }
    return idle;
}

/* ---- events ---- */

typedef struct record_work {
    fl_record record;
    fl_queue *queue;
} record_work;

/* Who sees the event complete finds the stream idle when nothing else follows, and the other way round. */
static fl_status run_record(void *payload)
{
    record_work *w = payload;
    fl_queue_pass(w->queue);
    fl_event_complete(&w->record);
    return NULL;
}

fl_status fl_streams_record(fl_device *device, int stream, fl_event *event)
{
    fl_lane *lane;
    fl_status status = NULL;
    FL_TRY(fl_lane_get(fl_cpu_self(device), stream, &lane));
    fl_queue_lock(lane->queue);
    if (fl_queue_idle(lane->queue)) {
        fl_event_mark(event, device, stream);
    } else {
        record_work *w = fl_queue_payload(lane->queue, sizeof *w); /* small payloads never fail */
        w->queue = lane->queue;
        fl_event_begin(event, &w->record, device, stream);
        status = fl_queue_submit(lane->queue, run_record);
        if (status) fl_event_complete(&w->record);
    }
    fl_queue_unlock(lane->queue);
    return status;
}

/* Who waits for a stream hears of its failures: they go along to the stream that waits. */
static void pass_failure(const fl_recorded *from, fl_queue *to)
{
    fl_status status = from->device->vtable->take_failure(from->device, from->stream);
    if (status) fl_queue_keep_error(to, status);
}

typedef struct wait_work {
    fl_event *event;
    fl_recorded recorded;
    fl_queue *queue;
} wait_work;

static fl_status run_wait(void *payload)
{
    wait_work *w = payload;
    fl_queue_pause(w->queue);
    fl_event_wait_for(w->event, w->recorded.number);
    fl_queue_resume(w->queue);
    pass_failure(&w->recorded, w->queue);
    return NULL;
}

fl_status fl_streams_wait(fl_device *device, int stream, fl_event *event)
{
    fl_lane *lane;
    FL_TRY(fl_lane_get(fl_cpu_self(device), stream, &lane));
    fl_recorded last = fl_event_last(event);
    if (!last.number) return NULL;
    if (!last.pending) {
        if (last.device != device || last.stream != stream) pass_failure(&last, lane->queue);
        return NULL;
    }
    fl_status status = NULL;
    fl_queue_lock(lane->queue);
    wait_work *w = fl_queue_payload(lane->queue, sizeof *w);
    *w = (wait_work){event, last, lane->queue};
    status = fl_queue_submit(lane->queue, run_wait);
    fl_queue_unlock(lane->queue);
    if (status) fl_event_wait_for(event, last.number);
    return status;
}
