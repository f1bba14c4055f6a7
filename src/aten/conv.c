/* Convolutions and their gradients. Every one of them is a single StableHLO convolution:
 *   forward            input * weight
 *   input gradient     output gradient, dilated by the stride, * reversed weight   (also the transposed
 * forward) weight gradient    input with batch and feature exchanged * output gradient as the kernel */
#include "aten/limit.h"
#include "aten/shapes.h"
#include "aten/table.h"

typedef struct conv_args {
    int spatial, transposed;
    int64_t stride[8], padding[8], dilation[8], output_padding[8], groups;
} conv_args;

/* Arguments from position `first`: stride, padding, dilation, transposed, output_padding, groups. */
static int read_args(fl_builder *b, int first, int rank, conv_args *args)
{
    static const int64_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, zeros[8] = {0};
    args->spatial = rank - 2;
    if (!fl_ok(b)) return 0;
    if (args->spatial < 1 || args->spatial > 6) {
        fl_builder_fail(b, fl_error(FL_INVALID, "expected an input of 3 to 8 dimensions, got %d", rank));
        return 0;
    }
    uint32_t n = (uint32_t)args->spatial;
    fl_ints_n(b, first, args->stride, n, ones);
    fl_ints_n(b, first + 1, args->padding, n, zeros);
    fl_ints_n(b, first + 2, args->dilation, n, ones);
    args->transposed = fl_bool(b, first + 3);
    fl_ints_n(b, first + 4, args->output_padding, n, zeros);
    args->groups = fl_int(b, first + 5);
    for (uint32_t i = 0; i < n; i++) {
        if (args->stride[i] > 0 && args->dilation[i] > 0) continue;
        fl_builder_fail(b, fl_error(FL_INVALID, "expected positive strides and dilations"));
    }
    if (args->groups <= 0) fl_builder_fail(b, fl_error(FL_INVALID, "expected a positive number of groups"));
    return fl_ok(b);
}

/* [groups * n, m, ...] as [n, groups * m, ...]: the groups move from the first dimension to the second. */
static fl_ref move_groups(fl_builder *b, fl_ref weight, int64_t groups)
{
    if (groups == 1) return weight;
    int64_t split[2] = {groups, fl_dim(b, weight, 0) / groups};
    return fl_merge_dims(b, fl_move_dim(b, fl_split_dim(b, weight, 0, 2, split), 0, 1), 1, 2);
}

static fl_ref conv_forward(fl_builder *b, fl_ref x, fl_ref weight, const conv_args *args, fl_dtype out)
{
    fl_conv_dims dims = fl_conv_nchw(args->spatial);
    for (int i = 0; i < args->spatial; i++) {
        dims.strides[i] = args->stride[i];
        dims.padding[2 * i] = dims.padding[2 * i + 1] = args->padding[i];
        dims.rhs_dilation[i] = args->dilation[i];
    }
    dims.feature_groups = args->groups;
    return fl_convolution(b, x, weight, &dims, out);
}

/* As conv_forward, of the given spatial sizes: the high padding is what is left. */
static fl_ref conv_forward_sized(fl_builder *b, fl_ref x, fl_ref weight, const conv_args *args,
                                 const int64_t *sizes)
{
    fl_conv_dims dims = fl_conv_nchw(args->spatial);
    for (int i = 0; i < args->spatial; i++) {
        int64_t reach = args->dilation[i] * (fl_dim(b, weight, i + 2) - 1) + 1;
        dims.strides[i] = args->stride[i];
        dims.padding[2 * i] = args->padding[i];
        dims.padding[2 * i + 1] =
            (sizes[i] - 1) * args->stride[i] + reach - fl_dim(b, x, i + 2) - args->padding[i];
        dims.rhs_dilation[i] = args->dilation[i];
    }
    dims.feature_groups = args->groups;
    return fl_convolution(b, x, weight, &dims, FL_DTYPE_NONE);
}

/* The adjoint of conv_forward with regard to x, giving spatial sizes `sizes`. y: [N, groups * n, ...], weight
 * as PyTorch keeps it: [groups * n, m, ...]. */
static fl_ref conv_adjoint(fl_builder *b, fl_ref y, fl_ref weight, const conv_args *args,
                           const int64_t *sizes, fl_dtype out)
{
    fl_conv_dims dims = fl_conv_nchw(args->spatial);
    for (int i = 0; i < args->spatial; i++) {
        int64_t reach = args->dilation[i] * (fl_dim(b, weight, i + 2) - 1);
        int64_t dilated = (fl_dim(b, y, i + 2) - 1) * args->stride[i] + 1;
        dims.lhs_dilation[i] = args->stride[i];
        dims.rhs_dilation[i] = args->dilation[i];
        dims.padding[2 * i] = reach - args->padding[i];
        dims.padding[2 * i + 1] = sizes[i] + reach - dilated - dims.padding[2 * i];
        dims.reversal[i] = 1;
    }
    dims.kernel_input_feature = 0;
    dims.kernel_output_feature = 1;
    dims.feature_groups = args->groups;
    return fl_convolution(b, y, move_groups(b, weight, args->groups), &dims, out);
}

/* The gradient of the weight [O, I / groups, ...] of a convolution from x [N, I, ...] to y [N, O, ...]. */
static fl_ref conv_weight_gradient(fl_builder *b, fl_ref x, fl_ref y, const conv_args *args,
                                   const int64_t *kernel)
{
    fl_conv_dims dims = fl_conv_nchw(args->spatial);
    for (int i = 0; i < args->spatial; i++) {
        int64_t reach = args->stride[i] * (fl_dim(b, y, i + 2) - 1) + 1;
        dims.strides[i] = args->dilation[i];
        dims.rhs_dilation[i] = args->stride[i];
        dims.padding[2 * i] = args->padding[i];
        dims.padding[2 * i + 1] =
            (kernel[i] - 1) * args->dilation[i] + reach - fl_dim(b, x, i + 2) - args->padding[i];
    }
    dims.input_batch = 1;
    dims.input_feature = 0;
    dims.kernel_input_feature = 0;
    dims.kernel_output_feature = 1;
    dims.output_batch = 1;
    dims.output_feature = 0;
    dims.batch_groups = args->groups;
    return fl_convolution(b, x, y, &dims, FL_DTYPE_NONE);
}

static int operands_fit(fl_builder *b, fl_ref x, fl_ref weight)
{
    if (!fl_ok(b)) return 0;
    fl_dtype t = fl_dtypeof(b, x), u = fl_dtypeof(b, weight);
    if (t != u)
        fl_builder_fail(b, fl_error(FL_INVALID, "Input type (%s) and weight type (%s) should be the same",
                                    fl_c_type_name(t), fl_c_type_name(u)));
    else if (t == FL_I1)
        fl_unsupported(b, "convolutions of booleans");
    else if (fl_rank(b, x) != fl_rank(b, weight))
        fl_builder_fail(b, fl_error(FL_INVALID, "expected a %d-dimensional weight, got one of %d dimensions",
                                    fl_rank(b, x), fl_rank(b, weight)));
    return fl_ok(b);
}

/* convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups) */
FL_LOWER(convolution)
{
    fl_ref x = fl_in(b, 0), weight = fl_in(b, 1);
    conv_args args;
    if (!operands_fit(b, x, weight) || !read_args(b, 3, fl_rank(b, x), &args)) return;
    fl_dtype dtype = fl_dtypeof(b, x), math = fl_has(b, 2) ? fl_op_math(dtype) : FL_DTYPE_NONE;
    fl_ref y;
    if (args.transposed) {
        int64_t sizes[8];
        for (int i = 0; i < args.spatial; i++)
            sizes[i] = (fl_dim(b, x, i + 2) - 1) * args.stride[i] - 2 * args.padding[i] +
                       args.dilation[i] * (fl_dim(b, weight, i + 2) - 1) + args.output_padding[i] + 1;
        y = conv_adjoint(b, x, weight, &args, sizes, math);
    } else {
        y = conv_forward(b, x, weight, &args, math);
    }
    if (fl_has(b, 2)) y = fl_add(b, y, fl_along_dim(b, fl_in_cast(b, 2, math), y, 1));
    fl_emit(b, fl_cast(b, y, dtype));
}

static fl_ref bias_gradient(fl_builder *b, fl_ref dy)
{
    int64_t dims[FL_MAX_RANK];
    int rank = fl_rank(b, dy), n = 0;
    fl_dtype dtype = fl_dtypeof(b, dy);
    for (int i = 0; i < rank; i++)
        if (i != 1) dims[n++] = i;
    return fl_cast(b, fl_reduce(b, FL_OP_add, fl_cast(b, dy, fl_op_math(dtype)), dims, (uint32_t)n, 0),
                   dtype);
}

/* convolution_backward(grad_output, input, weight, stride, padding, dilation, transposed, output_padding,
 * groups, output_mask) */
FL_LOWER(convolution_backward)
{
    fl_ref dy = fl_in(b, 0), x = fl_in(b, 1), weight = fl_in(b, 2);
    conv_args args;
    int64_t mask[3] = {0};
    if (!operands_fit(b, x, weight) || !operands_fit(b, dy, weight) || !read_args(b, 3, fl_rank(b, x), &args))
        return;
    fl_ints(b, 9, mask, 3);
    int64_t x_dims[FL_MAX_RANK], weight_dims[FL_MAX_RANK];
    fl_get_dims(b, x, x_dims);
    fl_get_dims(b, weight, weight_dims);
    if (!mask[0])
        fl_emit_undefined(b);
    else if (args.transposed)
        fl_emit(b, conv_forward_sized(b, dy, weight, &args, x_dims + 2));
    else
        fl_emit(b, conv_adjoint(b, dy, weight, &args, x_dims + 2, FL_DTYPE_NONE));
    if (!mask[1])
        fl_emit_undefined(b);
    else if (args.transposed)
        fl_emit(b, conv_weight_gradient(b, dy, x, &args, weight_dims + 2));
    else
        fl_emit(b, conv_weight_gradient(b, x, dy, &args, weight_dims + 2));
    if (mask[2])
        fl_emit(b, bias_gradient(b, dy));
    else
        fl_emit_undefined(b);
}
