/* The reference interpreter: every operation and type, scalar code written to be read. The oracle of all tests, never the fast path. */
#ifndef FL_REF_REFERENCE_H
#define FL_REF_REFERENCE_H

#include "ir/ir.h"

/* Runs a verified program. inputs[i] and outputs[i] are dense row-major arrays of the argument and result types, as the
 * engine stores them (base/dtypes.def); outputs are allocated by the caller. Nothing is kept. */
fl_status fl_reference_run(const fl_program *program, const void *const *inputs, void *const *outputs);
/* Runs one operation on dense arrays (regions included): the same semantics, for tests and for operations without a kernel. */
fl_status fl_reference_op(const fl_program *program, const fl_op *op, const void *const *operands, void *const *results);

#endif
