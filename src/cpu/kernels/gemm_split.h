/* Products of f32 matrices in AMX tiles: each element is the sum of three bf16 numbers, exactly, and of the nine products of
 * parts the six largest are summed in f32. What is left out is below 2^-23 of the product of two elements, and on average
 * an eighth of that; the five smaller products are summed before the largest, so that rounding is that of one sum of k
 * products. Results are as close to the exact ones as those of fused multiply-adds (tests/cpu/test_gemm_split.c
 * compares both with f64), at more than twice their speed.
 *
 * The instruction takes subnormal numbers as zero. Parts of blocks of elements that are all very small or very large would
 * be lost by that, or overflow: such blocks are not multiplied here. */
#ifndef FL_CPU_KERNELS_GEMM_SPLIT_H
#define FL_CPU_KERNELS_GEMM_SPLIT_H

#include "cpu/kernels/gemm.h"

#define FL_SPLIT_SQUARE 32

/* Whether f32 products of this size are done here: the processor has AMX, FL_DISABLE does not name "split", and there is
 * enough work to pay for the parts. The size is that of the whole product, however it is cut. */
int fl_split_uses(int64_t m, int64_t n, int64_t k);
/* Whether B is better read through once, while A stays in the cache, by the size of the whole product; b_rows: B's stride along k. */
int fl_split_streams(int64_t m, int64_t n, int64_t k, int64_t b_rows);
/* c[m x n] = a b as fl_gemm_block does, for f32. Scratch: 64-byte aligned. Squares of 32 x 32 results whose operands are
 * infinite, NaN, huge or all tiny within a block of k are multiplied and added. Results do not depend on how a caller cuts
 * the product, if it cuts at multiples of FL_SPLIT_SQUARE and gives all parts the same `streams`. */
void fl_split_block(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                    int streams, void *scratch);
size_t fl_split_scratch(int64_t m, int64_t n, int64_t k, int streams); /* for this size or less of m and n */

#endif
