/* Products: dot, dot_general, convolution. Sums run in 64-bit integers or in double and are
 * rounded once. */
#include "ref/interp.h"

#include <stdlib.h>

/* Both operands widened. */
typedef struct pair {
    fl_scalar *lhs, *rhs;
    fl_kind kind;
    fl_dtype step; /* what every product and sum is rounded to; FL_DTYPE_NONE: nothing */
} pair;

/* The operands' types may differ: integers become numbers of the other's kind. */
static void make_real(fl_scalar *x, const fl_type *type, fl_kind kind)
{
    fl_kind from = fl_dtype_kind((fl_dtype)type->dtype);
    if (!x || (kind != FL_KIND_FLOAT && kind != FL_KIND_COMPLEX)) return;
    if (from == FL_KIND_FLOAT || from == FL_KIND_COMPLEX) return;
    for (int64_t i = 0, n = fl_type_elements(type); i < n; i++)
        x[i] = fl_real_scalar(from == FL_KIND_INT ? (double)x[i].i : (double)x[i].u);
}

static fl_dtype broader(const fl_type *a, const fl_type *b)
{
    return (fl_dtype)(fl_dtype_kind((fl_dtype)b->dtype) > fl_dtype_kind((fl_dtype)a->dtype) ? b : a)->dtype;
}

static fl_status pair_init(pair *p, const fl_call *call)
{
    fl_dtype dtype = broader(call->in[0].type, call->in[1].type);
    p->kind = fl_dtype_kind(dtype);
    p->step = FL_DTYPE_NONE;
    if (fl_session_of(call)->options.round_each_step && fl_is_complex(dtype)) p->step = dtype;
    if (fl_session_of(call)->options.round_each_step && fl_is_float(dtype))
        p->step = dtype == FL_F64 ? FL_F64 : FL_F32;
    p->lhs = fl_widen(&call->in[0]);
    p->rhs = fl_widen(&call->in[1]);
    make_real(p->lhs, call->in[0].type, p->kind);
    make_real(p->rhs, call->in[1].type, p->kind);
    if (p->lhs && p->rhs) return NULL;
    free(p->lhs);
    free(p->rhs);
    return fl_error(FL_OOM, "no memory for the operands of a product");
}

static void pair_free(pair *p)
{
    free(p->lhs);
    free(p->rhs);
}

static inline fl_scalar multiply_add(const pair *p, fl_scalar sum, fl_scalar a, fl_scalar b)
{
    fl_scalar product = fl_scalar_multiply(p->kind, a, b);
    if (p->step == FL_DTYPE_NONE) return fl_scalar_add(p->kind, sum, product);
    product = fl_scalar_round(p->step, product);
    return fl_scalar_round(p->step, fl_scalar_add(p->kind, sum, product));
}

typedef struct dims {
    const int64_t *lhs, *rhs; /* dimension numbers */
    uint32_t count;
} dims;

static fl_status dot(const fl_call *call, dims batch, dims contract)
{
    const fl_type *lt = call->in[0].type, *rt = call->in[1].type;
    int64_t sizes[FL_MAX_RANK] = {0}, terms = 1;
    for (uint32_t c = 0; c < contract.count; c++) terms *= sizes[c] = lt->dims[contract.lhs[c]];
    pair p;
    FL_TRY(pair_init(&p, call));
    FL_EACH(index, i, call->out->type)
    {
        int64_t l[FL_MAX_RANK] = {0}, r[FL_MAX_RANK] = {0}, k[FL_MAX_RANK] = {0};
        int at = 0; /* result dimensions: batch, free ones of lhs, free ones of rhs */
        for (uint32_t b = 0; b < batch.count; b++, at++) l[batch.lhs[b]] = r[batch.rhs[b]] = index[at];
        for (int d = 0; d < lt->rank; d++)
            if (!fl_contains(batch.lhs, batch.count, d) && !fl_contains(contract.lhs, contract.count, d))
                l[d] = index[at++];
        for (int d = 0; d < rt->rank; d++)
            if (!fl_contains(batch.rhs, batch.count, d) && !fl_contains(contract.rhs, contract.count, d))
                r[d] = index[at++];
        fl_scalar sum = {.u = 0};
        for (int64_t t = 0; t < terms; t++) {
            for (uint32_t c = 0; c < contract.count; c++) l[contract.lhs[c]] = r[contract.rhs[c]] = k[c];
            sum = multiply_add(&p, sum, p.lhs[fl_offset(lt, l)], p.rhs[fl_offset(rt, r)]);
            fl_next_index((int)contract.count, sizes, k);
        }
        fl_set(call->out, i, sum);
    }
    pair_free(&p);
    return NULL;
}

fl_status fl_run_dot_general(const fl_call *call)
{
    dims batch, contract;
    batch.lhs = fl_op_ints(call->op, FL_ATTR_lhs_batching_dimensions, &batch.count);
    batch.rhs = fl_op_ints(call->op, FL_ATTR_rhs_batching_dimensions, &batch.count);
    contract.lhs = fl_op_ints(call->op, FL_ATTR_lhs_contracting_dimensions, &contract.count);
    contract.rhs = fl_op_ints(call->op, FL_ATTR_rhs_contracting_dimensions, &contract.count);
    return dot(call, batch, contract);
}

fl_status fl_run_dot(const fl_call *call)
{
    const int64_t last = call->in[0].type->rank - 1, first = 0;
    return dot(call, (dims){NULL, NULL, 0}, (dims){&last, &first, 1});
}

/* ---- convolution ---- */

typedef struct conv {
    int spatial;
    const int64_t *strides, *lhs_dilation, *rhs_dilation, *reversal;
    int64_t low[FL_MAX_RANK];
    const int64_t *in, *kernel, *out; /* spatial dimension numbers */
    int64_t in_batch, in_feature, kernel_in, kernel_out, out_batch, out_feature, feature_groups, batch_groups;
} conv;

static conv conv_of(const fl_call *call)
{
    const fl_op *op = call->op;
    conv c = {.spatial = call->in->type->rank - 2};
    c.strides = fl_op_ints(op, FL_ATTR_window_strides, NULL);
    c.lhs_dilation = fl_op_ints(op, FL_ATTR_lhs_dilation, NULL);
    c.rhs_dilation = fl_op_ints(op, FL_ATTR_rhs_dilation, NULL);
    c.reversal = fl_op_ints(op, FL_ATTR_window_reversal, NULL);
    c.in = fl_op_ints(op, FL_ATTR_input_spatial_dimensions, NULL);
    c.kernel = fl_op_ints(op, FL_ATTR_kernel_spatial_dimensions, NULL);
    c.out = fl_op_ints(op, FL_ATTR_output_spatial_dimensions, NULL);
    c.in_batch = fl_op_int(op, FL_ATTR_input_batch_dimension, 0);
    c.in_feature = fl_op_int(op, FL_ATTR_input_feature_dimension, 1);
    c.kernel_in = fl_op_int(op, FL_ATTR_kernel_input_feature_dimension, 1);
    c.kernel_out = fl_op_int(op, FL_ATTR_kernel_output_feature_dimension, 0);
    c.out_batch = fl_op_int(op, FL_ATTR_output_batch_dimension, 0);
    c.out_feature = fl_op_int(op, FL_ATTR_output_feature_dimension, 1);
    c.feature_groups = fl_op_int(op, FL_ATTR_feature_group_count, 1);
    c.batch_groups = fl_op_int(op, FL_ATTR_batch_group_count, 1);
    const int64_t *padding = fl_op_ints(op, FL_ATTR_padding, NULL);
    for (int s = 0; s < c.spatial; s++)
        c.low[s] =
            op->code == FL_OP_dynamic_conv ? fl_get(&call->in[2], 2 * s).i : fl_list(padding, 2 * s, 0);
    return c;
}

/* Where tap `tap` of the window at `out` reads the input; 0 when that is padding or between dilated elements.
 */
static int input_position(const conv *c, const fl_type *x, const fl_type *k, const int64_t *out,
                          const int64_t *tap, int64_t *in, int64_t *kernel)
{
    for (int s = 0; s < c->spatial; s++) {
        int64_t dilation = fl_list(c->lhs_dilation, s, 1);
        /* padding may come from the data */
        __int128 at = (__int128)out[c->out[s]] * fl_list(c->strides, s, 1) +
                      (__int128)tap[s] * fl_list(c->rhs_dilation, s, 1) - c->low[s];
        if (at < 0 || at % dilation || at / dilation >= x->dims[c->in[s]]) return 0;
        in[c->in[s]] = (int64_t)(at / dilation);
        kernel[c->kernel[s]] = fl_list(c->reversal, s, 0) ? k->dims[c->kernel[s]] - 1 - tap[s] : tap[s];
    }
    return 1;
}

fl_status fl_run_convolution(const fl_call *call)
{
    const fl_type *x = call->in[0].type, *k = call->in[1].type;
    const conv c = conv_of(call);
    int64_t features = k->dims[c.kernel_in], outputs = k->dims[c.kernel_out], taps = 1,
            sizes[FL_MAX_RANK] = {0};
    int64_t batch = x->dims[c.in_batch] / c.batch_groups;
    for (int s = 0; s < c.spatial; s++) taps *= sizes[s] = k->dims[c.kernel[s]];
    pair p;
    FL_TRY(pair_init(&p, call));
    FL_EACH(index, i, call->out->type)
    {
        int64_t in[FL_MAX_RANK] = {0}, kernel[FL_MAX_RANK] = {0}, tap[FL_MAX_RANK] = {0};
        int64_t feature = index[c.out_feature];
        kernel[c.kernel_out] = feature;
        in[c.in_batch] = index[c.out_batch] + batch * (feature / (outputs / c.batch_groups));
        fl_scalar sum = {.u = 0};
        for (int64_t t = 0; t < taps; t++, fl_next_index(c.spatial, sizes, tap)) {
            if (!input_position(&c, x, k, index, tap, in, kernel)) continue;
            for (int64_t f = 0; f < features; f++) {
                kernel[c.kernel_in] = f;
                in[c.in_feature] = f + features * (feature / (outputs / c.feature_groups));
                sum = multiply_add(&p, sum, p.lhs[fl_offset(x, in)], p.rhs[fl_offset(k, kernel)]);
            }
        }
        fl_set(call->out, i, sum);
    }
    pair_free(&p);
    return NULL;
}
