/* Constant padding, and the gradients of slices, which are padded with zeros. PyTorch composes these of a
 * fill and a copy; one operation does. */
#include "aten/shapes.h"
#include "aten/table.h"

/* constant_pad_nd(self, pad, value): pairs (low, high) from the last dimension backwards; negative pads crop
 */
FL_LOWER(constant_pad)
{
    fl_ref x = fl_in(b, 0);
    int64_t pads[2 * FL_MAX_RANK], low[FL_MAX_RANK] = {0}, high[FL_MAX_RANK] = {0};
    uint32_t count = fl_ints(b, 1, pads, 2 * FL_MAX_RANK);
    if (!fl_ok(b)) return;
    int rank = fl_rank(b, x);
    FL_REQUIRE(b, count % 2 == 0, FL_INVALID, "Length of pad must be even but instead it equals %u", count);
    FL_REQUIRE(b, (int)count / 2 <= rank, FL_INVALID,
               "Length of pad should be no more than twice the number of dimensions of the input. Pad length "
               "is %u while the input has %d dimensions.",
               count, rank);
    for (uint32_t i = 0; i < count / 2; i++) {
        int dim = rank - 1 - (int)i;
        low[dim] = pads[2 * i];
        high[dim] = pads[2 * i + 1];
        int64_t size = fl_dim(b, x, dim) + low[dim] + high[dim];
        FL_REQUIRE(b, size >= 0, FL_INVALID,
                   "The input size %lld, plus negative padding %lld and %lld, resulted in a negative output "
                   "size, which is invalid.",
                   (long long)fl_dim(b, x, dim), (long long)low[dim], (long long)high[dim]);
    }
    fl_emit(b, fl_pad(b, x, fl_scalar_fitting(b, 2, fl_dtypeof(b, x)), low, high, NULL));
}

/* slice_backward(grad_output, input_sizes, dim, start, end, step) */
FL_LOWER(slice_backward)
{
    fl_ref g = fl_in(b, 0);
    int64_t sizes[FL_MAX_RANK], step = fl_int(b, 5), start = fl_int(b, 3);
    int rank = (int)fl_ints(b, 1, sizes, FL_MAX_RANK), dim = fl_wrap_dim(b, fl_int(b, 2), rank);
    if (!fl_ok(b)) return;
    int64_t size = sizes[dim], taken = fl_dim(b, g, dim);
    if (start < 0) start += size;
    start = fl_max_i(0, fl_min_i(start, size));
    if (!fl_elements(b, g)) {
        fl_emit(b, fl_zeros(b, fl_dtypeof(b, g), rank, sizes));
        return;
    }
    int64_t high = size - start - ((taken - 1) * step + 1);
    fl_emit(b, fl_pad_dim(b, g, dim, fl_scalar_i(b, fl_dtypeof(b, g), 0), start, high, step - 1));
}

/* select_backward(grad_output, input_sizes, dim, index) */
FL_LOWER(select_backward)
{
    fl_ref g = fl_in(b, 0);
    int64_t sizes[FL_MAX_RANK], index = fl_int(b, 3);
    int rank = (int)fl_ints(b, 1, sizes, FL_MAX_RANK), dim = fl_wrap_dim(b, fl_int(b, 2), rank);
    if (!fl_ok(b)) return;
    if (index < 0) index += sizes[dim];
    FL_REQUIRE(b, index >= 0 && index < sizes[dim], FL_INDEX, "select(): index %lld out of range",
               (long long)index);
    fl_emit(b, fl_pad_dim(b, fl_unsqueeze(b, g, dim), dim, fl_scalar_i(b, fl_dtypeof(b, g), 0), index,
                          sizes[dim] - 1 - index, 0));
}
