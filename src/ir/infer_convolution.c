/* Rules of convolution and dynamic_conv, whose padding is an operand. */
#include "ir/infer.h"

/* Dimension numbers and constraints of one of the three tensors. */
typedef struct side {
    fl_attr_key first, second, spatial;
    const char *count, *once;
} side;
static const side input_side = {FL_ATTR_input_batch_dimension, FL_ATTR_input_feature_dimension,
                                FL_ATTR_input_spatial_dimensions, "C12", "C13"},
                  kernel_side = {FL_ATTR_kernel_input_feature_dimension,
                                 FL_ATTR_kernel_output_feature_dimension, FL_ATTR_kernel_spatial_dimensions,
                                 "C17", "C18"},
                  output_side = {FL_ATTR_output_batch_dimension, FL_ATTR_output_feature_dimension,
                                 FL_ATTR_output_spatial_dimensions, "C19", "C20"};

static fl_status read_side(const fl_op *op, const side *s, int rank, int *out_first, int *out_second,
                           const int64_t **out_spatial)
{
    uint32_t set;
    FL_TRY(fl_need_dim(op, s->first, rank, s->once, out_first));
    FL_TRY(fl_need_dim(op, s->second, rank, s->once, out_second));
    FL_TRY(fl_need_ints(op, s->spatial, (uint32_t)rank - 2, s->count, out_spatial));
    FL_TRY(fl_need_dims(op, s->spatial, rank, s->once, NULL, NULL, &set));
    set |= 1u << *out_first | 1u << *out_second;
    FL_CHECK(set == (1u << rank) - 1, FL_INVALID, "expected %s, %s and %s to be all dimensions once (%s)",
             fl_attr_infos[s->first].name, fl_attr_infos[s->second].name, fl_attr_infos[s->spatial].name,
             s->once);
    return NULL;
}

/* Everything about spatial dimensions but the dimension numbers; NULL: the default. */
typedef struct windows {
    const int64_t *strides, *padding, *lhs_dilation, *rhs_dilation;
    int64_t amounts[2 * FL_MAX_RANK]; /* dynamic_conv's padding, if it is a constant */
    int unknown;                      /* it is not */
} windows;

static fl_status read_windows(const fl_program *p, const fl_op *op, uint32_t n, windows *w)
{
    const int64_t *reversal;
    uint32_t strides;
    /* JAX has written dynamic_conv with more strides than there are windows; then no sizes follow from them */
    w->strides = fl_op_ints(op, FL_ATTR_window_strides, &strides);
    int surplus = op->code == FL_OP_dynamic_conv && w->strides && strides > n;
    if (!surplus) FL_TRY(fl_optional_ints(op, FL_ATTR_window_strides, n, "C2", &w->strides));
    FL_TRY(fl_optional_ints(op, FL_ATTR_lhs_dilation, n, "C5", &w->lhs_dilation));
    FL_TRY(fl_optional_ints(op, FL_ATTR_rhs_dilation, n, "C7", &w->rhs_dilation));
    FL_TRY(fl_optional_ints(op, FL_ATTR_window_reversal, n, "C9", &reversal));
    for (uint32_t i = 0; reversal && i < n; i++)
        FL_CHECK(reversal[i] == 0 || reversal[i] == 1, FL_INVALID,
                 "expected window_reversal of 0 and 1, got %lld", (long long)reversal[i]);
    if (op->code != FL_OP_dynamic_conv)
        return fl_optional_ints(op, FL_ATTR_padding, 2 * n, "C4", &w->padding);
    const fl_type *t = fl_operand_type(p, op, 2);
    FL_TRY(fl_need_kind(t, FL_INTS));
    FL_CHECK(t->rank == 2 && fl_same_or_open(t->dims[0], n) && fl_same_or_open(t->dims[1], 2), FL_INVALID,
             "expected padding of %u x 2 integers (C4)", n);
    w->unknown = surplus || fl_constant_ints(p, op->operands[2], w->amounts, 2 * FL_MAX_RANK) != (int)(2 * n);
    if (!w->unknown) w->padding = w->amounts;
    return NULL;
}

static int divides(int64_t count, int64_t size)
{
    return fl_is_open(size) || size % count == 0;
}

static fl_status need_feature_groups(const fl_op *op, const fl_type *x, const fl_type *k, int batch,
                                     int feature, int in, int out, int64_t *batch_groups)
{
    int64_t features, batches;
    FL_TRY(fl_need_int(op, FL_ATTR_feature_group_count, 1, INT64_MAX, 1, "C21", &features));
    FL_TRY(fl_need_int(op, FL_ATTR_batch_group_count, 1, INT64_MAX, 1, "C22", &batches));
    FL_CHECK(features == 1 || batches == 1, FL_INVALID,
             "expected one kind of groups, got %lld and %lld (C23)", (long long)features, (long long)batches);
    FL_CHECK(divides(batches, x->dims[batch]), FL_INVALID,
             "expected %lld groups to divide a batch of %lld (C10)", (long long)batches,
             (long long)x->dims[batch]);
    FL_CHECK(divides(features, x->dims[feature]), FL_INVALID,
             "expected %lld groups to divide %lld features (C11)", (long long)features,
             (long long)x->dims[feature]);
    int64_t each = fl_is_open(x->dims[feature]) ? FL_DYNAMIC : x->dims[feature] / features;
    FL_CHECK(fl_same_or_open(k->dims[in], each), FL_INVALID,
             "expected %lld kernel input features (C14), got %lld", (long long)each, (long long)k->dims[in]);
    FL_CHECK(divides(batches, k->dims[out]), FL_INVALID,
             "expected %lld groups to divide %lld kernel output features (C15)", (long long)batches,
             (long long)k->dims[out]);
    FL_CHECK(divides(features, k->dims[out]), FL_INVALID,
             "expected %lld groups to divide %lld kernel output features (C16)", (long long)features,
             (long long)k->dims[out]);
    *batch_groups = batches;
    return NULL;
}

static fl_status need_precision(const fl_op *op)
{
    uint32_t n;
    const int64_t *values = fl_op_ints(op, FL_ATTR_precision_config, &n);
    FL_CHECK(n == 0 || n == 2, FL_INVALID, "expected 2 members of precision_config, got %u (C24)", n);
    for (uint32_t i = 0; i < n; i++)
        FL_CHECK(values[i] >= FL_PRECISION_DEFAULT && values[i] <= FL_PRECISION_HIGHEST, FL_INVALID,
                 "expected a precision in precision_config, got %lld (C24)", (long long)values[i]);
    return NULL;
}

fl_status fl_infer_convolution(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const fl_product_numbers numbers = {"C27", "C28", "C31", "C32", "C33", "C34"};
    const fl_type *x = fl_operand_type(p, op, 0), *k = fl_operand_type(p, op, 1);
    const int64_t *xs, *ks, *os;
    int64_t dims[FL_MAX_RANK], batch_groups = 1;
    int xb, xf, ki, ko, ob, of, n = x->rank - 2;
    windows w = {0};
    FL_TRY(fl_rule_product(x, k, out, &numbers));
    FL_CHECK(n >= 0 && k->rank == x->rank, FL_INVALID,
             "expected operands of one rank of at least 2 (C1), got %d and %d", x->rank, k->rank);
    FL_TRY(read_side(op, &input_side, x->rank, &xb, &xf, &xs));
    FL_TRY(read_side(op, &kernel_side, x->rank, &ki, &ko, &ks));
    FL_TRY(read_side(op, &output_side, x->rank, &ob, &of, &os));
    FL_TRY(read_windows(p, op, (uint32_t)n, &w));
    FL_TRY(need_precision(op));
    FL_TRY(need_feature_groups(op, x, k, xb, xf, ki, ko, &batch_groups));
    dims[ob] = fl_is_open(x->dims[xb]) ? FL_DYNAMIC : x->dims[xb] / batch_groups;
    dims[of] = k->dims[ko];
    for (int i = 0; i < n; i++) {
        fl_window window = {k->dims[ks[i]],
                            fl_int_at(w.strides, i, 1),
                            fl_int_at(w.padding, 2 * i, 0),
                            fl_int_at(w.padding, 2 * i + 1, 0),
                            fl_int_at(w.lhs_dilation, i, 1),
                            fl_int_at(w.rhs_dilation, i, 1)};
        FL_TRY(fl_window_extent(x->dims[xs[i]], &window, "C3, C6, C8", &dims[os[i]]));
        if (w.unknown) dims[os[i]] = FL_DYNAMIC;
    }
    FL_TRY(fl_settle_as(out, fl_is_stated(out) ? out : x, FL_MATCH_ELEMENT, x->rank, dims, "C25, C26"));
    const fl_quant *q = fl_type_quant(k), *r = fl_type_quant(out);
    FL_CHECK(!q || q->axis < 0 || q->axis == ko, FL_INVALID,
             "expected quantized dimension %d of the kernel, got %d (C29)", ko, q->axis);
    FL_CHECK(!r || r->axis < 0 || r->axis == of, FL_INVALID,
             "expected quantized dimension %d of the result, got %d (C30)", of, r->axis);
    return NULL;
}
