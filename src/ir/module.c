/* Building whole modules: functions, and what concerns them together. */
#include "ir/build.h"
#include "ir/infer.h"

#include <stdlib.h>
#include <string.h>

static fl_func *fail(fl_builder *b, fl_status status)
{
    fl_builder_fail(b, status);
    return NULL;
}

/* The program was made with an empty function, which the first one takes. */
static int is_fresh(const fl_program *p)
{
    return p->func_count == 1 && !p->funcs[0]->body->op_count && !p->funcs[0]->body->arg_count &&
           !p->funcs[0]->body->results && !p->funcs[0]->is_declaration;
}

static fl_func *add_func(fl_program *p)
{
    if (is_fresh(p)) return p->funcs[0];
    if (!(p->func_count & (p->func_count - 1))) { /* full at every power of two */
        fl_func **funcs = FL_NEW_ARRAY(&p->arena, fl_func *, 2 * (size_t)p->func_count);
        if (!funcs) return NULL;
        memcpy(funcs, p->funcs, p->func_count * sizeof *funcs);
        p->funcs = funcs;
    }
    fl_func *func = FL_NEW(&p->arena, fl_func);
    return func ? p->funcs[p->func_count++] = func : NULL;
}

fl_func *fl_func_begin(fl_builder *b, const char *name, const fl_type *arg_types, uint32_t arg_count)
{
    if (b->status) return NULL;
    fl_program *p = b->program;
    b->block = NULL; /* the body has no parent */
    fl_func *func = add_func(p);
    fl_block *body = func ? fl_region_begin(b, arg_types, arg_count) : NULL;
    if (!body) return fail(b, fl_error(FL_OOM, "out of host memory"));
    func->body = body;
    if (!(func->name = fl_arena_strdup(&p->arena, name)))
        return fail(b, fl_error(FL_OOM, "out of host memory"));
    if (p->func_count == 1) {
        p->main = body;
        p->name = func->name;
    }
    return func;
}

static void set_results(fl_builder *b, fl_func *func, fl_type *types, uint32_t count)
{
    func->result_types = types;
    func->result_count = count;
    for (uint32_t i = 0; i < count; i++)
        if (!fl_type_keep(&b->program->arena, &types[i]))
            fl_builder_fail(b, fl_error(FL_OOM, "out of host memory"));
}

void fl_func_end(fl_builder *b, fl_func *func, const fl_ref *results, uint32_t count)
{
    fl_region_end(b, func ? func->body : NULL, results, count);
    if (b->status) return;
    fl_type *types = FL_NEW_ARRAY(&b->program->arena, fl_type, count + 1);
    if (!types) return fl_builder_fail(b, fl_error(FL_OOM, "out of host memory"));
    for (uint32_t i = 0; i < count; i++) types[i] = *fl_typeof(b, results[i]);
    set_results(b, func, types, count);
}

void fl_func_declare(fl_builder *b, fl_func *func, const fl_type *results, uint32_t count)
{
    fl_region_end(b, func ? func->body : NULL, NULL, 0);
    if (b->status) return;
    for (uint32_t i = 0; i < count; i++) {
        fl_status s = fl_status_prefix(fl_need_value_type(&results[i]), "result %u", i);
        if (s) return fl_builder_fail(b, s);
    }
    fl_type *types = fl_arena_copy(&b->program->arena, results, count * sizeof *types);
    if (!types) return fl_builder_fail(b, fl_error(FL_OOM, "out of host memory"));
    func->is_declaration = 1;
    set_results(b, func, types, count);
}

static void choose_entry(fl_program *p)
{
    fl_func *entry = fl_program_func(p, "main");
    for (uint32_t i = 0; !entry && i < p->func_count; i++)
        if (p->funcs[i]->visibility != FL_PRIVATE && !p->funcs[i]->is_declaration) entry = p->funcs[i];
    if (!entry) entry = p->funcs[0];
    p->main = entry->body;
    p->name = entry->name;
}

fl_status fl_builder_finish_module(fl_builder *b, fl_program **out)
{
    if (!b->status && b->block)
        fl_builder_fail(b, fl_error(FL_INTERNAL, "expected every function to be ended"));
    if (!b->status) {
        choose_entry(b->program);
        fl_builder_fail(b, fl_verify_calls(b->program, NULL));
    }
    *out = b->status ? NULL : b->program;
    if (b->status) fl_program_destroy(b->program);
    fl_status status = b->status;
    *b = (fl_builder){0};
    return status;
}
