/* Which results are computed straight into the memory where they belong: a program's outputs, a loop's state, what branches return.
 *
 * That memory may be used by an input, too: a donated argument, the state itself, a captured value. Then it may be written by a group only
 * when every read of that input is over, or happens in the same group at the same position (and earlier in the tile). Otherwise
 * the value is computed aside and copied when everything else is done. */
#include "cpu/plan/planner.h"

#include <string.h>

static const char no_memory[] = "out of memory while planning";

/* --- what shares memory --- */

typedef enum home_kind { HOME_SCRATCH, HOME_INPUT, HOME_OUTPUT } home_kind;
typedef struct home {
    home_kind kind;
    fl_base *base; /* of HOME_SCRATCH: whose memory it is */
    uint32_t number;
} home;

static home home_of(fl_graph *g, uint32_t b)
{
    for (;;) {
        fl_base *base = &g->bases[b];
        if (base->kind == FL_BASE_INPUT) {
            if (!g->around) return (home){HOME_INPUT, NULL, base->input};
            b = base->outer;
        } else if (base->result >= 0) {
            if (!g->around) return (home){HOME_OUTPUT, NULL, (uint32_t)base->result};
            b = g->owner->first_base + (uint32_t)base->result;
        } else if (base->shares) {
            b = base->shares;
            continue;
        } else {
            return (home){HOME_SCRATCH, base, 0};
        }
        g = &g->around->graph;
    }
}

/* Aliases are found twice: once to be counted. */
typedef struct collector {
    fl_planner *p;
    uint32_t *cursor; /* NULL: count in alias_first[result + 2] */
} collector;

static void collect(collector *c, uint32_t result, uint32_t input, uint8_t kind)
{
    if (!c->cursor)
        c->p->alias_first[result + 2]++;
    else
        c->p->aliases[c->cursor[result + 1]++] = (fl_alias){result, input, kind};
}

static void main_aliases(collector *c)
{
    const uint8_t *table = c->p->all->options ? c->p->all->options->aliases : NULL;
    uint32_t inputs = c->p->graph.input_count, results = c->p->graph.result_count;
    for (uint32_t r = 0; table && r < results; r++)
        for (uint32_t i = 0; i < inputs; i++)
            if (table[(size_t)r * inputs + i]) collect(c, r, i, table[(size_t)r * inputs + i]);
}

typedef struct homes {
    home *inputs, *results;
    uint32_t *by_output; /* which result has the program's output, + 1 */
} homes;

static void region_aliases(collector *c, const homes *h)
{
    const fl_planning *all = c->p->all;
    const uint8_t *table = all->options ? all->options->aliases : NULL;
    for (uint32_t i = 0; i < c->p->graph.input_count; i++) {
        const home *in = &h->inputs[i];
        uint32_t result = in->kind == HOME_SCRATCH  ? in->base->mark
                          : in->kind == HOME_OUTPUT ? h->by_output[in->number]
                                                    : 0;
        if (result) collect(c, result - 1, i, 1);
        for (uint32_t r = 0; in->kind == HOME_INPUT && table && r < c->p->graph.result_count; r++) {
            if (h->results[r].kind != HOME_OUTPUT) continue;
            uint8_t kind = table[(size_t)h->results[r].number * all->plan->input_count + in->number];
            if (kind) collect(c, r, i, kind);
        }
    }
}

static fl_status find_homes(fl_planner *p, homes *h)
{
    fl_graph *g = &p->graph, *around = &g->around->graph;
    h->inputs = FL_NEW_ARRAY(g->arena, home, g->input_count + 1);
    h->results = FL_NEW_ARRAY(g->arena, home, g->result_count + 1);
    h->by_output = FL_NEW_ARRAY(g->arena, uint32_t, p->all->plan->output_count + 1);
    FL_CHECK(h->inputs && h->results && h->by_output, FL_OOM, no_memory);
    for (uint32_t i = 0; i < g->input_count; i++) {
        h->inputs[i] = home_of(around, g->bases[1 + i].outer);
        if (h->inputs[i].kind == HOME_SCRATCH) h->inputs[i].base->mark = 0;
    }
    for (uint32_t r = 0; r < g->result_count; r++) {
        h->results[r] = home_of(around, g->owner->first_base + r);
        if (h->results[r].kind == HOME_SCRATCH) h->results[r].base->mark = r + 1;
        if (h->results[r].kind == HOME_OUTPUT) h->by_output[h->results[r].number] = r + 1;
    }
    return NULL;
}

static fl_status find_aliases(fl_planner *p)
{
    fl_graph *g = &p->graph;
    homes h = {0};
    collector c = {p, NULL};
    uint32_t *first = p->alias_first = FL_NEW_ARRAY(g->arena, uint32_t, g->result_count + 3);
    FL_CHECK(first, FL_OOM, no_memory);
    if (g->around) FL_TRY(find_homes(p, &h));
    for (int pass = 0; pass < 2; pass++) {
        if (g->around)
            region_aliases(&c, &h);
        else
            main_aliases(&c);
        if (pass) break;
        for (uint32_t r = 2; r < g->result_count + 2; r++) first[r] += first[r - 1];
        p->aliases = FL_NEW_ARRAY(g->arena, fl_alias, first[g->result_count + 1] + 1);
        FL_CHECK(p->aliases, FL_OOM, no_memory);
        c.cursor = first;
    }
    return NULL;
}

/* --- results --- */

/* Reads of the input and what they mean for a write of the result in `group`: 0 unsafe, 1 safe, 2 safe at equal positions. */
static int reads_allow(const fl_planner *p, const fl_alias *alias, const fl_group *group,
                       uint32_t result_of_node)
{
    int same = 1;
    uint32_t base = 1 + alias->input;
    for (uint32_t i = p->read_first[base]; i < p->read_first[base + 1]; i++) {
        const fl_node *n = p->reads[i].node;
        const fl_view *view = &n->views[p->reads[i].view];
        const fl_group *reader = fl_group_of(&p->grouping, n);
        if (reader->order < group->order) continue;
        if (reader != group) return 0;
        if (group->library) {
            int in_branches = n->regions && n->code != FL_OP_while;
            if (!fl_library_in_place(n, p->reads[i].view, result_of_node)) return 0;
            if (!in_branches && (alias->kind != 1 || !view->identity)) return 0;
            continue;
        }
        if (alias->kind != 1 || !view->identity || n->elements != group->space.total) return 0;
        same = 2;
    }
    return same;
}

/* Whether `node` may write result r in its group; *conflict gets the base of the input it must be careful with. */
static int may_write(const fl_planner *p, uint32_t r, uint32_t base, uint32_t *conflict)
{
    const fl_node *node = p->graph.bases[base].node;
    const fl_group *group = fl_group_of(&p->grouping, node);
    *conflict = 0;
    for (uint32_t a = p->alias_first[r]; a < p->alias_first[r + 1]; a++) {
        int allowed = reads_allow(p, &p->aliases[a], group, base - node->first_base);
        if (!allowed) return 0;
        if (allowed == 1) continue;
        int whole = node->kind == FL_NODE_MAP && node->elements == group->space.total;
        if (!whole || *conflict) return 0;
        *conflict = 1 + p->aliases[a].input;
    }
    return 1;
}

static fl_status copy_late(fl_planner *p, uint32_t r)
{
    fl_graph *g = &p->graph;
    fl_view view = g->results[r].view;
    g->bases[view.base].in_memory = 1;
    fl_dtype dtype = (fl_dtype)g->bases[view.base].dtype;
    fl_node *node = fl_graph_map(g, FL_OP_NONE, dtype, dtype, &view, 1);
    FL_CHECK(node, FL_OOM, no_memory);
    FL_TRY(fl_fuse_append(g, &p->grouping, node));
    fl_extra *extra = FL_NEW(g->arena, fl_extra);
    FL_CHECK(extra, FL_OOM, no_memory);
    *extra = (fl_extra){r, node->first_base, 0, NULL};
    p->extras[fl_group_of(&p->grouping, node)->id] = extra;
    return NULL;
}

static void mark_uses(fl_planner *p)
{
    for (uint32_t i = 0; i < p->graph.node_count; i++) {
        const fl_node *n = p->graph.nodes[i];
        const fl_group *group = fl_group_of(&p->grouping, n);
        for (uint32_t v = 0; v < n->view_count; v++) {
            fl_base *base = &p->graph.bases[n->views[v].base];
            if (base->kind == FL_BASE_NODE && fl_group_of(&p->grouping, base->node) != group)
                base->in_memory = 1;
        }
    }
}

/* Whether the group can walk the result's own shape. */
static int fits_space(const fl_planner *p, uint32_t r, const fl_node *node)
{
    fl_space *space = &fl_group_of(&p->grouping, node)->space;
    const fl_type *type = &p->graph.results[r].type;
    return fl_space_add(space, type->rank, type->dims, fl_node_is_row(space, node) ? space->columns : 1);
}

static fl_status place_result(fl_planner *p, uint32_t r, uint8_t *late)
{
    fl_graph *g = &p->graph;
    fl_base *base = &g->bases[g->results[r].view.base];
    const fl_node *node = base->node;
    uint32_t conflict;
    if (g->results[r].untouched) return NULL;
    int flexible = node->kind != FL_NODE_LIBRARY && !node->sink;
    if (!may_write(p, r, g->results[r].view.base, &conflict) ||
        (!flexible && (base->result >= 0 || !g->results[r].dense))) {
        *late = 1;
    } else if (base->result < 0 && g->results[r].dense) {
        base->result = (int32_t)r;
        p->conflicts[r] = conflict;
    } else if (!fits_space(p, r, node)) {
        *late = 1;
    } else {
        fl_extra *extra = FL_NEW(g->arena, fl_extra);
        FL_CHECK(extra, FL_OOM, no_memory);
        fl_extra **list = &p->extras[fl_group_of(&p->grouping, node)->id];
        *extra = (fl_extra){r, g->results[r].view.base, conflict, *list};
        *list = extra;
    }
    return NULL;
}

static fl_status place_block(fl_planner *p)
{
    fl_graph *g = &p->graph;
    uint32_t count = g->result_count;
    p->extras = FL_NEW_ARRAY(g->arena, fl_extra *, p->grouping.capacity);
    p->conflicts = FL_NEW_ARRAY(g->arena, uint32_t, count + 1);
    uint8_t *late = FL_NEW_ARRAY(g->arena, uint8_t, count + 1);
    FL_CHECK(p->extras && p->conflicts && late, FL_OOM, no_memory);
    FL_TRY(fl_list_reads(p));
    FL_TRY(find_aliases(p));
    mark_uses(p);
    FL_TRY(fl_order(p));
    for (uint32_t r = 0; r < count; r++) FL_TRY(place_result(p, r, &late[r]));
    uint32_t nodes = g->node_count;
    for (uint32_t r = 0; r < count; r++)
        if (late[r]) FL_TRY(copy_late(p, r));
    if (g->node_count > nodes) FL_TRY(fl_list_reads(p));
    FL_TRY(fl_batches(p));
    if (!p->all->share) return NULL;
    uint32_t *last = FL_NEW_ARRAY(g->arena, uint32_t, g->base_count + 1);
    const fl_group **sole = FL_NEW_ARRAY(g->arena, const fl_group *, g->base_count + 1);
    FL_CHECK(last && sole, FL_OOM, no_memory);
    fl_share(p, last, sole);
    return NULL;
}

fl_status fl_place_results(fl_planner *p)
{
    FL_TRY(place_block(p));
    for (uint32_t i = 0; i < p->graph.node_count; i++) {
        const fl_node *n = p->graph.nodes[i];
        for (uint32_t k = 0; n->regions && k < n->op->region_count; k++)
            FL_TRY(fl_place_results(n->regions[k]));
    }
    return NULL;
}
