/* Activation functions: the forward side. Narrow floats are computed in f32 and rounded once. */
#include "aten/formula.h"
#include "aten/table.h"
#include <math.h>
#include <string.h>

/* Argument i in op-math of its own dtype, which is returned. */
static fl_dtype math_in(fl_builder *b, int i, fl_ref *out)
{
    fl_ref x = fl_in(b, i);
    fl_dtype t = fl_dtypeof(b, x);
    *out = fl_cast(b, x, fl_op_math(t));
    return t;
}

static fl_ref scalar_like(fl_builder *b, int i, fl_ref x)
{
    return fl_scalar_fitting(b, i, fl_dtypeof(b, x));
}

/* An activation that is defined for floating point only: `expression` of x. */
#define ACTIVATION(name, expression)                                                                         \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        fl_ref x;                                                                                            \
        fl_dtype t = math_in(b, 0, &x);                                                                      \
        if (!fl_is_float(t))                                                                                 \
            fl_unsupported(b, "this element type");                                                          \
        else                                                                                                 \
            fl_emit_as(b, expression, t);                                                                    \
    }

FL_LOWER(relu)
{
    fl_ref x = fl_in(b, 0);
    if (fl_dtypeof(b, x) == FL_I1 || fl_is_complex(fl_dtypeof(b, x)))
        fl_unsupported(b, "this element type");
    else
        fl_emit(b, fl_max(b, x, fl_const(b, x, 0)));
}

/* x <= threshold ? value : x */
FL_LOWER(threshold)
{
    fl_ref x = fl_in(b, 0);
    fl_ref low = fl_compare(b, FL_LE, x, scalar_like(b, 1, x));
    fl_emit(b, fl_select(b, low, scalar_like(b, 2, x), x));
}

FL_LOWER(hardtanh)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype t = fl_dtypeof(b, x);
    FL_REQUIRE(b, t != FL_I1, FL_INVALID, "bool inputs not supported for hardtanh");
    fl_emit(b, fl_min(b, fl_max(b, x, fl_scalar_fitting(b, 1, t)), fl_scalar_fitting(b, 2, t)));
}

/* min(max(x + 3, 0), 6) */
static fl_ref relu6_of_x3(fl_builder *b, fl_ref x)
{
    return fl_min(b, fl_max(b, fl_add_c(b, x, 3), fl_const(b, x, 0)), fl_const(b, x, 6));
}

ACTIVATION(hardsigmoid, fl_div(b, relu6_of_x3(b, x), fl_const(b, x, 6)))
ACTIVATION(hardswish, fl_div(b, fl_mul(b, x, relu6_of_x3(b, x)), fl_const(b, x, 6)))
ACTIVATION(mish, fl_mul(b, x, fl_tanh(b, fl_log1p(b, fl_exp(b, x)))))

FL_LOWER(silu)
{
    fl_ref x;
    fl_dtype t = math_in(b, 0, &x);
    fl_emit_as(b, fl_mul(b, x, fl_logistic(b, x)), t);
}

static fl_ref leaky(fl_builder *b, fl_ref x, fl_ref slope)
{
    return fl_select(b, fl_compare_c(b, FL_GT, x, 0), x, fl_mul(b, x, slope));
}

ACTIVATION(leaky_relu, leaky(b, x, scalar_like(b, 1, x)))

FL_LOWER(prelu)
{
    fl_ref x, weight;
    fl_dtype t = fl_operands(b, FL_UNARY_OPMATH, &x, &weight);
    fl_emit_as(b, leaky(b, x, weight), t);
}

/* scale * (x > 0 ? x : alpha * (exp(input_scale x) - 1)) */
static fl_ref elu_of(fl_builder *b, fl_ref x)
{
    fl_ref alpha = scalar_like(b, 1, x), scale = scalar_like(b, 2, x), input_scale = scalar_like(b, 3, x);
    fl_ref low = fl_mul(b, fl_expm1(b, fl_mul(b, x, input_scale)), fl_mul(b, alpha, scale));
    return fl_select(b, fl_compare_c(b, FL_LT, x, 0), low, fl_mul(b, x, scale));
}

ACTIVATION(elu, elu_of(b, x))

int fl_is_by_tanh(fl_builder *b, int i)
{
    const char *form = fl_string(b, i);
    int by_tanh = form && !strcmp(form, "tanh");
    if (form && !by_tanh && strcmp(form, "none"))
        fl_builder_fail(b, fl_error(FL_INVALID, "approximate argument must be either none or tanh."));
    return by_tanh;
}

static fl_ref gelu_of(fl_builder *b, fl_ref x)
{
    fl_ref half = fl_mul_c(b, x, 0.5), share;
    if (fl_is_by_tanh(b, 1)) {
        fl_ref cube = fl_mul(b, fl_mul(b, x, x), x);
        fl_ref inner = fl_add(b, x, fl_mul_c(b, cube, 0.044715));
        share = fl_tanh(b, fl_mul_c(b, inner, M_SQRT2 * M_2_SQRTPI * 0.5));
    } else {
        share = fl_erf(b, fl_mul_c(b, x, M_SQRT1_2));
    }
    return fl_mul(b, half, fl_add_c(b, share, 1));
}

ACTIVATION(gelu, gelu_of(b, x))

/* x beta > threshold ? x : log(1 + exp(x beta)) / beta */
static fl_ref softplus_of(fl_builder *b, fl_ref x)
{
    fl_ref beta = scalar_like(b, 1, x), scaled = fl_mul(b, x, beta);
    fl_ref smooth = fl_div(b, fl_log1p(b, fl_exp(b, scaled)), beta);
    return fl_select(b, fl_compare(b, FL_GT, scaled, scalar_like(b, 2, x)), x, smooth);
}

ACTIVATION(softplus, softplus_of(b, x))

static fl_ref inside(fl_builder *b, fl_ref x, fl_ref low, fl_ref high)
{
    return fl_and(b, fl_compare(b, FL_GE, x, low), fl_compare(b, FL_LE, x, high));
}

static fl_ref hardshrink_of(fl_builder *b, fl_ref x)
{
    fl_ref bound = scalar_like(b, 1, x);
    return fl_select(b, inside(b, x, fl_neg(b, bound), bound), fl_const(b, x, 0), x);
}

static fl_ref softshrink_of(fl_builder *b, fl_ref x)
{
    fl_ref bound = scalar_like(b, 1, x), low = fl_neg(b, bound);
    fl_ref middle = fl_mul_c(b, x, 0); /* NaN stays */
    fl_ref below = fl_select(b, fl_compare(b, FL_LT, x, low), fl_add(b, x, bound), middle);
    return fl_select(b, fl_compare(b, FL_GT, x, bound), fl_sub(b, x, bound), below);
}

ACTIVATION(hardshrink, hardshrink_of(b, x))
ACTIVATION(softshrink, softshrink_of(b, x))

/* min(x, 0) - log(1 + exp(-|x|)) and the exponential, which the backward side of other devices reuses */
FL_LOWER(log_sigmoid_forward)
{
    fl_ref x;
    fl_dtype t = math_in(b, 0, &x);
    fl_ref z = fl_exp(b, fl_neg(b, fl_abs(b, x)));
    fl_emit_as(b, fl_sub(b, fl_min(b, x, fl_const(b, x, 0)), fl_log1p(b, z)), t);
    fl_emit_as(b, z, t);
}

/* log(x / (1 - x)) of x clamped to [eps, 1 - eps] */
FL_LOWER(logit)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype t = fl_float_result(b, fl_dtypeof(b, x));
    x = fl_cast(b, x, fl_op_math(t));
    if (fl_has(b, 1)) {
        fl_ref low = scalar_like(b, 1, x);
        x = fl_min(b, fl_max(b, x, low), fl_c_sub(b, 1, low));
    }
    fl_emit_as(b, fl_log(b, fl_div(b, x, fl_c_sub(b, 1, x))), t);
}

/* The two halves of argument i along dim. */
static fl_dtype halves(fl_builder *b, int i, int dim, fl_ref *first, fl_ref *second)
{
    fl_ref x;
    fl_dtype t = math_in(b, i, &x);
    int64_t n = fl_dim(b, x, dim) / 2;
    *first = fl_slice_dim(b, x, dim, 0, n, 1);
    *second = fl_slice_dim(b, x, dim, n, 2 * n, 1);
    return t;
}

FL_LOWER(glu)
{
    fl_ref value, gate;
    fl_dtype t = halves(b, 0, (int)fl_int(b, 1), &value, &gate);
    fl_emit_as(b, fl_mul(b, value, fl_logistic(b, gate)), t);
}

/* tangent of glu: dx1 s + glu (1 - s) dx2, with s = sigmoid(x2) */
FL_LOWER(glu_jvp)
{
    int dim = (int)fl_int(b, 3);
    fl_ref glu, value, gate, dvalue, dgate;
    fl_dtype t = math_in(b, 0, &glu);
    halves(b, 1, dim, &value, &gate);
    halves(b, 2, dim, &dvalue, &dgate);
    fl_ref share = fl_logistic(b, gate);
    fl_ref through_gate = fl_mul(b, fl_mul(b, glu, fl_c_sub(b, 1, share)), dgate);
    fl_emit_as(b, fl_add(b, fl_mul(b, dvalue, share), through_gate), t);
}

FL_LOWER(glu_backward)
{
    fl_ref value, gate, grad = fl_in(b, 0);
    int dim = (int)fl_int(b, 2);
    fl_dtype t = halves(b, 1, dim, &value, &gate);
    grad = fl_cast(b, grad, fl_op_math(t));
    fl_ref share = fl_logistic(b, gate), to_value = fl_mul(b, share, grad);
    fl_ref to_gate = fl_mul(b, fl_mul(b, fl_mul(b, fl_c_sub(b, 1, share), share), value), grad);
    fl_ref both[2] = {to_value, to_gate};
    fl_emit_as(b, fl_concat(b, both, 2, dim), t);
}

/* tangent of glu_backward: grad_x, grad_glu, x and the tangents of grad_glu and x */
FL_LOWER(glu_backward_jvp)
{
    int dim = (int)fl_int(b, 5);
    fl_ref grad, dgrad, value, gate, dvalue, dgate;
    fl_dtype t = math_in(b, 1, &grad);
    math_in(b, 3, &dgrad);
    halves(b, 2, dim, &value, &gate);
    halves(b, 4, dim, &dvalue, &dgate);
    fl_ref s = fl_logistic(b, gate), slope = fl_mul(b, s, fl_c_sub(b, 1, s)); /* ds/dgate */
    fl_ref ds = fl_mul(b, slope, dgate);
    fl_ref dslope = fl_mul(b, ds, fl_c_sub(b, 1, fl_add(b, s, s)));
    fl_ref first = fl_add(b, fl_mul(b, dgrad, s), fl_mul(b, grad, ds));
    fl_ref second = fl_mul(b, fl_mul(b, dgrad, slope), value);
    second = fl_add(b, second, fl_mul(b, fl_mul(b, grad, dslope), value));
    second = fl_add(b, second, fl_mul(b, fl_mul(b, grad, slope), dvalue));
    fl_ref both[2] = {first, second};
    fl_emit_as(b, fl_concat(b, both, 2, dim), t);
}
