#include "base/pool.h"
#include "base/switches.h"
#include "cpu/plan/planner.h"
#include "cpu/plan/profile.h"
#include "device/activity.h"

#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At most as many steps as there may be in a block and its regions. */
static uint32_t count_steps(const fl_planner *p)
{
    uint32_t count = p->grouping.order_count * (1 + (uint32_t)p->all->poison);
    for (uint32_t i = 0; i < p->graph.node_count; i++) {
        const fl_node *n = p->graph.nodes[i];
        count += n->sink;
        for (uint32_t k = 0; n->regions && k < n->op->region_count; k++)
            count += count_steps(n->regions[k]) + 2; /* jumps, the entry of a loop */
    }
    return count;
}

static fl_status make_plan(fl_planner *p)
{
    fl_planning *all = p->all;
    fl_plan *plan = all->plan;
    FL_TRY(fl_graph_build(&p->graph));
    FL_TRY(fl_fuse(&p->graph, &p->grouping));
    FL_TRY(fl_place_results(p));
    all->slot_capacity = 8;
    plan->slots = FL_NEW_ARRAY(&plan->arena, struct fl_slot, all->slot_capacity);
    plan->steps = FL_NEW_ARRAY(&plan->arena, fl_step, count_steps(p) + 1);
    FL_CHECK(plan->slots && plan->steps, FL_OOM, "out of memory while planning");
    all->constant_slot = plan->input_count + plan->output_count;
    all->scratch_slot = all->constant_slot + 1;
    plan->slot_count = all->scratch_slot + 1;
    FL_TRY(fl_place_memory(p));
    plan->slots[0].constant = all->constants;
    FL_TRY(fl_make_steps(p));
    plan->scratch_bytes = all->scratch.top;
    plan->scratch_least = fl_scratch_least(&all->scratch, all->clock + 2);
    FL_CHECK(plan->scratch_least <= plan->scratch_bytes, FL_OOM, "out of memory while planning");
    return NULL;
}

static fl_status try_plan(const fl_program *program, const fl_compile_options *options, int fusion,
                          fl_plan **out)
{
    fl_arena arena = {0}; /* of the planning alone */
    fl_plan *plan = calloc(1, sizeof *plan);
    FL_CHECK(plan, FL_OOM, "out of memory while planning");
    fl_planner *p = FL_NEW(&arena, fl_planner);
    fl_planning all = {.plan = plan,
                       .options = options,
                       .share = !fl_is_disabled("share"),
                       .scalar = !fl_is_disabled("scalar"),
                       .poison = fl_is_listed("FL_DEBUG", "poison")};
    fl_status status = NULL;
    if (!p) {
        status = fl_error(FL_OOM, "out of memory while planning");
    } else {
        p->all = &all;
        p->graph = (fl_graph){.program = program,
                              .options = options,
                              .arena = &arena,
                              .fusion = fusion,
                              .control = !fl_is_disabled("control")};
        all.scratch.arena = &arena;
        plan->input_count = program->main->arg_count;
        plan->output_count = program->main->result_count;
        plan->goes_on = options && options->goes_on;
        const char *name = options && options->name ? options->name : program->name;
        plan->name = fl_arena_strdup(&plan->arena, name ? name : "program");
        status = make_plan(p);
    }
    fl_arena_free(&arena);
    if (status)
        fl_plan_destroy(plan);
    else
        *out = plan;
    return status;
}

fl_status fl_plan_create(const fl_program *program, const fl_compile_options *options, fl_plan **out)
{
    int fusion = !fl_is_disabled("fusion");
    fl_status status = try_plan(program, options, fusion, out);
    if (fusion &&
        fl_status_code(status) == FL_UNSUPPORTED) { /* a group asks for too much: one operation at a time */
        fl_status_free(status);
        status = try_plan(program, options, 0, out);
    }
    if (!status && fl_is_listed("FL_DUMP", "plan")) {
        fl_text text = {0};
        fl_plan_print(*out, &text);
        if (text.data) fputs(text.data, stderr);
        fl_text_free(&text);
    }
    return status;
}

void fl_plan_destroy(fl_plan *plan)
{
    if (!plan) return;
    fl_arena_free(&plan->arena);
    free(plan);
}

/* Programs of several steps that cost more keep the pool awake. */
#define LONG_COST 1000000

static fl_status run_steps(const fl_plan *plan, void *const *slots)
{
    fl_status first = NULL;
    for (uint32_t i = 0; i < plan->step_count;) {
        const fl_step *step = &plan->steps[i];
        if (step->jump) {
            i = fl_step_next(step, slots, i);
            continue;
        }
        fl_status status = step->run(step, slots);
        if (__builtin_expect(status != NULL, 0)) {
            if (!plan->goes_on) return status;
            if (first)
                fl_status_free(status);
            else
                first = status;
        }
        i++;
    }
    return first;
}

fl_status fl_plan_run_in(const fl_plan *plan, void *const *inputs, void *const *outputs, void *scratch,
                         const fl_environment *environment)
{
    void **slots = (void **)alloca((plan->slot_count + 1) * sizeof *slots) + 1;
    slots[-1] = (void *)(uintptr_t)environment;
    uint32_t n = plan->input_count, m = n + plan->output_count;
    for (uint32_t i = 0; i < n; i++) slots[i] = inputs[i];
    for (uint32_t i = n; i < m; i++) slots[i] = outputs[i - n];
    for (uint32_t i = m; i < plan->slot_count; i++) {
        const struct fl_slot *s = &plan->slots[i - m];
        slots[i] = s->constant ? (void *)(uintptr_t)s->constant : (char *)scratch + s->scratch_offset;
    }
    if (fl_is_profiling() || fl_activities_on()) return fl_profile_steps(plan, slots);
    int is_long = plan->cost > LONG_COST && plan->step_count > 1;
    if (is_long) fl_pool_program(1);
    fl_status status = run_steps(plan, slots);
    if (is_long) fl_pool_program(-1);
    return status;
}
