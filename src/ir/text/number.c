/* Numbers from text, each rounded once. */
#include "ir/text/parser.h"
#include "base/f8.h"
#include "base/half.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char not_integer[] = "an integer", not_float[] = "a number with a decimal point",
                  no_bits[] = "bits that fit", out_of_range[] = "a number within the range",
                  not_bool[] = "true or false";

static inline int is_digit(const char *at, const char *end)
{
    return at < end && (unsigned)(*at - '0') < 10;
}

/* 0 to 15, or -1 */
static inline int hex_value(char c)
{
    unsigned digit = (unsigned)c - '0', letter = ((unsigned)c | 32) - 'a';
    return digit < 10 ? (int)digit : letter < 6 ? (int)letter + 10 : -1;
}

/* Eight digits at a time, a byte of the word each (little-endian). *invalid gets a bit for one that is none. */
static uint32_t hex_word(uint64_t x, uint64_t *invalid)
{
    const uint64_t ones = 0x0101010101010101u, high = 0x80 * ones;
    uint64_t low = x & ~high;
    uint64_t no_digit = (low ^ 0x30 * ones) + 0x76 * ones; /* high bit: not 0 to 9 */
    uint64_t letter = ((low | 0x20 * ones) ^ 0x60 * ones); /* 1 to 6: a to f */
    uint64_t no_letter = (letter + 0x79 * ones) | ~(letter + 0x7f * ones);
    *invalid |= ((no_digit & no_letter) | x) & high;
    uint64_t nibbles = (x & 0x0f * ones) + 9 * (x >> 6 & ones);
    uint64_t bytes = (nibbles << 4 | nibbles >> 8) & 0x00ff00ff00ff00ffu;
    bytes = (bytes | bytes >> 8) & 0x0000ffff0000ffffu;
    return (uint32_t)(bytes | bytes >> 16);
}

int fl_read_hex(const char *hex, size_t digits, uint8_t *out)
{
    uint64_t invalid = 0;
    size_t n = digits / 2, i = 0;
    int bad = 0;
    for (; i + 4 <= n; i += 4) {
        uint64_t word;
        memcpy(&word, hex + 2 * i, 8);
        uint32_t bytes = hex_word(word, &invalid);
        memcpy(out + i, &bytes, 4);
    }
    for (; i < n; i++) {
        int high = hex_value(hex[2 * i]), low = hex_value(hex[2 * i + 1]);
        bad |= high | low;
        out[i] = (uint8_t)((unsigned)high << 4 | (unsigned)low);
    }
    return bad >= 0 && !invalid;
}

static int is_hex(const char *at, const char *end)
{
    return end - at > 2 && at[0] == '0' && at[1] == 'x' && hex_value(at[2]) >= 0;
}

/* Digits of either base; 0: none, or more than 64 bits. */
static int read_digits(const char **at, const char *end, uint64_t *out)
{
    const char *c = *at;
    uint64_t v = 0;
    int fits = 1;
    if (is_hex(c, end)) {
        for (c += 2; c < end && hex_value(*c) >= 0; c++) {
            fits &= !(v >> 60);
            v = v << 4 | (uint64_t)hex_value(*c);
        }
    } else {
        if (!is_digit(c, end)) return 0;
        for (; is_digit(c, end); c++)
            fits &= !__builtin_mul_overflow(v, 10, &v) & !__builtin_add_overflow(v, (uint64_t)(*c - '0'), &v);
    }
    *at = c;
    *out = v;
    return fits;
}

const char *fl_read_int(const char **at, const char *end, fl_dtype dtype, int64_t *out)
{
    const char *c = *at;
    int negative = c < end && *c == '-', bits = fl_dtypes[dtype].bits,
        is_unsigned = fl_dtype_kind(dtype) == FL_KIND_UINT;
    uint64_t v;
    c += negative;
    if (!is_digit(c, end)) return not_integer;
    if (!read_digits(&c, end, &v)) return out_of_range;
    if (negative && is_unsigned) return out_of_range;
    /* types without a sign of their own hold bit patterns too: 255 : i8 is -1 */
    uint64_t most = negative          ? (uint64_t)1 << (bits - 1)
                    : dtype == FL_IDX ? INT64_MAX
                                      : UINT64_MAX >> (64 - bits);
    if (v > most) return out_of_range;
    v = negative ? 0 - v : v;
    int64_t wide = (int64_t)(v << (64 - bits)) >> (64 - bits);
    *out = is_unsigned ? (int64_t)v : dtype == FL_I1 ? (int64_t)(v & 1) : wide;
    *at = c;
    return NULL;
}

/* ---- decimal fractions ---- */

enum { MOST_DIGITS = 800 }; /* a double halfway between two others has 767 */

/* digits * 10^exponent; more than 19 digits: only strtod sees them all */
typedef struct decimal {
    const char *begin, *end; /* of the digits, with the point */
    uint64_t digits;
    int count, exponent;
} decimal;

static int scan_decimal(const char **at, const char *end, decimal *d)
{
    const char *c = *at;
    uint64_t digits = 0;
    d->begin = c;
    d->count = 0;
    while (is_digit(c, end) && *c == '0') c++;
    const char *first = c;
    for (; is_digit(c, end); c++) digits = 10 * digits + (uint64_t)(*c - '0');
    int64_t count = c - first, exponent = 0;
    if (c == d->begin || c == end || *c != '.') return 0;
    const char *fraction = ++c;
    if (!count)
        while (is_digit(c, end) && *c == '0') c++;
    first = c;
    for (; is_digit(c, end); c++) digits = 10 * digits + (uint64_t)(*c - '0');
    count += c - first;
    exponent = fraction - c;
    d->end = c;
    if (c < end && (*c == 'e' || *c == 'E')) {
        const char *e = c + 1;
        int negative = e < end && *e == '-';
        e += e < end && (*e == '-' || *e == '+');
        int64_t power = 0;
        const char *from = e;
        for (; is_digit(e, end); e++)
            if (power < 1000000000) power = 10 * power + (*e - '0');
        if (e > from) {
            c = e;
            exponent += negative ? -power : power;
        }
    }
    d->digits = digits;
    d->count = count > 1000 ? 1000 : (int)count;
    d->exponent = exponent > 1000000000 ? 1000000000 : exponent < -1000000000 ? -1000000000 : (int)exponent;
    *at = c;
    return 1;
}

static double from_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

static uint64_t to_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return bits;
}

/* "To odd": a number that is no double becomes the neighbour whose last bit is 1. Rounding that again to at most 51 bits
 * gives what rounding the number itself would. */
static double to_odd(double below, int exact)
{
    return exact ? below : from_bits(to_bits(below) | 1);
}

static double slow(const decimal *d, int odd)
{
    char text[MOST_DIGITS + 32];
    int n = 0, dropped = 0, more = 0;
    for (const char *c = d->begin; c < d->end; c++) {
        if (*c == '.' || (!n && *c == '0')) continue;
        if (n < MOST_DIGITS) {
            text[n++] = *c;
        } else {
            more |= *c != '0';
            if (dropped < 1000000000) dropped++;
        }
    }
    if (!n) return 0;
    if (more) text[n++] = '1', dropped--;
    /* no point in it: that would depend on the locale */
    snprintf(text + n, sizeof text - (size_t)n, "e%lld", (long long)d->exponent + dropped);
    if (!odd) return strtod(text, NULL);
    int mode = fegetround();
    fesetround(FE_TOWARDZERO);
    double below = strtod(text, NULL);
    fesetround(FE_UPWARD);
    double above = strtod(text, NULL);
    fesetround(mode);
    return to_odd(below, below == above);
}

/* Digits and power of ten are doubles: one operation, whose error fma tells. */
static double exact_double(const decimal *d, int odd)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double m = (double)d->digits, power = powers[abs(d->exponent)];
    double r = d->exponent < 0 ? m / power : m * power;
    if (!odd) return r;
    double error = d->exponent < 0 ? fma(-r, power, m) : fma(m, power, -r);
    return to_odd(error < 0 ? from_bits(to_bits(r) - 1) : r, error == 0);
}

#if LDBL_MANT_DIG == 64
/* In x87's 64 bits, unless the 11 bits that a double lacks are too near to where the result would change. */
static int extended(const decimal *d, int odd, double *out)
{
    static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                         1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                         1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    int e = abs(d->exponent), second = e > 27 ? e - 27 : 0;
    if (d->count > 19 || e > 54 || !d->digits) return 0;
    long double x = (long double)d->digits;
    x = d->exponent < 0 ? x / powers[e - second] : x * powers[e - second];
    if (second) x = d->exponent < 0 ? x / powers[second] : x * powers[second];
    struct {
        uint64_t mantissa;
        uint16_t exponent;
    } parts;
    memcpy(&parts, &x, 10);
    int low = (int)(parts.mantissa & 0x7ff), exponent = parts.exponent - 16383 + 1023;
    if (exponent < 1 || exponent > 2045) return 0;
    if (odd ? low < 8 || low > 0x7f7 : low > 0x3f8 && low < 0x408) return 0;
    uint64_t bits = (uint64_t)exponent << 52 | (parts.mantissa >> 11 & 0xfffffffffffffu);
    *out = from_bits(odd ? bits | 1 : bits + (low > 0x400));
    return 1;
}
#else
static int extended(const decimal *d, int odd, double *out)
{
    (void)d, (void)odd, (void)out;
    return 0;
}
#endif

/* The nearest double, or rounded to odd; without a sign. */
static const char *read_decimal(const char **at, const char *end, int odd, double *out)
{
    decimal d;
    if (!scan_decimal(at, end, &d)) return not_float;
    if (d.count <= 19 && d.digits <= (uint64_t)1 << 53 && d.exponent >= -22 && d.exponent <= 22)
        *out = exact_double(&d, odd);
    else if (!extended(&d, odd, out))
        *out = slow(&d, odd);
    return isfinite(*out) ? NULL : out_of_range;
}

const char *fl_read_f64(const char **at, const char *end, double *out)
{
    int negative = *at < end && **at == '-';
    const char *c = *at + negative;
    const char *wrong = read_decimal(&c, end, 0, out);
    if (wrong) return wrong;
    if (negative) *out = -*out;
    *at = c;
    return NULL;
}

/* A double that was rounded to odd becomes such a float. */
static float odd_float(double d)
{
    float f = (float)d;
    if ((double)f == d) return f;
    uint32_t bits = fl_f32_bits(f);
    return fl_f32_from_bits((fabs((double)f) > fabs(d) ? bits - 1 : bits) | 1);
}

static float round_tf32(float f)
{
    uint32_t x = fl_f32_bits(f);
    return fl_f32_from_bits((x + 0xfffu + (x >> 13 & 1)) & ~0x1fffu);
}

/* The nearest power of two, the larger one in the middle. There is no zero: what is less than the smallest becomes that. */
static const char *store_e8m0(double d, void *out)
{
    int exponent;
    double fraction = frexp(d, &exponent);
    int code = d == 0 ? 0 : exponent - 1 + 127 + (fraction >= 0.75);
    uint8_t byte = (uint8_t)(code < 0 ? 0 : code);
    if (d < 0 || code > 254) return out_of_range;
    memcpy(out, &byte, 1);
    return NULL;
}

static const char *store_f8(double d, fl_dtype dtype, void *out)
{
    if (dtype == FL_F8E8M0FNU) return store_e8m0(d, out);
    double most = dtype == FL_F4E2M1FN   ? 7
                  : dtype == FL_F6E2M3FN ? 7.75
                  : dtype == FL_F6E3M2FN ? 30
                                         : HUGE_VAL;
    uint8_t code = fl_f8_from_f32(dtype, odd_float(d));
    if (fabs(d) >= most || !isfinite(fl_f32_from_f8(dtype, code))) return out_of_range;
    memcpy(out, &code, 1);
    return NULL;
}

/* `d` was rounded to odd, for f64 to nearest. */
static const char *store_float(double d, fl_dtype dtype, void *out)
{
    switch (dtype) {
    case FL_F64: memcpy(out, &d, 8); return NULL;
    case FL_F32:
    case FL_TF32: {
        float f = dtype == FL_F32 ? (float)d : round_tf32(odd_float(d));
        memcpy(out, &f, 4);
        return isfinite(f) ? NULL : out_of_range;
    }
    case FL_BF16:
    case FL_F16: {
        uint16_t h = dtype == FL_F16 ? fl_f16_from_f32(odd_float(d)) : fl_bf16_from_f32(odd_float(d));
        memcpy(out, &h, 2);
        return isfinite(dtype == FL_F16 ? fl_f32_from_f16(h) : fl_f32_from_bf16(h)) ? NULL : out_of_range;
    }
    default: return store_f8(d, dtype, out);
    }
}

static const char *read_pattern(const char **at, const char *end, fl_dtype dtype, void *out)
{
    uint64_t v;
    const char *c = *at;
    if (!read_digits(&c, end, &v) || (fl_dtypes[dtype].bits < 64 && v >> fl_dtypes[dtype].bits))
        return no_bits;
    *at = c;
    if (dtype == FL_TF32) v <<= 13; /* kept as the f32 of the same value */
    memcpy(out, &v, fl_dtype_bytes(dtype));
    return NULL;
}

static const char *read_float(const char **at, const char *end, fl_dtype dtype, void *out)
{
    const char *c = *at, *wrong;
    int negative = c < end && *c == '-';
    double d;
    if (is_hex(c, end)) return read_pattern(at, end, dtype, out);
    c += negative;
    if ((wrong = read_decimal(&c, end, dtype != FL_F64, &d)) != NULL) return wrong;
    if ((wrong = store_float(negative ? -d : d, dtype, out)) != NULL) return wrong;
    *at = c;
    return NULL;
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
    return at;
}

/* (re, im) */
static const char *read_complex(const char **at, const char *end, fl_dtype dtype, uint8_t *out)
{
    const char *c = *at;
    size_t bytes = fl_dtype_bytes(dtype) / 2;
    for (int i = 0; i < 2; i++) {
        c = skip_space(c, end);
        if (c == end || *c++ != "(,"[i]) return "a pair (real, imaginary)";
        c = skip_space(c, end);
        const char *wrong = read_float(&c, end, fl_real_dtype(dtype), out + (size_t)i * bytes);
        if (wrong) return *at = c, wrong;
    }
    c = skip_space(c, end);
    if (c == end || *c != ')') return "a pair (real, imaginary)";
    *at = c + 1;
    return NULL;
}

static int accept(const char **at, const char *end, const char *word, size_t length)
{
    if ((size_t)(end - *at) < length || memcmp(*at, word, length)) return 0;
    *at += length;
    return 1;
}

const char *fl_read_element(const char **at, const char *end, fl_dtype dtype, void *out)
{
    switch (fl_dtype_kind(dtype)) {
    case FL_KIND_FLOAT: return read_float(at, end, dtype, out);
    case FL_KIND_COMPLEX: return read_complex(at, end, dtype, out);
    default: break;
    }
    int64_t v = 0;
    const char *wrong = NULL;
    if (dtype == FL_I1 && accept(at, end, "true", 4))
        v = 1;
    else if (dtype != FL_I1 || !accept(at, end, "false", 5))
        wrong = fl_read_int(at, end, dtype, &v);
    if (wrong) return dtype == FL_I1 ? not_bool : wrong;
    memcpy(out, &v, fl_dtype_bytes(dtype));
    return NULL;
}

int fl_parse_i64(fl_parser *p, int64_t *out)
{
    const char *start = p->token.start, *at = start;
    fl_token first = p->token;
    fl_accept(p, '-');
    if (p->token.kind != FL_TOKEN_INT) return fl_expected(p, not_integer);
    const char *end = p->token.end;
    if (first.kind == '-' && p->token.start != first.end) return fl_expected(p, not_integer);
    if (fl_read_int(&at, end, FL_I64, out) || at != end)
        return fl_parse_error(p, start, "expected an integer within the range of i64, got '%.*s'",
                              (int)(end - start), start);
    fl_lex_next(p);
    return 1;
}
