/* Tensors made from numbers. */
#include "aten/shapes.h"
#include "aten/table.h"
#include <math.h>

/* The type in which a sequence of results of this dtype is computed: exact positions for integers. */
static fl_dtype sequence_math(fl_dtype out)
{
    return fl_is_complex(out) ? out : fl_is_float(out) && out != FL_F64 ? FL_F32 : FL_F64;
}

static int all_integers(fl_builder *b)
{
    for (int i = 0; i < 3; i++)
        if (fl_has(b, i) && fl_scalar_tag(b, i) != FL_TAG_INT && fl_scalar_tag(b, i) != FL_TAG_BOOL) return 0;
    return 1;
}

static int step_fits(fl_builder *b, double start, double end, double step)
{
    if (step == 0)
        fl_builder_fail(b, fl_error(FL_INVALID, "step must be nonzero"));
    else if (!isfinite(start) || !isfinite(end))
        fl_builder_fail(b, fl_error(FL_INVALID, "unsupported range: %g -> %g", start, end));
    else if (step > 0 ? end < start : end > start)
        fl_builder_fail(b, fl_error(FL_INVALID, "upper bound and lower bound inconsistent with step sign"));
    return fl_ok(b);
}

/* start + i * step; integers are truncated first, and wrap. The number of elements is part of the program, so
 * that all three numbers are. */
static void emit_steps(fl_builder *b, int64_t count)
{
    fl_dtype out = fl_out_dtype(b, 0);
    FL_REQUIRE(b, count >= 0 && count < INT64_C(1) << 40, FL_INVALID, "invalid size, possible overflow");
    if (fl_is_int(out) || out == FL_I1) {
        fl_ref steps = fl_iota(b, fl_type_make(FL_I64, 1, &count), 0);
        int64_t start = fl_static_int(b, 0), step = fl_has(b, 2) ? fl_static_int(b, 2) : 1;
        if (step != 1) steps = fl_mul(b, steps, fl_scalar_i(b, FL_I64, step));
        fl_emit(b, start ? fl_add(b, steps, fl_scalar_i(b, FL_I64, start)) : steps);
        return;
    }
    double start = fl_static_double(b, 0), step = fl_has(b, 2) ? fl_static_double(b, 2) : 1;
    fl_ref steps = fl_iota(b, fl_type_make(FL_F64, 1, &count), 0);
    fl_emit(b, fl_add(b, fl_mul(b, steps, fl_scalar_f(b, FL_F64, step)), fl_scalar_f(b, FL_F64, start)));
}

FL_LOWER(arange)
{
    int integers = all_integers(b);
    double start = fl_static_double(b, 0), end = fl_static_double(b, 1),
           step = fl_has(b, 2) ? fl_static_double(b, 2) : 1;
    if (!step_fits(b, start, end, step)) return;
    int64_t count;
    if (integers || fl_out_dtype(b, 0) == FL_I64) { /* PyTorch truncates the numbers first */
        int64_t first = fl_static_int(b, 0), last = fl_static_int(b, 1),
                by = fl_has(b, 2) ? fl_static_int(b, 2) : 1, span;
        FL_REQUIRE(b, by, FL_INVALID, "step must be nonzero");
        FL_REQUIRE(b, !__builtin_sub_overflow(last, first, &span), FL_INVALID,
                   "invalid size, possible overflow");
        count = span / by + (span % by != 0);
    } else {
        count = (int64_t)ceil((end - start) / step);
    }
    emit_steps(b, count);
}

FL_LOWER(range)
{
    double start = fl_static_double(b, 0), end = fl_static_double(b, 1),
           step = fl_has(b, 2) ? fl_static_double(b, 2) : 1;
    if (!step_fits(b, start, end, step)) return;
    emit_steps(b, (int64_t)floor((end - start) / step) + 1);
}

/* From both ends towards the middle, so that the ends are exact. */
static fl_ref linear_space(fl_builder *b, int64_t steps, fl_dtype math)
{
    /* the ends of a sequence of integers are truncated first */
    fl_dtype out = fl_out_dtype(b, 0), given = fl_is_float(out) || fl_is_complex(out) ? math : FL_I64;
    fl_ref start = fl_cast(b, fl_scalar(b, 0, given), math), end = fl_cast(b, fl_scalar(b, 1, given), math);
    if (steps == 1) return fl_fill(b, start, 1, &steps);
    fl_dtype real = fl_real_dtype(math);
    fl_ref step = fl_div(b, fl_sub(b, end, start), fl_cast(b, fl_scalar_i(b, real, steps - 1), math));
    fl_ref i = fl_iota(b, fl_type_make(FL_I64, 1, &steps), 0);
    fl_ref first = fl_compare(b, FL_LT, i, fl_scalar_i(b, FL_I64, steps / 2));
    fl_ref up = fl_cast(b, fl_cast(b, i, real), math);
    fl_ref down = fl_cast(b, fl_cast(b, fl_sub(b, fl_scalar_i(b, FL_I64, steps - 1), i), real), math);
    return fl_select(b, first, fl_add(b, start, fl_mul(b, step, up)), fl_sub(b, end, fl_mul(b, step, down)));
}

FL_LOWER(linspace)
{
    int64_t steps = fl_int(b, 2);
    FL_REQUIRE(b, steps >= 0, FL_INVALID, "number of steps must be non-negative");
    fl_emit(b, linear_space(b, steps, sequence_math(fl_out_dtype(b, 0))));
}

FL_LOWER(logspace)
{
    int64_t steps = fl_int(b, 2);
    FL_REQUIRE(b, steps >= 0, FL_INVALID, "number of steps must be non-negative");
    fl_dtype math = sequence_math(fl_out_dtype(b, 0));
    fl_ref base = fl_fill(b, fl_scalar(b, 3, math), 1, &steps);
    fl_emit(b, fl_pow(b, base, linear_space(b, steps, math)));
}

static void emit_eye(fl_builder *b, int64_t rows, int64_t columns)
{
    FL_REQUIRE(b, rows >= 0 && columns >= 0, FL_INVALID, "n must be greater or equal to 0, got %lld",
               (long long)fl_min_i(rows, columns));
    int64_t dims[2] = {rows, columns};
    fl_type type = fl_type_make(FL_I64, 2, dims);
    fl_emit(b, fl_compare(b, FL_EQ, fl_iota(b, type, 0), fl_iota(b, type, 1)));
}

FL_LOWER(eye)
{
    emit_eye(b, fl_int(b, 0), fl_int(b, 0));
}

FL_LOWER(eye_m)
{
    emit_eye(b, fl_int(b, 0), fl_int(b, 1));
}

FL_LOWER(fill)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (!self) return;
    fl_dtype dtype = (fl_dtype)self->dtype;
    fl_ref value = fl_tensor_arg(b, 1) ? fl_in_cast(b, 1, dtype) : fl_scalar_fitting(b, 1, dtype);
    FL_REQUIRE(b, fl_rank(b, value) == 0, FL_INVALID,
               "fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.",
               fl_rank(b, value));
    fl_emit_uniform(b, fl_fill(b, value, self->rank, self->sizes));
}

FL_LOWER(zero)
{
    const fl_tensor *self = fl_tensor_arg(b, 0);
    if (self) fl_emit_uniform(b, fl_zeros(b, (fl_dtype)self->dtype, self->rank, self->sizes));
}

static void emit_triangle(fl_builder *b, int upper)
{
    fl_ref x = fl_in(b, 0);
    if (!fl_ok(b)) return;
    int rank = fl_rank(b, x);
    FL_REQUIRE(b, rank >= 2, FL_INVALID, "%s: input tensor must have at least 2 dimensions",
               upper ? "triu" : "tril");
    int64_t dims[2] = {fl_dim(b, x, -2), fl_dim(b, x, -1)}, where[2] = {rank - 2, rank - 1}, all[FL_MAX_RANK];
    fl_type type = fl_type_make(FL_I64, 2, dims);
    fl_ref diagonal = fl_sub(b, fl_iota(b, type, 1), fl_iota(b, type, 0));
    fl_ref keep = fl_compare(b, upper ? FL_GE : FL_LE, diagonal, fl_scalar_i(b, FL_I64, fl_int(b, 1)));
    fl_get_dims(b, x, all);
    keep = fl_broadcast_in_dim(b, keep, rank, all, where);
    fl_emit(b, fl_select(b, keep, x, fl_scalar_i(b, fl_dtypeof(b, x), 0)));
}

FL_LOWER(tril)
{
    emit_triangle(b, 0);
}

FL_LOWER(triu)
{
    emit_triangle(b, 1);
}

/* tril_indices(row, col, offset, dtype): a constant [2, n] */
static void emit_triangle_indices(fl_builder *b, int upper)
{
    int64_t rows = fl_int(b, 0), columns = fl_int(b, 1), offset = fl_int_or(b, 2, 0), count = 0;
    FL_REQUIRE(b, rows >= 0 && columns >= 0, FL_INVALID, "row and col must be non-negative");
    for (int64_t r = 0; r < rows; r++) {
        int64_t edge = r + offset; /* the diagonal's column */
        count +=
            upper ? columns - fl_max_i(0, fl_min_i(edge, columns)) : fl_max_i(0, fl_min_i(edge + 1, columns));
    }
    int64_t *pairs = fl_scratch(b, 2 * count, sizeof *pairs), dims[2] = {2, count}, n = 0;
    if (!pairs) return;
    for (int64_t r = 0; r < rows; r++) {
        int64_t edge = r + offset, from = upper ? fl_max_i(0, edge) : 0,
                to = upper ? columns : fl_min_i(edge + 1, columns);
        for (int64_t c = from; c < to; c++, n++) {
            pairs[n] = r;
            pairs[count + n] = c;
        }
    }
    fl_emit(b, fl_cast(b, fl_constant(b, fl_type_make(FL_I64, 2, dims), pairs), fl_dtype_or(b, 3, FL_I64)));
}

FL_LOWER(tril_indices)
{
    emit_triangle_indices(b, 0);
}

FL_LOWER(triu_indices)
{
    emit_triangle_indices(b, 1);
}
