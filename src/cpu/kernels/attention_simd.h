/* The vector code of attention: small products, blocks of scores, packing. All floats here are f32; scores are in units of
 * log 2, so that exponentials are powers of two.
 *
 * A block of scores lies as [keys][rows]: a vector holds one key's scores for neighbouring query rows. So maxima and sums over
 * keys need no shuffles, and K and V are read as scalars that are broadcast: in place, whatever their strides. */
#ifndef FL_CPU_KERNELS_ATTENTION_SIMD_H
#define FL_CPU_KERNELS_ATTENTION_SIMD_H

#include "base/dtype.h"
#include "cpu/isa.h"

#include <stdint.h>

#define FL_ATTENTION_ROWS  64 /* query rows of a block: whole vectors at every level */
#define FL_ATTENTION_KEYS  64 /* keys of a block */
#define FL_ATTENTION_SLACK 16 /* floats that may be read behind blocks and factors */
#define FL_LOG2E           1.44269504088896341f
#define FL_LN2             0.693147180559945309f

/* c[m x n] = a[m x k] b[k x n], added to c * scale (one factor for each column; NULL: to c) where `add` is set. a: element
 * (i, k) at i * a_row + k * a_step; rows of b and c are contiguous. n: whole vectors. Distances are in elements. */
typedef struct fl_attention_product {
    const float *a;
    int64_t a_row, a_step;
    const float *b;
    int64_t b_row;
    float *c;
    int64_t c_row;
    const float *scale;
    int64_t m, n, k;
    int add;
} fl_attention_product;

typedef struct fl_attention_simd {
    int lanes;
    void (*product)(const fl_attention_product *p);
    /* Scores of `keys` keys, times a factor above zero, become weights 2^(score - max): max[columns], sum[columns] go on from the blocks before, of which
     * decay[columns] says by what their results are multiplied. Keys are FL_ATTENTION_ROWS apart. */
    void (*softmax)(float *scores, int64_t keys, int64_t columns, float factor, float *max, float *sum,
                    float *decay);
    /* scores *= factor; result *= decay[columns]: rows FL_ATTENTION_ROWS apart */
    void (*scale)(float *scores, int64_t keys, int64_t columns, float factor);
    void (*decay)(float *result, int64_t rows, int64_t columns, const float *decay);
    /* weights = 2^(scores * factor - shift), in place; slopes = weights * (slopes - delta) */
    void (*slopes)(float *scores, float *slopes, int64_t keys, int64_t columns, float factor,
                   const float *shift, const float *delta);
    /* out[i] = sum of a[i * row + j] * b[i * row + j] over j < row, for i < rows; both in whole vectors */
    void (*dots)(float *out, const float *a, const float *b, int64_t row, int64_t rows);
    /* Key first_key + k is seen by the rows whose last[] is at least that; other scores become `fill`. */
    void (*causal)(float *scores, int64_t keys, int64_t columns, const int32_t *last, int32_t first_key,
                   float fill);
    /* scores += added * log2(e), scores = seen ? scores : fill. The second arguments are blocks like the scores, or one number
     * for each key. Of finite numbers no infinite ones are made. */
    void (*add)(float *scores, const float *added, int64_t keys, int64_t columns, int by_key);
    void (*hide)(float *scores, const float *seen, int64_t keys, int64_t columns, int by_key, float fill);
    /* Of f32, bf16, f16 or i1: out[j * out_row + i] = in(i, j) * scale for i < rows, j < columns; `transposed` is not
     * set: out[i * out_row + j]. */
    void (*load)(float *out, int64_t out_row, const void *in, fl_dtype dtype, int64_t row, int64_t step,
                 int64_t rows, int64_t columns, float scale, int transposed);
    /* out(i, j) = in[j * in_row + i] * factor[i]: rows of `columns` contiguous elements, out_row apart. */
    void (*store_transposed)(void *out, fl_dtype dtype, int64_t out_row, const float *in, int64_t in_row,
                             int64_t rows, int64_t columns, const float *factor);
    void (*store)(void *out, fl_dtype dtype, const float *in, int64_t n, float factor);
} fl_attention_simd;

FL_ISA_DECLARE(extern const fl_attention_simd, fl_attention_simd, [1]);

#endif
