#include "aten/shapes.h"
#include <string.h>
#include <stdio.h>

int fl_get_dims(fl_builder *b, fl_ref x, int64_t *dims)
{
    const fl_type *type = fl_typeof(b, x);
    memcpy(dims, type->dims, sizeof type->dims);
    return type->rank;
}

fl_ref fl_at_least_1d(fl_builder *b, fl_ref x)
{
    int64_t one = 1;
    return fl_rank(b, x) ? x : fl_reshape(b, x, 1, &one);
}

fl_ref fl_reshape_like(fl_builder *b, fl_ref x, fl_ref like)
{
    int64_t dims[FL_MAX_RANK];
    int rank = fl_get_dims(b, like, dims);
    return fl_reshape(b, x, rank, dims);
}

fl_ref fl_split_dim(fl_builder *b, fl_ref x, int dim, int count, const int64_t *sizes)
{
    int64_t dims[FL_MAX_RANK], out[2 * FL_MAX_RANK];
    int rank = fl_get_dims(b, x, dims), n = 0;
    if (!fl_ok(b)) return FL_NO_REF;
    if (rank + count - 1 > FL_MAX_RANK) {
        fl_builder_fail(b, fl_error(FL_UNSUPPORTED, "expected at most %d dimensions, got %d", FL_MAX_RANK,
                                    rank + count - 1));
        return FL_NO_REF;
    }
    for (int i = 0; i < dim; i++) out[n++] = dims[i];
    for (int i = 0; i < count; i++) out[n++] = sizes[i];
    for (int i = dim + 1; i < rank; i++) out[n++] = dims[i];
    return fl_reshape(b, x, n, out);
}

fl_ref fl_merge_dims(fl_builder *b, fl_ref x, int dim, int count)
{
    int64_t dims[FL_MAX_RANK], out[FL_MAX_RANK];
    int rank = fl_get_dims(b, x, dims), n = 0;
    if (!fl_ok(b)) return FL_NO_REF;
    for (int i = 0; i < dim; i++) out[n++] = dims[i];
    int64_t product = 1;
    for (int i = 0; i < count; i++) product *= dims[dim + i];
    out[n++] = product;
    for (int i = dim + count; i < rank; i++) out[n++] = dims[i];
    return fl_reshape(b, x, n, out);
}

fl_ref fl_move_dim(fl_builder *b, fl_ref x, int from, int to)
{
    int64_t permutation[FL_MAX_RANK];
    int rank = fl_rank(b, x), n = 0;
    if (from == to || !fl_ok(b)) return x;
    for (int i = 0; i < rank; i++) {
        if (i == from) continue;
        if (n == to) permutation[n++] = from;
        permutation[n++] = i;
    }
    if (n < rank) permutation[n] = from;
    return fl_transpose(b, x, permutation);
}

fl_ref fl_pad_dim(fl_builder *b, fl_ref x, int dim, fl_ref value, int64_t low, int64_t high, int64_t interior)
{
    int64_t lows[FL_MAX_RANK] = {0}, highs[FL_MAX_RANK] = {0}, interiors[FL_MAX_RANK] = {0};
    if (!low && !high && !interior) return x;
    lows[dim] = low;
    highs[dim] = high;
    interiors[dim] = interior;
    return fl_pad(b, x, value, lows, highs, interiors);
}

fl_ref fl_fill(fl_builder *b, fl_ref scalar, int rank, const int64_t *dims)
{
    return fl_broadcast_in_dim(b, scalar, rank, dims, NULL);
}

fl_ref fl_zeros(fl_builder *b, fl_dtype dtype, int rank, const int64_t *dims)
{
    return fl_full(b, fl_type_make(dtype, rank, dims), 0);
}

void *fl_scratch(fl_builder *b, int64_t count, size_t size)
{
    if (!fl_ok(b)) return NULL;
    void *room = fl_arena_zalloc(&b->program->arena, (size_t)fl_max_i(count, 1), size);
    if (!room)
        fl_builder_fail(b, fl_error(FL_OOM, "out of memory for a table of %lld elements", (long long)count));
    return room;
}

fl_ref fl_const_ints(fl_builder *b, const int64_t *values, int64_t count)
{
    return fl_constant(b, fl_type_make(FL_I64, 1, &count), values);
}

fl_ref fl_const_floats(fl_builder *b, fl_dtype dtype, const double *values, int64_t count)
{
    if (dtype == FL_F64) return fl_constant(b, fl_type_make(FL_F64, 1, &count), values);
    float *narrow = fl_scratch(b, count, sizeof(float));
    if (!narrow) return FL_NO_REF;
    for (int64_t i = 0; i < count; i++) narrow[i] = (float)values[i];
    return fl_cast(b, fl_constant(b, fl_type_make(FL_F32, 1, &count), narrow), dtype);
}

fl_ref fl_iota_like(fl_builder *b, fl_dtype dtype, fl_ref x, int dim)
{
    fl_type type = *fl_typeof(b, x);
    type.dtype = (uint8_t)dtype;
    return fl_iota(b, type, dim);
}

fl_ref fl_scatter_rows(fl_builder *b, fl_opcode combine, fl_ref operand, int dim, fl_ref index,
                       fl_ref updates)
{
    int64_t window[FL_MAX_RANK], inserted = dim, map = dim;
    int rank = fl_rank(b, operand), n = 0;
    for (int i = 0; i < rank; i++)
        if (i != dim) window[n++] = i;
    fl_scatter_dims dims = {.update_window_dims = window,
                            .inserted_window_dims = &inserted,
                            .scatter_dims_to_operand_dims = &map,
                            .update_window_count = (uint32_t)n,
                            .inserted_count = 1,
                            .map_count = 1,
                            .index_vector_dim = 1};
    return fl_scatter(b, combine, operand, index, updates, &dims);
}

fl_ref fl_check_along(fl_builder *b, fl_ref index, int dim, int64_t size, const char *what)
{
    char text[160];
    snprintf(text, sizeof text, "%s%s: index # is out of bounds for dimension %d with size %lld",
             FL_WRONG_VALUE, what, dim, (long long)size);
    return fl_check_index(b, index, 0, size, text);
}

fl_ref fl_wrap_index(fl_builder *b, fl_ref index, int64_t size, const char *what)
{
    if (fl_ok(b) && !size && fl_elements(b, index))
        fl_builder_fail(b, fl_error(FL_INDEX, "index is out of bounds for dimension with size 0"));
    index = fl_check_index(b, index, -size, size, what);
    fl_dtype dtype = fl_dtypeof(b, index);
    fl_ref negative = fl_compare(b, FL_LT, index, fl_scalar_i(b, dtype, 0));
    return fl_select(b, negative, fl_add(b, index, fl_scalar_i(b, dtype, size)), index);
}

/* whether an element stands before the value (`right`: or is equal) */
static fl_ref stands_before(fl_builder *b, fl_ref element, fl_ref value, int right)
{
    /* negated, so that a NaN stands after everything */
    return fl_not(b, fl_compare(b, right ? FL_GT : FL_GE, element, value));
}

/* few elements: compare with all of them */
static fl_ref count_before(fl_builder *b, fl_ref sequence, fl_ref values, int right)
{
    int64_t dims[FL_MAX_RANK], where[FL_MAX_RANK];
    int rank = fl_get_dims(b, values, dims), sequence_rank = fl_rank(b, sequence);
    dims[rank] = fl_dim(b, sequence, -1);
    if (rank + 1 > FL_MAX_RANK || !fl_ok(b)) return FL_NO_REF;
    for (int i = 0; i < sequence_rank - 1; i++) where[i] = i;
    where[sequence_rank - 1] = rank;
    fl_ref elements = fl_broadcast_in_dim(b, sequence, rank + 1, dims, where);
    for (int i = 0; i < rank; i++) where[i] = i;
    fl_ref wanted = fl_broadcast_in_dim(b, values, rank + 1, dims, where);
    fl_ref before = stands_before(b, elements, wanted, right);
    return fl_reduce_dim(b, FL_OP_add, fl_cast(b, before, FL_I64), rank, 0);
}

fl_ref fl_search_sorted(fl_builder *b, fl_ref sequence, fl_ref values, int right)
{
    int64_t n = fl_dim(b, sequence, -1), size = fl_elements(b, values);
    int flat = fl_rank(b, sequence) == 1;
    if (n <= 64 && fl_rank(b, values) < FL_MAX_RANK) return count_before(b, sequence, values, right);
    fl_ref wanted = flat ? fl_reshape(b, values, 1, &size) : values;
    fl_type type = *fl_typeof(b, wanted);
    type.dtype = FL_I64;
    fl_ref low = fl_full(b, type, 0), high = fl_full(b, type, (double)n), one = fl_scalar_i(b, FL_I64, 1),
           last = fl_scalar_i(b, FL_I64, n - 1);
    for (int64_t left = n; left > 0; left >>= 1) { /* binary search: as many halvings as n has bits */
        fl_ref middle = fl_shrl(b, fl_add(b, low, high), one);
        fl_ref at = fl_min(b, middle, last);
        fl_ref element = fl_gather_along(b, sequence, fl_rank(b, sequence) - 1, at);
        fl_ref open = fl_compare(b, FL_LT, low, high);
        fl_ref go_right = fl_and(b, open, stands_before(b, element, wanted, right));
        fl_ref go_left = fl_and(b, open, fl_not(b, go_right));
        low = fl_select(b, go_right, fl_add(b, middle, one), low);
        high = fl_select(b, go_left, middle, high);
    }
    return flat ? fl_reshape_like(b, low, values) : low;
}

fl_ref fl_arg_max(fl_builder *b, fl_ref x, int dim)
{
    fl_ref largest = fl_broadcast_like(b, fl_reduce_dim(b, FL_OP_maximum, x, dim, 1), x);
    fl_ref here = fl_compare(b, FL_EQ, x, largest);
    if (fl_is_float(fl_dtypeof(b, x)))
        here = fl_or(b, here, fl_is_nan(b, x)); /* maximum passes NaN on: then nothing is equal */
    fl_ref position =
        fl_select(b, here, fl_iota_like(b, FL_I64, x, dim), fl_scalar_i(b, FL_I64, fl_dim(b, x, dim)));
    return fl_reduce_dim(b, FL_OP_minimum, position, dim, 0);
}
