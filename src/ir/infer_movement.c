#include "ir/infer.h"
#include "base/checked.h"

#include <string.h>

fl_status fl_infer_constant(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_infer_given(p, op, out));
    FL_TRY(fl_type_check(out));
    const fl_attr *value = fl_op_attr(op, FL_ATTR_value);
    FL_CHECK(fl_type_is_static(out), FL_INVALID, "expected a static type (C1)");
    size_t bytes = fl_type_bytes(out), one = fl_dtype_bytes((fl_dtype)out->dtype);
    FL_CHECK(value && (value->count == bytes || value->count == one), FL_INVALID,
             "expected a value of %zu bytes, or of %zu for a splat (C1), got %u", bytes, one, value ? value->count : 0);
    return NULL;
}

fl_status fl_infer_iota(const fl_program *p, const fl_op *op, fl_type *out)
{
    int dim;
    FL_TRY(fl_infer_given(p, op, out));
    FL_CHECK(out->dtype != FL_I1, FL_INVALID,
             "expected an integer, floating-point or complex element type, got i1");
    return fl_need_dim(op, FL_ATTR_iota_dimension, out->rank, &dim);
}

fl_status fl_infer_reshape(const fl_program *p, const fl_op *op, fl_type *out)
{
    char a[160], b[160];
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_infer_given(p, op, out));
    FL_TRY(fl_type_check(out));
    FL_CHECK(out->dtype == x->dtype, FL_INVALID, "expected element type %s (C1), got %s",
             fl_dtype_name(x->dtype), fl_dtype_name(out->dtype));
    FL_CHECK(fl_type_elements(x) == fl_type_elements(out), FL_INVALID,
             "expected as many elements as %s (C2), got %s", fl_type_text(x, a, sizeof a),
             fl_type_text(out, b, sizeof b));
    return NULL;
}

/* A wider type gathers the last dimension into one element; a narrower one splits an element into a new last
 * dimension. */
fl_status fl_infer_bitcast_convert(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_infer_given(p, op, out));
    const uint8_t dtype = out->dtype;
    const fl_type_more *more = out->more;
    int from = fl_dtypes[x->dtype].bits, to = fl_dtypes[dtype].bits;
    FL_CHECK(fl_is_complex(x->dtype) == fl_is_complex((fl_dtype)dtype), FL_INVALID,
             "expected both element types complex or none (C2)");
    *out = *x;
    out->dtype = dtype;
    out->more = more;
    if (from == to) return NULL;
    int ratio = from > to ? from / to : to / from;
    FL_CHECK(ratio * (from > to ? to : from) == (from > to ? from : to), FL_INVALID,
             "expected widths of which one divides the other (C1), got %d and %d bits", from, to);
    if (from > to) {
        FL_CHECK(x->rank < FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions", FL_MAX_RANK);
        out->dims[out->rank++] = ratio;
    } else {
        FL_CHECK(x->rank && x->dims[x->rank - 1] == ratio, FL_INVALID,
                 "expected a last dimension of size %d (C1)", ratio);
        out->dims[--out->rank] = 0;
    }
    return NULL;
}

fl_status fl_infer_broadcast(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    uint32_t n;
    const int64_t *sizes = fl_op_ints(op, FL_ATTR_broadcast_sizes, &n);
    FL_CHECK(n + x->rank <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions", FL_MAX_RANK);
    *out = fl_type_make(x->dtype, (int)n, sizes);
    for (int i = 0; i < x->rank; i++) out->dims[out->rank++] = x->dims[i];
    return NULL;
}

fl_status fl_infer_broadcast_in_dim(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    uint32_t n;
    const int64_t *dims;
    FL_TRY(fl_infer_given(p, op, out));
    FL_TRY(fl_type_check(out));
    FL_CHECK(out->dtype == x->dtype, FL_INVALID, "expected element type %s (C1), got %s",
             fl_dtype_name(x->dtype), fl_dtype_name(out->dtype));
    FL_TRY(fl_need_dims(op, FL_ATTR_broadcast_dimensions, out->rank, &dims, &n, NULL));
    FL_CHECK(n == x->rank, FL_INVALID, "expected %d broadcast_dimensions (C2), got %u", x->rank, n);
    for (uint32_t i = 0; i < n; i++)
        FL_CHECK(x->dims[i] == 1 || x->dims[i] == out->dims[dims[i]], FL_INVALID,
                 "expected size 1 or %lld for dimension %u (C5), got %lld", (long long)out->dims[dims[i]], i,
                 (long long)x->dims[i]);
    return NULL;
}

fl_status fl_infer_concatenate(const fl_program *p, const fl_op *op, fl_type *out)
{
    int dim;
    FL_CHECK(op->operand_count, FL_INVALID, "expected at least one operand (C3)");
    *out = *fl_operand_type(p, op, 0);
    FL_TRY(fl_need_dim(op, FL_ATTR_dimension, out->rank, &dim));
    for (uint32_t i = 1; i < op->operand_count; i++) {
        const fl_type *t = fl_operand_type(p, op, i);
        fl_type other = *t;
        if (other.rank == out->rank) other.dims[dim] = out->dims[dim];
        FL_TRY(fl_need_equal(&other, out, "operand but for the concatenated dimension (C1, C2)"));
        FL_CHECK(fl_add_i64(out->dims[dim], t->dims[dim], &out->dims[dim]), FL_INVALID, "the size overflows");
    }
    return NULL;
}

fl_status fl_infer_pad(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    const int64_t *low, *high, *interior;
    FL_TRY(fl_need_scalar(fl_operand_type(p, op, 1), x->dtype, "padding value (C1)"));
    FL_TRY(fl_need_ints(op, FL_ATTR_edge_padding_low, x->rank, &low));
    FL_TRY(fl_need_ints(op, FL_ATTR_edge_padding_high, x->rank, &high));
    FL_TRY(fl_need_ints(op, FL_ATTR_interior_padding, x->rank, &interior));
    *out = *x;
    for (int i = 0; i < x->rank; i++) {
        int64_t gaps = x->dims[i] ? x->dims[i] - 1 : 0, n;
        FL_CHECK(interior[i] >= 0, FL_INVALID, "expected interior_padding of at least 0 (C3), got %lld",
                 (long long)interior[i]);
        int fits = fl_mul_i64(gaps, interior[i], &n) && fl_add_i64(n, x->dims[i], &n) &&
                   fl_add_i64(n, low[i], &n) && fl_add_i64(n, high[i], &n);
        FL_CHECK(fits && n >= 0, FL_INVALID, "expected a size of at least 0 for dimension %d (C4)", i);
        out->dims[i] = n;
    }
    return NULL;
}

fl_status fl_infer_reverse(const fl_program *p, const fl_op *op, fl_type *out)
{
    *out = *fl_operand_type(p, op, 0);
    return fl_need_dims(op, FL_ATTR_dimensions, out->rank, NULL, NULL, NULL);
}

fl_status fl_infer_slice(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    const int64_t *start, *limit, *strides;
    FL_TRY(fl_need_ints(op, FL_ATTR_start_indices, x->rank, &start));
    FL_TRY(fl_need_ints(op, FL_ATTR_limit_indices, x->rank, &limit));
    FL_TRY(fl_need_ints(op, FL_ATTR_strides, x->rank, &strides));
    *out = *x;
    for (int i = 0; i < x->rank; i++) {
        FL_CHECK(0 <= start[i] && start[i] <= limit[i] && limit[i] <= x->dims[i], FL_INVALID,
                 "expected 0 <= start <= limit <= %lld for dimension %d (C3), got %lld and %lld",
                 (long long)x->dims[i], i, (long long)start[i], (long long)limit[i]);
        FL_CHECK(strides[i] > 0, FL_INVALID, "expected a positive stride (C4), got %lld",
                 (long long)strides[i]);
        out->dims[i] = limit[i] == start[i] ? 0 : (limit[i] - start[i] - 1) / strides[i] + 1;
    }
    return NULL;
}

fl_status fl_infer_transpose(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    const int64_t *permutation;
    uint32_t n;
    FL_TRY(fl_need_dims(op, FL_ATTR_permutation, x->rank, &permutation, &n, NULL));
    FL_CHECK(n == x->rank, FL_INVALID, "expected a permutation of %d dimensions (C2), got %u", x->rank, n);
    *out = *x;
    for (uint32_t i = 0; i < n; i++) out->dims[i] = x->dims[permutation[i]];
    return NULL;
}
