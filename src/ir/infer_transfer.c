/* Rules of what moves values between two devices or to the host, and of operations that run beside others. */
#include "ir/infer.h"

enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };

static fl_status need_pairs(const fl_op *op, int required)
{
    const fl_attr *a = fl_op_attr(op, FL_ATTR_source_target_pairs);
    FL_CHECK(a || !required, FL_INVALID, "expected attribute source_target_pairs");
    if (!a) return NULL;
    FL_CHECK(a->count % 2 == 0 && (a->columns == 2 || !a->columns || !a->count), FL_INVALID,
             "expected pairs in source_target_pairs (C1)");
    FL_TRY(fl_need_ids(a->u.ints, a->count, 0, 2, 0, 0, "sources", "C2", "C4"));
    return fl_need_ids(a->u.ints, a->count, 1, 2, 0, 0, "targets", "C3", "C4");
}

fl_status fl_infer_collective_permute(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(need_pairs(op, 1));
    FL_TRY(fl_need_kind(fl_operand_type(p, op, 0), FL_PER_TENSOR));
    return fl_settle(out, fl_operand_type(p, op, 0), FL_MATCH_TYPE, "C5");
}

static fl_status need_transfer(const fl_op *op, int64_t host_type)
{
    int host;
    FL_TRY(fl_need_flag(op, FL_ATTR_is_host_transfer, &host));
    int64_t expected = host ? host_type : DEVICE_TO_DEVICE,
            type = fl_op_int(op, FL_ATTR_channel_type, expected);
    FL_CHECK(type == expected, FL_INVALID, "expected channel_type %lld, got %lld (C5)", (long long)expected,
             (long long)type);
    return need_pairs(op, 0);
}

/* Operands of `op` but the last are tensors, the last a token; the result is a token. */
static fl_status tensors_and_token(const fl_program *p, const fl_op *op, fl_type *out)
{
    fl_type token = {.kind = FL_TYPE_TOKEN};
    FL_CHECK(op->operand_count, FL_INVALID, "expected a token as last operand (I2)");
    for (uint32_t i = 0; i + 1 < op->operand_count; i++)
        FL_TRY(fl_need_kind(fl_operand_type(p, op, i), FL_ANY));
    FL_TRY(fl_need_token(fl_operand_type(p, op, op->operand_count - 1u), "the last operand", "I2"));
    return fl_settle(out, &token, FL_MATCH_TYPE, "a token");
}

/* The operand is a token; stated results are tensors and, at the end, a token. */
static fl_status token_to_tensors(const fl_program *p, const fl_op *op, fl_type *out, const char *some,
                                  const char *tensors, const char *last)
{
    FL_TRY(fl_need_token(fl_operand_type(p, op, 0), "the operand", "I1"));
    FL_TRY(fl_need_stated(op, out));
    FL_CHECK(op->result_count, FL_INVALID, "expected a result (%s)", some);
    for (uint32_t i = 0; i + 1 < op->result_count; i++)
        FL_TRY(fl_status_prefix(fl_need_kind(&out[i], FL_ANY), "result %u (%s)", i, tensors));
    return fl_need_token(&out[op->result_count - 1], "the last result", last);
}

fl_status fl_infer_send(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(need_transfer(op, DEVICE_TO_HOST));
    return tensors_and_token(p, op, out);
}

fl_status fl_infer_recv(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(need_transfer(op, HOST_TO_DEVICE));
    return token_to_tensors(p, op, out, "C2", "C3", "C4");
}

fl_status fl_infer_outfeed(const fl_program *p, const fl_op *op, fl_type *out)
{
    return tensors_and_token(p, op, out);
}

fl_status fl_infer_infeed(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_literal *layout = fl_op_literal(op, FL_ATTR_layout);
    FL_TRY(token_to_tensors(p, op, out, "C1", "C2", "C3"));
    if (!layout) return NULL;
    FL_CHECK(layout->kind == FL_LIT_ARRAY && layout->count == op->result_count - 1u, FL_INVALID,
             "expected a layout for each of the %d tensors", op->result_count - 1);
    for (uint32_t i = 0; i < layout->count; i++) {
        const fl_literal *one = &layout->u.items[i];
        FL_CHECK(one->kind == FL_LIT_ARRAY, FL_INVALID, "expected a list of integers as layout %u", i);
        for (uint32_t k = 0; k < one->count; k++)
            FL_CHECK(one->u.items[k].kind == FL_LIT_INT, FL_INVALID,
                     "expected a list of integers as layout %u", i);
    }
    return NULL;
}

/* partition_id, replica_id */
fl_status fl_infer_device_id(const fl_program *p, const fl_op *op, fl_type *out)
{
    (void)p, (void)op;
    fl_type id = fl_type_make(FL_U32, 0, NULL);
    return fl_settle(out, &id, FL_MATCH_TYPE, "a 32-bit id");
}

/* ---- asynchronous ---- */

static int can_be_async(fl_opcode code)
{
    switch (code) {
    case FL_OP_all_gather:
    case FL_OP_all_reduce:
    case FL_OP_all_to_all:
    case FL_OP_collective_broadcast:
    case FL_OP_collective_permute:
    case FL_OP_collective_reduce:
    case FL_OP_reduce_scatter:
    case FL_OP_slice:
    case FL_OP_dynamic_slice:
    case FL_OP_dynamic_update_slice: return 1;
    default: return 0;
    }
}

fl_status fl_infer_async_start(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_CHECK(op->region_count == 1, FL_INVALID, "expected one region, got %u", op->region_count);
    const fl_block *body = op->regions[0];
    FL_CHECK(body->op_count == 1, FL_INVALID, "expected one operation in the region, got %u (C1)",
             body->op_count);
    const fl_op *inner = body->ops[0];
    FL_CHECK(can_be_async((fl_opcode)inner->code), FL_INVALID,
             "expected a collective or a slice in the region, got %s (C2)", fl_op_infos[inner->code].name);
    FL_TRY(fl_need_region(p, op, 0, op->operand_count, body->result_count, 0, "C3"));
    for (uint32_t i = 0; i < op->operand_count; i++)
        FL_TRY(fl_need_match(fl_region_arg(p, op, 0, i), fl_operand_type(p, op, i), FL_MATCH_TYPE,
                             "region argument", "C3"));
    FL_TRY(fl_need_stated(op, out)); /* members need a place of their own: the program's */
    uint32_t n = out->more ? out->more->count : 0;
    FL_CHECK(out->kind == FL_TYPE_FUTURE && n == body->result_count, FL_INVALID,
             "expected a future of %u members as result (C4)", body->result_count);
    for (uint32_t i = 0; i < n; i++)
        FL_TRY(fl_need_match(&out->more->members[i], fl_region_result(p, op, 0, i), FL_MATCH_TYPE, "member",
                             "C4"));
    return NULL;
}

fl_status fl_infer_async_done(const fl_program *p, const fl_op *op, fl_type *out)
{
    char text[160];
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_CHECK(x->kind == FL_TYPE_FUTURE, FL_INVALID, "expected a future, got %s (I1)",
             fl_type_text(x, text, sizeof text));
    uint32_t n = x->more ? x->more->count : 0;
    FL_TRY(fl_need_results(op, n, "C1"));
    for (uint32_t i = 0; i < n; i++) FL_TRY(fl_settle(&out[i], &x->more->members[i], FL_MATCH_TYPE, "C1"));
    return NULL;
}
