/* rng_bit_generator */
#include "cpu/kernels/random.h"

#include "base/pool.h"
#include "base/random.h"
#include "cpu/kernels/kernel.h"

#include <string.h>

#define GRAIN_BLOCKS 2048 /* 32 KiB of bits */

typedef struct philox_job {
    uint64_t state[3];
    int64_t elements;
    int bytes; /* of an element */
    char *out;
} philox_job;

/* Whole blocks go straight to the result; the last one, and elements narrower than a word, through a buffer. */
static void philox_piece(void *ctx, int64_t begin, int64_t end)
{
    const philox_job *job = ctx;
    int64_t per_block = job->bytes == 8 ? 2 : 4, whole = job->elements / per_block;
    if (job->bytes >= 4) {
        int64_t direct = FL_MIN(end, whole) - begin;
        if (direct > 0) {
            uint32_t *out = (uint32_t *)(job->out + begin * 16);
            FL_ISA_PICK(fl_philox_blocks)(job->state, (uint64_t)begin, (uint64_t)direct, out);
            begin += direct;
        }
    }
    uint32_t buffer[4 * 64];
    for (int64_t n; begin < end; begin += n) {
        n = FL_MIN(end - begin, 64);
        FL_ISA_PICK(fl_philox_blocks)(job->state, (uint64_t)begin, (uint64_t)n, buffer);
        int64_t first = begin * per_block, count = FL_MIN(n * per_block, job->elements - first);
        char *out = job->out + first * job->bytes;
        if (job->bytes == 1) {
            for (int64_t i = 0; i < count; i++) out[i] = (char)buffer[i];
        } else if (job->bytes == 2) {
            for (int64_t i = 0; i < count; i++) ((uint16_t *)out)[i] = (uint16_t)buffer[i];
        } else {
            memcpy(out, buffer, (size_t)(count * job->bytes));
        }
    }
}

static fl_status run_philox(const fl_step *step, void *const *slots)
{
    const fl_operand *in = &step->inputs[0], *next = &step->outputs[0], *out = &step->outputs[1];
    const uint64_t *state = fl_operand_pointer(in, slots);
    uint64_t *new_state = fl_operand_pointer(next, slots);
    philox_job job = {{state[0], state[1], state[in->dims[0] > 2 ? 2 : 0]},
                      fl_operand_elements(out),
                      (int)fl_dtype_bytes((fl_dtype)out->dtype),
                      fl_operand_pointer(out, slots)};
    int64_t per_block = job.bytes == 8 ? 2 : 4, blocks = (job.elements + per_block - 1) / per_block;
    fl_parallel_for(blocks, GRAIN_BLOCKS, philox_piece, &job);
    new_state[0] = job.state[0];
    new_state[1] = job.state[1] + (uint64_t)blocks;
    if (in->dims[0] > 2) new_state[2] = job.state[2] + (new_state[1] < (uint64_t)blocks);
    return NULL;
}

static fl_status run_threefry(const fl_step *step, void *const *slots)
{
    const fl_operand *out = &step->outputs[1];
    fl_random_threefry(fl_operand_pointer(&step->inputs[0], slots), (int)fl_dtype_bytes((fl_dtype)out->dtype),
                       fl_operand_elements(out), fl_operand_pointer(out, slots),
                       fl_operand_pointer(&step->outputs[0], slots));
    return NULL;
}

fl_status fl_prepare_rng_bit_generator(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program, (void)arena;
    const fl_operand *in = &step->inputs[0], *out = &step->outputs[1];
    int64_t algorithm = fl_op_int(step->op, FL_ATTR_rng_algorithm, FL_RNG_DEFAULT);
    size_t bytes = fl_dtype_bytes((fl_dtype)out->dtype);
    if (in->dtype != FL_U64 || in->rank != 1 || in->dims[0] < 2 || in->dims[0] > 3) return FL_NO_KERNEL();
    if (bytes > 8 || fl_dtypes[out->dtype].bits != 8 * bytes) return FL_NO_KERNEL();
    if (algorithm == FL_RNG_THREE_FRY && in->dims[0] != 2) return FL_NO_KERNEL();
    step->run = algorithm == FL_RNG_THREE_FRY ? run_threefry : run_philox;
    step->cost = 2 * (int64_t)fl_operand_bytes(out);
    return NULL;
}
