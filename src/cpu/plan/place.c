/* Where values live: results straight into outputs where that is safe, everything else in scratch memory.
 *
 * An output may lie in memory that an input also uses. Then it may be written by a group only when every read of that input
 * is over, or happens in the same group at the same position (and earlier in the tile). Otherwise the value is computed aside and
 * copied when everything else is done. */
#include "cpu/plan/planner.h"

#include <string.h>

static int alias_of(const fl_planner *p, uint32_t result, uint32_t input)
{
    const uint8_t *aliases = p->options ? p->options->aliases : NULL;
    return aliases ? aliases[result * p->plan->input_count + input] : 0;
}

/* Reads of `input` and what they mean for a write of a whole value in `group`: 0 unsafe, 1 safe, 2 safe at equal positions. */
static int reads_allow(const fl_planner *p, uint32_t input, const fl_group *group, int alias)
{
    int same = 1;
    for (uint32_t i = 0; i < p->graph.node_count; i++) {
        const fl_node *n = p->graph.nodes[i];
        const fl_group *reader = fl_group_of(&p->grouping, n);
        if (reader->order < group->order) continue;
        for (uint32_t v = 0; v < n->view_count; v++) {
            const fl_base *base = &p->graph.bases[n->views[v].base];
            if (base->kind != FL_BASE_INPUT || base->input != input) continue;
            if (reader != group || alias != 1 || group->library || !n->views[v].identity ||
                n->elements != group->space.total)
                return 0;
            same = 2;
        }
    }
    return same;
}

/* Whether `node` may write result r in its group; *conflict gets the input it must be careful with, + 1. */
static int may_write(const fl_planner *p, uint32_t r, const fl_node *node, uint32_t *conflict)
{
    const fl_group *group = fl_group_of(&p->grouping, node);
    *conflict = 0;
    for (uint32_t i = 0; i < p->plan->input_count; i++) {
        int alias = alias_of(p, r, i);
        if (!alias) continue;
        int allowed = reads_allow(p, i, group, alias);
        if (!allowed) return 0;
        if (allowed == 1) continue;
        int whole = node->kind == FL_NODE_MAP && node->elements == group->space.total;
        if (!whole || *conflict) return 0;
        *conflict = i + 1;
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
    FL_CHECK(node, FL_OOM, "out of memory while planning");
    FL_TRY(fl_fuse_append(g, &p->grouping, node));
    fl_extra *extra = FL_NEW(g->arena, fl_extra);
    FL_CHECK(extra, FL_OOM, "out of memory while planning");
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

fl_status fl_place_results(fl_planner *p)
{
    fl_graph *g = &p->graph;
    uint32_t count = p->plan->output_count;
    p->extras = FL_NEW_ARRAY(g->arena, fl_extra *, p->grouping.capacity);
    p->conflicts = FL_NEW_ARRAY(g->arena, uint32_t, count + 1);
    uint8_t *late = FL_NEW_ARRAY(g->arena, uint8_t, count + 1);
    FL_CHECK(p->extras && p->conflicts && late, FL_OOM, "out of memory while planning");
    mark_uses(p);
    for (uint32_t r = 0; r < count; r++) {
        fl_base *base = &g->bases[g->results[r].view.base];
        const fl_node *node = base->node;
        uint32_t conflict;
        int flexible = node->kind != FL_NODE_LIBRARY && !node->sink;
        if (!may_write(p, r, node, &conflict) || (!flexible && (base->result >= 0 || !g->results[r].dense))) {
            late[r] = 1;
        } else if (base->result < 0 && g->results[r].dense) {
            base->result = (int32_t)r;
            p->conflicts[r] = conflict;
        } else if (!fits_space(p, r, node)) {
            late[r] = 1;
        } else {
            fl_extra *extra = FL_NEW(g->arena, fl_extra);
            FL_CHECK(extra, FL_OOM, "out of memory while planning");
            fl_extra **list = &p->extras[fl_group_of(&p->grouping, node)->id];
            *extra = (fl_extra){r, g->results[r].view.base, conflict, *list};
            *list = extra;
        }
    }
    for (uint32_t r = 0; r < count; r++)
        if (late[r]) FL_TRY(copy_late(p, r));
    return NULL;
}

/* --- times --- */

/* Which region last read an input, or wrote memory that it may share; regions are counted from 1. */
typedef struct touched {
    uint32_t read, written;
} touched;

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
        for (uint32_t b = n->first_base; b < n->first_base + n->base_count; b++) {
            int32_t r = p->graph.bases[b].result;
            for (uint32_t i = 0; r >= 0 && i < p->plan->input_count; i++) {
                if (!alias_of(p, (uint32_t)r, i)) continue;
                if (mark)
                    inputs[i].written = region;
                else
                    free_of_others &= inputs[i].read != region;
            }
        }
    }
    for (const fl_extra *e = p->extras[group->id]; e; e = e->next)
        for (uint32_t i = 0; i < p->plan->input_count; i++) {
            if (!alias_of(p, e->result, i)) continue;
            if (mark)
                inputs[i].written = region;
            else
                free_of_others &= inputs[i].read != region;
        }
    return free_of_others;
}

/* Neighbours in the order that do not need each other and share no memory run at the same time. */
fl_status fl_place_times(fl_planner *p)
{
    const fl_grouping *gs = &p->grouping;
    p->times = FL_NEW_ARRAY(p->graph.arena, uint32_t, gs->order_count + 1);
    touched *inputs = FL_NEW_ARRAY(p->graph.arena, touched, p->plan->input_count + 1);
    FL_CHECK(p->times && inputs, FL_OOM, "out of memory while planning");
    int aliased = p->options && p->options->aliases;
    uint32_t region = 1, first = 0;
    for (uint32_t i = 0; i < gs->order_count; i++) {
        const fl_group *group = gs->order[i];
        int joins =
            i > 0 && p->graph.fusion && !group->library && !gs->order[first]->library && i - first < 256;
        for (uint32_t k = first; joins && k < i; k++)
            joins = !(group->needs[gs->order[k]->id >> 6] >> (gs->order[k]->id & 63) & 1);
        if (joins && aliased) joins = touch(p, inputs, group, region, 0);
        if (!joins && i) {
            region++;
            first = i;
        }
        if (aliased) touch(p, inputs, group, region, 1);
        p->times[i] = region * 2;
    }
    return NULL;
}

/* --- memory --- */

static fl_status place_constants(fl_planner *p)
{
    fl_graph *g = &p->graph;
    size_t total = 0;
    for (uint32_t b = 1; b < g->base_count; b++) {
        fl_base *base = &g->bases[b];
        if (base->kind != FL_BASE_CONSTANT) continue;
        size_t bytes = fl_dtype_bytes((fl_dtype)base->dtype) * (size_t)base->elements;
        total = (total + 15) & ~(size_t)15;
        base->slot = p->constant_slot;
        base->offset = (int64_t)total;
        total += bytes;
    }
    p->constants = fl_arena_alloc(&p->plan->arena, total ? total : 16);
    FL_CHECK(p->constants, FL_OOM, "out of memory while planning");
    for (uint32_t b = 1; b < g->base_count; b++) {
        const fl_base *base = &g->bases[b];
        if (base->kind != FL_BASE_CONSTANT) continue;
        size_t bytes = fl_dtype_bytes((fl_dtype)base->dtype) * (size_t)base->elements;
        if (bytes) memcpy(p->constants + base->offset, base->data, bytes);
    }
    return NULL;
}

fl_status fl_place_memory(fl_planner *p)
{
    fl_graph *g = &p->graph;
    FL_TRY(place_constants(p));
    for (uint32_t b = 1; b < g->base_count; b++) {
        fl_base *base = &g->bases[b];
        if (base->kind == FL_BASE_INPUT) base->slot = base->input;
        if (base->kind != FL_BASE_NODE) continue;
        const fl_group *group = fl_group_of(&p->grouping, base->node);
        base->born = p->times[group->order];
        base->dies = base->born + 1; /* its combination */
    }
    for (uint32_t i = 0; i < g->node_count; i++) {
        const fl_node *n = g->nodes[i];
        uint32_t time = p->times[fl_group_of(&p->grouping, n)->order];
        for (uint32_t v = 0; v < n->view_count; v++)
            if (time > g->bases[n->views[v].base].dies) g->bases[n->views[v].base].dies = time + 1;
    }
    for (uint32_t b = 1; b < g->base_count; b++) {
        fl_base *base = &g->bases[b];
        if (base->kind != FL_BASE_NODE) continue;
        size_t offset = 0;
        if (base->result >= 0) {
            base->slot = p->plan->input_count + (uint32_t)base->result;
        } else if (base->in_memory || base->node->kind == FL_NODE_LIBRARY || base->node->sink) {
            size_t bytes = fl_dtype_bytes((fl_dtype)base->dtype) * (size_t)base->elements;
            FL_TRY(fl_scratch_place(&p->scratch, bytes, base->born, base->dies, &offset));
            base->slot = p->scratch_slot;
        }
        base->offset = (int64_t)offset;
    }
    return NULL;
}
