/* Running programs of the public interface: on the reference interpreter, or on a device. */
#include "api/module.h"
#include "device/device.h"
#include "opt/opt.h"
#include "pjrt/client.h"
#include "ref/reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct fl_results {
    uint32_t count;
    fl_type *types;
    size_t *bytes;
    void **data;
};

/* ---- compiling ---- */

fl_status fl_device_named(const char *name, fl_device **out)
{
    *out = NULL;
    if (!strcmp(name, "ref")) return NULL;
    if (!strncmp(name, "pjrt:", 5)) return fl_pjrt_device_shared(name + 5, out);
    const char *number = !strncmp(name, "cpu", 3) || !strncmp(name, "tpu", 3) ? name + 3 : NULL;
    FL_CHECK(number && (!*number || *number == ':'), FL_VALUE,
             "expected device \"ref\", \"cpu\", \"cpu:1\" or \"pjrt:PLUGIN\", got \"%s\"", name);
    int index = 0;
    if (*number) {
        char *end;
        errno = 0;
        long n = strtol(number + 1, &end, 10);
        FL_CHECK(end != number + 1 && !*end && !errno && n >= 0 && n < fl_count_devices(), FL_VALUE,
                 "expected a device below %d, got \"%s\"", fl_count_devices(), name);
        index = (int)n;
    } else if (!fl_count_devices()) {
        return fl_error(FL_UNSUPPORTED, "there is no embedded device");
    }
    return fl_device_get(index, out);
}

static const fl_array *next_array(const fl_array *array)
{
    return (const fl_array *)((const char *)array + array->size);
}

/* The types that the inputs have, checked against those of the program. */
static fl_status input_types(const fl_module *module, const fl_array *given, uint32_t count, fl_type *types)
{
    const fl_block *main = module->program->main;
    FL_CHECK(count == main->arg_count, FL_INVALID, "expected %u inputs, got %u", main->arg_count, count);
    for (uint32_t i = 0; i < count; i++, given = next_array(given)) {
        fl_array array;
        char expected[256], got[256];
        const fl_type *type = fl_type_of(module->program, main->first_arg + i);
        FL_TRY(fl_status_prefix(fl_take_array(given, &array), "input %u", i));
        fl_dtype dtype = fl_dtype_named(array.dtype);
        FL_CHECK(type->kind == FL_TYPE_TENSOR, FL_UNSUPPORTED,
                 "input %u: expected a tensor, the program wants a %s", i,
                 fl_type_text(type, expected, sizeof expected));
        FL_CHECK(dtype, FL_TYPE, "input %u: unknown dtype \"%s\"", i, array.dtype ? array.dtype : "NULL");
        FL_CHECK(array.rank <= FL_MAX_RANK && (array.dims || !array.rank), FL_INVALID,
                 "input %u: expected at most %d dimensions, got %u", i, FL_MAX_RANK, array.rank);
        types[i] = fl_type_make(dtype, (int)array.rank, array.dims);
        FL_TRY(fl_status_prefix(fl_type_check(&types[i]), "input %u", i));
        int fits = types[i].dtype == type->dtype && types[i].rank == type->rank;
        for (int d = 0; fits && d < type->rank; d++)
            fits = type->dims[d] == FL_DYNAMIC || type->dims[d] == types[i].dims[d];
        FL_CHECK(fits, FL_TYPE, "input %u: expected %s, got %s", i,
                 fl_type_text(type, expected, sizeof expected), fl_type_text(&types[i], got, sizeof got));
        types[i].more = type->more;
    }
    return NULL;
}

static int is_static(const fl_program *p)
{
    for (uint32_t r = 1; r < p->def_count; r++)
        if (p->defs[r].type.kind == FL_TYPE_UNRANKED ||
            (p->defs[r].type.kind == FL_TYPE_TENSOR && !fl_type_is_static(&p->defs[r].type)))
            return 0;
    return 1;
}

/* Programs side by side are functions of the module, and a device gets one function. */
static fl_status refuse_parallel(const fl_program *p)
{
    for (uint32_t i = 0; i < p->main->op_count; i++)
        FL_CHECK(p->main->ops[i]->code != FL_OP_run_parallel, FL_UNSUPPORTED,
                 "interpreter.run_parallel is for the reference interpreter");
    return NULL;
}

/* The program that runs: refined to the shapes where it is dynamic, of one function where a device runs it. */
static fl_status choose_program(fl_compiled *c, const fl_array *shapes, uint32_t count, int use_values)
{
    const fl_program *p = c->module->program;
    int fixed = is_static(p);
    c->program = p;
    int whole = !c->device || (p->func_count == 1 && !fl_program_has_sdy(p)); /* one function has no calls */
    if (fixed && whole) return NULL;
    uint32_t n = p->main->arg_count;
    FL_CHECK(fixed || shapes || !n, FL_INVALID,
             "the program leaves dimensions open: expected shapes of its inputs, got none");
    int given = shapes != NULL;
    fl_type *types = calloc(n + 1u, sizeof *types);
    fl_refine_arg *args = calloc(n + 1u, sizeof *args);
    fl_status status = types && args ? NULL : fl_error(FL_OOM, "out of host memory");
    if (!status && shapes) status = input_types(c->module, shapes, count, types);
    for (uint32_t i = 0; !status && shapes && i < n; i++, shapes = next_array(shapes))
        args[i] = (fl_refine_arg){
            types[i], use_values && shapes->bytes == fl_type_bytes(&types[i]) ? shapes->data : NULL};
    if (!status) status = fl_program_refine(p, given ? args : NULL, n, &c->refined);
    if (!status && c->device) status = fl_program_unshard(c->refined);
    free(types);
    free(args);
    if (!status) c->program = c->refined;
    return status;
}

/* use_values: what is compiled may depend on the values of these inputs, as it is for one run. */
static fl_status compile(const fl_module *module, const char *device, const fl_array *shapes, uint32_t count,
                         int use_values, const uint8_t *aliases, fl_compiled **out)
{
    *out = NULL;
    fl_compiled *c = calloc(1, sizeof *c);
    FL_CHECK(c, FL_OOM, "out of host memory");
    c->module = fl_module_share(module);
    fl_status status = fl_device_named(device, &c->device);
    if (!status && c->device) status = refuse_parallel(module->program);
    if (!status) status = choose_program(c, shapes, count, use_values);
    if (!status && c->device) {
        const fl_compile_options options = {.name = c->program->name, .aliases = aliases};
        status = fl_program_verify_plain(c->program);
        if (!status) status = c->device->vtable->compile(c->device, c->program, &options, &c->executable);
    }
    if (status)
        fl_compiled_free(c);
    else
        *out = c;
    return status;
}

fl_status fl_module_compile(const fl_module *module, const char *device, const fl_array *shapes,
                            uint32_t count, fl_compiled **out)
{
    return compile(module, device, shapes, count, 0, NULL, out);
}

fl_status fl_module_compile_aliased(const fl_module *module, const char *device, const uint8_t *aliases,
                                    fl_compiled **out)
{
    return compile(module, device, NULL, 0, 0, aliases, out);
}

void fl_compiled_free(fl_compiled *c)
{
    if (!c) return;
    if (c->executable) c->device->vtable->destroy_executable(c->device, c->executable);
    fl_program_destroy(c->refined);
    fl_module_free(c->module);
    free(c);
}

/* ---- results ---- */

static fl_status make_results(const fl_program *p, fl_results **out)
{
    uint32_t n = p->main->result_count;
    fl_results *r = calloc(1, sizeof *r);
    FL_CHECK(r, FL_OOM, "out of host memory");
    *out = r; /* freed by the caller, whatever comes */
    r->types = calloc(n + 1u, sizeof *r->types);
    r->bytes = calloc(n + 1u, sizeof *r->bytes);
    r->data = calloc(n + 1u, sizeof *r->data);
    FL_CHECK(r->types && r->bytes && r->data, FL_OOM, "out of host memory");
    r->count = n;
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *type = fl_type_of(p, p->main->results[i]);
        size_t bytes = fl_reference_bytes(type);
        FL_CHECK(bytes < SIZE_MAX, FL_UNSUPPORTED, "result %u: its shape depends on values", i);
        r->data[i] = calloc(1, bytes ? bytes : 1);
        FL_CHECK(r->data[i], FL_OOM, "no memory for a result of %zu bytes", bytes);
        r->types[i] = *type;
        r->types[i].more = NULL; /* it belongs to the program */
        r->bytes[i] = bytes;
    }
    return NULL;
}

uint32_t fl_results_count(const fl_results *results)
{
    return results->count;
}

fl_status fl_results_get(const fl_results *r, uint32_t index, fl_array *out)
{
    FL_CHECK(index < r->count, FL_INDEX, "expected a result below %u, got %u", r->count, index);
    const fl_type *type = &r->types[index];
    int is_tensor = type->kind == FL_TYPE_TENSOR;
    const fl_array array = {
        .size = sizeof array,
        .dtype = is_tensor ? fl_dtype_name((fl_dtype)type->dtype) : NULL,
        .rank = is_tensor ? type->rank : 0,
        .dims = type->dims,
        .data = r->data[index],
        .bytes = r->bytes[index],
    };
    return fl_give_struct(out, &array, sizeof array);
}

void fl_results_free(fl_results *r)
{
    if (!r) return;
    for (uint32_t i = 0; r->data && i < r->count; i++) free(r->data[i]);
    free(r->data);
    free(r->bytes);
    free(r->types);
    free(r);
}

/* ---- running ---- */

fl_status fl_compiled_inputs(const fl_compiled *c, const fl_array *given, uint32_t count, const void **inputs)
{
    const fl_block *main = c->program->main;
    FL_CHECK(count == main->arg_count, FL_INVALID, "expected %u inputs, got %u", main->arg_count, count);
    fl_type *types = calloc(count + 1u, sizeof *types);
    FL_CHECK(types, FL_OOM, "out of host memory");
    fl_status status = input_types(c->module, given, count, types);
    for (uint32_t i = 0; !status && i < count; i++, given = next_array(given)) {
        char expected[256], got[256];
        fl_array array;
        const fl_type *type = fl_type_of(c->program, main->first_arg + i);
        status = fl_take_array(given, &array);
        if (status) break;
        size_t bytes = fl_type_bytes(&types[i]);
        if (memcmp(type->dims, types[i].dims, sizeof type->dims))
            status = fl_error(FL_TYPE, "input %u: compiled for %s, got %s", i,
                              fl_type_text(type, expected, sizeof expected),
                              fl_type_text(&types[i], got, sizeof got));
        else if (array.bytes != bytes || (bytes && !array.data))
            status = fl_error(FL_INVALID, "input %u: expected %zu bytes, got %zu", i, bytes,
                              array.data ? array.bytes : 0);
        inputs[i] = array.data;
    }
    free(types);
    return status;
}

static fl_status bind(fl_device *d, size_t bytes, const void *host, fl_binding *out)
{
    *out = (fl_binding){0};
    if (!bytes) return NULL;
    FL_TRY(d->vtable->allocate(d, 0, bytes, &out->buffer));
    return host ? d->vtable->upload(d, 0, host, bytes, out->buffer, 0) : NULL;
}

static fl_status run_bound(const fl_compiled *c, const void **inputs, fl_results *r, fl_binding *bindings)
{
    fl_device *d = c->device;
    const fl_block *main = c->program->main;
    uint32_t n = main->arg_count;
    for (uint32_t i = 0; i < n; i++)
        FL_TRY(bind(d, fl_type_bytes(fl_type_of(c->program, main->first_arg + i)), inputs[i], &bindings[i]));
    for (uint32_t i = 0; i < r->count; i++) FL_TRY(bind(d, r->bytes[i], NULL, &bindings[n + i]));
    FL_TRY(d->vtable->execute(d, 0, c->executable, bindings, bindings + n));
    for (uint32_t i = 0; i < r->count; i++)
        if (bindings[n + i].buffer)
            FL_TRY(d->vtable->download(d, 0, bindings[n + i].buffer, 0, r->bytes[i], r->data[i]));
    return d->vtable->synchronize(d, FL_ALL_STREAMS);
}

static fl_status run_device(const fl_compiled *c, const void **inputs, fl_results *r)
{
    uint32_t n = c->program->main->arg_count + r->count;
    fl_binding *bindings = calloc(n + 1u, sizeof *bindings);
    FL_CHECK(bindings, FL_OOM, "out of host memory");
    fl_status status = run_bound(c, inputs, r, bindings);
    for (uint32_t i = 0; i < n; i++)
        if (bindings[i].buffer) c->device->vtable->release(c->device, bindings[i].buffer);
    free(bindings);
    return status;
}

fl_status fl_compiled_run(const fl_compiled *c, const fl_array *given, uint32_t count, fl_results **out)
{
    *out = NULL;
    fl_results *r = NULL;
    const void **inputs = calloc(count + 1u, sizeof *inputs);
    FL_CHECK(inputs, FL_OOM, "out of host memory");
    fl_status status = fl_compiled_inputs(c, given, count, inputs);
    if (!status) status = make_results(c->program, &r);
    if (!status)
        status = c->device ? run_device(c, inputs, r) : fl_reference_run(c->program, inputs, r->data);
    free(inputs);
    if (status)
        fl_results_free(r);
    else
        *out = r;
    return status;
}

fl_status fl_module_run(const fl_module *module, const char *device, const fl_array *inputs, uint32_t count,
                        fl_results **out)
{
    fl_compiled *c;
    *out = NULL;
    fl_status status = compile(module, device, inputs, count, 0, NULL, &c);
    if (fl_status_code(status) == FL_UNSUPPORTED && count && !is_static(module->program)) {
        fl_status_free(status); /* sizes may follow from what the inputs hold */
        status = compile(module, device, inputs, count, 1, NULL, &c);
    }
    if (status) return status;
    status = fl_compiled_run(c, inputs, count, out);
    fl_compiled_free(c);
    return status;
}
