#ifndef FL_CPU_KERNELS_FACTOR_H
#define FL_CPU_KERNELS_FACTOR_H

#include "cpu/plan/plan.h"

/* A step for a custom call of linear algebra whose operands are dense; vectors that nobody reads are not computed. FL_UNSUPPORTED: it is none that LAPACK does here. */
fl_status fl_prepare_factor(fl_step *step, fl_arena *arena);

#endif
