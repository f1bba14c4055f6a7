/* Arithmetic and comparisons of f32 and f64. Maximum and minimum give NaN when either operand is NaN. */
#include "cpu/loop/vec_macros.h"

#include <math.h>

#define FLOATS(X) X(F32, float, f) X(F64, double, )

static inline float sign_f(float p)
{
    return p > 0 ? 1.0f : p < 0 ? -1.0f : p;
}
static inline double sign_(double p)
{
    return p > 0 ? 1.0 : p < 0 ? -1.0 : p;
}

/* Round half away from zero: truncation and a comparison of the rest, exact for every value. */
static inline float afz_f(float p)
{
    float t = truncf(p), rest = fabsf(p - t);
    return rest >= 0.5f ? t + copysignf(1.0f, p) : copysignf(t, p);
}
static inline double afz_(double p)
{
    double t = trunc(p), rest = fabs(p - t);
    return rest >= 0.5 ? t + copysign(1.0, p) : copysign(t, p);
}

#define KERNELS(D, T, s)                                                                                     \
    FL_BINARY(add_##D, T, T, p + q)                                                                          \
    FL_BINARY(subtract_##D, T, T, p - q)                                                                     \
    FL_BINARY(multiply_##D, T, T, p *q)                                                                      \
    FL_BINARY(divide_##D, T, T, p / q)                                                                       \
    FL_BINARY(maximum_##D, T, T, (p > q) | (p != p) ? p : q)                                                 \
    FL_BINARY(minimum_##D, T, T, (p < q) | (p != p) ? p : q)                                                 \
    FL_UNARY(negate_##D, T, T, -p)                                                                           \
    FL_UNARY(abs_##D, T, T, fabs##s(p))                                                                      \
    FL_UNARY(square_##D, T, T, p *p)                                                                         \
    FL_UNARY(sqrt_##D, T, T, sqrt##s(p))                                                                     \
    FL_UNARY(rsqrt_##D, T, T, (T)(1 / sqrt((double)p)))                                                        \
    FL_UNARY(floor_##D, T, T, floor##s(p))                                                                   \
    FL_UNARY(ceil_##D, T, T, ceil##s(p))                                                                     \
    FL_UNARY(rint_##D, T, T, rint##s(p))                                                                     \
    FL_UNARY(afz_##D, T, T, afz_##s(p))                                                                      \
    FL_UNARY(sign_##D, T, T, sign_##s(p))                                                                    \
    FL_UNARY(is_finite_##D, uint8_t, T, fabs##s(p) < (T)INFINITY)                                            \
    FL_UNARY(is_inf_##D, uint8_t, T, fabs##s(p) == (T)INFINITY)                                              \
    FL_UNARY(is_pos_inf_##D, uint8_t, T, p == (T)INFINITY)                                                   \
    FL_UNARY(is_neg_inf_##D, uint8_t, T, p == -(T)INFINITY)

FLOATS(KERNELS)

#define ROWS(D, T, s)                                                                                        \
    FL_ROW3(add, add_##D, D)                                                                                 \
    FL_ROW3(subtract, subtract_##D, D) FL_ROW3(multiply, multiply_##D, D) FL_ROW3(divide, divide_##D, D)     \
        FL_ROW3(maximum, maximum_##D, D) FL_ROW3(minimum, minimum_##D, D) FL_ROW1(negate, negate_##D, D)     \
            FL_ROW1(abs, abs_##D, D) FL_ROW1(square, square_##D, D) FL_ROW1(sqrt, sqrt_##D, D)               \
                FL_ROW1(rsqrt, rsqrt_##D, D) FL_ROW1(floor, floor_##D, D) FL_ROW1(ceil, ceil_##D, D)         \
                    FL_ROW1(round_nearest_even, rint_##D, D) FL_ROW1(round_nearest_afz, afz_##D, D)          \
                        FL_ROW1(sign, sign_##D, D) FL_ROW1(is_finite, is_finite_##D, D)                      \
                            FL_ROW1(is_inf, is_inf_##D, D) FL_ROW1(is_pos_inf, is_pos_inf_##D, D)            \
                                FL_ROW1(is_neg_inf, is_neg_inf_##D, D)

static const fl_vec_row rows[] = {FLOATS(ROWS)};
const fl_vec_table FL_ISA_NAME(fl_vec_floats)[1] = {{rows, sizeof rows / sizeof rows[0]}};

/* Comparisons; the sv form of a direction is the vs form of the opposite one, chosen when the plan is made. */
#define COMPARED(X)                                                                                          \
    X(I1, uint8_t)                                                                                           \
    X(I8, int8_t) X(I16, int16_t) X(I32, int32_t) X(I64, int64_t) X(U8, uint8_t) X(U16, uint16_t)            \
        X(U32, uint32_t) X(U64, uint64_t) X(F32, float) X(F64, double)

#define COMPARE_FORMS(name, T, expression)                                                                   \
    FL_BINARY_FORM(name##_vv, uint8_t, T, x[i], y[i], (void)0, expression)                                   \
    FL_BINARY_FORM(name##_vs, uint8_t, T, x[i], s, T s = *y, expression)

#define COMPARES(D, T)                                                                                       \
    COMPARE_FORMS(eq_##D, T, p == q)                                                                         \
    COMPARE_FORMS(ne_##D, T, p != q) COMPARE_FORMS(ge_##D, T, p >= q) COMPARE_FORMS(gt_##D, T, p > q)        \
        COMPARE_FORMS(le_##D, T, p <= q) COMPARE_FORMS(lt_##D, T, p < q)
COMPARED(COMPARES)

#define COMPARE_ROW(D, T)                                                                                    \
    {FL_##D,                                                                                                 \
     {[FL_EQ] = {eq_##D##_vv, eq_##D##_vs, eq_##D##_vs},                                                     \
      [FL_NE] = {ne_##D##_vv, ne_##D##_vs, ne_##D##_vs},                                                     \
      [FL_GE] = {ge_##D##_vv, ge_##D##_vs, le_##D##_vs},                                                     \
      [FL_GT] = {gt_##D##_vv, gt_##D##_vs, lt_##D##_vs},                                                     \
      [FL_LE] = {le_##D##_vv, le_##D##_vs, ge_##D##_vs},                                                     \
      [FL_LT] = {lt_##D##_vv, lt_##D##_vs, gt_##D##_vs}}},
/* The functions in the sv column take (vector, scalar): whoever uses them swaps the operands. */
const fl_vec_compare_row FL_ISA_NAME(fl_vec_compares)[11] = {COMPARED(COMPARE_ROW)};
