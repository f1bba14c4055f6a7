/* The passes of fl_optimize, each in the file of its name. All are exact: results keep their bits (but for the bits of NaNs)
 * under the reference interpreter. */
#ifndef FL_OPT_OPTIMIZE_H
#define FL_OPT_OPTIMIZE_H

#include "opt/edit.h"

/* FL_PASS(name, function, rounds, what it does): in the order they run. Passes of several rounds run again, up to that often, while
 * any pass changes something. */
#define FL_PASSES(FL_PASS)                                                                                   \
    FL_PASS(branches, fl_pass_branches, 3,                                                                   \
            "branches and loops whose condition is known; values that loops only carry")                     \
    FL_PASS(recognise, fl_pass_recognise, 1, "sorts, argmax and windows in forms that the device knows")     \
    FL_PASS(fold, fl_pass_fold, 3, "operations of constants")                                                \
    FL_PASS(simplify, fl_pass_simplify, 3, "algebraic rules, one operation at a time")                       \
    FL_PASS(cse, fl_pass_cse, 3, "operations that are computed twice")                                       \
    FL_PASS(dce, fl_pass_dce, 3, "operations whose results nobody uses")

#define FL_PASS(name, function, rounds, text) fl_status function(fl_editor *e);
FL_PASSES(FL_PASS)
#undef FL_PASS

#endif
