/* Orthogonal factors, and products of the Householder reflectors that they are made of. */
#include "aten/formula.h"
#include "aten/linalg.h"
#include "aten/sizes.h"
#include "aten/table.h"

#include <string.h>

fl_reflectors fl_qr(fl_builder *b, fl_ref a)
{
    const int64_t k = fl_min_i(fl_dim(b, a, -1), fl_dim(b, a, -2));
    const fl_dtype dtype = fl_dtypeof(b, a);
    const fl_type out[] = {*fl_typeof(b, a), fl_batch_type(b, a, dtype, 1, k, 0)};
    if (!fl_elements(b, a)) return (fl_reflectors){a, fl_full(b, out[1], 0)};
    fl_ref packed = fl_call_xla(b, "Qr", "", &a, 1, out, 2);
    return (fl_reflectors){packed, packed == FL_NO_REF ? FL_NO_REF : packed + 1};
}

fl_ref fl_multiply_reflectors(fl_builder *b, fl_reflectors f, int64_t columns)
{
    const int64_t m = fl_dim(b, f.packed, -2), n = fl_dim(b, f.packed, -1);
    const int rank = fl_rank(b, f.packed);
    if (!fl_ok(b)) return FL_NO_REF;
    if (!fl_elements(b, f.tau) || !columns || !m) return fl_eye(b, f.packed, m, columns);
    fl_ref v = f.packed;
    if (n > columns) v = fl_slice_dim(b, v, rank - 1, 0, columns, 1);
    if (n < columns) v = fl_pad_dim(b, v, rank - 1, fl_const(b, v, 0), 0, columns - n, 0);
    const fl_ref in[] = {v, f.tau};
    const fl_type out = fl_batch_type(b, v, fl_dtypeof(b, v), 2, m, columns);
    return fl_call_xla(b, "ProductOfElementaryHouseholderReflectors", "", in, 2, &out, 1);
}

/* A, mode: Q, R */
FL_LOWER(linalg_qr)
{
    fl_ref a = fl_in(b, 0);
    const char *mode = fl_string(b, 1);
    if (!fl_matrices(b, a, 0) || !mode) return;
    const int rank = fl_rank(b, a), complete = !strcmp(mode, "complete");
    const int64_t m = fl_dim(b, a, -2), k = fl_min_i(m, fl_dim(b, a, -1)), side = complete ? m : k, none = 0;
    fl_reflectors f = fl_qr(b, a);
    if (!strcmp(mode, "r"))
        fl_emit(b, fl_zeros(b, fl_dtypeof(b, a), 1, &none));
    else
        fl_emit(b, fl_multiply_reflectors(b, f, side));
    fl_emit(b, fl_keep_triangle(b, fl_slice_dim(b, f.packed, rank - 2, 0, side, 1), 1));
}

/* self: a, tau */
FL_LOWER(geqrf)
{
    fl_ref a = fl_in(b, 0);
    FL_REQUIRE(b, fl_rank(b, a) >= 2, FL_INVALID, "torch.geqrf: input must have at least 2 dimensions.");
    if (!fl_matrices(b, a, 0)) return;
    fl_reflectors f = fl_qr(b, a);
    fl_emit(b, f.packed);
    fl_emit(b, f.tau);
}

/* What PyTorch asks of reflectors and their factors. */
static int are_reflectors(fl_builder *b, fl_ref v, fl_ref tau, const char *name, const char *what)
{
    int64_t vs[FL_MAX_RANK], ts[FL_MAX_RANK];
    const int rank = fl_get_dims(b, v, vs), tau_rank = fl_get_dims(b, tau, ts);
    const fl_dtype dtype = fl_dtypeof(b, v), tau_dtype = fl_dtypeof(b, tau);
    int equal = 1;
    if (!fl_ok(b)) return 0;
    for (int i = 0; tau_rank == rank - 1 && i < rank - 2; i++) equal &= vs[i] == ts[i];
    if (rank < 2)
        fl_builder_fail(b, fl_error(FL_INVALID, "%s: %s must have at least 2 dimensions.", name, what));
    else if (rank - tau_rank != 1)
        fl_builder_fail(b, fl_error(FL_INVALID,
                                    "%s: Expected tau to have one dimension less than %s, but got tau.ndim "
                                    "equal to %d and %s.ndim is equal to %d",
                                    name, what, tau_rank, what, rank));
    else if (!equal)
        fl_builder_fail(b, fl_error(FL_INVALID,
                                    "%s: Expected batch dimensions of tau to be equal to %s.shape[:-2]", name,
                                    what));
    else if (dtype != tau_dtype)
        fl_builder_fail(b, fl_error(FL_INVALID, "%s: tau dtype %s does not match %s dtype %s", name,
                                    fl_torch_type_name(tau_dtype), what, fl_torch_type_name(dtype)));
    return fl_ok(b);
}

/* input, tau: as many columns as input has */
FL_LOWER(linalg_householder_product)
{
    static const char name[] = "torch.linalg.householder_product";
    fl_ref v = fl_in(b, 0), tau = fl_in(b, 1);
    FL_REQUIRE(b, fl_rank(b, v) >= 2, FL_INVALID, "%s: input must have at least 2 dimensions.", name);
    FL_REQUIRE(b, fl_dim(b, v, -2) >= fl_dim(b, v, -1), FL_INVALID,
               "%s: input.shape[-2] must be greater than or equal to input.shape[-1]", name);
    FL_REQUIRE(b, fl_rank(b, tau) >= 1 && fl_dim(b, v, -1) >= fl_dim(b, tau, -1), FL_INVALID,
               "%s: input.shape[-1] must be greater than or equal to tau.shape[-1]", name);
    if (!are_reflectors(b, v, tau, name, "input") || !fl_matrices(b, v, 0)) return;
    fl_emit(b, fl_multiply_reflectors(b, (fl_reflectors){v, tau}, fl_dim(b, v, -1)));
}

/* self (reflectors), tau, other, left, transpose: Q other, other Q, or with the adjoint of Q, which is square */
FL_LOWER(ormqr)
{
    static const char name[] = "torch.ormqr";
    fl_ref v = fl_in(b, 0), tau = fl_in(b, 1), other = fl_in(b, 2);
    const int left = fl_bool(b, 3), adjoint = fl_bool(b, 4);
    if (!are_reflectors(b, v, tau, name, "input")) return;
    FL_REQUIRE(b, fl_rank(b, other) == fl_rank(b, v), FL_INVALID,
               "%s: Expected other to have the same number of dimensions as input, but got other.ndim equal "
               "to %d and input.ndim is equal to %d",
               name, fl_rank(b, other), fl_rank(b, v));
    const char *side = left ? "-2" : "-1";
    const int64_t size = fl_dim(b, other, left ? -2 : -1), count = fl_dim(b, tau, -1);
    FL_REQUIRE(b, size >= count, FL_INVALID,
               "%s: other.shape[%s] must be greater than or equal to tau.shape[-1]", name, side);
    FL_REQUIRE(b, size == fl_dim(b, v, -2), FL_INVALID,
               "%s: other.shape[%s] must be equal to input.shape[-2]", name, side);
    FL_REQUIRE(b, count <= fl_dim(b, v, -1), FL_INVALID,
               "%s: tau.shape[-1] must be equal to min(other.shape[%s], input.shape[-1])", name, side);
    FL_REQUIRE(b, fl_dtypeof(b, other) == fl_dtypeof(b, v), FL_INVALID,
               "%s: Expected input and other to have the same dtype, but input has dtype %s and other has "
               "dtype %s",
               name, fl_torch_type_name(fl_dtypeof(b, v)), fl_torch_type_name(fl_dtypeof(b, other)));
    if (!fl_matrices(b, v, 0)) return;
    fl_ref q = fl_multiply_reflectors(b, (fl_reflectors){v, tau}, size);
    if (adjoint) q = fl_adjoint(b, q);
    fl_emit(b, left ? fl_matmul(b, q, other) : fl_matmul(b, other, q));
}
