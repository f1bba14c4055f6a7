/* reduce_window of values and places that keeps running extremes (ir/pool.h): lines along one dimension, in pieces of whole lines. Places
 * count along that dimension, so their operand is not read. */
#include "base/pool.h"
#include "cpu/kernels/kernel.h"
#include "cpu/kernels/window.h"
#include "ir/pool.h"

typedef struct extreme_scan {
    fl_extreme_scan_fn scan;
    int rank, dim;
    int64_t dims[FL_MAX_RANK], strides[FL_MAX_RANK]; /* strides in bytes */
    int64_t element, lines, width, grain;            /* width: neighbouring lines done at once */
} extreme_scan;

typedef struct job {
    const extreme_scan *s;
    const char *in, *first;
    char *out, *out_at;
    int64_t first_place;
} job;

static void run_lines(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const extreme_scan *s = j->s;
    const int inner = s->dim == s->rank - 1
                          ? s->rank
                          : s->rank - 1; /* dims that lines are told apart by: those before it */
    int64_t after = 1, n = s->dims[s->dim];
    for (int d = s->dim + 1; d < s->rank; d++) after *= s->dims[d];
    for (int64_t line = begin; line < end; line++) {
        int64_t rest = line, from = 0;
        for (int d = inner - 1; d >= 0; d--) {
            if (d == s->dim) continue;
            from += rest % s->dims[d] * s->strides[d];
            rest /= s->dims[d];
        }
        const int64_t groups = after / s->width, to = line / groups * n * after + line % groups * s->width;
        const fl_extreme_scan scan = {.in = j->in + from,
                                      .in_step = s->strides[s->dim],
                                      .in_across = s->width > 1 ? s->strides[s->rank - 1] : 0,
                                      .out = j->out + to * s->element,
                                      .out_step = after * s->element,
                                      .out_at = j->out_at + to * 8,
                                      .at_step = after * 8,
                                      .n = n,
                                      .width = s->width,
                                      .first = j->first,
                                      .first_place = j->first_place};
        s->scan(&scan);
    }
}

static fl_status run(const fl_step *step, void *const *slots)
{
    const extreme_scan *s = step->data;
    job j = {.s = s,
             .in = fl_operand_pointer(&step->inputs[0], slots),
             .first = fl_operand_pointer(&step->inputs[2], slots),
             .out = fl_operand_pointer(&step->outputs[0], slots),
             .out_at = fl_operand_pointer(&step->outputs[1], slots)};
    j.first_place = *(const int64_t *)fl_operand_pointer(&step->inputs[3], slots);
    fl_parallel_for(s->lines, s->grain, run_lines, &j);
    return NULL;
}

/* The dimension that places count along when the window runs from its beginning; -1: another window. */
static int find_dim(const fl_program *program, const fl_step *step)
{
    const fl_op *places = program->defs[step->op->operands[1]].op;
    const fl_operand *in = &step->inputs[0], *out = &step->outputs[0];
    if (!places || places->code != FL_OP_iota) return -1;
    const int dim = (int)fl_op_int(places, FL_ATTR_iota_dimension, -1);
    for (int d = 0; d < in->rank; d++) {
        const fl_window_dim w = fl_window_dim_of(step, d);
        if (w.stride != 1 || w.dilation != 1 || w.out != w.in || out->dims[d] != in->dims[d]) return -1;
        if (d == dim ? w.size != w.in || w.low != w.in - 1 || w.spread != 1 : w.size != 1 || w.low != 0)
            return -1;
    }
    return dim;
}

fl_status fl_prepare_extreme_scan(const fl_program *program, fl_step *step, fl_arena *arena, int largest)
{
    const fl_operand *in = &step->inputs[0];
    extreme_scan *s = FL_NEW(arena, extreme_scan);
    if (!s) return FL_NO_MEMORY();
    s->scan = FL_ISA_PICK(fl_extreme_scan_find)(largest, (fl_dtype)in->dtype);
    s->dim = find_dim(program, step);
    if (!s->scan || s->dim < 0 || step->outputs[1].dtype != FL_I64) return FL_NO_KERNEL();
    s->rank = in->rank;
    s->element = (int64_t)fl_dtype_bytes((fl_dtype)in->dtype);
    s->lines = 1;
    for (int d = 0; d < s->rank; d++) {
        s->dims[d] = in->dims[d], s->strides[d] = in->strides[d] * s->element;
        if (d != s->dim && d < s->rank - 1) s->lines *= s->dims[d];
    }
    s->width = s->dim == s->rank - 1 ? 1 : s->dims[s->rank - 1];
    if (!fl_operand_elements(in)) s->lines = 0;
    s->grain = 1 + 16384 / (s->dims[s->dim] * s->width + 1);
    step->data = s;
    step->run = run;
    step->cost = fl_step_traffic(step) - (int64_t)fl_operand_bytes(&step->inputs[1]);
    return NULL;
}
