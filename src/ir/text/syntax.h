/* The table of syntax.def. */
#ifndef FL_IR_TEXT_SYNTAX_H
#define FL_IR_TEXT_SYNTAX_H

#include "ir/ir.h"

typedef enum fl_part_kind {
    FL_PART_END,
    FL_PART_OPERANDS,  /* %a, %b */
    FL_PART_ARGUMENTS, /* (%a, %b) */
    FL_PART_TEXT,      /* `text` */
    FL_PART_VALUE,     /* value of `key` */
    FL_PART_NAMED,     /* , text = value of `key` */
    FL_PART_MAYBE,     /* the same, or nothing */
    FL_PART_LEADING,   /* text = value */
    FL_PART_DICT,      /* {name = value} of the attributes that no part writes */
    FL_PART_TYPES,     /* : and what `types` says */
    /* forms of their own */
    FL_PART_CONSTANT, /* {attributes} dense<1> : tensor<f32>; or () {value = dense<1> : t1} : () -> t2 */
    FL_PART_DENSE,    /* dense<1> : tensor<f32>: the attribute value, whose type is that of the operand */
    FL_PART_EXPONENT_MANTISSA, /* , format = e8m7 */
    FL_PART_COMPARE_TYPE,      /* , FLOAT; or nothing */
    FL_PART_SLICES,            /* [0:4, 1:8:2] start:limit:stride */
    FL_PART_DOT_DIMS, /* batching_dims = [0] x [0], contracting_dims = [2] x [1]; no batching_dims when empty */
    FL_PART_PRECISION, /* , precision = [DEFAULT, HIGH], algorithm = <lhs_precision_type = tf32, ...>; each may miss */
    FL_PART_CONV_DIMS, /* dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0] */
    FL_PART_WINDOW, /* window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} */
    FL_PART_REDUCE, /* (%x init: %i), (...) applies stablehlo.add across dimensions = [1] {attributes} : type; or
                                  ... across dimensions = [1] {attributes} : type reducer(%a: t, %b: t) (...) {region}:
                                  %a argument n, %b argument n + number of inputs */
    FL_PART_REGIONS,       /* ({...}, {...}), or nothing */
    FL_PART_TARGET,        /* @call_target_name */
    FL_PART_CALLEE,        /* @callee */
    FL_PART_BARRIER,       /* {attributes} %a, %b : types; or {attributes} () */
    FL_PART_WHILE,         /* (%a = %x, %b = %y) : types attributes {...} cond {region} do {region} */
    FL_PART_SCAN,          /* (%inputs) inits(%inits) dimension=0 attributes {...} {region} : function type */
    FL_PART_OPERAND_TYPES, /* t1, t2 without the colon */
    FL_PART_SHARDING,      /* <@mesh, [{"x"}, {}]>, or out_sharding=<...> where the attribute is called so */
    FL_PART_AXES,          /* of sdy's collectives: [{"x"}, {}] or {"x"} or [{"x"}: 0->1] */
    FL_PART_MANUAL, /* (%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[...] manual_axes={"x"} (%b: t) {region}
                       {attributes} : function type */
    FL_PART_NAMED_REGION /* <"name">(%a) in_shardings=[...] out_shardings=[...] (%b: t) {region} {attributes} : function
                            type; the lists of shardings may miss */
} fl_part_kind;

typedef enum fl_type_part {
    FL_TYPES_FUNCTION, /* (t1, t2) -> t3 */
    FL_TYPES_SAME,     /* t when all operands and results have it, else the function type */
    FL_TYPES_COMPLEX,  /* t of the result when the operands have its real type, else the function type */
    FL_TYPES_SELECT,   /* t of the predicate, t of all others; else the function type */
    FL_TYPES_ARROW,    /* t1, t2 -> t3; several results in parentheses */
    FL_TYPES_RESULTS,  /* t of the result; for operations without operands */
    FL_TYPES_FIRST,    /* t of the first operand, which all have; no results */
    FL_TYPES_TUPLE     /* tuple<t1, t2> of the result: the operands' types are its members */
} fl_type_part;

typedef struct fl_part {
    uint8_t kind;  /* fl_part_kind */
    uint8_t types; /* fl_type_part */
    uint16_t key;  /* fl_attr_key */
    const char *text;
} fl_part;

/* The parts, up to FL_PART_END; NULL: the operation has the generic form alone. */
extern const fl_part *const fl_syntax[FL_OPCODE_COUNT];

/* "stablehlo.add", "func.call", "stablehlo.cross-replica-sum" */
const char *fl_syntax_name(fl_opcode code);
/* The name of an attribute in dictionaries and properties. */
const char *fl_syntax_attr(fl_opcode code, fl_attr_key key);
/* The attribute of that name; FL_ATTR_NONE: the operation has none. (replica_group_mesh_axes has the name of replica_groups,
 * which is found.) */
fl_attr_key fl_syntax_find(fl_opcode code, const char *name, size_t length);
/* The attributes of an operation beside its structures, up to FL_ATTR_NONE; NULL: none. */
const uint16_t *fl_syntax_keys(fl_opcode code);
/* What stands before the brackets of the axes of sdy's collectives; ">" stands behind them. */
const char *fl_syntax_axes(fl_opcode code);
/* Whether the pretty form writes the attribute outside of the dictionary. (The algorithm of dot_general: all its keys.) */
int fl_syntax_covers(fl_opcode code, fl_attr_key key);

/* Spelling of a value of an ENUM key, of precision_config's elements, and of result_accuracy's mode; NULL: no such value. */
const char *fl_enum_name(fl_attr_key key, int64_t value);
int64_t fl_enum_value(fl_attr_key key, const char *name, size_t length); /* -1: no such name */
const char *fl_enum_type(fl_attr_key key); /* "comparison_direction"; NULL: no such enumeration */

typedef struct fl_struct_field {
    const char *name;
    uint16_t key; /* FL_ATTR_NONE: read and dropped, written as 0 */
} fl_struct_field;
typedef struct fl_struct_info {
    uint16_t code; /* fl_opcode */
    const char *property, *dialect, *mnemonic;
    const fl_struct_field *fields; /* up to one without a name */
} fl_struct_info;
/* The structures of an operation, first to last; `i` counts from 0; NULL: no more. */
const fl_struct_info *fl_syntax_struct(fl_opcode code, unsigned i);

typedef enum fl_spelling {
    FL_SPELL_DEFAULT, /* by form: INT 3 : i64, BOOL true, FLOAT 1.0 : f64, INTS array<i64: 1, 2>, STRING "s", SYMBOL @s,
                         DTYPE f32, ENUM #stablehlo<fft_type RFFT> */
    FL_SPELL_I32, /* INT 3 : i32 */
    FL_SPELL_UI32,
    FL_SPELL_UI64,
    FL_SPELL_F32,
    FL_SPELL_UNIT,   /* BOOL: the name alone for true, nothing for false */
    FL_SPELL_BOOLS,  /* INTS: array<i1: true, false> */
    FL_SPELL_MATRIX, /* INTS: dense<[[1, 2], [3, 4]]> : tensor<2x2xi64> */
    FL_SPELL_ENUMS,  /* INTS: [#stablehlo<precision HIGH>, ...] */
    FL_SPELL_DENSE   /* dense<...> : type */
} fl_spelling;
fl_spelling fl_syntax_spelling(fl_attr_key key);

#endif
