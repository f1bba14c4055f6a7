/* Attention without the matrix of weights: for a block of query rows, keys are gone through block by block, with the maximum, the
 * sum and the result so far. One task computes blocks of rows of one key head, so results do not depend on threads. */
#include "cpu/kernels/attention_few.h"
#include "cpu/kernels/attention_tiles.h"

#include "cpu/kernels/gemm.h"

#include <math.h>
#include <string.h>

enum { ROWS = FL_ATTENTION_ROWS, KEYS = FL_ATTENTION_KEYS };

#define ENOUGH_TASKS    32
#define ENOUGH_IN_TILES 8 /* each packs keys and values */

/* A slice's scratch memory. */
typedef struct room {
    float *query, *scores, *result, *mask, *keys, *values;
    float max[ROWS], sum[ROWS], decay[ROWS];
    fl_attention_tiles tiles;
    int has_query; /* of this block: loaded */
} room;

typedef struct run {
    const fl_attention *a;
    fl_attention_forward t;
} run;

static size_t room_floats(const fl_attention *a)
{
    const fl_attention_spec *s = &a->spec;
    return (size_t)(ROWS * (s->width + fl_round_up(s->value_width, ROWS) + 2 * KEYS) +
                    fl_attention_side_floats(&a->key) + fl_attention_side_floats(&a->value) +
                    FL_ATTENTION_SLACK);
}

static size_t ordinary_bytes(const fl_attention *a)
{
    return (room_floats(a) * sizeof(float) + 63) & ~(size_t)63;
}

static void find_room(const fl_attention *a, char *scratch, room *r)
{
    const fl_attention_spec *s = &a->spec;
    r->query = (float *)scratch;
    r->scores = r->query + ROWS * s->width;
    r->mask = r->scores + ROWS * KEYS;
    r->result = r->mask + ROWS * KEYS;
    r->keys = r->result + ROWS * fl_round_up(s->value_width, ROWS);
    r->values = r->keys + fl_attention_side_floats(&a->key);
}

static void load_query(const run *x, const fl_attention_rows *r, room *m)
{
    if (!m->has_query)
        fl_attention_load_rows(x->a, r, &x->t.q, x->a->spec.width, x->t.scale * FL_LOG2E, 0, m->query);
    m->has_query = 1;
}

static void one_block(const run *x, const fl_attention_rows *r, room *m, int64_t key, int64_t keys)
{
    const fl_attention *a = x->a;
    const fl_attention_spec *s = &a->spec;
    const int tiles = a->tiles && fl_attention_tiles_take(&m->tiles, r, key);
    float factor = tiles ? x->t.scale * FL_LOG2E : 1; /* of the scores */
    if (tiles) {
        fl_attention_tiles_scores(&m->tiles, r, key, keys, m->scores);
        if (fl_attention_masks(a, r, key, keys) || !(factor > 0)) {
            a->simd->scale(m->scores, keys, r->columns, factor);
            factor = 1;
        }
    } else {
        fl_attention_keys k = fl_attention_find(a, &a->key, &x->t.k, r->b, r->h, key, keys, m->keys);
        load_query(x, r, m);
        fl_attention_scores(a, r, &k, keys, s->width, m->query, m->scores);
    }
    fl_attention_mask(a, r, s->bias ? &x->t.bias : NULL, s->mask ? &x->t.mask : NULL, key, keys, m->scores,
                      m->mask);
    a->simd->softmax(m->scores, keys, r->columns, factor, m->max, m->sum, m->decay);
    if (tiles) {
        fl_attention_tiles_values(&m->tiles, r, key, keys, m->scores, m->decay, m->result);
        return;
    }
    fl_attention_keys v = fl_attention_find(a, &a->value, &x->t.v, r->b, r->h, key, keys, m->values);
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
    char *scratch = x->t.scratch + (size_t)slice * a->slice_bytes;
    find_room(a, scratch, &m);
    fl_attention_keep(a, &a->key, &x->t.k, b, h, m.keys);
    fl_attention_keep(a, &a->value, &x->t.v, b, h, m.values);
    if (a->tiles) fl_attention_tiles_begin(&m.tiles, a, &x->t, scratch + ordinary_bytes(a));
    for (int64_t block = part * a->blocks_each; block < end; block++) {
        fl_attention_rows_begin(a, b, h, block, &r);
        m.has_query = 0;
        if (a->tiles) fl_attention_tiles_query(&m.tiles, &r);
        go_through(x, &r, &m, r.limit);
        if (r.limit < s->keys && !outweighed(a, &r, m.max)) go_through(x, &r, &m, s->keys);
        write_rows(x, &r, &m);
    }
    if (a->tiles) fl_attention_tiles_end();
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
    a->tiles = fl_attention_tiles_use(a, step);
    fl_attention_share(a, a->tiles ? ENOUGH_IN_TILES : ENOUGH_TASKS);
    if (a->tiles) a->key.kept = a->value.kept = 0; /* few blocks need them converted */
    const fl_attention_spec *s = &a->spec;
    const int64_t heads = s->batch * s->key_heads;
    const double work = (double)(heads * a->group * s->rows) * (double)s->keys *
                        (double)(s->width + s->value_width + 16) / (s->causal ? 2 : 1);
    a->slices = fl_task_slices(heads * a->parts, work / a->simd->lanes);
    a->slice_bytes = ordinary_bytes(a) + (a->tiles ? fl_attention_tiles_bytes(a, step) : 0);
    step->data = a;
    step->run = run_attention;
    step->scratch_bytes = a->slice_bytes * (size_t)FL_MAX(a->slices, 1);
    step->cost = (int64_t)(work / 4) + fl_step_traffic(step);
    return NULL;
}
