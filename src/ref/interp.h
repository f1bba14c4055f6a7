/* The inside of the reference interpreter: wide scalars, dense tensors, and one function an operation.
 * Internal to ref/. */
#ifndef FL_REF_INTERP_H
#define FL_REF_INTERP_H

#include "ref/check.h"
#include "ref/custom.h"
#include "ref/reference.h"

#include <complex.h>
#include <string.h>

/* ---- scalars (scalar.c) ---- */

/* A value of any element type: integers and i1 in i/u (extended to 64 bits), floats in re, complex in re and
 * im. f32 and narrower are computed in double and rounded when stored: for + - * / sqrt that equals computing
 * in f32, and for other functions it is the correctly rounded result but for rare near-ties. */
typedef struct fl_scalar {
    union {
        int64_t i;
        uint64_t u;
        double re;
    };
    double im;
} fl_scalar;

fl_scalar fl_scalar_load(fl_dtype dtype, const void *data, int64_t index);
void fl_scalar_store(fl_dtype dtype, void *data, int64_t index, fl_scalar value); /* rounds, wraps */
fl_scalar fl_scalar_round(fl_dtype dtype, fl_scalar value);                       /* as store and load do */
uint64_t fl_scalar_bits(fl_dtype dtype, fl_scalar value); /* as stored; not for c128 */
fl_scalar fl_scalar_from_bits(fl_dtype dtype, uint64_t bits);

static inline fl_scalar fl_real_scalar(double re)
{
    return (fl_scalar){.re = re};
}
static inline fl_scalar fl_int_scalar(uint64_t u)
{
    return (fl_scalar){.u = u};
}
static inline fl_scalar fl_complex_scalar(double complex z)
{
    return (fl_scalar){.re = creal(z), .im = cimag(z)};
}
static inline double complex fl_scalar_complex(fl_scalar s)
{
    return CMPLX(s.re, s.im);
}
/* a + b and a * b of any kind, unrounded. */
fl_scalar fl_scalar_add(fl_kind kind, fl_scalar a, fl_scalar b);
fl_scalar fl_scalar_multiply(fl_kind kind, fl_scalar a, fl_scalar b);

/* ---- tensors ---- */

typedef struct fl_interp fl_interp;
typedef struct fl_call { /* one operation to run */
    fl_interp *interp;
    const fl_op *op;
    const fl_tensor *in;
    const fl_tensor *out;
} fl_call;
typedef fl_status fl_interp_fn(const fl_call *call);

static inline fl_scalar fl_get(const fl_tensor *t, int64_t i)
{
    return fl_scalar_load((fl_dtype)t->type->dtype, t->data, i);
}
static inline void fl_set(const fl_tensor *t, int64_t i, fl_scalar value)
{
    fl_scalar_store((fl_dtype)t->type->dtype, t->data, i, value);
}
static inline void fl_copy_element(const fl_tensor *to, int64_t i, const fl_tensor *from, int64_t j)
{
    size_t bytes = fl_dtype_bytes((fl_dtype)to->type->dtype);
    memcpy((char *)to->data + (size_t)i * bytes, (const char *)from->data + (size_t)j * bytes, bytes);
}
/* All elements as scalars, to be freed; NULL when memory is exhausted (never for an empty tensor). */
fl_scalar *fl_widen(const fl_tensor *t);

static inline int64_t fl_offset(const fl_type *type, const int64_t *index)
{
    int64_t offset = 0;
    for (int d = 0; d < type->rank; d++) offset = offset * type->dims[d] + index[d];
    return offset;
}
/* The row-major successor of an index; 0 (and all zeros again) after the last. */
static inline int fl_next_index(int rank, const int64_t *dims, int64_t *index)
{
    for (int d = rank - 1; d >= 0; d--) {
        if (++index[d] < dims[d]) return 1;
        index[d] = 0;
    }
    return 0;
}
/* Runs over all elements: i is the row-major number, `index` (declared by it) the position. */
#define FL_EACH(index, i, type_)                                                                             \
    for (int64_t index[FL_MAX_RANK] = {0}, *index##_once = index; index##_once; index##_once = NULL)         \
        for (int64_t i = 0, index##_n = fl_type_elements(type_); i < index##_n;                              \
             i++, fl_next_index((type_)->rank, (type_)->dims, index))

static inline int64_t fl_list(const int64_t *list, int64_t i,
                              int64_t fallback) /* an optional list attribute */
{
    return list ? list[i] : fallback;
}
static inline int fl_contains(const int64_t *list, uint32_t count, int64_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == value) return 1;
    return 0;
}

/* ---- a run (reference.c) ---- */

typedef struct fl_process fl_process; /* a place in a grid: parallel.h */

typedef struct fl_probe { /* what interpreter.probe stored */
    struct fl_probe *next;
    const char *id;
    const fl_type *type;
    void *data;
} fl_probe;

/* What all processes of a run have in common. */
typedef struct fl_session {
    const fl_program *program;
    fl_reference_options options;
    fl_check_report *report; /* NULL: a check that does not hold is an error */
    fl_probe *probes, **last_probe;
    uint64_t bytes, work, draws; /* of values now; so far; words of random bits so far */
    uint32_t *last;              /* fl_lifetimes, or NULL: nothing is given back before the end */
} fl_session;

/* Every value of the program has at most one buffer for the whole run of a process: shapes are static, so
 * a loop writes its body's values into the same place again. */
struct fl_interp {
    const fl_program *program;
    void **data;
    uint8_t *owned;
    uint32_t depth; /* of blocks within blocks */
    fl_process *process;
};

fl_status fl_interp_init(fl_interp *in, fl_process *process, const fl_program *program);
void fl_interp_free(fl_interp *in);
fl_status fl_own(fl_interp *in, fl_ref r);  /* the value gets a buffer, if it has none */
fl_status fl_need(fl_interp *in, fl_ref r); /* the value is there */
void fl_borrow(fl_interp *in, fl_ref r, const void *data);
fl_status fl_run_block(fl_interp *in, const fl_block *block);
/* Runs the function's body on these arguments, which must stay as they are until it returns; its results
 * are the values of body->results. */
fl_status fl_run_function(fl_interp *in, const fl_func *func, const fl_tensor *args, uint32_t count);
fl_status fl_find_function(const fl_program *program, const char *name, const fl_func **out);
fl_session *fl_session_of(const fl_call *call);

/* ---- lifetimes of large values (lifetime.c) ---- */

/* For each value the operation of its function's body after which nobody needs it. To be freed; NULL when
 * memory is exhausted. */
uint32_t *fl_lifetimes(const fl_program *program);
/* After operation `at` of the body of a function. */
void fl_end_lifetimes(fl_interp *in, fl_session *session, const fl_op *op, uint32_t at);
/* After the caller has copied the results of the function. */
void fl_end_results(fl_interp *in, fl_session *session, const fl_block *body);

static inline void fl_move_bytes(void *to, const void *from, size_t bytes)
{
    if (bytes) memmove(to, from, bytes); /* either may be NULL for an empty tensor */
}
static inline void fl_copy_value(const fl_tensor *to, const fl_tensor *from)
{
    fl_move_bytes(to->data, from->data, fl_reference_bytes(to->type));
}
void fl_zero_results(const fl_call *call);

/* ---- regions over scalars (region.c) ---- */

enum { FL_MOST_INPUTS = 64 }; /* operands of reductions, sorts, maps */

/* A region over scalars, prepared for many calls. */
typedef struct fl_function {
    fl_interp *interp;
    const fl_block *block;
    fl_opcode monoid; /* the region is this one operation, else FL_OP_NONE */
    fl_dtype dtype;   /* of argument 0 */
    int stepwise;     /* every step is rounded */
    int quantized;    /* argument 0 is */
} fl_function;

fl_function fl_function_of(const fl_call *call, uint32_t region);
/* Element i of a tensor as argument `arg`, which may have a wider type; quantized, also another scale. */
fl_scalar fl_function_argument(const fl_function *f, uint32_t arg, const fl_tensor *t, int64_t i);
fl_status fl_function_call(const fl_function *f, const fl_scalar *args, fl_scalar *results);
/* acc[0..n) = f(acc, x). Sums and products of one operand are kept unrounded, unless the run rounds every
 * step: round when done. */
fl_status fl_function_fold(const fl_function *f, uint32_t n, fl_scalar *acc, const fl_scalar *x);

/* ---- quantized elements (quantize.c) ---- */

fl_scalar fl_dequantize(const fl_type *type, int64_t i,
                        fl_scalar stored); /* element i of a tensor of this type */
fl_scalar fl_quantize(const fl_type *type, int64_t i, fl_scalar value); /* to what is stored */
/* Runs an operation with every quantized operand and result in its expressed type. */
fl_status fl_run_dequantized(const fl_call *call, fl_interp_fn *function);

/* ---- checks (check.c) ---- */

fl_status fl_run_check_call(const fl_call *call, const char *target); /* custom_call @check.* */

/* ---- operations ---- */

/* One elementwise operation on scalars; 0 when it is not defined for the type. */
int fl_scalar_op(const fl_op *op, fl_opcode code, fl_dtype in, fl_dtype out, const fl_scalar *args,
                 fl_scalar *result);

/* Operations of one shape, but with the operands' elements at given strides of the result's dimensions. */
fl_status fl_run_strided(const fl_call *call, fl_opcode code, const int64_t strides[][FL_MAX_RANK]);

fl_interp_fn fl_run_elementwise, fl_run_map, fl_run_broadcasting, fl_run_constant_like;
fl_interp_fn fl_run_uniform_quantize, fl_run_uniform_dequantize;
fl_interp_fn fl_run_constant, fl_run_iota, fl_run_copy, fl_run_bitcast, fl_run_broadcast,
    fl_run_broadcast_in_dim, fl_run_concatenate, fl_run_pad, fl_run_reverse, fl_run_slice, fl_run_transpose,
    fl_run_dimension_size, fl_run_set_dimension_size, fl_run_dynamic_reshape;
fl_interp_fn fl_run_dynamic_slice, fl_run_dynamic_update_slice, fl_run_gather, fl_run_scatter,
    fl_run_custom_call;
fl_interp_fn fl_run_reduce, fl_run_reduce_window, fl_run_select_and_scatter, fl_run_sort, fl_run_top_k;
fl_interp_fn fl_run_dot, fl_run_dot_general, fl_run_ragged_dot, fl_run_convolution;
fl_interp_fn fl_run_cholesky, fl_run_triangular_solve, fl_run_fft;
fl_interp_fn fl_run_batch_norm_training, fl_run_batch_norm_inference, fl_run_batch_norm_grad;
fl_interp_fn fl_run_rng_bit_generator, fl_run_rng;
fl_interp_fn fl_run_einsum, fl_run_torch_index_select;
fl_interp_fn fl_run_if, fl_run_case, fl_run_while, fl_run_call_op, fl_run_composite, fl_run_tuple,
    fl_run_get_tuple_element, fl_run_nothing, fl_run_sdy_region, fl_run_async_start, fl_run_scan;
fl_interp_fn fl_run_all_gather, fl_run_all_reduce, fl_run_all_to_all, fl_run_collective_broadcast,
    fl_run_collective_reduce, fl_run_collective_permute, fl_run_reduce_scatter, fl_run_cross_replica_sum,
    fl_run_ragged_all_to_all, fl_run_infeed, fl_run_outfeed, fl_run_send, fl_run_recv, fl_run_device_id, fl_run_parallel;
/* With processes outside the interpreter. */
int fl_is_collective(const fl_op *op);
fl_status fl_run_collective(const fl_call *call, const fl_environment *environment);
fl_interp_fn fl_run_expect, fl_run_print, fl_run_probe;

#endif
