/* Activations of several features that lie in one matrix: each core has its share of the rows of every feature, one feature behind the
 * other; columns beyond a feature's own are padding. */
#include "aten/sparse_core.h"
#include "aten/table.h"

typedef struct features {
    uint32_t count;
    int64_t *rows, *widths;
} features;

static int are_even(fl_builder *b, const features *f, const char *rows)
{
    for (uint32_t i = 0; i < f->count && fl_ok(b); i++)
        if (f->rows[i] <= 0 || f->rows[i] % FL_SPARSE_CORES)
            fl_builder_fail(
                b, fl_error(FL_INVALID,
                            "expected %s[%u] to be positive and a multiple of the %d SparseCores, got %lld",
                            rows, i, FL_SPARSE_CORES, (long long)f->rows[i]));
    return fl_ok(b);
}

static int64_t total(const features *f)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < f->count; i++) sum += f->rows[i];
    return sum;
}

static int64_t widest(const features *f)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < f->count; i++) most = fl_max_i(most, f->widths[i]);
    return most;
}

static void need_same(fl_builder *b, const char *name, int64_t size, const char *of, int64_t wanted)
{
    if (fl_ok(b) && size != wanted)
        fl_builder_fail(b, fl_error(FL_INVALID, "expected %s (%lld) to match %s (%lld)", name,
                                    (long long)size, of, (long long)wanted));
}

static int read_features(fl_builder *b, features *f)
{
    f->count = fl_list_count(b, 1);
    f->rows = fl_scratch(b, (int64_t)f->count + 1, sizeof *f->rows);
    f->widths = fl_scratch(b, (int64_t)f->count + 1, sizeof *f->widths);
    if (!f->count)
        fl_builder_fail(
            b, fl_error(FL_INVALID, "expected at least one feature, but per_feature_batch_sizes is empty"));
    if (!fl_ok(b)) return 0;
    const uint32_t widths = fl_list_count(b, 2);
    if (widths != f->count)
        fl_builder_fail(
            b, fl_error(FL_INVALID,
                        "expected per_feature_batch_sizes and per_feature_dims to have the same size, got "
                        "%u and %u",
                        f->count, widths));
    if (!fl_ok(b)) return 0;
    fl_ints(b, 1, f->rows, f->count);
    fl_ints(b, 2, f->widths, f->count);
    for (uint32_t i = 0; i < f->count && fl_ok(b); i++)
        if (f->widths[i] <= 0)
            fl_builder_fail(b, fl_error(FL_INVALID, "expected per_feature_dims[%u] to be positive, got %lld",
                                        i, (long long)f->widths[i]));
    return are_even(b, f, "per_feature_batch_sizes");
}

/* stacked_activations, per_feature_batch_sizes, per_feature_dims */
FL_LOWER(sparse_unstack)
{
    fl_ref x = fl_sparse_in(b, 0, "stacked_activations", 2, FL_F32);
    features f;
    if (!fl_ok(b) || !read_features(b, &f)) return;
    need_same(b, "stacked_activations dim 0", fl_dim(b, x, 0), "total stacked batch size", total(&f));
    need_same(b, "stacked_activations dim 1", fl_dim(b, x, 1), "maximum feature dimension", widest(&f));
    if (!fl_ok(b)) return;
    const int64_t dims[] = {FL_SPARSE_CORES, fl_dim(b, x, 0) / FL_SPARSE_CORES, fl_dim(b, x, 1)};
    x = fl_reshape(b, x, 3, dims);
    for (uint32_t i = 0, at = 0; i < f.count; i++) {
        const int64_t share = f.rows[i] / FL_SPARSE_CORES, to[] = {f.rows[i], f.widths[i]};
        fl_ref own = fl_slice_dim(b, x, 1, at, at + share, 1);
        fl_emit(b, fl_reshape(b, fl_slice_dim(b, own, 2, 0, f.widths[i], 1), 2, to));
        at += (uint32_t)share;
    }
}

/* unstacked_gradients, stacked_batch_size, stacked_feature_dim */
FL_LOWER(sparse_stack)
{
    const uint32_t n = fl_list_count(b, 0);
    const int64_t batch = fl_int(b, 1), width = fl_int(b, 2);
    features f = {n, fl_scratch(b, (int64_t)n + 1, 8), fl_scratch(b, (int64_t)n + 1, 8)};
    fl_ref *parts = fl_scratch(b, (int64_t)n + 1, sizeof *parts);
    FL_REQUIRE(b, n, FL_INVALID, "expected at least one unstacked gradient");
    FL_REQUIRE(b, batch > 0, FL_INVALID, "expected stacked_batch_size to be positive, got %lld",
               (long long)batch);
    FL_REQUIRE(b, width > 0, FL_INVALID, "expected stacked_feature_dim to be positive, got %lld",
               (long long)width);
    for (uint32_t i = 0; i < n && fl_ok(b); i++) {
        parts[i] = fl_list_in(b, 0, i);
        FL_REQUIRE(b, fl_rank(b, parts[i]) == 2, FL_INVALID,
                   "expected unstacked_gradients[%u] to be a 2D tensor, got a %dD tensor", i,
                   fl_rank(b, parts[i]));
        FL_REQUIRE(b, fl_dtypeof(b, parts[i]) == FL_F32, FL_INVALID,
                   "expected unstacked_gradients[%u] to have float32 dtype, got %s", i,
                   fl_dtype_name(fl_dtypeof(b, parts[i])));
        f.rows[i] = fl_dim(b, parts[i], 0), f.widths[i] = fl_dim(b, parts[i], 1);
    }
    if (!fl_ok(b) || !are_even(b, &f, "rows of unstacked_gradients")) return;
    need_same(b, "rows of all unstacked gradients", total(&f), "stacked_batch_size", batch);
    need_same(b, "maximum feature dimension", widest(&f), "stacked_feature_dim", width);
    for (uint32_t i = 0; i < n && fl_ok(b); i++) {
        const int64_t dims[] = {FL_SPARSE_CORES, f.rows[i] / FL_SPARSE_CORES, width};
        fl_ref wide = fl_pad_dim(b, parts[i], 1, fl_scalar_f(b, FL_F32, 0), 0, width - f.widths[i], 0);
        parts[i] = fl_reshape(b, wide, 3, dims);
    }
    const int64_t to[] = {batch, width};
    if (fl_ok(b)) fl_emit(b, fl_reshape(b, fl_concat(b, parts, n, 1), 2, to));
}
