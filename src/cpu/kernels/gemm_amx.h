/* Products of bf16 matrices in AMX tiles, where processor and kernel allow them. Sums are f32, as without; subnormal inputs and
 * results count as zero, which is what the instruction does. */
#ifndef FL_CPU_KERNELS_GEMM_AMX_H
#define FL_CPU_KERNELS_GEMM_AMX_H

#include "cpu/kernels/gemm.h"

int fl_amx_usable(void); /* asks the kernel for the tile registers once; FL_ISA_LEVEL below avx512 says no */
/* The thread's eight tile registers hold 16 rows of 64 bytes; and are free again. */
void fl_amx_begin(void);
void fl_amx_end(void);
/* c[m x n] = a b as fl_gemm_block does, for bf16 a and b and f32 c. Scratch: 64-byte aligned. */
void fl_amx_block(int64_t m, int64_t n, int64_t k, fl_matrix a, fl_matrix b, float *c, int64_t c_row,
                  void *scratch);
size_t fl_amx_scratch(int64_t m, int64_t n, int64_t k);

#endif
