/* Collectives between the partitions along axes of the mesh. */
#include "opt/partition.h"

#include "ir/build_internal.h"

#include <string.h>

static int64_t coordinate(const fl_partitioner *p, int64_t place, uint8_t axis)
{
    return place / p->strides[axis] % p->mesh->sizes[axis];
}

/* The number of a place along axes. */
static int64_t position(const fl_partitioner *p, int64_t place, const fl_axes *axes)
{
    int64_t at = 0;
    for (int i = 0; i < axes->count; i++)
        at = at * p->mesh->sizes[axes->axis[i]] + coordinate(p, place, axes->axis[i]);
    return at;
}

/* The partitions that differ along the axes alone, a row for each group, in the order of the axes. */
static fl_attr groups(fl_partitioner *p, const fl_axes *axes)
{
    int64_t columns = fl_axes_parts(p->mesh, axes), row = 0;
    int64_t *ids = fl_partition_alloc(p, (size_t)p->mesh->count, sizeof *ids);
    if (!ids) return (fl_attr){0};
    for (int64_t place = 0; place < p->mesh->count; place++) {
        if (position(p, place, axes)) continue;
        for (int64_t k = 0; k < columns; k++) {
            int64_t rest = k, at = place;
            for (int i = axes->count; i-- > 0; rest /= p->mesh->sizes[axes->axis[i]])
                at += rest % p->mesh->sizes[axes->axis[i]] * p->strides[axes->axis[i]];
            ids[row * columns + k] = fl_partition_at(p->mesh, at);
        }
        row++;
    }
    return (fl_attr){.key = FL_ATTR_replica_groups,
                     .columns = (uint16_t)columns,
                     .count = (uint32_t)p->mesh->count,
                     .u.ints = ids};
}

/* Groups of devices, which is how reductions and gathers number partitions; and a channel of their own. */
static void device_groups(fl_partitioner *p, const fl_axes *axes, fl_attr out[3])
{
    out[0] = groups(p, axes);
    out[1] = ATTR_INT(channel_id, p->next_channel++);
    out[2] = ATTR_INT(use_global_device_ids, 1);
}

static fl_type scaled(const fl_partitioner *p, fl_ref x, int dim, int64_t times, int64_t over)
{
    fl_type t = *fl_typeof(&p->b, x);
    t.dims[dim] = t.dims[dim] * times / over;
    return t;
}

fl_ref fl_emit_all_gather(fl_partitioner *p, fl_ref x, const fl_axes *axes, int dim)
{
    fl_attr attrs[4] = {ATTR_INT(all_gather_dim, dim)};
    device_groups(p, axes, attrs + 1);
    fl_type type = scaled(p, x, dim, fl_axes_parts(p->mesh, axes), 1);
    return fl_build_typed(&p->b, FL_OP_all_gather, &x, 1, attrs, 4, NULL, 0, &type, 1);
}

fl_ref fl_emit_all_reduce(fl_partitioner *p, fl_ref x, const fl_axes *axes, fl_opcode code)
{
    fl_attr attrs[3];
    fl_type type = *fl_typeof(&p->b, x);
    device_groups(p, axes, attrs);
    fl_block *region = fl_scalar_region(&p->b, code, (fl_dtype)type.dtype);
    return fl_build_typed(&p->b, FL_OP_all_reduce, &x, 1, attrs, 3, &region, 1, &type, 1);
}

fl_ref fl_emit_reduce_scatter(fl_partitioner *p, fl_ref x, const fl_axes *axes, int dim, fl_opcode code)
{
    fl_attr attrs[4] = {ATTR_INT(scatter_dimension, dim)};
    device_groups(p, axes, attrs + 1);
    fl_type type = scaled(p, x, dim, 1, fl_axes_parts(p->mesh, axes));
    fl_block *region = fl_scalar_region(&p->b, code, (fl_dtype)type.dtype);
    return fl_build_typed(&p->b, FL_OP_reduce_scatter, &x, 1, attrs, 4, &region, 1, &type, 1);
}

fl_ref fl_emit_all_to_all(fl_partitioner *p, fl_ref x, uint8_t axis, int split, int concat)
{
    const fl_axes axes = {1, {axis}};
    int64_t size = p->mesh->sizes[axis];
    fl_attr attrs[] = {ATTR_INT(split_dimension, split), ATTR_INT(concat_dimension, concat),
                       ATTR_INT(split_count, size), groups(p, &axes),
                       ATTR_INT(channel_id, p->next_channel++)};
    fl_type type = scaled(p, x, split, 1, size);
    type.dims[concat] *= size;
    return fl_build_typed(&p->b, FL_OP_all_to_all, &x, 1, attrs, 5, NULL, 0, &type, 1);
}

fl_ref fl_emit_permute(fl_partitioner *p, fl_ref x, const int64_t *sources)
{
    int64_t *pairs = fl_partition_alloc(p, (size_t)p->mesh->count, 2 * sizeof *pairs);
    fl_type type = *fl_typeof(&p->b, x);
    if (!pairs) return FL_NO_REF;
    for (int64_t i = 0; i < p->mesh->count; i++) {
        pairs[2 * i] = sources[i];
        pairs[2 * i + 1] = i;
    }
    fl_attr attrs[] = {{.key = FL_ATTR_source_target_pairs,
                        .columns = 2,
                        .count = (uint32_t)(2 * p->mesh->count),
                        .u.ints = pairs},
                       ATTR_INT(channel_id, p->next_channel++)};
    return fl_build_typed(&p->b, FL_OP_collective_permute, &x, 1, attrs, 2, NULL, 0, &type, 1);
}

/* ---- where a partition is ---- */

/* A table with a row for each partition, read at its own number. */
static fl_ref build_offset(fl_partitioner *p, const fl_axes *axes, int64_t unit)
{
    fl_builder *b = &p->b;
    int64_t n = p->mesh->count, one = 1, *table = fl_partition_alloc(p, (size_t)n, sizeof *table);
    if (!table) return FL_NO_REF;
    if (!axes->count) return fl_scalar_i(b, FL_I64, 0);
    for (int64_t place = 0; place < n; place++)
        table[fl_partition_at(p->mesh, place)] = position(p, place, axes) * unit;
    if (!p->partition) p->partition = fl_build_plain(b, FL_OP_partition_id, NULL, 0);
    fl_ref rows = fl_constant(b, fl_type_make(FL_I64, 1, &n), table);
    return fl_reshape(b, fl_dynamic_slice(b, rows, &p->partition, &one), 0, NULL);
}

fl_ref fl_partition_offset(fl_partitioner *p, const fl_axes *axes, int64_t unit)
{
    for (fl_offset *o = p->offsets; o; o = o->next)
        if (o->unit == unit && fl_axes_equal(&o->axes, axes)) return o->ref;
    fl_offset *o = fl_partition_alloc(p, 1, sizeof *o);
    if (!o) return FL_NO_REF;
    fl_block *block = p->b.block;
    p->b.block = p->b.program->main;
    *o = (fl_offset){p->offsets, *axes, unit, build_offset(p, axes, unit)};
    p->b.block = block;
    p->offsets = o;
    return o->ref;
}
