/* Executable memory. A piece of anonymous shared memory is mapped twice: code is written through one view and run in the
 * other, so that no page is ever writable and executable, and a kernel costs no system call. */
#define _GNU_SOURCE
#include "cpu/jit/graph.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Pages are made ready so many bytes at a time, since a fault costs more than a kernel: few at first, as a process with one
 * program needs no more, then as many as there are. */
#define FIRST_CHUNK ((size_t)16 << 10)
#define CHUNK       ((size_t)128 << 10)
#define REGION      ((size_t)32 << 20) /* address space; memory is taken as it is used */

static struct {
    pthread_mutex_t lock;
    uint8_t *write, *run;
    size_t used, ready, size;
    int refused;
    FILE *map;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A child process shares the pages with its parent: it must write to others. */
static void lock_memory(void)
{
    pthread_mutex_lock(&memory.lock);
}
static void unlock_memory(void)
{
    pthread_mutex_unlock(&memory.lock);
}
static void leave_memory(void)
{
    memory.write = memory.run = NULL;
    memory.used = memory.ready = memory.size = 0;
    pthread_mutex_unlock(&memory.lock);
}

static int open_region(size_t size)
{
    static int watched;
    int fd = memfd_create("flambeau-code", MFD_CLOEXEC);
    if (fd < 0) return 0;
    uint8_t *write = MAP_FAILED, *run = MAP_FAILED;
    if (!ftruncate(fd, (off_t)size)) {
        write = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        run = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    }
    close(fd);
    if (write == MAP_FAILED || run == MAP_FAILED) {
        if (write != MAP_FAILED) munmap(write, size);
        if (run != MAP_FAILED) munmap(run, size);
        return 0;
    }
    if (!watched++) pthread_atfork(lock_memory, unlock_memory, leave_memory);
    if (memory.write) munmap(memory.write, memory.size); /* full; its code stays */
    memory.write = write, memory.run = run;
    memory.used = memory.ready = 0, memory.size = size;
    return 1;
}

static void note(const void *code, size_t bytes, const char *name)
{
    if (!memory.map) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
        memory.map = fopen(path, "a");
        if (memory.map) setvbuf(memory.map, NULL, _IOLBF, 0);
    }
    if (memory.map) fprintf(memory.map, "%zx %zx %s\n", (size_t)(uintptr_t)code, bytes, name);
}

static void make_ready(size_t end)
{
#ifdef MADV_POPULATE_WRITE
    while (memory.ready < end) { /* if the kernel cannot, pages come one by one */
        size_t n = memory.ready < FIRST_CHUNK ? FIRST_CHUNK : memory.ready < CHUNK ? memory.ready : CHUNK;
        if (n > memory.size - memory.ready) n = memory.size - memory.ready;
        madvise(memory.write + memory.ready, n, MADV_POPULATE_WRITE);
        madvise(memory.run + memory.ready, n, MADV_POPULATE_READ);
        memory.ready += n;
    }
#else
    (void)end;
#endif
}

void fl_jit_prepare(void)
{
    if (!fl_jit_target()) return;
    pthread_mutex_lock(&memory.lock);
    if (!memory.size && !memory.refused) memory.refused = !open_region(REGION);
    if (!memory.refused) make_ready(1);
    pthread_mutex_unlock(&memory.lock);
}

fl_status fl_code_place(const void *code, size_t bytes, const char *name, void **out)
{
    size_t need = (bytes + 63) & ~(size_t)63;
    pthread_mutex_lock(&memory.lock);
    int good = !memory.refused;
    if (good && memory.size - memory.used < need)
        good = open_region(need > REGION ? (need + 4095) & ~(size_t)4095 : REGION);
    if (good) {
        make_ready(memory.used + need);
        memcpy(memory.write + memory.used, code, bytes);
        *out = memory.run + memory.used;
        __builtin___clear_cache((char *)*out, (char *)*out + bytes); /* nothing on x86 */
        memory.used += need;
        if (name) note(*out, bytes, name);
    } else {
        memory.refused = 1;
    }
    pthread_mutex_unlock(&memory.lock);
    return good ? NULL : fl_error(FL_UNSUPPORTED, "expected executable memory, which this system forbids");
}
