/* Rules of movement without arithmetic: reshapes, transposes, broadcasts, reversals. */
#include "opt/simplify.h"

#include <string.h>

static int all_ones(const fl_type *type)
{
    for (int i = 0; i < type->rank; i++)
        if (type->dims[i] != 1) return 0;
    return 1;
}

/* Of the dims of `inner`, each in order one of those of `outer`, which has only ones beside them: *at says where. */
static int is_subsequence(const fl_type *inner, const fl_type *outer, int *at)
{
    int k = 0;
    for (int i = 0; i < outer->rank; i++) {
        if (k < inner->rank && inner->dims[k] == outer->dims[i])
            at[k++] = i;
        else if (outer->dims[i] != 1)
            return 0;
    }
    return k == inner->rank;
}

/* An iota among dimensions of size one. */
static fl_ref move_iota(fl_editor *e, const fl_op *op, const fl_op *iota, const int64_t *to)
{
    fl_type type = *fl_edit_type(e, op->first_result);
    int64_t d = fl_op_int(iota, FL_ATTR_iota_dimension, 0);
    if (fl_edit_type(e, iota->first_result)->dims[d] != type.dims[to[d]])
        return FL_NO_REF; /* it is repeated */
    return fl_iota(&e->b, type, (int)to[d]);
}

fl_ref fl_simplify_reshape(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    fl_type type = *fl_edit_type(e, op->first_result);
    if (fl_type_equal(fl_edit_type(e, x), &type)) return x;
    const fl_op *inner = fl_edit_def(e, x);
    if (!inner) return FL_NO_REF;
    if (inner->code == FL_OP_reshape) return fl_reshape(&e->b, inner->operands[0], type.rank, type.dims);
    if (inner->code == FL_OP_broadcast_in_dim && all_ones(fl_edit_type(e, inner->operands[0]))) {
        fl_ref scalar = fl_reshape(&e->b, inner->operands[0], 0, NULL);
        return fl_broadcast_in_dim(&e->b, scalar, type.rank, type.dims, NULL);
    }
    if (inner->code == FL_OP_iota) {
        int at[FL_MAX_RANK];
        int64_t to[FL_MAX_RANK];
        if (!is_subsequence(fl_edit_type(e, x), &type, at)) return FL_NO_REF;
        for (int i = 0; i < fl_edit_type(e, x)->rank; i++) to[i] = at[i];
        return move_iota(e, op, inner, to);
    }
    return FL_NO_REF;
}

static int of_algorithm(uint16_t key)
{
    return key >= FL_ATTR_lhs_precision_type && key <= FL_ATTR_allow_imprecise_accumulation;
}

/* Whether the product's algorithm does the same to both operands. */
static int is_symmetric(const fl_op *dot)
{
    return fl_op_int(dot, FL_ATTR_lhs_precision_type, FL_DTYPE_NONE) ==
               fl_op_int(dot, FL_ATTR_rhs_precision_type, FL_DTYPE_NONE) &&
           fl_op_int(dot, FL_ATTR_lhs_component_count, 1) == fl_op_int(dot, FL_ATTR_rhs_component_count, 1);
}

/* transpose(dot(a, b)) with the free dimensions of a behind those of b is dot(b, a): the same sums of the same products. */
static fl_ref swap_product(fl_editor *e, const fl_op *op, const fl_op *dot)
{
    static const fl_attr_key keys[4] = {FL_ATTR_lhs_batching_dimensions, FL_ATTR_rhs_batching_dimensions,
                                        FL_ATTR_lhs_contracting_dimensions,
                                        FL_ATTR_rhs_contracting_dimensions};
    const int64_t *permutation = fl_simplify_ints(op, FL_ATTR_permutation), *lists[4];
    fl_ref a = dot->operands[0], b = dot->operands[1];
    uint32_t counts[4];
    fl_dtype out = fl_simplify_dtype(e, op->first_result);
    if (!is_symmetric(dot) || !fl_edit_used_once(e, dot->first_result)) return FL_NO_REF;
    for (int i = 0; i < 4; i++) lists[i] = fl_op_ints(dot, keys[i], &counts[i]);
    int batch = (int)counts[0], contract = (int)counts[2], rank = fl_edit_type(e, op->first_result)->rank;
    int left = fl_edit_type(e, a)->rank - batch - contract, right = rank - batch - left;
    if (!left || !right) return FL_NO_REF;
    for (int i = 0; i < rank; i++) {
        int64_t from = i < batch ? i : i < batch + right ? i + left : i - right;
        if (permutation[i] != from) return FL_NO_REF;
    }
    fl_attr attrs[12];
    uint32_t n = 0, k;
    for (int i = 0; i < 4; i++)
        if (counts[i])
            attrs[n++] = (fl_attr){.key = (uint16_t)keys[i], .count = counts[i ^ 1], .u.ints = lists[i ^ 1]};
    const int64_t *precision = fl_op_ints(dot, FL_ATTR_precision_config, &k);
    int64_t swapped[2] = {k == 2 ? precision[1] : 0, k == 2 ? precision[0] : 0};
    if (k == 2) attrs[n++] = (fl_attr){.key = FL_ATTR_precision_config, .count = 2, .u.ints = swapped};
    for (uint32_t i = 0; i < dot->attr_count; i++)
        if (of_algorithm(dot->attrs[i].key)) attrs[n++] = dot->attrs[i];
    fl_type type = *fl_edit_type(e, op->first_result);
    type.dtype = (uint8_t)out;
    return fl_build_typed(&e->b, FL_OP_dot_general, (fl_ref[]){b, a}, 2, attrs, n, NULL, 0, &type, 1);
}

fl_ref fl_simplify_transpose(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    fl_type type = *fl_edit_type(e, op->first_result);
    const int64_t *permutation = fl_simplify_ints(op, FL_ATTR_permutation);
    int64_t composed[FL_MAX_RANK], inverse[FL_MAX_RANK], last = -1;
    int identity = 1, ordered = 1;
    for (int i = 0; i < type.rank; i++) {
        identity &= permutation[i] == i;
        inverse[permutation[i]] = i;
        if (type.dims[i] == 1) continue;
        ordered &= permutation[i] > last;
        last = permutation[i];
    }
    if (identity) return x;
    if (ordered) return fl_reshape(&e->b, x, type.rank, type.dims);
    const fl_op *inner = fl_edit_def(e, x);
    if (!inner) return FL_NO_REF;
    if (inner->code == FL_OP_transpose) {
        const int64_t *first = fl_simplify_ints(inner, FL_ATTR_permutation);
        for (int i = 0; i < type.rank; i++) composed[i] = first[permutation[i]];
        return fl_transpose(&e->b, inner->operands[0], composed);
    }
    if (inner->code == FL_OP_broadcast_in_dim) {
        const int64_t *dims = fl_simplify_ints(inner, FL_ATTR_broadcast_dimensions);
        int rank = fl_edit_type(e, inner->operands[0])->rank;
        for (int i = 0; i < rank; i++) composed[i] = inverse[dims[i]];
        return fl_broadcast_in_dim(&e->b, inner->operands[0], type.rank, type.dims, composed);
    }
    if (inner->code == FL_OP_iota) return move_iota(e, op, inner, inverse);
    if (inner->code == FL_OP_dot_general) return swap_product(e, op, inner);
    return FL_NO_REF;
}

fl_ref fl_simplify_broadcast(fl_editor *e, const fl_op *op)
{
    fl_type type = *fl_edit_type(e, op->first_result);
    int64_t dims[FL_MAX_RANK];
    int rank = fl_edit_type(e, op->operands[0])->rank;
    for (int i = 0; i < rank; i++) dims[i] = type.rank - rank + i;
    return fl_broadcast_in_dim(&e->b, op->operands[0], type.rank, type.dims, dims);
}

fl_ref fl_simplify_broadcast_in_dim(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    fl_type type = *fl_edit_type(e, op->first_result), from = *fl_edit_type(e, x);
    const int64_t *dims = fl_simplify_ints(op, FL_ATTR_broadcast_dimensions);
    int64_t composed[FL_MAX_RANK], last = -1;
    int ordered = fl_type_elements(&type) == fl_type_elements(&from), at[FL_MAX_RANK];
    for (int i = 0; i < from.rank; i++) {
        if (from.dims[i] == 1) continue;
        ordered &= dims[i] > last;
        last = dims[i];
    }
    if (ordered) return fl_reshape(&e->b, x, type.rank, type.dims); /* nothing is repeated */
    fl_type bare = from; /* without ones, so that equal broadcasts look alike */
    bare.rank = 0;
    for (int i = 0; i < from.rank; i++) {
        if (from.dims[i] == 1) continue;
        composed[bare.rank] = dims[i];
        bare.dims[bare.rank++] = from.dims[i];
    }
    if (bare.rank < from.rank)
        return fl_broadcast_in_dim(&e->b, fl_reshape(&e->b, x, bare.rank, bare.dims), type.rank, type.dims,
                                   composed);
    const fl_op *inner = fl_edit_def(e, x);
    if (!inner) return FL_NO_REF;
    fl_ref y = inner->operand_count ? inner->operands[0] : FL_NO_REF;
    int rank = y ? fl_edit_type(e, y)->rank : 0;
    switch (inner->code) {
    case FL_OP_broadcast_in_dim: {
        const int64_t *first = fl_simplify_ints(inner, FL_ATTR_broadcast_dimensions);
        for (int i = 0; i < rank; i++) composed[i] = dims[first[i]];
        break;
    }
    case FL_OP_reshape:
        if (!is_subsequence(fl_edit_type(e, y), &from, at)) return FL_NO_REF;
        for (int i = 0; i < rank; i++) composed[i] = dims[at[i]];
        break;
    case FL_OP_transpose: {
        const int64_t *permutation = fl_simplify_ints(inner, FL_ATTR_permutation);
        for (int i = 0; i < rank; i++) composed[permutation[i]] = dims[i];
        break;
    }
    case FL_OP_iota: return move_iota(e, op, inner, dims);
    default: return FL_NO_REF;
    }
    return fl_broadcast_in_dim(&e->b, y, type.rank, type.dims, composed);
}

fl_ref fl_simplify_reverse(fl_editor *e, const fl_op *op)
{
    fl_ref x = op->operands[0];
    const fl_type *type = fl_edit_type(e, x);
    uint32_t n, m, kept = 0;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &n);
    int64_t rest[FL_MAX_RANK];
    for (uint32_t i = 0; i < n; i++)
        if (type->dims[dims[i]] > 1) rest[kept++] = dims[i];
    if (kept < n) return fl_reverse(&e->b, x, rest, kept);
    const fl_op *inner = fl_edit_is(e, x, FL_OP_reverse);
    const int64_t *first = inner ? fl_op_ints(inner, FL_ATTR_dimensions, &m) : NULL;
    return inner && n == m && !memcmp(dims, first, n * sizeof *dims) ? inner->operands[0] : FL_NO_REF;
}
