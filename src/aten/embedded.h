/* Programs that users bring: StableHLO of a custom operator or of a JAX function, called like an operator ("tpu::program").
 *
 * A program is added once and has a number from then on, for the life of the process: keys of calls hold it. */
#ifndef FL_ATEN_EMBEDDED_H
#define FL_ATEN_EMBEDDED_H

#include "ir/ir.h"

/* Text or a portable artifact; its arguments and results must be tensors of types that PyTorch has. With `keeps_kernels` calls
 * of Mosaic kernels stay what they are, for the compiler of a TPU; else they become operations. */
fl_status fl_embedded_add(const void *data, size_t size, int keeps_kernels, int64_t *out_number);
/* The program as it was added. */
fl_status fl_embedded_find(int64_t number, const fl_program **out);
/* The program as one function of static shapes, for arguments of these types. The caller owns it. */
fl_status fl_embedded_refine(int64_t number, const fl_type *types, uint32_t count, fl_program **out);

#endif
