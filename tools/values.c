#include "values.h"

#include "base/dtype.h"
#include "base/f8.h"
#include "base/half.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 3 }; /* elements shown at either end of a long dimension */

/* Back to the format's precision; what differs from `value` needs more digits. */
static double rounded(fl_dtype dtype, double value)
{
    switch (dtype) {
    case FL_F64:
    case FL_C128: return value;
    case FL_BF16: return fl_f32_from_bf16(fl_bf16_from_f32((float)value));
    case FL_F16: return fl_f32_from_f16(fl_f16_from_f32((float)value));
    default:
        return fl_is_f8(dtype) ? fl_f32_from_f8(dtype, fl_f8_from_f32(dtype, (float)value))
                               : (double)(float)value;
    }
}

static void print_float(fl_dtype dtype, double value, fl_text *out)
{
    char text[40];
    if (isnan(value)) {
        fl_text_append(out, "nan", 3);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (isinf(value) || rounded(dtype, strtod(text, NULL)) == value) break;
    }
    fl_text_append(out, text, strlen(text));
}

static void print_element(fl_dtype dtype, const void *data, size_t i, fl_text *out)
{
    switch (dtype) {
    case FL_I1: fl_text_printf(out, "%s", ((const uint8_t *)data)[i] ? "true" : "false"); return;
    case FL_I2:
    case FL_I4:
    case FL_I8: fl_text_printf(out, "%d", ((const int8_t *)data)[i]); return;
    case FL_U2:
    case FL_U4:
    case FL_U8: fl_text_printf(out, "%u", ((const uint8_t *)data)[i]); return;
    case FL_I16: fl_text_printf(out, "%d", ((const int16_t *)data)[i]); return;
    case FL_U16: fl_text_printf(out, "%u", ((const uint16_t *)data)[i]); return;
    case FL_I32: fl_text_printf(out, "%d", ((const int32_t *)data)[i]); return;
    case FL_U32: fl_text_printf(out, "%u", ((const uint32_t *)data)[i]); return;
    case FL_IDX:
    case FL_I64: fl_text_printf(out, "%lld", (long long)((const int64_t *)data)[i]); return;
    case FL_U64: fl_text_printf(out, "%llu", (unsigned long long)((const uint64_t *)data)[i]); return;
    case FL_BF16: print_float(dtype, fl_f32_from_bf16(((const uint16_t *)data)[i]), out); return;
    case FL_F16: print_float(dtype, fl_f32_from_f16(((const uint16_t *)data)[i]), out); return;
    case FL_TF32:
    case FL_F32: print_float(dtype, ((const float *)data)[i], out); return;
    case FL_F64: print_float(dtype, ((const double *)data)[i], out); return;
    case FL_C64:
    case FL_C128:
        for (size_t part = 0; part < 2; part++) {
            fl_text_append(out, part ? ", " : "(", part ? 2 : 1);
            print_float(dtype,
                        dtype == FL_C64 ? ((const float *)data)[2 * i + part]
                                        : ((const double *)data)[2 * i + part],
                        out);
        }
        fl_text_append(out, ")", 1);
        return;
    default: print_float(dtype, fl_f32_from_f8(dtype, ((const uint8_t *)data)[i]), out);
    }
}

/* Elements from `first` on, `step` of them for one index of dimension d. */
static void print_dimension(const fl_array *array, fl_dtype dtype, uint32_t d, size_t first, size_t step,
                            int all, fl_text *out)
{
    if (d == array->rank) {
        print_element(dtype, array->data, first, out);
        return;
    }
    int64_t n = array->dims[d];
    size_t inner = n ? step / (size_t)n : 0;
    fl_text_append(out, "[", 1);
    for (int64_t i = 0; i < n; i++) {
        if (i) fl_text_append(out, ", ", 2);
        if (!all && n > 2 * EDGE && i == EDGE) {
            fl_text_append(out, "..., ", 5);
            i = n - EDGE;
        }
        print_dimension(array, dtype, d + 1, first + (size_t)i * inner, inner, all, out);
    }
    fl_text_append(out, "]", 1);
}

void fl_print_array(const fl_array *array, uint64_t most, fl_text *out)
{
    fl_dtype dtype = fl_dtype_named(array->dtype);
    if (!dtype) {
        fl_text_printf(out, "no tensor");
        return;
    }
    size_t elements = array->bytes / fl_dtype_bytes(dtype);
    fl_text_printf(out, "tensor<");
    for (uint32_t d = 0; d < array->rank; d++) fl_text_printf(out, "%lldx", (long long)array->dims[d]);
    fl_text_printf(out, "%s> ", array->dtype);
    print_dimension(array, dtype, 0, 0, elements, !most || elements <= most, out);
}
