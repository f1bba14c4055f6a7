/* Factorizations behind custom calls; operands and results as XLA has them for TPUs. */
#ifndef FL_REF_FACTOR_H
#define FL_REF_FACTOR_H

#include "ref/custom.h"

fl_status fl_custom_qr(const fl_custom_args *args); /* Qr: a -> reflectors under R, tau */
fl_status fl_custom_householder(
    const fl_custom_args *args); /* ProductOfElementaryHouseholderReflectors: reflectors, tau -> Q */
fl_status
fl_custom_lu(const fl_custom_args *args); /* LuDecomposition: a -> L under U, row exchanges, permutation */
fl_status fl_custom_eigh(const fl_custom_args *args); /* Eigh: a -> eigenvectors, eigenvalues */

#endif
