/* Computations that devices know in another form: sort comparators of total order, searches for the largest element, windows over
 * everything. */
#include "opt/optimize.h"

#include <math.h>
#include <string.h>

/* ---- sorts ---- */

static const fl_op *made_by(const fl_editor *e, fl_ref value, fl_opcode code, fl_ref first_operand)
{
    const fl_op *op = fl_edit_is(e, value, code);
    return op && (!first_operand || op->operands[0] == first_operand) ? op : NULL;
}

static int direction_of(const fl_op *compare)
{
    return (int)fl_op_int(compare, FL_ATTR_comparison_direction, -1);
}

/* x, with all NaNs one and -0 as 0: select(x != x, NaN, select(x == 0, 0, x)). */
static int is_canonical(const fl_editor *e, fl_ref value, fl_ref x)
{
    const fl_op *outer = made_by(e, value, FL_OP_select, 0);
    const fl_op *inner = outer ? made_by(e, outer->operands[2], FL_OP_select, 0) : NULL;
    const fl_op *nan = outer ? made_by(e, outer->operands[0], FL_OP_compare, x) : NULL;
    const fl_op *zero = inner ? made_by(e, inner->operands[0], FL_OP_compare, x) : NULL;
    fl_number n;
    return nan && zero && nan->operands[1] == x && direction_of(nan) == FL_NE &&
           direction_of(zero) == FL_EQ && fl_edit_is_number(e, zero->operands[1], 0) &&
           fl_edit_is_number(e, inner->operands[1], 0) && inner->operands[2] == x &&
           fl_edit_number(e, outer->operands[1], &n) && isnan(n.re) && !signbit(n.re);
}

/* The comparator of fl_sort (build.h), which means the same: NaNs are last, or first when the largest are, and -0 equals 0. */
static fl_block *usual_comparator(fl_editor *e, const fl_block *old, int descending)
{
    fl_builder *b = &e->b;
    fl_type *types = FL_NEW_ARRAY(&e->scratch, fl_type, old->arg_count + 1);
    if (!types) return NULL;
    for (uint32_t i = 0; i < old->arg_count; i++) types[i] = *fl_edit_type(e, old->first_arg + i);
    fl_block *region = fl_region_begin(b, types, old->arg_count);
    fl_ref x = fl_block_arg(region, 0), y = fl_block_arg(region, 1);
    fl_ref first = fl_compare(b, descending ? FL_GT : FL_LT, x, y), nan_x = fl_is_nan(b, x),
           nan_y = fl_is_nan(b, y);
    fl_ref ordered = fl_not(b, descending ? nan_y : nan_x);
    fl_ref last = descending ? fl_and(b, nan_x, ordered) : fl_and(b, ordered, nan_y),
           less = fl_or(b, first, last);
    fl_region_end(b, region, &less, 1);
    return region;
}

static fl_status sort(fl_editor *e, const fl_op *op, int *done)
{
    const fl_block *r = op->regions[0];
    const fl_op *compare = r->result_count == 1 ? fl_edit_is(e, r->results[0], FL_OP_compare) : NULL;
    if (!compare || fl_op_int(compare, FL_ATTR_compare_type, 0) != FL_COMPARE_TOTALORDER ||
        op->result_count > 64)
        return NULL;
    int direction = direction_of(compare);
    if ((direction != FL_LT && direction != FL_GT) || !is_canonical(e, compare->operands[0], r->first_arg) ||
        !is_canonical(e, compare->operands[1], r->first_arg + 1))
        return NULL;
    fl_type types[64];
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = *fl_edit_type(e, op->first_result + i);
    fl_block *region = usual_comparator(e, r, direction == FL_GT);
    if (!region) return NULL;
    fl_ref first = fl_build_typed(&e->b, FL_OP_sort, op->operands, op->operand_count, op->attrs,
                                  op->attr_count, &region, 1, types, op->result_count);
    for (uint32_t i = 0; first && i < op->result_count; i++)
        fl_edit_replace(e, op->first_result + i, first + i);
    *done = first != FL_NO_REF;
    return NULL;
}

/* ---- the place of the largest element ---- */

static int is_compare(const fl_op *op, int direction, fl_ref x, fl_ref y)
{
    return op->code == FL_OP_compare && direction_of(op) == direction && op->operands[0] == x &&
           op->operands[1] == y && fl_op_int(op, FL_ATTR_compare_type, 0) != FL_COMPARE_TOTALORDER;
}

static int is_of(const fl_op *op, fl_opcode code, fl_ref x, fl_ref y)
{
    return op->code == code && op->operands[0] == x && op->operands[1] == y;
}

/* JAX's reducer of argmax and argmin: (value, index) pairs; of equal values the smaller index, the first NaN before all. */
static int is_arg_reducer(const fl_block *r, int *maximum)
{
    if (r->arg_count != 4 || r->op_count != 9 || r->result_count != 2) return 0;
    fl_op *const *o = r->ops;
    fl_ref v = r->first_arg, i = v + 1, w = v + 2, k = v + 3, at[9];
    for (int n = 0; n < 9; n++) {
        if (o[n]->result_count != 1) return 0;
        at[n] = o[n]->first_result;
    }
    *maximum = is_compare(o[0], FL_GT, v, w);
    return (*maximum || is_compare(o[0], FL_LT, v, w)) && is_compare(o[1], FL_NE, v, v) &&
           is_of(o[2], FL_OP_or, at[0], at[1]) && is_compare(o[3], FL_EQ, v, w) &&
           is_compare(o[4], FL_LT, i, k) && is_of(o[5], FL_OP_and, at[3], at[4]) &&
           is_of(o[6], FL_OP_or, at[2], at[5]) && is_of(o[7], FL_OP_select, at[2], v) &&
           o[7]->operands[2] == w && is_of(o[8], FL_OP_select, at[6], i) && o[8]->operands[2] == k &&
           r->results[0] == at[7] && r->results[1] == at[8];
}

/* The first of the places where x is its extremum, or NaN. */
static fl_status arg_reduce(fl_editor *e, const fl_op *op, int *done)
{
    int maximum;
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &n);
    if (op->operand_count != 4 || op->result_count != 2 || n != 1 || e->uses[op->first_result] ||
        !is_arg_reducer(op->regions[0], &maximum))
        return NULL;
    fl_ref x = op->operands[0];
    const fl_op *iota = fl_edit_is(e, op->operands[1], FL_OP_iota);
    fl_type type = *fl_edit_type(e, x), index = *fl_edit_type(e, op->operands[1]);
    int64_t d = dims[0];
    fl_number init;
    if (!iota || fl_op_int(iota, FL_ATTR_iota_dimension, 0) != d ||
        !fl_edit_is_number(e, op->operands[3], 0) || !fl_edit_number(e, op->operands[2], &init) ||
        !fl_is_float((fl_dtype)type.dtype) || !(isinf(init.re) && (init.re < 0) == maximum) ||
        index.dtype == FL_U64 || !type.dims[d])
        return NULL;
    fl_int_range all = fl_edit_range(e, op->operands[1]);
    if (all.low != 0 || all.high != type.dims[d] - 1) return NULL; /* it wraps */
    fl_builder *b = &e->b;
    fl_ref best = fl_reduce(b, maximum ? FL_OP_maximum : FL_OP_minimum, x, dims, 1, 0);
    int64_t kept[FL_MAX_RANK];
    for (int i = 0, k = 0; i < type.rank; i++)
        if (i != d) kept[k++] = i;
    best = fl_broadcast_in_dim(b, best, type.rank, type.dims, kept);
    fl_ref here = fl_or(b, fl_compare(b, FL_EQ, x, best), fl_is_nan(b, x));
    fl_ref none = fl_edit_splat_int(e, &index, type.dims[d] - 1);
    fl_ref place = fl_reduce(b, FL_OP_minimum, fl_select(b, here, op->operands[1], none), dims, 1, 0);
    fl_edit_replace(e, op->first_result + 1, place);
    *done = fl_ok(b);
    return NULL;
}

/* ---- windows ---- */

static int all_are(const int64_t *list, uint32_t count, int64_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] != value) return 0;
    return 1;
}

/* A window as large as the tensor in some dimensions, and of one element in the others, is a reduction. */
static fl_status window(fl_editor *e, const fl_op *op, int *done)
{
    uint32_t n, padded, base, dilated;
    const int64_t *sizes = fl_op_ints(op, FL_ATTR_window_dimensions, &n),
                  *steps = fl_op_ints(op, FL_ATTR_window_strides, NULL),
                  *padding = fl_op_ints(op, FL_ATTR_padding, &padded),
                  *first = fl_op_ints(op, FL_ATTR_base_dilations, &base),
                  *second = fl_op_ints(op, FL_ATTR_window_dilations, &dilated);
    if (op->operand_count != 2 || op->result_count != 1 || (padding && !all_are(padding, padded, 0)) ||
        (first && !all_are(first, base, 1)) || (second && !all_are(second, dilated, 1)))
        return NULL;
    const fl_type from = *fl_edit_type(e, op->operands[0]), type = *fl_edit_type(e, op->first_result);
    fl_opcode code = fl_region_monoid(e->b.program, op->regions[0]);
    int64_t dims[FL_MAX_RANK];
    fl_type small = {.dtype = type.dtype};
    uint32_t count = 0;
    for (int i = 0; i < from.rank; i++) {
        if (sizes[i] == from.dims[i] && sizes[i] > 1)
            dims[count++] = i;
        else if (sizes[i] == 1 && (!steps || steps[i] == 1))
            small.dims[small.rank++] = from.dims[i];
        else
            return NULL;
    }
    if (!count || code == FL_OP_NONE || from.dtype != type.dtype) return NULL;
    fl_type scalar = fl_type_make((fl_dtype)type.dtype, 0, NULL), args[2] = {scalar, scalar};
    fl_block *region = fl_region_begin(&e->b, args, 2);
    fl_ref pair[2] = {fl_block_arg(region, 0), fl_block_arg(region, 1)};
    fl_ref both = fl_build(&e->b, code, pair, 2, NULL, 0, NULL, 0);
    fl_region_end(&e->b, region, &both, 1);
    fl_attr attr = {.key = FL_ATTR_dimensions, .count = count, .u.ints = dims};
    fl_ref sum = fl_build_typed(&e->b, FL_OP_reduce, op->operands, 2, &attr, 1, &region, 1, &small, 1);
    if (!sum) return NULL;
    fl_edit_replace(e, op->first_result, fl_reshape(&e->b, sum, type.rank, type.dims));
    *done = 1;
    return NULL;
}

static fl_status recognise(fl_editor *e, fl_op *op, int *done)
{
    if (!op->region_count || !op->operand_count || !fl_type_is_plain(fl_edit_type(e, op->operands[0])))
        return NULL;
    switch (op->code) {
    case FL_OP_sort: return sort(e, op, done);
    case FL_OP_reduce: return arg_reduce(e, op, done);
    case FL_OP_reduce_window: return window(e, op, done);
    default: return NULL;
    }
}

fl_status fl_pass_recognise(fl_editor *e)
{
    return fl_edit_walk(e, recognise);
}
