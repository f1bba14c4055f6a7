/* What fused mode did: counts from the start on, and a list of the chunks while somebody explains. */
#ifndef FL_EAGER_EXPLAIN_H
#define FL_EAGER_EXPLAIN_H

#include "eager/defer.h"

/* How what was pending ran. */
#define FL_LAUNCHES(X)                                                                                       \
    X(FOUND, "found") /* as a chunk that was there */                                                        \
    X(MADE, "made")   /* as one that was compiled now */                                                     \
    X(ALONE, "alone") /* it was one operator */                                                              \
    X(APART, "apart") /* operator by operator: it ended by chance, or no program can express it */           \
    X(FAILED, "failed")

typedef enum fl_launched {
#define X(name, text) FL_LAUNCHED_##name,
    FL_LAUNCHES(X)
#undef X
        FL_LAUNCHED_COUNT
} fl_launched;

/* After a launch, before the list is empty again; with the deferral's lock held. `chunk` NULL: none. */
void fl_explain_launch(const fl_deferral *d, fl_flush reason, fl_launched how, const fl_chunk *chunk);
/* A chunk was compiled: tells, once for a sequence of operators, when it is compiled again and again, and why. */
void fl_explain_made(const fl_pending *list);

/* For the engine's table. The list's text is JSON and the caller's (free); NULL when memory is exhausted or nothing was begun. */
void fl_explain_begin(void);
char *fl_explain_end(void);
char *fl_explain_counts(void);

#endif
