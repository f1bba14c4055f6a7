/* 16 x 16 words in registers, for what packs tiles. */
#ifndef FL_CPU_KERNELS_GEMM_AMX_WORDS_H
#define FL_CPU_KERNELS_GEMM_AMX_WORDS_H

#include <immintrin.h>

/* Rows become columns: at step s, lane bit s and row bit s change places. */
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"), always_inline)) static inline void
fl_transpose_words(__m512i *r)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
#pragma GCC unroll 4
    for (int s = 1; s < 16; s *= 2) {
        const __mmask16 odd = _mm512_test_epi32_mask(lane, _mm512_set1_epi32(s));
        const __m512i crossed = _mm512_xor_si512(lane, _mm512_set1_epi32(s)), second = _mm512_set1_epi32(16);
        const __m512i low = _mm512_mask_add_epi32(lane, odd, crossed, second);
        const __m512i high = _mm512_mask_add_epi32(crossed, odd, lane, second);
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            if (i & s) continue;
            const __m512i x = r[i], y = r[i | s];
            r[i] = _mm512_permutex2var_epi32(x, low, y);
            r[i | s] = _mm512_permutex2var_epi32(x, high, y);
        }
    }
}

#endif
