/* Fused mode with several threads: each computes on tensors of its own, which it writes whole, by halves and by single rows, in the
 * default stream or in one of its own, and reads now and then; others ask about memory, explain, flush, change the mode and rest until
 * the watchdog comes. What is read is compared with the same in plain C; numbers are 32-bit integers, so all is exact. */
#include "eager/eager_case.h"
#include "eager/defer.h"
#include "eager/explain.h"
#include "eager/mode.h"
#include "flambeau.h"

#include <time.h>

enum { THREADS = 4, TENSORS = 5, COLUMNS = 8, ROWS = 4, SIZE = ROWS * COLUMNS, STEPS = 600 };

typedef struct worker {
    pthread_t thread;
    int number, stream;
    uint32_t state; /* of its random choices */
    fl_buffer *buffers[TENSORS];
    uint32_t expected[TENSORS][SIZE];
} worker;

static fl_buffer *shared; /* read by all */
static uint32_t shared_values[SIZE];
static int running;

static uint32_t choose(worker *w, uint32_t n)
{
    w->state = w->state * 1664525u + 1013904223u;
    return (w->state >> 8) % n;
}

static void rest(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

/* `rows` rows of a buffer from row `first` on. */
static tensor rows_of(fl_buffer *buffer, int first, int rows)
{
    tensor x;
    tensor_over(&x, buffer, FL_I32, 2, rows, COLUMNS);
    x.t.offset = (int64_t)first * COLUMNS * 4;
    return x;
}

static void operate(const worker *w, const char *name, tensor *a, tensor *b, tensor *out, int has_factor)
{
    for (tensor *x = a;; x = x == a ? b : out) { /* the structs were copied */
        x->t.sizes = x->sizes;
        x->t.strides = x->strides;
        if (x == out) break;
    }
    const fl_value with[] = {TENSOR(*a), TENSOR(*b), INTEGER(1), TENSOR(*out)},
                   without[] = {TENSOR(*a), TENSOR(*b), TENSOR(*out)};
    uint16_t written = has_factor ? 3 : 2;
    fl_call call = {.op = (uint32_t)fl_operator_find(name),
                    .device = 0,
                    .stream = w->stream,
                    .args = has_factor ? with : without,
                    .arg_count = has_factor ? 4 : 3,
                    .written = &written,
                    .written_count = 1};
    CHECK_OK(fl_call_prepare(&call));
    CHECK_OK(fl_call_launch(&call, NULL));
}

static uint32_t compute(int kind, uint32_t a, uint32_t b)
{
    return kind == 0 ? a + b : kind == 1 ? a * b : a ^ b;
}

static void new_buffer(worker *w, int i)
{
    fl_device *d = device_at(0);
    release(w->buffers[i]);
    CHECK_OK(d->vtable->allocate(d, w->stream, SIZE * 4, &w->buffers[i]));
}

/* One operator of two tensors into a third, or into rows of it. A third that is written whole may be a new one; what was in the old
 * one, perhaps still pending, nobody sees then. */
static void step(worker *w)
{
    static const char *const names[] = {"add.out", "mul.out", "bitwise_xor.Tensor_out"};
    int kind = (int)choose(w, 3), a = (int)choose(w, TENSORS), b = (int)choose(w, TENSORS + 1),
        out = (int)choose(w, TENSORS), whole = !choose(w, 2);
    int rows = whole ? ROWS : 1 + (int)choose(w, 2), first = whole ? 0 : (int)choose(w, ROWS - 1);
    if (whole && out != a && out != b && !choose(w, 3)) new_buffer(w, out);
    tensor x = rows_of(w->buffers[a], first, rows),
           y = rows_of(b < TENSORS ? w->buffers[b] : shared, first, rows),
           z = rows_of(w->buffers[out], first, rows);
    operate(w, names[kind], &x, &y, &z, kind == 0);
    const uint32_t *other = b < TENSORS ? w->expected[b] : shared_values;
    for (int i = first * COLUMNS; i < (first + rows) * COLUMNS; i++)
        w->expected[out][i] = compute(kind, w->expected[a][i], other[i]);
}

static void read_back(worker *w, int i)
{
    uint32_t got[SIZE];
    fl_device *d = device_at(0);
    CHECK_OK(d->vtable->download(d, w->stream, w->buffers[i], 0, sizeof got, got));
    CHECK(!memcmp(got, w->expected[i], sizeof got));
}

static void *work(void *argument)
{
    worker *w = argument;
    fl_device *d = device_at(0);
    for (int i = 0; i < TENSORS; i++) {
        for (int k = 0; k < SIZE; k++) w->expected[i][k] = choose(w, 1000);
        CHECK_OK(d->vtable->allocate(d, w->stream, SIZE * 4, &w->buffers[i]));
        CHECK_OK(d->vtable->upload(d, w->stream, w->expected[i], SIZE * 4, w->buffers[i], 0));
    }
    for (int n = 0; n < STEPS; n++) {
        step(w);
        if (!choose(w, 25)) read_back(w, (int)choose(w, TENSORS));
        if (!choose(w, 200)) rest(30); /* longer than the watchdog waits */
        if (!choose(w, 100)) fl_mode_exchange(choose(w, 2) ? FL_EAGER_STRICT : FL_NO_MODE);
    }
    fl_mode_exchange(FL_NO_MODE);
    for (int i = 0; i < TENSORS; i++) {
        read_back(w, i);
        release(w->buffers[i]);
    }
    return NULL;
}

/* A loop whose rounds are the same, so that chunks are found again: 300 rounds of six operators. */
static void *repeat(void *argument)
{
    worker *w = argument;
    fl_device *d = device_at(0);
    uint32_t expected[SIZE], ones[SIZE];
    for (int k = 0; k < SIZE; k++) expected[k] = (uint32_t)k, ones[k] = 1;
    fl_buffer *x, *one;
    CHECK_OK(d->vtable->allocate(d, w->stream, SIZE * 4, &x));
    CHECK_OK(d->vtable->allocate(d, w->stream, SIZE * 4, &one));
    CHECK_OK(d->vtable->upload(d, w->stream, expected, SIZE * 4, x, 0));
    CHECK_OK(d->vtable->upload(d, w->stream, ones, SIZE * 4, one, 0));
    for (int round = 0; round < 300; round++) {
        for (int n = 0; n < 6; n++) {
            tensor a = rows_of(x, 0, ROWS), b = rows_of(one, 0, ROWS), c = a;
            operate(w, n % 2 ? "mul.out" : "add.out", &a, &b, &c, n % 2 == 0);
        }
        if (round % 50 == 49) CHECK_OK(d->vtable->synchronize(d, w->stream));
    }
    uint32_t got[SIZE];
    CHECK_OK(d->vtable->download(d, w->stream, x, 0, sizeof got, got));
    for (int k = 0; k < SIZE; k++) CHECK_INT(got[k], (uint32_t)k + 900);
    release(x);
    release(one);
    return NULL;
}

/* Who looks on. */
static void *ask(void *unused)
{
    (void)unused;
    fl_device *d = device_at(0);
    for (int n = 0; __atomic_load_n(&running, __ATOMIC_ACQUIRE); n++) {
        fl_memory_stats memory;
        fl_cache_stats cache;
        if (n % 4 == 0) fl_explain_begin();
        rest(3);
        d->vtable->memory_stats(d, &memory);
        CHECK(memory.allocated > 0);
        fl_cache_get_stats(&cache);
        free(fl_explain_counts());
        if (n % 4 == 3) {
            char *text = fl_explain_end();
            CHECK(text && *text == '[');
            free(text);
        }
        if (n % 5 == 0) fl_defer_flush_all(FL_FLUSH_STEP);
        if (n % 7 == 0) fl_cache_clear(); /* entries that are pending stay until they ran */
        if (n % 11 == 0) d->vtable->trim(d);
    }
    free(fl_explain_end());
    return NULL;
}

static void test_threads(int own_streams)
{
    worker workers[THREADS + 1] = {{0}};
    pthread_t asker;
    __atomic_store_n(&running, 1, __ATOMIC_RELEASE);
    CHECK(!pthread_create(&asker, NULL, ask, NULL));
    for (int t = 0; t <= THREADS; t++) {
        workers[t].number = t;
        workers[t].stream = own_streams ? t : 0;
        workers[t].state = (uint32_t)t * 7919u + 17u * (uint32_t)own_streams;
        CHECK(!pthread_create(&workers[t].thread, NULL, t < THREADS ? work : repeat, &workers[t]));
    }
    for (int t = 0; t <= THREADS; t++) pthread_join(workers[t].thread, NULL);
    __atomic_store_n(&running, 0, __ATOMIC_RELEASE);
    pthread_join(asker, NULL);
}

int main(void)
{
    CHECK_INT(fl_count_devices(), 1);
    fl_mode_set(FL_EAGER_FUSED);
    for (int k = 0; k < SIZE; k++) shared_values[k] = (uint32_t)k * 2654435761u;
    shared = buffer_of(0, sizeof shared_values, shared_values);
    tensor x = rows_of(shared, 0, ROWS), y = x,
           z = x; /* the first operator puts functions in front of the device's */
    operate(&(worker){0}, "bitwise_xor.Tensor_out", &x, &y, &z, 0);
    CHECK_OK(device_at(0)->vtable->upload(device_at(0), 0, shared_values, sizeof shared_values, shared, 0));
    CHECK_OK(device_at(0)->vtable->synchronize(device_at(0), 0));
    test_threads(0);
    test_threads(1);
    release(shared);
    fl_defer_flush_all(FL_FLUSH_END);
    return check_result();
}
