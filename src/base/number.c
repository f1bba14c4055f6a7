#include "base/number.h"
#include "base/half.h"

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
    default: return 0;
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
    default: return 0;
    }
#undef GET_INT
#undef GET_FLOAT
}
