/* Operations of sdy in their own forms: attributes without the names of their kinds. */
#include "ir/text/print.h"

#include <string.h>

static const struct {
    uint16_t key;
    const char *before, *after; /* what surrounds the text in brackets */
} forms[] = {{FL_ATTR_sharding, "#sdy.sharding", ""},
             {FL_ATTR_in_shardings, "#sdy.sharding_per_value<", ">"},
             {FL_ATTR_out_shardings, "#sdy.sharding_per_value<", ">"},
             {FL_ATTR_manual_axes, "#sdy<manual_axes", ">"},
             {FL_ATTR_axes, NULL, ">"}}; /* as the operation says */
enum { FORM_SHARDING, FORM_AXES = sizeof forms / sizeof *forms - 1, FORMS };

/* The text in brackets; NULL: the attribute is not there, or of another form. */
static const char *inner(const fl_op *op, unsigned form, size_t *out_length)
{
    const fl_literal *l = fl_op_literal(op, (fl_attr_key)forms[form].key);
    const char *start = form == FORM_AXES ? fl_syntax_axes((fl_opcode)op->code) : forms[form].before;
    size_t before = strlen(start), after = strlen(forms[form].after);
    if (!l || l->kind != FL_LIT_OPAQUE || l->count <= before + after) return NULL;
    if (strncmp(l->u.string, start, before) || strcmp(l->u.string + l->count - after, forms[form].after) ||
        !strchr("<[{", l->u.string[before]))
        return NULL;
    *out_length = l->count - before - after;
    return l->u.string + before;
}

static void put(fl_printer *pr, const fl_op *op, unsigned form)
{
    size_t length;
    const char *text = inner(op, form, &length);
    if (!text) return;
    fl_print_text(pr->out, " ");
    const char *name = fl_syntax_attr((fl_opcode)op->code, (fl_attr_key)forms[form].key);
    if (form != FORM_AXES && strcmp(name, "sharding")) fl_text_printf(pr->out, "%s=", name);
    fl_text_append(pr->out, text, length);
}

int fl_sdy_fits(const fl_op *op)
{
    size_t length;
    for (unsigned i = 0; i < FORMS; i++)
        if (fl_op_attr(op, (fl_attr_key)forms[i].key) && !inner(op, i, &length)) return 0;
    switch (op->code) {
    case FL_OP_named_computation: return op->region_count == 1 && fl_op_string(op, FL_ATTR_name);
    case FL_OP_manual_computation: return op->region_count == 1 && fl_op_attr(op, FL_ATTR_manual_axes);
    default:
        return fl_op_attr(op, FL_ATTR_sharding) &&
               (op->code <= FL_OP_reshard || op->code == FL_OP_sdy_collective_permute ||
                fl_op_attr(op, FL_ATTR_axes));
    }
}

void fl_print_sharding(fl_printer *pr, const fl_op *op)
{
    put(pr, op, FORM_SHARDING);
}

void fl_print_axes(fl_printer *pr, const fl_op *op)
{
    put(pr, op, FORM_AXES);
}

void fl_print_sdy_region(fl_printer *pr, const fl_op *op)
{
    const fl_block *body = op->regions[0];
    const fl_attr *name = fl_op_attr(op, FL_ATTR_name);
    if (name) {
        fl_print_text(pr->out, "<");
        fl_print_string(pr->out, name->u.string, name->count);
        fl_print_text(pr->out, ">");
    }
    fl_print_text(pr->out, "(");
    fl_print_values(pr, op->operands, op->operand_count);
    fl_print_text(pr->out, ")");
    for (unsigned i = FORM_SHARDING + 1; i < FORM_AXES; i++) put(pr, op, i);
    fl_print_text(pr->out, " (");
    fl_name_arguments(pr, body);
    for (uint32_t i = 0; i < body->arg_count; i++) {
        if (i) fl_print_text(pr->out, ", ");
        fl_print_argument(pr, body, i);
    }
    fl_print_text(pr->out, ") {");
    fl_print_body(pr, body, "sdy.return");
    fl_print_newline(pr);
    fl_print_text(pr->out, "}");
    fl_print_attributes(pr, op, (fl_dict_parts){1, 1, 1}, " ", "");
    fl_print_text(pr->out, " : ");
    fl_print_function_type(pr, op);
}
