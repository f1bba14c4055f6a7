/* Counting into bins; places of non-zero elements. */
#include "aten/histogram.h"
#include "aten/limit.h"
#include "aten/sizes.h"
#include "aten/table.h"

void fl_widen_ends(fl_builder *b, fl_ref *low, fl_ref *high, double by)
{
    const fl_dtype dtype = fl_dtypeof(b, *low);
    fl_ref fine = fl_compare(b, FL_LE, *low, *high);
    if (fl_is_float(dtype)) fine = fl_and(b, fine, fl_and(b, fl_is_finite(b, *low), fl_is_finite(b, *high)));
    fl_ref wrong = fl_not(b, fine);
    fl_check_index(b, fl_cast(b, wrong, FL_I32), 0, 1,
                   FL_WRONG_VALUE "histogram: expected a range of finite numbers, the lower one first");
    fl_ref same = fl_compare(b, FL_EQ, *low, *high), step = fl_scalar_f(b, dtype, by);
    fl_ref lower = fl_select(b, same, fl_sub(b, *low, step), *low);
    *high = fl_select(b, same, fl_add(b, *high, step), *high);
    *low = lower;
}

fl_ref fl_count_bins(fl_builder *b, fl_ref bin, fl_ref inside, fl_ref weights, int64_t bins, fl_dtype dtype)
{
    int64_t slots = bins + 1, elements = fl_elements(b, bin);
    bin = fl_select(b, inside, bin, fl_scalar_i(b, FL_I64, bins));
    if (!weights) weights = fl_fill(b, fl_scalar_i(b, dtype, 1), 1, &elements);
    fl_ref counts = fl_scatter_rows(b, FL_OP_add, fl_zeros(b, dtype, 1, &slots), 0, bin, weights);
    return fl_slice_dim(b, counts, 0, 0, bins, 1);
}

void fl_ends_of(fl_builder *b, fl_ref x, int i, int d, int dims, fl_ref *low, fl_ref *high)
{
    const fl_dtype dtype = fl_dtypeof(b, x);
    const uint32_t given = fl_list_count(b, i), wanted = 2 * (uint32_t)dims;
    *low = *high = FL_NO_REF;
    FL_REQUIRE(b, !given || given == wanted, FL_INVALID,
               "torch.histogramdd: for a %d-dimensional histogram range should have %u elements, but got %u",
               dims, wanted, given);
    if (given) {
        *low = fl_list_scalar(b, i, 2 * (uint32_t)d, dtype);
        *high = fl_list_scalar(b, i, 2 * (uint32_t)d + 1, dtype);
    } else if (fl_elements(b, x)) {
        *low = fl_reduce_all(b, FL_OP_minimum, x);
        *high = fl_reduce_all(b, FL_OP_maximum, x);
    } else {
        *low = fl_scalar_i(b, dtype, 0);
        *high = fl_scalar_i(b, dtype, 1);
    }
    fl_widen_ends(b, low, high, 0.5);
}

static int bins_fit(fl_builder *b, fl_ref x, int64_t bins, int integers)
{
    const fl_dtype dtype = fl_dtypeof(b, x);
    if (fl_ok(b) && !fl_is_float(dtype) && !(integers && fl_is_int(dtype)))
        fl_unsupported(b, "histograms of this element type");
    if (fl_ok(b) && bins <= 0)
        fl_builder_fail(b, fl_error(FL_INVALID, "bins must be > 0, but got %lld", (long long)bins));
    return fl_ok(b);
}

/* histc(self, bins, min, max); integers are counted exactly, as CUDA does, which alone takes them */
FL_LOWER(histc)
{
    fl_ref x = fl_flatten(b, fl_in(b, 0));
    int64_t bins = fl_int(b, 1);
    if (!bins_fit(b, x, bins, 1)) return;
    fl_dtype dtype = fl_dtypeof(b, x), math = fl_is_float(dtype) ? fl_op_math(dtype) : FL_I64;
    x = fl_cast(b, x, math);
    fl_ref low = fl_scalar(b, 2, math), high = fl_scalar(b, 3, math);
    if (fl_elements(b, x)) { /* equal ends stand for those of the data */
        fl_ref unset = fl_compare(b, FL_EQ, low, high),
               least = fl_select(b, unset, fl_reduce_all(b, FL_OP_minimum, x), low);
        high = fl_select(b, unset, fl_reduce_all(b, FL_OP_maximum, x), high);
        low = least;
    }
    fl_widen_ends(b, &low, &high, 1);
    fl_ref inside = fl_and(b, fl_compare(b, FL_GE, x, low), fl_compare(b, FL_LE, x, high));
    fl_ref at = fl_div(b, fl_mul(b, fl_sub(b, x, low), fl_scalar_i(b, math, bins)), fl_sub(b, high, low));
    at = fl_select(b, inside, at, fl_scalar_i(b, math, 0));
    fl_ref bin = fl_min(b, fl_cast(b, at, FL_I64), fl_scalar_i(b, FL_I64, bins - 1));
    fl_emit(b, fl_cast(b, fl_count_bins(b, bin, inside, FL_NO_REF, bins, math), dtype));
}

fl_ref fl_bin_of(fl_builder *b, fl_ref x, fl_ref edges, fl_ref *out_inside)
{
    int64_t bins = fl_dim(b, edges, 0) - 1;
    fl_ref first = fl_squeeze(b, fl_slice_dim(b, edges, 0, 0, 1, 1), 0),
           last = fl_squeeze(b, fl_slice_dim(b, edges, 0, bins, bins + 1, 1), 0);
    *out_inside = fl_and(b, fl_compare(b, FL_GE, x, first), fl_compare(b, FL_LE, x, last));
    fl_ref bin = fl_sub(b, fl_search_sorted(b, edges, x, 1), fl_scalar_i(b, FL_I64, 1));
    return fl_min(b, bin, fl_scalar_i(b, FL_I64, bins - 1));
}

fl_ref fl_bin_edges(fl_builder *b, fl_ref low, fl_ref high, int64_t bins)
{
    fl_dtype dtype = fl_dtypeof(b, low);
    int64_t count = bins + 1;
    /* from both ends, as linspace makes them */
    fl_ref step = fl_div(b, fl_sub(b, high, low), fl_scalar_i(b, dtype, bins));
    fl_ref i = fl_iota(b, fl_type_make(dtype, 1, &count), 0);
    fl_ref up = fl_add(b, low, fl_mul(b, i, step)),
           down = fl_sub(b, high, fl_mul(b, fl_sub(b, fl_scalar_i(b, dtype, bins), i), step));
    return fl_select(b, fl_compare(b, FL_LT, i, fl_scalar_i(b, dtype, count / 2)), up, down);
}

fl_ref fl_weights_of_points(fl_builder *b, int i, fl_dtype dtype)
{
    if (!fl_has(b, i)) return FL_NO_REF;
    fl_ref weights = fl_in(b, i);
    if (fl_ok(b) && fl_dtypeof(b, weights) != dtype)
        fl_builder_fail(b,
                        fl_error(FL_INVALID,
                                 "torch.histogramdd: if weight tensor is provided, input tensor and weight "
                                 "tensor should have the same dtype, but got input(%s), and weight(%s)",
                                 fl_c_type_name(dtype), fl_c_type_name(fl_dtypeof(b, weights))));
    return fl_flatten(b, weights);
}

static void emit_histogram(fl_builder *b, fl_ref x, fl_ref edges, int weight_arg, int density)
{
    fl_dtype dtype = fl_dtypeof(b, x);
    int64_t bins = fl_dim(b, edges, 0) - 1;
    fl_ref inside, bin = fl_bin_of(b, x, edges, &inside);
    fl_ref weights = fl_weights_of_points(b, weight_arg, dtype);
    fl_ref counts = fl_count_bins(b, bin, inside, weights, bins, dtype);
    if (density) {
        fl_ref widths =
            fl_sub(b, fl_slice_dim(b, edges, 0, 1, bins + 1, 1), fl_slice_dim(b, edges, 0, 0, bins, 1));
        counts = fl_div(b, fl_div(b, counts, fl_reduce_all(b, FL_OP_add, counts)), widths);
    }
    fl_emit(b, counts);
    fl_emit(b, edges);
}

/* histogram(self, bins, *, range, weight, density) */
FL_LOWER(histogram_count)
{
    fl_ref x = fl_flatten(b, fl_in(b, 0)), low, high;
    int64_t bins = fl_int(b, 1);
    if (!bins_fit(b, x, bins, 0)) return;
    fl_ends_of(b, x, 2, 0, 1, &low, &high);
    fl_ref edges = fl_bin_edges(b, low, high, bins);
    emit_histogram(b, x, edges, 3, fl_bool(b, 4));
}

/* histogram(self, bins, *, weight, density) */
FL_LOWER(histogram_edges)
{
    fl_ref x = fl_flatten(b, fl_in(b, 0)), edges = fl_in(b, 1);
    if (!bins_fit(b, x, fl_elements(b, edges) - 1, 0)) return;
    FL_REQUIRE(b, fl_rank(b, edges) == 1 && fl_dtypeof(b, edges) == fl_dtypeof(b, x), FL_INVALID,
               "expected 1-d bins of the input's dtype, got %d dimensions and %s", fl_rank(b, edges),
               fl_torch_type_name(fl_dtypeof(b, edges)));
    emit_histogram(b, x, edges, 2, fl_bool(b, 3));
}

/* nonzero_static(self, *, size, fill_value): the n-th non-zero element's running number is its row; others go
 * nowhere. */
FL_LOWER(nonzero_static)
{
    fl_ref self = fl_in(b, 0);
    int64_t size = fl_int(b, 1), fill = fl_int(b, 2), dims[FL_MAX_RANK];
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, size >= 0, FL_INVALID, "nonzero_static: 'size' must be an non-negative integer");
    int rank = fl_get_dims(b, self, dims);
    int64_t table[2] = {size + 1, rank}, elements = fl_elements(b, self);
    fl_ref rows = fl_fill(b, fl_scalar_i(b, FL_I64, fill), 2, table);
    if (elements && rank) {
        fl_ref there = fl_cast(b, fl_flatten(b, self), FL_I1);
        fl_ref number =
            fl_sub(b, fl_cumulative(b, FL_OP_add, fl_cast(b, there, FL_I64), 0), fl_scalar_i(b, FL_I64, 1));
        fl_ref beyond = fl_scalar_i(b, FL_I64, size);
        number = fl_min(b, fl_select(b, there, number, beyond), beyond);
        fl_ref parts[FL_MAX_RANK];
        for (int i = 0; i < rank; i++)
            parts[i] = fl_unsqueeze(b, fl_flatten(b, fl_iota_like(b, FL_I64, self, i)), 1);
        fl_ref places = rank == 1 ? parts[0] : fl_concat(b, parts, (uint32_t)rank, 1);
        rows = fl_scatter_rows(b, FL_OP_NONE, rows, 0, number, places);
    }
    fl_emit(b, fl_slice_dim(b, rows, 0, 0, size, 1));
}
