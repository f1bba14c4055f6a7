/* Control flow, and what only passes values on. */
#include "opt/partition.h"

fl_status fl_partition_block(fl_partitioner *p, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        FL_TRY(fl_status_prefix(fl_partition_op(p, op), "%s.%s", fl_op_infos[op->code].dialect,
                                fl_op_infos[op->code].name));
        if (p->b.status) return NULL;
    }
    return NULL;
}

/* A region whose results are spread as those of the operation. */
static fl_block *region(fl_partitioner *p, const fl_op *op, const fl_block *from, int carries)
{
    fl_type *types = fl_partition_alloc(p, from->arg_count, sizeof *types);
    fl_ref *results = fl_partition_alloc(p, from->result_count, sizeof *results);
    static const fl_spread whole;
    if (!types || !results) return NULL;
    for (uint32_t i = 0; i < from->arg_count; i++)
        types[i] =
            fl_partition_share(p, from->first_arg + i, fl_graph_spread(&p->graph, from->first_arg + i));
    fl_block *to = fl_region_begin(&p->b, types, from->arg_count);
    if (!to) return NULL;
    for (uint32_t i = 0; i < from->arg_count; i++) p->map[from->first_arg + i] = to->first_arg + i;
    fl_status s = fl_partition_block(p, from);
    if (s) fl_builder_fail(&p->b, s);
    for (uint32_t i = 0; i < from->result_count && !p->b.status; i++)
        results[i] = fl_partition_get(p, from->results[i],
                                      carries ? fl_graph_spread(&p->graph, op->first_result + i) : &whole);
    fl_region_end(&p->b, to, results, from->result_count);
    return to;
}

/* The values that come in with the operation's results are spread as those; a condition is whole, so that all partitions go the
 * same way. */
static void with_regions(fl_partitioner *p, const fl_op *op)
{
    static const fl_spread whole;
    int loop = op->code == FL_OP_while;
    fl_ref *operands = fl_partition_alloc(p, op->operand_count, sizeof *operands);
    fl_type *types = fl_partition_alloc(p, op->result_count, sizeof *types);
    fl_block **regions = fl_partition_alloc(p, op->region_count, sizeof *regions);
    if (!operands || !types || !regions) return;
    for (uint32_t i = 0; i < op->operand_count; i++)
        operands[i] = fl_partition_get(p, op->operands[i],
                                       loop ? fl_graph_spread(&p->graph, op->first_result + i) : &whole);
    for (uint32_t i = 0; i < op->result_count; i++)
        types[i] =
            fl_partition_share(p, op->first_result + i, fl_graph_spread(&p->graph, op->first_result + i));
    for (uint32_t i = 0; i < op->region_count; i++)
        regions[i] = region(p, op, op->regions[i], !loop || i == 1);
    fl_ref first = fl_build_typed(&p->b, (fl_opcode)op->code, operands, op->operand_count, op->attrs,
                                  op->attr_count, regions, op->region_count, types, op->result_count);
    fl_op *made = op->extra ? fl_last_op(&p->b) : NULL;
    if (made) made->extra = fl_partition_keep_extra(p, op->extra);
    for (uint32_t i = 0; i < op->result_count; i++) p->map[op->first_result + i] = first + i;
}

static void barrier(fl_partitioner *p, const fl_op *op)
{
    fl_ref *operands = fl_partition_alloc(p, op->operand_count, sizeof *operands);
    if (!operands) return;
    for (uint32_t i = 0; i < op->operand_count; i++)
        operands[i] = fl_partition_get(p, op->operands[i], fl_graph_spread(&p->graph, op->first_result + i));
    fl_ref first = fl_build(&p->b, FL_OP_optimization_barrier, operands, op->operand_count, op->attrs,
                            op->attr_count, NULL, 0);
    for (uint32_t i = 0; i < op->result_count; i++) p->map[op->first_result + i] = first + i;
}

/* The same value, spread as the graph says of the other one. */
static void pass_on(fl_partitioner *p, fl_ref from, fl_ref to)
{
    const fl_version *waits = p->pending[from];
    if (waits)
        fl_partition_define(p, to, waits->ref, &waits->spread);
    else
        fl_partition_define(p, to, p->map[from], fl_graph_spread(&p->graph, from));
}

static fl_status inline_named(fl_partitioner *p, const fl_op *op)
{
    const fl_block *body = op->regions[0];
    for (uint32_t i = 0; i < op->operand_count; i++)
        p->map[body->first_arg + i] = fl_partition_own(p, op->operands[i]);
    FL_TRY(fl_partition_block(p, body));
    for (uint32_t i = 0; i < op->result_count && !p->b.status; i++)
        pass_on(p, body->results[i], op->first_result + i);
    return NULL;
}

/* The manual axes of a place outside, then the others of the value inside. */
static fl_spread outside(const fl_partitioner *p, const fl_manual *manual, uint32_t node, fl_ref inside)
{
    const fl_spread *place = &p->graph.nodes[node].spread, *free = fl_graph_spread(&p->graph, inside);
    fl_spread spread = {.partial = (uint16_t)((place->partial & manual->axes) | free->partial)};
    for (int i = 0; i < place->count; i++)
        if (manual->axes >> place->at[i].axis & 1)
            fl_spread_add(&spread, place->at[i].dim, place->at[i].axis);
    for (int i = 0; i < free->count; i++) fl_spread_add(&spread, free->at[i].dim, free->at[i].axis);
    return spread;
}

/* A partition's share outside is its value inside. */
static fl_status inline_manual(fl_partitioner *p, const fl_op *op)
{
    const fl_block *body = op->regions[0];
    const fl_manual *manual = fl_find_manual(p->shardings, op, &p->last_manual);
    FL_CHECK(manual, FL_INTERNAL, "expected shardings of its operands and results");
    uint32_t node = p->graph.manual_nodes[p->last_manual];
    for (uint32_t i = 0; i < op->operand_count && !p->b.status; i++) {
        fl_spread spread = outside(p, manual, node + i, body->first_arg + i);
        p->map[body->first_arg + i] = fl_partition_get(p, op->operands[i], &spread);
    }
    uint16_t manual_before = p->manual;
    p->manual |= manual->axes;
    FL_TRY(fl_partition_block(p, body));
    p->manual = manual_before;
    for (uint32_t i = 0; i < op->result_count && !p->b.status; i++) {
        fl_spread spread = outside(p, manual, node + op->operand_count + i, body->results[i]);
        fl_partition_define(p, op->first_result + i, fl_partition_own(p, body->results[i]), &spread);
    }
    return NULL;
}

fl_status fl_partition_control(fl_partitioner *p, const fl_op *op, int *done)
{
    *done = 1;
    switch (op->code) {
    case FL_OP_while:
    case FL_OP_if:
    case FL_OP_case: with_regions(p, op); break;
    case FL_OP_optimization_barrier: barrier(p, op); break;
    case FL_OP_propagation_barrier: pass_on(p, op->operands[0], op->first_result); break;
    case FL_OP_sharding_group: break;
    case FL_OP_named_computation: return inline_named(p, op);
    case FL_OP_manual_computation: return inline_manual(p, op);
    default:
        *done = fl_op_places(op);
        if (*done) pass_on(p, op->operands[0], op->first_result);
    }
    return NULL;
}
