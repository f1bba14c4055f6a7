/* See attention_tiles.h. */
#include "cpu/kernels/attention_tiles.h"

#include "cpu/kernels/gemm_amx.h"

#include <math.h>
#include <string.h>

enum { ROWS = FL_ATTENTION_ROWS, KEYS = FL_ATTENTION_KEYS, SQUARE = FL_SPLIT_SQUARE };

#define MOST_BYTES (32 << 20) /* of packed keys and values, for a task */

/* Keys in the block that begins at `key`. */
static int64_t block_keys(const fl_attention *a, int64_t key)
{
    return FL_MIN(a->spec.keys - key, KEYS);
}

static int64_t packed_keys(const fl_attention *a, int parts)
{
    return fl_attention_key_blocks(a) *
           (fl_split_bytes(KEYS, a->spec.width, parts) + fl_split_bytes(a->spec.value_width, KEYS, parts));
}

int fl_attention_tiles_fit(const fl_attention *a, fl_dtype type)
{
    const fl_attention_spec *s = &a->spec;
    const int64_t least = FL_SPLIT_SQUARE - 8;
    if (s->width < least || s->value_width < least || s->keys < 48 || a->group * s->rows < 48) return 0;
    return type == FL_BF16 ? fl_amx_usable() : fl_split_uses(type, 64, 64, 64);
}

int fl_attention_tiles_use(const fl_attention *a, const fl_step *step)
{
    const fl_dtype type = (fl_dtype)step->inputs[0].dtype;
    if (step->inputs[1].dtype != type || step->inputs[2].dtype != type || step->outputs[0].dtype != type)
        return 0;
    return fl_attention_tiles_fit(a, type) && packed_keys(a, fl_split_parts(type)) <= MOST_BYTES;
}

/* The places of everything; `x` or `scratch` may be NULL. Returns how many bytes that is. */
static size_t lay_out(const fl_attention *a, int parts, fl_attention_tiles *x, char *scratch)
{
    const fl_attention_spec *s = &a->spec;
    const int64_t key_bytes = fl_split_bytes(KEYS, s->width, parts),
                  value_bytes = fl_split_bytes(s->value_width, KEYS, parts);
    const int64_t sizes[] = {fl_attention_key_blocks(a) * key_bytes,
                             fl_attention_key_blocks(a) * value_bytes,
                             fl_split_bytes(ROWS, s->width, parts),
                             fl_split_bytes(ROWS, KEYS, fl_attention_weight_parts(parts)),
                             ROWS * s->width * (int64_t)sizeof(float),
                             fl_div_up(s->value_width, SQUARE) * (int64_t)sizeof(uint32_t),
                             fl_attention_key_blocks(a)};
    int64_t at[8] = {0};
    for (int i = 0; i < 7; i++) at[i + 1] = fl_round_up(at[i] + sizes[i], 64);
    if (x)
        *x = (fl_attention_tiles){.a = a,
                                  .parts = parts,
                                  .weight_parts = fl_attention_weight_parts(parts),
                                  .key_bytes = key_bytes,
                                  .value_bytes = value_bytes,
                                  .keys = scratch + at[0],
                                  .values = scratch + at[1],
                                  .query = scratch + at[2],
                                  .weights = scratch + at[3],
                                  .rows = (float *)(scratch + at[4]),
                                  .largest = (uint32_t *)(scratch + at[5]),
                                  .state = (uint8_t *)scratch + at[6]};
    return (size_t)at[7];
}

size_t fl_attention_tiles_bytes(const fl_attention *a, const fl_step *step)
{
    return lay_out(a, fl_split_parts((fl_dtype)step->inputs[0].dtype), NULL, NULL);
}

void fl_attention_tiles_begin(fl_attention_tiles *x, const fl_attention *a, const fl_attention_forward *t,
                              char *scratch)
{
    lay_out(a, fl_split_parts(t->q.dtype), x, scratch);
    x->t = t;
    memset(x->state, 0, (size_t)fl_attention_key_blocks(a));
    fl_amx_begin();
}

void fl_attention_tiles_end(void)
{
    fl_amx_end();
}

static uint32_t largest_of(const uint32_t *largest, int64_t n)
{
    uint32_t most = 0;
    for (int64_t i = 0; i < fl_div_up(n, SQUARE); i++) most = FL_MAX(most, largest[i]);
    return most;
}

void fl_attention_tiles_query(fl_attention_tiles *x, const fl_attention_rows *r)
{
    const int64_t width = x->a->spec.width;
    uint32_t largest[ROWS / SQUARE];
    fl_attention_load_rows(x->a, r, &x->t->q, width, 1, width, x->rows);
    fl_split_pack(x->query, largest, x->rows, FL_F32, x->parts, width, 1, r->count, width, 1);
    x->query_fits = FL_SPLIT_EXPONENT(largest_of(largest, r->count)) < FL_SPLIT_HIGHEST &&
                    fabsf(x->t->scale) < (float)(1ull << FL_SPLIT_HIGHEST);
}

/* Weights reach one: values whose largest is tiny would lose their parts. */
static int values_fit(const uint32_t *largest, int64_t width)
{
    for (int64_t i = 0; i < fl_div_up(width, SQUARE); i++)
        if (largest[i] && (FL_SPLIT_EXPONENT(largest[i]) >= FL_SPLIT_HIGHEST ||
                           FL_SPLIT_EXPONENT(largest[i]) < FL_SPLIT_LOWEST))
            return 0;
    return 1;
}

/* Packs a block of keys, of which rows of the left operand are made, and of values, whose columns are. */
static int pack_block(fl_attention_tiles *x, const fl_attention_rows *r, int64_t key)
{
    const fl_attention_spec *s = &x->a->spec;
    const fl_attention_array *k = &x->t->k, *v = &x->t->v;
    const int64_t block = key / KEYS, n = block_keys(x->a, key);
    uint32_t largest[KEYS / SQUARE];
    fl_split_pack(x->keys + block * x->key_bytes, largest, fl_attention_at(k, r->b, r->h, key), k->dtype,
                  x->parts, k->strides[2], k->strides[3], n, s->width, 0);
    if (FL_SPLIT_EXPONENT(largest_of(largest, n)) >= FL_SPLIT_HIGHEST) return 0;
    fl_split_pack(x->values + block * x->value_bytes, x->largest, fl_attention_at(v, r->b, r->h, key),
                  v->dtype, x->parts, v->strides[3], v->strides[2], s->value_width, n, 0);
    return values_fit(x->largest, s->value_width);
}

int fl_attention_tiles_take(fl_attention_tiles *x, const fl_attention_rows *r, int64_t key)
{
    uint8_t *state = &x->state[key / KEYS];
    if (!x->query_fits) return 0;
    if (!*state) *state = pack_block(x, r, key) ? 1 : 2;
    return *state == 1;
}

void fl_attention_tiles_multiply(const fl_attention_tiles_product *p)
{
    const int64_t strip = fl_split_steps(p->depth), a_step = p->a_parts * FL_SPLIT_TILE,
                  b_step = p->b_parts * FL_SPLIT_TILE, columns = fl_div_up(p->n, SQUARE);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < (p->rows ? p->rows[j] : fl_div_up(p->m, SQUARE)); i++) {
            const int64_t begin = p->begin ? p->begin[i] : 0, end = p->end ? p->end[j] : strip;
            if (p->add && begin >= end) continue;
            fl_split_square(p->a_parts, p->b_parts, p->a + (2 * i * strip + begin) * a_step,
                            p->b + (2 * j * strip + begin) * b_step, end - begin, strip, p->add,
                            p->c + i * SQUARE * p->c_row + j * SQUARE, p->c_row);
        }
}

void fl_attention_tiles_scores(const fl_attention_tiles *x, const fl_attention_rows *r, int64_t key,
                               int64_t keys, float *scores)
{
    const fl_attention_tiles_product p = {.a_parts = x->parts,
                                          .b_parts = x->parts,
                                          .a = x->keys + key / KEYS * x->key_bytes,
                                          .b = x->query,
                                          .m = keys,
                                          .n = r->count,
                                          .depth = x->a->spec.width,
                                          .c = scores,
                                          .c_row = ROWS};
    fl_attention_tiles_multiply(&p);
}

/* Most blocks have no new maximum for any row. */
static int stays(const float *decay, int64_t columns)
{
    int same = 1;
    for (int64_t i = 0; i < columns; i++) same &= decay[i] == 1;
    return same;
}

void fl_attention_tiles_values(const fl_attention_tiles *x, const fl_attention_rows *r, int64_t key,
                               int64_t keys, float *weights, const float *decay, float *result)
{
    const int64_t width = x->a->spec.value_width, all = block_keys(x->a, key);
    uint32_t largest[ROWS / SQUARE];
    memset(weights + keys * ROWS, 0, (size_t)((all - keys) * ROWS) * sizeof *weights);
    fl_split_pack(x->weights, largest, weights, FL_F32, x->weight_parts, 1, ROWS, r->columns, all, 1);
    if (key && !stays(decay, r->columns)) x->a->simd->decay(result, width, r->columns, decay);
    const fl_attention_tiles_product p = {.a_parts = x->parts,
                                          .b_parts = x->weight_parts,
                                          .a = x->values + key / KEYS * x->value_bytes,
                                          .b = x->weights,
                                          .m = width,
                                          .n = r->columns,
                                          .depth = all,
                                          .c = result,
                                          .c_row = ROWS,
                                          .add = key > 0};
    fl_attention_tiles_multiply(&p);
}
