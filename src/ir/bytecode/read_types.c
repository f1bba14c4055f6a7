/* Types: VHLO's, and those of the builtin dialect that attributes of modules use. */
#include "ir/bytecode/reader.h"

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

static fl_status bad(const char *what)
{
    return fl_error(FL_INVALID, "%s: %s", FL_BC_PREFIX, what);
}

/* An element type inside of another type. */
static fl_status element(fl_bc_reader *r, fl_cursor *c, unsigned depth, const fl_type **out)
{
    FL_TRY(fl_bc_type(r, fl_cursor_varint(c), depth + 1, out));
    return (*out)->kind == FL_TYPE_ELEMENT ? NULL : bad("expected an element type inside of another type");
}

static fl_status shape(fl_cursor *c, fl_type *type)
{
    uint32_t rank = fl_cursor_count(c);
    FL_CHECK(rank <= FL_MAX_RANK, FL_UNSUPPORTED, "%s: expected at most %d dimensions, got %u", FL_BC_PREFIX,
             FL_MAX_RANK, rank);
    type->rank = (uint8_t)rank;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t dim = fl_cursor_signed(c);
        FL_CHECK(dim >= 0 || dim == FL_DYNAMIC, FL_INVALID, "%s: expected a dimension, got %lld",
                 FL_BC_PREFIX, (long long)dim);
        type->dims[i] = dim;
    }
    return NULL;
}

static void set_element(fl_type *type, const fl_type *element)
{
    type->dtype = element->dtype;
    type->more = element->more;
}

/* Bounds of dimensions: the only encoding of tensors that VHLO has. */
static fl_status set_bounds(fl_bc_reader *r, fl_type *type, const fl_bc_entry *encoding)
{
    FL_CHECK(fl_bc_is_vhlo(r, encoding, FL_VA_BOUNDS), FL_UNSUPPORTED,
             "%s: expected no encoding of tensors but bounds", FL_BC_PREFIX);
    const fl_literal *bounds = encoding->u.literal;
    FL_CHECK(bounds->count == type->rank, FL_INVALID, "%s: expected %u bounds, got %u", FL_BC_PREFIX,
             type->rank, bounds->count);
    fl_type_more *more = FL_NEW(&r->arena, fl_type_more);
    if (!more) return no_memory();
    if (type->more) *more = *type->more;
    more->bounds = bounds->u.ints;
    type->more = more;
    return NULL;
}

static fl_status tensor(fl_bc_reader *r, fl_cursor *c, uint64_t code, unsigned depth, fl_type *type)
{
    const fl_bc_entry *encoding = NULL;
    const fl_type *e;
    if (code == FL_VT_ENCODED_TENSOR) FL_TRY(fl_bc_attr(r, fl_cursor_varint(c), depth + 1, &encoding));
    FL_TRY(shape(c, type));
    FL_TRY(element(r, c, depth, &e));
    set_element(type, e);
    type->kind = code == FL_VT_BUFFER ? FL_TYPE_BUFFER : FL_TYPE_TENSOR;
    return encoding ? set_bounds(r, type, encoding) : NULL;
}

fl_status fl_bc_types(fl_bc_reader *r, fl_cursor *c, unsigned depth, const fl_type **out, uint32_t *out_count)
{
    uint32_t count = *out_count = fl_cursor_count(c);
    fl_type *types = FL_NEW_ARRAY(&r->arena, fl_type, count);
    if (!types) return no_memory();
    for (uint32_t i = 0; i < count; i++) {
        const fl_type *t;
        FL_TRY(fl_bc_type(r, fl_cursor_varint(c), depth + 1, &t));
        types[i] = *t;
    }
    *out = types;
    return NULL;
}

/* Tuples and futures have members; the members of a function are its arguments, then its results. */
static fl_status members(fl_bc_reader *r, fl_cursor *c, fl_type_kind kind, unsigned depth, fl_type *type)
{
    fl_type_more *more = FL_NEW(&r->arena, fl_type_more);
    if (!more) return no_memory();
    FL_TRY(fl_bc_types(r, c, depth, &more->members, &more->count));
    if (kind == FL_TYPE_FUNCTION) {
        const fl_type *results;
        uint32_t inputs = more->count, outputs;
        FL_TRY(fl_bc_types(r, c, depth, &results, &outputs));
        fl_type *all = FL_NEW_ARRAY(&r->arena, fl_type, (size_t)inputs + outputs);
        if (!all) return no_memory();
        if (inputs) memcpy(all, more->members, inputs * sizeof *all);
        if (outputs) memcpy(all + inputs, results, outputs * sizeof *all);
        more->members = all;
        more->inputs = inputs;
        more->count = inputs + outputs;
    }
    type->kind = (uint8_t)kind;
    type->more = more;
    return NULL;
}

static fl_status quant_parts(fl_cursor *c, fl_bc_reader *r, int per_axis, fl_quant *q)
{
    uint32_t scales = 1, zeros = 1;
    if (per_axis) {
        uint64_t axis = fl_cursor_varint(c);
        FL_CHECK(axis < FL_MAX_RANK, FL_INVALID, "%s: expected the axis of a quantized type", FL_BC_PREFIX);
        q->axis = (int8_t)axis;
        q->min = fl_cursor_signed(c);
        q->max = fl_cursor_signed(c);
        scales = fl_cursor_count(c);
    }
    double *scale = FL_NEW_ARRAY(&r->arena, double, scales);
    int64_t *zero = FL_NEW_ARRAY(&r->arena, int64_t, scales);
    if (!scale || !zero) return no_memory();
    for (uint32_t i = 0; i < scales; i++) scale[i] = fl_cursor_f64(c);
    if (per_axis) zeros = fl_cursor_count(c);
    if (zeros != scales || c->failed) return bad("expected as many zero points as scales");
    for (uint32_t i = 0; i < zeros; i++) zero[i] = fl_cursor_signed(c);
    if (!per_axis) {
        q->axis = -1;
        q->min = fl_cursor_signed(c);
        q->max = fl_cursor_signed(c);
    }
    q->count = scales;
    q->scales = scale;
    q->zero_points = zero;
    return NULL;
}

/* Storage types are written as if they were signed; a flag tells which are. */
static fl_dtype storage_type(fl_dtype written, uint64_t flags)
{
    if (flags & 1) return written;
    switch (written) {
    case FL_I2: return FL_U2;
    case FL_I4: return FL_U4;
    case FL_I8: return FL_U8;
    case FL_I16: return FL_U16;
    case FL_I32: return FL_U32;
    case FL_I64: return FL_U64;
    default: return written;
    }
}

static fl_status quantized(fl_bc_reader *r, fl_cursor *c, int per_axis, unsigned depth, fl_type *type)
{
    fl_quant *q = FL_NEW(&r->arena, fl_quant);
    fl_type_more *more = FL_NEW(&r->arena, fl_type_more);
    if (!q || !more) return no_memory();
    const fl_type *storage, *expressed;
    uint64_t flags = fl_cursor_varint(c);
    FL_TRY(element(r, c, depth, &storage));
    FL_TRY(element(r, c, depth, &expressed));
    if (storage->more || expressed->more) return bad("expected a plain type inside of a quantized one");
    q->storage = (uint8_t)storage_type((fl_dtype)storage->dtype, flags);
    q->expressed = expressed->dtype;
    FL_TRY(quant_parts(c, r, per_axis, q));
    r->weight += q->count;
    more->quant = q;
    type->kind = FL_TYPE_ELEMENT;
    type->dtype = q->storage;
    type->more = more;
    return NULL;
}

static fl_status complex_type(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_type *type)
{
    const fl_type *part;
    FL_TRY(element(r, c, depth, &part));
    type->kind = FL_TYPE_ELEMENT;
    type->dtype = part->dtype == FL_F32 ? FL_C64 : part->dtype == FL_F64 ? FL_C128 : FL_DTYPE_NONE;
    return type->dtype && !part->more ? NULL : bad("expected complex numbers of f32 or f64");
}

static fl_status vhlo_type(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_type *type)
{
    uint64_t code = fl_cursor_varint(c);
    const fl_type *e;
    switch (code) {
    case FL_VT_COMPLEX: return complex_type(r, c, depth, type);
    case FL_VT_TENSOR:
    case FL_VT_ENCODED_TENSOR:
    case FL_VT_BUFFER: return tensor(r, c, code, depth, type);
    case FL_VT_UNRANKED:
        FL_TRY(element(r, c, depth, &e));
        set_element(type, e);
        type->kind = FL_TYPE_UNRANKED;
        return NULL;
    case FL_VT_TUPLE: return members(r, c, FL_TYPE_TUPLE, depth, type);
    case FL_VT_FUTURE: return members(r, c, FL_TYPE_FUTURE, depth, type);
    case FL_VT_FUNCTION: return members(r, c, FL_TYPE_FUNCTION, depth, type);
    case FL_VT_TOKEN: type->kind = FL_TYPE_TOKEN; return NULL;
    case FL_VT_NONE: type->kind = FL_TYPE_NONE; return NULL;
    case FL_VT_QUANT: return quantized(r, c, 0, depth, type);
    case FL_VT_QUANT_AXIS: return quantized(r, c, 1, depth, type);
    case FL_VT_WITNESS: return fl_error(FL_UNSUPPORTED, "%s: expected no witness types", FL_BC_PREFIX);
    }
    type->kind = FL_TYPE_ELEMENT;
    type->dtype = (uint8_t)fl_vhlo_type_dtype(code);
    FL_CHECK(type->dtype != FL_DTYPE_NONE, FL_UNSUPPORTED, "%s: unknown type number %llu", FL_BC_PREFIX,
             (unsigned long long)code);
    return NULL;
}

static fl_dtype builtin_integer(uint64_t width_and_sign)
{
    int is_unsigned = (width_and_sign & 3) == 2;
    switch (width_and_sign >> 2) {
    case 1: return is_unsigned ? FL_DTYPE_NONE : FL_I1;
    case 2: return is_unsigned ? FL_U2 : FL_I2;
    case 4: return is_unsigned ? FL_U4 : FL_I4;
    case 8: return is_unsigned ? FL_U8 : FL_I8;
    case 16: return is_unsigned ? FL_U16 : FL_I16;
    case 32: return is_unsigned ? FL_U32 : FL_I32;
    case 64: return is_unsigned ? FL_U64 : FL_I64;
    default: return FL_DTYPE_NONE;
    }
}

static fl_status builtin_type(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_type *type)
{
    static const uint8_t floats[] = {FL_BF16, FL_F16, FL_F32, FL_F64};
    static const uint8_t narrow[] = {FL_TF32,       FL_F8E5M2,     FL_F8E4M3,        FL_F8E4M3FN,
                                     FL_F8E5M2FNUZ, FL_F8E4M3FNUZ, FL_F8E4M3B11FNUZ, FL_F8E3M4,
                                     FL_F4E2M1FN,   FL_F6E2M3FN,   FL_F6E3M2FN,      FL_F8E8M0FNU};
    uint64_t code = fl_cursor_varint(c);
    type->kind = FL_TYPE_ELEMENT;
    switch (code) {
    case FL_BT_INTEGER: type->dtype = (uint8_t)builtin_integer(fl_cursor_varint(c)); break;
    case FL_BT_INDEX: type->dtype = FL_IDX; break;
    case FL_BT_BF16:
    case FL_BT_F16:
    case FL_BT_F32:
    case FL_BT_F64: type->dtype = floats[code - FL_BT_BF16]; break;
    case FL_BT_COMPLEX: return complex_type(r, c, depth, type);
    case FL_BT_FUNCTION: return members(r, c, FL_TYPE_FUNCTION, depth, type);
    case FL_BT_TUPLE: return members(r, c, FL_TYPE_TUPLE, depth, type);
    case FL_BT_TENSOR: return tensor(r, c, FL_VT_TENSOR, depth, type);
    case FL_BT_NONE: type->kind = FL_TYPE_NONE; return NULL;
    default:
        if (code >= FL_BT_NARROW && code - FL_BT_NARROW < sizeof narrow)
            type->dtype = narrow[code - FL_BT_NARROW];
    }
    FL_CHECK(type->dtype != FL_DTYPE_NONE, FL_UNSUPPORTED, "%s: unsupported builtin type number %llu",
             FL_BC_PREFIX, (unsigned long long)code);
    return NULL;
}

/* A type without a number of its own, in MLIR's spelling: f8E5M2. */
static fl_dtype spelled_type(const fl_bc_entry *e)
{
    for (int t = 1; t < FL_DTYPE_COUNT; t++) {
        const char *name = fl_dtype_name((fl_dtype)t);
        if (e->size == strlen(name) + 1 && !memcmp(e->data, name, e->size)) return (fl_dtype)t;
    }
    return FL_DTYPE_NONE;
}

/* Regions of operations outside VHLO (sdy.manual_computation) keep StableHLO's own types, of which this is the only one. */
static int is_stablehlo_token(const fl_bc_reader *r, const fl_bc_entry *e)
{
    fl_cursor c = fl_cursor_make(e->data, e->size);
    if (strcmp(r->strings[r->dialect_names[e->dialect]].text, "stablehlo") != 0) return 0;
    return e->custom ? fl_cursor_varint(&c) == 0 && !c.failed && !fl_cursor_left(&c)
                     : e->size == sizeof "token" && !memcmp(e->data, "token", e->size);
}

static fl_status decode(fl_bc_reader *r, fl_bc_entry *e, unsigned depth, fl_type *type)
{
    fl_cursor c = fl_cursor_make(e->data, e->size);
    uint8_t dialect = r->dialects[e->dialect];
    if (!e->custom && dialect == FL_BC_BUILTIN && spelled_type(e) != FL_DTYPE_NONE) {
        *type = (fl_type){.kind = FL_TYPE_ELEMENT, .dtype = (uint8_t)spelled_type(e)};
        return NULL;
    }
    if (is_stablehlo_token(r, e)) {
        type->kind = FL_TYPE_TOKEN;
        return NULL;
    }
    FL_CHECK(e->custom && (dialect == FL_BC_VHLO || dialect == FL_BC_BUILTIN), FL_UNSUPPORTED,
             "%s: expected types of VHLO, got one of \"%.40s\"", FL_BC_PREFIX,
             r->strings[r->dialect_names[e->dialect]].text);
    FL_TRY(dialect == FL_BC_VHLO ? vhlo_type(r, &c, depth, type) : builtin_type(r, &c, depth, type));
    if (c.failed || fl_cursor_left(&c)) return fl_bc_truncated("a type");
    return NULL;
}

/* Values have types that fl_type_check accepts; function and element types stand in attributes only. */
fl_status fl_bc_type(fl_bc_reader *r, uint64_t index, unsigned depth, const fl_type **out)
{
    FL_CHECK(index < r->type_count, FL_INVALID, "%s: expected one of %u types, got %llu", FL_BC_PREFIX,
             r->type_count, (unsigned long long)index);
    fl_bc_entry *e = &r->types[index];
    if (e->state != FL_BC_READ) {
        fl_bc_nesting outer;
        fl_type *type = FL_NEW(&r->arena, fl_type);
        if (!type) return no_memory();
        FL_TRY(fl_bc_enter(r, e, depth, &outer));
        FL_TRY(decode(r, e, depth, type));
        e->u.type = type;
        FL_TRY(fl_bc_leave(r, e, &outer));
    }
    fl_bc_count(r, e);
    *out = e->u.type;
    return NULL;
}
