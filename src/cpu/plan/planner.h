/* Making a plan, in stages over one structure for each block of the program (the main one, and the regions of control flow):
 *
 *   graph.c, region.c   nodes and views; the regions' graphs
 *   order.c             the order of groups, and which run side by side
 *   place.c             which results are computed where they belong, what memory a result may share with an input
 *   share.c             results that take the memory of an operand that dies
 *   memory.c            lifetimes, offsets in scratch memory
 *   steps.c, control.c, scalar.c  the steps, one flat array with jumps */
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
/* The most bytes that live at one time before `end`: no placement needs less. SIZE_MAX: out of memory. */
size_t fl_scratch_least(const fl_scratch *scratch, uint32_t end);

/* A result that a loop stores in addition to (or instead of) its base's own memory. */
typedef struct fl_extra {
    uint32_t result, base, conflict;
    struct fl_extra *next;
} fl_extra;

/* Result `result` may lie in memory that input `input` uses, too; kind as in fl_compile_options.aliases. */
typedef struct fl_alias {
    uint32_t result, input;
    uint8_t kind;
} fl_alias;

typedef struct fl_read {
    const fl_node *node;
    uint32_t view;
} fl_read;

/* What the blocks of a program share. */
typedef struct fl_planning {
    fl_plan *plan;
    const fl_compile_options *options;
    fl_scratch scratch;
    uint32_t constant_slot, scratch_slot, slot_capacity, step_capacity;
    uint32_t clock; /* of the steps, in the order of the plan */
    char *constants;
    size_t constant_bytes;
    fl_program *kept; /* types and operations of library steps, in the plan's arena */
    fl_ref *kept_map; /* values of the program that is planned -> of `kept` */
    int share;        /* 0: no result takes the memory of an operand */
    int scalar;       /* 0: single elements are loops, too */
    int poison;       /* dead memory is overwritten */
} fl_planning;

typedef struct fl_planner {
    fl_graph graph; /* first */
    fl_planning *all;
    fl_grouping grouping;
    /* lists, each sorted by its number: those of number i are at [first[i], first[i + 1]) */
    fl_alias *aliases; /* by result */
    uint32_t *alias_first;
    fl_read *reads; /* by base: who reads it */
    uint32_t *read_first;
    uint32_t *batches; /* of each group in the order: those of one number run as one region */
    uint32_t *times,
        *ends; /* of each group in the order, once known: its first moment, and of control flow the last */
    uint32_t *conflicts; /* of each result: base of the input that its group reads at equal positions */
    fl_extra **extras;   /* by group id */
    uint64_t *places;    /* of scalar.c: by base */
} fl_planner;

static inline fl_planner *fl_planner_of(fl_graph *graph)
{
    return (fl_planner *)graph;
}

fl_status fl_list_reads(fl_planner *p);
fl_status fl_order(fl_planner *p);
fl_status fl_batches(fl_planner *p);
/* Which base is computed into which result, with aliases known; adds copies. Of this block and its regions. */
fl_status fl_place_results(fl_planner *p);
void fl_share(fl_planner *p, uint32_t *last, const fl_group **sole); /* by base, to work in */
/* Whether a library node may write result r where its operand `view` lies, because it reads it before, or leaves it there. */
int fl_library_in_place(const fl_node *node, uint32_t view, uint32_t result);
fl_status fl_place_memory(fl_planner *main);
fl_status fl_make_steps(fl_planner *p);

/* Copies an operation of a library step, and the list of what its regions use of the values around it, so that the program need not
 * outlive the plan; all->kept is then its program, whose values have numbers of their own. */
fl_status fl_keep_op(fl_planner *p, const fl_op *op, const fl_ref *captured, uint32_t captured_count,
                     const fl_op **out, const fl_ref **out_captured);

/* Steps of control flow, around those of the regions. */
fl_status fl_make_control(fl_planner *p, const fl_group *group);
fl_step *fl_new_step(fl_planner *p, const char *name);
fl_operand fl_result_operand(const fl_planner *p, uint32_t result);
fl_operand fl_view_operand(const fl_planner *p, const fl_view *view);

/* A step that overwrites the blocks that die from time `from` to `to`. */
fl_status fl_poison(fl_planner *p, uint32_t from, uint32_t to);

/* A step that runs the reference interpreter; the operands are copied to dense memory first where they are not. */
fl_status fl_prepare_reference(const fl_program *program, fl_step *step, fl_arena *arena);

#endif
