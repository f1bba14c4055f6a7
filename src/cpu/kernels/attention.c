/* Attention without the matrix of weights: for a block of query rows, keys are gone through block by block, with the maximum, the
 * sum and the result so far. One task computes blocks of rows of one key head, so results do not depend on threads. */
#include "cpu/kernels/attention_few.h"

#include "cpu/kernels/gemm.h"

#include <math.h>
#include <string.h>

enum { ROWS = FL_ATTENTION_ROWS, KEYS = FL_ATTENTION_KEYS };

#define ENOUGH_TASKS 32

/* A slice's scratch memory. */
typedef struct room {
    float *query, *scores, *result, *mask, *keys, *values;
    float max[ROWS], sum[ROWS], decay[ROWS];
} room;

typedef struct run {
    const fl_attention *a;
    fl_attention_forward t;
} run;

static size_t room_floats(const fl_attention *a)
{
    const fl_attention_spec *s = &a->spec;
    return (size_t)(ROWS * (s->width + s->value_width + 2 * KEYS) + fl_attention_side_floats(&a->key) +
                    fl_attention_side_floats(&a->value) + FL_ATTENTION_SLACK);
}

static void find_room(const fl_attention *a, char *scratch, room *r)
{
    const fl_attention_spec *s = &a->spec;
    r->query = (float *)scratch;
    r->scores = r->query + ROWS * s->width;
    r->mask = r->scores + ROWS * KEYS;
    r->result = r->mask + ROWS * KEYS;
    r->keys = r->result + ROWS * s->value_width;
    r->values = r->keys + fl_attention_side_floats(&a->key);
}

static void one_block(const run *x, const fl_attention_rows *r, room *m, int64_t key, int64_t keys)
{
    const fl_attention *a = x->a;
    const fl_attention_spec *s = &a->spec;
    fl_attention_keys k = fl_attention_find(a, &a->key, &x->t.k, r->b, r->h, key, keys, m->keys),
                      v = fl_attention_find(a, &a->value, &x->t.v, r->b, r->h, key, keys, m->values);
    fl_attention_scores(a, r, &k, keys, s->width, m->query, m->scores);
    fl_attention_mask(a, r, s->bias ? &x->t.bias : NULL, s->mask ? &x->t.mask : NULL, key, keys, m->scores,
                      m->mask);
    a->simd->softmax(m->scores, keys, r->columns, m->max, m->sum, m->decay);
    const fl_attention_product p = {.a = v.data,
                                    .a_row = v.step,
                                    .a_step = v.row,
                                    .b = m->scores,
                                    .b_row = ROWS,
                                    .c = m->result,
                                    .c_row = ROWS,
                                    .scale = m->decay,
                                    .m = s->value_width,
                                    .n = r->columns,
                                    .k = keys,
                                    .add = key > 0};
    a->simd->product(&p);
}

static void go_through(const run *x, const fl_attention_rows *r, room *m, int64_t limit)
{
    for (int i = 0; i < ROWS; i++) m->max[i] = -INFINITY, m->sum[i] = 0;
    if (limit <= 0) memset(m->result, 0, (size_t)(ROWS * x->a->spec.value_width) * sizeof *m->result);
    for (int64_t key = 0; key < limit; key += KEYS) one_block(x, r, m, key, FL_MIN(limit - key, KEYS));
}

/* Whether excluded keys weigh nothing beside what each row has seen. */
static int outweighed(const fl_attention *a, const fl_attention_rows *r, const float *max)
{
    if (a->fill == -INFINITY) return 1;
    for (int64_t i = 0; i < r->count; i++)
        if (!(max[i] > a->fill + 160)) return 0;
    return 1;
}

static void write_rows(const run *x, const fl_attention_rows *r, room *m)
{
    const fl_attention *a = x->a;
    float factor[ROWS + FL_ATTENTION_SLACK] = {0}, log_sum[ROWS];
    for (int64_t i = 0; i < ROWS; i++) factor[i] = fl_attention_finish(a, m->max[i], m->sum[i], &log_sum[i]);
    FL_ATTENTION_RUNS(a, r, at, head, row, n)
    {
        a->simd->store_transposed(fl_attention_at(&x->t.out, r->b, head, row), x->t.out.dtype,
                                  x->t.out.strides[2], m->result + at, ROWS, n, a->spec.value_width,
                                  factor + at);
        memcpy(fl_attention_at(&x->t.log_sum, r->b, head, row), log_sum + at, (size_t)n * sizeof *log_sum);
    }
}

static void run_task(const void *ctx, int64_t task, int slice)
{
    const run *x = ctx;
    const fl_attention *a = x->a;
    const fl_attention_spec *s = &a->spec;
    const int64_t part = task % a->parts, h = task / a->parts % s->key_heads,
                  b = task / a->parts / s->key_heads;
    const int64_t end = FL_MIN((part + 1) * a->blocks_each, a->blocks);
    room m;
    fl_attention_rows r;
    find_room(a, x->t.scratch + (size_t)slice * a->slice_bytes, &m);
    fl_attention_keep(a, &a->key, &x->t.k, b, h, m.keys);
    fl_attention_keep(a, &a->value, &x->t.v, b, h, m.values);
    for (int64_t block = part * a->blocks_each; block < end; block++) {
        fl_attention_rows_begin(a, b, h, block, &r);
        fl_attention_load_rows(a, &r, &x->t.q, s->width, x->t.scale * FL_LOG2E, 0, m.query);
        go_through(x, &r, &m, r.limit);
        if (r.limit < s->keys && !outweighed(a, &r, m.max)) go_through(x, &r, &m, s->keys);
        write_rows(x, &r, &m);
    }
}

static fl_status run_attention(const fl_step *step, void *const *slots)
{
    const fl_attention *a = step->data;
    run x = {.a = a, .t = fl_attention_forward_of(a, step, slots)};
    fl_for_tasks(a->spec.batch * a->spec.key_heads * a->parts, a->slices, run_task, &x);
    return NULL;
}

fl_status fl_prepare_attention(const fl_program *program, fl_step *step, fl_arena *arena)
{
    fl_attention *a = FL_NEW(arena, fl_attention);
    if (!a) return FL_NO_MEMORY();
    FL_TRY(fl_attention_plan(program, step, 4, a));
    if (a->group * a->spec.rows <= FL_ATTENTION_FEW) return fl_prepare_attention_few(step, arena, a);
    fl_attention_share(a, ENOUGH_TASKS);
    const fl_attention_spec *s = &a->spec;
    const int64_t heads = s->batch * s->key_heads;
    const double work = (double)(heads * a->group * s->rows) * (double)s->keys *
                        (double)(s->width + s->value_width + 16) / (s->causal ? 2 : 1);
    a->slices = fl_task_slices(heads * a->parts, work / a->simd->lanes);
    a->slice_bytes = (room_floats(a) * 4 + 63) & ~(size_t)63;
    step->data = a;
    step->run = run_attention;
    step->scratch_bytes = a->slice_bytes * (size_t)FL_MAX(a->slices, 1);
    step->cost = (int64_t)(work / 4) + fl_step_traffic(step);
    return NULL;
}
