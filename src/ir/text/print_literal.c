/* Types, literals and constants as text. Every number reads back to the same bits. */
#include "base/f8.h"
#include "base/half.h"
#include "ir/text/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LISTED = 64, /* longer constants are written as bytes in hexadecimal */
    MOST_DEPTH = 100  /* of literals in literals */
};

void fl_print_text(fl_text *out, const char *text)
{
    fl_text_append(out, text, strlen(text));
}

static void print_unsigned(fl_text *out, uint64_t value, int negative)
{
    char text[24], *at = text + sizeof text;
    do *--at = (char)('0' + value % 10);
    while (value /= 10);
    if (negative) *--at = '-';
    fl_text_append(out, at, (size_t)(text + sizeof text - at));
}

void fl_print_int(fl_text *out, int64_t value)
{
    print_unsigned(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

static void print_ints(fl_text *out, const int64_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) fl_print_text(out, ", ");
        fl_print_int(out, values[i]);
    }
}

void fl_print_ints(fl_text *out, const int64_t *values, uint32_t count)
{
    fl_print_text(out, "[");
    print_ints(out, values, count);
    fl_print_text(out, "]");
}

void fl_print_string(fl_text *out, const char *text, size_t length)
{
    static const char digits[] = "0123456789ABCDEF";
    fl_print_text(out, "\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        char escape[3] = {'\\', digits[c >> 4], digits[c & 15]};
        if (c == '\\')
            fl_print_text(out, "\\\\");
        else if (c < 32 || c > 126 || c == '"')
            fl_text_append(out, escape, 3);
        else
            fl_text_append(out, text + i, 1);
    }
    fl_print_text(out, "\"");
}

/* letters, digits and _ $ . as MLIR has them in names, not beginning with a digit */
static int is_identifier(const char *name, size_t length)
{
    if (!length || !(isalpha((unsigned char)name[0]) || name[0] == '_')) return 0;
    for (size_t i = 1; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && (!name[i] || !strchr("_$.", name[i]))) return 0;
    return 1;
}

void fl_print_symbol(fl_text *out, const char *name, size_t length)
{
    fl_print_text(out, "@");
    if (is_identifier(name, length))
        fl_text_append(out, name, length);
    else
        fl_print_string(out, name, length);
}

void fl_print_name(fl_text *out, const char *name)
{
    size_t length = strlen(name);
    if (is_identifier(name, length))
        fl_text_append(out, name, length);
    else
        fl_print_string(out, name, length);
}

void fl_print_type(fl_text *out, const fl_type *type)
{
    char few[256], *text = few;
    size_t capacity = sizeof few;
    while (strlen(fl_type_text(type, text, capacity)) + 1 >= capacity) { /* it may have been cut off */
        if (text != few) free(text);
        capacity *= 4;
        text = malloc(capacity);
        if (!text) {
            out->failed = 1;
            return;
        }
    }
    fl_print_text(out, text);
    if (text != few) free(text);
}

/* ---- numbers ---- */

static void print_hex(fl_text *out, uint64_t bits, int width)
{
    fl_text_printf(out, "0x%0*" PRIX64, (width + 3) / 4, bits);
}

/* The fewest digits, at least six after the point as MLIR writes them, that give the number again. Readers may go through a
 * double, so that it has to come back that way too. */
static void print_finite(fl_text *out, double value, int single)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits, value);
        double back = strtod(text, NULL);
        if (single ? (float)back == (float)value && strtof(text, NULL) == (float)value : back == value) break;
    }
    fl_print_text(out, text);
}

static uint64_t f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

static uint64_t load(const void *at, size_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, at, bytes);
    return v;
}

/* A number of a real floating-point type, from its bits as the engine stores them. */
static void print_float_bits(fl_text *out, fl_dtype dtype, uint64_t bits)
{
    double value;
    switch (dtype) {
    case FL_F64: memcpy(&value, &bits, 8); break;
    case FL_BF16: value = fl_f32_from_bf16((uint16_t)bits); break;
    case FL_F16: value = fl_f32_from_f16((uint16_t)bits); break;
    case FL_F32:
    case FL_TF32: value = fl_f32_from_bits((uint32_t)bits); break;
    default: value = fl_f32_from_f8(dtype, (uint8_t)bits); break;
    }
    /* the least f8E8M0FNU is as good as half way between two as a decimal */
    int exact = isfinite(value) && !(dtype == FL_F8E8M0FNU && !bits);
    if (exact)
        print_finite(out, value, dtype != FL_F64);
    else if (dtype == FL_TF32) /* stored as an f32 whose last 13 bits are 0 */
        print_hex(out, bits >> 13, 19);
    else
        print_hex(out, bits, fl_dtypes[dtype].bits);
}

void fl_print_float(fl_text *out, fl_dtype dtype, double value)
{
    if (isfinite(value)) {
        print_finite(out, value, dtype != FL_F64 && (float)value == value);
        return;
    }
    if (dtype == FL_F64) {
        print_hex(out, f64_bits(value), 64);
        return;
    }
    uint32_t bits = fl_f32_bits((float)value);
    switch (dtype) {
    case FL_F16: print_float_bits(out, dtype, fl_f16_from_f32((float)value)); break;
    case FL_BF16: print_float_bits(out, dtype, bits >> 16); break;
    case FL_F32:
    case FL_TF32: print_float_bits(out, dtype, bits); break;
    default: print_float_bits(out, dtype, fl_f8_from_f32(dtype, (float)value)); break;
    }
}

static void print_integer_bits(fl_text *out, fl_dtype dtype, uint64_t bits)
{
    int shift = 64 - 8 * (int)fl_dtype_bytes(dtype);
    if (fl_dtype_kind(dtype) == FL_KIND_UINT)
        print_unsigned(out, bits, 0);
    else
        fl_print_int(out, (int64_t)(bits << shift) >> shift);
}

void fl_print_element(fl_text *out, fl_dtype dtype, const void *element)
{
    size_t bytes = fl_dtype_bytes(dtype);
    if (fl_is_complex(dtype)) {
        fl_print_text(out, "(");
        fl_print_element(out, fl_real_dtype(dtype), element);
        fl_print_text(out, ",");
        fl_print_element(out, fl_real_dtype(dtype), (const char *)element + bytes / 2);
        fl_print_text(out, ")");
    } else if (dtype == FL_I1) {
        fl_print_text(out, load(element, 1) ? "true" : "false");
    } else if (fl_is_float(dtype)) {
        print_float_bits(out, dtype, load(element, bytes));
    } else {
        print_integer_bits(out, dtype, load(element, bytes));
    }
}

/* ---- constants ---- */

static const char *print_list(fl_text *out, const fl_type *type, int dim, const char *at)
{
    if (dim == type->rank) {
        fl_print_element(out, (fl_dtype)type->dtype, at);
        return at + fl_dtype_bytes((fl_dtype)type->dtype);
    }
    fl_print_text(out, "[");
    for (int64_t i = 0; i < type->dims[dim]; i++) {
        if (i) fl_print_text(out, ", ");
        at = print_list(out, type, dim + 1, at);
    }
    fl_print_text(out, "]");
    return at;
}

static void print_blob(fl_text *out, const unsigned char *data, size_t bytes)
{
    static const char digits[] = "0123456789ABCDEF";
    char piece[512];
    size_t n = 0;
    fl_print_text(out, "\"0x");
    for (size_t i = 0; i < bytes; i++) {
        piece[n++] = digits[data[i] >> 4];
        piece[n++] = digits[data[i] & 15];
        if (n == sizeof piece || i + 1 == bytes) {
            fl_text_append(out, piece, n);
            n = 0;
        }
    }
    fl_print_text(out, "\"");
}

static int is_splat(const char *data, size_t bytes, size_t size)
{
    return bytes >= size && !memcmp(data, data + size, bytes - size);
}

void fl_print_dense(fl_text *out, const fl_type *type, const void *data, size_t bytes)
{
    fl_dtype dtype = (fl_dtype)type->dtype;
    size_t size = fl_dtype_bytes(dtype);
    int64_t count = fl_type_elements(type);
    fl_print_text(out, "dense<");
    /* i1 and what fills no bytes is never a blob: readers do not agree on how those are packed */
    int whole = fl_dtypes[dtype].bits == 8 * size;
    if (count && is_splat(data, bytes, size))
        fl_print_element(out, dtype, data);
    else if (count > MOST_LISTED && whole)
        print_blob(out, data, bytes);
    else if (count)
        print_list(out, type, 0, data);
    fl_print_text(out, ">");
}

/* ---- literals ---- */

static void print_literal(fl_text *out, const fl_literal *l, int depth);

static void print_integer(fl_text *out, const fl_literal *l)
{
    if (l->dtype == FL_I1) {
        fl_print_text(out, l->u.i ? "true" : "false");
        return;
    }
    if (fl_dtype_kind((fl_dtype)l->dtype) == FL_KIND_UINT)
        print_unsigned(out, (uint64_t)l->u.i, 0);
    else
        fl_print_int(out, l->u.i);
    fl_text_printf(out, " : %s", fl_dtype_name((fl_dtype)l->dtype));
}

/* array<i64: 1, 2>; of index, which arrays cannot have, dense<[1, 2]> : tensor<2xindex> */
static void print_integers(fl_text *out, const fl_literal *l)
{
    if (l->dtype == FL_IDX) {
        fl_print_text(out, "dense<");
        if (l->count) fl_print_ints(out, l->u.ints, l->count);
        fl_text_printf(out, "> : tensor<%uxindex>", l->count);
        return;
    }
    fl_text_printf(out, "array<%s%s", fl_dtype_name((fl_dtype)l->dtype), l->count ? ": " : "");
    if (l->dtype != FL_I1) print_ints(out, l->u.ints, l->count);
    for (uint32_t i = 0; l->dtype == FL_I1 && i < l->count; i++)
        fl_text_printf(out, "%s%s", i ? ", " : "", l->u.ints[i] ? "true" : "false");
    fl_print_text(out, ">");
}

static void print_dict(fl_text *out, const fl_literal *l, int depth)
{
    fl_print_text(out, "{");
    for (uint32_t i = 0; i < l->count; i++) {
        if (i) fl_print_text(out, ", ");
        fl_print_name(out, l->u.entries[i].name);
        if (l->u.entries[i].value.kind == FL_LIT_UNIT) continue;
        fl_print_text(out, " = ");
        print_literal(out, &l->u.entries[i].value, depth + 1);
    }
    fl_print_text(out, "}");
}

static void print_literal(fl_text *out, const fl_literal *l, int depth)
{
    if (depth > MOST_DEPTH) {
        out->failed = 1;
        return;
    }
    switch ((fl_literal_kind)l->kind) {
    case FL_LIT_UNIT: fl_print_text(out, "unit"); break;
    case FL_LIT_BOOL: fl_print_text(out, l->u.i ? "true" : "false"); break;
    case FL_LIT_INT: print_integer(out, l); break;
    case FL_LIT_FLOAT:
        fl_print_float(out, (fl_dtype)l->dtype, l->u.f);
        fl_text_printf(out, " : %s", fl_dtype_name((fl_dtype)l->dtype));
        break;
    case FL_LIT_STRING: fl_print_string(out, l->u.string, l->count); break;
    case FL_LIT_SYMBOL: fl_print_symbol(out, l->u.string, l->count); break;
    case FL_LIT_OPAQUE: fl_text_append(out, l->u.string, l->count); break;
    case FL_LIT_TYPE: fl_print_type(out, l->type); break;
    case FL_LIT_INTS: print_integers(out, l); break;
    case FL_LIT_DICT: print_dict(out, l, depth); break;
    case FL_LIT_ARRAY:
        fl_print_text(out, "[");
        for (uint32_t i = 0; i < l->count; i++) {
            if (i) fl_print_text(out, ", ");
            print_literal(out, &l->u.items[i], depth + 1);
        }
        fl_print_text(out, "]");
        break;
    case FL_LIT_DENSE:
        fl_print_dense(out, l->type, l->u.data, l->count);
        fl_print_text(out, " : ");
        fl_print_type(out, l->type);
        break;
    }
}

void fl_print_literal(fl_text *out, const fl_literal *literal)
{
    print_literal(out, literal, 0);
}

void fl_print_dict(fl_text *out, const fl_literal *dict)
{
    print_dict(out, dict, 0);
}
