/* One operation on parameters: what type it gets, or which error. Types are written "2x3xf32", operands
 * separated by blanks. */
#ifndef FL_TESTS_IR_CASE_H
#define FL_TESTS_IR_CASE_H

#include "check.h"
#include "ir/build.h"

#include <stdlib.h>

#define INTS(name, ...)                                                                                      \
    {                                                                                                        \
        .key = FL_ATTR_##name, .count = sizeof((int64_t[]){__VA_ARGS__}) / 8, .u.ints = (int64_t[])          \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
#define NONE(name)         {.key = FL_ATTR_##name, .u.ints = (int64_t[]){0}}
#define INT(name, value)   {.key = FL_ATTR_##name, .u.i = (value)}
#define FLOAT(name, value) {.key = FL_ATTR_##name, .u.f = (value)}
#define STRING(name, text) {.key = FL_ATTR_##name, .count = sizeof(text) - 1, .u.string = (text)}
#define ATTRS(...)         (fl_attr[]){__VA_ARGS__}, sizeof((fl_attr[]){__VA_ARGS__}) / sizeof(fl_attr)

static inline fl_type type_of_text(const char *text)
{
    int64_t dims[FL_MAX_RANK];
    int rank = 0;
    char *end;
    for (; (*text >= '0' && *text <= '9') || *text == '-'; text = end + 1)
        dims[rank++] = strtoll(text, &end, 10);
    for (int d = 1; d < FL_DTYPE_COUNT; d++)
        if (!strcmp(fl_dtype_name((fl_dtype)d), text)) return fl_type_make((fl_dtype)d, rank, dims);
    check_failures++;
    fprintf(stderr, "unknown type %s\n", text);
    return fl_type_make(FL_F32, 0, NULL);
}

static inline uint32_t types_of_text(const char *text, fl_type *out)
{
    char copy[256], *save, *word;
    uint32_t n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (word = strtok_r(copy, " ", &save); word && n < 16; word = strtok_r(NULL, " ", &save))
        out[n++] = type_of_text(word);
    return n;
}

static inline uint32_t add_operands(fl_builder *b, const char *operands, fl_ref *out)
{
    fl_type types[16];
    uint32_t n = types_of_text(operands, types);
    for (uint32_t i = 0; i < n; i++) out[i] = fl_parameter(b, types[i]);
    return n;
}

/* The region of a case: `code` on its two scalars of the first operand's type, or none. `stated`: the result types that the
 * operation is built with, NULL: none. */
static inline void check_case(int line, fl_opcode region, const char *stated, fl_opcode code,
                              const char *operands, const fl_attr *attrs, size_t attr_count,
                              const char *expected)
{
    fl_builder b;
    fl_ref refs[16], r;
    char got[1024] = "", text[160];
    fl_status s = fl_builder_init(&b, "main");
    uint32_t n = s ? 0 : add_operands(&b, operands, refs);
    fl_block *block = NULL;
    if (region) {
        fl_type scalar = fl_type_make(fl_dtypeof(&b, refs[0]), 0, NULL), args[] = {scalar, scalar};
        block = fl_region_begin(&b, args, 2);
        fl_ref pair[] = {fl_block_arg(block, 0), fl_block_arg(block, 1)};
        r = fl_build(&b, region, pair, 2, NULL, 0, NULL, 0);
        fl_region_end(&b, block, &r, 1);
    }
    if (stated) {
        fl_type types[16];
        uint32_t count = types_of_text(stated, types);
        r = fl_build_typed(&b, code, refs, n, attrs, (uint32_t)attr_count, &block, block != NULL, types,
                           count);
    } else {
        r = fl_build(&b, code, refs, n, attrs, (uint32_t)attr_count, &block, block != NULL);
    }
    check_count++;
    if (b.status)
        snprintf(got, sizeof got, "%s", fl_status_message(b.status));
    else
        for (uint32_t i = 0, at = 0; i < b.program->defs[r].op->result_count; i++) {
            fl_type_text(fl_typeof(&b, r + i), text, sizeof text);
            at += (uint32_t)snprintf(got + at, sizeof got - at, "%s%.*s", i ? " " : "", (int)strlen(text) - 8,
                                     text + 7);
        }
    if (expected[0] == '!' ? !b.status || !strstr(got, expected + 1)
                           : b.status != NULL || strcmp(got, expected)) {
        check_failures++;
        fprintf(stderr, "line %d: %s(%s): expected %s, got %s\n", line, fl_op_infos[code].name, operands,
                expected, got);
    }
    fl_builder_abandon(&b);
}

#define GIVES(op, ...)              check_case(__LINE__, FL_OP_NONE, NULL, FL_OP_##op, __VA_ARGS__)
#define GIVES_AS(stated, op, ...)   check_case(__LINE__, FL_OP_NONE, stated, FL_OP_##op, __VA_ARGS__)
#define GIVES_WITH(region, op, ...) check_case(__LINE__, FL_OP_##region, NULL, FL_OP_##op, __VA_ARGS__)
#define PLAIN                       NULL, 0

#endif
