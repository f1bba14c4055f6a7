/* The in-order queue: order, errors, waiting, several producers, fork. Meant to run under the thread sanitizer too. */
#include "check.h"
#include "cpu/queue.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

int main(void)
{
    test_order();
    test_errors();
    test_producers();
#if !defined(__SANITIZE_THREAD__)
    test_fork();
#endif
    return check_result();
}
