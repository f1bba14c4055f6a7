/* fl.attention and fl.attention_backward (ir/attention.h) as their formulas, in f64. */
#include "ref/attention.h"

#include "ir/attention.h"
#include "ref/interp.h"

#include <math.h>
#include <stdlib.h>

typedef struct call {
    fl_attention_spec s;
    const fl_tensor *q, *k, *v, *bias, *mask;
    double scale;
} call;

/* Element of a tensor of four dimensions; those of size 1 are repeated. */
static double at(const fl_tensor *x, int64_t i, int64_t j, int64_t k, int64_t l)
{
    const int64_t *d = x->type->dims;
    i = d[0] == 1 ? 0 : i, j = d[1] == 1 ? 0 : j, k = d[2] == 1 ? 0 : k, l = d[3] == 1 ? 0 : l;
    fl_scalar s = fl_get(x, ((i * d[1] + j) * d[2] + k) * d[3] + l);
    return x->type->dtype == FL_I1 ? (double)s.u : s.re;
}

static int64_t key_head(const call *c, int64_t h)
{
    return h / (c->s.heads / c->s.key_heads);
}

static double score(const call *c, int64_t b, int64_t h, int64_t t, int64_t s)
{
    double sum = 0;
    if (c->s.causal && s > t + c->s.offset) return c->s.fill;
    if (c->mask && at(c->mask, b, h, t, s) == 0) return c->s.fill;
    for (int64_t d = 0; d < c->s.width; d++) sum += at(c->q, b, h, t, d) * at(c->k, b, key_head(c, h), s, d);
    return sum * c->scale + (c->bias ? at(c->bias, b, h, t, s) : 0);
}

static fl_status read_call(const fl_custom_args *args, int kind, call *c)
{
    *c = (call){0};
    FL_TRY(fl_attention_read(args->program, args->op, &c->s));
    const fl_tensor *in = args->in + (kind == 2), *scale = args->in + (kind == 2 ? 6 : 3);
    c->q = in, c->k = in + 1, c->v = in + 2;
    c->scale = fl_get(scale, 0).re;
    if (c->s.bias) c->bias = scale + 1;
    if (c->s.mask) c->mask = scale + 1 + c->s.bias;
    return NULL;
}

fl_status fl_attention_call(const fl_custom_args *args)
{
    call c;
    FL_TRY(read_call(args, 1, &c));
    const fl_attention_spec *s = &c.s;
    double *p = malloc((size_t)(s->keys + 1) * sizeof *p);
    FL_CHECK(p, FL_OOM, "out of host memory");
    for (int64_t row = 0; row < s->batch * s->heads * s->rows; row++) {
        const int64_t t = row % s->rows, h = row / s->rows % s->heads, b = row / s->rows / s->heads;
        double max = -INFINITY, sum = 0;
        for (int64_t i = 0; i < s->keys; i++) {
            p[i] = score(&c, b, h, t, i);
            max = p[i] > max || p[i] != p[i] ? p[i] : max;
        }
        const double shift = max == -INFINITY && s->empty_zero ? 0 : max;
        for (int64_t i = 0; i < s->keys; i++) sum += p[i] = exp(p[i] - shift);
        double log_sum = shift + log(sum), factor = 1 / sum;
        if (max == -INFINITY) {
            log_sum = s->empty_zero ? INFINITY : NAN;
            factor = s->empty_zero ? 0 : NAN;
        }
        for (int64_t d = 0; d < s->value_width; d++) {
            double result = 0;
            for (int64_t i = 0; i < s->keys; i++) result += p[i] * factor * at(c.v, b, key_head(&c, h), i, d);
            fl_set(&args->out[0], row * s->value_width + d, fl_real_scalar(result));
        }
        fl_set(&args->out[1], row, fl_real_scalar(log_sum));
    }
    free(p);
    return NULL;
}

/* What one row gives to the gradients. */
static void add_row(const call *c, const fl_custom_args *args, int64_t b, int64_t h, int64_t t, double *dq,
                    double *dk, double *dv)
{
    const fl_attention_spec *s = &c->s;
    const fl_tensor *dy = &args->in[0], *out = &args->in[4];
    const int64_t kh = key_head(c, h), row = (b * s->heads + h) * s->rows + t;
    const double log_sum = fl_get(&args->in[5], row).re;
    double delta = 0;
    for (int64_t d = 0; d < s->value_width; d++) delta += at(dy, b, h, t, d) * at(out, b, h, t, d);
    for (int64_t i = 0; i < s->keys; i++) {
        const double p =
            fl_attention_blind(s->fill, log_sum) ? 1 / (double)s->keys : exp(score(c, b, h, t, i) - log_sum);
        const int64_t key = (b * s->key_heads + kh) * s->keys + i;
        const int hidden = (s->causal && i > t + s->offset) || (c->mask && at(c->mask, b, h, t, i) == 0);
        double slope = 0;
        for (int64_t d = 0; d < s->value_width; d++) {
            slope += at(dy, b, h, t, d) * at(c->v, b, kh, i, d);
            dv[key * s->value_width + d] += p * at(dy, b, h, t, d);
        }
        slope = hidden ? 0 : p * (slope - delta) * c->scale; /* the score is a constant there */
        for (int64_t d = 0; d < s->width; d++) {
            dq[row * s->width + d] += slope * at(c->k, b, kh, i, d);
            dk[key * s->width + d] += slope * at(c->q, b, h, t, d);
        }
    }
}

fl_status fl_attention_backward_call(const fl_custom_args *args)
{
    call c;
    double *sums[3] = {0};
    fl_status status = NULL;
    FL_TRY(read_call(args, 2, &c));
    for (int i = 0; i < 3; i++) {
        sums[i] = calloc((size_t)fl_type_elements(args->out[i].type) + 1, sizeof **sums);
        if (!sums[i] && !status) status = fl_error(FL_OOM, "out of host memory");
    }
    for (int64_t b = 0; b < c.s.batch && !status; b++)
        for (int64_t h = 0; h < c.s.heads; h++)
            for (int64_t t = 0; t < c.s.rows; t++) add_row(&c, args, b, h, t, sums[0], sums[1], sums[2]);
    for (int i = 0; i < 3; i++) {
        int64_t n = status ? 0 : fl_type_elements(args->out[i].type);
        for (int64_t j = 0; j < n; j++) fl_set(&args->out[i], j, fl_real_scalar(sums[i][j]));
        free(sums[i]);
    }
    return status;
}
