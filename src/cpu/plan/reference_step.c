/* Operations without a kernel: the reference interpreter, on dense operands. */
#include "cpu/kernels/strided.h"
#include "cpu/plan/planner.h"
#include "ref/reference.h"

typedef struct reference_data {
    const fl_program *program;
    int64_t
        *offsets; /* of each input's dense copy in the step's scratch memory; -1: it is dense where it is */
    fl_operand *copies;
} reference_data;

static fl_status run(const fl_step *step, void *const *slots)
{
    const reference_data *d = step->data;
    const void *operands[64];
    void *results[64];
    for (uint32_t i = 0; i < step->input_count; i++) {
        operands[i] = fl_operand_pointer(&step->inputs[i], slots);
        if (d->offsets[i] < 0) continue;
        d->copies[i].slot = step->scratch_slot;
        fl_copy_strided(&d->copies[i], &step->inputs[i], slots);
        operands[i] = fl_operand_pointer(&d->copies[i], slots);
    }
    for (uint32_t i = 0; i < step->output_count; i++)
        results[i] = fl_operand_pointer(&step->outputs[i], slots);
    return fl_reference_op(d->program, step->op, operands, results);
}

fl_status fl_prepare_reference(const fl_program *program, fl_step *step, fl_arena *arena)
{
    FL_CHECK(step->input_count <= 64 && step->output_count <= 64, FL_UNSUPPORTED, "%s: too many operands",
             step->name);
    reference_data *d = FL_NEW(arena, reference_data);
    int64_t *offsets = FL_NEW_ARRAY(arena, int64_t, step->input_count + 1);
    fl_operand *copies = FL_NEW_ARRAY(arena, fl_operand, step->input_count + 1);
    FL_CHECK(d && offsets && copies, FL_OOM, "out of memory while planning");
    *d = (reference_data){program, offsets, copies};
    size_t bytes = 0;
    int64_t work = 0;
    for (uint32_t i = 0; i < step->input_count; i++) {
        work += fl_operand_elements(&step->inputs[i]);
        offsets[i] = -1;
        if (fl_operand_is_dense(&step->inputs[i])) continue;
        copies[i] = step->inputs[i];
        fl_dense_strides(copies[i].rank, copies[i].dims, copies[i].strides);
        copies[i].offset = offsets[i] = (int64_t)bytes;
        bytes += (fl_operand_bytes(&step->inputs[i]) + 63) & ~(size_t)63;
    }
    for (uint32_t i = 0; i < step->output_count; i++) work += fl_operand_elements(&step->outputs[i]);
    step->run = run;
    step->data = d;
    step->scratch_bytes = bytes;
    step->cost = 100 * work + 1000;
    return NULL;
}
