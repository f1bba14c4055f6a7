#include "eager/describe.h"

void fl_numbers_describe(const char *before, const int64_t *numbers, uint32_t count, fl_text *out)
{
    fl_text_printf(out, "%s[", before);
    for (uint32_t i = 0; i < count; i++) fl_text_printf(out, "%s%lld", i ? ", " : "", (long long)numbers[i]);
    fl_text_append(out, "]", 1);
}

static int is_dense(const fl_tensor *t)
{
    int64_t stride = 1;
    for (int d = t->rank - 1; d >= 0; d--) {
        if (t->sizes[d] != 1 && t->strides[d] != stride) return 0;
        stride *= t->sizes[d] > 1 ? t->sizes[d] : 1;
    }
    return 1;
}

void fl_tensor_describe(const fl_tensor *t, fl_describe strides, fl_text *out)
{
    if (t->dtype == FL_DTYPE_NONE) {
        fl_text_printf(out, "none");
        return;
    }
    fl_numbers_describe(fl_dtype_name((fl_dtype)t->dtype), t->sizes, t->rank, out);
    if (!t->host && (strides == FL_ALL_STRIDES || !is_dense(t)))
        fl_numbers_describe(" strides ", t->strides, t->rank, out);
    if (t->host) fl_text_printf(out, " on the host");
    if (t->conj) fl_text_printf(out, " conjugated");
    if (t->neg) fl_text_printf(out, " negated");
}

static void add_elements(const fl_value *v, fl_describe strides, fl_text *out)
{
    fl_text_append(out, "[", 1);
    for (uint32_t i = 0; i < v->count; i++) {
        if (i) fl_text_append(out, ", ", 2);
        if (v->tag == FL_TAG_TENSORS)
            fl_tensor_describe(&v->u.tensor[i], strides, out);
        else if (v->tag == FL_TAG_SCALARS)
            fl_value_describe(&v->u.scalars[i], strides, out);
        else
            fl_text_printf(out, "%.9g", v->u.doubles[i]);
    }
    fl_text_append(out, "]", 1);
}

void fl_value_describe(const fl_value *v, fl_describe strides, fl_text *out)
{
    switch (v->tag) {
    case FL_TAG_NONE: fl_text_printf(out, "none"); break;
    case FL_TAG_BOOL: fl_text_printf(out, v->u.i ? "true" : "false"); break;
    case FL_TAG_INT: fl_text_printf(out, "%lld", (long long)v->u.i); break;
    case FL_TAG_DOUBLE: fl_text_printf(out, "%.9g", v->u.d); break;
    case FL_TAG_COMPLEX: fl_text_printf(out, "%.9g%+.9gi", v->u.complex_[0], v->u.complex_[1]); break;
    case FL_TAG_STRING: fl_text_printf(out, "\"%s\"", v->u.string); break;
    case FL_TAG_TENSOR: fl_tensor_describe(v->u.tensor, strides, out); break;
    case FL_TAG_GENERATOR: fl_text_printf(out, "a generator"); break;
    case FL_TAG_INTS:
    case FL_TAG_BOOLS: fl_numbers_describe("", v->u.ints, v->count, out); break;
    case FL_TAG_DOUBLES:
    case FL_TAG_SCALARS:
    case FL_TAG_TENSORS: add_elements(v, strides, out); break;
    default: fl_text_printf(out, "?");
    }
}

void fl_call_describe(const fl_call *call, fl_text *out)
{
    fl_text_printf(out, "%s(", fl_operators[call->op].name);
    for (uint32_t i = 0; i < call->arg_count; i++) {
        if (i) fl_text_append(out, ", ", 2);
        fl_value_describe(&call->args[i], FL_ODD_STRIDES, out);
    }
    fl_text_append(out, ")", 1);
}
