/* Reading and writing by index tensors. */
#include "aten/shapes.h"
#include "aten/sizes.h"
#include "aten/table.h"

/* x[i, :, j] and its like: integer index tensors for some dimensions, None for the others. */
typedef struct advanced_index {
    int rank, indexed;           /* of x; number of indexed dimensions */
    int64_t dims[FL_MAX_RANK];   /* the indexed dimensions, increasing */
    fl_ref index[FL_MAX_RANK];   /* for each, broadcast to one shape, wrapped and checked */
    int64_t shape[FL_MAX_RANK];  /* that shape */
    int shape_rank, place;       /* where it stands in the result */
    int64_t window[FL_MAX_RANK]; /* the places of the other dimensions in the result */
    int64_t result[FL_MAX_RANK]; /* dims of the result */
    int result_rank;
} advanced_index;

/* The index dimensions stand where the indexed ones stood when those are neighbours, else in front. */
static int lay_out(fl_builder *b, fl_ref x, advanced_index *a)
{
    int64_t dims[FL_MAX_RANK];
    fl_get_dims(b, x, dims);
    int neighbours = a->dims[a->indexed - 1] - a->dims[0] == a->indexed - 1;
    a->place = neighbours ? (int)a->dims[0] : 0;
    a->result_rank = a->rank - a->indexed + a->shape_rank;
    if (a->result_rank > FL_MAX_RANK) {
        fl_builder_fail(b, fl_error(FL_UNSUPPORTED, "expected at most %d dimensions, got %d", FL_MAX_RANK,
                                    a->result_rank));
        return 0;
    }
    int n = 0, next = 0, at = 0;
    for (int d = 0; d < a->rank; d++) {
        if (next < a->indexed && a->dims[next] == d) {
            next++;
            continue;
        }
        int position = at++;
        if (position >= a->place) position += a->shape_rank;
        a->window[n++] = position;
        a->result[position] = dims[d];
    }
    for (int i = 0; i < a->shape_rank; i++) a->result[a->place + i] = a->shape[i];
    return 1;
}

static int read_index(fl_builder *b, fl_ref x, int arg, const char *what, advanced_index *a)
{
    *a = (advanced_index){.rank = fl_rank(b, x)};
    uint32_t count = fl_list_count(b, arg);
    if (!fl_ok(b)) return 0;
    if (count > (uint32_t)a->rank) {
        fl_builder_fail(
            b, fl_error(FL_INDEX, "too many indices for tensor of dimension %d (got %u)", a->rank, count));
        return 0;
    }
    for (uint32_t k = 0; k < count; k++) {
        fl_ref index = fl_list_in(b, arg, k);
        if (!index) continue;
        fl_dtype dtype = fl_dtypeof(b, index);
        if (!fl_is_int(dtype)) {
            fl_builder_fail(
                b, fl_error(FL_INDEX, "tensors used as indices must be long, int, byte or bool tensors"));
            return 0;
        }
        a->dims[a->indexed] = k;
        a->index[a->indexed++] = fl_cast(b, index, FL_I64);
    }
    if (!a->indexed) return fl_ok(b);
    for (int i = 0; i < a->indexed; i++)
        a->index[i] = fl_wrap_index(b, a->index[i], fl_dim(b, x, (int)a->dims[i]), what);
    fl_broadcast_all(b, a->index, (uint32_t)a->indexed);
    a->shape_rank = fl_get_dims(b, a->index[0], a->shape);
    return fl_ok(b) && lay_out(b, x, a);
}

/* [shape..., indexed]: one index vector for each place of the shape */
static fl_ref index_vectors(fl_builder *b, const advanced_index *a)
{
    fl_ref parts[FL_MAX_RANK];
    for (int i = 0; i < a->indexed; i++) parts[i] = fl_unsqueeze(b, a->index[i], a->shape_rank);
    return a->indexed == 1 ? parts[0] : fl_concat(b, parts, (uint32_t)a->indexed, a->shape_rank);
}

static fl_ref read_at(fl_builder *b, fl_ref x, const advanced_index *a)
{
    if (a->indexed == 1) return fl_index_select(b, x, (int)a->dims[0], a->index[0]);
    int64_t sizes[FL_MAX_RANK];
    fl_get_dims(b, x, sizes);
    for (int i = 0; i < a->indexed; i++) sizes[a->dims[i]] = 1;
    fl_gather_dims dims = {.offset_dims = a->window,
                           .collapsed_slice_dims = a->dims,
                           .start_index_map = a->dims,
                           .slice_sizes = sizes,
                           .offset_count = (uint32_t)(a->rank - a->indexed),
                           .collapsed_count = (uint32_t)a->indexed,
                           .map_count = (uint32_t)a->indexed,
                           .index_vector_dim = a->shape_rank};
    return fl_gather(b, x, index_vectors(b, a), &dims);
}

FL_LOWER(index)
{
    fl_ref x = fl_in(b, 0);
    advanced_index a;
    if (!read_index(b, x, 1, "index", &a)) return;
    fl_emit(b, a.indexed ? read_at(b, x, &a) : x);
}

/* _index_put_impl_(self, indices, values, accumulate, unsafe) */
FL_LOWER(index_put)
{
    fl_ref x = fl_in(b, 0), values = fl_in(b, 2);
    int accumulate = fl_bool(b, 3);
    advanced_index a;
    if (!read_index(b, x, 1, "index_put_", &a)) return;
    fl_dtype dtype = fl_dtypeof(b, x);
    FL_REQUIRE(b, fl_dtypeof(b, values) == dtype, FL_INVALID,
               "Index put requires the source and destination dtypes match, got %s for the destination and "
               "%s for the source.",
               fl_torch_type_name(dtype), fl_torch_type_name(fl_dtypeof(b, values)));
    if (!a.indexed) {
        values = fl_broadcast_like(b, values, x);
        fl_emit(b, accumulate ? fl_add(b, x, values) : values);
        return;
    }
    /* leading dimensions of size 1 beyond the result's rank are dropped, as PyTorch does */
    while (fl_ok(b) && fl_rank(b, values) > a.result_rank && fl_dim(b, values, 0) == 1)
        values = fl_squeeze(b, values, 0);
    values = fl_broadcast_to(b, values, a.result_rank, a.result);
    fl_scatter_dims dims = {.update_window_dims = a.window,
                            .inserted_window_dims = a.dims,
                            .scatter_dims_to_operand_dims = a.dims,
                            .update_window_count = (uint32_t)(a.rank - a.indexed),
                            .inserted_count = (uint32_t)a.indexed,
                            .map_count = (uint32_t)a.indexed,
                            .index_vector_dim = a.shape_rank};
    fl_ref at = index_vectors(b, &a);
    if (!accumulate) {
        fl_emit(b, fl_scatter(b, FL_OP_NONE, x, at, values, &dims));
        return;
    }
    fl_dtype math = fl_op_math(dtype); /* many small sums: narrow floats would lose them */
    fl_emit(b, fl_cast(b, fl_scatter(b, FL_OP_add, fl_cast(b, x, math), at, fl_cast(b, values, math), &dims),
                       dtype));
}

FL_LOWER(gather)
{
    fl_ref self = fl_in(b, 0), given = fl_in(b, 2);
    if (!fl_ok(b)) return;
    fl_ref x = fl_at_least_1d(b, self), index = fl_at_least_1d(b, given);
    int dim = fl_wrap_dim(b, fl_int(b, 1), fl_rank(b, x));
    if (!fl_ok(b)) return;
    if (!fl_elements(b, index)) {
        fl_type type = *fl_typeof(b, given);
        type.dtype = (uint8_t)fl_dtypeof(b, self);
        fl_emit(b, fl_full(b, type, 0));
        return;
    }
    FL_REQUIRE(b, fl_rank(b, x) == fl_rank(b, index), FL_INVALID,
               "Index tensor must have the same number of dimensions as input tensor");
    index = fl_check_along(b, index, dim, fl_dim(b, x, dim), "gather");
    fl_emit(b, fl_reshape_like(b, fl_gather_along(b, x, dim, index), given));
}

FL_LOWER(take)
{
    fl_ref x = fl_flatten(b, fl_in(b, 0)), index = fl_in(b, 1);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_dtypeof(b, index) == FL_I64, FL_INVALID,
               "take(): Expected a long tensor for index, but got %s",
               fl_torch_type_name(fl_dtypeof(b, index)));
    FL_REQUIRE(b, fl_elements(b, x) || !fl_elements(b, index), FL_INDEX,
               "take(): tried to take from an empty tensor");
    fl_ref flat = fl_wrap_index(b, fl_flatten(b, index), fl_elements(b, x), "take");
    fl_emit(b, fl_reshape_like(b, fl_index_select(b, x, 0, flat), index));
}

/* put_(self, index, source, accumulate) */
FL_LOWER(put)
{
    fl_ref self = fl_in(b, 0), index = fl_in(b, 1), source = fl_in(b, 2);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_dtypeof(b, index) == FL_I64, FL_INVALID, "put_(): Expected a long tensor for index");
    FL_REQUIRE(b, fl_dtypeof(b, source) == fl_dtypeof(b, self), FL_INVALID,
               "put_(): self and source expected to have the same dtype");
    FL_REQUIRE(b, fl_elements(b, index) == fl_elements(b, source), FL_INVALID,
               "put_(): Expected source and index to have the same number of elements");
    FL_REQUIRE(b, fl_elements(b, self) || !fl_elements(b, index), FL_INDEX,
               "put_(): tried to put elements into an empty tensor");
    fl_ref x = fl_flatten(b, self);
    fl_ref flat = fl_wrap_index(b, fl_flatten(b, index), fl_elements(b, x), "put_");
    int accumulate = fl_bool(b, 3);
    fl_dtype dtype = fl_dtypeof(b, x), math = accumulate ? fl_op_math(dtype) : dtype;
    fl_ref updates = fl_cast(b, fl_flatten(b, source), math);
    fl_ref out =
        fl_scatter_rows(b, accumulate ? FL_OP_add : FL_OP_NONE, fl_cast(b, x, math), 0, flat, updates);
    fl_emit(b, fl_cast(b, fl_reshape_like(b, out, self), dtype));
}

/* The n-th true place of mask takes the n-th element of source. */
FL_LOWER(masked_scatter)
{
    fl_ref self = fl_in(b, 0), mask = fl_broadcast_like(b, fl_in(b, 1), self),
           source = fl_flatten(b, fl_in(b, 2));
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_dtypeof(b, mask) == FL_I1, FL_INVALID,
               "masked_scatter_ only supports boolean masks, but got mask with dtype %s",
               fl_torch_type_name(fl_dtypeof(b, mask)));
    FL_REQUIRE(b, fl_dtypeof(b, source) == fl_dtypeof(b, self), FL_INVALID,
               "masked_scatter_: expected self and source to have same dtypes");
    if (!fl_elements(b, self) || !fl_elements(b, source)) {
        fl_emit(b, self);
        return;
    }
    fl_ref flat = fl_flatten(b, mask), zero = fl_scalar_i(b, FL_I64, 0);
    fl_ref order =
        fl_sub(b, fl_cumulative(b, FL_OP_add, fl_cast(b, flat, FL_I64), 0), fl_scalar_i(b, FL_I64, 1));
    order = fl_check_index(b, fl_select(b, flat, order, zero), 0, fl_elements(b, source), "masked_scatter_");
    fl_ref taken = fl_reshape_like(b, fl_index_select(b, source, 0, order), self);
    fl_emit(b, fl_select(b, mask, taken, self));
}
