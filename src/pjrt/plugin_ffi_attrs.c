/* The attributes of a foreign function's call, as its handler reads them. */
#include "pjrt/plugin_ffi.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 32 }; /* dictionaries within one another */

XLA_FFI_DataType fl_ffi_type(const fl_type *type)
{
    static const uint8_t others[] = {
        [PJRT_Buffer_Type_C64] = XLA_FFI_DataType_C64,
        [PJRT_Buffer_Type_BF16] = XLA_FFI_DataType_BF16,
        [PJRT_Buffer_Type_C128] = XLA_FFI_DataType_C128,
        [PJRT_Buffer_Type_F8E5M2] = XLA_FFI_DataType_F8E5M2,
        [PJRT_Buffer_Type_F8E4M3FN] = XLA_FFI_DataType_F8E4M3FN,
        [PJRT_Buffer_Type_F8E4M3B11FNUZ] = XLA_FFI_DataType_F8E4M3B11FNUZ,
        [PJRT_Buffer_Type_F8E5M2FNUZ] = XLA_FFI_DataType_F8E5M2FNUZ,
        [PJRT_Buffer_Type_F8E4M3FNUZ] = XLA_FFI_DataType_F8E4M3FNUZ,
        [PJRT_Buffer_Type_S4] = XLA_FFI_DataType_S4,
        [PJRT_Buffer_Type_U4] = XLA_FFI_DataType_U4,
        [PJRT_Buffer_Type_S2] = XLA_FFI_DataType_S2,
        [PJRT_Buffer_Type_U2] = XLA_FFI_DataType_U2,
        [PJRT_Buffer_Type_F8E4M3] = XLA_FFI_DataType_F8E4M3,
        [PJRT_Buffer_Type_F8E3M4] = XLA_FFI_DataType_F8E3M4,
        [PJRT_Buffer_Type_F8E8M0FNU] = XLA_FFI_DataType_F8E8M0FNU,
        [PJRT_Buffer_Type_F4E2M1FN] = XLA_FFI_DataType_F4E2M1FN,
    };
    if (type->kind == FL_TYPE_TOKEN) return XLA_FFI_DataType_TOKEN;
    PJRT_Buffer_Type t = fl_plugin_type(type->dtype == FL_IDX ? FL_I64 : (fl_dtype)type->dtype);
    if (t <= PJRT_Buffer_Type_F64) return (XLA_FFI_DataType)t;
    return t < sizeof others ? (XLA_FFI_DataType)others[t] : XLA_FFI_DataType_INVALID;
}

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

static fl_status element_type(fl_dtype dtype, XLA_FFI_DataType *out)
{
    *out = fl_ffi_type(&(fl_type){.dtype = (uint8_t)dtype});
    FL_CHECK(*out != XLA_FFI_DataType_INVALID, FL_UNSUPPORTED, "expected numbers that handlers know, got %s",
             fl_dtypes[dtype].name);
    return NULL;
}

static fl_status number(fl_arena *arena, fl_number x, fl_dtype dtype, void **out)
{
    XLA_FFI_Scalar *s = FL_NEW(arena, XLA_FFI_Scalar);
    if (!s || !(s->value = fl_arena_zalloc(arena, 1, 16))) return no_memory();
    FL_TRY(element_type(dtype, &s->dtype));
    FL_CHECK(fl_number_store(x, dtype == FL_IDX ? FL_I64 : dtype, s->value), FL_UNSUPPORTED,
             "expected a number of a type of at least 8 bits, got %s", fl_dtypes[dtype].name);
    *out = s;
    return NULL;
}

static fl_status array(fl_arena *arena, fl_dtype dtype, size_t count, XLA_FFI_Array **out)
{
    XLA_FFI_Array *a = FL_NEW(arena, XLA_FFI_Array);
    if (!a) return no_memory();
    a->size = count;
    a->data = fl_arena_zalloc(arena, count + 1, fl_dtype_bytes(dtype));
    *out = a;
    return a->data ? element_type(dtype, &a->dtype) : no_memory();
}

static fl_status integers(fl_arena *arena, const fl_literal *l, void **out)
{
    XLA_FFI_Array *a;
    fl_dtype dtype = l->dtype == FL_IDX ? FL_I64 : (fl_dtype)l->dtype;
    size_t size = fl_dtype_bytes(dtype);
    FL_TRY(array(arena, dtype, l->count, &a));
    for (uint32_t i = 0; i < l->count; i++)
        FL_CHECK(fl_number_store((fl_number){.integer = l->u.ints[i], .is_integer = 1}, dtype,
                                 (char *)a->data + i * size),
                 FL_UNSUPPORTED, "expected integers of at least 8 bits, got %s", fl_dtypes[dtype].name);
    *out = a;
    return NULL;
}

static fl_status dense(fl_arena *arena, const fl_literal *l, void **out)
{
    XLA_FFI_Array *a;
    size_t size = fl_dtype_bytes((fl_dtype)l->type->dtype);
    FL_TRY(array(arena, (fl_dtype)l->type->dtype, (size_t)fl_type_elements(l->type), &a));
    for (size_t i = 0; i < a->size; i++)
        memcpy((char *)a->data + i * size, (const char *)l->u.data + (l->count == size ? 0 : i * size), size);
    *out = a;
    return NULL;
}

static fl_status text(fl_arena *arena, const char *string, size_t size, XLA_FFI_ByteSpan **out)
{
    XLA_FFI_ByteSpan *span = FL_NEW(arena, XLA_FFI_ByteSpan);
    char *copy = fl_arena_zalloc(arena, size + 1, 1);
    if (!span || !copy) return no_memory();
    memcpy(copy, string, size);
    *span = (XLA_FFI_ByteSpan){copy, size};
    *out = span;
    return NULL;
}

static fl_status fill(fl_arena *arena, const fl_literal *l, XLA_FFI_Attrs *out, int depth);

static fl_status value(fl_arena *arena, const fl_literal *l, XLA_FFI_AttrType *type, void **out, int depth)
{
    *type = XLA_FFI_AttrType_SCALAR;
    switch (l->kind) {
    case FL_LIT_BOOL: return number(arena, (fl_number){.integer = l->u.i, .is_integer = 1}, FL_I1, out);
    case FL_LIT_INT:
        return number(arena, (fl_number){.integer = l->u.i, .is_integer = 1}, (fl_dtype)l->dtype, out);
    case FL_LIT_FLOAT: return number(arena, (fl_number){.re = l->u.f}, (fl_dtype)l->dtype, out);
    case FL_LIT_TYPE: {
        int64_t t = fl_ffi_type(l->type);
        return number(arena, (fl_number){.integer = t, .is_integer = 1}, FL_I32, out);
    }
    case FL_LIT_INTS: *type = XLA_FFI_AttrType_ARRAY; return integers(arena, l, out);
    case FL_LIT_DENSE: *type = XLA_FFI_AttrType_ARRAY; return dense(arena, l, out);
    case FL_LIT_STRING:
        *type = XLA_FFI_AttrType_STRING;
        return text(arena, l->u.string, l->count, (XLA_FFI_ByteSpan **)out);
    case FL_LIT_ARRAY:
    case FL_LIT_DICT:
        *type = XLA_FFI_AttrType_DICTIONARY;
        *out = FL_NEW(arena, XLA_FFI_Attrs);
        return *out ? fill(arena, l, *out, depth + 1) : no_memory();
    default: return fl_error(FL_UNSUPPORTED, "expected a number, an array, a string or a dictionary");
    }
}

/* Lists are dictionaries whose names are their positions; handlers search names in the order of strings: 0, 1, 10, 11, 2. */
static uint32_t position_after(uint32_t i, uint32_t count)
{
    if (i && i * 10 < count) return i * 10;
    while (i % 10 == 9 || (i && i + 1 >= count)) i /= 10;
    return i + 1;
}

static fl_status fill(fl_arena *arena, const fl_literal *l, XLA_FFI_Attrs *out, int depth)
{
    uint32_t n = l ? l->count : 0;
    char position[12];
    FL_CHECK(depth < MOST_DEPTH && n < 1u << 16, FL_UNSUPPORTED, "expected smaller attributes");
    *out = (XLA_FFI_Attrs){.struct_size = XLA_FFI_Attrs_STRUCT_SIZE,
                           .size = n,
                           .types = FL_NEW_ARRAY(arena, XLA_FFI_AttrType, n + 1),
                           .names = FL_NEW_ARRAY(arena, XLA_FFI_ByteSpan *, n + 1),
                           .attrs = FL_NEW_ARRAY(arena, void *, n + 1)};
    if (!out->types || !out->names || !out->attrs) return no_memory();
    int list = l && l->kind == FL_LIT_ARRAY;
    for (uint32_t at = 0, i = 0; at < n; at++, i = list ? position_after(i, n) : i + 1) {
        const fl_literal *item = list ? &l->u.items[i] : &l->u.entries[i].value;
        snprintf(position, sizeof position, "%u", i);
        const char *name = list ? position : l->u.entries[i].name;
        FL_TRY(text(arena, name, strlen(name), &out->names[at]));
        FL_TRY(fl_status_prefix(value(arena, item, &out->types[at], &out->attrs[at], depth), "attribute %s",
                                name));
    }
    return NULL;
}

fl_status fl_ffi_attrs(fl_arena *arena, const fl_literal *dict, XLA_FFI_Attrs *out)
{
    return fill(arena, dict, out, 0);
}
