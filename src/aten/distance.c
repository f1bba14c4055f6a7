/* Distances between rows. */
#include "aten/shapes.h"
#include "aten/table.h"
#include <math.h>

/* |difference| in the norm p along the last dimension */
static fl_ref norm_of(fl_builder *b, fl_ref difference, double p)
{
    int last = fl_rank(b, difference) - 1;
    fl_dtype dtype = fl_dtypeof(b, difference);
    fl_ref x = fl_abs(b, difference);
    if (p == 0)
        return fl_reduce_dim(b, FL_OP_add,
                             fl_cast(b, fl_compare(b, FL_NE, x, fl_scalar_f(b, dtype, 0)), dtype), last, 0);
    if (p == 1) return fl_reduce_dim(b, FL_OP_add, x, last, 0);
    if (p == 2) return fl_sqrt(b, fl_reduce_dim(b, FL_OP_add, fl_mul(b, x, x), last, 0));
    if (isinf(p))
        return fl_dim(b, x, last) ? fl_reduce_dim(b, FL_OP_maximum, x, last, 0)
                                  : fl_reduce_dim(b, FL_OP_add, x, last, 0);
    fl_ref sum = fl_reduce_dim(b, FL_OP_add, fl_pow(b, x, fl_scalar_f(b, dtype, p)), last, 0);
    return fl_pow(b, sum, fl_scalar_f(b, dtype, 1 / p));
}

/* d distance / d difference * grad; grad and distance are broadcast to difference's shape. Zero where it is
 * not defined. */
static fl_ref norm_gradient(fl_builder *b, fl_ref difference, fl_ref distance, fl_ref grad, double p)
{
    fl_dtype dtype = fl_dtypeof(b, difference);
    fl_ref zero = fl_scalar_f(b, dtype, 0), sign = fl_sign(b, difference), size = fl_abs(b, difference),
           slope;
    if (p == 0) return fl_full_like(b, difference, 0);
    if (p == 1) return fl_mul(b, sign, grad);
    if (isinf(p)) return fl_mul(b, grad, fl_select(b, fl_compare(b, FL_EQ, size, distance), sign, zero));
    if (p == 2) {
        slope = fl_div(b, difference, distance);
    } else {
        fl_ref power = fl_scalar_f(b, dtype, p - 1);
        slope = fl_mul(b, sign, fl_div(b, fl_pow(b, size, power), fl_pow(b, distance, power)));
        slope = fl_select(b, fl_compare(b, FL_EQ, size, zero), zero, slope);
    }
    return fl_mul(b, grad, fl_select(b, fl_compare(b, FL_EQ, distance, zero), zero, slope));
}

/* x1 [..., P, M] - x2 [..., R, M] -> [..., P, R, M] */
static fl_ref differences(fl_builder *b, fl_ref x1, fl_ref x2)
{
    fl_ref pair[2] = {fl_unsqueeze(b, x1, -2), fl_unsqueeze(b, x2, -3)};
    fl_broadcast_all(b, pair, 2);
    return fl_sub(b, pair[0], pair[1]);
}

static int norm_fits(fl_builder *b, double p)
{
    if (!(p >= 0)) fl_builder_fail(b, fl_error(FL_INVALID, "cdist only supports non-negative p values"));
    return fl_ok(b);
}

/* _cdist_forward(x1, x2, p, compute_mode) */
FL_LOWER(cdist)
{
    fl_ref x1 = fl_in(b, 0), x2 = fl_in(b, 1);
    double p = fl_static_double(b, 2);
    if (!norm_fits(b, p)) return;
    fl_dtype dtype = fl_dtypeof(b, x1), math = fl_op_math(dtype);
    fl_emit(b, fl_cast(b, norm_of(b, differences(b, fl_cast(b, x1, math), fl_cast(b, x2, math)), p), dtype));
}

/* _cdist_backward(grad, x1, x2, p, cdist): the gradient of x1, of its broadcast shape */
FL_LOWER(cdist_backward)
{
    fl_ref grad = fl_in(b, 0), distance = fl_in(b, 4);
    double p = fl_static_double(b, 3);
    if (!norm_fits(b, p)) return;
    fl_ref d = differences(b, fl_in(b, 1), fl_in(b, 2));
    grad = fl_broadcast_like(b, fl_unsqueeze(b, grad, -1), d);
    distance = fl_broadcast_like(b, fl_unsqueeze(b, distance, -1), d);
    fl_emit(b, fl_reduce_dim(b, FL_OP_add, norm_gradient(b, d, distance, grad, p), fl_rank(b, d) - 2, 0));
}

/* rows i and j of all pairs i < j */
static int pairs_of(fl_builder *b, int64_t n, fl_ref *first, fl_ref *second)
{
    int64_t count = n * (n - 1) / 2, *i = fl_scratch(b, count, sizeof *i),
            *j = fl_scratch(b, count, sizeof *j), at = 0;
    if (!i || !j) return 0;
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = r + 1; c < n; c++, at++) {
            i[at] = r;
            j[at] = c;
        }
    *first = fl_const_ints(b, i, count);
    *second = fl_const_ints(b, j, count);
    return fl_ok(b);
}

FL_LOWER(pdist)
{
    fl_ref x = fl_in(b, 0), first, second;
    double p = fl_static_double(b, 1);
    if (!norm_fits(b, p)) return;
    if (fl_dim(b, x, 0) <= 1) {
        int64_t none = 0;
        fl_emit(b, fl_zeros(b, fl_dtypeof(b, x), 1, &none));
        return;
    }
    if (!pairs_of(b, fl_dim(b, x, 0), &first, &second)) return;
    fl_ref d = fl_sub(b, fl_index_select(b, x, 0, first), fl_index_select(b, x, 0, second));
    fl_emit(b, norm_of(b, d, p));
}

/* _pdist_backward(grad, self, p, pdist) */
FL_LOWER(pdist_backward)
{
    fl_ref grad = fl_in(b, 0), x = fl_in(b, 1), distance = fl_in(b, 3), first, second;
    double p = fl_static_double(b, 2);
    if (!norm_fits(b, p)) return;
    if (fl_dim(b, x, 0) <= 1) {
        fl_emit(b, fl_full_like(b, x, 0));
        return;
    }
    if (!pairs_of(b, fl_dim(b, x, 0), &first, &second)) return;
    fl_ref d = fl_sub(b, fl_index_select(b, x, 0, first), fl_index_select(b, x, 0, second));
    fl_ref g = norm_gradient(b, d, fl_along_dim(b, distance, d, 0), fl_along_dim(b, grad, d, 0), p);
    fl_ref sum = fl_scatter_rows(b, FL_OP_add, fl_full_like(b, x, 0), 0, first, g);
    fl_emit(b, fl_scatter_rows(b, FL_OP_add, sum, 0, second, fl_neg(b, g)));
}
