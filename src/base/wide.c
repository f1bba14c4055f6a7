/* Double-double arithmetic after Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic
 * building blocks of double-word arithmetic" (2017), with the exponent kept aside. */
#include "base/wide.h"

#include <math.h>
#include <string.h>

static const fl_wide one = {0.5, 0, 1};
static const fl_wide ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0};
static const fl_wide half_pi = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55, 1};
static const fl_wide pi = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55, 2};

/* ---- arithmetic ---- */

/* |a| >= |b| or a = 0; the rounding error goes to *error */
static double fast_sum(double a, double b, double *error)
{
    double s = a + b;
    *error = b - (s - a);
    return s;
}

static double exact_sum(double a, double b, double *error)
{
    double s = a + b, t = s - a;
    *error = (a - (s - t)) + (b - t);
    return s;
}

static fl_wide normal(double hi, double lo, int64_t exponent)
{
    int shift;
    hi = fast_sum(hi, lo, &lo);
    if (hi == 0) return (fl_wide){0, 0, 0};
    hi = frexp(hi, &shift);
    return (fl_wide){hi, ldexp(lo, -shift), exponent + shift};
}

fl_wide fl_wide_of(double x)
{
    int exponent;
    double hi = frexp(x, &exponent);
    return hi == 0 ? (fl_wide){0, 0, 0} : (fl_wide){hi, 0, exponent};
}

static int clamp_exponent(int64_t e)
{
    return e > 5000 ? 5000 : e < -5000 ? -5000 : (int)e;
}

double fl_wide_double(fl_wide a)
{
    double x = a.hi;
    if (a.exponent < -1021 && a.lo != 0) {
        /* hi will be rounded to a subnormal number: rounded to odd it decides ties as hi + lo would */
        uint64_t bits;
        if ((a.lo < 0) != (x < 0)) x = nextafter(x, 0);
        memcpy(&bits, &x, sizeof bits);
        bits |= 1;
        memcpy(&x, &bits, sizeof bits);
    }
    return ldexp(x, clamp_exponent(a.exponent));
}

double fl_wide_signed(fl_wide a, int negative_zero)
{
    return a.hi == 0 && negative_zero ? -0.0 : fl_wide_double(a);
}

fl_wide fl_wide_add(fl_wide a, fl_wide b) /* algorithm 6 */
{
    if (a.hi == 0 || b.hi == 0) return a.hi == 0 ? b : a;
    if (a.exponent < b.exponent) {
        fl_wide t = a;
        a = b;
        b = t;
    }
    int64_t down = a.exponent - b.exponent;
    if (down > 120) return a;
    double sl, tl, vl;
    double sh = exact_sum(a.hi, ldexp(b.hi, (int)-down), &sl);
    double th = exact_sum(a.lo, ldexp(b.lo, (int)-down), &tl);
    double vh = fast_sum(sh, sl + th, &vl);
    return normal(vh, tl + vl, a.exponent);
}

fl_wide fl_wide_subtract(fl_wide a, fl_wide b)
{
    return fl_wide_add(a, fl_wide_negate(b));
}

fl_wide fl_wide_multiply(fl_wide a, fl_wide b) /* algorithm 12 */
{
    double high = a.hi * b.hi, low = fma(a.hi, b.hi, -high);
    low += fma(a.hi, b.lo, fma(a.lo, b.hi, a.lo * b.lo));
    return normal(high, low, a.exponent + b.exponent);
}

fl_wide fl_wide_square(fl_wide a)
{
    return fl_wide_multiply(a, a);
}

static fl_wide from_parts(double hi, int64_t exponent)
{
    return normal(hi, 0, exponent);
}

/* Long division with three digits of 53 bits. */
fl_wide fl_wide_divide(fl_wide a, fl_wide b)
{
    fl_wide quotient = {0, 0, 0};
    for (int digit = 0; digit < 3 && a.hi != 0; digit++) {
        fl_wide q = from_parts(a.hi / b.hi, a.exponent - b.exponent);
        quotient = fl_wide_add(quotient, q);
        a = fl_wide_subtract(a, fl_wide_multiply(q, b));
    }
    return quotient;
}

/* One step of Newton's method from the double result. */
fl_wide fl_wide_sqrt(fl_wide a)
{
    if (a.hi <= 0) return (fl_wide){0, 0, 0};
    int odd = (int)(a.exponent & 1);
    fl_wide root = from_parts(sqrt(odd ? 2 * a.hi : a.hi), (a.exponent - odd) / 2);
    fl_wide rest = fl_wide_subtract(a, fl_wide_square(root));
    return fl_wide_add(root, fl_wide_scale(fl_wide_divide(rest, root), -1));
}

/* ---- exponential and logarithm ---- */

/* |a| < 0.4: the Taylor series at a / 16, then expm1(2x) = expm1(x) (expm1(x) + 2) */
static fl_wide expm1_small(fl_wide a)
{
    const fl_wide two = {0.5, 0, 2};
    fl_wide x = fl_wide_scale(a, -4), sum = one;
    for (int k = 17; k > 1; k--)
        sum = fl_wide_add(one, fl_wide_divide(fl_wide_multiply(sum, x), fl_wide_of(k)));
    sum = fl_wide_multiply(sum, x);
    for (int k = 0; k < 4; k++) sum = fl_wide_multiply(sum, fl_wide_add(sum, two));
    return sum;
}

fl_wide fl_wide_exp(fl_wide a)
{
    if (a.exponent > 40) return (fl_wide){0.5, 0, a.hi > 0 ? (int64_t)1 << 50 : -((int64_t)1 << 50)};
    double count = rint(fl_wide_double(a) / ln2.hi);
    fl_wide rest = fl_wide_subtract(a, fl_wide_multiply(fl_wide_of(count), ln2));
    return fl_wide_scale(fl_wide_add(one, expm1_small(rest)), (int64_t)count);
}

fl_wide fl_wide_expm1(fl_wide a)
{
    if (a.exponent < -1 || a.hi == 0) return expm1_small(a);
    return fl_wide_subtract(fl_wide_exp(a), one);
}

/* |d| < 0.5: the double result, then one step of Halley's method for exp(y) - 1 = d */
static fl_wide log1p_small(fl_wide d)
{
    const fl_wide two = {0.5, 0, 2};
    if (d.hi == 0) return d;
    if (d.exponent < -60) /* d - d^2 / 2; the next term is below 2^-120 of the first */
        return fl_wide_subtract(d, fl_wide_scale(fl_wide_square(d), -1));
    fl_wide y = fl_wide_of(log1p(fl_wide_double(d))), e = expm1_small(y);
    fl_wide step = fl_wide_divide(fl_wide_subtract(d, e), fl_wide_add(two, fl_wide_add(d, e)));
    return fl_wide_add(y, fl_wide_scale(step, 1));
}

fl_wide fl_wide_log(fl_wide a)
{
    fl_wide m = {a.hi, a.lo, a.hi < 0.71};
    fl_wide count = fl_wide_of((double)(a.exponent - m.exponent));
    return fl_wide_add(fl_wide_multiply(count, ln2), log1p_small(fl_wide_subtract(m, one)));
}

fl_wide fl_wide_log1p(fl_wide a)
{
    return a.exponent < -1 ? log1p_small(a) : fl_wide_log(fl_wide_add(one, a));
}

/* log(a + sqrt(1 + a^2)) for a > 0, without cancellation where a is small */
fl_wide fl_wide_asinh(fl_wide a)
{
    fl_wide x = fl_wide_abs(a), square = fl_wide_square(x);
    fl_wide root = fl_wide_sqrt(fl_wide_add(one, square));
    fl_wide y = fl_wide_add(x, fl_wide_divide(square, fl_wide_add(one, root)));
    y = fl_wide_log1p(y);
    return a.hi < 0 ? fl_wide_negate(y) : y;
}

/* ---- sine, cosine, arc tangent ---- */

/* The bits of 2 / pi behind the point. */
#define WORDS 20
static const uint64_t two_over_pi[WORDS] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* The signed fixed-point number of 384 bits p, least significant word first, in units of 2^unit. */
static fl_wide from_fixed(const uint64_t p[6], int unit)
{
    fl_wide sum = {0, 0, 0};
    for (int i = 5; i >= 0; i--) {
        fl_wide high = fl_wide_scale(fl_wide_of((double)(p[i] >> 32)), 64 * i + 32 + unit);
        fl_wide low = fl_wide_scale(fl_wide_of((double)(p[i] & 0xffffffff)), 64 * i + unit);
        sum = fl_wide_add(sum, fl_wide_add(high, low));
    }
    return sum;
}

/* Payne and Hanek's reduction (1983): *rest = x - n pi / 2 with |*rest| <= pi / 4; returns n mod 4. The five
 * words of 2 / pi behind those whose product with x is a multiple of 4 leave more than 190 bits of the
 * fraction. */
static int reduce_double(double x, fl_wide *rest)
{
    *rest = fl_wide_of(x);
    if (fabs(x) <= 0.785398163397448) return 0;
    int q;
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), &q), 53), p[6] = {0};
    q -= 53;
    int first = q > 2 ? (q - 2) / 64 : 0, fraction = 64 * (first + 5) - q; /* of p's bits behind the point */
    unsigned __int128 carry = 0;
    for (int i = 0; i < 5; i++) {
        carry += (unsigned __int128)m * two_over_pi[first + 4 - i];
        p[i] = (uint64_t)carry;
        carry >>= 64;
    }
    p[5] = (uint64_t)carry;
    int word = fraction / 64, bit = fraction % 64;
    uint64_t above = p[word] >> bit | (word < 5 && bit ? p[word + 1] << (64 - bit) : 0);
    int quadrant = (int)(above & 3);
    p[word] &= ((uint64_t)1 << bit) - 1;
    for (int i = word + 1; i < 6; i++) p[i] = 0;
    *rest = from_fixed(p, -fraction);
    if (rest->exponent > 0 || (rest->exponent == 0 && rest->hi >= 0.5)) { /* the fraction is a half or more */
        uint64_t borrow = 0;                                              /* 1 - fraction, exactly */
        for (int i = 0; i < word + (bit > 0); i++) {
            uint64_t value = 0 - p[i] - borrow;
            borrow |= p[i] != 0;
            p[i] = value;
        }
        if (bit) p[word] &= ((uint64_t)1 << bit) - 1;
        *rest = fl_wide_negate(from_fixed(p, -fraction));
        quadrant++;
    }
    *rest = fl_wide_multiply(*rest, half_pi);
    if (x < 0) {
        *rest = fl_wide_negate(*rest);
        quadrant = -quadrant;
    }
    return quadrant & 3;
}

static int reduce(fl_wide a, fl_wide *rest)
{
    fl_wide low;
    int power =
        a.exponent > 1024 ? 1024 : clamp_exponent(a.exponent); /* beyond, the quadrant is lost anyway */
    if (power < 0) {
        *rest = a;
        return 0;
    }
    int quadrant = reduce_double(ldexp(a.hi, power), rest) + reduce_double(ldexp(a.lo, power), &low);
    *rest = fl_wide_add(*rest, low);
    return quadrant & 3;
}

/* The Taylor series from `term`, of x^n / n!, on: each next term has two powers more and the other sign. */
static fl_wide alternating(fl_wide term, int n, fl_wide x)
{
    fl_wide sum = term, square = fl_wide_square(x);
    int64_t limit = term.exponent - 112;
    while (term.hi != 0 && term.exponent > limit) {
        double next = (double)(n + 1) * (n + 2);
        term = fl_wide_negate(fl_wide_divide(fl_wide_multiply(term, square), fl_wide_of(next)));
        sum = fl_wide_add(sum, term);
        n += 2;
    }
    return sum;
}

void fl_wide_sincos(fl_wide a, fl_wide *sine, fl_wide *cosine)
{
    fl_wide x;
    int quadrant = reduce(a, &x);
    fl_wide s = alternating(x, 1, x), c = alternating(one, 0, x);
    *sine = quadrant & 1 ? c : s;
    *cosine = quadrant & 1 ? s : c;
    if (quadrant & 2) *sine = fl_wide_negate(*sine);
    if (quadrant == 1 || quadrant == 2) *cosine = fl_wide_negate(*cosine);
}

/* The double result t, then the angle between (x, y) and (cos t, sin t), which is small. */
fl_wide fl_wide_atan2(fl_wide y, fl_wide x)
{
    if (y.hi == 0) return x.hi < 0 ? pi : y;
    if (x.hi > 0 && y.exponent < x.exponent - 40) { /* t - t^3 / 3 + t^5 / 5 */
        fl_wide t = fl_wide_divide(y, x), square = fl_wide_square(t);
        fl_wide inner = fl_wide_divide(square, fl_wide_of(-3));
        fl_wide outer = fl_wide_divide(fl_wide_square(square), fl_wide_of(5));
        return fl_wide_multiply(t, fl_wide_add(one, fl_wide_add(inner, outer)));
    }
    int64_t power = x.hi == 0 || y.exponent > x.exponent ? y.exponent : x.exponent;
    x = fl_wide_scale(x, -power);
    y = fl_wide_scale(y, -power);
    fl_wide angle = fl_wide_of(atan2(fl_wide_double(y), fl_wide_double(x))), s, c;
    fl_wide_sincos(angle, &s, &c);
    fl_wide across = fl_wide_subtract(fl_wide_multiply(y, c), fl_wide_multiply(x, s));
    fl_wide along = fl_wide_add(fl_wide_multiply(x, c), fl_wide_multiply(y, s));
    return fl_wide_add(angle, fl_wide_divide(across, along));
}
