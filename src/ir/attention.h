/* Attention as a custom call, which a pass makes for devices that know it:
 *
 *     out, logsumexp = @fl.attention(query, key, value, scale [, bias] [, mask])
 *     d query, d key, d value = @fl.attention_backward(d out, query, key, value, out, logsumexp, scale [, bias] [, mask])
 *
 * query [B, H, T, D], key [B, K, S, D], value [B, K, S, V], out [B, H, T, V], logsumexp [B, H, T]; heads H are a multiple of K, and
 * query head h belongs to key head h / (H / K). scale is a scalar of logsumexp's type, in which everything is computed (f32,
 * or f64 for f64). bias and mask are [B or 1, H or 1, T or 1, S or 1].
 *
 * score = scale * query . key + bias; a key that `mask` (i1) or causality excludes has the score `fill`; out = softmax(score) value.
 * Causality: row t sees the keys up to t + offset. A row whose scores are all -inf gives zeros and logsumexp +inf where
 * `empty_zero` is set; else NaN.
 *
 * Weights of the backward call are exp(score - logsumexp). That says nothing in rows that see no key where `fill` is a large number:
 * there every key weighs 1 / S (fl_attention_blind). Excluded scores are constants, so nothing flows through them. */
#ifndef FL_IR_ATTENTION_H
#define FL_IR_ATTENTION_H

#include "ir/build.h"

typedef struct fl_attention_spec {
    int causal, bias, mask, empty_zero;
    int64_t offset;
    double fill;
    /* filled in when a call is read: sizes */
    int64_t batch, heads, key_heads, rows, keys, width, value_width;
    fl_dtype math;
} fl_attention_spec;

/* Whether the operation is one of the two calls: 0 no, 1 forward, 2 backward. */
int fl_attention_kind(const fl_op *op);
/* Reads and checks a call: FL_INVALID where operands and results do not fit. */
fl_status fl_attention_read(const fl_program *program, const fl_op *op, fl_attention_spec *out);
/* Whether a row of this logsumexp has seen nothing but `fill`, and that is so low that logsumexp does not tell of how many. */
static inline int fl_attention_blind(double fill, double log_sum)
{
    return fill < -1e6 && fill > -__builtin_inf() && log_sum <= fill + 110;
}
/* Builds a call of the operands in the order above; results as stated. Returns the first result. */
fl_ref fl_attention_build(fl_builder *b, int kind, const fl_attention_spec *spec, const fl_ref *operands,
                          uint32_t count, const fl_type *results);

#endif
