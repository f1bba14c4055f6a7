/* Operations: in the pretty form of syntax.def where it says all there is to say, else in the generic form. */
#include "ir/text/print.h"

#include <string.h>

static const fl_type *result_type(const fl_printer *pr, const fl_op *op)
{
    return fl_type_of(pr->program, op->first_result);
}

/* Whether operands from `first` on have one type, and the results too. */
static int one_type(const fl_printer *pr, const fl_op *op, unsigned first, const fl_type *type)
{
    for (unsigned i = first; i < op->operand_count; i++)
        if (!fl_type_equal(fl_type_of(pr->program, op->operands[i]), type)) return 0;
    for (unsigned i = 0; i < op->result_count; i++)
        if (!fl_type_equal(fl_type_of(pr->program, op->first_result + i), type)) return 0;
    return 1;
}

/* ---- types ---- */

void fl_print_function_type(fl_printer *pr, const fl_op *op)
{
    fl_print_text(pr->out, "(");
    fl_print_types(pr, op->operands, op->operand_count);
    fl_print_text(pr->out, ") -> ");
    fl_print_result_types(pr, op);
}

static int complex_of_operands(const fl_printer *pr, const fl_op *op)
{
    fl_type real = *result_type(pr, op);
    real.dtype = (uint8_t)fl_real_dtype((fl_dtype)real.dtype);
    for (unsigned i = 0; i < op->operand_count; i++)
        if (!fl_type_equal(fl_type_of(pr->program, op->operands[i]), &real)) return 0;
    return 1;
}

static void put_types(fl_printer *pr, const fl_op *op, fl_type_part part)
{
    const fl_type *result = op->result_count ? result_type(pr, op) : NULL;
    fl_print_text(pr->out, " : ");
    switch (part) {
    case FL_TYPES_FUNCTION: fl_print_function_type(pr, op); break;
    case FL_TYPES_SAME:
        if (one_type(pr, op, 0, result))
            fl_print_type(pr->out, result);
        else
            fl_print_function_type(pr, op);
        break;
    case FL_TYPES_COMPLEX:
        if (complex_of_operands(pr, op))
            fl_print_type(pr->out, result);
        else
            fl_print_function_type(pr, op);
        break;
    case FL_TYPES_SELECT:
        if (one_type(pr, op, 1, result))
            fl_print_types(pr, op->operands, 2);
        else
            fl_print_function_type(pr, op);
        break;
    case FL_TYPES_ARROW:
        fl_print_types(pr, op->operands, op->operand_count);
        fl_print_text(pr->out, " -> ");
        fl_print_result_types(pr, op);
        break;
    case FL_TYPES_RESULTS:
    case FL_TYPES_TUPLE: fl_print_type(pr->out, result); break;
    case FL_TYPES_FIRST: fl_print_types(pr, op->operands, 1); break;
    }
}

static int is_tuple_of_operands(const fl_printer *pr, const fl_op *op)
{
    const fl_type *t = result_type(pr, op);
    uint32_t members = t->more ? t->more->count : 0;
    if (t->kind != FL_TYPE_TUPLE || members != op->operand_count) return 0;
    for (uint32_t i = 0; i < members; i++)
        if (!fl_type_equal(&t->more->members[i], fl_type_of(pr->program, op->operands[i]))) return 0;
    return 1;
}

static int types_fit(const fl_printer *pr, const fl_op *op, fl_type_part part)
{
    switch (part) {
    case FL_TYPES_FUNCTION:
    case FL_TYPES_ARROW: return 1;
    case FL_TYPES_SAME: return op->result_count == 1;
    case FL_TYPES_COMPLEX: return op->result_count == 1 && op->operand_count == 2;
    case FL_TYPES_SELECT: return op->result_count == 1 && op->operand_count == 3;
    case FL_TYPES_RESULTS: return op->result_count == 1 && op->operand_count == 0;
    case FL_TYPES_FIRST:
        return op->operand_count > 0 && op->result_count == 0 &&
               one_type(pr, op, 1, fl_type_of(pr->program, op->operands[0]));
    case FL_TYPES_TUPLE: return op->result_count == 1 && is_tuple_of_operands(pr, op);
    }
    return 0;
}

/* ---- the pretty form ---- */

/* A keyword has a space before it, punctuation has not. */
static void put_keyword(fl_printer *pr, const char *text, int glued)
{
    if (!glued && !strchr(",()[]", text[0])) fl_print_text(pr->out, " ");
    fl_print_text(pr->out, text);
}

static void put_named(fl_printer *pr, const fl_op *op, const fl_part *part, const char *before)
{
    const fl_attr *a = fl_op_attr(op, (fl_attr_key)part->key);
    if (!a) return;
    fl_text_printf(pr->out, "%s%s = ", before, part->text);
    fl_print_bare_value(pr, op, a);
}

static void put_pretty(fl_printer *pr, const fl_op *op)
{
    int glued = 0; /* after an opening bracket */
    fl_print_text(pr->out, fl_syntax_name((fl_opcode)op->code));
    for (const fl_part *part = fl_syntax[op->code]; part->kind != FL_PART_END; part++) {
        const char *space = glued ? "" : " ";
        switch ((fl_part_kind)part->kind) {
        case FL_PART_OPERANDS:
            if (op->operand_count) fl_print_text(pr->out, space);
            fl_print_values(pr, op->operands, op->operand_count);
            break;
        case FL_PART_ARGUMENTS:
            fl_print_text(pr->out, "(");
            fl_print_values(pr, op->operands, op->operand_count);
            fl_print_text(pr->out, ")");
            break;
        case FL_PART_TEXT: put_keyword(pr, part->text, glued); break;
        case FL_PART_VALUE:
            fl_print_text(pr->out, space);
            fl_print_bare_value(pr, op, fl_op_attr(op, (fl_attr_key)part->key));
            break;
        case FL_PART_NAMED:
        case FL_PART_MAYBE: put_named(pr, op, part, ", "); break;
        case FL_PART_LEADING: put_named(pr, op, part, space); break;
        case FL_PART_DICT: fl_print_attributes(pr, op, (fl_dict_parts){1, 1, 1}, " ", ""); break;
        case FL_PART_TYPES: put_types(pr, op, (fl_type_part)part->types); break;
        case FL_PART_OPERAND_TYPES:
            fl_print_text(pr->out, " ");
            fl_print_types(pr, op->operands, op->operand_count);
            break;
        default: fl_print_form(pr, op, (fl_part_kind)part->kind); break;
        }
        glued = part->kind == FL_PART_TEXT && strchr("([", part->text[0]);
    }
}

static int part_fits(fl_printer *pr, const fl_op *op, const fl_part *part)
{
    switch ((fl_part_kind)part->kind) {
    case FL_PART_VALUE:
    case FL_PART_NAMED:
    case FL_PART_LEADING: return fl_op_attr(op, (fl_attr_key)part->key) != NULL;
    case FL_PART_TYPES: return types_fit(pr, op, (fl_type_part)part->types);
    default: return fl_form_fits(pr, op, (fl_part_kind)part->kind);
    }
}

static int is_pretty(fl_printer *pr, const fl_op *op)
{
    const fl_part *part = fl_syntax[op->code];
    if (!part) return 0;
    for (; part->kind != FL_PART_END; part++)
        if (!part_fits(pr, op, part)) return 0;
    return 1;
}

/* ---- the generic form ---- */

static void put_generic(fl_printer *pr, const fl_op *op)
{
    fl_text_printf(pr->out, "\"%s\"(", fl_syntax_name((fl_opcode)op->code));
    fl_print_values(pr, op->operands, op->operand_count);
    fl_print_text(pr->out, ")");
    fl_print_attributes(pr, op, (fl_dict_parts){.inherent = 1}, " <", ">");
    fl_print_regions(pr, op);
    fl_print_attributes(pr, op, (fl_dict_parts){.extra = 1}, " ", "");
    fl_print_text(pr->out, " : ");
    fl_print_function_type(pr, op);
}

void fl_print_op(fl_printer *pr, const fl_op *op)
{
    fl_print_newline(pr);
    if (op->result_count) {
        pr->names[op->first_result] = pr->next_value++;
        fl_text_printf(pr->out, "%%%u", pr->names[op->first_result]);
        if (op->result_count > 1) fl_text_printf(pr->out, ":%u", op->result_count);
        fl_print_text(pr->out, " = ");
    }
    if (is_pretty(pr, op))
        put_pretty(pr, op);
    else
        put_generic(pr, op);
}
