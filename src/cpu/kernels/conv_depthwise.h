/* Convolutions of one channel in each group, with channels in the vectors. */
#ifndef FL_CPU_KERNELS_CONV_DEPTHWISE_H
#define FL_CPU_KERNELS_CONV_DEPTHWISE_H

#include "cpu/kernels/conv_stage.h"

/* Outputs residue + spacing * q use the same taps; one part in all, unless the input is dilated. */
typedef struct fl_depthwise_part {
    int64_t residue[2], size[2];
    int64_t taps, *tap, *offsets; /* which, and where their inputs are from those of output (0, 0) */
} fl_depthwise_part;

typedef struct fl_depthwise {
    fl_conv_side in, out; /* of `chunk` channels; out: of a weight gradient, the gradient of the output */
    int64_t images, rows; /* rows of an image: of outputs, or of their gradients */
    int64_t stride[2], spacing[2];
    int64_t chunk, chunks, band, bands; /* channels and rows of a task */
    int64_t stage_rows, columns;        /* staged for a band */
    fl_depthwise_part *parts;
    int64_t part_count, taps;
    size_t weights_bytes, stage_bytes, slice_bytes;
    int slices;
} fl_depthwise;

/* Sets up c->depthwise and the step if this is such a convolution. */
fl_status fl_depthwise_plan(fl_conv *c, fl_step *step, fl_arena *arena);

#endif
