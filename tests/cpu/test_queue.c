/* The in-order queue: order, errors, waiting, several producers, fork. Meant to run under the thread sanitizer too. */
#include "check.h"
#include "cpu/queue.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct count_work {
    int *counter;
    int expected; /* -1: any */
    int *out_of_order;
} count_work;

static fl_status count(void *payload)
{
    count_work *w = payload;
    if (w->expected >= 0 && *w->counter != w->expected) ++*w->out_of_order;
    ++*w->counter;
    return NULL;
}

static void submit(fl_queue *q, count_work work, size_t bytes)
{
    fl_queue_lock(q);
    count_work *w = fl_queue_payload(q, bytes);
    *w = work;
    CHECK(!fl_queue_submit(q, count));
    fl_queue_unlock(q);
}

static void test_order(void)
{
    fl_queue *q;
    int counter = 0, out_of_order = 0;
    CHECK(!fl_queue_create(0, &q));
    for (int i = 0; i < 5000; i++)
        submit(q, (count_work){&counter, i, &out_of_order}, i % 7 ? sizeof(count_work) : 4000);
    fl_queue_drain(q);
    CHECK(counter == 5000 && out_of_order == 0 && fl_queue_idle(q));
    fl_queue_destroy(q);
}

static fl_status fail(void *payload)
{
    return fl_error(FL_INDEX, "number %d", *(int *)payload);
}

static void test_errors(void)
{
    fl_queue *q;
    CHECK(!fl_queue_create(0, &q));
    for (int i = 1; i <= 3; i++) {
        fl_queue_lock(q);
        *(int *)fl_queue_payload(q, sizeof(int)) = i;
        CHECK(!fl_queue_submit(q, fail));
        fl_queue_unlock(q);
    }
    fl_queue_drain(q);
    fl_status status = fl_queue_take_error(q);
    CHECK(fl_status_code(status) == FL_INDEX && !strcmp(fl_status_message(status), "number 1"));
    fl_status_free(status);
    CHECK(!fl_queue_take_error(q));
    fl_queue_destroy(q);
}

typedef struct producer {
    fl_queue *queue;
    int *counter;
} producer;

static void *produce(void *argument)
{
    producer *p = argument;
    for (int i = 0; i < 2000; i++) submit(p->queue, (count_work){p->counter, -1, NULL}, sizeof(count_work));
    fl_queue_drain(p->queue);
    return NULL;
}

static void test_producers(void)
{
    fl_queue *q;
    int counter = 0;
    CHECK(!fl_queue_create(0, &q));
    pthread_t threads[3];
    producer p = {q, &counter};
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&threads[i], NULL, produce, &p));
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    fl_queue_drain(q);
    CHECK(counter == 6000);
    fl_queue_destroy(q);
}

#if !defined(__SANITIZE_THREAD__) /* the thread sanitizer does not follow threads into a forked child */
static void test_fork(void)
{
    fl_queue *q;
    int counter = 0;
    CHECK(!fl_queue_create(0, &q));
    for (int i = 0; i < 100; i++) submit(q, (count_work){&counter, -1, NULL}, sizeof(count_work));
    pid_t child = fork();
    if (child == 0) {
        int right = counter == 100; /* the queue was drained for the fork */
        for (int i = 0; i < 100; i++) submit(q, (count_work){&counter, -1, NULL}, sizeof(count_work));
        fl_queue_drain(q);
        _exit(right && counter == 200 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    submit(q, (count_work){&counter, -1, NULL}, sizeof(count_work));
    fl_queue_drain(q);
    CHECK(counter == 101);
    fl_queue_destroy(q);
}
#endif

typedef struct slow_work {
    int *begun;
    int64_t *end;
    int64_t nanoseconds;
} slow_work;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static fl_status work_slowly(void *payload)
{
    const slow_work *w = payload;
    __atomic_store_n(w->begun, 1, __ATOMIC_SEQ_CST);
    nanosleep(&(struct timespec){.tv_nsec = w->nanoseconds}, NULL);
    *w->end = now_ns();
    return NULL;
}

static void submit_slow(fl_queue *q, slow_work work)
{
    fl_queue_lock(q);
    *(slow_work *)fl_queue_payload(q, sizeof work) = work;
    CHECK(!fl_queue_submit(q, work_slowly));
    fl_queue_unlock(q);
}

/* While an urgent queue works, another begins nothing; when it is paused, or has nothing left, others go on. */
static void test_urgent(void)
{
    fl_queue *urgent, *other;
    int begun = 0, other_begun = 0;
    int64_t first = 0, second = 0, start = now_ns();
    CHECK(!fl_queue_create(1, &urgent) && !fl_queue_create(0, &other));
    submit_slow(urgent, (slow_work){&begun, &first, 30000000});
    while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST)) sched_yield();
    submit_slow(other, (slow_work){&other_begun, &second, 0});
    fl_queue_drain(other);
    fl_queue_drain(urgent);
    CHECK(second >= first || second - start >= FL_QUEUE_PATIENCE);
    submit_slow(other, (slow_work){&other_begun, &second, 0});
    fl_queue_drain(other);
    fl_queue_destroy(urgent);
    fl_queue_destroy(other);
}

int main(void)
{
    test_order();
    test_errors();
    test_producers();
    test_urgent();
#if !defined(__SANITIZE_THREAD__)
    test_fork();
#endif
    return check_result();
}
