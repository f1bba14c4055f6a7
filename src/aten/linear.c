/* Matrix products. */
#include "aten/limit.h"
#include "aten/shapes.h"
#include "aten/table.h"

typedef enum product_kind { MATRIX, BATCHED, BATCH_SUM, MATRIX_VECTOR } product_kind;

/* lhs x rhs with result dtype `out`, after the checks that PyTorch leaves to the kernel. */
static fl_ref product(fl_builder *b, int lhs_arg, int rhs_arg, product_kind kind, fl_dtype out)
{
    static const int64_t c0[] = {0}, c1[] = {1}, c2[] = {2}, c02[] = {0, 2}, c01[] = {0, 1};
    static const fl_dot_dims dims[] = {
        [MATRIX] = {.lhs_contract = c1, .rhs_contract = c0, .contract_count = 1},
        [BATCHED] = {.lhs_batch = c0,
                     .rhs_batch = c0,
                     .lhs_contract = c2,
                     .rhs_contract = c1,
                     .batch_count = 1,
                     .contract_count = 1},
        [BATCH_SUM] = {.lhs_contract = c02, .rhs_contract = c01, .contract_count = 2},
        [MATRIX_VECTOR] = {.lhs_contract = c1, .rhs_contract = c0, .contract_count = 1},
    };
    fl_ref lhs = fl_in(b, lhs_arg), rhs = fl_in(b, rhs_arg);
    if (!fl_ok(b)) return FL_NO_REF;
    fl_dtype l = fl_dtypeof(b, lhs), r = fl_dtypeof(b, rhs);
    if (l != r)
        fl_builder_fail(b,
                        fl_error(FL_INVALID, "expected m1 and m2 to have the same dtype, but got: %s != %s",
                                 fl_c_type_name(l), fl_c_type_name(r)));
    else if (l == FL_I1)
        fl_unsupported(b, "matrix products of booleans");
    return fl_dot_general(b, lhs, rhs, &dims[kind], out);
}

/* Narrow floats are accumulated in f32 and rounded once, after beta and alpha. */
static fl_dtype product_math(fl_builder *b, int arg)
{
    const fl_tensor *tensor = fl_tensor_arg(b, arg);
    return tensor ? fl_op_math((fl_dtype)tensor->dtype) : FL_DTYPE_NONE;
}

/* beta * self + alpha * value; a beta of 0 leaves self (and its NaNs) out. */
static fl_ref scaled_sum(fl_builder *b, int self_arg, fl_ref value, int beta, int alpha)
{
    fl_dtype math = fl_dtypeof(b, value);
    if (!fl_scalar_is(b, alpha, 1)) value = fl_mul(b, value, fl_scalar_fitting(b, alpha, math));
    if (fl_scalar_is(b, beta, 0)) return value;
    fl_ref self = fl_broadcast_like(b, fl_in_cast(b, self_arg, math), value);
    if (!fl_scalar_is(b, beta, 1)) self = fl_mul(b, self, fl_scalar_fitting(b, beta, math));
    return fl_add(b, value, self);
}

static fl_ref add_product(fl_builder *b, product_kind kind)
{
    return scaled_sum(b, 0, product(b, 1, 2, kind, product_math(b, 1)), 3, 4);
}

FL_LOWER(mm)
{
    fl_emit(b, product(b, 0, 1, MATRIX, FL_DTYPE_NONE));
}

FL_LOWER(bmm)
{
    fl_emit(b, product(b, 0, 1, BATCHED, FL_DTYPE_NONE));
}

FL_LOWER(addmm)
{
    fl_emit(b, add_product(b, MATRIX));
}

FL_LOWER(addmv)
{
    fl_emit(b, add_product(b, MATRIX_VECTOR));
}

FL_LOWER(baddbmm)
{
    fl_emit(b, add_product(b, BATCHED));
}

FL_LOWER(addbmm)
{
    fl_ref sum = add_product(b, BATCH_SUM);
    const fl_tensor *self = fl_tensor_arg(b, 0);
    fl_emit(b, self ? fl_cast(b, sum, (fl_dtype)self->dtype) : sum);
}

/* relu or the exact gelu of addmm */
FL_LOWER(addmm_activation)
{
    fl_ref x = add_product(b, MATRIX);
    if (!fl_bool(b, 5)) {
        fl_emit(b, fl_max(b, x, fl_full_like(b, x, 0)));
        return;
    }
    fl_dtype math = fl_dtypeof(b, x);
    fl_ref half = fl_scalar_f(b, math, 0.5), root = fl_scalar_f(b, math, 0.70710678118654752440);
    fl_ref phi = fl_add(b, fl_erf(b, fl_mul(b, x, root)), fl_scalar_f(b, math, 1));
    fl_emit(b, fl_mul(b, fl_mul(b, x, half), phi));
}

FL_LOWER(int_mm)
{
    fl_emit(b, product(b, 0, 1, MATRIX, FL_I32));
}

FL_LOWER(linalg_cross)
{
    fl_ref v[2] = {fl_in(b, 0), fl_in(b, 1)};
    for (int i = 0; i < 2; i++) v[i] = fl_cast(b, v[i], fl_op_math(fl_dtypeof(b, v[i])));
    fl_broadcast_all(b, v, 2);
    int dim = fl_wrap_dim(b, fl_int(b, 2), fl_rank(b, v[0]));
    fl_ref x[3], y[3], out[3];
    for (int i = 0; i < 3; i++) {
        x[i] = fl_slice_dim(b, v[0], dim, i, i + 1, 1);
        y[i] = fl_slice_dim(b, v[1], dim, i, i + 1, 1);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = fl_sub(b, fl_mul(b, x[j], y[k]), fl_mul(b, x[k], y[j]));
    }
    fl_emit(b, fl_concat(b, out, 3, dim));
}
