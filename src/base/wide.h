/* Real numbers of about 104 bits and an exponent that neither overflows nor underflows, for computing
 * functions whose formulae cancel or leave the range of a double on the way. Finite values only; zero has no
 * sign. */
#ifndef FL_BASE_WIDE_H
#define FL_BASE_WIDE_H

#include <stdint.h>

/* (hi + lo) 2^exponent with |hi| in [0.5, 1) and |lo| at most half a unit in the last place of hi; or all 0.
 * */
typedef struct fl_wide {
    double hi, lo;
    int64_t exponent;
} fl_wide;

fl_wide fl_wide_of(double x);     /* exact; x must be finite */
double fl_wide_double(fl_wide a); /* rounded once, also where the result is subnormal; +0 for zero */
/* The same with the sign of a zero given. */
double fl_wide_signed(fl_wide a, int negative_zero);

static inline int fl_wide_sign(fl_wide a) /* -1, 0, 1 */
{
    return (a.hi > 0) - (a.hi < 0);
}
static inline fl_wide fl_wide_negate(fl_wide a)
{
    return (fl_wide){-a.hi, -a.lo, a.exponent};
}
static inline fl_wide fl_wide_abs(fl_wide a)
{
    return a.hi < 0 ? fl_wide_negate(a) : a;
}
static inline fl_wide fl_wide_scale(fl_wide a, int64_t power) /* a 2^power */
{
    return (fl_wide){a.hi, a.lo, a.hi == 0 ? 0 : a.exponent + power};
}

/* The relative error of each is a few 2^-104; that of a difference too, in terms of the given operands. */
fl_wide fl_wide_add(fl_wide a, fl_wide b);
fl_wide fl_wide_subtract(fl_wide a, fl_wide b);
fl_wide fl_wide_multiply(fl_wide a, fl_wide b);
fl_wide fl_wide_divide(fl_wide a, fl_wide b); /* b is not zero */
fl_wide fl_wide_square(fl_wide a);
fl_wide fl_wide_sqrt(fl_wide a); /* a >= 0 */

/* The relative error of each is a few 2^-98. */
fl_wide fl_wide_exp(fl_wide a);
fl_wide fl_wide_expm1(fl_wide a);
fl_wide fl_wide_log(fl_wide a);   /* a > 0 */
fl_wide fl_wide_log1p(fl_wide a); /* a > -1 */
fl_wide fl_wide_asinh(fl_wide a);
void fl_wide_sincos(fl_wide a, fl_wide *sine, fl_wide *cosine);
fl_wide fl_wide_atan2(fl_wide y, fl_wide x); /* not both zero; in (-pi, pi] */

#endif
