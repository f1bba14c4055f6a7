/* chlo.ragged_dot without sizes that are data. Compilers of TPUs fuse the copies into the product. */
#include "opt/legalize.h"

/* i1 [rows, groups]: which rows each group has; groups follow one another, negative sizes count as 0. */
static fl_ref members(fl_builder *b, fl_ref sizes, int64_t rows)
{
    const int64_t groups = fl_dim(b, sizes, 0), dims[] = {rows, groups}, along = 1;
    fl_ref zero = fl_scalar_i(b, FL_I64, 0);
    sizes = fl_max(b, fl_cast(b, sizes, FL_I64), zero);
    fl_ref ends = fl_cumulative(b, FL_OP_add, sizes, 0), begins = fl_sub(b, ends, sizes);
    fl_ref row = fl_iota(b, fl_type_make(FL_I64, 2, dims), 0);
    fl_ref from = fl_compare(b, FL_GE, row, fl_broadcast_in_dim(b, begins, 2, dims, &along));
    return fl_and(b, from, fl_compare(b, FL_LT, row, fl_broadcast_in_dim(b, ends, 2, dims, &along)));
}

static int is_only(const fl_op *op, fl_attr_key key, int64_t dim)
{
    uint32_t count;
    const int64_t *dims = fl_op_ints(op, key, &count);
    return count == 1 && dims[0] == dim;
}

fl_ref fl_chlo_ragged_dot(fl_builder *b, const fl_op *op, const fl_ref *x, const fl_type *out)
{
    static const int64_t first[] = {0}, copy[] = {1, 2}, part[] = {0, 1}, row_group[] = {0, 1},
                         row_k[] = {0, 2};
    const fl_type lhs = *fl_typeof(b, x[0]), rhs = *fl_typeof(b, x[1]);
    const int plain = !fl_op_attr(op, FL_ATTR_lhs_ragged_dimensions);
    const int sums = !plain && rhs.rank == 2 && is_only(op, FL_ATTR_lhs_contracting_dimensions, 0) &&
                     is_only(op, FL_ATTR_rhs_contracting_dimensions, 0);
    const int rows = plain || (rhs.rank == 3 && is_only(op, FL_ATTR_lhs_contracting_dimensions, 1) &&
                               is_only(op, FL_ATTR_rhs_contracting_dimensions, 1) &&
                               is_only(op, FL_ATTR_rhs_group_dimensions, 0));
    if (lhs.rank != 2 || (!plain && !is_only(op, FL_ATTR_lhs_ragged_dimensions, 0)) || (!rows && !sums))
        return FL_NO_REF;
    const int64_t dims[] = {lhs.dims[0], fl_dim(b, x[2], 0), lhs.dims[1]};
    fl_ref mask = fl_broadcast_in_dim(b, members(b, x[2], lhs.dims[0]), 3, dims, row_group);
    fl_ref copies = fl_select(b, mask, fl_broadcast_in_dim(b, x[0], 3, dims, row_k),
                              fl_scalar_i(b, (fl_dtype)lhs.dtype, 0));
    const fl_ref operands[] = {copies, x[1]};
    const fl_attr *precision = fl_op_attr(op, FL_ATTR_precision_config);
    fl_attr attrs[3] = {
        {.key = FL_ATTR_lhs_contracting_dimensions, .count = sums ? 1 : 2, .u.ints = sums ? first : copy},
        {.key = FL_ATTR_rhs_contracting_dimensions, .count = sums ? 1 : 2, .u.ints = sums ? first : part}};
    if (precision) attrs[2] = *precision;
    return fl_build_typed(b, FL_OP_dot_general, operands, 2, attrs, precision ? 3 : 2, NULL, 0, out, 1);
}
