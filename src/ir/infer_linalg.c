/* Rules of cholesky, triangular_solve and fft. */
#include "ir/infer.h"

fl_status fl_infer_cholesky(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *a = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(a, FL_FLOATS | FL_COMPLEX | FL_QUANT));
    FL_CHECK(a->rank >= 2, FL_INVALID, "expected at least 2 dimensions, got %d (C2)", a->rank);
    FL_CHECK(fl_same_or_open(a->dims[a->rank - 1], a->dims[a->rank - 2]), FL_INVALID,
             "expected square matrices, got %lld x %lld (C3)", (long long)a->dims[a->rank - 2],
             (long long)a->dims[a->rank - 1]);
    FL_TRY(fl_need_flag(op, FL_ATTR_lower, NULL));
    return fl_settle(out, a, FL_MATCH_BASE, "C1");
}

fl_status fl_infer_triangular_solve(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *a = fl_operand_type(p, op, 0), *b = fl_operand_type(p, op, 1);
    int rank = a->rank, left;
    FL_TRY(fl_need_kind(a, FL_FLOATS | FL_COMPLEX | FL_QUANT));
    FL_TRY(fl_need_match(b, a, FL_MATCH_BASELINE, "operand", "C1"));
    FL_TRY(fl_need_flag(op, FL_ATTR_left_side, &left));
    FL_TRY(fl_need_flag(op, FL_ATTR_lower, NULL));
    FL_TRY(fl_need_flag(op, FL_ATTR_unit_diagonal, NULL));
    FL_TRY(fl_need_int(op, FL_ATTR_transpose_a, FL_NO_TRANSPOSE, FL_ADJOINT, FL_NO_TRANSPOSE, "I6", NULL));
    FL_CHECK(rank >= 2 && b->rank == rank, FL_INVALID,
             "expected operands of one rank of at least 2 (C2), got %d and %d", rank, b->rank);
    for (int i = 0; i < rank - 2; i++)
        FL_CHECK(fl_same_or_open(a->dims[i], b->dims[i]), FL_INVALID,
                 "expected batch sizes to agree (C3), got %lld and %lld", (long long)a->dims[i],
                 (long long)b->dims[i]);
    int64_t rows = a->dims[rank - 2], columns = a->dims[rank - 1], other = b->dims[rank - (left ? 2 : 1)];
    FL_CHECK(
        fl_same_or_open(rows, columns) && fl_same_or_open(rows, other) && fl_same_or_open(columns, other),
        FL_INVALID, "expected square matrices that fit the right-hand side (C3), got %lld x %lld and %lld",
        (long long)rows, (long long)columns, (long long)other);
    return fl_settle(out, b, FL_MATCH_BASE, "C4");
}

fl_status fl_infer_fft(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    uint32_t n;
    int64_t type = FL_FFT, dims[FL_MAX_RANK];
    const int64_t *length = fl_op_ints(op, FL_ATTR_fft_length, &n);
    FL_TRY(fl_need_int(op, FL_ATTR_fft_type, FL_FFT, FL_IRFFT, -1, "I2", &type));
    FL_CHECK(n >= 1 && n <= 3, FL_INVALID, "expected 1 to 3 members of fft_length, got %u (C3)", n);
    FL_TRY(fl_need_kind(x, FL_FLOATS | FL_COMPLEX));
    FL_CHECK((int)n <= x->rank, FL_INVALID, "expected at most %d members of fft_length, got %u (C1)", x->rank,
             n);
    int real = type == FL_RFFT;
    FL_CHECK(real ? x->dtype == FL_F32 || x->dtype == FL_F64 : fl_is_complex((fl_dtype)x->dtype), FL_INVALID,
             "expected %s element type (C2), got %s", real ? "f32 or f64" : "a complex",
             fl_dtype_name((fl_dtype)x->dtype));
    for (int i = 0; i < x->rank; i++) dims[i] = x->dims[i];
    for (uint32_t i = 0; i < n; i++) {
        int dim = x->rank - (int)n + (int)i, last = i == n - 1;
        int64_t expected = type == FL_IRFFT && last && length[i] ? length[i] / 2 + 1 : length[i];
        /* an empty dimension stays empty, whatever the length */
        FL_CHECK(length[i] >= 0 && length[i] <= INT32_MAX &&
                     (!x->dims[dim] || fl_same_or_open(x->dims[dim], expected)),
                 FL_INVALID, "expected size %lld for dimension %d (C4, C5), got %lld", (long long)expected,
                 dim, (long long)x->dims[dim]);
        if (!last || !x->dims[dim]) continue;
        if (type == FL_RFFT) dims[dim] = length[i] ? length[i] / 2 + 1 : 0;
        if (type == FL_IRFFT) dims[dim] = length[i];
    }
    fl_type element = *x;
    if (type == FL_RFFT) element.dtype = x->dtype == FL_F32 ? FL_C64 : FL_C128;
    if (type == FL_IRFFT) element.dtype = (uint8_t)fl_real_dtype((fl_dtype)x->dtype);
    return fl_settle_as(out, &element, FL_MATCH_ELEMENT, x->rank, dims, "C5");
}
