/* From one sharding of a value to another.
 *
 * Axes are added to a dimension by slicing, which costs nothing to send, so that comes first; an axis that another dimension has
 * is moved by an all_to_all; what is in the way is gathered. Where both shardings have shares of one shape, one
 * collective_permute does. Axes that both have in the same place stay. */
#include "opt/partition.h"

#include <string.h>

/* The axes that come next to a dimension's on the way to `to`; none while others are in the way. */
static fl_axes missing(const fl_spread *now, const fl_spread *to, int dim)
{
    fl_axes a = fl_spread_axes(now, dim), b = fl_spread_axes(to, dim), rest = {0};
    if (!fl_axes_begin(&a, &b)) return rest;
    for (int i = a.count; i < b.count; i++) fl_axes_push(&rest, b.axis[i]);
    return rest;
}

/* How many of a dimension's axes stay. */
static int common(const fl_axes *a, const fl_axes *b)
{
    int n = 0;
    while (n < a->count && n < b->count && a->axis[n] == b->axis[n]) n++;
    return n;
}

/* Slices along every dimension that can be cut by axes which no dimension has now. */
static fl_ref slice(fl_partitioner *p, fl_ref x, fl_spread *now, const fl_spread *to, int rank)
{
    int64_t sizes[FL_MAX_RANK];
    fl_ref starts[FL_MAX_RANK];
    fl_axes cut[FL_MAX_RANK];
    uint32_t used = fl_spread_used(now);
    int any = 0;
    for (int d = 0; d < rank; d++) {
        fl_axes rest = missing(now, to, d);
        cut[d] = (fl_axes){0};
        for (int i = 0; i < rest.count && !(used >> rest.axis[i] & 1); i++)
            fl_axes_push(&cut[d], rest.axis[i]);
        any |= cut[d].count;
    }
    if (!any) return x;
    for (int d = 0; d < rank; d++) {
        sizes[d] = fl_dim(&p->b, x, d) / fl_axes_parts(p->mesh, &cut[d]);
        for (int i = 0; i < cut[d].count; i++) fl_spread_add(now, d, cut[d].axis[i]);
        starts[d] = fl_partition_offset(p, &cut[d], cut[d].count ? sizes[d] : 1);
    }
    return fl_dynamic_slice(&p->b, x, starts, sizes);
}

/* Moves one axis from the end of a dimension where it is not wanted to the one that wants it next. */
static fl_ref move(fl_partitioner *p, fl_ref x, fl_spread *now, const fl_spread *to, int rank)
{
    for (int d = 0; d < rank; d++) {
        fl_axes rest = missing(now, to, d);
        for (int e = 0; e < rank && rest.count; e++) {
            fl_axes from = fl_spread_axes(now, e), kept = fl_spread_axes(to, e);
            int stays = common(&from, &kept);
            if (e == d || from.count == stays || from.axis[from.count - 1] != rest.axis[0]) continue;
            fl_spread_keep(now, e, from.count - 1);
            fl_spread_add(now, d, rest.axis[0]);
            return fl_emit_all_to_all(p, x, rest.axis[0], d, e);
        }
    }
    return x;
}

/* Of each place the number of the share that it has; shares of what differs along other axes (sums, manual computations) are
 * others. */
static void shares(const fl_partitioner *p, const fl_spread *spread, int64_t *out)
{
    uint32_t apart = p->manual | spread->partial;
    for (int64_t place = 0; place < p->mesh->count; place++) {
        out[place] = 0;
        for (int i = 0; i < spread->count; i++) {
            uint8_t a = spread->at[i].axis;
            out[place] = out[place] * p->mesh->sizes[a] + place / p->strides[a] % p->mesh->sizes[a];
        }
        for (uint32_t a = 0; a < p->mesh->axis_count; a++)
            if (apart >> a & 1)
                out[place] = out[place] * p->mesh->sizes[a] + place / p->strides[a] % p->mesh->sizes[a];
    }
}

/* Every partition gets its share from one that has it, each sending once: itself where it can, else the first that is free. */
static fl_ref permute(fl_partitioner *p, fl_ref x, const fl_spread *now, const fl_spread *to)
{
    int64_t n = p->mesh->count;
    int64_t *has = fl_partition_alloc(p, (size_t)(6 * n), sizeof *has);
    if (!has) return FL_NO_REF;
    int64_t *wants = has + n, *sources = wants + n, *head = sources + n, *next = head + n, *taken = next + n;
    shares(p, now, has);
    shares(p, to, wants);
    for (int64_t i = 0; i < n; i++) head[i] = -1, sources[i] = -1, taken[i] = 0;
    for (int64_t i = 0; i < n; i++)
        if (has[i] == wants[i])
            sources[fl_partition_at(p->mesh, i)] = fl_partition_at(p->mesh, i), taken[i] = 1;
    for (int64_t i = n; i-- > 0;)
        if (!taken[i]) next[i] = head[has[i]], head[has[i]] = i;
    for (int64_t i = 0; i < n; i++) {
        int64_t target = fl_partition_at(p->mesh, i), from = head[wants[i]];
        if (sources[target] >= 0) continue;
        sources[target] = fl_partition_at(p->mesh, from);
        head[wants[i]] = next[from];
    }
    return fl_emit_permute(p, x, sources);
}

static int same_shape(const fl_partitioner *p, const fl_spread *a, const fl_spread *b, int rank)
{
    for (int d = 0; d < rank; d++)
        if (fl_spread_parts(p->mesh, a, d) != fl_spread_parts(p->mesh, b, d)) return 0;
    return 1;
}

/* Gathers a dimension whose axes are in the way: one whose number of parts changes, else any. */
static fl_ref gather(fl_partitioner *p, fl_ref x, fl_spread *now, const fl_spread *to, int rank)
{
    int best = -1, stays = 0;
    for (int d = 0; d < rank; d++) {
        fl_axes a = fl_spread_axes(now, d), b = fl_spread_axes(to, d);
        int n = common(&a, &b);
        if (n == a.count || (best >= 0 && fl_axes_parts(p->mesh, &a) == fl_axes_parts(p->mesh, &b))) continue;
        best = d;
        stays = n;
        if (fl_axes_parts(p->mesh, &a) != fl_axes_parts(p->mesh, &b)) break;
    }
    if (best < 0) return x;
    fl_axes a = fl_spread_axes(now, best), gone = {0};
    for (int i = stays; i < a.count; i++) fl_axes_push(&gone, a.axis[i]);
    fl_spread_keep(now, best, stays);
    return fl_emit_all_gather(p, x, &gone, best);
}

static fl_axes axes_of_set(uint32_t set)
{
    fl_axes axes = {0};
    for (uint8_t a = 0; a < FL_MOST_AXES; a++)
        if (set >> a & 1) fl_axes_push(&axes, a);
    return axes;
}

static fl_ref nothing_like(fl_partitioner *p, const fl_type *type)
{
    fl_ref nothing = fl_partition_neutral(p, FL_OP_add, (fl_dtype)type->dtype);
    return fl_broadcast_in_dim(&p->b, nothing, type->rank, type->dims, NULL);
}

/* Where a dimension ends with axes along which a sum is wanted, each partition has its part, and nothing beside it. */
static fl_ref spread_out(fl_partitioner *p, fl_ref x, fl_spread *now, const fl_spread *to, int rank)
{
    fl_ref starts[FL_MAX_RANK];
    fl_type type = *fl_typeof(&p->b, x);
    uint16_t before = now->partial;
    for (int d = 0; d < rank; d++) {
        fl_axes a = fl_spread_axes(now, d), b = fl_spread_axes(to, d), gone = {0};
        int stays = common(&a, &b), i = a.count;
        while (i > stays && to->partial >> a.axis[i - 1] & 1) i--;
        for (int k = i; i == stays && k < a.count; k++) {
            fl_axes_push(&gone, a.axis[k]);
            now->partial |= (uint16_t)(1u << a.axis[k]);
        }
        if (gone.count) fl_spread_keep(now, d, stays);
        starts[d] = fl_partition_offset(p, &gone, gone.count ? type.dims[d] : 1);
        type.dims[d] *= fl_axes_parts(p->mesh, &gone);
    }
    return now->partial == before ? x : fl_dynamic_update_slice(&p->b, nothing_like(p, &type), x, starts);
}

/* A value as a sum along axes: the first partition has it, the others have nothing. */
static fl_ref make_partial(fl_partitioner *p, fl_ref x, uint32_t axes)
{
    fl_builder *b = &p->b;
    const fl_axes list = axes_of_set(axes);
    fl_ref first = fl_compare(b, FL_EQ, fl_partition_offset(p, &list, 1), fl_scalar_i(b, FL_I64, 0));
    const fl_type type = *fl_typeof(b, x);
    return fl_select(b, first, x, nothing_like(p, &type));
}

fl_ref fl_reshard(fl_partitioner *p, fl_ref x, const fl_spread *from, const fl_spread *to,
                  const fl_type *whole)
{
    fl_spread now = *from, wanted = *to;
    const fl_axes sums = axes_of_set(now.partial & ~to->partial);
    if (sums.count) x = fl_partition_put_together(p, x, &sums, &now, to, FL_OP_add);
    now.partial &= to->partial;
    if (to->partial != now.partial) x = spread_out(p, x, &now, to, whole->rank);
    wanted.partial = now.partial;
    while (p->b.status == NULL && !fl_spread_equal(&now, &wanted)) {
        if (same_shape(p, &now, &wanted, whole->rank)) {
            x = permute(p, x, &now, &wanted);
            break;
        }
        uint8_t before = now.count;
        x = slice(p, x, &now, &wanted, whole->rank);
        if (now.count != before) continue;
        fl_spread old = now;
        x = move(p, x, &now, &wanted, whole->rank);
        if (!fl_spread_equal(&old, &now)) continue;
        x = gather(p, x, &now, &wanted, whole->rank);
    }
    uint32_t more = to->partial & ~(uint32_t)now.partial;
    return more && !p->b.status ? make_partial(p, x, more) : x;
}
