/* Sums, means and maxima over bags of rows of a table. */
#include "aten/shapes.h"
#include "aten/table.h"
#include <math.h>
#include <stdio.h>

enum { BAG_SUM, BAG_MEAN, BAG_MAX };

#define BAD_INDEX                                                                                            \
    FL_WRONG_VALUE "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be #"

/* The first bag begins at the first index, the last one not behind the last. */
static void check_offsets(fl_builder *b, fl_ref offsets, int64_t count)
{
    int64_t n = fl_dim(b, offsets, 0);
    if (!n) return;
    char what[160];
    snprintf(what, sizeof what,
             FL_WRONG_VALUE
             "offsets[-1] can not be greater than input's length %lld but got offsets[-1] of #",
             (long long)count);
    fl_check_index(b, fl_slice_dim(b, offsets, 0, 0, 1, 1), 0, 1,
                   FL_WRONG_VALUE "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to "
                                  "start from position 0. However, got #");
    fl_check_index(b, fl_slice_dim(b, offsets, 0, n - 1, n, 1), INT64_MIN, count + 1, what);
}

/* 1 where an index counts (i1 [n]), FL_NO_REF when all do */
static fl_ref counted(fl_builder *b, fl_ref index, int64_t padding)
{
    return padding < 0 ? FL_NO_REF
                       : fl_compare(b, FL_NE, index, fl_scalar_i(b, fl_dtypeof(b, index), padding));
}

static fl_ref ones_where(fl_builder *b, fl_ref mask, int64_t count, fl_dtype dtype)
{
    return mask ? fl_cast(b, mask, dtype) : fl_fill(b, fl_scalar_i(b, dtype, 1), 1, &count);
}

/* rows where the mask holds, else `other` */
static fl_ref masked_rows(fl_builder *b, fl_ref rows, fl_ref mask, fl_ref other)
{
    return mask ? fl_select(b, fl_along_dim(b, mask, rows, 0), rows, other) : rows;
}

/* The largest row elements of each bag, and from which row of the table: the first one among equals; 0 for
 * empty bags. */
static fl_ref bag_maxima(fl_builder *b, fl_ref rows, fl_ref mask, fl_ref bag, fl_ref index, int64_t bags,
                         fl_ref *out_from)
{
    fl_dtype dtype = fl_dtypeof(b, rows);
    int64_t n = fl_dim(b, rows, 0), dims[2] = {bags, fl_dim(b, rows, 1)};
    fl_ref lowest = fl_min_value(b, dtype), beyond = fl_scalar_i(b, FL_I64, n);
    fl_ref values = masked_rows(b, rows, mask, lowest);
    fl_ref top = fl_scatter_rows(b, FL_OP_maximum, fl_fill(b, lowest, 2, dims), 0, bag, values);
    fl_ref is_top = fl_compare(b, FL_EQ, values, fl_index_select(b, top, 0, bag));
    if (mask) is_top = fl_and(b, is_top, fl_along_dim(b, mask, rows, 0));
    fl_ref place = fl_select(b, is_top, fl_iota_like(b, FL_I64, rows, 0), beyond);
    fl_ref first = fl_scatter_rows(b, FL_OP_minimum, fl_fill(b, beyond, 2, dims), 0, bag, place);
    fl_ref empty = fl_compare(b, FL_EQ, first, beyond);
    fl_ref from = n ? fl_index_select(b, index, 0, fl_min(b, first, fl_scalar_i(b, FL_I64, n - 1)))
                    : fl_cast(b, first, fl_dtypeof(b, index));
    *out_from = fl_select(b, empty, fl_scalar_i(b, fl_dtypeof(b, from), 0), from);
    return fl_select(b, empty, fl_scalar_f(b, dtype, 0), top);
}

/* embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
 * include_last_offset, padding_idx)
 * -> output, offset2bag, bag_size, max_indices */
FL_LOWER(embedding_bag)
{
    fl_ref table = fl_in(b, 0), index = fl_in(b, 1), offsets = fl_in(b, 2);
    int mode = (int)fl_int(b, 4);
    int64_t padding = fl_int_or(b, 8, -1), bags = fl_dim(b, offsets, 0) - (fl_bool(b, 7) ? 1 : 0),
            n = fl_elements(b, index);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_rank(b, index) == 1 && fl_rank(b, offsets) == 1 && bags >= 0, FL_INVALID,
               "expected 1-d indices and offsets");
    check_offsets(b, offsets, n);
    fl_dtype dtype = fl_dtypeof(b, table), math = fl_op_math(dtype), index_dtype = fl_dtypeof(b, index);
    int64_t rows_of_table = fl_dim(b, table, 0), dims[2] = {bags, fl_dim(b, table, 1)};
    if (padding < 0 && padding >= -rows_of_table && fl_has(b, 8) && padding != -1) padding += rows_of_table;
    index = fl_check_index(b, index, 0, rows_of_table, BAD_INDEX);
    fl_ref starts = fl_slice_dim(b, fl_cast(b, offsets, index_dtype), 0, 0, bags, 1);
    fl_ref bag = fl_search_sorted(b, starts, fl_iota(b, fl_type_make(index_dtype, 1, &n), 0), 1);
    bag = fl_max(b, fl_sub(b, bag, fl_scalar_i(b, FL_I64, 1)), fl_scalar_i(b, FL_I64, 0));
    fl_ref mask = counted(b, index, padding);
    fl_ref sizes = fl_scatter_rows(b, FL_OP_add, fl_zeros(b, index_dtype, 1, &bags), 0, bag,
                                   ones_where(b, mask, n, index_dtype));
    fl_ref rows = fl_cast(b, fl_index_select(b, table, 0, index), math), out, from = sizes;
    if (mode == BAG_MAX) {
        out = bag_maxima(b, rows, mask, bag, index, bags, &from);
    } else {
        if (fl_has(b, 6)) rows = fl_mul(b, rows, fl_along_dim(b, fl_in_cast(b, 6, math), rows, 0));
        rows = masked_rows(b, rows, mask, fl_scalar_f(b, math, 0));
        out = fl_scatter_rows(b, FL_OP_add, fl_zeros(b, math, 2, dims), 0, bag, rows);
        if (mode == BAG_MEAN) {
            fl_ref count = fl_max(b, fl_cast(b, sizes, math), fl_scalar_f(b, math, 1));
            out = fl_div(b, out, fl_along_dim(b, count, out, 0));
        }
    }
    fl_emit(b, fl_cast(b, out, dtype));
    fl_emit(b, fl_cast(b, bag, index_dtype));
    fl_emit(b, sizes);
    fl_emit(b, from);
}

typedef struct bag_arguments {
    int offset2bag, bag_size, max_indices, num_weights, scale_by_freq, mode, weights, padding;
} bag_arguments;

static void bag_backward(fl_builder *b, const bag_arguments *at)
{
    fl_ref dy = fl_in(b, 0), index = fl_in(b, 1), bag = fl_in(b, at->offset2bag),
           sizes = fl_in(b, at->bag_size);
    int mode = (int)fl_int(b, at->mode);
    int64_t table[2] = {fl_int(b, at->num_weights), fl_dim(b, dy, 1)}, n = fl_elements(b, index);
    if (!fl_ok(b)) return;
    fl_dtype dtype = fl_dtypeof(b, dy), math = fl_op_math(dtype);
    fl_ref g = fl_cast(b, dy, math), zero = fl_scalar_f(b, math, 0), zeros = fl_zeros(b, math, 2, table);
    index = fl_check_index(b, index, 0, table[0], BAD_INDEX);
    if (mode == BAG_MAX) {
        fl_ref full = fl_compare(b, FL_NE, sizes, fl_scalar_i(b, fl_dtypeof(b, sizes), 0));
        fl_ref from = fl_check_index(b, fl_in(b, at->max_indices), 0, table[0], BAD_INDEX);
        fl_emit(b, fl_cast(b, fl_scatter_along(b, FL_OP_add, zeros, 0, from, masked_rows(b, g, full, zero)),
                           dtype));
        return;
    }
    if (mode == BAG_MEAN) {
        fl_ref count = fl_max(b, fl_cast(b, sizes, math), fl_scalar_f(b, math, 1));
        g = fl_div(b, g, fl_along_dim(b, count, g, 0));
    }
    g = fl_index_select(b, g, 0, bag);
    if (fl_has(b, at->weights)) g = fl_mul(b, g, fl_along_dim(b, fl_in_cast(b, at->weights, math), g, 0));
    if (fl_bool(b, at->scale_by_freq)) {
        fl_ref counts = fl_scatter_rows(b, FL_OP_add, fl_zeros(b, math, 1, table), 0, index,
                                        ones_where(b, FL_NO_REF, n, math));
        g = fl_div(b, g, fl_along_dim(b, fl_index_select(b, counts, 0, index), g, 0));
    }
    g = masked_rows(b, g, counted(b, index, fl_int_or(b, at->padding, -1)), zero);
    fl_emit(b, fl_cast(b, fl_scatter_rows(b, FL_OP_add, zeros, 0, index, g), dtype));
}

/* backward(grad, indices, offsets, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq,
 * mode, sparse, per_sample_weights, padding_idx) */
FL_LOWER(embedding_bag_backward)
{
    if (fl_bool(b, 9)) {
        fl_unsupported(b, "sparse gradients");
        return;
    }
    bag_backward(b, &(bag_arguments){.offset2bag = 3,
                                     .bag_size = 4,
                                     .max_indices = 5,
                                     .num_weights = 6,
                                     .scale_by_freq = 7,
                                     .mode = 8,
                                     .weights = 10,
                                     .padding = 11});
}

/* dense_backward(grad, indices, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode,
 * per_sample_weights, padding_idx) */
FL_LOWER(embedding_bag_dense_backward)
{
    bag_backward(b, &(bag_arguments){.offset2bag = 2,
                                     .bag_size = 3,
                                     .max_indices = 4,
                                     .num_weights = 5,
                                     .scale_by_freq = 6,
                                     .mode = 7,
                                     .weights = 8,
                                     .padding = 9});
}

/* per_sample_weights_backward(grad, weight, indices, offsets, offset2bag, mode, padding_idx) */
FL_LOWER(embedding_bag_weights_backward)
{
    fl_ref dy = fl_in(b, 0), table = fl_in(b, 1), index = fl_in(b, 2), bag = fl_in(b, 4);
    if (!fl_ok(b)) return;
    fl_dtype dtype = fl_dtypeof(b, dy), math = fl_op_math(dtype);
    index = fl_check_index(b, index, 0, fl_dim(b, table, 0), BAD_INDEX);
    fl_ref g = fl_index_select(b, fl_cast(b, dy, math), 0, bag),
           rows = fl_cast(b, fl_index_select(b, table, 0, index), math);
    fl_ref sums = fl_reduce_dim(b, FL_OP_add, fl_mul(b, g, rows), 1, 0);
    fl_emit(b,
            fl_cast(b, masked_rows(b, sums, counted(b, index, fl_int_or(b, 6, -1)), fl_scalar_f(b, math, 0)),
                    dtype));
}

/* embedding_renorm_(self, indices, max_norm, norm_type): rows that are looked up and too long are scaled down
 */
FL_LOWER(embedding_renorm)
{
    fl_ref table = fl_in(b, 0), index = fl_flatten(b, fl_in(b, 1));
    double p = fl_static_double(b, 3);
    if (!fl_ok(b)) return;
    fl_dtype dtype = fl_dtypeof(b, table), math = fl_op_math(dtype);
    int64_t rows = fl_dim(b, table, 0), n = fl_elements(b, index);
    fl_ref wide = fl_cast(b, table, math), size = fl_abs(b, wide), norm, limit = fl_scalar(b, 2, math),
           one = fl_scalar_f(b, math, 1);
    index = fl_check_index(b, index, 0, rows, "embedding_renorm_");
    fl_ref used = fl_scatter_rows(b, FL_OP_or, fl_zeros(b, FL_I1, 1, &rows), 0, index,
                                  ones_where(b, FL_NO_REF, n, FL_I1));
    if (isinf(p))
        norm = fl_reduce_dim(b, FL_OP_maximum, size, 1, 0);
    else if (p == 1)
        norm = fl_reduce_dim(b, FL_OP_add, size, 1, 0);
    else if (p == 2)
        norm = fl_sqrt(b, fl_reduce_dim(b, FL_OP_add, fl_mul(b, size, size), 1, 0));
    else
        norm = fl_pow(b, fl_reduce_dim(b, FL_OP_add, fl_pow(b, size, fl_scalar_f(b, math, p)), 1, 0),
                      fl_scalar_f(b, math, 1 / p));
    fl_ref scale = fl_div(b, limit, fl_add(b, norm, fl_scalar_f(b, math, 1e-7)));
    scale = fl_select(b, fl_and(b, used, fl_compare(b, FL_GT, norm, limit)), scale, one);
    fl_emit(b, fl_mul(b, wide, fl_along_dim(b, scale, wide, 0)));
}
