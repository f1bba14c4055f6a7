/* CHLO's operations written as StableHLO. Internal to opt/. */
#ifndef FL_OPT_LEGALIZE_H
#define FL_OPT_LEGALIZE_H

#include "ir/build.h"

/* A formula: operands and result have one type, of f32, f64 or (those for which legalize.c says so) complex elements. */
typedef fl_ref (*fl_chlo_formula)(fl_builder *b, const fl_ref *x);

#define FL_CHLO_FORMULAS(X)                                                                                  \
    X(acos)                                                                                                  \
    X(acosh)                                                                                                 \
    X(asin)                                                                                                  \
    X(asinh) X(atan) X(atanh) X(bessel_i1e) X(cosh) X(digamma) X(erf) X(erf_inv) X(erfc) X(lgamma)           \
        X(next_after) X(polygamma) X(sinh) X(zeta)
#define X(name) fl_ref fl_chlo_##name(fl_builder *b, const fl_ref *x);
FL_CHLO_FORMULAS(X)
#undef X

/* A dot_general of the left side in as many copies as there are groups, zero where a row is of another. Only for operands without
 * batches; FL_NO_REF for others. */
fl_ref fl_chlo_ragged_dot(fl_builder *b, const fl_op *op, const fl_ref *x, const fl_type *out);

/* Arithmetic with constants of the element type. */
fl_ref fl_chlo_c(fl_builder *b, fl_ref like, double value); /* 0-d */
fl_ref fl_chlo_add(fl_builder *b, fl_ref x, double c);
fl_ref fl_chlo_mul(fl_builder *b, fl_ref x, double c);
fl_ref fl_chlo_rsub(fl_builder *b, double c, fl_ref x); /* c - x */
fl_ref fl_chlo_div(fl_builder *b, double c, fl_ref x);  /* c / x */
fl_ref fl_chlo_cmp(fl_builder *b, fl_compare_direction direction, fl_ref x, double c);
fl_ref fl_chlo_poly(fl_builder *b, fl_ref x, const double *c, int count); /* highest power first */
fl_ref fl_chlo_copysign(fl_builder *b, fl_ref magnitude, fl_ref sign);    /* magnitude >= 0 or NaN */
fl_ref fl_chlo_is_inf(fl_builder *b, fl_ref x); /* of either sign; itself without CHLO */
/* a where x < c, else b */
fl_ref fl_chlo_below(fl_builder *b, fl_ref x, double c, fl_ref yes, fl_ref no);

#endif
