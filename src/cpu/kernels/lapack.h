/* A LAPACK library of the user's, loaded when the first program wants it: FL_LAPACK names it (the package scipy-openblas32 brings
 * one). Without it, and for what is not here, factorizations run in the reference interpreter. */
#ifndef FL_CPU_KERNELS_LAPACK_H
#define FL_CPU_KERNELS_LAPACK_H

#include "base/dtype.h"

#include <stdint.h>

typedef enum fl_lapack_kind {
    FL_LAPACK_QR,
    FL_LAPACK_Q,
    FL_LAPACK_EIGH,
    FL_LAPACK_SVD,
    FL_LAPACK_EIG
} fl_lapack_kind;

/* One factorization of one matrix; column-major, leading dimensions are the numbers of rows. */
typedef struct fl_lapack_call {
    fl_lapack_kind kind;
    fl_dtype dtype;
    int m, n, k;     /* k: the smaller of m and n; of Q: the number of reflections */
    int upper;       /* of EIGH: which triangle is given */
    int all;         /* of SVD: u and v are square */
    int left, right; /* vectors that are wanted: of EIG each side; of EIGH left, of SVD both or none */
    void *a;         /* m x n: overwritten by the factors, by q, or by eigenvectors */
    void *tau;       /* of QR and Q: k scalars */
    void *
        values; /* real, ascending (EIGH) or descending (SVD); of EIG: real parts (n), then imaginary parts (n); or complex (n) */
    void *u,
        *v; /* of SVD: u and the adjoint of v; of EIG: left and right eigenvectors, as LAPACK packs them */
    void *work;       /* fl_lapack_work bytes, 64-byte aligned */
    int64_t sizes[3]; /* elements of work, reals of rwork, ints of iwork: filled by fl_lapack_work */
} fl_lapack_call;

/* Whether a library is there and has the functions for it. */
int fl_lapack_has(fl_lapack_kind kind, fl_dtype dtype);
/* Bytes of work memory; -1: the library refuses the sizes. */
int64_t fl_lapack_work(fl_lapack_call *call);
/* LAPACK's info: 0 is success. */
int fl_lapack_run(const fl_lapack_call *call);

#endif
