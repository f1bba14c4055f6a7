/* batch_norm_* and random numbers. */
#include "ref/interp.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

/* Sums over all dimensions but the features, for each feature. */
typedef struct statistics {
    double *mean, *variance, *gradient,
        *product;            /* gradient: of grad_output; product: of grad_output (x - mean) */
    int64_t features, count; /* elements a feature */
    int dim;
} statistics;

static fl_status statistics_init(statistics *s, const fl_call *call)
{
    const fl_type *x = call->in->type;
    s->dim = (int)fl_op_int(call->op, FL_ATTR_feature_index, 0);
    s->features = x->dims[s->dim];
    s->count = s->features ? fl_type_elements(x) / s->features : 0;
    s->mean = calloc((size_t)s->features * 4 + 1, sizeof *s->mean);
    FL_CHECK(s->mean, FL_OOM, "no memory for %lld features", (long long)s->features);
    s->variance = s->mean + s->features;
    s->gradient = s->variance + s->features;
    s->product = s->gradient + s->features;
    return NULL;
}

static double epsilon(const fl_call *call)
{
    const fl_attr *a = fl_op_attr(call->op, FL_ATTR_epsilon);
    return a ? (double)(float)a->u.f : 0; /* an f32 attribute */
}

fl_status fl_run_batch_norm_inference(const fl_call *call) /* x, scale, offset, mean, variance */
{
    int64_t dim = fl_op_int(call->op, FL_ATTR_feature_index, 0);
    FL_EACH(index, i, call->out->type)
    {
        int64_t f = index[dim];
        double x = fl_get(call->in, i).re, scale = fl_get(&call->in[1], f).re,
               offset = fl_get(&call->in[2], f).re;
        double mean = fl_get(&call->in[3], f).re, variance = fl_get(&call->in[4], f).re;
        fl_set(call->out, i, fl_real_scalar((x - mean) / sqrt(variance + epsilon(call)) * scale + offset));
    }
    return NULL;
}

fl_status fl_run_batch_norm_training(const fl_call *call) /* x, scale, offset */
{
    statistics s;
    FL_TRY(statistics_init(&s, call));
    FL_EACH(a, i, call->in->type) s.mean[a[s.dim]] += fl_get(call->in, i).re;
    for (int64_t f = 0; f < s.features; f++) s.mean[f] /= (double)s.count;
    FL_EACH(b, i, call->in->type)
    {
        double d = fl_get(call->in, i).re - s.mean[b[s.dim]];
        s.variance[b[s.dim]] += d * d;
    }
    for (int64_t f = 0; f < s.features; f++) {
        s.variance[f] /= (double)s.count;
        fl_set(&call->out[1], f, fl_real_scalar(s.mean[f]));
        fl_set(&call->out[2], f, fl_real_scalar(s.variance[f]));
    }
    FL_EACH(index, i, call->out->type)
    {
        int64_t f = index[s.dim];
        double scale = fl_get(&call->in[1], f).re, offset = fl_get(&call->in[2], f).re;
        double normal = (fl_get(call->in, i).re - s.mean[f]) / sqrt(s.variance[f] + epsilon(call));
        fl_set(call->out, i, fl_real_scalar(normal * scale + offset));
    }
    free(s.mean);
    return NULL;
}

/* With normal = (x - mean) / sqrt(variance + epsilon):
 * grad_offset = sum g, grad_scale = sum g normal,
 * grad_x = scale / sqrt(variance + epsilon) (g - mean of g - normal (mean of g normal)). */
fl_status fl_run_batch_norm_grad(const fl_call *call) /* x, scale, mean, variance, grad_output */
{
    statistics s;
    FL_TRY(statistics_init(&s, call));
    FL_EACH(a, i, call->in->type)
    {
        int64_t f = a[s.dim];
        double g = fl_get(&call->in[4], i).re;
        s.gradient[f] += g;
        s.product[f] += g * (fl_get(call->in, i).re - fl_get(&call->in[2], f).re);
    }
    for (int64_t f = 0; f < s.features; f++) {
        s.mean[f] = fl_get(&call->in[2], f).re;
        s.variance[f] = fl_get(&call->in[3], f).re + epsilon(call);
        fl_set(&call->out[1], f, fl_real_scalar(s.product[f] / sqrt(s.variance[f])));
        fl_set(&call->out[2], f, fl_real_scalar(s.gradient[f]));
    }
    FL_EACH(index, i, call->out->type)
    {
        int64_t f = index[s.dim];
        double n = (double)s.count, g = fl_get(&call->in[4], i).re,
               centred = fl_get(call->in, i).re - s.mean[f];
        double inner = g - s.gradient[f] / n - centred * s.product[f] / (n * s.variance[f]);
        fl_set(call->out, i, fl_real_scalar(fl_get(&call->in[1], f).re / sqrt(s.variance[f]) * inner));
    }
    free(s.mean);
    return NULL;
}

fl_status fl_run_rng_bit_generator(const fl_call *call)
{
    fl_dtype dtype = (fl_dtype)call->out[1].type->dtype;
    int64_t n = fl_type_elements(call->out[1].type), words = call->in->type->dims[0];
    int bytes = (int)fl_dtype_bytes(dtype);
    FL_CHECK(call->in->type->dtype == FL_U64, FL_UNSUPPORTED,
             "rng_bit_generator needs a state of ui64, got %s",
             fl_dtype_name((fl_dtype)call->in->type->dtype));
    FL_CHECK(bytes <= 8, FL_UNSUPPORTED, "rng_bit_generator is not defined for %s", fl_dtype_name(dtype));
    if (fl_op_int(call->op, FL_ATTR_rng_algorithm, FL_RNG_DEFAULT) == FL_RNG_THREE_FRY)
        fl_random_threefry(call->in->data, bytes, n, call->out[1].data, call->out[0].data);
    else /* the default of XLA's CPU backend is Philox too */
        fl_random_philox(call->in->data, (size_t)words, bytes, n, call->out[1].data, call->out[0].data);
    for (int64_t i = 0; fl_dtypes[dtype].bits < 8 && i < n; i++)
        fl_set(&call->out[1], i, fl_get(&call->out[1], i));
    return NULL;
}

/* ---- rng ---- */

/* The next number in [0, 1), 53 bits of it, and the 64 bits it is made of. */
static double next_random(const fl_call *call, uint64_t *out_bits)
{
    fl_session *session = fl_session_of(call);
    uint32_t words[2];
    fl_philox_words((const uint64_t[]){session->options.seed, 0, 0}, session->draws, 2, words);
    session->draws += 2;
    *out_bits = (uint64_t)words[1] << 32 | words[0];
    return (double)(*out_bits >> 11) * 0x1p-53;
}

/* Integers in [a, b) are a + bits mod (b - a); floats a + (b - a) u; normal ones by Box and Muller. */
static fl_scalar random_element(const fl_call *call, fl_dtype dtype, int64_t distribution, fl_scalar a,
                                fl_scalar b)
{
    uint64_t bits;
    double u = next_random(call, &bits);
    if (distribution == FL_RNG_NORMAL) {
        double v = next_random(call, &bits);
        return fl_real_scalar(a.re + b.re * sqrt(-2 * log1p(-u)) * cos(2 * M_PI * v));
    }
    if (!fl_is_float(dtype)) return fl_int_scalar(b.u == a.u ? a.u : a.u + bits % (b.u - a.u));
    fl_scalar x = fl_scalar_round(dtype, fl_real_scalar(a.re + (b.re - a.re) * u));
    return x.re < b.re ? x : a; /* rounding may reach the end, which does not belong */
}

fl_status fl_run_rng(const fl_call *call)
{
    const fl_type *type = call->out->type;
    fl_dtype dtype = (fl_dtype)type->dtype;
    int64_t n = fl_type_elements(type),
            distribution = fl_op_int(call->op, FL_ATTR_rng_distribution, FL_RNG_UNIFORM);
    fl_scalar a = fl_get(&call->in[0], 0), b = fl_get(&call->in[1], 0);
    FL_CHECK(!fl_is_complex(dtype) && (fl_is_float(dtype) || distribution == FL_RNG_UNIFORM), FL_UNSUPPORTED,
             "rng is not defined for %s", fl_dtype_name(dtype));
    FL_CHECK(fl_type_elements(call->in[2].type) == type->rank, FL_INVALID, "expected a shape of %d sizes",
             type->rank);
    for (int d = 0; d < type->rank; d++)
        FL_CHECK(fl_get(&call->in[2], d).i == type->dims[d], FL_INVALID, "expected the shape of the result");
    for (int64_t i = 0; i < n; i++) fl_set(call->out, i, random_element(call, dtype, distribution, a, b));
    return NULL;
}
