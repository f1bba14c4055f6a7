/* Operations of sdy. What their texts mean (meshes, axes) is for who partitions the program: opt/sharding.h. */
#include "ir/infer.h"

/* An attribute of sdy, or what GSPMD says instead: a text, a list of them for several values. */
static fl_status need_text(const fl_op *op, fl_attr_key key)
{
    const fl_literal *l = fl_op_literal(op, key);
    int is_list = key == FL_ATTR_in_shardings || key == FL_ATTR_out_shardings;
    FL_CHECK(l && (l->kind == FL_LIT_OPAQUE || l->kind == (is_list ? FL_LIT_ARRAY : FL_LIT_STRING)),
             FL_INVALID, "expected attribute %s of sdy", fl_attr_infos[key].name);
    return NULL;
}

fl_status fl_infer_sdy_placement(const fl_program *p, const fl_op *op, fl_type *out)
{
    if (op->code == FL_OP_propagation_barrier)
        FL_TRY(fl_need_int(op, FL_ATTR_allowed_direction, 0, 3, -1, "none, forward, backward, both", NULL));
    if (op->code == FL_OP_sharding_group) {
        FL_CHECK(fl_op_attr(op, FL_ATTR_group_id), FL_INVALID, "expected attribute group_id");
        return NULL;
    }
    if (fl_op_places(op)) FL_TRY(need_text(op, FL_ATTR_sharding));
    if (op->code > FL_OP_reshard && fl_op_places(op) && op->code != FL_OP_sdy_collective_permute)
        FL_TRY(need_text(op, FL_ATTR_axes));
    return fl_settle(out, fl_operand_type(p, op, 0), FL_MATCH_TYPE, "the operand's type");
}

/* A value outside of a computation and inside, where it is the share of a partition if the computation is manual. */
static fl_status need_share(const fl_op *op, const fl_type *whole, const fl_type *share, const char *what)
{
    char a[160], b[160];
    int same = fl_types_match(share, whole, FL_MATCH_TYPE);
    if (op->code == FL_OP_manual_computation && !same && whole->kind == share->kind &&
        whole->rank == share->rank && fl_types_match(share, whole, FL_MATCH_ELEMENT)) {
        same = 1;
        for (int d = 0; same && d < whole->rank; d++)
            same = fl_same_or_open(whole->dims[d], share->dims[d]) ||
                   (share->dims[d] > 0 && whole->dims[d] % share->dims[d] == 0);
    }
    FL_CHECK(same, FL_INVALID, "expected %s of type %s inside to be %s, got %s", what,
             fl_type_text(whole, a, sizeof a),
             op->code == FL_OP_manual_computation ? "an equal part of it" : "the same",
             fl_type_text(share, b, sizeof b));
    return NULL;
}

fl_status fl_infer_sdy_region(const fl_program *p, const fl_op *op, fl_type *out)
{
    int is_named = op->code == FL_OP_named_computation;
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_region(p, op, 0, op->operand_count, op->result_count, 0, "one region"));
    FL_CHECK(op->region_count == 1, FL_INVALID, "expected one region, got %d", op->region_count);
    FL_CHECK(!is_named || fl_op_string(op, FL_ATTR_name), FL_INVALID, "expected attribute name");
    if (!is_named) FL_TRY(need_text(op, FL_ATTR_manual_axes));
    if (!is_named || fl_op_attr(op, FL_ATTR_in_shardings)) FL_TRY(need_text(op, FL_ATTR_in_shardings));
    if (!is_named || fl_op_attr(op, FL_ATTR_out_shardings)) FL_TRY(need_text(op, FL_ATTR_out_shardings));
    for (uint32_t i = 0; i < op->operand_count; i++)
        FL_TRY(need_share(op, fl_operand_type(p, op, i), fl_region_arg(p, op, 0, i), "an operand"));
    for (uint32_t i = 0; i < op->result_count; i++)
        FL_TRY(need_share(op, &out[i], fl_region_result(p, op, 0, i), "a result"));
    return NULL;
}
