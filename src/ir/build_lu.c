/* LU factors column by column. */
#include "ir/build_internal.h"
#include "ir/lu.h"

enum { STEP, LU, PIVOTS, STATE };

static fl_ref iota_like(fl_builder *b, fl_dtype dtype, fl_ref x, int dim)
{
    const fl_type *type = fl_typeof(b, x);
    return fl_iota(b, fl_type_make(dtype, type->rank, type->dims), dim);
}

static fl_ref equals(fl_builder *b, fl_ref x, fl_ref y)
{
    return fl_compare(b, FL_EQ, x, y);
}

static fl_ref number(fl_builder *b, fl_ref like, int64_t value)
{
    return fl_scalar_i(b, fl_dtypeof(b, like), value);
}

/* As LAPACK measures pivots; a NaN is the least. */
static fl_ref magnitude(fl_builder *b, fl_ref x)
{
    fl_ref size = fl_is_complex(fl_dtypeof(b, x))
                      ? fl_add(b, fl_abs(b, fl_real(b, x)), fl_abs(b, fl_imag(b, x)))
                      : fl_abs(b, x);
    return fl_select(b, equals(b, size, size), size, number(b, size, -1));
}

/* The first row from j on with the largest magnitude of the column: [batch, 1, 1]. */
static fl_ref find_pivot(fl_builder *b, fl_ref column, fl_ref j, const int64_t *one_each)
{
    fl_ref sizes = magnitude(b, column), at = iota_like(b, FL_I64, column, 1);
    sizes = fl_select(b, fl_compare(b, FL_LT, at, j), number(b, sizes, -2), sizes);
    fl_ref largest = fl_broadcast_like(b, fl_reduce_dim(b, FL_OP_maximum, sizes, 1, 1), sizes);
    fl_ref place = fl_select(b, equals(b, sizes, largest), at, fl_scalar_i(b, FL_I64, fl_dim(b, column, 1)));
    return fl_reshape(b, fl_reduce_dim(b, FL_OP_minimum, place, 1, 1), 3, one_each);
}

/* One column: the largest element below (and on) the diagonal comes up, the rest is eliminated. */
static void eliminate(fl_builder *b, fl_block *body, int pivoting, fl_ref *next)
{
    fl_ref j = fl_block_arg(body, STEP), a = fl_block_arg(body, LU), pivots = fl_block_arg(body, PIVOTS);
    fl_ref zero = fl_scalar_i(b, FL_I64, 0), starts_column[] = {zero, zero, j},
           starts_row[] = {zero, j, zero};
    const fl_type type = *fl_typeof(b, a);
    const int64_t *dims = type.dims, column_dims[] = {dims[0], dims[1], 1},
                  row_dims[] = {dims[0], 1, dims[2]}, one_each[] = {dims[0], 1, 1};
    fl_ref column = fl_dynamic_slice(b, a, starts_column, column_dims);
    fl_ref rows = iota_like(b, FL_I64, a, 1), columns = iota_like(b, FL_I64, a, 2);
    fl_ref p = pivoting ? find_pivot(b, column, j, one_each) : fl_broadcast_to(b, j, 3, one_each);
    fl_ref upper = fl_gather_along(b, a, 1, fl_broadcast_to(b, p, 3, row_dims));
    fl_ref lower = fl_dynamic_slice(b, a, starts_row, row_dims);
    fl_ref moved =
        fl_select(b, equals(b, rows, fl_broadcast_like(b, p, a)), fl_broadcast_like(b, lower, a), a);
    moved = fl_select(b, equals(b, rows, j), fl_broadcast_like(b, upper, a), moved);

    fl_ref pivot = fl_broadcast_like(b, fl_dynamic_slice(b, upper, starts_column, one_each), column);
    column = fl_dynamic_slice(b, moved, starts_column, column_dims);
    fl_ref factor = fl_select(b, equals(b, pivot, number(b, pivot, 0)), column, fl_div(b, column, pivot));
    factor = fl_broadcast_like(b, factor, a);
    fl_ref below = fl_compare(b, FL_GT, rows, j);
    fl_ref rest = fl_sub(b, moved, fl_mul(b, factor, fl_broadcast_like(b, upper, a)));
    moved = fl_select(b, fl_and(b, below, fl_compare(b, FL_GT, columns, j)), rest, moved);
    next[STEP] = fl_add(b, j, number(b, j, 1));
    next[LU] = fl_select(b, fl_and(b, below, equals(b, columns, j)), factor, moved);
    fl_ref place = fl_cast(b, fl_squeeze(b, p, 2), FL_I32);
    next[PIVOTS] = fl_select(b, equals(b, iota_like(b, FL_I64, pivots, 1), j),
                             fl_broadcast_like(b, place, pivots), pivots);
}

/* state = body(state) for `steps` steps; the first part is the step. */
static fl_block *loop_condition(fl_builder *b, const fl_type *types, uint32_t count, int64_t steps)
{
    fl_block *condition = fl_region_begin(b, types, count);
    fl_ref go_on = fl_compare(b, FL_LT, fl_block_arg(condition, STEP), fl_scalar_i(b, FL_I64, steps));
    fl_region_end(b, condition, &go_on, 1);
    return condition;
}

static fl_ref zeros(fl_builder *b, fl_dtype dtype, int64_t batch, int64_t count)
{
    const int64_t dims[] = {batch, count};
    return fl_broadcast_to(b, fl_scalar_i(b, dtype, 0), 2, dims);
}

fl_ref fl_lu_by_columns(fl_builder *b, fl_ref a, int pivoting, fl_ref *out_pivots)
{
    *out_pivots = FL_NO_REF;
    if (!fl_ok(b)) return FL_NO_REF;
    const int64_t m = fl_dim(b, a, 1), n = fl_dim(b, a, 2), steps = m < n ? m : n;
    fl_ref init[STATE] = {fl_scalar_i(b, FL_I64, 0), a, zeros(b, FL_I32, fl_dim(b, a, 0), steps)};
    *out_pivots = init[PIVOTS];
    if (!fl_ok(b) || !fl_elements(b, a)) return a;
    fl_type types[STATE];
    for (int i = 0; i < STATE; i++) types[i] = *fl_typeof(b, init[i]);
    fl_ref next[STATE];
    fl_block *regions[2] = {loop_condition(b, types, STATE, steps)};
    regions[1] = fl_region_begin(b, types, STATE);
    eliminate(b, regions[1], pivoting, next);
    fl_region_end(b, regions[1], next, STATE);
    fl_ref end = fl_build(b, FL_OP_while, init, STATE, NULL, 0, regions, 2);
    if (end == FL_NO_REF) return FL_NO_REF;
    *out_pivots = end + PIVOTS;
    return end + LU;
}

fl_ref fl_lu_order(fl_builder *b, fl_ref pivots, int64_t rows)
{
    const int64_t dims[] = {fl_dim(b, pivots, 0), rows}, steps = fl_dim(b, pivots, 1), one[] = {dims[0], 1};
    fl_ref order = fl_iota(b, fl_type_make(FL_I64, 2, dims), 1);
    if (!fl_ok(b) || !steps || !dims[0]) return order;
    fl_ref init[3] = {fl_scalar_i(b, FL_I64, 0), order, fl_cast(b, pivots, FL_I64)};
    fl_type types[3];
    for (int i = 0; i < 3; i++) types[i] = *fl_typeof(b, init[i]);
    fl_block *regions[2] = {loop_condition(b, types, 3, steps)};
    regions[1] = fl_region_begin(b, types, 3);
    fl_ref j = fl_block_arg(regions[1], 0), starts[] = {fl_scalar_i(b, FL_I64, 0), j};
    order = fl_block_arg(regions[1], 1);
    fl_ref p = fl_dynamic_slice(b, fl_block_arg(regions[1], 2), starts, one);
    fl_ref here = fl_broadcast_like(b, fl_dynamic_slice(b, order, starts, one), order);
    fl_ref there = fl_broadcast_like(b, fl_gather_along(b, order, 1, p), order),
           at = iota_like(b, FL_I64, order, 1);
    fl_ref swapped = fl_select(b, equals(b, at, fl_broadcast_like(b, p, order)), here, order);
    fl_ref next[3] = {fl_add(b, j, number(b, j, 1)), fl_select(b, equals(b, at, j), there, swapped),
                      fl_block_arg(regions[1], 2)};
    fl_region_end(b, regions[1], next, 3);
    fl_ref end = fl_build(b, FL_OP_while, init, 3, NULL, 0, regions, 2);
    return end == FL_NO_REF ? FL_NO_REF : end + 1;
}
