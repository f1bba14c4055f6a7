#include "ir/infer.h"

#include <string.h>

static fl_status need_starts(const fl_program *p, const fl_op *op, uint32_t first, int rank)
{
    FL_CHECK(op->operand_count == first + (uint32_t)rank, FL_INVALID,
             "expected %d start indices (C2), got %u", rank, op->operand_count - first);
    for (uint32_t i = first; i < op->operand_count; i++) {
        const fl_type *t = fl_operand_type(p, op, i);
        FL_TRY(fl_need_scalar(t, FL_DTYPE_NONE, "start index"));
        FL_CHECK(fl_is_int(t->dtype), FL_INVALID, "expected an integer start index, got %s",
                 fl_dtype_name(t->dtype));
        FL_TRY(fl_need_equal(t, fl_operand_type(p, op, first), "start index (C3)"));
    }
    return NULL;
}

fl_status fl_infer_dynamic_slice(const fl_program *p, const fl_op *op, fl_type *out)
{
    const int64_t *sizes;
    FL_CHECK(op->operand_count, FL_INVALID, "expected an operand");
    *out = *fl_operand_type(p, op, 0);
    FL_TRY(need_starts(p, op, 1, out->rank));
    FL_TRY(fl_need_ints(op, FL_ATTR_slice_sizes, out->rank, &sizes));
    for (int i = 0; i < out->rank; i++) {
        FL_CHECK(0 <= sizes[i] && sizes[i] <= out->dims[i], FL_INVALID,
                 "expected slice_sizes within [0, %lld] (C4), got %lld", (long long)out->dims[i],
                 (long long)sizes[i]);
        out->dims[i] = sizes[i];
    }
    return NULL;
}

fl_status fl_infer_dynamic_update_slice(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_CHECK(op->operand_count >= 2, FL_INVALID, "expected an operand and an update");
    *out = *fl_operand_type(p, op, 0);
    const fl_type *update = fl_operand_type(p, op, 1);
    FL_TRY(need_starts(p, op, 2, out->rank));
    FL_CHECK(update->dtype == out->dtype && update->rank == out->rank, FL_INVALID,
             "expected an update of the operand's element type and rank (C2, C3)");
    for (int i = 0; i < out->rank; i++)
        FL_CHECK(update->dims[i] <= out->dims[i], FL_INVALID,
                 "expected an update within [0, %lld] (C6), got %lld", (long long)out->dims[i],
                 (long long)update->dims[i]);
    return NULL;
}

/* What gather and scatter say alike: how windows of the operand and batches of the indices make up the third
 * tensor (gather's result, scatter's updates). */
typedef struct geometry {
    const int64_t *window, *removed, *batching, *index_batching,
        *map; /* window: dimensions of the third tensor */
    uint32_t window_count, removed_count, batching_count, map_count;
    int64_t vector_dim;
    uint32_t window_set;
    int64_t batch[FL_MAX_RANK]; /* sizes of the batch dimensions, in order */
    uint32_t batch_count;
    int64_t free_dims[FL_MAX_RANK]; /* operand dimensions that the window keeps, in order */
    uint32_t free_count;
} geometry;

static const struct keys {
    fl_attr_key window, removed, batching, index_batching, map;
} gather_keys = {FL_ATTR_offset_dims, FL_ATTR_collapsed_slice_dims, FL_ATTR_operand_batching_dims,
                 FL_ATTR_start_indices_batching_dims, FL_ATTR_start_index_map},
  scatter_keys = {FL_ATTR_update_window_dims, FL_ATTR_inserted_window_dims, FL_ATTR_input_batching_dims,
                  FL_ATTR_scatter_indices_batching_dims, FL_ATTR_scatter_dims_to_operand_dims};

static fl_status read_geometry(const fl_op *op, const struct keys *keys, const fl_type *x,
                               const fl_type *indices, geometry *g)
{
    uint32_t removed_set, batching_set, index_set, map_set, n;
    FL_CHECK(fl_is_int(indices->dtype), FL_INVALID, "expected integer indices, got %s",
             fl_dtype_name(indices->dtype));
    g->vector_dim = fl_op_int(op, FL_ATTR_index_vector_dim, -1);
    FL_CHECK(g->vector_dim >= 0 && g->vector_dim <= indices->rank, FL_INVALID,
             "expected index_vector_dim within [0, %d] (C2), got %lld", indices->rank,
             (long long)g->vector_dim);
    FL_TRY(fl_need_dims(op, keys->removed, x->rank, &g->removed, &g->removed_count, &removed_set));
    FL_TRY(fl_need_dims(op, keys->batching, x->rank, &g->batching, &g->batching_count, &batching_set));
    FL_TRY(fl_need_dims(op, keys->index_batching, indices->rank, &g->index_batching, &n, &index_set));
    FL_TRY(fl_need_dims(op, keys->map, x->rank, &g->map, &g->map_count, &map_set));
    FL_CHECK(!(removed_set & batching_set) && !(map_set & batching_set), FL_INVALID,
             "expected batching dimensions apart from the collapsed and indexed ones");
    FL_CHECK(fl_is_sorted(g->removed, g->removed_count) && fl_is_sorted(g->batching, g->batching_count),
             FL_INVALID, "expected sorted %s and %s", fl_attr_infos[keys->removed].name,
             fl_attr_infos[keys->batching].name);
    FL_CHECK(n == g->batching_count, FL_INVALID,
             "expected as many batching dimensions of both operands, got %u and %u", g->batching_count, n);
    FL_CHECK(g->vector_dim == indices->rank || !(index_set >> g->vector_dim & 1), FL_INVALID,
             "expected index_vector_dim apart from the batching dimensions");
    for (uint32_t i = 0; i < n; i++)
        FL_CHECK(x->dims[g->batching[i]] == indices->dims[g->index_batching[i]], FL_INVALID,
                 "expected batching dimensions of one size, got %lld and %lld",
                 (long long)x->dims[g->batching[i]], (long long)indices->dims[g->index_batching[i]]);
    int64_t vector = g->vector_dim < indices->rank ? indices->dims[g->vector_dim] : 1;
    FL_CHECK(vector == g->map_count, FL_INVALID, "expected %lld members of %s, got %u", (long long)vector,
             fl_attr_infos[keys->map].name, g->map_count);
    for (int i = 0; i < indices->rank; i++)
        if (i != g->vector_dim) g->batch[g->batch_count++] = indices->dims[i];
    for (int i = 0; i < x->rank; i++)
        if (!((removed_set | batching_set) >> i & 1)) g->free_dims[g->free_count++] = i;
    FL_TRY(fl_need_dims(op, keys->window, FL_MAX_RANK, &g->window, &g->window_count, &g->window_set));
    FL_CHECK(fl_is_sorted(g->window, g->window_count), FL_INVALID, "expected sorted %s",
             fl_attr_infos[keys->window].name);
    FL_CHECK(g->window_count == g->free_count, FL_INVALID, "expected %u members of %s, got %u", g->free_count,
             fl_attr_infos[keys->window].name, g->window_count);
    uint32_t rank = g->batch_count + g->window_count;
    FL_CHECK(rank <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions, got %u", FL_MAX_RANK,
             rank);
    FL_CHECK(!(g->window_set >> rank), FL_INVALID, "expected %s within [0, %u)",
             fl_attr_infos[keys->window].name, rank);
    return NULL;
}

fl_status fl_infer_gather(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    const int64_t *sizes;
    geometry g = {0};
    FL_TRY(read_geometry(op, &gather_keys, x, fl_operand_type(p, op, 1), &g));
    FL_TRY(fl_need_ints(op, FL_ATTR_slice_sizes, x->rank, &sizes));
    for (int i = 0; i < x->rank; i++)
        FL_CHECK(0 <= sizes[i] && sizes[i] <= x->dims[i], FL_INVALID,
                 "expected slice_sizes within [0, %lld] (C20), got %lld", (long long)x->dims[i],
                 (long long)sizes[i]);
    for (uint32_t i = 0; i < g.removed_count; i++)
        FL_CHECK(sizes[g.removed[i]] <= 1, FL_INVALID,
                 "expected slice size at most 1 in a collapsed dimension (C8)");
    for (uint32_t i = 0; i < g.batching_count; i++)
        FL_CHECK(sizes[g.batching[i]] <= 1, FL_INVALID,
                 "expected slice size at most 1 in a batching dimension (C12)");
    *out = fl_type_make((fl_dtype)x->dtype, 0, NULL);
    out->rank = (uint8_t)(g.batch_count + g.window_count);
    for (uint32_t i = 0, batch = 0, free = 0; i < out->rank; i++)
        out->dims[i] = g.window_set >> i & 1 ? sizes[g.free_dims[free++]] : g.batch[batch++];
    FL_TRY(fl_type_check(out));
    /* the specification allows slices of size 0 here; elements must not come from them */
    for (uint32_t i = 0; i < g.removed_count; i++)
        FL_CHECK(sizes[g.removed[i]] == 1 || !fl_type_elements(out), FL_INVALID,
                 "expected slice size 1 in a collapsed dimension, got 0");
    return NULL;
}

fl_status fl_infer_scatter(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_CHECK(op->operand_count >= 3 && op->operand_count % 2, FL_INVALID,
             "expected inputs, indices and as many updates, got %u operands", op->operand_count);
    uint32_t n = (op->operand_count - 1u) / 2;
    const fl_type *x = fl_operand_type(p, op, 0), *u = fl_operand_type(p, op, n + 1);
    geometry g = {0};
    FL_TRY(read_geometry(op, &scatter_keys, x, fl_operand_type(p, op, n), &g));
    FL_CHECK(u->rank == g.batch_count + g.window_count, FL_INVALID,
             "expected updates of rank %u (C4), got %d", g.batch_count + g.window_count, u->rank);
    for (uint32_t i = 0, batch = 0, free = 0; i < u->rank; i++) {
        if (g.window_set >> i & 1) {
            int64_t most = x->dims[g.free_dims[free++]];
            FL_CHECK(u->dims[i] <= most, FL_INVALID,
                     "expected at most %lld for update dimension %u (C4), got %lld", (long long)most, i,
                     (long long)u->dims[i]);
        } else {
            FL_CHECK(u->dims[i] == g.batch[batch], FL_INVALID,
                     "expected %lld for update dimension %u (C4), got %lld", (long long)g.batch[batch], i,
                     (long long)u->dims[i]);
            batch++;
        }
    }
    FL_CHECK(n <= 64, FL_UNSUPPORTED, "expected at most 64 inputs, got %u", n);
    fl_type scalars[128];
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *xi = fl_operand_type(p, op, i), *ui = fl_operand_type(p, op, n + 1 + i);
        FL_CHECK(fl_same_dims(xi, x) && fl_same_dims(ui, u), FL_INVALID,
                 "expected inputs and updates of one shape (C1, C3)");
        FL_CHECK(xi->dtype == ui->dtype, FL_INVALID, "expected updates of %s (C6), got %s",
                 fl_dtype_name(xi->dtype), fl_dtype_name(ui->dtype));
        scalars[i] = scalars[n + i] = fl_type_make(xi->dtype, 0, NULL);
        out[i] = *xi;
    }
    return fl_need_region(p, op, 0, scalars, 2 * n, scalars, n);
}
