/* Attributes of operations: from ours to VHLO's forms, with what StableHLO leaves out. */
#include "ir/bytecode/writer.h"

#include <string.h>

static fl_bw_id vhlo(fl_bw_writer *w)
{
    return fl_bw_make(w, 0, FL_BW_VHLO);
}

static fl_bw_id invalid(fl_bw_writer *w, fl_attr_key key)
{
    fl_bw_fail(w, fl_error(FL_INVALID, "unexpected value of attribute %s", fl_attr_infos[key].name));
    return 0;
}

/* How many values a list has that is left out. */
static uint32_t default_count(const fl_op *op, fl_attr_key key)
{
    uint32_t count = 0;
    if (key == FL_ATTR_precision_config) return 2;
    int is_window = op->code == FL_OP_reduce_window || op->code == FL_OP_select_and_scatter;
    fl_op_ints(op, is_window ? FL_ATTR_window_dimensions : FL_ATTR_input_spatial_dimensions, &count);
    return key == FL_ATTR_padding ? 2 * count : count;
}

static fl_bw_id precisions(fl_bw_writer *w, const int64_t *values, uint32_t count)
{
    fl_bw_id *ids = fl_bw_alloc(w, count, sizeof *ids);
    for (uint32_t i = 0; ids && i < count; i++) ids[i] = fl_bw_enum(w, FL_VA_PRECISION, values[i]);
    return ids ? fl_bw_array(w, ids, count) : 0;
}

static fl_bw_id list(fl_bw_writer *w, fl_vhlo_form form, const fl_attr *a)
{
    int64_t dims[2] = {a->count, a->columns};
    int is_matrix = form == FL_VHLO_MATRIX || form == FL_VHLO_GROUPS;
    if (form == FL_VHLO_PRECISIONS) return precisions(w, a->u.ints, a->count);
    if (form == FL_VHLO_MATRIX && !dims[1]) dims[1] = 2;
    if (!is_matrix)
        return fl_bw_ints(w, form == FL_VHLO_BOOLS ? FL_I1 : FL_I64, 1, dims, a->u.ints, a->count);
    if (a->count && (!dims[1] || a->count % dims[1])) return invalid(w, (fl_attr_key)a->key);
    dims[0] = dims[1] ? a->count / dims[1] : 0;
    return fl_bw_ints(w, FL_I64, 2, dims, a->u.ints, a->count);
}

/* ---- the structured ones ---- */

static fl_bw_id accuracy(fl_bw_writer *w, const fl_literal *l)
{
    const fl_literal *atol = fl_literal_get(l, "atol"), *rtol = fl_literal_get(l, "rtol"),
                     *ulps = fl_literal_get(l, "ulps"), *mode = fl_literal_get(l, "mode");
    fl_bw_id id = fl_bw_enum(w, FL_VA_ACCURACY_MODE, mode ? mode->u.i : 0);
    fl_bw_varint(w, FL_VA_ACCURACY);
    fl_bw_f64(w, atol ? atol->u.f : 0);
    fl_bw_f64(w, rtol ? rtol->u.f : 0);
    fl_bw_signed(w, ulps ? ulps->u.i : 0);
    fl_bw_attr(w, id);
    return vhlo(w);
}

static int64_t int_in(const fl_literal *dict, const char *name)
{
    const fl_literal *l = fl_literal_get(dict, name);
    return l && l->kind == FL_LIT_INT ? l->u.i : 0;
}

static void put_ints(fl_bw_writer *w, const fl_literal *l)
{
    uint32_t count = l && l->kind == FL_LIT_INTS ? l->count : 0;
    fl_bw_varint(w, count);
    for (uint32_t i = 0; i < count; i++) fl_bw_signed(w, l->u.ints[i]);
}

static fl_bw_id alias(fl_bw_writer *w, fl_attr_key key, const fl_literal *l)
{
    if (l->kind != FL_LIT_DICT) return invalid(w, key);
    fl_bw_varint(w, FL_VA_ALIAS);
    put_ints(w, fl_literal_get(l, "output_tuple_indices"));
    fl_bw_signed(w, int_in(l, "operand_index"));
    put_ints(w, fl_literal_get(l, "operand_tuple_indices"));
    return vhlo(w);
}

static fl_bw_id layout(fl_bw_writer *w, fl_attr_key key, const fl_literal *l)
{
    int64_t dim = l->count;
    if (l->kind == FL_LIT_DENSE) return fl_bw_dense(w, l->type, l->u.data, l->count);
    return l->kind == FL_LIT_INTS ? fl_bw_ints(w, FL_IDX, 1, &dim, l->u.ints, l->count) : invalid(w, key);
}

static fl_bw_id symbol(fl_bw_writer *w, fl_attr_key key, const fl_literal *l)
{
    int ok = l->kind == FL_LIT_SYMBOL || l->kind == FL_LIT_STRING;
    return ok ? fl_bw_vhlo_string(w, l->u.string, l->count) : invalid(w, key);
}

typedef fl_bw_id (*item_writer)(fl_bw_writer *w, fl_attr_key key, const fl_literal *l);

static fl_bw_id each(fl_bw_writer *w, fl_attr_key key, const fl_literal *l, item_writer write)
{
    if (l && l->kind != FL_LIT_ARRAY) return invalid(w, key);
    uint32_t count = l ? l->count : 0;
    fl_bw_id *ids = fl_bw_alloc(w, count, sizeof *ids);
    for (uint32_t i = 0; ids && i < count; i++) ids[i] = write(w, key, &l->u.items[i]);
    return ids ? fl_bw_array(w, ids, count) : 0;
}

static fl_bw_id layouts(fl_bw_writer *w, fl_attr_key key, const fl_literal *l)
{
    return each(w, key, l, layout);
}

static fl_bw_id any(fl_bw_writer *w, fl_attr_key key, const fl_literal *l)
{
    (void)key;
    return fl_bw_literal(w, l);
}

static fl_bw_id minors(fl_bw_writer *w, fl_attr_key key, const fl_literal *l)
{
    return each(w, key, l, any);
}

/* An axis, all of it or a part; of a mesh: with its size. */
static fl_bw_id axis(fl_bw_writer *w, fl_attr_key key, const fl_literal *l)
{
    const fl_literal *name = fl_literal_get(l, "name");
    if (!name || name->kind != FL_LIT_STRING) return invalid(w, key);
    fl_bw_id id = fl_bw_vhlo_string(w, name->u.string, name->count), part = 0;
    if (fl_literal_get(l, "size")) {
        fl_bw_varint(w, FL_VA_SUB_AXIS);
        fl_bw_signed(w, int_in(l, "pre_size"));
        fl_bw_signed(w, int_in(l, "size"));
        part = vhlo(w);
    }
    fl_bw_varint(w, FL_VA_AXIS);
    fl_bw_attr(w, id);
    fl_bw_varint(w, part != 0);
    if (part) fl_bw_attr(w, part);
    return vhlo(w);
}

static fl_bw_id mesh_axis(fl_bw_writer *w, fl_attr_key key, const fl_literal *l)
{
    const fl_literal *name = fl_literal_get(l, "name");
    if (!name || name->kind != FL_LIT_STRING) return invalid(w, key);
    fl_bw_id id = fl_bw_vhlo_string(w, name->u.string, name->count);
    fl_bw_varint(w, FL_VA_MESH_AXIS);
    fl_bw_attr(w, id);
    fl_bw_signed(w, int_in(l, "size"));
    return vhlo(w);
}

static fl_bw_id mesh(fl_bw_writer *w, fl_attr_key key, const fl_literal *l)
{
    const fl_literal *axes = fl_literal_get(l, "axes"), *devices = fl_literal_get(l, "device_ids");
    fl_bw_id list = each(w, key, axes, mesh_axis), ids = 0;
    if (devices) {
        int64_t dim = devices->count;
        if (devices->kind != FL_LIT_INTS) return invalid(w, key);
        ids = fl_bw_ints(w, FL_I64, 1, &dim, devices->u.ints, devices->count);
    }
    fl_bw_varint(w, FL_VA_MESH);
    fl_bw_attr(w, list);
    fl_bw_optional(w, ids);
    return vhlo(w);
}

static fl_bw_id mesh_groups(fl_bw_writer *w, const fl_literal *l)
{
    const fl_attr_key key = FL_ATTR_replica_group_mesh_axes;
    const fl_literal *which = fl_literal_get(l, "mesh");
    fl_bw_need(w, 116, "attribute", "replica_groups with axes of a mesh");
    if (!which) return invalid(w, key);
    fl_bw_id id = which->kind == FL_LIT_DICT ? mesh(w, key, which) : symbol(w, key, which);
    fl_bw_id axes = each(w, key, fl_literal_get(l, "axes"), axis);
    fl_bw_varint(w, FL_VA_MESH_GROUPS);
    fl_bw_attr(w, id);
    fl_bw_attr(w, axes);
    return vhlo(w);
}

static fl_bw_id empty_dict(fl_bw_writer *w)
{
    static const fl_literal none = {.kind = FL_LIT_DICT};
    return fl_bw_literal(w, &none);
}

static fl_bw_id config(fl_bw_writer *w, const fl_op *op, const fl_literal *l)
{
    int is_typed = fl_op_int(op, FL_ATTR_api_version, FL_API_ORIGINAL) == FL_API_TYPED_FFI;
    if (l && l->kind == FL_LIT_STRING) return fl_bw_vhlo_string(w, l->u.string, l->count);
    if (is_typed || l) fl_bw_need(w, 103, "attribute", "backend_config of the typed kind");
    if (l) return l->kind == FL_LIT_DICT ? fl_bw_literal(w, l) : invalid(w, FL_ATTR_backend_config);
    return is_typed ? empty_dict(w) : fl_bw_vhlo_string(w, "", 0);
}

static fl_bw_id type_or_none(fl_bw_writer *w, fl_dtype dtype)
{
    fl_type type = {.kind = dtype ? FL_TYPE_ELEMENT : FL_TYPE_NONE, .dtype = (uint8_t)dtype};
    fl_bw_id id = fl_bw_vhlo_type(w, &type);
    fl_bw_varint(w, FL_VA_TYPE);
    fl_bw_type(w, id);
    return vhlo(w);
}

/* ---- by form ---- */

static fl_bw_id integer(fl_bw_writer *w, fl_vhlo_form form, int64_t value)
{
    switch (form) {
    case FL_VHLO_I64:
    case FL_VHLO_OPT_I64: return fl_bw_int(w, FL_I64, value);
    case FL_VHLO_I32:
    case FL_VHLO_VERSION: return fl_bw_int(w, FL_I32, value);
    case FL_VHLO_BOOL:
    case FL_VHLO_OPT_BOOL: return fl_bw_bool(w, value != 0);
    case FL_VHLO_OPT_TYPE: return type_or_none(w, (fl_dtype)value);
    default: break;
    }
    const fl_vhlo_enum *e = fl_vhlo_enum_of(form);
    return e ? fl_bw_enum(w, (fl_vhlo_attr_code)e->code, value + e->offset) : 0;
}

/* `l` NULL: left out. */
static fl_bw_id structured(fl_bw_writer *w, const fl_op *op, fl_attr_key key, const fl_literal *l)
{
    switch (fl_vhlo_form_of(key)) {
    case FL_VHLO_DICT: return l ? fl_bw_literal(w, l) : empty_dict(w);
    case FL_VHLO_CONFIG: return config(w, op, l);
    case FL_VHLO_ACCURACY: return accuracy(w, l);
    case FL_VHLO_SYMBOLS: return each(w, key, l, symbol);
    case FL_VHLO_LAYOUTS: return layouts(w, key, l);
    case FL_VHLO_TILINGS: return each(w, key, l, layouts);
    case FL_VHLO_MINORS: return each(w, key, l, minors);
    case FL_VHLO_ALIASES: return each(w, key, l, alias);
    default: return invalid(w, key);
    }
}

static fl_bw_id absent(fl_bw_writer *w, const fl_op *op, fl_attr_key key)
{
    fl_vhlo_default d = fl_vhlo_default_of((fl_opcode)op->code, key);
    fl_vhlo_form form = fl_vhlo_form_of(key);
    fl_attr list_attr = {.key = (uint16_t)key};
    int64_t none = 0;
    switch (d.kind) {
    case FL_DEFAULT_VALUE: return integer(w, form == FL_VHLO_VERSION ? FL_VHLO_I64 : form, d.value);
    case FL_DEFAULT_NONE: return type_or_none(w, FL_DTYPE_NONE);
    case FL_DEFAULT_REPEAT: {
        list_attr.count = default_count(op, key);
        int64_t *values = fl_bw_alloc(w, list_attr.count, sizeof *values);
        for (uint32_t i = 0; values && i < list_attr.count; i++) values[i] = d.value;
        list_attr.u.ints = values;
        return values ? list(w, form, &list_attr) : 0;
    }
    case FL_DEFAULT_FILL:
        if (form == FL_VHLO_I64) return integer(w, form, d.value);
        break;
    case FL_DEFAULT_EMPTY:
        if (form == FL_VHLO_STRING) return fl_bw_vhlo_string(w, "", 0);
        if (form != FL_VHLO_LIST && form != FL_VHLO_MATRIX) return structured(w, op, key, NULL);
        break;
    default: fl_bw_fail(w, fl_error(FL_INVALID, "expected attribute %s", fl_attr_infos[key].name)); return 0;
    }
    return fl_bw_ints(w, FL_I64, 1, &none, NULL, 0); /* empty lists have rank 1, those of pairs too */
}

static fl_bw_id dense(fl_bw_writer *w, const fl_op *op, const fl_attr *a)
{
    fl_type type = *fl_type_of(w->program, op->first_result);
    /* the elements of a quantized constant are those of its storage, whose type has no sign in MLIR */
    if (fl_type_quant(&type) && fl_dtype_kind((fl_dtype)type.dtype) == FL_KIND_UINT)
        type.dtype = (uint8_t)(type.dtype - FL_U8 + FL_I8);
    type.more = NULL;
    return fl_bw_dense(w, &type, a->u.dense, a->count);
}

fl_bw_id fl_bw_op_attr(fl_bw_writer *w, const fl_op *op, fl_attr_key key)
{
    const fl_attr *a = fl_op_attr(op, key);
    fl_vhlo_form form = fl_vhlo_form_of(key);
    const fl_literal *groups =
        form == FL_VHLO_GROUPS ? fl_op_literal(op, FL_ATTR_replica_group_mesh_axes) : NULL;
    if (w->status) return 0;
    if (groups) return mesh_groups(w, groups);
    if (!a) return absent(w, op, key);
    switch (fl_attr_infos[key].form) {
    case FL_FORM_INT:
    case FL_FORM_BOOL:
    case FL_FORM_DTYPE:
    case FL_FORM_ENUM: return integer(w, form, a->u.i);
    case FL_FORM_FLOAT: {
        fl_literal l = {.kind = FL_LIT_FLOAT, .dtype = FL_F32, .u.f = a->u.f};
        return fl_bw_literal(w, &l);
    }
    case FL_FORM_STRING:
    case FL_FORM_SYMBOL: return fl_bw_vhlo_string(w, a->u.string, a->count);
    case FL_FORM_DENSE: return dense(w, op, a);
    case FL_FORM_INTS:
        if (key == FL_ATTR_source_target_pairs && !a->count && op->code != FL_OP_collective_permute)
            return absent(w, op, key);
        return list(w, form, a);
    case FL_FORM_LITERAL: return structured(w, op, key, a->u.literal);
    default: return invalid(w, key);
    }
}
