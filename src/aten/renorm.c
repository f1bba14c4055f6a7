/* renorm(self, p, dim, maxnorm): slices along dim that are longer than maxnorm are scaled down to it. */
#include "aten/formula.h"
#include "aten/shapes.h"
#include "aten/table.h"

FL_LOWER(renorm)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype dtype = fl_dtypeof(b, x), math = fl_op_math(dtype), real = fl_real_dtype(math);
    int rank = fl_rank(b, x), dim = fl_wrap_dim(b, fl_int(b, 2), rank), n = 0;
    if (!fl_ok(b)) return;
    int64_t dims[FL_MAX_RANK];
    for (int i = 0; i < rank; i++)
        if (i != dim) dims[n++] = i;
    fl_ref wide = fl_cast(b, x, math), limit = fl_scalar(b, 3, real), one = fl_scalar_f(b, real, 1);
    fl_ref norm = fl_vector_norm(b, wide, FL_NO_REF, fl_static_double(b, 1), dims, (uint32_t)n, 1);
    fl_ref scale = fl_div(b, limit, fl_add(b, norm, fl_scalar_f(b, real, 1e-7)));
    scale = fl_cast(b, fl_select(b, fl_compare(b, FL_GT, norm, limit), scale, one), math);
    fl_emit(b, fl_cast(b, fl_mul(b, wide, fl_broadcast_like(b, scale, wide)), dtype));
}
