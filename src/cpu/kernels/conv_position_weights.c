/* Weight gradients by position. The convolution is given with images as features: input channels are its batch, and the gradient of
 * the output is its kernel. Both are staged as [position][channel]; then for each tap the sum over positions is a matrix
 * product, whose rows of inputs lie at a list of offsets, shifted by the tap. Groups of rows come one after another and are added
 * in order, so that sums do not depend on the number of threads. */
#include "base/pool.h"
#include "cpu/kernels/conv_position.h"

#include <string.h>

#define GROUP_BYTES  (768 * 1024)      /* of staged rows that are multiplied together, at least */
#define GROUP_MOST   (4 * 1024 * 1024) /* where the sums that they are added to are large */
#define MOST_OFFSETS 8192
#define K_BLOCK      192 /* positions of a partial sum */
#define ROWS_OF_TASK 56  /* of the sums of a tap */

static int is_plain(const fl_conv_dim *d)
{
    return d->dilation == 1 && d->tap_stride >= 0;
}

int fl_position_weights_fit(const fl_conv *c)
{
    const fl_conv_dim *z = &c->dim[0], *y = &c->dim[1], *x = &c->dim[2];
    return c->type->dtype == FL_F32 && fl_gemm_packs(c->type, c->in_dtype) &&
           fl_gemm_packs(c->type, c->kernel_dtype) && z->in == 1 && z->out == 1 && z->taps == 1 &&
           z->low == 0 && is_plain(y) && is_plain(x) && c->outputs >= c->type->lanes &&
           x->taps <= MOST_OFFSETS && y->taps * x->taps > y->out * x->out &&
           (c->batch >= c->type->lanes / 2 || x->stride == 1);
}

static void choose_band(fl_conv_position *p, const fl_conv *c)
{
    const fl_conv_dim *y = &c->dim[1], *x = &c->dim[2];
    const int64_t row = (y->spread * p->columns * p->in.step + x->taps * p->out.step) * 4;
    const int64_t sums = p->tap_count * c->outputs * p->width * 4,
                  bytes = FL_MIN(FL_MAX(sums, GROUP_BYTES), GROUP_MOST);
    const int64_t rows = FL_MAX(FL_MIN(bytes / row, MOST_OFFSETS / x->taps), 1);
    /* a quarter of a group is a unit, for the threads */
    p->band = FL_MIN(FL_MAX(rows / 4, 1), y->taps);
    p->bands = fl_div_up(y->taps, p->band);
    p->band = fl_div_up(y->taps, p->bands);
    p->stage_rows = (p->band - 1) * y->spread + (y->out - 1) * y->stride + 1;
    p->in_unit =
        fl_round_up(p->stage_rows * p->columns * p->in.step + FL_PACK_SLACK + 2 * c->type->lanes, 16);
    p->positions = p->band * x->taps;
    p->out_unit = p->positions * p->out.step;
    p->units = FL_MAX(FL_MIN(bytes / ((p->in_unit + p->out_unit) * 4), MOST_OFFSETS / p->positions), 1);
    p->units = FL_MIN(p->units, p->images * p->bands);
}

fl_status fl_position_weights_plan(fl_conv *c, fl_arena *arena, size_t *out_scratch)
{
    fl_conv_position *p = c->position = FL_NEW(arena, fl_conv_position);
    if (!p) return FL_NO_MEMORY();
    const int64_t lanes = c->type->lanes, channels = fl_round_up(c->batch, lanes),
                  outputs = fl_round_up(c->outputs, lanes);
    const fl_conv_dim *y = &c->dim[1], *x = &c->dim[2];
    p->images = c->features;
    /* only of less than a vector: what a copy writes beyond a position is overwritten by the next one */
    p->merged =
        x->stride == 1 && c->batch < lanes && fl_round_up(x->out * c->batch, lanes) < x->out * channels;
    p->tap_count = y->out * (p->merged ? 1 : x->out);
    p->width = p->merged ? fl_round_up(x->out * c->batch, lanes) : channels;
    p->in = (fl_conv_side){.dtype = c->in_dtype,
                           .channels = c->batch,
                           .padded = channels,
                           .step = p->merged ? c->batch : fl_conv_step(channels, lanes),
                           .channel = c->in_batch,
                           .image = c->in_feature};
    p->out = (fl_conv_side){.dtype = c->kernel_dtype,
                            .channels = c->outputs,
                            .padded = outputs,
                            .step = fl_conv_step(outputs, lanes),
                            .channel = c->kernel_out,
                            .image = c->kernel_in};
    for (int i = 0; i < 2; i++) {
        const fl_conv_dim *d = &c->dim[i + 1];
        p->in.size[i] = d->in, p->in.stride[i] = d->in_stride, p->in.low[i] = d->low;
        p->out.size[i] = d->taps, p->out.stride[i] = d->tap_stride;
    }
    p->columns = (x->taps - 1) * x->spread + (x->out - 1) * x->stride + 1;
    choose_band(p, c);
    p->offsets = FL_NEW_ARRAY(arena, int64_t, p->units * p->positions);
    if (!p->offsets) return FL_NO_MEMORY();
    for (int64_t i = 0; i < p->units * p->positions; i++) {
        const int64_t unit = i / p->positions, row = i % p->positions / x->taps, column = i % x->taps;
        p->offsets[i] = unit * p->in_unit + (row * y->spread * p->columns + column * x->spread) * p->in.step;
    }
    p->stage_bytes = (size_t)(p->units * p->in_unit * 4);
    p->result_bytes = (size_t)fl_round_up((p->units * p->out_unit + FL_PACK_SLACK) * 4, 64);
    p->shared_bytes = (size_t)fl_round_up(p->tap_count * c->outputs * p->width * 4, 64);
    p->slices = fl_task_slices(64, 1e6);
    *out_scratch = p->stage_bytes + p->result_bytes + p->shared_bytes;
    return NULL;
}

typedef struct run {
    const fl_conv *c;
    const char *in, *kernel;
    char *out;
    float *inputs, *outputs, *sums; /* staged units; [tap][output][width] */
    int64_t group, first, units;    /* what is worked on */
} run;

static void stage_task(const void *ctx, int64_t task, int slice)
{
    (void)slice;
    const run *r = ctx;
    const fl_conv *c = r->c;
    const fl_conv_position *p = c->position;
    const int64_t image = (r->first + task) / p->bands, row = (r->first + task) % p->bands * p->band;
    float *to = r->inputs + task * p->in_unit;
    fl_conv_stage(&p->in, c->type,
                  r->in +
                      (image * p->in.image + r->group * c->in_group) * (int64_t)fl_dtype_bytes(c->in_dtype),
                  row * c->dim[1].spread, p->stage_rows, p->columns, to, NULL);
    /* read with the last positions, and multiplied by what is not stored */
    memset(to + p->stage_rows * p->columns * p->in.step, 0, (size_t)(2 * c->type->lanes) * 4);
    fl_conv_stage(&p->out, c->type,
                  r->kernel + (c->kernel_base + image * p->out.image + r->group * c->kernel_group) *
                                  (int64_t)fl_dtype_bytes(c->kernel_dtype),
                  row, p->band, c->dim[2].taps, r->outputs + task * p->out_unit, NULL);
}

static int64_t blocks(const fl_conv *c)
{
    return fl_div_up(c->outputs, ROWS_OF_TASK / c->type->mr * c->type->mr);
}

static int64_t panels(const fl_conv *c)
{
    return fl_div_up(c->position->width, c->type->nr);
}

/* Adds the products of the group's positions: one tap, some outputs, a panel of channels. */
static void multiply_task(const void *ctx, int64_t task, int slice)
{
    (void)slice;
    const run *r = ctx;
    const fl_conv *c = r->c;
    const fl_conv_position *p = c->position;
    const fl_gemm_type *t = c->type;
    const int64_t tap = task / blocks(c) / panels(c), j = task / blocks(c) % panels(c) * t->nr,
                  block = ROWS_OF_TASK / t->mr * t->mr, first = task % blocks(c) * block,
                  end = FL_MIN(first + block, c->outputs),
                  height = fl_div_up(end - first, fl_div_up(end - first, t->mr));
    const int64_t row = p->merged ? tap : tap / c->dim[2].out, column = p->merged ? 0 : tap % c->dim[2].out;
    const float *inputs =
        r->inputs + j + (row * c->dim[1].stride * p->columns + column * c->dim[2].stride) * p->in.step;
    const int64_t depth = r->units * p->positions;
    for (int64_t k = 0; k < depth; k += K_BLOCK)
        for (int64_t i = first; i < end; i += height) {
            const fl_tile tile = {.a = r->outputs + k * p->out.step + i,
                                  .a_row = 1,
                                  .a_step = p->out.step,
                                  .b = inputs,
                                  .b_second = t->lanes,
                                  .offsets = p->offsets + k,
                                  .c = r->sums + (tap * c->outputs + i) * p->width + j,
                                  .c_row = p->width,
                                  .kc = FL_MIN(depth - k, K_BLOCK),
                                  .accumulate = r->first + k > 0,
                                  .last = t->lanes};
            t->offset[p->width - j > t->lanes][FL_MIN(end - i, height) - 1](&tile);
        }
}

/* The weights of one output. */
static void store_task(const void *ctx, int64_t task, int slice)
{
    (void)slice;
    const run *r = ctx;
    const fl_conv *c = r->c;
    const fl_conv_position *p = c->position;
    const int64_t bytes = (int64_t)fl_dtype_bytes(c->out_dtype), across = c->dim[2].out;
    char *out = r->out + (r->group * c->out_group + task * c->out_feature) * bytes;
    for (int64_t i = 0; i < c->dim[1].out * across; i++) {
        const int64_t tap = p->merged ? i / across : i, begin = p->merged ? i % across * c->batch : 0;
        fl_conv_store(
            c, out + (i / across * c->dim[1].out_stride + i % across * c->dim[2].out_stride) * bytes,
            c->out_batch, (const char *)(r->sums + (tap * c->outputs + task) * p->width + begin), c->batch);
    }
}

fl_status fl_position_weights(const fl_step *step, void *const *slots)
{
    const fl_conv *c = step->data;
    const fl_conv_position *p = c->position;
    char *scratch = slots[step->scratch_slot];
    run r = {.c = c,
             .in = fl_operand_pointer(&step->inputs[0], slots),
             .kernel = fl_operand_pointer(&step->inputs[1], slots),
             .out = fl_operand_pointer(&step->outputs[0], slots),
             .inputs = (float *)scratch,
             .outputs = (float *)(scratch + p->stage_bytes),
             .sums = (float *)(scratch + p->stage_bytes + p->result_bytes)};
    const int64_t all = p->images * p->bands;
    for (; r.group < c->groups; r.group++) {
        for (r.first = 0; r.first < all; r.first += p->units) {
            r.units = FL_MIN(p->units, all - r.first);
            fl_for_tasks(r.units, (int)FL_MIN(r.units, p->slices), stage_task, &r);
            const int64_t tasks = p->tap_count * blocks(c) * panels(c);
            fl_for_tasks(tasks, (int)FL_MIN(tasks, p->slices), multiply_task, &r);
        }
        fl_for_tasks(c->outputs, (int)FL_MIN(c->outputs, p->slices), store_task, &r);
    }
    return NULL;
}
