#include "ir/build_internal.h"
#include "ir/pool.h"

/* The region, over (value a, index a, value b, index b), which are numbered 0 to 3 and followed by the results of these operations.
 * a wins when it is greater (BETTER), or the only NaN; among equals or two NaNs when its index is not higher (FIRST). */
enum { NOT_COMPARED = -1, BETTER = -2, FIRST = -3 };
static const struct {
    int better, first;
} kinds[] = {[FL_PAIR_MAX_FIRST] = {FL_GT, FL_LE},
             [FL_PAIR_MAX_LAST] = {FL_GT, FL_GE},
             [FL_PAIR_MIN_LAST] = {FL_LT, FL_GE}};
static const struct {
    fl_opcode code;
    int direction;
    uint8_t operands[3];
} steps[] = {
    {FL_OP_compare, BETTER, {0, 2}},          /* 4: a > b */
    {FL_OP_compare, FL_NE, {0, 0}},           /* 5: a is NaN */
    {FL_OP_compare, FL_EQ, {2, 2}},           /* 6: b is not */
    {FL_OP_and, NOT_COMPARED, {5, 6}},        /* 7 */
    {FL_OP_or, NOT_COMPARED, {4, 7}},         /* 8: a is ahead */
    {FL_OP_compare, FL_EQ, {0, 2}},           /* 9 */
    {FL_OP_compare, FL_NE, {2, 2}},           /* 10: b is NaN */
    {FL_OP_and, NOT_COMPARED, {5, 10}},       /* 11 */
    {FL_OP_or, NOT_COMPARED, {9, 11}},        /* 12: a tie */
    {FL_OP_compare, FIRST, {1, 3}},           /* 13 */
    {FL_OP_and, NOT_COMPARED, {12, 13}},      /* 14 */
    {FL_OP_or, NOT_COMPARED, {8, 14}},        /* 15: a wins */
    {FL_OP_select, NOT_COMPARED, {15, 0, 2}}, /* 16 */
    {FL_OP_select, NOT_COMPARED, {15, 1, 3}}, /* 17 */
};
enum { STEPS = sizeof steps / sizeof *steps, ARGUMENTS = 4 };

static int direction_of(int step, fl_pair_kind kind)
{
    const int direction = steps[step].direction;
    return direction == BETTER ? kinds[kind].better : direction == FIRST ? kinds[kind].first : direction;
}

static fl_block *build_region(fl_builder *b, fl_dtype value, fl_dtype index, fl_pair_kind kind)
{
    fl_type v = fl_type_make(value, 0, NULL), i = fl_type_make(index, 0, NULL),
            args[ARGUMENTS] = {v, i, v, i};
    fl_ref refs[ARGUMENTS + STEPS];
    fl_block *region = fl_region_begin(b, args, ARGUMENTS);
    for (uint32_t k = 0; k < ARGUMENTS; k++) refs[k] = fl_block_arg(region, k);
    for (int k = 0; k < STEPS; k++) {
        const fl_ref x = refs[steps[k].operands[0]], y = refs[steps[k].operands[1]],
                     z = refs[steps[k].operands[2]];
        fl_ref *to = &refs[ARGUMENTS + k];
        if (steps[k].code == FL_OP_compare)
            *to = fl_compare(b, (fl_compare_direction)direction_of(k, kind), x, y);
        else if (steps[k].code == FL_OP_select)
            *to = fl_select(b, x, y, z);
        else
            *to = steps[k].code == FL_OP_and ? fl_and(b, x, y) : fl_or(b, x, y);
    }
    fl_region_end(b, region, &refs[ARGUMENTS + STEPS - 2], 2);
    return region;
}

void fl_max_pool_with_index(fl_builder *b, fl_ref value, fl_ref index, const int64_t *window,
                            const int64_t *strides, const int64_t *padding, const int64_t *window_dilations,
                            fl_ref *out_value, fl_ref *out_index)
{
    const int rank = fl_rank(b, value);
    const fl_dtype vt = fl_dtypeof(b, value), it = fl_dtypeof(b, index);
    fl_ref operands[4] = {value, index, fl_min_value(b, vt), fl_max_value(b, it)};
    fl_block *region = build_region(b, vt, it, FL_PAIR_MAX_FIRST);
    fl_attr attrs[4] = {ATTR_INTS(window_dimensions, window, rank)};
    uint32_t n = 1;
    if (strides) attrs[n++] = ATTR_INTS(window_strides, strides, rank);
    if (padding) attrs[n++] = ATTR_INTS(padding, padding, 2 * rank);
    if (window_dilations) attrs[n++] = ATTR_INTS(window_dilations, window_dilations, rank);
    *out_value = fl_build(b, FL_OP_reduce_window, operands, 4, attrs, n, &region, 1);
    *out_index = *out_value == FL_NO_REF ? FL_NO_REF : *out_value + 1;
}

void fl_running_extreme(fl_builder *b, int largest, fl_ref x, int dim, fl_ref *out_value, fl_ref *out_place)
{
    const int rank = fl_rank(b, x);
    int64_t window[FL_MAX_RANK], padding[2 * FL_MAX_RANK] = {0};
    *out_value = *out_place = FL_NO_REF;
    dim = fl_wrap_dim(b, dim, rank);
    if (b->status) return;
    const fl_type type = *fl_typeof(b, x);
    const int64_t *dims = type.dims;
    if (dims[dim] == 1) {
        *out_value = x;
        *out_place = fl_broadcast_to(b, fl_scalar_i(b, FL_I64, 0), rank, dims);
        return;
    }
    for (int i = 0; i < rank; i++) window[i] = 1;
    window[dim] = dims[dim];
    padding[2 * dim] = dims[dim] - 1;
    const fl_dtype dtype = (fl_dtype)type.dtype;
    const fl_ref operands[4] = {x, fl_iota(b, fl_type_make(FL_I64, rank, dims), dim),
                                largest ? fl_min_value(b, dtype) : fl_max_value(b, dtype),
                                fl_scalar_i(b, FL_I64, -1)};
    fl_block *region = build_region(b, dtype, FL_I64, largest ? FL_PAIR_MAX_LAST : FL_PAIR_MIN_LAST);
    const fl_attr attrs[2] = {ATTR_INTS(window_dimensions, window, rank),
                              ATTR_INTS(padding, padding, 2 * rank)};
    *out_value = fl_build(b, FL_OP_reduce_window, operands, 4, attrs, 2, &region, 1);
    *out_place = *out_value == FL_NO_REF ? FL_NO_REF : *out_value + 1;
}

/* Places are doubled and followed by a bit for zeros of the later sign, which equal those of the other. */
void fl_running_extreme_apart(fl_builder *b, int largest, fl_ref x, int dim, fl_ref *out_value,
                              fl_ref *out_place)
{
    const fl_dtype dtype = fl_dtypeof(b, x);
    const int floating = fl_is_float(dtype);
    const fl_type *type = fl_typeof(b, x);
    fl_ref best = fl_cumulative(b, largest ? FL_OP_maximum : FL_OP_minimum, x, dim),
           wins = fl_compare(b, FL_EQ, x, best),
           at = fl_iota(b, fl_type_make(FL_I64, type->rank, type->dims), dim);
    fl_ref two = fl_full_like_i(b, at, 2), zero = fl_full_like_i(b, at, 0);
    if (floating) {
        const size_t bytes = fl_dtype_bytes(dtype);
        fl_ref bits = fl_bitcast(b, x, bytes == 8 ? FL_I64 : bytes == 4 ? FL_I32 : FL_I16);
        fl_ref negative = fl_compare(b, FL_LT, bits, fl_full_like_i(b, bits, 0));
        at = fl_add(b, fl_mul(b, at, two), fl_cast(b, negative, FL_I64));
        wins = fl_or(b, wins, fl_compare(b, FL_NE, x, x));
    }
    at = fl_cumulative(b, FL_OP_maximum, fl_select(b, wins, at, zero), dim);
    *out_value = best, *out_place = at;
    if (!floating) return;
    fl_ref half = fl_div(b, at, two), odd = fl_compare(b, FL_NE, at, fl_mul(b, half, two)),
           none = fl_full_like_i(b, x, 0);
    *out_value =
        fl_select(b, fl_compare(b, FL_EQ, best, none), fl_select(b, odd, fl_neg(b, none), none), best);
    *out_place = half;
}

static int has_kind(const fl_op *op, fl_pair_kind kind)
{
    if (op->code != FL_OP_reduce_window || op->operand_count != 4 || op->region_count != 1) return 0;
    const fl_block *r = op->regions[0];
    if (r->arg_count != ARGUMENTS || r->op_count != STEPS || r->result_count != 2) return 0;
    fl_ref refs[ARGUMENTS + STEPS];
    for (uint32_t k = 0; k < ARGUMENTS; k++) refs[k] = fl_block_arg(r, k);
    for (int k = 0; k < STEPS; k++) {
        const fl_op *o = r->ops[k];
        refs[ARGUMENTS + k] = o->first_result;
        if (o->code != steps[k].code || o->operand_count != (o->code == FL_OP_select ? 3 : 2)) return 0;
        for (int i = 0; i < o->operand_count; i++)
            if (o->operands[i] != refs[steps[k].operands[i]]) return 0;
        if (o->code != FL_OP_compare) continue;
        if (fl_op_int(o, FL_ATTR_comparison_direction, -1) != direction_of(k, kind)) return 0;
        if (fl_op_int(o, FL_ATTR_compare_type, FL_COMPARE_NONE) == FL_COMPARE_TOTALORDER) return 0;
    }
    return r->results[0] == refs[ARGUMENTS + STEPS - 2] && r->results[1] == refs[ARGUMENTS + STEPS - 1];
}

fl_pair_kind fl_pair_kind_of(const fl_op *op)
{
    for (int kind = FL_PAIR_MAX_FIRST; kind <= FL_PAIR_MIN_LAST; kind++)
        if (has_kind(op, (fl_pair_kind)kind)) return (fl_pair_kind)kind;
    return FL_PAIR_OTHER;
}
