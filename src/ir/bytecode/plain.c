/* Bytecode of dialects as compilers hold them in memory (stablehlo, func ...), without versions: its generic text, which the parser
 * reads. */
#include "ir/bytecode/plain.h"
#include "ir/bytecode/read_ops.h"
#include "ir/text/print.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct plain {
    fl_bc_reader *r;
    fl_text *out;
    fl_ref next;           /* name of the next value */
    const fl_type **types; /* of values by name */
    uint32_t capacity;
} plain;

static const struct {
    const char *op, *properties;
} rows[] = {
#define FL_PLAIN(op, properties) {op, properties},
#include "ir/bytecode/plain.def"
#undef FL_PLAIN
};

static const char *properties_of(const char *op)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].op, op)) return rows[i].properties;
    return "";
}

static fl_status print_attr(plain *p, uint64_t index)
{
    const fl_bc_entry *e;
    FL_TRY(fl_bc_attr(p->r, index, 0, &e));
    FL_TRY(fl_bc_spend(p->r, e->weight * sizeof(fl_literal)));
    fl_print_literal(p->out, e->u.literal);
    return NULL;
}

/* <{name = value, ...}> */
static fl_status print_properties(plain *p, const fl_bc_head *h, const char *name)
{
    if (!h->has_properties) return NULL;
    FL_CHECK(h->properties < p->r->property_count, FL_INVALID, "%s: expected one of %u properties", name,
             p->r->property_count);
    fl_bc_string blob = p->r->properties[h->properties];
    fl_cursor c = fl_cursor_make((const uint8_t *)blob.text, blob.length);
    int any = 0;
    for (const char *at = properties_of(name); *at;) {
        size_t length = strcspn(at, "? ");
        int optional = at[length] == '?';
        uint64_t index = fl_cursor_varint(&c);
        if (!optional || index & 1) {
            fl_text_printf(p->out, "%s%.*s = ", any++ ? ", " : " <{", (int)length, at);
            FL_TRY(print_attr(p, optional ? index >> 1 : index));
        }
        at += length + (size_t)optional;
        at += *at == ' ';
    }
    FL_CHECK(!c.failed && !fl_cursor_left(&c), FL_UNSUPPORTED, "%s: expected the properties %s", name,
             properties_of(name));
    if (any) fl_print_text(p->out, "}>");
    return NULL;
}

static fl_status print_attributes(plain *p, const fl_bc_head *h)
{
    const fl_bc_entry *e;
    if (!h->has_attrs) return NULL;
    FL_TRY(fl_bc_attr(p->r, h->attrs, 0, &e));
    FL_TRY(fl_bc_spend(p->r, e->weight * sizeof(fl_literal)));
    FL_CHECK(e->u.literal->kind == FL_LIT_DICT, FL_INVALID, "%s: expected a dictionary of attributes",
             h->name->name);
    fl_print_text(p->out, " ");
    fl_print_dict(p->out, e->u.literal);
    return NULL;
}

/* ---- regions ---- */

static fl_status print_ops(plain *p, fl_cursor *c, fl_bc_block *b, unsigned depth);

static fl_status name_values(plain *p, fl_bc_block *b, const fl_type *types, uint32_t count)
{
    fl_bc_reader *r = p->r;
    FL_CHECK(count <= r->value_count - b->next, FL_INVALID, "%s: a region defines more values than it says",
             FL_BC_PREFIX);
    if (p->next + count > p->capacity) {
        uint32_t capacity = 2 * (p->next + count) + 64;
        const fl_type **grown = realloc(p->types, capacity * sizeof *grown);
        FL_CHECK(grown, FL_OOM, "out of host memory");
        p->types = grown;
        p->capacity = capacity;
    }
    for (uint32_t i = 0; i < count; i++) {
        p->types[p->next] = &types[i];
        r->values[b->next++] = p->next++;
    }
    return NULL;
}

static fl_status print_region(plain *p, fl_cursor *c, unsigned depth)
{
    fl_bc_block b;
    FL_CHECK(depth < FL_BC_DEPTH, FL_UNSUPPORTED, "%s: expected regions nested less than %d deep",
             FL_BC_PREFIX, FL_BC_DEPTH);
    FL_TRY(fl_bc_begin_block(p->r, c, &b));
    fl_print_text(p->out, "{");
    if (b.arg_count) fl_print_text(p->out, "^bb0(");
    for (uint32_t i = 0; i < b.arg_count; i++) {
        fl_text_printf(p->out, "%s%%%u: ", i ? ", " : "", p->next + i);
        fl_print_type(p->out, &b.arg_types[i]);
    }
    fl_print_text(p->out, b.arg_count ? "):\n" : "\n");
    if (!b.is_empty) {
        FL_TRY(name_values(p, &b, b.arg_types, b.arg_count));
        FL_TRY(print_ops(p, c, &b, depth));
        p->r->value_count = b.start;
    }
    fl_print_text(p->out, "}");
    return NULL;
}

static fl_status print_regions(plain *p, fl_cursor *c, const fl_bc_head *h, unsigned depth)
{
    fl_cursor inner, *at;
    uint32_t scope = p->r->scope;
    if (!h->region_count) return NULL;
    FL_TRY(fl_bc_enter_regions(p->r, c, h, &at, &inner));
    if (h->is_isolated) p->r->scope = p->r->value_count;
    fl_print_text(p->out, " (");
    for (uint32_t i = 0; i < h->region_count; i++) {
        if (i) fl_print_text(p->out, ", ");
        FL_TRY(print_region(p, at, depth + 1));
    }
    fl_print_text(p->out, ")");
    p->r->scope = scope;
    return NULL;
}

/* ---- operations ---- */

/* : (t1, t2) -> (t3) */
static void print_signature(plain *p, const fl_bc_head *h)
{
    fl_print_text(p->out, " : (");
    for (uint32_t i = 0; i < h->operand_count; i++) {
        if (i) fl_print_text(p->out, ", ");
        fl_print_type(p->out, p->types[h->operands[i]]);
    }
    fl_print_text(p->out, ") -> (");
    for (uint32_t i = 0; i < h->result_count; i++) {
        if (i) fl_print_text(p->out, ", ");
        fl_print_type(p->out, &h->result_types[i]);
    }
    fl_print_text(p->out, ")\n");
}

static fl_status print_op(plain *p, fl_cursor *c, fl_bc_block *b, unsigned depth)
{
    fl_bc_head h;
    FL_TRY(fl_bc_read_head(p->r, c, &h));
    char name[128];
    int length = snprintf(name, sizeof name, "%s.%s",
                          p->r->strings[p->r->dialect_names[h.name->dialect]].text, h.name->name);
    FL_CHECK(length < (int)sizeof name, FL_INVALID, "%s: expected shorter names of operations", FL_BC_PREFIX);
    for (uint32_t i = 0; i < h.result_count; i++)
        fl_text_printf(p->out, "%s%%%u", i ? ", " : "", p->next + i);
    if (h.result_count) fl_print_text(p->out, " = ");
    FL_TRY(name_values(p, b, h.result_types, h.result_count));
    fl_print_string(p->out, name, (size_t)length);
    fl_print_text(p->out, "(");
    for (uint32_t i = 0; i < h.operand_count; i++)
        fl_text_printf(p->out, "%s%%%u", i ? ", " : "", h.operands[i]);
    fl_print_text(p->out, ")");
    FL_TRY(print_properties(p, &h, name));
    FL_TRY(print_regions(p, c, &h, depth));
    FL_TRY(print_attributes(p, &h));
    print_signature(p, &h);
    return NULL;
}

static fl_status print_ops(plain *p, fl_cursor *c, fl_bc_block *b, unsigned depth)
{
    for (uint64_t i = 0; i < b->op_count; i++) {
        FL_TRY(print_op(p, c, b, depth));
        FL_CHECK(!p->out->failed, FL_OOM, "out of host memory");
    }
    return NULL;
}

fl_status fl_bc_print_plain(fl_bc_reader *r, fl_cursor ir, fl_text *out)
{
    plain p = {.r = r, .out = out, .next = 1}; /* 0 is no value */
    fl_bc_block top = {0};
    fl_status status = NULL;
    if (fl_cursor_varint(&ir) != 2)
        status = fl_error(FL_UNSUPPORTED, "%s: expected one module", FL_BC_PREFIX);
    if (!status) status = print_op(&p, &ir, &top, 0);
    if (!status && out->failed) status = fl_error(FL_OOM, "out of host memory");
    free(p.types);
    return status;
}
