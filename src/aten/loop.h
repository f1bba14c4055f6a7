/* Loops of a known number of steps. */
#ifndef FL_ATEN_LOOP_H
#define FL_ATEN_LOOP_H

#include "aten/lower.h"

enum { FL_LOOP_MOST = 12 }; /* values of a state */

/* next[i] is what state[i] becomes; it is that already where the body sets nothing. `step` is 0-d, of i64. */
typedef void fl_loop_body(fl_builder *b, fl_ref step, const fl_ref *state, fl_ref *next, const void *given);
/* Runs `body` `steps` times; `state` becomes what it is at the end. What a body needs from outside is part of the state. */
void fl_loop(fl_builder *b, int64_t steps, fl_ref *state, uint32_t count, fl_loop_body *body,
             const void *given);
/* The same with a number of steps (0-d, of i64) that is computed. */
void fl_loop_to(fl_builder *b, fl_ref steps, fl_ref *state, uint32_t count, fl_loop_body *body,
                const void *given);

#endif
