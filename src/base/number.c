#include "base/number.h"
#include "base/f8.h"
#include "base/half.h"

#include <float.h>
#include <math.h>
#include <string.h>

int fl_number_store(fl_number x, fl_dtype dtype, void *out)
{
    double re = x.is_integer ? (double)x.integer : x.re;
    int64_t i = x.is_integer                  ? x.integer
                : re >= 9223372036854775808.0 ? (int64_t)(uint64_t)re
                : re > -9223372036854775808.0 ? (int64_t)re
                                              : INT64_MIN;
#define PUT(ctype, value)                                                                                    \
    do {                                                                                                     \
        ctype v_ = (ctype)(value);                                                                           \
        memcpy(out, &v_, sizeof v_);                                                                         \
        return 1;                                                                                            \
    } while (0)
    switch (dtype) {
    case FL_I1: PUT(uint8_t, x.is_integer ? x.integer != 0 : x.re != 0 || x.im != 0);
    case FL_I8:
    case FL_U8: PUT(uint8_t, i);
    case FL_I16:
    case FL_U16: PUT(uint16_t, i);
    case FL_I32:
    case FL_U32: PUT(uint32_t, i);
    case FL_I64:
    case FL_U64: PUT(uint64_t, i);
    case FL_BF16: PUT(uint16_t, fl_bf16_from_f32((float)re));
    case FL_F16: PUT(uint16_t, fl_f16_from_f32((float)re));
    case FL_F32: PUT(float, re);
    case FL_F64: PUT(double, re);
    case FL_C64: {
        float c[2] = {(float)re, x.is_integer ? 0 : (float)x.im};
        memcpy(out, c, sizeof c);
        return 1;
    }
    case FL_C128: {
        double c[2] = {re, x.is_integer ? 0 : x.im};
        memcpy(out, c, sizeof c);
        return 1;
    }
    default: return fl_is_f8(dtype) ? (*(uint8_t *)out = fl_f8_from_f32(dtype, (float)re), 1) : 0;
    }
#undef PUT
}

int fl_number_load(fl_dtype dtype, const void *element, fl_number *out)
{
    memset(out, 0, sizeof *out);
    out->is_integer = 1;
#define GET_INT(ctype)                                                                                       \
    do {                                                                                                     \
        ctype v_;                                                                                            \
        memcpy(&v_, element, sizeof v_);                                                                     \
        out->integer = (int64_t)v_;                                                                          \
        return 1;                                                                                            \
    } while (0)
#define GET_FLOAT(ctype, convert)                                                                            \
    do {                                                                                                     \
        ctype v_;                                                                                            \
        memcpy(&v_, element, sizeof v_);                                                                     \
        out->is_integer = 0;                                                                                 \
        out->re = convert(v_);                                                                               \
        return 1;                                                                                            \
    } while (0)
    switch (dtype) {
    case FL_I1:
    case FL_U8: GET_INT(uint8_t);
    case FL_I8: GET_INT(int8_t);
    case FL_I16: GET_INT(int16_t);
    case FL_U16: GET_INT(uint16_t);
    case FL_I32: GET_INT(int32_t);
    case FL_U32: GET_INT(uint32_t);
    case FL_I64:
    case FL_U64: GET_INT(int64_t);
    case FL_BF16: GET_FLOAT(uint16_t, fl_f32_from_bf16);
    case FL_F16: GET_FLOAT(uint16_t, fl_f32_from_f16);
    case FL_F32: GET_FLOAT(float, (double));
    case FL_F64: GET_FLOAT(double, (double));
    case FL_C64: {
        float c[2];
        memcpy(c, element, sizeof c);
        out->is_integer = 0;
        out->re = c[0], out->im = c[1];
        return 1;
    }
    case FL_C128: {
        double c[2];
        memcpy(c, element, sizeof c);
        out->is_integer = 0;
        out->re = c[0], out->im = c[1];
        return 1;
    }
    default:
        if (!fl_is_f8(dtype)) return 0;
        out->is_integer = 0;
        out->re = fl_f32_from_f8(dtype, *(const uint8_t *)element);
        return 1;
    }
#undef GET_INT
#undef GET_FLOAT
}

/* The largest finite number of a float type; the parts' of a complex one. */
static double largest(fl_dtype t)
{
    switch (t) {
    case FL_F16: return 65504;
    case FL_BF16: return 0x1.fep127;
    case FL_F32:
    case FL_C64: return FLT_MAX;
    case FL_F8E4M3FN: return 448;
    case FL_F8E4M3FNUZ: return 240;
    case FL_F8E5M2:
    case FL_F8E5M2FNUZ: return 57344;
    default: return DBL_MAX;
    }
}

static int fits_float(double x, fl_dtype t)
{
    const int has_infinity = t != FL_F8E4M3FN && t != FL_F8E4M3FNUZ && t != FL_F8E5M2FNUZ;
    return isnan(x) || (isinf(x) ? has_infinity : fabs(x) <= largest(t));
}

int fl_number_fits(fl_number x, fl_dtype t)
{
    const int bits = fl_dtypes[t].bits, is_unsigned = t == FL_U8 || t == FL_U16 || t == FL_U32 || t == FL_U64;
    if (t == FL_I1) return 1;
    if (fl_is_complex(t)) return x.is_integer || (fits_float(x.re, t) && fits_float(x.im, t));
    if (!x.is_integer && x.im != 0) return 0;
    if (fl_is_float(t)) return fits_float(x.is_integer ? (double)x.integer : x.re, t);
    const double end = ldexp(1, is_unsigned ? bits : bits - 1), start = is_unsigned ? 0 : -end;
    if (!x.is_integer) return x.re >= start && x.re <= (bits < 64 ? end - 1 : end);
    const double whole = (double)x.integer; /* a negative integer wraps to the unsigned number of its size */
    return bits == 64 || (whole < end && (is_unsigned ? -whole < end : whole >= start));
}
