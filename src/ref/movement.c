/* Sources and movement: every result element is found by computing where it comes from. */
#include "ref/interp.h"

fl_status fl_run_copy(const fl_call *call) /* reshape; with several operands, optimization_barrier */
{
    for (uint32_t i = 0; i < call->op->result_count; i++) fl_copy_value(&call->out[i], &call->in[i]);
    return NULL;
}

fl_status fl_run_constant(const fl_call *call)
{
    const fl_attr *value = fl_op_attr(call->op, FL_ATTR_value);
    if (value) fl_constant_expand(call->out->type, value, call->out->data);
    return NULL;
}

/* The 1-d operand `operand`, where there is one, must hold the result's shape: a program says the shape
 * twice. */
static fl_status check_shape(const fl_call *call, uint32_t operand)
{
    const fl_type *type = call->out->type;
    if (operand >= call->op->operand_count) return NULL;
    FL_CHECK(fl_type_elements(call->in[operand].type) == type->rank, FL_INVALID,
             "expected a shape of %d dimensions", type->rank);
    for (int d = 0; d < type->rank; d++)
        FL_CHECK(fl_get(&call->in[operand], d).i == type->dims[d], FL_INVALID,
                 "expected the shape of the result, size %lld in dimension %d, got %lld",
                 (long long)type->dims[d], d, (long long)fl_get(&call->in[operand], d).i);
    return NULL;
}

fl_status fl_run_dynamic_reshape(const fl_call *call)
{
    FL_TRY(check_shape(call, 1));
    FL_CHECK(fl_type_elements(call->in->type) == fl_type_elements(call->out->type), FL_INVALID,
             "expected as many elements in the result as in the operand");
    fl_copy_value(call->out, call->in);
    return NULL;
}

fl_status fl_run_iota(const fl_call *call)
{
    int64_t dim = fl_op_int(call->op, FL_ATTR_iota_dimension, 0);
    FL_TRY(check_shape(call, 0)); /* dynamic_iota has an operand */
    fl_dtype dtype = (fl_dtype)call->out->type->dtype;
    FL_EACH(index, i, call->out->type)
    fl_set(call->out, i,
           fl_is_float(dtype) || fl_is_complex(dtype) ? fl_real_scalar((double)index[dim])
                                                      : fl_int_scalar((uint64_t)index[dim]));
    return NULL;
}

/* Elements as a stream of bits, the first element and the lowest bits first. Sub-byte types take their bits
 * only. */
fl_status fl_run_bitcast(const fl_call *call)
{
    fl_dtype from = (fl_dtype)call->in->type->dtype, to = (fl_dtype)call->out->type->dtype;
    int from_bits = fl_dtypes[from].bits, to_bits = fl_dtypes[to].bits;
    if (from_bits % 8 == 0 && to_bits % 8 == 0) { /* the same bytes; fl_run_copy would count the result's */
        fl_copy_value(call->out, call->in);
        return NULL;
    }
    int64_t n = fl_type_elements(call->out->type), at = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        for (int b = 0; b < to_bits; b++, at++)
            bits |= (fl_scalar_bits(from, fl_get(call->in, at / from_bits)) >> at % from_bits & 1) << b;
        fl_set(call->out, i, fl_scalar_from_bits(to, bits));
    }
    return NULL;
}

static void broadcast(const fl_call *call, const int64_t *dims)
{
    const fl_type *x = call->in->type;
    FL_EACH(index, i, call->out->type)
    {
        int64_t from[FL_MAX_RANK];
        for (int d = 0; d < x->rank; d++) from[d] = x->dims[d] == 1 ? 0 : index[dims[d]];
        fl_copy_element(call->out, i, call->in, fl_offset(x, from));
    }
}

fl_status fl_run_broadcast_in_dim(const fl_call *call)
{
    FL_TRY(check_shape(call, 1)); /* dynamic_broadcast_in_dim has a second operand */
    broadcast(call, fl_op_ints(call->op, FL_ATTR_broadcast_dimensions, NULL));
    return NULL;
}

fl_status fl_run_broadcast(const fl_call *call) /* new dimensions in front */
{
    int64_t dims[FL_MAX_RANK];
    int rank = call->in->type->rank;
    for (int d = 0; d < rank; d++) dims[d] = call->out->type->rank - rank + d;
    broadcast(call, dims);
    return NULL;
}

fl_status fl_run_concatenate(const fl_call *call)
{
    int64_t dim = fl_op_int(call->op, FL_ATTR_dimension, 0);
    FL_EACH(index, i, call->out->type)
    {
        int64_t from[FL_MAX_RANK];
        memcpy(from, index, sizeof from);
        const fl_tensor *x = call->in;
        for (; from[dim] >= x->type->dims[dim]; x++) from[dim] -= x->type->dims[dim];
        fl_copy_element(call->out, i, x, fl_offset(x->type, from));
    }
    return NULL;
}

#define LIMIT ((int64_t)1 << 40) /* of numbers from the data: products with sizes fit 64 bits */

/* A list attribute, or for the dynamic forms of operations the 1-d operand `operand`. */
static void list_of(const fl_call *call, int dynamic, fl_attr_key key, uint32_t operand, int64_t fallback,
                    int64_t *out)
{
    int rank = call->out->type->rank;
    const int64_t *list = dynamic ? NULL : fl_op_ints(call->op, key, NULL);
    for (int d = 0; d < rank; d++)
        out[d] = dynamic ? fl_get(&call->in[operand], d).i : fl_list(list, d, fallback);
}

fl_status fl_run_pad(const fl_call *call)
{
    const fl_type *x = call->in->type;
    int dynamic = call->op->code == FL_OP_dynamic_pad;
    int64_t low[FL_MAX_RANK], interior[FL_MAX_RANK];
    list_of(call, dynamic, FL_ATTR_edge_padding_low, 2, 0, low);
    list_of(call, dynamic, FL_ATTR_interior_padding, 4, 0, interior);
    for (int d = 0; d < x->rank; d++) /* from the data: nothing below may overflow */
        FL_CHECK(low[d] > -LIMIT && low[d] < LIMIT && interior[d] >= 0 && interior[d] < LIMIT, FL_INVALID,
                 "expected padding that gives the result's shape");
    FL_EACH(index, i, call->out->type)
    {
        int64_t from[FL_MAX_RANK];
        int inside = 1;
        for (int d = 0; d < x->rank; d++) {
            int64_t at = index[d] - low[d], step = interior[d] + 1;
            from[d] = at / step;
            inside &= at >= 0 && at % step == 0 && from[d] < x->dims[d];
        }
        fl_copy_element(call->out, i, &call->in[!inside], inside ? fl_offset(x, from) : 0);
    }
    return NULL;
}

fl_status fl_run_reverse(const fl_call *call)
{
    uint32_t n;
    const int64_t *dims = fl_op_ints(call->op, FL_ATTR_dimensions, &n);
    const fl_type *x = call->in->type;
    FL_EACH(index, i, call->out->type)
    {
        int64_t from[FL_MAX_RANK];
        for (int d = 0; d < x->rank; d++)
            from[d] = fl_contains(dims, n, d) ? x->dims[d] - 1 - index[d] : index[d];
        fl_copy_element(call->out, i, call->in, fl_offset(x, from));
    }
    return NULL;
}

fl_status fl_run_slice(const fl_call *call)
{
    const fl_type *x = call->in->type;
    int dynamic = call->op->code == FL_OP_real_dynamic_slice;
    int64_t start[FL_MAX_RANK], stride[FL_MAX_RANK];
    list_of(call, dynamic, FL_ATTR_start_indices, 1, 0, start);
    list_of(call, dynamic, FL_ATTR_strides, 3, 1, stride);
    for (int d = 0; d < x->rank; d++)
        FL_CHECK(start[d] >= 0 && start[d] <= x->dims[d] && stride[d] > 0 && stride[d] < LIMIT, FL_INVALID,
                 "expected start indices within the operand and positive strides");
    FL_EACH(index, i, call->out->type)
    {
        int64_t from[FL_MAX_RANK];
        for (int d = 0; d < x->rank; d++) {
            from[d] = start[d] + index[d] * stride[d];
            FL_CHECK(from[d] >= 0 && from[d] < x->dims[d], FL_INDEX,
                     "%s: index %lld is out of bounds for size %lld", fl_op_infos[call->op->code].name,
                     (long long)from[d], (long long)x->dims[d]);
        }
        fl_copy_element(call->out, i, call->in, fl_offset(x, from));
    }
    return NULL;
}

fl_status fl_run_transpose(const fl_call *call)
{
    const int64_t *permutation = fl_op_ints(call->op, FL_ATTR_permutation, NULL);
    const fl_type *x = call->in->type;
    FL_EACH(index, i, call->out->type)
    {
        int64_t from[FL_MAX_RANK];
        for (int d = 0; d < x->rank; d++) from[permutation[d]] = index[d];
        fl_copy_element(call->out, i, call->in, fl_offset(x, from));
    }
    return NULL;
}

fl_status fl_run_set_dimension_size(const fl_call *call)
{
    int64_t dim = fl_op_int(call->op, FL_ATTR_dimension, 0), size = fl_get(&call->in[1], 0).i;
    FL_CHECK(size == call->out->type->dims[dim] && fl_type_equal(call->in->type, call->out->type),
             FL_UNSUPPORTED, "the reference interpreter has static sizes alone: expected %lld, got %lld",
             (long long)call->out->type->dims[dim], (long long)size);
    fl_copy_value(call->out, call->in);
    return NULL;
}

fl_status fl_run_dimension_size(const fl_call *call)
{
    int64_t dim = fl_op_int(call->op, FL_ATTR_dimension, 0);
    fl_set(call->out, 0, (fl_scalar){.i = call->in->type->dims[dim]});
    return NULL;
}
