/* The fixed point: a rule's tensors give each other the axes of the factors they share. */
#include "opt/propagate.h"
#include "opt/split.h"

#include <stdlib.h>
#include <string.h>

void fl_rule_project(const fl_mesh *mesh, const fl_rule *rule, const fl_rule_tensor *tensor,
                     const fl_spread *spread, fl_axes *lists)
{
    for (uint32_t f = 0; f < rule->factor_count; f++) lists[f].count = 0;
    if (!spread->count) return;
    for (uint32_t i = 0; i < tensor->count;) {
        int dim = tensor->at[i].dim, next = 0;
        fl_axes axes = fl_spread_axes(spread, dim);
        int64_t left = 1;
        for (; i < tensor->count && tensor->at[i].dim == dim; i++) {
            if (left > 1) continue; /* the slower factor is not used up */
            int f = tensor->at[i].factor;
            left = rule->sizes[f];
            for (; next < axes.count && left % mesh->sizes[axes.axis[next]] == 0; next++) {
                left /= mesh->sizes[axes.axis[next]];
                fl_axes_push(&lists[f], axes.axis[next]);
            }
        }
    }
}

fl_spread fl_rule_spread(const fl_mesh *mesh, const fl_rule *rule, const fl_rule_tensor *tensor,
                         const fl_axes *lists)
{
    fl_spread spread = {0};
    for (uint32_t i = 0; i < tensor->count;) {
        int dim = tensor->at[i].dim;
        int64_t left = 1;
        for (; i < tensor->count && tensor->at[i].dim == dim; i++) {
            const fl_axes *list = &lists[tensor->at[i].factor];
            if (left > 1) continue;
            left = rule->sizes[tensor->at[i].factor] / fl_axes_parts(mesh, list);
            for (int k = 0; k < list->count; k++) fl_spread_add(&spread, dim, list->axis[k]);
        }
    }
    return spread;
}

/* ---- one rule ---- */

typedef struct work {
    fl_graph *graph;
    fl_axes *lists;          /* of the tensors of the rule at hand, one row each */
    uint32_t *first, *users; /* rules by node: users[first[n]] .. */
    uint32_t *queue, head, tail, pending;
    uint8_t *queued;
    int plain; /* only plain rules now */
    fl_status status;
} work;

/* The longest list of a factor's, where the tensors' begin alike; else that of the tensor that matters most. */
typedef struct choice {
    fl_axes axes;
    double weight;
} choice;

static double weight_of(const fl_node *node)
{
    return (double)fl_type_elements(node->type) * (double)fl_dtype_bytes((fl_dtype)node->type->dtype);
}

static void consider(choice *c, const fl_axes *axes, double weight)
{
    if (!axes->count) return;
    if (fl_axes_begin(&c->axes, axes)) {
        c->axes = *axes;
        if (weight > c->weight) c->weight = weight;
    } else if (!fl_axes_begin(axes, &c->axes) && weight > c->weight) {
        *c = (choice){*axes, weight};
    }
}

/* Factors by falling weight, then number. Those without axes are left out. */
static uint32_t sort_factors(const choice *choices, uint32_t count, uint8_t *order)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < count; f++) {
        if (!choices[f].axes.count) continue;
        uint32_t i = n++;
        for (; i > 0 && choices[order[i - 1]].weight < choices[f].weight; i--) order[i] = order[i - 1];
        order[i] = (uint8_t)f;
    }
    return n;
}

static void enqueue(work *w, uint32_t rule)
{
    if (w->queued[rule] || (w->plain && !w->graph->rules[rule].plain)) return;
    w->queued[rule] = 1;
    w->queue[w->tail] = rule;
    w->tail = w->tail + 1 == w->graph->rule_count ? 0 : w->tail + 1;
    w->pending++;
}

static void enqueue_users(work *w, uint32_t node)
{
    for (uint32_t i = w->first[node]; i < w->first[node + 1]; i++) enqueue(w, w->users[i]);
}

/* The axes of a dimension that follow from the factors' must begin with those it has. */
static int extend(fl_node *node, const fl_spread *wanted)
{
    int changed = 0;
    for (int i = 0; i < wanted->count;) {
        int dim = wanted->at[i].dim;
        fl_axes now = fl_spread_axes(&node->spread, dim), then = fl_spread_axes(wanted, dim);
        i += then.count;
        if (!(node->open >> dim & 1) || then.count <= now.count || !fl_axes_begin(&now, &then)) continue;
        for (int k = now.count; k < then.count; k++) fl_spread_add(&node->spread, dim, then.axis[k]);
        changed = 1;
    }
    return changed;
}

/* Gives one tensor what the factors have. */
static void update(work *w, const fl_rule *rule, const fl_rule_tensor *tensor, fl_axes *lists,
                   const choice *choices, const uint8_t *order, uint32_t n)
{
    fl_graph *g = w->graph;
    fl_node *node = &g->nodes[tensor->node];
    uint32_t used = fl_spread_used(&node->spread) | node->barred;
    uint64_t own = 0;
    if (!node->open) return;
    for (uint32_t i = 0; i < tensor->count; i++) own |= (uint64_t)1 << tensor->at[i].factor;
    for (uint32_t i = 0; i < n; i++) {
        fl_axes *list = &lists[order[i]];
        const fl_axes *axes = &choices[order[i]].axes;
        if (!(own >> order[i] & 1) || !fl_axes_begin(list, axes)) continue;
        for (int k = list->count; k < axes->count && !(used >> axes->axis[k] & 1); k++) {
            fl_axes_push(list, axes->axis[k]);
            used |= 1u << axes->axis[k];
        }
    }
    fl_spread wanted = fl_rule_spread(g->mesh, rule, tensor, lists);
    if (extend(node, &wanted)) enqueue_users(w, tensor->node);
}

static void describe(const fl_node *node, fl_sharding *out)
{
    *out = (fl_sharding){.stated = 1};
    fl_spread_write(&node->spread, node->type->rank, out);
}

/* A custom call without factors, whose maker says how its results lie. */
static fl_status ask(work *w, const fl_rule *rule)
{
    fl_graph *g = w->graph;
    const fl_splitter *splitter = rule->factor_count ? NULL : fl_splitter_of(rule->op);
    uint32_t n = rule->tensor_count, operands = rule->op->operand_count;
    int known = 0;
    if (!splitter || !splitter->infer) return NULL;
    fl_sharding *shardings = calloc(n + 1, sizeof *shardings);
    FL_CHECK(shardings, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < n; i++) describe(&g->nodes[rule->tensors[i].node], &shardings[i]);
    fl_split_call call = {g->program, rule->op, g->mesh, shardings, shardings + operands};
    fl_status status = splitter->infer(splitter->user, &call, &known);
    for (uint32_t i = operands; !status && known && i < n; i++) {
        fl_node *node = &g->nodes[rule->tensors[i].node];
        fl_spread wanted = fl_spread_of(&shardings[i]);
        fl_type share;
        if (fl_spread_used(&wanted) & node->barred || shardings[i].rank != node->type->rank) continue;
        status = fl_sharding_shard_type(g->mesh, &shardings[i], node->type, &share);
        if (!status && extend(node, &wanted)) enqueue_users(w, rule->tensors[i].node);
    }
    free(shardings);
    return status;
}

static void visit(work *w, const fl_rule *rule)
{
    fl_graph *g = w->graph;
    choice choices[FL_MOST_FACTORS];
    uint8_t order[FL_MOST_FACTORS];
    int any = 0;
    for (uint32_t t = 0; t < rule->tensor_count; t++) any |= g->nodes[rule->tensors[t].node].spread.count;
    if (!any) return;
    if (rule->op && rule->op->code == FL_OP_custom_call && !w->status) w->status = ask(w, rule);
    memset(choices, 0, rule->factor_count * sizeof *choices);
    for (uint32_t t = 0; t < rule->tensor_count; t++) {
        const fl_node *node = &g->nodes[rule->tensors[t].node];
        fl_axes *lists = w->lists + (size_t)t * rule->factor_count;
        fl_rule_project(g->mesh, rule, &rule->tensors[t], &node->spread, lists);
        if (!node->spread.count) continue;
        double weight = weight_of(node);
        for (uint32_t f = 0; f < rule->factor_count; f++) consider(&choices[f], &lists[f], weight);
    }
    uint32_t n = sort_factors(choices, rule->factor_count, order);
    for (uint32_t t = 0; t < rule->tensor_count; t++)
        update(w, rule, &rule->tensors[t], w->lists + (size_t)t * rule->factor_count, choices, order, n);
}

/* ---- all of them ---- */

static void find_users(work *w)
{
    fl_graph *g = w->graph;
    for (uint32_t r = 0; r < g->rule_count; r++)
        for (uint32_t t = 0; t < g->rules[r].tensor_count; t++) w->first[g->rules[r].tensors[t].node + 1]++;
    for (uint32_t n = 0; n < g->node_count; n++) w->first[n + 1] += w->first[n];
    for (uint32_t r = 0; r < g->rule_count; r++)
        for (uint32_t t = 0; t < g->rules[r].tensor_count; t++)
            w->users[w->first[g->rules[r].tensors[t].node]++] = r;
    for (uint32_t n = g->node_count; n > 0; n--) w->first[n] = w->first[n - 1];
    w->first[0] = 0;
}

static void run(work *w, int plain)
{
    w->plain = plain;
    for (uint32_t r = 0; r < w->graph->rule_count; r++) enqueue(w, r);
    while (w->pending) {
        uint32_t r = w->queue[w->head];
        w->head = w->head + 1 == w->graph->rule_count ? 0 : w->head + 1;
        w->pending--;
        w->queued[r] = 0;
        visit(w, &w->graph->rules[r]);
    }
}

fl_status fl_graph_propagate(fl_graph *graph)
{
    size_t uses = 0;
    for (uint32_t r = 0; r < graph->rule_count; r++) uses += graph->rules[r].tensor_count;
    work w = {.graph = graph,
              .lists = malloc(((size_t)graph->most_lists + 1) * sizeof *w.lists),
              .first = calloc((size_t)graph->node_count + 2, sizeof *w.first),
              .users = malloc((uses + 1) * sizeof *w.users),
              .queue = malloc(((size_t)graph->rule_count + 1) * sizeof *w.queue),
              .queued = calloc((size_t)graph->rule_count + 1, 1)};
    int enough = w.lists && w.first && w.users && w.queue && w.queued;
    if (enough && graph->mesh->axis_count) {
        find_users(&w);
        run(&w, 1);
        run(&w, 0);
    }
    free(w.lists);
    free(w.first);
    free(w.users);
    free(w.queue);
    free(w.queued);
    FL_CHECK(enough, FL_OOM, "out of host memory");
    return w.status;
}
