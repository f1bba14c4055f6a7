/* Convolution by shifted planes. The input is copied into planes with its padding written out, one plane for each phase of the
 * stride; then the inputs that a tap needs for consecutive outputs are consecutive in memory, and the tile kernel reads
 * them at plane + offset[feature, tap] + output position, without an im2col matrix. Where rows are no whole number of
 * vectors, positions run on over the padding between rows and what is computed there is not stored. */
#include "base/pool.h"
#include "cpu/kernels/conv.h"

#include <string.h>

#define PLANES_BYTES (768 * 1024) /* of one task: about half the L2 cache */
#define K_BLOCK      320
#define SLACK        64 /* elements read beyond the planes by the last vectors */

/* Input position of a tap in units of the phase plane: phase and shift. Without a dilated input: position = q * stride + x. */
typedef struct place {
    int used;
    int64_t phase, shift;
} place;

static place place_of(const fl_conv_dim *d, int64_t step, int64_t residue, int64_t tap)
{
    int64_t x = tap * d->spread - d->low;
    if (step > 1) { /* by residue: stride is 1, and the input is not dilated any more */
        x += residue;
        int64_t shift = fl_conv_floor_div(x, step);
        return (place){shift * step == x, 0, shift};
    }
    int64_t shift = fl_conv_floor_div(x, d->stride);
    return (place){1, x - shift * d->stride, shift};
}

static int64_t phase_index(fl_conv *c, const int64_t *phase)
{
    for (int64_t i = 0; i < c->phase_count; i++)
        if (!memcmp(c->phases + i * FL_CONV_DIMS, phase, FL_CONV_DIMS * sizeof *phase)) return i;
    memcpy(c->phases + c->phase_count * FL_CONV_DIMS, phase, FL_CONV_DIMS * sizeof *phase);
    return c->phase_count++;
}

/* Visits the taps that a part uses; fills `shifts` (3 numbers each), `taps` and phase numbers when given. */
static int64_t list_taps(fl_conv *c, const fl_conv_part *p, int64_t *taps, int64_t *phases, int64_t *shifts)
{
    int64_t n = 0;
    for (int64_t a = 0; a < c->dim[0].taps; a++)
        for (int64_t b = 0; b < c->dim[1].taps; b++)
            for (int64_t e = 0; e < c->dim[2].taps; e++) {
                const int64_t tap[FL_CONV_DIMS] = {a, b, e};
                int64_t phase[FL_CONV_DIMS], where = 0;
                int used = 1;
                for (int i = 0; i < FL_CONV_DIMS; i++) {
                    place x = place_of(&c->dim[i], c->step[i], p->residue[i], tap[i]);
                    used &= x.used;
                    phase[i] = x.phase;
                    if (shifts) shifts[n * FL_CONV_DIMS + i] = x.shift;
                    where += tap[i] * c->dim[i].tap_stride;
                }
                if (!used) continue;
                if (taps) taps[n] = where, phases[n] = phase_index(c, phase);
                n++;
            }
    return n;
}

static fl_status make_parts(fl_conv *c, fl_arena *arena)
{
    c->part_count = 1;
    for (int i = 0; i < FL_CONV_DIMS; i++) {
        c->step[i] = c->dim[i].stride == 1 ? c->dim[i].dilation : 1;
        c->part_count *= c->step[i];
    }
    int64_t phases = 1;
    for (int i = 0; i < FL_CONV_DIMS; i++) {
        FL_CHECK(c->dim[i].stride < 4096 && c->dim[i].dilation < 4096, FL_UNSUPPORTED,
                 "convolution with large strides");
        int64_t used = c->dim[i].stride < c->dim[i].taps ? c->dim[i].stride : c->dim[i].taps;
        phases *= used;
    }
    FL_CHECK(c->part_count <= 4096 && phases <= 4096, FL_UNSUPPORTED, "convolution with large strides");
    c->parts = FL_NEW_ARRAY(arena, fl_conv_part, c->part_count);
    c->phases = FL_NEW_ARRAY(arena, int64_t, phases *FL_CONV_DIMS);
    FL_CHECK(c->parts && c->phases, FL_OOM, "out of memory for a plan");
    for (int64_t i = 0; i < c->part_count; i++) {
        int64_t rest = i;
        for (int j = FL_CONV_DIMS - 1; j >= 0; j--) {
            fl_conv_part *p = &c->parts[i];
            p->residue[j] = rest % c->step[j];
            rest /= c->step[j];
            p->size[j] =
                c->dim[j].out > p->residue[j] ? fl_div_up(c->dim[j].out - p->residue[j], c->step[j]) : 0;
        }
    }
    return NULL;
}

/* Bands of output rows: few enough that planes and results stay in the cache, many enough for the threads. */
static void choose_bands(fl_conv *c, const int64_t *span)
{
    int64_t rows = 1, most = 1;
    for (int64_t i = 0; i < c->part_count; i++)
        most = c->parts[i].size[1] > most ? c->parts[i].size[1] : most;
    const int64_t row_elements = c->plane[2] * (c->phase_count * c->features * c->plane[0] +
                                                (c->direct && c->by_row ? 0 : c->outputs));
    const int64_t fit = PLANES_BYTES / (row_elements * c->type->size) - span[1];
    rows = fit < 4 * span[1] ? 4 * span[1] : fit;
    if (rows < 1) rows = 1;
    const int64_t tasks = c->batch * c->groups, threads = fl_pool_threads();
    if (tasks < 2 * threads) {
        int64_t cut = fl_div_up(most, fl_div_up(2 * threads, tasks));
        if (cut < 2 * span[1] + 2) cut = 2 * span[1] + 2;
        if (rows > cut) rows = cut;
    }
    if (rows > most) rows = most;
    c->bands = fl_div_up(most, rows);
    c->band = fl_div_up(most, c->bands);
    c->bands = fl_div_up(most, c->band);
}

static int can_read_in_place(const fl_conv *c)
{
    const fl_conv_dim *h = &c->dim[1], *w = &c->dim[2];
    if (c->batch * c->groups < fl_pool_threads()) return 0; /* bands need planes */
    if (c->phase_count != 1 || !fl_gemm_packs(c->type, c->in_dtype) ||
        fl_dtype_bytes(c->in_dtype) != c->type->size)
        return 0;
    for (int i = 0; i < FL_CONV_DIMS; i++)
        if (c->dim[i].taps != 1 || c->dim[i].stride != 1 || c->dim[i].dilation != 1 || c->dim[i].low != 0 ||
            c->dim[i].out != c->dim[i].in)
            return 0;
    return c->dim[0].in == 1 && (w->in == 1 || w->in_stride == 1) && (h->in == 1 || h->in_stride == w->in) &&
           h->in * w->in % c->type->lanes == 0;
}

static fl_status make_offsets(fl_conv *c, fl_arena *arena)
{
    int64_t low[FL_CONV_DIMS], high[FL_CONV_DIMS], size[FL_CONV_DIMS] = {0}, longest = 1;
    for (int i = 0; i < FL_CONV_DIMS; i++)
        low[i] = INT64_MAX / 4, high[i] = -INT64_MAX / 4, longest *= c->dim[i].taps;
    int64_t *shifts = FL_NEW_ARRAY(arena, int64_t, longest * FL_CONV_DIMS * c->part_count);
    int64_t *phases = FL_NEW_ARRAY(arena, int64_t, longest * c->part_count);
    FL_CHECK(shifts && phases, FL_OOM, "out of memory for a plan");
    for (int64_t i = 0; i < c->part_count; i++) {
        fl_conv_part *p = &c->parts[i];
        p->taps = FL_NEW_ARRAY(arena, int64_t, longest);
        FL_CHECK(p->taps, FL_OOM, "out of memory for a plan");
        int64_t *s = shifts + i * longest * FL_CONV_DIMS;
        p->tap_count = list_taps(c, p, p->taps, phases + i * longest, s);
        p->k = p->tap_count * c->features;
        for (int64_t t = 0; t < p->tap_count * FL_CONV_DIMS; t++) {
            int j = (int)(t % FL_CONV_DIMS);
            if (s[t] < low[j]) low[j] = s[t];
            if (s[t] > high[j]) high[j] = s[t];
        }
        for (int j = 0; j < FL_CONV_DIMS; j++) size[j] = p->size[j] > size[j] ? p->size[j] : size[j];
    }
    int64_t span[FL_CONV_DIMS];
    for (int j = 0; j < FL_CONV_DIMS; j++) {
        if (low[j] > high[j]) low[j] = high[j] = 0;
        span[j] = high[j] - low[j];
        c->low[j] = low[j];
        c->plane[j] = size[j] + span[j];
    }
    c->by_row = 1;
    for (int64_t i = 0; i < c->part_count; i++) c->by_row &= c->parts[i].size[2] % c->type->lanes == 0;
    choose_bands(c, span);
    c->in_place = can_read_in_place(c);
    if (c->in_place) { /* one long row */
        c->by_row = 1;
        c->band = c->plane[1];
        c->bands = 1;
        c->feature_plane = c->in_feature;
    } else {
        c->plane[1] = c->band + span[1];
        c->feature_plane = c->plane[0] * c->plane[1] * c->plane[2];
        if (c->feature_plane * c->type->size % 1024 == 0)
            c->feature_plane += c->type->lanes; /* spread over the cache's sets */
    }
    for (int64_t i = 0; i < c->part_count; i++) {
        fl_conv_part *p = &c->parts[i];
        const int64_t *s = shifts + i * longest * FL_CONV_DIMS;
        p->offsets = FL_NEW_ARRAY(arena, int64_t, p->k + 1);
        FL_CHECK(p->offsets, FL_OOM, "out of memory for a plan");
        for (int64_t k = 0; k < p->k; k++) {
            int64_t f = k / p->tap_count, t = k % p->tap_count;
            p->offsets[k] = (phases[i * longest + t] * c->features + f) * c->feature_plane +
                            ((s[t * 3] - low[0]) * c->plane[1] + s[t * 3 + 1] - low[1]) * c->plane[2] +
                            s[t * 3 + 2] - low[2];
        }
        p->weights = c->weight_elements;
        c->weight_elements += p->k * c->outputs + FL_PACK_SLACK;
    }
    return NULL;
}

static int64_t column_count(const fl_conv *c, const fl_conv_part *p, int64_t rows)
{
    if (c->by_row) return rows * p->size[2];
    return rows > 0 && p->size[2] > 0 ? (rows - 1) * c->plane[2] + p->size[2] : 0;
}

double fl_conv_work_shift(const fl_conv *c)
{
    double k = (double)c->features;
    int64_t width = c->dim[2].out, pitch = width;
    for (int i = 0; i < FL_CONV_DIMS; i++) {
        const fl_conv_dim *d = &c->dim[i];
        k *= (double)d->taps / (double)(d->stride == 1 ? d->dilation : 1);
        if (i == 2 && width % c->type->lanes) pitch += (d->taps - 1) * d->spread / d->stride;
    }
    int64_t columns = (c->dim[1].out - 1) * pitch + width;
    return k * (double)(c->batch * c->groups * c->outputs * c->dim[0].out) *
           (double)fl_div_up(columns, c->type->lanes);
}

fl_status fl_conv_plan_shift(fl_conv *c, fl_arena *arena)
{
    FL_TRY(make_parts(c, arena));
    FL_TRY(make_offsets(c, arena));
    for (int64_t i = 0; i < c->part_count; i++) {
        int64_t columns = column_count(c, &c->parts[i], c->band);
        if (columns > c->columns) c->columns = columns;
    }
    return NULL;
}

size_t fl_conv_scratch_shift(fl_conv *c, double work)
{
    const size_t size = c->type->size;
    c->weights_bytes = (size_t)fl_round_up(c->weight_elements * c->groups * (int64_t)size, 64);
    c->planes_bytes =
        c->in_place ? 0
                    : (size_t)fl_round_up(
                          (c->phase_count * c->features * c->feature_plane + SLACK) * (int64_t)size, 64);
    c->results_bytes = (size_t)fl_round_up(c->columns * c->outputs * (int64_t)size, 64);
    /* Few columns: several images share each block of weights that comes from memory. */
    const int64_t tasks = c->batch * c->groups * c->bands, threads = fl_pool_threads();
    c->images = fl_div_up(256, c->columns + 1);
    if (c->images > tasks / threads) c->images = tasks / threads;
    if (c->images > c->batch) c->images = c->batch;
    while (c->images > 1 && (size_t)c->images * (c->planes_bytes + c->results_bytes) > 2 * PLANES_BYTES)
        c->images--;
    if (c->images < 1) c->images = 1;
    c->slices = fl_task_slices(fl_div_up(c->batch, c->images) * c->groups * c->bands, work);
    c->slice_bytes = (c->planes_bytes + c->results_bytes) * (size_t)c->images;
    return c->weights_bytes + (size_t)c->slices * c->slice_bytes;
}

typedef struct run {
    const fl_conv *c;
    const char *in, *kernel;
    char *out, *weights, *scratch;
} run;

static void pack_task(const void *ctx, int64_t task, int slice)
{
    (void)slice;
    const run *r = ctx;
    const fl_conv *c = r->c;
    const int64_t panels = fl_div_up(c->outputs, c->type->mr), size = c->type->size;
    int64_t panel = task % panels, part = task / panels % c->part_count,
            group = task / panels / c->part_count;
    const fl_conv_part *p = &c->parts[part];
    int64_t first = panel * c->type->mr,
            rows = c->outputs - first < c->type->mr ? c->outputs - first : c->type->mr;
    char *to = r->weights + (group * c->weight_elements + p->weights + first * p->k) * size;
    fl_conv_pack_weights(c, to, r->kernel, group * c->outputs + first, rows, 0, c->features, p->taps,
                         p->tap_count);
}

/* The plane positions [*begin, *end) of dimension i that hold input, when no dilation is left: j is at (j + low) * stride + phase. */
static void valid_range(const fl_conv *c, int i, int64_t first, int64_t n, int64_t phase, int64_t *begin,
                        int64_t *end)
{
    const fl_conv_dim *d = &c->dim[i];
    *begin = -c->low[i] - first; /* the first with a position >= 0, since 0 <= phase < stride */
    *end = fl_conv_floor_div(d->in - 1 - phase, d->stride) - c->low[i] - first + 1;
    if (*begin < 0) *begin = 0;
    if (*end > n) *end = n;
    if (*begin >= *end) *begin = *end = n;
}

/* Index into memory of plane position j in dimension i, or -1 for padding. */
static int64_t source_index(const fl_conv *c, int i, int64_t j, int64_t phase)
{
    const fl_conv_dim *d = &c->dim[i];
    int64_t v = (j + c->low[i]) * d->stride + phase;
    if (d->dilation != c->step[i]) {
        if (v < 0 || v % d->dilation) return -1;
        v /= d->dilation;
    }
    return v >= 0 && v < d->in ? v : -1;
}

/* One plane [h][w], element by element: dilations that no part removes, types that need converting. */
static void copy_plane_slowly(const fl_conv *c, char *to, const char *in, const int64_t *phase,
                              int64_t first_row)
{
    const int64_t size = c->type->size, bytes = (int64_t)fl_dtype_bytes(c->in_dtype);
    memset(to, 0, (size_t)(c->plane[1] * c->plane[2] * size));
    for (int64_t b = 0; b < c->plane[1]; b++, to += c->plane[2] * size) {
        const int64_t ib = source_index(c, 1, first_row + b, phase[1]);
        for (int64_t j = 0; j < c->plane[2] && ib >= 0; j++) {
            const int64_t i = source_index(c, 2, j, phase[2]);
            if (i >= 0)
                fl_gemm_load(to + j * size, c->type->dtype,
                             in + (ib * c->dim[1].in_stride + i * c->dim[2].in_stride) * bytes, c->in_dtype,
                             1, 1);
        }
    }
}

static void copy_plane(const fl_conv *c, char *to, const char *in, const int64_t *phase, int64_t first_row)
{
    const fl_conv_dim *h = &c->dim[1], *w = &c->dim[2];
    const int64_t bytes = (int64_t)fl_dtype_bytes(c->in_dtype), row = c->plane[2] * c->type->size;
    if (h->dilation != c->step[1] || w->dilation != c->step[2] || !fl_gemm_packs(c->type, c->in_dtype)) {
        copy_plane_slowly(c, to, in, phase, first_row);
        return;
    }
    int64_t top, bottom, left, right;
    valid_range(c, 1, first_row, c->plane[1], phase[1], &top, &bottom);
    valid_range(c, 2, 0, c->plane[2], phase[2], &left, &right);
    memset(to, 0, (size_t)(top * row));
    if (bottom > top) {
        const int64_t y = (first_row + top + c->low[1]) * h->stride + phase[1],
                      x = (left + c->low[2]) * w->stride + phase[2];
        c->type->plane(to + top * row, c->plane[2],
                       in + (y * h->in_stride + (right > left ? x * w->in_stride : 0)) * bytes, c->in_dtype,
                       h->stride * h->in_stride, w->stride * w->in_stride, bottom - top, left, right);
    }
    memset(to + bottom * row, 0, (size_t)((c->plane[1] - bottom) * row));
}

static void copy_planes(const fl_conv *c, char *planes, const char *in, int64_t first_row)
{
    const int64_t size = c->type->size, bytes = (int64_t)fl_dtype_bytes(c->in_dtype),
                  plane = c->plane[1] * c->plane[2] * size;
    for (int64_t q = 0; q < c->phase_count; q++) {
        const int64_t *phase = c->phases + q * FL_CONV_DIMS;
        for (int64_t f = 0; f < c->features; f++) {
            char *to = planes + (q * c->features + f) * c->feature_plane * size;
            for (int64_t a = 0; a < c->plane[0]; a++, to += plane) {
                int64_t ia = source_index(c, 0, a, phase[0]);
                if (ia < 0)
                    memset(to, 0, (size_t)plane);
                else
                    copy_plane(c, to, in + (f * c->in_feature + ia * c->dim[0].in_stride) * bytes, phase,
                               first_row);
            }
        }
    }
    memset(planes + c->phase_count * c->features * c->feature_plane * size, 0, (size_t)(SLACK * size));
}

/* All outputs of a part at one depth, for kc of its k: columns are positions of `rows` rows. */
static void multiply(const fl_conv *c, const fl_conv_part *p, const char *weights, const char *planes,
                     int64_t rows, char *to, int64_t to_row, int64_t k, int64_t kc)
{
    const fl_gemm_type *t = c->type;
    const int64_t size = t->size, lanes = t->lanes, n = column_count(c, p, rows), width = p->size[2];
    const int64_t pitch = c->in_place || !c->by_row ? 0 : c->plane[2] - width; /* between rows, skipped */
    for (int64_t j = 0; j < n; j += t->nr) {
        const int vectors = n - j > lanes ? 2 : 1;
        const int64_t base = j + (pitch ? j / width * pitch : 0),
                      next = j + lanes + (pitch ? (j + lanes) / width * pitch : 0);
        const int64_t rest = n - j - (vectors - 1) * lanes;
        fl_tile tile = {.a_row = 1,
                        .b = planes + base * size,
                        .b_second = next - base,
                        .offsets = p->offsets + k,
                        .c_row = to_row,
                        .kc = kc,
                        .accumulate = k > 0,
                        .last = (int)(rest < lanes ? rest : lanes)};
        for (int64_t i = 0; i < c->outputs; i += t->mr) {
            const int64_t m = c->outputs - i < t->mr ? c->outputs - i : t->mr;
            tile.a = weights + (i * p->k + k * m) * size;
            tile.a_step = m;
            tile.c = to + (i * to_row + j) * size;
            t->offset[vectors - 1][m - 1](&tile);
        }
    }
}

static void store_rows(const fl_conv *c, const fl_conv_part *p, const char *from, int64_t columns,
                       int64_t rows, char *out)
{
    const int64_t size = c->type->size, bytes = (int64_t)fl_dtype_bytes(c->out_dtype),
                  pitch = c->by_row ? p->size[2] : c->plane[2];
    for (int64_t o = 0; o < c->outputs; o++)
        for (int64_t h = 0; h < rows; h++)
            fl_conv_store(c, out + (o * c->out_feature + h * c->step[1] * c->dim[1].out_stride) * bytes,
                          c->step[2] * c->dim[2].out_stride, from + (o * columns + h * pitch) * size,
                          p->size[2]);
}

/* What a task works on: some images (one after another in the scratch), a group, a band of output rows. */
typedef struct task {
    const run *r;
    int64_t images, group, first_row;
    const char *planes;  /* of the first image */
    int64_t planes_step; /* bytes to the next image's */
    char *out, *results;
} task;

static void run_part(const task *t, const fl_conv_part *p)
{
    const fl_conv *c = t->r->c;
    const int64_t size = c->type->size, bytes = (int64_t)fl_dtype_bytes(c->out_dtype);
    const int64_t rows = p->size[1] - t->first_row < c->band ? p->size[1] - t->first_row : c->band;
    if (rows <= 0 || p->size[2] == 0) return;
    const char *weights = t->r->weights + (t->group * c->weight_elements + p->weights) * size;
    const int64_t columns = column_count(c, p, rows), results_step = columns * c->outputs * size;
    const int64_t k_block = p->k ? fl_round_up(fl_div_up(p->k, fl_div_up(p->k, K_BLOCK)), 2) : 1;
    const int straight = p->k && c->direct && c->by_row && c->step[1] == 1 && c->step[2] == 1 &&
                         c->dim[2].out_stride == 1 &&
                         (c->dim[1].out == 1 || c->dim[1].out_stride == p->size[2]);
    for (int64_t a = 0; a < p->size[0]; a++) {
        char *out = t->out;
        for (int i = 0; i < FL_CONV_DIMS; i++) {
            int64_t q = i == 0 ? a : i == 1 ? t->first_row : 0;
            out += (p->residue[i] + q * c->step[i]) * c->dim[i].out_stride * bytes;
        }
        const char *planes = t->planes + a * c->plane[1] * c->plane[2] * size;
        if (p->k == 0) memset(t->results, 0, (size_t)(results_step * t->images));
        for (int64_t k = 0; k < p->k;
             k += k_block) /* outermost: this block of weights stays in the cache for all images */
            for (int64_t i = 0; i < t->images; i++)
                multiply(c, p, weights, planes + i * t->planes_step, rows,
                         straight ? out + i * c->out_batch * bytes : t->results + i * results_step,
                         straight ? c->out_feature : columns, k, p->k - k < k_block ? p->k - k : k_block);
        for (int64_t i = 0; i < t->images && !straight; i++)
            store_rows(c, p, t->results + i * results_step, columns, rows, out + i * c->out_batch * bytes);
    }
}

static void run_task(const void *ctx, int64_t number, int slice)
{
    const run *r = ctx;
    const fl_conv *c = r->c;
    const int64_t band = number % c->bands, image = number / c->bands / c->groups * c->images;
    task t = {.r = r, .group = number / c->bands % c->groups, .first_row = band * c->band};
    t.images = c->batch - image < c->images ? c->batch - image : c->images;
    char *planes = r->scratch + (size_t)slice * c->slice_bytes;
    const int64_t in_step = c->in_batch * (int64_t)fl_dtype_bytes(c->in_dtype);
    const char *in = r->in + image * in_step + t.group * c->in_group * (int64_t)fl_dtype_bytes(c->in_dtype);
    t.results = planes + c->planes_bytes * (size_t)c->images;
    t.out = r->out + (image * c->out_batch + t.group * c->out_group) * (int64_t)fl_dtype_bytes(c->out_dtype);
    t.planes = c->in_place ? in : planes;
    t.planes_step = c->in_place ? in_step : (int64_t)c->planes_bytes;
    for (int64_t i = 0; i < t.images && !c->in_place; i++)
        copy_planes(c, planes + i * t.planes_step, in + i * in_step, t.first_row);
    for (int64_t i = 0; i < c->part_count; i++) run_part(&t, &c->parts[i]);
}

fl_status fl_conv_run_shift(const fl_step *step, void *const *slots)
{
    const fl_conv *c = step->data;
    char *scratch = slots[step->scratch_slot];
    run r = {c,
             fl_operand_pointer(&step->inputs[0], slots),
             fl_operand_pointer(&step->inputs[1], slots),
             fl_operand_pointer(&step->outputs[0], slots),
             scratch,
             scratch + c->weights_bytes};
    const int64_t panels = c->groups * c->part_count * fl_div_up(c->outputs, c->type->mr);
    fl_for_tasks(panels, fl_task_slices(panels, (double)(c->weight_elements * c->groups)), pack_task, &r);
    fl_for_tasks(fl_div_up(c->batch, c->images) * c->groups * c->bands, c->slices, run_task, &r);
    return NULL;
}
