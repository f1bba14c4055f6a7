/* Sorting, running reductions, search in sorted sequences. */
#include "aten/formula.h"
#include "aten/loop.h"
#include "aten/shapes.h"
#include "aten/table.h"
#include "ir/pool.h"
#include <math.h>
#include <string.h>

/* Values and positions in order along dim, cut to the first `count` (negative: all); results have the shape
 * of the argument. */
static void emit_sorted(fl_builder *b, int dim_arg, int descending, int64_t count)
{
    fl_ref self = fl_in(b, 0), x = fl_at_least_1d(b, self), positions;
    if (!fl_ok(b)) return;
    if (fl_is_complex(fl_dtypeof(b, x))) {
        fl_unsupported(b, "the order of complex numbers");
        return;
    }
    int dim = fl_wrap_dim(b, fl_int(b, dim_arg), fl_rank(b, x));
    fl_ref values = fl_sort(b, x, fl_iota_like(b, FL_I64, x, dim), dim, descending, 1, &positions);
    if (count >= 0) {
        FL_REQUIRE(b, count <= fl_dim(b, x, dim), FL_INVALID, "selected index k out of range");
        values = fl_slice_dim(b, values, dim, 0, count, 1);
        positions = fl_slice_dim(b, positions, dim, 0, count, 1);
    }
    int scalar = fl_rank(b, self) == 0 && fl_elements(b, values) == 1;
    fl_emit(b, scalar ? fl_reshape(b, values, 0, NULL) : values);
    fl_emit(b, scalar ? fl_reshape(b, positions, 0, NULL) : positions);
}

/* sort(self, stable, dim, descending) */
FL_LOWER(sort)
{
    emit_sorted(b, 2, fl_bool(b, 3), -1);
}

/* The largest k along dim by top_k, which need not sort everything: it works along the last dimension. */
static void emit_largest(fl_builder *b, fl_ref x, int dim, int64_t k)
{
    int last = fl_rank(b, x) - 1;
    fl_ref rows = fl_move_dim(b, x, dim, last);
    fl_attr attr = {.key = FL_ATTR_k, .u.i = k};
    fl_ref values = fl_build(b, FL_OP_top_k, &rows, 1, &attr, 1, NULL, 0);
    if (!fl_ok(b)) return;
    fl_emit(b, fl_move_dim(b, values, last, dim));
    fl_emit(b, fl_cast(b, fl_move_dim(b, values + 1, last, dim), FL_I64));
}

/* topk(self, k, dim, largest, sorted) */
FL_LOWER(topk)
{
    fl_ref x = fl_in(b, 0);
    int64_t k = fl_int(b, 1);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, k >= 0, FL_INVALID, "selected index k out of range");
    int rank = fl_rank(b, x), dim = rank ? fl_wrap_dim(b, fl_int(b, 2), rank) : 0;
    fl_dtype dtype = fl_dtypeof(b, x);
    if (fl_ok(b) && fl_bool(b, 3) && rank && k > 0 && k < fl_dim(b, x, dim) &&
        (fl_is_float(dtype) || fl_is_int(dtype)))
        emit_largest(b, x, dim, k);
    else
        emit_sorted(b, 2, fl_bool(b, 3), k);
}

/* Running sums and products are carried in twice the precision, as PyTorch's are: their error would grow with the length. Those of f32
 * the embedded device carries in f64 by itself; other devices sum them as they choose. */
static void emit_running(fl_builder *b, fl_opcode code)
{
    fl_ref self = fl_in(b, 0);
    if (!fl_ok(b)) return;
    fl_dtype out = fl_out_dtype(b, 0), carried = fl_op_math(out);
    if (out == FL_C64) carried = FL_C128;
    fl_ref x = fl_at_least_1d(b, fl_cast(b, self, out));
    int dim = fl_wrap_dim(b, fl_int(b, 1), fl_rank(b, x));
    if (!fl_elements(b, x)) {
        fl_emit(b, fl_reshape_like(b, x, self));
        return;
    }
    fl_emit(b, fl_reshape_like(b, fl_cumulative(b, code, fl_cast(b, x, carried), dim), self));
}

FL_LOWER(cumsum)
{
    emit_running(b, FL_OP_add);
}

FL_LOWER(cumprod)
{
    emit_running(b, FL_OP_multiply);
}

/* x moved `by` places up along dim, its beginning filled */
static fl_ref shifted(fl_builder *b, fl_ref x, int dim, int64_t by, fl_ref filler)
{
    return fl_pad_dim(b, x, dim, filler, by, -by, 0);
}

/* state: x, the results, the last one; given: dim */
static void add_next_log(fl_builder *b, fl_ref step, const fl_ref *state, fl_ref *next, const void *given)
{
    int64_t sizes[FL_MAX_RANK];
    fl_ref starts[FL_MAX_RANK];
    int dim = *(const int *)given, rank = fl_get_dims(b, state[0], sizes);
    for (int i = 0; i < rank; i++) starts[i] = i == dim ? step : fl_scalar_i(b, FL_I64, 0);
    sizes[dim] = 1;
    next[2] = fl_f_log_add_exp(b, fl_dynamic_slice(b, state[0], starts, sizes), state[2]);
    next[1] = fl_dynamic_update_slice(b, state[1], next[2], starts);
}

/* One after the other: in which turn of the circle the angle of a sum lies hangs on the order. */
static fl_ref running_complex_logs(fl_builder *b, fl_ref x, int dim)
{
    fl_type one = *fl_typeof(b, x), none = one;
    one.dims[dim] = 1;
    one.dtype = none.dtype = (uint8_t)fl_real_dtype((fl_dtype)one.dtype);
    fl_ref zero = fl_full(b, one, 0), least = fl_full(b, one, -INFINITY), zeros = fl_full(b, none, 0);
    fl_ref state[3] = {x, fl_complex(b, zeros, zeros), fl_complex(b, least, zero)};
    fl_loop(b, fl_dim(b, x, dim), state, 3, add_next_log, &dim);
    return state[1];
}

/* By doubling: after step s every place holds the result over the 2s places up to it. */
static fl_ref running_logs(fl_builder *b, fl_ref x, int dim)
{
    fl_ref least = fl_min_value(b, fl_dtypeof(b, x));
    for (int64_t by = 1; by < fl_dim(b, x, dim); by *= 2)
        x = fl_f_log_add_exp(b, x, shifted(b, x, dim, by, least));
    return x;
}

FL_LOWER(logcumsumexp)
{
    fl_ref self = fl_in(b, 0), x = fl_at_least_1d(b, self);
    if (!fl_ok(b)) return;
    fl_dtype dtype = fl_dtypeof(b, x);
    if (!fl_is_float(dtype) && !fl_is_complex(dtype)) {
        fl_unsupported(b, "logcumsumexp of this element type");
        return;
    }
    int dim = fl_wrap_dim(b, fl_int(b, 1), fl_rank(b, x));
    if (!fl_ok(b)) return;
    x = fl_cast(b, x, dtype == FL_F32 ? FL_F64 : fl_op_math(dtype)); /* roundings of many steps */
    fl_ref sums = fl_is_complex(dtype) ? running_complex_logs(b, x, dim) : running_logs(b, x, dim);
    fl_emit(b, fl_cast(b, fl_reshape_like(b, sums, self), dtype));
}

/* _cummax_helper(self, values, indices, dim): among equals the later place wins; a NaN stays, at its latest place. */
static void emit_running_extreme(fl_builder *b, int largest)
{
    fl_ref self = fl_in(b, 0), x = fl_at_least_1d(b, self), value = x, place;
    if (!fl_ok(b)) return;
    const fl_dtype dtype = fl_dtypeof(b, x);
    const int dim = fl_wrap_dim(b, fl_int(b, 3), fl_rank(b, x));
    place = fl_full_like_i(b, fl_cast(b, x, FL_I64), 0);
    if (fl_elements(b, x)) {
        const int narrow = fl_dtype_bytes(dtype) < 4 && !fl_is_float(dtype);
        fl_running_extreme(b, largest, narrow ? fl_cast(b, x, FL_I32) : x, dim, &value, &place);
    }
    fl_emit(b, fl_reshape_like(b, fl_cast(b, value, dtype), self));
    fl_emit(b, fl_reshape_like(b, place, self));
}

FL_LOWER(cummax)
{
    emit_running_extreme(b, 1);
}

FL_LOWER(cummin)
{
    emit_running_extreme(b, 0);
}

static void emit_search(fl_builder *b, int sequence_arg, int value_arg, int int32, int right, fl_ref sorter)
{
    int args[2] = {sequence_arg, value_arg};
    fl_dtype dtype = fl_promote_args(b, args, 2);
    fl_ref sequence = fl_in_cast(b, sequence_arg, dtype);
    fl_ref values =
        fl_tensor_arg(b, value_arg) ? fl_in_cast(b, value_arg, dtype) : fl_scalar(b, value_arg, dtype);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_rank(b, sequence) > 0, FL_INVALID, "boundaries tensor should have positive dimension");
    FL_REQUIRE(b, fl_rank(b, sequence) == 1 || fl_rank(b, sequence) == fl_rank(b, values), FL_INVALID,
               "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and "
               "input value tensor must match");
    if (sorter) {
        sorter = fl_check_index(b, sorter, 0, fl_dim(b, sequence, -1), "searchsorted");
        sequence = fl_gather_along(b, sequence, fl_rank(b, sequence) - 1, sorter);
    }
    fl_emit(b, fl_cast(b, fl_search_sorted(b, sequence, values, right), int32 ? FL_I32 : FL_I64));
}

/* searchsorted(sorted_sequence, self, *, out_int32, right, side, sorter) */
FL_LOWER(searchsorted)
{
    const char *side = fl_string(b, 4);
    int right = fl_bool(b, 3);
    FL_REQUIRE(b, !side || !strcmp(side, "left") || !strcmp(side, "right"), FL_INVALID,
               "side can only be 'left' or 'right' but got %s", side ? side : "");
    FL_REQUIRE(b, !side || !right || !strcmp(side, "right"), FL_INVALID,
               "side and right can't be set to opposites, got side of left while right was True");
    emit_search(b, 0, 1, fl_bool(b, 2), right || (side && !strcmp(side, "right")),
                fl_has(b, 5) ? fl_in(b, 5) : FL_NO_REF);
}

/* bucketize(self, boundaries, *, out_int32, right) */
FL_LOWER(bucketize)
{
    emit_search(b, 1, 0, fl_bool(b, 2), fl_bool(b, 3), FL_NO_REF);
}
