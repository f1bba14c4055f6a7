/* Float8 matrices and the scales of their numbers. */
#ifndef FL_ATEN_SCALED_H
#define FL_ATEN_SCALED_H

#include "aten/lower.h"

/* How many elements share a scale: torch.nn.functional.ScalingType by number. */
enum { FL_SCALED_WHOLE, FL_SCALED_ROWS, FL_SCALED_1X16, FL_SCALED_1X32, FL_SCALED_1X128, FL_SCALED_128X128 };

typedef struct fl_scaled {
    fl_ref matrix, scale;  /* the matrix so that its columns are contracted */
    int64_t rows, columns; /* of the matrix */
    uint8_t across;        /* scales are given of the transposed matrix */
    uint8_t tiled;         /* those of 1x32 blocks lie in tiles (SWIZZLE_32_4_4) */
    uint8_t padded;        /* those of 128x128 blocks are given columns first, padded to a multiple of 4 */
} fl_scaled;

int fl_is_float8(fl_dtype dtype);
/* Whether the scales are of the type and sizes of a recipe. */
int fl_scales_fit(fl_builder *b, const fl_scaled *m, int recipe);
/* lhs times the transposed rhs, in f32. */
fl_ref fl_scaled_product(fl_builder *b, const fl_scaled *lhs, int lhs_recipe, const fl_scaled *rhs,
                         int rhs_recipe);

#endif
