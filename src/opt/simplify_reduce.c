/* Rules of reductions and products. */
#include "opt/simplify.h"

#include <string.h>

/* Over dimensions of size one: what is there, with the initial value. */
static fl_ref reduce_ones(fl_editor *e, const fl_op *op)
{
    fl_type type = *fl_edit_type(e, op->first_result), from = *fl_edit_type(e, op->operands[0]);
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &n);
    fl_opcode code = fl_region_monoid(e->b.program, op->regions[0]);
    for (uint32_t i = 0; i < n; i++)
        if (from.dims[dims[i]] != 1) return FL_NO_REF;
    if (from.dtype != type.dtype || !n || code == FL_OP_NONE || !(fl_op_infos[code].traits & FL_TRAIT_C))
        return FL_NO_REF;
    fl_ref x = fl_reshape(&e->b, op->operands[0], type.rank, type.dims);
    fl_ref init = fl_broadcast_in_dim(&e->b, op->operands[1], type.rank, type.dims, NULL);
    return fl_build(&e->b, code, (fl_ref[]){x, init}, 2, NULL, 0, NULL, 0);
}

fl_ref fl_simplify_reduce(fl_editor *e, const fl_op *op)
{
    if (op->operand_count != 2 || op->region_count != 1) return FL_NO_REF;
    fl_ref to = reduce_ones(e, op);
    return to ? to : fl_simplify_sum_of_mask(e, op);
}

static int is_listed(const int64_t *list, uint32_t count, int64_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == value) return 1;
    return 0;
}

/* One operand of a product, which is a transpose: its dimensions named as they are before. */
typedef struct side {
    fl_ref value;
    int64_t batch[FL_MAX_RANK], contract[FL_MAX_RANK];
    uint32_t batch_count, contract_count;
} side;

static side side_of(const fl_op *dot, int which)
{
    side s = {.value = dot->operands[which]};
    const int64_t *batch = fl_op_ints(
        dot, which ? FL_ATTR_rhs_batching_dimensions : FL_ATTR_lhs_batching_dimensions, &s.batch_count);
    const int64_t *contract =
        fl_op_ints(dot, which ? FL_ATTR_rhs_contracting_dimensions : FL_ATTR_lhs_contracting_dimensions,
                   &s.contract_count);
    if (s.batch_count) memcpy(s.batch, batch, s.batch_count * sizeof *batch);
    if (s.contract_count) memcpy(s.contract, contract, s.contract_count * sizeof *contract);
    return s;
}

/* Free dimensions must come in the same order. */
static int absorb(const fl_editor *e, side *s)
{
    const fl_op *transpose = fl_edit_is(e, s->value, FL_OP_transpose);
    int64_t last = -1;
    if (!transpose) return 0;
    const int64_t *permutation = fl_simplify_ints(transpose, FL_ATTR_permutation);
    for (int i = 0; i < fl_edit_type(e, s->value)->rank; i++) {
        if (is_listed(s->batch, s->batch_count, i) || is_listed(s->contract, s->contract_count, i)) continue;
        if (permutation[i] < last) return 0;
        last = permutation[i];
    }
    for (uint32_t i = 0; i < s->batch_count; i++) s->batch[i] = permutation[s->batch[i]];
    for (uint32_t i = 0; i < s->contract_count; i++) s->contract[i] = permutation[s->contract[i]];
    s->value = transpose->operands[0];
    return 1;
}

fl_ref fl_simplify_dot_general(fl_editor *e, const fl_op *op)
{
    side a = side_of(op, 0), b = side_of(op, 1);
    int left = absorb(e, &a), right = absorb(e, &b);
    if (!left && !right) return FL_NO_REF;
    fl_attr *attrs = FL_NEW_ARRAY(&e->scratch, fl_attr, op->attr_count + 1);
    if (!attrs) return FL_NO_REF;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        attrs[i] = op->attrs[i];
        switch (attrs[i].key) {
        case FL_ATTR_lhs_batching_dimensions: attrs[i].u.ints = a.batch; break;
        case FL_ATTR_rhs_batching_dimensions: attrs[i].u.ints = b.batch; break;
        case FL_ATTR_lhs_contracting_dimensions: attrs[i].u.ints = a.contract; break;
        case FL_ATTR_rhs_contracting_dimensions: attrs[i].u.ints = b.contract; break;
        default: break;
        }
    }
    fl_type type = *fl_edit_type(e, op->first_result);
    return fl_build_typed(&e->b, FL_OP_dot_general, (fl_ref[]){a.value, b.value}, 2, attrs, op->attr_count,
                          NULL, 0, &type, 1);
}
