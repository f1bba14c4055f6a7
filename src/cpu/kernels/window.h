/* Inner loops of windows and running reductions, compiled for each instruction set level. */
#ifndef FL_CPU_KERNELS_WINDOW_H
#define FL_CPU_KERNELS_WINDOW_H

#include "base/dtype.h"
#include "cpu/isa.h"
#include "cpu/kernels/combine.h"
#include "cpu/kernels/kernel.h"

/* Of (to_value[i], to_index[i]) and (value[i], index[i]) keeps the greater value, NaN first, lower index among equals. Strides
 * of the sources in bytes; the targets are contiguous. */
typedef void (*fl_pool_row_fn)(void *to_value, void *to_index, const char *value, int64_t value_stride,
                               const char *index, int64_t index_stride, int64_t n);
/* NULL: not for these types. */
FL_ISA_DECLARE(fl_pool_row_fn, fl_pool_row_find, (fl_dtype value, fl_dtype index));

/* Keeps of best[i] and value[i] the one that `keep` prefers, the first of equals; at[i]: where the kept one is, -1 while there is none.
 * value[i] is at place + i * step (elements). The value's stride in bytes; best and at are contiguous. */
typedef void (*fl_pick_row_fn)(void *best, int32_t *at, const char *value, int64_t stride, int32_t place,
                               int32_t step, int64_t n);
/* keep: FL_GE, FL_GT, FL_LE or FL_LT, of the kept and the new value. NULL: not for this type. */
FL_ISA_DECLARE(fl_pick_row_fn, fl_pick_row_find, (int keep, fl_dtype dtype));

/* Running sums, products or extremes of n elements along the outer dimension for `width` neighbours, from the initial value on: strides of
 * elements and neighbours in bytes; sums and products of f32 are carried in f64. The output has the steps given, either sign. */
typedef void (*fl_scan_fn)(char *out, int64_t out_step, int64_t out_across, const char *in, int64_t in_step,
                           int64_t in_across, int64_t n, int64_t width, const void *initial);
/* NULL: not for this type. */
FL_ISA_DECLARE(fl_scan_fn, fl_scan_find, (fl_combine_kind kind, fl_dtype dtype));

typedef struct fl_window_dim {
    int64_t in, out, size, stride, low, dilation, spread; /* dilation of the base, spread of the window */
    int64_t in_stride, index_stride;                      /* bytes */
} fl_window_dim;

/* Input position of tap t for output o, or -1 where there is padding or a hole. */
static inline int64_t fl_window_position(const fl_window_dim *d, int64_t o, int64_t t)
{
    int64_t v = o * d->stride + t * d->spread - d->low;
    if (d->dilation != 1) {
        if (v < 0 || v % d->dilation) return -1;
        v /= d->dilation;
    }
    return v >= 0 && v < d->in ? v : -1;
}

/* The dimension i of a reduce_window, without strides of memory. */
fl_window_dim fl_window_dim_of(const fl_step *step, int i);

/* Running extremes with places: n elements along a line, or along `width` neighbouring lines, which are dense in the results. Steps are
 * bytes. Before the first element the extreme is `first`, at first_place; the latest of equals wins, and a NaN over numbers. */
typedef struct fl_extreme_scan {
    const char *in, *first;
    int64_t in_step, in_across;
    char *out, *out_at; /* values; places (i64) */
    int64_t out_step, at_step, n, width, first_place;
} fl_extreme_scan;
typedef void (*fl_extreme_scan_fn)(const fl_extreme_scan *scan);
/* NULL: not for this type. */
FL_ISA_DECLARE(fl_extreme_scan_fn, fl_extreme_scan_find, (int largest, fl_dtype dtype));
fl_status fl_prepare_extreme_scan(const fl_program *program, fl_step *step, fl_arena *arena, int largest);

/* What a region of two arguments does, as an fl_combine_kind; -1: none of these. */
int fl_window_combine_kind(const fl_program *program, const fl_block *region);

/* Sums over windows of planes, or the largest elements with their positions (f32, i64), the dimensions from the first one with a window on, by a table of where each tap of each result
 * is. *out is NULL when the plane is too large for a table; it lives in the arena. The step's initial value is 0. */
typedef struct fl_window_table fl_window_table;
fl_status fl_window_table_plan(int rank, const fl_window_dim *dims, fl_arena *arena, fl_window_table **out);
fl_status fl_window_table_run(const fl_step *step, void *const *slots);

/* out[i] = sum over taps t of in[table[t * padded + i]], where the entry is not negative; padded: count in whole 16s. */
FL_ISA_DECLARE(void, fl_window_sums,
               (float *out, const float *in, const int32_t *table, int64_t taps, int64_t count));
/* Of in and index so, from `first` on: the greater value, NaN first, the lower index among equals. */
FL_ISA_DECLARE(void, fl_window_pool,
               (float *out, int64_t *out_index, const float *in, const int64_t *index, const int32_t *table,
                int64_t taps, int64_t count, float first, int64_t first_index));

#endif
