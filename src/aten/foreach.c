/* The _foreach operators: one program for a whole list of tensors. Functional and in-place forms share a
 * lowering, since the k-th result is either the k-th fresh tensor or the k-th tensor of the written list. */
#include "aten/formula.h"
#include "aten/sizes.h"
#include "aten/table.h"

/* What stands beside the list: another list, a Scalar, a list of them, or one tensor. */
typedef enum partner { LIST, SCALAR, SCALARS, TENSOR } partner;

static int same_length(fl_builder *b, int i, uint32_t n)
{
    uint32_t other = fl_list_count(b, i);
    if (other == n) return 1;
    fl_builder_fail(
        b,
        fl_error(FL_INVALID, "Tensor lists must have the same number of tensors, got %u and %u", n, other));
    return 0;
}

static void promote_partner(fl_builder *b, fl_promotion *p, partner kind, int i, uint32_t k)
{
    switch (kind) {
    case LIST: fl_promotion_add_tensor(p, fl_list_tensor(b, i, k)); break;
    case TENSOR: fl_promotion_add_tensor(p, fl_tensor_arg(b, i)); break;
    case SCALAR: fl_promotion_add_tag(p, fl_scalar_tag(b, i)); break;
    case SCALARS:
        fl_promotion_add_tag(p, fl_scalar_tag(b, i) == FL_TAG_INTS ? FL_TAG_INT : FL_TAG_DOUBLE);
        break;
    }
}

static fl_ref partner_value(fl_builder *b, partner kind, int i, uint32_t k, fl_dtype dtype)
{
    switch (kind) {
    case LIST: return fl_cast(b, fl_list_in(b, i, k), dtype);
    case TENSOR: return fl_in_cast(b, i, dtype);
    case SCALAR: return fl_scalar(b, i, dtype);
    default: return fl_list_scalar(b, i, k, dtype);
    }
}

/* In place, a result of a higher kind than the tensor's own is an error, as it is for one tensor. */
static int castable(fl_builder *b, fl_dtype from, uint32_t k)
{
    fl_dtype to = fl_out_dtype(b, (int)k);
    int loses = fl_is_complex(from) ? !fl_is_complex(to)
                : fl_is_float(from) ? !fl_is_float(to) && !fl_is_complex(to)
                                    : to == FL_I1 && from != FL_I1;
    if (to == FL_DTYPE_NONE || !loses) return 1;
    fl_builder_fail(b, fl_error(FL_INVALID, "result type %s can't be cast to the desired output type %s",
                                fl_torch_type_name(from), fl_torch_type_name(to)));
    return 0;
}

/* Argument 0's k-th tensor and its partner (argument `at`) in their common dtype, which is returned, or in
 * its op-math. */
static fl_dtype pair(fl_builder *b, partner kind, int at, uint32_t k, int to_float, int opmath, fl_ref *x,
                     fl_ref *y)
{
    fl_promotion p = {0};
    fl_promotion_add_tensor(&p, fl_list_tensor(b, 0, k));
    promote_partner(b, &p, kind, at, k);
    fl_dtype t = fl_promotion_result(b, &p);
    if (to_float) t = fl_default_float(t);
    if (!castable(b, t, k)) return t;
    fl_dtype math = opmath ? fl_op_math(t) : t;
    *x = fl_cast(b, fl_list_in(b, 0, k), math);
    *y = partner_value(b, kind, at, k, math);
    fl_broadcast_pair(b, x, y);
    return t;
}

static void foreach_binary(fl_builder *b, partner kind, fl_binary_formula f, int to_float)
{
    uint32_t n = fl_list_count(b, 0);
    if ((kind == LIST || kind == SCALARS) && !same_length(b, 1, n)) return;
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_ref x = FL_NO_REF, y = FL_NO_REF;
        fl_dtype t = pair(b, kind, 1, k, to_float, 1, &x, &y);
        fl_emit_as(b, f(b, x, y), t);
    }
}

/* x + alpha y, x - alpha y; alpha is argument 2 of the forms with tensors */
static void foreach_sum(fl_builder *b, partner kind, int subtract)
{
    int has_alpha = (kind == LIST || kind == TENSOR) && fl_has(b, 2);
    int unit = !has_alpha || (fl_scalar_tag(b, 2) == FL_TAG_INT && fl_scalar_is(b, 2, 1));
    uint32_t n = fl_list_count(b, 0);
    if ((kind == LIST || kind == SCALARS) && !same_length(b, 1, n)) return;
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_ref x = FL_NO_REF, y = FL_NO_REF;
        fl_dtype t = pair(b, kind, 1, k, 0, !unit, &x, &y);
        fl_ref alpha = unit ? FL_NO_REF : fl_scalar(b, 2, fl_op_math(t));
        fl_emit_as(b, subtract ? fl_f_sub(b, x, y, alpha) : fl_f_add(b, x, y, alpha), t);
    }
}

#define FOREACH_SUM(name, kind, subtract)                                                                    \
    FL_LOWER(foreach_##name)                                                                                 \
    {                                                                                                        \
        foreach_sum(b, kind, subtract);                                                                      \
    }
FOREACH_SUM(add_list, LIST, 0)
FOREACH_SUM(add_scalar, SCALAR, 0)
FOREACH_SUM(add_scalars, SCALARS, 0)
FOREACH_SUM(add_tensor, TENSOR, 0)
FOREACH_SUM(sub_list, LIST, 1)
FOREACH_SUM(sub_scalar, SCALAR, 1)
FOREACH_SUM(sub_scalars, SCALARS, 1)

#define FOREACH_BINARY(name, f, kind, to_float)                                                              \
    FL_LOWER(foreach_##name)                                                                                 \
    {                                                                                                        \
        foreach_binary(b, kind, f, to_float);                                                                \
    }
#define FOREACH_THREE(name, f, to_float)                                                                     \
    FOREACH_BINARY(name##_list, f, LIST, to_float)                                                           \
    FOREACH_BINARY(name##_scalar, f, SCALAR, to_float)                                                       \
    FOREACH_BINARY(name##_scalars, f, SCALARS, to_float)
FOREACH_THREE(mul, fl_mul, 0)
FOREACH_BINARY(mul_tensor, fl_mul, TENSOR, 0)
FOREACH_THREE(div, fl_div, 1)
FOREACH_BINARY(div_tensor, fl_div, TENSOR, 1)
FOREACH_THREE(maximum, fl_max, 0)
FOREACH_THREE(minimum, fl_min, 0)
FOREACH_THREE(pow, fl_f_pow, 0)

/* one Scalar to the powers of a list: arguments self (Scalar), exponents */
FL_LOWER(foreach_pow_base)
{
    uint32_t n = fl_list_count(b, 1);
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_promotion p = {0};
        fl_promotion_add_tensor(&p, fl_list_tensor(b, 1, k));
        fl_promotion_add_tag(&p, fl_scalar_tag(b, 0));
        fl_dtype t = fl_promotion_result(b, &p), math = fl_op_math(t);
        fl_ref exponent = fl_cast(b, fl_list_in(b, 1, k), math);
        fl_emit_as(b, fl_f_pow(b, fl_scalar(b, 0, math), exponent), t);
    }
}

/* ---- one operand */

static void foreach_unary(fl_builder *b, fl_unary op)
{
    uint32_t n = fl_list_count(b, 0);
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_ref x = fl_list_in(b, 0, k);
        fl_dtype t = fl_dtypeof(b, x);
        if (op.flags & FL_UNARY_FLOAT) x = fl_cast(b, x, fl_default_float(t));
        fl_ref y = fl_unary_value(b, op, x);
        if (castable(b, fl_dtypeof(b, y), k)) fl_emit(b, y);
    }
}

#define FOREACH_UNARY(X)                                                                                     \
    X(abs)                                                                                                   \
    X(acos)                                                                                                  \
    X(asin)                                                                                                  \
    X(atan) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(expm1) X(floor) X(frac) X(lgamma) X(log) X(log10) \
        X(log1p) X(log2) X(neg) X(reciprocal) X(round) X(rsqrt) X(sigmoid) X(sign) X(sin) X(sinh) X(sqrt)    \
            X(tan) X(tanh) X(trunc)
#define X(name)                                                                                              \
    FL_LOWER(foreach_##name)                                                                                 \
    {                                                                                                        \
        foreach_unary(b, fl_unary_##name);                                                                   \
    }
FOREACH_UNARY(X)
#undef X

FL_LOWER(foreach_zero)
{
    uint32_t n = fl_list_count(b, 0);
    for (uint32_t k = 0; k < n && fl_ok(b); k++) fl_emit(b, fl_full_like_i(b, fl_list_in(b, 0, k), 0));
}

/* ---- three operands: argument 3 scales addcmul and addcdiv, argument 2 is lerp's weight */

typedef fl_ref (*ternary_formula)(fl_builder *b, fl_ref x, fl_ref t1, fl_ref t2, fl_ref value);

static void foreach_ternary(fl_builder *b, partner kind, ternary_formula f)
{
    uint32_t n = fl_list_count(b, 0);
    if (!same_length(b, 1, n) || !same_length(b, 2, n) || (kind == SCALARS && !same_length(b, 3, n))) return;
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_promotion p = {0};
        for (int i = 0; i < 3; i++) fl_promotion_add_tensor(&p, fl_list_tensor(b, i, k));
        fl_dtype t = fl_promotion_result(b, &p), math = fl_op_math(t);
        if (!castable(b, t, k)) return;
        fl_ref v[3];
        for (int i = 0; i < 3; i++) v[i] = fl_cast(b, fl_list_in(b, i, k), math);
        fl_broadcast_all(b, v, 3);
        fl_emit_as(b, f(b, v[0], v[1], v[2], partner_value(b, kind, 3, k, math)), t);
    }
}

static void foreach_lerp(fl_builder *b, partner kind)
{
    uint32_t n = fl_list_count(b, 0);
    if (!same_length(b, 1, n) || (kind != SCALAR && !same_length(b, 2, n))) return;
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_ref x = FL_NO_REF, end = FL_NO_REF;
        fl_dtype t = pair(b, LIST, 1, k, 0, 1, &x, &end);
        fl_ref weight = partner_value(b, kind, 2, k, fl_op_math(t));
        fl_broadcast_pair(b, &x, &weight);
        fl_emit_as(b, fl_f_lerp(b, x, end, weight), t);
    }
}

#define FOREACH_TERNARY(name, call)                                                                          \
    FL_LOWER(foreach_##name)                                                                                 \
    {                                                                                                        \
        call;                                                                                                \
    }
FOREACH_TERNARY(addcmul_scalar, foreach_ternary(b, SCALAR, fl_f_addcmul))
FOREACH_TERNARY(addcmul_scalars, foreach_ternary(b, SCALARS, fl_f_addcmul))
FOREACH_TERNARY(addcdiv_scalar, foreach_ternary(b, SCALAR, fl_f_addcdiv))
FOREACH_TERNARY(addcdiv_scalars, foreach_ternary(b, SCALARS, fl_f_addcdiv))
FOREACH_TERNARY(lerp_list, foreach_lerp(b, LIST))
FOREACH_TERNARY(lerp_scalar, foreach_lerp(b, SCALAR))
FOREACH_TERNARY(lerp_scalars, foreach_lerp(b, SCALARS))

/* ---- reductions of each tensor to one element */

/* self, ord, dtype */
FL_LOWER(foreach_norm)
{
    double p = fl_static_double(b, 1);
    uint32_t n = fl_list_count(b, 0);
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_ref x = fl_list_in(b, 0, k);
        fl_dtype t = fl_dtype_or(b, 2, fl_dtypeof(b, x));
        FL_REQUIRE(b, fl_is_float(t) || fl_is_complex(t), FL_INVALID,
                   "linalg.vector_norm: Expected a floating point or complex tensor as input. Got %s",
                   fl_torch_type_name(t));
        int64_t dims[FL_MAX_RANK];
        int rank = fl_rank(b, x);
        for (int i = 0; i < rank; i++) dims[i] = i;
        fl_ref norm = fl_vector_norm(b, fl_cast(b, x, fl_op_math(t)), FL_NO_REF, p, dims, (uint32_t)rank, 0);
        fl_emit_as(b, norm, fl_real_dtype(t));
    }
}

FL_LOWER(foreach_max)
{
    uint32_t n = fl_list_count(b, 0);
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_ref x = fl_list_in(b, 0, k);
        FL_REQUIRE(b, fl_elements(b, x) > 0, FL_INVALID,
                   "max(): Expected reduction dim to be specified for input.numel() == 0");
        fl_emit(b, fl_rank(b, x) ? fl_reduce_all(b, FL_OP_maximum, x) : x);
    }
}
