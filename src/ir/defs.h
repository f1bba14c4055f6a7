/* Memory of a program's definitions. */
#ifndef FL_IR_DEFS_H
#define FL_IR_DEFS_H

#include "ir/build.h"

/* Not cleared, in the program's arena or, above FL_DEFS_IN_ARENA, memory of their own (fl_large_free). NULL when memory is exhausted. */
fl_def *fl_defs_alloc(fl_program *program, uint64_t capacity);
/* Room for so many definitions more, for who knows how long the program becomes. */
void fl_builder_reserve(fl_builder *builder, uint32_t more);
/* As fl_builder_finish, of operations that were all checked when they were built: only the results are looked at. */
fl_status fl_builder_finish_checked(fl_builder *builder, const fl_ref *results, uint32_t count,
                                    fl_program **out);

#endif
