/* Eigenvalues and singular values. */
#include "aten/formula.h"
#include "aten/linalg.h"
#include "aten/sizes.h"
#include "aten/table.h"

#define FAILED          "|The algorithm failed to converge because the input matrix "
#define ILL_CONDITIONED FAILED "is ill-conditioned or has too many repeated eigenvalues (error code: #)."

static fl_ref nothing(fl_builder *b, fl_dtype dtype)
{
    const int64_t none = 0;
    return fl_zeros(b, dtype, 1, &none);
}

/* A, UPLO, compute_v: eigenvalues, eigenvectors */
FL_LOWER(linalg_eigh)
{
    fl_ref a = fl_in(b, 0);
    const char *triangle = fl_string(b, 1);
    if (!fl_matrices(b, a, 1) || !triangle) return;
    const fl_dtype dtype = fl_dtypeof(b, a), real = fl_real_dtype(dtype);
    const int lower = *triangle == 'L' || *triangle == 'l';
    const fl_type out[] = {*fl_typeof(b, a), fl_batch_type(b, a, real, 1, fl_dim(b, a, -1), 0)};
    fl_ref vectors = a, values = fl_full(b, out[1], 0);
    if (fl_elements(b, a)) { /* "lower,sorted,sweeps,tolerance" */
        const char *config = real == FL_F32 ? lower ? "1,1,100,1e-6" : "0,1,100,1e-6"
                             : lower        ? "1,1,100,1e-14"
                                            : "0,1,100,1e-14";
        vectors = fl_call_xla(b, "Eigh", config, &a, 1, out, 2);
        values = vectors == FL_NO_REF ? FL_NO_REF : vectors + 1;
        fl_check_factors(b, fl_not_finite(b, fl_unsqueeze(b, values, -1)), "linalg.eigh: " ILL_CONDITIONED);
    }
    fl_emit(b, values);
    fl_emit(b, fl_bool(b, 2) ? vectors : nothing(b, dtype));
}

/* A, full_matrices, compute_uv, driver: U, S, Vh */
FL_LOWER(linalg_svd)
{
    fl_ref a = fl_in(b, 0);
    if (!fl_matrices(b, a, 0)) return;
    FL_REQUIRE(b, !fl_has(b, 3), FL_INVALID,
               "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER "
               "backend.");
    const fl_dtype dtype = fl_dtypeof(b, a), real = fl_real_dtype(dtype);
    const int full = fl_bool(b, 1), vectors = fl_bool(b, 2);
    const int64_t m = fl_dim(b, a, -2), n = fl_dim(b, a, -1), k = fl_min_i(m, n), u = full ? m : k,
                  v = full ? n : k;
    const fl_type out[] = {*fl_typeof(b, a), fl_batch_type(b, a, real, 1, k, 0),
                           fl_batch_type(b, a, dtype, 2, m, u), fl_batch_type(b, a, dtype, 2, v, n),
                           fl_batch_type(b, a, FL_I32, 0, 0, 0)};
    fl_ref parts[3];
    if (fl_elements(b, a)) {
        const fl_option mode = {"mode", !vectors ? 'N' : full ? 'A' : 'S'};
        fl_ref first = fl_call_lapack(b, "gesdd", &mode, 1, &a, 1, out, 5);
        if (first == FL_NO_REF) return;
        fl_check_factors(b, fl_not_finite(b, a), "linalg.svd: " FAILED "contained non-finite values.");
        fl_check_factors(b, first + 4,
                         "linalg.svd: " FAILED
                         "is ill-conditioned or has too many repeated singular values (error code: #).");
        parts[0] = first + 2, parts[1] = first + 1, parts[2] = first + 3;
    } else {
        parts[0] = fl_eye(b, a, m, u);
        parts[1] = fl_full(b, out[1], 0);
        parts[2] = fl_eye(b, a, v, n);
    }
    fl_emit(b, vectors ? parts[0] : nothing(b, dtype));
    fl_emit(b, parts[1]);
    fl_emit(b, vectors ? parts[2] : nothing(b, dtype));
}

static void eigenvalues(fl_builder *b, int with_vectors)
{
    fl_ref a = fl_in(b, 0);
    FL_REQUIRE(b, fl_is_float(fl_dtypeof(b, a)) || fl_is_complex(fl_dtypeof(b, a)), FL_INVALID,
               "linalg.eig: Expected a floating point or complex tensor as input. Got %s",
               fl_torch_type_name(fl_dtypeof(b, a)));
    if (!fl_matrices(b, a, 1)) return;
    const fl_dtype dtype = fl_dtypeof(b, a), complex = fl_real_dtype(dtype) == FL_F64 ? FL_C128 : FL_C64;
    const int real = dtype != complex;
    const int64_t n = fl_dim(b, a, -1);
    const fl_type values = fl_batch_type(b, a, dtype, 1, n, 0),
                  vectors = fl_batch_type(b, a, complex, 2, n, n),
                  info = fl_batch_type(b, a, FL_I32, 0, 0, 0);
    if (!fl_elements(b, a)) {
        fl_emit(b, fl_cast(b, fl_full(b, values, 0), complex));
        if (with_vectors) fl_emit(b, fl_cast(b, a, complex));
        return;
    }
    const fl_option sides[] = {{"compute_left", 'N'}, {"compute_right", with_vectors ? 'V' : 'N'}};
    const fl_type of_real[] = {values, values, vectors, vectors, info},
                  of_complex[] = {values, vectors, vectors, info};
    fl_ref first = fl_call_lapack(b, "geev", sides, 2, &a, 1, real ? of_real : of_complex, real ? 5 : 4);
    if (first == FL_NO_REF) return;
    fl_ref finite = fl_not_finite(b, a),
           all = fl_rank(b, finite) ? fl_reduce_all(b, FL_OP_maximum, finite) : finite;
    fl_check_factors(b, all, "torch.linalg.eig: input tensor should not contain infs or NaNs.");
    fl_check_factors(b, first + (real ? 4 : 3), "linalg.eig: " ILL_CONDITIONED);
    fl_emit(b, real ? fl_complex(b, first, first + 1) : first);
    if (with_vectors) fl_emit(b, first + (real ? 3 : 2));
}

/* self: eigenvalues, eigenvectors */
FL_LOWER(linalg_eig)
{
    eigenvalues(b, 1);
}

FL_LOWER(linalg_eigvals)
{
    eigenvalues(b, 0);
}
