/* The generic form of a module of stable_mosaic, read into a tree. Attributes stay text until somebody asks for them. */
#include "opt/mosaic.h"

#include "ir/text/parser.h"

#include <string.h>

enum { MOST_OPS = 1 << 16, MOST_PARTS = 1024 };

typedef struct name {
    const char *at;
    uint32_t length, first, count;
} name;

typedef struct reader {
    const char *at, *end, *start;
    fl_mosaic_module *m;
    name *names; /* a stack: those of a region are dropped at its end */
    uint32_t name_count, name_capacity, op_count;
    int depth;
} reader;

/* ---- characters ---- */

static void skip_space(reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
}

static fl_status expected(const reader *r, const char *what)
{
    size_t line = 1, left = (size_t)(r->end - r->at);
    for (const char *p = r->start; p < r->at; p++) line += *p == '\n';
    return fl_error(FL_INVALID, "Mosaic kernel, line %zu: expected %s, got \"%.*s\"", line, what,
                    (int)(left < 20 ? left : 20), r->at);
}

static int accept(reader *r, const char *text)
{
    size_t n = strlen(text);
    skip_space(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n)) return 0;
    r->at += n;
    return 1;
}

#define EXPECT(r, text)                                                                                      \
    if (!accept(r, text)) return expected(r, "\"" text "\"")

static int is_word(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '.' || c == '$';
}

static fl_slice_text word(reader *r)
{
    skip_space(r);
    fl_slice_text t = {r->at, r->at};
    while (t.end < r->end && is_word(*t.end)) t.end++;
    r->at = t.end;
    return t;
}

int fl_text_is(fl_slice_text text, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(text.end - text.at) == n && !memcmp(text.at, word, n);
}

/* ---- types ---- */

/* 1x2xf32 */
static fl_status read_shape(reader *r, fl_type *out)
{
    int64_t dims[FL_MAX_RANK];
    int rank = 0;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        int64_t size = 0;
        for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
            size = 10 * size + (*r->at - '0');
            if (size > INT32_MAX) return expected(r, "a size");
        }
        if (r->at == r->end || *r->at != 'x') return expected(r, "x");
        if (rank == FL_MAX_RANK) return expected(r, "fewer dimensions");
        r->at++;
        dims[rank++] = size;
    }
    fl_slice_text element = word(r);
    fl_dtype dtype = fl_text_is(element, "index")
                         ? FL_I32
                         : fl_parse_dtype(element.at, (size_t)(element.end - element.at));
    FL_CHECK(dtype, FL_UNSUPPORTED, "Mosaic kernel: expected a known element type, got \"%.*s\"",
             (int)(element.end - element.at > 20 ? 20 : element.end - element.at), element.at);
    *out = fl_type_make(dtype, rank, dims);
    return fl_type_check(out);
}

static fl_status read_type(reader *r, fl_type *out)
{
    skip_space(r);
    int vector = accept(r, "vector<"), memory = !vector && accept(r, "memref<");
    FL_TRY(read_shape(r, out));
    if (!vector && !memory) return out->rank ? expected(r, "a type") : NULL;
    while (memory && r->at < r->end && *r->at != '>') { /* the memory space */
        if (*r->at == '<') {
            r->at = fl_lex_skip(r->at, r->end);
            if (!r->at) return fl_error(FL_INVALID, "Mosaic kernel: a type that does not end");
        } else {
            r->at++;
        }
    }
    EXPECT(r, ">");
    if (memory) out->kind = FL_TYPE_BUFFER;
    return NULL;
}

/* ---- values ---- */

static fl_status add_values(reader *r, const fl_type *types, uint32_t count, uint32_t *first)
{
    fl_mosaic_module *m = r->m;
    if (m->value_count + count > m->value_capacity) {
        uint32_t capacity = 2 * (m->value_count + count) + 64;
        fl_type *grown = FL_NEW_ARRAY(&m->arena, fl_type, capacity);
        FL_CHECK(grown, FL_OOM, "out of host memory");
        if (m->value_count) memcpy(grown, m->types, m->value_count * sizeof *grown);
        m->types = grown;
        m->value_capacity = capacity;
    }
    *first = m->value_count;
    for (uint32_t i = 0; i < count; i++) m->types[m->value_count++] = types[i];
    return NULL;
}

static fl_status add_name(reader *r, fl_slice_text text, uint32_t first, uint32_t count)
{
    if (r->name_count == r->name_capacity) {
        uint32_t capacity = 2 * r->name_capacity + 64;
        name *grown = FL_NEW_ARRAY(&r->m->arena, name, capacity);
        FL_CHECK(grown, FL_OOM, "out of host memory");
        if (r->name_count) memcpy(grown, r->names, r->name_count * sizeof *grown);
        r->names = grown;
        r->name_capacity = capacity;
    }
    r->names[r->name_count++] = (name){text.at, (uint32_t)(text.end - text.at), first, count};
    return NULL;
}

/* %12 or %12#1 */
static fl_status read_value(reader *r, uint32_t *out)
{
    EXPECT(r, "%");
    fl_slice_text t = word(r);
    uint32_t part = 0;
    if (r->at < r->end && *r->at == '#')
        for (r->at++; r->at < r->end && *r->at >= '0' && *r->at <= '9' && part < MOST_PARTS; r->at++)
            part = 10 * part + (uint32_t)(*r->at - '0');
    for (uint32_t i = r->name_count; i-- > 0;) {
        const name *n = &r->names[i];
        if (n->length != (size_t)(t.end - t.at) || memcmp(n->at, t.at, n->length)) continue;
        if (part >= n->count) break;
        *out = n->first + part;
        return NULL;
    }
    r->at = t.at;
    return expected(r, "a value that is defined");
}

/* ---- attributes ---- */

/* The end of a value in a dictionary: a comma or a brace outside brackets and strings; what follows " : " belongs to it. */
static const char *value_end(const char *at, const char *end)
{
    while (at < end && *at != ',' && *at != '}') {
        if (*at == '"') {
            for (at++; at < end && *at != '"'; at++)
                if (*at == '\\') at++;
            if (at >= end) return NULL;
            at++;
        } else if (strchr("([{<", *at) && *at) {
            at = fl_lex_skip(at, end);
            if (!at) return NULL;
        } else if (*at == '-' && at + 1 < end && at[1] == '>') {
            at += 2;
        } else {
            at++;
        }
    }
    return at < end ? at : NULL;
}

static fl_status read_attrs(reader *r, fl_arena *arena, fl_mosaic_op *op)
{
    fl_mosaic_attr attrs[64];
    if (!accept(r, "{")) return NULL;
    while (!accept(r, "}")) {
        if (op->attr_count == 64) return expected(r, "fewer attributes");
        fl_mosaic_attr *a = &attrs[op->attr_count++];
        *a = (fl_mosaic_attr){.name = word(r)};
        if (a->name.at == a->name.end) return expected(r, "the name of an attribute");
        a->value = (fl_slice_text){r->at, r->at};
        if (accept(r, "=")) {
            skip_space(r);
            a->value.at = r->at;
            a->value.end = value_end(r->at, r->end);
            if (!a->value.end) return expected(r, "an attribute that ends");
            r->at = a->value.end;
        }
        accept(r, ",");
    }
    op->attrs = fl_arena_copy(arena, attrs, op->attr_count * sizeof *attrs + 1);
    FL_CHECK(op->attrs, FL_OOM, "out of host memory");
    return NULL;
}

fl_status fl_mosaic_dict(fl_arena *arena, const char **at, const char *end, fl_mosaic_op *out)
{
    reader r = {.at = *at, .start = *at, .end = end};
    fl_status status = read_attrs(&r, arena, out);
    *at = r.at;
    return status;
}

const fl_mosaic_attr *fl_mosaic_attr_of(const fl_mosaic_op *op, const char *name)
{
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (fl_text_is(op->attrs[i].name, name)) return &op->attrs[i];
    return NULL;
}

int64_t fl_mosaic_int(const fl_mosaic_op *op, const char *name, int64_t fallback)
{
    const fl_mosaic_attr *a = fl_mosaic_attr_of(op, name);
    int64_t value;
    if (!a) return fallback;
    if (fl_text_is(a->value, "true")) return 1;
    if (fl_text_is(a->value, "false")) return 0;
    const char *at = a->value.at;
    return fl_read_int(&at, a->value.end, FL_I64, &value) ? fallback : value;
}

fl_status fl_mosaic_list(const char **at, const char *end, int64_t *out, uint32_t most, uint32_t *count)
{
    const char *close = *at < end ? fl_lex_skip(*at, end) : NULL;
    *count = 0;
    FL_CHECK(close, FL_INVALID, "Mosaic kernel: expected a list");
    for (const char *p = *at; p < close;) {
        int digit = *p >= '0' && *p <= '9';
        if (!digit && !(*p == '-' && p + 1 < close && p[1] >= '0' && p[1] <= '9')) {
            for (p++; p < close && is_word(*p) && is_word(p[-1]);) p++; /* i64 is no number */
            continue;
        }
        FL_CHECK(*count < most && !fl_read_int(&p, close, FL_I64, &out[*count]), FL_INVALID,
                 "Mosaic kernel: expected at most %u integers in a list", most);
        ++*count;
    }
    *at = close;
    return NULL;
}

fl_status fl_mosaic_ints(const fl_mosaic_op *op, const char *name, int64_t *out, uint32_t most,
                         uint32_t *count)
{
    const fl_mosaic_attr *a = fl_mosaic_attr_of(op, name);
    FL_CHECK(a, FL_INVALID, "Mosaic kernel: expected the attribute %s", name);
    const char *at = a->value.at;
    while (at < a->value.end && *at != '[' && *at != '<') at++;
    return fl_mosaic_list(&at, a->value.end, out, most, count);
}

/* ---- operations ---- */

static fl_status read_block(reader *r, fl_mosaic_block *block);

/* (%a, %b) */
static fl_status read_operands(reader *r, fl_mosaic_op *op)
{
    uint32_t operands[64];
    EXPECT(r, "(");
    while (!accept(r, ")")) {
        if (op->operand_count == 64) return expected(r, "fewer operands");
        FL_TRY(read_value(r, &operands[op->operand_count++]));
        accept(r, ",");
    }
    op->operands = fl_arena_copy(&r->m->arena, operands, op->operand_count * sizeof *operands + 1);
    FL_CHECK(op->operands, FL_OOM, "out of host memory");
    return NULL;
}

/* ({...}, {...}) */
static fl_status read_regions(reader *r, fl_mosaic_op *op)
{
    fl_mosaic_block blocks[4];
    if (!accept(r, "(")) return NULL;
    do {
        if (op->region_count == 4) return expected(r, "fewer regions");
        EXPECT(r, "{");
        FL_TRY(read_block(r, &blocks[op->region_count++]));
    } while (accept(r, ","));
    EXPECT(r, ")");
    op->regions = fl_arena_copy(&r->m->arena, blocks, op->region_count * sizeof *blocks);
    FL_CHECK(op->regions, FL_OOM, "out of host memory");
    return NULL;
}

/* : (t, t) -> t, or (t, t); the types of operands are those of the values */
static fl_status read_results(reader *r, fl_mosaic_op *op, uint32_t wanted)
{
    fl_type types[16];
    EXPECT(r, ":");
    skip_space(r);
    const char *close = r->at < r->end && *r->at == '(' ? fl_lex_skip(r->at, r->end) : NULL;
    if (!close) return expected(r, "types");
    r->at = close;
    EXPECT(r, "->");
    int several = accept(r, "(");
    while (!several || !accept(r, ")")) {
        if (op->result_count == 16) return expected(r, "fewer results");
        FL_TRY(read_type(r, &types[op->result_count++]));
        if (!several) break;
        accept(r, ",");
    }
    if (op->result_count != wanted) return expected(r, "as many names as results");
    return add_values(r, types, op->result_count, &op->first_result);
}

static fl_status read_op(reader *r, fl_mosaic_op *op)
{
    fl_slice_text result = {0};
    uint32_t count = 0;
    if (++r->op_count > MOST_OPS) return expected(r, "fewer operations");
    if (accept(r, "%")) {
        result = word(r);
        count = 1;
        if (accept(r, ":")) {
            int64_t n = 0;
            skip_space(r);
            if (fl_read_int(&r->at, r->end, FL_I64, &n) || n < 0 || n > 16)
                return expected(r, "a number of results");
            count = (uint32_t)n;
        }
        EXPECT(r, "=");
    }
    EXPECT(r, "\"");
    op->name = word(r);
    EXPECT(r, "\"");
    static const char dialect[] = "stable_mosaic.";
    if ((size_t)(op->name.end - op->name.at) > sizeof dialect &&
        !memcmp(op->name.at, dialect, sizeof dialect - 1))
        op->name.at += sizeof dialect - 1;
    FL_TRY(read_operands(r, op));
    FL_TRY(read_regions(r, op));
    FL_TRY(read_attrs(r, &r->m->arena, op));
    FL_TRY(read_results(r, op, count));
    return count ? add_name(r, result, op->first_result, count) : NULL;
}

/* ^bb0(%a: t, %b: t): */
static fl_status read_arguments(reader *r, fl_mosaic_block *block)
{
    fl_type types[64];
    fl_slice_text names[64];
    if (!accept(r, "^")) return NULL;
    word(r);
    if (accept(r, "("))
        while (!accept(r, ")")) {
            if (block->arg_count == 64) return expected(r, "fewer arguments");
            EXPECT(r, "%");
            names[block->arg_count] = word(r);
            EXPECT(r, ":");
            FL_TRY(read_type(r, &types[block->arg_count++]));
            accept(r, ",");
        }
    EXPECT(r, ":");
    FL_TRY(add_values(r, types, block->arg_count, &block->first_arg));
    for (uint32_t i = 0; i < block->arg_count; i++) FL_TRY(add_name(r, names[i], block->first_arg + i, 1));
    return NULL;
}

/* Up to the brace that ends it. */
static fl_status read_block(reader *r, fl_mosaic_block *block)
{
    uint32_t names = r->name_count;
    fl_mosaic_op **last = &block->first;
    *block = (fl_mosaic_block){0};
    if (++r->depth > FL_MOSAIC_DEPTH) return expected(r, "regions that are less deep");
    FL_TRY(read_arguments(r, block));
    while (!accept(r, "}")) {
        fl_mosaic_op *op = FL_NEW(&r->m->arena, fl_mosaic_op);
        FL_CHECK(op, FL_OOM, "out of host memory");
        FL_TRY(read_op(r, op));
        *last = op;
        last = &op->next;
    }
    r->depth--;
    r->name_count = names;
    return NULL;
}

fl_status fl_mosaic_parse(const char *text, size_t length, fl_mosaic_module *out)
{
    reader r = {.at = text, .start = text, .end = text + length, .m = out};
    fl_mosaic_op module = {0};
    *out = (fl_mosaic_module){0};
    EXPECT(&r, "module");
    if (accept(&r, "attributes")) FL_TRY(read_attrs(&r, &out->arena, &module));
    EXPECT(&r, "{");
    FL_TRY(read_block(&r, &out->body));
    skip_space(&r);
    return r.at == r.end || !*r.at ? NULL : expected(&r, "the end");
}
