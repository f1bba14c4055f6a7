/* The program: a StableHLO module in memory, one or more functions.
 *
 * A program owns an arena; everything in it (operations, attributes, blocks) is freed with it. Values are numbered
 * (fl_ref) across the whole program, functions and regions included; 0 is "no value". A region is a block: arguments,
 * operations in order, and the values it returns. What a device runs is the block `main`. */
#ifndef FL_IR_IR_H
#define FL_IR_IR_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/status.h"
#include "base/text.h"

#define FL_MAX_RANK 16        /* the most dimensions a tensor may have */
#define FL_DYNAMIC  INT64_MIN /* the size of a dimension that is not known ("?") */

typedef uint32_t fl_ref;
#define FL_NO_REF 0u

typedef enum fl_opcode {
    FL_OP_NONE = 0,
#define FL_OP(name, dialect, operands, results, traits, infer) FL_OP_##name,
#include "ir/ops.def"
#undef FL_OP
    FL_OPCODE_COUNT
} fl_opcode;

typedef enum fl_attr_key {
    FL_ATTR_NONE = 0,
#define FL_ATTR(name, form) FL_ATTR_##name,
#include "ir/attrs.def"
#undef FL_ATTR
    FL_ATTR_COUNT
} fl_attr_key;

typedef enum fl_attr_form {
    FL_FORM_NONE,
    FL_FORM_INT,
    FL_FORM_BOOL,
    FL_FORM_FLOAT,
    FL_FORM_INTS,
    FL_FORM_STRING,
    FL_FORM_DTYPE,
    FL_FORM_ENUM,
    FL_FORM_DENSE,
    FL_FORM_SYMBOL,
    FL_FORM_LITERAL
} fl_attr_form;

typedef enum fl_trait { FL_TRAIT_E = 1, FL_TRAIT_C = 2, FL_TRAIT_R = 4, FL_TRAIT_S = 8 } fl_trait;

typedef struct fl_op_info {
    const char *name, *dialect;
    int8_t operands, results; /* -1: any number */
    uint8_t traits;           /* fl_trait bits */
} fl_op_info;
extern const fl_op_info fl_op_infos[FL_OPCODE_COUNT];

typedef struct fl_attr_info {
    const char *name;
    uint8_t form;
} fl_attr_info;
extern const fl_attr_info fl_attr_infos[FL_ATTR_COUNT];

typedef enum fl_compare_direction { FL_EQ, FL_NE, FL_GE, FL_GT, FL_LE, FL_LT } fl_compare_direction;
typedef enum fl_compare_type {
    FL_COMPARE_NONE,
    FL_COMPARE_FLOAT,
    FL_COMPARE_TOTALORDER,
    FL_COMPARE_SIGNED,
    FL_COMPARE_UNSIGNED
} fl_compare_type;
typedef enum fl_rng_algorithm { FL_RNG_DEFAULT, FL_RNG_THREE_FRY, FL_RNG_PHILOX } fl_rng_algorithm;
typedef enum fl_fft_type { FL_FFT, FL_IFFT, FL_RFFT, FL_IRFFT } fl_fft_type;
typedef enum fl_rng_distribution { FL_RNG_UNIFORM, FL_RNG_NORMAL } fl_rng_distribution;
typedef enum fl_transpose_kind { FL_NO_TRANSPOSE, FL_TRANSPOSE, FL_ADJOINT } fl_transpose_kind;
typedef enum fl_precision { FL_PRECISION_DEFAULT, FL_PRECISION_HIGH, FL_PRECISION_HIGHEST } fl_precision;
typedef enum fl_api_version {
    FL_API_UNSPECIFIED,
    FL_API_ORIGINAL,
    FL_API_STATUS_RETURNING,
    FL_API_STATUS_RETURNING_UNIFIED,
    FL_API_TYPED_FFI
} fl_api_version;

/* The message prefix of a custom_call @fl.check_index that guards a division: its failure is no IndexError. */
#define FL_ZERO_DIVISION "ZeroDivisionError"

typedef struct fl_index_check {
    int64_t low, high; /* expected: low <= index < high */
    const char *what;  /* whose index */
} fl_index_check;

typedef enum fl_type_kind {
    FL_TYPE_TENSOR,   /* ranked; all that builders and devices know */
    FL_TYPE_UNRANKED, /* tensor<*xf32> */
    FL_TYPE_BUFFER,   /* memref<2xf32> */
    FL_TYPE_TOKEN,
    FL_TYPE_TUPLE,
    FL_TYPE_FUTURE,
    FL_TYPE_ELEMENT,  /* a bare element type, f32: no type of a value, only of a literal */
    FL_TYPE_FUNCTION, /* so too: members are arguments, then results */
    FL_TYPE_NONE      /* so too */
} fl_type_kind;

typedef struct fl_type fl_type;

/* !quant.uniform<storage<min:max>:expressed[:axis], {scale:zero_point, ...}>: value = (stored - zero_point) * scale */
typedef struct fl_quant {
    uint8_t storage, expressed; /* fl_dtype */
    int8_t axis;                /* -1: one scale for the whole tensor */
    uint32_t count;             /* of scales and zero points: 1, or the extent of the axis */
    int64_t min, max;           /* of stored values */
    const double *scales;
    const int64_t *zero_points;
} fl_quant;

/* What few types have; lives in the program's arena. */
typedef struct fl_type_more {
    const fl_quant *quant; /* quantized elements; fl_type.dtype is the storage type */
    const int64_t *bounds; /* one for each dimension, FL_DYNAMIC where there is none; NULL: no bounds */
    const char *encoding;  /* another encoding, as written */
    uint32_t count,
        inputs; /* TUPLE, FUTURE, FUNCTION: number of members; FUNCTION: how many of them are arguments */
    const fl_type *members;
} fl_type_more;

/* Unused dims are 0. */
struct fl_type {
    uint8_t dtype; /* fl_dtype; FL_DTYPE_NONE for kinds without elements */
    uint8_t rank;
    uint8_t kind; /* fl_type_kind */
    int64_t dims[FL_MAX_RANK];
    const fl_type_more *more; /* NULL: nothing to add */
};

/* Any attribute that is not one of attrs.def: what a producer attaches to operations, functions and modules, and the
 * structured ones of few operations. */
typedef enum fl_literal_kind {
    FL_LIT_UNIT,
    FL_LIT_BOOL,
    FL_LIT_INT,   /* of type dtype; FL_IDX for index */
    FL_LIT_FLOAT, /* of type dtype */
    FL_LIT_STRING,
    FL_LIT_SYMBOL, /* @name */
    FL_LIT_TYPE,
    FL_LIT_ARRAY,
    FL_LIT_DICT,
    FL_LIT_INTS,  /* array<i64: 1, 2>: integers of type dtype (FL_I1: booleans) */
    FL_LIT_DENSE, /* dense<..> : tensor<..> */
    FL_LIT_OPAQUE /* an attribute of another dialect, as written: #sdy.sharding<@mesh, [{}]> */
} fl_literal_kind;

typedef struct fl_literal fl_literal;
typedef struct fl_entry fl_entry;
struct fl_literal {
    uint8_t kind;  /* fl_literal_kind */
    uint8_t dtype; /* fl_dtype */
    uint32_t
        count; /* bytes (without the final NUL) of STRING, SYMBOL, OPAQUE, DENSE; items; entries; integers */
    const fl_type *type; /* TYPE, DENSE */
    union {
        int64_t i; /* INT, BOOL */
        double f;
        const char *string; /* NUL-terminated; may hold NULs */
        const fl_literal *items;
        const fl_entry *entries; /* sorted by name, as MLIR keeps them */
        const int64_t *ints;
        const void *data; /* elements as the engine stores them; one element for a splat */
    } u;
};
struct fl_entry {
    const char *name;
    fl_literal value;
};

typedef struct fl_attr {
    uint16_t key; /* fl_attr_key */
    uint16_t
        columns; /* INTS: of a matrix (replica groups); 0 for a list. 2 may be left out of those that always have it */
    uint32_t count; /* INTS: integers; DENSE, STRING: bytes */
    union {
        int64_t i; /* INT, BOOL, ENUM, DTYPE */
        double f;
        const int64_t *ints;
        const char *string; /* STRING, SYMBOL; NUL-terminated, `count` bytes before it */
        const void *dense;  /* all elements, or one for a splat: see fl_is_splat */
        const fl_literal *literal;
    } u;
} fl_attr;

typedef struct fl_op fl_op;
typedef struct fl_block fl_block;
typedef struct fl_program fl_program;

struct fl_op {
    uint16_t code; /* fl_opcode */
    uint16_t operand_count, result_count, attr_count, region_count;
    fl_ref first_result; /* results are numbered one after another */
    fl_ref *operands;
    fl_attr *attrs;
    fl_block **regions;
    const fl_literal *extra; /* DICT of attributes that attrs.def does not know; NULL: none */
};

struct fl_block {
    fl_block *parent; /* NULL for the body of a function */
    fl_ref first_arg; /* arguments are numbered one after another */
    uint32_t arg_count;
    fl_op **ops;
    uint32_t op_count, op_capacity;
    fl_ref *results;
    uint32_t result_count;
};

typedef struct fl_def {
    fl_type type;
    fl_op *op; /* NULL: an argument of `block` */
    fl_block *block;
    uint32_t index; /* which result or argument */
} fl_def;

typedef enum fl_visibility { FL_VISIBILITY_NONE, FL_PUBLIC, FL_PRIVATE } fl_visibility;

typedef struct fl_func {
    const char *name;
    uint8_t visibility;     /* fl_visibility */
    uint8_t is_declaration; /* the body has arguments, and nothing else */
    fl_block *body;
    uint32_t result_count;
    const fl_type *result_types;
    const fl_literal *attrs;        /* DICT, or NULL */
    const fl_literal *arg_attrs;    /* ARRAY of one DICT an argument, or NULL */
    const fl_literal *result_attrs; /* ARRAY of one DICT a result, or NULL */
} fl_func;

struct fl_program {
    fl_arena arena;
    const char *name;                 /* of the entry function */
    fl_def *defs;                     /* indexed by fl_ref; defs[0] is unused */
    uint32_t def_count, def_capacity; /* above FL_DEFS_IN_ARENA, defs is memory of its own */
    fl_block *main;                   /* body of the entry function: "main", or the first */
    fl_func **funcs;
    uint32_t func_count;
    const char *module_name;        /* NULL: none */
    const fl_literal *module_attrs; /* DICT, or NULL */
    const fl_literal *
        module_ops; /* ARRAY of OPAQUE: operations of other dialects beside the functions (sdy.mesh), or NULL */
};

enum { FL_DEFS_IN_ARENA = 256 };

/* The caller owns the program. NULL when memory is exhausted. */
fl_program *fl_program_create(const char *name);
void fl_program_destroy(fl_program *program);

static inline const fl_type *fl_type_of(const fl_program *p, fl_ref r)
{
    return &p->defs[r].type;
}
/* The next two are for static tensors: product of dims, which fl_type_check has found to fit; bytes dense, row-major. */
int64_t fl_type_elements(const fl_type *type);
size_t fl_type_bytes(const fl_type *type);
int fl_type_equal(const fl_type *a, const fl_type *b);
/* Equal but for dimensions that one of the two leaves open. */
int fl_type_compatible(const fl_type *a, const fl_type *b);
fl_type fl_type_make(fl_dtype dtype, int rank, const int64_t *dims);
/* Element type known, rank and size in bytes within limits, members too. */
fl_status fl_type_check(const fl_type *type);
static inline const fl_quant *fl_type_quant(const fl_type *type) /* NULL: not quantized */
{
    return type->more ? type->more->quant : NULL;
}
int fl_type_is_static(const fl_type *type); /* a ranked tensor without open dimensions; quantized or not */
int fl_type_is_plain(const fl_type *type);  /* so too, not quantized: what devices know */
/* Copies `more` and all below it into the arena; 0 when memory is exhausted. */
int fl_type_keep(fl_arena *arena, fl_type *type);
/* Writes MLIR's spelling ("tensor<2x3xf32>") into the buffer, cut off if it must, and returns it. */
const char *fl_type_text(const fl_type *type, char *buffer, size_t capacity);

fl_func *fl_program_func(const fl_program *program, const char *name); /* NULL: no function of that name */
const fl_func *fl_program_entry(const fl_program *program);            /* the function whose body is `main` */
int fl_literal_equal(const fl_literal *a, const fl_literal *b);
const fl_literal *fl_literal_get(const fl_literal *dict,
                                 const char *name); /* NULL: not there, or dict is NULL */
/* Deep copy into the arena; NULL when memory is exhausted. */
fl_literal *fl_literal_keep(fl_arena *arena, const fl_literal *literal);
/* Functions, operations, types and attributes are the same, whatever the numbers of the values; an attribute that is
 * left out equals its default. On a difference writes what differs to `why` (may be NULL). */
int fl_program_equal(const fl_program *a, const fl_program *b, fl_text *why);

/* Attribute access; the first two give `fallback`/NULL when the operation has no such attribute. */
const fl_attr *fl_op_attr(const fl_op *op, fl_attr_key key);
int64_t fl_op_int(const fl_op *op, fl_attr_key key, int64_t fallback);
const int64_t *fl_op_ints(const fl_op *op, fl_attr_key key, uint32_t *out_count);
const char *fl_op_string(const fl_op *op, fl_attr_key key); /* STRING, SYMBOL */
const fl_literal *fl_op_literal(const fl_op *op, fl_attr_key key);
/* Operations of sdy that are their operand, placed as attribute `sharding` says. */
static inline int fl_op_places(const fl_op *op)
{
    return op->code >= FL_OP_sharding_constraint && op->code <= FL_OP_sdy_replicated_to_unreduced;
}
/* The elements of a constant: one for all of them (a splat), or each its own. */
static inline int fl_is_splat(const fl_type *type, const fl_attr *value)
{
    return value->count == fl_dtype_bytes((fl_dtype)type->dtype) && fl_type_elements(type) != 1;
}
/* Writes fl_type_bytes(type) bytes. */
void fl_constant_expand(const fl_type *type, const fl_attr *value, void *out);

/* If `region` computes one two-argument operation of its arguments (block args 0 and 1, in either order for a
 * commutative one) and returns it, gives that opcode, else FL_OP_NONE. FL_OP_select etc. never match. */
fl_opcode fl_region_monoid(const fl_program *program, const fl_block *region);

/* 1: the comparator of `sort` is one that fl_sort builds (NaN last ascending, first descending, -0 == +0), or a plain
 * LT/GT comparison of the first operand's pair; *out_descending (may be NULL) says which. Else 0. */
int fl_sort_form(const fl_program *program, const fl_op *sort, int *out_descending);

/* Whether an operation is the custom_call that fl_check_index (build.h) makes; one operand and result of integers. */
int fl_is_check_index(const fl_op *op, fl_index_check *out);
/* What devices report of it: `index` is outside the bounds. */
fl_status fl_index_error(const fl_index_check *check, int64_t index);

/* What chlo.broadcast_NAME does once its operands have one shape; FL_OP_NONE: not one of these. */
fl_opcode fl_broadcasting_base(uint16_t code);

/* How many of the operands of `scan` are inputs, the others are carries; so of its results the last ones. */
uint32_t fl_scan_inputs(const fl_program *program, const fl_op *scan);

/* Checks the whole program: operand and result types of every operation, region signatures, definition before use, calls,
 * sizes that overflow. Errors name the operation and the constraint. */
fl_status fl_program_verify(const fl_program *program);
/* What devices ask beyond that: one function, no calls, plain types and tokens alone. FL_UNSUPPORTED names what is not. */
fl_status fl_program_verify_plain(const fl_program *program);
/* Appends MLIR text of the program (StableHLO's pretty or generic form). */
void fl_program_print(const fl_program *program, fl_text *out);

#endif
