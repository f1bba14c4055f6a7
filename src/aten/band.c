#include "aten/band.h"
#include <math.h>

fl_band *fl_band_new(fl_builder *b, int64_t in, int64_t out, int64_t width)
{
    fl_band *band = fl_scratch(b, 1, sizeof *band);
    if (!band) return NULL;
    band->in = in;
    band->out = out;
    band->width = width;
    band->start = fl_scratch(b, out, sizeof *band->start);
    band->weight = fl_scratch(b, out * width, sizeof *band->weight);
    if (!band->start || !band->weight) return NULL;
    for (int64_t i = 0; i < out * width; i++) band->weight[i] = NAN;
    return band;
}

fl_band *fl_band_windows(fl_builder *b, int64_t in, int64_t out, const int64_t *start, const int64_t *end)
{
    int64_t width = 1;
    for (int64_t i = 0; i < out; i++) width = fl_max_i(width, end[i] - start[i]);
    fl_band *band = fl_band_new(b, in, out, width);
    if (!band) return NULL;
    for (int64_t i = 0; i < out; i++) {
        band->start[i] = start[i];
        for (int64_t k = 0; k < end[i] - start[i]; k++) band->weight[i * width + k] = 1;
    }
    return band;
}

fl_band *fl_band_transposed(fl_builder *b, const fl_band *band)
{
    if (!band) return NULL;
    int64_t *first = fl_scratch(b, band->in, sizeof *first), *last = fl_scratch(b, band->in, sizeof *last),
            width = 1;
    if (!first || !last) return NULL;
    for (int64_t j = 0; j < band->in; j++) {
        first[j] = band->out;
        last[j] = -1;
    }
    for (int64_t i = 0; i < band->out; i++)
        for (int64_t k = 0; k < band->width; k++) {
            if (isnan(band->weight[i * band->width + k])) continue;
            int64_t j = band->start[i] + k;
            first[j] = fl_min_i(first[j], i);
            last[j] = i;
        }
    for (int64_t j = 0; j < band->in; j++) width = fl_max_i(width, last[j] - first[j] + 1);
    fl_band *out = fl_band_new(b, band->out, band->in, width);
    if (!out) return NULL;
    for (int64_t j = 0; j < band->in; j++) out->start[j] = last[j] < 0 ? 0 : first[j];
    for (int64_t i = 0; i < band->out; i++)
        for (int64_t k = 0; k < band->width; k++) {
            int64_t j = band->start[i] + k;
            double weight = band->weight[i * band->width + k];
            if (!isnan(weight)) out->weight[j * width + i - out->start[j]] = weight;
        }
    return out;
}

static int all_weights_one(const fl_band *band)
{
    for (int64_t i = 0; i < band->out * band->width; i++)
        if (band->weight[i] != 1) return 0;
    return 1;
}

/* windows side by side that cover x */
static int is_partition(const fl_band *band)
{
    if (band->out * band->width != band->in) return 0;
    for (int64_t i = 0; i < band->out; i++)
        if (band->start[i] != i * band->width) return 0;
    return 1;
}

/* every element repeated the same number of times */
static int64_t repeats(const fl_band *band)
{
    if (band->width != 1 || band->in == 0 || band->out % band->in) return 0;
    int64_t times = band->out / band->in;
    for (int64_t i = 0; i < band->out; i++)
        if (band->start[i] != i / times) return 0;
    return times;
}

static fl_ref repeat(fl_builder *b, fl_ref x, int dim, int64_t times)
{
    int64_t dims[FL_MAX_RANK], out[FL_MAX_RANK], where[FL_MAX_RANK];
    int rank = fl_get_dims(b, x, dims), n = 0;
    if (times == 1) return x;
    if (rank + 1 > FL_MAX_RANK) return FL_NO_REF;
    for (int i = 0; i < rank; i++) {
        where[i] = n;
        out[n++] = dims[i];
        if (i == dim) out[n++] = times;
    }
    return fl_merge_dims(b, fl_broadcast_in_dim(b, x, n, out, where), dim, 2);
}

typedef struct terms {
    int64_t *index;
    double *weight, *present;
    int64_t count;
    int some_absent, some_weights;
} terms;

/* The terms k of all results (k < 0: all terms, result by result), absent ones made harmless. */
static int take_terms(fl_builder *b, const fl_band *band, int64_t k, terms *out)
{
    int64_t first = fl_max_i(k, 0), width = k < 0 ? band->width : 1;
    *out = (terms){.count = band->out * width};
    out->index = fl_scratch(b, out->count, sizeof *out->index);
    out->weight = fl_scratch(b, out->count, sizeof *out->weight);
    out->present = fl_scratch(b, out->count, sizeof *out->present);
    if (!out->index || !out->weight || !out->present) return 0;
    for (int64_t i = 0; i < band->out; i++)
        for (int64_t t = 0; t < width; t++) {
            int64_t n = i * width + t;
            double weight = band->weight[i * band->width + first + t];
            out->present[n] = !isnan(weight);
            out->weight[n] = isnan(weight) ? 0 : weight;
            out->index[n] = fl_max_i(0, fl_min_i(band->start[i] + first + t, band->in - 1));
            out->some_absent |= isnan(weight) != 0;
            out->some_weights |= !isnan(weight) && weight != 1;
        }
    return 1;
}

static fl_ref weighted_terms(fl_builder *b, fl_ref x, int dim, const terms *t)
{
    fl_dtype dtype = fl_dtypeof(b, x);
    fl_ref values = fl_index_select(b, x, dim, fl_const_ints(b, t->index, t->count));
    if (t->some_weights)
        values =
            fl_mul(b, values, fl_along_dim(b, fl_const_floats(b, dtype, t->weight, t->count), values, dim));
    if (t->some_absent) {
        fl_ref present = fl_cast(b, fl_const_floats(b, FL_F32, t->present, t->count), FL_I1);
        values = fl_select(b, fl_along_dim(b, present, values, dim), values, fl_scalar_f(b, dtype, 0));
    }
    return values;
}

fl_ref fl_band_apply(fl_builder *b, fl_ref x, int dim, const fl_band *band)
{
    if (!band || !fl_ok(b)) return FL_NO_REF;
    int ones = all_weights_one(band);
    if (ones && repeats(band)) return repeat(b, x, dim, repeats(band));
    if (ones && is_partition(band)) {
        int64_t split[2] = {band->out, band->width};
        return fl_reduce_dim(b, FL_OP_add, fl_split_dim(b, x, dim, 2, split), dim + 1, 0);
    }
    terms t;
    if (band->width > 8) { /* gathered whole, then summed */
        if (!take_terms(b, band, -1, &t)) return FL_NO_REF;
        int64_t split[2] = {band->out, band->width};
        return fl_reduce_dim(b, FL_OP_add, fl_split_dim(b, weighted_terms(b, x, dim, &t), dim, 2, split),
                             dim + 1, 0);
    }
    fl_ref sum = FL_NO_REF;
    for (int64_t k = 0; k < band->width; k++) {
        if (!take_terms(b, band, k, &t)) return FL_NO_REF;
        fl_ref values = weighted_terms(b, x, dim, &t);
        sum = k ? fl_add(b, sum, values) : values;
    }
    return sum;
}
