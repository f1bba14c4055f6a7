/* Convolutions with windows of one element, which are matrix products of what lies in memory. */
#ifndef FL_CPU_KERNELS_CONV_MATRIX_H
#define FL_CPU_KERNELS_CONV_MATRIX_H

#include "cpu/kernels/conv.h"

/* One product for each image and group; of weight gradients they are added up. Strides and distances in elements. */
typedef struct fl_conv_matrix {
    int64_t m, n, k;
    int64_t a[2], b[2], c_row;                 /* strides of rows and columns */
    int64_t images, a_image, b_image, c_image; /* distances */
    int64_t a_group, b_group, c_group;
    int kernel_first; /* A is the kernel */
    int add;          /* images are added up */
    int split;        /* by gemm_split.h */
    int64_t m_block, n_block;
    size_t slice_bytes, gemm_bytes;
    int slices;
} fl_conv_matrix;

/* Whether this is such a convolution; sets up c->matrix and *out_scratch if so. */
fl_status fl_matrix_plan(fl_conv *c, fl_arena *arena, size_t *out_scratch);
fl_status fl_matrix_run(const fl_step *step, void *const *slots);

#endif
