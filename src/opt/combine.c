/* One all_reduce for several, of values that do not depend on one another: a collective costs every participant a meeting, however
 * little it moves, and the gradients of a model are many.
 *
 * First the operations of a block are put in an order where such all_reduces stand together: they move to the place of the last
 * of them, and what uses them, but for what has effects, moves behind. Then each such group becomes one operation. */
#include "base/switches.h"
#include "ir/build_internal.h"
#include "ir/defaults.h"
#include "opt/rewrite.h"
#include "opt/sharding.h"

#include <stdlib.h>
#include <string.h>

/* Of large arrays it is the moving that takes time; and all of a group live until they are used. */
enum { MOST_BYTES = 1 << 20, MOST_TOGETHER = 64 };

typedef struct group {
    fl_op *ops[MOST_TOGETHER];
    uint32_t count;
} group;

typedef struct combiner {
    fl_program *program;
    fl_arena scratch;
    const group **of; /* by value: the group of the all_reduce that makes it */
    uint32_t *after;  /* by value: the number of the group, from one of whose members it comes */
    uint32_t groups;
} combiner;

/* ---- what can be combined ---- */

/* The operation by which one array is reduced; FL_OP_NONE: it is no such all_reduce. */
static fl_opcode reduces_by(const fl_program *p, const fl_op *op)
{
    if (op->code != FL_OP_all_reduce || op->operand_count != 1 || op->extra) return FL_OP_NONE;
    const fl_block *body = op->regions[0];
    const fl_op *by = body->op_count == 1 ? body->ops[0] : NULL;
    const fl_type *type = fl_type_of(p, op->first_result), *scalar = fl_type_of(p, body->first_arg);
    if (!by || !(fl_op_infos[by->code].traits & FL_TRAIT_C) || by->operand_count != 2 || by->attr_count ||
        by->extra)
        return FL_OP_NONE;
    if (by->operands[0] == by->operands[1] || by->operands[0] - body->first_arg > 1 ||
        by->operands[1] - body->first_arg > 1 || body->results[0] != by->first_result)
        return FL_OP_NONE;
    return fl_type_is_plain(type) && scalar->dtype == type->dtype && fl_type_bytes(type) <= MOST_BYTES
               ? (fl_opcode)by->code
               : FL_OP_NONE;
}

static int64_t channel(const fl_op *op)
{
    const fl_attr *a = fl_op_attr(op, FL_ATTR_channel_id);
    return a ? a->u.i : 0;
}

/* Along the same groups, by the same operation, of one element type. */
static int are_alike(const fl_program *p, const fl_op *a, const fl_op *b)
{
    if (reduces_by(p, a) != reduces_by(p, b) || (channel(a) > 0) != (channel(b) > 0) ||
        a->attr_count != b->attr_count ||
        fl_type_of(p, a->first_result)->dtype != fl_type_of(p, b->first_result)->dtype)
        return 0;
    for (uint32_t i = 0; i < a->attr_count; i++) {
        const fl_attr *other = fl_op_attr(b, (fl_attr_key)a->attrs[i].key);
        if (!other || (other->key != FL_ATTR_channel_id && !fl_attr_equal(a, &a->attrs[i], other))) return 0;
    }
    return 1;
}

/* ---- what comes after ---- */

static int comes_after(const combiner *c, const fl_op *op);

static int block_comes_after(const combiner *c, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++)
        if (comes_after(c, block->ops[i])) return 1;
    for (uint32_t i = 0; i < block->result_count; i++)
        if (c->after[block->results[i]] == c->groups) return 1;
    return 0;
}

static int comes_after(const combiner *c, const fl_op *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (c->after[op->operands[i]] == c->groups) return 1;
    for (uint32_t i = 0; i < op->region_count; i++)
        if (block_comes_after(c, op->regions[i])) return 1;
    return 0;
}

static int has_effects(const fl_op *op)
{
    if (fl_op_infos[op->code].traits & FL_TRAIT_S) return 1;
    for (uint32_t i = 0; i < op->region_count; i++)
        for (uint32_t k = 0; k < op->regions[i]->op_count; k++)
            if (has_effects(op->regions[i]->ops[k])) return 1;
    return 0;
}

static void mark(combiner *c, const fl_op *op)
{
    for (uint32_t i = 0; i < op->result_count; i++) c->after[op->first_result + i] = c->groups;
}

/* ---- one group ---- */

enum { STAYS, MEMBER, MOVES };

/* Fills in what becomes of the operations from `first` on, and where the last member is. */
static void gather(combiner *c, const fl_block *block, uint32_t first, group *g, uint8_t *fate,
                   uint32_t *last)
{
    for (uint32_t i = first; i < block->op_count && g->count < MOST_TOGETHER; i++) {
        fl_op *op = block->ops[i];
        int after = i > first && comes_after(c, op);
        if (after && has_effects(op)) return;
        int member = !after && reduces_by(c->program, op) &&
                     (i == first || are_alike(c->program, block->ops[first], op));
        fate[i - first] = member ? MEMBER : after ? MOVES : STAYS;
        if (after || member) mark(c, op);
        if (!member) continue;
        g->ops[g->count++] = op;
        *last = i;
    }
}

static void put(const fl_block *block, uint32_t first, uint32_t last, const uint8_t *fate, int which,
                fl_op **order, uint32_t *count)
{
    for (uint32_t i = first; i <= last; i++)
        if (fate[i - first] == which) order[(*count)++] = block->ops[i];
}

static fl_status combine_from(combiner *c, fl_block *block, uint32_t first, int *done)
{
    uint32_t n = block->op_count - first, last = first, count = 0;
    uint8_t *fate = FL_NEW_ARRAY(&c->scratch, uint8_t, n);
    group *g = FL_NEW(&c->scratch, group);
    FL_CHECK(fate && g, FL_OOM, "out of host memory");
    c->groups++;
    gather(c, block, first, g, fate, &last);
    *done = g->count > 1;
    if (!*done) return NULL;
    fl_op **order = FL_NEW_ARRAY(&c->scratch, fl_op *, last - first + 1);
    FL_CHECK(order, FL_OOM, "out of host memory");
    for (int which = STAYS; which <= MOVES; which++) put(block, first, last, fate, which, order, &count);
    memcpy(block->ops + first, order, count * sizeof *order);
    for (uint32_t i = 0; i < g->count; i++) c->of[g->ops[i]->first_result] = g;
    return NULL;
}

static fl_status combine_block(combiner *c, fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++)
        for (uint32_t k = 0; k < block->ops[i]->region_count; k++)
            FL_TRY(combine_block(c, block->ops[i]->regions[k]));
    for (uint32_t i = 0; i < block->op_count;) {
        const fl_op *op = block->ops[i];
        int moved = 0;
        if (reduces_by(c->program, op) && !c->of[op->first_result]) FL_TRY(combine_from(c, block, i, &moved));
        if (!moved) i++; /* else another operation stands there now */
    }
    return NULL;
}

/* ---- one operation for a group ---- */

static fl_status rewrite(fl_rewriter *w, const fl_op *op, const fl_ref *operands, int *done)
{
    const combiner *c = w->user;
    const group *g = op->result_count ? c->of[op->first_result] : NULL;
    (void)operands;
    *done = g != NULL;
    if (!g || op != g->ops[0]) return NULL; /* it has been made with the first */
    fl_ref refs[MOST_TOGETHER];
    fl_type *types = FL_NEW_ARRAY(&w->scratch, fl_type, g->count);
    FL_CHECK(types, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < g->count; i++) {
        refs[i] = w->map[g->ops[i]->operands[0]];
        types[i] = *fl_type_of(w->from, g->ops[i]->first_result);
    }
    fl_block *region = fl_scalar_region(&w->b, reduces_by(w->from, op), (fl_dtype)types[0].dtype);
    fl_ref first = fl_build_typed(&w->b, FL_OP_all_reduce, refs, g->count, op->attrs, op->attr_count, &region,
                                  1, types, g->count);
    for (uint32_t i = 0; !w->b.status && i < g->count; i++)
        fl_rewriter_map(w, g->ops[i]->first_result, first + i);
    return NULL;
}

fl_status fl_program_combine(fl_program **program)
{
    fl_program *from = *program, *to = NULL;
    if (fl_is_disabled("combine")) return NULL;
    combiner c = {.program = from,
                  .of = calloc(from->def_count + 1u, sizeof *c.of),
                  .after = calloc(from->def_count + 1u, sizeof *c.after)};
    fl_status status = c.of && c.after ? NULL : fl_error(FL_OOM, "out of host memory");
    for (uint32_t i = 0; !status && i < from->func_count; i++)
        status = combine_block(&c, from->funcs[i]->body);
    int any = 0;
    for (uint32_t i = 0; !status && i < from->def_count; i++) any |= c.of[i] != NULL;
    if (any) {
        fl_rewriter w = {.rewrite = rewrite, .user = &c};
        status = fl_rewrite(&w, from, &to);
    }
    fl_arena_free(&c.scratch);
    free(c.of);
    free(c.after);
    if (!to) return status;
    fl_program_destroy(from);
    *program = to;
    return status;
}
