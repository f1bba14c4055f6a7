/* Partitions nodes into groups. A node joins the group of a producer, or of another reader of the same value, when the iteration
 * spaces agree, everything it reads inside the group is at its own position (or is a value of its own row), and no
 * cycle arises between groups. Groups that a node connects are merged. Nothing is computed twice. */
#include "cpu/loop/loop.h"

#include <string.h>

#define MAX_GROUP_NODES 64

static int has(const uint64_t *set, uint32_t i)
{
    return (int)(set[i >> 6] >> (i & 63) & 1);
}
static void put(uint64_t *set, uint32_t i)
{
    set[i >> 6] |= 1ull << (i & 63);
}

static uint32_t root(const fl_grouping *gs, uint32_t id)
{
    while (gs->parent[id] != id) id = gs->parent[id] = gs->parent[gs->parent[id]];
    return id;
}

fl_group *fl_group_of(const fl_grouping *gs, const fl_node *node)
{
    return &gs->groups[root(gs, node->group)];
}

static int add_suffix(fl_space *s, int64_t suffix)
{
    int at = 0;
    while (at < s->suffix_count && s->suffixes[at] < suffix) at++;
    if (at < s->suffix_count && s->suffixes[at] == suffix) return 1;
    if (s->suffix_count == FL_MAX_SUFFIXES || s->suffix_count >= FL_MAX_RANK) return 0;
    if (at > 0 && suffix % s->suffixes[at - 1]) return 0;
    if (at < s->suffix_count && s->suffixes[at] % suffix) return 0;
    memmove(s->suffixes + at + 1, s->suffixes + at, (size_t)(s->suffix_count - at) * sizeof *s->suffixes);
    s->suffixes[at] = suffix;
    s->suffix_count++;
    return 1;
}

int fl_space_add(fl_space *space, int rank, const int64_t *dims, int64_t scale)
{
    fl_space copy = *space, *s = &copy;
    for (int i = 0; i < rank; i++)
        if (!dims[i]) return 1; /* nothing to walk */
    for (int i = rank - 1; i >= 0; i--) {
        scale *= dims[i];
        if (dims[i] != 1 && !add_suffix(s, scale)) return 0;
    }
    *space = copy;
    return 1;
}

static int set_columns(fl_space *s, int64_t columns)
{
    if (s->columns && s->columns != columns) return 0;
    s->columns = columns;
    return add_suffix(s, columns);
}

int fl_node_is_row(const fl_space *s, const fl_node *node)
{
    if (node->kind == FL_NODE_REDUCE) return !node->sink;
    return s->columns > 1 && node->elements != s->total;
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
        uint32_t from = root(gs, base->node->group);
        if (from != id && from != other) continue;
        if (base->node->sink) return 0;
        int from_row = fl_node_is_row(s, base->node);
        if (row ? !(from_row && v->identity) : from_row ? !view_is_row(v, s->columns) : !v->identity)
            return 0;
    }
    return 1;
}

/* The space of a group after `node` joined; 0: it cannot. Decides whether a reduction is a sink. */
static int space_with(const fl_space *old, fl_node *node, fl_space *s)
{
    *s = *old;
    if (!s->total) s->total = node->elements;
    if (!node->elements) return 1;
    if (node->kind == FL_NODE_MAP) {
        if (node->elements == s->total) return fl_space_add(s, node->rank, node->dims, 1);
        if (!s->row_values || node->elements != s->total / s->columns) return 0;
        return fl_space_add(s, node->rank, node->dims, s->columns);
    }
    if (node->elements != s->total || !fl_space_add(s, node->rank, node->dims, 1)) return 0;
    node->sink = 1;
    if (node->inner == 1 && node->length <= FL_ROW_LIMIT) {
        if (s->tiled || !set_columns(s, node->length)) return 0;
        node->sink = 0;
        s->row_values = 1;
        return 1;
    }
    if (node->inner == 1) {
        if (s->row_values || s->outer || !set_columns(s, node->length)) return 0;
        s->tiled = 1;
        return 1;
    }
    if (s->tiled && s->outer == 0) return 0; /* long rows are being reduced */
    if ((s->outer && s->outer != node->outer) || !set_columns(s, node->inner) ||
        !add_suffix(s, node->inner * node->length))
        return 0;
    s->outer = node->outer;
    s->tiled |= node->inner > FL_ROW_LIMIT;
    return !(s->tiled && s->row_values);
}

static int spaces_merge(const fl_space *a, const fl_space *b, fl_space *s)
{
    *s = *a;
    if (a->total != b->total || (a->columns && b->columns && a->columns != b->columns)) return 0;
    if (a->outer && b->outer && a->outer != b->outer) return 0;
    for (int i = 0; i < b->suffix_count; i++)
        if (!add_suffix(s, b->suffixes[i])) return 0;
    if (!s->columns) s->columns = b->columns;
    if (!s->outer) s->outer = b->outer;
    s->row_values |= b->row_values;
    s->tiled |= b->tiled;
    int long_rows = (a->tiled && !a->outer) || (b->tiled && !b->outer);
    return !(s->tiled && s->row_values) && !(long_rows && s->outer);
}

/* Group `id` now also needs `needed`; whoever needs `id` does, too. */
static void add_need(fl_grouping *gs, uint32_t id, uint32_t needed)
{
    uint64_t *needs = gs->groups[id].needs;
    if (id == needed || has(needs, needed)) return;
    const uint64_t *more = gs->groups[needed].needs;
    for (uint32_t i = 0; i < gs->count; i++) {
        if (i != id && (gs->groups[i].gone || !has(gs->groups[i].needs, id))) continue;
        for (uint32_t w = 0; w < gs->words; w++) gs->groups[i].needs[w] |= more[w];
        put(gs->groups[i].needs, needed);
    }
}

static void attach(const fl_graph *g, fl_grouping *gs, fl_group *group, fl_node *node)
{
    node->group = group->id;
    node->next = NULL;
    if (group->last)
        group->last->next = node;
    else
        group->first = node;
    group->last = node;
    group->count++;
    for (uint32_t i = 0; i < node->view_count; i++) {
        fl_base *base = &g->bases[node->views[i].base];
        if (base->kind == FL_BASE_NODE) add_need(gs, group->id, root(gs, base->node->group));
        if (!group->library) base->reader = group->id + 1;
    }
    if (node->after) add_need(gs, group->id, root(gs, node->after->group));
}

static int join(const fl_graph *g, fl_grouping *gs, fl_group *group, fl_node *node)
{
    fl_space space;
    if (group->library || !group->space.total || !node->elements || group->count >= MAX_GROUP_NODES) return 0;
    if (!space_with(&group->space, node, &space)) return 0;
    if (!edges_fit(g, gs, &space, node, group->id, group->id)) return 0;
    for (uint32_t i = 0; i < node->view_count; i++) {
        const fl_base *base = &g->bases[node->views[i].base];
        if (base->kind != FL_BASE_NODE) continue;
        uint32_t from = root(gs, base->node->group);
        if (from != group->id && has(gs->groups[from].needs, group->id)) return 0; /* a cycle */
    }
    group->space = space;
    attach(g, gs, group, node);
    return 1;
}

/* Nothing may lie between the two: a group that needs one and is needed by the other. */
static int between(const fl_grouping *gs, uint32_t early, uint32_t late)
{
    const uint64_t *needs = gs->groups[late].needs;
    if (!has(needs, early)) return 0;
    for (uint32_t w = 0; w < gs->words; w++)
        for (uint64_t bits = needs[w]; bits; bits &= bits - 1) {
            uint32_t id = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (id != early && !gs->groups[id].gone && has(gs->groups[id].needs, early)) return 1;
        }
    return 0;
}

static int merge(const fl_graph *g, fl_grouping *gs, uint32_t into, uint32_t from)
{
    fl_group *a = &gs->groups[into], *b = &gs->groups[from];
    fl_space space;
    if (into == from || a->library || b->library || a->count + b->count > MAX_GROUP_NODES) return 0;
    if (!spaces_merge(&a->space, &b->space, &space) || between(gs, into, from) || between(gs, from, into))
        return 0;
    for (fl_node *n = a->first; n; n = n->next)
        if (!edges_fit(g, gs, &space, n, into, from)) return 0;
    for (fl_node *n = b->first; n; n = n->next)
        if (!edges_fit(g, gs, &space, n, into, from)) return 0;
    a->space = space;
    a->last->next = b->first;
    a->last = b->last;
    a->count += b->count;
    gs->parent[from] = into;
    b->gone = 1;
    for (uint32_t w = 0; w < gs->words; w++) a->needs[w] |= b->needs[w];
    a->needs[into >> 6] &= ~(1ull << (into & 63));
    a->needs[from >> 6] &= ~(1ull << (from & 63));
    for (uint32_t i = 0; i < gs->count; i++) {
        uint64_t *needs = gs->groups[i].needs;
        if (gs->groups[i].gone || i == into || !(has(needs, into) || has(needs, from))) continue;
        for (uint32_t w = 0; w < gs->words; w++) needs[w] |= a->needs[w];
        put(needs, into);
        needs[from >> 6] &= ~(1ull << (from & 63));
    }
    return 1;
}

static fl_group *new_group(fl_graph *g, fl_grouping *gs, int library)
{
    fl_group *group = &gs->groups[gs->count];
    uint64_t *needs = FL_NEW_ARRAY(g->arena, uint64_t, gs->words);
    if (!needs) return NULL;
    *group = (fl_group){.id = gs->count, .library = (uint8_t)library, .needs = needs};
    gs->parent[gs->count] = gs->count;
    gs->count++;
    return group;
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
                id = root(gs, base->node->group);
            else if (pass == 1 && base->reader && base->elements == node->elements && node->elements > 1)
                id = root(gs, base->reader - 1);
            else
                continue;
            uint32_t k = 0;
            while (k < n && out[k] != id) k++;
            if (k == n && !gs->groups[id].library) out[n++] = id;
        }
    return n;
}

static fl_status place(fl_graph *g, fl_grouping *gs, fl_node *node)
{
    uint32_t list[8], n = g->fusion ? candidates(g, gs, node, list) : 0, joined = UINT32_MAX;
    for (uint32_t i = 0; i < n && joined == UINT32_MAX; i++)
        if (join(g, gs, &gs->groups[list[i]], node)) joined = list[i];
    if (joined == UINT32_MAX) {
        fl_group *group = new_group(g, gs, node->kind == FL_NODE_LIBRARY);
        FL_CHECK(group, FL_OOM, "out of memory while planning");
        if (!group->library)
            FL_CHECK(space_with(&group->space, node, &group->space), FL_INTERNAL,
                     "a node does not fit its own space");
        attach(g, gs, group, node);
        joined = group->id;
    }
    if (node->kind == FL_NODE_LIBRARY) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t other = root(gs, list[i]), self = root(gs, joined);
        if (other != self) merge(g, gs, other < self ? other : self, other < self ? self : other);
    }
    return NULL;
}

static void visit(fl_grouping *gs, uint32_t id, uint8_t *done)
{
    if (done[id]) return;
    done[id] = 1;
    const uint64_t *needs = gs->groups[id].needs;
    /* needs hold everything transitively: those with fewer needs of their own come first */
    for (;;) {
        uint32_t best = UINT32_MAX, fewest = UINT32_MAX;
        for (uint32_t w = 0; w < gs->words; w++)
            for (uint64_t bits = needs[w]; bits; bits &= bits - 1) {
                uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits), count = 0;
                if (done[i]) continue;
                for (uint32_t k = 0; k < gs->words; k++)
                    count += (uint32_t)__builtin_popcountll(gs->groups[i].needs[k]);
                if (count < fewest) best = i, fewest = count;
            }
        if (best == UINT32_MAX) break;
        done[best] = 1;
        gs->groups[best].order = gs->order_count;
        gs->order[gs->order_count++] = &gs->groups[best];
    }
    gs->groups[id].order = gs->order_count;
    gs->order[gs->order_count++] = &gs->groups[id];
}

/* Nodes were added in the order of the program, but merging appends: sort them again. */
static void sort_nodes(fl_group *group)
{
    fl_node *sorted = NULL, *next;
    int in_order = 1;
    for (fl_node *n = group->first; n && n->next; n = n->next) in_order &= n->index < n->next->index;
    if (in_order) return;
    for (fl_node *n = group->first; n; n = next) {
        next = n->next;
        fl_node **at = &sorted;
        while (*at && (*at)->index < n->index) at = &(*at)->next;
        n->next = *at;
        *at = n;
    }
    group->first = sorted;
    while (sorted->next) sorted = sorted->next;
    group->last = sorted;
}

/* Without library nodes, groups of equal depth go together, so that independent loops become one parallel region. */
static fl_status arrange(fl_graph *g, fl_grouping *gs)
{
    uint8_t *done = FL_NEW_ARRAY(g->arena, uint8_t, gs->count + 1);
    uint32_t *depth = FL_NEW_ARRAY(g->arena, uint32_t, gs->count + 1);
    gs->order = FL_NEW_ARRAY(g->arena, fl_group *, gs->capacity);
    FL_CHECK(done && depth && gs->order, FL_OOM, "out of memory while planning");
    int library = 0;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < gs->count; i++) {
        if (gs->groups[i].gone) continue;
        library |= gs->groups[i].library;
        for (uint32_t w = 0; w < gs->words; w++)
            depth[i] += (uint32_t)__builtin_popcountll(gs->groups[i].needs[w]);
        if (depth[i] > deepest) deepest = depth[i];
        sort_nodes(&gs->groups[i]);
    }
    for (uint32_t d = 0; !library && d <= deepest; d++)
        for (uint32_t i = 0; i < gs->count; i++)
            if (!gs->groups[i].gone && depth[i] == d) {
                gs->groups[i].order = gs->order_count;
                gs->order[gs->order_count++] = &gs->groups[i];
            }
    for (uint32_t i = 0; library && i < gs->count; i++)
        if (!gs->groups[i].gone) visit(gs, i, done);
    return NULL;
}

fl_status fl_fuse(fl_graph *g, fl_grouping *gs)
{
    memset(gs, 0, sizeof *gs);
    gs->capacity = g->node_count + g->result_count + 1; /* copies of results may follow */
    gs->words = (gs->capacity + 63) / 64;
    gs->groups = FL_NEW_ARRAY(g->arena, fl_group, gs->capacity);
    gs->parent = FL_NEW_ARRAY(g->arena, uint32_t, gs->capacity);
    FL_CHECK(gs->groups && gs->parent, FL_OOM, "out of memory while planning");
    for (uint32_t i = 0; i < g->node_count; i++) FL_TRY(place(g, gs, g->nodes[i]));
    return arrange(g, gs);
}

fl_status fl_fuse_append(fl_graph *g, fl_grouping *gs, fl_node *node)
{
    fl_group *group = new_group(g, gs, 0);
    FL_CHECK(group, FL_OOM, "out of memory while planning");
    FL_CHECK(space_with(&group->space, node, &group->space), FL_INTERNAL,
             "a node does not fit its own space");
    attach(g, gs, group, node);
    group->order = gs->order_count;
    gs->order[gs->order_count++] = group;
    return NULL;
}
