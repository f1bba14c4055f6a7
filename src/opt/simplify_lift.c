/* Rules of any elementwise operation: f of what is repeated is f, repeated; so it is computed once, on the smaller tensor. So too of
 * reshapes, which then meet others and go. And f of a choice between numbers is a choice between numbers. */
#include "opt/simplify.h"

#include <string.h>

enum { MOST_OPERANDS = 3 };

/* Whether two movements do the same with tensors of one shape. */
static int move_alike(const fl_editor *e, const fl_op *a, const fl_op *b)
{
    uint32_t n, m;
    const fl_type *s = fl_edit_type(e, a->operands[0]), *t = fl_edit_type(e, b->operands[0]);
    if (a->code != b->code || s->rank != t->rank ||
        (s->rank && memcmp(s->dims, t->dims, s->rank * sizeof *s->dims) != 0))
        return 0;
    if (a->code == FL_OP_reshape) return 1;
    const int64_t *x = fl_op_ints(a, FL_ATTR_broadcast_dimensions, &n),
                  *y = fl_op_ints(b, FL_ATTR_broadcast_dimensions, &m);
    return n == m && (!n || !memcmp(x, y, n * sizeof *x));
}

/* The broadcast or reshape that all operands share but for numbers; NULL: none. */
static const fl_op *shared_movement(const fl_editor *e, const fl_op *op)
{
    const fl_op *shared = NULL;
    int rank = fl_edit_type(e, op->first_result)->rank;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        fl_ref x = op->operands[i];
        const fl_op *made = fl_edit_def(e, x);
        fl_number n;
        if (!made || fl_edit_type(e, x)->rank != rank) return NULL;
        if (made->code == FL_OP_constant && fl_edit_number(e, x, &n)) continue;
        if (made->code != FL_OP_broadcast_in_dim && made->code != FL_OP_reshape) return NULL;
        if (!shared) shared = made;
        if (!move_alike(e, shared, made)) return NULL;
    }
    return shared;
}

static fl_ref lift(fl_editor *e, const fl_op *op, const fl_op *shared)
{
    fl_type whole = *fl_edit_type(e, op->first_result), small = *fl_edit_type(e, shared->operands[0]);
    fl_ref operands[MOST_OPERANDS];
    small.dtype = whole.dtype;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_op *made = fl_edit_def(e, op->operands[i]);
        fl_type type = small;
        type.dtype = fl_edit_type(e, op->operands[i])->dtype;
        operands[i] = made->code == FL_OP_constant
                          ? fl_edit_splat(e, &type, fl_op_attr(made, FL_ATTR_value)->u.dense)
                          : made->operands[0];
    }
    fl_ref f = fl_build_typed(&e->b, (fl_opcode)op->code, operands, op->operand_count, op->attrs,
                              op->attr_count, NULL, 0, &small, 1);
    if (shared->code == FL_OP_reshape) return fl_reshape(&e->b, f, whole.rank, whole.dims);
    return fl_broadcast_in_dim(&e->b, f, whole.rank, whole.dims,
                               fl_simplify_ints(shared, FL_ATTR_broadcast_dimensions));
}

static int is_cheap(const fl_editor *e, fl_ref value)
{
    const fl_op *op = fl_edit_def(e, value);
    return op && (op->code == FL_OP_constant || op->code == FL_OP_broadcast_in_dim);
}

/* -(p ? a : 0) is p ? -a : -0. */
static fl_ref lift_choice(fl_editor *e, const fl_op *op)
{
    const fl_op *select = fl_edit_is(e, op->operands[0], FL_OP_select);
    if (op->operand_count != 1 || !select || !is_cheap(e, select->operands[1]) ||
        !is_cheap(e, select->operands[2]))
        return FL_NO_REF;
    fl_type type = *fl_edit_type(e, op->first_result);
    fl_ref arms[2];
    for (int i = 0; i < 2; i++)
        arms[i] = fl_build_typed(&e->b, (fl_opcode)op->code, &select->operands[1 + i], 1, op->attrs,
                                 op->attr_count, NULL, 0, &type, 1);
    return fl_build_typed(&e->b, FL_OP_select, (fl_ref[]){select->operands[0], arms[0], arms[1]}, 3, NULL, 0,
                          NULL, 0, &type, 1);
}

fl_ref fl_simplify_lift(fl_editor *e, const fl_op *op)
{
    if (op->operand_count > MOST_OPERANDS || !op->operand_count) return FL_NO_REF;
    const fl_op *shared = shared_movement(e, op);
    if (shared) return lift(e, op, shared);
    return op->code == FL_OP_negate || op->code == FL_OP_convert ? lift_choice(e, op) : FL_NO_REF;
}
