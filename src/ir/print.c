/* The printer: one func.func in StableHLO's text form, as other readers of it accept; regions in generic
 * form. Names are the values' numbers: %arg0 arguments of main, %a7 arguments of regions, %9 results (%9#1
 * the second of several). */
#include "ir/print.h"

#include <string.h>

typedef struct printer {
    const fl_program *program;
    fl_text *out;
    int indent;
} printer;

#define PUT(...) fl_text_printf(pr->out, __VA_ARGS__)

void fl_print_type(fl_text *out, const fl_type *type)
{
    char text[24 * FL_MAX_RANK];
    fl_type_text(type, text, sizeof text);
    fl_text_append(out, text, strlen(text));
}

static void put_value(printer *pr, fl_ref r)
{
    const fl_def *d = &pr->program->defs[r];
    if (!d->op)
        PUT(d->block == pr->program->main ? "%%arg%u" : "%%a%u",
            d->block == pr->program->main ? d->index : r);
    else if (d->op->result_count > 1)
        PUT("%%%u#%u", d->op->first_result, d->index);
    else
        PUT("%%%u", r);
}

static void put_values(printer *pr, const fl_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) PUT(", ");
        put_value(pr, refs[i]);
    }
}

static void put_types(printer *pr, const fl_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) PUT(", ");
        fl_print_type(pr->out, fl_type_of(pr->program, refs[i]));
    }
}

static void put_result_types(printer *pr, const fl_op *op)
{
    int parentheses = op->result_count != 1;
    if (parentheses) PUT("(");
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (i) PUT(", ");
        fl_print_type(pr->out, fl_type_of(pr->program, op->first_result + i));
    }
    if (parentheses) PUT(")");
}

static void put_function_type(printer *pr, const fl_op *op)
{
    PUT(" : (");
    put_types(pr, op->operands, op->operand_count);
    PUT(") -> ");
    put_result_types(pr, op);
}

/* One type when all operands and the result have it, as the pretty form allows. */
static void put_same_type(printer *pr, const fl_op *op)
{
    const fl_type *result = fl_type_of(pr->program, op->first_result);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (fl_type_equal(fl_type_of(pr->program, op->operands[i]), result)) continue;
        put_function_type(pr, op);
        return;
    }
    PUT(" : ");
    fl_print_type(pr->out, result);
}

static void put_list(printer *pr, const char *name, const fl_op *op, fl_attr_key key)
{
    uint32_t n;
    const int64_t *values = fl_op_ints(op, key, &n);
    PUT(", %s = [", name);
    fl_print_ints(pr->out, values, n, ", ");
    PUT("]");
}

static void put_slices(printer *pr, const fl_op *op)
{
    uint32_t n;
    const int64_t *start = fl_op_ints(op, FL_ATTR_start_indices, &n),
                  *limit = fl_op_ints(op, FL_ATTR_limit_indices, NULL);
    const int64_t *strides = fl_op_ints(op, FL_ATTR_strides, NULL);
    PUT(" [");
    for (uint32_t i = 0; i < n; i++) {
        PUT("%s%lld:%lld", i ? ", " : "", (long long)start[i], (long long)limit[i]);
        if (strides[i] != 1) PUT(":%lld", (long long)strides[i]);
    }
    PUT("]");
}

static void put_dot_dims(printer *pr, const char *name, const fl_op *op, fl_attr_key lhs, fl_attr_key rhs)
{
    uint32_t n;
    const int64_t *values = fl_op_ints(op, lhs, &n);
    if (!n) return;
    PUT(", %s = [", name);
    fl_print_ints(pr->out, values, n, ", ");
    PUT("] x [");
    values = fl_op_ints(op, rhs, &n);
    fl_print_ints(pr->out, values, n, ", ");
    PUT("]");
}

/* [b, f, 0, 1]: what each dimension of an operand is */
static void put_conv_operand(printer *pr, const fl_op *op, int rank, fl_attr_key first, fl_attr_key second,
                             fl_attr_key spatial, const char *letters)
{
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, spatial, &n);
    PUT("[");
    for (int i = 0; i < rank; i++) {
        if (i) PUT(", ");
        if (fl_op_int(op, first, -1) == i) PUT("%c", letters[0]);
        if (fl_op_int(op, second, -1) == i) PUT("%c", letters[1]);
        for (uint32_t k = 0; k < n; k++)
            if (dims[k] == i) PUT("%u", k);
    }
    PUT("]");
}

static void put_window_list(printer *pr, const char *name, const fl_op *op, fl_attr_key key,
                            const char **separator)
{
    uint32_t n;
    const int64_t *values = fl_op_ints(op, key, &n);
    if (!n) return;
    PUT("%s%s = [", *separator, name);
    *separator = ", ";
    for (uint32_t i = 0; i < n; i++) {
        if (i) PUT(", ");
        if (key == FL_ATTR_padding) {
            PUT("[%lld, %lld]", (long long)values[i], (long long)values[i + 1]);
            i++;
        } else if (key == FL_ATTR_window_reversal) {
            PUT(values[i] ? "true" : "false");
        } else {
            PUT("%lld", (long long)values[i]);
        }
    }
    PUT("]");
}

static void put_convolution(printer *pr, const fl_op *op)
{
    int rank = fl_type_of(pr->program, op->operands[0])->rank;
    const char *separator = "";
    PUT("(");
    put_values(pr, op->operands, 2);
    PUT(") dim_numbers = ");
    put_conv_operand(pr, op, rank, FL_ATTR_input_batch_dimension, FL_ATTR_input_feature_dimension,
                     FL_ATTR_input_spatial_dimensions, "bf");
    PUT("x");
    put_conv_operand(pr, op, rank, FL_ATTR_kernel_input_feature_dimension,
                     FL_ATTR_kernel_output_feature_dimension, FL_ATTR_kernel_spatial_dimensions, "io");
    PUT("->");
    put_conv_operand(pr, op, rank, FL_ATTR_output_batch_dimension, FL_ATTR_output_feature_dimension,
                     FL_ATTR_output_spatial_dimensions, "bf");
    PUT(", window = {");
    put_window_list(pr, "stride", op, FL_ATTR_window_strides, &separator);
    put_window_list(pr, "pad", op, FL_ATTR_padding, &separator);
    put_window_list(pr, "lhs_dilate", op, FL_ATTR_lhs_dilation, &separator);
    put_window_list(pr, "rhs_dilate", op, FL_ATTR_rhs_dilation, &separator);
    put_window_list(pr, "reverse", op, FL_ATTR_window_reversal, &separator);
    PUT("} {batch_group_count = %lld : i64, feature_group_count = %lld : i64}",
        (long long)fl_op_int(op, FL_ATTR_batch_group_count, 1),
        (long long)fl_op_int(op, FL_ATTR_feature_group_count, 1));
    put_function_type(pr, op);
}

static void put_block(printer *pr, const fl_block *block);

static void put_newline(printer *pr)
{
    PUT("\n%*s", 2 * pr->indent, "");
}

/* ({ ^bb0(%a3: tensor<f32>): ... }, { ... }) */
static void put_regions(printer *pr, const fl_op *op)
{
    PUT(" (");
    for (unsigned i = 0; i < op->region_count; i++) {
        const fl_block *r = op->regions[i];
        PUT(i ? ", {" : "{");
        if (r->arg_count) {
            put_newline(pr);
            PUT("^bb0(");
            for (uint32_t k = 0; k < r->arg_count; k++) {
                if (k) PUT(", ");
                put_value(pr, r->first_arg + k);
                PUT(": ");
                fl_print_type(pr->out, fl_type_of(pr->program, r->first_arg + k));
            }
            PUT("):");
        }
        pr->indent++;
        put_block(pr, r);
        pr->indent--;
        put_newline(pr);
        PUT("}");
    }
    PUT(")");
}

static void put_generic(printer *pr, const fl_op *op)
{
    fl_text properties = {0};
    fl_print_properties(&properties, op);
    PUT("\"%s.%s\"(", fl_op_infos[op->code].dialect, fl_op_infos[op->code].name);
    put_values(pr, op->operands, op->operand_count);
    PUT(")");
    if (properties.length > 2) PUT(" <%s>", properties.data);
    fl_text_free(&properties);
    if (op->region_count) put_regions(pr, op);
    put_function_type(pr, op);
}

static void put_reduce(printer *pr, const fl_op *op, fl_opcode monoid)
{
    PUT("stablehlo.reduce(");
    put_value(pr, op->operands[0]);
    PUT(" init: ");
    put_value(pr, op->operands[1]);
    PUT(") applies %s.%s across dimensions = [", fl_op_infos[monoid].dialect, fl_op_infos[monoid].name);
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &n);
    fl_print_ints(pr->out, dims, n, ", ");
    PUT("]");
    put_function_type(pr, op);
}

static void put_custom_call(printer *pr, const fl_op *op)
{
    fl_text properties = {0};
    fl_print_properties(&properties, op);
    PUT(" @%s(", fl_op_string(op, FL_ATTR_call_target_name));
    put_values(pr, op->operands, op->operand_count);
    PUT(") %s", properties.length > 2 ? properties.data : "{}");
    fl_text_free(&properties);
    put_function_type(pr, op);
}

/* What stands between the operands and the types of operations whose text is "name operands, extra : types".
 */
static void put_extra(printer *pr, const fl_op *op)
{
    switch (op->code) {
    case FL_OP_broadcast_in_dim: put_list(pr, "dims", op, FL_ATTR_broadcast_dimensions); break;
    case FL_OP_broadcast: put_list(pr, "sizes", op, FL_ATTR_broadcast_sizes); break;
    case FL_OP_transpose: put_list(pr, "dims", op, FL_ATTR_permutation); break;
    case FL_OP_reverse: put_list(pr, "dims", op, FL_ATTR_dimensions); break;
    case FL_OP_dynamic_slice: put_list(pr, "sizes", op, FL_ATTR_slice_sizes); break;
    case FL_OP_slice: put_slices(pr, op); break;
    case FL_OP_concatenate: PUT(", dim = %lld", (long long)fl_op_int(op, FL_ATTR_dimension, 0)); break;
    case FL_OP_get_dimension_size: PUT(", dim = %lld", (long long)fl_op_int(op, FL_ATTR_dimension, 0)); break;
    case FL_OP_cholesky: PUT(", lower = %s", fl_op_int(op, FL_ATTR_lower, 0) ? "true" : "false"); break;
    case FL_OP_pad:
        put_list(pr, "low", op, FL_ATTR_edge_padding_low);
        put_list(pr, "high", op, FL_ATTR_edge_padding_high);
        put_list(pr, "interior", op, FL_ATTR_interior_padding);
        break;
    case FL_OP_dot_general:
        put_dot_dims(pr, "batching_dims", op, FL_ATTR_lhs_batching_dimensions,
                     FL_ATTR_rhs_batching_dimensions);
        put_dot_dims(pr, "contracting_dims", op, FL_ATTR_lhs_contracting_dimensions,
                     FL_ATTR_rhs_contracting_dimensions);
        break;
    case FL_OP_fft:
        PUT(", type = %s", fl_print_enum(FL_ATTR_fft_type, fl_op_int(op, FL_ATTR_fft_type, 0)));
        put_list(pr, "length", op, FL_ATTR_fft_length);
        break;
    case FL_OP_reduce_precision:
        PUT(", format = e%lldm%lld", (long long)fl_op_int(op, FL_ATTR_exponent_bits, 0),
            (long long)fl_op_int(op, FL_ATTR_mantissa_bits, 0));
        break;
    case FL_OP_rng_bit_generator:
        PUT(", algorithm = %s",
            fl_print_enum(FL_ATTR_rng_algorithm, fl_op_int(op, FL_ATTR_rng_algorithm, 0)));
        break;
    case FL_OP_rng:
        PUT(", distribution = %s",
            fl_print_enum(FL_ATTR_rng_distribution, fl_op_int(op, FL_ATTR_rng_distribution, 0)));
        break;
    case FL_OP_compare: {
        int64_t type = fl_op_int(op, FL_ATTR_compare_type, FL_COMPARE_NONE);
        if (type != FL_COMPARE_NONE) PUT(", %s", fl_print_enum(FL_ATTR_compare_type, type));
        break;
    }
    default: break;
    }
}

/* name operands : types, with the types as the operation's pretty form spells them */
static void put_pretty(printer *pr, const fl_op *op)
{
    const fl_op_info *info = &fl_op_infos[op->code];
    int chlo = !strcmp(info->dialect, "chlo");
    PUT("%s.%s ", info->dialect, info->name);
    if (op->code == FL_OP_compare)
        PUT("%s, ",
            fl_print_enum(FL_ATTR_comparison_direction, fl_op_int(op, FL_ATTR_comparison_direction, 0)));
    put_values(pr, op->operands, op->operand_count);
    put_extra(pr, op);
    if (chlo || op->code == FL_OP_optimization_barrier) {
        PUT(" : ");
        put_types(pr, op->operands, op->operand_count);
        if (!chlo) return;
        PUT(" -> ");
        put_result_types(pr, op);
    } else if (op->code == FL_OP_select) {
        PUT(" : ");
        put_types(pr, op->operands, 2);
    } else if ((info->traits & FL_TRAIT_E && op->code != FL_OP_compare && op->code != FL_OP_convert) ||
               op->code == FL_OP_reverse || op->code == FL_OP_cholesky) {
        put_same_type(pr, op);
    } else {
        put_function_type(pr, op);
    }
}

static int is_pretty(const fl_op *op)
{
    switch (op->code) {
    case FL_OP_bitcast_convert:
    case FL_OP_broadcast:
    case FL_OP_broadcast_in_dim:
    case FL_OP_concatenate:
    case FL_OP_dynamic_slice:
    case FL_OP_dynamic_update_slice:
    case FL_OP_pad:
    case FL_OP_reshape:
    case FL_OP_reverse:
    case FL_OP_slice:
    case FL_OP_transpose:
    case FL_OP_cholesky:
    case FL_OP_dot:
    case FL_OP_dot_general:
    case FL_OP_fft:
    case FL_OP_rng:
    case FL_OP_rng_bit_generator:
    case FL_OP_optimization_barrier:
    case FL_OP_get_dimension_size: return 1;
    default: return (fl_op_infos[op->code].traits & FL_TRAIT_E) != 0;
    }
}

static void put_op(printer *pr, const fl_op *op)
{
    put_newline(pr);
    if (op->result_count == 1) PUT("%%%u = ", op->first_result);
    if (op->result_count > 1) PUT("%%%u:%u = ", op->first_result, op->result_count);
    const fl_type *result = op->result_count ? fl_type_of(pr->program, op->first_result) : NULL;
    fl_opcode monoid = op->code == FL_OP_reduce && op->operand_count == 2
                           ? fl_region_monoid(pr->program, op->regions[0])
                           : FL_OP_NONE;
    if (op->code == FL_OP_constant) {
        PUT("stablehlo.constant ");
        fl_print_dense(pr->out, result, fl_op_attr(op, FL_ATTR_value)->u.dense);
        put_same_type(pr, op);
    } else if (op->code == FL_OP_iota) {
        PUT("stablehlo.iota dim = %lld", (long long)fl_op_int(op, FL_ATTR_iota_dimension, 0));
        put_same_type(pr, op);
    } else if (op->code == FL_OP_convolution) {
        PUT("stablehlo.convolution");
        put_convolution(pr, op);
    } else if (op->code == FL_OP_custom_call) {
        PUT("stablehlo.custom_call");
        put_custom_call(pr, op);
    } else if (op->code == FL_OP_top_k) {
        PUT("chlo.top_k(");
        put_value(pr, op->operands[0]);
        PUT(", k = %lld) : ", (long long)fl_op_int(op, FL_ATTR_k, 0));
        put_types(pr, op->operands, 1);
        PUT(" -> ");
        put_result_types(pr, op);
    } else if (monoid != FL_OP_NONE) {
        put_reduce(pr, op, monoid);
    } else if (is_pretty(op)) {
        put_pretty(pr, op);
    } else {
        put_generic(pr, op);
    }
}

static void put_block(printer *pr, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) put_op(pr, block->ops[i]);
    put_newline(pr);
    PUT(block == pr->program->main ? "return" : "stablehlo.return");
    if (!block->result_count) return;
    PUT(" ");
    put_values(pr, block->results, block->result_count);
    PUT(" : ");
    put_types(pr, block->results, block->result_count);
}

void fl_program_print(const fl_program *program, fl_text *out)
{
    printer printer = {.program = program, .out = out, .indent = 1}, *pr = &printer;
    const fl_block *main = program->main;
    PUT("func.func @%s(", program->name);
    for (uint32_t i = 0; i < main->arg_count; i++) {
        PUT("%s%%arg%u: ", i ? ", " : "", i);
        fl_print_type(out, fl_type_of(program, main->first_arg + i));
    }
    PUT(")");
    if (main->result_count) {
        PUT(" -> ");
        if (main->result_count > 1) PUT("(");
        put_types(pr, main->results, main->result_count);
        if (main->result_count > 1) PUT(")");
    }
    PUT(" {");
    put_block(pr, main);
    PUT("\n}\n");
}
