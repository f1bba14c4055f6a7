/* Forward convolutions and input gradients by Winograd's algorithm. A task takes some rows of tiles: brings their inputs to
 * [position][channel], transforms them, and for each block of output channels multiplies at the 36 points, transforms back
 * and stores. What each output is computed from does not depend on how the rows are cut into tasks. */
#include "base/pool.h"
#include "base/switches.h"
#include "cpu/kernels/conv_winograd.h"

#include <string.h>

#define K_BLOCK      64            /* of a sum: short partial sums make up for what the transforms lose */
#define GROUP_BYTES  (1024 * 1024) /* of a task: tiles at all points, about half the L2 cache */
#define FEW_TILES    56            /* of a task at least: four tiles of registers for each load of weights */
#define MOST_WEIGHTS (48 * 1024 * 1024)

void fl_winograd_group(fl_winograd *w, int64_t bytes_of_tile, int64_t bytes, int64_t parts)
{
    int64_t tiles = FL_MAX(bytes / bytes_of_tile, FEW_TILES);
    int64_t rows = FL_MAX(tiles / w->tiles[1], 1);
    rows = FL_MIN(rows, fl_div_up(w->images * w->tiles[0], parts));
    /* whole images, or parts of an image about equally long: fewer rows are read twice */
    w->group_tile_rows = rows > w->tiles[0] ? rows / w->tiles[0] * w->tiles[0]
                                            : fl_div_up(w->tiles[0], fl_div_up(w->tiles[0], rows));
}

/* ---- planning ---- */

static int is_flat(const fl_conv_dim *d)
{
    return d->in == 1 && d->out == 1 && d->taps == 1 && d->low == 0;
}

static int is_plain(const fl_conv_dim *d)
{
    return d->stride == 1 && d->dilation == 1 && d->spread == 1;
}

static int takes(const fl_conv *c)
{
    return c->type->dtype == FL_F32 && fl_gemm_packs(c->type, c->in_dtype) &&
           fl_gemm_packs(c->type, c->kernel_dtype) && is_flat(&c->dim[0]) && is_plain(&c->dim[1]) &&
           is_plain(&c->dim[2]) && c->accurate == 0 && !fl_is_disabled("winograd") && !fl_is_disabled("conv");
}

/* Work, measured in multiply-adds of vectors, of bringing a vector of channels of one tile to the points and back. */
#define TILE_IN_WORK  420.0
#define TILE_OUT_WORK 330.0
/* Of a vector of weights or their gradients: less where they stay in the cache. */
#define WEIGHT_WORK(bytes) ((bytes) > 3e6 ? 2000.0 : 340.0)

/* Three taps, none of whose windows is all padding: that is exactly 0, which sums of differences are not. */
static int sees_input(const fl_conv_dim *d)
{
    return d->taps == 3 && d->low <= 2 && d->out - d->low - d->in <= 0;
}

int fl_winograd_fits(const fl_conv *c, double direct)
{
    if (!takes(c) || !sees_input(&c->dim[1]) || !sees_input(&c->dim[2])) return 0;
    const double tiles = (double)fl_div_up(c->dim[1].out, FL_WINOGRAD_TILE) *
                         (double)fl_div_up(c->dim[2].out, FL_WINOGRAD_TILE) * (double)c->batch;
    const double ins = (double)fl_div_up(c->features, c->type->lanes),
                 outs = (double)fl_div_up(c->outputs, c->type->lanes);
    const double weights = FL_WINOGRAD_POINTS * 4.0 * (double)c->features * outs * c->type->lanes;
    const double work = tiles * (FL_WINOGRAD_POINTS * 1.05 * (double)c->features * outs + TILE_IN_WORK * ins +
                                 TILE_OUT_WORK * outs) +
                        WEIGHT_WORK(weights) * (double)c->features * outs;
    return weights * (double)c->groups <= MOST_WEIGHTS && direct > 2e4 &&
           work * (double)c->groups < 0.9 * direct;
}

int fl_winograd_weights_fit(const fl_conv *c, double direct)
{
    if (!takes(c) || c->dim[1].out != 3 || c->dim[2].out != 3) return 0;
    const double tiles = (double)fl_div_up(c->dim[1].taps, FL_WINOGRAD_TILE) *
                         (double)fl_div_up(c->dim[2].taps, FL_WINOGRAD_TILE) * (double)c->features;
    const double ins = (double)fl_div_up(c->batch, c->type->lanes),
                 outs = (double)fl_div_up(c->outputs, c->type->lanes);
    const double results = FL_WINOGRAD_POINTS * 4.0 * (double)c->outputs * ins * c->type->lanes;
    const double work = tiles * (FL_WINOGRAD_POINTS * 1.1 * (double)c->outputs * ins + TILE_IN_WORK * ins +
                                 TILE_OUT_WORK * outs) +
                        WEIGHT_WORK(results) * (double)c->outputs * ins;
    return results <= MOST_WEIGHTS && direct > 2e4 && work * (double)c->groups < 0.9 * direct;
}

static int64_t panels(const fl_conv *c)
{
    return fl_div_up(c->outputs, c->type->nr);
}

static int64_t panel_width(const fl_conv *c, int64_t panel)
{
    return c->outputs - panel * c->type->nr > c->type->lanes ? c->type->nr : c->type->lanes;
}

/* Weights of one point of a panel. A power of two would put all points into the same sets of the cache. */
static int64_t point_elements(const fl_conv *c, int64_t width)
{
    return c->features * width + c->type->lanes;
}

static int64_t panel_elements(const fl_conv *c)
{
    return FL_WINOGRAD_POINTS * point_elements(c, c->type->nr);
}

fl_status fl_winograd_plan(fl_conv *c, fl_arena *arena, size_t *out_scratch)
{
    fl_winograd *w = c->winograd = FL_NEW(arena, fl_winograd);
    if (!w) return FL_NO_MEMORY();
    const int64_t lanes = c->type->lanes;
    w->code = FL_ISA_PICK(fl_conv_table);
    w->images = c->batch;
    w->in = (fl_conv_side){.dtype = c->in_dtype,
                           .channels = c->features,
                           .padded = fl_round_up(c->features, lanes),
                           .step = fl_round_up(c->features, lanes),
                           .channel = c->in_feature,
                           .image = c->in_batch};
    for (int i = 0; i < 2; i++) {
        const fl_conv_dim *d = &c->dim[i + 1];
        w->in.size[i] = d->in, w->in.stride[i] = d->in_stride, w->in.low[i] = d->low;
        w->tiles[i] = fl_div_up(d->out, FL_WINOGRAD_TILE);
    }
    w->block = FL_MIN(2 * c->type->nr, fl_round_up(c->outputs, lanes));
    w->in_step = fl_conv_step(w->in.padded, lanes);
    w->out_step = w->block;
    const int64_t results = FL_WINOGRAD_TILE * FL_WINOGRAD_TILE * w->block;
    fl_winograd_group(w, (FL_WINOGRAD_POINTS * (w->in_step + w->out_step) + results) * 4, GROUP_BYTES,
                      2 * fl_pool_threads());
    const int64_t rows = FL_MIN(w->group_tile_rows, w->tiles[0]), across = w->tiles[1],
                  tiles = w->group_tile_rows * across;
    w->in_plane = tiles * w->in_step + lanes;
    w->out_plane = tiles * w->out_step + lanes;
    w->stage_bytes =
        (size_t)fl_round_up(((rows * 4 + 2) * (across * 4 + 2) * w->in.padded + FL_PACK_SLACK) * 4, 64);
    w->result_bytes = (size_t)(rows * across * results * 4);
    w->in_bytes = (size_t)(FL_WINOGRAD_POINTS * w->in_plane * 4);
    w->out_bytes = (size_t)(FL_WINOGRAD_POINTS * w->out_plane * 4);
    w->shared_bytes = (size_t)(panel_elements(c) * panels(c) * c->groups * 4);
    size_t slice = w->stage_bytes + w->result_bytes + w->in_bytes + w->out_bytes;
    const size_t packed =
        (size_t)fl_round_up((9 * c->features * c->type->nr + 2 * FL_PACK_SLACK + lanes) * 4, 64);
    w->slice_bytes = FL_MAX(slice, packed);
    const int64_t tasks = c->groups * fl_div_up(w->images * w->tiles[0], w->group_tile_rows);
    w->slices = fl_task_slices(FL_MAX(tasks, 2), 1e6);
    *out_scratch = w->shared_bytes + (size_t)w->slices * w->slice_bytes;
    return NULL;
}

/* ---- running ---- */

typedef struct run {
    const fl_conv *c;
    const char *in, *kernel;
    char *out, *scratch; /* of the slices */
    float *weights;      /* [group][panel][point][feature][output] */
    atomic_int rough;
} run;

static void weights_task(const void *ctx, int64_t task, int slice)
{
    run *r = (run *)(uintptr_t)ctx;
    const fl_conv *c = r->c;
    const fl_winograd *w = c->winograd;
    const int64_t panel = task % panels(c), group = task / panels(c), first = panel * c->type->nr,
                  rows = FL_MIN(c->outputs - first, c->type->nr), width = panel_width(c, panel);
    float *packed = (float *)(r->scratch + (size_t)slice * w->slice_bytes),
          *to = r->weights + task * panel_elements(c);
    fl_conv_weights_by_tap(c, packed, c->features * width, width, r->kernel, group * c->outputs + first,
                           rows);
    if (w->code->largest(packed, 9 * c->features * width) > FL_CONV_ROUGH)
        atomic_store_explicit(&r->rough, 1, memory_order_relaxed);
    for (int64_t f = 0; f < c->features; f++)
        w->code->weights(to + f * width, point_elements(c, width), packed + f * width, c->features * width,
                         width);
}

/* Products of `tiles` tiles with the panels of a block at all points. */
static void multiply(const fl_conv *c, const float *in, const float *weights, int64_t tiles,
                     int64_t first_panel, int64_t width, float *out)
{
    const fl_winograd *w = c->winograd;
    const fl_gemm_type *t = c->type;
    const int64_t height = fl_div_up(tiles, fl_div_up(tiles, t->mr)), features = c->features;
    for (int64_t p = 0; p < FL_WINOGRAD_POINTS; p++)
        for (int64_t k = 0; k < features; k += K_BLOCK)
            for (int64_t i = 0; i < tiles; i += height) {
                const int64_t rows = FL_MIN(tiles - i, height);
                for (int64_t j = 0; j < width; j += t->nr) {
                    const int64_t panel = first_panel + j / t->nr, columns = panel_width(c, panel);
                    const fl_tile tile = {.a = in + p * w->in_plane + i * w->in_step + k,
                                          .a_row = w->in_step,
                                          .a_step = 1,
                                          .b = weights + panel * panel_elements(c) +
                                               p * point_elements(c, columns) + k * columns,
                                          .b_step = columns,
                                          .b_second = t->lanes,
                                          .c = out + p * w->out_plane + i * width + j,
                                          .c_row = width,
                                          .kc = FL_MIN(features - k, K_BLOCK),
                                          .accumulate = k > 0,
                                          .last = t->lanes};
                    t->tile[columns > t->lanes][rows - 1](&tile);
                }
            }
}

static void transform_inputs(run *r, fl_conv_rows at, int64_t group, float *stage, float *in)
{
    const fl_conv *c = r->c;
    const fl_winograd *w = c->winograd;
    const int64_t columns = w->tiles[1] * FL_WINOGRAD_TILE + 2, step = w->in.padded,
                  bytes = (int64_t)fl_dtype_bytes(c->in_dtype);
    while (fl_conv_next_rows(w->tiles[0], &at)) {
        fl_conv_stage(&w->in, c->type, r->in + (at.image * c->in_batch + group * c->in_group) * bytes,
                      at.row * FL_WINOGRAD_TILE, at.count * FL_WINOGRAD_TILE + 2, columns, stage, &r->rough);
        for (int64_t i = 0; i < at.count * w->tiles[1]; i++)
            w->code->input(in + (at.before * w->tiles[1] + i) * w->in_step, w->in_plane,
                           stage + (i / w->tiles[1] * columns + i % w->tiles[1]) * FL_WINOGRAD_TILE * step,
                           columns * step, step, step);
    }
}

static void transform_outputs(const run *r, fl_conv_rows at, int64_t group, int64_t first, int64_t width,
                              const float *out, float *results)
{
    const fl_conv *c = r->c;
    const fl_winograd *w = c->winograd;
    const int64_t columns = w->tiles[1] * FL_WINOGRAD_TILE, bytes = (int64_t)fl_dtype_bytes(c->out_dtype);
    while (fl_conv_next_rows(w->tiles[0], &at)) {
        for (int64_t i = 0; i < at.count * w->tiles[1]; i++)
            w->code->output(
                results + (i / w->tiles[1] * columns + i % w->tiles[1]) * FL_WINOGRAD_TILE * width,
                columns * width, width, out + (at.before * w->tiles[1] + i) * width, w->out_plane, width);
        fl_conv_store_rows(
            c, results, columns * width, width, at.row * FL_WINOGRAD_TILE, at.count * FL_WINOGRAD_TILE,
            FL_MIN(c->outputs - first, w->block),
            r->out + (at.image * c->out_batch + group * c->out_group + first * c->out_feature) * bytes);
    }
}

static void run_task(const void *ctx, int64_t task, int slice)
{
    run *r = (run *)(uintptr_t)ctx;
    const fl_conv *c = r->c;
    const fl_winograd *w = c->winograd;
    const int64_t group = task % c->groups, all = w->images * w->tiles[0];
    fl_conv_rows at = {.at = task / c->groups * w->group_tile_rows};
    at.end = FL_MIN(at.at + w->group_tile_rows, all);
    char *scratch = r->scratch + (size_t)slice * w->slice_bytes;
    float *stage = (float *)scratch, *results = (float *)(scratch + w->stage_bytes),
          *in = (float *)(scratch + w->stage_bytes + w->result_bytes),
          *out = (float *)(scratch + w->stage_bytes + w->result_bytes + w->in_bytes);
    transform_inputs(r, at, group, stage, in);
    const float *weights = r->weights + group * panels(c) * panel_elements(c);
    for (int64_t first = 0; first < c->outputs; first += w->block) {
        const int64_t width = FL_MIN(w->block, fl_round_up(c->outputs - first, c->type->lanes));
        multiply(c, in, weights, (at.end - at.at) * w->tiles[1], first / c->type->nr, width, out);
        transform_outputs(r, at, group, first, width, out, results);
    }
}

fl_status fl_winograd_run(const fl_step *step, void *const *slots)
{
    const fl_conv *c = step->data;
    const fl_winograd *w = c->winograd;
    char *scratch = slots[step->scratch_slot];
    run r = {.c = c,
             .in = fl_operand_pointer(&step->inputs[0], slots),
             .kernel = fl_operand_pointer(&step->inputs[1], slots),
             .out = fl_operand_pointer(&step->outputs[0], slots),
             .scratch = scratch + w->shared_bytes,
             .weights = (float *)scratch};
    fl_for_tasks(c->groups * panels(c), w->slices, weights_task, &r);
    if (!atomic_load_explicit(&r.rough, memory_order_relaxed))
        fl_for_tasks(c->groups * fl_div_up(w->images * w->tiles[0], w->group_tile_rows), w->slices, run_task,
                     &r);
    return atomic_load_explicit(&r.rough, memory_order_relaxed) ? c->direct_run(step, slots) : NULL;
}
