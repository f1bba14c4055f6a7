/* Convolution with the batch in the vectors: for weight gradients, where the "batch" is the input channels, the "kernel" is
 * the output gradient and there are few output positions (the taps). The input is copied as [feature][d][h][w][batch]; the
 * row of columns that a kernel point needs for an output position lies at position offset + point offset. The long sum over
 * features (the images) is split into a fixed number of parts, which are added in order: the result does not depend on
 * the number of threads. */
#include "base/pool.h"
#include "cpu/kernels/conv.h"

#include <string.h>

#define K_BLOCK       320
#define RESULTS_BYTES (1024 * 1024) /* of one split: larger results split outputs instead of the sum */
#define MOST_SPLITS   8

static int64_t count(const fl_conv *c, int taps)
{
    int64_t n = 1;
    for (int i = 0; i < FL_CONV_DIMS; i++) n *= taps ? c->dim[i].taps : c->dim[i].out;
    return n;
}

/* Offsets of all points of a grid: `step` positions between neighbours in each dimension. */
static void list_points(const fl_conv *c, int taps, int64_t *offsets, int64_t *places)
{
    int64_t n = 0, size[FL_CONV_DIMS], step[FL_CONV_DIMS], at[FL_CONV_DIMS];
    for (int i = 0; i < FL_CONV_DIMS; i++) {
        size[i] = taps ? c->dim[i].taps : c->dim[i].out;
        step[i] = taps ? c->dim[i].spread : c->dim[i].stride;
    }
    for (at[0] = 0; at[0] < size[0]; at[0]++)
        for (at[1] = 0; at[1] < size[1]; at[1]++)
            for (at[2] = 0; at[2] < size[2]; at[2]++, n++) {
                int64_t offset = 0, place = 0;
                for (int i = 0; i < FL_CONV_DIMS; i++) {
                    offset = offset * c->extent[i] + at[i] * step[i];
                    place += at[i] * c->dim[i].tap_stride;
                }
                offsets[n] = offset * c->columns_batch;
                if (places) places[n] = place;
            }
}

double fl_conv_work_columns(fl_conv *c)
{
    /* With stride 1, the columns of the next output position follow at once: one long run, without padding in between. */
    const int along = c->dim[2].stride == 1 && c->dim[2].out > 1;
    c->row_positions = along ? c->dim[2].out : 1;
    c->columns_batch = along ? c->batch : fl_round_up(c->batch, c->type->lanes);
    c->positions = count(c, 0);
    c->points = count(c, 1);
    c->feature_elements = c->columns_batch;
    for (int i = 0; i < FL_CONV_DIMS; i++) {
        c->extent[i] = (c->dim[i].out - 1) * c->dim[i].stride + (c->dim[i].taps - 1) * c->dim[i].spread + 1;
        c->feature_elements *= c->extent[i];
    }
    const double copy =
        (double)c->feature_elements * (double)c->features * (double)c->groups / c->type->lanes * 2;
    const int64_t vectors = fl_div_up(c->row_positions * c->columns_batch, c->type->lanes);
    return copy + (double)(c->positions / c->row_positions) * (double)vectors * (double)c->points *
                      (double)c->features * (double)c->outputs * (double)c->groups;
}

static fl_status make_offsets(fl_conv *c, fl_arena *arena)
{
    c->position_offsets = FL_NEW_ARRAY(arena, int64_t, c->positions);
    c->point_offsets = FL_NEW_ARRAY(arena, int64_t, c->points * c->feature_block);
    c->point_places = FL_NEW_ARRAY(arena, int64_t, c->points);
    FL_CHECK(c->position_offsets && c->point_offsets && c->point_places, FL_OOM, "out of memory for a plan");
    list_points(c, 0, c->position_offsets, NULL);
    list_points(c, 1, c->point_offsets, c->point_places);
    for (int64_t f = 1; f < c->feature_block; f++)
        for (int64_t i = 0; i < c->points; i++)
            c->point_offsets[f * c->points + i] = c->point_offsets[i] + f * c->feature_elements;
    return NULL;
}

fl_status fl_conv_layout_columns(fl_conv *c, fl_arena *arena, double work, size_t *out_scratch)
{
    const int64_t size = c->type->size, results = c->outputs * c->positions * c->columns_batch * size;
    c->feature_block = fl_div_up(K_BLOCK, c->points);
    if (c->feature_block > c->features) c->feature_block = c->features;
    c->k_block =
        c->points > K_BLOCK ? fl_round_up(fl_div_up(c->points, fl_div_up(c->points, K_BLOCK)), 2) : c->points;
    FL_TRY(make_offsets(c, arena));
    int64_t blocks = fl_div_up(c->features, c->feature_block);
    c->k_splits = results <= RESULTS_BYTES && work > 1e5 ? (blocks < MOST_SPLITS ? blocks : MOST_SPLITS) : 1;
    int64_t wanted = c->groups * c->k_splits < 2 * fl_pool_threads() && work > 1e5
                         ? fl_div_up(2 * fl_pool_threads(), c->groups * c->k_splits)
                         : 1;
    c->m_block = fl_round_up(fl_div_up(c->outputs, wanted), c->type->mr);
    c->m_parts = fl_div_up(c->outputs, c->m_block);
    c->slices = fl_task_slices(c->groups * c->k_splits * c->m_parts, work);
    c->results_bytes = (size_t)fl_round_up(results, 64);
    c->planes_bytes =
        (size_t)fl_round_up((c->feature_block * c->feature_elements + 2 * c->type->lanes) * size, 64);
    c->weights_bytes = (size_t)fl_round_up(
        (c->m_block * c->k_block * (c->points > K_BLOCK ? 1 : c->feature_block) + FL_PACK_SLACK) * size, 64);
    c->slice_bytes = c->planes_bytes + c->weights_bytes;
    *out_scratch = c->results_bytes * (size_t)(c->groups * c->k_splits) + c->slice_bytes * (size_t)c->slices;
    return NULL;
}

typedef struct run {
    const fl_conv *c;
    const char *in, *kernel;
    char *out, *results, *scratch;
} run;

static int64_t source_index(const fl_conv_dim *d, int64_t v)
{
    v -= d->low;
    if (v < 0 || v % d->dilation || v / d->dilation >= d->in) return -1;
    return v / d->dilation;
}

/* One row [w][batch] of the copy. */
static void copy_row(const fl_conv *c, char *to, const char *from)
{
    const fl_conv_dim *d = &c->dim[2];
    const int64_t width = c->extent[2], row = c->columns_batch * c->type->size,
                  bytes = (int64_t)fl_dtype_bytes(c->in_dtype);
    if (d->dilation != 1 || !fl_gemm_packs(c->type, c->in_dtype)) {
        for (int64_t w = 0; w < width; w++, to += row) {
            int64_t i = source_index(d, w);
            memset(to, 0, (size_t)row);
            if (i >= 0)
                fl_gemm_load(to, c->type->dtype, from + i * d->in_stride * bytes, c->in_dtype, c->in_batch,
                             c->batch);
        }
        return;
    }
    int64_t begin = d->low > 0 ? d->low : 0, end = d->in + d->low < width ? d->in + d->low : width;
    if (begin > end || begin > width) begin = end = width;
    memset(to, 0, (size_t)(begin * row));
    if (end > begin)
        c->type->pack(to + begin * row, c->columns_batch, from + (begin - d->low) * d->in_stride * bytes,
                      c->in_dtype, c->in_batch, d->in_stride, c->batch, end - begin);
    memset(to + end * row, 0, (size_t)((width - end) * row));
}

static void copy_feature(const fl_conv *c, char *to, const char *in)
{
    const int64_t row = c->extent[2] * c->columns_batch * c->type->size,
                  bytes = (int64_t)fl_dtype_bytes(c->in_dtype);
    for (int64_t a = 0; a < c->extent[0]; a++)
        for (int64_t b = 0; b < c->extent[1]; b++, to += row) {
            int64_t ia = source_index(&c->dim[0], a), ib = source_index(&c->dim[1], b);
            if (ia < 0 || ib < 0)
                memset(to, 0, (size_t)row);
            else
                copy_row(c, to, in + (ia * c->dim[0].in_stride + ib * c->dim[1].in_stride) * bytes);
        }
}

/* Adds the products of `kc` kernel rows (packed weights, offsets) to the results of `m` outputs at all positions. */
static void multiply(const fl_conv *c, const char *weights, const int64_t *offsets, int64_t kc,
                     const char *planes, char *results, int64_t m, int accumulate)
{
    const fl_gemm_type *t = c->type;
    const int64_t size = t->size, row = c->positions * c->columns_batch,
                  n = c->row_positions * c->columns_batch;
    for (int64_t p = 0; p < c->positions; p += c->row_positions)
        for (int64_t j = 0; j < n; j += t->nr) {
            const int vectors = n - j > t->lanes ? 2 : 1;
            const int64_t rest = n - j - (vectors - 1) * t->lanes;
            fl_tile tile = {.a_row = 1,
                            .b = planes + (c->position_offsets[p] + j) * size,
                            .b_second = t->lanes,
                            .offsets = offsets,
                            .c_row = row,
                            .kc = kc,
                            .accumulate = accumulate,
                            .last = (int)(rest < t->lanes ? rest : t->lanes)};
            for (int64_t i = 0; i < m; i += t->mr) {
                int64_t rows = m - i < t->mr ? m - i : t->mr;
                tile.a = weights + i * kc * size;
                tile.a_step = rows;
                tile.c = results + (i * row + p * c->columns_batch + j) * size;
                t->offset[vectors - 1][rows - 1](&tile);
            }
        }
}

static void run_task(const void *ctx, int64_t task, int slice)
{
    const run *r = ctx;
    const fl_conv *c = r->c;
    const fl_gemm_type *t = c->type;
    const int64_t size = t->size, bytes = (int64_t)fl_dtype_bytes(c->in_dtype);
    int64_t part = task % c->m_parts, split = task / c->m_parts % c->k_splits,
            group = task / c->m_parts / c->k_splits;
    int64_t first = part * c->m_block, m = c->outputs - first < c->m_block ? c->outputs - first : c->m_block;
    int64_t blocks = fl_div_up(c->features, c->feature_block);
    int64_t f0 = blocks * split / c->k_splits * c->feature_block,
            f1 = blocks * (split + 1) / c->k_splits * c->feature_block;
    if (f1 > c->features) f1 = c->features;
    char *planes = r->scratch + (size_t)slice * c->slice_bytes, *weights = planes + c->planes_bytes;
    memset(weights - 2 * t->lanes * size, 0,
           (size_t)(2 * t->lanes * size)); /* read beyond the planes, not stored */
    char *results = r->results + (size_t)(group * c->k_splits + split) * c->results_bytes +
                    first * c->positions * c->columns_batch * size;
    const char *in = r->in + group * c->in_group * bytes;
    for (int64_t f = f0; f < f1; f += c->feature_block) {
        int64_t fs = f1 - f < c->feature_block ? f1 - f : c->feature_block;
        for (int64_t i = 0; i < fs; i++)
            copy_feature(c, planes + i * c->feature_elements * size, in + (f + i) * c->in_feature * bytes);
        /* either several features with all their points, or one with a block of points */
        for (int64_t k = 0; k < c->points; k += c->k_block) {
            int64_t points = c->points - k < c->k_block ? c->points - k : c->k_block, kc = fs * points;
            for (int64_t i = 0; i < m; i += t->mr)
                fl_conv_pack_weights(c, weights + i * kc * size, r->kernel, group * c->outputs + first + i,
                                     m - i < t->mr ? m - i : t->mr, f, fs, c->point_places + k, points);
            multiply(c, weights, c->point_offsets + k, kc, planes, results, m, f > f0 || k > 0);
        }
    }
}

/* Adds up the splits of one output and stores it. */
static void store_task(const void *ctx, int64_t task, int slice)
{
    (void)slice;
    const run *r = ctx;
    const fl_conv *c = r->c;
    const int64_t size = c->type->size, bytes = (int64_t)fl_dtype_bytes(c->out_dtype),
                  n = c->positions * c->columns_batch;
    int64_t group = task / c->outputs, o = task % c->outputs;
    char *first = r->results + (size_t)(group * c->k_splits) * c->results_bytes + o * n * size;
    for (int64_t s = 1; s < c->k_splits; s++)
        fl_gemm_add(first, first + (size_t)s * c->results_bytes, c->type->dtype, n);
    char *out = r->out + (group * c->out_group + o * c->out_feature) * bytes;
    for (int64_t p = 0; p < c->positions; p++) {
        int64_t rest = p, offset = 0;
        for (int i = FL_CONV_DIMS - 1; i >= 0; i--) {
            offset += rest % c->dim[i].out * c->dim[i].out_stride;
            rest /= c->dim[i].out;
        }
        fl_conv_store(c, out + offset * bytes, c->out_batch, first + p * c->columns_batch * size, c->batch);
    }
}

fl_status fl_conv_run_columns(const fl_step *step, void *const *slots)
{
    const fl_conv *c = step->data;
    char *scratch = slots[step->scratch_slot];
    run r = {c,
             fl_operand_pointer(&step->inputs[0], slots),
             fl_operand_pointer(&step->inputs[1], slots),
             fl_operand_pointer(&step->outputs[0], slots),
             scratch,
             scratch + c->results_bytes * (size_t)(c->groups * c->k_splits)};
    fl_for_tasks(c->groups * c->k_splits * c->m_parts, c->slices, run_task, &r);
    int64_t rows = c->groups * c->outputs;
    fl_for_tasks(rows, fl_task_slices(rows, (double)(rows * c->positions * c->columns_batch)), store_task,
                 &r);
    return NULL;
}
