/* Common subexpressions: of equal operations of equal operands in one block the first stays. */
#include "opt/optimize.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    uint64_t hash;
    const fl_op *op;
    const fl_block *block;
} entry;

typedef struct table {
    entry *entries;
    uint64_t places, count;
    fl_ref *map; /* while regions are compared: values in one -> in the other */
    uint32_t map_capacity;
} table;

enum { MOST_HASHED = 256 /* bytes of a payload */, MOST_REGION = 64 /* operations */ };

/* Effects happen each time; what a barrier gives is meant to be made anew; control flow is compared nowhere else either. */
static int is_shared(const fl_op *op)
{
    if (op->code == FL_OP_custom_call) return fl_is_check_index(op, &(fl_index_check){0});
    if (fl_op_infos[op->code].traits & FL_TRAIT_S || !op->result_count) return 0;
    switch (op->code) {
    case FL_OP_optimization_barrier:
    case FL_OP_while:
    case FL_OP_case:
    case FL_OP_if:
    case FL_OP_composite:
    case FL_OP_func_call:
    case FL_OP_create_token:
    case FL_OP_after_all: return 0;
    default: return 1;
    }
}

/* ---- hashing ---- */

static uint64_t hash_bytes(uint64_t h, const void *data, size_t bytes)
{
    const char *at = data;
    uint64_t word;
    if (bytes > MOST_HASHED) bytes = MOST_HASHED;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        memcpy(&word, at, 8);
        h = fl_hash_mix(h, word + 0x9E37);
    }
    word = 0;
    if (bytes) memcpy(&word, at, bytes);
    return fl_hash_mix(h, word + bytes);
}

static uint64_t hash_attr(uint64_t h, const fl_attr *a)
{
    h = fl_hash_mix(h, a->key + ((uint64_t)a->count << 16));
    switch (fl_attr_infos[a->key].form) {
    case FL_FORM_INTS: return hash_bytes(h, a->u.ints, a->count * sizeof(int64_t));
    case FL_FORM_STRING:
    case FL_FORM_SYMBOL: return hash_bytes(h, a->u.string, a->count);
    case FL_FORM_DENSE: return hash_bytes(h, a->u.dense, a->count);
    case FL_FORM_LITERAL: return h;
    default: return fl_hash_mix(h, (uint64_t)a->u.i);
    }
}

static int commutes(const fl_op *op)
{
    return op->operand_count == 2 && fl_op_infos[op->code].traits & FL_TRAIT_C;
}

static uint64_t hash_op(const fl_editor *e, const fl_op *op)
{
    uint64_t h = fl_hash_mix(0x243F6A88, op->code + ((uint64_t)op->operand_count << 16) +
                                             ((uint64_t)op->region_count << 32));
    const fl_type *type = fl_edit_type(e, op->first_result);
    if (commutes(op)) {
        h = fl_hash_mix(h, (uint64_t)op->operands[0] * op->operands[1] + op->operands[0] + op->operands[1]);
    } else {
        for (uint32_t i = 0; i < op->operand_count; i++) h = fl_hash_mix(h, op->operands[i] + 1u);
    }
    h = fl_hash_mix(h, type->dtype + ((uint64_t)type->rank << 8));
    h = hash_bytes(h, type->dims, type->rank * sizeof *type->dims);
    for (uint32_t i = 0; i < op->attr_count; i++) h = hash_attr(h, &op->attrs[i]);
    for (uint32_t i = 0; i < op->region_count; i++)
        for (uint32_t k = 0; k < op->regions[i]->op_count; k++)
            h = fl_hash_mix(h, op->regions[i]->ops[k]->code);
    return h;
}

/* ---- comparing ---- */

static int attrs_equal(const fl_attr *a, const fl_attr *b)
{
    if (a->key != b->key || a->count != b->count || a->columns != b->columns) return 0;
    switch (fl_attr_infos[a->key].form) {
    case FL_FORM_INTS:
        return a->u.ints == b->u.ints || !a->count ||
               !memcmp(a->u.ints, b->u.ints, a->count * sizeof(int64_t));
    case FL_FORM_STRING:
    case FL_FORM_SYMBOL:
    case FL_FORM_DENSE:
        return a->u.dense == b->u.dense || !a->count || !memcmp(a->u.dense, b->u.dense, a->count);
    case FL_FORM_LITERAL: return fl_literal_equal(a->u.literal, b->u.literal);
    default: return a->u.i == b->u.i;
    }
}

static fl_ref mapped(const table *t, fl_ref value)
{
    return value < t->map_capacity && t->map[value] ? t->map[value] : value;
}

static int same_operands(const table *t, const fl_op *a, const fl_op *b)
{
    int same = 1, crossed = commutes(a) && mapped(t, a->operands[0]) == b->operands[1] &&
                            mapped(t, a->operands[1]) == b->operands[0];
    for (uint32_t i = 0; i < a->operand_count; i++) same &= mapped(t, a->operands[i]) == b->operands[i];
    return same || crossed;
}

static int regions_equal(const fl_editor *e, table *t, const fl_block *a, const fl_block *b);

static int ops_equal(const fl_editor *e, table *t, const fl_op *a, const fl_op *b)
{
    if (a->code != b->code || a->operand_count != b->operand_count || a->result_count != b->result_count ||
        a->attr_count != b->attr_count || a->region_count != b->region_count || !same_operands(t, a, b))
        return 0;
    for (uint32_t i = 0; i < a->attr_count; i++)
        if (!attrs_equal(&a->attrs[i], &b->attrs[i])) return 0;
    if ((a->extra || b->extra) && !(a->extra && b->extra && fl_literal_equal(a->extra, b->extra))) return 0;
    for (uint32_t i = 0; i < a->result_count; i++)
        if (!fl_type_equal(fl_edit_type(e, a->first_result + i), fl_edit_type(e, b->first_result + i)))
            return 0;
    for (uint32_t i = 0; i < a->region_count; i++)
        if (!regions_equal(e, t, a->regions[i], b->regions[i])) return 0;
    return 1;
}

static void pair(table *t, fl_ref a, fl_ref b, uint32_t count, int on)
{
    for (uint32_t i = 0; i < count; i++) t->map[a + i] = on ? b + i : FL_NO_REF;
}

static int regions_equal(const fl_editor *e, table *t, const fl_block *a, const fl_block *b)
{
    uint32_t n = e->b.program->def_count, k = 0;
    if (a->arg_count != b->arg_count || a->op_count != b->op_count || a->result_count != b->result_count ||
        a->op_count > MOST_REGION)
        return 0;
    if (t->map_capacity < n) {
        free(t->map);
        t->map = calloc(n, sizeof *t->map);
        t->map_capacity = t->map ? n : 0;
        if (!t->map) return 0;
    }
    pair(t, a->first_arg, b->first_arg, a->arg_count, 1);
    int same = 1;
    for (; same && k < a->op_count; k++) {
        const fl_op *x = a->ops[k], *y = b->ops[k];
        same = !(fl_op_infos[x->code].traits & FL_TRAIT_S) && ops_equal(e, t, x, y);
        if (same) pair(t, x->first_result, y->first_result, x->result_count, 1);
    }
    for (uint32_t i = 0; same && i < a->result_count; i++) same = mapped(t, a->results[i]) == b->results[i];
    pair(t, a->first_arg, 0, a->arg_count, 0);
    while (k-- > 0) pair(t, a->ops[k]->first_result, 0, a->ops[k]->result_count, 0);
    return same;
}

/* ---- the table ---- */

static fl_status share(fl_editor *e, fl_op *op, int *done)
{
    table *t = e->user;
    if (!is_shared(op)) return NULL;
    uint64_t hash = hash_op(e, op) ^ (uint64_t)(uintptr_t)e->b.block;
    uint64_t place = hash & (t->places - 1);
    for (; t->entries[place].op; place = (place + 1) & (t->places - 1)) {
        const entry *old = &t->entries[place];
        if (old->hash != hash || old->block != e->b.block || !ops_equal(e, t, op, old->op)) continue;
        for (uint32_t i = 0; i < op->result_count; i++)
            fl_edit_replace(e, op->first_result + i, old->op->first_result + i);
        *done = 1;
        return NULL;
    }
    FL_CHECK(2 * ++t->count < t->places, FL_INTERNAL, "more operations than were counted");
    t->entries[place] = (entry){hash, op, e->b.block};
    return NULL;
}

static uint64_t count_ops(const fl_block *block)
{
    uint64_t n = block->op_count;
    for (uint32_t i = 0; i < block->op_count; i++)
        for (uint32_t r = 0; r < block->ops[i]->region_count; r++) n += count_ops(block->ops[i]->regions[r]);
    return n;
}

fl_status fl_pass_cse(fl_editor *e)
{
    table t = {.places = 16};
    for (uint64_t n = count_ops(e->b.program->main); t.places < 2 * n + 4;) t.places *= 2;
    t.entries = calloc(t.places, sizeof *t.entries);
    FL_CHECK(t.entries, FL_OOM, "out of host memory");
    e->user = &t;
    fl_status s = fl_edit_walk(e, share);
    e->user = NULL;
    free(t.entries);
    free(t.map);
    return s;
}
