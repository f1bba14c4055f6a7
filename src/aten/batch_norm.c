/* Batch normalisation, also in the pieces that synchronised batch normalisation puts together. Channels are
 * dimension 1. */
#include "aten/formula.h"
#include "aten/sizes.h"
#include "aten/table.h"

/* All dims but the channels'; returns how many. *out_n: elements of one channel. */
static uint32_t other_dims(fl_builder *b, fl_ref x, int64_t *dims, double *out_n)
{
    uint32_t count = 0;
    *out_n = 1;
    for (int i = 0; i < fl_rank(b, x); i++) {
        if (i == 1) continue;
        dims[count++] = i;
        *out_n *= (double)fl_dim(b, x, i);
    }
    return count;
}

static fl_ref channel_sum(fl_builder *b, fl_ref x, double *out_n)
{
    int64_t dims[FL_MAX_RANK];
    uint32_t count = other_dims(b, x, dims, out_n);
    return fl_reduce(b, FL_OP_add, x, dims, count, 0);
}

static fl_ref along(fl_builder *b, fl_ref channel_value, fl_ref x)
{
    return fl_along_dim(b, channel_value, x, 1);
}

/* Statistics of no elements are refused where one process has them all; of several, some may have none. */
static void refuse_none(fl_builder *b, fl_ref x)
{
    FL_REQUIRE(b, !fl_ok(b) || fl_elements(b, x), FL_INVALID,
               "input tensor must have at least one element, but got input_sizes = %s",
               fl_sizes_in_text(b, x).text);
}

typedef struct statistics {
    fl_ref mean, variance; /* biased */
    double n;
} statistics;

static statistics measure(fl_builder *b, fl_ref x)
{
    statistics s;
    fl_ref sum = channel_sum(b, x, &s.n);
    s.mean = fl_div(b, sum, fl_const(b, sum, s.n));
    fl_ref centred = fl_sub(b, x, along(b, s.mean, x));
    fl_ref squares = channel_sum(b, fl_mul(b, centred, centred), &s.n);
    s.variance = fl_div(b, squares, fl_const(b, squares, s.n));
    return s;
}

static fl_ref inverse_deviation(fl_builder *b, fl_ref variance, fl_ref eps)
{
    return fl_rsqrt(b, fl_add(b, variance, eps));
}

/* momentum * fresh + (1 - momentum) * running, of the running statistic's dtype */
static fl_ref updated(fl_builder *b, int arg, fl_ref fresh, fl_ref momentum)
{
    fl_ref running = fl_in(b, arg);
    fl_dtype t = fl_dtypeof(b, running), math = fl_dtypeof(b, fresh);
    fl_ref kept = fl_mul(b, fl_cast(b, running, math), fl_c_sub(b, 1, momentum));
    return fl_cast(b, fl_add(b, fl_mul(b, fresh, momentum), kept), t);
}

static void update_running(fl_builder *b, int arg, fl_ref fresh, fl_ref momentum)
{
    if (fl_has(b, arg)) fl_emit_into(b, arg, updated(b, arg, fresh, momentum));
}

static fl_ref unbiased(fl_builder *b, const statistics *s)
{
    return fl_mul_c(b, s->variance, s->n / (s->n - 1));
}

static void update_both(fl_builder *b, int mean_arg, int variance_arg, const statistics *s, fl_ref momentum)
{
    update_running(b, mean_arg, s->mean, momentum);
    update_running(b, variance_arg, unbiased(b, s), momentum);
}

/* (x - mean) * invstd * weight + bias, with optional arguments weight and bias */
static fl_ref normalised(fl_builder *b, fl_ref x, fl_ref mean, fl_ref invstd, int weight_arg, int bias_arg)
{
    fl_dtype t = fl_dtypeof(b, x);
    fl_ref scale = fl_has(b, weight_arg) ? fl_mul(b, invstd, fl_in_cast(b, weight_arg, t)) : invstd;
    fl_ref y = fl_mul(b, fl_sub(b, x, along(b, mean, x)), along(b, scale, x));
    return fl_has(b, bias_arg) ? fl_add(b, y, along(b, fl_in_cast(b, bias_arg, t), x)) : y;
}

/* Argument 0 in op-math. */
static fl_dtype input(fl_builder *b, int arg, fl_ref *out_x)
{
    fl_ref x = fl_in(b, arg);
    fl_dtype t = fl_dtypeof(b, x);
    if (fl_rank(b, x) < 2)
        fl_builder_fail(b, fl_error(FL_INVALID, "expected at least 2 dimensions, got %d", fl_rank(b, x)));
    else if (!fl_is_float(t))
        fl_unsupported(b, "normalisation of this element type");
    *out_x = fl_cast(b, x, fl_op_math(t));
    return t;
}

/* How an operator treats the running statistics at arguments 3 and 4. Where the schema says that they are
 * written, they are its first results. */
typedef enum running { NO_RUNNING, HIDDEN_RUNNING, WRITTEN_RUNNING } running;

/* Results: output, and of a training step the mean and inverse deviation that were used. */
static void batch_norm(fl_builder *b, running kind, int training, int momentum_arg, int eps_arg)
{
    fl_ref x;
    fl_dtype t = input(b, 0, &x), math = fl_op_math(t);
    if (!fl_ok(b)) return;
    fl_ref eps = fl_scalar(b, eps_arg, math);
    statistics s;
    if (training) {
        refuse_none(b, x);
        s = measure(b, x);
        if (kind == HIDDEN_RUNNING) update_both(b, 3, 4, &s, fl_scalar(b, momentum_arg, math));
    } else {
        FL_REQUIRE(b, kind != NO_RUNNING && fl_has(b, 3) && fl_has(b, 4), FL_INVALID,
                   "running_mean and running_var must be given in evaluation mode");
        s = (statistics){fl_in_cast(b, 3, math), fl_in_cast(b, 4, math), 0};
    }
    if (kind == WRITTEN_RUNNING) {
        fl_ref momentum = fl_scalar(b, momentum_arg, math);
        fl_emit(b, training ? updated(b, 3, s.mean, momentum) : fl_in(b, 3));
        fl_emit(b, training ? updated(b, 4, unbiased(b, &s), momentum) : fl_in(b, 4));
    }
    fl_ref invstd = inverse_deviation(b, s.variance, eps);
    fl_emit_as(b, normalised(b, x, s.mean, invstd, 1, 2), t);
    const int64_t none = 0;
    fl_ref nothing = fl_full(b, fl_type_make(math, 1, &none), 0);
    fl_emit(b, training ? s.mean : nothing);
    fl_emit(b, training ? invstd : nothing);
}

/* input, weight, bias, running_mean, running_var, training, momentum, eps */
FL_LOWER(batch_norm)
{
    batch_norm(b, HIDDEN_RUNNING, fl_bool(b, 5), 6, 7);
}

FL_LOWER(batch_norm_legit)
{
    batch_norm(b, WRITTEN_RUNNING, fl_bool(b, 5), 6, 7);
}

/* input, weight, bias, training, momentum, eps */
FL_LOWER(batch_norm_no_stats)
{
    batch_norm(b, NO_RUNNING, 1, 4, 5);
}

/* input, weight, bias, running_mean, running_var, momentum, eps; the fourth result is room that other devices
 * need */
FL_LOWER(batch_norm_with_update)
{
    batch_norm(b, WRITTEN_RUNNING, 1, 5, 6);
    const int64_t none = 0;
    fl_emit(b, fl_full(b, fl_type_make(FL_U8, 1, &none), 0));
}

/* grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, output_mask */
FL_LOWER(batch_norm_backward)
{
    int64_t mask[3] = {0};
    fl_ints(b, 9, mask, 3);
    fl_ref x, mean, invstd;
    fl_dtype t = input(b, 1, &x), math = fl_op_math(t);
    if (!fl_ok(b)) return;
    int train = fl_bool(b, 7);
    if (train) {
        mean = fl_in_cast(b, 5, math);
        invstd = fl_in_cast(b, 6, math);
    } else {
        mean = fl_in_cast(b, 3, math);
        invstd = inverse_deviation(b, fl_in_cast(b, 4, math), fl_scalar(b, 8, math));
    }
    double n;
    fl_ref g = fl_in_cast(b, 0, math), centred = fl_sub(b, x, along(b, mean, x));
    fl_ref sum = channel_sum(b, g, &n), product = channel_sum(b, fl_mul(b, g, centred), &n);
    if (mask[0]) {
        fl_ref scale = fl_has(b, 2) ? fl_mul(b, invstd, fl_in_cast(b, 2, math)) : invstd, inner = g;
        if (train) {
            fl_ref share = fl_mul_c(b, fl_mul(b, product, fl_mul(b, invstd, invstd)), 1 / n);
            inner = fl_sub(b, g, along(b, fl_mul_c(b, sum, 1 / n), x));
            inner = fl_sub(b, inner, fl_mul(b, centred, along(b, share, x)));
        }
        fl_emit_as(b, fl_mul(b, inner, along(b, scale, x)), t);
    } else {
        fl_emit_undefined(b);
    }
    fl_dtype parameter = fl_has(b, 2) ? (fl_dtype)fl_tensor_arg(b, 2)->dtype : math;
    if (mask[1])
        fl_emit_as(b, fl_mul(b, product, invstd), parameter);
    else
        fl_emit_undefined(b);
    if (mask[2])
        fl_emit_as(b, sum, parameter);
    else
        fl_emit_undefined(b);
}

/* input, running_mean, running_var, momentum: mean and biased variance */
FL_LOWER(batch_norm_update_stats)
{
    fl_ref x;
    input(b, 0, &x);
    refuse_none(b, x);
    if (!fl_ok(b)) return;
    statistics s = measure(b, x);
    update_both(b, 1, 2, &s, fl_scalar(b, 3, fl_dtypeof(b, x)));
    fl_emit(b, s.mean);
    fl_emit(b, s.variance);
}

/* ---- pieces for statistics gathered from several processes */

/* input, eps: mean and inverse deviation */
FL_LOWER(batch_norm_stats)
{
    fl_ref x;
    input(b, 0, &x);
    if (!fl_ok(b)) return;
    statistics s = measure(b, x);
    fl_emit(b, s.mean);
    fl_emit(b, inverse_deviation(b, s.variance, fl_scalar(b, 1, fl_dtypeof(b, x))));
}

/* input, weight, bias, mean, invstd, eps */
FL_LOWER(batch_norm_elemt)
{
    fl_ref x;
    fl_dtype t = input(b, 0, &x), math = fl_op_math(t);
    if (!fl_ok(b)) return;
    fl_emit_as(b, normalised(b, x, fl_in_cast(b, 3, math), fl_in_cast(b, 4, math), 1, 2), t);
}

/* input, mean and invstd [processes, C], running_mean, running_var, momentum, eps; counts [processes] or one
 * number for all */
static void gather_stats(fl_builder *b, int per_process)
{
    fl_dtype math = fl_op_math((fl_dtype)fl_tensor_arg(b, 1)->dtype);
    fl_ref means = fl_in_cast(b, 1, math), invstds = fl_in_cast(b, 2, math), eps = fl_scalar(b, 6, math);
    fl_ref counts = fl_full_like(b, means, per_process ? 0 : (double)fl_int(b, 7));
    if (per_process) counts = fl_along_dim(b, fl_flatten(b, fl_in_cast(b, 7, math)), means, 0);
    fl_ref total = fl_reduce_dim(b, FL_OP_add, counts, 0, 0);
    statistics s = {.n = 0};
    s.mean = fl_div(b, fl_reduce_dim(b, FL_OP_add, fl_mul(b, means, counts), 0, 0), total);
    fl_ref variances = fl_sub(b, fl_div(b, fl_full_like(b, means, 1), fl_mul(b, invstds, invstds)), eps);
    fl_ref apart = fl_sub(b, means, fl_broadcast_like(b, s.mean, means));
    fl_ref spread = fl_mul(b, counts, fl_add(b, variances, fl_mul(b, apart, apart)));
    fl_ref squares = fl_reduce_dim(b, FL_OP_add, spread, 0, 0), momentum = fl_scalar(b, 5, math);
    update_running(b, 3, s.mean, momentum);
    update_running(b, 4, fl_div(b, squares, fl_add_c(b, total, -1)), momentum);
    fl_emit(b, s.mean);
    fl_emit(b, inverse_deviation(b, fl_div(b, squares, total), eps));
}

FL_LOWER(batch_norm_gather_stats)
{
    gather_stats(b, 0);
}

FL_LOWER(batch_norm_gather_stats_with_counts)
{
    gather_stats(b, 1);
}

/* grad_out, input, mean, invstd, weight, and which of input, weight, bias want gradients: sum of the
 * gradient, its product with the centred input, gradients of weight and bias */
FL_LOWER(batch_norm_backward_reduce)
{
    fl_ref x;
    fl_dtype t = input(b, 1, &x), math = fl_op_math(t);
    if (!fl_ok(b)) return;
    double n;
    fl_ref g = fl_in_cast(b, 0, math), centred = fl_sub(b, x, along(b, fl_in_cast(b, 2, math), x));
    fl_ref sum = channel_sum(b, g, &n), product = channel_sum(b, fl_mul(b, g, centred), &n);
    fl_dtype parameter = fl_has(b, 4) ? (fl_dtype)fl_tensor_arg(b, 4)->dtype : math;
    int wanted[3] = {fl_bool(b, 5), fl_bool(b, 6), fl_bool(b, 7)};
    fl_ref results[4] = {sum, product, fl_mul(b, product, fl_in_cast(b, 3, math)), sum};
    for (int i = 0; i < 4; i++) {
        if (!wanted[i < 2 ? 0 : i - 1])
            fl_emit_undefined(b);
        else
            fl_emit_as(b, results[i], i < 2 ? math : parameter);
    }
}

/* grad_out, input, mean, invstd, weight, sum_dy, sum_dy_xmu, count */
FL_LOWER(batch_norm_backward_elemt)
{
    fl_ref x;
    fl_dtype t = input(b, 1, &x), math = fl_op_math(t);
    if (!fl_ok(b)) return;
    fl_ref g = fl_in_cast(b, 0, math), mean = fl_in_cast(b, 2, math), invstd = fl_in_cast(b, 3, math);
    fl_ref total = fl_reduce_all(b, FL_OP_add, fl_in_cast(b, 7, math));
    fl_ref scale = fl_has(b, 4) ? fl_mul(b, invstd, fl_in_cast(b, 4, math)) : invstd;
    fl_ref average = fl_div(b, fl_in_cast(b, 5, math), total);
    fl_ref share = fl_mul(b, fl_div(b, fl_in_cast(b, 6, math), total), fl_mul(b, invstd, invstd));
    fl_ref inner = fl_sub(b, g, along(b, average, x));
    inner = fl_sub(b, inner, fl_mul(b, fl_sub(b, x, along(b, mean, x)), along(b, share, x)));
    fl_emit_as(b, fl_mul(b, inner, along(b, scale, x)), t);
}
