/* The types of operations: what stands behind the colon, see fl_type_part. */
#include "ir/text/parser.h"

int fl_parse_operand_type(fl_parser *p, fl_ref value)
{
    const char *at = p->token.start;
    const fl_type *expected = fl_type_of(p->builder.program, value);
    fl_type type;
    char got_text[200], expected_text[200];
    if (!fl_parse_type(p, &type)) return 0;
    if (fl_type_equal(&type, expected)) return 1;
    return fl_parse_error(p, at, "expected the operand's type %s, got %s",
                          fl_type_text(expected, expected_text, sizeof expected_text),
                          fl_type_text(&type, got_text, sizeof got_text));
}

int fl_parse_op_type(fl_parser *p, size_t refs)
{
    const char *at = p->token.start;
    size_t count = p->refs.count - refs, i = 0;
    if (!fl_expect(p, '(', "'('")) return 0;
    if (!fl_accept(p, ')')) {
        do {
            if (i == count)
                return fl_parse_error(p, at, "expected the types of %zu operands, got more", count);
            if (!fl_parse_operand_type(p, *FL_AT(p, refs, fl_ref, refs + i))) return 0;
            i++;
        } while (fl_accept(p, ','));
        if (!fl_expect(p, ')', "',' or ')'")) return 0;
    }
    if (i < count) return fl_parse_error(p, at, "expected the types of %zu operands, got %zu", count, i);
    return fl_expect(p, FL_TOKEN_ARROW, "'->'") && fl_parse_result_types(p);
}

/* ---- shorter forms ---- */

/* One type that all operands have, and the result. */
static int parse_same(fl_parser *p, fl_parsed_op *op)
{
    const char *at = p->token.start;
    fl_type type, *to;
    char expected[200], got[200];
    if (!fl_parse_type(p, &type)) return 0;
    for (size_t i = op->refs; i < p->refs.count; i++) {
        const fl_type *its = fl_type_of(p->builder.program, *FL_AT(p, refs, fl_ref, i));
        if (!fl_type_equal(its, &type))
            return fl_parse_error(p, at, "expected the type %s of operand %zu, got %s",
                                  fl_type_text(its, expected, sizeof expected), i - op->refs,
                                  fl_type_text(&type, got, sizeof got));
    }
    if (!(to = FL_PUSH(p, types, fl_type))) return 0;
    *to = type;
    return 1;
}

/* The type of the result; the operands have its real type. */
static int parse_complex_type(fl_parser *p, fl_parsed_op *op)
{
    const char *at = p->token.start;
    fl_type type, *to;
    char text[200];
    if (!fl_parse_type(p, &type)) return 0;
    fl_type real = type;
    real.dtype = (uint8_t)fl_real_dtype((fl_dtype)type.dtype);
    for (size_t i = op->refs; i < p->refs.count; i++)
        if (!fl_is_complex((fl_dtype)type.dtype) ||
            !fl_type_equal(fl_type_of(p->builder.program, *FL_AT(p, refs, fl_ref, i)), &real))
            return fl_parse_error(p, at, "expected a complex type of the operands' element type, got %s",
                                  fl_type_text(&type, text, sizeof text));
    if (!(to = FL_PUSH(p, types, fl_type))) return 0;
    *to = type;
    return 1;
}

/* t of the predicate, t of the others and of the result */
static int parse_select_type(fl_parser *p, fl_parsed_op *op)
{
    size_t refs = op->refs;
    if (p->refs.count - refs != 3)
        return fl_parse_error(p, op->at, "expected 3 operands, got %zu", p->refs.count - refs);
    fl_ref on_true = *FL_AT(p, refs, fl_ref, refs + 1);
    if (!fl_parse_operand_type(p, *FL_AT(p, refs, fl_ref, refs)) || !fl_expect(p, ',', "','")) return 0;
    const char *at = p->token.start;
    if (!fl_parse_operand_type(p, on_true)) return 0;
    fl_type type = *fl_type_of(p->builder.program, on_true), *to;
    if (!fl_type_equal(&type, fl_type_of(p->builder.program, *FL_AT(p, refs, fl_ref, refs + 2))))
        return fl_parse_error(p, at, "expected the second and third operand to have the same type");
    if (!(to = FL_PUSH(p, types, fl_type))) return 0;
    *to = type;
    return 1;
}

int fl_parse_operand_types(fl_parser *p, size_t refs)
{
    for (size_t i = refs; i < p->refs.count; i++) {
        if (i > refs && !fl_expect(p, ',', "','")) return 0;
        if (!fl_parse_operand_type(p, *FL_AT(p, refs, fl_ref, i))) return 0;
    }
    return 1;
}

/* tuple<t1, t2> */
static int parse_tuple_type(fl_parser *p, fl_parsed_op *op)
{
    const char *at = p->token.start;
    fl_type type, *to;
    if (!fl_parse_type(p, &type)) return 0;
    if (type.kind != FL_TYPE_TUPLE || type.more->count != p->refs.count - op->refs)
        return fl_parse_error(p, at, "expected a tuple of %zu members", p->refs.count - op->refs);
    for (uint32_t i = 0; i < type.more->count; i++)
        if (!fl_type_equal(fl_type_of(p->builder.program, *FL_AT(p, refs, fl_ref, op->refs + i)),
                           &type.more->members[i]))
            return fl_parse_error(p, at, "expected member %u to have the type of the operand", i);
    if (!(to = FL_PUSH(p, types, fl_type))) return 0;
    *to = type;
    return 1;
}

int fl_parse_types(fl_parser *p, fl_parsed_op *op, fl_type_part kind)
{
    if (!fl_expect(p, ':', "':'")) return 0;
    if (p->token.kind == '(' || kind == FL_TYPES_FUNCTION) return fl_parse_op_type(p, op->refs);
    switch (kind) {
    case FL_TYPES_FUNCTION:
    case FL_TYPES_SAME:
        if (!parse_same(p, op)) return 0;
        /* chlo.tan t -> t */
        return !fl_accept(p, FL_TOKEN_ARROW) || (p->types.count--, fl_parse_result_types(p));
    case FL_TYPES_COMPLEX: return parse_complex_type(p, op);
    case FL_TYPES_SELECT: return parse_select_type(p, op);
    case FL_TYPES_ARROW:
        return fl_parse_operand_types(p, op->refs) && fl_expect(p, FL_TOKEN_ARROW, "'->'") &&
               fl_parse_result_types(p);
    case FL_TYPES_RESULTS: return fl_parse_result_types(p);
    case FL_TYPES_FIRST:
        if (!parse_same(p, op)) return 0;
        p->types.count--;
        return 1;
    case FL_TYPES_TUPLE: return parse_tuple_type(p, op);
    }
    return 0;
}
