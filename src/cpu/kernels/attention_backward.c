/* Gradients of attention: the weights of a block are computed again from the scores and logsumexp, and five products are made of
 * them. A task goes through blocks of query rows, and for each through the keys; it adds up the gradients of keys and values
 * of its own. Where several tasks share a key head, their sums are added in the end, in order. */
#include "cpu/kernels/attention_backward_tiles.h"

#include <math.h>
#include <string.h>

enum { ROWS = FL_ATTENTION_ROWS, KEYS = FL_ATTENTION_KEYS };

#define ENOUGH_TASKS 8
#define MOST_SUMS    (64 << 20) /* bytes of sums; beyond that a key head is one task */

typedef struct backward {
    fl_attention shared;
    int64_t width, value_width; /* in whole vectors; with tiles in whole squares */
    int64_t unit;               /* of rows and keys, whose numbers are whole vectors or squares */
    size_t sums_bytes;          /* of a task */
} backward;

/* A slice's scratch memory. t: [width][rows], n: [rows][width in whole vectors] */
typedef struct room {
    float *query_t, *query_n, *grad_t, *grad_n, *out_n, *result_t, *scores, *slopes, *mask, *keys, *values;
    float shift[ROWS], delta[ROWS];
    uint8_t blind[ROWS];
    int any_blind;
    int turned; /* query_t and grad_t of this block are there */
    fl_backward_tiles tiles;
} room;

typedef struct run {
    const backward *f;
    fl_attention_array grad, q, k, v, out, log_sum, bias, mask, dq, dk, dv;
    float scale;
    char *sums, *scratch;
} run;

static size_t room_floats(const backward *f)
{
    const fl_attention *a = &f->shared;
    const fl_attention_spec *s = &a->spec;
    return (size_t)(ROWS * (s->width + 2 * f->width + s->value_width + 2 * f->value_width + 3 * KEYS) +
                    fl_attention_side_floats(&a->key) + fl_attention_side_floats(&a->value) +
                    FL_ATTENTION_SLACK);
}

static size_t ordinary_bytes(const backward *f)
{
    return (room_floats(f) * sizeof(float) + 63) & ~(size_t)63;
}

static void find_room(const backward *f, char *scratch, room *r)
{
    const fl_attention_spec *s = &f->shared.spec;
    r->query_t = (float *)scratch;
    r->query_n = r->query_t + ROWS * s->width;
    r->grad_t = r->query_n + ROWS * f->width;
    r->grad_n = r->grad_t + ROWS * s->value_width;
    r->out_n = r->grad_n + ROWS * f->value_width;
    r->result_t = r->out_n + ROWS * f->value_width;
    r->scores = r->result_t + ROWS * f->width;
    r->slopes = r->scores + ROWS * KEYS;
    r->mask = r->slopes + ROWS * KEYS;
    r->keys = r->mask + ROWS * KEYS;
    r->values = r->keys + fl_attention_side_floats(&f->shared.key);
    /* rows are loaded into whole vectors: what lies beyond their width stays zero */
    memset(r->query_n, 0, (size_t)(ROWS * f->width) * sizeof(float));
    memset(r->grad_n, 0, (size_t)(2 * ROWS * f->value_width) * sizeof(float));
}

static void load_block(const run *x, fl_attention_rows *r, room *m)
{
    const backward *f = x->f;
    const fl_attention *a = &f->shared;
    const fl_attention_spec *s = &a->spec;
    r->columns = fl_round_up(r->count, f->unit);
    m->turned = 0;
    fl_attention_load_rows(a, r, &x->q, s->width, 1, f->width, m->query_n);
    fl_attention_load_rows(a, r, &x->grad, s->value_width, 1, f->value_width, m->grad_n);
    fl_attention_load_rows(a, r, &x->out, s->value_width, 1, f->value_width, m->out_n);
    a->simd->dots(m->delta, m->grad_n, m->out_n, f->value_width, r->columns);
    for (int i = 0; i < ROWS; i++) m->shift[i] = 0, m->blind[i] = 0;
    m->any_blind = 0;
    FL_ATTENTION_RUNS(a, r, at, head, row, n)
    for (int64_t i = 0; i < n; i++) {
        const float log_sum = *(const float *)fl_attention_at(&x->log_sum, r->b, head, row + i);
        m->blind[at + i] = (uint8_t)fl_attention_blind(s->fill, log_sum);
        m->any_blind |= m->blind[at + i];
        m->shift[at + i] = log_sum * FL_LOG2E;
    }
    if (a->tiles) fl_backward_tiles_rows(&m->tiles, r, m->query_n, m->grad_n);
}

/* scores = key . query, scaled, slopes = value . gradient of out */
static void ordinary_scores(const run *x, const fl_attention_rows *r, room *m, const fl_attention_keys *k,
                            int64_t key, int64_t keys)
{
    const fl_attention *a = &x->f->shared;
    const fl_attention_spec *s = &a->spec;
    const fl_attention_keys v = fl_attention_find(a, &a->value, &x->v, r->b, r->h, key, keys, m->values);
    if (!m->turned) {
        fl_attention_load_rows(a, r, &x->q, s->width, x->scale * FL_LOG2E, 0, m->query_t);
        fl_attention_load_rows(a, r, &x->grad, s->value_width, 1, 0, m->grad_t);
    }
    m->turned = 1;
    fl_attention_scores(a, r, k, keys, s->width, m->query_t, m->scores);
    fl_attention_scores(a, r, &v, keys, s->value_width, m->grad_t, m->slopes);
}

/* Scores of excluded keys are constants: they have no slope, even where they weigh something. */
static void hide_slopes(const run *x, const fl_attention_rows *r, room *m, int64_t key, int64_t keys)
{
    fl_attention zero = x->f->shared;
    zero.fill = 0;
    fl_attention_mask(&zero, r, NULL, zero.spec.mask ? &x->mask : NULL, key, keys, m->slopes, m->mask);
}

static void weigh_alike(const fl_attention *a, const fl_attention_rows *r, room *m, int64_t keys)
{
    for (int64_t k = 0; k < keys; k++)
        for (int64_t i = 0; i < r->count; i++)
            if (m->blind[i]) m->scores[k * ROWS + i] = 1 / (float)a->spec.keys;
}

/* sums[keys][width] += weights[keys][rows] x[rows][width] */
static void add_sums(const fl_attention *a, const fl_attention_rows *r, const float *weights, const float *x,
                     int64_t width, int64_t keys, float *sums)
{
    const fl_attention_product p = {.a = weights,
                                    .a_row = ROWS,
                                    .a_step = 1,
                                    .b = x,
                                    .b_row = width,
                                    .c = sums,
                                    .c_row = width,
                                    .m = keys,
                                    .n = width,
                                    .k = r->count,
                                    .add = 1};
    a->simd->product(&p);
}

/* Adds to the gradients of keys, values and queries what weights and slopes say. */
static void ordinary_sums(const run *x, const fl_attention_rows *r, room *m, const fl_attention_keys *k,
                          int64_t key, int64_t keys, float *dk, float *dv)
{
    const backward *f = x->f;
    const fl_attention *a = &f->shared;
    add_sums(a, r, m->slopes, m->query_n, f->width, keys, dk);
    add_sums(a, r, m->scores, m->grad_n, f->value_width, keys, dv);
    const fl_attention_product p = {.a = k->data,
                                    .a_row = k->step,
                                    .a_step = k->row,
                                    .b = m->slopes,
                                    .b_row = ROWS,
                                    .c = m->result_t,
                                    .c_row = ROWS,
                                    .m = a->spec.width,
                                    .n = r->columns,
                                    .k = keys,
                                    .add = key > 0};
    a->simd->product(&p);
}

/* Weights and their slopes of a block, from scores times `factor`. */
static void weigh(const run *x, const fl_attention_rows *r, room *m, int64_t key, int64_t keys, float factor)
{
    const fl_attention *a = &x->f->shared;
    if (factor != 1 && fl_attention_masks(a, r, key, keys)) {
        a->simd->scale(m->scores, keys, r->columns, factor);
        factor = 1;
    }
    fl_attention_mask(a, r, a->spec.bias ? &x->bias : NULL, a->spec.mask ? &x->mask : NULL, key, keys,
                      m->scores, m->mask);
    a->simd->slopes(m->scores, m->slopes, keys, r->columns, factor, m->shift, m->delta);
    if (a->fill != -INFINITY) hide_slopes(x, r, m, key, keys);
    if (m->any_blind) weigh_alike(a, r, m, keys);
}

static void one_block(const run *x, const fl_attention_rows *r, room *m, int64_t key, int64_t keys,
                      float *sums)
{
    const backward *f = x->f;
    const fl_attention *a = &f->shared;
    float *dk = sums + key * f->width,
          *dv = sums + fl_round_up(a->spec.keys, f->unit) * f->width + key * f->value_width;
    const int tiles = a->tiles && fl_backward_tiles_scores(&m->tiles, r, key, keys, m->scores, m->slopes);
    fl_attention_keys k = {0};
    if (!tiles) {
        k = fl_attention_find(a, &a->key, &x->k, r->b, r->h, key, keys, m->keys);
        ordinary_scores(x, r, m, &k, key, keys);
    }
    weigh(x, r, m, key, keys, tiles ? x->scale * FL_LOG2E : 1);
    if (tiles && fl_backward_tiles_sums(&m->tiles, r, key, keys, m->scores, m->slopes, dk, dv, m->result_t))
        return;
    if (tiles) k = fl_attention_find(a, &a->key, &x->k, r->b, r->h, key, keys, m->keys);
    ordinary_sums(x, r, m, &k, key, keys, dk, dv);
}

/* Excluded keys weigh something only in rows that see nothing else. */
static int64_t key_limit(const fl_attention *a, const fl_attention_rows *r, const room *m)
{
    if (a->fill == -INFINITY || r->limit == a->spec.keys) return r->limit;
    for (int64_t i = 0; i < r->count; i++)
        if (!(m->shift[i] > a->fill + 160)) return a->spec.keys;
    return r->limit;
}

static void store_sums(const run *x, int64_t b, int64_t h, const float *sums)
{
    const backward *f = x->f;
    const fl_attention_spec *s = &f->shared.spec;
    const fl_attention_simd *simd = f->shared.simd;
    for (int64_t i = 0; i < s->keys; i++)
        simd->store(fl_attention_at(&x->dk, b, h, i), x->dk.dtype, sums + i * f->width, s->width, x->scale);
    sums += fl_round_up(s->keys, f->unit) * f->width;
    for (int64_t i = 0; i < s->keys; i++)
        simd->store(fl_attention_at(&x->dv, b, h, i), x->dv.dtype, sums + i * f->value_width, s->value_width,
                    1);
}

static void run_task(const void *ctx, int64_t task, int slice)
{
    const run *x = ctx;
    const backward *f = x->f;
    const fl_attention *a = &f->shared;
    const fl_attention_spec *s = &a->spec;
    const int64_t part = task % a->parts, h = task / a->parts % s->key_heads,
                  b = task / a->parts / s->key_heads;
    const int64_t end = FL_MIN((part + 1) * a->blocks_each, a->blocks);
    float *sums = (float *)(x->sums + (size_t)(a->parts > 1 ? task : slice) * f->sums_bytes),
          factor[ROWS + FL_ATTENTION_SLACK];
    room m;
    fl_attention_rows r;
    char *scratch = x->scratch + (size_t)slice * a->slice_bytes;
    find_room(f, scratch, &m);
    memset(sums, 0, f->sums_bytes);
    fl_attention_keep(a, &a->key, &x->k, b, h, m.keys);
    fl_attention_keep(a, &a->value, &x->v, b, h, m.values);
    if (a->tiles) fl_backward_tiles_begin(&m.tiles, a, &x->k, &x->v, scratch + ordinary_bytes(f));
    for (int i = 0; i < ROWS + FL_ATTENTION_SLACK; i++) factor[i] = x->scale;
    for (int64_t block = part * a->blocks_each; block < end; block++) {
        fl_attention_rows_begin(a, b, h, block, &r);
        load_block(x, &r, &m);
        const int64_t limit = key_limit(a, &r, &m);
        if (limit <= 0) memset(m.result_t, 0, (size_t)(ROWS * s->width) * sizeof *m.result_t);
        for (int64_t key = 0; key < limit; key += KEYS)
            one_block(x, &r, &m, key, FL_MIN(limit - key, KEYS), sums);
        FL_ATTENTION_RUNS(a, &r, at, head, row, n)
        a->simd->store_transposed(fl_attention_at(&x->dq, b, head, row), x->dq.dtype, x->dq.strides[2],
                                  m.result_t + at, ROWS, n, s->width, factor);
    }
    if (a->tiles) fl_backward_tiles_end();
    if (a->parts == 1) store_sums(x, b, h, sums);
}

/* Of one key head: the sums of its tasks. */
static void add_parts(const void *ctx, int64_t task, int slice)
{
    const run *x = ctx;
    const backward *f = x->f;
    const fl_attention *a = &f->shared;
    (void)slice;
    float *sums = (float *)(x->sums + (size_t)(task * a->parts) * f->sums_bytes);
    const size_t floats = f->sums_bytes / sizeof *sums;
    for (int64_t part = 1; part < a->parts; part++) {
        const float *more = sums + (size_t)part * floats;
        for (size_t i = 0; i < floats; i++) sums[i] += more[i];
    }
    store_sums(x, task / a->spec.key_heads, task % a->spec.key_heads, sums);
}

static fl_status run_backward(const fl_step *step, void *const *slots)
{
    const backward *f = step->data;
    const fl_attention *a = &f->shared;
    const fl_operand *in = step->inputs, *out = step->outputs;
    const int64_t heads = a->spec.batch * a->spec.key_heads;
    run x = {.f = f, .scale = *(const float *)fl_operand_pointer(&in[6], slots)};
    fl_attention_array *const arrays[] = {&x.grad, &x.q, &x.k, &x.v, &x.out, &x.log_sum};
    for (int i = 0; i < 6; i++) *arrays[i] = fl_attention_array_of(&in[i], slots);
    if (a->bias_input >= 0) x.bias = fl_attention_array_of(&in[a->bias_input], slots);
    if (a->mask_input >= 0) x.mask = fl_attention_array_of(&in[a->mask_input], slots);
    x.dq = fl_attention_array_of(&out[0], slots);
    x.dk = fl_attention_array_of(&out[1], slots);
    x.dv = fl_attention_array_of(&out[2], slots);
    x.scratch = slots[step->scratch_slot];
    x.sums = x.scratch + a->slice_bytes * (size_t)FL_MAX(a->slices, 1);
    fl_for_tasks(heads * a->parts, a->slices, run_task, &x);
    if (a->parts > 1) fl_for_tasks(heads, a->slices, add_parts, &x);
    if (a->parts == 0) { /* no rows */
        memset(x.dk.data, 0, fl_operand_bytes(&out[1]));
        memset(x.dv.data, 0, fl_operand_bytes(&out[2]));
    }
    return NULL;
}

fl_status fl_prepare_attention_backward(const fl_program *program, fl_step *step, fl_arena *arena)
{
    backward *f = FL_NEW(arena, backward);
    if (!f) return FL_NO_MEMORY();
    fl_attention *a = &f->shared;
    FL_TRY(fl_attention_plan(program, step, 7, a));
    const fl_attention_spec *s = &a->spec;
    const int64_t heads = s->batch * s->key_heads;
    a->tiles = fl_backward_tiles_use(a, step);
    f->unit = a->tiles ? FL_SPLIT_SQUARE : a->simd->lanes;
    f->width = fl_round_up(s->width, f->unit);
    f->value_width = fl_round_up(s->value_width, f->unit);
    f->sums_bytes =
        (size_t)fl_round_up(fl_round_up(s->keys, f->unit) * (f->width + f->value_width), 16) * sizeof(float);
    fl_attention_share(a, (size_t)ENOUGH_TASKS * f->sums_bytes <= MOST_SUMS ? ENOUGH_TASKS : 1);
    if (a->tiles) a->key.kept = a->value.kept = 0; /* few blocks need them converted */
    const double work = (double)(heads * a->group * s->rows) * (double)s->keys *
                        (double)(3 * s->width + 2 * s->value_width + 24) / (s->causal ? 2 : 1);
    a->slices = fl_task_slices(heads * a->parts, work / a->simd->lanes);
    a->slice_bytes =
        ordinary_bytes(f) + (a->tiles ? fl_backward_tiles_bytes(a, (fl_dtype)step->inputs[1].dtype) : 0);
    const int64_t slices = FL_MAX(a->slices, 1);
    step->data = f;
    step->run = run_backward;
    step->scratch_bytes =
        a->slice_bytes * (size_t)slices + f->sums_bytes * (size_t)(a->parts > 1 ? heads * a->parts : slices);
    step->cost = (int64_t)(work / 4) + fl_step_traffic(step);
    return NULL;
}
