/* What one run of a program costs, from its shapes alone. The formulas stand in docs/stablehlo.md; a change of one changes the
 * other. */
#ifndef FL_IR_STATS_H
#define FL_IR_STATS_H

#include "ir/ir.h"

/* Saturates at UINT64_MAX. */
typedef struct fl_cost {
    uint64_t count; /* operations of this kind in the module's text */
    uint64_t flops; /* arithmetic of one run of the entry function */
    uint64_t bytes; /* operands read and results written by it, each operation on its own */
} fl_cost;

typedef struct fl_program_stats {
    uint64_t input_bytes, output_bytes; /* of the entry function */
    uint64_t constant_bytes;            /* as stored: a splat counts one element */
    uint64_t loops;                     /* `while` operations; their bodies count once */
    uint64_t unknown; /* operations of the module with an open dimension: they cost nothing here */
    fl_cost total;
    fl_cost ops[FL_OPCODE_COUNT];
} fl_program_stats;

/* The program must be verified. FL_OOM is the only failure. */
fl_status fl_program_count(const fl_program *program, fl_program_stats *out);

/* The arithmetic of one operation, which makes no calls, by the same formulas. */
fl_status fl_op_flops(const fl_program *program, const fl_op *op, uint64_t *out);

#endif
