#include "aten/loop.h"
#include "aten/formula.h"

void fl_loop_to(fl_builder *b, fl_ref steps, fl_ref *state, uint32_t count, fl_loop_body *body,
                const void *given)
{
    fl_ref init[FL_LOOP_MOST + 2] = {fl_scalar_i(b, FL_I64, 0), steps}, next[FL_LOOP_MOST + 2];
    fl_type types[FL_LOOP_MOST + 2];
    if (!fl_ok(b)) return;
    for (uint32_t i = 0; i < count; i++) init[2 + i] = state[i];
    for (uint32_t i = 0; i < count + 2; i++) types[i] = *fl_typeof(b, init[i]);
    fl_block *condition = fl_region_begin(b, types, count + 2);
    fl_ref go_on = fl_compare(b, FL_LT, fl_block_arg(condition, 0), fl_block_arg(condition, 1));
    fl_region_end(b, condition, &go_on, 1);
    fl_block *block = fl_region_begin(b, types, count + 2);
    for (uint32_t i = 0; i < count + 2; i++) next[i] = init[i] = fl_block_arg(block, i);
    body(b, init[0], init + 2, next + 2, given);
    next[0] = fl_add_c(b, init[0], 1);
    fl_region_end(b, block, next, count + 2);
    fl_block *regions[] = {condition, block};
    init[0] = fl_scalar_i(b, FL_I64, 0), init[1] = steps;
    for (uint32_t i = 0; i < count; i++) init[2 + i] = state[i];
    fl_ref end = fl_build(b, FL_OP_while, init, count + 2, NULL, 0, regions, 2);
    for (uint32_t i = 0; i < count; i++) state[i] = end == FL_NO_REF ? FL_NO_REF : end + 2 + i;
}

void fl_loop(fl_builder *b, int64_t steps, fl_ref *state, uint32_t count, fl_loop_body *body,
             const void *given)
{
    if (steps > 0) fl_loop_to(b, fl_scalar_i(b, FL_I64, steps), state, count, body, given);
}
