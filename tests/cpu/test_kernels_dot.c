/* dot_general of complex numbers, and of mixed shapes, against the reference interpreter (values are exact under any order). */
#include "cpu/kernel_case.h"

static void test_complex(void)
{
    for (int i = 0; i < 120; i++) {
        fl_builder b;
        CHECK_OK(fl_builder_init(&b, "dot"));
        fl_dtype t = random_in(0, 1) ? FL_C64 : FL_C128;
        int64_t batch = random_in(1, 3), m = random_in(1, 20), n = random_in(1, 20), k = random_in(0, 12);
        int64_t lhs[3] = {batch, m, k}, rhs[3] = {batch, k, n}, zero = 0, one = 1, two = 2;
        fl_dot_dims dims = {&zero, &zero, &two, &one, 1, 1};
        if (random_in(0, 1)) { /* transposed rhs */
            rhs[1] = n, rhs[2] = k;
            dims.rhs_contract = &two;
        }
        fl_ref x = fl_parameter(&b, fl_type_make(t, 3, lhs)), y = fl_parameter(&b, fl_type_make(t, 3, rhs));
        fl_dot_general(&b, x, y, &dims, FL_DTYPE_NONE);
        check_kernel(&b, NULL, "dot_general");
    }
}

/* Two contracting dimensions, or none, in the order of the lhs or not. */
static void test_contractions(void)
{
    static const fl_dtype types[] = {FL_C64, FL_F32, FL_C128, FL_I32};
    for (int i = 0; i < 60; i++) {
        fl_builder b;
        CHECK_OK(fl_builder_init(&b, "dot"));
        fl_dtype t = types[i % 4];
        int64_t m = random_in(1, 9), n = random_in(1, 9), k0 = random_in(1, 5), k1 = random_in(1, 5);
        int64_t lhs[3] = {k0, m, k1}, rhs[3] = {k1, k0, n}, from_lhs[2] = {0, 2}, from_rhs[2] = {1, 0};
        fl_dot_dims dims = {NULL, NULL, from_lhs, from_rhs, 0, i % 3 ? 2 : 0};
        fl_ref x = fl_parameter(&b, fl_type_make(t, 3, lhs)), y = fl_parameter(&b, fl_type_make(t, 3, rhs));
        fl_dot_general(&b, x, y, &dims, FL_DTYPE_NONE);
        check_kernel(&b, NULL, "dot_general");
    }
}

int main(void)
{
    test_complex();
    test_contractions();
    return check_result();
}
