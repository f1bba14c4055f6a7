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

/* Operands of two types: integers become numbers of the other's kind. */
static void test_mixed_types(void)
{
    static const fl_dtype types[][3] = {
        {FL_F32, FL_I16, FL_F32},  {FL_I8, FL_F32, FL_F32}, {FL_U8, FL_F64, FL_F64}, {FL_I1, FL_F32, FL_F32},
        {FL_BF16, FL_F32, FL_F32}, {FL_I8, FL_I32, FL_I32}, {FL_I1, FL_I64, FL_I64}, {FL_F32, FL_I1, FL_F64},
    };
    for (int i = 0; i < 48; i++) {
        fl_builder b;
        CHECK_OK(fl_builder_init(&b, "dot"));
        const fl_dtype *t = types[i % 8];
        int64_t m = random_in(1, 20), n = random_in(1, 20), k = random_in(0, 9);
        int64_t lhs[2] = {m, k}, rhs[2] = {k, n}, zero = 0, one = 1, out[2] = {m, n};
        fl_attr attrs[] = {{.key = FL_ATTR_lhs_contracting_dimensions, .count = 1, .u.ints = &one},
                           {.key = FL_ATTR_rhs_contracting_dimensions, .count = 1, .u.ints = &zero}};
        fl_type type = fl_type_make(t[2], 2, out);
        fl_ref x = fl_parameter(&b, fl_type_make(t[0], 2, lhs)),
               y = fl_parameter(&b, fl_type_make(t[1], 2, rhs));
        const fl_ref operands[] = {x, y};
        fl_build_typed(&b, FL_OP_dot_general, operands, 2, attrs, 2, NULL, 0, &type, 1);
        check_kernel(&b, NULL, "dot_general");
    }
}

int main(void)
{
    test_complex();
    test_mixed_types();
    test_contractions();
    return check_result();
}
