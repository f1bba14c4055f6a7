/* Regions of while, if and case become graphs of their own. What a region uses of the values around it is an input of it,
 * in the memory where it is; constants and counts are made again. */
#include "cpu/plan/planner.h"

#include <string.h>

static const char no_memory[] = "out of memory while planning";

static fl_planner *region_planner(fl_graph *around, fl_node *node, const fl_block *block)
{
    fl_planner *p = FL_NEW(around->arena, fl_planner);
    if (!p) return NULL;
    p->all = fl_planner_of(around)->all;
    p->graph = (fl_graph){.program = around->program,
                          .block = block,
                          .around = fl_planner_of(around),
                          .owner = node,
                          .depth = around->depth + 1,
                          .arena = around->arena,
                          .values = around->values,
                          .stamps = around->stamps,
                          .stamp = around->stamp,
                          .fusion = around->fusion,
                          .control = around->control};
    fl_graph_base(&p->graph, FL_BASE_CONSTANT, FL_DTYPE_NONE, 0); /* base 0: none */
    return p->graph.base_count ? p : NULL;
}

/* A new input that lies where `outer` does; 0: out of memory. */
static uint32_t add_input(fl_graph *g, const fl_base *around, uint32_t outer)
{
    uint32_t base = fl_graph_base(g, FL_BASE_INPUT, (fl_dtype)around->dtype, around->elements);
    if (!base) return 0;
    g->bases[base].input = g->input_count++;
    g->bases[base].outer = outer;
    return base;
}

fl_ref fl_origin(const fl_program *program, fl_ref ref)
{
    for (;;) {
        const fl_op *op = program->defs[ref].op;
        if (!op || op->code != FL_OP_while) return ref;
        uint32_t i = ref - op->first_result;
        if (op->regions[1]->results[i] != op->regions[1]->first_arg + i) return ref;
        ref = op->operands[i];
    }
}

static fl_status find_fixed(const fl_graph *g, fl_node *node)
{
    const fl_block *body = node->op->regions[1];
    uint8_t *fixed = FL_NEW_ARRAY(g->arena, uint8_t, body->arg_count + 1);
    FL_CHECK(fixed, FL_OOM, no_memory);
    for (uint32_t i = 0; i < body->arg_count; i++)
        fixed[i] = fl_origin(g->program, body->results[i]) == body->first_arg + i;
    node->fixed = fixed;
    return NULL;
}

/* The state of a loop: the arguments of both regions lie in the memory of its results. */
static fl_status build_arguments(fl_graph *g)
{
    const fl_graph *around = &g->around->graph;
    for (uint32_t i = 0; i < g->block->arg_count; i++) {
        fl_ref ref = g->block->first_arg + i;
        uint32_t outer = g->owner->first_base + i;
        fl_type type = fl_value_type(g->program, ref);
        uint32_t base = add_input(g, &around->bases[outer], outer);
        FL_CHECK(base && fl_view_dense(g, &g->values[ref], base, type.rank, type.dims), FL_OOM, no_memory);
    }
    return NULL;
}

/* From a view in the graph around to one in the region; equal bases become one input. */
static fl_status capture(fl_graph *g, const fl_view *view, int constants, fl_view *out)
{
    fl_base *outer = &g->around->graph.bases[view->base];
    uint32_t base = outer->mark;
    int is_constant = outer->kind == FL_BASE_CONSTANT || outer->kind == FL_BASE_IOTA;
    if (is_constant != constants) return NULL;
    if (!base) {
        if (is_constant) {
            base = fl_graph_base(g, (fl_base_kind)outer->kind, (fl_dtype)outer->dtype, outer->elements);
            FL_CHECK(base, FL_OOM, no_memory);
            g->bases[base].data = outer->data;
            g->bases[base].splat = outer->splat;
            g->bases[base].outer = outer->kind == FL_BASE_CONSTANT ? view->base : 0;
        } else {
            base = add_input(g, outer, view->base);
            FL_CHECK(base, FL_OOM, no_memory);
        }
        outer->mark = base;
    }
    *out = *view;
    out->base = base;
    return NULL;
}

fl_status fl_regions_build(fl_graph *around, fl_node *node, uint32_t captured_count)
{
    const fl_op *op = node->op;
    fl_view *saved = FL_NEW_ARRAY(around->arena, fl_view, captured_count + 1);
    node->regions = FL_NEW_ARRAY(around->arena, fl_planner *, op->region_count + 1);
    FL_CHECK(saved && node->regions, FL_OOM, no_memory);
    if (op->code == FL_OP_while) FL_TRY(find_fixed(around, node));
    for (uint32_t i = 0; node->fixed && i < op->operand_count; i++) {
        if (!node->fixed[i]) continue;
        around->values[op->first_result + i] = node->views[i];
        around->bases[node->first_base + i].elements = 0;
    }
    for (uint32_t i = 0; i < captured_count; i++) saved[i] = around->values[node->captured[i]];
    for (uint32_t k = 0; k < op->region_count; k++) {
        fl_planner *p = region_planner(around, node, op->regions[k]);
        FL_CHECK(p, FL_OOM, no_memory);
        node->regions[k] = p;
        FL_TRY(build_arguments(&p->graph));
        for (uint32_t i = 0; i < captured_count; i++) around->bases[saved[i].base].mark = 0;
        for (uint32_t i = 0; i < op->operand_count; i++) around->bases[node->views[i].base].mark = 0;
        for (int again = 0; again < 2; again++) { /* inputs first: base i + 1 is input i */
            for (uint32_t i = 0; i < captured_count; i++)
                FL_TRY(capture(&p->graph, &saved[i], again, &around->values[node->captured[i]]));
            for (uint32_t i = 0; node->fixed && i < op->operand_count; i++) /* it need not be copied */
                if (node->fixed[i])
                    FL_TRY(capture(&p->graph, &node->views[i], again,
                                   &around->values[op->regions[k]->first_arg + i]));
        }
        p->graph.result_count = op->code == FL_OP_while && k == 0 ? 0 : op->regions[k]->result_count;
        FL_TRY(fl_graph_build_block(&p->graph));
        FL_TRY(fl_fuse(&p->graph, &p->grouping));
    }
    for (uint32_t i = 0; i < captured_count; i++) around->values[node->captured[i]] = saved[i];
    return NULL;
}
