/* Elements of tensors: lists, one for all, bytes in hexadecimal, resources. The type stands behind the elements, so their
 * end is found first. */
#include "ir/text/parser.h"
#include "base/checked.h"

#include <stdio.h>

typedef struct elements {
    fl_parser *p;
    const char *at, *end;
    const fl_type *type;
    uint8_t *out;
    size_t size; /* of one */
} elements;

static void skip_space(elements *e)
{
    for (;;) {
        while (e->at < e->end && (*e->at == ' ' || *e->at == '\n' || *e->at == '\t' || *e->at == '\r'))
            e->at++;
        if (e->end - e->at < 2 || e->at[0] != '/' || e->at[1] != '/') return;
        e->at = memchr(e->at, '\n', (size_t)(e->end - e->at));
        if (!e->at) e->at = e->end;
    }
}

static int unexpected(elements *e, const char *what)
{
    const char *end = e->at;
    while (end < e->end && end - e->at < 40 && !strchr(" ,]\n", *end)) end++;
    if (end == e->at) end += end < e->end;
    if (end == e->at) return fl_parse_error(e->p, e->at, "expected %s, got the end of the elements", what);
    return fl_parse_error(e->p, e->at, "expected %s, got '%.*s'", what, (int)(end - e->at), e->at);
}

static int read_element(elements *e)
{
    const char *wrong = fl_read_element(&e->at, e->end, (fl_dtype)e->type->dtype, e->out);
    if (wrong) {
        char what[80];
        snprintf(what, sizeof what, "%s of type %s", wrong, fl_dtype_name((fl_dtype)e->type->dtype));
        return unexpected(e, what);
    }
    e->out += e->size;
    return 1;
}

static int wrong_count(elements *e, int dim, int too_many)
{
    char what[80];
    snprintf(what, sizeof what,
             too_many ? "']' after %lld elements in dimension %d" : "%lld elements in dimension %d",
             (long long)e->type->dims[dim], dim);
    return unexpected(e, what);
}

static int read_list(elements *e, int dim)
{
    int64_t count = e->type->dims[dim];
    int innermost = dim + 1 == e->type->rank;
    if (e->at == e->end || *e->at != '[') return unexpected(e, "'['");
    e->at++;
    for (int64_t i = 0;; i++) {
        skip_space(e);
        int closed = e->at < e->end && *e->at == ']';
        if (closed && i == count) break;
        if (closed || i == count) return wrong_count(e, dim, !closed);
        if (i) {
            if (e->at == e->end || *e->at != ',') return unexpected(e, "',' or ']'");
            e->at++;
            skip_space(e);
        }
        if (innermost ? !read_element(e) : !read_list(e, dim + 1)) return 0;
    }
    e->at++;
    return 1;
}

/* ---- bytes ---- */

enum { LARGE = 4096 };

/* Large ones lie in the program's arena from the beginning: what an operation keeps is not copied again. */
static void *alloc_elements(fl_parser *p, size_t bytes)
{
    if (bytes < LARGE) return fl_scratch_alloc(p, bytes);
    void *data = fl_arena_alloc(&p->builder.program->arena, bytes);
    if (!data) fl_no_memory(p);
    p->builder.kept = data;
    return data;
}

/* What hexadecimal digits may leave in the unused bits of an element. */
static void normalize(uint8_t *bytes, size_t count, fl_dtype dtype)
{
    unsigned bits = fl_dtypes[dtype].bits;
    if (dtype == FL_I1)
        for (size_t i = 0; i < count; i++) bytes[i] = bytes[i] != 0;
    else if (bits < 8 && fl_dtype_kind(dtype) == FL_KIND_INT)
        for (size_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)((int8_t)(bytes[i] << (8 - bits)) >> (8 - bits));
    else if (bits < 8)
        for (size_t i = 0; i < count; i++) bytes[i] &= (uint8_t)((1u << bits) - 1);
}

/* i1 in bits, lowest first, as older producers write it */
static int read_bits(fl_parser *p, const char *hex, size_t digits, size_t count, fl_dense *out)
{
    uint8_t *packed = fl_scratch_alloc(p, digits / 2), *bytes = fl_scratch_alloc(p, count);
    if (!packed || !bytes) return 0;
    if (!fl_read_hex(hex, digits, packed)) return fl_parse_error(p, hex, "expected hexadecimal digits");
    for (size_t i = 0; i < count; i++) bytes[i] = packed[i / 8] >> i % 8 & 1;
    out->data = bytes;
    out->count = (uint32_t)count;
    return 1;
}

static int read_hex(fl_parser *p, const char *hex, size_t digits, size_t count, fl_dense *out)
{
    fl_dtype dtype = (fl_dtype)out->type.dtype;
    size_t size = fl_dtype_bytes(dtype), bytes = digits / 2;
    if (dtype == FL_I1 && bytes != count && bytes > 1 && bytes == (count + 7) / 8 && !(digits & 1))
        return read_bits(p, hex, digits, count, out);
    if (digits & 1 || dtype == FL_TF32 || (bytes != count * size && (!count || bytes != size)))
        return fl_parse_error(p, hex, "expected %zu hexadecimal digits, or %zu for one element, got %zu",
                              2 * count * size, 2 * size, digits);
    if (bytes > UINT32_MAX) return fl_parse_error(p, hex, "expected less than 4 GiB of elements");
    uint8_t *data = alloc_elements(p, bytes);
    if (!data) return 0;
    if (!fl_read_hex(hex, digits, data)) return fl_parse_error(p, hex, "expected hexadecimal digits");
    normalize(data, bytes, dtype);
    out->data = data;
    out->count = (uint32_t)bytes;
    return 1;
}

/* ---- dense<...> ---- */

static int read_all(fl_parser *p, const char *at, const char *end, size_t count, fl_dense *out)
{
    elements e = {p, at, end, &out->type, NULL, fl_dtype_bytes((fl_dtype)out->type.dtype)};
    size_t bytes = count * e.size;
    int ok;
    skip_space(&e);
    if (e.at == e.end) {
        out->data = "";
        out->count = 0;
        return !count || unexpected(&e, "elements");
    }
    if (*e.at == '"') {
        const char *quote = memchr(e.at + 1, '"', (size_t)(e.end - e.at - 1));
        if (!quote || quote - e.at < 3 || e.at[1] != '0' || e.at[2] != 'x')
            return unexpected(&e, "\"0x...\"");
        const char *hex = e.at + 3;
        e.at = quote + 1;
        skip_space(&e);
        if (e.at != e.end) return unexpected(&e, "'>'");
        return read_hex(p, hex, (size_t)(quote - hex), count, out);
    }
    int splat = *e.at != '[';
    /* each element takes a character, and a comma between: a long list that is not there needs no memory */
    if (!splat && count > (size_t)(end - at)) return unexpected(&e, "as many elements as the type has");
    if (splat) bytes = e.size;
    if (bytes > UINT32_MAX) return fl_parse_error(p, at, "expected less than 4 GiB of elements");
    if (!(e.out = alloc_elements(p, bytes))) return 0;
    out->data = e.out;
    ok = splat ? read_element(&e) : out->type.rank ? read_list(&e, 0) : unexpected(&e, "one element");
    if (!ok) return 0;
    skip_space(&e);
    if (e.at != e.end) return unexpected(&e, "'>'");
    out->count = count ? (uint32_t)bytes : 0;
    return 1;
}

/* The '>' that ends the elements. */
static const char *find_end(const char *at, const char *end)
{
    const char *close = memchr(at, '>', (size_t)(end - at));
    if (!close) return NULL;
    if (!memchr(at, '/', (size_t)(close - at))) return close;
    const char *behind = fl_lex_skip(at - 1, end); /* a comment might hold the '>' */
    return behind ? behind - 1 : NULL;
}

static int element_count(fl_parser *p, const char *at, const fl_type *type, size_t *out)
{
    size_t n = 1, bytes;
    if (!fl_type_is_static(type))
        return fl_parse_error(p, at, "expected a tensor type without open dimensions");
    for (int i = 0; i < type->rank; i++)
        if (!fl_mul_size(n, (size_t)type->dims[i], &n))
            return fl_parse_error(p, at, "expected fewer elements");
    if (!fl_mul_size(n, 2 * fl_dtype_bytes((fl_dtype)type->dtype), &bytes))
        return fl_parse_error(p, at, "expected fewer elements");
    *out = n;
    return 1;
}

/* : type */
static int parse_its_type(fl_parser *p, fl_dense *out, size_t *count)
{
    if (!fl_expect(p, ':', "':'")) return 0;
    const char *at = p->token.start;
    return fl_parse_type(p, &out->type) && element_count(p, at, &out->type, count);
}

static int parse_resource(fl_parser *p, fl_dense *out);

int fl_parse_dense(fl_parser *p, fl_dense *out)
{
    fl_token saved;
    size_t count;
    int started = fl_parse_alias_start(p, &saved);
    if (!started) return 0;
    if (fl_at_word(p, "dense_resource")) {
        if (!parse_resource(p, out)) return 0;
    } else {
        if (!fl_expect_word(p, "dense")) return 0;
        if (p->token.kind != '<') return fl_expected(p, "'<'");
        const char *at = p->token.end, *end = find_end(at, p->end);
        if (!end) return fl_parse_error(p, at - 1, "expected a '>' that ends the elements");
        fl_lex_seek(p, end + 1);
        if (!parse_its_type(p, out, &count) || !read_all(p, at, end, count, out)) return 0;
    }
    fl_parse_alias_end(p, started, &saved);
    return 1;
}

/* ---- resources ---- */

static int parse_key(fl_parser *p, const char **out, uint32_t *length)
{
    if (p->token.kind != FL_TOKEN_ID && p->token.kind != FL_TOKEN_STRING) return fl_expected(p, "a name");
    return fl_parse_string(p, out, length) && fl_expect(p, ':', "':'");
}

/* { name: "0x...", ... } */
static int parse_blobs(fl_parser *p, int keep)
{
    if (!fl_expect(p, '{', "'{'")) return 0;
    if (fl_accept(p, '}')) return 1;
    do {
        const char *name;
        uint32_t length;
        if (!parse_key(p, &name, &length)) return 0;
        const char *start = p->token.start;
        size_t n = fl_token_length(&p->token);
        if (keep && p->token.kind == FL_TOKEN_STRING && n >= 4 && start[1] == '0' && start[2] == 'x') {
            fl_resource *r = FL_PUSH(p, resources, fl_resource);
            if (!r) return 0;
            name = fl_arena_copy(&p->builder.program->arena, name, (size_t)length + 1);
            if (!name) return fl_no_memory(p);
            *r = (fl_resource){name, length, start + 3, n - 4};
        }
        fl_lex_next(p);
    } while (fl_accept(p, ','));
    return fl_expect(p, '}', "',' or '}'");
}

/* {-# dialect_resources: { builtin: { name: "0x..." } } #-}, which stands at the end of the text */
static int read_resources(fl_parser *p)
{
    const char *at = p->end - 3;
    if (p->end - p->text < 3) return 1;
    while (at > p->text && memcmp(at, "{-#", 3)) at--;
    if (memcmp(at, "{-#", 3)) return 1;
    fl_lex_seek(p, at + 3);
    do {
        const char *section, *dialect;
        uint32_t length;
        if (!parse_key(p, &section, &length) || !fl_expect(p, '{', "'{'")) return 0;
        if (fl_accept(p, '}')) continue;
        do {
            if (!parse_key(p, &dialect, &length)) return 0;
            if (!parse_blobs(p, !strcmp(section, "dialect_resources") && !strcmp(dialect, "builtin")))
                return 0;
        } while (fl_accept(p, ','));
        if (!fl_expect(p, '}', "',' or '}'")) return 0;
    } while (fl_accept(p, ','));
    return 1;
}

static const fl_resource *find_resource(const fl_parser *p, const char *name, uint32_t length)
{
    for (size_t i = 0; i < p->resources.count; i++) {
        const fl_resource *r = FL_AT(p, resources, fl_resource, i);
        if (r->name_length == length && !memcmp(r->name, name, length)) return r;
    }
    return NULL;
}

/* dense_resource<name> : type */
static int parse_resource(fl_parser *p, fl_dense *out)
{
    const char *name;
    uint32_t length;
    size_t count;
    fl_lex_next(p);
    if (!fl_expect(p, '<', "'<'")) return 0;
    const char *at = p->token.start;
    if (p->token.kind != FL_TOKEN_ID && p->token.kind != FL_TOKEN_STRING)
        return fl_expected(p, "the name of a resource");
    if (!fl_parse_string(p, &name, &length) || !fl_expect(p, '>', "'>'") || !parse_its_type(p, out, &count))
        return 0;
    if (!p->resources_read) {
        fl_token saved = p->token;
        if (!read_resources(p)) return 0;
        p->token = saved;
        p->resources_read = 1;
    }
    const fl_resource *r = find_resource(p, name, length);
    if (!r) return fl_parse_error(p, at, "expected a resource in the text, got '%.60s'", name);
    if (r->digits < 8) return fl_parse_error(p, r->hex, "expected 8 hexadecimal digits of alignment");
    /* the first four bytes are the alignment */
    return read_hex(p, r->hex + 8, r->digits - 8, count, out);
}
