/* The nodes and rules of a program. */
#include "opt/propagate.h"

#include <stdlib.h>
#include <string.h>

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

/* Doubles an array of the graph's when it is full. */
static int grow(void **array, uint32_t *capacity, uint32_t count, size_t size)
{
    if (count < *capacity) return 1;
    uint32_t more = *capacity ? 2 * *capacity : 64;
    void *a = realloc(*array, more * size);
    if (!a) return 0;
    *array = a;
    *capacity = more;
    return 1;
}

static fl_status add_node(fl_graph *g, const fl_type *type, uint32_t *out)
{
    FL_CHECK(grow((void **)&g->nodes, &g->node_capacity, g->node_count, sizeof *g->nodes), FL_OOM,
             "out of host memory");
    g->nodes[g->node_count] = (fl_node){.type = type};
    *out = g->node_count++;
    return NULL;
}

/* Whether the axes of a sharding divide the dimensions, each axis used once. */
static int fits(const fl_mesh *mesh, const fl_sharding *s, const fl_type *type)
{
    uint32_t used = 0;
    if (s->rank != type->rank || (type->kind != FL_TYPE_TENSOR && type->rank)) return 0;
    for (int d = 0; d < s->rank; d++) {
        int64_t size = type->dims[d];
        for (int k = 0; k < s->count[d]; k++) {
            uint8_t axis = s->axes[d][k];
            if (axis >= mesh->axis_count || used >> axis & 1 || size < 0 || size % mesh->sizes[axis])
                return 0;
            used |= 1u << axis;
            size /= mesh->sizes[axis];
        }
    }
    return !(s->unreduced & used) && !(s->unreduced >> mesh->axis_count);
}

/* What is stated of a node; barred: axes that are manual where it is. */
static fl_status state(fl_graph *g, uint32_t node, const fl_sharding *s, uint32_t barred)
{
    fl_node *n = &g->nodes[node];
    char text[160];
    n->barred = (uint16_t)barred;
    n->open = (uint16_t)((1u << n->type->rank) - 1);
    if (!fl_type_is_static(n->type) || n->type->more) n->open = 0;
    if (!s || !s->stated) return NULL;
    FL_CHECK(fits(g->mesh, s, n->type), FL_INVALID, "expected a sharding that fits %s",
             fl_type_text(n->type, text, sizeof text));
    n->spread = fl_spread_of(s);
    FL_CHECK(!(fl_spread_used(&n->spread) & barred), FL_INVALID,
             "expected no sharding along an axis that is manual");
    n->open &= s->open;
    n->barred |= s->replicated | s->unreduced;
    return NULL;
}

/* ---- rules ---- */

static fl_rule_maker maker_of(const fl_graph *g, const fl_op *op, uint32_t manual)
{
    return (fl_rule_maker){.program = g->program,
                           .op = op,
                           .mesh = g->mesh,
                           .places = g->places,
                           .manual = manual,
                           .pairs = g->pairs,
                           .pair_capacity = g->pair_capacity,
                           .arena = g->arena};
}

/* Pairs by tensor and dimension; those of one dimension stay in order. */
static void fill_tensors(const fl_rule_maker *m, fl_rule *rule, fl_factor_at *at)
{
    uint32_t n = m->pair_count;
    for (uint32_t i = 0; i < n; i++) rule->tensors[m->pairs[i].tensor].count++;
    for (uint32_t t = 0; t < rule->tensor_count; t++) {
        rule->tensors[t].at = at;
        at += rule->tensors[t].count;
        rule->tensors[t].count = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        fl_rule_tensor *tensor = &rule->tensors[m->pairs[i].tensor];
        fl_factor_at *list = (fl_factor_at *)tensor->at;
        uint32_t k = tensor->count++;
        for (; k > 0 && list[k - 1].dim > m->pairs[i].at.dim; k--) list[k] = list[k - 1];
        list[k] = m->pairs[i].at;
    }
}

static fl_status add_rule(fl_graph *g, const fl_rule_maker *m, const uint32_t *nodes, uint32_t count)
{
    FL_CHECK(!m->failed && grow((void **)&g->rules, &g->rule_capacity, g->rule_count, sizeof *g->rules),
             FL_OOM, "out of host memory");
    size_t sizes = m->factor_count * sizeof(int64_t), tensors = count * sizeof(fl_rule_tensor);
    char *memory = fl_arena_zalloc(g->arena, 1, sizes + tensors + m->pair_count * sizeof(fl_factor_at) + 1);
    FL_CHECK(memory, FL_OOM, "out of host memory");
    fl_rule *rule = &g->rules[g->rule_count++];
    *rule = (fl_rule){.op = m->op,
                      .tensor_count = count,
                      .factor_count = m->factor_count,
                      .sizes = (int64_t *)memory,
                      .sums = m->sums,
                      .plain = (uint8_t)m->plain,
                      .tensors = (fl_rule_tensor *)(memory + sizes)};
    memcpy(rule->sizes, m->sizes, sizes);
    for (uint32_t t = 0; t < count; t++) rule->tensors[t].node = nodes[t];
    fill_tensors(m, rule, (fl_factor_at *)(memory + sizes + tensors));
    g->pairs = m->pairs;
    g->pair_capacity = m->pair_capacity;
    if (count * m->factor_count > g->most_lists) g->most_lists = count * m->factor_count;
    return NULL;
}

/* Two nodes of one type that are to be spread alike. */
static fl_status tie(fl_graph *g, uint32_t a, uint32_t b)
{
    fl_rule_maker m = maker_of(g, NULL, 0);
    const fl_type *type = g->nodes[a].type;
    if (a == b || !fl_type_is_static(type) || type->more) return NULL;
    for (int d = 0; d < type->rank; d++) {
        int f = fl_rule_factor(&m, type->dims[d]);
        fl_rule_put(&m, 0, d, f);
        fl_rule_put(&m, 1, d, f);
    }
    m.plain = 1;
    return m.factor_count ? add_rule(g, &m, (uint32_t[]){a, b}, 2) : NULL;
}

static fl_status tie_values(fl_graph *g, fl_ref a, fl_ref b)
{
    return tie(g, g->node_of[a], g->node_of[b]);
}

static fl_status rule_of(fl_graph *g, const fl_op *op, uint32_t manual)
{
    fl_rule_maker m = maker_of(g, op, manual);
    uint32_t few[16], *nodes = few, n = op->operand_count + op->result_count;
    fl_rule_of_op(&m);
    if (n > 16 && !(nodes = FL_NEW_ARRAY(g->arena, uint32_t, n))) return no_memory();
    for (uint32_t i = 0; i < n; i++)
        nodes[i] =
            g->node_of[i < op->operand_count ? op->operands[i] : op->first_result + (i - op->operand_count)];
    return add_rule(g, &m, nodes, n);
}

/* ---- the walk ---- */

static fl_status walk(fl_graph *g, const fl_block *block, uint32_t barred);

static fl_status state_value(fl_graph *g, fl_ref value, uint32_t barred)
{
    const fl_shardings *s = g->shardings;
    return state(g, value, value < s->value_count ? &s->values[value] : NULL, barred);
}

/* A carried value that comes in as a sum, and goes on as one along the same axes, is one in every round. */
static void carry_sum(fl_graph *g, fl_ref before, fl_ref after, fl_ref carried)
{
    const fl_shardings *s = g->shardings;
    uint16_t partial = g->nodes[g->node_of[before]].spread.partial;
    fl_node *to = &g->nodes[g->node_of[carried]];
    if ((carried < s->value_count && s->values[carried].stated) || !partial ||
        partial != g->nodes[g->node_of[after]].spread.partial || fl_spread_used(&to->spread) & partial)
        return;
    to->spread.partial = partial;
    to->barred |= partial;
}

/* A carried value is spread the same way in every round: one node for the result and the arguments of both regions. */
static fl_status walk_while(fl_graph *g, const fl_op *op, uint32_t barred)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t node = g->node_of[op->first_result + i];
        for (int r = 0; r < 2; r++) g->node_of[op->regions[r]->first_arg + i] = node;
        FL_TRY(tie(g, g->node_of[op->operands[i]], node));
    }
    for (int r = 0; r < 2; r++) FL_TRY(walk(g, op->regions[r], barred));
    for (uint32_t i = 0; i < op->operand_count; i++) {
        carry_sum(g, op->operands[i], op->regions[1]->results[i], op->first_result + i);
        FL_TRY(tie_values(g, op->regions[1]->results[i], op->first_result + i));
    }
    return NULL;
}

static fl_status walk_branches(fl_graph *g, const fl_op *op, uint32_t barred)
{
    for (uint32_t r = 0; r < op->region_count; r++) {
        FL_TRY(walk(g, op->regions[r], barred));
        for (uint32_t i = 0; i < op->result_count; i++)
            FL_TRY(tie_values(g, op->regions[r]->results[i], op->first_result + i));
    }
    return NULL;
}

/* The place where an operand or result of a manual computation is spread as that says, and the value inside: of each dimension the
 * manual axes are gone there, the others are left. */
static fl_status tie_manual(fl_graph *g, const fl_manual *manual, uint32_t node, fl_ref inside)
{
    fl_rule_maker m = maker_of(g, NULL, 0);
    const fl_node *n = &g->nodes[node];
    const fl_type *type = fl_type_of(g->program, inside);
    char whole[160], share[160];
    FL_CHECK(type->rank == n->type->rank, FL_INVALID, "expected a share of rank %d, got %d", n->type->rank,
             type->rank);
    for (int d = 0; d < type->rank; d++) {
        int64_t parts = 1;
        fl_axes axes = fl_spread_axes(&n->spread, d);
        for (int i = 0; i < axes.count && manual->axes >> axes.axis[i] & 1; i++)
            parts *= g->mesh->sizes[axes.axis[i]];
        FL_CHECK(n->type->dims[d] == parts * type->dims[d], FL_INVALID, "expected a share of %s, got %s",
                 fl_type_text(n->type, whole, sizeof whole), fl_type_text(type, share, sizeof share));
        int f = fl_rule_factor(&m, type->dims[d]);
        fl_rule_put(&m, 0, d, fl_rule_factor(&m, parts));
        fl_rule_put(&m, 0, d, f);
        fl_rule_put(&m, 1, d, f);
    }
    m.plain = 1;
    return m.factor_count ? add_rule(g, &m, (uint32_t[]){node, g->node_of[inside]}, 2) : NULL;
}

/* Arguments inside are spread as the place outside says, but for the manual axes. */
static void state_argument(fl_graph *g, const fl_manual *manual, uint32_t node, fl_ref arg, uint32_t barred)
{
    fl_node *to = &g->nodes[g->node_of[arg]];
    const fl_node *from = &g->nodes[node];
    *to = (fl_node){.type = to->type, .open = from->open, .barred = (uint16_t)(from->barred | barred)};
    to->spread.partial = from->spread.partial & (uint16_t)~manual->axes;
    for (int i = 0; i < from->spread.count; i++)
        if (!(manual->axes >> from->spread.at[i].axis & 1))
            fl_spread_add(&to->spread, from->spread.at[i].dim, from->spread.at[i].axis);
}

const fl_manual *fl_find_manual(const fl_shardings *s, const fl_op *op, uint32_t *cursor)
{
    for (uint32_t i = 0; i < s->manual_count; i++) {
        *cursor = (*cursor + 1) % s->manual_count;
        if (s->manuals[*cursor].op == op) return &s->manuals[*cursor];
    }
    return NULL;
}

static fl_status walk_manual(fl_graph *g, const fl_op *op, uint32_t barred)
{
    uint32_t node = 0;
    const fl_manual *manual = fl_find_manual(g->shardings, op, &g->last_manual);
    const fl_block *body = op->regions[0];
    FL_CHECK(manual, FL_INVALID, "expected shardings of its operands and results");
    uint32_t index = g->last_manual;
    g->manual_nodes[index] = g->node_count;
    for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
        int in = i < op->operand_count;
        uint32_t k = in ? i : i - op->operand_count;
        fl_ref value = in ? op->operands[i] : op->first_result + k;
        FL_TRY(add_node(g, fl_type_of(g->program, value), &node));
        FL_TRY(state(g, node, in ? &manual->in[k] : &manual->out[k], barred));
        FL_TRY(tie(g, g->node_of[value], node));
    }
    for (uint32_t i = 0; i < op->operand_count; i++) {
        node = g->manual_nodes[index] + i;
        state_argument(g, manual, node, body->first_arg + i, barred | manual->axes);
        FL_TRY(tie_manual(g, manual, node, body->first_arg + i));
    }
    FL_TRY(walk(g, body, barred | manual->axes));
    for (uint32_t i = 0; i < op->result_count; i++)
        FL_TRY(tie_manual(g, manual, g->manual_nodes[index] + op->operand_count + i, body->results[i]));
    return NULL;
}

/* A computation that has a name is what is in it. */
static fl_status walk_named(fl_graph *g, const fl_op *op, uint32_t barred)
{
    const fl_block *body = op->regions[0];
    for (uint32_t i = 0; i < op->operand_count; i++)
        g->node_of[body->first_arg + i] = g->node_of[op->operands[i]];
    FL_TRY(walk(g, body, barred));
    for (uint32_t i = 0; i < op->result_count; i++)
        FL_TRY(tie_values(g, body->results[i], op->first_result + i));
    return NULL;
}

/* The values of a group are spread alike: each as the first one. */
static fl_status join_group(fl_graph *g, const fl_op *op)
{
    int64_t id = fl_op_int(op, FL_ATTR_group_id, 0);
    for (fl_group_head *h = g->groups; h; h = h->next)
        if (h->id == id)
            return fl_type_equal(fl_type_of(g->program, h->value), fl_type_of(g->program, op->operands[0]))
                       ? tie_values(g, h->value, op->operands[0])
                       : NULL;
    fl_group_head *h = FL_NEW(g->arena, fl_group_head);
    FL_CHECK(h, FL_OOM, "out of host memory");
    *h = (fl_group_head){g->groups, id, op->operands[0]};
    g->groups = h;
    return NULL;
}

/* What is called a sum right behind the operation that sums is one from there on. */
static void sum_before(fl_graph *g, fl_ref value, fl_ref called)
{
    const fl_op *op = g->program->defs[value].op;
    const fl_shardings *s = g->shardings;
    uint16_t partial = g->nodes[g->node_of[called]].spread.partial;
    fl_node *node = &g->nodes[g->node_of[value]];
    int sums = op && (op->code == FL_OP_dot_general || op->code == FL_OP_dot ||
                      op->code == FL_OP_convolution || op->code == FL_OP_reduce || op->code == FL_OP_scatter);
    if (!partial || !sums || (value < s->value_count && s->values[value].stated)) return;
    node->spread.partial |= partial;
    node->barred |= partial;
}

static fl_status walk_op(fl_graph *g, const fl_op *op, uint32_t barred)
{
    for (uint32_t i = 0; i < op->result_count; i++) FL_TRY(state_value(g, op->first_result + i, barred));
    switch (op->code) {
    case FL_OP_while: return walk_while(g, op, barred);
    case FL_OP_if:
    case FL_OP_case: return walk_branches(g, op, barred);
    case FL_OP_optimization_barrier:
        for (uint32_t i = 0; i < op->operand_count; i++)
            FL_TRY(tie_values(g, op->operands[i], op->first_result + i));
        return NULL;
    case FL_OP_propagation_barrier: return NULL;
    case FL_OP_sharding_group: return join_group(g, op);
    case FL_OP_named_computation: return walk_named(g, op, barred);
    case FL_OP_manual_computation: return walk_manual(g, op, barred);
    default:
        if (!fl_op_places(op)) return rule_of(g, op, barred);
        sum_before(g, op->operands[0], op->first_result);
        return tie_values(g, op->operands[0], op->first_result);
    }
}

static fl_status walk(fl_graph *g, const fl_block *block, uint32_t barred)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        FL_TRY(fl_status_prefix(walk_op(g, op, barred), "%s.%s", fl_op_infos[op->code].dialect,
                                fl_op_infos[op->code].name));
    }
    return NULL;
}

static fl_status make(fl_graph *g)
{
    const fl_block *main = g->program->main;
    for (uint32_t i = 0; i < main->arg_count; i++)
        FL_TRY(fl_status_prefix(state_value(g, main->first_arg + i, 0), "argument %u", i));
    FL_TRY(walk(g, main, 0));
    g->first_result = g->node_count;
    for (uint32_t i = 0; i < main->result_count; i++) {
        uint32_t node = 0;
        FL_TRY(add_node(g, fl_type_of(g->program, main->results[i]), &node));
        FL_TRY(fl_status_prefix(state(g, node, g->shardings->results ? &g->shardings->results[i] : NULL, 0),
                                "result %u", i));
        FL_TRY(tie(g, g->node_of[main->results[i]], node));
    }
    return NULL;
}

fl_status fl_graph_make(const fl_program *program, const fl_shardings *shardings, fl_arena *arena,
                        fl_graph *out)
{
    uint32_t n = program->def_count;
    *out = (fl_graph){.program = program, .mesh = &shardings->mesh, .arena = arena, .shardings = shardings};
    out->node_capacity = n + 64;
    out->nodes = calloc(out->node_capacity, sizeof *out->nodes);
    out->node_of = FL_NEW_ARRAY(arena, uint32_t, n + 1);
    out->node_count = n;
    out->manual_nodes = FL_NEW_ARRAY(arena, uint32_t, shardings->manual_count + 1);
    out->places = FL_NEW_ARRAY(arena, int64_t, shardings->mesh.count + 1);
    FL_CHECK(out->nodes && out->node_of && out->manual_nodes && out->places, FL_OOM, "out of host memory");
    for (int64_t i = 0; i < shardings->mesh.count; i++)
        out->places[shardings->mesh.partitions ? shardings->mesh.partitions[i] : i] = i;
    for (uint32_t i = 0; i < n; i++) {
        out->node_of[i] = i;
        out->nodes[i].type = &program->defs[i].type;
    }
    return make(out);
}

void fl_graph_free(fl_graph *graph)
{
    free(graph->nodes);
    free(graph->rules);
}
