/* Weight gradients by Winograd's algorithm. The convolution is given with images as features: input channels are its batch, and
 * the gradient of the output is its kernel. Tiles of 4x4 output gradients and of the 6x6 inputs that they saw are transformed,
 * and at each of the 36 points the sum over tiles of their products is a matrix product. Groups of tile rows come one after
 * another and are added in order, so that sums do not depend on the number of threads. */
#include "base/pool.h"
#include "cpu/kernels/conv_winograd.h"

#include <string.h>

#define GROUP_BYTES  (1280 * 1024) /* of a group: tiles of both sides at all points */
#define ROWS_OF_TASK 56            /* of the products at a point */
#define K_BLOCK      64            /* tiles of a partial sum */

fl_status fl_winograd_weights_plan(fl_conv *c, fl_arena *arena, size_t *out_scratch)
{
    fl_winograd *w = c->winograd = FL_NEW(arena, fl_winograd);
    if (!w) return FL_NO_MEMORY();
    const int64_t lanes = c->type->lanes;
    w->code = FL_ISA_PICK(fl_conv_table);
    w->images = c->features;
    w->in = (fl_conv_side){.dtype = c->in_dtype,
                           .channels = c->batch,
                           .padded = fl_round_up(c->batch, lanes),
                           .step = fl_round_up(c->batch, lanes),
                           .channel = c->in_batch,
                           .image = c->in_feature};
    w->out = (fl_conv_side){.dtype = c->kernel_dtype,
                            .channels = c->outputs,
                            .padded = fl_round_up(c->outputs, lanes),
                            .step = fl_round_up(c->outputs, lanes),
                            .channel = c->kernel_out,
                            .image = c->kernel_in};
    for (int i = 0; i < 2; i++) {
        const fl_conv_dim *d = &c->dim[i + 1];
        w->in.size[i] = d->in, w->in.stride[i] = d->in_stride, w->in.low[i] = d->low;
        w->out.size[i] = d->taps, w->out.stride[i] = d->tap_stride;
        w->tiles[i] = fl_div_up(d->taps, FL_WINOGRAD_TILE);
    }
    w->in_step = fl_conv_step(w->in.padded, lanes);
    w->out_step = fl_conv_step(w->out.padded, lanes);
    fl_winograd_group(w, FL_WINOGRAD_POINTS * (w->in_step + w->out_step) * 4, GROUP_BYTES, 1);
    const int64_t tiles = w->group_tile_rows * w->tiles[1];
    w->in_plane = tiles * w->in_step + lanes;
    w->out_plane = tiles * w->out_step + lanes;
    /* a task of transforms takes one row of tiles */
    const int64_t across = w->tiles[1] * FL_WINOGRAD_TILE,
                  stage = FL_MAX(6 * (across + 2) * w->in.padded, 4 * across * w->out.padded) + FL_PACK_SLACK;
    w->stage_bytes = (size_t)fl_round_up(stage * 4, 64);
    w->in_bytes = (size_t)(FL_WINOGRAD_POINTS * w->in_plane * 4);
    w->out_bytes = (size_t)(FL_WINOGRAD_POINTS * w->out_plane * 4);
    w->result_bytes = (size_t)(FL_WINOGRAD_POINTS * c->outputs * w->in.padded * 4);
    w->slice_bytes = FL_MAX(w->stage_bytes, (size_t)(9 * w->in.padded * 4));
    w->shared_bytes = w->in_bytes + w->out_bytes + w->result_bytes;
    w->slices = fl_task_slices(FL_WINOGRAD_POINTS, 1e6);
    *out_scratch = w->shared_bytes + (size_t)w->slices * w->slice_bytes;
    return NULL;
}

typedef struct run {
    const fl_conv *c;
    const char *in, *kernel;
    char *out, *scratch;
    float *in_planes, *out_planes, *sums; /* sums: [point][output][input channel] */
    int64_t group, first_row, rows;       /* what is worked on */
    atomic_int rough;
} run;

/* One row of tiles: both sides to the points. */
static void transform_task(const void *ctx, int64_t task, int slice)
{
    run *r = (run *)(uintptr_t)ctx;
    const fl_conv *c = r->c;
    const fl_winograd *w = c->winograd;
    const int64_t image = (r->first_row + task) / w->tiles[0], row = (r->first_row + task) % w->tiles[0],
                  first = row * FL_WINOGRAD_TILE, across = w->tiles[1] * FL_WINOGRAD_TILE,
                  tile = task * w->tiles[1];
    const int64_t step = w->in.padded, out_step = w->out.padded;
    float *stage = (float *)(r->scratch + (size_t)slice * w->slice_bytes);
    fl_conv_stage(&w->in, c->type,
                  r->in +
                      (image * w->in.image + r->group * c->in_group) * (int64_t)fl_dtype_bytes(c->in_dtype),
                  first, 6, across + 2, stage, &r->rough);
    for (int64_t i = 0; i < w->tiles[1]; i++)
        w->code->input(r->in_planes + (tile + i) * w->in_step, w->in_plane,
                       stage + i * FL_WINOGRAD_TILE * step, (across + 2) * step, step, step);
    fl_conv_stage(&w->out, c->type,
                  r->kernel + (c->kernel_base + image * w->out.image + r->group * c->kernel_group) *
                                  (int64_t)fl_dtype_bytes(c->kernel_dtype),
                  first, 4, across, stage, &r->rough);
    for (int64_t i = 0; i < w->tiles[1]; i++)
        w->code->gradient(r->out_planes + (tile + i) * w->out_step, w->out_plane,
                          stage + i * FL_WINOGRAD_TILE * out_step, across * out_step, out_step, out_step);
}

static int64_t blocks(const fl_conv *c)
{
    return fl_div_up(c->outputs, ROWS_OF_TASK / c->type->mr * c->type->mr);
}

/* Adds the products of the group's tiles for some outputs at one point. */
static void multiply_task(const void *ctx, int64_t task, int slice)
{
    (void)slice;
    const run *r = ctx;
    const fl_conv *c = r->c;
    const fl_winograd *w = c->winograd;
    const fl_gemm_type *t = c->type;
    const int64_t point = task / blocks(c), block = ROWS_OF_TASK / t->mr * t->mr,
                  first = task % blocks(c) * block, end = FL_MIN(first + block, c->outputs),
                  height = fl_div_up(end - first, fl_div_up(end - first, t->mr)), width = w->in.padded;
    const int64_t tiles = r->rows * w->tiles[1];
    for (int64_t k = 0; k < tiles; k += K_BLOCK)
        for (int64_t j = 0; j < width; j += t->nr)
            for (int64_t i = first; i < end; i += height) {
                const fl_tile tile = {.a = r->out_planes + point * w->out_plane + k * w->out_step + i,
                                      .a_row = 1,
                                      .a_step = w->out_step,
                                      .b = r->in_planes + point * w->in_plane + k * w->in_step + j,
                                      .b_step = w->in_step,
                                      .b_second = t->lanes,
                                      .c = r->sums + (point * c->outputs + i) * width + j,
                                      .c_row = width,
                                      .kc = FL_MIN(tiles - k, K_BLOCK),
                                      .accumulate = r->first_row + k > 0,
                                      .last = t->lanes};
                t->tile[width - j > t->lanes][FL_MIN(end - i, height) - 1](&tile);
            }
}

/* The weights of one output. */
static void store_task(const void *ctx, int64_t task, int slice)
{
    const run *r = ctx;
    const fl_conv *c = r->c;
    const fl_winograd *w = c->winograd;
    const int64_t bytes = (int64_t)fl_dtype_bytes(c->out_dtype), width = w->in.padded;
    float *weights = (float *)(r->scratch + (size_t)slice * w->slice_bytes);
    w->code->weight_gradient(weights, width, r->sums + task * width, c->outputs * width, width);
    char *out = r->out + (r->group * c->out_group + task * c->out_feature) * bytes;
    for (int64_t i = 0; i < 9; i++)
        fl_conv_store(c, out + (i / 3 * c->dim[1].out_stride + i % 3 * c->dim[2].out_stride) * bytes,
                      c->out_batch, (const char *)(weights + i * width), c->batch);
}

fl_status fl_winograd_weights_run(const fl_step *step, void *const *slots)
{
    const fl_conv *c = step->data;
    const fl_winograd *w = c->winograd;
    char *scratch = slots[step->scratch_slot];
    run r = {.c = c,
             .in = fl_operand_pointer(&step->inputs[0], slots),
             .kernel = fl_operand_pointer(&step->inputs[1], slots),
             .out = fl_operand_pointer(&step->outputs[0], slots),
             .scratch = scratch + w->shared_bytes,
             .in_planes = (float *)scratch,
             .out_planes = (float *)(scratch + w->in_bytes),
             .sums = (float *)(scratch + w->in_bytes + w->out_bytes)};
    const int64_t all = w->images * w->tiles[0];
    for (; r.group < c->groups; r.group++) {
        for (r.first_row = 0; r.first_row < all; r.first_row += w->group_tile_rows) {
            r.rows = FL_MIN(w->group_tile_rows, all - r.first_row);
            fl_for_tasks(r.rows, (int)FL_MIN(r.rows, w->slices), transform_task, &r);
            if (atomic_load_explicit(&r.rough, memory_order_relaxed)) return c->direct_run(step, slots);
            fl_for_tasks(FL_WINOGRAD_POINTS * blocks(c), w->slices, multiply_task, &r);
        }
        fl_for_tasks(c->outputs, (int)FL_MIN(c->outputs, w->slices), store_task, &r);
    }
    return NULL;
}
