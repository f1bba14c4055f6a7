#include "eager/recorded.h"
#include "base/text.h"
#include "eager/engine.h"
#include "eager/mode.h"
#include "eager/precision.h"
#include "eager/wide.h"
#include "flambeau.h"

#include <stdlib.h>

fl_status fl_recorded_begin(int device, fl_trace **out)
{
    FL_TRY(fl_trace_begin(device, out));
    (*out)->is_graph = (*out)->keeps_constants = 1;
    return NULL;
}

void fl_recorded_random(fl_trace *t, uint64_t stream, uint64_t offset, uint64_t before[2])
{
    before[0] = t->generator.seed;
    before[1] = t->generator.offset;
    t->generator = (fl_generator){stream, offset};
}

/* What the recording says of its arguments, before it ends. */
static fl_status describe_args(fl_recorded_graph *g, const fl_trace *t, const uint32_t *aliases)
{
    g->arg_count = t->arg_count;
    g->args = calloc(t->arg_count + 1u, sizeof *g->args);
    FL_CHECK(g->args, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < t->arg_count; i++) {
        const fl_trace_arg *arg = &t->args[i];
        g->args[i] = (fl_recorded_arg){.kind = arg->is_random ? FL_RECORDED_RANDOM
                                               : arg->buffer  ? FL_RECORDED_CAPTURED
                                                              : FL_RECORDED_TENSOR,
                                       .result = (int32_t)aliases[i] - 1,
                                       .buffer = arg->buffer,
                                       .stream = arg->state[0],
                                       .offset = arg->state[1]};
    }
    g->random_blocks = t->generator.offset;
    return NULL;
}

/* Layouts of all arguments and results, then which result lies in which argument. */
static fl_status compile(fl_recorded_graph *g, const fl_program *p, const char *name,
                         const fl_layout *arg_layouts, const fl_layout *layouts, uint32_t count)
{
    uint32_t args = g->arg_count, results = p->main->result_count;
    fl_layout *all = calloc((size_t)args + results + 1, sizeof *all);
    uint8_t *aliases = calloc((size_t)args * results + 1, 1);
    fl_status status = all && aliases ? NULL : fl_error(FL_OOM, "out of host memory");
    for (uint32_t i = 0; !status && i < args; i++) {
        all[i] = g->args[i].kind == FL_RECORDED_TENSOR
                     ? arg_layouts[i]
                     : fl_layout_dense(fl_type_of(p, p->main->first_arg + i));
        if (g->args[i].result < 0) continue;
        all[args + (uint32_t)g->args[i].result] = all[i];
        aliases[(size_t)g->args[i].result * args + i] = 1;
    }
    for (uint32_t r = 0; !status && r < count; r++) all[args + r] = layouts[r];
    const fl_compile_options options = {
        .name = name, .inputs = all, .outputs = all + args, .aliases = aliases};
    if (!status) status = g->device->vtable->compile(g->device, p, &options, &g->executable);
    free(all);
    free(aliases);
    g->result_count = results;
    return status;
}

fl_status fl_recorded_draft(fl_trace *t, const fl_tensor *results, uint32_t count, fl_recorded_graph **out)
{
    uint32_t *aliases = NULL;
    int index = t->device->index;
    *out = NULL;
    fl_recorded_graph *g = calloc(1, sizeof *g);
    fl_status status = g ? NULL : fl_error(FL_OOM, "out of host memory");
    if (!status) status = fl_trace_collect(t, results, NULL, count, &g->program, &aliases);
    if (!status) status = describe_args(g, t, aliases);
    fl_trace_abandon(t);
    free(aliases);
    if (!status) status = fl_device_get(index, &g->device);
    if (status)
        fl_recorded_free(g);
    else
        *out = g;
    return status;
}

fl_status fl_recorded_compile(fl_recorded_graph *g, const char *name, const fl_layout *arg_layouts,
                              const fl_layout *layouts, uint32_t count, int keep_program)
{
    FL_TRY(compile(g, g->program, name, arg_layouts, layouts, count));
    if (keep_program) return NULL;
    fl_program_destroy(g->program);
    g->program = NULL;
    return NULL;
}

fl_status fl_recorded_finish(fl_trace *t, const char *name, const fl_layout *arg_layouts,
                             const fl_tensor *results, const fl_layout *layouts, uint32_t count,
                             int keep_program, fl_recorded_graph **out)
{
    FL_TRY(fl_recorded_draft(t, results, count, out));
    fl_status status = fl_recorded_compile(*out, name, arg_layouts, layouts, count, keep_program);
    if (!status) return NULL;
    fl_recorded_free(*out);
    *out = NULL;
    return status;
}

fl_status fl_recorded_run(const fl_recorded_graph *g, int stream, const fl_binding *bindings)
{
    const fl_device_vtable *device = g->device->vtable;
    if (!g->result_count) return NULL;
    if (g->wide)
        FL_TRY(fl_wide_execute(g, stream, bindings));
    else
        FL_TRY(device->execute(g->device, stream, g->executable, bindings, bindings + g->arg_count));
    return fl_mode_current() == FL_EAGER_DEBUG ? device->synchronize(g->device, stream) : NULL;
}

uint64_t fl_recorded_settings(int device)
{
    return (uint64_t)fl_products_now(device) << 1 | (uint64_t)fl_rounds_as_written();
}

void fl_recorded_free(fl_recorded_graph *g)
{
    if (!g) return;
    fl_wide_run_free(g->wide);
    if (g->executable) g->device->vtable->destroy_executable(g->device, g->executable);
    fl_program_destroy(g->program);
    free(g->args);
    free(g);
}

char *fl_recorded_text(const fl_recorded_graph *g)
{
    fl_text text = {0};
    const fl_program *program = g->wide ? fl_wide_program(g->wide) : g->program;
    if (!program) return NULL;
    fl_program_print(program, &text);
    if (!text.failed) return text.data;
    fl_text_free(&text);
    return NULL;
}

static const fl_recorded_functions functions = {
    .begin = fl_recorded_begin,
    .argument = fl_trace_argument,
    .random = fl_recorded_random,
    .abandon = fl_trace_abandon,
    .finish = fl_recorded_finish,
    .draft = fl_recorded_draft,
    .compile = fl_recorded_compile,
    .run = fl_recorded_run,
    .settings = fl_recorded_settings,
    .release = fl_recorded_free,
    .text = fl_recorded_text,
    .can_widen = fl_wide_possible,
    .widen = fl_wide_make,
    .serve = fl_wide_serve,
    .release_wide = fl_wide_release,
};

const fl_recorded_functions *fl_recorded_get(uint32_t version)
{
    return version <= FL_ENGINE_VERSION ? &functions : NULL;
}
