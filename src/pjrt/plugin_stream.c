/* Streams: the work of one device, in the order in which it was submitted, on a thread of its own. */
#include "pjrt/plugin.h"

#include <stdlib.h>

/* Executions that may wait; whoever submits more waits for one to end. What they hold of the memory is bounded so. */
#define MOST_WAITING 32

struct fl_stream {
    pthread_mutex_t lock;
    pthread_cond_t arrived, progress;
    fl_job *first, *last;
    int waiting;   /* jobs in the list */
    int busy;      /* one runs: on the thread, or on that of a submitter */
    int job_waits; /* that one waits for an event */
    int started, stop;
    pthread_t thread;
};

static _Thread_local int in_job; /* this thread runs a job */

fl_status fl_stream_create(fl_stream **out)
{
    fl_stream *s = calloc(1, sizeof *s);
    FL_CHECK(s, FL_OOM, "out of host memory");
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->arrived, NULL);
    pthread_cond_init(&s->progress, NULL);
    *out = s;
    return NULL;
}

static void run(fl_job *job)
{
    int outer = in_job;
    in_job = 1;
    job->run(job);
    in_job = outer;
}

static void *work(void *argument)
{
    fl_stream *s = argument;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->stop && (!s->first || s->busy)) pthread_cond_wait(&s->arrived, &s->lock);
        if (!s->first) break;
        fl_job *job = s->first;
        s->first = job->next;
        if (!s->first) s->last = NULL;
        s->waiting--;
        s->busy = 1;
        pthread_mutex_unlock(&s->lock);
        run(job);
        pthread_mutex_lock(&s->lock);
        s->busy = 0;
        pthread_cond_broadcast(&s->progress);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

void fl_stream_destroy(fl_stream *s)
{
    if (!s) return;
    if (s->started) {
        pthread_mutex_lock(&s->lock);
        s->stop = 1;
        pthread_cond_signal(&s->arrived);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
    }
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->arrived);
    pthread_cond_destroy(&s->progress);
    free(s);
}

static void run_here(fl_stream *s, fl_job *job)
{
    s->busy = 1;
    pthread_mutex_unlock(&s->lock);
    run(job);
    pthread_mutex_lock(&s->lock);
    s->busy = 0;
    if (s->first) pthread_cond_signal(&s->arrived);
    pthread_cond_broadcast(&s->progress);
}

/* With the lock held. */
static fl_status start(fl_stream *s)
{
    FL_CHECK(s->started || !pthread_create(&s->thread, NULL, work, s), FL_INTERNAL,
             "cannot start the thread of a device");
    s->started = 1;
    return NULL;
}

fl_status fl_stream_start(fl_stream *s)
{
    pthread_mutex_lock(&s->lock);
    fl_status status = start(s);
    pthread_mutex_unlock(&s->lock);
    return status;
}

fl_status fl_stream_submit(fl_stream *s, fl_job *job, int here)
{
    fl_status status = NULL;
    pthread_mutex_lock(&s->lock);
    if (here && !s->first && !s->busy) {
        run_here(s, job);
    } else if (!(status = start(s))) {
        while (s->waiting >= MOST_WAITING) pthread_cond_wait(&s->progress, &s->lock);
        job->next = NULL;
        if (s->last)
            s->last->next = job;
        else
            s->first = job;
        s->last = job;
        s->waiting++;
        pthread_cond_signal(&s->arrived);
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

void fl_stream_set_waits(fl_stream *s, int waits)
{
    pthread_mutex_lock(&s->lock);
    s->job_waits = waits;
    pthread_cond_broadcast(&s->progress);
    pthread_mutex_unlock(&s->lock);
}

fl_status fl_stream_wait(fl_stream *s, PJRT_Event *event)
{
    if (!fl_plugin_event_is_done(event)) {
        fl_stream_set_waits(s, 1);
        fl_status status = fl_plugin_event_wait(event);
        fl_stream_set_waits(s, 0);
        return status;
    }
    return fl_plugin_event_wait(event);
}

int fl_stream_is_at_rest(const fl_stream *s)
{
    return s->job_waits || (!s->first && !s->busy);
}

void fl_stream_drain(fl_stream *s)
{
    if (in_job) return;
    pthread_mutex_lock(&s->lock);
    while (!fl_stream_is_at_rest(s)) pthread_cond_wait(&s->progress, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

void fl_stream_lock(fl_stream *s)
{
    pthread_mutex_lock(&s->lock);
}

void fl_stream_unlock(fl_stream *s)
{
    pthread_mutex_unlock(&s->lock);
}

/* The conditions count waiters, who are gone as well. */
void fl_stream_forget_thread(fl_stream *s)
{
    s->started = s->busy = s->job_waits = 0; /* a job that waited is lost, and so is what it waited for */
    pthread_cond_init(&s->arrived, NULL);
    pthread_cond_init(&s->progress, NULL);
}

int fl_stream_visit(fl_stream *s, int (*visit)(fl_job *job, void *user), void *user)
{
    int count = 0;
    pthread_mutex_lock(&s->lock);
    for (fl_job *job = s->first; job; job = job->next) count += visit(job, user) != 0;
    pthread_mutex_unlock(&s->lock);
    return count;
}
