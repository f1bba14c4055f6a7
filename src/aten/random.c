/* Distributions. */
#include "aten/formula.h"
#include "aten/random.h"
#include "aten/limit.h"
#include "aten/sizes.h"
#include "aten/table.h"

static fl_ref draw_bits(fl_builder *b, int generator, fl_dtype dtype, int rank, const int64_t *dims)
{
    fl_type type = fl_type_make(dtype, rank, dims);
    int64_t count = 1;
    for (int i = 0; i < rank; i++) count *= dims[i];
    fl_ref state = fl_random_state(b, generator, (uint64_t)count * (dtype == FL_U64 ? 2 : 1));
    return fl_rng_bits(b, state, type, NULL);
}

static fl_ref bits_of(fl_builder *b, int generator, fl_type type)
{
    return draw_bits(b, generator, type.dtype == FL_F64 ? FL_U64 : FL_U32, type.rank, type.dims);
}

/* The upper `digits` bits as a number below 2^digits. */
static fl_ref upper_bits(fl_builder *b, fl_ref bits, int digits, fl_dtype dtype)
{
    fl_dtype word = fl_dtypeof(b, bits);
    int width = word == FL_U64 ? 64 : 32;
    fl_ref upper = fl_shrl(b, bits, fl_scalar_i(b, word, width - digits));
    if (digits < 32) upper = fl_cast(b, upper, FL_I32); /* processors convert numbers with a sign at once */
    return fl_cast(b, upper, dtype);
}

fl_ref fl_uniform(fl_builder *b, int generator, fl_type type, int digits)
{
    fl_dtype dtype = type.dtype;
    if (!digits) digits = dtype == FL_F64 ? 53 : 24;
    double unit = 1 / (double)(INT64_C(1) << digits);
    return fl_mul(b, upper_bits(b, bits_of(b, generator, type), digits, dtype), fl_scalar_f(b, dtype, unit));
}

/* (n + 1/2) / 2^digits, with one digit less than the mantissa has, so that the half is exact */
static fl_ref open_unit(fl_builder *b, fl_ref bits, fl_dtype dtype)
{
    int digits = dtype == FL_F64 ? 52 : 23;
    fl_ref n = fl_add(b, upper_bits(b, bits, digits, dtype), fl_scalar_f(b, dtype, 0.5));
    return fl_mul(b, n, fl_scalar_f(b, dtype, 1 / (double)(INT64_C(1) << digits)));
}

fl_ref fl_uniform_open(fl_builder *b, int generator, fl_type type)
{
    return open_unit(b, bits_of(b, generator, type), type.dtype);
}

/* Box and Muller: two uniform numbers make two normal ones. The first numbers of the pairs come first, then
 * the second. They are scaled and moved, by scalars or not at all (FL_NO_REF), where they are made: before they
 * are put together. */
static fl_ref normal_pairs(fl_builder *b, int generator, fl_type type, fl_ref deviation, fl_ref mean)
{
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++) count *= type.dims[i];
    int64_t pairs = (count + 1) / 2, both = 2 * pairs;
    fl_dtype dtype = type.dtype;
    fl_ref bits = draw_bits(b, generator, dtype == FL_F64 ? FL_U64 : FL_U32, 1, &both);
    fl_ref u = open_unit(b, fl_slice_dim(b, bits, 0, 0, pairs, 1), dtype),
           v = open_unit(b, fl_slice_dim(b, bits, 0, pairs, both, 1), dtype);
    fl_ref radius = fl_sqrt(b, fl_mul(b, fl_log(b, u), fl_scalar_f(b, dtype, -2)));
    fl_ref angle = fl_mul(b, v, fl_scalar_f(b, dtype, 6.28318530717958647693));
    fl_ref parts[2] = {fl_mul(b, radius, fl_cos(b, angle)), fl_mul(b, radius, fl_sin(b, angle))};
    for (int i = 0; i < 2 && deviation; i++) parts[i] = fl_add(b, fl_mul(b, parts[i], deviation), mean);
    fl_ref values = fl_concat(b, parts, 2, 0);
    if (both != count) values = fl_slice_dim(b, values, 0, 0, count, 1);
    return fl_reshape(b, values, type.rank, type.dims);
}

fl_ref fl_normal(fl_builder *b, int generator, fl_type type)
{
    return normal_pairs(b, generator, type, FL_NO_REF, FL_NO_REF);
}

/* self's shape with the type in which its numbers are made; 0 when self is not there or not of floating type
 */
static int float_self(fl_builder *b, const char *what, fl_type *type)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (!self) return 0;
    if (!fl_is_float((fl_dtype)self->dtype)) {
        fl_builder_fail(b, fl_error(FL_UNSUPPORTED, "\"%s\" not implemented for '%s'", what,
                                    fl_torch_type_name((fl_dtype)self->dtype)));
        return 0;
    }
    *type = fl_type_make(self->dtype == FL_F64 ? FL_F64 : FL_F32, self->rank, self->sizes);
    return 1;
}

typedef fl_ref (*draw_fn)(fl_builder *b, int generator, fl_type type);

/* Complex numbers of a drawing's real ones, times a scalar and moved by another (FL_NO_REF: not): all real
 * parts come first. */
static fl_ref complex_pairs(fl_builder *b, int generator, fl_dtype real, int rank, const int64_t *sizes,
                            draw_fn draw, fl_ref factor, fl_ref offset)
{
    int64_t dims[FL_MAX_RANK] = {2};
    if (rank == FL_MAX_RANK) {
        fl_unsupported(b, "expected fewer dimensions");
        return FL_NO_REF;
    }
    for (int i = 0; i < rank; i++) dims[i + 1] = sizes[i];
    fl_ref both = draw(b, generator, fl_type_make(real, rank + 1, dims)), parts[2];
    for (int i = 0; i < 2; i++) {
        parts[i] = fl_mul(b, fl_squeeze(b, fl_slice_dim(b, both, 0, i, i + 1, 1), 0), factor);
        if (offset) parts[i] = fl_add(b, parts[i], offset);
    }
    return fl_complex(b, parts[0], parts[1]);
}

/* Numbers of mean 0 and variance 1; a complex one has half the variance in each part. */
static fl_ref standard_normal(fl_builder *b, int generator, fl_dtype dtype, int rank, const int64_t *sizes)
{
    if (!fl_is_complex(dtype)) return fl_normal(b, generator, fl_type_make(dtype, rank, sizes));
    const fl_dtype real = fl_real_dtype(dtype);
    const fl_ref half = fl_scalar_f(b, real, 0.70710678118654752440);
    return complex_pairs(b, generator, real, rank, sizes, fl_normal, half, FL_NO_REF);
}

static fl_ref all_digits(fl_builder *b, int generator, fl_type type)
{
    return fl_uniform(b, generator, type, 0);
}

/* uniform_(self, from, to, *, generator); both parts of complex numbers lie in the range */
FL_LOWER(uniform)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (!self) return;
    const fl_dtype own = (fl_dtype)self->dtype;
    const int is_complex = fl_is_complex(own);
    fl_type type = {.dtype = (uint8_t)fl_real_dtype(own)};
    if (!is_complex && !float_self(b, "uniform_", &type)) return;
    static const fl_limit limit = {
        FL_LIMIT_UP_TO_NEXT, 1, "uniform_ expects to return a [from, to) range, but found from=%g > to=%g"};
    fl_limit_number(b, &limit);
    const fl_dtype real = (fl_dtype)type.dtype;
    const fl_ref from = fl_scalar(b, 1, real), span = fl_sub(b, fl_scalar(b, 2, real), from);
    if (is_complex) {
        fl_emit(b, complex_pairs(b, 3, real, self->rank, self->sizes, all_digits, span, from));
        return;
    }
    /* narrow results have as many digits as their type holds: rounding must not give the upper end */
    fl_ref u = fl_uniform(b, 3, type, own == FL_BF16 ? 8 : own == FL_F16 ? 11 : 0);
    fl_emit(b, fl_add(b, fl_mul(b, u, span), from));
}

#define NORMAL_LIMIT "normal expects std >= 0.0, but found std %g"

/* normal_(self, mean, std, *, generator) */
FL_LOWER(normal)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (!self) return;
    static const fl_limit limit = {FL_LIMIT_NOT_NEGATIVE, 2, NORMAL_LIMIT};
    fl_limit_number(b, &limit);
    fl_type type = {.dtype = self->dtype};
    if (!fl_is_complex((fl_dtype)self->dtype) && !float_self(b, "normal_", &type)) return;
    fl_ref mean = fl_scalar(b, 1, type.dtype), deviation = fl_scalar(b, 2, type.dtype);
    if (type.dtype == FL_F32 || type.dtype == FL_F64) {
        fl_emit(b, normal_pairs(b, 3, type, deviation, mean));
        return;
    }
    fl_ref z = standard_normal(b, 3, (fl_dtype)type.dtype, self->rank, self->sizes);
    fl_emit(b, fl_add(b, fl_mul(b, z, deviation), mean));
}

/* normal(mean, std, *, generator, out): each a tensor or a number. Numbers are drawn in the type of what is written, else of the
 * mean if that is a tensor. Where the deviation is a number, what is written takes part in broadcasting. */
FL_LOWER(normal_pair)
{
    const fl_tensor *mean = fl_tensor_arg(b, 0), *deviation = fl_tensor_arg(b, 1), *out = fl_tensor_arg(b, 3);
    const fl_tensor *of = out ? out : mean ? mean : deviation;
    if (!of) return;
    fl_dtype dtype = (fl_dtype)of->dtype, math = fl_op_math(dtype);
    FL_REQUIRE(b, !deviation || !fl_is_complex((fl_dtype)deviation->dtype), FL_INVALID,
               "normal expects standard deviation to be non-complex");
    FL_REQUIRE(b, fl_is_float(dtype) || fl_is_complex(dtype), FL_UNSUPPORTED,
               "\"normal\" not implemented for '%s'", fl_torch_type_name(dtype));
    FL_REQUIRE(b, fl_is_complex(dtype) || !mean || !fl_is_complex((fl_dtype)mean->dtype), FL_INVALID,
               "result type %s can't be cast to the desired output type %s",
               fl_torch_type_name((fl_dtype)mean->dtype), fl_torch_type_name(dtype));
    static const fl_limit limit = {FL_LIMIT_NOT_NEGATIVE, 1, NORMAL_LIMIT};
    if (!deviation) fl_limit_number(b, &limit);
    fl_ref v[3] = {mean ? fl_in_cast(b, 0, math) : fl_scalar(b, 0, math)};
    v[1] = deviation ? fl_in_cast(b, 1, math) : fl_scalar(b, 1, math);
    if (deviation) {
        fl_ref negative = fl_not(b, fl_compare_c(b, FL_GE, fl_in(b, 1), 0));
        fl_check_index(b, fl_cast(b, fl_reduce_all(b, FL_OP_or, negative), FL_I32), 0, 1,
                       FL_WRONG_VALUE "normal expects all elements of std >= 0.0");
    }
    int sized = out && !deviation;
    if (sized) v[2] = fl_zeros(b, math, out->rank, out->sizes);
    fl_broadcast_all(b, v, sized ? 3 : 2);
    if (!fl_ok(b)) return;
    int64_t sizes[FL_MAX_RANK];
    int rank = fl_get_dims(b, v[0], sizes);
    fl_ref z = standard_normal(b, 2, math, rank, sizes);
    fl_emit(b, fl_cast(b, fl_add(b, fl_mul(b, z, v[1]), v[0]), dtype));
}

FL_LOWER(log_normal)
{
    fl_type type;
    if (!float_self(b, "log_normal_", &type)) return;
    static const fl_limit limit = {FL_LIMIT_POSITIVE, 2, "log_normal_ expects std > 0.0, but found std=%g"};
    fl_limit_number(b, &limit);
    fl_ref z = fl_normal(b, 3, type);
    fl_emit(b, fl_exp(b, fl_add(b, fl_mul(b, z, fl_scalar(b, 2, type.dtype)), fl_scalar(b, 1, type.dtype))));
}

/* exponential_(self, lambd, *, generator) */
FL_LOWER(exponential)
{
    fl_type type;
    if (!float_self(b, "exponential_", &type)) return;
    static const fl_limit limit = {FL_LIMIT_POSITIVE, 1,
                                   "exponential_ expects lambda > 0.0, but found lambda=%g"};
    fl_limit_number(b, &limit);
    fl_ref u = fl_uniform_open(b, 2, type);
    fl_emit(b, fl_div(b, fl_neg(b, fl_log(b, u)), fl_scalar(b, 1, type.dtype)));
}

/* geometric_(self, p, *, generator): trials up to the first success; integers too */
FL_LOWER(geometric)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (!self) return;
    static const fl_limit limit = {FL_LIMIT_OPEN_PROBABILITY, 1,
                                   "geometric_ expects p to be in (0, 1), but got p=%g"};
    fl_limit_number(b, &limit);
    fl_type type = fl_type_make(self->dtype == FL_F64 || self->dtype == FL_I64 ? FL_F64 : FL_F32, self->rank,
                                self->sizes);
    fl_ref u = fl_uniform_open(b, 2, type);
    fl_ref base = fl_log1p(b, fl_neg(b, fl_scalar(b, 1, type.dtype)));
    fl_emit(b, fl_max(b, fl_ceil(b, fl_div(b, fl_log(b, u), base)), fl_full(b, type, 1)));
}

/* cauchy_(self, median, sigma, *, generator) */
FL_LOWER(cauchy)
{
    fl_type type;
    if (!float_self(b, "cauchy_", &type)) return;
    static const fl_limit limit = {FL_LIMIT_POSITIVE, 2, "cauchy_ expects sigma > 0.0, but found sigma=%g"};
    fl_limit_number(b, &limit);
    fl_ref u = fl_sub(b, fl_uniform_open(b, 3, type), fl_scalar_f(b, type.dtype, 0.5));
    fl_ref t = fl_tan(b, fl_mul(b, u, fl_scalar_f(b, type.dtype, 3.14159265358979323846)));
    fl_emit(b, fl_add(b, fl_mul(b, t, fl_scalar(b, 2, type.dtype)), fl_scalar(b, 1, type.dtype)));
}

/* 1 with probability p (0-d or of the shape) */
static fl_ref trials(fl_builder *b, int generator, int rank, const int64_t *dims, fl_ref p)
{
    fl_dtype dtype = fl_dtypeof(b, p) == FL_F64 ? FL_F64 : FL_F32;
    fl_ref u = fl_uniform(b, generator, fl_type_make(dtype, rank, dims), 0);
    return fl_compare(b, FL_LT, u, fl_cast(b, p, dtype));
}

FL_LOWER(bernoulli_float)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (!self) return;
    static const fl_limit limit = {FL_LIMIT_PROBABILITY, 1,
                                   "bernoulli_ expects p to be in [0, 1], but got p=%g"};
    fl_limit_number(b, &limit);
    fl_emit(b, trials(b, 2, self->rank, self->sizes, fl_scalar(b, 1, FL_F32)));
}

FL_LOWER(bernoulli_tensor)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (!self) return;
    fl_emit(b,
            trials(b, 2, self->rank, self->sizes, fl_broadcast_to(b, fl_in(b, 1), self->rank, self->sizes)));
}

FL_LOWER(bernoulli)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (self) fl_emit(b, trials(b, 1, self->rank, self->sizes, fl_in(b, 0)));
}

/* Integers in [from, from + range); range 0 stands for 2^64. */
static void emit_integers(fl_builder *b, int generator, int64_t from, uint64_t range)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (!self) return;
    fl_dtype word = range && range <= UINT64_C(1) << 32 ? FL_U32 : FL_U64;
    fl_ref bits = draw_bits(b, generator, word, self->rank, self->sizes);
    if (word == FL_U32 && range < UINT64_C(1) << 32)
        bits = fl_rem(b, bits, fl_scalar_i(b, word, (int64_t)range));
    if (word == FL_U64 && range) bits = fl_rem(b, bits, fl_scalar_i(b, word, (int64_t)range));
    fl_emit(b, fl_add(b, fl_cast(b, bits, FL_I64), fl_scalar_i(b, FL_I64, from)));
}

/* Largest n such that all integers up to n are exact in the type; the maximum for integers. */
static int64_t largest_integer(fl_dtype dtype)
{
    switch (dtype) {
    case FL_I1: return 1;
    case FL_I8: return INT8_MAX;
    case FL_U8: return UINT8_MAX;
    case FL_I16: return INT16_MAX;
    case FL_U16: return UINT16_MAX;
    case FL_I32: return INT32_MAX;
    case FL_U32: return UINT32_MAX;
    case FL_BF16: return 1 << 8;
    case FL_F16: return 1 << 11;
    case FL_F32: return 1 << 24;
    case FL_F64: return INT64_C(1) << 53;
    default: return INT64_MAX;
    }
}

FL_LOWER(random)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (self) emit_integers(b, 1, 0, (uint64_t)largest_integer((fl_dtype)self->dtype) + 1);
}

/* random_.from(self, from, to, *, generator): to None means up to the type's largest */
FL_LOWER(random_from)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (!self) return;
    int64_t from = fl_int(b, 1);
    if (!fl_has(b, 2)) {
        emit_integers(b, 3, from, (uint64_t)largest_integer((fl_dtype)self->dtype) - (uint64_t)from + 1);
        return;
    }
    int64_t to = fl_int(b, 2);
    FL_REQUIRE(b, from < to, FL_INVALID,
               "random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld", (long long)from,
               (long long)to);
    emit_integers(b, 3, from, (uint64_t)to - (uint64_t)from);
}

FL_LOWER(random_to)
{
    int64_t to = fl_int(b, 1);
    FL_REQUIRE(b, to > 0, FL_INVALID,
               "random_ expects 'from' to be less than 'to', but got from=0 >= to=%lld", (long long)to);
    emit_integers(b, 2, 0, (uint64_t)to);
}

/* randperm(n, *, generator): positions in the order of random keys */
FL_LOWER(randperm)
{
    int64_t n = fl_int(b, 0);
    FL_REQUIRE(b, n >= 0, FL_INVALID, "n must be non-negative, got %lld", (long long)n);
    fl_ref positions = fl_iota(b, fl_type_make(FL_I64, 1, &n), 0), order = positions;
    if (n > 1) fl_sort(b, draw_bits(b, 1, FL_U64, 1, &n), positions, 0, 0, 1, &order);
    fl_emit(b, order);
}
