/* Making a plan, in stages over one structure: place.c decides where values live, steps.c makes the steps. */
#ifndef FL_CPU_PLAN_PLANNER_H
#define FL_CPU_PLAN_PLANNER_H

#include "cpu/loop/loop.h"
#include "device/device.h"

/* Scratch memory: blocks that live at overlapping times do not overlap in memory. */
typedef struct fl_block_use {
    size_t offset, bytes;
    uint32_t from, to;
} fl_block_use;
typedef struct fl_scratch {
    fl_arena *arena;
    fl_block_use *uses; /* sorted by offset */
    uint32_t count, capacity;
    size_t top;
} fl_scratch;
/* A place for `bytes`, 64-byte aligned, used from time `from` to `to`, both included. */
fl_status fl_scratch_place(fl_scratch *scratch, size_t bytes, uint32_t from, uint32_t to, size_t *out_offset);

/* A result that a loop stores in addition to (or instead of) its base's own memory. */
typedef struct fl_extra {
    uint32_t result, base, conflict;
    struct fl_extra *next;
} fl_extra;

typedef struct fl_planner {
    fl_plan *plan;
    fl_graph graph;
    fl_grouping grouping;
    const fl_compile_options *options;
    fl_scratch scratch;
    uint32_t constant_slot, scratch_slot, slot_capacity;
    uint32_t *
        times; /* of each group in the order; even: groups of equal time run as one region, combinations follow */
    uint32_t *conflicts; /* of each result: input that its group reads at equal positions, + 1 */
    fl_extra **extras;   /* by group id */
    char *constants;
    fl_program *kept; /* types and operations of library steps, in the plan's arena */
} fl_planner;

fl_status
fl_place_results(fl_planner *p); /* before times: which base is computed into which result; adds copies */
fl_status fl_place_times(fl_planner *p);
fl_status fl_place_memory(fl_planner *p);
fl_status fl_make_steps(fl_planner *p);

/* Copies an operation of a library step, so that the program need not outlive the plan; p->kept is then its program. */
fl_status fl_keep_op(fl_planner *p, const fl_op *op, const fl_op **out);

/* A step that runs the reference interpreter; the operands are copied to dense memory first where they are not. */
fl_status fl_prepare_reference(const fl_program *program, fl_step *step, fl_arena *arena);

#endif
