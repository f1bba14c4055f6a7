/* Elementary functions of f32 without branches. Polynomials are weighted minimax fits; docs/performance.md has the bounds of
 * their errors, tests/cpu/test_ulp.c measures them. NaN passes through the clamps because the second operand of FMIN and
 * FMAX is the result where either is NaN. Coefficients of erf were rounded one by one, those after each fitted again. */
#include "cpu/jit/graph.h"

#include <math.h>

#define T FL_T_F32
static uint16_t k(fl_jgraph *g, double x)
{
    return fl_jf32(g, (float)x);
}
static uint16_t add(fl_jgraph *g, uint16_t a, uint16_t b)
{
    return fl_j2(g, FL_J_FADD, T, 0, a, b);
}
static uint16_t sub(fl_jgraph *g, uint16_t a, uint16_t b)
{
    return fl_j2(g, FL_J_FSUB, T, 0, a, b);
}
static uint16_t mul(fl_jgraph *g, uint16_t a, uint16_t b)
{
    return fl_j2(g, FL_J_FMUL, T, 0, a, b);
}
static uint16_t quotient(fl_jgraph *g, uint16_t a, uint16_t b)
{
    return fl_j2(g, FL_J_FDIV, T, 0, a, b);
}
static uint16_t fma3(fl_jgraph *g, uint16_t a, uint16_t b, uint16_t c)
{
    return fl_j3(g, FL_J_FMA, T, a, b, c);
}
static uint16_t fnma(fl_jgraph *g, uint16_t a, uint16_t b, uint16_t c)
{
    return fl_j3(g, FL_J_FNMA, T, a, b, c);
}
static uint16_t at_least(fl_jgraph *g, double low, uint16_t x)
{
    return fl_j2(g, FL_J_FMAX, T, 0, k(g, low), x);
}
static uint16_t at_most(fl_jgraph *g, double high, uint16_t x)
{
    return fl_j2(g, FL_J_FMIN, T, 0, k(g, high), x);
}
static uint16_t sign(fl_jgraph *g)
{
    return fl_jconst(g, T, 0x80000000u);
}
static uint16_t magnitude(fl_jgraph *g, uint16_t x)
{
    return fl_j2(g, FL_J_AND, T, 0, x, fl_jconst(g, T, 0x7fffffffu));
}
static uint16_t with_sign(fl_jgraph *g, uint16_t size, uint16_t of)
{
    return fl_j3(g, FL_J_MERGE, T, sign(g), of, size);
}
static uint16_t when(fl_jgraph *g, int predicate, uint16_t a, uint16_t b, uint16_t yes, uint16_t no)
{
    return fl_j3(g, FL_J_SELECT, T, fl_j2(g, FL_J_FCMP, FL_T_MASK, predicate, a, b), yes, no);
}
static uint16_t bits(fl_jgraph *g, fl_jtype t, uint16_t v)
{
    return fl_j1(g, FL_J_BITS, t, 0, v);
}

/* c[0] + c[1] x + ... */
static uint16_t polynomial(fl_jgraph *g, uint16_t x, int n, const double *c)
{
    uint16_t y = k(g, c[n - 1]);
    for (int i = n - 2; i >= 0; i--) y = fma3(g, y, x, k(g, c[i]));
    return y;
}

/* p * 2^n for a whole n in [-252, 256]. */
static uint16_t scale(fl_jgraph *g, uint16_t p, uint16_t n)
{
    if (g->target->has_scalef) return fl_j2(g, FL_J_SCALEF, T, 0, p, n);
    uint16_t whole = fl_j1(g, FL_J_F32_S32, FL_T_I32, 0, n), half = fl_j1(g, FL_J_SARI, FL_T_I32, 1, whole);
    uint16_t bias = fl_ji32(g, 127), rest = fl_j2(g, FL_J_ISUB, FL_T_I32, 0, whole, half);
    uint16_t a = fl_j1(g, FL_J_SHLI, FL_T_I32, 23, fl_j2(g, FL_J_IADD, FL_T_I32, 0, half, bias));
    uint16_t b = fl_j1(g, FL_J_SHLI, FL_T_I32, 23, fl_j2(g, FL_J_IADD, FL_T_I32, 0, rest, bias));
    return mul(g, mul(g, p, bits(g, T, a)), bits(g, T, b));
}

/* x = n log(2) + r, |r| <= log(2) / 2, and an integer whose low nine bits are those of n + bias. */
typedef struct reduced {
    uint16_t r, n, whole;
} reduced;

static reduced reduce(fl_jgraph *g, uint16_t x, int bias)
{
    uint16_t magic =
        k(g, 0x1.8p23 + (g->target->has_scalef ? 0 : bias)); /* adding it rounds to a whole number */
    uint16_t sum = fma3(g, x, k(g, 0x1.715476p0), magic), n = sub(g, sum, magic);
    uint16_t r = fnma(g, n, k(g, 0x1.7f7d1cp-20), fnma(g, n, k(g, 0x1.62e4p-1), x));
    return (reduced){r, n, g->target->has_scalef ? FL_NO_NODE : bits(g, FL_T_I32, sum)};
}

/* p, or 0: what is too small is not scaled down to it, which takes processors long. */
static uint16_t or_zero(fl_jgraph *g, uint16_t mask, uint16_t p)
{
    return fl_j3(g, FL_J_SELECT, T, mask, p, k(g, 0));
}

/* p * 2^n in two steps, half of n each; whole has n + 254, two biases of an exponent. */
static uint16_t scale_by_halves(fl_jgraph *g, uint16_t p, uint16_t whole)
{
    uint16_t a = fl_j2(g, FL_J_AND, FL_T_I32, 0, fl_j1(g, FL_J_SHLI, FL_T_I32, 22, whole),
                       fl_ji32(g, (int32_t)0xff800000u));
    uint16_t b = fl_j2(g, FL_J_ISUB, FL_T_I32, 0, fl_j1(g, FL_J_SHLI, FL_T_I32, 23, whole), a);
    return mul(g, mul(g, p, bits(g, T, a)), bits(g, T, b));
}

/* p * 2^n for n in [-150, 0]; whole has n + 24 + 127. */
static uint16_t scale_down(fl_jgraph *g, uint16_t p, uint16_t whole)
{
    return mul(g, mul(g, p, bits(g, T, fl_j1(g, FL_J_SHLI, FL_T_I32, 23, whole))), k(g, 0x1p-24));
}

/* Whether x is what is left of numbers below their maximum: at most 0, or NaN. */
static int is_below_maximum(const fl_jgraph *g, uint16_t x)
{
    const fl_jnode *n = &g->nodes[x], *most = &g->nodes[n->v[1]];
    return n->op == FL_J_FSUB && most->op == FL_J_REDUCE && most->imm == FL_J_FMAX && most->v[0] == n->v[0];
}

/* e^x, x at most 89; `down`: at most 0. */
static uint16_t exp_below(fl_jgraph *g, uint16_t x, int down)
{
    static const double c[] = {
        1, 1, 0.5, 0.166665128925, 0.0416661876004, 0.00836959813196, 0.00139516931912};
    uint16_t not_small = fl_j2(g, FL_J_FCMP, FL_T_MASK, 5, x, k(g, -104)); /* not less: NaN too */
    if (g->target->has_scalef) {
        reduced d = reduce(g, x, 0);
        return fl_j3(g, FL_J_SCALEZ, T, not_small, polynomial(g, d.r, 7, c), d.n);
    }
    reduced d = reduce(g, at_least(g, -104, x), down ? 151 : 254);
    uint16_t p = or_zero(g, not_small, polynomial(g, d.r, 7, c));
    return down ? scale_down(g, p, d.whole) : scale_by_halves(g, p, d.whole);
}

static uint16_t exponential(fl_jgraph *g, uint16_t x)
{
    if (is_below_maximum(g, x)) return exp_below(g, x, 1);
    return exp_below(g, at_most(g, 89, x), 0);
}

/* 2^(n - 1) for n in [-125, 128]; whole has n - 1 + 127. */
static uint16_t half_power_of_two(fl_jgraph *g, reduced d)
{
    if (g->target->has_scalef) return fl_j2(g, FL_J_SCALEF, T, 0, k(g, 1), sub(g, d.n, k(g, 1)));
    return bits(g, T, fl_j1(g, FL_J_SHLI, FL_T_I32, 23, d.whole));
}

/* e^x - 1 = 2 (s r + (s - 1/2) + s r^2 q(r)), s = 2^n / 2, where the first two are added without loss. */
static uint16_t expm1_(fl_jgraph *g, uint16_t x)
{
    static const double c[] = {0.5,           0.16666665673, 0.041666463017,
                               0.00833357126, 0.00139351015, 0.000197395886};
    reduced d = reduce(g, at_most(g, 89, at_least(g, -30, x)), 126);
    uint16_t half = k(g, 0.5), r = d.r, s = half_power_of_two(g, d);
    uint16_t low = sub(g, s, half), first = fma3(g, s, r, low);
    uint16_t lost = add(g, fma3(g, s, r, sub(g, low, first)), sub(g, sub(g, s, low), half));
    uint16_t h = add(g, first, fma3(g, s, mul(g, mul(g, r, r), polynomial(g, r, 6, c)), lost));
    return with_sign(g, add(g, h, h), x);
}

/* a = |x| < 1: a + a^3 q(a^2); above: 1 - 2 / (e^2a + 1). */
static uint16_t tanh_(fl_jgraph *g, uint16_t x)
{
    static const double below[] = {-0.33333295584, 0.1333234757,  -0.0538799875, 0.0214871764,
                                   -0.00794684514, 0.00230188458, -0.000358596};
    static const double c[] = {0.5, 0.166665128925, 0.0416661876004, 0.00836959813196, 0.00139516931912};
    uint16_t one = k(g, 1), a = magnitude(g, x), t = mul(g, a, a);
    uint16_t small = fma3(g, mul(g, a, t), polynomial(g, t, 7, below), a);
    reduced d = reduce(g, at_most(g, 18.5, add(g, a, a)), 126);
    uint16_t r = d.r, q = fma3(g, mul(g, r, r), polynomial(g, r, 5, c), r);
    uint16_t s = half_power_of_two(g, d), h = fma3(g, s, q, add(g, s, k(g, 0.5)));
    uint16_t large = sub(g, one, quotient(g, one, h));
    return with_sign(g, when(g, 1, a, one, small, large), x);
}

/* 2^n, below 2^-126 something as small; whole has n + 254. */
static uint16_t power_of_two(fl_jgraph *g, reduced d)
{
    if (g->target->has_scalef) return fl_j2(g, FL_J_SCALEF, T, 0, k(g, 1), d.n);
    const int32_t least = 0x4b400000 + 254 - 126; /* the bits of 0x1.8p23 are those of 0 */
    uint16_t whole = fl_j2(g, FL_J_SMAX, FL_T_I32, 0, d.whole, fl_ji32(g, least));
    return bits(g, T,
                fl_j1(g, FL_J_SHLI, FL_T_I32, 23, fl_j2(g, FL_J_ISUB, FL_T_I32, 0, whole, fl_ji32(g, 127))));
}

/* 1 / (1 + e^-x) = 2^n / (2^n + e^-r), with what rounding the sums and the quotient lost put back. */
static uint16_t logistic(fl_jgraph *g, uint16_t x)
{
    static const double c[] = {0.5, -0.166665128925, 0.0416661876004, -0.00836959813196, 0.00139516931912};
    uint16_t one = k(g, 1), not_small = fl_j2(g, FL_J_FCMP, FL_T_MASK, 5, x, k(g, -104));
    uint16_t a = at_most(g, 30, x);
    reduced reduction = reduce(g, g->target->has_scalef ? a : at_least(g, -104, a), 254);
    uint16_t r = reduction.r, m = fnma(g, mul(g, r, r), polynomial(g, r, 5, c), r); /* 1 - e^-r */
    uint16_t s = power_of_two(g, reduction), t = add(g, s, one), d = sub(g, t, m);
    uint16_t lost = add(g, sub(g, s, sub(g, t, one)), sub(g, sub(g, t, d), m));
    uint16_t y = quotient(g, one, d), rest = fnma(g, y, lost, fnma(g, y, d, one));
    uint16_t p = fma3(g, y, rest, y);
    if (g->target->has_scalef) return fl_j3(g, FL_J_SCALEZ, T, not_small, p, reduction.n);
    return scale_by_halves(g, or_zero(g, not_small, p), reduction.whole);
}

/* A positive number as m 2^e, m in [0.75, 1.5); e and m such that the logarithms of 0, infinity and NaN come out right,
 * and NaN for negative numbers. */
static uint16_t split(fl_jgraph *g, uint16_t x, uint16_t *e)
{
    if (g->target->has_scalef) {
        uint16_t m = fl_j1(g, FL_J_GETMANT, T, 0, x), below = fl_j1(g, FL_J_GETEXP, T, 0, x);
        *e = when(g, 1, m, k(g, 1), add(g, below, k(g, 1)), below);
        return m;
    }
    uint16_t tiny = fl_j2(g, FL_J_FCMP, FL_T_MASK, 1, x, k(g, 0x1p-126));
    uint16_t u = bits(g, FL_T_I32, fl_j3(g, FL_J_SELECT, T, tiny, mul(g, x, k(g, 0x1p23)), x)),
             base = fl_ji32(g, 0x3f400000);
    u = fl_j2(g, FL_J_ISUB, FL_T_I32, 0, u, base);
    uint16_t whole = fl_j1(g, FL_J_S32_F32, T, 0, fl_j1(g, FL_J_SARI, FL_T_I32, 23, u));
    whole = sub(g, whole, fl_j3(g, FL_J_SELECT, T, tiny, k(g, 23), k(g, 0)));
    uint16_t m =
        fl_j2(g, FL_J_IADD, FL_T_I32, 0, fl_j2(g, FL_J_AND, FL_T_I32, 0, u, fl_ji32(g, 0x7fffff)), base);
    whole = when(g, 0, x, k(g, 0), k(g, -INFINITY), whole);
    *e = when(g, 1, x, k(g, INFINITY), whole, x); /* infinity and NaN themselves */
    return when(g, 1, x, k(g, 0), k(g, NAN), bits(g, T, m));
}

/* log(1 + f) + e log(2), -0.25 <= f < 0.5. */
static uint16_t log_of(fl_jgraph *g, uint16_t f, uint16_t e)
{
    static const double c[] = {0.333333398636,  -0.250001651961,  0.199996043986,
                               -0.166552992334, 0.142762580354,   -0.127277810257,
                               0.117004805948,  -0.0911579413135, 0.0376703535303};
    uint16_t z = mul(g, f, f), q = polynomial(g, f, 9, c);
    uint16_t r = fma3(g, mul(g, f, z), q, mul(g, e, k(g, 0x1.7f7d1cp-20)));
    r = fnma(g, k(g, 0.5), z, r);
    return fma3(g, e, k(g, 0x1.62e4p-1), add(g, f, r));
}

static uint16_t log_(fl_jgraph *g, uint16_t x)
{
    uint16_t e, m = split(g, x, &e);
    return log_of(g, sub(g, m, k(g, 1)), e);
}

/* log(u), u = 1 + x, and what rounding u lost, scaled as u is. */
static uint16_t log1p_(fl_jgraph *g, uint16_t x)
{
    uint16_t one = k(g, 1), u = add(g, one, x), e, m = split(g, u, &e), part = sub(g, u, one);
    uint16_t lost = add(g, sub(g, one, sub(g, u, part)), sub(g, x, part));
    uint16_t down = sub(g, k(g, 0), at_most(g, 127, at_least(g, -127, e)));
    uint16_t f = add(g, sub(g, m, one), scale(g, lost, down));
    uint16_t r = with_sign(g, log_of(g, f, e), x);
    r = when(g, 0, x, k(g, -1), k(g, -INFINITY), r);
    return when(g, 0, x, k(g, INFINITY), x, r);
}

/* |x| < 1: x + x (2/sqrt(pi) - 1 + x^2 q(x^2)); above: 1 - e^(-a p(a)), a p(a) a fit of -log(erfc(a)). */
static uint16_t erf_(fl_jgraph *g, uint16_t x)
{
    static const double below[] = {-0.376126259565, 0.112835787237,     -0.0268533471972,
                                   0.0051871621981, -0.000799785309937, 7.80690315878e-5};
    static const double above[] = {1.12847983837,      0.636023640633,   0.104318529367,
                                   -0.0214244853706,   0.00192050123587, 0.000460092036519,
                                   -0.000202508206712, 3.18750826409e-5, -1.97332224161e-6};
    uint16_t a = magnitude(g, x), t = mul(g, x, x);
    uint16_t small = fma3(g, x, fma3(g, t, polynomial(g, t, 6, below), k(g, 0.128379167096)), x);
    uint16_t u = at_most(g, 3.95, a), v = fl_j2(g, FL_J_OR, T, 0, u, sign(g)), q = polynomial(g, u, 9, above);
    uint16_t p = mul(g, v, q), lost = fnma(g, v, q, p),
             e = exp_below(g, p, 1); /* e^(p - lost) = e (1 - lost) */
    uint16_t large = with_sign(g, sub(g, k(g, 1), fnma(g, e, lost, e)), x);
    return when(g, 1, a, k(g, 1), small, large);
}

/* y = 1 / sqrt(x) and y (1 - x y^2) / 2, what the root and the quotient lost, unless they are 0 or infinite. */
static uint16_t rsqrt_(fl_jgraph *g, uint16_t x)
{
    uint16_t one = k(g, 1), y = quotient(g, one, fl_j1(g, FL_J_FSQRT, T, 0, x)), z = mul(g, x, y);
    uint16_t rest = fma3(g, fnma(g, x, y, z), y, fnma(g, z, y, one));
    return when(g, 3, rest, rest, y, fma3(g, mul(g, y, k(g, 0.5)), rest, y));
}

static const struct {
    fl_opcode code;
    uint16_t (*make)(fl_jgraph *g, uint16_t x);
} functions[FL_J_FUNCTIONS] = {
    {FL_OP_exponential, exponential},
    {FL_OP_exponential_minus_one, expm1_},
    {FL_OP_log, log_},
    {FL_OP_log_plus_one, log1p_},
    {FL_OP_logistic, logistic},
    {FL_OP_tanh, tanh_},
    {FL_OP_erf, erf_},
    {FL_OP_rsqrt, rsqrt_},
};

int fl_jfunction(fl_opcode code)
{
    int number = FL_J_FUNCTIONS;
    while (number-- && functions[number].code != code) continue;
    return number;
}

uint16_t fl_jmath_inline(fl_jgraph *g, int function, uint16_t x)
{
    return functions[function].make(g, x);
}

/* The code of several functions is long, and making it would be what takes time; one is worth the best code, whose constants lie
 * in registers. */
uint16_t fl_jmath_f32(fl_jgraph *g, fl_opcode code, uint16_t x)
{
    int function = fl_jfunction(code);
    if (function < 0) return FL_NO_NODE;
    uint16_t made = g->many && g->target->function ? g->target->function(g, function, x) : FL_NO_NODE;
    return made != FL_NO_NODE ? made : fl_jmath_inline(g, function, x);
}
