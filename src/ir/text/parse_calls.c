/* Calls, checked when all functions are known: what the builder refuses has no place in the text. */
#include "ir/text/parser.h"

#include <stdlib.h>

static int by_name(const void *a, const void *b)
{
    const fl_func_site *x = a, *y = b;
    int order = strcmp(x->func->name, y->func->name);
    return order ? order : x->at < y->at ? -1 : x->at > y->at; /* of two with one name, the second is wrong */
}

static const fl_func *find(const fl_parser *p, const char *name)
{
    size_t low = 0, high = p->funcs.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const fl_func *func = FL_AT(p, funcs, fl_func_site, middle)->func;
        int order = strcmp(func->name, name);
        if (!order) return func;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int check_list(fl_parser *p, const char *at, const char *what, const char *name, uint32_t got, uint32_t expected)
{
    if (got == expected) return 1;
    return fl_parse_error(p, at, "expected %u %s of @%.60s, got %u", expected, what, name, got);
}

static int check_type(fl_parser *p, const char *at, const char *what, uint32_t i, const fl_type *got, const fl_type *expected)
{
    char got_text[200], expected_text[200];
    if (fl_type_compatible(got, expected)) return 1;
    return fl_parse_error(p, at, "expected %s %u of type %s, got %s", what, i,
                          fl_type_text(expected, expected_text, sizeof expected_text),
                          fl_type_text(got, got_text, sizeof got_text));
}

static int check_call(fl_parser *p, const fl_call_site *call)
{
    const fl_op *op = call->op;
    const fl_program *program = p->builder.program;
    const char *name = fl_op_string(op, op->code == FL_OP_func_call ? FL_ATTR_callee : FL_ATTR_decomposition);
    const fl_func *func = name ? find(p, name) : NULL;
    if (!func) return fl_parse_error(p, call->at, "expected a function @%.60s in the module", name ? name : "");
    if (!check_list(p, call->at, "operands", name, op->operand_count, func->body->arg_count) ||
        !check_list(p, call->at, "results", name, op->result_count, func->result_count))
        return 0;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!check_type(p, call->at, "operand", i, fl_type_of(program, op->operands[i]),
                        fl_type_of(program, fl_block_arg(func->body, i))))
            return 0;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!check_type(p, call->at, "result", i, fl_type_of(program, op->first_result + i), &func->result_types[i])) return 0;
    return 1;
}

int fl_parse_check_calls(fl_parser *p)
{
    qsort(p->funcs.data, p->funcs.count, sizeof(fl_func_site), by_name);
    for (size_t i = 1; i < p->funcs.count; i++) {
        const fl_func_site *site = FL_AT(p, funcs, fl_func_site, i);
        if (!strcmp(site[-1].func->name, site->func->name))
            return fl_parse_error(p, site->at, "expected functions of different names, got @%.60s twice", site->func->name);
    }
    for (size_t i = 0; i < p->calls.count; i++)
        if (!check_call(p, FL_AT(p, calls, fl_call_site, i))) return 0;
    return 1;
}
