/* Reading operations: between their heads (read_head.c), bodies (read_ops.c) and the module (read_module.c). */
#ifndef FL_IR_BYTECODE_READ_OPS_H
#define FL_IR_BYTECODE_READ_OPS_H

#include "ir/bytecode/reader.h"

typedef struct fl_bc_head {
    const fl_bc_op_name *name;
    uint8_t has_attrs, has_properties, is_isolated;
    uint64_t attrs, properties; /* indices */
    uint32_t result_count, operand_count, region_count;
    fl_type *result_types;
    fl_ref *operands;
} fl_bc_head;

fl_status fl_bc_read_head(fl_bc_reader *r, fl_cursor *c, fl_bc_head *h);
/* The order of the uses of `values` values, which means nothing. */
void fl_bc_skip_uses(fl_cursor *c, uint32_t values);
fl_status fl_bc_value_type(fl_bc_reader *r, uint64_t index, fl_type *out);
/* The indices of the attributes that an operation has by these names: its properties, or before version 5 of the format parts
 * of its dictionary. */
fl_status fl_bc_named(fl_bc_reader *r, const fl_bc_head *h, const char *const *names, uint32_t count,
                      uint64_t *out);
/* The others, in the program's arena; NULL when there are none. */
fl_status fl_bc_others(fl_bc_reader *r, const fl_bc_head *h, const char *const *names, uint32_t count,
                       const fl_literal **out);
/* The operation of that name of sdy, FL_OP_NONE: unknown; and its attributes, at most 4. */
fl_opcode fl_bc_sdy_opcode(const char *name);
fl_status fl_bc_sdy_attrs(fl_bc_reader *r, const fl_bc_head *h, fl_opcode code, fl_attr *out,
                          uint32_t *out_count, const fl_literal **out_others);
/* A literal that means nothing to us, in the program's arena. */
fl_status fl_bc_kept(fl_bc_reader *r, const fl_literal *l, const fl_literal **out);

/* The sections around the regions of an isolated operation: out is where they are to be read. */
fl_status fl_bc_enter_regions(fl_bc_reader *r, fl_cursor *c, const fl_bc_head *h, fl_cursor **out,
                              fl_cursor *inner);

typedef struct fl_bc_block {
    uint32_t start, next; /* values of the reader: of the region; the next one that is defined */
    uint64_t op_count;
    uint32_t arg_count;
    fl_type *arg_types;
    uint8_t is_empty; /* a region without blocks */
} fl_bc_block;

/* The beginning of a region, up to the operations of its only block. */
fl_status fl_bc_begin_block(fl_bc_reader *r, fl_cursor *c, fl_bc_block *b);
/* Its operations, into the builder's current block, whose first argument is given; out_results in the reader's arena. */
fl_status fl_bc_read_body(fl_bc_reader *r, fl_cursor *c, fl_bc_block *b, fl_ref first_arg, unsigned depth,
                          fl_ref **out_results, uint32_t *out_count);

#endif
