/* Rules of gather and scatter.
 *
 * Three tensors: the operand, the indices, and a third one, gather's result or scatter's updates, which has a dimension for each
 * of the indices' (but the one along which an index lies) and those of the window. */
#include "opt/rule.h"

typedef struct geometry {
    uint32_t third; /* the number of the third tensor */
    const int64_t *window, *removed, *batching, *index_batching, *map;
    uint32_t window_count, removed_count, batching_count, map_count;
    int64_t vector_dim;
} geometry;

static geometry read_geometry(const fl_rule_maker *m)
{
    int gather = m->op->code == FL_OP_gather;
    geometry g = {.third = 2, .vector_dim = fl_op_int(m->op, FL_ATTR_index_vector_dim, 0)};
    g.window = fl_op_ints(m->op, gather ? FL_ATTR_offset_dims : FL_ATTR_update_window_dims, &g.window_count);
    g.removed = fl_op_ints(m->op, gather ? FL_ATTR_collapsed_slice_dims : FL_ATTR_inserted_window_dims,
                           &g.removed_count);
    g.batching = fl_op_ints(m->op, gather ? FL_ATTR_operand_batching_dims : FL_ATTR_input_batching_dims,
                            &g.batching_count);
    g.index_batching = fl_op_ints(
        m->op, gather ? FL_ATTR_start_indices_batching_dims : FL_ATTR_scatter_indices_batching_dims,
        &g.batching_count);
    g.map = fl_op_ints(m->op, gather ? FL_ATTR_start_index_map : FL_ATTR_scatter_dims_to_operand_dims,
                       &g.map_count);
    return g;
}

static int find(const int64_t *list, uint32_t count, int64_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == value) return (int)i;
    return -1;
}

/* The third tensor's dimension that belongs to each one of the indices; -1 for the one along which an index lies. */
static void batch_dims(const fl_rule_maker *m, const geometry *g, int *out)
{
    int next = 0, rank = fl_rule_type(m, 1)->rank;
    for (int d = 0; d < rank; d++) {
        out[d] = -1;
        if (d == g->vector_dim) continue;
        while (find(g->window, g->window_count, next) >= 0) next++;
        out[d] = next++;
    }
}

/* Factors of the window: dimensions that it covers whole. gather's lies at 0 then, wherever the index points; of scatter's only
 * what is inside counts, so the index must not point along the dimension. */
static void window_factors(fl_rule_maker *m, const geometry *g, uint32_t result)
{
    uint32_t k = 0;
    const fl_type *x = fl_rule_type(m, 0);
    for (int d = 0; d < x->rank && k < g->window_count; d++) {
        if (find(g->removed, g->removed_count, d) >= 0 || find(g->batching, g->batching_count, d) >= 0)
            continue;
        int dim = (int)g->window[k++];
        if (x->dims[d] != fl_rule_type(m, g->third)->dims[dim]) continue;
        if (result != g->third && find(g->map, g->map_count, d) >= 0) continue;
        int f = fl_rule_share(m, 0, d, g->third, dim);
        if (result != g->third) fl_rule_put(m, result, d, f);
    }
}

int fl_rule_indexed_dim(const fl_program *program, const fl_op *op)
{
    int gather = op->code == FL_OP_gather;
    uint32_t n, removed_count;
    const int64_t *map =
        fl_op_ints(op, gather ? FL_ATTR_start_index_map : FL_ATTR_scatter_dims_to_operand_dims, &n);
    const int64_t *removed =
        fl_op_ints(op, gather ? FL_ATTR_collapsed_slice_dims : FL_ATTR_inserted_window_dims, &removed_count);
    fl_dtype index = (fl_dtype)fl_type_of(program, op->operands[1])->dtype,
             dtype = (fl_dtype)fl_type_of(program, op->operands[0])->dtype;
    if (n != 1 || find(removed, removed_count, map[0]) < 0) return -1;
    if (index != FL_I32 && index != FL_I64 && index != FL_U32) return -1;
    return fl_is_float(dtype) && fl_dtypes[dtype].bits < 16 ? -1 : (int)map[0];
}

/* Rows of a table that is cut: each partition has some, and 0 for the others. */
static void table_factor(fl_rule_maker *m)
{
    int dim = fl_rule_indexed_dim(m->program, m->op);
    int f = dim < 0 ? -1 : fl_rule_factor(m, fl_rule_type(m, 0)->dims[dim]);
    if (f < 0) return;
    fl_rule_put(m, 0, dim, f);
    if (m->op->code == FL_OP_gather)
        m->sums |= (uint64_t)1 << f;
    else
        fl_rule_put(m, 3, dim, f); /* updates of others' rows are out of bounds */
}

void fl_factors_gather(fl_rule_maker *m)
{
    geometry g = read_geometry(m);
    int third[FL_MAX_RANK];
    table_factor(m);
    batch_dims(m, &g, third);
    for (int d = 0; d < fl_rule_type(m, 1)->rank; d++) {
        if (third[d] < 0) continue;
        int f = fl_rule_share(m, 1, d, g.third, third[d]), k = find(g.index_batching, g.batching_count, d);
        if (k >= 0) fl_rule_put(m, 0, (int)g.batching[k], f);
    }
    window_factors(m, &g, g.third);
}

/* Updates along the batch may go to any element: each partition scatters its own into nothing, and what comes of that is put
 * together, where the computation allows it. */
void fl_factors_scatter(fl_rule_maker *m)
{
    geometry g = read_geometry(m);
    int third[FL_MAX_RANK], in_parts;
    if (m->op->operand_count != 3) return;
    fl_opcode code = fl_rule_monoid(m->program, m->op->regions[0]);
    in_parts = code != FL_OP_NONE && fl_rule_type(m, 0)->dtype == fl_rule_type(m, 3)->dtype;
    batch_dims(m, &g, third);
    table_factor(m);
    for (int d = 0; d < fl_rule_type(m, 1)->rank; d++) {
        int k = find(g.index_batching, g.batching_count, d);
        if (third[d] < 0 || (k < 0 && !in_parts)) continue;
        int f = fl_rule_share(m, 1, d, g.third, third[d]);
        if (f < 0) continue;
        if (k < 0) {
            m->sums |= (uint64_t)1 << f;
        } else {
            fl_rule_put(m, 0, (int)g.batching[k], f);
            fl_rule_put(m, 3, (int)g.batching[k], f);
        }
    }
    window_factors(m, &g, 3);
}
