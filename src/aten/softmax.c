/* Softmax and log-softmax, their gradients, and softmax under a mask. */
#include "aten/formula.h"
#include "aten/table.h"
#include <math.h>

/* arguments: self, dim, half_to_float */
static void softmax(fl_builder *b, int log)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype t = fl_dtypeof(b, x), out = fl_bool(b, 2) ? FL_F32 : t;
    if (!fl_is_float(t)) {
        fl_unsupported(b, "softmax of this element type");
        return;
    }
    fl_emit_as(b, fl_softmax_dim(b, fl_cast(b, x, fl_op_math(t)), (int)fl_int(b, 1), log), out);
}

FL_LOWER(softmax)
{
    softmax(b, 0);
}

FL_LOWER(log_softmax)
{
    softmax(b, 1);
}

static fl_ref sum_along(fl_builder *b, fl_ref x, int dim)
{
    if (fl_rank(b, x) == 0) return x;
    return fl_broadcast_like(b, fl_reduce_dim(b, FL_OP_add, x, dim, 1), x);
}

/* y (g - sum(g y)) */
static fl_ref softmax_slope(fl_builder *b, fl_ref g, fl_ref y, int dim)
{
    fl_ref product = fl_mul(b, g, y);
    return fl_sub(b, product, fl_mul(b, y, sum_along(b, product, dim)));
}

/* arguments: grad_output, output, dim, input_dtype */
FL_LOWER(softmax_backward)
{
    fl_dtype t = fl_op_math((fl_dtype)fl_promote_args(b, (const int[]){0, 1}, 2));
    fl_ref g = fl_in_cast(b, 0, t), y = fl_in_cast(b, 1, t);
    fl_emit_as(b, softmax_slope(b, g, y, (int)fl_int(b, 2)), fl_dtype_or(b, 3, t));
}

/* g - exp(y) sum(g) */
FL_LOWER(log_softmax_backward)
{
    fl_dtype t = fl_op_math((fl_dtype)fl_promote_args(b, (const int[]){0, 1}, 2));
    fl_ref g = fl_in_cast(b, 0, t), y = fl_in_cast(b, 1, t);
    fl_ref share = fl_mul(b, fl_exp(b, y), sum_along(b, g, (int)fl_int(b, 2)));
    fl_emit_as(b, fl_sub(b, g, share), fl_dtype_or(b, 3, t));
}

/* Argument 1 (true: excluded) as a mask of x's shape. By its rank it is [L, L], [B, L] for x [B, H, L, L], or
 * x's shape. */
static fl_ref mask_like(fl_builder *b, fl_ref x, int mask_type)
{
    fl_ref mask = fl_in_cast(b, 1, FL_I1);
    int rank = fl_rank(b, x);
    if (mask_type == 1 && fl_rank(b, mask) == 2 && rank > 2) {
        const int64_t at[2] = {0, rank - 1};
        return fl_broadcast_in_dim(b, mask, rank, fl_typeof(b, x)->dims, at);
    }
    return fl_broadcast_like(b, mask, x);
}

/* arguments: self, mask, dim, mask_type */
FL_LOWER(masked_softmax)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype t = fl_dtypeof(b, x);
    x = fl_cast(b, x, fl_op_math(t));
    fl_ref mask = mask_like(b, x, (int)fl_int_or(b, 3, 2));
    fl_ref kept = fl_select(b, mask, fl_const(b, x, -INFINITY), x);
    fl_ref y = fl_softmax_dim(b, kept, (int)fl_int_or(b, 2, -1), 0);
    fl_emit_as(b, fl_select(b, mask, fl_const(b, y, 0), y), t);
}

/* arguments: grad_output, output, mask, dim */
FL_LOWER(masked_softmax_backward)
{
    fl_ref g = fl_in(b, 0);
    fl_dtype t = fl_dtypeof(b, g), math = fl_op_math(t);
    g = fl_cast(b, g, math);
    fl_ref mask = fl_broadcast_like(b, fl_in_cast(b, 2, FL_I1), g);
    fl_ref y = fl_select(b, mask, fl_scalar_f(b, math, 0), fl_in_cast(b, 1, math));
    fl_ref kept = fl_select(b, mask, fl_scalar_f(b, math, 0), g);
    fl_emit_as(b, softmax_slope(b, kept, y, (int)fl_int_or(b, 3, -1)), t);
}
