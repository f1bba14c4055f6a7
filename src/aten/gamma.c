/* Distributions that are sampled by rejection. A fixed number of attempts is computed for every value, so
 * that a call draws a fixed number of words; the first accepted one counts. With the acceptance rates of
 * these methods (above 0.85, mostly far above) the chance that none is accepted is below 1e-10; then the
 * distribution's centre stands in. */
#include "aten/random.h"
#include "aten/sizes.h"
#include "aten/table.h"

enum { ATTEMPTS = 12 };

static fl_ref number(fl_builder *b, double x)
{
    return fl_scalar_f(b, FL_F64, x);
}

/* c + k * x */
static fl_ref affine(fl_builder *b, double c, double k, fl_ref x)
{
    return fl_add(b, fl_mul(b, x, number(b, k)), number(b, c));
}

/* `count` independent uniform values in (0, 1) of x's shape: the stream is cut into as many pieces. */
static fl_ref draws(fl_builder *b, int generator, fl_ref x, int64_t count)
{
    int64_t dims[2] = {count, fl_elements(b, x)};
    return fl_uniform_open(b, generator, fl_type_make(FL_F64, 2, dims));
}

static fl_ref draw(fl_builder *b, fl_ref all, int64_t i, fl_ref like)
{
    return fl_reshape_like(b, fl_slice_dim(b, all, 0, i, i + 1, 1), like);
}

typedef struct chosen {
    fl_ref value, done;
} chosen;

static void offer(fl_builder *b, chosen *c, fl_ref value, fl_ref accepted)
{
    fl_ref takes = fl_and(b, accepted, fl_not(b, c->done));
    c->value = fl_select(b, takes, value, c->value);
    c->done = fl_or(b, c->done, accepted);
}

/* Marsaglia and Tsang (2000). Below 1 the shape is raised by one and the value scaled by u^(1 / shape). */
static fl_ref gamma_values(fl_builder *b, int generator, fl_ref shape)
{
    fl_ref one = number(b, 1), small = fl_compare(b, FL_LT, shape, one);
    fl_ref d = affine(b, -1.0 / 3, 1, fl_select(b, small, fl_add(b, shape, one), shape));
    fl_ref c = fl_rsqrt(b, fl_mul(b, d, number(b, 9))), all = draws(b, generator, shape, 3 * ATTEMPTS + 1);
    chosen best = {one, fl_cast(b, fl_full_like(b, shape, 0), FL_I1)};
    best.value = fl_full_like(b, shape, 1);
    for (int i = 0; i < ATTEMPTS; i++) {
        fl_ref u1 = draw(b, all, 3 * i, shape), u2 = draw(b, all, 3 * i + 1, shape),
               u = draw(b, all, 3 * i + 2, shape);
        fl_ref radius = fl_sqrt(b, fl_mul(b, fl_log(b, u1), number(b, -2)));
        fl_ref x = fl_mul(b, radius, fl_cos(b, fl_mul(b, u2, number(b, 6.28318530717958647693))));
        fl_ref y = fl_add(b, one, fl_mul(b, c, x)), v = fl_mul(b, fl_mul(b, y, y), y),
               positive = fl_compare(b, FL_GT, y, number(b, 0));
        fl_ref log_v = fl_log(b, fl_select(b, positive, v, one));
        fl_ref limit = fl_add(b, fl_mul(b, fl_mul(b, x, x), number(b, 0.5)),
                              fl_mul(b, d, fl_add(b, fl_sub(b, one, v), log_v)));
        offer(b, &best, v, fl_and(b, positive, fl_compare(b, FL_LT, fl_log(b, u), limit)));
    }
    fl_ref boost = fl_exp(b, fl_div(b, fl_log(b, draw(b, all, 3 * ATTEMPTS, shape)), shape));
    return fl_mul(b, fl_mul(b, d, best.value), fl_select(b, small, boost, one));
}

static int float_in(fl_builder *b, const char *what, fl_dtype *dtype)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (!self) return 0;
    *dtype = (fl_dtype)self->dtype;
    if (!fl_is_float(*dtype))
        fl_builder_fail(
            b, fl_error(FL_UNSUPPORTED, "\"%s\" not implemented for '%s'", what, fl_torch_type_name(*dtype)));
    return fl_ok(b);
}

FL_LOWER(standard_gamma)
{
    fl_dtype dtype;
    if (!float_in(b, "_standard_gamma", &dtype)) return;
    double least = dtype == FL_F64 ? 0x1p-1022 : dtype == FL_F16 ? 0x1p-14 : 0x1p-126;
    fl_ref x = gamma_values(b, 1, fl_in_cast(b, 0, FL_F64));
    fl_emit(b, fl_cast(b, fl_max(b, x, number(b, least)), dtype));
}

FL_LOWER(sample_dirichlet)
{
    fl_dtype dtype;
    if (!float_in(b, "_sample_dirichlet", &dtype)) return;
    fl_ref x = gamma_values(b, 1, fl_in_cast(b, 0, FL_F64));
    fl_ref sum = fl_reduce_dim(b, FL_OP_add, x, fl_rank(b, x) - 1, 1);
    fl_emit(b, fl_cast(b, fl_div(b, x, fl_broadcast_like(b, sum, x)), dtype));
}

enum { INVERSION_TERMS = 64 }; /* beyond them lies nothing that counts for means below 10 */

/* Inversion: the number of terms whose running sum is below u. `ratio` gives term i from term i - 1. */
static fl_ref inverted(fl_builder *b, fl_ref u, fl_ref first,
                       fl_ref (*ratio)(fl_builder *b, int i, fl_ref x, fl_ref y), fl_ref x, fl_ref y)
{
    fl_ref term = first, sum = first, k = fl_full_like(b, u, 0);
    for (int i = 1; i <= INVERSION_TERMS; i++) {
        k = fl_add(b, k, fl_cast(b, fl_compare(b, FL_GT, u, sum), FL_F64));
        term = fl_mul(b, term, ratio(b, i, x, y));
        sum = fl_add(b, sum, term);
    }
    return k;
}

static fl_ref poisson_ratio(fl_builder *b, int i, fl_ref mean, fl_ref unused)
{
    (void)unused;
    return fl_mul(b, mean, number(b, 1.0 / i));
}

/* Candidates of Hoermann's transformed rejection (1993): floor((2 a / us + b) u + centre) with us = 1/2 -
 * |u|. */
static fl_ref candidate(fl_builder *b, fl_ref u, fl_ref us, fl_ref a, fl_ref width, fl_ref centre)
{
    fl_ref slope = fl_add(b, fl_div(b, fl_mul(b, a, number(b, 2)), us), width);
    return fl_floor(b, fl_add(b, fl_mul(b, slope, u), centre));
}

/* PTRS, for means of 10 and more */
static fl_ref poisson_large(fl_builder *b, fl_ref all, fl_ref mean)
{
    fl_ref width = affine(b, 0.931, 2.53, fl_sqrt(b, mean)), a = affine(b, -0.059, 0.02483, width),
           log_mean = fl_log(b, mean);
    fl_ref inverse_alpha =
        fl_add(b, number(b, 1.1239), fl_div(b, number(b, 1.1328), affine(b, -3.4, 1, width)));
    fl_ref quick = fl_sub(b, number(b, 0.9277), fl_div(b, number(b, 3.6224), affine(b, -2, 1, width)));
    chosen best = {fl_floor(b, mean), fl_cast(b, fl_full_like(b, mean, 0), FL_I1)};
    for (int i = 0; i < ATTEMPTS; i++) {
        fl_ref u = affine(b, -0.5, 1, draw(b, all, 2 * i, mean)), v = draw(b, all, 2 * i + 1, mean);
        fl_ref us = fl_sub(b, number(b, 0.5), fl_abs(b, u)),
               k = candidate(b, u, us, a, width, affine(b, 0.43, 1, mean));
        fl_ref fast = fl_and(b, fl_compare(b, FL_GE, us, number(b, 0.07)), fl_compare(b, FL_LE, v, quick));
        fl_ref slope = fl_add(b, fl_div(b, a, fl_mul(b, us, us)), width);
        fl_ref left = fl_log(b, fl_div(b, fl_mul(b, v, inverse_alpha), slope));
        fl_ref right = fl_sub(b, fl_sub(b, fl_mul(b, k, log_mean), mean), fl_lgamma(b, affine(b, 1, 1, k)));
        fl_ref slow = fl_and(b, fl_compare(b, FL_GE, k, number(b, 0)), fl_compare(b, FL_LE, left, right));
        offer(b, &best, k, fl_or(b, fast, slow));
    }
    return best.value;
}

FL_LOWER(poisson)
{
    fl_dtype dtype;
    if (!float_in(b, "poisson", &dtype)) return;
    fl_ref mean = fl_in_cast(b, 0, FL_F64), small = fl_compare(b, FL_LT, mean, number(b, 10));
    fl_ref all = draws(b, 1, mean, 2 * ATTEMPTS);
    fl_ref low = fl_select(b, small, mean, number(b, 1)), high = fl_select(b, small, number(b, 10), mean);
    fl_ref few = inverted(b, draw(b, all, 0, mean), fl_exp(b, fl_neg(b, low)), poisson_ratio, low, FL_NO_REF);
    fl_emit(b, fl_cast(b, fl_select(b, small, few, poisson_large(b, all, high)), dtype));
}

/* x: trials, y: odds p / (1 - p) */
static fl_ref binomial_ratio(fl_builder *b, int i, fl_ref trials, fl_ref odds)
{
    fl_ref left = fl_max(b, affine(b, 1 - i, 1, trials), number(b, 0));
    return fl_mul(b, fl_mul(b, left, number(b, 1.0 / i)), odds);
}

/* BTRS, for n p of 10 and more with p <= 1/2 */
static fl_ref binomial_large(fl_builder *b, fl_ref all, fl_ref n, fl_ref p)
{
    fl_ref one = number(b, 1), q = fl_sub(b, one, p), mean = fl_mul(b, n, p),
           deviation = fl_sqrt(b, fl_mul(b, mean, q));
    fl_ref width = affine(b, 1.15, 2.53, deviation);
    fl_ref a = fl_add(b, affine(b, -0.0873, 0.0248, width), fl_mul(b, p, number(b, 0.01)));
    fl_ref alpha = fl_mul(b, fl_add(b, number(b, 2.83), fl_div(b, number(b, 5.1), width)), deviation);
    fl_ref quick = fl_sub(b, number(b, 0.92), fl_div(b, number(b, 4.2), width));
    fl_ref mode = fl_floor(b, fl_mul(b, fl_add(b, n, one), p)), log_odds = fl_log(b, fl_div(b, p, q));
    fl_ref top =
        fl_add(b, fl_lgamma(b, fl_add(b, mode, one)), fl_lgamma(b, fl_add(b, fl_sub(b, n, mode), one)));
    chosen best = {mode, fl_cast(b, fl_full_like(b, n, 0), FL_I1)};
    for (int i = 0; i < ATTEMPTS; i++) {
        fl_ref u = affine(b, -0.5, 1, draw(b, all, 2 * i, n)), v = draw(b, all, 2 * i + 1, n);
        fl_ref us = fl_sub(b, number(b, 0.5), fl_abs(b, u)),
               k = candidate(b, u, us, a, width, affine(b, 0.5, 1, mean));
        fl_ref fits = fl_and(b, fl_compare(b, FL_GE, k, number(b, 0)), fl_compare(b, FL_LE, k, n));
        fl_ref fast = fl_and(b, fl_compare(b, FL_GE, us, number(b, 0.07)), fl_compare(b, FL_LE, v, quick));
        fl_ref slope = fl_add(b, fl_div(b, a, fl_mul(b, us, us)), width), safe = fl_select(b, fits, k, mode);
        fl_ref left = fl_log(b, fl_div(b, fl_mul(b, v, alpha), slope));
        fl_ref here =
            fl_add(b, fl_lgamma(b, fl_add(b, safe, one)), fl_lgamma(b, fl_add(b, fl_sub(b, n, safe), one)));
        fl_ref right = fl_add(b, fl_sub(b, top, here), fl_mul(b, fl_sub(b, safe, mode), log_odds));
        offer(b, &best, k, fl_and(b, fits, fl_or(b, fast, fl_compare(b, FL_LE, left, right))));
    }
    return best.value;
}

/* binomial(count, prob, generator) */
FL_LOWER(binomial)
{
    fl_dtype dtype;
    if (!float_in(b, "binomial", &dtype)) return;
    fl_ref pair[2] = {fl_in_cast(b, 0, FL_F64), fl_in_cast(b, 1, FL_F64)};
    fl_broadcast_all(b, pair, 2);
    fl_ref n = pair[0], one = number(b, 1), flipped = fl_compare(b, FL_GT, pair[1], number(b, 0.5));
    fl_ref p = fl_select(b, flipped, fl_sub(b, one, pair[1]), pair[1]),
           small = fl_compare(b, FL_LT, fl_mul(b, n, p), number(b, 10));
    fl_ref all = draws(b, 2, n, 2 * ATTEMPTS);
    fl_ref first = fl_exp(b, fl_mul(b, n, fl_log1p(b, fl_neg(b, p))));
    fl_ref few = inverted(b, draw(b, all, 0, n), first, binomial_ratio, n, fl_div(b, p, fl_sub(b, one, p)));
    fl_ref many =
        binomial_large(b, all, fl_select(b, small, number(b, 40), n), fl_select(b, small, number(b, 0.5), p));
    fl_ref k = fl_select(b, small, fl_min(b, few, n), many);
    fl_emit(b, fl_cast(b, fl_select(b, flipped, fl_sub(b, n, k), k), dtype));
}
