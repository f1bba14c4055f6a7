/* Products of bf16 and of byte matrices in AMX tiles, where processor and kernel allow them. Sums are f32 or i32. With bf16
 * subnormal inputs and results count as zero, which is what the instruction does. */
#ifndef FL_CPU_KERNELS_GEMM_AMX_H
#define FL_CPU_KERNELS_GEMM_AMX_H

#include "cpu/kernels/gemm.h"

/* out[m x n] = a[m x k] b[k x n], rows out_row apart, converted to `dtype`. */
typedef struct fl_amx_product {
    int64_t m, n, k;
    fl_matrix a, b;
    void *out;
    fl_dtype dtype;
    int64_t out_row;
} fl_amx_product;

/* Whether the tiles can make this product (the data may be anywhere), and whether it pays. Asks the kernel for the tile registers
 * once; FL_ISA_LEVEL below avx512 and FL_DISABLE=amx say no. */
int fl_amx_takes(const fl_amx_product *p);
void fl_amx_multiply(const fl_amx_product *p, void *scratch); /* scratch: 64-byte aligned */
size_t fl_amx_scratch(const fl_amx_product *p);

int fl_amx_usable(void);
/* The thread's eight tile registers hold 16 rows of 64 bytes; and are free again. */
void fl_amx_begin(void);
void fl_amx_end(void);

/* --- between the files of this kernel --- */

#define FL_AMX_TILE 1024 /* bytes */

/* n rows of A or columns of B: `across` elements apart; `along` k. One of both is 1. */
typedef struct fl_amx_source {
    const char *data;
    int element; /* bytes */
    int64_t n, across, along;
} fl_amx_source;

/* Packs `strips` strips of 16 rows (columns) from `first` on, at k0 to k0 + kc: one after another, each as its tiles along k. What lies
 * beyond n and kc is zero. */
void fl_amx_pack(char *out, const fl_amx_source *s, int64_t first, int64_t strips, int64_t k0, int64_t kc,
                 int columns);
void fl_amx_transpose(void *words); /* 16 x 16 words, 64-byte aligned */

#endif
