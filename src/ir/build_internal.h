/* Short spellings of attributes for the build_*.c files. Internal to ir/. */
#ifndef FL_IR_BUILD_INTERNAL_H
#define FL_IR_BUILD_INTERNAL_H

#include "ir/build.h"

#define ATTR_INT(name, value) ((fl_attr){.key = FL_ATTR_##name, .u.i = (value)})
#define ATTR_INTS(name, values, n)                                                                           \
    ((fl_attr){.key = FL_ATTR_##name, .count = (uint32_t)(n), .u.ints = (values)})
#define ATTR_STRING(name, text) ((fl_attr){.key = FL_ATTR_##name, .u.string = (text)})
#define ATTR_DENSE(name, data, bytes)                                                                        \
    ((fl_attr){.key = FL_ATTR_##name, .count = (uint32_t)(bytes), .u.dense = (data)})

static inline fl_ref fl_build_plain(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t count)
{
    return fl_build(b, code, operands, count, NULL, 0, NULL, 0);
}

/* A product whose result has the element type `out`; FL_DTYPE_NONE: the operands'. */
fl_ref fl_build_as(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                   const fl_attr *attrs, uint32_t attr_count, fl_dtype out);
/* The scalar that a reduction of `code` starts from; FL_NO_REF with an error where there is none. */
fl_ref fl_identity(fl_builder *b, fl_opcode code, fl_dtype dtype);
/* A closed region (x, y) -> code(x, y) on scalars; FL_OP_NONE: -> y. */
fl_block *fl_scalar_region(fl_builder *b, fl_opcode code, fl_dtype dtype);

#endif
