/* Depthwise convolutions. A task takes some channels (whole vectors of them) of a band of rows of an image: stages the inputs as
 * [position][channel], and adds up the taps row by row. A weight gradient takes all rows of its channels, in order. */
#include "cpu/kernels/conv_depthwise.h"

#include "base/pool.h"

#include <string.h>

#define STAGE_BYTES (384 * 1024)
#define MOST_TAPS   1024

/* Input position of a tap for output q of a part: q * stride + shift. 0: none of the part's. */
static int shift_of(const fl_conv_dim *d, int64_t spacing, int64_t residue, int64_t tap, int64_t *out_shift)
{
    const int64_t x = tap * d->spread - d->low + (spacing > 1 ? residue : 0);
    *out_shift = fl_conv_floor_div(x, spacing);
    return *out_shift * spacing == x;
}

static int is_gradient(const fl_conv *c)
{
    return c->batch == 1 && c->dim[1].out * c->dim[2].out < c->dim[1].taps * c->dim[2].taps;
}

static int fits(const fl_conv *c)
{
    const fl_conv_dim *z = &c->dim[0], *y = &c->dim[1], *x = &c->dim[2];
    if (c->type->dtype != FL_F32 || !fl_gemm_packs(c->type, c->in_dtype) || z->in != 1 || z->out != 1 ||
        z->taps != 1 || z->low != 0 || c->groups < c->type->lanes / 2 || c->outputs != 1)
        return 0;
    if (is_gradient(c))
        return y->dilation == 1 && x->dilation == 1 && y->out * x->out <= MOST_TAPS && y->tap_stride >= 0 &&
               x->tap_stride >= 0 && fl_gemm_packs(c->type, c->kernel_dtype);
    return c->features == 1 && y->taps * x->taps <= MOST_TAPS && (y->stride == 1 || y->dilation == 1) &&
           (x->stride == 1 || x->dilation == 1) && x->out / (x->stride == 1 ? x->dilation : 1) >= 4;
}

static void find_extent(const fl_conv_dim *d, int64_t spacing, int64_t *low, int64_t *high)
{
    int any = 0;
    *low = *high = 0;
    for (int64_t r = 0; r < spacing; r++)
        for (int64_t t = 0; t < d->taps; t++) {
            int64_t s;
            if (!shift_of(d, spacing, r, t, &s)) continue;
            if (!any || s < *low) *low = s;
            if (!any || s > *high) *high = s;
            any = 1;
        }
}

static fl_status make_parts(const fl_conv *c, fl_depthwise *w, const int64_t *low, fl_arena *arena)
{
    const fl_conv_dim *y = &c->dim[1], *x = &c->dim[2];
    w->part_count = w->spacing[0] * w->spacing[1];
    w->parts = FL_NEW_ARRAY(arena, fl_depthwise_part, w->part_count);
    if (!w->parts) return FL_NO_MEMORY();
    for (int64_t i = 0; i < w->part_count; i++) {
        fl_depthwise_part *p = &w->parts[i];
        p->residue[0] = i / w->spacing[1], p->residue[1] = i % w->spacing[1];
        for (int d = 0; d < 2; d++)
            p->size[d] = FL_MAX(fl_div_up(c->dim[d + 1].out - p->residue[d], w->spacing[d]), 0);
        p->tap = FL_NEW_ARRAY(arena, int64_t, w->taps);
        p->offsets = FL_NEW_ARRAY(arena, int64_t, w->taps);
        if (!p->tap || !p->offsets) return FL_NO_MEMORY();
        for (int64_t t = 0; t < w->taps; t++) {
            int64_t row, column;
            if (!shift_of(y, w->spacing[0], p->residue[0], t / x->taps, &row) ||
                !shift_of(x, w->spacing[1], p->residue[1], t % x->taps, &column))
                continue;
            p->tap[p->taps] = t;
            p->offsets[p->taps++] = ((row - low[0]) * w->columns + column - low[1]) * w->in.step;
        }
    }
    return NULL;
}

static void choose_chunks(const fl_conv *c, fl_depthwise *w, int64_t most)
{
    w->chunk = FL_MIN(most, fl_round_up(c->groups, c->type->lanes));
    w->chunks = fl_div_up(c->groups, w->chunk);
    w->in.padded = w->in.step = w->out.padded = w->out.step = w->chunk;
}

static void choose_band(fl_depthwise *w, int64_t row_bytes, int64_t span)
{
    w->band = FL_MIN(FL_MAX(STAGE_BYTES / row_bytes, FL_MAX(1, 2 * span)), w->rows);
    w->bands = fl_div_up(w->rows, w->band);
    w->band = fl_div_up(w->rows, w->bands);
    w->stage_rows = (w->band - 1) * w->stride[0] + span + 1;
}

static size_t floats(int64_t n)
{
    return (size_t)fl_round_up((n + FL_PACK_SLACK) * 4, 64);
}

static fl_status plan_forward(fl_conv *c, fl_depthwise *w, fl_arena *arena)
{
    int64_t low[2], high[2];
    for (int i = 0; i < 2; i++) {
        w->spacing[i] = c->dim[i + 1].stride == 1 ? c->dim[i + 1].dilation : 1;
        w->stride[i] = c->dim[i + 1].stride;
        find_extent(&c->dim[i + 1], w->spacing[i], &low[i], &high[i]);
        w->in.low[i] = -low[i];
    }
    w->images = c->batch, w->in.image = c->in_batch;
    w->taps = c->dim[1].taps * c->dim[2].taps;
    w->rows = fl_div_up(c->dim[1].out, w->spacing[0]);
    w->columns = (fl_div_up(c->dim[2].out, w->spacing[1]) - 1) * w->stride[1] + high[1] - low[1] + 1;
    choose_chunks(c, w, 2 * c->type->lanes);
    choose_band(w, (w->stride[0] * w->columns + w->spacing[0] * c->dim[2].out) * w->chunk * 4,
                high[0] - low[0]);
    FL_TRY(make_parts(c, w, low, arena));
    w->weights_bytes = floats(2 * w->taps * w->chunk);
    w->stage_bytes = floats(w->stage_rows * w->columns * w->chunk);
    w->slice_bytes =
        w->weights_bytes + w->stage_bytes + floats(w->band * w->spacing[0] * c->dim[2].out * w->chunk);
    return NULL;
}

static fl_status plan_gradient(fl_conv *c, fl_depthwise *w, fl_arena *arena)
{
    const fl_conv_dim *y = &c->dim[1], *x = &c->dim[2];
    for (int i = 0; i < 2; i++) {
        w->stride[i] = c->dim[i + 1].spread, w->spacing[i] = 1;
        w->in.low[i] = c->dim[i + 1].low;
        w->out.size[i] = c->dim[i + 1].taps, w->out.stride[i] = c->dim[i + 1].tap_stride;
    }
    w->images = c->features, w->in.image = c->in_feature;
    w->out.dtype = c->kernel_dtype, w->out.channel = c->kernel_group, w->out.image = c->kernel_in;
    w->taps = y->out * x->out;
    w->rows = y->taps;
    w->columns = (x->taps - 1) * x->spread + (x->out - 1) * x->stride + 1;
    choose_chunks(c, w, 2 * c->type->lanes);
    choose_band(w, (w->stride[0] * w->columns + x->taps) * w->chunk * 4, (y->out - 1) * y->stride);
    w->parts = FL_NEW(arena, fl_depthwise_part);
    if (!w->parts) return FL_NO_MEMORY();
    w->parts->offsets = FL_NEW_ARRAY(arena, int64_t, w->taps);
    if (!w->parts->offsets) return FL_NO_MEMORY();
    for (int64_t t = 0; t < w->taps; t++)
        w->parts->offsets[t] = (t / x->out * y->stride * w->columns + t % x->out * x->stride) * w->in.step;
    w->weights_bytes = floats(w->taps * w->chunk);
    w->stage_bytes = floats(w->stage_rows * w->columns * w->chunk);
    w->slice_bytes = w->weights_bytes + w->stage_bytes + floats(w->band * x->taps * w->chunk);
    return NULL;
}

/* ---- running ---- */

typedef struct run {
    const fl_conv *c;
    const char *in, *kernel;
    char *out, *scratch;
} run;

/* Weights [tap][channel] of the channels from `first` on; those of a part in its order. */
static void load_weights(const run *r, int64_t first, int64_t n, float *to)
{
    const fl_conv *c = r->c;
    const fl_depthwise *w = c->depthwise;
    const int64_t bytes = (int64_t)fl_dtype_bytes(c->kernel_dtype);
    memset(to, 0, (size_t)(w->taps * w->chunk) * 4);
    for (int64_t t = 0; t < w->taps; t++) {
        const int64_t place = c->kernel_base + first * c->kernel_group +
                              t / c->dim[2].taps * c->dim[1].tap_stride +
                              t % c->dim[2].taps * c->dim[2].tap_stride;
        fl_gemm_load(to + t * w->chunk, FL_F32, r->kernel + place * bytes, c->kernel_dtype, c->kernel_group,
                     n);
    }
}

static void forward_task(const void *ctx, int64_t task, int slice)
{
    const run *r = ctx;
    const fl_conv *c = r->c;
    const fl_depthwise *w = c->depthwise;
    const int64_t band = task % w->bands, first = task / w->bands % w->chunks * w->chunk,
                  image = task / w->bands / w->chunks, n = FL_MIN(c->groups - first, w->chunk),
                  row = band * w->band, rows = FL_MIN(w->rows - row, w->band),
                  out_row = c->dim[2].out * w->chunk;
    float *weights = (float *)(r->scratch + (size_t)slice * w->slice_bytes),
          *picked = weights + w->taps * w->chunk, *stage = (float *)((char *)weights + w->weights_bytes),
          *results = (float *)((char *)stage + w->stage_bytes);
    load_weights(r, first, n, weights);
    fl_conv_side side = w->in;
    side.channels = n;
    fl_conv_stage(&side, c->type,
                  r->in + (image * w->in.image + first * c->in_group) * (int64_t)fl_dtype_bytes(c->in_dtype),
                  row * w->stride[0], w->stage_rows, w->columns, stage, NULL);
    for (int64_t i = 0; i < w->part_count; i++) {
        const fl_depthwise_part *p = &w->parts[i];
        for (int64_t t = 0; t < p->taps; t++)
            memcpy(picked + t * w->chunk, weights + p->tap[t] * w->chunk, (size_t)w->chunk * 4);
        for (int64_t q = 0; q < FL_MIN(rows, p->size[0] - row); q++)
            FL_ISA_PICK(fl_conv_table)
                ->depthwise(results + (q * w->spacing[0] + p->residue[0]) * out_row +
                                p->residue[1] * w->chunk,
                            w->spacing[1] * w->chunk, stage + q * w->stride[0] * w->columns * w->in.step,
                            w->stride[1] * w->in.step, p->offsets, picked, w->chunk, p->taps, p->size[1]);
    }
    fl_conv_store_rows(c, results, out_row, w->chunk, row * w->spacing[0], rows * w->spacing[0], n,
                       r->out + (image * c->out_batch + first * c->out_group) *
                                    (int64_t)fl_dtype_bytes(c->out_dtype));
}

static void gradient_task(const void *ctx, int64_t task, int slice)
{
    const run *r = ctx;
    const fl_conv *c = r->c;
    const fl_depthwise *w = c->depthwise;
    const int64_t first = task * w->chunk, n = FL_MIN(c->groups - first, w->chunk), across = c->dim[2].taps;
    float *sums = (float *)(r->scratch + (size_t)slice * w->slice_bytes),
          *stage = (float *)((char *)sums + w->weights_bytes),
          *gradient = (float *)((char *)stage + w->stage_bytes);
    fl_conv_side in = w->in, out = w->out;
    in.channels = out.channels = n;
    memset(sums, 0, (size_t)(w->taps * w->chunk) * 4);
    for (int64_t i = 0; i < w->images * w->bands; i++) {
        const int64_t image = i / w->bands, row = i % w->bands * w->band;
        fl_conv_stage(&in, c->type,
                      r->in + (image * in.image + first * c->in_group) * (int64_t)fl_dtype_bytes(in.dtype),
                      row * w->stride[0], w->stage_rows, w->columns, stage, NULL);
        fl_conv_stage(&out, c->type,
                      r->kernel + (c->kernel_base + image * out.image + first * c->kernel_group) *
                                      (int64_t)fl_dtype_bytes(out.dtype),
                      row, w->band, across, gradient, NULL);
        for (int64_t q = 0; q < FL_MIN(w->rows - row, w->band); q++)
            FL_ISA_PICK(fl_conv_table)
                ->depthwise_weights(sums, gradient + q * across * w->chunk,
                                    stage + q * w->stride[0] * w->columns * in.step, w->stride[1] * in.step,
                                    w->parts->offsets, w->chunk, w->taps, across);
    }
    const int64_t bytes = (int64_t)fl_dtype_bytes(c->out_dtype);
    for (int64_t t = 0; t < w->taps; t++)
        fl_conv_store(c,
                      r->out + (first * c->out_group + t / c->dim[2].out * c->dim[1].out_stride +
                                t % c->dim[2].out * c->dim[2].out_stride) *
                                   bytes,
                      c->out_group, (const char *)(sums + t * w->chunk), n);
}

static fl_status run_depthwise(const fl_step *step, void *const *slots)
{
    const fl_conv *c = step->data;
    const fl_depthwise *w = c->depthwise;
    const run r = {c, fl_operand_pointer(&step->inputs[0], slots),
                   fl_operand_pointer(&step->inputs[1], slots), fl_operand_pointer(&step->outputs[0], slots),
                   slots[step->scratch_slot]};
    if (is_gradient(c))
        fl_for_tasks(w->chunks, w->slices, gradient_task, &r);
    else
        fl_for_tasks(w->images * w->chunks * w->bands, w->slices, forward_task, &r);
    return NULL;
}

fl_status fl_depthwise_plan(fl_conv *c, fl_step *step, fl_arena *arena)
{
    if (!fits(c)) return NULL;
    fl_depthwise *w = FL_NEW(arena, fl_depthwise);
    if (!w) return FL_NO_MEMORY();
    w->in.dtype = c->in_dtype, w->in.channel = c->in_group;
    for (int i = 0; i < 2; i++) w->in.size[i] = c->dim[i + 1].in, w->in.stride[i] = c->dim[i + 1].in_stride;
    const int gradient = is_gradient(c);
    FL_TRY(gradient ? plan_gradient(c, w, arena) : plan_forward(c, w, arena));
    const double work =
        (double)w->images * (double)w->chunks * (double)w->rows * (double)w->columns * (double)(w->taps + 10);
    w->slices = fl_task_slices(gradient ? w->chunks : w->images * w->chunks * w->bands, work);
    c->depthwise = w;
    step->scratch_bytes = w->slice_bytes * (size_t)w->slices;
    step->run = run_depthwise;
    return NULL;
}
