/* Internal to ir/bytecode/: see plain.c. */
#ifndef FL_IR_BYTECODE_PLAIN_H
#define FL_IR_BYTECODE_PLAIN_H

#include "ir/bytecode/reader.h"

/* Appends the generic text of the module in the section of the operations. */
fl_status fl_bc_print_plain(fl_bc_reader *r, fl_cursor ir, fl_text *out);

#endif
