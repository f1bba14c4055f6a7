#include "ref/interp.h"

#include "base/f8.h"
#include "base/half.h"

#include <math.h>
#include <stdlib.h>

/* One case for each element type whose storage is a C type that holds the value itself. */
/* clang-format off */
#define PLAIN_TYPES(X)                                                                                      \
    X(I8, int8_t, i) X(I16, int16_t, i) X(I32, int32_t, i) X(I64, int64_t, i) X(IDX, int64_t, i) \
    X(U8, uint8_t, u) X(U16, uint16_t, u) X(U32, uint32_t, u) X(U64, uint64_t, u)                           \
    X(TF32, float, re) X(F32, float, re) X(F64, double, re)
/* clang-format on */

static int64_t sign_extend(uint64_t u, int bits)
{
    return (int64_t)(u << (64 - bits)) >> (64 - bits);
}

fl_scalar fl_scalar_load(fl_dtype dtype, const void *data, int64_t index)
{
    fl_scalar s = {.u = 0};
    switch (dtype) {
#define X(NAME, type, field)                                                                                 \
    case FL_##NAME: s.field = ((const type *)data)[index]; break;
        PLAIN_TYPES(X)
#undef X
    case FL_I1: s.u = ((const uint8_t *)data)[index] != 0; break;
    case FL_I2:
    case FL_I4: s.i = sign_extend(((const uint8_t *)data)[index], fl_dtypes[dtype].bits); break;
    case FL_U2: s.u = ((const uint8_t *)data)[index] & 3; break;
    case FL_U4: s.u = ((const uint8_t *)data)[index] & 15; break;
    case FL_BF16: s.re = fl_f32_from_bf16(((const uint16_t *)data)[index]); break;
    case FL_F16: s.re = fl_f32_from_f16(((const uint16_t *)data)[index]); break;
    case FL_C64:
        s.re = ((const float *)data)[2 * index];
        s.im = ((const float *)data)[2 * index + 1];
        break;
    case FL_C128:
        s.re = ((const double *)data)[2 * index];
        s.im = ((const double *)data)[2 * index + 1];
        break;
    default: s.re = fl_f32_from_f8(dtype, ((const uint8_t *)data)[index]); break;
    }
    return s;
}

static float round_tf32(float f)
{
    uint32_t bits = fl_f32_bits(f);
    if ((bits & 0x7f800000u) == 0x7f800000u) return f;
    return fl_f32_from_bits((bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu);
}

/* To f32, but to odd: the nearest narrower number to that is the nearest to x. */
static float odd_float(double x)
{
    float f = (float)x;
    if (isnan(x) || f == x) return f;
    if (fabs((double)f) > fabs(x)) f = nextafterf(f, 0); /* from infinity too */
    return fl_f32_from_bits(fl_f32_bits(f) | 1);
}

void fl_scalar_store(fl_dtype dtype, void *data, int64_t index, fl_scalar s)
{
    if (dtype == FL_TF32) s.re = round_tf32(odd_float(s.re));
    switch (dtype) {
#define X(NAME, type, field)                                                                                 \
    case FL_##NAME: ((type *)data)[index] = (type)s.field; break;
        PLAIN_TYPES(X)
#undef X
    case FL_I1: ((uint8_t *)data)[index] = s.u != 0; break;
    case FL_I2:
    case FL_I4: ((int8_t *)data)[index] = (int8_t)sign_extend(s.u, fl_dtypes[dtype].bits); break;
    case FL_U2: ((uint8_t *)data)[index] = s.u & 3; break;
    case FL_U4: ((uint8_t *)data)[index] = s.u & 15; break;
    case FL_BF16: ((uint16_t *)data)[index] = fl_bf16_from_f32(odd_float(s.re)); break;
    case FL_F16: ((uint16_t *)data)[index] = fl_f16_from_f32(odd_float(s.re)); break;
    case FL_C64:
        ((float *)data)[2 * index] = (float)s.re;
        ((float *)data)[2 * index + 1] = (float)s.im;
        break;
    case FL_C128:
        ((double *)data)[2 * index] = s.re;
        ((double *)data)[2 * index + 1] = s.im;
        break;
    default: ((uint8_t *)data)[index] = fl_f8_from_f32(dtype, odd_float(s.re)); break;
    }
}

fl_scalar fl_scalar_round(fl_dtype dtype, fl_scalar value)
{
    double storage[2];
    fl_scalar_store(dtype, storage, 0, value);
    return fl_scalar_load(dtype, storage, 0);
}

uint64_t fl_scalar_bits(fl_dtype dtype, fl_scalar value)
{
    uint64_t bits[2] = {0};
    fl_scalar_store(dtype, bits, 0, value);
    return bits[0];
}

fl_scalar fl_scalar_from_bits(fl_dtype dtype, uint64_t bits)
{
    const uint64_t storage[2] = {bits}; /* as large as the largest type */
    return fl_scalar_load(dtype, storage, 0);
}

fl_scalar fl_scalar_add(fl_kind kind, fl_scalar a, fl_scalar b)
{
    switch (kind) {
    case FL_KIND_BOOL: return fl_int_scalar(a.u | b.u);
    case FL_KIND_INT:
    case FL_KIND_UINT: return fl_int_scalar(a.u + b.u);
    case FL_KIND_COMPLEX: return (fl_scalar){.re = a.re + b.re, .im = a.im + b.im};
    default: return fl_real_scalar(a.re + b.re);
    }
}

fl_scalar fl_scalar_multiply(fl_kind kind, fl_scalar a, fl_scalar b)
{
    switch (kind) {
    case FL_KIND_BOOL: return fl_int_scalar(a.u & b.u);
    case FL_KIND_INT:
    case FL_KIND_UINT: return fl_int_scalar(a.u * b.u);
    case FL_KIND_COMPLEX:
        return (fl_scalar){.re = a.re * b.re - a.im * b.im, .im = a.re * b.im + a.im * b.re};
    default: return fl_real_scalar(a.re * b.re);
    }
}

fl_scalar *fl_widen(const fl_tensor *t)
{
    int64_t n = fl_type_elements(t->type);
    fl_scalar *values = calloc((size_t)n + 1, sizeof *values);
    for (int64_t i = 0; values && i < n; i++) values[i] = fl_get(t, i);
    return values;
}
