/* The end of a recording: results, new values of arguments, and what all of them are called. */
#include "eager/trace.h"
#include "ir/defs.h"
#include "pjrt/client_wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ending {
    fl_trace *t;
    const fl_tensor *tensors;
    const char *const *names;
    uint32_t count;    /* of the tensors */
    fl_ref *results;   /* of them, then of the arguments that were written */
    uint32_t *aliases; /* of each argument: 1 + the result that replaces it; 0: none */
    uint32_t result_count;
} ending;

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

/* x = the tensor, through a program that only passes it on: the recorder knows of views. */
static fl_status read_tensor(fl_trace *t, const fl_tensor *tensor, fl_ref *out)
{
    fl_type type = fl_type_make((fl_dtype)tensor->dtype, tensor->rank, tensor->sizes);
    fl_layout layout = {{0}};
    fl_builder b;
    fl_program *program;
    fl_buffer *buffer;
    if (!fl_type_elements(&type) || !tensor->buffer) { /* without memory: PyTorch's zeros that have none */
        *out = fl_full(&t->builder, type, 0);
        return NULL;
    }
    for (int d = 0; d < tensor->rank; d++) layout.strides[d] = tensor->strides[d];
    FL_TRY(t->device->vtable->allocate(t->device, 0, fl_type_bytes(&type), &buffer));
    fl_status status = fl_builder_init(&b, "result");
    if (!status) {
        fl_ref x = fl_parameter(&b, type);
        if (tensor->conj) x = fl_conj(&b, x);
        if (tensor->neg) x = fl_neg(&b, x);
        status = fl_builder_finish(&b, &x, 1, &program);
    }
    if (!status) {
        const fl_binding from = {.buffer = tensor->buffer, .offset = tensor->offset}, to = {.buffer = buffer};
        const fl_compile_options options = {.name = "result", .inputs = &layout};
        status = fl_trace_execute(t, program, &options, &from, &to);
        fl_program_destroy(program);
    }
    if (!status) *out = fl_traced_of(buffer)->value;
    t->device->vtable->release(t->device, buffer);
    return status;
}

/* What an argument's buffer holds now, as the argument's type. */
static fl_ref replaced(fl_builder *b, const fl_trace_arg *arg)
{
    fl_ref x = arg->at->value;
    const fl_type *type = &arg->type;
    if (!x) return fl_constant(b, *type, arg->at->host); /* bytes that no operator looked at */
    if (fl_type_equal(fl_typeof(b, x), type)) return x;
    int64_t count = fl_type_elements(type);
    x = fl_extend(b, fl_reinterpret(b, fl_flatten(b, x), (fl_dtype)type->dtype), count);
    if (fl_elements(b, x) > count) x = fl_slice_dim(b, x, 0, 0, count, 1);
    return fl_reshape(b, x, type->rank, type->dims);
}

static fl_status collect(ending *e)
{
    fl_trace *t = e->t;
    for (uint32_t i = 0; i < e->count; i++) FL_TRY(read_tensor(t, &e->tensors[i], &e->results[i]));
    e->result_count = e->count;
    for (uint32_t i = 0; i < t->arg_count; i++) {
        const fl_trace_arg *arg = &t->args[i];
        if (!arg->at || arg->at->is_orphan || arg->at->value == arg->parameter) continue;
        e->results[e->result_count] = replaced(&t->builder, arg);
        e->aliases[i] = ++e->result_count;
    }
    return NULL;
}

static const fl_literal *name_dict(fl_arena *arena, const char *name, uint32_t alias, fl_literal *out)
{
    fl_entry *entries = FL_NEW_ARRAY(arena, fl_entry, 2);
    const char *kept = fl_arena_strdup(arena, name);
    if (!entries || !kept) return NULL;
    entries[0] =
        (fl_entry){"fl.name", {.kind = FL_LIT_STRING, .count = (uint32_t)strlen(kept), .u.string = kept}};
    entries[1] =
        (fl_entry){"tf.aliasing_output", {.kind = FL_LIT_INT, .dtype = FL_I32, .u.i = (int64_t)alias - 1}};
    *out = (fl_literal){.kind = FL_LIT_DICT, .count = alias ? 2 : 1, .u.entries = entries};
    return out;
}

static fl_status name_all(const ending *e, fl_program *p)
{
    const fl_trace *t = e->t;
    char number[32];
    fl_literal *args = FL_NEW_ARRAY(&p->arena, fl_literal, t->arg_count + 1u),
               *results = FL_NEW_ARRAY(&p->arena, fl_literal, e->result_count + 1u),
               *lists = FL_NEW_ARRAY(&p->arena, fl_literal, 2);
    if (!args || !results || !lists) return no_memory();
    for (uint32_t i = 0; i < e->count; i++) {
        const char *name = e->names ? e->names[i] : NULL;
        snprintf(number, sizeof number, "result%u", i);
        if (!name_dict(&p->arena, name ? name : number, 0, &results[i])) return no_memory();
    }
    for (uint32_t i = 0; i < t->arg_count; i++) {
        uint32_t alias = e->aliases[i];
        if (!name_dict(&p->arena, t->args[i].name, alias, &args[i])) return no_memory();
        if (alias && !name_dict(&p->arena, t->args[i].name, 0, &results[alias - 1])) return no_memory();
    }
    lists[0] = (fl_literal){.kind = FL_LIT_ARRAY, .count = t->arg_count, .u.items = args};
    lists[1] = (fl_literal){.kind = FL_LIT_ARRAY, .count = e->result_count, .u.items = results};
    if (t->arg_count) p->funcs[0]->arg_attrs = &lists[0];
    if (e->result_count) p->funcs[0]->result_attrs = &lists[1];
    return NULL;
}

static fl_status collect_all(ending *e, fl_arena *scratch, fl_program **out, uint32_t **out_aliases)
{
    fl_trace *t = e->t;
    /* results may capture buffers, each an argument at most */
    size_t most_args = (size_t)t->arg_count + e->count;
    e->results = FL_NEW_ARRAY(scratch, fl_ref, e->count + most_args + 1);
    e->aliases = *out_aliases = calloc(most_args + 1, sizeof *e->aliases);
    if (!e->results || !e->aliases) return no_memory();
    FL_TRY(collect(e));
    fl_program *program;
    FL_TRY(fl_builder_finish_checked(&t->builder, e->results, e->result_count, &program));
    fl_status status = name_all(e, program);
    if (status)
        fl_program_destroy(program);
    else
        *out = program;
    return status;
}

fl_status fl_trace_collect(fl_trace *t, const fl_tensor *results, const char *const *names, uint32_t count,
                           fl_program **out, uint32_t **out_aliases)
{
    fl_arena scratch = {0};
    ending e = {.t = t, .tensors = results, .names = names, .count = count};
    *out = NULL;
    *out_aliases = NULL;
    fl_status status = collect_all(&e, &scratch, out, out_aliases);
    fl_arena_free(&scratch);
    if (!status) return NULL;
    free(*out_aliases);
    *out_aliases = NULL;
    return status;
}

fl_status fl_trace_finish(fl_trace *t, const fl_tensor *results, const char *const *names, uint32_t count,
                          fl_program **out)
{
    uint32_t *aliases;
    fl_status status = fl_trace_collect(t, results, names, count, out, &aliases);
    free(aliases);
    fl_trace_abandon(t);
    return status;
}
