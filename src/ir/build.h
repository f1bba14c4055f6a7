/* Builder with shape inference. Errors are sticky: after the first one every call returns FL_NO_REF and does nothing, and
 * fl_builder_finish returns the status. So lowering code reads like the formula, with one check at the end.
 * Dimension arguments may be negative where the comment says "dim" (counted from the end). */
#ifndef FL_IR_BUILD_H
#define FL_IR_BUILD_H

#include "ir/ir.h"

/* How products and convolutions of f32 are written. */
typedef enum fl_products {
    FL_PRODUCTS_PLAIN,    /* as f32, and nothing is said of precision */
    FL_PRODUCTS_DEFAULT,  /* precision_config says so */
    FL_PRODUCTS_HIGH,     /* likewise */
    FL_PRODUCTS_HIGHEST,  /* likewise */
    FL_PRODUCTS_ONE_PASS, /* as a product of bf16 numbers, summed in f32 */
    FL_PRODUCTS_THREE_PASSES, /* each f32 is the sum of two bf16 numbers; all their products but that of the small parts */
} fl_products;

typedef struct fl_builder {
    fl_program *program;
    fl_block *block;  /* where operations go now */
    fl_status status; /* first error */
    void *user;       /* the lowering's call, see aten/lower.h */
    fl_products products;
    int has_products; /* some of f32 were built */
    const void *
        kept; /* the payload of a DENSE attribute that lies in the program's arena already: it is not copied */
} fl_builder;

fl_status fl_builder_init(fl_builder *b, const char *name); /* makes a program with an empty main block */
/* Sets the results of main, verifies, and hands the program over; on error the program is destroyed. */
fl_status fl_builder_finish(fl_builder *b, const fl_ref *results, uint32_t count, fl_program **out);
void fl_builder_abandon(fl_builder *b);                /* frees the program and the status */
void fl_builder_fail(fl_builder *b, fl_status status); /* keeps the first; consumes `status` */
static inline int fl_ok(const fl_builder *b)
{
    return !b->status;
}

fl_ref fl_parameter(fl_builder *b, fl_type type); /* a new argument of the main block, at any time */
/* The general form; returns the first result. Attribute payloads are copied. Regions must be closed blocks. */
fl_ref fl_build(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions, uint32_t region_count);
/* The same with the result types stated, as programs that are read do; they must be what the operation's rules allow. For
 * operations whose results do not follow from their operands (convert, reshape, iota, custom_call ...) the only way. */
fl_ref fl_build_typed(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                      const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions,
                      uint32_t region_count, const fl_type *results, uint32_t result_count);
/* The same, but sizes that the stated types leave open become those that the rules infer, where they know them. */
fl_ref fl_build_refined(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                        const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions,
                        uint32_t region_count, const fl_type *results, uint32_t result_count);
fl_op *
fl_last_op(const fl_builder *b); /* the operation made last in the current block; NULL when there is none */
/* A module: functions one after another, then fl_builder_finish_module, instead of fl_parameter and fl_builder_finish. Between
 * begin and end operations go into the function's body, whose arguments are fl_block_arg(func->body, i). `end` sets what it
 * returns; without results and operations (fl_func_declare) it is a declaration. */
fl_func *fl_func_begin(fl_builder *b, const char *name, const fl_type *arg_types, uint32_t arg_count);
void fl_func_end(fl_builder *b, fl_func *func, const fl_ref *results, uint32_t count);
void fl_func_declare(fl_builder *b, fl_func *func, const fl_type *results, uint32_t count);
/* Checks what concerns functions (unique names, calls and their types, no recursion: operations were checked when they were
 * made) and hands the program over; on error it is destroyed. The entry is the function `main`, else the first public one,
 * else the first. */
fl_status fl_builder_finish_module(fl_builder *b, fl_program **out);
/* Region: between begin and end operations go into a new block. `end` sets its results and returns to the parent. */
fl_block *fl_region_begin(fl_builder *b, const fl_type *arg_types, uint32_t arg_count);
void fl_region_end(fl_builder *b, fl_block *region, const fl_ref *results, uint32_t result_count);
static inline fl_ref fl_block_arg(const fl_block *block, uint32_t i)
{
    return block ? block->first_arg + i : FL_NO_REF;
}

/* types of values; safe on FL_NO_REF (a rank 0 f32). What fl_typeof points to is valid until something is built. */
const fl_type *fl_typeof(const fl_builder *b, fl_ref x);
fl_dtype fl_dtypeof(const fl_builder *b, fl_ref x);
int fl_rank(const fl_builder *b, fl_ref x);
int64_t fl_dim(const fl_builder *b, fl_ref x, int dim);
int64_t fl_elements(const fl_builder *b, fl_ref x);
int fl_wrap_dim(fl_builder *b, int64_t dim, int rank); /* IndexError with PyTorch's text when out of range */

/* constants */
fl_ref fl_constant(fl_builder *b, fl_type type, const void *dense);
fl_ref fl_scalar_f(fl_builder *b, fl_dtype dtype, double value); /* 0-d, converted to any dtype */
fl_ref fl_scalar_i(fl_builder *b, fl_dtype dtype, int64_t value);
fl_ref fl_full_like(fl_builder *b, fl_ref x, double value); /* scalar broadcast to x's type */
fl_ref fl_full_like_i(fl_builder *b, fl_ref x, int64_t value);
fl_ref fl_full(fl_builder *b, fl_type type, double value);
fl_ref fl_max_value(fl_builder *b, fl_dtype dtype); /* 0-d; +inf for floats */
fl_ref fl_min_value(fl_builder *b, fl_dtype dtype); /* 0-d; -inf for floats; false for i1 */
fl_ref fl_iota(fl_builder *b, fl_type type, int dim);

/* elementwise: every E operation of ops.def with 1 and 2 operands of plain form has a function fl_<short name>.
 * Two-operand functions demand equal types; a 0-d operand is broadcast to the other's shape automatically. */
#define FL_UNARY_OPS(X)                                                                                      \
    X(abs, abs)                                                                                              \
    X(cbrt, cbrt)                                                                                            \
    X(ceil, ceil)                                                                                            \
    X(cos, cosine) X(clz, count_leading_zeros) X(exp, exponential) X(expm1, exponential_minus_one)           \
        X(floor, floor) X(log, log) X(log1p, log_plus_one) X(logistic, logistic) X(neg, negate) X(not, not)  \
            X(popcnt, popcnt) X(round_afz, round_nearest_afz) X(round, round_nearest_even) X(rsqrt, rsqrt)   \
                X(sign, sign) X(sin, sine) X(sqrt, sqrt) X(tan, tan) X(tanh, tanh) X(real, real)             \
                    X(imag, imag) X(is_finite, is_finite) X(acos, acos) X(acosh, acosh) X(asin, asin)        \
                        X(asinh, asinh) X(atan, atan) X(atanh, atanh) X(bessel_i1e, bessel_i1e)              \
                            X(conj, conj) X(cosh, cosh) X(digamma, digamma) X(erf, erf) X(erf_inv, erf_inv)  \
                                X(erfc, erfc) X(is_inf, is_inf) X(is_neg_inf, is_neg_inf)                    \
                                    X(is_pos_inf, is_pos_inf) X(lgamma, lgamma) X(sinh, sinh)                \
                                        X(square, square)
#define FL_BINARY_OPS(X)                                                                                     \
    X(add, add)                                                                                              \
    X(and, and)                                                                                              \
    X(atan2, atan2)                                                                                          \
    X(complex, complex) X(div, divide) X(max, maximum) X(min, minimum) X(mul, multiply) X(or, or)            \
        X(pow, power) X(rem, remainder) X(shl, shift_left) X(shra, shift_right_arithmetic)                   \
            X(shrl, shift_right_logical) X(sub, subtract) X(xor, xor) X(next_after, next_after)              \
                X(polygamma, polygamma) X(zeta, zeta)
#define X(short_name, op) fl_ref fl_##short_name(fl_builder *b, fl_ref x);
FL_UNARY_OPS(X)
#undef X
#define X(short_name, op) fl_ref fl_##short_name(fl_builder *b, fl_ref x, fl_ref y);
FL_BINARY_OPS(X)
#undef X
fl_ref fl_compare(fl_builder *b, fl_compare_direction direction, fl_ref x, fl_ref y);
fl_ref fl_select(fl_builder *b, fl_ref condition, fl_ref on_true,
                 fl_ref on_false); /* 0-d operands broadcast */
fl_ref fl_clamp(fl_builder *b, fl_ref low, fl_ref x, fl_ref high);
fl_ref fl_cast(fl_builder *b, fl_ref x,
               fl_dtype dtype); /* convert; x itself when it has the dtype. To i1: x != 0 */
fl_ref fl_bitcast(fl_builder *b, fl_ref x, fl_dtype dtype); /* StableHLO rules for widths */
fl_ref fl_is_nan(fl_builder *b, fl_ref x);

/* movement */
fl_ref fl_reshape(fl_builder *b, fl_ref x, int rank, const int64_t *dims);
fl_ref fl_flatten(fl_builder *b, fl_ref x); /* to 1-d */
fl_ref fl_broadcast_in_dim(fl_builder *b, fl_ref x, int rank, const int64_t *dims,
                           const int64_t *broadcast_dimensions);
fl_ref fl_broadcast_to(fl_builder *b, fl_ref x, int rank,
                       const int64_t *dims); /* numpy rules: aligned at the end */
fl_ref fl_broadcast_like(fl_builder *b, fl_ref x, fl_ref like);
/* Broadcasts all to their common shape in place (numpy rules); an error names the two shapes as PyTorch does. */
void fl_broadcast_all(fl_builder *b, fl_ref *values, uint32_t count);
fl_ref fl_transpose(fl_builder *b, fl_ref x, const int64_t *permutation);
fl_ref fl_swap_dims(fl_builder *b, fl_ref x, int dim0, int dim1); /* dims */
fl_ref fl_unsqueeze(fl_builder *b, fl_ref x, int dim);            /* dim of the result */
fl_ref fl_squeeze(fl_builder *b, fl_ref x, int dim);              /* must have size 1 */
fl_ref fl_slice(fl_builder *b, fl_ref x, const int64_t *start, const int64_t *limit,
                const int64_t *strides); /* strides may be NULL */
fl_ref fl_slice_dim(fl_builder *b, fl_ref x, int dim, int64_t start, int64_t limit, int64_t stride);
fl_ref fl_concat(fl_builder *b, const fl_ref *values, uint32_t count, int dim);
fl_ref fl_pad(fl_builder *b, fl_ref x, fl_ref value, const int64_t *low, const int64_t *high,
              const int64_t *interior); /* interior may be NULL */
fl_ref fl_reverse(fl_builder *b, fl_ref x, const int64_t *dims, uint32_t count);
fl_ref fl_dynamic_slice(fl_builder *b, fl_ref x, const fl_ref *starts, const int64_t *sizes);
fl_ref fl_dynamic_update_slice(fl_builder *b, fl_ref x, fl_ref update, const fl_ref *starts);

/* reductions. `code` is add, multiply, maximum, minimum, and, or: the identity is chosen by dtype (-inf/+inf for float max/min). */
fl_ref fl_reduce(fl_builder *b, fl_opcode code, fl_ref x, const int64_t *dims, uint32_t count, int keepdim);
fl_ref fl_reduce_all(fl_builder *b, fl_opcode code, fl_ref x);
fl_ref fl_reduce_dim(fl_builder *b, fl_opcode code, fl_ref x, int dim, int keepdim);
/* reduce_window with the monoid's identity; padding is rank x 2 (low, high); base/window dilations may be NULL. */
fl_ref fl_reduce_window(fl_builder *b, fl_opcode code, fl_ref x, const int64_t *window,
                        const int64_t *strides, const int64_t *padding, const int64_t *base_dilations,
                        const int64_t *window_dilations);
/* Running reduction along dim (inclusive), written as the prefix reduce_window that devices recognise. */
fl_ref fl_cumulative(fl_builder *b, fl_opcode code, fl_ref x, int dim);
/* select_and_scatter with compare GE/LE (`select` = FL_GE for max pooling) and an add. */
fl_ref fl_select_and_scatter(fl_builder *b, fl_compare_direction select, fl_ref operand, fl_ref source,
                             const int64_t *window, const int64_t *strides, const int64_t *padding);

/* products */
typedef struct fl_dot_dims {
    const int64_t *lhs_batch, *rhs_batch, *lhs_contract, *rhs_contract;
    uint32_t batch_count, contract_count;
} fl_dot_dims;
/* result dtype `out` (FL_DTYPE_NONE: lhs's). Result dims: batch, lhs free, rhs free. */
fl_ref fl_dot_general(fl_builder *b, fl_ref lhs, fl_ref rhs, const fl_dot_dims *dims, fl_dtype out);
fl_ref fl_matmul(fl_builder *b, fl_ref lhs, fl_ref rhs); /* 2-d x 2-d, or leading equal batch dims */
typedef struct fl_conv_dims { /* the usual layouts: fill with fl_conv_nchw() and change what differs */
    int spatial;              /* number of spatial dimensions, at most 6 */
    int64_t strides[8], padding[16], lhs_dilation[8], rhs_dilation[8], reversal[8];
    int64_t input_batch, input_feature, input_spatial[8];
    int64_t kernel_input_feature, kernel_output_feature, kernel_spatial[8];
    int64_t output_batch, output_feature, output_spatial[8];
    int64_t feature_groups, batch_groups;
} fl_conv_dims;
fl_conv_dims fl_conv_nchw(
    int spatial); /* input NC*, kernel OI*, output NC*; unit strides and dilations, no padding, one group */
fl_ref fl_convolution(fl_builder *b, fl_ref input, fl_ref kernel, const fl_conv_dims *dims, fl_dtype out);

/* Fourier transforms of the last `count` (1 to 3) dims; the inverse ones divide by the number of elements. */
fl_ref fl_fft(fl_builder *b, fl_ref x, fl_fft_type type, const int64_t *lengths, uint32_t count);

/* linear algebra, on the last two dims */
fl_ref fl_cholesky(fl_builder *b, fl_ref x, int lower);
typedef struct fl_triangle {
    int lower, unit, right; /* unit: ones on the diagonal; right: solves X a = rhs instead of a X = rhs */
    fl_transpose_kind transpose;
} fl_triangle;
fl_ref fl_triangular_solve(fl_builder *b, fl_ref a, fl_ref rhs, fl_triangle triangle); /* equal batch dims */

/* gather, scatter, sort */
typedef struct fl_gather_dims {
    const int64_t *offset_dims, *collapsed_slice_dims, *operand_batching_dims, *start_indices_batching_dims,
        *start_index_map, *slice_sizes;
    uint32_t offset_count, collapsed_count, batching_count, map_count;
    int64_t index_vector_dim;
} fl_gather_dims;
fl_ref fl_gather(fl_builder *b, fl_ref operand, fl_ref indices, const fl_gather_dims *dims);
/* Rows of x along dim chosen by the 1-d (or any shape) integer `index`: result = x's shape with dim replaced by index's shape. */
fl_ref fl_index_select(fl_builder *b, fl_ref x, int dim, fl_ref index);
/* out[i][j][k] = x[index[i][j][k]][j][k] for dim 0, as torch.gather: index dims may be smaller than x's outside dim. */
fl_ref fl_gather_along(fl_builder *b, fl_ref x, int dim, fl_ref index);
typedef struct fl_scatter_dims {
    const int64_t *update_window_dims, *inserted_window_dims, *input_batching_dims,
        *scatter_indices_batching_dims, *scatter_dims_to_operand_dims;
    uint32_t update_window_count, inserted_count, batching_count, map_count;
    int64_t index_vector_dim;
} fl_scatter_dims;
/* combine: FL_OP_NONE sets (last in row-major update order wins), else add, multiply, maximum, minimum, and, or. */
fl_ref fl_scatter(fl_builder *b, fl_opcode combine, fl_ref operand, fl_ref indices, fl_ref updates,
                  const fl_scatter_dims *dims);
/* x[index[i][j][k]][j][k] (combine)= updates[i][j][k] for dim 0: torch.scatter*. */
fl_ref fl_scatter_along(fl_builder *b, fl_opcode combine, fl_ref x, int dim, fl_ref index, fl_ref updates);
/* Sorts keys along dim, carrying `payload` (FL_NO_REF: none). NaN sorts as the largest, as PyTorch does (total order on
 * floats with NaNs equal, -0 == +0). *out_payload is the payload in the same order. The comparator is lt(x, y) (descending:
 * gt(x, y)) on the keys' pair; for floats, in this order of operations, with nan(v) = compare NE(v, v):
 *     ascending  or(lt(x, y), and(not(nan(x)), nan(y)))      descending  or(gt(x, y), and(nan(x), not(nan(y))))
 * fl_sort_form in ir.h recognises these. */
fl_ref fl_sort(fl_builder *b, fl_ref keys, fl_ref payload, int dim, int descending, int stable,
               fl_ref *out_payload);

/* Random bits: state is u64[2] (key, counter), as rng_bit_generator with PHILOX. Result of unsigned dtype; *out_state may be NULL. */
fl_ref fl_rng_bits(fl_builder *b, fl_ref state, fl_type type, fl_ref *out_state);

/* Fails at run time (IndexError at the next synchronisation) when an element of `index` is outside [low, high): emits
 * custom_call @fl.check_index with the message prefix `what` ("index_select", ...); returns index, to be used instead of it. */
fl_ref fl_check_index(fl_builder *b, fl_ref index, int64_t low, int64_t high, const char *what);
/* Prefixes of `what` where the failure is no IndexError, and the whole text stands behind them. FL_NO_FACTORS: of a matrix that
 * has no factors: `|` stands for the number of the matrix in its batch and `#` for LAPACK's info; the number that is checked has
 * the latter in its low 32 bits, and 1 + the former, or 0 for a single matrix, in its high ones. */
#define FL_NO_FACTORS  "LinAlgError: "
#define FL_WRONG_VALUE "RuntimeError: "

#endif
