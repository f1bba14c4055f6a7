/* The parts of pretty forms that are written in ways of their own. */
#include "ir/text/print.h"

#include <string.h>

static const fl_type *result_type(const fl_printer *pr, const fl_op *op)
{
    return fl_type_of(pr->program, op->first_result);
}

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
    put_dot_pair(
        pr, op, batch ? ", contracting_dims = " : " contracting_dims = ", FL_ATTR_lhs_contracting_dimensions);
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
    if (op->operand_count != 2 || body->op_count != 1 || body->arg_count != 2 || body->result_count != 1)
        return NULL;
    const fl_op *inner = body->ops[0];
    const fl_op_info *info = &fl_op_infos[inner->code];
    if (!(info->traits & FL_TRAIT_C) || strcmp(info->dialect, "stablehlo") || inner->attr_count ||
        inner->extra)
        return NULL;
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
    fl_print_text(pr->out, " : ");
    fl_print_function_type(pr, op);
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
    fl_print_text(pr->out, " : ");
    fl_print_function_type(pr, op);
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
        if (!fl_type_equal(fl_type_of(pr->program, op->operands[i]),
                           fl_type_of(pr->program, op->first_result + i)))
            return 0;
    return 1;
}

void fl_print_form(fl_printer *pr, const fl_op *op, fl_part_kind kind)
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
    case FL_PART_SHARDING: fl_print_sharding(pr, op); break;
    case FL_PART_AXES: fl_print_axes(pr, op); break;
    case FL_PART_MANUAL:
    case FL_PART_NAMED_REGION: fl_print_sdy_region(pr, op); break;
    default: break;
    }
}

int fl_form_fits(fl_printer *pr, const fl_op *op, fl_part_kind kind)
{
    switch (kind) {
    case FL_PART_CONSTANT: return fl_op_attr(op, FL_ATTR_value) && fl_type_is_plain(result_type(pr, op));
    case FL_PART_DENSE:
        return fl_op_attr(op, FL_ATTR_value) && fl_type_is_plain(fl_type_of(pr->program, op->operands[0]));
    case FL_PART_TARGET: return fl_op_attr(op, FL_ATTR_call_target_name) != NULL;
    case FL_PART_CALLEE: return fl_op_attr(op, FL_ATTR_callee) != NULL;
    case FL_PART_CONV_DIMS: return conv_dims_fit(pr, op);
    case FL_PART_REDUCE: return reduce_fits(op);
    case FL_PART_BARRIER: return barrier_fits(pr, op);
    case FL_PART_WHILE: return while_fits(pr, op);
    case FL_PART_SCAN: return op->region_count == 1;
    case FL_PART_SHARDING:
    case FL_PART_AXES:
    case FL_PART_MANUAL:
    case FL_PART_NAMED_REGION: return fl_sdy_fits(op);
    default: return 1;
    }
}
