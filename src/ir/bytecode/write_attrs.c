/* Attributes as VHLO and the builtin dialect write them. */
#include "base/f8.h"
#include "base/number.h"
#include "ir/bytecode/writer.h"

#include <stdlib.h>
#include <string.h>

static fl_bw_id vhlo(fl_bw_writer *w)
{
    return fl_bw_make(w, 0, FL_BW_VHLO);
}

static fl_bw_id builtin(fl_bw_writer *w)
{
    return fl_bw_make(w, 0, FL_BW_BUILTIN);
}

/* ---- scalars ---- */

fl_bw_id fl_bw_vhlo_string(fl_bw_writer *w, const char *text, uint32_t length)
{
    fl_bw_varint(w, FL_VA_STRING);
    fl_bw_string(w, text, length);
    return vhlo(w);
}

fl_bw_id fl_bw_builtin_string(fl_bw_writer *w, const char *text, uint32_t length)
{
    fl_bw_varint(w, FL_BA_STRING);
    fl_bw_string(w, text, length);
    return builtin(w);
}

fl_bw_id fl_bw_bool(fl_bw_writer *w, int value)
{
    fl_bw_varint(w, FL_VA_BOOL);
    fl_bw_varint(w, value != 0);
    return vhlo(w);
}

fl_bw_id fl_bw_enum(fl_bw_writer *w, fl_vhlo_attr_code code, int64_t value)
{
    fl_bw_varint(w, code);
    fl_bw_varint(w, (uint64_t)value);
    return vhlo(w);
}

fl_bw_id fl_bw_int(fl_bw_writer *w, fl_dtype dtype, int64_t value)
{
    fl_bw_id type = fl_bw_element(w, dtype);
    fl_bw_varint(w, FL_VA_INT);
    fl_bw_type(w, type);
    fl_bw_bits(w, (uint64_t)value, fl_dtypes[dtype].bits);
    return vhlo(w);
}

static uint64_t float_bits(fl_dtype dtype, double value)
{
    uint64_t bits = 0;
    fl_number n = {.re = value};
    fl_number_store(n, dtype == FL_TF32 ? FL_F32 : dtype, &bits);
    return dtype == FL_TF32 ? bits >> 13 : bits;
}

static fl_bw_id float_literal(fl_bw_writer *w, const fl_literal *l, int is_vhlo)
{
    fl_type plain = {.kind = FL_TYPE_ELEMENT, .dtype = l->dtype};
    fl_bw_id type = is_vhlo ? fl_bw_element(w, (fl_dtype)l->dtype) : fl_bw_builtin_type(w, &plain);
    fl_bw_varint(w, is_vhlo ? FL_VA_FLOAT : FL_BA_FLOAT);
    fl_bw_type(w, type);
    fl_bw_bits(w, float_bits((fl_dtype)l->dtype, l->u.f), fl_dtypes[l->dtype].bits);
    return fl_bw_make(w, 0, is_vhlo ? FL_BW_VHLO : FL_BW_BUILTIN);
}

/* ---- lists ---- */

fl_bw_id fl_bw_array(fl_bw_writer *w, const fl_bw_id *items, uint32_t count)
{
    fl_bw_varint(w, FL_VA_ARRAY);
    fl_bw_varint(w, count);
    for (uint32_t i = 0; items && i < count; i++) fl_bw_attr(w, items[i]);
    return vhlo(w);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const fl_bw_named *)a)->name, ((const fl_bw_named *)b)->name);
}

fl_bw_id fl_bw_dict(fl_bw_writer *w, fl_bw_named *entries, uint32_t count)
{
    fl_bw_id *names = fl_bw_alloc(w, count, sizeof *names);
    if (!names) return 0;
    if (count > 1) qsort(entries, count, sizeof *entries, by_name);
    for (uint32_t i = 0; i < count; i++)
        names[i] = fl_bw_builtin_string(w, entries[i].name, (uint32_t)strlen(entries[i].name));
    fl_bw_varint(w, FL_BA_DICT);
    fl_bw_varint(w, count);
    for (uint32_t i = 0; i < count; i++) {
        fl_bw_attr(w, names[i]);
        fl_bw_attr(w, entries[i].value);
    }
    return builtin(w);
}

typedef fl_bw_id (*literal_writer)(fl_bw_writer *w, const fl_literal *l);

static fl_bw_id items(fl_bw_writer *w, const fl_literal *l, uint64_t code, unsigned dialect,
                      literal_writer write)
{
    fl_bw_id *ids = fl_bw_alloc(w, l->count, sizeof *ids);
    if (!ids) return 0;
    for (uint32_t i = 0; i < l->count; i++) ids[i] = write(w, &l->u.items[i]);
    fl_bw_varint(w, code);
    fl_bw_varint(w, l->count);
    for (uint32_t i = 0; i < l->count; i++) fl_bw_attr(w, ids[i]);
    return fl_bw_make(w, 0, dialect);
}

/* Names in dictionaries of VHLO are strings of VHLO. */
static fl_bw_id vhlo_dict(fl_bw_writer *w, const fl_literal *l)
{
    fl_bw_id *ids = fl_bw_alloc(w, 2 * (size_t)l->count, sizeof *ids);
    if (!ids) return 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const fl_entry *e = &l->u.entries[i];
        ids[2 * i] = fl_bw_vhlo_string(w, e->name, (uint32_t)strlen(e->name));
        ids[2 * i + 1] = fl_bw_literal(w, &e->value);
    }
    fl_bw_varint(w, FL_VA_DICT);
    fl_bw_varint(w, l->count);
    for (uint32_t i = 0; i < 2 * l->count; i++) fl_bw_attr(w, ids[i]);
    return vhlo(w);
}

/* ---- tensors ---- */

/* Equal elements are written once; booleans are packed, a splat of true being all ones; integers of less than a byte lose the
 * bits of their sign. */
static void elements(fl_bw_writer *w, fl_dtype dtype, size_t count, const uint8_t *data, size_t size)
{
    size_t step = fl_dtype_bytes(dtype);
    int is_splat = count > 1 && size >= step && (size == step || !memcmp(data, data + step, size - step));
    size_t bytes = is_splat ? step : size;
    unsigned bits = fl_dtypes[dtype].bits;
    if (bits >= 8) {
        fl_bw_varint(w, bytes);
        fl_bw_raw(w, data, bytes);
        return;
    }
    size_t out_bytes = bits > 1 || is_splat ? bytes : count / 8 + (count % 8 != 0);
    uint8_t *out = fl_bw_alloc(w, out_bytes, 1);
    if (!out) return;
    for (size_t i = 0; i < bytes; i++) {
        if (bits > 1)
            out[i] = (uint8_t)(data[i] & ((1u << bits) - 1));
        else if (is_splat)
            out[0] = data[0] ? 0xFF : 0;
        else if (data[i])
            out[i / 8] |= (uint8_t)(1u << (i % 8));
    }
    fl_bw_varint(w, out_bytes);
    fl_bw_raw(w, out, out_bytes);
}

fl_bw_id fl_bw_dense(fl_bw_writer *w, const fl_type *type, const void *data, size_t size)
{
    fl_bw_id id = fl_bw_vhlo_type(w, type);
    fl_bw_varint(w, FL_VA_TENSOR);
    fl_bw_type(w, id);
    elements(w, (fl_dtype)type->dtype, (size_t)fl_type_elements(type), data, size);
    return vhlo(w);
}

static void store_ints(fl_dtype dtype, const int64_t *values, size_t count, uint8_t *out)
{
    size_t step = fl_dtype_bytes(dtype);
    for (size_t i = 0; i < count; i++) memcpy(out + i * step, &values[i], step); /* little endian */
}

fl_bw_id fl_bw_ints(fl_bw_writer *w, fl_dtype dtype, int rank, const int64_t *dims, const int64_t *values,
                    size_t count)
{
    fl_type type = fl_type_make(dtype, rank, dims);
    size_t bytes = count * fl_dtype_bytes(dtype);
    uint8_t *data = fl_bw_alloc(w, bytes, 1);
    if (!data) return 0;
    store_ints(dtype, values, count, data);
    return fl_bw_dense(w, &type, data, bytes);
}

/* array<i32: ...>: VHLO has tensors instead, of the two types that StableHLO uses. */
static fl_bw_id int_array(fl_bw_writer *w, const fl_literal *l, int is_vhlo)
{
    fl_dtype dtype = (fl_dtype)l->dtype;
    int64_t dim = l->count;
    if (is_vhlo && (dtype == FL_I64 || dtype == FL_I1))
        return fl_bw_ints(w, dtype, 1, &dim, l->u.ints, l->count);
    size_t bytes = l->count * fl_dtype_bytes(dtype);
    fl_type plain = {.kind = FL_TYPE_ELEMENT, .dtype = l->dtype};
    fl_bw_id type = fl_bw_builtin_type(w, &plain);
    uint8_t *data = fl_bw_alloc(w, bytes, 1);
    if (!data) return 0;
    store_ints(dtype, l->u.ints, l->count, data);
    fl_bw_varint(w, FL_BA_DENSE_ARRAY);
    fl_bw_type(w, type);
    fl_bw_varint(w, l->count);
    fl_bw_varint(w, bytes);
    fl_bw_raw(w, data, bytes);
    return builtin(w);
}

/* ---- any literal ---- */

/* Another dialect's attribute, as the text that MLIR parses: #dialect.name<...> or #dialect<...>. */
static fl_bw_id opaque(fl_bw_writer *w, const fl_literal *l)
{
    static const char own[] = "#stablehlo<";
    const char *text = l->u.string;
    size_t length = *text == '#' ? strcspn(text + 1, ".<") : 0;
    int64_t value;
    if (l->count > sizeof own && !strncmp(text, own, sizeof own - 1)) { /* one of StableHLO's enumerations */
        size_t n = l->count - sizeof own;
        const fl_vhlo_enum *e = fl_vhlo_enum_spelled(text + sizeof own - 1, n, &value);
        if (e) return fl_bw_enum(w, (fl_vhlo_attr_code)e->code, value);
    }
    if (!strncmp(text, "#stablehlo", 10)) length = 0;
    if (!length || strlen(text) != l->count) {
        fl_bw_fail(w, fl_error(FL_UNSUPPORTED, "cannot be serialized: attribute %.60s", text));
        return 0;
    }
    unsigned dialect = fl_bw_dialect(w, text + 1, length);
    fl_bw_need(w, 110, "an attribute of the dialect", w->dialects[dialect]);
    fl_bw_raw(w, text, (size_t)l->count + 1);
    return fl_bw_make_text(w, 0, dialect);
}

static fl_bw_id unit(fl_bw_writer *w)
{
    fl_bw_varint(w, FL_BA_UNIT);
    return builtin(w);
}

fl_bw_id fl_bw_literal(fl_bw_writer *w, const fl_literal *l)
{
    if (w->status) return 0;
    switch ((fl_literal_kind)l->kind) {
    case FL_LIT_UNIT: return unit(w);
    case FL_LIT_BOOL: return fl_bw_bool(w, l->u.i != 0);
    case FL_LIT_INT: return fl_bw_int(w, (fl_dtype)l->dtype, l->u.i);
    case FL_LIT_FLOAT: return float_literal(w, l, 1);
    case FL_LIT_STRING:
    case FL_LIT_SYMBOL: return fl_bw_vhlo_string(w, l->u.string, l->count);
    case FL_LIT_TYPE: {
        fl_bw_id type = fl_bw_vhlo_type(w, l->type);
        fl_bw_varint(w, FL_VA_TYPE);
        fl_bw_type(w, type);
        return vhlo(w);
    }
    case FL_LIT_ARRAY: return items(w, l, FL_VA_ARRAY, FL_BW_VHLO, fl_bw_literal);
    case FL_LIT_DICT: return vhlo_dict(w, l);
    case FL_LIT_INTS: return int_array(w, l, 1);
    case FL_LIT_DENSE: return fl_bw_dense(w, l->type, l->u.data, l->count);
    case FL_LIT_OPAQUE: return opaque(w, l);
    }
    return 0;
}

static fl_bw_id builtin_int(fl_bw_writer *w, fl_dtype dtype, int64_t value)
{
    fl_type plain = {.kind = FL_TYPE_ELEMENT, .dtype = (uint8_t)dtype};
    fl_bw_id type = fl_bw_builtin_type(w, &plain);
    fl_bw_varint(w, FL_BA_INT);
    fl_bw_type(w, type);
    fl_bw_bits(w, (uint64_t)value, fl_dtypes[dtype].bits);
    return builtin(w);
}

fl_bw_id fl_bw_builtin_literal(fl_bw_writer *w, const fl_literal *l)
{
    if (w->status) return 0;
    fl_bw_id part;
    switch ((fl_literal_kind)l->kind) {
    case FL_LIT_UNIT: return unit(w);
    case FL_LIT_BOOL: return builtin_int(w, FL_I1, l->u.i);
    case FL_LIT_INT: return builtin_int(w, (fl_dtype)l->dtype, l->u.i);
    case FL_LIT_FLOAT: return float_literal(w, l, 0);
    case FL_LIT_STRING: return fl_bw_builtin_string(w, l->u.string, l->count);
    case FL_LIT_SYMBOL:
        part = fl_bw_builtin_string(w, l->u.string, l->count);
        fl_bw_varint(w, FL_BA_FLAT_SYMBOL);
        fl_bw_attr(w, part);
        return builtin(w);
    case FL_LIT_TYPE:
        part = fl_bw_builtin_type(w, l->type);
        fl_bw_varint(w, FL_BA_TYPE);
        fl_bw_type(w, part);
        return builtin(w);
    case FL_LIT_ARRAY: return items(w, l, FL_BA_ARRAY, FL_BW_BUILTIN, fl_bw_builtin_literal);
    case FL_LIT_DICT: {
        fl_bw_named *entries = fl_bw_alloc(w, l->count, sizeof *entries);
        for (uint32_t i = 0; entries && i < l->count; i++)
            entries[i] =
                (fl_bw_named){l->u.entries[i].name, fl_bw_builtin_literal(w, &l->u.entries[i].value)};
        return entries ? fl_bw_dict(w, entries, l->count) : 0;
    }
    case FL_LIT_INTS: return int_array(w, l, 0);
    case FL_LIT_DENSE:
        part = fl_bw_builtin_type(w, l->type);
        fl_bw_varint(w, FL_BA_DENSE);
        fl_bw_type(w, part);
        elements(w, (fl_dtype)l->type->dtype, (size_t)fl_type_elements(l->type), l->u.data, l->count);
        return builtin(w);
    case FL_LIT_OPAQUE: return opaque(w, l);
    }
    return 0;
}
