/* Movement, reductions and products against results worked out by hand (several are the examples of the
 * StableHLO specification). */
#include "ref_test.h"

static void movement(void)
{
    fl_builder b = begin();
    CHECK_F32(&b, fl_transpose(&b, F32(&b, (2, 3), 1, 2, 3, 4, 5, 6), DIMS(1, 0)), 1, 4, 2, 5, 3, 6);
    b = begin();
    CHECK_I32(&b, fl_iota(&b, fl_type_make(FL_I32, 2, DIMS(2, 3)), 1), 0, 1, 2, 0, 1, 2);
    b = begin();
    CHECK_I32(&b, fl_broadcast_in_dim(&b, I32(&b, (1, 3), 1, 2, 3), 3, DIMS(2, 3, 2), DIMS(2, 1)), 1, 1, 2, 2,
              3, 3, 1, 1, 2, 2, 3, 3);
    b = begin();
    fl_ref parts[2] = {I32(&b, (3, 2), 1, 2, 3, 4, 5, 6), I32(&b, (1, 2), 7, 8)};
    CHECK_I32(&b, fl_concat(&b, parts, 2, 0), 1, 2, 3, 4, 5, 6, 7, 8);
    b = begin();
    CHECK_I32(
        &b,
        fl_slice(&b, I32(&b, (3, 4), 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4), DIMS(1, 1), DIMS(3, 4), DIMS(1, 2)),
        0, 2, 0, 4);
    b = begin();
    CHECK_I32(&b,
              fl_pad(&b, I32(&b, (2, 3), 1, 2, 3, 4, 5, 6), fl_scalar_i(&b, FL_I32, 0), DIMS(0, 1),
                     DIMS(2, 1), DIMS(1, 2)),
              0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    b = begin(); /* negative padding cuts, after the interior padding */
    CHECK_I32(&b,
              fl_pad(&b, I32(&b, (4), 1, 2, 3, 4), fl_scalar_i(&b, FL_I32, 9), DIMS(-1), DIMS(-2), DIMS(1)),
              9, 2, 9, 3);
    b = begin();
    CHECK_I32(&b, fl_reverse(&b, I32(&b, (3, 2), 1, 2, 3, 4, 5, 6), DIMS(1), 1), 2, 1, 4, 3, 6, 5);
    b = begin(); /* one f64 as two i32, the low half first */
    CHECK_I32(&b, fl_bitcast(&b, F64(&b, (1), 0x1.0000000300001p+0), FL_I32), 0x30000100 / 256, 0x3ff00000);
}

static void reductions(void)
{
    fl_builder b = begin();
    CHECK_F32(&b, fl_reduce_dim(&b, FL_OP_add, F32(&b, (2, 3), 1, 2, 3, 4, 5, 6), 1, 0), 6, 15);
    b = begin();
    CHECK_F32(&b, fl_reduce_dim(&b, FL_OP_maximum, F32(&b, (2, 3), 1, NAN, 3, -4, -5, -6), 1, 0), NAN, -4);
    b = begin();
    CHECK_F32(&b, fl_reduce_all(&b, FL_OP_minimum, F32(&b, (2, 2), 4, 7, -1, 2)), -1);
    b = begin();
    CHECK_I32(&b, fl_reduce(&b, FL_OP_multiply, I32(&b, (2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8), DIMS(0, 2), 2, 0),
              60, 672);
    b = begin();
    CHECK_U8(&b, fl_reduce_all(&b, FL_OP_or, I1(&b, (3), 0, 1, 0)), 1);
    b = begin(); /* windows of 2 x 1 with dilations, from the specification */
    CHECK_I32(&b,
              fl_reduce_window(&b, FL_OP_add, I32(&b, (3, 2), 1, 2, 3, 4, 5, 6), DIMS(2, 1), DIMS(4, 1),
                               DIMS(2, 1, 0, 0), DIMS(2, 1), DIMS(3, 1)),
              0, 0, 3, 4);
    b = begin();
    CHECK_I32(&b, fl_cumulative(&b, FL_OP_add, I32(&b, (5), 1, 2, 3, 4, 5), 0), 1, 3, 6, 10, 15);
    b = begin(); /* from the specification */
    CHECK_I32(&b,
              fl_select_and_scatter(&b, FL_GE, I32(&b, (4, 2), 1, 5, 2, 5, 3, 6, 4, 4),
                                    I32(&b, (2, 2), 5, 6, 7, 8), DIMS(3, 1), DIMS(2, 1), DIMS(0, 1, 0, 0)),
              0, 0, 0, 0, 5, 14, 7, 0);
}

static void products(void)
{
    fl_builder b = begin();
    CHECK_F32(&b, fl_matmul(&b, F32(&b, (2, 2), 1, 2, 3, 4), F32(&b, (2, 2), 5, 6, 7, 8)), 19, 22, 43, 50);
    b = begin(); /* from the specification: batches, contraction of the last with the second */
    fl_dot_dims dims = {DIMS(0), DIMS(0), DIMS(2), DIMS(1), 1, 1};
    CHECK_I32(&b,
              fl_dot_general(&b, I32(&b, (2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8),
                             I32(&b, (2, 2, 2), 1, 0, 0, 1, 1, 0, 0, 1), &dims, FL_DTYPE_NONE),
              1, 2, 3, 4, 5, 6, 7, 8);
    b = begin(); /* i8 products summed in i32 */
    fl_dot_dims plain = {NULL, NULL, DIMS(0), DIMS(0), 0, 1};
    CHECK_I32(&b, fl_dot_general(&b, I8(&b, (3), 100, 100, -128), I8(&b, (3), 100, 100, 127), &plain, FL_I32),
              3744);
}

int main(void)
{
    movement();
    reductions();
    products();
    return failures ? 1 : 0;
}
