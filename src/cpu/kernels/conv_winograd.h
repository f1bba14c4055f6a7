/* Winograd's algorithm F(4x4, 3x3) for convolutions of 3x3 windows with stride 1 and for the gradients of their weights.
 *
 * A tile of 4x4 outputs takes 36 products instead of 144. Input tiles of 6x6, weights and results are transformed by small
 * matrices; in between stand 36 matrix products over the channels. The points 0, +-3/4, +-3/2 and infinity have exact
 * constants and keep the error near that of plain sums (docs/architecture.md, "Numbers"), where 0, +-1, +-2 would triple it.
 * Vectors hold channels, so activations are brought to [position][channel] first. */
#ifndef FL_CPU_KERNELS_CONV_WINOGRAD_H
#define FL_CPU_KERNELS_CONV_WINOGRAD_H

#include "cpu/kernels/conv_stage.h"

#define FL_WINOGRAD_TILE   4                                     /* outputs along each side */
#define FL_WINOGRAD_SIDE   6                                     /* inputs along each side */
#define FL_WINOGRAD_POINTS (FL_WINOGRAD_SIDE * FL_WINOGRAD_SIDE) /* products of a tile */

typedef struct fl_winograd {
    const fl_conv_code *code;
    fl_conv_side in, out;     /* out: of a weight gradient, the gradient of the output */
    int64_t images, tiles[2]; /* tiles of an image: rows, columns */
    int64_t group_tile_rows;  /* tile rows (of all images, one after another) that are worked on together */
    int64_t in_step, out_step, in_plane, out_plane; /* distances of tiles and points; out: of the products */
    int64_t block;                                  /* output channels of which products are made together */
    size_t stage_bytes, result_bytes, in_bytes, out_bytes, shared_bytes, slice_bytes;
    int slices;
} fl_winograd;

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

#endif
