/* What must run before what: groups, their depths, and the order in which they run. */
#include "cpu/loop/fuse.h"

#include <string.h>

#define MAX_SEARCH 192 /* groups that one addition may make deeper */

uint32_t fl_group_root(const fl_grouping *gs, uint32_t id)
{
    while (gs->parent[id] != id) id = gs->parent[id] = gs->parent[gs->parent[id]];
    return id;
}

fl_group *fl_group_of(const fl_grouping *gs, const fl_node *node)
{
    return &gs->groups[fl_group_root(gs, node->group)];
}

/* --- depths --- */

/* A search that made groups deeper: what they were, so that it can be taken back. */
typedef struct search {
    uint32_t ids[MAX_SEARCH], depths[MAX_SEARCH], count;
} search;

static void take_back(fl_grouping *gs, const search *s)
{
    for (uint32_t i = s->count; i-- > 0;) gs->groups[s->ids[i]].depth = s->depths[i];
}

/* Makes all readers of the groups found so far deeper than these. 0: a marked group is among them, or it takes too long. */
static int deepen_readers(fl_grouping *gs, search *s, uint32_t from, uint32_t depth, uint32_t skip)
{
    for (uint32_t e = gs->groups[from].readers; e; e = gs->edges[e].next) {
        uint32_t id = fl_group_root(gs, gs->edges[e].to);
        fl_group *reader = &gs->groups[id];
        if (id == skip || id == from || reader->depth > depth) continue;
        if (reader->mark == gs->stamp || s->count == MAX_SEARCH) return 0;
        s->ids[s->count] = id, s->depths[s->count++] = reader->depth;
        reader->depth = depth + 1;
    }
    return 1;
}

static int deepen(fl_grouping *gs, search *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (!deepen_readers(gs, s, s->ids[i], gs->groups[s->ids[i]].depth, UINT32_MAX)) return 0;
    return 1;
}

static int add_reader(fl_graph *g, fl_grouping *gs, fl_group *needed, uint32_t reader)
{
    if (needed->readers && gs->edges[needed->readers].to == reader) return 1;
    if (gs->edge_count == gs->edge_capacity) {
        uint32_t wanted = gs->edge_capacity ? 2 * gs->edge_capacity : 1024;
        fl_group_edge *more = FL_NEW_ARRAY(g->arena, fl_group_edge, wanted);
        if (!more) {
            gs->failed = 1;
            return 0;
        }
        if (gs->edge_count) memcpy(more, gs->edges, gs->edge_count * sizeof *more);
        if (!gs->edge_count) gs->edge_count = 1; /* 0 is none */
        gs->edges = more;
        gs->edge_capacity = wanted;
    }
    gs->edges[gs->edge_count] = (fl_group_edge){reader, needed->readers};
    needed->readers = gs->edge_count++;
    return 1;
}

/* --- groups --- */

fl_group *fl_group_new(fl_graph *g, fl_grouping *gs, int library)
{
    (void)g;
    fl_group *group = &gs->groups[gs->count];
    *group = (fl_group){.id = gs->count, .library = (uint8_t)library};
    gs->parent[gs->count] = gs->count;
    gs->count++;
    return group;
}

/* The i-th group that a node needs, NULL when it is no group of its own. */
static fl_group *needed_by(const fl_graph *g, const fl_grouping *gs, const fl_node *node, uint32_t i)
{
    if (i == node->view_count) return node->after ? fl_group_of(gs, node->after) : NULL;
    const fl_base *base = &g->bases[node->views[i].base];
    return base->kind == FL_BASE_NODE ? fl_group_of(gs, base->node) : NULL;
}

/* Makes the group deeper than all that the node needs. */
static int reach_depth(fl_graph *g, fl_grouping *gs, fl_group *group, const fl_node *node)
{
    uint32_t deepest = 0;
    gs->stamp++;
    for (uint32_t i = 0; i <= node->view_count; i++) {
        fl_group *needed = needed_by(g, gs, node, i);
        if (!needed || needed == group) continue;
        needed->mark = gs->stamp;
        if (needed->depth >= deepest) deepest = needed->depth + 1;
    }
    if (deepest <= group->depth) return 1;
    search s = {.ids = {group->id}, .depths = {group->depth}, .count = 1};
    group->depth = deepest;
    if (deepen(gs, &s)) return 1;
    take_back(gs, &s);
    return 0;
}

int fl_group_attach(fl_graph *g, fl_grouping *gs, fl_group *group, fl_node *node)
{
    if (!reach_depth(g, gs, group, node)) return 0;
    for (uint32_t i = 0; i <= node->view_count; i++) {
        fl_group *needed = needed_by(g, gs, node, i);
        if (needed && needed != group && !add_reader(g, gs, needed, group->id)) return 0;
        if (i < node->view_count && !group->library) g->bases[node->views[i].base].reader = group->id + 1;
        if (i < node->view_count && needed != group) group->loads++;
    }
    node->group = group->id;
    node->next = NULL;
    if (group->last)
        group->last->next = node;
    else
        group->first = node;
    group->last = node;
    group->count++;
    return 1;
}

int fl_group_merge(fl_graph *g, fl_grouping *gs, fl_group *into, fl_group *from)
{
    fl_group *low = into->depth <= from->depth ? into : from, *high = low == into ? from : into;
    (void)g;
    if (low->depth < high->depth) { /* whoever reads the one comes after the other */
        search s = {.count = 0};
        high->mark = ++gs->stamp;
        if (!deepen_readers(gs, &s, low->id, high->depth, high->id) || !deepen(gs, &s)) {
            take_back(gs, &s);
            return 0;
        }
    }
    into->depth = high->depth;
    if (from->readers) {
        uint32_t e = from->readers;
        while (gs->edges[e].next) e = gs->edges[e].next;
        gs->edges[e].next = into->readers;
        into->readers = from->readers;
    }
    into->last->next = from->first;
    into->last = from->last;
    into->count += from->count;
    into->loads += from->loads;
    gs->parent[from->id] = into->id;
    from->gone = 1;
    return 1;
}

/* --- the order --- */

/* Nodes were added in the order of the program, but merging appends: sort them again. */
static void sort_nodes(fl_group *group)
{
    fl_node *sorted = NULL, *last = NULL, *next;
    int in_order = 1;
    for (fl_node *n = group->first; n && n->next; n = n->next) in_order &= n->index < n->next->index;
    if (in_order) return;
    for (fl_node *n = group->first; n; n = next) {
        next = n->next;
        if (last && last->index < n->index) { /* it goes to the end, or somewhere after `last` */
            fl_node **at = &last->next;
            while (*at && (*at)->index < n->index) at = &(*at)->next;
            n->next = *at;
            *at = n;
        } else {
            fl_node **at = &sorted;
            while (*at && (*at)->index < n->index) at = &(*at)->next;
            n->next = *at;
            *at = n;
        }
        last = n;
    }
    group->first = sorted;
    while (sorted->next) sorted = sorted->next;
    group->last = sorted;
}

static void put(fl_grouping *gs, fl_group *group)
{
    group->order = gs->order_count;
    gs->order[gs->order_count++] = group;
}

typedef struct frame {
    fl_group *group;
    fl_node *node;
    uint32_t view;
} frame;

/* A group after what it needs. */
static void visit(fl_graph *g, fl_grouping *gs, fl_group *first, frame *stack)
{
    uint32_t depth = 0;
    first->mark = gs->stamp;
    stack[depth++] = (frame){first, first->first, 0};
    while (depth) {
        frame *f = &stack[depth - 1];
        if (!f->node) {
            put(gs, f->group);
            depth--;
            continue;
        }
        fl_group *needed = needed_by(g, gs, f->node, f->view);
        if (f->view++ == f->node->view_count) {
            f->node = f->node->next;
            f->view = 0;
        }
        if (!needed || needed->mark == gs->stamp) continue;
        needed->mark = gs->stamp;
        stack[depth++] = (frame){needed, needed->first, 0};
    }
}

/* Groups of equal depth together, so that independent loops become one parallel region. */
static fl_status arrange_by_depth(fl_graph *g, fl_grouping *gs, uint32_t deepest)
{
    uint32_t *first = FL_NEW_ARRAY(g->arena, uint32_t, deepest + 2);
    FL_CHECK(first, FL_OOM, "out of memory while planning");
    for (uint32_t i = 0; i < gs->count; i++)
        if (!gs->groups[i].gone) first[gs->groups[i].depth + 1]++;
    for (uint32_t d = 0; d < deepest; d++) first[d + 1] += first[d];
    gs->order_count = 0;
    for (uint32_t i = 0; i < gs->count; i++) {
        fl_group *group = &gs->groups[i];
        if (group->gone) continue;
        group->order = first[group->depth]++;
        gs->order[group->order] = group;
        gs->order_count++;
    }
    return NULL;
}

fl_status fl_groups_arrange(fl_graph *g, fl_grouping *gs)
{
    gs->order = FL_NEW_ARRAY(g->arena, fl_group *, gs->capacity + 1);
    FL_CHECK(gs->order, FL_OOM, "out of memory while planning");
    int library = 0;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < gs->count; i++) {
        fl_group *group = &gs->groups[i];
        if (group->gone) continue;
        library |= group->library;
        if (group->depth > deepest) deepest = group->depth;
        sort_nodes(group);
    }
    if (!library) return arrange_by_depth(g, gs, deepest);
    frame *stack = FL_NEW_ARRAY(g->arena, frame, gs->count + 1);
    FL_CHECK(stack, FL_OOM, "out of memory while planning");
    gs->stamp++;
    for (uint32_t i = 0; i < gs->count; i++)
        if (!gs->groups[i].gone && gs->groups[i].mark != gs->stamp) visit(g, gs, &gs->groups[i], stack);
    return NULL;
}
