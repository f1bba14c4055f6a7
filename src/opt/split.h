/* Custom calls that their makers know how to partition: functions that are registered by the name of the target. */
#ifndef FL_OPT_SPLIT_H
#define FL_OPT_SPLIT_H

#include "opt/sharding.h"

/* A call, and how its operands and results lie; whole, where nothing else is known. */
typedef struct fl_split_call {
    const fl_program *program;
    const fl_op *op;
    const fl_mesh *mesh;
    fl_sharding *operands, *results;
} fl_split_call;

typedef struct fl_splitter {
    void *user;
    /* The program that a partition runs in the call's place, on its shares, and how operands and results are to lie for it, which
     * is written over what they do. *out NULL: the results are the operands. The caller owns *out. */
    fl_status (*partition)(void *user, fl_split_call *call, fl_program **out);
    /* How results lie, from the operands, while propagation goes on; *known 0: no matter. Or NULL. */
    fl_status (*infer)(void *user, fl_split_call *call, int *known);
} fl_splitter;

/* The newest of a name counts; functions are never forgotten, so a partitioner at work keeps what it has found. The name of `size`
 * bytes is copied. */
fl_status fl_splitter_register(const char *name, size_t size, const fl_splitter *splitter);
/* Of a custom call; NULL: none. */
const fl_splitter *fl_splitter_of(const fl_op *op);

/* Calls of this name work on each element of their leading dimensions by itself, as many as the frontend attribute num_batch_dims
 * says. */
fl_status fl_split_batches_register(const char *name, size_t size);
int fl_splits_batches(const fl_op *op);

#endif
