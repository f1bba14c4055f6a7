/* When values live, and where: everything that is no input or output lies in one block of scratch memory.
 *
 * Times count through the whole plan, regions included: what a loop uses of the values around it lives until the loop ends. */
#include "cpu/plan/planner.h"

#include <stdlib.h>
#include <string.h>

static const char no_memory[] = "out of memory while planning";

static void live_until(fl_graph *g, uint32_t b, uint32_t time)
{
    if (time > g->bases[b].dies) g->bases[b].dies = time;
}

static fl_status find_times(fl_planner *p);

/* A loop's body comes before its condition. */
static fl_status find_region_times(fl_planner *p, const fl_group *group)
{
    fl_planning *all = p->all;
    const fl_node *n = group->first;
    for (uint32_t k = n->op->region_count; k-- > 0;) {
        fl_planner *region = n->regions[n->code == FL_OP_while ? k : n->op->region_count - 1 - k];
        FL_TRY(find_times(region));
        all->clock += 2;
        if (region->graph.flag.base) live_until(&region->graph, region->graph.flag.base, all->clock);
    }
    p->ends[group->order] = all->clock;
    for (uint32_t b = n->first_base; b < n->first_base + n->base_count; b++)
        live_until(&p->graph, b, all->clock);
    for (uint32_t v = 0; v < n->view_count; v++)
        if (v >= n->op->operand_count || (n->fixed && n->fixed[v]))
            live_until(&p->graph, n->views[v].base, all->clock);
    return NULL;
}

static fl_status find_times(fl_planner *p)
{
    fl_graph *g = &p->graph;
    const fl_grouping *gs = &p->grouping;
    p->times = FL_NEW_ARRAY(g->arena, uint32_t, gs->order_count + 1);
    p->ends = FL_NEW_ARRAY(g->arena, uint32_t, gs->order_count + 1);
    FL_CHECK(p->times && p->ends, FL_OOM, no_memory);
    for (uint32_t i = 0; i < gs->order_count; i++) {
        const fl_group *group = gs->order[i];
        if (!i || p->batches[i] != p->batches[i - 1]) p->all->clock += 2;
        uint32_t time = p->times[i] = p->all->clock;
        p->ends[i] = time + 1; /* the combination of its partial results */
        for (const fl_node *n = group->first; n; n = n->next) {
            for (uint32_t b = n->first_base; b < n->first_base + n->base_count; b++) {
                g->bases[b].born = time;
                live_until(g, b, time + 1);
            }
            for (uint32_t v = 0; v < n->view_count; v++) live_until(g, n->views[v].base, time + 1);
        }
        if (group->first && group->first->regions) FL_TRY(find_region_times(p, group));
    }
    return NULL;
}

/* --- offsets --- */

typedef fl_status (*visit_fn)(fl_planner *p, void *context);

static fl_status visit_blocks(fl_planner *p, visit_fn visit, void *context)
{
    FL_TRY(visit(p, context));
    for (uint32_t i = 0; i < p->graph.node_count; i++) {
        const fl_node *n = p->graph.nodes[i];
        for (uint32_t k = 0; n->regions && k < n->op->region_count; k++)
            FL_TRY(visit_blocks(n->regions[k], visit, context));
    }
    return NULL;
}

static int is_temporary(const fl_base *base)
{
    return base->kind == FL_BASE_NODE && base->result < 0 &&
           (base->in_memory || base->node->kind == FL_NODE_LIBRARY || base->node->sink);
}

/* A part of a loop's state that is read where it was. */
static int is_fixed(const fl_base *base, uint32_t b)
{
    return base->node->fixed && base->node->fixed[b - base->node->first_base];
}

static size_t bytes_of(const fl_base *base)
{
    return fl_dtype_bytes((fl_dtype)base->dtype) * (size_t)base->elements;
}

typedef struct blocks {
    fl_base **list;
    uint32_t count;
} blocks;

static fl_status count_blocks(fl_planner *p, void *context)
{
    ((blocks *)context)->count += p->graph.base_count;
    return NULL;
}

static fl_status list_blocks(fl_planner *p, void *context)
{
    blocks *all = context;
    fl_graph *g = &p->graph;
    for (uint32_t b = 1; b < g->base_count; b++) {
        uint32_t root = b;
        while (g->bases[root].shares) root = g->bases[root].shares;
        if (root != b)
            live_until(g, root, g->bases[b].dies);
        else if (is_temporary(&g->bases[b]) && !is_fixed(&g->bases[b], b))
            all->list[all->count++] = &g->bases[b];
    }
    return NULL;
}

/* Large ones first; of equal size in the order of their births. */
static int by_size(const void *a, const void *b)
{
    const fl_base *x = *(fl_base *const *)a, *y = *(fl_base *const *)b;
    size_t m = bytes_of(x), n = bytes_of(y);
    if (m != n) return m < n ? 1 : -1;
    return x->born != y->born ? (x->born < y->born ? -1 : 1) : (x->dies > y->dies) - (x->dies < y->dies);
}

static fl_status place_blocks(fl_planner *main)
{
    blocks all = {0};
    FL_TRY(visit_blocks(main, count_blocks, &all));
    all.list = FL_NEW_ARRAY(main->graph.arena, fl_base *, all.count + 1);
    FL_CHECK(all.list, FL_OOM, no_memory);
    all.count = 0;
    FL_TRY(visit_blocks(main, list_blocks, &all));
    qsort(all.list, all.count, sizeof *all.list, by_size);
    for (uint32_t i = 0; i < all.count; i++) {
        size_t offset;
        fl_base *base = all.list[i];
        FL_TRY(fl_scratch_place(&main->all->scratch, bytes_of(base), base->born, base->dies, &offset));
        base->slot = main->all->scratch_slot;
        base->offset = (int64_t)offset;
    }
    return NULL;
}

/* --- where everything is --- */

static fl_status size_constants(fl_planner *p, void *context)
{
    fl_planning *all = context;
    fl_graph *g = &p->graph;
    for (uint32_t b = 1; b < g->base_count; b++) {
        fl_base *base = &g->bases[b];
        if (base->kind != FL_BASE_CONSTANT || base->outer) continue;
        all->constant_bytes = (all->constant_bytes + 15) & ~(size_t)15;
        base->slot = all->constant_slot;
        base->offset = (int64_t)all->constant_bytes;
        all->constant_bytes += bytes_of(base);
    }
    return NULL;
}

static fl_status copy_constants(fl_planner *p, void *context)
{
    fl_planning *all = context;
    fl_graph *g = &p->graph;
    for (uint32_t b = 1; b < g->base_count; b++) {
        const fl_base *base = &g->bases[b];
        if (base->kind == FL_BASE_CONSTANT && !base->outer && bytes_of(base))
            memcpy(all->constants + base->offset, base->data, bytes_of(base));
    }
    return NULL;
}

static void lies_with(fl_base *base, const fl_base *other)
{
    base->slot = other->slot;
    base->offset = other->offset;
}

/* Regions come after the blocks around them. */
static fl_status settle(fl_planner *p, void *context)
{
    (void)context;
    fl_graph *g = &p->graph;
    const fl_graph *around = g->around ? &g->around->graph : NULL;
    for (uint32_t b = 1; b < g->base_count; b++) {
        fl_base *base = &g->bases[b];
        uint32_t root = b;
        while (g->bases[root].shares) root = g->bases[root].shares;
        if (around && base->outer)
            lies_with(base, &around->bases[base->outer]);
        else if (base->kind == FL_BASE_INPUT)
            base->slot = base->input;
        else if (root != b)
            lies_with(base, &g->bases[root]);
        else if (base->kind == FL_BASE_NODE && base->result >= 0 && around)
            lies_with(base, &around->bases[g->owner->first_base + (uint32_t)base->result]);
        else if (base->kind == FL_BASE_NODE && base->result >= 0)
            base->slot = g->input_count + (uint32_t)base->result;
    }
    return NULL;
}

fl_status fl_place_memory(fl_planner *main)
{
    fl_planning *all = main->all;
    FL_TRY(find_times(main));
    FL_TRY(visit_blocks(main, size_constants, all));
    all->constants = fl_arena_alloc(&all->plan->arena, all->constant_bytes ? all->constant_bytes : 16);
    FL_CHECK(all->constants, FL_OOM, no_memory);
    FL_TRY(visit_blocks(main, copy_constants, all));
    FL_TRY(place_blocks(main));
    return visit_blocks(main, settle, NULL);
}
