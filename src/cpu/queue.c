#include "cpu/queue.h"

#include "base/pool.h"
#include "device/activity.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long worker and waiters spin before they sleep. Longer hides wake-ups (some microseconds each), but the spinning
 * core is one that a parallel kernel or the host could use. */
#define SPINS 400

typedef struct entry {
    fl_work_fn work;
    fl_activity_place place; /* of who submitted it, while activities are collected */
    void *payload;           /* `space`, or allocated */
    union {
        char space[FL_QUEUE_INLINE];
        long double align;
    } u;
} entry;

struct fl_queue {
    pthread_mutex_t lock; /* producers */
    uint64_t submitted;   /* written with `lock` held */
    char pad1[64];
    uint64_t completed; /* written by the worker */
    uint64_t passed;    /* the same, or one more when the entry that runs said so */
    char pad2[64];
    pthread_mutex_t sleep; /* guards the two conditions and the flags below */
    pthread_cond_t work_arrived, progress;
    int worker_sleeps, waiters, stop;
    int worker_runs, urgent;
    pthread_t worker;
    pthread_mutex_t error_lock;
    fl_status error;
    fl_queue *next; /* all queues, for fork */
    entry entries[FL_QUEUE_LENGTH];
};

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static fl_queue *all_queues;

/* Urgent queues that have work which could run, and those who give way to them. */
static pthread_mutex_t urgent_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t nothing_urgent = PTHREAD_COND_INITIALIZER;
static int urgent_queues;

static void count_urgent(const fl_queue *q, int change)
{
    if (!q->urgent) return;
    pthread_mutex_lock(&urgent_lock);
    if (__atomic_add_fetch(&urgent_queues, change, __ATOMIC_RELAXED) == 0)
        pthread_cond_broadcast(&nothing_urgent);
    pthread_mutex_unlock(&urgent_lock);
}

static void give_way(const fl_queue *q)
{
    if (q->urgent || !__atomic_load_n(&urgent_queues, __ATOMIC_RELAXED)) return;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += FL_QUEUE_PATIENCE;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int late = 0;
    pthread_mutex_lock(&urgent_lock);
    while (urgent_queues && !late) late = pthread_cond_timedwait(&nothing_urgent, &urgent_lock, &until);
    pthread_mutex_unlock(&urgent_lock);
}

static uint64_t load(const uint64_t *p)
{
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static void run_entry(fl_queue *q, entry *e)
{
    give_way(q);
    if (fl_activities_on()) fl_activity_set_place(e->place);
    fl_status status = e->work(e->payload);
    if (status) fl_queue_keep_error(q, status);
    if (e->payload != e->u.space) free(e->payload);
}

/* Waits for work: spins a little, then sleeps. Returns 0 when the queue is being destroyed and empty. */
static int wait_for_work(fl_queue *q, uint64_t done)
{
    for (int i = 0; i < SPINS; i++) {
        if (load(&q->submitted) != done) return 1;
        fl_relax();
    }
    pthread_mutex_lock(&q->sleep);
    __atomic_store_n(&q->worker_sleeps, 1, __ATOMIC_SEQ_CST);
    while (load(&q->submitted) == done && !q->stop) pthread_cond_wait(&q->work_arrived, &q->sleep);
    __atomic_store_n(&q->worker_sleeps, 0, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&q->sleep);
    return load(&q->submitted) != done;
}

static void *worker_main(void *argument)
{
    fl_queue *q = argument;
    uint64_t done = q->completed;
    int works = 0;
    while (wait_for_work(q, done)) {
        if (!works) count_urgent(q, works = 1);
        run_entry(q, &q->entries[done % FL_QUEUE_LENGTH]);
        __atomic_store_n(&q->passed, ++done, __ATOMIC_SEQ_CST);
        __atomic_store_n(&q->completed, done, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&q->waiters, __ATOMIC_SEQ_CST)) {
            pthread_mutex_lock(&q->sleep);
            pthread_cond_broadcast(&q->progress);
            pthread_mutex_unlock(&q->sleep);
        }
        if (load(&q->submitted) != done) continue;
        count_urgent(q, -1);
        works = 0;
    }
    return NULL;
}

/* Waits until the worker has completed `target` entries. */
static void wait_completed(fl_queue *q, uint64_t target)
{
    for (int i = 0; i < SPINS; i++) {
        if (load(&q->completed) >= target) return;
        fl_relax();
    }
    pthread_mutex_lock(&q->sleep);
    __atomic_add_fetch(&q->waiters, 1, __ATOMIC_SEQ_CST);
    while (load(&q->completed) < target) pthread_cond_wait(&q->progress, &q->sleep);
    __atomic_sub_fetch(&q->waiters, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&q->sleep);
}

/* fork: the queues are drained and locked, so that the child finds them consistent; the child starts its workers anew
 * when it first queues something. */
static void before_fork(void)
{
    pthread_mutex_lock(&all_lock);
    for (fl_queue *q = all_queues; q; q = q->next) {
        pthread_mutex_lock(&q->lock);
        wait_completed(q, q->submitted);
        pthread_mutex_lock(&q->sleep);
        pthread_mutex_lock(&q->error_lock);
    }
}

static void after_fork_parent(void)
{
    for (fl_queue *q = all_queues; q; q = q->next) {
        pthread_mutex_unlock(&q->error_lock);
        pthread_mutex_unlock(&q->sleep);
        pthread_mutex_unlock(&q->lock);
    }
    pthread_mutex_unlock(&all_lock);
}

static void init_sync(fl_queue *q)
{
    pthread_mutex_init(&q->lock, NULL);
    pthread_mutex_init(&q->sleep, NULL);
    pthread_mutex_init(&q->error_lock, NULL);
    pthread_cond_init(&q->work_arrived, NULL);
    pthread_cond_init(&q->progress, NULL);
}

static void after_fork_child(void)
{
    for (fl_queue *q = all_queues; q; q = q->next) {
        init_sync(q);
        q->worker_runs = q->worker_sleeps = q->waiters = 0;
    }
    pthread_mutex_init(&urgent_lock, NULL);
    pthread_cond_init(&nothing_urgent, NULL);
    urgent_queues = 0;
    pthread_mutex_init(&all_lock, NULL);
}

static void install_fork_handlers(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

fl_status fl_queue_create(int urgent, fl_queue **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_fork_handlers);
    fl_queue *q = calloc(1, sizeof *q);
    FL_CHECK(q, FL_OOM, "out of host memory");
    init_sync(q);
    q->urgent = urgent;
    pthread_mutex_lock(&all_lock);
    q->next = all_queues;
    all_queues = q;
    pthread_mutex_unlock(&all_lock);
    *out = q;
    return NULL;
}

void fl_queue_destroy(fl_queue *q)
{
    if (!q) return;
    fl_queue_drain(q);
    pthread_mutex_lock(&all_lock);
    for (fl_queue **p = &all_queues; *p; p = &(*p)->next)
        if (*p == q) {
            *p = q->next;
            break;
        }
    pthread_mutex_unlock(&all_lock);
    if (q->worker_runs) {
        pthread_mutex_lock(&q->sleep);
        q->stop = 1;
        pthread_cond_signal(&q->work_arrived);
        pthread_mutex_unlock(&q->sleep);
        pthread_join(q->worker, NULL);
    }
    fl_status_free(q->error);
    free(q);
}

void fl_queue_lock(fl_queue *q)
{
    pthread_mutex_lock(&q->lock);
}

void fl_queue_unlock(fl_queue *q)
{
    pthread_mutex_unlock(&q->lock);
}

int fl_queue_idle(const fl_queue *q)
{
    return load(&q->passed) == load(&q->submitted);
}

void *fl_queue_payload(fl_queue *q, size_t bytes)
{
    if (q->submitted - load(&q->completed) >= FL_QUEUE_LENGTH)
        wait_completed(q, q->submitted - FL_QUEUE_LENGTH + 1);
    entry *e = &q->entries[q->submitted % FL_QUEUE_LENGTH];
    e->payload = bytes <= sizeof e->u.space ? e->u.space : malloc(bytes);
    return e->payload;
}

fl_status fl_queue_submit(fl_queue *q, fl_work_fn work)
{
    entry *e = &q->entries[q->submitted % FL_QUEUE_LENGTH];
    e->work = work;
    e->place = fl_activities_on() ? fl_activity_get_place() : (fl_activity_place){0};
    if (!q->worker_runs) {
        if (pthread_create(&q->worker, NULL, worker_main, q)) {
            if (e->payload != e->u.space) free(e->payload);
            return fl_error(FL_INTERNAL, "cannot start the device's thread");
        }
        q->worker_runs = 1;
    }
    __atomic_store_n(&q->submitted, q->submitted + 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&q->worker_sleeps, __ATOMIC_SEQ_CST)) {
        pthread_mutex_lock(&q->sleep);
        pthread_cond_signal(&q->work_arrived);
        pthread_mutex_unlock(&q->sleep);
    }
    return NULL;
}

void fl_queue_pass(fl_queue *q)
{
    __atomic_store_n(&q->passed, q->completed + 1, __ATOMIC_SEQ_CST);
}

int fl_queue_finished(fl_queue *q)
{
    uint64_t all = load(&q->submitted);
    if (load(&q->passed) < all) return 0;
    wait_completed(q, all);
    return 1;
}

uint64_t fl_queue_position(const fl_queue *q)
{
    return load(&q->submitted);
}

int fl_queue_reached(const fl_queue *q, uint64_t position)
{
    return load(&q->completed) >= position;
}

void fl_queue_pause(fl_queue *q)
{
    count_urgent(q, -1);
}

void fl_queue_resume(fl_queue *q)
{
    count_urgent(q, 1);
}

void fl_queue_drain(fl_queue *q)
{
    wait_completed(q, load(&q->submitted));
}

fl_status fl_queue_take_error(fl_queue *q)
{
    if (!__atomic_load_n(&q->error, __ATOMIC_ACQUIRE)) return NULL;
    pthread_mutex_lock(&q->error_lock);
    fl_status status = q->error;
    __atomic_store_n(&q->error, NULL, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&q->error_lock);
    return status;
}

void fl_queue_keep_error(fl_queue *q, fl_status status)
{
    pthread_mutex_lock(&q->error_lock);
    if (q->error)
        fl_status_free(status);
    else
        __atomic_store_n(&q->error, status, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&q->error_lock);
}
