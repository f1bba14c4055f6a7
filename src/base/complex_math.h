/* Complex functions whose real and imaginary part are each correct to one unit in the last place of a double
 * (but for arguments made so that a part nearly vanishes), over the whole range, subnormal numbers included.
 * Infinities, NaN, signed zeros and branch cuts are those of annex G of the C standard. Slow: for reference,
 * not for speed. */
#ifndef FL_BASE_COMPLEX_MATH_H
#define FL_BASE_COMPLEX_MATH_H

#include <complex.h>

typedef double complex fl_complex_function(double complex z);

fl_complex_function fl_complex_square, fl_complex_sqrt, fl_complex_rsqrt, fl_complex_cbrt, fl_complex_sign;
fl_complex_function fl_complex_exp, fl_complex_expm1, fl_complex_log, fl_complex_log1p, fl_complex_logistic;
fl_complex_function fl_complex_sin, fl_complex_cos, fl_complex_tan, fl_complex_sinh, fl_complex_cosh,
    fl_complex_tanh;
fl_complex_function fl_complex_asin, fl_complex_acos, fl_complex_atan, fl_complex_asinh, fl_complex_acosh,
    fl_complex_atanh;

double complex fl_complex_multiply(double complex a, double complex b);
double complex fl_complex_divide(double complex a, double complex b);
/* 1 for exponent 0; 0^exponent is 0 where the exponent's real part is positive. */
double complex fl_complex_power(double complex base, double complex exponent);
/* -i log((x + i y) / sqrt(x^2 + y^2)) */
double complex fl_complex_atan2(double complex y, double complex x);

#endif
