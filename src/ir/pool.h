/* Max pooling with positions and running extremes with their places, as reduce_window over (value, index) pairs. */
#ifndef FL_IR_POOL_H
#define FL_IR_POOL_H

#include "ir/build.h"

/* For every window the largest value and its index (`index` has value's shape and an integer dtype); a NaN wins over numbers, the
 * lower index wins among equals. Arguments as of fl_reduce_window: padding is rank x 2, padded places never win; dilations may
 * be NULL. */
void fl_max_pool_with_index(fl_builder *b, fl_ref value, fl_ref index, const int64_t *window,
                            const int64_t *strides, const int64_t *padding, const int64_t *window_dilations,
                            fl_ref *out_value, fl_ref *out_index);
/* The largest (or smallest) value so far along dim, and its place (i64): the latest among equals; a NaN stays. */
void fl_running_extreme(fl_builder *b, int largest, fl_ref x, int dim, fl_ref *out_value, fl_ref *out_place);
/* The same by two running extremes, of values and of the places where they win: for compilers that try every window. */
void fl_running_extreme_apart(fl_builder *b, int largest, fl_ref x, int dim, fl_ref *out_value,
                              fl_ref *out_place);
/* Which of the above a reduce_window is, whatever its initial values and window. */
typedef enum fl_pair_kind {
    FL_PAIR_OTHER,
    FL_PAIR_MAX_FIRST,
    FL_PAIR_MAX_LAST,
    FL_PAIR_MIN_LAST
} fl_pair_kind;
fl_pair_kind fl_pair_kind_of(const fl_op *op);

#endif
