/* How sizes go from operands to results. */
#include "opt/bounded.h"

#include "base/checked.h"

typedef struct rule {
    fl_refiner *r;
    const fl_op *op;
    const fl_ref *in;        /* sizes of the first operand, or NULL */
    fl_type operand, result; /* at their bounds */
    fl_ref *out;
} rule;

static fl_status touches(const rule *x, int dim)
{
    return fl_error(FL_UNSUPPORTED, "%s across dimension %d, whose size is bounded, is not implemented",
                    fl_op_infos[x->op->code].name, dim);
}

static int has(const int64_t *list, uint32_t count, int64_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == value) return 1;
    return 0;
}

/* Every operand of the result's rank has the same sizes, or is whole where it says nothing. */
static fl_status elementwise(const rule *x)
{
    for (uint32_t i = 0; i < x->op->operand_count; i++) {
        const fl_ref *s = fl_sizes_of(x->r, x->op->operands[i]);
        for (int d = 0; s && d < x->result.rank; d++)
            if (!x->out[d]) x->out[d] = s[d];
    }
    return NULL;
}

static fl_status broadcast(const rule *x)
{
    uint32_t n;
    const int64_t *dims = fl_op_ints(x->op, FL_ATTR_broadcast_dimensions, &n);
    for (uint32_t d = 0; d < n; d++) {
        if (!x->in[d]) continue;
        if (x->result.dims[dims[d]] != x->operand.dims[d]) return touches(x, (int)d);
        x->out[dims[d]] = x->in[d];
    }
    return NULL;
}

static fl_status transpose(const rule *x)
{
    uint32_t n;
    const int64_t *order = fl_op_ints(x->op, FL_ATTR_permutation, &n);
    for (uint32_t d = 0; d < n; d++) x->out[d] = x->in[order[d]];
    return NULL;
}

/* An open dimension stays one, or becomes the slowest part of a larger one: then its size is multiplied. */
static fl_status reshape(const rule *x)
{
    for (int d = 0; d < x->operand.rank; d++) {
        int64_t before = 1, rest = x->operand.dims[d], at = 1;
        if (!x->in[d]) continue;
        for (int i = 0; i < d; i++) before *= x->operand.dims[i];
        int k = 0;
        while (k < x->result.rank && (at < before || x->result.dims[k] == 1)) at *= x->result.dims[k++];
        if (at != before || k == x->result.rank || x->result.dims[k] % rest) return touches(x, d);
        int64_t factor = x->result.dims[k] / rest;
        fl_builder *b = &x->r->b;
        x->out[k] = factor == 1 ? x->in[d] : fl_mul(b, x->in[d], fl_scalar_i(b, FL_I32, factor));
    }
    return NULL;
}

/* Batch dimensions, then those of each operand that are neither batch nor contracted. */
static fl_status product(const rule *x)
{
    static const fl_attr_key batch[2] = {FL_ATTR_lhs_batching_dimensions, FL_ATTR_rhs_batching_dimensions};
    static const fl_attr_key contract[2] = {FL_ATTR_lhs_contracting_dimensions,
                                            FL_ATTR_rhs_contracting_dimensions};
    int to = 0, plain = x->op->code == FL_OP_dot;
    uint32_t batches = 0;
    fl_op_ints(x->op, batch[0], &batches);
    to = plain ? 0 : (int)batches;
    for (int i = 0; i < 2; i++) {
        uint32_t n = 0, m = 0;
        const fl_ref *s = fl_sizes_of(x->r, x->op->operands[i]);
        const int64_t *own = fl_op_ints(x->op, batch[i], &n), *gone = fl_op_ints(x->op, contract[i], &m);
        int rank = fl_at_bounds(fl_type_of(x->r->from, x->op->operands[i])).rank;
        for (uint32_t k = 0; k < n; k++)
            if (s && !x->out[k]) x->out[k] = s[own[k]];
        for (int d = 0; d < rank; d++) {
            int taken = plain ? d == (i ? 0 : rank - 1) : has(own, n, d) || has(gone, m, d);
            if (!taken) x->out[to++] = s ? s[d] : FL_NO_REF;
        }
    }
    return NULL;
}

static fl_status reduce(const rule *x)
{
    uint32_t n;
    const int64_t *dims = fl_op_ints(x->op, FL_ATTR_dimensions, &n);
    int to = 0;
    for (int d = 0; d < x->operand.rank; d++)
        if (!has(dims, n, d)) x->out[to++] = x->in ? x->in[d] : FL_NO_REF;
    return NULL;
}

/* Whether an operation that works along dimensions leaves this one of its first operand as it is. */
static int leaves(const rule *x, int d)
{
    static const fl_attr_key lists[] = {FL_ATTR_edge_padding_low, FL_ATTR_edge_padding_high,
                                        FL_ATTR_interior_padding, FL_ATTR_start_indices};
    static const fl_attr_key ones[] = {FL_ATTR_window_dimensions, FL_ATTR_window_strides, FL_ATTR_strides,
                                       FL_ATTR_base_dilations};
    uint32_t n;
    const int64_t *list;
    if (d >= x->result.rank || x->result.dims[d] != x->operand.dims[d]) return 0;
    for (int i = 0; i < 4; i++) {
        if ((list = fl_op_ints(x->op, lists[i], &n)) && (uint32_t)d < n && list[d]) return 0;
        if ((list = fl_op_ints(x->op, ones[i], &n)) && (uint32_t)d < n && list[d] != 1) return 0;
    }
    if ((list = fl_op_ints(x->op, FL_ATTR_padding, &n)) && 2u * (uint32_t)d + 1 < n &&
        (list[2 * d] || list[2 * d + 1]))
        return 0;
    int along = x->op->code == FL_OP_sort || x->op->code == FL_OP_concatenate;
    if (along && fl_op_int(x->op, FL_ATTR_dimension, -1) == d) return 0;
    return 1;
}

static fl_status along(const rule *x)
{
    for (int d = 0; x->in && d < x->operand.rank; d++) {
        if (!x->in[d]) continue;
        int slice = x->op->code == FL_OP_slice || x->op->code == FL_OP_dynamic_slice;
        int cut = slice && x->result.dims[d] < x->operand.dims[d];
        if (cut && fl_type_of(x->r->from, x->op->first_result)->dims[d] != FL_DYNAMIC) continue;
        if (!leaves(x, d)) return touches(x, d);
        x->out[d] = x->in[d];
    }
    for (uint32_t i = 1;
         x->op->code != FL_OP_sort && x->op->code != FL_OP_concatenate && i < x->op->operand_count; i++)
        if (fl_sizes_of(x->r, x->op->operands[i])) return touches(x, 0);
    return NULL;
}

/* Dimensions of the indices, in order, are those of the result that are no offset. */
static fl_status gather(const rule *x)
{
    uint32_t n, m, b, k = 0, offset = 0;
    const int64_t *offsets = fl_op_ints(x->op, FL_ATTR_offset_dims, &n), *sizes, *collapsed, *batching;
    const fl_ref *indices = fl_sizes_of(x->r, x->op->operands[1]);
    int64_t vector = fl_op_int(x->op, FL_ATTR_index_vector_dim, 0);
    for (int d = 0; indices && d < x->result.rank; d++) {
        if (has(offsets, n, d)) continue;
        if (k == (uint64_t)vector) k++;
        x->out[d] = indices[k++];
    }
    uint32_t size_count;
    sizes = fl_op_ints(x->op, FL_ATTR_slice_sizes, &size_count);
    collapsed = fl_op_ints(x->op, FL_ATTR_collapsed_slice_dims, &m);
    batching = fl_op_ints(x->op, FL_ATTR_operand_batching_dims, &b);
    for (int d = 0; x->in && d < x->operand.rank; d++) {
        int kept = !has(collapsed, m, d) && !has(batching, b, d);
        int whole = (uint32_t)d < size_count && sizes[d] == x->operand.dims[d];
        if (x->in[d] && kept && !whole) return touches(x, d);
        if (kept && offset < n) x->out[offsets[offset++]] = x->in[d];
    }
    return NULL;
}

static fl_status convolution(const rule *x)
{
    int64_t from = fl_op_int(x->op, FL_ATTR_input_batch_dimension, 0),
            to = fl_op_int(x->op, FL_ATTR_output_batch_dimension, 0);
    for (int d = 0; x->in && d < x->operand.rank; d++) {
        if (!x->in[d]) continue;
        if (d != from || fl_op_int(x->op, FL_ATTR_batch_group_count, 1) != 1) return touches(x, d);
        x->out[to] = x->in[d];
    }
    return fl_sizes_of(x->r, x->op->operands[1]) ? touches(x, 0) : NULL;
}

static fl_status scatter(const rule *x)
{
    for (int d = 0; x->in && d < x->operand.rank; d++) x->out[d] = x->in[d];
    return NULL;
}

fl_status fl_bounded_rule(fl_refiner *r, const fl_op *op, fl_ref *sizes)
{
    static const fl_ref whole[FL_MAX_RANK];
    char text[160];
    FL_CHECK(op->operand_count && op->result_count, FL_UNSUPPORTED,
             "%s makes a value of bounded size, which is not known", fl_op_infos[op->code].name);
    const fl_ref *in = fl_sizes_of(r, op->operands[0]);
    const rule x = {r,
                    op,
                    in ? in : whole,
                    fl_at_bounds(fl_type_of(r->from, op->operands[0])),
                    fl_at_bounds(fl_type_of(r->from, op->first_result)),
                    sizes};
    if (fl_op_infos[op->code].traits & FL_TRAIT_E) return elementwise(&x);
    switch (op->code) {
    case FL_OP_select:
    case FL_OP_clamp: return elementwise(&x);
    case FL_OP_optimization_barrier: return NULL;
    case FL_OP_dynamic_broadcast_in_dim:
    case FL_OP_broadcast_in_dim: return broadcast(&x);
    case FL_OP_transpose: return transpose(&x);
    case FL_OP_dynamic_reshape:
    case FL_OP_reshape: return reshape(&x);
    case FL_OP_dot:
    case FL_OP_dot_general: return product(&x);
    case FL_OP_reduce: return reduce(&x);
    case FL_OP_gather: return gather(&x);
    case FL_OP_scatter: return scatter(&x);
    case FL_OP_convolution: return convolution(&x);
    case FL_OP_slice:
    case FL_OP_pad:
    case FL_OP_sort:
    case FL_OP_concatenate:
    case FL_OP_reduce_window:
    case FL_OP_dynamic_slice:
    case FL_OP_dynamic_update_slice: return along(&x);
    default:
        return fl_error(FL_UNSUPPORTED, "a value of bounded size, %s, is not implemented",
                        fl_type_text(fl_type_of(r->from, op->operands[0]), text, sizeof text));
    }
}
