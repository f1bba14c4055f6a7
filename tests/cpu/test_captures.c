/* Regions that use values around them, in operations that the device hands to the reference interpreter. */
#include "check.h"
#include "cpu/plan/plan.h"
#include "ir/build.h"

#include <stdlib.h>

static fl_builder b;

static void expect(const fl_ref *results, uint32_t count, void *const *inputs, const float *expected)
{
    fl_program *p = NULL;
    fl_plan *plan = NULL;
    float out[16] = {0};
    CHECK_OK(fl_builder_finish(&b, results, count, &p));
    if (p) CHECK_OK(fl_plan_create(p, NULL, &plan));
    fl_program_destroy(p); /* the plan outlives it */
    if (!plan) return;
    void *scratch = aligned_alloc(64, (plan->scratch_bytes + 127) / 64 * 64);
    for (int again = 0; again < 2; again++) {
        memset(out, 0, sizeof out);
        CHECK_OK(fl_plan_run(plan, inputs, (void *[]){out}, scratch));
        for (int i = 0; i < 6; i++) CHECK(out[i] == expected[i]);
    }
    free(scratch);
    fl_plan_destroy(plan);
}

static fl_ref matrix(void)
{
    return fl_parameter(&b, fl_type_make(FL_F32, 2, (int64_t[]){3, 2}));
}

/* The branch reads a transposed view of a parameter, a sum and a constant. */
static void test_if(void)
{
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = matrix(), y = matrix(), which = fl_parameter(&b, fl_type_make(FL_I1, 0, NULL));
    fl_ref turned = fl_transpose(&b, x, (int64_t[]){1, 0}), sum = fl_add(&b, x, y),
           one = fl_scalar_f(&b, FL_F32, 1);
    fl_block *branches[2];
    branches[0] = fl_region_begin(&b, NULL, 0);
    fl_ref r = fl_add(&b, turned, one);
    fl_region_end(&b, branches[0], &r, 1);
    branches[1] = fl_region_begin(&b, NULL, 0);
    r = fl_reshape(&b, sum, 2, (int64_t[]){2, 3});
    fl_region_end(&b, branches[1], &r, 1);
    r = fl_build(&b, FL_OP_if, &which, 1, NULL, 0, branches, 2);
    float xs[] = {0, 1, 2, 3, 4, 5}, ys[] = {1, 1, 1, 1, 1, 1};
    uint8_t yes = 1;
    expect(&r, 1, (void *[]){xs, ys, &yes}, (const float[]){1, 3, 5, 2, 4, 6});
}

/* The body doubles an outer value into the sum three times, in a region within the region. */
static void test_while(void)
{
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = matrix(), n = fl_parameter(&b, fl_type_make(FL_I32, 0, NULL)),
           zero = fl_scalar_i(&b, FL_I32, 0);
    fl_ref twice = fl_add(&b, x, x), state[] = {zero, x};
    fl_type types[] = {*fl_typeof(&b, zero), *fl_typeof(&b, x)};
    fl_block *regions[2] = {fl_region_begin(&b, types, 2)};
    fl_ref r = fl_compare(&b, FL_LT, fl_block_arg(regions[0], 0), n);
    fl_region_end(&b, regions[0], &r, 1);
    regions[1] = fl_region_begin(&b, types, 2);
    fl_ref next[] = {fl_add(&b, fl_block_arg(regions[1], 0), fl_scalar_i(&b, FL_I32, 1)), FL_NO_REF};
    fl_block *inner[2];
    for (int i = 0; i < 2; i++) {
        inner[i] = fl_region_begin(&b, NULL, 0);
        r = fl_add(&b, fl_block_arg(regions[1], 1), i ? x : twice);
        fl_region_end(&b, inner[i], &r, 1);
    }
    fl_ref always = fl_compare(&b, FL_GE, n, zero);
    next[1] = fl_build(&b, FL_OP_if, &always, 1, NULL, 0, inner, 2);
    fl_region_end(&b, regions[1], next, 2);
    r = fl_build(&b, FL_OP_while, state, 2, NULL, 0, regions, 2) + 1;
    float xs[] = {0, 1, 2, 3, 4, 5};
    int32_t three = 3;
    expect(&r, 1, (void *[]){xs, &three}, (const float[]){0, 7, 14, 21, 28, 35});
}

int main(void)
{
    test_if();
    test_while();
    return check_result();
}
