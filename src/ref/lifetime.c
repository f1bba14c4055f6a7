/* Gives the buffers of large values back after their last use. Only those that the body of a function
 * defines: regions run many times, and use their buffers again. */
#include "ref/interp.h"

#include <stdlib.h>

enum { LARGE = 1 << 16 }; /* bytes from which it is worth while */

static const uint32_t never = UINT32_MAX; /* not before the function returns */

/* Operation number `at` of a function's body uses what this operation, or one in its regions, uses. */
static void note_uses(uint32_t *last, const fl_op *op, uint32_t at)
{
    for (uint32_t k = 0; k < op->operand_count; k++)
        if (last[op->operands[k]] != never) last[op->operands[k]] = at;
    for (uint32_t g = 0; g < op->region_count; g++) {
        const fl_block *block = op->regions[g];
        for (uint32_t i = 0; i < block->op_count; i++) note_uses(last, block->ops[i], at);
        for (uint32_t k = 0; k < block->result_count; k++)
            if (last[block->results[k]] != never) last[block->results[k]] = at;
    }
}

/* What a region defines, its arguments and results, keeps its buffer. */
static void keep_regions(uint32_t *last, const fl_op *op)
{
    for (uint32_t g = 0; g < op->region_count; g++) {
        const fl_block *block = op->regions[g];
        for (uint32_t k = 0; k < block->arg_count; k++) last[block->first_arg + k] = never;
        for (uint32_t i = 0; i < block->op_count; i++) {
            for (uint32_t k = 0; k < block->ops[i]->result_count; k++)
                last[block->ops[i]->first_result + k] = never;
            keep_regions(last, block->ops[i]);
        }
    }
}

/* last[value]: the operation of the body after which it is not needed; NULL when memory is exhausted: all
 * is kept then. */
uint32_t *fl_lifetimes(const fl_program *program)
{
    uint32_t *last = calloc(program->def_count + 1u, sizeof *last);
    for (uint32_t f = 0; last && f < program->func_count; f++) {
        const fl_block *body = program->funcs[f]->body;
        if (program->funcs[f]->is_declaration) continue;
        for (uint32_t k = 0; k < body->arg_count; k++) last[body->first_arg + k] = never;
        for (uint32_t k = 0; k < body->result_count; k++) last[body->results[k]] = never;
        for (uint32_t i = 0; i < body->op_count; i++) {
            const fl_op *op = body->ops[i];
            for (uint32_t k = 0; k < op->result_count; k++)
                if (last[op->first_result + k] != never) last[op->first_result + k] = i;
            keep_regions(last, op);
            note_uses(last, op, i);
        }
    }
    return last;
}

static void give_back(fl_interp *in, fl_session *session, fl_ref r, uint32_t at)
{
    if (session->last[r] != at || !in->owned[r]) return;
    size_t bytes = fl_reference_bytes(fl_type_of(in->program, r));
    if (bytes < LARGE) return;
    free(in->data[r]);
    in->data[r] = NULL;
    in->owned[r] = 0;
    session->bytes -= bytes;
}

static void give_back_operands(fl_interp *in, fl_session *session, const fl_op *op, uint32_t at)
{
    for (uint32_t k = 0; k < op->operand_count; k++) give_back(in, session, op->operands[k], at);
    for (uint32_t g = 0; g < op->region_count; g++) {
        const fl_block *block = op->regions[g];
        for (uint32_t i = 0; i < block->op_count; i++) give_back_operands(in, session, block->ops[i], at);
        for (uint32_t k = 0; k < block->result_count; k++) give_back(in, session, block->results[k], at);
    }
}

void fl_end_lifetimes(fl_interp *in, fl_session *session, const fl_op *op, uint32_t at)
{
    if (!session->last) return;
    for (uint32_t k = 0; k < op->result_count; k++) give_back(in, session, op->first_result + k, at);
    give_back_operands(in, session, op, at);
}

void fl_end_results(fl_interp *in, fl_session *session, const fl_block *body)
{
    for (uint32_t k = 0; session->last && k < body->result_count; k++)
        give_back(in, session, body->results[k], never);
}
