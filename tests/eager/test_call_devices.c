/* Two devices of little memory: exhaustion, and calls from several threads at once. Meant for the thread sanitizer too. */
#include "eager/eager_case.h"
#include "flambeau.h"

#include <pthread.h>

#define CAPACITY (64u << 20)
#define STEPS    120

/* A full device says so, and goes on when there is room again; the other device has its own memory. */
static void test_exhaustion(void)
{
    fl_device *d = device_at(0);
    CHECK_INT(d->capacity, CAPACITY);
    fl_buffer *large = NULL, *more = NULL;
    CHECK_OK(d->vtable->allocate(d, 0, 60u << 20, &large));
    CHECK_ERROR(d->vtable->allocate(d, 0, 8u << 20, &more), FL_OOM, "64.00 MiB");
    fl_buffer *there = buffer_of(1, 60u << 20, NULL);
    release(there);

    float x[1000], expected[1000];
    for (int i = 0; i < 1000; i++) x[i] = (float)(i - 500), expected[i] = i < 500 ? 0 : x[i];
    fl_buffer *px = buffer_of(0, sizeof x, x), *fresh[1];
    tensor t;
    tensor_over(&t, px, FL_F32, 1, 1000);
    CHECK_OK(invoke(0, "relu", FRESH_ONLY, fresh, ARGS(TENSOR(t)))); /* what fits still fits */
    CHECK(same_floats(fresh[0], expected, 1000, 0));
    release(fresh[0]);
    fl_memory_stats stats;
    d->vtable->memory_stats(d, &stats);
    CHECK_INT(stats.ooms, 1);

    release(large);
    release(px);
    release(buffer_of(0, CAPACITY, NULL));
    CHECK_OK(d->vtable->synchronize(d, FL_ALL_STREAMS));
}

/* A program whose temporaries do not fit fails as a whole, at the call. */
static void test_exhausted_scratch(void)
{
    enum { N = 1 << 20 };
    fl_device *d = device_at(0);
    d->vtable->trim(d);
    float *x = malloc(N * sizeof *x);
    if (!x) exit(1);
    for (int i = 0; i < N; i++) x[i] = (float)((i * 7919LL) % N);
    fl_buffer *px = buffer_of(0, N * sizeof *x, x), *large, *values = buffer_of(0, N * sizeof *x, NULL),
              *order = buffer_of(0, N * sizeof(int64_t), NULL);
    tensor t, v, o;
    tensor_over(&t, px, FL_F32, 1, N);
    tensor_over(&v, values, FL_F32, 1, N);
    tensor_over(&o, order, FL_I64, 1, N);
    large = buffer_of(0, 47u << 20, NULL);
    const fl_value args[] = {TENSOR(t), BOOL(1), INT(0), BOOL(0), TENSOR(v), TENSOR(o)};
    int op = fl_operator_find("sort.values_stable");
    CHECK(op >= 0);
    const uint16_t written[] = {4, 5};
    fl_call call = {.op = (uint32_t)op, .args = args, .arg_count = 6, .written = written, .written_count = 2};
    CHECK_OK(fl_call_prepare(&call));
    CHECK_ERROR(fl_call_launch(&call, NULL), FL_OOM, "TORCH_TPU_MEMORY");
    release(large);
    CHECK_OK(fl_call_prepare(&call));
    CHECK_OK(fl_call_launch(&call, NULL));
    for (int i = 0; i < N; i++) x[i] = (float)i; /* 7919 is odd: the numbers below N in another order */
    CHECK(same_floats(values, x, N, 0));
    release(px), release(values), release(order);
    free(x);
}

typedef struct driver {
    int device, number;
    pthread_barrier_t *start;
} driver;

/* Small and queued calls, new shapes and known ones, an error now and then; every value is checked. */
static void *drive(void *argument)
{
    driver *who = argument;
    fl_device *d = device_at(who->device);
    pthread_barrier_wait(who->start);
    for (int step = 0; step < STEPS; step++) {
        int n = step % 3 == 0 ? 20000 : 1 + step / 8;
        float *x = malloc((size_t)n * sizeof *x), alpha = (float)(step + who->number);
        if (!x) exit(1);
        for (int i = 0; i < n; i++) x[i] = (float)(i % 100 + who->number);
        fl_buffer *p = buffer_of(who->device, (size_t)n * sizeof *x, x), *fresh[1];
        tensor t, r;
        tensor_over(&t, p, FL_F32, 1, n);
        CHECK_OK(invoke(who->device, "relu", FRESH_ONLY, fresh, ARGS(TENSOR(t))));
        tensor_over(&r, fresh[0], FL_F32, 1, n);
        CHECK_OK(
            invoke(who->device, "add.out", 3, NULL, ARGS(TENSOR(t), TENSOR(r), NUMBER(alpha), TENSOR(t))));
        for (int i = 0; i < n; i++) x[i] *= 1 + alpha;
        release(fresh[0]); /* the queued call still reads it */
        CHECK(same_floats(p, x, (size_t)n, 0));
        release(p);
        free(x);
    }
    CHECK_OK(d->vtable->synchronize(d, FL_ALL_STREAMS));
    return NULL;
}

static void *watch(void *argument)
{
    driver *who = argument;
    pthread_barrier_wait(who->start);
    uint64_t last = 0;
    for (int i = 0; i < 200; i++) {
        fl_cache_stats stats;
        fl_memory_stats memory;
        int64_t offset;
        fl_cache_get_stats(&stats);
        CHECK(stats.misses >= last);
        last = stats.misses;
        for (int k = 0; k < 2; k++) {
            fl_device *d = device_at(k);
            d->vtable->memory_stats(d, &memory);
            CHECK(memory.allocated <= memory.reserved && memory.reserved <= CAPACITY);
            d->vtable->idle(d, FL_ALL_STREAMS);
        }
        CHECK(!fl_address_find(1, &offset));
        sched_yield();
    }
    return NULL;
}

/* Two threads on two devices, two more on the first one, and one that reads the statistics. */
static void test_threads(void)
{
    enum { DRIVERS = 4 };
    pthread_t threads[DRIVERS + 1];
    driver drivers[DRIVERS + 1];
    pthread_barrier_t start;
    CHECK(!pthread_barrier_init(&start, NULL, DRIVERS + 1));
    for (int i = 0; i <= DRIVERS; i++) {
        drivers[i] = (driver){i == 1, i, &start};
        if (pthread_create(&threads[i], NULL, i < DRIVERS ? drive : watch, &drivers[i])) exit(1);
    }
    for (int i = 0; i <= DRIVERS; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    for (int k = 0; k < 2; k++) {
        fl_device *d = device_at(k);
        fl_memory_stats stats;
        d->vtable->memory_stats(d, &stats);
        CHECK_INT(stats.active_count, 0);
        CHECK_INT(stats.allocated, 0); /* scratch of programs is no tensor's */
    }
}

int main(void)
{
    setenv("TORCH_TPU_DEVICES", "2", 1);
    setenv("TORCH_TPU_MEMORY", "64MiB", 1);
    setenv("FL_CACHE_ENTRIES", "5", 1); /* entries are retired all the time, while other threads use them */
    CHECK_INT(fl_count_devices(), 2);
    test_exhaustion();
    test_exhausted_scratch();
    test_threads();
    return check_result();
}
