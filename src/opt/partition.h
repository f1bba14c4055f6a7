/* The partitioner: writes the program that each partition runs. Internal to opt/. */
#ifndef FL_OPT_PARTITION_H
#define FL_OPT_PARTITION_H

#include "ir/build.h"
#include "opt/propagate.h"

/* Another form of a value: the same, spread otherwise. */
typedef struct fl_version {
    struct fl_version *next;
    fl_spread spread;
    fl_ref ref;
} fl_version;

/* Where a partition's part begins, in a program that all of them run. */
typedef struct fl_offset {
    struct fl_offset *next;
    fl_axes axes;
    int64_t unit;
    fl_ref ref; /* 0-d i64 */
} fl_offset;

typedef struct fl_partitioner {
    const fl_program *from;
    const fl_shardings *shardings;
    const fl_mesh *mesh;
    int64_t strides[FL_MOST_AXES]; /* of axes in the numbers of places */
    fl_arena scratch;
    fl_graph graph;
    fl_builder b;
    fl_ref *map; /* value of `from` -> value of the new program, spread as the graph says */
    fl_version **versions;
    fl_version **
        pending; /* values that are sums still to be added up, until something needs them otherwise; map is 0 then */
    uint32_t *uses; /* of values, as operands and results of blocks */
    uint32_t next_rule;
    uint32_t last_manual;
    uint8_t last_axes[FL_MOST_AXES]; /* of each axis the last of those that are one in the program's mesh */
    uint16_t manual;                 /* axes that are manual where operations go now */
    int64_t next_channel;
    fl_ref partition; /* number of the partition, once it is needed */
    fl_offset *offsets;
} fl_partitioner;

void *fl_partition_alloc(fl_partitioner *p, size_t count, size_t size); /* NULL with a failed builder */

/* ---- collectives (partition_collective.c) ---- */

/* The place of a partition's part along axes, times `unit`: a 0-d i64 of the main block. */
fl_ref fl_partition_offset(fl_partitioner *p, const fl_axes *axes, int64_t unit);
/* Joins the parts that the axes cut dimension `dim` into; the axes must be the last ones of it. */
fl_ref fl_emit_all_gather(fl_partitioner *p, fl_ref x, const fl_axes *axes, int dim);
/* Each partition along the axis gives each other one a piece of `split`, and puts what it gets together along `concat`. */
fl_ref fl_emit_all_to_all(fl_partitioner *p, fl_ref x, uint8_t axis, int split, int concat);
/* Reduces over the axes by `code`; the element type is x's. */
fl_ref fl_emit_all_reduce(fl_partitioner *p, fl_ref x, const fl_axes *axes, fl_opcode code);
/* So too, each partition along the axes keeping its part along `dim`. */
fl_ref fl_emit_reduce_scatter(fl_partitioner *p, fl_ref x, const fl_axes *axes, int dim, fl_opcode code);
/* sources[i]: the partition that sends to partition i. */
fl_ref fl_emit_permute(fl_partitioner *p, fl_ref x, const int64_t *sources);
/* The partition at a place of the mesh. */
static inline int64_t fl_partition_at(const fl_mesh *mesh, int64_t place)
{
    return mesh->partitions ? mesh->partitions[place] : place;
}

/* ---- resharding (partition_reshard.c) ---- */

/* x is a share of a value of type `whole` that is spread as `from` says: its share as `to` says. */
fl_ref fl_reshard(fl_partitioner *p, fl_ref x, const fl_spread *from, const fl_spread *to,
                  const fl_type *whole);

/* ---- values and operations (partition_op.c) ---- */

/* A value of `from`, spread as wanted. What that takes is done once, where the value is defined. */
fl_ref fl_partition_get(fl_partitioner *p, fl_ref value, const fl_spread *spread);
/* So too, as the graph says. */
static inline fl_ref fl_partition_own(fl_partitioner *p, fl_ref value)
{
    return fl_partition_get(p, value, fl_graph_spread(&p->graph, value));
}
/* What a value is in the new program, computed with a spread: brings it to the graph's; a sum that is used
 * once waits until it is, since sums of sums are added up together. */
void fl_partition_define(fl_partitioner *p, fl_ref value, fl_ref x, const fl_spread *spread);
fl_status fl_partition_op(fl_partitioner *p, const fl_op *op);
/* A block as it is, on whole values. */
fl_block *fl_partition_copy_region(fl_partitioner *p, const fl_block *block);
/* The attributes that an operation keeps: without shardings. */
const fl_literal *fl_partition_keep_extra(fl_partitioner *p, const fl_literal *extra);

/* ---- reductions in parts (partition_sum.c) ---- */

/* The operation, whose factors have axes along which it reduces, on its operands' shares (refs; the first one's spread). Returns the
 * share of its first result, *spread as it is spread then. */
fl_ref fl_partition_sum(fl_partitioner *p, const fl_op *op, fl_ref *refs, const fl_axes *sums,
                        const fl_spread *first, fl_spread *spread);
/* Partial results reduced over the axes: cut where they are wanted so (*spread becomes more like `to`), else whole. */
fl_ref fl_partition_put_together(fl_partitioner *p, fl_ref x, const fl_axes *sums, fl_spread *spread,
                                 const fl_spread *to, fl_opcode code);
/* The scalar that changes nothing. */
fl_ref fl_partition_neutral(fl_partitioner *p, fl_opcode code, fl_dtype dtype);

/* ---- tables (partition_table.c) ---- */

/* A gather from a table that is cut as `table` says: of rows that the partition has not, what changes nothing in a sum. */
fl_ref fl_partition_look_up(fl_partitioner *p, const fl_op *op, fl_ref *refs, const fl_spread *table,
                            const fl_spread *spread);
/* The indices of a gather or scatter, counted from where the partition's part of the table begins, which is spread so. */
fl_ref fl_partition_shift_indices(fl_partitioner *p, const fl_op *op, fl_ref table, fl_ref indices,
                                  const fl_spread *spread);
/* The attributes of an operation on shares: sizes of slices become those of the shares'. */
const fl_attr *fl_partition_attrs(fl_partitioner *p, const fl_op *op, const fl_ref *refs,
                                  const fl_type *results);
fl_type fl_partition_share(const fl_partitioner *p, fl_ref value, const fl_spread *spread);

/* ---- control flow (partition_control.c) ---- */

fl_status fl_partition_block(fl_partitioner *p, const fl_block *block);
/* The operation, if it is one whose regions are partitioned too, or that only passes values on: *done. */
fl_status fl_partition_control(fl_partitioner *p, const fl_op *op, int *done);

/* ---- custom calls (partition_custom.c) ---- */

/* A call that its maker partitions: *done. */
fl_status fl_partition_custom(fl_partitioner *p, const fl_op *op, int *done);

/* ---- the host (partition_host.c) ---- */

/* A transfer with the host that the program puts on one device: *done. */
fl_status fl_partition_host_transfer(fl_partitioner *p, const fl_op *op, int *done);

#endif
