/* Collectives between executions in one process: every member reads and writes the memory of the others. */
#ifndef FL_CPU_KERNELS_COLLECTIVE_H
#define FL_CPU_KERNELS_COLLECTIVE_H

#include "cpu/kernels/kernel.h"
#include "cpu/loop/vec.h"
#include "device/comm.h"

enum { FL_REDUCE_TILE = 1024 }; /* elements */

/* How elements of a type are combined; `combine` NULL: only the reference interpreter can. */
typedef struct fl_reducer {
    fl_vec_fn combine, widen, narrow; /* to the type in which it is computed and back; NULL: it is the same */
    uint8_t size, wide;               /* bytes of an element, stored and computed */
} fl_reducer;

/* What follows from the operation alone; made once for a step. */
typedef struct fl_collective {
    const fl_program *program;
    const fl_op *op;
    fl_group_kind grouping;
    fl_id_rows rows;
    uint32_t count; /* operands that carry data: all but a dynamic root */
    size_t bytes;   /* of operands and results */
    fl_reducer *reducers;
    fl_copy *copies; /* all_gather, all_to_all: one member's part of each operand */
    int64_t *from,
        *to; /* distance in bytes between the parts of one member and the next, in operand and result */
} fl_collective;

/* For fl_environment.collective. */
fl_status fl_collective_once(const fl_environment *environment, const fl_program *program, const fl_op *op,
                             const void *const *operands, void *const *results);

/* collective_reduce.c: results[..][begin, end) = the reduction of operands[..][begin, end) in the order of the members. */
void fl_reducer_find(fl_reducer *out, const fl_program *program, const fl_op *op, uint32_t k);
fl_status fl_reduce_span(const fl_collective *c, uint32_t k, const char *const *from, uint32_t count,
                         char *const *to, uint32_t to_count, int64_t n);

#endif
