/* Histograms over several dimensions: the last dim of the input holds a point's coordinates. */
#include "aten/formula.h"
#include "aten/histogram.h"
#include "aten/table.h"
#include "base/checked.h"

#include <string.h>

enum { MOST_DIMS = FL_MAX_RANK };

typedef struct grid {
    fl_ref points; /* [points, dims] */
    fl_ref edges[MOST_DIMS];
    int64_t bins[MOST_DIMS];
    int dims;
} grid;

static int describe_points(fl_builder *b, grid *g, int64_t lists)
{
    fl_ref x = fl_in(b, 0);
    const int rank = fl_rank(b, x);
    if (!fl_ok(b)) return 0;
    if (rank < 2)
        fl_builder_fail(
            b,
            fl_error(FL_INVALID,
                     "torch.histogramdd: input tensor should have at least 2 dimensions, but got %d", rank));
    else if (!fl_is_float(fl_dtypeof(b, x)))
        fl_unsupported(b, "histograms of this element type");
    else if (fl_dim(b, x, -1) != lists)
        fl_builder_fail(
            b, fl_error(FL_INVALID,
                        "torch.histogramdd: expected %lld sequences of bin edges for a %lld-dimensional "
                        "histogram but got %lld",
                        (long long)fl_dim(b, x, -1), (long long)fl_dim(b, x, -1), (long long)lists));
    else if (lists > MOST_DIMS)
        fl_unsupported(b, "histograms of this many dimensions");
    if (!fl_ok(b)) return 0;
    g->dims = (int)lists;
    const int64_t to[] = {lists ? fl_elements(b, x) / lists : 0, lists};
    g->points = fl_reshape(b, x, 2, to);
    return fl_ok(b);
}

/* One coordinate of all points. */
static fl_ref coordinate(fl_builder *b, const grid *g, int d)
{
    return fl_squeeze(b, fl_slice_dim(b, g->points, 1, d, d + 1, 1), 1);
}

/* self, bins, range: edges at equal distances */
static int describe_counts(fl_builder *b, grid *g)
{
    int64_t bins[MOST_DIMS];
    const uint32_t count = fl_list_count(b, 1);
    if (!describe_points(b, g, count)) return 0;
    fl_ints(b, 1, bins, MOST_DIMS);
    for (int d = 0; d < g->dims; d++) {
        fl_ref low, high;
        if (bins[d] <= 0)
            fl_builder_fail(b, fl_error(FL_INVALID, "torch.histogramdd(): bins must be positive"));
        fl_ends_of(b, coordinate(b, g, d), 2, d, g->dims, &low, &high);
        g->edges[d] = fl_bin_edges(b, low, high, bins[d]);
        g->bins[d] = bins[d];
    }
    return fl_ok(b);
}

/* Whether there is a weight for each point, or none at all. */
static int weights_fit(fl_builder *b, int weight)
{
    int64_t points[FL_MAX_RANK], weights[FL_MAX_RANK];
    if (!fl_has(b, weight)) return 1;
    const int rank = fl_get_dims(b, fl_in(b, 0), points), given = fl_get_dims(b, fl_in(b, weight), weights);
    return given == rank - 1 && !memcmp(points, weights, (size_t)given * sizeof *weights);
}

static void emit_counts(fl_builder *b, const grid *g, int weight, int density)
{
    const fl_dtype dtype = fl_dtypeof(b, g->points);
    int64_t total = 1;
    FL_REQUIRE(
        b, weights_fit(b, weight), FL_INVALID,
        "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
        "excluding its innermost dimension");
    fl_ref bin = FL_NO_REF, inside = FL_NO_REF;
    for (int d = 0; d < g->dims; d++) {
        fl_ref within, at = fl_bin_of(b, coordinate(b, g, d), g->edges[d], &within);
        bin = d ? fl_add(b, fl_mul(b, bin, fl_scalar_i(b, FL_I64, g->bins[d])), at) : at;
        inside = d ? fl_and(b, inside, within) : within;
        FL_REQUIRE(b, fl_mul_i64(total, g->bins[d], &total), FL_INVALID, "torch.histogramdd: too many bins");
    }
    fl_ref weights = fl_weights_of_points(b, weight, dtype);
    fl_ref counts =
        g->dims ? fl_count_bins(b, bin, inside, weights, total, dtype) : fl_zeros(b, dtype, 0, NULL);
    counts = fl_reshape(b, counts, g->dims, g->bins);
    if (density) {
        counts = fl_div(b, counts, fl_reduce_all(b, FL_OP_add, counts));
        for (int d = 0; d < g->dims; d++) {
            const int64_t n = g->bins[d];
            fl_ref widths = fl_sub(b, fl_slice_dim(b, g->edges[d], 0, 1, n + 1, 1),
                                   fl_slice_dim(b, g->edges[d], 0, 0, n, 1));
            counts = fl_div(b, counts, fl_along_dim(b, widths, counts, d));
        }
    }
    fl_emit(b, counts);
}

/* self, bins, range, weight, density: edges of each dimension */
FL_LOWER(histogramdd_bin_edges)
{
    grid g = {0};
    if (!describe_counts(b, &g)) return;
    for (int d = 0; d < g.dims; d++) fl_emit(b, g.edges[d]);
}

FL_LOWER(histogramdd_from_counts)
{
    grid g = {0};
    if (describe_counts(b, &g)) emit_counts(b, &g, 3, fl_bool(b, 4));
}

/* self, bins (edges), weight, density */
FL_LOWER(histogramdd_from_edges)
{
    grid g = {0};
    const uint32_t count = fl_list_count(b, 1);
    if (!describe_points(b, &g, count)) return;
    for (int d = 0; d < g.dims; d++) {
        g.edges[d] = fl_list_in(b, 1, (uint32_t)d);
        g.bins[d] = fl_dim(b, g.edges[d], 0) - 1;
        FL_REQUIRE(b, fl_rank(b, g.edges[d]) == 1 && g.bins[d] > 0, FL_INVALID,
                   "torch.histogramdd(): bins tensor should have one dimension and at least 2 elements");
        FL_REQUIRE(b, fl_dtypeof(b, g.edges[d]) == fl_dtypeof(b, g.points), FL_INVALID,
                   "torch.histogramdd(): input tensor and bins tensors should have the same dtype");
    }
    emit_counts(b, &g, 2, fl_bool(b, 3));
}
