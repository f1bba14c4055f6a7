/* Reductions whose region is no single operation: the position of the largest element, two sums at once, and a region that keeps its
 * second argument, which shows the order in which elements are met. */
#include "cpu/loop_test.h"

static fl_builder b;

static fl_ref pair_op(fl_opcode code, fl_ref x, fl_ref y)
{
    fl_ref operands[] = {x, y};
    return fl_build(&b, code, operands, 2, NULL, 0, NULL, 0);
}

/* kind 0: largest and its position; 1: a sum and a product; 2: the last of one, the first of the other */
static fl_block *region(int kind)
{
    fl_type f = fl_type_make(FL_F32, 0, NULL), i = fl_type_make(FL_I32, 0, NULL), types[] = {f, i, f, i};
    fl_block *block = fl_region_begin(&b, types, 4);
    fl_ref x = fl_block_arg(block, 0), p = fl_block_arg(block, 1), y = fl_block_arg(block, 2),
           q = fl_block_arg(block, 3), r[2];
    if (kind == 0) {
        fl_ref more = fl_compare(&b, FL_GT, x, y), same = fl_compare(&b, FL_EQ, x, y);
        fl_ref first = pair_op(FL_OP_or, more, pair_op(FL_OP_and, same, fl_compare(&b, FL_LT, p, q)));
        r[0] = fl_select(&b, more, x, y);
        r[1] = fl_select(&b, first, p, q);
    } else if (kind == 1) {
        r[0] = fl_add(&b, x, y);
        r[1] = fl_add(&b, fl_mul(&b, p, q), fl_scalar_i(&b, FL_I32, 0));
    } else {
        r[0] = y;
        r[1] = p;
    }
    fl_region_end(&b, block, r, 2);
    return block;
}

static void test(int kind, int rank, const int64_t *sizes, const int64_t *dims, uint32_t dim_count,
                 int turned)
{
    fl_program *p = NULL;
    run_case c;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, rank, sizes)),
           i = fl_parameter(&b, fl_type_make(FL_I32, rank, sizes));
    if (turned) {
        x = fl_reverse(&b, x, DIMS(0), 1);
        i = fl_reverse(&b, i, DIMS(0), 1);
    }
    fl_ref in[] = {x, i, fl_scalar_f(&b, FL_F32, kind ? 0 : -100), fl_scalar_i(&b, FL_I32, kind == 1)};
    fl_attr attr = {.key = FL_ATTR_dimensions, .count = dim_count, .u.ints = dims};
    fl_block *regions[] = {region(kind)};
    fl_ref first = fl_build(&b, FL_OP_reduce, in, 4, &attr, 1, regions, 1), r[] = {first, first + 1};
    CHECK_OK(fl_builder_finish(&b, r, 2, &p));
    if (!p) return;
    dense_case(&c, p);
    for (int k = 0; k < 2; k++) c.data[k] = random_data(fl_type_of(p, p->main->first_arg + (fl_ref)k), 9);
    run_and_compare(&c, "reduction by a region", 0);
    free_case(&c);
}

int main(void)
{
    for (int kind = 0; kind < 3; kind++)
        for (int turned = 0; turned < 2; turned++)
            for (int64_t n = 1; n < 40; n++) {
                test(kind, 1, DIMS(n), DIMS(0), 1, turned);
                test(kind, 2, DIMS(n, 3), DIMS(0), 1, turned);
                test(kind, 2, DIMS(5, n), DIMS(1), 1, turned);
                test(kind, 3, DIMS(n, 2, 7), DIMS(0, 2), 2, turned);
            }
    return check_result();
}
