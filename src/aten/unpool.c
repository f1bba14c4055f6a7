/* The inverse of pooling by maxima: every value goes back to the place where it was found. */
#include "aten/pool.h"
#include "aten/sizes.h"
#include "aten/table.h"

#include <stdio.h>
#include <string.h>

static const char *const number_words[] = {[2] = "two", [3] = "three"};
static const char *const dimension_words[] = {[2] = "height, width", [3] = "depth, height, width"};

/* input and indices; x has `spatial` dimensions behind the channels' */
static void check_pair(fl_builder *b, fl_ref x, fl_ref index, int spatial)
{
    FL_REQUIRE(b, fl_dtypeof(b, index) == FL_I64, FL_INVALID,
               "elements in indices should be type int64 but got: %s",
               fl_torch_type_name(fl_dtypeof(b, index)));
    int rank = fl_rank(b, x);
    FL_REQUIRE(
        b, rank == spatial + 1 || rank == spatial + 2, FL_INVALID,
        "Input to max_unpooling%dd should be a %dd or %dd Tensor, but got a tensor with %d dimensions.",
        spatial, spatial + 1, spatial + 2, rank);
    fl_sizes_text given = fl_sizes_in_text(b, x), named = fl_sizes_in_text(b, index);
    FL_REQUIRE(b, !strcmp(given.text, named.text), FL_INVALID,
               "Expected shape of indices to be same as that of the input tensor (%s) but got indices tensor "
               "with shape: %s",
               given.text, named.text);
    int empty = fl_empty_dim(b, x, 1);
    FL_REQUIRE(
        b, empty < 0, FL_INVALID,
        "max_unpooling%dd(): Expected input to have non-zero size for non-batch dimensions, but got %s "
        "with dimension %d being empty.",
        spatial, given.text, empty);
}

/* List argument i must have one number for each spatial dimension. */
static void read_list(fl_builder *b, int i, const char *name, int spatial, int64_t *out)
{
    int64_t all[FL_MAX_RANK] = {0};
    uint32_t n = fl_ints(b, i, all, FL_MAX_RANK);
    FL_REQUIRE(b, n == (uint32_t)spatial, FL_INVALID,
               "There should be exactly %s elements (%s) in %s, but got %u elements.", number_words[spatial],
               dimension_words[spatial], name, n);
    memcpy(out, all, (size_t)spatial * sizeof *out);
}

/* self, indices, output_size, and in three dimensions stride and padding, which say nothing beyond it */
static void max_unpool(fl_builder *b, int spatial)
{
    fl_ref x = fl_in(b, 0), index = fl_in(b, 1);
    int64_t dims[FL_MAX_RANK], size[3], stride[3] = {1, 1, 1}, padding[3];
    if (!fl_ok(b)) return;
    check_pair(b, x, index, spatial);
    read_list(b, 2, "output_size", spatial, size);
    if (spatial == 3) {
        read_list(b, 3, "stride", spatial, stride);
        read_list(b, 4, "padding", spatial, padding);
    }
    if (!fl_ok(b)) return;
    FL_REQUIRE(b, stride[0] > 0 && stride[1] > 0 && stride[2] > 0, FL_INVALID,
               "strides should be greater than zero, but got stride: [%lld, %lld, %lld]",
               (long long)stride[0], (long long)stride[1], (long long)stride[2]);
    char what[160];
    int n = snprintf(what, sizeof what,
                     FL_WRONG_VALUE "Found an invalid max index: # (output volumes are of size ");
    int rank = fl_get_dims(b, x, dims);
    for (int i = 0; i < spatial; i++) {
        dims[rank - spatial + i] = size[i];
        n += snprintf(what + n, sizeof what - (size_t)n, "%s%lld", i ? "x" : "", (long long)size[i]);
    }
    snprintf(what + n, sizeof what - (size_t)n, ")");
    fl_emit(b, fl_scatter_planes(b, FL_OP_NONE, x, index, rank, dims, spatial, what));
}

FL_LOWER(max_unpool2d)
{
    max_unpool(b, 2);
}

FL_LOWER(max_unpool3d)
{
    max_unpool(b, 3);
}
