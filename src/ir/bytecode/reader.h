/* The state of reading one artifact: the tables of its sections, and attributes and types decoded when they are first asked for. */
#ifndef FL_IR_BYTECODE_READER_H
#define FL_IR_BYTECODE_READER_H

#include "ir/build.h"
#include "ir/bytecode/cursor.h"
#include "ir/bytecode/vhlo.h"

#define FL_BC_DEPTH  100        /* of regions, and of attributes and types in one another */
#define FL_BC_PREFIX "bytecode" /* of every message */

typedef enum fl_bc_dialect {
    FL_BC_OTHER,
    FL_BC_BUILTIN,
    FL_BC_VHLO,
    FL_BC_SDY,
    FL_BC_STABLEHLO
} fl_bc_dialect;

typedef struct fl_bc_string {
    const char *text; /* NUL-terminated in the file; may hold more of them */
    uint32_t length;
} fl_bc_string;

typedef struct fl_bc_op_name {
    uint32_t dialect; /* index */
    const char *name;
    const fl_vhlo_row *row; /* NULL: a function, a return, or not of VHLO */
} fl_bc_op_name;

typedef enum fl_bc_state { FL_BC_UNREAD, FL_BC_READING, FL_BC_READ } fl_bc_state;

/* An attribute or a type. `weight` is the number of things it is made of when what it shares is counted every time: copies
 * have that size, so it is what we limit. */
typedef struct fl_bc_entry {
    const uint8_t *data;
    uint32_t size;
    uint32_t dialect; /* index */
    uint8_t custom;   /* else MLIR text */
    uint8_t state;    /* fl_bc_state */
    uint8_t depth;    /* of what it is made of */
    uint8_t code;     /* of an attribute: its dialect's number for it; of a location FL_BA_UNKNOWN_LOCATION */
    uint64_t weight;
    union {
        fl_literal *literal;
        fl_type *type;
    } u;
} fl_bc_entry;

typedef struct fl_bc_reader {
    fl_arena arena; /* what is decoded; the program has copies */
    fl_builder builder;
    uint64_t format;      /* version of MLIR bytecode */
    const char *producer; /* such as StableHLO_v1.9.0 */
    uint64_t budget;      /* how much more may be copied into the program */
    uint64_t weight;      /* so far, of what is decoded now */
    unsigned nested;      /* how deep that is */
    uint32_t string_count, dialect_count, op_count, attr_count, type_count, property_count;
    fl_bc_string *strings;
    uint8_t *dialects;       /* fl_bc_dialect */
    uint32_t *dialect_names; /* string indices */
    fl_bc_op_name *ops;
    fl_bc_entry *attrs, *types;
    fl_bc_string *properties;
    fl_ref *values; /* those of the regions that are being read, one after another */
    uint32_t scope; /* number 0 of the innermost isolated region */
    uint32_t value_count, value_capacity;
    fl_literal *foreign; /* operations of other dialects beside the functions */
    uint32_t foreign_count, foreign_capacity;
} fl_bc_reader;

typedef struct fl_bc_nesting {
    uint64_t weight;
    unsigned nested;
} fl_bc_nesting;

fl_status fl_bc_truncated(const char *what);
/* Around the decoding of an entry: no entry is part of itself, none deeper than FL_BC_DEPTH, whichever was read first. */
fl_status fl_bc_enter(fl_bc_reader *r, fl_bc_entry *e, unsigned depth, fl_bc_nesting *out_outer);
fl_status fl_bc_leave(fl_bc_reader *r, fl_bc_entry *e, const fl_bc_nesting *outer);
void fl_bc_count(fl_bc_reader *r, const fl_bc_entry *e); /* e is part of what is decoded now */

/* container: fills in the tables; out_ir is the section of the operations */
fl_status fl_bc_read_sections(fl_bc_reader *r, const void *data, size_t size, fl_cursor *out_ir);

/* Decode entries. What they give belongs to the reader's arena. */
fl_status fl_bc_type(fl_bc_reader *r, uint64_t index, unsigned depth, const fl_type **out);
fl_status fl_bc_attr(fl_bc_reader *r, uint64_t index, unsigned depth, const fl_bc_entry **out);
fl_status fl_bc_string_at(const fl_bc_reader *r, uint64_t index, fl_bc_string *out);
/* The text of an attribute of the `sdy` dialect, after its code was read: "#sdy.sharding<@mesh, [{}]>". */
fl_status fl_bc_sdy(fl_bc_reader *r, fl_cursor *c, uint64_t code, fl_bc_entry *e, unsigned depth);
/* So too of `stablehlo` (read_stablehlo.c). */
fl_status fl_bc_stablehlo(fl_bc_reader *r, fl_cursor *c, uint64_t code, fl_literal *out);
/* Takes part of the budget of copies. */
fl_status fl_bc_spend(fl_bc_reader *r, uint64_t bytes);
/* A list of types, as tuples and functions have it. */
fl_status fl_bc_types(fl_bc_reader *r, fl_cursor *c, unsigned depth, const fl_type **out,
                      uint32_t *out_count);
int fl_bc_is_vhlo(const fl_bc_reader *r, const fl_bc_entry *attr, fl_vhlo_attr_code code);
/* The elements of a tensor attribute out of its blob: i1 unpacked, four bits extended, equal ones made one. */
fl_status fl_bc_dense(fl_bc_reader *r, const fl_type *type, fl_cursor *c, uint64_t size, fl_literal *out);

/* A tensor of integers as a list of them (INTS). */
fl_status fl_bc_widen(fl_bc_reader *r, const fl_literal *dense, fl_literal *out);

/* An attribute of an operation out of VHLO's; *out_absent: it says the attribute is left out. */
fl_status fl_bc_op_attr(fl_bc_reader *r, fl_attr_key key, uint64_t index, fl_attr *out, int *out_absent);
/* The operations: functions into the builder. */
fl_status fl_bc_read_module(fl_bc_reader *r, fl_cursor ir);

#endif
