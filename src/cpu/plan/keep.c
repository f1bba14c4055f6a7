/* A plan outlives the program it was made from: what its library steps need of it is copied into the plan's arena, that is,
 * the operation with its attributes and regions, the numbers among its operands, and the types of the values that it names. These
 * are numbered anew: plans are kept for every size, and have few library steps beside the values that loops compute. */
#include "cpu/plan/planner.h"

#include <string.h>

typedef struct keeper {
    fl_arena *arena;
    const fl_program *from;
    fl_program *to;
    fl_ref *map; /* of the values of `from` */
} keeper;

static fl_block *keep_block(keeper *k, const fl_block *block);

static int reserve(keeper *k, uint32_t more)
{
    fl_program *to = k->to;
    if (to->def_count + more <= to->def_capacity) return 1;
    const uint32_t capacity = 2 * to->def_capacity + more + 64;
    fl_def *defs = FL_NEW_ARRAY(k->arena, fl_def, capacity);
    if (!defs) return 0;
    if (to->defs) memcpy(defs, to->defs, to->def_count * sizeof *defs);
    to->defs = defs;
    to->def_capacity = capacity;
    return 1;
}

/* The number of a value; those of one operation or block follow on one another. FL_NO_REF: out of memory. */
static fl_ref number(keeper *k, fl_ref value)
{
    if (k->map[value]) return k->map[value];
    const fl_def *def = &k->from->defs[value];
    fl_ref first = def->op ? def->op->first_result : def->block ? def->block->first_arg : value;
    uint32_t count = def->op ? def->op->result_count : def->block ? def->block->arg_count : 1;
    if (!reserve(k, count)) return FL_NO_REF;
    for (uint32_t i = 0; i < count; i++) {
        fl_def *copy = &k->to->defs[k->to->def_count];
        *copy = k->from->defs[first + i];
        copy->op = NULL;
        copy->block = NULL;
        k->map[first + i] = k->to->def_count++;
    }
    return k->map[value];
}

/* NULL: out of memory. */
static fl_ref *numbers(keeper *k, const fl_ref *values, uint32_t count)
{
    fl_ref *to = FL_NEW_ARRAY(k->arena, fl_ref, count + 1);
    for (uint32_t i = 0; to && i < count; i++)
        if (!(to[i] = number(k, values[i]))) return NULL;
    return to;
}

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
static fl_op *keep_op(keeper *k, const fl_op *op)
{
    fl_op *copy = fl_arena_copy(k->arena, op, sizeof *op);
    if (!copy) return NULL;
    copy->extra = NULL; /* custom calls alone look at it */
    if (op->extra && op->code == FL_OP_custom_call && !(copy->extra = fl_literal_keep(k->arena, op->extra)))
        return NULL;
    copy->operands = numbers(k, op->operands, op->operand_count);
    copy->attrs = FL_NEW_ARRAY(k->arena, fl_attr, op->attr_count + 1);
    copy->regions = FL_NEW_ARRAY(k->arena, fl_block *, op->region_count + 1);
    if (!copy->operands || !copy->attrs || !copy->regions) return NULL;
    if (op->result_count && !(copy->first_result = number(k, op->first_result))) return NULL;
    if (op->attr_count) memcpy(copy->attrs, op->attrs, op->attr_count * sizeof *op->attrs);
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (!keep_attr(k->arena, &copy->attrs[i])) return NULL;
    for (uint32_t i = 0; i < op->region_count; i++)
        if (!(copy->regions[i] = keep_block(k, op->regions[i]))) return NULL;
    return copy;
}

static fl_block *keep_block(keeper *k, const fl_block *block)
{
    fl_block *copy = fl_arena_copy(k->arena, block, sizeof *block);
    if (!copy) return NULL;
    copy->parent = NULL;
    copy->op_capacity = block->op_count;
    if (block->arg_count && !(copy->first_arg = number(k, block->first_arg))) return NULL;
    copy->ops = FL_NEW_ARRAY(k->arena, fl_op *, block->op_count + 1);
    if (!copy->ops) return NULL;
    for (uint32_t i = 0; i < block->op_count; i++)
        if (!(copy->ops[i] = keep_op(k, block->ops[i]))) return NULL;
    copy->results = numbers(k, block->results, block->result_count);
    return copy->results ? copy : NULL;
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

static fl_status begin(fl_planner *p, keeper *k)
{
    fl_planning *all = p->all;
    *k = (keeper){.arena = &all->plan->arena, .from = p->graph.program};
    if (!all->kept) {
        all->kept = FL_NEW(k->arena, fl_program);
        all->kept_map = FL_NEW_ARRAY(p->graph.arena, fl_ref, k->from->def_count);
        FL_CHECK(all->kept && all->kept_map, FL_OOM, "out of memory while planning");
        all->kept->name = all->plan->name;
        all->kept->def_count = 1; /* none has the number FL_NO_REF */
    }
    k->to = all->kept;
    k->map = all->kept_map;
    return NULL;
}

fl_status fl_keep_op(fl_planner *p, const fl_op *op, const fl_ref *captured, uint32_t captured_count,
                     const fl_op **out, const fl_ref **out_captured)
{
    keeper k;
    FL_TRY(begin(p, &k));
    fl_op *copy = keep_op(&k, op);
    FL_CHECK(copy && (*out_captured = numbers(&k, captured, captured_count)), FL_OOM,
             "out of memory while planning");
    define(k.to, copy, NULL);
    /* kernels look at constant numbers, whether an initial value is the identity, and at what counts places */
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_op *source = k.from->defs[op->operands[i]].op;
        const int is_number = source && source->code == FL_OP_constant &&
                              fl_type_bytes(fl_type_of(k.from, op->operands[i])) <= 16;
        if (!is_number && (!source || source->code != FL_OP_iota)) continue;
        fl_op *kept = keep_op(&k, source);
        FL_CHECK(kept, FL_OOM, "out of memory while planning");
        define(k.to, kept, NULL);
    }
    *out = copy;
    return NULL;
}
