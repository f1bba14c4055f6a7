/* A sharding in short: which axes of the mesh cut which dimensions. Internal to opt/. */
#ifndef FL_OPT_SPREAD_H
#define FL_OPT_SPREAD_H

#include "opt/sharding.h"

/* An axis cuts one dimension at most, so there are never more entries than axes. */
typedef struct fl_spread {
    uint16_t partial; /* axes along which the value is the sum of what the partitions hold */
    uint8_t count;
    struct {
        uint8_t dim, axis;
    } at[FL_MOST_AXES]; /* sorted by dimension; of one dimension's axes the first varies slowest */
} fl_spread;

/* The axes of one dimension, or of a factor of it. */
typedef struct fl_axes {
    uint8_t count;
    uint8_t axis[FL_MOST_AXES];
} fl_axes;

fl_spread fl_spread_of(const fl_sharding *sharding);
/* Writes the dimensions' axes; the rest of *out stays. */
void fl_spread_write(const fl_spread *spread, int rank, fl_sharding *out);
int fl_spread_equal(const fl_spread *a, const fl_spread *b);
uint32_t fl_spread_used(const fl_spread *spread); /* set of axes */
fl_axes fl_spread_axes(const fl_spread *spread, int dim);
/* Appends axes to those of a dimension; axes that are there already must not be added. */
void fl_spread_add(fl_spread *spread, int dim, uint8_t axis);
void fl_spread_keep(fl_spread *spread, int dim, int count); /* the dimension keeps its first `count` axes */

int fl_axes_equal(const fl_axes *a, const fl_axes *b);
int fl_axes_begin(const fl_axes *a, const fl_axes *b); /* b begins with a, or is a */
static inline void fl_axes_push(fl_axes *axes, uint8_t axis)
{
    axes->axis[axes->count++] = axis;
}
int64_t fl_axes_parts(const fl_mesh *mesh, const fl_axes *axes);
int64_t fl_spread_parts(const fl_mesh *mesh, const fl_spread *spread, int dim);
/* The type of a partition's share. Every dimension must be divided evenly. */
fl_type fl_spread_type(const fl_mesh *mesh, const fl_spread *spread, const fl_type *type);

#endif
