/* LU factors with row exchanges, and what follows from them: systems, inverses, determinants. Matrices are [batch, m, n] inside. */
#include "aten/formula.h"
#include "aten/linalg.h"
#include "aten/table.h"
#include "ir/lu.h"

typedef struct factors {
    fl_ref lu, pivots; /* [batch, m, n]; i32 [batch, min(m, n)], counted from 1 */
    fl_ref order;      /* the row of A at each place after all exchanges: i64 [batch, m] */
} factors;

static fl_ref one_batch(fl_builder *b, fl_ref x, int inner)
{
    int64_t dims[FL_MAX_RANK], to[3];
    int rank = fl_get_dims(b, x, dims);
    to[0] = 1;
    for (int i = 0; i < rank - inner; i++) to[0] *= dims[i];
    for (int i = 0; i < inner; i++) to[1 + i] = dims[rank - inner + i];
    return fl_reshape(b, x, 1 + inner, to);
}

/* The batch of x, [batch, ...], in the dims that `like` has before its last two. */
static fl_ref in_batch_of(fl_builder *b, fl_ref x, fl_ref like)
{
    int64_t dims[FL_MAX_RANK], inner[FL_MAX_RANK];
    int batch = fl_get_dims(b, like, dims) - 2, count = fl_get_dims(b, x, inner) - 1;
    for (int i = 0; i < count; i++) dims[batch + i] = inner[1 + i];
    return fl_reshape(b, x, batch + count, dims);
}

static fl_ref equals(fl_builder *b, fl_ref x, fl_ref y)
{
    return fl_compare(b, FL_EQ, x, y);
}

static factors factor(fl_builder *b, fl_ref x, int pivoting)
{
    fl_ref a = one_batch(b, x, 2);
    if (!fl_ok(b)) return (factors){0};
    const int64_t dims[] = {fl_dim(b, a, 0), fl_dim(b, a, 1), fl_dim(b, a, 2)},
                  sizes[] = {dims[0], fl_min_i(dims[1], dims[2])};
    factors f = {a, fl_zeros(b, FL_I32, 2, sizes), fl_iota(b, fl_type_make(FL_I64, 2, dims), 1)};
    if (!fl_ok(b) || !fl_elements(b, a)) return f;
    if (!pivoting) {
        f.lu = fl_lu_by_columns(b, a, 0, &f.pivots);
    } else {
        const fl_type out[] = {*fl_typeof(b, a), fl_type_make(FL_I32, 2, sizes),
                               fl_type_make(FL_I32, 2, dims)};
        f.lu = fl_call_xla(b, "LuDecomposition", "", &a, 1, out, 3);
        if (f.lu == FL_NO_REF) return (factors){0};
        f.pivots = f.lu + 1, f.order = fl_cast(b, f.lu + 2, FL_I64);
    }
    f.pivots = fl_add_c(b, f.pivots, 1);
    return f;
}

/* The order of rows by exchanges that are counted from 1; `what` says what is wrong with others. */
static fl_ref order_of(fl_builder *b, fl_ref pivots, int64_t rows, const char *what)
{
    return fl_lu_order(b, fl_check_index(b, fl_add_c(b, pivots, -1), 0, rows, what), rows);
}

/* Booleans [batch, m, m], true at (order[i], i): the matrix P of A = P L U. */
static fl_ref permutation_matrix(fl_builder *b, fl_ref order)
{
    int64_t m = fl_dim(b, order, 1), dims[] = {fl_dim(b, order, 0), m, m};
    fl_ref rows = fl_iota(b, fl_type_make(FL_I64, 3, dims), 1);
    return equals(b, rows, fl_broadcast_to(b, fl_unsqueeze(b, order, 1), 3, dims));
}

/* Rows (dim 1) or columns (dim 2) of x in this order; `back`: puts them where the order took them from. */
static fl_ref reordered(fl_builder *b, fl_ref x, int dim, fl_ref order, int back)
{
    if (back) {
        fl_ref matrix = fl_cast(b, permutation_matrix(b, order), FL_I64);
        order = fl_reduce_dim(b, FL_OP_add, fl_mul(b, matrix, fl_iota_like(b, FL_I64, matrix, 2)), 2, 0);
    }
    return fl_gather_along(b, x, dim, fl_broadcast_like(b, fl_unsqueeze(b, order, dim == 1 ? 2 : 1), x));
}

/* A X = rhs, X A = rhs (right), or with the adjoint of A; all [batch, ...]. */
static fl_ref solve(fl_builder *b, fl_ref lu, fl_ref order, fl_ref rhs, int right, int adjoint)
{
    fl_transpose_kind transpose = adjoint ? FL_ADJOINT : FL_NO_TRANSPOSE;
    fl_triangle l = {.lower = 1, .unit = 1, .right = right, .transpose = transpose};
    fl_triangle u = {.right = right, .transpose = transpose};
    int dim = right ? 2 : 1, l_first = right == adjoint;
    if (l_first) rhs = reordered(b, rhs, dim, order, 0);
    rhs = fl_solve_triangle(b, lu, rhs, l_first ? l : u);
    rhs = fl_solve_triangle(b, lu, rhs, l_first ? u : l);
    return l_first ? rhs : reordered(b, rhs, dim, order, 1);
}

static fl_ref lower_of(fl_builder *b, fl_ref lu)
{
    fl_ref x = fl_slice_dim(b, lu, 2, 0, fl_min_i(fl_dim(b, lu, 1), fl_dim(b, lu, 2)), 1);
    fl_ref rows = fl_iota_like(b, FL_I64, x, 1), columns = fl_iota_like(b, FL_I64, x, 2);
    fl_ref diagonal = fl_cast(b, equals(b, rows, columns), fl_dtypeof(b, x));
    return fl_select(b, fl_compare(b, FL_GT, rows, columns), x, diagonal);
}

static fl_ref upper_of(fl_builder *b, fl_ref lu)
{
    fl_ref x = fl_slice_dim(b, lu, 1, 0, fl_min_i(fl_dim(b, lu, 1), fl_dim(b, lu, 2)), 1);
    fl_ref rows = fl_iota_like(b, FL_I64, x, 1), columns = fl_iota_like(b, FL_I64, x, 2);
    return fl_select(b, fl_compare(b, FL_LE, rows, columns), x, fl_const(b, x, 0));
}

/* 1 + the first column without a pivot, or 0: [batch] */
static fl_ref failure(fl_builder *b, fl_ref lu)
{
    int64_t n = fl_min_i(fl_dim(b, lu, 1), fl_dim(b, lu, 2));
    fl_ref square = fl_slice_dim(b, fl_slice_dim(b, lu, 1, 0, n, 1), 2, 0, n, 1);
    return fl_first_on_diagonal(b, equals(b, square, fl_const(b, square, 0)));
}

/* A, pivot, check_errors: LU, pivots, info */
FL_LOWER(linalg_lu_factor_ex)
{
    fl_ref a = fl_in(b, 0);
    if (!fl_matrices(b, a, 0)) return;
    factors f = factor(b, a, fl_bool(b, 1));
    fl_emit(b, fl_reshape_like(b, f.lu, a));
    fl_emit(b, in_batch_of(b, f.pivots, a));
    fl_ref info = in_batch_of(b, failure(b, f.lu), a);
    fl_emit(b, info);
    fl_check_if_asked(b, 2, info,
                      "torch.linalg.lu_factor_ex: |U[#,#] is zero and using it on lu_solve would result in a "
                      "division by zero. If you still want to perform the factorization, consider calling "
                      "linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)");
}

/* `order` FL_NO_REF: no permutation is wanted. */
static void emit_parts(fl_builder *b, fl_ref lu, fl_ref order, fl_ref like, int with_data)
{
    const int64_t none = 0;
    const int with_permutation = order != FL_NO_REF;
    fl_dtype dtype = fl_dtypeof(b, like);
    fl_ref nothing = fl_zeros(b, dtype, 1, &none);
    fl_ref p = with_permutation ? permutation_matrix(b, order) : nothing;
    fl_emit(b, with_permutation ? in_batch_of(b, fl_cast(b, p, dtype), like) : p);
    fl_emit(b, with_data ? in_batch_of(b, lower_of(b, lu), like) : nothing);
    fl_emit(b, with_data ? in_batch_of(b, upper_of(b, lu), like) : nothing);
}

/* A, pivot: P, L, U */
FL_LOWER(linalg_lu)
{
    fl_ref a = fl_in(b, 0);
    if (!fl_matrices(b, a, 0)) return;
    int pivoting = fl_bool(b, 1);
    factors f = factor(b, a, pivoting);
    emit_parts(b, f.lu, pivoting ? f.order : FL_NO_REF, a, 1);
}

/* LU_data, LU_pivots, unpack_data, unpack_pivots: P, L, U. Any type; pivots of no elements are not looked at. */
FL_LOWER(lu_unpack)
{
    fl_ref like = fl_in(b, 0), lu = one_batch(b, like, 2), pivots = fl_in(b, 1), order = FL_NO_REF;
    const int64_t rows = fl_dim(b, lu, 1), dims[] = {fl_dim(b, lu, 0), rows};
    if (!fl_ok(b)) return;
    if (fl_bool(b, 3))
        order = fl_elements(b, lu)
                    ? order_of(b, one_batch(b, pivots, 1), rows,
                               FL_WRONG_VALUE "pivots passed to lu_unpack must be between 1 and LU.size(-2) "
                                              "inclusive.Did you properly pass the result of lu_factor?")
                    : fl_iota(b, fl_type_make(FL_I64, 2, dims), 1);
    emit_parts(b, lu, order, like, fl_bool(b, 2));
}

/* LU, pivots, B, left, adjoint */
FL_LOWER(linalg_lu_solve)
{
    fl_ref lu = fl_in(b, 0), pivots = fl_unsqueeze(b, fl_in(b, 1), -1), rhs = fl_in(b, 2);
    if (!fl_matrices(b, lu, 1) || !fl_matrices(b, rhs, 0)) return;
    fl_broadcast_batches(b, &lu, &rhs);
    fl_broadcast_batches(b, &lu, &pivots);
#define PIVOTS FL_WRONG_VALUE "Pivots given to lu_solve must all be "
#define ORIGIN ". Did you properly pass the result of lu_factor?"
    pivots = one_batch(b, fl_squeeze(b, pivots, -1), 1);
    pivots = fl_check_index(b, pivots, 1, INT32_MAX, PIVOTS "greater or equal to 1" ORIGIN);
    fl_ref order = order_of(b, pivots, fl_dim(b, lu, -1), PIVOTS "smaller or equal to LU.size(-2)" ORIGIN);
#undef PIVOTS
#undef ORIGIN
    fl_ref x = solve(b, one_batch(b, lu, 2), order, one_batch(b, rhs, 2), !fl_bool(b, 3), fl_bool(b, 4));
    fl_emit(b, fl_reshape_like(b, x, rhs));
}

/* A, B, left, check_errors: result, LU, pivots, info */
FL_LOWER(linalg_solve_ex)
{
    fl_ref a = fl_in(b, 0), rhs = fl_in(b, 1);
    if (!fl_matrices(b, a, 1)) return;
    int rank = fl_rank(b, a), vector = fl_rank(b, rhs) == 1;
    if (fl_rank(b, rhs) == rank - 1) {
        vector = 1;
        for (int i = 0; i < rank - 1; i++) vector &= fl_dim(b, rhs, i) == fl_dim(b, a, i);
    }
    factors f = factor(b, a, 1);
    if (vector) rhs = fl_unsqueeze(b, rhs, -1);
    fl_ref lu = fl_reshape_like(b, f.lu, a), order = fl_unsqueeze(b, in_batch_of(b, f.order, a), -1);
    fl_broadcast_batches(b, &lu, &rhs);
    fl_broadcast_batches(b, &order, &lu);
    order = one_batch(b, fl_squeeze(b, order, -1), 1);
    fl_ref x = solve(b, one_batch(b, lu, 2), order, one_batch(b, rhs, 2), !fl_bool(b, 2), 0);
    x = fl_reshape_like(b, x, rhs);
    fl_emit(b, vector ? fl_squeeze(b, x, -1) : x);
    fl_emit(b, fl_reshape_like(b, f.lu, a));
    fl_emit(b, in_batch_of(b, f.pivots, a));
    fl_ref info = in_batch_of(b, failure(b, f.lu), a);
    fl_emit(b, info);
    fl_check_if_asked(b, 3, info,
                      "torch.linalg.solve_ex: |The solver failed because the input matrix is singular.");
}

/* A, check_errors: inverse, info */
FL_LOWER(linalg_inv_ex)
{
    fl_ref a = fl_in(b, 0);
    if (!fl_matrices(b, a, 1)) return;
    factors f = factor(b, a, 1);
    fl_triangle l = {.lower = 1, .unit = 1}, u = {0};
    fl_ref columns = fl_iota_like(b, FL_I64, f.lu, 2), order = fl_unsqueeze(b, f.order, 2);
    fl_ref rows = fl_cast(b, equals(b, fl_broadcast_like(b, order, columns), columns), fl_dtypeof(b, a));
    fl_ref inverse = fl_solve_triangle(b, f.lu, fl_solve_triangle(b, f.lu, rows, l), u);
    fl_emit(b, fl_reshape_like(b, inverse, a));
    fl_ref info = in_batch_of(b, failure(b, f.lu), a);
    fl_emit(b, info);
    fl_check_if_asked(b, 1, info,
                      "linalg.inv_ex: |The diagonal element # is zero, the inversion could not be completed "
                      "because the input matrix is singular.");
}

/* For determinants PyTorch factors the transpose of a real contiguous matrix, and its gradients count on that. */
static int transposes(fl_builder *b, int i)
{
    const fl_tensor *t = fl_tensor_arg(b, i);
    if (!t || fl_is_complex((fl_dtype)t->dtype)) return 0;
    int64_t stride = 1;
    for (int d = t->rank - 1; d >= 0; d--) {
        if (t->sizes[d] != 1 && t->strides[d] != stride) return 0;
        stride *= t->sizes[d];
    }
    return 1;
}

static factors factor_for_determinant(fl_builder *b, fl_ref a)
{
    return factor(b, transposes(b, 0) ? fl_swap_dims(b, a, -1, -2) : a, 1);
}

/* The diagonal of U, [batch, n], and (-1)^exchanges, [batch]. */
static fl_ref pivots_and_sign(fl_builder *b, factors f, fl_ref *out_sign)
{
    fl_dtype dtype = fl_dtypeof(b, f.lu);
    fl_ref kept = fl_select(b, fl_on_diagonal(b, f.lu), f.lu, fl_const(b, f.lu, 0));
    fl_ref stays = equals(b, f.pivots, fl_add_c(b, fl_iota_like(b, FL_I32, f.pivots, 1), 1));
    fl_ref signs = fl_select(b, stays, fl_scalar_i(b, dtype, 1), fl_scalar_i(b, dtype, -1));
    *out_sign = fl_reduce_dim(b, FL_OP_multiply, signs, 1, 0);
    return fl_reduce_dim(b, FL_OP_add, kept, 2, 0);
}

/* A: determinant, LU, pivots */
FL_LOWER(linalg_det)
{
    fl_ref a = fl_in(b, 0), sign;
    if (!fl_matrices(b, a, 1)) return;
    factors f = factor_for_determinant(b, a);
    fl_ref product = fl_reduce_dim(b, FL_OP_multiply, pivots_and_sign(b, f, &sign), 1, 0);
    fl_emit(b, in_batch_of(b, fl_mul(b, product, sign), a));
    fl_emit(b, fl_reshape_like(b, f.lu, a));
    fl_emit(b, in_batch_of(b, f.pivots, a));
}

/* A: sign, log of the magnitude, LU, pivots */
FL_LOWER(linalg_slogdet)
{
    fl_ref a = fl_in(b, 0), sign;
    if (!fl_matrices(b, a, 1)) return;
    factors f = factor_for_determinant(b, a);
    fl_ref pivots = pivots_and_sign(b, f, &sign);
    sign = fl_mul(b, sign, fl_reduce_dim(b, FL_OP_multiply, fl_sign(b, pivots), 1, 0));
    fl_emit(b, in_batch_of(b, sign, a));
    fl_emit(b, in_batch_of(b, fl_reduce_dim(b, FL_OP_add, fl_log(b, fl_abs(b, pivots)), 1, 0), a));
    fl_emit(b, fl_reshape_like(b, f.lu, a));
    fl_emit(b, in_batch_of(b, f.pivots, a));
}
