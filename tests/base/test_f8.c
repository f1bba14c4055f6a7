/* The narrow float formats against ml_dtypes (f8_values.py writes the tables), and rounding by its
 * definition. */
#include "base/f8.h"
#include "base/half.h"

#include <math.h>
#include <stdio.h>

#include "f8_values.inc"

static int failures;

static void check(fl_dtype format, float value, uint8_t want)
{
    uint8_t got = fl_f8_from_f32(format, value);
    if (got != want)
        fprintf(stderr, "%s from %.9g: expected %#x, got %#x\n", fl_dtype_name(format), value, want, got),
            failures++;
}

/* The middle of two neighbours goes to the even code, all else to the nearest; for both signs where there are
 * two. */
static void rounding(fl_dtype format, int has_sign)
{
    int half = 1 << (fl_dtypes[format].bits - has_sign), sign = has_sign ? half : 0;
    for (int code = 0; code + 1 < half; code++) {
        float a = fl_f32_from_f8(format, (uint8_t)code), b = fl_f32_from_f8(format, (uint8_t)(code + 1));
        if (!isfinite(a) || !isfinite(b)) break;
        float middle = (a + b) / 2; /* exact in f32 */
        if (format == FL_F8E8M0FNU && middle < 0x1p-126f)
            continue; /* f32 is subnormal here: ml_dtypes' table has it */
        int even = format == FL_F8E8M0FNU ? code + 1 : code + (code & 1);
        check(format, middle, (uint8_t)even);
        check(format, nextafterf(middle, a), (uint8_t)code);
        check(format, nextafterf(middle, b), (uint8_t)(code + 1));
        if (sign && code) check(format, -nextafterf(middle, a), (uint8_t)(sign | code));
    }
}

int main(void)
{
    for (int k = 0; FL_F4E2M1FN + k <= FL_F8E8M0FNU; k++) {
        fl_dtype format = (fl_dtype)(FL_F4E2M1FN + k);
        for (int code = 0; code < 1 << fl_dtypes[format].bits; code++) {
            float got = fl_f32_from_f8(format, (uint8_t)code), want = fl_f32_from_bits(decoded[k][code]);
            if (fl_f32_bits(got) != decoded[k][code] && !(isnan(got) && isnan(want)))
                fprintf(stderr, "%s %#x: expected %.9g, got %.9g\n", fl_dtype_name(format), code, want, got),
                    failures++;
            if (!isnan(got)) check(format, got, (uint8_t)code);
        }
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            check(format, fl_f32_from_bits(values[i]), encoded[k][i]);
        rounding(format, format != FL_F8E8M0FNU);
    }
    return failures ? 1 : 0;
}
