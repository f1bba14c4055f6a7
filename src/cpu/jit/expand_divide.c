/* Quotients by a divisor that a whole row shares: multiplications, where a division of each vector takes as long as ten of them.
 *
 * With r the nearest number to 1 / d and q the nearest to x r, the remainder x - q d is exact, and the nearest number to
 * q + (x - q d) r is the quotient rounded correctly (P. Markstein, 1990). Divisor and dividend are scaled first, by a power of two
 * that makes |d| a number of [1/2, 1): then nothing overflows that does not in the quotient. Quotients below 2^-100 (f64:
 * 2^-960), whose remainder is too small to be exact, may be off by one unit in the last place. */
#include "cpu/jit/graph.h"

static uint16_t constant(fl_jgraph *g, fl_jtype t, double x)
{
    return t == FL_T_F32 ? fl_jf32(g, (float)x) : fl_jf64(g, x);
}

uint16_t fl_jquotient(fl_jgraph *g, fl_jtype t, uint16_t x, uint16_t d)
{
    if (!g->target->has_scalef || g->nodes[x].level != FL_V_FULL || g->nodes[d].level == FL_V_FULL)
        return fl_j2(g, FL_J_FDIV, t, 0, x, d);
    uint16_t one = constant(g, t, 1), most = constant(g, t, t == FL_T_F32 ? 126 : 1022);
    uint16_t least = fl_j2(g, FL_J_FSUB, t, 0, one, most);
    uint16_t exponent = fl_j2(g, FL_J_FADD, t, 0, fl_j1(g, FL_J_GETEXP, t, 0, d), one);
    exponent = fl_j2(g, FL_J_FMIN, t, 0, most, fl_j2(g, FL_J_FMAX, t, 0, least, exponent));
    uint16_t scale = fl_j2(g, FL_J_SCALEF, t, 0, one, fl_j2(g, FL_J_FSUB, t, 0, constant(g, t, 0), exponent));
    uint16_t divisor = fl_j2(g, FL_J_FMUL, t, 0, d, scale), r = fl_j2(g, FL_J_FDIV, t, 0, one, divisor);
    uint16_t scaled = fl_j2(g, FL_J_FMUL, t, 0, x, scale), q = fl_j2(g, FL_J_FMUL, t, 0, scaled, r);
    uint16_t rest = fl_j3(g, FL_J_FNMA, t, q, divisor, scaled), better = fl_j3(g, FL_J_FMA, t, rest, r, q);
    /* no remainder: q, which has the sign of a zero; none that is a number: q is infinite, or NaN */
    uint16_t some = fl_j2(g, FL_J_FCMP, FL_T_MASK, 12, rest, constant(g, t, 0));
    uint16_t number = fl_j2(g, FL_J_FCMP, FL_T_MASK, 7, better, better);
    return fl_j3(g, FL_J_SELECT, t, fl_j2(g, FL_J_MAND, FL_T_MASK, 0, some, number), better, q);
}
