/* What regions of an operation use of the values around it: operands that do not stand in its list. */
#include "cpu/plan/graph.h"

typedef struct captures {
    const fl_program *program;
    uint32_t *stamps, inside, seen; /* marks of values that the regions define, of captured ones */
    fl_ref *refs;
    uint32_t count, uses;
} captures;

static void define(captures *c, fl_ref first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) c->stamps[first + i] = c->inside;
}

static void define_block(captures *c, const fl_block *block)
{
    define(c, block->first_arg, block->arg_count);
    c->uses += block->result_count;
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        c->uses += op->operand_count;
        define(c, op->first_result, op->result_count);
        for (uint32_t r = 0; r < op->region_count; r++) define_block(c, op->regions[r]);
    }
}

static void add(captures *c, const fl_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *stamp = &c->stamps[refs[i]];
        if (*stamp == c->inside || *stamp == c->seen) continue;
        *stamp = c->seen;
        c->refs[c->count++] = refs[i];
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

fl_status fl_captures(const fl_graph *graph, const fl_op *op, fl_ref **out, uint32_t *out_count)
{
    static fl_ref none[1];
    captures c = {.program = graph->program, .stamps = graph->stamps};
    *out = none;
    *out_count = 0;
    if (!op->region_count) return NULL;
    c.inside = ++*graph->stamp;
    c.seen = ++*graph->stamp;
    for (uint32_t i = 0; i < op->region_count; i++) define_block(&c, op->regions[i]);
    c.refs = FL_NEW_ARRAY(graph->arena, fl_ref, c.uses + 1);
    FL_CHECK(c.refs, FL_OOM, "out of memory while planning");
    for (uint32_t i = 0; i < op->region_count; i++) walk(&c, op->regions[i]);
    *out = c.refs;
    *out_count = c.count;
    return NULL;
}
