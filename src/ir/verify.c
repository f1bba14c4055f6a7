/* The verifier: structure (every value defined once and before its use, regions nested properly) here; each
 * operation by inferring its results again and comparing. */
#include "ir/infer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 100 };

typedef struct verifier {
    const fl_program *program;
    uint8_t *visible; /* one for each value: 1 in scope here, 2 was in scope in a region that has ended */
    fl_type *types;   /* room for the results of one operation, as inferred and as stated */
    uint32_t type_capacity;
    int calls; /* there are some */
} verifier;

static fl_status define(verifier *v, const fl_block *block, const fl_op *op, fl_ref first, uint32_t count)
{
    const fl_program *p = v->program;
    FL_CHECK(!count || (first != FL_NO_REF && first < p->def_count && count <= p->def_count - first),
             FL_INVALID, "values %u to %u are not in the program", first, first + count);
    for (uint32_t i = 0; i < count; i++) {
        const fl_def *d = &p->defs[first + i];
        FL_CHECK(!v->visible[first + i], FL_INVALID, "value %u is defined twice", first + i);
        FL_CHECK(d->op == op && d->block == block && d->index == i, FL_INVALID,
                 "value %u does not belong to what defines it", first + i);
        v->visible[first + i] = 1;
    }
    return NULL;
}

static void end_scope(verifier *v, fl_ref first, uint32_t count)
{
    if (count) memset(v->visible + first, 2, count);
}

static fl_status use(const verifier *v, const fl_ref *refs, uint32_t count, const char *what)
{
    for (uint32_t i = 0; i < count; i++)
        FL_CHECK(refs[i] < v->program->def_count && v->visible[refs[i]] == 1, FL_INVALID,
                 "%s %u (value %u) is not defined before its use", what, i, refs[i]);
    return NULL;
}

static fl_status verify_block(verifier *v, const fl_block *block, const fl_block *parent, int depth);

static fl_status verify_parts(verifier *v, const fl_block *block, const fl_op *op, int depth)
{
    FL_TRY(use(v, op->operands, op->operand_count, "operand"));
    for (uint32_t i = 0; i < op->attr_count; i++)
        FL_CHECK(op->attrs[i].key > FL_ATTR_NONE && op->attrs[i].key < FL_ATTR_COUNT, FL_INVALID,
                 "unknown attribute %d", op->attrs[i].key);
    for (uint32_t i = 0; i < op->region_count; i++) FL_TRY(verify_block(v, op->regions[i], block, depth + 1));
    uint32_t count = op->result_count, fixed = (uint32_t)fl_op_infos[op->code].results;
    FL_CHECK(fl_op_infos[op->code].results < 0 || count == fixed, FL_INVALID, "expected %u results, got %u",
             fixed, count);
    if (count > v->type_capacity) {
        fl_type *types = realloc(v->types, 2 * (size_t)count * sizeof *types);
        FL_CHECK(types, FL_OOM, "out of host memory");
        v->types = types;
        v->type_capacity = count;
    }
    return NULL;
}

static fl_status verify_op(verifier *v, const fl_block *block, const fl_op *op, int depth)
{
    FL_CHECK(op->code > FL_OP_NONE && op->code < FL_OPCODE_COUNT, FL_INVALID, "unknown operation %d",
             op->code);
    fl_status s = verify_parts(v, block, op, depth);
    if (!s) s = define(v, block, op, op->first_result, op->result_count);
    if (s) return fl_status_prefix(s, "%s.%s", fl_op_infos[op->code].dialect, fl_op_infos[op->code].name);
    uint32_t n = op->result_count;
    v->calls |= op->code == FL_OP_func_call || op->code == FL_OP_composite || op->code == FL_OP_run_parallel;
    for (uint32_t i = 0; i < n; i++) v->types[n + i] = *fl_type_of(v->program, op->first_result + i);
    return fl_infer_op(v->program, op, v->types + n, v->types);
}

static fl_status verify_block(verifier *v, const fl_block *block, const fl_block *parent, int depth)
{
    FL_CHECK(depth < MOST_DEPTH, FL_UNSUPPORTED, "expected regions nested at most %d deep", MOST_DEPTH);
    FL_CHECK(block->parent == parent, FL_INVALID, "a region belongs to another block");
    FL_TRY(define(v, block, NULL, block->first_arg, block->arg_count));
    for (uint32_t i = 0; i < block->arg_count; i++)
        FL_TRY(fl_need_value_type(fl_type_of(v->program, block->first_arg + i)));
    for (uint32_t i = 0; i < block->op_count; i++) FL_TRY(verify_op(v, block, block->ops[i], depth));
    FL_TRY(use(v, block->results, block->result_count, "result"));
    if (!depth) return NULL;
    end_scope(v, block->first_arg, block->arg_count);
    for (uint32_t i = 0; i < block->op_count; i++)
        end_scope(v, block->ops[i]->first_result, block->ops[i]->result_count);
    return NULL;
}

static fl_status verify_func(verifier *v, const fl_func *func)
{
    const fl_block *body = func->body;
    FL_TRY(verify_block(v, body, NULL, 0));
    FL_CHECK(!func->is_declaration || (!body->op_count && !body->result_count), FL_INVALID,
             "expected no operations in a declaration");
    for (uint32_t i = 0; i < func->result_count; i++) FL_TRY(fl_need_value_type(&func->result_types[i]));
    if (func->is_declaration) return NULL;
    FL_CHECK(func->result_count == body->result_count, FL_INVALID, "expected %u results, got %u",
             func->result_count, body->result_count);
    for (uint32_t i = 0; i < body->result_count; i++)
        FL_TRY(fl_need_match(fl_type_of(v->program, body->results[i]), &func->result_types[i], FL_MATCH_TYPE,
                             "result", "the function's type"));
    return NULL;
}

static fl_status verify_all(verifier *v)
{
    const fl_program *p = v->program;
    FL_CHECK(v->visible && v->types, FL_OOM, "out of host memory");
    memset(v->visible, 0, p->def_count);
    for (uint32_t i = 0; i < p->func_count; i++) {
        FL_TRY(p->func_count == 1 ? verify_func(v, p->funcs[i])
                                  : fl_status_prefix(verify_func(v, p->funcs[i]), "@%s", p->funcs[i]->name));
        const fl_block *body = p->funcs[i]->body; /* nothing of one function is visible in the next */
        end_scope(v, body->first_arg, body->arg_count);
        for (uint32_t k = 0; k < body->op_count; k++)
            end_scope(v, body->ops[k]->first_result, body->ops[k]->result_count);
    }
    return p->func_count == 1 && !v->calls ? NULL : fl_verify_calls(p, NULL);
}

fl_status fl_program_verify(const fl_program *program)
{
    verifier v = {.program = program};
    uint8_t small[512];
    v.visible = program->def_count <= sizeof small ? small : malloc(program->def_count);
    v.types = malloc(8 * sizeof *v.types);
    v.type_capacity = 4;
    fl_status s = verify_all(&v);
    free(v.types);
    if (v.visible != small) free(v.visible);
    return s;
}

static fl_status plain_values(const fl_program *p, fl_ref first, uint32_t count)
{
    char text[160];
    for (uint32_t i = 0; i < count; i++) {
        const fl_type *type = fl_type_of(p, first + i);
        FL_CHECK(fl_type_is_plain(type) || type->kind == FL_TYPE_TOKEN, FL_UNSUPPORTED,
                 "expected static tensors of numbers, got a value of type %s",
                 fl_type_text(type, text, sizeof text));
    }
    return NULL;
}

/* What keeps something from one operation to the next. */
static int is_for_interpreter(const fl_op *op)
{
    switch (op->code) {
    case FL_OP_probe:
    case FL_OP_expect_serialized_eq:
    case FL_OP_infeed: return 1;
    case FL_OP_send:
    case FL_OP_recv: return !fl_op_int(op, FL_ATTR_is_host_transfer, 0);
    default: return 0;
    }
}

static fl_status plain_block(const fl_program *p, const fl_block *block)
{
    FL_TRY(plain_values(p, block->first_arg, block->arg_count));
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        FL_CHECK(op->code != FL_OP_func_call && op->code != FL_OP_composite, FL_UNSUPPORTED,
                 "expected a program without calls, got %s.%s", fl_op_infos[op->code].dialect,
                 fl_op_infos[op->code].name);
        FL_CHECK(strcmp(fl_op_infos[op->code].dialect, "sdy"), FL_UNSUPPORTED,
                 "expected a program that is partitioned, or that is for one partition, got sdy.%s",
                 fl_op_infos[op->code].name);
        FL_CHECK(!is_for_interpreter(op), FL_UNSUPPORTED, "%s.%s is for the reference interpreter",
                 fl_op_infos[op->code].dialect, fl_op_infos[op->code].name);
        FL_TRY(plain_values(p, op->first_result, op->result_count));
        for (uint32_t k = 0; k < op->region_count; k++) FL_TRY(plain_block(p, op->regions[k]));
    }
    return NULL;
}

fl_status fl_program_verify_plain(const fl_program *program)
{
    FL_CHECK(program->func_count == 1, FL_UNSUPPORTED, "expected one function, got %u", program->func_count);
    return plain_block(program, program->main);
}
