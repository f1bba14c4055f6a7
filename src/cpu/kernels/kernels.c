#include "cpu/plan/plan.h"

#define FL_KERNEL(op, dense)                                                                                 \
    fl_status fl_prepare_##op(const fl_program *program, fl_step *step, fl_arena *arena);
#include "cpu/kernels/kernels.def"
#undef FL_KERNEL

static const fl_kernel kernels[FL_OPCODE_COUNT] = {
#define FL_KERNEL(op, dense) [FL_OP_##op] = {FL_OP_##op, dense, fl_prepare_##op},
#include "cpu/kernels/kernels.def"
#undef FL_KERNEL
};

const fl_kernel *fl_kernel_find(fl_opcode code)
{
    return (unsigned)code < FL_OPCODE_COUNT && kernels[code].prepare ? &kernels[code] : NULL;
}
