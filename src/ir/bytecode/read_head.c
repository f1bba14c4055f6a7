/* What stands before the regions of an operation, and its attributes by name. */
#include "ir/bytecode/read_ops.h"
#include "ir/text/syntax.h"

#include <stdio.h>

enum {
    HAS_ATTRS = 1,
    HAS_RESULTS = 2,
    HAS_OPERANDS = 4,
    HAS_SUCCESSORS = 8,
    HAS_REGIONS = 16,
    HAS_USES = 32,
    HAS_PROPERTIES = 64
};

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

void fl_bc_skip_uses(fl_cursor *c, uint32_t values)
{
    uint64_t count = values == 1 ? 1 : fl_cursor_varint(c);
    for (uint64_t i = 0; i < count && !c->failed; i++) {
        if (values != 1) fl_cursor_varint(c);
        uint64_t n = fl_cursor_varint(c) >> 1;
        for (uint64_t k = 0; k < n && !c->failed; k++) fl_cursor_varint(c);
    }
}

fl_status fl_bc_value_type(fl_bc_reader *r, uint64_t index, fl_type *out)
{
    const fl_type *type;
    FL_TRY(fl_bc_type(r, index, 0, &type));
    FL_CHECK(type->kind < FL_TYPE_ELEMENT, FL_INVALID, "%s: expected the type of a value", FL_BC_PREFIX);
    FL_TRY(fl_bc_spend(r, r->types[index].weight * sizeof *type));
    *out = *type;
    return NULL;
}

static fl_status results(fl_bc_reader *r, fl_cursor *c, fl_bc_head *h)
{
    h->result_count = fl_cursor_count(c);
    h->result_types = FL_NEW_ARRAY(&r->arena, fl_type, h->result_count);
    if (!h->result_types) return no_memory();
    for (uint32_t i = 0; i < h->result_count; i++)
        FL_TRY(fl_bc_value_type(r, fl_cursor_varint(c), &h->result_types[i]));
    return NULL;
}

static fl_status operands(fl_bc_reader *r, fl_cursor *c, fl_bc_head *h)
{
    h->operand_count = fl_cursor_count(c);
    h->operands = FL_NEW_ARRAY(&r->arena, fl_ref, h->operand_count);
    if (!h->operands) return no_memory();
    for (uint32_t i = 0; i < h->operand_count; i++) {
        uint64_t id = fl_cursor_varint(c);
        int known = id < r->value_count - r->scope;
        h->operands[i] = known ? r->values[r->scope + id] : FL_NO_REF;
        FL_CHECK(h->operands[i] != FL_NO_REF, FL_INVALID, "%s: operand %u is used before it is defined",
                 h->name->name, i);
    }
    return NULL;
}

fl_status fl_bc_read_head(fl_bc_reader *r, fl_cursor *c, fl_bc_head *h)
{
    memset(h, 0, sizeof *h);
    uint64_t name = fl_cursor_varint(c);
    uint8_t mask = fl_cursor_byte(c);
    fl_cursor_varint(c); /* location */
    if (c->failed) return fl_bc_truncated("an operation");
    FL_CHECK(name < r->op_count, FL_INVALID, "%s: expected one of %u names of operations, got %llu",
             FL_BC_PREFIX, r->op_count, (unsigned long long)name);
    h->name = &r->ops[name];
    h->has_attrs = mask & HAS_ATTRS;
    h->has_properties = (mask & HAS_PROPERTIES) != 0;
    if (h->has_attrs) h->attrs = fl_cursor_varint(c);
    if (h->has_properties) h->properties = fl_cursor_varint(c);
    if (mask & HAS_RESULTS) FL_TRY(results(r, c, h));
    if (mask & HAS_OPERANDS) FL_TRY(operands(r, c, h));
    FL_CHECK(!(mask & HAS_SUCCESSORS), FL_UNSUPPORTED, "%s: expected no successors", h->name->name);
    if (mask & HAS_USES) fl_bc_skip_uses(c, h->result_count);
    if (mask & HAS_REGIONS) {
        uint64_t regions = fl_cursor_varint(c);
        h->is_isolated = regions & 1;
        h->region_count = (uint32_t)(regions >> 1);
        if (regions >> 1 > fl_cursor_left(c) || regions >> 1 > UINT16_MAX) return fl_bc_truncated("regions");
    }
    return c->failed ? fl_bc_truncated("an operation") : NULL;
}

/* ---- attributes ---- */

/* The pairs of a dictionary, undecoded. */
static fl_status pairs(const fl_bc_reader *r, const fl_bc_head *h, fl_cursor *out, uint32_t *out_count)
{
    *out_count = 0;
    if (!h->has_attrs) return NULL;
    const fl_bc_entry *e = h->attrs < r->attr_count ? &r->attrs[h->attrs] : NULL;
    if (e) *out = fl_cursor_make(e->data, e->size);
    FL_CHECK(e && e->custom && r->dialects[e->dialect] == FL_BC_BUILTIN &&
                 fl_cursor_varint(out) == FL_BA_DICT,
             FL_INVALID, "%s: expected a dictionary of attributes", h->name->name);
    *out_count = fl_cursor_count(out);
    return NULL;
}

static fl_status name_at(fl_bc_reader *r, uint64_t index, const char **out)
{
    const fl_bc_entry *e;
    FL_TRY(fl_bc_attr(r, index, 0, &e));
    const fl_literal *l = e->u.literal;
    FL_CHECK(l->kind == FL_LIT_STRING && strlen(l->u.string) == l->count, FL_INVALID,
             "%s: expected strings as names of attributes", FL_BC_PREFIX);
    *out = l->u.string;
    return NULL;
}

static fl_status from_dict(fl_bc_reader *r, const fl_bc_head *h, const char *const *names, uint32_t count,
                           uint64_t *out)
{
    fl_cursor c = fl_cursor_make((const uint8_t *)"", 0);
    uint32_t n;
    FL_TRY(pairs(r, h, &c, &n));
    for (uint32_t k = 0; k < count; k++) out[k] = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = "";
        FL_TRY(name_at(r, fl_cursor_varint(&c), &name));
        uint64_t value = fl_cursor_varint(&c);
        for (uint32_t k = 0; k < count; k++)
            if (!strcmp(names[k], name)) out[k] = value;
    }
    for (uint32_t k = 0; k < count; k++)
        FL_CHECK(out[k] != UINT64_MAX, FL_INVALID, "%s: expected the attribute %s", h->name->name, names[k]);
    return NULL;
}

fl_status fl_bc_named(fl_bc_reader *r, const fl_bc_head *h, const char *const *names, uint32_t count,
                      uint64_t *out)
{
    /* an operation without properties has its attributes in the dictionary, whatever the format */
    if (r->format < 5 || !h->has_properties) return count ? from_dict(r, h, names, count, out) : NULL;
    FL_CHECK(h->properties < r->property_count, FL_INVALID, "%s: expected one of %u properties",
             h->name->name, r->property_count);
    fl_bc_string blob = r->properties[h->properties];
    fl_cursor c = fl_cursor_make((const uint8_t *)blob.text, blob.length);
    for (uint32_t k = 0; k < count; k++) out[k] = fl_cursor_varint(&c);
    FL_CHECK(!c.failed && !fl_cursor_left(&c), FL_INVALID, "%s: expected properties of %u attributes",
             h->name->name, count);
    return NULL;
}

/* What we keep without knowing it: enumerations of StableHLO become their text. The literal is a copy of our own. */
static fl_status spell(fl_arena *arena, fl_literal *l)
{
    const fl_vhlo_enum *e = l->dtype ? NULL : fl_vhlo_enum_coded((fl_vhlo_attr_code)l->count);
    const char *type = e ? fl_enum_type((fl_attr_key)e->key) : NULL;
    const char *name = type ? fl_enum_name((fl_attr_key)e->key, l->u.i - e->offset) : NULL;
    char text[80];
    if (l->dtype) return NULL;
    FL_CHECK(name, FL_UNSUPPORTED, "an enumeration of StableHLO out of its place");
    int length = snprintf(text, sizeof text, "#stablehlo<%s %s>", type, name);
    *l = (fl_literal){
        .kind = FL_LIT_OPAQUE, .count = (uint32_t)length, .u.string = fl_arena_strdup(arena, text)};
    return l->u.string ? NULL : no_memory();
}

static fl_status spell_all(fl_arena *arena, fl_literal *l)
{
    if (l->kind == FL_LIT_INT) return spell(arena, l);
    fl_literal *items = (fl_literal *)l->u.items; /* ours, though literals see them as constant */
    fl_entry *entries = (fl_entry *)l->u.entries;
    for (uint32_t i = 0; l->kind == FL_LIT_ARRAY && i < l->count; i++) FL_TRY(spell_all(arena, &items[i]));
    uint32_t kept = 0;
    for (uint32_t i = 0; l->kind == FL_LIT_DICT && i < l->count; i++) {
        fl_literal *value = &entries[i].value;
        if (value->kind == FL_LIT_OPAQUE && !value->count)
            continue; /* a hint of a partitioner, which has no text */
        FL_TRY(spell_all(arena, value));
        entries[kept++] = entries[i];
    }
    if (l->kind == FL_LIT_DICT) l->count = kept;
    return NULL;
}

fl_status fl_bc_kept(fl_bc_reader *r, const fl_literal *l, const fl_literal **out)
{
    fl_arena *arena = &r->builder.program->arena;
    fl_literal *copy = fl_literal_keep(arena, l);
    if (!copy) return no_memory();
    *out = copy;
    return spell_all(arena, copy);
}

static int is_one_of(const char *name, const char *const *names, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (!strcmp(names[k], name)) return 1;
    return 0;
}

fl_status fl_bc_others(fl_bc_reader *r, const fl_bc_head *h, const char *const *names, uint32_t count,
                       const fl_literal **out)
{
    *out = NULL;
    if (!h->has_attrs) return NULL;
    const fl_bc_entry *e;
    FL_TRY(fl_bc_attr(r, h->attrs, 0, &e));
    FL_TRY(fl_bc_spend(r, e->weight * sizeof(fl_literal)));
    const fl_literal *dict = e->u.literal;
    FL_CHECK(dict->kind == FL_LIT_DICT, FL_INVALID, "%s: expected a dictionary of attributes", h->name->name);
    fl_entry *kept = FL_NEW_ARRAY(&r->arena, fl_entry, dict->count);
    fl_literal *l = FL_NEW(&r->arena, fl_literal);
    if (!kept || !l) return no_memory();
    uint32_t n = 0;
    for (uint32_t i = 0; i < dict->count; i++) {
        const fl_entry *entry = &dict->u.entries[i];
        if (!is_one_of(entry->name, names, count)) kept[n++] = *entry;
    }
    if (!n) return NULL;
    *l = (fl_literal){.kind = FL_LIT_DICT, .count = n, .u.entries = kept};
    FL_TRY(fl_bc_kept(r, l, out));
    if (!(*out)->count) *out = NULL;
    return NULL;
}
