#include "ir/bytecode/vhlo.h"
#include "ir/defaults.h"
#include "ir/text/syntax.h"

#include <stdlib.h>
#include <string.h>

#define CUR    UINT16_MAX
#define SINGLE FL_VHLO_SINGLE
#define PLAIN  FL_VHLO_PLAIN
#define SAME   FL_VHLO_SAME
#define A(key) FL_ATTR_##key

static const fl_vhlo_row rows[] = {
#define FL_VHLO(name, code, first, last, flags, ...) {name, FL_OP_##code, first, last, flags, {__VA_ARGS__}},
#include "ir/bytecode/vhlo.def"
#undef FL_VHLO
};
#define ROWS (sizeof rows / sizeof rows[0])

static const uint8_t forms[FL_ATTR_COUNT] = {
#define FL_VHLO_ATTR(key, form) [FL_ATTR_##key] = FL_VHLO_##form,
#include "ir/bytecode/vhlo_attrs.def"
#undef FL_VHLO_ATTR
};

_Static_assert(FL_ATTR_COUNT < 256, "keys of the table rows are bytes");

fl_vhlo_version fl_stablehlo_version(void)
{
    return (fl_vhlo_version){FL_VHLO_CURRENT / 100, FL_VHLO_CURRENT % 100, 0};
}

fl_vhlo_version fl_stablehlo_oldest(void)
{
    return (fl_vhlo_version){FL_VHLO_OLDEST / 100, FL_VHLO_OLDEST % 100, 0};
}

/* Digits up to the end character; -1 when there are none or too many. */
static int number(const char **text, char end)
{
    const char *p = *text;
    int value = 0;
    while (*p >= '0' && *p <= '9' && value < 100000) value = value * 10 + (*p++ - '0');
    if (p == *text || *p != end) return -1;
    *text = end ? p + 1 : p;
    return value;
}

fl_status fl_vhlo_version_parse(const char *text, fl_vhlo_version *out)
{
    const char *p = text;
    fl_vhlo_version v = {.major = number(&p, '.')};
    if (v.major >= 0) v.minor = number(&p, '.');
    if (v.major >= 0 && v.minor >= 0) v.patch = number(&p, 0);
    FL_CHECK(v.major >= 0 && v.minor >= 0 && v.patch >= 0, FL_VALUE,
             "expected a version such as 1.9.0, got \"%.40s\"", text);
    *out = v;
    return NULL;
}

const fl_vhlo_row *fl_vhlo_find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!strcmp(rows[i].name, name)) return &rows[i];
    return NULL;
}

const fl_vhlo_row *fl_vhlo_pick(fl_opcode code, unsigned version)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].code == code && rows[i].first <= version && version <= rows[i].last) return &rows[i];
    return NULL;
}

static int has_key(const fl_vhlo_row *row, fl_attr_key key)
{
    for (const uint8_t *k = row->keys; *k; k++)
        if (*k == key) return 1;
    return 0;
}

unsigned fl_vhlo_first(fl_opcode code)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].code == code) return rows[i].first;
    return 0;
}

unsigned fl_vhlo_first_with(fl_opcode code, fl_attr_key key)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].code == code && has_key(&rows[i], key)) return rows[i].first;
    return 0;
}

unsigned fl_vhlo_first_without(fl_opcode code, fl_vhlo_flag flag)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].code == code && !(rows[i].flags & flag)) return rows[i].first;
    return 0;
}

fl_vhlo_form fl_vhlo_form_of(fl_attr_key key)
{
    return (fl_vhlo_form)forms[key];
}

fl_vhlo_default fl_vhlo_default_of(fl_opcode code, fl_attr_key key)
{
    static const fl_vhlo_default by_key[FL_ATTR_COUNT] = {
#define FL_VHLO_DEFAULT(key, kind, value) [FL_ATTR_##key] = {FL_DEFAULT_##kind, value},
#include "ir/bytecode/vhlo_defaults.def"
#undef FL_VHLO_DEFAULT
    };
    int transfer = code == FL_OP_send || code == FL_OP_recv;
    fl_vhlo_default required = {FL_DEFAULT_REQUIRED, 0};
    /* names that several operations share */
    if (key == FL_ATTR_channel_id && transfer) return required;
    if (key == FL_ATTR_source_target_pairs && !transfer) return required;
    if (key == FL_ATTR_lower && code != FL_OP_cholesky) return required;
    if (key == FL_ATTR_dimension && code != FL_OP_sort) return required;
    return by_key[key];
}

int fl_vhlo_is_default(fl_opcode code, const fl_attr *attr)
{
    fl_vhlo_default d = fl_vhlo_default_of(code, (fl_attr_key)attr->key);
    uint8_t form = fl_attr_infos[attr->key].form;
    switch (d.kind) {
    case FL_DEFAULT_VALUE: return attr->u.i == d.value;
    case FL_DEFAULT_REPEAT:
        for (uint32_t i = 0; i < attr->count; i++)
            if (attr->u.ints[i] != d.value) return 0;
        return attr->count > 0;
    case FL_DEFAULT_EMPTY:
    case FL_DEFAULT_FILL:
        if (attr->key == FL_ATTR_result_accuracy)
            return fl_attr_is_default(&(fl_op){.code = (uint16_t)code}, attr);
        if (form == FL_FORM_INT) return attr->u.i == d.value;
        return (form == FL_FORM_LITERAL ? attr->u.literal->count : attr->count) == 0;
    default: return 0;
    }
}

static const fl_vhlo_enum enums[] = {
    {FL_VHLO_DIRECTION, FL_VA_DIRECTION, 0, 6, A(comparison_direction)},
    {FL_VHLO_COMPARE, FL_VA_COMPARE, 0, 5, A(compare_type)},
    {FL_VHLO_FFT, FL_VA_FFT, 0, 4, A(fft_type)},
    {FL_VHLO_ALGORITHM, FL_VA_ALGORITHM, 0, 3, A(rng_algorithm)},
    {FL_VHLO_DISTRIBUTION, FL_VA_DISTRIBUTION, 1, 2, A(rng_distribution)},
    {FL_VHLO_TRANSPOSE, FL_VA_TRANSPOSE, 1, 3, A(transpose_a)},
    {FL_VHLO_API, FL_VA_API, 0, 5, A(api_version)},
    {FL_VHLO_FORM_NONE, FL_VA_PRECISION, 0, 3, A(precision_config)},
};
#define ENUMS (sizeof enums / sizeof enums[0])

const fl_vhlo_enum *fl_vhlo_enum_of(fl_vhlo_form form)
{
    for (size_t i = 0; i < ENUMS; i++)
        if (enums[i].form == form && form) return &enums[i];
    return NULL;
}

const fl_vhlo_enum *fl_vhlo_enum_coded(fl_vhlo_attr_code code)
{
    for (size_t i = 0; i < ENUMS; i++)
        if (enums[i].code == code) return &enums[i];
    return NULL;
}

const fl_vhlo_enum *fl_vhlo_enum_spelled(const char *text, size_t length, int64_t *out_value)
{
    for (size_t i = 0; i < ENUMS; i++) {
        const char *type = fl_enum_type((fl_attr_key)enums[i].key);
        size_t n = type ? strlen(type) : 0;
        if (!n || length <= n || memcmp(text, type, n) || text[n] != ' ') continue;
        int64_t value = fl_enum_value((fl_attr_key)enums[i].key, text + n + 1, length - n - 1);
        *out_value = value + enums[i].offset;
        return value < 0 ? NULL : &enums[i];
    }
    return NULL;
}

typedef struct element {
    uint8_t dtype, code, first;
} element;
static const element elements[] = {
#define FL_VHLO_TYPE(dtype, code, first) {FL_##dtype, code, first},
#include "ir/bytecode/vhlo_types.def"
#undef FL_VHLO_TYPE
};
#define ELEMENTS (sizeof elements / sizeof elements[0])

int fl_vhlo_type_code_of(fl_dtype dtype, unsigned *out_first)
{
    for (size_t i = 0; i < ELEMENTS; i++) {
        if (elements[i].dtype != dtype) continue;
        *out_first = elements[i].first;
        return elements[i].code;
    }
    return -1;
}

fl_dtype fl_vhlo_type_dtype(uint64_t code)
{
    for (size_t i = 0; i < ELEMENTS; i++)
        if (elements[i].code == code) return (fl_dtype)elements[i].dtype;
    return FL_DTYPE_NONE;
}

unsigned fl_vhlo_bytecode_format(unsigned version)
{
    return version < 10 ? 0 : version < 12 ? 1 : version < 14 ? 3 : version < 15 ? 4 : 6;
}
