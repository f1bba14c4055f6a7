/* Rules of operations, one row each: the operation written in MLIR's generic form from short parts, and which part of a
 * message refuses it (NULL: it is right). Types are written "2x3xf32" for tensor<2x3xf32>, without blanks inside; a leading
 * "!" or "tuple<" is kept as it is. With FL_DUMP_RULES set the programs are printed, for comparison with other readers. */
#ifndef FL_TESTS_IR_RULES_H
#define FL_TESTS_IR_RULES_H

#include "check.h"
#include "ir/text/parse.h"

#include <stdlib.h>

typedef struct rule_case {
    int line;
    const char *op;    /* of stablehlo, or with its dialect: "chlo.top_k" */
    const char *attrs; /* as between the braces */
    const char *
        regions; /* each "add f32" (a reducer), "(f32,f32)->i1" with values that are passed through, or "{...}"; "" none */
    const char *operands; /* types */
    const char *results;
    const char *expected;
} rule_case;

#define RULE(op, attrs, regions, operands, results, expected)                                                \
    {__LINE__, op, attrs, regions, operands, results, expected}

/* The next word, up to a blank; 0: there is none. */
static inline int next_word(const char **at, char *out, size_t capacity)
{
    while (**at == ' ') ++*at;
    size_t n = 0;
    while (**at && **at != ' ' && n + 1 < capacity) out[n++] = *(*at)++;
    out[n] = 0;
    return n > 0;
}

static inline void put_short_type(fl_text *t, const char *word)
{
    int kept = (word[0] == '!' && strncmp(word, "!quant", 6)) || !strncmp(word, "tuple<", 6) ||
               !strncmp(word, "tensor<", 7) || !strncmp(word, "memref<", 7);
    fl_text_printf(t, kept ? "%s" : "tensor<%s>", word);
}

static inline void put_short_types(fl_text *t, const char *types)
{
    char word[256];
    for (int i = 0; next_word(&types, word, sizeof word); i++) {
        if (i) fl_text_printf(t, ", ");
        put_short_type(t, word);
    }
}

/* "add f32" or "add f32 f64": the operation on two scalars, of several inputs on each pair. */
static inline void put_reducer(fl_text *t, const char *at)
{
    char op[64], types[8][64];
    int n = 0;
    next_word(&at, op, sizeof op);
    while (n < 8 && next_word(&at, types[n], sizeof types[n])) n++;
    fl_text_printf(t, "{\n  ^bb0(");
    for (int i = 0; i < 2 * n; i++) fl_text_printf(t, "%s%%x%d: tensor<%s>", i ? ", " : "", i, types[i % n]);
    fl_text_printf(t, "):\n");
    for (int i = 0; i < n; i++)
        fl_text_printf(
            t, "    %%y%d = \"stablehlo.%s\"(%%x%d, %%x%d) : (tensor<%s>, tensor<%s>) -> tensor<%s>\n", i, op,
            i, n + i, types[i], types[i], types[i]);
    fl_text_printf(t, "    \"stablehlo.return\"(");
    for (int i = 0; i < n; i++) fl_text_printf(t, "%s%%y%d", i ? ", " : "", i);
    fl_text_printf(t, ") : (");
    for (int i = 0; i < n; i++) fl_text_printf(t, "%stensor<%s>", i ? ", " : "", types[i]);
    fl_text_printf(t, ") -> ()\n  }");
}

/* Regions are separated by ";". */
static inline void put_regions(fl_text *t, const char *regions)
{
    char one[2048];
    fl_text_printf(t, "(");
    for (int i = 0; *regions; i++) {
        size_t n = strcspn(regions, ";");
        snprintf(one, sizeof one, "%.*s", (int)n, regions);
        regions += n + (regions[n] == ';');
        if (i) fl_text_printf(t, ", ");
        const char *at = one;
        while (*at == ' ') at++;
        if (*at == '{')
            fl_text_printf(t, "%s", at);
        else
            put_reducer(t, at);
    }
    fl_text_printf(t, ")");
}

static inline void put_rule(fl_text *t, const rule_case *c)
{
    char word[256];
    const char *types = c->operands;
    int n = 0, m = 0;
    fl_text_printf(t, "func.func @main(");
    for (; next_word(&types, word, sizeof word); n++) {
        fl_text_printf(t, "%s%%a%d: ", n ? ", " : "", n);
        put_short_type(t, word);
    }
    fl_text_printf(t, ") {\n  ");
    types = c->results;
    while (next_word(&types, word, sizeof word)) m++;
    if (m) fl_text_printf(t, "%%r:%d = ", m);
    fl_text_printf(t, "\"%s%s\"(", strchr(c->op, '.') ? "" : "stablehlo.", c->op);
    for (int i = 0; i < n; i++) fl_text_printf(t, "%s%%a%d", i ? ", " : "", i);
    fl_text_printf(t, ") ");
    if (*c->regions) put_regions(t, c->regions);
    fl_text_printf(t, " {%s} : (", c->attrs);
    put_short_types(t, c->operands);
    fl_text_printf(t, ") -> (");
    put_short_types(t, c->results);
    fl_text_printf(t, ")\n  func.return\n}\n");
}

/* Modules: text, and which part of a message refuses it. */
typedef struct module_case {
    int line;
    const char *text, *expected;
} module_case;

#define MODULE(expected, ...) {__LINE__, __VA_ARGS__, expected}

static inline void check_text(int line, const char *what, const char *text, const char *expected)
{
    fl_program *p = NULL;
    fl_status s = fl_parse_text(text, strlen(text), &p);
    check_count++;
    if (expected ? !s || !strstr(fl_status_message(s), expected) : s != NULL) {
        check_failures++;
        fprintf(stderr, "line %d: %s: expected %s, got %s\n", line, what, expected ? expected : "no error",
                s ? fl_status_message(s) : "no error");
    }
    fl_status_free(s);
    if (p) fl_program_destroy(p);
}

static inline void check_rule(const rule_case *c)
{
    fl_text t = {0};
    put_rule(&t, c);
    if (getenv("FL_DUMP_RULES"))
        printf("// %d %s %s\n%s// -----\n", c->line, c->op, c->expected ? c->expected : "right", t.data);
    else
        check_text(c->line, c->op, t.data, c->expected);
    fl_text_free(&t);
}

#define CHECK_RULES(table)                                                                                   \
    for (size_t i = 0; i < sizeof(table) / sizeof *(table); i++) check_rule(&(table)[i])
#define CHECK_MODULES(table)                                                                                 \
    for (size_t i = 0; !getenv("FL_DUMP_RULES") && i < sizeof(table) / sizeof *(table); i++)                 \
    check_text((table)[i].line, "module", (table)[i].text, (table)[i].expected)

#endif
