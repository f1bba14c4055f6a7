/* Rules of operations that make, place and reorder elements. */
#include "ir/infer.h"
#include "base/checked.h"

/* Types below a byte have one byte for each element: nothing beyond their bits but a sign. */
static fl_status need_small_values(fl_dtype dtype, const uint8_t *bytes, uint32_t count)
{
    int bits = fl_dtypes[dtype].bits, is_signed = fl_dtype_kind(dtype) == FL_KIND_INT;
    if (bits >= 8) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        int rest = bytes[i] >> bits, negative = bytes[i] >> (bits - 1) & 1;
        FL_CHECK(!rest || (is_signed && negative && rest == 0xff >> bits), FL_INVALID,
                 "expected elements of %d bits (C1), got %d", bits, bytes[i]);
    }
    return NULL;
}

fl_status fl_infer_constant(const fl_program *p, const fl_op *op, fl_type *out)
{
    (void)p;
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_kind(out, FL_ANY));
    FL_TRY(fl_need_static(out, "a result", "C1"));
    FL_TRY(fl_type_check(out));
    const fl_attr *value = fl_op_attr(op, FL_ATTR_value);
    size_t bytes = fl_type_bytes(out), one = fl_dtype_bytes((fl_dtype)out->dtype);
    FL_CHECK(value && (value->count == bytes || (value->count == one && bytes)), FL_INVALID,
             "expected a value of %zu bytes, or of %zu for a splat (C1), got %u", bytes, one,
             value ? value->count : 0);
    return need_small_values((fl_dtype)out->dtype, value->u.dense, value->count);
}

fl_status fl_infer_iota(const fl_program *p, const fl_op *op, fl_type *out)
{
    (void)p;
    int dim;
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_kind(out, FL_INTS | FL_FLOATS | FL_COMPLEX | FL_QUANT));
    FL_TRY(fl_need_static(out, "a result", "C1"));
    return fl_need_dim(op, FL_ATTR_iota_dimension, out->rank, "C1", &dim);
}

/* As many elements in both, as far as the sizes are known. */
static fl_status need_elements(const fl_type *x, const fl_type *out, const char *constraint)
{
    char a[160], b[160];
    FL_TRY(fl_type_check(out));
    if (!fl_type_is_static(x) || !fl_type_is_static(out)) return NULL;
    FL_CHECK(fl_type_elements(x) == fl_type_elements(out), FL_INVALID,
             "expected as many elements as %s, got %s (%s)", fl_type_text(x, a, sizeof a),
             fl_type_text(out, b, sizeof b), constraint);
    return NULL;
}

fl_status fl_infer_reshape(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_ANY));
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_kind(out, FL_ANY));
    FL_TRY(need_elements(x, out, "C2"));
    return fl_rule_reshape(x, out);
}

fl_status fl_infer_dynamic_reshape(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *shape = fl_operand_type(p, op, 1);
    int64_t dims[FL_MAX_RANK];
    FL_TRY(fl_infer_reshape(p, op, out));
    FL_TRY(fl_need_vector(shape, out->rank, "output_shape", "C4"));
    int n = fl_constant_ints(p, op->operands[1], dims, FL_MAX_RANK);
    for (int i = 0; i < n; i++)
        FL_CHECK(dims[i] >= 0 && fl_same_or_open(out->dims[i], dims[i]), FL_INVALID,
                 "expected size %lld of dimension %d, got %lld (C4)", (long long)dims[i], i,
                 (long long)out->dims[i]);
    return NULL;
}

/* A wider type gathers the last dimension into one element; a narrower one splits an element into a new last
 * dimension. */
fl_status fl_infer_bitcast_convert(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_ANY));
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_kind(out, FL_ANY));
    int from = fl_dtypes[x->dtype].bits, to = fl_dtypes[out->dtype].bits;
    FL_CHECK(fl_is_complex((fl_dtype)x->dtype) == fl_is_complex((fl_dtype)out->dtype), FL_INVALID,
             "expected both element types complex or none (C2)");
    if (from == to) return fl_settle_as(out, out, FL_MATCH_ELEMENT, x->rank, x->dims, "C1");
    int ratio = from > to ? from / to : to / from;
    FL_CHECK(ratio * (from > to ? to : from) == (from > to ? from : to), FL_INVALID,
             "expected widths of which one divides the other (C1), got %d and %d bits", from, to);
    if (from > to) {
        FL_CHECK(x->rank < FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions", FL_MAX_RANK);
        int64_t dims[FL_MAX_RANK];
        for (int i = 0; i < x->rank; i++) dims[i] = x->dims[i];
        dims[x->rank] = ratio;
        return fl_settle_as(out, out, FL_MATCH_ELEMENT, x->rank + 1, dims, "C1");
    }
    FL_CHECK(x->rank && fl_same_or_open(x->dims[x->rank - 1], ratio), FL_INVALID,
             "expected a last dimension of size %d (C1)", ratio);
    return fl_settle_as(out, out, FL_MATCH_ELEMENT, x->rank - 1, x->dims, "C1");
}

fl_status fl_infer_broadcast(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    uint32_t n;
    const int64_t *sizes = fl_op_ints(op, FL_ATTR_broadcast_sizes, &n);
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_CHECK(n <= FL_MAX_RANK && n + x->rank <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions",
             FL_MAX_RANK);
    int64_t dims[FL_MAX_RANK];
    for (uint32_t i = 0; i < n; i++) {
        FL_CHECK(sizes[i] >= 0, FL_INVALID, "expected broadcast_sizes of at least 0, got %lld",
                 (long long)sizes[i]);
        dims[i] = sizes[i];
    }
    for (int i = 0; i < x->rank; i++) dims[n + (uint32_t)i] = x->dims[i];
    return fl_settle_as(out, x, FL_MATCH_ELEMENT, (int)n + x->rank, dims, "operand's dimensions last");
}

fl_status fl_infer_broadcast_in_dim(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    uint32_t n;
    const int64_t *dims;
    FL_TRY(fl_need_kind(x, FL_ANY));
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_kind(out, FL_ANY));
    FL_TRY(fl_type_check(out));
    FL_TRY(fl_need_dims(op, FL_ATTR_broadcast_dimensions, out->rank, "C3, C4", &dims, &n, NULL));
    FL_CHECK(n == x->rank, FL_INVALID, "expected %d broadcast_dimensions (C2), got %u", x->rank, n);
    for (uint32_t i = 0; i < n; i++)
        FL_CHECK(x->dims[i] == 1 || fl_same_or_open(x->dims[i], out->dims[dims[i]]), FL_INVALID,
                 "expected size 1 or %lld for dimension %u (C5), got %lld", (long long)out->dims[dims[i]], i,
                 (long long)x->dims[i]);
    return fl_rule_broadcast(x, out, dims);
}

fl_status fl_infer_concatenate(const fl_program *p, const fl_op *op, fl_type *out)
{
    int dim;
    FL_CHECK(op->operand_count, FL_INVALID, "expected at least one operand (C3)");
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_TRY(fl_need_dim(op, FL_ATTR_dimension, x->rank, "C4", &dim));
    fl_type sum = *x;
    if (x->more && x->more->bounds) sum = fl_type_make((fl_dtype)x->dtype, x->rank, x->dims);
    for (uint32_t i = 1; i < op->operand_count; i++) {
        const fl_type *t = fl_operand_type(p, op, i);
        fl_type other = *t;
        if (other.rank == x->rank) other.dims[dim] = x->dims[dim];
        FL_TRY(
            fl_need_match(&other, x, FL_MATCH_TYPE, "operand but for the concatenated dimension", "C1, C2"));
        for (int k = 0; k < x->rank; k++)
            if (k != dim) sum.dims[k] = fl_known_dim(sum.dims[k], t->dims[k]);
        if (fl_is_open(sum.dims[dim]) || fl_is_open(t->dims[dim]))
            sum.dims[dim] = FL_DYNAMIC;
        else
            FL_CHECK(fl_add_i64(sum.dims[dim], t->dims[dim], &sum.dims[dim]), FL_INVALID,
                     "the size overflows");
    }
    return fl_settle_as(out, x, FL_MATCH_ELEMENT, x->rank, sum.dims, "C5, C6");
}

/* The size of a padded dimension, open if it was. */
static fl_status padded_size(int i, int64_t size, int64_t low, int64_t high, int64_t interior, int64_t *out)
{
    int64_t n;
    FL_CHECK(interior >= 0, FL_INVALID, "expected interior_padding of at least 0 (C3), got %lld",
             (long long)interior);
    FL_CHECK(fl_is_sane_step(interior, size) && fl_is_sane_padding(low) && fl_is_sane_padding(high),
             FL_UNSUPPORTED, "expected padding that fits, got %lld, %lld and %lld for dimension %d (C4)",
             (long long)low, (long long)high, (long long)interior, i);
    *out = FL_DYNAMIC;
    if (fl_is_open(size)) return NULL;
    int fits = fl_mul_i64(size ? size - 1 : 0, interior, &n) && fl_add_i64(n, size, &n) &&
               fl_add_i64(n, low, &n) && fl_add_i64(n, high, &n);
    FL_CHECK(fits && n >= 0, FL_INVALID, "expected a size of at least 0 for dimension %d (C4)", i);
    *out = n;
    return NULL;
}

fl_status fl_infer_pad(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    const int64_t *low, *high, *interior;
    int64_t dims[FL_MAX_RANK];
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_TRY(fl_need_scalar(fl_operand_type(p, op, 1), x, "padding value", "C1"));
    FL_TRY(fl_need_ints(op, FL_ATTR_edge_padding_low, x->rank, "C2", &low));
    FL_TRY(fl_need_ints(op, FL_ATTR_edge_padding_high, x->rank, "C2", &high));
    FL_TRY(fl_need_ints(op, FL_ATTR_interior_padding, x->rank, "C2", &interior));
    for (int i = 0; i < x->rank; i++)
        FL_TRY(padded_size(i, x->dims[i], low[i], high[i], interior[i], &dims[i]));
    return fl_settle_as(out, x, FL_MATCH_ELEMENT, x->rank, dims, "C1, C4");
}

fl_status fl_infer_dynamic_pad(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const char *const names[] = {"edge_padding_low", "edge_padding_high", "interior_padding"};
    const fl_type *x = fl_operand_type(p, op, 0);
    int64_t dims[FL_MAX_RANK], amounts[3][FL_MAX_RANK];
    int known = 1;
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_TRY(fl_need_scalar(fl_operand_type(p, op, 1), x, "padding value", "C1"));
    for (uint32_t i = 0; i < 3; i++) {
        FL_TRY(fl_need_vector(fl_operand_type(p, op, 2 + i), x->rank, names[i], "C2"));
        known &= fl_constant_ints(p, op->operands[2 + i], amounts[i], FL_MAX_RANK) == x->rank;
    }
    for (int i = 0; i < x->rank; i++) {
        dims[i] = FL_DYNAMIC;
        if (known) FL_TRY(padded_size(i, x->dims[i], amounts[0][i], amounts[1][i], amounts[2][i], &dims[i]));
    }
    return fl_settle_as(out, x, FL_MATCH_ELEMENT, x->rank, dims, "C1, C4");
}

fl_status fl_infer_reverse(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_TRY(fl_need_dims(op, FL_ATTR_dimensions, x->rank, "C2, C3", NULL, NULL, NULL));
    return fl_settle(out, x, FL_MATCH_TYPE, "C1");
}

fl_status fl_infer_slice(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    const int64_t *start, *limit, *strides;
    int64_t dims[FL_MAX_RANK];
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_TRY(fl_need_ints(op, FL_ATTR_start_indices, x->rank, "C2", &start));
    FL_TRY(fl_need_ints(op, FL_ATTR_limit_indices, x->rank, "C2", &limit));
    FL_TRY(fl_need_ints(op, FL_ATTR_strides, x->rank, "C2", &strides));
    for (int i = 0; i < x->rank; i++) {
        int64_t size = fl_is_open(x->dims[i]) ? fl_bound_of(x, i) : x->dims[i],
                most = fl_is_open(size) ? INT64_MAX : size;
        FL_CHECK(0 <= start[i] && start[i] <= limit[i] && limit[i] <= most, FL_INVALID,
                 "expected 0 <= start <= limit <= %lld for dimension %d (C3), got %lld and %lld",
                 (long long)most, i, (long long)start[i], (long long)limit[i]);
        FL_CHECK(strides[i] > 0, FL_INVALID, "expected a positive stride (C4), got %lld",
                 (long long)strides[i]);
        dims[i] = limit[i] == start[i] ? 0 : (limit[i] - start[i] - 1) / strides[i] + 1;
        FL_CHECK(fl_is_sane_step(strides[i], dims[i]), FL_UNSUPPORTED,
                 "expected a stride of at most %d, got %lld", INT32_MAX, (long long)strides[i]);
        if (!fl_is_open(size) && fl_is_open(x->dims[i]))
            dims[i] = FL_DYNAMIC; /* a bound says less than a size */
    }
    return fl_settle_as(out, x, FL_MATCH_ELEMENT, x->rank, dims, "C1, C5");
}

fl_status fl_infer_transpose(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    const int64_t *permutation;
    int64_t dims[FL_MAX_RANK];
    uint32_t n;
    FL_TRY(fl_need_kind(x, FL_ANY));
    FL_TRY(fl_need_dims(op, FL_ATTR_permutation, x->rank, "C2", &permutation, &n, NULL));
    FL_CHECK(n == x->rank, FL_INVALID, "expected a permutation of %d dimensions (C2), got %u", x->rank, n);
    for (uint32_t i = 0; i < n; i++) dims[i] = x->dims[permutation[i]];
    FL_TRY(fl_settle_as(out, x, FL_MATCH_ELEMENT | FL_MATCH_SCALES, x->rank, dims, "C1, C3"));
    const fl_quant *from = fl_type_quant(x), *to = fl_type_quant(out);
    FL_CHECK(!to || to->axis < 0 || from->axis == permutation[to->axis], FL_INVALID,
             "expected quantized dimension %d, got %lld (C4)", from->axis, (long long)permutation[to->axis]);
    return NULL;
}
