/* One region of parallel work at a time. The caller publishes a job and opens it; workers that see it in time
 * join, take pieces from a shared counter and leave; the caller takes pieces as well, closes the job and
 * waits for those who joined. A worker that wakes too late finds the job closed and never delays anyone. */
#define _GNU_SOURCE
#include "base/pool.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS       256
#define PIECES_PER_THREAD 4

/* How long threads spin before they sleep: to be woken takes tens of microseconds. Workers wait for the next region for the whole of
 * a program that runs; the caller waits for workers to finish what they do. A thread that finds that it was not
 * running while it spun shares its core with others: then spinning takes from those who work, and everybody sleeps at once for a while. */
#define SPIN_NS         30000   /* between programs */
#define SPIN_PROGRAM_NS 2000000 /* in a program: longer than most steps of one thread */
#define SPIN_CALLER_NS  200000
#define SPIN_CROWDED_NS 3000
#define PREEMPTED_NS    60000 /* between two looks at the clock */
#define CROWDED_NS      20000000

/* The state word: generation of the job (high half), whether it is open, how many workers are inside. */
#define STATE_OPEN    0x80000000ull
#define STATE_INSIDE  0x7fffffffull
#define GENERATION(s) ((uint32_t)((s) >> 32))

static struct {
    _Atomic uint64_t state;
    /* the job; written only while it is closed and nobody is inside */
    void (*body)(void *ctx, int64_t begin, int64_t end);
    void *ctx;
    int64_t n, piece;
    _Atomic int64_t next; /* the next piece */
    atomic_int owned;     /* a caller has the workers */
    atomic_int sleepers;  /* workers asleep, or about to look once more and sleep */
    atomic_int waiting;   /* the caller sleeps until the last worker leaves */
    atomic_int programs;  /* that run */
    _Atomic int64_t crowded_until;
    int started, prepared; /* changed by the owner only */
    pthread_mutex_t mutex;
    pthread_cond_t wake, idle;
} pool = {
    .mutex = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

static _Thread_local int inside_body;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int has_job(uint64_t state, uint32_t last)
{
    return (state & STATE_OPEN) && GENERATION(state) != last;
}

static int nobody_inside(uint64_t state, uint32_t unused)
{
    (void)unused;
    return !(state & STATE_INSIDE);
}

static int64_t spin_limit(int64_t now, int worker)
{
    if (now < atomic_load_explicit(&pool.crowded_until, memory_order_relaxed)) return SPIN_CROWDED_NS;
    if (!worker) return SPIN_CALLER_NS;
    return atomic_load_explicit(&pool.programs, memory_order_relaxed) ? SPIN_PROGRAM_NS : SPIN_NS;
}

/* Spins until the state satisfies `ready`, for a limited time; returns whether it does. */
static int spin_until(int (*ready)(uint64_t, uint32_t), uint32_t arg, int worker)
{
    int64_t start = 0, last = 0;
    for (;;) {
        for (int i = 0; i < 32; i++) {
            if (ready(atomic_load_explicit(&pool.state, memory_order_acquire), arg)) return 1;
            fl_relax();
        }
        int64_t now = now_ns();
        if (!start) start = last = now;
        if (now - last > PREEMPTED_NS)
            atomic_store_explicit(&pool.crowded_until, now + CROWDED_NS, memory_order_relaxed);
        last = now;
        if (now - start >= spin_limit(now, worker)) return 0;
    }
}

/* Sleeping and waking pair a counter with the state, both sequentially consistent: either the waker sees the
 * sleeper counted, or the sleeper sees the new state before it sleeps. */
static void sleep_until(int (*ready)(uint64_t, uint32_t), uint32_t arg, atomic_int *count,
                        pthread_cond_t *cond)
{
    pthread_mutex_lock(&pool.mutex);
    atomic_fetch_add(count, 1);
    while (!ready(atomic_load(&pool.state), arg)) pthread_cond_wait(cond, &pool.mutex);
    atomic_fetch_sub(count, 1);
    pthread_mutex_unlock(&pool.mutex);
}

static void take_pieces(void)
{
    int64_t n = pool.n, piece = pool.piece;
    for (;;) {
        int64_t i = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed);
        if (i >= n / piece + (n % piece != 0)) return;
        int64_t begin = i * piece;
        pool.body(pool.ctx, begin, n - begin < piece ? n : begin + piece);
    }
}

static int join(uint32_t last)
{
    uint64_t state = atomic_load_explicit(&pool.state, memory_order_acquire);
    while (has_job(state, last))
        if (atomic_compare_exchange_weak_explicit(&pool.state, &state, state + 1, memory_order_acquire,
                                                  memory_order_acquire))
            return 1;
    return 0;
}

static void leave(void)
{
    uint64_t before = atomic_fetch_sub(&pool.state, 1);
    if ((before & STATE_INSIDE) == 1 && atomic_load(&pool.waiting)) {
        pthread_mutex_lock(&pool.mutex);
        pthread_cond_signal(&pool.idle);
        pthread_mutex_unlock(&pool.mutex);
    }
}

static void *worker(void *unused)
{
    uint32_t last = 0;
    inside_body = 1;
    for (;;) {
        if (!spin_until(has_job, last, 1)) sleep_until(has_job, last, &pool.sleepers, &pool.wake);
        if (!join(last)) continue;
        last = GENERATION(atomic_load_explicit(&pool.state, memory_order_relaxed)); /* fixed while inside */
        take_pieces();
        leave();
    }
    return unused;
}

/* In the child of a fork the workers are gone; locks and counters may be in any state. */
static void after_fork(void)
{
    atomic_store(&pool.state, 0);
    atomic_store(&pool.owned, 0);
    atomic_store(&pool.sleepers, 0);
    atomic_store(&pool.waiting, 0);
    atomic_store(&pool.programs, 0);
    pool.started = 0;
    pthread_mutex_init(&pool.mutex, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.idle, NULL);
}

/* Starts what is missing; a thread that cannot be started is done without. Workers take no signals. */
static void start_workers(int want)
{
    if (!pool.prepared) pool.prepared = pthread_atfork(NULL, NULL, after_fork) == 0;
    if (!pool.prepared) return;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (pool.started < want) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, NULL)) break;
        pthread_detach(thread);
        pool.started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

int fl_pool_threads(void)
{
    static atomic_int cached;
    int count = atomic_load_explicit(&cached, memory_order_relaxed);
    if (count) return count;
    const char *text = getenv("FL_THREADS");
    count = text ? atoi(text) : 0;
    if (count <= 0) {
#ifdef __linux__
        cpu_set_t set;
        count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
#endif
        if (count <= 0) count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    }
    count = count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : count;
    atomic_store_explicit(&cached, count, memory_order_relaxed);
    return count;
}

static void run_region(int64_t n, int64_t piece, int64_t pieces, void (*body)(void *, int64_t, int64_t),
                       void *ctx)
{
    pool.body = body;
    pool.ctx = ctx;
    pool.n = n;
    pool.piece = piece;
    atomic_store_explicit(&pool.next, 0, memory_order_relaxed);
    uint64_t generation = GENERATION(atomic_load_explicit(&pool.state, memory_order_relaxed)) + 1u;
    atomic_store(&pool.state, (generation & 0xffffffffu) << 32 | STATE_OPEN);
    int sleepers = atomic_load(&pool.sleepers);
    if (sleepers > 0) {
        pthread_mutex_lock(&pool.mutex);
        for (int64_t i = 0; i < sleepers && i < pieces - 1; i++) pthread_cond_signal(&pool.wake);
        pthread_mutex_unlock(&pool.mutex);
    }
    take_pieces();
    atomic_fetch_and(&pool.state, ~STATE_OPEN);
    if (!spin_until(nobody_inside, 0, 0)) sleep_until(nobody_inside, 0, &pool.waiting, &pool.idle);
}

void fl_parallel_for(int64_t n, int64_t grain, void (*body)(void *ctx, int64_t begin, int64_t end), void *ctx)
{
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    int threads = inside_body || n <= grain ? 1 : fl_pool_threads();
    if (threads == 1) {
        body(ctx, 0, n);
        return;
    }
    int64_t piece = n / (threads * PIECES_PER_THREAD) + 1;
    if (piece < grain) piece = grain;
    inside_body = 1;
    if (atomic_exchange_explicit(&pool.owned, 1, memory_order_acquire)) {
        body(ctx, 0, n); /* another caller has the workers */
    } else {
        if (pool.started < threads - 1) start_workers(threads - 1);
        run_region(n, piece, (n - 1) / piece + 1, body, ctx);
        atomic_store_explicit(&pool.owned, 0, memory_order_release);
    }
    inside_body = 0;
}

void fl_pool_program(int change)
{
    atomic_fetch_add_explicit(&pool.programs, change, memory_order_relaxed);
}
