/* Programs as text, for the tests of the parser. */
#ifndef FL_TESTS_IR_TEXT_CASE_H
#define FL_TESTS_IR_TEXT_CASE_H

#include "check.h"
#include "ir/text/parse.h"

#include <stdlib.h>

/* From memory that ends with the text, so that a read behind it is found. */
static inline fl_status parse_exactly(const char *text, size_t length, fl_program **out)
{
    char *copy = malloc(length ? length : 1);
    if (!copy) return fl_error(FL_OOM, "out of host memory");
    memcpy(copy, text, length);
    fl_status s = fl_parse_text(copy, length, out);
    free(copy);
    return s;
}

static inline fl_program *parsed(int line, const char *text)
{
    fl_program *p = NULL;
    fl_status s = parse_exactly(text, strlen(text), &p);
    check_count++;
    if (s) {
        check_failures++;
        fprintf(stderr, "line %d: %s\n%s\n", line, fl_status_message(s), text);
    }
    fl_status_free(s);
    return p;
}

static inline void check_same(int line, const char *a, const char *b)
{
    fl_program *x = parsed(line, a), *y = parsed(line, b);
    fl_text why = {0};
    check_count++;
    if (x && y && !fl_program_equal(x, y, &why)) {
        check_failures++;
        fprintf(stderr, "line %d: %s\n%s\n%s\n", line, why.data, a, b);
    }
    fl_text_free(&why);
    fl_program_destroy(x);
    fl_program_destroy(y);
}

/* The whole message. */
static inline void check_refused(int line, const char *text, const char *message)
{
    fl_program *p = NULL;
    fl_status s = parse_exactly(text, strlen(text), &p);
    check_count++;
    if (!s || p || strcmp(fl_status_message(s), message)) {
        check_failures++;
        fprintf(stderr, "line %d: expected %s\n     got %s\n%s\n", line, message,
                s ? fl_status_message(s) : "success", text);
    }
    fl_status_free(s);
    fl_program_destroy(p);
}

/* A function of these arguments around an operation. */
static inline const char *in_function(char *buffer, size_t capacity, const char *args, const char *op)
{
    snprintf(buffer, capacity, "func.func @f(%s) {\n%s\nreturn\n}\n", args, op);
    return buffer;
}

#define SAME_TEXT(a, b)        check_same(__LINE__, a, b)
#define REFUSED(text, message) check_refused(__LINE__, text, message)
/* Two spellings of an operation. */
#define SAME_OP(args, a, b)                                                                                  \
    do {                                                                                                     \
        static char first_[4096], second_[4096];                                                             \
        check_same(__LINE__, in_function(first_, sizeof first_, args, a),                                    \
                   in_function(second_, sizeof second_, args, b));                                           \
    } while (0)

#endif
