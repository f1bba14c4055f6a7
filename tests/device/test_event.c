/* Events: by hand across threads, and recorded by a device behind queued work. Meant for the thread sanitizer too. */
#include "check.h"
#include "cpu/device.h"
#include "ir/build.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define N (1 << 20)

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void test_fresh(void)
{
    fl_event *e = fl_event_create();
    CHECK(e && fl_event_done(e) && fl_event_time(e) == 0);
    fl_event_wait(e); /* returns at once */
    uint64_t before = now();
    fl_record first, second;
    fl_event_begin(e, &first, NULL, 0);
    fl_event_begin(e, &second, NULL, 0); /* recorded again: the last record counts */
    CHECK(!fl_event_done(e));
    fl_event_complete(&first);
    CHECK(!fl_event_done(e));
    fl_event_complete(&second);
    CHECK(fl_event_done(e) && fl_event_time(e) >= before && fl_event_time(e) <= now());
    fl_event_release(e);
    fl_event_release(NULL);
}

typedef struct waiter {
    fl_event *event;
    const int *value;
    int seen;
} waiter;

static void *wait_and_read(void *argument)
{
    waiter *w = argument;
    fl_event_wait(w->event);
    w->seen = *w->value; /* what was written before the event is visible after it */
    return NULL;
}

static void test_waiters(void)
{
    fl_event *e = fl_event_create();
    int value = 0;
    pthread_t threads[3];
    waiter waiters[3];
    fl_record record;
    fl_event_begin(e, &record, NULL, 0);
    for (int i = 0; i < 3; i++) {
        waiters[i] = (waiter){e, &value, 0};
        if (pthread_create(&threads[i], NULL, wait_and_read, &waiters[i])) exit(1);
    }
    value = 7;
    fl_event_complete(&record);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(waiters[i].seen, 7);
    }
    fl_event_release(e);
}

/* y = x + 1 over N elements: more than the calling thread does itself, so it is queued. */
static fl_executable *increment(fl_device *d)
{
    fl_builder b;
    fl_program *program = NULL;
    fl_executable *executable = NULL;
    const int64_t dims[1] = {N};
    CHECK_OK(fl_builder_init(&b, "increment"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 1, dims));
    fl_ref y = fl_add(&b, x, fl_full_like(&b, x, 1));
    CHECK_OK(fl_builder_finish(&b, &y, 1, &program));
    const uint8_t alias = 1;
    fl_compile_options options = {.name = "increment", .aliases = &alias};
    CHECK_OK(d->vtable->compile(d, program, &options, &executable));
    fl_program_destroy(program);
    return executable;
}

static void test_device(void)
{
    fl_device *d = NULL;
    CHECK_OK(fl_cpu_device_create(0, &d));
    fl_executable *executable = increment(d);
    fl_buffer *buffer = NULL;
    float *x = calloc(N, sizeof *x), last = 0;
    CHECK_OK(d->vtable->allocate(d, 0, N * sizeof *x, &buffer));
    CHECK_OK(d->vtable->upload(d, 0, x, N * sizeof *x, buffer, 0));
    fl_event *before = fl_event_create(), *after = fl_event_create(), *dropped = fl_event_create();
    CHECK_OK(d->vtable->record(d, 0, before)); /* nothing is queued: complete at once */
    CHECK(fl_event_done(before));
    const fl_binding bound = {.buffer = buffer};
    for (int i = 0; i < 10; i++) CHECK_OK(d->vtable->execute(d, 0, executable, &bound, &bound));
    CHECK_OK(d->vtable->record(d, 0, dropped));
    fl_event_release(dropped); /* the queue holds it as long as it needs to */
    CHECK_OK(d->vtable->record(d, 0, after));
    fl_event_wait(after);
    CHECK(fl_event_done(after));
    CHECK(fl_event_time(after) >= fl_event_time(before));
    CHECK_OK(d->vtable->download(d, 0, buffer, (N - 1) * sizeof *x, sizeof last, &last));
    CHECK(last == 10);
    uint64_t first = fl_event_time(after);
    CHECK_OK(d->vtable->record(d, 0, after)); /* an event can be used again */
    fl_event_wait(after);
    CHECK(fl_event_time(after) >= first);
    fl_event_release(before);
    fl_event_release(after);
    d->vtable->release(d, buffer);
    d->vtable->destroy_executable(d, executable);
    d->vtable->destroy(d);
    free(x);
}

int main(void)
{
    test_fresh();
    test_waiters();
    test_device();
    return check_result();
}
