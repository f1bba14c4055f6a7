#include "ir/build_internal.h"
#include "base/f8.h"
#include "base/half.h"

#include <math.h>
#include <string.h>

fl_ref fl_constant(fl_builder *b, fl_type type, const void *dense)
{
    if (b->status) return FL_NO_REF;
    fl_status s = fl_type_check(&type);
    if (!s && fl_type_bytes(&type) > UINT32_MAX)
        s = fl_error(FL_UNSUPPORTED, "expected a constant below 4 GiB");
    if (s) {
        fl_builder_fail(b, s);
        return FL_NO_REF;
    }
    fl_attr attr = ATTR_DENSE(value, dense, fl_type_bytes(&type));
    return fl_build_typed(b, FL_OP_constant, NULL, 0, &attr, 1, NULL, 0, &type, 1);
}

/* double -> integer as a conversion does it: truncated, NaN 0, saturated */
static int64_t to_i64(double v)
{
    if (v != v) return 0;
    if (v >= 0x1p63) return INT64_MAX;
    return v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

static uint64_t to_u64(double v)
{
    if (!(v > 0)) return 0;
    return v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
}

static fl_ref scalar_bits(fl_builder *b, fl_dtype dtype, uint64_t low, uint64_t high)
{
    uint64_t bits[2] = {low, high};
    return fl_constant(b, fl_type_make(dtype, 0, NULL), bits);
}

static uint64_t f64_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    return bits;
}

/* Integers of fewer than 8 bits are kept sign or zero extended in their byte. */
static uint64_t int_bits(fl_dtype dtype, uint64_t v)
{
    int spare = 64 - fl_dtypes[dtype].bits;
    return fl_dtype_kind(dtype) == FL_KIND_INT ? (uint64_t)((int64_t)(v << spare) >> spare)
                                               : v << spare >> spare;
}

static int64_t int_most(fl_dtype dtype)
{
    return (int64_t)(UINT64_MAX >> (65 - fl_dtypes[dtype].bits));
}

fl_ref fl_scalar_f(fl_builder *b, fl_dtype dtype, double value)
{
    if (fl_is_f8(dtype)) return scalar_bits(b, dtype, fl_f8_from_f32(dtype, (float)value), 0);
    if (dtype == FL_TF32) return fl_cast(b, fl_scalar_f(b, FL_F32, value), dtype);
    switch (dtype) {
    case FL_F64:
    case FL_C128: return scalar_bits(b, dtype, f64_bits(value), 0);
    case FL_F32:
    case FL_C64: return scalar_bits(b, dtype, fl_f32_bits((float)value), 0);
    case FL_BF16:
        return scalar_bits(b, dtype, fl_bf16_from_f32((float)value), 0); /* by way of f32, as PyTorch does */
    case FL_F16: return scalar_bits(b, dtype, fl_f16_from_f32((float)value), 0);
    case FL_I1: return scalar_bits(b, dtype, value != 0, 0);
    default: break;
    }
    if (fl_dtype_kind(dtype) == FL_KIND_UINT) {
        uint64_t v = to_u64(value), most = UINT64_MAX >> (64 - fl_dtypes[dtype].bits);
        return scalar_bits(b, dtype, v > most ? most : v, 0);
    }
    if (fl_dtype_kind(dtype) == FL_KIND_INT) {
        int64_t v = to_i64(value), most = int_most(dtype);
        v = v > most ? most : v < -most - 1 ? -most - 1 : v;
        return scalar_bits(b, dtype, (uint64_t)v, 0);
    }
    fl_builder_fail(b, fl_error(FL_INVALID, "unknown element type %d", dtype));
    return FL_NO_REF;
}

fl_ref fl_scalar_i(fl_builder *b, fl_dtype dtype, int64_t value)
{
    if (dtype == FL_I1) return scalar_bits(b, dtype, value != 0, 0);
    if (fl_is_int(dtype)) return scalar_bits(b, dtype, int_bits(dtype, (uint64_t)value), 0); /* wraps */
    return fl_scalar_f(b, dtype, (double)value);
}

fl_ref fl_full_like(fl_builder *b, fl_ref x, double value)
{
    return fl_full(b, *fl_typeof(b, x), value);
}

fl_ref fl_full_like_i(fl_builder *b, fl_ref x, int64_t value)
{
    fl_type t = *fl_typeof(b, x);
    return fl_broadcast_to(b, fl_scalar_i(b, (fl_dtype)t.dtype, value), t.rank, t.dims);
}

fl_ref fl_full(fl_builder *b, fl_type type, double value)
{
    return fl_broadcast_to(b, fl_scalar_f(b, (fl_dtype)type.dtype, value), type.rank, type.dims);
}

/* The largest number of a float type without infinities; infinity of the others. */
static double float_most(fl_dtype dtype)
{
    switch (dtype) {
    case FL_F4E2M1FN: return 6;
    case FL_F6E2M3FN: return 7.5;
    case FL_F6E3M2FN: return 28;
    case FL_F8E4M3FN: return 448;
    case FL_F8E4M3FNUZ: return 240;
    case FL_F8E4M3B11FNUZ: return 30;
    case FL_F8E5M2FNUZ: return 57344;
    case FL_F8E8M0FNU: return 0x1p127;
    default: return INFINITY;
    }
}

fl_ref fl_max_value(fl_builder *b, fl_dtype dtype)
{
    switch (fl_dtype_kind(dtype)) {
    case FL_KIND_FLOAT: return fl_scalar_f(b, dtype, float_most(dtype));
    case FL_KIND_BOOL: return fl_scalar_i(b, dtype, 1);
    case FL_KIND_UINT: return fl_scalar_i(b, dtype, -1);
    case FL_KIND_INT: return fl_scalar_i(b, dtype, int_most(dtype));
    default: break;
    }
    fl_builder_fail(b, fl_error(FL_TYPE, "expected an ordered element type, got %s", fl_dtype_name(dtype)));
    return FL_NO_REF;
}

fl_ref fl_min_value(fl_builder *b, fl_dtype dtype)
{
    switch (fl_dtype_kind(dtype)) {
    case FL_KIND_FLOAT: return fl_scalar_f(b, dtype, dtype == FL_F8E8M0FNU ? 0x1p-127 : -float_most(dtype));
    case FL_KIND_BOOL:
    case FL_KIND_UINT: return fl_scalar_i(b, dtype, 0);
    case FL_KIND_INT: return fl_scalar_i(b, dtype, -int_most(dtype) - 1);
    default: break;
    }
    fl_builder_fail(b, fl_error(FL_TYPE, "expected an ordered element type, got %s", fl_dtype_name(dtype)));
    return FL_NO_REF;
}

fl_ref fl_iota(fl_builder *b, fl_type type, int dim)
{
    if (b->status) return FL_NO_REF;
    fl_attr attr = ATTR_INT(iota_dimension, fl_wrap_dim(b, dim, type.rank));
    return fl_build_typed(b, FL_OP_iota, NULL, 0, &attr, 1, NULL, 0, &type, 1);
}
