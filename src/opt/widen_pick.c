/* Operations that name places: slices, pads, concatenations, gathers, scatters. Places are those of the exact program, which may
 * be known at run time alone. */
#include "opt/widen_parts.h"

#include <string.h>

static int has(const int64_t *list, uint32_t count, int64_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == value) return 1;
    return 0;
}

static fl_ref scalar(fl_widener *x, int64_t value)
{
    return fl_scalar_i(&x->b, FL_I32, value);
}

/* The size of a dimension of an operand. */
static fl_ref size_of(fl_wide_op *o, uint32_t i, int d)
{
    fl_ref value = o->op->operands[i];
    return fl_wide_value(o->x, fl_wide_size(o->x, value, d), fl_type_of(o->x->from, value)->dims[d]);
}

static fl_extent result_extent(const fl_wide_op *o, int d)
{
    int32_t number = fl_wide_size(o->x, o->op->first_result, d);
    return number == FL_WHOLE ? (fl_extent){0} : fl_extent_plain(o->x, number, 0);
}

static int64_t result_width(const fl_wide_op *o, int d)
{
    return fl_extent_width(&o->out->d[d], fl_type_of(o->x->from, o->op->first_result)->dims[d]);
}

static fl_status set(fl_wide_op *o, fl_ref made)
{
    return fl_wide_set(o->x, o->op, o->op->first_result, made, o->out);
}

static void not_uniform(fl_extents *extents)
{
    for (int d = 0; d < FL_MAX_RANK; d++) extents->d[d].uniform = 0;
}

/* ---- slices ---- */

/* Elements first, first + stride ... along d, `width` of them. */
static fl_ref strided(fl_widener *x, fl_ref made, int d, fl_ref first, int64_t stride, int64_t width)
{
    fl_builder *b = &x->b;
    fl_ref at = fl_iota(b, fl_type_make(FL_I32, 1, &width), 0);
    if (stride != 1) at = fl_mul(b, at, fl_full_like_i(b, at, stride));
    at = fl_add(b, at, fl_broadcast_to(b, first, 1, &width));
    return fl_index_select(b, made, d, fl_clamp(b, scalar(x, 0), at, scalar(x, fl_dim(b, made, d) - 1)));
}

static fl_status slice(fl_wide_op *o)
{
    fl_widener *x = o->x;
    fl_ref made = o->in[0];
    for (int d = 0; d < fl_type_of(x->from, o->op->operands[0])->rank; d++) {
        int64_t start, stride, limit, size = fl_type_of(x->from, o->op->operands[0])->dims[d];
        int32_t where = fl_wide_attr(x, o->op, FL_ATTR_start_indices, (uint32_t)d, 0, &start);
        int32_t by = fl_wide_attr(x, o->op, FL_ATTR_strides, (uint32_t)d, 1, &stride);
        int32_t end = fl_wide_attr(x, o->op, FL_ATTR_limit_indices, (uint32_t)d, 0, &limit);
        fl_extent *in = &o->at[0].d[d];
        FL_RULE(by == FL_WHOLE, o->op, "a stride that depends on a size");
        if (!start && where == FL_WHOLE && stride == 1 && limit == size &&
            end == fl_wide_size(x, o->op->operands[0], d)) {
            o->out->d[d] = *in;
            continue;
        }
        made = fl_wide_plain(x, made, d, in);
        o->out->d[d] = result_extent(o, d);
        int64_t width = result_width(o, d), last = start + (width - 1) * stride + 1;
        if (where == FL_WHOLE && last <= fl_dim(&x->b, made, d))
            made = fl_slice_dim(&x->b, made, d, start, last, stride);
        else
            made = strided(x, made, d, fl_wide_value(x, where, start), stride, width);
    }
    not_uniform(o->out);
    return set(o, made);
}

static fl_ref as_i32(fl_widener *x, fl_ref start)
{
    fl_builder *b = &x->b;
    fl_dtype dtype = fl_dtypeof(b, start);
    if (fl_dtype_bytes(dtype) > 4) /* what does not fit is beyond every end */
        start = fl_clamp(b, fl_scalar_i(b, dtype, dtype == FL_U64 ? 0 : INT32_MIN), start,
                         fl_scalar_i(b, dtype, INT32_MAX));
    else if (dtype == FL_U32)
        start = fl_min(b, start, fl_scalar_i(b, dtype, INT32_MAX));
    return fl_cast(b, start, FL_I32);
}

/* 0 <= start <= size - count, as dynamic slices have it. */
static fl_ref clamped_start(fl_widener *x, fl_ref start, fl_ref size, fl_ref count)
{
    fl_builder *b = &x->b;
    return fl_max(b, scalar(x, 0), fl_min(b, as_i32(x, start), fl_sub(b, size, count)));
}

static fl_status dynamic_slice(fl_wide_op *o)
{
    fl_widener *x = o->x;
    fl_ref r = o->op->first_result, made = o->in[0], starts[FL_MAX_RANK];
    const fl_type *from = fl_type_of(x->from, o->op->operands[0]);
    fl_type exact = *fl_type_of(x->from, r);
    int64_t sizes[FL_MAX_RANK];
    for (int d = 0; d < from->rank; d++) {
        int32_t in = fl_wide_size(x, o->op->operands[0], d), out = fl_wide_size(x, r, d);
        starts[d] = scalar(x, 0);
        sizes[d] = fl_dim(&x->b, made, d);
        o->out->d[d] = o->at[0].d[d];
        if (in == out && from->dims[d] == exact.dims[d]) continue;
        made = fl_wide_plain(x, made, d, &o->at[0].d[d]);
        o->out->d[d] = result_extent(o, d);
        starts[d] = clamped_start(x, o->in[1 + d], size_of(o, 0, d), fl_wide_value(x, out, exact.dims[d]));
        sizes[d] = result_width(o, d);
        if (!o->out->d[d].count) continue;
        int64_t low[FL_MAX_RANK] = {0}, high[FL_MAX_RANK] = {0};
        high[d] = sizes[d]; /* so that nothing is clamped */
        made = fl_pad(&x->b, made, fl_scalar_i(&x->b, fl_dtypeof(&x->b, made), 0), low, high, NULL);
    }
    not_uniform(o->out);
    return set(o, fl_dynamic_slice(&x->b, made, starts, sizes));
}

/* An update of open size along one dimension of a larger operand, the whole of it along the others. */
static fl_status update_part(fl_wide_op *o, int along)
{
    fl_widener *x = o->x;
    const fl_type *from = fl_type_of(x->from, o->op->operands[0]),
                  *part = fl_type_of(x->from, o->op->operands[1]);
    for (int d = 0; d < from->rank; d++)
        FL_RULE(d == along || (part->dims[d] == from->dims[d] && fl_wide_size(x, o->op->operands[0], d) ==
                                                                     fl_wide_size(x, o->op->operands[1], d)),
                o->op, "an update of open size within several dimensions");
    o->in[0] = fl_wide_plain(x, o->in[0], along, &o->at[0].d[along]);
    o->in[1] = fl_wide_plain(x, o->in[1], along, &o->at[1].d[along]);
    fl_ref count = size_of(o, 1, along), inside;
    fl_ref start = clamped_start(x, o->in[2 + along], size_of(o, 0, along), count);
    fl_ref moved =
        fl_wide_shift(x, o->in[1], along, start, count, fl_dim(&x->b, o->in[0], along), FL_NO_REF, &inside);
    *o->out = o->at[0];
    not_uniform(o->out);
    return set(o, fl_select(&x->b, inside, moved, o->in[0]));
}

static fl_status dynamic_update_slice(fl_wide_op *o)
{
    fl_widener *x = o->x;
    fl_ref starts[FL_MAX_RANK];
    const fl_type *from = fl_type_of(x->from, o->op->operands[0]),
                  *part = fl_type_of(x->from, o->op->operands[1]);
    int along = -1;
    for (int d = 0; d < from->rank; d++) {
        int32_t a = fl_wide_size(x, o->op->operands[0], d), b = fl_wide_size(x, o->op->operands[1], d);
        int whole = a == b && from->dims[d] == part->dims[d];
        if (whole) fl_wide_unify_dims(o, 0, d, 1, d);
        if (!whole && o->at[1].d[d].count) along = d;
    }
    if (along >= 0) return update_part(o, along);
    for (int d = 0; d < from->rank; d++) {
        starts[d] = scalar(x, 0);
        if (o->at[1].d[d].count) continue;
        o->in[0] = fl_wide_plain(x, o->in[0], d, &o->at[0].d[d]);
        starts[d] = clamped_start(x, o->in[2 + d], size_of(o, 0, d), scalar(x, part->dims[d]));
    }
    *o->out = o->at[0];
    not_uniform(o->out);
    return set(o, fl_dynamic_update_slice(&x->b, o->in[0], o->in[1], starts));
}

/* ---- pad, concatenate, reverse ---- */

static fl_status pad_dim(fl_wide_op *o, int d, fl_ref *made)
{
    fl_widener *x = o->x;
    int64_t low, inner, high, lows[FL_MAX_RANK] = {0}, highs[FL_MAX_RANK] = {0}, inners[FL_MAX_RANK] = {0};
    int32_t before = fl_wide_attr(x, o->op, FL_ATTR_edge_padding_low, (uint32_t)d, 0, &low);
    int32_t within = fl_wide_attr(x, o->op, FL_ATTR_interior_padding, (uint32_t)d, 0, &inner);
    int32_t behind = fl_wide_attr(x, o->op, FL_ATTR_edge_padding_high, (uint32_t)d, 0, &high);
    FL_RULE(within == FL_WHOLE, o->op, "padding within that depends on a size");
    o->out->d[d] = o->at[0].d[d];
    if (!low && !high && !inner && before == FL_WHOLE && behind == FL_WHOLE) return NULL;
    *made = fl_wide_plain(x, *made, d, &o->at[0].d[d]);
    o->out->d[d] = result_extent(o, d);
    int64_t width = result_width(o, d), in = fl_dim(&x->b, *made, d);
    if (before != FL_WHOLE) {
        FL_RULE(!inner, o->op, "padding in front and within that depends on a size");
        *made = fl_wide_shift(x, *made, d, fl_wide_value(x, before, low), size_of(o, 0, d), width, o->in[1],
                              NULL);
        return NULL;
    }
    *made = fl_wide_masked(x, *made, &o->at[0], 1u << d, o->in[1]);
    lows[d] = low;
    inners[d] = inner;
    highs[d] = width - low - (in > 0 ? in + (in - 1) * inner : 0);
    *made = fl_pad(&x->b, *made, o->in[1], lows, highs, inners);
    return NULL;
}

static fl_status pad(fl_wide_op *o)
{
    fl_ref made = o->in[0];
    for (int d = 0; d < fl_type_of(o->x->from, o->op->operands[0])->rank; d++) {
        FL_TRY(pad_dim(o, d, &made));
        o->at[0].d[d] = o->out->d[d]; /* masks of later dimensions are for what there is now */
    }
    not_uniform(o->out);
    return set(o, made);
}

/* Every operand covers what lies behind the true elements of the one before. */
static fl_status concatenate(fl_wide_op *o)
{
    fl_widener *x = o->x;
    fl_builder *b = &x->b;
    int64_t d = fl_op_int(o->op, FL_ATTR_dimension, 0), total = 0;
    uint32_t n = o->op->operand_count;
    int rank = fl_type_of(x->from, o->op->operands[0])->rank;
    fl_extents *along = FL_NEW_ARRAY(&x->scratch, fl_extents, n);
    FL_CHECK(along, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < n; i++) {
        along[i] = o->at[i];
        o->in[i] = fl_wide_plain(x, o->in[i], (int)d, &along[i].d[d]);
        o->at[i].d[d] = (fl_extent){0}; /* the others are laid out alike */
        total += fl_dim(b, o->in[i], (int)d);
    }
    fl_wide_unify(o, 0, n);
    *o->out = o->at[0];
    not_uniform(o->out);
    o->out->d[d] = result_extent(o, (int)d);
    if (!o->out->d[d].count) return fl_wide_emit(o, o->op->attrs, o->op->attr_count, NULL);
    fl_type type = *fl_typeof(b, o->in[0]);
    fl_ref starts[FL_MAX_RANK], at = scalar(x, 0);
    for (int k = 0; k < rank; k++) starts[k] = at;
    type.dims[d] = total;
    fl_ref made = fl_full(b, type, 0);
    for (uint32_t i = 0; i < n; i++) {
        starts[d] = at;
        made = fl_dynamic_update_slice(b, made, o->in[i], starts);
        at = fl_add(b, at, size_of(o, i, (int)d));
    }
    const fl_extent now = {.count = 1, .digits = {{total, o->out->d[d].digits[0].number}}};
    return set(o, fl_wide_relay(x, made, (int)d, &now, &o->out->d[d]));
}

static fl_status reverse(fl_wide_op *o)
{
    fl_widener *x = o->x;
    fl_builder *b = &x->b;
    uint32_t n;
    const int64_t *dims = fl_op_ints(o->op, FL_ATTR_dimensions, &n);
    fl_ref made = o->in[0];
    for (uint32_t i = 0; i < n; i++) {
        int d = (int)dims[i];
        if (!o->at[0].d[d].count) {
            made = fl_reverse(b, made, &dims[i], 1);
            continue;
        }
        made = fl_wide_plain(x, made, d, &o->at[0].d[d]);
        fl_ref last = fl_sub(b, size_of(o, 0, d), scalar(x, 1));
        made = strided(x, made, d, last, -1, fl_dim(b, made, d));
    }
    *o->out = o->at[0];
    return set(o, made);
}

/* ---- gathers and scatters ---- */

/* A list along `vector` of the indices' shape, or a scalar where that is no dimension of them. */
static fl_ref listed(fl_wide_op *o, const fl_ref *values, uint32_t count, int64_t vector, fl_ref indices)
{
    fl_builder *b = &o->x->b;
    fl_type type = *fl_typeof(b, indices);
    fl_ref parts[FL_MAX_RANK];
    if (vector >= type.rank) return fl_broadcast_to(b, values[0], type.rank, type.dims);
    for (uint32_t i = 0; i < count; i++) parts[i] = fl_reshape(b, values[i], 1, (const int64_t[]){1});
    return fl_broadcast_in_dim(b, fl_concat(b, parts, count, 0), type.rank, type.dims, &vector);
}

/* i64 holds every type of indices but the highest of u64. */
static fl_ref wide_index(fl_builder *b, fl_ref index)
{
    return fl_cast(b, index, FL_I64);
}

static fl_status gather(fl_wide_op *o)
{
    fl_widener *x = o->x;
    fl_builder *b = &x->b;
    const fl_op *op = o->op;
    const fl_type *from = fl_type_of(x->from, op->operands[0]), *out = fl_type_of(x->from, op->first_result);
    uint32_t map_count, offsets, collapsed, batching, n, next = 0, attr_count = 0;
    const int64_t *map = fl_op_ints(op, FL_ATTR_start_index_map, &map_count),
                  *offset_dims = fl_op_ints(op, FL_ATTR_offset_dims, &offsets),
                  *gone = fl_op_ints(op, FL_ATTR_collapsed_slice_dims, &collapsed),
                  *batch = fl_op_ints(op, FL_ATTR_operand_batching_dims, &batching),
                  *index_batch = fl_op_ints(op, FL_ATTR_start_indices_batching_dims, &n);
    int64_t vector = fl_op_int(op, FL_ATTR_index_vector_dim, 0), sizes[FL_MAX_RANK];
    fl_ref last[FL_MAX_RANK] = {0};
    FL_RULE(!(vector < FL_MAX_RANK && o->at[1].d[vector].count), op, "an open number of indices' parts");
    for (uint32_t i = 0; i < batching; i++) fl_wide_unify_dims(o, 0, (int)batch[i], 1, (int)index_batch[i]);
    for (int d = 0; d < from->rank; d++) {
        int is_batch = has(batch, batching, d), kept = !is_batch && !has(gone, collapsed, d);
        int32_t number = fl_wide_attr(x, op, FL_ATTR_slice_sizes, (uint32_t)d, 1, &sizes[d]);
        int whole = sizes[d] == from->dims[d] && number == fl_wide_size(x, op->operands[0], d);
        FL_RULE(number == FL_WHOLE || whole, op, "slices that depend on a size");
        if (!whole && !is_batch) o->in[0] = fl_wide_plain(x, o->in[0], d, &o->at[0].d[d]);
        last[d] = whole ? scalar(x, 0) : fl_sub(b, size_of(o, 0, d), scalar(x, sizes[d]));
        if (whole && kept) sizes[d] = fl_dim(b, o->in[0], d);
        if (kept && whole) o->out->d[offset_dims[next]] = o->at[0].d[d];
        next += (uint32_t)kept;
    }
    int k = 0;
    for (int d = 0; d < out->rank; d++) {
        if (has(offset_dims, offsets, d)) continue;
        k += k == vector;
        o->out->d[d] = o->at[1].d[k++];
    }
    not_uniform(o->out);
    fl_ref most[FL_MAX_RANK];
    for (uint32_t i = 0; i < map_count; i++) most[i] = wide_index(b, last[map[i]]);
    if (map_count) {
        fl_ref index = wide_index(b, o->in[1]);
        index = fl_min(b, index, listed(o, most, map_count, vector, index));
        o->in[1] = fl_max(b, index, fl_full_like_i(b, index, 0));
    }
    fl_attr *attrs = fl_wide_attrs(o, FL_ATTR_slice_sizes, sizes, (uint32_t)from->rank, NULL, &attr_count);
    return attrs ? fl_wide_emit(o, attrs, attr_count, NULL) : NULL;
}

/* Window dimensions of the updates, in order, are those of the operand that are neither inserted nor a batch. */
static fl_status scatter_windows(fl_wide_op *o, uint32_t n, fl_ref *most)
{
    fl_widener *x = o->x;
    const fl_op *op = o->op;
    uint32_t windows, inserted, batching, next = 0, index_batching, at = n, first = n + 1;
    const int64_t *window = fl_op_ints(op, FL_ATTR_update_window_dims, &windows),
                  *gone = fl_op_ints(op, FL_ATTR_inserted_window_dims, &inserted),
                  *batch = fl_op_ints(op, FL_ATTR_input_batching_dims, &batching),
                  *index_batch = fl_op_ints(op, FL_ATTR_scatter_indices_batching_dims, &index_batching);
    for (int d = 0; d < fl_type_of(x->from, op->operands[0])->rank; d++) {
        int64_t size = 1;
        most[d] = fl_sub(&x->b, size_of(o, 0, d), scalar(x, 1));
        for (uint32_t i = 0; i < batching; i++)
            if (batch[i] == d)
                for (uint32_t k = 0; k < n; k++) fl_wide_unify_dims(o, k, d, at, (int)index_batch[i]);
        if (has(batch, batching, d)) continue;
        if (has(gone, inserted, d)) {
            for (uint32_t k = 0; k < n; k++) o->in[k] = fl_wide_plain(x, o->in[k], d, &o->at[k].d[d]);
            continue;
        }
        int u = (int)window[next++];
        int32_t a = fl_wide_size(x, op->operands[0], d), b = fl_wide_size(x, op->operands[first], u);
        size = fl_type_of(x->from, op->operands[first])->dims[u];
        if (a == b && size == fl_type_of(x->from, op->operands[0])->dims[d]) {
            for (uint32_t k = 0; k < n; k++) fl_wide_unify_dims(o, k, d, first + k, u);
            most[d] = scalar(x, 0);
            continue;
        }
        FL_RULE(b == FL_WHOLE, op, "windows of open size in a larger operand");
        for (uint32_t k = 0; k < n; k++) o->in[k] = fl_wide_plain(x, o->in[k], d, &o->at[k].d[d]);
        most[d] = fl_sub(&x->b, size_of(o, 0, d), scalar(x, size));
    }
    return NULL;
}

/* Indices whose window lies in the true elements, or -1: that is dropped. */
static fl_ref kept_indices(fl_wide_op *o, uint32_t at, const fl_ref *most, int64_t vector)
{
    fl_widener *x = o->x;
    fl_builder *b = &x->b;
    uint32_t map_count;
    const int64_t *map = fl_op_ints(o->op, FL_ATTR_scatter_dims_to_operand_dims, &map_count);
    fl_ref index = wide_index(b, o->in[at]), limits[FL_MAX_RANK];
    for (uint32_t i = 0; i < map_count; i++) limits[i] = wide_index(b, most[map[i]]);
    fl_ref fits = fl_compare(b, FL_LE, index, listed(o, limits, map_count, vector, index));
    fl_ref none = fl_full_like_i(b, index, -1);
    return fl_wide_masked(x, fl_select(b, fits, index, none), &o->at[at], ~0u, fl_scalar_i(b, FL_I64, -1));
}

static fl_status scatter(fl_wide_op *o)
{
    fl_widener *x = o->x;
    const fl_op *op = o->op;
    uint32_t n = op->operand_count / 2, at = n, windows, map_count;
    int64_t vector = fl_op_int(op, FL_ATTR_index_vector_dim, 0);
    const int64_t *window = fl_op_ints(op, FL_ATTR_update_window_dims, &windows);
    fl_ref most[FL_MAX_RANK];
    fl_op_ints(op, FL_ATTR_scatter_dims_to_operand_dims, &map_count);
    FL_RULE(map_count && !(vector < FL_MAX_RANK && o->at[at].d[vector].count), op,
            "an open number of indices' parts");
    fl_wide_unify(o, 0, n);
    FL_TRY(scatter_windows(o, n, most));
    for (uint32_t k = 0; k < n; k++) {
        int i = 0;
        for (int d = 0; d < fl_type_of(x->from, op->operands[n + 1 + k])->rank; d++) {
            if (has(window, windows, d)) continue;
            i += i == vector;
            fl_wide_unify_dims(o, at, i++, n + 1 + k, d);
        }
    }
    o->in[at] = kept_indices(o, at, most, vector);
    *o->out = o->at[0];
    not_uniform(o->out);
    fl_block **regions;
    FL_TRY(fl_wide_copy_regions(x, op, &regions));
    return fl_wide_emit(o, op->attrs, op->attr_count, regions);
}

/* ---- checks of indices: of those that are true, against bounds that may be open ---- */

static fl_status check(fl_wide_op *o, const fl_index_check *c)
{
    fl_widener *x = o->x;
    fl_builder *b = &x->b;
    fl_index_check other;
    if (!fl_is_check_index(fl_wide_twin(x, o->op), &other))
        return fl_no_rule(o->op, "no rule for open sizes");
    int32_t low = fl_wide_find(x->w, c->low, other.low), high = fl_wide_find(x->w, c->high, other.high);
    fl_dtype dtype = fl_dtypeof(b, o->in[0]);
    int64_t lowest = low == FL_WHOLE ? c->low : -fl_wide_width(x, high == FL_WHOLE ? low : high);
    int64_t highest = high == FL_WHOLE ? c->high : fl_wide_width(x, high);
    fl_ref index = o->in[0], fine = fl_scalar_i(b, dtype, c->low > 0 ? c->low : 0);
    fl_ref checked = fl_wide_masked(x, index, &o->at[0], ~0u, fine);
    if (high != FL_WHOLE) { /* what is beyond the open bound is moved beyond the other */
        fl_ref bound = fl_cast(b, fl_wide_value(x, high, c->high), dtype);
        fl_ref beyond = fl_compare(b, FL_GE, checked, fl_broadcast_like(b, bound, checked));
        checked = fl_select(b, beyond, fl_max(b, checked, fl_full_like_i(b, checked, highest)), checked);
    }
    if (low != FL_WHOLE) {
        fl_ref bound = fl_cast(b, fl_wide_value(x, low, c->low), dtype);
        fl_ref before = fl_compare(b, FL_LT, checked, fl_broadcast_like(b, bound, checked));
        checked = fl_select(b, before, fl_min(b, checked, fl_full_like_i(b, checked, lowest - 1)), checked);
    }
    fl_check_index(b, checked, lowest, highest, c->what);
    *o->out = o->at[0];
    return set(o, index);
}

fl_status fl_widen_picking(fl_wide_op *o, int *done)
{
    const fl_op *op = o->op;
    fl_index_check checked;
    *done = 1;
    if (fl_is_check_index(op, &checked)) return check(o, &checked);
    switch (op->code) {
    case FL_OP_slice: return slice(o);
    case FL_OP_dynamic_slice: return dynamic_slice(o);
    case FL_OP_pad: return pad(o);
    case FL_OP_gather: return gather(o);
    default: break;
    }
    *done = 0;
    if (fl_wide_attrs_differ(op, fl_wide_twin(o->x, op), FL_ATTR_NONE, FL_ATTR_NONE)) return NULL;
    *done = 1;
    switch (op->code) {
    case FL_OP_dynamic_update_slice: return dynamic_update_slice(o);
    case FL_OP_concatenate: return concatenate(o);
    case FL_OP_reverse: return reverse(o);
    case FL_OP_scatter: return scatter(o);
    default: *done = 0; return NULL;
    }
}
