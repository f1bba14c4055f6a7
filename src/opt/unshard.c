/* A program for one partition: operations of sdy are the identity there, and go. */
#include "opt/opt.h"

#include <stdlib.h>
#include <string.h>

static int is_sdy(const fl_op *op)
{
    return op->code >= FL_OP_manual_computation && op->code <= FL_OP_sharding_group;
}

static int block_has_sdy(const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        if (is_sdy(op)) return 1;
        for (uint32_t k = 0; k < op->region_count; k++)
            if (block_has_sdy(op->regions[k])) return 1;
    }
    return 0;
}

int fl_program_has_sdy(const fl_program *program)
{
    for (uint32_t i = 0; i < program->func_count; i++)
        if (block_has_sdy(program->funcs[i]->body)) return 1;
    return 0;
}

typedef struct unsharder {
    fl_program *program;
    fl_ref *map; /* what stands for a value; 0: itself */
    fl_op **ops; /* of the block that is made now and of those around it */
    uint32_t count, capacity;
} unsharder;

static fl_status push(unsharder *u, fl_op *op)
{
    if (u->count == u->capacity) {
        uint32_t capacity = 2 * u->capacity + 64;
        fl_op **ops = realloc(u->ops, capacity * sizeof *ops);
        FL_CHECK(ops, FL_OOM, "out of host memory");
        u->ops = ops;
        u->capacity = capacity;
    }
    u->ops[u->count++] = op;
    return NULL;
}

static fl_ref now(const unsharder *u, fl_ref r)
{
    return u->map[r] ? u->map[r] : r;
}

static void update(const unsharder *u, fl_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) refs[i] = now(u, refs[i]);
}

/* `value` is `as`, if it has the same type there. */
static fl_status stand_for(unsharder *u, fl_ref value, fl_ref as)
{
    char a[160], b[160];
    const fl_type *from = fl_type_of(u->program, value), *to = fl_type_of(u->program, as);
    FL_CHECK(fl_type_equal(from, to), FL_INVALID,
             "expected a program for one partition, got both %s and %s for one value",
             fl_type_text(from, a, sizeof a), fl_type_text(to, b, sizeof b));
    u->map[value] = as;
    return NULL;
}

static fl_status walk(unsharder *u, fl_block *block, fl_block *into);

static fl_status walk_op(unsharder *u, fl_op *op, fl_block *into)
{
    update(u, op->operands, op->operand_count);
    if (op->code == FL_OP_sharding_group) return NULL;
    if (op->code == FL_OP_manual_computation || op->code == FL_OP_named_computation) {
        fl_block *body = op->regions[0];
        for (uint32_t i = 0; i < op->operand_count; i++)
            FL_TRY(stand_for(u, body->first_arg + i, op->operands[i]));
        FL_TRY(walk(u, body, into));
        for (uint32_t i = 0; i < op->result_count; i++)
            FL_TRY(stand_for(u, op->first_result + i, now(u, body->results[i])));
        return NULL;
    }
    if (is_sdy(op)) return stand_for(u, op->first_result, op->operands[0]);
    for (uint32_t k = 0; k < op->region_count; k++) {
        uint32_t base = u->count;
        op->regions[k]->parent = into;
        FL_TRY(walk(u, op->regions[k], op->regions[k]));
        uint32_t count = u->count - base;
        fl_op **ops = fl_arena_copy(&u->program->arena, u->ops + base, count * sizeof *ops);
        FL_CHECK(ops, FL_OOM, "out of host memory");
        op->regions[k]->ops = ops;
        op->regions[k]->op_count = op->regions[k]->op_capacity = count;
        u->count = base;
    }
    for (uint32_t i = 0; i < op->result_count; i++) u->program->defs[op->first_result + i].block = into;
    return push(u, op);
}

/* Pushes the operations of `block`, which become those of `into`. */
static fl_status walk(unsharder *u, fl_block *block, fl_block *into)
{
    for (uint32_t i = 0; i < block->op_count; i++) FL_TRY(walk_op(u, block->ops[i], into));
    update(u, block->results, block->result_count);
    return NULL;
}

static fl_status unshard(unsharder *u)
{
    FL_CHECK(u->map, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < u->program->func_count; i++) {
        fl_block *body = u->program->funcs[i]->body;
        u->count = 0;
        FL_TRY(walk(u, body, body));
        fl_op **ops = fl_arena_copy(&u->program->arena, u->ops, u->count * sizeof *ops);
        FL_CHECK(ops, FL_OOM, "out of host memory");
        body->ops = ops;
        body->op_count = body->op_capacity = u->count;
    }
    return NULL;
}

fl_status fl_program_unshard(fl_program *program)
{
    if (!fl_program_has_sdy(program)) return NULL;
    unsharder u = {.program = program, .map = calloc(program->def_count, sizeof *u.map)};
    fl_status status = unshard(&u);
    free(u.map);
    free(u.ops);
    return status;
}
