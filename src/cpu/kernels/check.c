/* custom_call @fl.check_index: its operand, checked to lie within [low, high). The other calls with kernels are found here. */
#include "cpu/kernels/check.h"

#include "base/pool.h"
#include "cpu/kernels/attention.h"
#include "cpu/kernels/factor.h"

#include <stdatomic.h>
#include <string.h>

typedef struct check_data {
    fl_copy copy;
    int64_t low, high;
    const char *what;
} check_data;

typedef struct check_job {
    const check_data *data;
    fl_dtype dtype;
    const char *x;
    int64_t width;
    _Atomic int64_t first; /* least position of a bad index so far */
} check_job;

static void note_first_bad(check_job *job, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        int64_t v = fl_load_index(job->dtype, job->x + i * job->width);
        if (v >= job->data->low && v < job->data->high) continue;
        int64_t known = atomic_load(&job->first);
        while (i < known && !atomic_compare_exchange_weak(&job->first, &known, i)) {
        }
        return;
    }
}

static void check_piece(void *ctx, int64_t begin, int64_t end)
{
    check_job *job = ctx;
    const check_data *c = job->data;
    int fits = job->dtype == FL_I64 || (job->dtype == FL_I32 && c->low >= INT32_MIN && c->high <= INT32_MAX);
    if (fits && c->low < c->high &&
        !FL_ISA_PICK(fl_out_of_range)(job->dtype, job->x + begin * job->width, end - begin, c->low, c->high))
        return;
    note_first_bad(job, begin, end);
}

/* The result is a dense copy of the operand, so it is what gets scanned. */
static fl_status run_check_index(const fl_step *step, void *const *slots)
{
    const check_data *c = step->data;
    const fl_operand *in = &step->inputs[0], *out = &step->outputs[0];
    char *to = fl_operand_pointer(out, slots);
    const char *from = fl_operand_pointer(in, slots);
    if (to != from) fl_copy_run(&c->copy, to, from);
    int64_t n = fl_operand_elements(out);
    check_job job = {c, (fl_dtype)out->dtype, to, (int64_t)fl_dtype_bytes((fl_dtype)out->dtype), n};
    fl_parallel_for(n, FL_PIECE_BYTES / job.width, check_piece, &job);
    int64_t first = atomic_load(&job.first);
    if (first == n) return NULL;
    const fl_index_check failed = {c->low, c->high, c->what};
    return fl_index_error(&failed, fl_load_index(job.dtype, to + first * job.width));
}

fl_status fl_prepare_custom_call(const fl_program *program, fl_step *step, fl_arena *arena)
{
    fl_index_check check;
    const int attention = fl_attention_kind(step->op);
    if (attention)
        return attention == 1 ? fl_prepare_attention(program, step, arena)
                              : fl_prepare_attention_backward(program, step, arena);
    if (!fl_is_check_index(step->op, &check)) return fl_prepare_factor(step, arena);
    check_data *c = FL_NEW(arena, check_data);
    if (!c) return FL_NO_MEMORY();
    fl_copy_prepare_step(&c->copy, step, 0, 0);
    c->low = check.low, c->high = check.high;
    c->what = *check.what ? fl_arena_strdup(arena, check.what) : "index";
    if (!c->what) return FL_NO_MEMORY();
    step->run = run_check_index;
    step->data = c;
    step->cost = fl_step_traffic(step);
    return NULL;
}
