/* What concerns the functions of a module together: names, calls and their types, and that none calls itself. */
#include "ir/infer.h"
#include "ir/text/syntax.h"

#include <stdlib.h>
#include <string.h>

enum { UNSEEN, ACTIVE, DONE, MOST_CALLS = 1000 };

typedef struct checker {
    const fl_program *program;
    fl_func **sorted;   /* by name */
    uint8_t *state;     /* one for each of `sorted` */
    const fl_op *wrong; /* the innermost call; that of calls around it is not named */
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

/* Operands and results of `op` from *operand and *result on are those of `callee`; moves the two behind them. */
static fl_status check_types(const fl_program *p, const fl_op *op, const fl_func *callee, uint32_t *operand,
                             uint32_t *result, const char *const constraints[2])
{
    uint32_t args = callee->body->arg_count, results = callee->result_count;
    FL_CHECK(op->operand_count - *operand >= args, FL_INVALID, "expected %u operands for @%s, got %u (%s)",
             args, callee->name, op->operand_count - *operand, constraints[0]);
    FL_CHECK(op->result_count - *result >= results, FL_INVALID, "expected %u results of @%s, got %u (%s)",
             results, callee->name, op->result_count - *result, constraints[1]);
    for (uint32_t i = 0; i < args; i++)
        FL_TRY(fl_need_match(fl_operand_type(p, op, *operand + i), fl_type_of(p, callee->body->first_arg + i),
                             FL_MATCH_TYPE, "operand", constraints[0]));
    for (uint32_t i = 0; i < results; i++)
        FL_TRY(fl_need_match(fl_type_of(p, op->first_result + *result + i), &callee->result_types[i],
                             FL_MATCH_TYPE, "result", constraints[1]));
    *operand += args;
    *result += results;
    return NULL;
}

static fl_status check_end(const fl_op *op, uint32_t operand, uint32_t result,
                           const char *const constraints[2])
{
    FL_CHECK(operand == op->operand_count, FL_INVALID, "expected %u operands, got %d (%s)", operand,
             op->operand_count, constraints[0]);
    FL_CHECK(result == op->result_count, FL_INVALID, "expected %u results, got %d (%s)", result,
             op->result_count, constraints[1]);
    return NULL;
}

static fl_status visit(checker *c, uint32_t index, int depth);

static fl_status visit_call(checker *c, const fl_op *op, const char *name, int depth)
{
    static const char *const call_types[] = {"the function's type", "the function's type"};
    static const char *const composite_types[] = {"C3", "C4"};
    const char *const *constraints = op->code == FL_OP_composite ? composite_types : call_types;
    uint32_t callee = 0, operand = 0, result = 0;
    fl_status s = find(c, name, &callee);
    if (s) return op->code == FL_OP_composite ? fl_status_prefix(s, "(C2)") : s;
    FL_TRY(check_types(c->program, op, c->sorted[callee], &operand, &result, constraints));
    FL_TRY(check_end(op, operand, result, constraints));
    return visit(c, callee, depth + 1);
}

/* The operands are the arguments of all programs one after another, so are the results. */
static fl_status visit_parallel(checker *c, const fl_op *op, int depth)
{
    static const char *const types[] = {"the programs' types", "the programs' types"};
    const fl_literal *programs = fl_op_literal(op, FL_ATTR_programs),
                     *infeed = fl_op_literal(op, FL_ATTR_infeed);
    uint32_t callee = 0, operand = 0, result = 0;
    for (uint32_t i = 0; i < programs->count; i++)
        for (uint32_t k = 0; k < programs->u.items[i].count; k++) {
            FL_TRY(find(c, programs->u.items[i].u.items[k].u.string, &callee));
            FL_TRY(check_types(c->program, op, c->sorted[callee], &operand, &result, types));
            FL_TRY(visit(c, callee, depth + 1));
        }
    FL_TRY(check_end(op, operand, result, types));
    for (uint32_t i = 0; infeed && i < infeed->count; i++) {
        FL_TRY(find(c, infeed->u.items[i].u.string, &callee));
        const fl_func *f = c->sorted[callee];
        FL_CHECK(!f->body->arg_count && f->result_count == 1 && f->result_types[0].kind == FL_TYPE_TENSOR,
                 FL_INVALID, "expected @%s to take nothing and return a tensor for infeed", f->name);
        FL_TRY(visit(c, callee, depth + 1));
    }
    return NULL;
}

static fl_status visit_op(checker *c, const fl_op *op, int depth)
{
    switch (op->code) {
    case FL_OP_func_call: return visit_call(c, op, fl_op_string(op, FL_ATTR_callee), depth);
    case FL_OP_composite: return visit_call(c, op, fl_op_string(op, FL_ATTR_decomposition), depth);
    case FL_OP_run_parallel: return visit_parallel(c, op, depth);
    default: return NULL;
    }
}

static fl_status visit_block(checker *c, const fl_block *block, int depth)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        fl_status s = visit_op(c, op, depth);
        if (s && c->wrong) return s;
        if (s) c->wrong = op;
        FL_TRY(fl_status_prefix(s, "%s", fl_syntax_name((fl_opcode)op->code)));
        for (uint32_t k = 0; k < op->region_count; k++) FL_TRY(visit_block(c, op->regions[k], depth));
    }
    return NULL;
}

static fl_status visit(checker *c, uint32_t index, int depth)
{
    if (c->state[index] == DONE) return NULL;
    const fl_func *func = c->sorted[index];
    FL_CHECK(c->state[index] == UNSEEN, FL_INVALID, "expected no function to call itself, but @%s does",
             func->name);
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

fl_status fl_verify_calls(const fl_program *program, const fl_op **out_op)
{
    uint32_t n = program->func_count;
    checker c = {program, malloc((n + 1) * sizeof *c.sorted), calloc(n + 1, 1), NULL};
    fl_status s = check(&c);
    if (out_op) *out_op = c.wrong;
    free(c.sorted);
    free(c.state);
    return s;
}
