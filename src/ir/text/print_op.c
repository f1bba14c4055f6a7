/* Operations: in the pretty form of syntax.def where it says all there is to say, else in the generic form. */
#include "ir/text/print.h"

#include <string.h>

static const fl_type *result_type(const fl_printer *pr, const fl_op *op)
{
    return fl_type_of(pr->program, op->first_result);
}

/* Whether operands from `first` on have one type, and the results too. */
static int one_type(const fl_printer *pr, const fl_op *op, unsigned first, const fl_type *type)
{
    for (unsigned i = first; i < op->operand_count; i++)
        if (!fl_type_equal(fl_type_of(pr->program, op->operands[i]), type)) return 0;
    for (unsigned i = 0; i < op->result_count; i++)
        if (!fl_type_equal(fl_type_of(pr->program, op->first_result + i), type)) return 0;
    return 1;
}

/* ---- types ---- */

static void put_function_type(fl_printer *pr, const fl_op *op)
{
    fl_print_text(pr->out, "(");
    fl_print_types(pr, op->operands, op->operand_count);
    fl_print_text(pr->out, ") -> ");
    fl_print_result_types(pr, op);
}

static int complex_of_operands(const fl_printer *pr, const fl_op *op)
{
    fl_type real = *result_type(pr, op);
    real.dtype = (uint8_t)fl_real_dtype((fl_dtype)real.dtype);
    for (unsigned i = 0; i < op->operand_count; i++)
        if (!fl_type_equal(fl_type_of(pr->program, op->operands[i]), &real)) return 0;
    return 1;
}

static void put_types(fl_printer *pr, const fl_op *op, fl_type_part part)
{
    const fl_type *result = op->result_count ? result_type(pr, op) : NULL;
    fl_print_text(pr->out, " : ");
    switch (part) {
    case FL_TYPES_FUNCTION: put_function_type(pr, op); break;
    case FL_TYPES_SAME:
        if (one_type(pr, op, 0, result))
            fl_print_type(pr->out, result);
        else
            put_function_type(pr, op);
        break;
    case FL_TYPES_COMPLEX:
        if (complex_of_operands(pr, op))
            fl_print_type(pr->out, result);
        else
            put_function_type(pr, op);
        break;
    case FL_TYPES_SELECT:
        if (one_type(pr, op, 1, result))
            fl_print_types(pr, op->operands, 2);
        else
            put_function_type(pr, op);
        break;
    case FL_TYPES_ARROW:
        fl_print_types(pr, op->operands, op->operand_count);
        fl_print_text(pr->out, " -> ");
        fl_print_result_types(pr, op);
        break;
    case FL_TYPES_RESULTS:
    case FL_TYPES_TUPLE: fl_print_type(pr->out, result); break;
    case FL_TYPES_FIRST: fl_print_types(pr, op->operands, 1); break;
    }
}

static int is_tuple_of_operands(const fl_printer *pr, const fl_op *op)
{
    const fl_type *t = result_type(pr, op);
    uint32_t members = t->more ? t->more->count : 0;
    if (t->kind != FL_TYPE_TUPLE || members != op->operand_count) return 0;
    for (uint32_t i = 0; i < members; i++)
        if (!fl_type_equal(&t->more->members[i], fl_type_of(pr->program, op->operands[i]))) return 0;
    return 1;
}

static int types_fit(const fl_printer *pr, const fl_op *op, fl_type_part part)
{
    switch (part) {
    case FL_TYPES_FUNCTION:
    case FL_TYPES_ARROW: return 1;
    case FL_TYPES_SAME: return op->result_count == 1;
    case FL_TYPES_COMPLEX: return op->result_count == 1 && op->operand_count == 2;
    case FL_TYPES_SELECT: return op->result_count == 1 && op->operand_count == 3;
    case FL_TYPES_RESULTS: return op->result_count == 1 && op->operand_count == 0;
    case FL_TYPES_FIRST:
        return op->operand_count > 0 && op->result_count == 0 &&
               one_type(pr, op, 1, fl_type_of(pr->program, op->operands[0]));
    case FL_TYPES_TUPLE: return op->result_count == 1 && is_tuple_of_operands(pr, op);
    }
    return 0;
}

/* ---- forms of their own ---- */

static void put_dictionary(fl_printer *pr, const fl_op *op, const char *before)
{
    fl_print_attributes(pr, op, (fl_dict_parts){1, 1, 1}, before, "");
}

static void put_slices(fl_printer *pr, const fl_op *op)
{
    uint32_t n, strides_count;
    const int64_t *start = fl_op_ints(op, FL_ATTR_start_indices, &n);
    const int64_t *limit = fl_op_ints(op, FL_ATTR_limit_indices, NULL);
    const int64_t *strides = fl_op_ints(op, FL_ATTR_strides, &strides_count);
    fl_print_text(pr->out, " [");
    for (uint32_t i = 0; i < n; i++) {
        fl_text_printf(pr->out, "%s%lld:%lld", i ? ", " : "", (long long)start[i], (long long)limit[i]);
        if (i < strides_count && strides[i] != 1) fl_text_printf(pr->out, ":%lld", (long long)strides[i]);
    }
    fl_print_text(pr->out, "]");
}

static void put_dot_pair(fl_printer *pr, const fl_op *op, const char *name, fl_attr_key key)
{
    fl_print_text(pr->out, name);
    for (fl_attr_key k = key; k <= key + 1; k++) {
        uint32_t n;
        const int64_t *dims = fl_op_ints(op, k, &n);
        if (k > key) fl_print_text(pr->out, " x ");
        fl_print_ints(pr->out, dims, n);
    }
}

static void put_dot_dims(fl_printer *pr, const fl_op *op)
{
    uint32_t batch;
    fl_op_ints(op, FL_ATTR_lhs_batching_dimensions, &batch);
    if (batch) put_dot_pair(pr, op, " batching_dims = ", FL_ATTR_lhs_batching_dimensions);
    put_dot_pair(pr, op, batch ? ", contracting_dims = " : " contracting_dims = ", FL_ATTR_lhs_contracting_dimensions);
}

static void put_precision(fl_printer *pr, const fl_op *op)
{
    const fl_attr *precision = fl_op_attr(op, FL_ATTR_precision_config);
    if (precision && precision->count) {
        fl_print_text(pr->out, ", precision = ");
        fl_print_bare_value(pr, op, precision);
    }
    if (!fl_op_attr(op, FL_ATTR_accumulation_type)) return;
    fl_print_text(pr->out, ", algorithm = ");
    fl_print_struct_fields(pr, op, fl_syntax_struct(FL_OP_dot_general, 1));
}

static void put_window(fl_printer *pr, const fl_op *op)
{
    static const struct {
        const char *name;
        fl_attr_key key;
    } lists[] = {{"stride", FL_ATTR_window_strides},
                 {"pad", FL_ATTR_padding},
                 {"lhs_dilate", FL_ATTR_lhs_dilation},
                 {"rhs_dilate", FL_ATTR_rhs_dilation},
                 {"reverse", FL_ATTR_window_reversal}};
    const char *separator = "";
    fl_print_text(pr->out, " window = {");
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        uint32_t n;
        const int64_t *v = fl_op_ints(op, lists[k].key, &n);
        if (!n) continue;
        fl_text_printf(pr->out, "%s%s = [", separator, lists[k].name);
        separator = ", ";
        for (uint32_t i = 0; i < n; i++) {
            if (i) fl_print_text(pr->out, ", ");
            if (lists[k].key == FL_ATTR_window_reversal) {
                fl_print_text(pr->out, v[i] ? "true" : "false");
            } else if (lists[k].key == FL_ATTR_padding) {
                fl_print_ints(pr->out, v + i, i + 1 < n ? 2 : 1);
                i++;
            } else {
                fl_print_int(pr->out, v[i]);
            }
        }
        fl_print_text(pr->out, "]");
    }
    fl_print_text(pr->out, "}");
}

static int conv_dims_fit(fl_printer *pr, const fl_op *op)
{
    fl_text scratch = {0};
    fl_printer copy = *pr;
    copy.out = &scratch;
    int fits = fl_print_conv_dims(&copy, op);
    fl_text_free(&scratch);
    return fits;
}

static void put_constant(fl_printer *pr, const fl_op *op)
{
    const fl_attr *value = fl_op_attr(op, FL_ATTR_value);
    const fl_type *type = result_type(pr, op);
    put_dictionary(pr, op, " ");
    fl_print_text(pr->out, " ");
    fl_print_dense(pr->out, type, value->u.dense, value->count);
    fl_print_text(pr->out, " : ");
    fl_print_type(pr->out, type);
}

static void put_dense(fl_printer *pr, const fl_op *op)
{
    const fl_attr *value = fl_op_attr(op, FL_ATTR_value);
    const fl_type *type = fl_type_of(pr->program, op->operands[0]);
    fl_print_text(pr->out, " ");
    fl_print_dense(pr->out, type, value->u.dense, value->count);
    fl_print_text(pr->out, " : ");
    fl_print_type(pr->out, type);
}

static int is_scalar_of(const fl_printer *pr, fl_ref r, const fl_type *operand)
{
    fl_type scalar = *operand;
    const fl_type *t = fl_type_of(pr->program, r);
    scalar.rank = 0;
    return operand->kind == FL_TYPE_TENSOR && fl_type_quant(operand) == fl_type_quant(t) &&
           (!operand->more || operand->more == t->more) && fl_type_equal(t, &scalar);
}

/* The operation that a one-operand reduction applies, when its region is nothing but that operation of its arguments in order. */
static const fl_op *applied(const fl_printer *pr, const fl_op *op)
{
    const fl_block *body = op->regions[0];
    const fl_type *type = fl_type_of(pr->program, op->operands[0]);
    if (op->operand_count != 2 || body->op_count != 1 || body->arg_count != 2 || body->result_count != 1) return NULL;
    const fl_op *inner = body->ops[0];
    const fl_op_info *info = &fl_op_infos[inner->code];
    if (!(info->traits & FL_TRAIT_C) || strcmp(info->dialect, "stablehlo") || inner->attr_count || inner->extra) return NULL;
    if (inner->operands[0] != body->first_arg || inner->operands[1] != body->first_arg + 1 ||
        body->results[0] != inner->first_result)
        return NULL;
    for (uint32_t i = 0; i < 2; i++)
        if (!is_scalar_of(pr, body->first_arg + i, type)) return NULL;
    return is_scalar_of(pr, inner->first_result, type) ? inner : NULL;
}

static void put_reducer(fl_printer *pr, const fl_op *op)
{
    const fl_block *body = op->regions[0];
    uint32_t n = op->operand_count / 2;
    fl_name_arguments(pr, body);
    pr->indent++;
    fl_print_newline(pr);
    fl_print_text(pr->out, "reducer");
    for (uint32_t i = 0; i < n; i++) {
        fl_print_text(pr->out, i ? " (" : "(");
        fl_print_argument(pr, body, i);
        fl_print_text(pr->out, ", ");
        fl_print_argument(pr, body, i + n);
        fl_print_text(pr->out, ")");
    }
    fl_print_text(pr->out, " {");
    fl_print_body(pr, body, "stablehlo.return");
    fl_print_newline(pr);
    fl_print_text(pr->out, "}");
    pr->indent--;
}

static void put_reduce(fl_printer *pr, const fl_op *op)
{
    const fl_op *inner = applied(pr, op);
    uint32_t n = op->operand_count / 2;
    for (uint32_t i = 0; i < n; i++) {
        fl_print_text(pr->out, i ? ", (" : "(");
        fl_print_value(pr, op->operands[i]);
        fl_print_text(pr->out, " init: ");
        fl_print_value(pr, op->operands[i + n]);
        fl_print_text(pr->out, ")");
    }
    if (inner) fl_text_printf(pr->out, " applies %s", fl_syntax_name((fl_opcode)inner->code));
    fl_print_text(pr->out, " across dimensions = ");
    uint32_t count;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &count);
    fl_print_ints(pr->out, dims, count);
    put_dictionary(pr, op, " ");
    put_types(pr, op, FL_TYPES_FUNCTION);
    if (!inner) put_reducer(pr, op);
}

static int reduce_fits(const fl_op *op)
{
    return op->region_count == 1 && op->operand_count > 0 && op->operand_count % 2 == 0 &&
           op->regions[0]->arg_count == op->operand_count;
}

/* Both regions of `while` have the operands' types, and in text the same names. */
static int while_fits(const fl_printer *pr, const fl_op *op)
{
    if (op->region_count != 2 || !op->operand_count || op->result_count != op->operand_count) return 0;
    for (unsigned k = 0; k < 2; k++)
        if (op->regions[k]->arg_count != op->operand_count) return 0;
    for (unsigned i = 0; i < op->operand_count; i++) {
        const fl_type *t = fl_type_of(pr->program, op->operands[i]);
        if (!fl_type_equal(t, fl_type_of(pr->program, op->first_result + i)) ||
            !fl_type_equal(t, fl_type_of(pr->program, op->regions[0]->first_arg + i)) ||
            !fl_type_equal(t, fl_type_of(pr->program, op->regions[1]->first_arg + i)))
            return 0;
    }
    return 1;
}

static void put_while(fl_printer *pr, const fl_op *op)
{
    const fl_block *condition = op->regions[0], *body = op->regions[1];
    fl_name_arguments(pr, condition);
    for (uint32_t i = 0; i < body->arg_count; i++)
        pr->names[body->first_arg + i] = pr->names[condition->first_arg + i];
    fl_print_text(pr->out, "(");
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (i) fl_print_text(pr->out, ", ");
        fl_print_value(pr, condition->first_arg + i);
        fl_print_text(pr->out, " = ");
        fl_print_value(pr, op->operands[i]);
    }
    fl_print_text(pr->out, ") : ");
    fl_print_types(pr, op->operands, op->operand_count);
    put_dictionary(pr, op, " attributes ");
    fl_print_newline(pr);
    fl_print_text(pr->out, "cond {");
    fl_print_body(pr, condition, "stablehlo.return");
    fl_print_newline(pr);
    fl_print_text(pr->out, "} do {");
    fl_print_body(pr, body, "stablehlo.return");
    fl_print_newline(pr);
    fl_print_text(pr->out, "}");
}

static void put_scan(fl_printer *pr, const fl_op *op)
{
    const fl_block *body = op->regions[0];
    uint32_t inputs = fl_scan_inputs(pr->program, op);
    fl_print_text(pr->out, "(");
    fl_print_values(pr, op->operands, inputs);
    fl_print_text(pr->out, ") inits(");
    fl_print_values(pr, op->operands + inputs, op->operand_count - inputs);
    fl_text_printf(pr->out, ") dimension=%lld", (long long)fl_op_int(op, FL_ATTR_dimension, 0));
    put_dictionary(pr, op, " attributes ");
    fl_print_text(pr->out, " {");
    fl_name_arguments(pr, body);
    fl_print_newline(pr);
    fl_print_text(pr->out, "^bb0(");
    for (uint32_t i = 0; i < body->arg_count; i++) {
        if (i) fl_print_text(pr->out, ", ");
        fl_print_argument(pr, body, i);
    }
    fl_print_text(pr->out, "):");
    fl_print_body(pr, body, "stablehlo.return");
    fl_print_newline(pr);
    fl_print_text(pr->out, "}");
    put_types(pr, op, FL_TYPES_FUNCTION);
}

static void put_barrier(fl_printer *pr, const fl_op *op)
{
    put_dictionary(pr, op, " ");
    if (!op->operand_count) {
        fl_print_text(pr->out, "()");
        return;
    }
    fl_print_text(pr->out, " ");
    fl_print_values(pr, op->operands, op->operand_count);
    fl_print_text(pr->out, " : ");
    fl_print_types(pr, op->operands, op->operand_count);
}

static int barrier_fits(const fl_printer *pr, const fl_op *op)
{
    if (op->result_count != op->operand_count) return 0;
    for (unsigned i = 0; i < op->operand_count; i++)
        if (!fl_type_equal(fl_type_of(pr->program, op->operands[i]), fl_type_of(pr->program, op->first_result + i)))
            return 0;
    return 1;
}

/* ---- the pretty form ---- */

static void put_special(fl_printer *pr, const fl_op *op, fl_part_kind kind)
{
    const fl_attr *a;
    switch (kind) {
    case FL_PART_CONSTANT: put_constant(pr, op); break;
    case FL_PART_DENSE: put_dense(pr, op); break;
    case FL_PART_EXPONENT_MANTISSA:
        fl_text_printf(pr->out, ", format = e%lldm%lld", (long long)fl_op_int(op, FL_ATTR_exponent_bits, 0),
                       (long long)fl_op_int(op, FL_ATTR_mantissa_bits, 0));
        break;
    case FL_PART_COMPARE_TYPE:
        a = fl_op_attr(op, FL_ATTR_compare_type);
        if (!a || a->u.i == FL_COMPARE_NONE) break;
        fl_print_text(pr->out, ", ");
        fl_print_bare_value(pr, op, a);
        break;
    case FL_PART_SLICES: put_slices(pr, op); break;
    case FL_PART_DOT_DIMS: put_dot_dims(pr, op); break;
    case FL_PART_PRECISION: put_precision(pr, op); break;
    case FL_PART_CONV_DIMS:
        fl_print_text(pr->out, " dim_numbers = ");
        fl_print_conv_dims(pr, op);
        break;
    case FL_PART_WINDOW: put_window(pr, op); break;
    case FL_PART_REDUCE: put_reduce(pr, op); break;
    case FL_PART_REGIONS: fl_print_regions(pr, op); break;
    case FL_PART_TARGET:
    case FL_PART_CALLEE:
        a = fl_op_attr(op, kind == FL_PART_TARGET ? FL_ATTR_call_target_name : FL_ATTR_callee);
        fl_print_text(pr->out, " ");
        fl_print_symbol(pr->out, a->u.string, a->count);
        break;
    case FL_PART_BARRIER: put_barrier(pr, op); break;
    case FL_PART_WHILE: put_while(pr, op); break;
    case FL_PART_SCAN: put_scan(pr, op); break;
    default: break;
    }
}

/* A keyword has a space before it, punctuation has not. */
static void put_keyword(fl_printer *pr, const char *text, int glued)
{
    if (!glued && !strchr(",()[]", text[0])) fl_print_text(pr->out, " ");
    fl_print_text(pr->out, text);
}

static void put_named(fl_printer *pr, const fl_op *op, const fl_part *part, const char *before)
{
    const fl_attr *a = fl_op_attr(op, (fl_attr_key)part->key);
    if (!a) return;
    fl_text_printf(pr->out, "%s%s = ", before, part->text);
    fl_print_bare_value(pr, op, a);
}

static void put_pretty(fl_printer *pr, const fl_op *op)
{
    int glued = 0; /* after an opening bracket */
    fl_print_text(pr->out, fl_syntax_name((fl_opcode)op->code));
    for (const fl_part *part = fl_syntax[op->code]; part->kind != FL_PART_END; part++) {
        const char *space = glued ? "" : " ";
        switch ((fl_part_kind)part->kind) {
        case FL_PART_OPERANDS:
            if (op->operand_count) fl_print_text(pr->out, space);
            fl_print_values(pr, op->operands, op->operand_count);
            break;
        case FL_PART_ARGUMENTS:
            fl_print_text(pr->out, "(");
            fl_print_values(pr, op->operands, op->operand_count);
            fl_print_text(pr->out, ")");
            break;
        case FL_PART_TEXT: put_keyword(pr, part->text, glued); break;
        case FL_PART_VALUE:
            fl_print_text(pr->out, space);
            fl_print_bare_value(pr, op, fl_op_attr(op, (fl_attr_key)part->key));
            break;
        case FL_PART_NAMED:
        case FL_PART_MAYBE: put_named(pr, op, part, ", "); break;
        case FL_PART_LEADING: put_named(pr, op, part, space); break;
        case FL_PART_DICT: put_dictionary(pr, op, " "); break;
        case FL_PART_TYPES: put_types(pr, op, (fl_type_part)part->types); break;
        case FL_PART_OPERAND_TYPES:
            fl_print_text(pr->out, " ");
            fl_print_types(pr, op->operands, op->operand_count);
            break;
        default: put_special(pr, op, (fl_part_kind)part->kind); break;
        }
        glued = part->kind == FL_PART_TEXT && strchr("([", part->text[0]);
    }
}

static int part_fits(fl_printer *pr, const fl_op *op, const fl_part *part)
{
    switch ((fl_part_kind)part->kind) {
    case FL_PART_VALUE:
    case FL_PART_NAMED:
    case FL_PART_LEADING: return fl_op_attr(op, (fl_attr_key)part->key) != NULL;
    case FL_PART_TYPES: return types_fit(pr, op, (fl_type_part)part->types);
    case FL_PART_CONSTANT: return fl_op_attr(op, FL_ATTR_value) && fl_type_is_plain(result_type(pr, op));
    case FL_PART_DENSE: return fl_op_attr(op, FL_ATTR_value) && fl_type_is_plain(fl_type_of(pr->program, op->operands[0]));
    case FL_PART_TARGET: return fl_op_attr(op, FL_ATTR_call_target_name) != NULL;
    case FL_PART_CALLEE: return fl_op_attr(op, FL_ATTR_callee) != NULL;
    case FL_PART_CONV_DIMS: return conv_dims_fit(pr, op);
    case FL_PART_REDUCE: return reduce_fits(op);
    case FL_PART_BARRIER: return barrier_fits(pr, op);
    case FL_PART_WHILE: return while_fits(pr, op);
    case FL_PART_SCAN: return op->region_count == 1;
    default: return 1;
    }
}

static int is_pretty(fl_printer *pr, const fl_op *op)
{
    const fl_part *part = fl_syntax[op->code];
    if (!part) return 0;
    for (; part->kind != FL_PART_END; part++)
        if (!part_fits(pr, op, part)) return 0;
    return 1;
}

/* ---- the generic form ---- */

static void put_generic(fl_printer *pr, const fl_op *op)
{
    fl_text_printf(pr->out, "\"%s\"(", fl_syntax_name((fl_opcode)op->code));
    fl_print_values(pr, op->operands, op->operand_count);
    fl_print_text(pr->out, ")");
    fl_print_attributes(pr, op, (fl_dict_parts){.inherent = 1}, " <", ">");
    fl_print_regions(pr, op);
    fl_print_attributes(pr, op, (fl_dict_parts){.extra = 1}, " ", "");
    fl_print_text(pr->out, " : ");
    put_function_type(pr, op);
}

void fl_print_op(fl_printer *pr, const fl_op *op)
{
    fl_print_newline(pr);
    if (op->result_count) {
        pr->names[op->first_result] = pr->next_value++;
        fl_text_printf(pr->out, "%%%u", pr->names[op->first_result]);
        if (op->result_count > 1) fl_text_printf(pr->out, ":%u", op->result_count);
        fl_print_text(pr->out, " = ");
    }
    if (is_pretty(pr, op))
        put_pretty(pr, op);
    else
        put_generic(pr, op);
}
