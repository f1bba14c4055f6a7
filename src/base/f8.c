#include "base/f8.h"

#include "base/half.h"

#include <math.h>

enum special {
    IEEE,   /* the top exponent holds infinity and NaN */
    FN,     /* only the code with all bits set is NaN, no infinity */
    FINITE, /* neither NaN nor infinity */
    FNUZ    /* the code of -0 is NaN, no infinity */
};

static const struct format {
    uint8_t exponent, mantissa, bias, special;
} formats[] = {
    [FL_F4E2M1FN] = {2, 1, 1, FINITE}, [FL_F6E2M3FN] = {2, 3, 1, FINITE},
    [FL_F6E3M2FN] = {3, 2, 3, FINITE}, [FL_F8E3M4] = {3, 4, 3, IEEE},
    [FL_F8E4M3] = {4, 3, 7, IEEE},     [FL_F8E4M3FN] = {4, 3, 7, FN},
    [FL_F8E4M3FNUZ] = {4, 3, 8, FNUZ}, [FL_F8E4M3B11FNUZ] = {4, 3, 11, FNUZ},
    [FL_F8E5M2] = {5, 2, 15, IEEE},    [FL_F8E5M2FNUZ] = {5, 2, 16, FNUZ},
};

/* Powers of two only, without sign or zero. */
static float from_e8m0(uint8_t code)
{
    return code == 0xff ? NAN : ldexpf(1.0f, code - 127);
}

/* Nearest in the exponent's sense, the middle goes up, as ml_dtypes does. */
static uint8_t to_e8m0(float value)
{
    if (!(value > 0) || isinf(value)) return 0xff;
    uint32_t bits = fl_f32_bits(value), exponent = bits >> 23, fraction = bits & 0x7fffff;
    return (uint8_t)(exponent + (exponent ? fraction >= 0x400000 : fraction > 0x400000));
}

float fl_f32_from_f8(fl_dtype format, uint8_t code)
{
    if (format == FL_F8E8M0FNU) return from_e8m0(code);
    const struct format *f = &formats[format];
    int sign_bit = 1 << (f->exponent + f->mantissa), magnitude = code & (sign_bit - 1);
    int exponent = magnitude >> f->mantissa, fraction = magnitude & ((1 << f->mantissa) - 1);
    float sign = code & sign_bit ? -1.0f : 1.0f;
    int top = (1 << f->exponent) - 1;
    if (f->special == IEEE && exponent == top) return fraction ? copysignf(NAN, sign) : sign * INFINITY;
    if (f->special == FN && magnitude == sign_bit - 1) return copysignf(NAN, sign);
    if (f->special == FNUZ && magnitude == 0 && sign < 0) return NAN;
    if (exponent == 0) return sign * ldexpf((float)fraction, 1 - f->bias - f->mantissa);
    return sign * ldexpf((float)(fraction + (1 << f->mantissa)), exponent - f->bias - f->mantissa);
}

uint8_t fl_f8_from_f32(fl_dtype format, float value)
{
    if (format == FL_F8E8M0FNU) return to_e8m0(value);
    const struct format *f = &formats[format];
    int sign_bit = 1 << (f->exponent + f->mantissa), sign = signbit(value) ? sign_bit : 0;
    int top = (1 << f->exponent) - 1;
    int infinity = top << f->mantissa; /* IEEE */
    int beyond = f->special == IEEE ? infinity
                 : f->special == FN ? sign_bit - 1
                                    : sign_bit; /* first code that is no number */
    int overflow = beyond, nan = beyond;
    if (f->special == IEEE) nan = infinity | 1 << (f->mantissa - 1);
    if (f->special == FINITE) overflow = sign_bit - 1, nan = sign_bit, sign = isnan(value) ? 0 : sign;
    if (f->special == FNUZ) sign = isnan(value) ? 0 : sign;
    if (isnan(value)) return (uint8_t)(sign | nan);
    float a = fabsf(value);
    int code = beyond;
    if (a == 0) code = 0;
    if (a > 0 && !isinf(a)) {
        int e = ilogbf(a);
        if (e < 1 - f->bias) e = 1 - f->bias;
        if (e + f->bias <= top + 1)
            /* the leading 1 of the integer adds one to the exponent field, and so does a carry out of the
             * rounding */
            code = ((e + f->bias - 1) << f->mantissa) + (int)rint(ldexp(a, f->mantissa - e));
    }
    if (code >= beyond) code = overflow;
    if (f->special == FNUZ && (code == 0 || code == sign_bit)) sign = 0;
    return (uint8_t)(sign | code);
}
