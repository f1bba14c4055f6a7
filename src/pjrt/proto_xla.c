/* Shapes and shardings as XLA's messages (xla_data.proto). */
#include "base/checked.h"
#include "pjrt/proto.h"

#include <stdlib.h>
#include <string.h>

/* ---- shardings ---- */

enum { /* fields of OpSharding, and values of its type */
       FIELD_TYPE = 1,
       FIELD_TILE_DIMS = 3,
       FIELD_TILE_DEVICES = 4,
       FIELD_REPLICATE_LAST = 6,
       FIELD_LAST_DIMS = 8,
       FIELD_IOTA_DIMS = 9,
       FIELD_IOTA_ORDER = 10,
       TYPE_REPLICATED = 0,
       TYPE_MAXIMAL = 1,
       TYPE_TUPLE = 2,
       TYPE_OTHER = 3,
       TYPE_UNKNOWN = 5,
       TYPE_UNREDUCED = 6
};

/* The axes that cut no dimension: those that sums are over, then those along which all have the same. */
static int other_axes(const fl_mesh *mesh, const fl_sharding *s, uint8_t *out, int64_t *out_unreduced,
                      int64_t *out_replicated)
{
    uint16_t used = s->unreduced;
    int count = 0;
    *out_unreduced = *out_replicated = 1;
    for (int d = 0; d < s->rank; d++)
        for (int i = 0; i < s->count[d]; i++) used |= (uint16_t)(1u << s->axes[d][i]);
    for (uint32_t a = 0; a < mesh->axis_count; a++) {
        if (!(s->unreduced >> a & 1)) continue;
        out[count++] = (uint8_t)a;
        *out_unreduced *= mesh->sizes[a];
    }
    for (uint32_t a = 0; a < mesh->axis_count; a++) {
        if (used >> a & 1) continue;
        out[count++] = (uint8_t)a;
        *out_replicated *= mesh->sizes[a];
    }
    return count;
}

/* The partitions in the order of the tiles: the axes in `order` count them, the first varying slowest. */
static void list_devices(const fl_mesh *mesh, const int64_t *partitions, const uint8_t *order, int count,
                         int64_t *out)
{
    int64_t strides[FL_MOST_AXES], stride = 1;
    for (uint32_t a = mesh->axis_count; a-- > 0; stride *= mesh->sizes[a]) strides[a] = stride;
    for (int64_t i = 0; i < mesh->count; i++) {
        int64_t rest = i, place = 0;
        for (int k = count; k-- > 0; rest /= mesh->sizes[order[k]])
            place += rest % mesh->sizes[order[k]] * strides[order[k]];
        out[i] = partitions ? partitions[place] : place;
    }
}

fl_status fl_proto_put_sharding(const fl_mesh *mesh, const int64_t *partitions, const fl_sharding *s,
                                fl_text *out)
{
    int64_t tiles[FL_MAX_RANK + 2], kinds[2], cut = 1, unreduced, replicated;
    uint8_t order[FL_MOST_AXES + FL_MAX_RANK];
    int dims = 0, axes = 0, groups = 0;
    for (int d = 0; d < s->rank; d++) {
        tiles[dims++] = 1;
        for (int i = 0; i < s->count[d]; i++) {
            tiles[d] *= mesh->sizes[s->axes[d][i]];
            order[axes++] = s->axes[d][i];
        }
        cut *= tiles[d];
    }
    axes += other_axes(mesh, s, order + axes, &unreduced, &replicated);
    if (cut * unreduced == 1) {
        fl_proto_put_number(out, FIELD_TYPE, TYPE_REPLICATED);
        return NULL;
    }
    int64_t *devices = calloc((size_t)mesh->count, sizeof *devices);
    FL_CHECK(devices, FL_OOM, "out of host memory");
    list_devices(mesh, partitions, order, axes, devices);
    if (unreduced > 1) {
        tiles[dims++] = unreduced;
        kinds[groups++] = TYPE_UNREDUCED;
    }
    if (replicated > 1) {
        tiles[dims++] = replicated;
        kinds[groups++] = TYPE_REPLICATED;
    }
    fl_proto_put_number(out, FIELD_TYPE, TYPE_OTHER);
    fl_proto_put_packed(out, FIELD_TILE_DIMS, tiles, dims);
    fl_proto_put_packed(out, FIELD_TILE_DEVICES, devices, mesh->count);
    if (groups == 1 && unreduced == 1)
        fl_proto_put_number(out, FIELD_REPLICATE_LAST, 1);
    else if (groups)
        fl_proto_put_packed(out, FIELD_LAST_DIMS, kinds, groups);
    free(devices);
    return NULL;
}

/* ---- reading them ---- */

enum { MOST_TILE_DIMS = FL_MAX_RANK + 4, MOST_DEVICES = 65536 };

typedef struct tiling {
    int64_t type, dims[MOST_TILE_DIMS], reshape[MOST_TILE_DIMS], order[MOST_TILE_DIMS];
    uint32_t dim_count, reshape_count, order_count;
    int64_t *devices; /* the partition of each tile */
    int64_t count;    /* of tiles */
} tiling;

static void push(int64_t value, int64_t *list, uint32_t most, uint32_t *count, int *bad)
{
    if (*count == most)
        *bad = 1;
    else
        list[(*count)++] = value;
}

/* A repeated number, packed or not. */
static int read_list(fl_proto_field *f, int64_t *list, uint32_t most, uint32_t *count)
{
    int bad = 0;
    if (!f->bytes.at) push((int64_t)f->value, list, most, count, &bad);
    while (f->bytes.at && f->bytes.at < f->bytes.end && !f->bytes.bad && !bad)
        push((int64_t)fl_proto_varint(&f->bytes), list, most, count, &bad);
    return !bad && !f->bytes.bad;
}

/* The numbers 0, 1, ... in the shape `reshape`, with its dimensions in `order`. */
static int make_devices(tiling *t)
{
    int64_t steps[MOST_TILE_DIMS], count = 1;
    uint32_t n = t->reshape_count, seen = 0;
    for (uint32_t i = 0; i < n; i++)
        if (t->reshape[i] < 1 || !fl_mul_i64(count, t->reshape[i], &count) || count > t->count) return 0;
    for (uint32_t i = 0; i < t->order_count; i++)
        if (t->order[i] >= 0 && t->order[i] < n) seen |= 1u << t->order[i];
    if (count != t->count || t->order_count != n || seen != (1u << n) - 1) return 0;
    if (n) steps[n - 1] = 1;
    for (uint32_t i = n; i-- > 1;) steps[i - 1] = steps[i] * t->reshape[i];
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        t->devices[i] = 0;
        for (uint32_t k = n; k-- > 0; rest /= t->reshape[t->order[k]])
            t->devices[i] += rest % t->reshape[t->order[k]] * steps[t->order[k]];
    }
    return 1;
}

/* out->devices is the caller's to free. */
static fl_status read_tiling(fl_proto bytes, tiling *out)
{
    uint32_t devices = 0;
    int ok = 1;
    *out = (tiling){.count = 1};
    fl_proto c = bytes;
    for (fl_proto_field f; ok && fl_proto_next(&c, &f);) {
        if (f.number == FIELD_TYPE) out->type = (int64_t)f.value;
        if (f.number == FIELD_TILE_DIMS) ok = read_list(&f, out->dims, MOST_TILE_DIMS, &out->dim_count);
        if (f.number == FIELD_IOTA_DIMS)
            ok = read_list(&f, out->reshape, MOST_TILE_DIMS, &out->reshape_count);
        if (f.number == FIELD_IOTA_ORDER) ok = read_list(&f, out->order, MOST_TILE_DIMS, &out->order_count);
    }
    ok &= !c.bad;
    for (uint32_t i = 0; ok && i < out->dim_count; i++)
        ok = out->dims[i] > 0 && fl_mul_i64(out->count, out->dims[i], &out->count) &&
             out->count <= MOST_DEVICES;
    FL_CHECK(ok, FL_INVALID, "expected an OpSharding");
    out->devices = calloc((size_t)out->count, sizeof *out->devices);
    FL_CHECK(out->devices, FL_OOM, "out of host memory");
    c = bytes;
    for (fl_proto_field f; ok && fl_proto_next(&c, &f);)
        if (f.number == FIELD_TILE_DEVICES) ok = read_list(&f, out->devices, (uint32_t)out->count, &devices);
    if (out->reshape_count && !devices)
        ok = make_devices(out);
    else if (out->type == TYPE_OTHER)
        ok &= devices == out->count;
    FL_CHECK(ok, FL_INVALID, "expected an OpSharding with a device for each tile");
    return NULL;
}

/* How far apart the tiles of neighbours along each axis of the mesh are in a dimension; then the axes in that order. */
static int axes_of_dim(const fl_mesh *mesh, const int64_t *index, int64_t size, uint8_t *out)
{
    int64_t strides[FL_MOST_AXES], place = 1, left = size;
    int count = 0;
    for (uint32_t a = mesh->axis_count; a-- > 0; place *= mesh->sizes[a]) strides[a] = index[place];
    while (left > 1) {
        uint32_t best = mesh->axis_count;
        for (uint32_t a = 0; a < mesh->axis_count; a++)
            if (strides[a] > 0 && (best == mesh->axis_count || strides[a] > strides[best])) best = a;
        if (best == mesh->axis_count || strides[best] * mesh->sizes[best] != left) return -1;
        left = strides[best];
        strides[best] = 0;
        out[count++] = (uint8_t)best;
    }
    return count;
}

/* The tile that each place has, along one dimension: what the axes found say. */
static int agrees(const fl_mesh *mesh, const int64_t *index, const uint8_t *axes, int count)
{
    int64_t strides[FL_MOST_AXES], step = 1;
    for (uint32_t a = mesh->axis_count; a-- > 0; step *= mesh->sizes[a]) strides[a] = step;
    for (int64_t place = 0; place < mesh->count; place++) {
        int64_t tile = 0;
        for (int i = 0; i < count; i++)
            tile = tile * mesh->sizes[axes[i]] + place / strides[axes[i]] % mesh->sizes[axes[i]];
        if (tile != index[place]) return 0;
    }
    return 1;
}

static fl_status read_tiles(const fl_mesh *mesh, const tiling *t, int rank, int64_t *work, fl_sharding *out)
{
    int64_t *tile_of = work, *index = work + mesh->count, below = t->count;
    FL_CHECK(t->count == mesh->count && (int)t->dim_count >= rank, FL_INVALID,
             "expected an OpSharding of %d dimensions and %lld devices", rank, (long long)mesh->count);
    for (int64_t i = 0; i < t->count; i++) tile_of[i] = -1;
    for (int64_t i = 0; i < t->count; i++)
        if (t->devices[i] >= 0 && t->devices[i] < t->count) tile_of[t->devices[i]] = i;
    for (int64_t i = 0; i < t->count; i++)
        FL_CHECK(tile_of[i] >= 0, FL_INVALID, "expected each device once in an OpSharding");
    for (int d = 0; d < rank; d++) {
        below /= t->dims[d];
        for (int64_t place = 0; place < mesh->count; place++)
            index[place] = tile_of[mesh->partitions ? mesh->partitions[place] : place] / below % t->dims[d];
        int count = axes_of_dim(mesh, index, t->dims[d], out->axes[d]);
        FL_CHECK(count >= 0 && agrees(mesh, index, out->axes[d], count), FL_UNSUPPORTED,
                 "expected tiles that axes of the program's mesh cut");
        out->count[d] = (uint8_t)count;
    }
    return NULL;
}

fl_status fl_proto_read_sharding(const fl_mesh *mesh, fl_proto bytes, int rank, fl_sharding *out)
{
    tiling t;
    *out = (fl_sharding){.stated = 1, .rank = (uint8_t)rank};
    fl_status status = read_tiling(bytes, &t);
    int64_t *work = status ? NULL : calloc((size_t)mesh->count, 2 * sizeof *work);
    if (!status && !work) status = fl_error(FL_OOM, "out of host memory");
    if (!status && t.type == TYPE_OTHER)
        status = read_tiles(mesh, &t, rank, work, out);
    else if (!status && t.type != TYPE_REPLICATED && t.type != TYPE_MAXIMAL && t.type != TYPE_UNKNOWN)
        status =
            fl_error(FL_UNSUPPORTED, "expected an OpSharding that is replicated or in tiles, got type %lld",
                     (long long)t.type);
    free(work);
    free(t.devices);
    return status;
}

fl_status fl_proto_read_shardings(const fl_mesh *mesh, fl_proto bytes, uint32_t count,
                                  const fl_type *const *types, fl_sharding *out)
{
    uint32_t n = 0;
    fl_proto c = bytes;
    for (fl_proto_field f; fl_proto_next(&c, &f);)
        if (f.number == FL_PROTO_TUPLE_SHARDINGS && n < count) {
            FL_TRY(fl_proto_read_sharding(mesh, f.bytes, types[n]->rank, &out[n]));
            n++;
        }
    if (!n && count == 1) return fl_proto_read_sharding(mesh, bytes, types[0]->rank, out);
    FL_CHECK(n == count && !c.bad, FL_INVALID, "expected shardings of %u results, got %u", count, n);
    return NULL;
}

/* ---- shapes ---- */

static int primitive_type(fl_dtype dtype)
{
    static const uint8_t types[FL_DTYPE_COUNT] = {
        [FL_I1] = 1,          [FL_I8] = 2,          [FL_I16] = 3,       [FL_I32] = 4,
        [FL_I64] = 5,         [FL_U8] = 6,          [FL_U16] = 7,       [FL_U32] = 8,
        [FL_U64] = 9,         [FL_F16] = 10,        [FL_F32] = 11,      [FL_F64] = 12,
        [FL_C64] = 15,        [FL_BF16] = 16,       [FL_C128] = 18,     [FL_F8E5M2] = 19,
        [FL_F8E4M3FN] = 20,   [FL_I4] = 21,         [FL_U4] = 22,       [FL_F8E4M3B11FNUZ] = 23,
        [FL_F8E5M2FNUZ] = 24, [FL_F8E4M3FNUZ] = 25, [FL_I2] = 26,       [FL_U2] = 27,
        [FL_F8E4M3] = 28,     [FL_F8E3M4] = 29,     [FL_F4E2M1FN] = 32, [FL_F8E8M0FNU] = 33};
    return types[dtype];
}

fl_status fl_proto_put_shape(const fl_type *type, fl_text *out)
{
    enum { ELEMENT_TYPE = 2, DIMENSIONS, IS_DYNAMIC = 6 };
    int64_t fixed[FL_MAX_RANK] = {0};
    char text[160];
    int element = type->kind == FL_TYPE_TENSOR ? primitive_type((fl_dtype)type->dtype) : 0;
    FL_CHECK(element && fl_type_is_static(type), FL_UNSUPPORTED, "expected a tensor of fixed shape, got %s",
             fl_type_text(type, text, sizeof text));
    fl_proto_put_number(out, ELEMENT_TYPE, (uint64_t)element);
    if (!type->rank) return NULL;
    fl_proto_put_packed(out, DIMENSIONS, type->dims, type->rank);
    fl_proto_put_packed(out, IS_DYNAMIC, fixed, type->rank);
    return NULL;
}
