/* Quantized elements: value = (stored - zero point) * scale, each step rounded to the expressed type, as
 * the specification spells it out. */
#include "ref/interp.h"

#include <math.h>
#include <stdlib.h>

/* Which scale element i of the tensor has. */
static uint32_t scale_of(const fl_type *type, const fl_quant *q, int64_t i)
{
    if (q->axis < 0) return 0;
    int64_t inner = 1;
    for (int d = q->axis + 1; d < type->rank; d++) inner *= type->dims[d];
    return (uint32_t)(i / inner % type->dims[q->axis]);
}

static double rounded(const fl_quant *q, double x)
{
    return fl_scalar_round((fl_dtype)q->expressed, fl_real_scalar(x)).re;
}

fl_scalar fl_dequantize(const fl_type *type, int64_t i, fl_scalar stored)
{
    const fl_quant *q = fl_type_quant(type);
    uint32_t k = scale_of(type, q, i);
    double distance = rounded(q, (double)(stored.i - q->zero_points[k]));
    return fl_real_scalar(rounded(q, distance * rounded(q, q->scales[k])));
}

fl_scalar fl_quantize(const fl_type *type, int64_t i, fl_scalar value)
{
    const fl_quant *q = fl_type_quant(type);
    uint32_t k = scale_of(type, q, i);
    double x = rounded(q, value.re / rounded(q, q->scales[k]));
    x = rounded(q, x + rounded(q, (double)q->zero_points[k]));
    double low = rounded(q, (double)q->min), high = rounded(q, (double)q->max);
    x = isnan(x) ? 0 : rint(x < low ? low : x > high ? high : x); /* NaN as in convert */
    /* the limits of wide storage are no numbers of the expressed type */
    if (x >= (double)q->max) return (fl_scalar){.i = q->max};
    return (fl_scalar){.i = x <= (double)q->min ? q->min : (int64_t)x};
}

fl_status fl_run_uniform_dequantize(const fl_call *call)
{
    int64_t n = fl_type_elements(call->in->type);
    FL_CHECK(fl_type_quant(call->in->type), FL_INVALID, "expected a quantized operand");
    for (int64_t i = 0; i < n; i++)
        fl_set(call->out, i, fl_dequantize(call->in->type, i, fl_get(call->in, i)));
    return NULL;
}

fl_status fl_run_uniform_quantize(const fl_call *call)
{
    int64_t n = fl_type_elements(call->in->type);
    int requantizes = fl_type_quant(call->in->type) != NULL;
    FL_CHECK(fl_type_quant(call->out->type), FL_INVALID, "expected a quantized result");
    for (int64_t i = 0; i < n; i++) {
        fl_scalar x = fl_get(call->in, i);
        fl_set(call->out, i,
               fl_quantize(call->out->type, i, requantizes ? fl_dequantize(call->in->type, i, x) : x));
    }
    return NULL;
}

/* ---- dequantize, compute, quantize ---- */

typedef struct expressed { /* stands for one operand or result */
    fl_type type;
    void *data;
} expressed;

static fl_status express(expressed *e, fl_tensor *t)
{
    const fl_quant *q = fl_type_quant(t->type);
    if (!q) return NULL;
    e->type = *t->type;
    e->type.dtype = q->expressed;
    e->type.more = NULL;
    e->data = calloc(fl_type_bytes(&e->type) + 16, 1);
    FL_CHECK(e->data, FL_OOM, "no memory for a dequantized tensor");
    t->type = &e->type;
    t->data = e->data;
    return NULL;
}

fl_status fl_run_dequantized(const fl_call *call, fl_interp_fn *function)
{
    uint32_t inputs = call->op->operand_count, all = inputs + call->op->result_count;
    expressed *e = calloc(all + 1u, sizeof *e);
    fl_tensor *t = calloc(all + 1u, sizeof *t);
    fl_status status = e && t ? NULL : fl_error(FL_OOM, "no memory for %u operands", all);
    for (uint32_t k = 0; k < all && !status; k++) {
        const fl_tensor *given = k < inputs ? &call->in[k] : &call->out[k - inputs];
        t[k] = *given;
        status = express(&e[k], &t[k]);
        for (int64_t i = 0, n = !status && k < inputs && e[k].data ? fl_type_elements(given->type) : 0; i < n;
             i++)
            fl_set(&t[k], i, fl_dequantize(given->type, i, fl_get(given, i)));
    }
    if (!status) status = function(&(fl_call){call->interp, call->op, t, t + inputs});
    for (uint32_t k = inputs; k < all && !status; k++) {
        const fl_tensor *to = &call->out[k - inputs];
        for (int64_t i = 0, n = e[k].data ? fl_type_elements(to->type) : 0; i < n; i++)
            fl_set(to, i, fl_quantize(to->type, i, fl_get(&t[k], i)));
    }
    for (uint32_t k = 0; e && k < all; k++) free(e[k].data);
    free(e);
    free(t);
    return status;
}
