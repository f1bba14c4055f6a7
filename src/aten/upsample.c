/* Resampling: one banded map for each dimension. The gradients are the same maps transposed. */
#include "aten/band.h"
#include "aten/formula.h"
#include "aten/sizes.h"
#include "aten/table.h"
#include <math.h>

typedef enum filter { NEAREST, NEAREST_EXACT, LINEAR, CUBIC, LINEAR_AA, CUBIC_AA, LANCZOS_AA } filter;

/* input places for one output place */
static double source_scale(int64_t in, int64_t out, int align_corners, double scale)
{
    if (align_corners) return out > 1 ? (double)(in - 1) / (double)(out - 1) : 0;
    return scale > 0 ? 1 / scale : (double)in / (double)out;
}

static fl_band *nearest_band(fl_builder *b, int64_t in, int64_t out, int exact, double scale)
{
    fl_band *band = fl_band_new(b, in, out, 1);
    if (!band) return NULL;
    float step = (float)source_scale(in, out, 0, scale); /* f32, as PyTorch computes places */
    for (int64_t i = 0; i < out; i++) {
        float at = exact ? ((float)i + 0.5f) * step : (float)i * step;
        band->start[i] = fl_max_i(0, fl_min_i((int64_t)floorf(at), in - 1));
        band->weight[i] = 1;
    }
    return band;
}

static double cubic(double x, double a)
{
    x = fabs(x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* Taps outside the input fall on its edge. */
static void add_tap(fl_band *band, int64_t i, int64_t place, double weight)
{
    int64_t k = fl_max_i(0, fl_min_i(place, band->in - 1)) - band->start[i];
    double *w = &band->weight[i * band->width + k];
    *w = isnan(*w) ? weight : *w + weight;
}

static fl_band *smooth_band(fl_builder *b, int64_t in, int64_t out, int is_cubic, int align_corners,
                            double scale)
{
    int64_t taps = is_cubic ? 4 : 2;
    fl_band *band = fl_band_new(b, in, out, fl_min_i(taps, in));
    if (!band) return NULL;
    double step = source_scale(in, out, align_corners, scale);
    for (int64_t i = 0; i < out; i++) {
        double at = align_corners ? step * (double)i : step * ((double)i + 0.5) - 0.5;
        if (!is_cubic && at < 0) at = 0;
        int64_t floor_at = (int64_t)floor(at), first = is_cubic ? floor_at - 1 : fl_min_i(floor_at, in - 1);
        double t = at - (double)floor_at;
        band->start[i] = fl_max_i(0, fl_min_i(first, in - band->width));
        if (!is_cubic) {
            add_tap(band, i, first, 1 - t);
            add_tap(band, i, first + 1, t);
            continue;
        }
        for (int64_t k = 0; k < 4; k++) add_tap(band, i, first + k, cubic((double)(k - 1) - t, -0.75));
    }
    return band;
}

static double lanczos(double x)
{
    double p = 3.14159265358979323846 * x;
    if (fabs(x) >= 3) return 0;
    return x == 0 ? 1 : 3 * sin(p) * sin(p / 3) / (p * p);
}

static double smoothing(filter f, double x)
{
    if (f == LINEAR_AA) return fabs(x) < 1 ? 1 - fabs(x) : 0;
    return f == CUBIC_AA ? cubic(x, -0.5) : lanczos(x);
}

/* Antialiased: the filter widens with the step, its weights are normalised. Places are f32 unless `wide`, as
 * PyTorch's. */
static fl_band *antialias_band(fl_builder *b, int64_t in, int64_t out, filter f, int align_corners,
                               double scale, int wide)
{
    double step = source_scale(in, out, align_corners, scale);
    if (!wide) step = (float)step;
    double stretch = step >= 1 ? step : 1;
    double support = (f == LINEAR_AA ? 1 : f == CUBIC_AA ? 2 : 3) * stretch;
    fl_band *band = fl_band_new(b, in, out, fl_min_i((int64_t)ceil(support) * 2 + 1, in));
    if (!band) return NULL;
    for (int64_t i = 0; i < out; i++) {
        double centre = step * ((double)i + 0.5), total = 0;
        if (!wide) centre = (float)centre;
        int64_t start = fl_max_i((int64_t)(centre - support + 0.5), 0),
                end = fl_min_i((int64_t)(centre + support + 0.5), in);
        end = fl_min_i(end, start + band->width);
        double *w = &band->weight[i * band->width];
        band->start[i] = fl_min_i(start, in - 1);
        for (int64_t k = start; k < end; k++)
            total += w[k - start] = smoothing(f, ((double)k - centre + 0.5) / stretch);
        for (int64_t k = start; k < end && total != 0; k++) w[k - start] /= total;
    }
    return band;
}

static fl_band *resampling(fl_builder *b, filter f, int64_t in, int64_t out, int align_corners, double scale,
                           int wide)
{
    switch (f) {
    case NEAREST:
    case NEAREST_EXACT: return nearest_band(b, in, out, f == NEAREST_EXACT, scale);
    case LINEAR:
    case CUBIC: return smooth_band(b, in, out, f == CUBIC, align_corners, scale);
    default: return antialias_band(b, in, out, f, align_corners, scale, wide);
    }
}

/* Weights as PyTorch has them for bytes: whole multiples of a power of two, which leaves the largest weight 15 bits. Sums of
 * bytes are exact then. Gives the type that holds them. */
static fl_dtype round_weights(fl_band *band)
{
    double most = 0, widest = 0;
    int bits = 0;
    for (int64_t i = 0; i < band->out * band->width; i++) most = fmax(most, band->weight[i]);
    while (bits < 22 && (int64_t)(0.5 + ldexp(most, bits + 1)) < 1 << 15) bits++;
    for (int64_t i = 0; i < band->out; i++) {
        double total = 0;
        for (int64_t k = 0; k < band->width; k++) {
            double *w = &band->weight[i * band->width + k];
            if (isnan(*w)) continue;
            *w = ldexp(round(ldexp(*w, bits)), -bits);
            total += fabs(*w);
        }
        widest = fmax(widest, total);
    }
    return ldexp(255 * widest, bits) < 0x1p24 ? FL_F32 : FL_F64;
}

/* One pass over bytes, rounded half up. */
static fl_ref pass_of_bytes(fl_builder *b, fl_ref x, int dim, fl_band *band)
{
    if (!band) return FL_NO_REF;
    x = fl_band_apply(b, fl_cast(b, x, round_weights(band)), dim, band);
    return fl_clamp(b, fl_const(b, x, 0), fl_floor(b, fl_add_c(b, x, 0.5)), fl_const(b, x, 255));
}

/* forward(self, output_size, [align_corners,] scales...), backward(grad_output, output_size, input_size,
 * [align_corners,] scales...) */
static void resample(fl_builder *b, filter f, int spatial, int backward)
{
    fl_ref x = fl_in(b, 0);
    int64_t out[3], in[FL_MAX_RANK];
    int aligned_form = f != NEAREST && f != NEAREST_EXACT, at = backward ? 3 : 2;
    uint32_t sizes = fl_ints(b, 1, out, 3);
    if (backward)
        fl_ints(b, 2, in, FL_MAX_RANK);
    else
        fl_get_dims(b, x, in);
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, sizes == (uint32_t)spatial && fl_rank(b, x) == spatial + 2, FL_INVALID,
               "It is expected input_size equals to %d, but got size %d", spatial + 2, fl_rank(b, x));
    int align_corners = aligned_form && fl_bool(b, at);
    at += aligned_form;
    fl_dtype dtype = fl_dtypeof(b, x), math = fl_op_math(dtype);
    const int bytes = aligned_form && spatial == 2 && dtype == FL_U8, wide = bytes || dtype == FL_F64;
    FL_REQUIRE(b, !aligned_form || bytes || fl_is_float(dtype), FL_UNSUPPORTED,
               "weighted sums are of floating-point numbers or uint8, got %s", fl_torch_type_name(dtype));
    x = fl_cast(b, x, math);
    for (int i = spatial - 1; i >= 0; i--) {
        FL_REQUIRE(b, in[i + 2] > 0 && out[i] > 0, FL_INVALID,
                   "Input and output sizes should be greater than 0");
        double scale = fl_has(b, at + i) ? fl_static_double(b, at + i) : 0;
        fl_band *band = resampling(b, f, in[i + 2], out[i], align_corners, scale, wide);
        if (bytes)
            x = pass_of_bytes(b, x, i + 2, band);
        else
            x = fl_band_apply(b, x, i + 2, backward ? fl_band_transposed(b, band) : band);
    }
    fl_emit(b, fl_cast(b, x, dtype));
}

#define UPSAMPLE(name, filter, spatial)                                                                      \
    FL_LOWER(name)                                                                                           \
    {                                                                                                        \
        resample(b, filter, spatial, 0);                                                                     \
    }                                                                                                        \
    FL_LOWER(name##_backward)                                                                                \
    {                                                                                                        \
        resample(b, filter, spatial, 1);                                                                     \
    }
UPSAMPLE(upsample_nearest1d, NEAREST, 1)
UPSAMPLE(upsample_nearest2d, NEAREST, 2)
UPSAMPLE(upsample_nearest3d, NEAREST, 3)
UPSAMPLE(upsample_nearest_exact1d, NEAREST_EXACT, 1)
UPSAMPLE(upsample_nearest_exact2d, NEAREST_EXACT, 2)
UPSAMPLE(upsample_nearest_exact3d, NEAREST_EXACT, 3)
UPSAMPLE(upsample_linear1d, LINEAR, 1)
UPSAMPLE(upsample_bilinear2d, LINEAR, 2)
UPSAMPLE(upsample_trilinear3d, LINEAR, 3)
UPSAMPLE(upsample_bicubic2d, CUBIC, 2)
UPSAMPLE(upsample_bilinear2d_aa, LINEAR_AA, 2)
UPSAMPLE(upsample_bicubic2d_aa, CUBIC_AA, 2)
UPSAMPLE(upsample_lanczos2d_aa, LANCZOS_AA, 2)
