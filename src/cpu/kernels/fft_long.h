/* One long line: passes over its columns and its rows, eight of them at a time. */
#ifndef FL_CPU_KERNELS_FFT_LONG_H
#define FL_CPU_KERNELS_FFT_LONG_H

#include "cpu/kernels/fft_line.h"

typedef struct fl_fft_long {
    int64_t n, rows, columns;        /* n = rows x columns */
    const fl_fft_plan *down, *along; /* of `rows` elements, and of `columns` */
    const fl_cd *high, *low;         /* roots of n: multiples of low_count, and below */
    int64_t low_count;
    const struct fl_fft_long *inner; /* Bluestein, as in fl_fft_plan */
    const fl_cd *chirp, *kernel;
    int64_t spare;  /* complex numbers that a call needs */
    int64_t buffer; /* fl_cv that each worker needs */
} fl_fft_long;

#define FL_FFT_LONG 1024 /* the shortest */

/* NULL when memory is exhausted. */
const fl_fft_long *fl_fft_long_create(int64_t n, fl_arena *arena);
/* in -> out, which do not overlap; in is overwritten. `spare` and one buffer for each of `workers`. */
void fl_fft_long_run(const fl_fft_long *plan, fl_cd *in, fl_cd *out, fl_cd *spare, fl_cv *buffers,
                     int64_t workers);

#endif
