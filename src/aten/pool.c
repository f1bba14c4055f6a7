/* Pooling over regular windows. */
#include "aten/pool.h"
#include "aten/sizes.h"
#include "aten/table.h"
#include "ir/pool.h"
#include <stdio.h>

typedef struct pool_args {
    int spatial, rank, first; /* first spatial dimension */
    int64_t kernel[3], stride[3], padding[3], dilation[3], in[3], out[3];
} pool_args;

static int64_t output_size(int64_t in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
                           int ceil_mode)
{
    int64_t reach = dilation * (kernel - 1) + 1;
    int64_t out = fl_floor_div(in + 2 * padding - reach + (ceil_mode ? stride - 1 : 0), stride) + 1;
    /* the last window must begin inside the input or its left padding */
    if (ceil_mode && (out - 1) * stride >= in + padding) out--;
    return out;
}

static void check_padding(fl_builder *b, int64_t padding, int64_t kernel, int64_t dilation)
{
    FL_REQUIRE(b, padding >= 0, FL_INVALID, "pad must be non-negative, but got pad: %lld",
               (long long)padding);
    FL_REQUIRE(b, padding <= (dilation * (kernel - 1) + 1) / 2, FL_INVALID,
               "pad should be at most half of effective kernel size, but got pad=%lld, kernel_size=%lld and "
               "dilation=%lld",
               (long long)padding, (long long)kernel, (long long)dilation);
}

static void refuse_sizes(fl_builder *b, const pool_args *args, int64_t channels)
{
    char text[2][96];
    const int64_t *sizes[2] = {args->in, args->out};
    for (int k = 0; k < 2; k++) {
        int n = snprintf(text[k], sizeof text[k], "%lld", (long long)channels);
        for (int i = 0; i < args->spatial; i++)
            n += snprintf(text[k] + n, sizeof text[k] - (size_t)n, "x%lld", (long long)sizes[k][i]);
    }
    fl_builder_fail(b,
                    fl_error(FL_INVALID,
                             "Given input size: (%s). Calculated output size: (%s). Output size is too small",
                             text[0], text[1]));
}

/* In two dimensions PyTorch looks itself. */
static void check_elements(fl_builder *b, fl_ref x)
{
    FL_REQUIRE(b, fl_empty_dim(b, x, fl_rank(b, x) - 4) < 0, FL_INVALID,
               "Expected input's non-batch dimensions to have positive length, but input has a shape of %s",
               fl_sizes_in_text(b, x).text);
}

/* kernel, stride, padding at positions first..., and dilation at first + 3 if `dilated` */
static int read_args(fl_builder *b, fl_ref x, int spatial, int first, int dilated, int ceil_mode,
                     pool_args *args)
{
    static const int64_t ones[3] = {1, 1, 1}, zeros[3] = {0};
    *args = (pool_args){.spatial = spatial, .rank = fl_rank(b, x), .first = fl_rank(b, x) - spatial};
    if (!fl_ok(b)) return 0;
    if (args->first < 1)
        fl_builder_fail(b, fl_error(FL_INVALID, "expected an input of %d or %d dimensions, got %d",
                                    spatial + 1, spatial + 2, args->rank));
    uint32_t n = (uint32_t)spatial;
    fl_ints_n(b, first, args->kernel, n, ones);
    fl_ints_n(b, first + 1, args->stride, n, args->kernel);
    fl_ints_n(b, first + 2, args->padding, n, zeros);
    if (dilated) fl_ints_n(b, first + 3, args->dilation, n, ones);
    for (int i = 0; i < spatial && fl_ok(b); i++) {
        if (!dilated) args->dilation[i] = 1;
        if (args->kernel[i] <= 0 || args->stride[i] <= 0 || args->dilation[i] <= 0)
            fl_builder_fail(b, fl_error(FL_INVALID, "expected positive kernel size, stride and dilation"));
        else
            check_padding(b, args->padding[i], args->kernel[i], args->dilation[i]);
    }
    if (dilated && spatial == 3 && fl_ok(b)) check_elements(b, x);
    for (int i = 0; i < spatial && fl_ok(b); i++) {
        args->in[i] = fl_dim(b, x, args->first + i);
        args->out[i] = output_size(args->in[i], args->kernel[i], args->stride[i], args->padding[i],
                                   args->dilation[i], ceil_mode);
    }
    for (int i = 0; i < spatial && fl_ok(b); i++)
        if (args->out[i] <= 0) refuse_sizes(b, args, fl_dim(b, x, args->first - 1));
    return fl_ok(b);
}

typedef struct window_args {
    int64_t size[FL_MAX_RANK], stride[FL_MAX_RANK], padding[2 * FL_MAX_RANK], dilation[FL_MAX_RANK];
} window_args;

static window_args windows(const pool_args *args)
{
    window_args w = {0};
    for (int i = 0; i < args->rank; i++) w.size[i] = w.stride[i] = w.dilation[i] = 1;
    for (int i = 0; i < args->spatial; i++) {
        int d = args->first + i;
        int64_t reach = args->dilation[i] * (args->kernel[i] - 1) + 1;
        w.size[d] = args->kernel[i];
        w.stride[d] = args->stride[i];
        w.dilation[d] = args->dilation[i];
        w.padding[2 * d] = args->padding[i];
        w.padding[2 * d + 1] =
            fl_max_i(0, (args->out[i] - 1) * args->stride[i] + reach - args->in[i] - args->padding[i]);
    }
    return w;
}

fl_ref fl_plane_positions(fl_builder *b, fl_ref x, int spatial)
{
    int64_t dims[FL_MAX_RANK], where[FL_MAX_RANK], plane = 1;
    int rank = fl_get_dims(b, x, dims);
    if (!fl_ok(b)) return FL_NO_REF;
    for (int i = 0; i < spatial; i++) {
        plane *= dims[rank - spatial + i];
        where[i] = rank - spatial + i;
    }
    fl_ref flat = fl_iota(b, fl_type_make(FL_I64, 1, &plane), 0);
    return fl_broadcast_in_dim(b, fl_reshape(b, flat, spatial, dims + rank - spatial), rank, dims, where);
}

fl_ref fl_scatter_planes(fl_builder *b, fl_opcode combine, fl_ref source, fl_ref index, int rank,
                         const int64_t *dims, int spatial, const char *what)
{
    int64_t rows = 1, plane = 1, points = 1;
    for (int i = 0; i < rank; i++) {
        if (i < rank - spatial)
            rows *= dims[i];
        else
            plane *= dims[i];
    }
    for (int i = rank - spatial; i < rank; i++) points *= fl_dim(b, source, i);
    int64_t flat[2] = {rows, points}, to[2] = {rows, plane};
    index = fl_check_index(b, fl_reshape(b, index, 2, flat), 0, plane, what);
    fl_ref zeros = fl_zeros(b, fl_dtypeof(b, source), 2, to);
    fl_ref sums = fl_scatter_along(b, combine, zeros, 1, index, fl_reshape(b, source, 2, flat));
    return fl_reshape(b, sums, rank, dims);
}

static void max_pool(fl_builder *b, int spatial)
{
    fl_ref x = fl_in(b, 0), value, index;
    pool_args args;
    if (!read_args(b, x, spatial, 1, 1, fl_bool(b, 5), &args)) return;
    window_args w = windows(&args);
    fl_max_pool_with_index(b, x, fl_plane_positions(b, x, spatial), w.size, w.stride, w.padding, w.dilation,
                           &value, &index);
    fl_emit(b, value);
    fl_emit(b, index);
}

FL_LOWER(max_pool2d)
{
    max_pool(b, 2);
}

FL_LOWER(max_pool3d)
{
    max_pool(b, 3);
}

/* max_pool_with_indices_backward(grad_output, self, ..., indices): the indices say all */
static void max_pool_backward(fl_builder *b, int spatial)
{
    fl_ref dy = fl_in(b, 0), x = fl_in(b, 1), index = fl_in(b, 7);
    int64_t dims[FL_MAX_RANK];
    int rank = fl_get_dims(b, x, dims);
    if (!fl_ok(b)) return;
    fl_dtype dtype = fl_dtypeof(b, dy);
    fl_ref dx = fl_scatter_planes(b, FL_OP_add, fl_cast(b, dy, fl_op_math(dtype)), index, rank, dims, spatial,
                                  "max_pool_backward");
    fl_emit(b, fl_cast(b, dx, dtype));
}

FL_LOWER(max_pool2d_backward)
{
    max_pool_backward(b, 2);
}

FL_LOWER(max_pool3d_backward)
{
    max_pool_backward(b, 3);
}

/* TorchTPU's max_pool*d(input, kernel_size, stride, padding, dilation, ceil_mode): without indices */
static void plain_max_pool(fl_builder *b, int spatial)
{
    fl_ref x = fl_in(b, 0);
    pool_args args;
    if (!read_args(b, x, spatial, 1, 1, fl_bool(b, 5), &args)) return;
    window_args w = windows(&args);
    fl_emit(b, fl_reduce_window(b, FL_OP_maximum, x, w.size, w.stride, w.padding, NULL, w.dilation));
}

/* max_pool*d_backward(grad_output, input, ...): finds the largest elements once more */
static void plain_max_pool_backward(fl_builder *b, int spatial)
{
    fl_ref dy = fl_in(b, 0), x = fl_in(b, 1), value, index;
    pool_args args;
    if (!read_args(b, x, spatial, 2, 1, fl_bool(b, 6), &args)) return;
    int64_t dims[FL_MAX_RANK], out[FL_MAX_RANK];
    const int rank = fl_get_dims(b, x, dims), got = fl_get_dims(b, dy, out);
    int same = got == rank;
    for (int i = 0; same && i < rank; i++)
        same = out[i] == (i < args.first ? dims[i] : args.out[i - args.first]);
    FL_REQUIRE(b, same, FL_INVALID, "expected grad_output of the shape of the pooled input");
    window_args w = windows(&args);
    fl_max_pool_with_index(b, x, fl_plane_positions(b, x, spatial), w.size, w.stride, w.padding, w.dilation,
                           &value, &index);
    const fl_dtype dtype = fl_dtypeof(b, dy);
    fl_ref dx = fl_scatter_planes(b, FL_OP_add, fl_cast(b, dy, fl_op_math(dtype)), index, rank, dims, spatial,
                                  "max_pool_backward");
    fl_emit(b, fl_cast(b, dx, dtype));
}

#define PLAIN(n)                                                                                             \
    FL_LOWER(plain_max_pool##n##d)                                                                           \
    {                                                                                                        \
        plain_max_pool(b, n);                                                                                \
    }                                                                                                        \
    FL_LOWER(plain_max_pool##n##d_backward)                                                                  \
    {                                                                                                        \
        plain_max_pool_backward(b, n);                                                                       \
    }
PLAIN(1)
PLAIN(2)
PLAIN(3)
#undef PLAIN

/* Scales sums over windows to means: by the number of places in each window, counted as the arguments say. */
static fl_ref divide_by_counts(fl_builder *b, fl_ref sums, const pool_args *args, int count_padding,
                               int override_arg)
{
    fl_dtype dtype = fl_dtypeof(b, sums);
    if (fl_has(b, override_arg)) {
        int64_t divisor = fl_int(b, override_arg);
        if (!divisor) fl_builder_fail(b, fl_error(FL_INVALID, "divisor must be not zero"));
        return fl_div(b, sums, fl_scalar_i(b, dtype, divisor));
    }
    fl_ref divisor = FL_NO_REF;
    double same = 1;
    for (int i = 0; i < args->spatial; i++) {
        double *counts = fl_scratch(b, args->out[i], sizeof *counts);
        if (!counts) return FL_NO_REF;
        int uneven = 0;
        for (int64_t o = 0; o < args->out[i]; o++) {
            int64_t start = o * args->stride[i] - args->padding[i];
            int64_t end = fl_min_i(start + args->kernel[i], args->in[i] + args->padding[i]);
            counts[o] =
                (double)(count_padding ? end - start : fl_min_i(end, args->in[i]) - fl_max_i(start, 0));
            uneven |= counts[o] != counts[0];
        }
        if (!uneven) {
            same *= counts[0];
            continue;
        }
        fl_ref along =
            fl_along_dim(b, fl_const_floats(b, dtype, counts, args->out[i]), sums, args->first + i);
        divisor = divisor ? fl_mul(b, divisor, along) : along;
    }
    if (!divisor) return fl_div(b, sums, fl_scalar_f(b, dtype, same));
    if (same != 1) divisor = fl_mul(b, divisor, fl_scalar_f(b, dtype, same));
    return fl_div(b, sums, divisor);
}

static void avg_pool(fl_builder *b, int spatial)
{
    fl_ref x = fl_in(b, 0);
    fl_dtype dtype = fl_dtypeof(b, x), math = fl_op_math(dtype);
    pool_args args;
    if (!read_args(b, x, spatial, 1, 0, fl_bool(b, 4), &args)) return;
    window_args w = windows(&args);
    fl_ref sums =
        fl_reduce_window(b, FL_OP_add, fl_cast(b, x, math), w.size, w.stride, w.padding, NULL, NULL);
    fl_emit(b, fl_cast(b, divide_by_counts(b, sums, &args, fl_bool(b, 5), 6), dtype));
}

FL_LOWER(avg_pool2d)
{
    avg_pool(b, 2);
}

FL_LOWER(avg_pool3d)
{
    avg_pool(b, 3);
}

/* Windows side by side: every input place belongs to one window (or none, at the end). */
static fl_ref spread(fl_builder *b, fl_ref g, const pool_args *args)
{
    for (int i = 0; i < args->spatial; i++) {
        int64_t dims[FL_MAX_RANK], where[FL_MAX_RANK];
        int d = args->first + i, rank = fl_get_dims(b, g, dims), n = 0;
        int64_t out[FL_MAX_RANK + 1];
        for (int k = 0; k < rank; k++) {
            where[k] = n;
            out[n++] = dims[k];
            if (k == d) out[n++] = args->kernel[i];
        }
        g = fl_merge_dims(b, fl_broadcast_in_dim(b, g, n, out, where), d, 2);
        g = fl_pad_dim(b, g, d, fl_scalar_f(b, fl_dtypeof(b, g), 0), 0,
                       args->in[i] - args->out[i] * args->kernel[i], 0);
    }
    return g;
}

static void avg_pool_backward(fl_builder *b, int spatial)
{
    fl_ref dy = fl_in(b, 0), x = fl_in(b, 1);
    fl_dtype dtype = fl_dtypeof(b, dy), math = fl_op_math(dtype);
    pool_args args;
    if (!read_args(b, x, spatial, 2, 0, fl_bool(b, 5), &args)) return;
    fl_ref g = divide_by_counts(b, fl_cast(b, dy, math), &args, fl_bool(b, 6), 7);
    int side_by_side = 1;
    for (int i = 0; i < spatial; i++)
        side_by_side &= args.kernel[i] == args.stride[i] && !args.padding[i] &&
                        args.out[i] * args.kernel[i] <= args.in[i];
    if (side_by_side) {
        fl_emit(b, fl_cast(b, spread(b, g, &args), dtype));
        return;
    }
    window_args w = {0};
    for (int i = 0; i < args.rank; i++) w.size[i] = w.stride[i] = w.dilation[i] = 1;
    for (int i = 0; i < spatial;
         i++) { /* sum the windows over every place: stride 1 over the spread gradient */
        int d = args.first + i;
        int64_t low = args.kernel[i] - 1 - args.padding[i];
        w.size[d] = args.kernel[i];
        w.dilation[d] = args.stride[i];
        w.padding[2 * d] = low;
        w.padding[2 * d + 1] =
            args.in[i] + args.kernel[i] - 1 - low - ((args.out[i] - 1) * args.stride[i] + 1);
    }
    fl_ref dx = fl_reduce_window(b, FL_OP_add, g, w.size, w.stride, w.padding, w.dilation, NULL);
    fl_emit(b, fl_cast(b, dx, dtype));
}

FL_LOWER(avg_pool2d_backward)
{
    avg_pool_backward(b, 2);
}

FL_LOWER(avg_pool3d_backward)
{
    avg_pool_backward(b, 3);
}
