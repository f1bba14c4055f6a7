/* Operations of sdy in their own forms. Their attributes are kept as the text that stands for them elsewhere. */
#include "ir/text/parser.h"

/* The brackets at which the token is, as an attribute: `before`, the text with its brackets, `after`. */
static int add_text(fl_parser *p, fl_parsed_op *op, fl_attr_key key, const char *before, const char *after)
{
    const char *start = p->token.start, *end = fl_lex_skip(start, p->end);
    if (!end) return fl_expected(p, "brackets that are closed");
    size_t first = strlen(before), middle = (size_t)(end - start), last = strlen(after);
    if (middle > UINT32_MAX / 2) return fl_parse_error(p, start, "expected a shorter attribute");
    fl_literal *l = fl_scratch_alloc(p, sizeof *l);
    char *text = fl_scratch_alloc(p, first + middle + last + 1);
    if (!l || !text) return 0;
    memcpy(text, before, first);
    memcpy(text + first, start, middle);
    memcpy(text + first + middle, after, last + 1);
    *l = (fl_literal){.kind = FL_LIT_OPAQUE, .count = (uint32_t)(first + middle + last), .u.string = text};
    fl_attr a = {.key = (uint16_t)key, .u.literal = l};
    fl_lex_seek(p, end);
    return fl_add_attr(p, op, &a);
}

int fl_parse_sharding(fl_parser *p, fl_parsed_op *op)
{
    const char *name = fl_syntax_attr(op->code, FL_ATTR_sharding);
    if (strcmp(name, "sharding") && (!fl_expect_word(p, name) || !fl_expect(p, '=', "'='"))) return 0;
    if (p->token.kind != '<') return fl_expected(p, "a sharding, <@mesh, [{}]>");
    return add_text(p, op, FL_ATTR_sharding, "#sdy.sharding", "");
}

int fl_parse_axes(fl_parser *p, fl_parsed_op *op)
{
    const char *before = fl_syntax_axes(op->code);
    if (p->token.kind != '[' && p->token.kind != '{') return fl_expected(p, "axes, [{\"x\"}, {}]");
    return add_text(p, op, FL_ATTR_axes, before, ">");
}

/* in_shardings=[...], if it is there */
static int parse_shardings(fl_parser *p, fl_parsed_op *op, const char *name, fl_attr_key key)
{
    if (!fl_accept_word(p, name)) return 1;
    if (!fl_expect(p, '=', "'='")) return 0;
    if (p->token.kind != '[') return fl_expected(p, "a list of shardings, [<@mesh, [{}]>]");
    return add_text(p, op, key, "#sdy.sharding_per_value<", ">");
}

static int parse_manual_axes(fl_parser *p, fl_parsed_op *op)
{
    if (!fl_expect_word(p, "manual_axes") || !fl_expect(p, '=', "'='")) return 0;
    if (p->token.kind != '{') return fl_expected(p, "axes, {\"x\"}");
    return add_text(p, op, FL_ATTR_manual_axes, "#sdy<manual_axes", ">");
}

int fl_parse_sdy_region(fl_parser *p, fl_parsed_op *op)
{
    size_t names = p->tokens.count, types = p->types.count;
    fl_attr name = {.key = FL_ATTR_name};
    int is_named = op->code == FL_OP_named_computation;
    if (is_named) {
        if (!fl_expect(p, '<', "'<'")) return 0;
        if (p->token.kind != FL_TOKEN_STRING) return fl_expected(p, "a string");
        if (!fl_parse_string(p, &name.u.string, &name.count) || !fl_add_attr(p, op, &name) ||
            !fl_expect(p, '>', "'>'"))
            return 0;
    }
    if (!fl_expect(p, '(', "'('") || !fl_parse_operands(p) || !fl_expect(p, ')', "',' or ')'") ||
        !parse_shardings(p, op, "in_shardings", FL_ATTR_in_shardings) ||
        !parse_shardings(p, op, "out_shardings", FL_ATTR_out_shardings) ||
        (!is_named && !parse_manual_axes(p, op)))
        return 0;
    if (fl_accept(p, '(') && !fl_parse_block_args(p)) return 0;
    if (!fl_parse_region(p, names, types, 1)) return 0;
    if (p->token.kind == '{' && !fl_parse_key_dict(p, op)) return 0;
    return fl_expect(p, ':', "':'") && fl_parse_op_type(p, op->refs);
}
