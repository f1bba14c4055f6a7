/* Partitions nodes into groups. A node joins the group of a producer, or of another reader of the same value, when the iteration
 * spaces agree, everything it reads inside the group is at its own position (or is a value of its own row), and no
 * cycle arises between groups. Groups that a node connects are merged. */
#include "cpu/loop/fuse.h"

#include <string.h>

#define MAX_GROUP_NODES  64  /* of instructions on tiles */
#define MAX_KERNEL_NODES 256 /* of machine code */
#define MAX_GROUP_LOADS  128
#define SMALL            1024 /* elements that cost less than a step of their own */

static uint32_t most_nodes(void)
{
    return fl_loop_has_kernels() ? MAX_KERNEL_NODES : MAX_GROUP_NODES;
}

/* A view whose element at any place is that of its row: nothing along the columns, then dense. */
static int view_is_row(const fl_view *v, int64_t columns)
{
    int i = v->rank - 1;
    int64_t covered = 1, step = 1;
    for (; i >= 0 && covered < columns; i--) {
        if (v->dims[i] != 1 && v->strides[i] != 0) return 0;
        covered *= v->dims[i];
    }
    if (covered != columns || v->offset) return 0;
    for (; i >= 0; i--) {
        if (v->dims[i] != 1 && v->strides[i] != step) return 0;
        step *= v->dims[i];
    }
    return 1;
}

/* Whether what `node` reads from within group `id` (or `other`) is at the right place, given the space. */
static int edges_fit(const fl_graph *g, const fl_grouping *gs, const fl_space *s, const fl_node *node,
                     uint32_t id, uint32_t other)
{
    int row = node->kind == FL_NODE_MAP && fl_node_is_row(s, node);
    for (uint32_t i = 0; i < node->view_count; i++) {
        const fl_view *v = &node->views[i];
        const fl_base *base = &g->bases[v->base];
        if (base->kind != FL_BASE_NODE) continue;
        uint32_t from = fl_group_root(gs, base->node->group);
        if (from != id && from != other) continue;
        if (base->node->sink) return 0;
        int from_row = fl_node_is_row(s, base->node);
        if (row ? !(from_row && v->identity) : from_row ? !view_is_row(v, s->columns) : !v->identity)
            return 0;
    }
    return 1;
}

/* A node without machine code would keep all of a group from having it: a group of its own reads and writes more, but what has no
 * code takes longer than that. */
static int is_divided(const fl_group *group, int coded)
{
    return group->coded != coded && group->space.total >= SMALL && fl_loop_has_kernels();
}

static int join(fl_graph *g, fl_grouping *gs, fl_group *group, fl_node *node)
{
    fl_space space;
    if (group->library || !group->space.total || !node->elements || group->count >= most_nodes() ||
        group->loads + node->view_count > MAX_GROUP_LOADS)
        return 0;
    if (is_divided(group, fl_loop_has_code(node)) || !fl_space_with(&group->space, node, &space)) return 0;
    if (!edges_fit(g, gs, &space, node, group->id, group->id)) return 0;
    if (!fl_group_attach(g, gs, group, node)) return 0;
    group->space = space;
    group->coded &= (uint8_t)fl_loop_has_code(node);
    return 1;
}

static int merge(fl_graph *g, fl_grouping *gs, uint32_t into, uint32_t from)
{
    fl_group *a = &gs->groups[into], *b = &gs->groups[from];
    fl_space space;
    if (into == from || a->library || b->library || a->count + b->count > most_nodes() ||
        a->loads + b->loads > MAX_GROUP_LOADS || is_divided(a, b->coded))
        return 0;
    if (!fl_spaces_merge(&a->space, &b->space, &space)) return 0;
    for (fl_node *n = a->first; n; n = n->next)
        if (!edges_fit(g, gs, &space, n, into, from)) return 0;
    for (fl_node *n = b->first; n; n = n->next)
        if (!edges_fit(g, gs, &space, n, into, from)) return 0;
    if (!fl_group_merge(g, gs, a, b)) return 0;
    a->coded &= b->coded;
    a->space = space;
    return 1;
}

/* Groups worth trying for a node: of its producers first, then of other readers of whole operands. */
static uint32_t candidates(const fl_graph *g, const fl_grouping *gs, const fl_node *node, uint32_t *out)
{
    uint32_t n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < node->view_count && n < 8; i++) {
            const fl_base *base = &g->bases[node->views[i].base];
            uint32_t id;
            if (pass == 0 && base->kind == FL_BASE_NODE)
                id = fl_group_root(gs, base->node->group);
            else if (pass == 1 && base->reader && base->elements == node->elements && node->elements > 1)
                id = fl_group_root(gs, base->reader - 1);
            else
                continue;
            uint32_t k = 0;
            while (k < n && out[k] != id) k++;
            if (k == n && !gs->groups[id].library) out[n++] = id;
        }
    return n;
}

/* A group of its own. */
static fl_status new_with(fl_graph *g, fl_grouping *gs, fl_node *node, fl_group **out)
{
    fl_group *group = *out = fl_group_new(g, gs, node->kind == FL_NODE_LIBRARY);
    if (!group->library)
        FL_CHECK(fl_space_with(&group->space, node, &group->space), FL_INTERNAL,
                 "a node does not fit its own space");
    group->coded = (uint8_t)(!group->library && fl_loop_has_code(node));
    FL_CHECK(fl_group_attach(g, gs, group, node), FL_OOM, "out of memory while planning");
    return NULL;
}

static fl_status place(fl_graph *g, fl_grouping *gs, fl_node *node)
{
    uint32_t list[8], n = g->fusion ? candidates(g, gs, node, list) : 0, joined = UINT32_MAX;
    for (uint32_t i = 0; i < n && joined == UINT32_MAX; i++)
        if (join(g, gs, &gs->groups[list[i]], node)) joined = list[i];
    if (joined == UINT32_MAX) {
        fl_group *group;
        FL_TRY(new_with(g, gs, node, &group));
        joined = group->id;
    }
    if (node->kind == FL_NODE_LIBRARY) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t other = fl_group_root(gs, list[i]), self = fl_group_root(gs, joined);
        if (other != self) merge(g, gs, other < self ? other : self, other < self ? self : other);
    }
    return NULL;
}

fl_status fl_fuse(fl_graph *g, fl_grouping *gs)
{
    memset(gs, 0, sizeof *gs);
    gs->capacity = g->node_count + g->result_count + 1; /* copies of results may follow */
    gs->groups = FL_NEW_ARRAY(g->arena, fl_group, gs->capacity);
    gs->parent = FL_NEW_ARRAY(g->arena, uint32_t, gs->capacity);
    FL_CHECK(gs->groups && gs->parent, FL_OOM, "out of memory while planning");
    for (uint32_t i = 0; i < g->node_count; i++) FL_TRY(place(g, gs, g->nodes[i]));
    FL_CHECK(!gs->failed, FL_OOM, "out of memory while planning");
    if (g->fusion) FL_TRY(fl_recompute(g, gs));
    return fl_groups_arrange(g, gs);
}

fl_status fl_fuse_append(fl_graph *g, fl_grouping *gs, fl_node *node)
{
    fl_group *group;
    FL_TRY(new_with(g, gs, node, &group));
    group->order = gs->order_count;
    gs->order[gs->order_count++] = group;
    return NULL;
}
