/* Fused optimizer steps and the scaling of gradients: one program updates every tensor of the lists.
 *
 * Hyper-parameters arrive as 64-bit numbers and meet each other in that precision (1 - beta2 to the 24 bits
 * of f32 would be wrong by percents of a percent); only then are they rounded to the precision that the
 * tensors are updated in. */
#include "aten/formula.h"
#include "aten/table.h"

/* Arguments that all fused steps have: parameters at 0, gradients at 1. */
typedef struct step {
    int maximize;
    fl_ref scale, found; /* f32 divisor of the gradients, "skip this step" (i1); FL_NO_REF when not given */
} step;

static step step_begin(fl_builder *b, int maximize_arg, int scale_arg)
{
    step s = {.maximize = fl_bool(b, maximize_arg), .scale = FL_NO_REF, .found = FL_NO_REF};
    if (fl_has(b, scale_arg)) s.scale = fl_reshape(b, fl_in_cast(b, scale_arg, FL_F32), 0, NULL);
    if (fl_has(b, scale_arg + 1)) s.found = fl_reshape(b, fl_in_cast(b, scale_arg + 1, FL_I1), 0, NULL);
    return s;
}

/* A float argument or a tensor of one element (learning rates), f64. */
static fl_ref number(fl_builder *b, int i)
{
    if (!fl_tensor_arg(b, i)) return fl_scalar(b, i, FL_F64);
    return fl_reshape(b, fl_in_cast(b, i, FL_F64), 0, NULL);
}

static fl_dtype math_of(fl_builder *b, uint32_t k)
{
    const fl_tensor *t = fl_list_tensor(b, 0, k);
    return t ? fl_op_math((fl_dtype)t->dtype) : FL_F32;
}

static fl_ref item(fl_builder *b, int list, uint32_t k, fl_dtype math)
{
    return fl_cast(b, fl_list_in(b, list, k), math);
}

static void store(fl_builder *b, const step *s, int list, uint32_t k, fl_ref x)
{
    if (s->found != FL_NO_REF) x = fl_select(b, s->found, item(b, list, k, fl_dtypeof(b, x)), x);
    fl_emit_into_list(b, list, k, x);
}

/* The gradient as the step uses it; scaled gradients are left unscaled behind. */
static fl_ref gradient(fl_builder *b, const step *s, uint32_t k, fl_dtype math)
{
    fl_ref g = item(b, 1, k, math);
    if (s->scale != FL_NO_REF) {
        g = fl_div(b, g, fl_cast(b, s->scale, math));
        store(b, s, 1, k, g);
    }
    return s->maximize ? fl_neg(b, g) : g;
}

static fl_ref times(fl_builder *b, fl_ref x, fl_ref number64)
{
    return fl_mul(b, x, fl_cast(b, number64, fl_dtypeof(b, x)));
}

/* 1 - beta^n, f64 */
static fl_ref bias_correction(fl_builder *b, fl_ref beta, fl_ref n)
{
    return fl_c_sub(b, 1, fl_pow(b, beta, n));
}

/* The count of steps, element k of list `i`, f64 and 0-d. */
static fl_ref step_count(fl_builder *b, int i, uint32_t k)
{
    return fl_reshape(b, item(b, i, k, FL_F64), 0, NULL);
}

/* params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, lr, beta1, beta2, weight_decay, eps, amsgrad,
 * maximize, grad_scale, found_inf */
static void adam(fl_builder *b, int decoupled)
{
    step s = step_begin(b, 12, 13);
    fl_ref lr = number(b, 6), beta1 = number(b, 7), beta2 = number(b, 8), decay = number(b, 9),
           eps = number(b, 10);
    fl_ref fresh1 = fl_c_sub(b, 1, beta1), fresh2 = fl_c_sub(b, 1, beta2),
           shrink = fl_c_sub(b, 1, fl_mul(b, lr, decay));
    int amsgrad = fl_bool(b, 11);
    uint32_t n = fl_list_count(b, 0);
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_dtype math = math_of(b, k);
        fl_ref p = item(b, 0, k, math), g = gradient(b, &s, k, math), count = step_count(b, 5, k);
        if (decoupled)
            p = times(b, p, shrink);
        else
            g = fl_add(b, g, times(b, p, decay));
        fl_ref m = item(b, 2, k, math), v = item(b, 3, k, math);
        m = fl_add(b, m, times(b, fl_sub(b, g, m), fresh1));
        v = fl_add(b, times(b, v, beta2), times(b, fl_mul(b, g, g), fresh2));
        fl_ref size = fl_div(b, lr, bias_correction(b, beta1, count));
        fl_ref root = fl_cast(b, fl_sqrt(b, bias_correction(b, beta2, count)), math), largest = v;
        if (amsgrad) {
            largest = fl_max(b, item(b, 4, k, math), v);
            store(b, &s, 4, k, largest);
        }
        fl_ref denominator = fl_add(b, fl_div(b, fl_sqrt(b, largest), root), fl_cast(b, eps, math));
        store(b, &s, 0, k, fl_sub(b, p, fl_div(b, times(b, m, size), denominator)));
        store(b, &s, 2, k, m);
        store(b, &s, 3, k, v);
    }
}

FL_LOWER(fused_adam)
{
    adam(b, 0);
}

FL_LOWER(fused_adamw)
{
    adam(b, 1);
}

/* params, grads, momentum_buffers (none without momentum), weight_decay, momentum, lr, dampening, nesterov,
 * maximize, is_first_step, grad_scale, found_inf */
FL_LOWER(fused_sgd)
{
    step s = step_begin(b, 8, 10);
    fl_ref decay = number(b, 3), momentum = number(b, 4), lr = number(b, 5),
           fresh = fl_c_sub(b, 1, number(b, 6));
    int nesterov = fl_bool(b, 7), first = fl_bool(b, 9);
    uint32_t n = fl_list_count(b, 0), buffers = fl_list_count(b, 2);
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_dtype math = math_of(b, k);
        fl_ref p = item(b, 0, k, math), g = gradient(b, &s, k, math);
        g = fl_add(b, g, times(b, p, decay));
        if (k < buffers && fl_list_tensor(b, 2, k)) {
            fl_ref buffer = g;
            if (!first) buffer = fl_add(b, times(b, item(b, 2, k, math), momentum), times(b, g, fresh));
            store(b, &s, 2, k, buffer);
            g = nesterov ? fl_add(b, g, times(b, buffer, momentum)) : buffer;
        }
        store(b, &s, 0, k, fl_sub(b, p, times(b, g, lr)));
    }
}

/* params, grads, sums, steps, lr, lr_decay, weight_decay, eps, maximize, grad_scale, found_inf */
FL_LOWER(fused_adagrad)
{
    step s = step_begin(b, 8, 9);
    fl_ref lr = number(b, 4), lr_decay = number(b, 5), decay = number(b, 6), eps = number(b, 7);
    uint32_t n = fl_list_count(b, 0);
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_dtype math = math_of(b, k);
        fl_ref p = item(b, 0, k, math), g = gradient(b, &s, k, math), sum = item(b, 2, k, math);
        fl_ref past = fl_add_c(b, step_count(b, 3, k), -1);
        fl_ref rate = fl_div(b, lr, fl_add_c(b, fl_mul(b, past, lr_decay), 1));
        g = fl_add(b, g, times(b, p, decay));
        sum = fl_add(b, sum, fl_mul(b, g, g));
        fl_ref denominator = fl_add(b, fl_sqrt(b, sum), fl_cast(b, eps, math));
        store(b, &s, 0, k, fl_sub(b, p, fl_div(b, times(b, g, rate), denominator)));
        store(b, &s, 2, k, sum);
    }
}

/* ---- gradient scaling */

/* grads, found_inf, inv_scale: multiplies the gradients, and sets found_inf to 1 if one of them was not
 * finite */
FL_LOWER(amp_unscale)
{
    uint32_t n = fl_list_count(b, 0);
    fl_ref found = fl_in(b, 1), bad = fl_cast(b, fl_reshape(b, found, 0, NULL), FL_I1);
    for (uint32_t k = 0; k < n && fl_ok(b); k++) {
        fl_dtype math = math_of(b, k);
        fl_ref g = item(b, 0, k, math);
        if (fl_elements(b, g) == 0) continue;
        fl_ref wrong = fl_not(b, fl_is_finite(b, g));
        bad = fl_or(b, bad, fl_rank(b, g) ? fl_reduce_all(b, FL_OP_or, wrong) : wrong);
        fl_emit_into_list(b, 0, k, fl_mul(b, g, fl_reshape(b, fl_in_cast(b, 2, math), 0, NULL)));
    }
    fl_type like = *fl_typeof(b, found);
    fl_emit_into(b, 1, fl_reshape(b, fl_cast(b, bad, fl_dtypeof(b, found)), like.rank, like.dims));
}

/* scale, growth_tracker, found_inf, growth factor, backoff factor, growth interval */
FL_LOWER(amp_update_scale)
{
    fl_ref scale = fl_in(b, 0), tracker = fl_in(b, 1);
    fl_type like = *fl_typeof(b, scale), tracker_like = *fl_typeof(b, tracker);
    fl_dtype t = (fl_dtype)like.dtype, count = (fl_dtype)tracker_like.dtype;
    scale = fl_reshape(b, scale, 0, NULL);
    tracker = fl_reshape(b, tracker, 0, NULL);
    fl_ref found = fl_reshape(b, fl_in_cast(b, 2, FL_I1), 0, NULL), zero = fl_scalar_i(b, count, 0);
    fl_ref good = fl_add(b, tracker, fl_scalar_i(b, count, 1));
    fl_ref due = fl_compare(b, FL_EQ, good, fl_scalar_i(b, count, fl_int(b, 5)));
    fl_ref grown = fl_mul(b, scale, fl_scalar(b, 3, t));
    fl_ref raised = fl_select(b, fl_and(b, due, fl_is_finite(b, grown)), grown, scale);
    fl_ref next = fl_select(b, found, fl_mul(b, scale, fl_scalar(b, 4, t)), raised);
    fl_ref next_tracker = fl_select(b, fl_or(b, found, due), zero, good);
    fl_emit_into(b, 1, fl_reshape(b, next_tracker, tracker_like.rank, tracker_like.dims));
    fl_emit_into(b, 0, fl_reshape(b, next, like.rank, like.dims));
}
