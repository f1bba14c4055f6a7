/* Models of the public interface: a program whose parameters stay on the device, for callers with arrays of their own. */
#include "api/module.h"
#include "base/safetensors.h"
#include "device/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The program compiled for certain shapes of its inputs. */
typedef struct variant {
    struct variant *next;
    fl_compiled *compiled;
    fl_tensor_info *outputs;
    int64_t dims[]; /* of all inputs, one after another */
} variant;

struct fl_model {
    fl_module *module;
    char *device;
    uint32_t input_count, output_count;
    fl_buffer **stored;   /* of each input: the parameter; NULL: the caller gives it */
    uint8_t *is_stored;   /* also of parameters without elements */
    fl_device *home;      /* of the parameters */
    pthread_mutex_t lock; /* of the variants; those that are there stay as they are */
    variant *variants;
};

static uint32_t dims_of(const fl_model *m, const fl_array *inputs, int64_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->input_count; i++)
        for (uint32_t d = 0; d < inputs[i].rank; d++, n++)
            if (out) out[n] = inputs[i].dims[d];
    return n;
}

/* All inputs, with parameters among them: their data is never looked at. */
static fl_status all_inputs(const fl_model *m, const fl_array *given, uint32_t count, fl_array *out)
{
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < m->input_count; i++) wanted += !m->is_stored[i];
    FL_CHECK(count == wanted, FL_INVALID, "expected %u inputs besides parameters, got %u", wanted, count);
    for (uint32_t i = 0; i < m->input_count; i++) {
        const fl_tensor_info *info = &m->module->inputs[i];
        out[i] = (fl_array){sizeof *out, info->dtype,          info->rank,
                            info->dims,  (void *)(uintptr_t)m, info->element_bytes};
        if (m->is_stored[i]) {
            for (uint32_t d = 0; d < info->rank; d++) out[i].bytes *= (size_t)info->dims[d];
            continue;
        }
        FL_TRY(fl_status_prefix(fl_take_array(given, &out[i]), "input %u", i));
        FL_CHECK(out[i].rank == info->rank && (out[i].dims || !out[i].rank), FL_TYPE,
                 "%s: expected %u dimensions, got %u", info->name, info->rank, out[i].rank);
        given = (const fl_array *)((const char *)given + given->size);
    }
    return NULL;
}

static fl_status describe_outputs(const fl_model *m, variant *v)
{
    const fl_program *p = v->compiled->program;
    v->outputs = calloc(m->output_count + 1u, sizeof *v->outputs);
    FL_CHECK(v->outputs, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < m->output_count; i++) {
        const fl_type *type = fl_type_of(p, p->main->results[i]);
        v->outputs[i] = m->module->outputs[i];
        v->outputs[i].rank = type->rank;
        v->outputs[i].dims = type->dims;
    }
    return NULL;
}

static void free_variant(variant *v)
{
    if (!v) return;
    fl_compiled_free(v->compiled);
    free(v->outputs);
    free(v);
}

static fl_status make_variant(fl_model *m, const fl_array *inputs, uint32_t dims, variant **out)
{
    variant *v = calloc(1, sizeof *v + dims * sizeof *v->dims);
    FL_CHECK(v, FL_OOM, "out of host memory");
    dims_of(m, inputs, v->dims);
    fl_status status = fl_module_compile(m->module, m->device, inputs, m->input_count, &v->compiled);
    if (!status) status = describe_outputs(m, v);
    if (status) {
        free_variant(v);
        return status;
    }
    v->next = m->variants;
    m->variants = *out = v;
    return NULL;
}

static fl_status find_variant(fl_model *m, const fl_array *inputs, const variant **out)
{
    int64_t space[64], *dims = space;
    uint32_t n = dims_of(m, inputs, NULL);
    if (n > 64) dims = malloc(n * sizeof *dims);
    FL_CHECK(dims, FL_OOM, "out of host memory");
    dims_of(m, inputs, dims);
    fl_status status = NULL;
    pthread_mutex_lock(&m->lock);
    variant *v = m->variants;
    while (v && memcmp(v->dims, dims, n * sizeof *dims)) v = v->next;
    if (!v) status = make_variant(m, inputs, n, &v);
    pthread_mutex_unlock(&m->lock);
    if (dims != space) free(dims);
    *out = v;
    return status;
}

/* ---- the model ---- */

fl_status fl_model_create(const fl_module *module, const char *device, fl_model **out)
{
    *out = NULL;
    FL_CHECK(strcmp(device, "ref") != 0, FL_VALUE, "expected a device such as \"cpu\", got \"ref\"");
    fl_model *m = calloc(1, sizeof *m);
    FL_CHECK(m, FL_OOM, "out of host memory");
    pthread_mutex_init(&m->lock, NULL);
    m->module = fl_module_share(module);
    m->input_count = fl_module_input_count(module);
    m->output_count = fl_module_output_count(module);
    m->device = strdup(device);
    m->stored = calloc(m->input_count + 1u, sizeof *m->stored);
    m->is_stored = calloc(m->input_count + 1u, 1);
    if (!m->device || !m->stored || !m->is_stored) {
        fl_model_free(m);
        return fl_error(FL_OOM, "out of host memory");
    }
    *out = m;
    return NULL;
}

void fl_model_free(fl_model *m)
{
    if (!m) return;
    for (variant *v = m->variants, *next; v; v = next) {
        next = v->next;
        free_variant(v);
    }
    for (uint32_t i = 0; m->stored && i < m->input_count; i++)
        if (m->stored[i]) m->home->vtable->release(m->home, m->stored[i]);
    free(m->stored);
    free(m->is_stored);
    free(m->device);
    fl_module_free(m->module);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static fl_status store(fl_model *m, uint32_t i, const fl_stored *from)
{
    const fl_tensor_info *info = &m->module->inputs[i];
    fl_device *d = m->home;
    FL_CHECK(info->dtype && fl_dtype_named(info->dtype) == from->dtype && info->rank == from->rank &&
                 !memcmp(info->dims, from->dims, from->rank * sizeof *from->dims),
             FL_TYPE, "%s: expected %s, the file has another dtype or shape", info->name, info->type);
    if (from->bytes && !m->stored[i]) FL_TRY(d->vtable->allocate(d, 0, from->bytes, &m->stored[i]));
    m->is_stored[i] = 1;
    return from->bytes ? d->vtable->upload(d, 0, from->data, from->bytes, m->stored[i], 0) : NULL;
}

static fl_status store_all(fl_model *m, const fl_safetensors *file)
{
    if (!m->home) FL_TRY(fl_device_named(m->device, &m->home));
    for (uint32_t i = 0; i < m->input_count; i++) {
        const fl_stored *found = fl_safetensors_find(file, m->module->inputs[i].name);
        if (found) FL_TRY(store(m, i, found));
    }
    return m->home->vtable->synchronize(m->home, FL_ALL_STREAMS);
}

fl_status fl_model_load(fl_model *m, const char *path)
{
    fl_safetensors file;
    FL_TRY(fl_safetensors_open(path, &file));
    fl_status status = fl_status_prefix(store_all(m, &file), "%s", path);
    fl_safetensors_close(&file);
    return status;
}

fl_status fl_model_take(fl_model *m, const void *data, size_t bytes)
{
    fl_safetensors file;
    FL_TRY(fl_safetensors_read(data, bytes, &file));
    fl_status status = store_all(m, &file);
    fl_safetensors_close(&file);
    return status;
}

/* ---- running ---- */

fl_status fl_model_output(fl_model *m, const fl_array *inputs, uint32_t count, uint32_t index,
                          fl_tensor_info *out)
{
    const variant *v;
    FL_CHECK(index < m->output_count, FL_INDEX, "expected an output below %u, got %u", m->output_count,
             index);
    fl_array *all = calloc(m->input_count + 1u, sizeof *all);
    FL_CHECK(all, FL_OOM, "out of host memory");
    fl_status status = all_inputs(m, inputs, count, all);
    if (!status) status = find_variant(m, all, &v);
    free(all);
    return status ? status : fl_give_struct(out, &v->outputs[index], sizeof *out);
}

/* One run: the caller's arrays are copied to buffers, results back to the caller's. */
typedef struct run {
    const fl_model *model;
    const variant *variant;
    const void **inputs;
    fl_binding *bindings; /* of inputs, then of outputs */
} run;

static fl_status bind_inputs(run *r)
{
    const fl_program *p = r->variant->compiled->program;
    fl_device *d = r->variant->compiled->device;
    for (uint32_t i = 0; i < r->model->input_count; i++) {
        size_t bytes = fl_type_bytes(fl_type_of(p, p->main->first_arg + i));
        r->bindings[i].buffer = r->model->stored[i];
        if (r->model->is_stored[i] || !bytes) continue;
        FL_TRY(d->vtable->allocate(d, 0, bytes, &r->bindings[i].buffer));
        FL_TRY(d->vtable->upload(d, 0, r->inputs[i], bytes, r->bindings[i].buffer, 0));
    }
    return NULL;
}

static fl_status execute(run *r, const fl_array *outputs)
{
    const fl_compiled *c = r->variant->compiled;
    fl_device *d = c->device;
    fl_binding *results = r->bindings + r->model->input_count;
    FL_TRY(bind_inputs(r));
    for (uint32_t i = 0; i < r->model->output_count; i++)
        if (outputs[i].bytes) FL_TRY(d->vtable->allocate(d, 0, outputs[i].bytes, &results[i].buffer));
    FL_TRY(d->vtable->execute(d, 0, c->executable, r->bindings, results));
    for (uint32_t i = 0; i < r->model->output_count; i++)
        if (outputs[i].bytes)
            FL_TRY(d->vtable->download(d, 0, results[i].buffer, 0, outputs[i].bytes, outputs[i].data));
    return d->vtable->synchronize(d, FL_ALL_STREAMS);
}

static fl_status take_outputs(const run *r, const fl_array *given, fl_array *out)
{
    const fl_program *p = r->variant->compiled->program;
    for (uint32_t i = 0; i < r->model->output_count; i++) {
        const fl_type *type = fl_type_of(p, p->main->results[i]);
        FL_TRY(fl_status_prefix(fl_take_array(given, &out[i]), "output %u", i));
        size_t bytes = fl_type_bytes(type);
        FL_CHECK(type->kind == FL_TYPE_TENSOR && out[i].bytes == bytes && (out[i].data || !bytes), FL_INVALID,
                 "%s: expected room for %zu bytes, got %zu", r->model->module->outputs[i].name, bytes,
                 out[i].data ? out[i].bytes : 0);
        given = (const fl_array *)((const char *)given + given->size);
    }
    return NULL;
}

fl_status fl_model_run(fl_model *m, const fl_array *inputs, uint32_t count, const fl_array *outputs,
                       uint32_t output_count)
{
    FL_CHECK(output_count == m->output_count, FL_INVALID, "expected %u outputs, got %u", m->output_count,
             output_count);
    uint32_t n = m->input_count + m->output_count;
    fl_array *arrays = calloc(n + 1u, sizeof *arrays);
    run r = {.model = m,
             .inputs = calloc(m->input_count + 1u, sizeof *r.inputs),
             .bindings = calloc(n + 1u, sizeof *r.bindings)};
    fl_status status = arrays && r.inputs && r.bindings ? NULL : fl_error(FL_OOM, "out of host memory");
    if (!status) status = all_inputs(m, inputs, count, arrays);
    if (!status) status = find_variant(m, arrays, &r.variant);
    if (!status) status = fl_compiled_inputs(r.variant->compiled, arrays, m->input_count, r.inputs);
    if (!status) status = take_outputs(&r, outputs, arrays + m->input_count);
    if (!status) status = execute(&r, arrays + m->input_count);
    fl_device *d = r.variant ? r.variant->compiled->device : NULL;
    for (uint32_t i = 0; r.bindings && i < n; i++)
        if (r.bindings[i].buffer && (i >= m->input_count || !m->is_stored[i]))
            d->vtable->release(d, r.bindings[i].buffer);
    free(r.bindings);
    free(r.inputs);
    free(arrays);
    return status;
}
