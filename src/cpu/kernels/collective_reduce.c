/* Reductions over members: a tile of each operand in turn is combined in the cache, and copied to where it is wanted. */
#include "cpu/kernels/collective.h"

#include "base/pool.h"
#include "cpu/loop/loop.h"
#include "ref/reference.h"

#include <stdlib.h>
#include <string.h>

#define GRAIN (1 << 16) /* elements that are worth a thread */

void fl_reducer_find(fl_reducer *out, const fl_program *program, const fl_op *op, uint32_t k)
{
    const fl_type *type = fl_type_of(program, op->operands[k]);
    fl_dtype stored = (fl_dtype)type->dtype, wide = fl_loop_dtype(stored);
    fl_opcode code = op->region_count ? fl_region_monoid(program, op->regions[0]) : FL_OP_add;
    *out = (fl_reducer){.size = (uint8_t)fl_dtype_bytes(stored), .wide = (uint8_t)fl_dtype_bytes(wide)};
    const fl_type *to = fl_type_of(program, op->first_result + k);
    if (type->more || to->more || to->dtype != type->dtype || code == FL_OP_NONE ||
        !(fl_op_infos[code].traits & FL_TRAIT_C) || !fl_loop_has(code, stored, stored))
        return;
    if (wide != stored) {
        out->widen = fl_vec_find_moves()->convert[stored][wide];
        out->narrow = fl_vec_find_moves()->convert[wide][stored];
        if (!out->widen || !out->narrow) return;
    }
    out->combine = fl_vec_find(code, wide).vv;
}

typedef struct span {
    const fl_reducer *r;
    const char *const *from;
    char *const *to;
    uint32_t count, to_count;
} span;

/* One tile: wide elements are summed without rounding between. */
static void reduce_tile(const span *s, int64_t at, int64_t n)
{
    _Alignas(64) char sum[FL_REDUCE_TILE * 16], next[FL_REDUCE_TILE * 16];
    const fl_reducer *r = s->r;
    size_t offset = (size_t)at * r->size, bytes = (size_t)n * r->size;
    const void *result = s->from[0] + offset;
    if (r->widen) {
        r->widen(sum, result, result, result, n);
        result = sum;
    }
    for (uint32_t m = 1; m < s->count; m++) {
        const void *x = s->from[m] + offset;
        if (r->widen) {
            r->widen(next, x, x, x, n);
            x = next;
        }
        r->combine(sum, result, x, x, n);
        result = sum;
    }
    if (r->narrow) {
        r->narrow(next, result, result, result, n);
        result = next;
    }
    for (uint32_t k = 0; k < s->to_count; k++) memcpy(s->to[k] + offset, result, bytes);
}

static void reduce_piece(void *ctx, int64_t begin, int64_t end)
{
    for (int64_t at = begin; at < end; at += FL_REDUCE_TILE)
        reduce_tile(ctx, at, end - at < FL_REDUCE_TILE ? end - at : FL_REDUCE_TILE);
}

fl_status fl_reduce_span(const fl_collective *c, uint32_t k, const char *const *from, uint32_t count,
                         char *const *to, uint32_t to_count, int64_t n)
{
    const fl_reducer *r = &c->reducers[k];
    if (n <= 0) return NULL;
    if (r->combine) {
        span s = {r, from, to, count, to_count};
        fl_parallel_for(n, GRAIN, reduce_piece, &s);
        return NULL;
    }
    if (!c->op->region_count)
        return fl_error(FL_UNSUPPORTED, "%s: no sum of this type", fl_op_infos[c->op->code].name);
    FL_TRY(fl_reference_fold(c->program, c->op, k, (const void *const *)from, count, n, to[0]));
    for (uint32_t i = 1; i < to_count; i++) memcpy(to[i], to[0], (size_t)n * r->size);
    return NULL;
}
