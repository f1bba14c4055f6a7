/* The order of groups, and which neighbours run at the same time.
 *
 * Fusion leaves an order that respects what groups need. A result that is written into an operand's memory wants everybody else who
 * reads the operand to have run before: where nothing speaks against it, the writer is moved behind them. */
#include "cpu/plan/planner.h"

#include <string.h>

static const char no_memory[] = "out of memory while planning";

#define MAX_MOVES 256 /* readers that a writer waits for, each for a search through the graph */

fl_status fl_list_reads(fl_planner *p)
{
    fl_graph *g = &p->graph;
    uint32_t total = 0;
    for (uint32_t i = 0; i < g->node_count; i++) total += g->nodes[i]->view_count;
    uint32_t *first = p->read_first = FL_NEW_ARRAY(g->arena, uint32_t, g->base_count + 3);
    p->reads = FL_NEW_ARRAY(g->arena, fl_read, total + 1);
    FL_CHECK(first && p->reads, FL_OOM, no_memory);
    for (uint32_t i = 0; i < g->node_count; i++)
        for (uint32_t v = 0; v < g->nodes[i]->view_count; v++) first[g->nodes[i]->views[v].base + 2]++;
    for (uint32_t b = 2; b < g->base_count + 2; b++) first[b] += first[b - 1];
    for (uint32_t i = 0; i < g->node_count; i++)
        for (uint32_t v = 0; v < g->nodes[i]->view_count; v++)
            p->reads[first[g->nodes[i]->views[v].base + 1]++] = (fl_read){g->nodes[i], v};
    return NULL;
}

/* --- writers after readers --- */

typedef struct edge {
    uint32_t from, to; /* group positions */
} edge;

typedef struct sorter {
    fl_planner *p;
    edge *edges; /* groups that must run one after the other */
    uint32_t count, capacity;
    uint32_t *first, *next; /* of each group: edges from it, sorted; valid after sort_edges */
    uint32_t *seen, search, *stack;
} sorter;

static int add_edge(sorter *s, uint32_t from, uint32_t to)
{
    if (from == to) return 1;
    if (s->count == s->capacity) {
        uint32_t wanted = s->capacity ? s->capacity * 2 : 256;
        edge *edges = FL_NEW_ARRAY(s->p->graph.arena, edge, wanted);
        if (!edges) return 0;
        if (s->count) memcpy(edges, s->edges, s->count * sizeof *edges);
        s->edges = edges;
        s->capacity = wanted;
    }
    s->edges[s->count++] = (edge){from, to};
    return 1;
}

static uint32_t position(const fl_planner *p, const fl_node *node)
{
    return fl_group_of(&p->grouping, node)->order;
}

/* Calls `each` for every reader of a base that `writer` wants to overwrite. */
typedef fl_status (*wish_fn)(sorter *s, const fl_node *writer, const fl_node *reader);

static fl_status wishes_of_base(sorter *s, uint32_t base, const fl_node *writer, wish_fn each)
{
    const fl_planner *p = s->p;
    for (uint32_t i = p->read_first[base]; i < p->read_first[base + 1]; i++)
        if (position(p, p->reads[i].node) != position(p, writer)) FL_TRY(each(s, writer, p->reads[i].node));
    return NULL;
}

static fl_status wishes(sorter *s, wish_fn each)
{
    const fl_planner *p = s->p;
    const fl_graph *g = &p->graph;
    for (uint32_t r = 0; r < g->result_count; r++) {
        const fl_node *writer = g->bases[g->results[r].view.base].node;
        for (uint32_t a = p->alias_first[r]; writer && a < p->alias_first[r + 1]; a++)
            FL_TRY(wishes_of_base(s, 1 + p->aliases[a].input, writer, each));
    }
    if (!p->all->share) return NULL;
    for (uint32_t i = 0; i < g->node_count; i++) {
        const fl_node *n = g->nodes[i];
        for (uint32_t b = 0; n->kind == FL_NODE_LIBRARY && b < n->base_count && b < n->view_count; b++)
            if (fl_library_in_place(n, b, b) && n->views[b].identity &&
                g->bases[n->views[b].base].kind == FL_BASE_NODE)
                FL_TRY(wishes_of_base(s, n->views[b].base, n, each));
    }
    return NULL;
}

static fl_status count_late(sorter *s, const fl_node *writer, const fl_node *reader)
{
    s->search += position(s->p, reader) > position(s->p, writer);
    return NULL;
}

static fl_status add_early(sorter *s, const fl_node *writer, const fl_node *reader)
{
    uint32_t from = position(s->p, reader), to = position(s->p, writer);
    if (from < to) FL_CHECK(add_edge(s, from, to), FL_OOM, no_memory);
    return NULL;
}

static fl_status sort_edges(sorter *s)
{
    uint32_t n = s->p->grouping.order_count;
    s->first = FL_NEW_ARRAY(s->p->graph.arena, uint32_t, n + 3);
    s->next = FL_NEW_ARRAY(s->p->graph.arena, uint32_t, s->count + 1);
    FL_CHECK(s->first && s->next, FL_OOM, no_memory);
    for (uint32_t i = 0; i < s->count; i++) s->first[s->edges[i].from + 2]++;
    for (uint32_t i = 2; i < n + 2; i++) s->first[i] += s->first[i - 1];
    for (uint32_t i = 0; i < s->count; i++) s->next[s->first[s->edges[i].from + 1]++] = s->edges[i].to;
    return NULL;
}

/* Whether there is a way from one group to another over the sorted edges. */
static int reaches(sorter *s, uint32_t from, uint32_t to)
{
    uint32_t depth = 0;
    s->search++;
    s->stack[depth++] = from;
    s->seen[from] = s->search;
    while (depth) {
        uint32_t at = s->stack[--depth];
        if (at == to) return 1;
        for (uint32_t i = s->first[at]; i < s->first[at + 1]; i++) {
            if (s->seen[s->next[i]] == s->search) continue;
            s->seen[s->next[i]] = s->search;
            s->stack[depth++] = s->next[i];
        }
    }
    return 0;
}

static fl_status add_late(sorter *s, const fl_node *writer, const fl_node *reader)
{
    uint32_t from = position(s->p, reader), to = position(s->p, writer);
    if (from < to || s->search > MAX_MOVES) return NULL;
    if (reaches(s, to, from)) return NULL;
    FL_CHECK(add_edge(s, from, to), FL_OOM, no_memory);
    return sort_edges(s);
}

/* The groups again, each as early as the edges and the old order allow. */
static fl_status sort_groups(sorter *s)
{
    fl_grouping *gs = &s->p->grouping;
    fl_arena *arena = s->p->graph.arena;
    uint32_t n = gs->order_count, *wanted = FL_NEW_ARRAY(arena, uint32_t, n + 1), done = 0;
    uint64_t *ready = FL_NEW_ARRAY(arena, uint64_t, n / 64 + 1);
    fl_group **order = FL_NEW_ARRAY(arena, fl_group *, gs->capacity);
    FL_CHECK(wanted && ready && order, FL_OOM, no_memory);
    for (uint32_t i = 0; i < s->count; i++) wanted[s->edges[i].to]++;
    for (uint32_t i = 0; i < n; i++)
        if (!wanted[i]) ready[i / 64] |= 1ull << i % 64;
    for (uint32_t word = 0; word <= n / 64;) {
        if (!ready[word]) {
            word++;
            continue;
        }
        uint32_t at = word * 64 + (uint32_t)__builtin_ctzll(ready[word]);
        ready[word] &= ready[word] - 1;
        order[done++] = gs->order[at];
        for (uint32_t i = s->first[at]; i < s->first[at + 1]; i++) {
            uint32_t to = s->next[i];
            if (--wanted[to]) continue;
            ready[to / 64] |= 1ull << to % 64;
            if (to / 64 < word) word = to / 64;
        }
    }
    FL_CHECK(done == n, FL_INTERNAL, "groups need each other in a circle");
    for (uint32_t i = 0; i < n; i++) order[i]->order = i;
    gs->order = order;
    return NULL;
}

fl_status fl_order(fl_planner *p)
{
    fl_graph *g = &p->graph;
    sorter s = {.p = p};
    FL_TRY(wishes(&s, count_late));
    if (!s.search) return NULL; /* nobody reads too late */
    s.search = 0;
    s.seen = FL_NEW_ARRAY(g->arena, uint32_t, p->grouping.order_count + 1);
    s.stack = FL_NEW_ARRAY(g->arena, uint32_t, p->grouping.order_count + 1);
    FL_CHECK(s.seen && s.stack, FL_OOM, no_memory);
    for (uint32_t i = 0; i < g->node_count; i++) {
        const fl_node *n = g->nodes[i];
        uint32_t to = position(p, n);
        int added = !n->after || add_edge(&s, position(p, n->after), to);
        for (uint32_t v = 0; v < n->view_count; v++) {
            const fl_base *base = &g->bases[n->views[v].base];
            if (base->kind == FL_BASE_NODE) added &= add_edge(&s, position(p, base->node), to);
        }
        FL_CHECK(added, FL_OOM, no_memory);
    }
    FL_TRY(wishes(&s, add_early));
    FL_TRY(sort_edges(&s));
    FL_TRY(wishes(&s, add_late));
    return sort_groups(&s);
}

/* --- side by side --- */

/* Which region last read an input, or wrote memory that it may share; regions are counted from 1. */
typedef struct touched {
    uint32_t read, written;
} touched;

static int touch_result(const fl_planner *p, touched *inputs, uint32_t r, uint32_t region, int mark)
{
    int free_of_others = 1;
    for (uint32_t a = p->alias_first[r]; a < p->alias_first[r + 1]; a++) {
        touched *input = &inputs[p->aliases[a].input];
        if (mark)
            input->written = region;
        else
            free_of_others &= input->read != region;
    }
    return free_of_others;
}

/* Whether the group's writes and reads leave alone what others of the region read and write; marks them with `region`. */
static int touch(const fl_planner *p, touched *inputs, const fl_group *group, uint32_t region, int mark)
{
    int free_of_others = 1;
    for (const fl_node *n = group->first; n; n = n->next) {
        for (uint32_t v = 0; v < n->view_count; v++) {
            const fl_base *base = &p->graph.bases[n->views[v].base];
            if (base->kind != FL_BASE_INPUT) continue;
            if (mark)
                inputs[base->input].read = region;
            else
                free_of_others &= inputs[base->input].written != region;
        }
        for (uint32_t b = n->first_base; b < n->first_base + n->base_count; b++)
            if (p->graph.bases[b].result >= 0)
                free_of_others &= touch_result(p, inputs, (uint32_t)p->graph.bases[b].result, region, mark);
    }
    for (const fl_extra *e = p->extras[group->id]; e; e = e->next)
        free_of_others &= touch_result(p, inputs, e->result, region, mark);
    return free_of_others;
}

/* Whether a group needs one of those at `first` and after it in the order. */
static int needs_since(const fl_planner *p, const fl_group *group, uint32_t first)
{
    for (const fl_node *n = group->first; n; n = n->next)
        for (uint32_t v = 0; v < n->view_count; v++) {
            const fl_base *base = &p->graph.bases[n->views[v].base];
            if (base->kind != FL_BASE_NODE) continue;
            const fl_group *needed = fl_group_of(&p->grouping, base->node);
            if (needed != group && needed->order >= first) return 1;
        }
    return 0;
}

/* Neighbours in the order that do not need each other and share no memory run at the same time. */
fl_status fl_batches(fl_planner *p)
{
    const fl_grouping *gs = &p->grouping;
    p->batches = FL_NEW_ARRAY(p->graph.arena, uint32_t, gs->order_count + 1);
    touched *inputs = FL_NEW_ARRAY(p->graph.arena, touched, p->graph.input_count + 1);
    FL_CHECK(p->batches && inputs, FL_OOM, no_memory);
    int aliased = p->alias_first[p->graph.result_count] > 0;
    uint32_t region = 1, first = 0;
    for (uint32_t i = 0; i < gs->order_count; i++) {
        const fl_group *group = gs->order[i];
        int joins =
            i > 0 && p->graph.fusion && !group->library && !gs->order[first]->library && i - first < 256;
        if (joins) joins = !needs_since(p, group, first);
        if (joins && aliased) joins = touch(p, inputs, group, region, 0);
        if (!joins && i) {
            region++;
            first = i;
        }
        if (aliased) touch(p, inputs, group, region, 1);
        p->batches[i] = region;
    }
    return NULL;
}
