/* Convolutions, reduced to products of packed weights with rows of the input that lie at precomputed offsets. */
#ifndef FL_CPU_KERNELS_CONV_H
#define FL_CPU_KERNELS_CONV_H

#include "cpu/kernels/gemm.h"
#include "cpu/kernels/kernel.h"

#define FL_CONV_DIMS 3

/* One spatial dimension. Output position q, tap t read input position (q * stride + t * spread - low) / dilation, when whole. */
typedef struct fl_conv_dim {
    int64_t in, in_stride, out, out_stride, taps, tap_stride; /* sizes and strides in memory (elements) */
    int64_t stride, low, dilation, spread; /* window stride, low padding, lhs and rhs dilation */
} fl_conv_dim;

typedef struct fl_conv fl_conv;

/* The outputs residue + dilation * q for all q < size: they use the same taps. One part in all, unless lhs is dilated. */
typedef struct fl_conv_part {
    int64_t residue[FL_CONV_DIMS], size[FL_CONV_DIMS];
    int64_t tap_count, k; /* k = input features x taps */
    int64_t *taps;        /* where each tap's weight is */
    int64_t *offsets;     /* k: where row (feature, tap) begins in the planes */
    int64_t weights;      /* of group 0, in elements of the packed weights */
} fl_conv_part;

struct fl_conv {
    const fl_gemm_type *type;
    fl_dtype in_dtype, kernel_dtype, out_dtype;
    int direct;   /* the result is stored as computed */
    int accurate; /* the program asks for the highest precision */
    fl_conv_dim dim[FL_CONV_DIMS];
    int64_t batch, groups, features, outputs; /* features and outputs of one group */
    int64_t in_batch, in_feature, in_group, kernel_in, kernel_out, kernel_group, kernel_base, out_batch,
        out_feature, out_group;
    int64_t step[FL_CONV_DIMS]; /* distance of a part's outputs: the dilation where parts are used, else 1 */

    /* shift form: the input is copied into padded planes [phase][feature][d][h][w]; columns are output positions */
    fl_conv_part *parts;
    int64_t part_count, phase_count, *phases; /* phases in use, 3 numbers each */
    int64_t low[FL_CONV_DIMS], plane[FL_CONV_DIMS],
        feature_plane;       /* first position, extents, elements of one feature */
    int64_t band, bands;     /* output rows of one task; tasks of one image */
    int64_t images;          /* of one task */
    int64_t weight_elements; /* of one group */
    int by_row;              /* vectors do not cross output rows */
    int in_place;            /* the input serves as planes */
    int64_t columns;         /* at most, of the block of results before it is stored */

    /* column form: the input is copied as [feature][d][h][w][batch]; columns are batch elements (weight gradients) */
    int64_t
        columns_batch; /* elements of one position: the batch, rounded up to whole vectors unless positions follow each other */
    int64_t row_positions;                          /* output positions that one run of columns covers */
    int64_t extent[FL_CONV_DIMS], feature_elements; /* positions that are read; elements of one feature */
    int64_t positions, *position_offsets;           /* where the columns of an output position begin */
    int64_t points, *point_offsets,
        *point_places; /* kernel points: offset of the row of columns; place of the weight */
    int64_t feature_block, k_block, k_splits, m_parts, m_block;

    /* Winograd's form, which leaves what it cannot do well to one of the others */
    struct fl_winograd *winograd;
    struct fl_conv_position *position;
    struct fl_conv_matrix *matrix;
    struct fl_depthwise *depthwise;
    fl_step_fn direct_run;

    int slices;
    size_t weights_bytes, slice_bytes, planes_bytes, results_bytes;
};

/* The multiply-adds of each form, in vectors; then tables and scratch of the one that was chosen. */
double fl_conv_work_shift(const fl_conv *c);
double fl_conv_work_columns(fl_conv *c);
fl_status fl_conv_plan_shift(fl_conv *c, fl_arena *arena);
size_t fl_conv_scratch_shift(fl_conv *c, double work);
fl_status fl_conv_layout_columns(fl_conv *c, fl_arena *arena, double work, size_t *out_scratch);
fl_status fl_conv_run_shift(const fl_step *step, void *const *slots);
fl_status fl_conv_run_columns(const fl_step *step, void *const *slots);

/* Stores n results with a stride, converted to the result's dtype. */
void fl_conv_store(const fl_conv *c, char *out, int64_t stride, const char *from, int64_t n);
/* Packs one panel of weights: `rows` outputs from `first_output` on, for the points (input feature, place) of a range. */
void fl_conv_pack_weights(const fl_conv *c, char *panel, const char *kernel, int64_t first_output,
                          int64_t rows, int64_t feature, int64_t features, const int64_t *places,
                          int64_t place_count);

static inline int64_t fl_conv_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

#endif
