/* The module: its functions, and what other dialects put beside them. */
#include "ir/bytecode/read_ops.h"

#include <stdlib.h>

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

static int is_op(const fl_bc_reader *r, const fl_bc_head *h, fl_bc_dialect dialect, const char *name)
{
    return r->dialects[h->name->dialect] == dialect && !strcmp(h->name->name, name);
}

/* ---- functions ---- */

typedef enum func_part { ARG_ATTRS, FUNCTION_TYPE, RESULT_ATTRS, NAME, VISIBILITY, FUNC_PARTS } func_part;
static const char *const func_names[FUNC_PARTS] = {"arg_attrs", "function_type", "res_attrs", "sym_name",
                                                   "sym_visibility"};

static fl_status part(fl_bc_reader *r, const uint64_t *indices, func_part which, fl_literal_kind kind,
                      const fl_literal **out)
{
    const fl_bc_entry *e;
    FL_TRY(fl_bc_attr(r, indices[which], 0, &e));
    FL_TRY(fl_bc_spend(r, e->weight * sizeof(fl_literal)));
    *out = e->u.literal;
    FL_CHECK((*out)->kind == kind, FL_INVALID, "func: unexpected kind of %s", func_names[which]);
    FL_CHECK(kind != FL_LIT_STRING || strlen((*out)->u.string) == (*out)->count, FL_INVALID,
             "func: unexpected NUL in %s", func_names[which]);
    return NULL;
}

static fl_status visibility(const char *text, uint8_t *out)
{
    *out = !strcmp(text, "public") ? FL_PUBLIC : !strcmp(text, "private") ? FL_PRIVATE : FL_VISIBILITY_NONE;
    FL_CHECK(*out || !*text, FL_INVALID, "expected visibility public or private, got \"%.40s\"", text);
    return NULL;
}

/* One dictionary for each argument or result, or nothing for all of them. */
static fl_status value_attrs(fl_bc_reader *r, const uint64_t *indices, func_part which, uint32_t count,
                             const fl_literal **out)
{
    const fl_literal *array;
    FL_TRY(part(r, indices, which, FL_LIT_ARRAY, &array));
    *out = NULL;
    if (!array->count) return NULL;
    FL_CHECK(array->count == count, FL_INVALID, "expected %s for %u values, got %u", func_names[which], count,
             array->count);
    for (uint32_t i = 0; i < count; i++)
        FL_CHECK(array->u.items[i].kind == FL_LIT_DICT, FL_INVALID, "expected dictionaries in %s",
                 func_names[which]);
    return fl_bc_kept(r, array, out);
}

static fl_status set_attrs(fl_bc_reader *r, const fl_bc_head *h, const uint64_t *indices, fl_func *func,
                           const fl_type *type)
{
    const fl_literal *text;
    FL_TRY(part(r, indices, VISIBILITY, FL_LIT_STRING, &text));
    FL_TRY(visibility(text->u.string, &func->visibility));
    FL_TRY(value_attrs(r, indices, ARG_ATTRS, type->more->inputs, &func->arg_attrs));
    FL_TRY(
        value_attrs(r, indices, RESULT_ATTRS, type->more->count - type->more->inputs, &func->result_attrs));
    return fl_bc_others(r, h, func_names, FUNC_PARTS, &func->attrs);
}

static fl_status check_results(const fl_bc_reader *r, const fl_type *type, const fl_ref *results,
                               uint32_t count)
{
    const fl_type_more *more = type->more;
    FL_CHECK(count == more->count - more->inputs, FL_INVALID, "expected %u results, got %u",
             more->count - more->inputs, count);
    for (uint32_t i = 0; i < count; i++)
        FL_CHECK(fl_type_equal(fl_typeof(&r->builder, results[i]), &more->members[more->inputs + i]),
                 FL_INVALID, "result %u is not of the type that the function states", i);
    return NULL;
}

static fl_status read_body(fl_bc_reader *r, fl_cursor *c, const fl_bc_head *h, const uint64_t *indices,
                           const char *name, const fl_type *type)
{
    const fl_type_more *more = type->more;
    fl_bc_block b;
    fl_cursor inner, *at;
    FL_CHECK(h->region_count == 1, FL_INVALID, "expected one region, got %u", h->region_count);
    FL_TRY(fl_bc_enter_regions(r, c, h, &at, &inner));
    r->scope = r->value_count = 0;
    FL_TRY(fl_bc_begin_block(r, at, &b));
    FL_CHECK(b.is_empty || b.arg_count == more->inputs, FL_INVALID, "expected %u arguments, got %u",
             more->inputs, b.arg_count);
    for (uint32_t i = 0; i < b.arg_count; i++)
        FL_CHECK(fl_type_equal(&b.arg_types[i], &more->members[i]), FL_INVALID,
                 "argument %u is not of the type that the function states", i);
    fl_func *func = fl_func_begin(&r->builder, name, more->members, more->inputs);
    if (b.is_empty) {
        fl_func_declare(&r->builder, func, more->members + more->inputs, more->count - more->inputs);
    } else if (!r->builder.status) {
        fl_ref *results;
        uint32_t count;
        FL_TRY(fl_bc_read_body(r, at, &b, fl_block_arg(func->body, 0), 0, &results, &count));
        FL_TRY(check_results(r, type, results, count));
        fl_func_end(&r->builder, func, results, count);
    }
    fl_status s = r->builder.status;
    r->builder.status = NULL;
    return s ? s : set_attrs(r, h, indices, func, type);
}

static fl_status read_func(fl_bc_reader *r, fl_cursor *c, const fl_bc_head *h)
{
    uint64_t indices[FUNC_PARTS];
    const fl_literal *name, *type;
    FL_TRY(fl_bc_named(r, h, func_names, FUNC_PARTS, indices));
    FL_TRY(part(r, indices, NAME, FL_LIT_STRING, &name));
    FL_TRY(part(r, indices, FUNCTION_TYPE, FL_LIT_TYPE, &type));
    FL_CHECK(type->type->kind == FL_TYPE_FUNCTION, FL_INVALID, "func: expected the type of a function");
    fl_status s = read_body(r, c, h, indices, name->u.string, type->type);
    return fl_status_prefix(s, "function @%.100s", name->u.string);
}

/* ---- beside the functions ---- */

static fl_status add_foreign(fl_bc_reader *r, const char *text, size_t length)
{
    if (r->foreign_count == r->foreign_capacity) {
        uint32_t capacity = r->foreign_capacity ? 2 * r->foreign_capacity : 4;
        fl_literal *foreign = realloc(r->foreign, capacity * sizeof *foreign);
        if (!foreign) return no_memory();
        r->foreign = foreign;
        r->foreign_capacity = capacity;
    }
    char *copy = fl_arena_copy(&r->arena, text, length + 1);
    if (!copy) return no_memory();
    r->foreign[r->foreign_count++] =
        (fl_literal){.kind = FL_LIT_OPAQUE, .count = (uint32_t)length, .u.string = copy};
    return NULL;
}

/* sdy.mesh @name = <["x"=2]> */
static fl_status read_mesh(fl_bc_reader *r, const fl_bc_head *h)
{
    static const char *const names[] = {"mesh", "sym_name"};
    uint64_t indices[2];
    const fl_bc_entry *mesh, *name;
    FL_TRY(fl_bc_named(r, h, names, 2, indices));
    FL_TRY(fl_bc_attr(r, indices[0], 0, &mesh));
    FL_TRY(fl_bc_attr(r, indices[1], 0, &name));
    const fl_literal *value = mesh->u.literal;
    const char *body = value->kind == FL_LIT_OPAQUE ? strchr(value->u.string, '<') : NULL;
    FL_CHECK(body && name->u.literal->kind == FL_LIT_STRING, FL_INVALID,
             "sdy.mesh: expected a name and a mesh");
    FL_TRY(fl_bc_spend(r, value->count));
    fl_text text = {0};
    fl_text_printf(&text, "sdy.mesh @%s = %s", name->u.literal->u.string, body);
    fl_status s =
        text.failed || text.length > UINT32_MAX ? no_memory() : add_foreign(r, text.data, text.length);
    fl_text_free(&text);
    return s;
}

static fl_status read_beside(fl_bc_reader *r, fl_cursor *c, const fl_bc_head *h)
{
    if (is_op(r, h, FL_BC_VHLO, FL_VHLO_FUNC)) return read_func(r, c, h);
    if (is_op(r, h, FL_BC_SDY, "mesh") && !h->region_count) return read_mesh(r, h);
    return fl_error(FL_UNSUPPORTED, "unknown operation %.40s.%.60s beside the functions",
                    r->strings[r->dialect_names[h->name->dialect]].text, h->name->name);
}

/* Name and visibility of a module may be missing; the name is all that we keep. */
static fl_status module_attrs(fl_bc_reader *r, const fl_bc_head *h)
{
    static const char *const names[] = {"sym_name", "sym_visibility"};
    fl_program *p = r->builder.program;
    const fl_literal *attrs;
    if (r->format >= 5 && h->has_properties) {
        uint64_t indices[2];
        FL_TRY(fl_bc_named(r, h, names, 2, indices));
        if (indices[0] & 1) {
            const fl_bc_entry *name;
            FL_TRY(fl_bc_attr(r, indices[0] >> 1, 0, &name));
            FL_CHECK(name->u.literal->kind == FL_LIT_STRING, FL_INVALID,
                     "module: expected a string as its name");
            p->module_name = fl_arena_strdup(&p->arena, name->u.literal->u.string);
            if (!p->module_name) return no_memory();
        }
    }
    FL_TRY(fl_bc_others(r, h, NULL, 0, &attrs));
    const fl_literal *name = r->format < 5 ? fl_literal_get(attrs, names[0]) : NULL;
    if (name && name->kind == FL_LIT_STRING) {
        p->module_name = name->u.string;
        FL_TRY(fl_bc_others(r, h, names, 2, &attrs));
    }
    p->module_attrs = attrs;
    return NULL;
}

static fl_status keep_foreign(fl_bc_reader *r)
{
    if (!r->foreign_count) return NULL;
    fl_literal array = {.kind = FL_LIT_ARRAY, .count = r->foreign_count, .u.items = r->foreign};
    fl_program *p = r->builder.program;
    p->module_ops = fl_literal_keep(&p->arena, &array);
    return p->module_ops ? NULL : no_memory();
}

fl_status fl_bc_read_module(fl_bc_reader *r, fl_cursor ir)
{
    fl_bc_head h;
    fl_bc_block b;
    fl_cursor *c = &ir, *at, inner;
    uint64_t functions = 0;
    uint64_t top = fl_cursor_varint(c);
    FL_CHECK(top == 2, FL_UNSUPPORTED, "%s: expected one module",
             FL_BC_PREFIX); /* one operation, no arguments */
    FL_TRY(fl_bc_read_head(r, c, &h));
    FL_CHECK(is_op(r, &h, FL_BC_BUILTIN, "module") && h.region_count == 1, FL_UNSUPPORTED,
             "%s: expected a module, got %.60s", FL_BC_PREFIX, h.name->name);
    FL_TRY(module_attrs(r, &h));
    FL_TRY(fl_bc_enter_regions(r, c, &h, &at, &inner));
    FL_TRY(fl_bc_begin_block(r, at, &b));
    for (uint64_t i = 0; i < b.op_count; i++) {
        FL_TRY(fl_bc_read_head(r, at, &h));
        FL_TRY(fl_status_prefix(read_beside(r, at, &h), FL_BC_PREFIX));
        functions += is_op(r, &h, FL_BC_VHLO, FL_VHLO_FUNC);
    }
    FL_CHECK(functions, FL_INVALID, "%s: expected a function", FL_BC_PREFIX);
    return keep_foreign(r);
}
