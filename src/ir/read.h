/* Programs from and to bytes, in whatever form: what tools and the public interface need of text/ and bytecode/. */
#ifndef FL_IR_READ_H
#define FL_IR_READ_H

#include "ir/ir.h"

/* Reads a portable artifact or text, told apart by the first bytes. The caller owns the program, which is verified. */
fl_status fl_program_read(const void *data, size_t size, fl_program **out);
/* Appends a portable artifact for readers of StableHLO `version` ("1.17.0"; NULL: the newest). */
fl_status fl_program_serialize(const fl_program *program, const char *version, fl_text *out);
/* The newest version that is read and written: "1.20.0". */
const char *fl_newest_version(void);

#endif
