/* Control flow that is known: branches whose condition is, loops of no, one or few rounds; and loops carry what changes alone. */
#include "opt/optimize.h"

#include <string.h>

enum { MOST_CARRIED = 64 };

static fl_status replace_all(fl_editor *e, const fl_op *op, const fl_ref *values)
{
    for (uint32_t i = 0; i < op->result_count; i++) fl_edit_replace(e, op->first_result + i, values[i]);
    return NULL;
}

static fl_status take_region(fl_editor *e, const fl_op *op, uint32_t region, const fl_ref *args, int *done)
{
    fl_ref *results;
    FL_TRY(fl_edit_inline(e, op->regions[region], args, &results));
    *done = 1;
    return replace_all(e, op, results);
}

static fl_status branch(fl_editor *e, const fl_op *op, int *done)
{
    fl_number n;
    if (!fl_edit_number(e, op->operands[0], &n)) return NULL;
    uint32_t last = op->region_count - 1u, which = last;
    if (op->code == FL_OP_if)
        which = n.integer ? 0 : 1;
    else if (n.integer >= 0 && n.integer < last)
        which = (uint32_t)n.integer;
    return which <= last ? take_region(e, op, which, NULL, done) : NULL;
}

/* ---- loops ---- */

static int holds(int64_t direction, int64_t a, int64_t b)
{
    switch (direction) {
    case FL_LT: return a < b;
    case FL_LE: return a <= b;
    case FL_GT: return a > b;
    case FL_GE: return a >= b;
    case FL_EQ: return a == b;
    default: return a != b;
    }
}

static int is_counter(fl_dtype dtype)
{
    return dtype == FL_I32 || dtype == FL_I64 || dtype == FL_U32;
}

/* The integer that a value in the condition has before round `round`, counted from 0; 0: not known. */
static int value_before(const fl_editor *e, const fl_op *loop, fl_ref value, int round, int64_t *out)
{
    const fl_block *condition = loop->regions[0], *body = loop->regions[1];
    fl_number n, step;
    if (!is_counter((fl_dtype)fl_edit_type(e, value)->dtype)) return 0;
    uint32_t i = value - condition->first_arg;
    if (value < condition->first_arg || i >= condition->arg_count) {
        if (!fl_edit_number(e, value, &n)) return 0;
        *out = n.integer;
        return 1;
    }
    if (!fl_edit_number(e, loop->operands[i], &n)) return 0;
    *out = n.integer;
    if (!round) return 1;
    const fl_op *next = fl_edit_is(e, body->results[i], FL_OP_add);
    if (!next || next->operands[0] != body->first_arg + i || !fl_edit_number(e, next->operands[1], &step))
        return 0;
    int64_t far;
    return !__builtin_mul_overflow(step.integer, (int64_t)round, &far) &&
           !__builtin_add_overflow(*out, far, out) && *out >= 0 && *out <= INT32_MAX;
}

/* Whether round `round` is known to run: -1 if not known. */
static int runs(const fl_editor *e, const fl_op *loop, int round)
{
    const fl_block *condition = loop->regions[0];
    const fl_op *compare = fl_edit_is(e, condition->results[0], FL_OP_compare);
    int64_t a, b;
    if (fl_edit_is_number(e, condition->results[0], 0)) return 0;
    if (!compare || !value_before(e, loop, compare->operands[0], round, &a) ||
        !value_before(e, loop, compare->operands[1], round, &b))
        return -1;
    return holds(fl_op_int(compare, FL_ATTR_comparison_direction, FL_EQ), a, b);
}

static int has_effect(const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        if (fl_op_infos[op->code].traits & FL_TRAIT_S) return 1;
        for (uint32_t r = 0; r < op->region_count; r++)
            if (has_effect(op->regions[r])) return 1;
    }
    return 0;
}

/* ---- what a loop carries ---- */

/* Values that are needed: marks an operation's operands, and what its regions take from around them. */
static void need_op(uint8_t *needed, const fl_op *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++) needed[op->operands[i]] = 1;
    for (uint32_t r = 0; r < op->region_count; r++) {
        const fl_block *b = op->regions[r];
        for (uint32_t i = 0; i < b->op_count; i++) need_op(needed, b->ops[i]);
        for (uint32_t i = 0; i < b->result_count; i++) needed[b->results[i]] = 1;
    }
}

static void need_block(uint8_t *needed, const fl_block *block)
{
    for (uint32_t i = block->op_count; i-- > 0;) {
        const fl_op *op = block->ops[i];
        int wanted = fl_op_infos[op->code].traits & FL_TRAIT_S || op->code == FL_OP_while;
        for (uint32_t r = 0; r < op->region_count; r++) wanted |= has_effect(op->regions[r]);
        for (uint32_t k = 0; k < op->result_count; k++) wanted |= needed[op->first_result + k];
        if (wanted) need_op(needed, op);
    }
}

/* keep[i]: 0 is only carried for itself, 1 changes and is wanted, 2 stays as it is. */
static int choose(fl_editor *e, const fl_op *loop, uint8_t *keep)
{
    const fl_block *condition = loop->regions[0], *body = loop->regions[1];
    uint32_t n = loop->operand_count, before, now = 0;
    uint8_t *needed = FL_NEW_ARRAY(&e->scratch, uint8_t, e->b.program->def_count);
    if (!needed) return 0;
    needed[condition->results[0]] = 1;
    need_block(needed, condition);
    for (uint32_t i = 0; i < n; i++)
        keep[i] = needed[condition->first_arg + i] || e->uses[loop->first_result + i];
    do { /* what is wanted makes more wanted; at most as many rounds as values */
        before = now;
        now = 0;
        for (uint32_t i = 0; i < n; i++)
            if (keep[i]) needed[body->results[i]] = 1;
        need_block(needed, body);
        for (uint32_t i = 0; i < n; i++) {
            keep[i] |= needed[body->first_arg + i];
            now += keep[i];
        }
    } while (now != before);
    uint32_t changing = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (keep[i] && body->results[i] == body->first_arg + i) keep[i] = 2;
        changing += keep[i] == 1;
    }
    return changing < n;
}

/* The region again with the arguments that are kept; the others stand for what came in. */
static fl_block *narrow(fl_editor *e, const fl_op *loop, uint32_t region, const uint8_t *keep)
{
    fl_block *old = loop->regions[region];
    uint32_t n = loop->operand_count, count = 0;
    fl_type *types = FL_NEW_ARRAY(&e->scratch, fl_type, n + 1);
    fl_ref *results = FL_NEW_ARRAY(&e->scratch, fl_ref, n + 1);
    if (!types || !results) {
        fl_builder_fail(&e->b, fl_error(FL_OOM, "out of host memory"));
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        if (keep[i] == 1) types[count++] = *fl_edit_type(e, loop->operands[i]);
    fl_block *block = fl_region_begin(&e->b, types, count);
    if (!block) return NULL;
    count = 0;
    for (uint32_t i = 0; i < n; i++)
        fl_edit_replace(e, old->first_arg + i, keep[i] == 1 ? block->first_arg + count++ : loop->operands[i]);
    fl_ref *all;
    fl_status s = fl_edit_inline(e, old, NULL, &all);
    if (s) {
        fl_builder_fail(&e->b, s);
        return NULL;
    }
    fl_edit_resolve(e, block);
    count = 0;
    for (uint32_t i = 0; i < old->result_count; i++)
        if (region == 0 || keep[i] == 1) results[count++] = fl_edit_find(e, all[i]);
    fl_region_end(&e->b, block, results, count);
    return block;
}

static fl_status carry_less(fl_editor *e, const fl_op *loop, int *done)
{
    uint32_t n = loop->operand_count, count = 0;
    uint8_t *keep = FL_NEW_ARRAY(&e->scratch, uint8_t, n + 1);
    fl_ref *operands = FL_NEW_ARRAY(&e->scratch, fl_ref, n + 1);
    FL_CHECK(keep && operands, FL_OOM, "out of host memory");
    if (!choose(e, loop, keep)) return NULL;
    fl_block *regions[2];
    for (uint32_t r = 0; r < 2; r++) {
        regions[r] = narrow(e, loop, r, keep);
        if (!regions[r]) return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        if (keep[i] == 1) operands[count++] = loop->operands[i];
    fl_type *types = FL_NEW_ARRAY(&e->scratch, fl_type, count + 1);
    FL_CHECK(types, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < count; i++) types[i] = *fl_edit_type(e, operands[i]);
    fl_ref first = fl_build_typed(&e->b, FL_OP_while, operands, count, loop->attrs, loop->attr_count, regions,
                                  2, types, count);
    if (e->b.status) return NULL;
    count = 0;
    for (uint32_t i = 0; i < n; i++)
        fl_edit_replace(e, loop->first_result + i, keep[i] == 1 ? first + count++ : loop->operands[i]);
    *done = 1;
    return NULL;
}

/* ---- loops of few rounds ---- */

enum { MOST_ROUNDS = 8, MOST_UNROLLED = 1024 /* operations */ };

/* Whether all that it does can be one loop over elements: then rounds one after another become one, too. */
static int is_light(const fl_block *body)
{
    for (uint32_t i = 0; i < body->op_count; i++) {
        const fl_op *op = body->ops[i];
        if (op->region_count || op->result_count != 1 || fl_op_infos[op->code].traits & FL_TRAIT_S) return 0;
        if (fl_op_infos[op->code].traits & FL_TRAIT_E) continue;
        switch (op->code) {
        case FL_OP_constant:
        case FL_OP_iota:
        case FL_OP_slice:
        case FL_OP_reshape:
        case FL_OP_broadcast_in_dim:
        case FL_OP_transpose: break;
        default: return 0;
        }
    }
    return 1;
}

/* One more copy of the body; values[] goes from what a round gets to what it gives. */
static void copy_round(fl_editor *e, const fl_block *body, fl_ref *map, fl_ref *values)
{
    for (uint32_t i = 0; i < body->arg_count; i++) map[body->first_arg + i] = values[i];
    for (uint32_t i = 0; i < body->op_count && fl_ok(&e->b); i++) {
        const fl_op *op = body->ops[i];
        fl_ref operands[4];
        fl_type type = *fl_edit_type(e, op->first_result);
        for (uint32_t k = 0; k < op->operand_count; k++)
            operands[k] = map[op->operands[k]] ? map[op->operands[k]] : op->operands[k];
        map[op->first_result] = fl_build_typed(&e->b, (fl_opcode)op->code, operands, op->operand_count,
                                               op->attrs, op->attr_count, NULL, 0, &type, 1);
    }
    fl_ref few[MOST_CARRIED];
    for (uint32_t i = 0; i < body->result_count; i++)
        few[i] = map[body->results[i]] ? map[body->results[i]] : body->results[i];
    memcpy(values, few, body->result_count * sizeof *values);
}

static fl_status unroll(fl_editor *e, const fl_op *loop, int *done)
{
    const fl_block *body = loop->regions[1];
    int rounds = 0;
    while (rounds <= MOST_ROUNDS && runs(e, loop, rounds) == 1) rounds++;
    if (rounds < 2 || rounds > MOST_ROUNDS || runs(e, loop, rounds) != 0 ||
        loop->operand_count > MOST_CARRIED || body->op_count * (uint32_t)rounds > MOST_UNROLLED ||
        !is_light(body) || has_effect(loop->regions[0]))
        return NULL;
    fl_ref *map = FL_NEW_ARRAY(&e->scratch, fl_ref, e->b.program->def_count), values[MOST_CARRIED];
    FL_CHECK(map, FL_OOM, "out of host memory");
    memcpy(values, loop->operands, loop->operand_count * sizeof *values);
    for (int i = 0; i < rounds; i++) copy_round(e, body, map, values);
    *done = fl_ok(&e->b);
    return *done ? replace_all(e, loop, values) : NULL;
}

static fl_status loop(fl_editor *e, const fl_op *op, int *done)
{
    if (op->region_count != 2 || op->regions[0]->result_count != 1) return NULL;
    int first = runs(e, op, 0);
    if (!first && !has_effect(op->regions[0])) {
        *done = 1;
        return replace_all(e, op, op->operands);
    }
    if (first == 1 && runs(e, op, 1) == 0 && !has_effect(op->regions[0]))
        return take_region(e, op, 1, op->operands, done);
    FL_TRY(unroll(e, op, done));
    return *done ? NULL : carry_less(e, op, done);
}

static fl_status visit(fl_editor *e, fl_op *op, int *done)
{
    if (op->code == FL_OP_if || op->code == FL_OP_case) return branch(e, op, done);
    return op->code == FL_OP_while ? loop(e, op, done) : NULL;
}

fl_status fl_pass_branches(fl_editor *e)
{
    return fl_edit_walk(e, visit);
}
