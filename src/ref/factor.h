/* Custom calls of linear algebra: factorizations and solutions, under JAX's names for TPUs (Qr, LuDecomposition, Eigh ...) and LAPACK's
 * as JAX writes them for CPUs (lapack_sgetrf_ffi ...). */
#ifndef FL_REF_FACTOR_H
#define FL_REF_FACTOR_H

#include "ref/custom.h"

fl_custom_function *fl_factor_find(const char *name); /* NULL: no such call */

#endif
