/* The tables of VHLO, the versioned twin of StableHLO that artifacts hold. Versions are 100 * major + minor here. */
#ifndef FL_IR_BYTECODE_VHLO_H
#define FL_IR_BYTECODE_VHLO_H

#include "ir/bytecode/bytecode.h"

#define FL_VHLO_CURRENT 120 /* 1.20 */
#define FL_VHLO_OLDEST  9   /* 0.9 */
#define FL_VHLO_FUNC    "func_v1"
#define FL_VHLO_RETURN  "return_v1"

typedef enum fl_vhlo_flag { FL_VHLO_SINGLE = 1, FL_VHLO_PLAIN = 2, FL_VHLO_SAME = 4 } fl_vhlo_flag;

typedef struct fl_vhlo_row {
    const char *name;
    uint16_t code, first, last; /* fl_opcode; versions */
    uint8_t flags;
    uint8_t keys[20]; /* fl_attr_key, ended by FL_ATTR_NONE */
} fl_vhlo_row;

typedef enum fl_vhlo_form {
    FL_VHLO_FORM_NONE,
    FL_VHLO_I64,
    FL_VHLO_I32,
    FL_VHLO_F32,
    FL_VHLO_BOOL,
    FL_VHLO_STRING,
    FL_VHLO_DICT,
    FL_VHLO_TENSOR,
    FL_VHLO_LIST,
    FL_VHLO_MATRIX,
    FL_VHLO_BOOLS,
    FL_VHLO_OPT_TYPE,
    FL_VHLO_OPT_I64,
    FL_VHLO_OPT_BOOL,
    FL_VHLO_DIRECTION,
    FL_VHLO_COMPARE,
    FL_VHLO_FFT,
    FL_VHLO_ALGORITHM,
    FL_VHLO_DISTRIBUTION,
    FL_VHLO_TRANSPOSE,
    FL_VHLO_API,
    FL_VHLO_PRECISIONS,
    FL_VHLO_VERSION,
    FL_VHLO_CONFIG,
    FL_VHLO_SYMBOLS,
    FL_VHLO_LAYOUTS,
    FL_VHLO_TILINGS,
    FL_VHLO_MINORS,
    FL_VHLO_ALIASES,
    FL_VHLO_ACCURACY,
    FL_VHLO_GROUPS
} fl_vhlo_form;

/* Codes of attributes in the file. */
typedef enum fl_vhlo_attr_code {
    FL_VA_ARRAY = 1,
    FL_VA_BOOL,
    FL_VA_DIRECTION,
    FL_VA_COMPARE,
    FL_VA_API,
    FL_VA_DICT,
    FL_VA_FFT,
    FL_VA_FLOAT,
    FL_VA_INT,
    FL_VA_ALIAS,
    FL_VA_PRECISION,
    FL_VA_ALGORITHM,
    FL_VA_DISTRIBUTION,
    FL_VA_STRING,
    FL_VA_TENSOR,
    FL_VA_TRANSPOSE,
    FL_VA_TYPE,
    FL_VA_BOUNDS,
    FL_VA_ACCURACY_MODE,
    FL_VA_ACCURACY,
    FL_VA_SUB_AXIS,
    FL_VA_AXIS,
    FL_VA_MESH_GROUPS,
    FL_VA_MESH_AXIS,
    FL_VA_MESH
} fl_vhlo_attr_code;

/* Codes of types that are no element types. */
typedef enum fl_vhlo_type_code {
    FL_VT_COMPLEX = 1,
    FL_VT_FUNCTION = 8,
    FL_VT_TENSOR = 20,
    FL_VT_ENCODED_TENSOR = 21,
    FL_VT_TOKEN = 22,
    FL_VT_TUPLE = 23,
    FL_VT_QUANT = 24,
    FL_VT_UNRANKED = 25,
    FL_VT_WITNESS = 26,
    FL_VT_QUANT_AXIS = 30,
    FL_VT_NONE = 33,
    FL_VT_BUFFER = 41,
    FL_VT_FUTURE = 42
} fl_vhlo_type_code;

/* Codes of the builtin dialect that we know. */
typedef enum fl_builtin_code {
    FL_BA_ARRAY = 0,
    FL_BA_DICT,
    FL_BA_STRING,
    FL_BA_TYPED_STRING,
    FL_BA_FLAT_SYMBOL,
    FL_BA_SYMBOL,
    FL_BA_TYPE,
    FL_BA_UNIT,
    FL_BA_INT,
    FL_BA_FLOAT,
    FL_BA_FIRST_LOCATION,
    FL_BA_LAST_LOCATION = 15,
    FL_BA_UNKNOWN_LOCATION = 15,
    FL_BA_RESOURCE,
    FL_BA_DENSE_ARRAY,
    FL_BA_DENSE,
    FL_BA_FILE_RANGE = 22,
    FL_BT_INTEGER = 0,
    FL_BT_INDEX,
    FL_BT_FUNCTION,
    FL_BT_BF16,
    FL_BT_F16,
    FL_BT_F32,
    FL_BT_F64,
    FL_BT_COMPLEX = 9,
    FL_BT_NONE = 12,
    FL_BT_TENSOR = 13,
    FL_BT_TUPLE = 15,
    FL_BT_NARROW = 21 /* and on: floats that are seldom seen */
} fl_builtin_code;

/* An enumeration: its number in the file, how far the numbers of its values are from ours, and where its names are found
 * (fl_enum_name of `key`). */
typedef struct fl_vhlo_enum {
    uint8_t form; /* FL_VHLO_FORM_NONE: never an attribute by itself */
    uint8_t code, offset, count, key;
} fl_vhlo_enum;

/* What an attribute is when it is left out. */
typedef enum fl_vhlo_default_kind {
    FL_DEFAULT_REQUIRED, /* it must be there */
    FL_DEFAULT_VALUE,
    FL_DEFAULT_REPEAT, /* a list of equal values */
    FL_DEFAULT_EMPTY,
    FL_DEFAULT_FILL, /* an empty list, which a reader keeps nevertheless */
    FL_DEFAULT_NONE  /* no value stands for it */
} fl_vhlo_default_kind;

typedef struct fl_vhlo_default {
    uint8_t kind;
    int8_t value;
} fl_vhlo_default;

const fl_vhlo_row *fl_vhlo_find(const char *name);                 /* "add_v1"; NULL: unknown */
const fl_vhlo_row *fl_vhlo_pick(fl_opcode code, unsigned version); /* NULL: that version does not have it */
unsigned fl_vhlo_first(fl_opcode code);                       /* the first version that has it; 0: none has */
unsigned fl_vhlo_first_with(fl_opcode code, fl_attr_key key); /* ... with this attribute; 0: none has */
unsigned fl_vhlo_first_without(fl_opcode code, fl_vhlo_flag flag); /* ... without this limitation */
fl_vhlo_form fl_vhlo_form_of(fl_attr_key key);
fl_vhlo_default fl_vhlo_default_of(fl_opcode code, fl_attr_key key);
/* Whether the attribute says the same as its absence. */
int fl_vhlo_is_default(fl_opcode code, const fl_attr *attr);
const fl_vhlo_enum *fl_vhlo_enum_of(fl_vhlo_form form);         /* NULL: no form of an enumeration */
const fl_vhlo_enum *fl_vhlo_enum_coded(fl_vhlo_attr_code code); /* NULL: no number of one */
/* Finds "rng_algorithm DEFAULT" and its value as VHLO numbers it; NULL: no such enumeration or value. */
const fl_vhlo_enum *fl_vhlo_enum_spelled(const char *text, size_t length, int64_t *out_value);
/* Code and first version of an element type; -1: VHLO has none (complex types are made of others). */
int fl_vhlo_type_code_of(fl_dtype dtype, unsigned *out_first);
fl_dtype fl_vhlo_type_dtype(uint64_t code); /* FL_DTYPE_NONE: no element type */
unsigned fl_vhlo_bytecode_format(unsigned version);

#endif
