/* The order of uses, which MLIR keeps where it is not the natural one (the last use first).
 *
 * StableHLO's serializer replaces operations by those of an older version one after another, and that is what brings uses out
 * of order: a replaced operation is made anew, so its uses come first; and when the results of a replaced operation are
 * replaced, the order of their uses turns around. An artifact without this would mean the same. */
#include "ir/bytecode/writer.h"

#include <stdlib.h>
#include <string.h>

static void count_region(fl_bw_writer *w, const fl_bw_region *r)
{
    for (uint32_t i = 0; i < r->op_count; i++) {
        const fl_bw_op *op = &r->ops[i];
        w->has_replaced |= op->is_replaced;
        for (uint32_t k = 0; k < op->operand_count; k++) w->use_ends[op->operands[k]]++;
        for (uint32_t k = 0; k < op->region_count; k++) count_region(w, &op->regions[k]);
    }
}

/* Operations are numbered as they stand, those inside of others after these. */
static void add_region(fl_bw_writer *w, const fl_bw_region *r, uint64_t *next_op)
{
    for (uint32_t i = 0; i < r->op_count; i++) {
        const fl_bw_op *op = &r->ops[i];
        uint64_t id = (*next_op)++;
        for (uint32_t k = 0; k < op->operand_count; k++)
            w->uses[w->use_ends[op->operands[k]]++] = (fl_bw_use){id << 32 | k, op->is_replaced};
        for (uint32_t k = 0; k < op->result_count; k++) w->turned[op->first_result + k] = op->is_replaced;
        for (uint32_t k = 0; k < op->region_count; k++) add_region(w, &op->regions[k], next_op);
    }
}

void fl_bw_find_uses(fl_bw_writer *w, const fl_bw_op *module)
{
    uint32_t values = w->value_count, total = 0;
    uint64_t next_op = 1; /* the module is the first */
    if (w->format < 3) return;
    w->use_ends = fl_bw_alloc(w, values, sizeof *w->use_ends);
    w->turned = fl_bw_alloc(w, values, sizeof *w->turned);
    if (w->status) return;
    count_region(w, &module->regions[0]);
    if (!w->has_replaced) return;
    for (uint32_t r = 0; r < values;
         r++) { /* from numbers to where each value's begin; they end where the next begin */
        uint32_t n = w->use_ends[r];
        w->use_ends[r] = total;
        total += n;
    }
    w->uses = fl_bw_alloc(w, total, sizeof *w->uses);
    if (w->uses) add_region(w, &module->regions[0], &next_op);
}

/* Where the uses of a value stand in its list, the last use first; NULL when they are in order. The caller frees it. */
static uint32_t *places(fl_bw_writer *w, const fl_bw_use *uses, uint32_t count, int turned)
{
    uint32_t replaced = 0, seen = 0;
    int ordered = 1;
    for (uint32_t i = 0; i < count; i++) replaced += uses[i].is_replaced;
    uint32_t *out = malloc(count * sizeof *out);
    if (!out) {
        fl_bw_fail(w, fl_error(FL_OOM, "out of host memory"));
        return NULL;
    }
    for (uint32_t k = 0; k < count; k++) { /* replaced ones first, each kind from the last to the first */
        const fl_bw_use *use = &uses[count - 1 - k];
        uint32_t place = use->is_replaced ? seen : replaced + k - seen;
        seen += use->is_replaced;
        out[k] = turned ? count - 1 - place : place;
        ordered &= out[k] == k;
    }
    if (!ordered) return out;
    free(out);
    return NULL;
}

/* All places, or those that moved with where they moved to, whichever is shorter. */
static void put_places(fl_text *t, const uint32_t *order, uint32_t count)
{
    uint32_t moved = 0;
    for (uint32_t k = 0; k < count; k++) moved += order[k] != k;
    int pairs = moved < count / 2;
    fl_bw_put_varint(t, (uint64_t)(pairs ? 2 * moved : count) << 1 | pairs);
    for (uint32_t k = 0; k < count; k++) {
        if (pairs && order[k] == k) continue;
        fl_bw_put_varint(t, order[k]);
        if (pairs) fl_bw_put_varint(t, k);
    }
}

int fl_bw_put_uses(fl_bw_writer *w, fl_text *t, fl_ref first, uint32_t count)
{
    uint32_t found = 0;
    fl_text list = {0};
    if (!w->has_replaced) return 0;
    for (uint32_t i = 0; i < count && !w->status; i++) {
        fl_ref r = first + i;
        uint32_t from = w->use_ends[r - 1], n = w->use_ends[r] - from;
        uint32_t *order = n > 1 ? places(w, w->uses + from, n, w->turned[r]) : NULL;
        if (!order) continue;
        found++;
        if (count != 1) fl_bw_put_varint(&list, i);
        put_places(&list, order, n);
        free(order);
    }
    if (found && count != 1) fl_bw_put_varint(t, found);
    if (found) fl_text_append(t, list.data, list.length);
    t->failed |= list.failed;
    fl_text_free(&list);
    return found != 0;
}
