/* Attribute text of constants: dense<...>. */
#include "ir/print.h"
#include "base/half.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LISTED = 64 }; /* longer constants are written as bytes in hexadecimal */

static uint64_t load(const uint8_t *at, size_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, at, bytes);
    return v;
}

/* Digits enough to give the same number again; non-finite numbers as bit patterns. */
static void print_float(fl_text *out, double v, int most_digits, uint64_t bits, int width)
{
    if (!isfinite(v)) {
        fl_text_printf(out, "0x%0*" PRIX64, width, bits);
        return;
    }
    char text[40];
    snprintf(text, sizeof text, "%.6e", v);
    if (strtod(text, NULL) != v) snprintf(text, sizeof text, "%.*e", most_digits, v);
    fl_text_append(out, text, strlen(text));
}

static void print_f32(fl_text *out, uint32_t bits)
{
    print_float(out, fl_f32_from_bits(bits), 9, bits, 8);
}

static void print_f64(fl_text *out, uint64_t bits)
{
    double v;
    memcpy(&v, &bits, 8);
    print_float(out, v, 17, bits, 16);
}

static void print_element(fl_text *out, fl_dtype dtype, const uint8_t *at)
{
    uint64_t bits = load(at, fl_is_complex(dtype) ? 0 : fl_dtype_bytes(dtype));
    switch (dtype) {
    case FL_F32: print_f32(out, (uint32_t)bits); return;
    case FL_F64: print_f64(out, bits); return;
    case FL_BF16: print_float(out, fl_f32_from_bf16((uint16_t)bits), 9, bits, 4); return;
    case FL_F16: print_float(out, fl_f32_from_f16((uint16_t)bits), 9, bits, 4); return;
    case FL_I1: fl_text_printf(out, bits ? "true" : "false"); return;
    case FL_C64:
        fl_text_printf(out, "(");
        print_f32(out, (uint32_t)load(at, 4));
        fl_text_printf(out, ",");
        print_f32(out, (uint32_t)load(at + 4, 4));
        fl_text_printf(out, ")");
        return;
    case FL_C128:
        fl_text_printf(out, "(");
        print_f64(out, load(at, 8));
        fl_text_printf(out, ",");
        print_f64(out, load(at + 8, 8));
        fl_text_printf(out, ")");
        return;
    default: break;
    }
    int bytes = (int)fl_dtype_bytes(dtype);
    if (fl_dtype_kind(dtype) == FL_KIND_UINT)
        fl_text_printf(out, "%" PRIu64, bits);
    else if (fl_dtype_kind(dtype) == FL_KIND_INT)
        fl_text_printf(out, "%" PRId64, (int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    else /* narrow floats */
        fl_text_printf(out, "0x%0*" PRIX64, 2 * bytes, bits);
}

static const uint8_t *print_list(fl_text *out, const fl_type *type, int dim, const uint8_t *at)
{
    if (dim == type->rank) {
        print_element(out, (fl_dtype)type->dtype, at);
        return at + fl_dtype_bytes((fl_dtype)type->dtype);
    }
    fl_text_printf(out, "[");
    for (int64_t i = 0; i < type->dims[dim]; i++) {
        if (i) fl_text_printf(out, ", ");
        at = print_list(out, type, dim + 1, at);
    }
    fl_text_printf(out, "]");
    return at;
}

static int is_splat(const uint8_t *bytes, int64_t count, size_t size)
{
    for (int64_t i = 1; i < count; i++)
        if (memcmp(bytes, bytes + (size_t)i * size, size)) return 0;
    return 1;
}

void fl_print_dense(fl_text *out, const fl_type *type, const void *data)
{
    const uint8_t *bytes = data;
    int64_t count = fl_type_elements(type);
    size_t size = fl_dtype_bytes((fl_dtype)type->dtype);
    fl_text_printf(out, "dense<");
    if (count && is_splat(bytes, count, size)) {
        print_element(out, (fl_dtype)type->dtype, bytes);
    } else if (count > MOST_LISTED && fl_dtypes[type->dtype].bits == 8 * size) {
        fl_text_printf(out, "\"0x");
        for (size_t i = 0; i < (size_t)count * size; i++) fl_text_printf(out, "%02X", bytes[i]);
        fl_text_printf(out, "\"");
    } else if (count) {
        print_list(out, type, 0, bytes);
    }
    fl_text_printf(out, ">");
}
