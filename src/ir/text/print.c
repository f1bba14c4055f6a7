/* The printer: a program as MLIR text, which reads back to the same program and which other readers of StableHLO accept.
 * A program that is one unnamed module without attributes is written as its functions alone. */
#include "ir/text/print.h"

#include <stdlib.h>
#include <string.h>

/* Regions in regions: what is deeper is no program that was read or built with care, and is cut off. */
enum { MOST_INDENT = 1000 };

void fl_print_newline(fl_printer *pr)
{
    static const char spaces[] = "                                ";
    fl_print_text(pr->out, "\n");
    for (int left = 2 * pr->indent; left > 0; left -= 32)
        fl_text_append(pr->out, spaces, left < 32 ? (size_t)left : 32);
}

void fl_print_value(fl_printer *pr, fl_ref r)
{
    const fl_def *d = &pr->program->defs[r];
    fl_print_text(pr->out, d->op ? "%" : "%arg");
    fl_print_int(pr->out, pr->names[d->op ? d->op->first_result : r]);
    if (!d->op || d->op->result_count < 2) return;
    fl_print_text(pr->out, "#");
    fl_print_int(pr->out, d->index);
}

void fl_print_values(fl_printer *pr, const fl_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) fl_print_text(pr->out, ", ");
        fl_print_value(pr, refs[i]);
    }
}

void fl_print_types(fl_printer *pr, const fl_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) fl_print_text(pr->out, ", ");
        fl_print_type(pr->out, fl_type_of(pr->program, refs[i]));
    }
}

void fl_print_result_types(fl_printer *pr, const fl_op *op)
{
    int parentheses = op->result_count != 1;
    if (parentheses) fl_print_text(pr->out, "(");
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (i) fl_print_text(pr->out, ", ");
        fl_print_type(pr->out, fl_type_of(pr->program, op->first_result + i));
    }
    if (parentheses) fl_print_text(pr->out, ")");
}

void fl_name_arguments(fl_printer *pr, const fl_block *block)
{
    for (uint32_t i = 0; i < block->arg_count; i++) pr->names[block->first_arg + i] = pr->next_argument++;
}

void fl_print_argument(fl_printer *pr, const fl_block *block, uint32_t i)
{
    fl_print_value(pr, block->first_arg + i);
    fl_print_text(pr->out, ": ");
    fl_print_type(pr->out, fl_type_of(pr->program, block->first_arg + i));
}

void fl_print_body(fl_printer *pr, const fl_block *block, const char *terminator)
{
    if (pr->indent >= MOST_INDENT) {
        pr->out->failed = 1;
        return;
    }
    pr->indent++;
    for (uint32_t i = 0; i < block->op_count; i++) fl_print_op(pr, block->ops[i]);
    fl_print_newline(pr);
    fl_print_text(pr->out, terminator);
    if (block->result_count) {
        fl_print_text(pr->out, " ");
        fl_print_values(pr, block->results, block->result_count);
        fl_print_text(pr->out, " : ");
        fl_print_types(pr, block->results, block->result_count);
    }
    pr->indent--;
}

void fl_print_regions(fl_printer *pr, const fl_op *op)
{
    int is_sdy = op->code == FL_OP_manual_computation || op->code == FL_OP_named_computation;
    if (!op->region_count) return;
    fl_print_text(pr->out, " (");
    for (unsigned i = 0; i < op->region_count; i++) {
        const fl_block *region = op->regions[i];
        fl_print_text(pr->out, i ? ", {" : "{");
        fl_name_arguments(pr, region);
        for (uint32_t k = 0; k < region->arg_count; k++) {
            if (!k) fl_print_newline(pr);
            fl_print_text(pr->out, k ? ", " : "^bb0(");
            fl_print_argument(pr, region, k);
        }
        if (region->arg_count) fl_print_text(pr->out, "):");
        fl_print_body(pr, region, is_sdy ? "sdy.return" : "stablehlo.return");
        fl_print_newline(pr);
        fl_print_text(pr->out, "}");
    }
    fl_print_text(pr->out, ")");
}

/* ---- functions ---- */

/* " {name = value}" of argument or result i */
static int has_attributes(const fl_literal *all, uint32_t i)
{
    return all && all->kind == FL_LIT_ARRAY && i < all->count && all->u.items[i].kind == FL_LIT_DICT &&
           all->u.items[i].count;
}

static void put_attributes(fl_printer *pr, const fl_literal *all, uint32_t i)
{
    if (!has_attributes(all, i)) return;
    fl_print_text(pr->out, " ");
    fl_print_dict(pr->out, &all->u.items[i]);
}

static void put_results(fl_printer *pr, const fl_func *f)
{
    int parentheses = f->result_count > 1 || has_attributes(f->result_attrs, 0);
    if (!f->result_count) return;
    fl_print_text(pr->out, parentheses ? " -> (" : " -> ");
    for (uint32_t i = 0; i < f->result_count; i++) {
        if (i) fl_print_text(pr->out, ", ");
        fl_print_type(pr->out, &f->result_types[i]);
        put_attributes(pr, f->result_attrs, i);
    }
    if (parentheses) fl_print_text(pr->out, ")");
}

static void put_func(fl_printer *pr, const fl_func *f)
{
    static const char *const visibilities[] = {"", "public ", "private "};
    pr->next_value = pr->next_argument = 0;
    fl_text_printf(pr->out, "func.func %s", visibilities[f->visibility]);
    fl_print_symbol(pr->out, f->name, strlen(f->name));
    fl_print_text(pr->out, "(");
    fl_name_arguments(pr, f->body);
    for (uint32_t i = 0; i < f->body->arg_count; i++) {
        if (i) fl_print_text(pr->out, ", ");
        if (f->is_declaration)
            fl_print_type(pr->out, fl_type_of(pr->program, f->body->first_arg + i));
        else
            fl_print_argument(pr, f->body, i);
        put_attributes(pr, f->arg_attrs, i);
    }
    fl_print_text(pr->out, ")");
    put_results(pr, f);
    if (f->attrs && f->attrs->count) {
        fl_print_text(pr->out, " attributes ");
        fl_print_dict(pr->out, f->attrs);
    }
    if (f->is_declaration) return;
    fl_print_text(pr->out, " {");
    fl_print_body(pr, f->body, "return");
    fl_print_newline(pr);
    fl_print_text(pr->out, "}");
}

static void put_header(fl_printer *pr)
{
    const fl_program *p = pr->program;
    fl_print_text(pr->out, "module ");
    if (p->module_name) fl_print_symbol(pr->out, p->module_name, strlen(p->module_name));
    if (p->module_name) fl_print_text(pr->out, " ");
    if (p->module_attrs && p->module_attrs->count) {
        fl_print_text(pr->out, "attributes ");
        fl_print_dict(pr->out, p->module_attrs);
        fl_print_text(pr->out, " ");
    }
    fl_print_text(pr->out, "{");
}

static void put_module(fl_printer *pr)
{
    const fl_program *p = pr->program;
    int wrapped = p->module_name || (p->module_attrs && p->module_attrs->count);
    if (wrapped) {
        put_header(pr);
        pr->indent++;
    }
    uint32_t others = p->module_ops ? p->module_ops->count : 0;
    for (uint32_t i = 0; i < others + p->func_count; i++) {
        if (wrapped || i) fl_print_newline(pr);
        if (i < others)
            fl_print_literal(pr->out, &p->module_ops->u.items[i]);
        else
            put_func(pr, p->funcs[i - others]);
    }
    fl_print_text(pr->out, wrapped ? "\n}\n" : "\n");
}

void fl_program_print(const fl_program *program, fl_text *out)
{
    fl_printer printer = {.program = program, .out = out};
    printer.names = calloc(program->def_count, sizeof *printer.names);
    if (!printer.names) {
        out->failed = 1;
        return;
    }
    put_module(&printer);
    free(printer.names);
}
