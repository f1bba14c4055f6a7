/* A thread that launches what is pending when nothing more comes: a program may compute something and never ask for it, or pause.
 *
 * Where a pause cuts the operators is chance, and what it cuts is compiled anew. So a pause has to last as long as that compilation
 * would take, as measured: some milliseconds on the embedded device, seconds over a slow compiler, where a thread that got no
 * processor for a moment must not cost an executable for each operator.
 *
 * It starts with the first deferred operator, sleeps while nothing is pending, and ends before the process does. A forked child
 * has none until it defers something itself; what its parent had pending was launched before the fork. */
#include "eager/defer.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define TICK_NS (2 * 1000 * 1000)
#define LEAST   10   /* ticks without another operator that are a pause */
#define MOST    5000 /* those that always are */
#define REST    100  /* ticks without anything pending: it sleeps until it is woken */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static int runs, sleeps, stops; /* sleeps: atomic */

/* Ticks for which what is pending stays. Takes no lock: about is enough. */
static int patience(const fl_deferral *d)
{
    uint64_t n = __atomic_load_n(&d->uncompiled, __ATOMIC_RELAXED) + 1;
    uint64_t cost = fl_deferral_compile_cost(d), longest = (uint64_t)MOST * TICK_NS;
    uint64_t ns = cost && n > longest / cost ? longest : n * cost;
    return ns < (uint64_t)LEAST * TICK_NS ? LEAST : (int)(ns / TICK_NS);
}

/* Unless somebody is busy with the list, or has added to it. */
static void flush_if_still(fl_deferral *d, uint64_t ticks)
{
    if (pthread_mutex_trylock(&d->lock)) return;
    if (__atomic_load_n(&d->ticks, __ATOMIC_RELAXED) == ticks) fl_deferral_flush(d, FL_FLUSH_PAUSE);
    pthread_mutex_unlock(&d->lock);
}

/* Flushes devices that had no new operator for a while; returns whether anything is pending. */
static int look(uint64_t *ticks, int *still)
{
    int pending = 0;
    for (int i = 0; i < FL_MOST_DEVICES_OPEN; i++) {
        fl_deferral *d = fl_deferral_of(i);
        if (!d || !__atomic_load_n(&d->list.ops_count, __ATOMIC_RELAXED)) continue;
        uint64_t now = __atomic_load_n(&d->ticks, __ATOMIC_RELAXED);
        still[i] = now == ticks[i] ? still[i] + 1 : 0;
        ticks[i] = now;
        pending = 1;
        if (still[i] >= patience(d)) flush_if_still(d, now);
    }
    return pending;
}

static void *watch(void *unused)
{
    uint64_t ticks[FL_MOST_DEVICES_OPEN] = {0};
    int still[FL_MOST_DEVICES_OPEN] = {0}, rested = 0;
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!stops) {
        struct timespec until;
        pthread_mutex_unlock(&lock);
        rested = look(ticks, still) ? 0 : rested + 1;
        pthread_mutex_lock(&lock);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK_NS;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        if (stops) break;
        if (rested < REST) {
            pthread_cond_timedwait(&wake, &lock, &until);
            continue;
        }
        __atomic_store_n(&sleeps, 1, __ATOMIC_SEQ_CST);
        while (!stops && __atomic_load_n(&sleeps, __ATOMIC_SEQ_CST)) pthread_cond_wait(&wake, &lock);
        rested = 0;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void stop(void)
{
    pthread_mutex_lock(&lock);
    int joined = runs;
    stops = 1;
    runs = 0;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    if (joined) pthread_join(thread, NULL);
}

/* Nothing is pending and no lock is held in the moment of the fork. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < FL_MOST_DEVICES_OPEN; i++) {
        fl_deferral *d = fl_deferral_of(i);
        if (!d) continue;
        pthread_mutex_lock(&d->lock);
        fl_deferral_flush(d, FL_FLUSH_END);
    }
}

static void unlock_all(void)
{
    for (int i = 0; i < FL_MOST_DEVICES_OPEN; i++) {
        fl_deferral *d = fl_deferral_of(i);
        if (d) pthread_mutex_unlock(&d->lock);
    }
    pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
    unlock_all();
    runs = sleeps = 0;
    wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

static void start(void)
{
    static int prepared;
    pthread_mutex_lock(&lock);
    if (!prepared) {
        prepared = 1;
        pthread_atfork(before_fork, unlock_all, after_fork_in_child);
        atexit(stop);
    }
    if (!runs && !stops && !pthread_create(&thread, NULL, watch, NULL))
        __atomic_store_n(&runs, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

void fl_watchdog_wake(void)
{
    if (__builtin_expect(!__atomic_load_n(&runs, __ATOMIC_ACQUIRE), 0)) {
        start();
        return;
    }
    if (!__atomic_load_n(&sleeps, __ATOMIC_SEQ_CST)) return;
    pthread_mutex_lock(&lock);
    __atomic_store_n(&sleeps, 0, __ATOMIC_SEQ_CST);
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}
