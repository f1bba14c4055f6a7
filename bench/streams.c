/* What streams, events and memory cost the host, without PyTorch. Nanoseconds a call: the least of several rounds, each the mean of
 * many calls, of the calling thread's CPU time, which a busy machine does not change much.
 *
 *     bench_streams */
#include "cpu/device.h"
#include "ir/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 30
#define CALLS  2000

static fl_device *device;
static fl_executable *small, *large;
static fl_buffer *tiny, *big;
static fl_event *event;

static void must(fl_status status)
{
    if (!status) return;
    fprintf(stderr, "%s\n", fl_status_message(status));
    exit(1);
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* y = x + 1 over `n` elements. */
static fl_executable *increment(int64_t n)
{
    fl_builder b;
    fl_program *program = NULL;
    fl_executable *e = NULL;
    must(fl_builder_init(&b, "increment"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 1, &n));
    fl_ref y = fl_add(&b, x, fl_full_like(&b, x, 1));
    must(fl_builder_finish(&b, &y, 1, &program));
    const uint8_t alias = 1;
    fl_compile_options options = {.name = "increment", .aliases = &alias};
    must(device->vtable->compile(device, program, &options, &e));
    fl_program_destroy(program);
    return e;
}

static void execute(int stream, fl_executable *e, fl_buffer *buffer)
{
    const fl_binding bound = {.buffer = buffer};
    must(device->vtable->execute(device, stream, e, &bound, &bound));
}

static void inline_work(void)
{
    execute(0, small, tiny);
}
static void side_work(void)
{
    execute(1, small, tiny);
}
static void queued_work(void)
{
    execute(0, large, big);
}

static void memory_of(int stream)
{
    fl_buffer *b;
    must(device->vtable->allocate(device, stream, 4096, &b));
    device->vtable->release(device, b);
}

static void memory(void)
{
    memory_of(0);
}
static void side_memory(void)
{
    memory_of(1);
}

static void shared_memory(void)
{
    fl_buffer *b;
    must(device->vtable->allocate(device, 0, 4096, &b));
    device->vtable->record_stream(device, b, 1);
    device->vtable->release(device, b);
}

static void record(void)
{
    must(device->vtable->record(device, 0, event));
}
static void query(void)
{
    fl_event_done(event);
}
static void wait(void)
{
    must(device->vtable->wait(device, 1, event));
}
static void idle(void)
{
    device->vtable->idle(device, 0);
}
static void synchronize(void)
{
    must(device->vtable->synchronize(device, FL_ALL_STREAMS));
}

/* A stream waits for work of another one: both queued. */
static void handover(void)
{
    execute(0, large, big);
    must(device->vtable->record(device, 0, event));
    must(device->vtable->wait(device, 1, event));
    execute(1, large, big);
    must(device->vtable->record(device, 1, event));
    must(device->vtable->wait(device, 0, event));
}

static void measure(const char *name, void (*call)(void), int calls)
{
    double best = 1e30;
    for (int r = 0; r < ROUNDS; r++) {
        double start = cpu_ns();
        for (int i = 0; i < calls; i++) call();
        double each = (cpu_ns() - start) / calls;
        if (each < best) best = each;
        must(device->vtable->synchronize(device, FL_ALL_STREAMS));
    }
    printf("%-52s %8.0f\n", name, best);
}

int main(void)
{
    must(fl_cpu_device_create(0, &device));
    small = increment(16);
    large = increment(1 << 14);
    must(device->vtable->allocate(device, 0, 64, &tiny));
    must(device->vtable->allocate(device, 0, 4 << 14, &big));
    event = fl_event_create();
    printf("%-52s %8s\n", "", "ns");
    measure("16 elements, by the caller", inline_work, CALLS);
    measure("16384 elements, queued", queued_work, 500);
    measure("allocate and release", memory, CALLS);
    measure("record, idle stream", record, CALLS);
    measure("query of an event", query, CALLS);
    measure("query of a stream", idle, CALLS);
    measure("synchronize, nothing queued", synchronize, CALLS);
    measure("wait for an event that is complete", wait, CALLS);
    measure("16 elements, on a second stream", side_work, CALLS);
    measure("allocate and release, on a second stream", side_memory, CALLS);
    measure("allocate, record_stream, release", shared_memory, CALLS);
    measure("two executions that wait for each other, in all", handover, 100);
    device->vtable->release(device, tiny);
    device->vtable->release(device, big);
    device->vtable->destroy_executable(device, small);
    device->vtable->destroy_executable(device, large);
    fl_event_release(event);
    device->vtable->destroy(device);
    return 0;
}
