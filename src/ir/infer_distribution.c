/* Rules of collectives. How many devices there are is not known here: a runtime has to compare the groups with its
 * grid, and sizes that follow from them with the sizes of the groups. */
#include "ir/infer.h"
#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

fl_status fl_need_ids(const int64_t *values, uint32_t count, uint32_t first, uint32_t stride, int holes,
                      int all, const char *what, const char *unique, const char *range)
{
    int64_t *ids = malloc(((size_t)count + 1) * sizeof *ids);
    FL_CHECK(ids, FL_OOM, "out of host memory");
    uint32_t n = 0;
    fl_status s = NULL;
    for (uint32_t i = first; i < count; i += stride)
        if (!holes || values[i] != -1) ids[n++] = values[i];
    qsort(ids, n, sizeof *ids, by_value);
    for (uint32_t i = 0; i < n && !s; i++) {
        if (ids[i] < 0)
            s = fl_error(FL_INVALID, "expected %s of at least 0, got %lld (%s)", what, (long long)ids[i],
                         range);
        else if (i && ids[i] == ids[i - 1])
            s = fl_error(FL_INVALID, "expected unique %s, got %lld twice (%s)", what, (long long)ids[i],
                         unique);
        else if (all && ids[i] != i)
            s = fl_error(FL_INVALID, "expected %s up to the largest, got none of %u (%s)", what, i, range);
    }
    free(ids);
    return s;
}

/* A string of a literal dictionary. */
static const char *text_of(const fl_literal *dict, const char *name)
{
    const fl_literal *l = fl_literal_get(dict, name);
    return l && (l->kind == FL_LIT_STRING || l->kind == FL_LIT_SYMBOL) ? l->u.string : NULL;
}

static fl_status int_of(const fl_literal *dict, const char *name, int64_t *out)
{
    const fl_literal *l = fl_literal_get(dict, name);
    FL_CHECK(l && l->kind == FL_LIT_INT && l->u.i > 0, FL_INVALID, "expected a positive %s in a mesh", name);
    *out = l->u.i;
    return NULL;
}

static int is_list(const fl_literal *l)
{
    return l && l->kind == FL_LIT_ARRAY;
}

/* The size of the mesh axis `name`; 0: there is none. */
static fl_status axis_size(const fl_literal *axes, const char *name, int64_t *out)
{
    *out = 0;
    for (uint32_t i = 0; i < axes->count; i++) {
        const char *other = text_of(&axes->u.items[i], "name");
        if (other && name && !strcmp(other, name)) return int_of(&axes->u.items[i], "size", out);
    }
    return NULL;
}

static fl_status need_inline_mesh(const fl_literal *mesh)
{
    const fl_literal *axes = fl_literal_get(mesh, "axes"), *ids = fl_literal_get(mesh, "device_ids");
    int64_t devices = 1;
    FL_CHECK(mesh->kind == FL_LIT_DICT && is_list(axes), FL_INVALID, "expected a mesh with axes");
    for (uint32_t i = 0; i < axes->count; i++) {
        int64_t size = 1, first;
        FL_CHECK(text_of(&axes->u.items[i], "name"), FL_INVALID, "expected a name of axis %u of the mesh", i);
        FL_TRY(int_of(&axes->u.items[i], "size", &size));
        FL_TRY(axis_size(axes, text_of(&axes->u.items[i], "name"), &first));
        FL_CHECK(fl_mul_i64(devices, size, &devices), FL_INVALID, "the size of the mesh overflows");
    }
    if (!ids) return NULL;
    int dense = ids->kind == FL_LIT_DENSE && ids->type && ids->type->dtype == FL_I64; /* read from text */
    FL_CHECK(dense || ids->kind == FL_LIT_INTS, FL_INVALID, "expected a list of device_ids of the mesh");
    uint32_t count = dense ? ids->count / (uint32_t)sizeof(int64_t) : ids->count;
    FL_CHECK(count == devices, FL_INVALID, "expected %lld device_ids of the mesh", (long long)devices);
    return fl_need_ids(dense ? ids->u.data : ids->u.ints, count, 0, 1, 0, 1, "device_ids", "C1", "C2");
}

/* The axes of a mesh whose devices form a group; *out_size is the size of a group, 0 where the mesh is elsewhere. */
static fl_status need_mesh_groups(const fl_literal *groups, int64_t *out_size)
{
    const fl_literal *mesh = fl_literal_get(groups, "mesh"), *axes = fl_literal_get(groups, "axes");
    FL_CHECK(mesh && is_list(axes), FL_INVALID, "expected a mesh and axes in replica_groups");
    if (mesh->kind != FL_LIT_SYMBOL) FL_TRY(need_inline_mesh(mesh));
    int64_t product = 1;
    for (uint32_t i = 0; i < axes->count; i++) {
        const fl_literal *axis = &axes->u.items[i];
        const char *name = text_of(axis, "name");
        FL_CHECK(name, FL_INVALID, "expected a name of axis %u in replica_groups", i);
        int64_t pre = 1, size = 0, whole = 0, span;
        if (mesh->kind != FL_LIT_SYMBOL) {
            FL_TRY(axis_size(fl_literal_get(mesh, "axes"), name, &whole));
            FL_CHECK(whole, FL_INVALID, "expected an axis of the mesh in replica_groups, got \"%s\"", name);
            size = whole;
        }
        if (fl_literal_get(axis, "size")) {
            FL_TRY(int_of(axis, "pre_size", &pre));
            FL_TRY(int_of(axis, "size", &size));
            FL_CHECK(fl_mul_i64(pre, size, &span) && (!whole || whole % span == 0), FL_INVALID,
                     "expected a part that divides axis \"%s\" of size %lld, got (%lld)%lld", name,
                     (long long)whole, (long long)pre, (long long)size);
        }
        FL_CHECK(fl_mul_i64(product, size, &product), FL_INVALID, "the size of the groups overflows");
    }
    *out_size = product;
    return NULL;
}

/* What the collectives differ in. */
typedef struct group_rules {
    const char *unique, *range;
    int holes; /* groups may be of different sizes: -1 fills up */
    int all;   /* every id up to the largest is in a group */
} group_rules;

/* *out_size (may be NULL): of a group; 0: not known. */
static fl_status need_groups(const fl_op *op, const group_rules *rules, int64_t *out_size)
{
    int64_t size = 0;
    const fl_attr *a = fl_op_attr(op, FL_ATTR_replica_groups);
    const fl_literal *mesh = fl_op_literal(op, FL_ATTR_replica_group_mesh_axes);
    FL_CHECK(!a || !mesh, FL_INVALID, "expected replica_groups in one form");
    if (mesh) {
        FL_CHECK(mesh->kind == FL_LIT_DICT, FL_INVALID, "expected a mesh and axes in replica_groups");
        FL_TRY(need_mesh_groups(mesh, &size));
    } else if (a && a->count) {
        FL_CHECK(a->columns && a->count % a->columns == 0, FL_INVALID, "expected a matrix in replica_groups");
        FL_TRY(fl_need_ids(a->u.ints, a->count, 0, 1, rules->holes, rules->all, "replica_groups",
                           rules->unique, rules->range));
        size = a->columns;
    }
    if (out_size) *out_size = size;
    return NULL;
}

static fl_status need_channel(const fl_op *op, const char *constraint)
{
    int global;
    FL_TRY(fl_need_flag(op, FL_ATTR_use_global_device_ids, &global));
    FL_CHECK(!global || fl_op_int(op, FL_ATTR_channel_id, 0) > 0, FL_INVALID,
             "expected a positive channel_id beside use_global_device_ids, got %lld (%s)",
             (long long)fl_op_int(op, FL_ATTR_channel_id, 0), constraint);
    return NULL;
}

/* ---- collectives ---- */

/* `more` is `less` times some whole number; both may be open. */
static int is_multiple(int64_t more, int64_t less)
{
    if (fl_is_open(more) || fl_is_open(less)) return 1;
    return less ? more > 0 && more % less == 0 : more == 0;
}

/* Sizes from the stated result where it says them: the sizes of process groups depend on the grid, not on replica_groups alone. */
static fl_status settle_scaled(fl_type *out, const fl_type *element, const fl_type *x, int dim, int grows,
                               int64_t group, const char *constraint)
{
    int64_t dims[FL_MAX_RANK];
    for (int i = 0; i < x->rank; i++) dims[i] = x->dims[i];
    if (fl_is_stated(out)) {
        if (out->kind == FL_TYPE_TENSOR && out->rank == x->rank) dims[dim] = out->dims[dim];
        int64_t more = grows ? dims[dim] : x->dims[dim], less = grows ? x->dims[dim] : dims[dim];
        FL_CHECK(is_multiple(more, less), FL_INVALID,
                 "expected sizes of which %lld is a multiple of %lld (%s)", (long long)more, (long long)less,
                 constraint);
    } else if (!group) {
        dims[dim] = FL_DYNAMIC;
    } else if (grows) {
        FL_TRY(fl_dim_product(dims[dim], group, &dims[dim]));
    } else if (!fl_is_open(dims[dim])) {
        FL_CHECK(dims[dim] % group == 0, FL_INVALID, "expected %lld to be a multiple of %lld (%s)",
                 (long long)dims[dim], (long long)group, constraint);
        dims[dim] /= group;
    }
    return fl_settle_as(out, element, FL_MATCH_ELEMENT, x->rank, dims, constraint);
}

fl_status fl_infer_all_gather(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const group_rules rules = {"C2", "C4", 0, 1};
    int64_t group;
    int dim;
    FL_CHECK(op->operand_count, FL_INVALID, "expected an operand (I1)");
    FL_TRY(need_groups(op, &rules, &group));
    FL_TRY(need_channel(op, "C5"));
    FL_TRY(fl_need_results(op, op->operand_count, "C6"));
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
        FL_TRY(fl_need_dim(op, FL_ATTR_all_gather_dim, x->rank, "C1", &dim));
        FL_TRY(settle_scaled(&out[i], x, x, dim, 1, group, "C6"));
    }
    return NULL;
}

/* The element type that region 0 reduces to, which `count` operands can be promoted to. */
static fl_status need_reduction(const fl_program *p, const fl_op *op, uint32_t count, const char *constraint,
                                const fl_type **out)
{
    for (uint32_t i = 0; i < count; i++) {
        FL_TRY(fl_need_kind(fl_operand_type(p, op, i), FL_PER_TENSOR));
        FL_TRY(fl_need_reducer(p, op, 0, i, 1, constraint));
    }
    *out = fl_region_result(p, op, 0, 0);
    return NULL;
}

fl_status fl_infer_all_reduce(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const group_rules rules = {"C1", "C3", 1, 1};
    const fl_type *e;
    FL_CHECK(op->operand_count, FL_INVALID, "expected an operand (I1)");
    FL_TRY(need_groups(op, &rules, NULL));
    FL_TRY(need_channel(op, "C4"));
    FL_TRY(fl_need_results(op, op->operand_count, "C6"));
    FL_TRY(need_reduction(p, op, op->operand_count, "C5", &e));
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        FL_TRY(fl_settle_as(&out[i], e, FL_MATCH_ELEMENT, x->rank, x->dims, "C6, C7"));
    }
    return NULL;
}

fl_status fl_infer_all_to_all(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const group_rules rules = {"C5", "C7", 0, 1};
    int64_t group, count;
    int split, concat;
    FL_CHECK(op->operand_count, FL_INVALID, "expected an operand (I1)");
    FL_TRY(need_groups(op, &rules, &group));
    FL_TRY(fl_need_int(op, FL_ATTR_split_count, 1, INT64_MAX, 0, "C4", &count));
    FL_CHECK(!group || group == count, FL_INVALID, "expected groups of %lld, got %lld (C8)", (long long)count,
             (long long)group);
    FL_TRY(fl_need_results(op, op->operand_count, "C9"));
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        int64_t dims[FL_MAX_RANK];
        FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
        FL_TRY(fl_need_dim(op, FL_ATTR_split_dimension, x->rank, "C1", &split));
        FL_TRY(fl_need_dim(op, FL_ATTR_concat_dimension, x->rank, "C3", &concat));
        for (int k = 0; k < x->rank; k++) dims[k] = x->dims[k];
        FL_CHECK(fl_is_open(dims[split]) || dims[split] % count == 0, FL_INVALID,
                 "expected a size that %lld divides, got %lld (C2)", (long long)count,
                 (long long)dims[split]);
        if (split != concat) {
            if (!fl_is_open(dims[split])) dims[split] /= count;
            FL_TRY(fl_dim_product(dims[concat], count, &dims[concat]));
        }
        FL_TRY(fl_settle_as(&out[i], x, FL_MATCH_ELEMENT, x->rank, dims, "C9"));
    }
    return NULL;
}

fl_status fl_infer_reduce_scatter(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const group_rules rules = {"C3", "C5", 0, 1};
    const fl_type *x = fl_operand_type(p, op, 0), *e;
    int64_t group;
    int dim;
    FL_TRY(need_groups(op, &rules, &group));
    FL_TRY(need_channel(op, "C6"));
    FL_TRY(need_reduction(p, op, 1, "C7", &e));
    FL_TRY(fl_need_dim(op, FL_ATTR_scatter_dimension, x->rank, "C2", &dim));
    return settle_scaled(out, e, x, dim, 0, group, "C1, C8, C9");
}

/* The operands but for a dynamic root: for each of them a 32-bit index within its group. */
static fl_status need_roots(const fl_program *p, const fl_op *op, const char *data, const char *root,
                            const char *results, uint32_t *out_count)
{
    int dynamic;
    FL_TRY(fl_need_flag(op, FL_ATTR_has_dynamic_root, &dynamic));
    FL_CHECK(op->operand_count > dynamic, FL_INVALID, "expected an operand, got %d (%s)",
             op->operand_count - dynamic, dynamic ? root : data);
    uint32_t n = op->operand_count - (uint32_t)dynamic;
    if (dynamic) {
        int64_t size = n;
        fl_type roots = fl_type_make(FL_I32, 1, &size);
        FL_TRY(fl_need_match(fl_operand_type(p, op, n), &roots, FL_MATCH_TYPE, "root", root));
    }
    *out_count = n;
    return fl_need_results(op, n, results);
}

fl_status fl_infer_collective_broadcast(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const group_rules rules = {"C1", "C2", 0, 0};
    uint32_t n;
    FL_TRY(need_groups(op, &rules, NULL));
    FL_TRY(need_roots(p, op, "C3", "C4", "C5", &n));
    for (uint32_t i = 0; i < n; i++) {
        FL_TRY(fl_need_kind(fl_operand_type(p, op, i), FL_PER_TENSOR));
        FL_TRY(fl_settle(&out[i], fl_operand_type(p, op, i), FL_MATCH_TYPE, "C3, C4"));
    }
    return NULL;
}

fl_status fl_infer_collective_reduce(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const group_rules rules = {"C1", "C2", 1, 0};
    const fl_type *e;
    uint32_t n;
    FL_TRY(need_groups(op, &rules, NULL));
    FL_TRY(need_channel(op, "I3"));
    FL_TRY(need_roots(p, op, "C3", "C3", "C3", &n));
    FL_TRY(need_reduction(p, op, n, "C4", &e));
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        FL_TRY(fl_settle_as(&out[i], e, FL_MATCH_ELEMENT, x->rank, x->dims, "C3"));
    }
    return NULL;
}

fl_status fl_infer_cross_replica_sum(const fl_program *p, const fl_op *op, fl_type *out)
{
    static const group_rules rules = {"as all_reduce C1", "as all_reduce C3", 1, 1};
    FL_TRY(need_groups(op, &rules, NULL));
    FL_TRY(fl_need_kind(fl_operand_type(p, op, 0), FL_ORDINARY));
    return fl_settle(out, fl_operand_type(p, op, 0), FL_MATCH_TYPE, "the operand's type");
}
