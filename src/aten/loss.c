/* Losses between an input and a target of one shape. Computed in op-math, reduced there too, rounded once. */
#include "aten/formula.h"
#include "aten/table.h"
#include "aten/limit.h"
#include "aten/loss.h"

fl_ref fl_loss_reduce(fl_builder *b, fl_ref loss, int64_t reduction)
{
    if (reduction == FL_LOSS_NONE) return loss;
    fl_ref sum = fl_rank(b, loss) ? fl_reduce_all(b, FL_OP_add, loss) : loss;
    if (reduction == FL_LOSS_SUM) return sum;
    return fl_div(b, sum, fl_const(b, sum, (double)fl_elements(b, loss)));
}

/* `count` tensor arguments from `first` in op-math of their common dtype (returned), of one shape. */
static fl_dtype operands(fl_builder *b, int first, uint32_t count, fl_ref *v)
{
    int args[4];
    for (uint32_t i = 0; i < count; i++) args[i] = first + (int)i;
    fl_dtype t = fl_promote_args(b, args, count);
    for (uint32_t i = 0; i < count; i++) v[i] = fl_in_cast(b, args[i], fl_op_math(t));
    fl_broadcast_all(b, v, count);
    return t;
}

/* A gradient argument's share for one element: divided by their number for the mean. */
static fl_ref per_element(fl_builder *b, fl_ref gradient, fl_ref like, int64_t reduction)
{
    return reduction == FL_LOSS_MEAN ? fl_mul_c(b, gradient, 1 / (double)fl_elements(b, like)) : gradient;
}

/* self, target, reduction, ...: `expression` of d = self - target */
#define DIFFERENCE_LOSS(name, expression)                                                                    \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        fl_ref v[2];                                                                                         \
        fl_dtype t = operands(b, 0, 2, v);                                                                   \
        fl_ref d = fl_sub(b, v[0], v[1]);                                                                    \
        fl_emit_as(b, fl_loss_reduce(b, expression, fl_int(b, 2)), t);                                       \
    }
/* grad_output, self, target, reduction, ...: the gradient times `expression` of d */
#define DIFFERENCE_LOSS_BACKWARD(name, expression)                                                           \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        fl_ref v[3];                                                                                         \
        fl_dtype t = operands(b, 0, 3, v);                                                                   \
        fl_ref d = fl_sub(b, v[1], v[2]), g = per_element(b, v[0], d, fl_int(b, 3));                         \
        fl_emit_as(b, fl_mul(b, g, expression), t);                                                          \
    }

static fl_ref parameter(fl_builder *b, int i, fl_ref like)
{
    return fl_scalar(b, i, fl_dtypeof(b, like));
}

static fl_ref smooth_l1(fl_builder *b, fl_ref d)
{
    fl_ref beta = parameter(b, 3, d), size = fl_abs(b, d);
    fl_ref near = fl_div(b, fl_mul_c(b, fl_mul(b, size, size), 0.5), beta);
    fl_ref far = fl_sub(b, size, fl_mul_c(b, beta, 0.5));
    return fl_select(b, fl_compare(b, FL_LT, size, beta), near, far);
}

static fl_ref smooth_l1_slope(fl_builder *b, fl_ref d)
{
    fl_ref beta = parameter(b, 4, d);
    fl_ref near = fl_compare(b, FL_LT, fl_abs(b, d), beta);
    return fl_select(b, near, fl_div(b, d, beta), fl_unary_sign.apply(b, d));
}

static fl_ref huber(fl_builder *b, fl_ref d)
{
    static const fl_limit limit = {FL_LIMIT_POSITIVE, 3,
                                   "huber_loss does not support non-positive values for delta."};
    fl_limit_number(b, &limit);
    fl_ref delta = parameter(b, 3, d), size = fl_abs(b, d);
    fl_ref near = fl_mul_c(b, fl_mul(b, size, size), 0.5);
    fl_ref far = fl_mul(b, fl_sub(b, size, fl_mul_c(b, delta, 0.5)), delta);
    return fl_select(b, fl_compare(b, FL_LE, size, delta), near, far);
}

static fl_ref huber_slope(fl_builder *b, fl_ref d)
{
    fl_ref delta = parameter(b, 4, d);
    return fl_min(b, fl_max(b, d, fl_neg(b, delta)), delta);
}

DIFFERENCE_LOSS(mse_loss, fl_mul(b, d, d))
DIFFERENCE_LOSS(smooth_l1_loss, smooth_l1(b, d))
DIFFERENCE_LOSS(huber_loss, huber(b, d))
DIFFERENCE_LOSS_BACKWARD(mse_loss_backward, fl_add(b, d, d))
DIFFERENCE_LOSS_BACKWARD(smooth_l1_loss_backward, smooth_l1_slope(b, d))
DIFFERENCE_LOSS_BACKWARD(huber_loss_backward, huber_slope(b, d))

/* ---- losses of probabilities and signs */

static fl_ref weighted(fl_builder *b, fl_ref loss, int weight_arg)
{
    if (!fl_has(b, weight_arg)) return loss;
    fl_ref weight = fl_in_cast(b, weight_arg, fl_dtypeof(b, loss));
    fl_broadcast_pair(b, &loss, &weight);
    return fl_mul(b, loss, weight);
}

/* self, target, weight, reduction; logarithms are at least -100 */
FL_LOWER(bce)
{
    fl_ref v[2];
    fl_dtype t = operands(b, 0, 2, v);
    fl_ref floor = fl_const(b, v[0], -100);
    fl_ref off = fl_max(b, fl_log1p(b, fl_neg(b, v[0])), floor), on = fl_max(b, fl_log(b, v[0]), floor);
    fl_ref loss = fl_sub(b, fl_mul(b, fl_add_c(b, v[1], -1), off), fl_mul(b, v[1], on));
    fl_emit_as(b, fl_loss_reduce(b, weighted(b, loss, 2), fl_int(b, 3)), t);
}

/* grad_output, self, target, weight, reduction */
FL_LOWER(bce_backward)
{
    fl_ref v[3];
    fl_dtype t = operands(b, 0, 3, v);
    fl_ref spread = fl_max(b, fl_mul(b, fl_c_sub(b, 1, v[1]), v[1]), fl_const(b, v[1], 1e-12));
    fl_ref slope = fl_div(b, fl_mul(b, v[0], fl_sub(b, v[1], v[2])), spread);
    fl_emit_as(b, per_element(b, weighted(b, slope, 3), v[1], fl_int(b, 4)), t);
}

/* self, target, weight, pos_weight, reduction: (1 - t) x + w (log(1 + exp(-|x|)) + max(-x, 0)), w = 1 +
 * (pos_weight - 1) t */
FL_LOWER(bce_with_logits)
{
    fl_ref v[2];
    fl_dtype t = operands(b, 0, 2, v);
    fl_ref x = v[0], target = v[1];
    fl_ref tail = fl_log1p(b, fl_exp(b, fl_neg(b, fl_abs(b, x))));
    tail = fl_add(b, tail, fl_max(b, fl_neg(b, x), fl_const(b, x, 0)));
    if (fl_has(b, 3)) {
        fl_ref extra = fl_add_c(b, fl_in_cast(b, 3, fl_dtypeof(b, x)), -1);
        fl_ref on = target;
        fl_broadcast_pair(b, &extra, &on);
        tail = fl_mul(b, tail, fl_add_c(b, fl_mul(b, extra, on), 1));
    }
    fl_ref loss = fl_add(b, fl_mul(b, fl_c_sub(b, 1, target), x), tail);
    fl_emit_as(b, fl_loss_reduce(b, weighted(b, loss, 2), fl_int(b, 4)), t);
}

/* self, target, reduction: log(1 + exp(-x t)) */
FL_LOWER(soft_margin_loss)
{
    fl_ref v[2];
    fl_dtype t = operands(b, 0, 2, v);
    fl_ref loss = fl_log1p(b, fl_exp(b, fl_neg(b, fl_mul(b, v[0], v[1]))));
    fl_emit_as(b, fl_loss_reduce(b, loss, fl_int(b, 2)), t);
}

/* grad_output, self, target, reduction */
FL_LOWER(soft_margin_loss_backward)
{
    fl_ref v[3];
    fl_dtype t = operands(b, 0, 3, v);
    fl_ref slope = fl_logistic(b, fl_neg(b, fl_mul(b, v[1], v[2]))); /* 1 - logistic(x y) would cancel */
    fl_ref g = per_element(b, v[0], v[1], fl_int(b, 3));
    fl_emit_as(b, fl_mul(b, g, fl_mul(b, fl_neg(b, v[2]), slope)), t);
}
