/* Rules of indices: one element of each row (how losses take the labels' logits), one-hot masks, and sums of them. */
#include "opt/simplify.h"

#include <string.h>

/* ---- one element of each row ---- */

/* A gather (or scatter) of single elements along `dim`, all other dimensions of the tensor being batches: *place[i] is the
 * dimension of the result (the updates) that dimension i is; -1 for `dim`. */
typedef struct pick {
    int dim, place[FL_MAX_RANK];
} pick;

typedef struct pick_keys {
    fl_attr_key windows, gone, batches, index_batches, map;
} pick_keys;

static int read_pick(const fl_op *op, const pick_keys *keys, const fl_type *tensor, const fl_type *indices,
                     pick *out)
{
    uint32_t windows, gone, batches, index_batches, mapped;
    fl_op_ints(op, keys->windows, &windows);
    const int64_t *collapsed = fl_op_ints(op, keys->gone, &gone),
                  *batch = fl_op_ints(op, keys->batches, &batches),
                  *index_batch = fl_op_ints(op, keys->index_batches, &index_batches),
                  *map = fl_op_ints(op, keys->map, &mapped);
    int64_t vector = fl_op_int(op, FL_ATTR_index_vector_dim, 0);
    if (windows || gone != 1 || mapped != 1 || (int)batches != tensor->rank - 1 || index_batches != batches)
        return 0;
    if (collapsed[0] != map[0] || (vector < indices->rank && indices->dims[vector] != 1)) return 0;
    out->dim = (int)map[0];
    out->place[out->dim] = -1;
    for (uint32_t i = 0; i < batches; i++)
        out->place[batch[i]] = (int)(index_batch[i] - (index_batch[i] > vector));
    return 1;
}

static int is_repeated(const fl_editor *e, const pick *p, fl_ref value)
{
    const fl_op *op = fl_edit_is(e, value, FL_OP_broadcast_in_dim);
    uint32_t n;
    if (!op) return 0;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_broadcast_dimensions, &n);
    for (uint32_t i = 0; i < n; i++)
        if (dims[i] == p->dim) return 0;
    return 1;
}

/* Of what is the same along the dimension no index is needed. */
static fl_ref pick_repeated(fl_editor *e, const pick *p, fl_ref value, const fl_type *result)
{
    const fl_op *op = fl_edit_is(e, value, FL_OP_broadcast_in_dim);
    fl_type type = *result;
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_broadcast_dimensions, &n);
    int64_t places[FL_MAX_RANK];
    for (uint32_t i = 0; i < n; i++) places[i] = p->place[dims[i]];
    return fl_broadcast_in_dim(&e->b, op->operands[0], type.rank, type.dims, places);
}

/* An element of f(x, y) is f of elements; where it pays: at most one of the operands has to be gathered from, so that chains stay
 * chains, and the whole of f(x, y) may not be needed then. */
fl_ref fl_simplify_pick(fl_editor *e, const fl_op *op)
{
    static const pick_keys keys = {FL_ATTR_offset_dims, FL_ATTR_collapsed_slice_dims,
                                   FL_ATTR_operand_batching_dims, FL_ATTR_start_indices_batching_dims,
                                   FL_ATTR_start_index_map};
    enum { MOST = 3, LEAST_RATIO = 4 };
    fl_ref x = op->operands[0], operands[MOST];
    fl_type result = *fl_edit_type(e, op->first_result), whole = *fl_edit_type(e, x);
    const fl_op *made = fl_edit_def(e, x);
    pick p;
    int gathered = 0;
    if (!read_pick(op, &keys, &whole, fl_edit_type(e, op->operands[1]), &p)) return FL_NO_REF;
    if (is_repeated(e, &p, x)) return pick_repeated(e, &p, x, &result);
    if (!made || !(fl_op_infos[made->code].traits & FL_TRAIT_E) || made->operand_count > MOST ||
        fl_type_elements(&whole) < LEAST_RATIO * fl_type_elements(&result))
        return FL_NO_REF;
    for (uint32_t i = 0; i < made->operand_count; i++) {
        fl_ref v = made->operands[i];
        fl_number n;
        if (fl_edit_type(e, v)->rank != whole.rank) return FL_NO_REF;
        gathered += !is_repeated(e, &p, v) && !fl_edit_number(e, v, &n);
    }
    if (gathered > 1) return FL_NO_REF;
    for (uint32_t i = 0; i < made->operand_count; i++) {
        fl_ref v = made->operands[i];
        fl_type type = result;
        type.dtype = fl_edit_type(e, v)->dtype;
        const fl_op *constant = fl_edit_is(e, v, FL_OP_constant);
        if (is_repeated(e, &p, v))
            operands[i] = pick_repeated(e, &p, v, &type);
        else if (constant && fl_is_splat(fl_edit_type(e, v), fl_op_attr(constant, FL_ATTR_value)))
            operands[i] = fl_edit_splat(e, &type, fl_op_attr(constant, FL_ATTR_value)->u.dense);
        else
            operands[i] = fl_build_typed(&e->b, FL_OP_gather, (fl_ref[]){v, op->operands[1]}, 2, op->attrs,
                                         op->attr_count, NULL, 0, &type, 1);
    }
    return fl_build_typed(&e->b, (fl_opcode)made->code, operands, made->operand_count, made->attrs,
                          made->attr_count, NULL, 0, &result, 1);
}

/* ---- scatters that are masks ---- */

/* f(x, 0) of the scatter's function: its opcode; FL_OP_NONE: another function; *sets: the update takes the place. */
static fl_opcode combination(const fl_editor *e, const fl_op *op, int *sets)
{
    const fl_block *r = op->regions[0];
    *sets = r->arg_count == 2 && !r->op_count && r->result_count == 1 && r->results[0] == r->first_arg + 1;
    return fl_region_monoid(e->b.program, r);
}

/* One update in each row of a tensor that is one number everywhere: a choice by comparison with an iota. */
static fl_ref scatter_as_mask(fl_editor *e, const fl_op *op, const pick *p)
{
    fl_ref x = op->operands[0], indices = op->operands[1], updates = op->operands[2];
    fl_type whole = *fl_edit_type(e, x), list = *fl_edit_type(e, updates);
    fl_number n;
    int sets, rank = 0;
    fl_opcode code = combination(e, op, &sets);
    int64_t dims[FL_MAX_RANK], from[FL_MAX_RANK], rows = 1;
    if (!fl_edit_number(e, x, &n) || (!sets && code != FL_OP_add)) return FL_NO_REF;
    for (int i = 0; i < whole.rank; i++) {
        if (i == p->dim) continue;
        if (rank && p->place[i] < p->place[from[rank - 1]]) return FL_NO_REF;
        from[rank] = i;
        dims[rank++] = whole.dims[i];
        rows *= whole.dims[i];
    }
    if (rows != fl_type_elements(&list)) return FL_NO_REF; /* several updates of a row */
    fl_type counted = whole;
    counted.dtype = fl_edit_type(e, indices)->dtype;
    fl_builder *b = &e->b;
    fl_ref row = fl_reshape(b, indices, rank, dims), update = fl_reshape(b, updates, rank, dims);
    if (!sets) update = fl_add(b, update, fl_reshape(b, fl_edit_splat_number(e, &list, n), rank, dims));
    row = fl_broadcast_in_dim(b, row, whole.rank, whole.dims, from);
    fl_ref hit = fl_compare(b, FL_EQ, fl_iota(b, counted, p->dim), row);
    return fl_select(b, hit, fl_broadcast_in_dim(b, update, whole.rank, whole.dims, from), x);
}

/* An update of each row, all in order: no index is needed. */
static fl_ref scatter_all_rows(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0], indices = op->operands[1], updates = op->operands[2];
    fl_type whole = *fl_edit_type(e, x), list = *fl_edit_type(e, indices);
    const fl_op *iota = fl_edit_is(e, indices, FL_OP_iota);
    uint32_t windows, gone, batches;
    const int64_t *window = fl_op_ints(op, FL_ATTR_update_window_dims, &windows),
                  *inserted = fl_op_ints(op, FL_ATTR_inserted_window_dims, &gone),
                  *map = fl_simplify_ints(op, FL_ATTR_scatter_dims_to_operand_dims);
    int64_t at = fl_op_int(op, FL_ATTR_index_vector_dim, 0),
            d = iota ? fl_op_int(iota, FL_ATTR_iota_dimension, 0) : 0;
    fl_op_ints(op, FL_ATTR_input_batching_dims, &batches);
    int sets, rank = fl_edit_type(e, updates)->rank;
    fl_opcode code = combination(e, op, &sets);
    if (!iota || batches || gone != 1 || inserted[0] != 0 || map[0] != 0 || d == at ||
        (int)windows != whole.rank - 1)
        return FL_NO_REF;
    if (list.dims[d] != whole.dims[0] || fl_type_elements(&list) != list.dims[d] ||
        fl_type_elements(&whole) != fl_type_elements(fl_edit_type(e, updates)))
        return FL_NO_REF;
    for (uint32_t i = 0; i < windows; i++)
        if (window[i] != rank - (int)windows + i) return FL_NO_REF;
    fl_ref update = fl_reshape(&e->b, updates, whole.rank, whole.dims);
    if (sets) return update;
    return code == FL_OP_add ? fl_add(&e->b, update, x) : FL_NO_REF;
}

fl_ref fl_simplify_scatter(fl_editor *e, const fl_op *op)
{
    static const pick_keys keys = {FL_ATTR_update_window_dims, FL_ATTR_inserted_window_dims,
                                   FL_ATTR_input_batching_dims, FL_ATTR_scatter_indices_batching_dims,
                                   FL_ATTR_scatter_dims_to_operand_dims};
    pick p;
    if (op->operand_count != 3 || op->region_count != 1) return FL_NO_REF;
    fl_dtype dtype = fl_simplify_dtype(e, op->operands[0]);
    if (dtype == FL_I1 || fl_is_complex(dtype)) return FL_NO_REF;
    if (read_pick(op, &keys, fl_edit_type(e, op->operands[0]), fl_edit_type(e, op->operands[1]), &p)) {
        fl_ref mask = scatter_as_mask(e, op, &p);
        if (mask) return mask;
    }
    return scatter_all_rows(e, op);
}

/* ---- sums of masks ---- */

/* A value that broadcast_in_dim repeats along the dimension: what is repeated, and the dimensions it has. */
static const fl_op *repeated_along(const fl_editor *e, fl_ref value, int64_t dim)
{
    pick p = {.dim = (int)dim};
    return is_repeated(e, &p, value) ? fl_edit_def(e, value) : NULL;
}

static int is_zero(const fl_editor *e, fl_ref value)
{
    return fl_edit_is_number(e, value, 0) || fl_edit_is_negative_zero(e, value);
}

/* The same without the dimension. */
static fl_ref without(fl_editor *e, const fl_op *broadcast, int64_t dim, const fl_type *result)
{
    uint32_t n;
    const int64_t *dims = fl_op_ints(broadcast, FL_ATTR_broadcast_dimensions, &n);
    int64_t to[FL_MAX_RANK];
    fl_type type = *result;
    for (uint32_t i = 0; i < n; i++) to[i] = dims[i] - (dims[i] > dim);
    return fl_broadcast_in_dim(&e->b, broadcast->operands[0], type.rank, type.dims, to);
}

/* Over dimension d, sum of (i_d == k ? v : 0) from +0, where k and v do not depend on i_d: v + 0 if k is in range, else 0. */
fl_ref fl_simplify_sum_of_mask(fl_editor *e, const fl_op *op)
{
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &n);
    const fl_op *select = fl_edit_is(e, op->operands[0], FL_OP_select);
    fl_type type = *fl_edit_type(e, op->first_result);
    if (n != 1 || !select || fl_is_complex((fl_dtype)type.dtype) ||
        !fl_edit_is_number(e, op->operands[1], 0) ||
        fl_region_monoid(e->b.program, op->regions[0]) != FL_OP_add || !is_zero(e, select->operands[2]))
        return FL_NO_REF;
    const fl_op *compare = fl_edit_is(e, select->operands[0], FL_OP_compare);
    if (!compare || fl_op_int(compare, FL_ATTR_comparison_direction, 0) != FL_EQ) return FL_NO_REF;
    int swapped = !fl_edit_is(e, compare->operands[0], FL_OP_iota);
    const fl_op *iota = fl_edit_is(e, compare->operands[swapped], FL_OP_iota),
                *index = repeated_along(e, compare->operands[!swapped], dims[0]),
                *value = repeated_along(e, select->operands[1], dims[0]);
    if (!iota || !index || fl_op_int(iota, FL_ATTR_iota_dimension, 0) != dims[0] || type.dtype == FL_I1)
        return FL_NO_REF;
    int constant = fl_edit_is(e, select->operands[1], FL_OP_constant) != NULL;
    fl_type counted = type;
    counted.dtype = fl_edit_type(e, iota->first_result)->dtype;
    if (!fl_is_int((fl_dtype)counted.dtype) || (!value && !constant)) return FL_NO_REF;
    fl_number one;
    if (!value && !fl_edit_number(e, select->operands[1], &one)) return FL_NO_REF;
    int64_t size = fl_edit_type(e, iota->first_result)->dims[dims[0]];
    fl_int_range all = fl_edit_range(e, iota->first_result);
    if (all.low != 0 || all.high != size - 1) return FL_NO_REF; /* it wraps */
    fl_builder *b = &e->b;
    fl_ref k = without(e, index, dims[0], &counted), zero = fl_edit_splat_int(e, &type, 0);
    fl_ref v = value ? without(e, value, dims[0], &type) : fl_edit_splat_number(e, &type, one);
    fl_ref inside = fl_and(b, fl_compare(b, FL_GE, k, fl_edit_splat_int(e, &counted, 0)),
                           fl_compare(b, FL_LE, k, fl_edit_splat_int(e, &counted, size - 1)));
    return fl_select(b, inside, fl_add(b, v, zero), zero);
}
