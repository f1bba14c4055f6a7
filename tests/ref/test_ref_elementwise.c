/* Elementwise operations at the edges of their types. Expected values are by hand, from the StableHLO
 * specification (what it leaves open is as XLA does it) or printed by numpy. */
#include "ref_test.h"

#include "base/half.h"

#define CHECK_I8(b, result, ...)  CHECK_ARRAY(int8_t, "%d", 0, b, result, __VA_ARGS__)
#define CHECK_U16(b, result, ...) CHECK_ARRAY(uint16_t, "%d", 0, b, result, __VA_ARGS__)
#define CHECK_I64(b, result, ...) CHECK_ARRAY(int64_t, "%" PRId64, 0, b, result, __VA_ARGS__)
#include <inttypes.h>

static fl_ref bf16(fl_builder *b, float x, float y)
{
    const uint16_t bits[2] = {fl_bf16_from_f32(x), fl_bf16_from_f32(y)};
    return fl_constant(b, fl_type_make(FL_BF16, 1, DIMS(2)), bits);
}

static void integers(void)
{
    fl_builder b = begin();
    CHECK_I32(&b, fl_div(&b, I32(&b, (6), 17, -17, 17, -17, 5, INT32_MIN), I32(&b, (6), 3, 3, -3, -3, 0, -1)),
              5, -5, -5, 5, -1, INT32_MIN);
    b = begin();
    CHECK_I32(&b, fl_rem(&b, I32(&b, (6), 17, -17, 17, -17, 5, INT32_MIN), I32(&b, (6), 3, 3, -3, -3, 0, -1)),
              2, -2, 2, -2, 5, 0);
    b = begin();
    CHECK_U8(&b, fl_div(&b, U8(&b, (3), 200, 7, 255), U8(&b, (3), 3, 0, 255)), 66, 255, 1);
    b = begin();
    CHECK_I8(&b, fl_add(&b, I8(&b, (3), 127, -128, 100), I8(&b, (3), 1, -1, 100)), -128, 127, -56);
    b = begin();
    CHECK_I8(&b, fl_mul(&b, I8(&b, (2), 16, -128), I8(&b, (2), 17, -1)), 16, -128);
    b = begin();
    CHECK_I8(&b, fl_abs(&b, I8(&b, (3), -128, -5, 5)), -128, 5, 5);
    b = begin();
    CHECK_I8(&b, fl_neg(&b, I8(&b, (2), -128, 5)), -128, -5);
    b = begin();
    CHECK_I8(&b, fl_sign(&b, I8(&b, (3), -128, 0, 5)), -1, 0, 1);
    b = begin();
    CHECK_I32(&b,
              fl_pow(&b, I32(&b, (8), 3, 2, -2, -1, 1, 0, 5, 0), I32(&b, (8), 4, 40, 3, -3, -7, 0, -1, 3)),
              81, 0, -8, -1, 1, 1, 0, 0);
    b = begin();
    CHECK_I8(&b, fl_shl(&b, I8(&b, (4), 1, -1, 3, 1), I8(&b, (4), 6, 7, 8, -1)), 64, -128, 0, 0);
    b = begin();
    CHECK_I8(&b, fl_shra(&b, I8(&b, (4), -128, -128, 100, -1), I8(&b, (4), 2, 9, 9, -1)), -32, -1, 0, -1);
    b = begin();
    CHECK_I8(&b, fl_shrl(&b, I8(&b, (3), -128, -1, -1), I8(&b, (3), 2, 7, 8)), 32, 1, 0);
    b = begin();
    CHECK_U8(&b, fl_shra(&b, U8(&b, (2), 0x80, 0x40), U8(&b, (2), 1, 1)), 0xc0, 0x20);
    b = begin();
    CHECK_I8(&b, fl_clz(&b, I8(&b, (4), 0, 1, -1, 16)), 8, 7, 0, 3);
    b = begin();
    CHECK_I8(&b, fl_popcnt(&b, I8(&b, (3), 0, -1, 85)), 0, 8, 4);
    b = begin();
    CHECK_I8(&b, fl_not(&b, I8(&b, (2), 0, 5)), -1, -6);
    b = begin();
    CHECK_U8(&b, fl_not(&b, I1(&b, (2), 0, 1)), 1, 0);
    b = begin();
    CHECK_U8(&b, fl_add(&b, I1(&b, (3), 0, 1, 1), I1(&b, (3), 0, 0, 1)), 0, 1, 1);
    b = begin();
    CHECK_U8(&b, fl_compare(&b, FL_LT, U8(&b, (2), 200, 3), U8(&b, (2), 100, 4)), 0, 1);
    b = begin();
    CHECK_U8(&b, fl_compare(&b, FL_LT, I8(&b, (2), -56, 3), I8(&b, (2), 100, 3)), 1, 0);
    b = begin(); /* four bits: 7 + 1 wraps to -8 */
    fl_type i4 = fl_type_make(FL_I4, 1, DIMS(2));
    CHECK_I8(&b, fl_add(&b, fl_constant(&b, i4, (int8_t[]){7, -3}), fl_constant(&b, i4, (int8_t[]){1, -2})),
             -8, -5);
}

static void floats(void)
{
    fl_builder b = begin();
    CHECK_F32(&b, fl_max(&b, F32(&b, (4), NAN, 1, -INFINITY, 2), F32(&b, (4), 1, NAN, -3, 1)), NAN, NAN, -3,
              2);
    b = begin(); /* 1 / 0 tells the sign of zero */
    CHECK_F32(
        &b, fl_div(&b, F32(&b, (2), 1, 1), fl_max(&b, F32(&b, (2), -0.0f, 0.0f), F32(&b, (2), 0.0f, -0.0f))),
        INFINITY, INFINITY);
    b = begin();
    CHECK_F32(&b, fl_div(&b, F32(&b, (2), 1, 1), fl_sign(&b, F32(&b, (2), -0.0f, 0.0f))), -INFINITY,
              INFINITY);
    b = begin();
    CHECK_F32(&b, fl_sign(&b, F32(&b, (3), NAN, -3, INFINITY)), NAN, -1, 1);
    b = begin();
    CHECK_F32(&b, fl_round(&b, F32(&b, (5), 0.5f, 1.5f, 2.5f, -0.5f, -2.5f)), 0, 2, 2, 0, -2);
    b = begin();
    CHECK_F32(&b, fl_round_afz(&b, F32(&b, (5), 0.5f, 1.5f, 2.5f, -0.5f, -2.5f)), 1, 2, 3, -1, -3);
    b = begin();
    CHECK_F32(&b, fl_rem(&b, F32(&b, (4), 5.5f, -5.5f, 5, 5), F32(&b, (4), 2, 2, 0, INFINITY)), 1.5f, -1.5f,
              NAN, 5);
    b = begin();
    CHECK_U8(&b, fl_compare(&b, FL_EQ, F32(&b, (3), NAN, 0.0f, 1), F32(&b, (3), NAN, -0.0f, 2)), 0, 1, 0);
    b = begin();
    CHECK_U8(&b, fl_compare(&b, FL_NE, F32(&b, (3), NAN, 0.0f, 1), F32(&b, (3), NAN, -0.0f, 2)), 1, 0, 1);
    b = begin();
    CHECK_U8(&b, fl_compare(&b, FL_GE, F32(&b, (3), NAN, 1, 2), F32(&b, (3), 1, 1, 3)), 0, 1, 0);
    b = begin();
    fl_attr total[2] = {{.key = FL_ATTR_comparison_direction, .u.i = FL_LT},
                        {.key = FL_ATTR_compare_type, .u.i = FL_COMPARE_TOTALORDER}};
    fl_ref sides[2] = {F32(&b, (4), -0.0f, -NAN, INFINITY, 1), F32(&b, (4), 0.0f, -INFINITY, NAN, -1)};
    CHECK_U8(&b, fl_build(&b, FL_OP_compare, sides, 2, total, 2, NULL, 0), 1, 1, 1, 0);
    b = begin(); /* bounds of rank 0 */
    CHECK_F32(
        &b,
        fl_clamp(&b, fl_scalar_f(&b, FL_F32, -1), F32(&b, (4), -3, 0.5f, 7, NAN), fl_scalar_f(&b, FL_F32, 2)),
        -1, 0.5f, 2, NAN);
    b = begin();
    CHECK_F32(&b, fl_select(&b, I1(&b, (2), 1, 0), F32(&b, (2), 1, 2), F32(&b, (2), 3, 4)), 1, 4);
    b = begin();
    CHECK_U8(&b, fl_is_finite(&b, F32(&b, (3), NAN, -INFINITY, 1)), 0, 0, 1);
    b = begin();
    CHECK_U8(&b, fl_is_neg_inf(&b, F32(&b, (3), NAN, -INFINITY, INFINITY)), 0, 1, 0);
    b = begin();
    CHECK_F32(&b,
              fl_next_after(&b, F32(&b, (5), 1, 1, 0, -0.0f, 0x1.fffffep+127f),
                            F32(&b, (5), 2, 0, 1, -1, INFINITY)),
              0x1.000002p+0f, 0x1.fffffep-1f, 0x1p-149f, -0x1p-149f, INFINITY);
    b = begin(); /* the neighbour of 1 in bf16 is 1 + 2^-7 */
    CHECK_U16(&b, fl_next_after(&b, bf16(&b, 1, -1), bf16(&b, 2, -2)), 0x3f81, 0xbf81);
    b = begin(); /* 1 + 2^-8 is halfway and goes to the even 1; 1 + 2^-7 + 2^-8 to 1 + 2^-6 */
    CHECK_U16(&b, fl_add(&b, bf16(&b, 1, 1 + 0x1p-7f), bf16(&b, 0x1p-8f, 0x1p-8f)), 0x3f80, 0x3f82);
}

/* numpy, scipy.special and mpmath rounded to f32 */
static void functions(void)
{
    /* clang-format off */
#define ONE(function, x, want)                                                                               \
    {                                                                                                        \
        fl_builder b = begin();                                                                              \
        CHECK_F32(&b, fl_##function(&b, F32(&b, (1), x)), want);                                             \
    }
    ONE(exp, 1, 2.71828183f) ONE(exp, 89, INFINITY) ONE(exp, -104, 0) ONE(expm1, 1e-10f, 1e-10f) ONE(log, 10, 2.30258509f)
    ONE(log1p, 1e-10f, 1e-10f) ONE(log, -1, NAN) ONE(logistic, -100, 3.7835059e-44f) ONE(logistic, 1, 0.731058579f)
    ONE(rsqrt, 2, 0.707106781f) ONE(rsqrt, 0, INFINITY) ONE(cbrt, -27, -3) ONE(tanh, 0.5f, 0.462117157f) ONE(sin, 1e5f, 0.0357487980f)
    ONE(erf, 0.5f, 0.520499878f) ONE(erfc, 5, 1.53745979e-12f) ONE(erf_inv, 0.5f, 0.476936276f) ONE(lgamma, 10, 12.8018275f)
    ONE(digamma, 1, -0.577215665f) ONE(bessel_i1e, 2, 0.215269289f) ONE(acosh, 2, 1.31695790f) ONE(tan, 1, 1.55740772f)
    ONE(square, -3, 9)
#undef ONE
        /* clang-format on */
        fl_builder b = begin();
    CHECK_F32(&b, fl_zeta(&b, F32(&b, (2), 2, 3), F32(&b, (2), 1, 2)), 1.64493407f, 0.202056903f);
    b = begin();
    CHECK_F32(&b, fl_polygamma(&b, F32(&b, (2), 1, 0), F32(&b, (2), 1, 2)), 1.64493407f, 0.422784335f);
    b = begin();
    CHECK_F32(&b, fl_atan2(&b, F32(&b, (3), 1, -1, 0.0f), F32(&b, (3), -1, -1, -1)), 2.35619449f,
              -2.35619449f, 3.14159265f);
    b = begin();
    CHECK_F32(&b, fl_pow(&b, F32(&b, (4), 2, 0, -8, -2), F32(&b, (4), 0.5f, 0, 1.0f / 3, 3)), 1.41421356f, 1,
              NAN, -8);
}

static void conversions(void)
{
    fl_builder b = begin();
    CHECK_I8(&b, fl_cast(&b, F32(&b, (6), 1.9f, -1.9f, 300, -300, NAN, INFINITY), FL_I8), 1, -1, 127, -128, 0,
             127);
    b = begin();
    CHECK_U8(&b, fl_cast(&b, F32(&b, (4), -5, 255.9f, 256, NAN), FL_U8), 0, 255, 255, 0);
    b = begin();
    CHECK_I64(&b, fl_cast(&b, F64(&b, (3), 9.3e18, -9.3e18, -1.5), FL_I64), INT64_MAX, INT64_MIN, -1);
    b = begin();
    CHECK_I8(&b, fl_cast(&b, I32(&b, (3), 300, -129, 5), FL_I8), 44, 127, 5);
    b = begin(); /* just above the middle of two floats; through double it would fall on the middle and go to
                    even */
    CHECK_F32(
        &b,
        fl_cast(&b,
                fl_constant(&b, fl_type_make(FL_I64, 1, DIMS(1)), (int64_t[]){(1ll << 60) + (1ll << 36) + 1}),
                FL_F32),
        0x1.000002p+60f);
    b = begin();
    CHECK_U8(&b, fl_cast(&b, F32(&b, (4), 0.25f, 0, NAN, -0.0f), FL_I1), 1, 0, 1, 0);
    b = begin();
    CHECK_U16(&b, fl_cast(&b, F32(&b, (5), 65519, 65520, 6e-8f, 2e-8f, -1), FL_F16), 0x7bff, 0x7c00, 1, 0,
              0xbc00);
    b = begin();
    CHECK_U16(&b, fl_cast(&b, F32(&b, (3), 1.00390625f, 1.01171875f, 3.4e38f), FL_BF16), 0x3f80, 0x3f82,
              0x7f80);
    b = begin();
    CHECK_U8(&b, fl_cast(&b, F32(&b, (3), 448, 1e6f, 0.3f), FL_F8E4M3FN), 0x7e, 0x7f, 0x2a);
    b = begin();
    CHECK_F32(&b, fl_real(&b, fl_cast(&b, F32(&b, (1), 3), FL_C64)), 3);
    b = begin();
    CHECK_F32(&b, fl_imag(&b, fl_conj(&b, fl_complex(&b, F32(&b, (1), 3), F32(&b, (1), 4)))), -4);
    b = begin();
    CHECK_F32(&b, fl_abs(&b, fl_complex(&b, F32(&b, (1), 3), F32(&b, (1), 4))), 5);
    b = begin();
    fl_ref z = fl_complex(&b, F32(&b, (1), 1), F32(&b, (1), 2));
    CHECK_F32(&b, fl_mul(&b, z, z), -3, 4);
    b = begin();
    z = fl_complex(&b, F32(&b, (1), 1), F32(&b, (1), 2));
    CHECK_F32(&b, fl_div(&b, z, fl_complex(&b, F32(&b, (1), 3), F32(&b, (1), -4))), -0.2f, 0.4f);
}

int main(void)
{
    integers();
    floats();
    functions();
    conversions();
    return failures ? 1 : 0;
}
