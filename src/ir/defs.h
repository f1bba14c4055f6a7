/* Memory of a program's definitions. */
#ifndef FL_IR_DEFS_H
#define FL_IR_DEFS_H

#include "ir/ir.h"

/* Not cleared, in the program's arena or, above FL_DEFS_IN_ARENA, memory of their own (fl_large_free). NULL when memory is exhausted. */
fl_def *fl_defs_alloc(fl_program *program, uint64_t capacity);

#endif
