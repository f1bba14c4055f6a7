/* What is computed twice. A group that reads results of another one can compute them itself, from what that one read, when that
 * costs less: a backward pass computes the forward pass's elementwise work again rather than having all of it stored. Nothing
 * moves more memory than before: what is no longer read and stored is weighed against what is read in addition and against
 * the arithmetic. */
#include "cpu/loop/fuse.h"
#include "device/device.h"

#include <string.h>

#define MAX_AGAIN   48  /* operations of one group that another computes again */
#define MAX_NODES   200 /* of a group that computes more */
#define LARGE_BYTES (1 << 20)

typedef struct fl_again {
    fl_graph *g;
    fl_grouping *gs;
    uint32_t capacity; /* of what follows: no more bases are made */
    uint32_t *outside; /* by base: groups that read it beside its own; results of the program count as many */
    uint32_t *read_by; /* by base: the last group that was seen to read it, + 1 */
    uint32_t *clone;   /* by base: what takes its place in the group at hand; 0: nothing */
    uint32_t *seen;    /* by base: number of the last search that met it */
    uint32_t search;
    uint8_t *kept; /* by input: 1 it may be read later than it is, 2 not; 0 not known yet */
    fl_group *reader, *maker;
    fl_node *nodes[MAX_AGAIN]; /* what is computed again, results before operands */
    uint32_t count;
    double saved, extra; /* nanoseconds */
} fl_again;

static double cost_of(const fl_node *n)
{
    double size = (double)fl_dtype_bytes(fl_loop_dtype((fl_dtype)n->input_dtype)) / 4;
    switch (n->code) {
    case FL_OP_NONE: return 0;
    case FL_OP_exponential:
    case FL_OP_log:
    case FL_OP_tanh:
    case FL_OP_logistic:
    case FL_OP_erf:
    case FL_OP_sine:
    case FL_OP_cosine:
    case FL_OP_log_plus_one:
    case FL_OP_exponential_minus_one: return 0.35 * size * size;
    case FL_OP_divide:
    case FL_OP_sqrt:
    case FL_OP_rsqrt: return 0.3 * size * size;
    default: return fl_op_infos[n->code].traits & FL_TRAIT_E ? 0.03 * size : 10;
    }
}

static double cost_of_bytes(double bytes)
{
    return bytes * (bytes >= LARGE_BYTES ? 0.08 : 0.02);
}

static double memory_cost(const fl_base *base)
{
    if (base->kind == FL_BASE_IOTA || base->splat) return 0;
    return cost_of_bytes((double)base->elements * (double)fl_dtype_bytes((fl_dtype)base->dtype));
}

/* Whether an input may be read later: not if a result may take its memory. */
static int may_read_later(fl_again *x, uint32_t input)
{
    const fl_graph *g = x->g;
    if (g->around) return 0;
    const uint8_t *aliases = g->options ? g->options->aliases : NULL;
    if (!aliases) return 1;
    if (!x->kept[input]) {
        x->kept[input] = 1;
        for (uint32_t r = 0; r < g->result_count; r++)
            if (aliases[(size_t)r * g->input_count + input]) x->kept[input] = 2;
    }
    return x->kept[input] == 1;
}

/* A value that is computed in the one group and can be in the other. */
static int is_movable(const fl_again *x, const fl_view *v)
{
    const fl_base *base = &x->g->bases[v->base];
    return base->kind == FL_BASE_NODE && v->identity && base->node->kind == FL_NODE_MAP &&
           base->node->elements == x->reader->space.total && base->elements == x->reader->space.total &&
           fl_group_of(x->gs, base->node) == x->maker;
}

/* Adds what computes `base` to the list; 0: it cannot be done. */
static int collect(fl_again *x, uint32_t base, uint32_t stop)
{
    if (x->seen[base] == x->search || base == stop) return 1;
    x->seen[base] = x->search;
    fl_node *n = x->g->bases[base].node;
    fl_space space = x->reader->space;
    if (x->count == MAX_AGAIN || !fl_loop_has_code(n) || !fl_space_add(&space, n->rank, n->dims, 1)) return 0;
    x->nodes[x->count++] = n;
    x->extra += cost_of(n) * (double)n->elements;
    for (uint32_t i = 0; i < n->view_count; i++) {
        const fl_view *v = &n->views[i];
        const fl_base *operand = &x->g->bases[v->base];
        if (is_movable(x, v)) {
            if (!collect(x, v->base, stop)) return 0;
            continue;
        }
        if (x->read_by[v->base] == x->reader->id + 1 || x->seen[v->base] == x->search) continue;
        x->seen[v->base] = x->search;
        if (operand->kind == FL_BASE_INPUT && !may_read_later(x, operand->input)) return 0;
        x->extra += memory_cost(operand);
    }
    return 1;
}

/* Whether the reader had better compute the values itself; `stop`: all but this one, which it reads. */
static int is_better(fl_again *x, const uint32_t *values, uint32_t count, uint32_t stop)
{
    x->count = 0;
    x->saved = x->extra = 0;
    x->search++;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == stop) continue;
        if (!collect(x, values[i], stop)) return 0;
        double once = memory_cost(&x->g->bases[values[i]]);
        x->saved += x->outside[values[i]] == 1 ? 2 * once : once;
    }
    return x->saved > x->extra && x->reader->count + x->count <= MAX_NODES &&
           x->g->base_count + x->count < x->capacity;
}

static int by_index(const fl_node *a, const fl_node *b)
{
    return a->index > b->index;
}

static void redirect(const fl_again *x, fl_node *n)
{
    for (uint32_t i = 0; i < n->view_count; i++)
        if (x->clone[n->views[i].base] && n->views[i].identity) n->views[i].base = x->clone[n->views[i].base];
}

/* The reader reads what a new node of its own does. */
static void note_reads(fl_again *x, const fl_node *n)
{
    for (uint32_t i = 0; i < n->view_count; i++) {
        uint32_t b = n->views[i].base;
        const fl_base *base = &x->g->bases[b];
        if (x->read_by[b] == x->reader->id + 1) continue;
        x->read_by[b] = x->reader->id + 1;
        x->outside[b] += base->kind == FL_BASE_NODE && fl_group_of(x->gs, base->node) != x->reader;
    }
}

static fl_status compute_again(fl_again *x, const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < x->count; i++)
        for (uint32_t j = i; j && by_index(x->nodes[j - 1], x->nodes[j]); j--) {
            fl_node *t = x->nodes[j];
            x->nodes[j] = x->nodes[j - 1], x->nodes[j - 1] = t;
        }
    fl_node *first = NULL, **last = &first;
    for (uint32_t i = 0; i < x->count; i++) {
        fl_node *old = x->nodes[i];
        fl_node *n = fl_graph_map(x->g, (fl_opcode)old->code, (fl_dtype)old->dtype,
                                  (fl_dtype)old->input_dtype, old->views, old->view_count);
        FL_CHECK(n, FL_OOM, "out of memory while planning");
        n->direction = old->direction;
        n->rank = old->rank, n->dims = old->dims, n->elements = old->elements;
        n->index = old->index;
        n->group = x->reader->id;
        redirect(x, n);
        note_reads(x, n);
        x->clone[old->first_base] = n->first_base;
        FL_CHECK(fl_space_add(&x->reader->space, n->rank, n->dims, 1), FL_INTERNAL, "a node does not fit");
        x->reader->loads += n->view_count;
        *last = n;
        last = &n->next;
    }
    for (fl_node *n = x->reader->first; n; n = n->next) redirect(x, n);
    *last = x->reader->first;
    x->reader->first = first;
    x->reader->count += x->count;
    for (uint32_t i = 0; i < count; i++)
        if (x->clone[values[i]]) x->outside[values[i]]--;
    for (uint32_t i = 0; i < x->count; i++) x->clone[x->nodes[i]->first_base] = 0;
    return NULL;
}

/* What the reader gets from one maker. */
static fl_status try_maker(fl_again *x, fl_group *maker)
{
    uint32_t values[MAX_AGAIN], count = 0, first = 0;
    x->maker = maker;
    x->search++;
    for (fl_node *n = x->reader->first; n; n = n->next)
        for (uint32_t i = 0; i < n->view_count && count < MAX_AGAIN; i++) {
            uint32_t b = n->views[i].base;
            if (!is_movable(x, &n->views[i]) || x->seen[b] == x->search) continue;
            x->seen[b] = x->search;
            if (!count || x->g->bases[b].node->index < x->g->bases[first].node->index) first = b;
            values[count++] = b;
        }
    if (!count) return NULL;
    if (is_better(x, values, count, 0) || (count > 1 && is_better(x, values, count, first)))
        return compute_again(x, values, count);
    return NULL;
}

static fl_status try_reader(fl_again *x, fl_group *reader)
{
    fl_group *makers[8];
    uint32_t count = 0;
    x->reader = reader;
    for (fl_node *n = reader->first; n; n = n->next)
        for (uint32_t i = 0; i < n->view_count; i++) {
            uint32_t b = n->views[i].base;
            const fl_base *base = &x->g->bases[b];
            x->read_by[b] = reader->id + 1;
            if (base->kind != FL_BASE_NODE || base->node->kind != FL_NODE_MAP || !n->views[i].identity)
                continue;
            fl_group *maker = fl_group_of(x->gs, base->node);
            uint32_t k = 0;
            while (k < count && makers[k] != maker) k++;
            if (k == count && count < 8 && maker != reader && maker->space.total == reader->space.total)
                makers[count++] = maker;
        }
    for (uint32_t k = 0; k < count; k++) FL_TRY(try_maker(x, makers[k]));
    return NULL;
}

static void count_readers(fl_again *x)
{
    fl_graph *g = x->g;
    for (uint32_t i = 0; i < x->gs->count; i++) {
        const fl_group *group = &x->gs->groups[i];
        for (fl_node *n = group->gone ? NULL : group->first; n; n = n->next)
            for (uint32_t v = 0; v < n->view_count; v++) {
                uint32_t b = n->views[v].base;
                if (g->bases[b].kind != FL_BASE_NODE || x->read_by[b] == i + 1) continue;
                x->read_by[b] = i + 1;
                x->outside[b] += fl_group_of(x->gs, g->bases[b].node) != group;
            }
    }
    for (uint32_t r = 0; r < g->result_count; r++) x->outside[g->results[r].view.base] += 1u << 20;
    if (g->flag.base) x->outside[g->flag.base] += 1u << 20;
}

fl_status fl_recompute(fl_graph *g, fl_grouping *gs)
{
    if (!fl_loop_has_kernels()) return NULL;
    fl_again *x = FL_NEW(g->arena, fl_again);
    FL_CHECK(x, FL_OOM, "out of memory while planning");
    *x = (fl_again){.g = g, .gs = gs, .capacity = 2 * g->base_count + 256};
    x->outside = FL_NEW_ARRAY(g->arena, uint32_t, x->capacity * 4u);
    x->kept = FL_NEW_ARRAY(g->arena, uint8_t, g->input_count + 1);
    FL_CHECK(x->outside && x->kept, FL_OOM, "out of memory while planning");
    x->read_by = x->outside + x->capacity;
    x->clone = x->read_by + x->capacity;
    x->seen = x->clone + x->capacity;
    count_readers(x);
    for (uint32_t i = 0; i < gs->count; i++)
        if (!gs->groups[i].gone && !gs->groups[i].library && gs->groups[i].space.total)
            FL_TRY(try_reader(x, &gs->groups[i]));
    return NULL;
}
