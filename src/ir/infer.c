#include "ir/infer.h"
#include "ir/text/syntax.h"

#include <string.h>

static fl_infer_fn *const table[FL_OPCODE_COUNT] = {
#define FL_OP(name, dialect, operands, results, traits, infer) [FL_OP_##name] = fl_infer_##infer,
#include "ir/ops.def"
#undef FL_OP
};

uint32_t fl_infer_result_count(const fl_op *op)
{
    if (fl_op_infos[op->code].results >= 0) return (uint32_t)fl_op_infos[op->code].results;
    switch (op->code) {
    case FL_OP_reduce:
    case FL_OP_reduce_window: return op->operand_count / 2;
    case FL_OP_scatter: return op->operand_count ? (op->operand_count - 1u) / 2 : 0;
    case FL_OP_sort:
    case FL_OP_while:
    case FL_OP_all_gather:
    case FL_OP_all_reduce:
    case FL_OP_all_to_all:
    case FL_OP_optimization_barrier: return op->operand_count;
    case FL_OP_collective_broadcast:
    case FL_OP_collective_reduce:
        return op->operand_count - (op->operand_count && fl_op_int(op, FL_ATTR_has_dynamic_root, 0));
    case FL_OP_if:
    case FL_OP_case: return op->region_count ? op->regions[0]->result_count : 0;
    default: return 1;
    }
}

/* Operations that have as many results as is stated; the rule checks. */
static int has_any_results(fl_opcode code)
{
    switch (code) {
    case FL_OP_custom_call:
    case FL_OP_func_call:
    case FL_OP_composite:
    case FL_OP_scan:
    case FL_OP_infeed:
    case FL_OP_recv:
    case FL_OP_async_done:
    case FL_OP_manual_computation:
    case FL_OP_named_computation:
    case FL_OP_run_parallel: return 1;
    default: return 0;
    }
}

/* Tolerances are of the mode TOLERANCE, and no less than 0. */
static fl_status check_accuracy(const fl_op *op)
{
    const fl_literal *l = fl_op_literal(op, FL_ATTR_result_accuracy);
    if (!l) return NULL;
    const fl_literal *atol = fl_literal_get(l, "atol"), *rtol = fl_literal_get(l, "rtol");
    const fl_literal *ulps = fl_literal_get(l, "ulps"), *mode = fl_literal_get(l, "mode");
    double a = atol ? atol->u.f : 0, r = rtol ? rtol->u.f : 0;
    int64_t u = ulps ? ulps->u.i : 0;
    FL_CHECK(a >= 0 && r >= 0 && u >= 0, FL_INVALID,
             "expected atol, rtol and ulps of at least 0 in result_accuracy");
    int tolerates = mode && mode->u.i == 2;
    FL_CHECK(tolerates || (a == 0 && r == 0 && u == 0), FL_INVALID,
             "expected the mode TOLERANCE for tolerances in result_accuracy");
    return NULL;
}

static fl_status infer(const fl_program *p, const fl_op *op, const fl_type *stated, fl_type *results)
{
    const fl_op_info *info = &fl_op_infos[op->code];
    FL_CHECK(info->operands < 0 || info->operands == op->operand_count, FL_INVALID,
             "expected %d operands, got %d", info->operands, op->operand_count);
    FL_CHECK((info->traits & FL_TRAIT_R) || !op->region_count, FL_INVALID, "expected no region, got %d",
             op->region_count);
    uint32_t count = op->result_count, expected = fl_infer_result_count(op);
    FL_CHECK(count == expected || has_any_results((fl_opcode)op->code), FL_INVALID,
             "expected %u results, got %u", expected, count);
    for (uint32_t i = 0; stated && i < count; i++) FL_TRY(fl_need_value_type(&stated[i]));
    if (stated && count)
        memcpy(results, stated, count * sizeof *results);
    else
        memset(results, 0, count * sizeof *results);
    FL_TRY(check_accuracy(op));
    FL_TRY(table[op->code](p, op, results));
    for (uint32_t i = 0; !stated && i < count; i++) FL_TRY(fl_need_value_type(&results[i]));
    return NULL;
}

fl_status fl_infer_op(const fl_program *program, const fl_op *op, const fl_type *stated, fl_type *results)
{
    FL_CHECK(op->code > FL_OP_NONE && op->code < FL_OPCODE_COUNT, FL_INVALID, "unknown operation %d",
             op->code);
    fl_status s = infer(program, op, stated, results);
    if (!s) return NULL;
    return fl_status_prefix(s, "%s", fl_syntax_name((fl_opcode)op->code));
}
