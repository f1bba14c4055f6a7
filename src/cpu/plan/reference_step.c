/* Operations without a kernel: the reference interpreter, on dense operands. */
#include "cpu/kernels/strided.h"
#include "cpu/plan/planner.h"
#include "ref/reference.h"

#include <stdlib.h>

typedef struct reference_data {
    const fl_program *program;
    uint32_t count;   /* operands, and what regions capture */
    int64_t *offsets; /* of each one's dense copy in the step's scratch memory; -1: it is dense where it is */
    fl_operand *copies;
} reference_data;

/* Several devices may run the step at once. */
static fl_status run(const fl_step *step, void *const *slots)
{
    const reference_data *d = step->data;
    uint32_t all = d->count + step->output_count;
    void *few[32], **values = all <= 32 ? few : malloc(all * sizeof *values);
    FL_CHECK(values, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < d->count; i++) {
        values[i] = fl_operand_pointer(&step->inputs[i], slots);
        if (d->offsets[i] < 0) continue;
        fl_operand copy = d->copies[i];
        copy.slot = step->scratch_slot;
        fl_copy_strided(&copy, &step->inputs[i], slots);
        values[i] = fl_operand_pointer(&copy, slots);
    }
    void **results = values + d->count;
    for (uint32_t i = 0; i < step->output_count; i++)
        results[i] = fl_operand_pointer(&step->outputs[i], slots);
    const void *const *operands = (const void *const *)values;
    fl_status status =
        fl_reference_op_in(d->program, step->op, operands, results, step->captured,
                           operands + step->input_count, step->captured_count, fl_step_environment(slots));
    if (values != few) free(values);
    return status;
}

fl_status fl_prepare_reference(const fl_program *program, fl_step *step, fl_arena *arena)
{
    uint32_t count = step->input_count + step->captured_count;
    reference_data *d = FL_NEW(arena, reference_data);
    FL_CHECK(d, FL_OOM, "out of memory while planning");
    *d = (reference_data){program, count, FL_NEW_ARRAY(arena, int64_t, count + 1),
                          FL_NEW_ARRAY(arena, fl_operand, count + 1)};
    FL_CHECK(d->offsets && d->copies, FL_OOM, "out of memory while planning");
    size_t bytes = 0;
    int64_t work = 0;
    for (uint32_t i = 0; i < count; i++) {
        work += fl_operand_elements(&step->inputs[i]);
        d->offsets[i] = -1;
        if (fl_operand_is_dense(&step->inputs[i])) continue;
        d->copies[i] = step->inputs[i];
        fl_dense_strides(d->copies[i].rank, d->copies[i].dims, d->copies[i].strides);
        d->copies[i].offset = d->offsets[i] = (int64_t)bytes;
        bytes += (fl_operand_bytes(&step->inputs[i]) + 63) & ~(size_t)63;
    }
    for (uint32_t i = 0; i < step->output_count; i++) work += fl_operand_elements(&step->outputs[i]);
    step->run = run;
    step->data = d;
    step->scratch_bytes = bytes;
    step->cost = 100 * work + 1000;
    return NULL;
}
