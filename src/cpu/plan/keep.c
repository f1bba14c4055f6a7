/* A plan outlives the program it was made from: what its library steps need of it is copied into the plan's arena, that is,
 * the operation with its attributes and regions, the numbers among its operands, and the types of all values. */
#include "cpu/plan/planner.h"

#include <string.h>

static fl_block *keep_block(fl_arena *arena, const fl_block *block);

static int keep_attr(fl_arena *arena, fl_attr *attr)
{
    size_t bytes = 0;
    switch (fl_attr_infos[attr->key].form) {
    case FL_FORM_INTS: bytes = attr->count * sizeof(int64_t); break;
    case FL_FORM_DENSE: bytes = attr->count; break;
    case FL_FORM_STRING:
    case FL_FORM_SYMBOL: return (attr->u.string = fl_arena_strdup(arena, attr->u.string)) != NULL;
    case FL_FORM_LITERAL: return (attr->u.literal = fl_literal_keep(arena, attr->u.literal)) != NULL;
    default: return 1;
    }
    void *copy = fl_arena_alloc(arena, bytes ? bytes : 1);
    if (!copy) return 0;
    if (bytes) memcpy(copy, attr->u.dense, bytes);
    attr->u.dense = copy;
    return 1;
}

/* NULL: out of memory. */
static fl_op *keep_op(fl_arena *arena, const fl_op *op)
{
    fl_op *copy = fl_arena_copy(arena, op, sizeof *op);
    if (!copy) return NULL;
    copy->extra = NULL; /* custom calls alone look at it */
    if (op->extra && op->code == FL_OP_custom_call && !(copy->extra = fl_literal_keep(arena, op->extra)))
        return NULL;
    copy->operands = FL_NEW_ARRAY(arena, fl_ref, op->operand_count + 1);
    copy->attrs = FL_NEW_ARRAY(arena, fl_attr, op->attr_count + 1);
    copy->regions = FL_NEW_ARRAY(arena, fl_block *, op->region_count + 1);
    if (!copy->operands || !copy->attrs || !copy->regions) return NULL;
    if (op->operand_count) memcpy(copy->operands, op->operands, op->operand_count * sizeof *op->operands);
    if (op->attr_count) memcpy(copy->attrs, op->attrs, op->attr_count * sizeof *op->attrs);
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (!keep_attr(arena, &copy->attrs[i])) return NULL;
    for (uint32_t i = 0; i < op->region_count; i++)
        if (!(copy->regions[i] = keep_block(arena, op->regions[i]))) return NULL;
    return copy;
}

static fl_block *keep_block(fl_arena *arena, const fl_block *block)
{
    fl_block *copy = fl_arena_copy(arena, block, sizeof *block);
    if (!copy) return NULL;
    copy->parent = NULL;
    copy->op_capacity = block->op_count;
    copy->ops = FL_NEW_ARRAY(arena, fl_op *, block->op_count + 1);
    copy->results = FL_NEW_ARRAY(arena, fl_ref, block->result_count + 1);
    if (!copy->ops || !copy->results) return NULL;
    if (block->result_count)
        memcpy(copy->results, block->results, block->result_count * sizeof *block->results);
    for (uint32_t i = 0; i < block->op_count; i++)
        if (!(copy->ops[i] = keep_op(arena, block->ops[i]))) return NULL;
    return copy;
}

/* Definitions found while an operation's regions are walked point to the copies; the others only have their types. */
static void define(fl_program *program, const fl_op *op, const fl_block *within);

static void define_block(fl_program *program, fl_block *block)
{
    for (uint32_t i = 0; i < block->arg_count; i++) {
        fl_def *def = &program->defs[block->first_arg + i];
        def->op = NULL;
        def->block = block;
    }
    for (uint32_t i = 0; i < block->op_count; i++) define(program, block->ops[i], block);
}

static void define(fl_program *program, const fl_op *op, const fl_block *within)
{
    for (uint32_t r = 0; r < op->result_count; r++) {
        program->defs[op->first_result + r].op = (fl_op *)op;
        program->defs[op->first_result + r].block = (fl_block *)within;
    }
    for (uint32_t i = 0; i < op->region_count; i++) define_block(program, op->regions[i]);
}

fl_status fl_keep_op(fl_planner *p, const fl_op *op, const fl_op **out)
{
    fl_arena *arena = &p->all->plan->arena;
    const fl_program *from = p->graph.program;
    if (!p->all->kept) {
        p->all->kept = FL_NEW(arena, fl_program);
        FL_CHECK(p->all->kept, FL_OOM, "out of memory while planning");
        p->all->kept->name = p->all->plan->name;
        p->all->kept->def_count = p->all->kept->def_capacity = from->def_count;
        p->all->kept->defs = fl_arena_copy(arena, from->defs, from->def_count * sizeof *from->defs);
        FL_CHECK(p->all->kept->defs, FL_OOM, "out of memory while planning");
        for (uint32_t i = 0; i < from->def_count; i++)
            p->all->kept->defs[i].op = NULL, p->all->kept->defs[i].block = NULL;
    }
    fl_op *copy = keep_op(arena, op);
    FL_CHECK(copy, FL_OOM, "out of memory while planning");
    define(p->all->kept, copy, NULL);
    /* kernels look at constant numbers, whether an initial value is the identity, and at what counts places */
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_op *source = from->defs[op->operands[i]].op;
        const int is_number = source && source->code == FL_OP_constant &&
                              fl_type_bytes(fl_type_of(from, op->operands[i])) <= 16;
        if (!is_number && (!source || source->code != FL_OP_iota)) continue;
        fl_op *kept = keep_op(arena, source);
        FL_CHECK(kept, FL_OOM, "out of memory while planning");
        define(p->all->kept, kept, NULL);
    }
    *out = copy;
    return NULL;
}
