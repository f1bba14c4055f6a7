/* Checks for the C suites: a failed check prints its place and is counted; main returns check_result(). */
#ifndef FL_TESTS_CHECK_H
#define FL_TESTS_CHECK_H

#include "base/status.h"

#include <stdio.h>
#include <string.h>

static _Atomic int check_count, check_failures;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        check_count++;                                                                                       \
        if (!(condition)) {                                                                                  \
            check_failures++;                                                                                \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                        \
        }                                                                                                    \
    } while (0)

#define CHECK_INT(got, expected)                                                                             \
    do {                                                                                                     \
        long long got_ = (long long)(got), expected_ = (long long)(expected);                                \
        check_count++;                                                                                       \
        if (got_ != expected_) {                                                                             \
            check_failures++;                                                                                \
            fprintf(stderr, "%s:%d: %s: expected %lld, got %lld\n", __FILE__, __LINE__, #got, expected_,     \
                    got_);                                                                                   \
        }                                                                                                    \
    } while (0)

#define CHECK_STRING(got, expected)                                                                          \
    do {                                                                                                     \
        const char *got_ = (got), *expected_ = (expected);                                                   \
        check_count++;                                                                                       \
        if (!got_ || strcmp(got_, expected_)) {                                                              \
            check_failures++;                                                                                \
            fprintf(stderr, "%s:%d: %s:\nexpected %s\ngot      %s\n", __FILE__, __LINE__, #got, expected_,   \
                    got_ ? got_ : "NULL");                                                                   \
        }                                                                                                    \
    } while (0)

/* The status must be success; frees it. */
#define CHECK_OK(status)                                                                                     \
    do {                                                                                                     \
        fl_status s_ = (status);                                                                             \
        check_count++;                                                                                       \
        if (s_) {                                                                                            \
            check_failures++;                                                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #status, fl_status_message(s_));          \
        }                                                                                                    \
        fl_status_free(s_);                                                                                  \
    } while (0)

/* The status must be an error of this code whose message contains `part`; frees it. */
#define CHECK_ERROR(status, code, part)                                                                      \
    do {                                                                                                     \
        fl_status s_ = (status);                                                                             \
        check_count++;                                                                                       \
        if (fl_status_code(s_) != (code) || !strstr(fl_status_message(s_), part)) {                          \
            check_failures++;                                                                                \
            fprintf(stderr, "%s:%d: %s: expected error %d with \"%s\", got %d \"%s\"\n", __FILE__, __LINE__, \
                    #status, code, part, fl_status_code(s_), fl_status_message(s_));                         \
        }                                                                                                    \
        fl_status_free(s_);                                                                                  \
    } while (0)

static inline int check_result(void)
{
    printf("%d checks, %d failures\n", check_count, check_failures);
    return check_failures != 0;
}

#endif
