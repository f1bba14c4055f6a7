/* Costs of operations, against numbers worked out by hand. */
#include "check.h"
#include "ir/build.h"
#include "ir/stats.h"

static fl_builder b;

static fl_ref parameter(fl_dtype dtype, int rank, int64_t a, int64_t c)
{
    return fl_parameter(&b, fl_type_make(dtype, rank, (int64_t[]){a, c}));
}

static fl_program_stats finish(fl_ref result)
{
    fl_program *p = NULL;
    fl_program_stats s = {0};
    CHECK_OK(fl_builder_finish(&b, &result, 1, &p));
    if (p) CHECK_OK(fl_program_count(p, &s));
    fl_program_destroy(p);
    return s;
}

static void test_elementwise(void)
{
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = parameter(FL_F32, 2, 3, 5), y = fl_add(&b, x, x);
    fl_program_stats s = finish(fl_mul(&b, y, fl_exp(&b, x)));
    CHECK_INT(s.total.count, 3);
    CHECK_INT(s.total.flops, 3 * 15);
    CHECK_INT(s.total.bytes, (3 + 2 + 3) * 15 * 4);
    CHECK_INT(s.input_bytes, 60);
    CHECK_INT(s.output_bytes, 60);
    CHECK_INT(s.ops[FL_OP_add].flops, 15);

    CHECK_OK(fl_builder_init(&b, "main"));
    x = parameter(FL_C64, 1, 7, 0);
    s = finish(fl_mul(&b, x, fl_add(&b, x, x)));
    CHECK_INT(s.ops[FL_OP_multiply].flops, 6 * 7);
    CHECK_INT(s.ops[FL_OP_add].flops, 2 * 7);
}

static void test_products(void)
{
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = parameter(FL_F32, 2, 4, 5), y = parameter(FL_F32, 2, 5, 6);
    fl_program_stats s = finish(fl_matmul(&b, x, y));
    CHECK_INT(s.total.flops, 2 * 4 * 5 * 6);
    CHECK_INT(s.total.bytes, 4 * (4 * 5 + 5 * 6 + 4 * 6));

    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref image = fl_parameter(&b, fl_type_make(FL_F32, 4, (int64_t[]){2, 3, 8, 8}));
    fl_ref kernel = fl_parameter(&b, fl_type_make(FL_F32, 4, (int64_t[]){5, 3, 3, 3}));
    fl_conv_dims dims = fl_conv_nchw(2);
    s = finish(fl_convolution(&b, image, kernel, &dims, FL_DTYPE_NONE));
    CHECK_INT(s.total.flops, 2 * (2 * 5 * 6 * 6) * (3 * 3 * 3)); /* no padding: 6 x 6 */
}

static void test_reductions(void)
{
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = parameter(FL_F32, 2, 4, 8);
    fl_program_stats s = finish(fl_reduce_dim(&b, FL_OP_add, x, 1, 0));
    CHECK_INT(s.ops[FL_OP_reduce].flops, 4 * (8 - 1));
    CHECK_INT(s.ops[FL_OP_reduce].count, 1);
    CHECK_INT(s.ops[FL_OP_add].count, 1); /* in the region */
    CHECK_INT(s.ops[FL_OP_add].flops, 0);

    CHECK_OK(fl_builder_init(&b, "main"));
    x = parameter(FL_F32, 1, 16, 0);
    s = finish(fl_sort(&b, x, FL_NO_REF, 0, 0, 0, NULL));
    CHECK_INT(s.ops[FL_OP_sort].flops, 16 * 4 * 6); /* the comparator has 6 operations */
}

static void test_saturation(void)
{
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_I8, 3, (int64_t[]){1 << 20, 1 << 20, 1 << 20}));
    fl_ref y = fl_add(&b, x, x);
    for (int i = 0; i < 30; i++) y = fl_add(&b, y, x);
    fl_program_stats s = finish(y);
    CHECK(s.total.bytes == UINT64_MAX);
    CHECK(s.total.flops == UINT64_MAX);
}

int main(void)
{
    test_elementwise();
    test_products();
    test_reductions();
    test_saturation();
    return check_result();
}
