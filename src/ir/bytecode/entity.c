/* Attributes and types as recipes, equal ones once. */
#include "base/hash.h"
#include "ir/bytecode/writer.h"

#include <stdio.h>
#include <string.h>

void fl_bw_fail(fl_bw_writer *w, fl_status status)
{
    if (w->status)
        fl_status_free(status);
    else
        w->status = status;
}

void *fl_bw_alloc(fl_bw_writer *w, size_t count, size_t size)
{
    void *p = w->status ? NULL : fl_arena_zalloc(&w->arena, count, size);
    if (!p && !w->status) w->status = fl_error(FL_OOM, "out of host memory");
    return p;
}

void fl_bw_need(fl_bw_writer *w, unsigned first, const char *what, const char *name)
{
    if (w->version >= first || w->needed >= first) return;
    w->needed = first;
    snprintf(w->needs, sizeof w->needs, "%s%s%.40s", what, *name ? " " : "", name);
}

void fl_bw_refuse(fl_bw_writer *w)
{
    if (w->needed <= w->version) return;
    fl_bw_fail(w, fl_error(FL_UNSUPPORTED, "%s needs StableHLO %u.%u.0", w->needs, w->needed / 100,
                           w->needed % 100));
}

/* ---- recipes ---- */

static void put(fl_bw_writer *w, fl_bw_tag tag, uint64_t value)
{
    char bytes[1 + sizeof value] = {(char)tag};
    memcpy(bytes + 1, &value, sizeof value);
    fl_text_append(&w->recipe, bytes, sizeof bytes);
}

void fl_bw_varint(fl_bw_writer *w, uint64_t value)
{
    put(w, FL_BW_VARINT, value);
}

void fl_bw_signed(fl_bw_writer *w, int64_t value)
{
    put(w, FL_BW_VARINT, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

void fl_bw_bits(fl_bw_writer *w, uint64_t bits, unsigned width)
{
    if (width < 64) bits &= (1ull << width) - 1;
    if (width <= 8)
        put(w, FL_BW_BYTE, bits);
    else
        fl_bw_signed(w, (int64_t)bits);
}

void fl_bw_f64(fl_bw_writer *w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    fl_bw_bits(w, bits, 64);
}

void fl_bw_attr(fl_bw_writer *w, fl_bw_id id)
{
    put(w, FL_BW_ATTR, id);
}

void fl_bw_optional(fl_bw_writer *w, fl_bw_id id)
{
    put(w, FL_BW_OPTIONAL, id);
}

void fl_bw_type(fl_bw_writer *w, fl_bw_id id)
{
    put(w, FL_BW_TYPE, id);
}

void fl_bw_string(fl_bw_writer *w, const char *text, uint32_t length)
{
    put(w, FL_BW_STRING, length);
    fl_text_append(&w->recipe, text, length);
}

void fl_bw_raw(fl_bw_writer *w, const void *data, size_t size)
{
    put(w, FL_BW_RAW, size);
    if (size) fl_text_append(&w->recipe, data, size);
}

void fl_bw_walk(const fl_bw_entity *e, fl_bw_visit visit, void *user)
{
    const char *p = e->recipe, *end = p + e->size;
    while (p < end) {
        fl_bw_tag tag = (fl_bw_tag)*p;
        uint64_t value;
        memcpy(&value, p + 1, sizeof value);
        p += 1 + sizeof value;
        visit(user, tag, value, p);
        if (tag == FL_BW_STRING || tag == FL_BW_RAW) p += value;
    }
}

/* ---- the table ---- */

static uint64_t hash_bytes(const char *data, size_t size, uint64_t h)
{
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, data, 8);
        h = fl_hash_mix(h, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, data, size);
    return fl_hash_mix(fl_hash_mix(h, rest), size);
}

static uint64_t hash_of(const fl_bw_entity *e)
{
    return hash_bytes(e->recipe, e->size,
                      0x243F6A8885A308D3ull + (e->is_type | e->is_text << 1 | e->dialect << 2));
}

static int same(const fl_bw_entity *a, const fl_bw_entity *b)
{
    return a->is_type == b->is_type && a->is_text == b->is_text && a->dialect == b->dialect &&
           a->size == b->size && !memcmp(a->recipe, b->recipe, a->size);
}

static void place(fl_bw_writer *w, uint32_t id)
{
    uint32_t mask = w->table_size - 1, at = (uint32_t)hash_of(&w->entities[id]) & mask;
    while (w->table[at]) at = (at + 1) & mask;
    w->table[at] = id;
}

/* Room for one more in the list and in the table, which is at most half full. */
static int grow(fl_bw_writer *w)
{
    if (w->entity_count < w->entity_capacity) return 1;
    uint32_t capacity = w->entity_capacity ? 2 * w->entity_capacity : 256;
    fl_bw_entity *entities = fl_bw_alloc(w, capacity, sizeof *entities);
    uint32_t *table = fl_bw_alloc(w, 2 * (size_t)capacity, sizeof *table);
    if (!entities || !table) return 0;
    if (w->entity_count) memcpy(entities, w->entities, w->entity_count * sizeof *entities);
    w->entities = entities;
    w->entity_capacity = capacity;
    w->table = table;
    w->table_size = 2 * capacity;
    if (!w->entity_count) w->entity_count = 1; /* 0 is none */
    for (uint32_t id = 1; id < w->entity_count; id++) place(w, id);
    return 1;
}

static fl_bw_id intern(fl_bw_writer *w, fl_bw_entity e)
{
    if (w->recipe.failed || w->recipe.length > UINT32_MAX || w->entity_count > UINT32_MAX / 4)
        fl_bw_fail(w, fl_error(FL_OOM, "out of host memory"));
    e.recipe = w->recipe.data;
    e.size = (uint32_t)w->recipe.length;
    w->recipe.length = 0;
    if (w->status || !grow(w)) return 0;
    uint32_t mask = w->table_size - 1;
    for (uint32_t at = (uint32_t)hash_of(&e) & mask; w->table[at]; at = (at + 1) & mask)
        if (same(&w->entities[w->table[at]], &e)) return w->table[at];
    e.recipe = fl_arena_copy(&w->arena, e.recipe, e.size);
    if (!e.recipe) {
        fl_bw_fail(w, fl_error(FL_OOM, "out of host memory"));
        return 0;
    }
    w->entities[w->entity_count] = e;
    place(w, w->entity_count);
    return w->entity_count++;
}

fl_bw_id fl_bw_make(fl_bw_writer *w, int is_type, unsigned dialect)
{
    return intern(w, (fl_bw_entity){.is_type = (uint8_t)is_type, .dialect = (uint8_t)dialect});
}

fl_bw_id fl_bw_make_text(fl_bw_writer *w, int is_type, unsigned dialect)
{
    return intern(w, (fl_bw_entity){.is_type = (uint8_t)is_type, .is_text = 1, .dialect = (uint8_t)dialect});
}

/* ---- names ---- */

unsigned fl_bw_dialect(fl_bw_writer *w, const char *name, size_t length)
{
    for (unsigned i = 0; i < w->dialect_count; i++)
        if (strlen(w->dialects[i]) == length && !memcmp(w->dialects[i], name, length)) return i;
    char *copy = w->dialect_count < FL_BW_DIALECTS ? fl_bw_alloc(w, length + 1, 1) : NULL;
    if (!copy) {
        fl_bw_fail(w, fl_error(FL_UNSUPPORTED, "expected attributes of at most %d dialects", FL_BW_DIALECTS));
        return 0;
    }
    memcpy(copy, name, length);
    w->dialects[w->dialect_count] = copy;
    return w->dialect_count++;
}

uint32_t fl_bw_op_name(fl_bw_writer *w, unsigned dialect, const char *name)
{
    for (uint32_t i = 0; i < w->name_count; i++)
        if (w->names[i].dialect == dialect && !strcmp(w->names[i].name, name)) return i;
    if (w->name_count == w->name_capacity) {
        uint32_t capacity = w->name_capacity ? 2 * w->name_capacity : 64;
        fl_bw_name *names = fl_bw_alloc(w, capacity, sizeof *names);
        if (!names) return 0;
        if (w->name_count) memcpy(names, w->names, w->name_count * sizeof *names);
        w->names = names;
        w->name_capacity = capacity;
    }
    w->names[w->name_count] = (fl_bw_name){.name = name, .dialect = (uint8_t)dialect};
    return w->name_count++;
}
