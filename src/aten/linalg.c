/* Cholesky factors and triangular systems, on the last two dims; batch dims broadcast. */
#include "aten/formula.h"
#include "aten/linalg.h"
#include "aten/table.h"

#include <stdio.h>

int fl_matrices(fl_builder *b, fl_ref x, int square)
{
    fl_dtype dtype = fl_dtypeof(b, x);
    int rank = fl_rank(b, x);
    if (!fl_ok(b)) return 0;
    if (rank < 2 || (square && fl_dim(b, x, -1) != fl_dim(b, x, -2)))
        fl_builder_fail(b, fl_error(FL_INVALID, "expected %smatrices", square ? "square " : ""));
    else if (dtype != FL_F32 && dtype != FL_F64 && !fl_is_complex(dtype))
        fl_unsupported(b, "linear algebra of this element type");
    return fl_ok(b);
}

void fl_broadcast_batches(fl_builder *b, fl_ref *x, fl_ref *y)
{
    int64_t xs[FL_MAX_RANK], ys[FL_MAX_RANK], to[FL_MAX_RANK];
    int xr = fl_get_dims(b, *x, xs), yr = fl_get_dims(b, *y, ys), rank = xr > yr ? xr : yr;
    for (int i = 0; i < rank - 2; i++) {
        int64_t p = i < rank - xr ? 1 : xs[i - (rank - xr)], q = i < rank - yr ? 1 : ys[i - (rank - yr)];
        to[i] = p == 1 ? q : p;
    }
    to[rank - 2] = xs[xr - 2];
    to[rank - 1] = xs[xr - 1];
    *x = fl_broadcast_to(b, *x, rank, to);
    to[rank - 2] = ys[yr - 2];
    to[rank - 1] = ys[yr - 1];
    *y = fl_broadcast_to(b, *y, rank, to);
}

fl_ref fl_solve_triangle(fl_builder *b, fl_ref a, fl_ref rhs, fl_triangle triangle)
{
    return fl_elements(b, rhs) && fl_elements(b, a) ? fl_triangular_solve(b, a, rhs, triangle)
                                                    : fl_full_like(b, rhs, 0);
}

fl_ref fl_on_diagonal(fl_builder *b, fl_ref x)
{
    int rank = fl_rank(b, x);
    return fl_compare(b, FL_EQ, fl_iota_like(b, FL_I64, x, rank - 1), fl_iota_like(b, FL_I64, x, rank - 2));
}

fl_ref fl_keep_triangle(fl_builder *b, fl_ref x, int upper)
{
    int rank = fl_rank(b, x);
    fl_ref rows = fl_iota_like(b, FL_I64, x, rank - 2), columns = fl_iota_like(b, FL_I64, x, rank - 1);
    return fl_select(b, fl_compare(b, upper ? FL_LE : FL_GE, rows, columns), x, fl_const(b, x, 0));
}

fl_ref fl_eye(fl_builder *b, fl_ref like, int64_t rows, int64_t columns)
{
    fl_dtype dtype = fl_dtypeof(b, like);
    fl_type type = fl_batch_type(b, like, FL_I64, 2, rows, columns);
    fl_ref i = fl_iota(b, type, type.rank - 2), j = fl_iota(b, type, type.rank - 1);
    return fl_cast(b, fl_compare(b, FL_EQ, i, j), dtype);
}

fl_ref fl_adjoint(fl_builder *b, fl_ref x)
{
    fl_ref turned = fl_swap_dims(b, x, -1, -2);
    return fl_is_complex(fl_dtypeof(b, x)) ? fl_conj(b, turned) : turned;
}

fl_ref fl_first_on_diagonal(fl_builder *b, fl_ref bad)
{
    int rank = fl_rank(b, bad);
    int64_t n = fl_dim(b, bad, -1), dims[] = {rank - 2, rank - 1};
    fl_ref order = fl_add_c(b, fl_iota_like(b, FL_I32, bad, rank - 1), 1),
           none = fl_scalar_i(b, FL_I32, n + 1);
    fl_ref found = fl_select(b, fl_and(b, bad, fl_on_diagonal(b, bad)), order, none);
    fl_ref first = fl_reduce(b, FL_OP_minimum, found, dims, 2, 0);
    return fl_select(b, fl_compare_c(b, FL_LE, first, (double)n), first, fl_scalar_i(b, FL_I32, 0));
}

void fl_check_factors(fl_builder *b, fl_ref info, const char *text)
{
    char what[512];
    if (!fl_elements(b, info)) return;
    const int batched = fl_rank(b, info) > 0;
    fl_ref flat = fl_flatten(b, fl_cast(b, info, FL_I64)), zero = fl_scalar_i(b, FL_I64, 0);
    fl_ref number =
        batched ? fl_shl(b, fl_add_c(b, fl_iota_like(b, FL_I64, flat, 0), 1), fl_full_like_i(b, flat, 32))
                : zero;
    fl_ref code = fl_select(b, fl_compare(b, FL_NE, flat, zero), fl_add(b, flat, number), zero);
    snprintf(what, sizeof what, "%s%s", FL_NO_FACTORS, text);
    fl_check_index(b, code, 0, 1, what);
}

void fl_check_if_asked(fl_builder *b, int i, fl_ref info, const char *text)
{
    if (fl_bool(b, i)) fl_check_factors(b, info, text);
}

fl_ref fl_not_finite(fl_builder *b, fl_ref x)
{
    const int64_t dims[] = {fl_rank(b, x) - 2, fl_rank(b, x) - 1};
    fl_ref is_finite = fl_is_complex(fl_dtypeof(b, x))
                           ? fl_and(b, fl_is_finite(b, fl_real(b, x)), fl_is_finite(b, fl_imag(b, x)))
                           : fl_is_finite(b, x);
    return fl_cast(b, fl_not(b, fl_reduce(b, FL_OP_and, is_finite, dims, 2, 0)), FL_I32);
}

#define NOT_DEFINITE                                                                                         \
    "|The factorization could not be completed because the input is not positive-definite (the leading "     \
    "minor of order # is not positive-definite)."

/* The factor; *info: the row that fails, counted from 1, or 0. */
static fl_ref cholesky(fl_builder *b, fl_ref x, int upper, fl_ref *info)
{
    fl_ref factor = fl_elements(b, x) ? fl_cholesky(b, x, !upper) : x;
    fl_ref pivots = fl_is_complex(fl_dtypeof(b, factor)) ? fl_real(b, factor) : factor;
    *info = fl_first_on_diagonal(b, fl_not(b, fl_compare_c(b, FL_GT, pivots, 0)));
    return factor;
}

/* self, upper, check_errors: L, info */
FL_LOWER(cholesky_ex)
{
    fl_ref x = fl_in(b, 0), info;
    if (!fl_matrices(b, x, 1)) return;
    fl_emit(b, cholesky(b, x, fl_bool(b, 1), &info));
    fl_emit(b, info);
    fl_check_if_asked(b, 2, info, "linalg.cholesky_ex: " NOT_DEFINITE);
}

/* self, upper: the old form, which raises */
FL_LOWER(cholesky)
{
    fl_ref x = fl_in(b, 0), info;
    FL_REQUIRE(b, fl_rank(b, x) >= 2, FL_INVALID,
               "cholesky: The input tensor must have at least 2 dimensions.");
    FL_REQUIRE(b, fl_dim(b, x, -1) == fl_dim(b, x, -2), FL_INVALID,
               "cholesky: A must be batches of square matrices, but they are %lld by %lld matrices",
               (long long)fl_dim(b, x, -2), (long long)fl_dim(b, x, -1));
    if (!fl_matrices(b, x, 1)) return;
    fl_emit(b, cholesky(b, x, fl_bool(b, 1), &info));
    fl_check_factors(b, info, "cholesky: " NOT_DEFINITE);
}

/* The solution of (factor factor^H) X = rhs, or of (factor^H factor) X = rhs. */
static fl_ref solve_by_factor(fl_builder *b, fl_ref factor, fl_ref rhs, int upper)
{
    fl_triangle first = {.lower = !upper, .transpose = upper ? FL_ADJOINT : FL_NO_TRANSPOSE};
    fl_triangle second = {.lower = !upper, .transpose = upper ? FL_NO_TRANSPOSE : FL_ADJOINT};
    return fl_solve_triangle(b, factor, fl_solve_triangle(b, factor, rhs, first), second);
}

/* self (the right-hand side), factor, upper */
FL_LOWER(cholesky_solve)
{
    fl_ref rhs = fl_in(b, 0), factor = fl_in(b, 1);
    if (!fl_matrices(b, rhs, 0) || !fl_matrices(b, factor, 1)) return;
    fl_broadcast_batches(b, &factor, &rhs);
    fl_emit(b, solve_by_factor(b, factor, rhs, fl_bool(b, 2)));
}

/* factor, upper */
FL_LOWER(cholesky_inverse)
{
    fl_ref factor = fl_in(b, 0);
    if (!fl_matrices(b, factor, 1)) return;
    fl_ref identity = fl_cast(b, fl_on_diagonal(b, factor), fl_dtypeof(b, factor));
    fl_emit(b, solve_by_factor(b, factor, identity, fl_bool(b, 1)));
}

/* self (the right-hand side), A, upper, transpose, unitriangular: solution and A */
FL_LOWER(triangular_solve)
{
    fl_ref rhs = fl_in(b, 0), a = fl_in(b, 1);
    if (!fl_matrices(b, rhs, 0) || !fl_matrices(b, a, 1)) return;
    fl_broadcast_batches(b, &a, &rhs);
    fl_triangle triangle = {.lower = !fl_bool(b, 2),
                            .transpose = fl_bool(b, 3) ? FL_TRANSPOSE : FL_NO_TRANSPOSE,
                            .unit = fl_bool(b, 4)};
    fl_emit(b, fl_solve_triangle(b, a, rhs, triangle));
    fl_emit(b, a);
}

/* A, B, upper, left, unitriangular */
FL_LOWER(linalg_solve_triangular)
{
    fl_ref a = fl_in(b, 0), rhs = fl_in(b, 1);
    if (!fl_matrices(b, a, 1) || !fl_matrices(b, rhs, 0)) return;
    fl_broadcast_batches(b, &a, &rhs);
    fl_emit(b, fl_solve_triangle(
                   b, a, rhs,
                   (fl_triangle){.lower = !fl_bool(b, 2), .right = !fl_bool(b, 3), .unit = fl_bool(b, 4)}));
}
