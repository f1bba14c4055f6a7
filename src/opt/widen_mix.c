/* Operations that mix elements along a dimension: what is not true is replaced before. */
#include "opt/widen_parts.h"

#include <string.h>

static uint32_t bits_of(const int64_t *dims, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++) bits |= 1u << dims[i];
    return bits;
}

static int64_t at(const int64_t *list, uint32_t count, uint32_t i, int64_t otherwise)
{
    return list && i < count ? list[i] : otherwise;
}

/* What a reduction may take any number of. -0 is what a sum of -0 alone stays with. Regions of other forms: what it begins with, as
 * StableHLO has it taken anywhere. */
static fl_ref neutral(fl_widener *x, const fl_op *op, fl_ref initial)
{
    fl_builder *b = &x->b;
    fl_dtype dtype = fl_dtypeof(b, initial);
    switch (fl_region_monoid(x->from, op->regions[0])) {
    case FL_OP_add: return fl_is_float(dtype) ? fl_scalar_f(b, dtype, -0.0) : fl_scalar_i(b, dtype, 0);
    case FL_OP_multiply: return fl_scalar_i(b, dtype, 1);
    case FL_OP_maximum: return fl_min_value(b, dtype);
    case FL_OP_minimum: return fl_max_value(b, dtype);
    case FL_OP_and: return fl_scalar_i(b, dtype, -1);
    case FL_OP_or: return fl_scalar_i(b, dtype, 0);
    default: return initial;
    }
}

static fl_status reduce(fl_wide_op *o)
{
    fl_widener *x = o->x;
    uint32_t n = o->op->operand_count / 2, count, to = 0;
    const int64_t *dims = fl_op_ints(o->op, FL_ATTR_dimensions, &count);
    uint32_t bits = bits_of(dims, count);
    fl_wide_unify(o, 0, n);
    for (int d = 0; d < fl_type_of(x->from, o->op->operands[0])->rank; d++)
        if (!(bits >> d & 1)) {
            o->out->d[to] = o->at[0].d[d];
            o->out->d[to++].uniform = 0;
        }
    for (uint32_t i = 0; i < n; i++)
        o->in[i] = fl_wide_masked(x, o->in[i], &o->at[i], bits,
                                  n == 1 ? neutral(x, o->op, o->in[n + i]) : o->in[n + i]);
    fl_block **regions;
    FL_TRY(fl_wide_copy_regions(x, o->op, &regions));
    return fl_wide_emit(o, o->op->attrs, o->op->attr_count, regions);
}

static void zero_behind(fl_wide_op *o, uint32_t i, uint32_t bits)
{
    fl_builder *b = &o->x->b;
    o->in[i] = fl_wide_masked(o->x, o->in[i], &o->at[i], bits, fl_scalar_i(b, fl_dtypeof(b, o->in[i]), 0));
}

static fl_status product(fl_wide_op *o)
{
    fl_widener *x = o->x;
    static const fl_attr_key keys[2][2] = {
        {FL_ATTR_lhs_batching_dimensions, FL_ATTR_lhs_contracting_dimensions},
        {FL_ATTR_rhs_batching_dimensions, FL_ATTR_rhs_contracting_dimensions}};
    uint32_t batch, sums, to = 0;
    const int64_t *lb = fl_op_ints(o->op, keys[0][0], &batch), *lc = fl_op_ints(o->op, keys[0][1], &sums);
    const int64_t *rb = fl_op_ints(o->op, keys[1][0], &batch), *rc = fl_op_ints(o->op, keys[1][1], &sums);
    for (uint32_t i = 0; i < batch; i++) {
        fl_wide_unify_dims(o, 0, (int)lb[i], 1, (int)rb[i]);
        o->out->d[to] = o->at[0].d[lb[i]];
        o->out->d[to++].uniform = 0;
    }
    for (uint32_t i = 0; i < sums; i++) fl_wide_unify_dims(o, 0, (int)lc[i], 1, (int)rc[i]);
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t mixed = bits_of(k ? rc : lc, sums), taken = mixed | bits_of(k ? rb : lb, batch);
        zero_behind(o, k, mixed);
        for (int d = 0; d < fl_type_of(x->from, o->op->operands[k])->rank; d++)
            if (!(taken >> d & 1)) o->out->d[to++] = o->at[k].d[d];
    }
    return fl_wide_emit(o, o->op->attrs, o->op->attr_count, NULL);
}

/* ---- windows ---- */

typedef struct window {
    int64_t size, stride, low, base, dilation; /* of the exact program */
    int32_t size_number;
} window;

static int64_t spread(int64_t size, int64_t dilation)
{
    return size > 0 ? (size - 1) * dilation + 1 : 0;
}

/* Padding behind a dimension of `in` elements, so that `out` windows of `size` elements fit. May be negative: what is cut off is
 * not true. */
static int64_t padding_behind(const window *w, int64_t in, int64_t size, int64_t out)
{
    return (out - 1) * w->stride + spread(size, w->dilation) - spread(in, w->base) - w->low;
}

/* The extent of a result whose size follows from windows, and how many of them there are. */
static int64_t result_extent(const fl_wide_op *o, int d, fl_extent *out)
{
    int32_t number = fl_wide_size(o->x, o->op->first_result, d);
    *out = number == FL_WHOLE ? (fl_extent){0} : fl_extent_plain(o->x, number, 0);
    return fl_extent_width(out, fl_type_of(o->x->from, o->op->first_result)->dims[d]);
}

static fl_status conv_features(fl_wide_op *o, int64_t ib, int64_t ik, int64_t kk, int64_t ko)
{
    const fl_op *op = o->op;
    int grouped = fl_op_int(op, FL_ATTR_feature_group_count, 1) != 1 ||
                  fl_op_int(op, FL_ATTR_batch_group_count, 1) != 1;
    int wide_features = o->at[0].d[ik].count || o->at[1].d[kk].count || o->at[1].d[ko].count;
    FL_RULE(!grouped || !wide_features, op, "groups of an open number of features");
    FL_RULE(fl_op_int(op, FL_ATTR_batch_group_count, 1) == 1 || !o->at[0].d[ib].count, op,
            "groups of an open batch");
    fl_wide_unify_dims(o, 0, (int)ik, 1, (int)kk);
    o->out->d[fl_op_int(op, FL_ATTR_output_batch_dimension, 0)] = o->at[0].d[ib];
    o->out->d[fl_op_int(op, FL_ATTR_output_feature_dimension, 0)] = o->at[1].d[ko];
    return NULL;
}

static fl_status conv_window(fl_wide_op *o, uint32_t k, int di, int dk, int dout, int64_t *padding)
{
    const fl_op *op = o->op;
    uint32_t n = 0;
    const int64_t *strides = fl_op_ints(op, FL_ATTR_window_strides, &n);
    window w = {.stride = at(strides, n, k, 1)};
    const int64_t *base = fl_op_ints(op, FL_ATTR_lhs_dilation, &n);
    w.base = at(base, n, k, 1);
    const int64_t *dilation = fl_op_ints(op, FL_ATTR_rhs_dilation, &n);
    w.dilation = at(dilation, n, k, 1);
    const int64_t *reversal = fl_op_ints(op, FL_ATTR_window_reversal, &n);
    int64_t high;
    int32_t low_number = fl_wide_attr(o->x, op, FL_ATTR_padding, 2 * k, 0, &w.low);
    fl_wide_attr(o->x, op, FL_ATTR_padding, 2 * k + 1, 0, &high);
    FL_RULE(low_number == FL_WHOLE, op, "padding in front that depends on a size");
    FL_RULE(!o->at[1].d[dk].count || !at(reversal, n, k, 0), op, "a reversed kernel of open size");
    o->in[0] = fl_wide_plain(o->x, o->in[0], di, &o->at[0].d[di]);
    o->in[1] = fl_wide_plain(o->x, o->in[1], dk, &o->at[1].d[dk]);
    int64_t in = fl_dim(&o->x->b, o->in[0], di), size = fl_dim(&o->x->b, o->in[1], dk);
    int64_t out = result_extent(o, dout, &o->out->d[dout]);
    int exact = !o->at[0].d[di].count && !o->at[1].d[dk].count;
    FL_RULE(!exact || !o->out->d[dout].count, op, "a result of open size from exact ones");
    padding[2 * k] = w.low;
    padding[2 * k + 1] = exact ? high : padding_behind(&w, in, size, out);
    return NULL;
}

static fl_status convolution(fl_wide_op *o)
{
    const fl_op *op = o->op;
    FL_RULE(!fl_wide_attrs_differ(op, fl_wide_twin(o->x, op), FL_ATTR_padding, FL_ATTR_NONE), op,
            "strides or dilations that depend on a size");
    int64_t ib = fl_op_int(op, FL_ATTR_input_batch_dimension, 0),
            ik = fl_op_int(op, FL_ATTR_input_feature_dimension, 0),
            kk = fl_op_int(op, FL_ATTR_kernel_input_feature_dimension, 0),
            ko = fl_op_int(op, FL_ATTR_kernel_output_feature_dimension, 0), padding[2 * FL_MAX_RANK];
    uint32_t n, attr_count = 0;
    const int64_t *is = fl_op_ints(op, FL_ATTR_input_spatial_dimensions, &n),
                  *ks = fl_op_ints(op, FL_ATTR_kernel_spatial_dimensions, &n),
                  *os = fl_op_ints(op, FL_ATTR_output_spatial_dimensions, &n);
    FL_TRY(conv_features(o, ib, ik, kk, ko));
    for (uint32_t k = 0; k < n; k++) FL_TRY(conv_window(o, k, (int)is[k], (int)ks[k], (int)os[k], padding));
    zero_behind(o, 0, bits_of(is, n) | 1u << ik);
    zero_behind(o, 1, bits_of(ks, n) | 1u << kk);
    fl_attr *attrs = fl_wide_attrs(o, FL_ATTR_padding, padding, 2 * n, NULL, &attr_count);
    return attrs ? fl_wide_emit(o, attrs, attr_count, NULL) : NULL;
}

/* Windows of one element, one after another: nothing is mixed. */
static int is_trivial(const fl_wide_op *o, uint32_t d)
{
    uint32_t n = 0;
    const int64_t *size = fl_op_ints(o->op, FL_ATTR_window_dimensions, &n);
    int trivial = at(size, n, d, 1) == 1;
    const int64_t *stride = fl_op_ints(o->op, FL_ATTR_window_strides, &n);
    trivial &= at(stride, n, d, 1) == 1;
    const int64_t *base = fl_op_ints(o->op, FL_ATTR_base_dilations, &n);
    trivial &= at(base, n, d, 1) == 1;
    const int64_t *padding = fl_op_ints(o->op, FL_ATTR_padding, &n);
    return trivial && !at(padding, n, 2 * d, 0) && !at(padding, n, 2 * d + 1, 0);
}

/* A running sum: the window is the whole dimension, with as much padding on one side. */
static int is_running(const fl_wide_op *o, uint32_t d, int64_t *padding)
{
    uint32_t n = 0;
    int64_t low, high, size;
    int32_t window = fl_wide_attr(o->x, o->op, FL_ATTR_window_dimensions, d, 1, &size);
    int32_t before = fl_wide_attr(o->x, o->op, FL_ATTR_padding, 2 * d, 0, &low);
    fl_wide_attr(o->x, o->op, FL_ATTR_padding, 2 * d + 1, 0, &high);
    const int64_t *stride = fl_op_ints(o->op, FL_ATTR_window_strides, &n);
    int plain = at(stride, n, d, 1) == 1;
    const int64_t *base = fl_op_ints(o->op, FL_ATTR_base_dilations, &n);
    plain &= at(base, n, d, 1) == 1;
    const int64_t *dilation = fl_op_ints(o->op, FL_ATTR_window_dilations, &n);
    plain &= at(dilation, n, d, 1) == 1;
    if (!plain || window == FL_WHOLE || window != fl_wide_size(o->x, o->op->operands[0], (int)d)) return 0;
    int forward = low == size - 1 && !high && before != FL_WHOLE;
    if (!forward && (low || high != size - 1 || before != FL_WHOLE)) return 0;
    int64_t width = fl_wide_width(o->x, window);
    padding[2 * d] = forward ? width - 1 : 0;
    padding[2 * d + 1] = forward ? 0 : width - 1;
    return 1;
}

static fl_status slide(fl_wide_op *o, uint32_t d, int64_t *sizes, int64_t *padding, uint32_t *mixed)
{
    const fl_op *op = o->op;
    uint32_t n = 0, inputs = op->operand_count / 2;
    window w = {.stride = 1};
    w.size_number = fl_wide_attr(o->x, op, FL_ATTR_window_dimensions, d, 1, &w.size);
    int32_t low_number = fl_wide_attr(o->x, op, FL_ATTR_padding, 2 * d, 0, &w.low);
    fl_wide_attr(o->x, op, FL_ATTR_padding, 2 * d + 1, 0, &padding[2 * d + 1]);
    sizes[d] = w.size;
    padding[2 * d] = w.low;
    o->out->d[d] = o->at[0].d[d];
    o->out->d[d].uniform = 0;
    if (is_trivial(o, d)) return NULL;
    for (uint32_t i = 0; i < inputs; i++) o->in[i] = fl_wide_plain(o->x, o->in[i], (int)d, &o->at[i].d[d]);
    int64_t out = result_extent(o, (int)d, &o->out->d[d]), in = fl_dim(&o->x->b, o->in[0], (int)d);
    if (!o->at[0].d[d].count && !o->out->d[d].count && w.size_number == FL_WHOLE) return NULL;
    *mixed |= 1u << d;
    if (is_running(o, d, padding)) {
        sizes[d] = fl_wide_width(o->x, w.size_number);
        return NULL;
    }
    FL_RULE(w.size_number == FL_WHOLE && low_number == FL_WHOLE && o->at[0].d[d].count, op,
            "windows that depend on a size");
    const int64_t *list = fl_op_ints(op, FL_ATTR_window_strides, &n);
    w.stride = at(list, n, d, 1);
    list = fl_op_ints(op, FL_ATTR_base_dilations, &n);
    w.base = at(list, n, d, 1);
    list = fl_op_ints(op, FL_ATTR_window_dilations, &n);
    w.dilation = at(list, n, d, 1);
    padding[2 * d + 1] = padding_behind(&w, in, w.size, out);
    return NULL;
}

static fl_status reduce_window(fl_wide_op *o)
{
    const fl_op *op = o->op;
    fl_widener *x = o->x;
    int64_t sizes[FL_MAX_RANK], padding[2 * FL_MAX_RANK];
    uint32_t rank = fl_type_of(x->from, op->operands[0])->rank, inputs = op->operand_count / 2, mixed = 0;
    FL_RULE(!fl_wide_attrs_differ(op, fl_wide_twin(x, op), FL_ATTR_padding, FL_ATTR_window_dimensions), op,
            "strides or dilations that depend on a size");
    fl_wide_unify(o, 0, inputs);
    for (uint32_t d = 0; d < rank; d++) FL_TRY(slide(o, d, sizes, padding, &mixed));
    for (uint32_t i = 0; i < inputs; i++)
        o->in[i] = fl_wide_masked(x, o->in[i], &o->at[i], mixed, o->in[inputs + i]);
    uint32_t count = 0;
    fl_attr *attrs = fl_wide_attrs(o, FL_ATTR_padding, padding, 2 * rank, NULL, &count);
    if (attrs) attrs = fl_wide_attrs(o, FL_ATTR_window_dimensions, sizes, rank, attrs, &count);
    fl_block **regions;
    FL_TRY(fl_wide_copy_regions(x, op, &regions));
    return attrs ? fl_wide_emit(o, attrs, count, regions) : NULL;
}

static fl_status select_and_scatter(fl_wide_op *o)
{
    int rank = fl_type_of(o->x->from, o->op->operands[0])->rank;
    fl_wide_unify(o, 0, 1);
    for (int d = 0; d < rank; d++) {
        if (!o->at[0].d[d].count && !o->at[1].d[d].count) continue;
        FL_RULE(is_trivial(o, (uint32_t)d), o->op, "windows over an open size");
        fl_wide_unify_dims(o, 0, d, 1, d);
        o->out->d[d] = o->at[0].d[d];
        o->out->d[d].uniform = 0;
    }
    fl_block **regions;
    FL_TRY(fl_wide_copy_regions(o->x, o->op, &regions));
    return fl_wide_emit(o, o->op->attrs, o->op->attr_count, regions);
}

/* ---- sort ---- */

/* A comparison in which what is true comes before what is not: its two last arguments say which of both is. */
static fl_block *true_first(fl_widener *x, const fl_block *from)
{
    fl_builder *b = &x->b;
    uint32_t n = from->arg_count;
    fl_type *types = FL_NEW_ARRAY(&x->scratch, fl_type, n + 2);
    if (!types) {
        fl_builder_fail(b, fl_error(FL_OOM, "out of host memory"));
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) types[i] = *fl_type_of(x->from, from->first_arg + i);
    types[n] = types[n + 1] = fl_type_make(FL_I1, 0, NULL);
    fl_block *to = fl_region_begin(b, types, n + 2);
    if (!to) return NULL;
    for (uint32_t i = 0; i < n; i++) x->map[from->first_arg + i] = to->first_arg + i;
    fl_status s = fl_wide_block(x, from);
    if (s) fl_builder_fail(b, s);
    fl_ref first = to->first_arg + n, second = first + 1;
    fl_ref before = fl_and(b, first, fl_or(b, fl_not(b, second), x->map[from->results[0]]));
    fl_region_end(b, to, &before, 1);
    return to;
}

static fl_status sort(fl_wide_op *o)
{
    fl_widener *x = o->x;
    const fl_op *op = o->op;
    fl_builder *b = &x->b;
    uint32_t n = op->operand_count;
    int rank = fl_type_of(x->from, op->operands[0])->rank;
    int64_t given = fl_op_int(op, FL_ATTR_dimension, -1), d = given < 0 ? given + rank : given;
    fl_wide_unify(o, 0, n);
    for (uint32_t i = 0; i < n; i++) o->in[i] = fl_wide_plain(x, o->in[i], (int)d, &o->at[i].d[d]);
    *o->out = o->at[0];
    for (int k = 0; k < rank; k++) o->out->d[k].uniform = 0;
    if (!o->out->d[d].count) {
        fl_block **regions;
        FL_TRY(fl_wide_copy_regions(x, op, &regions));
        return fl_wide_emit(o, op->attrs, op->attr_count, regions);
    }
    fl_ref *all = FL_NEW_ARRAY(&x->scratch, fl_ref, n + 1);
    FL_CHECK(all, FL_OOM, "out of host memory");
    memcpy(all, o->in, n * sizeof *all);
    fl_type type = *fl_typeof(b, all[0]);
    all[n] = fl_wide_inside(x, &type, (int)d, &o->out->d[d]);
    fl_block *region = true_first(x, op->regions[0]);
    fl_ref first = fl_build(b, FL_OP_sort, all, n + 1, op->attrs, op->attr_count, &region, 1);
    for (uint32_t i = 0; fl_ok(b) && i < n; i++)
        FL_TRY(fl_wide_set(x, op, op->first_result + i, first + i, o->out));
    return NULL;
}

/* ---- random bits: those of a row of as many as are true ---- */

static int is_used(const fl_block *block, fl_ref value)
{
    for (uint32_t i = 0; i < block->result_count; i++)
        if (block->results[i] == value) return 1;
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        for (uint32_t k = 0; k < op->operand_count; k++)
            if (op->operands[k] == value) return 1;
        for (uint32_t k = 0; k < op->region_count; k++)
            if (is_used(op->regions[k], value)) return 1;
    }
    return 0;
}

static fl_status random_bits(fl_wide_op *o)
{
    fl_widener *x = o->x;
    const fl_op *op = o->op;
    fl_ref r = op->first_result + 1;
    FL_RULE(fl_op_int(op, FL_ATTR_rng_algorithm, 0) == FL_RNG_PHILOX &&
                !is_used(x->from->main, op->first_result),
            op, "a generator's state behind an open number of words");
    fl_extents extents = {0};
    for (int d = 0; d < fl_type_of(x->from, r)->rank; d++) {
        int32_t size = fl_wide_size(x, r, d);
        if (size != FL_WHOLE) extents.d[d] = fl_extent_plain(x, size, 0);
    }
    fl_type type = fl_wide_type(x, r, &extents);
    int64_t count = fl_type_elements(&type);
    fl_ref row = fl_rng_bits(&x->b, o->in[0], fl_type_make((fl_dtype)type.dtype, 1, &count), NULL);
    return fl_wide_set(x, op, r, fl_wide_unflatten(x, row, &type, &extents), &extents);
}

/* ---- along dimensions that must be exact; the others are a batch ---- */

static fl_status batched(fl_wide_op *o, int exact)
{
    fl_widener *x = o->x;
    int rank = fl_type_of(x->from, o->op->operands[0])->rank;
    for (int d = 0; d < rank; d++) {
        int is_batch = d < rank - exact;
        FL_RULE(is_batch || !o->at[0].d[d].count, o->op, "an open size in its last dimensions");
        if (is_batch && o->op->operand_count > 1) fl_wide_unify_dims(o, 0, d, 1, d);
        FL_RULE(is_batch || o->op->operand_count < 2 || !o->at[1].d[d].count, o->op,
                "an open size in its last dimensions");
        o->out->d[d] = o->at[0].d[d];
        o->out->d[d].uniform = 0;
    }
    return fl_wide_emit(o, o->op->attrs, o->op->attr_count, NULL);
}

fl_status fl_widen_mixing(fl_wide_op *o, int *done)
{
    uint32_t n = 0;
    const fl_op *op = o->op;
    *done = 1;
    switch (op->code) {
    case FL_OP_convolution: return convolution(o);
    case FL_OP_reduce_window: return reduce_window(o);
    default: break;
    }
    if (fl_wide_attrs_differ(op, fl_wide_twin(o->x, op), FL_ATTR_NONE, FL_ATTR_NONE)) {
        *done = 0;
        return NULL;
    }
    switch (op->code) {
    case FL_OP_reduce: return reduce(o);
    case FL_OP_dot_general: return product(o);
    case FL_OP_select_and_scatter: return select_and_scatter(o);
    case FL_OP_sort: return sort(o);
    case FL_OP_rng_bit_generator: return random_bits(o);
    case FL_OP_fft: fl_op_ints(op, FL_ATTR_fft_length, &n); return batched(o, (int)n);
    case FL_OP_top_k: return batched(o, 1);
    case FL_OP_cholesky:
    case FL_OP_triangular_solve: return batched(o, 2);
    default: *done = 0; return NULL;
    }
}
