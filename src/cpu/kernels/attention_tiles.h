/* The products of attention's forward direction in AMX tiles. Operands are the sums of bf16 numbers, exactly, as in gemm_split.h: bf16
 * one, f16 two, f32 three; weights, which are sums of f32 exponentials, keep 16 bits where operands are narrow and 24 where they
 * are f32. Keys and values are packed once for a task, block by block as they are needed. Products below 2^-126 count as zero;
 * blocks with numbers that have no parts (infinite, NaN, above 2^63) or with tiny values alone are left to the other way. */
#ifndef FL_CPU_KERNELS_ATTENTION_TILES_H
#define FL_CPU_KERNELS_ATTENTION_TILES_H

#include "cpu/kernels/attention.h"
#include "cpu/kernels/gemm_split.h"

/* A task's packed operands, in its scratch memory. */
typedef struct fl_attention_tiles {
    const fl_attention *a;
    const fl_attention_forward *t;
    int parts, weight_parts, query_fits;
    int64_t key_bytes, value_bytes; /* of a block */
    char *keys, *values, *query, *weights;
    float *rows;       /* a block of query rows as f32 */
    uint32_t *largest; /* of pairs of strips of values */
    uint8_t *state;    /* of each block of keys: 0 not packed, 1 packed, 2 has no parts */
} fl_attention_tiles;

/* Whether the plan's forward direction is done in tiles. */
int fl_attention_tiles_use(const fl_attention *a, const fl_step *step);
/* Bytes of scratch memory of a task, 64-byte aligned. */
size_t fl_attention_tiles_bytes(const fl_attention *a, const fl_step *step);
/* Begins a task: nothing is packed yet. The thread's tile registers are its own until the end. */
void fl_attention_tiles_begin(fl_attention_tiles *x, const fl_attention *a, const fl_attention_forward *t,
                              char *scratch);
void fl_attention_tiles_end(void);
void fl_attention_tiles_query(fl_attention_tiles *x, const fl_attention_rows *r);
/* Whether the block of keys that begins at `key` is done in tiles; it is packed then. */
int fl_attention_tiles_take(fl_attention_tiles *x, const fl_attention_rows *r, int64_t key);
/* As fl_attention_scores, of queries that are not scaled. */
void fl_attention_tiles_scores(const fl_attention_tiles *x, const fl_attention_rows *r, int64_t key,
                               int64_t keys, float *scores);
/* result[d][row] = (result * decay, unless it is the first block) + values * weights, with d up to the next
 * multiple of 32. Clears the weights beyond `keys`. */
void fl_attention_tiles_values(const fl_attention_tiles *x, const fl_attention_rows *r, int64_t key,
                               int64_t keys, float *weights, const float *decay, float *result);

/* --- for both directions --- */

/* Blocks of keys. */
static inline int64_t fl_attention_key_blocks(const fl_attention *a)
{
    return fl_div_up(a->spec.keys, FL_ATTENTION_KEYS);
}
/* Of weights, beside so many of the operands. */
static inline int fl_attention_weight_parts(int parts)
{
    return parts == 3 ? 3 : 2;
}
/* Whether sizes and type are worth tiles, and the processor has them. */
int fl_attention_tiles_fit(const fl_attention *a, fl_dtype type);

/* c[m x n] (+)= a b of packed operands, in whole squares. Where an array is given, only a part of it is done: of each column of squares so
 * many rows (`rows`); in each row of squares the steps from `begin` on; in each column those before `end`. */
typedef struct fl_attention_tiles_product {
    int a_parts, b_parts, add;
    const char *a, *b;
    int64_t m, n, depth;
    float *c;
    int64_t c_row;
    const int64_t *rows, *begin, *end;
} fl_attention_tiles_product;
void fl_attention_tiles_multiply(const fl_attention_tiles_product *p);

#endif
