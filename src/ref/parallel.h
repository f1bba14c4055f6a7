/* A grid of replicas x partitions: processes that run side by side, one at a time, and meet in collectives.
 * Internal to ref/. */
#ifndef FL_REF_PARALLEL_H
#define FL_REF_PARALLEL_H

#include "ref/groups.h"
#include "ref/interp.h"

#include <pthread.h>

typedef enum fl_process_state { FL_PROCESS_READY, FL_PROCESS_WAITING, FL_PROCESS_DONE } fl_process_state;

typedef struct fl_grid fl_grid;

struct fl_process {
    fl_grid *grid;
    uint32_t id, replica, partition; /* id = replica * partitions + partition */
    fl_process_state state;
    const fl_op *waits_in;
    pthread_t thread;
    pthread_cond_t turn;
    const fl_func *func;
    const fl_tensor *args;
    fl_interp interp;
};

/* Operands that processes brought along to a collective. */
typedef struct fl_meeting {
    struct fl_meeting *next;
    const fl_op *op; /* of the first to come */
    int64_t channel;
    uint32_t *members; /* ids of processes, in the order of the group */
    uint32_t count, arrived, left;
    const fl_type **types; /* of the operands */
    uint32_t operand_count;
    void **inputs; /* inputs[member * operand_count + k], NULL until the member has come */
} fl_meeting;

typedef struct fl_message { /* what a process sent, and nobody received yet */
    struct fl_message *next;
    int kind; /* FL_OP_send or FL_OP_collective_permute */
    int64_t channel, source, target;
    uint32_t count;
    const fl_type **types;
    void **data;
} fl_message;

struct fl_grid {
    fl_session *session;
    uint32_t replicas, partitions, count;
    fl_process *processes;
    pthread_mutex_t mutex; /* held by the process that runs, and while the turn changes hands */
    uint32_t turn;         /* its id */
    fl_status status;      /* the first error; then all stop where they meet */
    int failed;
    fl_meeting *meetings;
    fl_message *messages, **last_message;
    const fl_literal *infeed; /* names of functions; NULL: none */
    uint32_t infeed_next;
};

/* The grid of one process, in which a program starts. */
void fl_grid_single(fl_grid *grid, fl_process *process, fl_session *session);
void fl_grid_free(fl_grid *grid); /* meetings and messages */
/* Lets others run until something has happened that this process may wait for. */
fl_status fl_grid_wait(const fl_call *call);
void fl_grid_wake(fl_grid *grid); /* that something has happened */

/* Waits until all members of the group (this process among them) have come, and gives their operands. */
fl_status fl_grid_meet(const fl_call *call, const uint32_t *members, uint32_t count, uint32_t operand_count,
                       int64_t channel, fl_meeting **out);
void fl_grid_leave(const fl_call *call, fl_meeting *meeting);
fl_status fl_grid_send(const fl_call *call, int kind, int64_t channel, int64_t source, int64_t target,
                       uint32_t count);
/* Waits for the message and copies it into the call's first `count` results. */
fl_status fl_grid_receive(const fl_call *call, int kind, int64_t channel, int64_t source, int64_t target,
                          uint32_t count);

#endif
