/* Banded linear maps along one dimension, known when the program is built: resampling and pooling with uneven
 * windows. */
#ifndef FL_ATEN_BAND_H
#define FL_ATEN_BAND_H

#include "aten/shapes.h"

/* result[i] = sum over k of weight[i * width + k] * x[start[i] + k], for i < out; absent terms have weight
 * NaN. Lives in the program's arena. */
typedef struct fl_band {
    int64_t in, out, width;
    int64_t *start;
    double *weight;
} fl_band;

/* All terms absent, starts 0; NULL when an error is kept in the builder. */
fl_band *fl_band_new(fl_builder *b, int64_t in, int64_t out, int64_t width);
/* Windows [start[i], end[i]) with weight 1. */
fl_band *fl_band_windows(fl_builder *b, int64_t in, int64_t out, const int64_t *start, const int64_t *end);
/* The map that takes gradients of results to gradients of x. */
fl_band *fl_band_transposed(fl_builder *b, const fl_band *band);
/* Applies it along dim (not negative), in x's dtype. NULL gives FL_NO_REF. */
fl_ref fl_band_apply(fl_builder *b, fl_ref x, int dim, const fl_band *band);

#endif
