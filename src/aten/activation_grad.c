/* Activation functions: the backward side. */
#include "aten/formula.h"
#include "aten/table.h"
#include <math.h>

/* Arguments i (the gradient) and j in op-math of their common dtype, which is returned. */
static fl_dtype grad_and(fl_builder *b, int i, int j, fl_ref *grad, fl_ref *x)
{
    fl_dtype t = fl_promote_args(b, (const int[]){i, j}, 2);
    fl_in_pair(b, i, j, fl_op_math(t), grad, x);
    return t;
}

static fl_ref scalar_like(fl_builder *b, int i, fl_ref x)
{
    return fl_scalar(b, i, fl_dtypeof(b, x));
}

/* expression of g (argument 0) and x (argument 1) */
#define BACKWARD(name, expression)                                                                           \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        fl_ref g, x;                                                                                         \
        fl_dtype t = grad_and(b, 0, 1, &g, &x);                                                              \
        fl_emit_as(b, expression, t);                                                                        \
    }

static fl_ref zero_where(fl_builder *b, fl_ref condition, fl_ref g)
{
    return fl_select(b, condition, fl_const(b, g, 0), g);
}

static fl_ref between(fl_builder *b, fl_ref x, double low, double high)
{
    return fl_and(b, fl_compare_c(b, FL_GT, x, low), fl_compare_c(b, FL_LT, x, high));
}

BACKWARD(threshold_backward, zero_where(b, fl_compare(b, FL_LE, x, scalar_like(b, 2, x)), g))
static fl_ref hardtanh_slope(fl_builder *b, fl_ref g, fl_ref x)
{
    fl_ref above = fl_compare(b, FL_GT, x, scalar_like(b, 2, x)),
           below = fl_compare(b, FL_LT, x, scalar_like(b, 3, x));
    return fl_select(b, fl_and(b, above, below), g, fl_const(b, g, 0));
}

BACKWARD(hardtanh_backward, hardtanh_slope(b, g, x))
BACKWARD(hardsigmoid_backward, fl_select(b, between(b, x, -3, 3), fl_mul_c(b, g, 1.0 / 6), fl_const(b, g, 0)))

static fl_ref hardswish_slope(fl_builder *b, fl_ref g, fl_ref x)
{
    fl_ref middle = fl_mul(b, g, fl_add_c(b, fl_div(b, x, fl_const(b, x, 3)), 0.5));
    fl_ref high = fl_select(b, fl_compare_c(b, FL_LT, x, 3), middle, g);
    return zero_where(b, fl_compare_c(b, FL_LE, x, -3), high);
}

BACKWARD(hardswish_backward, hardswish_slope(b, g, x))
BACKWARD(leaky_relu_backward,
         fl_select(b, fl_compare_c(b, FL_GT, x, 0), g, fl_mul(b, g, scalar_like(b, 2, x))))

static fl_ref shrink_slope(fl_builder *b, fl_ref g, fl_ref x)
{
    fl_ref bound = scalar_like(b, 2, x);
    fl_ref outside = fl_or(b, fl_compare(b, FL_LT, x, fl_neg(b, bound)), fl_compare(b, FL_GT, x, bound));
    return fl_select(b, outside, g, fl_const(b, g, 0));
}

BACKWARD(hardshrink_backward, shrink_slope(b, g, x))
BACKWARD(softshrink_backward, shrink_slope(b, g, x))

static fl_ref silu_slope(fl_builder *b, fl_ref g, fl_ref x)
{
    fl_ref s = fl_logistic(b, x);
    fl_ref slope = fl_add_c(b, fl_mul(b, x, fl_c_sub(b, 1, s)), 1);
    return fl_mul(b, fl_mul(b, g, s), slope);
}

BACKWARD(silu_backward, silu_slope(b, g, x))

static fl_ref mish_slope(fl_builder *b, fl_ref g, fl_ref x)
{
    fl_ref s = fl_logistic(b, x), t = fl_tanh(b, fl_log1p(b, fl_exp(b, x)));
    fl_ref rest = fl_mul(b, fl_mul(b, x, s), fl_c_sub(b, 1, fl_mul(b, t, t)));
    return fl_mul(b, g, fl_add(b, t, rest));
}

BACKWARD(mish_backward, mish_slope(b, g, x))

static fl_ref conjugate(fl_builder *b, fl_ref x)
{
    return fl_is_complex(fl_dtypeof(b, x)) ? fl_conj(b, x) : x;
}

/* x is the forward side's result */
BACKWARD(sigmoid_backward, fl_mul(b, g, conjugate(b, fl_mul(b, fl_c_sub(b, 1, x), x))))
BACKWARD(tanh_backward, fl_mul(b, g, conjugate(b, fl_c_sub(b, 1, fl_mul(b, x, x)))))

static fl_ref gelu_slope(fl_builder *b, fl_ref g, fl_ref x)
{
    if (fl_is_by_tanh(b, 2)) {
        const double beta = M_SQRT2 * M_2_SQRTPI * 0.5, kappa = 0.044715;
        fl_ref square = fl_mul(b, x, x);
        fl_ref inner = fl_mul_c(b, fl_add(b, x, fl_mul_c(b, fl_mul(b, square, x), kappa)), beta);
        fl_ref t = fl_tanh(b, inner), half = fl_mul_c(b, x, 0.5);
        fl_ref inner_slope = fl_mul_c(b, fl_add_c(b, fl_mul_c(b, square, 3 * kappa), 1), beta);
        fl_ref right = fl_mul(b, fl_mul(b, half, fl_c_sub(b, 1, fl_mul(b, t, t))), inner_slope);
        return fl_mul(b, g, fl_add(b, fl_mul_c(b, fl_add_c(b, t, 1), 0.5), right));
    }
    fl_ref cdf = fl_mul_c(b, fl_add_c(b, fl_erf(b, fl_mul_c(b, x, M_SQRT1_2)), 1), 0.5);
    fl_ref pdf = fl_mul_c(b, fl_exp(b, fl_mul_c(b, fl_mul(b, x, x), -0.5)), M_2_SQRTPI * M_SQRT1_2 * 0.5);
    return fl_mul(b, g, fl_add(b, cdf, fl_mul(b, x, pdf)));
}

BACKWARD(gelu_backward, gelu_slope(b, g, x))

/* arguments: grad, alpha, scale, input_scale, is_result, self or result */
FL_LOWER(elu_backward)
{
    fl_ref g, x;
    fl_dtype t = grad_and(b, 0, 5, &g, &x);
    fl_ref scale = scalar_like(b, 2, x), input_scale = scalar_like(b, 3, x);
    fl_ref factor = fl_mul(b, scalar_like(b, 1, x), scale), low;
    if (fl_bool(b, 4))
        low = fl_mul(b, input_scale, fl_add(b, x, factor));
    else
        low = fl_mul(b, fl_mul(b, input_scale, factor), fl_exp(b, fl_mul(b, x, input_scale)));
    fl_ref slope = fl_select(b, fl_compare_c(b, FL_LE, x, 0), low, scale);
    fl_emit_as(b, fl_mul(b, g, slope), t);
}

/* arguments: grad, self, beta, threshold */
FL_LOWER(softplus_backward)
{
    fl_ref g, x;
    fl_dtype t = grad_and(b, 0, 1, &g, &x);
    fl_ref scaled = fl_mul(b, x, scalar_like(b, 2, x)), z = fl_exp(b, scaled);
    fl_ref smooth = fl_div(b, fl_mul(b, g, z), fl_add_c(b, z, 1));
    fl_emit_as(b, fl_select(b, fl_compare(b, FL_GT, scaled, scalar_like(b, 3, x)), g, smooth), t);
}

/* grad * (1 - sigmoid(x)), from exp(-|x|) as the forward side; its buffer may be missing */
FL_LOWER(log_sigmoid_backward)
{
    fl_ref g, x;
    fl_dtype t = grad_and(b, 0, 1, &g, &x);
    fl_ref z = fl_exp(b, fl_neg(b, fl_abs(b, x))), share = fl_div(b, z, fl_add_c(b, z, 1));
    fl_ref slope = fl_select(b, fl_compare_c(b, FL_LT, x, 0), fl_c_sub(b, 1, share), share);
    fl_emit_as(b, fl_mul(b, g, slope), t);
}

/* arguments: grad, self, eps; without eps outside [0, 1] there is no logit */
FL_LOWER(logit_backward)
{
    fl_ref g, x;
    fl_dtype t = grad_and(b, 0, 1, &g, &x);
    int bounded = fl_has(b, 2);
    fl_ref low = bounded ? scalar_like(b, 2, x) : fl_const(b, x, 0);
    fl_ref valid = fl_and(b, fl_compare(b, FL_GE, x, low), fl_compare(b, FL_LE, x, fl_c_sub(b, 1, low)));
    fl_ref slope = fl_div(b, g, fl_mul(b, x, fl_c_sub(b, 1, x)));
    fl_emit_as(b, fl_select(b, valid, slope, fl_const(b, x, bounded ? 0 : NAN)), t);
}

/* arguments: grad, self, weight; gradients of self and of weight, the latter not yet summed */
FL_LOWER(prelu_backward)
{
    fl_dtype t = fl_promote_args(b, (const int[]){0, 1, 2}, 3);
    fl_ref v[3];
    for (int i = 0; i < 3; i++) v[i] = fl_in_cast(b, i, fl_op_math(t));
    fl_broadcast_all(b, v, 3);
    fl_ref positive = fl_compare_c(b, FL_GT, v[1], 0);
    fl_emit_as(b, fl_select(b, positive, v[0], fl_mul(b, v[2], v[0])), t);
    fl_emit_as(b, zero_where(b, positive, fl_mul(b, v[1], v[0])), t);
}
