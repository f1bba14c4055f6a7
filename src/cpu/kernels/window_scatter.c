/* select_and_scatter, the gradient of max pooling: each window's source goes to the element of the window that is preferred. A row of
 * windows at a time: which elements those are is found tap by tap, then the sources are added in order. */
#include "base/pool.h"
#include "cpu/kernels/combine.h"
#include "cpu/kernels/window.h"
#include "ir/build.h"

#include <string.h>

enum { CHUNK = 512 }; /* windows of a row at a time */

typedef struct scatter {
    int rank, outer_rank;                   /* the first dimensions have no windows */
    fl_window_dim dim[FL_MAX_RANK];         /* index_stride: the source's */
    int64_t out_stride[FL_MAX_RANK];        /* elements */
    int64_t element, planes, pieces, piece; /* pieces: of the last dimension, when that has no windows */
    int64_t grain;
    fl_pick_row_fn pick;
    fl_combine combine;
} scatter;

typedef struct run {
    const scatter *s;
    const char *in, *source;
    char *out;
} run;

/* Windows [begin, begin + n) of a row: where their preferred elements are. */
typedef struct row {
    const scatter *s;
    int64_t at[FL_MAX_RANK], begin, n;
    _Alignas(64) char best[CHUNK * 8];
    _Alignas(64) int32_t place[CHUNK];
} row;

static void pick_taps(row *r, int dim, const char *in, int64_t place)
{
    const scatter *s = r->s;
    const fl_window_dim *d = &s->dim[dim];
    if (dim < s->rank - 1) {
        for (int64_t t = 0; t < d->size; t++) {
            const int64_t i = fl_window_position(d, r->at[dim], t);
            if (i >= 0) pick_taps(r, dim + 1, in + i * d->in_stride, place + i * s->out_stride[dim]);
        }
        return;
    }
    for (int64_t t = 0; t < d->size; t++) {
        const int64_t x = t - d->low; /* position of window o: o * stride + x */
        int64_t begin = x >= 0 ? 0 : (-x + d->stride - 1) / d->stride,
                end = d->in - 1 - x < 0 ? 0 : (d->in - 1 - x) / d->stride + 1;
        begin = FL_MAX(begin, r->begin), end = FL_MIN(end, r->begin + r->n);
        if (begin >= end) continue;
        const int64_t i = begin * d->stride + x, skip = begin - r->begin;
        s->pick(r->best + skip * s->element, r->place + skip, in + i * d->in_stride, d->stride * d->in_stride,
                (int32_t)(place + i), (int32_t)d->stride, end - begin);
    }
}

static void scatter_row(row *r, const char *in, const char *source, char *out)
{
    const scatter *s = r->s;
    const fl_window_dim *last = &s->dim[s->rank - 1];
    int64_t offsets[CHUNK];
    memset(r->place, 0xff, (size_t)r->n * sizeof *r->place);
    pick_taps(r, s->outer_rank, in, 0);
    for (int64_t i = 0; i < r->n; i++) offsets[i] = (int64_t)r->place[i] * s->element;
    s->combine.each(out, offsets, 1, 0, INT64_MAX, source + r->begin * last->index_stride, last->index_stride,
                    r->n);
}

/* One piece of the last dimension (or all of it) of a plane. */
static void scatter_plane(row *r, const char *in, const char *source, char *out, int64_t begin, int64_t end)
{
    const scatter *s = r->s;
    const int last = s->rank - 1;
    memset(r->at, 0, sizeof r->at);
    for (;;) {
        const char *from = source;
        for (int i = s->outer_rank; i < last; i++) from += r->at[i] * s->dim[i].index_stride;
        for (r->begin = begin; r->begin < end; r->begin += CHUNK) {
            r->n = FL_MIN(end - r->begin, CHUNK);
            scatter_row(r, in, from, out);
        }
        int i = last - 1;
        while (i >= s->outer_rank && ++r->at[i] == s->dim[i].out) r->at[i--] = 0;
        if (i < s->outer_rank) return;
    }
}

static void run_pieces(void *ctx, int64_t begin, int64_t end)
{
    const run *r = ctx;
    const scatter *s = r->s;
    row work = {.s = s};
    for (int64_t task = begin; task < end; task++) {
        int64_t rest = task / s->pieces, piece = task % s->pieces * s->piece;
        const char *in = r->in, *source = r->source;
        char *out = r->out;
        for (int i = s->outer_rank - 1; i >= 0; i--) {
            const int64_t at = rest % s->dim[i].in;
            rest /= s->dim[i].in;
            in += at * s->dim[i].in_stride, source += at * s->dim[i].index_stride;
            out += at * s->out_stride[i] * s->element;
        }
        scatter_plane(&work, in, source, out, piece, FL_MIN(piece + s->piece, s->dim[s->rank - 1].out));
    }
}

static fl_status run_scatter(const fl_step *step, void *const *slots)
{
    const scatter *s = step->data;
    fl_operand initial = step->inputs[2];
    const fl_operand *out = &step->outputs[0];
    initial.rank = out->rank;
    memcpy(initial.dims, out->dims, sizeof initial.dims);
    memset(initial.strides, 0, sizeof initial.strides);
    fl_copy_strided(out, &initial, slots);
    run r = {s, fl_operand_pointer(&step->inputs[0], slots), fl_operand_pointer(&step->inputs[1], slots),
             fl_operand_pointer(out, slots)};
    fl_parallel_for(s->planes * s->pieces, s->grain, run_pieces, &r);
    return NULL;
}

/* The comparison that the region makes of its arguments; -1: something else. */
static int keep_of(const fl_block *region)
{
    const fl_op *op = region->op_count == 1 ? region->ops[0] : NULL;
    if (!op || op->code != FL_OP_compare || region->results[0] != op->first_result ||
        fl_op_int(op, FL_ATTR_compare_type, FL_COMPARE_NONE) == FL_COMPARE_TOTALORDER)
        return -1;
    const fl_ref a = fl_block_arg(region, 0), b = fl_block_arg(region, 1);
    const int way = (int)fl_op_int(op, FL_ATTR_comparison_direction, -1);
    if (op->operands[0] == a && op->operands[1] == b) return way;
    if (op->operands[0] != b || op->operands[1] != a) return -1;
    switch (way) {
    case FL_GE: return FL_LE;
    case FL_LE: return FL_GE;
    case FL_GT: return FL_LT;
    case FL_LT: return FL_GT;
    default: return -1;
    }
}

static int64_t attr_at(const fl_op *op, fl_attr_key key, int i, int64_t fallback)
{
    uint32_t n = 0;
    const int64_t *list = fl_op_ints(op, key, &n);
    return list && (uint32_t)i < n ? list[i] : fallback;
}

static int has_window(const fl_window_dim *d)
{
    return d->size != 1 || d->stride != 1 || d->low != 0 || d->out != d->in;
}

static void read_dims(scatter *s, const fl_step *step)
{
    const fl_operand *in = &step->inputs[0], *source = &step->inputs[1];
    s->rank = in->rank;
    for (int i = in->rank - 1; i >= 0; i--) {
        s->dim[i] = (fl_window_dim){.in = in->dims[i],
                                    .out = source->dims[i],
                                    .size = attr_at(step->op, FL_ATTR_window_dimensions, i, 1),
                                    .stride = attr_at(step->op, FL_ATTR_window_strides, i, 1),
                                    .low = attr_at(step->op, FL_ATTR_padding, 2 * i, 0),
                                    .dilation = 1,
                                    .spread = 1,
                                    .in_stride = in->strides[i] * s->element,
                                    .index_stride = source->strides[i] * s->element};
        s->out_stride[i] = i == in->rank - 1 ? 1 : s->out_stride[i + 1] * in->dims[i + 1];
    }
    s->planes = 1;
    while (s->outer_rank < s->rank - 1 && !has_window(&s->dim[s->outer_rank]))
        s->planes *= s->dim[s->outer_rank++].in;
}

fl_status fl_prepare_select_and_scatter(const fl_program *program, fl_step *step, fl_arena *arena)
{
    const fl_operand *in = &step->inputs[0], *out = &step->outputs[0];
    const int keep = keep_of(step->op->regions[0]),
              kind = fl_window_combine_kind(program, step->op->regions[1]);
    if (in->rank == 0 || keep < 0 || kind < 0 || out->dtype != in->dtype) return FL_NO_KERNEL();
    scatter *s = FL_NEW(arena, scatter);
    if (!s) return FL_NO_MEMORY();
    s->pick = FL_ISA_PICK(fl_pick_row_find)(keep, (fl_dtype)in->dtype);
    s->combine = FL_ISA_PICK(fl_combine_find)((fl_combine_kind)kind, (fl_dtype)in->dtype);
    if (!s->pick || !s->combine.each) return FL_NO_KERNEL();
    s->element = (int64_t)fl_dtype_bytes((fl_dtype)in->dtype);
    read_dims(s, step);
    const fl_window_dim *last = &s->dim[s->rank - 1];
    if (fl_operand_elements(in) > INT32_MAX || last->stride > INT32_MAX / 2) return FL_NO_KERNEL();
    int64_t rows = 1, taps = 1;
    for (int i = s->outer_rank; i < s->rank; i++)
        taps *= s->dim[i].size, rows *= i < s->rank - 1 ? s->dim[i].out : 1;
    s->piece = has_window(last) || last->out <= 64 ? FL_MAX(last->out, 1) : 64;
    s->pieces = (last->out + s->piece - 1) / s->piece;
    if (fl_operand_elements(&step->inputs[1]) == 0) s->planes = 0;
    s->grain = 1 + 16384 / (s->piece * rows * taps + 1);
    step->data = s;
    step->run = run_scatter;
    step->cost = fl_step_traffic(step) + s->planes * last->out * rows * taps / 2;
    return NULL;
}
