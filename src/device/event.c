#include "device/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct fl_event {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int references;
    int pending; /* records that have not completed */
    uint64_t time;
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

void fl_event_begin(fl_event *e)
{
    pthread_mutex_lock(&e->lock);
    e->references++;
    e->pending++;
    pthread_mutex_unlock(&e->lock);
}

void fl_event_complete(fl_event *e)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&e->lock);
    e->time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    e->pending--;
    pthread_cond_broadcast(&e->done);
    unreference(e);
}

int fl_event_done(fl_event *e)
{
    pthread_mutex_lock(&e->lock);
    int done = e->pending == 0;
    pthread_mutex_unlock(&e->lock);
    return done;
}

void fl_event_wait(fl_event *e)
{
    pthread_mutex_lock(&e->lock);
    while (e->pending) pthread_cond_wait(&e->done, &e->lock);
    pthread_mutex_unlock(&e->lock);
}

uint64_t fl_event_time(fl_event *e)
{
    pthread_mutex_lock(&e->lock);
    uint64_t time = e->time;
    pthread_mutex_unlock(&e->lock);
    return time;
}
