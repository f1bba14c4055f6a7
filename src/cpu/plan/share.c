/* Results in the memory of an operand that dies: elementwise results of a loop, updated slices, the state of loops. */
#include "cpu/plan/planner.h"

int fl_library_in_place(const fl_node *node, uint32_t view, uint32_t result)
{
    switch (node->code) {
    case FL_OP_dynamic_update_slice:
    case FL_OP_scatter: return view == 0 && result == 0 && node->base_count == 1;
    case FL_OP_while: return node->regions && view == result;
    case FL_OP_if:
    case FL_OP_case: return node->regions != NULL; /* the branches look after it */
    default: return 0;
    }
}

static size_t bytes_of(const fl_base *base)
{
    return fl_dtype_bytes((fl_dtype)base->dtype) * (size_t)base->elements;
}

/* When each base is read last, as a position in the order, and by which group if it is one. */
static void find_last(const fl_planner *p, uint32_t *last, const fl_group **sole)
{
    const fl_graph *g = &p->graph;
    for (uint32_t i = 0; i < g->node_count; i++) {
        const fl_group *group = fl_group_of(&p->grouping, g->nodes[i]);
        uint32_t batch = p->batches[group->order];
        for (uint32_t v = 0; v < g->nodes[i]->view_count; v++) {
            uint32_t b = g->nodes[i]->views[v].base;
            if (batch > last[b]) {
                last[b] = batch;
                sole[b] = group;
            } else if (batch == last[b] && sole[b] != group) {
                sole[b] = NULL;
            }
        }
    }
}

/* Whether base `a` lies in scratch memory of its own size and is needed by `group` last, and by nobody else then. */
static int dies_in(const fl_planner *p, uint32_t a, const fl_group *group, const fl_group *const *sole)
{
    const fl_base *base = &p->graph.bases[a];
    return base->kind == FL_BASE_NODE && base->result < 0 && sole[a] == group && !base->mark &&
           a != p->graph.flag.base && base->elements > 0 &&
           (base->in_memory || base->node->kind == FL_NODE_LIBRARY || base->node->sink) &&
           fl_group_of(&p->grouping, base->node) != group;
}

static void take(fl_graph *g, uint32_t b, uint32_t a)
{
    g->bases[b].shares = a;
    g->bases[a].mark = 1; /* taken */
}

static int is_whole(const fl_node *n, const fl_view *v, const fl_group *group)
{
    return n->kind == FL_NODE_MAP && v->identity && n->elements == group->space.total;
}

/* All reads of `a` in a loop's group are at the position of the element that is written. */
static int reads_fit(const fl_planner *p, uint32_t a, const fl_group *group)
{
    for (uint32_t i = p->read_first[a]; i < p->read_first[a + 1]; i++) {
        const fl_node *n = p->reads[i].node;
        if (fl_group_of(&p->grouping, n) == group && !is_whole(n, &n->views[p->reads[i].view], group))
            return 0;
    }
    return 1;
}

static void share_loop(fl_planner *p, const fl_group *group, const fl_group *const *sole)
{
    fl_graph *g = &p->graph;
    for (const fl_node *n = group->first; n; n = n->next) {
        fl_base *out = &g->bases[n->first_base];
        if (n->kind != FL_NODE_MAP || n->elements != group->space.total || !out->in_memory ||
            out->result >= 0)
            continue;
        for (const fl_node *m = group->first; m && !out->shares; m = m->next)
            for (uint32_t v = 0; v < m->view_count && !out->shares; v++) {
                uint32_t a = m->views[v].base;
                if (dies_in(p, a, group, sole) && bytes_of(&g->bases[a]) == bytes_of(out) &&
                    g->bases[a].elements == out->elements && reads_fit(p, a, group))
                    take(g, n->first_base, a);
            }
    }
}

/* How often a node reads a base. */
static uint32_t reads_by(const fl_node *n, uint32_t base)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < n->view_count; v++) count += n->views[v].base == base;
    return count;
}

/* A branch that returns a captured value as it is would be a copy of it. */
static int passes(const fl_node *n, uint32_t result, uint32_t base)
{
    for (uint32_t k = 0; k < n->op->region_count; k++) {
        const fl_graph *g = &n->regions[k]->graph;
        const fl_node *copy = g->bases[g->results[result].view.base].node;
        if (!copy || copy->kind != FL_NODE_MAP || copy->code != FL_OP_NONE || !copy->views[0].identity)
            continue;
        const fl_base *from = &g->bases[copy->views[0].base];
        if (from->kind == FL_BASE_INPUT && from->outer == base) return 1;
    }
    return 0;
}

static void share_library(fl_planner *p, const fl_group *group, const fl_group *const *sole)
{
    fl_graph *g = &p->graph;
    const fl_node *n = group->first;
    for (uint32_t r = 0; r < n->base_count; r++) {
        fl_base *out = &g->bases[n->first_base + r];
        int branches = n->code == FL_OP_if || n->code == FL_OP_case;
        if (out->result >= 0) continue;
        for (uint32_t v = branches; v < n->view_count && !out->shares; v++) {
            uint32_t a = n->views[v].base;
            if (!fl_library_in_place(n, v, r) || !n->views[v].identity || !dies_in(p, a, group, sole) ||
                bytes_of(&g->bases[a]) != bytes_of(out))
                continue;
            if (branches ? passes(n, r, a) : reads_by(n, a) == 1) take(g, n->first_base + r, a);
        }
    }
}

void fl_share(fl_planner *p, uint32_t *last, const fl_group **sole)
{
    for (uint32_t b = 0; b < p->graph.base_count; b++) p->graph.bases[b].mark = 0;
    find_last(p, last, sole);
    for (uint32_t i = 0; i < p->grouping.order_count; i++) {
        const fl_group *group = p->grouping.order[i];
        if (group->library)
            share_library(p, group, sole);
        else
            share_loop(p, group, sole);
    }
}
