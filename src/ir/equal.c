/* Whether two programs are the same. */
#include "ir/defaults.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 1000 };

typedef struct comparison {
    const fl_program *a, *b;
    fl_text *why;
    fl_ref *map; /* values of a to those of b */
    const char *func;
    int depth;
} comparison;

__attribute__((format(printf, 2, 3))) static int differ(const comparison *c, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!c->why) return 0;
    if (c->func) fl_text_printf(c->why, "@%s: ", c->func);
    fl_text_append(c->why, text, strlen(text));
    return 0;
}

static int types_equal(const comparison *c, const fl_type *a, const fl_type *b, const char *what, uint32_t i)
{
    char x[200], y[200];
    if (fl_type_equal(a, b)) return 1;
    return differ(c, "%s %u: type %s and %s", what, i, fl_type_text(a, x, sizeof x),
                  fl_type_text(b, y, sizeof y));
}

static int values_equal(comparison *c, fl_ref first_a, fl_ref first_b, uint32_t count, const char *what)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!types_equal(c, fl_type_of(c->a, first_a + i), fl_type_of(c->b, first_b + i), what, i)) return 0;
        c->map[first_a + i] = first_b + i;
    }
    return 1;
}

/* NULL and an empty dictionary are the same. */
static int dicts_equal(const fl_literal *a, const fl_literal *b)
{
    uint32_t n = a ? a->count : 0, m = b ? b->count : 0;
    return (!n && !m) || (a && b && fl_literal_equal(a, b));
}

static const fl_attr *find(const fl_op *op, fl_attr_key key)
{
    for (unsigned i = 0; i < op->attr_count; i++)
        if (op->attrs[i].key == key) return &op->attrs[i];
    return NULL;
}

static int attrs_equal(const comparison *c, const fl_op *a, const fl_op *b, const char *what)
{
    for (unsigned side = 0; side < 2; side++) {
        const fl_op *one = side ? b : a, *other = side ? a : b;
        for (unsigned i = 0; i < one->attr_count; i++)
            if (!fl_attr_equal(a, &one->attrs[i], find(other, (fl_attr_key)one->attrs[i].key)))
                return differ(c, "%s: attribute %s", what, fl_attr_infos[one->attrs[i].key].name);
    }
    return dicts_equal(a->extra, b->extra) || differ(c, "%s: other attributes", what);
}

static int blocks_equal(comparison *c, const fl_block *a, const fl_block *b, const char *what);

static int ops_equal(comparison *c, const fl_op *a, const fl_op *b, uint32_t index)
{
    char what[120];
    snprintf(what, sizeof what, "operation %u (%s)", index, fl_op_infos[a->code].name);
    if (a->code != b->code) return differ(c, "%s: other is %s", what, fl_op_infos[b->code].name);
    if (a->operand_count != b->operand_count || a->result_count != b->result_count ||
        a->region_count != b->region_count)
        return differ(c, "%s: %u operands, %u results, %u regions and %u, %u, %u", what, a->operand_count,
                      a->result_count, a->region_count, b->operand_count, b->result_count, b->region_count);
    for (unsigned i = 0; i < a->operand_count; i++)
        if (c->map[a->operands[i]] != b->operands[i]) return differ(c, "%s: operand %u", what, i);
    if (!attrs_equal(c, a, b, what)) return 0;
    for (unsigned i = 0; i < a->region_count; i++)
        if (!blocks_equal(c, a->regions[i], b->regions[i], what)) return 0;
    return values_equal(c, a->first_result, b->first_result, a->result_count, what);
}

static int blocks_equal(comparison *c, const fl_block *a, const fl_block *b, const char *what)
{
    if (c->depth >= MOST_DEPTH) return differ(c, "%s: regions are nested too deep to compare", what);
    if (a->arg_count != b->arg_count)
        return differ(c, "%s: %u and %u arguments", what, a->arg_count, b->arg_count);
    if (!values_equal(c, a->first_arg, b->first_arg, a->arg_count, "argument")) return 0;
    c->depth++;
    for (uint32_t i = 0; i < a->op_count && i < b->op_count; i++)
        if (!ops_equal(c, a->ops[i], b->ops[i], i)) return 0;
    c->depth--;
    if (a->op_count != b->op_count)
        return differ(c, "%s: %u and %u operations", what, a->op_count, b->op_count);
    if (a->result_count != b->result_count)
        return differ(c, "%s: returns %u and %u values", what, a->result_count, b->result_count);
    for (uint32_t i = 0; i < a->result_count; i++)
        if (c->map[a->results[i]] != b->results[i]) return differ(c, "%s: returned value %u", what, i);
    return 1;
}

/* Arrays of one dictionary an argument; NULL: all empty. */
static int dict_lists_equal(const fl_literal *a, const fl_literal *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!dicts_equal(a && i < a->count ? &a->u.items[i] : NULL,
                         b && i < b->count ? &b->u.items[i] : NULL))
            return 0;
    return 1;
}

static int funcs_equal(comparison *c, const fl_func *a, const fl_func *b)
{
    c->func = a->name;
    if (strcmp(a->name, b->name)) return differ(c, "the other is @%s", b->name);
    /* without a word, a function is public */
    if ((a->visibility == FL_PRIVATE) != (b->visibility == FL_PRIVATE)) return differ(c, "visibility");
    if (a->is_declaration != b->is_declaration) return differ(c, "one is a declaration");
    if (a->result_count != b->result_count)
        return differ(c, "%u and %u results", a->result_count, b->result_count);
    for (uint32_t i = 0; i < a->result_count; i++)
        if (!types_equal(c, &a->result_types[i], &b->result_types[i], "result", i)) return 0;
    if (!blocks_equal(c, a->body, b->body, "body")) return 0;
    if (!dicts_equal(a->attrs, b->attrs)) return differ(c, "attributes");
    if (!dict_lists_equal(a->arg_attrs, b->arg_attrs, a->body->arg_count))
        return differ(c, "attributes of arguments");
    return dict_lists_equal(a->result_attrs, b->result_attrs, a->result_count) ||
           differ(c, "attributes of results");
}

static int modules_equal(comparison *c)
{
    const fl_program *a = c->a, *b = c->b;
    const char *name_a = a->module_name ? a->module_name : "", *name_b = b->module_name ? b->module_name : "";
    if (strcmp(name_a, name_b)) return differ(c, "modules named \"%s\" and \"%s\"", name_a, name_b);
    if (!dicts_equal(a->module_attrs, b->module_attrs)) return differ(c, "attributes of the module");
    if (!dicts_equal(a->module_ops, b->module_ops)) return differ(c, "operations beside the functions");
    if (a->func_count != b->func_count) return differ(c, "%u and %u functions", a->func_count, b->func_count);
    for (uint32_t i = 0; i < a->func_count; i++)
        if (!funcs_equal(c, a->funcs[i], b->funcs[i])) return 0;
    return 1;
}

int fl_program_equal(const fl_program *a, const fl_program *b, fl_text *why)
{
    comparison c = {.a = a, .b = b, .why = why};
    c.map = calloc(a->def_count, sizeof *c.map);
    if (!c.map) return differ(&c, "out of host memory");
    int equal = modules_equal(&c);
    free(c.map);
    return equal;
}
