/* Conversions round once, integers of all widths at their edges, complex operations over the whole range.
 * Expected values are by hand, or mpmath's. */
#include "ref_test.h"

#include <inttypes.h>

#define CHECK_I8(b, result, ...)  CHECK_ARRAY(int8_t, "%d", 0, b, result, __VA_ARGS__)
#define CHECK_U16(b, result, ...) CHECK_ARRAY(uint16_t, "%#x", 0, b, result, __VA_ARGS__)
#define CHECK_U64(b, result, ...) CHECK_ARRAY(uint64_t, "%" PRIu64, 0, b, result, __VA_ARGS__)

#define ARRAY(b, dtype, ctype, n, ...)                                                                       \
    fl_constant((b), fl_type_make(FL_##dtype, 1, DIMS(n)), (const ctype[]){__VA_ARGS__})
#define BINARY(b, op, x, y) fl_build((b), FL_OP_##op, (const fl_ref[]){(x), (y)}, 2, NULL, 0, NULL, 0)

/* Each value is a little off the middle of two numbers of the narrow type, by less than f32 can tell. */
static void single_rounding(void)
{
    fl_builder b = begin();
    CHECK_U16(&b,
              fl_cast(&b,
                      F64(&b, (4), 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 65520 - 0x1p-30, 0x1p-25 + 0x1p-60),
                      FL_F16),
              0x3c01, 0x3c00, 0x7bff, 1);
    b = begin();
    CHECK_U16(&b,
              fl_cast(&b, F64(&b, (4), 1 + 0x1p-8 + 0x1p-40, -1 - 0x3p-8 + 0x1p-40, 1e300, -1e-300), FL_BF16),
              0x3f81, 0xbf81, 0x7f80, 0x8000);
    b = begin();
    CHECK_U8(
        &b, fl_cast(&b, F64(&b, (3), 1 + 0x1p-4 + 0x1p-40, 1 + 0x3p-4 - 0x1p-40, 464 - 0x1p-40), FL_F8E4M3FN),
        0x39, 0x39, 0x7e);
    b = begin();
    CHECK_U16(&b, fl_cast(&b, ARRAY(&b, I64, int64_t, 2, (1ll << 40) + (1ll << 32) + 1, INT64_MIN), FL_BF16),
              0x5381, 0xdf00);
    b = begin();
    CHECK_U16(&b,
              fl_cast(&b, ARRAY(&b, U64, uint64_t, 2, UINT64_MAX, (1ull << 63) + (1ull << 55) + 1), FL_BF16),
              0x5f80, 0x5f01);
    b = begin();
    CHECK_F64(&b, fl_cast(&b, ARRAY(&b, I64, int64_t, 2, (1ll << 54) + 3, -(1ll << 54) - 2), FL_F64),
              0x1.0000000000001p54, -0x1p54);
    b = begin();
    const fl_attr half[2] = {{.key = FL_ATTR_exponent_bits, .u.i = 5},
                             {.key = FL_ATTR_mantissa_bits, .u.i = 10}};
    fl_ref x = F64(&b, (5), 65520, 65519, 1 + 0x1p-11 + 0x1p-50, -0x1p-15, NAN);
    CHECK_F64(&b, fl_build(&b, FL_OP_reduce_precision, &x, 1, half, 2, NULL, 0), INFINITY, 65504, 1 + 0x1p-10,
              -0.0, NAN);
}

static void to_small_integers(void)
{
    fl_builder b = begin();
    CHECK_I8(&b, fl_cast(&b, F32(&b, (5), 7.9f, 9, -8.9f, -1e30f, NAN), FL_I4), 7, 7, -8, -8, 0);
    b = begin();
    CHECK_U8(&b, fl_cast(&b, F32(&b, (4), 15.9f, 20, -1, INFINITY), FL_U4), 15, 15, 0, 15);
    b = begin();
    CHECK_I8(&b, fl_cast(&b, I32(&b, (4), 7, 8, -9, 255), FL_I4), 7, -8, 7, -1);
    b = begin();
    CHECK_I8(&b, fl_cast(&b, I32(&b, (4), 1, 2, 3, -3), FL_I2), 1, -2, -1, 1);
    b = begin();
    CHECK_U64(&b, fl_cast(&b, F64(&b, (4), 0x1p64, 0x1.fffffffffffffp63, -1, NAN), FL_U64), UINT64_MAX,
              0xfffffffffffff800u, 0, 0);
    b = begin();
    CHECK_U64(&b, fl_cast(&b, I8(&b, (2), -1, 5), FL_U64), UINT64_MAX, 5);
}

static void bits_of_all_widths(void)
{
    fl_builder b = begin();
    CHECK_I8(&b, fl_clz(&b, ARRAY(&b, I4, int8_t, 4, 0, 1, -1, 4)), 4, 3, 0, 1);
    b = begin();
    CHECK_I8(&b, fl_popcnt(&b, ARRAY(&b, I4, int8_t, 3, -1, -8, 5)), 4, 1, 2);
    b = begin();
    CHECK_U8(&b, fl_popcnt(&b, ARRAY(&b, U2, uint8_t, 4, 0, 1, 2, 3)), 0, 1, 1, 2);
    b = begin();
    CHECK_U64(&b, fl_clz(&b, ARRAY(&b, U64, uint64_t, 3, 0, 1, UINT64_MAX)), 64, 63, 0);
    b = begin();
    CHECK_U64(
        &b, fl_shl(&b, ARRAY(&b, U64, uint64_t, 3, 1, 1, 1), ARRAY(&b, U64, uint64_t, 3, 63, 64, UINT64_MAX)),
        1ull << 63, 0, 0);
    b = begin();
    CHECK_I8(&b, fl_shra(&b, ARRAY(&b, I4, int8_t, 3, -8, -8, 7), ARRAY(&b, I4, int8_t, 3, 1, -1, 4)), -4, -1,
             0);
    b = begin();
    CHECK_I8(&b, fl_div(&b, ARRAY(&b, I4, int8_t, 3, -8, 7, -7), ARRAY(&b, I4, int8_t, 3, -1, 0, 2)), -8, -1,
             -3);
    b = begin();
    CHECK_U8(&b, fl_div(&b, ARRAY(&b, U4, uint8_t, 2, 9, 9), ARRAY(&b, U4, uint8_t, 2, 0, 2)), 15, 4);
}

static void powers(void)
{
    fl_builder b = begin();
    CHECK_I32(&b, fl_pow(&b, I32(&b, (5), 0, -1, 2, 3, -2), I32(&b, (5), -1, -3, -1, 40, 31)), 0, -1, 0,
              689956897, INT32_MIN);
    b = begin();
    CHECK_U8(&b, fl_pow(&b, U8(&b, (3), 0, 3, 255), U8(&b, (3), 255, 200, 255)), 0, 161, 255);
}

static void upper_halves(void)
{
    fl_builder b = begin();
    CHECK_I8(&b, BINARY(&b, mulhi, I8(&b, (4), -128, 100, -1, 127), I8(&b, (4), -128, 100, 1, -128)), 64, 39,
             -1, -64);
    b = begin();
    CHECK_U8(&b, BINARY(&b, mulhi, U8(&b, (2), 255, 16), U8(&b, (2), 255, 16)), 254, 1);
    b = begin();
    fl_ref x = ARRAY(&b, I64, int64_t, 2, INT64_MIN, -1), y = ARRAY(&b, I64, int64_t, 2, INT64_MIN, 2);
    CHECK_U64(&b, BINARY(&b, mulhi, x, y), 1ull << 62, UINT64_MAX);
    b = begin();
    x = ARRAY(&b, U64, uint64_t, 1, UINT64_MAX);
    CHECK_U64(&b, BINARY(&b, mulhi, x, x), UINT64_MAX - 1);
}

static fl_ref c128(fl_builder *b, double re, double im)
{
    return fl_complex(b, F64(b, (1), re), F64(b, (1), im));
}

static fl_ref c64(fl_builder *b, float re, float im)
{
    return fl_complex(b, F32(b, (1), re), F32(b, (1), im));
}

static void complex_range(void)
{
    fl_builder b = begin();
    CHECK_F64(&b, fl_abs(&b, c128(&b, 1e308, 1e308)), 1.4142135623730951e308);
    b = begin();
    CHECK_F64(&b, fl_div(&b, c128(&b, 1e308, 1e308), c128(&b, 1e308, -1e308)), 0, 1);
    b = begin();
    CHECK_F32(&b, fl_div(&b, c64(&b, 1e-40f, 2e-40f), c64(&b, 1e-40f, 2e-40f)), 1, 0);
    b = begin();
    CHECK_F64(&b, fl_sign(&b, c128(&b, 5e-324, -5e-324)), 0.7071067811865476, -0.7071067811865476);
    b = begin();
    CHECK_F64(&b, fl_log(&b, c128(&b, 0.6, 0.8)), 2.2204460492503132e-17, 0.9272952180016123);
    b = begin();
    CHECK_F64(&b, fl_log1p(&b, c128(&b, -1e-20, 1e-10)), -4.999999999999999e-21, 1e-10);
    b = begin();
    CHECK_F64(&b, fl_expm1(&b, c128(&b, 5e-21, 1e-10)), -6.385639492172629e-37, 1e-10);
    b = begin();
    CHECK_F64(&b, fl_exp(&b, c128(&b, 710, 1.5)), 1.5802653829857376e307, INFINITY);
    b = begin();
    CHECK_F64(&b, fl_tanh(&b, c128(&b, 1e300, 1)), 1, 0);
    b = begin();
    CHECK_F32(&b, fl_cbrt(&b, c64(&b, -8, 0)), 1, 1.73205081f);
    b = begin();
    CHECK_F64(&b, fl_square(&b, c128(&b, 1e200, 1e200)), 0, INFINITY);
    b = begin();
    CHECK_F64(&b, fl_pow(&b, c128(&b, 0, 0), c128(&b, 0, 0)), 1, 0);
    b = begin();
    CHECK_F64(&b, fl_atan2(&b, c128(&b, 0.5, 0.25), c128(&b, -1, 2)), 3.141592653589793,
              -0.25541281188299536);
    b = begin();
    CHECK_F32(&b, fl_sqrt(&b, c64(&b, -4, -0.0f)), 0, -2);
}

int main(void)
{
    single_rounding();
    to_small_integers();
    bits_of_all_widths();
    powers();
    upper_halves();
    complex_range();
    return failures ? 1 : 0;
}
