/* The exponential of matrices: Taylor's polynomial of degree 18 in five products (Bader, Blanes, Casas 2019), of a matrix that
 * was divided by a power of two, squared as often afterwards. */
#include "aten/formula.h"
#include "aten/linalg.h"
#include "aten/loop.h"
#include "aten/sizes.h"
#include "aten/table.h"

#include <math.h>

/* Sums of 1, A, A^2, A^3 and A^6. */
static const double sums[5][5] = {
    {0, -1.00365581030144618291e-01, -8.02924648241156932449e-03, -8.92138498045729985177e-04, 0},
    {0, 3.97849749499645077844e-01, 1.36783778460411720168e+00, 4.98289622525382669416e-01,
     -6.37898194594723280150e-04},
    {-1.09676396052962061844e+01, 1.68015813878906206114e+00, 5.71779846478865511061e-02,
     -6.98210122488052056106e-03, 3.34975017086070470649e-05},
    {-9.04316832390810593223e-02, -6.76404519071381882256e-02, 6.75961301770459654925e-02,
     2.95552570429315521194e-02, -1.39180257516060693404e-05},
    {0, 0, -9.23364619367118555360e-02, -1.69364939002081722752e-02, -1.40086798182036094347e-05},
};

static fl_ref polynomial(fl_builder *b, fl_ref a)
{
    fl_ref powers[5] = {fl_on_diagonal(b, a), a}, parts[5];
    powers[0] = fl_cast(b, powers[0], fl_dtypeof(b, a));
    powers[2] = fl_matmul(b, a, a);
    powers[3] = fl_matmul(b, powers[2], a);
    powers[4] = fl_matmul(b, powers[3], powers[3]);
    for (int i = 0; i < 5; i++) {
        parts[i] = FL_NO_REF;
        for (int j = 0; j < 5; j++) {
            if (sums[i][j] == 0) continue;
            fl_ref term = fl_mul_c(b, powers[j], sums[i][j]);
            parts[i] = parts[i] == FL_NO_REF ? term : fl_add(b, parts[i], term);
        }
    }
    fl_ref ninth = fl_add(b, fl_matmul(b, parts[0], parts[4]), parts[3]);
    return fl_add(b, parts[1], fl_matmul(b, fl_add(b, parts[2], ninth), ninth));
}

/* state: the matrices, how often each is to be squared */
static void square(fl_builder *b, fl_ref step, const fl_ref *state, fl_ref *next, const void *given)
{
    (void)given;
    fl_ref more = fl_compare(b, FL_GT, state[1], step);
    next[0] = fl_select(b, fl_broadcast_like(b, more, state[0]), fl_matmul(b, state[0], state[0]), state[0]);
}

/* How often to halve a matrix of this norm, so that the polynomial is exact to rounding: f64 of the norm's shape. */
static fl_ref halvings(fl_builder *b, fl_ref norm)
{
    const double reach = fl_dtypeof(b, norm) == FL_F64 ? 1.090863719290036 : 3.010066362817634;
    fl_ref wide = fl_cast(b, norm, FL_F64);
    fl_ref count = fl_ceil(b, fl_mul_c(b, fl_log(b, fl_mul_c(b, wide, 1 / reach)), 1 / M_LN2));
    count = fl_max(b, count, fl_const(b, count, 0));
    /* what is not finite stays so without being squared */
    return fl_select(b, fl_is_finite(b, count), fl_min(b, count, fl_const(b, count, 1100)),
                     fl_const(b, count, 0));
}

FL_LOWER(linalg_matrix_exp)
{
    fl_ref a = fl_in(b, 0);
    const int rank = fl_rank(b, a);
    FL_REQUIRE(b, fl_is_float(fl_dtypeof(b, a)) || fl_is_complex(fl_dtypeof(b, a)), FL_INVALID,
               "linalg.matrix_exp: Expected a floating point or complex tensor as input. Got %s",
               fl_torch_type_name(fl_dtypeof(b, a)));
    FL_REQUIRE(b, rank >= 2, FL_INVALID,
               "linalg.matrix_exp: The input tensor A must have at least 2 dimensions.");
    FL_REQUIRE(b, fl_dim(b, a, -1) == fl_dim(b, a, -2), FL_INVALID,
               "linalg.matrix_exp: A must be batches of square matrices, but they are %lld by %lld matrices",
               (long long)fl_dim(b, a, -2), (long long)fl_dim(b, a, -1));
    const fl_dtype given = fl_dtypeof(b, a), math = fl_op_math(given);
    a = fl_cast(b, a, math);
    if (!fl_matrices(b, a, 1)) return;
    if (!fl_elements(b, a)) {
        fl_emit(b, fl_cast(b, a, given));
        return;
    }
    const int64_t rows = rank - 2, columns = rank - 1;
    fl_ref norm = fl_reduce(b, FL_OP_add, fl_abs(b, a), &rows, 1, 1);
    norm = fl_reduce(b, FL_OP_maximum, norm, &columns, 1, 1);
    fl_ref count = halvings(b, norm);
    fl_ref scale = fl_cast(b, fl_pow(b, fl_const(b, count, 0.5), count), math);
    fl_ref state[] = {polynomial(b, fl_mul(b, a, fl_broadcast_like(b, scale, a))), fl_cast(b, count, FL_I64)};
    fl_loop_to(b, fl_reduce_all(b, FL_OP_maximum, state[1]), state, 2, square, NULL);
    fl_emit(b, fl_cast(b, state[0], given));
}
