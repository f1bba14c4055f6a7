/* Shared by the two halves of lowering: lower.c (operands, tiles, buffers) and emit.c (instructions). */
#ifndef FL_CPU_LOOP_LOWER_H
#define FL_CPU_LOOP_LOWER_H

#include "cpu/loop/loop.h"

#define FL_MAX_LOADS 192

/* One operand in memory over the dimensions of the group, in elements. */
typedef struct fl_access_plan {
    uint32_t base;
    uint8_t dtype, row, count;
    int64_t offset;
    int64_t strides[FL_MAX_RANK];
} fl_access_plan;

typedef struct fl_reg {
    uint8_t level, dtype, once;
    uint8_t kept;      /* read after the last instruction */
    uint16_t wider[3]; /* the same value at a higher level, + 1 */
    uint16_t made;     /* instruction that makes it, + 1; 0: a load */
} fl_reg;

typedef struct fl_lowering {
    fl_graph *graph;
    const fl_grouping *grouping;
    fl_group *group;
    fl_arena *arena;
    fl_loop *loop;
    int rank;
    int64_t dims[FL_MAX_RANK + 1];
    fl_access_plan *plans; /* loads, then stores */
    uint16_t load_count;
    int plan_count;
    uint16_t *view_loads; /* for each view of each node: its load, or UINT16_MAX for a value of the group */
    int first_column;     /* dimensions before the columns */
    fl_reg *regs;
    uint32_t reg_capacity, instr_capacity;
    double work; /* nanoseconds for each element of the space */
} fl_lowering;

fl_status fl_lowering_load(fl_lowering *w, const fl_node *node, const fl_view *view, uint16_t *out);
fl_status fl_lowering_memory(fl_lowering *w, const fl_access_plan *plan, fl_loop_memory *m);
void fl_lowering_place(const fl_lowering *w, uint16_t load); /* its offset, once its access is known */
/* Makes the group's loop a kernel of machine code, if there is code for it: kernel.c. */
fl_status fl_lowering_compile(fl_lowering *w, const fl_loop_store *stores);
fl_status fl_lowering_emit(fl_lowering *w, const fl_loop_store *stores);

#endif
