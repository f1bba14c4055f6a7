/* Removal of unused operations: one walk backwards, so an operation is seen after all that use it. */
#include "opt/opt.h"

#include <stdlib.h>

static int has_effect(const fl_op *op)
{
    if (op->code == FL_OP_custom_call) return fl_op_int(op, FL_ATTR_has_side_effect, 0) != 0;
    if (fl_op_infos[op->code].traits & FL_TRAIT_S) return 1;
    if (op->code == FL_OP_while) return 1; /* it may not end */
    for (uint32_t i = 0; i < op->region_count; i++)
        for (uint32_t k = 0; k < op->regions[i]->op_count; k++)
            if (has_effect(op->regions[i]->ops[k])) return 1;
    return 0;
}

static int is_used(const fl_op *op, const uint8_t *used)
{
    for (uint32_t i = 0; i < op->result_count; i++)
        if (used[op->first_result + i]) return 1;
    return 0;
}

static void prune_block(fl_block *block, uint8_t *used)
{
    for (uint32_t i = 0; i < block->result_count; i++) used[block->results[i]] = 1;
    uint32_t kept = block->op_count;
    for (uint32_t i = block->op_count; i-- > 0;) {
        fl_op *op = block->ops[i];
        if (!is_used(op, used) && !has_effect(op)) continue;
        for (uint32_t k = 0; k < op->operand_count; k++) used[op->operands[k]] = 1;
        for (uint32_t k = op->region_count; k-- > 0;) prune_block(op->regions[k], used);
        block->ops[--kept] = op;
    }
    for (uint32_t i = kept; i < block->op_count; i++) block->ops[i - kept] = block->ops[i];
    block->op_count -= kept;
}

fl_status fl_program_prune(fl_program *program)
{
    uint8_t *used = calloc(program->def_count, 1);
    FL_CHECK(used, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < program->func_count; i++) prune_block(program->funcs[i]->body, used);
    free(used);
    return NULL;
}
