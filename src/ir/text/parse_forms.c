/* The parts of pretty forms that have a form of their own: see fl_part_kind. */
#include "ir/text/parser.h"

static int add_int(fl_parser *p, fl_parsed_op *op, fl_attr_key key, int64_t value)
{
    fl_attr a = {.key = (uint16_t)key, .u.i = value};
    return fl_add_attr(p, op, &a);
}

static int parse_dict_if_there(fl_parser *p, fl_parsed_op *op)
{
    return p->token.kind != '{' || fl_parse_key_dict(p, op);
}

static int push_type(fl_parser *p, const fl_type *type)
{
    fl_type copy = *type, *to = FL_PUSH(p, types, fl_type);
    if (!to) return 0;
    *to = copy;
    return 1;
}

/* ---- constants ---- */

static int parse_constant(fl_parser *p, fl_parsed_op *op)
{
    if (p->token.kind != '(')
        return parse_dict_if_there(p, op) && fl_parse_dense_value(p, op) && push_type(p, &op->value_type);
    fl_lex_next(p);
    if (!fl_expect(p, ')', "')'")) return 0;
    if (fl_accept(p, '<') && !(fl_parse_key_dict(p, op) && fl_expect(p, '>', "'>'"))) return 0;
    return parse_dict_if_there(p, op) && fl_expect(p, ':', "':'") && fl_parse_op_type(p, op->refs);
}

/* ---- small ones ---- */

/* digits of `text` behind `letter`, moved behind; -1: none */
static int64_t number_behind(const char **text, const char *end, char letter)
{
    int64_t n = 0;
    const char *c = *text, *from = c + 1;
    if (c == end || *c != letter) return -1;
    for (c++; c < end && (unsigned)(*c - '0') < 10 && n < 100000; c++) n = 10 * n + (*c - '0');
    *text = c;
    return c > from ? n : -1;
}

/* , format = e8m7 */
static int parse_exponent_mantissa(fl_parser *p, fl_parsed_op *op)
{
    if (!fl_expect(p, ',', "','") || !fl_expect_word(p, "format") || !fl_expect(p, '=', "'='")) return 0;
    const char *c = p->token.start, *end = p->token.end;
    int64_t exponent = number_behind(&c, end, 'e'), mantissa = number_behind(&c, end, 'm');
    if (p->token.kind != FL_TOKEN_ID || exponent < 0 || mantissa < 0 || c != end)
        return fl_expected(p, "a format, e8m7 for example");
    fl_lex_next(p);
    return add_int(p, op, FL_ATTR_exponent_bits, exponent) && add_int(p, op, FL_ATTR_mantissa_bits, mantissa);
}

static int parse_slices(fl_parser *p, fl_parsed_op *op)
{
    int64_t at[3][FL_MAX_RANK];
    uint32_t n = 0;
    static const uint16_t keys[] = {FL_ATTR_start_indices, FL_ATTR_limit_indices, FL_ATTR_strides};
    if (!fl_expect(p, '[', "'['")) return 0;
    while (p->token.kind != ']') {
        if (n && !fl_expect(p, ',', "',' or ']'")) return 0;
        if (n == FL_MAX_RANK) return fl_expected(p, "at most 16 ranges");
        at[2][n] = 1;
        if (!fl_parse_i64(p, &at[0][n]) || !fl_expect(p, ':', "':'") || !fl_parse_i64(p, &at[1][n])) return 0;
        if (fl_accept(p, ':') && !fl_parse_i64(p, &at[2][n])) return 0;
        n++;
    }
    fl_lex_next(p);
    for (int i = 0; i < 3; i++) {
        fl_attr a = {.key = keys[i], .count = n, .u.ints = fl_scratch_copy(p, at[i], n * sizeof(int64_t))};
        if (!a.u.ints || !fl_add_attr(p, op, &a)) return 0;
    }
    return 1;
}

static int parse_symbol(fl_parser *p, fl_parsed_op *op, fl_attr_key key)
{
    fl_attr a = {.key = (uint16_t)key};
    if (p->token.kind != FL_TOKEN_SYMBOL) return fl_expected(p, "a symbol, @name");
    return fl_parse_string(p, &a.u.string, &a.count) && fl_add_attr(p, op, &a);
}

/* ({...}, {...}), or nothing */
static int parse_regions(fl_parser *p)
{
    if (!fl_accept(p, '(')) return 1;
    do {
        if (!fl_parse_region(p, 0, 0, 0)) return 0;
    } while (fl_accept(p, ','));
    return fl_expect(p, ')', "',' or ')'");
}

/* {attributes} %a, %b : t1, t2; or {attributes} () */
static int parse_barrier(fl_parser *p, fl_parsed_op *op)
{
    if (!parse_dict_if_there(p, op)) return 0;
    if (p->token.kind != FL_TOKEN_VALUE) return !fl_accept(p, '(') || fl_expect(p, ')', "')'");
    if (!fl_parse_operands(p) || !fl_expect(p, ':', "':'")) return 0;
    for (size_t i = op->refs; i < p->refs.count; i++) {
        fl_ref value = *FL_AT(p, refs, fl_ref, i);
        if (i > op->refs && !fl_expect(p, ',', "','")) return 0;
        if (!fl_parse_operand_type(p, value) || !push_type(p, fl_type_of(p->builder.program, value)))
            return 0;
    }
    return 1;
}

/* ---- products ---- */

static int parse_dims(fl_parser *p, fl_parsed_op *op, fl_attr_key key)
{
    size_t base = p->ints.count;
    return fl_parse_ints(p) && fl_add_ints(p, op, key, base);
}

/* batching_dims = [0] x [0], contracting_dims = [2] x [1] */
static int parse_dot_dims(fl_parser *p, fl_parsed_op *op)
{
    if (fl_accept_word(p, "batching_dims") &&
        !(fl_expect(p, '=', "'='") && parse_dims(p, op, FL_ATTR_lhs_batching_dimensions) &&
          fl_expect_word(p, "x") && parse_dims(p, op, FL_ATTR_rhs_batching_dimensions) &&
          fl_expect(p, ',', "','")))
        return 0;
    return fl_expect_word(p, "contracting_dims") && fl_expect(p, '=', "'='") &&
           parse_dims(p, op, FL_ATTR_lhs_contracting_dimensions) && fl_expect_word(p, "x") &&
           parse_dims(p, op, FL_ATTR_rhs_contracting_dimensions);
}

/* , precision = [...], algorithm = <...> */
static int parse_precision(fl_parser *p, fl_parsed_op *op)
{
    if (!fl_accept(p, ',')) return 1;
    if (fl_accept_word(p, "precision")) {
        if (!fl_expect(p, '=', "'='") || !fl_parse_enums(p, op, FL_ATTR_precision_config)) return 0;
        if (!fl_accept(p, ',')) return 1;
    } else if (!fl_at_word(p, "algorithm")) {
        return fl_expected(p, "precision or algorithm");
    }
    const fl_struct_info *algorithm = fl_syntax_struct(op->code, 1);
    if (!algorithm) return fl_expected(p, "':'");
    if (!fl_expect_word(p, "algorithm") || !fl_expect(p, '=', "'='")) return 0;
    return p->token.kind == '<' ? fl_parse_struct_fields(p, op, algorithm)
                                : fl_parse_struct(p, op, algorithm);
}

/* [[0, 1], [2, 3]]; or numbers and booleans in one list */
static int parse_window_list(fl_parser *p, fl_parsed_op *op, fl_attr_key key)
{
    size_t base = p->ints.count;
    if (!fl_expect(p, '[', "'['")) return 0;
    while (p->token.kind != ']') {
        size_t before = p->ints.count;
        int64_t value = 0, *to;
        const char *at = p->token.start;
        if (before > base && !fl_expect(p, ',', "',' or ']'")) return 0;
        if (key == FL_ATTR_padding) {
            if (!fl_parse_ints(p)) return 0;
            if (p->ints.count - before != 2) return fl_parse_error(p, at, "expected pairs [low, high]");
            continue;
        }
        int is_word = key == FL_ATTR_window_reversal && p->token.kind == FL_TOKEN_ID;
        if (is_word ? !fl_parse_bool(p, &value) : !fl_parse_i64(p, &value)) return 0;
        if (!(to = FL_PUSH(p, ints, int64_t))) return 0;
        *to = key == FL_ATTR_window_reversal ? value != 0 : value;
    }
    fl_lex_next(p);
    return fl_add_ints(p, op, key, base);
}

/* window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} */
static int parse_window(fl_parser *p, fl_parsed_op *op)
{
    static const struct {
        const char *name;
        uint16_t key;
    } lists[] = {{"stride", FL_ATTR_window_strides},
                 {"pad", FL_ATTR_padding},
                 {"lhs_dilate", FL_ATTR_lhs_dilation},
                 {"rhs_dilate", FL_ATTR_rhs_dilation},
                 {"reverse", FL_ATTR_window_reversal}};
    if (!fl_expect_word(p, "window") || !fl_expect(p, '=', "'='") || !fl_expect(p, '{', "'{'")) return 0;
    while (p->token.kind != '}') {
        size_t i = 0;
        while (i < 5 && !fl_at_word(p, lists[i].name)) i++;
        if (i == 5) return fl_expected(p, "stride, pad, lhs_dilate, rhs_dilate or reverse");
        fl_lex_next(p);
        if (!fl_expect(p, '=', "'='") || !parse_window_list(p, op, (fl_attr_key)lists[i].key)) return 0;
        if (!fl_accept(p, ',')) break;
    }
    return fl_expect(p, '}', "',' or '}'");
}

/* ---- reduce ---- */

/* (%x init: %i), (...): inputs first, then as many initial values */
static int parse_reduced(fl_parser *p)
{
    size_t base = p->ints.count;
    do {
        fl_ref input, init, *ref;
        int64_t *to;
        if (!fl_expect(p, '(', "'('") || !fl_name_use(p, &input) || !fl_expect_word(p, "init") ||
            !fl_expect(p, ':', "':'") || !fl_name_use(p, &init) || !fl_expect(p, ')', "')'"))
            return 0;
        if (!(ref = FL_PUSH(p, refs, fl_ref)) || !(to = FL_PUSH(p, ints, int64_t))) return 0;
        *ref = input;
        *to = init;
    } while (fl_accept(p, ','));
    for (size_t i = base; i < p->ints.count; i++) {
        fl_ref *ref = FL_PUSH(p, refs, fl_ref);
        if (!ref) return 0;
        *ref = (fl_ref)*FL_AT(p, ints, int64_t, i);
    }
    p->ints.count = base;
    return 1;
}

/* across dimensions = [1] {attributes} : type */
static int parse_across(fl_parser *p, fl_parsed_op *op)
{
    return fl_expect_word(p, "across") && fl_expect_word(p, "dimensions") && fl_expect(p, '=', "'='") &&
           parse_dims(p, op, FL_ATTR_dimensions) && parse_dict_if_there(p, op) && fl_expect(p, ':', "':'") &&
           fl_parse_op_type(p, op->refs);
}

/* applies stablehlo.add: a region that is this one operation */
static int parse_applies(fl_parser *p, fl_parsed_op *op)
{
    const char *at = p->token.start;
    fl_opcode code =
        p->token.kind == FL_TOKEN_ID ? fl_parse_opcode(at, fl_token_length(&p->token)) : FL_OP_NONE;
    const fl_op_info *info = &fl_op_infos[code];
    if (!code || strcmp(info->dialect, "stablehlo") || info->operands != 2 || !(info->traits & FL_TRAIT_C))
        return fl_expected(p, "an operation of stablehlo with two operands, which commutes");
    fl_lex_next(p);
    if (!parse_across(p, op)) return 0;
    fl_type scalar = *fl_type_of(p->builder.program, *FL_AT(p, refs, fl_ref, op->refs));
    fl_type_more more = {.quant = fl_type_quant(&scalar)};
    scalar.kind = FL_TYPE_TENSOR;
    scalar.rank = 0;
    memset(scalar.dims, 0, sizeof scalar.dims);
    scalar.more = more.quant ? &more : NULL;
    fl_type args[2] = {scalar, scalar};
    fl_builder *b = &p->builder;
    fl_block *block = fl_region_begin(b, args, 2);
    fl_ref values[2] = {fl_block_arg(block, 0), fl_block_arg(block, 1)};
    fl_ref result = fl_build_typed(b, code, values, 2, NULL, 0, NULL, 0, &scalar, 1);
    fl_region_end(b, block, &result, 1);
    if (!fl_parse_check(p, at)) return 0;
    fl_block **to = FL_PUSH(p, blocks, fl_block *);
    if (!to) return 0;
    *to = block;
    return 1;
}

/* (%a: t, %b: t) (...): pushed a a ... b b ..., as the region has its arguments */
static int parse_reducer_args(fl_parser *p, size_t names, size_t types)
{
    while (fl_accept(p, '(')) {
        size_t before = p->tokens.count;
        const char *at = p->token.start;
        if (!fl_parse_block_args(p)) return 0;
        if (p->tokens.count - before != 2) return fl_parse_error(p, at, "expected pairs of arguments");
    }
    size_t n = p->tokens.count - names;
    fl_token *all = fl_scratch_copy(p, FL_AT(p, tokens, fl_token, names), n * sizeof *all);
    fl_type *all_types = fl_scratch_copy(p, FL_AT(p, types, fl_type, types), n * sizeof *all_types);
    if (!all || !all_types) return 0;
    for (size_t i = 0; i < n; i++) {
        size_t to = i / 2 + (i & 1 ? n / 2 : 0);
        *FL_AT(p, tokens, fl_token, names + to) = all[i];
        *FL_AT(p, types, fl_type, types + to) = all_types[i];
    }
    return 1;
}

static int parse_reduce(fl_parser *p, fl_parsed_op *op)
{
    if (!parse_reduced(p)) return 0;
    if (fl_accept_word(p, "applies")) return parse_applies(p, op);
    if (!parse_across(p, op) || !fl_expect_word(p, "reducer")) return 0;
    size_t names = p->tokens.count, types = p->types.count;
    return parse_reducer_args(p, names, types) && fl_parse_region(p, names, types, 1);
}

/* ---- loops ---- */

static int parse_attributes(fl_parser *p, fl_parsed_op *op)
{
    return !fl_accept_word(p, "attributes") || fl_parse_key_dict(p, op);
}

/* {...} whose arguments have the names from `names` on and the types of the results; those stay */
static int parse_loop_region(fl_parser *p, const fl_parsed_op *op, size_t names, size_t count)
{
    size_t own_names = p->tokens.count, own_types = p->types.count;
    for (size_t i = 0; i < count; i++) {
        fl_token name = *FL_AT(p, tokens, fl_token, names + i), *to = FL_PUSH(p, tokens, fl_token);
        if (!to) return 0;
        *to = name;
        fl_type type = *FL_AT(p, types, fl_type, op->types + i);
        if (!push_type(p, &type)) return 0;
    }
    return fl_parse_region(p, own_names, own_types, 1);
}

/* (%a = %x, %b = %y) : types attributes {...} cond {...} do {...} */
static int parse_while(fl_parser *p, fl_parsed_op *op)
{
    size_t names = p->tokens.count;
    if (!fl_expect(p, '(', "'('")) return 0;
    while (p->token.kind != ')') {
        fl_token name = p->token, *to;
        fl_ref value, *ref;
        if (name.kind != FL_TOKEN_VALUE) return fl_expected(p, "an argument, or ')'");
        fl_lex_next(p);
        if (!fl_expect(p, '=', "'='") || !fl_name_use(p, &value)) return 0;
        if (!(to = FL_PUSH(p, tokens, fl_token)) || !(ref = FL_PUSH(p, refs, fl_ref))) return 0;
        *to = name;
        *ref = value;
        if (!fl_accept(p, ',')) break;
    }
    if (!fl_expect(p, ')', "',' or ')'")) return 0;
    size_t count = p->tokens.count - names;
    if (count && !fl_expect(p, ':', "':'")) return 0;
    for (size_t i = 0; i < count; i++) {
        fl_ref value = *FL_AT(p, refs, fl_ref, op->refs + i);
        if (i && !fl_expect(p, ',', "','")) return 0;
        if (!fl_parse_operand_type(p, value) || !push_type(p, fl_type_of(p->builder.program, value)))
            return 0;
    }
    if (!parse_attributes(p, op) || !fl_expect_word(p, "cond") || !parse_loop_region(p, op, names, count))
        return 0;
    if (!fl_expect_word(p, "do") || !parse_loop_region(p, op, names, count)) return 0;
    p->tokens.count = names;
    return 1;
}

/* (%inputs) inits(%inits) dimension=0 attributes {...} {region} : function type */
static int parse_scan(fl_parser *p, fl_parsed_op *op)
{
    int64_t dimension;
    if (!fl_expect(p, '(', "'('") || !fl_parse_operands(p) || !fl_expect(p, ')', "',' or ')'") ||
        !fl_expect_word(p, "inits") || !fl_expect(p, '(', "'('") || !fl_parse_operands(p) ||
        !fl_expect(p, ')', "',' or ')'") || !fl_expect_word(p, "dimension") || !fl_expect(p, '=', "'='"))
        return 0;
    return fl_parse_i64(p, &dimension) && add_int(p, op, FL_ATTR_dimension, dimension) &&
           parse_attributes(p, op) && fl_parse_region(p, 0, 0, 0) && fl_expect(p, ':', "':'") &&
           fl_parse_op_type(p, op->refs);
}

int fl_parse_part(fl_parser *p, fl_parsed_op *op, const fl_part *part)
{
    switch ((fl_part_kind)part->kind) {
    case FL_PART_CONSTANT: return parse_constant(p, op);
    case FL_PART_DENSE: return fl_parse_dense_value(p, op);
    case FL_PART_EXPONENT_MANTISSA: return parse_exponent_mantissa(p, op);
    case FL_PART_COMPARE_TYPE: return !fl_accept(p, ',') || fl_parse_value(p, op, FL_ATTR_compare_type);
    case FL_PART_SLICES: return parse_slices(p, op);
    case FL_PART_DOT_DIMS: return parse_dot_dims(p, op);
    case FL_PART_PRECISION: return parse_precision(p, op);
    case FL_PART_CONV_DIMS:
        return fl_expect_word(p, "dim_numbers") && fl_expect(p, '=', "'='") && fl_parse_conv_dims(p, op);
    case FL_PART_WINDOW: return parse_window(p, op);
    case FL_PART_REDUCE: return parse_reduce(p, op);
    case FL_PART_REGIONS: return parse_regions(p);
    case FL_PART_TARGET: return parse_symbol(p, op, FL_ATTR_call_target_name);
    case FL_PART_CALLEE: return parse_symbol(p, op, FL_ATTR_callee);
    case FL_PART_BARRIER: return parse_barrier(p, op);
    case FL_PART_WHILE: return parse_while(p, op);
    case FL_PART_SCAN: return parse_scan(p, op);
    case FL_PART_SHARDING: return fl_parse_sharding(p, op);
    case FL_PART_AXES: return fl_parse_axes(p, op);
    case FL_PART_MANUAL:
    case FL_PART_NAMED_REGION: return fl_parse_sdy_region(p, op);
    default: return fl_parse_error(p, op->at, "expected a form that can be read");
    }
}
