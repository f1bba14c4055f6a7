/* Normalisation over trailing dimensions (layer, RMS) and over groups of channels. */
#include "aten/formula.h"
#include "aten/table.h"

/* The trailing `count` dims of x are normalised together. */
typedef struct rows {
    int64_t inner[FL_MAX_RANK], outer[FL_MAX_RANK];
    uint32_t inner_count, outer_count;
    double n; /* elements of a row */
} rows;

static rows split(fl_builder *b, fl_ref x, int shape_arg)
{
    rows r = {.n = 1};
    int64_t shape[FL_MAX_RANK];
    uint32_t rank = (uint32_t)fl_rank(b, x), count = fl_ints(b, shape_arg, shape, FL_MAX_RANK);
    if (count == 0 || count > rank) {
        fl_builder_fail(b, fl_error(FL_INVALID,
                                    "expected normalized_shape to have between 1 and %u elements, got %u",
                                    rank, count));
        return r;
    }
    for (uint32_t i = 0; i < rank; i++) {
        int64_t size = fl_dim(b, x, (int)i);
        if (i < rank - count) {
            r.outer[r.outer_count++] = i;
            continue;
        }
        if (size != shape[i - (rank - count)])
            fl_builder_fail(
                b,
                fl_error(FL_INVALID,
                         "given normalized_shape, expected input's dimension %u to have size %lld, got %lld",
                         i, (long long)shape[i - (rank - count)], (long long)size));
        r.inner[r.inner_count++] = i;
        r.n *= (double)size;
    }
    return r;
}

/* Mean over the row, kept with size 1. */
static fl_ref row_mean(fl_builder *b, fl_ref x, const rows *r)
{
    return fl_mean_dims(b, x, r->inner, r->inner_count, 1);
}

static fl_ref row_sum(fl_builder *b, fl_ref x, const rows *r)
{
    return fl_broadcast_like(b, fl_reduce(b, FL_OP_add, x, r->inner, r->inner_count, 1), x);
}

static fl_ref outer_sum(fl_builder *b, fl_ref x, const rows *r)
{
    return r->outer_count ? fl_reduce(b, FL_OP_add, x, r->outer, r->outer_count, 0) : x;
}

/* Argument i in op-math. */
static fl_dtype input(fl_builder *b, int i, fl_ref *out_x)
{
    fl_ref x = fl_in(b, i);
    fl_dtype t = fl_dtypeof(b, x);
    if (!fl_is_float(t)) fl_unsupported(b, "normalisation of this element type");
    *out_x = fl_cast(b, x, fl_op_math(t));
    return t;
}

static fl_ref parameter(fl_builder *b, int i, fl_ref x)
{
    return fl_broadcast_like(b, fl_in_cast(b, i, fl_dtypeof(b, x)), x);
}

static fl_dtype parameter_dtype(fl_builder *b, int i, fl_dtype fallback)
{
    return fl_has(b, i) ? (fl_dtype)fl_tensor_arg(b, i)->dtype : fallback;
}

/* input, normalized_shape, weight, bias, eps: output, mean, inverse deviation */
FL_LOWER(layer_norm)
{
    fl_ref x;
    fl_dtype t = input(b, 0, &x);
    rows r = split(b, x, 1);
    if (!fl_ok(b)) return;
    fl_ref mean = row_mean(b, x, &r), centred = fl_sub(b, x, fl_broadcast_like(b, mean, x));
    fl_ref variance = row_mean(b, fl_mul(b, centred, centred), &r);
    fl_ref rstd = fl_rsqrt(b, fl_add(b, variance, fl_scalar(b, 4, fl_op_math(t))));
    fl_ref y = fl_mul(b, centred, fl_broadcast_like(b, rstd, x));
    if (fl_has(b, 2)) y = fl_mul(b, y, parameter(b, 2, x));
    if (fl_has(b, 3)) y = fl_add(b, y, parameter(b, 3, x));
    fl_emit_as(b, y, t);
    fl_emit(b, mean);
    fl_emit(b, rstd);
}

/* (g' - mean(g') - x' mean(g' x')) rstd, with g' the gradient before weight and bias and x' the normalised
 * input */
static fl_ref row_gradient(fl_builder *b, fl_ref g, fl_ref xhat, fl_ref rstd, const rows *r, int centred)
{
    fl_ref inner = g;
    if (centred) inner = fl_sub(b, inner, fl_mul_c(b, row_sum(b, g, r), 1 / r->n));
    fl_ref along = fl_mul_c(b, row_sum(b, fl_mul(b, g, xhat), r), 1 / r->n);
    return fl_mul(b, fl_sub(b, inner, fl_mul(b, xhat, along)), rstd);
}

/* grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask */
FL_LOWER(layer_norm_backward)
{
    int64_t mask[3] = {0};
    fl_ints(b, 7, mask, 3);
    fl_ref x;
    fl_dtype t = input(b, 1, &x), math = fl_op_math(t);
    rows r = split(b, x, 2);
    if (!fl_ok(b)) return;
    fl_ref g = fl_in_cast(b, 0, math), mean = fl_in_cast(b, 3, math);
    fl_ref rstd = fl_broadcast_like(b, fl_in_cast(b, 4, math), x);
    fl_ref xhat = fl_mul(b, fl_sub(b, x, fl_broadcast_like(b, mean, x)), rstd);
    fl_ref inner = fl_has(b, 5) ? fl_mul(b, g, parameter(b, 5, x)) : g;
    if (mask[0])
        fl_emit_as(b, row_gradient(b, inner, xhat, rstd, &r, 1), t);
    else
        fl_emit_undefined(b);
    if (mask[1])
        fl_emit_as(b, outer_sum(b, fl_mul(b, g, xhat), &r), parameter_dtype(b, 5, t));
    else
        fl_emit_undefined(b);
    if (mask[2])
        fl_emit_as(b, outer_sum(b, g, &r), parameter_dtype(b, 6, t));
    else
        fl_emit_undefined(b);
}

/* input, normalized_shape, weight, eps (None: the dtype's epsilon): output, inverse root mean square */
FL_LOWER(rms_norm)
{
    fl_ref x;
    fl_dtype t = input(b, 0, &x), math = fl_op_math(t);
    rows r = split(b, x, 1);
    if (!fl_ok(b)) return;
    fl_ref eps =
        fl_has(b, 3) ? fl_scalar(b, 3, math) : fl_scalar_f(b, math, math == FL_F64 ? 0x1p-52 : 0x1p-23);
    fl_ref rstd = fl_rsqrt(b, fl_add(b, row_mean(b, fl_mul(b, x, x), &r), eps));
    fl_ref y = fl_mul(b, x, fl_broadcast_like(b, rstd, x));
    if (fl_has(b, 2)) y = fl_mul(b, y, parameter(b, 2, x));
    fl_emit_as(b, y, t);
    fl_emit(b, rstd);
}

/* grad_out, input, normalized_shape, rstd, weight, output_mask */
FL_LOWER(rms_norm_backward)
{
    int64_t mask[2] = {0};
    fl_ints(b, 5, mask, 2);
    fl_ref x;
    fl_dtype t = input(b, 1, &x), math = fl_op_math(t);
    rows r = split(b, x, 2);
    if (!fl_ok(b)) return;
    fl_ref g = fl_in_cast(b, 0, math), rstd = fl_broadcast_like(b, fl_in_cast(b, 3, math), x);
    fl_ref xhat = fl_mul(b, x, rstd), inner = fl_has(b, 4) ? fl_mul(b, g, parameter(b, 4, x)) : g;
    if (mask[0])
        fl_emit_as(b, row_gradient(b, inner, xhat, rstd, &r, 0), t);
    else
        fl_emit_undefined(b);
    if (mask[1] && fl_has(b, 4))
        fl_emit_as(b, outer_sum(b, fl_mul(b, g, xhat), &r), parameter_dtype(b, 4, t));
    else
        fl_emit_undefined(b);
}

/* ---- groups of channels: x seen as [N, groups, channels of a group, H W], normalised over the last two */

typedef struct groups {
    int64_t dims[4];
    double n;
} groups;

static groups split_groups(fl_builder *b, fl_ref x, int first_arg)
{
    int64_t batch = fl_int(b, first_arg), channels = fl_int(b, first_arg + 1),
            space = fl_int(b, first_arg + 2);
    int64_t count = fl_int(b, first_arg + 3);
    groups g = {{0}, 1};
    if (count <= 0 || channels % count || batch * channels * space != fl_elements(b, x)) {
        fl_builder_fail(b, fl_error(FL_INVALID,
                                    "expected number of channels in input to be divisible by num_groups, got "
                                    "%lld channels and %lld groups",
                                    (long long)channels, (long long)count));
        return g;
    }
    g = (groups){{batch, count, channels / count, space}, (double)(channels / count) * (double)space};
    return g;
}

/* Values per group [N, groups] seen as the four dims. */
static fl_ref per_group(fl_builder *b, fl_ref value, const groups *g)
{
    const int64_t at[2] = {0, 1};
    return fl_broadcast_in_dim(b, value, 4, g->dims, at);
}

/* Values per channel [C] seen as the four dims. */
static fl_ref per_channel(fl_builder *b, fl_ref value, const groups *g)
{
    const int64_t at[2] = {1, 2};
    return fl_broadcast_in_dim(b, fl_reshape(b, value, 2, g->dims + 1), 4, g->dims, at);
}

static fl_ref group_mean(fl_builder *b, fl_ref x)
{
    return fl_mean_dims(b, x, (const int64_t[]){2, 3}, 2, 0);
}

static fl_ref group_reshape_back(fl_builder *b, fl_ref y, int arg)
{
    const fl_tensor *like = fl_tensor_arg(b, arg);
    return fl_reshape(b, y, like->rank, like->sizes);
}

/* input, weight, bias, N, C, HxW, groups, eps: output, mean, inverse deviation [N, groups] */
FL_LOWER(group_norm)
{
    fl_ref x;
    fl_dtype t = input(b, 0, &x), math = fl_op_math(t);
    groups g = split_groups(b, x, 3);
    if (!fl_ok(b)) return;
    x = fl_reshape(b, x, 4, g.dims);
    fl_ref mean = group_mean(b, x), centred = fl_sub(b, x, per_group(b, mean, &g));
    fl_ref variance = group_mean(b, fl_mul(b, centred, centred));
    fl_ref rstd = fl_rsqrt(b, fl_add(b, variance, fl_scalar(b, 7, math)));
    fl_ref y = fl_mul(b, centred, per_group(b, rstd, &g));
    if (fl_has(b, 1)) y = fl_mul(b, y, per_channel(b, fl_in_cast(b, 1, math), &g));
    if (fl_has(b, 2)) y = fl_add(b, y, per_channel(b, fl_in_cast(b, 2, math), &g));
    fl_emit_as(b, group_reshape_back(b, y, 0), t);
    fl_emit(b, mean);
    fl_emit(b, rstd);
}

/* grad_out, input, mean, rstd, weight, N, C, HxW, groups, output_mask */
FL_LOWER(group_norm_backward)
{
    int64_t mask[3] = {0};
    fl_ints(b, 9, mask, 3);
    fl_ref x;
    fl_dtype t = input(b, 1, &x), math = fl_op_math(t);
    groups s = split_groups(b, x, 5);
    if (!fl_ok(b)) return;
    x = fl_reshape(b, x, 4, s.dims);
    fl_ref g = fl_reshape(b, fl_in_cast(b, 0, math), 4, s.dims);
    fl_ref mean = fl_reshape(b, fl_in_cast(b, 2, math), 2, s.dims),
           rstd = fl_reshape(b, fl_in_cast(b, 3, math), 2, s.dims);
    rstd = per_group(b, rstd, &s);
    fl_ref xhat = fl_mul(b, fl_sub(b, x, per_group(b, mean, &s)), rstd);
    fl_ref inner = fl_has(b, 4) ? fl_mul(b, g, per_channel(b, fl_in_cast(b, 4, math), &s)) : g;
    const rows r = {.inner = {2, 3}, .inner_count = 2, .n = s.n};
    if (mask[0])
        fl_emit_as(b, group_reshape_back(b, row_gradient(b, inner, xhat, rstd, &r, 1), 1), t);
    else
        fl_emit_undefined(b);
    const int64_t outer[2] = {0, 3};
    fl_dtype p = parameter_dtype(b, 4, t);
    if (mask[1])
        fl_emit_as(b, fl_flatten(b, fl_reduce(b, FL_OP_add, fl_mul(b, g, xhat), outer, 2, 0)), p);
    else
        fl_emit_undefined(b);
    if (mask[2])
        fl_emit_as(b, fl_flatten(b, fl_reduce(b, FL_OP_add, g, outer, 2, 0)), p);
    else
        fl_emit_undefined(b);
}

/* ---- weight normalisation: w = v g / |v|, norms over all dims but one */

static rows other_dims(fl_builder *b, fl_ref v, int64_t kept)
{
    rows r = {.n = 1};
    int dim = fl_wrap_dim(b, kept, fl_rank(b, v));
    for (int i = 0; i < fl_rank(b, v); i++)
        if (i != dim) r.inner[r.inner_count++] = i;
    return r;
}

/* Sum over the other dims, kept with size 1. */
static fl_ref sum_kept(fl_builder *b, fl_ref x, const rows *r)
{
    return r->inner_count ? fl_reduce(b, FL_OP_add, x, r->inner, r->inner_count, 1) : x;
}

/* v, g, dim: w and the norms */
FL_LOWER(weight_norm)
{
    fl_ref v;
    fl_dtype t = input(b, 0, &v), math = fl_op_math(t);
    rows r = other_dims(b, v, fl_int(b, 2));
    if (!fl_ok(b)) return;
    fl_ref norms = fl_sqrt(b, sum_kept(b, fl_mul(b, v, v), &r));
    fl_ref scale = fl_div(b, fl_in_cast(b, 1, math), norms);
    fl_emit_as(b, fl_mul(b, v, fl_broadcast_like(b, scale, v)), t);
    fl_emit(b, norms);
}

/* grad_w, v, g, norms, dim: gradients of v and g */
FL_LOWER(weight_norm_backward)
{
    fl_ref v;
    fl_dtype t = input(b, 1, &v), math = fl_op_math(t);
    rows r = other_dims(b, v, fl_int(b, 4));
    if (!fl_ok(b)) return;
    fl_ref grad = fl_in_cast(b, 0, math), norms = fl_in_cast(b, 3, math);
    fl_ref along = sum_kept(b, fl_mul(b, grad, v), &r);
    fl_ref share = fl_broadcast_like(b, fl_div(b, along, fl_mul(b, norms, norms)), v);
    fl_ref scale = fl_broadcast_like(b, fl_div(b, fl_in_cast(b, 2, math), norms), v);
    fl_emit_as(b, fl_mul(b, scale, fl_sub(b, grad, fl_mul(b, v, share))), t);
    fl_emit_as(b, fl_div(b, along, norms), parameter_dtype(b, 2, t));
}
