/* Types. */
#include "ir/text/parser.h"

fl_dtype fl_parse_dtype(const char *name, size_t length)
{
    static const struct {
        const char *name;
        uint8_t length;
    } names[FL_DTYPE_COUNT] = {
#define FL_DTYPE(NAME, mlir, bits, bytes, kind) [FL_##NAME] = {mlir, sizeof(mlir) - 1},
#include "base/dtypes.def"
#undef FL_DTYPE
    };
    for (int d = 1; d < FL_DTYPE_COUNT; d++)
        if (names[d].length == length && !memcmp(names[d].name, name, length)) return (fl_dtype)d;
    return FL_DTYPE_NONE;
}

/* ---- elements ---- */

/* `i8` or `u8` of a quantized type */
static int parse_storage(fl_parser *p, fl_quant *q)
{
    char name[8] = "u";
    const fl_token *t = &p->token;
    size_t length = fl_token_length(t), sign = t->kind == FL_TOKEN_ID && *t->start == 'u';
    fl_dtype dtype = FL_DTYPE_NONE;
    if (t->kind == FL_TOKEN_ID && length < 5) {
        memcpy(name + sign, t->start, length);
        if (sign) name[1] = 'i';
        dtype = fl_parse_dtype(name, length + sign);
    }
    if (dtype == FL_IDX || fl_dtypes[dtype].bits > 32 ||
        (fl_dtype_kind(dtype) != FL_KIND_INT && fl_dtype_kind(dtype) != FL_KIND_UINT))
        return fl_expected(p, "an integer type of at most 32 bits, i8 or u8 for example");
    int bits = fl_dtypes[dtype].bits;
    q->storage = (uint8_t)dtype;
    q->min = sign ? 0 : -((int64_t)1 << (bits - 1));
    q->max = ((int64_t)1 << (bits - !sign)) - 1;
    fl_lex_next(p);
    if (!fl_accept(p, '<')) return 1;
    return fl_parse_i64(p, &q->min) && fl_expect(p, ':', "':'") && fl_parse_i64(p, &q->max) &&
           fl_expect(p, '>', "'>'");
}

/* scale, or scale:zero_point */
static int parse_scale(fl_parser *p, double *scale, int64_t *zero_point)
{
    const char *at = p->token.start;
    *zero_point = 0;
    if (p->token.kind != FL_TOKEN_FLOAT || fl_read_f64(&at, p->token.end, scale))
        return fl_expected(p, "a scale");
    fl_lex_next(p);
    return !fl_accept(p, ':') || fl_parse_i64(p, zero_point);
}

/* {0.1:-30, 0.5:-20}; the values lie on the stack of integers meanwhile, the doubles as their bits */
static int parse_scales(fl_parser *p, fl_quant *q)
{
    size_t base = p->ints.count, n;
    do {
        double scale;
        int64_t zero_point, bits, *out;
        if (!parse_scale(p, &scale, &zero_point)) return 0;
        memcpy(&bits, &scale, 8);
        if (!(out = FL_PUSH(p, ints, int64_t))) return 0;
        *out = bits;
        if (!(out = FL_PUSH(p, ints, int64_t))) return 0;
        *out = zero_point;
    } while (fl_accept(p, ','));
    n = (p->ints.count - base) / 2;
    double *scales = fl_scratch_alloc(p, n * sizeof *scales);
    int64_t *zero_points = fl_scratch_alloc(p, n * sizeof *zero_points);
    if (!scales || !zero_points) return 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(&scales[i], FL_AT(p, ints, int64_t, base + 2 * i), 8);
        zero_points[i] = *FL_AT(p, ints, int64_t, base + 2 * i + 1);
    }
    p->ints.count = base;
    q->scales = scales;
    q->zero_points = zero_points;
    q->count = (uint32_t)n;
    return fl_expect(p, '}', "',' or '}'");
}

static int parse_scale_of_all(fl_parser *p, fl_quant *q)
{
    double *scale = fl_scratch_alloc(p, sizeof *scale);
    int64_t *zero_point = fl_scratch_alloc(p, sizeof *zero_point);
    if (!scale || !zero_point || !parse_scale(p, scale, zero_point)) return 0;
    q->scales = scale;
    q->zero_points = zero_point;
    q->count = 1;
    return 1;
}

/* !quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5:-20}> */
static int parse_quant(fl_parser *p, fl_type *out, fl_type_more *more)
{
    fl_quant *q = fl_scratch_alloc(p, sizeof *q);
    if (!q) return 0;
    memset(q, 0, sizeof *q);
    q->axis = -1;
    if (!fl_expect(p, FL_TOKEN_TYPE, "!quant.uniform") || !fl_expect(p, '<', "'<'") || !parse_storage(p, q) ||
        !fl_expect(p, ':', "':'"))
        return 0;
    fl_dtype expressed =
        p->token.kind == FL_TOKEN_ID ? fl_parse_dtype(p->token.start, fl_token_length(&p->token)) : 0;
    if (!fl_is_float(expressed)) return fl_expected(p, "a type of floats");
    q->expressed = (uint8_t)expressed;
    fl_lex_next(p);
    if (fl_accept(p, ':')) {
        int64_t axis;
        if (p->token.kind == '{')
            return fl_expected(p, "a dimension (quantization by blocks is not supported)");
        if (!fl_parse_i64(p, &axis)) return 0;
        q->axis = (int8_t)(axis < 0 || axis >= FL_MAX_RANK ? FL_MAX_RANK : axis);
    }
    if (!fl_expect(p, ',', "','")) return 0;
    if (q->axis < 0 ? !parse_scale_of_all(p, q) : !fl_expect(p, '{', "'{'") || !parse_scales(p, q)) return 0;
    out->dtype = q->storage;
    more->quant = q;
    return fl_expect(p, '>', "'>'");
}

/* complex<f32> */
static int parse_complex(fl_parser *p, fl_type *out)
{
    fl_lex_next(p);
    if (!fl_expect(p, '<', "'<'")) return 0;
    out->dtype = fl_at_word(p, "f32") ? FL_C64 : fl_at_word(p, "f64") ? FL_C128 : FL_DTYPE_NONE;
    if (!out->dtype) return fl_expected(p, "f32 or f64");
    fl_lex_next(p);
    return fl_expect(p, '>', "'>'");
}

static int parse_element(fl_parser *p, fl_type *out, fl_type_more *more)
{
    const fl_token *t = &p->token;
    if (t->kind == FL_TOKEN_TYPE && fl_token_is(t, "!quant.uniform")) return parse_quant(p, out, more);
    if (t->kind == FL_TOKEN_TYPE) {
        fl_token saved;
        int started = fl_parse_alias_start(p, &saved);
        if (started < 2) return started ? fl_expected(p, "an element type") : 0;
        if (!fl_enter(p) || !parse_element(p, out, more)) return 0;
        p->depth--;
        fl_parse_alias_end(p, started, &saved);
        return 1;
    }
    if (fl_at_word(p, "complex")) return parse_complex(p, out);
    fl_dtype dtype = t->kind == FL_TOKEN_ID ? fl_parse_dtype(t->start, fl_token_length(t)) : FL_DTYPE_NONE;
    if (!dtype) return fl_expected(p, "an element type");
    out->dtype = (uint8_t)dtype;
    fl_lex_next(p);
    return 1;
}

/* ---- dimensions ---- */

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
    return at;
}

/* 2x?x or *x, read by characters: 0x10 is no number here */
static int parse_dims(fl_parser *p, fl_type *out)
{
    const char *at = p->token.end, *end = p->end;
    if (p->token.kind != '<') return fl_expected(p, "'<'");
    for (;; at++) {
        at = skip_blanks(at, end);
        int64_t dim = FL_DYNAMIC;
        if (at < end && *at == '*' && !out->rank && out->kind == FL_TYPE_TENSOR) {
            out->kind = FL_TYPE_UNRANKED;
            at++;
        } else if (at < end && *at == '?') {
            at++;
        } else if (at < end && (unsigned)(*at - '0') < 10) {
            const char *start = at;
            for (dim = 0; at < end && (unsigned)(*at - '0') < 10; at++)
                if (__builtin_mul_overflow(dim, 10, &dim) || __builtin_add_overflow(dim, *at - '0', &dim))
                    return fl_parse_error(p, start, "expected a size below 2^63");
        } else {
            break;
        }
        at = skip_blanks(at, end);
        if (at == end || *at != 'x') {
            fl_lex_seek(p, at);
            return fl_expected(p, "'x'");
        }
        if (out->kind == FL_TYPE_UNRANKED) {
            at++;
            break;
        }
        if (out->rank == FL_MAX_RANK)
            return fl_parse_error(p, at, "expected at most %d dimensions", FL_MAX_RANK);
        out->dims[out->rank++] = dim;
    }
    fl_lex_seek(p, at);
    return 1;
}

/* 4, ? up to what closes them */
static int parse_bounds(fl_parser *p, const fl_type *type, fl_type_more *more, int close)
{
    int64_t *bounds = fl_scratch_alloc(p, FL_MAX_RANK * sizeof *bounds);
    int count = 0;
    const char *at = p->token.start;
    if (!bounds) return 0;
    while (p->token.kind != close) {
        if (count && !fl_expect(p, ',', "','")) return 0;
        if (count == type->rank) break;
        bounds[count] = FL_DYNAMIC;
        if (!fl_accept(p, '?') && !fl_parse_i64(p, &bounds[count])) return 0;
        count++;
    }
    if (count != type->rank || p->token.kind != close)
        return fl_parse_error(p, at, "expected a bound for each of %d dimensions", type->rank);
    fl_lex_next(p);
    more->bounds = bounds;
    return 1;
}

static int parse_encoding(fl_parser *p, const fl_type *type, fl_type_more *more)
{
    fl_token saved, token;
    int started = fl_parse_alias_start(p, &saved), ok;
    if (!started) return 0;
    token = p->token;
    if (token.kind == FL_TOKEN_HASH && fl_token_is(&token, "#stablehlo.bounds")) {
        fl_lex_next(p);
        ok = fl_expect(p, '<', "'<'") && parse_bounds(p, type, more, '>');
    } else if (token.kind == FL_TOKEN_HASH && fl_token_is(&token, "#stablehlo.type_extensions")) {
        fl_lex_next(p);
        ok = fl_expect(p, '<', "'<'") && fl_expect_word(p, "bounds") && fl_expect(p, '=', "'='") &&
             fl_expect(p, '[', "'['") && parse_bounds(p, type, more, ']') && fl_expect(p, '>', "'>'");
    } else {
        fl_literal literal;
        ok = fl_parse_opaque(p, &literal);
        if (ok) more->encoding = literal.u.string;
    }
    if (ok) fl_parse_alias_end(p, started, &saved);
    return ok;
}

static int keep_more(fl_parser *p, fl_type *out, const fl_type_more *more)
{
    if (more->quant || more->bounds || more->encoding || more->count) {
        fl_type_more *kept = fl_scratch_copy(p, more, sizeof *more);
        if (!kept) return 0;
        out->more = kept;
    }
    return 1;
}

static int check_type(fl_parser *p, const char *at, const fl_type *type)
{
    fl_builder_fail(&p->builder, fl_type_check(type));
    return fl_parse_check(p, at);
}

/* tensor<2x?xf32, #encoding>, memref<2xf32> */
static int parse_shaped(fl_parser *p, fl_type *out, fl_type_kind kind)
{
    const char *at = p->token.start;
    fl_type_more more = {0};
    memset(out, 0, sizeof *out);
    out->kind = (uint8_t)kind;
    fl_lex_next(p);
    if (!parse_dims(p, out) || !parse_element(p, out, &more)) return 0;
    if (fl_accept(p, ',') && !parse_encoding(p, out, &more)) return 0;
    if (p->token.kind != '>') return fl_expected(p, "',' or '>'");
    fl_lex_next(p);
    return keep_more(p, out, &more) && check_type(p, at, out);
}

/* ---- types of several ---- */

/* t1, t2 up to what closes them: pushed */
static int parse_members(fl_parser *p, int close)
{
    if (fl_accept(p, close)) return 1;
    do {
        fl_type type, *out; /* not into the stack itself, which may move meanwhile */
        if (!fl_parse_type(p, &type) || !(out = FL_PUSH(p, types, fl_type))) return 0;
        *out = type;
    } while (fl_accept(p, ','));
    return fl_expect(p, close, close == '>' ? "',' or '>'" : "',' or ')'");
}

static int take_members(fl_parser *p, size_t base, fl_type_more *more)
{
    more->count = (uint32_t)(p->types.count - base);
    more->members = fl_take(p, &p->types, base, sizeof(fl_type));
    return more->members != NULL;
}

static int parse_list(fl_parser *p, fl_type *out, fl_type_kind kind)
{
    fl_type_more *more = fl_scratch_alloc(p, sizeof *more);
    size_t base = p->types.count;
    if (!more) return 0;
    memset(more, 0, sizeof *more);
    memset(out, 0, sizeof *out);
    out->kind = (uint8_t)kind;
    out->more = more;
    fl_lex_next(p);
    return fl_expect(p, '<', "'<'") && parse_members(p, '>') && take_members(p, base, more);
}

static int parse_function(fl_parser *p, fl_type *out)
{
    fl_type_more *more = fl_scratch_alloc(p, sizeof *more);
    size_t base = p->types.count;
    if (!more) return 0;
    memset(more, 0, sizeof *more);
    memset(out, 0, sizeof *out);
    out->kind = FL_TYPE_FUNCTION;
    out->more = more;
    fl_lex_next(p);
    if (!parse_members(p, ')') || !fl_expect(p, FL_TOKEN_ARROW, "'->'")) return 0;
    more->inputs = (uint32_t)(p->types.count - base);
    return fl_parse_result_types(p) && take_members(p, base, more);
}

/* ---- any type ---- */

int fl_at_type(const fl_parser *p)
{
    const fl_token *t = &p->token;
    if (t->kind == FL_TOKEN_TYPE || t->kind == '(') return 1;
    if (t->kind != FL_TOKEN_ID) return 0;
    return fl_parse_dtype(t->start, fl_token_length(t)) || fl_token_is(t, "tensor") ||
           fl_token_is(t, "memref") || fl_token_is(t, "tuple") || fl_token_is(t, "complex") ||
           fl_token_is(t, "none");
}

static int parse_of_dialect(fl_parser *p, fl_type *out)
{
    fl_token saved;
    if (fl_token_is(&p->token, "!stablehlo.token")) {
        *out = (fl_type){.kind = FL_TYPE_TOKEN};
        fl_lex_next(p);
        return 1;
    }
    if (fl_token_is(&p->token, "!stablehlo.future")) return parse_list(p, out, FL_TYPE_FUTURE);
    if (fl_token_is(&p->token, "!quant.uniform")) {
        fl_type_more more = {0};
        *out = (fl_type){.kind = FL_TYPE_ELEMENT};
        return parse_quant(p, out, &more) && keep_more(p, out, &more);
    }
    int started = fl_parse_alias_start(p, &saved);
    if (!started) return 0;
    if (started == 1) return fl_expected(p, "a type");
    if (!fl_parse_type(p, out)) return 0;
    fl_parse_alias_end(p, started, &saved);
    return 1;
}

static int parse_type(fl_parser *p, fl_type *out)
{
    if (p->token.kind == FL_TOKEN_TYPE) return parse_of_dialect(p, out);
    if (p->token.kind == '(') return parse_function(p, out);
    if (p->token.kind != FL_TOKEN_ID) return fl_expected(p, "a type");
    if (fl_at_word(p, "memref")) return parse_shaped(p, out, FL_TYPE_BUFFER);
    if (fl_at_word(p, "tuple")) return parse_list(p, out, FL_TYPE_TUPLE);
    memset(out, 0, sizeof *out);
    out->kind = FL_TYPE_ELEMENT;
    if (fl_at_word(p, "complex")) return parse_complex(p, out);
    out->dtype = (uint8_t)fl_parse_dtype(p->token.start, fl_token_length(&p->token));
    if (fl_at_word(p, "none")) out->kind = FL_TYPE_NONE;
    if (!out->dtype && out->kind != FL_TYPE_NONE) return fl_expected(p, "a type");
    fl_lex_next(p);
    return 1;
}

int fl_parse_type(fl_parser *p, fl_type *out)
{
    if (fl_at_word(p, "tensor")) return parse_shaped(p, out, FL_TYPE_TENSOR);
    if (!fl_enter(p) || !parse_type(p, out)) return 0;
    p->depth--;
    return 1;
}

int fl_parse_value_type(fl_parser *p, fl_type *out)
{
    const char *at = p->token.start;
    char text[200];
    if (!fl_parse_type(p, out)) return 0;
    if (out->kind != FL_TYPE_ELEMENT && out->kind != FL_TYPE_FUNCTION && out->kind != FL_TYPE_NONE) return 1;
    return fl_parse_error(p, at, "expected the type of a value, a tensor for example, got %s",
                          fl_type_text(out, text, sizeof text));
}

int fl_parse_result_types(fl_parser *p)
{
    if (p->token.kind != '(') {
        fl_type type, *out;
        if (!fl_parse_type(p, &type) || !(out = FL_PUSH(p, types, fl_type))) return 0;
        *out = type;
        return 1;
    }
    fl_lex_next(p);
    return parse_members(p, ')');
}
