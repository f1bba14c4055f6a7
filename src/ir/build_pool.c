#include "ir/build_internal.h"
#include "ir/pool.h"

/* The region, over (value a, index a, value b, index b), which are numbered 0 to 3 and followed by the results of these operations.
 * a wins when it is greater, or the only NaN; among equals or two NaNs when its index is not higher. */
enum { NOT_COMPARED = -1 };
static const struct {
    fl_opcode code;
    int direction;
    uint8_t operands[3];
} steps[] = {
    {FL_OP_compare, FL_GT, {0, 2}},           /* 4: a > b */
    {FL_OP_compare, FL_NE, {0, 0}},           /* 5: a is NaN */
    {FL_OP_compare, FL_EQ, {2, 2}},           /* 6: b is not */
    {FL_OP_and, NOT_COMPARED, {5, 6}},        /* 7 */
    {FL_OP_or, NOT_COMPARED, {4, 7}},         /* 8: a is ahead */
    {FL_OP_compare, FL_EQ, {0, 2}},           /* 9 */
    {FL_OP_compare, FL_NE, {2, 2}},           /* 10: b is NaN */
    {FL_OP_and, NOT_COMPARED, {5, 10}},       /* 11 */
    {FL_OP_or, NOT_COMPARED, {9, 11}},        /* 12: a tie */
    {FL_OP_compare, FL_LE, {1, 3}},           /* 13 */
    {FL_OP_and, NOT_COMPARED, {12, 13}},      /* 14 */
    {FL_OP_or, NOT_COMPARED, {8, 14}},        /* 15: a wins */
    {FL_OP_select, NOT_COMPARED, {15, 0, 2}}, /* 16 */
    {FL_OP_select, NOT_COMPARED, {15, 1, 3}}, /* 17 */
};
enum { STEPS = sizeof steps / sizeof *steps, ARGUMENTS = 4 };

static fl_block *build_region(fl_builder *b, fl_dtype value, fl_dtype index)
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
            *to = fl_compare(b, (fl_compare_direction)steps[k].direction, x, y);
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
    fl_block *region = build_region(b, vt, it);
    fl_attr attrs[4] = {ATTR_INTS(window_dimensions, window, rank)};
    uint32_t n = 1;
    if (strides) attrs[n++] = ATTR_INTS(window_strides, strides, rank);
    if (padding) attrs[n++] = ATTR_INTS(padding, padding, 2 * rank);
    if (window_dilations) attrs[n++] = ATTR_INTS(window_dilations, window_dilations, rank);
    *out_value = fl_build(b, FL_OP_reduce_window, operands, 4, attrs, n, &region, 1);
    *out_index = *out_value == FL_NO_REF ? FL_NO_REF : *out_value + 1;
}

int fl_is_max_pool(const fl_program *program, const fl_op *op)
{
    if (op->code != FL_OP_reduce_window || op->operand_count != 4 || op->region_count != 1) return 0;
    const fl_block *r = op->regions[0];
    if (r->arg_count != ARGUMENTS || r->op_count != STEPS || r->result_count != 2) return 0;
    (void)program;
    fl_ref refs[ARGUMENTS + STEPS];
    for (uint32_t k = 0; k < ARGUMENTS; k++) refs[k] = fl_block_arg(r, k);
    for (int k = 0; k < STEPS; k++) {
        const fl_op *o = r->ops[k];
        refs[ARGUMENTS + k] = o->first_result;
        if (o->code != steps[k].code || o->operand_count != (o->code == FL_OP_select ? 3 : 2)) return 0;
        for (int i = 0; i < o->operand_count; i++)
            if (o->operands[i] != refs[steps[k].operands[i]]) return 0;
        if (o->code != FL_OP_compare) continue;
        if (fl_op_int(o, FL_ATTR_comparison_direction, -1) != steps[k].direction) return 0;
        if (fl_op_int(o, FL_ATTR_compare_type, FL_COMPARE_NONE) == FL_COMPARE_TOTALORDER) return 0;
    }
    return r->results[0] == refs[ARGUMENTS + STEPS - 2] && r->results[1] == refs[ARGUMENTS + STEPS - 1];
}
