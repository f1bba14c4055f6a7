/* Sampling at given places: a product of one-dimensional interpolations. Along each dimension every output
 * place has a few taps (1 nearest, 2 linear, 4 cubic), each a place, a weight, and the derivative of the
 * weight. */
#include "aten/shapes.h"
#include "aten/table.h"

enum { BILINEAR, NEAREST, BICUBIC };
enum { ZEROS, BORDER, REFLECTION };

typedef struct axis {
    int64_t size, stride;
    fl_ref place[4], inside[4], weight[4],
        slope[4]; /* [N, P]; place is i64, inside may be FL_NO_REF (always) */
    fl_ref chain; /* d coordinate / d grid */
} axis;

typedef struct sampler {
    int spatial, taps, mode, padding, align;
    int64_t batch, channels, places, plane, out[3];
    fl_dtype math;
    axis axes[3];
} sampler;

static fl_ref number(fl_builder *b, const sampler *s, double x)
{
    return fl_scalar_f(b, s->math, x);
}

/* Coordinate u into [0, size - 1]; *chain (may be NULL) is multiplied by the derivative. */
static fl_ref clip(fl_builder *b, const sampler *s, fl_ref u, int64_t size, fl_ref *chain)
{
    fl_ref zero = number(b, s, 0), last = number(b, s, (double)(size - 1));
    if (chain) {
        fl_ref free = fl_and(b, fl_compare(b, FL_GT, u, zero), fl_compare(b, FL_LT, u, last));
        *chain = fl_select(b, free, *chain, zero);
    }
    return fl_min(b, fl_max(b, u, zero), last);
}

/* Mirrors at the middles of the edge elements (align) or at their outer edges. */
static fl_ref reflect(fl_builder *b, const sampler *s, fl_ref u, int64_t size, fl_ref *chain)
{
    double low = s->align ? 0 : -0.5, span = s->align ? (double)(size - 1) : (double)size;
    fl_ref zero = number(b, s, 0);
    if (span == 0) {
        if (chain) *chain = fl_mul(b, *chain, zero);
        return fl_mul(b, u, zero);
    }
    fl_ref from_low = fl_sub(b, u, number(b, s, low)), distance = fl_abs(b, from_low),
           width = number(b, s, span);
    fl_ref flips = fl_floor(b, fl_div(b, distance, width)), extra = fl_rem(b, distance, width);
    fl_ref odd = fl_compare(b, FL_NE, fl_rem(b, flips, number(b, s, 2)), zero);
    if (chain) {
        fl_ref turned = fl_xor(b, odd, fl_compare(b, FL_LT, from_low, zero));
        *chain = fl_select(b, turned, fl_neg(b, *chain), *chain);
    }
    return fl_add(b, fl_select(b, odd, fl_sub(b, width, extra), extra), number(b, s, low));
}

static fl_ref apply_padding(fl_builder *b, const sampler *s, fl_ref u, int64_t size, fl_ref *chain)
{
    if (s->padding == REFLECTION) u = reflect(b, s, u, size, chain);
    return s->padding == ZEROS ? u : clip(b, s, u, size, chain);
}

static void set_place(fl_builder *b, const sampler *s, axis *a, int k, fl_ref u)
{
    fl_ref zero = number(b, s, 0), last = number(b, s, (double)(a->size - 1));
    a->inside[k] = fl_and(b, fl_compare(b, FL_GE, u, zero), fl_compare(b, FL_LE, u, last));
    a->place[k] = fl_cast(b, fl_select(b, a->inside[k], u, zero), FL_I64);
}

/* ((c3 x + c2) x + c1) x + c0 */
static fl_ref cubic(fl_builder *b, const sampler *s, fl_ref x, double c3, double c2, double c1, double c0)
{
    fl_ref y = fl_add(b, fl_mul(b, x, number(b, s, c3)), number(b, s, c2));
    y = fl_add(b, fl_mul(b, y, x), number(b, s, c1));
    return fl_add(b, fl_mul(b, y, x), number(b, s, c0));
}

/* Keys' kernel with a = -0.75 at t + 1, t, 1 - t, 2 - t, and its derivative with regard to t */
static void cubic_taps(fl_builder *b, const sampler *s, axis *a, fl_ref u)
{
    const double A = -0.75;
    fl_ref floor = fl_floor(b, u), t = fl_sub(b, u, floor), one = number(b, s, 1);
    for (int k = 0; k < 4; k++) {
        fl_ref x = k == 0   ? fl_add(b, t, one)
                   : k == 1 ? t
                   : k == 2 ? fl_sub(b, one, t)
                            : fl_sub(b, number(b, s, 2), t);
        int outer = k == 0 || k == 3;
        a->weight[k] =
            outer ? cubic(b, s, x, A, -5 * A, 8 * A, -4 * A) : cubic(b, s, x, A + 2, -(A + 3), 0, 1);
        fl_ref slope = outer ? cubic(b, s, x, 0, 3 * A, -10 * A, 8 * A)
                             : cubic(b, s, x, 0, 3 * (A + 2), -2 * (A + 3), 0);
        a->slope[k] = k < 2 ? slope : fl_neg(b, slope);
        set_place(b, s, a, k, apply_padding(b, s, fl_add(b, floor, number(b, s, k - 1)), a->size, NULL));
    }
}

/* grid component of one axis, [N, P] in [-1, 1], to taps */
static void make_axis(fl_builder *b, const sampler *s, axis *a, fl_ref grid)
{
    double half = (double)(s->align ? a->size - 1 : a->size) / 2;
    fl_ref one = number(b, s, 1), u = fl_mul(b, fl_add(b, grid, one), number(b, s, half));
    if (!s->align) u = fl_sub(b, u, number(b, s, 0.5));
    a->chain = fl_broadcast_like(b, number(b, s, half), u);
    if (s->mode == BICUBIC) {
        cubic_taps(b, s, a, u);
        return;
    }
    u = apply_padding(b, s, u, a->size, &a->chain);
    if (s->mode == NEAREST) {
        set_place(b, s, a, 0, fl_round(b, u));
        return;
    }
    fl_ref floor = fl_floor(b, u), t = fl_sub(b, u, floor);
    a->weight[0] = fl_sub(b, one, t);
    a->weight[1] = t;
    a->slope[0] = fl_broadcast_like(b, number(b, s, -1), u);
    a->slope[1] = fl_broadcast_like(b, one, u);
    set_place(b, s, a, 0, floor);
    set_place(b, s, a, 1, fl_add(b, floor, one));
}

/* mode, padding, align_corners stand at `first`...; x [N, C, ...], grid [N, ..., spatial] */
static int make_sampler(fl_builder *b, fl_ref x, fl_ref grid, int spatial, int first, sampler *s)
{
    *s = (sampler){.spatial = spatial,
                   .mode = (int)fl_int(b, first),
                   .padding = (int)fl_int(b, first + 1),
                   .align = fl_bool(b, first + 2)};
    if (!fl_ok(b)) return 0;
    if (fl_rank(b, x) != spatial + 2 || fl_rank(b, grid) != spatial + 2 || fl_dim(b, grid, -1) != spatial ||
        (s->mode == BICUBIC && spatial == 3)) {
        fl_builder_fail(b,
                        fl_error(FL_INVALID, "grid_sampler(): expected %dD input and grid with %d components",
                                 spatial + 2, spatial));
        return 0;
    }
    for (int i = 0; i < spatial; i++)
        if (!fl_dim(b, x, i + 2)) {
            fl_builder_fail(b, fl_error(FL_INVALID,
                                        "grid_sampler(): expected input to have non-empty spatial "
                                        "dimensions, but dimension %d is empty",
                                        i + 2));
            return 0;
        }
    s->taps = s->mode == NEAREST ? 1 : s->mode == BILINEAR ? 2 : 4;
    s->math = fl_op_math(fl_dtypeof(b, x));
    s->batch = fl_dim(b, x, 0);
    s->channels = fl_dim(b, x, 1);
    s->places = s->plane = 1;
    for (int i = spatial - 1; i >= 0; i--) {
        s->axes[i].size = fl_dim(b, x, i + 2);
        s->axes[i].stride = s->plane;
        s->plane *= s->axes[i].size;
        s->out[i] = fl_dim(b, grid, i + 1);
        s->places *= s->out[i];
    }
    int64_t flat[3] = {s->batch, s->places, spatial};
    grid = fl_reshape(b, fl_cast(b, grid, s->math), 3, flat);
    for (int i = 0; i < spatial; i++) { /* the first component belongs to the last dimension */
        int which = spatial - 1 - i;
        make_axis(b, s, &s->axes[i], fl_squeeze(b, fl_slice_dim(b, grid, 2, which, which + 1, 1), 2));
    }
    return fl_ok(b);
}

/* [N, P] seen as [N, C, P] */
static fl_ref over_channels(fl_builder *b, const sampler *s, fl_ref x)
{
    int64_t dims[3] = {s->batch, s->channels, s->places}, where[2] = {0, 2};
    return fl_broadcast_in_dim(b, x, 3, dims, where);
}

typedef struct tap {
    int k[3];
    fl_ref place, inside; /* [N, C, P] */
    fl_ref weight;        /* [N, P], FL_NO_REF for 1 */
} tap;

static fl_ref multiplied(fl_builder *b, fl_ref x, fl_ref y)
{
    return x ? fl_mul(b, x, y) : y;
}

/* Product of the weights, with the derivative instead for dimension `derived` (-1: none). */
static fl_ref weight_of(fl_builder *b, const sampler *s, const tap *t, int derived)
{
    fl_ref w = FL_NO_REF;
    if (s->mode == NEAREST) return w;
    for (int i = 0; i < s->spatial; i++)
        w = multiplied(b, w, i == derived ? s->axes[i].slope[t->k[i]] : s->axes[i].weight[t->k[i]]);
    return w;
}

static tap make_tap(fl_builder *b, const sampler *s, int number)
{
    tap t = {0};
    fl_ref place = FL_NO_REF, inside = FL_NO_REF;
    for (int i = 0; i < s->spatial; i++, number /= s->taps) {
        const axis *a = &s->axes[i];
        int k = t.k[i] = number % s->taps;
        fl_ref along = fl_mul(b, a->place[k], fl_scalar_i(b, FL_I64, a->stride));
        place = place ? fl_add(b, place, along) : along;
        inside = inside ? fl_and(b, inside, a->inside[k]) : a->inside[k];
    }
    t.place = over_channels(b, s, place);
    t.inside = over_channels(b, s, inside);
    t.weight = weight_of(b, s, &t, -1);
    return t;
}

static int tap_count(const sampler *s)
{
    int n = 1;
    for (int i = 0; i < s->spatial; i++) n *= s->taps;
    return n;
}

static fl_ref tap_values(fl_builder *b, const sampler *s, fl_ref planes, const tap *t)
{
    return fl_select(b, t->inside, fl_gather_along(b, planes, 2, t->place), number(b, s, 0));
}

static void sample(fl_builder *b, int spatial)
{
    fl_ref x = fl_in(b, 0), sum = FL_NO_REF;
    sampler s;
    if (!make_sampler(b, x, fl_in(b, 1), spatial, 2, &s)) return;
    fl_dtype dtype = fl_dtypeof(b, x);
    int64_t flat[3] = {s.batch, s.channels, s.plane},
            dims[5] = {s.batch, s.channels, s.out[0], s.out[1], s.out[2]};
    fl_ref planes = fl_reshape(b, fl_cast(b, x, s.math), 3, flat);
    for (int n = 0; n < tap_count(&s); n++) {
        tap t = make_tap(b, &s, n);
        fl_ref values = tap_values(b, &s, planes, &t);
        if (t.weight) values = fl_mul(b, values, over_channels(b, &s, t.weight));
        sum = sum ? fl_add(b, sum, values) : values;
    }
    fl_emit(b, fl_cast(b, fl_reshape(b, sum, spatial + 2, dims), dtype));
}

/* Gradient of the grid: for each dimension the sum over taps and channels of value * gradient * slope. */
static fl_ref grid_gradient(fl_builder *b, const sampler *s, fl_ref planes, fl_ref g)
{
    fl_ref parts[3] = {FL_NO_REF};
    for (int n = 0; n < tap_count(s); n++) {
        tap t = make_tap(b, s, n);
        fl_ref dot = fl_reduce_dim(b, FL_OP_add, fl_mul(b, tap_values(b, s, planes, &t), g), 1, 0);
        for (int i = 0; i < s->spatial; i++) {
            fl_ref part =
                s->mode == NEAREST ? fl_full_like(b, dot, 0) : fl_mul(b, dot, weight_of(b, s, &t, i));
            parts[i] = parts[i] ? fl_add(b, parts[i], part) : part;
        }
    }
    fl_ref columns[3];
    for (int i = 0; i < s->spatial; i++)
        columns[s->spatial - 1 - i] = fl_unsqueeze(b, fl_mul(b, parts[i], s->axes[i].chain), 2);
    return fl_concat(b, columns, (uint32_t)s->spatial, 2);
}

/* backward(grad_output, input, grid, mode, padding, align_corners, output_mask) */
static void sample_backward(fl_builder *b, int spatial)
{
    fl_ref dy = fl_in(b, 0), x = fl_in(b, 1), grid = fl_in(b, 2);
    int64_t wanted[2] = {0};
    sampler s;
    fl_ints(b, 6, wanted, 2);
    if (!make_sampler(b, x, grid, spatial, 3, &s)) return;
    fl_dtype dtype = fl_dtypeof(b, x);
    int64_t flat[3] = {s.batch, s.channels, s.plane}, out[3] = {s.batch, s.channels, s.places};
    fl_ref g = fl_reshape(b, fl_cast(b, dy, s.math), 3, out);
    if (wanted[0]) {
        fl_ref sum = fl_zeros(b, s.math, 3, flat);
        for (int n = 0; n < tap_count(&s); n++) {
            tap t = make_tap(b, &s, n);
            fl_ref part = t.weight ? fl_mul(b, g, over_channels(b, &s, t.weight)) : g;
            part = fl_select(b, t.inside, part, number(b, &s, 0));
            sum = fl_scatter_along(b, FL_OP_add, sum, 2, t.place, part);
        }
        fl_emit(b, fl_cast(b, fl_reshape_like(b, sum, x), dtype));
    } else {
        fl_emit_undefined(b);
    }
    if (!wanted[1]) {
        fl_emit_undefined(b);
        return;
    }
    fl_ref planes = fl_reshape(b, fl_cast(b, x, s.math), 3, flat);
    fl_emit(b, fl_cast(b, fl_reshape_like(b, grid_gradient(b, &s, planes, g), grid), fl_dtypeof(b, grid)));
}

FL_LOWER(grid_sampler_2d)
{
    sample(b, 2);
}

FL_LOWER(grid_sampler_3d)
{
    sample(b, 3);
}

FL_LOWER(grid_sampler_2d_backward)
{
    sample_backward(b, 2);
}

FL_LOWER(grid_sampler_3d_backward)
{
    sample_backward(b, 3);
}
