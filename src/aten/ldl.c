/* L D L^T factors of symmetric matrices, and L D L^H of Hermitian ones. */
#include "aten/formula.h"
#include "aten/linalg.h"
#include "aten/table.h"

static int is_hermitian(fl_builder *b, fl_ref x, int asked)
{
    return asked && fl_is_complex(fl_dtypeof(b, x));
}

/* self, hermitian, check_errors: LD, pivots, info */
FL_LOWER(linalg_ldl_factor_ex)
{
    fl_ref a = fl_in(b, 0);
    if (!fl_matrices(b, a, 1)) return;
    const int64_t n = fl_dim(b, a, -1);
    a = fl_keep_triangle(b, a, 0);
    if (!fl_ok(b)) return;
    const fl_type out[] = {*fl_typeof(b, a), fl_batch_type(b, a, FL_I32, 1, n, 0),
                           fl_batch_type(b, a, FL_I32, 0, 0, 0)};
    if (!fl_elements(b, a)) {
        fl_emit(b, a);
        fl_emit(b, fl_full(b, out[1], 0));
        fl_emit(b, fl_full(b, out[2], 0));
        return;
    }
    const char *name = is_hermitian(b, a, fl_bool(b, 1)) ? "hetrf" : "sytrf";
    const fl_option lower = {"uplo", 'L'};
    fl_ref first = fl_call_lapack(b, name, &lower, 1, &a, 1, out, 3);
    if (first == FL_NO_REF) return;
    for (fl_ref i = 0; i < 3; i++) fl_emit(b, first + i);
    fl_check_if_asked(
        b, 2, first + 2,
        "torch.linalg.ldl_factor_ex: |The factorization could not be completed because D[#,#] is "
        "zero.");
}

/* LD, pivots, B, hermitian */
FL_LOWER(linalg_ldl_solve)
{
    fl_ref ld = fl_in(b, 0), pivots = fl_unsqueeze(b, fl_in_cast(b, 1, FL_I32), -1), rhs = fl_in(b, 2);
    if (!fl_matrices(b, ld, 1) || !fl_matrices(b, rhs, 0)) return;
    fl_broadcast_batches(b, &ld, &rhs);
    fl_broadcast_batches(b, &ld, &pivots);
    if (!fl_elements(b, rhs) || !fl_elements(b, ld)) {
        fl_emit(b, rhs);
        return;
    }
    const fl_ref in[] = {ld, fl_squeeze(b, pivots, -1), rhs};
    const fl_type out = *fl_typeof(b, rhs);
    const fl_option lower = {"uplo", 'L'};
    const char *name = is_hermitian(b, ld, fl_bool(b, 3)) ? "hetrs" : "sytrs";
    fl_emit(b, fl_call_lapack(b, name, &lower, 1, in, 3, &out, 1));
}
