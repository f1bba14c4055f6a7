/* Types as VHLO and the builtin dialect write them. */
#include "ir/bytecode/writer.h"

#include <string.h>

static fl_bw_id vhlo(fl_bw_writer *w)
{
    return fl_bw_make(w, 1, FL_BW_VHLO);
}

static void need_type(fl_bw_writer *w, unsigned first, const char *name)
{
    fl_bw_need(w, first, "type", name);
}

fl_bw_id fl_bw_element(fl_bw_writer *w, fl_dtype dtype)
{
    if (fl_is_complex(dtype)) {
        fl_bw_id part = fl_bw_element(w, fl_real_dtype(dtype));
        fl_bw_varint(w, FL_VT_COMPLEX);
        fl_bw_type(w, part);
        return vhlo(w);
    }
    unsigned first = 0;
    int code = fl_vhlo_type_code_of(dtype, &first);
    if (code < 0) {
        fl_bw_fail(w, fl_error(FL_INVALID, "expected an element type"));
        return 0;
    }
    need_type(w, first, fl_dtype_name(dtype));
    fl_bw_varint(w, (uint64_t)code);
    return vhlo(w);
}

/* Unsigned storage is written as its signed twin; a flag tells them apart. */
static fl_dtype signed_twin(fl_dtype dtype)
{
    switch (dtype) {
    case FL_U2: return FL_I2;
    case FL_U4: return FL_I4;
    case FL_U8: return FL_I8;
    case FL_U16: return FL_I16;
    case FL_U32: return FL_I32;
    case FL_U64: return FL_I64;
    default: return dtype;
    }
}

static fl_bw_id quantized(fl_bw_writer *w, const fl_quant *q)
{
    fl_dtype twin = signed_twin((fl_dtype)q->storage);
    fl_bw_id storage = fl_bw_element(w, twin), expressed = fl_bw_element(w, (fl_dtype)q->expressed);
    int per_axis = q->axis >= 0;
    if (per_axis) need_type(w, 18, "quantized per axis");
    fl_bw_varint(w, per_axis ? FL_VT_QUANT_AXIS : FL_VT_QUANT);
    fl_bw_varint(w, twin == q->storage);
    fl_bw_type(w, storage);
    fl_bw_type(w, expressed);
    if (!per_axis) {
        fl_bw_f64(w, q->scales[0]);
        fl_bw_signed(w, q->zero_points[0]);
    } else {
        fl_bw_varint(w, (uint64_t)q->axis);
    }
    fl_bw_signed(w, q->min);
    fl_bw_signed(w, q->max);
    if (per_axis) {
        fl_bw_varint(w, q->count);
        for (uint32_t i = 0; i < q->count; i++) fl_bw_f64(w, q->scales[i]);
        fl_bw_varint(w, q->count);
        for (uint32_t i = 0; i < q->count; i++) fl_bw_signed(w, q->zero_points[i]);
    }
    return vhlo(w);
}

static fl_bw_id element_of(fl_bw_writer *w, const fl_type *type)
{
    const fl_quant *q = fl_type_quant(type);
    return q ? quantized(w, q) : fl_bw_element(w, (fl_dtype)type->dtype);
}

static void shape(fl_bw_writer *w, const fl_type *type)
{
    fl_bw_varint(w, type->rank);
    for (int i = 0; i < type->rank; i++) fl_bw_signed(w, type->dims[i]);
}

static fl_bw_id bounds(fl_bw_writer *w, const fl_type *type)
{
    fl_bw_varint(w, FL_VA_BOUNDS);
    fl_bw_varint(w, type->rank);
    for (int i = 0; i < type->rank; i++) fl_bw_signed(w, type->more->bounds[i]);
    return fl_bw_make(w, 0, FL_BW_VHLO);
}

static fl_bw_id shaped(fl_bw_writer *w, const fl_type *type)
{
    fl_bw_id encoding = type->more && type->more->bounds ? bounds(w, type) : 0;
    fl_bw_id element = element_of(w, type);
    if (type->more && type->more->encoding)
        fl_bw_fail(w, fl_error(FL_UNSUPPORTED, "VHLO has no encoding of tensors but bounds, got %.60s",
                               type->more->encoding));
    if (type->kind == FL_TYPE_BUFFER) need_type(w, 113, "memref");
    fl_bw_varint(w, type->kind == FL_TYPE_BUFFER ? FL_VT_BUFFER
                    : encoding                   ? FL_VT_ENCODED_TENSOR
                                                 : FL_VT_TENSOR);
    if (encoding) fl_bw_attr(w, encoding);
    shape(w, type);
    fl_bw_type(w, element);
    return vhlo(w);
}

typedef fl_bw_id (*type_writer)(fl_bw_writer *w, const fl_type *type);

static fl_bw_id *members(fl_bw_writer *w, const fl_type *types, uint32_t count, type_writer write)
{
    fl_bw_id *ids = fl_bw_alloc(w, count, sizeof *ids);
    for (uint32_t i = 0; ids && i < count; i++) ids[i] = write(w, &types[i]);
    return ids;
}

static void list(fl_bw_writer *w, const fl_bw_id *ids, uint32_t count)
{
    fl_bw_varint(w, count);
    for (uint32_t i = 0; ids && i < count; i++) fl_bw_type(w, ids[i]);
}

/* Tuples, futures and functions: the code, then one list or two. */
static fl_bw_id composed(fl_bw_writer *w, const fl_type *type, uint64_t code, unsigned dialect,
                         type_writer write)
{
    static const fl_type_more none;
    const fl_type_more *more = type->more ? type->more : &none;
    uint32_t first = type->kind == FL_TYPE_FUNCTION ? more->inputs : more->count;
    fl_bw_id *ids = members(w, more->members, more->count, write);
    if (!ids) return 0;
    fl_bw_varint(w, code);
    list(w, ids, first);
    if (type->kind == FL_TYPE_FUNCTION) list(w, ids + first, more->count - first);
    return fl_bw_make(w, 1, dialect);
}

fl_bw_id fl_bw_vhlo_type(fl_bw_writer *w, const fl_type *type)
{
    if (w->status) return 0;
    fl_bw_id element;
    switch ((fl_type_kind)type->kind) {
    case FL_TYPE_TENSOR:
    case FL_TYPE_BUFFER: return shaped(w, type);
    case FL_TYPE_UNRANKED:
        element = element_of(w, type);
        fl_bw_varint(w, FL_VT_UNRANKED);
        fl_bw_type(w, element);
        return vhlo(w);
    case FL_TYPE_TOKEN: fl_bw_varint(w, FL_VT_TOKEN); return vhlo(w);
    case FL_TYPE_TUPLE: return composed(w, type, FL_VT_TUPLE, FL_BW_VHLO, fl_bw_vhlo_type);
    case FL_TYPE_FUTURE:
        need_type(w, 115, "future");
        return composed(w, type, FL_VT_FUTURE, FL_BW_VHLO, fl_bw_vhlo_type);
    case FL_TYPE_ELEMENT: return element_of(w, type);
    case FL_TYPE_FUNCTION: return composed(w, type, FL_VT_FUNCTION, FL_BW_VHLO, fl_bw_vhlo_type);
    case FL_TYPE_NONE:
        need_type(w, 106, "none");
        fl_bw_varint(w, FL_VT_NONE);
        return vhlo(w);
    }
    return 0;
}

fl_bw_id fl_bw_function_type(fl_bw_writer *w, const fl_func *func)
{
    uint32_t inputs = func->body->arg_count;
    fl_bw_id *in = fl_bw_alloc(w, inputs, sizeof *in);
    for (uint32_t i = 0; in && i < inputs; i++)
        in[i] = fl_bw_vhlo_type(w, fl_type_of(w->program, func->body->first_arg + i));
    fl_bw_id *out = members(w, func->result_types, func->result_count, fl_bw_vhlo_type);
    fl_bw_varint(w, FL_VT_FUNCTION);
    list(w, in, inputs);
    list(w, out, func->result_count);
    return vhlo(w);
}

/* ---- the builtin dialect ---- */

static fl_bw_id builtin(fl_bw_writer *w)
{
    return fl_bw_make(w, 1, FL_BW_BUILTIN);
}

/* What has no number there is written as text. */
static fl_bw_id as_text(fl_bw_writer *w, const fl_type *type)
{
    char text[512];
    fl_type_text(type, text, sizeof text);
    fl_bw_raw(w, text, strlen(text) + 1);
    return fl_bw_make_text(w, 1, FL_BW_BUILTIN);
}

static fl_bw_id builtin_element(fl_bw_writer *w, const fl_type *type)
{
    fl_dtype dtype = (fl_dtype)type->dtype;
    const fl_dtype_info *info = &fl_dtypes[dtype];
    static const uint8_t floats[] = {FL_BF16, FL_F16, FL_F32, FL_F64};
    if (fl_type_quant(type)) return as_text(w, type);
    if (fl_is_complex(dtype)) {
        fl_type part = {.kind = FL_TYPE_ELEMENT, .dtype = (uint8_t)fl_real_dtype(dtype)};
        fl_bw_id id = builtin_element(w, &part);
        fl_bw_varint(w, FL_BT_COMPLEX);
        fl_bw_type(w, id);
        return builtin(w);
    }
    if (dtype == FL_IDX) {
        fl_bw_varint(w, FL_BT_INDEX);
        return builtin(w);
    }
    if (!fl_is_float(dtype)) {
        fl_bw_varint(w, FL_BT_INTEGER);
        fl_bw_varint(w, (uint64_t)info->bits << 2 | (info->kind == FL_KIND_UINT ? 2 : 0));
        return builtin(w);
    }
    for (unsigned i = 0; i < 4; i++) {
        if (floats[i] != dtype) continue;
        fl_bw_varint(w, FL_BT_BF16 + i);
        return builtin(w);
    }
    fl_type plain = {.kind = FL_TYPE_ELEMENT, .dtype = (uint8_t)dtype};
    return as_text(w, &plain);
}

fl_bw_id fl_bw_builtin_type(fl_bw_writer *w, const fl_type *type)
{
    if (w->status) return 0;
    switch ((fl_type_kind)type->kind) {
    case FL_TYPE_ELEMENT: return builtin_element(w, type);
    case FL_TYPE_NONE: fl_bw_varint(w, FL_BT_NONE); return builtin(w);
    case FL_TYPE_FUNCTION: return composed(w, type, FL_BT_FUNCTION, FL_BW_BUILTIN, fl_bw_builtin_type);
    case FL_TYPE_TUPLE: return composed(w, type, FL_BT_TUPLE, FL_BW_BUILTIN, fl_bw_builtin_type);
    case FL_TYPE_TENSOR: {
        if (type->more) return as_text(w, type);
        fl_bw_id element = builtin_element(w, type);
        fl_bw_varint(w, FL_BT_TENSOR);
        shape(w, type);
        fl_bw_type(w, element);
        return builtin(w);
    }
    default: return as_text(w, type);
    }
}
