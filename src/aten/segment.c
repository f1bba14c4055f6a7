/* Reductions of segments of one dim, whose lengths or ends are data. Inside: [outer, rows, inner], and [outer, segments, inner]
 * for results. */
#include "aten/formula.h"
#include "aten/shapes.h"
#include "aten/table.h"

#include <math.h>
#include <string.h>

typedef enum reduction { SUM, MEAN, MAX, MIN, PROD, REDUCTIONS } reduction;

typedef struct segments {
    fl_ref data;    /* [outer, rows, inner] */
    fl_ref number;  /* i64, like data: the segment of each row; `count` for rows of none */
    fl_ref lengths; /* i64 [outer, count] */
    int64_t outer, rows, inner, count;
    reduction kind;
} segments;

static reduction reduction_of(fl_builder *b, const char *name)
{
    static const char *const names[REDUCTIONS] = {"sum", "mean", "max", "min", "prod"};
    for (int i = 0; name && i < REDUCTIONS; i++)
        if (!strcmp(name, names[i])) return (reduction)i;
    fl_builder_fail(b, fl_error(FL_INVALID, "unsupported reduction given! %s", name ? name : ""));
    return SUM;
}

/* Lengths sum to all rows, unless the caller vouches for them. */
static void check_lengths(fl_builder *b, const segments *s)
{
    if (!fl_elements(b, s->lengths)) return;
    fl_ref negative = fl_cast(b, fl_compare_c(b, FL_LT, s->lengths, 0), FL_I32);
    fl_check_index(b, negative, 0, 1, FL_WRONG_VALUE "lengths contains negative value!");
    fl_ref sums = fl_reduce_dim(b, FL_OP_add, s->lengths, 1, 0);
    fl_check_index(b, fl_cast(b, fl_compare(b, FL_NE, sums, fl_scalar_i(b, FL_I64, s->rows)), FL_I32), 0, 1,
                   FL_WRONG_VALUE "segment_reduce(): Expected all rows of lengths along axis to sum to "
                                  "data.size(lengths.dim()-1) when !unsafe.");
}

/* Arguments: data, lengths (or None), offsets (or None), axis. */
static int describe(fl_builder *b, int data, int lengths, int offsets, int axis_argument, segments *s)
{
    const int by_length = fl_has(b, lengths);
    int64_t dims[FL_MAX_RANK];
    if (!by_length && !fl_has(b, offsets))
        fl_builder_fail(b,
                        fl_error(FL_INVALID, "segment_reduce(): Either lengths or offsets must be defined."));
    fl_ref given = fl_ok(b) ? fl_in_cast(b, by_length ? lengths : offsets, FL_I64) : FL_NO_REF,
           x = fl_in(b, data);
    const int rank = fl_get_dims(b, x, dims), axis = fl_wrap_dim(b, fl_int(b, axis_argument), rank);
    if (!fl_ok(b)) return 0;
    if (axis != fl_rank(b, given) - 1)
        fl_builder_fail(b,
                        fl_error(FL_INVALID,
                                 "segment_reduce(): Expected axis to be the last dimension of %s but got %d.",
                                 by_length ? "lengths" : "offsets", axis));
    else if (!by_length && !fl_dim(b, given, -1))
        fl_builder_fail(b, fl_error(FL_INVALID, "segment_reduce(): Expected offsets to have an element more "
                                                "than there are segments, but got none."));
    else if (!fl_is_float(fl_dtypeof(b, x)))
        fl_unsupported(b, "segments of this element type");
    if (!fl_ok(b)) return 0;
    s->outer = s->inner = 1, s->rows = dims[axis];
    for (int d = 0; d < axis; d++) s->outer *= dims[d];
    for (int d = axis + 1; d < rank; d++) s->inner *= dims[d];
    const int64_t entries = fl_dim(b, given, -1), table[] = {s->outer, entries},
                  all[] = {s->outer, s->rows, s->inner}, row[] = {s->outer, s->rows};
    s->count = by_length ? entries : entries - 1;
    s->data = fl_reshape(b, x, 3, all);
    given = fl_reshape(b, given, 2, table);
    fl_ref ends = by_length ? fl_cumulative(b, FL_OP_add, given, 1)
                            : fl_slice_dim(b, given, 1, entries - s->count, entries, 1);
    fl_ref begins = by_length ? fl_sub(b, ends, given) : fl_slice_dim(b, given, 1, 0, s->count, 1);
    s->lengths = fl_sub(b, ends, begins);
    fl_ref place = fl_iota(b, fl_type_make(FL_I64, 2, row), 1);
    fl_ref number = s->count ? fl_search_sorted(b, ends, place, 1) : fl_zeros(b, FL_I64, 2, row);
    if (s->count && !by_length) { /* the first segment may begin later */
        fl_ref first = fl_broadcast_to(b, fl_slice_dim(b, begins, 1, 0, 1, 1), 2, row);
        number = fl_select(b, fl_compare(b, FL_LT, place, first), fl_scalar_i(b, FL_I64, s->count), number);
    }
    s->number = fl_broadcast_to(b, fl_unsqueeze(b, number, 2), 3, all);
    return fl_ok(b);
}

static double neutral(reduction kind)
{
    return kind == MAX ? -INFINITY : kind == MIN ? INFINITY : kind == PROD ? 1 : 0;
}

/* What the rows of each segment come to, together with `initial`: [outer, count, inner]. */
static fl_ref combined(fl_builder *b, const segments *s, fl_opcode code, fl_ref rows, fl_ref initial)
{
    const int64_t dims[] = {s->outer, s->count + 1, s->inner};
    fl_ref result = fl_fill(b, initial, 3, dims);
    if (fl_elements(b, rows)) result = fl_scatter_along(b, code, result, 1, s->number, rows);
    return fl_slice_dim(b, result, 1, 0, s->count, 1);
}

static fl_ref lengths_as(fl_builder *b, const segments *s, fl_dtype dtype)
{
    const int64_t dims[] = {s->outer, s->count, s->inner};
    return fl_broadcast_to(b, fl_cast(b, fl_unsqueeze(b, s->lengths, 2), dtype), 3, dims);
}

/* data, reduce, lengths, indices, offsets, axis, unsafe, initial */
FL_LOWER(segment_reduce)
{
    static const fl_opcode codes[REDUCTIONS] = {FL_OP_add, FL_OP_add, FL_OP_maximum, FL_OP_minimum,
                                                FL_OP_multiply};
    segments s = {.kind = reduction_of(b, fl_string(b, 1))};
    FL_REQUIRE(b, !fl_has(b, 3), FL_INVALID,
               "segment_reduce(): indices based reduction is not supported yet.");
    if (!describe(b, 0, 2, 4, 5, &s)) return;
    if (fl_has(b, 2) && !fl_bool(b, 6)) check_lengths(b, &s);
    int64_t dims[FL_MAX_RANK];
    const fl_dtype dtype = fl_dtypeof(b, s.data), math = fl_op_math(dtype);
    const int given = fl_has(b, 7), rank = fl_get_dims(b, fl_in(b, 0), dims);
    dims[fl_wrap_dim(b, fl_int(b, 5), rank)] = s.count;
    fl_ref initial = given ? fl_scalar(b, 7, math) : fl_scalar_f(b, math, neutral(s.kind));
    fl_ref result = combined(b, &s, codes[s.kind], fl_cast(b, s.data, math), initial);
    if (s.kind == MEAN) {
        fl_ref lengths = lengths_as(b, &s, math), empty = fl_compare_c(b, FL_EQ, lengths, 0);
        fl_ref alone = given ? result : fl_const(b, result, NAN);
        result = fl_select(b, empty, alone, fl_div(b, result, lengths));
    }
    fl_emit(b, fl_cast(b, fl_reshape(b, result, rank, dims), dtype));
}

/* Of each row the value of its segment; rows of none get the last segment's, which is masked afterwards. */
static fl_ref of_segment(fl_builder *b, const segments *s, fl_ref x)
{
    return fl_gather_along(b, x, 1, fl_min(b, s->number, fl_scalar_i(b, FL_I64, s->count - 1)));
}

/* The product of the other rows of a segment, where it is not the whole product by the row. */
static fl_ref products_of_others(fl_builder *b, const segments *s, fl_ref x, fl_ref is_nan, fl_ref is_zero,
                                 fl_ref initial)
{
    const fl_dtype dtype = fl_dtypeof(b, x);
    fl_ref one = fl_const(b, x, 1), zero = fl_const(b, x, 0);
    fl_ref plain = fl_select(b, fl_or(b, is_nan, is_zero), one, x);
    fl_ref product = of_segment(b, s, combined(b, s, FL_OP_multiply, plain, initial));
    fl_ref nans = fl_cast(b, is_nan, dtype), zeros = fl_cast(b, is_zero, dtype);
    nans = fl_sub(b, of_segment(b, s, combined(b, s, FL_OP_add, nans, zero)), nans);
    zeros = fl_sub(b, of_segment(b, s, combined(b, s, FL_OP_add, zeros, zero)), zeros);
    product = fl_select(b, fl_compare_c(b, FL_GT, zeros, 0), zero, product);
    return fl_select(b, fl_compare_c(b, FL_GT, nans, 0), fl_const(b, x, NAN), product);
}

/* grad, output, data, reduce, lengths, offsets, axis, initial */
FL_LOWER(segment_reduce_backward)
{
    segments s = {.kind = reduction_of(b, fl_string(b, 3))};
    if (!describe(b, 2, 4, 5, 6, &s)) return;
    fl_ref data = fl_in(b, 2);
    const fl_dtype dtype = fl_dtypeof(b, data), math = fl_op_math(dtype);
    const int64_t dims[] = {s.outer, s.count, s.inner};
    if (!fl_elements(b, data) || !s.count) {
        fl_emit(b, fl_full_like(b, data, 0));
        return;
    }
    fl_ref grad = of_segment(b, &s, fl_reshape(b, fl_in_cast(b, 0, math), 3, dims)),
           x = fl_cast(b, s.data, math);
    fl_ref output = of_segment(b, &s, fl_reshape(b, fl_in_cast(b, 1, math), 3, dims));
    fl_ref zero = fl_const(b, x, 0), is_nan = fl_is_nan(b, x), result = grad;
    if (s.kind == MEAN) result = fl_div(b, grad, of_segment(b, &s, lengths_as(b, &s, math)));
    if (s.kind == MAX || s.kind == MIN) {
        fl_ref chosen = fl_or(b, is_nan, fl_compare(b, FL_EQ, x, output));
        fl_ref count = of_segment(b, &s, combined(b, &s, FL_OP_add, fl_cast(b, chosen, math), zero));
        result = fl_select(b, chosen, fl_div(b, grad, count), zero);
    }
    if (s.kind == PROD) {
        fl_ref initial = fl_has(b, 7) ? fl_scalar(b, 7, math) : fl_const(b, x, 1);
        fl_ref is_zero = fl_compare(b, FL_EQ, x, zero);
        fl_ref others = products_of_others(b, &s, x, is_nan, is_zero, initial);
        result = fl_select(b, fl_or(b, is_nan, is_zero), fl_mul(b, grad, others),
                           fl_div(b, fl_mul(b, grad, output), x));
    }
    result = fl_select(b, fl_compare_c(b, FL_LT, s.number, (double)s.count), result, zero);
    fl_emit(b, fl_cast(b, fl_reshape_like(b, result, data), dtype));
}
