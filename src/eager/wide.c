#include "eager/wide.h"
#include "opt/opt.h"
#include "opt/widen.h"

#include <stdlib.h>
#include <string.h>

struct fl_wide {
    fl_device *device;
    fl_widened *widened;
    fl_executable *executable;
    int references;
    uint32_t arg_count, result_count; /* of the graphs */
    fl_recorded_arg *args;
    fl_layout *layouts; /* of their arguments and results; those that are open lie densely */
};

/* One argument or result whose type is wider in the executable. */
typedef struct wide_value {
    uint32_t at; /* among arguments, then results, of the graph */
    fl_type exact, wide;
    fl_layout layout; /* of the caller's tensor */
    int is_dense;
} wide_value;

struct fl_wide_run {
    fl_wide *wide;
    wide_value *values;
    uint32_t value_count, extra_count;
    fl_binding *extras; /* scalars of the host, or buffers that are owned */
    char (*scalars)[16];
};

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

int fl_wide_possible(int device)
{
    fl_device *d = fl_device_opened(device);
    return d && d->vtable->widen;
}

void fl_wide_release(fl_wide *w)
{
    if (!w || __atomic_sub_fetch(&w->references, 1, __ATOMIC_ACQ_REL)) return;
    if (w->executable) w->device->vtable->destroy_executable(w->device, w->executable);
    fl_widened_free(w->widened);
    free(w->args);
    free(w->layouts);
    free(w);
}

void fl_wide_run_free(fl_wide_run *r)
{
    if (!r) return;
    for (uint32_t i = 0; r->extras && i < r->extra_count; i++)
        if (r->extras[i].buffer) r->wide->device->vtable->release(r->wide->device, r->extras[i].buffer);
    fl_wide_release(r->wide);
    free(r->values);
    free(r->extras);
    free(r->scalars);
    free(r);
}

const fl_program *fl_wide_program(const fl_wide_run *r)
{
    return fl_widened_program(r->wide->widened);
}

/* ---- what a graph of certain sizes gives ---- */

static fl_status set_extra(fl_wide_run *r, uint32_t i, const fl_wide_extra *extra)
{
    const fl_device_vtable *device = r->wide->device->vtable;
    size_t bytes = fl_type_bytes(extra->type);
    if (!extra->type->rank) {
        memcpy(r->scalars[i], extra->data, bytes);
        r->extras[i].host = r->scalars[i];
        return NULL;
    }
    FL_TRY(device->allocate(r->wide->device, 0, bytes, &r->extras[i].buffer));
    return device->upload(r->wide->device, 0, extra->data, bytes, r->extras[i].buffer, 0);
}

static fl_status set_values(fl_wide_run *r, const fl_recorded_graph *g, const fl_program *exact,
                            const fl_wide_options *options)
{
    const fl_program *wide = fl_wide_program(r);
    uint32_t args = g->arg_count, results = exact->main->result_count;
    r->values = calloc(args + results + 1u, sizeof *r->values);
    if (!r->values) return no_memory();
    for (uint32_t i = 0; i < args + results; i++) {
        int is_arg = i < args;
        const fl_type *e =
            fl_type_of(exact, is_arg ? exact->main->first_arg + i : exact->main->results[i - args]);
        const fl_type *w =
            fl_type_of(wide, is_arg ? wide->main->first_arg + i : wide->main->results[i - args]);
        if (!fl_widened_is_open(r->wide->widened, i)) continue;
        FL_CHECK(!is_arg || (g->args[i].kind == FL_RECORDED_TENSOR && g->args[i].result < 0), FL_UNSUPPORTED,
                 "an input of open size is written");
        FL_CHECK(is_arg || i - args < options->result_count, FL_UNSUPPORTED,
                 "an input of open size is written");
        fl_layout layout = is_arg ? options->arg_layouts[i] : options->layouts[i - args];
        const fl_layout dense = fl_layout_dense(e);
        int is_dense = 1;
        for (int d = 0; d < e->rank; d++)
            is_dense &= e->dims[d] == 1 || layout.strides[d] == dense.strides[d];
        FL_CHECK(is_arg || is_dense, FL_UNSUPPORTED, "a result of open size does not lie densely");
        r->values[r->value_count++] = (wide_value){i, *e, *w, layout, is_dense};
    }
    return NULL;
}

/* The layout of argument i or of a result behind those, as the caller has it. */
static fl_layout layout_of(const fl_recorded_graph *g, const fl_program *exact,
                           const fl_wide_options *options, uint32_t i)
{
    uint32_t args = g->arg_count;
    if (i < args)
        return g->args[i].kind == FL_RECORDED_TENSOR
                   ? options->arg_layouts[i]
                   : fl_layout_dense(fl_type_of(exact, exact->main->first_arg + i));
    for (uint32_t k = 0; k < args; k++)
        if (g->args[k].result == (int32_t)(i - args)) return layout_of(g, exact, options, k);
    return options->layouts[i - args];
}

/* Whether what is not open is as the executable was compiled for. */
static int is_alike(const fl_wide *w, const fl_recorded_graph *g, const fl_program *exact,
                    const fl_wide_options *options)
{
    if (g->arg_count != w->arg_count || exact->main->result_count != w->result_count) return 0;
    for (uint32_t i = 0; i < w->arg_count; i++)
        if (g->args[i].kind != w->args[i].kind || g->args[i].result != w->args[i].result) return 0;
    for (uint32_t i = 0; i < w->arg_count + w->result_count; i++) {
        if (fl_widened_is_open(w->widened, i)) continue;
        fl_layout layout = layout_of(g, exact, options, i);
        if (memcmp(&layout, &w->layouts[i], sizeof layout) != 0) return 0;
    }
    return 1;
}

static fl_status fill_run(fl_wide_run *r, fl_recorded_graph *g, const fl_program *exact,
                          const fl_wide_options *options, int *fits)
{
    fl_widened *w = r->wide->widened;
    r->extra_count = fl_widened_extra_count(w);
    fl_wide_extra *extras = calloc(r->extra_count + 1u, sizeof *extras);
    r->extras = calloc(r->extra_count + 1u, sizeof *r->extras);
    r->scalars = calloc(r->extra_count + 1u, sizeof *r->scalars);
    fl_status status = extras && r->extras && r->scalars ? NULL : no_memory();
    *fits = !status && is_alike(r->wide, g, exact, options) && fl_widened_fit(w, exact, extras);
    if (*fits) status = set_values(r, g, exact, options);
    for (uint32_t i = 0; !status && *fits && i < r->extra_count; i++) status = set_extra(r, i, &extras[i]);
    free(extras);
    return status;
}

static fl_status begin_run(fl_wide *w, fl_recorded_graph *g, const fl_program *exact,
                           const fl_wide_options *options, int *fits)
{
    fl_wide_run *r = calloc(1, sizeof *r);
    *fits = 0;
    if (!r) return no_memory();
    r->wide = w;
    __atomic_add_fetch(&w->references, 1, __ATOMIC_RELAXED);
    fl_status status = fill_run(r, g, exact, options, fits);
    if (status || !*fits) {
        fl_wide_run_free(r);
        return status;
    }
    g->wide = r;
    g->result_count = exact->main->result_count;
    return NULL;
}

int fl_wide_serve(fl_wide *w, fl_recorded_graph *g, const fl_wide_options *options)
{
    int fits;
    fl_status status = fl_program_prune(g->program);
    if (!status) status = begin_run(w, g, g->program, options, &fits);
    if (status || !fits) {
        fl_status_free(status); /* its own program says what is wrong */
        return 0;
    }
    fl_program_destroy(g->program);
    g->program = NULL;
    return 1;
}

/* ---- making ---- */

/* What graphs that are served must have in common. */
static fl_status describe(fl_wide *w, const fl_recorded_graph *g, const fl_program *exact,
                          const fl_wide_options *options)
{
    w->arg_count = g->arg_count;
    w->result_count = exact->main->result_count;
    w->args = calloc(w->arg_count + 1u, sizeof *w->args);
    w->layouts = calloc((size_t)w->arg_count + w->result_count + 1, sizeof *w->layouts);
    if (!w->args || !w->layouts) return no_memory();
    memcpy(w->args, g->args, w->arg_count * sizeof *w->args);
    for (uint32_t i = 0; i < w->arg_count + w->result_count; i++)
        w->layouts[i] = layout_of(g, exact, options, i);
    return NULL;
}

static fl_status compile(fl_wide *w, const char *name)
{
    const fl_program *wide = fl_widened_program(w->widened);
    uint32_t args = wide->main->arg_count, results = wide->main->result_count;
    fl_layout *layouts = calloc((size_t)args + results + 1, sizeof *layouts);
    uint8_t *aliases = calloc((size_t)args * results + 1, 1);
    fl_status status = layouts && aliases ? NULL : no_memory();
    for (uint32_t i = 0; !status && i < args + results; i++) {
        int is_arg = i < args;
        uint32_t k = is_arg ? i : i - args + w->arg_count;
        layouts[i] = fl_layout_dense(
            fl_type_of(wide, is_arg ? wide->main->first_arg + i : wide->main->results[i - args]));
        if ((!is_arg || i < w->arg_count) && !fl_widened_is_open(w->widened, k)) layouts[i] = w->layouts[k];
    }
    for (uint32_t i = 0; !status && i < w->arg_count; i++)
        if (w->args[i].result >= 0) aliases[(size_t)w->args[i].result * args + i] = 1;
    const fl_compile_options options = {
        .name = name, .inputs = layouts, .outputs = layouts + args, .aliases = aliases};
    if (!status) status = w->device->vtable->compile(w->device, wide, &options, &w->executable);
    free(layouts);
    free(aliases);
    return status;
}

fl_status fl_wide_make(fl_recorded_graph *g, fl_recorded_graph *other, const fl_wide_options *options,
                       fl_wide **out)
{
    *out = NULL;
    int fits = 0;
    fl_wide *w = calloc(1, sizeof *w);
    if (!w) return no_memory();
    w->device = g->device;
    w->references = 1;
    fl_program *exact = g->program, *probe = other->program;
    fl_status status = fl_program_prune(exact);
    if (!status) status = fl_program_prune(probe);
    if (!status) {
        g->program = other->program = NULL;
        status = fl_program_widen(exact, probe, options->limit, &w->widened);
    }
    if (!status) status = describe(w, g, fl_widened_exact(w->widened), options);
    if (!status) status = compile(w, options->name);
    if (!status) status = begin_run(w, g, fl_widened_exact(w->widened), options, &fits);
    if (!status && !fits)
        status = fl_error(FL_INTERNAL, "a widened program does not fit what it was made of");
    if (status)
        fl_wide_release(w);
    else
        *out = w;
    return status;
}

/* ---- running ---- */

/* Whether the tensor is all that the buffer holds, and nobody else in the call uses that. */
static int is_alone(const fl_recorded_graph *g, const fl_binding *bindings, const wide_value *v)
{
    const fl_binding *b = &bindings[v->at];
    if (!v->is_dense || b->offset || b->buffer->bytes != fl_type_bytes(&v->exact)) return 0;
    for (uint32_t i = 0; i < g->arg_count + g->result_count; i++)
        if (i != v->at && bindings[i].buffer == b->buffer) return 0;
    return 1;
}

static void copy_strided(const fl_type *type, const fl_layout *layout, int d, int64_t at, const char *from,
                         char **to)
{
    size_t element = fl_dtype_bytes((fl_dtype)type->dtype);
    if (d == type->rank) {
        memcpy(*to, from + (size_t)at * element, element);
        *to += element;
        return;
    }
    for (int64_t i = 0; i < type->dims[d]; i++)
        copy_strided(type, layout, d + 1, at + i * layout->strides[d], from, to);
}

/* A buffer of its own for a tensor that shares one, by way of the host. */
static fl_status copy_out(fl_device *device, int stream, const fl_binding *from, const wide_value *v,
                          fl_buffer **out)
{
    size_t bytes = fl_type_bytes(&v->exact), span = fl_dtype_bytes((fl_dtype)v->exact.dtype);
    for (int d = 0; d < v->exact.rank; d++)
        span += (size_t)((v->exact.dims[d] - 1) * v->layout.strides[d]) *
                fl_dtype_bytes((fl_dtype)v->exact.dtype);
    char *all = malloc(span + 1), *dense = malloc(bytes + 1), *at = dense;
    fl_status status = all && dense ? NULL : no_memory();
    if (!status) status = device->vtable->download(device, stream, from->buffer, from->offset, span, all);
    if (!status) copy_strided(&v->exact, &v->layout, 0, 0, all, &at);
    if (!status) status = device->vtable->allocate(device, stream, bytes, out);
    if (!status) status = device->vtable->upload(device, stream, dense, bytes, *out, 0);
    free(all);
    free(dense);
    return status;
}

static fl_status widen_values(const fl_recorded_graph *g, int stream, const fl_binding *bindings,
                              fl_binding *given, fl_buffer **copies)
{
    const fl_wide_run *r = g->wide;
    fl_device *device = r->wide->device;
    for (uint32_t i = 0; i < r->value_count && r->values[i].at < g->arg_count; i++) {
        const wide_value *v = &r->values[i];
        FL_CHECK(bindings[v->at].buffer, FL_UNSUPPORTED, "a tensor of the host of open size");
        if (!is_alone(g, bindings, v)) {
            FL_TRY(copy_out(device, stream, &bindings[v->at], v, &copies[i]));
            given[v->at] = (fl_binding){.buffer = copies[i]};
        }
        FL_TRY(device->vtable->widen(device, given[v->at].buffer, &v->exact, &v->wide, 0));
    }
    return NULL;
}

fl_status fl_wide_execute(const fl_recorded_graph *g, int stream, const fl_binding *bindings)
{
    const fl_wide_run *r = g->wide;
    fl_device *device = r->wide->device;
    uint32_t args = g->arg_count, extras = r->extra_count;
    fl_binding *given = calloc(args + extras + 1u, sizeof *given);
    fl_buffer **copies = calloc(r->value_count + 1u, sizeof(fl_buffer *));
    fl_status status = given && copies ? NULL : no_memory();
    if (!status) {
        memcpy(given, bindings, args * sizeof *given);
        memcpy(given + args, r->extras, extras * sizeof *given);
        status = widen_values(g, stream, bindings, given, copies);
    }
    if (!status)
        status = device->vtable->execute(device, stream, r->wide->executable, given, bindings + args);
    for (uint32_t i = 0; !status && i < r->value_count; i++)
        if (r->values[i].at >= args)
            status = device->vtable->widen(device, bindings[r->values[i].at].buffer, &r->values[i].exact,
                                           &r->values[i].wide, 1);
    for (uint32_t i = 0; copies && i < r->value_count; i++)
        if (copies[i]) device->vtable->release(device, copies[i]);
    free(given);
    free(copies);
    return status;
}
