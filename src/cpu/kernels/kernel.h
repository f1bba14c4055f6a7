/* What the kernels share: cost estimates, and copies of the operand that a result starts from. */
#ifndef FL_CPU_KERNELS_KERNEL_H
#define FL_CPU_KERNELS_KERNEL_H

#include "cpu/kernels/strided.h"

#define FL_KERNEL(op, dense)                                                                                 \
    fl_status fl_prepare_##op(const fl_program *program, fl_step *step, fl_arena *arena);
#include "cpu/kernels/kernels.def"
#undef FL_KERNEL

#define FL_NO_KERNEL() fl_error(FL_UNSUPPORTED, "no kernel")
#define FL_NO_MEMORY() fl_error(FL_OOM, "out of host memory")
#define FL_MIN(a, b)   ((a) < (b) ? (a) : (b))
#define FL_MAX(a, b)   ((a) > (b) ? (a) : (b))
#define FL_PIECE_BYTES (64 * 1024) /* memory traffic below which waking a thread does not pay */

/* step->cost of a kernel that moves its operands and results once. */
static inline int64_t fl_step_traffic(const fl_step *step)
{
    size_t bytes = 0;
    for (int i = 0; i < step->input_count; i++) bytes += fl_operand_bytes(&step->inputs[i]);
    for (int i = 0; i < step->output_count; i++) bytes += fl_operand_bytes(&step->outputs[i]);
    return (int64_t)bytes;
}

/* Readies the copy of input `i` into output `o` (same dims, dense). */
static inline void fl_copy_prepare_step(fl_copy *copy, const fl_step *step, int i, int o)
{
    const fl_operand *in = &step->inputs[i], *out = &step->outputs[o];
    int64_t dense[FL_MAX_RANK];
    fl_dense_strides(out->rank, out->dims, dense);
    fl_copy_prepare(copy, fl_dtype_bytes((fl_dtype)out->dtype), out->rank, out->dims, dense, in->strides);
}

#endif
