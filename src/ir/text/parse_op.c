/* Operations: results, the generic form, and the pretty forms that syntax.def describes part by part. */
#include "ir/text/parser.h"

#include <pthread.h>
#include <stdio.h>

/* ---- names of operations ---- */

enum { TABLE = 512 }; /* a power of two, more than twice the number of operations */
static uint16_t table[TABLE];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static uint32_t hash_name(const char *name, size_t length)
{
    uint32_t h = (uint32_t)length;
    for (size_t i = 0; i < length; i++) h = (h ^ (uint8_t)name[i]) * 0x9E3779B1u;
    return (h ^ h >> 15) & (TABLE - 1);
}

static void fill_table(void)
{
    for (int code = 1; code < FL_OPCODE_COUNT; code++) {
        const char *name = fl_syntax_name((fl_opcode)code);
        uint32_t i = hash_name(name, strlen(name));
        while (table[i]) i = (i + 1) & (TABLE - 1);
        table[i] = (uint16_t)code;
    }
}

/* Names that are read, but never written. */
static fl_opcode other_name(const char *name, size_t length)
{
    static const struct {
        const char *name;
        uint16_t code;
    } names[] = {{"call", FL_OP_func_call}, {"chlo.tan", FL_OP_tan}, {"chlo.constant", FL_OP_constant}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == length && !memcmp(names[i].name, name, length))
            return (fl_opcode)names[i].code;
    return FL_OP_NONE;
}

fl_opcode fl_parse_opcode(const char *name, size_t length)
{
    _Static_assert(2 * FL_OPCODE_COUNT < TABLE, "room for every name");
    pthread_once(&table_once, fill_table);
    for (uint32_t i = hash_name(name, length); table[i]; i = (i + 1) & (TABLE - 1)) {
        const char *known = fl_syntax_name((fl_opcode)table[i]);
        if (!strncmp(known, name, length) && !known[length]) return (fl_opcode)table[i];
    }
    return other_name(name, length);
}

/* ---- pieces ---- */

int fl_parse_operands(fl_parser *p)
{
    if (p->token.kind != FL_TOKEN_VALUE) return 1;
    for (;;) {
        fl_ref value, *to;
        if (!fl_name_use(p, &value) || !(to = FL_PUSH(p, refs, fl_ref))) return 0;
        *to = value;
        if (p->token.kind != ',') return 1;
        fl_token comma = p->token;
        fl_lex_next(p);
        if (p->token.kind == FL_TOKEN_VALUE) continue;
        p->token = comma; /* an attribute follows */
        return 1;
    }
}

int fl_parse_block_args(fl_parser *p)
{
    while (p->token.kind != ')') {
        fl_token name = p->token, *to;
        fl_type type, *type_to;
        if (name.kind != FL_TOKEN_VALUE) return fl_expected(p, "an argument, or ')'");
        fl_lex_next(p);
        if (!fl_expect(p, ':', "':'") || !fl_parse_value_type(p, &type) || !fl_parse_location(p)) return 0;
        if (!(to = FL_PUSH(p, tokens, fl_token)) || !(type_to = FL_PUSH(p, types, fl_type))) return 0;
        *to = name;
        *type_to = type;
        if (!fl_accept(p, ',')) break;
    }
    return fl_expect(p, ')', "',' or ')'");
}

/* Operations up to the one that returns; pushes what that returns. */
int fl_parse_body(fl_parser *p)
{
    int end = 0;
    while (!end) {
        if (p->token.kind == '}') return fl_expected(p, "an operation that returns");
        if (!fl_parse_statement(p, &end)) return 0;
    }
    if (p->token.kind == FL_TOKEN_BLOCK)
        return fl_expected(p, "'}' (regions of several blocks are not supported)");
    return fl_expect(p, '}', "'}'");
}

/* ^bb0(%a: t): */
static int parse_label(fl_parser *p)
{
    if (p->token.kind != FL_TOKEN_BLOCK) return 1;
    fl_lex_next(p);
    if (fl_accept(p, '(') && !fl_parse_block_args(p)) return 0;
    return fl_expect(p, ':', "':'");
}

/* Gives the arguments of the block the names from `names` on, which are popped. */
int fl_define_args(fl_parser *p, const fl_block *block, size_t names)
{
    for (size_t i = names; i < p->tokens.count; i++) {
        fl_token name = *FL_AT(p, tokens, fl_token, i);
        if (!fl_name_define(p, &name, fl_block_arg(block, (uint32_t)(i - names)), 1)) return 0;
    }
    p->tokens.count = names;
    return 1;
}

int fl_parse_region(fl_parser *p, size_t names, size_t types, int named)
{
    size_t scope = p->names.count, refs = p->refs.count;
    const char *at = p->token.start;
    if (!fl_enter(p) || !fl_expect(p, '{', "'{'")) return 0;
    if (!named) {
        names = p->tokens.count;
        types = p->types.count;
        if (!parse_label(p)) return 0;
    }
    fl_block *block =
        fl_region_begin(&p->builder, FL_AT(p, types, fl_type, types), (uint32_t)(p->types.count - types));
    if (!fl_parse_check(p, at)) return 0;
    p->types.count = types;
    if (!fl_define_args(p, block, names) || !fl_parse_body(p)) return 0;
    fl_region_end(&p->builder, block, FL_AT(p, refs, fl_ref, refs), (uint32_t)(p->refs.count - refs));
    if (!fl_parse_check(p, at)) return 0;
    p->refs.count = refs;
    fl_names_pop(p, scope);
    p->depth--;
    fl_block **to = FL_PUSH(p, blocks, fl_block *);
    if (!to) return 0;
    *to = block;
    return 1;
}

/* ---- pretty forms ---- */

static int parse_named(fl_parser *p, fl_parsed_op *op, const fl_part *part)
{
    fl_token comma = p->token;
    if (part->kind == FL_PART_MAYBE) {
        if (!fl_accept(p, ',')) return 1;
        if (!fl_at_word(p, part->text)) {
            p->token = comma;
            return 1;
        }
    } else if (part->kind == FL_PART_NAMED && !fl_expect(p, ',', "','")) {
        return 0;
    }
    return fl_expect_word(p, part->text) && fl_expect(p, '=', "'='") &&
           fl_parse_value(p, op, (fl_attr_key)part->key);
}

static int parse_part(fl_parser *p, fl_parsed_op *op, const fl_part *part)
{
    switch ((fl_part_kind)part->kind) {
    case FL_PART_OPERANDS: return fl_parse_operands(p);
    case FL_PART_ARGUMENTS:
        return fl_expect(p, '(', "'('") && fl_parse_operands(p) && fl_expect(p, ')', "',' or ')'");
    case FL_PART_TEXT: return fl_expect_text(p, part->text);
    case FL_PART_VALUE: return fl_parse_value(p, op, (fl_attr_key)part->key);
    case FL_PART_NAMED:
    case FL_PART_MAYBE:
    case FL_PART_LEADING: return parse_named(p, op, part);
    case FL_PART_DICT: return p->token.kind != '{' || fl_parse_key_dict(p, op);
    case FL_PART_TYPES: return fl_parse_types(p, op, (fl_type_part)part->types);
    case FL_PART_OPERAND_TYPES: return fl_parse_operand_types(p, op->refs);
    default: return fl_parse_part(p, op, part);
    }
}

static int parse_pretty(fl_parser *p, fl_parsed_op *op)
{
    fl_token name = p->token;
    size_t length = fl_token_length(&name);
    op->code = fl_parse_opcode(name.start, length);
    if (!op->code) {
        if (!memchr(name.start, '.', length)) return fl_expected(p, "an operation");
        return fl_expected(p, "an operation of stablehlo, chlo or func");
    }
    fl_lex_next(p);
    const fl_part *part = fl_syntax[op->code];
    if (!part) {
        char what[80];
        snprintf(what, sizeof what, "the generic form, \"%s\"(...)", fl_syntax_name(op->code));
        p->token = name;
        return fl_expected(p, what);
    }
    for (; part->kind != FL_PART_END; part++)
        if (!parse_part(p, op, part)) return 0;
    return 1;
}

/* ---- the generic form ---- */

static int parse_regions(fl_parser *p)
{
    fl_lex_next(p);
    do {
        if (!fl_parse_region(p, 0, 0, 0)) return 0;
    } while (fl_accept(p, ','));
    return fl_expect(p, ')', "',' or ')'");
}

/* (operands) <{properties}> ({region}, ...) {attributes} : (types) -> types */
static int parse_generic_parts(fl_parser *p, fl_parsed_op *op)
{
    if (!fl_expect(p, '(', "'('") || !fl_parse_operands(p) || !fl_expect(p, ')', "',' or ')'")) return 0;
    if (p->token.kind == '[')
        return fl_expected(p, "no successors: operations that branch are not supported, but ':'");
    if (fl_accept(p, '<') && !(fl_parse_key_dict(p, op) && fl_expect(p, '>', "'>'"))) return 0;
    if (p->token.kind == '(' && !parse_regions(p)) return 0;
    if (p->token.kind == '{' && !fl_parse_key_dict(p, op)) return 0;
    return fl_expect(p, ':', "':'") && fl_parse_op_type(p, op->refs);
}

static int parse_generic(fl_parser *p, fl_parsed_op *op)
{
    fl_token name = p->token;
    size_t length = fl_token_length(&name) - 2;
    op->code = fl_parse_opcode(name.start + 1, length);
    if (!op->code) return fl_expected(p, "an operation of stablehlo, chlo or func");
    fl_lex_next(p);
    return parse_generic_parts(p, op);
}

/* ---- what ends a block ---- */

static int is_return(const fl_token *t)
{
    static const char *const names[] = {"return", "func.return", "stablehlo.return", "sdy.return"};
    fl_token bare = *t;
    if (t->kind == FL_TOKEN_STRING) bare.start++, bare.end--;
    if (t->kind != FL_TOKEN_ID && t->kind != FL_TOKEN_STRING) return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fl_token_is(&bare, names[i])) return 1;
    return 0;
}

/* return %0, %1 : t0, t1; attributes of it say nothing */
static int parse_return(fl_parser *p)
{
    fl_parsed_op op = {.at = p->token.start,
                       .refs = p->refs.count,
                       .types = p->types.count,
                       .attrs = p->attrs.count,
                       .entries = p->entries.count};
    int generic = p->token.kind == FL_TOKEN_STRING;
    fl_lex_next(p);
    if (generic) {
        if (!parse_generic_parts(p, &op)) return 0;
    } else {
        if (p->token.kind == '{' && !fl_parse_key_dict(p, &op)) return 0;
        if (!fl_parse_operands(p) || (p->token.kind == '{' && !fl_parse_key_dict(p, &op))) return 0;
        if (p->refs.count > op.refs && !(fl_expect(p, ':', "':'") && fl_parse_operand_types(p, op.refs)))
            return 0;
    }
    if (p->types.count > op.types) return fl_parse_error(p, op.at, "expected no results");
    p->attrs.count = op.attrs;
    p->entries.count = op.entries;
    return fl_parse_location(p);
}

/* ---- one operation ---- */

/* MLIR keeps stored values without a sign: those of !quant.uniform<u8:f32, 1.0> are written as elements of i8. */
static void drop_sign(fl_parser *p, const fl_parsed_op *op, const fl_type *type, fl_type *value)
{
    int is_unsigned = fl_dtype_kind((fl_dtype)type->dtype) == FL_KIND_UINT,
        bits = fl_dtypes[type->dtype].bits;
    if (!fl_type_quant(type) || !is_unsigned || value->dtype != type->dtype - FL_U8 + FL_I8) return;
    value->dtype = type->dtype;
    for (size_t i = op->attrs; bits < 8 && i < p->attrs.count; i++) {
        fl_attr *a = FL_AT(p, attrs, fl_attr, i);
        uint8_t *stored = (uint8_t *)(uintptr_t)a->u.dense; /* in the parser's own memory */
        for (uint32_t k = 0; a->key == FL_ATTR_value && k < a->count; k++)
            stored[k] &= (uint8_t)((1 << bits) - 1);
    }
}

/* The attribute `value` has the type of the result, or of the operand it is compared with; quantized: as stored. */
static int check_value(fl_parser *p, const fl_parsed_op *op)
{
    const fl_type *type = p->types.count > op->types ? FL_AT(p, types, fl_type, op->types)
                          : p->refs.count > op->refs
                              ? fl_type_of(p->builder.program, *FL_AT(p, refs, fl_ref, op->refs))
                              : &op->value_type;
    char expected[200], got[200];
    fl_type plain = *type, value = op->value_type;
    drop_sign(p, op, type, &value);
    plain.more = value.more = NULL;
    if (fl_type_equal(&plain, &value)) return 1;
    return fl_parse_error(p, op->at, "expected elements of type %s, got %s",
                          fl_type_text(&plain, expected, sizeof expected),
                          fl_type_text(&value, got, sizeof got));
}

static int build(fl_parser *p, fl_parsed_op *op, fl_ref *first, uint32_t *count)
{
    if (op->has_value && !check_value(p, op)) return 0;
    *count = (uint32_t)(p->types.count - op->types);
    *first =
        fl_build_typed(&p->builder, op->code, FL_AT(p, refs, fl_ref, op->refs),
                       (uint32_t)(p->refs.count - op->refs), FL_AT(p, attrs, fl_attr, op->attrs),
                       (uint32_t)(p->attrs.count - op->attrs), FL_AT(p, blocks, fl_block *, op->blocks),
                       (uint32_t)(p->blocks.count - op->blocks), FL_AT(p, types, fl_type, op->types), *count);
    if (!fl_parse_check(p, op->at)) return 0;
    fl_op *last = fl_last_op(&p->builder);
    if (op->code == FL_OP_func_call || op->code == FL_OP_composite || op->code == FL_OP_run_parallel) {
        fl_call_site *call = FL_PUSH(p, calls, fl_call_site);
        if (!call) return 0;
        *call = (fl_call_site){last, op->at};
    }
    if (p->entries.count == op->entries) return 1;
    fl_literal dict;
    if (!fl_take_dict(p, op->entries, &dict)) return 0;
    last->extra = fl_literal_keep(&p->builder.program->arena, &dict);
    return last->extra ? 1 : fl_no_memory(p);
}

/* %0, %1:2 = ; pushes the names, each with its count in place of its kind */
static int parse_result_names(fl_parser *p)
{
    if (p->token.kind != FL_TOKEN_VALUE) return 1;
    do {
        fl_token name = p->token, *to;
        int64_t count = 1;
        if (name.kind != FL_TOKEN_VALUE) return fl_expected(p, "the name of a result");
        fl_lex_next(p);
        if (fl_accept(p, ':')) {
            const char *at = p->token.start;
            if (!fl_parse_i64(p, &count)) return 0;
            if (count < 1 || count > UINT16_MAX)
                return fl_parse_error(p, at, "expected a number of results from 1 to %d, got %lld",
                                      UINT16_MAX, (long long)count);
        }
        if (!(to = FL_PUSH(p, tokens, fl_token))) return 0;
        *to = name;
        to->kind = (int)count;
    } while (fl_accept(p, ','));
    return fl_expect(p, '=', "'='");
}

static int define_results(fl_parser *p, const fl_parsed_op *op, size_t names, fl_ref first, uint32_t count)
{
    size_t i, named = 0;
    for (i = names; i < p->tokens.count; i++) named += (size_t)FL_AT(p, tokens, fl_token, i)->kind;
    if (named && named != count)
        return fl_parse_error(p, op->at, "expected names for %u results, got %zu", count, named);
    for (i = names; i < p->tokens.count; i++) {
        fl_token name = *FL_AT(p, tokens, fl_token, i);
        if (!fl_name_define(p, &name, first, (uint32_t)name.kind)) return 0;
        first += (fl_ref)name.kind;
    }
    p->tokens.count = names;
    return 1;
}

int fl_parse_statement(fl_parser *p, int *out_end)
{
    fl_scratch mark = fl_scratch_mark(p);
    size_t names = p->tokens.count;
    if (is_return(&p->token)) return *out_end = 1, parse_return(p);
    if (!parse_result_names(p)) return 0;
    fl_parsed_op op = {.at = p->token.start,
                       .refs = p->refs.count,
                       .types = p->types.count,
                       .attrs = p->attrs.count,
                       .entries = p->entries.count,
                       .blocks = p->blocks.count};
    fl_ref first;
    uint32_t count;
    if (p->token.kind != FL_TOKEN_STRING && p->token.kind != FL_TOKEN_ID)
        return fl_expected(p, "an operation");
    if (p->token.kind == FL_TOKEN_STRING ? !parse_generic(p, &op) : !parse_pretty(p, &op)) return 0;
    if (!fl_parse_location(p) || !build(p, &op, &first, &count)) return 0;
    if (!define_results(p, &op, names, first, count)) return 0;
    p->refs.count = op.refs;
    p->types.count = op.types;
    p->attrs.count = op.attrs;
    p->entries.count = op.entries;
    p->blocks.count = op.blocks;
    fl_scratch_release(p, mark);
    return 1;
}
