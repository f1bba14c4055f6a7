/* Attributes of operations as dictionaries and properties write them. */
#include "ir/text/print.h"

#include <string.h>

static const char *dialect_of(const fl_op *op)
{
    return !strcmp(fl_op_infos[op->code].dialect, "chlo") ? "chlo" : "stablehlo";
}

static void print_enum(fl_text *out, const fl_op *op, fl_attr_key key, int64_t value)
{
    const char *name = fl_enum_name(key, value), *type = fl_enum_type(key);
    fl_text_printf(out, "#%s<%s %s>", dialect_of(op), type ? type : "unknown", name ? name : "UNKNOWN");
}

/* ---- lists ---- */

static void print_bools(fl_text *out, const fl_attr *a)
{
    fl_text_printf(out, "array<i1%s", a->count ? ": " : "");
    for (uint32_t i = 0; i < a->count; i++)
        fl_text_printf(out, "%s%s", i ? ", " : "", a->u.ints[i] ? "true" : "false");
    fl_print_text(out, ">");
}

static void print_matrix(fl_text *out, const fl_attr *a)
{
    /* pairs may leave the number of columns out */
    uint32_t columns = a->columns ? a->columns : a->key == FL_ATTR_replica_groups ? a->count : 2;
    uint32_t rows = columns ? a->count / columns : 0;
    fl_print_text(out, "dense<");
    if (rows) fl_print_text(out, "[");
    for (uint32_t i = 0; i < rows; i++) {
        if (i) fl_print_text(out, ", ");
        fl_print_ints(out, a->u.ints + (size_t)i * columns, columns);
    }
    fl_text_printf(out, "%s> : tensor<%ux%uxi64>", rows ? "]" : "", rows, columns);
}

static void print_enums(fl_text *out, const fl_op *op, const fl_attr *a, int bare)
{
    fl_print_text(out, "[");
    for (uint32_t i = 0; i < a->count; i++) {
        if (i) fl_print_text(out, ", ");
        const char *name = fl_enum_name(a->key, a->u.ints[i]);
        if (bare)
            fl_print_text(out, name ? name : "UNKNOWN");
        else
            print_enum(out, op, a->key, a->u.ints[i]);
    }
    fl_print_text(out, "]");
}

static void print_array(fl_text *out, const fl_attr *a)
{
    fl_literal l = {.kind = FL_LIT_INTS, .dtype = FL_I64, .count = a->count, .u.ints = a->u.ints};
    fl_print_literal(out, &l);
}

/* ---- structures that are kept as literals ---- */

static int64_t int_of(const fl_literal *dict, const char *name)
{
    const fl_literal *l = fl_literal_get(dict, name);
    return l ? l->u.i : 0;
}

static void print_accuracy(fl_text *out, const fl_literal *l)
{
    static const char *const tolerances[] = {"atol", "rtol"};
    fl_print_text(out, "#stablehlo.result_accuracy<");
    for (int i = 0; i < 2; i++) {
        const fl_literal *value = fl_literal_get(l, tolerances[i]);
        if (!value || value->u.f == 0) continue;
        fl_text_printf(out, "%s = ", tolerances[i]);
        fl_print_float(out, FL_F64, value->u.f);
        fl_print_text(out, ", ");
    }
    if (int_of(l, "ulps")) fl_text_printf(out, "ulps = %lld, ", (long long)int_of(l, "ulps"));
    const char *mode = fl_enum_name(FL_ATTR_result_accuracy, int_of(l, "mode"));
    fl_text_printf(out, "mode = #stablehlo.result_accuracy_mode<%s>>", mode ? mode : "UNKNOWN");
}

static void print_int_list(fl_text *out, const fl_literal *dict, const char *name)
{
    const fl_literal *l = fl_literal_get(dict, name);
    fl_text_printf(out, "%s = ", name);
    fl_print_ints(out, l ? l->u.ints : NULL, l ? l->count : 0);
}

static void print_aliases(fl_text *out, const fl_literal *l)
{
    fl_print_text(out, "[");
    for (uint32_t i = 0; i < l->count; i++) {
        const fl_literal *alias = &l->u.items[i];
        fl_text_printf(out, "%s#stablehlo.output_operand_alias<", i ? ", " : "");
        print_int_list(out, alias, "output_tuple_indices");
        fl_text_printf(out, ", operand_index = %lld, ", (long long)int_of(alias, "operand_index"));
        print_int_list(out, alias, "operand_tuple_indices");
        fl_print_text(out, ">");
    }
    fl_print_text(out, "]");
}

static void print_quoted(fl_text *out, const fl_literal *l)
{
    fl_print_string(out, l ? l->u.string : "", l ? l->count : 0);
}

static void print_mesh(fl_text *out, const fl_literal *mesh)
{
    const fl_literal *axes = fl_literal_get(mesh, "axes"), *ids = fl_literal_get(mesh, "device_ids");
    fl_print_text(out, "#stablehlo.mesh<axes = [");
    for (uint32_t i = 0; axes && i < axes->count; i++) {
        fl_text_printf(out, "%s#stablehlo.mesh_axis<name = ", i ? ", " : "");
        print_quoted(out, fl_literal_get(&axes->u.items[i], "name"));
        fl_text_printf(out, ", size = %lld>", (long long)int_of(&axes->u.items[i], "size"));
    }
    fl_print_text(out, "]");
    if (ids && ids->count) {
        fl_print_text(out, ", device_ids = dense<");
        fl_print_ints(out, ids->u.ints, ids->count);
        fl_text_printf(out, "> : tensor<%uxi64>", ids->count);
    }
    fl_print_text(out, ">");
}

static void print_mesh_axes(fl_text *out, const fl_literal *l)
{
    const fl_literal *mesh = fl_literal_get(l, "mesh"), *axes = fl_literal_get(l, "axes");
    fl_print_text(out, "#stablehlo.replica_group_mesh_axes<mesh = ");
    if (mesh && mesh->kind == FL_LIT_DICT)
        print_mesh(out, mesh);
    else if (mesh)
        fl_print_literal(out, mesh);
    fl_print_text(out, ", axes = [");
    for (uint32_t i = 0; axes && i < axes->count; i++) {
        const fl_literal *axis = &axes->u.items[i];
        fl_text_printf(out, "%s#stablehlo.axis_ref<name = ", i ? ", " : "");
        print_quoted(out, fl_literal_get(axis, "name"));
        if (fl_literal_get(axis, "size"))
            fl_text_printf(out, ", sub_axis_info = (%lld)%lld", (long long)int_of(axis, "pre_size"),
                           (long long)int_of(axis, "size"));
        fl_print_text(out, ">");
    }
    fl_print_text(out, "]>");
}

static void print_literal_value(fl_text *out, const fl_attr *a)
{
    switch (a->key) {
    case FL_ATTR_result_accuracy: print_accuracy(out, a->u.literal); break;
    case FL_ATTR_output_operand_aliases: print_aliases(out, a->u.literal); break;
    case FL_ATTR_replica_group_mesh_axes: print_mesh_axes(out, a->u.literal); break;
    default: fl_print_literal(out, a->u.literal); break;
    }
}

/* ---- one attribute ---- */

/* The elements of a constant, or the one number of constant_like. */
static void print_elements(fl_printer *pr, const fl_op *op, const fl_attr *a)
{
    fl_type type = *fl_type_of(pr->program, op->operand_count ? op->operands[0] : op->first_result);
    if (op->code == FL_OP_constant_like) {
        int complex = fl_is_complex((fl_dtype)type.dtype);
        size_t half = fl_dtype_bytes((fl_dtype)type.dtype) / 2;
        fl_dtype part = fl_real_dtype((fl_dtype)type.dtype);
        if (complex) fl_text_printf(pr->out, "#complex.number<:%s ", fl_dtype_name(part));
        fl_print_element(pr->out, part, a->u.dense);
        if (complex) {
            fl_print_text(pr->out, ", ");
            fl_print_element(pr->out, part, (const char *)a->u.dense + half);
        }
        if (type.dtype != FL_I1)
            fl_text_printf(pr->out, "%s : %s", complex ? ">" : "", fl_dtype_name((fl_dtype)type.dtype));
        return;
    }
    fl_print_dense(pr->out, &type, a->u.dense, a->count);
    /* constants of quantized types hold stored values, whose type has no sign: !quant.uniform<u8:f32, 1.0> is kept as i8 */
    int stored = fl_type_quant(&type) && fl_dtype_kind((fl_dtype)type.dtype) == FL_KIND_UINT;
    if (stored) type.dtype = (uint8_t)(type.dtype - FL_U8 + FL_I8);
    type.more = NULL;
    fl_print_text(pr->out, " : ");
    fl_print_type(pr->out, &type);
}

static void print_by_form(fl_printer *pr, const fl_op *op, const fl_attr *a, const char *int_type)
{
    fl_text *out = pr->out;
    switch ((fl_attr_form)fl_attr_infos[a->key].form) {
    case FL_FORM_INT: fl_text_printf(out, "%lld : %s", (long long)a->u.i, int_type); break;
    case FL_FORM_BOOL: fl_print_text(out, a->u.i ? "true" : "false"); break;
    case FL_FORM_FLOAT:
        fl_print_float(out, FL_F64, a->u.f);
        fl_print_text(out, " : f64");
        break;
    case FL_FORM_INTS: print_array(out, a); break;
    case FL_FORM_STRING: fl_print_string(out, a->u.string, a->count); break;
    case FL_FORM_SYMBOL: fl_print_symbol(out, a->u.string, a->count); break;
    case FL_FORM_DTYPE: fl_print_text(out, fl_dtype_name((fl_dtype)a->u.i)); break;
    case FL_FORM_ENUM: print_enum(out, op, (fl_attr_key)a->key, a->u.i); break;
    case FL_FORM_DENSE: print_elements(pr, op, a); break;
    case FL_FORM_LITERAL: print_literal_value(out, a); break;
    case FL_FORM_NONE: break;
    }
}

static void print_value(fl_printer *pr, const fl_op *op, const fl_attr *a)
{
    fl_text *out = pr->out;
    switch (fl_syntax_spelling((fl_attr_key)a->key)) {
    case FL_SPELL_I32: fl_text_printf(out, "%lld : i32", (long long)a->u.i); break;
    case FL_SPELL_UI32: print_by_form(pr, op, a, "ui32"); break;
    case FL_SPELL_UI64: print_by_form(pr, op, a, "ui64"); break;
    case FL_SPELL_F32:
        fl_print_float(out, FL_F32, a->u.f);
        fl_print_text(out, " : f32");
        break;
    case FL_SPELL_BOOLS: print_bools(out, a); break;
    case FL_SPELL_MATRIX: print_matrix(out, a); break;
    case FL_SPELL_ENUMS: print_enums(out, op, a, 0); break;
    default: print_by_form(pr, op, a, "i64"); break;
    }
}

void fl_print_bare_value(fl_printer *pr, const fl_op *op, const fl_attr *a)
{
    fl_text *out = pr->out;
    const char *name;
    switch ((fl_attr_form)fl_attr_infos[a->key].form) {
    case FL_FORM_INT: fl_print_int(out, a->u.i); break;
    case FL_FORM_INTS:
        if (fl_syntax_spelling((fl_attr_key)a->key) == FL_SPELL_ENUMS)
            print_enums(out, op, a, 1);
        else
            fl_print_ints(out, a->u.ints, a->count);
        break;
    case FL_FORM_ENUM:
        name = fl_enum_name((fl_attr_key)a->key, a->u.i);
        fl_print_text(out, name ? name : "UNKNOWN");
        break;
    case FL_FORM_FLOAT: fl_print_float(out, FL_F64, a->u.f); break;
    default: print_by_form(pr, op, a, "i64"); break;
    }
}

/* ---- structures of several keys ---- */

/* Whether the structure is written: those that may be left out, where the operation has one of its keys. */
static int has_struct(const fl_op *op, const fl_struct_info *info)
{
    if (strcmp(info->mnemonic, "channel_handle") && strcmp(info->mnemonic, "dot_algorithm")) return 1;
    for (const fl_struct_field *f = info->fields; f->name; f++)
        if (f->key != FL_ATTR_NONE && fl_op_attr(op, (fl_attr_key)f->key)) return 1;
    return 0;
}

void fl_print_struct_fields(fl_printer *pr, const fl_op *op, const fl_struct_info *info)
{
    const char *separator = "";
    fl_print_text(pr->out, "<");
    for (const fl_struct_field *f = info->fields; f->name; f++) {
        const fl_attr *a = f->key == FL_ATTR_NONE ? NULL : fl_op_attr(op, (fl_attr_key)f->key);
        int is_list = fl_attr_infos[f->key].form == FL_FORM_INTS;
        if (is_list && (!a || !a->count)) continue;
        fl_text_printf(pr->out, "%s%s = ", separator, f->name);
        if (a)
            fl_print_bare_value(pr, op, a);
        else
            fl_print_text(pr->out, "0");
        separator = ", ";
    }
    fl_print_text(pr->out, ">");
}

/* One operand's dimensions, each a letter or the number of a spatial dimension; 0: they are not each named once. */
static int conv_operand(fl_text *out, const fl_op *op, fl_attr_key first, const char *letters)
{
    uint32_t spatial;
    const int64_t *dims = fl_op_ints(op, first + 2, &spatial);
    uint32_t rank = spatial + 2;
    fl_print_text(out, "[");
    for (uint32_t i = 0; i < rank; i++) {
        int found = 0;
        if (i) fl_print_text(out, ", ");
        for (int k = 0; k < 2; k++)
            if (fl_op_int(op, first + (fl_attr_key)k, -1) == i) fl_text_append(out, &letters[k], 1), found++;
        for (uint32_t k = 0; k < spatial; k++)
            if (dims[k] == i) fl_print_int(out, k), found++;
        if (found != 1) return 0;
    }
    fl_print_text(out, "]");
    return 1;
}

int fl_print_conv_dims(fl_printer *pr, const fl_op *op)
{
    _Static_assert(FL_ATTR_input_spatial_dimensions == FL_ATTR_input_batch_dimension + 2 &&
                       FL_ATTR_kernel_spatial_dimensions == FL_ATTR_kernel_input_feature_dimension + 2 &&
                       FL_ATTR_output_spatial_dimensions == FL_ATTR_output_batch_dimension + 2,
                   "an operand's three keys follow one another");
    fl_text *out = pr->out;
    size_t start = out->length;
    int fits = conv_operand(out, op, FL_ATTR_input_batch_dimension, "bf");
    fl_print_text(out, "x");
    fits = fits && conv_operand(out, op, FL_ATTR_kernel_input_feature_dimension, "io");
    fl_print_text(out, "->");
    fits = fits && conv_operand(out, op, FL_ATTR_output_batch_dimension, "bf");
    if (!fits && !out->failed) {
        out->length = start;
        out->data[start] = 0;
    }
    return fits;
}

static void print_struct(fl_printer *pr, const fl_op *op, const fl_struct_info *info)
{
    int is_conv = !strcmp(info->mnemonic, "conv");
    fl_text_printf(pr->out, "#%s.%s", info->dialect, info->mnemonic);
    if (is_conv) {
        fl_print_text(pr->out, "<");
        if (fl_print_conv_dims(pr, op)) {
            fl_print_text(pr->out, ">");
            return;
        }
        if (!pr->out->failed) pr->out->data[--pr->out->length] = 0;
    }
    fl_print_struct_fields(pr, op, info);
}

/* ---- all attributes of an operation, sorted by name ---- */

typedef struct entry {
    const char *name;
    const fl_attr *attr; /* one of these three */
    const fl_struct_info *structure;
    const fl_literal *literal;
} entry;

static int in_struct(const fl_op *op, uint16_t key)
{
    const fl_struct_info *info;
    for (unsigned i = 0; (info = fl_syntax_struct(op->code, i)); i++)
        for (const fl_struct_field *f = info->fields; f->name; f++)
            if (f->key == key && key != FL_ATTR_NONE) return 1;
    return 0;
}

/* Keeps in `best` the first name after `last`. */
static void offer(entry *best, const char *last, entry e)
{
    if (last && strcmp(e.name, last) <= 0) return;
    if (!best->name || strcmp(e.name, best->name) < 0) *best = e;
}

static entry next_entry(const fl_op *op, fl_dict_parts parts, const char *last)
{
    entry best = {0};
    const fl_struct_info *info;
    for (unsigned i = 0; parts.inherent && (info = fl_syntax_struct(op->code, i)); i++) {
        int covered = parts.pretty && fl_syntax_covers(op->code, (fl_attr_key)info->fields[0].key);
        if (!covered && has_struct(op, info)) offer(&best, last, (entry){info->property, NULL, info, NULL});
    }
    for (unsigned i = 0; parts.inherent && i < op->attr_count; i++) {
        const fl_attr *a = &op->attrs[i];
        if (in_struct(op, a->key) || (parts.pretty && fl_syntax_covers(op->code, (fl_attr_key)a->key)))
            continue;
        if (fl_syntax_spelling((fl_attr_key)a->key) == FL_SPELL_UNIT && !a->u.i) continue;
        offer(&best, last, (entry){fl_syntax_attr(op->code, (fl_attr_key)a->key), a, NULL, NULL});
    }
    for (uint32_t i = 0; parts.extra && op->extra && i < op->extra->count; i++)
        offer(&best, last, (entry){op->extra->u.entries[i].name, NULL, NULL, &op->extra->u.entries[i].value});
    return best;
}

void fl_print_attributes(fl_printer *pr, const fl_op *op, fl_dict_parts parts, const char *before,
                         const char *after)
{
    entry e = next_entry(op, parts, NULL);
    if (!e.name) return;
    fl_print_text(pr->out, before);
    fl_print_text(pr->out, "{");
    for (const char *separator = ""; e.name; e = next_entry(op, parts, e.name), separator = ", ") {
        fl_print_text(pr->out, separator);
        fl_print_name(pr->out, e.name);
        if ((e.literal && e.literal->kind == FL_LIT_UNIT) ||
            (e.attr && fl_syntax_spelling((fl_attr_key)e.attr->key) == FL_SPELL_UNIT))
            continue;
        fl_print_text(pr->out, " = ");
        if (e.attr)
            print_value(pr, op, e.attr);
        else if (e.structure)
            print_struct(pr, op, e.structure);
        else
            fl_print_literal(pr->out, e.literal);
    }
    fl_print_text(pr->out, "}");
    fl_print_text(pr->out, after);
}
