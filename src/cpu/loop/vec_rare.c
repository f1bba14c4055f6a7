/* Operations that are rare or are libm's in f64: scalar loops. */
#include "base/special.h"
#include "cpu/loop/vec_macros.h"

#include <complex.h>
#include <math.h>

/* f64 through libm; f32 of the functions that have no polynomial of ours */
#define MATH1(X)                                                                                             \
    X(cbrt, cbrt)                                                                                            \
    X(acos, acos) X(acosh, acosh) X(asin, asin) X(asinh, asinh) X(atan, atan) X(atanh, atanh) X(cosh, cosh)  \
        X(sinh, sinh) X(erfc, erfc)
#define MATH_F64(X)                                                                                          \
    X(exponential, exp)                                                                                      \
    X(log, log) X(exponential_minus_one, expm1) X(log_plus_one, log1p) X(tanh, tanh) X(erf, erf)             \
        X(sine, sin) X(cosine, cos) X(tan, tan)
#define F32_KERNEL(op, fn) FL_UNARY(op##_F32, float, float, fn##f(p))
#define F64_KERNEL(op, f)  FL_UNARY(op##_F64, double, double, f(p))
MATH1(F32_KERNEL)
MATH1(F64_KERNEL)
MATH_F64(F64_KERNEL)

/* CHLO's special functions, in f64 for either type */
#define SPECIAL1(X)                                                                                          \
    X(lgamma, fl_special_lgamma)                                                                             \
    X(digamma, fl_special_digamma) X(erf_inv, fl_special_erf_inv) X(bessel_i1e, fl_special_bessel_i1e)
#define SPECIAL2(X) X(zeta, fl_special_zeta) X(polygamma, fl_special_polygamma)
#define SPECIAL1_KERNELS(op, f)                                                                              \
    FL_UNARY(op##_F32, float, float, (float)f((double)p))                                                    \
    FL_UNARY(op##_F64, double, double, f(p))
#define SPECIAL2_KERNELS(op, f)                                                                              \
    FL_BINARY_VV(op##_F32, float, float, (float)f((double)p, (double)q))                                     \
    FL_BINARY_VV(op##_F64, double, double, f(p, q))
SPECIAL1(SPECIAL1_KERNELS)
SPECIAL2(SPECIAL2_KERNELS)

static inline double logistic_d(double x)
{
    double e = exp(-fabs(x));
    return (x < 0 ? e : 1.0) / (1.0 + e);
}
FL_UNARY(logistic_F64, double, double, logistic_d(p))
FL_BINARY_VV(power_F64, double, double, pow(p, q))
FL_BINARY_VV(atan2_F32, float, float, (float)atan2((double)p, (double)q))
FL_BINARY_VV(atan2_F64, double, double, atan2(p, q))
FL_BINARY_VV(remainder_F32, float, float, fmodf(p, q))
FL_BINARY_VV(remainder_F64, double, double, fmod(p, q))
FL_BINARY_VV(next_after_F32, float, float, nextafterf(p, q))
FL_BINARY_VV(next_after_F64, double, double, nextafter(p, q))

/* Integers */
#define INTEGERS(X)                                                                                          \
    X(I8, int8_t, uint8_t, 8)                                                                                \
    X(I16, int16_t, uint16_t, 16) X(I32, int32_t, uint32_t, 32) X(I64, int64_t, uint64_t, 64)                \
        X(U8, uint8_t, uint8_t, 8) X(U16, uint16_t, uint16_t, 16) X(U32, uint32_t, uint32_t, 32)             \
            X(U64, uint64_t, uint64_t, 64)

static uint64_t power_of(uint64_t base, uint64_t exponent)
{
    uint64_t r = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) r *= base;
    return r;
}
/* A negative exponent: 1 / base, rounded towards zero. */
static int64_t power_signed(int64_t base, int64_t exponent)
{
    if (exponent >= 0) return (int64_t)power_of((uint64_t)base, (uint64_t)exponent);
    return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
}
#define INTEGER_KERNELS(D, T, U, bits)                                                                       \
    FL_UNARY(popcnt_##D, T, T, __builtin_popcountll((U)p))                                                   \
    FL_UNARY(clz_##D, T, T, (U)p ? __builtin_clzll((U)p) - (64 - bits) : bits)                               \
    FL_BINARY_VV(power_##D, T, T,                                                                            \
                 (T) - 1 < (T)1 ? (T)power_signed((int64_t)p, (int64_t)q)                                    \
                                : (T)power_of((uint64_t)p, (uint64_t)q))
INTEGERS(INTEGER_KERNELS)

/* Complex numbers */
#define COMPLEX_KERNELS(D, T, C, s)                                                                          \
    FL_BINARY(add_##D, C, C, p + q)                                                                          \
    FL_BINARY(subtract_##D, C, C, p - q)                                                                     \
    FL_BINARY(multiply_##D, C, C, p *q)                                                                      \
    FL_BINARY_VV(divide_##D, C, C, p / q)                                                                    \
    FL_BINARY_VV(power_##D, C, C, cpow##s(p, q))                                                             \
    FL_UNARY(negate_##D, C, C, -p)                                                                           \
    FL_UNARY(conj_##D, C, C, conj##s(p))                                                                     \
    FL_UNARY(square_##D, C, C, p *p)                                                                         \
    FL_UNARY(exp_##D, C, C, cexp##s(p))                                                                      \
    FL_UNARY(log_##D, C, C, clog##s(p))                                                                      \
    FL_UNARY(sqrt_##D, C, C, csqrt##s(p))                                                                    \
    FL_UNARY(sin_##D, C, C, csin##s(p))                                                                      \
    FL_UNARY(cos_##D, C, C, ccos##s(p))                                                                      \
    FL_UNARY(tanh_##D, C, C, ctanh##s(p))                                                                    \
    FL_UNARY(abs_##D, T, C, cabs##s(p))                                                                      \
    FL_UNARY(real_##D, T, C, creal##s(p))                                                                    \
    FL_UNARY(imag_##D, T, C, cimag##s(p))
COMPLEX_KERNELS(C64, float, float complex, f)
COMPLEX_KERNELS(C128, double, double complex, )
FL_BINARY_VV(complex_F32, float complex, float, CMPLXF(p, q))
FL_BINARY_VV(complex_F64, double complex, double, CMPLX(p, q))

#define ROW_F32(op, f) FL_ROW1(op, op##_F32, F32)
#define ROW_F64(op, f) FL_ROW1(op, op##_F64, F64)
#define ROWS_INTEGER(D, T, U, bits)                                                                          \
    FL_ROW1(popcnt, popcnt_##D, D) FL_ROW1(count_leading_zeros, clz_##D, D) FL_ROW_VV(power, power_##D, D)
#define ROWS_COMPLEX(D, T, C, s)                                                                             \
    FL_ROW3(add, add_##D, D)                                                                                 \
    FL_ROW3(subtract, subtract_##D, D) FL_ROW3(multiply, multiply_##D, D) FL_ROW_VV(divide, divide_##D, D)   \
        FL_ROW_VV(power, power_##D, D) FL_ROW1(negate, negate_##D, D) FL_ROW1(conj, conj_##D, D)             \
            FL_ROW1(square, square_##D, D) FL_ROW1(exponential, exp_##D, D) FL_ROW1(log, log_##D, D)         \
                FL_ROW1(sqrt, sqrt_##D, D) FL_ROW1(sine, sin_##D, D) FL_ROW1(cosine, cos_##D, D)             \
                    FL_ROW1(tanh, tanh_##D, D) FL_ROW1(abs, abs_##D, D) FL_ROW1(real, real_##D, D)           \
                        FL_ROW1(imag, imag_##D, D)

#define ROWS_SPECIAL1(op, f) FL_ROW1(op, op##_F32, F32) FL_ROW1(op, op##_F64, F64)
#define ROWS_SPECIAL2(op, f) FL_ROW_VV(op, op##_F32, F32) FL_ROW_VV(op, op##_F64, F64)

static const fl_vec_row rows[] = {
    SPECIAL1(ROWS_SPECIAL1) SPECIAL2(ROWS_SPECIAL2) MATH1(ROW_F32) MATH1(ROW_F64) MATH_F64(ROW_F64)
        FL_ROW1(logistic, logistic_F64, F64) FL_ROW_VV(power, power_F64, F64) FL_ROW_VV(atan2, atan2_F32, F32)
            FL_ROW_VV(atan2, atan2_F64, F64) FL_ROW_VV(remainder, remainder_F32, F32)
                FL_ROW_VV(remainder, remainder_F64, F64) FL_ROW_VV(next_after, next_after_F32, F32)
                    FL_ROW_VV(next_after, next_after_F64, F64) INTEGERS(ROWS_INTEGER)
                        ROWS_COMPLEX(C64, float, float complex, f)
                            ROWS_COMPLEX(C128, double, double complex, ) FL_ROW_VV(complex, complex_F32, F32)
                                FL_ROW_VV(complex, complex_F64, F64)};
const fl_vec_table fl_vec_rare = {rows, sizeof rows / sizeof rows[0]};
