#include "ir/infer.h"

/* ---- products ---- */

/* A scalar of the stated element type, or of the operands'. */
static fl_status product_dtype(const fl_type *lhs, const fl_type *rhs, fl_type *out)
{
    FL_CHECK(lhs->dtype == rhs->dtype, FL_INVALID, "expected operands of one element type, got %s and %s",
             fl_dtype_name(lhs->dtype), fl_dtype_name(rhs->dtype));
    const uint8_t dtype = fl_is_stated(out) ? out->dtype : lhs->dtype;
    FL_CHECK(fl_is_complex((fl_dtype)dtype) == fl_is_complex(lhs->dtype), FL_INVALID,
             "expected a result of the operands' kind, got %s", fl_dtype_name((fl_dtype)dtype));
    *out = fl_type_make((fl_dtype)dtype, 0, NULL);
    return NULL;
}

fl_status fl_infer_dot(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *lhs = fl_operand_type(p, op, 0), *rhs = fl_operand_type(p, op, 1);
    FL_TRY(product_dtype(lhs, rhs, out));
    FL_CHECK(lhs->rank >= 1 && lhs->rank <= 2 && rhs->rank >= 1 && rhs->rank <= 2, FL_INVALID,
             "expected operands of rank 1 or 2, got %d and %d", lhs->rank, rhs->rank);
    FL_CHECK(lhs->dims[lhs->rank - 1] == rhs->dims[0], FL_INVALID,
             "expected contracting sizes to agree, got %lld and %lld", (long long)lhs->dims[lhs->rank - 1],
             (long long)rhs->dims[0]);
    if (lhs->rank == 2) out->dims[out->rank++] = lhs->dims[0];
    if (rhs->rank == 2) out->dims[out->rank++] = rhs->dims[1];
    return NULL;
}

fl_status fl_infer_dot_general(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *lhs = fl_operand_type(p, op, 0), *rhs = fl_operand_type(p, op, 1);
    const int64_t *lb, *rb, *lc, *rc;
    uint32_t nlb, nrb, nlc, nrc, lb_set, rb_set, lc_set, rc_set;
    FL_TRY(product_dtype(lhs, rhs, out));
    FL_TRY(fl_need_dims(op, FL_ATTR_lhs_batching_dimensions, lhs->rank, &lb, &nlb, &lb_set));
    FL_TRY(fl_need_dims(op, FL_ATTR_rhs_batching_dimensions, rhs->rank, &rb, &nrb, &rb_set));
    FL_TRY(fl_need_dims(op, FL_ATTR_lhs_contracting_dimensions, lhs->rank, &lc, &nlc, &lc_set));
    FL_TRY(fl_need_dims(op, FL_ATTR_rhs_contracting_dimensions, rhs->rank, &rc, &nrc, &rc_set));
    FL_CHECK(nlb == nrb, FL_INVALID,
             "expected as many batching dimensions of both operands (C1), got %u and %u", nlb, nrb);
    FL_CHECK(nlc == nrc, FL_INVALID,
             "expected as many contracting dimensions of both operands (C2), got %u and %u", nlc, nrc);
    FL_CHECK(!(lb_set & lc_set) && !(rb_set & rc_set), FL_INVALID,
             "expected batching and contracting dimensions apart (C3, C4)");
    int rank = lhs->rank + rhs->rank - (int)(nlb + nlc + nlc);
    FL_CHECK(rank <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions, got %d", FL_MAX_RANK,
             rank);
    for (uint32_t i = 0; i < nlb; i++) {
        FL_CHECK(lhs->dims[lb[i]] == rhs->dims[rb[i]], FL_INVALID,
                 "expected batching sizes to agree (C9), got %lld and %lld", (long long)lhs->dims[lb[i]],
                 (long long)rhs->dims[rb[i]]);
        out->dims[out->rank++] = lhs->dims[lb[i]];
    }
    for (uint32_t i = 0; i < nlc; i++)
        FL_CHECK(lhs->dims[lc[i]] == rhs->dims[rc[i]], FL_INVALID,
                 "expected contracting sizes to agree (C10), got %lld and %lld", (long long)lhs->dims[lc[i]],
                 (long long)rhs->dims[rc[i]]);
    for (int i = 0; i < lhs->rank; i++)
        if (!((lb_set | lc_set) >> i & 1)) out->dims[out->rank++] = lhs->dims[i];
    for (int i = 0; i < rhs->rank; i++)
        if (!((rb_set | rc_set) >> i & 1)) out->dims[out->rank++] = rhs->dims[i];
    return NULL;
}

fl_status fl_infer_ragged_dot(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *lhs = fl_operand_type(p, op, 0), *rhs = fl_operand_type(p, op, 1),
                  *sizes = fl_operand_type(p, op, 2);
    FL_TRY(product_dtype(lhs, rhs, out));
    FL_CHECK(lhs->rank == 2 && rhs->rank == 3 && sizes->rank == 1 && fl_is_int(sizes->dtype), FL_UNSUPPORTED,
             "expected operands [m, k], [g, k, n] and integers [g]");
    FL_CHECK(lhs->dims[1] == rhs->dims[1] && rhs->dims[0] == sizes->dims[0], FL_INVALID,
             "expected contracting and group sizes to agree");
    out->rank = 2;
    out->dims[0] = lhs->dims[0];
    out->dims[1] = rhs->dims[2];
    return NULL;
}

/* batch, feature and spatial dimensions of one operand: together every dimension once */
static fl_status conv_dims(const fl_op *op, fl_attr_key first, fl_attr_key second, fl_attr_key spatial,
                           int rank, int *out_first, int *out_second, const int64_t **out_spatial)
{
    uint32_t set;
    FL_TRY(fl_need_dim(op, first, rank, out_first));
    FL_TRY(fl_need_dim(op, second, rank, out_second));
    FL_TRY(fl_need_ints(op, spatial, (uint32_t)rank - 2, out_spatial));
    FL_TRY(fl_need_dims(op, spatial, rank, NULL, NULL, &set));
    set |= 1u << *out_first | 1u << *out_second;
    FL_CHECK(set == (1u << rank) - 1, FL_INVALID,
             "expected %s, %s and %s to be all dimensions once (C13, C18, C20)", fl_attr_infos[first].name,
             fl_attr_infos[second].name, fl_attr_infos[spatial].name);
    return NULL;
}

/* A list of `count` integers, or NULL where the attribute is absent (then `fallback` for each). */
static fl_status optional_ints(const fl_op *op, fl_attr_key key, uint32_t count, const int64_t **out)
{
    *out = NULL;
    return fl_op_attr(op, key) ? fl_need_ints(op, key, count, out) : NULL;
}

static int64_t at(const int64_t *values, int i, int64_t fallback)
{
    return values ? values[i] : fallback;
}

fl_status fl_infer_convolution(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0), *k = fl_operand_type(p, op, 1);
    const int64_t *xs, *ks, *os, *strides, *padding, *ld, *rd, *reversal;
    int xb, xf, ki, ko, ob, of, n = x->rank - 2;
    FL_TRY(product_dtype(x, k, out));
    FL_CHECK(n >= 0 && k->rank == x->rank, FL_INVALID,
             "expected operands of one rank of at least 2 (C1), got %d and %d", x->rank, k->rank);
    FL_TRY(conv_dims(op, FL_ATTR_input_batch_dimension, FL_ATTR_input_feature_dimension,
                     FL_ATTR_input_spatial_dimensions, x->rank, &xb, &xf, &xs));
    FL_TRY(conv_dims(op, FL_ATTR_kernel_input_feature_dimension, FL_ATTR_kernel_output_feature_dimension,
                     FL_ATTR_kernel_spatial_dimensions, x->rank, &ki, &ko, &ks));
    FL_TRY(conv_dims(op, FL_ATTR_output_batch_dimension, FL_ATTR_output_feature_dimension,
                     FL_ATTR_output_spatial_dimensions, x->rank, &ob, &of, &os));
    FL_TRY(optional_ints(op, FL_ATTR_window_strides, (uint32_t)n, &strides));
    FL_TRY(optional_ints(op, FL_ATTR_padding, 2 * (uint32_t)n, &padding));
    FL_TRY(optional_ints(op, FL_ATTR_lhs_dilation, (uint32_t)n, &ld));
    FL_TRY(optional_ints(op, FL_ATTR_rhs_dilation, (uint32_t)n, &rd));
    FL_TRY(optional_ints(op, FL_ATTR_window_reversal, (uint32_t)n, &reversal));
    int64_t fg = fl_op_int(op, FL_ATTR_feature_group_count, 1),
            bg = fl_op_int(op, FL_ATTR_batch_group_count, 1);
    FL_CHECK(fg > 0 && bg > 0 && (fg == 1 || bg == 1), FL_INVALID,
             "expected positive group counts of which one is 1 (C21, C22, C23), got %lld and %lld",
             (long long)fg, (long long)bg);
    FL_CHECK(x->dims[xb] % bg == 0 && x->dims[xf] % fg == 0, FL_INVALID,
             "expected groups to divide the batch and features (C10, C11), got %lld and %lld",
             (long long)x->dims[xb], (long long)x->dims[xf]);
    FL_CHECK(k->dims[ki] == x->dims[xf] / fg, FL_INVALID,
             "expected %lld kernel input features (C14), got %lld", (long long)(x->dims[xf] / fg),
             (long long)k->dims[ki]);
    FL_CHECK(k->dims[ko] % fg == 0 && k->dims[ko] % bg == 0, FL_INVALID,
             "expected groups to divide the %lld kernel output features (C15, C16)", (long long)k->dims[ko]);
    *out = fl_type_make((fl_dtype)out->dtype, 0, NULL);
    out->rank = x->rank;
    out->dims[ob] = x->dims[xb] / bg;
    out->dims[of] = k->dims[ko];
    for (int i = 0; i < n; i++) {
        FL_CHECK(!reversal || reversal[i] == 0 || reversal[i] == 1, FL_INVALID,
                 "expected window_reversal of 0 and 1");
        fl_window w = {k->dims[ks[i]], at(strides, i, 1), at(padding, 2 * i, 0), at(padding, 2 * i + 1, 0),
                       at(ld, i, 1),   at(rd, i, 1)};
        FL_TRY(fl_window_extent(x->dims[xs[i]], &w, &out->dims[os[i]]));
    }
    return NULL;
}

/* ---- linear algebra ---- */

fl_status fl_infer_cholesky(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_infer_same_fc(p, op, out));
    FL_CHECK(out->rank >= 2 && out->dims[out->rank - 1] == out->dims[out->rank - 2], FL_INVALID,
             "expected square matrices (C2, C3)");
    return NULL;
}

fl_status fl_infer_triangular_solve(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *a = fl_operand_type(p, op, 0), *b = fl_operand_type(p, op, 1);
    int rank = a->rank, left = fl_op_int(op, FL_ATTR_left_side, 0) != 0;
    FL_CHECK(a->dtype == b->dtype && (fl_is_float(a->dtype) || fl_is_complex(a->dtype)), FL_INVALID,
             "expected operands of one floating-point or complex element type (C1)");
    FL_CHECK(rank >= 2 && b->rank == rank, FL_INVALID,
             "expected operands of one rank of at least 2 (C2), got %d and %d", rank, b->rank);
    for (int i = 0; i < rank - 2; i++)
        FL_CHECK(a->dims[i] == b->dims[i], FL_INVALID, "expected batch sizes to agree (C3)");
    FL_CHECK(a->dims[rank - 1] == a->dims[rank - 2] && a->dims[rank - 1] == b->dims[rank - (left ? 2 : 1)],
             FL_INVALID, "expected square matrices that fit the right-hand side (C3)");
    int64_t transpose = fl_op_int(op, FL_ATTR_transpose_a, FL_NO_TRANSPOSE);
    FL_CHECK(transpose >= FL_NO_TRANSPOSE && transpose <= FL_ADJOINT, FL_INVALID,
             "expected a transposition in transpose_a");
    *out = *b;
    return NULL;
}

fl_status fl_infer_fft(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    const int64_t *length;
    uint32_t n;
    int64_t type = fl_op_int(op, FL_ATTR_fft_type, -1);
    length = fl_op_ints(op, FL_ATTR_fft_length, &n);
    FL_CHECK(type >= FL_FFT && type <= FL_IRFFT, FL_INVALID, "expected attribute fft_type");
    FL_CHECK(n >= 1 && n <= 3 && n <= x->rank, FL_INVALID,
             "expected 1 to 3 lengths and at most %d (C1, C3), got %u", x->rank, n);
    int real = type == FL_RFFT;
    FL_CHECK(real ? x->dtype == FL_F32 || x->dtype == FL_F64 : fl_is_complex(x->dtype), FL_INVALID,
             "expected %s element type (C2), got %s", real ? "f32 or f64" : "a complex",
             fl_dtype_name(x->dtype));
    *out = *x;
    for (uint32_t i = 0; i < n; i++) {
        int dim = x->rank - (int)n + (int)i;
        int64_t expected = type == FL_IRFFT && i == n - 1 ? length[i] / 2 + 1 : length[i];
        FL_CHECK(length[i] >= 0 && (x->dims[dim] == expected || !x->dims[dim]), FL_INVALID,
                 "expected size %lld for dimension %d (C4), got %lld", (long long)expected, dim,
                 (long long)x->dims[dim]);
        if (i == n - 1 && x->dims[dim]) out->dims[dim] = type == FL_RFFT ? length[i] / 2 + 1 : length[i];
    }
    if (type == FL_RFFT) out->dtype = x->dtype == FL_F32 ? FL_C64 : FL_C128;
    if (type == FL_IRFFT) out->dtype = (uint8_t)fl_real_dtype(x->dtype);
    return NULL;
}
