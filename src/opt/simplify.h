/* Algebraic rules: each looks at one operation and gives what may take the place of its only result, FL_NO_REF where it does not
 * apply. A rule is a row of FL_RULES in simplify.c, where it is said why it is exact. */
#ifndef FL_OPT_SIMPLIFY_H
#define FL_OPT_SIMPLIFY_H

#include "opt/edit.h"

typedef fl_ref fl_simplify_fn(fl_editor *e, const fl_op *op);

/* simplify_arith.c */
fl_simplify_fn fl_simplify_add, fl_simplify_subtract, fl_simplify_multiply, fl_simplify_divide,
    fl_simplify_remainder, fl_simplify_power, fl_simplify_extremum, fl_simplify_negate, fl_simplify_abs,
    fl_simplify_complex, fl_simplify_real, fl_simplify_imag;
/* simplify_logic.c */
fl_simplify_fn fl_simplify_and_or, fl_simplify_xor, fl_simplify_not, fl_simplify_compare, fl_simplify_select,
    fl_simplify_clamp, fl_simplify_convert, fl_simplify_bitcast, fl_simplify_shift;
/* simplify_shape.c */
fl_simplify_fn fl_simplify_reshape, fl_simplify_transpose, fl_simplify_broadcast,
    fl_simplify_broadcast_in_dim, fl_simplify_reverse;
/* simplify_slice.c */
fl_simplify_fn fl_simplify_slice, fl_simplify_pad, fl_simplify_concatenate, fl_simplify_dynamic_slice,
    fl_simplify_dynamic_update_slice, fl_simplify_gather;
/* simplify_parts.c */
fl_simplify_fn fl_simplify_sum_of_parts;
/* simplify_reduce.c */
fl_simplify_fn fl_simplify_reduce, fl_simplify_dot_general;
/* simplify_pick.c */
fl_simplify_fn fl_simplify_pick, fl_simplify_scatter, fl_simplify_sum_of_mask;
/* simplify_lift.c: of any elementwise operation */
fl_simplify_fn fl_simplify_lift;

/* ---- what rules ask ---- */

/* Floats that are never -0: sums that begin with +0, squares, and what is positive anyway. */
int fl_simplify_is_never_negative_zero(const fl_editor *e, fl_ref value);

static inline fl_dtype fl_simplify_dtype(const fl_editor *e, fl_ref value)
{
    return (fl_dtype)fl_edit_type(e, value)->dtype;
}
static inline int fl_simplify_is_whole(const fl_editor *e, fl_ref value) /* integers */
{
    return fl_is_int(fl_simplify_dtype(e, value));
}
static inline int fl_simplify_is_float(const fl_editor *e, fl_ref value)
{
    return fl_is_float(fl_simplify_dtype(e, value));
}
static inline const int64_t *fl_simplify_ints(const fl_op *op, fl_attr_key key)
{
    return fl_op_ints(op, key, NULL);
}

#endif
