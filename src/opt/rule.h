/* What an operation lets shardings do: each dimension of its operands and results is made of factors, and what cuts a factor
 * cuts it everywhere. Internal to opt/.
 *
 * Of dot_general [b, m, k] x [b, k, n] -> [b, m, n] the factors are b, m, n and k; along k there is a sum. A reshape [6, 4] ->
 * [2, 12] has 2, 3 and 4: the first dimension of the operand is made of two of them, the slower one first. A dimension that has
 * no factor is one along which the operation needs all elements. */
#ifndef FL_OPT_RULE_H
#define FL_OPT_RULE_H

#include "opt/spread.h"

enum { FL_MOST_FACTORS = 64 };

typedef struct fl_factor_at {
    uint8_t dim, factor;
} fl_factor_at;

typedef struct fl_rule_tensor {
    uint32_t node;          /* see propagate.h */
    uint32_t count;         /* of factors of its dimensions */
    const fl_factor_at *at; /* sorted by dimension; of one dimension's factors the slowest first */
} fl_rule_tensor;

typedef struct fl_rule {
    const fl_op *op;       /* NULL: its tensors are tied together, no operation computes them */
    uint32_t tensor_count; /* operands, then results */
    uint32_t factor_count;
    int64_t *sizes; /* of factors */
    uint64_t sums;  /* the factors that the operation reduces, and can reduce in parts */
    uint8_t plain;  /* moves or computes elements one by one: propagation does these first */
    fl_rule_tensor *tensors;
} fl_rule;

typedef struct fl_rule_pair {
    uint32_t tensor;
    fl_factor_at at;
} fl_rule_pair;

/* A rule in the making: operands and results of one operation. */
typedef struct fl_rule_maker {
    const fl_program *program;
    const fl_op *op;
    const fl_mesh *mesh;
    const int64_t *places; /* of partitions in the mesh */
    uint32_t manual;       /* axes that are manual where the operation is */
    fl_arena *arena;
    uint32_t pair_count, pair_capacity, factor_count;
    int plain, failed;
    uint64_t sums;
    int64_t sizes[FL_MOST_FACTORS];
    fl_rule_pair *pairs; /* used again for the next rule */
} fl_rule_maker;

/* A factor of `size` elements: its number, or -1 where a factor is of no use (one element, too many factors). */
int fl_rule_factor(fl_rule_maker *m, int64_t size);
/* Says that dimension `dim` of operand or result `tensor` (results come after the operands) has the factor, below those said
 * before. Factor -1: nothing. */
void fl_rule_put(fl_rule_maker *m, uint32_t tensor, int dim, int factor);
static inline const fl_type *fl_rule_type(const fl_rule_maker *m, uint32_t tensor)
{
    uint32_t n = m->op->operand_count;
    return fl_type_of(m->program, tensor < n ? m->op->operands[tensor] : m->op->first_result + (tensor - n));
}
static inline uint32_t fl_rule_result(const fl_rule_maker *m, uint32_t i)
{
    return m->op->operand_count + i;
}
/* A factor for dimensions of the same size: of the operand or result named first. */
int fl_rule_share(fl_rule_maker *m, uint32_t a, int a_dim, uint32_t b, int b_dim);

/* Writes the factors of an operation, which has a rule: nothing for one whose operands must be whole. */
void fl_rule_of_op(fl_rule_maker *m);

/* What is written in rule_*.c, one for each kind of operation. */
typedef void fl_rule_fn(fl_rule_maker *m);
fl_rule_fn fl_factors_elementwise, fl_factors_broadcast_in_dim, fl_factors_broadcast, fl_factors_transpose,
    fl_factors_reshape, fl_factors_bitcast, fl_factors_slice, fl_factors_pad, fl_factors_concatenate,
    fl_factors_reverse, fl_factors_iota, fl_factors_constant, fl_factors_dynamic_slice,
    fl_factors_dynamic_update_slice, fl_factors_dot_general, fl_factors_dot, fl_factors_convolution,
    fl_factors_reduce, fl_factors_window, fl_factors_select_and_scatter, fl_factors_sort, fl_factors_top_k,
    fl_factors_gather, fl_factors_scatter, fl_factors_leading, fl_factors_fft, fl_factors_norm,
    fl_factors_reduction, fl_factors_custom, fl_factors_all_gather, fl_factors_all_to_all,
    fl_factors_reduce_scatter;

/* The operation that a region computes, if partial results of it can be put together by it: add, multiply, maximum, minimum,
 * and, or, xor of a type that has its neutral element; else FL_OP_NONE. */
fl_opcode fl_rule_monoid(const fl_program *program, const fl_block *region);
/* The dimension of a gather's or scatter's operand that each index picks one of, if indices pick nothing else, and parts of the
 * operand can be indexed each by itself; else -1. */
int fl_rule_indexed_dim(const fl_program *program, const fl_op *op);

#endif
