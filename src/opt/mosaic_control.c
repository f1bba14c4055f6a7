/* Branches and loops of Mosaic: memory that they write is handed on as values. */
#include "opt/mosaic.h"

enum { MOST_OPS = 1 << 17 };

typedef struct carried {
    uint32_t count;
    uint32_t memories[FL_MOST_CARRIED]; /* values of the module */
} carried;

/* ---- regions ---- */

static fl_status find_stores(const fl_mosaic_block *block, carried *out)
{
    for (const fl_mosaic_op *op = block->first; op; op = op->next) {
        for (uint32_t i = 0; i < op->region_count; i++) FL_TRY(find_stores(&op->regions[i], out));
        int stores = fl_text_is(op->name, "vector.store") || fl_text_is(op->name, "memref.store");
        if (!stores || op->operand_count < 2) continue;
        uint32_t i = 0;
        while (i < out->count && out->memories[i] != op->operands[1]) i++;
        FL_CHECK(i < FL_MOST_CARRIED, FL_UNSUPPORTED, "expected at most %d memories", FL_MOST_CARRIED);
        if (i == out->count) out->memories[out->count++] = op->operands[1];
    }
    return NULL;
}

/* What a block hands over at its end, and what is in the memories then. */
static fl_status end_region(fl_kernel *k, fl_block *region, const fl_mosaic_op *end, uint32_t wanted,
                            const carried *memories, fl_ref *results)
{
    uint32_t given = end ? end->operand_count : 0, n = 0;
    FL_CHECK(given == wanted, FL_INVALID, "expected a region that yields %u values, got %u", wanted, given);
    for (uint32_t i = 0; i < given; i++) results[n++] = k->values[end->operands[i]];
    for (uint32_t i = 0; i < memories->count; i++) results[n++] = k->values[memories->memories[i]];
    fl_region_end(k->b, region, results, n);
    return NULL;
}

/* The branch is known, and so it stands where the operation stood. */
static fl_status take_branch(fl_kernel *k, const fl_mosaic_op *op, uint32_t which)
{
    const fl_mosaic_op *end = NULL;
    if (which < op->region_count) FL_TRY(fl_mosaic_block_build(k, &op->regions[which], &end));
    FL_CHECK((end ? end->operand_count : 0) == op->result_count, FL_INVALID,
             "expected a region that yields %u values", op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++)
        k->values[op->first_result + i] = k->values[end->operands[i]];
    return NULL;
}

static fl_status build_if(fl_kernel *k, const fl_mosaic_op *op)
{
    carried memories = {0};
    fl_ref before[FL_MOST_CARRIED], results[FL_MOST_CARRIED + 64];
    fl_block *regions[2];
    static const fl_mosaic_block nothing;
    FL_CHECK(op->operand_count == 1 && op->region_count && op->region_count <= 2, FL_INVALID,
             "scf.if: expected a condition and two regions");
    const void *known = fl_kernel_constant(k, k->values[op->operands[0]]);
    if (known) return take_branch(k, op, *(const uint8_t *)known ? 0 : 1);
    for (uint32_t i = 0; i < op->region_count; i++) FL_TRY(find_stores(&op->regions[i], &memories));
    for (uint32_t i = 0; i < memories.count; i++) before[i] = k->values[memories.memories[i]];
    if (!memories.count && !op->result_count) return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const fl_mosaic_op *end;
        regions[i] = fl_region_begin(k->b, NULL, 0);
        FL_TRY(fl_mosaic_block_build(k, i < op->region_count ? &op->regions[i] : &nothing, &end));
        FL_TRY(end_region(k, regions[i], end, op->result_count, &memories, results));
        for (uint32_t m = 0; m < memories.count; m++) k->values[memories.memories[m]] = before[m];
    }
    fl_ref first = fl_build(k->b, FL_OP_if, &k->values[op->operands[0]], 1, NULL, 0, regions, 2);
    if (!fl_ok(k->b)) return NULL;
    for (uint32_t i = 0; i < op->result_count; i++) k->values[op->first_result + i] = first++;
    for (uint32_t m = 0; m < memories.count; m++) k->values[memories.memories[m]] = first++;
    return NULL;
}

fl_status fl_kernel_loop(fl_kernel *k, const fl_ref bounds[3], fl_ref *values, uint32_t count,
                         fl_loop_body *body, void *user)
{
    fl_ref all[FL_MOST_CARRIED + 64] = {bounds[0]};
    fl_type types[FL_MOST_CARRIED + 64];
    fl_block *regions[2];
    FL_CHECK(count < FL_MOST_CARRIED + 63, FL_UNSUPPORTED, "expected at most %d values in a loop",
             FL_MOST_CARRIED);
    for (uint32_t i = 0; i < count; i++) all[i + 1] = values[i];
    for (uint32_t i = 0; i <= count; i++) types[i] = *fl_typeof(k->b, all[i]);
    regions[0] = fl_region_begin(k->b, types, count + 1);
    fl_ref goes_on = fl_compare(k->b, FL_LT, fl_block_arg(regions[0], 0), bounds[1]);
    fl_region_end(k->b, regions[0], &goes_on, 1);
    regions[1] = fl_region_begin(k->b, types, count + 1);
    fl_ref counter = fl_block_arg(regions[1], 0), results[FL_MOST_CARRIED + 64];
    for (uint32_t i = 0; i < count; i++) results[i + 1] = fl_block_arg(regions[1], i + 1);
    if (!fl_ok(k->b)) return NULL;
    FL_TRY(body(k, user, counter, results + 1));
    results[0] = fl_add(k->b, counter, bounds[2]);
    fl_region_end(k->b, regions[1], results, count + 1);
    fl_ref first = fl_build(k->b, FL_OP_while, all, count + 1, NULL, 0, regions, 2);
    for (uint32_t i = 0; i < count && fl_ok(k->b); i++) values[i] = first + 1 + i;
    return NULL;
}

typedef struct for_loop {
    const fl_mosaic_op *op;
    carried memories;
} for_loop;

static fl_status for_body(fl_kernel *k, void *user, fl_ref counter, fl_ref *values)
{
    const for_loop *loop = user;
    const fl_mosaic_block *block = &loop->op->regions[0];
    const fl_mosaic_op *end;
    uint32_t n = loop->op->result_count;
    k->values[block->first_arg] = counter;
    for (uint32_t i = 0; i < n; i++) k->values[block->first_arg + 1 + i] = values[i];
    for (uint32_t i = 0; i < loop->memories.count; i++) k->values[loop->memories.memories[i]] = values[n + i];
    FL_TRY(fl_mosaic_block_build(k, block, &end));
    FL_CHECK((end ? end->operand_count : 0) == n, FL_INVALID, "expected a region that yields %u values", n);
    for (uint32_t i = 0; i < n; i++) values[i] = k->values[end->operands[i]];
    for (uint32_t i = 0; i < loop->memories.count; i++) values[n + i] = k->values[loop->memories.memories[i]];
    return NULL;
}

static fl_status build_for(fl_kernel *k, const fl_mosaic_op *op)
{
    for_loop loop = {.op = op};
    fl_ref values[FL_MOST_CARRIED + 64], bounds[3];
    uint32_t n = op->result_count;
    FL_CHECK(op->region_count == 1 && op->operand_count == n + 3 && op->regions[0].arg_count == n + 1,
             FL_INVALID, "scf.for: expected three bounds, and a region of as many values as results");
    FL_TRY(find_stores(&op->regions[0], &loop.memories));
    for (uint32_t i = 0; i < 3; i++) bounds[i] = k->values[op->operands[i]];
    for (uint32_t i = 0; i < n; i++) values[i] = k->values[op->operands[3 + i]];
    for (uint32_t i = 0; i < loop.memories.count; i++) values[n + i] = k->values[loop.memories.memories[i]];
    FL_TRY(fl_kernel_loop(k, bounds, values, n + loop.memories.count, for_body, &loop));
    for (uint32_t i = 0; i < n; i++) k->values[op->first_result + i] = values[i];
    for (uint32_t i = 0; i < loop.memories.count; i++) k->values[loop.memories.memories[i]] = values[n + i];
    return NULL;
}

fl_status fl_mosaic_block_build(fl_kernel *k, const fl_mosaic_block *block, const fl_mosaic_op **out_end)
{
    *out_end = NULL;
    for (const fl_mosaic_op *op = block->first; op && fl_ok(k->b); op = op->next) {
        FL_CHECK(++k->op_count <= MOST_OPS, FL_UNSUPPORTED, "expected at most %d operations", MOST_OPS);
        if (fl_text_is(op->name, "scf.yield") || fl_text_is(op->name, "func.return"))
            *out_end = op;
        else if (fl_text_is(op->name, "scf.if"))
            FL_TRY(build_if(k, op));
        else if (fl_text_is(op->name, "scf.for"))
            FL_TRY(build_for(k, op));
        else
            FL_TRY(fl_mosaic_op_build(k, op));
    }
    return NULL;
}
