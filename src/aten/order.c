/* Order statistics, through a sort along one dimension: NaNs come last. */
#include "aten/formula.h"
#include "aten/table.h"

/* Sorted values along dim with their positions. */
static fl_ref sorted(fl_builder *b, fl_ref x, int dim, fl_ref *out_positions)
{
    fl_type type = *fl_typeof(b, x);
    type.dtype = FL_I64;
    return fl_sort(b, x, fl_iota(b, type, dim), dim, 0, 1, out_positions);
}

/* Number of NaNs along dim (kept with size 1), i64; zero for integers. */
static fl_ref count_nans(fl_builder *b, fl_ref x, int dim)
{
    return fl_reduce_dim(b, FL_OP_add, fl_cast(b, fl_compare(b, FL_NE, x, x), FL_I64), dim, 1);
}

/* Where the median stands among n sorted elements, i64 with dim of size 1. A NaN is the median, unless NaNs
 * are ignored. */
static fl_ref median_position(fl_builder *b, fl_ref x, int dim, int ignore_nan)
{
    int64_t n = fl_dim(b, x, dim);
    fl_ref nans = count_nans(b, x, dim), zero = fl_scalar_i(b, FL_I64, 0);
    fl_ref valid = fl_sub(b, fl_scalar_i(b, FL_I64, n), nans);
    if (ignore_nan) {
        fl_ref last = fl_max(b, fl_sub(b, valid, fl_scalar_i(b, FL_I64, 1)), zero);
        return fl_shra(b, last, fl_scalar_i(b, FL_I64, 1));
    }
    return fl_select(b, fl_compare(b, FL_EQ, nans, zero), fl_scalar_i(b, FL_I64, (n - 1) / 2), valid);
}

static fl_ref pick(fl_builder *b, fl_ref values, fl_ref at, int dim, int keepdim)
{
    fl_ref one = fl_gather_along(b, values, dim, at);
    return keepdim ? one : fl_squeeze(b, one, dim);
}

static int usable(fl_builder *b, fl_ref x)
{
    if (!fl_is_complex(fl_dtypeof(b, x))) return 1;
    fl_unsupported(b, "the order of complex numbers");
    return 0;
}

/* Of no elements: NaN as the processor converts it, by way of i32 where the type is narrower. */
static fl_ref median_of_none(fl_builder *b, fl_dtype dtype)
{
    if (fl_is_float(dtype)) return fl_scalar_f(b, dtype, __builtin_nan(""));
    if (dtype == FL_I32 || dtype == FL_I64) return fl_min_value(b, dtype);
    return fl_scalar_i(b, dtype, dtype == FL_I1);
}

static void median_all(fl_builder *b, int ignore_nan)
{
    fl_ref x = fl_flatten(b, fl_in(b, 0)), positions;
    if (!usable(b, x)) return;
    if (fl_dim(b, x, 0) == 0) {
        fl_emit(b, median_of_none(b, fl_dtypeof(b, x)));
        return;
    }
    fl_ref values = sorted(b, x, 0, &positions);
    fl_emit(b, pick(b, values, median_position(b, x, 0, ignore_nan), 0, 0));
}

FL_LOWER(median)
{
    median_all(b, 0);
}

FL_LOWER(nanmedian)
{
    median_all(b, 1);
}

/* A 0-d tensor is its own order statistic. */
static int single(fl_builder *b, fl_ref x)
{
    if (fl_rank(b, x)) return 0;
    fl_emit(b, x);
    fl_emit(b, fl_scalar_i(b, FL_I64, 0));
    return 1;
}

static void median_along(fl_builder *b, int ignore_nan)
{
    fl_ref x = fl_in(b, 0), positions;
    if (!usable(b, x) || single(b, x)) return;
    int dim = fl_wrap_dim(b, fl_int(b, 1), fl_rank(b, x)), keepdim = fl_bool(b, 2);
    FL_REQUIRE(b, fl_dim(b, x, dim) > 0, FL_INDEX,
               "median(): Expected reduction dim %d to have non-zero size", dim);
    fl_ref values = sorted(b, x, dim, &positions), at = median_position(b, x, dim, ignore_nan);
    fl_emit(b, pick(b, values, at, dim, keepdim));
    fl_emit(b, pick(b, positions, at, dim, keepdim));
}

FL_LOWER(median_dim)
{
    median_along(b, 0);
}

FL_LOWER(nanmedian_dim)
{
    median_along(b, 1);
}

/* arguments: self, k, dim, keepdim */
FL_LOWER(kthvalue)
{
    fl_ref x = fl_in(b, 0), positions;
    int64_t k = fl_int(b, 1);
    if (!usable(b, x)) return;
    int64_t n = fl_rank(b, x) ? fl_dim(b, x, fl_wrap_dim(b, fl_int(b, 2), fl_rank(b, x))) : 1;
    FL_REQUIRE(b, k >= 1 && k <= n, FL_INVALID,
               "kthvalue(): selected number k out of range for dimension %lld", (long long)fl_int(b, 2));
    if (single(b, x)) return;
    int dim = fl_wrap_dim(b, fl_int(b, 2), fl_rank(b, x)), keepdim = fl_bool(b, 3);
    fl_ref values = sorted(b, x, dim, &positions);
    values = fl_slice_dim(b, values, dim, k - 1, k, 1);
    positions = fl_slice_dim(b, positions, dim, k - 1, k, 1);
    fl_emit(b, keepdim ? values : fl_squeeze(b, values, dim));
    fl_emit(b, keepdim ? positions : fl_squeeze(b, positions, dim));
}

/* The most frequent value, the smallest of several: the end of the longest run of the sorted values.
 * Arguments: self, dim, keepdim */
FL_LOWER(mode)
{
    fl_ref x = fl_in(b, 0), positions;
    if (!usable(b, x) || single(b, x)) return;
    int dim = fl_wrap_dim(b, fl_int(b, 1), fl_rank(b, x)), keepdim = fl_bool(b, 2);
    int64_t n = fl_dim(b, x, dim);
    FL_REQUIRE(b, n > 0, FL_INDEX, "mode(): Expected reduction dim %d to have non-zero size", dim);
    fl_ref values = sorted(b, x, dim, &positions);
    fl_type type = *fl_typeof(b, x);
    type.dtype = FL_I64;
    fl_ref at = fl_iota(b, type, dim), zero = fl_scalar_i(b, FL_I64, 0);
    fl_ref start = fl_full(b, type, 0); /* where the run of each element began */
    if (n > 1) {
        fl_ref left = fl_slice_dim(b, values, dim, 0, n - 1, 1),
               right = fl_slice_dim(b, values, dim, 1, n, 1);
        fl_ref fresh =
            fl_select(b, fl_compare(b, FL_NE, left, right), fl_slice_dim(b, at, dim, 1, n, 1), zero);
        fl_ref both[2] = {fl_slice_dim(b, start, dim, 0, 1, 1), fresh};
        start = fl_cumulative(b, FL_OP_maximum, fl_concat(b, both, 2, dim), dim);
    }
    fl_ref length = fl_sub(b, at, start), longest = fl_reduce_dim(b, FL_OP_maximum, length, dim, 1);
    fl_ref hit = fl_compare(b, FL_EQ, length, fl_broadcast_like(b, longest, length));
    fl_ref end = fl_reduce_dim(b, FL_OP_minimum, fl_select(b, hit, at, fl_scalar_i(b, FL_I64, n)), dim, 1);
    fl_emit(b, pick(b, values, end, dim, keepdim));
    fl_emit(b, pick(b, positions, end, dim, keepdim));
}
