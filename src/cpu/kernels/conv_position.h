/* Convolutions whose channels are many, as matrix products of input positions with weights: inputs are staged as
 * [position][channel], so that what the taps of a row of outputs need are rows of a matrix at some offset, for any stride. */
#ifndef FL_CPU_KERNELS_CONV_POSITION_H
#define FL_CPU_KERNELS_CONV_POSITION_H

#include "cpu/kernels/conv_stage.h"

/* Neighbouring taps of a part, whose inputs follow each other: one sum over taps and channels. */
typedef struct fl_position_run {
    int64_t offset;    /* of its inputs in the stage, from those of output (0, 0) */
    int64_t tap, taps; /* the first tap, and how many */
} fl_position_run;

/* The outputs residue + spacing * q: they use the same taps. One part in all, unless the input is dilated. */
typedef struct fl_position_part {
    int64_t residue[2], size[2];
    fl_position_run *runs;
    int64_t run_count;
} fl_position_part;

typedef struct fl_conv_position {
    fl_conv_side in, out; /* out: of a weight gradient, the gradient of the output */
    int64_t images, rows; /* rows of an image that tasks are cut into: of outputs, of each part at most */
    int64_t stride[2];    /* of staged positions between outputs of a part */
    int64_t spacing[2];   /* of a part's outputs */
    int64_t stage_rows, columns; /* staged for `band` rows */
    int64_t group_rows;          /* rows of a task */
    fl_position_part *parts;
    int64_t part_count;
    /* weight gradients: units of `band` rows of one image, of which `units` are multiplied together */
    int64_t band, bands, units, positions, *offsets; /* positions of a unit; where those of all units are */
    int64_t in_unit, out_unit;                       /* floats of a staged unit */
    int64_t tap_count,
        width; /* sums: [tap][output][width]; a merged tap is a row of taps, which are channels too */
    int merged;
    size_t stage_bytes, result_bytes, shared_bytes, slice_bytes;
    int slices;
} fl_conv_position;

int fl_position_fits(const fl_conv *c);
fl_status fl_position_plan(fl_conv *c, fl_arena *arena, size_t *out_scratch);
int fl_position_weights_fit(const fl_conv *c);
fl_status fl_position_weights_plan(fl_conv *c, fl_arena *arena, size_t *out_scratch);
fl_status fl_position_weights(const fl_step *step, void *const *slots);
fl_status fl_position_forward(const fl_step *step, void *const *slots);

#endif
