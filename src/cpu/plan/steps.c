/* From placed groups to steps. */
#include "cpu/kernels/strided.h"
#include "cpu/plan/planner.h"
#include "cpu/plan/profile.h"
#include "cpu/plan/scalar.h"

#include <string.h>

static const char no_memory[] = "out of memory while planning";

fl_operand fl_view_operand(const fl_planner *p, const fl_view *v)
{
    const fl_base *base = &p->graph.bases[v->base];
    fl_operand o = {.slot = base->slot, .dtype = base->dtype, .rank = v->rank};
    o.offset = base->offset + v->offset * (int64_t)fl_dtype_bytes((fl_dtype)base->dtype);
    memcpy(o.dims, v->dims, v->rank * sizeof *o.dims);
    memcpy(o.strides, v->strides, v->rank * sizeof *o.strides);
    return o;
}

fl_operand fl_result_operand(const fl_planner *p, uint32_t r)
{
    const fl_result *result = &p->graph.results[r];
    fl_operand o = {
        .slot = p->all->plan->input_count + r, .dtype = result->type.dtype, .rank = result->type.rank};
    if (p->graph.around) {
        const fl_base *base = &p->graph.around->graph.bases[p->graph.owner->first_base + r];
        o.slot = base->slot;
        o.offset = base->offset;
    }
    memcpy(o.dims, result->type.dims, o.rank * sizeof *o.dims);
    memcpy(o.strides, result->strides, o.rank * sizeof *o.strides);
    return o;
}

/* A base's memory as a dense operand over its node's dims (those of the operand, for a reduction: then flat). */
static fl_operand base_operand(const fl_planner *p, uint32_t b)
{
    const fl_base *base = &p->graph.bases[b];
    fl_operand o = {.slot = base->slot, .dtype = base->dtype, .rank = 1, .offset = base->offset};
    o.dims[0] = base->elements;
    o.strides[0] = 1;
    if (base->node->kind != FL_NODE_MAP) return o;
    o.rank = base->node->rank;
    int64_t step = 1;
    for (int i = o.rank - 1; i >= 0; i--) {
        o.dims[i] = base->node->dims[i];
        o.strides[i] = step;
        step *= o.dims[i];
    }
    return o;
}

fl_step *fl_new_step(fl_planner *p, const char *name)
{
    fl_step *s = &p->all->plan->steps[p->all->plan->step_count++];
    s->name = name;
    return s;
}

static fl_status add_slot(fl_planner *p, size_t scratch_offset, uint32_t *out)
{
    fl_plan *plan = p->all->plan;
    uint32_t first = plan->input_count + plan->output_count;
    if (plan->slot_count - first == p->all->slot_capacity) {
        struct fl_slot *slots = FL_NEW_ARRAY(&plan->arena, struct fl_slot, p->all->slot_capacity * 2);
        FL_CHECK(slots, FL_OOM, no_memory);
        memcpy(slots, plan->slots, p->all->slot_capacity * sizeof *slots);
        plan->slots = slots;
        p->all->slot_capacity *= 2;
    }
    plan->slots[plan->slot_count - first].scratch_offset = scratch_offset;
    *out = plan->slot_count++;
    return NULL;
}

/* --- library steps --- */

static fl_status make_library(fl_planner *p, const fl_group *group)
{
    const fl_node *n = group->first;
    fl_step *s = fl_new_step(p, fl_op_infos[n->op->code].name);
    s->input_count = n->op->operand_count;
    s->output_count = (uint16_t)n->base_count;
    s->captured_count = n->view_count - s->input_count;
    FL_TRY(fl_keep_op(p, n->op, n->captured, s->captured_count, &s->op, &s->captured));
    const fl_program *program = p->all->kept;
    s->inputs = FL_NEW_ARRAY(&p->all->plan->arena, fl_operand, n->view_count + 1);
    s->outputs = FL_NEW_ARRAY(&p->all->plan->arena, fl_operand, n->base_count + 1);
    FL_CHECK(s->inputs && s->outputs, FL_OOM, no_memory);
    for (uint32_t i = 0; i < n->view_count; i++) s->inputs[i] = fl_view_operand(p, &n->views[i]);
    for (uint32_t i = 0; i < n->base_count; i++) {
        fl_type type = fl_value_type(program, s->op->first_result + i);
        fl_view view;
        FL_CHECK(fl_view_dense(&p->graph, &view, n->first_base + i, type.rank, type.dims), FL_OOM, no_memory);
        s->outputs[i] = fl_view_operand(p, &view);
        const fl_base *base = &p->graph.bases[n->first_base + i];
        if (i < 32 && !base->in_memory && base->result < 0) s->unread |= 1u << i;
    }
    const fl_kernel *kernel = fl_kernel_find((fl_opcode)n->op->code);
    fl_status status =
        kernel ? kernel->prepare(program, s, &p->all->plan->arena) : fl_error(FL_UNSUPPORTED, "no kernel");
    if (fl_status_code(status) == FL_UNSUPPORTED) {
        fl_status_free(status);
        s->scratch_bytes = 0;
        status = fl_prepare_reference(program, s, &p->all->plan->arena);
    }
    FL_TRY(status);
    if (s->scratch_bytes) {
        size_t offset;
        uint32_t time = p->times[group->order];
        FL_TRY(fl_scratch_place(&p->all->scratch, s->scratch_bytes, time, time + 1, &offset));
        FL_TRY(add_slot(p, offset, &s->scratch_slot));
    }
    p->all->plan->cost += s->cost;
    return fl_note_library(p, n);
}

/* --- loops --- */

static fl_status make_stores(fl_planner *p, const fl_group *group, fl_loop_store **out, uint32_t *out_count)
{
    uint32_t count = 0, capacity = group->count;
    for (const fl_extra *e = p->extras[group->id]; e; e = e->next) capacity++;
    fl_loop_store *stores = FL_NEW_ARRAY(p->graph.arena, fl_loop_store, capacity + 1);
    FL_CHECK(stores, FL_OOM, no_memory);
    for (const fl_node *n = group->first; n; n = n->next) {
        const fl_base *base = &p->graph.bases[n->first_base];
        if (n->sink || !(base->in_memory || base->result >= 0)) continue;
        stores[count++] = (fl_loop_store){n->first_base, base_operand(p, n->first_base),
                                          base->result >= 0 ? p->conflicts[base->result] : base->shares};
    }
    for (const fl_extra *e = p->extras[group->id]; e; e = e->next)
        stores[count++] = (fl_loop_store){e->base, fl_result_operand(p, e->result), e->conflict};
    *out = stores;
    *out_count = count;
    return NULL;
}

/* Memory for the partial results of a loop's sinks, and the steps that combine them. A sink with one piece and no
 * narrower type to become is computed in place. */
static fl_status make_combinations(fl_planner *p, const fl_group *group, fl_loop *loop, fl_step *combines,
                                   uint32_t *count)
{
    uint32_t time = p->times[group->order];
    for (uint16_t i = 0; i < loop->sink_count; i++) {
        fl_loop_sink *sink = &loop->sinks[i];
        const fl_node *n = sink->node;
        const fl_base *base = &p->graph.bases[n->first_base];
        fl_dtype stored = (fl_dtype)n->dtype, tile = fl_loop_dtype(stored);
        if (sink->pieces == 1 && stored == tile) {
            sink->slot = base->slot;
            sink->offset = base->offset;
            continue;
        }
        size_t offset;
        FL_TRY(fl_scratch_place(&p->all->scratch, (size_t)(n->outer * sink->pieces * n->inner) * sink->size,
                                time, time + 1, &offset));
        sink->slot = p->all->scratch_slot;
        sink->offset = (int64_t)offset;
        fl_step *s = &combines[(*count)++];
        fl_combine *c = FL_NEW(&p->all->plan->arena, fl_combine);
        fl_operand *operands = FL_NEW_ARRAY(&p->all->plan->arena, fl_operand, 2);
        FL_CHECK(c && operands, FL_OOM, no_memory);
        *c = (fl_combine){.outer = n->outer,
                          .pieces = sink->pieces,
                          .inner = n->inner,
                          .combine = sink->combine,
                          .size = sink->size};
        c->out_size = (uint8_t)fl_dtype_bytes(stored);
        if (stored != tile) c->finish = fl_vec_find_moves()->convert[tile][stored];
        operands[0] =
            (fl_operand){.slot = sink->slot, .dtype = (uint8_t)tile, .rank = 1, .offset = sink->offset};
        operands[0].dims[0] = n->outer * sink->pieces * n->inner;
        operands[0].strides[0] = 1;
        operands[1] = base_operand(p, n->first_base);
        *s = (fl_step){.run = fl_combine_run,
                       .name = "combine",
                       .input_count = 1,
                       .output_count = 1,
                       .inputs = operands,
                       .outputs = operands + 1,
                       .data = c};
        s->cost = operands[0].dims[0] * sink->size;
        p->all->plan->cost += s->cost;
    }
    return NULL;
}

static fl_status run_copy(const fl_step *step, void *const *slots)
{
    fl_copy_run(step->data, fl_operand_pointer(&step->outputs[0], slots),
                fl_operand_pointer(&step->inputs[0], slots));
    return NULL;
}

/* A group that only moves elements to one place is a copy; *done tells whether a step was made. */
static fl_status make_copy(fl_planner *p, const fl_group *group, const fl_loop_store *stores,
                           uint32_t store_count, int *done)
{
    const fl_node *n = group->first;
    *done = 0;
    if (group->count != 1 || n->kind != FL_NODE_MAP || n->code != FL_OP_NONE || store_count != 1 ||
        p->graph.bases[n->views[0].base].kind == FL_BASE_IOTA || !group->space.total)
        return NULL;
    fl_operand from = fl_view_operand(p, &n->views[0]);
    const fl_operand *to = &stores->target;
    /* a result's dims may be another shape of the same elements */
    if (from.rank != to->rank || memcmp(from.dims, to->dims, from.rank * sizeof *from.dims)) return NULL;
    int is_there = from.slot == to->slot && from.offset == to->offset && fl_operand_is_dense(&from) &&
                   fl_operand_is_dense(to);
    if (stores->conflict && !is_there) return NULL;
    *done = 1;
    if (is_there) return NULL;
    fl_step *s = fl_new_step(p, "copy");
    fl_operand *operands = FL_NEW_ARRAY(&p->all->plan->arena, fl_operand, 2);
    fl_copy *copy = FL_NEW(&p->all->plan->arena, fl_copy);
    FL_CHECK(operands && copy, FL_OOM, no_memory);
    operands[0] = from;
    operands[1] = *to;
    size_t size = fl_dtype_bytes((fl_dtype)n->dtype);
    fl_copy_prepare(copy, size, from.rank, from.dims, to->strides, from.strides);
    *s = (fl_step){.run = run_copy,
                   .name = "copy",
                   .input_count = 1,
                   .output_count = 1,
                   .inputs = operands,
                   .outputs = operands + 1,
                   .data = copy};
    s->cost = 2 * group->space.total * (int64_t)size;
    p->all->plan->cost += s->cost;
    return fl_note_loops(p, &p->grouping.order[group->order], 1);
}

/* The groups [first, end) of the order run as one region. */
static fl_status make_loops(fl_planner *p, uint32_t first, uint32_t end)
{
    uint32_t count = 0, combine_count = 0, sinks = 0;
    for (uint32_t i = first; i < end; i++)
        for (const fl_node *n = p->grouping.order[i]->first; n; n = n->next) sinks += n->sink;
    fl_loop **loops = FL_NEW_ARRAY(&p->all->plan->arena, fl_loop *, end - first);
    fl_step *combines = FL_NEW_ARRAY(p->graph.arena, fl_step, sinks + 1);
    FL_CHECK(loops && combines, FL_OOM, no_memory);
    double cost = 0;
    for (uint32_t i = first; i < end; i++) {
        fl_group *group = p->grouping.order[i];
        fl_loop_store *stores;
        uint32_t store_count;
        fl_loop *loop;
        int copied;
        FL_TRY(make_stores(p, group, &stores, &store_count));
        FL_TRY(make_copy(p, group, stores, store_count, &copied));
        if (copied) continue;
        FL_TRY(
            fl_loop_lower(&p->graph, &p->grouping, group, stores, store_count, &p->all->plan->arena, &loop));
        if (!loop) continue;
        FL_TRY(make_combinations(p, group, loop, combines, &combine_count));
        loops[count++] = loop;
        cost += loop->cost;
    }
    if (!count) return NULL;
    fl_step *s = fl_new_step(p, count == 1 ? "loop" : "loops");
    s->cost = (int64_t)(cost * 8); /* as bytes moved */
    p->all->plan->cost += s->cost;
    s->run = fl_loop_run;
    s->data = loops[0];
    if (count > 1) {
        fl_loop_batch *batch = FL_NEW(&p->all->plan->arena, fl_loop_batch);
        int64_t *starts = FL_NEW_ARRAY(&p->all->plan->arena, int64_t, count + 1);
        FL_CHECK(batch && starts, FL_OOM, no_memory);
        for (uint32_t i = 0; i < count; i++) starts[i + 1] = starts[i] + loops[i]->units;
        *batch = (fl_loop_batch){.count = count, .units = starts[count], .first = starts, .loops = loops};
        batch->grain = cost < 40000 ? batch->units : 1 + (int64_t)(20000.0 * (double)batch->units / cost);
        s->run = fl_loop_batch_run;
        s->data = batch;
    }
    FL_TRY(fl_note_loops(p, p->grouping.order + first, end - first));
    for (uint32_t i = 0; i < combine_count; i++)
        p->all->plan->steps[p->all->plan->step_count++] = combines[i];
    return NULL;
}

fl_status fl_make_steps(fl_planner *p)
{
    const fl_grouping *gs = &p->grouping;
    uint32_t from = gs->order_count ? p->times[0] : 0;
    for (uint32_t b = 0; b < p->graph.base_count; b++) p->graph.bases[b].mark = 0; /* for fl_note_loops */
    for (uint32_t i = 0, end; i < gs->order_count; i = end) {
        const fl_group *group = gs->order[i];
        end = i + 1;
        if (p->all->scalar && fl_is_scalar(p, group)) {
            while (end < gs->order_count && fl_is_scalar(p, gs->order[end])) end++;
            FL_TRY(fl_make_scalars(p, i, end));
        } else if (group->library) {
            FL_TRY(group->first->regions ? fl_make_control(p, group) : make_library(p, group));
        } else {
            while (end < gs->order_count && p->times[end] == p->times[i]) end++;
            FL_TRY(make_loops(p, i, end));
        }
        if (!p->all->poison || (end < gs->order_count && p->times[end] == p->times[end - 1])) continue;
        FL_TRY(fl_poison(p, from, p->ends[end - 1]));
        from = p->ends[end - 1] + 1;
    }
    return NULL;
}
