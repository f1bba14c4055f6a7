/* Membership: isin(elements, test_elements, *, assume_unique, invert), either may be a number. */
#include "aten/shapes.h"
#include "aten/table.h"

/* Few test elements are compared one and all; many are sorted and searched. */
static fl_ref is_member(fl_builder *b, fl_ref x, fl_ref tests)
{
    int64_t n = fl_elements(b, tests), dims[FL_MAX_RANK], where[FL_MAX_RANK];
    int rank = fl_get_dims(b, x, dims);
    if (n <= 64 && rank < FL_MAX_RANK) {
        int64_t last = rank;
        dims[rank] = n;
        for (int i = 0; i < rank; i++) where[i] = i;
        fl_ref left = fl_broadcast_in_dim(b, x, rank + 1, dims, where),
               right = fl_broadcast_in_dim(b, tests, rank + 1, dims, &last);
        return fl_reduce_dim(b, FL_OP_or, fl_compare(b, FL_EQ, left, right), rank, 0);
    }
    fl_ref sorted = fl_sort(b, tests, FL_NO_REF, 0, 0, 0, NULL);
    fl_ref at = fl_min(b, fl_search_sorted(b, sorted, x, 0), fl_scalar_i(b, FL_I64, n - 1));
    return fl_compare(b, FL_EQ, x, fl_index_select(b, sorted, 0, at));
}

FL_LOWER(isin)
{
    int args[2] = {0, 1};
    fl_dtype dtype = fl_promote_args(b, args, 2);
    fl_ref x = fl_tensor_arg(b, 0) ? fl_in_cast(b, 0, dtype) : fl_scalar(b, 0, dtype);
    fl_ref tests = fl_tensor_arg(b, 1) ? fl_in_cast(b, 1, dtype) : fl_scalar(b, 1, dtype);
    if (!fl_ok(b)) return;
    fl_ref member = is_member(b, x, fl_flatten(b, tests));
    fl_emit(b, fl_bool(b, 3) ? fl_not(b, member) : member);
}
