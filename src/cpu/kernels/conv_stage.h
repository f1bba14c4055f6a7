/* What the forms of convolution share that work on [position][channel]: activations are staged so, results are brought back. */
#ifndef FL_CPU_KERNELS_CONV_STAGE_H
#define FL_CPU_KERNELS_CONV_STAGE_H

#include "cpu/isa.h"
#include "cpu/kernels/conv.h"

#include <stdatomic.h>

/* A span of `count` positions in rows of `width`: position i is at i * step + i / width * gap of the side [position][channel], and
 * at i of the side [channel][position], whose channels are `channel` apart. */
typedef struct fl_conv_span {
    int64_t count, width, step, gap, channel;
} fl_conv_span;

/* Distances are in floats. Channels are whole vectors in all but gather and scatter. Planes: of the 36 points. */
typedef struct fl_conv_code {
    void (*gather)(float *positions, const float *channels, const fl_conv_span *span, int64_t count);
    void (*scatter)(float *channels, const float *positions, const fl_conv_span *span, int64_t count);
    uint32_t (*largest)(const float *x, int64_t n); /* bits of the greatest magnitude, NaN the greatest */
    /* One tile of each: 6x6 inputs to planes, planes to 4x4 outputs, 4x4 output gradients to planes. */
    void (*input)(float *planes, int64_t plane, const float *tile, int64_t row, int64_t step,
                  int64_t channels);
    void (*output)(float *tile, int64_t row, int64_t step, const float *planes, int64_t plane,
                   int64_t channels);
    void (*gradient)(float *planes, int64_t plane, const float *tile, int64_t row, int64_t step,
                     int64_t channels);
    /* 3x3 weights, taps `tap` apart, to planes; planes to 3x3 weight gradients. */
    void (*weights)(float *planes, int64_t plane, const float *weights, int64_t tap, int64_t channels);
    void (*weight_gradient)(float *weights, int64_t tap, const float *planes, int64_t plane,
                            int64_t channels);
    /* Depthwise, a row of n positions of whole vectors of channels: to[i] = sum over taps t of weights[t] * from[i * step +
     * offsets[t]], and sums[t] += sum over i of gradient[i] * from[i * step + offsets[t]]. `width`: of weights, sums, gradients. */
    void (*depthwise)(float *to, int64_t to_step, const float *from, int64_t step, const int64_t *offsets,
                      const float *weights, int64_t width, int64_t taps, int64_t n);
    void (*depthwise_weights)(float *sums, const float *gradient, const float *from, int64_t step,
                              const int64_t *offsets, int64_t width, int64_t taps, int64_t n);
} fl_conv_code;
FL_ISA_DECLARE(extern const fl_conv_code, fl_conv_table, [1]);
#define FL_CONV_ROUGH 0x5f000000u /* bits of 2^63: below, sums of transformed products stay finite */

/* One activation: images of channels of rows, anywhere in memory (strides in elements). */
typedef struct fl_conv_side {
    fl_dtype dtype;
    int64_t channels, padded; /* padded: whole vectors */
    int64_t step; /* from position to position once staged: padded or more; or channels, when these are few */
    int64_t channel, image;     /* strides */
    int64_t size[2], stride[2]; /* of rows and columns */
    int64_t low[2];             /* padding before them */
} fl_conv_side;

/* Copies rows [first, first + rows) of the padded image to [row][column][channel] with `columns` columns, zeros around it, as
 * f32. May write FL_PACK_SLACK floats beyond the end. When out_rough is given it becomes 1 where a magnitude is too large for sums
 * of differences, or not finite. */
void fl_conv_stage(const fl_conv_side *side, const fl_gemm_type *type, const char *image, int64_t first,
                   int64_t rows, int64_t columns, float *to, atomic_int *out_rough);
/* Stores rows of results [row][column][channel], rows `row` floats and positions `width` apart: `outputs` channels from output
 * row `first` on to `out`, the image's first channel of these. */
void fl_conv_store_rows(const fl_conv *c, const float *from, int64_t row, int64_t width, int64_t first,
                        int64_t rows, int64_t outputs, char *out);
/* The weights of outputs [first, first + rows) as f32: tap t of input feature f of output first + i at
 * to[t * tap + f * feature + i], zeros up to whole vectors. */
void fl_conv_weights_by_tap(const fl_conv *c, float *to, int64_t tap, int64_t feature, const char *kernel,
                            int64_t first, int64_t rows);

/* Rows [begin, end) counted through all images; visited image by image. */
typedef struct fl_conv_rows {
    int64_t at, end;           /* from `at` on `count` rows of one image follow */
    int64_t image, row, count; /* row: in the image */
    int64_t before;            /* rows visited before these */
} fl_conv_rows;
int fl_conv_next_rows(int64_t rows_of_image, fl_conv_rows *r);

/* The distance of rows that are a power of two apart fills few sets of the cache. */
static inline int64_t fl_conv_step(int64_t floats, int64_t lanes)
{
    return floats % 128 ? floats : floats + lanes;
}

#endif
