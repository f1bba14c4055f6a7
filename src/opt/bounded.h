/* Values whose sizes are bounded: tensor<?xf32, #stablehlo.bounds<16>>. Internal to opt/.
 *
 * Such a value becomes one of the bounds' shape, and beside it lies an i32 for each of its dimensions that is open: how much of
 * it holds elements. What lies behind them is anything; operations that would see it (sums, products, scatters) get neutral
 * elements there first. */
#ifndef FL_OPT_BOUNDED_H
#define FL_OPT_BOUNDED_H

#include "opt/refine.h"

int fl_is_bounded(const fl_type *type); /* a tensor whose open dimensions all have bounds, at least one */
/* Of the bounds' shape; another type stays as it is. */
fl_type fl_at_bounds(const fl_type *type);
/* The sizes of a value of the program that is read, one for each dimension, FL_NO_REF where it is whole; NULL: all are. */
const fl_ref *fl_sizes_of(const fl_refiner *r, fl_ref value);
void fl_set_sizes(fl_refiner *r, fl_ref value, const fl_ref *sizes);
/* An operation that has to do with bounded values; *done stays 0 when it has not. */
fl_status fl_refine_bounded(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done);

/* bounded_rules.c: how the sizes of the first result follow from those of the operands, where they lie as they are. `sizes`
 * is FL_NO_REF everywhere at first. FL_UNSUPPORTED: the operation touches an open dimension. */
fl_status fl_bounded_rule(fl_refiner *r, const fl_op *op, fl_ref *sizes);

#endif
