/* See attention_backward_tiles.h. */
#include "cpu/kernels/attention_backward_tiles.h"

#include "cpu/kernels/attention_tiles.h"
#include "cpu/kernels/gemm_amx.h"

#include <math.h>
#include <string.h>

enum { ROWS = FL_ATTENTION_ROWS, KEYS = FL_ATTENTION_KEYS, SQUARE = FL_SPLIT_SQUARE };

#define MOST_BYTES (48 << 20) /* of packed keys and values, for a task */

/* The places of everything; `x` or `scratch` may be NULL. Returns how many bytes that is. */
static size_t lay_out(const fl_attention *a, int parts, fl_backward_tiles *x, char *scratch)
{
    enum { COUNT = 12 };
    const fl_attention_spec *s = &a->spec;
    const int weight_parts = fl_attention_weight_parts(parts);
    const int64_t width = fl_round_up(s->width, SQUARE), value_width = fl_round_up(s->value_width, SQUARE),
                  key_bytes = fl_split_bytes(KEYS, width, parts),
                  value_bytes = fl_split_bytes(KEYS, value_width, parts),
                  block_bytes = fl_split_bytes(KEYS, ROWS, weight_parts), blocks = fl_attention_key_blocks(a);
    const int64_t sizes[COUNT] = {blocks * key_bytes,
                                  blocks * key_bytes,
                                  blocks * value_bytes,
                                  key_bytes,
                                  key_bytes,
                                  value_bytes,
                                  value_bytes,
                                  block_bytes,
                                  block_bytes,
                                  block_bytes,
                                  KEYS * FL_MAX(width, value_width) * (int64_t)sizeof(float),
                                  blocks * (int64_t)sizeof(fl_backward_key)};
    int64_t at[COUNT + 1] = {0};
    for (int i = 0; i < COUNT; i++) at[i + 1] = fl_round_up(at[i] + sizes[i], 64);
    if (!x) return (size_t)at[COUNT];
    *x = (fl_backward_tiles){.a = a,
                             .parts = parts,
                             .weight_parts = weight_parts,
                             .width = width,
                             .value_width = value_width,
                             .key_bytes = key_bytes,
                             .value_bytes = value_bytes,
                             .rows = (float *)(scratch + at[10]),
                             .blocks = (fl_backward_key *)(scratch + at[11])};
    char **const places[] = {&x->keys,       &x->turned_keys,  &x->values,    &x->query_right,
                             &x->query_rows, &x->grad_right,   &x->grad_rows, &x->weights,
                             &x->slopes,     &x->turned_slopes};
    for (int i = 0; i < 10; i++) *places[i] = scratch + at[i];
    return (size_t)at[COUNT];
}

int fl_backward_tiles_use(const fl_attention *a, const fl_step *step)
{
    const fl_dtype type = (fl_dtype)step->inputs[1].dtype;
    for (int i = 0; i < 5; i++)
        if (step->inputs[i].dtype != type) return 0;
    for (int i = 0; i < 3; i++)
        if (step->outputs[i].dtype != type) return 0;
    return fl_attention_tiles_fit(a, type) && lay_out(a, fl_split_parts(type), NULL, NULL) <= MOST_BYTES;
}

size_t fl_backward_tiles_bytes(const fl_attention *a, fl_dtype type)
{
    return lay_out(a, fl_split_parts(type), NULL, NULL);
}

void fl_backward_tiles_begin(fl_backward_tiles *x, const fl_attention *a, const fl_attention_array *k,
                             const fl_attention_array *v, char *scratch)
{
    lay_out(a, fl_split_parts(k->dtype), x, scratch);
    x->k = k, x->v = v;
    memset(x->blocks, 0, (size_t)fl_attention_key_blocks(a) * sizeof *x->blocks);
    fl_amx_begin();
}

void fl_backward_tiles_end(void)
{
    fl_amx_end();
}

void fl_backward_tiles_rows(fl_backward_tiles *x, const fl_attention_rows *r, const float *query,
                            const float *grad)
{
    x->query_largest = fl_split_pack_block(FL_SPLIT_RIGHT, x->query_right, x->query_rows, query, x->width,
                                           x->parts, r->columns, x->width);
    x->grad_largest = fl_split_pack_block(FL_SPLIT_RIGHT, x->grad_right, x->grad_rows, grad, x->value_width,
                                          x->parts, r->columns, x->value_width);
}

/* `n` rows of keys or values as f32 in whole squares; zeros beyond. Returns how many rows that is. */
static int64_t load_block(const fl_backward_tiles *x, const fl_attention_array *in,
                          const fl_attention_rows *r, int64_t key, int64_t n, int64_t width, int64_t padded)
{
    const int64_t all = fl_round_up(n, SQUARE);
    if (all > n || padded > width) memset(x->rows, 0, (size_t)(all * padded) * sizeof *x->rows);
    x->a->simd->load(x->rows, padded, fl_attention_at(in, r->b, r->h, key), in->dtype, in->strides[2],
                     in->strides[3], n, width, 1, 0);
    return all;
}

static const fl_backward_key *find_block(fl_backward_tiles *x, const fl_attention_rows *r, int64_t key)
{
    const fl_attention_spec *s = &x->a->spec;
    const int64_t i = key / KEYS, n = FL_MIN(s->keys - key, KEYS);
    fl_backward_key *block = &x->blocks[i];
    if (block->packed) return block;
    block->packed = 1;
    int64_t all = load_block(x, x->k, r, key, n, s->width, x->width);
    block->key =
        fl_split_pack_block(FL_SPLIT_LEFT, x->keys + i * x->key_bytes, x->turned_keys + i * x->key_bytes,
                            x->rows, x->width, x->parts, all, x->width);
    all = load_block(x, x->v, r, key, n, s->value_width, x->value_width);
    block->value = fl_split_pack_block(FL_SPLIT_ROWS, x->values + i * x->value_bytes, NULL, x->rows,
                                       x->value_width, x->parts, all, x->value_width);
    return block;
}

static void cut_block(fl_backward_tiles *x, const fl_attention_rows *r, int64_t key, int64_t keys)
{
    fl_backward_cut *cut = &x->cut;
    const int64_t all = fl_div_up(keys, SQUARE), columns = r->columns / SQUARE;
    const int some = x->a->spec.causal && x->a->fill == -INFINITY && key + keys > r->seen;
    for (int64_t i = 0; i < all; i++) cut->first[i] = some ? columns : 0;
    for (int64_t j = columns - 1; j >= 0; j--) {
        int64_t last = some ? -1 : key + keys - 1;
        for (int64_t i = j * SQUARE; some && i < FL_MIN((j + 1) * SQUARE, r->count); i++)
            last = FL_MAX(last, r->last[i]);
        cut->seen[j] = FL_MAX(FL_MIN(fl_div_up(last + 1 - key, SQUARE), all), 0);
        for (int64_t i = 0; i < cut->seen[j]; i++) cut->first[i] = j;
    }
}

int fl_backward_tiles_scores(fl_backward_tiles *x, const fl_attention_rows *r, int64_t key, int64_t keys,
                             float *scores, float *slopes)
{
    const fl_backward_key *block = find_block(x, r, key);
    if (FL_SPLIT_EXPONENT(block->key) >= FL_SPLIT_HIGHEST ||
        FL_SPLIT_EXPONENT(x->query_largest) >= FL_SPLIT_HIGHEST ||
        !fl_split_fits(block->value, x->grad_largest))
        return 0;
    cut_block(x, r, key, keys);
    const int64_t i = key / KEYS;
    fl_attention_tiles_product p = {.a_parts = x->parts,
                                    .b_parts = x->parts,
                                    .a = x->keys + i * x->key_bytes,
                                    .b = x->query_right,
                                    .m = keys,
                                    .n = r->columns,
                                    .depth = x->width,
                                    .c = scores,
                                    .c_row = ROWS,
                                    .rows = x->cut.seen};
    fl_attention_tiles_multiply(&p);
    p.a = x->values + i * x->value_bytes, p.b = x->grad_right, p.depth = x->value_width, p.c = slopes;
    fl_attention_tiles_multiply(&p);
    return 1;
}

/* Clears the keys from `keys` on to the next whole square, and what has been cut. */
static void clear(const fl_backward_tiles *x, int64_t columns, int64_t keys, float *block)
{
    const int64_t all = fl_round_up(keys, SQUARE);
    for (int64_t j = 0; j < columns; j += SQUARE)
        for (int64_t i = FL_MIN(x->cut.seen[j / SQUARE] * SQUARE, keys); i < all; i++)
            memset(block + i * ROWS + j, 0, SQUARE * sizeof *block);
}

int fl_backward_tiles_sums(fl_backward_tiles *x, const fl_attention_rows *r, int64_t key, int64_t keys,
                           float *weights, float *slopes, float *dk, float *dv, float *dq)
{
    const int64_t rows = r->columns, i = key / KEYS, n = FL_MIN(x->a->spec.keys - key, KEYS),
                  all = fl_round_up(n, SQUARE);
    clear(x, rows, keys, weights);
    clear(x, rows, keys, slopes);
    const uint32_t weight = fl_split_pack_block(FL_SPLIT_ROWS, x->weights, NULL, weights, ROWS,
                                                x->weight_parts, fl_round_up(keys, SQUARE), rows);
    const uint32_t slope = fl_split_pack_block(FL_SPLIT_BOTH, x->slopes, x->turned_slopes, slopes, ROWS,
                                               x->weight_parts, all, rows);
    if (!fl_split_fits(weight, x->grad_largest) || !fl_split_fits(slope, x->query_largest) ||
        !fl_split_fits(slope, x->blocks[i].key))
        return 0;
    fl_attention_tiles_product p = {.a_parts = x->weight_parts,
                                    .b_parts = x->parts,
                                    .a = x->slopes,
                                    .b = x->query_rows,
                                    .m = keys,
                                    .n = x->width,
                                    .depth = rows,
                                    .c = dk,
                                    .c_row = x->width,
                                    .add = 1,
                                    .begin = x->cut.first};
    fl_attention_tiles_multiply(&p);
    p.a = x->weights, p.b = x->grad_rows, p.n = x->value_width, p.c = dv, p.c_row = x->value_width;
    fl_attention_tiles_multiply(&p);
    p = (fl_attention_tiles_product){.a_parts = x->parts,
                                     .b_parts = x->weight_parts,
                                     .a = x->turned_keys + i * x->key_bytes,
                                     .b = x->turned_slopes,
                                     .m = x->width,
                                     .n = rows,
                                     .depth = all,
                                     .c = dq,
                                     .c_row = ROWS,
                                     .add = key > 0,
                                     .end = x->cut.seen};
    fl_attention_tiles_multiply(&p);
    return 1;
}
