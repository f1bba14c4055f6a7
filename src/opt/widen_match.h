/* What differs between recordings. Internal to opt/. */
#ifndef FL_OPT_WIDEN_MATCH_H
#define FL_OPT_WIDEN_MATCH_H

#include "opt/widen_parts.h"

/* FL_UNSUPPORTED: they differ in more than sizes, integers of attributes, and constants. */
fl_status fl_wide_same(const fl_program *a, const fl_program *b);
/* Fills w->numbers, with the widths of those that are sizes of arguments and results. */
fl_status fl_wide_numbers(fl_widened *w, int64_t limit);

#endif
