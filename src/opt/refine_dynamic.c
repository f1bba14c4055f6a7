/* Dynamic operations in their static forms, for operands whose values are known. */
#include "opt/refine.h"

#include "base/checked.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ATTRS = 24 };

int64_t fl_known_int(const fl_refiner *r, fl_ref value, int64_t i)
{
    const void *data = r->known[value];
    switch (fl_dtypeof(&r->b, value)) {
    case FL_I1:
    case FL_U2:
    case FL_U4:
    case FL_U8: return ((const uint8_t *)data)[i];
    case FL_I2:
    case FL_I4:
    case FL_I8: return ((const int8_t *)data)[i];
    case FL_I16: return ((const int16_t *)data)[i];
    case FL_U16: return ((const uint16_t *)data)[i];
    case FL_I32: return ((const int32_t *)data)[i];
    case FL_U32: return ((const uint32_t *)data)[i];
    default: return ((const int64_t *)data)[i];
    }
}

const int64_t *fl_known_ints(fl_refiner *r, fl_ref value, uint32_t *out_count)
{
    if (value >= r->known_capacity || !r->known[value]) return NULL;
    fl_dtype dtype = fl_dtypeof(&r->b, value);
    if (!fl_is_int(dtype) && dtype != FL_I1) return NULL;
    int64_t n = fl_elements(&r->b, value);
    int64_t *ints = FL_NEW_ARRAY(&r->scratch, int64_t, n + 1);
    if (!ints) fl_builder_fail(&r->b, fl_error(FL_OOM, "out of host memory"));
    for (int64_t i = 0; ints && i < n; i++) ints[i] = fl_known_int(r, value, i);
    *out_count = (uint32_t)n;
    return ints;
}

/* The operation's attributes and one more. */
static fl_ref build(fl_refiner *r, fl_opcode code, const fl_op *op, const fl_ref *operands,
                    uint32_t operand_count, const fl_attr *more, uint32_t more_count, const fl_type *result)
{
    fl_attr attrs[MOST_ATTRS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->attr_count && n + more_count < MOST_ATTRS; i++) {
        int replaced = 0;
        for (uint32_t k = 0; k < more_count; k++) replaced |= more[k].key == op->attrs[i].key;
        if (!replaced) attrs[n++] = op->attrs[i];
    }
    for (uint32_t k = 0; k < more_count; k++) attrs[n++] = more[k];
    return fl_build_refined(&r->b, code, operands, operand_count, attrs, n, NULL, 0, result, 1);
}

static fl_attr ints_attr(fl_attr_key key, const int64_t *ints, uint32_t count)
{
    return (fl_attr){.key = (uint16_t)key, .count = count, .u.ints = ints};
}

/* The result type with the sizes that a shape operand gives. */
fl_status fl_type_sized(const fl_type *stated, const int64_t *sizes, uint32_t count, fl_type *out)
{
    FL_CHECK(count <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions, got %u", FL_MAX_RANK,
             count);
    FL_CHECK(stated->kind == FL_TYPE_UNRANKED || stated->rank == count, FL_INVALID,
             "expected a shape of %d sizes, got %u", stated->rank, count);
    *out = fl_type_make((fl_dtype)stated->dtype, (int)count, sizes);
    if (stated->more) out->more = stated->more;
    for (uint32_t i = 0; i < count; i++) {
        FL_CHECK(sizes[i] >= 0, FL_INVALID, "expected a size of at least 0 for dimension %u, got %lld", i,
                 (long long)sizes[i]);
        FL_CHECK(stated->kind == FL_TYPE_UNRANKED || stated->dims[i] == FL_DYNAMIC ||
                     stated->dims[i] == sizes[i],
                 FL_INVALID, "expected size %lld for dimension %u, got %lld", (long long)stated->dims[i], i,
                 (long long)sizes[i]);
    }
    return NULL;
}

/* dynamic_reshape, dynamic_broadcast_in_dim, dynamic_iota: the last operand is the shape. */
static fl_status shaped(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    static const struct {
        fl_opcode dynamic, plain;
    } forms[] = {{FL_OP_dynamic_reshape, FL_OP_reshape},
                 {FL_OP_dynamic_broadcast_in_dim, FL_OP_broadcast_in_dim},
                 {FL_OP_dynamic_iota, FL_OP_iota}};
    fl_opcode code = FL_OP_NONE;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].dynamic == op->code) code = forms[i].plain;
    uint32_t n, last = op->operand_count - 1u;
    const int64_t *sizes = fl_known_ints(r, operands[last], &n);
    if (!sizes) return NULL;
    fl_type type;
    FL_TRY(fl_type_sized(fl_type_of(r->from, op->first_result), sizes, n, &type));
    if (type.dtype == FL_IDX) type.dtype = FL_I64;
    fl_attr keep[1];
    uint32_t kept = 0;
    fl_attr_key key = code == FL_OP_iota ? FL_ATTR_iota_dimension : FL_ATTR_broadcast_dimensions;
    const fl_attr *a = fl_op_attr(op, key);
    if (a) keep[kept++] = *a;
    r->map[op->first_result] = fl_build_refined(&r->b, code, operands, last, keep, kept, NULL, 0, &type, 1);
    *done = 1;
    return NULL;
}

/* dynamic_pad, real_dynamic_slice: three lists become attributes. */
static fl_status lists(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    int pad = op->code == FL_OP_dynamic_pad;
    static const fl_attr_key keys[2][3] = {
        {FL_ATTR_start_indices, FL_ATTR_limit_indices, FL_ATTR_strides},
        {FL_ATTR_edge_padding_low, FL_ATTR_edge_padding_high, FL_ATTR_interior_padding}};
    uint32_t first = pad ? 2 : 1;
    fl_attr attrs[3];
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t n;
        const int64_t *values = fl_known_ints(r, operands[first + i], &n);
        if (!values) return NULL;
        attrs[i] = ints_attr(keys[pad][i], values, n);
    }
    r->map[op->first_result] = fl_build_refined(&r->b, pad ? FL_OP_pad : FL_OP_slice, operands, first, attrs,
                                                3, NULL, 0, fl_type_of(r->from, op->first_result), 1);
    *done = 1;
    return NULL;
}

/* dynamic_gather, dynamic_conv: the last operand becomes an attribute. */
static fl_status last_list(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    int gather = op->code == FL_OP_dynamic_gather;
    uint32_t n;
    const int64_t *values = fl_known_ints(r, operands[2], &n);
    if (!values) return NULL;
    fl_attr attr = ints_attr(gather ? FL_ATTR_slice_sizes : FL_ATTR_padding, values, n);
    r->map[op->first_result] = build(r, gather ? FL_OP_gather : FL_OP_convolution, op, operands, 2, &attr, 1,
                                     fl_type_of(r->from, op->first_result));
    *done = 1;
    return NULL;
}

static fl_status dimension_size(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    int64_t dim = fl_op_int(op, FL_ATTR_dimension, 0), size = fl_dim(&r->b, operands[0], (int)dim);
    if (op->code == FL_OP_get_dimension_size) {
        FL_CHECK(size <= INT32_MAX, FL_UNSUPPORTED, "expected a size that fits an i32, got %lld",
                 (long long)size);
        r->map[op->first_result] = fl_scalar_i(&r->b, FL_I32, size);
        *done = 1;
        return NULL;
    }
    uint32_t n;
    const int64_t *wanted = fl_known_ints(r, operands[1], &n);
    FL_CHECK(wanted && *wanted == size, FL_UNSUPPORTED,
             "expected the size of the whole dimension, %lld: a part of one is not supported",
             (long long)size);
    r->map[op->first_result] = operands[0];
    *done = 1;
    return NULL;
}

fl_status fl_refine_dynamic(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    switch (op->code) {
    case FL_OP_dynamic_reshape:
    case FL_OP_dynamic_broadcast_in_dim:
    case FL_OP_dynamic_iota: return shaped(r, op, operands, done);
    case FL_OP_dynamic_pad:
    case FL_OP_real_dynamic_slice: return lists(r, op, operands, done);
    case FL_OP_dynamic_gather:
    case FL_OP_dynamic_conv: return last_list(r, op, operands, done);
    case FL_OP_get_dimension_size:
    case FL_OP_set_dimension_size: return dimension_size(r, op, operands, done);
    case FL_OP_custom_call: return fl_refine_custom_call(r, op, operands, done);
    default: return NULL;
    }
}
