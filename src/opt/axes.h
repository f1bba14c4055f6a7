/* Names for the dimensions of values that are rearrangements of each other. An axis is a number; a value's dimensions are lists of
 * axes, from the outer to the inner one. Where a reshape cuts a dimension, its axis splits into two, everywhere it occurs. */
#ifndef FL_OPT_AXES_H
#define FL_OPT_AXES_H

#include "ir/ir.h"

enum { FL_MOST_AXES = 96, FL_AXES_OF_VALUE = 32 };

typedef struct fl_axes {
    struct fl_axis {
        int64_t size;
        uint8_t outer, inner; /* not 0: it is split into these; `outer` alone: it is the same axis */
    } axis[FL_MOST_AXES];     /* axis[0] is unused */
    int count, failed;
} fl_axes;

/* Dimensions of size 1 have no axes. `count` axes in all; dimension i ends before end[i]. */
typedef struct fl_axis_lists {
    uint8_t rank, count;
    uint8_t end[FL_MAX_RANK];
    uint8_t axis[FL_AXES_OF_VALUE];
} fl_axis_lists;

/* Functions that give int return 0 when it cannot be done. */
fl_axis_lists fl_axes_fresh(fl_axes *a, const fl_type *type); /* an axis for each dimension */
void fl_axes_expand(const fl_axes *a, fl_axis_lists *l);      /* split axes become their parts */
int fl_axes_same(const fl_axes *a, fl_axis_lists x, fl_axis_lists y);
int fl_axes_has(const fl_axes *a, fl_axis_lists l, int axis);                   /* `axis` is not split */
fl_axis_lists fl_axes_dim(const fl_axes *a, const fl_axis_lists *l, int dim);   /* of rank 1 */
fl_axis_lists fl_axes_join(const fl_axes *a, fl_axis_lists x, fl_axis_lists y); /* of rank 1 */
fl_axis_lists fl_axes_without(const fl_axes *a, const fl_axis_lists *l,
                              const fl_axis_lists *gone); /* of rank 1 */
/* A dimension of these axes more. */
fl_axis_lists fl_axes_insert(const fl_axes *a, const fl_axis_lists *l, int dim, const fl_axis_lists *axes);
/* Where x and y differ only in axes that are in `fresh`: those become y's. */
int fl_axes_unify(fl_axes *a, fl_axis_lists x, fl_axis_lists y, fl_axis_lists fresh);
int64_t fl_axes_size(const fl_axes *a, const fl_axis_lists *l);
int fl_axes_reshape(fl_axes *a, const fl_axis_lists *from, const fl_type *to, fl_axis_lists *out);

/* From the result of transpose, reshape, broadcast_in_dim, convert (or an operation on elements) to an operand, and back.
 * A broadcast loses axes on the way up and is impossible on the way down. */
int fl_axes_up(fl_axes *a, const fl_program *p, const fl_op *op, const fl_axis_lists *result,
               uint32_t operand, fl_axis_lists *out);
int fl_axes_down(fl_axes *a, const fl_program *p, const fl_op *op, const fl_axis_lists *operand,
                 fl_axis_lists *out);
int fl_axes_moves(const fl_op *op); /* whether it is one of the first four */

#endif
