/* The passes over the graph, in order. */
#include "opt/optimize.h"

#include "base/switches.h"
#include "opt/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pass {
    const char *name;
    fl_status (*run)(fl_editor *e);
    int rounds;
    const char *text;
} passes[] = {
#define FL_PASS(name, function, rounds, text) {#name, function, rounds, text},
    FL_PASSES(FL_PASS)
#undef FL_PASS
};
enum { PASSES = sizeof passes / sizeof *passes };

static const struct pass *find(const char *name, size_t length)
{
    for (int i = 0; i < PASSES; i++)
        if (strlen(passes[i].name) == length && !memcmp(passes[i].name, name, length)) return &passes[i];
    return NULL;
}

void fl_optimize_list(fl_text *out)
{
    for (int i = 0; i < PASSES; i++) fl_text_printf(out, "  %-10s %s\n", passes[i].name, passes[i].text);
}

/* The passes of a list, each once, in the list's order. */
static fl_status run_listed(fl_editor *e, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        const struct pass *pass = find(list, n);
        FL_CHECK(pass, FL_VALUE, "expected the name of a pass, got \"%.*s\"", (int)n, list);
        FL_TRY(pass->run(e));
        list += n + (list[n] == ',');
    }
    return NULL;
}

static fl_status run_all(fl_editor *e)
{
    const char *disabled = getenv("FL_DISABLE");
    int off[PASSES], rounds = 1;
    for (int i = 0; i < PASSES; i++) {
        off[i] = disabled && *disabled && fl_is_disabled(passes[i].name);
        if (passes[i].rounds > rounds) rounds = passes[i].rounds;
    }
    for (int round = 0; round < rounds; round++) {
        uint32_t before = e->changes;
        for (int i = 0; i < PASSES; i++)
            if (!off[i] && passes[i].rounds > round)
                FL_TRY(fl_status_prefix(passes[i].run(e), "%s", passes[i].name));
        if (e->changes == before) break;
    }
    return NULL;
}

static void dump(const fl_program *program)
{
    fl_text text = {0};
    fl_program_print(program, &text);
    if (text.data) fputs(text.data, stderr);
    fl_text_free(&text);
}

fl_status fl_optimize(const fl_program *program, const char *only, fl_program **out)
{
    fl_editor e;
    *out = NULL;
    FL_TRY(fl_edit_begin(&e, program));
    fl_status s = only ? run_listed(&e, only) : run_all(&e);
    if (s)
        fl_edit_abandon(&e);
    else
        *out = fl_edit_end(&e);
    if (!s && !only && fl_is_listed("FL_DUMP", "opt")) dump(*out);
    return s;
}
