/* Joining, turning and cutting tensors. */
#include "aten/shapes.h"
#include "aten/table.h"

FL_LOWER(cat)
{
    uint32_t given = fl_list_count(b, 0), count = 0;
    fl_dtype dtype = fl_out_dtype(b, 0);
    FL_REQUIRE(b, given > 0, FL_INVALID, "expected a non-empty list of Tensors");
    fl_ref *parts = fl_scratch(b, given, sizeof *parts);
    if (!parts) return;
    for (uint32_t k = 0; k < given; k++) {
        const fl_tensor *tensor = fl_list_tensor(b, 0, k);
        /* an empty 1-d tensor joins with anything, as it always did */
        if (!tensor || (tensor->rank == 1 && tensor->sizes[0] == 0)) continue;
        parts[count++] = fl_cast(b, fl_list_in(b, 0, k), dtype);
    }
    if (!count) {
        int64_t none = 0;
        fl_emit(b, fl_zeros(b, dtype, 1, &none));
        return;
    }
    int dim = fl_wrap_dim(b, fl_int(b, 1), fl_rank(b, parts[0]));
    fl_emit(b, count == 1 ? parts[0] : fl_concat(b, parts, count, dim));
}

FL_LOWER(flip)
{
    fl_ref x = fl_in(b, 0);
    int64_t dims[FL_MAX_RANK];
    uint32_t count = fl_ints(b, 1, dims, FL_MAX_RANK);
    int rank = fl_rank(b, x);
    for (uint32_t i = 0; i < count && fl_ok(b); i++) {
        dims[i] = fl_wrap_dim(b, dims[i], rank);
        for (uint32_t k = 0; k < i; k++)
            FL_REQUIRE(b, dims[k] != dims[i], FL_INVALID, "dim %d appears multiple times in the list of dims",
                       (int)dims[i]);
    }
    fl_emit(b, count && rank ? fl_reverse(b, x, dims, count) : x);
}

static fl_ref roll_dim(fl_builder *b, fl_ref x, int dim, int64_t shift)
{
    int64_t size = fl_dim(b, x, dim);
    if (!fl_ok(b) || size == 0) return x;
    int64_t cut = ((-shift) % size + size) % size;
    if (!cut) return x;
    fl_ref parts[2] = {fl_slice_dim(b, x, dim, cut, size, 1), fl_slice_dim(b, x, dim, 0, cut, 1)};
    return fl_concat(b, parts, 2, dim);
}

FL_LOWER(roll)
{
    fl_ref x = fl_in(b, 0);
    int64_t shifts[FL_MAX_RANK], dims[FL_MAX_RANK];
    uint32_t count = fl_ints(b, 1, shifts, FL_MAX_RANK), named = fl_ints(b, 2, dims, FL_MAX_RANK);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, count > 0, FL_INVALID, "`shifts` required");
    if (!named) {
        FL_REQUIRE(b, count == 1, FL_INVALID, "shifts and dimensions must align. shifts: %u, dims:0", count);
        fl_emit(b, fl_reshape_like(b, roll_dim(b, fl_flatten(b, x), 0, shifts[0]), x));
        return;
    }
    FL_REQUIRE(b, named == count, FL_INVALID, "shifts and dimensions must align. shifts: %u, dims:%u", count,
               named);
    FL_REQUIRE(b, fl_rank(b, x) > 0, FL_INDEX, "Dimension specified as %lld but tensor has no dimensions",
               (long long)dims[0]);
    fl_ref out = x;
    for (uint32_t i = 0; i < count && fl_ok(b); i++)
        out = roll_dim(b, out, fl_wrap_dim(b, dims[i], fl_rank(b, x)), shifts[i]);
    fl_emit(b, out);
}

FL_LOWER(narrow_copy)
{
    fl_ref x = fl_in(b, 0);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, fl_rank(b, x) > 0, FL_INVALID, "narrow() cannot be applied to a 0-dim tensor.");
    int dim = fl_wrap_dim(b, fl_int(b, 1), fl_rank(b, x));
    int64_t start = fl_int(b, 2), length = fl_int(b, 3), size = fl_dim(b, x, dim);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, start >= -size && start <= size, FL_INDEX,
               "start out of range (expected to be in range of [%lld, %lld], but got %lld)", (long long)-size,
               (long long)size, (long long)start);
    if (start < 0) start += size;
    FL_REQUIRE(b, length >= 0 && start <= size - length, FL_INVALID,
               "start (%lld) + length (%lld) exceeds dimension size (%lld).", (long long)start,
               (long long)length, (long long)size);
    fl_emit(b, fl_slice_dim(b, x, dim, start, start + length, 1));
}

FL_LOWER(channel_shuffle)
{
    fl_ref x = fl_in(b, 0);
    int64_t groups = fl_int(b, 1), channels = fl_dim(b, x, 1),
            split[2] = {groups, groups > 0 ? channels / groups : 0};
    FL_REQUIRE(b, fl_rank(b, x) > 2, FL_INVALID, "channel_shuffle expects input with > 2 dims, but got %d",
               fl_rank(b, x));
    FL_REQUIRE(b, groups > 0 && channels % groups == 0, FL_INVALID,
               "Number of channels must be divisible by groups. Got %lld channels and %lld groups.",
               (long long)channels, (long long)groups);
    fl_emit(b, fl_merge_dims(b, fl_swap_dims(b, fl_split_dim(b, x, 1, 2, split), 1, 2), 1, 2));
}

/* unfold_backward(grad_in, input_sizes, dim, size, step): grad_in has the windows at dim and their elements
 * last */
FL_LOWER(unfold_backward)
{
    fl_ref g = fl_in(b, 0);
    int64_t dims[FL_MAX_RANK];
    int rank = (int)fl_ints(b, 1, dims, FL_MAX_RANK);
    int64_t size = fl_int(b, 3), step = fl_int(b, 4);
    if (!rank || !fl_ok(b)) { /* a 0-d input unfolds to one element */
        fl_emit(b, fl_reshape(b, g, 0, NULL));
        return;
    }
    int dim = fl_wrap_dim(b, fl_int(b, 2), rank);
    fl_dtype dtype = fl_dtypeof(b, g), math = fl_op_math(dtype);
    int64_t windows = fl_dim(b, g, dim), *places = fl_scratch(b, windows * size, sizeof *places);
    if (!places) return;
    for (int64_t w = 0; w < windows; w++)
        for (int64_t k = 0; k < size; k++) places[w * size + k] = w * step + k;
    g = fl_merge_dims(b, fl_move_dim(b, fl_cast(b, g, math), rank, dim + 1), dim, 2);
    fl_ref index = fl_const_ints(b, places, windows * size);
    fl_emit(b,
            fl_cast(b, fl_scatter_rows(b, FL_OP_add, fl_zeros(b, math, rank, dims), dim, index, g), dtype));
}

typedef struct block_args {
    int64_t kernel[2], dilation[2], padding[2], stride[2], in[2], out[2];
} block_args;

/* kernel_size, dilation, padding, stride at positions first...; in[] is set by the caller */
static int read_blocks(fl_builder *b, int first, block_args *a)
{
    static const int64_t ones[2] = {1, 1}, zeros[2] = {0, 0};
    fl_ints_n(b, first, a->kernel, 2, ones);
    fl_ints_n(b, first + 1, a->dilation, 2, ones);
    fl_ints_n(b, first + 2, a->padding, 2, zeros);
    fl_ints_n(b, first + 3, a->stride, 2, ones);
    for (int i = 0; i < 2 && fl_ok(b); i++) {
        if (a->kernel[i] <= 0 || a->dilation[i] <= 0 || a->stride[i] <= 0 || a->padding[i] < 0) {
            fl_builder_fail(b, fl_error(FL_INVALID, "expected positive kernel size, dilation and stride"));
            break;
        }
        a->out[i] = fl_floor_div(a->in[i] + 2 * a->padding[i] - a->dilation[i] * (a->kernel[i] - 1) - 1,
                                 a->stride[i]) +
                    1;
        if (a->out[i] <= 0)
            fl_builder_fail(
                b, fl_error(FL_INVALID,
                            "the calculated shape of the array of sliding blocks must be at least one"));
    }
    return fl_ok(b);
}

/* [N, C, H, W] -> [N, C * kh * kw, blocks]: one strided slice for each place of the kernel */
FL_LOWER(im2col)
{
    fl_ref x = fl_in(b, 0);
    int batched = fl_rank(b, x) == 4;
    if (!batched) x = fl_unsqueeze(b, x, 0);
    block_args a = {.in = {fl_dim(b, x, 2), fl_dim(b, x, 3)}};
    if (!read_blocks(b, 1, &a)) return;
    int64_t kernel = a.kernel[0] * a.kernel[1], pads[4] = {0, 0, a.padding[0], a.padding[1]};
    fl_ref *parts = fl_scratch(b, kernel, sizeof *parts);
    if (!parts) return;
    x = fl_pad(b, x, fl_scalar_i(b, fl_dtypeof(b, x), 0), pads, pads, NULL);
    for (int64_t i = 0; i < a.kernel[0]; i++)
        for (int64_t j = 0; j < a.kernel[1]; j++) {
            int64_t top = i * a.dilation[0], left = j * a.dilation[1];
            fl_ref part = fl_slice_dim(b, x, 2, top, top + (a.out[0] - 1) * a.stride[0] + 1, a.stride[0]);
            part = fl_slice_dim(b, part, 3, left, left + (a.out[1] - 1) * a.stride[1] + 1, a.stride[1]);
            parts[i * a.kernel[1] + j] = fl_unsqueeze(b, part, 2);
        }
    fl_ref columns = fl_concat(b, parts, (uint32_t)kernel, 2);
    int64_t dims[3] = {fl_dim(b, x, 0), fl_dim(b, x, 1) * kernel, a.out[0] * a.out[1]};
    fl_emit(b, batched ? fl_reshape(b, columns, 3, dims) : fl_reshape(b, columns, 2, dims + 1));
}

/* col2im(self, output_size, kernel_size, dilation, padding, stride): the adjoint, every slice padded back and
 * summed */
FL_LOWER(col2im)
{
    static const int64_t none[2] = {0, 0};
    fl_ref x = fl_in(b, 0);
    int batched = fl_rank(b, x) == 3;
    if (!batched) x = fl_unsqueeze(b, x, 0);
    block_args a = {0};
    fl_ints_n(b, 1, a.in, 2, none);
    if (!read_blocks(b, 2, &a)) return;
    int64_t kernel = a.kernel[0] * a.kernel[1], channels = fl_dim(b, x, 1) / kernel;
    FL_REQUIRE(b, fl_dim(b, x, 1) % kernel == 0 && fl_dim(b, x, 2) == a.out[0] * a.out[1], FL_INVALID,
               "expected size of input's dimension 2 to match the calculated number of sliding blocks %lld * "
               "%lld = %lld, but got %lld",
               (long long)a.out[0], (long long)a.out[1], (long long)(a.out[0] * a.out[1]),
               (long long)fl_dim(b, x, 2));
    int64_t dims[5] = {fl_dim(b, x, 0), channels, kernel, a.out[0], a.out[1]};
    fl_dtype dtype = fl_dtypeof(b, x), math = fl_op_math(dtype);
    x = fl_cast(b, fl_reshape(b, x, 5, dims), math);
    fl_ref zero = fl_scalar_i(b, math, 0), sum = FL_NO_REF;
    for (int64_t n = 0; n < kernel; n++) {
        fl_ref part = fl_squeeze(b, fl_slice_dim(b, x, 2, n, n + 1, 1), 2);
        int64_t at[2] = {n / a.kernel[1] * a.dilation[0], n % a.kernel[1] * a.dilation[1]};
        int64_t low[4] = {0}, high[4] = {0}, interior[4] = {0};
        for (int i = 0; i < 2; i++) {
            low[i + 2] = at[i] - a.padding[i];
            interior[i + 2] = a.stride[i] - 1;
            high[i + 2] = a.in[i] - low[i + 2] - ((a.out[i] - 1) * a.stride[i] + 1);
        }
        part = fl_pad(b, part, zero, low, high, interior);
        sum = n ? fl_add(b, sum, part) : part;
    }
    sum = fl_cast(b, sum, dtype);
    fl_emit(b, batched ? sum : fl_squeeze(b, sum, 0));
}
