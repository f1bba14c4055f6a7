/* What regions of an operation use of the values around it: operands that do not stand in its list. */
#include "cpu/plan/graph.h"

typedef struct captures {
    const fl_program *program;
    const fl_op *op;
    fl_ref *refs;
    uint32_t count, capacity;
} captures;

static int is_inside(const captures *c, fl_ref r)
{
    for (const fl_block *b = c->program->defs[r].block; b; b = b->parent)
        for (uint32_t i = 0; i < c->op->region_count; i++)
            if (b == c->op->regions[i]) return 1;
    return 0;
}

static void add(captures *c, const fl_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        if (is_inside(c, refs[i])) continue;
        while (k < c->count && k < c->capacity && c->refs[k] != refs[i]) k++;
        if (k < c->count && k < c->capacity) continue;
        if (c->count < c->capacity) c->refs[c->count] = refs[i];
        c->count++;
    }
}

static void walk(captures *c, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        add(c, op->operands, op->operand_count);
        for (uint32_t r = 0; r < op->region_count; r++) walk(c, op->regions[r]);
    }
    add(c, block->results, block->result_count);
}

fl_status fl_captures(const fl_program *program, const fl_op *op, fl_arena *arena, fl_ref **out,
                      uint32_t *out_count)
{
    captures c = {program, op, NULL, 0, 0};
    for (uint32_t i = 0; i < op->region_count; i++)
        walk(&c, op->regions[i]); /* as many uses as there are, at most */
    c.capacity = c.count;
    c.count = 0;
    c.refs = FL_NEW_ARRAY(arena, fl_ref, c.capacity + 1);
    FL_CHECK(c.refs, FL_OOM, "out of memory while planning");
    for (uint32_t i = 0; c.capacity && i < op->region_count; i++) walk(&c, op->regions[i]);
    *out = c.refs;
    *out_count = c.count;
    return NULL;
}
