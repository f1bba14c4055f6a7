/* Attributes that operations know: from text to fl_attr. */
#include "ir/text/parser.h"

#include <stdio.h>

enum { MOST_INTS = 1 << 20 }; /* one number may stand for all of a list */

int fl_add_attr(fl_parser *p, const fl_parsed_op *op, const fl_attr *attr)
{
    for (size_t i = op->attrs; i < p->attrs.count; i++)
        if (FL_AT(p, attrs, fl_attr, i)->key == attr->key)
            return fl_parse_error(p, p->last, "expected attributes of different names, got '%s' twice",
                                  fl_syntax_attr(op->code, (fl_attr_key)attr->key));
    fl_attr *to = FL_PUSH(p, attrs, fl_attr);
    if (!to) return 0;
    *to = *attr;
    return 1;
}

int fl_add_ints(fl_parser *p, const fl_parsed_op *op, fl_attr_key key, size_t base)
{
    fl_attr a = {.key = (uint16_t)key, .count = (uint32_t)(p->ints.count - base)};
    a.u.ints = fl_take(p, &p->ints, base, sizeof(int64_t));
    return a.u.ints && fl_add_attr(p, op, &a);
}

static int push_int(fl_parser *p, int64_t value)
{
    int64_t *to = FL_PUSH(p, ints, int64_t);
    if (!to) return 0;
    *to = value;
    return 1;
}

/* ---- enumerations ---- */

/* How much of the token is "#stablehlo" or "#chlo", and whether ".<type>" is all that follows. */
static size_t dialect_length(const fl_token *t, const char *type, int *dotted)
{
    size_t length = t->kind == FL_TOKEN_HASH ? fl_token_length(t) : 0, n = strlen(type);
    size_t dialect = length >= 10 && !memcmp(t->start, "#stablehlo", 10) ? 10
                     : length >= 5 && !memcmp(t->start, "#chlo", 5)      ? 5
                                                                         : 0;
    *dotted =
        dialect && length == dialect + 1 + n && t->start[dialect] == '.' && !memcmp(t->end - n, type, n);
    return *dotted || length == dialect ? dialect : 0;
}

static int parse_enum_name(fl_parser *p, fl_attr_key key, int64_t *out)
{
    char what[80];
    *out = p->token.kind == FL_TOKEN_ID ? fl_enum_value(key, p->token.start, fl_token_length(&p->token)) : -1;
    snprintf(what, sizeof what, "a value of %s, %s for example", fl_enum_type(key), fl_enum_name(key, 0));
    if (*out < 0) return fl_expected(p, what);
    fl_lex_next(p);
    return 1;
}

/* #stablehlo<fft_type RFFT>, #stablehlo.fft_type<RFFT>, or those of chlo */
int fl_parse_enum(fl_parser *p, fl_attr_key key, int64_t *out)
{
    const char *type = fl_enum_type(key);
    char what[80];
    fl_token saved;
    int started = fl_parse_alias_start(p, &saved), dotted;
    if (!started) return 0;
    snprintf(what, sizeof what, "#stablehlo<%s ...>", type);
    if (!dialect_length(&p->token, type, &dotted)) return fl_expected(p, what);
    fl_lex_next(p);
    if (!fl_expect(p, '<', "'<'") || (!dotted && !fl_expect_word(p, type)) || !parse_enum_name(p, key, out))
        return 0;
    if (!fl_expect(p, '>', "'>'")) return 0;
    fl_parse_alias_end(p, started, &saved);
    return 1;
}

int fl_parse_enums(fl_parser *p, fl_parsed_op *op, fl_attr_key key)
{
    fl_token saved;
    size_t base = p->ints.count;
    int started = fl_parse_alias_start(p, &saved);
    if (!started || !fl_expect(p, '[', "'['")) return 0;
    while (p->token.kind != ']') {
        int64_t value;
        if (p->ints.count > base && !fl_expect(p, ',', "',' or ']'")) return 0;
        if (p->token.kind == FL_TOKEN_HASH ? !fl_parse_enum(p, key, &value)
                                           : !parse_enum_name(p, key, &value))
            return 0;
        if (!push_int(p, value)) return 0;
    }
    fl_lex_next(p);
    fl_parse_alias_end(p, started, &saved);
    return fl_add_ints(p, op, key, base);
}

/* ---- values in dictionaries ---- */

static int64_t load_int(fl_dtype dtype, const uint8_t *at)
{
    uint64_t v = 0;
    size_t bytes = fl_dtype_bytes(dtype);
    memcpy(&v, at, bytes);
    if (fl_dtype_kind(dtype) == FL_KIND_INT && bytes < 8)
        return (int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    return (int64_t)v;
}

/* The integers of dense<...>, pushed. */
static int push_dense(fl_parser *p, const char *at, const fl_literal *l)
{
    fl_dtype dtype = (fl_dtype)l->type->dtype;
    int64_t count = fl_type_elements(l->type);
    if (fl_is_float(dtype) || fl_is_complex(dtype)) return fl_parse_error(p, at, "expected integers");
    if (count > MOST_INTS)
        return fl_parse_error(p, at, "expected at most %d integers, got %lld", MOST_INTS, (long long)count);
    size_t step = l->count == fl_dtype_bytes(dtype) ? 0 : fl_dtype_bytes(dtype);
    for (int64_t i = 0; i < count; i++)
        if (!push_int(p, load_int(dtype, (const uint8_t *)l->u.data + (size_t)i * step))) return 0;
    return 1;
}

static int add_dense_list(fl_parser *p, const fl_parsed_op *op, fl_attr_key key, const char *at,
                          const fl_literal *l)
{
    fl_attr a = {.key = (uint16_t)key};
    size_t base = p->ints.count;
    if (fl_syntax_spelling(key) == FL_SPELL_MATRIX) {
        if (l->type->rank != 2)
            return fl_parse_error(p, at, "expected a matrix, got %d dimensions", l->type->rank);
        int64_t columns = l->type->dims[1];
        if (key != FL_ATTR_replica_groups && fl_type_elements(l->type) && columns != 2)
            return fl_parse_error(p, at, "expected two columns, got %lld", (long long)columns);
        if (columns > UINT16_MAX) return fl_parse_error(p, at, "expected at most %d columns", UINT16_MAX);
        if (key == FL_ATTR_replica_groups) a.columns = (uint16_t)columns;
    }
    if (!push_dense(p, at, l)) return 0;
    a.count = (uint32_t)(p->ints.count - base);
    a.u.ints = fl_take(p, &p->ints, base, sizeof(int64_t));
    return a.u.ints && fl_add_attr(p, op, &a);
}

static int add_list(fl_parser *p, const fl_parsed_op *op, fl_attr_key key, const char *at,
                    const fl_literal *l)
{
    if (l->kind == FL_LIT_DENSE) return add_dense_list(p, op, key, at, l);
    if (l->kind != FL_LIT_INTS)
        return fl_parse_error(
            p, at, "expected a list of integers, array<i64: 0, 1> or dense<[0, 1]> : tensor<2xi64>");
    fl_attr a = {.key = (uint16_t)key, .count = l->count, .u.ints = l->u.ints};
    return fl_add_attr(p, op, &a);
}

int fl_parse_flatten(fl_parser *p, const char *at, fl_literal *l)
{
    if (l->kind == FL_LIT_DENSE) {
        size_t base = p->ints.count;
        if (l->type->rank != 1) return fl_parse_error(p, at, "expected lists of integers");
        if (!push_dense(p, at, l)) return 0;
        *l = (fl_literal){.kind = FL_LIT_INTS, .dtype = l->dtype, .count = (uint32_t)(p->ints.count - base)};
        return (l->u.ints = fl_take(p, &p->ints, base, sizeof(int64_t))) != NULL;
    }
    if (l->kind != FL_LIT_ARRAY) return fl_parse_error(p, at, "expected lists of integers");
    for (uint32_t i = 0; i < l->count; i++) /* the items are scratch memory of ours */
        if (!fl_parse_flatten(p, at, (fl_literal *)&l->u.items[i])) return 0;
    return 1;
}

static int add_literal(fl_parser *p, fl_parsed_op *op, fl_attr_key key, const char *at, fl_literal *l)
{
    fl_attr a = {.key = (uint16_t)key};
    if ((key == FL_ATTR_operand_layouts || key == FL_ATTR_result_layouts || key == FL_ATTR_result_tilings) &&
        !fl_parse_flatten(p, at, l))
        return 0;
    if (key == FL_ATTR_backend_config && l->kind != FL_LIT_STRING && l->kind != FL_LIT_DICT)
        return fl_parse_error(p, at, "expected a string or a dictionary");
    if (key == FL_ATTR_composite_attributes && l->kind != FL_LIT_DICT)
        return fl_parse_error(p, at, "expected a dictionary");
    a.u.literal = fl_scratch_copy(p, l, sizeof *l);
    return a.u.literal && fl_add_attr(p, op, &a);
}

/* An attribute whose form the literal must have. */
static int add_by_form(fl_parser *p, fl_parsed_op *op, fl_attr_key key, const char *at, fl_literal *l)
{
    fl_attr a = {.key = (uint16_t)key, .u.i = l->u.i};
    switch ((fl_attr_form)fl_attr_infos[key].form) {
    case FL_FORM_ENUM: /* api_version alone is written as a number */
    case FL_FORM_INT:
        if (l->kind != FL_LIT_INT) return fl_parse_error(p, at, "expected an integer");
        break;
    case FL_FORM_BOOL:
        if (l->kind == FL_LIT_UNIT) a.u.i = 1;
        if (l->kind != FL_LIT_UNIT && l->kind != FL_LIT_BOOL)
            return fl_parse_error(p, at, "expected true or false");
        break;
    case FL_FORM_FLOAT:
        if (l->kind != FL_LIT_FLOAT) return fl_parse_error(p, at, "expected a number with a decimal point");
        a.u.f = l->u.f;
        break;
    case FL_FORM_INTS: return add_list(p, op, key, at, l);
    case FL_FORM_STRING:
        if (l->kind != FL_LIT_STRING) return fl_parse_error(p, at, "expected a string");
        a.u.string = l->u.string;
        a.count = l->count;
        break;
    case FL_FORM_SYMBOL:
        if (l->kind != FL_LIT_SYMBOL) return fl_parse_error(p, at, "expected a symbol, @name");
        a.u.string = l->u.string;
        a.count = l->count;
        break;
    case FL_FORM_DTYPE:
        if (l->kind != FL_LIT_TYPE || l->type->kind != FL_TYPE_ELEMENT)
            return fl_parse_error(p, at, "expected an element type");
        a.u.i = l->type->dtype;
        break;
    default: return add_literal(p, op, key, at, l);
    }
    return fl_add_attr(p, op, &a);
}

int fl_parse_dense_value(fl_parser *p, fl_parsed_op *op)
{
    fl_dense dense;
    if (!fl_parse_dense(p, &dense)) return 0;
    op->value_type = dense.type;
    op->has_value = 1;
    fl_attr a = {.key = FL_ATTR_value, .count = dense.count, .u.dense = dense.data};
    return fl_add_attr(p, op, &a);
}

/* The number of constant_like: an element of its own type */
static int parse_number_value(fl_parser *p, fl_parsed_op *op)
{
    fl_literal l;
    const char *at = p->token.start, *from = at;
    uint8_t *element = fl_scratch_alloc(p, 16);
    if (!element || !fl_parse_literal(p, &l)) return 0;
    memset(element, 0, 16);
    int is_number = l.kind == FL_LIT_INT || l.kind == FL_LIT_FLOAT || l.kind == FL_LIT_BOOL;
    if (!is_number || fl_read_element(&from, p->last, (fl_dtype)l.dtype, element))
        return fl_parse_error(p, at, "expected a number");
    fl_attr a = {
        .key = FL_ATTR_value, .count = (uint32_t)fl_dtype_bytes((fl_dtype)l.dtype), .u.dense = element};
    return fl_add_attr(p, op, &a);
}

/* Whether the token, or what its alias stands for, is #stablehlo.replica_group_mesh_axes. */
static int at_mesh_axes(fl_parser *p)
{
    fl_token saved;
    if (p->token.kind != FL_TOKEN_HASH) return 0;
    int started = fl_parse_alias_start(p, &saved);
    int found = started && fl_token_is(&p->token, "#stablehlo.replica_group_mesh_axes");
    if (started == 2) p->token = saved;
    return found;
}

/* What stands behind `name =` in a dictionary. */
static int parse_dict_value(fl_parser *p, fl_parsed_op *op, fl_attr_key key)
{
    const char *at = p->token.start;
    fl_literal literal;
    if (key == FL_ATTR_value)
        return op->code == FL_OP_constant_like ? parse_number_value(p, op) : fl_parse_dense_value(p, op);
    if (key == FL_ATTR_replica_groups && at_mesh_axes(p)) key = FL_ATTR_replica_group_mesh_axes;
    if (key == FL_ATTR_result_accuracy || key == FL_ATTR_output_operand_aliases ||
        key == FL_ATTR_replica_group_mesh_axes)
        return fl_parse_special(p, op, key);
    if (fl_syntax_spelling(key) == FL_SPELL_ENUMS) return fl_parse_enums(p, op, key);
    if (fl_attr_infos[key].form == FL_FORM_ENUM && fl_enum_type(key)) {
        fl_attr a = {.key = (uint16_t)key};
        return fl_parse_enum(p, key, &a.u.i) && fl_add_attr(p, op, &a);
    }
    return fl_parse_literal(p, &literal) && add_by_form(p, op, key, at, &literal);
}

static const fl_struct_info *find_struct(fl_opcode code, const char *name, size_t length)
{
    const fl_struct_info *info;
    for (unsigned i = 0; (info = fl_syntax_struct(code, i)) != NULL; i++)
        if (strlen(info->property) == length && !memcmp(info->property, name, length)) return info;
    return NULL;
}

/* An attribute that the operation does not know: a producer's own. */
static int parse_extra(fl_parser *p, const char *name)
{
    fl_entry entry = {name, {.kind = FL_LIT_UNIT}}, *to;
    if (fl_accept(p, '=') && !fl_parse_literal(p, &entry.value)) return 0;
    if (!strcmp(name, "operandSegmentSizes") || !strcmp(name, "resultSegmentSizes"))
        return 1; /* how many belong to each group of operands follows from their types */
    if (!(to = FL_PUSH(p, entries, fl_entry))) return 0;
    *to = entry;
    return 1;
}

static int parse_entry(fl_parser *p, fl_parsed_op *op)
{
    const char *name;
    uint32_t length;
    if (p->token.kind != FL_TOKEN_ID && p->token.kind != FL_TOKEN_STRING)
        return fl_expected(p, "the name of an attribute");
    if (!fl_parse_string(p, &name, &length)) return 0;
    const fl_struct_info *info = find_struct(op->code, name, length);
    fl_attr_key key = info ? FL_ATTR_NONE : fl_syntax_find(op->code, name, length);
    if (!info && !key) return parse_extra(p, name);
    if (p->token.kind != '=' && !info && fl_attr_infos[key].form == FL_FORM_BOOL) {
        fl_attr a = {.key = (uint16_t)key, .u.i = 1};
        return fl_add_attr(p, op, &a);
    }
    if (!fl_expect(p, '=', "'='")) return 0;
    return info ? fl_parse_struct(p, op, info) : parse_dict_value(p, op, key);
}

int fl_parse_key_dict(fl_parser *p, fl_parsed_op *op)
{
    if (!fl_expect(p, '{', "'{'")) return 0;
    if (fl_accept(p, '}')) return 1;
    do {
        if (!parse_entry(p, op)) return 0;
    } while (fl_accept(p, ','));
    return fl_expect(p, '}', "',' or '}'");
}

/* ---- values in pretty forms ---- */

int fl_parse_ints(fl_parser *p)
{
    if (!fl_expect(p, '[', "'['")) return 0;
    if (fl_accept(p, ']')) return 1;
    do {
        int64_t value;
        if (!fl_parse_i64(p, &value) || !push_int(p, value)) return 0;
    } while (fl_accept(p, ','));
    return fl_expect(p, ']', "',' or ']'");
}

/* 1.0e-3, or 1.0e-3 : f64, where the operation's type follows */
static int parse_float_value(fl_parser *p, double *out)
{
    const char *at = p->token.start;
    fl_token sign = p->token;
    fl_accept(p, '-');
    if ((p->token.kind != FL_TOKEN_FLOAT && p->token.kind != FL_TOKEN_INT) ||
        (sign.kind == '-' && p->token.start != sign.end) || fl_read_element(&at, p->token.end, FL_F64, out) ||
        at != p->token.end)
        return fl_expected(p, "a number with a decimal point");
    fl_lex_next(p);
    fl_token colon = p->token;
    if (fl_accept(p, ':') && !fl_accept_word(p, "f64")) p->token = colon;
    return 1;
}

int fl_parse_bool(fl_parser *p, int64_t *out)
{
    *out = fl_at_word(p, "true");
    if (!*out && !fl_at_word(p, "false")) return fl_expected(p, "true or false");
    fl_lex_next(p);
    return 1;
}

int fl_parse_value(fl_parser *p, fl_parsed_op *op, fl_attr_key key)
{
    fl_attr a = {.key = (uint16_t)key};
    size_t base = p->ints.count;
    int ok;
    switch ((fl_attr_form)fl_attr_infos[key].form) {
    case FL_FORM_INTS:
        /* lists of integers stand in brackets, but older producers write dense<...> or array<...> */
        if (p->token.kind == '[') return fl_parse_ints(p) && fl_add_ints(p, op, key, base);
        return parse_dict_value(p, op, key);
    case FL_FORM_INT: ok = fl_parse_i64(p, &a.u.i); break;
    case FL_FORM_BOOL: ok = fl_parse_bool(p, &a.u.i); break;
    case FL_FORM_FLOAT: ok = parse_float_value(p, &a.u.f); break;
    case FL_FORM_STRING:
        ok = p->token.kind == FL_TOKEN_STRING ? fl_parse_string(p, &a.u.string, &a.count)
                                              : fl_expected(p, "a string");
        break;
    case FL_FORM_ENUM:
        if (p->token.kind == FL_TOKEN_HASH) return parse_dict_value(p, op, key);
        ok = parse_enum_name(p, key, &a.u.i);
        break;
    default: return parse_dict_value(p, op, key);
    }
    return ok && fl_add_attr(p, op, &a);
}
