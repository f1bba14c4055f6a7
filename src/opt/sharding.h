/* How the values of a program for several partitions lie spread over them.
 *
 * A mesh numbers the partitions by coordinates along axes. The axes here are atoms: what the program calls one axis is
 * several where some sharding uses a part of it (sdy's "x":(1)2, a GSPMD tiling), so an axis is always used whole. A
 * sharding gives each dimension a list of axes; the dimension is cut into the product of their sizes, the first axis
 * varying slowest. Parts are
 * equal: where axes do not divide a dimension evenly, import leaves them out (inside), or refuses (arguments and
 * results, which the caller cuts). */
#ifndef FL_OPT_SHARDING_H
#define FL_OPT_SHARDING_H

#include "ir/ir.h"

enum { FL_MOST_AXES = 16 };

typedef struct fl_mesh {
    uint32_t axis_count;
    int64_t sizes[FL_MOST_AXES]; /* > 1; the first varies slowest */
    int64_t count;               /* of partitions: the product of the sizes */
    const int64_t *partitions;   /* the partition at each place, row by row; NULL: the place's own number */
} fl_mesh;

/* Sets of axes are bit masks. */
typedef struct fl_sharding {
    uint8_t stated; /* 0: the program says nothing of this value, which propagation may change */
    uint8_t rank;
    uint8_t count[FL_MAX_RANK]; /* axes of each dimension */
    uint8_t axes[FL_MAX_RANK][FL_MOST_AXES];
    uint16_t open;       /* bit d: propagation may add axes to dimension d */
    uint16_t replicated; /* axes that propagation may not add */
    uint16_t unreduced;  /* axes along which the value is the sum of what its partitions hold */
} fl_sharding;

/* sdy.manual_computation: inside, shapes are those of one partition with respect to the manual axes. */
typedef struct fl_manual {
    const fl_op *op;
    uint16_t axes;
    fl_sharding *in, *out; /* of each operand and result, with manual and free axes */
} fl_manual;

typedef struct fl_shardings {
    fl_arena arena;
    fl_mesh mesh;
    uint32_t value_count;
    fl_sharding *
        values; /* by fl_ref: arguments of the entry function, results of operations and of sharding_constraint */
    fl_sharding *results; /* of the entry function */
    /* Of each argument and result: the partition at each place, where that is not the mesh's order; NULL: it is. */
    const int64_t **argument_orders, **result_orders;
    fl_manual *manuals;
    uint32_t manual_count;
} fl_shardings;

/* Reads what the program says of shardings: sdy.sharding attributes, sdy operations, and GSPMD's mhlo.sharding. The
 * program is one function (fl_program_refine). `partitions` > 1 is how many there are; a program that has no mesh is
 * replicated. FL_INVALID: meshes or axes that do not fit. The caller owns *out. */
fl_status fl_sharding_import(const fl_program *program, int64_t partitions, fl_shardings **out);
void fl_shardings_free(fl_shardings *shardings);

/* The program that each partition runs: shapes are those of shards, data move by StableHLO's collectives, no operation of
 * sdy is left. Fills in what propagation has found for arguments and results that were not stated (`values`, `results`), and
 * rewrites all shardings and the mesh with axes of prime size.
 * Every program can be partitioned; what has no better rule is computed whole by every partition. The caller owns *out. */
fl_status fl_program_partition(const fl_program *program, fl_shardings *shardings, fl_program **out);

/* A partitioned program for several replicas: collectives that name all partitions by global ids do so for every replica. */
fl_status fl_program_replicate(fl_program *program, int64_t replicas, int64_t partitions);

/* Small all_reduces that do not depend on one another become one. *program is replaced, or left as it is. */
fl_status fl_program_combine(fl_program **program);

/* The shape of a partition's share: each dimension divided by its parts. */
fl_status fl_sharding_shard_type(const fl_mesh *mesh, const fl_sharding *sharding, const fl_type *type,
                                 fl_type *out);

#endif
