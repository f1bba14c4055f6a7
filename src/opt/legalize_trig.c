/* Inverse trigonometric and hyperbolic functions. Complex ones are W. Kahan's ("Branch Cuts for Complex Elementary
 * Functions", 1987): products of square roots, so that branch cuts and signs of zeros come out right. */
#include "opt/legalize.h"

#include <math.h>

/* Where x * x would overflow, or x +- 1 is x. */
static double huge(const fl_builder *b, fl_ref x)
{
    fl_dtype t = fl_dtypeof(b, x);
    return t == FL_F64 || t == FL_C128 ? 0x1p500 : 0x1p60;
}

static int is_complex(const fl_builder *b, fl_ref x)
{
    return fl_dtype_kind(fl_dtypeof(b, x)) == FL_KIND_COMPLEX;
}

/* ---- real ---- */

/* log1p(a + a^2 / (1 + sqrt(a^2 + 1))); of large ones log(2 a) */
static fl_ref asinh_real(fl_builder *b, fl_ref x)
{
    fl_ref a = fl_abs(b, x), square = fl_mul(b, a, a);
    fl_ref root = fl_sqrt(b, fl_chlo_add(b, square, 1));
    fl_ref small = fl_log1p(b, fl_add(b, a, fl_div(b, square, fl_chlo_add(b, root, 1))));
    fl_ref large = fl_chlo_add(b, fl_log(b, a), M_LN2);
    return fl_chlo_copysign(b, fl_chlo_below(b, a, huge(b, x), small, large), x);
}

/* With y = x - 1: log1p(y + sqrt(y (x + 1))); NaN below 1. */
static fl_ref acosh_real(fl_builder *b, fl_ref x)
{
    fl_ref y = fl_chlo_add(b, x, -1);
    fl_ref root = fl_sqrt(b, fl_mul(b, y, fl_chlo_add(b, x, 1)));
    fl_ref small = fl_log1p(b, fl_add(b, y, root));
    fl_ref large = fl_chlo_add(b, fl_log(b, x), M_LN2);
    fl_ref value = fl_chlo_below(b, x, huge(b, x), small, large);
    return fl_chlo_below(b, x, 1, fl_full_like(b, x, NAN), value);
}

static fl_ref atanh_real(fl_builder *b, fl_ref x)
{
    return fl_chlo_mul(b, fl_sub(b, fl_log1p(b, x), fl_log1p(b, fl_neg(b, x))), 0.5);
}

static fl_ref asin_real(fl_builder *b, fl_ref x)
{
    fl_ref other = fl_sqrt(b, fl_mul(b, fl_chlo_rsub(b, 1, x), fl_chlo_add(b, x, 1)));
    return fl_chlo_mul(b, fl_atan2(b, x, fl_chlo_add(b, other, 1)), 2);
}

static fl_ref acos_real(fl_builder *b, fl_ref x)
{
    fl_ref y = fl_sqrt(b, fl_chlo_rsub(b, 1, x)), other = fl_sqrt(b, fl_chlo_add(b, x, 1));
    return fl_chlo_mul(b, fl_atan2(b, y, other), 2);
}

/* exp(a) / 2 and its counterpart exp(-a) / 2. Near the largest number exp(a) is taken in two halves, since the result still
 * has a value where it has none. */
static fl_ref growing_exp(fl_builder *b, fl_ref a)
{
    fl_ref half = fl_exp(b, fl_chlo_mul(b, a, 0.5)), whole = fl_chlo_mul(b, fl_exp(b, a), 0.5);
    double limit = fl_dtypeof(b, a) == FL_F64 ? 709 : 88;
    return fl_chlo_below(b, a, limit, whole, fl_mul(b, fl_chlo_mul(b, half, 0.5), half));
}

static fl_ref shrinking_exp(fl_builder *b, fl_ref growing)
{
    return fl_chlo_div(b, 0.25, growing);
}

static fl_ref cosh_real(fl_builder *b, fl_ref x)
{
    fl_ref growing = growing_exp(b, fl_abs(b, x));
    return fl_add(b, growing, shrinking_exp(b, growing));
}

/* With e = expm1(a): (e + e / (e + 1)) / 2 below 1, where the difference of exponentials would cancel. */
static fl_ref sinh_real(fl_builder *b, fl_ref x)
{
    fl_ref a = fl_abs(b, x), e = fl_expm1(b, a), growing = growing_exp(b, a);
    fl_ref small = fl_chlo_mul(b, fl_add(b, e, fl_div(b, e, fl_chlo_add(b, e, 1))), 0.5);
    fl_ref large = fl_sub(b, growing, shrinking_exp(b, growing));
    return fl_chlo_copysign(b, fl_chlo_below(b, a, 1, small, large), x);
}

/* ---- complex ---- */

/* sqrt(a + z) or, with `minus`, sqrt(a - z), keeping the sign of a zero imaginary part, which adding a complex number
 * would lose */
static fl_ref shifted_root(fl_builder *b, double a, fl_ref z, int minus)
{
    fl_ref x = fl_real(b, z), y = fl_imag(b, z);
    return fl_sqrt(b, minus ? fl_complex(b, fl_chlo_rsub(b, a, x), fl_neg(b, y))
                            : fl_complex(b, fl_chlo_add(b, x, a), y));
}

/* The real and imaginary part of conj(p) q. */
static fl_ref conj_product_re(fl_builder *b, fl_ref p, fl_ref q)
{
    return fl_add(b, fl_mul(b, fl_real(b, p), fl_real(b, q)), fl_mul(b, fl_imag(b, p), fl_imag(b, q)));
}

static fl_ref conj_product_im(fl_builder *b, fl_ref p, fl_ref q)
{
    return fl_sub(b, fl_mul(b, fl_real(b, p), fl_imag(b, q)), fl_mul(b, fl_imag(b, p), fl_real(b, q)));
}

static fl_ref product_re(fl_builder *b, fl_ref p, fl_ref q)
{
    return fl_sub(b, fl_mul(b, fl_real(b, p), fl_real(b, q)), fl_mul(b, fl_imag(b, p), fl_imag(b, q)));
}

typedef struct far {
    fl_ref is_near; /* the formula holds */
    fl_ref log;     /* log(2 |z|), infinity included */
} far;

/* Far from 1 the inverse functions are log(2 |z|) and the argument. */
static far far_away(fl_builder *b, fl_ref z)
{
    fl_ref x = fl_abs(b, fl_real(b, z)), y = fl_abs(b, fl_imag(b, z));
    fl_ref big = fl_max(b, x, y), ratio = fl_div(b, fl_min(b, x, y), big);
    fl_ref part = fl_chlo_mul(b, fl_log1p(b, fl_mul(b, ratio, ratio)), 0.5);
    part = fl_select(b, fl_chlo_is_inf(b, big), fl_full_like(b, x, 0), part);
    return (far){.is_near = fl_chlo_cmp(b, FL_LT, big, huge(b, z)),
                 .log = fl_add(b, fl_chlo_add(b, fl_log(b, big), M_LN2), part)};
}

static fl_ref asin_complex(fl_builder *b, fl_ref z)
{
    far f = far_away(b, z);
    fl_ref x = fl_real(b, z), y = fl_imag(b, z);
    fl_ref p = shifted_root(b, 1, z, 1), q = shifted_root(b, 1, z, 0);
    fl_ref re = fl_select(b, f.is_near, product_re(b, p, q), fl_abs(b, y));
    fl_ref im =
        fl_select(b, f.is_near, asinh_real(b, conj_product_im(b, p, q)), fl_chlo_copysign(b, f.log, y));
    return fl_complex(b, fl_atan2(b, x, re), im);
}

static fl_ref acos_complex(fl_builder *b, fl_ref z)
{
    far f = far_away(b, z);
    fl_ref x = fl_real(b, z), y = fl_imag(b, z);
    fl_ref p = shifted_root(b, 1, z, 1), q = shifted_root(b, 1, z, 0);
    fl_ref re = fl_chlo_mul(b, fl_atan2(b, fl_real(b, p), fl_real(b, q)), 2);
    fl_ref im = asinh_real(b, conj_product_im(b, q, p));
    return fl_complex(b, fl_select(b, f.is_near, re, fl_atan2(b, fl_abs(b, y), x)),
                      fl_select(b, f.is_near, im, fl_chlo_copysign(b, f.log, fl_neg(b, y))));
}

static fl_ref acosh_complex(fl_builder *b, fl_ref z)
{
    far f = far_away(b, z);
    fl_ref p = shifted_root(b, -1, z, 0), q = shifted_root(b, 1, z, 0);
    fl_ref re = asinh_real(b, conj_product_re(b, p, q));
    fl_ref im = fl_chlo_mul(b, fl_atan2(b, fl_imag(b, p), fl_real(b, q)), 2);
    return fl_complex(b, fl_select(b, f.is_near, re, f.log),
                      fl_select(b, f.is_near, im, fl_atan2(b, fl_imag(b, z), fl_real(b, z))));
}

/* f(z) = -i g(i z) or, the other way, i g(-i z) */
static fl_ref turned(fl_builder *b, fl_ref z, fl_ref (*g)(fl_builder *, fl_ref))
{
    fl_ref w = g(b, fl_complex(b, fl_neg(b, fl_imag(b, z)), fl_real(b, z)));
    return fl_complex(b, fl_imag(b, w), fl_neg(b, fl_real(b, w)));
}

/* re = log1p(4 x / ((1 - x)^2 + y^2)) / 4, im = atan2(2 y, (1 - x)(1 + x) - y^2) / 2 for x >= 0; far away 1 / z. */
static fl_ref atanh_complex(fl_builder *b, fl_ref z)
{
    fl_ref x = fl_real(b, z), y = fl_imag(b, z), a = fl_abs(b, x), d = fl_chlo_rsub(b, 1, a);
    fl_ref square = fl_mul(b, y, y), big = fl_max(b, a, fl_abs(b, y));
    fl_ref ratio = fl_div(b, fl_chlo_mul(b, a, 4), fl_add(b, fl_mul(b, d, d), square));
    fl_ref re = fl_chlo_mul(b, fl_log1p(b, ratio), 0.25);
    fl_ref down = fl_sub(b, fl_mul(b, d, fl_chlo_add(b, a, 1)), square);
    fl_ref im = fl_chlo_mul(b, fl_atan2(b, fl_chlo_mul(b, y, 2), down), 0.5);
    /* a / (a^2 + y^2), in parts that stay in range */
    fl_ref p = fl_div(b, a, big), q = fl_div(b, y, big);
    fl_ref far = fl_div(b, fl_div(b, p, fl_add(b, fl_mul(b, p, p), fl_mul(b, q, q))), big);
    fl_ref infinite = fl_chlo_is_inf(b, big);
    far = fl_select(b, infinite, fl_full_like(b, a, 0), far);
    double limit = huge(b, z);
    re = fl_chlo_below(b, big, limit, re, fl_select(b, fl_is_nan(b, x), x, far));
    im = fl_chlo_below(b, big, limit, im, fl_chlo_copysign(b, fl_full_like(b, y, M_PI_2), y));
    return fl_complex(b, fl_chlo_copysign(b, re, x), im);
}

static fl_ref cosh_complex(fl_builder *b, fl_ref z)
{
    fl_ref x = fl_real(b, z), y = fl_imag(b, z), flat = fl_chlo_cmp(b, FL_EQ, y, 0);
    fl_ref im = fl_mul(b, sinh_real(b, x), fl_sin(b, y));
    im = fl_select(b, flat, fl_mul(b, fl_sign(b, x), y), im); /* infinity times 0 is 0 here */
    return fl_complex(b, fl_mul(b, cosh_real(b, x), fl_cos(b, y)), im);
}

static fl_ref sinh_complex(fl_builder *b, fl_ref z)
{
    fl_ref x = fl_real(b, z), y = fl_imag(b, z), flat = fl_chlo_cmp(b, FL_EQ, y, 0);
    fl_ref im = fl_select(b, flat, y, fl_mul(b, cosh_real(b, x), fl_sin(b, y)));
    fl_ref re = fl_mul(b, sinh_real(b, x), fl_cos(b, y));
    return fl_complex(b, fl_select(b, fl_chlo_cmp(b, FL_EQ, x, 0), x, re), im);
}

/* ---- of both ---- */

#define BOTH(name)                                                                                           \
    fl_ref fl_chlo_##name(fl_builder *b, const fl_ref *x)                                                    \
    {                                                                                                        \
        return is_complex(b, x[0]) ? name##_complex(b, x[0]) : name##_real(b, x[0]);                         \
    }
BOTH(acos)
BOTH(acosh)
BOTH(asin)
BOTH(atanh)
BOTH(cosh)
BOTH(sinh)

fl_ref fl_chlo_asinh(fl_builder *b, const fl_ref *x)
{
    return is_complex(b, x[0]) ? turned(b, x[0], asin_complex) : asinh_real(b, x[0]);
}

fl_ref fl_chlo_atan(fl_builder *b, const fl_ref *x)
{
    return is_complex(b, x[0]) ? turned(b, x[0], atanh_complex) : fl_atan2(b, x[0], fl_full_like(b, x[0], 1));
}
