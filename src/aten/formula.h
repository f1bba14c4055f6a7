/* Formulas that several lowerings share: elementwise operators on values, used by the single-tensor and the _foreach forms.
 * Each takes values that the caller has brought to the dtype of the computation and to one shape (0-d values broadcast). */
#ifndef FL_ATEN_FORMULA_H
#define FL_ATEN_FORMULA_H

#include "aten/lower.h"

/* Type promotion over a changing set of operands: fl_promotion p = {0}; add...; dtype = fl_promotion_result(b, &p). */
typedef struct fl_promotion {
    fl_dtype dimensioned, scalar, wrapped; /* the three priorities of torch.result_type */
} fl_promotion;
void fl_promotion_add_tensor(fl_promotion *p, const fl_tensor *tensor); /* NULL: nothing */
void fl_promotion_add_tag(fl_promotion *p, fl_tag tag);                 /* a Python number of that kind */
fl_dtype fl_promotion_result(fl_builder *b, const fl_promotion *p);

/* Casts `x` to the element type `dtype` of the result and gives it as the next result. */
void fl_emit_as(fl_builder *b, fl_ref x, fl_dtype dtype);
/* dtype of a result computed in floating point from `dtype`: the written tensor's for integers if it is floating, else the default */
fl_dtype fl_float_result(fl_builder *b, fl_dtype dtype);
fl_ref fl_const(fl_builder *b, fl_ref like, double value); /* 0-d constant of like's dtype */
void fl_broadcast_pair(fl_builder *b, fl_ref *x, fl_ref *y);
/* Tensor arguments i and j in `dtype`, of one shape. */
void fl_in_pair(fl_builder *b, int i, int j, fl_dtype dtype, fl_ref *x, fl_ref *y);
/* Arithmetic with a constant operand. */
fl_ref fl_add_c(fl_builder *b, fl_ref x, double c);
fl_ref fl_mul_c(fl_builder *b, fl_ref x, double c);
fl_ref fl_c_sub(fl_builder *b, double c, fl_ref x);
fl_ref fl_compare_c(fl_builder *b, fl_compare_direction direction, fl_ref x, double c);
fl_ref fl_poly(fl_builder *b, fl_ref x, const double *c, int count); /* c[0] x^(count-1) + ... + c[count-1] */

/* One-operand operators. `apply` sees a value of the computation's dtype. */
typedef enum fl_unary_flags {
    FL_UNARY_FLOAT = 1,      /* integers become floating point first */
    FL_UNARY_OPMATH = 2,     /* narrow floats are computed in f32 */
    FL_UNARY_COPIES_INT = 4, /* the identity on integers and bool */
    FL_UNARY_REAL = 8,       /* no complex numbers */
    FL_UNARY_NO_BOOL = 16,
} fl_unary_flags;
typedef struct fl_unary {
    fl_ref (*apply)(fl_builder *b, fl_ref x);
    unsigned flags;
} fl_unary;
/* The operator's value on x, of the dtype that PyTorch gives a fresh result. */
fl_ref fl_unary_value(fl_builder *b, fl_unary op, fl_ref x);
/* clang-format off */
#define FL_UNARY_TABLE(X)                                                                                                  \
    X(acos, FL_UNARY_FLOAT) X(acosh, FL_UNARY_FLOAT) X(asin, FL_UNARY_FLOAT) X(asinh, FL_UNARY_FLOAT)                      \
    X(atan, FL_UNARY_FLOAT) X(atanh, FL_UNARY_FLOAT) X(cos, FL_UNARY_FLOAT) X(cosh, FL_UNARY_FLOAT)                        \
    X(erf, FL_UNARY_FLOAT | FL_UNARY_REAL) X(erfc, FL_UNARY_FLOAT | FL_UNARY_REAL) X(exp, FL_UNARY_FLOAT)                  \
    X(expm1, FL_UNARY_FLOAT) X(lgamma, FL_UNARY_FLOAT | FL_UNARY_REAL) X(log, FL_UNARY_FLOAT) X(log1p, FL_UNARY_FLOAT)     \
    X(rsqrt, FL_UNARY_FLOAT) X(sin, FL_UNARY_FLOAT) X(sinh, FL_UNARY_FLOAT) X(sqrt, FL_UNARY_FLOAT) X(tan, FL_UNARY_FLOAT) \
    X(tanh, FL_UNARY_FLOAT) X(sigmoid, FL_UNARY_FLOAT) X(reciprocal, FL_UNARY_FLOAT)                                       \
    X(exp2, FL_UNARY_FLOAT | FL_UNARY_OPMATH) X(log2, FL_UNARY_FLOAT | FL_UNARY_OPMATH)                                    \
    X(log10, FL_UNARY_FLOAT | FL_UNARY_OPMATH) X(erfinv, FL_UNARY_FLOAT | FL_UNARY_REAL)                                   \
    X(digamma, FL_UNARY_FLOAT | FL_UNARY_REAL | FL_UNARY_OPMATH) X(sinc, FL_UNARY_FLOAT | FL_UNARY_OPMATH)                 \
    X(ceil, FL_UNARY_COPIES_INT | FL_UNARY_REAL) X(floor, FL_UNARY_COPIES_INT | FL_UNARY_REAL)                             \
    X(round, FL_UNARY_COPIES_INT | FL_UNARY_REAL) X(trunc, FL_UNARY_COPIES_INT | FL_UNARY_REAL)                            \
    X(frac, FL_UNARY_REAL | FL_UNARY_NO_BOOL) X(neg, FL_UNARY_NO_BOOL) X(abs, FL_UNARY_NO_BOOL)                            \
    X(sign, FL_UNARY_REAL) X(sgn, 0)
/* clang-format on */
#define X(name, flags) extern const fl_unary fl_unary_##name;
FL_UNARY_TABLE(X)
#undef X

/* Arguments 0 and 1 (tensors or Scalars) in their common dtype and shape; the dtype is returned, the values may be wider. */
typedef fl_ref (*fl_binary_formula)(fl_builder *b, fl_ref x, fl_ref y);
fl_dtype fl_operands(fl_builder *b, unsigned flags, fl_ref *x, fl_ref *y);
/* Gives f of arguments 0 and 1; `flags` as for one operand. */
void fl_binary(fl_builder *b, fl_binary_formula f, unsigned flags);

/* Two- and three-operand formulas, in the operands' dtype. */
fl_ref fl_f_add(fl_builder *b, fl_ref x, fl_ref y, fl_ref alpha); /* alpha FL_NO_REF: 1 */
fl_ref fl_f_sub(fl_builder *b, fl_ref x, fl_ref y, fl_ref alpha);
fl_ref fl_f_trunc_div(fl_builder *b, fl_ref x, fl_ref y);
fl_ref fl_f_floor_div(fl_builder *b, fl_ref x, fl_ref y);
fl_ref fl_f_fmod(fl_builder *b, fl_ref x, fl_ref y);
fl_ref fl_f_remainder(fl_builder *b, fl_ref x, fl_ref y);
fl_ref fl_f_pow(fl_builder *b, fl_ref x, fl_ref y);
fl_ref fl_f_lerp(fl_builder *b, fl_ref start, fl_ref end, fl_ref weight);
fl_ref fl_f_addcmul(fl_builder *b, fl_ref x, fl_ref t1, fl_ref t2, fl_ref value);
fl_ref fl_f_addcdiv(fl_builder *b, fl_ref x, fl_ref t1, fl_ref t2, fl_ref value);
fl_ref fl_f_copysign(fl_builder *b, fl_ref magnitude, fl_ref sign); /* floating point */
fl_ref fl_f_log_sigmoid(fl_builder *b, fl_ref x);
int fl_is_by_tanh(fl_builder *b, int i); /* string argument i of gelu: "tanh" or, else, "none" */
fl_ref fl_f_xlogy(fl_builder *b, fl_ref x, fl_ref y, fl_ref log_of_y);
fl_ref fl_f_log_add_exp(fl_builder *b, fl_ref x, fl_ref y); /* log(exp(x) + exp(y)), real or complex */
/* Fractions in [0.5, 1) and exponents (of the integer type as wide as x) with x = fraction * 2^exponent; f32 and f64. */
fl_ref fl_f_frexp(fl_builder *b, fl_ref x, fl_ref *out_exponent);

/* Norm over dims: order `p`, x of floating or complex dtype, already in the accumulation type. Result is real. */
fl_ref fl_vector_norm(fl_builder *b, fl_ref x, fl_ref p, double p_static, const int64_t *dims, uint32_t count,
                      int keepdim);

#endif
