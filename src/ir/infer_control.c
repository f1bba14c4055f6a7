/* Rules of control flow, tuples and tokens. */
#include "ir/infer.h"

#include <string.h>

/* Any values, unchanged. */
fl_status fl_infer_barrier(const fl_program *p, const fl_op *op, fl_type *out)
{
    for (uint32_t i = 0; i < op->operand_count; i++)
        FL_TRY(fl_settle(&out[i], fl_operand_type(p, op, i), FL_MATCH_TYPE, "C1"));
    return NULL;
}

/* Regions without arguments that agree in their results. */
static fl_status branches(const fl_program *p, const fl_op *op, fl_type *out, const char *arguments,
                          const char *agree, const char *results)
{
    uint32_t n = op->regions[0]->result_count;
    for (uint32_t i = 0; i < op->region_count; i++) {
        FL_TRY(fl_need_region(p, op, i, 0, op->regions[i]->result_count, 0, arguments));
        FL_TRY(fl_need_region(p, op, i, 0, n, 0, agree));
        for (uint32_t k = 0; k < n; k++)
            FL_TRY(fl_need_match(fl_region_result(p, op, i, k), fl_region_result(p, op, 0, k), FL_MATCH_TYPE,
                                 "region result", agree));
    }
    for (uint32_t k = 0; k < n; k++)
        FL_TRY(fl_settle(&out[k], fl_region_result(p, op, 0, k), FL_MATCH_TYPE, results));
    /* the first branch may leave open what another one says */
    for (uint32_t i = 1; i < op->region_count; i++)
        for (uint32_t k = 0; k < n; k++)
            FL_TRY(fl_need_match(fl_region_result(p, op, i, k), &out[k], FL_MATCH_TYPE, "region result",
                                 results));
    return NULL;
}

fl_status fl_infer_if(const fl_program *p, const fl_op *op, fl_type *out)
{
    fl_type predicate = fl_type_make(FL_I1, 0, NULL);
    FL_TRY(fl_need_match(fl_operand_type(p, op, 0), &predicate, FL_MATCH_TYPE, "condition", "I1"));
    FL_CHECK(op->region_count == 2, FL_INVALID, "expected 2 regions, got %u", op->region_count);
    return branches(p, op, out, "C1", "C2", "C3");
}

fl_status fl_infer_case(const fl_program *p, const fl_op *op, fl_type *out)
{
    fl_type index = fl_type_make(FL_I32, 0, NULL);
    FL_TRY(fl_need_match(fl_operand_type(p, op, 0), &index, FL_MATCH_TYPE, "index", "I1"));
    FL_CHECK(op->region_count >= 1, FL_INVALID, "expected at least one region (C1)");
    return branches(p, op, out, "C2", "C3", "C4");
}

fl_status fl_infer_while(const fl_program *p, const fl_op *op, fl_type *out)
{
    uint32_t n = op->operand_count;
    fl_type predicate = fl_type_make(FL_I1, 0, NULL);
    FL_CHECK(op->region_count == 2, FL_INVALID, "expected 2 regions, got %u", op->region_count);
    FL_TRY(fl_need_region(p, op, 0, n, 1, 0, "C1"));
    FL_TRY(fl_need_region(p, op, 1, n, n, 0, "C2"));
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        FL_TRY(fl_need_match(fl_region_arg(p, op, 0, i), x, FL_MATCH_TYPE, "region argument", "C1"));
        FL_TRY(fl_need_match(fl_region_arg(p, op, 1, i), x, FL_MATCH_TYPE, "region argument", "C2"));
        FL_TRY(fl_need_match(fl_region_result(p, op, 1, i), x, FL_MATCH_TYPE, "region result", "C2"));
        /* what the body returns goes into both regions' arguments, which may be stated more or less precisely */
        for (uint32_t k = 0; k < 2; k++)
            FL_TRY(fl_need_match(fl_region_result(p, op, 1, i), fl_region_arg(p, op, k, i), FL_MATCH_TYPE,
                                 "region result", k ? "C2" : "C1"));
        FL_TRY(fl_settle(&out[i], x, FL_MATCH_TYPE, "C3"));
        FL_TRY(fl_need_match(fl_region_result(p, op, 1, i), &out[i], FL_MATCH_TYPE, "region result", "C3"));
    }
    return fl_need_match(fl_region_result(p, op, 0, 0), &predicate, FL_MATCH_TYPE, "region result", "C1");
}

fl_status fl_infer_tuple(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_need_stated(op, out)); /* members need a place of their own: the program's */
    uint32_t n = out->more ? out->more->count : 0;
    FL_CHECK(out->kind == FL_TYPE_TUPLE && n == op->operand_count, FL_INVALID,
             "expected a tuple of %u members as result (C1)", op->operand_count);
    for (uint32_t i = 0; i < n; i++)
        FL_TRY(
            fl_need_match(&out->more->members[i], fl_operand_type(p, op, i), FL_MATCH_TYPE, "member", "C1"));
    return NULL;
}

fl_status fl_infer_get_tuple_element(const fl_program *p, const fl_op *op, fl_type *out)
{
    char text[160];
    const fl_type *x = fl_operand_type(p, op, 0);
    int64_t index;
    FL_CHECK(x->kind == FL_TYPE_TUPLE, FL_INVALID, "expected a tuple, got %s (I1)",
             fl_type_text(x, text, sizeof text));
    FL_CHECK(x->more && x->more->count, FL_INVALID, "expected a tuple with members (C1)");
    FL_TRY(fl_need_int(op, FL_ATTR_index, 0, (int64_t)x->more->count - 1, -1, "C1", &index));
    return fl_settle(out, &x->more->members[index], FL_MATCH_TYPE, "C2");
}

/* after_all, and create_token, which joins none */
fl_status fl_infer_after_all(const fl_program *p, const fl_op *op, fl_type *out)
{
    fl_type token = {.kind = FL_TYPE_TOKEN};
    for (uint32_t i = 0; i < op->operand_count; i++)
        FL_TRY(fl_need_token(fl_operand_type(p, op, i), "an operand", "I1"));
    return fl_settle(out, &token, FL_MATCH_TYPE, "a token");
}
