/* Bounds of integers that follow from how they are made: iotas, constants, remainders, and arithmetic of those. */
#include "opt/edit.h"

#include <string.h>

enum { MOST_DEPTH = 6, MOST_LOOKED_AT = 256 /* elements of a constant */ };

static fl_int_range range_of(const fl_editor *e, fl_ref value, int depth);

/* All that the type can hold; of u64 what does not fit into an i64 is left open by saying so of everything. */
static fl_int_range of_type(fl_dtype dtype)
{
    int bits = fl_dtypes[dtype].bits;
    switch (fl_dtype_kind(dtype)) {
    case FL_KIND_BOOL: return (fl_int_range){0, 1};
    case FL_KIND_INT:
        return (fl_int_range){(int64_t)(~0ull << (bits - 1)), (int64_t)(UINT64_MAX >> (65 - bits))};
    case FL_KIND_UINT:
        if (bits < 64) return (fl_int_range){0, (int64_t)((1ull << bits) - 1)};
        break;
    default: break;
    }
    return (fl_int_range){INT64_MIN, INT64_MAX};
}

static int is_within(fl_int_range a, fl_int_range b)
{
    return a.low >= b.low && a.high <= b.high;
}

static fl_int_range join(fl_int_range a, fl_int_range b)
{
    return (fl_int_range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static fl_int_range of_constant(const fl_op *op, const fl_type *type, fl_int_range whole)
{
    const fl_attr *a = fl_op_attr(op, FL_ATTR_value);
    size_t size = fl_dtype_bytes((fl_dtype)type->dtype);
    uint64_t n = a ? a->count / size : 0;
    fl_int_range r = {INT64_MAX, INT64_MIN};
    if (!n || n > MOST_LOOKED_AT || type->dtype == FL_U64) return whole;
    for (uint64_t i = 0; i < n; i++) {
        fl_number x;
        if (!fl_number_load((fl_dtype)type->dtype, (const char *)a->u.dense + i * size, &x)) return whole;
        r = join(r, (fl_int_range){x.integer, x.integer});
    }
    return is_within(r, whole) ? r : whole;
}

/* a OP b for all in the ranges, unless that may wrap. */
static fl_int_range of_arithmetic(uint16_t code, fl_int_range a, fl_int_range b, fl_int_range whole)
{
    int64_t v[4];
    int over;
    if (code == FL_OP_add) {
        over = __builtin_add_overflow(a.low, b.low, &v[0]) | __builtin_add_overflow(a.high, b.high, &v[1]);
        v[2] = v[0], v[3] = v[1];
    } else if (code == FL_OP_subtract) {
        over = __builtin_sub_overflow(a.low, b.high, &v[0]) | __builtin_sub_overflow(a.high, b.low, &v[1]);
        v[2] = v[0], v[3] = v[1];
    } else {
        over = __builtin_mul_overflow(a.low, b.low, &v[0]) | __builtin_mul_overflow(a.high, b.high, &v[1]) |
               __builtin_mul_overflow(a.low, b.high, &v[2]) | __builtin_mul_overflow(a.high, b.low, &v[3]);
    }
    fl_int_range r = {INT64_MAX, INT64_MIN};
    for (int i = 0; !over && i < 4; i++) r = join(r, (fl_int_range){v[i], v[i]});
    return !over && is_within(r, whole) ? r : whole;
}

/* The sign of a remainder is the dividend's. */
static fl_int_range of_remainder(fl_int_range a, fl_int_range b, fl_int_range whole)
{
    if (b.low <= 0 || b.high == INT64_MAX) return whole;
    int64_t most = b.high - 1;
    fl_int_range r = {a.low >= 0      ? 0
                      : a.low > -most ? a.low
                                      : -most,
                      a.high <= 0     ? 0
                      : a.high < most ? a.high
                                      : most};
    return r;
}

static fl_int_range of_operands(const fl_editor *e, const fl_op *op, uint32_t first, uint32_t end, int depth)
{
    fl_int_range r = {INT64_MAX, INT64_MIN};
    for (uint32_t i = first; i < end; i++) r = join(r, range_of(e, op->operands[i], depth));
    return r;
}

static fl_int_range of_op(const fl_editor *e, const fl_op *op, const fl_type *type, fl_int_range whole,
                          int depth)
{
    fl_int_range a = whole, b = whole;
    if (op->operand_count) a = range_of(e, op->operands[0], depth);
    if (op->operand_count > 1) b = range_of(e, op->operands[1], depth);
    switch (op->code) {
    case FL_OP_constant: return of_constant(op, type, whole);
    case FL_OP_iota: {
        int64_t n = type->dims[fl_op_int(op, FL_ATTR_iota_dimension, 0)];
        return n > 0 && n - 1 <= whole.high ? (fl_int_range){0, n - 1} : whole;
    }
    case FL_OP_add:
    case FL_OP_subtract:
    case FL_OP_multiply: return of_arithmetic(op->code, a, b, whole);
    case FL_OP_remainder: return of_remainder(a, b, whole);
    case FL_OP_maximum:
        return (fl_int_range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    case FL_OP_minimum:
        return (fl_int_range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
    case FL_OP_clamp: {
        fl_int_range c = range_of(e, op->operands[2], depth);
        int64_t low = a.low > b.low ? a.low : b.low, high = a.high > b.high ? a.high : b.high;
        return (fl_int_range){low < c.low ? low : c.low, high < c.high ? high : c.high};
    }
    case FL_OP_and:
        if (type->dtype == FL_I1 || a.low < 0 || b.low < 0) return whole;
        return (fl_int_range){0, a.high < b.high ? a.high : b.high};
    case FL_OP_convert: {
        fl_kind from = fl_dtype_kind((fl_dtype)fl_edit_type(e, op->operands[0])->dtype);
        int whole_numbers = from == FL_KIND_BOOL || from == FL_KIND_INT || from == FL_KIND_UINT;
        return whole_numbers && is_within(a, whole) ? a : whole;
    }
    case FL_OP_select: return of_operands(e, op, 1, 3, depth);
    case FL_OP_concatenate:
        return op->operand_count && op->operand_count <= 4 ? of_operands(e, op, 0, op->operand_count, depth)
                                                           : whole;
    case FL_OP_pad: return join(a, b);
    case FL_OP_broadcast:
    case FL_OP_broadcast_in_dim:
    case FL_OP_reshape:
    case FL_OP_transpose:
    case FL_OP_reverse:
    case FL_OP_slice:
    case FL_OP_gather:
    case FL_OP_dynamic_slice: return a;
    default: return whole;
    }
}

static fl_int_range range_of(const fl_editor *e, fl_ref value, int depth)
{
    const fl_type *type = fl_edit_type(e, value);
    const fl_op *op = fl_edit_def(e, value);
    fl_int_range whole = of_type((fl_dtype)type->dtype);
    fl_kind kind = fl_dtype_kind((fl_dtype)type->dtype);
    int integers = kind == FL_KIND_BOOL || kind == FL_KIND_INT || kind == FL_KIND_UINT;
    if (!op || !integers || depth >= MOST_DEPTH || !fl_type_is_plain(type)) return whole;
    int moves = op->code == FL_OP_reshape || op->code == FL_OP_broadcast_in_dim || op->code == FL_OP_slice;
    if (type->dtype == FL_U64 && op->code != FL_OP_iota && !moves) return whole;
    return of_op(e, op, type, whole, depth + 1);
}

fl_int_range fl_edit_range(const fl_editor *e, fl_ref value)
{
    return range_of(e, value, 0);
}
