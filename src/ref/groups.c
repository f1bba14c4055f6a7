#include "ref/groups.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- meshes ---- */

enum { MOST_AXES = 16, MOST_DEVICES = 1 << 16 };

typedef struct mesh {
    struct {
        const char *name;
        size_t length;
        int64_t size;
    } axes[MOST_AXES];
    int count;
    int64_t devices;
    int64_t *ids; /* device ids in the order of the mesh; NULL: 0, 1, 2 ... To be freed. */
} mesh;

static fl_status add_axis(mesh *m, const char *name, size_t length, int64_t size)
{
    FL_CHECK(m->count < MOST_AXES, FL_UNSUPPORTED, "expected at most %d axes of a mesh", MOST_AXES);
    FL_CHECK(size > 0 && size <= MOST_DEVICES / m->devices, FL_INVALID,
             "expected a mesh of at most %d devices", MOST_DEVICES);
    m->axes[m->count].name = name;
    m->axes[m->count].length = length;
    m->axes[m->count++].size = size;
    m->devices *= size;
    return NULL;
}

static fl_status add_ids(mesh *m, uint32_t count)
{
    FL_CHECK(count == m->devices, FL_INVALID, "expected %lld device ids, got %u", (long long)m->devices,
             count);
    m->ids = malloc((size_t)m->devices * sizeof *m->ids);
    FL_CHECK(m->ids, FL_OOM, "no memory for a mesh");
    return NULL;
}

/* A mesh as a dictionary: axes, an array of {name, size}, and device_ids. */
static fl_status mesh_of_dict(mesh *m, const fl_literal *dict)
{
    const fl_literal *axes = fl_literal_get(dict, "axes"), *ids = fl_literal_get(dict, "device_ids");
    FL_CHECK(axes && axes->kind == FL_LIT_ARRAY, FL_INVALID, "expected axes of a mesh");
    for (uint32_t i = 0; i < axes->count; i++) {
        const fl_literal *name = fl_literal_get(&axes->u.items[i], "name");
        const fl_literal *size = fl_literal_get(&axes->u.items[i], "size");
        FL_CHECK(name && (name->kind == FL_LIT_STRING || name->kind == FL_LIT_SYMBOL) && size &&
                     size->kind == FL_LIT_INT,
                 FL_INVALID, "expected a name and a size of a mesh axis");
        FL_TRY(add_axis(m, name->u.string, name->count, size->u.i));
    }
    if (!ids || (ids->kind != FL_LIT_INTS && ids->kind != FL_LIT_DENSE)) return NULL;
    uint32_t count = ids->kind == FL_LIT_INTS ? ids->count : ids->count / 8;
    if (!count) return NULL;
    FL_CHECK(ids->kind == FL_LIT_INTS || (ids->type && ids->type->dtype == FL_I64), FL_INVALID,
             "expected i64 device ids");
    FL_TRY(add_ids(m, count));
    memcpy(m->ids, ids->kind == FL_LIT_INTS ? (const void *)ids->u.ints : ids->u.data,
           count * sizeof *m->ids);
    return NULL;
}

static const char *skip(const char *s, const char *set)
{
    while (*s && strchr(set, *s)) s++;
    return s;
}

/* sdy.mesh @name = <["x"=2, "y"=4], device_ids=[0, 2, ...]> */
static fl_status mesh_of_text(mesh *m, const char *s)
{
    s = strchr(s, '[');
    FL_CHECK(s, FL_INVALID, "expected the axes of a mesh");
    for (s = skip(s + 1, " ,"); *s == '"'; s = skip(s, " ,")) {
        const char *name = ++s;
        while (*s && *s != '"') s++;
        size_t length = (size_t)(s - name);
        FL_CHECK(*s == '"', FL_INVALID, "expected the name of an axis");
        s = skip(s + 1, " ");
        FL_CHECK(*s == '=', FL_INVALID, "expected the size of an axis");
        char *end;
        int64_t size = strtoll(s + 1, &end, 10);
        FL_TRY(add_axis(m, name, length, size));
        s = end;
    }
    s = strstr(s, "device_ids");
    if (!s || !(s = strchr(s, '['))) return NULL;
    FL_TRY(add_ids(m, (uint32_t)m->devices));
    for (int64_t i = 0; i < m->devices; i++) {
        char *end;
        m->ids[i] = strtoll(s + 1, &end, 10);
        FL_CHECK(end != s + 1, FL_INVALID, "expected %lld device ids", (long long)m->devices);
        s = skip(end, " ");
    }
    return NULL;
}

/* Finds the operation `... mesh @name ...` beside the functions. */
static fl_status mesh_of_symbol(const fl_program *program, const char *name, mesh *m)
{
    const fl_literal *ops = program->module_ops;
    size_t length = strlen(name);
    for (uint32_t i = 0; ops && i < ops->count; i++) {
        const char *text = ops->u.items[i].kind == FL_LIT_OPAQUE ? ops->u.items[i].u.string : "";
        const char *at = strchr(text, '@');
        if (!at || !strstr(text, "mesh")) continue;
        at++;
        if (*at == '"') at++;
        if (!strncmp(at, name, length) && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return mesh_of_text(m, at + length);
    }
    return fl_error(FL_INVALID, "expected a mesh @%s, got none of that name", name);
}

/* An axis of the group, or a part of one: position = (whole coordinate / inner) % size of axis `axis`. */
typedef struct part {
    int axis;
    int64_t inner, size;
} part;

static fl_status find_part(const mesh *m, const fl_literal *ref, part *out)
{
    const fl_literal *name = fl_literal_get(ref, "name"), *pre = fl_literal_get(ref, "pre_size"),
                     *size = fl_literal_get(ref, "size");
    FL_CHECK(name && (name->kind == FL_LIT_STRING || name->kind == FL_LIT_SYMBOL), FL_INVALID,
             "expected the name of an axis");
    for (int a = 0; a < m->count; a++) {
        if (m->axes[a].length != name->count || memcmp(m->axes[a].name, name->u.string, name->count))
            continue;
        *out = (part){a, 1, m->axes[a].size};
        if (!pre || !size || pre->kind != FL_LIT_INT || size->kind != FL_LIT_INT) return NULL;
        int64_t before = pre->u.i, own = size->u.i;
        FL_CHECK(before > 0 && own > 0 && before <= MOST_DEVICES && own <= MOST_DEVICES &&
                     m->axes[a].size % (before * own) == 0,
                 FL_INVALID, "expected a part of an axis of size %lld", (long long)m->axes[a].size);
        *out = (part){a, m->axes[a].size / (before * own), own};
        return NULL;
    }
    return fl_error(FL_INVALID, "expected an axis of the mesh, got \"%s\"", name->u.string);
}

/* Position of device `linear` (its place in the mesh) along the parts, and its place with those positions
 * taken as 0: the devices of a group have the same of the latter. */
static void split_place(const mesh *m, const part *parts, int count, int64_t linear, int64_t *position,
                        int64_t *group)
{
    int64_t at[MOST_AXES], rest = linear;
    for (int a = m->count - 1; a >= 0; a--) {
        at[a] = rest % m->axes[a].size;
        rest /= m->axes[a].size;
    }
    *position = 0;
    for (int k = 0; k < count; k++) {
        int64_t digit = at[parts[k].axis] / parts[k].inner % parts[k].size;
        *position = *position * parts[k].size + digit;
        at[parts[k].axis] -= digit * parts[k].inner;
    }
    *group = 0;
    for (int a = 0; a < m->count; a++) *group = *group * m->axes[a].size + at[a];
}

/* Groups in the order of their first devices in the mesh. */
static fl_status mesh_rows(const mesh *m, const part *parts, int count, fl_id_rows *out)
{
    out->columns = 1;
    for (int k = 0; k < count; k++) {
        FL_CHECK(parts[k].size <= m->devices / out->columns, FL_INVALID, "expected each axis once");
        out->columns *= parts[k].size;
    }
    int64_t *rows = malloc((size_t)m->devices * sizeof *rows); /* of the group with that place */
    out->owned = malloc((size_t)m->devices * sizeof *out->owned);
    out->ids = out->owned;
    if (!rows || !out->owned) {
        free(rows);
        return fl_error(FL_OOM, "no memory for a mesh");
    }
    for (int64_t i = 0; i < m->devices; i++) rows[i] = out->owned[i] = -1;
    for (int64_t i = 0; i < m->devices; i++) {
        int64_t position, group;
        split_place(m, parts, count, i, &position, &group);
        if (rows[group] < 0) rows[group] = out->rows++;
        int64_t to = rows[group] * out->columns + position;
        if (to < m->devices) out->owned[to] = m->ids ? m->ids[i] : i;
    }
    int whole = out->rows * out->columns == m->devices;
    free(rows);
    FL_CHECK(whole, FL_INVALID, "expected axes that do not overlap");
    return NULL;
}

static fl_status mesh_matrix(const fl_program *program, const fl_literal *groups, fl_id_rows *out)
{
    const fl_literal *where = fl_literal_get(groups, "mesh"), *axes = fl_literal_get(groups, "axes");
    mesh m = {.devices = 1};
    part parts[MOST_AXES];
    FL_CHECK(where && axes && axes->kind == FL_LIT_ARRAY && axes->count <= MOST_AXES, FL_INVALID,
             "expected a mesh and its axes");
    fl_status status = where->kind == FL_LIT_DICT ? mesh_of_dict(&m, where)
                       : where->kind == FL_LIT_SYMBOL || where->kind == FL_LIT_STRING
                           ? mesh_of_symbol(program, where->u.string, &m)
                           : fl_error(FL_INVALID, "expected a mesh or the name of one");
    for (uint32_t k = 0; k < axes->count && !status; k++)
        status = find_part(&m, &axes->u.items[k], &parts[k]);
    if (!status) status = mesh_rows(&m, parts, (int)axes->count, out);
    free(m.ids);
    return status;
}

/* ---- groups ---- */

int fl_is_ragged_all_to_all(const fl_op *op)
{
    const char *target = op->code == FL_OP_custom_call ? fl_op_string(op, FL_ATTR_call_target_name) : NULL;
    return target && !strcmp(target, "ragged_all_to_all");
}

int64_t fl_channel_of(const fl_op *op)
{
    if (op->code != FL_OP_custom_call) return fl_op_int(op, FL_ATTR_channel_id, 0);
    const fl_literal *config = fl_op_literal(op, FL_ATTR_backend_config);
    const fl_literal *id =
        config && config->kind == FL_LIT_DICT ? fl_literal_get(config, "channel_id") : NULL;
    return id && id->kind == FL_LIT_INT ? id->u.i : 0;
}

fl_status fl_grouping_of(const fl_op *op, fl_group_kind *out)
{
    int global = fl_op_int(op, FL_ATTR_use_global_device_ids, 0) != 0;
    switch (op->code) {
    case FL_OP_cross_replica_sum: *out = FL_CROSS_REPLICA; return NULL;
    case FL_OP_all_to_all:
    case FL_OP_collective_broadcast:
    case FL_OP_collective_permute:
    case FL_OP_custom_call: *out = fl_channel_of(op) > 0 ? FL_CROSS_PARTITION : FL_CROSS_REPLICA; return NULL;
    default: break;
    }
    FL_CHECK(!global || fl_channel_of(op) > 0, FL_INVALID,
             "expected a channel_id above 0 with use_global_device_ids");
    *out = global                  ? FL_FLATTENED_IDS
           : fl_channel_of(op) > 0 ? FL_CROSS_REPLICA_AND_PARTITION
                                   : FL_CROSS_REPLICA;
    return NULL;
}

/* A custom call has them in its configuration. */
static fl_status rows_of_call(const fl_op *op, fl_id_rows *out)
{
    const fl_literal *config = fl_op_literal(op, FL_ATTR_backend_config);
    const fl_literal *groups =
        config && config->kind == FL_LIT_DICT ? fl_literal_get(config, "replica_groups") : NULL;
    if (!groups) return NULL;
    const fl_type *type = groups->kind == FL_LIT_DENSE ? groups->type : NULL;
    FL_CHECK(type && fl_type_is_static(type) && type->dtype == FL_I64 && type->rank == 2, FL_INVALID,
             "expected replica_groups that are a matrix of i64");
    int64_t count = fl_type_elements(type);
    if (!count) return NULL;
    FL_CHECK(groups->count == (size_t)count * 8, FL_INVALID, "expected replica_groups of different ids");
    *out = (fl_id_rows){groups->u.data, type->dims[0], type->dims[1], NULL};
    return NULL;
}

fl_status fl_id_rows_of(const fl_program *program, const fl_op *op, fl_id_rows *out)
{
    const fl_attr *lists = fl_op_attr(op, FL_ATTR_replica_groups);
    const fl_literal *axes = fl_op_literal(op, FL_ATTR_replica_group_mesh_axes);
    *out = (fl_id_rows){0};
    if (axes) {
        fl_status status = mesh_matrix(program, axes, out);
        if (status) free(out->owned);
        return status;
    }
    if (op->code == FL_OP_custom_call) return rows_of_call(op, out);
    if (!lists || !lists->count) return NULL;
    int64_t columns = lists->columns ? lists->columns : lists->count;
    *out = (fl_id_rows){lists->u.ints, lists->count / columns, columns, NULL};
    return NULL;
}

/* The processes of a row of ids, as seen from this process: for one coordinate that the row does not say, its
 * own. NULL: ids 0, 1, 2 ... */
static void expand(const fl_position *at, fl_group_kind grouping, const int64_t *ids, int64_t columns,
                   fl_process_group *out)
{
    int64_t partitions = at->partitions;
    int64_t layers = grouping == FL_CROSS_REPLICA_AND_PARTITION ? partitions : 1;
    out->count = 0;
    for (int64_t layer = 0; layer < layers; layer++)
        for (int64_t k = 0; k < columns; k++) {
            int64_t id = ids ? ids[k] : k;
            if (id < 0) continue;
            if (grouping == FL_CROSS_REPLICA) id = id * partitions + at->partition;
            if (grouping == FL_CROSS_PARTITION) id = at->replica * partitions + id;
            if (grouping == FL_CROSS_REPLICA_AND_PARTITION) id = id * partitions + layer;
            out->members[out->count++] = (uint32_t)id;
        }
}

static int find_self(const fl_position *at, fl_process_group *group)
{
    uint32_t id = at->replica * at->partitions + at->partition;
    for (group->self = 0; group->self < group->count; group->self++)
        if (group->members[group->self] == id) return 1;
    return 0;
}

fl_status fl_process_group_find(const fl_id_rows *rows, fl_group_kind grouping, const fl_position *at,
                                fl_process_group *out)
{
    int64_t limit = grouping == FL_FLATTENED_IDS     ? (int64_t)at->replicas * at->partitions
                    : grouping == FL_CROSS_PARTITION ? at->partitions
                                                     : at->replicas;
    out->count = out->self = 0;
    if (!rows->rows) {
        expand(at, grouping, NULL, limit, out);
        find_self(at, out);
        return NULL;
    }
    for (int64_t i = 0; i < rows->rows * rows->columns; i++)
        FL_CHECK(rows->ids[i] >= -1 && rows->ids[i] < limit, FL_INVALID,
                 "expected replica_groups of ids below %lld, got %lld", (long long)limit,
                 (long long)rows->ids[i]);
    FL_CHECK(rows->columns <= limit, FL_INVALID, "expected groups of at most %lld processes, got %lld",
             (long long)limit, (long long)rows->columns);
    for (int64_t row = 0; row < rows->rows; row++) {
        expand(at, grouping, rows->ids + row * rows->columns, rows->columns, out);
        if (find_self(at, out)) return NULL;
    }
    out->count = out->self = 0;
    return NULL;
}
