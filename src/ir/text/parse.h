/* Reads MLIR text of StableHLO programs, as other producers write it: pretty and generic form, aliases, locations (dropped),
 * resources, attributes of other dialects (kept). VHLO is read as bytecode only. */
#ifndef FL_IR_TEXT_PARSE_H
#define FL_IR_TEXT_PARSE_H

#include "ir/ir.h"

/* The caller owns *out, which is NULL after an error. `text` need not end with a NUL. Every operation is checked by its rules
 * when it is read. Messages begin with "line L:C: ", columns counted in bytes from 1. */
fl_status fl_parse_text(const char *text, size_t length, fl_program **out);
/* Whether this is the whole text of an attribute that is kept as FL_LIT_OPAQUE: #dialect.name<...>. */
int fl_is_opaque_text(const char *text, size_t length);

#endif
