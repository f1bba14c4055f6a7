/* What benchmarks of whole programs share. */
#ifndef FL_BENCH_TIMES_H
#define FL_BENCH_TIMES_H

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void die(fl_status status)
{
    if (!status) return;
    fprintf(stderr, "%s\n", fl_status_message(status));
    exit(1);
}

static int by_value(const void *a, const void *b) /* for qsort of double */
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

#endif
