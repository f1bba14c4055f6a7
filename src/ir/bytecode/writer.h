/* The state of writing one artifact. Operations, types and attributes are first turned into what MLIR would hold; then they
 * are numbered as MLIR numbers them, by how often they are used; then everything is put out. */
#ifndef FL_IR_BYTECODE_WRITER_H
#define FL_IR_BYTECODE_WRITER_H

#include "ir/bytecode/vhlo.h"

#define FL_BW_DEPTH 100 /* of regions */

/* An attribute or a type is the list of primitives that encode it, its recipe: equal recipes are one entity. A number of 0
 * stands for none. */
typedef uint32_t fl_bw_id;

typedef struct fl_bw_entity {
    const char *recipe;
    uint32_t size;
    uint8_t is_type, is_text, is_seen;
    uint8_t dialect; /* index */
    uint32_t uses, number;
} fl_bw_entity;

typedef struct fl_bw_name {
    const char *name; /* of an operation, without its dialect */
    uint8_t dialect, is_seen;
    uint32_t uses, number;
} fl_bw_name;

typedef struct fl_bw_op fl_bw_op;

typedef struct fl_bw_region {
    uint32_t arg_count, op_count, value_count;
    uint8_t is_empty; /* no block at all */
    fl_ref first_arg;
    fl_bw_id *arg_types;
    fl_bw_op *ops;
} fl_bw_region;

struct fl_bw_op {
    uint32_t name; /* index */
    fl_bw_id dict; /* attributes beside the properties; before version 5 of the format all */
    fl_bw_id *properties;
    uint32_t property_count, result_count, operand_count, region_count;
    uint8_t is_isolated;
    uint8_t optional;    /* bit i: property i may be missing, 0 */
    uint8_t is_replaced; /* older than what StableHLO's serializer begins with */
    fl_ref first_result;
    fl_bw_id *result_types;
    const fl_ref *operands;
    fl_bw_region *regions;
};

typedef struct fl_bw_use {
    uint64_t id; /* of the operation, and the operand */
    uint8_t is_replaced;
} fl_bw_use;

enum { FL_BW_BUILTIN, FL_BW_VHLO, FL_BW_DIALECTS = 32 };

typedef struct fl_bw_writer {
    fl_arena arena;
    const fl_program *program;
    unsigned version; /* 100 * major + minor */
    unsigned format;
    fl_status status; /* the first error: after it every function gives 0 and does nothing */
    unsigned needed;  /* version, and what needs it */
    char needs[80];
    fl_text recipe;         /* of the entity that is made now */
    fl_bw_entity *entities; /* [0] is unused */
    uint32_t entity_count, entity_capacity;
    uint32_t *table; /* of entities by hash; a power of two */
    uint32_t table_size;
    fl_bw_name *names;
    uint32_t name_count, name_capacity;
    const char *dialects[FL_BW_DIALECTS];
    uint32_t dialect_count;
    uint8_t dialect_numbers[FL_BW_DIALECTS], dialect_order[FL_BW_DIALECTS], dialects_seen;
    const fl_vhlo_row *rows[FL_OPCODE_COUNT]; /* of the version; filled in when asked for */
    uint32_t *levels;                         /* of values: how many regions are around their definition */
    uint32_t *numbers;                        /* of values */
    fl_ref next_value, value_count;           /* beyond those of the program: on both sides of casts */
    fl_bw_id location;
    fl_bw_use *uses;    /* of value after value, in the order of the program */
    uint32_t *use_ends; /* by value: the first use that is not its own */
    uint8_t *turned,
        has_replaced; /* by value: defined by a replaced operation; whether there is one at all */
    fl_bw_id *attr_order, *type_order; /* by number */
    uint32_t *name_order;
    uint32_t attr_count, type_count;
} fl_bw_writer;

/* ---- entities (entity.c) ---- */
void *fl_bw_alloc(fl_bw_writer *w, size_t count, size_t size); /* cleared; NULL after an error */
void fl_bw_fail(fl_bw_writer *w, fl_status status);
/* `what`, and the name of it, can be written from version `first` on. The latest version needed is what fl_bw_refuse fails with,
 * unless the target has it. */
void fl_bw_need(fl_bw_writer *w, unsigned first, const char *what, const char *name);
void fl_bw_refuse(fl_bw_writer *w);
void fl_bw_varint(fl_bw_writer *w, uint64_t value);
void fl_bw_signed(fl_bw_writer *w, int64_t value);
void fl_bw_bits(fl_bw_writer *w, uint64_t bits, unsigned width); /* as fl_cursor_bits reads */
void fl_bw_f64(fl_bw_writer *w, double value);
void fl_bw_attr(fl_bw_writer *w, fl_bw_id id);
void fl_bw_optional(fl_bw_writer *w, fl_bw_id id); /* may be 0 */
void fl_bw_type(fl_bw_writer *w, fl_bw_id id);
void fl_bw_string(fl_bw_writer *w, const char *text, uint32_t length);
void fl_bw_raw(fl_bw_writer *w, const void *data, size_t size);
/* Ends the recipe. */
fl_bw_id fl_bw_make(fl_bw_writer *w, int is_type, unsigned dialect);
fl_bw_id fl_bw_make_text(fl_bw_writer *w, int is_type, unsigned dialect);
unsigned fl_bw_dialect(fl_bw_writer *w, const char *name, size_t length);
uint32_t fl_bw_op_name(fl_bw_writer *w, unsigned dialect, const char *name);

/* Calls back for every primitive of a recipe, in order. */
typedef enum fl_bw_tag {
    FL_BW_VARINT,
    FL_BW_BYTE,
    FL_BW_ATTR,
    FL_BW_OPTIONAL,
    FL_BW_TYPE,
    FL_BW_STRING,
    FL_BW_RAW
} fl_bw_tag;
typedef void (*fl_bw_visit)(void *user, fl_bw_tag tag, uint64_t value, const char *data);
void fl_bw_walk(const fl_bw_entity *e, fl_bw_visit visit, void *user);

/* ---- types (write_types.c) ---- */
fl_bw_id fl_bw_vhlo_type(fl_bw_writer *w, const fl_type *type);
fl_bw_id fl_bw_builtin_type(fl_bw_writer *w, const fl_type *type);
fl_bw_id fl_bw_element(fl_bw_writer *w, fl_dtype dtype);
fl_bw_id fl_bw_function_type(fl_bw_writer *w, const fl_func *func);

/* ---- attributes (write_attrs.c) ---- */
fl_bw_id fl_bw_literal(fl_bw_writer *w, const fl_literal *l);
fl_bw_id fl_bw_builtin_literal(fl_bw_writer *w, const fl_literal *l);
fl_bw_id fl_bw_builtin_string(fl_bw_writer *w, const char *text, uint32_t length);
fl_bw_id fl_bw_vhlo_string(fl_bw_writer *w, const char *text, uint32_t length);
fl_bw_id fl_bw_int(fl_bw_writer *w, fl_dtype dtype, int64_t value);
fl_bw_id fl_bw_bool(fl_bw_writer *w, int value);
fl_bw_id fl_bw_enum(fl_bw_writer *w, fl_vhlo_attr_code code, int64_t value);
fl_bw_id fl_bw_array(fl_bw_writer *w, const fl_bw_id *items, uint32_t count);
fl_bw_id fl_bw_dense(fl_bw_writer *w, const fl_type *type, const void *data, size_t size);
/* A tensor of integers of type `dtype` out of a list. */
fl_bw_id fl_bw_ints(fl_bw_writer *w, fl_dtype dtype, int rank, const int64_t *dims, const int64_t *values,
                    size_t count);
/* Attributes of an operation (write_op_attrs.c): as given, or as their absence means. */
fl_bw_id fl_bw_op_attr(fl_bw_writer *w, const fl_op *op, fl_attr_key key);

/* ---- operations of sdy (write_sdy.c) ---- */
uint32_t fl_bw_sdy_values(const fl_block *block); /* how many values beyond the program's are needed */
unsigned fl_bw_sdy(fl_bw_writer *w);              /* the dialect */
/* `count` casts into `out`: of values of the program to new ones of builtin type, which are given back; and of new ones from
 * `from` on to the program's. */
const fl_ref *fl_bw_casts_in(fl_bw_writer *w, const fl_ref *values, uint32_t count, fl_bw_op *out);
void fl_bw_casts_out(fl_bw_writer *w, fl_ref from, fl_ref first, uint32_t count, fl_bw_op *out);
fl_bw_id *fl_bw_builtin_types(fl_bw_writer *w, fl_ref first, uint32_t count);
void fl_bw_sdy_attrs(fl_bw_writer *w, const fl_op *op, fl_bw_op *out);

/* ---- the module (write_ops.c), numbers (number.c), bytes (write.c) ---- */
typedef struct fl_bw_named {
    const char *name;
    fl_bw_id value;
} fl_bw_named;
/* A dictionary of the builtin dialect; sorts the entries. */
fl_bw_id fl_bw_dict(fl_bw_writer *w, fl_bw_named *entries, uint32_t count);
fl_bw_op *fl_bw_module(fl_bw_writer *w);
void fl_bw_number(fl_bw_writer *w, fl_bw_op *module);
void fl_bw_put_varint(fl_text *t, uint64_t value);
/* The order of uses (uses.c) of values that stand side by side: 0 when it is the natural one and nothing was put out. */
void fl_bw_find_uses(fl_bw_writer *w, const fl_bw_op *module);
int fl_bw_put_uses(fl_bw_writer *w, fl_text *t, fl_ref first, uint32_t count);

#endif
