/* Steps of while, if and case: copies of a loop's initial state where it is not there already, jumps, and the steps of the regions. */
#include "cpu/kernels/strided.h"
#include "cpu/plan/planner.h"

#include <string.h>

static const char no_memory[] = "out of memory while planning";

#define LOOP_RUNS 16 /* times that a loop is taken to run when costs are estimated */

typedef struct moves {
    uint32_t count;
    fl_copy copies[];
} moves;

static fl_status run_moves(const fl_step *step, void *const *slots)
{
    const moves *m = step->data;
    for (uint32_t i = 0; i < m->count; i++)
        fl_copy_run(&m->copies[i], fl_operand_pointer(&step->outputs[i], slots),
                    fl_operand_pointer(&step->inputs[i], slots));
    return NULL;
}

static int is_there(const fl_operand *from, const fl_operand *to)
{
    return from->slot == to->slot && from->offset == to->offset && fl_operand_is_dense(from);
}

/* The initial state goes to where the loop keeps it. */
static fl_status make_entry(fl_planner *p, const fl_node *n)
{
    fl_arena *arena = &p->all->plan->arena;
    uint32_t count = n->op->operand_count, left = 0;
    moves *m = fl_arena_alloc(arena, sizeof *m + count * sizeof(fl_copy));
    fl_operand *from = FL_NEW_ARRAY(arena, fl_operand, count + 1),
               *to = FL_NEW_ARRAY(arena, fl_operand, count + 1);
    FL_CHECK(m && from && to, FL_OOM, no_memory);
    for (uint32_t i = 0; i < count; i++) {
        fl_view view;
        if (n->fixed[i]) continue;
        FL_CHECK(fl_view_dense(&p->graph, &view, n->first_base + i, n->views[i].rank, n->views[i].dims),
                 FL_OOM, no_memory);
        from[left] = fl_view_operand(p, &n->views[i]);
        to[left] = fl_view_operand(p, &view);
        if (is_there(&from[left], &to[left]) || !fl_operand_elements(&to[left])) continue;
        fl_copy_prepare(&m->copies[left], fl_dtype_bytes((fl_dtype)to[left].dtype), to[left].rank,
                        to[left].dims, to[left].strides, from[left].strides);
        left++;
    }
    m->count = left;
    if (!left) return NULL;
    fl_step *s = fl_new_step(p, "while");
    s->run = run_moves;
    s->data = m;
    s->input_count = s->output_count = (uint16_t)left;
    s->inputs = from;
    s->outputs = to;
    for (uint32_t i = 0; i < left; i++) s->cost += 2 * (int64_t)fl_operand_bytes(&to[i]);
    p->all->plan->cost += s->cost;
    return NULL;
}

/* A jump decided by what `operand` (NULL: nothing) says. Its number, for the target to be entered. */
static fl_status add_jump(fl_planner *p, const char *name, fl_jump jump, const fl_view *view, uint32_t *out)
{
    fl_step *s = fl_new_step(p, name);
    *out = p->all->plan->step_count - 1;
    s->jump = (uint8_t)jump;
    if (!view) return NULL;
    s->inputs = FL_NEW_ARRAY(&p->all->plan->arena, fl_operand, 1);
    FL_CHECK(s->inputs, FL_OOM, no_memory);
    s->inputs[0] = fl_view_operand(p, view);
    s->input_count = 1;
    return NULL;
}

static void scale_cost(fl_plan *plan, int64_t before, int64_t runs)
{
    int64_t more, all;
    if (__builtin_mul_overflow(plan->cost - before, runs, &more) ||
        __builtin_add_overflow(before, more, &all))
        all = INT64_MAX / 4;
    plan->cost = all < INT64_MAX / 4 ? all : INT64_MAX / 4;
}

static fl_status make_while(fl_planner *p, const fl_node *n)
{
    fl_plan *plan = p->all->plan;
    fl_planner *condition = n->regions[0], *body = n->regions[1];
    uint32_t to_condition, back, start;
    FL_TRY(make_entry(p, n));
    FL_TRY(add_jump(p, "while", FL_JUMP, NULL, &to_condition));
    int64_t before = plan->cost;
    start = plan->step_count;
    FL_TRY(fl_make_steps(body));
    plan->steps[to_condition].target = plan->step_count;
    FL_TRY(fl_make_steps(condition));
    FL_TRY(add_jump(condition, "while", FL_JUMP_IF, &condition->graph.flag, &back));
    plan->steps[back].target = start;
    scale_cost(plan, before, LOOP_RUNS);
    plan->cost += 1000;
    return NULL;
}

/* `if` is a case of two, of which the first is for true. */
static fl_status make_branches(fl_planner *p, const fl_node *n)
{
    fl_plan *plan = p->all->plan;
    uint32_t count = n->op->region_count, choice, *ends = FL_NEW_ARRAY(p->graph.arena, uint32_t, count + 1);
    uint32_t *targets = FL_NEW_ARRAY(&plan->arena, uint32_t, count + 1);
    FL_CHECK(ends && targets, FL_OOM, no_memory);
    int two = n->code == FL_OP_if;
    FL_TRY(add_jump(p, two ? "if" : "case", two ? FL_JUMP_UNLESS : FL_JUMP_TABLE, &n->views[0], &choice));
    for (uint32_t k = 0; k < count; k++) {
        targets[k] = plan->step_count;
        FL_TRY(fl_make_steps(n->regions[k]));
        if (k + 1 < count) FL_TRY(add_jump(p, two ? "if" : "case", FL_JUMP, NULL, &ends[k]));
    }
    for (uint32_t k = 0; k + 1 < count; k++) plan->steps[ends[k]].target = plan->step_count;
    plan->steps[choice].target = two ? targets[1] : count;
    plan->steps[choice].data = targets;
    return NULL;
}

fl_status fl_make_control(fl_planner *p, const fl_group *group)
{
    const fl_node *n = group->first;
    return n->code == FL_OP_while ? make_while(p, n) : make_branches(p, n);
}

uint32_t fl_step_next(const fl_step *step, void *const *slots, uint32_t at)
{
    const void *decides = step->input_count ? fl_operand_pointer(&step->inputs[0], slots) : NULL;
    switch (step->jump) {
    case FL_JUMP: return step->target;
    case FL_JUMP_IF: return *(const uint8_t *)decides ? step->target : at + 1;
    case FL_JUMP_UNLESS: return *(const uint8_t *)decides ? at + 1 : step->target;
    default: {
        const uint32_t *targets = step->data;
        int32_t i = *(const int32_t *)decides;
        return targets[i < 0 || (uint32_t)i >= step->target ? step->target - 1 : (uint32_t)i];
    }
    }
}
