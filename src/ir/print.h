/* Pieces of the printer. Internal to ir/. */
#ifndef FL_IR_PRINT_H
#define FL_IR_PRINT_H

#include "ir/ir.h"

void fl_print_dense(fl_text *out, const fl_type *type, const void *data);
void fl_print_type(fl_text *out, const fl_type *type);
/* " {name = value, ...}" of the operation's attributes as the generic form writes them; nothing where there
 * are none. */
void fl_print_properties(fl_text *out, const fl_op *op);
void fl_print_ints(fl_text *out, const int64_t *values, uint32_t count, const char *separator);
void fl_print_string(fl_text *out, const char *text);
const char *fl_print_enum(fl_attr_key key, int64_t value); /* name of an ENUM attribute's value */

#endif
