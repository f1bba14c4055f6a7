/* What concerns functions together is checked when all are known; here errors about it get their place in the text. */
#include "ir/text/parser.h"
#include "ir/infer.h"

#include <stdlib.h>

static int by_name(const void *a, const void *b)
{
    const fl_func_site *x = a, *y = b;
    int order = strcmp(x->func->name, y->func->name);
    return order ? order : x->at < y->at ? -1 : x->at > y->at; /* of two with one name, the second is wrong */
}

static int check_names(fl_parser *p)
{
    qsort(p->funcs.data, p->funcs.count, sizeof(fl_func_site), by_name);
    for (size_t i = 1; i < p->funcs.count; i++) {
        const fl_func_site *site = FL_AT(p, funcs, fl_func_site, i);
        if (!strcmp(site[-1].func->name, site->func->name))
            return fl_parse_error(p, site->at, "expected functions of different names, got @%.60s twice",
                                  site->func->name);
    }
    return 1;
}

int fl_parse_check_calls(fl_parser *p)
{
    const fl_op *op = NULL;
    const char *at = p->text;
    if (!check_names(p)) return 0;
    fl_builder_fail(&p->builder, fl_verify_calls(p->builder.program, &op));
    for (size_t i = 0; op && i < p->calls.count; i++)
        if (FL_AT(p, calls, fl_call_site, i)->op == op) at = FL_AT(p, calls, fl_call_site, i)->at;
    return fl_parse_check(p, at);
}
