/* Elementwise operators of three operands, masks, and complex numbers from their parts. */
#include "aten/formula.h"
#include "aten/limit.h"
#include "aten/sizes.h"
#include "aten/table.h"
#include <math.h>
#include <stdio.h>

/* The smaller share multiplies the difference, so that both ends are exact. */
fl_ref fl_f_lerp(fl_builder *b, fl_ref start, fl_ref end, fl_ref weight)
{
    fl_ref size = fl_abs(b, weight), gap = fl_sub(b, end, start);
    fl_ref near = fl_add(b, start, fl_mul(b, gap, weight));
    fl_ref far = fl_sub(b, end, fl_mul(b, gap, fl_c_sub(b, 1, weight)));
    return fl_select(b, fl_compare_c(b, FL_LT, size, 0.5), near, far);
}

fl_ref fl_f_addcmul(fl_builder *b, fl_ref x, fl_ref t1, fl_ref t2, fl_ref value)
{
    return fl_add(b, x, fl_mul(b, fl_mul(b, t1, value), t2));
}

fl_ref fl_f_addcdiv(fl_builder *b, fl_ref x, fl_ref t1, fl_ref t2, fl_ref value)
{
    return fl_add(b, x, fl_div(b, fl_mul(b, t1, value), t2));
}

/* Tensor arguments 0, 1, 2 in op-math of their common dtype, one shape. */
static fl_dtype three(fl_builder *b, fl_ref *v)
{
    fl_dtype t = fl_promote_args(b, (const int[]){0, 1, 2}, 3);
    for (int i = 0; i < 3; i++) v[i] = fl_in_cast(b, i, fl_op_math(t));
    fl_broadcast_all(b, v, 3);
    return t;
}

FL_LOWER(addcmul)
{
    fl_ref v[3];
    fl_dtype t = three(b, v);
    fl_emit_as(b, fl_f_addcmul(b, v[0], v[1], v[2], fl_scalar_fitting(b, 3, fl_op_math(t))), t);
}

FL_LOWER(addcdiv)
{
    fl_ref v[3];
    fl_dtype t = three(b, v);
    FL_REQUIRE(b, fl_is_float(t) || fl_is_complex(t), FL_INVALID,
               "integer division with addcdiv is not supported");
    fl_emit_as(b, fl_f_addcdiv(b, v[0], v[1], v[2], fl_scalar_fitting(b, 3, fl_op_math(t))), t);
}

FL_LOWER(lerp_scalar)
{
    fl_ref x, y;
    fl_dtype t = fl_operands(b, FL_UNARY_OPMATH, &x, &y);
    fl_emit_as(b, fl_f_lerp(b, x, y, fl_scalar_fitting(b, 2, fl_op_math(t))), t);
}

FL_LOWER(lerp_tensor)
{
    fl_ref v[3];
    fl_dtype t = three(b, v);
    fl_emit_as(b, fl_f_lerp(b, v[0], v[1], v[2]), t);
}

FL_LOWER(where)
{
    fl_dtype t = fl_promote_args(b, (const int[]){1, 2}, 2);
    fl_ref v[3] = {fl_in_cast(b, 0, FL_I1), fl_in_cast(b, 1, t), fl_in_cast(b, 2, t)};
    fl_broadcast_all(b, v, 3);
    fl_emit(b, fl_select(b, v[0], v[1], v[2]));
}

static void masked_fill(fl_builder *b, fl_ref value)
{
    const fl_tensor *mask = fl_tensor_arg(b, 1);
    FL_REQUIRE(b, mask && mask->dtype == FL_I1, FL_INVALID,
               "masked_fill_ only supports boolean masks, but got mask with dtype %s",
               mask ? fl_c_type_name((fl_dtype)mask->dtype) : "none");
    fl_ref x = fl_in(b, 0), chosen = fl_in(b, 1);
    if (fl_rank(b, chosen)) chosen = fl_broadcast_like(b, chosen, x);
    fl_emit(b, fl_select(b, chosen, fl_rank(b, x) ? fl_broadcast_like(b, value, x) : value, x));
}

FL_LOWER(masked_fill_scalar)
{
    masked_fill(b, fl_scalar_fitting(b, 2, fl_dtypeof(b, fl_in(b, 0))));
}

/* Whether a number (f64) is outside what a real dtype holds; infinities are in every floating one. */
static fl_ref overflows(fl_builder *b, fl_ref x, fl_dtype to, int was_integer)
{
    if (fl_is_float(to)) {
        fl_ref wide = fl_cast(b, fl_cast(b, x, to), FL_F64);
        return fl_and(b, fl_is_finite(b, x), fl_not(b, fl_is_finite(b, wide)));
    }
    int is_unsigned = fl_dtype_kind(to) == FL_KIND_UINT, bits = fl_dtypes[to].bits - !is_unsigned;
    double high = ldexp(1, bits) - 1, low = !is_unsigned ? -high - 1 : was_integer ? -high : 0;
    fl_ref inside = fl_and(b, fl_compare_c(b, FL_GE, x, low), fl_compare_c(b, FL_LE, x, high));
    return fl_not(b, inside);
}

/* A number of the device must fit, as one of the host must. */
static fl_ref fitting(fl_builder *b, fl_ref value, fl_dtype to)
{
    fl_dtype from = fl_dtypeof(b, value), real = fl_is_complex(to) ? fl_real_dtype(to) : to;
    if (!fl_ok(b) || to == FL_I1 || fl_promote_dtypes(from, to) == to) return fl_cast(b, value, to);
    char what[96];
    snprintf(what, sizeof what, FL_WRONG_VALUE "value cannot be converted to type %s without overflow",
             fl_c_type_name(to));
    int is_complex = fl_is_complex(from), was_integer = !is_complex && !fl_is_float(from);
    fl_ref part = is_complex ? fl_real(b, value) : value;
    fl_ref bad = overflows(b, fl_cast(b, part, FL_F64), real, was_integer);
    if (is_complex) {
        fl_ref other = fl_cast(b, fl_imag(b, value), FL_F64);
        bad = fl_or(b, bad,
                    fl_is_complex(to) ? overflows(b, other, real, 0) : fl_compare_c(b, FL_NE, other, 0));
    }
    fl_check_index(b, fl_cast(b, bad, FL_I32), 0, 1, what);
    return fl_cast(b, is_complex && !fl_is_complex(to) ? part : value, to);
}

FL_LOWER(masked_fill_tensor)
{
    const fl_tensor *value = fl_tensor_arg(b, 2);
    FL_REQUIRE(
        b, value && value->rank == 0, FL_INVALID,
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).",
        value ? value->rank : 0);
    masked_fill(b, fitting(b, fl_in(b, 2), fl_dtypeof(b, fl_in(b, 0))));
}

FL_LOWER(complex)
{
    fl_dtype t = fl_promote_args(b, (const int[]){0, 1}, 2);
    if (t != FL_F32 && t != FL_F64) {
        fl_unsupported(b, "complex numbers of this element type");
        return;
    }
    fl_ref re, im;
    fl_in_pair(b, 0, 1, t, &re, &im);
    fl_emit(b, fl_complex(b, re, im));
}

FL_LOWER(polar)
{
    fl_dtype t = fl_promote_args(b, (const int[]){0, 1}, 2);
    if (t != FL_F32 && t != FL_F64) {
        fl_unsupported(b, "complex numbers of this element type");
        return;
    }
    fl_ref size, angle;
    fl_in_pair(b, 0, 1, t, &size, &angle);
    fl_emit(b, fl_complex(b, fl_mul(b, size, fl_cos(b, angle)), fl_mul(b, size, fl_sin(b, angle))));
}
