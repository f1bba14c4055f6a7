/* Puts an artifact out: the sections of MLIR bytecode. */
#include "ir/bytecode/writer.h"

#include <stdlib.h>
#include <string.h>

/* Strings get their numbers when they are first put out. */
typedef struct string_table {
    const char **texts;
    uint32_t *lengths;
    uint32_t count, capacity;
    uint32_t *slots;
    uint32_t slot_count;
} string_table;

/* Properties of operations, equal ones once; texts hold their bytes. */
typedef struct output {
    fl_bw_writer *w;
    string_table strings, properties;
    int failed;
} output;

static void put_byte(fl_text *t, unsigned byte)
{
    char c = (char)byte;
    fl_text_append(t, &c, 1);
}

void fl_bw_put_varint(fl_text *t, uint64_t value)
{
    unsigned bytes = 1;
    while (bytes < 9 && value >> (7 * bytes)) bytes++;
    uint64_t coded = ((value << 1) | 1) << (bytes - 1);
    if (bytes == 9) { /* a first byte of 0, then the value */
        put_byte(t, 0);
        coded = value;
        bytes = 8;
    }
    char out[8];
    for (unsigned i = 0; i < bytes; i++) out[i] = (char)(coded >> (8 * i));
    fl_text_append(t, out, bytes);
}

enum { HAS_USES = 32 };

/* Takes `body` over. */
static void put_section(fl_text *t, unsigned id, fl_text *body, int *failed)
{
    put_byte(t, id);
    fl_bw_put_varint(t, body->length);
    if (body->length) fl_text_append(t, body->data, body->length);
    *failed |= body->failed;
    fl_text_free(body);
}

/* ---- tables ---- */

static uint32_t hash(const char *text, uint32_t length)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < length; i++) h = (h ^ (uint8_t)text[i]) * 16777619u;
    return h;
}

static int grow(output *o, string_table *s)
{
    uint32_t capacity = s->capacity ? 2 * s->capacity : 128, mask = 2 * capacity - 1;
    const char **texts = fl_bw_alloc(o->w, capacity, sizeof *texts);
    uint32_t *lengths = fl_bw_alloc(o->w, capacity, sizeof *lengths);
    uint32_t *slots = fl_bw_alloc(o->w, 2 * (size_t)capacity, sizeof *slots);
    if (!texts || !lengths || !slots) return 0;
    for (uint32_t i = 0; i < s->count; i++) {
        texts[i] = s->texts[i];
        lengths[i] = s->lengths[i];
        uint32_t at = hash(texts[i], lengths[i]) & mask;
        while (slots[at]) at = (at + 1) & mask;
        slots[at] = i + 1;
    }
    *s = (string_table){texts, lengths, s->count, capacity, slots, 2 * capacity};
    return 1;
}

/* Keeps `text` itself unless it is told to copy. */
static uint32_t number_of(output *o, string_table *s, const char *text, uint32_t length, int copy)
{
    if (s->count == s->capacity && !grow(o, s)) return 0;
    uint32_t mask = s->slot_count - 1, at = hash(text, length) & mask;
    for (; s->slots[at]; at = (at + 1) & mask) {
        uint32_t i = s->slots[at] - 1;
        if (s->lengths[i] == length && !memcmp(s->texts[i], text, length)) return i;
    }
    if (copy && !(text = fl_arena_copy(&o->w->arena, text, length))) {
        fl_bw_fail(o->w, fl_error(FL_OOM, "out of host memory"));
        return 0;
    }
    s->texts[s->count] = text;
    s->lengths[s->count] = length;
    s->slots[at] = s->count + 1;
    return s->count++;
}

static uint32_t string_number(output *o, const char *text)
{
    return number_of(o, &o->strings, text, (uint32_t)strlen(text), 0);
}

/* ---- dialects, names of operations ---- */

static uint32_t run_length(const fl_bw_writer *w, const uint32_t *order, uint32_t from, uint32_t count,
                           int are_names)
{
    uint32_t to = from;
    unsigned first = are_names ? w->names[order[from]].dialect : w->entities[order[from]].dialect;
    while (to < count && (are_names ? w->names[order[to]].dialect : w->entities[order[to]].dialect) == first)
        to++;
    return to - from;
}

static void put_dialects(output *o, fl_text *out)
{
    const fl_bw_writer *w = o->w;
    fl_text t = {0};
    fl_bw_put_varint(&t, w->dialects_seen);
    for (unsigned i = 0; i < w->dialects_seen; i++) {
        uint64_t name = string_number(o, w->dialects[w->dialect_order[i]]);
        fl_bw_put_varint(&t, w->format < 1 ? name : name << 1); /* no version of its own */
    }
    if (w->format >= 4) fl_bw_put_varint(&t, w->name_count);
    for (uint32_t i = 0; i < w->name_count;) {
        uint32_t n = run_length(w, w->name_order, i, w->name_count, 1);
        fl_bw_put_varint(&t, w->dialect_numbers[w->names[w->name_order[i]].dialect]);
        fl_bw_put_varint(&t, n);
        for (; n; n--, i++) {
            uint64_t name = string_number(o, w->names[w->name_order[i]].name);
            fl_bw_put_varint(&t, w->format < 5 ? name : name << 1 | 1); /* a registered operation */
        }
    }
    put_section(out, 1, &t, &o->failed);
}

/* ---- attributes, types ---- */

typedef struct recipe_output {
    output *o;
    fl_text *t;
} recipe_output;

static void put_part(void *user, fl_bw_tag tag, uint64_t value, const char *data)
{
    recipe_output *r = user;
    const fl_bw_entity *entities = r->o->w->entities;
    switch (tag) {
    case FL_BW_VARINT: fl_bw_put_varint(r->t, value); break;
    case FL_BW_BYTE: put_byte(r->t, (unsigned)value); break;
    case FL_BW_ATTR:
    case FL_BW_TYPE: fl_bw_put_varint(r->t, entities[value].number); break;
    case FL_BW_OPTIONAL: fl_bw_put_varint(r->t, value ? (uint64_t)entities[value].number << 1 | 1 : 0); break;
    case FL_BW_STRING:
        fl_bw_put_varint(r->t, number_of(r->o, &r->o->strings, data, (uint32_t)value, 0));
        break;
    case FL_BW_RAW: fl_text_append(r->t, data, value); break;
    }
}

static void put_entities(output *o, const fl_bw_id *order, uint32_t count, fl_text *offsets, fl_text *data)
{
    const fl_bw_writer *w = o->w;
    recipe_output r = {o, data};
    for (uint32_t i = 0; i < count;) {
        uint32_t n = run_length(w, order, i, count, 0);
        fl_bw_put_varint(offsets, w->dialect_numbers[w->entities[order[i]].dialect]);
        fl_bw_put_varint(offsets, n);
        for (; n; n--, i++) {
            const fl_bw_entity *e = &w->entities[order[i]];
            size_t from = data->length;
            fl_bw_walk(e, put_part, &r);
            fl_bw_put_varint(offsets, (uint64_t)(data->length - from) << 1 | !e->is_text);
        }
    }
}

static void put_attrs_types(output *o, fl_text *out)
{
    const fl_bw_writer *w = o->w;
    fl_text offsets = {0}, data = {0};
    fl_bw_put_varint(&offsets, w->attr_count);
    fl_bw_put_varint(&offsets, w->type_count);
    put_entities(o, w->attr_order, w->attr_count, &offsets, &data);
    put_entities(o, w->type_order, w->type_count, &offsets, &data);
    put_section(out, 3, &offsets, &o->failed);
    put_section(out, 2, &data, &o->failed);
}

/* ---- operations ---- */

/* One index of an attribute each; twice the index and one for those that may be missing. */
static uint32_t property_number(output *o, const fl_bw_op *op)
{
    const fl_bw_entity *entities = o->w->entities;
    fl_text t = {0};
    for (uint32_t i = 0; i < op->property_count; i++) {
        fl_bw_id id = op->properties[i];
        uint64_t number = id ? entities[id].number : 0;
        fl_bw_put_varint(&t, !(op->optional >> i & 1) ? number : id ? number << 1 | 1 : 0);
    }
    o->failed |= t.failed;
    uint32_t n = t.failed ? 0 : number_of(o, &o->properties, t.data, (uint32_t)t.length, 1);
    fl_text_free(&t);
    return n;
}

static void put_region(output *o, fl_text *t, const fl_bw_region *r);

static void put_regions(output *o, fl_text *t, const fl_bw_op *op)
{
    if (!op->region_count) return;
    fl_bw_put_varint(t, (uint64_t)op->region_count << 1 | op->is_isolated);
    fl_text inner = {0}, *to = op->is_isolated && o->w->format >= 2 ? &inner : t;
    for (uint32_t i = 0; i < op->region_count; i++) put_region(o, to, &op->regions[i]);
    if (to == &inner) put_section(t, 4, &inner, &o->failed);
}

static void put_op(output *o, fl_text *t, const fl_bw_op *op)
{
    const fl_bw_writer *w = o->w;
    fl_bw_put_varint(t, w->names[op->name].number);
    size_t mask = t->length;
    put_byte(t, (op->dict ? 1 : 0) | (op->result_count ? 2 : 0) | (op->operand_count ? 4 : 0) |
                    (op->region_count ? 16 : 0) | (op->property_count ? 64 : 0));
    fl_bw_put_varint(t, w->entities[w->location].number);
    if (op->dict) fl_bw_put_varint(t, w->entities[op->dict].number);
    if (op->property_count) fl_bw_put_varint(t, property_number(o, op));
    if (op->result_count) fl_bw_put_varint(t, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++)
        fl_bw_put_varint(t, w->entities[op->result_types[i]].number);
    if (op->operand_count) fl_bw_put_varint(t, op->operand_count);
    for (uint32_t i = 0; i < op->operand_count; i++) fl_bw_put_varint(t, w->numbers[op->operands[i]]);
    if (fl_bw_put_uses(o->w, t, op->first_result, op->result_count) && !t->failed) t->data[mask] |= HAS_USES;
    put_regions(o, t, op);
}

static void put_block_args(fl_bw_writer *w, fl_text *t, const fl_bw_region *r)
{
    fl_bw_put_varint(t, r->arg_count);
    for (uint32_t i = 0; i < r->arg_count; i++) {
        uint64_t type = w->entities[r->arg_types[i]].number;
        fl_bw_put_varint(t, w->format >= 4 ? type << 1
                                           : type); /* an unknown location is left out since version 4 */
        if (w->format < 4) fl_bw_put_varint(t, w->entities[w->location].number);
    }
    if (w->format < 3) return;
    size_t mask = t->length;
    put_byte(t, 0);
    if (fl_bw_put_uses(w, t, r->first_arg, r->arg_count) && !t->failed) t->data[mask] |= HAS_USES;
}

static void put_region(output *o, fl_text *t, const fl_bw_region *r)
{
    fl_bw_put_varint(t, !r->is_empty);
    if (r->is_empty) return;
    fl_bw_put_varint(t, r->value_count);
    fl_bw_put_varint(t, (uint64_t)r->op_count << 1 | (r->arg_count != 0));
    if (r->arg_count) put_block_args(o->w, t, r);
    for (uint32_t i = 0; i < r->op_count; i++) put_op(o, t, &r->ops[i]);
}

/* ---- the whole ---- */

static void put_strings(output *o, fl_text *out)
{
    const string_table *s = &o->strings;
    fl_text t = {0};
    fl_bw_put_varint(&t, s->count);
    for (uint32_t i = s->count; i-- > 0;) fl_bw_put_varint(&t, (uint64_t)s->lengths[i] + 1);
    for (uint32_t i = 0; i < s->count; i++) {
        fl_text_append(&t, s->texts[i], s->lengths[i]);
        put_byte(&t, 0);
    }
    put_section(out, 0, &t, &o->failed);
}

static void put_properties(output *o, fl_text *out)
{
    const string_table *s = &o->properties;
    fl_text t = {0};
    fl_bw_put_varint(&t, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        fl_bw_put_varint(&t, s->lengths[i]);
        fl_text_append(&t, s->texts[i], s->lengths[i]);
    }
    put_section(out, 8, &t, &o->failed);
}

static void put_all(fl_bw_writer *w, const fl_bw_op *module, fl_vhlo_version v, fl_text *out)
{
    output o = {.w = w};
    fl_text ir = {0}, none = {0}, no_groups = {0};
    fl_text_append(out, "ML\xEFR", 4);
    fl_bw_put_varint(out, w->format);
    fl_text_printf(out, "StableHLO_v%d.%d.%d", v.major, v.minor, v.patch);
    put_byte(out, 0);
    put_dialects(&o, out);
    put_attrs_types(&o, out);
    fl_bw_put_varint(&ir, 2); /* one operation, no arguments */
    put_op(&o, &ir, module);
    put_section(out, 4, &ir, &o.failed);
    fl_bw_put_varint(&no_groups, 0); /* MLIR writes the sections of resources when there are none, too */
    put_section(out, 6, &no_groups, &o.failed);
    put_section(out, 5, &none, &o.failed);
    put_strings(&o, out);
    if (w->format >= 5) put_properties(&o, out);
    if (o.failed || out->failed) fl_bw_fail(w, fl_error(FL_OOM, "out of host memory"));
}

static void write_all(fl_bw_writer *w, fl_vhlo_version target, fl_text *out)
{
    fl_bw_dialect(w, "builtin", 7);
    fl_bw_dialect(w, "vhlo", 4);
    w->next_value = w->value_count = w->program->def_count;
    for (uint32_t i = 0; i < w->program->func_count; i++)
        w->value_count += fl_bw_sdy_values(w->program->funcs[i]->body);
    w->levels = fl_bw_alloc(w, w->value_count, sizeof *w->levels);
    w->numbers = fl_bw_alloc(w, w->value_count, sizeof *w->numbers);
    fl_bw_op *module = fl_bw_module(w);
    if (module) fl_bw_number(w, module);
    if (module && !w->status) fl_bw_find_uses(w, module);
    if (!w->status) put_all(w, module, target, out);
}

fl_status fl_write_bytecode(const fl_program *program, fl_vhlo_version target, fl_text *out)
{
    fl_bw_writer w = {.program = program, .version = (unsigned)target.major * 100 + (unsigned)target.minor};
    int known = target.major >= 0 && target.minor >= 0 && target.minor < 100 && target.patch >= 0 &&
                w.version >= FL_VHLO_OLDEST && w.version <= FL_VHLO_CURRENT &&
                (w.version < FL_VHLO_CURRENT || !target.patch);
    FL_CHECK(known, FL_VALUE, "expected a version of StableHLO from %d.%d.0 to %d.%d.0, got %d.%d.%d",
             FL_VHLO_OLDEST / 100, FL_VHLO_OLDEST % 100, FL_VHLO_CURRENT / 100, FL_VHLO_CURRENT % 100,
             target.major, target.minor, target.patch);
    w.format = fl_vhlo_bytecode_format(w.version);
    size_t before = out->length;
    write_all(&w, target, out);
    if (w.status && out->data && out->length > before) { /* nothing of it */
        out->length = before;
        out->data[before] = 0;
    }
    fl_text_free(&w.recipe);
    fl_arena_free(&w.arena);
    return fl_status_prefix(w.status, "cannot write an artifact of StableHLO %d.%d.%d", target.major,
                            target.minor, target.patch);
}
