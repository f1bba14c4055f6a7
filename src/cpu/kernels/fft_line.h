/* Discrete Fourier transforms of eight lines at once, one in each lane: nothing is shuffled between lanes but when lines are
 * read and written. f32 is computed in f64 too. */
#ifndef FL_CPU_KERNELS_FFT_LINE_H
#define FL_CPU_KERNELS_FFT_LINE_H

#include "base/arena.h"
#include "cpu/isa.h"

#include <stdint.h>

#define FL_FFT_LANES   8
#define FL_FFT_RADICES 64
#define FL_FFT_PRIME                                                                                         \
    31 /* the largest factor of a direct stage, which costs the square; others go to Bluestein */

typedef struct fl_cd {
    double re, im;
} fl_cd;

typedef double fl_fft_vector __attribute__((vector_size(8 * FL_FFT_LANES)));
typedef struct fl_cv {
    fl_fft_vector re, im;
} fl_cv;

typedef struct fl_fft_plan fl_fft_plan;
struct fl_fft_plan {
    int64_t n;
    int stages;
    int64_t radix[FL_FFT_RADICES]; /* their product is n; none: n is 1, or `inner` is set */
    const fl_cd *roots;            /* exp(-2 pi i k / n) */
    /* Bluestein: a transform of any length as a convolution of a convenient one */
    const fl_fft_plan *inner;
    const fl_cd *chirp,
        *kernel;    /* exp(-pi i k^2 / n); transform of its conjugate, divided by the inner length */
    int64_t buffer; /* fl_cv that a call needs in all */
};

/* NULL when memory is exhausted. */
const fl_fft_plan *fl_fft_plan_create(int64_t n, fl_arena *arena);
fl_cd fl_fft_root(int64_t k, int64_t n); /* exp(-2 pi i k / n), exact at multiples of a quarter turn */

/* Where eight lines are in memory: element j of line v at j * element + v * lane, in elements of f32 or f64, complex or real. */
typedef struct fl_fft_place {
    void *data;
    int64_t element, lane;
    int lanes, single;
} fl_fft_place;

typedef struct fl_fft_lines {
    /* x: the lines, in the first n of plan->buffer elements; returns where the transformed lines are: in the buffer. */
    fl_cv *(*transform)(const fl_fft_plan *plan, fl_cv *x);
    void (*load)(fl_cv *x, const fl_fft_place *from, int64_t n,
                 int conjugate); /* complex; lanes beyond are 0 */
    void (*load_real)(fl_cv *x, const fl_fft_place *from, int64_t n);
    void (*store)(const fl_cv *x, const fl_fft_place *to, int64_t n, int conjugate, double scale);
    void (*store_real)(const fl_cv *x, const fl_fft_place *to, int64_t n, double scale);
    /* z: transform of 2h reals taken as h complex numbers -> out: the first h + 1 elements of their own transform. */
    void (*split)(const fl_cv *z, fl_cv *out, int64_t h, const fl_cd *roots);
    /* The way back: h + 1 elements x -> what gives 2h reals as h complex numbers; everything conjugate, twice as large. */
    void (*join)(const fl_cv *x, fl_cv *z, int64_t h, const fl_cd *roots);
    /* x[j] *= w[j][v] for the step between two passes of one long line: w = exp(-2 pi i (first + v) j / (high * low)), from
     * tables of the roots that are multiples of `low`, and of those below. */
    void (*twist)(fl_cv *x, int64_t n, int64_t first, const fl_cd *high, const fl_cd *low, int64_t low_count);
} fl_fft_lines;
FL_ISA_DECLARE(extern const fl_fft_lines, fl_fft_lines, [1]);

static inline int64_t fl_fft_eights(int64_t lines)
{
    return (lines + FL_FFT_LANES - 1) / FL_FFT_LANES;
}

#endif
