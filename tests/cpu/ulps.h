/* How far an f32 is from an exact result. */
#ifndef FL_TESTS_CPU_ULPS_H
#define FL_TESTS_CPU_ULPS_H

#include <math.h>

/* Units in the last place of the f32 nearest to `want`. */
static double ulps(float got, double want)
{
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    float rounded = (float)want;
    if (got == rounded && signbit(got) == signbit(rounded)) return 0;
    if (isnan(got)) return INFINITY;
    if (isinf(got)) /* as the next value */
        got = copysignf(0x1.fffffep127f, got), want = want > 0x1.fffffep127 ? 0x1p128 : want;
    if (isinf(rounded)) rounded = copysignf(0x1.fffffep127f, rounded);
    int exponent;
    frexp(fabs(want) < 0x1p-126 ? 0x1p-126 : want, &exponent);
    return fabs((double)got - want) / ldexp(1.0, exponent - 24);
}

#endif
