/* Orthogonal polynomials p_n(x), n a tensor: the three-term recurrence runs to the largest n, and every
 * element stops at its own. */
#include "aten/formula.h"
#include "aten/table.h"
#include <math.h>

typedef enum recurrence { CHEBYSHEV, HERMITE_H, HERMITE_HE, LAGUERRE, LEGENDRE } recurrence;

/* p_k from p_(k-1) = q and p_(k-2) = p; k is a 0-d value of x's dtype */
static fl_ref next_term(fl_builder *b, recurrence kind, fl_ref x, fl_ref k, fl_ref q, fl_ref p)
{
    fl_ref before = fl_add_c(b, k, -1), twice = fl_add(b, x, x), weighted;
    switch (kind) {
    case CHEBYSHEV: return fl_sub(b, fl_mul(b, twice, q), p);
    case HERMITE_H: return fl_sub(b, fl_mul(b, twice, q), fl_mul(b, p, fl_add(b, before, before)));
    case HERMITE_HE: return fl_sub(b, fl_mul(b, x, q), fl_mul(b, p, before));
    case LAGUERRE: weighted = fl_mul(b, fl_sub(b, fl_add(b, before, k), x), q); break;
    default: weighted = fl_mul(b, fl_mul(b, x, fl_add(b, before, k)), q); break;
    }
    return fl_div(b, fl_sub(b, weighted, fl_mul(b, p, before)), k);
}

/* Runs q, p up to each element's n; the state is k, the last k, n, x, q, p. */
static fl_ref run(fl_builder *b, recurrence kind, fl_ref x, fl_ref n, fl_ref first)
{
    fl_ref last = fl_rank(b, n) ? fl_reduce_all(b, FL_OP_maximum, n) : n;
    fl_ref init[6] = {fl_const(b, x, 2), last, n, x, first, fl_full_like(b, x, 1)};
    if (!fl_ok(b)) return FL_NO_REF;
    fl_type types[6];
    for (int i = 0; i < 6; i++) types[i] = *fl_typeof(b, init[i]);
    fl_block *condition = fl_region_begin(b, types, 6);
    fl_ref go_on = fl_compare(b, FL_LE, fl_block_arg(condition, 0), fl_block_arg(condition, 1));
    fl_region_end(b, condition, &go_on, 1);
    fl_block *body = fl_region_begin(b, types, 6);
    fl_ref k = fl_block_arg(body, 0), limit = fl_block_arg(body, 2), q = fl_block_arg(body, 4),
           p = fl_block_arg(body, 5);
    fl_ref active = fl_compare(b, FL_GE, limit, k);
    fl_ref term = next_term(b, kind, fl_block_arg(body, 3), k, q, p);
    fl_ref next[6] = {fl_add_c(b, k, 1),     fl_block_arg(body, 1),         limit,
                      fl_block_arg(body, 3), fl_select(b, active, term, q), fl_select(b, active, q, p)};
    fl_region_end(b, body, next, 6);
    fl_block *regions[2] = {condition, body};
    fl_ref results = fl_build(b, FL_OP_while, init, 6, NULL, 0, regions, 2);
    return results == FL_NO_REF ? FL_NO_REF : results + 4;
}

/* p_1(x) = a x + c; `shifted`: of 2 x - 1; beyond `limit` there is no value */
static void polynomial(fl_builder *b, recurrence kind, double a, double c, int shifted, int limited)
{
    fl_ref x, n;
    fl_dtype t = fl_operands(b, FL_UNARY_FLOAT | FL_UNARY_REAL | FL_UNARY_OPMATH, &x, &n);
    fl_ref values[2] = {x, n};
    fl_broadcast_all(b, values, 2);
    x = values[0];
    n = fl_unary_trunc.apply(b, values[1]);
    if (shifted) x = fl_add_c(b, fl_add(b, x, x), -1);
    fl_ref readable = fl_select(b, fl_is_finite(b, n), n, fl_const(b, n, -1));
    double limit = fl_dtypeof(b, x) == FL_F64 ? 512 : 128;
    fl_ref count = limited ? fl_min(b, readable, fl_const(b, n, limit)) : readable;
    fl_ref scaled = a == 1 ? x : fl_mul_c(b, x, a), first = c == 0 ? scaled : fl_add_c(b, scaled, c);
    fl_ref value = run(b, kind, x, count, first);
    value = fl_select(b, fl_compare_c(b, FL_EQ, readable, 0), fl_const(b, x, 1), value);
    value = fl_select(b, fl_compare_c(b, FL_LT, readable, 0), fl_const(b, x, 0), value);
    if (limited) value = fl_select(b, fl_compare_c(b, FL_GT, readable, limit), fl_const(b, x, NAN), value);
    fl_emit_as(b, value, t);
}

#define POLYNOMIAL(name, kind, a, c, shifted, limited)                                                       \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        polynomial(b, kind, a, c, shifted, limited);                                                         \
    }
POLYNOMIAL(chebyshev_t, CHEBYSHEV, 1, 0, 0, 0)
POLYNOMIAL(chebyshev_u, CHEBYSHEV, 2, 0, 0, 0)
POLYNOMIAL(chebyshev_v, CHEBYSHEV, 2, -1, 0, 0)
POLYNOMIAL(chebyshev_w, CHEBYSHEV, 2, 1, 0, 0)
POLYNOMIAL(shifted_chebyshev_t, CHEBYSHEV, 1, 0, 1, 0)
POLYNOMIAL(shifted_chebyshev_u, CHEBYSHEV, 2, 0, 1, 0)
POLYNOMIAL(shifted_chebyshev_v, CHEBYSHEV, 2, -1, 1, 0)
POLYNOMIAL(shifted_chebyshev_w, CHEBYSHEV, 2, 1, 1, 0)
POLYNOMIAL(hermite_h, HERMITE_H, 2, 0, 0, 1)
POLYNOMIAL(hermite_he, HERMITE_HE, 1, 0, 0, 1)
POLYNOMIAL(laguerre_l, LAGUERRE, -1, 1, 0, 0)
POLYNOMIAL(legendre_p, LEGENDRE, 1, 0, 0, 0)
