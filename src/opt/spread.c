/* Shardings in short. */
#include "opt/spread.h"

#include <string.h>

fl_spread fl_spread_of(const fl_sharding *sharding)
{
    fl_spread s = {.partial = sharding->unreduced};
    for (uint8_t d = 0; d < sharding->rank && d < FL_MAX_RANK; d++)
        for (int k = 0; k < sharding->count[d] && s.count < FL_MOST_AXES; k++) {
            s.at[s.count].dim = d;
            s.at[s.count++].axis = sharding->axes[d][k];
        }
    return s;
}

void fl_spread_write(const fl_spread *spread, int rank, fl_sharding *out)
{
    out->rank = (uint8_t)rank;
    memset(out->count, 0, sizeof out->count);
    for (int i = 0; i < spread->count; i++) {
        int d = spread->at[i].dim;
        out->axes[d][out->count[d]++] = spread->at[i].axis;
    }
}

int fl_spread_equal(const fl_spread *a, const fl_spread *b)
{
    return a->count == b->count && a->partial == b->partial &&
           !memcmp(a->at, b->at, a->count * sizeof *a->at);
}

uint32_t fl_spread_used(const fl_spread *spread)
{
    uint32_t used = 0;
    for (int i = 0; i < spread->count; i++) used |= 1u << spread->at[i].axis;
    return used;
}

fl_axes fl_spread_axes(const fl_spread *spread, int dim)
{
    fl_axes axes = {0};
    for (int i = 0; i < spread->count; i++)
        if (spread->at[i].dim == dim) fl_axes_push(&axes, spread->at[i].axis);
    return axes;
}

void fl_spread_add(fl_spread *spread, int dim, uint8_t axis)
{
    int i = spread->count;
    if (i == FL_MOST_AXES) return;
    for (; i > 0 && spread->at[i - 1].dim > dim; i--) spread->at[i] = spread->at[i - 1];
    spread->at[i].dim = (uint8_t)dim;
    spread->at[i].axis = axis;
    spread->count++;
}

void fl_spread_keep(fl_spread *spread, int dim, int count)
{
    int n = 0, seen = 0;
    for (int i = 0; i < spread->count; i++)
        if (spread->at[i].dim != dim || seen++ < count) spread->at[n++] = spread->at[i];
    spread->count = (uint8_t)n;
}

int fl_axes_begin(const fl_axes *a, const fl_axes *b)
{
    return a->count <= b->count && !memcmp(a->axis, b->axis, a->count);
}

int fl_axes_equal(const fl_axes *a, const fl_axes *b)
{
    return a->count == b->count && fl_axes_begin(a, b);
}

int64_t fl_axes_parts(const fl_mesh *mesh, const fl_axes *axes)
{
    int64_t parts = 1;
    for (int i = 0; i < axes->count; i++) parts *= mesh->sizes[axes->axis[i]];
    return parts;
}

int64_t fl_spread_parts(const fl_mesh *mesh, const fl_spread *spread, int dim)
{
    fl_axes axes = fl_spread_axes(spread, dim);
    return fl_axes_parts(mesh, &axes);
}

fl_type fl_spread_type(const fl_mesh *mesh, const fl_spread *spread, const fl_type *type)
{
    fl_type t = *type;
    for (int i = 0; i < spread->count; i++) t.dims[spread->at[i].dim] /= mesh->sizes[spread->at[i].axis];
    return t;
}

fl_status fl_sharding_shard_type(const fl_mesh *mesh, const fl_sharding *sharding, const fl_type *type,
                                 fl_type *out)
{
    *out = *type;
    FL_CHECK(sharding->rank <= type->rank, FL_INVALID, "expected a sharding of rank %d, got %d", type->rank,
             sharding->rank);
    for (int d = 0; d < sharding->rank; d++)
        for (int k = 0; k < sharding->count[d]; k++) {
            int64_t size = mesh->sizes[sharding->axes[d][k]];
            FL_CHECK(out->dims[d] >= 0 && out->dims[d] % size == 0, FL_INVALID,
                     "expected dimension %d of size %lld to be divided evenly by its sharding", d,
                     (long long)type->dims[d]);
            out->dims[d] /= size;
        }
    return NULL;
}
