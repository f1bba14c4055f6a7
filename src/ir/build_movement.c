#include "ir/build_internal.h"

#include <stdio.h>
#include <string.h>

static fl_ref fail(fl_builder *b, fl_status status)
{
    fl_builder_fail(b, status);
    return FL_NO_REF;
}

static int has_dims(const fl_builder *b, fl_ref x, int rank, const int64_t *dims)
{
    const fl_type *t = fl_typeof(b, x);
    return t->rank == rank && (!rank || !memcmp(t->dims, dims, (size_t)rank * sizeof *dims));
}

fl_ref fl_reshape(fl_builder *b, fl_ref x, int rank, const int64_t *dims)
{
    if (b->status || has_dims(b, x, rank, dims)) return x;
    fl_type type = fl_type_make(fl_dtypeof(b, x), rank, dims);
    return fl_build_typed(b, FL_OP_reshape, &x, 1, NULL, 0, NULL, 0, &type, 1);
}

fl_ref fl_flatten(fl_builder *b, fl_ref x)
{
    int64_t n = fl_elements(b, x);
    return fl_reshape(b, x, 1, &n);
}

fl_ref fl_broadcast_in_dim(fl_builder *b, fl_ref x, int rank, const int64_t *dims,
                           const int64_t *broadcast_dimensions)
{
    if (b->status) return FL_NO_REF;
    int identity = has_dims(b, x, rank, dims);
    for (int i = 0; i < rank && identity; i++) identity = broadcast_dimensions[i] == i;
    if (identity) return x;
    fl_attr attr = ATTR_INTS(broadcast_dimensions, broadcast_dimensions, fl_rank(b, x));
    fl_type type = fl_type_make(fl_dtypeof(b, x), rank, dims);
    return fl_build_typed(b, FL_OP_broadcast_in_dim, &x, 1, &attr, 1, NULL, 0, &type, 1);
}

static const char *shape_text(int rank, const int64_t *dims, char *buffer, size_t capacity)
{
    size_t n = (size_t)snprintf(buffer, capacity, "[");
    for (int i = 0; i < rank && n < capacity; i++)
        n += (size_t)snprintf(buffer + n, capacity - n, "%s%lld", i ? ", " : "", (long long)dims[i]);
    if (n < capacity) snprintf(buffer + n, capacity - n, "]");
    return buffer;
}

fl_ref fl_broadcast_to(fl_builder *b, fl_ref x, int rank, const int64_t *dims)
{
    if (b->status) return FL_NO_REF;
    const fl_type *t = fl_typeof(b, x);
    int64_t map[FL_MAX_RANK];
    int shift = rank - t->rank, fits = shift >= 0;
    for (int i = 0; fits && i < t->rank; i++) {
        map[i] = i + shift;
        fits = t->dims[i] == 1 || t->dims[i] == dims[i + shift];
    }
    if (fits) return fl_broadcast_in_dim(b, x, rank, dims, map);
    char from[400], to[400];
    return fail(b, fl_error(FL_INVALID, "expected a shape that broadcasts to %s, got %s",
                            shape_text(rank, dims, to, sizeof to),
                            shape_text(t->rank, t->dims, from, sizeof from)));
}

fl_ref fl_broadcast_like(fl_builder *b, fl_ref x, fl_ref like)
{
    fl_type t = *fl_typeof(b, like);
    return fl_broadcast_to(b, x, t.rank, t.dims);
}

void fl_broadcast_all(fl_builder *b, fl_ref *values, uint32_t count)
{
    int64_t dims[FL_MAX_RANK];
    int rank = 0;
    for (uint32_t i = 0; i < count; i++)
        if (fl_rank(b, values[i]) > rank) rank = fl_rank(b, values[i]);
    for (int i = 0; i < rank; i++) dims[i] = 1;
    for (uint32_t i = 0; i < count && !b->status; i++) {
        const fl_type *t = fl_typeof(b, values[i]);
        for (int k = 0; k < t->rank; k++) {
            int64_t *d = &dims[k + rank - t->rank];
            if (*d == 1) *d = t->dims[k];
            if (t->dims[k] == 1 || t->dims[k] == *d) continue;
            fl_builder_fail(b,
                            fl_error(FL_INVALID,
                                     "The size of tensor a (%lld) must match the size of tensor b (%lld) at "
                                     "non-singleton dimension %d",
                                     (long long)*d, (long long)t->dims[k], k + rank - t->rank));
            break;
        }
    }
    for (uint32_t i = 0; i < count && !b->status; i++) values[i] = fl_broadcast_to(b, values[i], rank, dims);
}

fl_ref fl_transpose(fl_builder *b, fl_ref x, const int64_t *permutation)
{
    int rank = fl_rank(b, x), identity = 1;
    if (b->status) return FL_NO_REF;
    for (int i = 0; i < rank; i++) identity &= permutation[i] == i;
    if (identity) return x;
    fl_attr attr = ATTR_INTS(permutation, permutation, rank);
    return fl_build(b, FL_OP_transpose, &x, 1, &attr, 1, NULL, 0);
}

fl_ref fl_swap_dims(fl_builder *b, fl_ref x, int dim0, int dim1)
{
    int rank = fl_rank(b, x);
    int64_t permutation[FL_MAX_RANK];
    dim0 = fl_wrap_dim(b, dim0, rank);
    dim1 = fl_wrap_dim(b, dim1, rank);
    if (b->status || dim0 == dim1) return x;
    for (int i = 0; i < rank; i++) permutation[i] = i;
    permutation[dim0] = dim1;
    permutation[dim1] = dim0;
    return fl_transpose(b, x, permutation);
}

fl_ref fl_unsqueeze(fl_builder *b, fl_ref x, int dim)
{
    fl_type t = *fl_typeof(b, x);
    dim = fl_wrap_dim(b, dim, t.rank + 1);
    if (b->status) return FL_NO_REF;
    if (t.rank == FL_MAX_RANK)
        return fail(b, fl_error(FL_UNSUPPORTED, "expected at most %d dimensions", FL_MAX_RANK));
    memmove(t.dims + dim + 1, t.dims + dim, (size_t)(t.rank - dim) * sizeof *t.dims);
    t.dims[dim] = 1;
    return fl_reshape(b, x, t.rank + 1, t.dims);
}

fl_ref fl_squeeze(fl_builder *b, fl_ref x, int dim)
{
    fl_type t = *fl_typeof(b, x);
    dim = fl_wrap_dim(b, dim, t.rank);
    if (b->status || !t.rank) return x;
    if (t.dims[dim] != 1)
        return fail(b, fl_error(FL_INVALID, "expected size 1 for dimension %d, got %lld", dim,
                                (long long)t.dims[dim]));
    memmove(t.dims + dim, t.dims + dim + 1, (size_t)(t.rank - dim - 1) * sizeof *t.dims);
    return fl_reshape(b, x, t.rank - 1, t.dims);
}

fl_ref fl_slice(fl_builder *b, fl_ref x, const int64_t *start, const int64_t *limit, const int64_t *strides)
{
    fl_type t = *fl_typeof(b, x);
    int64_t ones[FL_MAX_RANK];
    int whole = 1;
    if (b->status) return FL_NO_REF;
    for (int i = 0; i < t.rank; i++) {
        ones[i] = 1;
        whole &= !start[i] && limit[i] == t.dims[i] && (!strides || strides[i] == 1);
    }
    if (whole) return x;
    fl_attr attrs[] = {ATTR_INTS(start_indices, start, t.rank), ATTR_INTS(limit_indices, limit, t.rank),
                       ATTR_INTS(strides, strides ? strides : ones, t.rank)};
    return fl_build(b, FL_OP_slice, &x, 1, attrs, 3, NULL, 0);
}

fl_ref fl_slice_dim(fl_builder *b, fl_ref x, int dim, int64_t start, int64_t limit, int64_t stride)
{
    fl_type t = *fl_typeof(b, x);
    int64_t starts[FL_MAX_RANK] = {0}, strides[FL_MAX_RANK];
    dim = fl_wrap_dim(b, dim, t.rank);
    if (!b->status && !t.rank)
        return fail(b, fl_error(FL_INDEX, "slice() cannot be applied to a 0-dim tensor."));
    for (int i = 0; i < t.rank; i++) strides[i] = 1;
    starts[dim] = start;
    t.dims[dim] = limit;
    strides[dim] = stride;
    return fl_slice(b, x, starts, t.dims, strides);
}

fl_ref fl_concat(fl_builder *b, const fl_ref *values, uint32_t count, int dim)
{
    if (b->status) return FL_NO_REF;
    if (count == 1) return values[0];
    fl_attr attr = ATTR_INT(dimension, count ? fl_wrap_dim(b, dim, fl_rank(b, values[0])) : 0);
    return fl_build(b, FL_OP_concatenate, values, count, &attr, 1, NULL, 0);
}

fl_ref fl_pad(fl_builder *b, fl_ref x, fl_ref value, const int64_t *low, const int64_t *high,
              const int64_t *interior)
{
    int rank = fl_rank(b, x), none = 1;
    static const int64_t zeros[FL_MAX_RANK];
    if (b->status) return FL_NO_REF;
    if (!interior) interior = zeros;
    for (int i = 0; i < rank; i++) none &= !low[i] && !high[i] && !interior[i];
    if (none) return x;
    fl_ref operands[] = {x, value};
    fl_attr attrs[] = {ATTR_INTS(edge_padding_low, low, rank), ATTR_INTS(edge_padding_high, high, rank),
                       ATTR_INTS(interior_padding, interior, rank)};
    return fl_build(b, FL_OP_pad, operands, 2, attrs, 3, NULL, 0);
}

fl_ref fl_reverse(fl_builder *b, fl_ref x, const int64_t *dims, uint32_t count)
{
    if (b->status || !count) return x;
    fl_attr attr = ATTR_INTS(dimensions, dims, count);
    return fl_build(b, FL_OP_reverse, &x, 1, &attr, 1, NULL, 0);
}

fl_ref fl_dynamic_slice(fl_builder *b, fl_ref x, const fl_ref *starts, const int64_t *sizes)
{
    int rank = fl_rank(b, x);
    fl_ref operands[1 + FL_MAX_RANK] = {x};
    for (int i = 0; i < rank; i++) operands[1 + i] = starts[i];
    fl_attr attr = ATTR_INTS(slice_sizes, sizes, rank);
    return fl_build(b, FL_OP_dynamic_slice, operands, 1 + (uint32_t)rank, &attr, 1, NULL, 0);
}

fl_ref fl_dynamic_update_slice(fl_builder *b, fl_ref x, fl_ref update, const fl_ref *starts)
{
    int rank = fl_rank(b, x);
    fl_ref operands[2 + FL_MAX_RANK] = {x, update};
    for (int i = 0; i < rank; i++) operands[2 + i] = starts[i];
    return fl_build_plain(b, FL_OP_dynamic_update_slice, operands, 2 + (uint32_t)rank);
}
