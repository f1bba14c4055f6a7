/* Process groups of collectives: replica_groups as lists of ids, or as axes of a mesh. */
#ifndef FL_REF_GROUPS_H
#define FL_REF_GROUPS_H

#include "ref/environment.h"

typedef enum fl_group_kind {
    FL_CROSS_REPLICA,
    FL_CROSS_PARTITION,
    FL_CROSS_REPLICA_AND_PARTITION,
    FL_FLATTENED_IDS
} fl_group_kind;

/* JAX's custom call: slices of an array go to other members, whose sizes are data. */
int fl_is_ragged_all_to_all(const fl_op *op);
int64_t fl_channel_of(const fl_op *op); /* 0: none */
/* What the ids of an operation's replica_groups are, by its channel_id and use_global_device_ids. */
fl_status fl_grouping_of(const fl_op *op, fl_group_kind *out);

typedef struct fl_id_rows {
    const int64_t *ids;    /* rows x columns, -1 where a group is shorter */
    int64_t rows, columns; /* no rows: all are in one group */
    int64_t *owned;        /* to be freed, also when it is NULL: then ids belong to the program */
} fl_id_rows;

fl_status fl_id_rows_of(const fl_program *program, const fl_op *op, fl_id_rows *out);

typedef struct fl_process_group {
    uint32_t *members;    /* ids in order: replica * partitions + partition */
    uint32_t count, self; /* count 0: the process is in no group; self: which member it is */
} fl_process_group;

/* The group of the process at `at`. The caller gives out->members room for all processes there are. */
fl_status fl_process_group_find(const fl_id_rows *rows, fl_group_kind grouping, const fl_position *at,
                                fl_process_group *out);

#endif
