/* See rewrite.h. */
#include "opt/rewrite.h"

#include "ir/copy.h"
#include "ir/defs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 100 };

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

static fl_status copy_block(fl_rewriter *w, const fl_block *block);

/* These two give memory of the scratch arena, or NULL. */
static fl_ref *mapped(fl_rewriter *w, const fl_ref *refs, uint32_t count)
{
    fl_ref *to = fl_arena_alloc(&w->scratch, count * sizeof *to);
    for (uint32_t i = 0; to && i < count; i++) to[i] = w->map[refs[i]];
    return to;
}

static const fl_type *types_from(fl_rewriter *w, fl_ref first, uint32_t count)
{
    if (count == 1) return fl_type_of(w->from, first);
    fl_type *types = fl_arena_alloc(&w->scratch, count * sizeof *types);
    for (uint32_t i = 0; types && i < count; i++) types[i] = *fl_type_of(w->from, first + i);
    return types;
}

static fl_status copy_region(fl_rewriter *w, const fl_block *from, fl_block **out)
{
    const fl_type *types = types_from(w, from->first_arg, from->arg_count);
    FL_CHECK(types, FL_OOM, "out of host memory");
    *out = fl_region_begin(&w->b, types, from->arg_count);
    if (!*out) return NULL;
    for (uint32_t i = 0; i < from->arg_count; i++) w->map[from->first_arg + i] = (*out)->first_arg + i;
    FL_TRY(copy_block(w, from));
    fl_ref *results = mapped(w, from->results, from->result_count);
    FL_CHECK(results, FL_OOM, "out of host memory");
    fl_region_end(&w->b, *out, results, from->result_count);
    return NULL;
}

static fl_status copy_op(fl_rewriter *w, const fl_op *op)
{
    int done = 0;
    fl_ref *operands = mapped(w, op->operands, op->operand_count);
    const fl_type *types = types_from(w, op->first_result, op->result_count);
    fl_block **regions = fl_arena_alloc(&w->scratch, op->region_count * sizeof *regions);
    FL_CHECK(operands && types && regions, FL_OOM, "out of host memory");
    FL_TRY(w->rewrite(w, op, operands, &done));
    if (done || w->b.status) return NULL;
    for (uint32_t i = 0; i < op->region_count; i++) FL_TRY(copy_region(w, op->regions[i], &regions[i]));
    fl_ref first = (w->keeps_types ? fl_build_known : fl_build_typed)(
        &w->b, (fl_opcode)op->code, operands, op->operand_count, op->attrs, op->attr_count, regions,
        op->region_count, types, op->result_count);
    if (w->b.status) return NULL;
    for (uint32_t i = 0; i < op->result_count; i++) w->map[op->first_result + i] = first + i;
    if (!op->extra) return NULL;
    fl_op *made = fl_last_op(&w->b);
    made->extra = fl_literal_keep(&w->b.program->arena, op->extra);
    FL_CHECK(made->extra, FL_OOM, "out of host memory");
    return NULL;
}

static fl_status copy_block(fl_rewriter *w, const fl_block *block)
{
    FL_CHECK(w->depth < MOST_DEPTH, FL_UNSUPPORTED, "expected regions nested at most %d deep", MOST_DEPTH);
    w->depth++;
    for (uint32_t i = 0; i < block->op_count && !w->b.status; i++) FL_TRY(copy_op(w, block->ops[i]));
    w->depth--;
    return NULL;
}

static int keep(fl_arena *arena, const fl_literal *from, const fl_literal **to)
{
    return !from || (*to = fl_literal_keep(arena, from));
}

static fl_status copy_func(fl_rewriter *w, const fl_func *f)
{
    const fl_block *body = f->body;
    const fl_type *types = types_from(w, body->first_arg, body->arg_count);
    FL_CHECK(types, FL_OOM, "out of host memory");
    fl_func *to = fl_func_begin(&w->b, f->name, types, body->arg_count);
    if (!to) return NULL;
    fl_arena *arena = &w->b.program->arena;
    to->visibility = f->visibility;
    FL_CHECK(keep(arena, f->attrs, &to->attrs) && keep(arena, f->arg_attrs, &to->arg_attrs) &&
                 keep(arena, f->result_attrs, &to->result_attrs),
             FL_OOM, "out of host memory");
    if (f->is_declaration) {
        fl_func_declare(&w->b, to, f->result_types, f->result_count);
        return NULL;
    }
    for (uint32_t i = 0; i < body->arg_count; i++) w->map[body->first_arg + i] = fl_block_arg(to->body, i);
    FL_TRY(copy_block(w, body));
    fl_ref *results = mapped(w, body->results, body->result_count);
    FL_CHECK(results, FL_OOM, "out of host memory");
    fl_func_end(&w->b, to, results, body->result_count);
    return NULL;
}

static fl_status copy_module(fl_rewriter *w)
{
    const fl_program *p = w->from;
    fl_program *to = w->b.program;
    FL_CHECK(w->map, FL_OOM, "out of host memory");
    fl_builder_reserve(&w->b, p->def_count + p->def_count / 8);
    for (uint32_t i = 0; i < p->func_count && !w->b.status; i++) FL_TRY(copy_func(w, p->funcs[i]));
    FL_CHECK(keep(&to->arena, p->module_attrs, &to->module_attrs) &&
                 keep(&to->arena, p->module_ops, &to->module_ops) &&
                 (!p->module_name || (to->module_name = fl_arena_strdup(&to->arena, p->module_name))),
             FL_OOM, "out of host memory");
    return w->finish && !w->b.status ? w->finish(w) : NULL;
}

fl_status fl_rewrite(fl_rewriter *w, const fl_program *program, fl_program **out)
{
    w->from = program;
    w->map = calloc(program->def_count + 1u, sizeof *w->map);
    *out = NULL;
    fl_status s = w->map ? fl_builder_init(&w->b, program->name) : no_memory();
    if (!s) {
        s = copy_module(w);
        if (s)
            fl_builder_abandon(&w->b);
        else
            s = fl_builder_finish_module(&w->b, out);
    }
    fl_arena_free(&w->scratch);
    free(w->map);
    w->map = NULL;
    return s;
}
