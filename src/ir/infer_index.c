/* Rules of slices at computed positions, gather and scatter. */
#include "ir/infer.h"

static fl_status need_starts(const fl_program *p, const fl_op *op, uint32_t first, int rank,
                             const char *count, const char *same)
{
    FL_CHECK(op->operand_count == first + (uint32_t)rank, FL_INVALID,
             "expected %d start indices (%s), got %u", rank, count, op->operand_count - first);
    for (uint32_t i = first; i < op->operand_count; i++) {
        const fl_type *t = fl_operand_type(p, op, i);
        FL_TRY(fl_status_prefix(fl_need_kind(t, FL_INTS), "start index"));
        FL_TRY(fl_need_scalar(t, fl_operand_type(p, op, first), "start index", same));
    }
    return NULL;
}

/* 0 <= size <= the operand's size */
static fl_status need_fit(int64_t size, int64_t most, const char *what, const char *constraint)
{
    FL_CHECK(size >= 0 && (fl_is_open(most) || size <= most), FL_INVALID,
             "expected %s within [0, %lld], got %lld (%s)", what,
             (long long)(fl_is_open(most) ? INT64_MAX : most), (long long)size, constraint);
    return NULL;
}

fl_status fl_infer_dynamic_slice(const fl_program *p, const fl_op *op, fl_type *out)
{
    const int64_t *sizes;
    FL_CHECK(op->operand_count, FL_INVALID, "expected an operand");
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_TRY(need_starts(p, op, 1, x->rank, "C2", "C3"));
    FL_TRY(fl_need_ints(op, FL_ATTR_slice_sizes, x->rank, "C2", &sizes));
    for (int i = 0; i < x->rank; i++) FL_TRY(need_fit(sizes[i], x->dims[i], "slice_sizes", "C4"));
    return fl_settle_as(out, x, FL_MATCH_ELEMENT, x->rank, sizes, "C1, C5");
}

fl_status fl_infer_dynamic_update_slice(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_CHECK(op->operand_count >= 2, FL_INVALID, "expected an operand and an update");
    const fl_type *x = fl_operand_type(p, op, 0), *update = fl_operand_type(p, op, 1);
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_TRY(fl_need_match(update, x, FL_MATCH_ELEMENT, "update", "C2"));
    FL_CHECK(update->rank == x->rank, FL_INVALID, "expected an update of rank %d, got %d (C3)", x->rank,
             update->rank);
    FL_TRY(need_starts(p, op, 2, x->rank, "C4", "C5"));
    for (int i = 0; i < x->rank; i++)
        if (!fl_is_open(update->dims[i])) FL_TRY(need_fit(update->dims[i], x->dims[i], "update sizes", "C6"));
    return fl_settle(out, x, FL_MATCH_TYPE, "C1");
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

/* The attributes, and the numbers of the constraints on them: one family for each of the three operations. */
typedef struct keys {
    fl_attr_key window, removed, batching, index_batching, map;
    const char *ranks, *vector, *map_size, *window_sorted, *window_range, *unique, *removed_sorted,
        *removed_range, *batching_sorted, *batching_range, *index_unique, *vector_apart, *batching_count,
        *batching_sizes, *map_unique;
} keys;
static const keys gather_keys = {FL_ATTR_offset_dims,
                                 FL_ATTR_collapsed_slice_dims,
                                 FL_ATTR_operand_batching_dims,
                                 FL_ATTR_start_indices_batching_dims,
                                 FL_ATTR_start_index_map,
                                 "C1",
                                 "C2",
                                 "C3",
                                 "C4",
                                 "C4, C5",
                                 "C6",
                                 "C7",
                                 "C6, C8",
                                 "C10",
                                 "C6, C11",
                                 "C13, C14",
                                 "C15",
                                 "C16",
                                 "C17",
                                 "C18, C19"},
                  dynamic_gather_keys = {FL_ATTR_offset_dims,
                                         FL_ATTR_collapsed_slice_dims,
                                         FL_ATTR_operand_batching_dims,
                                         FL_ATTR_start_indices_batching_dims,
                                         FL_ATTR_start_index_map,
                                         "C1",
                                         "C2",
                                         "C3",
                                         "C4",
                                         "C4, C5",
                                         "C6",
                                         "C6",
                                         "C6, C7",
                                         "gather C10",
                                         "gather C11",
                                         "gather C13, C14",
                                         "gather C15",
                                         "gather C16",
                                         "gather C17",
                                         "C9, C10"},
                  scatter_keys = {FL_ATTR_update_window_dims,
                                  FL_ATTR_inserted_window_dims,
                                  FL_ATTR_input_batching_dims,
                                  FL_ATTR_scatter_indices_batching_dims,
                                  FL_ATTR_scatter_dims_to_operand_dims,
                                  "C2",
                                  "C22",
                                  "C19",
                                  "C7",
                                  "C7, C8",
                                  "C9",
                                  "C10",
                                  "C9, C11",
                                  "C12",
                                  "C9, C13",
                                  "C14, C15",
                                  "C16",
                                  "C17",
                                  "C18",
                                  "C20, C21"};

static fl_status read_batching(const fl_op *op, const keys *k, const fl_type *x, const fl_type *indices,
                               geometry *g)
{
    uint32_t n, index_set;
    FL_TRY(fl_need_dims(op, k->index_batching, indices->rank, k->index_unique, &g->index_batching, &n,
                        &index_set));
    FL_CHECK(n == g->batching_count, FL_INVALID, "expected %u members of %s, got %u (%s)", g->batching_count,
             fl_attr_infos[k->index_batching].name, n, k->batching_count);
    FL_CHECK(g->vector_dim == indices->rank || !(index_set >> g->vector_dim & 1), FL_INVALID,
             "expected index_vector_dim apart from the batching dimensions (%s)", k->vector_apart);
    for (uint32_t i = 0; i < n; i++)
        FL_CHECK(fl_same_or_open(x->dims[g->batching[i]], indices->dims[g->index_batching[i]]), FL_INVALID,
                 "expected batching dimensions of one size, got %lld and %lld (%s)",
                 (long long)x->dims[g->batching[i]], (long long)indices->dims[g->index_batching[i]],
                 k->batching_sizes);
    return NULL;
}

static fl_status read_window(const fl_op *op, const keys *k, int rank, uint32_t gone, geometry *g)
{
    FL_TRY(fl_need_dims(op, k->window, FL_MAX_RANK, k->window_range, &g->window, &g->window_count,
                        &g->window_set));
    FL_CHECK(fl_is_sorted(g->window, g->window_count), FL_INVALID, "expected sorted %s (%s)",
             fl_attr_infos[k->window].name, k->window_sorted);
    for (int i = 0; i < rank; i++)
        if (!(gone >> i & 1)) g->free_dims[g->free_count++] = i;
    FL_CHECK(g->window_count == g->free_count, FL_INVALID, "expected %u members of %s, got %u (%s)",
             g->free_count, fl_attr_infos[k->window].name, g->window_count, k->ranks);
    uint32_t third = g->batch_count + g->window_count;
    FL_CHECK(third <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions, got %u", FL_MAX_RANK,
             third);
    FL_CHECK(!(g->window_set >> third), FL_INVALID, "expected %s within [0, %u) (%s)",
             fl_attr_infos[k->window].name, third, k->window_range);
    return NULL;
}

static fl_status read_geometry(const fl_op *op, const keys *k, const fl_type *x, const fl_type *indices,
                               geometry *g)
{
    uint32_t removed_set, batching_set, map_set;
    FL_TRY(fl_status_prefix(fl_need_kind(indices, FL_INTS), "indices"));
    FL_TRY(fl_need_int(op, FL_ATTR_index_vector_dim, 0, indices->rank, -1, k->vector, &g->vector_dim));
    FL_TRY(fl_need_dims(op, k->removed, x->rank, k->removed_range, &g->removed, &g->removed_count,
                        &removed_set));
    FL_TRY(fl_need_dims(op, k->batching, x->rank, k->batching_range, &g->batching, &g->batching_count,
                        &batching_set));
    FL_TRY(fl_need_dims(op, k->map, x->rank, k->map_unique, &g->map, &g->map_count, &map_set));
    FL_CHECK(!(removed_set & batching_set), FL_INVALID, "expected %s apart from %s (%s)",
             fl_attr_infos[k->removed].name, fl_attr_infos[k->batching].name, k->unique);
    FL_CHECK(!(map_set & batching_set), FL_INVALID, "expected %s apart from %s (%s)",
             fl_attr_infos[k->map].name, fl_attr_infos[k->batching].name, k->map_unique);
    FL_CHECK(fl_is_sorted(g->removed, g->removed_count), FL_INVALID, "expected sorted %s (%s)",
             fl_attr_infos[k->removed].name, k->removed_sorted);
    FL_CHECK(fl_is_sorted(g->batching, g->batching_count), FL_INVALID, "expected sorted %s (%s)",
             fl_attr_infos[k->batching].name, k->batching_sorted);
    FL_TRY(read_batching(op, k, x, indices, g));
    int64_t vector = g->vector_dim < indices->rank ? indices->dims[g->vector_dim] : 1;
    FL_CHECK(fl_same_or_open(vector, g->map_count), FL_INVALID, "expected %lld members of %s, got %u (%s)",
             (long long)vector, fl_attr_infos[k->map].name, g->map_count, k->map_size);
    for (int i = 0; i < indices->rank; i++)
        if (i != g->vector_dim) g->batch[g->batch_count++] = indices->dims[i];
    return read_window(op, k, x->rank, removed_set | batching_set, g);
}

/* The sizes of gather's slices, from the attribute, or dynamic_gather's from the third operand; open where not known. */
static fl_status slice_sizes(const fl_program *p, const fl_op *op, const fl_type *x, int64_t *out)
{
    if (op->code == FL_OP_dynamic_gather) {
        FL_TRY(fl_need_vector(fl_operand_type(p, op, 2), x->rank, "slice_sizes", "C11"));
        int n = fl_constant_ints(p, op->operands[2], out, FL_MAX_RANK);
        for (int i = 0; i < x->rank; i++)
            if (n != x->rank) out[i] = FL_DYNAMIC;
        for (int i = 0; i < n; i++) FL_TRY(need_fit(out[i], x->dims[i], "slice_sizes", "C12"));
        return NULL;
    }
    const int64_t *sizes;
    FL_TRY(fl_need_ints(op, FL_ATTR_slice_sizes, x->rank, "C20", &sizes));
    for (int i = 0; i < x->rank; i++) {
        FL_TRY(need_fit(sizes[i], x->dims[i], "slice_sizes", "C21"));
        out[i] = sizes[i];
    }
    return NULL;
}

fl_status fl_infer_gather(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    int dynamic = op->code == FL_OP_dynamic_gather, empty = 0;
    int64_t sizes[FL_MAX_RANK], dims[FL_MAX_RANK];
    geometry g = {0};
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_TRY(fl_need_flag(op, FL_ATTR_indices_are_sorted, NULL));
    FL_TRY(
        read_geometry(op, dynamic ? &dynamic_gather_keys : &gather_keys, x, fl_operand_type(p, op, 1), &g));
    FL_TRY(slice_sizes(p, op, x, sizes));
    for (uint32_t i = 0; i < g.removed_count; i++)
        FL_CHECK(sizes[g.removed[i]] <= 1, FL_INVALID,
                 "expected slice size at most 1 in a collapsed dimension, got %lld (%s)",
                 (long long)sizes[g.removed[i]], dynamic ? "C8" : "C9");
    for (uint32_t i = 0; i < g.batching_count; i++)
        FL_CHECK(sizes[g.batching[i]] <= 1, FL_INVALID,
                 "expected slice size at most 1 in a batching dimension, got %lld (C12)",
                 (long long)sizes[g.batching[i]]);
    int rank = (int)(g.batch_count + g.window_count);
    for (int i = 0, batch = 0, free = 0; i < rank; i++) {
        dims[i] = g.window_set >> i & 1 ? sizes[g.free_dims[free++]] : g.batch[batch++];
        empty |= dims[i] == 0;
    }
    /* the specification allows slices of size 0 here; elements must not come from them */
    for (int i = 0; i < x->rank; i++)
        FL_CHECK(sizes[i] != 0 || empty, FL_INVALID,
                 "expected slice size 1 in a dimension that is left out, got 0");
    return fl_settle_as(out, x, FL_MATCH_ELEMENT, rank, dims, dynamic ? "C13, C14" : "C22, C23");
}

static fl_status need_updates(const geometry *g, const fl_type *x, const fl_type *u)
{
    FL_CHECK(u->rank == g->batch_count + g->window_count, FL_INVALID,
             "expected updates of rank %u (C4), got %d", g->batch_count + g->window_count, u->rank);
    for (uint32_t i = 0, batch = 0, free = 0; i < u->rank; i++) {
        if (g->window_set >> i & 1) {
            int64_t most = x->dims[g->free_dims[free++]];
            FL_CHECK(fl_is_open(most) || u->dims[i] <= most, FL_INVALID,
                     "expected at most %lld for update dimension %u (C4), got %lld", (long long)most, i,
                     (long long)u->dims[i]);
        } else {
            FL_CHECK(fl_same_or_open(u->dims[i], g->batch[batch]), FL_INVALID,
                     "expected %lld for update dimension %u (C4), got %lld", (long long)g->batch[batch], i,
                     (long long)u->dims[i]);
            batch++;
        }
    }
    return NULL;
}

fl_status fl_infer_scatter(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_CHECK(op->operand_count >= 3 && op->operand_count % 2, FL_INVALID,
             "expected inputs, indices and as many updates, got %u operands (C5)", op->operand_count);
    uint32_t n = (op->operand_count - 1u) / 2;
    FL_CHECK(n <= FL_MOST_INPUTS, FL_UNSUPPORTED, "expected at most %d inputs, got %u", FL_MOST_INPUTS, n);
    const fl_type *x = fl_operand_type(p, op, 0), *u = fl_operand_type(p, op, n + 1);
    geometry g = {0};
    FL_TRY(fl_need_flag(op, FL_ATTR_indices_are_sorted, NULL));
    FL_TRY(fl_need_flag(op, FL_ATTR_unique_indices, NULL));
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *xi = fl_operand_type(p, op, i), *ui = fl_operand_type(p, op, n + 1 + i);
        FL_TRY(fl_need_kind(xi, FL_PER_TENSOR));
        FL_TRY(fl_need_match(ui, xi, FL_MATCH_ELEMENT, "update", "C6"));
        FL_TRY(fl_need_match(xi, x, FL_MATCH_DIMS, "input", "C1"));
        FL_TRY(fl_need_match(ui, u, FL_MATCH_DIMS, "update", "C3"));
    }
    FL_TRY(read_geometry(op, &scatter_keys, x, fl_operand_type(p, op, n), &g));
    for (uint32_t i = 0; i < n; i++)
        FL_TRY(need_updates(&g, fl_operand_type(p, op, i), fl_operand_type(p, op, n + 1 + i)));
    FL_TRY(fl_need_reducer(p, op, 0, 0, n, "C23"));
    for (uint32_t i = 0; i < n; i++)
        FL_TRY(fl_settle_as(&out[i], fl_region_result(p, op, 0, i), FL_MATCH_ELEMENT, x->rank,
                            fl_operand_type(p, op, i)->dims, "C24, C25"));
    return NULL;
}

/* Deprecated: rows of the operand along `dim`, by index; the leading batch_dims of both run together. */
fl_status fl_infer_torch_index_select(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0), *index = fl_operand_type(p, op, 1);
    int64_t batch, dims[2 * FL_MAX_RANK];
    int dim, rank = 0;
    FL_TRY(fl_need_kind(x, FL_PER_TENSOR));
    FL_TRY(fl_need_kind(index, FL_INTS));
    FL_TRY(fl_need_dim(op, FL_ATTR_dim, x->rank, "a dimension of the operand", &dim));
    FL_TRY(fl_need_int(op, FL_ATTR_batch_dims, 0, dim < index->rank ? dim : index->rank, -1,
                       "leading dimensions of both, before dim", &batch));
    for (int i = 0; i < batch; i++)
        FL_CHECK(fl_same_or_open(x->dims[i], index->dims[i]), FL_INVALID,
                 "expected batch dimensions of one size, got %lld and %lld", (long long)x->dims[i],
                 (long long)index->dims[i]);
    for (int i = 0; i < dim; i++) dims[rank++] = x->dims[i];
    for (int i = (int)batch; i < index->rank; i++) dims[rank++] = index->dims[i];
    for (int i = dim + 1; i < x->rank; i++) dims[rank++] = x->dims[i];
    return fl_settle_as(out, x, FL_MATCH_ELEMENT, rank, dims, "the index in place of dim");
}
