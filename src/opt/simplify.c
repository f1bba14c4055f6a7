/* The rules, and the pass that applies them. */
#include "opt/optimize.h"
#include "opt/simplify.h"

/* FL_RULE(operation, rule): what the rule does, and why it keeps every bit. */
#define FL_RULES(FL_RULE)                                                                                                                                     \
    /* x + 0 of integers; x + -0; x + +0 where x is never -0. x + -y is x - y. i * columns + j is a flat iota. Constants of integers associate: both wrap. */ \
    /* Parts of a tensor, each among zeros: one behind the other, + 0, which is what the zeros do to -0 */                                                    \
    FL_RULE(add, fl_simplify_add)                                                                                                                             \
    /* x - +0, also of -0. x - -y is x + y, -0 - x is -x. Of integers x - x is 0; x - c becomes x + -c */                                                     \
    FL_RULE(subtract, fl_simplify_subtract)                                                                                                                   \
    /* x * 1; x * -1 is -x; -x * -y is x * y. Of integers x * 0 is 0, and constants associate */                                                              \
    FL_RULE(multiply, fl_simplify_multiply)                                                                                                                   \
    /* x / 1; x / 2^n is x * 2^-n where that is a normal number: both are x scaled, rounded once. Unsigned: shifts */                                         \
    FL_RULE(divide, fl_simplify_divide)                                                                                                                       \
    /* x % n of integers 0 <= x < n; a mask for powers of two of what is not negative */                                                                      \
    FL_RULE(remainder, fl_simplify_remainder)                                                                                                                 \
    /* x^1, x^0 (1 also for NaN), x^2 is x * x, x^-1 is 1 / x */                                                                                              \
    FL_RULE(power, fl_simplify_power)                                                                                                                         \
    /* of the same; with -inf or +inf; of integers whose bounds say which it is */                                                                            \
    FL_RULE(maximum, fl_simplify_extremum)                                                                                                                    \
    FL_RULE(minimum, fl_simplify_extremum)                                                                                                                    \
    FL_RULE(negate, fl_simplify_negate)   /* - -x */                                                                                                          \
    FL_RULE(abs, fl_simplify_abs)         /* ||x||, |-x| */                                                                                                   \
    FL_RULE(complex, fl_simplify_complex) /* of the parts of one number */                                                                                    \
    FL_RULE(real, fl_simplify_real)       /* of what was put together */                                                                                      \
    FL_RULE(imag, fl_simplify_imag)                                                                                                                           \
    FL_RULE(and, fl_simplify_and_or) /* with all bits, no bits, the same */                                                                                   \
    FL_RULE(or, fl_simplify_and_or)                                                                                                                           \
    FL_RULE(xor, fl_simplify_xor)                                                                                                                             \
    FL_RULE(not, fl_simplify_not) /* of not; of comparisons of integers, and of EQ and NE of floats */                                                        \
    /* of integers that are the same, of booleans, of integers whose bounds decide it */                                                                      \
    FL_RULE(compare, fl_simplify_compare)                                                                                                                     \
    /* of the same; by a known condition; by not p; again by p; of true and false */                                                                          \
    FL_RULE(select, fl_simplify_select)                                                                                                                       \
    FL_RULE(clamp, fl_simplify_clamp) /* integers that are within */                                                                                          \
    /* to the same type; of a conversion that lost nothing; of iota */                                                                                        \
    FL_RULE(convert, fl_simplify_convert)                                                                                                                     \
    FL_RULE(bitcast_convert, fl_simplify_bitcast) /* to the same type, and back */                                                                            \
    FL_RULE(shift_left, fl_simplify_shift)        /* by 0; to the right of all bits there are */                                                              \
    FL_RULE(shift_right_arithmetic, fl_simplify_shift)                                                                                                        \
    FL_RULE(shift_right_logical, fl_simplify_shift)                                                                                                           \
    /* of reshapes, of iota among ones, of what repeats a scalar */                                                                                           \
    FL_RULE(reshape, fl_simplify_reshape)                                                                                                                     \
    /* of transposes, broadcasts, iota; that moves ones is a reshape; of a product is one of swapped operands */                                              \
    FL_RULE(transpose, fl_simplify_transpose)                                                                                                                 \
    FL_RULE(broadcast, fl_simplify_broadcast) /* becomes broadcast_in_dim */                                                                                  \
    /* that repeats nothing is a reshape; of broadcasts, transposes, reshapes that add ones */                                                                \
    FL_RULE(broadcast_in_dim, fl_simplify_broadcast_in_dim)                                                                                                   \
    FL_RULE(reverse, fl_simplify_reverse) /* twice; of ones */                                                                                                \
    /* of slices, broadcasts, iota; of what lies in one operand of a concatenation, in or beside what is padded */                                            \
    FL_RULE(slice, fl_simplify_slice)                                                                                                                         \
    FL_RULE(pad, fl_simplify_pad) /* that adds nothing is a slice */                                                                                          \
    /* of one; of concatenations, empty tensors, slices that follow each other */                                                                             \
    FL_RULE(concatenate, fl_simplify_concatenate)                                                                                                             \
    FL_RULE(dynamic_slice, fl_simplify_dynamic_slice)               /* from where is known: a slice */                                                        \
    FL_RULE(dynamic_update_slice, fl_simplify_dynamic_update_slice) /* of everything */                                                                       \
    /* of one place, of all rows in order: a slice. One element of each row of f(x) is f of one of each row of x */                                           \
    FL_RULE(gather, fl_simplify_gather)                                                                                                                       \
    /* of all rows in order: no scatter. Of one update in each row of a constant: a mask; -0 + 0 is 0 in both */                                              \
    FL_RULE(scatter, fl_simplify_scatter)                                                                                                                     \
    /* of ones; the sum over i of (i == k ? v : 0) is v + 0 or 0: all others are zeros */                                                                     \
    FL_RULE(reduce, fl_simplify_reduce)                                                                                                                       \
    FL_RULE(dot_general, fl_simplify_dot_general) /* of transposes that leave free dimensions in order */

static fl_simplify_fn *const rules[FL_OPCODE_COUNT] = {
#define FL_RULE(operation, function) [FL_OP_##operation] = function,
    FL_RULES(FL_RULE)
#undef FL_RULE
};

/* Constants go to the right, so that rules look for them there alone. */
static void order_operands(const fl_editor *e, fl_op *op)
{
    if (!(fl_op_infos[op->code].traits & FL_TRAIT_C) || op->operand_count != 2) return;
    fl_ref x = op->operands[0], y = op->operands[1];
    if (fl_edit_is(e, x, FL_OP_constant) && !fl_edit_is(e, y, FL_OP_constant)) {
        op->operands[0] = y;
        op->operands[1] = x;
    }
}

static int is_plain(const fl_editor *e, const fl_op *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!fl_type_is_plain(fl_edit_type(e, op->operands[i]))) return 0;
    return op->result_count == 1 && fl_type_is_plain(fl_edit_type(e, op->first_result));
}

static fl_status simplify(fl_editor *e, fl_op *op, int *done)
{
    order_operands(e, op);
    if (!is_plain(e, op)) return NULL;
    fl_ref to = rules[op->code] ? rules[op->code](e, op) : FL_NO_REF;
    if (!to && fl_op_infos[op->code].traits & FL_TRAIT_E) to = fl_simplify_lift(e, op);
    if (!to || e->b.status) return NULL;
    fl_edit_replace(e, op->first_result, to);
    *done = 1;
    return NULL;
}

fl_status fl_pass_simplify(fl_editor *e)
{
    return fl_edit_walk(e, simplify);
}
