/* Pooling to a given output size: windows of uneven size (adaptive) or of random place (fractional). */
#include "aten/band.h"
#include "aten/pool.h"
#include "aten/sizes.h"
#include "aten/table.h"
#include "ir/pool.h"

typedef struct uneven_windows {
    int64_t *start, *end;
    int64_t largest;
    int even; /* all of the same size, side by side */
} uneven_windows;

static int adaptive_windows(fl_builder *b, int64_t in, int64_t out, uneven_windows *w)
{
    *w = (uneven_windows){.start = fl_scratch(b, out, sizeof(int64_t)),
                          .end = fl_scratch(b, out, sizeof(int64_t)),
                          .largest = 1};
    if (!w->start || !w->end) return 0;
    for (int64_t i = 0; i < out; i++) {
        w->start[i] = i * in / out;
        w->end[i] = ((i + 1) * in + out - 1) / out;
        w->largest = fl_max_i(w->largest, w->end[i] - w->start[i]);
    }
    w->even = out && in % out == 0;
    return 1;
}

/* Reads output_size and checks the ranks; gives the first spatial dimension or -1. */
static int read_sizes(fl_builder *b, fl_ref x, int spatial, int arg, int64_t *out)
{
    uint32_t n = fl_ints(b, arg, out, 3);
    if (!fl_ok(b)) return -1;
    int first = fl_rank(b, x) - spatial;
    if (n != (uint32_t)spatial)
        fl_builder_fail(b, fl_error(FL_INVALID, "output_size must be %d", spatial));
    else if (first != 1 && first != 2)
        fl_builder_fail(b, fl_error(FL_INVALID, "Expected %dD or %dD tensor, but got %s", spatial + 1,
                                    spatial + 2, fl_sizes_in_text(b, x).text));
    return fl_ok(b) ? first : -1;
}

static const char *const averages[] = {[2] = "adaptive_avg_pool2d", [3] = "adaptive_avg_pool3d"};
static const char *const averages_backward[] = {[2] = "adaptive_avg_pool2d_backward",
                                                [3] = "adaptive_avg_pool3d_backward"};

/* sums over the windows of each dimension in turn, and their sizes for the division */
static void adaptive_avg_pool(fl_builder *b, int spatial)
{
    fl_ref x = fl_in(b, 0);
    int64_t out[3];
    int first = read_sizes(b, x, spatial, 1, out);
    if (first < 0) return;
    fl_refuse_empty(b, averages[spatial], "input", x, spatial == 2 ? first : 1);
    fl_dtype dtype = fl_dtypeof(b, x), math = fl_op_math(dtype);
    FL_REQUIRE(b, fl_is_float(dtype), FL_UNSUPPORTED, "averages of this element type");
    x = fl_cast(b, x, math);
    double even_count = 1;
    for (int i = spatial - 1; i >= 0; i--) {
        uneven_windows w;
        int64_t in = fl_dim(b, x, first + i);
        if (!adaptive_windows(b, in, out[i], &w)) return;
        x = fl_band_apply(b, x, first + i, fl_band_windows(b, in, out[i], w.start, w.end));
        if (w.even) {
            even_count *= (double)w.largest;
            continue;
        }
        double *counts = fl_scratch(b, out[i], sizeof *counts);
        if (!counts) return;
        for (int64_t o = 0; o < out[i]; o++) counts[o] = (double)(w.end[o] - w.start[o]);
        x = fl_div(b, x, fl_along_dim(b, fl_const_floats(b, math, counts, out[i]), x, first + i));
    }
    if (even_count != 1) x = fl_div(b, x, fl_scalar_f(b, math, even_count));
    fl_emit(b, fl_cast(b, x, dtype));
}

FL_LOWER(adaptive_avg_pool2d)
{
    adaptive_avg_pool(b, 2);
}

FL_LOWER(adaptive_avg_pool3d)
{
    adaptive_avg_pool(b, 3);
}

static void adaptive_avg_pool_backward(fl_builder *b, int spatial)
{
    fl_ref g = fl_in(b, 0), x = fl_in(b, 1);
    if (!fl_ok(b)) return;
    int first = fl_rank(b, x) - spatial;
    FL_REQUIRE(b, first > 0 && fl_rank(b, g) == fl_rank(b, x), FL_INVALID,
               "expected a gradient of %d dimensions, got %d", fl_rank(b, x), fl_rank(b, g));
    fl_refuse_empty(b, averages_backward[spatial], "grad_output", g, 1);
    fl_dtype dtype = fl_dtypeof(b, g), math = fl_op_math(dtype);
    g = fl_cast(b, g, math);
    for (int i = 0; i < spatial; i++) {
        int64_t in = fl_dim(b, x, first + i), out = fl_dim(b, g, first + i);
        uneven_windows w;
        if (!adaptive_windows(b, in, out, &w)) return;
        double *counts = fl_scratch(b, out, sizeof *counts);
        if (!counts) return;
        for (int64_t o = 0; o < out; o++) counts[o] = (double)(w.end[o] - w.start[o]);
        if (w.even)
            g = fl_div(b, g, fl_scalar_f(b, math, (double)w.largest));
        else
            g = fl_div(b, g, fl_along_dim(b, fl_const_floats(b, math, counts, out), g, first + i));
        g = fl_band_apply(b, g, first + i,
                          fl_band_transposed(b, fl_band_windows(b, in, out, w.start, w.end)));
    }
    fl_emit(b, fl_cast(b, g, dtype));
}

FL_LOWER(adaptive_avg_pool2d_backward)
{
    adaptive_avg_pool_backward(b, 2);
}

FL_LOWER(adaptive_avg_pool3d_backward)
{
    adaptive_avg_pool_backward(b, 3);
}

/* Places of every window one after another, `largest` for each: short windows repeat their first place, which
 * changes nothing. */
static fl_ref window_places(fl_builder *b, const uneven_windows *w, int64_t out)
{
    int64_t *places = fl_scratch(b, out * w->largest, sizeof *places);
    if (!places) return FL_NO_REF;
    for (int64_t o = 0; o < out; o++)
        for (int64_t k = 0; k < w->largest; k++)
            places[o * w->largest + k] = w->start[o] + k < w->end[o] ? w->start[o] + k : w->start[o];
    return fl_const_ints(b, places, out * w->largest);
}

static void adaptive_max_pool(fl_builder *b, int spatial)
{
    fl_ref x = fl_in(b, 0), value, index;
    int64_t out[3], window[FL_MAX_RANK], padding[2 * FL_MAX_RANK] = {0};
    int first = read_sizes(b, x, spatial, 1, out);
    if (first < 0) return;
    for (int i = 0; i < first; i++) window[i] = 1;
    fl_ref place = fl_plane_positions(b, x, spatial);
    for (int i = 0; i < spatial; i++) {
        uneven_windows w;
        if (!adaptive_windows(b, fl_dim(b, x, first + i), out[i], &w)) return;
        window[first + i] = w.largest;
        if (w.even) continue;
        fl_ref places = window_places(b, &w, out[i]);
        x = fl_index_select(b, x, first + i, places);
        place = fl_index_select(b, place, first + i, places);
    }
    fl_max_pool_with_index(b, x, place, window, window, padding, NULL, &value, &index);
    fl_emit(b, value);
    fl_emit(b, index);
}

FL_LOWER(adaptive_max_pool2d)
{
    adaptive_max_pool(b, 2);
}

FL_LOWER(adaptive_max_pool3d)
{
    adaptive_max_pool(b, 3);
}

static void indexed_backward(fl_builder *b, int spatial, int index_arg)
{
    fl_ref dy = fl_in(b, 0), x = fl_in(b, 1), index = fl_in(b, index_arg);
    int64_t dims[FL_MAX_RANK];
    int rank = fl_get_dims(b, x, dims);
    if (!fl_ok(b)) return;
    fl_dtype dtype = fl_dtypeof(b, dy);
    fl_ref dx = fl_scatter_planes(b, FL_OP_add, fl_cast(b, dy, fl_op_math(dtype)), index, rank, dims, spatial,
                                  "max_pool_backward");
    fl_emit(b, fl_cast(b, dx, dtype));
}

FL_LOWER(adaptive_max_pool2d_backward)
{
    indexed_backward(b, 2, 2);
}

FL_LOWER(adaptive_max_pool3d_backward)
{
    indexed_backward(b, 3, 2);
}

FL_LOWER(fractional_max_pool2d_backward)
{
    indexed_backward(b, 2, 4);
}

FL_LOWER(fractional_max_pool3d_backward)
{
    indexed_backward(b, 3, 4);
}

/* [rows, out * kernel] places along a dimension of size `in`: windows begin at int((i + s) * alpha) - int(s *
 * alpha) with alpha = (in - kernel) / (out - 1), the last one at the end. */
static fl_ref fractional_places(fl_builder *b, fl_ref sample, int64_t in, int64_t out, int64_t kernel)
{
    int64_t rows = fl_dim(b, sample, 0), dims[3] = {rows, out, kernel}, to_rows[] = {0},
            flat[2] = {rows, out * kernel};
    fl_dtype dtype = fl_dtypeof(b, sample);
    fl_type type = fl_type_make(dtype, 2, dims);
    fl_ref alpha = fl_scalar_f(b, dtype, out > 1 ? (double)(in - kernel) / (double)(out - 1) : 0);
    fl_ref s = fl_broadcast_in_dim(b, sample, 2, dims, to_rows);
    fl_ref begin = fl_cast(b, fl_mul(b, fl_add(b, fl_iota(b, type, 1), s), alpha), FL_I64);
    begin = fl_sub(b, begin, fl_cast(b, fl_mul(b, s, alpha), FL_I64));
    type.dtype = FL_I64;
    fl_ref at_end = fl_compare(b, FL_EQ, fl_iota(b, type, 1), fl_scalar_i(b, FL_I64, out - 1));
    begin = fl_select(b, at_end, fl_scalar_i(b, FL_I64, in - kernel), begin);
    int64_t to_windows[] = {0, 1};
    fl_type all = fl_type_make(FL_I64, 3, dims);
    fl_ref places = fl_add(b, fl_broadcast_in_dim(b, begin, 3, dims, to_windows), fl_iota(b, all, 2));
    places = fl_max(b, fl_min(b, places, fl_scalar_i(b, FL_I64, in - 1)), fl_scalar_i(b, FL_I64, 0));
    return fl_reshape(b, places, 2, flat);
}

static void fractional_max_pool(fl_builder *b, int spatial)
{
    static const int64_t none[3] = {0};
    fl_ref x = fl_in(b, 0), samples = fl_in(b, 3), value, index;
    int64_t kernel[3], out[3], dims[FL_MAX_RANK], rows = 1;
    fl_ints_n(b, 1, kernel, (uint32_t)spatial, none);
    int first = read_sizes(b, x, spatial, 2, out);
    if (first < 0) return;
    int rank = fl_get_dims(b, x, dims);
    for (int i = 0; i < first; i++) rows *= dims[i];
    int64_t sample_dims[2] = {rows, spatial},
            flat[4] = {rows, dims[first], dims[first + 1], spatial == 3 ? dims[first + 2] : 1};
    samples = fl_cast(b, samples, fl_op_math(fl_dtypeof(b, samples)));
    if (fl_rank(b, samples) == 3 &&
        fl_elements(b, samples) > rows * spatial) /* of a larger batch: the first */
        samples = fl_slice_dim(b, samples, 0, 0, rows / fl_max_i(fl_dim(b, samples, 1), 1), 1);
    samples = fl_reshape(b, samples, 2, sample_dims);
    x = fl_reshape(b, x, spatial + 1, flat);
    fl_ref place = fl_plane_positions(b, x, spatial);
    int64_t window[4] = {1, 1, 1, 1}, padding[8] = {0};
    for (int i = 0; i < spatial; i++) {
        FL_REQUIRE(b, kernel[i] > 0 && out[i] + kernel[i] - 1 <= flat[i + 1], FL_INVALID,
                   "pool size %lld too large relative to input size %lld", (long long)kernel[i],
                   (long long)flat[i + 1]);
        int which = spatial == 2 ? 1 - i : i; /* in two dimensions the first sample is for the width */
        fl_ref sample = fl_squeeze(b, fl_slice_dim(b, samples, 1, which, which + 1, 1), 1);
        fl_ref places = fractional_places(b, sample, flat[i + 1], out[i], kernel[i]);
        int64_t wide[4], where[2] = {0, i + 1};
        fl_get_dims(b, x, dims);
        for (int k = 0; k <= spatial; k++) wide[k] = dims[k];
        wide[i + 1] = out[i] * kernel[i];
        window[i + 1] = kernel[i];
        places = fl_broadcast_in_dim(b, places, spatial + 1, wide, where);
        x = fl_gather_along(b, x, i + 1, places);
        place = fl_gather_along(b, place, i + 1, places);
    }
    fl_max_pool_with_index(b, x, place, window, window, padding, NULL, &value, &index);
    fl_get_dims(b, fl_in(b, 0), dims);
    for (int i = 0; i < spatial; i++) dims[first + i] = out[i];
    fl_emit(b, fl_reshape(b, value, rank, dims));
    fl_emit(b, fl_reshape(b, index, rank, dims));
}

FL_LOWER(fractional_max_pool2d)
{
    fractional_max_pool(b, 2);
}

FL_LOWER(fractional_max_pool3d)
{
    fractional_max_pool(b, 3);
}
