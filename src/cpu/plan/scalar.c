#include "cpu/plan/scalar.h"

#include "cpu/plan/profile.h"

#include <string.h>

static const char no_memory[] = "out of memory while planning";

/* --- which groups --- */

static int is_wide_enough(fl_dtype dtype)
{
    return fl_loop_dtype(dtype) == dtype; /* narrow floats are computed in f32 and rounded: not here */
}

static uint8_t code_of(fl_opcode code, fl_dtype dtype)
{
    static const uint8_t codes[FL_OPCODE_COUNT][FL_DTYPE_COUNT] = {
#define X(op, D, T, R, value) [FL_OP_##op][FL_##D] = FL_SCALAR_##op##_##D,
        FL_SCALAR_OPS(X)
#undef X
    };
    return codes[code][dtype];
}

static uint8_t compare_code(uint8_t direction, fl_dtype dtype)
{
    static const uint8_t codes[6][FL_DTYPE_COUNT] = {
#define X(name, op, D, T) [FL_##name][FL_##D] = FL_SCALAR_##name##_##D,
        FL_SCALAR_COMPARES(X)
#undef X
    };
    return codes[direction][dtype];
}

static uint8_t convert_code(fl_dtype from, fl_dtype to)
{
    static const uint8_t codes[FL_DTYPE_COUNT][FL_DTYPE_COUNT] = {
#define X(D, E, T, R) [FL_##D][FL_##E] = FL_SCALAR_##D##_TO_##E,
        FL_SCALAR_CONVERTS(X)
#undef X
    };
    return codes[from][to];
}

static uint8_t copy_code(size_t size)
{
    static const uint8_t codes[] = {FL_SCALAR_COPY_1, FL_SCALAR_COPY_2, FL_SCALAR_COPY_4, FL_SCALAR_COPY_8,
                                    FL_SCALAR_COPY_16};
    return codes[fl_vec_size_class(size)];
}

/* The function for a node without an instruction of its own; NULL: none. */
static fl_vec_fn call_of(const fl_node *n)
{
    fl_dtype from = (fl_dtype)n->input_dtype, to = (fl_dtype)n->dtype;
    switch (n->code) {
    case FL_OP_convert: return fl_vec_find_moves()->convert[from][to];
    case FL_OP_compare: {
        fl_vec_forms forms = fl_vec_find_compare((fl_compare_direction)n->direction, from);
        return forms.vv;
    }
    case FL_OP_select: return NULL;
    default: return fl_vec_find((fl_opcode)n->code, from).vv;
    }
}

static uint8_t native_of(const fl_node *n)
{
    fl_dtype from = (fl_dtype)n->input_dtype, to = (fl_dtype)n->dtype;
    size_t size = fl_dtype_bytes(to);
    if (n->kind == FL_NODE_REDUCE) return copy_code(size);
    switch (n->code) {
    case FL_OP_NONE:
    case FL_OP_bitcast_convert: return copy_code(size);
    case FL_OP_convert: return from == to ? copy_code(size) : convert_code(from, to);
    case FL_OP_compare: return compare_code(n->direction, from);
    case FL_OP_select:
        return size == 1   ? FL_SCALAR_SELECT_1
               : size == 2 ? FL_SCALAR_SELECT_2
               : size == 4 ? FL_SCALAR_SELECT_4
               : size == 8 ? FL_SCALAR_SELECT_8
                           : FL_SCALAR_NONE;
    default: return from == to ? code_of((fl_opcode)n->code, from) : FL_SCALAR_NONE;
    }
}

static int is_single(const fl_planner *p, const fl_node *n)
{
    if (n->elements != 1 || n->sink || !is_wide_enough((fl_dtype)n->dtype) ||
        !is_wide_enough((fl_dtype)n->input_dtype))
        return 0;
    for (uint32_t v = 0; v < n->view_count; v++) {
        const fl_base *base = &p->graph.bases[n->views[v].base];
        if (base->kind == FL_BASE_IOTA || !is_wide_enough((fl_dtype)base->dtype)) return 0;
    }
    return native_of(n) != FL_SCALAR_NONE || call_of(n);
}

static int is_index(fl_dtype dtype)
{
    return dtype == FL_I32 || dtype == FL_I64;
}

static int are_indices(const fl_planner *p, const fl_view *views, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fl_dtype dtype = (fl_dtype)p->graph.bases[views[i].base].dtype;
        if (!is_index(dtype) || dtype != (fl_dtype)p->graph.bases[views[0].base].dtype) return 0;
    }
    return 1;
}

/* A scatter that sets one element: every dimension has a window of one, and the region returns what is new. */
static int sets_one(const fl_planner *p, const fl_node *n)
{
    uint32_t batching, mapped;
    const fl_block *region = n->op->regions[0];
    const int64_t *map = fl_op_ints(n->op, FL_ATTR_scatter_dims_to_operand_dims, &mapped);
    fl_op_ints(n->op, FL_ATTR_input_batching_dims, &batching);
    if (n->view_count != 3 || n->base_count != 1 || batching || fl_view_elements(&n->views[2]) != 1 ||
        (uint64_t)fl_view_elements(&n->views[1]) != mapped || !are_indices(p, &n->views[1], 1) ||
        region->op_count || region->results[0] != region->first_arg + 1)
        return 0;
    uint32_t covered = 0;
    for (uint32_t i = 0; i < mapped; i++) covered |= 1u << map[i];
    for (int d = 0; d < n->views[0].rank; d++)
        if (!(covered >> d & 1) && n->views[0].dims[d] != 1) return 0;
    return 1;
}

/* Slices of one element; what is updated must lie where the result does. */
static int is_single_access(const fl_planner *p, const fl_node *n)
{
    const fl_base *out = &p->graph.bases[n->first_base], *in;
    if (!n->op || n->regions) return 0;
    switch (n->code) {
    case FL_OP_dynamic_slice:
        return out->elements == 1 && n->views[0].rank > 0 && are_indices(p, n->views + 1, n->view_count - 1);
    case FL_OP_dynamic_update_slice:
        if (fl_view_elements(&n->views[1]) != 1 || !are_indices(p, n->views + 2, n->view_count - 2)) return 0;
        break;
    case FL_OP_scatter:
        if (!sets_one(p, n)) return 0;
        break;
    default: return 0;
    }
    in = &p->graph.bases[n->views[0].base];
    return n->views[0].identity && n->views[0].rank > 0 && in->slot == out->slot && in->offset == out->offset;
}

int fl_is_scalar(const fl_planner *p, const fl_group *group)
{
    if (group->library) return is_single_access(p, group->first);
    for (const fl_node *n = group->first; n; n = n->next)
        if (!is_single(p, n)) return 0;
    for (const fl_extra *e = p->extras[group->id]; e; e = e->next)
        if (p->graph.results[e->result].type.rank > 0 && !p->graph.results[e->result].dense) return 0;
    return group->space.total == 1;
}

/* --- the list --- */

typedef struct maker {
    fl_planner *p;
    fl_scalars *list;
    uint32_t capacity;
    fl_scalar_place *places; /* by base: where it is while the step runs, + 1; 0: in its own memory */
    size_t frame, frame_bytes;
    int failed;
} maker;

static fl_scalar_place place_at(maker *m, uint32_t slot, int64_t offset)
{
    m->failed |= slot > 0xffff || offset < 0 || offset >= INT64_C(1) << 47;
    return (uint64_t)offset << 16 | slot;
}

static fl_scalar_place place_of(maker *m, const fl_view *v)
{
    const fl_base *base = &m->p->graph.bases[v->base];
    if (m->places[v->base]) return m->places[v->base] - 1;
    return place_at(m, base->slot, base->offset + v->offset * (int64_t)fl_dtype_bytes((fl_dtype)base->dtype));
}

static fl_scalar_place temporary(maker *m)
{
    fl_scalar_place place = place_at(m, m->p->all->scratch_slot, (int64_t)(m->frame + m->frame_bytes));
    m->frame_bytes += 16;
    return place;
}

static fl_scalar_instr *add(maker *m, uint32_t code)
{
    fl_scalar_instr *i = &m->list->list[m->list->count++];
    i->code = code;
    return i;
}

static void add_copy(maker *m, fl_scalar_place out, fl_scalar_place in, fl_dtype dtype)
{
    fl_scalar_instr *i = add(m, copy_code(fl_dtype_bytes(dtype)));
    i->out = out;
    i->a = i->b = i->c = in;
}

/* Whether anything of the group after `n` reads the base that the result would overwrite. */
static int is_read_later(const fl_node *n, uint32_t conflict)
{
    for (const fl_node *k = n->next; k; k = k->next)
        for (uint32_t v = 0; v < k->view_count; v++)
            if (k->views[v].base == conflict) return 1;
    return 0;
}

static uint32_t conflict_of(const fl_planner *p, const fl_base *base)
{
    return base->result >= 0 ? p->conflicts[base->result] : base->shares;
}

static void make_node(maker *m, const fl_node *n)
{
    fl_planner *p = m->p;
    const fl_base *out = &p->graph.bases[n->first_base];
    fl_view self = {.base = n->first_base};
    int kept = out->in_memory || out->result >= 0;
    uint32_t conflict = conflict_of(p, out);
    fl_scalar_place in[3] = {0};
    for (uint32_t v = 0; v < n->view_count && v < 3; v++) in[v] = place_of(m, &n->views[v]);
    for (uint32_t v = n->view_count; v < 3; v++) in[v] = in[0];
    fl_scalar_place where =
        kept && !(conflict && is_read_later(n, conflict)) ? place_of(m, &self) : temporary(m);
    uint8_t native = native_of(n);
    fl_scalar_instr *i = add(m, native ? native : FL_SCALAR_CALL);
    i->out = where;
    i->a = in[0], i->b = in[1], i->c = in[2];
    if (!native) i->u.call = call_of(n);
    m->places[n->first_base] = where + 1;
}

/* What is stored after everything has been read: into memory that the group reads, and into further results. */
static void make_stores(maker *m, const fl_group *group)
{
    fl_planner *p = m->p;
    for (const fl_node *n = group->first; n; n = n->next) {
        const fl_base *base = &p->graph.bases[n->first_base];
        fl_scalar_place own;
        if (!base->in_memory && base->result < 0) continue;
        own = place_at(m, base->slot, base->offset);
        if (m->places[n->first_base] - 1 == own) continue;
        add_copy(m, own, m->places[n->first_base] - 1, (fl_dtype)n->dtype);
    }
    for (const fl_extra *e = p->extras[group->id]; e; e = e->next) {
        fl_operand to = fl_result_operand(p, e->result);
        add_copy(m, place_at(m, to.slot, to.offset), m->places[e->base] - 1, (fl_dtype)to.dtype);
    }
}

static fl_scalar_index *new_index(maker *m, uint32_t count, fl_dtype element, fl_dtype index)
{
    fl_scalar_index *x = fl_arena_zalloc(&m->p->all->plan->arena, 1, sizeof *x + count * sizeof x->dims[0]);
    if (!x) return NULL;
    x->count = count;
    x->size = (uint8_t)fl_dtype_bytes(element);
    x->wide = index == FL_I64;
    return x;
}

static fl_status make_access(maker *m, const fl_node *n)
{
    fl_graph *g = &m->p->graph;
    const fl_view *array = &n->views[0];
    fl_view self = {.base = n->first_base};
    fl_dtype dtype = (fl_dtype)g->bases[array->base].dtype;
    int first = n->code == FL_OP_dynamic_slice ? 1 : n->code == FL_OP_scatter ? 1 : 2;
    uint32_t count = n->code == FL_OP_scatter ? (uint32_t)fl_view_elements(&n->views[1]) : array->rank;
    fl_dtype index_dtype = (fl_dtype)g->bases[n->views[first].base].dtype;
    fl_scalar_index *x = new_index(m, count, dtype, index_dtype);
    FL_CHECK(x, FL_OOM, no_memory);
    for (uint32_t d = 0; d < count; d++) {
        int64_t dim = d;
        if (n->code == FL_OP_scatter) {
            const fl_view *v =
                &n->views[1]; /* of one vector: where it runs, and how far apart its numbers are */
            int64_t step = 0;
            dim = fl_op_ints(n->op, FL_ATTR_scatter_dims_to_operand_dims, NULL)[d];
            for (int k = 0; k < v->rank; k++)
                if (v->dims[k] > 1) step = v->strides[k];
            x->dims[d].at =
                place_of(m, v) + ((uint64_t)(d * step * (int64_t)fl_dtype_bytes(index_dtype)) << 16);
        } else {
            x->dims[d].at = place_of(m, &n->views[first + (int)d]);
        }
        x->dims[d].most = array->dims[dim] - 1;
        x->dims[d].stride = array->strides[dim] * x->size;
    }
    fl_scalar_instr *i = add(m, n->code == FL_OP_dynamic_slice ? FL_SCALAR_READ
                                : n->code == FL_OP_scatter     ? FL_SCALAR_PUT
                                                               : FL_SCALAR_WRITE);
    i->u.index = x;
    i->out = place_of(m, &self);
    i->a = i->b = i->c = place_of(m, &n->views[n->code == FL_OP_dynamic_slice ? 0
                                               : n->code == FL_OP_scatter     ? 2
                                                                              : 1]);
    return NULL;
}

fl_status fl_make_scalars(fl_planner *p, uint32_t first, uint32_t end)
{
    fl_plan *plan = p->all->plan;
    maker m = {.p = p, .list = FL_NEW(&plan->arena, fl_scalars)};
    uint32_t most = 0, nodes = 0;
    for (uint32_t i = first; i < end; i++) {
        const fl_group *group = p->grouping.order[i];
        for (const fl_node *n = group->first; n; n = n->next) nodes++;
        for (const fl_extra *e = p->extras[group->id]; e; e = e->next) most++;
    }
    most += 2 * nodes;
    if (!p->places) p->places = FL_NEW_ARRAY(p->graph.arena, uint64_t, p->graph.base_count + 1);
    m.places = p->places;
    FL_CHECK(m.list && m.places, FL_OOM, no_memory);
    m.list->list = FL_NEW_ARRAY(&plan->arena, fl_scalar_instr, most + 1);
    FL_CHECK(m.list->list, FL_OOM, no_memory);
    FL_TRY(
        fl_scratch_place(&p->all->scratch, (size_t)nodes * 16, p->times[first], p->ends[end - 1], &m.frame));
    for (uint32_t i = first; i < end; i++) {
        const fl_group *group = p->grouping.order[i];
        if (group->library) {
            FL_TRY(make_access(&m, group->first));
            continue;
        }
        for (const fl_node *n = group->first; n; n = n->next) make_node(&m, n);
        make_stores(&m, group);
    }
    for (uint32_t i = first; i < end; i++)
        for (const fl_node *n = p->grouping.order[i]->first; n; n = n->next) m.places[n->first_base] = 0;
    FL_CHECK(!m.failed, FL_UNSUPPORTED, "a plan has too many slots");
    fl_step *s = fl_new_step(p, "scalars");
    s->run = fl_scalars_run;
    s->data = m.list;
    s->cost = 16 * (int64_t)m.list->count;
    plan->cost += s->cost;
    return fl_note_loops(p, p->grouping.order + first, end - first);
}
