/* Meshes brought together. Partitions stand at places 0, 1, ...; an axis of a mesh is one or more factors (place / stride) %
 * size. Where a factor begins or ends the places are cut; between the cuts are the atoms. */
#include "opt/sharding_read.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 128 };

typedef struct cuts {
    int64_t at[MOST_CUTS];
    int count;
} cuts;

static int add_cut(cuts *c, int64_t at)
{
    for (int i = 0; i < c->count; i++)
        if (c->at[i] == at) return 1;
    if (c->count == MOST_CUTS) return 0;
    c->at[c->count++] = at;
    return 1;
}

/* ---- the places of a mesh ---- */

/* The numbers `offset` of positions 0 ... size - 1 along an axis as factors; 0: they are none. */
static int find_factors(const int64_t *offset, int64_t step, int64_t size, fl_mesh_axis *out)
{
    out->factor_count = 0;
    for (int64_t done = 1; done < size;) {
        int64_t stride = offset[done * step], run = 1, rest = size / done;
        while (run < rest && offset[run * done * step] == run * stride) run++;
        while (rest % run) run--;
        if (stride <= 0 || run < 2 || out->factor_count == FL_MOST_AXES) return 0;
        out->factors[out->factor_count++] = (fl_place_factor){stride, run};
        done *= run;
    }
    return 1;
}

static int64_t place_of(const fl_mesh_axis *axis, int64_t position)
{
    int64_t place = 0;
    for (uint32_t i = 0; i < axis->factor_count; i++) {
        place += position % axis->factors[i].size * axis->factors[i].stride;
        position /= axis->factors[i].size;
    }
    return place;
}

/* Whether every place is the sum of what the axes say of it. */
static int axes_explain(const fl_device_mesh *m, const int64_t *places)
{
    for (int64_t i = 0; i < m->count; i++) {
        int64_t rest = i, sum = 0;
        for (uint32_t a = m->axis_count; a-- > 0; rest /= m->axes[a].size)
            sum += place_of(&m->axes[a], rest % m->axes[a].size);
        if (sum != places[i]) return 0;
    }
    return 1;
}

static int find_axes(fl_device_mesh *m, const int64_t *places)
{
    int64_t step = 1;
    if (places[0]) return 0;
    for (uint32_t a = m->axis_count; a-- > 0; step *= m->axes[a].size)
        if (!find_factors(places, step, m->axes[a].size, &m->axes[a])) return 0;
    return axes_explain(m, places);
}

/* At which place each device of the mesh stands, where place i is that of device order[i]. */
static fl_status find_places(const fl_device_mesh *m, const int64_t *order, int64_t *places, int64_t *inverse)
{
    for (int64_t i = 0; i < m->count; i++) inverse[i] = -1;
    for (int64_t i = 0; i < m->count; i++) {
        int64_t id = order ? order[i] : i;
        FL_CHECK(id >= 0 && id < m->count && inverse[id] < 0, FL_INVALID,
                 "expected a mesh of the devices 0 to %lld, each once", (long long)m->count - 1);
        inverse[id] = i;
    }
    for (int64_t i = 0; i < m->count; i++) {
        int64_t id = m->ids ? m->ids[i] : i;
        FL_CHECK(id >= 0 && id < m->count && inverse[id] >= 0, FL_INVALID,
                 "expected a mesh of the devices 0 to %lld, each once", (long long)m->count - 1);
        places[i] = inverse[id];
        inverse[id] = -1;
    }
    return NULL;
}

static int needs_places(const fl_device_mesh *m)
{
    return m->is_used && m->count > 1;
}

/* The first mesh gives the partitions their order. Another one whose devices are neither in that order nor in one of its axes
 * keeps its own, which its arguments and results come in; its axes are then those of its places. */
static fl_status settle_axes(fl_sharding_reader *r, int64_t *places, const int64_t **out_order)
{
    int is_first = 1;
    *out_order = NULL;
    for (uint32_t i = 0; i < r->mesh_count; i++) {
        fl_device_mesh *m = &r->meshes[i];
        if (!needs_places(m)) continue;
        FL_TRY(find_places(m, *out_order, places, places + m->count));
        if (!find_axes(m, places)) {
            if (is_first) *out_order = m->ids;
            if (!is_first) m->keeps_order = 1;
            for (int64_t k = 0; k < m->count; k++) places[k] = k;
            find_axes(m, places);
        }
        is_first = 0;
    }
    return NULL;
}

/* ---- atoms ---- */

/* The place that position `position` (a product of sizes from the fastest on) of an axis begins at; *out_inside: it is not
 * where a factor begins. 0: no such position. */
static int64_t place_at(const fl_mesh_axis *axis, int64_t position, int *out_inside)
{
    *out_inside = 0;
    for (uint32_t i = 0; i < axis->factor_count; i++) {
        const fl_place_factor *f = &axis->factors[i];
        if (position == 1) return f->stride;
        if (position < f->size) {
            *out_inside = 1;
            return f->size % position ? 0 : f->stride * position;
        }
        if (position % f->size) return 0;
        position /= f->size;
    }
    return position == 1 ? -1 : 0; /* behind the last */
}

static fl_status cut_parts(fl_sharding_reader *r, const fl_spec *spec, cuts *c)
{
    const fl_device_mesh *m = &r->meshes[spec->mesh];
    for (uint32_t i = 0; i < spec->part_count; i++) {
        const fl_axis_part *part = &spec->parts[i];
        const fl_mesh_axis *axis = &m->axes[part->axis];
        int64_t rest = axis->size / (part->before * part->size), from[2] = {rest, rest * part->size};
        for (int k = 0; k < 2; k++) {
            int inside;
            int64_t place = place_at(axis, from[k], &inside);
            FL_CHECK(place, FL_UNSUPPORTED, "expected parts of an axis that its devices have in order");
            FL_CHECK(!inside || add_cut(c, place), FL_UNSUPPORTED, "expected fewer axes");
        }
    }
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static fl_status make_atoms(cuts *c, int64_t partitions, fl_mesh *out)
{
    qsort(c->at, (size_t)c->count, sizeof *c->at, by_size);
    FL_CHECK(c->count - 1 <= FL_MOST_AXES, FL_UNSUPPORTED, "expected a mesh of at most %d axes",
             FL_MOST_AXES);
    out->axis_count = (uint32_t)c->count - 1;
    out->count = partitions;
    for (int i = 0; i + 1 < c->count; i++) {
        FL_CHECK(c->at[i + 1] % c->at[i] == 0, FL_UNSUPPORTED,
                 "expected meshes that are parts of one: the sizes of their axes do not fit together");
        out->sizes[c->count - 2 - i] = c->at[i + 1] / c->at[i];
    }
    return NULL;
}

static fl_status settle(fl_sharding_reader *r, int64_t partitions, const fl_spec *const *specs,
                        size_t spec_count, int64_t *work, fl_arena *arena, fl_mesh *out)
{
    const int64_t *order;
    cuts c = {{1, partitions}, partitions > 1 ? 2 : 1};
    FL_TRY(settle_axes(r, work, &order));
    for (uint32_t i = 0; i < r->mesh_count; i++)
        for (uint32_t a = 0; needs_places(&r->meshes[i]) && a < r->meshes[i].axis_count; a++) {
            const fl_mesh_axis *axis = &r->meshes[i].axes[a];
            for (uint32_t k = 0; k < axis->factor_count; k++)
                FL_CHECK(add_cut(&c, axis->factors[k].stride) &&
                             add_cut(&c, axis->factors[k].stride * axis->factors[k].size),
                         FL_UNSUPPORTED, "expected fewer axes");
        }
    for (size_t i = 0; i < spec_count; i++) FL_TRY(cut_parts(r, specs[i], &c));
    FL_TRY(make_atoms(&c, partitions, out));
    if (!order) return NULL;
    out->partitions = fl_arena_copy(arena, order, (size_t)partitions * sizeof *order);
    FL_CHECK(out->partitions, FL_OOM, "out of host memory");
    return NULL;
}

fl_status fl_meshes_settle(fl_sharding_reader *r, int64_t partitions, const fl_spec *const *specs,
                           size_t spec_count, fl_arena *arena, fl_mesh *out)
{
    for (uint32_t i = 0; i < r->mesh_count; i++) {
        const fl_device_mesh *m = &r->meshes[i];
        FL_CHECK(!needs_places(m) || m->count == partitions, FL_INVALID,
                 "expected a mesh of the program's %lld partitions, got one of %lld", (long long)partitions,
                 (long long)m->count);
    }
    int64_t *work = calloc((size_t)partitions, 2 * sizeof *work);
    FL_CHECK(work, FL_OOM, "out of host memory");
    fl_status status = settle(r, partitions, specs, spec_count, work, arena, out);
    free(work);
    return status;
}

/* Atoms of the positions from `from` to `to` of an axis (products of sizes from the fastest on), the slowest first. */
static int atoms_between(const fl_mesh *mesh, const fl_mesh_axis *axis, int64_t from, int64_t to,
                         uint8_t *out, int room)
{
    int count = 0;
    int64_t before = 1; /* positions of the factors so far */
    for (uint32_t i = 0; i < axis->factor_count; i++) {
        const fl_place_factor *f = &axis->factors[i];
        int64_t stride = 1;
        for (uint32_t a = mesh->axis_count; a-- > 0; stride *= mesh->sizes[a]) {
            if (stride < f->stride || stride >= f->stride * f->size) continue;
            int64_t position = before * (stride / f->stride);
            if (position < from || position >= to) continue;
            if (count == room) return -1;
            memmove(out + 1, out, (size_t)count++);
            out[0] = (uint8_t)a;
        }
        before *= f->size;
    }
    return count;
}

int fl_spec_axes(const fl_sharding_reader *r, const fl_mesh *mesh, const fl_spec *spec, int which,
                 uint8_t out[FL_MOST_AXES])
{
    uint32_t first = 0;
    int count = 0;
    for (int i = 0; i < which; i++) first += spec->counts[i];
    for (uint32_t i = 0; i < spec->counts[which]; i++) {
        const fl_axis_part *part = &spec->parts[first + i];
        const fl_mesh_axis *axis = &r->meshes[spec->mesh].axes[part->axis];
        int64_t rest = axis->size / (part->before * part->size);
        int more = atoms_between(mesh, axis, rest, rest * part->size, out + count, FL_MOST_AXES - count);
        if (more < 0) return -1;
        count += more;
    }
    return count;
}
