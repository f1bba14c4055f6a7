/* What the two directions of attention share: where operands lie, and blocks of scores under their masks. */
#ifndef FL_CPU_KERNELS_ATTENTION_H
#define FL_CPU_KERNELS_ATTENTION_H

#include "cpu/kernels/attention_simd.h"
#include "cpu/kernels/kernel.h"
#include "ir/attention.h"

/* How the keys or values of a key head become f32, where they are not: all of them at once (kept), or those of a block. */
typedef struct fl_attention_side {
    int convert, kept;
    int64_t width, keys;
} fl_attention_side;

/* A query row of a key head is numbered over the heads that share it: head * rows + row. */
typedef struct fl_attention {
    fl_attention_spec spec;
    fl_attention_side key, value;
    const fl_attention_simd *simd;
    int64_t group;                      /* query heads of a key head */
    int64_t blocks, parts, blocks_each; /* of the rows of a key head; how many tasks share them; of a task */
    int slices, tiles;                  /* tiles: attention_tiles.h multiplies */
    int bias_input, mask_input;         /* step inputs; -1: none */
    float fill;                         /* in units of log 2 */
    size_t slice_bytes;
} fl_attention;

/* An operand [B, H, rows, width] at run time, strides in elements. */
typedef struct fl_attention_array {
    char *data;
    fl_dtype dtype;
    int64_t bytes, strides[4];
} fl_attention_array;
fl_attention_array fl_attention_array_of(const fl_operand *o, void *const *slots);
/* Operands and results of the forward call at run time; bias and mask are there where the plan has them. */
typedef struct fl_attention_forward {
    fl_attention_array q, k, v, bias, mask, out, log_sum;
    float scale;
    char *scratch;
} fl_attention_forward;
fl_attention_forward fl_attention_forward_of(const fl_attention *a, const fl_step *step, void *const *slots);
static inline char *fl_attention_at(const fl_attention_array *a, int64_t b, int64_t h, int64_t i)
{
    return a->data + (b * a->strides[0] + h * a->strides[1] + i * a->strides[2]) * a->bytes;
}

/* A block of query rows [first, first + count) of key head (b, h). */
typedef struct fl_attention_rows {
    int64_t b, h, first, count, columns; /* columns: count in whole vectors */
    int64_t limit;                       /* keys from here on are excluded for all rows */
    int64_t seen;                        /* keys before this are seen by all rows, as far as causality says */
    int32_t last[FL_ATTENTION_ROWS];     /* the last key that causality lets a row see */
} fl_attention_rows;
void fl_attention_rows_begin(const fl_attention *a, int64_t b, int64_t h, int64_t block,
                             fl_attention_rows *out);

/* Calls for each run of rows of one head: `at` is the first row's place in the block. */
#define FL_ATTENTION_RUNS(a, r, at, head, row, n)                                                            \
    for (int64_t at = 0, head, row, n;                                                                       \
         at < (r)->count &&                                                                                  \
         (head = (r)->h * (a)->group + ((r)->first + at) / (a)->spec.rows,                                   \
         row = ((r)->first + at) % (a)->spec.rows, n = FL_MIN((r)->count - at, (a)->spec.rows - row), 1);    \
         at += n)

/* out[d * FL_ATTENTION_ROWS + i] = rows of x, scaled; zeros beyond `count`. out[i * natural + d] where natural is not 0. */
void fl_attention_load_rows(const fl_attention *a, const fl_attention_rows *r, const fl_attention_array *x,
                            int64_t width, float scale, int64_t natural, float *out);
typedef struct fl_attention_keys {
    const float *data;
    int64_t row, step; /* strides */
} fl_attention_keys;
static inline int64_t fl_attention_side_floats(const fl_attention_side *s)
{
    return s->convert ? (s->kept ? s->keys : FL_ATTENTION_KEYS) * s->width : 0;
}
void fl_attention_keep(const fl_attention *a, const fl_attention_side *s, const fl_attention_array *x,
                       int64_t b, int64_t h, float *converted);
fl_attention_keys fl_attention_find(const fl_attention *a, const fl_attention_side *s,
                                    const fl_attention_array *x, int64_t b, int64_t h, int64_t key,
                                    int64_t keys, float *converted);
/* scores[key][row] = key . query */
void fl_attention_scores(const fl_attention *a, const fl_attention_rows *r, const fl_attention_keys *k,
                         int64_t keys, int64_t width, const float *query, float *scores);
/* Applies bias, mask and causality to scores of the keys [key, key + keys). `room`: a block. */
void fl_attention_mask(const fl_attention *a, const fl_attention_rows *r, const fl_attention_array *bias,
                       const fl_attention_array *mask, int64_t key, int64_t keys, float *scores, float *room);

/* Whether that changes anything. */
int fl_attention_masks(const fl_attention *a, const fl_attention_rows *r, int64_t key, int64_t keys);

/* A row's logsumexp, and by what its sum of values is to be multiplied. */
float fl_attention_finish(const fl_attention *a, float max, float sum, float *log_sum);

fl_status fl_prepare_attention(const fl_program *program, fl_step *step, fl_arena *arena);
fl_status fl_prepare_attention_backward(const fl_program *program, fl_step *step, fl_arena *arena);
/* Reads the call and fills in what both directions need; `first`: the step's input behind the scale. FL_UNSUPPORTED: f64. */
fl_status fl_attention_plan(const fl_program *program, fl_step *step, int first, fl_attention *a);
/* Cuts the rows of each key head so that there are about `wanted` tasks: by sizes alone, never by the number of threads. */
void fl_attention_share(fl_attention *a, int64_t wanted);

#endif
