/* Scaled dot product attention as one program. Query heads that share a key head (grouped queries) are rows
 * of one product: query [B, heads, T, d] is seen as [B, key heads, group * T, d], which is the same memory.
 */
#include "aten/shapes.h"
#include "aten/table.h"
#include <math.h>

typedef struct attention {
    int64_t batch, heads, key_heads, rows, columns, width, value_width;
    fl_dtype dtype, math;
    fl_ref query, key, value; /* query grouped; key and value as given */
} attention;

static int read_operands(fl_builder *b, int first, attention *a)
{
    fl_ref q = fl_in(b, first), k = fl_in(b, first + 1), v = fl_in(b, first + 2);
    if (!fl_ok(b)) return 0;
    if (fl_rank(b, q) != 4 || fl_rank(b, k) != 4 || fl_rank(b, v) != 4) {
        fl_builder_fail(b, fl_error(FL_INVALID,
                                    "expected query, key and value of 4 dimensions, got %d, %d and %d",
                                    fl_rank(b, q), fl_rank(b, k), fl_rank(b, v)));
        return 0;
    }
    *a = (attention){.batch = fl_dim(b, q, 0),
                     .heads = fl_dim(b, q, 1),
                     .key_heads = fl_dim(b, k, 1),
                     .rows = fl_dim(b, q, 2),
                     .columns = fl_dim(b, k, 2),
                     .width = fl_dim(b, q, 3),
                     .value_width = fl_dim(b, v, 3),
                     .dtype = fl_dtypeof(b, q),
                     .key = k,
                     .value = v};
    a->math = fl_op_math(a->dtype);
    if (a->key_heads < 1 ? a->heads != 0 : a->heads % a->key_heads != 0) {
        fl_builder_fail(b, fl_error(FL_INVALID,
                                    "expected a number of query heads divisible by %lld key heads, got %lld",
                                    (long long)a->key_heads, (long long)a->heads));
        return 0;
    }
    a->query = q;
    return 1;
}

/* [B, heads, T, n] <-> [B, key heads, group * T, n] */
static fl_ref grouped(fl_builder *b, const attention *a, fl_ref x)
{
    if (a->heads == a->key_heads) return x;
    int64_t dims[4] = {a->batch, a->key_heads, a->heads / a->key_heads * a->rows, fl_dim(b, x, -1)};
    return fl_reshape(b, x, 4, dims);
}

static fl_ref ungrouped(fl_builder *b, const attention *a, fl_ref x)
{
    if (a->heads == a->key_heads) return x;
    int64_t dims[4] = {a->batch, a->heads, a->rows, fl_dim(b, x, -1)};
    return fl_reshape(b, x, 4, dims);
}

/* Batched products over dims 0 and 1; `l` and `r` are the contracted dimensions. */
static fl_ref product(fl_builder *b, fl_ref lhs, fl_ref rhs, int64_t l, int64_t r, fl_dtype out)
{
    static const int64_t batch[2] = {0, 1};
    fl_dot_dims dims = {.lhs_batch = batch,
                        .rhs_batch = batch,
                        .lhs_contract = &l,
                        .rhs_contract = &r,
                        .batch_count = 2,
                        .contract_count = 1};
    return fl_dot_general(b, lhs, rhs, &dims, out);
}

static fl_ref scale_of(fl_builder *b, const attention *a, int arg)
{
    return fl_has(b, arg) ? fl_scalar(b, arg, a->math)
                          : fl_scalar_f(b, a->math, 1 / sqrt((double)fl_max_i(a->width, 1)));
}

/* scale * query x key, with the bias and the masks: [B, heads, T, S] in the math type */
static fl_ref scores(fl_builder *b, const attention *a, fl_ref scale, int bias_arg, int causal)
{
    fl_ref s = product(b, grouped(b, a, a->query), a->key, 3, 3, a->math);
    s = ungrouped(b, a, fl_mul(b, s, scale));
    fl_ref lowest = fl_min_value(b, a->math);
    if (fl_has(b, bias_arg)) {
        fl_ref bias = fl_in(b, bias_arg);
        if (fl_dtypeof(b, bias) == FL_I1)
            s = fl_select(b, fl_broadcast_like(b, bias, s), s, lowest);
        else
            s = fl_add(b, s, fl_broadcast_like(b, fl_cast(b, bias, a->math), s));
    }
    if (causal) {
        fl_ref seen = fl_compare(b, FL_LE, fl_iota_like(b, FL_I32, s, 3), fl_iota_like(b, FL_I32, s, 2));
        s = fl_select(b, seen, s, lowest);
    }
    return s;
}

/* The elements that dropout keeps, by the state's random bits: shape of x, i1. */
static fl_ref kept(fl_builder *b, fl_ref state, fl_ref x, fl_ref keep)
{
    fl_type type = *fl_typeof(b, x);
    type.dtype = FL_U32;
    fl_ref bits = fl_shrl(b, fl_rng_bits(b, state, type, NULL), fl_scalar_i(b, FL_U32, 8));
    return fl_compare(b, FL_LT, fl_cast(b, bits, FL_F32), fl_mul(b, keep, fl_scalar_f(b, FL_F32, 16777216)));
}

static fl_ref keep_probability(fl_builder *b, int arg)
{
    return fl_sub(b, fl_scalar_f(b, FL_F32, 1), fl_scalar(b, arg, FL_F32));
}

/* x where kept, divided by the probability to be kept */
static fl_ref dropped(fl_builder *b, fl_ref x, fl_ref mask, fl_ref keep)
{
    fl_dtype math = fl_dtypeof(b, x);
    return fl_select(b, mask, fl_div(b, x, fl_cast(b, keep, math)), fl_scalar_f(b, math, 0));
}

/* attention(query, key, value, attn_bias, dropout_p, is_causal, return_debug_mask, *, scale) -> output,
 * logsumexp, cum_seq_q, cum_seq_k, (max_q, max_k,) philox_seed, philox_offset, debug_attn_mask. Rows that see
 * nothing are zero. */
FL_LOWER(attention)
{
    attention a;
    if (!read_operands(b, 0, &a)) return;
    fl_ref s = scores(b, &a, scale_of(b, &a, 7), 3, fl_bool(b, 5));
    fl_ref zero = fl_scalar_f(b, a.math, 0), one = fl_scalar_f(b, a.math, 1);
    fl_ref peak = fl_reduce_dim(b, FL_OP_maximum, s, 3, 1);
    peak = fl_select(b, fl_compare(b, FL_EQ, peak, fl_min_value(b, a.math)), zero, peak);
    fl_ref e = fl_exp(b, fl_sub(b, s, fl_broadcast_like(b, peak, s)));
    fl_ref sum = fl_reduce_dim(b, FL_OP_add, e, 3, 1), empty = fl_compare(b, FL_EQ, sum, zero);
    fl_ref p = fl_div(b, e, fl_broadcast_like(b, fl_select(b, empty, one, sum), e));
    /* +inf for empty rows, so that exp(score - logsumexp) is 0 in the backward pass too */
    fl_ref log_sum = fl_select(b, empty, fl_max_value(b, a.math), fl_add(b, peak, fl_log(b, sum)));
    fl_ref state = FL_NO_REF;
    if (!fl_scalar_is(b, 4, 0)) {
        fl_ref keep = keep_probability(b, 4);
        state = fl_random_state(b, -1, (uint64_t)fl_elements(b, p));
        p = dropped(b, p, kept(b, state, p, keep), keep);
    }
    fl_ref out = product(b, grouped(b, &a, fl_cast(b, p, a.dtype)), a.value, 3, 2, a.dtype);
    fl_ref none = fl_scalar_i(b, FL_I64, 0);
    fl_emit(b, ungrouped(b, &a, out));
    fl_emit(b, fl_squeeze(b, log_sum, 3));
    fl_emit_undefined(b);
    fl_emit_undefined(b);
    fl_emit_int(b, fl_dim(b, a.query, 2));
    fl_emit_int(b, fl_dim(b, a.key, 2));
    fl_emit(b, state ? fl_bitcast(b, state, FL_I64) : none);
    fl_emit(b, none);
    fl_emit_undefined(b);
}

/* Sums x over the dimensions that its `like` argument was broadcast along. */
static fl_ref reduce_to(fl_builder *b, fl_ref x, int like_arg)
{
    const fl_tensor *like = fl_tensor_arg(b, like_arg);
    if (!like || !fl_ok(b)) return FL_NO_REF;
    int rank = fl_rank(b, x), lead = rank - like->rank;
    int64_t dims[FL_MAX_RANK];
    uint32_t count = 0;
    for (int i = 0; i < rank; i++)
        if (i < lead || (like->sizes[i - lead] == 1 && fl_dim(b, x, i) != 1)) dims[count++] = i;
    if (count) x = fl_reduce(b, FL_OP_add, x, dims, count, 1);
    return fl_cast(b, fl_reshape(b, x, like->rank, like->sizes), (fl_dtype)like->dtype);
}

/* attention_backward(grad_out, query, key, value, attn_bias, grad_input_mask, out, logsumexp, cum_seq_q,
 * cum_seq_k, max_q, max_k, dropout_p, is_causal, philox_seed, philox_offset, *, scale) -> gradients of query,
 * key, value, attn_bias */
FL_LOWER(attention_backward)
{
    attention a;
    int64_t wanted[4] = {0};
    if (!read_operands(b, 1, &a)) return;
    fl_ints(b, 5, wanted, 4);
    fl_ref dy = fl_in(b, 0), scale = scale_of(b, &a, 16);
    fl_ref s = scores(b, &a, scale, 4, fl_bool(b, 13));
    fl_ref log_sum = fl_unsqueeze(b, fl_in_cast(b, 7, a.math), 3);
    fl_ref p = fl_exp(b, fl_sub(b, s, fl_broadcast_like(b, log_sum, s)));
    fl_ref used = p, mask = FL_NO_REF, keep = FL_NO_REF;
    if (!fl_scalar_is(b, 12, 0)) {
        keep = keep_probability(b, 12);
        mask = kept(b, fl_bitcast(b, fl_in(b, 14), FL_U64), p, keep);
        used = dropped(b, p, mask, keep);
    }
    fl_ref dp = ungrouped(b, &a, product(b, grouped(b, &a, dy), a.value, 3, 3, a.math));
    if (mask) dp = dropped(b, dp, mask, keep);
    fl_ref row = fl_mul(b, fl_cast(b, dy, a.math), fl_in_cast(b, 6, a.math));
    row = fl_reduce_dim(b, FL_OP_add, row, 3, 1);
    fl_ref ds = fl_mul(b, p, fl_sub(b, dp, fl_broadcast_like(b, row, dp)));
    fl_ref scaled = grouped(b, &a, fl_cast(b, fl_mul(b, ds, scale), a.dtype));
    if (wanted[0])
        fl_emit(b, ungrouped(b, &a, product(b, scaled, a.key, 3, 2, a.dtype)));
    else
        fl_emit_undefined(b);
    if (wanted[1])
        fl_emit(b, product(b, scaled, grouped(b, &a, a.query), 2, 2, a.dtype));
    else
        fl_emit_undefined(b);
    if (wanted[2])
        fl_emit(b, product(b, grouped(b, &a, fl_cast(b, used, a.dtype)), grouped(b, &a, dy), 2, 2, a.dtype));
    else
        fl_emit_undefined(b);
    if (wanted[3] && fl_has(b, 4))
        fl_emit(b, reduce_to(b, ds, 4));
    else
        fl_emit_undefined(b);
}
