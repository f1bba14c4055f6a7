/* What a run can be given: limits, a seed, a place to print, custom calls; and what a check says that does
 * not hold. */
#include "check.h"
#include "ir/build.h"
#include "ref/check.h"
#include "ref/custom.h"

#include <stdlib.h>

static fl_builder begin(void)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "test"));
    return b;
}

static fl_type scalar(fl_dtype dtype)
{
    return fl_type_make(dtype, 0, NULL);
}

static fl_program *finish(fl_builder *b, const fl_ref *results, uint32_t count)
{
    fl_program *program = NULL;
    CHECK_OK(fl_builder_finish(b, results, count, &program));
    return program;
}

/* while (true) {} */
static void endless(void)
{
    fl_builder b = begin();
    fl_type type = scalar(FL_I32);
    fl_ref start = fl_scalar_i(&b, FL_I32, 0);
    fl_block *regions[2];
    regions[0] = fl_region_begin(&b, &type, 1);
    fl_ref yes = fl_scalar_i(&b, FL_I1, 1);
    fl_region_end(&b, regions[0], &yes, 1);
    regions[1] = fl_region_begin(&b, &type, 1);
    fl_ref same = fl_block_arg(regions[1], 0);
    fl_region_end(&b, regions[1], &same, 1);
    fl_ref result = fl_build(&b, FL_OP_while, &start, 1, NULL, 0, regions, 2);
    fl_program *program = finish(&b, &result, 1);
    int32_t out;
    const fl_reference_options options = {.most_work = 100000};
    CHECK_ERROR(fl_reference_run_with(program, &options, NULL, (void *[]){&out}), FL_UNSUPPORTED,
                "expected at most 100000 steps");
    fl_program_destroy(program);
}

static void large(void)
{
    fl_builder b = begin();
    fl_ref x = fl_iota(&b, fl_type_make(FL_U8, 1, (const int64_t[]){1000000000000}), 0);
    fl_ref result = fl_build(&b, FL_OP_get_dimension_size, &x, 1,
                             (const fl_attr[]){{.key = FL_ATTR_dimension}}, 1, NULL, 0);
    fl_program *program = finish(&b, &result, 1);
    int32_t out;
    const fl_reference_options options = {.most_bytes = 1 << 20};
    CHECK_ERROR(fl_reference_run_with(program, &options, NULL, (void *[]){&out}), FL_OOM,
                "expected at most 1048576 bytes");
    fl_program_destroy(program);
}

/* The same seed gives the same numbers, and another one others; normal numbers have about the mean and
 * variance asked for. */
static void random_numbers(void)
{
    enum { N = 4000 };
    static float first[N], second[N], other[N];
    fl_builder b = begin();
    fl_type type = fl_type_make(FL_F32, 1, (const int64_t[]){N});
    const int64_t n = N;
    fl_ref operands[3] = {fl_scalar_f(&b, FL_F32, 3), fl_scalar_f(&b, FL_F32, 2),
                          fl_constant(&b, fl_type_make(FL_I64, 1, (const int64_t[]){1}), &n)};
    fl_attr attr = {.key = FL_ATTR_rng_distribution, .u.i = FL_RNG_NORMAL};
    fl_ref result = fl_build_typed(&b, FL_OP_rng, operands, 3, &attr, 1, NULL, 0, &type, 1);
    fl_program *program = finish(&b, &result, 1);
    CHECK_OK(fl_reference_run(program, NULL, (void *[]){first}));
    CHECK_OK(fl_reference_run(program, NULL, (void *[]){second}));
    CHECK_OK(fl_reference_run_with(program, &(fl_reference_options){.seed = 7}, NULL, (void *[]){other}));
    CHECK(!memcmp(first, second, sizeof first));
    CHECK(memcmp(first, other, sizeof first));
    double mean = 0, variance = 0;
    for (int i = 0; i < N; i++) mean += first[i] / N;
    for (int i = 0; i < N; i++) variance += (first[i] - mean) * (first[i] - mean) / N;
    /* five standard deviations of the estimates: 5 * 2 / sqrt(4000), 5 * 4 * sqrt(2 / 4000) */
    CHECK(mean > 3 - 0.158 && mean < 3 + 0.158);
    CHECK(variance > 4 - 0.447 && variance < 4 + 0.447);
    fl_program_destroy(program);
}

static void keep_text(void *user, const char *text)
{
    snprintf(user, 200, "%s", text);
}

static void prints(void)
{
    char text[200] = "";
    const int8_t data[4] = {1, -2, 3, 4};
    fl_builder b = begin();
    fl_ref x = fl_constant(&b, fl_type_make(FL_I8, 2, (const int64_t[]){2, 2}), data);
    fl_build_typed(&b, FL_OP_print, &x, 1, NULL, 0, NULL, 0, NULL, 0);
    fl_program *program = finish(&b, NULL, 0);
    CHECK_OK(fl_reference_run_with(program, &(fl_reference_options){.print = keep_text, .user = text}, NULL,
                                   NULL));
    CHECK_STRING(text, "tensor<2x2xi8> [[1, -2], [3, 4]]\n");
    fl_program_destroy(program);
}

static fl_status twice(const fl_custom_args *args)
{
    FL_CHECK(args->in_count == 1 && args->in->type->dtype == FL_I32, FL_INVALID, "expected one i32 operand");
    ++*(int *)args->user;
    int64_t n = fl_type_elements(args->in->type);
    for (int64_t i = 0; i < n; i++)
        ((int32_t *)args->out->data)[i] = 2 * ((const int32_t *)args->in->data)[i];
    return NULL;
}

static fl_program *custom_program(fl_dtype dtype)
{
    fl_builder b = begin();
    fl_ref x = fl_scalar_i(&b, dtype, 21);
    fl_attr attr = {.key = FL_ATTR_call_target_name, .u.string = "test.twice"};
    fl_type type = scalar(dtype);
    fl_ref result = fl_build_typed(&b, FL_OP_custom_call, &x, 1, &attr, 1, NULL, 0, &type, 1);
    return finish(&b, &result, 1);
}

static void custom_calls(void)
{
    int calls = 0;
    int64_t out = 0;
    fl_program *program = custom_program(FL_I32), *wrong = custom_program(FL_I64);
    CHECK_ERROR(fl_reference_run(program, NULL, (void *[]){&out}), FL_UNSUPPORTED,
                "no custom call test.twice");
    CHECK_OK(fl_custom_call_register("test.twice", twice, &calls));
    CHECK_OK(fl_reference_run(program, NULL, (void *[]){&out}));
    CHECK_INT(out, 42);
    CHECK_INT(calls, 1);
    CHECK_ERROR(fl_reference_run(wrong, NULL, (void *[]){&out}), FL_INVALID,
                "custom call test.twice: expected one i32");
    fl_program_destroy(program);
    fl_program_destroy(wrong);
}

/* expect_close of f32 numbers that are 2 ulp apart, with the limit `most`. */
static fl_program *close_program(int64_t most)
{
    const float a[3] = {1, 2, 3}, b3[3] = {1, 2.00000048f, 3};
    fl_builder b = begin();
    fl_type type = fl_type_make(FL_F32, 1, (const int64_t[]){3});
    fl_ref operands[2] = {fl_constant(&b, type, b3), fl_constant(&b, type, a)};
    fl_attr attr = {.key = FL_ATTR_max_ulp_difference, .u.i = most};
    fl_build_typed(&b, FL_OP_expect_close, operands, 2, &attr, 1, NULL, 0, NULL, 0);
    return finish(&b, NULL, 0);
}

static void failing_checks(void)
{
    fl_check_report report = {0};
    fl_program *strict = close_program(1), *loose = close_program(2);
    CHECK_OK(fl_reference_check(loose, &report));
    CHECK_OK(fl_reference_check(strict, &report));
    CHECK_INT(report.checks, 2);
    CHECK_INT(report.failures, 1);
    CHECK_STRING(report.log.data,
                 "expect_close: element [1]: expected 2, got 2.00000048 (2 ulp apart); 1 of 3 elements of "
                 "tensor<3xf32> differ\n");
    CHECK_ERROR(fl_reference_run(strict, NULL, NULL), FL_INVALID, "check failed: expect_close: element [1]");
    CHECK_OK(fl_reference_run(loose, NULL, NULL));
    fl_text_free(&report.log);
    fl_program_destroy(strict);
    fl_program_destroy(loose);
}

int main(void)
{
    endless();
    large();
    random_numbers();
    prints();
    custom_calls();
    failing_checks();
    return check_result();
}
