/* Elementwise operators of one operand. */
#include "aten/formula.h"
#include "aten/table.h"
#include <math.h>

static fl_dtype bits_dtype(fl_dtype t)
{
    switch (fl_dtypes[t].bytes) {
    case 1: return FL_I8;
    case 2: return FL_I16;
    case 4: return FL_I32;
    default: return FL_I64;
    }
}

static fl_ref sign_mask(fl_builder *b, fl_dtype t, int inverted)
{
    int64_t mask = t == FL_I64 ? INT64_MIN : -(INT64_C(1) << (fl_dtypes[t].bits - 1));
    return fl_scalar_i(b, t, inverted ? ~mask : mask);
}

fl_ref fl_f_copysign(fl_builder *b, fl_ref magnitude, fl_ref sign)
{
    fl_dtype t = fl_dtypeof(b, magnitude), bits = bits_dtype(t);
    fl_ref m = fl_and(b, fl_bitcast(b, magnitude, bits), sign_mask(b, bits, 1));
    fl_ref s = fl_and(b, fl_bitcast(b, sign, bits), sign_mask(b, bits, 0));
    return fl_bitcast(b, fl_or(b, m, s), t);
}

fl_ref fl_f_frexp(fl_builder *b, fl_ref x, fl_ref *out_exponent)
{
    fl_dtype t = fl_dtypeof(b, x), bits = bits_dtype(t);
    int wide = t == FL_F64, fraction_bits = wide ? 52 : 23, bias = wide ? 1022 : 126;
    int64_t exponent_mask = wide ? INT64_C(0x7ff) : 0xff;
    /* Subnormals are scaled up first; zeros, infinities and NaNs are their own fraction with exponent 0. */
    fl_ref magnitude = fl_abs(b, x);
    fl_ref tiny = fl_compare_c(b, FL_LT, magnitude, wide ? 0x1p-1022 : 0x1p-126);
    fl_ref scaled = fl_select(b, tiny, fl_mul_c(b, x, ldexp(1, fraction_bits + 1)), x);
    fl_ref raw = fl_bitcast(b, scaled, bits);
    fl_ref field =
        fl_and(b, fl_shrl(b, raw, fl_scalar_i(b, bits, fraction_bits)), fl_scalar_i(b, bits, exponent_mask));
    fl_ref shift =
        fl_select(b, tiny, fl_scalar_i(b, bits, bias + fraction_bits + 1), fl_scalar_i(b, bits, bias));
    fl_ref kept = fl_and(b, raw, fl_scalar_i(b, bits, ~(exponent_mask << fraction_bits)));
    fl_ref fraction = fl_bitcast(b, fl_or(b, kept, fl_scalar_i(b, bits, (int64_t)bias << fraction_bits)), t);
    fl_ref plain = fl_and(b, fl_is_finite(b, x), fl_compare_c(b, FL_NE, x, 0));
    *out_exponent = fl_select(b, plain, fl_sub(b, field, shift), fl_scalar_i(b, bits, 0));
    return fl_select(b, plain, fraction, x);
}

/* A base: of 2 and of e, the logarithms, as a number whose product with an exponent is exact and the rest; of e in f32 12 bits and the
 * rest; (log(1 + f) / f - 1 + f / 2) / f^2 as a polynomial of f, times that. */
typedef struct log_base {
    double two, two_rest, e, e_high, e_rest;
    double c[9];
} log_base;

/* The logarithm of 1 + f, f in [-0.3, 0.42], as the sum of *high, which is exact, and what is returned. f has two parts, so that
 * its product with e_high loses nothing, nor does the one of that by f / 2 but its rounding. */
static fl_ref log_parts(fl_builder *b, const log_base *base, fl_ref f, fl_ref *high)
{
    fl_dtype t = fl_dtypeof(b, f), bits = bits_dtype(t);
    fl_ref upper = fl_bitcast(
        b, fl_and(b, fl_bitcast(b, f, bits), fl_scalar_i(b, bits, (int64_t)(int32_t)0xfffff000)), t);
    fl_ref first = fl_mul_c(b, upper, base->e_high), half = fl_mul_c(b, f, -0.5);
    fl_ref lost = fl_add(b, fl_mul_c(b, fl_sub(b, f, upper), base->e_high), fl_mul_c(b, f, base->e_rest));
    lost = fl_add(b, lost, fl_mul(b, lost, half));
    fl_ref y = fl_const(b, f, base->c[8]);
    for (int i = 7; i >= 0; i--) y = fl_add_c(b, fl_mul(b, y, f), base->c[i]);
    *high = first;
    fl_ref cubed = fl_mul(b, fl_mul(b, f, f), f);
    return fl_add(b, fl_mul(b, first, half), fl_add(b, lost, fl_mul(b, cubed, y)));
}

/* Exact at powers of two, and within a unit in the last place elsewhere. */
static fl_ref log_by(fl_builder *b, fl_ref x, const log_base *base)
{
    fl_dtype t = fl_dtypeof(b, x);
    if (fl_is_complex(t)) {
        fl_ref l = fl_log(b, x);
        return fl_complex(b, fl_mul_c(b, fl_real(b, l), base->e),
                          fl_mul(b, fl_imag(b, l), fl_scalar_f(b, fl_real_dtype(t), base->e)));
    }
    fl_ref exponent, fraction = fl_f_frexp(b, x, &exponent);
    /* fraction in [sqrt(1/2), sqrt(2)) keeps its logarithm small beside the exponent's */
    fl_ref low = fl_compare_c(b, FL_LT, fraction, M_SQRT1_2);
    fraction = fl_select(b, low, fl_add(b, fraction, fraction), fraction);
    fl_ref e = fl_cast(b, exponent, t);
    e = fl_select(b, low, fl_add_c(b, e, -1), e);
    fl_ref whole = base->two == 1 ? e : fl_mul_c(b, e, base->two), high, rest;
    if (t == FL_F32)
        rest = log_parts(b, base, fl_add_c(b, fraction, -1), &high);
    else
        rest = fl_const(b, x, 0), high = fl_mul_c(b, fl_log(b, fraction), base->e);
    if (base->two_rest != 0) rest = fl_add(b, fl_mul_c(b, e, base->two_rest), rest);
    fl_ref sum = fl_add(b, whole, high); /* whole is 0, or the larger: what its sum loses is exact */
    rest = fl_add(b, fl_add(b, fl_sub(b, whole, sum), high), rest);
    fl_ref regular = fl_and(b, fl_is_finite(b, x), fl_compare_c(b, FL_GT, x, 0));
    return fl_select(b, regular, fl_add(b, sum, rest), fl_log(b, x));
}

static fl_ref log2_of(fl_builder *b, fl_ref x)
{
    static const log_base base = {1,
                                  0,
                                  M_LOG2E,
                                  0x1.714p0,
                                  M_LOG2E - 0x1.714p0,
                                  {0.480898052454, -0.360673904419, 0.288569331169, -0.240467920899,
                                   0.205148622394, -0.178983688354, 0.171493366361, -0.1683896631,
                                   0.0973032638431}};
    return log_by(b, x, &base);
}

static fl_ref log10_of(fl_builder *b, fl_ref x)
{
    static const log_base base = {0x1.344p-2,
                                  0.30102999566398119521 - 0x1.344p-2,
                                  M_LOG10E,
                                  0x1.bcap-2,
                                  M_LOG10E - 0x1.bcap-2,
                                  {0.144764736295, -0.108573652804, 0.08686812222, -0.0723885521293,
                                   0.0617547929287, -0.0538721643388, 0.0516244731843, -0.0507257208228,
                                   0.0293308906257}};
    return log_by(b, x, &base);
}

static fl_ref exp2_of(fl_builder *b, fl_ref x)
{
    if (fl_is_complex(fl_dtypeof(b, x))) return fl_exp(b, fl_mul_c(b, x, M_LN2));
    return fl_pow(b, fl_full_like(b, x, 2), x);
}

static fl_ref reciprocal_of(fl_builder *b, fl_ref x)
{
    return fl_div(b, fl_full_like(b, x, 1), x);
}

static fl_ref sinc_of(fl_builder *b, fl_ref x)
{
    fl_ref angle = fl_mul_c(b, x, M_PI);
    fl_ref zero = fl_compare_c(b, FL_EQ, x, 0);
    return fl_select(b, zero, fl_const(b, x, 1), fl_div(b, fl_sin(b, angle), angle));
}

static fl_ref trunc_of(fl_builder *b, fl_ref x)
{
    return fl_select(b, fl_compare_c(b, FL_LT, x, 0), fl_ceil(b, x), fl_floor(b, x));
}

static fl_ref frac_of(fl_builder *b, fl_ref x)
{
    if (!fl_is_float(fl_dtypeof(b, x))) return fl_sub(b, x, x);
    return fl_sub(b, x, trunc_of(b, x));
}

static fl_ref abs_of(fl_builder *b, fl_ref x)
{
    return fl_dtype_kind(fl_dtypeof(b, x)) == FL_KIND_UINT ? x : fl_abs(b, x);
}

/* (x > 0) - (x < 0): +0 for NaN and both zeros */
static fl_ref sign_of(fl_builder *b, fl_ref x)
{
    fl_dtype t = fl_dtypeof(b, x);
    if (t == FL_I1) return x;
    fl_ref positive = fl_cast(b, fl_compare_c(b, FL_GT, x, 0), t);
    if (fl_dtype_kind(t) == FL_KIND_UINT) return positive;
    return fl_sub(b, positive, fl_cast(b, fl_compare_c(b, FL_LT, x, 0), t));
}

static fl_ref sgn_of(fl_builder *b, fl_ref x)
{
    fl_dtype t = fl_dtypeof(b, x);
    if (!fl_is_complex(t)) return sign_of(b, x);
    fl_ref size = fl_abs(b, x), zero = fl_compare_c(b, FL_EQ, size, 0);
    fl_ref unit = fl_complex(b, fl_div(b, fl_real(b, x), size), fl_div(b, fl_imag(b, x), size));
    return fl_select(b, zero, fl_const(b, x, 0), unit);
}

static fl_ref digamma_of(fl_builder *b, fl_ref x)
{
    fl_ref pole = fl_f_copysign(b, fl_full_like(b, x, INFINITY), fl_neg(b, x));
    return fl_select(b, fl_compare_c(b, FL_EQ, x, 0), pole, fl_digamma(b, x));
}

#define acos_of    fl_acos
#define acosh_of   fl_acosh
#define asin_of    fl_asin
#define asinh_of   fl_asinh
#define atan_of    fl_atan
#define atanh_of   fl_atanh
#define cos_of     fl_cos
#define cosh_of    fl_cosh
#define erf_of     fl_erf
#define erfc_of    fl_erfc
#define exp_of     fl_exp
#define expm1_of   fl_expm1
#define lgamma_of  fl_lgamma
#define log_of     fl_log
#define log1p_of   fl_log1p
#define rsqrt_of   fl_rsqrt
#define sin_of     fl_sin
#define sinh_of    fl_sinh
#define sqrt_of    fl_sqrt
#define tan_of     fl_tan
#define tanh_of    fl_tanh
#define sigmoid_of fl_logistic
#define erfinv_of  fl_erf_inv
#define ceil_of    fl_ceil
#define floor_of   fl_floor
#define round_of   fl_round
#define neg_of     fl_neg

fl_ref fl_unary_value(fl_builder *b, fl_unary op, fl_ref x)
{
    fl_dtype t = fl_dtypeof(b, x);
    if ((op.flags & FL_UNARY_REAL && fl_is_complex(t)) || (op.flags & FL_UNARY_NO_BOOL && t == FL_I1)) {
        fl_unsupported(b, "this element type");
        return FL_NO_REF;
    }
    if (op.flags & FL_UNARY_COPIES_INT && !fl_is_float(t)) return x;
    if (op.flags & FL_UNARY_FLOAT) t = fl_float_result(b, t);
    fl_dtype math = op.flags & FL_UNARY_OPMATH ? fl_op_math(t) : t;
    fl_ref y = op.apply(b, fl_cast(b, x, math));
    return math == t ? y : fl_cast(b, y, t);
}

/* one lowering for every row of the table: functional, in-place and out forms */
#define X(name, flag_bits)                                                                                   \
    const fl_unary fl_unary_##name = {name##_of, flag_bits};                                                 \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        fl_emit(b, fl_unary_value(b, fl_unary_##name, fl_in(b, 0)));                                         \
    }
FL_UNARY_TABLE(X)
#undef X

FL_LOWER(round_decimals)
{
    fl_ref x = fl_in(b, 0);
    int64_t decimals = fl_int(b, 1);
    if (decimals == 0) {
        fl_emit(b, fl_unary_value(b, fl_unary_round, x));
        return;
    }
    if (!fl_is_float(fl_dtypeof(b, x))) {
        fl_unsupported(b, "rounding this element type to decimals");
        return;
    }
    fl_ref scale = fl_const(b, x, pow(10, (double)(decimals < 0 ? -decimals : decimals)));
    fl_ref scaled = decimals < 0 ? fl_div(b, x, scale) : fl_mul(b, x, scale);
    fl_ref rounded = fl_round(b, scaled);
    fl_emit(b, decimals < 0 ? fl_mul(b, rounded, scale) : fl_div(b, rounded, scale));
}

FL_LOWER(signbit)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype t = fl_dtypeof(b, x);
    if (t == FL_I1 || fl_dtype_kind(t) == FL_KIND_UINT) {
        fl_emit(b, fl_compare(b, FL_NE, x, x));
        return;
    }
    if (fl_is_float(t)) x = fl_bitcast(b, x, bits_dtype(t));
    fl_emit(b, fl_compare(b, FL_LT, x, fl_scalar_i(b, fl_dtypeof(b, x), 0)));
}

FL_LOWER(angle)
{
    fl_ref x = fl_in(b, 0);
    if (fl_is_complex(fl_dtypeof(b, x))) {
        fl_emit(b, fl_atan2(b, fl_imag(b, x), fl_real(b, x)));
        return;
    }
    x = fl_cast(b, x, fl_float_result(b, fl_dtypeof(b, x)));
    fl_ref pi_or_zero =
        fl_select(b, fl_compare_c(b, FL_LT, x, 0), fl_full_like(b, x, M_PI), fl_full_like(b, x, 0));
    fl_emit(b, fl_select(b, fl_is_nan(b, x), x, pi_or_zero));
}

FL_LOWER(bitwise_not)
{
    fl_emit(b, fl_not(b, fl_in(b, 0)));
}

FL_LOWER(logical_not)
{
    fl_emit(b, fl_not(b, fl_in_cast(b, 0, FL_I1)));
}

FL_LOWER(conj_physical)
{
    fl_ref x = fl_in(b, 0);
    if (fl_is_complex(fl_dtypeof(b, x))) x = fl_conj(b, x);
    fl_emit(b, x);
}

FL_LOWER(isnan)
{
    fl_ref x = fl_in(b, 0);
    fl_emit(b, fl_compare(b, FL_NE, x, x));
}

/* +1: x == inf, -1: x == -inf */
static void is_infinite(fl_builder *b, double which)
{
    fl_ref x = fl_in(b, 0);
    if (!fl_is_float(fl_dtypeof(b, x)))
        fl_emit(b, fl_compare(b, FL_NE, x, x));
    else
        fl_emit(b, fl_compare_c(b, FL_EQ, x, which * INFINITY));
}

FL_LOWER(isposinf)
{
    is_infinite(b, 1);
}

FL_LOWER(isneginf)
{
    is_infinite(b, -1);
}

static double largest_finite(fl_dtype t)
{
    switch (t) {
    case FL_F64: return 0x1.fffffffffffffp1023;
    case FL_F16: return 65504;
    case FL_BF16: return 0x1.fep127;
    case FL_F8E5M2: return 57344;
    default: return 0x1.fffffep127;
    }
}

static fl_ref replaced(fl_builder *b, fl_ref x)
{
    fl_dtype t = fl_dtypeof(b, x);
    double top = largest_finite(t);
    fl_ref nan = fl_has(b, 1) ? fl_scalar(b, 1, t) : fl_scalar_f(b, t, 0);
    fl_ref high = fl_has(b, 2) ? fl_scalar(b, 2, t) : fl_scalar_f(b, t, top);
    fl_ref low = fl_has(b, 3) ? fl_scalar(b, 3, t) : fl_scalar_f(b, t, -top);
    fl_ref y = fl_select(b, fl_compare_c(b, FL_EQ, x, INFINITY), high, x);
    y = fl_select(b, fl_compare_c(b, FL_EQ, x, -INFINITY), low, y);
    return fl_select(b, fl_is_nan(b, x), nan, y);
}

FL_LOWER(nan_to_num)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype t = fl_dtypeof(b, x);
    if (fl_is_complex(t))
        x = fl_complex(b, replaced(b, fl_real(b, x)), replaced(b, fl_imag(b, x)));
    else if (fl_is_float(t))
        x = replaced(b, x);
    fl_emit(b, x);
}

FL_LOWER(frexp)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype t = fl_dtypeof(b, x);
    if (!fl_is_float(t)) {
        fl_unsupported(b, "only floating point numbers have fractions and exponents");
        return;
    }
    fl_ref exponent, fraction = fl_f_frexp(b, fl_cast(b, x, fl_op_math(t)), &exponent);
    fl_emit_as(b, fraction, t);
    fl_emit_as(b, exponent, FL_I32);
}

/* sum over i < p of lgamma(x - i/2), plus p (p - 1) / 4 log(pi) */
FL_LOWER(mvlgamma)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype t = fl_float_result(b, fl_dtypeof(b, x));
    int64_t p = fl_int(b, 1);
    FL_REQUIRE(b, p >= 1 && p <= 1000, FL_INVALID, "p has to be greater than or equal to 1");
    x = fl_cast(b, x, fl_op_math(t));
    fl_ref sum = fl_lgamma(b, x);
    for (int64_t i = 1; i < p; i++) sum = fl_add(b, sum, fl_lgamma(b, fl_add_c(b, x, -0.5 * (double)i)));
    fl_emit_as(b, fl_add_c(b, sum, (double)p * (double)(p - 1) / 4 * log(M_PI)), t);
}

/* zeta(2, x): six steps of the recurrence, then the asymptotic series; below 1/2 by reflection, which keeps
 * the poles sharp. */
static fl_ref trigamma(fl_builder *b, fl_ref x)
{
    fl_ref mirrored = fl_compare_c(b, FL_LT, x, 0.5), sine = fl_sin(b, fl_mul_c(b, x, M_PI));
    fl_ref poles = fl_div(b, fl_full_like(b, x, M_PI * M_PI), fl_mul(b, sine, sine));
    fl_ref at = fl_select(b, mirrored, fl_c_sub(b, 1, x), x), sum = fl_full_like(b, x, 0);
    for (int i = 0; i < 6; i++) {
        sum = fl_add(b, sum, reciprocal_of(b, fl_mul(b, at, at)));
        at = fl_add_c(b, at, 1);
    }
    static const double series[] = {1.0 / 42, -1.0 / 30, 1.0 / 6};
    fl_ref inverse = reciprocal_of(b, at), square = fl_mul(b, inverse, inverse);
    fl_ref tail = fl_add(b, fl_mul(b, square, fl_poly(b, square, series, 3)), fl_mul_c(b, inverse, 0.5));
    sum = fl_add(b, sum, fl_mul(b, fl_add_c(b, tail, 1), inverse));
    return fl_select(b, mirrored, fl_sub(b, poles, sum), sum);
}

/* (-1)^(n+1) n! zeta(n + 1, x) */
FL_LOWER(polygamma)
{
    fl_ref x = fl_in(b, 1);
    fl_dtype t = fl_float_result(b, fl_dtypeof(b, x));
    int64_t n = fl_int(b, 0);
    if (n == 0) {
        fl_emit(b, fl_unary_value(b, fl_unary_digamma, x));
        return;
    }
    x = fl_cast(b, x, fl_op_math(t));
    if (n == 1) {
        fl_emit_as(b, trigamma(b, x), t);
        return;
    }
    fl_ref zeta = fl_zeta(b, fl_full_like(b, x, (double)n + 1), x);
    fl_emit_as(b, fl_mul_c(b, zeta, (n % 2 ? 1 : -1) * tgamma((double)n + 1)), t);
}
