/* Literals: the values of attributes that are kept as they are. */
#include "ir/ir.h"

#include <string.h>

static int double_equal(double a, double b)
{
    return !memcmp(&a, &b, sizeof a); /* NaN equals itself, -0 differs from 0 */
}

static int items_equal(const fl_literal *a, const fl_literal *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->kind == FL_LIT_ARRAY && !fl_literal_equal(&a->u.items[i], &b->u.items[i])) return 0;
        if (a->kind == FL_LIT_DICT && (strcmp(a->u.entries[i].name, b->u.entries[i].name) ||
                                       !fl_literal_equal(&a->u.entries[i].value, &b->u.entries[i].value)))
            return 0;
    }
    return 1;
}

/* A splat equals the same elements written out. */
static int dense_equal(const fl_literal *a, const fl_literal *b)
{
    if (!fl_type_equal(a->type, b->type)) return 0;
    if (a->count == b->count) return !memcmp(a->u.data, b->u.data, a->count);
    const fl_literal *one = a->count < b->count ? a : b, *all = one == a ? b : a;
    if (!one->count) return 0;
    for (uint32_t i = 0; i + one->count <= all->count; i += one->count)
        if (memcmp((const char *)all->u.data + i, one->u.data, one->count)) return 0;
    return 1;
}

int fl_literal_equal(const fl_literal *a, const fl_literal *b)
{
    if (a == b) return 1;
    if (!a || !b || a->kind != b->kind) return 0;
    if (a->kind == FL_LIT_DENSE) return dense_equal(a, b);
    int typed = a->kind == FL_LIT_INT || a->kind == FL_LIT_FLOAT || a->kind == FL_LIT_INTS;
    if ((typed && a->dtype != b->dtype) || a->count != b->count) return 0;
    switch ((fl_literal_kind)a->kind) {
    case FL_LIT_UNIT: return 1;
    case FL_LIT_BOOL:
    case FL_LIT_INT: return a->u.i == b->u.i;
    case FL_LIT_FLOAT: return double_equal(a->u.f, b->u.f);
    case FL_LIT_STRING:
    case FL_LIT_SYMBOL:
    case FL_LIT_OPAQUE: return !memcmp(a->u.string, b->u.string, a->count);
    case FL_LIT_TYPE: return fl_type_equal(a->type, b->type);
    case FL_LIT_INTS: return !a->count || !memcmp(a->u.ints, b->u.ints, a->count * sizeof *a->u.ints);
    case FL_LIT_ARRAY:
    case FL_LIT_DICT: return items_equal(a, b);
    case FL_LIT_DENSE: break;
    }
    return 0;
}

const fl_literal *fl_literal_get(const fl_literal *dict, const char *name)
{
    if (!dict || dict->kind != FL_LIT_DICT) return NULL;
    for (uint32_t i = 0; i < dict->count; i++)
        if (!strcmp(dict->u.entries[i].name, name)) return &dict->u.entries[i].value;
    return NULL;
}

static int keep(fl_arena *arena, fl_literal *l);

static int keep_items(fl_arena *arena, fl_literal *l)
{
    fl_literal *items = fl_arena_copy(arena, l->u.items, l->count * sizeof *items);
    for (uint32_t i = 0; items && i < l->count; i++)
        if (!keep(arena, &items[i])) return 0;
    l->u.items = items;
    return items != NULL;
}

static int keep_entries(fl_arena *arena, fl_literal *l)
{
    fl_entry *entries = fl_arena_copy(arena, l->u.entries, l->count * sizeof *entries);
    for (uint32_t i = 0; entries && i < l->count; i++)
        if (!(entries[i].name = fl_arena_strdup(arena, entries[i].name)) || !keep(arena, &entries[i].value))
            return 0;
    l->u.entries = entries;
    return entries != NULL;
}

static int keep_text(fl_arena *arena, fl_literal *l)
{
    char *text = fl_arena_alloc(arena, (size_t)l->count + 1);
    if (!text) return 0;
    if (l->count) memcpy(text, l->u.string, l->count);
    text[l->count] = 0;
    l->u.string = text;
    return 1;
}

/* Makes the literal, itself in its new place already, own what it points to. */
static int keep(fl_arena *arena, fl_literal *l)
{
    if (l->type) {
        fl_type *type = fl_arena_copy(arena, l->type, sizeof *type);
        if (!type || !fl_type_keep(arena, type)) return 0;
        l->type = type;
    }
    switch ((fl_literal_kind)l->kind) {
    case FL_LIT_STRING:
    case FL_LIT_SYMBOL:
    case FL_LIT_OPAQUE: return keep_text(arena, l);
    case FL_LIT_INTS:
        return (l->u.ints = fl_arena_copy(arena, l->u.ints, l->count * sizeof *l->u.ints)) != NULL;
    case FL_LIT_DENSE: return (l->u.data = fl_arena_copy(arena, l->u.data, l->count)) != NULL;
    case FL_LIT_ARRAY: return keep_items(arena, l);
    case FL_LIT_DICT: return keep_entries(arena, l);
    default: return 1;
    }
}

fl_literal *fl_literal_keep(fl_arena *arena, const fl_literal *literal)
{
    fl_literal *l = fl_arena_copy(arena, literal, sizeof *l);
    return l && keep(arena, l) ? l : NULL;
}
