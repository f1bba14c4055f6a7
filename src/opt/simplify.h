/* Algebraic rules: each looks at one operation and gives what may take the place of its only result, FL_NO_REF where it does not
 * apply. A rule is a row of FL_RULES in simplify.c, where it is said why it is exact. */
#ifndef FL_OPT_SIMPLIFY_H
#define FL_OPT_SIMPLIFY_H

#include "opt/edit.h"

typedef fl_ref fl_simplify_rule(fl_editor *e, const fl_op *op);

/* simplify_arith.c */
fl_simplify_rule fl_rule_add, fl_rule_subtract, fl_rule_multiply, fl_rule_divide, fl_rule_remainder,
    fl_rule_power, fl_rule_extremum, fl_rule_negate, fl_rule_abs, fl_rule_complex, fl_rule_real, fl_rule_imag;
/* simplify_logic.c */
fl_simplify_rule fl_rule_and_or, fl_rule_xor, fl_rule_not, fl_rule_compare, fl_rule_select, fl_rule_clamp,
    fl_rule_convert, fl_rule_bitcast, fl_rule_shift;
/* simplify_shape.c */
fl_simplify_rule fl_rule_reshape, fl_rule_transpose, fl_rule_broadcast, fl_rule_broadcast_in_dim,
    fl_rule_reverse;
/* simplify_slice.c */
fl_simplify_rule fl_rule_slice, fl_rule_pad, fl_rule_concatenate, fl_rule_dynamic_slice,
    fl_rule_dynamic_update_slice, fl_rule_gather;
/* simplify_reduce.c */
fl_simplify_rule fl_rule_reduce, fl_rule_dot_general;

/* ---- what rules ask ---- */

static inline fl_dtype fl_rule_dtype(const fl_editor *e, fl_ref value)
{
    return (fl_dtype)fl_edit_type(e, value)->dtype;
}
static inline int fl_rule_is_whole(const fl_editor *e, fl_ref value) /* integers */
{
    return fl_is_int(fl_rule_dtype(e, value));
}
static inline int fl_rule_is_float(const fl_editor *e, fl_ref value)
{
    return fl_is_float(fl_rule_dtype(e, value));
}
static inline const int64_t *fl_rule_ints(const fl_op *op, fl_attr_key key)
{
    return fl_op_ints(op, key, NULL);
}

#endif
