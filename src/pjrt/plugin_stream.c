/* Streams: the work of one device, in the order in which it was submitted, on a thread of its own. */
#include "pjrt/plugin.h"

#include <stdlib.h>

/* Executions that may wait; whoever submits more waits for one to end. What they hold of the memory is bounded so. */
#define MOST_WAITING 32

struct fl_stream {
    pthread_mutex_t lock;
    pthread_cond_t arrived, progress;
    fl_job *first, *last;
    int waiting; /* jobs in the list */
    int busy;    /* one runs: on the thread, or on that of a submitter */
    int started, stop;
    pthread_t thread;
};

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
        job->run(job);
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
    job->run(job);
    pthread_mutex_lock(&s->lock);
    s->busy = 0;
    if (s->first) pthread_cond_signal(&s->arrived);
    pthread_cond_broadcast(&s->progress);
}

fl_status fl_stream_submit(fl_stream *s, fl_job *job, int here)
{
    fl_status status = NULL;
    pthread_mutex_lock(&s->lock);
    if (here && !s->first && !s->busy) {
        run_here(s, job);
    } else if (!s->started && pthread_create(&s->thread, NULL, work, s)) {
        status = fl_error(FL_INTERNAL, "cannot start the thread of a device");
    } else {
        s->started = 1;
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
