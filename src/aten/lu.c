/* LU factors with row exchanges, column by column, and what follows from them: systems, inverses, determinants. Matrices
 * are [batch, m, n] inside. */
#include "aten/formula.h"
#include "aten/linalg.h"
#include "aten/table.h"

typedef struct factors {
    fl_ref lu, pivots; /* [batch, m, n]; i32 [batch, min(m, n)], counted from 1 */
} factors;

enum { STEP, LU, PIVOTS, STATE };

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

static fl_ref magnitude(fl_builder *b, fl_ref x)
{
    if (!fl_is_complex(fl_dtypeof(b, x))) return fl_abs(b, x);
    return fl_add(b, fl_abs(b, fl_real(b, x)), fl_abs(b, fl_imag(b, x))); /* as LAPACK measures pivots */
}

static fl_ref equals(fl_builder *b, fl_ref x, fl_ref y)
{
    return fl_compare(b, FL_EQ, x, y);
}

/* One column: the largest element below (and on) the diagonal comes up, the rest is eliminated. */
static void eliminate(fl_builder *b, fl_block *body, int pivoting, fl_ref *next)
{
    fl_ref j = fl_block_arg(body, STEP), a = fl_block_arg(body, LU), pivots = fl_block_arg(body, PIVOTS);
    fl_ref zero = fl_scalar_i(b, FL_I64, 0), starts_column[] = {zero, zero, j},
           starts_row[] = {zero, j, zero};
    int64_t dims[FL_MAX_RANK];
    fl_get_dims(b, a, dims);
    int64_t column_dims[] = {dims[0], dims[1], 1}, row_dims[] = {dims[0], 1, dims[2]},
            one_each[] = {dims[0], 1, 1};
    fl_ref column = fl_dynamic_slice(b, a, starts_column, column_dims);
    fl_ref sizes = magnitude(b, column), rows = fl_iota_like(b, FL_I64, a, 1),
           columns = fl_iota_like(b, FL_I64, a, 2);
    fl_ref at = fl_iota_like(b, FL_I64, column, 1);
    sizes = fl_select(b, fl_compare(b, FL_LT, at, j), fl_const(b, sizes, -1), sizes);
    fl_ref p = pivoting ? fl_arg_max(b, sizes, 1)
                        : fl_broadcast_like(b, j, fl_slice_dim(b, fl_squeeze(b, sizes, 2), 1, 0, 1, 1));
    p = fl_reshape(b, p, 3, one_each);
    fl_ref upper = fl_gather_along(b, a, 1, fl_broadcast_to(b, p, 3, row_dims));
    fl_ref lower = fl_dynamic_slice(b, a, starts_row, row_dims);
    fl_ref moved =
        fl_select(b, equals(b, rows, fl_broadcast_like(b, p, a)), fl_broadcast_like(b, lower, a), a);
    moved = fl_select(b, equals(b, rows, j), fl_broadcast_like(b, upper, a), moved);

    fl_ref pivot = fl_broadcast_like(b, fl_dynamic_slice(b, upper, starts_column, one_each), column);
    column = fl_dynamic_slice(b, moved, starts_column, column_dims);
    fl_ref factor = fl_select(b, equals(b, pivot, fl_const(b, pivot, 0)), column, fl_div(b, column, pivot));
    factor = fl_broadcast_like(b, factor, a);
    fl_ref below = fl_compare(b, FL_GT, rows, j);
    fl_ref rest = fl_sub(b, moved, fl_mul(b, factor, fl_broadcast_like(b, upper, a)));
    moved = fl_select(b, fl_and(b, below, fl_compare(b, FL_GT, columns, j)), rest, moved);
    next[STEP] = fl_add_c(b, j, 1);
    next[LU] = fl_select(b, fl_and(b, below, equals(b, columns, j)), factor, moved);
    fl_ref place = fl_add_c(b, fl_cast(b, fl_squeeze(b, p, 2), FL_I32), 1);
    next[PIVOTS] = fl_select(b, equals(b, fl_iota_like(b, FL_I64, pivots, 1), j),
                             fl_broadcast_like(b, place, pivots), pivots);
}

/* state = body(state) for `steps` steps; the first part is the step. */
static fl_block *loop_condition(fl_builder *b, const fl_type *types, uint32_t count, int64_t steps)
{
    fl_block *condition = fl_region_begin(b, types, count);
    fl_ref go_on = fl_compare(b, FL_LT, fl_block_arg(condition, STEP), fl_scalar_i(b, FL_I64, steps));
    fl_region_end(b, condition, &go_on, 1);
    return condition;
}

static factors factor(fl_builder *b, fl_ref x, int pivoting)
{
    fl_ref a = one_batch(b, x, 2);
    int64_t batch = fl_dim(b, a, 0), steps = fl_min_i(fl_dim(b, a, 1), fl_dim(b, a, 2)),
            dims[] = {batch, steps};
    fl_ref init[STATE] = {fl_scalar_i(b, FL_I64, 0), a, fl_zeros(b, FL_I32, 2, dims)};
    if (!fl_ok(b) || !steps || !batch) return (factors){a, init[PIVOTS]};
    fl_type types[STATE];
    for (int i = 0; i < STATE; i++) types[i] = *fl_typeof(b, init[i]);
    fl_ref next[STATE];
    fl_block *regions[2] = {loop_condition(b, types, STATE, steps)};
    regions[1] = fl_region_begin(b, types, STATE);
    eliminate(b, regions[1], pivoting, next);
    fl_region_end(b, regions[1], next, STATE);
    fl_ref end = fl_build(b, FL_OP_while, init, STATE, NULL, 0, regions, 2);
    return end == FL_NO_REF ? (factors){0} : (factors){end + LU, end + PIVOTS};
}

/* The row of A that stands at each of the `rows` places after all exchanges: i64 [batch, rows]. */
static fl_ref permutation(fl_builder *b, fl_ref pivots, int64_t rows)
{
    int64_t dims[] = {fl_dim(b, pivots, 0), rows}, steps = fl_dim(b, pivots, 1), one[] = {dims[0], 1};
    fl_ref order = fl_iota(b, fl_type_make(FL_I64, 2, dims), 1);
    if (!fl_ok(b) || !steps || !dims[0]) return order;
    fl_ref init[3] = {fl_scalar_i(b, FL_I64, 0), order, fl_add_c(b, fl_cast(b, pivots, FL_I64), -1)};
    fl_type types[3];
    for (int i = 0; i < 3; i++) types[i] = *fl_typeof(b, init[i]);
    fl_block *regions[2] = {loop_condition(b, types, 3, steps)};
    regions[1] = fl_region_begin(b, types, 3);
    fl_ref j = fl_block_arg(regions[1], 0), starts[] = {fl_scalar_i(b, FL_I64, 0), j};
    order = fl_block_arg(regions[1], 1);
    fl_ref p = fl_dynamic_slice(b, fl_block_arg(regions[1], 2), starts, one);
    fl_ref here = fl_broadcast_like(b, fl_dynamic_slice(b, order, starts, one), order);
    fl_ref there = fl_broadcast_like(b, fl_gather_along(b, order, 1, p), order),
           at = fl_iota_like(b, FL_I64, order, 1);
    fl_ref swapped = fl_select(b, equals(b, at, fl_broadcast_like(b, p, order)), here, order);
    fl_ref next[3] = {fl_add_c(b, j, 1), fl_select(b, equals(b, at, j), there, swapped),
                      fl_block_arg(regions[1], 2)};
    fl_region_end(b, regions[1], next, 3);
    fl_ref end = fl_build(b, FL_OP_while, init, 3, NULL, 0, regions, 2);
    return end == FL_NO_REF ? FL_NO_REF : end + 1;
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
static fl_ref solve(fl_builder *b, factors f, fl_ref rhs, int right, int adjoint)
{
    fl_ref order = permutation(b, f.pivots, fl_dim(b, f.lu, 1));
    fl_transpose_kind transpose = adjoint ? FL_ADJOINT : FL_NO_TRANSPOSE;
    fl_triangle l = {.lower = 1, .unit = 1, .right = right, .transpose = transpose};
    fl_triangle u = {.right = right, .transpose = transpose};
    int dim = right ? 2 : 1, l_first = right == adjoint;
    if (l_first) rhs = reordered(b, rhs, dim, order, 0);
    rhs = fl_solve_triangle(b, f.lu, rhs, l_first ? l : u);
    rhs = fl_solve_triangle(b, f.lu, rhs, l_first ? u : l);
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

static void emit_parts(fl_builder *b, factors f, fl_ref like, int with_permutation, int with_data)
{
    const int64_t none = 0;
    fl_dtype dtype = fl_dtypeof(b, like);
    fl_ref nothing = fl_zeros(b, dtype, 1, &none);
    fl_ref p =
        with_permutation ? permutation_matrix(b, permutation(b, f.pivots, fl_dim(b, f.lu, 1))) : nothing;
    fl_emit(b, with_permutation ? in_batch_of(b, fl_cast(b, p, dtype), like) : p);
    fl_emit(b, with_data ? in_batch_of(b, lower_of(b, f.lu), like) : nothing);
    fl_emit(b, with_data ? in_batch_of(b, upper_of(b, f.lu), like) : nothing);
}

/* A, pivot: P, L, U */
FL_LOWER(linalg_lu)
{
    fl_ref a = fl_in(b, 0);
    if (!fl_matrices(b, a, 0)) return;
    int pivoting = fl_bool(b, 1);
    emit_parts(b, factor(b, a, pivoting), a, pivoting, 1);
}

/* LU_data, LU_pivots, unpack_data, unpack_pivots: P, L, U */
FL_LOWER(lu_unpack)
{
    fl_ref lu = fl_in(b, 0), pivots = fl_in(b, 1);
    if (!fl_matrices(b, lu, 0)) return;
    emit_parts(b, (factors){one_batch(b, lu, 2), one_batch(b, pivots, 1)}, lu, fl_bool(b, 3), fl_bool(b, 2));
}

/* LU, pivots, B, left, adjoint */
FL_LOWER(linalg_lu_solve)
{
    fl_ref lu = fl_in(b, 0), pivots = fl_unsqueeze(b, fl_in(b, 1), -1), rhs = fl_in(b, 2);
    if (!fl_matrices(b, lu, 1) || !fl_matrices(b, rhs, 0)) return;
    fl_broadcast_batches(b, &lu, &rhs);
    fl_broadcast_batches(b, &lu, &pivots);
    factors f = {one_batch(b, lu, 2), one_batch(b, fl_squeeze(b, pivots, -1), 1)};
    fl_emit(b, fl_reshape_like(b, solve(b, f, one_batch(b, rhs, 2), !fl_bool(b, 3), fl_bool(b, 4)), rhs));
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
    factors f = factor(b, a, 1), wide = f;
    if (vector) rhs = fl_unsqueeze(b, rhs, -1);
    fl_ref lu = fl_reshape_like(b, f.lu, a), pivots = fl_unsqueeze(b, in_batch_of(b, f.pivots, a), -1);
    fl_broadcast_batches(b, &lu, &rhs);
    fl_broadcast_batches(b, &pivots, &lu);
    wide.lu = one_batch(b, lu, 2);
    wide.pivots = one_batch(b, fl_squeeze(b, pivots, -1), 1);
    fl_ref x = fl_reshape_like(b, solve(b, wide, one_batch(b, rhs, 2), !fl_bool(b, 2), 0), rhs);
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
    fl_ref identity = fl_cast(b, fl_on_diagonal(b, f.lu), fl_dtypeof(b, a));
    fl_emit(b, fl_reshape_like(b, solve(b, f, identity, 0, 0), a));
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
