/* A program of a suite, read and refined. */
#ifndef FL_TESTS_OPT_REFINED_H
#define FL_TESTS_OPT_REFINED_H

#include "ir/text/parse.h"
#include "opt/opt.h"

#include <string.h>

static inline fl_status refined(const char *text, fl_program **out)
{
    fl_program *p = NULL;
    *out = NULL;
    fl_status s = fl_parse_text(text, strlen(text), &p);
    if (!s) s = fl_program_refine(p, NULL, p->main->arg_count, out);
    fl_program_destroy(p);
    return s;
}

#endif
