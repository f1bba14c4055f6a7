/* Programs of the public interface: reading, writing, and what their inputs and outputs are. */
#include "api/module.h"
#include "ir/read.h"
#include "opt/opt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST_STRUCT (2 * sizeof(void *)) /* no version of a versioned struct is smaller */

fl_status fl_give_struct(void *out, const void *full, size_t full_size)
{
    size_t size;
    memcpy(&size, out, sizeof size);
    FL_CHECK(size >= SMALLEST_STRUCT, FL_INVALID,
             "expected the field size to be set to the size of the struct, got %zu", size);
    size_t n = size < full_size ? size : full_size;
    memcpy((char *)out + sizeof size, (const char *)full + sizeof size, n - sizeof size);
    if (size > n) memset((char *)out + n, 0, size - n); /* fields of a version newer than the engine */
    return NULL;
}

fl_status fl_take_array(const fl_array *given, fl_array *out)
{
    *out = (fl_array){.size = sizeof *out};
    size_t size = given->size;
    FL_CHECK(size >= offsetof(fl_array, bytes) + sizeof given->bytes, FL_INVALID,
             "expected the field size to be set to the size of the struct, got %zu", size);
    memcpy(out, given, size < sizeof *out ? size : sizeof *out);
    out->size = sizeof *out;
    return NULL;
}

const fl_func *fl_module_entry(const fl_module *module)
{
    const fl_program *p = module->program;
    for (uint32_t i = 0; i < p->func_count; i++)
        if (p->funcs[i]->body == p->main) return p->funcs[i];
    return p->funcs[0];
}

/* ---- inputs and outputs ---- */

/* The name that the producer gave, if any. */
static const char *given_name(const fl_literal *attrs, uint32_t index)
{
    static const char *const keys[] = {"jax.arg_info", "jax.result_info", "fl.name"};
    if (!attrs || attrs->kind != FL_LIT_ARRAY || index >= attrs->count) return NULL;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const fl_literal *name = fl_literal_get(&attrs->u.items[index], keys[k]);
        if (name && name->kind == FL_LIT_STRING && name->count) return name->u.string;
    }
    return NULL;
}

static fl_status describe(fl_arena *arena, const fl_type *type, const char *name, const char *prefix,
                          uint32_t index, fl_tensor_info *out)
{
    char text[1024], number[32];
    snprintf(number, sizeof number, "%s%u", prefix, index);
    int has_elements = type->kind == FL_TYPE_TENSOR && type->dtype != FL_DTYPE_NONE;
    *out = (fl_tensor_info){
        .size = sizeof *out,
        .name = fl_arena_strdup(arena, name ? name : number),
        .type = fl_arena_strdup(arena, fl_type_text(type, text, sizeof text)),
        .dtype = has_elements ? fl_dtype_name((fl_dtype)type->dtype) : NULL,
        .element_bytes = has_elements ? fl_dtype_bytes((fl_dtype)type->dtype) : 0,
        .rank = has_elements ? type->rank : 0,
        .dims = type->dims,
    };
    FL_CHECK(out->name && out->type, FL_OOM, "out of host memory");
    return NULL;
}

static fl_status describe_all(fl_module *m)
{
    const fl_func *f = fl_module_entry(m);
    uint32_t n = f->body->arg_count, k = f->result_count;
    m->inputs = FL_NEW_ARRAY(&m->arena, fl_tensor_info, n + 1u);
    m->outputs = FL_NEW_ARRAY(&m->arena, fl_tensor_info, k + 1u);
    FL_CHECK(m->inputs && m->outputs, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < n; i++)
        FL_TRY(describe(&m->arena, fl_type_of(m->program, f->body->first_arg + i),
                        given_name(f->arg_attrs, i), "arg", i, &m->inputs[i]));
    for (uint32_t i = 0; i < k; i++)
        FL_TRY(describe(&m->arena, &f->result_types[i], given_name(f->result_attrs, i), "result", i,
                        &m->outputs[i]));
    return NULL;
}

fl_status fl_module_wrap(fl_program *program, fl_module **out)
{
    fl_module *m = calloc(1, sizeof *m);
    fl_status status = m ? NULL : fl_error(FL_OOM, "out of host memory");
    if (!status && !program->func_count)
        status = fl_error(FL_INVALID, "expected at least one function, got none");
    if (status) {
        fl_program_destroy(program);
        free(m);
        return status;
    }
    m->program = program;
    m->references = 1;
    status = describe_all(m);
    if (status) {
        fl_module_free(m);
        return status;
    }
    *out = m;
    return NULL;
}

fl_module *fl_module_share(const fl_module *module)
{
    fl_module *m = (fl_module *)(uintptr_t)module; /* the count is no part of what callers see as constant */
    __atomic_fetch_add(&m->references, 1, __ATOMIC_RELAXED);
    return m;
}

void fl_module_free(fl_module *module)
{
    if (!module || __atomic_sub_fetch(&module->references, 1, __ATOMIC_ACQ_REL)) return;
    fl_program_destroy(module->program);
    fl_arena_free(&module->arena);
    free(module);
}

uint32_t fl_module_input_count(const fl_module *module)
{
    return fl_module_entry(module)->body->arg_count;
}

uint32_t fl_module_output_count(const fl_module *module)
{
    return fl_module_entry(module)->result_count;
}

fl_status fl_module_input(const fl_module *module, uint32_t index, fl_tensor_info *out)
{
    uint32_t n = fl_module_input_count(module);
    FL_CHECK(index < n, FL_INDEX, "expected an input below %u, got %u", n, index);
    return fl_give_struct(out, &module->inputs[index], sizeof *out);
}

fl_status fl_module_output(const fl_module *module, uint32_t index, fl_tensor_info *out)
{
    uint32_t n = fl_module_output_count(module);
    FL_CHECK(index < n, FL_INDEX, "expected an output below %u, got %u", n, index);
    return fl_give_struct(out, &module->outputs[index], sizeof *out);
}

/* ---- reading ---- */

fl_status fl_module_read(const void *data, size_t bytes, fl_module **out)
{
    fl_program *program;
    *out = NULL;
    FL_TRY(fl_program_read(data, bytes, &program));
    return fl_module_wrap(program, out);
}

static fl_status read_all(FILE *f, fl_text *out)
{
    char buffer[1 << 16];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) fl_text_append(out, buffer, n);
    FL_CHECK(!ferror(f), FL_INVALID, "%s", strerror(errno));
    FL_CHECK(!out->failed, FL_OOM, "out of host memory");
    return NULL;
}

fl_status fl_module_load(const char *path, fl_module **out)
{
    int standard = !strcmp(path, "-");
    const char *name = standard ? "standard input" : path;
    FILE *f = standard ? stdin : fopen(path, "rb");
    fl_text data = {0};
    *out = NULL;
    FL_CHECK(f, FL_INVALID, "%s: %s", name, strerror(errno));
    fl_status status = read_all(f, &data);
    if (!standard) fclose(f);
    if (!status) status = fl_module_read(data.data ? data.data : "", data.length, out);
    fl_text_free(&data);
    return fl_status_prefix(status, "%s", name);
}

/* ---- checking and writing ---- */

fl_status fl_module_verify(const fl_module *module)
{
    return fl_program_verify(module->program);
}

fl_status fl_module_compare(const fl_module *a, const fl_module *b)
{
    fl_text why = {0};
    if (fl_program_equal(a->program, b->program, &why)) {
        fl_text_free(&why);
        return NULL;
    }
    fl_status status = fl_error(FL_VALUE, "%s", why.data ? why.data : "the programs differ");
    fl_text_free(&why);
    return status;
}

fl_status fl_module_print(const fl_module *module, char **out, size_t *out_bytes)
{
    fl_text text = {0};
    *out = NULL;
    fl_program_print(module->program, &text);
    if (text.failed || !text.data) {
        fl_text_free(&text);
        return fl_error(FL_OOM, "out of host memory");
    }
    *out = text.data;
    if (out_bytes) *out_bytes = text.length;
    return NULL;
}

const char *fl_stablehlo_current(void)
{
    return fl_newest_version();
}

fl_status fl_module_serialize(const fl_module *module, const char *version, void **out, size_t *out_bytes)
{
    fl_text bytes = {0};
    *out = NULL;
    fl_vhlo_version target = fl_stablehlo_version();
    fl_status status = version ? fl_vhlo_version_parse(version, &target) : NULL;
    if (!status) status = fl_write_artifact(module->program, target, &bytes);
    if (!status && bytes.failed) status = fl_error(FL_OOM, "out of host memory");
    if (status) {
        fl_text_free(&bytes);
        return status;
    }
    *out = bytes.data;
    if (out_bytes) *out_bytes = bytes.length;
    return NULL;
}

void fl_free(void *memory)
{
    free(memory);
}
