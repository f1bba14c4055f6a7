/* Kernels of the code generator in tests: short names for building, and calls with operands in plain memory. */
#ifndef FL_TESTS_JIT_CASE_H
#define FL_TESTS_JIT_CASE_H

#include "check.h"
#include "cpu/jit/graph.h"
#include "cpu/jit/jit.h"

#include <stdlib.h>

#define OP_OF(b, code, dtype, ...)                                                                           \
    fl_jit_op((b), FL_OP_##code, FL_##dtype, FL_EQ, (const fl_val[]){__VA_ARGS__},                           \
              sizeof((const fl_val[]){__VA_ARGS__}) / sizeof(fl_val))
#define F32(b, code, ...)   OP_OF(b, code, F32, __VA_ARGS__)
#define LOAD(b, memory)     fl_jit_load((b), (memory), FL_M_DENSE, FL_F32)
#define STORE(b, memory, v) CHECK(fl_jit_store((b), (memory), FL_M_DENSE, (v), FL_J_FREE, 0))

static inline fl_val k_f32(fl_jit_builder *b, float x)
{
    return fl_jit_constant(b, FL_F32, &x);
}

#define MAX_MEMORIES 40
typedef struct jit_run {
    int64_t rows, columns;
    fl_jit_memory memory[MAX_MEMORIES];
} jit_run;

static inline void run_kernel(const fl_jit_kernel *kernel, const jit_run *r)
{
    struct {
        fl_jit_call call;
        fl_jit_memory memory[MAX_MEMORIES];
    } c;
    size_t scratch = (size_t)kernel->scratch_per_column * (size_t)((r->columns + 63) & ~63) + FL_JIT_STACK;
    c.call = (fl_jit_call){r->rows, r->columns, aligned_alloc(64, (scratch + 63) & ~(size_t)63)};
    memcpy(c.memory, r->memory, sizeof c.memory);
    kernel->run(&c.call);
    free(c.call.scratch);
}

/* Skips the suite, loudly, where there is no backend. */
static inline int no_jit(void)
{
    if (fl_jit_target()) return 0;
    printf("skipped: no vector code generator for this processor (or FL_DISABLE, FL_ISA_LEVEL)\n");
    return 1;
}

#endif
