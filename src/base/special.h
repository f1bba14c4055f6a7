/* Special functions that the C library has not, correct to a few units in the last place of a double. */
#ifndef FL_BASE_SPECIAL_H
#define FL_BASE_SPECIAL_H

/* log |gamma(x)|; unlike lgamma it writes no global */
double fl_special_lgamma(double x);
/* d/dx log gamma. As PyTorch: -inf at +0, +inf at -0, NaN at negative integers. */
double fl_special_digamma(double x);
/* Hurwitz zeta: sum over k >= 0 of (q + k)^-s. NaN for s < 1, inf for s == 1; for q < 0 only integer s is
 * real. */
double fl_special_zeta(double s, double q);
/* The n-th derivative of digamma; NaN unless n is a non-negative integer. */
double fl_special_polygamma(double n, double x);
double fl_special_erf_inv(double x);
/* Modified Bessel functions of the first kind; the e forms are multiplied by exp(-|x|). */
double fl_special_bessel_i0(double x);
double fl_special_bessel_i0e(double x);
double fl_special_bessel_i1(double x);
double fl_special_bessel_i1e(double x);

#endif
