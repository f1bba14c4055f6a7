/* What the embedded device's compiler makes of a program: a flat array of steps over operands in memory.
 *
 * An operand names a slot (a base pointer known only at run time: an input, an output, a constant or a temporary), an offset and
 * strides. Step functions get the table of base pointers and work on memory; whatever can be decided from types and
 * attributes is decided once, when the plan is made. */
#ifndef FL_CPU_PLAN_PLAN_H
#define FL_CPU_PLAN_PLAN_H

#include "base/arena.h"
#include "base/status.h"
#include "ref/environment.h"

typedef struct fl_operand {
    uint32_t slot;
    uint8_t dtype, rank;
    int64_t offset; /* bytes from the slot's base */
    int64_t dims[FL_MAX_RANK];
    int64_t strides[FL_MAX_RANK]; /* elements; may be 0 or negative for inputs */
} fl_operand;

/* Steps that only decide which one comes next, by one element of i1 (or i32: FL_JUMP_TABLE) at inputs[0]. */
typedef enum fl_jump {
    FL_NO_JUMP,
    FL_JUMP,        /* always, to `target` */
    FL_JUMP_IF,     /* to `target` if it is true */
    FL_JUMP_UNLESS, /* to `target` if it is false */
    FL_JUMP_TABLE /* by number: data is the list of `target` numbers of steps; the last is for what is out of range */
} fl_jump;

typedef struct fl_note fl_note; /* profile.h */
typedef struct fl_step fl_step;
/* Runs the step. `slots` holds the base pointers, and before the first of them the environment of the execution. May use
 * fl_parallel_for. */
typedef fl_status (*fl_step_fn)(const fl_step *step, void *const *slots);

struct fl_step {
    fl_step_fn run;
    const fl_op *op;  /* NULL for fused loops */
    const char *name; /* for errors and dumps */
    uint16_t input_count, output_count;
    fl_operand *inputs, *outputs;
    uint32_t unread;         /* of the first 32 outputs those that nobody reads: they may stay unwritten */
    uint32_t captured_count; /* values that regions use of those around them: behind the inputs */
    const fl_ref *captured;
    void *data;            /* what the planner of this kind of step prepared; lives in the plan's arena */
    size_t scratch_bytes;  /* wanted by the step while it runs */
    uint32_t scratch_slot; /* its base pointer, 64-byte aligned; valid when scratch_bytes > 0 */
    int64_t cost;          /* rough bytes moved + flops / 8: decides inline or queued, one thread or many */
    uint8_t jump;          /* fl_jump: not FL_NO_JUMP, then `run` is NULL */
    uint32_t target;
    const fl_note *note; /* for profiles; NULL for jumps */
};

/* A library kernel: how one opcode becomes a step. `prepare` looks at step->op, inputs and outputs, sets run, data (in
 * `arena`), scratch_bytes and cost; it returns FL_UNSUPPORTED to pass (then the reference interpreter runs the operation).
 * Inputs come with any strides unless `dense_inputs`; outputs are dense row-major. */
typedef struct fl_kernel {
    fl_opcode code;
    int dense_inputs; /* the planner copies inputs to dense row-major memory first */
    fl_status (*prepare)(const fl_program *program, fl_step *step, fl_arena *arena);
} fl_kernel;
const fl_kernel *fl_kernel_find(fl_opcode code); /* NULL: none. The table is in cpu/kernels/kernels.c */

static inline void *fl_operand_pointer(const fl_operand *o, void *const *slots)
{
    return (char *)slots[o->slot] + o->offset;
}
/* NULL: none. */
static inline const fl_environment *fl_step_environment(void *const *slots)
{
    return slots[-1];
}
/* The number of the step after this one, at number `at`, which is a jump. */
uint32_t fl_step_next(const fl_step *step, void *const *slots, uint32_t at);
int fl_operand_is_dense(const fl_operand *o); /* row-major without gaps (dims of size 1 do not matter) */

/* A compiled program. Slots: inputs, outputs, constants, then scratch (temporaries and step scratch lie at offsets in it). */
typedef struct fl_plan {
    fl_arena arena;
    const char *name;
    uint32_t input_count, output_count, slot_count;
    fl_step *steps;
    uint32_t step_count;
    struct fl_slot {
        const void *constant;
        size_t scratch_offset;
    } *slots;             /* for slots after the outputs */
    size_t scratch_bytes; /* of all temporaries, after reuse */
    size_t scratch_least; /* the most that live at one time: no placement takes less */
    int64_t cost;
    int goes_on; /* steps after one that failed run nevertheless */
} fl_plan;

struct fl_compile_options;
/* Makes a plan; the caller owns it. `options` is fl_compile_options of device/device.h. */
fl_status fl_plan_create(const fl_program *program, const struct fl_compile_options *options, fl_plan **out);
void fl_plan_destroy(fl_plan *plan);
/* Runs the steps. inputs and outputs are base pointers in order; scratch is scratch_bytes long, 64-byte aligned. */
fl_status fl_plan_run_in(const fl_plan *plan, void *const *inputs, void *const *outputs, void *scratch,
                         const fl_environment *environment);
static inline fl_status fl_plan_run(const fl_plan *plan, void *const *inputs, void *const *outputs,
                                    void *scratch)
{
    return fl_plan_run_in(plan, inputs, outputs, scratch, NULL);
}
void fl_plan_print(const fl_plan *plan, fl_text *out);

#endif
