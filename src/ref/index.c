/* Operations that compute positions from data: dynamic slices, gather, scatter. */
#include "ref/interp.h"

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* An index operand; unsigned ones beyond the range of int64_t count as its largest value. */
static int64_t index_at(const fl_tensor *t, int64_t i)
{
    fl_scalar s = fl_get(t, i);
    return fl_dtype_kind((fl_dtype)t->type->dtype) == FL_KIND_UINT && s.i < 0 ? INT64_MAX : s.i;
}

/* Start indices are scalar operands from `first` on, clamped so that a block of `sizes` fits. */
static void block_start(const fl_call *call, uint32_t first, const int64_t *sizes, int64_t *start)
{
    const fl_type *x = call->in->type;
    for (int d = 0; d < x->rank; d++)
        start[d] = clamp(index_at(&call->in[first + d], 0), 0, x->dims[d] - sizes[d]);
}

fl_status fl_run_dynamic_slice(const fl_call *call)
{
    const fl_type *x = call->in->type;
    int64_t start[FL_MAX_RANK];
    block_start(call, 1, call->out->type->dims, start);
    FL_EACH(index, i, call->out->type)
    {
        int64_t from[FL_MAX_RANK];
        for (int d = 0; d < x->rank; d++) from[d] = start[d] + index[d];
        fl_copy_element(call->out, i, call->in, fl_offset(x, from));
    }
    return NULL;
}

fl_status fl_run_dynamic_update_slice(const fl_call *call)
{
    const fl_type *x = call->in->type;
    int64_t start[FL_MAX_RANK];
    size_t bytes = fl_type_bytes(x);
    if (bytes) memcpy(call->out->data, call->in->data, bytes);
    block_start(call, 2, call->in[1].type->dims, start);
    FL_EACH(index, i, call->in[1].type)
    {
        int64_t to[FL_MAX_RANK];
        for (int d = 0; d < x->rank; d++) to[d] = start[d] + index[d];
        fl_copy_element(call->out, fl_offset(x, to), &call->in[1], i);
    }
    return NULL;
}

/* ---- gather and scatter ---- */

/* The dimension numbers of both, under gather's names. `batch` is the position in the dimensions of the
 * result (of the updates) that are not offset dimensions. */
typedef struct numbers {
    const int64_t *offset, *collapsed, *batching, *indices_batching, *map;
    uint32_t offset_count, collapsed_count, batching_count, map_count;
    int64_t vector_dim;
} numbers;

static numbers numbers_of(const fl_op *op)
{
    int gather = op->code != FL_OP_scatter;
    numbers n;
    n.offset = fl_op_ints(op, gather ? FL_ATTR_offset_dims : FL_ATTR_update_window_dims, &n.offset_count);
    n.collapsed = fl_op_ints(op, gather ? FL_ATTR_collapsed_slice_dims : FL_ATTR_inserted_window_dims,
                             &n.collapsed_count);
    n.batching = fl_op_ints(op, gather ? FL_ATTR_operand_batching_dims : FL_ATTR_input_batching_dims,
                            &n.batching_count);
    n.indices_batching = fl_op_ints(
        op, gather ? FL_ATTR_start_indices_batching_dims : FL_ATTR_scatter_indices_batching_dims, NULL);
    n.map =
        fl_op_ints(op, gather ? FL_ATTR_start_index_map : FL_ATTR_scatter_dims_to_operand_dims, &n.map_count);
    n.vector_dim = fl_op_int(op, FL_ATTR_index_vector_dim, 0);
    return n;
}

/* Where the slice of a result (update) position starts in the operand, batching dimensions included. */
static void slice_start(const numbers *n, const fl_tensor *indices, const fl_type *result,
                        const int64_t *index, int64_t *start)
{
    int64_t batch[FL_MAX_RANK], at[FL_MAX_RANK] = {0};
    int count = 0, used = 0;
    for (int d = 0; d < result->rank; d++)
        if (!fl_contains(n->offset, n->offset_count, d)) batch[count++] = index[d];
    for (int d = 0; d < indices->type->rank; d++)
        if (d != n->vector_dim) at[d] = batch[used++];
    memset(start, 0, FL_MAX_RANK * sizeof *start);
    for (uint32_t k = 0; k < n->map_count; k++) {
        if (n->vector_dim < indices->type->rank) at[n->vector_dim] = k;
        start[n->map[k]] = index_at(indices, fl_offset(indices->type, at));
    }
    for (uint32_t k = 0; k < n->batching_count; k++) {
        int64_t d = n->indices_batching[k];
        start[n->batching[k]] = batch[d - (d > n->vector_dim)];
    }
}

/* The position within the slice: offset dimensions in order go to the operand's dimensions that stay. */
static void slice_offset(const numbers *n, int rank, const int64_t *index, int64_t *offset)
{
    uint32_t used = 0;
    for (int d = 0; d < rank; d++) {
        int gone = fl_contains(n->collapsed, n->collapsed_count, d) ||
                   fl_contains(n->batching, n->batching_count, d);
        offset[d] = gone ? 0 : index[n->offset[used++]];
    }
}

/* The sizes come from the data and must be those of the result. */
static fl_status dynamic_sizes(const fl_call *call, const numbers *n, int64_t *sizes)
{
    const fl_type *x = call->in[0].type;
    uint32_t used = 0;
    for (int d = 0; d < x->rank; d++) {
        int gone = fl_contains(n->collapsed, n->collapsed_count, d) ||
                   fl_contains(n->batching, n->batching_count, d);
        int64_t want = gone ? 1 : call->out->type->dims[n->offset[used++]];
        sizes[d] = index_at(&call->in[2], d);
        FL_CHECK(sizes[d] == want || (gone && sizes[d] == 0), FL_INVALID,
                 "expected slice_sizes of the result's shape, %lld in dimension %d, got %lld",
                 (long long)want, d, (long long)sizes[d]);
        FL_CHECK(sizes[d] <= x->dims[d], FL_INVALID, "expected slices within the operand");
        sizes[d] = want;
    }
    return NULL;
}

fl_status fl_run_gather(const fl_call *call)
{
    const numbers n = numbers_of(call->op);
    const fl_type *x = call->in[0].type;
    const int64_t *sizes = fl_op_ints(call->op, FL_ATTR_slice_sizes, NULL);
    int64_t dynamic[FL_MAX_RANK];
    if (call->op->code == FL_OP_dynamic_gather) {
        FL_TRY(dynamic_sizes(call, &n, dynamic));
        sizes = dynamic;
    }
    FL_EACH(index, i, call->out->type)
    {
        int64_t start[FL_MAX_RANK], offset[FL_MAX_RANK];
        slice_start(&n, &call->in[1], call->out->type, index, start);
        slice_offset(&n, x->rank, index, offset);
        for (int d = 0; d < x->rank; d++) offset[d] += clamp(start[d], 0, x->dims[d] - sizes[d]);
        fl_copy_element(call->out, i, call->in, fl_offset(x, offset));
    }
    return NULL;
}

/* The extent of an update's window along each dimension of the operand. */
static void window_of(const numbers *n, int rank, const fl_type *updates, int64_t *window)
{
    uint32_t used = 0;
    for (int d = 0; d < rank; d++) {
        int gone = fl_contains(n->collapsed, n->collapsed_count, d) ||
                   fl_contains(n->batching, n->batching_count, d);
        window[d] = gone ? 1 : updates->dims[n->offset[used++]];
    }
}

/* The results start as the inputs; they may have a wider type, that of the region. */
static void start_from_inputs(const fl_call *call, const fl_function *f, uint32_t inputs)
{
    for (uint32_t k = 0; k < inputs; k++) {
        int64_t count = fl_type_elements(call->out[k].type);
        if (!f->quantized && call->out[k].type->dtype == call->in[k].type->dtype)
            fl_copy_value(&call->out[k], &call->in[k]);
        else
            for (int64_t i = 0; i < count; i++)
                fl_set(&call->out[k], i, fl_function_argument(f, k, &call->in[k], i));
    }
}

/* A window that is not wholly inside the operand is left out, as XLA does. Elements are combined in row-
 * major order of the updates, each rounded. */
fl_status fl_run_scatter(const fl_call *call)
{
    const numbers n = numbers_of(call->op);
    const fl_type *x = call->in[0].type;
    uint32_t inputs = call->op->operand_count / 2u;
    const fl_tensor *updates = call->in + inputs + 1;
    int64_t window[FL_MAX_RANK];
    FL_CHECK(inputs <= FL_MOST_INPUTS, FL_UNSUPPORTED, "expected at most %d inputs, got %u", FL_MOST_INPUTS,
             inputs);
    fl_function f = fl_function_of(call, 0);
    start_from_inputs(call, &f, inputs);
    window_of(&n, x->rank, updates->type, window);
    FL_EACH(index, i, updates->type)
    {
        int64_t start[FL_MAX_RANK], at[FL_MAX_RANK];
        int inside = 1;
        slice_start(&n, &call->in[inputs], updates->type, index, start);
        slice_offset(&n, x->rank, index, at);
        for (int d = 0; d < x->rank; d++) {
            inside &= start[d] >= 0 && start[d] <= x->dims[d] - window[d];
            if (inside) at[d] += start[d];
        }
        if (!inside) continue;
        fl_scalar args[2 * FL_MOST_INPUTS], results[FL_MOST_INPUTS];
        int64_t to = fl_offset(x, at);
        for (uint32_t k = 0; k < inputs; k++) {
            args[k] = fl_get(&call->out[k], to);
            args[inputs + k] = fl_function_argument(&f, inputs + k, &updates[k], i);
        }
        FL_TRY(fl_function_call(&f, args, results));
        for (uint32_t k = 0; k < inputs; k++) fl_set(&call->out[k], to, results[k]);
    }
    return NULL;
}
