/* What concerns the functions of a module together: names, calls and their types, and that none calls itself. */
#include "ir/infer.h"

#include <stdlib.h>
#include <string.h>

enum { UNSEEN, ACTIVE, DONE, MOST_CALLS = 1000 };

typedef struct checker {
    const fl_program *program;
    fl_func **sorted; /* by name */
    uint8_t *state;   /* one for each of `sorted` */
} checker;

static int by_name(const void *a, const void *b)
{
    return strcmp((*(fl_func *const *)a)->name, (*(fl_func *const *)b)->name);
}

static fl_status find(const checker *c, const char *name, uint32_t *out)
{
    uint32_t low = 0, high = c->program->func_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(c->sorted[middle]->name, name);
        if (!order) {
            *out = middle;
            return NULL;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return fl_error(FL_INVALID, "expected a function @%s in the module", name);
}

static fl_status check_types(const fl_program *p, const fl_op *op, const fl_func *callee)
{
    FL_CHECK(op->operand_count == callee->body->arg_count, FL_INVALID, "expected %u operands for @%s, got %u",
             callee->body->arg_count, callee->name, op->operand_count);
    FL_CHECK(op->result_count == callee->result_count, FL_INVALID, "expected %u results of @%s, got %u",
             callee->result_count, callee->name, op->result_count);
    for (uint32_t i = 0; i < op->operand_count; i++)
        FL_TRY(fl_need_equal(fl_operand_type(p, op, i), fl_type_of(p, callee->body->first_arg + i), "operand"));
    for (uint32_t i = 0; i < op->result_count; i++)
        FL_TRY(fl_need_equal(fl_type_of(p, op->first_result + i), &callee->result_types[i], "result"));
    return NULL;
}

static fl_status visit(checker *c, uint32_t index, int depth);

static fl_status visit_op(checker *c, const fl_op *op, int depth)
{
    const char *name = op->code == FL_OP_func_call   ? fl_op_string(op, FL_ATTR_callee)
                       : op->code == FL_OP_composite ? fl_op_string(op, FL_ATTR_decomposition)
                                                     : NULL;
    if (!name) return NULL;
    uint32_t callee = 0;
    FL_TRY(find(c, name, &callee));
    FL_TRY(check_types(c->program, op, c->sorted[callee]));
    return visit(c, callee, depth + 1);
}

static fl_status visit_block(checker *c, const fl_block *block, int depth)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        FL_TRY(fl_status_prefix(visit_op(c, op, depth), "%s.%s", fl_op_infos[op->code].dialect,
                                fl_op_infos[op->code].name));
        for (uint32_t k = 0; k < op->region_count; k++) FL_TRY(visit_block(c, op->regions[k], depth));
    }
    return NULL;
}

static fl_status visit(checker *c, uint32_t index, int depth)
{
    if (c->state[index] == DONE) return NULL;
    const fl_func *func = c->sorted[index];
    FL_CHECK(c->state[index] == UNSEEN, FL_INVALID, "expected no function to call itself, but @%s does", func->name);
    FL_CHECK(depth < MOST_CALLS, FL_UNSUPPORTED, "expected calls nested at most %d deep", MOST_CALLS);
    c->state[index] = ACTIVE;
    FL_TRY(visit_block(c, func->body, depth));
    c->state[index] = DONE;
    return NULL;
}

static fl_status check(checker *c)
{
    uint32_t n = c->program->func_count;
    FL_CHECK(c->sorted && c->state, FL_OOM, "out of host memory");
    memcpy(c->sorted, c->program->funcs, n * sizeof *c->sorted);
    qsort(c->sorted, n, sizeof *c->sorted, by_name);
    for (uint32_t i = 1; i < n; i++)
        FL_CHECK(strcmp(c->sorted[i - 1]->name, c->sorted[i]->name), FL_INVALID,
                 "expected functions of different names, got @%s twice", c->sorted[i]->name);
    for (uint32_t i = 0; i < n; i++) FL_TRY(fl_status_prefix(visit(c, i, 0), "@%s", c->sorted[i]->name));
    return NULL;
}

fl_status fl_verify_calls(const fl_program *program)
{
    uint32_t n = program->func_count;
    checker c = {program, malloc((n + 1) * sizeof *c.sorted), calloc(n + 1, 1)};
    fl_status s = check(&c);
    free(c.sorted);
    free(c.state);
    return s;
}
