/* The table of rules, and what they are made with. */
#include "opt/rule.h"

#include <string.h>

int fl_rule_factor(fl_rule_maker *m, int64_t size)
{
    if (size <= 1 || m->factor_count == FL_MOST_FACTORS) return -1;
    m->sizes[m->factor_count] = size;
    return (int)m->factor_count++;
}

void fl_rule_put(fl_rule_maker *m, uint32_t tensor, int dim, int factor)
{
    if (factor < 0 || m->failed) return;
    if (m->pair_count == m->pair_capacity) {
        uint32_t capacity = m->pair_capacity ? 2 * m->pair_capacity : 32;
        fl_rule_pair *pairs = fl_arena_alloc(m->arena, capacity * sizeof *pairs);
        m->failed = !pairs;
        if (!pairs) return;
        if (m->pair_count) memcpy(pairs, m->pairs, m->pair_count * sizeof *pairs);
        m->pairs = pairs;
        m->pair_capacity = capacity;
    }
    m->pairs[m->pair_count++] = (fl_rule_pair){tensor, {(uint8_t)dim, (uint8_t)factor}};
}

int fl_rule_share(fl_rule_maker *m, uint32_t a, int a_dim, uint32_t b, int b_dim)
{
    int f = fl_rule_factor(m, fl_rule_type(m, a)->dims[a_dim]);
    fl_rule_put(m, a, a_dim, f);
    fl_rule_put(m, b, b_dim, f);
    return f;
}

/* opcode, function, whether elements are moved or computed one by one */
#define RULES(X)                                                                                             \
    X(broadcast_in_dim, broadcast_in_dim, 1)                                                                 \
    X(broadcast, broadcast, 1)                                                                               \
    X(transpose, transpose, 1)                                                                               \
    X(reshape, reshape, 1)                                                                                   \
    X(bitcast_convert, bitcast, 1)                                                                           \
    X(map, elementwise, 1)                                                                                   \
    X(batch_norm_inference, norm, 1)                                                                         \
    X(batch_norm_training, norm, 0)                                                                          \
    X(batch_norm_grad, norm, 0)                                                                              \
    X(slice, slice, 0)                                                                                       \
    X(pad, pad, 0)                                                                                           \
    X(concatenate, concatenate, 0)                                                                           \
    X(reverse, reverse, 0)                                                                                   \
    X(iota, iota, 1)                                                                                         \
    X(constant, constant, 1)                                                                                 \
    X(dynamic_slice, dynamic_slice, 0)                                                                       \
    X(dynamic_update_slice, dynamic_update_slice, 0)                                                         \
    X(dot_general, dot_general, 0)                                                                           \
    X(dot, dot, 0)                                                                                           \
    X(convolution, convolution, 0)                                                                           \
    X(reduce, reduce, 0)                                                                                     \
    X(reduce_window, window, 0)                                                                              \
    X(select_and_scatter, select_and_scatter, 0)                                                             \
    X(sort, sort, 0)                                                                                         \
    X(top_k, top_k, 0)                                                                                       \
    X(gather, gather, 0)                                                                                     \
    X(scatter, scatter, 0)                                                                                   \
    X(custom_call, custom, 0)                                                                                \
    X(cholesky, leading, 0)                                                                                  \
    X(triangular_solve, leading, 0)                                                                          \
    X(fft, fft, 0)                                                                                           \
    X(all_reduce, reduction, 0)                                                                              \
    X(cross_replica_sum, reduction, 0)                                                                       \
    X(collective_permute, reduction, 0)                                                                      \
    X(collective_broadcast, reduction, 0)                                                                    \
    X(all_gather, all_gather, 0)                                                                             \
    X(all_to_all, all_to_all, 0)                                                                             \
    X(reduce_scatter, reduce_scatter, 0)

/* A value whose parts look like the whole: a plain tensor, static. */
static int can_be_cut(const fl_type *type)
{
    return fl_type_is_static(type) && !type->more;
}

void fl_rule_of_op(fl_rule_maker *m)
{
    const fl_op *op = m->op;
    for (uint32_t i = 0; i < op->operand_count + op->result_count; i++)
        if (!can_be_cut(fl_rule_type(m, i))) return;
    if (fl_op_infos[op->code].traits & FL_TRAIT_E) {
        m->plain = 1;
        fl_factors_elementwise(m);
        return;
    }
    switch (op->code) {
#define X(code, rule, is_plain)                                                                              \
    case FL_OP_##code:                                                                                       \
        m->plain = is_plain;                                                                                 \
        fl_factors_##rule(m);                                                                                \
        break;
        RULES(X)
#undef X
    default: break;
    }
}

/* ---- one by one ---- */

/* Operands of rank 0 (clamp's bounds, select's condition) go with every element. */
void fl_factors_elementwise(fl_rule_maker *m)
{
    uint32_t operands = m->op->operand_count, tensors = operands + m->op->result_count;
    const fl_type *out = fl_rule_type(m, operands);
    for (int d = 0; d < out->rank; d++) {
        int f = fl_rule_factor(m, out->dims[d]);
        for (uint32_t t = 0; t < tensors; t++)
            if (fl_rule_type(m, t)->rank == out->rank) fl_rule_put(m, t, d, f);
    }
}

/* Every dimension but those along which the computation runs; all operands and results of one shape. */
static void all_but(fl_rule_maker *m, uint32_t whole)
{
    const fl_type *x = fl_rule_type(m, 0);
    for (int d = 0; d < x->rank; d++) {
        if (whole >> d & 1) continue;
        int f = fl_rule_factor(m, x->dims[d]);
        for (uint32_t t = 0; t < m->op->operand_count + m->op->result_count; t++)
            if (fl_rule_type(m, t)->rank == x->rank) fl_rule_put(m, t, d, f);
    }
}

void fl_factors_sort(fl_rule_maker *m)
{
    int rank = fl_rule_type(m, 0)->rank;
    int64_t dim = fl_op_int(m->op, FL_ATTR_dimension, -1);
    if (dim < 0) dim += rank;
    all_but(m, 1u << dim);
}

void fl_factors_top_k(fl_rule_maker *m)
{
    all_but(m, 1u << (fl_rule_type(m, 0)->rank - 1));
}

/* Batches of matrices. */
void fl_factors_leading(fl_rule_maker *m)
{
    int rank = fl_rule_type(m, 0)->rank;
    all_but(m, 3u << (rank - 2));
}

void fl_factors_fft(fl_rule_maker *m)
{
    int rank = fl_rule_type(m, 0)->rank;
    uint32_t n;
    fl_op_ints(m->op, FL_ATTR_fft_length, &n);
    all_but(m, (uint32_t)(((1ull << n) - 1) << (rank - (int)n)));
}

/* Along the features; where nothing is averaged, along all dimensions. */
void fl_factors_norm(fl_rule_maker *m)
{
    const fl_type *x = fl_rule_type(m, 0);
    int64_t feature = fl_op_int(m->op, FL_ATTR_feature_index, 0);
    for (int d = 0; d < x->rank; d++) {
        if (d != feature && m->op->code != FL_OP_batch_norm_inference) continue;
        int f = fl_rule_factor(m, x->dims[d]);
        for (uint32_t t = 0; t < m->op->operand_count + m->op->result_count; t++)
            if (fl_rule_type(m, t)->rank == x->rank && (x->rank > 1 || t == 0))
                fl_rule_put(m, t, d, f);
            else if (d == feature)
                fl_rule_put(m, t, 0, f);
    }
}
