/* Attributes in MLIR's generic form. */
#include "ir/print.h"

#include <string.h>

void fl_print_ints(fl_text *out, const int64_t *values, uint32_t count, const char *separator)
{
    for (uint32_t i = 0; i < count; i++)
        fl_text_printf(out, "%s%lld", i ? separator : "", (long long)values[i]);
}

void fl_print_string(fl_text *out, const char *text)
{
    fl_text_printf(out, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\' || *c < 32 || *c > 126)
            fl_text_printf(out, "\\%02X", *c);
        else
            fl_text_printf(out, "%c", *c);
    }
    fl_text_printf(out, "\"");
}

static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
static const char *const compare_types[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
static const char *const algorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
static const char *const distributions[] = {"UNIFORM", "NORMAL"};
static const char *const fft_types[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
static const char *const transpositions[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};

#define NAME(table) (value >= 0 && (size_t)value < sizeof table / sizeof *table ? table[value] : "?")

const char *fl_print_enum(fl_attr_key key, int64_t value)
{
    switch (key) {
    case FL_ATTR_comparison_direction: return NAME(directions);
    case FL_ATTR_compare_type: return NAME(compare_types);
    case FL_ATTR_rng_algorithm: return NAME(algorithms);
    case FL_ATTR_rng_distribution: return NAME(distributions);
    case FL_ATTR_fft_type: return NAME(fft_types);
    case FL_ATTR_transpose_a: return NAME(transpositions);
    default: return "?";
    }
}

/* The dialect's name of the attribute type and of the property, where they differ from the key's. */
static const struct enum_spelling {
    fl_attr_key key;
    const char *type, *property;
} enum_spellings[] = {
    {FL_ATTR_comparison_direction, "comparison_direction", "comparison_direction"},
    {FL_ATTR_compare_type, "comparison_type", "compare_type"},
    {FL_ATTR_rng_algorithm, "rng_algorithm", "rng_algorithm"},
    {FL_ATTR_rng_distribution, "rng_distribution", "rng_distribution"},
    {FL_ATTR_fft_type, "fft_type", "fft_type"},
    {FL_ATTR_transpose_a, "transpose", "transpose_a"},
};

/* Attributes that StableHLO keeps together in one structure. */
static void print_group(fl_text *out, const fl_op *op, const char *name, const char *type,
                        const fl_attr_key *keys, int count)
{
    const char *separator = "";
    fl_text_printf(out, "%s = #stablehlo.%s<", name, type);
    for (int i = 0; i < count; i++) {
        const fl_attr *a = fl_op_attr(op, keys[i]);
        int list = fl_attr_infos[keys[i]].form == FL_FORM_INTS;
        if (!a || (list && !a->count)) continue;
        fl_text_printf(out, "%s%s = ", separator, fl_attr_infos[keys[i]].name);
        if (list) {
            fl_text_printf(out, "[");
            fl_print_ints(out, a->u.ints, a->count, ", ");
            fl_text_printf(out, "]");
        } else {
            fl_text_printf(out, "%lld", (long long)a->u.i);
        }
        separator = ", ";
    }
    fl_text_printf(out, ">");
}

static const fl_attr_key gather_keys[] = {FL_ATTR_offset_dims,           FL_ATTR_collapsed_slice_dims,
                                          FL_ATTR_operand_batching_dims, FL_ATTR_start_indices_batching_dims,
                                          FL_ATTR_start_index_map,       FL_ATTR_index_vector_dim};
static const fl_attr_key scatter_keys[] = {
    FL_ATTR_update_window_dims,           FL_ATTR_inserted_window_dims,
    FL_ATTR_input_batching_dims,          FL_ATTR_scatter_indices_batching_dims,
    FL_ATTR_scatter_dims_to_operand_dims, FL_ATTR_index_vector_dim};

static int in_group(const fl_op *op, fl_attr_key key)
{
    const fl_attr_key *keys = op->code == FL_OP_gather    ? gather_keys
                              : op->code == FL_OP_scatter ? scatter_keys
                                                          : NULL;
    for (int i = 0; keys && i < 6; i++)
        if (keys[i] == key) return 1;
    return 0;
}

static void print_pairs(fl_text *out, const fl_attr *a)
{
    fl_text_printf(out, "dense<[");
    for (uint32_t i = 0; i + 1 < a->count; i += 2)
        fl_text_printf(out, "%s[%lld, %lld]", i ? ", " : "", (long long)a->u.ints[i],
                       (long long)a->u.ints[i + 1]);
    fl_text_printf(out, "]> : tensor<%ux2xi64>", a->count / 2);
}

static void print_literal(fl_text *out, const fl_literal *l)
{
    switch ((fl_literal_kind)l->kind) {
    case FL_LIT_INT: fl_text_printf(out, "%lld : %s", (long long)l->u.i, fl_dtype_name((fl_dtype)l->dtype)); break;
    case FL_LIT_STRING: fl_print_string(out, l->u.string); break;
    case FL_LIT_DICT:
        fl_text_printf(out, "{");
        for (uint32_t i = 0; i < l->count; i++) {
            fl_text_printf(out, "%s%s = ", i ? ", " : "", l->u.entries[i].name);
            print_literal(out, &l->u.entries[i].value);
        }
        fl_text_printf(out, "}");
        break;
    default: fl_text_printf(out, "unit");
    }
}

static void print_value(fl_text *out, const fl_attr *a)
{
    switch (fl_attr_infos[a->key].form) {
    case FL_FORM_BOOL: fl_text_printf(out, a->u.i ? "true" : "false"); break;
    case FL_FORM_INT: fl_text_printf(out, "%lld : i64", (long long)a->u.i); break;
    case FL_FORM_FLOAT: fl_text_printf(out, "%.9e : f32", a->u.f); break;
    case FL_FORM_STRING: fl_print_string(out, a->u.string); break;
    case FL_FORM_LITERAL: print_literal(out, a->u.literal); break;
    case FL_FORM_DTYPE: fl_text_printf(out, "%s", fl_dtype_name((fl_dtype)a->u.i)); break;
    case FL_FORM_INTS:
        if (a->key == FL_ATTR_padding) {
            print_pairs(out, a);
            break;
        }
        fl_text_printf(out, "array<i64%s", a->count ? ": " : "");
        fl_print_ints(out, a->u.ints, a->count, ", ");
        fl_text_printf(out, ">");
        break;
    default: break;
    }
}

static void print_enum_attr(fl_text *out, const fl_attr *a)
{
    for (size_t i = 0; i < sizeof enum_spellings / sizeof *enum_spellings; i++)
        if (enum_spellings[i].key == a->key)
            fl_text_printf(out, "%s = #stablehlo<%s %s>", enum_spellings[i].property, enum_spellings[i].type,
                           fl_print_enum(a->key, a->u.i));
}

void fl_print_properties(fl_text *out, const fl_op *op)
{
    const char *separator = "";
    fl_text_printf(out, "{");
    if (op->code == FL_OP_ragged_dot) /* the one form that is inferred: rows of lhs in groups, one matrix of
                                         rhs for each */
        fl_text_printf(
            out,
            "ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], "
            "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>");
    if (op->code == FL_OP_gather)
        print_group(out, op, "dimension_numbers", "gather", gather_keys, 6), separator = ", ";
    if (op->code == FL_OP_scatter)
        print_group(out, op, "scatter_dimension_numbers", "scatter", scatter_keys, 6), separator = ", ";
    for (unsigned i = 0; i < op->attr_count; i++) {
        const fl_attr *a = &op->attrs[i];
        if (a->key == FL_ATTR_call_target_name || in_group(op, a->key))
            continue;
        fl_text_append(out, separator, strlen(separator));
        separator = ", ";
        if (a->key == FL_ATTR_api_version) {
            fl_text_printf(out, "api_version = %lld : i32", (long long)a->u.i);
            continue;
        }
        if (fl_attr_infos[a->key].form == FL_FORM_ENUM) {
            print_enum_attr(out, a);
            continue;
        }
        fl_text_printf(out, "%s = ", fl_attr_infos[a->key].name);
        print_value(out, a);
    }
    fl_text_printf(out, "}");
}
