/* Attention of few query rows (decoding): keys and values are read once, in the order of memory. */
#ifndef FL_CPU_KERNELS_ATTENTION_FEW_H
#define FL_CPU_KERNELS_ATTENTION_FEW_H

#include "cpu/kernels/attention.h"

#define FL_ATTENTION_FEW 8 /* rows of a key head, at most */

typedef struct fl_attention_few_simd {
    /* scores[row * scores_row + key] = query[row] . key; `width` in whole vectors, query rows are that far apart. Keys and values: of f32, bf16
     * or f16, rows `key_row` and `value_row` elements apart. */
    void (*scores)(float *scores, int64_t scores_row, const float *query, int64_t rows, const void *keys,
                   fl_dtype dtype, int64_t key_row, int64_t count, int64_t width);
    /* result[row][width] (+)= sums of scores[row * scores_row + key] * value */
    void (*values)(float *result, const float *scores, int64_t scores_row, int64_t rows, const void *values,
                   fl_dtype dtype, int64_t value_row, int64_t count, int64_t width, int add);
    float (*largest)(const float *x, int64_t n);    /* NaN is passed over */
    float (*weigh)(float *x, int64_t n, float max); /* x = 2^(x - max); gives the sum */
} fl_attention_few_simd;
FL_ISA_DECLARE(extern const fl_attention_few_simd, fl_attention_few_simd, [1]);

/* `a` has been read, and has at most so many rows. */
fl_status fl_prepare_attention_few(fl_step *step, fl_arena *arena, const fl_attention *a);

#endif
