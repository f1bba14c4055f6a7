/* scatter, scatter_reduce and the index_* operators. */
#include "aten/shapes.h"
#include "aten/table.h"
#include <string.h>

typedef enum reduction { SET, SUM, PROD, MEAN, AMAX, AMIN, WRONG } reduction;

static reduction named_reduction(fl_builder *b, int arg)
{
    static const struct {
        const char *name;
        reduction kind;
    } names[] = {
        {"sum", SUM},   {"add", SUM},   {"prod", PROD}, {"multiply", PROD},
        {"mean", MEAN}, {"amax", AMAX}, {"amin", AMIN},
    };
    const char *name = fl_string(b, arg);
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i].name)) return names[i].kind;
    fl_builder_fail(b, fl_error(FL_INVALID,
                                "reduce argument must be either sum, prod, mean, amax or amin, got %s",
                                name ? name : "None"));
    return WRONG;
}

static fl_opcode combiner(reduction kind)
{
    switch (kind) {
    case SUM:
    case MEAN: return FL_OP_add;
    case PROD: return FL_OP_multiply;
    case AMAX: return FL_OP_maximum;
    case AMIN: return FL_OP_minimum;
    default: return FL_OP_NONE;
    }
}

static fl_ref identity_of(fl_builder *b, reduction kind, fl_dtype dtype)
{
    switch (kind) {
    case PROD: return fl_scalar_i(b, dtype, 1);
    case AMAX: return fl_min_value(b, dtype);
    case AMIN: return fl_max_value(b, dtype);
    default: return fl_scalar_i(b, dtype, 0);
    }
}

/* How elements reach their places: element by element along dim, or whole rows of a 1-d index. */
typedef struct target {
    fl_ref index;
    int dim, rows;
} target;

static fl_ref scatter_to(fl_builder *b, fl_opcode combine, fl_ref x, const target *to, fl_ref updates)
{
    return to->rows ? fl_scatter_rows(b, combine, x, to->dim, to->index, updates)
                    : fl_scatter_along(b, combine, x, to->dim, to->index, updates);
}

static fl_ref mean_of(fl_builder *b, fl_ref sums, fl_ref counts)
{
    fl_dtype dtype = fl_dtypeof(b, sums);
    fl_ref one = fl_scalar_i(b, dtype, 1), zero = fl_scalar_i(b, dtype, 0);
    counts = fl_max(b, counts, one);
    fl_ref quotient = fl_div(b, sums, counts);
    if (!fl_is_int(dtype)) return quotient;
    /* rounds down */
    fl_ref inexact = fl_compare(b, FL_NE, fl_mul(b, quotient, counts), sums);
    fl_ref down = fl_and(b, inexact, fl_compare(b, FL_LT, sums, zero));
    return fl_select(b, down, fl_sub(b, quotient, one), quotient);
}

/* x reduced with the updates that reach each place. Without include_self x counts only where nothing arrives.
 */
static fl_ref scatter_reduced(fl_builder *b, reduction kind, fl_ref x, const target *to, fl_ref updates,
                              int include_self)
{
    fl_dtype dtype = fl_dtypeof(b, x),
             math = kind == SUM || kind == MEAN || kind == PROD ? fl_op_math(dtype) : dtype;
    fl_ref wide = fl_cast(b, x, math), start = wide;
    updates = fl_cast(b, updates, math);
    if (!include_self) {
        fl_ref yes = fl_cast(b, fl_full_like_i(b, updates, 1), FL_I1),
               no = fl_cast(b, fl_full_like_i(b, wide, 0), FL_I1);
        fl_ref reached = scatter_to(b, FL_OP_or, no, to, yes);
        start = fl_select(b, reached, identity_of(b, kind, math), wide);
    }
    fl_ref out = scatter_to(b, combiner(kind), start, to, updates);
    if (kind == MEAN) {
        fl_ref own = fl_full_like_i(b, wide, include_self ? 1 : 0);
        out = mean_of(b, out, scatter_to(b, FL_OP_add, own, to, fl_full_like_i(b, updates, 1)));
    }
    return fl_cast(b, out, dtype);
}

/* self, dim and index of the scatter operators; *src is cut to the index's size (FL_NO_REF: none) */
static int scatter_args(fl_builder *b, const char *what, fl_ref *x, target *to, fl_ref *src)
{
    fl_ref self = fl_in(b, 0), index = fl_in(b, 2);
    if (!fl_ok(b)) return 0;
    *x = fl_at_least_1d(b, self);
    index = fl_at_least_1d(b, index);
    int rank = fl_rank(b, *x);
    *to = (target){.dim = fl_wrap_dim(b, fl_int(b, 1), rank)};
    if (!fl_ok(b)) return 0;
    if (!fl_elements(b, index)) { /* nothing to do, whatever the shapes */
        fl_emit(b, self);
        return 0;
    }
    if (*src) *src = fl_at_least_1d(b, *src);
    if (rank != fl_rank(b, index) || (*src && rank != fl_rank(b, *src))) {
        fl_builder_fail(
            b, fl_error(FL_INVALID,
                        "%s(): Index tensor must have the same number of dimensions as self tensor", what));
        return 0;
    }
    if (*src) {
        int64_t start[FL_MAX_RANK] = {0}, limit[FL_MAX_RANK];
        fl_get_dims(b, index, limit);
        *src = fl_slice(b, *src, start, limit, NULL);
        if (fl_ok(b) && fl_dtypeof(b, *src) != fl_dtypeof(b, *x))
            fl_builder_fail(b,
                            fl_error(FL_INVALID, "%s(): Expected self.dtype to be equal to src.dtype", what));
    }
    to->index = fl_check_along(b, index, to->dim, fl_dim(b, *x, to->dim), what);
    return fl_ok(b);
}

static void emit_scattered(fl_builder *b, fl_ref out)
{
    fl_emit(b, fl_reshape_like(b, out, fl_in(b, 0)));
}

static void scatter(fl_builder *b, fl_ref src, reduction kind)
{
    fl_ref x;
    target to;
    if (!scatter_args(b, "scatter", &x, &to, &src)) return;
    if (!src) {
        fl_type type = *fl_typeof(b, to.index);
        src = fl_fill(b, fl_scalar_fitting(b, 3, fl_dtypeof(b, x)), type.rank, type.dims);
    }
    emit_scattered(b, kind == SET ? scatter_to(b, FL_OP_NONE, x, &to, src)
                                  : scatter_reduced(b, kind, x, &to, src, 1));
}

/* The forms without `reduce` have the out argument at its place. */
static reduction scatter_kind(fl_builder *b)
{
    return fl_arg_count(b) > 5 ? named_reduction(b, 4) : SET;
}

FL_LOWER(scatter_src)
{
    scatter(b, fl_in(b, 3), scatter_kind(b));
}

FL_LOWER(scatter_value)
{
    scatter(b, FL_NO_REF, scatter_kind(b));
}

FL_LOWER(scatter_add)
{
    fl_ref x, src = fl_in(b, 3);
    target to;
    if (!scatter_args(b, "scatter_add", &x, &to, &src)) return;
    emit_scattered(b, scatter_reduced(b, SUM, x, &to, src, 1));
}

/* scatter_reduce(self, dim, index, src, reduce, include_self) */
FL_LOWER(scatter_reduce)
{
    reduction kind = named_reduction(b, 4);
    fl_ref x, src = fl_in(b, 3);
    target to;
    if (!scatter_args(b, "scatter_reduce", &x, &to, &src)) return;
    emit_scattered(b, scatter_reduced(b, kind, x, &to, src, fl_bool(b, 5)));
}

/* self, dim, 1-d index and source of index_add, index_copy, index_reduce. What `fills` whole rows refuses indices where there are
 * none as a wrong argument, what combines with elements as a wrong index. */
static int rows_args(fl_builder *b, const char *what, int fills, fl_ref *x, target *to, fl_ref *source)
{
    *x = fl_at_least_1d(b, fl_in(b, 0));
    fl_ref index = fl_at_least_1d(b, fl_in(b, 2));
    if (source) *source = fl_at_least_1d(b, fl_in(b, 3));
    *to = (target){.dim = fl_wrap_dim(b, fl_int(b, 1), fl_rank(b, *x)), .rows = 1};
    if (!fl_ok(b)) return 0;
    if (fl_rank(b, index) != 1) {
        fl_builder_fail(b, fl_error(FL_INDEX, "%s(): Index is supposed to be a vector", what));
        return 0;
    }
    if (source && fl_dtypeof(b, *source) != fl_dtypeof(b, *x)) {
        fl_builder_fail(b,
                        fl_error(FL_INVALID, "%s(): self and source expected to have the same dtype", what));
        return 0;
    }
    int64_t size = fl_dim(b, *x, to->dim);
    if (!size && fills && fl_elements(b, index)) {
        fl_builder_fail(b,
                        fl_error(FL_INVALID, "%s(): expected no indices of a dimension of size 0, got %lld",
                                 what, (long long)fl_elements(b, index)));
        return 0;
    }
    /* index_fill_, which has no source, counts negative indices from the end; the others refuse them */
    to->index = source ? fl_check_index(b, index, 0, size, what) : fl_wrap_index(b, index, size, what);
    return fl_ok(b);
}

/* index_add(self, dim, index, source, *, alpha) */
FL_LOWER(index_add)
{
    fl_ref x, source;
    target to;
    if (!rows_args(b, "index_add", 0, &x, &to, &source)) return;
    fl_dtype dtype = fl_dtypeof(b, x);
    if (!fl_scalar_is(b, 4, 1)) source = fl_mul(b, source, fl_scalar(b, 4, dtype));
    emit_scattered(b, scatter_reduced(b, SUM, x, &to, source, 1));
}

FL_LOWER(index_copy)
{
    fl_ref x, source;
    target to;
    if (!rows_args(b, "index_copy", 1, &x, &to, &source)) return;
    emit_scattered(b, scatter_to(b, FL_OP_NONE, x, &to, source));
}

/* index_reduce(self, dim, index, source, reduce, *, include_self) */
FL_LOWER(index_reduce)
{
    reduction kind = named_reduction(b, 4);
    fl_ref x, source;
    target to;
    if (!rows_args(b, "index_reduce", !fl_bool(b, 5), &x, &to, &source)) return;
    emit_scattered(b, scatter_reduced(b, kind, x, &to, source, fl_bool(b, 5)));
}

/* index_fill_(self, dim, index, value): a Scalar or a 0-d tensor */
FL_LOWER(index_fill)
{
    fl_ref x;
    target to;
    if (!rows_args(b, "index_fill_", 1, &x, &to, NULL)) return;
    fl_dtype dtype = fl_dtypeof(b, x);
    fl_ref value = fl_tensor_arg(b, 3) ? fl_in_cast(b, 3, dtype) : fl_scalar(b, 3, dtype);
    FL_REQUIRE(b, fl_rank(b, value) == 0, FL_INVALID,
               "index_fill_ only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).",
               fl_rank(b, value));
    int64_t dims[FL_MAX_RANK];
    int rank = fl_get_dims(b, x, dims);
    dims[to.dim] = fl_dim(b, to.index, 0);
    emit_scattered(b, scatter_to(b, FL_OP_NONE, x, &to, fl_fill(b, value, rank, dims)));
}
