/* Programs that run many times: inputs stay on the device, and a result may take an input's place. */
#include "api/module.h"
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

struct fl_session {
    fl_compiled *compiled;
    uint32_t inputs, outputs;
    fl_binding *bindings; /* of inputs, then of outputs; buffers that several share are released once */
    size_t *bytes;
    int32_t *donor; /* of each output: the input whose memory it takes, or -1 */
};

/* What the program states of argument `i`: the result that takes its memory, or -1. */
static int32_t receiver(const fl_func *entry, uint32_t i, uint32_t outputs)
{
    const fl_literal *attrs = entry->arg_attrs;
    if (!attrs || attrs->kind != FL_LIT_ARRAY || i >= attrs->count) return -1;
    const fl_literal *stated = fl_literal_get(&attrs->u.items[i], "tf.aliasing_output");
    return stated && stated->kind == FL_LIT_INT && stated->u.i >= 0 && stated->u.i < outputs
               ? (int32_t)stated->u.i
               : -1;
}

static int same_type(const fl_program *p, fl_ref a, fl_ref b)
{
    const fl_type *x = fl_type_of(p, a), *y = fl_type_of(p, b);
    return x->kind == FL_TYPE_TENSOR && y->kind == FL_TYPE_TENSOR && x->dtype == y->dtype &&
           x->rank == y->rank && !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims);
}

static void find_donors(fl_session *s, const fl_module *module, uint8_t *aliases)
{
    const fl_func *entry = fl_module_entry(module);
    const fl_block *body = entry->body;
    for (uint32_t r = 0; r < s->outputs; r++) s->donor[r] = -1;
    for (uint32_t i = 0; i < s->inputs; i++) {
        int32_t r = receiver(entry, i, s->outputs);
        if (r < 0 || s->donor[r] >= 0) continue;
        if (!same_type(module->program, body->first_arg + i, body->results[r])) continue;
        s->donor[r] = (int32_t)i;
        aliases[(size_t)r * s->inputs + i] = 1;
    }
}

static fl_status allocate(fl_session *s)
{
    fl_device *d = s->compiled->device;
    const fl_program *p = s->compiled->program;
    for (uint32_t k = 0; k < s->inputs + s->outputs; k++) {
        int output = k >= s->inputs;
        uint32_t i = output ? k - s->inputs : k;
        const fl_type *type = fl_type_of(p, output ? p->main->results[i] : p->main->first_arg + i);
        s->bytes[k] = fl_type_bytes(type);
        FL_CHECK(type->kind == FL_TYPE_TENSOR, FL_UNSUPPORTED, "%s %u: expected a tensor",
                 output ? "result" : "input", i);
        if (output && s->donor[i] >= 0)
            s->bindings[k] = s->bindings[s->donor[i]];
        else if (s->bytes[k])
            FL_TRY(d->vtable->allocate(d, 0, s->bytes[k], &s->bindings[k].buffer));
        if (output || !s->bytes[k]) continue;
        void *zeros = calloc(1, s->bytes[k]);
        FL_CHECK(zeros, FL_OOM, "out of host memory");
        fl_status status = d->vtable->upload(d, 0, zeros, s->bytes[k], s->bindings[k].buffer, 0);
        free(zeros);
        FL_TRY(status);
    }
    return NULL;
}

static fl_status create(fl_session *s, const fl_module *module, const char *device)
{
    const fl_block *body = fl_module_entry(module)->body;
    s->inputs = body->arg_count, s->outputs = body->result_count;
    size_t n = (size_t)s->inputs + s->outputs;
    uint8_t *aliases = calloc((size_t)s->inputs * s->outputs + 1, 1);
    s->bindings = calloc(n + 1, sizeof *s->bindings);
    s->bytes = calloc(n + 1, sizeof *s->bytes);
    s->donor = calloc(s->outputs + 1u, sizeof *s->donor);
    fl_status status =
        aliases && s->bindings && s->bytes && s->donor ? NULL : fl_error(FL_OOM, "out of host memory");
    if (!status) {
        find_donors(s, module, aliases);
        status = fl_module_compile_aliased(module, device, aliases, &s->compiled);
    }
    free(aliases);
    FL_TRY(status);
    FL_CHECK(s->compiled->device, FL_UNSUPPORTED, "expected a device such as \"cpu\", got \"%s\"", device);
    return allocate(s);
}

fl_status fl_session_create(const fl_module *module, const char *device, fl_session **out)
{
    *out = NULL;
    fl_session *s = calloc(1, sizeof *s);
    FL_CHECK(s, FL_OOM, "out of host memory");
    fl_status status = create(s, module, device);
    if (status)
        fl_session_free(s);
    else
        *out = s;
    return status;
}

fl_status fl_session_write(fl_session *s, uint32_t input, const fl_array *given)
{
    fl_array array;
    FL_CHECK(input < s->inputs, FL_INDEX, "expected an input below %u, got %u", s->inputs, input);
    FL_TRY(fl_take_array(given, &array));
    const fl_program *p = s->compiled->program;
    const fl_type *type = fl_type_of(p, p->main->first_arg + input);
    char expected[256];
    int fits =
        array.dtype && fl_dtype_named(array.dtype) == type->dtype && array.rank == type->rank &&
        (!array.rank || (array.dims && !memcmp(array.dims, type->dims, array.rank * sizeof *array.dims)));
    FL_CHECK(fits, FL_TYPE, "input %u: expected %s, got another dtype or shape", input,
             fl_type_text(type, expected, sizeof expected));
    FL_CHECK(array.bytes == s->bytes[input] && (array.data || !array.bytes), FL_INVALID,
             "input %u: expected %zu bytes, got %zu", input, s->bytes[input], array.data ? array.bytes : 0);
    fl_device *d = s->compiled->device;
    return array.bytes ? d->vtable->upload(d, 0, array.data, array.bytes, s->bindings[input].buffer, 0)
                       : NULL;
}

fl_status fl_session_run(fl_session *s)
{
    fl_device *d = s->compiled->device;
    return d->vtable->execute(d, 0, s->compiled->executable, s->bindings, s->bindings + s->inputs);
}

fl_status fl_session_wait(fl_session *s)
{
    fl_device *d = s->compiled->device;
    return d->vtable->synchronize(d, FL_ALL_STREAMS);
}

fl_status fl_session_read(fl_session *s, uint32_t result, void *data, size_t bytes)
{
    FL_CHECK(result < s->outputs, FL_INDEX, "expected a result below %u, got %u", s->outputs, result);
    uint32_t k = s->inputs + result;
    FL_CHECK(bytes == s->bytes[k] && (data || !bytes), FL_INVALID, "result %u: expected %zu bytes, got %zu",
             result, s->bytes[k], data ? bytes : 0);
    fl_device *d = s->compiled->device;
    if (!bytes) return d->vtable->synchronize(d, FL_ALL_STREAMS);
    return d->vtable->download(d, 0, s->bindings[k].buffer, 0, bytes, data);
}

void fl_session_free(fl_session *s)
{
    if (!s) return;
    for (uint32_t k = 0; s->bindings && s->compiled && k < s->inputs + s->outputs; k++) {
        int shared = k >= s->inputs && s->donor[k - s->inputs] >= 0;
        if (s->bindings[k].buffer && !shared)
            s->compiled->device->vtable->release(s->compiled->device, s->bindings[k].buffer);
    }
    free(s->bindings);
    free(s->bytes);
    free(s->donor);
    fl_compiled_free(s->compiled);
    free(s);
}
