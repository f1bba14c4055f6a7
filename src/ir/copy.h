/* Building what was built before. */
#ifndef FL_IR_COPY_H
#define FL_IR_COPY_H

#include "ir/build.h"

/* As fl_build_typed, of an operation that another program has with operands of the same types and with these results: the rules
 * are not asked again. */
fl_ref fl_build_known(fl_builder *builder, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                      const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions,
                      uint32_t region_count, const fl_type *results, uint32_t result_count);

#endif
