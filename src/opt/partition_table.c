/* Rows of a table that is cut between partitions: gather and scatter by one index. */
#include "opt/partition.h"

#include "ir/build_internal.h"

fl_ref fl_partition_shift_indices(fl_partitioner *p, const fl_op *op, fl_ref table, fl_ref indices,
                                  const fl_spread *spread)
{
    int dim = fl_rule_indexed_dim(p->from, op);
    fl_axes axes = fl_spread_axes(spread, dim);
    if (dim < 0 || !axes.count || !fl_ok(&p->b)) return indices;
    fl_ref offset = fl_partition_offset(p, &axes, fl_dim(&p->b, table, dim));
    return fl_sub(&p->b, indices, fl_cast(&p->b, offset, fl_dtypeof(&p->b, indices)));
}

/* 1 where an index lies in a table of so many rows; of the result's shape. */
static fl_ref is_inside(fl_partitioner *p, const fl_op *op, fl_ref indices, int64_t rows, const fl_type *out)
{
    fl_builder *b = &p->b;
    fl_dtype dtype = fl_dtypeof(b, indices);
    int64_t vector = fl_op_int(op, FL_ATTR_index_vector_dim, 0), dims[FL_MAX_RANK];
    uint32_t offset_count, next = 0;
    const int64_t *offset = fl_op_ints(op, FL_ATTR_offset_dims, &offset_count);
    int n = 0;
    if (vector < fl_rank(b, indices)) indices = fl_squeeze(b, indices, (int)vector);
    for (int d = 0; d < out->rank; d++)
        if (next < offset_count && offset[next] == d)
            next++;
        else
            dims[n++] = d;
    fl_ref inside = fl_and(b, fl_compare(b, FL_GE, indices, fl_scalar_i(b, dtype, 0)),
                           fl_compare(b, FL_LT, indices, fl_scalar_i(b, dtype, rows)));
    return fl_broadcast_in_dim(b, inside, out->rank, out->dims, dims);
}

/* Indices beyond the whole table mean its first or last row. */
fl_ref fl_partition_look_up(fl_partitioner *p, const fl_op *op, fl_ref *refs, const fl_spread *table,
                            const fl_spread *spread)
{
    fl_builder *b = &p->b;
    int dim = fl_rule_indexed_dim(p->from, op);
    int64_t rows = fl_type_of(p->from, op->operands[0])->dims[dim];
    fl_type type = fl_partition_share(p, op->first_result, spread);
    fl_dtype index = fl_dtypeof(b, refs[1]);
    refs[1] = fl_clamp(b, fl_scalar_i(b, index, 0), refs[1], fl_scalar_i(b, index, rows - 1));
    refs[1] = fl_partition_shift_indices(p, op, refs[0], refs[1], table);
    fl_ref inside = is_inside(p, op, refs[1], fl_dim(b, refs[0], dim), &type);
    fl_ref x = fl_build_typed(b, FL_OP_gather, refs, 2, fl_partition_attrs(p, op, refs, &type),
                              op->attr_count, NULL, 0, &type, 1);
    return fl_select(b, inside, x, fl_partition_neutral(p, FL_OP_add, (fl_dtype)type.dtype));
}
