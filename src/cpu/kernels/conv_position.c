/* Forward convolutions and input gradients by position. A task takes some rows of outputs, stages their inputs, and for each panel
 * of output channels adds up the products of all taps. */
#include "base/pool.h"
#include "cpu/kernels/conv_position.h"

#include <string.h>

#define K_BLOCK     192          /* of a sum: weights of this many rows of a panel stay in the L1 cache */
#define STAGE_BYTES (512 * 1024) /* of a task: inputs and results, about a quarter of the L2 cache */

/* Input position of a tap for output q of a part: q * stride + shift. 0: none of the part's. */
static int shift_of(const fl_conv_dim *d, int64_t spacing, int64_t residue, int64_t tap, int64_t *out_shift)
{
    const int64_t x = tap * d->spread - d->low + (spacing > 1 ? residue : 0);
    *out_shift = fl_conv_floor_div(x, spacing);
    return *out_shift * spacing == x;
}

static int takes(const fl_conv_dim *d)
{
    return d->stride == 1 || d->dilation == 1;
}

int fl_position_fits(const fl_conv *c)
{
    const fl_conv_dim *z = &c->dim[0];
    const int64_t across = c->dim[2].out / (c->dim[2].stride == 1 ? c->dim[2].dilation : 1);
    return c->type->dtype == FL_F32 && fl_gemm_packs(c->type, c->in_dtype) &&
           fl_gemm_packs(c->type, c->kernel_dtype) && z->in == 1 && z->out == 1 && z->taps == 1 &&
           z->low == 0 && takes(&c->dim[1]) && takes(&c->dim[2]) && c->features >= c->type->lanes &&
           c->outputs >= c->type->lanes && across >= 4;
}

typedef struct extent {
    int64_t low, high; /* shifts */
} extent;

/* Lists the taps of a part, rows of them in order of their shift. Two passes: count, then fill. */
static void list_runs(const fl_conv *c, fl_conv_position *p, fl_position_part *part, const extent *e)
{
    const fl_conv_dim *y = &c->dim[1], *x = &c->dim[2];
    const int joins = p->in.step == p->in.padded && p->spacing[1] == 1; /* else taps are apart */
    part->run_count = 0;
    for (int64_t a = 0; a < y->taps; a++) {
        int64_t row, column, last = INT64_MIN;
        if (!shift_of(y, p->spacing[0], part->residue[0], a, &row)) continue;
        for (int64_t b = 0; b < x->taps; b++) {
            if (!shift_of(x, p->spacing[1], part->residue[1], b, &column)) continue;
            const int follows = joins && column == last + 1;
            if (!follows) part->run_count++;
            fl_position_run *r = part->runs ? &part->runs[part->run_count - 1] : NULL;
            if (r && !follows)
                *r = (fl_position_run){((row - e[0].low) * p->columns + column - e[1].low) * p->in.step,
                                       a * x->taps + b, 1};
            else if (r) /* its inputs follow those of the tap before */
                r->taps++;
            last = column;
        }
    }
}

static void find_extents(const fl_conv *c, const fl_conv_position *p, extent *e)
{
    for (int i = 0; i < 2; i++) {
        const fl_conv_dim *d = &c->dim[i + 1];
        int any = 0;
        e[i] = (extent){0, 0};
        for (int64_t r = 0; r < p->spacing[i]; r++)
            for (int64_t t = 0; t < d->taps; t++) {
                int64_t s;
                if (!shift_of(d, p->spacing[i], r, t, &s)) continue;
                if (!any || s < e[i].low) e[i].low = s;
                if (!any || s > e[i].high) e[i].high = s;
                any = 1;
            }
    }
}

static fl_status make_parts(const fl_conv *c, fl_conv_position *p, const extent *e, fl_arena *arena)
{
    p->part_count = p->spacing[0] * p->spacing[1];
    p->parts = FL_NEW_ARRAY(arena, fl_position_part, p->part_count);
    if (!p->parts) return FL_NO_MEMORY();
    for (int64_t i = 0; i < p->part_count; i++) {
        fl_position_part *part = &p->parts[i];
        part->residue[0] = i / p->spacing[1], part->residue[1] = i % p->spacing[1];
        for (int d = 0; d < 2; d++)
            part->size[d] = part->residue[d] < c->dim[d + 1].out
                                ? fl_div_up(c->dim[d + 1].out - part->residue[d], p->spacing[d])
                                : 0;
        part->runs = NULL;
        list_runs(c, p, part, e);
        part->runs = FL_NEW_ARRAY(arena, fl_position_run, part->run_count + 1);
        if (!part->runs) return FL_NO_MEMORY();
        list_runs(c, p, part, e);
    }
    return NULL;
}

static int64_t panels(const fl_conv *c)
{
    return fl_div_up(c->outputs, c->type->nr);
}

static int64_t panel_width(const fl_conv *c, int64_t panel)
{
    return c->outputs - panel * c->type->nr > c->type->lanes ? c->type->nr : c->type->lanes;
}

static int64_t panel_elements(const fl_conv *c)
{
    return c->dim[1].taps * c->dim[2].taps * c->position->in.padded * c->type->nr;
}

/* How many rows a task takes: stage and results fit, and there are tasks for the threads. */
static void choose_rows(const fl_conv *c, fl_conv_position *p, int64_t span)
{
    const int64_t row =
        (p->stride[0] * p->columns * p->in.step + p->spacing[0] * c->dim[2].out * c->type->nr) * 4;
    int64_t rows = FL_MAX((STAGE_BYTES - span * p->columns * p->in.step * 4) / row, 1);
    rows = FL_MAX(rows, FL_MIN(2 * span / p->stride[0], p->rows)); /* else most of a stage is read twice */
    rows = FL_MIN(rows, fl_div_up(p->images * p->rows, 2 * fl_pool_threads()));
    p->group_rows = rows > p->rows ? rows / p->rows * p->rows : fl_div_up(p->rows, fl_div_up(p->rows, rows));
    p->stage_rows = (FL_MIN(p->group_rows, p->rows) - 1) * p->stride[0] + span + 1;
}

fl_status fl_position_plan(fl_conv *c, fl_arena *arena, size_t *out_scratch)
{
    fl_conv_position *p = c->position = FL_NEW(arena, fl_conv_position);
    if (!p) return FL_NO_MEMORY();
    const int64_t lanes = c->type->lanes, nr = c->type->nr, padded = fl_round_up(c->features, lanes);
    p->images = c->batch;
    p->in = (fl_conv_side){.dtype = c->in_dtype,
                           .channels = c->features,
                           .padded = padded,
                           .step = fl_conv_step(padded, lanes),
                           .channel = c->in_feature,
                           .image = c->in_batch};
    for (int i = 0; i < 2; i++) {
        const fl_conv_dim *d = &c->dim[i + 1];
        p->spacing[i] = d->stride == 1 ? d->dilation : 1;
        p->stride[i] = d->stride;
        p->in.size[i] = d->in, p->in.stride[i] = d->in_stride;
    }
    extent e[2];
    find_extents(c, p, e);
    p->rows = fl_div_up(c->dim[1].out, p->spacing[0]);
    p->in.low[0] = -e[0].low, p->in.low[1] = -e[1].low;
    p->columns = (fl_div_up(c->dim[2].out, p->spacing[1]) - 1) * p->stride[1] + e[1].high - e[1].low + 1;
    FL_TRY(make_parts(c, p, e, arena));
    choose_rows(c, p, e[0].high - e[0].low);
    const int64_t image_rows = FL_MIN(p->group_rows, p->rows);
    p->stage_bytes = (size_t)fl_round_up((p->stage_rows * p->columns * p->in.step + FL_PACK_SLACK) * 4, 64);
    p->result_bytes = (size_t)fl_round_up(image_rows * p->spacing[0] * c->dim[2].out * nr * 4, 64);
    p->shared_bytes =
        (size_t)fl_round_up((c->groups * panels(c) * panel_elements(c) + FL_PACK_SLACK) * 4, 64);
    p->slice_bytes = p->stage_bytes + p->result_bytes;
    p->slices = fl_task_slices(FL_MAX(c->groups * fl_div_up(p->images * p->rows, p->group_rows), 2), 1e6);
    *out_scratch = p->shared_bytes + (size_t)p->slices * p->slice_bytes;
    return NULL;
}

/* ---- running ---- */

typedef struct run {
    const fl_conv *c;
    const char *in, *kernel;
    char *out, *scratch; /* of the slices */
    float *weights;      /* [group][panel][tap][feature][output] */
} run;

static void weights_task(const void *ctx, int64_t task, int slice)
{
    (void)slice;
    const run *r = ctx;
    const fl_conv *c = r->c;
    const int64_t panel = task % panels(c), group = task / panels(c), first = panel * c->type->nr,
                  width = panel_width(c, panel), padded = c->position->in.padded;
    float *to = r->weights + task * panel_elements(c);
    if (padded != c->features) memset(to, 0, (size_t)panel_elements(c) * 4);
    fl_conv_weights_by_tap(c, to, padded * width, width, r->kernel, group * c->outputs + first,
                           FL_MIN(c->outputs - first, c->type->nr));
}

/* Products of a run with rows of the part, added to the results [row][column][output] unless it is the first. */
static void multiply_run(const fl_conv *c, const fl_position_part *part, const fl_position_run *a,
                         const float *stage, const float *weights, int64_t width, int64_t rows, float *to)
{
    const fl_conv_position *p = c->position;
    const fl_gemm_type *t = c->type;
    const int64_t depth = a->taps * p->in.padded, across = part->size[1],
                  height = fl_div_up(across, fl_div_up(across, t->mr)), step = p->stride[1] * p->in.step,
                  k_block = fl_div_up(depth, fl_div_up(depth, K_BLOCK));
    for (int64_t k = 0; k < depth; k += k_block)
        for (int64_t y = 0; y < rows; y++) {
            const float *from = stage + y * p->stride[0] * p->columns * p->in.step + a->offset + k;
            float *out = to + y * p->spacing[0] * c->dim[2].out * width;
            for (int64_t x = 0; x < across; x += height) {
                const fl_tile tile = {.a = from + x * step,
                                      .a_row = step,
                                      .a_step = 1,
                                      .b = weights + k * width,
                                      .b_step = width,
                                      .b_second = t->lanes,
                                      .c = out + x * p->spacing[1] * width,
                                      .c_row = p->spacing[1] * width,
                                      .kc = FL_MIN(depth - k, k_block),
                                      .accumulate = a > part->runs || k > 0,
                                      .last = t->lanes};
                t->tile[width > t->lanes][FL_MIN(across - x, height) - 1](&tile);
            }
        }
}

/* One panel of outputs for staged rows of an image, `at` says which. */
static void run_panel(const run *r, const fl_conv_rows *at, int64_t group, int64_t panel, const float *stage,
                      float *results)
{
    const fl_conv *c = r->c;
    const fl_conv_position *p = c->position;
    const int64_t width = panel_width(c, panel), first = panel * c->type->nr, row = c->dim[2].out * width;
    const float *weights = r->weights + (group * panels(c) + panel) * panel_elements(c);
    for (int64_t i = 0; i < p->part_count; i++) {
        const fl_position_part *part = &p->parts[i];
        const int64_t rows = FL_MIN(at->count, part->size[0] - at->row);
        float *to = results + part->residue[0] * row + part->residue[1] * width;
        if (rows <= 0 || part->size[1] == 0) continue;
        for (const fl_position_run *a = part->runs; a < part->runs + part->run_count; a++)
            multiply_run(c, part, a, stage, weights + a->tap * p->in.padded * width, width, rows, to);
        for (int64_t y = 0; y < rows && part->run_count == 0; y++)
            for (int64_t x = 0; x < part->size[1]; x++)
                memset(to + y * p->spacing[0] * row + x * p->spacing[1] * width, 0, (size_t)width * 4);
    }
    fl_conv_store_rows(c, results, row, width, at->row * p->spacing[0], at->count * p->spacing[0],
                       FL_MIN(c->outputs - first, c->type->nr),
                       r->out + (at->image * c->out_batch + group * c->out_group + first * c->out_feature) *
                                    (int64_t)fl_dtype_bytes(c->out_dtype));
}

static void run_task(const void *ctx, int64_t task, int slice)
{
    const run *r = ctx;
    const fl_conv *c = r->c;
    const fl_conv_position *p = c->position;
    const int64_t group = task % c->groups, bytes = (int64_t)fl_dtype_bytes(c->in_dtype);
    fl_conv_rows at = {.at = task / c->groups * p->group_rows};
    at.end = FL_MIN(at.at + p->group_rows, p->images * p->rows);
    float *stage = (float *)(r->scratch + (size_t)slice * p->slice_bytes),
          *results = (float *)((char *)stage + p->stage_bytes);
    while (fl_conv_next_rows(p->rows, &at)) {
        const int64_t rows = (at.count - 1) * p->stride[0] + 1 + p->stage_rows -
                             ((FL_MIN(p->group_rows, p->rows) - 1) * p->stride[0] + 1);
        fl_conv_stage(&p->in, c->type, r->in + (at.image * c->in_batch + group * c->in_group) * bytes,
                      at.row * p->stride[0], rows, p->columns, stage, NULL);
        for (int64_t panel = 0; panel < panels(c); panel++) run_panel(r, &at, group, panel, stage, results);
    }
}

fl_status fl_position_forward(const fl_step *step, void *const *slots)
{
    const fl_conv *c = step->data;
    const fl_conv_position *p = c->position;
    char *scratch = slots[step->scratch_slot];
    const run r = {.c = c,
                   .in = fl_operand_pointer(&step->inputs[0], slots),
                   .kernel = fl_operand_pointer(&step->inputs[1], slots),
                   .out = fl_operand_pointer(&step->outputs[0], slots),
                   .scratch = scratch + p->shared_bytes,
                   .weights = (float *)scratch};
    fl_for_tasks(c->groups * panels(c), p->slices, weights_task, &r);
    fl_for_tasks(c->groups * fl_div_up(p->images * p->rows, p->group_rows), p->slices, run_task, &r);
    return NULL;
}
