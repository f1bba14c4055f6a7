/* Products of f32 or of f16 matrices in AMX tiles: each element is the sum of bf16 numbers, exactly; three for f32, two for f16.
 * Of the nine products of parts of two f32 numbers the six largest are summed in f32. What is left out is below 2^-23 of the product of
 * two elements, and on average an eighth of that; the smaller products are summed before the largest, so that rounding is that of
 * one sum of k products. Results are as close to the exact ones as those of fused multiply-adds (tests/cpu/test_gemm_split.c
 * compares both with f64), at more than twice their speed. Of f16 all four products are summed. Where a program asks for the three passes
 * of "high" precision, f32 numbers have two parts, and the product of the low ones is left out: an element's product is off by
 * 3 * 2^-18 of it at most.
 *
 * The instruction takes subnormal numbers as zero. Parts of blocks of elements that are all very small or very large would
 * be lost by that, or overflow: such blocks are not multiplied here. No parts of f16 are subnormal. */
#ifndef FL_CPU_KERNELS_GEMM_SPLIT_H
#define FL_CPU_KERNELS_GEMM_SPLIT_H

#include "cpu/kernels/gemm.h"

#define FL_SPLIT_SQUARE 32

/* Whether products of this size and of operands of this type (both) are done here: it is f32 or f16, the processor has AMX, FL_DISABLE
 * does not name "split", and there is enough work to pay for the parts. The size is that of the whole product, however it is cut. */
int fl_split_uses(fl_dtype type, int64_t m, int64_t n, int64_t k);
typedef struct fl_split_form {
    uint8_t high;    /* of f32: the three passes of "high" precision */
    uint8_t streams; /* B is read through once, while A stays in the cache */
} fl_split_form;
/* By the size of the whole product; b_rows: B's stride along k. */
fl_split_form fl_split_form_for(fl_dtype type, int high, int64_t m, int64_t n, int64_t k, int64_t b_rows);
/* c[m x n] = a b as fl_gemm_block does, for c of f32. Scratch: 64-byte aligned. Squares of 32 x 32 results whose operands are
 * infinite, NaN, huge or all tiny within a block of k are multiplied and added. Results do not depend on how a caller cuts
 * the product, if it cuts at multiples of FL_SPLIT_SQUARE and gives all parts the same form. */
void fl_split_block(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                    fl_split_form form, void *scratch);
/* For this size or less of m and n. */
size_t fl_split_scratch(fl_dtype type, int64_t m, int64_t n, int64_t k, fl_split_form form);

/* --- between the files of this kernel --- */

#define FL_SPLIT_STRIP 16   /* rows of A or columns of B in one tile */
#define FL_SPLIT_DEPTH 32   /* of k, in one tile */
#define FL_SPLIT_TILE  1024 /* bytes */

/* Bounds of exponents: elements of a block are below 2^HIGHEST, and the largest of two blocks multiply to 2^LOWEST at least; then
 * products below 2^-126, which are lost, are far below the last bit of the result. */
#define FL_SPLIT_HIGHEST        63
#define FL_SPLIT_LOWEST         (-60)
#define FL_SPLIT_EXPONENT(bits) ((int)((bits) >> 23) - 127)

/* Whether products of two blocks, of these largest magnitudes, keep what matters in tiles. */
static inline int fl_split_fits(uint32_t a, uint32_t b)
{
    if (!a || !b) return 1;
    const int x = FL_SPLIT_EXPONENT(a), y = FL_SPLIT_EXPONENT(b);
    return x < FL_SPLIT_HIGHEST && y < FL_SPLIT_HIGHEST && x + y >= FL_SPLIT_LOWEST;
}

/* Steps of k, and bytes of n rows or columns packed. */
static inline int64_t fl_split_steps(int64_t k)
{
    return fl_div_up(k, FL_SPLIT_DEPTH);
}
static inline int64_t fl_split_bytes(int64_t n, int64_t k, int parts)
{
    return 2 * fl_div_up(n, FL_SPLIT_SQUARE) * fl_split_steps(k) * parts * FL_SPLIT_TILE;
}

static inline int fl_split_parts(fl_dtype type)
{
    return type == FL_F32 ? 3 : type == FL_F16 ? 2 : 1;
}

/* Packs n rows of A (columns of B), `across` elements apart, kc deep, elements along k `along` apart: strips one after another, in
 * pairs, zeros beyond n and kc; largest[i]: bits of the largest magnitude of pair i, as f32. pairs_down: for the instruction's right
 * operand. Types and parts: f32 and 1 to 3, f16 and 2, bf16 and 1. What does not fit into so few parts is cut off. */
void fl_split_pack(char *out, uint32_t *largest, const void *in, fl_dtype type, int parts, int64_t across,
                   int64_t along, int64_t n, int64_t kc, int pairs_down);
/* Packs a block x [m][n] of f32, whole squares of 32, its rows `row` apart, in up to two ways; returns the bits of the largest magnitude.
 * 1 to 3 parts. As factors of products along n (first way) and along m (second):
 * ROWS a: x is the left one. BOTH a: left, b: right. RIGHT a: right, b: right. LEFT a: left, b: left. */
typedef enum fl_split_ways { FL_SPLIT_ROWS, FL_SPLIT_BOTH, FL_SPLIT_RIGHT, FL_SPLIT_LEFT } fl_split_ways;
uint32_t fl_split_pack_block(fl_split_ways ways, char *a, char *b, const float *x, int64_t row, int parts,
                             int64_t m, int64_t n);
/* c[32 x 32] = (c +, if `add`) a pair of strips of A times one of B, `steps` of `strip` steps deep, between fl_amx_begin and
 * fl_amx_end. Parts: of A and B 1 and 1, 1 and 2, 2 and 1, 2 and 2, 3 and 3. */
void fl_split_square(int a_parts, int b_parts, const char *a, const char *b, int64_t steps, int64_t strip,
                     int add, float *c, int64_t c_row);

#endif
