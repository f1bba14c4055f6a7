/* How far an f32 is from an exact result. */
#ifndef FL_TESTS_CPU_ULPS_H
#define FL_TESTS_CPU_ULPS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

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
    const double size = fabs(want) < 0x1p-126 ? 0x1p-126 : fabs(want);
    int64_t bits;
    memcpy(&bits, &size, sizeof bits);
    bits = ((bits >> 52) - 23) << 52; /* the unit: the power of two below, 23 places down */
    double unit;
    memcpy(&unit, &bits, sizeof unit);
    return fabs((double)got - want) / unit;
}

#endif
