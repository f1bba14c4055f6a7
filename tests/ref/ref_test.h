/* Helpers of the tests of the reference interpreter: programs by the builder, results compared with given
 * arrays. */
#ifndef FL_TESTS_REF_TEST_H
#define FL_TESTS_REF_TEST_H

#include "ir/build.h"
#include "ref/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++;        \
    } while (0)

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static fl_builder begin(void)
{
    fl_builder b;
    fl_status status = fl_builder_init(&b, "test");
    if (status) fprintf(stderr, "%s\n", fl_status_message(status)), exit(1);
    return b;
}

/* Finishes a program without arguments and runs it; one buffer for each of its results. */
static fl_status finish(fl_builder *b, const fl_ref *results, uint32_t count, void *const *outputs)
{
    fl_program *program;
    fl_status status = fl_builder_finish(b, results, count, &program);
    if (status) return status;
    status = fl_reference_run(program, NULL, outputs);
    fl_program_destroy(program);
    return status;
}

static void *run_at(int line, fl_builder *b, fl_ref result, void *buffer)
{
    fl_status status = finish(b, &result, 1, &buffer);
    if (status) fprintf(stderr, "line %d: %s\n", line, fl_status_message(status)), failures++;
    fl_status_free(status);
    return buffer;
}

/* Floats that are close or both NaN or the same infinity; tolerance 0 asks for equality. */
static int close_to(double got, double want, double tolerance)
{
    if (isnan(want)) return isnan(got);
    if (isinf(want) || isinf(got)) return got == want;
    return fabs(got - want) <= tolerance * fmax(1e-300, fabs(want));
}

#define CHECK_ARRAY(ctype, format, tolerance, b, result, ...)                                                \
    do {                                                                                                     \
        const ctype want_[] = {__VA_ARGS__};                                                                 \
        ctype got_[sizeof want_ / sizeof *want_ + 1];                                                        \
        memset(got_, 0, sizeof got_);                                                                        \
        run_at(__LINE__, (b), (result), got_);                                                               \
        for (size_t i_ = 0; i_ < sizeof want_ / sizeof *want_; i_++)                                         \
            if (!close_to((double)got_[i_], (double)want_[i_], (tolerance)))                                 \
                fprintf(stderr, "%s:%d: element %zu: expected " format ", got " format "\n", __FILE__,       \
                        __LINE__, i_, want_[i_], got_[i_]),                                                  \
                    failures++;                                                                              \
    } while (0)
/* the same with a table; doubles are allowed `tolerance` of the largest member */
#define CHECK_TABLE(ctype, tolerance, b, result, table)                                                      \
    do {                                                                                                     \
        enum { n_ = sizeof(table) / sizeof *(table) };                                                       \
        ctype got_[n_ + 1];                                                                                  \
        double most_ = 0;                                                                                    \
        memset(got_, 0, sizeof got_);                                                                        \
        run_at(__LINE__, (b), (result), got_);                                                               \
        for (int i_ = 0; i_ < n_; i_++)                                                                      \
            if (isfinite((double)(table)[i_])) most_ = fmax(most_, fabs((double)(table)[i_]));               \
        for (int i_ = 0; i_ < n_; i_++)                                                                      \
            if (!close_to((double)got_[i_], (double)(table)[i_], 0) &&                                       \
                !(fabs((double)got_[i_] - (double)(table)[i_]) <= (tolerance) * most_))                      \
                fprintf(stderr, "%s:%d: %s[%d]: expected %.17g, got %.17g\n", __FILE__, __LINE__, #table,    \
                        i_, (double)(table)[i_], (double)got_[i_]),                                          \
                    failures++;                                                                              \
    } while (0)
#define CHECK_F32(b, result, ...) CHECK_ARRAY(float, "%.9g", 1e-7, b, result, __VA_ARGS__)
#define CHECK_F64(b, result, ...) CHECK_ARRAY(double, "%.17g", 4e-16, b, result, __VA_ARGS__)
#define CHECK_I32(b, result, ...) CHECK_ARRAY(int32_t, "%d", 0, b, result, __VA_ARGS__)
#define CHECK_U8(b, result, ...)  CHECK_ARRAY(uint8_t, "%d", 0, b, result, __VA_ARGS__)

/* constants of the tests: F32(b, (2, 3), 1, 2, 3, 4, 5, 6) */
#define RANK_(...)        (int)(sizeof(DIMS(__VA_ARGS__)) / sizeof(int64_t)), DIMS(__VA_ARGS__)
#define F32(b, dims, ...) fl_constant((b), fl_type_make(FL_F32, RANK_ dims), (const float[]){__VA_ARGS__})
#define F64(b, dims, ...) fl_constant((b), fl_type_make(FL_F64, RANK_ dims), (const double[]){__VA_ARGS__})
#define I32(b, dims, ...) fl_constant((b), fl_type_make(FL_I32, RANK_ dims), (const int32_t[]){__VA_ARGS__})
#define I8(b, dims, ...)  fl_constant((b), fl_type_make(FL_I8, RANK_ dims), (const int8_t[]){__VA_ARGS__})
#define U8(b, dims, ...)  fl_constant((b), fl_type_make(FL_U8, RANK_ dims), (const uint8_t[]){__VA_ARGS__})
#define I1(b, dims, ...)  fl_constant((b), fl_type_make(FL_I1, RANK_ dims), (const uint8_t[]){__VA_ARGS__})

#endif
