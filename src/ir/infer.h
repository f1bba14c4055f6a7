/* Shape inference, which is also the verification of one operation: fl_infer_op checks operands, attributes
 * and regions against the constraints of the specification and computes the result types. The builder adds
 * what it says; the verifier compares with what the program says. Internal to ir/. */
#ifndef FL_IR_INFER_H
#define FL_IR_INFER_H

#include "ir/ir.h"

/* How many results an operation has, from its operands, attributes and regions. */
uint32_t fl_infer_result_count(const fl_op *op);
/* Writes op->result_count types to `results`. Where `stated` types are given they must agree with what the rules say, but for
 * dimensions that one of the two leaves open. The counts of operands and regions and the references must be valid already for
 * `program`. Errors begin with the operation's name. */
fl_status fl_infer_op(const fl_program *program, const fl_op *op, const fl_type *stated, fl_type *results);

/* One for each suffix used in ops.def. `out` holds the stated types, or is cleared where none are stated (fl_is_stated). A rule
 * of an operation whose results follow from its operands writes them; others check what is stated and leave it. */
typedef fl_status fl_infer_fn(const fl_program *program, const fl_op *op, fl_type *out);
fl_infer_fn fl_infer_abs, fl_infer_same, fl_infer_same_f, fl_infer_same_fc, fl_infer_same_sfc,
    fl_infer_same_i, fl_infer_same_bi, fl_infer_same_ifc, fl_infer_to_dtype, fl_infer_real_part,
    fl_infer_predicate, fl_infer_compare, fl_infer_complex, fl_infer_clamp, fl_infer_select, fl_infer_given,
    fl_infer_reduce_precision;
fl_infer_fn fl_infer_uniform_quantize, fl_infer_uniform_dequantize, fl_infer_broadcasting, fl_infer_constant_like,
    fl_infer_scan, fl_infer_torch_index_select, fl_infer_einsum, fl_infer_composite, fl_infer_call,
    fl_infer_get_tuple_element, fl_infer_tuple, fl_infer_after_all, fl_infer_dynamic_broadcast_in_dim,
    fl_infer_dynamic_iota, fl_infer_dynamic_pad, fl_infer_dynamic_reshape, fl_infer_real_dynamic_slice,
    fl_infer_set_dimension_size, fl_infer_all_gather, fl_infer_all_reduce, fl_infer_all_to_all,
    fl_infer_collective_broadcast, fl_infer_collective_reduce, fl_infer_collective_permute, fl_infer_infeed,
    fl_infer_outfeed, fl_infer_device_id, fl_infer_recv, fl_infer_reduce_scatter, fl_infer_send,
    fl_infer_cross_replica_sum, fl_infer_async_start, fl_infer_async_done, fl_infer_expect, fl_infer_run_parallel;
fl_infer_fn fl_infer_constant, fl_infer_iota, fl_infer_bitcast_convert, fl_infer_broadcast,
    fl_infer_broadcast_in_dim, fl_infer_concatenate, fl_infer_pad, fl_infer_reshape, fl_infer_reverse,
    fl_infer_slice, fl_infer_transpose;
fl_infer_fn fl_infer_dynamic_slice, fl_infer_dynamic_update_slice, fl_infer_gather, fl_infer_scatter;
fl_infer_fn fl_infer_dot, fl_infer_dot_general, fl_infer_convolution, fl_infer_ragged_dot, fl_infer_cholesky,
    fl_infer_triangular_solve, fl_infer_fft;
fl_infer_fn fl_infer_reduce, fl_infer_reduce_window, fl_infer_select_and_scatter, fl_infer_sort,
    fl_infer_top_k, fl_infer_map;
fl_infer_fn fl_infer_batch_norm_grad, fl_infer_batch_norm_inference, fl_infer_batch_norm_training,
    fl_infer_rng, fl_infer_rng_bit_generator, fl_infer_barrier, fl_infer_case, fl_infer_if, fl_infer_while,
    fl_infer_get_dimension_size;

/* Names of functions, calls and the types they agree on, no recursion. */
fl_status fl_verify_calls(const fl_program *program);

/* helpers of the inference functions */
static inline const fl_type *fl_operand_type(const fl_program *p, const fl_op *op, uint32_t i)
{
    return fl_type_of(p, op->operands[i]);
}
/* A list attribute that must be there, with exactly `count` members. */
fl_status fl_need_ints(const fl_op *op, fl_attr_key key, uint32_t count, const int64_t **out);
/* A list of dimensions (absent: empty): each in [0, rank), no two the same; also as a bit set if out_set is
 * given. */
fl_status fl_need_dims(const fl_op *op, fl_attr_key key, int rank, const int64_t **out, uint32_t *out_count,
                       uint32_t *out_set);
/* One dimension in [0, rank), which must be there. */
fl_status fl_need_dim(const fl_op *op, fl_attr_key key, int rank, int *out);
fl_status fl_need_scalar(const fl_type *type, fl_dtype dtype, const char *what); /* FL_DTYPE_NONE: any */
/* Equal, but for dimensions that one of the two leaves open. */
fl_status fl_need_equal(const fl_type *got, const fl_type *expected, const char *what);
static inline int fl_is_stated(const fl_type *out)
{
    return out->dtype || out->kind;
}
/* The same number of elements, or the same sizes, as far as they are known. */
static inline int fl_same_or_open(int64_t a, int64_t b)
{
    return a == b || a == FL_DYNAMIC || b == FL_DYNAMIC;
}
/* Region i has these argument and result types. */
fl_status fl_need_region(const fl_program *p, const fl_op *op, uint32_t i, const fl_type *args,
                         uint32_t arg_count, const fl_type *results, uint32_t result_count);
int fl_same_dims(const fl_type *a, const fl_type *b);
int fl_is_sorted(const int64_t *values, uint32_t count);
/* Extent of a window's results along one dimension; arguments may come straight from a program. */
typedef struct fl_window {
    int64_t size, stride, low, high, base_dilation, dilation;
} fl_window;
fl_status fl_window_extent(int64_t extent, const fl_window *window, int64_t *out);

#endif
