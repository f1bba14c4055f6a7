/* Padding by reflection and by repetition of the edge, one dimension after the other; negative padding crops.
 */
#include "aten/shapes.h"
#include "aten/sizes.h"
#include "aten/table.h"

typedef enum pad_kind { REFLECT, REPLICATE } pad_kind;

/* What stands before the first (or, at_end, after the last) element: `count` elements. */
static fl_ref edge(fl_builder *b, fl_ref x, int dim, pad_kind kind, int at_end, int64_t count)
{
    int64_t size = fl_dim(b, x, dim), mirrored = dim;
    if (kind == REFLECT) {
        int64_t start = at_end ? size - 1 - count : 1;
        return fl_reverse(b, fl_slice_dim(b, x, dim, start, start + count, 1), &mirrored, 1);
    }
    int64_t dims[FL_MAX_RANK];
    int rank = fl_get_dims(b, x, dims);
    dims[dim] = count;
    return fl_broadcast_to(b, fl_slice_dim(b, x, dim, at_end ? size - 1 : 0, at_end ? size : 1, 1), rank,
                           dims);
}

static fl_ref pad_dim(fl_builder *b, fl_ref x, int dim, pad_kind kind, int64_t low, int64_t high)
{
    int64_t size = fl_dim(b, x, dim);
    fl_ref parts[3];
    uint32_t n = 0;
    if (low > 0) parts[n++] = edge(b, x, dim, kind, 0, low);
    parts[n++] = fl_slice_dim(b, x, dim, fl_max_i(0, -low), size - fl_max_i(0, -high), 1);
    if (high > 0) parts[n++] = edge(b, x, dim, kind, 1, high);
    return n == 1 ? parts[0] : fl_concat(b, parts, n, dim);
}

/* The gradient of `edge` with regard to x, of x's size along dim; g: the gradient of those `count` elements.
 */
static fl_ref edge_gradient(fl_builder *b, fl_ref g, int dim, pad_kind kind, int at_end, int64_t size)
{
    int64_t count = fl_dim(b, g, dim), mirrored = dim;
    fl_ref zero = fl_scalar_i(b, fl_dtypeof(b, g), 0);
    if (kind == REFLECT) {
        int64_t start = at_end ? size - 1 - count : 1;
        return fl_pad_dim(b, fl_reverse(b, g, &mirrored, 1), dim, zero, start, size - start - count, 0);
    }
    fl_ref sum = fl_reduce_dim(b, FL_OP_add, g, dim, 1);
    return fl_pad_dim(b, sum, dim, zero, at_end ? size - 1 : 0, at_end ? 0 : size - 1, 0);
}

static fl_ref pad_dim_backward(fl_builder *b, fl_ref g, int dim, pad_kind kind, int64_t low, int64_t high,
                               int64_t size)
{
    int64_t padded = fl_dim(b, g, dim), before = fl_max_i(low, 0), after = fl_max_i(high, 0);
    fl_ref zero = fl_scalar_i(b, fl_dtypeof(b, g), 0);
    fl_ref sum = fl_slice_dim(b, g, dim, before, padded - after, 1);
    sum = fl_pad_dim(b, sum, dim, zero, fl_max_i(0, -low), fl_max_i(0, -high), 0);
    if (before)
        sum = fl_add(b, sum, edge_gradient(b, fl_slice_dim(b, g, dim, 0, before, 1), dim, kind, 0, size));
    if (after)
        sum = fl_add(
            b, sum, edge_gradient(b, fl_slice_dim(b, g, dim, padded - after, padded, 1), dim, kind, 1, size));
    return sum;
}

/* Reads and checks the padding: pairs from the last dimension backwards. `dims`: of the unpadded tensor. */
static int read_padding(fl_builder *b, int arg, int spatial, pad_kind kind, int rank, const int64_t *dims,
                        int64_t *padding)
{
    uint32_t count = fl_ints(b, arg, padding, 6);
    if (!fl_ok(b)) return 0;
    if (count != (uint32_t)(2 * spatial) || rank <= spatial) {
        fl_builder_fail(b,
                        fl_error(FL_INVALID, "expected %d paddings and at least %d dimensions, got %u and %d",
                                 2 * spatial, spatial + 1, count, rank));
        return 0;
    }
    for (int i = 0; i < spatial; i++) {
        int64_t size = dims[rank - 1 - i], low = padding[2 * i], high = padding[2 * i + 1];
        if (kind == REFLECT && (low >= size || high >= size))
            fl_builder_fail(b, fl_error(FL_INVALID,
                                        "Padding size should be less than the corresponding input dimension, "
                                        "but got: padding (%lld, %lld) at "
                                        "dimension %d of a size of %lld",
                                        (long long)low, (long long)high, rank - 1 - i, (long long)size));
        else if (size + low + high < 1 || size < 1)
            fl_builder_fail(
                b, fl_error(FL_INVALID, "input of size %lld is too small for the padding", (long long)size));
    }
    return fl_ok(b);
}

static void pad(fl_builder *b, pad_kind kind, int spatial)
{
    fl_ref x = fl_in(b, 0);
    int64_t dims[FL_MAX_RANK], padding[6];
    int rank = fl_get_dims(b, x, dims), empty = fl_empty_dim(b, x, rank == spatial + 2);
    FL_REQUIRE(b, rank <= spatial || empty < 0, FL_INVALID,
               "Expected %dD or %dD (batch mode) tensor with possibly 0 batch size and other non-zero "
               "dimensions for input, but got: %s",
               spatial + 1, spatial + 2, fl_sizes_in_text(b, x).text);
    if (!read_padding(b, 1, spatial, kind, rank, dims, padding)) return;
    for (int i = 0; i < spatial; i++)
        x = pad_dim(b, x, rank - 1 - i, kind, padding[2 * i], padding[2 * i + 1]);
    fl_emit(b, x);
}

/* backward(grad_output, self, padding) */
static void pad_backward(fl_builder *b, pad_kind kind, int spatial)
{
    fl_ref g = fl_in(b, 0);
    int64_t dims[FL_MAX_RANK], padding[6];
    int rank = fl_get_dims(b, fl_in(b, 1), dims);
    if (!read_padding(b, 2, spatial, kind, rank, dims, padding)) return;
    fl_dtype dtype = fl_dtypeof(b, g);
    g = fl_cast(b, g, fl_op_math(dtype));
    for (int i = spatial - 1; i >= 0; i--)
        g = pad_dim_backward(b, g, rank - 1 - i, kind, padding[2 * i], padding[2 * i + 1],
                             dims[rank - 1 - i]);
    fl_emit(b, fl_cast(b, g, dtype));
}

#define PADS(name, kind, spatial)                                                                            \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        pad(b, kind, spatial);                                                                               \
    }                                                                                                        \
    FL_LOWER(name##_backward)                                                                                \
    {                                                                                                        \
        pad_backward(b, kind, spatial);                                                                      \
    }
PADS(reflection_pad1d, REFLECT, 1)
PADS(reflection_pad2d, REFLECT, 2)
PADS(reflection_pad3d, REFLECT, 3)
PADS(replication_pad1d, REPLICATE, 1)
PADS(replication_pad2d, REPLICATE, 2)
PADS(replication_pad3d, REPLICATE, 3)
