/* Rows of a table by ids in rows: sparse_gather, its gradient, and sparse_iota. */
#include "aten/sparse_core.h"
#include "aten/table.h"

#include <limits.h>

fl_ref fl_sparse_in(fl_builder *b, int i, const char *name, int rank, fl_dtype dtype)
{
    fl_ref x = fl_in(b, i);
    const fl_dtype got = fl_dtypeof(b, x);
    if (fl_ok(b) && fl_rank(b, x) != rank)
        fl_builder_fail(b, fl_error(FL_INVALID, "expected %s to be a %dD tensor, got a %dD tensor", name,
                                    rank, fl_rank(b, x)));
    else if (fl_ok(b) && dtype && got != dtype)
        fl_builder_fail(b, fl_error(FL_INVALID, "expected %s to have dtype %s, got %s", name,
                                    fl_dtype_name(dtype), fl_dtype_name(got)));
    return x;
}

fl_ref fl_sparse_within(fl_builder *b, fl_ref x, int64_t limit)
{
    const fl_dtype dtype = fl_dtypeof(b, x);
    fl_ref from = fl_compare(b, FL_GE, x, fl_scalar_i(b, dtype, 0));
    return fl_and(b, from, fl_compare(b, FL_LT, x, fl_scalar_i(b, dtype, limit)));
}

fl_ref fl_sparse_members(fl_builder *b, fl_ref ends, int64_t count)
{
    static const int64_t core_row[] = {0, 2};
    const int64_t cores = fl_dim(b, ends, 0), rows = fl_dim(b, ends, 1), dims[] = {cores, count, rows};
    fl_ref align = fl_scalar_i(b, FL_I32, FL_SPARSE_ALIGN), up = fl_scalar_i(b, FL_I32, FL_SPARSE_ALIGN - 1);
    fl_ref next = fl_mul(b, fl_div(b, fl_add(b, ends, up), align), align), none = fl_scalar_i(b, FL_I32, 0);
    fl_ref begins = fl_slice_dim(b, fl_pad_dim(b, next, 1, none, 1, 0, 0), 1, 0, rows, 1);
    fl_ref place = fl_iota(b, fl_type_make(FL_I32, 3, dims), 1);
    fl_ref from = fl_compare(b, FL_GE, place, fl_broadcast_in_dim(b, begins, 3, dims, core_row));
    return fl_and(b, from, fl_compare(b, FL_LT, place, fl_broadcast_in_dim(b, ends, 3, dims, core_row)));
}

fl_ref fl_sparse_any(fl_builder *b, fl_ref members)
{
    return fl_reduce_dim(b, FL_OP_or, members, -1, 0);
}

/* i32 [count]: of each place the number of those before it that are in rows; INT_MAX for padding. */
static fl_ref places_in_order(fl_builder *b, fl_ref row_pointers, int64_t count)
{
    const int64_t ends[] = {1, fl_dim(b, row_pointers, 0)}, dims[] = {count};
    fl_ref members = fl_sparse_members(b, fl_reshape(b, fl_cast(b, row_pointers, FL_I32), 2, ends), count);
    fl_ref valid = fl_reshape(b, fl_sparse_any(b, members), 1, dims), one = fl_scalar_i(b, FL_I32, 1);
    fl_ref number = fl_sub(b, fl_cumulative(b, FL_OP_add, fl_cast(b, valid, FL_I32), 0), one);
    return fl_select(b, valid, number, fl_scalar_i(b, FL_I32, INT_MAX));
}

/* row_pointers, max_non_zeroes, max_non_zeroes_per_row */
FL_LOWER(sparse_iota)
{
    fl_ref row_pointers = fl_sparse_in(b, 0, "row_pointers", 1, FL_I32);
    const int64_t count = fl_int(b, 1), most = fl_int(b, 2);
    FL_REQUIRE(b, count > 0, FL_INVALID, "expected max_non_zeroes to be positive, got %lld",
               (long long)count);
    FL_REQUIRE(b, most > 0, FL_INVALID, "expected max_non_zeroes_per_row to be positive, got %lld",
               (long long)most);
    fl_emit(b, places_in_order(b, row_pointers, count));
}

/* Rows of a table, zeros for ids that it has not. */
static fl_ref rows_or_zeros(fl_builder *b, fl_ref table, fl_ref ids)
{
    fl_ref valid = fl_sparse_within(b, ids, fl_dim(b, table, 0));
    ids = fl_select(b, valid, ids, fl_scalar_i(b, fl_dtypeof(b, ids), 0));
    fl_ref rows = fl_index_select(b, table, 0, ids), zero = fl_scalar_i(b, fl_dtypeof(b, table), 0);
    return fl_select(b, fl_along_dim(b, valid, rows, 0), rows, zero);
}

/* row_pointers, indices, operand, max_non_zeroes_per_row: the rows of the table in the order of their ids, then zeros */
FL_LOWER(sparse_gather)
{
    fl_ref row_pointers = fl_sparse_in(b, 0, "row_pointers", 1, FL_DTYPE_NONE),
           ids = fl_sparse_in(b, 1, "indices", 1, FL_DTYPE_NONE),
           table = fl_sparse_in(b, 2, "operand", 2, FL_DTYPE_NONE);
    const int64_t most = fl_int(b, 3);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_is_int(fl_dtypeof(b, row_pointers)) && fl_is_int(fl_dtypeof(b, ids)), FL_INVALID,
               "expected row_pointers and indices of integers, got %s and %s",
               fl_dtype_name(fl_dtypeof(b, row_pointers)), fl_dtype_name(fl_dtypeof(b, ids)));
    const int64_t count = fl_dim(b, ids, 0), rows = fl_dim(b, row_pointers, 0);
    FL_REQUIRE(b, count == rows * most, FL_INVALID,
               "expected as many indices as row_pointers times max_non_zeroes_per_row, %lld * %lld, got %lld",
               (long long)rows, (long long)most, (long long)count);
    fl_ref none = fl_fill(b, fl_scalar_i(b, fl_dtypeof(b, ids), -1), 1, &count);
    fl_ref place = fl_unsqueeze(b, places_in_order(b, row_pointers, count), 1);
    fl_ref ordered = fl_scatter_rows(b, FL_OP_NONE, none, 0, fl_squeeze(b, place, 1), ids);
    fl_emit(b, rows_or_zeros(b, table, ordered));
}

/* grad_output, indices, grad_operand: grad_operand with the gradients added at their ids */
FL_LOWER(sparse_gather_backward)
{
    fl_ref dy = fl_sparse_in(b, 0, "grad_output", 2, FL_DTYPE_NONE),
           ids = fl_sparse_in(b, 1, "indices", 1, FL_DTYPE_NONE),
           table = fl_sparse_in(b, 2, "grad_operand", 2, FL_DTYPE_NONE);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_is_int(fl_dtypeof(b, ids)), FL_INVALID, "expected indices of integers, got %s",
               fl_dtype_name(fl_dtypeof(b, ids)));
    FL_REQUIRE(b, fl_dim(b, ids, 0) == fl_dim(b, dy, 0), FL_INVALID,
               "expected as many indices as rows of grad_output, got %lld and %lld",
               (long long)fl_dim(b, ids, 0), (long long)fl_dim(b, dy, 0));
    FL_REQUIRE(b, fl_dim(b, table, 1) == fl_dim(b, dy, 1), FL_INVALID,
               "expected embedding dimensions to be the same, got %lld and %lld",
               (long long)fl_dim(b, table, 1), (long long)fl_dim(b, dy, 1));
    const fl_dtype dtype = fl_dtypeof(b, table), math = fl_op_math(dtype);
    fl_ref valid = fl_sparse_within(b, ids, fl_dim(b, table, 0));
    ids = fl_select(b, valid, ids, fl_scalar_i(b, fl_dtypeof(b, ids), -1));
    fl_ref sums = fl_scatter_rows(b, FL_OP_add, fl_cast(b, table, math), 0, ids, fl_cast(b, dy, math));
    fl_emit(b, fl_cast(b, sums, dtype));
}
