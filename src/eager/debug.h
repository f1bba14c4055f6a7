/* Debug mode: the device is waited for after every operator, so that what fails is raised by the call that caused it, with a
 * description of its arguments; on request results are searched for NaN and infinite elements. */
#ifndef FL_EAGER_DEBUG_H
#define FL_EAGER_DEBUG_H

#include "eager/eager.h"

typedef enum fl_debug_check { FL_CHECK_NAN = 1, FL_CHECK_INF = 2 } fl_debug_check;

/* What to search results for: a sum of fl_debug_check, for the process. Returns what it was. */
uint32_t fl_debug_set_checks(uint32_t checks);

/* Launches a prepared call by `launch`, waits for it and checks. */
fl_status fl_debug_launch(fl_call *call, fl_buffer *const *fresh,
                          fl_status (*launch)(fl_call *call, fl_buffer *const *fresh));

#endif
