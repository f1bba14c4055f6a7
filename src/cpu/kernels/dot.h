/* The operands of dot_general: how each is read, and the dense copies of those that cannot be read in place. */
#ifndef FL_CPU_KERNELS_DOT_H
#define FL_CPU_KERNELS_DOT_H

#include "cpu/kernels/gemm.h"
#include "cpu/kernels/kernel.h"

/* Which of an operand's dimensions are what. */
typedef struct fl_dot_roles {
    int64_t batch[FL_MAX_RANK], contract[FL_MAX_RANK], free[FL_MAX_RANK];
    int batch_count, contract_count, free_count;
} fl_dot_roles;

/* How an operand is read: in place when its free and contracting dimensions merge into one each, else through a dense copy in the
 * compute type: [batch][free][contract], or [batch][contract][free] when `down`. */
typedef struct fl_dot_side {
    int64_t batch_strides[FL_MAX_RANK];
    int64_t outer, inner; /* strides of the free and the contracting dimension */
    fl_dtype dtype;
    int copied, down;
    int parts;          /* reals for an element of the copy: 1, or for complex operands 2 (lhs) and 4 (rhs) */
    size_t copy_offset; /* in the scratch */
    int copy_rank;      /* the operand's dimensions in the order of the copy */
    int64_t copy_dims[FL_MAX_RANK + 1], copy_strides[FL_MAX_RANK + 1];
    int64_t depth; /* product of the dimensions that come last: contracting or, when `down`, free */
} fl_dot_side;

/* `outer` and `inner` are the products of the free and of the contracting dimensions. Returns whether a copy is needed. */
int fl_dot_plan_side(const fl_gemm_type *type, const fl_operand *o, const fl_dot_roles *r, int64_t outer,
                     int64_t inner, fl_dot_side *s);
/* A complex product as a real one of twice the depth and twice the columns: the lhs as pairs (re, im) along k, and for each element of
 * the rhs two columns: (re, -im) and (im, re) along k. So the columns of the result are its real and imaginary parts in turn. */
void fl_dot_plan_complex(const fl_gemm_type *type, const fl_operand *o, const fl_dot_roles *r, int64_t outer,
                         int64_t inner, int right, fl_dot_side *s);
/* The operand's memory as the side reads it: `in`, or the copy that is made in the scratch. */
const char *fl_dot_copy(const fl_dot_side *s, const fl_operand *o, fl_dtype compute, const char *in,
                        char *scratch);

#endif
