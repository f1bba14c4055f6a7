/* Elementary functions of f32 without branches, evaluated in f64 and rounded once. Polynomials are weighted minimax fits (Remez
 * exchange in 40 digits). tests/cpu/test_ulp.c measures the errors: at most 1 unit in the last place. */
#include "cpu/loop/vec_macros.h"

#include <math.h>
#include <string.h>

#ifdef __FMA__
#define FMAD(a, b, c) __builtin_fma((a), (b), (c))
#else
#define FMAD(a, b, c) ((a) * (b) + (c))
#endif

static inline uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}
static inline float from_bits(uint32_t u)
{
    float x;
    memcpy(&x, &u, 4);
    return x;
}
static inline uint64_t bits_of_d(double x)
{
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}
static inline double from_bits_d(uint64_t u)
{
    double x;
    memcpy(&x, &u, 8);
    return x;
}
static inline float with_sign(float magnitude, float sign)
{
    return from_bits((bits_of(magnitude) & 0x7fffffffu) | (bits_of(sign) & 0x80000000u));
}

#define MAGICD 0x1.8p52 /* adding it rounds to an integer, found in the low bits */

/* In f64, for f32 results: e^x - 1 = 2^k (e^r - 1) + (2^k - 1); |x| <= 700. */
static inline double exp_rest(double x, double *scale)
{
    double n = FMAD(x, 0x1.71547652b82fep0, MAGICD);
    int64_t k = (int64_t)(bits_of_d(n) - bits_of_d(MAGICD));
    n -= MAGICD;
    double r = FMAD(n, -0x1.62e42fee00000p-1, x);
    r = FMAD(n, -0x1.a39ef35793c76p-33, r);
    double q = FMAD(FMAD(FMAD(0x1.28c062612f3fap-22, r, 0x1.72ef6fd7702bfp-19), r, 0x1.a01984dc9f24bp-16), r,
                    0x1.a01987ab64e3cp-13);
    q = FMAD(FMAD(FMAD(FMAD(q, r, 0x1.6c16c18c27695p-10), r, 0x1.11111127435a1p-7), r, 0x1.555555554e434p-5),
             r, 0x1.555555554ffa9p-3);
    q = FMAD(q, r, 0x1.000000000000fp-1);
    *scale = from_bits_d((uint64_t)(k + 1023) << 52);
    return FMAD(r * r, q, r);
}
static inline double exp_d(double x)
{
    double scale, rest = exp_rest(x, &scale);
    return FMAD(scale, rest, scale);
}
/* log of a positive normal double: 2 atanh(s), s = (m - 1) / (m + 1). */
static inline double log_d(double x)
{
    uint64_t u = bits_of_d(x) - 0x3fe6a09e667f3bcdull;
    double e = (double)((int64_t)u >> 52);
    double f = from_bits_d((u & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1.0;
    double s = f / (2.0 + f), t = s * s;
    double q = FMAD(FMAD(0x1.58c5fefa76256p-3, t, 0x1.7325e4d426842p-3), t, 0x1.c722a7104ec55p-3);
    q = FMAD(FMAD(FMAD(q, t, 0x1.24924128963b6p-2), t, 0x1.999999a305cd4p-2), t, 0x1.55555555537c3p-1);
    return FMAD(e, 0x1.62e42fefa39efp-1, FMAD(s * t, q, 2.0 * s));
}

static inline double clamp_d(double low, double x, double high)
{
    return x < low ? low : x > high ? high : x; /* NaN passes */
}
static inline float exp_f32(float x)
{
    return (float)exp_d(clamp_d(-110.0, (double)x, 90.0));
}
static inline float log_f32(float x)
{
    float r = (float)log_d(x > 0 ? (double)x : 1.0);
    r = x < INFINITY ? r : x; /* +inf, NaN */
    return x > 0 ? r : x == 0 ? -INFINITY : x != x ? x : NAN;
}
static inline float expm1_f32(float x)
{
    double scale, rest = exp_rest(clamp_d(-40.0, (double)x, 90.0), &scale);
    return with_sign((float)FMAD(scale, rest, scale - 1.0), x); /* keeps -0 */
}
static inline float log1p_f32(float x)
{
    double u = 1.0 + (double)x, safe = u > 0x1p-60 ? u : 1.0;
    double y = log_d(safe < 0x1p200 ? safe : 1.0) + ((double)x - (u - 1.0)) / safe; /* what 1 + x lost */
    float r = with_sign((float)y, x);
    r = x < INFINITY ? r : x;
    return x > -1.0f ? r : x == -1.0f ? -INFINITY : x != x ? x : NAN;
}
static inline float logistic_f32(float x)
{
    return (float)(1.0 / (1.0 + exp_d(clamp_d(-40.0, -(double)x, 110.0))));
}
/* (e^2a - 1) / (e^2a + 1), a = |x|. */
static inline float tanh_f32(float x)
{
    double scale, rest = exp_rest(clamp_d(0.0, 2.0 * fabs((double)x), 20.0), &scale);
    double below = FMAD(scale, rest, scale - 1.0);
    return with_sign((float)(below / (below + 2.0)), x);
}
/* a = |x| < 1: x + x (2/sqrt(pi) - 1 + x^2 q(x^2)); above: 1 - e^(-a p(a)), a p(a) a fit of -log(erfc(a)). */
static inline float erf_f32(float x)
{
    double a = fabs((double)x), t = a * a, u = clamp_d(0.0, a, 3.95);
    double q = FMAD(FMAD(7.86840750513e-5, t, -0.000801742791328), t, 0.0051895260372);
    q = FMAD(FMAD(FMAD(q, t, -0.0268546890634), t, 0.112836144745), t, -0.376126297687);
    double small = FMAD(a, FMAD(t, q, 0.128379167096), a);
    double p = FMAD(FMAD(-1.94711180824e-6, u, 3.14903178096e-5), u, -0.00020009203402);
    p = FMAD(FMAD(FMAD(p, u, 0.000451613659981), u, 0.00193868848758), u, -0.0214489161209);
    p = FMAD(FMAD(FMAD(p, u, 0.104338607147), u, 0.636014405856), u, 1.12848165962);
    double large = 1.0 - exp_d(-u * p);
    return with_sign((float)(a < 1.0 ? small : large), x);
}

/* Quadrant and rest for |x| < 2^20: x = k pi/2 + r; the first part of pi/2 has 33 bits, so its product is exact. */
static inline double reduce_angle(float x, int64_t *quadrant)
{
    double n = FMAD((double)x, 0x1.45f306dc9c883p-1, MAGICD);
    *quadrant = (int64_t)(bits_of_d(n) - bits_of_d(MAGICD));
    n -= MAGICD;
    double r = (double)x - n * 0x1.921fb54400000p0;
    return FMAD(n, -0x1.0b4611a626331p-34, r);
}
static inline double sin_rest(double r)
{
    double t = r * r;
    double q = FMAD(FMAD(-0x1.a964b215ee88fp-26, t, 0x1.71d77720d38f1p-19), t, -0x1.a019f94ffd6e0p-13);
    return FMAD(r * t, FMAD(FMAD(q, t, 0x1.1111110c9b2bdp-7), t, -0x1.5555555552399p-3), r);
}
static inline double cos_rest(double r)
{
    double t = r * r;
    double q = FMAD(FMAD(0x1.1bc6ae7093ee0p-29, t, -0x1.27e027703a8cap-22), t, 0x1.a019faa455f2cp-16);
    q = FMAD(FMAD(q, t, -0x1.6c16c167671b3p-10), t, 0x1.55555555530f3p-5);
    return FMAD(t * t, q, FMAD(-0.5, t, 1.0));
}
static inline float sin_f32(float x)
{
    int64_t k;
    double r = reduce_angle(x, &k), y = k & 1 ? cos_rest(r) : sin_rest(r);
    float s = (float)(k & 2 ? -y : y);
    return x == 0 ? x : s;
}
static inline float cos_f32(float x)
{
    int64_t k;
    double r = reduce_angle(x, &k), y = k & 1 ? sin_rest(r) : cos_rest(r);
    return (float)((k + 1) & 2 ? -y : y);
}
static inline float tan_f32(float x)
{
    int64_t k;
    double r = reduce_angle(x, &k), s = sin_rest(r), c = cos_rest(r);
    float y = (float)(k & 1 ? -c / s : s / c);
    return x == 0 ? x : y;
}

#define KERNEL(name) FL_UNARY(name##_F32, float, float, name##_f32(p))
KERNEL(exp)
KERNEL(log)
KERNEL(expm1)
KERNEL(log1p)
KERNEL(logistic)
KERNEL(tanh)
KERNEL(erf)

/* Arguments beyond the range of the fast reduction are rare: the tile is computed again by libm where there are any. */
#define PERIODIC(name)                                                                                       \
    FL_UNARY(name##_fast, float, float, name##_f32(p))                                                       \
    static void name##_F32(void *out, const void *a, const void *b, const void *c, int64_t n)                \
    {                                                                                                        \
        const float *x = a;                                                                                  \
        float *r = out;                                                                                      \
        int far = 0;                                                                                         \
        for (int64_t i = 0; i < n; i++) far |= !(fabsf(x[i]) < 0x1p20f);                                     \
        if (!far) {                                                                                          \
            name##_fast(out, a, b, c, n);                                                                    \
            return;                                                                                          \
        }                                                                                                    \
        for (int64_t i = 0; i < n; i++)                                                                      \
            r[i] = fabsf(x[i]) < 0x1p20f ? name##_f32(x[i]) : (float)name((double)x[i]);                     \
    }
PERIODIC(sin)
PERIODIC(cos)
PERIODIC(tan)

/* x^y = e^(y log x) in f64 for positive finite x; anything else in a tile goes to libm. */
static inline float pow_f32(float x, float y)
{
    double t = (double)y * log_d((double)x);
    t = t > 200.0 ? 200.0 : t < -200.0 ? -200.0 : t;
    return (float)exp_d(t);
}
static inline int pow_is_plain(float x, float y)
{
    return (x > 0) & (x < INFINITY) & (fabsf(y) < INFINITY);
}
#define POWER(form, X, Y)                                                                                    \
    static void power_F32_##form(void *out, const void *a, const void *b, const void *c, int64_t n)          \
    {                                                                                                        \
        const float *x = a, *y = b;                                                                          \
        float *r = out;                                                                                      \
        int plain = 1;                                                                                       \
        (void)c;                                                                                             \
        for (int64_t i = 0; i < n; i++) plain &= pow_is_plain(X, Y);                                         \
        if (plain) {                                                                                         \
            FL_LOOP r[i] = pow_f32(X, Y);                                                                    \
            return;                                                                                          \
        }                                                                                                    \
        for (int64_t i = 0; i < n; i++) r[i] = pow_is_plain(X, Y) ? pow_f32(X, Y) : powf(X, Y);              \
    }
POWER(vv, x[i], y[i])
POWER(sv, *x, y[i])

/* Whole small exponents are common (squares, cubes, square roots): cheaper and exactly rounded more often. */
static void power_F32_vs(void *out, const void *a, const void *b, const void *c, int64_t n)
{
    const float *x = a, y = *(const float *)b;
    float *r = out;
    int plain = 1;
    (void)c;
    if (y == 2.0f) {
        FL_LOOP r[i] = x[i] * x[i];
        return;
    }
    if (y == 3.0f) {
        FL_LOOP r[i] = (float)((double)x[i] * (double)x[i] * (double)x[i]);
        return;
    }
    for (int64_t i = 0; i < n; i++) plain &= pow_is_plain(x[i], y);
    if (plain) {
        FL_LOOP r[i] = pow_f32(x[i], y);
        return;
    }
    for (int64_t i = 0; i < n; i++) r[i] = pow_is_plain(x[i], y) ? pow_f32(x[i], y) : powf(x[i], y);
}

static const fl_vec_row rows[] = {
    FL_ROW1(exponential, exp_F32, F32) FL_ROW1(log, log_F32, F32)
        FL_ROW1(exponential_minus_one, expm1_F32, F32) FL_ROW1(log_plus_one, log1p_F32, F32)
            FL_ROW1(logistic, logistic_F32, F32) FL_ROW1(tanh, tanh_F32, F32) FL_ROW1(erf, erf_F32, F32)
                FL_ROW1(sine, sin_F32, F32) FL_ROW1(cosine, cos_F32, F32) FL_ROW1(tan, tan_F32, F32)
                    FL_ROW3(power, power_F32, F32)};
const fl_vec_table FL_ISA_NAME(fl_vec_maths)[1] = {{rows, sizeof rows / sizeof rows[0]}};
