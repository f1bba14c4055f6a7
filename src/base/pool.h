/* The thread pool: one per process, shared by every device. */
#ifndef FL_BASE_POOL_H
#define FL_BASE_POOL_H

#include <stdint.h>

/* Runs body(ctx, begin, end) over pieces that cover [0, n); pieces are at least `grain` long (the last one
 * may be shorter). The calling thread takes part; returns when all is done. With n <= grain, or on one core,
 * it is a plain call. Calls from inside a body run on the calling thread alone (a plain call is no body:
 * calls inside it may use the workers). Several threads may call it at once: one has the workers, the others
 * run alone. */
void fl_parallel_for(int64_t n, int64_t grain, void (*body)(void *ctx, int64_t begin, int64_t end),
                     void *ctx);
/* Threads that take part, the caller included; at least 1. FL_THREADS overrides the number of cores. */
int fl_pool_threads(void);

/* A program of several regions begins (1) or ends (-1): until then workers do not sleep between regions. */
void fl_pool_program(int change);

/* Tells the processor that the caller spins. */
static inline void fl_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
