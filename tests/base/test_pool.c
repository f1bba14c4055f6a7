/* The thread pool: every index exactly once, nested and concurrent callers, fork, cost of a region. */
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#endif

static atomic_int failures;
#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            atomic_fetch_add(&failures, 1);                                                                  \
        }                                                                                                    \
    } while (0)

struct marks {
    unsigned char *seen;
    int64_t n, grain;
    atomic_int pieces, short_pieces;
};

static void mark(void *ctx, int64_t begin, int64_t end)
{
    struct marks *m = ctx;
    for (int64_t i = begin; i < end; i++)
        m->seen[i]++; /* not atomic: overlapping pieces are a race TSan finds */
    atomic_fetch_add(&m->pieces, 1);
    if (end - begin < m->grain && end != m->n) atomic_fetch_add(&m->short_pieces, 1);
}

static void check_cover(int64_t n, int64_t grain)
{
    struct marks m = {.seen = calloc((size_t)n + 1, 1), .n = n, .grain = grain};
    fl_parallel_for(n, grain, mark, &m);
    int good = 1;
    for (int64_t i = 0; i < n; i++) good &= m.seen[i] == 1;
    EXPECT(good && m.seen[n] == 0);
    EXPECT(m.short_pieces == 0);
    EXPECT(n > grain || m.pieces == (n > 0));
    free(m.seen);
}

static void inner(void *ctx, int64_t begin, int64_t end)
{
    *(int64_t *)ctx += end - begin; /* alone on this thread, hence no lock */
}

static void outer(void *ctx, int64_t begin, int64_t end)
{
    atomic_llong *total = ctx;
    for (int64_t i = begin; i < end; i++) {
        int64_t sum = 0;
        fl_parallel_for(1000, 1, inner, &sum);
        atomic_fetch_add(total, sum);
    }
}

static void *caller(void *unused)
{
    for (int i = 0; i < 300; i++) check_cover(500 + i, 7);
    return unused;
}

static void nothing(void *ctx, int64_t begin, int64_t end)
{
    (void)ctx, (void)begin, (void)end;
}

static double region_us(void)
{
    struct timespec a, b;
    double best = 1e9;
    for (int round = 0; round < 50; round++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < 100; i++) fl_parallel_for(64, 1, nothing, NULL);
        clock_gettime(CLOCK_MONOTONIC, &b);
        double us = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 1e5;
        if (us < best) best = us;
    }
    return best;
}

static void check_fork(void)
{
#ifdef WITH_TSAN
    printf("fork: left out, TSan does not support threads in the child of a threaded process\n");
#else
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20); /* a deadlock must not hang the suite */
            for (int k = 0; k < 50; k++) check_cover(1000, 3);
            _exit(failures ? 1 : 0);
        }
        int status = -1;
        EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
        check_cover(1000, 3);
    }
#endif
}

int main(void)
{
    setenv("FL_THREADS", "4", 1);
    EXPECT(fl_pool_threads() == 4);
    const int64_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 100, 1000, 4097};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int64_t grain = 0; grain < 70; grain += 23) check_cover(sizes[i], grain);
    struct timespec pause = {0, 2000000};
    for (int i = 0; i < 20; i++) { /* long enough apart for the workers to fall asleep */
        nanosleep(&pause, NULL);
        check_cover(2000, 1);
    }
    atomic_llong total = 0;
    fl_parallel_for(64, 1, outer, &total);
    EXPECT(total == 64000);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) EXPECT(pthread_create(&threads[i], NULL, caller, NULL) == 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    check_fork();
    printf("one region of 4 threads: %.2f us at best\n", region_us());
    return failures ? 1 : 0;
}
