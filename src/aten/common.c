/* Pieces that lowerings share. */
#include "aten/formula.h"

void fl_emit_as(fl_builder *b, fl_ref x, fl_dtype dtype)
{
    fl_emit(b, fl_cast(b, x, dtype));
}

fl_dtype fl_float_result(fl_builder *b, fl_dtype dtype)
{
    if (fl_is_float(dtype) || fl_is_complex(dtype)) return dtype;
    fl_dtype out = fl_out_dtype(b, 0);
    return fl_is_float(out) ? out : FL_F32;
}

fl_ref fl_const(fl_builder *b, fl_ref like, double value)
{
    return fl_scalar_f(b, fl_dtypeof(b, like), value);
}

void fl_broadcast_pair(fl_builder *b, fl_ref *x, fl_ref *y)
{
    if (!fl_rank(b, *x) || !fl_rank(b, *y)) return; /* the builder broadcasts 0-d operands */
    fl_ref values[2] = {*x, *y};
    fl_broadcast_all(b, values, 2);
    *x = values[0];
    *y = values[1];
}

void fl_in_pair(fl_builder *b, int i, int j, fl_dtype dtype, fl_ref *x, fl_ref *y)
{
    *x = fl_in_cast(b, i, dtype);
    *y = fl_in_cast(b, j, dtype);
    fl_broadcast_pair(b, x, y);
}

fl_ref fl_add_c(fl_builder *b, fl_ref x, double c)
{
    return fl_add(b, x, fl_const(b, x, c));
}

fl_ref fl_mul_c(fl_builder *b, fl_ref x, double c)
{
    return fl_mul(b, x, fl_const(b, x, c));
}

fl_ref fl_c_sub(fl_builder *b, double c, fl_ref x)
{
    return fl_sub(b, fl_const(b, x, c), x);
}

fl_ref fl_compare_c(fl_builder *b, fl_compare_direction direction, fl_ref x, double c)
{
    return fl_compare(b, direction, x, fl_const(b, x, c));
}

fl_ref fl_poly(fl_builder *b, fl_ref x, const double *c, int count)
{
    fl_ref sum = fl_const(b, x, c[0]);
    for (int i = 1; i < count; i++) sum = fl_add_c(b, fl_mul(b, sum, x), c[i]);
    return sum;
}

fl_ref fl_mean_dims(fl_builder *b, fl_ref x, const int64_t *dims, uint32_t count, int keepdim)
{
    double n = 1;
    for (uint32_t i = 0; i < count; i++) n *= (double)fl_dim(b, x, (int)dims[i]);
    fl_ref sum = fl_reduce(b, FL_OP_add, x, dims, count, keepdim);
    return fl_div(b, sum, fl_const(b, sum, n));
}

fl_ref fl_softmax_dim(fl_builder *b, fl_ref x, int dim, int log)
{
    if (fl_rank(b, x) == 0) { /* one element: its share is the whole */
        fl_ref zero = fl_sub(b, x, x);
        return log ? zero : fl_exp(b, zero);
    }
    fl_ref top = fl_reduce_dim(b, FL_OP_maximum, x, dim, 1);
    fl_ref shifted = fl_sub(b, x, fl_broadcast_like(b, top, x));
    fl_ref e = fl_exp(b, shifted);
    fl_ref sum = fl_reduce_dim(b, FL_OP_add, e, dim, 1);
    if (log) return fl_sub(b, shifted, fl_broadcast_like(b, fl_log(b, sum), x));
    return fl_div(b, e, fl_broadcast_like(b, sum, x));
}

fl_ref fl_along_dim(fl_builder *b, fl_ref value, fl_ref x, int dim)
{
    int rank = fl_rank(b, x);
    int64_t at = fl_wrap_dim(b, dim, rank);
    if (!fl_ok(b)) return FL_NO_REF;
    return fl_broadcast_in_dim(b, value, rank, fl_typeof(b, x)->dims, &at);
}
