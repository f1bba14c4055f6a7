/* What an execution may reach outside its program. */
#ifndef FL_REF_ENVIRONMENT_H
#define FL_REF_ENVIRONMENT_H

#include "ir/ir.h"

/* One of the executions of a program that run side by side, a process of a grid of replicas x partitions. */
typedef struct fl_position {
    uint32_t replicas, partitions;
    uint32_t replica, partition;
} fl_position;

struct fl_custom_args; /* custom.h */

/* Lives until the execution is over. No lock is held while one of these functions runs, so they may block, and may use the
 * device from other threads. */
typedef struct fl_environment fl_environment;
struct fl_environment {
    /* Collectives, and what asks for the position: run on dense arrays, regions included. NULL: there are no others. */
    fl_status (*collective)(const fl_environment *environment, const fl_program *program, const fl_op *op,
                            const void *const *operands, void *const *results);
    const struct fl_member *member; /* device/comm.h */
    /* A send to the host, and a recv from it: one value, dense, of the operation's channel. NULL: whatever process receives
     * what is sent to the host is the host. */
    fl_status (*send)(void *host, int64_t channel, const void *data, size_t bytes);
    fl_status (*receive)(void *host, int64_t channel, void *data, size_t bytes);
    /* A custom call that somebody else makes: its backend_config is a number. */
    fl_status (*foreign)(void *host, int64_t number, const struct fl_custom_args *args);
    void *host;
};

#endif
