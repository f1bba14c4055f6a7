/* Whether a sequence of operators repeats, from hashes of them: in a loop that never waits, chunks end where its rounds do. */
#ifndef FL_EAGER_REPEAT_H
#define FL_EAGER_REPEAT_H

#include <stdint.h>

#define FL_REPEAT_MOST   2048 /* the longest period */
#define FL_REPEAT_PLACES 4096

typedef struct fl_repeat {
    uint32_t history[2 * FL_REPEAT_MOST]; /* a ring */
    uint64_t count;                       /* operators so far */
    uint32_t period, run; /* the last `run` operators are those `period` before them; 0: no period is known */
    uint32_t window;      /* hash of the last operators */
    uint64_t seen[FL_REPEAT_PLACES]; /* where a window's hash was last */
} fl_repeat;

/* Another operator. Returns the period when the last two periods are equal, else 0. */
uint32_t fl_repeat_next(fl_repeat *repeat, uint32_t hash);

#endif
