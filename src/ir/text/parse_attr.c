/* Attributes of any kind, as literals. */
#include "ir/text/parser.h"
#include "base/f8.h"
#include "base/half.h"

#include <stdlib.h>

static int parse_literal(fl_parser *p, fl_literal *out);

/* ---- text kept as it is ---- */

static int keep_text(fl_parser *p, const char *start, const char *end, fl_literal *out)
{
    size_t length = (size_t)(end - start);
    char *text = fl_scratch_alloc(p, length + 1);
    if (!text) return 0;
    if (length >= UINT32_MAX) return fl_parse_error(p, start, "expected an attribute of less than 4 GiB");
    memcpy(text, start, length);
    text[length] = 0;
    *out = (fl_literal){.kind = FL_LIT_OPAQUE, .count = (uint32_t)length, .u.string = text};
    return 1;
}

/* From `start` to behind the brackets that stand at `open`. */
static int keep_bracketed(fl_parser *p, const char *start, const char *open, fl_literal *out)
{
    const char *end = fl_lex_skip(open, p->end);
    if (!end) return fl_parse_error(p, open, "expected '%c' to be closed", *open);
    fl_lex_seek(p, end);
    return keep_text(p, start, end, out);
}

int fl_parse_opaque(fl_parser *p, fl_literal *out)
{
    fl_token t = p->token;
    if (t.kind != FL_TOKEN_HASH) return fl_parse_literal(p, out) && keep_text(p, t.start, p->last, out);
    if (t.end < p->end && *t.end == '<') return keep_bracketed(p, t.start, t.end, out);
    fl_lex_next(p);
    return keep_text(p, t.start, t.end, out);
}

/* affine_map<...> and others of the builtin dialect that say nothing to us */
static int parse_other_builtin(fl_parser *p, fl_literal *out)
{
    static const char *const names[] = {"affine_map", "affine_set", "strided", "sparse",
                                        "distinct",   "loc",        "opaque"};
    fl_token t = p->token;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!fl_token_is(&t, names[i])) continue;
        fl_lex_next(p);
        if (p->token.kind != '<' && p->token.kind != '(' && p->token.kind != '[')
            return fl_expected(p, "'<'");
        return keep_bracketed(p, t.start, p->token.start, out);
    }
    return fl_expected(p, "an attribute");
}

/* ---- numbers ---- */

static double to_double(fl_dtype dtype, const void *element)
{
    float f;
    double d;
    uint16_t h;
    memcpy(&h, element, 2);
    memcpy(&f, element, 4);
    memcpy(&d, element, 8);
    switch (dtype) {
    case FL_F64: return d;
    case FL_F32:
    case FL_TF32: return (double)f;
    case FL_F16: return (double)fl_f32_from_f16(h);
    case FL_BF16: return (double)fl_f32_from_bf16(h);
    default: return (double)fl_f32_from_f8(dtype, *(const uint8_t *)element);
    }
}

/* -1, 1 : i32, 1.0 : f32, 0x7FC00000 : f32 */
static int parse_number(fl_parser *p, fl_literal *out)
{
    const char *start = p->token.start, *at = start, *wrong;
    fl_token sign = p->token;
    if (fl_accept(p, '-') && (p->token.start != sign.end)) return fl_expected(p, "a number");
    int is_float = p->token.kind == FL_TOKEN_FLOAT;
    const char *end = p->token.end;
    fl_dtype dtype = is_float ? FL_F64 : FL_I64;
    if (p->token.kind != FL_TOKEN_INT && !is_float) return fl_expected(p, "a number");
    fl_lex_next(p);
    if (p->token.kind == ':') {
        fl_type type;
        fl_lex_next(p);
        const char *type_at = p->token.start;
        if (!fl_parse_type(p, &type)) return 0;
        if (type.kind != FL_TYPE_ELEMENT || type.more || fl_is_complex((fl_dtype)type.dtype))
            return fl_parse_error(p, type_at, "expected the type of an integer or a float");
        dtype = (fl_dtype)type.dtype;
    }
    *out = (fl_literal){.dtype = (uint8_t)dtype};
    if (fl_is_float(dtype)) {
        uint8_t element[16] = {0};
        out->kind = FL_LIT_FLOAT;
        wrong = fl_read_element(&at, end, dtype, element);
        out->u.f = to_double(dtype, element);
    } else {
        out->kind = dtype == FL_I1 ? FL_LIT_BOOL : FL_LIT_INT; /* 1 : i1 is true */
        wrong = fl_read_int(&at, end, dtype, &out->u.i);
    }
    if (!wrong && at == end) return 1;
    return fl_parse_error(p, start, "expected %s of type %s, got '%.*s'", wrong ? wrong : "a number",
                          fl_dtype_name(dtype), (int)(end - start < 60 ? end - start : 60), start);
}

/* array<i64: 1, 2>; of floats: kept as text */
static int parse_array(fl_parser *p, fl_literal *out)
{
    const char *start = p->token.start;
    size_t base = p->ints.count;
    fl_lex_next(p);
    const char *open = p->token.start;
    if (!fl_expect(p, '<', "'<'")) return 0;
    fl_dtype dtype =
        p->token.kind == FL_TOKEN_ID ? fl_parse_dtype(p->token.start, fl_token_length(&p->token)) : 0;
    if (!dtype) return fl_expected(p, "an element type");
    if (fl_is_float(dtype)) return keep_bracketed(p, start, open, out);
    const char *at = p->token.end, *end = p->end;
    fl_lex_next(p);
    while (p->token.kind == (p->ints.count == base ? ':' : ',')) {
        uint8_t element[16] = {0};
        int64_t value, *to;
        at = p->token.end;
        while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
        const char *from = at, *wrong = dtype == FL_I1 ? fl_read_element(&at, end, dtype, element)
                                                       : fl_read_int(&at, end, dtype, &value);
        if (wrong)
            return fl_parse_error(p, from, "expected %s of type %s, got '%.*s'", wrong, fl_dtype_name(dtype),
                                  (int)(end - from < 8 ? end - from : 8), from);
        if (!(to = FL_PUSH(p, ints, int64_t))) return 0;
        *to = dtype == FL_I1 ? element[0] : value;
        fl_lex_seek(p, at);
    }
    if (!fl_expect(p, '>', "',' or '>'")) return 0;
    *out =
        (fl_literal){.kind = FL_LIT_INTS, .dtype = (uint8_t)dtype, .count = (uint32_t)(p->ints.count - base)};
    out->u.ints = fl_take(p, &p->ints, base, sizeof(int64_t));
    return out->u.ints != NULL;
}

/* ---- collections ---- */

static int parse_list(fl_parser *p, fl_literal *out)
{
    size_t base = p->literals.count;
    fl_lex_next(p);
    if (p->token.kind != ']') {
        do {
            fl_literal item, *to;
            if (!fl_parse_literal(p, &item) || !(to = FL_PUSH(p, literals, fl_literal))) return 0;
            *to = item;
        } while (fl_accept(p, ','));
    }
    if (!fl_expect(p, ']', "',' or ']'")) return 0;
    *out = (fl_literal){.kind = FL_LIT_ARRAY, .count = (uint32_t)(p->literals.count - base)};
    out->u.items = fl_take(p, &p->literals, base, sizeof(fl_literal));
    return out->u.items != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const fl_entry *)a)->name, ((const fl_entry *)b)->name);
}

int fl_take_dict(fl_parser *p, size_t base, fl_literal *out)
{
    size_t count = p->entries.count - base;
    const char *at = p->token.start;
    fl_entry *entries = fl_take(p, &p->entries, base, sizeof *entries);
    if (!entries) return 0;
    qsort(entries, count, sizeof *entries, by_name);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(entries[i - 1].name, entries[i].name))
            return fl_parse_error(p, at, "expected attributes of different names, got '%.60s' twice",
                                  entries[i].name);
    *out = (fl_literal){.kind = FL_LIT_DICT, .count = (uint32_t)count, .u.entries = entries};
    return 1;
}

int fl_parse_dict(fl_parser *p, fl_literal *out)
{
    size_t base = p->entries.count;
    if (!fl_expect(p, '{', "'{'")) return 0;
    if (p->token.kind != '}') {
        do {
            fl_entry entry, *to;
            uint32_t length;
            if (p->token.kind != FL_TOKEN_ID && p->token.kind != FL_TOKEN_STRING)
                return fl_expected(p, "the name of an attribute");
            if (!fl_parse_string(p, &entry.name, &length)) return 0;
            entry.value = (fl_literal){.kind = FL_LIT_UNIT};
            if (fl_accept(p, '=') && !fl_parse_literal(p, &entry.value)) return 0;
            if (!(to = FL_PUSH(p, entries, fl_entry))) return 0;
            *to = entry;
        } while (fl_accept(p, ','));
    }
    return fl_expect(p, '}', "',' or '}'") && fl_take_dict(p, base, out);
}

/* ---- any attribute ---- */

static int parse_type_literal(fl_parser *p, fl_literal *out)
{
    fl_type type;
    if (!fl_parse_type(p, &type)) return 0;
    *out = (fl_literal){.kind = FL_LIT_TYPE};
    out->type = fl_scratch_copy(p, &type, sizeof type);
    return out->type != NULL;
}

/* "text", perhaps with a type, which says nothing */
static int parse_string_literal(fl_parser *p, fl_literal *out)
{
    fl_type type;
    *out = (fl_literal){.kind = FL_LIT_STRING};
    if (!fl_parse_string(p, &out->u.string, &out->count)) return 0;
    return !fl_accept(p, ':') || fl_parse_type(p, &type);
}

static int parse_symbol(fl_parser *p, fl_literal *out)
{
    const char *start = p->token.start;
    *out = (fl_literal){.kind = FL_LIT_SYMBOL};
    if (!fl_parse_string(p, &out->u.string, &out->count)) return 0;
    if (p->token.kind != FL_TOKEN_COLONS) return 1;
    while (fl_accept(p, FL_TOKEN_COLONS))
        if (!fl_expect(p, FL_TOKEN_SYMBOL, "a symbol")) return 0;
    return keep_text(p, start, p->last, out); /* @module::@function */
}

static int parse_dense_literal(fl_parser *p, fl_literal *out)
{
    fl_dense dense;
    if (!fl_parse_dense(p, &dense)) return 0;
    *out = (fl_literal){
        .kind = FL_LIT_DENSE, .dtype = dense.type.dtype, .count = dense.count, .u.data = dense.data};
    out->type = fl_scratch_copy(p, &dense.type, sizeof dense.type);
    return out->type != NULL;
}

static int parse_word(fl_parser *p, fl_literal *out)
{
    *out = (fl_literal){.kind = FL_LIT_BOOL, .dtype = FL_I1};
    if (fl_accept_word(p, "true")) return out->u.i = 1;
    if (fl_accept_word(p, "false")) return 1;
    if (fl_accept_word(p, "unit")) {
        *out = (fl_literal){.kind = FL_LIT_UNIT};
        return 1;
    }
    if (fl_at_word(p, "dense") || fl_at_word(p, "dense_resource")) return parse_dense_literal(p, out);
    if (fl_at_word(p, "array")) return parse_array(p, out);
    return fl_at_type(p) ? parse_type_literal(p, out) : parse_other_builtin(p, out);
}

static int parse_literal(fl_parser *p, fl_literal *out)
{
    switch (p->token.kind) {
    case FL_TOKEN_ID: return parse_word(p, out);
    case FL_TOKEN_STRING: return parse_string_literal(p, out);
    case FL_TOKEN_SYMBOL: return parse_symbol(p, out);
    case FL_TOKEN_HASH: return fl_parse_opaque(p, out);
    case FL_TOKEN_INT:
    case FL_TOKEN_FLOAT:
    case '-': return parse_number(p, out);
    case '[': return parse_list(p, out);
    case '{': return fl_parse_dict(p, out);
    case FL_TOKEN_TYPE:
    case '(': return parse_type_literal(p, out);
    default: return fl_expected(p, "an attribute");
    }
}

int fl_parse_literal(fl_parser *p, fl_literal *out)
{
    fl_token saved;
    int started = p->token.kind == FL_TOKEN_HASH ? fl_parse_alias_start(p, &saved) : 1;
    if (!started || !fl_enter(p)) return 0;
    if (started == 2 ? !fl_parse_literal(p, out) : !parse_literal(p, out)) return 0;
    p->depth--;
    fl_parse_alias_end(p, started, &saved);
    return 1;
}
