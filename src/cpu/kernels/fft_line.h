/* The discrete Fourier transform of one line of complex doubles. */
#ifndef FL_CPU_KERNELS_FFT_LINE_H
#define FL_CPU_KERNELS_FFT_LINE_H

#include "base/arena.h"

#include <stdint.h>

typedef struct fl_cd {
    double re, im;
} fl_cd;

#define FL_FFT_RADICES 64

typedef struct fl_fft_plan fl_fft_plan;
struct fl_fft_plan {
    int64_t n;
    int stages;
    int64_t radix[FL_FFT_RADICES]; /* their product is n; stages 0: Bluestein */
    const fl_cd *roots;            /* exp(-2 pi i k / n) */
    /* Bluestein: a transform of any length as a convolution of a convenient one */
    const fl_fft_plan *inner;
    const fl_cd *chirp,
        *kernel;   /* exp(-pi i k^2 / n); transform of its conjugate, divided by the inner length */
    int64_t spare; /* elements of buffer that a call needs */
};

/* NULL when memory is exhausted. */
const fl_fft_plan *fl_fft_plan_create(int64_t n, fl_arena *arena);
/* Transforms x (forward sign) and returns where the result is: x itself or within `spare`. */
fl_cd *fl_fft_line(const fl_fft_plan *plan, fl_cd *x, fl_cd *spare);

#endif
