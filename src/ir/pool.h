/* Max pooling with positions, as a reduce_window over (value, index) pairs. */
#ifndef FL_IR_POOL_H
#define FL_IR_POOL_H

#include "ir/build.h"

/* For every window the largest value and its index (`index` has value's shape and an integer dtype); a NaN wins over numbers, the
 * lower index wins among equals. Arguments as of fl_reduce_window: padding is rank x 2, padded places never win; dilations may
 * be NULL. */
void fl_max_pool_with_index(fl_builder *b, fl_ref value, fl_ref index, const int64_t *window,
                            const int64_t *strides, const int64_t *padding, const int64_t *window_dilations,
                            fl_ref *out_value, fl_ref *out_index);
/* Whether a reduce_window is one of the above, whatever its initial values and window. */
int fl_is_max_pool(const fl_program *program, const fl_op *op);

#endif
