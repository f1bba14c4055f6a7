/* Programs on a PJRT device. The interface gives a program once and then calls it with buffers whose
 * arrays may have any type and shape; so an executable holds the plugin's executables for every
 * combination that came up. */
#include "device/activity.h"
#include "pjrt/client_cache.h"
#include "pjrt/client_device.h"
#include "pjrt/client_trace.h"

#include <stdlib.h>
#include <string.h>

/* One combination of arrays, and the plugin's executable for it. */
typedef struct variant {
    struct variant *next; /* used last comes first */
    uint64_t *key;
    uint32_t key_count, storage_count;
    PJRT_LoadedExecutable *loaded;
    fl_wrap_storage *storages;
    fl_wrapped wrapped; /* without its program */
    uint32_t arg_count, result_count;
    uint32_t value_count; /* arguments from the host; the vector of offsets follows them */
    PJRT_Buffer **values; /* what they were in the last call; NULL: there was none */
    char *last;           /* 16 bytes for each, then offsets: of this call, of the last one */
} variant;

struct fl_executable {
    fl_program *program;
    char *name;
    fl_layout *inputs, *outputs; /* NULL: dense */
    uint8_t *is_packed;          /* of each result, apart from its offset */
    int round_as_written;        /* as the options of its compilation say */
    variant *variants;
};

/* The bindings of one call, sorted out. */
typedef struct call {
    fl_pjrt_device *d;
    fl_executable *e;
    fl_buffer **buffers; /* of each storage */
    fl_wrap_storage *storages;
    uint32_t storage_count;
    fl_wrap_binding *inputs, *outputs;
    uint64_t *key;
    uint32_t key_count;
    void *block; /* to be freed */
} call;

/* Bindings of most calls fit into these; more are allocated. */
enum { FEW = 16, SPACE = 1024 };

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

/* ---- compilation ---- */

/* The program is valid: what a plugin says against it is about the plugin. */
static fl_status refusal(fl_status status)
{
    if (!status || fl_status_code(status) == FL_OOM) return status;
    fl_status unsupported = fl_error(FL_UNSUPPORTED, "%s", fl_status_message(status));
    fl_status_free(status);
    return unsupported;
}

static fl_status compile_program(fl_pjrt_device *d, const char *name, const fl_program *program,
                                 int round_as_written, PJRT_LoadedExecutable **out)
{
    char options[320];
    fl_text code = {0};
    fl_status status = fl_pjrt_serialize(d->plugin, program, &code);
    PJRT_Program described = {.struct_size = PJRT_Program_STRUCT_SIZE,
                              .code = code.data,
                              .code_size = code.length,
                              .format = "mlir",
                              .format_size = 4};
    /* The compiler takes maxima of a number and a NaN for the number, unless it is told not to. */
    const char *off[3] = {0};
    uint32_t n = 0;
    if (fl_pjrt_is_xla_cpu(d->plugin)) off[n++] = "xla_cpu_enable_fast_min_max";
    if (round_as_written) off[n++] = "xla_allow_excess_precision";
    FL_PJRT_CALL(args, PJRT_Client_Compile, .client = d->plugin->client, .program = &described,
                 .compile_options = options,
                 .compile_options_size = fl_pjrt_compile_options(options, sizeof options, 1, 1, &d->id, off));
    *out = NULL;
    fl_pjrt_trace_add(name, program);
    if (!status) status = refusal(fl_pjrt_cache_compile(d->plugin, name, &args, out));
    fl_text_free(&code);
    return status;
}

static void destroy_loaded(fl_pjrt_device *d, PJRT_LoadedExecutable *loaded)
{
    const PJRT_Api *api = d->plugin->api;
    FL_PJRT_CALL(destroy, PJRT_LoadedExecutable_Destroy, .executable = loaded);
    if (loaded) fl_status_free(fl_pjrt_error(api, api->PJRT_LoadedExecutable_Destroy(&destroy), ""));
}

fl_status fl_pjrt_trace_compile(fl_device *device, const char *name, const fl_program *program)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    PJRT_LoadedExecutable *loaded = NULL;
    FL_TRY(fl_pjrt_enter(d));
    fl_status status = compile_program(d, name, program, 0, &loaded);
    destroy_loaded(d, loaded);
    fl_pjrt_leave(d);
    return status;
}

static void destroy_variant(fl_pjrt_device *d, variant *v)
{
    const PJRT_Api *api = d->plugin->api;
    destroy_loaded(d, v->loaded);
    for (uint32_t i = 0; v->values && i <= v->value_count; i++) fl_pjrt_buffer_destroy(api, v->values[i]);
    fl_wrapped_free(&v->wrapped);
    free(v->values);
    free(v->last);
    free(v->key);
    free(v->storages);
    free(v);
}

static fl_status count_arguments(const call *c, variant *v)
{
    const fl_block *main = c->e->program->main;
    for (uint32_t s = 0; s < v->storage_count; s++) {
        v->arg_count += v->storages[s].is_input;
        v->result_count += v->storages[s].is_output;
    }
    for (uint32_t i = 0; i < main->arg_count; i++) v->value_count += c->inputs[i].storage == FL_WRAP_HOST;
    v->arg_count += v->value_count + (v->wrapped.offset_count > 0);
    v->result_count += fl_pjrt_report_arrays(&v->wrapped);
    v->values = calloc(v->value_count + 1u, sizeof *v->values);
    v->last = malloc(16 * ((size_t)v->value_count + v->wrapped.offset_count) + 1);
    return v->values && v->last ? NULL : no_memory();
}

static fl_status make_variant(call *c, variant **out)
{
    const fl_executable *e = c->e;
    variant *v = calloc(1, sizeof *v);
    FL_CHECK(v, FL_OOM, "out of host memory");
    v->key = malloc(c->key_count * sizeof *v->key + 1);
    v->storages = malloc(c->storage_count * sizeof *v->storages + 1);
    fl_status status = v->key && v->storages ? NULL : no_memory();
    if (!status) {
        memcpy(v->key, c->key, c->key_count * sizeof *v->key);
        memcpy(v->storages, c->storages, c->storage_count * sizeof *v->storages);
        v->key_count = c->key_count;
        v->storage_count = c->storage_count;
        const fl_compile_options options = {.name = e->name, .inputs = e->inputs, .outputs = e->outputs};
        status = fl_wrap(e->program, &options, v->storages, v->storage_count, c->inputs, c->outputs,
                         fl_pjrt_is_xla_cpu(c->d->plugin), &v->wrapped);
    }
    if (!status) status = compile_program(c->d, e->name, v->wrapped.program, e->round_as_written, &v->loaded);
    if (!status) status = count_arguments(c, v);
    if (status) {
        destroy_variant(c->d, v);
        return status;
    }
    fl_program_destroy(v->wrapped.program);
    v->wrapped.program = NULL;
    *out = v;
    return NULL;
}

static fl_status get_variant(call *c, variant **out)
{
    variant **at = &c->e->variants, *v = *at;
    while (v && (v->key_count != c->key_count || memcmp(v->key, c->key, c->key_count * sizeof *c->key))) {
        at = &v->next;
        v = *at;
    }
    if (v)
        *at = v->next;
    else
        FL_TRY(make_variant(c, &v));
    v->next = c->e->variants;
    c->e->variants = v;
    *out = v;
    return NULL;
}

/* ---- a call's bindings ---- */

/* `bytes` of a value in it are more than it has where the array is wider than its tensor. */
static uint32_t storage_slot(call *c, fl_buffer *buffer, size_t bytes)
{
    fl_storage *s = fl_storage_of(buffer);
    if (s->epoch == c->d->epoch) return s->slot;
    s->epoch = c->d->epoch;
    s->slot = c->storage_count;
    c->buffers[s->slot] = buffer;
    c->storages[s->slot] = (fl_wrap_storage){.bytes = bytes > buffer->bytes ? bytes : buffer->bytes};
    return c->storage_count++;
}

static fl_status sort_binding(call *c, const fl_type *type, const fl_binding *binding, fl_wrap_binding *out)
{
    int64_t width = (int64_t)fl_dtype_bytes((fl_dtype)type->dtype);
    *out = (fl_wrap_binding){.storage = FL_WRAP_EMPTY};
    if (!fl_type_elements(type)) return NULL;
    if (!binding->buffer) {
        FL_CHECK(binding->host, FL_INVALID, "expected a buffer or a value for every argument and result");
        out->storage = FL_WRAP_HOST;
        return NULL;
    }
    FL_CHECK(binding->offset >= 0 && binding->offset % width == 0, FL_UNSUPPORTED,
             "expected an offset that is a multiple of the element's %lld bytes, got %lld", (long long)width,
             (long long)binding->offset);
    FL_CHECK(binding->buffer->device == &c->d->device, FL_INVALID, "expected buffers of device %d",
             c->d->device.index);
    out->storage = storage_slot(c, binding->buffer, fl_type_bytes(type));
    out->has_offset = binding->offset != 0;
    return NULL;
}

/* Whether the result is all that its buffer holds. */
static int covers(const call *c, uint32_t r, const fl_type *type)
{
    const fl_wrap_binding *out = &c->outputs[r];
    return c->e->is_packed[r] && !out->has_offset && fl_type_bytes(type) == c->storages[out->storage].bytes;
}

/* Arrays that are read must be there; what is overwritten as a whole does not matter, whatever it is. */
static fl_status read_storage(call *c, uint32_t slot, const fl_type *type)
{
    fl_storage *s = fl_storage_of(c->buffers[slot]);
    if (s->exact) FL_TRY(fl_storage_offer(c->d, c->buffers[slot], type));
    if (s->host) FL_TRY(fl_storage_to_device(c->d, c->buffers[slot], type));
    c->storages[slot].has_array = s->array != NULL;
    c->storages[slot].type = s->type;
    return NULL;
}

static fl_status sort_bindings(call *c, const fl_binding *inputs, const fl_binding *outputs)
{
    const fl_program *p = c->e->program;
    c->d->epoch++;
    for (uint32_t i = 0; i < p->main->arg_count; i++) {
        const fl_type *type = fl_type_of(p, p->main->first_arg + i);
        FL_TRY(sort_binding(c, type, &inputs[i], &c->inputs[i]));
        if (c->inputs[i].storage < c->storage_count) FL_TRY(read_storage(c, c->inputs[i].storage, type));
    }
    uint32_t inputs_end = c->storage_count;
    for (uint32_t r = 0; r < p->main->result_count; r++) {
        const fl_type *type = fl_type_of(p, p->main->results[r]);
        uint32_t known = c->storage_count;
        FL_TRY(sort_binding(c, type, &outputs[r], &c->outputs[r]));
        uint32_t slot = c->outputs[r].storage;
        FL_CHECK(slot != FL_WRAP_HOST, FL_INVALID, "expected a buffer for every result");
        int is_new = slot >= known && slot < c->storage_count;
        if (is_new && slot >= inputs_end && !covers(c, r, type)) FL_TRY(read_storage(c, slot, type));
    }
    return NULL;
}

static void make_key(call *c)
{
    const fl_block *main = c->e->program->main;
    uint64_t *k = c->key;
    for (uint32_t s = 0; s < c->storage_count; s++) {
        const fl_wrap_storage *w = &c->storages[s];
        *k++ = (uint64_t)w->bytes << 1 | w->has_array;
        if (!w->has_array) continue;
        *k++ = (uint64_t)w->type.dtype << 8 | w->type.rank;
        for (int i = 0; i < w->type.rank; i++) *k++ = (uint64_t)w->type.dims[i];
    }
    for (uint32_t i = 0; i < main->arg_count; i++)
        *k++ = (uint64_t)c->inputs[i].storage << 1 | c->inputs[i].has_offset;
    for (uint32_t r = 0; r < main->result_count; r++)
        *k++ = (uint64_t)c->outputs[r].storage << 1 | c->outputs[r].has_offset;
    c->key_count = (uint32_t)(k - c->key);
}

/* ---- launching ---- */

/* Values of the host stay on the device for the next call, which mostly has the same ones. `bytes` of them lie in `*last`. */
static fl_status keep_value(fl_pjrt_device *d, PJRT_Buffer **kept, char *last, const void *value,
                            const fl_type *type)
{
    size_t bytes = fl_type_bytes(type);
    if (*kept && !memcmp(last, value, bytes)) return NULL;
    PJRT_Buffer *fresh;
    FL_TRY(fl_pjrt_to_device(d, value, type, &fresh));
    fl_pjrt_buffer_destroy(d->plugin->api, *kept);
    *kept = fresh;
    memcpy(last, value, bytes);
    return NULL;
}

static int64_t offset_of(const fl_binding *binding, const fl_type *type)
{
    return binding->offset / (int64_t)fl_dtype_bytes((fl_dtype)type->dtype);
}

/* The arguments behind the arrays. */
static fl_status set_values(call *c, const variant *v, const fl_binding *inputs, const fl_binding *outputs,
                            PJRT_Buffer **args)
{
    const fl_program *p = c->e->program;
    const fl_block *main = p->main;
    uint32_t n = 0;
    for (uint32_t i = 0; i < main->arg_count; i++) {
        if (c->inputs[i].storage != FL_WRAP_HOST) continue;
        FL_TRY(keep_value(c->d, &v->values[n], v->last + 16 * n, inputs[i].host,
                          fl_type_of(p, main->first_arg + i)));
        args[n] = v->values[n];
        n++;
    }
    if (!v->wrapped.offset_count) return NULL;
    int64_t count = v->wrapped.offset_count, k = 0, *offsets = (int64_t *)(v->last + 16 * v->value_count);
    for (uint32_t i = 0; i < main->arg_count; i++)
        if (c->inputs[i].has_offset) offsets[k++] = offset_of(&inputs[i], fl_type_of(p, main->first_arg + i));
    for (uint32_t r = 0; r < main->result_count; r++)
        if (c->outputs[r].has_offset) offsets[k++] = offset_of(&outputs[r], fl_type_of(p, main->results[r]));
    fl_type type = fl_type_make(FL_I64, 1, &count);
    FL_TRY(keep_value(c->d, &v->values[n], (char *)(offsets + count), offsets, &type));
    args[n] = v->values[n];
    return NULL;
}

static fl_status launch(call *c, const variant *v, PJRT_Buffer **args, PJRT_Buffer **results)
{
    const PJRT_Api *api = c->d->plugin->api;
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_Buffer *const *arg_lists[] = {args};
    PJRT_Buffer **result_lists[] = {results};
    PJRT_Event *done[] = {NULL};
    FL_PJRT_CALL(run, PJRT_LoadedExecutable_Execute, .executable = v->loaded, .options = &options,
                 .argument_lists = arg_lists, .num_devices = 1, .num_args = v->arg_count,
                 .output_lists = result_lists, .device_complete_events = done);
    uint64_t begin = fl_activities_on() ? fl_activity_now() : 0;
    FL_TRY(fl_pjrt_error(api, api->PJRT_LoadedExecutable_Execute(&run), c->e->name));
    if (begin) fl_pjrt_watch_execution(c->d, done[0], c->e->name, begin);
    fl_pjrt_add_pending(c->d, done[0]);
    return NULL;
}

static void store_results(call *c, const variant *v, PJRT_Buffer *const *results)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < v->storage_count; s++)
        if (v->storages[s].is_output)
            fl_storage_set(c->d, fl_storage_of(c->buffers[s]), results[n++], &v->storages[s].result);
    if (n < v->result_count) fl_pjrt_add_report(c->d, c->e->program, &v->wrapped, results + n);
}

static fl_status run(call *c, const variant *v, const fl_binding *inputs, const fl_binding *outputs)
{
    PJRT_Buffer *few[FEW], **args = few;
    uint32_t n = v->arg_count + v->result_count, arrays = 0;
    if (n > FEW) args = malloc(n * sizeof *args);
    FL_CHECK(args, FL_OOM, "out of host memory");
    for (uint32_t s = 0; s < v->storage_count; s++)
        if (v->storages[s].is_input) args[arrays++] = fl_storage_of(c->buffers[s])->array;
    fl_status status = set_values(c, v, inputs, outputs, args + arrays);
    if (!status) status = launch(c, v, args, args + v->arg_count);
    if (!status) store_results(c, v, args + v->arg_count);
    if (args != few) free(args);
    return status;
}

/* Room for everything that a call says of its bindings, in one block: in `space` if that is enough. */
static fl_status begin_call(fl_pjrt_device *d, fl_executable *e, call *c, uint64_t space[SPACE])
{
    const fl_block *main = e->program->main;
    size_t n = (size_t)main->arg_count + main->result_count, words = n * (FL_MAX_RANK + 3) + 1;
    size_t bytes = n * (sizeof(fl_buffer *) + sizeof(fl_wrap_storage) + sizeof(fl_wrap_binding)) +
                   words * sizeof(uint64_t);
    *c = (call){.d = d, .e = e};
    if (bytes > SPACE * sizeof *space) space = c->block = malloc(bytes);
    FL_CHECK(space, FL_OOM, "out of host memory");
    c->key = space;
    c->storages = (fl_wrap_storage *)(c->key + words);
    c->buffers = (fl_buffer **)(c->storages + n);
    c->inputs = (fl_wrap_binding *)(c->buffers + n);
    c->outputs = c->inputs + main->arg_count;
    return NULL;
}

fl_status fl_pjrt_execute(fl_device *device, int stream, fl_executable *e, const fl_binding *inputs,
                          const fl_binding *outputs)
{
    fl_activity_enter(device->index, stream);
    fl_pjrt_device *d = fl_pjrt_self(device);
    call c;
    variant *v;
    uint64_t space[SPACE];
    FL_TRY(begin_call(d, e, &c, space));
    fl_status entered = fl_pjrt_enter(d), status = entered;
    if (!status) status = sort_bindings(&c, inputs, outputs);
    if (!status) {
        make_key(&c);
        status = get_variant(&c, &v);
    }
    if (!status) status = run(&c, v, inputs, outputs);
    if (!entered) fl_pjrt_leave(d);
    free(c.block);
    return status;
}

/* ---- executables ---- */

/* Dense programs come from files and are called with buffers of their own: compiled at once, so that a
 * plugin that refuses them says so. */
static fl_status compile_dense(fl_pjrt_device *d, fl_executable *e)
{
    const fl_program *p = e->program;
    call c;
    uint64_t space[SPACE];
    FL_TRY(begin_call(d, e, &c, space));
    uint32_t n = p->main->arg_count;
    for (uint32_t i = 0; i < n + p->main->result_count; i++) {
        const fl_type *type = fl_type_of(p, i < n ? p->main->first_arg + i : p->main->results[i - n]);
        c.inputs[i] = (fl_wrap_binding){.storage = FL_WRAP_EMPTY};
        if (!fl_type_elements(type)) continue;
        c.storages[c.storage_count] = (fl_wrap_storage){.bytes = fl_type_bytes(type), .has_array = i < n};
        if (i < n) c.storages[c.storage_count].type = *type;
        c.inputs[i].storage = c.storage_count++;
    }
    make_key(&c);
    variant *v;
    fl_status status = fl_pjrt_enter(d);
    if (!status) {
        status = get_variant(&c, &v);
        fl_pjrt_leave(d);
    }
    free(c.block);
    return status;
}

static fl_layout *copy_layouts(const fl_layout *layouts, uint32_t count)
{
    fl_layout *copy = malloc(count * sizeof *copy + 1);
    if (copy) memcpy(copy, layouts, count * sizeof *copy);
    return copy;
}

static fl_status fill_executable(fl_executable *e, const fl_program *program,
                                 const fl_compile_options *options)
{
    uint32_t results = program->main->result_count;
    FL_TRY(fl_wrap_copy(program, &e->program));
    e->name = strdup(options->name ? options->name : "program");
    e->is_packed = calloc(results + 1u, 1);
    e->round_as_written = options->round_as_written;
    if (options->inputs) e->inputs = copy_layouts(options->inputs, program->main->arg_count);
    if (options->outputs) e->outputs = copy_layouts(options->outputs, results);
    if (!e->name || !e->is_packed || (options->inputs && !e->inputs) || (options->outputs && !e->outputs))
        return no_memory();
    for (uint32_t r = 0; r < results; r++) {
        fl_view view = {.type = fl_type_of(program, program->main->results[r]),
                        .strides = e->outputs ? e->outputs[r].strides : NULL};
        e->is_packed[r] = (uint8_t)fl_view_is_packed(&view);
    }
    return NULL;
}

fl_status fl_pjrt_compile(fl_device *device, const fl_program *program, const fl_compile_options *options,
                          fl_executable **out)
{
    /* a module for several devices would wait for the others for ever */
    int64_t partitions = fl_pjrt_count_in_module(program, "mhlo.num_partitions");
    int64_t replicas = fl_pjrt_count_in_module(program, "mhlo.num_replicas");
    FL_TRY(fl_program_verify_plain(program));
    FL_CHECK(partitions == 1 && replicas == 1, FL_UNSUPPORTED,
             "expected a program for one device, got one for %lld replicas of %lld partitions",
             (long long)replicas, (long long)partitions);
    fl_executable *e = calloc(1, sizeof *e);
    if (!e) return no_memory();
    fl_status status = fill_executable(e, program, options);
    if (!status && !options->inputs && !options->outputs) status = compile_dense(fl_pjrt_self(device), e);
    if (status)
        fl_pjrt_destroy_executable(device, e);
    else
        *out = e;
    return status;
}

void fl_pjrt_destroy_executable(fl_device *device, fl_executable *e)
{
    fl_pjrt_device *d = fl_pjrt_self(device);
    fl_status status = e ? fl_pjrt_enter(d) : NULL;
    if (!e || status) { /* in a forked process it is the parent's */
        fl_status_free(status);
        return;
    }
    if (e->variants) fl_pjrt_drain(d); /* reports name the variants' checks */
    for (variant *v = e->variants, *next; v; v = next) {
        next = v->next;
        destroy_variant(d, v);
    }
    fl_pjrt_leave(d);
    fl_program_destroy(e->program);
    free(e->name);
    free(e->inputs);
    free(e->outputs);
    free(e->is_packed);
    free(e);
}
