#include "ir/text/syntax.h"

#include <string.h>

#define OPERANDS           {FL_PART_OPERANDS, 0, 0, NULL}
#define ARGUMENTS          {FL_PART_ARGUMENTS, 0, 0, NULL}
#define TEXT(text)         {FL_PART_TEXT, 0, 0, text}
#define VALUE(key)         {FL_PART_VALUE, 0, FL_ATTR_##key, NULL}
#define NAMED(text, key)   {FL_PART_NAMED, 0, FL_ATTR_##key, text}
#define MAYBE(text, key)   {FL_PART_MAYBE, 0, FL_ATTR_##key, text}
#define LEADING(text, key) {FL_PART_LEADING, 0, FL_ATTR_##key, text}
#define DICT               {FL_PART_DICT, 0, 0, NULL}
#define TYPES(kind)        {FL_PART_TYPES, FL_TYPES_##kind, 0, NULL}
#define PART(kind)         {FL_PART_##kind, 0, 0, NULL}

#define FL_SYNTAX(op, ...) [FL_OP_##op] = (const fl_part[]){__VA_ARGS__, {FL_PART_END, 0, 0, NULL}},
const fl_part *const fl_syntax[FL_OPCODE_COUNT] = {
#include "ir/text/syntax.def"
};

const char *fl_syntax_name(fl_opcode code)
{
    static const char *const names[FL_OPCODE_COUNT] = {
#define FL_OP_AS(name, spelling, dialect, ...) [FL_OP_##name] = #dialect "." #spelling,
#define FL_OP(name, ...)                       FL_OP_AS(name, name, __VA_ARGS__)
#include "ir/ops.def"
#undef FL_OP
    };
    return names[code];
}

const char *fl_syntax_attr(fl_opcode code, fl_attr_key key)
{
    static const struct {
        uint16_t code, key;
        const char *name;
    } renamed[] = {
#define FL_RENAMED(op, key, name) {FL_OP_##op, FL_ATTR_##key, name},
#include "ir/text/syntax.def"
    };
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (renamed[i].code == code && renamed[i].key == key) return renamed[i].name;
    return fl_attr_infos[key].name;
}

#define KEY(name)             FL_ATTR_##name,
#define FL_INHERENT(op, list) [FL_OP_##op] = (const uint16_t[]){list FL_ATTR_NONE},
static const uint16_t *const inherent[FL_OPCODE_COUNT] = {
#include "ir/text/syntax.def"
};
#undef KEY

const char *fl_syntax_axes(fl_opcode code)
{
    switch (code) {
    case FL_OP_sdy_all_reduce:
    case FL_OP_sdy_replicated_to_unreduced: return "#sdy<axis_ref_list";
    case FL_OP_sdy_all_to_all: return "#sdy<all_to_all_param_list";
    default: return "#sdy<list_of_axis_ref_lists";
    }
}

const uint16_t *fl_syntax_keys(fl_opcode code)
{
    return inherent[code];
}

fl_attr_key fl_syntax_find(fl_opcode code, const char *name, size_t length)
{
    for (const uint16_t *key = fl_syntax_keys(code); key && *key; key++) {
        const char *its = fl_syntax_attr(code, (fl_attr_key)*key);
        if (strlen(its) == length && !memcmp(its, name, length)) return (fl_attr_key)*key;
    }
    return FL_ATTR_NONE;
}

/* Keys that the parts with forms of their own write. */
static int part_covers(const fl_part *part, fl_attr_key key)
{
#define IS(name) (key == FL_ATTR_##name)
    switch (part->kind) {
    case FL_PART_CONSTANT:
    case FL_PART_DENSE: return IS(value);
    case FL_PART_EXPONENT_MANTISSA: return IS(exponent_bits) || IS(mantissa_bits);
    case FL_PART_COMPARE_TYPE: return IS(compare_type);
    case FL_PART_SLICES: return IS(start_indices) || IS(limit_indices) || IS(strides);
    case FL_PART_DOT_DIMS:
        return key >= FL_ATTR_lhs_batching_dimensions && key <= FL_ATTR_rhs_contracting_dimensions;
    case FL_PART_PRECISION:
        return IS(precision_config) ||
               (key >= FL_ATTR_lhs_precision_type && key <= FL_ATTR_allow_imprecise_accumulation);
    case FL_PART_CONV_DIMS:
        return key >= FL_ATTR_input_batch_dimension && key <= FL_ATTR_output_spatial_dimensions;
    case FL_PART_WINDOW:
        return IS(window_strides) || IS(padding) || IS(lhs_dilation) || IS(rhs_dilation) ||
               IS(window_reversal);
    case FL_PART_REDUCE: return IS(dimensions);
    case FL_PART_TARGET: return IS(call_target_name);
    case FL_PART_CALLEE: return IS(callee);
    case FL_PART_SCAN: return IS(dimension);
    case FL_PART_SHARDING: return IS(sharding);
    case FL_PART_AXES: return IS(axes);
    case FL_PART_MANUAL:
    case FL_PART_NAMED_REGION: return IS(in_shardings) || IS(out_shardings) || IS(manual_axes) || IS(name);
    default: return part->key == key;
    }
#undef IS
}

int fl_syntax_covers(fl_opcode code, fl_attr_key key)
{
    const fl_part *part = fl_syntax[code];
    for (; part && part->kind != FL_PART_END; part++)
        if (part_covers(part, key)) return 1;
    return 0;
}

typedef struct enumeration {
    const char *type, *names[8];
} enumeration;

static const enumeration *enumeration_of(fl_attr_key key)
{
    static const enumeration enumerations[FL_ATTR_COUNT] = {
#define FL_ENUM(key, type, ...) [FL_ATTR_##key] = {type, {__VA_ARGS__}},
#include "ir/text/syntax.def"
    };
    return &enumerations[key];
}

const char *fl_enum_name(fl_attr_key key, int64_t value)
{
    return value >= 0 && value < 8 ? enumeration_of(key)->names[value] : NULL;
}

int64_t fl_enum_value(fl_attr_key key, const char *name, size_t length)
{
    const char *const *names = enumeration_of(key)->names;
    for (int i = 0; i < 8 && names[i]; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], name, length)) return i;
    return -1;
}

const char *fl_enum_type(fl_attr_key key)
{
    return enumeration_of(key)->type;
}

#define FIELD(name, key) {name, FL_ATTR_##key},
static const fl_struct_info structs[] = {
#define FL_STRUCT(op, property, dialect, mnemonic, fields)                                                   \
    {FL_OP_##op, property, dialect, mnemonic, (const fl_struct_field[]){fields{NULL, 0}}},
#include "ir/text/syntax.def"
};

const fl_struct_info *fl_syntax_struct(fl_opcode code, unsigned i)
{
    for (size_t k = 0; k < sizeof structs / sizeof *structs; k++)
        if (structs[k].code == code && !i--) return &structs[k];
    return NULL;
}

fl_spelling fl_syntax_spelling(fl_attr_key key)
{
    static const uint8_t spellings[FL_ATTR_COUNT] = {
#define FL_SPELLING(key, spelling) [FL_ATTR_##key] = FL_SPELL_##spelling,
#include "ir/text/syntax.def"
    };
    return (fl_spelling)spellings[key];
}
