/* Attributes of several fields: dimension numbers, channel handles, algorithms, accuracies, meshes. */
#include "ir/text/parser.h"

#include <stdio.h>

static int expect_hash(fl_parser *p, const char *dialect, const char *mnemonic)
{
    char name[64];
    snprintf(name, sizeof name, "#%s.%s", dialect, mnemonic);
    if (p->token.kind != FL_TOKEN_HASH || !fl_token_is(&p->token, name)) return fl_expected(p, name);
    fl_lex_next(p);
    return 1;
}

/* ---- fields that are attributes of their own ---- */

static const fl_struct_field *find_field(const fl_struct_info *info, const fl_token *name)
{
    for (const fl_struct_field *f = info->fields; f->name; f++)
        if (name->kind == FL_TOKEN_ID && fl_token_is(name, f->name)) return f;
    return NULL;
}

static int parse_field(fl_parser *p, fl_parsed_op *op, const fl_struct_field *field)
{
    fl_attr a = {.key = field->key};
    size_t base = p->ints.count;
    int64_t dropped;
    fl_type type;
    if (!field->key) return fl_parse_i64(p, &dropped);
    switch ((fl_attr_form)fl_attr_infos[field->key].form) {
    case FL_FORM_INTS: return fl_parse_ints(p) && fl_add_ints(p, op, (fl_attr_key)field->key, base);
    case FL_FORM_BOOL:
        if (!fl_parse_bool(p, &a.u.i)) return 0;
        break;
    case FL_FORM_DTYPE: {
        const char *at = p->token.start;
        if (!fl_parse_type(p, &type)) return 0;
        if (type.kind != FL_TYPE_ELEMENT) return fl_parse_error(p, at, "expected an element type");
        a.u.i = type.dtype;
        break;
    }
    default:
        if (!fl_parse_i64(p, &a.u.i)) return 0;
    }
    return fl_add_attr(p, op, &a);
}

/* Numbers that are 0 may be left out. */
static int add_missing(fl_parser *p, fl_parsed_op *op, const fl_struct_info *info)
{
    for (const fl_struct_field *f = info->fields; f->name; f++) {
        size_t i = op->attrs;
        if (!f->key || fl_attr_infos[f->key].form != FL_FORM_INT) continue;
        while (i < p->attrs.count && FL_AT(p, attrs, fl_attr, i)->key != f->key) i++;
        fl_attr a = {.key = f->key};
        if (i == p->attrs.count && !fl_add_attr(p, op, &a)) return 0;
    }
    return 1;
}

int fl_parse_struct_fields(fl_parser *p, fl_parsed_op *op, const fl_struct_info *info)
{
    if (!fl_expect(p, '<', "'<'")) return 0;
    fl_accept_word(p, "raw"); /* of convolutions whose numbers have no shorter form */
    while (p->token.kind != '>') {
        const fl_struct_field *field = find_field(info, &p->token);
        char what[64];
        snprintf(what, sizeof what, "a field of %s, %s for example", info->mnemonic, info->fields->name);
        if (!field) return fl_expected(p, what);
        fl_lex_next(p);
        if (!fl_expect(p, '=', "'='") || !parse_field(p, op, field)) return 0;
        if (!fl_accept(p, ',')) break;
    }
    return fl_expect(p, '>', "',' or '>'") && add_missing(p, op, info);
}

int fl_parse_struct(fl_parser *p, fl_parsed_op *op, const fl_struct_info *info)
{
    fl_token saved;
    int started = fl_parse_alias_start(p, &saved), ok;
    if (!started || !expect_hash(p, info->dialect, info->mnemonic)) return 0;
    fl_token open = p->token;
    if (!strcmp(info->mnemonic, "conv") && fl_accept(p, '<') && p->token.kind == '[') {
        ok = fl_parse_conv_dims(p, op) && fl_expect(p, '>', "'>'");
    } else {
        p->token = open;
        ok = fl_parse_struct_fields(p, op, info);
    }
    if (ok) fl_parse_alias_end(p, started, &saved);
    return ok;
}

/* ---- [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1] ---- */

/* One of the three: where the two letters stand, and where each spatial dimension stands. */
static int parse_conv_operand(fl_parser *p, fl_parsed_op *op, const char *letters, fl_attr_key first,
                              fl_attr_key second, fl_attr_key spatial)
{
    int64_t at[FL_MAX_RANK], letter_at[2] = {-1, -1}, count = 0;
    int position = 0;
    const char *start = p->token.start;
    memset(at, -1, sizeof at);
    if (!fl_expect(p, '[', "'['")) return 0;
    do {
        const fl_token *t = &p->token;
        const char *item = t->start;
        const char *letter =
            t->kind == FL_TOKEN_ID && fl_token_length(t) == 1 ? strchr(letters, *t->start) : NULL;
        int64_t *slot = letter ? &letter_at[letter - letters] : NULL, number = 0;
        if (position == FL_MAX_RANK) return fl_expected(p, "at most 16 dimensions");
        if (!letter) {
            if (t->kind != FL_TOKEN_INT && t->kind != '?')
                return fl_expected(p, letters[0] == 'b' ? "b, f or the number of a spatial dimension"
                                                        : "i, o or the number of a spatial dimension");
            if (t->kind == '?') return fl_expected(p, "a dimension that is known");
            if (!fl_parse_i64(p, &number)) return 0;
            if (number < 0 || number >= FL_MAX_RANK)
                return fl_parse_error(p, item, "expected a spatial dimension below %d, got %lld", FL_MAX_RANK,
                                      (long long)number);
            slot = &at[number];
            count = number + 1 > count ? number + 1 : count;
        } else {
            fl_lex_next(p);
        }
        if (*slot >= 0) return fl_parse_error(p, item, "expected each dimension once");
        *slot = position++;
    } while (fl_accept(p, ','));
    if (!fl_expect(p, ']', "',' or ']'")) return 0;
    if (letter_at[0] < 0 || letter_at[1] < 0 || count != position - 2)
        return fl_parse_error(p, start, "expected %c, %c and the spatial dimensions from 0 on", letters[0],
                              letters[1]);
    fl_attr a = {.key = (uint16_t)first, .u.i = letter_at[0]},
            b = {.key = (uint16_t)second, .u.i = letter_at[1]};
    fl_attr dims = {.key = (uint16_t)spatial, .count = (uint32_t)count};
    dims.u.ints = fl_scratch_copy(p, at, (size_t)count * sizeof *at);
    return dims.u.ints && fl_add_attr(p, op, &a) && fl_add_attr(p, op, &b) && fl_add_attr(p, op, &dims);
}

int fl_parse_conv_dims(fl_parser *p, fl_parsed_op *op)
{
    return parse_conv_operand(p, op, "bf", FL_ATTR_input_batch_dimension, FL_ATTR_input_feature_dimension,
                              FL_ATTR_input_spatial_dimensions) &&
           fl_expect_word(p, "x") &&
           parse_conv_operand(p, op, "io", FL_ATTR_kernel_input_feature_dimension,
                              FL_ATTR_kernel_output_feature_dimension, FL_ATTR_kernel_spatial_dimensions) &&
           fl_expect(p, FL_TOKEN_ARROW, "'->'") &&
           parse_conv_operand(p, op, "bf", FL_ATTR_output_batch_dimension, FL_ATTR_output_feature_dimension,
                              FL_ATTR_output_spatial_dimensions);
}

/* ---- structures that are kept as dictionaries ---- */

static int push_entry(fl_parser *p, const char *name, fl_literal value)
{
    fl_entry *to = FL_PUSH(p, entries, fl_entry);
    if (!to) return 0;
    *to = (fl_entry){name, value};
    return 1;
}

static fl_literal integer(int64_t value)
{
    return (fl_literal){.kind = FL_LIT_INT, .dtype = FL_I64, .u.i = value};
}

static int parse_named_int(fl_parser *p, const char *name)
{
    int64_t value;
    return fl_expect_word(p, name) && fl_expect(p, '=', "'='") && fl_parse_i64(p, &value) &&
           push_entry(p, name, integer(value));
}

static int parse_named_float(fl_parser *p, const char *name)
{
    fl_literal l = {.kind = FL_LIT_FLOAT, .dtype = FL_F64};
    if (!fl_expect(p, '=', "'='")) return 0;
    const char *at = p->token.start;
    fl_accept(p, '-'); /* an infinity is written as its bits, 0x7FF0000000000000 */
    if ((p->token.kind != FL_TOKEN_FLOAT && p->token.kind != FL_TOKEN_INT) ||
        fl_read_element(&at, p->token.end, FL_F64, &l.u.f) || at != p->token.end)
        return fl_expected(p, "a number with a decimal point");
    fl_lex_next(p);
    return push_entry(p, name, l) && fl_expect(p, ',', "','");
}

/* #stablehlo.result_accuracy<atol = 1.0e-5, rtol = 0.0, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>> */
static int parse_accuracy(fl_parser *p, fl_literal *out)
{
    size_t base = p->entries.count;
    fl_literal zero = {.kind = FL_LIT_FLOAT, .dtype = FL_F64};
    int64_t ulps = 0, mode;
    if (!expect_hash(p, "stablehlo", "result_accuracy") || !fl_expect(p, '<', "'<'")) return 0;
    if (!(fl_accept_word(p, "atol") ? parse_named_float(p, "atol") : push_entry(p, "atol", zero))) return 0;
    if (!(fl_accept_word(p, "rtol") ? parse_named_float(p, "rtol") : push_entry(p, "rtol", zero))) return 0;
    if (fl_accept_word(p, "ulps") &&
        !(fl_expect(p, '=', "'='") && fl_parse_i64(p, &ulps) && fl_expect(p, ',', "','")))
        return 0;
    return push_entry(p, "ulps", integer(ulps)) && fl_expect_word(p, "mode") && fl_expect(p, '=', "'='") &&
           fl_parse_enum(p, FL_ATTR_result_accuracy, &mode) && push_entry(p, "mode", integer(mode)) &&
           fl_expect(p, '>', "'>'") && fl_take_dict(p, base, out);
}

static int parse_named_ints(fl_parser *p, const char *name)
{
    size_t base = p->ints.count;
    fl_literal l = {.kind = FL_LIT_INTS, .dtype = FL_I64};
    if (!fl_expect_word(p, name) || !fl_expect(p, '=', "'='") || !fl_parse_ints(p)) return 0;
    l.count = (uint32_t)(p->ints.count - base);
    l.u.ints = fl_take(p, &p->ints, base, sizeof(int64_t));
    return l.u.ints && push_entry(p, name, l);
}

/* #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = [1]> */
static int parse_output_alias(fl_parser *p, fl_literal *out)
{
    size_t base = p->entries.count;
    return expect_hash(p, "stablehlo", "output_operand_alias") && fl_expect(p, '<', "'<'") &&
           parse_named_ints(p, "output_tuple_indices") && fl_expect(p, ',', "','") &&
           parse_named_int(p, "operand_index") && fl_expect(p, ',', "','") &&
           parse_named_ints(p, "operand_tuple_indices") && fl_expect(p, '>', "'>'") &&
           fl_take_dict(p, base, out);
}

static int parse_name(fl_parser *p)
{
    fl_literal l = {.kind = FL_LIT_STRING};
    if (!fl_expect_word(p, "name") || !fl_expect(p, '=', "'='")) return 0;
    if (p->token.kind != FL_TOKEN_STRING) return fl_expected(p, "a string");
    return fl_parse_string(p, &l.u.string, &l.count) && push_entry(p, "name", l);
}

/* name = "x", size = 2 */
static int parse_mesh_axis(fl_parser *p, fl_literal *out)
{
    size_t base = p->entries.count;
    return expect_hash(p, "stablehlo", "mesh_axis") && fl_expect(p, '<', "'<'") && parse_name(p) &&
           fl_expect(p, ',', "','") && parse_named_int(p, "size") && fl_expect(p, '>', "'>'") &&
           fl_take_dict(p, base, out);
}

/* name = "x", sub_axis_info = (1)2: the part of size 2 that has 1 before it */
static int parse_axis(fl_parser *p, fl_literal *out)
{
    size_t base = p->entries.count;
    int64_t before, size;
    if (!expect_hash(p, "stablehlo", "axis_ref") || !fl_expect(p, '<', "'<'") || !parse_name(p)) return 0;
    if (fl_accept(p, ',') &&
        !(fl_expect_word(p, "sub_axis_info") && fl_expect(p, '=', "'='") && fl_expect(p, '(', "'('") &&
          fl_parse_i64(p, &before) && fl_expect(p, ')', "')'") && fl_parse_i64(p, &size) &&
          push_entry(p, "pre_size", integer(before)) && push_entry(p, "size", integer(size))))
        return 0;
    return fl_expect(p, '>', "'>'") && fl_take_dict(p, base, out);
}

typedef int parse_item(fl_parser *p, fl_literal *out);

/* An item, or what an alias stands for. */
static int parse_aliased(fl_parser *p, parse_item *parse, fl_literal *out)
{
    fl_token saved;
    int started = fl_parse_alias_start(p, &saved);
    if (!started || !parse(p, out)) return 0;
    fl_parse_alias_end(p, started, &saved);
    return 1;
}

static int parse_items(fl_parser *p, parse_item *parse, fl_literal *out)
{
    size_t base = p->literals.count;
    if (!fl_expect(p, '[', "'['")) return 0;
    while (p->token.kind != ']') {
        fl_literal item, *to;
        if (p->literals.count > base && !fl_expect(p, ',', "',' or ']'")) return 0;
        if (!parse_aliased(p, parse, &item) || !(to = FL_PUSH(p, literals, fl_literal))) return 0;
        *to = item;
    }
    fl_lex_next(p);
    *out = (fl_literal){.kind = FL_LIT_ARRAY, .count = (uint32_t)(p->literals.count - base)};
    out->u.items = fl_take(p, &p->literals, base, sizeof(fl_literal));
    return out->u.items != NULL;
}

/* @mesh, or #stablehlo.mesh<axes = [#stablehlo.mesh_axis<...>], device_ids = dense<...>> */
static int parse_mesh(fl_parser *p, fl_literal *out)
{
    size_t base = p->entries.count;
    fl_literal axes, ids;
    if (p->token.kind == FL_TOKEN_SYMBOL) return fl_parse_literal(p, out);
    if (!expect_hash(p, "stablehlo", "mesh") || !fl_expect(p, '<', "'<'") || !fl_expect_word(p, "axes") ||
        !fl_expect(p, '=', "'='") || !parse_items(p, parse_mesh_axis, &axes) || !push_entry(p, "axes", axes))
        return 0;
    if (fl_accept(p, ',')) {
        if (!fl_expect_word(p, "device_ids") || !fl_expect(p, '=', "'='")) return 0;
        const char *at = p->token.start;
        if (!fl_parse_literal(p, &ids) || !fl_parse_flatten(p, at, &ids) || !push_entry(p, "device_ids", ids))
            return 0;
    }
    return fl_expect(p, '>', "'>'") && fl_take_dict(p, base, out);
}

/* #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<...>]> */
static int parse_mesh_axes(fl_parser *p, fl_literal *out)
{
    size_t base = p->entries.count;
    fl_literal mesh, axes;
    return expect_hash(p, "stablehlo", "replica_group_mesh_axes") && fl_expect(p, '<', "'<'") &&
           fl_expect_word(p, "mesh") && fl_expect(p, '=', "'='") && parse_aliased(p, parse_mesh, &mesh) &&
           push_entry(p, "mesh", mesh) && fl_expect(p, ',', "','") && fl_expect_word(p, "axes") &&
           fl_expect(p, '=', "'='") && parse_items(p, parse_axis, &axes) && push_entry(p, "axes", axes) &&
           fl_expect(p, '>', "'>'") && fl_take_dict(p, base, out);
}

int fl_parse_special(fl_parser *p, fl_parsed_op *op, fl_attr_key key)
{
    fl_literal *l = fl_scratch_alloc(p, sizeof *l);
    if (!l) return 0;
    if (key == FL_ATTR_output_operand_aliases
            ? !parse_items(p, parse_output_alias, l)
            : !parse_aliased(p, key == FL_ATTR_result_accuracy ? parse_accuracy : parse_mesh_axes, l))
        return 0;
    fl_attr a = {.key = (uint16_t)key, .u.literal = l};
    return fl_add_attr(p, op, &a);
}
