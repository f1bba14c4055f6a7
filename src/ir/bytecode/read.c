/* The container of MLIR bytecode: header and sections. */
#include "ir/bytecode/plain.h"
#include "ir/text/parse.h"

#include <stdlib.h>

static const uint8_t magic[4] = {'M', 'L', 0xEF, 'R'};

typedef enum section_id {
    SECTION_STRING,
    SECTION_DIALECT,
    SECTION_ATTR_TYPE,
    SECTION_ATTR_TYPE_OFFSET,
    SECTION_IR,
    SECTION_RESOURCE,
    SECTION_RESOURCE_OFFSET,
    SECTION_DIALECT_VERSIONS,
    SECTION_PROPERTIES,
    SECTION_COUNT
} section_id;

fl_status fl_bc_truncated(const char *what)
{
    return fl_error(FL_INVALID, "%s: truncated or damaged: %s", FL_BC_PREFIX, what);
}

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

int fl_is_bytecode(const void *data, size_t size)
{
    return size >= sizeof magic && !memcmp(data, magic, sizeof magic);
}

int fl_bytecode_version(const void *data, size_t size, fl_vhlo_version *out)
{
    static const char prefix[] = "StableHLO_v";
    if (!fl_is_bytecode(data, size)) return 0;
    fl_cursor c = fl_cursor_make((const uint8_t *)data + sizeof magic, size - sizeof magic);
    fl_cursor_varint(&c);
    const char *producer = (const char *)c.next;
    if (c.failed || !memchr(producer, 0, fl_cursor_left(&c)) || strncmp(producer, prefix, sizeof prefix - 1))
        return 0;
    fl_status s = fl_vhlo_version_parse(producer + sizeof prefix - 1, out);
    fl_status_free(s);
    return !s;
}

/* Nested sections have no alignment worth keeping: its bytes are skipped. */
static fl_status read_section(fl_cursor *c, const uint8_t *origin, uint8_t *out_id, fl_cursor *out)
{
    uint8_t id = fl_cursor_byte(c);
    uint64_t length = fl_cursor_varint(c);
    if (id & 0x80) {
        uint64_t alignment = fl_cursor_varint(c);
        FL_CHECK(alignment && !(alignment & (alignment - 1)), FL_INVALID,
                 "%s: expected an alignment, a power of two", FL_BC_PREFIX);
        uint64_t misplaced = (uint64_t)(c->next - origin) & (alignment - 1);
        if (misplaced) fl_cursor_bytes(c, alignment - misplaced);
    }
    *out = fl_cursor_sub(c, length);
    *out_id = id & 0x7F;
    return c->failed ? fl_bc_truncated("a section") : NULL;
}

static fl_status read_strings(fl_bc_reader *r, fl_cursor c)
{
    r->string_count = fl_cursor_count(&c);
    r->strings = FL_NEW_ARRAY(&r->arena, fl_bc_string, r->string_count);
    if (!r->strings) return no_memory();
    uint64_t total = 0;
    for (uint32_t i = r->string_count; i-- > 0;) { /* lengths, the NUL included, stand in reverse order */
        uint64_t length = fl_cursor_varint(&c);
        if (!length || length > fl_cursor_left(&c)) return fl_bc_truncated("the lengths of strings");
        r->strings[i].length = (uint32_t)length - 1;
        total += length;
    }
    if (c.failed || total != fl_cursor_left(&c)) return fl_bc_truncated("the strings");
    for (uint32_t i = 0; i < r->string_count; i++) {
        r->strings[i].text = (const char *)fl_cursor_bytes(&c, (uint64_t)r->strings[i].length + 1);
        if (!r->strings[i].text || r->strings[i].text[r->strings[i].length])
            return fl_bc_truncated("a string");
    }
    return NULL;
}

fl_status fl_bc_string_at(const fl_bc_reader *r, uint64_t index, fl_bc_string *out)
{
    FL_CHECK(index < r->string_count, FL_INVALID, "%s: expected one of %u strings, got %llu", FL_BC_PREFIX,
             r->string_count, (unsigned long long)index);
    *out = r->strings[index];
    return NULL;
}

static fl_status read_dialect(fl_bc_reader *r, fl_cursor *c, const uint8_t *origin, uint32_t i)
{
    uint64_t name = fl_cursor_varint(c);
    fl_bc_string text = {0};
    if (r->format >= 1) {
        if (name &
            1) { /* the version of a dialect: none of those we know tells more than the producer does */
            uint8_t id;
            fl_cursor version;
            FL_TRY(read_section(c, origin, &id, &version));
        }
        name >>= 1;
    }
    FL_TRY(fl_bc_string_at(r, name, &text));
    r->dialect_names[i] = (uint32_t)name;
    r->dialects[i] = !strcmp(text.text, "vhlo")        ? FL_BC_VHLO
                     : !strcmp(text.text, "builtin")   ? FL_BC_BUILTIN
                     : !strcmp(text.text, "sdy")       ? FL_BC_SDY
                     : !strcmp(text.text, "stablehlo") ? FL_BC_STABLEHLO
                                                       : FL_BC_OTHER;
    return NULL;
}

/* A run of entries of one dialect. */
static fl_status read_group(const fl_bc_reader *r, fl_cursor *c, uint32_t *out_dialect, uint32_t *out_count)
{
    uint64_t dialect = fl_cursor_varint(c);
    *out_count = fl_cursor_count(c);
    if (c->failed) return fl_bc_truncated("a group of a dialect");
    FL_CHECK(dialect < r->dialect_count, FL_INVALID, "%s: expected one of %u dialects, got %llu",
             FL_BC_PREFIX, r->dialect_count, (unsigned long long)dialect);
    *out_dialect = (uint32_t)dialect;
    return NULL;
}

static fl_status read_op_names(fl_bc_reader *r, fl_cursor *c)
{
    if (r->format >= 4) fl_cursor_varint(c); /* their number; the groups say it too */
    r->ops = FL_NEW_ARRAY(&r->arena, fl_bc_op_name, fl_cursor_left(c) + 1); /* a byte each at least */
    if (!r->ops) return no_memory();
    while (fl_cursor_left(c)) {
        uint32_t dialect = 0, count = 0;
        FL_TRY(read_group(r, c, &dialect, &count));
        for (uint32_t i = 0; i < count; i++) {
            uint64_t name = fl_cursor_varint(c);
            fl_bc_string text = {0};
            FL_TRY(fl_bc_string_at(r, r->format >= 5 ? name >> 1 : name, &text));
            fl_bc_op_name *op = &r->ops[r->op_count++];
            op->dialect = dialect;
            op->name = text.text;
            op->row = r->dialects[dialect] == FL_BC_VHLO ? fl_vhlo_find(text.text) : NULL;
        }
    }
    return c->failed ? fl_bc_truncated("the names of operations") : NULL;
}

static fl_status read_dialects(fl_bc_reader *r, fl_cursor c, const uint8_t *origin)
{
    r->dialect_count = fl_cursor_count(&c);
    r->dialects = FL_NEW_ARRAY(&r->arena, uint8_t, r->dialect_count);
    r->dialect_names = FL_NEW_ARRAY(&r->arena, uint32_t, r->dialect_count);
    if (!r->dialects || !r->dialect_names) return no_memory();
    for (uint32_t i = 0; i < r->dialect_count; i++) FL_TRY(read_dialect(r, &c, origin, i));
    return read_op_names(r, &c);
}

static fl_status read_entries(fl_bc_reader *r, fl_cursor *offsets, fl_cursor *data, fl_bc_entry *entries,
                              uint32_t count)
{
    for (uint32_t at = 0; at < count;) {
        uint32_t dialect = 0, n = 0;
        FL_TRY(read_group(r, offsets, &dialect, &n));
        if (n > count - at) return fl_bc_truncated("attributes and types");
        for (uint32_t i = 0; i < n; i++) {
            uint64_t size = fl_cursor_varint(offsets);
            fl_bc_entry *e = &entries[at++];
            e->dialect = dialect;
            e->custom = size & 1;
            e->data = fl_cursor_bytes(data, size >> 1);
            if (!e->data || size >> 1 > UINT32_MAX) return fl_bc_truncated("attributes and types");
            e->size = (uint32_t)(size >> 1);
        }
    }
    return offsets->failed ? fl_bc_truncated("attributes and types") : NULL;
}

static fl_status read_attrs_types(fl_bc_reader *r, fl_cursor offsets, fl_cursor data)
{
    r->attr_count = fl_cursor_count(&offsets);
    r->type_count = fl_cursor_count(&offsets);
    if (offsets.failed) return fl_bc_truncated("attributes and types");
    r->attrs = FL_NEW_ARRAY(&r->arena, fl_bc_entry, r->attr_count);
    r->types = FL_NEW_ARRAY(&r->arena, fl_bc_entry, r->type_count);
    if (!r->attrs || !r->types) return no_memory();
    FL_TRY(read_entries(r, &offsets, &data, r->attrs, r->attr_count));
    return read_entries(r, &offsets, &data, r->types, r->type_count);
}

static fl_status read_properties(fl_bc_reader *r, fl_cursor c)
{
    r->property_count = fl_cursor_count(&c);
    r->properties = FL_NEW_ARRAY(&r->arena, fl_bc_string, r->property_count);
    if (!r->properties) return no_memory();
    for (uint32_t i = 0; i < r->property_count; i++) {
        uint64_t size = fl_cursor_varint(&c);
        r->properties[i].text = (const char *)fl_cursor_bytes(&c, size);
        if (!r->properties[i].text || size > UINT32_MAX) return fl_bc_truncated("properties");
        r->properties[i].length = (uint32_t)size;
    }
    return NULL;
}

/* Resources hold the data of `dense_resource` attributes, which artifacts do not have; the empty sections are always there. */
static fl_status refuse_resources(fl_cursor c)
{
    if (!fl_cursor_left(&c)) return NULL;
    fl_cursor_varint(&c);
    FL_CHECK(!fl_cursor_left(&c), FL_UNSUPPORTED, "%s: expected no resources (dense_resource)", FL_BC_PREFIX);
    return NULL;
}

fl_status fl_bc_read_sections(fl_bc_reader *r, const void *data, size_t size, fl_cursor *out_ir)
{
    FL_CHECK(fl_is_bytecode(data, size), FL_INVALID, "%s: expected MLIR's magic number at the beginning",
             FL_BC_PREFIX);
    const uint8_t *origin = data;
    fl_cursor c = fl_cursor_make(origin + sizeof magic, size - sizeof magic);
    r->format = fl_cursor_varint(&c);
    r->producer = (const char *)c.next;
    const uint8_t *end = memchr(c.next, 0, fl_cursor_left(&c));
    if (c.failed || !end) return fl_bc_truncated("the header");
    fl_cursor_bytes(&c, (uint64_t)(end - c.next) + 1);
    FL_CHECK(r->format <= 6, FL_UNSUPPORTED,
             "%s: expected MLIR bytecode of version 6 at most, got %llu (produced by %.60s)", FL_BC_PREFIX,
             (unsigned long long)r->format, r->producer);
    fl_cursor sections[SECTION_COUNT];
    uint32_t have = 0;
    while (fl_cursor_left(&c)) {
        uint8_t id = 0;
        fl_cursor section;
        FL_TRY(read_section(&c, origin, &id, &section));
        FL_CHECK(id < SECTION_COUNT && !(have >> id & 1), FL_INVALID,
                 "%s: expected every section once, got number %u", FL_BC_PREFIX, id);
        sections[id] = section;
        have |= 1u << id;
    }
    const uint32_t need = 1u << SECTION_STRING | 1u << SECTION_DIALECT | 1u << SECTION_ATTR_TYPE |
                          1u << SECTION_ATTR_TYPE_OFFSET | 1u << SECTION_IR;
    if ((have & need) != need) return fl_bc_truncated("a section is missing");
    FL_TRY(read_strings(r, sections[SECTION_STRING]));
    FL_TRY(read_dialects(r, sections[SECTION_DIALECT], origin));
    FL_TRY(read_attrs_types(r, sections[SECTION_ATTR_TYPE_OFFSET], sections[SECTION_ATTR_TYPE]));
    if (have >> SECTION_RESOURCE_OFFSET & 1) FL_TRY(refuse_resources(sections[SECTION_RESOURCE_OFFSET]));
    if (have >> SECTION_PROPERTIES & 1) FL_TRY(read_properties(r, sections[SECTION_PROPERTIES]));
    *out_ir = sections[SECTION_IR];
    return NULL;
}

fl_status fl_bc_enter(fl_bc_reader *r, fl_bc_entry *e, unsigned depth, fl_bc_nesting *out_outer)
{
    FL_CHECK(e->state == FL_BC_UNREAD, FL_INVALID, "%s: expected no type or attribute to be part of itself",
             FL_BC_PREFIX);
    FL_CHECK(depth < FL_BC_DEPTH, FL_UNSUPPORTED,
             "%s: expected types and attributes nested less than %d deep", FL_BC_PREFIX, FL_BC_DEPTH);
    *out_outer = (fl_bc_nesting){r->weight, r->nested};
    r->weight = 1;
    r->nested = 0;
    e->state = FL_BC_READING;
    return NULL;
}

fl_status fl_bc_leave(fl_bc_reader *r, fl_bc_entry *e, const fl_bc_nesting *outer)
{
    FL_CHECK(r->nested + 1 < FL_BC_DEPTH, FL_UNSUPPORTED,
             "%s: expected types and attributes nested less than %d deep", FL_BC_PREFIX, FL_BC_DEPTH);
    e->state = FL_BC_READ;
    e->depth = (uint8_t)(r->nested + 1);
    e->weight = r->weight;
    r->weight = outer->weight;
    r->nested = outer->nested;
    return fl_bc_spend(r, e->weight * sizeof(fl_type));
}

void fl_bc_count(fl_bc_reader *r, const fl_bc_entry *e)
{
    r->weight += e->weight;
    if (e->depth > r->nested) r->nested = e->depth;
}

fl_status fl_bc_spend(fl_bc_reader *r, uint64_t bytes)
{
    FL_CHECK(bytes <= r->budget, FL_UNSUPPORTED, "%s: expands to too much for a file of this size",
             FL_BC_PREFIX);
    r->budget -= bytes;
    return NULL;
}

/* Without VHLO it is no portable artifact. */
static int is_plain(const fl_bc_reader *r)
{
    for (uint32_t i = 0; i < r->dialect_count; i++)
        if (r->dialects[i] == FL_BC_VHLO) return 0;
    return 1;
}

/* *out_plain: the text of a module that is no artifact, if it is none. */
static fl_status read_all(fl_bc_reader *r, const void *data, size_t size, fl_text *out_plain)
{
    fl_cursor ir;
    FL_TRY(fl_bc_read_sections(r, data, size, &ir));
    return is_plain(r) ? fl_bc_print_plain(r, ir, out_plain) : fl_bc_read_module(r, ir);
}

/* A newer artifact may hold what we cannot know: its version belongs into the message. */
static fl_status explain(fl_status status, const void *data, size_t size)
{
    fl_vhlo_version v, own = fl_stablehlo_version();
    if (!status || !fl_bytecode_version(data, size, &v)) return status;
    if (v.major < own.major || (v.major == own.major && v.minor <= own.minor)) return status;
    return fl_status_prefix(status, "an artifact of StableHLO %d.%d.%d, newer than %d.%d.%d", v.major,
                            v.minor, v.patch, own.major, own.minor, own.patch);
}

fl_status fl_read_bytecode(const void *data, size_t size, fl_program **out)
{
    *out = NULL;
    fl_bc_reader r = {.budget = (256ull << 20) + 64 * (uint64_t)size};
    FL_TRY(fl_builder_init(&r.builder, NULL));
    fl_text plain = {0};
    fl_status s = read_all(&r, data, size, &plain);
    if (s || plain.length)
        fl_builder_abandon(&r.builder);
    else
        s = fl_builder_finish_module(&r.builder, out);
    if (!s && plain.length) s = fl_parse_text(plain.data, plain.length, out);
    fl_text_free(&plain);
    fl_arena_free(&r.arena);
    free(r.values);
    free(r.foreign);
    return explain(s, data, size);
}
