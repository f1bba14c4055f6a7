/* What the recorder's operators do: append their programs to the one that is recorded. */
#include "eager/trace.h"
#include "pjrt/client_wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE_CONSTANT = 1 << 16 }; /* bytes; larger data from the host become arguments */

static _Thread_local fl_trace *current;
static uint64_t traces; /* begun so far */

fl_trace *fl_trace_current(void)
{
    return current;
}

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

/* ---- arguments ---- */

static fl_status add_argument(fl_trace *t, fl_type type, const char *name, fl_trace_arg **out)
{
    if (t->arg_count == t->arg_capacity) {
        uint32_t capacity = 2 * t->arg_capacity + 16;
        fl_trace_arg *args = realloc(t->args, capacity * sizeof *args);
        if (!args) return no_memory();
        t->args = args;
        t->arg_capacity = capacity;
    }
    fl_trace_arg *arg = &t->args[t->arg_count];
    *arg = (fl_trace_arg){.type = type, .name = strdup(name), .parameter = fl_parameter(&t->builder, type)};
    if (!arg->name) return no_memory();
    if (!arg->parameter) {
        free(arg->name);
        return fl_error(fl_status_code(t->builder.status), "%s", fl_status_message(t->builder.status));
    }
    t->arg_count++;
    *out = arg;
    return NULL;
}

/* The state `at` becomes an argument; of `buffer` when that belongs to the real device. */
static fl_status add_buffer(fl_trace *t, fl_traced *at, fl_buffer *buffer, fl_type type, const char *name)
{
    fl_trace_arg *arg;
    FL_TRY(add_argument(t, type, name, &arg));
    arg->at = at;
    arg->buffer = buffer;
    at->trace = t->number;
    at->value = arg->parameter;
    at->type = type;
    at->is_argument = 1;
    return NULL;
}

/* A dense tensor of this type fills the buffer: that is its array, else a row of such elements. */
static fl_type array_type(const fl_buffer *buffer, const fl_type *type, int dense)
{
    if (dense && fl_type_bytes(type) == buffer->bytes) return *type;
    int64_t width = (int64_t)fl_dtype_bytes((fl_dtype)type->dtype),
            count = ((int64_t)buffer->bytes + width - 1) / width;
    return fl_type_make((fl_dtype)type->dtype, 1, &count);
}

static fl_status capture(fl_trace *t, fl_buffer *buffer, const fl_type *type, int dense, fl_traced **out)
{
    char name[40];
    fl_traced *at = calloc(1, sizeof *at);
    FL_CHECK(at, FL_OOM, "out of host memory");
    snprintf(name, sizeof name, "captured%u", t->arg_count);
    fl_status status = add_buffer(t, at, buffer, array_type(buffer, type, dense), name);
    if (status)
        free(at);
    else
        *out = at;
    return status;
}

/* The state of the buffer; one of the real device is captured, as `type` when that is dense. */
static fl_status find(fl_trace *t, fl_buffer *buffer, const fl_type *type, int dense, fl_traced **out)
{
    if (buffer->device == t->device) {
        *out = fl_traced_of(buffer);
        FL_CHECK(!(*out)->trace || (*out)->trace == t->number, FL_INVALID,
                 "a tensor that was made while another function was traced holds no value");
        return NULL;
    }
    FL_CHECK(buffer->device->index == t->device->index, FL_INVALID,
             "expected tensors of device %d in the traced function, got one of device %d", t->device->index,
             buffer->device->index);
    for (uint32_t i = 0; i < t->arg_count; i++)
        if (t->args[i].buffer == buffer) {
            *out = t->args[i].at;
            return NULL;
        }
    return capture(t, buffer, type, dense, out);
}

/* A generator's state: the argument for the first one of its seed; later ones are so many blocks further. */
static fl_status random_state(fl_trace *t, const uint64_t state[2], fl_ref *out)
{
    fl_builder *b = &t->builder;
    fl_trace_arg *arg = NULL;
    const int64_t two = 2;
    for (uint32_t i = 0; i < t->arg_count && !arg; i++)
        if (t->args[i].is_random && t->args[i].state[0] == state[0] && t->args[i].state[1] <= state[1])
            arg = &t->args[i];
    if (!arg) {
        char name[40];
        snprintf(name, sizeof name, "rng_state%u", t->arg_count);
        FL_TRY(add_argument(t, fl_type_make(FL_U64, 1, &two), name, &arg));
        arg->is_random = 1;
        memcpy(arg->state, state, sizeof arg->state);
    }
    const uint64_t more[2] = {0, state[1] - arg->state[1]};
    *out = arg->parameter;
    if (more[1]) *out = fl_add(b, *out, fl_constant(b, fl_type_make(FL_U64, 1, &two), more));
    return NULL;
}

/* ---- one call ---- */

typedef struct call {
    fl_trace *t;
    const fl_program *program;
    const fl_compile_options *options;
    uint32_t storage_count;
    fl_traced **states; /* of each storage, as the next three */
    fl_wrap_storage *storages;
    fl_ref *arrays, *results;
    fl_ref *values; /* of each argument */
    int64_t *input_starts, *output_starts;
    fl_wrap_binding *inputs, *outputs;
} call;

/* Bytes of the host become a constant, or an argument when there are many. */
static fl_status settle(call *c, fl_traced *at, const fl_buffer *buffer, const fl_type *type, int dense)
{
    fl_trace *t = c->t;
    if (!at->host) return NULL;
    at->trace = t->number;
    at->type = array_type(buffer, type, dense);
    if (buffer->bytes > LARGE_CONSTANT && !t->keeps_constants) {
        char name[40];
        fl_trace_arg *arg; /* of the bytes, not of the buffer, which may be an argument itself */
        snprintf(name, sizeof name, "uploaded%u", t->arg_count);
        FL_TRY(add_argument(t, at->type, name, &arg));
        at->value = arg->parameter;
    } else {
        at->value = fl_constant(&t->builder, at->type, at->host);
    }
    free(at->host);
    at->host = NULL;
    return NULL;
}

static fl_status sort_binding(call *c, const fl_type *type, const fl_layout *layout, const fl_binding *given,
                              fl_wrap_binding *out, int64_t *start)
{
    const fl_view view = {.type = type, .strides = layout ? layout->strides : NULL};
    int dense = !given->offset && fl_view_is_dense(&view);
    int64_t width = (int64_t)fl_dtype_bytes((fl_dtype)type->dtype);
    fl_traced *at;
    *out = (fl_wrap_binding){.storage = FL_WRAP_EMPTY};
    if (!fl_type_elements(type)) return NULL;
    if (!given->buffer) {
        out->storage = FL_WRAP_HOST;
        return NULL;
    }
    FL_CHECK(given->offset % width == 0, FL_UNSUPPORTED,
             "expected an offset that is a multiple of the element's %lld bytes, got %lld", (long long)width,
             (long long)given->offset);
    *start = given->offset / width;
    FL_TRY(find(c->t, given->buffer, type, dense, &at));
    FL_TRY(settle(c, at, given->buffer, type, dense));
    if (at->epoch != c->t->epoch) {
        at->epoch = c->t->epoch;
        at->slot = c->storage_count++;
        c->states[at->slot] = at;
        c->arrays[at->slot] = at->value;
        c->storages[at->slot] = (fl_wrap_storage){
            .bytes = given->buffer->bytes, .has_array = at->value != FL_NO_REF, .type = at->type};
    }
    out->storage = at->slot;
    return NULL;
}

static fl_status host_value(call *c, const fl_type *type, const void *host, fl_ref *out)
{
    FL_CHECK(host, FL_INVALID, "expected a buffer or a value for every argument");
    if (type->dtype == FL_U64 && type->rank == 1 && type->dims[0] == 2) return random_state(c->t, host, out);
    *out = fl_constant(&c->t->builder, *type, host);
    return NULL;
}

static fl_status sort_bindings(call *c, const fl_binding *inputs, const fl_binding *outputs)
{
    const fl_program *p = c->program;
    const fl_layout *in = c->options->inputs, *out = c->options->outputs;
    c->t->epoch++;
    for (uint32_t i = 0; i < p->main->arg_count; i++) {
        const fl_type *type = fl_type_of(p, p->main->first_arg + i);
        FL_TRY(sort_binding(c, type, in ? &in[i] : NULL, &inputs[i], &c->inputs[i], &c->input_starts[i]));
        if (c->inputs[i].storage == FL_WRAP_HOST) FL_TRY(host_value(c, type, inputs[i].host, &c->values[i]));
    }
    for (uint32_t r = 0; r < p->main->result_count; r++) {
        const fl_type *type = fl_type_of(p, p->main->results[r]);
        FL_TRY(
            sort_binding(c, type, out ? &out[r] : NULL, &outputs[r], &c->outputs[r], &c->output_starts[r]));
        FL_CHECK(c->outputs[r].storage != FL_WRAP_HOST, FL_INVALID, "expected a buffer for every result");
    }
    return NULL;
}

static fl_status append(call *c)
{
    fl_trace *t = c->t;
    const fl_wrap_given given = {c->arrays,        c->values,  c->input_starts,
                                 c->output_starts, c->results, .keep_checks = t->is_graph};
    FL_TRY(fl_wrap_append(&t->builder, c->program, c->options, c->storages, c->storage_count, c->inputs,
                          c->outputs, &given));
    if (t->builder.status)
        return fl_error(fl_status_code(t->builder.status), "%s", fl_status_message(t->builder.status));
    for (uint32_t s = 0; s < c->storage_count; s++) {
        if (!c->results[s]) continue;
        c->states[s]->trace = t->number;
        c->states[s]->value = c->results[s];
        c->states[s]->type = *fl_typeof(&t->builder, c->results[s]);
    }
    return NULL;
}

fl_status fl_trace_execute(fl_trace *t, const fl_program *program, const fl_compile_options *options,
                           const fl_binding *inputs, const fl_binding *outputs)
{
    fl_arena scratch = {0};
    uint32_t args = program->main->arg_count, results = program->main->result_count, n = args + results + 1;
    call c = {.t = t,
              .program = program,
              .options = options,
              .states = FL_NEW_ARRAY(&scratch, fl_traced *, n),
              .storages = FL_NEW_ARRAY(&scratch, fl_wrap_storage, n),
              .arrays = FL_NEW_ARRAY(&scratch, fl_ref, n),
              .results = FL_NEW_ARRAY(&scratch, fl_ref, n),
              .values = FL_NEW_ARRAY(&scratch, fl_ref, n),
              .input_starts = FL_NEW_ARRAY(&scratch, int64_t, n),
              .inputs = FL_NEW_ARRAY(&scratch, fl_wrap_binding, n)};
    int complete = c.states && c.storages && c.arrays && c.results && c.values && c.input_starts && c.inputs;
    if (complete) {
        c.output_starts = c.input_starts + args;
        c.outputs = c.inputs + args;
    }
    fl_status status = complete ? sort_bindings(&c, inputs, outputs) : no_memory();
    if (!status) status = append(&c);
    fl_arena_free(&scratch);
    return status;
}

/* ---- copies from and to the host ---- */

/* y = x for so many bytes, to be written to a part of a buffer. */
static fl_status write_bytes(fl_trace *t, fl_buffer *buffer, int64_t offset, const void *data, size_t bytes)
{
    fl_builder b;
    fl_program *program;
    int64_t count = (int64_t)bytes;
    fl_type type = fl_type_make(FL_U8, 1, &count);
    FL_TRY(fl_builder_init(&b, "bytes"));
    fl_ref x = fl_parameter(&b, type);
    FL_TRY(fl_builder_finish(&b, &x, 1, &program));
    const fl_binding in = {.host = data}, out = {.buffer = buffer, .offset = offset};
    fl_status status =
        fl_trace_execute(t, program, &(fl_compile_options){.name = "copy to device"}, &in, &out);
    fl_program_destroy(program);
    return status;
}

fl_status fl_trace_upload(fl_trace *t, fl_buffer *buffer, int64_t offset, const void *data, size_t bytes)
{
    fl_traced *at;
    int64_t all = (int64_t)buffer->bytes;
    fl_type type = fl_type_make(FL_U8, 1, &all);
    if (!bytes) return NULL;
    FL_TRY(find(t, buffer, &type, 1, &at));
    if (bytes == buffer->bytes) { /* nothing of it remains */
        free(at->host);
        at->host = NULL;
        at->value = FL_NO_REF;
    }
    if (at->value) return write_bytes(t, buffer, offset, data, bytes);
    if (!at->host) at->host = calloc(1, buffer->bytes + 16);
    FL_CHECK(at->host, FL_OOM, "out of host memory");
    memcpy((char *)at->host + offset, data, bytes);
    at->trace = t->number;
    return NULL;
}

fl_status fl_trace_download(fl_trace *t, fl_buffer *buffer, int64_t offset, size_t bytes, void *out)
{
    const fl_traced *at = buffer->device == t->device ? fl_traced_of(buffer) : NULL;
    if (!at || at->trace != t->number || !at->host)
        return fl_error(
            FL_INVALID,
            "the traced function reads what a tensor holds (item, bool, tolist, print, a copy to "
            "the host, a mask as an index): its program cannot depend on values; use torch.where, "
            "masks or static shapes");
    memcpy(out, (const char *)at->host + offset, bytes);
    return NULL;
}

/* ---- the recording ---- */

fl_status fl_trace_generator(const fl_generator *asked, fl_generator **out)
{
    *out = current && current->is_graph ? &current->generator : NULL;
    FL_CHECK(!*out || !asked, FL_UNSUPPORTED,
             "compiled graphs draw from the device's default generator, no other can be given");
    return NULL;
}

fl_status fl_trace_begin(int index, fl_trace **out)
{
    FL_CHECK(!current, FL_INVALID, "a function is being traced on this thread already");
    fl_trace *t = calloc(1, sizeof *t);
    FL_CHECK(t, FL_OOM, "out of host memory");
    fl_status status = fl_recorder_get(index, &t->device);
    if (!status) status = fl_builder_init(&t->builder, "main");
    if (status) {
        free(t);
        return status;
    }
    t->number = __atomic_add_fetch(&traces, 1, __ATOMIC_RELAXED);
    current = t;
    fl_device_replace(t->device);
    *out = t;
    return NULL;
}

fl_status fl_trace_argument(fl_trace *t, const fl_tensor *tensor, const char *name)
{
    fl_type type = fl_type_make((fl_dtype)tensor->dtype, tensor->rank, tensor->sizes);
    fl_trace_arg *arg;
    if (!tensor->buffer) return add_argument(t, type, name, &arg); /* it has no elements */
    FL_CHECK(tensor->buffer->device == t->device && !fl_traced_of(tensor->buffer)->trace && !tensor->offset &&
                 fl_type_bytes(&type) <= tensor->buffer->bytes,
             FL_INVALID, "argument %s: expected a new dense tensor that was made in the recording", name);
    return add_buffer(t, fl_traced_of(tensor->buffer), NULL, type, name);
}

/* Ends it for this thread; the builder is somebody else's by now. */
static void leave(fl_trace *t)
{
    current = NULL;
    fl_device_replace(NULL);
    fl_recorder_lock(t->device);
    for (uint32_t i = 0; i < t->arg_count; i++) {
        fl_traced *at = t->args[i].at;
        if (at && (t->args[i].buffer || at->is_orphan)) {
            free(at->host);
            free(at);
        } else if (at) {
            at->is_argument = 0;
        }
        free(t->args[i].name);
    }
    fl_recorder_unlock(t->device);
    free(t->args);
    free(t);
}

void fl_trace_abandon(fl_trace *t)
{
    if (!t) return;
    fl_builder_abandon(&t->builder);
    leave(t);
}
