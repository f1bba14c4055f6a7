/* Locks are of open file descriptions: a file opened twice by one process excludes itself, and the kernel frees them when a
 * process ends in whatever way. NFS has them as well. */
#define _GNU_SOURCE
#include "base/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* Those held, so that a forked child lets go of them: it would hold what its parent locked. */
enum { MOST_LOCKS = 64 };
static int held[MOST_LOCKS]; /* file descriptors + 1; 0: none */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void)
{
    pthread_mutex_lock(&guard);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&guard);
}

static void release(int lock)
{
    if (held[lock]) close(held[lock] - 1);
    held[lock] = 0;
}

static void after_fork_child(void)
{
    for (int i = 0; i < MOST_LOCKS; i++) release(i);
    after_fork();
}

static void install_fork_handlers(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_child);
}

/* With the guard. -1: no room, or no such file. */
static int open_file(int folder)
{
    int i = 0;
    while (i < MOST_LOCKS && held[i]) i++;
    if (i == MOST_LOCKS) return -1;
    held[i] = openat(folder, FL_STORE_LOCKS, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) + 1;
    return held[i] ? i : -1;
}

static int try_lock(int folder, uint64_t which, int *out)
{
    int lock = open_file(folder);
    if (lock < 0) return -1;
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(which >> 2), .l_len = 1};
    if (!fcntl(held[lock] - 1, F_OFD_SETLK, &l)) {
        *out = lock;
        return 1;
    }
    int is_held = errno == EAGAIN || errno == EACCES;
    release(lock);
    return is_held ? 0 : -1;
}

int fl_folder_lock(int folder, uint64_t which, int *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_fork_handlers);
    pthread_mutex_lock(&guard);
    int got = try_lock(folder, which, out);
    pthread_mutex_unlock(&guard);
    return got;
}

void fl_folder_unlock(int lock)
{
    pthread_mutex_lock(&guard);
    release(lock);
    pthread_mutex_unlock(&guard);
}
