/* Custom calls by which JAX without Shardy says how values are sharded, as operations of sdy: @Sharding is a constraint; and a
 * call whose operands come from @SPMDFullToShardShape and whose results go to @SPMDShardToFullShape is a manual computation.
 * Their shardings stay GSPMD's texts. */
#include "opt/refine.h"

#include <string.h>

static int is_target(const fl_op *op, const char *name)
{
    const char *target = op->code == FL_OP_custom_call ? fl_op_string(op, FL_ATTR_call_target_name) : NULL;
    return target && !strcmp(target, name) && op->operand_count == 1 && op->result_count == 1;
}

static const fl_op *source_of(const fl_refiner *r, fl_ref value)
{
    return r->b.program->defs[value].op;
}

static int is_manual_result(const fl_refiner *r, fl_ref value)
{
    const fl_op *source = source_of(r, value);
    return source && source->code == FL_OP_manual_computation;
}

/* {devices=...}, with unspecified_dims=[...] behind it, which JAX puts where a call has its configuration */
static fl_status text_of(fl_refiner *r, const fl_op *op, fl_literal *out)
{
    const fl_literal *said = fl_literal_get(op->extra, "mhlo.sharding"),
                     *config = fl_op_literal(op, FL_ATTR_backend_config);
    FL_CHECK(said && said->kind == FL_LIT_STRING, FL_INVALID, "expected the attribute mhlo.sharding, a text");
    *out = *said;
    if (!config || config->kind != FL_LIT_STRING || strncmp(config->u.string, "unspecified_dims=", 17))
        return NULL;
    char *text = fl_arena_alloc(&r->scratch, (size_t)said->count + config->count + 2);
    FL_CHECK(text, FL_OOM, "out of host memory");
    memcpy(text, said->u.string, said->count);
    text[said->count] = ' ';
    memcpy(text + said->count + 1, config->u.string, (size_t)config->count + 1);
    *out = (fl_literal){.kind = FL_LIT_STRING, .count = said->count + 1 + config->count, .u.string = text};
    return NULL;
}

/* The constraint that the results of a manual computation are what its call gives: no news. */
static int is_end_of_call(const fl_refiner *r, const fl_op *op, const fl_ref *operands)
{
    const fl_op *source = r->from->defs[op->operands[0]].op;
    return source && source->code == FL_OP_func_call && is_manual_result(r, operands[0]);
}

fl_status fl_refine_gspmd(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    int is_sharding = is_target(op, "Sharding"), is_full = is_target(op, "SPMDShardToFullShape");
    *done = is_sharding || (is_full && is_manual_result(r, operands[0]));
    if (!*done) return NULL;
    const fl_type *type = fl_typeof(&r->b, operands[0]);
    if (is_full || is_end_of_call(r, op, operands) || (type->kind == FL_TYPE_TENSOR && !type->rank)) {
        r->map[op->first_result] = operands[0];
        return NULL;
    }
    fl_literal text;
    FL_TRY(text_of(r, op, &text));
    fl_attr attr = {.key = FL_ATTR_sharding, .u.literal = &text};
    fl_type result = *type;
    r->map[op->first_result] =
        fl_build_typed(&r->b, FL_OP_sharding_constraint, operands, 1, &attr, 1, NULL, 0, &result, 1);
    return NULL;
}

/* ---- manual computations ---- */

int fl_is_gspmd_call(const fl_refiner *r, const fl_op *op, const fl_ref *operands)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_op *source = source_of(r, operands[i]);
        if (source && is_target(source, "SPMDFullToShardShape")) return 1;
    }
    return 0;
}

/* The operation of that name whose operand is `value`, in the block where `value` is made; NULL: none. */
static const fl_op *user_of(const fl_refiner *r, fl_ref value, const char *name)
{
    const fl_block *block = r->from->defs[value].block;
    for (uint32_t i = 0; i < block->op_count; i++)
        if (is_target(block->ops[i], name) && block->ops[i]->operands[0] == value) return block->ops[i];
    return NULL;
}

static const fl_literal replicated = {.kind = FL_LIT_STRING, .count = 12, .u.string = "{replicated}"};

/* Operands as they are outside, their shardings, and the axes that are manual. */
static void outside(fl_refiner *r, const fl_op *op, const fl_ref *operands, fl_ref *out,
                    fl_literal *shardings, const fl_literal **out_axes)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_op *share = source_of(r, operands[i]);
        out[i] = operands[i];
        shardings[i] = replicated;
        if (!share || !is_target(share, "SPMDFullToShardShape")) continue;
        *out_axes = fl_literal_get(share->extra, "mhlo.sharding");
        out[i] = share->operands[0];
        const fl_op *whole = source_of(r, out[i]);
        const fl_literal *said =
            whole && whole->code == FL_OP_sharding_constraint ? fl_op_literal(whole, FL_ATTR_sharding) : NULL;
        if (said && said->kind == FL_LIT_STRING) shardings[i] = *said;
    }
}

/* Results as they are outside; one that nobody takes there is the same on all partitions. */
static fl_status results(fl_refiner *r, const fl_op *op, fl_type *types, fl_literal *shardings)
{
    for (uint32_t i = 0; i < op->result_count; i++) {
        fl_ref value = op->first_result + i;
        const fl_op *share = user_of(r, value, "Sharding"),
                    *whole = user_of(r, share ? share->first_result : value, "SPMDShardToFullShape");
        types[i] = *fl_type_of(r->from, whole ? whole->first_result : value);
        shardings[i] = replicated;
        if (whole) FL_TRY(text_of(r, whole, &shardings[i]));
    }
    return NULL;
}

fl_status fl_refine_gspmd_call(fl_refiner *r, const fl_op *op, const fl_ref *operands, const fl_func *callee)
{
    uint32_t n = op->operand_count, m = op->result_count;
    fl_ref *values = FL_NEW_ARRAY(&r->scratch, fl_ref, n + 1);
    fl_literal *in = FL_NEW_ARRAY(&r->scratch, fl_literal, n + 1),
               *out = FL_NEW_ARRAY(&r->scratch, fl_literal, m + 1);
    fl_type *types = FL_NEW_ARRAY(&r->scratch, fl_type, m + 1);
    const fl_literal *axes = NULL;
    FL_CHECK(values && in && out && types, FL_OOM, "out of host memory");
    outside(r, op, operands, values, in, &axes);
    FL_TRY(results(r, op, types, out));
    FL_CHECK(axes, FL_INVALID, "expected the attribute mhlo.sharding of @SPMDFullToShardShape");
    fl_block *body = fl_refine_region(r, op, operands, callee->body);
    const fl_literal ins = {.kind = FL_LIT_ARRAY, .count = n, .u.items = in},
                     outs = {.kind = FL_LIT_ARRAY, .count = m, .u.items = out};
    const fl_attr attrs[] = {{.key = FL_ATTR_in_shardings, .u.literal = &ins},
                             {.key = FL_ATTR_out_shardings, .u.literal = &outs},
                             {.key = FL_ATTR_manual_axes, .u.literal = axes}};
    fl_ref first = fl_build_typed(&r->b, FL_OP_manual_computation, values, n, attrs, 3, &body, 1, types, m);
    for (uint32_t i = 0; i < m; i++) r->map[op->first_result + i] = first + i;
    return NULL;
}
