/* Streams of the embedded device. A gate (an event that the test completes itself) holds a stream up, so that what others do
 * meanwhile is shown without measuring time. Meant for the thread sanitizer too. */
#include "check.h"
#include "cpu/device.h"
#include "ir/build.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define N (1 << 16) /* elements: more than a calling thread computes itself */

typedef struct gate {
    fl_event *event;
    fl_record record;
} gate;

/* Work that `stream` gets from now on does not begin before gate_open. */
static void gate_close(gate *g, fl_device *d, int stream)
{
    g->event = fl_event_create();
    fl_event_begin(g->event, &g->record, d, FL_STREAMS - 1);
    CHECK_OK(d->vtable->wait(d, stream, g->event));
}

static void gate_open(gate *g)
{
    fl_event_complete(&g->record);
    fl_event_release(g->event);
}

static fl_device *open_device(const char *memory)
{
    fl_device *d = NULL;
    if (memory) setenv("TORCH_TPU_MEMORY", memory, 1);
    CHECK_OK(fl_cpu_device_create(0, &d));
    unsetenv("TORCH_TPU_MEMORY");
    if (!d) exit(1);
    return d;
}

/* y = 3 x + k over N elements of u32, where k is a host argument. */
static fl_executable *step(fl_device *d)
{
    fl_builder b;
    fl_program *program = NULL;
    fl_executable *executable = NULL;
    const int64_t dims[1] = {N};
    CHECK_OK(fl_builder_init(&b, "step"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_U32, 1, dims));
    fl_ref k = fl_parameter(&b, fl_type_make(FL_U32, 0, NULL));
    fl_ref y = fl_add(&b, fl_mul(&b, x, fl_full_like(&b, x, 3)), fl_broadcast_to(&b, k, 1, dims));
    CHECK_OK(fl_builder_finish(&b, &y, 1, &program));
    const uint8_t aliases[2] = {1, 0};
    fl_compile_options options = {.name = "step", .aliases = aliases};
    CHECK_OK(d->vtable->compile(d, program, &options, &executable));
    fl_program_destroy(program);
    return executable;
}

static void run(fl_device *d, int stream, fl_executable *e, fl_buffer *from, fl_buffer *to, uint32_t k)
{
    const uint32_t value[4] = {k};
    const fl_binding inputs[2] = {{.buffer = from}, {.host = value}}, output = {.buffer = to};
    CHECK_OK(d->vtable->execute(d, stream, e, inputs, &output));
}

static fl_buffer *filled(fl_device *d, int stream, uint32_t value)
{
    fl_buffer *buffer = NULL;
    uint32_t *data = malloc(N * sizeof *data);
    for (int i = 0; i < N; i++) data[i] = value;
    CHECK_OK(d->vtable->allocate(d, stream, N * sizeof *data, &buffer));
    CHECK_OK(d->vtable->upload(d, stream, data, N * sizeof *data, buffer, 0));
    free(data);
    return buffer;
}

/* The value that every element has; fails when they differ. */
static uint32_t value_of(fl_device *d, int stream, fl_buffer *buffer)
{
    uint32_t *data = malloc(N * sizeof *data), first;
    int same = 1;
    CHECK_OK(d->vtable->download(d, stream, buffer, 0, N * sizeof *data, data));
    first = data[0];
    for (int i = 0; i < N; i++) same &= data[i] == first;
    CHECK(same);
    free(data);
    return first;
}

static void test_side_by_side(void)
{
    fl_device *d = open_device(NULL);
    fl_executable *e = step(d);
    fl_event *early = fl_event_create(), *late = fl_event_create();
    for (int urgent = 0; urgent < 2; urgent++) {
        int held = urgent ? FL_URGENT_STREAM : 1; /* one that waits does not make others give way */
        fl_buffer *a = filled(d, held, 1), *b = filled(d, 0, 2);
        gate g;
        gate_close(&g, d, held);
        run(d, held, e, a, a, 5);
        CHECK_OK(d->vtable->record(d, held, late));
        run(d, 0, e, b, b, 5);
        CHECK_OK(d->vtable->record(d, 0, early));
        CHECK_INT(value_of(d, 0, b), 11);
        CHECK(fl_event_done(early) && !fl_event_done(late));
        CHECK(d->vtable->idle(d, 0) && !d->vtable->idle(d, held) && !d->vtable->idle(d, FL_ALL_STREAMS));
        gate_open(&g);
        CHECK_OK(d->vtable->synchronize(d, FL_ALL_STREAMS));
        CHECK(fl_event_done(late) && fl_event_time(late) >= fl_event_time(early));
        CHECK_INT(value_of(d, held, a), 8);
        d->vtable->release(d, a);
        d->vtable->release(d, b);
    }
    fl_event_release(early);
    fl_event_release(late);
    d->vtable->destroy_executable(d, e);
    d->vtable->destroy(d);
}

/* A wait means the record that the event has at the call; later ones of the same event, even behind the wait itself, are others. */
static void test_waits(void)
{
    fl_device *d = open_device(NULL);
    fl_executable *e = step(d);
    fl_buffer *a = filled(d, 0, 1);
    fl_event *event = fl_event_create();
    CHECK_OK(d->vtable->wait(d, 1, event)); /* never recorded */
    CHECK(d->vtable->idle(d, 1));
    gate g;
    gate_close(&g, d, 0);
    run(d, 0, e, a, a, 1); /* 4 */
    CHECK_OK(d->vtable->record(d, 0, event));
    for (int i = 0; i < 200; i++) { /* to and fro, always the same event */
        int stream = 1 + i % 3;
        CHECK_OK(d->vtable->wait(d, stream, event));
        run(d, stream, e, a, a, 1);
        CHECK_OK(d->vtable->record(d, stream, event));
    }
    CHECK(!fl_event_done(event));
    gate_open(&g);
    fl_event_wait(event);
    uint32_t expected = 1;
    for (int i = 0; i < 201; i++) expected = 3 * expected + 1;
    CHECK(value_of(d, 0, a) == expected);
    fl_event_release(event);
    CHECK_ERROR(d->vtable->record(d, FL_STREAMS, event), FL_INVALID, "expected a stream below");
    d->vtable->release(d, a);
    d->vtable->destroy_executable(d, e);
    d->vtable->destroy(d);
}

/* An event and the stream that it ends agree about whether it is reached. */
static void test_agreement(void)
{
    fl_device *d = open_device(NULL);
    fl_executable *e = step(d);
    fl_buffer *a = filled(d, 1, 1);
    fl_event *event = fl_event_create();
    for (int i = 0; i < 300; i++) {
        run(d, 1, e, a, a, 1);
        CHECK_OK(d->vtable->record(d, 1, event));
        if (i % 3 == 0) {
            fl_event_wait(event);
            CHECK(d->vtable->idle(d, 1));
        } else if (i % 3 == 1) {
            while (!d->vtable->idle(d, 1)) sched_yield();
            CHECK(fl_event_done(event));
        } else {
            CHECK_OK(d->vtable->synchronize(d, 1));
            CHECK(fl_event_done(event));
        }
    }
    fl_event_release(event);
    d->vtable->release(d, a);
    d->vtable->destroy_executable(d, e);
    d->vtable->destroy(d);
}

static void test_memory(void)
{
    fl_device *d = open_device("64MiB");
    const size_t bytes = 40u << 20;
    fl_buffer *a = NULL, *b = NULL, *c = NULL;
    fl_memory_stats stats;
    gate g;
    /* the stream that owns a buffer has it again at once */
    CHECK_OK(d->vtable->allocate(d, 0, 1000, &a));
    uint64_t address = a->address;
    gate_close(&g, d, 0);
    d->vtable->release(d, a);
    CHECK_OK(d->vtable->allocate(d, 0, 1000, &a));
    CHECK(a->address == address);
    CHECK_OK(d->vtable->allocate(d, 1, 1000, &b));
    CHECK(b->address != address);
    gate_open(&g);
    d->vtable->release(d, b);
    /* one that another stream uses does not come back before its work is done */
    gate_close(&g, d, 1);
    d->vtable->record_stream(d, a, 1);
    d->vtable->record_stream(d, a, 2); /* which has no work */
    d->vtable->release(d, a);
    CHECK_OK(d->vtable->allocate(d, 0, 1000, &b));
    CHECK(b->address != address);
    d->vtable->memory_stats(d, &stats);
    CHECK_INT(stats.active_count, 2);
    gate_open(&g);
    CHECK_OK(d->vtable->synchronize(d, 1));
    d->vtable->memory_stats(d, &stats);
    CHECK_INT(stats.active_count, 1);
    CHECK_OK(d->vtable->allocate(d, 0, 1000, &c));
    CHECK(c->address == address);
    d->vtable->release(d, b);
    d->vtable->release(d, c);
    /* what one stream keeps is given up when another needs it; held memory, too */
    CHECK_OK(d->vtable->allocate(d, 0, bytes, &a));
    d->vtable->release(d, a);
    CHECK_OK(d->vtable->allocate(d, 1, bytes, &a));
    CHECK_ERROR(d->vtable->allocate(d, 0, bytes, &b), FL_OOM, "in use by 1 tensors");
    d->vtable->record_stream(d, a, 2);
    CHECK_OK(d->vtable->record(d, 2, g.event = fl_event_create()));
    fl_event_release(g.event);
    d->vtable->release(d, a);
    CHECK_OK(d->vtable->allocate(d, 0, bytes, &b));
    d->vtable->memory_stats(d, &stats);
    CHECK(stats.retries >= 1 && stats.ooms == 1 && stats.reserved <= 64u << 20);
    d->vtable->release(d, b);
    d->vtable->trim(d);
    d->vtable->memory_stats(d, &stats);
    CHECK(stats.active_count == 0 && stats.allocated == 0 && stats.reserved < 1u << 20);
    d->vtable->destroy(d);
}

/* Copies that are issued while the stream is held up happen later, from memory as it is then. */
static void test_later_copies(void)
{
    fl_device *d = open_device(NULL);
    fl_buffer *a = filled(d, 3, 1);
    uint32_t *from = malloc(N * sizeof *from), *to = calloc(N, sizeof *to);
    for (int i = 0; i < N; i++) from[i] = 7;
    gate g;
    gate_close(&g, d, 3);
    CHECK_OK(d->vtable->upload_later(d, 3, from, N * sizeof *from, a, 0));
    CHECK_OK(d->vtable->download_later(d, 3, a, 0, N * sizeof *to, to));
    from[N - 1] = 9;
    CHECK(to[0] == 0);
    gate_open(&g);
    CHECK_OK(d->vtable->synchronize(d, 3));
    CHECK(to[0] == 7 && to[N - 1] == 9);
    free(from);
    free(to);
    d->vtable->release(d, a);
    d->vtable->destroy(d);
}

#define BUFFERS 6
#define STREAMS 5

static uint32_t seed;
static uint32_t pick(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Random steps over random streams. Each buffer has an event that its last user recorded; whoever uses it next waits for that. Results
 * equal those of the steps one after another. Some buffers are replaced on the way, with memory that other streams used. */
static void random_program(fl_device *d, fl_executable *e, uint32_t number)
{
    fl_buffer *buffers[BUFFERS];
    fl_event *used[BUFFERS];
    uint32_t model[BUFFERS];
    seed = number;
    for (int i = 0; i < BUFFERS; i++) {
        int stream = (int)pick(STREAMS);
        buffers[i] = filled(d, stream, model[i] = pick(1000));
        used[i] = fl_event_create();
        CHECK_OK(d->vtable->record(d, stream, used[i]));
    }
    for (int n = 0; n < 120; n++) {
        uint32_t from = pick(BUFFERS), to = pick(BUFFERS), k = pick(100), stream = pick(STREAMS);
        CHECK_OK(d->vtable->wait(d, (int)stream, used[from]));
        CHECK_OK(d->vtable->wait(d, (int)stream, used[to]));
        d->vtable->record_stream(d, buffers[from], (int)stream);
        d->vtable->record_stream(d, buffers[to], (int)stream);
        if (from != to && pick(4) == 0) {
            d->vtable->release(d, buffers[to]);
            CHECK_OK(d->vtable->allocate(d, (int)stream, N * sizeof(uint32_t), &buffers[to]));
        }
        run(d, (int)stream, e, buffers[from], buffers[to], k);
        model[to] = 3 * model[from] + k;
        CHECK_OK(d->vtable->record(d, (int)stream, used[from]));
        CHECK_OK(d->vtable->record(d, (int)stream, used[to]));
    }
    for (int i = 0; i < BUFFERS; i++) {
        int stream = (int)pick(STREAMS);
        CHECK_OK(d->vtable->wait(d, stream, used[i]));
        CHECK(value_of(d, stream, buffers[i]) == model[i]);
        d->vtable->release(d, buffers[i]);
        fl_event_release(used[i]);
    }
}

static void test_random(void)
{
    fl_device *d = open_device(NULL);
    fl_executable *e = step(d);
    for (uint32_t i = 0; i < 20; i++) random_program(d, e, i);
    d->vtable->destroy_executable(d, e);
    d->vtable->destroy(d);
}

typedef struct user {
    fl_device *device;
    fl_executable *executable;
    int stream;
} user;

static void *use(void *argument)
{
    user *u = argument;
    fl_buffer *a = filled(u->device, u->stream, 1);
    uint32_t expected = 1;
    for (uint32_t i = 0; i < 30; i++) {
        run(u->device, u->stream, u->executable, a, a, i);
        expected = 3 * expected + i;
    }
    CHECK(value_of(u->device, u->stream, a) == expected);
    u->device->vtable->release(u->device, a);
    return NULL;
}

/* Threads on streams of their own, and two on each. */
static void test_threads(void)
{
    fl_device *d = open_device(NULL);
    fl_executable *e = step(d);
    pthread_t threads[8];
    user users[8];
    for (int i = 0; i < 8; i++) {
        users[i] = (user){d, e, i / 2 * 8};
        if (pthread_create(&threads[i], NULL, use, &users[i])) exit(1);
    }
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    CHECK_OK(d->vtable->synchronize(d, FL_ALL_STREAMS));
    d->vtable->destroy_executable(d, e);
    d->vtable->destroy(d);
}

#if !defined(__SANITIZE_THREAD__) /* the thread sanitizer does not follow threads into a forked child */
static void test_fork(void)
{
    fl_device *d = open_device(NULL);
    fl_executable *e = step(d);
    random_program(d, e, 100);
    fl_buffer *a = filled(d, 2, 1);
    run(d, 2, e, a, a, 1);
    pid_t child = fork();
    if (child == 0) {
        random_program(d, e, 101);
        _exit(value_of(d, 2, a) == 4 && !check_result() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    random_program(d, e, 102);
    d->vtable->release(d, a);
    d->vtable->destroy_executable(d, e);
    d->vtable->destroy(d);
}
#endif

int main(void)
{
    test_side_by_side();
    test_waits();
    test_agreement();
    test_memory();
    test_later_copies();
    test_random();
    test_threads();
#if !defined(__SANITIZE_THREAD__)
    test_fork();
#endif
    return check_result();
}
