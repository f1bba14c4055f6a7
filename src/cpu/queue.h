/* The in-order queue of one stream of an embedded device, and the thread that works it off. */
#ifndef FL_CPU_QUEUE_H
#define FL_CPU_QUEUE_H

#include "device/device.h"

#include <pthread.h>
#include <stdint.h>

#define FL_QUEUE_LENGTH 1024 /* entries in flight; a host that is further ahead waits */
#define FL_QUEUE_INLINE 512  /* bytes of payload kept in the entry itself */

#define FL_QUEUE_PATIENCE 100000000 /* ns */

typedef struct fl_queue fl_queue;
/* One kind of work. `payload` lies in the queue. The status is kept as the device's pending failure. */
typedef fl_status (*fl_work_fn)(void *payload);

/* While an urgent queue of the process has work that could run, the others begin nothing new, for FL_QUEUE_PATIENCE at most. */
fl_status fl_queue_create(int urgent, fl_queue **out);
void fl_queue_destroy(fl_queue *queue); /* works off what is queued first */
/* Takes the queue for one submission, which may look at it several times. */
void fl_queue_lock(fl_queue *queue);
void fl_queue_unlock(fl_queue *queue);
/* With the lock held: nothing is queued or running, so work may be done right here, in order. */
int fl_queue_idle(const fl_queue *queue);
int fl_queue_finished(fl_queue *queue); /* the same without the lock, and that entry has ended, too */
/* With the lock held: space for `bytes` of payload of the next entry (waits while the queue is full); NULL when memory
 * is exhausted. fl_queue_submit makes it visible to the worker. */
void *fl_queue_payload(fl_queue *queue, size_t bytes);
fl_status fl_queue_submit(fl_queue *queue, fl_work_fn work);
/* Waits until everything submitted is done. Takes no lock of the caller's. */
void fl_queue_drain(fl_queue *queue);
/* From the entry that runs: what it still does is no work and takes no time, so the queue counts as idle already. */
void fl_queue_pass(fl_queue *queue);
/* Places in the queue: everything submitted so far is done once the queue has reached its position of now. Any thread. */
uint64_t fl_queue_position(const fl_queue *queue);
int fl_queue_reached(const fl_queue *queue, uint64_t position);
/* Around work that waits for another queue: meanwhile this one has nothing that could run. */
void fl_queue_pause(fl_queue *queue);
void fl_queue_resume(fl_queue *queue);
/* The first failure since the last call, or NULL. The caller owns it. */
fl_status fl_queue_take_error(fl_queue *queue);
void fl_queue_keep_error(fl_queue *queue, fl_status status); /* consumes `status`; keeps the first */

#endif
