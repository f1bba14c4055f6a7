/* Executions of one program that run side by side on several devices of this process, and how they meet in collectives.
 *
 * Each execution is a member, on a thread of its own. Members of a group meet by bringing an offer, their operands and results;
 * when all have come, each does its share of the work in the memory of all; nobody leaves before all is done.
 * Blocked members sleep. Whoever fails, or ends while others wait for it, fails the others with it: nobody waits forever. */
#ifndef FL_DEVICE_COMM_H
#define FL_DEVICE_COMM_H

#include "base/status.h"
#include "ref/groups.h"

typedef struct fl_comm fl_comm;
typedef struct fl_member {
    fl_comm *comm;
    fl_position at;
    uint32_t id; /* replica * partitions + partition */
} fl_member;

/* Lives until fl_comm_end has been called for each of the replicas x partitions members. */
fl_status fl_comm_create(uint32_t replicas, uint32_t partitions, fl_comm **out);
const fl_member *fl_comm_member(const fl_comm *comm, uint32_t id);
/* The member's execution is over; `status`, which stays the caller's, says how. */
void fl_comm_end(const fl_member *member, fl_status status);

typedef struct fl_offer fl_offer;
struct fl_offer {
    const fl_program *program;
    const fl_op *op;
    const void *const *operands;
    void *const *results;
    /* The share of offers[self]: reads operands and writes results of any of them, but none that another share writes. */
    fl_status (*share)(const fl_offer *const *offers, uint32_t count, uint32_t self);
    const void *context; /* for `share` */
};

/* Meets the other members of the group. With `small`, which follows from the types of the operation, whoever comes last does
 * the shares of all. Members whose operations are not of one kind and types are an error. */
fl_status fl_comm_meet(const fl_member *self, const fl_process_group *group, int64_t channel, int small,
                       const fl_offer *offer);

#endif
