/* Reductions: sums, products, extremes, moments, norms. */
#include "aten/formula.h"
#include "aten/sizes.h"
#include "aten/table.h"
#include <math.h>

/* What reductions over a dim list share: the operand and the dims of argument `at` (-1: all). */
typedef struct reduction {
    fl_ref x;
    int64_t dims[FL_MAX_RANK];
    uint32_t count;
    double n; /* elements that meet in one result */
    int keepdim;
} reduction;

static reduction begin_as(fl_builder *b, fl_ref x, int at, int keepdim)
{
    reduction r = {.x = x, .n = 1, .keepdim = keepdim};
    int rank = fl_rank(b, r.x);
    if (at >= 0) {
        r.count = fl_dims(b, at, rank, r.dims);
    } else {
        r.count = (uint32_t)rank;
        for (int i = 0; i < rank; i++) r.dims[i] = i;
    }
    for (uint32_t i = 0; i < r.count; i++) r.n *= (double)fl_dim(b, r.x, (int)r.dims[i]);
    return r;
}

/* Argument 0 in op-math of `dtype`. */
static reduction begin(fl_builder *b, fl_dtype dtype, int at, int keepdim)
{
    return begin_as(b, fl_in_cast(b, 0, fl_op_math(dtype)), at, keepdim);
}

static fl_ref reduced(fl_builder *b, fl_opcode code, fl_ref x, const reduction *r)
{
    return r->count ? fl_reduce(b, code, x, r->dims, r->count, r->keepdim) : x;
}

static fl_dtype input_dtype(fl_builder *b)
{
    const fl_tensor *x = fl_tensor_arg(b, 0);
    return x ? (fl_dtype)x->dtype : FL_F32;
}

static int is_number(fl_dtype t)
{
    return fl_is_float(t) || fl_is_complex(t);
}

/* dtype of a sum or product: the dtype argument, the written tensor's, or i64 for integers */
static fl_dtype sum_dtype(fl_builder *b, int dtype_arg)
{
    fl_dtype out = fl_out_dtype(b, 0), t = input_dtype(b);
    if (out == FL_DTYPE_NONE) out = is_number(t) ? t : FL_I64;
    return dtype_arg < 0 ? out : fl_dtype_or(b, dtype_arg, out);
}

FL_LOWER(sum)
{
    fl_dtype t = sum_dtype(b, 3);
    reduction r = begin(b, t, 1, fl_bool(b, 2));
    fl_emit_as(b, reduced(b, FL_OP_add, r.x, &r), t);
}

FL_LOWER(nansum)
{
    fl_dtype t = sum_dtype(b, 3), own = input_dtype(b);
    FL_REQUIRE(b, !fl_is_complex(own), FL_INVALID, "nansum does not support complex inputs");
    FL_REQUIRE(
        b, !fl_is_float(own) || (fl_out_dtype(b, 0) == FL_DTYPE_NONE ? !fl_is_complex(t) : fl_is_float(t)),
        FL_UNSUPPORTED, "nansum of floating-point numbers as this element type");
    reduction r = begin(b, t, 1, fl_bool(b, 2));
    fl_ref x = fl_is_float(t) ? fl_select(b, fl_is_nan(b, r.x), fl_const(b, r.x, 0), r.x) : r.x;
    fl_emit_as(b, reduced(b, FL_OP_add, x, &r), t);
}

FL_LOWER(mean)
{
    fl_dtype t = sum_dtype(b, 3);
    FL_REQUIRE(
        b, is_number(t), FL_INVALID,
        "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype");
    reduction r = begin(b, t, 1, fl_bool(b, 2));
    fl_ref sum = reduced(b, FL_OP_add, r.x, &r);
    fl_emit_as(b, fl_div(b, sum, fl_const(b, sum, r.n)), t);
}

FL_LOWER(prod)
{
    fl_dtype t = sum_dtype(b, 1);
    reduction r = begin(b, t, -1, 0);
    fl_emit_as(b, reduced(b, FL_OP_multiply, r.x, &r), t);
}

FL_LOWER(prod_dim)
{
    fl_dtype t = sum_dtype(b, 3);
    reduction r = begin(b, t, 1, fl_bool(b, 2));
    fl_emit_as(b, reduced(b, FL_OP_multiply, r.x, &r), t);
}

FL_LOWER(count_nonzero)
{
    reduction r = begin_as(b, fl_in(b, 0), 1, 0);
    fl_ref counted = fl_cast(b, fl_cast(b, r.x, FL_I1), FL_I64);
    fl_emit(b, reduced(b, FL_OP_add, counted, &r));
}

/* ---- truth */

static void truth(fl_builder *b, fl_opcode code, int at, int keepdim)
{
    const fl_dtype out = fl_out_dtype(b, 0);
    FL_REQUIRE(b, out == FL_DTYPE_NONE || out == FL_I1 || out == FL_U8, FL_INVALID,
               "%s only supports bool tensor for result, got: %s", code == FL_OP_or ? "any" : "all",
               fl_torch_type_name(out));
    reduction r = begin_as(b, fl_in(b, 0), at, keepdim);
    fl_emit(b, reduced(b, code, fl_cast(b, r.x, FL_I1), &r));
}

/* A list of dims, of which none means none. */
static void truth_of_list(fl_builder *b, fl_opcode code)
{
    int64_t dims[FL_MAX_RANK];
    if (fl_has(b, 1) && !fl_ints(b, 1, dims, FL_MAX_RANK))
        fl_emit(b, fl_cast(b, fl_in(b, 0), FL_I1));
    else
        truth(b, code, 1, fl_bool(b, 2));
}

FL_LOWER(any_list)
{
    truth_of_list(b, FL_OP_or);
}

FL_LOWER(all_list)
{
    truth_of_list(b, FL_OP_and);
}

FL_LOWER(any)
{
    truth(b, FL_OP_or, -1, 0);
}

FL_LOWER(any_dims)
{
    truth(b, FL_OP_or, 1, fl_bool(b, 2));
}

FL_LOWER(all)
{
    truth(b, FL_OP_and, -1, 0);
}

FL_LOWER(all_dims)
{
    truth(b, FL_OP_and, 1, fl_bool(b, 2));
}

/* ---- extremes; NaN is the largest and the smallest */

static reduction extremes(fl_builder *b, int at, int keepdim)
{
    reduction r = begin_as(b, fl_in(b, 0), at, keepdim);
    if (fl_is_complex(input_dtype(b))) fl_unsupported(b, "the order of complex numbers");
    if (r.n == 0)
        fl_builder_fail(
            b, fl_error(FL_INDEX, "expected reduction dim to have non-zero size: the input is empty and the "
                                  "operation has no identity"));
    return r;
}

FL_LOWER(amax)
{
    reduction r = extremes(b, 1, fl_bool(b, 2));
    fl_emit(b, reduced(b, FL_OP_maximum, r.x, &r));
}

FL_LOWER(amin)
{
    reduction r = extremes(b, 1, fl_bool(b, 2));
    fl_emit(b, reduced(b, FL_OP_minimum, r.x, &r));
}

static void extreme_of_all(fl_builder *b, fl_opcode code)
{
    fl_ref x = fl_in(b, 0);
    FL_REQUIRE(
        b, !fl_ok(b) || fl_elements(b, x), FL_INVALID,
        "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
        "with the 'dim' argument.",
        code == FL_OP_maximum ? "max" : "min");
    reduction r = extremes(b, -1, 0);
    fl_emit(b, reduced(b, code, r.x, &r));
}

FL_LOWER(max)
{
    extreme_of_all(b, FL_OP_maximum);
}

FL_LOWER(min)
{
    extreme_of_all(b, FL_OP_minimum);
}

static void both_extremes(fl_builder *b, const reduction *r)
{
    fl_emit(b, reduced(b, FL_OP_minimum, r->x, r));
    fl_emit(b, reduced(b, FL_OP_maximum, r->x, r));
}

FL_LOWER(aminmax)
{
    int one = fl_has(b, 1);
    reduction r = extremes(b, one ? 1 : -1, fl_bool(b, 2));
    both_extremes(b, &r);
}

FL_LOWER(aminmax_all)
{
    fl_ref x = fl_in(b, 0);
    FL_REQUIRE(b, !fl_ok(b) || fl_elements(b, x), FL_INVALID,
               "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
    reduction r = extremes(b, -1, 0);
    both_extremes(b, &r);
}

/* First position along dim where x equals its extreme or is NaN. */
static fl_ref position(fl_builder *b, fl_ref x, fl_ref extreme, int dim, int keepdim)
{
    fl_ref hit = fl_compare(b, FL_EQ, x, fl_broadcast_like(b, extreme, x));
    if (fl_is_float(fl_dtypeof(b, x))) hit = fl_or(b, hit, fl_is_nan(b, x));
    fl_type type = *fl_typeof(b, x);
    type.dtype = fl_dim(b, x, dim) > INT32_MAX ? FL_I64 : FL_I32;
    fl_ref at = fl_iota(b, type, dim);
    fl_ref candidates = fl_select(b, hit, at, fl_max_value(b, (fl_dtype)type.dtype));
    return fl_cast(b, fl_reduce_dim(b, FL_OP_minimum, candidates, dim, keepdim), FL_I64);
}

/* Extreme and its first position along the dim of argument 1. */
static void extreme_dim(fl_builder *b, fl_opcode code)
{
    fl_ref x = fl_in(b, 0);
    int keepdim = fl_bool(b, 2);
    if (fl_is_complex(fl_dtypeof(b, x))) fl_unsupported(b, "the order of complex numbers");
    if (fl_rank(b, x) == 0) {
        fl_emit(b, x);
        fl_emit(b, fl_scalar_i(b, FL_I64, 0));
        return;
    }
    int dim = fl_wrap_dim(b, fl_int(b, 1), fl_rank(b, x));
    fl_ref extreme = fl_reduce_dim(b, code, x, dim, 1);
    fl_emit(b, keepdim ? extreme : fl_squeeze(b, extreme, dim));
    fl_emit(b, position(b, x, extreme, dim, keepdim));
}

FL_LOWER(max_dim)
{
    extreme_dim(b, FL_OP_maximum);
}

FL_LOWER(min_dim)
{
    extreme_dim(b, FL_OP_minimum);
}

static void arg_extreme(fl_builder *b, fl_opcode code)
{
    fl_ref x = fl_in(b, 0);
    int rank = fl_rank(b, x), keepdim = fl_bool(b, 2), all = !fl_has(b, 1);
    if (fl_is_complex(fl_dtypeof(b, x)) || fl_dtypeof(b, x) == FL_I1) fl_unsupported(b, "this element type");
    if (rank == 0) {
        fl_emit(b, fl_scalar_i(b, FL_I64, 0));
        return;
    }
    int dim = all ? 0 : fl_wrap_dim(b, fl_int(b, 1), rank);
    if (all) x = fl_flatten(b, x);
    fl_ref at = position(b, x, fl_reduce_dim(b, code, x, dim, 1), dim, keepdim && !all);
    if (all && keepdim) {
        int64_t ones[FL_MAX_RANK];
        for (int i = 0; i < rank; i++) ones[i] = 1;
        at = fl_reshape(b, at, rank, ones);
    }
    fl_emit(b, at);
}

FL_LOWER(argmax)
{
    arg_extreme(b, FL_OP_maximum);
}

FL_LOWER(argmin)
{
    arg_extreme(b, FL_OP_minimum);
}

/* ---- moments: arguments self, dim, correction, keepdim */

static fl_ref with_dims(fl_builder *b, fl_ref mean, const reduction *r)
{
    return r->count ? fl_broadcast_like(b, mean, r->x) : mean;
}

/* Two passes: the mean, then the centred squares, in f64 as on the CPU. Complex numbers have real variances. */
static void moments(fl_builder *b, int root, int with_mean)
{
    fl_dtype t = input_dtype(b);
    FL_REQUIRE(b, is_number(t), FL_INVALID, "std and var only support floating point and complex dtypes");
    reduction r = begin(b, t == FL_F32 ? FL_F64 : t, 1, 1);
    int keepdim = fl_bool(b, 3);
    fl_ref total = reduced(b, FL_OP_add, r.x, &r);
    fl_ref mean = fl_div(b, total, fl_const(b, total, r.n));
    fl_ref centred = fl_sub(b, r.x, with_dims(b, mean, &r));
    fl_ref square;
    if (fl_is_complex(t)) {
        fl_ref re = fl_real(b, centred), im = fl_imag(b, centred);
        square = fl_add(b, fl_mul(b, re, re), fl_mul(b, im, im));
    } else {
        square = fl_mul(b, centred, centred);
    }
    r.keepdim = keepdim;
    fl_ref value = reduced(b, FL_OP_add, square, &r);
    fl_ref n = fl_const(b, value, r.n);
    fl_ref correction = fl_has(b, 2) ? fl_scalar(b, 2, fl_dtypeof(b, value)) : fl_const(b, value, 1);
    value = fl_div(b, value, fl_max(b, fl_sub(b, n, correction), fl_const(b, value, 0)));
    fl_emit_as(b, root ? fl_sqrt(b, value) : value, fl_real_dtype(t));
    if (!with_mean) return;
    if (!keepdim)
        for (uint32_t i = r.count; i-- > 0;) mean = fl_squeeze(b, mean, (int)r.dims[i]);
    fl_emit_as(b, mean, t);
}

FL_LOWER(var)
{
    moments(b, 0, 0);
}

FL_LOWER(std)
{
    moments(b, 1, 0);
}

FL_LOWER(var_mean)
{
    moments(b, 0, 1);
}

FL_LOWER(std_mean)
{
    moments(b, 1, 1);
}

/* ---- norms */

fl_ref fl_vector_norm(fl_builder *b, fl_ref x, fl_ref p, double p_static, const int64_t *dims, uint32_t count,
                      int keepdim)
{
    reduction r = {.count = count, .keepdim = keepdim};
    for (uint32_t i = 0; i < count; i++) {
        r.dims[i] = dims[i];
        if (fl_ok(b) && (p_static < 0 || isinf(p_static)) && !fl_dim(b, x, (int)dims[i]))
            fl_builder_fail(
                b, fl_error(FL_INVALID,
                            "linalg.vector_norm cannot compute the %g norm on the dimension %dbecause "
                            "this dimension is empty and the operation does not have an identity",
                            p_static, (int)dims[i]));
    }
    if (p_static == 2 && !fl_is_complex(fl_dtypeof(b, x)))
        return fl_sqrt(b, reduced(b, FL_OP_add, fl_mul(b, x, x), &r));
    fl_ref size = fl_abs(b, x);
    if (isinf(p_static)) return reduced(b, p_static > 0 ? FL_OP_maximum : FL_OP_minimum, size, &r);
    if (p_static == 1) return reduced(b, FL_OP_add, size, &r);
    if (p_static == 2) return fl_sqrt(b, reduced(b, FL_OP_add, fl_mul(b, size, size), &r));
    if (p_static == 0)
        return reduced(b, FL_OP_add, fl_cast(b, fl_compare_c(b, FL_NE, size, 0), fl_dtypeof(b, size)), &r);
    if (p == FL_NO_REF) p = fl_const(b, size, p_static);
    fl_ref sum = reduced(b, FL_OP_add, fl_pow(b, size, p), &r);
    return fl_pow(b, sum, fl_div(b, fl_const(b, sum, 1), p));
}

/* order at 1, dims at 2, keepdim at 3 */
static void norm(fl_builder *b, int dtype_arg)
{
    fl_dtype t = dtype_arg < 0 ? input_dtype(b) : fl_dtype_or(b, dtype_arg, input_dtype(b));
    FL_REQUIRE(b, is_number(t), FL_INVALID,
               "linalg.vector_norm: Expected a floating point or complex tensor as input. Got %s",
               fl_torch_type_name(t));
    reduction r = begin(b, t, 2, fl_bool(b, 3));
    double p = fl_has(b, 1) ? fl_static_double(b, 1) : 2;
    fl_emit_as(b, fl_vector_norm(b, r.x, FL_NO_REF, p, r.dims, r.count, r.keepdim), fl_real_dtype(t));
}

FL_LOWER(vector_norm)
{
    norm(b, 4);
}

FL_LOWER(norm)
{
    norm(b, -1);
}

/* ---- products of vectors, trace */

static void dot(fl_builder *b, int conjugate)
{
    fl_ref x = fl_in(b, 0), y = fl_in(b, 1);
    FL_REQUIRE(b, fl_rank(b, x) == 1 && fl_rank(b, y) == 1, FL_INVALID,
               "1D tensors expected, but got %dD and %dD tensors", fl_rank(b, x), fl_rank(b, y));
    fl_dtype t = fl_dtypeof(b, x);
    FL_REQUIRE(b, t == fl_dtypeof(b, y), FL_INVALID,
               "dot : expected both vectors to have same dtype, but found %s and %s", fl_torch_type_name(t),
               fl_torch_type_name(fl_dtypeof(b, y)));
    FL_REQUIRE(
        b, fl_dim(b, x, 0) == fl_dim(b, y, 0), FL_INVALID,
        "inconsistent tensor size, expected tensor [%lld] and src [%lld] to have the same number of elements",
        (long long)fl_dim(b, x, 0), (long long)fl_dim(b, y, 0));
    if (conjugate && fl_is_complex(t)) x = fl_conj(b, x);
    fl_dtype math = fl_op_math(t);
    fl_ref product = fl_mul(b, fl_cast(b, x, math), fl_cast(b, y, math));
    fl_emit_as(b, fl_reduce_dim(b, FL_OP_add, product, 0, 0), t);
}

FL_LOWER(dot)
{
    dot(b, 0);
}

FL_LOWER(vdot)
{
    dot(b, 1);
}

/* The diagonal is every (columns + 1)-th element of the flat matrix. */
FL_LOWER(trace)
{
    fl_ref x = fl_in(b, 0);
    FL_REQUIRE(b, fl_rank(b, x) == 2, FL_INVALID, "trace: expected a matrix, but got tensor with dim %d",
               fl_rank(b, x));
    fl_dtype t = sum_dtype(b, -1);
    int64_t rows = fl_dim(b, x, 0), columns = fl_dim(b, x, 1), n = rows < columns ? rows : columns;
    fl_ref diagonal =
        fl_slice_dim(b, fl_flatten(b, x), 0, 0, n ? (n - 1) * (columns + 1) + 1 : 0, columns + 1);
    fl_emit_as(b, fl_reduce_dim(b, FL_OP_add, fl_cast(b, diagonal, fl_op_math(t)), 0, 0), t);
}
