/* A task computes one stretch of the keys of one key head: scores, weights, the sum of values; then the stretches of a head are put
 * together, in order. Stretches are the same for any number of threads. */
#include "cpu/kernels/attention_few.h"

#include "base/half.h"
#include "cpu/kernels/gemm.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FEW = FL_ATTENTION_FEW, STRETCH = 256, KEYS = FL_ATTENTION_KEYS };

typedef struct few {
    fl_attention shared;
    const fl_attention_few_simd *simd;
    int64_t rows, width, value_width; /* rows of a key head; widths in whole vectors */
    int64_t stretches;
    int convert_key, convert_value; /* they are not whole contiguous vectors */
    size_t part_floats, slice_bytes;
    int slices;
} few;

typedef struct run {
    const few *f;
    fl_attention_forward t;
    float *parts; /* of each stretch of each head: result [rows][value_width], max [rows], sum [rows] */
} run;

static float *part_of(const run *x, int64_t head, int64_t stretch)
{
    return x->parts + (size_t)(head * x->f->stretches + stretch) * x->f->part_floats;
}

/* Elements of a bias or mask, one at a time: there are few. */
static float element(const fl_attention_array *a, int64_t b, int64_t h, int64_t row, int64_t key)
{
    const char *p = fl_attention_at(a, b, h, row) + key * a->strides[3] * a->bytes;
    switch (a->dtype) {
    case FL_I1: return *(const uint8_t *)p;
    case FL_BF16: return fl_f32_from_bf16(*(const uint16_t *)p);
    case FL_F16: return fl_f32_from_f16(*(const uint16_t *)p);
    default: return *(const float *)p;
    }
}

static void mask_row(const run *x, int64_t b, int64_t h, int64_t row, int64_t key, int64_t keys,
                     float *scores)
{
    const fl_attention *a = &x->f->shared;
    const fl_attention_spec *s = &a->spec;
    for (int64_t k = 0; k < keys && s->bias; k++) {
        const float e = element(&x->t.bias, b, h, row, key + k), y = e * FL_LOG2E;
        scores[k] += e == -INFINITY || !(y < -FLT_MAX) ? y : -FLT_MAX;
    }
    for (int64_t k = 0; k < keys && s->mask; k++)
        if (element(&x->t.mask, b, h, row, key + k) == 0) scores[k] = a->fill;
    for (int64_t k = FL_MAX(row + s->offset + 1 - key, 0); k < keys && s->causal; k++) scores[k] = a->fill;
}

static void load_query(const run *x, int64_t b, int64_t h, float *query)
{
    const few *f = x->f;
    const fl_attention_spec *s = &f->shared.spec;
    memset(query, 0, (size_t)(f->rows * f->width) * sizeof *query);
    for (int64_t r = 0; r < f->rows; r++)
        f->shared.simd->load(query + r * f->width, f->width,
                             fl_attention_at(&x->t.q, b, h * f->shared.group + r / s->rows, r % s->rows),
                             x->t.q.dtype, 1, x->t.q.strides[3], 1, s->width, x->t.scale * FL_LOG2E, 0);
}

/* Rows of keys or values. */
typedef struct rows {
    const void *data;
    fl_dtype dtype;
    int64_t row;
} rows;

/* Where they are, or as f32 in whole vectors in `room`. */
static rows find(const few *f, const fl_attention_array *a, int convert, int64_t b, int64_t h, int64_t key,
                 int64_t keys, int64_t width, int64_t padded, float *room)
{
    const char *at = fl_attention_at(a, b, h, key);
    if (!convert) return (rows){at, a->dtype, a->strides[2]};
    if (padded > width) memset(room, 0, (size_t)(keys * padded) * sizeof *room);
    f->shared.simd->load(room, padded, at, a->dtype, a->strides[2], a->strides[3], keys, width, 1, 0);
    return (rows){room, FL_F32, padded};
}

static void run_stretch(const void *ctx, int64_t task, int slice)
{
    const run *x = ctx;
    const few *f = x->f;
    const fl_attention_spec *s = &f->shared.spec;
    const int64_t head = task / f->stretches, stretch = task % f->stretches, h = head % s->key_heads,
                  b = head / s->key_heads, first = stretch * STRETCH,
                  count = FL_MIN(s->keys - first, STRETCH);
    float *query = (float *)(x->t.scratch + (size_t)slice * f->slice_bytes), *scores = query + FEW * f->width,
          *room = scores + FEW * STRETCH, *result = part_of(x, head, stretch),
          *max = result + f->rows * f->value_width, *sum = max + f->rows;
    load_query(x, b, h, query);
    const int64_t key_step = f->convert_key ? KEYS : STRETCH, value_step = f->convert_value ? KEYS : STRETCH;
    for (int64_t k = 0; k < count; k += key_step) {
        const int64_t n = FL_MIN(count - k, key_step);
        const rows keys = find(f, &x->t.k, f->convert_key, b, h, first + k, n, s->width, f->width, room);
        f->simd->scores(scores + k, STRETCH, query, f->rows, keys.data, keys.dtype, keys.row, n, f->width);
    }
    for (int64_t r = 0; r < f->rows; r++) {
        float *row = scores + r * STRETCH;
        mask_row(x, b, h * f->shared.group + r / s->rows, r % s->rows, first, count, row);
        max[r] = f->simd->largest(row, count);
        sum[r] = f->simd->weigh(row, count, max[r] == -INFINITY ? 0 : max[r]);
    }
    for (int64_t k = 0; k < count; k += value_step) {
        const int64_t n = FL_MIN(count - k, value_step);
        const rows values =
            find(f, &x->t.v, f->convert_value, b, h, first + k, n, s->value_width, f->value_width, room);
        f->simd->values(result, scores + k, STRETCH, f->rows, values.data, values.dtype, values.row, n,
                        f->value_width, k > 0);
    }
}

/* The stretches of a head become one. */
static void put_together(const void *ctx, int64_t head, int slice)
{
    const run *x = ctx;
    const few *f = x->f;
    const fl_attention_spec *s = &f->shared.spec;
    const int64_t width = f->value_width, h = head % s->key_heads, b = head / s->key_heads;
    float *result = (float *)(x->t.scratch + (size_t)slice * f->slice_bytes);
    for (int64_t r = 0; r < f->rows; r++) {
        float max = -INFINITY, sum = 0, factor;
        for (int64_t i = 0; i < f->stretches; i++) {
            const float m = part_of(x, head, i)[f->rows * width + r];
            max = m > max ? m : max;
        }
        memset(result, 0, (size_t)width * sizeof *result);
        for (int64_t i = 0; i < f->stretches; i++) {
            const float *part = part_of(x, head, i), m = part[f->rows * width + r],
                        total = part[f->rows * width + f->rows + r];
            const float weight = m == -INFINITY && total == 0 ? 0 : exp2f(m - max);
            sum += total * weight;
            for (int64_t d = 0; d < width && weight != 0; d++) result[d] += weight * part[r * width + d];
        }
        float *log_sum =
            (float *)fl_attention_at(&x->t.log_sum, b, h * f->shared.group + r / s->rows, r % s->rows);
        factor = fl_attention_finish(&f->shared, max, sum, log_sum);
        f->shared.simd->store(fl_attention_at(&x->t.out, b, h * f->shared.group + r / s->rows, r % s->rows),
                              x->t.out.dtype, result, s->value_width, factor);
    }
}

static fl_status run_few(const fl_step *step, void *const *slots)
{
    const few *f = step->data;
    const fl_attention *a = &f->shared;
    run x = {.f = f, .t = fl_attention_forward_of(a, step, slots)};
    const int64_t heads = a->spec.batch * a->spec.key_heads;
    x.parts = (float *)(x.t.scratch + f->slice_bytes * (size_t)FL_MAX(f->slices, 1));
    fl_for_tasks(heads * f->stretches, f->slices, run_stretch, &x);
    fl_for_tasks(heads, f->slices, put_together, &x);
    return NULL;
}

/* Whether rows can be read where they are. */
static int is_plain(const fl_operand *o, int lanes)
{
    return o->dims[3] % lanes == 0 && o->strides[3] == 1;
}

fl_status fl_prepare_attention_few(fl_step *step, fl_arena *arena, const fl_attention *a)
{
    const fl_attention_spec *s = &a->spec;
    few *f = FL_NEW(arena, few);
    if (!f) return FL_NO_MEMORY();
    *f = (few){.shared = *a, .simd = FL_ISA_PICK(fl_attention_few_simd), .rows = a->group * s->rows};
    const int64_t heads = s->batch * s->key_heads;
    f->width = fl_round_up(s->width, a->simd->lanes);
    f->value_width = fl_round_up(s->value_width, a->simd->lanes);
    f->stretches = fl_div_up(s->keys, STRETCH);
    f->convert_key = !is_plain(&step->inputs[1], a->simd->lanes);
    f->convert_value = !is_plain(&step->inputs[2], a->simd->lanes);
    f->part_floats = (size_t)fl_round_up(f->rows * (f->value_width + 2), 16);
    f->slice_bytes = (size_t)(FEW * (f->width + STRETCH) + KEYS * FL_MAX(f->width, f->value_width) + 32) * 4;
    f->slice_bytes = (f->slice_bytes + 63) & ~(size_t)63;
    const double traffic = (double)(heads * s->keys) * (double)(s->width + s->value_width);
    f->slices = fl_task_slices(heads * FL_MAX(f->stretches, 1), traffic * (double)FL_MAX(f->rows / 2, 1) / 2);
    step->data = f;
    step->run = run_few;
    step->scratch_bytes = f->slice_bytes * (size_t)FL_MAX(f->slices, 1) +
                          f->part_floats * (size_t)(heads * f->stretches) * sizeof(float) + 64;
    step->cost = (int64_t)(traffic * (double)f->rows / 4) + fl_step_traffic(step);
    return NULL;
}
