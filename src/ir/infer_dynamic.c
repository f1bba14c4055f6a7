/* Rules of operations whose shapes are operands. What is a constant is checked at once, what is not when it has become one
 * (see refine.c). */
#include "ir/infer.h"

/* `ref` is the shape of `out`: so many integers, and where it is a constant these sizes. */
static fl_status need_shape(const fl_program *p, fl_ref ref, const fl_type *out, const char *what,
                            const char *constraint)
{
    int64_t dims[FL_MAX_RANK];
    FL_TRY(fl_need_vector(fl_type_of(p, ref), out->rank, what, constraint));
    int n = fl_constant_ints(p, ref, dims, FL_MAX_RANK);
    for (int i = 0; i < n; i++)
        FL_CHECK(dims[i] >= 0 && fl_same_or_open(out->dims[i], dims[i]), FL_INVALID,
                 "expected size %lld of dimension %d, got %lld (%s)", (long long)dims[i], i,
                 (long long)out->dims[i], constraint);
    return NULL;
}

/* known_expanding_dimensions and known_nonexpanding_dimensions: apart, and in range. */
static fl_status need_hints(const fl_op *op, int rank)
{
    uint32_t expanding, other;
    FL_TRY(fl_need_dims(op, FL_ATTR_known_expanding_dimensions, rank, "C8, C9", NULL, NULL, &expanding));
    FL_TRY(fl_need_dims(op, FL_ATTR_known_nonexpanding_dimensions, rank, "C8, C10", NULL, NULL, &other));
    FL_CHECK(!(expanding & other), FL_INVALID, "expected no dimension to be expanding and nonexpanding (C8)");
    return NULL;
}

fl_status fl_infer_dynamic_broadcast_in_dim(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_infer_broadcast_in_dim(p, op, out));
    FL_TRY(need_shape(p, op->operands[1], out, "output_dimensions", "C7"));
    return need_hints(op, fl_operand_type(p, op, 0)->rank);
}

fl_status fl_infer_dynamic_iota(const fl_program *p, const fl_op *op, fl_type *out)
{
    int dim;
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_kind(out, FL_INTS | FL_FLOATS | FL_COMPLEX | FL_QUANT));
    FL_TRY(fl_need_dim(op, FL_ATTR_iota_dimension, out->rank, "C1", &dim));
    return need_shape(p, op->operands[0], out, "output_shape", "C2");
}

fl_status fl_infer_real_dynamic_slice(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const char *const names[] = {"start_indices", "limit_indices", "strides"};
    const fl_type *x = fl_operand_type(p, op, 0);
    int64_t dims[FL_MAX_RANK], values[3][FL_MAX_RANK];
    int known = 1;
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    for (uint32_t i = 0; i < 3; i++) {
        FL_TRY(fl_need_vector(fl_operand_type(p, op, 1 + i), x->rank, names[i], "C2"));
        known &= fl_constant_ints(p, op->operands[1 + i], values[i], FL_MAX_RANK) == x->rank;
    }
    for (int i = 0; i < x->rank; i++) {
        dims[i] = FL_DYNAMIC;
        if (!known) continue;
        int64_t start = values[0][i], limit = values[1][i], stride = values[2][i];
        int64_t most = fl_is_open(x->dims[i]) ? INT64_MAX : x->dims[i];
        FL_CHECK(0 <= start && start <= limit && limit <= most, FL_INVALID,
                 "expected 0 <= start <= limit <= %lld for dimension %d (C3), got %lld and %lld",
                 (long long)most, i, (long long)start, (long long)limit);
        FL_CHECK(stride > 0, FL_INVALID, "expected a positive stride (C4), got %lld", (long long)stride);
        dims[i] = limit == start ? 0 : (limit - start - 1) / stride + 1;
    }
    return fl_settle_as(out, x, FL_MATCH_ELEMENT, x->rank, dims, "C1, C5");
}

fl_status fl_infer_get_dimension_size(const fl_program *p, const fl_op *op, fl_type *out)
{
    int dim;
    const fl_type *x = fl_operand_type(p, op, 0);
    fl_type size = fl_type_make(FL_I32, 0, NULL);
    FL_TRY(fl_need_kind(x, FL_ANY));
    FL_TRY(fl_need_dim(op, FL_ATTR_dimension, x->rank, "C1", &dim));
    return fl_settle(out, &size, FL_MATCH_TYPE, "a size");
}

fl_status fl_infer_set_dimension_size(const fl_program *p, const fl_op *op, fl_type *out)
{
    int dim;
    const fl_type *x = fl_operand_type(p, op, 0);
    fl_type size = fl_type_make(FL_I32, 0, NULL);
    int64_t dims[FL_MAX_RANK], value, most;
    FL_TRY(fl_need_kind(x, FL_ANY));
    FL_TRY(fl_need_dim(op, FL_ATTR_dimension, x->rank, "C1", &dim));
    FL_TRY(fl_need_match(fl_operand_type(p, op, 1), &size, FL_MATCH_TYPE, "size", "a 32-bit size"));
    most = fl_is_open(x->dims[dim]) ? fl_bound_of(x, dim) : x->dims[dim];
    if (fl_constant_ints(p, op->operands[1], &value, 1) == 1)
        FL_CHECK(value >= 0 && (fl_is_open(most) || value <= most), FL_INVALID,
                 "expected a size within [0, %lld], got %lld", (long long)most, (long long)value);
    for (int i = 0; i < x->rank; i++) dims[i] = i == dim ? FL_DYNAMIC : x->dims[i];
    return fl_settle_as(out, x, FL_MATCH_ELEMENT, x->rank, dims, "the operand's type but for the dimension");
}
