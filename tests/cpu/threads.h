/* Whether results depend on the number of threads: children with 1, 2, 3 and 8 of them compute hashes of results, which must be the same.
 * Nothing may have started the pool before. */
#ifndef FL_TESTS_CPU_THREADS_H
#define FL_TESTS_CPU_THREADS_H

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static uint64_t hash_of(const unsigned char *p, size_t bytes)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}

static int ask_child(const char *threads, void (*compute)(uint64_t *hashes), uint64_t *hashes, size_t bytes)
{
    int ends[2];
    if (pipe(ends)) return 0;
    pid_t child = fork();
    if (!child) {
        setenv("FL_THREADS", threads, 1);
        compute(hashes);
        _exit(write(ends[1], hashes, bytes) != (ssize_t)bytes);
    }
    const int got = child > 0 && read(ends[0], hashes, bytes) == (ssize_t)bytes;
    close(ends[0]), close(ends[1]);
    if (child > 0) waitpid(child, NULL, 0);
    return got;
}

/* `compute` leaves `count` hashes, none of which is 0 where it succeeded. */
static void check_threads(void (*compute)(uint64_t *hashes), int count)
{
    static const char *const counts[] = {"2", "3", "8"};
    const size_t bytes = (size_t)count * sizeof(uint64_t);
    uint64_t *one = calloc((size_t)count, sizeof *one), *more = calloc((size_t)count, sizeof *more);
    CHECK(ask_child("1", compute, one, bytes));
    for (int c = 0; c < 3; c++) {
        CHECK(ask_child(counts[c], compute, more, bytes));
        for (int i = 0; i < count; i++) CHECK(one[i] != 0 && more[i] == one[i]);
    }
    free(one), free(more);
}

#endif
