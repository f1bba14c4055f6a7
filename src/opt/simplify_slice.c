/* Rules of what takes parts of tensors or puts them together. */
#include "opt/simplify.h"

#include <string.h>

typedef struct part { /* a slice: of each dimension from where, how many, how far apart */
    int rank;
    int64_t start[FL_MAX_RANK], limit[FL_MAX_RANK], step[FL_MAX_RANK];
} part;

static part part_of(const fl_editor *e, const fl_op *slice)
{
    part p = {.rank = fl_edit_type(e, slice->first_result)->rank};
    const int64_t *start = fl_simplify_ints(slice, FL_ATTR_start_indices),
                  *limit = fl_simplify_ints(slice, FL_ATTR_limit_indices),
                  *step = fl_simplify_ints(slice, FL_ATTR_strides);
    for (int i = 0; i < p.rank; i++) {
        p.start[i] = start[i];
        p.step[i] = step ? step[i] : 1;
        p.limit[i] = limit[i];
    }
    return p;
}

static fl_ref take(fl_editor *e, fl_ref x, const part *p)
{
    return fl_slice(&e->b, x, p->start, p->limit, p->step);
}

/* The last position that is taken, in a dimension that is not empty. */
static int64_t last_of(const part *p, int d)
{
    return p->start[d] + (p->limit[d] - 1 - p->start[d]) / p->step[d] * p->step[d];
}

static fl_ref slice_of_slice(fl_editor *e, const part *outer, const fl_op *inner)
{
    part p = part_of(e, inner), q = p;
    for (int i = 0; i < p.rank; i++) {
        q.start[i] = p.start[i] + outer->start[i] * p.step[i];
        q.step[i] = p.step[i] * outer->step[i];
        q.limit[i] = p.start[i] + last_of(outer, i) * p.step[i] + 1;
    }
    return take(e, inner->operands[0], &q);
}

static fl_ref slice_of_broadcast(fl_editor *e, const fl_op *op, const part *p, const fl_op *inner)
{
    fl_ref x = inner->operands[0];
    fl_type type = *fl_edit_type(e, op->first_result), from = *fl_edit_type(e, x),
            whole = *fl_edit_type(e, inner->first_result);
    const int64_t *dims = fl_simplify_ints(inner, FL_ATTR_broadcast_dimensions);
    part q = {.rank = from.rank};
    for (int i = 0; i < from.rank; i++) {
        int64_t d = dims[i];
        int repeated = from.dims[i] != whole.dims[d];
        q.start[i] = repeated ? 0 : p->start[d];
        q.limit[i] = repeated ? from.dims[i] : p->limit[d];
        q.step[i] = repeated ? 1 : p->step[d];
    }
    return fl_broadcast_in_dim(&e->b, take(e, x, &q), type.rank, type.dims, dims);
}

/* What lies in one of the operands. */
static fl_ref slice_of_concatenate(fl_editor *e, const part *p, const fl_op *inner)
{
    int64_t d = fl_op_int(inner, FL_ATTR_dimension, 0), begin = 0, last = last_of(p, (int)d);
    for (uint32_t i = 0; i < inner->operand_count; i++) {
        int64_t size = fl_edit_type(e, inner->operands[i])->dims[d];
        if (p->start[d] >= begin && last < begin + size) {
            part q = *p;
            q.start[d] -= begin;
            q.limit[d] = last - begin + 1;
            return take(e, inner->operands[i], &q);
        }
        begin += size;
    }
    return FL_NO_REF;
}

/* What lies in the operand, or beside it. */
static fl_ref slice_of_pad(fl_editor *e, const fl_op *op, const part *p, const fl_op *inner)
{
    const int64_t *low = fl_simplify_ints(inner, FL_ATTR_edge_padding_low),
                  *interior = fl_simplify_ints(inner, FL_ATTR_interior_padding);
    fl_type from = *fl_edit_type(e, inner->operands[0]), type = *fl_edit_type(e, op->first_result);
    part q = *p;
    int within = 1, beside = 0;
    for (int i = 0; i < p->rank; i++) {
        int64_t last = last_of(p, i);
        if (interior && interior[i]) return FL_NO_REF;
        q.start[i] = p->start[i] - low[i];
        q.limit[i] = last - low[i] + 1;
        within &= q.start[i] >= 0 && q.limit[i] <= from.dims[i];
        beside |= q.limit[i] <= 0 || q.start[i] >= from.dims[i];
    }
    if (within) return take(e, inner->operands[0], &q);
    return beside ? fl_broadcast_in_dim(&e->b, inner->operands[1], type.rank, type.dims, NULL) : FL_NO_REF;
}

static fl_ref slice_of_iota(fl_editor *e, const fl_op *op, const part *p, const fl_op *inner)
{
    int64_t d = fl_op_int(inner, FL_ATTR_iota_dimension, 0);
    fl_type type = *fl_edit_type(e, op->first_result);
    return p->start[d] == 0 && p->step[d] == 1 ? fl_iota(&e->b, type, (int)d) : FL_NO_REF;
}

/* How PyTorch's views of views arrive: a flat tensor from element s on, filled up, seen in some shape, and of that a part that the
 * filling does not reach. It is a part of the flat tensor in that shape, s elements further. */
static fl_ref slice_of_shifted(fl_editor *e, const part *p, const fl_op *reshape)
{
    const fl_op *pad = fl_edit_is(e, reshape->operands[0], FL_OP_pad);
    const fl_op *shift = pad ? fl_edit_is(e, pad->operands[0], FL_OP_slice) : NULL;
    if (!shift || fl_edit_type(e, shift->first_result)->rank != 1) return FL_NO_REF;
    fl_type shape = *fl_edit_type(e, reshape->first_result), flat = *fl_edit_type(e, shift->operands[0]);
    part from = part_of(e, shift), q = *p;
    int64_t left = from.start[0], last = 0, stride[FL_MAX_RANK], step = 1;
    if (from.step[0] != 1 || fl_simplify_ints(pad, FL_ATTR_edge_padding_low)[0] != 0 ||
        fl_simplify_ints(pad, FL_ATTR_interior_padding)[0] != 0 || fl_type_elements(&shape) != flat.dims[0])
        return FL_NO_REF;
    for (int i = shape.rank - 1; i >= 0; i--) {
        stride[i] = step;
        step *= shape.dims[i];
    }
    for (int i = 0; i < shape.rank; i++) {
        int64_t by = left / stride[i], end = last_of(p, i);
        left -= by * stride[i];
        if (end + by >= shape.dims[i]) return FL_NO_REF; /* it would go on in the next row */
        q.start[i] += by;
        q.limit[i] = end + by + 1;
        last += (end + by) * stride[i];
    }
    if (last >= from.limit[0]) return FL_NO_REF;
    return take(e, fl_reshape(&e->b, shift->operands[0], shape.rank, shape.dims), &q);
}

fl_ref fl_simplify_slice(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    if (fl_type_equal(fl_edit_type(e, x), fl_edit_type(e, op->first_result))) return x;
    const fl_op *inner = fl_edit_def(e, x);
    if (!inner || !fl_type_elements(fl_edit_type(e, op->first_result))) return FL_NO_REF;
    part p = part_of(e, op);
    switch (inner->code) {
    case FL_OP_slice: return slice_of_slice(e, &p, inner);
    case FL_OP_broadcast_in_dim: return slice_of_broadcast(e, op, &p, inner);
    case FL_OP_concatenate: return slice_of_concatenate(e, &p, inner);
    case FL_OP_pad: return slice_of_pad(e, op, &p, inner);
    case FL_OP_iota: return slice_of_iota(e, op, &p, inner);
    case FL_OP_reshape: return slice_of_shifted(e, &p, inner);
    default: return FL_NO_REF;
    }
}

fl_ref fl_simplify_pad(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    const fl_type *type = fl_edit_type(e, x);
    const int64_t *low = fl_simplify_ints(op, FL_ATTR_edge_padding_low),
                  *high = fl_simplify_ints(op, FL_ATTR_edge_padding_high),
                  *interior = fl_simplify_ints(op, FL_ATTR_interior_padding);
    part p = {.rank = type->rank};
    for (int i = 0; i < type->rank; i++) {
        int64_t between = interior && type->dims[i] > 1 ? interior[i] : 0;
        if (low[i] > 0 || high[i] > 0 || between) return FL_NO_REF;
        p.start[i] = -low[i];
        p.limit[i] = type->dims[i] + high[i];
        p.step[i] = 1;
        if (p.start[i] > p.limit[i]) return FL_NO_REF;
    }
    return take(e, x, &p);
}

/* Slices of one tensor that follow each other in dimension d are one slice. */
static fl_ref join_slices(fl_editor *e, const fl_op *op, int64_t d)
{
    const fl_op *first = fl_edit_is(e, op->operands[0], FL_OP_slice);
    if (!first) return FL_NO_REF;
    part all = part_of(e, first);
    for (uint32_t k = 0; k < op->operand_count; k++) {
        const fl_op *slice = fl_edit_is(e, op->operands[k], FL_OP_slice);
        if (!slice || slice->operands[0] != first->operands[0]) return FL_NO_REF;
        part p = part_of(e, slice);
        for (int i = 0; i < p.rank; i++) {
            if (p.step[i] != 1) return FL_NO_REF;
            if (i == d ? k && p.start[i] != all.limit[i]
                       : p.start[i] != all.start[i] || p.limit[i] != all.limit[i])
                return FL_NO_REF;
        }
        all.limit[d] = p.limit[d];
    }
    return take(e, first->operands[0], &all);
}

fl_ref fl_simplify_concatenate(fl_editor *e, const fl_op *op)
{
    enum { MOST = 64 };
    int64_t d = fl_op_int(op, FL_ATTR_dimension, 0);
    fl_ref operands[MOST];
    uint32_t n = 0;
    int other = 0;
    if (op->operand_count == 1) return op->operands[0];
    for (uint32_t i = 0; i < op->operand_count; i++) {
        fl_ref x = op->operands[i];
        const fl_op *inner = fl_edit_is(e, x, FL_OP_concatenate);
        if (n + (inner ? inner->operand_count : 1u) > MOST) return FL_NO_REF;
        if (!fl_edit_type(e, x)->dims[d]) {
            other = 1;
        } else if (inner && fl_op_int(inner, FL_ATTR_dimension, 0) == d && fl_edit_used_once(e, x)) {
            other = 1;
            for (uint32_t k = 0; k < inner->operand_count; k++) operands[n++] = inner->operands[k];
        } else {
            operands[n++] = x;
        }
    }
    if (!n) return FL_NO_REF;
    return other ? fl_concat(&e->b, operands, n, (int)d) : join_slices(e, op, d);
}

/* Starts are moved so that the slice lies inside: what is known of them, and of dimensions that are taken whole. */
static int known_start(const fl_editor *e, fl_ref start, int64_t size, int64_t taken, int64_t *out)
{
    fl_number n = {0};
    if (taken != size && !fl_edit_number(e, start, &n)) return 0;
    int64_t most = size - taken;
    if (fl_simplify_dtype(e, start) == FL_U64 && n.integer < 0) n.integer = most;
    *out = n.integer < 0 ? 0 : n.integer > most ? most : n.integer;
    if (taken == size) *out = 0;
    return 1;
}

fl_ref fl_simplify_dynamic_slice(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    const fl_type *type = fl_edit_type(e, op->first_result), *from = fl_edit_type(e, x);
    part p = {.rank = type->rank};
    for (int i = 0; i < type->rank; i++) {
        if (!known_start(e, op->operands[1 + i], from->dims[i], type->dims[i], &p.start[i])) return FL_NO_REF;
        p.limit[i] = p.start[i] + type->dims[i];
        p.step[i] = 1;
    }
    return take(e, x, &p);
}

fl_ref fl_simplify_dynamic_update_slice(fl_editor *e, const fl_op *op)
{
    fl_ref update = op->operands[1];
    return fl_type_equal(fl_edit_type(e, update), fl_edit_type(e, op->first_result)) ? update : FL_NO_REF;
}

/* One place alone: a slice from there; both move starts inside. */
static fl_ref gather_one(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], indices = op->operands[1], starts[FL_MAX_RANK];
    fl_type table = *fl_edit_type(e, x), type = *fl_edit_type(e, op->first_result),
            list = *fl_edit_type(e, indices);
    uint32_t n, batching;
    const int64_t *map = fl_op_ints(op, FL_ATTR_start_index_map, &n),
                  *sizes = fl_simplify_ints(op, FL_ATTR_slice_sizes);
    fl_op_ints(op, FL_ATTR_operand_batching_dims, &batching);
    int64_t at = fl_op_int(op, FL_ATTR_index_vector_dim, 0);
    if (batching || fl_type_elements(&list) != (int64_t)n || list.rank > 1 || at != 0 || !n || !table.rank)
        return FL_NO_REF;
    fl_type one = fl_type_make((fl_dtype)list.dtype, 0, NULL);
    fl_ref zero = fl_edit_splat_int(e, &one, 0);
    for (int i = 0; i < table.rank; i++) starts[i] = zero;
    for (uint32_t i = 0; i < n; i++) {
        fl_ref index = list.rank ? fl_slice_dim(&e->b, indices, 0, i, i + 1, 1) : indices;
        starts[map[i]] = fl_reshape(&e->b, index, 0, NULL);
    }
    return fl_reshape(&e->b, fl_dynamic_slice(&e->b, x, starts, sizes), type.rank, type.dims);
}

/* Row i of a table for every i: the rows themselves. */
fl_ref fl_simplify_gather(fl_editor *e, const fl_op *op)
{
    fl_ref sliced = gather_one(e, op);
    if (sliced) return sliced;
    fl_ref x = op->operands[0], indices = op->operands[1];
    fl_type table = *fl_edit_type(e, x), type = *fl_edit_type(e, op->first_result),
            list = *fl_edit_type(e, indices);
    const fl_op *iota = fl_edit_is(e, indices, FL_OP_iota);
    uint32_t n, collapsed, batching;
    const int64_t *offset = fl_op_ints(op, FL_ATTR_offset_dims, &n),
                  *map = fl_simplify_ints(op, FL_ATTR_start_index_map),
                  *sizes = fl_simplify_ints(op, FL_ATTR_slice_sizes),
                  *gone = fl_op_ints(op, FL_ATTR_collapsed_slice_dims, &collapsed);
    fl_op_ints(op, FL_ATTR_operand_batching_dims, &batching);
    if (!iota) return fl_simplify_pick(e, op);
    if (batching || collapsed != 1 || gone[0] != 0 || map[0] != 0 || !table.rank) return FL_NO_REF;
    int64_t d = fl_op_int(iota, FL_ATTR_iota_dimension, 0), at = fl_op_int(op, FL_ATTR_index_vector_dim, 0);
    if (d == at || fl_type_elements(&list) != list.dims[d] || list.dims[d] > table.dims[0] ||
        (at < list.rank && list.dims[at] != 1) || (int)n != table.rank - 1)
        return FL_NO_REF;
    for (int i = 1; i < table.rank; i++)
        if (sizes[i] != table.dims[i]) return FL_NO_REF;
    for (uint32_t i = 0; i < n; i++) /* the rows' own dimensions come last */
        if (offset[i] != type.rank - (int)n + i) return FL_NO_REF;
    part p = {.rank = table.rank};
    for (int i = 0; i < table.rank; i++) p.limit[i] = i ? table.dims[i] : list.dims[d], p.step[i] = 1;
    return fl_reshape(&e->b, take(e, x, &p), type.rank, type.dims);
}
