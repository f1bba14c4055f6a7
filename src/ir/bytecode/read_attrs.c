/* Attributes: VHLO's, the builtin dialect's, and text of other dialects, as literals. */
#include "base/f8.h"
#include "base/number.h"
#include "ir/bytecode/reader.h"
#include "ir/text/parse.h"

#include <stdlib.h>

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

static fl_status bad(const char *what)
{
    return fl_error(FL_INVALID, "%s: %s", FL_BC_PREFIX, what);
}

int fl_bc_is_vhlo(const fl_bc_reader *r, const fl_bc_entry *attr, fl_vhlo_attr_code code)
{
    return r->dialects[attr->dialect] == FL_BC_VHLO && attr->code == code;
}

static fl_literal integer(int64_t value)
{
    return (fl_literal){.kind = FL_LIT_INT, .dtype = FL_I64, .u.i = value};
}

static fl_status text_of(fl_bc_reader *r, fl_cursor *c, fl_literal_kind kind, fl_literal *out)
{
    fl_bc_string s;
    FL_TRY(fl_bc_string_at(r, fl_cursor_varint(c), &s));
    *out = (fl_literal){.kind = (uint8_t)kind, .count = s.length, .u.string = s.text};
    return NULL;
}

/* ---- scalars ---- */

static unsigned width_of(const fl_type *type)
{
    return type->kind == FL_TYPE_ELEMENT && !type->more && !fl_is_complex((fl_dtype)type->dtype)
               ? fl_dtypes[type->dtype].bits
               : 0;
}

static fl_status int_attr(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    const fl_type *type;
    FL_TRY(fl_bc_type(r, fl_cursor_varint(c), depth + 1, &type));
    unsigned width = width_of(type);
    fl_dtype dtype = (fl_dtype)type->dtype;
    if (!width || fl_is_float(dtype)) return bad("expected an integer of an integer type");
    uint64_t bits = fl_cursor_bits(c, width);
    int is_signed = fl_dtype_kind(dtype) == FL_KIND_INT;
    *out = (fl_literal){.kind = FL_LIT_INT, .dtype = (uint8_t)dtype};
    out->u.i = is_signed ? (int64_t)(bits << (64 - width)) >> (64 - width) : (int64_t)bits;
    if (dtype == FL_I1) { /* how the builtin dialect writes booleans */
        out->kind = FL_LIT_BOOL;
        out->dtype = FL_DTYPE_NONE;
    }
    return NULL;
}

static fl_status float_attr(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    const fl_type *type;
    FL_TRY(fl_bc_type(r, fl_cursor_varint(c), depth + 1, &type));
    unsigned width = width_of(type);
    fl_dtype dtype = (fl_dtype)type->dtype;
    if (!width || !fl_is_float(dtype)) return bad("expected a float of a float type");
    uint64_t bits = fl_cursor_bits(c, width);
    fl_number n = {0};
    if (dtype == FL_TF32) { /* an f32 without the last 13 bits */
        bits <<= 13;
        dtype = FL_F32;
    }
    *out = (fl_literal){.kind = FL_LIT_FLOAT, .dtype = type->dtype};
    if (fl_number_load(dtype, &bits, &n)) out->u.f = n.re;
    return NULL;
}

/* ---- lists ---- */

static fl_status array_attr(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    uint32_t count = fl_cursor_count(c);
    fl_literal *items = FL_NEW_ARRAY(&r->arena, fl_literal, count);
    if (!items) return no_memory();
    for (uint32_t i = 0; i < count; i++) {
        const fl_bc_entry *e;
        FL_TRY(fl_bc_attr(r, fl_cursor_varint(c), depth + 1, &e));
        items[i] = *e->u.literal;
    }
    *out = (fl_literal){.kind = FL_LIT_ARRAY, .count = count, .u.items = items};
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const fl_entry *)a)->name, ((const fl_entry *)b)->name);
}

static fl_status make_dict(fl_entry *entries, uint32_t count, fl_literal *out)
{
    if (count > 1) qsort(entries, count, sizeof *entries, by_name);
    for (uint32_t i = 1; i < count; i++)
        FL_CHECK(strcmp(entries[i - 1].name, entries[i].name), FL_INVALID, "%s: expected the name %.60s once",
                 FL_BC_PREFIX, entries[i].name);
    *out = (fl_literal){.kind = FL_LIT_DICT, .count = count, .u.entries = entries};
    return NULL;
}

static fl_status dict_attr(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    uint32_t count = fl_cursor_count(c);
    fl_entry *entries = FL_NEW_ARRAY(&r->arena, fl_entry, count);
    if (!entries) return no_memory();
    for (uint32_t i = 0; i < count; i++) {
        const fl_bc_entry *name, *value;
        FL_TRY(fl_bc_attr(r, fl_cursor_varint(c), depth + 1, &name));
        FL_TRY(fl_bc_attr(r, fl_cursor_varint(c), depth + 1, &value));
        const fl_literal *key = name->u.literal;
        if (key->kind != FL_LIT_STRING || strlen(key->u.string) != key->count)
            return bad("expected strings as names of attributes");
        entries[i] = (fl_entry){key->u.string, *value->u.literal};
    }
    return make_dict(entries, count, out);
}

static fl_status ints(fl_bc_reader *r, fl_cursor *c, fl_literal *out)
{
    uint32_t count = fl_cursor_count(c);
    int64_t *values = FL_NEW_ARRAY(&r->arena, int64_t, count);
    if (!values) return no_memory();
    for (uint32_t i = 0; i < count; i++) values[i] = fl_cursor_signed(c);
    r->weight += count;
    *out = (fl_literal){.kind = FL_LIT_INTS, .dtype = FL_I64, .count = count, .u.ints = values};
    return NULL;
}

/* ---- tensors ---- */

static void unpack_bits(const uint8_t *packed, uint8_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = packed[i / 8] >> (i % 8) & 1;
}

/* Sub-byte integers are written without their sign. */
static void extend(fl_dtype dtype, uint8_t *data, size_t count)
{
    unsigned bits = fl_dtypes[dtype].bits, shift = 8 - (bits & 7);
    int is_signed = fl_dtype_kind(dtype) == FL_KIND_INT;
    if (dtype == FL_I1) {
        for (size_t i = 0; i < count; i++) data[i] = data[i] != 0;
    } else if (bits < 8) {
        for (size_t i = 0; i < count; i++) {
            uint8_t high = (uint8_t)(data[i] << shift);
            data[i] = is_signed ? (uint8_t)((int8_t)high >> shift) : (uint8_t)(high >> shift);
        }
    }
}

static int all_equal(const uint8_t *data, size_t size, size_t step)
{
    return size >= step && !memcmp(data, data + step, size - step);
}

fl_status fl_bc_dense(fl_bc_reader *r, const fl_type *type, fl_cursor *c, uint64_t size, fl_literal *out)
{
    const uint8_t *blob = fl_cursor_bytes(c, size);
    if (!blob) return fl_bc_truncated("the elements of a tensor");
    if (!fl_type_is_static(type) || type->more)
        return bad("expected elements of a plain tensor of known shape");
    FL_TRY(fl_status_prefix(fl_type_check(type), FL_BC_PREFIX));
    size_t step = fl_dtype_bytes((fl_dtype)type->dtype), count = (size_t)fl_type_elements(type), bytes = size;
    size_t packed = count / 8 + (count % 8 != 0);
    int is_splat_of_bits = type->dtype == FL_I1 && size == 1 && blob[0] == 0xFF;
    int is_packed = type->dtype == FL_I1 && !is_splat_of_bits && size == packed && size != count;
    if (is_packed) bytes = count;
    FL_CHECK(bytes == count * step || bytes == step, FL_INVALID,
             "%s: expected %zu bytes of elements, or %zu, got %llu", FL_BC_PREFIX, count * step, step,
             (unsigned long long)size);
    if (!count) bytes = 0; /* MLIR keeps the element of a splat that stands for none; it says nothing */
    uint8_t *data = is_packed ? fl_arena_alloc(&r->arena, bytes) : fl_arena_copy(&r->arena, blob, bytes);
    if (!data) return no_memory();
    if (is_packed) unpack_bits(blob, data, count);
    extend((fl_dtype)type->dtype, data, bytes / step);
    if (count > 1 && bytes > step && all_equal(data, bytes, step)) bytes = step;
    FL_CHECK(bytes <= UINT32_MAX, FL_UNSUPPORTED, "%s: expected tensors of less than 4 GiB", FL_BC_PREFIX);
    *out = (fl_literal){.kind = FL_LIT_DENSE, .count = (uint32_t)bytes, .type = type, .u.data = data};
    r->weight += 1 + bytes / sizeof(fl_literal);
    return NULL;
}

static fl_status dense_attr(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    const fl_type *type;
    FL_TRY(fl_bc_type(r, fl_cursor_varint(c), depth + 1, &type));
    return fl_bc_dense(r, type, c, fl_cursor_varint(c), out);
}

static int64_t load(fl_dtype dtype, const void *element)
{
    int is_signed = fl_dtype_kind(dtype) == FL_KIND_INT;
    unsigned bits = fl_dtypes[dtype].bits; /* of narrow types the rest of the byte may be anything */
    uint64_t value = 0;
    memcpy(&value, element, fl_dtype_bytes(dtype));
    if (dtype == FL_I1) return value != 0;
    value <<= 64 - bits;
    return is_signed ? (int64_t)value >> (64 - bits) : (int64_t)(value >> (64 - bits));
}

/* array<i64: 1, 2> */
static fl_status dense_array(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    const fl_type *type;
    FL_TRY(fl_bc_type(r, fl_cursor_varint(c), depth + 1, &type));
    uint64_t count = fl_cursor_varint(c), bytes = fl_cursor_varint(c);
    fl_dtype dtype = (fl_dtype)type->dtype;
    size_t step = fl_dtype_bytes(dtype);
    const uint8_t *data = fl_cursor_bytes(c, bytes);
    if (!data || !width_of(type) || fl_is_float(dtype) || bytes % step || bytes / step != count ||
        count > UINT32_MAX)
        return bad("expected an array of integers");
    int64_t *values = FL_NEW_ARRAY(&r->arena, int64_t, count);
    if (!values) return no_memory();
    for (uint64_t i = 0; i < count; i++) values[i] = load(dtype, data + i * step);
    r->weight += count;
    *out = (fl_literal){
        .kind = FL_LIT_INTS, .dtype = (uint8_t)dtype, .count = (uint32_t)count, .u.ints = values};
    return NULL;
}

/* A tensor of integers as a list of them. */
fl_status fl_bc_widen(fl_bc_reader *r, const fl_literal *dense, fl_literal *out)
{
    if (dense->kind != FL_LIT_DENSE) return bad("expected a tensor of integers");
    fl_dtype dtype = (fl_dtype)dense->type->dtype;
    size_t step = fl_dtype_bytes(dtype), count = (size_t)fl_type_elements(dense->type);
    if (fl_is_float(dtype) || fl_is_complex(dtype) || count > UINT32_MAX)
        return bad("expected a tensor of integers");
    FL_TRY(fl_bc_spend(r, count * sizeof(int64_t))); /* a splat stands for any number */
    int64_t *values = FL_NEW_ARRAY(&r->arena, int64_t, count);
    if (!values) return no_memory();
    for (size_t i = 0; i < count; i++)
        values[i] = load(dtype, (const char *)dense->u.data + (dense->count == step ? 0 : i * step));
    *out = (fl_literal){.kind = FL_LIT_INTS, .dtype = FL_I64, .count = (uint32_t)count, .u.ints = values};
    return NULL;
}

/* ---- the structured ones of VHLO ---- */

static fl_status alias_attr(fl_bc_reader *r, fl_cursor *c, fl_literal *out)
{
    fl_entry *e = FL_NEW_ARRAY(&r->arena, fl_entry, 3);
    if (!e) return no_memory();
    e[0].name = "operand_index";
    e[1].name = "operand_tuple_indices";
    e[2].name = "output_tuple_indices";
    FL_TRY(ints(r, c, &e[2].value));
    e[0].value = integer(fl_cursor_signed(c));
    FL_TRY(ints(r, c, &e[1].value));
    return make_dict(e, 3, out);
}

static fl_status accuracy_attr(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    static const char *const names[] = {"atol", "mode", "rtol", "ulps"};
    fl_entry *e = FL_NEW_ARRAY(&r->arena, fl_entry, 4);
    if (!e) return no_memory();
    for (int i = 0; i < 4; i++) e[i].name = names[i];
    e[0].value = (fl_literal){.kind = FL_LIT_FLOAT, .dtype = FL_F64, .u.f = fl_cursor_f64(c)};
    e[2].value = (fl_literal){.kind = FL_LIT_FLOAT, .dtype = FL_F64, .u.f = fl_cursor_f64(c)};
    e[3].value = integer(fl_cursor_signed(c));
    const fl_bc_entry *mode;
    FL_TRY(fl_bc_attr(r, fl_cursor_varint(c), depth + 1, &mode));
    if (!fl_bc_is_vhlo(r, mode, FL_VA_ACCURACY_MODE) ||
        mode->u.literal->u.i > 2) /* default, highest, tolerance */
        return bad("expected the mode of a result accuracy");
    e[1].value = integer(mode->u.literal->u.i);
    return make_dict(e, 4, out);
}

static fl_status string_part(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    const fl_bc_entry *e;
    FL_TRY(fl_bc_attr(r, fl_cursor_varint(c), depth + 1, &e));
    *out = *e->u.literal;
    return out->kind == FL_LIT_STRING ? NULL : bad("expected the name of an axis");
}

/* An axis of a mesh with its size, or a part of one with what comes before it. */
static fl_status axis_attr(fl_bc_reader *r, fl_cursor *c, uint64_t code, unsigned depth, fl_literal *out)
{
    fl_entry *e = FL_NEW_ARRAY(&r->arena, fl_entry, 3);
    if (!e) return no_memory();
    uint32_t count = 0;
    if (code != FL_VA_SUB_AXIS) {
        e[count].name = "name";
        FL_TRY(string_part(r, c, depth, &e[count++].value));
    }
    if (code == FL_VA_MESH_AXIS) e[count++] = (fl_entry){"size", integer(fl_cursor_signed(c))};
    if (code == FL_VA_SUB_AXIS) {
        e[count++] = (fl_entry){"pre_size", integer(fl_cursor_signed(c))};
        e[count++] = (fl_entry){"size", integer(fl_cursor_signed(c))};
    }
    if (code == FL_VA_AXIS && fl_cursor_varint(c)) {
        const fl_bc_entry *part;
        FL_TRY(fl_bc_attr(r, fl_cursor_varint(c), depth + 1, &part));
        if (!fl_bc_is_vhlo(r, part, FL_VA_SUB_AXIS)) return bad("expected the part of an axis");
        e[count++] = part->u.literal->u.entries[0];
        e[count++] = part->u.literal->u.entries[1];
    }
    return make_dict(e, count, out);
}

static fl_status array_part(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    const fl_bc_entry *e;
    FL_TRY(fl_bc_attr(r, fl_cursor_varint(c), depth + 1, &e));
    *out = *e->u.literal;
    if (out->kind != FL_LIT_ARRAY) return bad("expected the axes of a mesh");
    for (uint32_t i = 0; i < out->count; i++)
        if (!fl_literal_get(&out->u.items[i], "name")) return bad("expected the axes of a mesh");
    return NULL;
}

static fl_status mesh_attr(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    fl_entry *e = FL_NEW_ARRAY(&r->arena, fl_entry, 2);
    if (!e) return no_memory();
    uint32_t count = 1;
    e[0].name = "axes";
    FL_TRY(array_part(r, c, depth, &e[0].value));
    uint64_t ids = fl_cursor_varint(c);
    if (ids & 1) {
        const fl_bc_entry *part;
        FL_TRY(fl_bc_attr(r, ids >> 1, depth + 1, &part));
        if (part->u.literal->kind != FL_LIT_DENSE) return bad("expected the devices of a mesh");
        e[1].name = "device_ids";
        FL_TRY(fl_bc_widen(r, part->u.literal, &e[1].value));
        count = 2;
    }
    return make_dict(e, count, out);
}

static fl_status mesh_groups_attr(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    fl_entry *e = FL_NEW_ARRAY(&r->arena, fl_entry, 2);
    const fl_bc_entry *mesh;
    if (!e) return no_memory();
    e[0].name = "axes";
    e[1].name = "mesh";
    FL_TRY(fl_bc_attr(r, fl_cursor_varint(c), depth + 1, &mesh));
    FL_TRY(array_part(r, c, depth, &e[0].value));
    e[1].value = *mesh->u.literal;
    if (e[1].value.kind == FL_LIT_STRING)
        e[1].value.kind = FL_LIT_SYMBOL;
    else if (!fl_bc_is_vhlo(r, mesh, FL_VA_MESH))
        return bad("expected a mesh or the name of one");
    return make_dict(e, 2, out);
}

/* ---- one attribute ---- */

static fl_status type_attr(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    const fl_type *type;
    FL_TRY(fl_bc_type(r, fl_cursor_varint(c), depth + 1, &type));
    *out = (fl_literal){.kind = FL_LIT_TYPE, .type = type};
    return NULL;
}

static fl_status vhlo_attr(fl_bc_reader *r, fl_cursor *c, uint64_t code, unsigned depth, fl_literal *out)
{
    switch (code) {
    case FL_VA_ARRAY: return array_attr(r, c, depth, out);
    case FL_VA_BOOL: *out = (fl_literal){.kind = FL_LIT_BOOL, .u.i = fl_cursor_varint(c) != 0}; return NULL;
    case FL_VA_DICT: return dict_attr(r, c, depth, out);
    case FL_VA_FLOAT: return float_attr(r, c, depth, out);
    case FL_VA_INT: return int_attr(r, c, depth, out);
    case FL_VA_ALIAS: return alias_attr(r, c, out);
    case FL_VA_STRING: return text_of(r, c, FL_LIT_STRING, out);
    case FL_VA_TENSOR: return dense_attr(r, c, depth, out);
    case FL_VA_TYPE: return type_attr(r, c, depth, out);
    case FL_VA_BOUNDS: return ints(r, c, out);
    case FL_VA_ACCURACY: return accuracy_attr(r, c, depth, out);
    case FL_VA_SUB_AXIS:
    case FL_VA_AXIS:
    case FL_VA_MESH_AXIS: return axis_attr(r, c, code, depth, out);
    case FL_VA_MESH_GROUPS: return mesh_groups_attr(r, c, depth, out);
    case FL_VA_MESH: return mesh_attr(r, c, depth, out);
    case FL_VA_DIRECTION:
    case FL_VA_COMPARE:
    case FL_VA_API:
    case FL_VA_FFT:
    case FL_VA_PRECISION:
    case FL_VA_ALGORITHM:
    case FL_VA_DISTRIBUTION:
    case FL_VA_TRANSPOSE:
    case FL_VA_ACCURACY_MODE: {
        uint64_t value = fl_cursor_varint(c);
        if (value > 15) return bad("expected a value of an enumeration");
        /* an integer of no type, and the enumeration as its count */
        *out = (fl_literal){.kind = FL_LIT_INT, .count = (uint32_t)code, .u.i = (int64_t)value};
        return NULL;
    }
    }
    return fl_error(FL_UNSUPPORTED, "%s: unknown attribute number %llu", FL_BC_PREFIX,
                    (unsigned long long)code);
}

static fl_status symbol_attr(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_literal *out)
{
    FL_TRY(string_part(r, c, depth, out));
    out->kind = FL_LIT_SYMBOL;
    return NULL;
}

static fl_status builtin_attr(fl_bc_reader *r, fl_cursor *c, uint64_t code, unsigned depth, fl_literal *out)
{
    switch (code) {
    case FL_BA_ARRAY: return array_attr(r, c, depth, out);
    case FL_BA_DICT: return dict_attr(r, c, depth, out);
    case FL_BA_STRING: return text_of(r, c, FL_LIT_STRING, out);
    case FL_BA_FLAT_SYMBOL: return symbol_attr(r, c, depth, out);
    case FL_BA_TYPE: return type_attr(r, c, depth, out);
    case FL_BA_UNIT: *out = (fl_literal){.kind = FL_LIT_UNIT}; return NULL;
    case FL_BA_INT: return int_attr(r, c, depth, out);
    case FL_BA_FLOAT: return float_attr(r, c, depth, out);
    case FL_BA_DENSE_ARRAY: return dense_array(r, c, depth, out);
    case FL_BA_DENSE: return dense_attr(r, c, depth, out);
    case FL_BA_RESOURCE:
        return fl_error(FL_UNSUPPORTED, "%s: expected no resources (dense_resource)", FL_BC_PREFIX);
    }
    return fl_error(FL_UNSUPPORTED, "%s: unsupported builtin attribute number %llu", FL_BC_PREFIX,
                    (unsigned long long)code);
}

static fl_status decode(fl_bc_reader *r, fl_bc_entry *e, unsigned depth)
{
    uint8_t dialect = r->dialects[e->dialect];
    fl_cursor c = fl_cursor_make(e->data, e->size);
    if (!e->custom) { /* text of whatever dialect, kept as it is */
        size_t length = strnlen((const char *)e->data, e->size);
        if (length + 1 != e->size) return fl_bc_truncated("the text of an attribute");
        if (!fl_is_opaque_text((const char *)e->data, length))
            return bad("expected the text of an attribute");
        *e->u.literal =
            (fl_literal){.kind = FL_LIT_OPAQUE, .count = (uint32_t)length, .u.string = (const char *)e->data};
        return NULL;
    }
    uint64_t code = fl_cursor_varint(&c);
    FL_CHECK(code < 256 && dialect != FL_BC_OTHER, FL_UNSUPPORTED,
             "%s: unsupported attribute number %llu of the dialect \"%.40s\"", FL_BC_PREFIX,
             (unsigned long long)code, r->strings[r->dialect_names[e->dialect]].text);
    e->code = (uint8_t)code;
    if (dialect == FL_BC_SDY)
        FL_TRY(fl_bc_sdy(r, &c, code, e, depth));
    else if (dialect == FL_BC_STABLEHLO)
        FL_TRY(fl_bc_stablehlo(r, &c, code, e->u.literal));
    else
        FL_TRY(dialect == FL_BC_VHLO ? vhlo_attr(r, &c, code, depth, e->u.literal)
                                     : builtin_attr(r, &c, code, depth, e->u.literal));
    return c.failed || fl_cursor_left(&c) ? fl_bc_truncated("an attribute") : NULL;
}

fl_status fl_bc_attr(fl_bc_reader *r, uint64_t index, unsigned depth, const fl_bc_entry **out)
{
    FL_CHECK(index < r->attr_count, FL_INVALID, "%s: expected one of %u attributes, got %llu", FL_BC_PREFIX,
             r->attr_count, (unsigned long long)index);
    fl_bc_entry *e = &r->attrs[index];
    if (e->state != FL_BC_READ) {
        fl_bc_nesting outer;
        FL_TRY(fl_bc_enter(r, e, depth, &outer));
        e->u.literal = FL_NEW(&r->arena, fl_literal);
        if (!e->u.literal) return no_memory();
        FL_TRY(decode(r, e, depth));
        FL_TRY(fl_bc_leave(r, e, &outer));
    }
    fl_bc_count(r, e);
    *out = e;
    return NULL;
}
