/* Elementwise operations: a table with a real and a complex C function where that is all, else a function
 * over kinds. */
#include "ref/interp.h"

#include "base/complex_math.h"
#include "base/special.h"

#include <math.h>

typedef struct context {
    const fl_op *op; /* for attributes */
    fl_opcode code;
    fl_dtype in, out; /* of operand 0 (compare, clamp) or 1 (select), and of the result */
    fl_kind kind;     /* of `in` */
    int bits;         /* of `in` */
} context;

static uint64_t mask_of(const context *c)
{
    return c->bits >= 64 ? ~0ull : (1ull << c->bits) - 1;
}

static int is_integer(const context *c)
{
    return c->kind == FL_KIND_INT || c->kind == FL_KIND_UINT || c->kind == FL_KIND_BOOL;
}

/* ---- real functions that the C library has not ---- */

static double logistic(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}
static double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static double real_sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x; /* keeps NaN and the sign of zero */
}
/* ---- over kinds ---- */

static fl_scalar run_abs(const context *c, const fl_scalar *a)
{
    if (c->kind == FL_KIND_COMPLEX) return fl_real_scalar(hypot(a->re, a->im));
    if (c->kind == FL_KIND_FLOAT) return fl_real_scalar(fabs(a->re));
    return c->kind == FL_KIND_INT && a->i < 0 ? fl_int_scalar(-a->u) : *a;
}

static fl_scalar run_negate(const context *c, const fl_scalar *a)
{
    if (c->kind == FL_KIND_COMPLEX) return (fl_scalar){.re = -a->re, .im = -a->im};
    return c->kind == FL_KIND_FLOAT ? fl_real_scalar(-a->re) : fl_int_scalar(-a->u);
}

static fl_scalar run_sign(const context *c, const fl_scalar *a)
{
    if (c->kind == FL_KIND_COMPLEX) return fl_complex_scalar(fl_complex_sign(fl_scalar_complex(*a)));
    if (c->kind == FL_KIND_FLOAT) return fl_real_scalar(real_sign(a->re));
    return c->kind == FL_KIND_INT && a->i < 0 ? (fl_scalar){.i = -1} : fl_int_scalar(a->u != 0);
}

static fl_scalar run_square(const context *c, const fl_scalar *a)
{
    if (c->kind == FL_KIND_COMPLEX) return fl_complex_scalar(fl_complex_square(fl_scalar_complex(*a)));
    return fl_scalar_multiply(c->kind, *a, *a);
}

static fl_scalar run_not(const context *c, const fl_scalar *a)
{
    return fl_int_scalar(c->kind == FL_KIND_BOOL ? !a->u : ~a->u);
}

static fl_scalar run_bits(const context *c, const fl_scalar *a)
{
    uint64_t u = a->u & mask_of(c);
    if (c->code == FL_OP_popcnt) return fl_int_scalar((uint64_t)__builtin_popcountll(u));
    return fl_int_scalar((uint64_t)(u ? __builtin_clzll(u) - (64 - c->bits) : c->bits));
}

static fl_scalar run_parts(const context *c, const fl_scalar *a)
{
    int is_complex = c->kind == FL_KIND_COMPLEX;
    switch (c->code) {
    case FL_OP_real: return is_complex ? fl_real_scalar(a->re) : *a;
    case FL_OP_imag: return is_complex ? fl_real_scalar(a->im) : fl_real_scalar(0);
    case FL_OP_conj: return is_complex ? (fl_scalar){.re = a->re, .im = -a->im} : *a;
    default: return (fl_scalar){.re = a[0].re, .im = a[1].re}; /* complex */
    }
}

static fl_scalar run_classify(const context *c, const fl_scalar *a)
{
    double x = a->re, y = c->kind == FL_KIND_COMPLEX ? a->im : 0;
    if (is_integer(c)) return fl_int_scalar(c->code == FL_OP_is_finite);
    switch (c->code) {
    case FL_OP_is_finite: return fl_int_scalar(isfinite(x) && isfinite(y));
    case FL_OP_is_inf: return fl_int_scalar(isinf(x) || isinf(y));
    case FL_OP_is_pos_inf: return fl_int_scalar(x == INFINITY);
    default: return fl_int_scalar(x == -INFINITY);
    }
}

static fl_scalar run_add(const context *c, const fl_scalar *a)
{
    return fl_scalar_add(c->kind, a[0], a[1]);
}

static fl_scalar run_multiply(const context *c, const fl_scalar *a)
{
    return fl_scalar_multiply(c->kind, a[0], a[1]);
}

static fl_scalar run_subtract(const context *c, const fl_scalar *a)
{
    if (c->kind == FL_KIND_COMPLEX) return (fl_scalar){.re = a[0].re - a[1].re, .im = a[0].im - a[1].im};
    return c->kind == FL_KIND_FLOAT ? fl_real_scalar(a[0].re - a[1].re) : fl_int_scalar(a[0].u - a[1].u);
}

/* The upper half of the product. */
static fl_scalar run_mulhi(const context *c, const fl_scalar *a)
{
    if (c->kind == FL_KIND_INT) return fl_int_scalar((uint64_t)((__int128)a[0].i * a[1].i >> c->bits));
    return fl_int_scalar((uint64_t)((unsigned __int128)a[0].u * a[1].u >> c->bits));
}

/* Integers as XLA: x / 0 has all bits set, x % 0 is x, the smallest / -1 is itself. */
static fl_scalar run_divide(const context *c, const fl_scalar *a)
{
    int remainder = c->code == FL_OP_remainder;
    switch (c->kind) {
    case FL_KIND_COMPLEX:
        return fl_complex_scalar(fl_complex_divide(fl_scalar_complex(a[0]), fl_scalar_complex(a[1])));
    case FL_KIND_FLOAT: return fl_real_scalar(remainder ? fmod(a[0].re, a[1].re) : a[0].re / a[1].re);
    case FL_KIND_INT:
        if (a[1].i == -1) return fl_int_scalar(remainder ? 0 : -a[0].u);
        if (a[1].i) return (fl_scalar){.i = remainder ? a[0].i % a[1].i : a[0].i / a[1].i};
        break;
    default:
        if (a[1].u) return fl_int_scalar(remainder ? a[0].u % a[1].u : a[0].u / a[1].u);
    }
    return remainder ? a[0] : fl_int_scalar(~0ull);
}

/* -1, 0, 1 */
static int order(const context *c, fl_scalar a, fl_scalar b)
{
    if (c->kind == FL_KIND_FLOAT) {
        if (a.re == 0 && b.re == 0) return !!signbit(b.re) - !!signbit(a.re); /* IEEE maximum: -0 < +0 */
        return (a.re > b.re) - (a.re < b.re);
    }
    if (c->kind == FL_KIND_COMPLEX) {
        int first = (a.re > b.re) - (a.re < b.re);
        return first ? first : (a.im > b.im) - (a.im < b.im);
    }
    return c->kind == FL_KIND_INT ? (a.i > b.i) - (a.i < b.i) : (a.u > b.u) - (a.u < b.u);
}

static int is_nan(const context *c, fl_scalar a)
{
    return !is_integer(c) && (isnan(a.re) || (c->kind == FL_KIND_COMPLEX && isnan(a.im)));
}

static fl_scalar pick(const context *c, fl_scalar a, fl_scalar b, int sign)
{
    if (is_nan(c, a)) return a;
    if (is_nan(c, b)) return b;
    return order(c, a, b) * sign >= 0 ? a : b;
}

static fl_scalar run_extremum(const context *c, const fl_scalar *a)
{
    return pick(c, a[0], a[1], c->code == FL_OP_maximum ? 1 : -1);
}

static fl_scalar run_clamp(const context *c, const fl_scalar *a) /* low, x, high */
{
    return pick(c, pick(c, a[1], a[0], 1), a[2], -1);
}

static fl_scalar run_select(const context *c, const fl_scalar *a)
{
    (void)c;
    return a[0].u ? a[1] : a[2];
}

static fl_scalar run_logic(const context *c, const fl_scalar *a)
{
    uint64_t x = a[0].u, y = a[1].u;
    return fl_int_scalar(c->code == FL_OP_and ? x & y : c->code == FL_OP_or ? x | y : x ^ y);
}

static fl_scalar run_shift(const context *c, const fl_scalar *a)
{
    uint64_t by = a[1].u & mask_of(c), bits = (uint64_t)c->bits;
    int64_t extended =
        (int64_t)(a[0].u << (64 - bits)) >> (64 - bits); /* unsigned ones too: the top bit is the sign */
    if (c->code == FL_OP_shift_right_arithmetic)
        return (fl_scalar){.i = extended >> (by < bits ? by : bits - 1)};
    if (by >= bits) return fl_int_scalar(0);
    return fl_int_scalar(c->code == FL_OP_shift_left ? a[0].u << by : (a[0].u & mask_of(c)) >> by);
}

static fl_scalar integer_power(const context *c, fl_scalar x, fl_scalar y)
{
    if (c->kind == FL_KIND_INT && y.i < 0) { /* 1 / x^-y, truncated; 0 also for x = 0, as XLA */
        if (x.i == 1) return x;
        if (x.i == -1) return (fl_scalar){.i = y.u & 1 ? -1 : 1};
        return fl_int_scalar(0);
    }
    uint64_t result = 1;
    for (uint64_t base = x.u, n = y.u; n; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return fl_int_scalar(result);
}

static fl_scalar run_power(const context *c, const fl_scalar *a)
{
    if (is_integer(c)) return integer_power(c, a[0], a[1]);
    if (c->kind == FL_KIND_FLOAT) return fl_real_scalar(pow(a[0].re, a[1].re));
    return fl_complex_scalar(fl_complex_power(fl_scalar_complex(a[0]), fl_scalar_complex(a[1])));
}

static fl_scalar run_atan2(const context *c, const fl_scalar *a)
{
    if (c->kind == FL_KIND_FLOAT) return fl_real_scalar(atan2(a[0].re, a[1].re));
    return fl_complex_scalar(fl_complex_atan2(fl_scalar_complex(a[0]), fl_scalar_complex(a[1])));
}

/* The order of IEEE totalOrder: by the bits as sign and magnitude. */
static int64_t total_order_key(const context *c, fl_scalar a)
{
    int64_t bits = (int64_t)(fl_scalar_bits(c->in, a) << (64 - c->bits));
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static fl_scalar run_compare(const context *c, const fl_scalar *a)
{
    int64_t direction = fl_op_int(c->op, FL_ATTR_comparison_direction, FL_EQ), sign;
    int total = c->kind == FL_KIND_FLOAT &&
                fl_op_int(c->op, FL_ATTR_compare_type, FL_COMPARE_NONE) == FL_COMPARE_TOTALORDER;
    if (total) {
        int64_t x = total_order_key(c, a[0]), y = total_order_key(c, a[1]);
        sign = (x > y) - (x < y);
    } else {
        if (is_nan(c, a[0]) || is_nan(c, a[1])) return fl_int_scalar(direction == FL_NE);
        sign = order(c, a[0], a[1]);
        if (c->kind == FL_KIND_FLOAT && a[0].re == a[1].re) sign = 0; /* -0 == +0 */
    }
    switch (direction) {
    case FL_EQ: return fl_int_scalar(sign == 0);
    case FL_NE: return fl_int_scalar(sign != 0);
    case FL_GE: return fl_int_scalar(sign >= 0);
    case FL_GT: return fl_int_scalar(sign > 0);
    case FL_LE: return fl_int_scalar(sign <= 0);
    default: return fl_int_scalar(sign < 0);
    }
}

/* Float to integer truncates and saturates, NaN gives 0 (as XLA). */
static fl_scalar to_integer(fl_dtype out, double x)
{
    int bits = fl_dtypes[out].bits;
    if (isnan(x)) return fl_int_scalar(0);
    if (fl_dtype_kind(out) == FL_KIND_UINT) {
        if (x >= ldexp(1, bits)) return fl_int_scalar(~0ull);
        return fl_int_scalar(x <= 0 ? 0 : (uint64_t)x);
    }
    double limit = ldexp(1, bits - 1);
    if (x >= limit) return fl_int_scalar((1ull << (bits - 1)) - 1);
    return (fl_scalar){.i = x <= -limit ? (int64_t)(~0ull << (bits - 1)) : (int64_t)x};
}

/* To double, but to odd: rounding that to a narrower type equals rounding the integer once. */
static double odd_double(uint64_t u)
{
    int drop = u >> 53 ? 11 - __builtin_clzll(u) : 0;
    uint64_t sticky = (u & ((1ull << drop) - 1)) != 0;
    return ldexp((double)(u >> drop | sticky), drop);
}

static double integer_to_double(const context *c, const fl_scalar *a)
{
    int negative = c->kind == FL_KIND_INT && a->i < 0;
    if (c->out == FL_F64 || c->out == FL_C128) return negative ? (double)a->i : (double)a->u;
    return negative ? -odd_double(-a->u) : odd_double(a->u);
}

static fl_scalar run_convert(const context *c, const fl_scalar *a)
{
    double x = is_integer(c) ? integer_to_double(c, a) : a->re;
    switch (fl_dtype_kind(c->out)) {
    case FL_KIND_BOOL:
        return fl_int_scalar(is_integer(c) ? a->u != 0 : x != 0); /* of a complex number, the real part */
    case FL_KIND_COMPLEX: return (fl_scalar){.re = x, .im = c->kind == FL_KIND_COMPLEX ? a->im : 0};
    case FL_KIND_FLOAT: return fl_real_scalar(x);
    default: return is_integer(c) ? *a : to_integer(c->out, x);
    }
}

/* As XLA: round the fraction in place, to even; then exponents beyond the range become infinity, below it
 * signed zero. */
static fl_scalar run_reduce_precision(const context *c, const fl_scalar *a)
{
    static const struct {
        fl_dtype dtype;
        int exponent, mantissa;
    } layouts[] = {{FL_F16, 5, 10}, {FL_BF16, 8, 7}, {FL_F32, 8, 23}, {FL_F64, 11, 52}};
    int k = c->in == FL_F16 ? 0 : c->in == FL_BF16 ? 1 : c->in == FL_F64 ? 3 : 2;
    int e = (int)fl_op_int(c->op, FL_ATTR_exponent_bits, 0),
        m = (int)fl_op_int(c->op, FL_ATTR_mantissa_bits, 0);
    int from_e = layouts[k].exponent, from_m = layouts[k].mantissa;
    if (isnan(a->re)) return m ? *a : fl_real_scalar(copysign(INFINITY, a->re)); /* no bit says NaN */
    uint64_t bits = fl_scalar_bits(layouts[k].dtype, *a), sign = bits & 1ull << (from_e + from_m);
    bits ^= sign;
    if (m < from_m) {
        int drop = from_m - m;
        bits += (1ull << (drop - 1)) - 1 + (bits >> drop & 1);
        bits &= ~0ull << drop;
    }
    if (e < from_e) {
        int64_t bias = (1 << (from_e - 1)) - 1, reach = (1 << (e - 1)) - 1;
        int64_t exponent = (int64_t)(bits >> from_m);
        if (exponent > bias + reach) bits = ((1ull << from_e) - 1) << from_m;
        if (exponent <= bias - reach) bits = 0;
    }
    return fl_scalar_from_bits(layouts[k].dtype, bits | sign);
}

static fl_scalar run_next_after(const context *c, const fl_scalar *a)
{
    if (isnan(a[0].re) || isnan(a[1].re)) return fl_real_scalar(NAN);
    if (a[0].re == a[1].re) return a[1];
    uint64_t bits = fl_scalar_bits(c->in, a[0]), sign = 1ull << (c->bits - 1);
    if (a[0].re == 0) return fl_scalar_from_bits(c->in, (a[1].re < 0 ? sign : 0) | 1);
    return fl_scalar_from_bits(c->in, (a[1].re > a[0].re) == !(bits & sign) ? bits + 1 : bits - 1);
}

static fl_scalar run_special(const context *c, const fl_scalar *a)
{
    return fl_real_scalar(c->code == FL_OP_zeta ? fl_special_zeta(a[0].re, a[1].re)
                                                : fl_special_polygamma(a[0].re, a[1].re));
}

/* ---- the table ---- */

enum {
    B = 1 << FL_KIND_BOOL,
    N = 1 << FL_KIND_INT | 1 << FL_KIND_UINT,
    R = 1 << FL_KIND_FLOAT,
    C = 1 << FL_KIND_COMPLEX
};

static const struct row {
    double (*real)(double);
    double complex (*analytic)(double complex);
    fl_scalar (*general)(const context *c, const fl_scalar *args);
    int kinds; /* that `general` is defined for */
} rows[FL_OPCODE_COUNT] = {
/* clang-format off */
#define F(op, real, analytic) [FL_OP_##op] = {real, analytic, NULL, 0}
#define G(op, function, kinds) [FL_OP_##op] = {NULL, NULL, function, kinds}
    F(cbrt, cbrt, fl_complex_cbrt), F(ceil, ceil, NULL), F(cosine, cos, fl_complex_cos),
    F(exponential, exp, fl_complex_exp), F(exponential_minus_one, expm1, fl_complex_expm1),
    F(floor, floor, NULL), F(log, log, fl_complex_log), F(log_plus_one, log1p, fl_complex_log1p),
    F(logistic, logistic, fl_complex_logistic), F(round_nearest_afz, round, NULL),
    F(round_nearest_even, rint, NULL), F(rsqrt, rsqrt, fl_complex_rsqrt), F(sine, sin, fl_complex_sin),
    F(sqrt, sqrt, fl_complex_sqrt), F(tan, tan, fl_complex_tan), F(tanh, tanh, fl_complex_tanh),
    F(acos, acos, fl_complex_acos), F(acosh, acosh, fl_complex_acosh), F(asin, asin, fl_complex_asin),
    F(asinh, asinh, fl_complex_asinh), F(atan, atan, fl_complex_atan), F(atanh, atanh, fl_complex_atanh),
    F(bessel_i1e, fl_special_bessel_i1e, NULL), F(cosh, cosh, fl_complex_cosh),
    F(digamma, fl_special_digamma, NULL), F(erf, erf, NULL), F(erf_inv, fl_special_erf_inv, NULL),
    F(erfc, erfc, NULL), F(lgamma, fl_special_lgamma, NULL), F(sinh, sinh, fl_complex_sinh),
    G(abs, run_abs, N | R | C),
    G(negate, run_negate, N | R | C), G(sign, run_sign, N | R | C), G(square, run_square, N | R | C),
    G(not, run_not, B | N), G(popcnt, run_bits, N), G(count_leading_zeros, run_bits, N),
    G(real, run_parts, R | C), G(imag, run_parts, R | C), G(conj, run_parts, B | N | R | C),
    G(complex, run_parts, R), G(is_finite, run_classify, N | R | C), G(is_inf, run_classify, N | R | C),
    G(is_pos_inf, run_classify, N | R), G(is_neg_inf, run_classify, N | R), G(add, run_add, B | N | R | C),
    G(multiply, run_multiply, B | N | R | C), G(subtract, run_subtract, N | R | C), G(mulhi, run_mulhi, N),
    G(divide, run_divide, N | R | C), G(remainder, run_divide, N | R),
    G(maximum, run_extremum, B | N | R | C), G(minimum, run_extremum, B | N | R | C),
    G(clamp, run_clamp, B | N | R | C), G(select, run_select, B | N | R | C), G(and, run_logic, B | N),
    G(or, run_logic, B | N), G(xor, run_logic, B | N), G(shift_left, run_shift, N),
    G(shift_right_arithmetic, run_shift, N), G(shift_right_logical, run_shift, N),
    G(power, run_power, N | R | C), G(atan2, run_atan2, R | C), G(compare, run_compare, B | N | R | C),
    G(convert, run_convert, B | N | R | C), G(reduce_precision, run_reduce_precision, R),
    G(next_after, run_next_after, R), G(zeta, run_special, R), G(polygamma, run_special, R),
#undef F
#undef G
};
/* clang-format on */

int fl_scalar_op(const fl_op *op, fl_opcode code, fl_dtype in, fl_dtype out, const fl_scalar *args,
                 fl_scalar *result)
{
    const struct row *row = &rows[code];
    const context c = {op, code, in, out, fl_dtype_kind(in), fl_dtypes[in].bits};
    if (row->general && row->kinds >> c.kind & 1)
        *result = row->general(&c, args);
    else if (row->real && c.kind == FL_KIND_FLOAT)
        *result = fl_real_scalar(row->real(args[0].re));
    else if (row->analytic && c.kind == FL_KIND_COMPLEX)
        *result = fl_complex_scalar(row->analytic(fl_scalar_complex(args[0])));
    else
        return 0;
    return 1;
}

/* The dtype that says which operation is meant: of the values chosen from, else of the first operand. */
static fl_dtype deciding_dtype(const fl_call *call, fl_opcode code)
{
    return (fl_dtype)call->in[code == FL_OP_select ? 1 : 0].type->dtype;
}

static fl_status undefined(fl_opcode code, fl_dtype in)
{
    return fl_error(FL_UNSUPPORTED, "%s is not defined for %s", fl_op_infos[code].name, fl_dtype_name(in));
}

/* Operands of rank 0 beside others of higher rank (the bounds of clamp, the predicate of select) are the same
 * for all. */
/* cosh and sinh of f32 as other implementations compute them, e^(x + log 1/2) +- e^(log 1/2 - x) with
 * every step rounded: 0.7 |x| units in the last place from the true value at most. */
static fl_scalar hyperbolic_steps(fl_opcode code, double x)
{
    const float log_half = -0.693147181f;
    if (code == FL_OP_sinh && fabs(x) < 1) return fl_real_scalar(sinh(x));
    float up = (float)exp((float)x + log_half), down = (float)exp(log_half - (float)x);
    return fl_real_scalar(code == FL_OP_cosh ? up + down : up - down);
}

fl_status fl_run_elementwise(const fl_call *call)
{
    const fl_op *op = call->op;
    fl_opcode code = (fl_opcode)op->code;
    fl_dtype in = deciding_dtype(call, code), out = (fl_dtype)call->out->type->dtype;
    int steps = in == FL_F32 && (code == FL_OP_cosh || code == FL_OP_sinh) &&
                fl_session_of(call)->options.round_each_step;
    int64_t n = fl_type_elements(call->out->type);
    for (int64_t i = 0; i < n; i++) {
        fl_scalar args[3], result;
        for (uint32_t k = 0; k < op->operand_count; k++)
            args[k] = fl_get(&call->in[k], call->in[k].type->rank ? i : 0);
        if (steps)
            result = hyperbolic_steps(code, args[0].re);
        else if (!fl_scalar_op(op, code, in, out, args, &result))
            return undefined(code, in);
        fl_set(call->out, i, result);
    }
    return NULL;
}

fl_status fl_run_strided(const fl_call *call, fl_opcode code, const int64_t strides[][FL_MAX_RANK])
{
    fl_dtype in = deciding_dtype(call, code), out = (fl_dtype)call->out->type->dtype;
    FL_EACH(index, i, call->out->type)
    {
        fl_scalar args[3], result;
        for (uint32_t k = 0; k < call->op->operand_count; k++) {
            int64_t from = 0;
            for (int d = 0; d < call->out->type->rank; d++) from += index[d] * strides[k][d];
            args[k] = fl_get(&call->in[k], from);
        }
        if (!fl_scalar_op(call->op, code, in, out, args, &result)) return undefined(code, in);
        fl_set(call->out, i, result);
    }
    return NULL;
}

fl_status fl_run_map(const fl_call *call)
{
    fl_function f = fl_function_of(call, 0);
    int64_t n = fl_type_elements(call->out->type);
    FL_CHECK(call->op->operand_count <= FL_MOST_INPUTS, FL_UNSUPPORTED,
             "expected at most %d operands, got %d", FL_MOST_INPUTS, call->op->operand_count);
    for (int64_t i = 0; i < n; i++) {
        fl_scalar args[FL_MOST_INPUTS], result;
        for (uint32_t k = 0; k < call->op->operand_count; k++) args[k] = fl_get(&call->in[k], i);
        FL_TRY(fl_function_call(&f, args, &result));
        fl_set(call->out, i, result);
    }
    return NULL;
}
