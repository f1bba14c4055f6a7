/* The products of attention's backward direction in AMX tiles, with parts as in attention_tiles.h. Keys and values are packed once for a
 * task, a block of rows once, weights and their slopes for each pair of blocks. Pairs of blocks whose numbers have no parts, or whose products
 * would vanish, are left to the other way: all five products, or the three that weights and slopes are factors of. */
#ifndef FL_CPU_KERNELS_ATTENTION_BACKWARD_TILES_H
#define FL_CPU_KERNELS_ATTENTION_BACKWARD_TILES_H

#include "cpu/kernels/attention.h"
#include "cpu/kernels/gemm_split.h"

/* A block of keys. */
typedef struct fl_backward_key {
    int packed;
    uint32_t key, value; /* bits of the largest */
} fl_backward_key;

/* What causality leaves of a block of scores, in squares: of each column of squares so many rows; of each row those columns from `first` on. */
typedef struct fl_backward_cut {
    int64_t seen[FL_ATTENTION_ROWS / FL_SPLIT_SQUARE], first[FL_ATTENTION_KEYS / FL_SPLIT_SQUARE];
} fl_backward_cut;

/* A task's packed operands, in its scratch memory. By what they are multiplied with: query_right and grad_right with keys and values,
 * query_rows and grad_rows with weights and slopes. */
typedef struct fl_backward_tiles {
    const fl_attention *a;
    const fl_attention_array *k, *v;
    int parts, weight_parts;
    int64_t width, value_width;     /* in whole squares */
    int64_t key_bytes, value_bytes; /* of a block */
    char *keys, *turned_keys, *values, *query_right, *query_rows, *grad_right, *grad_rows, *weights, *slopes,
        *turned_slopes;
    float *rows; /* a block of keys or values as f32 */
    fl_backward_key *blocks;
    uint32_t query_largest, grad_largest;
    fl_backward_cut cut; /* of the pair of blocks in work */
} fl_backward_tiles;

/* Whether the plan's backward direction is done in tiles. */
int fl_backward_tiles_use(const fl_attention *a, const fl_step *step);
/* Bytes of scratch memory of a task, 64-byte aligned. */
size_t fl_backward_tiles_bytes(const fl_attention *a, fl_dtype type);
/* Begins a task: nothing is packed yet. The thread's tile registers are its own until the end. */
void fl_backward_tiles_begin(fl_backward_tiles *x, const fl_attention *a, const fl_attention_array *k,
                             const fl_attention_array *v, char *scratch);
void fl_backward_tiles_end(void);
/* Takes a block of rows: query and gradient of out, as f32 in whole squares with zeros beyond. */
void fl_backward_tiles_rows(fl_backward_tiles *x, const fl_attention_rows *r, const float *query,
                            const float *grad);
/* scores = key . query, slopes = value . grad for `keys` keys, in whole squares; not where it says no. Squares that causality excludes
 * are left out if excluded keys weigh nothing: anything may be there. */
int fl_backward_tiles_scores(fl_backward_tiles *x, const fl_attention_rows *r, int64_t key, int64_t keys,
                             float *scores, float *slopes);
/* dk[key][width] += slopes . query, dv[key][value_width] += weights . grad, dq[width][row] (+)= key . slopes. Clears what weights and slopes
 * hold beyond `keys` and in squares that were left out. */
int fl_backward_tiles_sums(fl_backward_tiles *x, const fl_attention_rows *r, int64_t key, int64_t keys,
                           float *weights, float *slopes, float *dk, float *dv, float *dq);

#endif
