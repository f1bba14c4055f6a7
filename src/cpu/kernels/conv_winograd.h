/* Winograd's algorithm F(4x4, 3x3) for convolutions of 3x3 windows with stride 1 and for the gradients of their weights.
 *
 * A tile of 4x4 outputs takes 36 products instead of 144. Input tiles of 6x6, weights and results are transformed by small
 * matrices; in between stand 36 matrix products over the channels. The points 0, +-3/4, +-3/2 and infinity have exact
 * constants and keep the error near that of plain sums (docs/architecture.md, "Numbers"), where 0, +-1, +-2 would triple it.
 * Vectors hold channels, so activations are brought to [position][channel] first. */
#ifndef FL_CPU_KERNELS_CONV_WINOGRAD_H
#define FL_CPU_KERNELS_CONV_WINOGRAD_H

#include "cpu/isa.h"
#include "cpu/kernels/conv.h"

#include <stdatomic.h>

#define FL_WINOGRAD_TILE   4                                     /* outputs along each side */
#define FL_WINOGRAD_SIDE   6                                     /* inputs along each side */
#define FL_WINOGRAD_POINTS (FL_WINOGRAD_SIDE * FL_WINOGRAD_SIDE) /* products of a tile */

/* A span of `count` positions in rows of `width`: position i is at i * step + i / width * gap of the side [position][channel], and
 * at i of the side [channel][position], whose channels are `channel` apart. */
typedef struct fl_winograd_span {
    int64_t count, width, step, gap, channel;
} fl_winograd_span;

/* Distances are in floats. Channels are whole vectors in all but gather and scatter. Planes: of the 36 points. */
typedef struct fl_winograd_code {
    void (*gather)(float *positions, const float *channels, const fl_winograd_span *span, int64_t count);
    void (*scatter)(float *channels, const float *positions, const fl_winograd_span *span, int64_t count);
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
} fl_winograd_code;
FL_ISA_DECLARE(extern const fl_winograd_code, fl_winograd_table, [1]);

/* One activation: images of channels of rows, anywhere in memory (strides in elements). */
typedef struct fl_winograd_side {
    fl_dtype dtype;
    int64_t channels, padded;   /* padded: whole vectors */
    int64_t channel, image;     /* strides */
    int64_t size[2], stride[2]; /* of rows and columns */
    int64_t low[2];             /* padding before them */
} fl_winograd_side;

typedef struct fl_winograd {
    const fl_winograd_code *code;
    fl_winograd_side in, out; /* out: of a weight gradient, the gradient of the output */
    int64_t images, tiles[2]; /* tiles of an image: rows, columns */
    int64_t group_tile_rows;  /* tile rows (of all images, one after another) that are worked on together */
    int64_t in_step, out_step, in_plane, out_plane; /* distances of tiles and points; out: of the products */
    int64_t block;                                  /* output channels of which products are made together */
    size_t stage_bytes, result_bytes, in_bytes, out_bytes, shared_bytes, slice_bytes;
    int slices;
} fl_winograd;

/* Copies rows [first, first + rows) of the padded image to [row][column][channel] with `columns` columns, zeros around it, as
 * f32. *out_rough becomes 1 when a magnitude is too
 * large for sums of differences, or not finite. */
void fl_winograd_stage(const fl_winograd *w, const fl_winograd_side *side, const fl_gemm_type *type,
                       const char *image, int64_t first, int64_t rows, int64_t columns, float *to,
                       atomic_int *out_rough);
/* Chooses group_tile_rows: about as many tiles as fit `bytes` when each takes bytes_of_tile, and at least `parts` groups. */
void fl_winograd_group(fl_winograd *w, int64_t bytes_of_tile, int64_t bytes, int64_t parts);

/* Whether the convolution is one of these and they take less work than `direct`, in multiply-adds of vectors. */
int fl_winograd_fits(const fl_conv *c, double direct);
int fl_winograd_weights_fit(const fl_conv *c, double direct);
/* Set up c->winograd; *out_scratch: what the step wants. */
fl_status fl_winograd_plan(fl_conv *c, fl_arena *arena, size_t *out_scratch);
fl_status fl_winograd_weights_plan(fl_conv *c, fl_arena *arena, size_t *out_scratch);
/* Step functions. Where numbers are too large for sums and differences of them, or not finite, c->direct_run is called. */
fl_status fl_winograd_run(const fl_step *step, void *const *slots);
fl_status fl_winograd_weights_run(const fl_step *step, void *const *slots);

/* The distance of rows that are a power of two apart fills few sets of the cache. */
static inline int64_t fl_winograd_step(int64_t floats, int64_t lanes)
{
    return floats % 128 ? floats : floats + lanes;
}

#endif
