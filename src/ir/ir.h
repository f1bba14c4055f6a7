/* The program: one StableHLO function in memory.
 *
 * A program owns an arena; everything in it (operations, attributes, blocks) is freed with it. Values are numbered
 * (fl_ref) across the whole program, regions included; 0 is "no value". A region is a block: arguments, operations in
 * order, and the values it returns. */
#ifndef FL_IR_IR_H
#define FL_IR_IR_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/status.h"
#include "base/text.h"

#define FL_MAX_RANK 16 /* the most dimensions a tensor may have */

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
    FL_FORM_DENSE
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
typedef enum fl_transpose_kind { FL_NO_TRANSPOSE, FL_TRANSPOSE, FL_ADJOINT } fl_transpose_kind;

/* The message prefix of a custom_call @fl.check_index that guards a division: its failure is no IndexError. */
#define FL_ZERO_DIVISION "ZeroDivisionError"

/* A ranked tensor type. Unused dims are 0, so that types compare with memcmp. */
typedef struct fl_type {
    uint8_t dtype; /* fl_dtype */
    uint8_t rank;
    int64_t dims[FL_MAX_RANK];
} fl_type;

typedef struct fl_attr {
    fl_attr_key key;
    uint32_t count; /* INTS: integers; DENSE: bytes */
    union {
        int64_t i; /* INT, BOOL, ENUM, DTYPE */
        double f;
        const int64_t *ints;
        const char *string;
        const void *dense;
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
};

struct fl_block {
    fl_block *parent; /* NULL for the main block */
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

struct fl_program {
    fl_arena arena;
    const char *name;
    fl_def *defs; /* indexed by fl_ref; defs[0] is unused */
    uint32_t def_count, def_capacity;
    fl_block *main;
};

/* The caller owns the program. NULL when memory is exhausted. */
fl_program *fl_program_create(const char *name);
void fl_program_destroy(fl_program *program);

static inline const fl_type *fl_type_of(const fl_program *p, fl_ref r)
{
    return &p->defs[r].type;
}
int64_t fl_type_elements(const fl_type *type); /* product of dims; the verifier has checked that it fits */
size_t fl_type_bytes(const fl_type *type);     /* dense, row-major */
int fl_type_equal(const fl_type *a, const fl_type *b);
fl_type fl_type_make(fl_dtype dtype, int rank, const int64_t *dims);
fl_status fl_type_check(const fl_type *type); /* element type known, rank and size in bytes within limits */
/* Writes MLIR's spelling ("tensor<2x3xf32>") into the buffer, cut off if it must, and returns it. */
const char *fl_type_text(const fl_type *type, char *buffer, size_t capacity);

/* Attribute access; the first two give `fallback`/NULL when the operation has no such attribute. */
const fl_attr *fl_op_attr(const fl_op *op, fl_attr_key key);
int64_t fl_op_int(const fl_op *op, fl_attr_key key, int64_t fallback);
const int64_t *fl_op_ints(const fl_op *op, fl_attr_key key, uint32_t *out_count);
const char *fl_op_string(const fl_op *op, fl_attr_key key);

/* If `region` computes one two-argument operation of its arguments (block args 0 and 1, in either order for a
 * commutative one) and returns it, gives that opcode, else FL_OP_NONE. FL_OP_select etc. never match. */
fl_opcode fl_region_monoid(const fl_program *program, const fl_block *region);

/* 1: the comparator of `sort` is one that fl_sort builds (NaN last ascending, first descending, -0 == +0), or a plain
 * LT/GT comparison of the first operand's pair; *out_descending (may be NULL) says which. Else 0. */
int fl_sort_form(const fl_program *program, const fl_op *sort, int *out_descending);

/* Checks the whole program: operand and result types of every operation, region signatures, definition before use,
 * sizes that overflow. Errors name the operation and the constraint. */
fl_status fl_program_verify(const fl_program *program);
/* Appends MLIR text of the program (StableHLO's pretty or generic form). */
void fl_program_print(const fl_program *program, fl_text *out);

#endif
